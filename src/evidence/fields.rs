//! The fields of one record: header fields and metas, uninterpreted.
//!
//! Also the header fields that say what a body is, how it was sent and which version it is, found in one pass over the head.
//! Document: RFC 9110 8 (representation data, validators), RFC 9112 6 (message body); RULES READ-1, READ-5 and READ-7.
//! Example: `Content-Encoding: gzip` names a coding; `X-Crawler-Content-Encoding: gzip` says that the archive's writer undid
//! one, so a Content-Length beside it may not count the stored bytes.
//! Left out: the meaning of the values (`body`, `extent`).
//!
//! The type of a page follows from Content-Type (RFC 9110 8.3; WHATWG MIME Sniffing; RULES READ-7 and -8): two fields `text/plain`
//! and `text/html` are HTML.

use super::http_head::{HeadField, HttpHead, ValueExtent};
use super::noise::is_noise;
use crate::web::field::{Carrier, Field, RENAMED};
use crate::web::{media_type::essence, shown::shown};
use std::borrow::Cow;

/// The longest value that is kept, in bytes.
const VALUE_BYTES: usize = 64 << 10;

/// The longest name that is kept, in bytes as received; longer ones are cut.
const NAME_BYTES: usize = 1 << 10;

/// The most fields of a record that are kept, and the most bytes of names and values.
const FIELDS: usize = 4096;
const FIELDS_BYTES: usize = 512 << 10;

/// The fields of one record, kept between records to save allocations.
#[derive(Default)]
pub struct Fields {
    names: String,
    values: Vec<u8>,
    /// For each field its carrier, and the ends of its name and value.
    ends: Vec<(Carrier, usize, usize)>,
}

impl Fields {
    pub fn clear(&mut self) {
        self.names.clear();
        self.values.clear();
        self.ends.clear();
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn is_full(&self) -> bool {
        self.ends.len() >= FIELDS
    }

    /// Drops all fields except the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        let (names, values) = self
            .ends
            .last()
            .map_or((0, 0), |(_, names, values)| (*names, *values));
        self.names.truncate(names);
        self.values.truncate(values);
    }

    /// Adds a field, unless its name is on the noise list. It is cut or left out if the record has more fields than are kept.
    pub fn push(&mut self, carrier: Carrier, name: &[u8], value: &[u8]) -> ValueExtent {
        let (start, is_named_whole) = (self.names.len(), name.len() <= NAME_BYTES);
        self.names
            .push_str(&shown(name.get(..NAME_BYTES).unwrap_or(name)));
        let name = self.names.get_mut(start..).unwrap_or_default();
        name.make_ascii_lowercase();
        let noise = is_noise(carrier, name);
        let kept_value = value.get(..VALUE_BYTES).unwrap_or(value);
        let is_full = self.is_full()
            || self.names.len() + self.values.len() + kept_value.len() > FIELDS_BYTES;
        if noise || is_full {
            self.names.truncate(start);
            return if noise {
                ValueExtent::Whole
            } else {
                ValueExtent::Cut
            };
        }
        self.values.extend_from_slice(kept_value);
        self.ends
            .push((carrier, self.names.len(), self.values.len()));
        // Ours: a meta as long as the limit counts as cut, because evidence keeps longer ones cut to it.
        let is_whole =
            value.len() < VALUE_BYTES || carrier == Carrier::Header && value.len() == VALUE_BYTES;
        if is_whole && is_named_whole {
            ValueExtent::Whole
        } else {
            ValueExtent::Cut
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        self.ends.iter().scan(
            (0, 0),
            |(name_start, value_start), (carrier, name_end, value_end)| {
                let field = Field {
                    carrier: *carrier,
                    name: self.names.get(*name_start..*name_end).unwrap_or_default(),
                    value: self
                        .values
                        .get(*value_start..*value_end)
                        .unwrap_or_default(),
                };
                (*name_start, *value_start) = (*name_end, *value_end);
                Some(field)
            },
        )
    }
}

/// The values of the fields of each name, in their order.
#[derive(Debug, Default)]
pub struct BodyFields<'a> {
    pub content_types: Vec<Cow<'a, [u8]>>,
    pub content_encodings: Vec<Cow<'a, [u8]>>,
    pub transfer_encodings: Vec<Cow<'a, [u8]>>,
    pub content_lengths: Vec<Cow<'a, [u8]>>,
    pub content_ranges: Vec<Cow<'a, [u8]>>,
    /// The first `ETag`.
    pub etag: Option<Cow<'a, [u8]>>,
    /// The first `Last-Modified`.
    pub last_modified: Option<Cow<'a, [u8]>>,
    /// The first `Location`.
    pub location: Option<Cow<'a, [u8]>>,
    /// Whether the archive's writer undid a coding: it renamed a field that names one.
    pub is_undone: bool,
}

impl<'a> BodyFields<'a> {
    pub fn from_head(head: &HttpHead<'a>) -> Self {
        let mut found = Self::default();
        for field in head.fields() {
            found.take(&field);
        }
        found
    }

