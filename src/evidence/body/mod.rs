//! The payload of a response: the body without its transfer and content codings.
//!
//! Document: RFC 9112 6.1 and 7.1 (chunked), RFC 9110 8.4 (content codings), RFC 8878 and RFC 9659 (zstd), RFC 7932 (br); RULES
//! READ-1. Sniff, do not trust: some crawlers store the wire bytes, some decode and keep the fields. So a coding is undone if
//! it is declared and the bytes agree, and if it is not declared but its magic is found.
//! Example: `Content-Encoding: gzip` over `1F 8B ...` is decoded, over `<html>` it is not.
//! Left out: `X-Crawler-Content-Encoding` and `X-Archive-Orig-...`, which name codings that the archive has undone; `compress`
//! and dictionaries, which no crawler requests; a `Content-Length` that disagrees, see `extent`.

mod chunked;
mod coding;
mod decoder;

pub use coding::{declared, declares_chunked};

use super::{fields::BodyFields, http_head::first_bytes};
use crate::web::body_text::{BodyText, ReadAs, SNIFFED_BYTES, binary_format, is_written};
use chunked::{BodyPieces, Decoded, Ending};
use coding::Coding;
use decoder::CodingFormat;
use std::borrow::Cow;

/// The most codings that are tried, one inside the other. Ours: real servers send two at most, and each one multiplies the work, even if it fails.
pub const MAX_CODINGS: usize = 3;

/// The bytes that show whether a body begins with the line of a chunk.
const CHUNK_LINE_BYTES: usize = 64;

/// The content of a body after its codings are undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The first bytes of the payload; borrowed if nothing had to be decoded.
    pub bytes: Cow<'a, [u8]>,
    pub completeness: Completeness,
    /// Whether a coding was undone because of its magic, which the head does not name (READ-1).
    pub is_undeclared: bool,
    pub text: BodyText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    Whole,
    /// Its beginning: it is longer than the requested length.
    Longer,
    /// Its beginning: the stream is damaged or short.
    Cut,
    /// Nothing: the coding is unknown, too deep, or damaged from the start.
    Undecodable,
}

/// Returns at most `max_bytes` bytes of the payload of `body`, to be read as `read_as`.
/// The same call with a larger `max_bytes` returns more of the same bytes. Memory is bounded by about four times `max_bytes`
/// and the windows of the decoders.
pub fn decode<'a>(
    fields: &BodyFields<'_>,
    body: &'a [u8],
    max_bytes: usize,
    read_as: ReadAs,
) -> Payload<'a> {
    let (wire, are_undeclared) = wire(fields, body);
    let named = coding::declared(fields);
    // Whether it is text must not depend on the requested length.
    let sniffed_bytes = max_bytes.max(SNIFFED_BYTES);
    let is_chunked = coding::declares_chunked(fields);
    let asked = BodyAsked {
        max_bytes: sniffed_bytes,
        read_as,
        is_chunked,
    };
    let mut payload = undone(&named, &wire, asked);
    let is_part_of_mark = coding::is_part_of_mark(&wire.first_bytes(4));
    if payload.text == BodyText::Binary && !named.is_empty() && !is_part_of_mark {
        // READ-1: servers name codings that they do not use.
        let unnamed = undone(&[], &wire, asked);
        if unnamed.text != BodyText::Binary && is_plausible(&named, &unnamed.bytes) {
            payload = unnamed;
        }
    }
    if payload.text == BodyText::Binary
        && let Some(unmarked) = without_magic(&wire, sniffed_bytes, read_as)
    {
        payload = unmarked;
    }
    payload.is_undeclared |= are_undeclared;
    payload.cut_to(max_bytes)
}

