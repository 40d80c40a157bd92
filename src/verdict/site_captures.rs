//! The captures of site files: which copies were current when.
//!
//! Input: captures of robots.txt, of its redirect targets and of other site files, in any order. Output: for an origin and a
//! time, the numbers of the bodies that count. Example: a page of 08:00 has the robots.txt of 06:00, not that of 09:00.
//! RULES LIVE-8: each path of the files beside robots.txt is joined like robots.txt, by origin and time, but without a slack
//! and without redirects, except for automation-preferences.txt. For trust.txt, which may be at two paths, up to two copies count.
//! Left out: what the bodies say (`site_index`), and where captures come from. Bodies may be anywhere ([`SiteBodies`]).

use super::legibility::Legibility;
use super::timeline::{Current, RobotsState, Sent, SiteBody, SiteCapture, Timeline};
use crate::robots::Extent;
use crate::systems::SYSTEMS;
use crate::web::u32_of;
use crate::web::{capture_kind::CaptureKind, interval::Interval, origin::Origin, timestamp::Timestamp};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::time::Duration;

/// The bodies of site files by number, wherever they are kept.
pub trait SiteBodies {
    type Error;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, Self::Error>;

    /// Returns whether two bodies have the same bytes. Most implementations give these one number.
    fn are_same(&self, one: u32, other: u32) -> bool {
        one == other
    }
}

impl<B: SiteBodies> SiteBodies for &B {
    type Error = B::Error;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, B::Error> {
        (**self).read(number)
    }

    fn are_same(&self, one: u32, other: u32) -> bool {
        (**self).are_same(one, other)
    }
}

/// Bodies that are given with the captures.
#[derive(Default)]
pub struct GivenBodies(Vec<Vec<u8>>);

impl GivenBodies {
    /// Adds a body that is read as this kind of file; returns the content for its capture.
    pub fn add(&mut self, kind: CaptureKind, bytes: &[u8], extent: Extent) -> Sent<SiteBody> {
        self.0.push(bytes.to_vec());
        let number = u32_of(self.0.len() - 1);
        Legibility::of(kind, bytes).with(SiteBody { number, extent })
    }
}

impl SiteBodies for GivenBodies {
    type Error = Infallible;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, Infallible> {
        Ok(Cow::Borrowed(self.0.get(number as usize).map_or(&[], Vec::as_slice)))
    }

    fn are_same(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|number| self.0.get(number as usize));
        one == other
    }
}

/// Captures of site files by origin and time.
#[derive(Default)]
pub struct SiteCaptures {
    /// The captures of robots.txt by URL and time.
    pub timeline: Timeline,
    /// Those of files beside robots.txt, by their paths ([`CaptureKind::paths`]).
    others: BTreeMap<(CaptureKind, &'static str), Timeline>,
}

/// The copies of a site's files that were current.
pub struct CurrentFiles {
    pub robots: Current,
    /// The place of a system in the registry, and the copies of its own file.
    pub others: Vec<(usize, Vec<SiteBody>)>,
    /// Other bodies of the same second, by the system that reads them (`None`: robots.txt). Only their noes count (FRAME-9).
    pub rivals: Vec<(Option<usize>, SiteBody)>,
    /// The kinds of files that count for labels and have a body that is missing or cannot be read.
    pub missing: Vec<&'static str>,
}

impl CurrentFiles {
    pub fn is_known(&self) -> bool {
        self.robots.state != RobotsState::NotArchived || !self.others.is_empty() || !self.missing.is_empty()
    }

    pub fn bodies(&self) -> impl Iterator<Item = u32> {
        let others = self.others.iter().flat_map(|(_, bodies)| bodies);
        let rivals = self.rivals.iter().map(|(_, body)| body);
        self.robots.body.iter().chain(others).chain(rivals).map(|body| body.number)
    }
}

impl SiteCaptures {
    /// Adds a capture, which counts after [`SiteCaptures::sort`]; a page must be one to which a robots.txt may redirect, and a
    /// capture at none of the paths of its kind does not count. `order` orders captures of one URL and time.
    pub fn add(&mut self, capture: &SiteCapture<'_>, order: u64) {
        let kind = capture.kind;
        if !kind.is_beside_robots() {
            self.timeline.add(capture, order);
        } else if let Some(path) = kind.paths().iter().find(|path| **path == capture.url.path()) {
            self.others.entry((kind, *path)).or_default().add(capture, order);
        }
    }

    /// Gives bodies other numbers, or replaces them with another outcome.
    pub fn change_bodies(&mut self, number: impl Fn(u32) -> Sent<u32>) {
        let change = |SiteBody { number: old, extent }: SiteBody| {
            number(old).and_then(|number| Sent::Body(SiteBody { number, extent }))
        };
        self.timeline.change_bodies(change);
        self.others.values_mut().for_each(|files| files.change_bodies(change));
    }

    pub fn sort(&mut self) {
        self.timeline.sort();
        self.others.values_mut().for_each(Timeline::sort);
    }

