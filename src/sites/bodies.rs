//! The bodies of some hosts' site files, in memory or, if they are too many, in a file without a name.
//!
//! Example: a host changed its robots.txt four thousand times; after they are read from their row groups, one body at a time is
//! in memory. Left out: when each was captured, which is in [`LoadedFetches`].

use super::layers::SiteLayers;
use super::load::{LoadedFetches, captures_of, extent, wanted_bodies};
use crate::robots::Extent;
use crate::store::Scratch;
use crate::tables::site_index::{Seen, SiteFetch};
use crate::verdict::timeline::Sent;
use crate::verdict::{Legibility, SiteBodies, SiteBody, SiteCaptures, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use data_encoding::BASE32;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;

const BODIES_BYTES: u64 = 24 << 20;

/// So many captures take about 64 MiB.
const MANY_CAPTURES: usize = 1 << 18;

impl LoadedFetches {
    /// Returns about how many bytes of memory the answers take with their bodies.
    pub fn byte_count(&self) -> usize {
        /// An answer with its URL, and one of its captures.
        const FETCH_BYTES: usize = 512;
        const CAPTURE_BYTES: usize = 96;
        let captures: usize = self.fetches.iter().map(|(_, seen)| seen.len() * CAPTURE_BYTES).sum();
        let bodies = usize::try_from(self.body_bytes.min(BODIES_BYTES)).unwrap_or(usize::MAX);
        captures + self.fetches.len() * FETCH_BYTES + bodies
    }

    /// Returns whether this is so large that reading it in parts, if possible, is better.
    pub fn is_much(&self) -> bool {
        let captures: usize = self.fetches.iter().map(|(_, seen)| seen.len() + 1).sum();
        self.body_bytes > BODIES_BYTES || captures > MANY_CAPTURES
    }
}

/// Bodies by number.
#[derive(Default)]
pub struct LoadedBodies {
    all: Vec<LoadedBody>,
    /// By number in the index and the kind that they are read as.
    places: HashMap<(u64, CaptureKind), u32>,
    content: Content,
    /// The segments' numbers of their archives, if there are pages.
    segments: BTreeMap<u32, u32>,
}

/// A body of a site file.
pub struct LoadedBody {
    /// The kind that it is read as.
    pub kind: CaptureKind,
    /// Whether any capture has all of it.
    pub extent: Extent,
    /// Whether it can be read.
    pub legibility: Legibility,
    /// SHA-1 of its bytes.
    sha1: [u8; 20],
    /// Its length.
    pub bytes: usize,
    at: u64,
}

enum Content {
    Memory(Vec<u8>),
    File(Scratch),
}

impl Default for Content {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Content {
    fn add(&mut self, body: &[u8]) -> io::Result<u64> {
        match self {
            Self::Memory(all) => {
                let at = all.len() as u64;
                all.extend_from_slice(body);
                Ok(at)
            }
            Self::File(scratch) => {
                let at = scratch.reserve(body.len());
                scratch.write(at, body).map(|()| at)
            }
        }
    }
}

impl SiteLayers {
    /// Reads the bodies of answers; about `cache_bytes` of compiled bodies are kept.
    pub fn load(
        &self,
        loaded: &mut LoadedFetches,
        cache_bytes: usize,
    ) -> io::Result<SiteIndex<LoadedBodies>> {
        let bodies = self.load_bodies(loaded)?;
        let captures = bodies.captures(loaded, |_| true);
        Ok(SiteIndex::new(captures, bodies, cache_bytes))
    }

    /// Reads the bodies of answers; equal ones of several layers or parts become one.
    pub fn load_bodies(&self, loaded: &mut LoadedFetches) -> io::Result<LoadedBodies> {
        let content = if loaded.body_bytes > BODIES_BYTES {
            Content::File(Scratch::new()?)
        } else {
            Content::default()
        };
        let bodies = LoadedBodies { content, ..LoadedBodies::default() };
        let mut reading = ReadingBodies { wanted: wanted_bodies(loaded), bodies, ..ReadingBodies::default() };
        self.bodies_of(loaded, |_| true, |number, sha1, body| reading.add(number, sha1, body))?;
        for (fetch, _) in &mut loaded.fetches {
            if let Some((number, _)) = &mut fetch.body {
                *number = reading.same.get(number).copied().unwrap_or(*number);
            }
        }
        Ok(LoadedBodies { segments: self.segments_of(loaded)?, ..reading.bodies })
    }
}

#[derive(Default)]
struct ReadingBodies {
    wanted: BTreeMap<u64, BTreeMap<CaptureKind, Extent>>,
    bodies: LoadedBodies,
    /// By digest, the number of the first body with it and its place.
    known: HashMap<[u8; 20], (u64, u64)>,
    /// For each body that is equal to an earlier one, the number of the earlier one.
    same: HashMap<u64, u64>,
}

impl ReadingBodies {
    fn add(&mut self, number: u64, sha1: [u8; 20], body: &[u8]) -> io::Result<()> {
        let LoadedBodies { all, places, content, .. } = &mut self.bodies;
        let (first, at) = match self.known.get(&sha1) {
            Some(known) => *known,
            None => (number, content.add(body)?),
        };
        self.known.insert(sha1, (first, at));
        if first != number {
            self.same.insert(number, first);
        }
        for (kind, extent) in self.wanted.get(&number).into_iter().flatten() {
            let place = places.get(&(first, *kind)).and_then(|place| all.get_mut(*place as usize));
            if let Some(known) = place {
                if *extent == Extent::Whole {
                    known.extent = Extent::Whole;
                }
                continue;
            }
            places.insert((first, *kind), u32::try_from(all.len()).unwrap_or(u32::MAX));
            let (legibility, bytes) = (Legibility::of(*kind, body), body.len());
            all.push(LoadedBody { kind: *kind, extent: *extent, legibility, sha1, bytes, at });
        }
        Ok(())
    }
}

impl LoadedBody {
    /// Returns its digest, as the tables have it.
    pub fn digest(&self) -> String {
        BASE32.encode(&self.sha1)
    }
}

impl LoadedBodies {
    /// Returns a body by its number.
    pub fn get(&self, number: u32) -> Option<&LoadedBody> {
        self.all.get(number as usize)
    }

    /// Returns all bodies with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &LoadedBody)> {
        (0..).zip(&self.all)
    }

    /// Returns the captures of answers that `is_counted` accepts.
    pub fn captures(&self, loaded: &LoadedFetches, is_counted: impl Fn(&Seen) -> bool) -> SiteCaptures {
        captures_of(loaded, &self.segments, is_counted, |fetch| self.sent(fetch))
    }

    /// Returns the body that an answer has.
    pub fn sent(&self, fetch: &SiteFetch<(u64, u32)>) -> Sent<SiteBody> {
        let place = |(number, _)| self.places.get(&(number, fetch.kind.read_as())).copied();
        let number = fetch.body.and_then(place);
        match number.and_then(|number| Some((number, self.get(number)?.legibility))) {
            Some((number, legibility)) => legibility.sent(SiteBody { number, extent: extent(fetch) }),
            None if fetch.is_undecodable => Sent::Unreadable,
            None => Sent::Missing,
        }
    }
}

impl SiteBodies for LoadedBodies {
    type Error = io::Error;

    fn read(&self, number: u32) -> io::Result<Cow<'_, [u8]>> {
        let absent = || io::Error::other("a body without a place");
        let LoadedBody { at, bytes, .. } = self.get(number).ok_or_else(absent)?;
        match &self.content {
            Content::Memory(all) => {
                let at = usize::try_from(*at).map_err(io::Error::other)?;
                Ok(Cow::Borrowed(all.get(at..at + bytes).ok_or_else(absent)?))
            }
            Content::File(scratch) => {
                let mut content = vec![0; *bytes];
                scratch.read(*at, &mut content)?;
                Ok(Cow::Owned(content))
            }
        }
    }
}
