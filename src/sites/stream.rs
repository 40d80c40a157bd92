//! The source of a site index, answer by answer in the order of hosts: evidence, or other indexes.
//!
//! No origin, host or group of hosts with one `surt_host_name` has to be in memory as a whole, however large a site is: only
//! one answer with its captures, and one body.

use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes, SiteFetch};
use sha1::{Digest, Sha1};
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// SHA-1 of a body.
pub type BodyDigest = [u8; 20];

/// An answer with its captures, sorted by time.
pub type SeenFetch = (SiteFetch<FileBody>, Vec<Seen>);

/// A body; bodies are compared by their digests.
#[derive(Clone, Debug)]
pub struct FileBody {
    pub digest: BodyDigest,
    /// The place of its bytes.
    pub source: BodySource,
}

/// The place of the bytes of a body.
#[derive(Clone, Debug)]
pub enum BodySource {
    /// In a file of the stream that returned it, with the number there.
    Evidence(u32),
    /// In a row group of an index, in memory while any of its bodies is; the text names the part that claims this digest.
    Index(SharedBytes, Arc<str>),
}

impl FileBody {
    /// Compares bytes from an index with the digest that identifies them: an answer must never have the body of another.
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

/// Answers in order, with the archives that their numbers refer to.
pub trait AnswerStream: Send {
    /// The archives, sorted.
    fn archives(&self) -> &[IndexedArchive];

    /// Returns the number of captures of its answers, if it is known.
    fn captures(&self) -> u64 {
        0
    }

    /// Returns the next answer; each appears once.
    fn next_answer(&mut self) -> Result<Option<SeenFetch>, Error>;

    /// Returns the bytes of the body of the answer that was returned last.
    fn content(&self, body: &FileBody) -> Result<SharedBytes, Error>;
}
