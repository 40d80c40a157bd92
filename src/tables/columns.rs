//! The columns that several tables begin with: where, url, what.
//!
//! Names and meanings are those of Common Crawl's columnar index wherever it has the same, so that
//! `USING (crawl, warc_filename, warc_record_offset)` joins it, and `warc_record_id` joins FineWeb.

use crate::archive::{ArchiveName, Place, Subset};
use crate::evidence::{Capture, Target};
use crate::web::column::Column;
use crate::web::shown::shown;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use arrow_array::ArrayRef;
use arrow_array::builder::{
    Int16Builder, Int32Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use std::sync::Arc;

/// Where a record stands.
pub const WHERE: &[Column] = &[
    Column::text("warc_filename", "archive: from crawl-data/ on where the path has it, else relative to the folder given, else the file's name"),
    Column::int64("warc_record_offset", "bytes from the start of the archive to the record, or to the gzip member it lies in"),
    Column::int64("warc_record_length", "bytes of the archive that the record takes; NULL where its gzip member holds other records too or is longer than 64 MiB inflated").or_null(),
    Column::int64("warc_member_skip", "bytes of the gzip member's text before the record: 0 where each record is a member, as in Common Crawl"),
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("subset", "warc, robotstxt or crawldiagnostics, of Common Crawl's archives").or_null(),
    Column::text("source_format", "format of the archive: warc"),
];

/// Which URL was asked for.
pub const URL: &[Column] = &[
    Column::text("url", "WARC-Target-URI, without outer blanks and angle brackets"),
    Column::text(
        "url_protocol",
        "http or https; NULL, as are the next eight, where the URL cannot be read (a row in failures)",
    )
    .or_null(),
    Column::text("url_host_name", "host in lower case, without a trailing dot").or_null(),
    Column::int32("url_port", "port, where it is not the scheme's default").or_null(),
    Column::text("url_path", "path as written; / where there is none").or_null(),
    Column::text("url_query", "what stands between ? and #").or_null(),
    Column::text("url_host_tld", "last label of the host; NULL for addresses").or_null(),
    Column::text(
        "url_host_registered_domain",
        "registered domain by the ICANN part of the public suffix list; NULL for addresses and suffixes",
    )
    .or_null(),
    Column::text("surt_host_name", "host reversed and joined by commas, without www").or_null(),
];

/// What was received.
pub const WHAT: &[Column] = &[
    Column::text("warc_record_id", "WARC-Record-ID with its brackets").or_null(),
    Column::text("record_type", "response or revisit"),
    Column::timestamp("fetch_time", "WARC-Date; NULL where it is none or beyond the years 1970 to 9999")
        .or_null(),
    Column::int16("fetch_status", "HTTP status; NULL where the status line has none of three digits")
        .or_null(),
    Column::text("fetch_redirect", "Location of a 3xx answer, resolved against the URL").or_null(),
    Column::text("content_mime_type", "media type in Content-Type, in lower case, without parameters")
        .or_null(),
    Column::text("content_digest", "WARC-Payload-Digest as the archive claims it, without sha1: in front")
        .or_null(),
    Column::int64("content_length", "bytes behind the HTTP head as they stand in the record").or_null(),
    Column::text("content_truncated", "WARC-Truncated: length, time, disconnect or unspecified").or_null(),
];

/// The columns of [`WHERE`], being filled.
#[derive(Default)]
pub struct WhereRows {
    warc_filename: StringBuilder,
    warc_record_offset: Int64Builder,
    warc_record_length: Int64Builder,
    warc_member_skip: Int64Builder,
    warc_segment: StringBuilder,
    subset: StringBuilder,
    source_format: StringBuilder,
}

impl WhereRows {
    /// Adds the place of a record in an archive.
    pub fn push(&mut self, archive: &ArchiveName, place: Place) {
        self.warc_filename.append_value(archive.filename());
        self.warc_record_offset.append_value(int64(place.offset));
        self.warc_record_length.append_option(place.length.map(int64));
        self.warc_member_skip.append_value(int64(place.member_skip));
        self.warc_segment.append_option(archive.segment());
        self.subset.append_option(archive.subset().map(Subset::as_str));
        self.source_format.append_value("warc");
    }

    /// Returns the columns and starts anew.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.warc_filename.finish()),
            Arc::new(self.warc_record_offset.finish()),
            Arc::new(self.warc_record_length.finish()),
            Arc::new(self.warc_member_skip.finish()),
            Arc::new(self.warc_segment.finish()),
            Arc::new(self.subset.finish()),
            Arc::new(self.source_format.finish()),
        ]
    }
}

