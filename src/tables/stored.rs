//! A stored Parquet file, read row group by row group wherever it is kept.

use crate::store::StoredFile;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, Read};
use std::sync::Arc;

/// A stored file for the Parquet reader, which asks for ranges of it.
pub struct StoredChunks(Arc<dyn StoredFile>);

impl StoredChunks {
    /// Takes a file.
    pub fn new(file: Box<dyn StoredFile>) -> Self {
        Self(file.into())
    }
}

impl Length for StoredChunks {
    fn len(&self) -> u64 {
        self.0.bytes()
    }
}

impl ChunkReader for StoredChunks {
    type T = Range;

    fn get_read(&self, start: u64) -> Result<Range, ParquetError> {
        Ok(Range { file: Arc::clone(&self.0), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut buffer = vec![0; length];
        self.0.read_range(start, &mut buffer)?;
        Ok(buffer.into())
    }
}

/// A stored file from one place on.
pub struct Range {
    file: Arc<dyn StoredFile>,
    at: u64,
}

impl Read for Range {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.file.bytes().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        self.file.read_range(self.at, buffer.get_mut(..count).unwrap_or_default())?;
        self.at += count as u64;
        Ok(count)
    }
}
