//! `evidence/captures`: one row per HTTP response or revisit record, and its rows read back slice by slice.

mod by_host;
mod compared;
mod original;

pub use super::columns::{ArchiveNames, InnerArchive};
pub use by_host::ByHost;
pub use compared::ComparedCaptures;
pub use original::{Original, joined};

use super::Table;
use super::columns::{
    INNER, URL, WHAT, WHERE, append_inner, append_url, append_what, append_where,
};
use super::joined::{SITE_FILE_KINDS, joined};
use super::slice::{IfRead, Instants, ListOf, OrNull, slice};
use super::stored::no_column;
use crate::archive::IN_DOUBT;
use crate::evidence::{Capture, RecordType, without_brackets};
use crate::verdict::RecordLocation;
use crate::verdict::timeline::{FetchOutcome, Validator};
use crate::web::body_mark::{BodyMark, BodyMarks};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field};
use crate::web::shown::shown;
use crate::web::timestamp::Timestamp;
use arrow_array::{BinaryArray, Int16Array, Int64Array, StringArray};
use data_encoding::BASE32;
use std::io;

cells! {
    pub SIGNAL = fn append_signal(cells, field: Field<'_>) {
        text("carrier", field.carrier.as_str()):
            "header, meta (by name), http_equiv (meta by http-equiv), property (meta by property or itemprop), after_head (meta behind a head that ended early, or with value in place of content), link (a licence's) or script (of RSL)",
        text("name", field.name): "name in lower case; for a link or script, its type",
        binary("value", field.value):
            "value as received, without outer blanks, lines of a folded header joined by a blank, character references of a meta decoded; at most 64 KiB",
    }

    /// Appends the row of a capture of the archive with these names, except its languages, which come later in the archive.
    pub OWN = fn append(cells, names: &ArchiveNames, capture: &Capture<'_>) first {
        // For a WAT, the place in the archive that it describes.
        let place = capture.record.described.unwrap_or(capture.record.place);
        append_where(cells, names, place, capture.record.format);
        append_url(cells, &capture.target);
        append_what(cells, capture);
        append_inner(cells, names, &capture.record);
    } {
        text("kind", capture.kind.as_str()):
            joined!("page, or the site file that the path names: ", SITE_FILE_KINDS, "; robots_hop: anything else in a robotstxt subset, where redirects of robots.txt lead"),
        text_or_null("body_digest", capture.body.as_ref().map(|body| BASE32.encode(&body.digest))):
            "SHA-1 (base32) of the decoded body, key to site_files; NULL where the body could not be read, and for pages, unless a robots.txt may redirect to them (no HTML, fetched after such a redirect or named like a robots.txt)",
        texts("body_marks", capture.body_marks.iter().map(BodyMark::as_str)):
            "why the body is not whole: truncated (WARC-Truncated), segment (WARC-Segment-Number), partial_content (status 206), short (of its Content-Length), empty (in spite of a coding), damaged (the record, its chunks or its coding), over_limit (longer than 1 MiB); how it was decoded: coding_undeclared (a coding that no field names was undone), undecodable (a coding could not be undone, and nothing of it is kept)",
        text_or_null("validator", capture.validator.as_deref()):
            "ETag of a site file's answer, else its Last-Modified, by which a later 304 confirms the body; NULL for pages, unless the status is 2xx or 304, and where the answer has neither, or a longer one than 256 bytes",
        texts("payload_digests", capture.payload_digests.iter().map(String::as_str)):
            "digests by which a revisit may name the body of a site file, beside body_digest: SHA-1 (base32) of the payload as stored and without chunks where these differ from it; if the record states a SHA-256, that of each form, behind sha256:",
        text_or_null("refers_to_id", capture.referral().and_then(|record| record.refers_to).map(shown)):
            "of a revisit, WARC-Refers-To: the id of the record whose body it has",
        text_or_null("refers_to_url", capture.referral().and_then(|record| record.refers_to_target).map(|url| shown(without_brackets(url)))):
            "of a revisit, WARC-Refers-To-Target-URI without angle brackets",
        timestamp_or_null("refers_to_time", capture.referral().and_then(|record| Timestamp::new(record.refers_to_date?))):
            "of a revisit, WARC-Refers-To-Date",
        text("depth", capture.depth.as_str()):
            "how much of the record was read: full; heads: only the HTTP and HTML heads of pages, the rest was skipped unchecked; no_meta: all except the HTML head of pages; heads_no_meta: only the HTTP head of pages",
        texts("unread", capture.unread.names()):
            "carriers that could not be read in full: header, meta (also link and script), body; archive: the record was found behind a false length of another one, and may be text of a page (its noes count, its yeses do not)",
        structs("signals" => SIGNAL, capture.fields.iter(), append_signal):
            "all header fields, and from the HTML head all named metas, links to licences and RSL scripts, in order, without those on the noise list (its version is in the footer); at most 4,096 and 512 KiB: if there are more, unread has their carrier",
    }

    /// Appends the languages of a page, here and in `pages`; in an archive, they come after its capture.
    pub LANGUAGES = fn append_languages(cells, languages: Option<&str>) {
        text_or_null("content_languages", languages):
            "languages of the page as the crawler found them (languages-cld2 of the metadata record behind it, as Common Crawl writes it): ISO 639-3, the most covered first, joined by commas; NULL where the archive does not say",
    }
}

