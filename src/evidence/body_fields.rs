//! The header fields that say what a body is and how it was sent, found in one pass over the head.
//!
//! Document: RFC 9110 8 (representation data), RFC 9112 6 (message body); RULES READ-1, READ-5 and READ-7.
//! Example: `Content-Encoding: gzip` names a coding; `X-Crawler-Content-Encoding: gzip` says that the archive's writer
//! undid one, so that a Content-Length beside it may count other bytes than the stored ones.
//! Left out: what the values mean, which `body`, `extent` and `page_type` say.

use super::http_head::{Field, HttpHead};
use crate::web::field::RENAMED;
use std::borrow::Cow;

/// The values of the fields of each name, in their order.
#[derive(Debug, Default)]
pub struct BodyFields<'a> {
    /// Content-Type.
    pub content_types: Vec<Cow<'a, [u8]>>,
    /// Content-Encoding.
    pub content_encodings: Vec<Cow<'a, [u8]>>,
    /// Transfer-Encoding.
    pub transfer_encodings: Vec<Cow<'a, [u8]>>,
    /// Content-Length.
    pub content_lengths: Vec<Cow<'a, [u8]>>,
    /// Content-Range.
    pub content_ranges: Vec<Cow<'a, [u8]>>,
    /// Whether the archive's writer undid a coding.
    pub undone: Undone,
}

/// Whether an archive's writer undid a coding of a body, by the fields that it renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undone {
    /// Nothing says so.
    #[default]
    Unknown,
    /// A field that names a coding was renamed.
    Renamed,
}

impl<'a> BodyFields<'a> {
    /// Returns the fields of a head.
    pub fn of(head: &HttpHead<'a>) -> Self {
        let mut found = Self::default();
        for field in head.fields() {
            found.take(&field);
        }
        found
    }

    /// Takes a field, if it is one of these.
    pub fn take(&mut self, field: &Field<'a>) {
        let is = |known: &[u8]| field.name.eq_ignore_ascii_case(known);
        let values = match field.name.first() {
            Some(b'c' | b'C') if is(b"content-type") => &mut self.content_types,
            Some(b'c' | b'C') if is(b"content-encoding") => &mut self.content_encodings,
            Some(b'c' | b'C') if is(b"content-length") => &mut self.content_lengths,
            Some(b'c' | b'C') if is(b"content-range") => &mut self.content_ranges,
            Some(b't' | b'T') if is(b"transfer-encoding") => &mut self.transfer_encodings,
            Some(b'x' | b'X') if is_renamed(field.name, &[b"content-encoding", b"transfer-encoding"]) => {
                self.undone = Undone::Renamed;
                return;
            }
            // READ-5: it still counts the bytes that were sent.
            Some(b'x' | b'X') if is_renamed(field.name, &[b"content-length"]) => &mut self.content_lengths,
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
