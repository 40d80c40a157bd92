//! The one door to the rows of a Parquet file: what they take once they are decoded is weighed before any of them is read.
//!
//! Example: an index part of 2,894 bytes whose only row has a list of 100 million numbers is refused by the headers of its
//! pages. The readers of the package are opened here alone, so that no caller can leave the weighing out.

use super::guarded;
use super::pages::{Guarded, ListBudget};
use super::weight::{most_bytes, rows_at_once, weigh};
use crate::tables::writer::as_io;
use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::reader::ChunkReader;
use std::io;
use std::sync::Arc;

/// About how many bytes of decoded rows are held at once, where the caller has no limit of its own.
pub const ROWS_BYTES: u64 = 128 << 20;

/// What is asked of a file.
pub struct AskedRows {
    /// The columns; `None`: all.
    pub columns: Option<ProjectionMask>,
    /// The row groups, by their places; `None`: all.
    pub groups: Option<Vec<usize>>,
    /// The rows of these groups; `None`: all.
    pub selection: Option<RowSelection>,
    /// How many rows come at once, at most.
    pub rows: usize,
    /// About how many bytes they may take; a row or a page that takes four times as many is refused.
    pub bytes: u64,
}

impl AskedRows {
    /// Asks for all rows and columns.
    pub fn all(rows: usize) -> Self {
        Self { columns: None, groups: None, selection: None, rows, bytes: ROWS_BYTES }
    }
}

/// The rows of a file; after an error there are none.
pub struct GuardedRows {
    reader: Option<ParquetRecordBatchReader>,
    lists: Arc<ListBudget>,
    held_bytes: u64,
}

impl GuardedRows {
    /// Returns about how many bytes the pages take that are held at once, and the rows that come at once, at most.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }
}

/// Begins to read rows of a file whose footer was read.
pub fn rows<R: ChunkReader + 'static>(
    file: R,
    metadata: &ArrowReaderMetadata,
    asked: AskedRows,
) -> io::Result<GuardedRows> {
    let lists = Arc::new(ListBudget::new(metadata.metadata(), most_bytes(asked.bytes)));
    let file = Guarded::new(file, Arc::clone(&lists));
    let is_read = |leaf| asked.columns.as_ref().is_none_or(|columns| columns.leaf_included(leaf));
    let weight = weigh(&file, metadata.metadata(), asked.groups.as_deref(), is_read)?;
    let rows = rows_at_once(weight, asked.bytes, asked.rows)?;
    let mut builder =
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone()).with_batch_size(rows);
    if let Some(columns) = asked.columns {
        builder = builder.with_projection(columns);
    }
    if let Some(groups) = asked.groups {
        builder = builder.with_row_groups(groups);
    }
    if let Some(selection) = asked.selection {
        builder = builder.with_row_selection(selection);
    }
    let held_bytes = weight.pages.saturating_add(weight.row.saturating_mul(rows as u64).min(weight.group));
    let reader = Some(guarded(|| builder.build().map_err(as_io))?);
    Ok(GuardedRows { reader, lists, held_bytes })
}

impl Iterator for GuardedRows {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        self.lists.begin();
        let rows = guarded(|| reader.next().transpose().map_err(io::Error::other));
        if rows.is_err() {
            self.reader = None;
        }
        rows.transpose()
    }
}