    /// Returns the copies of an origin's files that count for a page; `are_same` says which bodies have the same bytes.
    pub(super) fn current(
        &self,
        origin: Option<&Origin>,
        fetched_at: Option<Timestamp>,
        slack: Duration,
        are_same: &dyn Fn(u32, u32) -> bool,
    ) -> CurrentFiles {
        let (mut robots, mut rivals) = match origin {
            Some(origin) => self.timeline.current_and_rivals(origin, fetched_at, slack),
            None => (Current::default(), Vec::new()),
        };
        if let Some(body) = &mut robots.body {
            join(body, &mut rivals, are_same);
        }
        let rivals = rivals.into_iter().map(|body| (None, body)).collect();
        let mut files = CurrentFiles { robots, others: Vec::new(), rivals, missing: Vec::new() };
        let Some(origin) = origin.filter(|_| !self.others.is_empty()) else {
            return files;
        };
        for (place, system) in SYSTEMS.iter().enumerate() {
            let Some(kind) = system.about().site_file else { continue };
            let mut copies = self.copies(kind, origin, fetched_at);
            if has_labels(place) && copies.is_unread {
                files.missing.push(kind.as_str());
            }
            for body in &mut copies.bodies {
                join(body, &mut copies.rivals, are_same);
            }
            files.rivals.extend(copies.rivals.into_iter().map(|body| (Some(place), body)));
            if !copies.bodies.is_empty() {
                files.others.push((place, copies.bodies));
            }
        }
        files
    }

    /// Adds the times within an interval at which other files of an origin may count than before.
    pub(super) fn add_changes_within(
        &self,
        origin: &Origin,
        within: Interval,
        times: &mut BTreeSet<Timestamp>,
    ) {
        for files in std::iter::once(&self.timeline).chain(self.others.values()) {
            files.add_changes_within(origin, within, times);
        }
    }

    /// Returns the copies of a file beside robots.txt that count for a page.
    fn copies(&self, kind: CaptureKind, origin: &Origin, fetched_at: Option<Timestamp>) -> FileCopies {
        let body = |copy: &Option<Sent<SiteBody>>| {
            if let Some(Sent::Body(body)) = copy { Some(*body) } else { None }
        };
        let mut found = FileCopies::default();
        for files in kind.paths().iter().filter_map(|path| self.others.get(&(kind, *path))) {
            let copies = files.copies(origin, fetched_at);
            found.is_unread |=
                copies.iter().any(|copy| matches!(copy, Some(Sent::Unreadable | Sent::Missing)));
            let Some((last, others)) = copies.split_last() else { continue };
            let current = body(last);
            for other in others.iter().filter_map(body) {
                if current != Some(other) && !found.rivals.contains(&other) {
                    found.rivals.push(other);
                }
            }
            found.bodies.extend(current);
        }
        found
    }
}

/// The copies of one kind of file beside robots.txt.
#[derive(Default)]
struct FileCopies {
    /// Those that count: at most one for each path.
    bodies: Vec<SiteBody>,
    /// Different ones of the same second: their noes count (FRAME-9).
    rivals: Vec<SiteBody>,
    /// Whether a copy counts but its body was not kept or cannot be read.
    is_unread: bool,
}

/// Removes captures with the same bytes as a body; the body is whole if any of them is (READ-5).
fn join(body: &mut SiteBody, rivals: &mut Vec<SiteBody>, are_same: &dyn Fn(u32, u32) -> bool) {
    rivals.retain(|rival| {
        let is_same = are_same(rival.number, body.number);
        if is_same && rival.extent == Extent::Whole {
            body.extent = Extent::Whole;
        }
        !is_same
    });
}

/// Returns whether a system's own file counts for a label.
pub(super) fn has_labels(place: usize) -> bool {
    SYSTEMS.get(place).is_some_and(|system| !system.about().labels.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::timeline::Answer;
    use crate::web::url::PageUrl;

    fn at(time: &str) -> Option<Timestamp> {
        Timestamp::new(format!("2026-08-10T{time}:00Z").as_bytes())
    }

    #[test]
    fn local_live_8_each_path_of_a_kind_has_its_own_newest_copy() {
        let (trust, ai) = (CaptureKind::TrustTxt, CaptureKind::AiTxt);
        let mut captures = SiteCaptures::default();
        for (number, (kind, url, time, status)) in (1..).zip([
            (trust, "https://a.example/trust.txt", "06:00", 200),
            (trust, "https://a.example/.well-known/trust.txt", "06:30", 200),
            (trust, "https://a.example/.well-known/trust.txt", "07:00", 404),
            (trust, "https://b.example/trust.txt", "06:00", 200),
            (trust, "https://a.example/elsewhere", "06:00", 200),
            (ai, "https://a.example/ai.txt", "06:00", 200),
        ]) {
            let (url, answer) = (PageUrl::new(url.as_bytes()).expect("a URL"), Answer::Status(status));
            let body = Sent::Body(SiteBody { number, extent: Extent::Whole });
            let (fetched_at, redirect, segment) = (at(time), None, 0);
            let capture = SiteCapture { kind, url, fetched_at, answer, redirect, body, segment };
            captures.add(&capture, number.into());
        }
        captures.sort();
        let page = PageUrl::new(b"https://a.example/p").expect("a URL").origin();
        for (kind, time, bodies) in [
            (trust, "05:59", &[][..]),
            (trust, "06:00", &[1]),
            (trust, "06:45", &[2, 1]),
            (trust, "08:00", &[1]),
            (ai, "08:00", &[6]),
            (CaptureKind::Tdmrep, "08:00", &[]),
        ] {
            let found = captures.copies(kind, &page, at(time)).bodies;
            assert!(found.iter().map(|body| body.number).eq(bodies.iter().copied()), "{kind:?} {time}");
        }
    }
}
