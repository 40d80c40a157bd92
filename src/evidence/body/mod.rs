//! The payload of a response: the body without its transfer and content codings.
//!
//! Document: RFC 9112 6.1 and 7.1 (chunked), RFC 9110 8.4 (content codings), RFC 8878
//! and RFC 9659 (zstd), RFC 7932 (br). Sniff, do not trust: some crawlers store the
//! wire bytes, some decode and keep the fields, so a coding is undone where it is
//! declared and the bytes agree.
//! Example: `Content-Encoding: gzip` over `1F 8B ...` is decoded, over `<html>` it is not.
//! Left out: `X-Crawler-Content-Encoding` and `X-Archive-Orig-...`, which name what the
//! archive has undone; `compress` and dictionaries, which no crawler asks for; a
//! `Content-Length` that disagrees, for it often counts other bytes than the stored ones.

mod chunked;
mod coding;
mod decoded;
mod decoder;

use std::borrow::Cow;

use super::http_head::{HttpHead, first_bytes};
use chunked::Pieces;
use coding::{Coding, Sniffed};
use decoded::{Decoded, Ending};
use decoder::Format;

/// The codings that are tried, one inside the other.
///
/// Ours: nobody sends more than two, and each one multiplies the work, also where it fails.
pub const MAX_CODINGS: usize = 3;

/// What a body holds once its codings are undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The first bytes of the payload; borrowed where nothing had to be decoded.
    pub bytes: Cow<'a, [u8]>,
    /// Whether these are all of them.
    pub completeness: Completeness,
}

/// How much of a payload could be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Whole,
    /// Its beginning: the stream is damaged or short, or there is more than was asked for.
    Cut,
    /// Nothing: the coding is unknown, too deep, or damaged from the start.
    Undecodable,
}

/// Returns at most `max_bytes` bytes of the payload of `body`.
///
/// The same call with a larger `max_bytes` returns more of the same bytes. Memory is
/// bounded by about four times `max_bytes` and the windows of the decoders.
#[must_use]
pub fn decode<'a>(head: &HttpHead<'_>, body: &'a [u8], max_bytes: usize) -> Payload<'a> {
    let wire = if coding::declares_chunked(head) { Pieces::of_chunks(body) } else { Pieces::whole(body) };
    match undo_all(&coding::declared(head), &wire, max_bytes) {
        Undone::Nothing | Undone::Text => as_it_is(wire, max_bytes),
        Undone::Decoded(decoded) => Payload::new(Cow::Owned(decoded.bytes), decoded.ending),
        Undone::Unreadable => Payload::undecodable(),
    }
}

impl<'a> Payload<'a> {
    fn new(bytes: Cow<'a, [u8]>, ending: Ending) -> Self {
        let completeness = match ending {
            Ending::Complete => Completeness::Whole,
            Ending::Short | Ending::Damaged if bytes.is_empty() => Completeness::Undecodable,
            Ending::Longer | Ending::Short | Ending::Damaged => Completeness::Cut,
        };
        Self { bytes, completeness }
    }

    fn undecodable() -> Self {
        Self { bytes: Cow::Borrowed(&[]), completeness: Completeness::Undecodable }
    }
}

/// What became of the declared codings.
enum Undone {
    /// None of them is on the body.
    Nothing,
    /// One was tried, and what it should be on is text.
    Text,
    /// At least one was, and this is inside.
    Decoded(Decoded),
    /// One is on the body, or may be, and cannot be undone.
    Unreadable,
}

/// Undoes codings from the last to the first: RFC 9110 8.4.
fn undo_all(codings: &[Coding], wire: &Pieces<'_>, max_bytes: usize) -> Undone {
    let mut inside: Option<Decoded> = None;
    let mut layers = 0;
    for (remaining, coding) in codings.iter().enumerate().rev() {
        let layer = match &inside {
            Some(decoded) => Pieces::whole(&decoded.bytes),
            None => wire.clone(),
        };
        match undo(*coding, &layer, layer_limit(remaining, max_bytes), layers) {
            Undone::Nothing => {}
            Undone::Text => break,
            Undone::Decoded(decoded) => {
                inside = Some(decoded);
                layers += 1;
            }
            Undone::Unreadable => return Undone::Unreadable,
        }
    }
    match inside {
        Some(decoded) => Undone::Decoded(decoded.cut_to(max_bytes)),
        None => Undone::Nothing,
    }
}

/// Ours: what lies between two codings is compressed, so it is hardly longer than the
/// payload; one that is longer than this gives a payload that is cut.
fn layer_limit(remaining: usize, max_bytes: usize) -> usize {
    if remaining == 0 { max_bytes } else { max_bytes.saturating_mul(2).saturating_add(1024 * 1024) }
}

fn undo(coding: Coding, layer: &Pieces<'_>, limit: usize, layers: usize) -> Undone {
    let start = layer.first_bytes(coding::SNIFFED_BYTES);
    match coding.sniff(&start) {
        Sniffed::AsItIs => Undone::Nothing,
        Sniffed::Unreadable => Undone::Unreadable,
        Sniffed::Encoded(_) | Sniffed::Perhaps(_) if layers == MAX_CODINGS => Undone::Unreadable,
        Sniffed::Encoded(formats) => match first_usable(formats, layer, limit) {
            Ok(decoded) => Undone::Decoded(decoded),
            Err(_) => Undone::Unreadable,
        },
        Sniffed::Perhaps(formats) => match first_usable(formats, layer, limit) {
            Ok(decoded) => Undone::Decoded(decoded),
            // Ours: text that breaks the format was never in it, nor in those around it.
            Err(Ending::Damaged) if coding::is_text(layer) => Undone::Text,
            Err(_) => Undone::Unreadable,
        },
    }
}

/// Returns what the first format that gives anything gives, or how the last one failed.
fn first_usable(formats: &[Format], layer: &Pieces<'_>, limit: usize) -> Result<Decoded, Ending> {
    let mut failed = Ending::Damaged;
    for format in formats {
        let decoded = decoder::run(*format, layer.clone(), limit);
        if decoded.is_usable() {
            return Ok(decoded);
        }
        failed = decoded.ending;
    }
    Err(failed)
}

/// Joins the pieces of a body that has no coding; a single one is not copied.
fn as_it_is(mut pieces: Pieces<'_>, max_bytes: usize) -> Payload<'_> {
    let mut bytes = Cow::Borrowed(pieces.next().unwrap_or_default());
    while bytes.len() <= max_bytes
        && let Some(piece) = pieces.next()
    {
        let space = max_bytes.saturating_add(1) - bytes.len();
        bytes.to_mut().extend_from_slice(piece.get(..space).unwrap_or(piece));
    }
    if bytes.len() > max_bytes {
        return Payload::new(first_bytes(bytes, max_bytes), Ending::Longer);
    }
    Payload::new(bytes, pieces.ending())
}
