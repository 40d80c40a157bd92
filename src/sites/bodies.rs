//! The bodies of some hosts' site files, in memory or, if they are too many, in a file without a name: if a host changed its
//! robots.txt four thousand times, one body at a time is in memory.

use super::layers::SiteLayers;
use super::load::{LoadedFetches, answer, extent, order};
use crate::robots::Extent;
use crate::runs::{Bodies, BodyBytes, BodyKey, StoredBody};
use crate::store::Scratch;
use crate::tables::site_index::{Seen, SiteFetch};
use crate::verdict::timeline::BodyState;
use crate::verdict::{FilesOfSites, Legibility, SiteBodies, SiteBody, SiteCapture, SiteCaptures};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::u32_of;
use crate::web::url::PageUrl;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

const BODIES_BYTES: u64 = 24 << 20;

/// How many captures take about 64 MiB.
const MANY_CAPTURES: usize = 1 << 18;

impl LoadedFetches {
    /// Returns about how many bytes of memory the answers take with their bodies.
    pub fn byte_count(&self) -> usize {
        /// An answer with its URL, and one of its captures.
        const FETCH_BYTES: usize = 512;
        const CAPTURE_BYTES: usize = 96;
        let captures: usize = self
            .fetches
            .iter()
            .map(|(_, seen)| seen.len() * CAPTURE_BYTES)
            .sum();
        let bodies = usize::try_from(self.body_bytes.min(BODIES_BYTES)).unwrap_or(usize::MAX);
        captures + self.fetches.len() * FETCH_BYTES + bodies
    }

    /// Returns whether this is so large that it should be read in parts, if possible.
    pub fn is_much(&self) -> bool {
        let captures: usize = self.fetches.iter().map(|(_, seen)| seen.len() + 1).sum();
        self.body_bytes > BODIES_BYTES || captures > MANY_CAPTURES
    }
}

/// The bodies of answers.
pub struct LoadedBodies {
    /// Those bodies by number.
    pub bodies: Bodies,
    /// By number in the index and the kind that they are read as.
    places: HashMap<(u64, CaptureKind), u32>,
    /// The segments' numbers of their archives, if there are pages.
    segments: BTreeMap<u32, u32>,
}

impl SiteLayers {
    /// Reads the bodies of answers; about `cache_bytes` of compiled bodies are kept.
    pub fn load(
        &self,
        loaded: &mut LoadedFetches,
        cache_bytes: usize,
    ) -> io::Result<FilesOfSites<LoadedBodies>> {
        let bodies = self.load_bodies(loaded)?;
        let captures = bodies.captures(loaded, |_| true);
        Ok(FilesOfSites::new(captures, bodies, cache_bytes))
    }

    /// Reads the bodies of answers; equal ones of several layers or parts become one.
    pub fn load_bodies(&self, loaded: &mut LoadedFetches) -> io::Result<LoadedBodies> {
        let content = if loaded.body_bytes > BODIES_BYTES {
            BodyBytes::File(Arc::new(Scratch::new()?))
        } else {
            BodyBytes::Memory(Vec::new())
        };
        let mut wanted = BTreeMap::<u64, BTreeMap<CaptureKind, Extent>>::new();
        for (fetch, _) in &loaded.fetches {
            if let Some((number, _)) = fetch.body {
                let read_as = wanted.entry(number).or_default();
                let known = read_as.entry(fetch.kind.read_as()).or_insert(extent(fetch));
                if extent(fetch) == Extent::Whole {
                    *known = Extent::Whole;
                }
            }
        }
        let (all, places, known, same) =
            (Vec::new(), HashMap::new(), HashMap::new(), HashMap::new());
        let mut reading = ReadingBodies {
            wanted,
            all,
            places,
            content,
            known,
            same,
        };
        self.bodies_of(
            loaded,
            |_| true,
            |number, sha1, body| reading.add(number, sha1, body),
        )?;
        for (fetch, _) in &mut loaded.fetches {
            if let Some((number, _)) = &mut fetch.body {
                *number = reading.same.get(number).copied().unwrap_or(*number);
            }
        }
        let ReadingBodies {
            all,
            places,
            content,
            ..
        } = reading;
        Ok(LoadedBodies {
            bodies: Bodies::new(all, content),
            places,
            segments: self.segments_of(loaded)?,
        })
    }
}

