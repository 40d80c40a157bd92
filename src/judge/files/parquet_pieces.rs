//! How much of a Parquet file is held at once.
//!
//! Example: a row group of 10,000 rows is one piece; one of three million rows is three.

use parquet::file::metadata::ParquetMetaData;
use std::ops::Range;

/// About how many bytes of rows are encoded at once, and how many rows at most.
const SLICE_BYTES: i64 = 8 << 20;
const SLICE_ROWS: i64 = 4096;
/// Rows of a row group that are taken together: a file of few bytes may have a row group of billions.
const PIECE_ROWS: usize = 1 << 20;

/// Rows of a row group: all of it, unless it has very many.
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

/// Returns how many rows are read at once.
pub fn slice_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter();
    let bytes = groups.map(|group| group.total_byte_size() / group.num_rows().max(1)).max();
    usize::try_from((SLICE_BYTES / bytes.unwrap_or_default().max(1)).clamp(1, SLICE_ROWS)).unwrap_or(1)
}
