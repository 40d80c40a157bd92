//! A stored object as a stream, from one place on.
//!
//! Left out: reading ahead, which a store behind a network does itself.

use super::StoredFile;
use std::io::{self, Read};
use std::sync::Arc;

/// A stored object from one place on.
pub struct FileRange {
    file: Arc<dyn StoredFile>,
    at: u64,
}

impl FileRange {
    /// Reads an object from byte `start` on.
    pub fn new(file: Arc<dyn StoredFile>, start: u64) -> Self {
        Self { file, at: start }
    }
}

impl Read for FileRange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.file.bytes().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        self.file.read_range(self.at, buffer.get_mut(..count).unwrap_or_default())?;
        self.at += count as u64;
        Ok(count)
    }
}
