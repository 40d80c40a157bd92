//! Evidence read back: the rows of `captures` and `site_files`, slice by slice.

use super::Table;
use super::captures::CAPTURES;
use super::columns::{URL, WHAT, WHERE};
use super::site_files::SITE_FILES;
use super::stored::StoredChunks;
use super::writer::as_io;
use crate::store::StoredFile;
use crate::verdict::timeline::Answer;
use crate::web::field::{Carrier, Field};
use crate::web::timestamp::Timestamp;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, BinaryArray, BooleanArray, ListArray, PrimitiveArray, RecordBatch, StringArray, StructArray,
};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::io;

/// Rows that are read at once. As slices of output follow those of the evidence, it is fixed.
const SLICE_ROWS: usize = 1024;

/// The columns of `captures` that say how a site's file was answered.
const FETCH_COLUMNS: &[&str] = &[
    "url",
    "fetch_time",
    "fetch_status",
    "fetch_redirect",
    "content_mime_type",
    "kind",
    "body_digest",
    "unread",
];

/// The columns of `captures` that say where the records stand.
const PLACE_COLUMNS: &[&str] = &["warc_filename", "warc_record_offset"];

/// A part of the evidence, read slice by slice.
pub struct Slices {
    reader: ParquetRecordBatchReader,
}

impl Slices {
    /// Opens a part of `captures`, all of its columns.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn of_captures(file: Box<dyn StoredFile>) -> io::Result<Self> {
        Self::open(file, &CAPTURES, None, None)
    }

    /// Opens a part of `captures`: one row, all of its columns.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn of_capture(file: Box<dyn StoredFile>, row: usize) -> io::Result<Self> {
        Self::open(file, &CAPTURES, None, Some(row))
    }

    /// Opens a part of `captures`: how URLs were answered, and where the records stand.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn of_requests(file: Box<dyn StoredFile>) -> io::Result<Self> {
        Self::open(file, &CAPTURES, Some(&[PLACE_COLUMNS, FETCH_COLUMNS]), None)
    }

    /// Opens a part of `captures`: how URLs were answered, without fields and places.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn of_fetches(file: Box<dyn StoredFile>) -> io::Result<Self> {
        Self::open(file, &CAPTURES, Some(&[FETCH_COLUMNS]), None)
    }

    /// Opens a part of `site_files`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn of_site_files(file: Box<dyn StoredFile>) -> io::Result<Self> {
        Self::open(file, &SITE_FILES, None, None)
    }

    fn open(
        file: Box<dyn StoredFile>,
        table: &Table,
        columns: Option<&[&[&str]]>,
        row: Option<usize>,
    ) -> io::Result<Self> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(StoredChunks::new(file)).map_err(as_io)?;
        let wanted =
            |name: &str| columns.is_none_or(|columns| columns.iter().any(|columns| columns.contains(&name)));
        let places: Vec<usize> =
            (0..).zip(table.columns()).filter(|(_, column)| wanted(column.name)).map(|(at, _)| at).collect();
        let mask = ProjectionMask::roots(builder.parquet_schema(), places);
        let builder = builder.with_projection(mask).with_batch_size(SLICE_ROWS);
        let builder = match row {
            Some(row) => builder.with_offset(row).with_limit(1),
            None => builder,
        };
        let reader = builder.build().map_err(as_io)?;
        Ok(Self { reader })
    }
}

impl Iterator for Slices {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.reader.next()?.map_err(io::Error::other))
    }
}

/// A slice of `captures`.
pub struct Captures<'b> {
    rows: &'b RecordBatch,
    url: &'b StringArray,
    kind: &'b StringArray,
    fetch_time: &'b PrimitiveArray<TimestampMicrosecondType>,
    fetch_status: &'b PrimitiveArray<Int16Type>,
    fetch_redirect: &'b StringArray,
    media_type: &'b StringArray,
    body_digest: &'b StringArray,
    unread: &'b ListArray,
}

