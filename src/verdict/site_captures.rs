//! The captures of site files: which copies were current when.
//!
//! Input: captures of robots.txt, of its redirect targets and of other site files, in any order. Output: for an origin and a
//! time, the numbers of the bodies that count. Example: a page of 08:00 has the robots.txt of 06:00, not that of 09:00.
//! RULES LIVE-8: each path of the files beside robots.txt is joined like robots.txt, by origin and time, but without a slack
//! and without redirects, except for automation-preferences.txt. For trust.txt, which may be at two paths, up to two copies count.
//! Left out: what the bodies say (`site_index`), and where captures come from. Bodies may be anywhere ([`SiteBodies`]).

use super::legibility::Legibility;
use super::timeline::{
    Answer, Current, Fetch, RobotsState, Sent, SiteFileFetch, SiteFileState, SiteFiles, Timeline,
};
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
        let number = u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX);
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

    fn are_same(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|number| self.0.get(number as usize));
        one == other
    }
}

/// A capture of a site file, or of a page to which a robots.txt redirects.
pub struct SiteCapture<'u> {
    /// The kind of file.
    pub kind: CaptureKind,
    /// The URL that was asked for.
    pub url: PageUrl<'u>,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// How the server answered.
    pub answer: Answer,
    /// The target of a redirect.
    pub redirect: Option<&'u str>,
    pub body: Sent<SiteBody>,
    /// The number of its segment: a page counts only for redirects of its own segment.
    pub segment: u32,
}

/// The body of a capture. Its extent belongs to the capture: the same bytes may be whole in one and cut in another (READ-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteBody {
    /// The number of the bytes, wherever they are kept.
    pub number: u32,
    /// Whether they are everything that the server sent.
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
    /// The state of its robots.txt.
    pub robots: Current<SiteBody>,
    /// The place of a system in the registry, and the copies of its own file.
    pub others: Vec<(usize, Vec<SiteBody>)>,
    /// Other bodies of the same second, by the system that reads them (`None`: robots.txt). Only their noes count (FRAME-9).
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
    /// Adds a capture, which counts after [`SiteCaptures::sort`]; a page must be one to which a robots.txt may redirect.
    /// `order` orders captures of one URL and time.
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

    /// Gives bodies other numbers, or replaces them with another outcome.
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
            None => (Current::not_archived(), Vec::new()),
        };
        if let Some(body) = &mut robots.body {
            join(body, &mut rivals, are_same);
        }
        let rivals = rivals.into_iter().map(|body| (None, body)).collect();
        let mut files = CurrentFiles { robots, others: Vec::new(), rivals, missing: Vec::new() };
        let Some(origin) = origin.filter(|_| !self.other_files.is_empty()) else { return files };
        for (place, system) in SYSTEMS.iter().enumerate() {
            let Some(kind) = system.about().site_file else { continue };
            if has_labels(place) && self.other_files.is_unread(kind, origin, fetched_at) {
                files.missing.push(kind.as_str());
            }
            let mut bodies: Vec<SiteBody> = self.other_files.current(kind, origin, fetched_at).collect();
            let mut rivals = self.other_files.rivals(kind, origin, fetched_at);
            for body in &mut bodies {
                join(body, &mut rivals, are_same);
            }
            files.rivals.extend(rivals.into_iter().map(|body| (Some(place), body)));
            if !bodies.is_empty() {
                files.others.push((place, bodies));
            }
        }
        files
    }
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

/// Returns the origin if a redirect leads to its file of the same name (AMB-AUTO-10).
fn same_file_elsewhere(url: &PageUrl<'_>, location: &str) -> Option<Origin> {
    let target = redirect_target(url, location)?;
    (CaptureKind::of(&target) == CaptureKind::of(url)).then(|| target.origin())
}

/// Returns whether a system's own file counts for a label.
pub(super) fn has_labels(place: usize) -> bool {
    SYSTEMS.get(place).is_some_and(|system| !system.about().labels.is_empty())
}

/// The captures of site files beside robots.txt, by path, origin and time.
#[derive(Clone, Debug)]
pub struct OtherFiles<B> {
    /// One for each path of each kind, in the order of [`CaptureKind::paths`].
    by_path: Vec<(CaptureKind, &'static str, SiteFiles<B>)>,
}

impl<B: Copy + PartialEq> Default for OtherFiles<B> {
    fn default() -> Self {
        let by_path = beside_robots_txt().flat_map(|kind| kind.paths().iter().map(move |path| (kind, *path)));
        Self { by_path: by_path.map(|(kind, path)| (kind, path, SiteFiles::default())).collect() }
    }
}

impl<B: Copy + PartialEq> OtherFiles<B> {
    /// Adds a capture at the requested path, which counts after [`OtherFiles::sort`].
    ///
    /// A capture of another kind, or at another path, is not one of these files.
    pub fn add(&mut self, kind: CaptureKind, path: &str, fetch: &SiteFileFetch<B>, order: u64) {
        let mut files = self.by_path.iter_mut();
        if let Some((_, _, files)) = files.find(|(known, at, _)| (*known, *at) == (kind, path)) {
            files.add(fetch, order);
        }
    }

