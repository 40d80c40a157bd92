//! HTML pages that are served as robots.txt.
//!
//! Example: a shop whose server answers every path with its start page. RFC 9309 has such a file read like any
//! other; what can be read of it mostly closes nothing.
//! Left out: the media type, which is often wrong.

use crate::web::lines::without_byte_order_marks;

/// Returns whether a file is an HTML page, by its beginning.
pub(super) fn looks_like_html(file: &[u8]) -> bool {
    let text = without_byte_order_marks(file).trim_ascii_start();
    let start = text.get(..14).unwrap_or(text).to_ascii_lowercase();
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<script", b"<title", b"<meta"]
        .iter()
        .any(|tag| start.starts_with(tag))
}