struct ReadingBodies {
    /// By number, each kind that it is read as, and whether any capture has all of it.
    wanted: BTreeMap<u64, BTreeMap<CaptureKind, Extent>>,
    all: Vec<StoredBody>,
    places: HashMap<(u64, CaptureKind), u32>,
    content: BodyBytes,
    /// By digest, the number of the first body with it, its place and its length.
    known: HashMap<[u8; 20], (u64, (u64, u32))>,
    /// For each body that is equal to an earlier one, the number of the earlier one.
    same: HashMap<u64, u64>,
}

impl ReadingBodies {
    fn add(&mut self, number: u64, sha1: [u8; 20], body: &[u8]) -> io::Result<()> {
        let (first, at) = match self.known.get(&sha1) {
            Some(known) => *known,
            None => (number, self.content.add(body)?),
        };
        self.known.insert(sha1, (first, at));
        if first != number {
            self.same.insert(number, first);
        }
        for (kind, extent) in self.wanted.get(&number).into_iter().flatten() {
            let place = self
                .places
                .get(&(first, *kind))
                .and_then(|place| self.all.get_mut(*place as usize));
            if let Some(known) = place {
                if *extent == Extent::Whole {
                    known.extent = Extent::Whole;
                }
                continue;
            }
            self.places.insert((first, *kind), u32_of(self.all.len()));
            let key = BodyKey { kind: *kind, sha1 };
            self.all.push(StoredBody::new(
                key,
                at,
                *extent,
                Legibility::from_body(*kind, body),
            ));
        }
        Ok(())
    }
}

impl LoadedBodies {
    /// Returns the captures of answers that `is_counted` accepts.
    pub fn captures(
        &self,
        loaded: &LoadedFetches,
        is_counted: impl Fn(&Seen) -> bool,
    ) -> SiteCaptures {
        let mut captures = SiteCaptures::default();
        for (fetch, seen) in &loaded.fetches {
            let url = fetch.full_url();
            let Ok(url) = PageUrl::new(url.as_bytes()) else {
                continue;
            };
            let (kind, body) = (fetch.kind, self.sent(fetch));
            for seen in seen.iter().filter(|seen| is_counted(seen)) {
                let (url, answer, redirect) =
                    (url.clone(), answer(fetch), fetch.redirect.as_deref());
                let fetched_at = seen.at_us.and_then(Timestamp::from_unix_micros);
                let segment = self
                    .segments
                    .get(&seen.archive)
                    .copied()
                    .unwrap_or_default();
                let validator = fetch.validator;
                let capture = SiteCapture {
                    kind,
                    url,
                    fetched_at,
                    answer,
                    redirect,
                    body,
                    validator,
                    segment,
                };
                captures.add(&capture, order(kind, seen));
            }
        }
        captures
    }

    /// Returns the body that an answer has.
    pub fn sent(&self, fetch: &SiteFetch<(u64, u32)>) -> BodyState<SiteBody> {
        let place = |(number, _)| self.places.get(&(number, fetch.kind.read_as())).copied();
        let number = fetch.body.and_then(place);
        match number.and_then(|number| Some((number, self.bodies.get(number)?.legibility))) {
            Some((number, legibility)) => legibility.with(SiteBody {
                number,
                extent: extent(fetch),
            }),
            None if fetch.is_undecodable => BodyState::Unreadable,
            None => BodyState::Missing,
        }
    }
}

impl SiteBodies for LoadedBodies {
    type Error = io::Error;

    fn read(&self, number: u32) -> io::Result<Cow<'_, [u8]>> {
        self.bodies.read(number)
    }
}
