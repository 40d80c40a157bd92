//! Ranges of an object in any order, such as the pages of a Parquet file or the directory of a ZIP; and objects as archives.
//!
//! Short ranges are taken from blocks of a mebibyte. The last used blocks are kept, so that a file of many small columns costs
//! one request per block. Long ranges are requested as they are.

use super::clients::Network;
use super::hosts::Host;
use super::object::{Object, RangeReader};
use crate::archive::ArchiveSource;
use crate::store::StoredFile;
use bytes::Bytes;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK_BYTES: u64 = 1 << 20;
/// How many blocks of one object are kept; any number of this size.
const BLOCKS: usize = 16;

/// An object that is read in ranges.
pub struct Blocks {
    object: Arc<Object>,
    network: Arc<Network>,
    /// Its length, if it is known before any request: then each range is a request of its own.
    known: Option<u64>,
    /// By number, the last used one at the end.
    kept: Mutex<Vec<(u64, Bytes)>>,
}

impl Blocks {
    pub fn new(object: Arc<Object>, network: Arc<Network>, known: Option<u64>) -> Self {
        Self {
            object,
            network,
            known,
            kept: Mutex::default(),
        }
    }

    fn block(&self, number: u64) -> io::Result<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let block = if let Some(place) = kept.iter().position(|(known, _)| *known == number) {
            kept.remove(place).1
        } else {
            let from = number * BLOCK_BYTES;
            let to = self.object.bytes().unwrap_or(0).min(from + BLOCK_BYTES);
            self.network.wait(self.object.bounded(from..to))?
        };
        if kept.len() >= BLOCKS {
            kept.remove(0);
        }
        kept.push((number, block.clone()));
        Ok(block)
    }
}

impl StoredFile for Blocks {
    fn bytes(&self) -> u64 {
        self.known.or(self.object.bytes()).unwrap_or(0)
    }

    fn read_range(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(buffer.len() as u64);
        if self
            .known
            .or(self.object.bytes())
            .is_some_and(|bytes| end > bytes)
        {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let is_alone = buffer.len() as u64 >= BLOCK_BYTES || self.known.is_some();
        if is_alone || self.object.bytes().is_none() {
            let read = self.network.wait(self.object.bounded(offset..end))?;
            if let Some((found, known)) = self
                .object
                .bytes()
                .zip(self.known)
                .filter(|(found, known)| found != known)
            {
                return Err(io::Error::other(format!("{found} bytes, expected {known}")));
            }
            buffer.copy_from_slice(&read);
            return Ok(());
        }
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let number = at / BLOCK_BYTES;
            let block = self.block(number)?;
            let from = usize::try_from(at % BLOCK_BYTES).map_err(io::Error::other)?;
            let piece = block.get(from..).unwrap_or_default();
            let (now, later) = rest.split_at_mut(piece.len().min(rest.len()));
            if now.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            now.copy_from_slice(piece.get(..now.len()).unwrap_or_default());
            at += now.len() as u64;
            rest = later;
        }
        Ok(())
    }
}

/// A range of this length or more is requested alone, not as part of a block: the two ends that identify an archive.
const ALONE_BYTES: usize = 64 << 10;

/// An archive in a store or behind a web server.
pub struct RemoteSource {
    blocks: Blocks,
    host: Arc<Host>,
    /// Its version, if a listing has it.
    listed: Option<String>,
}

impl RemoteSource {
    /// Returns an archive; its first request is sent when it is opened.
    pub fn new(
        object: Object,
        host: Arc<Host>,
        network: Arc<Network>,
        listed: Option<String>,
    ) -> Self {
        Self {
            blocks: Blocks::new(Arc::new(object), network, None),
            host,
            listed,
        }
    }
}

impl ArchiveSource for RemoteSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let reader = RangeReader::new(
            Arc::clone(&self.blocks.object),
            Arc::clone(&self.blocks.network),
        )?;
        Ok(Box::new(reader))
    }

    fn bytes(&self) -> Option<u64> {
        self.blocks.object.bytes()
    }

    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        if bytes >= ALONE_BYTES {
            let range = self
                .blocks
                .object
                .bounded(offset..offset.saturating_add(bytes as u64));
            return self
                .blocks
                .network
                .wait(range)
                .map(|range| Some(range.to_vec()));
        }
        let mut range = vec![0; bytes];
        if bytes > 0 {
            self.blocks.read_range(offset, &mut range)?;
        }
        Ok(Some(range))
    }

    fn end(&self, bytes: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let last = self.blocks.network.wait(self.blocks.object.last(bytes))?;
        Ok(self
            .blocks
            .object
            .bytes()
            .map(|length| (length, last.to_vec())))
    }

    fn modified_unix_ms(&self) -> Option<i64> {
        self.blocks.object.written_unix_ms()
    }

    fn version(&self) -> Option<String> {
        self.blocks.object.archive_version()
    }

    fn listed_version(&self) -> Option<String> {
        self.listed.clone()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn refusal(&self) -> Option<String> {
        self.host.refusal().map(str::to_owned)
    }

    fn left_alone(&self) -> Option<String> {
        self.host.left_alone()
    }

    fn location(&self) -> String {
        self.blocks.object.shown.clone()
    }
}

/// An archive whose key is no path, such as `a//b.warc.gz`: it cannot be asked for, and costs itself alone.
pub struct OddSource {
    pub location: String,
    pub detail: String,
}

impl ArchiveSource for OddSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Err(io::Error::other(format!(
            "{}; copy the object to another key",
            self.detail
        )))
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn location(&self) -> String {
        self.location.clone()
    }
}
