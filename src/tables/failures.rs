//! `evidence/failures`: what is wrong with an archive, and where.

use super::Table;
use super::columns::int64;
use super::writer::rows;
use crate::archive::{ArchiveName, Damage};
use crate::web::column::Column;
use arrow_array::RecordBatch;
use arrow_array::builder::{BooleanBuilder, Int64Builder, StringBuilder};
use std::io;
use std::sync::Arc;

const COLUMNS: &[Column] = &[
    Column::text("warc_filename", "archive, see captures"),
    Column::int64(
        "warc_record_offset",
        "bytes from the start of the archive to the record, member or place concerned",
    ),
    Column::text(
        "kind",
        "what is wrong: gzip_data, gzip_checksum, gzip_cut, not_gzip, padding, not_a_record, head_cut, head_too_long, content_length, block_short, misaligned, read, no_target_uri, date, url; more: counts the rest, where an archive has more than 10,000",
    ),
    Column::text("detail", "what was found"),
    Column::boolean(
        "record_lost",
        "whether a record is missing from captures and from the counts by type because of it",
    ),
];

/// `evidence/failures`
pub static FAILURES: Table = Table {
    name: "failures",
    folder: "evidence/failures",
    row: "damaged or unreadable place",
    columns: || vec![COLUMNS],
};

/// Rows of `failures`, being filled.
#[derive(Default)]
pub struct FailureRows {
    filename: StringBuilder,
    offset: Int64Builder,
    kind: StringBuilder,
    detail: StringBuilder,
    record_lost: BooleanBuilder,
    count: usize,
}

impl FailureRows {
    /// Adds damage of `archive`.
    pub fn push(&mut self, archive: &ArchiveName, damage: &Damage) {
        self.filename.append_value(archive.filename());
        self.offset.append_value(int64(damage.offset));
        self.kind.append_value(damage.kind.as_str());
        self.detail.append_value(&damage.detail);
        self.record_lost.append_value(damage.record_lost);
        self.count += 1;
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.count = 0;
        let columns = vec![
            Arc::new(self.filename.finish()) as _,
            Arc::new(self.offset.finish()) as _,
            Arc::new(self.kind.finish()) as _,
            Arc::new(self.detail.finish()) as _,
            Arc::new(self.record_lost.finish()) as _,
        ];
        rows(&FAILURES, columns)
    }
}
