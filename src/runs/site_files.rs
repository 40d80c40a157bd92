//! The site files of some archives, read from the evidence into an index.
//!
//! Example: a segment's captures of robots.txt, the bodies that they have, and the pages to which they redirect.
//! Captures first, so that only their bodies are kept. Archives are read side by side; what is found does not depend
//! on who is first. For some origins only, their site files and what these redirect to are loaded, and nothing else.
//! Left out: which copy counts when (`verdict::site_captures`).

use super::bodies::{Bodies, BodyKey, BodyRow, Wanted};
use super::extents::Extents;
use super::group::ArchiveEvidence;
use crate::robots::Extent;
use crate::store::Scratch;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, FETCH_COLUMNS};
use crate::tables::site_files::{SITE_FILES, SiteBodies as BodyRows};
use crate::verdict::timeline::Sent;
use crate::verdict::{SiteBody, SiteCapture, SiteCaptures, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock};

/// Redirects of robots.txt are followed so many times (RFC 9309 2.3.1.2).
const ROUNDS: usize = 5;
/// The most bytes of bodies that a worker reads at once.
const BODIES_BYTES: usize = 8 << 20;
const PAGE: &str = CaptureKind::Page.as_str();

/// Whose site files are loaded.
#[derive(Clone, Copy)]
pub enum Sites<'s> {
    /// Everybody's.
    All,
    /// Those of the origins of URLs for which this is true.
    Some(&'s (dyn Fn(&PageUrl<'_>) -> bool + Sync)),
}

/// Fails once a job is to stop; asked in every loop over what strangers have written.
pub type GoOn<'g> = dyn Fn() -> io::Result<()> + Sync + 'g;

/// What is being read.
struct Reading<'a> {
    archives: &'a [&'a ArchiveEvidence<'a>],
    sites: Sites<'a>,
    captures: RwLock<SiteCaptures>,
    wanted: Mutex<Wanted>,
    go_on: &'a GoOn<'a>,
}

/// Loads the captures of site files of some archives; the bodies go to a file in a folder, and of what is compiled
/// of them, about so many bytes are kept.
///
/// # Errors
/// Why the evidence cannot be read, or the file cannot be written; that it is to stop.
pub fn load(
    archives: &[&ArchiveEvidence<'_>],
    sites: Sites<'_>,
    (folder, cache_bytes): (&Path, usize),
    go_on: &GoOn<'_>,
) -> io::Result<SiteIndex<Bodies>> {
    let wanted = Mutex::new(Wanted::new(Scratch::new(folder)?));
    let reading = Reading { archives, sites, captures: RwLock::default(), wanted, go_on };
    let mut has_redirects = reading.site_files()?;
    for _ in 0..ROUNDS {
        if !has_redirects {
            break;
        }
        has_redirects = reading.targets()?;
    }
    let wanted = reading.wanted.into_inner().unwrap_or_else(PoisonError::into_inner);
    let with_files = archives.par_iter().enumerate().filter(|(_, archive)| archive.manifest.has_site_files());
    with_files.try_for_each(|(number, archive)| load_bodies(order(number, 0), archive, &wanted, go_on))?;
    let (bodies, numbers) = wanted.into_bodies();
    let mut captures = reading.captures.into_inner().unwrap_or_else(PoisonError::into_inner);
    captures.change_bodies(|provisional| numbers.get(provisional as usize).copied().unwrap_or(Sent::Missing));
    Ok(SiteIndex::new(captures, bodies, cache_bytes))
}

impl Reading<'_> {
    /// Adds the captures of site files; returns whether any is a redirect.
    fn site_files(&self) -> io::Result<bool> {
        let has_files = |archive: &ArchiveEvidence<'_>| archive.manifest.has_site_files();
        self.add(has_files, |captures, row| captures.kind(row) != PAGE && self.is_of_sites(captures, row))
    }

    fn is_of_sites(&self, captures: &Captures<'_>, row: usize) -> bool {
        match self.sites {
            Sites::All => true,
            Sites::Some(are) => PageUrl::new(captures.url(row).as_bytes()).is_ok_and(|url| are(&url)),
        }
    }

    /// Adds the captures to which redirects of robots.txt are known to lead: pages, and site files that were not
    /// loaded as such; returns whether any redirects in turn. A capture that is added twice counts once.
    fn targets(&self) -> io::Result<bool> {
        let may_have = |archive: &ArchiveEvidence<'_>| match self.sites {
            Sites::All => archive.manifest.captures.contains_key(PAGE),
            Sites::Some(_) => !archive.manifest.captures.is_empty(),
        };
        self.add(may_have, |captures, row| {
            let is_left = match self.sites {
                Sites::All => captures.kind(row) == PAGE,
                Sites::Some(_) => may_be_target(captures.kind(row)),
            };
            let url = PageUrl::new(captures.url(row).as_bytes());
            let known = || self.captures.read().unwrap_or_else(PoisonError::into_inner);
            is_left && url.is_ok_and(|url| known().timeline().awaits(&url))
        })
    }

    fn add(
        &self,
        is_read: impl Fn(&ArchiveEvidence<'_>) -> bool + Sync,
        is_wanted: impl Fn(&Captures<'_>, usize) -> bool + Sync,
    ) -> io::Result<bool> {
        let archives = self.archives.par_iter().enumerate().filter(|(_, archive)| is_read(archive));
        let redirects = archives.map(|(number, archive)| {
            let (mut rows, mut has_redirects, mut extents) = (0, false, Extents::new(archive));
            for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, FETCH_COLUMNS))? {
                (self.go_on)()?;
                let slice = slice?;
                let captures = Captures::new(&slice)?;
                let wanted = (0..captures.count()).filter(|row| is_wanted(&captures, *row));
                let wanted = wanted.filter_map(|row| site_capture(&captures, row, &mut extents).transpose());
                let wanted = wanted.collect::<io::Result<Vec<_>>>()?;
                has_redirects |= wanted.iter().any(|(_, capture, _)| capture.redirect.is_some());
                self.add_rows(order(number, rows), wanted);
                rows += captures.count();
            }
            Ok(has_redirects)
        });
        redirects.try_reduce(|| false, |one, other| Ok(one || other))
    }

    fn add_rows(&self, first: u64, rows: Vec<Row<'_>>) {
        let mut captures = self.captures.write().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        for (row, mut capture, body) in rows {
            capture.body = body
                .and_then(|(key, extent)| Sent::Body(SiteBody { number: wanted.want(key, extent), extent }));
            let after = if capture.kind == CaptureKind::Page { AFTER_FILES } else { 0 };
            captures.add(&capture, after | (first + row as u64));
        }
    }
}

