//! `evidence/captures`: one row per HTTP response or revisit record, and its rows read back slice by slice.
//!
//! Example: `Captures::new(&slice)?.url(0)`. Columns are found by name; a column that is missing, or of another type than this
//! version writes, is an error.

mod by_host;

pub use super::columns::Names;
pub use by_host::ByHost;

use super::columns::{URL, WHAT, WHERE, append_url, append_what, append_where};
use super::{Rows, Table};
use crate::evidence::Capture;
use crate::tables::stored::{TextLists, column, no_column, optional, range, typed};
use crate::verdict::RecordLocation;
use crate::verdict::timeline::Answer;
use crate::web::body_mark::{BodyMark, BodyMarks};
use crate::web::column::Column;
use crate::web::field::{Carrier, Field};
use crate::web::timestamp::Timestamp;
use arrow_array::{
    Array, BinaryArray, BooleanArray, Int16Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray, TimestampMicrosecondArray,
};
use arrow_select::filter::filter_record_batch;
use data_encoding::BASE32;
use std::io;

/// The fields of the column `fields`.
pub const SIGNAL: &[Column] = &[
    Column::text(
        "carrier",
        "header, meta (by name), http_equiv (meta by http-equiv), property (meta by property or itemprop), after_head (meta behind a head that ended early), link (a licence's) or script (of RSL)",
    ),
    Column::text("name", "name in lower case; for a link or script, its type"),
    Column::binary(
        "value",
        "value as received, without outer blanks, lines of a folded header joined by a blank, character references of a meta decoded; at most 64 KiB",
    ),
];

const OWN: &[Column] = &[
    Column::text("kind", "page, or the site file that the path names: robots, automation, tdmrep, ai_txt, trust_txt; robots_hop: anything else in a robotstxt subset, where redirects of robots.txt lead"),
    Column::text("body_digest", "SHA-1 (base32) of the decoded body, key to site_files; NULL for pages and where the body could not be read").or_null(),
    Column::texts("body_marks", "why the body is not whole: truncated (WARC-Truncated), segment (WARC-Segment-Number), partial_content (status 206), short (of its Content-Length), empty (in spite of a coding), damaged (the record, its chunks or its coding), over_limit (longer than 1 MiB); how it was decoded: coding_undeclared (a coding that no field names was undone), undecodable (a coding could not be undone, and nothing of it is kept)"),
    Column::text("depth", "how much of the record was read: full; heads: only the HTTP and HTML heads of pages, the rest was skipped unchecked; no_meta: all except the HTML head of pages; heads_no_meta: only the HTTP head of pages"),
    Column::texts("unread", "carriers that could not be read in full: header, meta (also link and script), body"),
    Column::structs("signals", SIGNAL, "all header fields, and from the HTML head all named metas, links to licences and RSL scripts, in order, without those on the noise list (its version is in the footer); at most 4,096 and 512 KiB: if there are more, unread has their carrier"),
    Column::text("content_languages", LANGUAGES).or_null(),
];

/// The meaning of the column `content_languages`, here and in `pages`.
pub const LANGUAGES: &str = "languages of the page as the crawler found them (languages-cld2 of the metadata record behind it, as Common Crawl writes it): ISO 639-3, the most covered first, joined by commas; NULL where the archive does not say";

/// `evidence/captures`
pub static CAPTURES: Table = Table {
    name: "captures",
    folder: "evidence/captures",
    row: "HTTP response or revisit record",
    columns: || vec![WHERE, URL, WHAT, OWN],
};

/// Appends the row of a capture of the archive with these names, except its languages, which come later in the archive.
pub fn append(rows: &mut Rows, names: &Names, capture: &Capture<'_>) {
    let cells = rows.row();
    append_where(cells, names, capture.place, capture.format);
    append_url(cells, &capture.target);
    append_what(cells, capture);
    cells.text("kind", capture.kind.as_str());
    cells.text_or_null("body_digest", capture.body.as_ref().map(|body| BASE32.encode(&body.digest)));
    cells.texts("body_marks", capture.body_marks.iter().map(BodyMark::as_str));
    cells.text("depth", capture.depth.as_str());
    cells.texts("unread", capture.unread.names());
    cells.structs("signals", capture.fields.iter(), |cells, field| {
        cells.text("carrier", field.carrier.as_str());
        cells.text("name", field.name);
        cells.binary("value", field.value);
    });
}

/// Completes the last row with its languages.
pub fn append_languages(rows: &mut Rows, languages: Option<&str>) {
    rows.row_begun().text_or_null("content_languages", languages);
}

