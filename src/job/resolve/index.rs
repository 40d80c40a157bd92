//! The site files of a group: which capture was current when, and what its body says.

use super::Work;
use super::copies::{CopyBodies, CopyIndex};
use crate::job::manifest::Manifest;
use crate::robots::{Extent, Managed, NamedGroups, ParseLimit, RobotsTxt};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, FETCH_COLUMNS};
use crate::tables::site_files::{SITE_FILES, SiteBodies};
use crate::verdict::site::SiteFacts;
use crate::verdict::timeline::{Fetch, Timeline};
use crate::verdict::{Resolver, SitePolicy};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::collections::HashMap;
use std::io;
use std::sync::OnceLock;

/// Captures of site files and their bodies.
pub struct SiteIndex {
    /// Which capture of robots.txt was current when.
    pub timeline: Timeline<u32>,
    /// The distinct bodies, by the numbers that the timeline gives.
    pub bodies: Vec<SiteBody>,
    /// The places of those, by their keys.
    numbers: Numbers,
    /// The other site files.
    pub copies: CopyIndex,
}

/// A distinct body of a robots.txt, compiled when it is first needed.
pub struct SiteBody {
    /// Its key.
    pub digest: String,
    bytes: Vec<u8>,
    extent: Extent,
    /// Whether any capture with it had a status by which it is the file (RFC 9309 2.3.1.1).
    pub speaks: bool,
    policy: OnceLock<SitePolicy>,
    facts: OnceLock<SiteFacts>,
}

impl SiteBody {
    /// Returns what it says.
    pub fn policy(&self, resolver: &Resolver) -> &SitePolicy {
        self.policy.get_or_init(|| resolver.compile(&self.bytes, self.extent))
    }

    /// Returns what it holds.
    pub fn facts(&self, work: &Work<'_>) -> &SiteFacts {
        self.facts.get_or_init(|| {
            let robots = RobotsTxt::parse(&self.bytes, self.extent, ParseLimit::default());
            let named = robots.named_groups(TokenMatch::Exact);
            SiteFacts::of(&robots, &named, &work.vendor_texts.managed(&robots), work.resolver)
        })
    }

