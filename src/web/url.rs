//! The URL of a page, split into the columns of Common Crawl's columnar index.
//!
//! Documents: RFC 3986 for the parts; the WHATWG URL Standard (crate `url`) for hosts and for every spelling that a browser
//! repairs. Example: `https://www.example.org:8443/a/b?c=d` gives protocol `https`, host name `www.example.org`, port 8443,
//! path `/a/b` and query `c=d`. Left out: user names, passwords and fragments, which do not change the page; the normal form of
//! a path for matching (RFC 9309 2.2.2), which belongs to rules.
//! Ours: path and query stay as written if possible, because the columns of the index also come from the text. A path comes
//! from crate `url` only if it holds dot segments, or if the URL holds a backslash, TAB, CR or LF, or lacks a plain `//` before
//! its host.

use super::in_lower_case;
use super::lines::trimmed;
use super::names::names;
use super::shown::{escaped, shown};
use std::borrow::Cow;
use url::Url;

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Scheme {
        Http => "http",
        Https => "https",
    }
}

impl Scheme {
    /// Returns the port that a URL of this scheme need not name.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn in_any_case(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|scheme| name.eq_ignore_ascii_case(scheme.as_str()))
    }
}

/// Why a target URI is not the URL of a web page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWeb {
    /// It has a scheme, but neither http nor https, for example `dns:example.org`.
    #[error("found another scheme, expected http or https")]
    NotHttp,
    /// It has no scheme, no host, or a host that cannot exist.
    #[error("not a URL, expected one with a scheme and a host")]
    Unparsable,
}

/// The URL of a web page and its parts; plain ones borrow from the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageUrl<'a> {
    text: Cow<'a, str>,
    scheme: Scheme,
    host: Cow<'a, str>,
    port: Option<u16>,
    path: Cow<'a, str>,
    query: Option<Cow<'a, str>>,
}

impl<'a> PageUrl<'a> {
    /// Splits the value of a `WARC-Target-URI` field.
    /// Ours: outer blanks, control characters and angle brackets (GNU Wget writes them) are trimmed. Bytes that are not UTF-8,
    /// and NUL, which some engines refuse in text, are percent-encoded one by one, so that none is lost.
    pub fn new(target_uri: &'a [u8]) -> Result<Self, NotWeb> {
        let trimmed = trim(target_uri);
        match str::from_utf8(trimmed) {
            Ok(text) if !text.contains('\0') => split(text),
            Ok(_) | Err(_) => split(&escaped(trimmed, "%")).map(PageUrl::into_owned),
        }
    }

    /// Returns the trimmed text, the column `url`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the scheme, the column `url_protocol`.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the host in lower case, the column `url_host_name`. As in Common Crawl's index, the dot of the root is dropped
    /// and an IPv6 address keeps its brackets.
    pub fn host_name(&self) -> &str {
        without_root_dot(&self.host)
    }

    /// Returns the port if it is not the scheme's default, the column `url_port`.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Returns the path, the column `url_path`; it starts with a slash.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the part between `?` and the fragment, the column `url_query`.
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    pub fn into_owned(self) -> PageUrl<'static> {
        PageUrl {
            text: owned(self.text),
            scheme: self.scheme,
            host: owned(self.host),
            port: self.port,
            path: owned(self.path),
            query: self.query.map(owned),
        }
    }

    /// Returns the host as origins compare it: with the dot of the root.
    pub fn origin_host(&self) -> &str {
        &self.host
    }
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn without_root_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// Trims the bytes that the URL Standard trims, blanks and all C0 controls, and angle brackets with what is inside of them.
fn trim(target_uri: &[u8]) -> &[u8] {
    let is_outer = |byte| byte <= b' ';
    match trimmed(target_uri, is_outer) {
        [b'<', inner @ .., b'>'] => trimmed(inner, is_outer),
        outer => outer,
    }
}

fn split(text: &str) -> Result<PageUrl<'_>, NotWeb> {
    let url = cut(text).unwrap_or_else(|| from_parser(text))?;
    // The parser accepts `http://./`, which names no host.
    if url.host_name().is_empty() {
        Err(NotWeb::Unparsable)
    } else {
        Ok(url)
    }
}

/// Cuts at the delimiters of RFC 3986 3, unless a browser would cut elsewhere.
fn cut(text: &str) -> Option<Result<PageUrl<'_>, NotWeb>> {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'\t', b'\r', b'\n', bytes).is_some()
        || memchr::memchr(b'\\', bytes).is_some()
    {
        return None;
    }
    let (scheme, rest) = cut_at(text, b':');
    let scheme = Scheme::in_any_case(scheme)?;
    let rest = rest?.strip_prefix("//")?;
    let (rest, _fragment) = cut_at(rest, b'#');
    let (hierarchy, query) = cut_at(rest, b'?');
    let slash = hierarchy.find('/').unwrap_or(hierarchy.len());
    let (authority, path) = hierarchy.split_at_checked(slash)?;
    let url = || {
        let (host, port) =
            plain_authority(authority).map_or_else(|| parsed_authority(scheme, authority), Ok)?;
        Ok(PageUrl {
            text: Cow::Borrowed(text),
            scheme,
            host,
            port: port.filter(|port| *port != scheme.default_port()),
            path: resolved_path(path)?,
            query: query.map(Cow::Borrowed),
        })
    };
    (!authority.is_empty()).then(url)
}

