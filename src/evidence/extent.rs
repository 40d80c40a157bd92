//! Why an archive does not hold the whole body of a response.
//!
//! Documents: RULES FRAME-1 and FRAME-6; RFC 9110 14.4 (Content-Range), 15.3.7 (206), 8.6 (Content-Length); RFC 9112 6; WARC
//! 1.1, 5.13 (WARC-Truncated) and 5.16 (WARC-Segment-Number); RULES READ-5.
//! Example: a robots.txt with `Content-Length: 900` and 40 bytes in the archive may have closed everything in the missing part.
//! Ours: a response to HEAD is not recognised, because its request is another record; its empty body is short. Segments are not
//! joined: the first one is cut. Left out: the end of a body by its codings, see `body`.

use super::body::{declared, declares_chunked};
use super::fields::BodyFields;
use super::http_head::{HeadEnd, HttpHead};
use crate::archive::{ArchiveName, Kind, LengthProof, Record};
use crate::web::body_mark::{BodyMark, BodyMarks};
use memchr::memmem;
use std::borrow::Cow;

/// Common Crawl's archives before 2018 mark whole bodies up to this length as truncated by `length`.
const MARKED_WHOLE_BYTES: u64 = 500 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveMaker {
    CommonCrawl,
    /// The crawl of Common Crawl whose payloads have a line end before them (FRAME-6).
    LineEndFirst,
    Other,
}

impl ArchiveMaker {
    /// The crawl of August 2018.
    const LINE_END_FIRST: &str = "CC-MAIN-2018-34";

    pub fn of_name(name: &ArchiveName) -> Option<Self> {
        match name.crawl() {
            Some(Self::LINE_END_FIRST) => Some(Self::LineEndFirst),
            Some(_) | None => name.subset().map(|_| Self::CommonCrawl),
        }
    }

    pub fn of_info(block: &[u8]) -> Self {
        let names = [
            &b"CC-MAIN-"[..],
            b"commoncrawl",
            b"CommonCrawl",
            b"Common Crawl",
        ];
        let is_named = names.iter().any(|name| memmem::find(block, name).is_some());
        let is_first = |line: &[u8]| {
            let (name, value) = line
                .split_at_checked(b"ispartof:".len())
                .unwrap_or_default();
            name.eq_ignore_ascii_case(b"ispartof:")
                && value.trim_ascii() == Self::LINE_END_FIRST.as_bytes()
        };
        match is_named {
            true if block.split(|byte| *byte == b'\n').any(is_first) => Self::LineEndFirst,
            true => Self::CommonCrawl,
            false => Self::Other,
        }
    }

    /// Returns the payload of a block with a head: the bytes behind it, without the line end of that crawl.
    pub fn payload<'a>(self, block: &'a [u8], head: &HttpHead<'_>) -> &'a [u8] {
        let behind = block.get(head.body_start..).unwrap_or_default();
        match self {
            Self::LineEndFirst => behind.strip_prefix(b"\r\n").unwrap_or(behind),
            Self::CommonCrawl | Self::Other => behind,
        }
    }
}

/// Returns each reason why `body`, as it was sent, is not whole (READ-5).
pub fn marks(
    record: &Record<'_>,
    head: &HttpHead<'_>,
    fields: &BodyFields<'_>,
    (body, origin): (&[u8], ArchiveMaker),
) -> BodyMarks {
    let mut found = BodyMarks::default();
    // FRAME-11: its noes count, its yeses do not.
    if record.is_in_doubt {
        found.add(BodyMark::Damaged);
    }
    // The body of a revisit is elsewhere, and its record says that it is truncated.
    if record.kind == Kind::Revisit {
        return found;
    }
    if is_truncated(record, origin) {
        found.add(BodyMark::Truncated);
    }
    let is_false = record.length_proof == LengthProof::False && !is_padded(record, fields, body);
    if is_false || has_second_head(body) {
        found.add(BodyMark::Damaged);
    }
    if record.segment_number.is_some() {
        found.add(BodyMark::Segment);
    }
    let status = head.status;
    // Several parts, and a range without a total length, may not be everything.
    let is_everything =
        matches!(fields.content_ranges.as_slice(), [only] if range(only) == Some((0, true)));
    if status == Some(206) && !is_everything {
        found.add(BodyMark::PartialContent);
    }
    if matches!(status, Some(204 | 304)) || record.not_kept.body {
        return found;
    }
    let length = fields
        .content_lengths
        .iter()
        .filter_map(|value| length(value))
        .max();
    let body_bytes = record
        .length
        .saturating_sub((record.block.len() - body.len()) as u64);
    let is_coded = declares_chunked(fields) || !declared(fields).is_empty();
    // Line ends alone hold neither a chunk nor a coding.
    let is_empty =
        body_bytes == 0 || (body.len() as u64 == body_bytes && body.trim_ascii().is_empty());
    if is_empty && is_coded && length != Some(0) {
        found.add(BodyMark::Empty);
    } else if length.is_some_and(|length| length > body_bytes) && is_length_of_wire(fields, body) {
        found.add(BodyMark::Short);
    }
    found
}

