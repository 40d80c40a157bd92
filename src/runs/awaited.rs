//! The targets of site files' redirects: of all pages, only those that may be a target are read.
//!
//! Example: `http://a.example/robots.txt` redirects to `/`, so the captures of `http://a.example/` count. A page counts only for the
//! redirects of its own segment, and archives without a segment count as one. So a segment's result does not depend on the others, and
//! an index of two segments is that of both. Memory: 32 bytes for each redirect, and the targets' hosts if needed.

use crate::archive::ArchiveName;
use crate::web::url::{PageUrl, redirect_target};
use crate::web::url_key::{url_key, url_key_hash};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The numbers of segments: those of a crawl by their names, and one for all archives without a segment.
#[derive(Default)]
pub struct SegmentNumbers(HashMap<Option<(String, String)>, u32>);

impl SegmentNumbers {
    pub fn number(&mut self, crawl: &str, archive: &ArchiveName) -> u32 {
        let segment = archive
            .segment()
            .map(|segment| (crawl.to_owned(), segment.to_owned()));
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(segment).or_insert(next)
    }
}

/// The URLs to which redirects lead.
#[derive(Default)]
pub struct Awaited {
    /// By hash: a collision adds only a capture that is never looked up.
    urls: HashSet<u64>,
    /// Their hosts, if these are kept.
    hosts: Option<BTreeSet<String>>,
}

impl Awaited {
    /// Returns an empty set that also keeps the hosts of its URLs.
    pub fn with_hosts() -> Self {
        Self {
            hosts: Some(BTreeSet::new()),
            ..Self::default()
        }
    }

    /// Adds the target of a redirect in a segment; a target that is not a page's URL cannot be followed.
    pub fn add(&mut self, segment: u32, url: &PageUrl<'_>, location: &str) {
        if let Some(target) = redirect_target(url, location) {
            let key = url_key(&target);
            self.urls
                .extend([None, Some(segment)].map(|segment| url_key_hash(&key, segment)));
            if let Some(hosts) = &mut self.hosts {
                hosts.insert(target.host_name().to_owned());
            }
        }
    }

    /// Returns whether a redirect of a segment, or of any, leads to a URL.
    pub fn has(&self, segment: Option<u32>, url: &PageUrl<'_>) -> bool {
        self.urls.contains(&url_key_hash(&url_key(url), segment))
    }

    /// Returns a number that grows with every target.
    pub fn len(&self) -> usize {
        self.urls.len()
    }

    pub fn hosts(&self) -> Option<Vec<String>> {
        self.hosts
            .as_ref()
            .map(|hosts| hosts.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Awaited;
    use crate::web::url::PageUrl;

    fn url(text: &str) -> PageUrl<'_> {
        PageUrl::new(text.as_bytes()).expect("a URL of a page")
    }

    #[test]
    fn local_a_page_counts_for_redirects_of_its_own_segment_alone() {
        let mut awaited = Awaited::with_hosts();
        awaited.add(0, &url("http://a.example/robots.txt"), "//b.example/#x");
        for (segment, page, expected) in [
            (Some(0), "http://b.example/", true),
            (Some(1), "http://b.example/", false),
            (None, "http://B.example:80/#y", true),
            (None, "http://b.example/x", false),
            (None, "https://b.example/", false),
        ] {
            assert_eq!(
                awaited.has(segment, &url(page)),
                expected,
                "{segment:?} {page}"
            );
        }
        let count = awaited.len();
        awaited.add(0, &url("http://a.example/robots.txt"), "mailto:a");
        assert_eq!(awaited.len(), count);
        assert_eq!(awaited.hosts(), Some(vec!["b.example".to_owned()]));
        assert_eq!(Awaited::default().hosts(), None);
    }
}