    /// Returns what it holds, given what was read of it already.
    pub fn facts_of(
        &self,
        robots: &RobotsTxt,
        named: &[NamedGroups<'_>],
        managed: &[Managed<'_>],
        work: &Work<'_>,
    ) -> &SiteFacts {
        self.facts.get_or_init(|| SiteFacts::of(robots, named, managed, work.resolver))
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether it is all that the server sent.
    pub fn extent(&self) -> Extent {
        self.extent
    }
}

impl SiteIndex {
    /// Returns the body of a robots.txt by its key.
    pub fn body(&self, digest: &str) -> Option<&SiteBody> {
        self.bodies.get(*self.numbers.get(digest)? as usize)
    }

    /// Loads the captures of site files of some batches.
    ///
    /// # Errors
    /// Why the evidence cannot be read.
    pub fn load(evidence: &dyn Store, manifests: &[&Manifest]) -> io::Result<Self> {
        let Bodies { mut robots, numbers, others } = Bodies::load(evidence, manifests)?;
        let mut slices = Vec::new();
        for manifest in manifests.iter().filter(|manifest| manifest.has_site_files()) {
            for slice in Slices::of_columns(evidence.open(&manifest.part(&CAPTURES))?, FETCH_COLUMNS)? {
                slices.push(only(&slice?, |kind| kind != PAGE)?);
            }
        }
        let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
        let of_robots = |slice: &Captures<'_>, row: usize| is_robots(slice.kind(row));
        let fetches: Vec<_> = captures.iter().flat_map(|slice| fetches(slice, &numbers, of_robots)).collect();
        for fetch in fetches.iter().filter(|fetch| fetch.answer.is_success()) {
            if let Some(body) = fetch.body.and_then(|number| robots.get_mut(number as usize)) {
                body.speaks = true;
            }
        }
        let mut timeline = Timeline::new(fetches);
        let redirects = |slice: &Captures<'_>| {
            (0..slice.count()).any(|row| of_robots(slice, row) && slice.redirect(row).is_some())
        };
        if captures.iter().any(redirects) {
            load_targets(evidence, manifests, &mut timeline)?;
        }
        let copies = CopyIndex::new(&captures, others);
        Ok(Self { timeline, bodies: robots, numbers, copies })
    }
}

type Numbers = HashMap<String, u32>;

/// The distinct bodies of site files.
#[derive(Default)]
struct Bodies {
    robots: Vec<SiteBody>,
    /// Of those, the place of each key.
    numbers: Numbers,
    others: CopyBodies,
}

impl Bodies {
    fn load(evidence: &dyn Store, manifests: &[&Manifest]) -> io::Result<Self> {
        let mut bodies = Self::default();
        for manifest in manifests.iter().filter(|manifest| manifest.has_site_files()) {
            for slice in Slices::new(evidence.open(&manifest.part(&SITE_FILES))?)? {
                for (digest, kind, body, cut) in SiteBodies::new(&slice?)?.iter() {
                    let extent = if cut { Extent::CutOff } else { Extent::Whole };
                    bodies.add(digest, kind, body, extent);
                }
            }
        }
        Ok(bodies)
    }

    fn add(&mut self, digest: &str, kind: &str, body: &[u8], extent: Extent) {
        match CaptureKind::named(kind).map(CaptureKind::read_as) {
            Some(CaptureKind::Robots) => self.add_robots(digest, body, extent),
            Some(kind) => self.others.add(kind, digest, body, extent),
            None => {}
        }
    }

    fn add_robots(&mut self, digest: &str, body: &[u8], extent: Extent) {
        if !self.numbers.contains_key(digest) {
            let number = u32::try_from(self.robots.len()).unwrap_or(u32::MAX);
            self.numbers.insert(digest.to_owned(), number);
            let (digest, bytes) = (digest.to_owned(), body.to_vec());
            self.robots.push(SiteBody {
                digest,
                bytes,
                extent,
                speaks: false,
                policy: OnceLock::new(),
                facts: OnceLock::new(),
            });
        }
    }
}

/// Adds the pages to which redirects of robots.txt lead, round by round where these redirect in
/// turn. Their bodies were not kept, so they end as `body_missing`.
fn load_targets(
    evidence: &dyn Store,
    manifests: &[&Manifest],
    timeline: &mut Timeline<u32>,
) -> io::Result<()> {
    const ROUNDS: usize = 5;
    for _ in 0..ROUNDS {
        let mut slices = Vec::new();
        for manifest in manifests.iter().filter(|manifest| manifest.captures.contains_key(PAGE)) {
            for slice in Slices::of_columns(evidence.open(&manifest.part(&CAPTURES))?, FETCH_COLUMNS)? {
                let slice = slice?;
                let captures = Captures::new(&slice)?;
                let awaited = |row: &usize| {
                    let url = PageUrl::new(captures.url(*row).as_bytes());
                    captures.kind(*row) == PAGE && url.is_ok_and(|url| timeline.awaits(&url))
                };
                if (0..captures.count()).any(|row| awaited(&row)) {
                    let keep: Vec<bool> = (0..captures.count()).map(|row| awaited(&row)).collect();
                    slices.push(captures.only(&keep)?);
                }
            }
        }
        let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
        let again = captures.iter().any(|slice| (0..slice.count()).any(|row| slice.redirect(row).is_some()));
        let none = Numbers::new();
        timeline.extend(captures.iter().flat_map(|slice| fetches(slice, &none, |_, _| true)));
        if !again {
            break;
        }
    }
    Ok(())
}

const PAGE: &str = CaptureKind::Page.as_str();

fn is_robots(kind: &str) -> bool {
    CaptureKind::named(kind).map(CaptureKind::read_as) == Some(CaptureKind::Robots)
}

fn only(slice: &RecordBatch, is_wanted: impl Fn(&str) -> bool) -> io::Result<RecordBatch> {
    let captures = Captures::new(slice)?;
    let keep: Vec<bool> = (0..captures.count()).map(|row| is_wanted(captures.kind(row))).collect();
    captures.only(&keep)
}

/// Returns the wanted fetches of a slice; a URL that cannot be read belongs to no site.
fn fetches<'s>(
    slice: &'s Captures<'s>,
    numbers: &'s Numbers,
    is_wanted: impl Fn(&Captures<'_>, usize) -> bool,
) -> impl Iterator<Item = Fetch<'s, u32>> {
    let rows = (0..slice.count()).filter(move |row| is_wanted(slice, *row));
    rows.filter_map(move |row| {
        Some(Fetch {
            url: PageUrl::new(slice.url(row).as_bytes()).ok()?,
            fetched_at: slice.fetched_at(row),
            answer: slice.answer(row),
            redirect: slice.redirect(row),
            body: slice.body_digest(row).and_then(|digest| numbers.get(digest).copied()),
        })
    })
}