/// The columns of [`URL`], being filled.
#[derive(Default)]
pub struct UrlRows {
    url: StringBuilder,
    protocol: StringBuilder,
    host_name: StringBuilder,
    port: Int32Builder,
    path: StringBuilder,
    query: StringBuilder,
    host_tld: StringBuilder,
    host_registered_domain: StringBuilder,
    surt_host_name: StringBuilder,
}

impl UrlRows {
    /// Adds a URL.
    pub fn push(&mut self, target: &Target<'_>) {
        let (url, host) = match target {
            Target::Url(url, host) => (Some(url), Some(host)),
            Target::Unreadable(_) => (None, None),
        };
        self.url.append_value(target.as_str());
        self.protocol.append_option(url.map(|url| url.scheme().as_str()));
        self.host_name.append_option(url.map(PageUrl::host_name));
        self.port.append_option(url.and_then(PageUrl::port).map(i32::from));
        self.path.append_option(url.map(PageUrl::path));
        self.query.append_option(url.and_then(PageUrl::query));
        self.host_tld.append_option(host.and_then(|host| host.tld()));
        self.host_registered_domain.append_option(host.and_then(|host| host.registered_domain()));
        self.surt_host_name.append_option(host.map(|host| host.surt_host_name()));
    }

    /// Returns the columns and starts anew.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.url.finish()),
            Arc::new(self.protocol.finish()),
            Arc::new(self.host_name.finish()),
            Arc::new(self.port.finish()),
            Arc::new(self.path.finish()),
            Arc::new(self.query.finish()),
            Arc::new(self.host_tld.finish()),
            Arc::new(self.host_registered_domain.finish()),
            Arc::new(self.surt_host_name.finish()),
        ]
    }
}

/// The columns of [`WHAT`], being filled.
pub struct WhatRows {
    warc_record_id: StringBuilder,
    record_type: StringBuilder,
    fetch_time: TimestampMicrosecondBuilder,
    fetch_status: Int16Builder,
    fetch_redirect: StringBuilder,
    content_mime_type: StringBuilder,
    content_digest: StringBuilder,
    content_length: Int64Builder,
    content_truncated: StringBuilder,
}

impl Default for WhatRows {
    fn default() -> Self {
        Self {
            warc_record_id: StringBuilder::default(),
            record_type: StringBuilder::default(),
            fetch_time: TimestampMicrosecondBuilder::default().with_timezone("UTC"),
            fetch_status: Int16Builder::default(),
            fetch_redirect: StringBuilder::default(),
            content_mime_type: StringBuilder::default(),
            content_digest: StringBuilder::default(),
            content_length: Int64Builder::default(),
            content_truncated: StringBuilder::default(),
        }
    }
}

impl WhatRows {
    /// Adds what was received.
    pub fn push(&mut self, evidence: &Capture<'_>) {
        self.warc_record_id.append_option(evidence.record_id.map(shown));
        self.record_type.append_value(evidence.record_type.as_str());
        self.fetch_time.append_option(evidence.fetched_at.map(Timestamp::unix_micros));
        self.fetch_status.append_option(evidence.status.and_then(|status| i16::try_from(status).ok()));
        self.fetch_redirect.append_option(evidence.redirect.as_deref());
        self.content_mime_type.append_option(evidence.media_type.as_deref());
        self.content_digest.append_option(evidence.payload_digest.map(|digest| shown(without_sha1(digest))));
        self.content_length.append_value(int64(evidence.payload_bytes));
        self.content_truncated.append_option(evidence.truncated.map(shown));
    }

    /// Returns the columns and starts anew.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.warc_record_id.finish()),
            Arc::new(self.record_type.finish()),
            Arc::new(self.fetch_time.finish()),
            Arc::new(self.fetch_status.finish()),
            Arc::new(self.fetch_redirect.finish()),
            Arc::new(self.content_mime_type.finish()),
            Arc::new(self.content_digest.finish()),
            Arc::new(self.content_length.finish()),
            Arc::new(self.content_truncated.finish()),
        ]
    }
}

/// Returns a count or an offset as tables hold it; no archive reaches 2^63 bytes.
#[must_use]
pub fn int64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Common Crawl's index has digests without the algorithm's name; another algorithm's is kept.
fn without_sha1(digest: &[u8]) -> &[u8] {
    match digest.split_at_checked(5) {
        Some((name, digest)) if name.eq_ignore_ascii_case(b"sha1:") => digest,
        Some(_) | None => digest,
    }
}