/// Returns a site file with its undeclared codings undone (READ-1), as an archive's reader undoes them; the body unchanged, if
/// that does not give a whole text of at most `max_bytes`.
///
/// ```
/// use crawlprefs::{evidence::body::plain, robots::RobotsTxt, web::body_text::ReadAs};
///
/// let sent = b"1a\r\nUser-agent: *\nDisallow: /\n\r\n0\r\n\r\n";
/// let robots = RobotsTxt::parse(plain(sent, 1 << 20, ReadAs::RobotsTxt));
/// assert!(robots.access("CCBot", "/a").is_disallowed());
/// ```
pub fn plain(body: &[u8], max_bytes: usize, read_as: ReadAs) -> Cow<'_, [u8]> {
    let payload = decode(&BodyFields::default(), body, max_bytes, read_as);
    match (payload.completeness, payload.text) {
        (Completeness::Whole, BodyText::Text) => payload.bytes,
        _ => body.into(),
    }
}

#[derive(Clone, Copy)]
struct BodyAsked {
    max_bytes: usize,
    read_as: ReadAs,
    is_chunked: bool,
}

/// Undoes a coding that has no magic and is not declared. Ours: it is tried if no other reading gives text, and counts only if
/// the stream ends as it says, takes up the whole body, and gives text written like pages and site files.
fn without_magic<'a>(
    wire: &BodyPieces<'_>,
    max_bytes: usize,
    read_as: ReadAs,
) -> Option<Payload<'a>> {
    let start = wire.first_bytes(SNIFFED_BYTES);
    if binary_format(&start).is_some() {
        return None;
    }
    [CodingFormat::Br, CodingFormat::RawDeflate]
        .into_iter()
        .find_map(|format| {
            let Decoded { bytes, ending } = decoder::run(format, wire.clone(), max_bytes);
            let may_be_whole =
                matches!(ending, Ending::Complete | Ending::Longer) && is_written(&bytes);
            let payload = Payload::new(Cow::Owned(bytes), ending, read_as, true);
            (may_be_whole && payload.text == BodyText::Text).then_some(payload)
        })
}

/// Ours: text in an unknown coding may be something like base64, so only text written like pages and site files counts.
fn is_plausible(named: &[Coding], text: &[u8]) -> bool {
    text.is_empty() || !named.contains(&Coding::Unknown) || is_written(text)
}

/// Returns whether a body has the named codings, according to its first bytes.
pub fn bears(named: &[Coding], body: &[u8]) -> bool {
    let start = body.get(..coding::SNIFFED_BYTES).unwrap_or(body);
    named
        .last()
        .is_none_or(|coding| coding.sniff(start).is_some_and(|(_, is_marked)| is_marked))
}

/// Returns a body without its chunks, if it has any.
pub fn without_chunks<'a>(fields: &BodyFields<'_>, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    let (pieces, are_undeclared) = wire(fields, body);
    (are_undeclared || coding::declares_chunked(fields)).then(|| as_it_is(pieces, body.len()).0)
}

/// Returns the bytes that were sent, in chunks or at once, and whether they are chunks that are not declared.
fn wire<'a>(fields: &BodyFields<'_>, body: &'a [u8]) -> (BodyPieces<'a>, bool) {
    if coding::declares_chunked(fields) {
        return (BodyPieces::of_chunks(body), false);
    }
    let chunks = BodyPieces::of_undeclared_chunks(body);
    chunks.map_or_else(|| (BodyPieces::whole(body), false), |chunks| (chunks, true))
}

/// Undoes `codings` and those inside that have a magic.
fn undone<'a>(codings: &[Coding], wire: &BodyPieces<'a>, asked: BodyAsked) -> Payload<'a> {
    let BodyAsked {
        max_bytes, read_as, ..
    } = asked;
    let Some(mut layers) = undo_all(codings, wire, asked) else {
        return Payload::undecodable();
    };
    layers.undo_undeclared(wire, asked);
    let is_decoded = layers.inside.is_some();
    let (bytes, ending) = match layers.inside {
        Some(decoded) => {
            let decoded = decoded.cut_to(max_bytes);
            (Cow::Owned(decoded.bytes), decoded.ending)
        }
        None => as_it_is(wire.clone(), max_bytes),
    };
    // Ours: random bytes may give a few others before they break a format without a checksum.
    let is_garbage = is_decoded && matches!(ending, Ending::Damaged) && !is_written(&bytes);
    if is_plausible(codings, &bytes) && !is_garbage {
        Payload::new(bytes, ending, read_as, layers.is_undeclared)
    } else {
        Payload::undecodable()
    }
}

