//! The head of an HTTP response in a record: status and fields.
//!
//! Document: RFC 9112 2.2, 4 and 5, read leniently: an archive keeps what servers really send, and a head that a strict parser
//! refuses still states preferences. RULES READ-6: heads of interim responses, and of a proxy's answer to CONNECT, precede the
//! head. Example: `HTTP/1.1 200 OK`, `Content-Usage: train-ai=n`, an empty line, the body.
//! Left out: the version and the reason phrase, which are not needed; heads without a status line; the meaning of any field.
//! Names and values stay bytes.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use crate::web::lines::trim_blanks;

/// The bytes of a block in which its head must end.
///
/// Ours: no document sets a limit; servers and browsers stop at 8 to 256 KiB.
pub const MAX_HEAD_BYTES: usize = 256 * 1024;

/// The bytes of one field value that are kept. Ours: no preference is this long, and a folded value must be copied.
pub const MAX_VALUE_BYTES: usize = 64 * 1024;

/// The head of a response, borrowed from its block; its fields are read on demand.
#[derive(Debug, Clone, Copy)]
pub struct HttpHead<'a> {
    status: Option<u16>,
    earlier: &'a [u8],
    lines: &'a [u8],
    body_start: usize,
    end: HeadEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadEnd {
    /// The empty line was found.
    BlankLine,
    /// The block, or [`MAX_HEAD_BYTES`], ended before the empty line.
    Missing,
}

/// One field of a head; the bytes as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    /// The bytes before the first colon, without blanks at the ends; may be empty.
    pub name: &'a [u8],
    /// The bytes after it, without blanks at the ends, folded lines joined by a space.
    pub value: Cow<'a, [u8]>,
    /// Whether the value was longer than the kept part.
    pub extent: Extent,
}

/// Whether a value is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its beginning: [`MAX_VALUE_BYTES`], or the end of the head, came first.
    Cut,
}

impl<'a> HttpHead<'a> {
    /// Reads the head at the start of `block`, and those that precede it; `None` if there is no status line.
    pub fn parse(block: &'a [u8]) -> Option<Self> {
        let scanned = block.get(..MAX_HEAD_BYTES).unwrap_or(block);
        let (mut head, mut precedes) = Self::parse_one(scanned, 0, block.len())?;
        while precedes == Precedes::Another && head.end == HeadEnd::BlankLine {
            let Some((next, following)) = Self::parse_one(scanned, head.body_start, block.len()) else {
                break;
            };
            (head, precedes) = (next, following);
        }
        Some(head)
    }

    /// Reads the head at `offset`, which ends inside `scanned` or at `length`.
    fn parse_one(scanned: &'a [u8], offset: usize, length: usize) -> Option<(Self, Precedes)> {
        let (earlier, bytes) = scanned.split_at_checked(offset)?;
        // RFC 9112 2.2: an empty line before the start line is ignored.
        let start = bytes.iter().position(|byte| !is_line_end(*byte))?;
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
        let precedes = Precedes::of(status, status_line);
        Some((Self { status, earlier, lines, body_start, end }, precedes))
    }

    /// Returns the status code, 100 to 999; `None` if it does not have three such digits.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the offset of the body in the block; its length if the head never ended.
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// Returns how the head ended.
    pub fn end(&self) -> HeadEnd {
        self.end
    }

    /// Returns whether the head ended, and is that of a response and not only of an interim one (READ-6).
    pub fn is_final(&self) -> bool {
        self.end == HeadEnd::BlankLine && !matches!(self.status, Some(100 | 102..=199))
    }

    /// Returns the fields in order, including repeated ones.
    pub fn fields(&self) -> Fields<'a> {
        Fields { raw: self.raw_fields() }
    }

    /// Returns the fields called `name`, in order; case does not matter.
    pub fn fields_named<'n>(&self, name: &'n str) -> impl Iterator<Item = Field<'a>> + use<'a, 'n> {
        self.raw_fields()
            .filter(move |raw| raw.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(RawField::read)
    }

    /// Returns the values of every field called `name`, in order.
    pub fn values<'n>(&self, name: &'n str) -> impl Iterator<Item = Cow<'a, [u8]>> + use<'a, 'n> {
        self.fields_named(name).map(|field| field.value)
    }

    /// Returns the value of the first field called `name`.
    pub fn field(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.values(name).next()
    }

    /// Returns the values of every field called `name` as one list, RFC 9110 5.3.
    pub fn joined(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        let mut values = self.values(name);
        let mut joined = values.next()?;
        for value in values {
            let list = joined.to_mut();
            list.extend_from_slice(b", ");
            list.extend_from_slice(&value);
        }
        Some(joined)
    }

    /// Counts the lines that are not a field: without a colon, or folded without a field before them.
    pub fn lines_that_are_no_field(&self) -> u32 {
        let mut lines = RawFields { earlier: &[], rest: self.lines };
        let mut count = 0;
        while let Some(line) = lines.take_line() {
            if !line.bytes.trim_ascii().is_empty() && line.field().is_none() {
                count += 1;
            }
        }
        count
    }

    fn raw_fields(&self) -> RawFields<'a> {
        RawFields { earlier: self.earlier, rest: self.lines }
    }
}

/// Whether a head precedes another one (READ-6).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Precedes {
    /// It does, if another head follows.
    Another,
    Body,
}

