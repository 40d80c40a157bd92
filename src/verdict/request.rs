//! A request for a site file with its answer, its body, and the place of its record.
//!
//! Example: the request for `https://a.example/robots.txt` of 1 September, which was answered 301. Left out: the captures by
//! origin and time (`site_captures`).

use super::timeline::{BodyState, FetchOutcome, Validator};
use crate::robots::Extent;
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, timestamp::Timestamp};

/// The place of a record in an archive, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordLocation {
    pub warc_filename: Option<String>,
    /// The byte at which the record starts.
    pub warc_record_offset: Option<u64>,
    /// Its length in the archive, in bytes.
    pub warc_record_length: Option<u64>,
}

/// A request for a site file, or for the target of a robots.txt redirect.
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind that the body is read as.
    pub kind: CaptureKind,
    pub url: PageUrl<'static>,
    pub fetched_at: Option<Timestamp>,
    pub answer: FetchOutcome,
    pub redirect: Option<String>,
    pub body: BodyState<Vec<u8>>,
    pub extent: Extent,
    /// By which a 304 may confirm the body.
    pub validator: Option<Validator>,
    pub location: RecordLocation,
    /// The number of its segment; if it is a page, only redirects of that segment lead to it.
    pub segment: u32,
}

impl Request {
    /// Returns a request with the answer 200 and no body.
    pub fn new(kind: CaptureKind, url: PageUrl<'static>, fetched_at: Option<Timestamp>) -> Self {
        let (answer, redirect, body) = (FetchOutcome::Status(200), None, BodyState::Missing);
        let (extent, location) = (Extent::Whole, RecordLocation::default());
        Self {
            kind,
            url,
            fetched_at,
            answer,
            redirect,
            body,
            extent,
            validator: None,
            location,
            segment: 0,
        }
    }
}
