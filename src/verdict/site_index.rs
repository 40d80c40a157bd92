//! The files of sites: which copy was current when, and what it says.
//!
//! Input: captures and, by their numbers, the bodies of site files, which may be kept anywhere. Output: for an origin and a
//! time, the copies that count, compiled. Compiled files are kept up to a number of bytes; others are compiled again.
//! Left out: where captures and bodies come from.

use super::account::{Doubts, file_doubts};
use super::cache::Cache;
use super::resolver::{CompiledRobots, Resolver};
use super::site_captures::{
    CopyOf, CurrentFile, CurrentFiles, GivenBodies, SiteBodies, SiteCaptures, has_labels,
};
use super::timeline::{
    Answer, CopyLimits, CountsFor, Current, RobotsState, SiteBody, SiteCapture, Timeline, Twins,
};
use crate::robots::{Extent, ParseLimit};
use crate::systems::{Compiled, FileBody, Ground, SYSTEMS, SiteFiles};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, interval::Interval, origin::Origin, timestamp::Timestamp,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Captures of site files by origin and time, and their bodies.
pub struct SiteIndex<B> {
    captures: SiteCaptures,
    bodies: B,
    robots: Cache<SiteBody, CompiledRobots>,
    copies: Cache<CopiesKey, CompiledCopies>,
}

/// The place of a system in the registry, and the bodies that it reads.
type CopiesKey = (usize, Vec<SiteBody>);

/// The copies of a system's own file.
struct CompiledCopies {
    place: usize,
    kind: CaptureKind,
    bodies: Vec<SiteBody>,
    compiled: Box<dyn Compiled>,
    doubts: Doubts,
    /// Whether bytes of a copy are missing or beyond the limit of [`ParseLimit`].
    is_cut: bool,
}

/// The compiled size of another site file, as a multiple of the file.
const COPIES_FACTOR: usize = 16;

impl<B: SiteBodies> SiteIndex<B> {
    /// Combines captures and bodies; about this many bytes of compiled files are kept.
    pub fn new(mut captures: SiteCaptures, bodies: B, cache_bytes: usize) -> Self {
        captures.sort();
        let (robots, copies) = (Cache::new(cache_bytes / 4 * 3), Cache::new(cache_bytes / 4));
        Self {
            captures,
            bodies,
            robots,
            copies,
        }
    }

    /// Returns the approximate size of the compiled files that are kept, in bytes.
    pub fn compiled_bytes(&self) -> usize {
        self.robots.byte_count() + self.copies.byte_count()
    }

    /// Returns the captures of robots.txt by URL and time.
    pub fn timeline(&self) -> &Timeline {
        &self.captures.timeline
    }

    pub fn bodies(&self) -> &B {
        &self.bodies
    }

    /// Returns the copies of an origin's files that count for a page.
    pub fn site(
        &self,
        origin: Option<&Origin>,
        page_fetched_at: Option<Timestamp>,
        limits: CopyLimits,
        resolver: &Resolver,
    ) -> Result<SiteCopies, B::Error> {
        self.compile(self.files(origin, page_fetched_at, limits), resolver)
    }

    /// Returns the numbers of the bodies that count for a page, and the state of its robots.txt.
    pub fn files(
        &self,
        origin: Option<&Origin>,
        page_fetched_at: Option<Timestamp>,
        limits: CopyLimits,
    ) -> CurrentFiles {
        self.captures
            .current(origin, page_fetched_at, limits, &|one, other| {
                self.bodies.are_same(one, other)
            })
    }

    /// Returns the origin with the files that count for a page that was not captured, if that is not its own: a host with a dot
    /// at its end is the host without it, unless something is known of the name with the dot at that time.
    pub fn other_origin(
        &self,
        origin: &Origin,
        at: Option<Timestamp>,
        limits: CopyLimits,
    ) -> Option<Origin> {
        let limits = CopyLimits {
            twins: Twins::Ignore,
            ..limits
        };
        origin
            .without_dot()
            .filter(|_| !self.files(Some(origin), at, limits).is_known())
    }