impl Precedes {
    /// RFC 9110 15.2: interim responses, except 101, which another protocol follows. RFC 9110 9.3.6: a proxy's answer to
    /// CONNECT, recognised by its reason phrase, because any 2xx may be such an answer.
    fn of(status: Option<u16>, status_line: &[u8]) -> Self {
        let is_tunnel = || {
            const WORD: &[u8] = b"established";
            let line = status_line.trim_ascii_end();
            line.get(line.len().saturating_sub(WORD.len())..)
                .is_some_and(|end| end.eq_ignore_ascii_case(WORD))
        };
        match status {
            Some(100 | 102..=199) => Self::Another,
            Some(200..=299) if is_tunnel() => Self::Another,
            Some(_) | None => Self::Body,
        }
    }
}

/// The fields of a head, in order, with those of the heads before it.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    raw: RawFields<'a>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        self.raw.next().map(RawField::read)
    }
}

/// Finds the fields without reading their values.
#[derive(Debug, Clone)]
struct RawFields<'a> {
    earlier: &'a [u8],
    rest: &'a [u8],
}

impl<'a> RawFields<'a> {
    /// Takes one line with the lines folded onto it: RFC 9112 5.2, `obs-fold`.
    fn take_line(&mut self) -> Option<HeaderLine<'a>> {
        take_line(&mut self.rest)
    }
}

fn take_line<'a>(rest: &mut &'a [u8]) -> Option<HeaderLine<'a>> {
    if rest.is_empty() {
        return None;
    }
    let end = memchr_iter(b'\n', rest).find(|lf| !rest.get(lf + 1).is_some_and(|byte| is_blank(*byte)));
    let (bytes, following, extent) = match end {
        Some(lf) => (rest.get(..lf)?, rest.get(lf + 1..)?, Extent::Whole),
        None => (*rest, &[][..], Extent::Cut),
    };
    *rest = following;
    Some(HeaderLine { bytes, extent })
}

impl<'a> Iterator for RawFields<'a> {
    type Item = RawField<'a>;

    fn next(&mut self) -> Option<RawField<'a>> {
        while let Some(line) = take_line(&mut self.earlier) {
            if let Some(field) = line.field().filter(|field| !is_of_body(field.name)) {
                return Some(field);
            }
        }
        loop {
            if let Some(field) = self.take_line()?.field() {
                return Some(field);
            }
        }
    }
}

/// READ-6: in an earlier head, these fields are not about the body. Ours: all other fields that begin with `Content-` count,
/// because `Content-Usage` states a preference.
fn is_of_body(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] =
        [b"content-type", b"content-encoding", b"content-length", b"content-range", b"transfer-encoding"];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A line with the lines folded onto it, without its line feed.
struct HeaderLine<'a> {
    bytes: &'a [u8],
    extent: Extent,
}

impl<'a> HeaderLine<'a> {
    fn starts_with_blank(&self) -> bool {
        self.bytes.first().is_some_and(|byte| is_blank(*byte))
    }

    /// Ours: a line folded onto no field belongs to nothing (RFC 9112 2.2 allows to skip it), and lines folded onto a line
    /// without a colon go with that line.
    fn field(&self) -> Option<RawField<'a>> {
        if self.starts_with_blank() {
            return None;
        }
        let stop = memchr2(b':', b'\n', self.bytes)?;
        let (name, rest) = self.bytes.split_at_checked(stop)?;
        Some(RawField { name: trim_blanks(name), value: rest.strip_prefix(b":")?, extent: self.extent })
    }
}

/// A field whose value may hold line ends and blanks.
struct RawField<'a> {
    name: &'a [u8],
    value: &'a [u8],
    extent: Extent,
}

impl<'a> RawField<'a> {
    fn read(self) -> Field<'a> {
        let value = match memchr(b'\n', self.value) {
            Some(_) => Cow::Owned(unfolded(self.value)),
            None => Cow::Borrowed(trim_blanks(without_carriage_returns(self.value))),
        };
        let extent = if value.len() > MAX_VALUE_BYTES { Extent::Cut } else { self.extent };
        Field { name: self.name, value: first_bytes(value, MAX_VALUE_BYTES), extent }
    }
}

/// Joins folded lines by one space each: RFC 9112 5.2. Empty ones add nothing.
fn unfolded(value: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    for line in value.split(|byte| *byte == b'\n') {
        let part = trim_blanks(without_carriage_returns(line));
        if part.is_empty() {
            continue;
        }
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
    let http = message.get(..5);
    // Old servers write no version: `HTTP 200 Document follows`.
    let is_http =
        |start: &[u8]| [&b"HTTP/"[..], b"HTTP "].iter().any(|name| start.eq_ignore_ascii_case(name));
    http.is_some_and(is_http) || message.starts_with(b"ICY ")
}

/// Reads exactly three digits after the first blanks: RFC 9112 4, `status-code`.
fn status(line: &[u8]) -> Option<u16> {
    let blank = line.iter().position(|byte| is_blank(*byte))?;
    let digit = |byte: &u8| u16::from(byte.wrapping_sub(b'0'));
    match trim_blanks(line.get(blank..)?) {
        [_, _, _, b'0'..=b'9', ..] => None,
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', ..] => {
            Some(digit(a) * 100 + digit(b) * 10 + digit(c))
        }
        _ => None,
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn without_carriage_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}
