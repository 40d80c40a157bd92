//! The captures of site files: which copies were current when.
//!
//! Input: captures of robots.txt, of what it redirects to and of other site files, in any order. Output: for an
//! origin and a time, the numbers of the bodies that count. Example: a page of 08:00 has the robots.txt of
//! 06:00, not that of 09:00.
//! Left out: what the bodies say (`site_index`), and where captures come from. Bodies may lie anywhere ([`SiteBodies`]).

use super::legibility::Legibility;
use super::other_files::OtherFiles;
use super::timeline::{Answer, Current, Fetch, RobotsState, Sent, SiteFileFetch, Timeline};
use crate::robots::Extent;
use crate::systems::{FileBody, SYSTEMS};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::{PageUrl, redirect_target};
use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Duration;

/// The bodies of site files by number, wherever they are kept.
pub trait SiteBodies {
    /// Why a body cannot be read.
    type Error;

    /// Returns the bytes of a body.
    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, Self::Error>;
}

impl<B: SiteBodies> SiteBodies for &B {
    type Error = B::Error;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, B::Error> {
        (**self).read(number)
    }
}

/// Bodies that are given with the captures.
#[derive(Default)]
pub struct GivenBodies(Vec<Vec<u8>>);

impl GivenBodies {
    /// Adds a body that is read as this kind of file; returns what a capture has in it. Equal bytes have one number.
    pub fn add(&mut self, kind: CaptureKind, bytes: &[u8], extent: Extent) -> Sent<SiteBody> {
        let place = self.0.iter().position(|known| known == bytes).unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push(bytes.to_vec());
        }
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        Legibility::of(kind, bytes).sent(SiteBody { number, extent })
    }

    /// Returns a body; one that was not added is empty.
    pub fn get(&self, body: SiteBody) -> FileBody<'_> {
        match self.0.get(body.number as usize) {
            Some(bytes) => FileBody { bytes, extent: body.extent },
            None => FileBody { bytes: b"", extent: Extent::CutOff },
        }
    }
}

impl SiteBodies for GivenBodies {
    type Error = Infallible;

    fn read(&self, number: u32) -> Result<Cow<'_, [u8]>, Infallible> {
        Ok(Cow::Borrowed(self.0.get(number as usize).map_or(&[], Vec::as_slice)))
    }
}

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
    /// What it has as its body.
    pub body: Sent<SiteBody>,
    /// The number of its segment: a page counts for the redirects of its own alone.
    pub segment: u32,
}

/// The body of a capture. The same bytes may be whole in one capture and cut in another (READ-5), so how much of them was
/// received is the capture's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteBody {
    /// The number of the bytes, wherever they are kept.
    pub number: u32,
    /// Whether they are all that the server sent.
    pub extent: Extent,
}

/// Captures of site files by origin and time.
#[derive(Default)]
pub struct SiteCaptures {
    timeline: Timeline<SiteBody>,
    other_files: OtherFiles<SiteBody>,
}

/// The copies of a site's files that were current.
pub struct CurrentFiles {
    /// What was known of its robots.txt.
    pub robots: Current<SiteBody>,
    /// The place of a system in the registry, and the copies of its own file.
    pub others: Vec<(usize, Vec<SiteBody>)>,
    /// Bodies that came within the same second as these, by the system that reads them; `None` of a robots.txt. Only their noes
    /// count (FRAME-9).
    pub rivals: Vec<(Option<usize>, SiteBody)>,
    /// The kinds of files that count for labels and have a body that is missing or cannot be read.
    pub missing: Vec<&'static str>,
}

impl CurrentFiles {
    /// Returns whether anything is known of the site.
    pub fn is_known(&self) -> bool {
        self.robots.state != RobotsState::NotArchived || !self.others.is_empty() || !self.missing.is_empty()
    }

    /// Returns the numbers of the bodies.
    pub fn bodies(&self) -> impl Iterator<Item = u32> {
        let others = self.others.iter().flat_map(|(_, bodies)| bodies);
        let rivals = self.rivals.iter().map(|(_, body)| body);
        self.robots.body.iter().chain(others).chain(rivals).map(|body| body.number)
    }
}

