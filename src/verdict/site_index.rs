//! The files of sites: which copy was current when, and what it says.
//!
//! Input: captures of robots.txt, of what it redirects to and of other site files, in any order, and their
//! distinct bodies by digest. Output: for an origin and a time, the copies that count, compiled. Example: a
//! page of 08:00 has the robots.txt of 06:00, not that of 09:00.
//! Left out: where captures and bodies come from.

use super::other_files::OtherFiles;
use super::resolver::{CompiledRobots, Resolver};
use super::site::SiteFacts;
use super::timeline::{Answer, Current, Fetch, RobotsState, SiteFileFetch, Timeline};
use crate::robots::{Extent, ParseLimit};
use crate::systems::{Compiled, FileBody, Ground, SYSTEMS, System};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// A capture of a site file, or of a page to which a robots.txt redirects.
pub struct SiteCapture<'u> {
    /// What it is.
    pub kind: CaptureKind,
    /// The URL that was asked for.
    pub url: PageUrl<'u>,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// How the server answered.
    pub answer: Answer,
    /// Where a redirect leads.
    pub redirect: Option<&'u str>,
    /// The digest of its body, where one was kept.
    pub body_digest: Option<&'u str>,
}

/// A distinct body of a site file.
pub struct SiteBody {
    /// As what it is read.
    pub kind: CaptureKind,
    /// Its digest.
    pub digest: String,
    /// Whether any capture with it had a status by which it is the file (RFC 9309 2.3.1.1).
    pub is_file: bool,
    bytes: Vec<u8>,
    extent: Extent,
    robots: OnceLock<CompiledRobots>,
    facts: OnceLock<SiteFacts>,
}

impl SiteBody {
    /// Returns its bytes, and whether they are all.
    #[must_use]
    pub fn body(&self) -> FileBody<'_> {
        FileBody { bytes: &self.bytes, extent: self.extent }
    }

    /// Returns whether bytes of it are missing or beyond the limit of [`ParseLimit`].
    fn is_cut(&self) -> bool {
        self.extent == Extent::CutOff || self.bytes.len() > ParseLimit::default().bytes()
    }

    /// Returns what the file holds, which is found out when it is first asked for.
    pub fn facts(&self, find_out: impl FnOnce() -> SiteFacts) -> &SiteFacts {
        self.facts.get_or_init(find_out)
    }

    fn compiled(&self, resolver: &Resolver) -> &CompiledRobots {
        self.robots.get_or_init(|| resolver.compile(&self.bytes, self.extent))
    }
}

/// The distinct bodies of site files, by kind and digest.
#[derive(Default)]
pub struct SiteBodies {
    bodies: Vec<SiteBody>,
    numbers: HashMap<CaptureKind, HashMap<String, u32>>,
}

impl SiteBodies {
    /// Adds a body of a kind of capture, unless it is known.
    pub fn add(&mut self, kind: CaptureKind, digest: &str, bytes: &[u8], extent: Extent) {
        let kind = kind.read_as();
        let numbers = self.numbers.entry(kind).or_default();
        if !numbers.contains_key(digest) {
            numbers.insert(digest.to_owned(), u32::try_from(self.bodies.len()).unwrap_or(u32::MAX));
            let (digest, bytes) = (digest.to_owned(), bytes.to_vec());
            self.bodies.push(SiteBody {
                kind,
                digest,
                is_file: false,
                bytes,
                extent,
                robots: OnceLock::new(),
                facts: OnceLock::new(),
            });
        }
    }

    fn number(&self, kind: CaptureKind, digest: &str) -> Option<u32> {
        self.numbers.get(&kind.read_as())?.get(digest).copied()
    }

    fn get(&self, number: u32) -> Option<&SiteBody> {
        self.bodies.get(number as usize)
    }
}

/// Captures of site files by origin and time, and their bodies.
pub struct SiteIndex {
    timeline: Timeline<u32>,
    other_files: OtherFiles<u32>,
    bodies: SiteBodies,
    /// What copies of other files say, compiled when they are first needed.
    compiled: RwLock<HashMap<CopiesKey, Arc<dyn Compiled>>>,
}

/// The place of a system in the registry, and the numbers of the bodies that it reads.
type CopiesKey = (usize, Vec<u32>);

