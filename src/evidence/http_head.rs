//! The head of an HTTP response in a record: status and fields.
//!
//! Document: RFC 9112 2.2, 4 and 5, read leniently: an archive keeps what servers really send, and a head that a strict parser
//! refuses still states preferences. RULES READ-6: heads of interim responses, and of a proxy's answer to CONNECT, precede the
//! head. Example: `HTTP/1.1 200 OK`, `Content-Usage: train-ai=n`, an empty line, the body.
//! Left out: the version and the reason phrase, which are not needed; heads without a status line; the meaning of any field.
//! Names and values stay bytes.

use crate::web::lines::trim_blanks;
use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;

/// The bytes of a block in which its head must end. Ours: no document sets a limit; servers and browsers stop at 8 to 256 KiB.
pub const MAX_HEAD_BYTES: usize = 256 * 1024;

/// The bytes of one field value that are kept. Ours: no preference is this long, and a folded value must be copied.
pub const MAX_VALUE_BYTES: usize = 64 * 1024;

/// The head of a response, borrowed from its block; its fields are read on demand.
#[derive(Debug, Clone, Copy)]
pub struct HttpHead<'a> {
    /// The status code, 100 to 999; `None` if it does not have three such digits.
    pub status: Option<u16>,
    earlier: &'a [u8],
    lines: &'a [u8],
    /// The offset of the body in the block; its length if the head never ended.
    pub body_start: usize,
    pub end: HeadEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadEnd {
    BlankLine,
    /// The block, or [`MAX_HEAD_BYTES`], ended before the empty line.
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadField<'a> {
    /// The bytes before the first colon, without blanks at the ends; may be empty.
    pub name: &'a [u8],
    /// The bytes after it, without blanks at the ends, folded lines joined by a space.
    pub value: Cow<'a, [u8]>,
    /// Whether the value was longer than the kept part.
    pub extent: ValueExtent,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueExtent {
    #[default]
    Whole,
    /// Its beginning: of a value, if [`MAX_VALUE_BYTES`], or the end of the head, came first.
    Cut,
}

impl<'a> HttpHead<'a> {
    /// Reads the head at the start of `block`, and those that precede it; `None` if there is no status line.
    pub fn parse(block: &'a [u8]) -> Option<Self> {
        let scanned = block.get(..MAX_HEAD_BYTES).unwrap_or(block);
        let (mut head, mut may_precede) = Self::parse_one(scanned, 0, block.len())?;
        while may_precede
            && head.end == HeadEnd::BlankLine
            && let Some(next) = Self::parse_one(scanned, head.body_start, block.len())
        {
            (head, may_precede) = next;
        }
        Some(head)
    }

    /// Reads the head at `offset`, which ends inside `scanned` or at `length`; also returns whether it precedes another one, if
    /// there is one.
    fn parse_one(scanned: &'a [u8], offset: usize, length: usize) -> Option<(Self, bool)> {
        let (earlier, bytes) = scanned.split_at_checked(offset)?;
        // RFC 9112 2.2: an empty line before the start line is ignored.
        let start = bytes
            .iter()
            .position(|byte| !matches!(byte, b'\r' | b'\n'))?;
        let message = bytes.get(start..)?;
        if !starts_status_line(message) {
            return None;
        }
        let line_end = memchr(b'\n', message).map_or(message.len(), |lf| lf + 1);
        let (status_line, rest) = message.split_at_checked(line_end)?;
        let (lines, body) = split_at_empty_line(rest);
        let (body_start, end) = match body {
            Some(behind) => (offset + start + line_end + behind, HeadEnd::BlankLine),
            None => (length, HeadEnd::Missing),
        };
        let status = status(status_line);
        Some((
            Self {
                status,
                earlier,
                lines,
                body_start,
                end,
            },
            precedes(status, status_line),
        ))
    }

    /// Returns whether the head ended, and is that of a response and not only of an interim one (READ-6).
    pub fn is_final(&self) -> bool {
        self.end == HeadEnd::BlankLine && !matches!(self.status, Some(100 | 102..=199))
    }

    /// Finds the fields, with those of the heads before it.
    pub fn fields(&self) -> impl Iterator<Item = HeadField<'a>> + use<'a> {
        self.earlier_fields()
            .chain(header_lines(self.lines).filter_map(raw_field))
            .map(read_field)
    }

    /// Returns the fields of a proxy's answers to CONNECT before it, which are not the site's (READ-24).
    pub fn fields_of_proxies(&self) -> impl Iterator<Item = HeadField<'a>> + use<'a> {
        let mut is_of_proxy = false;
        let fields = header_lines(self.earlier).filter_map(move |line| {
            if starts_status_line(line.0) {
                is_of_proxy = status(line.0).is_some_and(|status| status >= 200);
                return None;
            }
            raw_field(line).filter(|(name, _)| is_of_proxy && !is_of_body(name))
        });
        fields.map(read_field)
    }

    /// Returns the fields, and `None` for each line of the last head that is not one: without a colon, or folded without a field
    /// before it.
    pub fn fields_and_other_lines(&self) -> impl Iterator<Item = Option<HeadField<'a>>> + use<'a> {
        let has_content = |(line, _): &HeaderLine<'_>| !line.trim_ascii().is_empty();
        let own = header_lines(self.lines).filter(has_content).map(raw_field);
        let all = self.earlier_fields().map(Some).chain(own);
        all.map(|raw| raw.map(read_field))
    }

    /// Finds the fields of the heads before it that count for it.
    fn earlier_fields(&self) -> impl Iterator<Item = RawField<'a>> + use<'a> {
        header_lines(self.earlier)
            .filter_map(raw_field)
            .filter(|(name, _)| !is_of_body(name))
    }
}

/// Returns whether a head precedes another one, if there is one (READ-6). RFC 9110 15.2: interim responses, except 101, which
/// another protocol follows. RFC 9110 9.3.6: a proxy's answer to CONNECT, recognised by its reason phrase, because any 2xx may
/// be such an answer.
fn precedes(status: Option<u16>, status_line: &[u8]) -> bool {
    const WORD: &[u8] = b"established";
    let line = status_line.trim_ascii_end();
    let last = line
        .get(line.len().saturating_sub(WORD.len())..)
        .unwrap_or_default();
    match status {
        Some(100 | 102..=199) => true,
        Some(200..=299) => last.eq_ignore_ascii_case(WORD),
        Some(_) | None => false,
    }
}

/// Returns the lines, each with the lines folded onto it: RFC 9112 5.2, `obs-fold`.
fn header_lines(mut rest: &[u8]) -> impl Iterator<Item = HeaderLine<'_>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr_iter(b'\n', rest)
            .find(|lf| !rest.get(lf + 1).is_some_and(|byte| is_blank(*byte)));
        let Some(lf) = end else {
            return Some((std::mem::take(&mut rest), ValueExtent::Cut));
        };
        let line = rest.get(..lf)?;
        rest = rest.get(lf + 1..)?;
        Some((line, ValueExtent::Whole))
    })
}

