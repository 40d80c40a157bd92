//! The data that is kept of a record.
//!
//! How much of a record is read is its depth: `scan --depth no-meta` reads an archive to the depth `no_meta`, and a later `scan`
//! reads it again, deeper.

use super::fields::Fields;
use crate::archive::{Damage, Format, Place, Unread};
use crate::web::url::PageUrl;
use crate::web::{
    body_mark::BodyMarks, capture_kind::CaptureKind, host::HostParts, names::names, timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The result of reading a record.
#[allow(clippy::large_enum_variant)] // a box would be an allocation per capture
pub enum Reading<'a> {
    /// An HTTP response or revisit.
    Capture(Capture<'a>),
    /// A record that does not state preferences.
    NoInterest,
    /// A record that cannot be used.
    Lost(Damage),
}

/// The types of records that are captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordType {
    Response,
    /// A response whose body is stored elsewhere or had not changed.
    Revisit,
}

names! { RecordType { Response => "response", Revisit => "revisit" } }

/// The requested URL.
pub enum Target<'a> {
    /// A URL of the web, and the parts of its host's name.
    Url(PageUrl<'a>, &'a HostParts),
    /// Text that is not a URL.
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

/// The body of a site file.
pub struct Body<'a> {
    /// SHA-1 of `bytes`.
    pub digest: [u8; 20],
    /// The decoded body or its beginning.
    pub bytes: Cow<'a, [u8]>,
    /// Why it is not whole, and how it was decoded.
    pub marks: BodyMarks,
}

/// The data that is kept of a capture.
pub struct Capture<'a> {
    /// Its place, for a WAT in the archive that the WAT describes.
    pub place: Place,
    /// The format of the archive that was read.
    pub format: Format,
    /// The requested URL.
    pub target: Target<'a>,
    /// WARC-Record-ID.
    pub record_id: Option<&'a [u8]>,
    pub record_type: RecordType,
    /// WARC-Date.
    pub fetched_at: Option<Timestamp>,
    /// HTTP status.
    pub status: Option<u16>,
    /// The target of a 3xx answer.
    pub redirect: Option<String>,
    /// Media type, in lower case.
    pub media_type: Option<String>,
    /// WARC-Payload-Digest.
    pub payload_digest: Option<&'a [u8]>,
    /// Bytes behind the HTTP head.
    pub payload_bytes: u64,
    /// WARC-Truncated.
    pub truncated: Option<&'a [u8]>,
    /// Page or site file.
    pub kind: CaptureKind,
    /// The body, for a site file.
    pub body: Option<Body<'a>>,
    /// Why a body is not whole, and how it was decoded, even if none of it is kept.
    pub body_marks: BodyMarks,
    /// How much of the record was read.
    pub depth: Depth,
    /// The carriers that could not be read in full.
    pub unread: Unread,
    /// Header fields, metas, licence links and RSL scripts.
    pub fields: &'a Fields,
    /// The defects of the record.
    pub notes: Vec<Damage>,
}

/// How much of each record is read; the last is the deepest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The heads of records and the HTTP heads of pages; every HTML page says so in `unread`.
    HeadsNoMeta,
    /// Everything but the HTML heads of pages; every HTML page says so in `unread`.
    NoMeta,
    /// The heads of records, and the HTTP and HTML heads of pages; the bytes behind are not checked.
    Heads,
    /// Everything.
    Full,
}

names! { Depth { HeadsNoMeta => "heads_no_meta", NoMeta => "no_meta", Heads => "heads", Full => "full" } }

impl Depth {
    /// Returns whether records are inflated only as far as needed.
    pub fn skips_bodies(self) -> bool {
        matches!(self, Self::HeadsNoMeta | Self::Heads)
    }
}
