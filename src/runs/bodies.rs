//! The distinct bodies of some site files, kept in a file outside memory, or in memory if they are few.
//!
//! Bodies that no capture has as a file (RFC 9309 2.3.1.1: with a status of 2xx) are not kept. A body's number is its place in
//! the evidence among the kept ones, whatever the order of reading. Equal bytes are one body, though they may be whole in one
//! capture and cut in another (READ-5): tables with a row per body show it as whole if any capture does.

use crate::robots::Extent;
use crate::store::Scratch;
use crate::verdict::site::SiteFacts;
use crate::verdict::{Legibility, SiteBodies};
use crate::web::capture_kind::CaptureKind;
use crate::web::u32_of;
use data_encoding::BASE32;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a body is read as, and its SHA-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyKey {
    pub kind: CaptureKind,
    pub sha1: [u8; 20],
}

impl BodyKey {
    /// Returns the key of a body, given its digest as in the evidence.
    pub fn new(kind: CaptureKind, digest: &str) -> Option<Self> {
        let mut key = Self {
            kind: kind.read_as(),
            sha1: [0; 20],
        };
        let is_digest = BASE32.decode_len(digest.len()) == Ok(key.sha1.len());
        (is_digest && BASE32.decode_mut(digest.as_bytes(), &mut key.sha1).is_ok()).then_some(key)
    }

    /// Returns the digest as in the tables.
    pub fn digest(&self) -> String {
        BASE32.encode(&self.sha1)
    }
}

/// A body, and its place in the file.
pub struct StoredBody {
    pub key: BodyKey,
    pub bytes: u32,
    /// Whether any capture has all of it.
    pub extent: Extent,
    pub legibility: Legibility,
    /// Whether a robots.txt differs from another capture of its URL and second (FRAME-9).
    pub has_rival: bool,
    at: u64,
    facts: OnceLock<SiteFacts>,
}

impl StoredBody {
    pub fn new(
        key: BodyKey,
        (at, bytes): (u64, u32),
        extent: Extent,
        legibility: Legibility,
    ) -> Self {
        Self {
            key,
            bytes,
            extent,
            legibility,
            has_rival: false,
            at,
            facts: OnceLock::new(),
        }
    }

    pub fn known_facts(&self) -> Option<&SiteFacts> {
        self.facts.get()
    }

    /// Keeps the facts of the file; every thread finds the same.
    pub fn keep_facts(&self, facts: SiteFacts) -> &SiteFacts {
        self.facts
            .get_or_init(|| facts.beside_rival(self.has_rival))
    }
}

/// The bytes of bodies, one after the other.
pub enum BodyBytes {
    Memory(Vec<u8>),
    File(Arc<Scratch>),
}

impl BodyBytes {
    /// Appends a body; returns its place and its length.
    pub fn add(&mut self, body: &[u8]) -> io::Result<(u64, u32)> {
        let at = match self {
            Self::Memory(all) => {
                all.extend_from_slice(body);
                (all.len() - body.len()) as u64
            }
            Self::File(scratch) => {
                let at = scratch.reserve(body.len());
                scratch.write(at, body)?;
                at
            }
        };
        Ok((at, u32::try_from(body.len()).map_err(io::Error::other)?))
    }
}

pub struct Bodies {
    by_number: Vec<StoredBody>,
    /// The number of those that the archives of a group have; the others are of other groups.
    own: usize,
    numbers: HashMap<BodyKey, u32>,
    content: BodyBytes,
}

impl Bodies {
    /// Takes bodies, each with another key.
    pub fn new(by_number: Vec<StoredBody>, content: BodyBytes) -> Self {
        let numbers = (0..)
            .zip(&by_number)
            .map(|(number, body)| (body.key, number))
            .collect();
        Self {
            own: by_number.len(),
            by_number,
            numbers,
            content,
        }
    }

    /// Says how many of them, the first ones, the archives of its group have.
    pub fn with_own(self, own: usize) -> Self {
        Self { own, ..self }
    }

    pub fn number_of(&self, key: &BodyKey) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    pub fn get(&self, number: u32) -> Option<&StoredBody> {
        self.by_number.get(number as usize)
    }

    /// Returns the bodies of its group with their numbers, in the order of the evidence.
    pub fn own(&self) -> impl Iterator<Item = (u32, &StoredBody)> {
        (0..).zip(&self.by_number).take(self.own)
    }

    pub fn is_own(&self, number: u32) -> bool {
        (number as usize) < self.own
    }

    pub fn count(&self) -> usize {
        self.by_number.len()
    }

    /// Marks the files that differ from other captures of their URL and second.
    pub fn set_rivals(&mut self, numbers: impl Iterator<Item = u32>) {
        for number in numbers {
            if let Some(body) = self.by_number.get_mut(number as usize) {
                body.has_rival = true;
            }
        }
    }

    /// Returns the digest of a body as in the tables.
    pub fn digest(&self, number: u32) -> String {
        self.get(number)
            .map(|body| body.key.digest())
            .unwrap_or_default()
    }
}