pub static CAPTURES: Table = Table {
    name: "captures",
    folder: "evidence/captures",
    row: "HTTP response or revisit record",
    columns: || vec![WHERE, URL, WHAT, INNER, OWN, LANGUAGES],
};

slice! {
    pub struct CaptureKeys {
        url: StringArray = "url",
        kind: StringArray = "kind",
    }
}

slice! {
    /// By what revisits and their originals find each other.
    pub struct RevisitKeys {
        pub url: StringArray = "url",
        pub kind: StringArray = "kind",
        pub record_type: StringArray = "record_type",
        pub fetched_at: Instants = "fetch_time",
        pub id: OrNull<StringArray> = "warc_record_id",
        pub content_digest: OrNull<StringArray> = "content_digest",
        pub body_digest: OrNull<StringArray> = "body_digest",
        pub unread: ListOf<StringArray> = "unread",
        // Evidence of earlier versions does not have these.
        pub payload_digests: IfRead<ListOf<StringArray>> = "payload_digests",
        pub refers_to_id: IfRead<OrNull<StringArray>> = "refers_to_id",
        pub refers_to_url: IfRead<OrNull<StringArray>> = "refers_to_url",
        pub refers_to_time: IfRead<Instants> = "refers_to_time",
    }
}

impl CaptureKeys {
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.count()).map(|row| (self.url(row), self.kind(row)))
    }
}

/// The columns that say how URLs were answered, and those with the place of the record.
pub const FETCH_COLUMNS: &[&str] = Captures::COLUMNS.split_at(11).0;
pub const REQUEST_COLUMNS: &[&str] = Captures::COLUMNS.split_at(14).0;

slice! {
    pub struct Captures {
        pub url: StringArray = "url",
        pub kind: StringArray = "kind",
        pub fetched_at: Instants = "fetch_time",
        fetch_status: OrNull<Int16Array> = "fetch_status",
        pub redirect: OrNull<StringArray> = "fetch_redirect",
        pub media_type: OrNull<StringArray> = "content_mime_type",
        pub body_digest: OrNull<StringArray> = "body_digest",
        /// Returns the carriers of a row that could not be read in full.
        pub unread: ListOf<StringArray> = "unread",
        marks: ListOf<StringArray> = "body_marks",
        record_type: StringArray = "record_type",
        etag: OrNull<StringArray> = "validator",
        filename: IfRead<StringArray> = "warc_filename",
        offset: IfRead<Int64Array> = "warc_record_offset",
        record_length: IfRead<OrNull<Int64Array>> = "warc_record_length",
        content_languages: IfRead<OrNull<StringArray>> = "content_languages",
        carriers: IfRead<ListOf<StringArray>> = "signals.carrier",
        names: IfRead<ListOf<StringArray>> = "signals.name",
        values: IfRead<ListOf<BinaryArray>> = "signals.value",
        surt: IfRead<OrNull<StringArray>> = "surt_host_name",
        content_length: IfRead<OrNull<Int64Array>> = "content_length",
    }
}

impl Captures {
    /// Returns the place of a row's record: its archive, and the offset in it.
    pub fn place(&self, row: usize) -> io::Result<(&str, i64)> {
        let place = self.filename(row).zip(self.offset(row));
        place.ok_or_else(|| no_column("warc_filename or warc_record_offset"))
    }

    /// Returns the length in bytes of a row's record in its archive, if the record has bytes of its own.
    pub fn length(&self, row: usize) -> io::Result<Option<u64>> {
        let length = self
            .record_length(row)
            .ok_or_else(|| no_column("warc_record_length"))?;
        Ok(length.and_then(|length| u64::try_from(length).ok()))
    }

    pub fn location(&self, row: usize) -> io::Result<RecordLocation> {
        let (filename, offset) = self.place(row)?;
        let (warc_filename, warc_record_offset) =
            (Some(filename.to_owned()), u64::try_from(offset).ok());
        Ok(RecordLocation {
            warc_filename,
            warc_record_offset,
            warc_record_length: self.length(row)?,
        })
    }