impl SiteCaptures {
    /// Adds a capture, which counts after [`SiteCaptures::sort`]; a capture of a page is one to which a
    /// robots.txt may redirect. `order` orders captures of one URL and time.
    pub fn add(&mut self, capture: &SiteCapture<'_>, order: u64) {
        let SiteCapture { kind, ref url, fetched_at, answer, redirect, body, segment } = *capture;
        if kind.is_beside_robots() {
            let redirect = redirect.filter(|_| kind.follows_redirects());
            let redirect = redirect.and_then(|location| same_file_elsewhere(url, location));
            let fetch = SiteFileFetch { origin: url.origin(), fetched_at, answer, redirect, body };
            self.other_files.add(kind, url.path(), &fetch, order);
        } else {
            let (url, is_page) = (url.clone(), kind == CaptureKind::Page);
            let fetch = Fetch { url, fetched_at, answer, redirect, body, segment, is_page };
            self.timeline.add(&fetch, order);
        }
    }

    /// Gives bodies other numbers, or says what they are instead.
    pub fn change_bodies(&mut self, number: impl Fn(u32) -> Sent<u32>) {
        let change = |SiteBody { number: old, extent }: SiteBody| {
            number(old).and_then(|number| Sent::Body(SiteBody { number, extent }))
        };
        self.timeline.change_bodies(change);
        self.other_files.change_bodies(change);
    }

    /// Sorts the captures that were added.
    pub fn sort(&mut self) {
        self.timeline.sort();
        self.other_files.sort();
    }

    /// Returns the captures of robots.txt by URL and time.
    pub fn timeline(&self) -> &Timeline<SiteBody> {
        &self.timeline
    }

    /// Returns the numbers of the bodies that count for a page, without a slack.
    pub(super) fn current_bodies(&self, origin: &Origin, at: Option<Timestamp>) -> Vec<u32> {
        self.current(Some(origin), at, Duration::ZERO).bodies().collect()
    }

    /// Returns the copies of an origin's files that count for a page.
    pub(super) fn current(
        &self,
        origin: Option<&Origin>,
        fetched_at: Option<Timestamp>,
        slack: Duration,
    ) -> CurrentFiles {
        let (mut robots, mut rivals) = match origin {
            Some(origin) => self.timeline.current_and_rivals(origin, fetched_at, slack),
            None => (Current::not_archived(), Vec::new()),
        };
        // One of two captures of the same bytes was cut off, and the other one has all.
        if let Some(body) =
            robots.body.as_mut().filter(|body| rivals.iter().any(|it| it.number == body.number))
        {
            body.extent = Extent::Whole;
            rivals.retain(|rival| rival.number != body.number);
        }
        let rivals = rivals.into_iter().map(|body| (None, body)).collect();
        let mut files = CurrentFiles { robots, others: Vec::new(), rivals, missing: Vec::new() };
        let Some(origin) = origin.filter(|_| !self.other_files.is_empty()) else { return files };
        for (place, system) in SYSTEMS.iter().enumerate() {
            let Some(kind) = system.about().site_file else { continue };
            if has_labels(place) && self.other_files.is_unread(kind, origin, fetched_at) {
                files.missing.push(kind.as_str());
            }
            let bodies: Vec<SiteBody> = self.other_files.current(kind, origin, fetched_at).collect();
            let rivals = self.other_files.rivals(kind, origin, fetched_at);
            files.rivals.extend(rivals.into_iter().map(|body| (Some(place), body)));
            if !bodies.is_empty() {
                files.others.push((place, bodies));
            }
        }
        files
    }
}

/// Returns the origin to whose file of the same name a redirect leads (AMB-AUTO-10).
fn same_file_elsewhere(url: &PageUrl<'_>, location: &str) -> Option<Origin> {
    let target = redirect_target(url, location)?;
    (CaptureKind::of(&target) == CaptureKind::of(url)).then(|| target.origin())
}

/// Returns whether what a system's own file says counts for a label.
pub(super) fn has_labels(place: usize) -> bool {
    SYSTEMS.get(place).is_some_and(|system| !system.about().labels.is_empty())
}
