//! The site files beside robots.txt of a group: their copies, and what those say.

use crate::robots::Extent;
use crate::systems::{FileBody, Policy, SYSTEMS, System, Viewpoint};
use crate::tables::captures::Captures;
use crate::verdict::Copies;
use crate::verdict::timeline::SiteFileFetch;
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Captures of site files beside robots.txt and their bodies.
pub struct CopyIndex {
    copies: Copies<u32>,
    bodies: CopyBodies,
    /// What copies say, compiled when they are first needed.
    policies: RwLock<HashMap<Key, Arc<dyn Policy>>>,
}

/// The place of a signal in the registry, and the numbers of the bodies that it reads.
type Key = (usize, Vec<u32>);

/// The distinct bodies of site files beside robots.txt.
#[derive(Default)]
pub struct CopyBodies {
    bodies: Vec<CopyBody>,
    numbers: Numbers,
}

/// The places of bodies by their keys.
type Numbers = HashMap<(CaptureKind, String), u32>;

/// A distinct body of a site file.
pub struct CopyBody {
    /// As what it is read.
    pub kind: CaptureKind,
    /// Its key.
    pub digest: String,
    bytes: Vec<u8>,
    extent: Extent,
    /// Whether any capture with it was answered with 2xx: only then it is the file.
    pub speaks: bool,
}

impl CopyBody {
    /// Returns its bytes, and whether they are all.
    pub fn body(&self) -> FileBody<'_> {
        FileBody { bytes: &self.bytes, extent: self.extent }
    }
}

impl CopyBodies {
    /// Adds a body, unless it is known.
    pub fn add(&mut self, kind: CaptureKind, digest: &str, bytes: &[u8], extent: Extent) {
        let number = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        let bodies = &mut self.bodies;
        self.numbers.entry((kind, digest.to_owned())).or_insert_with(|| {
            let (digest, bytes) = (digest.to_owned(), bytes.to_vec());
            bodies.push(CopyBody { kind, digest, bytes, extent, speaks: false });
            number
        });
    }
}

impl CopyIndex {
    /// Indexes the captures of some slices, of which those of other kinds are left alone.
    pub fn new(slices: &[Captures<'_>], mut bodies: CopyBodies) -> Self {
        let captures: Vec<_> = slices.iter().flat_map(|slice| captures(slice, &bodies.numbers)).collect();
        for (_, _, fetch) in &captures {
            let number = fetch.body.filter(|_| fetch.answer.is_success());
            if let Some(body) = number.and_then(|number| bodies.bodies.get_mut(number as usize)) {
                body.speaks = true;
            }
        }
        Self { copies: Copies::new(captures), policies: RwLock::default(), bodies }
    }

    /// Returns the distinct bodies.
    pub fn bodies(&self) -> &[CopyBody] {
        &self.bodies.bodies
    }

    /// Returns what the site files of each signal say of a page that was fetched then.
    pub fn policies(
        &self,
        origin: Option<&Origin>,
        page_fetched_at: Option<Timestamp>,
        viewpoint: &Viewpoint,
    ) -> CopyPolicies {
        let mut policies = Vec::new();
        if let (Some(origin), false) = (origin, self.bodies.bodies.is_empty()) {
            for (place, signal) in SYSTEMS.iter().enumerate() {
                let Some(kind) = signal.site_file() else { continue };
                let copies: Vec<u32> = self.copies.current(kind, origin, page_fetched_at).collect();
                if !copies.is_empty() {
                    policies.push((place, self.policy(*signal, (place, copies), viewpoint)));
                }
            }
        }
        CopyPolicies { policies }
    }

    /// Returns the key of one of the copies of a kind that speak for a page.
    pub fn digest(
        &self,
        kind: CaptureKind,
        copy: usize,
        origin: Option<&Origin>,
        page_fetched_at: Option<Timestamp>,
    ) -> Option<&str> {
        let number = self.copies.current(kind, origin?, page_fetched_at).nth(copy)?;
        self.bodies.bodies.get(number as usize).map(|body| body.digest.as_str())
    }

    fn policy(&self, signal: &dyn System, key: Key, viewpoint: &Viewpoint) -> Arc<dyn Policy> {
        let known = self.policies.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| self.compile(signal, key, viewpoint))
    }

    /// Two workers may compile the same copies at once; what they make is the same, too.
    fn compile(&self, signal: &dyn System, key: Key, viewpoint: &Viewpoint) -> Arc<dyn Policy> {
        let body = |number: &u32| self.bodies.bodies.get(*number as usize).map(CopyBody::body);
        let copies: Vec<FileBody<'_>> = key.1.iter().filter_map(body).collect();
        let policy: Arc<dyn Policy> = Arc::from(signal.compile_copies(&copies, viewpoint));
        let mut policies = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(policies.entry(key).or_insert(policy))
    }
}

/// What current copies of site files say, by the places of their signals in the registry.
pub struct CopyPolicies {
    policies: Vec<(usize, Arc<dyn Policy>)>,
}

impl CopyPolicies {
    /// Returns what the copies say to the signal at a place, or else `other`.
    pub fn or<'p>(&'p self, place: usize, other: &'p dyn Policy) -> &'p dyn Policy {
        let own = self.policies.iter().find(|(known, _)| *known == place);
        own.map_or(other, |(_, policy)| policy.as_ref())
    }
}

/// Returns the captures of a slice that are of such files; a URL that cannot be read belongs to no site.
fn captures<'s>(
    slice: &'s Captures<'s>,
    numbers: &'s Numbers,
) -> impl Iterator<Item = (CaptureKind, PageUrl<'s>, SiteFileFetch<u32>)> {
    (0..slice.count()).filter_map(move |row| {
        let is_beside = |kind: &CaptureKind| *kind != CaptureKind::Robots && !kind.paths().is_empty();
        let kind = CaptureKind::named(slice.kind(row)).filter(is_beside)?;
        let url = PageUrl::new(slice.url(row).as_bytes()).ok()?;
        let number = |digest: &str| numbers.get(&(kind, digest.to_owned())).copied();
        let fetch = SiteFileFetch {
            origin: Origin::new(&url),
            fetched_at: slice.fetched_at(row),
            answer: slice.answer(row),
            body: slice.body_digest(row).and_then(number),
        };
        Some((kind, url, fetch))
    })
}