    pub fn take(&mut self, field: &HeadField<'a>) {
        let is = |known: &[u8]| field.name.eq_ignore_ascii_case(known);
        let values = match field.name.first() {
            Some(b'c' | b'C') if is(b"content-type") => &mut self.content_types,
            Some(b'c' | b'C') if is(b"content-encoding") => &mut self.content_encodings,
            Some(b'c' | b'C') if is(b"content-length") => &mut self.content_lengths,
            Some(b'c' | b'C') if is(b"content-range") => &mut self.content_ranges,
            Some(b'e' | b'E') if is(b"etag") => {
                self.etag.get_or_insert_with(|| field.value.clone());
                return;
            }
            Some(b'l' | b'L') if is(b"last-modified") => {
                self.last_modified
                    .get_or_insert_with(|| field.value.clone());
                return;
            }
            Some(b'l' | b'L') if is(b"location") => {
                self.location.get_or_insert_with(|| field.value.clone());
                return;
            }
            Some(b't' | b'T') if is(b"transfer-encoding") => &mut self.transfer_encodings,
            Some(b'x' | b'X')
                if is_renamed(field.name, &[b"content-encoding", b"transfer-encoding"]) =>
            {
                self.is_undone = true;
                return;
            }
            // READ-5: it still counts the bytes that were sent.
            Some(b'x' | b'X') if is_renamed(field.name, &[b"content-length"]) => {
                &mut self.content_lengths
            }
            _ => return,
        };
        values.push(field.value.clone());
    }
}

fn is_renamed(name: &[u8], fields: &[&[u8]]) -> bool {
    RENAMED.iter().any(|prefix| {
        let (start, rest) = name.split_at_checked(prefix.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(prefix.as_bytes())
            && fields.iter().any(|field| rest.eq_ignore_ascii_case(field))
    })
}

/// The type of a page by its Content-Type, and by its body if that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageType {
    /// No type is named: the body decides.
    Unknown,
    /// Something without metas.
    Other,
    /// XML, which is XHTML if its root says so.
    Xml,
    Html,
    Xhtml,
    /// Both HTML and a kind of XML, or XML that is not declared to be XML.
    HtmlAndXml,
}

impl PageType {
    /// Returns the type of a page; if there are several values, one that may have metas (READ-7).
    pub fn from_fields(fields: &BodyFields<'_>) -> Self {
        let members = fields
            .content_types
            .iter()
            .flat_map(|value| value.split(|byte| *byte == b','));
        let types = members
            .filter_map(essence)
            .map(|essence| Self::named(&essence));
        types.reduce(Self::and).unwrap_or(Self::Unknown)
    }

    fn named(essence: &str) -> Self {
        match essence {
            // The second: parts of a page of any type.
            "text/html" | "multipart/byteranges" => Self::Html,
            "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Self::Xhtml,
            "application/xml" | "text/xml" => Self::Xml,
            // WHATWG MIME Sniffing: types that say nothing.
            "*/*" | "unknown/unknown" | "application/unknown" => Self::Unknown,
            other if other.ends_with("+xml") => Self::Xml,
            _ => Self::Other,
        }
    }

    /// Ours: a page named both HTML and a kind of XML is read as both.
    fn and(self, other: Self) -> Self {
        match (self.min(other), self.max(other)) {
            (Self::Xml, Self::Html) | (Self::Html, Self::Xhtml) => Self::HtmlAndXml,
            (_, more) => more,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyFields, Fields, HttpHead, NAME_BYTES, PageType, ValueExtent};
    use crate::web::field::Carrier;

    #[test]
    fn read_7_any_value_that_is_html_counts() {
        for (lines, expected) in [
            ("", PageType::Unknown),
            ("Content-Type: text/html", PageType::Html),
            (
                "Content-Type: text/plain\r\nContent-Type: Text/HTML",
                PageType::Html,
            ),
            (
                "Content-Type: text/plain, text/html; charset=utf-8",
                PageType::Html,
            ),
            (
                "Content-Type: html\r\nContent-Type: application/xhtml+xml",
                PageType::Xhtml,
            ),
            (
                "Content-Type: text/html, application/xml",
                PageType::HtmlAndXml,
            ),
            ("Content-Type: application/rss+xml", PageType::Xml),
            (
                "Content-Type: application/vnd.wap.xhtml+xml;charset=utf-8",
                PageType::Xhtml,
            ),
            ("Content-Type: */*", PageType::Unknown),
            (
                "Content-Type: unknown/unknown\r\nContent-Type: ,",
                PageType::Unknown,
            ),
            (
                "Content-Type: application/unknown\r\nContent-Type: image/png",
                PageType::Other,
            ),
            ("Content-Type: text/plain; a=text/html", PageType::Other),
        ] {
            let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\n");
            let head = HttpHead::parse(block.as_bytes()).expect("a status line");
            assert_eq!(
                PageType::from_fields(&BodyFields::from_head(&head)),
                expected,
                "{lines}"
            );
        }
    }

    #[test]
    fn local_fields_keep_their_order_and_repeats_and_noise_is_left_out() {
        let mut fields = Fields::default();
        fields.push(Carrier::Header, b"X-Robots-Tag", b"noindex");
        fields.push(Carrier::Header, b"Date", b"today");
        fields.push(Carrier::Header, b"x-robots-tag", b"caf\xe9");
        fields.push(Carrier::Meta, b"og:title", b"t");
        fields.push(Carrier::Meta, b"Robots", b"");
        let found: Vec<_> = fields
            .iter()
            .map(|field| (field.carrier, field.name, field.value))
            .collect();
        assert_eq!(
            found,
            [
                (Carrier::Header, "x-robots-tag", &b"noindex"[..]),
                (Carrier::Header, "x-robots-tag", b"caf\xe9"),
                (Carrier::Meta, "robots", b""),
            ]
        );
    }

    #[test]
    fn local_a_name_that_is_cut_is_said_to_be() {
        let mut fields = Fields::default();
        for (bytes, kept) in [
            (NAME_BYTES, ValueExtent::Whole),
            (NAME_BYTES + 1, ValueExtent::Cut),
        ] {
            assert_eq!(
                fields.push(
                    Carrier::Meta,
                    "a,".repeat(NAME_BYTES).split_at(bytes).0.as_bytes(),
                    b"noai"
                ),
                kept
            );
        }
    }
}
