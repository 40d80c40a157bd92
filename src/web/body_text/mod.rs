//! Tells whether decoded bytes are text, text in units of two or four bytes, or neither, and whether text is HTML or XML.
//!
//! Document: WHATWG MIME Sniffing, "Matching a MIME type pattern", "Identifying a resource with an unknown MIME type" and
//! "Binary data byte"; RULES READ-2, READ-3, READ-4 and READ-7. Examples: a `robots.txt` that begins with `1F 8B` is a gzip
//! file without a readable line; taking it for an empty file loses its `Disallow: /`. A body that begins with blanks and
//! `<!DOCTYPE html>` is HTML, whatever its name. Left out: undoing a coding, which is done before, decoding a charset, the
//! consequences if bytes are not text (READ-3), and feeds, which no rule needs.

mod whole;

pub use whole::{binary_format, compression, is_zlib};

use super::capture_kind::CaptureKind;
use super::lines::{split_line, without_byte_order_marks};
use crate::web::lines::without_byte_order_mark;
use crate::web::vectorised::count;

/// The number of bytes that are looked at: WHATWG MIME Sniffing, "resource header".
pub const SNIFFED_BYTES: usize = 1445;

fn sniffed(body: &[u8]) -> &[u8] {
    body.get(..SNIFFED_BYTES).unwrap_or(body)
}

/// One byte in this number may be a binary data byte if the rest is as expected (READ-2).
const BYTES_PER_BINARY_BYTE: usize = 50;
/// One byte in this number may be other than ASCII in a text that is neither UTF-8 nor as expected.
const BYTES_PER_OTHER_BYTE: usize = 8;

/// The kind of text as which bytes are read. It decides about a few binary data bytes in them (READ-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    RobotsTxt,
    /// A page of HTML or XML.
    Page,
    /// Another site file.
    SiteFile,
}

impl ReadAs {
    /// Returns the kind of text as which site files of a kind are read; any other file is read as a site file.
    pub fn site_file(kind: CaptureKind) -> Self {
        if kind.read_as() == CaptureKind::Robots {
            Self::RobotsTxt
        } else {
            Self::SiteFile
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyText {
    /// Text in a superset of ASCII, or nothing at all.
    Text,
    /// Text in UTF-16 or UTF-32.
    Wide(Wide),
    /// Anything else: an image, an archive, bytes in a coding that is not undone.
    Binary,
}

/// The encodings with units of more than one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl BodyText {
    /// Returns the kind of `body`, whose codings are undone (READ-2, READ-4).
    /// Ours: bytes without a binary data byte are also not text if an eighth of them is not ASCII, they are not UTF-8, and they
    /// have no line of a site file and no tag. A short body in a coding without a magic, such as brotli, looks like this.
    pub fn classify(body: &[u8], read_as: ReadAs) -> Self {
        if let Some(wide) = Wide::detect(body) {
            return Self::Wide(wide);
        }
        let body = if read_as == ReadAs::RobotsTxt {
            without_end_marks(body)
        } else {
            body
        };
        let is_interrupted = || read_as != ReadAs::Page && whole::is_interrupted(body, read_as);
        if binary_format(body).is_some() || is_interrupted() {
            return Self::Binary;
        }
        let start = sniffed(body);
        let binary_bytes = binary_bytes(start, read_as);
        let are_few = binary_bytes * BYTES_PER_BINARY_BYTE <= start.len();
        let is_text = match (binary_bytes, read_as) {
            (0, _) => {
                // Bytes that are not UTF-8 are not JSON (READ-9).
                let is_file_or_page =
                    || has_line(start) || has_tag(start) || markup(start) == Markup::Html;
                is_mostly_ascii(start) || is_utf8(start) || is_file_or_page()
            }
            (_, ReadAs::RobotsTxt) => are_few && has_line(start),
            (_, ReadAs::Page) => are_few && has_tag(start),
            (_, ReadAs::SiteFile) => false,
        };
        if is_text { Self::Text } else { Self::Binary }
    }
}

fn binary_bytes(piece: &[u8], read_as: ReadAs) -> usize {
    let all = count(piece, is_binary_data);
    // READ-10: VT is white space in a robots.txt.
    let is_robots = all > 0 && read_as == ReadAs::RobotsTxt;
    if is_robots {
        all - memchr::memchr_iter(0x0B, piece).count()
    } else {
        all
    }
}

impl Wide {
    /// Returns the encoding of bytes in units of two or four, by their byte order mark or by NULs in every second or fourth
    /// place (READ-4).
    /// Ours: three of four units must have NUL in the places where ASCII text in this encoding has it, and an ASCII byte in the
    /// other place; no unit has NUL there.
    pub fn detect(body: &[u8]) -> Option<Self> {
        match body {
            [0xFF, 0xFE, 0, 0, ..] => return Some(Self::Utf32Le),
            [0, 0, 0xFE, 0xFF, ..] => return Some(Self::Utf32Be),
            [0xFF, 0xFE, ..] => return Some(Self::Utf16Le),
            [0xFE, 0xFF, ..] => return Some(Self::Utf16Be),
            [_, 0, ..] | [0, _, ..] => {}
            _ => return None,
        }
        let start = sniffed(body);
        let nulls: [&[usize]; 4] = [&[1, 2, 3], &[0, 1, 2], &[1], &[0]];
        let wides = [Self::Utf32Le, Self::Utf32Be, Self::Utf16Le, Self::Utf16Be];
        wides.into_iter().zip(nulls).find_map(|(wide, nulls)| {
            let unit_bytes = nulls.len() + 1;
            let letter = (0..unit_bytes)
                .find(|at| !nulls.contains(at))
                .unwrap_or_default();
            let is_ascii = |unit: &&[u8]| {
                let is_text = unit
                    .get(letter)
                    .is_some_and(|byte| matches!(byte, 0x09..=0x7E));
                is_text && nulls.iter().all(|at| unit.get(*at) == Some(&0))
            };
            let has_other_null = |unit: &[u8]| unit.get(letter) == Some(&0);
            let units = start.chunks_exact(unit_bytes);
            let count = units.len();
            let is_mostly_ascii =
                count > 0 && units.clone().filter(is_ascii).count() * 4 >= count * 3;
            (is_mostly_ascii && !units.clone().any(has_other_null)).then_some(wide)
        })
    }
}

/// Cuts off the padding at the end of a file: NUL, and 0x1A, with which CP/M ended a text (READ-10).
pub fn without_end_marks(mut body: &[u8]) -> &[u8] {
    while let [rest @ .., 0 | 0x1A] = body {
        body = rest;
    }
    body
}

/// WHATWG MIME Sniffing, "binary data byte": control bytes except TAB, LF, FF, CR and ESC.
pub fn is_binary_data(byte: u8) -> bool {
    byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != 0x0C && byte != b'\r' && byte != 0x1B
}

/// Returns whether text looks like a page or a site file: it has a line of a site file or a tag, or begins like JSON.
pub fn is_written(text: &[u8]) -> bool {
    let start = sniffed(text);
    let first = without_byte_order_marks(start).trim_ascii_start().first();
    matches!(first, Some(b'{' | b'[')) || has_line(start) || has_tag(start)
}

fn is_mostly_ascii(start: &[u8]) -> bool {
    count(start, |byte| !byte.is_ascii()) * BYTES_PER_OTHER_BYTE <= start.len()
}

/// A character that continues after the bytes that are looked at does not count as an error.
fn is_utf8(start: &[u8]) -> bool {
    std::str::from_utf8(start).map_or_else(
        |error| error.error_len().is_none() && start.len() == SNIFFED_BYTES,
        |_| true,
    )
}

/// Returns whether a line is a record (`name: value`), a comment, or blank between others (READ-2).
fn has_line(start: &[u8]) -> bool {
    let mut rest = without_byte_order_marks(start);
    while !rest.is_empty() {
        let (line, following) = split_line(rest);
        let line = line.strip_prefix(b"\x0B").unwrap_or(line);
        let is_blank = line.trim_ascii().is_empty() && !following.is_empty();
        if is_blank || line.trim_ascii_start().starts_with(b"#") || is_record(line) {
            return true;
        }
        rest = following;
    }
    false
}

/// Ours: trust.txt has `=` instead of the colon. A line that ends in `=` is base64 rather than a record.
fn is_record(line: &[u8]) -> bool {
    let Some(at) = memchr::memchr2(b':', b'=', line) else {
        return false;
    };
    let (name, value) = line.split_at_checked(at).unwrap_or_default();
    if matches!(value, [b'='] | [b'=', b'=' | b' ' | b'\t', ..]) {
        return false;
    }
    let name = name.trim_ascii();
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' ');
    name.len() >= 3 && name.iter().all(in_name)
}

#[cfg(test)]
mod tests;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// A tag or comment with which pages begin.
    Html,
    Xml,
    /// Another `<` as its first letter, which READ-7 reads as HTML.
    Tag,
    None,
}

