//! The copies of the site files beside robots.txt: which were current when a page was fetched.
//!
//! RULES LIVE-8: each path is joined like robots.txt, by origin and time, but without a slack and
//! without redirects. Example: for trust.txt, which may stand at two paths, up to two copies count.
//! Left out: what the copies say, which their signals know.

use super::timeline::{SiteFileFetch, SiteFileState, SiteFiles};
use crate::web::capture_kind::CaptureKind;
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;

/// The captures of site files beside robots.txt, by path, origin and time.
#[derive(Clone, Debug)]
pub struct OtherFiles<B> {
    /// One for each path of each kind, in the order of [`CaptureKind::paths`].
    by_path: Vec<(CaptureKind, SiteFiles<B>)>,
}

impl<B: Copy> OtherFiles<B> {
    /// Sorts captures, which may come in any order, each with the URL that was asked for.
    ///
    /// A capture of another kind, or at another path, is none of these files.
    #[must_use]
    pub fn new<'u>(captures: impl IntoIterator<Item = (CaptureKind, PageUrl<'u>, SiteFileFetch<B>)>) -> Self {
        let mut fetches: Vec<(CaptureKind, &str, Vec<SiteFileFetch<B>>)> = beside_robots_txt()
            .flat_map(|kind| kind.paths().iter().map(move |path| (kind, *path, Vec::new())))
            .collect();
        for (kind, url, fetch) in captures {
            let place = fetches.iter_mut().find(|(known, path, _)| *known == kind && *path == url.path());
            if let Some((_, _, fetches)) = place {
                fetches.push(fetch);
            }
        }
        let by_path = fetches.into_iter().map(|(kind, _, fetches)| (kind, SiteFiles::new(fetches)));
        Self { by_path: by_path.collect() }
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_path.iter().all(|(_, files)| files.is_empty())
    }

    /// Returns whether a copy of one kind counts whose body was not kept or could not be read.
    #[must_use]
    pub fn is_body_missing(
        &self,
        kind: CaptureKind,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
    ) -> bool {
        let mut files = self.by_path.iter().filter(|(known, _)| *known == kind);
        files.any(|(_, files)| files.current(origin, page_fetched_at).state == SiteFileState::BodyMissing)
    }

    /// Returns the bodies of one kind that speak for a page: at most one for each path.
    pub fn current(
        &self,
        kind: CaptureKind,
        origin: &Origin,
        page_fetched_at: Option<Timestamp>,
    ) -> impl Iterator<Item = B> {
        let files = self.by_path.iter().filter(move |(known, _)| *known == kind);
        files.filter_map(move |(_, files)| files.current(origin, page_fetched_at).body)
    }
}

/// Returns the kinds of site files that are no robots.txt.
fn beside_robots_txt() -> impl Iterator<Item = CaptureKind> {
    CaptureKind::ALL.into_iter().filter(|kind| kind.read_as() != CaptureKind::Robots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::timeline::Answer;

    type Capture<'u> = (CaptureKind, PageUrl<'u>, SiteFileFetch<u32>);

    fn at(time: &str) -> Option<Timestamp> {
        Timestamp::new(format!("2026-08-10T{time}:00Z").as_bytes())
    }

    fn capture<'u>(kind: CaptureKind, url: &'u str, time: &str, status: u16, body: u32) -> Capture<'u> {
        let url = PageUrl::new(url.as_bytes()).expect("a URL");
        let origin = Origin::new(&url);
        let answer = Answer::Status(status);
        (kind, url, SiteFileFetch { origin, fetched_at: at(time), answer, body: Some(body) })
    }

    fn current(captures: &[Capture<'_>], kind: CaptureKind, time: &str) -> Vec<u32> {
        let page = PageUrl::new(b"https://a.example/p").expect("a URL");
        OtherFiles::new(captures.iter().cloned()).current(kind, &Origin::new(&page), at(time)).collect()
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
