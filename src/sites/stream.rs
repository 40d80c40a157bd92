//! The source of a site index, answer by answer in the order of hosts: evidence, or other indexes. Only one answer with its
//! captures, and one body, has to be in memory, however large a site is.

use crate::error::Error;
use crate::runs::Bodies;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes, SiteFetch};
use crate::verdict::SiteBodies;
use itertools::Itertools;
use sha1::{Digest, Sha1};
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// SHA-1.
pub type BodyDigest = [u8; 20];

/// An answer with its captures, sorted by time.
pub type SeenFetch = (SiteFetch<IndexedBody>, Vec<Seen>);

/// A body; bodies are compared by their digests.
#[derive(Clone)]
pub struct IndexedBody {
    pub digest: BodyDigest,
    pub source: BodySource,
}

/// The bodies of a segment of evidence, which is in this folder.
pub struct EvidenceBodies {
    pub bodies: Bodies,
    pub location: String,
}

/// The place of the bytes of a body.
#[derive(Clone)]
pub enum BodySource {
    /// In a file, with the number there.
    Evidence(Arc<EvidenceBodies>, u32),
    /// In a row group of an index, in memory while any of its bodies is; the text names the part that claims this digest.
    Index(SharedBytes, Arc<str>),
}

impl IndexedBody {
    /// Returns its bytes. Those from an index are compared with the digest that identifies them: an answer must never have the
    /// body of another.
    pub fn content(&self, host: &str) -> Result<SharedBytes, Error> {
        match &self.source {
            BodySource::Index(content, part) if *Sha1::digest(&**content) != self.digest => {
                let detail = format!("a body of {host} does not have the digest that is beside it");
                Err(Error::IndexUnreadable {
                    location: part.to_string(),
                    source: io::Error::other(detail),
                })
            }
            BodySource::Index(content, _) => Ok(content.clone()),
            BodySource::Evidence(of, number) => match of.bodies.read(*number) {
                Ok(content) => Ok(SharedBytes::from_vec(content.into_owned())),
                Err(source) => Err(Error::EvidenceUnreadable {
                    location: of.location.clone(),
                    source,
                }),
            },
        }
    }
}

impl PartialEq for IndexedBody {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for IndexedBody {}

impl PartialOrd for IndexedBody {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IndexedBody {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digest.cmp(&other.digest)
    }
}

/// Answers in order, each once, with the archives that their numbers refer to.
pub struct AnswerStream<'s> {
    /// Its name in errors.
    pub location: String,
    /// Sorted.
    pub archives: Vec<IndexedArchive>,
    /// The number of captures of its answers, or 0 if it is not known.
    pub captures: u64,
    pub answers: Box<dyn Iterator<Item = Result<SeenFetch, Error>> + Send + 's>,
}

impl AnswerStream<'_> {
    pub fn named_archives(&self) -> (String, Vec<IndexedArchive>) {
        (self.location.clone(), self.archives.clone())
    }
}

/// Joins answers that are equal, whose captures then are those of all, sorted. `location` is that of answers that are not sorted.
#[allow(
    clippy::result_large_err,
    reason = "what is not joined goes on as it is"
)]
pub fn joined(
    answers: impl Iterator<Item = Result<SeenFetch, Error>>,
    location: String,
) -> impl Iterator<Item = Result<SeenFetch, Error>> {
    let unsorted = move |fetch: &SiteFetch<IndexedBody>| Error::IndexUnreadable {
        location: location.clone(),
        source: io::Error::other(format!("the answers of {} are not sorted", fetch.host.name)),
    };
    let joined = answers.coalesce(move |one, next| match (one, next) {
        (Ok((fetch, mut all)), Ok((next, seen))) if next == fetch => {
            all.extend(seen);
            Ok(Ok((fetch, all)))
        }
        (Ok(one), Ok((next, _))) if next < one.0 => Err((Ok(one), Err(unsorted(&next)))),
        (one, next) => Err((one, next)),
    });
    joined.map_ok(|(fetch, mut all)| {
        all.sort_unstable();
        all.dedup();
        (fetch, all)
    })
}
