//! A URL in one spelling, by which captures of it are found, whichever of its spellings a redirect or an archive has.

use super::url::{PageUrl, resolve};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The path of a robots.txt (RFC 9309 2.3); with a query it is another resource.
const ROBOTS_TXT: &str = "/robots.txt";

/// Returns a URL in one spelling, without its fragment.
pub fn url_key(url: &PageUrl<'_>) -> String {
    let mut key = String::from(url.origin().as_str());
    if url.path() == ROBOTS_TXT && url.query().is_none() {
        return key;
    }
    let normal = normalised(url);
    let url = normal.as_ref().unwrap_or(url);
    key.push_str(url.path());
    if let Some(query) = url.query() {
        key.push('?');
        key.push_str(query);
    }
    key
}

/// Returns a hash of a key, within the segment of a crawl if there is one.
pub fn url_key_hash(key: &str, segment: Option<u32>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (segment, key).hash(&mut hasher);
    hasher.finish()
}

/// Returns the URL in the spelling of the URL Standard; `None` if it already has that spelling.
///
/// `PageUrl` keeps path and query as written, but a redirect's target was resolved by that standard, which percent-encodes.
fn normalised(url: &PageUrl<'_>) -> Option<PageUrl<'static>> {
    let query = url.query().unwrap_or_default();
    if url
        .path()
        .bytes()
        .chain(query.bytes())
        .all(is_never_encoded)
    {
        return None;
    }
    let text = resolve(Some(url), url.as_str().as_bytes());
    PageUrl::new(text.as_bytes()).ok().map(PageUrl::into_owned)
}

/// Returns whether the URL Standard keeps a byte unchanged in both paths and queries.
fn is_never_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'$'..=b'&' | b'('..=b'/' | b':' | b';' | b'=' | b'?' | b'@' | b'_' | b'~')
}