    pub fn status(&self, row: usize) -> Option<u16> {
        u16::try_from(self.fetch_status(row)?).ok()
    }

    /// Returns how a row's URL was answered. FRAME-11: an answer of a record in doubt opens nothing.
    pub fn answer(&self, row: usize) -> FetchOutcome {
        let answer = match self.status(row) {
            Some(status) => FetchOutcome::Status(status),
            None if self.record_type(row) == RecordType::Resource.as_str() => FetchOutcome::Stored,
            None => FetchOutcome::StatusUnreadable,
        };
        if self.is_in_doubt(row) {
            answer.in_doubt()
        } else {
            answer
        }
    }

    /// Returns whether a page may have written the record of a row.
    fn is_in_doubt(&self, row: usize) -> bool {
        self.unread(row).any(|carrier| carrier == IN_DOUBT)
    }

    /// Returns whether a row may have the body of a file, or confirm that of an older answer.
    pub fn may_have_file(&self, row: usize) -> bool {
        let status = match self.answer(row) {
            FetchOutcome::Status(status) => Some(status),
            FetchOutcome::NetworkError | FetchOutcome::StatusUnreadable | FetchOutcome::Stored => {
                None
            }
        };
        RecordType::named(self.record_type(row))
            .is_some_and(|record_type| record_type.may_have_file(status))
    }

    /// Returns the carriers of a row that could not be read in full, and those that nobody received: a tool that stores a page
    /// without a server's answer has no header.
    pub fn unread_and_not_seen(&self, row: usize) -> (Vec<&str>, Vec<&str>) {
        let is_stored = self.record_type(row) == RecordType::Resource.as_str();
        self.unread(row)
            .partition(|carrier| !(is_stored && *carrier == Carrier::Header.unread_name()))
    }

    pub fn validator(&self, row: usize) -> Option<Validator> {
        self.etag(row).and_then(Validator::new)
    }

    /// Returns the languages of a row; `None` also if they were not read.
    pub fn languages(&self, row: usize) -> Option<&str> {
        self.content_languages(row)?
    }

    /// Returns the number of bytes behind a row's HTTP head.
    pub fn content_bytes(&self, row: usize) -> io::Result<u64> {
        let bytes = self
            .content_length(row)
            .ok_or_else(|| no_column("content_length"))?;
        Ok(bytes.map_or(0, |bytes| u64::try_from(bytes).unwrap_or(0)))
    }

    pub fn surt_host_name(&self, row: usize) -> io::Result<Option<&str>> {
        self.surt(row).ok_or_else(|| no_column("surt_host_name"))
    }

    /// Returns why a row's body is not whole, and how it was decoded.
    pub fn body_marks(&self, row: usize) -> BodyMarks {
        self.marks(row).filter_map(BodyMark::named).collect()
    }

    pub fn fields<'s>(&'s self, row: usize, fields: &mut Vec<Field<'s>>) -> io::Result<()> {
        let signals = self
            .carriers(row)
            .zip(self.names(row))
            .zip(self.values(row));
        let ((carriers, names), values) = signals.ok_or_else(|| no_column("signals"))?;
        for ((carrier, name), value) in carriers.zip(names).zip(values) {
            let carrier = Carrier::named(carrier)
                .ok_or_else(|| io::Error::other(format!("signals.carrier is `{carrier}`")))?;
            fields.push(Field {
                carrier,
                name,
                value,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Rows;
    use crate::tables::captures::CAPTURES;
    use arrow_array::{ArrayRef, RecordBatch};
    use std::sync::Arc;

    #[test]
    fn local_a_missing_column_or_another_type_is_an_error() {
        let slice = Rows::new(&CAPTURES).finish().expect("no rows fit");
        assert!(Captures::new(&slice).is_ok());
        for name in ["url", "unread"] {
            let error = |columns: Vec<(String, ArrayRef)>| {
                let rows = RecordBatch::try_from_iter(columns).expect("columns");
                Captures::new(&rows)
                    .err()
                    .map(|error| error.to_string())
                    .unwrap_or_default()
            };
            let schema = slice.schema();
            let names = schema.fields().iter().map(|field| field.name().clone());
            let mut columns: Vec<(String, ArrayRef)> =
                names.zip(slice.columns().iter().cloned()).collect();
            let at = schema.index_of(name).expect("a column");
            columns[at].1 = Arc::new(Int64Array::from(Vec::<i64>::new()));
            let expected = format!("the column {name} has another type than this version writes");
            assert_eq!(error(columns.clone()), expected);
            columns.remove(at);
            assert_eq!(error(columns), format!("no column {name}"));
        }
    }
}
