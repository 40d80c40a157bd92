//! The site files of a page's origin, and what its robots.txt redirects to, from the evidence.
//!
//! Example: a robots.txt that redirects to another host, and a page there that redirects on, are three
//! requests of the scenario. Left out: bodies of pages, which were not kept.

use super::location;
use crate::explain::{Request, Scenario};
use crate::robots::Extent;
use crate::runs::{ArchiveEvidence, BodyKey, Extents};
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, REQUEST_COLUMNS};
use crate::tables::site_files::{SITE_FILES, SiteBodies};
use crate::verdict::Timeline;
use crate::verdict::timeline::{Fetch, Sent};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::url::PageUrl;
use std::collections::{HashMap, HashSet};
use std::io;

/// RFC 9309 2.3.1.2: five redirects are followed, so that more rounds than these find nothing that counts.
const ROUNDS: usize = 7;

/// A row of the evidence that may count.
struct Row {
    /// Pages come behind all site files, as when resolving; then by archive and row.
    order: (bool, usize, usize),
    request: Request,
    body: Sent<BodyKey>,
}

/// The search for what counts.
struct Search<'e> {
    archives: &'e [ArchiveEvidence<'e>],
    origin: Origin,
    timeline: Timeline<()>,
    rows: Vec<Row>,
    taken: HashSet<(bool, usize, usize)>,
}

/// Which rows a round is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Site files of the origin.
    Own,
    /// Whatever redirects lead to.
    Targets,
}

/// Adds the requests for the files of the page's site; a URL that cannot be read has no site.
pub fn add(archives: &[ArchiveEvidence<'_>], scenario: &mut Scenario) -> io::Result<()> {
    let Some(url) = &scenario.url else { return Ok(()) };
    let (timeline, origin) = (Timeline::new([]), url.origin());
    let (rows, taken) = (Vec::new(), HashSet::new());
    let mut search = Search { archives, origin, timeline, rows, taken };
    let mut redirects = search.round(Round::Own)?;
    for _ in 0..ROUNDS {
        if !redirects {
            break;
        }
        redirects = search.round(Round::Targets)?;
    }
    let mut rows = search.rows;
    rows.sort_by_key(|row| row.order);
    let bodies = bodies(archives, &rows)?;
    for Row { mut request, body, .. } in rows {
        request.body = body.and_then(|key| bodies.get(&key).cloned().into());
        match request.kind.read_as() {
            CaptureKind::Robots | CaptureKind::RobotsHop | CaptureKind::Page => scenario.robots.push(request),
            CaptureKind::Automation | CaptureKind::Tdmrep | CaptureKind::AiTxt | CaptureKind::TrustTxt => {
                scenario.site_files.push(request);
            }
        }
    }
    Ok(())
}

impl Search<'_> {
    /// Takes the rows of a round; returns whether any of them redirects.
    fn round(&mut self, round: Round) -> io::Result<bool> {
        let mut redirects = false;
        for (place, archive) in self.archives.iter().enumerate() {
            let manifest = &archive.manifest;
            if manifest.captures.is_empty() || (round == Round::Own && !manifest.has_site_files()) {
                continue;
            }
            let (mut first_row, mut extents) = (0, Extents::new(archive));
            for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
                let slice = slice?;
                let captures = Captures::new(&slice)?;
                for row in 0..captures.count() {
                    redirects |= self.row((&captures, row), &mut extents, (place, first_row + row), round)?;
                }
                first_row += captures.count();
            }
        }
        Ok(redirects)
    }

    /// Takes a row, if it counts; returns whether it redirects.
    fn row(
        &mut self,
        (captures, row): (&Captures<'_>, usize),
        extents: &mut Extents<'_>,
        (archive, number): (usize, usize),
        round: Round,
    ) -> io::Result<bool> {
        let Some(kind) = CaptureKind::named(captures.kind(row)) else { return Ok(false) };
        let Ok(url) = PageUrl::new(captures.url(row).as_bytes()) else { return Ok(false) };
        let is_robots = kind.read_as() == CaptureKind::Robots;
        let is_page = kind == CaptureKind::Page;
        let counts = match round {
            Round::Own => !is_page && kind != CaptureKind::RobotsHop && self.origin.is_of(&url),
            Round::Targets => (is_robots || is_page) && self.timeline.awaits(&url),
        };
        let order = (is_page, archive, number);
        if !counts || !self.taken.insert(order) {
            return Ok(false);
        }
        let (body, extent) = match extents.of(captures, row, kind)? {
            Sent::Body((key, extent)) => (Sent::Body(key), extent),
            Sent::Unreadable => (Sent::Unreadable, Extent::Whole),
            Sent::Html | Sent::Missing => (Sent::Missing, Extent::Whole),
        };
        let request = Request {
            extent,
            answer: captures.answer(row),
            redirect: captures.redirect(row).map(str::to_owned),
            location: location(captures, row)?,
            ..Request::new(kind, url.clone().into_owned(), captures.fetched_at(row))
        };
        self.rows.push(Row { order, request, body });
        if !is_robots && !is_page {
            return Ok(false);
        }
        let (fetched_at, answer) = (captures.fetched_at(row), captures.answer(row));
        let fetch = Fetch { url, fetched_at, answer, redirect: captures.redirect(row), body: Sent::Missing };
        // It is asked for places only, which need no order.
        self.timeline.add(&fetch, 0);
        Ok(captures.redirect(row).is_some())
    }
}

/// The bodies of requests.
type Bodies = HashMap<BodyKey, Vec<u8>>;

fn bodies(archives: &[ArchiveEvidence<'_>], rows: &[Row]) -> io::Result<Bodies> {
    let key = |row: &Row| match row.body {
        Sent::Body(key) => Some(key),
        Sent::Html | Sent::Unreadable | Sent::Missing => None,
    };
    let wanted: HashSet<BodyKey> = rows.iter().filter_map(key).collect();
    let mut bodies = Bodies::new();
    for archive in archives.iter().filter(|archive| archive.manifest.has_site_files()) {
        if bodies.len() == wanted.len() {
            break;
        }
        for slice in archive.slices(&SITE_FILES, Slices::new)? {
            for (digest, kind, body) in SiteBodies::new(&slice?)?.iter() {
                let key = CaptureKind::named(kind).and_then(|kind| BodyKey::new(kind, digest));
                if let Some(key) = key.filter(|key| wanted.contains(key)) {
                    bodies.entry(key).or_insert_with(|| body.to_vec());
                }
            }
        }
    }
    Ok(bodies)
}
