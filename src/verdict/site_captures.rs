//! The captures of site files: which copies were current when.
//!
//! Input: captures of robots.txt, of its redirect targets and of other site files, in any order. Output: for an origin and a
//! time, the numbers of the bodies that count. Example: a page of 08:00 has the robots.txt of 06:00, not that of 09:00.
//! RULES LIVE-8: each path of the files beside robots.txt is joined like robots.txt, by origin and time, but without a slack
//! and without redirects, except for automation-preferences.txt. For trust.txt, which may be at two paths, up to two copies count.
//! Left out: what the bodies say (`site_index`), and where captures come from. Bodies may be anywhere ([`SiteBodies`]).

use super::legibility::Legibility;
use super::timeline::{
    BodyState, CopyLimits, CountsFor, Current, FileCopies, NoesOnly, RobotsCopies, RobotsState,
    SiteBody, SiteCapture, Timeline, Twins,
};
use crate::robots::Extent;
use crate::systems::SYSTEMS;
use crate::web::u32_of;
use crate::web::{
    capture_kind::CaptureKind, interval::Interval, names::names, origin::Origin,
    timestamp::Timestamp,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::convert::Infallible;

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
    pub fn add(&mut self, kind: CaptureKind, bytes: &[u8], extent: Extent) -> BodyState<SiteBody> {
        self.0.push(bytes.to_vec());
        let number = u32_of(self.0.len() - 1);
        Legibility::from_body(kind, bytes).with(SiteBody { number, extent })
    }
}

impl SiteBodies for GivenBodies {
    type Error = Infallible;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, Infallible> {
        Ok(Cow::Borrowed(
            self.0.get(number as usize).map_or(&[], Vec::as_slice),
        ))
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
    /// The hosts that have some of these, as [`Origin::host_of_twins`] gives them: most hosts have none.
    hosts_with_others: HashSet<Box<str>>,
}

/// The copies of a site's files that were current.
pub struct CurrentFiles {
    pub robots: Current,
    /// Other copies of robots.txt, whose noes count.
    pub other_robots: Vec<OtherRobots>,
    /// The copies of systems' own files.
    pub others: Vec<CurrentFile>,
    /// The kinds of files of which something is missing or cannot be read.
    pub missing: Vec<CaptureKind>,
}

/// A copy of robots.txt whose noes count beside the current one: of the same second (FRAME-9), or older (KNOW-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherRobots {
    pub state: RobotsState,
    /// The body, exactly if the state is [`RobotsState::Parsed`].
    pub body: Option<SiteBody>,
    pub counts_for: CountsFor,
    pub of: CopyOf,
}

names! {
    /// Whose file another copy is; its name is the reason of an access that it decides.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CopyOf {
        /// The site's own.
        Site => "other_copy",
        /// That of a twin of the origin, which has no answer for its own file (KNOW-8).
        Twin => "rule_of_twin",
    }
}

/// The copies of a system's own file.
pub struct CurrentFile {
    /// The place of the system in the registry.
    pub place: usize,
    /// At most one for each path of the file.
    pub bodies: Vec<SiteBody>,
    /// Why one of them proves no yes, if it does not.
    pub noes_only: Option<NoesOnly>,
    /// Copies whose noes count: different ones of the same second (FRAME-9), and older ones (KNOW-3).
    pub others: Vec<SiteBody>,
}

impl CurrentFiles {
    pub fn is_known(&self) -> bool {
        self.robots.state != RobotsState::NotArchived
            || !(self.other_robots.is_empty() && self.others.is_empty() && self.missing.is_empty())
    }

    pub fn bodies(&self) -> impl Iterator<Item = u32> {
        let robots = self
            .robots
            .body
            .iter()
            .chain(self.other_robots.iter().filter_map(|one| one.body.as_ref()));
        let others = self
            .others
            .iter()
            .flat_map(|file| file.bodies.iter().chain(&file.others));
        robots.chain(others).map(|body| body.number)
    }
}

impl SiteCaptures {
    /// Adds a capture, which counts after [`SiteCaptures::sort`]; a page must be one to which a robots.txt may redirect, and a
    /// capture at none of the paths of its kind does not count. `order` orders captures of one URL and time.
    pub fn add(&mut self, capture: &SiteCapture<'_>, order: u64) {
        let kind = capture.kind;
        if !kind.is_beside_robots() {
            self.timeline.add(capture, order);
        } else if let Some(path) = kind
            .paths()
            .iter()
            .find(|path| **path == capture.url.path())
        {
            let origin = capture.url.origin();
            self.hosts_with_others.insert(origin.host_of_twins().into());
            self.others
                .entry((kind, *path))
                .or_default()
                .add(capture, order);
        }
    }

