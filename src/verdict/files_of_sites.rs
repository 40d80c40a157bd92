//! The files of sites: which copy was current when, and what it says.
//!
//! Input: captures and, by their numbers, the bodies of site files, which may be kept anywhere. Output: for an origin and a
//! time, the copies that count, compiled. Compiled files are kept up to a number of bytes; others are compiled again.
//! Left out: where captures and bodies come from.

use super::account::file_doubts;
use super::cache::Cache;
use super::resolver::{CompiledRobots, Resolver};
use super::site_captures::{CurrentFile, CurrentFiles, GivenBodies, SiteBodies, SiteCaptures};
use super::site_copies::{CompiledCopies, OtherRobotsCopy, SiteCopies};
use super::timeline::{CopyLimits, Current, FetchOutcome, SiteBody, SiteCapture, Timeline};
use crate::robots::{Extent, ParseLimit};
use crate::systems::{FileBody, SYSTEMS, SiteFiles};
use crate::web::url::PageUrl;
use crate::web::{
    capture_kind::CaptureKind, interval::Interval, origin::Origin, timestamp::Timestamp,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Captures of site files by origin and time, and their bodies.
pub struct FilesOfSites<B> {
    captures: SiteCaptures,
    bodies: B,
    robots: Cache<SiteBody, CompiledRobots>,
    copies: Cache<CopiesKey, CompiledCopies>,
}

/// The place of a system in the registry, and the bodies that it reads.
type CopiesKey = (usize, Vec<SiteBody>);

/// The compiled size of another site file, as a multiple of the file.
const COPIES_FACTOR: usize = 16;

impl<B: SiteBodies> FilesOfSites<B> {
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

impl FilesOfSites<GivenBodies> {
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
    pub fn of_files(origin: &Origin, files: &[(CaptureKind, FetchOutcome, &[u8])]) -> Self {
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
