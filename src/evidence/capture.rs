//! The data that is kept of a record.
//!
//! How much of a record is read is its depth: `scan --depth no-meta` reads an archive to the depth `no_meta`, and a later `scan`
//! reads it again, deeper.

use super::fields::Fields;
use super::stated_digest::names_an_original;
use crate::archive::{Damage, Record, Unread};
use crate::web::url::PageUrl;
use crate::web::{
    body_mark::BodyMarks, capture_kind::CaptureKind, host::HostParts, names::names,
    timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[allow(clippy::large_enum_variant)] // a box would be an allocation per capture
pub enum Reading<'a> {
    Capture(Capture<'a>),
    /// A record that does not state preferences.
    NoInterest,
    Lost(Damage),
}

names! {
    /// The types of records that are captures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RecordType {
        Response => "response",
        /// A response whose body is stored elsewhere or had not changed.
        Revisit => "revisit",
        /// A file or page that a tool stored without a server's answer (KNOW-3).
        Resource => "resource",
    }
}

impl RecordType {
    /// Returns whether a record has the body of a file, or may confirm that of an older answer: one of success, what a tool
    /// stored, and 304 (RFC 9110 15.4.5) unless it is the answer itself, which has no body.
    pub fn may_have_file(self, status: Option<u16>) -> bool {
        match status {
            Some(200..=299) => true,
            Some(304) => self != Self::Response,
            Some(_) => false,
            None => self == Self::Resource,
        }
    }
}

pub enum Target<'a> {
    /// A URL of the web, and the parts of its host's name.
    Url(PageUrl<'a>, &'a HostParts),
    Unreadable(Cow<'a, str>),
}

impl Target<'_> {
    /// Returns it as text, the column `url`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Url(url, _) => url.as_str(),
            Self::Unreadable(text) => text,
        }
    }
}

pub struct Body<'a> {
    /// SHA-1 of `bytes`.
    pub digest: [u8; 20],
    /// The decoded body or its beginning.
    pub bytes: Cow<'a, [u8]>,
    /// Why it is not whole, and how it was decoded.
    pub marks: BodyMarks,
}

pub struct Capture<'a> {
    pub record: Record<'a>,
    pub target: Target<'a>,
    pub record_type: RecordType,
    /// WARC-Date.
    pub fetched_at: Option<Timestamp>,
    pub status: Option<u16>,
    /// The target of a 3xx answer.
    pub redirect: Option<String>,
    /// Media type, in lower case.
    pub media_type: Option<String>,
    pub payload_bytes: u64,
    pub kind: CaptureKind,
    /// The body, for a site file.
    pub body: Option<Body<'a>>,
    /// Why a body is not whole, and how it was decoded, even if none of it is kept.
    pub body_marks: BodyMarks,
    /// Digests of a site file's payload, beside that of its body, by which a revisit may name it.
    pub payload_digests: Vec<String>,
    /// `ETag` of a site file's answer, else its Last-Modified.
    pub validator: Option<String>,
    pub depth: Depth,
    /// The carriers that could not be read in full.
    pub unread: Unread,
    /// Header fields, metas, licence links and RSL scripts.
    pub fields: &'a Fields,
    pub notes: Vec<Damage>,
}

impl<'a> Capture<'a> {
    /// Returns the record of a revisit, which may name the one whose body it has; a date that cannot be read names none.
    pub fn referral(&self) -> Option<&Record<'a>> {
        let is_dated = |record: &Record<'_>| {
            record
                .refers_to_date
                .is_none_or(|date| Timestamp::new(date).is_some())
        };
        Some(&self.record)
            .filter(|record| self.record_type == RecordType::Revisit && is_dated(record))
    }

    /// Returns whether it is a revisit that has nothing of its original, although it says which one it may be: a page, or a site file
    /// whose original was not found in its archive.
    pub fn lacks_its_original(&self) -> bool {
        let lacks = self.kind == CaptureKind::Page || self.unread.body;
        lacks && self.record_type == RecordType::Revisit && names_an_original(&self.record)
    }
}

names! {
    /// How much of each record is read; the last is the deepest.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Depth {
        /// The heads of records and the HTTP heads of pages; every HTML page says so in `unread`.
        HeadsNoMeta => "heads_no_meta",
        /// Everything but the HTML heads of pages; every HTML page says so in `unread`.
        NoMeta => "no_meta",
        /// The heads of records, and the HTTP and HTML heads of pages; the bytes behind are not checked.
        Heads => "heads",
        Full => "full",
    }
}

impl Depth {
    pub fn skips_bodies(self) -> bool {
        matches!(self, Self::HeadsNoMeta | Self::Heads)
    }
}

#[cfg(test)]
mod tests {
    use super::RecordType;

    #[test]
    fn rfc9110_15_4_5_a_304_has_no_file_of_its_own_and_a_revisit_with_it_may_confirm_one() {
        for (status, expected) in [
            (Some(200), [true; 3]),
            (Some(299), [true; 3]),
            (Some(304), [false, true, true]),
            (Some(301), [false; 3]),
            (Some(404), [false; 3]),
            (None, [false, false, true]),
        ] {
            let found = RecordType::ALL.map(|record_type| record_type.may_have_file(status));
            assert_eq!(found, expected, "{status:?}");
        }
    }
}
