//! Reads row groups of a part of a site index one at a time with one request each, wherever the part is stored.
//!
//! Each group is followed by its own footer: up to its end, the part is a Parquet file that names no other group.

use super::super::guard::{self, AskedRows, guarded};
use super::super::stored::value;
use super::part::{GROUP_ABOUT, GroupRange, group_digest};
use crate::store::StoredFile;
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io;

/// The maximum bytes of a stored row group, and of its decoded rows.
const GROUP_BYTES: u64 = 32 << 20;
const DECODED_BYTES: u64 = 96 << 20;
/// About how many bytes of rows are decoded at once.
const ROWS_BYTES: u64 = 32 << 20;

/// A row group in memory whose bytes have the expected digest; its rows are not decoded.
pub struct CheckedGroup {
    window: RangeInMemory,
    metadata: ArrowReaderMetadata,
}

pub struct ReadGroup {
    pub rows: RecordBatch,
    /// The additional text in its footer.
    pub about: Option<String>,
}

impl GroupRange {
    /// Reads the row group's bytes and compares them with their digest.
    pub fn read(&self, file: &dyn StoredFile) -> io::Result<CheckedGroup> {
        let window = RangeInMemory::read(file, self.start, self.bytes)?;
        if self.sha256 != group_digest(&window.bytes) {
            let detail = format!(
                "its row group at byte {} is not as it was written",
                self.start
            );
            return Err(io::Error::other(detail));
        }
        let metadata = guard::metadata(&window, ArrowReaderOptions::new())?;
        Ok(CheckedGroup { window, metadata })
    }
}

impl CheckedGroup {
    /// Returns about how many bytes of memory it takes.
    pub fn byte_count(&self) -> usize {
        self.window.bytes.len() + self.metadata.metadata().memory_size()
    }

    /// Decodes all rows, or the `wanted` ones, whose numbers must ascend. Numbers without a row are ignored.
    pub fn rows(&self, wanted: Option<&[usize]>) -> io::Result<ReadGroup> {
        guarded(|| {
            let file = self.metadata.metadata().file_metadata();
            let about = value(file, GROUP_ABOUT).map(str::to_owned);
            let rows = usize::try_from(file.num_rows()).map_err(io::Error::other)?;
            let schema = self.metadata.schema();
            let asked = AskedRows {
                bytes: ROWS_BYTES,
                ..AskedRows::all(rows.clamp(1, 1 << 20))
            };
            let asked = if let Some(wanted) = wanted {
                asked.only(wanted, rows)
            } else {
                asked
            };
            let (mut batches, mut bytes) = (Vec::new(), 0);
            for batch in guard::rows(self.window.clone(), &self.metadata, asked)? {
                let batch = batch?;
                bytes += batch.get_array_memory_size() as u64;
                if bytes > DECODED_BYTES {
                    let detail = format!(
                        "a row group of more than {DECODED_BYTES} bytes once it is decoded"
                    );
                    return Err(io::Error::other(detail));
                }
                batches.push(batch);
            }
            let rows = match batches.pop() {
                Some(rows) if batches.is_empty() => rows,
                last => {
                    concat_batches(schema, batches.iter().chain(&last)).map_err(io::Error::other)?
                }
            };
            Ok(ReadGroup { rows, about })
        })
    }
}

/// A range of a file in memory. A Parquet reader sees it as the file up to the end of the range.
#[derive(Clone)]
struct RangeInMemory {
    start: u64,
    bytes: Bytes,
}

impl RangeInMemory {
    fn read(file: &dyn StoredFile, start: u64, bytes: u64) -> io::Result<Self> {
        let end = start
            .checked_add(bytes)
            .filter(|end| *end <= file.bytes() && bytes <= GROUP_BYTES);
        end.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "a range beyond the end of the file",
            )
        })?;
        let mut buffer = vec![0; usize::try_from(bytes).map_err(io::Error::other)?];
        file.read_range(start, &mut buffer)?;
        Ok(Self {
            start,
            bytes: buffer.into(),
        })
    }

    /// Returns the bytes from a place of the file on, up to a length or to the end.
    fn slice(&self, start: u64, length: Option<usize>) -> Result<Bytes, ParquetError> {
        let slice = || {
            let from = usize::try_from(start.checked_sub(self.start)?).ok()?;
            let to = length.map_or(Some(self.bytes.len()), |length| from.checked_add(length))?;
            (from <= to && to <= self.bytes.len()).then(|| self.bytes.slice(from..to))
        };
        slice().ok_or_else(|| ParquetError::EOF("outside of what was read".to_owned()))
    }
}

impl Length for RangeInMemory {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for RangeInMemory {
    type T = io::Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<io::Cursor<Bytes>, ParquetError> {
        self.slice(start, None).map(io::Cursor::new)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.slice(start, Some(length))
    }
}
