//! Row groups of a part of a site index, read one at a time with one request each, wherever the part is kept.
//!
//! Left out: which group has what (`sites`).

use super::super::guard::{self, GuardedRows, guarded};
use super::INDEX_FORMAT;
use super::part::{GROUP_DIGESTS, IndexPart, group_digest};
use crate::store::StoredFile;
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use sha2::{Digest, Sha256};
use std::io;
use std::sync::Arc;

/// The most bytes of a footer.
const FOOTER_BYTES: u64 = 256 << 20;
/// The most bytes of a row group as it is stored, and rows of one.
const GROUP_BYTES: u64 = 1 << 30;

/// A part that is read by row groups.
#[derive(Clone)]
pub struct PartReader {
    file: Arc<dyn StoredFile>,
    metadata: ArrowReaderMetadata,
    /// The digests of the row groups.
    groups: Arc<[String]>,
}

impl PartReader {
    /// Opens a part, of which the length and the footer are compared with what is known of them.
    ///
    /// # Errors
    /// Why it cannot be read, or that it is another file.
    pub fn open(file: Box<dyn StoredFile>, part: &IndexPart) -> io::Result<Self> {
        let changed = |detail: String| {
            io::Error::other(format!("it is not the file that _index.json describes: {detail}"))
        };
        if file.bytes() != part.bytes {
            return Err(changed(format!("{} bytes, expected {}", file.bytes(), part.bytes)));
        }
        let start = part.bytes.checked_sub(part.footer_bytes).filter(|_| part.footer_bytes <= FOOTER_BYTES);
        let start = start.ok_or_else(|| changed(format!("a footer of {} bytes", part.footer_bytes)))?;
        let file: Arc<dyn StoredFile> = file.into();
        let footer = Window::read(Arc::clone(&file), start, part.footer_bytes)?;
        if HEXLOWER.encode(&Sha256::digest(&footer.bytes)) != part.footer_sha256 {
            return Err(changed("its footer has another digest".to_owned()));
        }
        let metadata = guard::metadata(&footer, ArrowReaderOptions::new())?;
        let value = |key: &str| {
            let mut pairs = metadata.metadata().file_metadata().key_value_metadata().into_iter().flatten();
            pairs.find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref())
        };
        let groups: Arc<[String]> =
            value(GROUP_DIGESTS).unwrap_or_default().split_terminator(' ').map(str::to_owned).collect();
        let is_whole = groups.len() == metadata.metadata().num_row_groups();
        if value("crawlprefs.index_format") != Some(INDEX_FORMAT) || !is_whole {
            return Err(io::Error::other("it is no part of a site index that this version reads"));
        }
        Ok(Self { file, metadata, groups })
    }

    /// Returns how many row groups there are.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Returns how many rows each group has.
    pub fn group_rows(&self) -> impl Iterator<Item = u64> {
        let groups = self.metadata.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.num_rows()).unwrap_or_default())
    }

    /// Reads a row group.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn group(&self, number: usize) -> io::Result<RecordBatch> {
        guarded(|| {
            let absent = || io::Error::other(format!("it has no row group {number}"));
            let group = self.metadata.metadata().row_groups().get(number).ok_or_else(absent)?;
            let (start, bytes) = extent(group)?;
            let window = Window::read(Arc::clone(&self.file), start, bytes)?;
            if self.groups.get(number).is_none_or(|digest| *digest != group_digest(&window.bytes)) {
                return Err(io::Error::other(format!("its row group {number} is not as it was written")));
            }
            let rows = usize::try_from(group.num_rows()).map_err(io::Error::other)?;
            let builder = guard::builder(window, self.metadata.clone());
            let builder = builder.with_row_groups(vec![number]).with_batch_size(rows.clamp(1, 1 << 20));
            let schema = builder.schema().clone();
            let batches = GuardedRows::new(builder)?.collect::<io::Result<Vec<_>>>()?;
            concat_batches(&schema, &batches).map_err(io::Error::other)
        })
    }
}

/// Returns where the column chunks of a row group are in the file.
fn extent(group: &RowGroupMetaData) -> io::Result<(u64, u64)> {
    let ranges = group.columns().iter().map(ColumnChunkMetaData::byte_range);
    let (mut start, mut end) = (u64::MAX, 0);
    for (at, bytes) in ranges {
        start = start.min(at);
        end = end.max(at.saturating_add(bytes));
    }
    let bytes = end.checked_sub(start).filter(|bytes| *bytes <= GROUP_BYTES);
    bytes.map(|bytes| (start, bytes)).ok_or_else(|| io::Error::other("a row group of too many bytes"))
}

/// A range of a file in memory, which a Parquet reader takes for the file.
struct Window {
    file: Arc<dyn StoredFile>,
    start: u64,
    bytes: Bytes,
}

impl Window {
    fn read(file: Arc<dyn StoredFile>, start: u64, bytes: u64) -> io::Result<Self> {
        if start.checked_add(bytes).is_none_or(|end| end > file.bytes()) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a range beyond the end of the file"));
        }
        let mut buffer = vec![0; usize::try_from(bytes).map_err(io::Error::other)?];
        file.read_range(start, &mut buffer)?;
        Ok(Self { file, start, bytes: buffer.into() })
    }

    fn slice(&self, start: u64, length: usize) -> Option<Bytes> {
        let from = usize::try_from(start.checked_sub(self.start)?).ok()?;
        let to = from.checked_add(length)?;
        (to <= self.bytes.len()).then(|| self.bytes.slice(from..to))
    }
}

impl Length for Window {
    fn len(&self) -> u64 {
        self.file.bytes()
    }
}

impl ChunkReader for Window {
    type T = io::Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<io::Cursor<Bytes>, ParquetError> {
        let from = start.checked_sub(self.start).and_then(|from| usize::try_from(from).ok());
        let from = from.filter(|from| *from <= self.bytes.len()).ok_or_else(outside)?;
        Ok(io::Cursor::new(self.bytes.slice(from..)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.slice(start, length).ok_or_else(outside)
    }
}

fn outside() -> ParquetError {
    ParquetError::EOF("outside of what was read".to_owned())
}
