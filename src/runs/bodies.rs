//! The distinct bodies of some site files, kept in a file outside memory, or in memory if they are few.
//!
//! Bodies that no capture has as a file (RFC 9309 2.3.1.1: with a status of 2xx) are not kept. A body's number is its place in
//! the evidence among the kept ones, whatever the order of reading. Equal bytes are one body, though they may be whole in one
//! capture and cut in another (READ-5): tables with a row per body show it as whole if any capture does.

use crate::robots::Extent;
use crate::store::Scratch;
use crate::verdict::site::SiteFacts;
use crate::verdict::timeline::Sent;
use crate::verdict::{Legibility, SiteBodies};
use crate::web::capture_kind::CaptureKind;
use data_encoding::BASE32;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What a body is read as, and its SHA-1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodyKey {
    pub kind: CaptureKind,
    pub sha1: [u8; 20],
}

impl BodyKey {
    /// Returns the key of a body, given its digest as in the evidence.
    pub fn new(kind: CaptureKind, digest: &str) -> Option<Self> {
        let mut key = Self { kind: kind.read_as(), sha1: [0; 20] };
        let is_digest = BASE32.decode_len(digest.len()) == Ok(key.sha1.len());
        (is_digest && BASE32.decode_mut(digest.as_bytes(), &mut key.sha1).is_ok()).then_some(key)
    }

    /// Returns the digest as in the tables.
    pub fn digest(&self) -> String {
        BASE32.encode(&self.sha1)
    }
}

/// A body, and its place in the file.
pub struct Body {
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

impl Body {
    pub fn new(key: BodyKey, (at, bytes): (u64, u32), extent: Extent, legibility: Legibility) -> Self {
        Self { key, bytes, extent, legibility, has_rival: false, at, facts: OnceLock::new() }
    }

    pub fn known_facts(&self) -> Option<&SiteFacts> {
        self.facts.get()
    }

    /// Keeps the facts of the file; every thread finds the same.
    pub fn keep_facts(&self, facts: SiteFacts) -> &SiteFacts {
        self.facts.get_or_init(|| facts.beside_rival(self.has_rival))
    }
}

/// The bytes of bodies, one after the other.
pub enum BodyBytes {
    Memory(Vec<u8>),
    File(Scratch),
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

/// Bodies by number.
pub struct Bodies {
    by_number: Vec<Body>,
    numbers: HashMap<BodyKey, u32>,
    content: BodyBytes,
}

impl Bodies {
    /// Takes bodies, each with another key.
    pub fn new(by_number: Vec<Body>, content: BodyBytes) -> Self {
        let numbers = (0..).zip(&by_number).map(|(number, body)| (body.key, number)).collect();
        Self { by_number, numbers, content }
    }

    pub fn number_of(&self, key: &BodyKey) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    pub fn get(&self, number: u32) -> Option<&Body> {
        self.by_number.get(number as usize)
    }

    /// Returns all bodies with their numbers, in the order of the evidence.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Body)> {
        (0..).zip(&self.by_number)
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
        self.get(number).map(|body| body.key.digest()).unwrap_or_default()
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
    scratch: Scratch,
}

#[derive(Default)]
struct FoundBodies {
    /// In the order in which captures asked for them.
    places: HashMap<BodyKey, u32>,
    /// Whether any capture has all of it.
    extents: Vec<Extent>,
    bodies: Vec<Option<BodyPlace>>,
}

#[derive(Clone, Copy)]
struct BodyPlace {
    /// Of equal bodies, the first in the evidence counts.
    order: u64,
    at: u64,
    bytes: u32,
    legibility: Legibility,
}

impl WantedBodies {
    /// Begins without wanted bodies; found ones go to `scratch`.
    pub fn new(scratch: Scratch) -> Self {
        Self { found: Mutex::default(), scratch }
    }

    /// Asks for a body that a capture has to this extent; returns its provisional number.
    pub fn want(&mut self, key: BodyKey, extent: Extent) -> u32 {
        let FoundBodies { places, extents, bodies } =
            self.found.get_mut().unwrap_or_else(PoisonError::into_inner);
        let number = *places.entry(key).or_insert_with(|| {
            bodies.push(None);
            extents.push(extent);
            u32::try_from(bodies.len() - 1).unwrap_or(u32::MAX)
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
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(number) = found.places.get(&key) else { continue };
            let known = found.bodies.get(*number as usize).copied().flatten();
            if known.is_none_or(|known| order < known.order) {
                let bytes = u32::try_from(content.len()).map_err(io::Error::other)?;
                let (at, legibility) = (text.len() as u64, Legibility::of(key.kind, content));
                kept.push((*number, BodyPlace { order, at, bytes, legibility }));
                text.extend_from_slice(content);
            }
        }
        let start = self.scratch.reserve(text.len());
        self.scratch.write(start, &text)?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, place) in kept {
            if let Some(known) = found.bodies.get_mut(number as usize)
                && known.is_none_or(|known| place.order < known.order)
            {
                *known = Some(BodyPlace { at: start + place.at, ..place });
            }
        }
        Ok(())
    }

    /// Returns the bodies that were found, and the final number for each provisional one, if the body can be read.
    pub fn into_bodies(self) -> (Bodies, Vec<Sent<u32>>) {
        let FoundBodies { places, extents, bodies: found } =
            self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let place = |(key, number): (&BodyKey, &u32)| Some((*key, *number, (*found.get(*number as usize)?)?));
        let mut in_order: Vec<(BodyKey, u32, BodyPlace)> = places.iter().filter_map(place).collect();
        drop(places);
        in_order.sort_unstable_by_key(|(_, _, place)| place.order);
        let mut numbers = vec![Sent::Missing; found.len()];
        for (number, (_, provisional, place)) in (0..).zip(&in_order) {
            if let Some(known) = numbers.get_mut(*provisional as usize) {
                *known = place.legibility.with(number);
            }
        }
        let body = |(key, provisional, place): &(BodyKey, u32, BodyPlace)| {
            let extent = extents.get(*provisional as usize).copied().unwrap_or(Extent::CutOff);
            Body::new(*key, (place.at, place.bytes), extent, place.legibility)
        };
        (Bodies::new(in_order.iter().map(body).collect(), BodyBytes::File(self.scratch)), numbers)
    }
}
