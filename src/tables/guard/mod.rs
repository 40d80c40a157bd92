//! Parquet files that someone else may have written, or that were damaged later: each fault becomes an error of its file.
//!
//! This is the only entry to the rows of a Parquet file: `rows` opens every reader and first weighs the memory that the decoded
//! rows take, so no caller can skip the weighing. Example: an index part of 2,894 bytes whose only row has a list of 100
//! million numbers is refused by the headers of its pages. Lengths are compared with the file before anything is allocated by
//! them, because an allocation that is too long ends the process. The packages that read Parquet panic on input that they do
//! not expect; such a panic becomes an error. Left out: encrypted files.

mod footer;
mod pages;
mod records;
mod weight;

use super::writer::as_io;
use arrow_array::RecordBatch;
use pages::{Guarded, ListBudget};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Once};
use weight::{most_bytes, rows_at_once, weigh};

pub fn metadata<R: ChunkReader>(
    file: &R,
    options: ArrowReaderOptions,
) -> io::Result<ArrowReaderMetadata> {
    let metadata = footer(file)?;
    guarded(|| ArrowReaderMetadata::try_new(Arc::new(metadata), options).map_err(as_io))
}

/// Reads the footer of a file whose rows are not read.
pub fn footer<R: ChunkReader>(file: &R) -> io::Result<ParquetMetaData> {
    guarded(|| {
        let bytes = file.len();
        let Some(tail) = bytes.checked_sub(8) else {
            return Err(io::Error::other(
                "Invalid Parquet file: Parquet file too small",
            ));
        };
        let end = file.get_bytes(tail, 8).map_err(as_io)?;
        let length = match end.as_ref() {
            [a, b, c, d, b'P', b'A', b'R', b'1'] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            [.., b'P', b'A', b'R', b'E'] => return Err(io::Error::other("the file is encrypted")),
            _ => {
                return Err(io::Error::other(
                    "Invalid Parquet file: its last bytes are not PAR1",
                ));
            }
        };
        let Some(start) = tail
            .checked_sub(length)
            .filter(|_| length <= footer::FOOTER_BYTES)
        else {
            return Err(io::Error::other(format!(
                "Invalid Parquet file: a footer of {length} bytes"
            )));
        };
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let footer = file.get_bytes(start, length).map_err(as_io)?;
        footer::check(&footer)?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(as_io)?;
        footer::check_columns(&metadata, bytes)?;
        Ok(metadata)
    })
}

thread_local! {
    /// Whether a panic of this thread becomes an error, so that nothing is printed about it.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call and turns a panic in it into an error. State that the call has changed must not be used after a panic.
pub fn guarded<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
            if !IS_GUARDED.try_with(Cell::get).unwrap_or_default() {
                before(panic);
            }
        }));
    });
    let was_guarded = IS_GUARDED.replace(true);
    let called = catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(was_guarded);
    called.unwrap_or_else(|panic| {
        Err(io::Error::other(format!(
            "damaged: {}",
            text(panic.as_ref())
        )))
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it cannot be decoded")
}

/// About how many bytes of decoded rows are held at once if the caller has no limit of its own.
pub const ROWS_BYTES: u64 = 128 << 20;

/// The rows that are read from a file.
pub struct AskedRows {
    /// The columns; `None`: all.
    pub columns: Option<ProjectionMask>,
    /// The row groups, by their places; `None`: all.
    pub groups: Option<Vec<usize>>,
    /// The rows of these groups; `None`: all.
    pub selection: Option<RowSelection>,
    /// The maximum number of rows per batch.
    pub rows: usize,
    /// About how many bytes a batch may take; a row or a page that takes four times as many is refused.
    pub bytes: u64,
}

impl AskedRows {
    /// Asks for all rows and columns, `rows` at once.
    pub fn all(rows: usize) -> Self {
        Self {
            columns: None,
            groups: None,
            selection: None,
            rows,
            bytes: ROWS_BYTES,
        }
    }

    /// Asks for some of a number of rows, by their numbers in ascending order; numbers without a row are ignored.
    pub fn only(self, rows: &[usize], total: usize) -> Self {
        let ranges = rows
            .iter()
            .filter(|row| **row < total)
            .map(|row| *row..*row + 1);
        Self {
            selection: Some(RowSelection::from_consecutive_ranges(ranges, total)),
            ..self
        }
    }
}

/// The rows of a file; it ends after an error.
pub struct GuardedRows {
    reader: Option<ParquetRecordBatchReader>,
    lists: Arc<ListBudget>,
    /// About how many bytes of pages are held at once, plus the rows of one batch, at most.
    pub held_bytes: u64,
}

/// Begins to read rows of a file whose footer was read.
pub fn rows<R: ChunkReader + 'static>(
    file: R,
    metadata: &ArrowReaderMetadata,
    asked: AskedRows,
) -> io::Result<GuardedRows> {
    let lists = Arc::new(ListBudget::new(
        metadata.metadata(),
        most_bytes(asked.bytes),
    ));
    let file = Guarded {
        file: Arc::new(file),
        lists: Arc::clone(&lists),
    };
    let is_read = |leaf| {
        asked
            .columns
            .as_ref()
            .is_none_or(|columns| columns.leaf_included(leaf))
    };
    let groups = asked.groups.as_deref();
    let weight = weigh(&file, metadata.metadata(), groups, asked.bytes, is_read)?;
    lists.begin();
    let rows = rows_at_once(weight, asked.bytes, asked.rows)?;
    let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_batch_size(rows);
    if let Some(columns) = asked.columns {
        builder = builder.with_projection(columns);
    }
    if let Some(groups) = asked.groups {
        builder = builder.with_row_groups(groups);
    }
    if let Some(selection) = asked.selection {
        builder = builder.with_row_selection(selection);
    }
    let held_bytes = weight
        .pages
        .saturating_add(weight.row.saturating_mul(rows as u64).min(weight.group));
    let reader = Some(guarded(|| builder.build().map_err(as_io))?);
    Ok(GuardedRows {
        reader,
        lists,
        held_bytes,
    })
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

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn local_a_panic_is_an_error() {
        let error = guarded(|| -> std::io::Result<()> { panic!("row {}", 7) }).unwrap_err();
        assert_eq!(error.to_string(), "damaged: row 7");
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
    }
}