    /// Returns the copies of a twin's files, if its robots.txt is newer than the site's own, which is `own`.
    pub fn newer_twin(
        &self,
        twin: &Origin,
        own: &Current,
        at: Option<Timestamp>,
        resolver: &Resolver,
    ) -> Result<Option<SiteCopies>, B::Error> {
        let files = self.files(Some(twin), at, CopyLimits::of_slack(Duration::ZERO));
        let is_newer = match (files.robots.fetched_at, own.fetched_at) {
            (Some(twin), Some(own)) => twin > own,
            (Some(_), None) => true,
            // The twin has only other files: a no in them is not older than that of a missing robots.txt.
            (None, own) => own.is_none(),
        };
        if is_newer && files.is_known() {
            self.compile(files, resolver).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Adds the times within an interval at which other files of an origin may count than before (KNOW-7).
    pub fn add_changes_within(
        &self,
        origin: &Origin,
        within: Interval,
        times: &mut BTreeSet<Timestamp>,
    ) {
        self.captures.add_changes_within(origin, within, times);
    }

    /// Returns the kinds of files of an origin of which there is no capture (KNOW-11).
    pub fn not_asked(&self, origin: &Origin) -> Vec<&'static str> {
        self.captures.not_asked(origin)
    }

    /// Returns the numbers of the bodies that [`Self::site`] would find without a slack; nothing is compiled.
    pub fn current_bodies(&self, origin: &Origin, at: Option<Timestamp>) -> Vec<u32> {
        self.files(Some(origin), at, CopyLimits::of_slack(Duration::ZERO))
            .bodies()
            .collect()
    }

    pub fn compile(
        &self,
        files: CurrentFiles,
        resolver: &Resolver,
    ) -> Result<SiteCopies, B::Error> {
        let is_known = files.is_known();
        let CurrentFiles {
            robots: current,
            other_robots,
            others: files,
            missing,
        } = files;
        let mut site = SiteCopies {
            is_known,
            current,
            ..SiteCopies::default()
        };
        let compile = |body: Option<SiteBody>| {
            body.map(|body| Ok::<_, B::Error>((body, self.compile_robots(body, resolver)?)))
                .transpose()
        };
        site.robots = compile(current.body)?;
        for other in other_robots {
            let robots = compile(other.body)?;
            let (state, counts_for, of) = (other.state, other.counts_for, other.of);
            site.other_robots.push(OtherRobotsCopy {
                state,
                counts_for,
                of,
                robots,
            });
        }
        for CurrentFile {
            place,
            bodies,
            noes_only,
            others,
        } in files
        {
            if !bodies.is_empty() {
                site.others
                    .extend(self.compile_copies((place, bodies), resolver)?);
            }
            for body in others {
                site.other_copies
                    .extend(self.compile_copies((place, vec![body]), resolver)?);
            }
            let kind = SYSTEMS
                .get(place)
                .and_then(|system| system.about().site_file);
            site.noes_only.extend(
                kind.filter(|_| noes_only.is_some())
                    .map(CaptureKind::as_str),
            );
        }
        site.noes_only
            .extend(current.noes_only.map(|_| CaptureKind::Robots.as_str()));
        site.note_unread(&missing);
        Ok(site)
    }

    fn compile_robots(
        &self,
        body: SiteBody,
        resolver: &Resolver,
    ) -> Result<Arc<CompiledRobots>, B::Error> {
        self.robots.get_or_make(body, |body| {
            let bytes = self.bodies.read(body.number)?;
            let robots = resolver.compile(&bytes, body.extent);
            let bytes = robots.byte_count;
            Ok((robots, bytes))
        })
    }

    fn compile_copies(
        &self,
        key: CopiesKey,
        resolver: &Resolver,
    ) -> Result<Option<Arc<CompiledCopies>>, B::Error> {
        let Some(system) = SYSTEMS.get(key.0) else {
            return Ok(None);
        };
        let Some(kind) = system.about().site_file else {
            return Ok(None);
        };
        let compiled = self.copies.get_or_make(key, |(place, known)| {
            let copies = known.iter().map(|body| self.bodies.read(body.number));
            let copies = copies.collect::<Result<Vec<_>, _>>()?;
            let bodies = copies.iter().zip(known);
            let bodies = bodies.map(|(bytes, body)| FileBody {
                bytes,
                extent: body.extent,
            });
            let bodies: Vec<FileBody<'_>> = bodies.collect();
            let is_cut = |body: &FileBody<'_>| {
                body.extent == Extent::CutOff || body.bytes.len() > ParseLimit::default().bytes()
            };
            let bytes: usize = bodies.iter().map(|body| body.bytes.len()).sum();
            let compiled = CompiledCopies {
                place: *place,
                kind,
                bodies: known.clone(),
                compiled: system.compile(
                    &SiteFiles {
                        robots: None,
                        copies: &bodies,
                    },
                    &resolver.viewpoint,
                ),
                doubts: file_doubts(system, &bodies, &resolver.viewpoint),
                is_cut: bodies.iter().any(is_cut),
            };
            Ok((compiled, (bytes + 64) * COPIES_FACTOR))
        })?;
        Ok(Some(compiled))
    }
}

