//! What a site index is made from, answer by answer in the order of hosts: evidence, or other indexes.
//!
//! Nothing of an origin, of a host or of hosts with one `surt_host_name` has to be in memory at once, however much one site
//! has: an answer with its captures is, and one body.

use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes, SiteFetch};
use sha1::{Digest, Sha1};
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// SHA-1 of a body.
pub type BodyDigest = [u8; 20];

/// An answer with the times at which it was captured, which are sorted.
pub type SeenFetch = (SiteFetch<FileBody>, Vec<Seen>);

/// A body, which is compared by its digest.
#[derive(Clone, Debug)]
pub struct FileBody {
    pub digest: BodyDigest,
    /// Where its bytes are.
    pub source: BodySource,
}

/// Where the bytes of a body are.
#[derive(Clone, Debug)]
pub enum BodySource {
    /// In a file of the stream that gave it, by their number there.
    Evidence(u32),
    /// A part of a row group of an index, which is in memory as long as any of its bodies is, and the part of the index that says
    /// that this is its digest.
    Index(SharedBytes, Arc<str>),
}

impl FileBody {
    /// Compares the bytes of an index with their digest: by it bodies are one, and an answer must never have the body of another.
    pub fn check(&self, host: &str) -> Result<(), Error> {
        match &self.source {
            BodySource::Index(content, part) if *Sha1::digest(&**content) != self.digest => {
                let detail = format!("a body of {host} does not have the digest that is beside it");
                Err(Error::IndexUnreadable { location: part.to_string(), source: io::Error::other(detail) })
            }
            BodySource::Index(..) | BodySource::Evidence(_) => Ok(()),
        }
    }
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

/// Answers in order, with the archives that their numbers name.
pub trait AnswerStream: Send {
    /// The archives, sorted.
    fn archives(&self) -> &[IndexedArchive];

    /// Returns how many captures its answers have, as far as that is known.
    fn captures(&self) -> u64 {
        0
    }

    /// Returns the next answer; each is there once.
    fn next_answer(&mut self) -> Result<Option<SeenFetch>, Error>;

    /// Returns the bytes of the body of the answer that was returned last.
    fn content(&self, body: &FileBody) -> Result<SharedBytes, Error>;
}