impl<'b> Captures<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// Where it has not the columns of `captures`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        Ok(Self {
            rows,
            url: text(rows, "url")?,
            kind: text(rows, "kind")?,
            fetch_time: column(rows, "fetch_time")?
                .as_primitive_opt()
                .ok_or_else(|| other_type("fetch_time"))?,
            fetch_status: column(rows, "fetch_status")?
                .as_primitive_opt()
                .ok_or_else(|| other_type("fetch_status"))?,
            fetch_redirect: text(rows, "fetch_redirect")?,
            media_type: text(rows, "content_mime_type")?,
            body_digest: text(rows, "body_digest")?,
            unread: column(rows, "unread")?.as_list_opt().ok_or_else(|| other_type("unread"))?,
        })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.num_rows()
    }

    /// Returns the URL of a row.
    #[must_use]
    pub fn url(&self, row: usize) -> &'b str {
        self.url.value(row)
    }

    /// Returns the kind of a row.
    #[must_use]
    pub fn kind(&self, row: usize) -> &'b str {
        self.kind.value(row)
    }

    /// Returns where a row's record stands: its archive, and the offset in it.
    ///
    /// # Errors
    /// Where these columns were not read.
    pub fn place(&self, row: usize) -> io::Result<(&'b str, i64)> {
        let offsets: &PrimitiveArray<Int64Type> = column(self.rows, "warc_record_offset")?
            .as_primitive_opt()
            .ok_or_else(|| other_type("warc_record_offset"))?;
        Ok((text(self.rows, "warc_filename")?.value(row), offsets.value(row)))
    }

    /// Returns the time of a row.
    #[must_use]
    pub fn fetched_at(&self, row: usize) -> Option<Timestamp> {
        let us = self.fetch_time.is_valid(row).then(|| self.fetch_time.value(row))?;
        Timestamp::from_unix_micros(us)
    }

    /// Returns the status of a row.
    #[must_use]
    pub fn status(&self, row: usize) -> Option<u16> {
        let status = self.fetch_status.is_valid(row).then(|| self.fetch_status.value(row));
        status.and_then(|status| u16::try_from(status).ok())
    }

    /// Returns how a row was answered.
    #[must_use]
    pub fn answer(&self, row: usize) -> Answer {
        self.status(row).map_or(Answer::StatusUnreadable, Answer::Status)
    }

    /// Returns where a row's redirect leads.
    #[must_use]
    pub fn redirect(&self, row: usize) -> Option<&'b str> {
        optional(self.fetch_redirect, row)
    }

    /// Returns the media type of a row.
    #[must_use]
    pub fn media_type(&self, row: usize) -> Option<&'b str> {
        optional(self.media_type, row)
    }

    /// Returns the key of a row's body.
    #[must_use]
    pub fn body_digest(&self, row: usize) -> Option<&'b str> {
        optional(self.body_digest, row)
    }

    /// Returns the carriers of a row that could not be read whole.
    pub fn unread(&self, row: usize) -> impl Iterator<Item = &'b str> {
        let (from, to) = range(self.unread, row);
        let names = self.unread.values().as_string_opt::<i32>();
        (from..to).filter_map(move |at| names.map(|names| names.value(at)))
    }

    /// Adds a row's header fields and metas to `fields`.
    ///
    /// # Errors
    /// Where the column has another type.
    pub fn fields(&self, row: usize, fields: &mut Vec<Field<'b>>) -> io::Result<()> {
        let lists: &ListArray =
            column(self.rows, "signals")?.as_list_opt().ok_or_else(|| other_type("signals"))?;
        let structs: &StructArray = lists.values().as_struct_opt().ok_or_else(|| other_type("signals"))?;
        let [carriers, names, values] = structs.columns() else { return Err(other_type("signals")) };
        let carriers = carriers.as_string_opt::<i32>().ok_or_else(|| other_type("signals"))?;
        let names = names.as_string_opt::<i32>().ok_or_else(|| other_type("signals"))?;
        let values: &BinaryArray = values.as_binary_opt::<i32>().ok_or_else(|| other_type("signals"))?;
        let (from, to) = range(lists, row);
        for at in from..to {
            let carrier = Carrier::named(carriers.value(at)).ok_or_else(|| other_type("signals"))?;
            fields.push(Field { carrier, name: names.value(at), value: values.value(at) });
        }
        Ok(())
    }

    /// Returns the rows for which `keep` holds.
    ///
    /// # Errors
    /// None that a slice of `captures` can cause.
    pub fn only(&self, keep: &[bool]) -> io::Result<RecordBatch> {
        filter_record_batch(self.rows, &BooleanArray::from(keep.to_vec())).map_err(io::Error::other)
    }

    /// Returns the rows for which `keep` holds, in those columns that `pages` begins with.
    ///
    /// # Errors
    /// None that a slice of `captures` can cause.
    pub fn beginnings(&self, keep: &[bool]) -> io::Result<RecordBatch> {
        let shared: Vec<usize> = (0..WHERE.len() + URL.len() + WHAT.len()).collect();
        let rows = self.rows.project(&shared).map_err(io::Error::other)?;
        filter_record_batch(&rows, &BooleanArray::from(keep.to_vec())).map_err(io::Error::other)
    }
}

/// A slice of `site_files`.
pub struct SiteBodies<'b> {
    digest: &'b StringArray,
    kind: &'b StringArray,
    body: &'b BinaryArray,
    cut: &'b BooleanArray,
}

impl<'b> SiteBodies<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// Where it has not the columns of `site_files`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        Ok(Self {
            digest: text(rows, "body_digest")?,
            kind: text(rows, "kind")?,
            body: column(rows, "body")?.as_binary_opt().ok_or_else(|| other_type("body"))?,
            cut: column(rows, "cut")?.as_boolean_opt().ok_or_else(|| other_type("cut"))?,
        })
    }

    /// Returns each body: its key, its kind, itself, and whether it is but the beginning.
    pub fn iter(&self) -> impl Iterator<Item = (&'b str, &'b str, &'b [u8], bool)> {
        let Self { digest, kind, body, cut } = *self;
        (0..digest.len())
            .map(move |row| (digest.value(row), kind.value(row), body.value(row), cut.value(row)))
    }
}

fn column<'b>(rows: &'b RecordBatch, name: &str) -> io::Result<&'b dyn Array> {
    rows.column_by_name(name).map(AsRef::as_ref).ok_or_else(|| io::Error::other(format!("no column {name}")))
}

fn text<'b>(rows: &'b RecordBatch, name: &str) -> io::Result<&'b StringArray> {
    column(rows, name)?.as_string_opt().ok_or_else(|| other_type(name))
}

fn other_type(name: &str) -> io::Error {
    io::Error::other(format!("the column {name} has another type than this version writes"))
}

fn optional(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// Returns where a row's elements stand.
fn range(lists: &ListArray, row: usize) -> (usize, usize) {
    let at =
        |row: usize| lists.value_offsets().get(row).map_or(0, |offset| usize::try_from(*offset).unwrap_or(0));
    (at(row), at(row + 1))
}
