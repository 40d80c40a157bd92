//! The site files of some archives, read from the evidence: all of them into an index, or those of some origins.
//!
//! Captures are read first, so that only their bodies are kept. Archives are read side by side; the result does not depend on
//! which is first. For some origins only, their site files and the targets of their redirects are read; of all other captures
//! only the URLs; and nothing of archives without a capture of their hosts. `site_layers` gives an index for decisions,
//! `found_files` the captures themselves. Left out: which copy counts when (`verdict::site_captures`).

use super::archive_evidence::ArchiveEvidence;
use super::awaited::{Awaited, SegmentNumbers};
use super::bodies::{BodyKey, WantedBodies};
use crate::robots::Extent;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, CaptureKeys, Captures, FETCH_COLUMNS, REQUEST_COLUMNS};
use crate::tables::site_files::SITE_FILES;
use crate::verdict::SiteCapture;
use crate::verdict::timeline::{BodyState, FetchOutcome};
use crate::web::body_mark::BodyMark;
use crate::web::capture_kind::CaptureKind;
use crate::web::url::PageUrl;
use itertools::Itertools;
use rayon::prelude::*;
use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The most redirects that are followed (RFC 9309 2.3.1.2).
pub const ROUNDS: usize = 5;
/// The most bytes of bodies that a worker reads at once.
const BODIES_BYTES: usize = 8 << 20;

/// The sites whose files are loaded.
#[derive(Clone, Copy)]
pub enum Sites<'s> {
    All,
    Some(WantedSites<'s>),
}

/// Some origins.
#[derive(Clone, Copy)]
pub struct WantedSites<'s> {
    /// Returns whether a URL belongs to one of them.
    pub have: &'s (dyn Fn(&PageUrl<'_>) -> bool + Sync),
    /// Their hosts, if these are few: archives without captures of them are not read.
    pub hosts: Option<&'s [&'s str]>,
}

/// Fails once a job is to stop; called in every loop over content from the web.
pub type GoOn<'g> = dyn Fn() -> io::Result<()> + Sync + 'g;

/// Receives the captures that are read.
pub trait Keep: Send + Sync {
    /// Keeps a capture, whose body as a file is `body`; a capture that is kept twice counts once.
    fn keep(&mut self, row: &FoundRow<'_>) -> io::Result<()>;
}

/// A capture of a site file, or of a page to which one may redirect.
pub struct FoundRow<'s> {
    pub slice: &'s Captures,
    pub row: usize,
    /// The capture, without its body.
    pub capture: SiteCapture<'s>,
    /// The body that it has as a file.
    pub body: BodyState<(BodyKey, Extent)>,
    /// Its place in the evidence: pages come after all site files.
    pub order: u64,
}

struct SiteReading<'a, K> {
    archives: &'a [&'a ArchiveEvidence<'a>],
    /// The number of each archive's segment.
    segments: Vec<u32>,
    sites: Sites<'a>,
    kept: RwLock<(K, Awaited)>,
    go_on: &'a GoOn<'a>,
}