impl SiteIndex {
    /// Sorts captures; a capture of a page is one to which a robots.txt may redirect.
    #[must_use]
    pub fn new<'u>(mut bodies: SiteBodies, captures: impl IntoIterator<Item = SiteCapture<'u>>) -> Self {
        let (mut fetches, mut others) = (Vec::new(), Vec::new());
        for SiteCapture { kind, url, fetched_at, answer, redirect, body_digest } in captures {
            let body = body_digest.and_then(|digest| bodies.number(kind, digest));
            if let Some(body) = body.filter(|_| answer.is_success())
                && let Some(body) = bodies.bodies.get_mut(body as usize)
            {
                body.is_file = true;
            }
            match kind.read_as() {
                CaptureKind::Robots | CaptureKind::RobotsHop | CaptureKind::Page => {
                    fetches.push(Fetch { url, fetched_at, answer, redirect, body });
                }
                CaptureKind::Automation
                | CaptureKind::Tdmrep
                | CaptureKind::AiTxt
                | CaptureKind::TrustTxt => {
                    let origin = Origin::new(&url);
                    others.push((kind, url, SiteFileFetch { origin, fetched_at, answer, body }));
                }
            }
        }
        Self {
            timeline: Timeline::new(fetches),
            other_files: OtherFiles::new(others),
            bodies,
            compiled: RwLock::default(),
        }
    }

    /// Takes the files of one site as they are, without captures and times; ask with [`Self::given`].
    #[must_use]
    pub fn of_files(origin: &Origin, files: &[(CaptureKind, &[u8])]) -> Self {
        let mut bodies = SiteBodies::default();
        for (kind, bytes) in files {
            bodies.add(*kind, kind.as_str(), bytes, Extent::Whole);
        }
        let urls = files.iter().filter_map(|(kind, _)| Some(format!("{origin}{}", kind.paths().first()?)));
        let urls: Vec<String> = urls.collect();
        let captures = files.iter().zip(&urls).filter_map(|((kind, _), url)| {
            Some(SiteCapture {
                kind: *kind,
                url: PageUrl::new(url.as_bytes()).ok()?,
                fetched_at: Timestamp::from_unix_micros(0),
                answer: Answer::Status(200),
                redirect: None,
                body_digest: Some(kind.as_str()),
            })
        });
        Self::new(bodies, captures)
    }

    /// Returns the files of a site that was given by [`Self::of_files`].
    #[must_use]
    pub fn given(&self, origin: &Origin, resolver: &Resolver) -> SiteCopies<'_> {
        self.site(Some(origin), Timestamp::from_unix_micros(0), Duration::ZERO, resolver)
    }

    /// Adds pages to which redirects of robots.txt lead. Their bodies are not kept, so that they end as
    /// `body_missing`.
    pub fn add_targets<'u>(&mut self, captures: impl IntoIterator<Item = SiteCapture<'u>>) {
        self.timeline.extend(captures.into_iter().map(|capture| {
            let SiteCapture { url, fetched_at, answer, redirect, .. } = capture;
            Fetch { url, fetched_at, answer, redirect, body: None }
        }));
    }

    /// Returns the captures of robots.txt by URL and time.
    #[must_use]
    pub fn timeline(&self) -> &Timeline<u32> {
        &self.timeline
    }

    /// Returns the distinct bodies.
    #[must_use]
    pub fn bodies(&self) -> &[SiteBody] {
        &self.bodies.bodies
    }

    /// Returns the body of a kind of capture by its digest.
    #[must_use]
    pub fn body(&self, kind: CaptureKind, digest: &str) -> Option<&SiteBody> {
        self.bodies.get(self.bodies.number(kind, digest)?)
    }

    /// Returns the copies of an origin's files that count for a page.
    #[must_use]
    pub fn site(
        &self,
        origin: Option<&Origin>,
        page_fetched_at: Option<Timestamp>,
        slack: Duration,
        resolver: &Resolver,
    ) -> SiteCopies<'_> {
        let current = origin.map_or_else(Current::not_archived, |origin| {
            self.timeline.current(origin, page_fetched_at, slack)
        });
        let mut site = self.with_robots(current, resolver);
        let Some(origin) = origin.filter(|_| !self.other_files.is_empty()) else { return site };
        for (place, system) in SYSTEMS.iter().enumerate() {
            let Some(kind) = system.about().site_file else { continue };
            let has_labels = !system.about().labels.is_empty();
            if has_labels && self.other_files.is_body_missing(kind, origin, page_fetched_at) {
                site.unread.push(kind.as_str());
            }
            let numbers: Vec<u32> = self.other_files.current(kind, origin, page_fetched_at).collect();
            if !numbers.is_empty() {
                let bodies: Vec<&SiteBody> =
                    numbers.iter().filter_map(|number| self.bodies.get(*number)).collect();
                if has_labels && bodies.iter().any(|body| body.is_cut()) {
                    site.unread.push(kind.as_str());
                }
                let compiled = self.compile_copies(*system, (place, numbers), resolver);
                site.others.push(Copies { place, bodies, compiled });
            }
        }
        site
    }

    /// Returns the numbers of the bodies that [`Self::site`] would find, without a slack: nothing is compiled.
    #[must_use]
    pub fn current_bodies(&self, origin: &Origin, at: Option<Timestamp>) -> Vec<u32> {
        let robots = self.timeline.current(origin, at, Duration::ZERO).body;
        let kinds = SYSTEMS.iter().filter_map(|system| system.about().site_file);
        robots.into_iter().chain(kinds.flat_map(|kind| self.other_files.current(kind, origin, at))).collect()
    }

    /// Returns the newest robots.txt of an origin, whenever a page was fetched.
    #[must_use]
    pub fn newest(&self, origin: Option<&Origin>, resolver: &Resolver) -> SiteCopies<'_> {
        let current = origin.map_or_else(Current::not_archived, |origin| self.timeline.newest(origin));
        self.with_robots(current, resolver)
    }

    fn with_robots(&self, current: Current<u32>, resolver: &Resolver) -> SiteCopies<'_> {
        let body = current.body.and_then(|number| self.bodies.get(number));
        let robots = body.map(|body| (body, body.compiled(resolver)));
        let is_cut = robots.is_some_and(|(_, robots)| robots.robots().is_cut());
        // LABEL-3: a body that came and could not be read may say no, as one that was cut may.
        let is_unread = is_cut || current.state == RobotsState::BodyMissing;
        let unread = if is_unread { vec![CaptureKind::Robots.as_str()] } else { Vec::new() };
        SiteCopies { current, unread, robots, others: Vec::new() }
    }

    /// Two workers may compile the same copies at once; what they make is the same, too.
    fn compile_copies(&self, system: &dyn System, key: CopiesKey, resolver: &Resolver) -> Arc<dyn Compiled> {
        let known = self.compiled.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| {
            let copies = key.1.iter().filter_map(|number| self.bodies.get(*number));
            let copies: Vec<FileBody<'_>> = copies.map(SiteBody::body).collect();
            let system: Arc<dyn Compiled> = Arc::from(resolver.compile_copies(system, &copies));
            let mut compiled = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(compiled.entry(key).or_insert(system))
        })
    }
}

