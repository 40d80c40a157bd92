//! The copies of a site's files that count for a page, compiled.
//!
//! Example: of an origin the robots.txt of 06:00, and beside it an older one whose noes count after a 503 (KNOW-3). Left out: which
//! copies count (`site_captures`, `timeline`), and what is compiled when (`site_index`).

use super::account::Doubts;
use super::resolver::CompiledRobots;
use super::site_captures::{CopyOf, has_labels};
use super::timeline::{CountsFor, Current, RobotsState, SiteBody};
use crate::systems::{Compiled, Ground};
use crate::web::capture_kind::CaptureKind;
use std::sync::Arc;

/// The copies of a site's files that count for a page.
#[derive(Default)]
pub struct SiteCopies {
    pub is_known: bool,
    pub current: Current,
    /// The files that count for labels and were not read whole, by kind (LABEL-3).
    pub unread: Vec<&'static str>,
    /// The files with a line that was meant as a rule and cannot be read, by kind.
    pub lines_lost: Vec<&'static str>,
    /// The files that count for no label and were not read whole, by kind: their own columns allow nothing.
    pub unread_without_labels: Vec<&'static str>,
    /// The files whose current copy proves no yes, by kind (`timeline::NoesOnly`).
    pub noes_only: Vec<&'static str>,
    /// The robots.txt that counts.
    pub(super) robots: Option<(SiteBody, Arc<CompiledRobots>)>,
    /// Other copies of robots.txt, whose noes count (FRAME-9, KNOW-3).
    pub(super) other_robots: Vec<OtherRobotsCopy>,
    pub(super) others: Vec<Arc<CompiledCopies>>,
    /// Other copies of the same files as `others`: their noes count.
    pub(super) other_copies: Vec<Arc<CompiledCopies>>,
}

/// Another copy of robots.txt, compiled.
pub(super) struct OtherRobotsCopy {
    pub state: RobotsState,
    pub counts_for: CountsFor,
    pub of: CopyOf,
    pub(super) robots: Option<(SiteBody, Arc<CompiledRobots>)>,
}

impl OtherRobotsCopy {
    pub fn robots(&self) -> Option<&CompiledRobots> {
        self.robots.as_ref().map(|(_, robots)| robots.as_ref())
    }
}

impl SiteCopies {
    /// Adds the files that were not read whole. LABEL-3: a body that was received but could not be read may say no, like one
    /// that was cut.
    pub(super) fn note_unread(&mut self, missing: &[CaptureKind]) {
        let mut unread: Vec<&'static str> = missing.iter().map(|kind| kind.as_str()).collect();
        let mut states = std::iter::once(self.current.state)
            .chain(self.other_robots.iter().map(|other| other.state));
        if self.each_robots().any(|(_, robots)| robots.is_cut)
            || states
                .any(|state| matches!(state, RobotsState::BodyMissing | RobotsState::Unreadable))
        {
            unread.push(CaptureKind::Robots.as_str());
        }
        for copies in self
            .other_copies
            .iter()
            .chain(&self.others)
            .filter(|copies| copies.is_cut)
        {
            let gaps = if has_labels(copies.place) {
                &mut unread
            } else {
                &mut self.unread_without_labels
            };
            gaps.push(copies.kind.as_str());
        }
        self.unread = unread;
        let loses_a_line = self
            .each_robots()
            .any(|(_, robots)| !robots.lost_lines().is_empty());
        self.lines_lost
            .extend(loses_a_line.then_some(CaptureKind::Robots.as_str()));
    }

    /// Returns the compiled robots.txt that counts.
    pub fn robots(&self) -> Option<&CompiledRobots> {
        self.robots.as_ref().map(|(_, robots)| robots.as_ref())
    }

    /// Returns the other copies of robots.txt, whose noes count.
    pub(super) fn other_robots(&self) -> &[OtherRobotsCopy] {
        &self.other_robots
    }

    /// Returns every compiled robots.txt, the current one first.
    fn each_robots(&self) -> impl Iterator<Item = (&SiteBody, &CompiledRobots)> {
        let others = self
            .other_robots
            .iter()
            .filter_map(|other| other.robots.as_ref());
        self.robots
            .iter()
            .chain(others)
            .map(|(body, robots)| (body, robots.as_ref()))
    }

    /// Returns whether any file is read: if not, all pages of the site that are known only by URL have the same decision.
    pub fn has_files(&self) -> bool {
        !(self.robots.is_none()
            && self.other_robots.is_empty()
            && self.others.is_empty()
            && self.other_copies.is_empty())
    }