/// Cuts at the first mark, which is ASCII.
fn cut_at(text: &str, mark: u8) -> (&str, Option<&str>) {
    let at = memchr::memchr(mark, text.as_bytes());
    match at.and_then(|at| text.split_at_checked(at)) {
        Some((before, from)) => (before, from.get(1..)),
        None => (text, None),
    }
}

fn plain_authority(authority: &str) -> Option<(Cow<'_, str>, Option<u16>)> {
    let (host, digits) = cut_at(authority, b':');
    let is_plain = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let port = digits
        .filter(is_plain)
        .and_then(|digits| digits.parse().ok());
    (is_plain_host(host) && port.is_some() == digits.is_some()).then(|| (in_lower_case(host), port))
}

/// Returns whether a host needs no repair except lower case: no user name, percent sign or address, and nothing for IDNA to
/// check.
fn is_plain_host(host: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let punycode = |at: usize| {
        let around = host.as_bytes().get(at.wrapping_sub(2)..at + 2);
        around.is_some_and(|around| around.eq_ignore_ascii_case(b"xn--"))
    };
    let last_label = without_root_dot(host).rsplit('.').next();
    host.bytes().all(plain)
        && last_label.is_some_and(|label| label.starts_with(|c: char| !c.is_ascii_digit()))
        && !memchr::memchr_iter(b'-', host.as_bytes()).any(punycode)
}

fn parsed_authority(
    scheme: Scheme,
    authority: &str,
) -> Result<(Cow<'static, str>, Option<u16>), NotWeb> {
    let root = format!("{}://{authority}/", scheme.as_str());
    let url = Url::parse(&root).map_err(|_| NotWeb::Unparsable)?;
    let host = url.host_str().ok_or(NotWeb::Unparsable)?.to_owned();
    Ok((Cow::Owned(host), url.port()))
}

/// Resolves dot segments (RFC 3986 5.2.4): the crawler requested the resolved path.
fn resolved_path(path: &str) -> Result<Cow<'_, str>, NotWeb> {
    if path.is_empty() {
        return Ok(Cow::Borrowed("/"));
    }
    let begins_like_one =
        |slash: usize| matches!(path.as_bytes().get(slash + 1), Some(b'.' | b'%'));
    let may_have_one = memchr::memchr_iter(b'/', path.as_bytes()).any(begins_like_one);
    if !may_have_one || !path.split('/').any(is_dot_segment) {
        return Ok(Cow::Borrowed(path));
    }
    // The question mark keeps a blank at the end of the path from being trimmed.
    let url = Url::parse(&format!("http://h{path}?")).map_err(|_| NotWeb::Unparsable)?;
    Ok(Cow::Owned(url.path().to_owned()))
}

fn is_dot_segment(segment: &str) -> bool {
    let spellings = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"];
    segment.starts_with(['.', '%'])
        && spellings
            .iter()
            .any(|spelling| segment.eq_ignore_ascii_case(spelling))
}

fn from_parser(text: &str) -> Result<PageUrl<'_>, NotWeb> {
    let url = Url::parse(text).map_err(|_| fault_of(text))?;
    let scheme = Scheme::in_any_case(url.scheme()).ok_or(NotWeb::NotHttp)?;
    let host = url.host_str().ok_or(NotWeb::Unparsable)?;
    Ok(PageUrl {
        text: Cow::Borrowed(text),
        scheme,
        host: Cow::Owned(host.to_owned()),
        port: url.port(),
        path: Cow::Owned(url.path().to_owned()),
        query: url.query().map(|query| Cow::Owned(query.to_owned())),
    })
}

/// Returns the fault of a text that the parser refuses. RFC 3986 3.1: a scheme is a letter, then letters, digits, `+`, `-` and
/// `.`, up to a colon.
fn fault_of(text: &str) -> NotWeb {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_other = |(name, _): (&str, &str)| {
        let is_scheme =
            name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(allowed);
        is_scheme && Scheme::in_any_case(name).is_none()
    };
    if text.split_once(':').is_some_and(is_other) {
        NotWeb::NotHttp
    } else {
        NotWeb::Unparsable
    }
}

#[cfg(test)]
mod tests;

/// Returns the page to which the value of a Location field leads; `None` if it is not a page of the web.
pub fn redirect_target(url: &PageUrl<'_>, location: &str) -> Option<PageUrl<'static>> {
    let target = resolve(Some(url), location.as_bytes());
    PageUrl::new(target.as_bytes())
        .ok()
        .map(PageUrl::into_owned)
}

/// Resolves the value of a Location field against the requested URL (RFC 9110 10.2.2); an unresolvable value is shown as it is.
pub fn resolve(base: Option<&PageUrl<'_>>, location: &[u8]) -> String {
    let text = shown(trim(location));
    let base = base.and_then(|base| Url::parse(base.as_str()).ok());
    let resolved = base.and_then(|base| base.join(&text).ok());
    resolved.map_or_else(|| text.into_owned(), String::from)
}