impl SiteBodies for Bodies {
    type Error = io::Error;

    fn read(&self, number: u32) -> io::Result<Cow<'_, [u8]>> {
        let absent = || io::Error::other("a body without a place");
        let body = self.get(number).ok_or_else(absent)?;
        let length = body.bytes as usize;
        match &self.content {
            BodyBytes::Memory(all) => {
                let at = usize::try_from(body.at).map_err(io::Error::other)?;
                Ok(Cow::Borrowed(all.get(at..at + length).ok_or_else(absent)?))
            }
            BodyBytes::File(scratch) => {
                let mut bytes = vec![0; length];
                scratch.read(body.at, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

/// Bodies that captures have as files, being found in the evidence.
pub struct WantedBodies {
    found: Mutex<FoundBodies>,
    scratch: Arc<Scratch>,
}

#[derive(Default)]
struct FoundBodies {
    /// In the order in which captures asked for them.
    numbers: HashMap<BodyKey, u32>,
    /// Whether any capture has all of it.
    extents: Vec<Extent>,
    bodies: Vec<Option<BodyPlace>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    /// Its number in the order in which captures asked for bodies.
    pub number: u32,
    pub key: BodyKey,
    /// Whether any capture has all of it.
    pub extent: Extent,
    /// Its place in the evidence: of equal bodies, the first counts.
    pub order: u64,
    pub at: u64,
    pub bytes: u32,
    pub legibility: Legibility,
}

impl BodyPlace {
    pub fn body(&self) -> StoredBody {
        StoredBody::new(
            self.key,
            (self.at, self.bytes),
            self.extent,
            self.legibility,
        )
    }
}

impl WantedBodies {
    /// Begins without wanted bodies; found ones go to `scratch`.
    pub fn new(scratch: Arc<Scratch>) -> Self {
        Self {
            found: Mutex::default(),
            scratch,
        }
    }

    /// Asks for a body that a capture has to this extent; returns its number.
    pub fn want(&mut self, key: BodyKey, extent: Extent) -> u32 {
        let FoundBodies {
            numbers,
            extents,
            bodies,
        } = self.found.get_mut().unwrap_or_else(PoisonError::into_inner);
        let number = *numbers.entry(key).or_insert_with(|| {
            bodies.push(None);
            extents.push(extent);
            u32_of(bodies.len() - 1)
        });
        if let (Some(known), Extent::Whole) = (extents.get_mut(number as usize), extent) {
            *known = Extent::Whole;
        }
        number
    }

    /// Keeps the wanted ones of some bodies with their places in the evidence, unless they are known from an earlier place.
    pub fn keep<'r>(&self, rows: impl Iterator<Item = (BodyKey, &'r [u8], u64)>) -> io::Result<()> {
        let mut text: Vec<u8> = Vec::new();
        let mut kept = Vec::new();
        for (key, content, order) in rows {
            let found = self.found();
            let Some(&number) = found.numbers.get(&key) else {
                continue;
            };
            let known = found.bodies.get(number as usize).copied().flatten();
            if known.is_none_or(|known| order < known.order) {
                let bytes = u32::try_from(content.len()).map_err(io::Error::other)?;
                let (at, legibility) =
                    (text.len() as u64, Legibility::from_body(key.kind, content));
                kept.push(BodyPlace {
                    number,
                    key,
                    extent: Extent::CutOff,
                    order,
                    at,
                    bytes,
                    legibility,
                });
                text.extend_from_slice(content);
            }
        }
        let start = self.scratch.reserve(text.len());
        self.scratch.write(start, &text)?;
        let mut found = self.found();
        for place in kept {
            if let Some(known) = found.bodies.get_mut(place.number as usize)
                && known.is_none_or(|known| place.order < known.order)
            {
                *known = Some(BodyPlace {
                    at: start + place.at,
                    ..place
                });
            }
        }
        Ok(())
    }

    /// Returns whether a body was not found yet.
    pub fn lacks_any(&self) -> bool {
        self.found().bodies.iter().any(Option::is_none)
    }

    fn found(&self) -> MutexGuard<'_, FoundBodies> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bodies that were found, in the order of the evidence.
    pub fn into_places(self) -> Vec<BodyPlace> {
        let FoundBodies {
            extents, bodies, ..
        } = self
            .found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let with_extent =
            |(place, extent): (Option<BodyPlace>, _)| Some(BodyPlace { extent, ..place? });
        let mut places: Vec<BodyPlace> = bodies
            .into_iter()
            .zip(extents)
            .filter_map(with_extent)
            .collect();
        places.sort_unstable_by_key(|place| place.order);
        places
    }

    /// Returns the bodies that were found.
    pub fn into_bodies(self) -> Bodies {
        let content = BodyBytes::File(Arc::clone(&self.scratch));
        Bodies::new(
            self.into_places().iter().map(BodyPlace::body).collect(),
            content,
        )
    }
}
