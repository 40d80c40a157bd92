//! The head of a WARC record: version line and named fields.
//!
//! Document: ISO 28500 / WARC 1.1, section 4: `version CRLF *named-field CRLF`.
//! Example: `WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 43\r\n\r\n`.
//! Ours: lines may end in LF alone, blanks may be before the colon, names are compared without case in every version, and a
//! line without a colon is passed over; such a head is not [`Head::is_strict`], and the archive's row counts it. Values stay
//! bytes. Only folded values are copied.

use crate::web::lines::{offset_in, split_once};
use crate::web::steps;

#[derive(Clone, Copy)]
struct Span {
    name: (usize, usize),
    value: (usize, usize),
    folded: bool,
}

/// The places of a head's fields, kept between records to save allocations.
#[derive(Default)]
pub struct HeadFields {
    spans: Vec<Span>,
    /// The values of folded fields, lines joined with one blank.
    folded: Vec<u8>,
    strict: bool,
}

/// A record's head.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    bytes: &'a [u8],
    fields: &'a HeadFields,
}

impl HeadFields {
    /// Reads the head in `bytes`, including the empty line that ends it.
    pub fn read(&mut self, bytes: &[u8]) {
        self.spans.clear();
        self.folded.clear();
        self.strict = true;
        let mut at = self.next_line(bytes, 0).1;
        while at < bytes.len() {
            let (line_end, next) = self.next_line(bytes, at);
            self.read_line(bytes, at, line_end);
            at = next;
        }
    }

    /// Returns the end of the line at `at` without its line end, and the start of the next line.
    fn next_line(&mut self, bytes: &[u8], at: usize) -> (usize, usize) {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(length) = memchr::memchr(b'\n', rest) else {
            return (bytes.len(), bytes.len());
        };
        let has_cr = length > 0 && rest.get(length - 1) == Some(&b'\r');
        self.strict &= has_cr;
        (at + length - usize::from(has_cr), at + length + 1)
    }

    fn read_line(&mut self, bytes: &[u8], start: usize, end: usize) {
        let line = bytes.get(start..end).unwrap_or_default();
        if let [b' ' | b'\t', ..] = line {
            return self.fold(bytes, line);
        }
        let Some((before, value)) = split_once(line, b':') else {
            self.strict &= line.is_empty();
            return;
        };
        let name = before.trim_ascii();
        self.strict &= name.len() == before.len() && !name.is_empty();
        let place = |part: &[u8]| {
            let from = offset_in(bytes, part);
            (from, from + part.len())
        };
        self.spans.push(Span {
            name: place(name),
            value: place(value.trim_ascii()),
            folded: false,
        });
    }

    /// WARC 1.1, section 4: a field value may go on in a line that starts with a blank. Only the last field grows, so its
    /// value is at the end of `folded` and is copied once.
    fn fold(&mut self, bytes: &[u8], line: &[u8]) {
        self.strict = false;
        let Some(span) = self.spans.last_mut() else {
            return;
        };
        if !span.folded {
            let value = slice(bytes, span.value);
            span.value.0 = self.folded.len();
            span.folded = true;
            steps::count(value.len());
            self.folded.extend_from_slice(value);
        }
        let part = line.trim_ascii();
        steps::count(line.len());
        if !part.is_empty() && self.folded.len() > span.value.0 {
            self.folded.push(b' ');
        }
        self.folded.extend_from_slice(part);
        span.value.1 = self.folded.len();
    }
}

impl<'a> Head<'a> {
    /// Makes the head in `bytes`, whose fields have been read.
    pub fn new(bytes: &'a [u8], fields: &'a HeadFields) -> Self {
        Self { bytes, fields }
    }