impl<'a> Payload<'a> {
    fn new(bytes: Cow<'a, [u8]>, ending: Ending, read_as: ReadAs, is_undeclared: bool) -> Self {
        let completeness = match ending {
            Ending::Complete => Completeness::Whole,
            Ending::Short | Ending::Damaged if bytes.is_empty() => return Self::undecodable(),
            Ending::Longer => Completeness::Longer,
            Ending::Short | Ending::Damaged => Completeness::Cut,
        };
        let text = BodyText::classify(&bytes, read_as);
        Self {
            bytes,
            completeness,
            is_undeclared,
            text,
        }
    }

    fn cut_to(mut self, max_bytes: usize) -> Self {
        if self.bytes.len() > max_bytes {
            self.bytes = first_bytes(self.bytes, max_bytes);
            self.completeness = Completeness::Longer;
        }
        self
    }

    fn undecodable() -> Self {
        let (bytes, completeness) = (Cow::Borrowed(&[][..]), Completeness::Undecodable);
        Self {
            bytes,
            completeness,
            is_undeclared: false,
            text: BodyText::Binary,
        }
    }
}

struct Layers {
    /// The content inside of them; `None` if there were none.
    inside: Option<Decoded>,
    count: usize,
    is_undeclared: bool,
}

impl Layers {
    fn innermost<'l>(&'l self, wire: &BodyPieces<'l>) -> BodyPieces<'l> {
        self.inside
            .as_ref()
            .map_or_else(|| wire.clone(), |decoded| BodyPieces::whole(&decoded.bytes))
    }

    fn enter(&mut self, decoded: Decoded) {
        self.inside = Some(decoded.inside(self.inside.as_ref()));
    }

    /// Undoes undeclared codings while the magic of one is found (READ-1).
    fn undo_undeclared(&mut self, wire: &BodyPieces<'_>, asked: BodyAsked) {
        while self.count < MAX_CODINGS {
            let layer = self.innermost(wire);
            // Text begins with none of these, except with two letters that may also begin zlib.
            let may_begin = layer
                .clone()
                .next()
                .and_then(<[u8]>::first)
                .is_some_and(|first| {
                    matches!(
                        first,
                        0x1F | 0x28 | 0x50..=0x5F | 0x08 | 0x18 | 0x38 | 0x48 | 0x68 | 0x78
                    )
                });
            let Some(format) = may_begin
                .then(|| coding::magic(&layer.first_bytes(4)))
                .flatten()
            else {
                return;
            };
            let decoded = decoder::run(format, layer, asked.max_bytes);
            if !decoded.is_usable() || !is_undeclared(format, &decoded, asked.read_as) {
                return;
            }
            self.enter(decoded);
            self.count += 1;
            self.is_undeclared = true;
            self.undo_chunks(wire, asked);
        }
    }

