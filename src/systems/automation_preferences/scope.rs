//! Where a group holds: a path, or a host and a path.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the ABNF's remark on `scope`, "path/authority matcher". Examples: `/admin/`,
//! `//example.com/admin/`, `https://example.com/`. Ours (AMB-AUTO-7): a scope with an authority holds if scheme and host match,
//! as if its group had that host; paths are matched like those of robots.txt.
//! Left out: ports, except the scheme's own; a scope with another port holds nowhere.

use crate::systems::Page;
use crate::web::path_pattern::{PathPattern, can_match};
use crate::web::url::{PageUrl, Scheme};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationScope<'v> {
    pub(super) authority: Option<Authority>,
    path: &'v [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority {
    scheme: Option<Scheme>,
    pub(super) host: HostPattern,
}

impl<'v> AutomationScope<'v> {
    pub(super) fn new(value: &'v [u8]) -> Self {
        let schemes = [Scheme::Http, Scheme::Https].into_iter();
        let mut with_scheme = schemes.filter_map(|scheme| {
            let name = value.get(..scheme.as_str().len())?;
            let rest = value.get(name.len()..)?.strip_prefix(b":")?;
            name.eq_ignore_ascii_case(scheme.as_str().as_bytes())
                .then_some((Some(scheme), rest))
        });
        let (scheme, rest) = with_scheme.next().unwrap_or((None, value));
        let Some(rest) = rest.strip_prefix(b"//") else {
            return Self {
                authority: None,
                path: value,
            };
        };
        let end = rest
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?'))
            .unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let own_port = scheme
            .map(|scheme| format!(":{}", scheme.default_port()))
            .unwrap_or_default();
        let host = HostPattern::new(host.strip_suffix(own_port.as_bytes()).unwrap_or(host));
        let path = if path.is_empty() { b"/" } else { path };
        Self {
            authority: Some(Authority { scheme, host }),
            path,
        }
    }

    /// Returns its path. A query without a path belongs to `/`.
    pub fn pattern(&self) -> PathPattern {
        match self.path {
            [b'?', ..] => PathPattern::new(&[b"/", self.path].concat()),
            path => PathPattern::new(path),
        }
    }

    pub fn can_match(&self) -> bool {
        self.authority.is_some() || can_match(self.path)
    }
}

impl Authority {
    pub(super) fn matches(&self, page: &Page<'_>) -> bool {
        self.scheme.is_none_or(|scheme| page.scheme == Some(scheme))
            && page.host.is_some_and(|host| self.host.matches(host))
    }
}

/// A host name, or a pattern of host names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    /// In lower case, as in an origin.
    text: Box<[u8]>,
}

impl HostPattern {
    /// Reads the value of a `host` line. Names have no case; "servers SHOULD match IDNA U-labels".
    pub fn new(value: &[u8]) -> Self {
        let text = match str::from_utf8(value) {
            Ok(name) if !value.is_ascii() && !value.contains(&b'*') => a_labels(name),
            Ok(pattern) if !value.is_ascii() => Some(around_stars_in_a_labels(pattern)),
            Ok(_) | Err(_) => None,
        };
        Self {
            text: text.unwrap_or_else(|| value.to_ascii_lowercase()).into(),
        }
    }

    pub fn is_exact(&self) -> bool {
        !self.text.contains(&b'*')
    }

    /// Returns whether it matches a host, given as in an origin.
    pub fn matches(&self, host: &str) -> bool {
        let mut pieces = self.text.split(|byte| *byte == b'*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = host.as_bytes().strip_prefix(first) else {
            return false;
        };
        let Some(last) = pieces.next_back() else {
            return rest.is_empty();
        };
        for piece in pieces {
            let Some(at) = memchr::memmem::find(rest, piece) else {
                return false;
            };
            rest = rest.get(at + piece.len()..).unwrap_or_default();
        }
        rest.ends_with(last)
    }
}

/// AMB-AUTO-7: labels without a star are turned into A-labels; one with a star and other letters matches nothing.
fn around_stars_in_a_labels(pattern: &str) -> Vec<u8> {
    let label = |label: &str| {
        let name = Some(label).filter(|label| !label.is_ascii() && !label.contains('*'));
        name.and_then(a_labels)
            .unwrap_or_else(|| label.to_ascii_lowercase().into_bytes())
    };
    pattern
        .split('.')
        .map(label)
        .collect::<Vec<_>>()
        .join(&b'.')
}

fn a_labels(name: &str) -> Option<Vec<u8>> {
    let url = format!("http://{name}/");
    let url = PageUrl::new(url.as_bytes()).ok()?;
    Some(url.origin_host().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_amb_auto_7_stars_in_hosts_are_any_run() {
        for (pattern, host, expected) in [
            ("example.com", "example.com", true),
            ("Example.COM", "example.com", true),
            ("example.com", "www.example.com", false),
            ("*", "example.com", true),
            ("*.example.com", "www.example.com", true),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("www.*.com", "www.com", false),
            ("www.*.com", "www.a.com", true),
            ("a*a", "a", false),
            ("*a*b*", "xaxbx", true),
            ("*a*b*", "xbxax", false),
            ("bücher.example", "xn--bcher-kva.example", true),
            ("*.bücher.example", "www.xn--bcher-kva.example", true),
            ("*.BÜCHER.*", "www.xn--bcher-kva.example", true),
            ("*.bücher.example", "xn--bcher-kva.example", false),
            ("b*ücher.example", "xn--bcher-kva.example", false),
            ("example.com:8080", "example.com", false),
        ] {
            assert_eq!(
                HostPattern::new(pattern.as_bytes()).matches(host),
                expected,
                "{pattern} {host}"
            );
        }
    }

    #[test]
    fn local_amb_auto_7_a_scope_with_an_authority_is_of_its_scheme_and_host() {
        let page = |scheme, host| Page {
            scheme,
            host: Some(host),
            ..Page::default()
        };
        for (value, path, https, http) in [
            ("/a", "/a", None, None),
            ("//a.example/x", "/x", Some(true), Some(true)),
            ("//A.example", "/", Some(true), Some(true)),
            ("HTTPS://a.example/x", "/x", Some(true), Some(false)),
            ("https://a.example:443/x", "/x", Some(true), Some(false)),
            ("https://a.example:8443/x", "/x", Some(false), Some(false)),
            ("http://*.example?q", "/?q", Some(false), Some(true)),
            ("//b.example/", "/", Some(false), Some(false)),
            ("https:/a", "https:/a", None, None),
        ] {
            let scope = AutomationScope::new(value.as_bytes());
            assert_eq!(
                scope.pattern(),
                PathPattern::new(path.as_bytes()),
                "{value}"
            );
            let authority = scope.authority;
            let found = |scheme| {
                authority
                    .as_ref()
                    .map(|authority| authority.matches(&page(Some(scheme), "a.example")))
            };
            assert_eq!(
                (found(Scheme::Https), found(Scheme::Http)),
                (https, http),
                "{value}"
            );
        }
    }
}