/// The columns that say how URLs were answered: those of [`REQUEST_COLUMNS`] behind the record's place.
pub const FETCH_COLUMNS: &[&str] = REQUEST_COLUMNS.split_at(3).1;

/// The columns that are read of every capture to find some.
pub const KEY_COLUMNS: &[&str] = &["url", "kind"];

/// The keys by which captures are found.
pub struct CaptureKeys<'b> {
    url: &'b StringArray,
    kind: &'b StringArray,
}

impl<'b> CaptureKeys<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// If it lacks [`KEY_COLUMNS`].
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        Ok(Self { url: column(rows, "url")?, kind: column(rows, "kind")? })
    }

    /// Returns the URL and the kind of each row.
    pub fn iter(&self) -> impl Iterator<Item = (&'b str, &'b str)> {
        let Self { url, kind } = *self;
        (0..url.len()).map(move |row| (url.value(row), kind.value(row)))
    }
}

/// The columns of a capture of a site file, and those with the place of its record.
pub const REQUEST_COLUMNS: &[&str] = &[
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "url",
    "fetch_time",
    "fetch_status",
    "fetch_redirect",
    "content_mime_type",
    "kind",
    "body_digest",
    "body_marks",
    "unread",
];

/// A slice of `captures`.
pub struct Captures<'b> {
    rows: &'b RecordBatch,
    url: &'b StringArray,
    kind: &'b StringArray,
    fetch_time: &'b TimestampMicrosecondArray,
    fetch_status: &'b Int16Array,
    fetch_redirect: &'b StringArray,
    media_type: &'b StringArray,
    /// `None` if it was not read.
    languages: Option<&'b StringArray>,
    body_digest: &'b StringArray,
    unread: TextLists<'b>,
    body_marks: TextLists<'b>,
    /// `None` if they were not read.
    signals: Option<Signals<'b>>,
    surt: Option<&'b StringArray>,
    content_length: Option<&'b Int64Array>,
}

impl<'b> Captures<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// If it lacks the columns of `captures`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        let signals = || Signals::new(column(rows, "signals")?);
        let languages = || column(rows, "content_languages");
        let has = |name| rows.column_by_name(name).is_some();
        Ok(Self {
            rows,
            url: column(rows, "url")?,
            kind: column(rows, "kind")?,
            fetch_time: column(rows, "fetch_time")?,
            fetch_status: column(rows, "fetch_status")?,
            fetch_redirect: column(rows, "fetch_redirect")?,
            media_type: column(rows, "content_mime_type")?,
            languages: has("content_languages").then(languages).transpose()?,
            body_digest: column(rows, "body_digest")?,
            unread: TextLists::of(rows, "unread")?,
            body_marks: TextLists::of(rows, "body_marks")?,
            signals: has("signals").then(signals).transpose()?,
            surt: has("surt_host_name").then(|| column(rows, "surt_host_name")).transpose()?,
            content_length: has("content_length").then(|| column(rows, "content_length")).transpose()?,
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows.num_rows()
    }

    pub fn url(&self, row: usize) -> &'b str {
        self.url.value(row)
    }

    pub fn kind(&self, row: usize) -> &'b str {
        self.kind.value(row)
    }

    /// Returns the place of a row's record: its archive, and the offset in it.
    pub fn place(&self, row: usize) -> io::Result<(&'b str, i64)> {
        let filenames: &StringArray = column(self.rows, "warc_filename")?;
        let offsets: &Int64Array = column(self.rows, "warc_record_offset")?;
        Ok((filenames.value(row), offsets.value(row)))
    }

    /// Returns the length in bytes of a row's record in its archive, if the record has bytes of its own.
    pub fn length(&self, row: usize) -> io::Result<Option<u64>> {
        let lengths: &Int64Array = column(self.rows, "warc_record_length")?;
        Ok(lengths.is_valid(row).then(|| lengths.value(row)).and_then(|length| u64::try_from(length).ok()))
    }

    /// Returns the place and the length of a row's record.
    pub fn location(&self, row: usize) -> io::Result<RecordLocation> {
        let (filename, offset) = self.place(row)?;
        let (warc_filename, warc_record_offset) = (Some(filename.to_owned()), u64::try_from(offset).ok());
        Ok(RecordLocation { warc_filename, warc_record_offset, warc_record_length: self.length(row)? })
    }

    /// Returns the time of a row.
    pub fn fetched_at(&self, row: usize) -> Option<Timestamp> {
        let us = self.fetch_time.is_valid(row).then(|| self.fetch_time.value(row))?;
        Timestamp::from_unix_micros(us)
    }

    pub fn status(&self, row: usize) -> Option<u16> {
        let status = self.fetch_status.is_valid(row).then(|| self.fetch_status.value(row));
        status.and_then(|status| u16::try_from(status).ok())
    }

    pub fn answer(&self, row: usize) -> Answer {
        self.status(row).map_or(Answer::StatusUnreadable, Answer::Status)
    }

    /// Returns the target of a row's redirect.
    pub fn redirect(&self, row: usize) -> Option<&'b str> {
        optional(self.fetch_redirect, row)
    }

    pub fn media_type(&self, row: usize) -> Option<&'b str> {
        optional(self.media_type, row)
    }

    /// Returns the languages of a row; `None` also if they were not read.
    pub fn languages(&self, row: usize) -> Option<&'b str> {
        optional(self.languages?, row)
    }

    /// Returns the number of bytes behind a row's HTTP head.
    pub fn content_bytes(&self, row: usize) -> io::Result<u64> {
        let bytes = self.content_length.ok_or_else(|| no_column("content_length"))?;
        Ok(if bytes.is_valid(row) { u64::try_from(bytes.value(row)).unwrap_or(0) } else { 0 })
    }

    /// Returns the host of a row in SURT order.
    pub fn surt_host_name(&self, row: usize) -> io::Result<Option<&'b str>> {
        Ok(optional(self.surt.ok_or_else(|| no_column("surt_host_name"))?, row))
    }

    /// Returns the key of a row's body.
    pub fn body_digest(&self, row: usize) -> Option<&'b str> {
        optional(self.body_digest, row)
    }

    /// Returns why a row's body is not whole, and how it was decoded.
    pub fn body_marks(&self, row: usize) -> BodyMarks {
        self.body_marks.row(row).filter_map(BodyMark::named).collect()
    }

    /// Returns the carriers of a row that could not be read in full.
    pub fn unread(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.unread.row(row)
    }

    /// Adds a row's header fields and metas to `fields`.
    pub fn fields(&self, row: usize, fields: &mut Vec<Field<'b>>) -> io::Result<()> {
        let signals = self.signals.as_ref().ok_or_else(|| no_column("signals"))?;
        for at in range(signals.lists, row) {
            let carrier = signals.carrier.value(at);
            let carrier = Carrier::named(carrier)
                .ok_or_else(|| io::Error::other(format!("signals.carrier is `{carrier}`")))?;
            fields.push(Field { carrier, name: signals.name.value(at), value: signals.value.value(at) });
        }
        Ok(())
    }

    /// Returns the rows for which `keep` is true.
    ///
    /// # Errors
    /// None that a slice of `captures` can cause.
    pub fn only(&self, keep: &[bool]) -> io::Result<RecordBatch> {
        filter_record_batch(self.rows, &BooleanArray::from(keep.to_vec())).map_err(io::Error::other)
    }
}