    /// Undoes chunks inside the codings undone so far (READ-16).
    fn undo_chunks(&mut self, wire: &BodyPieces<'_>, asked: BodyAsked) {
        let layer = self.innermost(wire);
        let begins = layer
            .clone()
            .next()
            .and_then(<[u8]>::first)
            .is_some_and(u8::is_ascii_hexdigit);
        let is_inner = self.inside.is_some() || wire.are_chunks();
        let is_asked = asked.is_chunked && begins && is_inner;
        if !is_asked || !chunked::begins_like_one(&layer.first_bytes(CHUNK_LINE_BYTES)) {
            return;
        }
        let (joined, ending) = as_it_is(layer, asked.max_bytes.saturating_mul(2));
        let Some(chunks) = BodyPieces::of_inner_chunks(&joined) else {
            return;
        };
        let (bytes, inner) = as_it_is(chunks, asked.max_bytes);
        // If the layer has no end, or was cut at the requested length, its chunks have no end either.
        let outer = self
            .inside
            .as_ref()
            .map_or(ending, |decoded| decoded.ending);
        let ending = if outer == Ending::Complete {
            inner
        } else {
            outer
        };
        self.enter(Decoded {
            bytes: bytes.into_owned(),
            ending,
        });
        self.is_undeclared = true;
    }
}

/// READ-1: bytes that begin like zlib may be text. Ours: a checksum is checked, and what zlib gives must be text or coded.
fn is_undeclared(format: CodingFormat, decoded: &Decoded, read_as: ReadAs) -> bool {
    format != CodingFormat::Zlib
        || coding::magic(&decoded.bytes).is_some()
        || BodyText::classify(&decoded.bytes, read_as) != BodyText::Binary
}

/// Undoes codings from the last to the first: RFC 9110 8.4. `None` if one cannot be undone.
fn undo_all(codings: &[Coding], wire: &BodyPieces<'_>, asked: BodyAsked) -> Option<Layers> {
    let mut layers = Layers {
        inside: None,
        count: 0,
        is_undeclared: false,
    };
    layers.undo_chunks(wire, asked);
    for (remaining, declared) in codings.iter().enumerate().rev() {
        let layer = layers.innermost(wire);
        let start = layer.first_bytes(coding::SNIFFED_BYTES);
        let Some((formats, is_marked)) = declared.sniff(&start) else {
            continue;
        };
        if layers.count == MAX_CODINGS {
            return None;
        }
        // Ours: the compressed bytes between two codings are hardly longer than the payload; if longer than this, it is cut.
        let between = asked
            .max_bytes
            .saturating_mul(2)
            .saturating_add(1024 * 1024);
        let limit = if remaining == 0 {
            asked.max_bytes
        } else {
            between
        };
        match first_usable(formats, &layer, limit) {
            Ok(decoded) => {
                layers.enter(decoded);
                layers.count += 1;
                layers.undo_chunks(wire, asked);
            }
            // Ours: text that breaks the format was never in it, nor in the formats around it.
            Err(Ending::Damaged) if !is_marked && coding::is_text(&layer) => break,
            Err(_) => return None,
        }
    }
    Some(layers)
}

/// Returns the output of the first format that gives any, or how the last one failed.
fn first_usable(
    formats: &[CodingFormat],
    layer: &BodyPieces<'_>,
    limit: usize,
) -> Result<Decoded, Ending> {
    let mut ending = Ending::Damaged;
    let mut all = formats
        .iter()
        .map(|format| decoder::run(*format, layer.clone(), limit));
    let usable = all.find(|decoded| {
        ending = decoded.ending;
        decoded.is_usable()
    });
    usable.ok_or(ending)
}

/// Joins the pieces of a body that has no coding; a single one is not copied.
fn as_it_is(mut pieces: BodyPieces<'_>, max_bytes: usize) -> (Cow<'_, [u8]>, Ending) {
    let mut bytes = Cow::Borrowed(pieces.next().unwrap_or_default());
    while bytes.len() <= max_bytes
        && let Some(piece) = pieces.next()
    {
        let space = max_bytes.saturating_add(1) - bytes.len();
        bytes
            .to_mut()
            .extend_from_slice(piece.get(..space).unwrap_or(piece));
    }
    if bytes.len() > max_bytes {
        return (first_bytes(bytes, max_bytes), Ending::Longer);
    }
    let ending = pieces.ending();
    (bytes, ending)
}
