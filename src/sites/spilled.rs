//! The bodies of some hosts' site files in a file without a name, for whoever reads one version after the other.
//!
//! Example: a host changed its robots.txt four thousand times; after they were read from their row group, one body at a time is in
//! memory. Left out: when each was captured, which is in [`LoadedFetches`].

use super::load::{BodyNumbers, LoadedFetches, captures_of, sent, wanted_bodies};
use super::reader::IndexReader;
use crate::store::Scratch;
use crate::tables::site_index::SiteFetch;
use crate::verdict::timeline::Sent;
use crate::verdict::{Legibility, SiteBodies, SiteBody, SiteCaptures};
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Bodies in a file, by number.
pub struct SpilledBodies {
    all: Vec<SpilledBody>,
    places: BodyNumbers,
    scratch: Scratch,
    /// The numbers of the segments of their archives, where there are pages.
    segments: BTreeMap<u32, u32>,
}

/// A body in a file.
pub struct SpilledBody {
    /// Whether it can be read.
    pub legibility: Legibility,
    /// Its digest, as the tables have it.
    pub digest: String,
    /// How long it is.
    pub bytes: usize,
    at: u64,
}

impl IndexReader {
    /// Reads the bodies of answers into a file without a name in a folder.
    pub fn spill_bodies(&self, loaded: &LoadedFetches, folder: &Path) -> io::Result<SpilledBodies> {
        let wanted = wanted_bodies(loaded);
        let (mut all, mut places) = (Vec::new(), BodyNumbers::new());
        let scratch = Scratch::new(folder)?;
        let mut written = Ok(());
        self.bodies_of(loaded, |number, content| {
            let at = scratch.reserve(content.len());
            if written.is_ok() {
                written = scratch.write(at, content);
            }
            let digest = BASE32.encode(&Sha1::digest(content));
            for kind in wanted.get(&number).into_iter().flat_map(|kinds| kinds.keys()) {
                places.insert((number, *kind), u32::try_from(all.len()).unwrap_or(u32::MAX));
                let legibility = Legibility::of(*kind, content);
                all.push(SpilledBody { legibility, digest: digest.clone(), bytes: content.len(), at });
            }
        })?;
        written?;
        Ok(SpilledBodies { all, places, scratch, segments: self.segments_of(loaded)? })
    }
}

impl SpilledBodies {
    /// Returns a body by its number.
    pub fn get(&self, number: u32) -> Option<&SpilledBody> {
        self.all.get(number as usize)
    }

    /// Returns all captures of answers.
    pub fn captures(&self, loaded: &LoadedFetches) -> SiteCaptures {
        captures_of(loaded, &self.segments, |_| true, |fetch| self.sent(fetch))
    }

    /// Returns what an answer has as its body.
    pub fn sent(&self, fetch: &SiteFetch<(u64, u32)>) -> Sent<SiteBody> {
        sent(fetch, &self.places, |number| self.get(number).map(|body| body.legibility))
    }
}

impl SiteBodies for SpilledBodies {
    type Error = io::Error;

    fn read(&self, number: u32) -> io::Result<Cow<'_, [u8]>> {
        let body = self.get(number).ok_or_else(|| io::Error::other("a body without a place"))?;
        let mut content = vec![0; body.bytes];
        self.scratch.read(body.at, &mut content)?;
        Ok(Cow::Owned(content))
    }
}