    /// Gives bodies other numbers, or replaces them with another outcome.
    pub fn change_bodies(&mut self, number: impl Fn(u32) -> BodyState<u32>) {
        let change = |SiteBody {
                          number: old,
                          extent,
                      }: SiteBody| {
            number(old).and_then(|number| BodyState::Body(SiteBody { number, extent }))
        };
        self.timeline.change_bodies(change);
        self.others
            .values_mut()
            .for_each(|files| files.change_bodies(change));
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
        limits: CopyLimits,
        are_same: &dyn Fn(u32, u32) -> bool,
    ) -> CurrentFiles {
        let known = match origin {
            Some(origin) => self.timeline.known(origin, fetched_at, limits),
            None => RobotsCopies::from_current(Current::default()),
        };
        let mut files = CurrentFiles {
            robots: known.current,
            other_robots: Vec::new(),
            others: Vec::new(),
            missing: known
                .is_unread
                .then_some(CaptureKind::Robots)
                .into_iter()
                .collect(),
        };
        let (is_answered, counts_for) = (known.is_answered, known.earlier_for);
        files.other_robots = other_robots(&mut files.robots, &known, are_same);
        let Some(origin) = origin else { return files };
        let has_others = self.hosts_with_others.contains(origin.host_of_twins());
        if is_answered && !has_others {
            return files;
        }
        let twins = match limits.twins {
            Twins::Count if fetched_at.is_some() => origin.twins(),
            Twins::Count | Twins::Ignore => Vec::new(),
        };
        if !is_answered {
            let known = twins
                .iter()
                .map(|twin| self.timeline.known(twin, fetched_at, limits));
            files
                .other_robots
                .extend(known.flat_map(|known| robots_of_twin(known, counts_for)));
        }
        if !has_others {
            return files;
        }
        for (place, system) in SYSTEMS.iter().enumerate() {
            let Some(kind) = system.about().site_file else {
                continue;
            };
            let asked = AskedFiles {
                origin,
                twins: &twins,
                fetched_at,
                limits,
            };
            let (file, is_unread) = self.file((place, kind), &asked, are_same);
            if is_unread && has_labels(place) {
                files.missing.push(kind);
            }
            if !(file.bodies.is_empty() && file.others.is_empty()) {
                files.others.push(file);
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

    /// Returns the kinds of files of an origin of which there is no capture (KNOW-11).
    pub(super) fn not_asked(&self, origin: &Origin) -> Vec<&'static str> {
        let robots = self.timeline.has(origin).then_some(CaptureKind::Robots);
        let others = self
            .others
            .iter()
            .filter(|(_, files)| files.has(origin))
            .map(|((kind, _), _)| *kind);
        CaptureKind::names_not_among(&robots.into_iter().chain(others))
    }

    /// Returns the copies of a file beside robots.txt that count for a page, and whether something of it is unread.
    fn file(
        &self,
        (place, kind): (usize, CaptureKind),
        asked: &AskedFiles<'_>,
        are_same: &dyn Fn(u32, u32) -> bool,
    ) -> (CurrentFile, bool) {
        let mut file = CurrentFile {
            place,
            bodies: Vec::new(),
            noes_only: None,
            others: Vec::new(),
        };
        let (mut is_unread, mut is_answered) = (false, false);
        for mut copies in self.copies(kind, asked.origin, asked) {
            is_unread |= copies.is_unread;
            is_answered |= copies.is_answered;
            file.noes_only = file.noes_only.or(copies.noes_only);
            if let Some(body) = &mut copies.current {
                join(body, &mut copies.rivals, are_same);
            }
            file.bodies.extend(copies.current);
            add_new(
                &mut file.others,
                copies.rivals.into_iter().chain(copies.earlier),
            );
        }
        for twin in asked.twins.iter().filter(|_| !is_answered) {
            for copies in self.copies(kind, twin, asked) {
                add_new(
                    &mut file.others,
                    copies
                        .current
                        .into_iter()
                        .chain(copies.rivals)
                        .chain(copies.earlier),
                );
            }
        }
        (file, is_unread)
    }

    /// Returns the copies of a file beside robots.txt of an origin, for each of its paths.
    fn copies(
        &self,
        kind: CaptureKind,
        origin: &Origin,
        asked: &AskedFiles<'_>,
    ) -> impl Iterator<Item = FileCopies> {
        let paths = kind
            .paths()
            .iter()
            .filter_map(move |path| self.others.get(&(kind, *path)));
        paths.map(|files| files.copies(origin, asked.fetched_at, asked.limits.max_age))
    }
}

/// Whose files are asked for, and when.
struct AskedFiles<'a> {
    origin: &'a Origin,
    twins: &'a [Origin],
    fetched_at: Option<Timestamp>,
    limits: CopyLimits,
}

fn add_new(bodies: &mut Vec<SiteBody>, more: impl Iterator<Item = SiteBody>) {
    for body in more {
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
}

/// Returns the other copies of robots.txt whose noes count, without those of the same second with the same bytes.
fn other_robots(
    current: &mut Current,
    known: &RobotsCopies,
    are_same: &dyn Fn(u32, u32) -> bool,
) -> Vec<OtherRobots> {
    let mut same_second: Vec<SiteBody> =
        known.rivals.iter().filter_map(|(_, body)| *body).collect();
    if let Some(body) = &mut current.body {
        join(body, &mut same_second, are_same);
    }
    let is_left = |(_, body): &(RobotsState, Option<SiteBody>)| {
        body.is_none_or(|body| same_second.contains(&body))
    };
    let of = |state, body, counts_for| OtherRobots {
        state,
        body,
        counts_for,
        of: CopyOf::Site,
    };
    let rivals = known.rivals.iter().copied().filter(is_left);
    let rivals = rivals.map(|(state, body)| of(state, body, CountsFor::AccessAndLabels));
    let earlier = known.earlier.iter();
    let earlier = earlier.map(|body| of(RobotsState::Parsed, Some(*body), known.earlier_for));
    rivals.chain(earlier).collect()
}

/// Returns the files of a twin whose noes count, for this at most (KNOW-8). A twin that cannot be reached closes nothing.
fn robots_of_twin(known: RobotsCopies, counts_for: CountsFor) -> impl Iterator<Item = OtherRobots> {
    let rivals = known.rivals.into_iter().filter_map(|(_, body)| body);
    let bodies = known
        .current
        .body
        .into_iter()
        .chain(rivals)
        .map(move |body| (body, counts_for));
    let earlier = known
        .earlier
        .into_iter()
        .map(move |body| (body, counts_for.max(known.earlier_for)));
    bodies.chain(earlier).map(|(body, counts_for)| OtherRobots {
        state: RobotsState::Parsed,
        body: Some(body),
        counts_for,
        of: CopyOf::Twin,
    })
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
    SYSTEMS
        .get(place)
        .is_some_and(|system| !system.about().labels.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::timeline::FetchOutcome;
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
            (
                trust,
                "https://a.example/.well-known/trust.txt",
                "06:30",
                200,
            ),
            (
                trust,
                "https://a.example/.well-known/trust.txt",
                "07:00",
                404,
            ),
            (trust, "https://b.example/trust.txt", "06:00", 200),
            (trust, "https://a.example/elsewhere", "06:00", 200),
            (ai, "https://a.example/ai.txt", "06:00", 200),
        ]) {
            let (url, answer) = (
                PageUrl::new(url.as_bytes()).expect("a URL"),
                FetchOutcome::Status(status),
            );
            let body = BodyState::Body(SiteBody {
                number,
                extent: Extent::Whole,
            });
            let (fetched_at, redirect, validator, segment) = (at(time), None, None, 0);
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
            captures.add(&capture, number.into());
        }
        captures.sort();
        let page = PageUrl::new(b"https://a.example/p")
            .expect("a URL")
            .origin();
        for (kind, time, bodies) in [
            (trust, "05:59", &[][..]),
            (trust, "06:00", &[1]),
            (trust, "06:45", &[2, 1]),
            (trust, "08:00", &[1]),
            (ai, "08:00", &[6]),
            (CaptureKind::Tdmrep, "08:00", &[]),
        ] {
            let limits = CopyLimits::default();
            let asked = AskedFiles {
                origin: &page,
                twins: &[],
                fetched_at: at(time),
                limits,
            };
            let found = captures
                .file((0, kind), &asked, &|one, other| one == other)
                .0
                .bodies;
            assert!(
                found
                    .iter()
                    .map(|body| body.number)
                    .eq(bodies.iter().copied()),
                "{kind:?} {time}"
            );
        }
    }
}
