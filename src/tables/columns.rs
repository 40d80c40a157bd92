//! The columns that several tables begin with: where, url, what, body.
//!
//! Names and meanings are those of Common Crawl's columnar index if it has the same column, so that `USING (crawl,
//! warc_filename, warc_record_offset)` joins it, and `warc_record_id` joins FineWeb.

use super::cells::Cells;
use crate::archive::{ArchiveName, Format, Place, Subset};
use crate::evidence::{Capture, Target};
use crate::web::column::Column;
use crate::web::shown::shown;
use crate::web::url::PageUrl;

/// The place of a record.
pub const WHERE: &[Column] = columns![
    text "warc_filename": "archive: its path from crawl-data/ on, or below the given folder, or the file's name; for a WAT, the WARC that it describes",
    int64 "warc_record_offset": "bytes from the start of the archive to the record, or to the gzip member that contains it",
    int64 "warc_record_length" or_null: "bytes of the record in the archive; NULL if its gzip member has other records too, if it is too long to be kept in memory, or if its end is damaged",
    int64 "warc_member_skip": "bytes of the gzip member's text before the record: 0 where each record is a member, as in Common Crawl",
    text "warc_segment" or_null: "segment of Common Crawl; NULL for archives of others",
    text "subset" or_null: "subset of Common Crawl: warc, robotstxt or crawldiagnostics; NULL for archives of others",
    text "source_format": "format of the archive that was read: warc, arc, or wat, which describes a warc",
    text "source_filename": "archive that was read, key to archives.warc_filename: warc_filename itself, or the WAT that describes it",
];

/// The requested URL.
pub const URL: &[Column] = columns![
    text "url": "WARC-Target-URI, without outer blanks and angle brackets",
    text "url_protocol" or_null:
        "http or https; NULL, like all parts of the URL, if the URL cannot be read (a row in failures)",
    text "url_host_name" or_null: "host in lower case, without a trailing dot",
    int32 "url_port" or_null: "port; NULL if it is the scheme's default",
    text "url_path" or_null: "path as written; / if the URL has no path",
    text "url_query" or_null: "text between ? and #",
    text "url_host_tld" or_null: "last label of the host; NULL for addresses",
    text "url_host_registered_domain" or_null:
        "registered domain by the ICANN part of the public suffix list; NULL for addresses and suffixes",
    text "surt_host_name" or_null: "host reversed and joined by commas, without www",
];

/// The received response.
pub const WHAT: &[Column] = columns![
    text "warc_record_id" or_null: "WARC-Record-ID with its brackets",
    text "record_type": "response or revisit",
    timestamp "fetch_time" or_null: "WARC-Date; NULL if it is not a date of the years 1970 to 9999",
    int16 "fetch_status" or_null: "HTTP status; NULL if the status line has no number of three digits",
    text "fetch_redirect" or_null: "Location of a 3xx answer, resolved against the URL",
    text "content_mime_type" or_null: "media type in Content-Type, in lower case, without parameters",
    text "content_digest" or_null: "WARC-Payload-Digest as in the archive, without the prefix sha1:",
    int64 "content_length" or_null: "bytes after the HTTP head, as in the record",
    text "content_truncated" or_null: "WARC-Truncated: length, time, disconnect or unspecified",
];

/// The body of a site file, in tables with rows for each distinct body.
pub const BODY: &[Column] = columns![
    text "warc_segment" or_null: "segment of Common Crawl; NULL for archives of others",
    text "body_digest": "body, key to site_files",
];

/// The name of an archive, and of the archive that it describes if it is a WAT.
#[derive(Clone, Debug)]
pub struct Names {
    read: ArchiveName,
    described: ArchiveName,
}

impl Names {
    /// Returns the names of an archive.
    pub fn new(archive: &ArchiveName) -> Self {
        Self { read: archive.clone(), described: archive.described() }
    }

    fn of(&self, format: Format) -> &ArchiveName {
        if format == Format::Wat { &self.described } else { &self.read }
    }
}

/// Appends the cells of [`WHERE`].
pub fn append_where(cells: &mut Cells, names: &Names, place: Place, format: Format) {
    let archive = names.of(format);
    cells.text("warc_filename", archive.filename());
    cells.int64("warc_record_offset", place.offset);
    cells.int64_or_null("warc_record_length", place.length);
    cells.int64("warc_member_skip", place.member_skip);
    cells.text_or_null("warc_segment", archive.segment());
    cells.text_or_null("subset", archive.subset().map(Subset::as_str));
    cells.text("source_format", format.as_str());
    cells.text("source_filename", names.read.filename());
}

/// Appends the cells of [`URL`].
pub fn append_url(cells: &mut Cells, target: &Target<'_>) {
    let (url, host) = match target {
        Target::Url(url, host) => (Some(url), Some(host)),
        Target::Unreadable(_) => (None, None),
    };
    cells.text("url", target.as_str());
    cells.text_or_null("url_protocol", url.map(|url| url.scheme().as_str()));
    cells.text_or_null("url_host_name", url.map(PageUrl::host_name));
    cells.int32_or_null("url_port", url.and_then(PageUrl::port));
    cells.text_or_null("url_path", url.map(PageUrl::path));
    cells.text_or_null("url_query", url.and_then(PageUrl::query));
    cells.text_or_null("url_host_tld", host.and_then(|host| host.tld.as_deref()));
    cells.text_or_null("url_host_registered_domain", host.and_then(|host| host.registered_domain.as_deref()));
    cells.text_or_null("surt_host_name", host.map(|host| &*host.surt_host_name));
}

/// Appends the cells of [`WHAT`].
pub fn append_what(cells: &mut Cells, capture: &Capture<'_>) {
    cells.text_or_null("warc_record_id", capture.record.id.map(shown));
    cells.text("record_type", capture.record_type.as_str());
    cells.timestamp_or_null("fetch_time", capture.fetched_at);
    cells.int16_or_null("fetch_status", capture.status);
    cells.text_or_null("fetch_redirect", capture.redirect.as_deref());
    cells.text_or_null("content_mime_type", capture.media_type.as_deref());
    cells.text_or_null(
        "content_digest",
        capture.record.payload_digest.map(|digest| shown(without_sha1(digest))),
    );
    cells.int64_or_null("content_length", Some(capture.payload_bytes));
    cells.text_or_null("content_truncated", capture.record.truncated.map(shown));
}

/// A distinct body of a site file.
#[derive(Clone, Copy, Debug)]
pub struct BodyKey<'a> {
    /// The segment in which it was found.
    pub segment: Option<&'a str>,
    pub digest: &'a str,
}

/// Appends the cells of [`BODY`].
pub fn append_body(cells: &mut Cells, body: BodyKey<'_>) {
    cells.text_or_null("warc_segment", body.segment);
    cells.text("body_digest", body.digest);
}

/// Removes the name SHA-1, because Common Crawl's index has digests without the algorithm's name; another name is kept.
fn without_sha1(digest: &[u8]) -> &[u8] {
    match digest.split_at_checked(5) {
        Some((name, digest)) if name.eq_ignore_ascii_case(b"sha1:") => digest,
        Some(_) | None => digest,
    }
}