/// WHATWG MIME Sniffing, 7.1: a blank or `>` follows each.
const HTML_TAGS: [&[u8]; 16] = [
    b"<html", b"<head", b"<script", b"<iframe", b"<h1", b"<div", b"<font", b"<table", b"<a",
    b"<style", b"<title", b"<b", b"<body", b"<br", b"<p", b"<meta",
];

/// Returns the kind of markup by the beginning of a text, without byte order mark and white space (READ-7).
/// Ours: a line end, a tab or `/` may also follow the tag; `<meta` is also one; `<!doctype` is HTML whatever follows.
pub fn markup(text: &[u8]) -> Markup {
    let text = without_byte_order_mark(text).trim_ascii_start();
    let begins = |tag: &[u8]| {
        text.get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    let is_tag = |tag: &&[u8]| {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        begins(tag) && text.get(tag.len()).is_some_and(ends)
    };
    match text.first() {
        Some(b'<') if begins(b"<!--") || begins(b"<!doctype") || HTML_TAGS.iter().any(is_tag) => {
            Markup::Html
        }
        Some(b'<') if begins(b"<?xml") => Markup::Xml,
        Some(b'<') => Markup::Tag,
        Some(_) | None => Markup::None,
    }
}

/// Returns whether a file is an HTML page, by its beginning.
pub fn looks_like_html(file: &[u8]) -> bool {
    let text = without_byte_order_marks(file).trim_ascii_start();
    let start = text.get(..14).unwrap_or(text).to_ascii_lowercase();
    [
        &b"<!doctype html"[..],
        b"<html",
        b"<head",
        b"<body",
        b"<script",
        b"<title",
        b"<meta",
    ]
    .iter()
    .any(|tag| start.starts_with(tag))
}

/// Returns whether text has a tag, a comment or a declaration that ends (READ-2).
pub fn has_tag(text: &[u8]) -> bool {
    let begins = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'/' | b'?');
    let opens = memchr::memchr_iter(b'<', text).find(|at| text.get(at + 1).is_some_and(begins));
    opens.is_some_and(|at| {
        text.get(at..)
            .is_some_and(|rest| memchr::memchr(b'>', rest).is_some())
    })
}
