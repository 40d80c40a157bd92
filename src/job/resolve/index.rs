//! The site files of some batches, read from the evidence into an index.
//!
//! Example: a segment's captures of robots.txt and their bodies, and the pages to which they redirect.
//! Left out: which copy counts when (`verdict::site_index`).

use crate::job::manifest::Manifest;
use crate::robots::Extent;
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, FETCH_COLUMNS};
use crate::tables::site_files::{SITE_FILES, SiteBodies as BodyRows};
use crate::verdict::{SiteBodies, SiteCapture, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::io;

/// Redirects of robots.txt are followed so many times (RFC 9309 2.3.1.2).
const ROUNDS: usize = 5;

/// Loads the captures of site files of some batches.
///
/// # Errors
/// Why the evidence cannot be read.
pub fn load(evidence: &dyn Store, manifests: &[&Manifest]) -> io::Result<SiteIndex> {
    let mut bodies = SiteBodies::default();
    let mut slices = Vec::new();
    for manifest in manifests.iter().filter(|manifest| manifest.has_site_files()) {
        load_bodies(evidence, manifest, &mut bodies)?;
        for slice in Slices::of_columns(evidence.open(&manifest.part(&CAPTURES))?, FETCH_COLUMNS)? {
            slices.push(only(&slice?, |captures, row| captures.kind(row) != PAGE)?);
        }
    }
    let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
    let redirects = |slice: &Captures<'_>| (0..slice.count()).any(|row| slice.redirect(row).is_some());
    let has_redirects = captures.iter().any(redirects);
    let mut index = SiteIndex::new(bodies, captures.iter().flat_map(site_captures));
    if has_redirects {
        load_targets(evidence, manifests, &mut index)?;
    }
    Ok(index)
}

fn load_bodies(evidence: &dyn Store, manifest: &Manifest, bodies: &mut SiteBodies) -> io::Result<()> {
    for slice in Slices::new(evidence.open(&manifest.part(&SITE_FILES))?)? {
        for (digest, kind, body, cut) in BodyRows::new(&slice?)?.iter() {
            let extent = if cut { Extent::CutOff } else { Extent::Whole };
            if let Some(kind) = CaptureKind::named(kind) {
                bodies.add(kind, digest, body, extent);
            }
        }
    }
    Ok(())
}

/// Adds the pages to which redirects of robots.txt lead, round by round where these redirect in turn.
fn load_targets(evidence: &dyn Store, manifests: &[&Manifest], index: &mut SiteIndex) -> io::Result<()> {
    for _ in 0..ROUNDS {
        let mut slices = Vec::new();
        for manifest in manifests.iter().filter(|manifest| manifest.captures.contains_key(PAGE)) {
            for slice in Slices::of_columns(evidence.open(&manifest.part(&CAPTURES))?, FETCH_COLUMNS)? {
                let awaited = |captures: &Captures<'_>, row: usize| {
                    let url = PageUrl::new(captures.url(row).as_bytes());
                    captures.kind(row) == PAGE && url.is_ok_and(|url| index.timeline().awaits(&url))
                };
                slices.push(only(&slice?, awaited)?);
            }
        }
        let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
        let again = captures.iter().any(|slice| (0..slice.count()).any(|row| slice.redirect(row).is_some()));
        index.add_targets(captures.iter().flat_map(site_captures));
        if !again {
            break;
        }
    }
    Ok(())
}

const PAGE: &str = CaptureKind::Page.as_str();

fn only(slice: &RecordBatch, is_wanted: impl Fn(&Captures<'_>, usize) -> bool) -> io::Result<RecordBatch> {
    let captures = Captures::new(slice)?;
    let keep: Vec<bool> = (0..captures.count()).map(|row| is_wanted(&captures, row)).collect();
    captures.only(&keep)
}

/// Returns the captures of a slice; a URL that cannot be read belongs to no site.
fn site_captures<'s>(slice: &'s Captures<'s>) -> impl Iterator<Item = SiteCapture<'s>> {
    (0..slice.count()).filter_map(move |row| {
        Some(SiteCapture {
            kind: CaptureKind::named(slice.kind(row))?,
            url: PageUrl::new(slice.url(row).as_bytes()).ok()?,
            fetched_at: slice.fetched_at(row),
            answer: slice.answer(row),
            redirect: slice.redirect(row),
            body_digest: slice.body_digest(row),
        })
    })
}
