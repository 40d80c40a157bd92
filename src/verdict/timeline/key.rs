//! The text by which two spellings of one URL are found to be the same.
//!
//! Documents: RFC 3986 6.2.2 and 6.2.3, as far as the WHATWG URL Standard applies them.
//! Example: `HTTP://a.test#x` and `http://a.test:80/` both have the key `http://a.test/`.
//! Left out: `%7E` against `~`, which that standard keeps apart too.
//!
//! The key of `/robots.txt` is its origin alone. No other key can be the same, because they all have a
//! slash behind the origin.

use crate::web::origin::Origin;
use crate::web::url::{PageUrl, resolve};

/// The path of a robots.txt (RFC 9309 2.3); with a query it is another resource.
const ROBOTS_TXT: &str = "/robots.txt";

/// A URL in one spelling, without its fragment.
pub struct UrlKey(String);

impl UrlKey {
    /// Returns the key of a URL.
    pub fn of(url: &PageUrl<'_>) -> Self {
        let mut key = String::from(url.origin().as_str());
        if url.path() == ROBOTS_TXT && url.query().is_none() {
            return Self(key);
        }
        let normal = normalised(url);
        let url = normal.as_ref().unwrap_or(url);
        key.push_str(url.path());
        if let Some(query) = url.query() {
            key.push('?');
            key.push_str(query);
        }
        Self(key)
    }

    /// Returns the key of an origin's robots.txt.
    pub(super) fn of_robots_txt(origin: &Origin) -> &str {
        origin.as_str()
    }

    /// Returns it as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the URL as the URL Standard spells it; `None` if it is spelled so already.
///
/// `PageUrl` keeps path and query as written, but the target of a redirect was resolved by that
/// standard, which percent-encodes.
fn normalised(url: &PageUrl<'_>) -> Option<PageUrl<'static>> {
    let query = url.query().unwrap_or_default();
    if url.path().bytes().chain(query.bytes()).all(is_never_encoded) {
        return None;
    }
    let text = resolve(Some(url), url.as_str().as_bytes());
    PageUrl::new(text.as_bytes()).ok().map(PageUrl::into_owned)
}

/// Returns whether the URL Standard leaves a byte alone in paths and queries alike.
fn is_never_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~/%!$&()*+,;=:@?".contains(&byte)
}
