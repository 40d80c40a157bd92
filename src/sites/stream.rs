//! What a site index is made from, host by host in the order of `surt_host_name`: evidence, or other indexes.

use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes, SiteFetch};

use std::cmp::Ordering;
use std::sync::Arc;

/// SHA-1 of a body.
pub type BodyDigest = [u8; 20];

/// An answer with the times at which it was captured, which are sorted.
pub type SeenFetch = (SiteFetch<FileBody>, Vec<Seen>);

/// A body, which is compared by its digest.
#[derive(Clone, Debug)]
pub struct FileBody {
    /// Its digest.
    pub digest: BodyDigest,
    /// Its bytes; of an index a part of a row group, which is in memory as long as any of its bodies is.
    pub content: SharedBytes,
    /// The part of an index that has it and says that this is its digest; of evidence that is known.
    pub part: Option<Arc<str>>,
}

impl PartialEq for FileBody {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for FileBody {}

impl PartialOrd for FileBody {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FileBody {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digest.cmp(&other.digest)
    }
}

/// What is known of the hosts of one `surt_host_name`.
#[derive(Debug, Default)]
pub struct HostFiles {
    /// `surt_host_name`
    pub surt: Arc<str>,
    /// Its answers, sorted; each is there once.
    pub fetches: Vec<SeenFetch>,
}

/// Hosts in order, with the archives that their numbers name.
pub trait HostStream: Send {
    /// The archives, sorted.
    fn archives(&self) -> &[IndexedArchive];

    /// Returns the next hosts.
    fn next_hosts(&mut self) -> Result<Option<HostFiles>, Error>;
}
