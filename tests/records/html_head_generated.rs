//! The head scanner on generated pages: compared with another tokenizer, and timed.
//!
//! The other side is `html5gum`, a tokenizer of the whole standard, below a second reading of
//! the standard's rules for a head, written to be obvious and not fast. The pages are tag soup
//! from a generator with a fixed seed.
//! `html_...`: the HTML Living Standard says so. `local_...`: ours.

use crate::random::one_of;
use crate::rounds::rounds;
use crawlprefs::web::steps;

use super::head_tree::in_noscript;
use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use crawlprefs::web::field::Carrier;
use fastrand::Rng;
use html5gum::{StartTag, State, Token, Tokenizer};
use std::ops::ControlFlow;

/// Which attribute names a meta, that name, and the content.
type Found = (Carrier, Vec<u8>, Vec<u8>);

fn scanned(html: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    head_fields(html, &mut |carrier, name, value| {
        if !matches!(carrier, Carrier::AfterHead | Carrier::Property) {
            found.push((carrier, name.to_vec(), value.to_vec()));
        }
        ControlFlow::Continue(())
    });
    found
}

/// HTML, "Parsing elements that contain only text", and the elements of "in body" that do.
fn text_state(name: &[u8]) -> Option<State> {
    match name {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" | b"noscript" => {
            Some(State::RawText)
        }
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

const AFTER_HEAD: [&[u8]; 12] = [
    b"html",
    b"head",
    b"base",
    b"basefont",
    b"bgsound",
    b"link",
    b"meta",
    b"noframes",
    b"script",
    b"style",
    b"template",
    b"title",
];

/// What the tokens so far have made of the tree.
#[derive(Default)]
struct Tree {
    found: Vec<Found>,
    open_templates: usize,
    head_was_closed: bool,
    open_text: Option<Vec<u8>>,
    body_began: bool,
}

impl Tree {
    fn start_tag(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        let head_noscript = name == b"noscript" && !self.head_was_closed;
        if self.open_templates == 0 && !AFTER_HEAD.contains(&name) && !head_noscript {
            self.body_began = true;
        }
        if self.open_templates == 0 && name == b"meta" {
            self.meta(tag);
        }
        self.open_templates += usize::from(name == b"template");
        self.open_text = text_state(name).map(|_| name.to_vec());
    }

    fn meta(&mut self, tag: &StartTag<()>) {
        let value = |name: &[u8]| tag.attributes.get(name).map(|value| value.as_slice());
        let keys = [
            (Carrier::Meta, value(b"name")),
            (Carrier::HttpEquiv, value(b"http-equiv")),
        ];
        for (key, name) in keys {
            let name = name.unwrap_or_default().trim_ascii().to_vec();
            if !name.is_empty() {
                let content = value(b"content").unwrap_or_default().to_vec();
                self.found.push((key, name, content));
            }
        }
    }

    fn end_tag(&mut self, name: &[u8]) {
        if self.open_text.take().is_some() {
            return;
        }
        match (name, self.open_templates) {
            (b"template", 1..) => self.open_templates -= 1,
            (b"head", 0) => self.head_was_closed = true,
            (b"body" | b"html" | b"br", 0) => self.body_began = true,
            _ => (),
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.open_templates == 0 && self.open_text.as_deref() == Some(b"noscript") {
            let text = String::from_utf8_lossy(text);
            let metas = in_noscript(&text).into_iter();
            let metas = metas.map(|(key, name, content)| {
                (
                    key,
                    name.trim_ascii().as_bytes().to_vec(),
                    content.into_bytes(),
                )
            });
            self.found
                .extend(metas.filter(|(_, name, _)| !name.is_empty()));
        }
        let is_blank = text.iter().all(|byte| b" \t\n\x0C\r".contains(byte));
        if self.open_templates == 0 && self.open_text.is_none() && !is_blank {
            self.body_began = true;
        }
    }
}

fn tokenized(html: &[u8]) -> Vec<Found> {
    let html = html.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(html);
    let mut tokenizer = Tokenizer::new(html);
    let mut tree = Tree::default();
    while let Some(Ok(token)) = tokenizer.next() {
        match token {
            Token::StartTag(tag) => {
                tree.start_tag(&tag);
                if let Some(state) = text_state(&tag.name) {
                    tokenizer.set_state(state);
                }
            }
            Token::EndTag(tag) => tree.end_tag(&tag.name),
            Token::String(text) => tree.text(&text),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => (),
        }
        if tree.body_began {
            break;
        }
    }
    tree.found
}

const STARTS: &[&str] = &[
    "",
    "",
    "<!DOCTYPE html>",
    "<!doctype html>\r\n<html lang=en>\n<head>\n",
    "<head>",
    "<html>",
    "\u{FEFF}",
    "\u{FEFF}<!DOCTYPE html PUBLIC '-//W3C//DTD'>",
    "<?xml version='1.0'?>",
];

#[rustfmt::skip] // one piece per line would hide the test behind its words
const HEAD_PIECES: &[&str] = &[
    " ", "\r\n", "\t", "<!-- x -->", "<!-->", "<!--->", "<!-- --!>", "<!-- <!-- > -->",
    "<!---!>-->", "<!x>", "<?x>", "</>", "</ x>", "</p>", "</p x='>'>", "</head>", "<head>",
    "<html x>", "<link x=y>", "<base href='/'>", "<bgsound>", "<basefont/>", "<title>a<b></title>",
    "<TITLE></titles></Title >", "<style><!--</style>", "<noframes><p></noframes>",
    "<noscript><img></noscript>", "&#32;", "&Tab;", "<script></script>",
    "<script><!--<script></script>--></script>", "<script><!--></script>",
    "<script><!-- <script> </script> </script>", "<script>'<!-'</script>",
    "<script><!-- <script></script><script></script><meta name=t></script>",
    "<script>-->\r</script/>", "<template></template>",
    "<template><p>x<template></template><meta name=t></template>",
    "<template><textarea></template></textarea><xmp></template></xmp></template>", "</template>",
    "<script src=x async></script>", "<link rel=\"x\"title='y'/>", "<![CDATA[x>",
];

#[rustfmt::skip] // one piece per line would hide the test behind its words
const BROKEN_PIECES: &[&str] = &[
    "<", ">", "'", "\"", "<!--", "-->", "--!>", "<title>", "</title>", "<script>", "</script>",
    "<!-", "<script", "<noscript>", "</noscript>", "<template>", "</template ", "<style>",
    "</style", "&", "&#", "<body>", "</body>", "</html>", "</br>", "<p>", "<svg>", "<textarea>",
    "<plaintext>", "x", "\0", "-", "\u{A0}", "&nbsp;", "<link title='", "<meta ", "/", "=", "<a=",
    "</", "<?", "<!", "--", "<noembed>", "<frameset>", "<iframe>", "<meta\0name=n>", "\u{FEFF}",
    "<meta name=n content=\"", "&#32", "&#x41;",
];

const ATTRIBUTES: &[&str] = &[
    "name",
    "name",
    "name",
    "NAME",
    "content",
    "content",
    "content",
    "Content",
    "http-equiv",
    "charset",
    "property",
    "nam",
    "=name",
    "name\0",
    "x",
];

#[rustfmt::skip] // one piece per line would hide the test behind its words
const VALUES: &[&str] = &[
    "robots", "a", " b ", "", "noindex, nofollow", "&amp;", "&amp", "&ampx", "&lt;p&gt;",
    "&quot;&apos;", "&copy", "&copy=", "&copy1", "&notit;", "&bogus;", "&", "&&#", "&#;", "&#x;",
    "&#x80;", "&#150", "&#0;", "&#xD800;", "&#1114112;", "&#99999999999;", "&#X41z", "&#65",
    "&#13;", "\r\n", "\r", "\n", "\0", "/", "&nbsp;", "&eacute;", "&hellip;", "&comma;", "\u{E9}",
    ">", "=", "<", "`", "&#x0a;", "&Tab;", "&semi",
];

const SEPARATORS: &[&str] = &[" ", " ", " ", "\n", "\r\n", "/", " / ", "\t", "\x0C", ""];
const EQUALS: &[&str] = &["=", "=", "=", " = ", "=\r\n", "\t=", ""];
const QUOTES: &[&str] = &["'", "\"", "'", "\"", ""];
const TAG_ENDS: &[&str] = &[">", ">", ">", ">", "/>", " >", " / >", ""];

fn push_meta(random: &mut Rng, html: &mut String) {
    html.push_str(one_of(random, &["<meta", "<META", "<Meta"]));
    for _ in 0..=random.usize(..4) {
        html.push_str(one_of(random, SEPARATORS));
        html.push_str(one_of(random, ATTRIBUTES));
        html.push_str(one_of(random, EQUALS));
        let quote = one_of(random, QUOTES);
        html.push_str(quote);
        for _ in 0..=random.usize(..2) {
            html.push_str(one_of(random, VALUES));
        }
        html.push_str(quote);
    }
    html.push_str(one_of(random, TAG_ENDS));
}

pub fn page(random: &mut Rng) -> String {
    let mut html = one_of(random, STARTS).to_owned();
    for _ in 0..=random.usize(..12) {
        match random.usize(..24) {
            0..11 => push_meta(random, &mut html),
            11..23 => html.push_str(one_of(random, HEAD_PIECES)),
            _ => html.push_str(one_of(random, BROKEN_PIECES)),
        }
    }
    html
}

#[test]
fn html_generated_pages_give_the_metas_that_html5gum_gives() {
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let mut pages_with_metas = 0;
    let mut metas_found = 0;
    let pages = rounds(5_000, 20_000);
    for _ in 0..pages {
        let html = page(&mut random);
        let expected = tokenized(html.as_bytes());
        assert_eq!(scanned(html.as_bytes()), expected, "{html:?}");
        pages_with_metas += usize::from(!expected.is_empty());
        metas_found += expected.len();
    }
    assert!(pages_with_metas > pages / 2, "{pages_with_metas}");
    assert!(metas_found > pages / 4 * 3, "{metas_found}");
}

/// Each line is how a page begins, an arrow, and what is repeated until it has 4 MiB.
const HOSTILE_PAGES: &[&str] = &[
    " -> <!--",
    " -> <!-->",
    " -> <!-- >",
    "<!-- -> ->",
    "<!-- -> --",
    " -> <script>",
    " -> <script></script>",
    "<script> -> <!--",
    "<script> -> </script",
    "<script><!-- -> <script>",
    "<script><!-- -> <script></script>",
    "<script> -> <",
    " -> <title>",
    "<title> -> </title",
    "<title> -> </",
    " -> <meta name='",
    " -> <meta name=\"",
    "<meta  -> a='b' ",
    "<meta  -> =",
    "<meta -> /",
    "<meta a= -> <",
    " -> <template>",
    " -> <template></template>",
    "<template> -> <",
    " -> </p>",
    " -> <meta name=a>",
    " -> &#32;",
    "&# -> 0",
    "& -> a",
    " ->  ",
    " -> <!",
    " -> <?",
    " -> </",
    " -> <a",
    "< -> a",
    "<meta name=a content=' -> &",
    "<meta name=a content=' -> &eacute",
    "<meta name=a content=' -> &#",
    "<meta name='& -> a",
];

#[test]
fn local_hostile_input_takes_linear_time() {
    const PAGE_BYTES: usize = 1 << 20;
    for line in HOSTILE_PAGES {
        let (start, unit) = line.split_once(" -> ").expect("a line has an arrow");
        let html = start.to_owned() + &unit.repeat(PAGE_BYTES / unit.len()) + "'>";
        let (_, taken) = steps::counted(|| {
            head_fields(html.as_bytes(), &mut |_, _, _| ControlFlow::Continue(()))
        });
        let most = 6 * html.len() as u64;
        assert!(
            taken > 0 && taken <= most,
            "{line}: {taken} steps, at most {most}"
        );
    }
}

/// Any bytes: no panic, and what is read of a page cut off is how the whole page begins.
#[test]
fn local_a_cut_or_damaged_page_gives_no_panic_and_no_other_metas() {
    let mut random = Rng::with_seed(1);
    for _ in 0..2_000 {
        let mut html = page(&mut random).into_bytes();
        for _ in 0..random.usize(..3) {
            let at = random.usize(..html.len().max(1));
            if let Some(byte) = html.get_mut(at) {
                *byte = random.u8(..);
            }
        }
        let whole = scanned(&html);
        let cut = random.usize(..html.len().max(1));
        assert!(whole.starts_with(&scanned(&html[..cut])), "{html:?} {cut}");
    }
}

#[test]
fn local_nothing_is_visited_or_looked_at_after_a_break() {
    let html = b"<meta name=a>".repeat(10_000);
    let mut visited = 0;
    let (end, taken) = steps::counted(|| {
        head_fields(&html, &mut |_, _, _| {
            visited += 1;
            if visited == 10 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    });
    assert_eq!((visited, end), (10, HtmlHeadEnd::Missing));
    assert!((10..1000).contains(&taken), "{taken}");
}
