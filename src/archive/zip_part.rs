//! The bytes of a file in a ZIP, read in place, and compared with what the ZIP and `datapackage.json` say of them.
//!
//! Document: PKWARE, APPNOTE 4.4.7, the checksum; for the digest see `datapackage`. Example: a WARC that is stored in a WACZ is a
//! range of the WACZ. Ours: how much of a directory is read has a limit.

use super::datapackage::StatedSha256;
use super::input::ArchiveSource;
use flate2::CrcReader;
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest directory of a ZIP that is read; it is held in memory.
pub const DIRECTORY_BYTES: u64 = 8 << 20;

/// A part of a source; its offsets count from its own beginning.
pub struct Ranges {
    source: Arc<dyn ArchiveSource>,
    pub begin: u64,
    /// The next byte in the source.
    at: u64,
    end: u64,
    /// How much of the source may still be read, by this and others.
    left: Arc<AtomicU64>,
}

impl Ranges {
    pub fn new(
        source: &Arc<dyn ArchiveSource>,
        (begin, end): (u64, u64),
        left: Arc<AtomicU64>,
    ) -> Self {
        Self {
            source: Arc::clone(source),
            begin,
            at: begin,
            end,
            left,
        }
    }
}

impl Read for Ranges {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = left.min(buffer.len());
        if count == 0 {
            return Ok(0);
        }
        let take = |left: u64| left.checked_sub(count as u64);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map_err(|_| {
                let detail =
                    format!("the directory of the ZIP is longer than {DIRECTORY_BYTES} bytes");
                io::Error::new(ErrorKind::Unsupported, detail)
            })?;
        let bytes = self.source.range(self.at, count)?.unwrap_or_default();
        let Some(buffer) = buffer.get_mut(..bytes.len()) else {
            return Err(ErrorKind::InvalidData.into());
        };
        buffer.copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl Seek for Ranges {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => self.begin.checked_add(at),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at
            .filter(|at| *at >= self.begin)
            .ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at - self.begin)
    }
}

/// The bytes of a file, which are compared with their checksum and digest at their end.
pub struct CheckedBytes {
    bytes: CrcReader<Box<dyn Read + Send>>,
    expected: u32,
    digest: Option<(Sha256, StatedSha256)>,
}

impl CheckedBytes {
    pub fn new(bytes: Box<dyn Read + Send>, expected: u32, stated: Option<StatedSha256>) -> Self {
        Self {
            bytes: CrcReader::new(bytes),
            expected,
            digest: stated.map(|stated| (Sha256::new(), stated)),
        }
    }
}

impl Read for CheckedBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        if let Some((digest, _)) = &mut self.digest {
            digest.update(buffer.get(..count).unwrap_or_default());
        }
        if count == 0
            && !buffer.is_empty()
            && let Some((digest, stated)) = self.digest.take()
        {
            stated.compare(digest);
        }
        if count == 0 && !buffer.is_empty() && self.bytes.crc().sum() != self.expected {
            let detail = "the bytes do not match the checksum in the ZIP";
            return Err(io::Error::new(ErrorKind::InvalidData, detail));
        }
        Ok(count)
    }
}
