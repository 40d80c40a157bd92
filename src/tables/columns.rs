//! The columns that several tables begin with: where, url, what, body.
//!
//! Names and meanings are those of Common Crawl's columnar index if it has the same column, so that `USING (crawl,
//! warc_filename, warc_record_offset)` joins it, and `warc_record_id` joins FineWeb.

use crate::archive::{ArchiveName, Format, Place, Record, Subset};
use crate::evidence::{Capture, Target};
use crate::web::column::Column;
use crate::web::shown::shown;
use crate::web::url::PageUrl;
use std::ops::Range;

cells! {
    /// The place of a record.
    pub WHERE = fn append_where(cells, names: &ArchiveNames, place: Place, format: Format) first {
        let archive = if format == Format::Wat { &names.described } else { &names.read };
    } {
        text("warc_filename", archive.filename()):
            "archive: its path from crawl-data/ on, or below the given folder, or the file's name; for a WAT, the WARC that it describes",
        int64("warc_record_offset", place.offset):
            "bytes from the start of the archive to the record, or to the gzip member that contains it",
        int64_or_null("warc_record_length", place.length):
            "bytes of the record in the archive; NULL if its gzip member has other records too, if it is too long to be kept in memory, or if its end is damaged",
        int64("warc_member_skip", place.member_skip):
            "bytes of the gzip member's text before the record: 0 where each record is a member, as in Common Crawl",
        text_or_null("warc_segment", archive.segment()):
            "segment of Common Crawl; NULL for archives of others",
        text_or_null("subset", archive.subset().map(Subset::as_str)):
            "subset of Common Crawl: warc, robotstxt or crawldiagnostics; NULL for archives of others",
        text("source_format", format.as_str()):
            "format of the archive that was read: warc, arc, or wat, which describes a warc",
        text("source_filename", names.read.filename()):
            "archive that was read, key to archives.warc_filename: warc_filename itself, or the WAT that describes it",
    }

    /// The requested URL.
    pub URL = fn append_url(cells, target: &Target<'_>) first {
        let (url, host) = match target {
            Target::Url(url, host) => (Some(url), Some(host)),
            Target::Unreadable(_) => (None, None),
        };
    } {
        text("url", target.as_str()): "WARC-Target-URI, without outer blanks and angle brackets",
        text_or_null("url_protocol", url.map(|url| url.scheme().as_str())):
            "http or https; NULL, like all parts of the URL, if the URL cannot be read (a row in failures)",
        text_or_null("url_host_name", url.map(PageUrl::host_name)):
            "host in lower case, without a trailing dot",
        int32_or_null("url_port", url.and_then(PageUrl::port)): "port; NULL if it is the scheme's default",
        text_or_null("url_path", url.map(PageUrl::path)): "path as written; / if the URL has no path",
        text_or_null("url_query", url.and_then(PageUrl::query)): "text between ? and #",
        text_or_null("url_host_tld", host.and_then(|host| host.tld.as_deref())):
            "last label of the host; NULL for addresses",
        text_or_null("url_host_registered_domain", host.and_then(|host| host.registered_domain.as_deref())):
            "registered domain by the ICANN part of the public suffix list; NULL for addresses and suffixes",
        text_or_null("surt_host_name", host.map(|host| &*host.surt_host_name)):
            "host reversed and joined by commas, without www",
    }

    /// The received response.
    pub WHAT = fn append_what(cells, capture: &Capture<'_>) {
        text_or_null("warc_record_id", capture.record.id.map(shown)): "WARC-Record-ID with its brackets",
        text("record_type", capture.record_type.as_str()): "response, revisit, or resource: what a tool stored without a server's answer",
        timestamp_or_null("fetch_time", capture.fetched_at):
            "WARC-Date; NULL if it is not a date of the years 1970 to 9999",
        int16_or_null("fetch_status", capture.status):
            "HTTP status; NULL if the status line has no number of three digits",
        text_or_null("fetch_redirect", capture.redirect.as_deref()):
            "Location of a 3xx answer, resolved against the URL",
        text_or_null("content_mime_type", capture.media_type.as_deref()):
            "media type in Content-Type, in lower case, without parameters",
        text_or_null("content_digest", capture.record.payload_digest.map(|digest| shown(without_sha1(digest)))):
            "WARC-Payload-Digest as in the archive, without the prefix sha1:",
        int64_or_null("content_length", Some(capture.payload_bytes)):
            "bytes after the HTTP head, as in the record",
        text_or_null("content_truncated", capture.record.truncated.map(shown)):
            "WARC-Truncated: length, time, disconnect or unspecified",
    }

    /// The place of a record in an archive of a WACZ.
    pub INNER = fn append_inner(cells, names: &ArchiveNames, record: &Record<'_>) first {
        let inner = names.inner(record.place, record.format);
    } {
        text_or_null("inner_filename", inner.map(|(file, _)| file.name.as_str())):
            "archive in the WACZ, by the name that the WACZ's CDXJ has for it (filename); in a ZIP of WACZ files after the name of the WACZ and a slash; NULL outside of a WACZ",
        int64_or_null("inner_offset", inner.map(|(_, offset)| offset)):
            "bytes from the start of that archive to the record, or to the gzip member that contains it, as in the WACZ's CDXJ (offset); NULL outside of a WACZ",
    }

    /// The body of a site file, in tables with rows for each distinct body.
    pub BODY = fn append_body(cells, body: TableBodyKey<'_>) {
        text_or_null("warc_segment", body.segment): "segment of Common Crawl; NULL for archives of others",
        text("body_digest", body.digest): "body, key to site_files",
    }
}

/// The name of an archive, and of the archive that it describes if it is a WAT.
#[derive(Clone, Debug)]
pub struct ArchiveNames {
    read: ArchiveName,
    described: ArchiveName,
    /// The archives in a WACZ, in the order of their bytes.
    inner: Vec<InnerArchive>,
}

/// An archive in a WACZ.
#[derive(Clone, Debug)]
pub struct InnerArchive {
    pub name: String,
    /// Where its bytes are in the WACZ.
    pub bytes: Range<u64>,
}

impl ArchiveNames {
    pub fn new(archive: &ArchiveName) -> Self {
        Self {
            read: archive.clone(),
            described: archive.described(),
            inner: Vec::new(),
        }
    }

    /// Names the archives in a WACZ, in the order of their bytes.
    pub fn of_wacz(&mut self, inner: Vec<InnerArchive>) {
        self.inner = inner;
    }

    /// Returns the archive in the WACZ that has a record, and the record's offset in it.
    fn inner(&self, place: Place, format: Format) -> Option<(&InnerArchive, u64)> {
        let behind = self
            .inner
            .partition_point(|inner| inner.bytes.start <= place.offset);
        let inner = self.inner.get(behind.checked_sub(1)?)?;
        let is_in = inner.bytes.contains(&place.offset) && format != Format::Wat;
        is_in.then(|| (inner, place.offset - inner.bytes.start))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct TableBodyKey<'a> {
    pub segment: Option<&'a str>,
    pub digest: &'a str,
}

/// Removes the name SHA-1, because Common Crawl's index has digests without the algorithm's name; another name is kept.
fn without_sha1(digest: &[u8]) -> &[u8] {
    match digest.split_at_checked(5) {
        Some((name, digest)) if name.eq_ignore_ascii_case(b"sha1:") => digest,
        Some(_) | None => digest,
    }
}