/// Returns why an archive does not hold the whole of a resource, which has no HTTP head.
pub fn resource_marks(record: &Record<'_>, origin: ArchiveMaker) -> BodyMarks {
    let mut found = BodyMarks::default();
    for (mark, is_found) in [
        (BodyMark::Truncated, is_truncated(record, origin)),
        (BodyMark::Damaged, record.length_proof == LengthProof::False),
        (BodyMark::Segment, record.segment_number.is_some()),
    ] {
        if is_found {
            found.add(mark);
        }
    }
    found
}

/// FRAME-1: a block that ends before text that is not a record is not cut if the server declared the same length.
fn is_padded(record: &Record<'_>, fields: &BodyFields<'_>, body: &[u8]) -> bool {
    let is_body = |value: &Cow<'_, [u8]>| length(value) == Some(body.len() as u64);
    let is_said = !fields.content_lengths.is_empty() && fields.content_lengths.iter().all(is_body);
    record.block_is_whole && is_said && is_length_of_wire(fields, body)
}

/// Ours, READ-6: if another head follows one that is not known to precede a head, it is unknown which is meant, and its header
/// fields and body are not read.
pub fn has_second_head(body: &[u8]) -> bool {
    // A status line without a version may be text.
    let may_be = matches!(body, [b'H' | b'h', _, _, _, b'/', ..] | [b'I', ..]);
    may_be
        && HttpHead::parse(body).is_some_and(|head| {
            head.status.is_some()
                && (head.end == HeadEnd::BlankLine || head.fields().next().is_some())
        })
}

/// Notes on Common Crawl's writer: before 2018 its `length` says nothing about a short body.
fn is_truncated(record: &Record<'_>, origin: ArchiveMaker) -> bool {
    let Some(reason) = record.truncated else {
        return false;
    };
    let is_before_2018 = record
        .date
        .and_then(|date| date.get(..4))
        .is_some_and(|year| year < &b"2018"[..]);
    let is_marked_whole = origin != ArchiveMaker::Other
        && is_before_2018
        && record.length < MARKED_WHOLE_BYTES
        && reason.trim_ascii().eq_ignore_ascii_case(b"length");
    !is_marked_whole
}

/// RFC 9110 14.4: returns the first byte of a range such as `bytes 0-99/100`, and whether it goes to the end of the whole.
fn range(value: &[u8]) -> Option<(u64, bool)> {
    let (first, rest) = std::str::from_utf8(value)
        .ok()?
        .trim()
        .strip_prefix("bytes")?
        .split_once('-')?;
    let (last, total) = rest.split_once('/').unwrap_or_default();
    let [first, last, total] = [first, last, total].map(|number| number.trim().parse::<u64>().ok());
    let end = last.and_then(|last| last.checked_add(1));
    Some((first?, end.is_some() && end == total))
}

/// READ-14: whether a part may begin behind the first byte of the whole.
pub fn may_begin_later(head: &HttpHead<'_>, fields: &BodyFields<'_>) -> bool {
    let is_first = |value: &Cow<'_, [u8]>| range(value).is_some_and(|(first, _)| first == 0);
    head.status == Some(206)
        && (fields.content_ranges.is_empty() || !fields.content_ranges.iter().all(is_first))
}

/// Returns whether Content-Length counts the stored bytes: writers decode bodies, and some leave the field.
fn is_length_of_wire(fields: &BodyFields<'_>, body: &[u8]) -> bool {
    let is_sent_as_it_is = fields.transfer_encodings.is_empty() && !fields.is_undone;
    is_sent_as_it_is && super::body::bears(&declared(fields), body)
}

/// RFC 9110 8.6. Ours: of a list, the largest number counts.
fn length(value: &[u8]) -> Option<u64> {
    let number = |member: &[u8]| std::str::from_utf8(member).ok()?.trim().parse::<u64>().ok();
    value.split(|byte| *byte == b',').filter_map(number).max()
}
