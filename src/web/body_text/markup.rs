//! Whether text looks like HTML or XML.
//!
//! Document: WHATWG MIME Sniffing, "Identifying a resource with an unknown MIME type"; RULES READ-3 and READ-7.
//! Example: a body that begins with `<!DOCTYPE html>`, after blanks, is HTML, whatever it is called.
//! Left out: feeds, which no rule asks for.

use crate::web::lines::without_byte_order_mark;

/// What text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// A tag or comment with which pages begin.
    Html,
    /// An XML declaration.
    Xml,
    /// Another `<` as its first letter, which READ-7 reads as HTML.
    Tag,
    /// Anything else.
    None,
}

/// WHATWG MIME Sniffing, 7.1: each is followed by a blank or `>`.
const HTML_TAGS: [&[u8]; 16] = [
    b"<html", b"<head", b"<script", b"<iframe", b"<h1", b"<div", b"<font", b"<table", b"<a", b"<style",
    b"<title", b"<b", b"<body", b"<br", b"<p", b"<meta",
];

/// Returns what text looks like by its beginning, without byte order mark and white space (READ-7).
///
/// Ours: a tag of a page may also be followed by a line end, a tab or `/`; `<meta` is one, too; and `<!doctype` is HTML
/// whatever follows.
pub fn markup(text: &[u8]) -> Markup {
    let text = without_byte_order_mark(text).trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    let is_tag = |tag: &&[u8]| {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        begins(tag) && text.get(tag.len()).is_some_and(ends)
    };
    match text.first() {
        Some(b'<') if begins(b"<!--") || begins(b"<!doctype") || HTML_TAGS.iter().any(is_tag) => Markup::Html,
        Some(b'<') if begins(b"<?xml") => Markup::Xml,
        Some(b'<') => Markup::Tag,
        Some(_) | None => Markup::None,
    }
}

/// Returns whether text has a tag, a comment or a declaration that ends (READ-2).
pub fn has_tag(text: &[u8]) -> bool {
    let opens = memchr::memchr_iter(b'<', text).find(|at| {
        let next = text.get(at + 1);
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'/' | b'?'))
    });
    opens.is_some_and(|at| text.get(at..).is_some_and(|rest| memchr::memchr(b'>', rest).is_some()))
}
