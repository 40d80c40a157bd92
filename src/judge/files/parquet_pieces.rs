//! How much of a Parquet file is held at once.
//!
//! Example: a row group of 10,000 rows is one piece; one of three million rows is three. Left out: the rows themselves.

use crate::tables::guard::Weight;
use parquet::file::metadata::ParquetMetaData;
use std::io;
use std::ops::Range;

/// About how many bytes of rows are encoded at once, and how many rows at most.
const SLICE_BYTES: i64 = 8 << 20;
const SLICE_ROWS: i64 = 4096;
/// Rows of a row group that are looked at together: a file of few bytes may have one of billions.
const PIECE_ROWS: usize = 1 << 20;
/// About how many bytes of rows may be read at once where a row can be long, however little memory there is.
const LEAST_BYTES: u64 = 32 << 20;

/// Rows of a row group, all of it where it has not very many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The place of its row group.
    pub group: usize,
    /// Its rows in the group.
    pub rows: Range<usize>,
    /// Whether it is all of the group.
    pub is_whole: bool,
}

impl Piece {
    /// Returns how many rows it has.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }
}

/// Returns the pieces of a file, in its order.
pub fn pieces(metadata: &ParquetMetaData) -> impl Iterator<Item = Piece> {
    metadata.row_groups().iter().enumerate().flat_map(|(group, about)| {
        let count = usize::try_from(about.num_rows()).unwrap_or_default();
        let starts = (0..count).step_by(PIECE_ROWS);
        starts.map(move |start| {
            let rows = start..count.min(start + PIECE_ROWS);
            Piece { group, is_whole: rows.len() == count, rows }
        })
    })
}

/// Returns how many rows may be read at once, so that they and the pages that they are in do not take more than so many
/// bytes.
pub fn rows_at_once(weight: Weight, bytes: u64, most_rows: usize) -> io::Result<usize> {
    let Weight { row_bytes, page_bytes } = weight;
    let bytes = bytes.max(LEAST_BYTES);
    let needed = row_bytes.max(page_bytes);
    if needed > bytes.saturating_mul(4) {
        let most = bytes.saturating_mul(4);
        let detail = format!(
            "its rows or pages need {needed} bytes of memory, and {most} are allowed (--memory-limit)"
        );
        return Err(io::Error::other(detail));
    }
    let rows = usize::try_from(bytes / row_bytes.max(1)).unwrap_or(most_rows);
    Ok(rows.clamp(1, most_rows))
}

/// Returns how many rows are read at once.
pub fn slice_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter();
    let bytes = groups.map(|group| group.total_byte_size() / group.num_rows().max(1)).max();
    usize::try_from((SLICE_BYTES / bytes.unwrap_or_default().max(1)).clamp(1, SLICE_ROWS)).unwrap_or(1)
}
