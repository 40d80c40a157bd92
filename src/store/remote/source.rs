//! An object as an archive's source.

use super::blocks::Blocks;
use super::hosts::Host;
use super::network::Network;
use super::object::Object;
use super::reader::RangeReader;
use crate::archive::ArchiveSource;
use std::io::{self, Read};
use std::sync::Arc;

/// So long a range is asked for alone, and not as part of a block: the two ends by which an archive is known.
const ALONE_BYTES: usize = 64 << 10;

/// An archive in a store or behind a web server.
pub struct RemoteSource {
    object: Arc<Object>,
    blocks: Blocks,
    network: Arc<Network>,
    host: Arc<Host>,
    /// Its version, where a listing has said it.
    listed: Option<String>,
}

impl RemoteSource {
    /// Returns an archive, which is looked at when it is opened.
    pub fn new(object: Object, host: Arc<Host>, network: Arc<Network>, listed: Option<String>) -> Self {
        let object = Arc::new(object);
        let blocks = Blocks::new(Arc::clone(&object), Arc::clone(&network));
        Self { object, blocks, network, host, listed }
    }
}

impl ArchiveSource for RemoteSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let reader = RangeReader::new(Arc::clone(&self.object), Arc::clone(&self.network))?;
        Ok(Box::new(reader))
    }

    fn bytes(&self) -> Option<u64> {
        self.object.bytes()
    }

    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        if bytes >= ALONE_BYTES {
            let range = self.object.bounded(offset..offset.saturating_add(bytes as u64));
            return self.network.wait(range).map(|range| Some(range.to_vec()));
        }
        let mut range = vec![0; bytes];
        if bytes > 0 {
            self.blocks.read(offset, &mut range)?;
        }
        Ok(Some(range))
    }

    fn end(&self, bytes: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let last = self.network.wait(self.object.last(bytes))?;
        Ok(self.object.bytes().map(|length| (length, last.to_vec())))
    }

    fn modified_unix_ms(&self) -> Option<i64> {
        self.object.written_unix_ms()
    }

    fn version(&self) -> Option<String> {
        self.object.archive_version()
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
        self.object.shown.clone()
    }
}
