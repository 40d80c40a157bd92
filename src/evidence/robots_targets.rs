//! Pages that a robots.txt redirects to, whose bodies are kept to be read in its place.
//!
//! Document: RFC 9309 2.3.1.2. Example: `/robots.txt` redirects to `/static/bots.txt`, which a crawler fetches next. Such a page is
//! known once the redirect was read: before it, or in another archive, by its name alone. Left out: pages of HTML, which have no
//! rules; and a target that comes first and has another name, whose rules stay unknown.

use super::fields::{BodyFields, PageType};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::{PageUrl, redirect_target};
use crate::web::url_key::{url_key, url_key_hash};
use std::collections::HashSet;

/// What the last segment of a path contains if it is named like a robots.txt.
const NAME: &[u8] = b"robots";

/// The URLs to which robots.txt files of an archive redirect.
#[derive(Default)]
pub struct RobotsTargets {
    /// By hash: a collision adds only a body that is never looked up.
    urls: HashSet<u64>,
}

impl RobotsTargets {
    /// Notes where an answer leads, if it is one of a robots.txt, or of what such a one leads to.
    pub fn add(&mut self, kind: CaptureKind, url: Option<&PageUrl<'_>>, redirect: Option<&str>) {
        let Some((url, location)) = url.zip(redirect) else {
            return;
        };
        if kind.read_as() == CaptureKind::Robots && (kind != CaptureKind::Page || self.has(url)) {
            let target = redirect_target(url, location);
            self.urls.extend(target.map(|target| hash(&target)));
        }
    }

    /// Returns whether the body of a page is to be kept.
    pub fn may_be(&self, url: Option<&PageUrl<'_>>, fields: &BodyFields<'_>) -> bool {
        url.is_some_and(|url| is_named(url) || self.has(url))
            && matches!(
                PageType::from_fields(fields),
                PageType::Unknown | PageType::Other
            )
    }

    fn has(&self, url: &PageUrl<'_>) -> bool {
        !self.urls.is_empty() && self.urls.contains(&hash(url))
    }
}

fn is_named(url: &PageUrl<'_>) -> bool {
    let path = url.path().as_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    name.windows(NAME.len())
        .any(|part| part.eq_ignore_ascii_case(NAME))
}

fn hash(url: &PageUrl<'_>) -> u64 {
    url_key_hash(&url_key(url), None)
}

#[cfg(test)]
mod tests {
    use super::RobotsTargets;
    use crate::evidence::fields::BodyFields;
    use crate::web::capture_kind::CaptureKind;
    use crate::web::url::PageUrl;

    fn url(text: &str) -> PageUrl<'_> {
        PageUrl::new(text.as_bytes()).expect("a URL of a page")
    }

    #[test]
    fn rfc9309_2_3_1_2_targets_are_those_of_robots_txt_and_of_chains_that_begin_there() {
        let mut targets = RobotsTargets::default();
        let redirects = [
            (CaptureKind::Page, "http://a.example/x", "/no"),
            (CaptureKind::AiTxt, "http://a.example/ai.txt", "/no"),
            (
                CaptureKind::Robots,
                "http://a.example/robots.txt",
                "//b.example/x#y",
            ),
            (CaptureKind::Page, "http://b.example/x", "/bots.txt"),
        ];
        for (kind, from, to) in redirects {
            targets.add(kind, Some(&url(from)), Some(to));
        }
        for (page, expected) in [
            ("http://a.example/no", false),
            ("http://b.example/x", true),
            ("http://B.example:80/bots.txt", true),
            ("http://b.example/bots.txt?", false),
            ("http://c.example/static/Robots-main.txt", true),
            ("http://c.example/robots/main.txt", false),
        ] {
            let page = url(page);
            assert_eq!(
                targets.may_be(Some(&page), &BodyFields::default()),
                expected,
                "{page:?}"
            );
        }
        assert!(!targets.may_be(None, &BodyFields::default()));
    }
}
