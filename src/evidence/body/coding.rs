//! The codings that a head declares, and whether the bytes agree.
//!
//! Document: RFC 9110 8.4.1 (content codings), RFC 9112 7 (transfer codings).
//! Example: `Content-Encoding: gzip` and bytes that start with `1F 8B`.
//! Left out: undoing them, which is in `decoder.rs`; the magics of formats that cannot be undone.

use super::{BodyFields, BodyPieces, CodingFormat};
use crate::web::body_text::is_zlib;
use encoding_rs::Encoding;

pub(super) const SNIFFED_BYTES: usize = 64;

const GZIP_MAGIC: &[u8] = &[0x1F, 0x8B];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    /// `deflate`: zlib, or deflate without a header, which some servers send.
    Deflate,
    Br,
    Zstd,
    Unknown,
}

pub fn declares_chunked(fields: &BodyFields<'_>) -> bool {
    let is_chunked = |word: &[u8]| word.eq_ignore_ascii_case(b"chunked");
    fields
        .transfer_encodings
        .iter()
        .any(|value| words(value).any(is_chunked))
}

/// Returns the declared codings in the order in which the server applied them. RFC 9112 7: transfer codings come last.
pub fn declared(fields: &BodyFields<'_>) -> Vec<Coding> {
    let values = fields
        .content_encodings
        .iter()
        .chain(&fields.transfer_encodings);
    values
        .flat_map(|value| words(value).filter_map(Coding::named))
        .collect()
}

/// Splits a list into its words, without parameters and quotes (READ-1).
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    value
        .split(|byte| *byte == b',')
        .filter_map(|member| member.split(|byte| *byte == b';').next())
        .map(move |word| {
            let start = word
                .iter()
                .position(|byte| !is_around(byte))
                .unwrap_or(word.len());
            let end = word
                .iter()
                .rposition(|byte| !is_around(byte))
                .map_or(start, |last| last + 1);
            word.get(start..end).unwrap_or_default()
        })
}

/// Returns the format whose magic begins a body, if it can be undone; `start` has the body's first four bytes.
pub(super) fn magic(start: &[u8]) -> Option<CodingFormat> {
    match start {
        [0x1F, 0x8B, ..] => Some(CodingFormat::Gzip),
        // RFC 8878 3.1.2: a frame that decoders skip may come before the first one.
        [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => {
            Some(CodingFormat::Zstd)
        }
        _ if is_zlib(start) => Some(CodingFormat::Zlib),
        _ => None,
    }
}

impl Coding {
    /// Returns the coding of that name; `None` for words that do not name a coding.
    fn named(word: &[u8]) -> Option<Self> {
        match word.to_ascii_lowercase().as_slice() {
            // Ours: also words that mean no coding, and charsets in the wrong field.
            b"" | b"identity" | b"chunked" | b"none" | b"binary" | b"8bit" | b"7bit" | b"plain" => {
                None
            }
            label if Encoding::for_label(label).is_some() => None,
            b"gzip" | b"x-gzip" => Some(Self::Gzip),
            b"deflate" => Some(Self::Deflate),
            b"br" => Some(Self::Br),
            b"zstd" => Some(Self::Zstd),
            _ => Some(Self::Unknown),
        }
    }

    /// Returns the formats to try, in order, if bytes that start with `start` look like this coding; also whether a mark shows
    /// that it is applied. Ours: RFC 9110 8.4 lets the field decide. A coding without a mark is not tried on bytes that read as
    /// text or bear the mark of another, as with `Content-Encoding: gzip, deflate` over gzip; an unknown word is often a
    /// misplaced charset.
    pub(super) fn sniff(self, start: &[u8]) -> Option<(&'static [CodingFormat], bool)> {
        let marked = bears(start, GZIP_MAGIC) || bears(start, ZSTD_MAGIC);
        match self {
            Self::Gzip if bears(start, GZIP_MAGIC) => Some((&[CodingFormat::Gzip], true)),
            Self::Zstd if bears(start, ZSTD_MAGIC) => Some((&[CodingFormat::Zstd], true)),
            Self::Gzip | Self::Zstd => None,
            Self::Deflate | Self::Br if marked || is_plain(start) => None,
            Self::Deflate if is_zlib(start) => {
                Some((&[CodingFormat::Zlib, CodingFormat::RawDeflate], true))
            }
            Self::Deflate => Some((&[CodingFormat::RawDeflate], false)),
            Self::Br => Some((&[CodingFormat::Br], false)),
            Self::Unknown if marked || !is_binary(start) => None,
            Self::Unknown => Some((&[], false)),
        }
    }
}

/// Returns whether a body is only the beginning of a mark.
pub(super) fn is_part_of_mark(start: &[u8]) -> bool {
    start.len() < ZSTD_MAGIC.len() && (bears(start, GZIP_MAGIC) || bears(start, ZSTD_MAGIC))
}

/// Returns whether `start` begins with a mark, or is the beginning of one.
fn bears(start: &[u8], mark: &[u8]) -> bool {
    !start.is_empty()
        && start
            .iter()
            .zip(mark)
            .all(|(found, wanted)| found == wanted)
}

/// Returns whether `start` holds a control byte that does not occur in text.
fn is_binary(start: &[u8]) -> bool {
    let is_layout = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C);
    start
        .iter()
        .any(|byte| byte.is_ascii_control() && !is_layout(byte))
}

/// Returns whether a body reads as text in a superset of ASCII: it has no control byte, and most of it is ASCII. Bytes that
/// are encoded in a format without a mark may begin like text, but do not go on like it.
pub(super) fn is_text(body: &BodyPieces<'_>) -> bool {
    let (mut ascii, mut other) = (0, 0);
    for piece in body.clone() {
        if is_binary(piece) {
            return false;
        }
        let count = piece.iter().filter(|byte| byte.is_ascii()).count();
        (ascii, other) = (ascii + count, other + piece.len() - count);
    }
    ascii >= other
}

/// Returns whether `start` reads as markup or as UTF-8 text, unlike compressed bytes.
fn is_plain(start: &[u8]) -> bool {
    // A character that goes on after the sniffed bytes does not count against them.
    let is_cut =
        |error: std::str::Utf8Error| error.error_len().is_none() && start.len() == SNIFFED_BYTES;
    let is_utf8 = || std::str::from_utf8(start).map_or_else(is_cut, |_| true);
    !is_binary(start) && (start.trim_ascii_start().starts_with(b"<") || is_utf8())
}
