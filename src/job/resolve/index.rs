//! The robots.txt captures of a group: which was current when, and what its body says.

use crate::job::manifest::Manifest;
use crate::records::CaptureKind;
use crate::resolve::timeline::{Answer, Fetch, Timeline};
use crate::resolve::{Resolver, SitePolicy};
use crate::signals::robots_txt::Extent;
use crate::tables::Sink;
use crate::tables::evidence::{Captures, SiteBodies, Slices};
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::collections::HashMap;
use std::io;
use std::sync::OnceLock;

/// Robots.txt captures and their bodies.
pub struct SiteIndex {
    /// Which capture was current when.
    pub timeline: Timeline<u32>,
    /// The distinct bodies, by the numbers that the timeline gives.
    pub bodies: Vec<SiteBody>,
}

/// A distinct body of a robots.txt, compiled when it is first needed.
pub struct SiteBody {
    /// Its key.
    pub digest: String,
    bytes: Vec<u8>,
    extent: Extent,
    policy: OnceLock<SitePolicy>,
}

impl SiteBody {
    /// Returns what it says.
    pub fn policy(&self, resolver: &Resolver) -> &SitePolicy {
        self.policy.get_or_init(|| resolver.compile(&self.bytes, self.extent))
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
    /// Loads the robots.txt captures of some batches.
    ///
    /// # Errors
    /// Why the evidence cannot be read.
    pub fn load(evidence: &dyn Sink, manifests: &[&Manifest]) -> io::Result<Self> {
        let (bodies, numbers) = load_bodies(evidence, manifests)?;
        let mut slices = Vec::new();
        for manifest in manifests.iter().filter(|manifest| has_robots(manifest)) {
            for slice in Slices::of_fetches(evidence.open(&manifest.part("captures"))?)? {
                slices.push(only(&slice?, is_robots)?);
            }
        }
        let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
        let mut timeline = Timeline::new(captures.iter().flat_map(|slice| fetches(slice, &numbers)));
        if captures.iter().any(|slice| (0..slice.count()).any(|row| slice.redirect(row).is_some())) {
            load_targets(evidence, manifests, &mut timeline)?;
        }
        Ok(Self { timeline, bodies })
    }
}

type Numbers = HashMap<String, u32>;

fn load_bodies(evidence: &dyn Sink, manifests: &[&Manifest]) -> io::Result<(Vec<SiteBody>, Numbers)> {
    let mut bodies = Vec::new();
    let mut numbers = Numbers::new();
    for manifest in manifests.iter().filter(|manifest| has_robots(manifest)) {
        for slice in Slices::of_site_files(evidence.open(&manifest.part("site_files"))?)? {
            let slice = slice?;
            for (digest, kind, body, cut) in SiteBodies::new(&slice)?.iter() {
                if !is_robots(kind) || numbers.contains_key(digest) {
                    continue;
                }
                numbers.insert(digest.to_owned(), u32::try_from(bodies.len()).unwrap_or(u32::MAX));
                bodies.push(SiteBody {
                    digest: digest.to_owned(),
                    bytes: body.to_vec(),
                    extent: if cut { Extent::CutOff } else { Extent::Whole },
                    policy: OnceLock::new(),
                });
            }
        }
    }
    Ok((bodies, numbers))
}

/// Adds the pages to which redirects of robots.txt lead, round by round where these redirect in
/// turn. Their bodies were not kept, so they end as `body_missing`.
fn load_targets(
    evidence: &dyn Sink,
    manifests: &[&Manifest],
    timeline: &mut Timeline<u32>,
) -> io::Result<()> {
    const ROUNDS: usize = 5;
    for _ in 0..ROUNDS {
        let mut slices = Vec::new();
        for manifest in manifests.iter().filter(|manifest| manifest.captures.contains_key(PAGE)) {
            for slice in Slices::of_fetches(evidence.open(&manifest.part("captures"))?)? {
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
        timeline.extend(captures.iter().flat_map(|slice| fetches(slice, &none)));
        if !again {
            break;
        }
    }
    Ok(())
}

const PAGE: &str = "page";

fn is_robots(kind: &str) -> bool {
    kind == CaptureKind::Robots.as_str() || kind == CaptureKind::RobotsHop.as_str()
}

fn has_robots(manifest: &Manifest) -> bool {
    manifest.captures.keys().any(|kind| is_robots(kind))
}

fn only(slice: &RecordBatch, is_wanted: impl Fn(&str) -> bool) -> io::Result<RecordBatch> {
    let captures = Captures::new(slice)?;
    let keep: Vec<bool> = (0..captures.count()).map(|row| is_wanted(captures.kind(row))).collect();
    captures.only(&keep)
}

/// Returns the fetches of a slice; a URL that cannot be read belongs to no site.
fn fetches<'s>(slice: &'s Captures<'s>, numbers: &'s Numbers) -> impl Iterator<Item = Fetch<'s, u32>> {
    (0..slice.count()).filter_map(move |row| {
        Some(Fetch {
            url: PageUrl::new(slice.url(row).as_bytes()).ok()?,
            fetched_at: slice.fetched_at_us(row).and_then(Timestamp::from_unix_micros),
            answer: slice.status(row).map_or(Answer::StatusUnreadable, Answer::Status),
            redirect: slice.redirect(row),
            body: slice.body_digest(row).and_then(|digest| numbers.get(digest).copied()),
        })
    })
}
