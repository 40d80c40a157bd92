//! The copies of the site files beside robots.txt: which were current when a page was fetched.
//!
//! RULES LIVE-8: each path is joined like robots.txt, by origin and time, but without a slack and
//! without redirects. Example: for trust.txt, which may be at two paths, up to two copies count.
//! Left out: what the copies say, which their signals know.

use super::timeline::{Sent, SiteFileFetch, SiteFileState, SiteFiles};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;

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
    /// Adds a capture with the path that was asked for, which counts after [`OtherFiles::sort`].
    ///
    /// A capture of another kind, or at another path, is not one of these files.
    pub fn add(&mut self, kind: CaptureKind, path: &str, fetch: &SiteFileFetch<B>, order: u64) {
        let mut files = self.by_path.iter_mut();
        if let Some((_, _, files)) = files.find(|(known, at, _)| (*known, *at) == (kind, path)) {
            files.add(fetch, order);
        }
    }

    /// Gives bodies other keys, or says what they are instead.
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

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_path.iter().all(|(_, _, files)| files.is_empty())
    }

    /// Returns whether a copy of one kind counts whose body was not kept or cannot be read.
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

    /// Returns the bodies of one kind that came within the second of a copy that counts, and differ from it: their noes count
    /// (FRAME-9).
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

/// Returns the kinds of site files that are not robots.txt.
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
