//! READ-7 and READ-8: media types, the starts of pages that are sniffed, and XHTML.
//!
//! Crossed: for site files every type. For pages every type that leaves the decision to the body, or names HTML, with
//! every start of a page and with some codings. A page whose only type is that of another format (text/plain,
//! image/png) holds no metas (READ-7); its header fields are read, so those types are crossed with pages without metas.

use super::{Expected, Variants};
use crate::codings::{Coder, chunked};
use crate::message::Message;
use crate::site::html;

/// Types that say nothing, or that a site file may have.
const OPEN: [Option<&str>; 7] = [
    None,
    Some(""),
    Some("*/*"),
    Some("unknown/unknown"),
    Some("application/unknown"),
    Some("html"),
    Some(";charset=utf-8"),
];
const HTML: [&str; 4] = [
    "text/html",
    "TEXT/HTML; charset=x",
    "text/html, text/plain",
    " text/html;",
];
const OTHER: [&str; 10] = [
    "text/plain",
    "application/octet-stream",
    "image/png",
    "application/json",
    "text/xml",
    "application/xml",
    "application/xhtml+xml",
    "application/pdf",
    "application/gzip",
    "binary/octet-stream",
];

/// Starts of pages, and whether WHATWG's MIME Sniffing, or READ-7, knows HTML by them.
const STARTS: [&str; 16] = [
    "<!DOCTYPE html><html><head>",
    "<html><head>",
    "<head>",
    "<title>A</title>",
    "<script>var a = 1;</script>",
    "<link rel=stylesheet href=/a.css>",
    "<style>p {}</style>",
    "<base href=/>",
    "<meta charset=utf-8>",
    "<!-- a comment --><html>",
    "\n\n  <!doctype HTML>",
    "\u{feff}<!DOCTYPE html>",
    "<?php echo 1 ?><html><head>",
    "<?xml version=\"1.0\"?><html><head>",
    "<noscript></noscript><title>A</title>",
    "<HTML lang=en><HEAD>",
];

const XHTML_STARTS: [(&str, Expected); 10] = [
    (
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head>",
        Expected::Same,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>",
        Expected::Same,
    ),
    (
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html xmlns=\"http://www.w3.org/1999/xhtml\"><head>",
        Expected::Same,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"a.js\"/>",
        Expected::Same,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/><style/>",
        Expected::Same,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script><![CDATA[ a < b; '</script>' ]]></script>",
        Expected::Same,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><style>/*&nbsp;&eacute;*/</style>",
        Expected::Same,
    ),
    (
        "<!DOCTYPE html [<!ENTITY no \"noai\">]><html xmlns=\"http://www.w3.org/1999/xhtml\"><head>",
        Expected::NoNewYes,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"a.js\"/><br>",
        Expected::NoNewYes,
    ),
    (
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"a.js\"/><p title=\"&unknown;\"/>",
        Expected::NoNewYes,
    ),
];

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    if !plain.is_page() {
        for media_type in OPEN
            .into_iter()
            .chain(HTML.map(Some))
            .chain(OTHER.map(Some))
        {
            variants.same(
                "media type",
                format!("{media_type:?}"),
                plain.clone().typed(media_type),
            );
        }
        let two = plain
            .clone()
            .typed(Some("text/html"))
            .with("Content-Type", "image/png");
        variants.same("media type", "two fields", two);
        return;
    }
    if plain.metas.is_empty() {
        for media_type in OTHER {
            variants.same(
                "media type",
                format!("{media_type} without metas"),
                plain.clone().typed(Some(media_type)),
            );
        }
    }
    add_pages(variants);
    add_xhtml(variants);
}

fn add_pages(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let mut types: Vec<(String, Vec<&str>)> = Vec::new();
    types.extend(OPEN.map(|open| (format!("{open:?}"), open.into_iter().collect())));
    types.extend(HTML.map(|html| (html.to_owned(), vec![html])));
    for two in [
        ["text/plain", "text/html"],
        ["text/html", "text/plain"],
        ["*/*", "text/html"],
        ["image/png", "application/xhtml+xml, text/html"],
    ] {
        types.push((two.join(" and "), two.to_vec()));
    }
    for (row, start) in STARTS.into_iter().enumerate() {
        let page = plain
            .with_body(html(start, &plain.metas, "").into_bytes())
            .typed(None);
        for (column, (name, values)) in types.iter().enumerate() {
            let typed = values
                .iter()
                .fold(page.clone(), |page, value| page.with("Content-Type", value));
            for (coding, coded) in coded(&typed, row + column) {
                variants.same(
                    "media type",
                    format!("{start:?} as {name}, {coding}"),
                    coded,
                );
            }
        }
    }
}

/// Returns a page as it is, and under one of the codings that hide its first bytes.
fn coded(page: &Message, number: usize) -> [(&'static str, Message); 2] {
    let gzip = Coder::Gzip.encode(&page.body);
    let coded = [
        (
            "gzip",
            page.with_body(gzip.clone())
                .with("Content-Encoding", "gzip"),
        ),
        ("gzip, undeclared", page.with_body(gzip)),
        (
            "br",
            page.with_body(Coder::Br.encode(&page.body))
                .with("Content-Encoding", "br"),
        ),
        (
            "chunked",
            page.with_body(chunked(&page.body, 100))
                .with("Transfer-Encoding", "chunked"),
        ),
    ];
    let [gzip, undeclared, br, chunked] = coded;
    let hidden = match number % 4 {
        0 => gzip,
        1 => undeclared,
        2 => br,
        _ => chunked,
    };
    [("plain", page.clone()), hidden]
}

fn add_xhtml(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    const TYPES: [&str; 4] = [
        "application/xhtml+xml",
        "application/xhtml+xml; charset=utf-8",
        "application/xml",
        "text/xml",
    ];
    for (row, (start, expected)) in XHTML_STARTS.into_iter().enumerate() {
        let body = html(start, &plain.metas, "/").into_bytes();
        for (column, media_type) in TYPES.into_iter().enumerate() {
            let message = plain.with_body(body.clone()).typed(Some(media_type));
            for (coding, coded) in coded(&message, row + column) {
                variants.push(
                    "XHTML",
                    format!("{start:?} as {media_type}, {coding}"),
                    expected,
                    coded,
                );
            }
        }
    }
    let meta = |(name, content): &(String, String)| {
        let escaped = content
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;");
        format!("<h:meta name=\"{name}\" content=\"{escaped}\"/>")
    };
    let metas: String = plain.metas.iter().map(meta).collect();
    let body = format!(
        "<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\"><h:head><h:script src=\"a.js\"/>{metas}<h:title>A</h:title></h:head><h:body/></h:html>"
    );
    for (number, media_type) in TYPES.into_iter().enumerate() {
        let message = plain
            .with_body(body.clone().into_bytes())
            .typed(Some(media_type));
        for (coding, coded) in coded(&message, number) {
            variants.same(
                "XHTML",
                format!("a prefix as {media_type}, {coding}"),
                coded,
            );
        }
    }
}