/// Reads the wanted bodies of some archives; those of originals (KNOW-4) may be in any of `all`.
pub fn bodies(
    archives: &[&ArchiveEvidence<'_>],
    all: &[&ArchiveEvidence<'_>],
    wanted: &WantedBodies,
    go_on: &GoOn<'_>,
) -> io::Result<()> {
    let read = |archives: &[&ArchiveEvidence<'_>], first| {
        let numbered = archives.par_iter().enumerate();
        let with_files = numbered.filter(|(_, archive)| archive.manifest.has_site_files());
        with_files
            .try_for_each(|(at, archive)| load_bodies(order(first + at, 0), archive, wanted, go_on))
    };
    read(archives, 0)?;
    let has_originals = archives
        .iter()
        .any(|archive| archive.originals_digest().is_some());
    if has_originals && wanted.lacks_any() {
        read(all, archives.len())
    } else {
        Ok(())
    }
}

/// Reads the captures of site files, and of what robots.txt files redirect to.
pub fn read<K: Keep>(
    archives: &[&ArchiveEvidence<'_>],
    sites: Sites<'_>,
    kept: K,
    go_on: &GoOn<'_>,
) -> io::Result<K> {
    let has_hosts = matches!(sites, Sites::Some(WantedSites { hosts: Some(_), .. }));
    let awaited = if has_hosts {
        Awaited::with_hosts()
    } else {
        Awaited::default()
    };
    let kept = RwLock::new((kept, awaited));
    let reading = SiteReading {
        archives,
        segments: segments(archives),
        sites,
        kept,
        go_on,
    };
    reading.add_site_files()?;
    let mut followed = 0;
    for _ in 0..ROUNDS {
        let known = reading.kept().1.len();
        if known == followed {
            break;
        }
        reading.add_targets()?;
        followed = known;
    }
    Ok(reading
        .kept
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .0)
}

fn segments(archives: &[&ArchiveEvidence<'_>]) -> Vec<u32> {
    let mut numbers = SegmentNumbers::default();
    let manifests = archives.iter().map(|archive| &archive.manifest);
    manifests
        .map(|manifest| numbers.number(&manifest.crawl, &manifest.name()))
        .collect()
}

impl<K: Keep> SiteReading<'_, K> {
    fn kept(&self) -> RwLockReadGuard<'_, (K, Awaited)> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_site_files(&self) -> io::Result<()> {
        let has_files = |archive: &ArchiveEvidence<'_>| archive.manifest.has_site_files();
        // For some sites only, hops count if redirects lead to them.
        let is_left = |kind| match self.sites {
            Sites::All => kind != CaptureKind::Page,
            Sites::Some(_) => kind != CaptureKind::Page && kind != CaptureKind::RobotsHop,
        };
        let (have, hosts) = match self.sites {
            Sites::All => (None, None),
            Sites::Some(WantedSites { have, hosts }) => (Some(have), hosts),
        };
        let is_of_sites = |url: &str| {
            have.is_none_or(|have| PageUrl::new(url.as_bytes()).is_ok_and(|url| have(&url)))
        };
        self.add((has_files, hosts), |_, kind, url| {
            is_left(kind) && is_of_sites(url)
        })
    }

    /// Adds the known targets of redirects: pages, and site files that were not loaded as such.
    fn add_targets(&self) -> io::Result<()> {
        let may_have = |archive: &ArchiveEvidence<'_>| match self.sites {
            Sites::All => archive
                .manifest
                .captures
                .contains_key(CaptureKind::Page.as_str()),
            Sites::Some(_) => !archive.manifest.captures.is_empty(),
        };
        let hosts = self.kept().1.hosts();
        let hosts: Option<Vec<&str>> = hosts
            .as_ref()
            .map(|hosts| hosts.iter().map(String::as_str).collect());
        self.add((may_have, hosts.as_deref()), |archive, kind, url| {
            let is_page = kind == CaptureKind::Page;
            let is_left = is_page || matches!(self.sites, Sites::Some(_));
            let segment = self.segments.get(archive).copied().filter(|_| is_page);
            is_left
                && PageUrl::new(url.as_bytes()).is_ok_and(|url| self.kept().1.has(segment, &url))
        })
    }

    /// Adds captures of archives; with known hosts, only of archives that may have a capture of one.
    fn add(
        &self,
        (is_read, hosts): (
            impl Fn(&ArchiveEvidence<'_>) -> bool + Sync,
            Option<&[&str]>,
        ),
        is_wanted: impl Fn(usize, CaptureKind, &str) -> bool + Sync,
    ) -> io::Result<()> {
        let archives = self
            .archives
            .par_iter()
            .enumerate()
            .filter(|(_, archive)| is_read(archive));
        archives.try_for_each(|(number, archive)| {
            let may_have = hosts.map_or(Ok(true), |hosts| archive.may_have_host(hosts))?;
            if may_have {
                self.add_archive((number, archive), &|kind, url| is_wanted(number, kind, url))?;
            }
            Ok(())
        })
    }

    fn add_archive(
        &self,
        (number, archive): (usize, &ArchiveEvidence<'_>),
        is_wanted: &(dyn Fn(CaptureKind, &str) -> bool + Sync),
    ) -> io::Result<()> {
        let wanted_rows = match self.sites {
            Sites::All => None,
            Sites::Some(_) => Some(self.wanted_rows(archive, is_wanted)?),
        };
        if wanted_rows.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        let open = |file| match &wanted_rows {
            None => Slices::of_columns(file, FETCH_COLUMNS),
            Some(rows) => Slices::of_rows(file, rows, Some(REQUEST_COLUMNS)),
        };
        let segment = self.segments.get(number).copied().unwrap_or(u32::MAX);
        let mut first = 0;
        for slice in archive.captures(wanted_rows.as_deref(), open)? {
            (self.go_on)()?;
            let slice = slice?;
            let captures = Captures::new(&slice)?;
            let mut found = Vec::new();
            for row in 0..captures.count() {
                let at = wanted_rows
                    .as_ref()
                    .and_then(|rows| rows.get(first + row).copied());
                let order = |kind| capture_order(kind, number, at.unwrap_or(first + row));
                found.extend(found_row((&captures, row), segment, order, is_wanted));
            }
            let (kept, awaited) = &mut *self.kept.write().unwrap_or_else(PoisonError::into_inner);
            for found in &found {
                kept.keep(found)?;
                let SiteCapture {
                    kind,
                    ref url,
                    answer,
                    redirect,
                    ..
                } = found.capture;
                if let Some(location) = followed(kind, answer, redirect) {
                    awaited.add(segment, url, location);
                }
            }
            first += captures.count();
        }
        Ok(())
    }

    /// The wanted rows of an archive's captures, found by their URLs.
    fn wanted_rows(
        &self,
        archive: &ArchiveEvidence<'_>,
        is_wanted: &(dyn Fn(CaptureKind, &str) -> bool + Sync),
    ) -> io::Result<Vec<usize>> {
        archive.rows(&CAPTURES, CaptureKeys::COLUMNS, |slice| {
            (self.go_on)()?;
            let keys = CaptureKeys::new(slice)?;
            let is_wanted = |(url, kind): (&str, &str)| {
                CaptureKind::named(kind).is_some_and(|kind| is_wanted(kind, url))
            };
            Ok(keys.iter().positions(is_wanted).collect())
        })
    }
}

/// Returns where an answer leads, if redirects of this kind of file are followed (RFC 9309 2.3.1.2, AMB-AUTO-10).
pub fn followed(kind: CaptureKind, answer: FetchOutcome, redirect: Option<&str>) -> Option<&str> {
    redirect.filter(|_| kind.follows_redirects() && answer.is_redirect())
}

/// Targets of redirects come after all captures of site files.
const AFTER_FILES: u64 = 1 << 63;

/// The sort key of a row: the archive's place, then the row.
fn order(archive: usize, row: usize) -> u64 {
    (archive as u64) << 32 | row as u64
}

/// Returns the sort key of captures of one URL and time: pages after the other kinds, then by archive and row.
pub fn capture_order(kind: CaptureKind, archive: usize, row: usize) -> u64 {
    let after = if kind == CaptureKind::Page {
        AFTER_FILES
    } else {
        0
    };
    after | order(archive, row)
}

/// Returns the row in its archive, given its sort key.
pub fn row_of(order: u64) -> u32 {
    u32::try_from(order & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

/// Returns the place of a row's archive, given its sort key.
pub fn archive_of(order: u64) -> usize {
    usize::try_from((order & !AFTER_FILES) >> 32).unwrap_or(usize::MAX)
}

/// A capture, if it is wanted; a URL that cannot be read belongs to no site.
fn found_row<'s>(
    (slice, row): (&'s Captures, usize),
    segment: u32,
    order: impl Fn(CaptureKind) -> u64,
    is_wanted: &(dyn Fn(CaptureKind, &str) -> bool + Sync),
) -> Option<FoundRow<'s>> {
    let kind = CaptureKind::named(slice.kind(row)).filter(|kind| is_wanted(*kind, slice.url(row)));
    let (kind, url) = kind.zip(PageUrl::new(slice.url(row).as_bytes()).ok())?;
    let answer = slice.answer(row);
    let body = if slice.may_have_file(row) {
        sent(slice, row, kind)
    } else {
        BodyState::Missing
    };
    let (fetched_at, redirect) = (slice.fetched_at(row), slice.redirect(row));
    let (body, validator, sent) = (BodyState::Missing, slice.validator(row), body);
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
    Some(FoundRow {
        slice,
        row,
        capture,
        body: sent,
        order: order(kind),
    })
}

/// Returns a capture's body, read as a file of this kind, and its extent (RULES READ-5): equal bytes may be cut elsewhere.
pub fn sent(captures: &Captures, row: usize, kind: CaptureKind) -> BodyState<(BodyKey, Extent)> {
    let marks = captures.body_marks(row);
    match captures
        .body_digest(row)
        .and_then(|digest| BodyKey::new(kind, digest))
    {
        Some(key) if marks.are_cut() => BodyState::Body((key, Extent::CutOff)),
        Some(key) => BodyState::Body((key, Extent::Whole)),
        None if marks.has(BodyMark::Undecodable) => BodyState::Unreadable,
        None => BodyState::Missing,
    }
}

fn load_bodies(
    mut order: u64,
    archive: &ArchiveEvidence<'_>,
    wanted: &WantedBodies,
    go_on: &GoOn<'_>,
) -> io::Result<()> {
    for slice in archive.slices(&SITE_FILES, |file| {
        Slices::within(file, "body_bytes", BODIES_BYTES)
    })? {
        go_on()?;
        let slice = slice?;
        let bodies = archive.site_bodies(&slice)?;
        wanted.keep((order..).zip(bodies.iter()).filter_map(
            |(order, (digest, kind, bytes))| {
                Some((
                    BodyKey::new(CaptureKind::named(kind)?, digest)?,
                    bytes,
                    order,
                ))
            },
        ))?;
        order += slice.num_rows() as u64;
    }
    Ok(())
}