/// READ-6: in an earlier head, these fields are not about the body. Ours: all other fields that begin with `Content-` count,
/// because `Content-Usage` states a preference.
fn is_of_body(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [
        b"content-type",
        b"content-encoding",
        b"content-length",
        b"content-range",
        b"transfer-encoding",
    ];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A line with the lines folded onto it, without its line feed.
type HeaderLine<'a> = (&'a [u8], ValueExtent);

/// Ours: a line folded onto no field belongs to nothing (RFC 9112 2.2 allows to skip it), and lines folded onto a line without
/// a colon go with that line.
fn raw_field((line, extent): HeaderLine<'_>) -> Option<RawField<'_>> {
    if line.first().is_some_and(|byte| is_blank(*byte)) {
        return None;
    }
    let (name, rest) = line.split_at_checked(memchr2(b':', b'\n', line)?)?;
    Some((trim_blanks(name), (rest.strip_prefix(b":")?, extent)))
}

/// A name, and a value that may hold line ends and blanks.
type RawField<'a> = (&'a [u8], HeaderLine<'a>);

fn read_field((name, (value, extent)): RawField<'_>) -> HeadField<'_> {
    let value = match memchr(b'\n', value) {
        Some(_) => Cow::Owned(unfolded(value)),
        None => Cow::Borrowed(trimmed(value)),
    };
    let extent = if value.len() > MAX_VALUE_BYTES {
        ValueExtent::Cut
    } else {
        extent
    };
    HeadField {
        name,
        value: first_bytes(value, MAX_VALUE_BYTES),
        extent,
    }
}

/// Joins folded lines by one space each: RFC 9112 5.2. Empty ones add nothing.
fn unfolded(value: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    for part in value
        .split(|byte| *byte == b'\n')
        .map(trimmed)
        .filter(|part| !part.is_empty())
    {
        if !joined.is_empty() {
            joined.push(b' ');
        }
        joined.extend_from_slice(part);
        if joined.len() > MAX_VALUE_BYTES {
            break;
        }
    }
    joined
}

pub(super) fn first_bytes(bytes: Cow<'_, [u8]>, max: usize) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(all) => Cow::Borrowed(all.get(..max).unwrap_or(all)),
        Cow::Owned(mut all) => {
            all.truncate(max);
            Cow::Owned(all)
        }
    }
}

/// Splits before the first empty line; also returns the start of the line after it.
fn split_at_empty_line(bytes: &[u8]) -> (&[u8], Option<usize>) {
    let mut start = 0;
    for lf in memchr_iter(b'\n', bytes) {
        // Ours: RFC 9112 2.2 lets one CR go with the LF; some servers send more.
        let empty = |line: &[u8]| line.iter().all(|byte| *byte == b'\r');
        if bytes.get(start..lf).is_some_and(empty) {
            return (bytes.get(..start).unwrap_or(bytes), Some(lf + 1));
        }
        start = lf + 1;
    }
    (bytes, None)
}

/// Ours: RFC 9112 2.3 has upper-case `HTTP` and two digits; archives also hold `HTTP/2 200` and `http/1.1`, and radio servers
/// answer `ICY 200 OK`.
fn starts_status_line(message: &[u8]) -> bool {
    // Old servers write no version: `HTTP 200 Document follows`.
    let (name, rest) = message.split_at_checked(4).unwrap_or_default();
    name.eq_ignore_ascii_case(b"HTTP") && matches!(rest, [b'/' | b' ', ..]) || name == b"ICY "
}

/// Reads exactly three digits after the first blanks: RFC 9112 4, `status-code`.
fn status(line: &[u8]) -> Option<u16> {
    let blank = line.iter().position(|byte| is_blank(*byte))?;
    let code = trim_blanks(line.get(blank..)?);
    let digits = code.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let status = std::str::from_utf8(code.get(..3).filter(|_| digits == 3)?)
        .ok()?
        .parse()
        .ok()?;
    (status >= 100).then_some(status)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns a line without the carriage returns at its end, and then without the blanks around it.
fn trimmed(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    trim_blanks(line)
}
