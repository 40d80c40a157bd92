//! The site files of some archives, read from the evidence into an index.
//!
//! Example: a segment's captures of robots.txt and their bodies, and the pages to which they redirect.
//! Left out: which copy counts when (`verdict::site_index`).

use super::group::ArchiveEvidence;
use crate::robots::Extent;
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

/// Loads the captures of site files of some archives.
///
/// # Errors
/// Why the evidence cannot be read.
pub fn load(archives: &[&ArchiveEvidence<'_>]) -> io::Result<SiteIndex> {
    let mut bodies = SiteBodies::default();
    let mut slices = Vec::new();
    for archive in archives.iter().filter(|archive| archive.manifest.has_site_files()) {
        load_bodies(archive, &mut bodies)?;
        for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, FETCH_COLUMNS))? {
            slices.push(only(&slice?, |captures, row| captures.kind(row) != PAGE)?);
        }
    }
    let captures = slices.iter().map(Captures::new).collect::<io::Result<Vec<_>>>()?;
    let redirects = |slice: &Captures<'_>| (0..slice.count()).any(|row| slice.redirect(row).is_some());
    let has_redirects = captures.iter().any(redirects);
    let mut index = SiteIndex::new(bodies, captures.iter().flat_map(site_captures));
    if has_redirects {
        load_targets(archives, &mut index)?;
    }
    Ok(index)
}

fn load_bodies(archive: &ArchiveEvidence<'_>, bodies: &mut SiteBodies) -> io::Result<()> {
    for slice in archive.slices(&SITE_FILES, Slices::new)? {
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
fn load_targets(archives: &[&ArchiveEvidence<'_>], index: &mut SiteIndex) -> io::Result<()> {
    for _ in 0..ROUNDS {
        let mut slices = Vec::new();
        for archive in archives.iter().filter(|archive| archive.manifest.captures.contains_key(PAGE)) {
            for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, FETCH_COLUMNS))? {
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
