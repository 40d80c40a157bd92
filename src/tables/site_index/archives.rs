//! `archives`: the archives that a site index was made from, by crawl and name; a number is a row.
//!
//! It is how overlapping indexes are known to have read the same archive. Left out: what was read of it (`archives` of a run).

use super::super::stored::{column, optional};
use super::super::{Rows, Table};
use crate::web::column::Column;
use arrow_array::{Int64Array, RecordBatch, StringArray};
use std::io;

const COLUMNS: &[Column] = &[
    Column::int32("archive", "number of the archive, from 0 on, by crawl and warc_filename"),
    Column::text("crawl", "crawl"),
    Column::text("warc_filename", "archive, see captures"),
    Column::text("outcome", "what became of the archive, as in archives of a run"),
    Column::int64("failures", "damaged places in it"),
    Column::text(
        "fingerprint",
        "length in bytes, and SHA-1 (base32) of its first and last 64 KiB; NULL where it could not be read",
    )
    .or_null(),
];

/// `archives` of a site index
pub static INDEX_ARCHIVES: Table =
    Table { name: "archives", folder: "archives", row: "archive", columns: || vec![COLUMNS] };

/// An archive of a site index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedArchive {
    /// The crawl.
    pub crawl: String,
    /// The archive's name.
    pub warc_filename: String,
    /// What became of it.
    pub outcome: String,
    /// Damaged places.
    pub failures: u64,
    /// What identifies its bytes; `None` where it could not be read.
    pub fingerprint: Option<String>,
}

/// Returns the rows of archives, which are sorted, by the number of the first one.
pub fn archive_rows(first: i32, archives: &[IndexedArchive]) -> io::Result<RecordBatch> {
    let mut rows = Rows::new(&INDEX_ARCHIVES);
    for (number, archive) in (first..).zip(archives) {
        let cells = rows.row();
        cells.int32("archive", number);
        cells.text("crawl", &archive.crawl);
        cells.text("warc_filename", &archive.warc_filename);
        cells.text("outcome", &archive.outcome);
        cells.int64("failures", archive.failures);
        cells.text_or_null("fingerprint", archive.fingerprint.as_deref());
    }
    rows.finish()
}

/// Returns the archives of a batch.
///
/// # Errors
/// Where it has not the columns of `archives`.
pub fn indexed_archives(rows: &RecordBatch) -> io::Result<Vec<IndexedArchive>> {
    let text = |name| column::<StringArray>(rows, name);
    let (crawl, name, outcome) = (text("crawl")?, text("warc_filename")?, text("outcome")?);
    let (failures, fingerprint) = (column::<Int64Array>(rows, "failures")?, text("fingerprint")?);
    let archive = |row| IndexedArchive {
        crawl: crawl.value(row).to_owned(),
        warc_filename: name.value(row).to_owned(),
        outcome: outcome.value(row).to_owned(),
        failures: u64::try_from(failures.value(row)).unwrap_or_default(),
        fingerprint: optional(fingerprint, row).map(str::to_owned),
    };
    Ok((0..rows.num_rows()).map(archive).collect())
}