impl SiteIndex<GivenBodies> {
    /// Takes captures with the numbers of their bodies, in the order of their arrival.
    pub fn of_captures<'u>(
        bodies: GivenBodies,
        given: impl IntoIterator<Item = SiteCapture<'u>>,
    ) -> Self {
        let mut captures = SiteCaptures::default();
        for (order, capture) in (0..).zip(given) {
            captures.add(&capture, order);
        }
        Self::new(captures, bodies, usize::MAX)
    }

    /// Takes the files of one site with their answers, without times and redirects; query them with [`Self::given`].
    pub fn of_files(origin: &Origin, files: &[(CaptureKind, Answer, &[u8])]) -> Self {
        let mut bodies = GivenBodies::default();
        let urls = files
            .iter()
            .filter_map(|(kind, ..)| Some(format!("{origin}{}", kind.paths().first()?)));
        let urls: Vec<String> = urls.collect();
        let captures = files
            .iter()
            .zip(&urls)
            .filter_map(|((kind, answer, bytes), url)| {
                Some(SiteCapture {
                    kind: *kind,
                    url: PageUrl::new(url.as_bytes()).ok()?,
                    fetched_at: Timestamp::from_unix_micros(0),
                    answer: *answer,
                    redirect: None,
                    body: bodies.add(*kind, bytes, Extent::Whole),
                    validator: None,
                    segment: 0,
                })
            });
        let captures: Vec<SiteCapture<'_>> = captures.collect();
        Self::of_captures(bodies, captures)
    }

    /// Returns the files of a site that was given by [`Self::of_files`].
    pub fn given(&self, origin: &Origin, resolver: &Resolver) -> SiteCopies {
        let Ok(site) = self.site(
            Some(origin),
            Timestamp::from_unix_micros(0),
            CopyLimits::default(),
            resolver,
        );
        site
    }
}

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
    robots: Option<(SiteBody, Arc<CompiledRobots>)>,
    /// Other copies of robots.txt, whose noes count (FRAME-9, KNOW-3).
    other_robots: Vec<OtherRobotsCopy>,
    others: Vec<Arc<CompiledCopies>>,
    /// Other copies of the same files as `others`: their noes count.
    other_copies: Vec<Arc<CompiledCopies>>,
}

/// Another copy of robots.txt, compiled.
pub(super) struct OtherRobotsCopy {
    pub state: RobotsState,
    pub counts_for: CountsFor,
    pub of: CopyOf,
    robots: Option<(SiteBody, Arc<CompiledRobots>)>,
}

impl OtherRobotsCopy {
    pub fn robots(&self) -> Option<&CompiledRobots> {
        self.robots.as_ref().map(|(_, robots)| robots.as_ref())
    }
}

impl SiteCopies {
    /// Adds the files that were not read whole. LABEL-3: a body that was received but could not be read may say no, like one
    /// that was cut.
    fn note_unread(&mut self, missing: &[CaptureKind]) {
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