    /// Returns the version line's text after `WARC/`.
    pub fn version(&self) -> &'a [u8] {
        let line = self
            .bytes
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        line.split_at_checked(5)
            .map_or(line, |(_, version)| version)
            .trim_ascii()
    }

    /// Returns every field in order: its name as written, and its value without outer blanks.
    pub fn fields(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let Self { bytes, fields } = *self;
        fields.spans.iter().map(move |span| {
            let values = if span.folded {
                fields.folded.as_slice()
            } else {
                bytes
            };
            (slice(bytes, span.name), slice(values, span.value))
        })
    }

    /// Returns the value of the first field called `name`, compared without case.
    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.fields()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns whether WARC-Type is `name`, compared without case.
    pub fn is_type(&self, name: &[u8]) -> bool {
        self.field(b"warc-type")
            .is_some_and(|value| value.eq_ignore_ascii_case(name))
    }

    /// Returns Content-Length, if it exists and consists of digits only.
    pub fn content_length(&self) -> Option<u64> {
        self.field(b"content-length").and_then(number)
    }

    /// Returns whether the head is written as the document says, without our leniency.
    pub fn is_strict(&self) -> bool {
        self.fields.strict
    }
}

fn slice(bytes: &[u8], (from, to): (usize, usize)) -> &[u8] {
    bytes.get(from..to).unwrap_or_default()
}

/// Reads a number that consists of digits only.
pub fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| digits.iter().all(u8::is_ascii_digit))?
        .parse()
        .ok()
}

/// Returns the offset behind the empty line that ends the head at the start of `text`, searching from `from` on.
pub fn end_of_head(text: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', text.get(from..)?)
        .map(|at| from + at + 1)
        .find_map(|next| match text.get(next..)? {
            [b'\n', ..] => Some(next + 1),
            [b'\r', b'\n', ..] => Some(next + 2),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use super::{Head, HeadFields, end_of_head};

    fn read(text: &str, check: impl Fn(Head<'_>)) {
        let mut fields = HeadFields::default();
        fields.read(text.as_bytes());
        check(Head::new(text.as_bytes(), &fields));
    }

    #[test]
    fn warc_1_1_4_repeated_fields_are_kept_in_order() {
        read(
            "WARC/1.0\r\nWARC-Protocol: h2\r\nwarc-protocol:tls/1.3\r\n\r\n",
            |head| {
                let all: Vec<_> = head.fields().map(|(_, value)| value).collect();
                assert_eq!(all, [&b"h2"[..], b"tls/1.3"]);
                assert_eq!(head.version(), b"1.0");
                assert!(head.is_strict());
            },
        );
    }

    #[test]
    fn warc_1_1_4_folded_values_are_joined() {
        read(
            "WARC/1.1\r\nA: one\r\n\ttwo\r\n  three\r\nContent-Length: \r\n 7\r\n\r\n",
            |head| {
                assert_eq!(head.field(b"a"), Some(&b"one two three"[..]));
                assert_eq!(head.content_length(), Some(7));
            },
        );
    }

    #[test]
    fn local_a_content_length_is_digits_alone() {
        let wrong = ["+43", "-1", "", "18446744073709551616"].map(|value| (value, None));
        for (value, length) in wrong
            .into_iter()
            .chain([("43", Some(43)), ("43 ", Some(43))])
        {
            read(
                &format!("WARC/1.0\r\nContent-Length: {value}\r\n\r\n"),
                |head| {
                    assert_eq!(head.content_length(), length, "{value:?}");
                },
            );
        }
    }

    #[test]
    fn wild_lf_only_and_blanks_in_names_are_read_and_not_strict() {
        read(
            "WARC/1.0\nWARC-Type : \tresponse \nno colon\nBad Name: x\nWARC-Date: d\n\n",
            |head| {
                assert!(head.is_type(b"response"));
                assert_eq!(head.field(b"bad name"), Some(&b"x"[..]));
                assert_eq!(head.field(b"warc-date"), Some(&b"d"[..]));
                assert!(!head.is_strict());
            },
        );
    }

    #[test]
    fn warc_1_1_4_the_head_ends_with_an_empty_line() {
        assert_eq!(end_of_head(b"WARC/1.0\r\nA: b\r\n\r\nrest", 0), Some(18));
        assert_eq!(end_of_head(b"WARC/1.0\nA: b\n\nrest", 0), Some(15));
        assert_eq!(end_of_head(b"WARC/1.0\r\nA: b\r\n\r", 0), None);
    }
}
