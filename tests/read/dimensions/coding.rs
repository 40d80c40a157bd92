//! READ-1: codings, double codings, and the names that fields give them.
//!
//! Crossed: every sequence of codings with every list of names; a byte in front of the magic and the chunked transfer
//! coding with every sequence.

use super::{Expected, Variants};
use crate::codings::{Coder, chunked};
use crate::message::Message;

const SEQUENCES: [&[Coder]; 14] = [
    &[],
    &[Coder::Gzip],
    &[Coder::Zlib],
    &[Coder::RawDeflate],
    &[Coder::Br],
    &[Coder::Zstd],
    &[Coder::Gzip, Coder::Gzip],
    &[Coder::Gzip, Coder::Br],
    &[Coder::Br, Coder::Gzip],
    &[Coder::Zstd, Coder::Gzip],
    &[Coder::Gzip, Coder::Zstd],
    &[Coder::Zlib, Coder::Gzip],
    &[Coder::Gzip, Coder::Gzip, Coder::Gzip],
    &[Coder::Br, Coder::Br],
];

/// Fields that name codings: Content-Encoding, each line of it, and Transfer-Encoding.
const NAMES: [(&[&str], &str); 26] = [
    (&[], ""),
    (&["gzip"], ""),
    (&["\"gzip\""], ""),
    (&["GZip"], ""),
    (&["x-gzip"], ""),
    (&["deflate"], ""),
    (&["br"], ""),
    (&["\"br\""], ""),
    (&["zstd"], ""),
    (&["gzip, gzip"], ""),
    (&["gzip", "br"], ""),
    (&["br, gzip"], ""),
    (&["gzip, deflate"], ""),
    (&["gzip,deflate,br"], ""),
    (&["compress"], ""),
    (&["identity"], ""),
    (&["none"], ""),
    (&["utf-8"], ""),
    (&["x-unknown"], ""),
    (&["gzip;q=1.0"], ""),
    (&["'gzip'"], ""),
    (&["x-unknown, gzip"], ""),
    (&[""], ""),
    (&[], "gzip"),
    (&["gzip"], "gzip"),
    (&[], "identity"),
];

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    for coders in SEQUENCES {
        let body = encoded(coders, &plain.body);
        for (content, transfer) in NAMES {
            let named = named(plain.with_body(body.clone()), content, transfer);
            let expected = expected(coders, content, transfer);
            let label = format!("{coders:?} named {content:?} {transfer:?}");
            let dimension = if coders.len() > 1 {
                "double coding"
            } else {
                "coding"
            };
            variants.push(dimension, label, expected, named);
        }
        add_framed(variants, coders, &body);
    }
}

/// Adds bodies in chunks, and with a byte in front of the magic.
fn add_framed(variants: &mut Variants<'_>, coders: &[Coder], body: &[u8]) {
    let plain = variants.plain;
    let names: Vec<&str> = coders.iter().map(|coder| coder.names()[0]).collect();
    let content = [names.join(", ")];
    let right: Vec<&str> = content
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    for names in [&[][..], &right] {
        for size in [1 << 20, 7] {
            let message = named(plain.with_body(chunked(body, size)), names, "chunked");
            let expected = expected(coders, names, "");
            variants.push(
                "chunked",
                format!("{coders:?} named {names:?}, {size}"),
                expected,
                message,
            );
        }
        let message = named(plain.with_body(body.to_vec()), names, "chunked");
        variants.push(
            "chunked",
            format!("{coders:?} {names:?} named, and not"),
            expected_stored(coders, names),
            message,
        );
        let message = named(plain.with_body(chunked(body, 50)), names, "");
        variants.no_new_yes(
            "chunked",
            format!("{coders:?} {names:?} and not named"),
            message,
        );
        for (front, back) in [
            (&b"\n"[..], &b""[..]),
            (b"\0", b""),
            (b"x", b""),
            (b"\xff", b""),
            (b"", b"\n"),
        ] {
            if coders.is_empty() {
                continue;
            }
            let message = named(plain.with_body([front, body, back].concat()), names, "");
            let label = format!("{front:?} {coders:?} {back:?} named {names:?}");
            variants.no_new_yes("bytes around", label, message);
        }
    }
}

/// What a writer stored without its chunks is whole.
fn expected_stored(coders: &[Coder], names: &[&str]) -> Expected {
    expected(coders, names, "")
}

fn encoded(coders: &[Coder], body: &[u8]) -> Vec<u8> {
    coders
        .iter()
        .fold(body.to_vec(), |body, coder| coder.encode(&body))
}

fn named(message: Message, content: &[&str], transfer: &str) -> Message {
    let message = content.iter().fold(message, |message, value| {
        message.with("Content-Encoding", value)
    });
    if transfer.is_empty() {
        message
    } else {
        message.with("Transfer-Encoding", transfer)
    }
}

/// READ-1: what is named is undone, and what has a magic once more; names that are not used change nothing.
fn expected(coders: &[Coder], content: &[&str], transfer: &str) -> Expected {
    let lists = [content.join(","), transfer.to_owned()].join(",");
    let names: Vec<String> = lists
        .split(',')
        .map(|name| {
            name.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .trim_matches('"')
                .to_ascii_lowercase()
        })
        .filter(|name| !matches!(name.as_str(), "" | "identity"))
        .collect();
    let is_named = |coders: &[Coder]| {
        coders.len() == names.len()
            && coders
                .iter()
                .zip(&names)
                .all(|(c, n)| c.names().contains(&n.as_str()))
    };
    let once_more = |coders: &[Coder]| match coders {
        [first, rest @ ..] => first.is_marked() && is_named(rest),
        [] => false,
    };
    let alone = match coders {
        [] => true,
        [one] => one.is_marked(),
        _ => false,
    };
    if alone || is_named(coders) || once_more(coders) {
        Expected::Same
    } else {
        Expected::NoNewYes
    }
}