    /// Gives bodies other keys, or replaces them with another outcome.
    pub fn change_bodies(&mut self, key: impl Fn(B) -> Sent<B>) {
        for (_, _, files) in &mut self.by_path {
            files.change_bodies(&key);
        }
    }

    /// Sorts the captures that were added.
    pub fn sort(&mut self) {
        for (_, _, files) in &mut self.by_path {
            files.sort();
        }
    }

    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.by_path.iter().all(|(_, _, files)| files.is_empty())
    }

    /// Returns whether a copy of one kind counts but its body was not kept or cannot be read.
    pub fn is_unread(&self, kind: CaptureKind, origin: &Origin, page_fetched_at: Option<Timestamp>) -> bool {
        let mut files = self.by_path.iter().filter(|(known, _, _)| *known == kind);
        files.any(|(_, _, files)| {
            let (current, rivals) = files.current_and_rivals(origin, page_fetched_at);
            rivals.into_iter().chain([current]).any(|copy| match copy.state {
                SiteFileState::BodyMissing | SiteFileState::Unreadable => true,
                SiteFileState::Speaks
                | SiteFileState::Silent
                | SiteFileState::Html
                | SiteFileState::Undated
                | SiteFileState::NotArchived => false,
            })
        })
    }

    /// Returns the bodies of one kind that count for a page: at most one for each path.
    pub fn current(
        &self,
        kind: CaptureKind,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
    ) -> impl Iterator<Item = B> {
        let files = self.by_path.iter().filter(move |(known, _, _)| *known == kind);
        files.filter_map(move |(_, _, files)| files.current(origin, page_fetched_at).body)
    }

    /// Returns bodies of one kind that differ from the copy that counts, of the same second: their noes count (FRAME-9).
    pub fn rivals(&self, kind: CaptureKind, origin: &Origin, page_fetched_at: Option<Timestamp>) -> Vec<B> {
        let mut bodies = Vec::new();
        for (_, _, files) in self.by_path.iter().filter(|(known, _, _)| *known == kind) {
            let (current, rivals) = files.current_and_rivals(origin, page_fetched_at);
            for body in rivals.into_iter().filter_map(|rival| rival.body) {
                if current.body != Some(body) && !bodies.contains(&body) {
                    bodies.push(body);
                }
            }
        }
        bodies
    }
}

fn beside_robots_txt() -> impl Iterator<Item = CaptureKind> {
    CaptureKind::ALL.into_iter().filter(|kind| kind.read_as() != CaptureKind::Robots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::timeline::Answer;
    use crate::web::url::PageUrl;

    type Capture<'u> = (CaptureKind, PageUrl<'u>, SiteFileFetch<u32>);

    fn at(time: &str) -> Option<Timestamp> {
        Timestamp::new(format!("2026-08-10T{time}:00Z").as_bytes())
    }

    fn capture<'u>(kind: CaptureKind, url: &'u str, time: &str, status: u16, body: u32) -> Capture<'u> {
        let url = PageUrl::new(url.as_bytes()).expect("a URL");
        let origin = Origin::new(&url);
        let answer = Answer::Status(status);
        (
            kind,
            url,
            SiteFileFetch { origin, fetched_at: at(time), answer, redirect: None, body: Sent::Body(body) },
        )
    }

    fn current(captures: &[Capture<'_>], kind: CaptureKind, time: &str) -> Vec<u32> {
        let page = PageUrl::new(b"https://a.example/p").expect("a URL");
        let mut files = OtherFiles::default();
        for (order, (kind, url, fetch)) in (0..).zip(captures) {
            files.add(*kind, url.path(), fetch, order);
        }
        files.sort();
        files.current(kind, &Origin::new(&page), at(time)).collect()
    }

    #[test]
    fn local_live_8_each_path_of_a_kind_has_its_own_newest_copy() {
        let trust = CaptureKind::TrustTxt;
        let captures = [
            capture(trust, "https://a.example/trust.txt", "06:00", 200, 1),
            capture(trust, "https://a.example/.well-known/trust.txt", "06:30", 200, 2),
            capture(trust, "https://a.example/.well-known/trust.txt", "07:00", 404, 3),
            capture(trust, "https://b.example/trust.txt", "06:00", 200, 4),
            capture(trust, "https://a.example/elsewhere", "06:00", 200, 5),
            capture(CaptureKind::AiTxt, "https://a.example/ai.txt", "06:00", 200, 6),
        ];
        assert_eq!(current(&captures, trust, "05:59"), [0; 0]);
        assert_eq!(current(&captures, trust, "06:00"), [1]);
        assert_eq!(current(&captures, trust, "06:45"), [2, 1]);
        assert_eq!(current(&captures, trust, "08:00"), [1]);
        assert_eq!(current(&captures, CaptureKind::AiTxt, "08:00"), [6]);
        assert_eq!(current(&captures, CaptureKind::Tdmrep, "08:00"), [0; 0]);
    }
}