    /// Returns whether other copies give pages the same decision, because they are the same bodies in the same state.
    pub fn decides_as(&self, other: &Self) -> bool {
        let robots = |site: &Self| {
            let own = site.robots.as_ref().map(|(_, robots)| Arc::as_ptr(robots));
            let current = &site.current;
            (
                own,
                current.state,
                current.slack_needed_s.is_some(),
                current.noes_only,
            )
        };
        let other_robots = |site: &Self| -> Vec<_> {
            let others = site.other_robots.iter();
            others
                .map(|one| {
                    (
                        one.state,
                        one.counts_for,
                        one.of,
                        one.robots.as_ref().map(|(body, _)| *body),
                    )
                })
                .collect()
        };
        let others = |site: &Self| -> Vec<_> { site.others.iter().map(Arc::as_ptr).collect() };
        robots(self) == robots(other)
            && (
                &self.unread,
                &self.lines_lost,
                &self.unread_without_labels,
                &self.noes_only,
            ) == (
                &other.unread,
                &other.lines_lost,
                &other.unread_without_labels,
                &other.noes_only,
            )
            && others(self) == others(other)
            && other_robots(self) == other_robots(other)
            && self.rival_bodies().eq(other.rival_bodies())
    }

    /// Returns what other copies of a system's own file say to it, each with the number of its copy.
    pub fn other_copies(&self, place: usize) -> impl Iterator<Item = (usize, &dyn Compiled)> {
        let copies = self
            .other_copies
            .iter()
            .filter(move |copies| copies.place == place);
        copies.filter_map(|copies| {
            let body = copies.bodies.first()?;
            Some((
                self.copy_number(copies.kind, *body)?,
                copies.compiled.as_ref(),
            ))
        })
    }

    /// Returns the number of a body among those of its kind.
    fn copy_number(&self, kind: CaptureKind, body: SiteBody) -> Option<usize> {
        self.bodies_of(kind).position(|one| one == body)
    }

    /// Returns what a system's own file says, if copies of it count.
    pub fn compiled(&self, place: usize) -> Option<&dyn Compiled> {
        let own = self.others.iter().find(|copies| copies.place == place);
        own.map(|copies| copies.compiled.as_ref())
    }

    /// Returns the other files, each with its units that may be a no and were not understood (ACCT-2).
    pub fn doubts(&self) -> impl Iterator<Item = (CaptureKind, &Doubts)> {
        let all = self.others.iter().chain(&self.other_copies);
        all.map(|copies| (copies.kind, &copies.doubts))
    }

    /// Returns the bodies of other files that count, in the order of the systems.
    pub fn other_bodies(&self) -> impl Iterator<Item = (CaptureKind, SiteBody)> {
        bodies(&self.others)
    }

    /// Returns the bodies whose noes count beside those that count: of the same second (FRAME-9), and older ones (KNOW-3).
    pub fn rival_bodies(&self) -> impl Iterator<Item = (CaptureKind, SiteBody)> {
        let robots = self
            .other_robots
            .iter()
            .filter_map(|other| other.robots.as_ref());
        robots
            .map(|(body, _)| (CaptureKind::Robots, *body))
            .chain(bodies(&self.other_copies))
    }

    /// Returns the number of the body on which an opinion rests.
    pub fn body_of(&self, ground: &Ground<'_>) -> Option<u32> {
        self.bodies_of(CaptureKind::named(ground.carrier)?)
            .nth(ground.copy)
            .map(|body| body.number)
    }

    /// Returns the bodies of a kind: those that count, and those of the same second.
    fn bodies_of(&self, kind: CaptureKind) -> impl Iterator<Item = SiteBody> {
        let robots = self.current.body.filter(|_| kind == CaptureKind::Robots);
        let others = self.other_bodies().chain(self.rival_bodies());
        robots.into_iter().chain(
            others
                .filter(move |(known, _)| *known == kind)
                .map(|(_, body)| body),
        )
    }
}

fn bodies(all: &[Arc<CompiledCopies>]) -> impl Iterator<Item = (CaptureKind, SiteBody)> {
    all.iter()
        .flat_map(|copies| copies.bodies.iter().map(|body| (copies.kind, *body)))
}

/// The copies of a system's own file.
pub(super) struct CompiledCopies {
    pub(super) place: usize,
    pub(super) kind: CaptureKind,
    pub(super) bodies: Vec<SiteBody>,
    pub(super) compiled: Box<dyn Compiled>,
    pub(super) doubts: Doubts,
    /// Whether bytes of a copy are missing or beyond the limit of [`ParseLimit`].
    pub(super) is_cut: bool,
}
