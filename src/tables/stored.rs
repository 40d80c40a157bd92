//! A stored Parquet file, read row group by row group wherever it is kept.

use crate::store::StoredFile;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A stored file for the Parquet reader, which asks for ranges of it.
pub struct StoredChunks {
    file: Arc<Mutex<Box<dyn StoredFile>>>,
    bytes: u64,
}

impl StoredChunks {
    /// Takes a file.
    ///
    /// # Errors
    /// Why its length cannot be found.
    pub fn new(mut file: Box<dyn StoredFile>) -> io::Result<Self> {
        let bytes = file.seek(SeekFrom::End(0))?;
        Ok(Self { file: Arc::new(Mutex::new(file)), bytes })
    }
}

impl Length for StoredChunks {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for StoredChunks {
    type T = Range;

    fn get_read(&self, start: u64) -> Result<Range, ParquetError> {
        Ok(Range { file: Arc::clone(&self.file), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut buffer = vec![0; length];
        self.get_read(start)?.read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

/// A stored file from one place on.
pub struct Range {
    file: Arc<Mutex<Box<dyn StoredFile>>>,
    at: u64,
}

impl Read for Range {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let count = file.read(room)?;
        self.at += count as u64;
        Ok(count)
    }
}