/// The copies of a site's files that count for a page.
pub struct SiteCopies<'i> {
    /// What was known of its robots.txt.
    pub current: Current<u32>,
    /// The files that count for labels and were not read whole, by kind (LABEL-3).
    pub unread: Vec<&'static str>,
    robots: Option<(&'i SiteBody, &'i CompiledRobots)>,
    others: Vec<Copies<'i>>,
}

/// The copies of a system's own file, and what they say together.
struct Copies<'i> {
    place: usize,
    bodies: Vec<&'i SiteBody>,
    compiled: Arc<dyn Compiled>,
}

impl<'i> SiteCopies<'i> {
    /// Returns the body of the robots.txt that counts.
    #[must_use]
    pub fn robots_body(&self) -> Option<&'i SiteBody> {
        self.robots.map(|(body, _)| body)
    }

    /// Returns what the robots.txt that counts says.
    #[must_use]
    pub fn compiled_robots(&self) -> Option<&'i CompiledRobots> {
        self.robots.map(|(_, compiled)| compiled)
    }

    /// Returns what a system's own file says, where copies of it count.
    #[must_use]
    pub fn compiled(&self, place: usize) -> Option<&dyn Compiled> {
        let own = self.others.iter().find(|copies| copies.place == place);
        own.map(|copies| copies.compiled.as_ref())
    }

    /// Returns the bodies of other files that count, in the order of the systems.
    pub fn other_bodies(&self) -> impl Iterator<Item = &'i SiteBody> {
        self.others.iter().flat_map(|copies| copies.bodies.iter().copied())
    }

    /// Returns the body on which an opinion rests.
    #[must_use]
    pub fn body_of(&self, ground: &Ground<'_>) -> Option<&'i SiteBody> {
        match CaptureKind::named(ground.carrier)? {
            CaptureKind::Robots => self.robots_body(),
            kind => self.other_bodies().filter(|body| body.kind == kind).nth(ground.copy),
        }
    }
}