/// Targets of redirects come after all captures of site files.
const AFTER_FILES: u64 = 1 << 63;

/// Returns whether a redirect of a robots.txt may lead to a capture of this kind.
fn may_be_target(kind: &str) -> bool {
    CaptureKind::named(kind).is_some_and(|kind| match kind.read_as() {
        CaptureKind::Robots | CaptureKind::RobotsHop | CaptureKind::Page => true,
        CaptureKind::Automation | CaptureKind::Tdmrep | CaptureKind::AiTxt | CaptureKind::TrustTxt => false,
    })
}

/// Returns what orders rows: the archive's place, then the row.
fn order(archive: usize, row: usize) -> u64 {
    (archive as u64) << 32 | row as u64
}

/// A capture with its row, and the body that it has as a file.
type Row<'s> = (usize, SiteCapture<'s>, Sent<(BodyKey, Extent)>);

/// Returns a capture; a URL that cannot be read belongs to no site.
fn site_capture<'s>(
    slice: &'s Captures<'s>,
    row: usize,
    extents: &mut Extents<'_>,
) -> io::Result<Option<Row<'s>>> {
    let Some(kind) = CaptureKind::named(slice.kind(row)) else { return Ok(None) };
    let Ok(url) = PageUrl::new(slice.url(row).as_bytes()) else { return Ok(None) };
    let answer = slice.answer(row);
    let is_file = answer.is_success() && kind != CaptureKind::Page;
    let body = if is_file { extents.of(slice, row, kind)? } else { Sent::Missing };
    let (fetched_at, redirect) = (slice.fetched_at(row), slice.redirect(row));
    let capture = SiteCapture { kind, url, fetched_at, answer, redirect, body: Sent::Missing };
    Ok(Some((row, capture, body)))
}

fn load_bodies(
    mut order: u64,
    archive: &ArchiveEvidence<'_>,
    wanted: &Wanted,
    go_on: &GoOn<'_>,
) -> io::Result<()> {
    for slice in archive.slices(&SITE_FILES, |file| Slices::within(file, "body_bytes", BODIES_BYTES))? {
        go_on()?;
        let slice = slice?;
        let bodies = BodyRows::new(&slice)?;
        let rows = (order..).zip(bodies.iter()).filter_map(|(order, row)| {
            let (digest, kind, bytes) = row;
            let key = BodyKey::new(CaptureKind::named(kind)?, digest)?;
            Some(BodyRow { key, bytes, order })
        });
        wanted.keep(rows)?;
        order += slice.num_rows() as u64;
    }
    Ok(())
}