struct Signals<'b> {
    lists: &'b ListArray,
    carrier: &'b StringArray,
    name: &'b StringArray,
    value: &'b BinaryArray,
}

impl<'b> Signals<'b> {
    fn new(lists: &'b ListArray) -> io::Result<Self> {
        let structs: &StructArray = typed(Some(lists.values()), "signals")?;
        Ok(Self {
            lists,
            carrier: typed(structs.column_by_name("carrier"), "signals.carrier")?,
            name: typed(structs.column_by_name("name"), "signals.name")?,
            value: typed(structs.column_by_name("value"), "signals.value")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Rows;
    use crate::tables::captures::CAPTURES;
    use arrow_array::ArrayRef;
    use std::sync::Arc;

    #[test]
    fn local_a_missing_column_or_another_type_is_an_error() {
        let slice = Rows::new(&CAPTURES).finish().expect("no rows fit");
        assert!(Captures::new(&slice).is_ok());
        for (name, dropped) in [("url", "no column url"), ("unread", "no column unread")] {
            let schema = slice.schema();
            let columns = schema.fields().iter().map(|field| field.name().clone());
            let pairs: Vec<(String, ArrayRef)> = columns.zip(slice.columns().iter().cloned()).collect();
            let without = pairs.iter().filter(|(column, _)| column != name).cloned();
            let without = RecordBatch::try_from_iter(without).expect("columns");
            assert_eq!(
                Captures::new(&without).err().map(|error| error.to_string()).as_deref(),
                Some(dropped)
            );
            let other: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
            let replaced = pairs.into_iter().map(|(column, array)| {
                let array = if column == name { Arc::clone(&other) } else { array };
                (column, array)
            });
            let replaced = RecordBatch::try_from_iter(replaced).expect("columns");
            let error = Captures::new(&replaced).err().map(|error| error.to_string());
            let expected = format!("the column {name} has another type than this version writes");
            assert_eq!(error, Some(expected));
        }
    }
}
