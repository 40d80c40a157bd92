//! The hosts of a group.
//!
//! Document: draft-liao-aipref-autoctl-core-01, `host` and the ABNF's `host-pattern`. Examples: `example.com`,
//! `*.example.com`. Ours (AMB-AUTO-7): `*` is any run of characters.
//! Left out: ports, which the grammar does not have; a pattern with a port matches no host.

use crate::web::url::PageUrl;

/// A host name, or a pattern of host names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    /// In lower case, as in an origin.
    text: Box<[u8]>,
}

impl HostPattern {
    /// Reads the value of a `host` line. Names have no case, and names with other letters are compared as U-labels ("servers
    /// SHOULD match IDNA U-labels").
    pub fn new(value: &[u8]) -> Self {
        let text = match str::from_utf8(value) {
            Ok(name) if !value.is_ascii() && !value.contains(&b'*') => a_labels(name),
            Ok(pattern) if !value.is_ascii() => Some(around_stars_in_a_labels(pattern)),
            Ok(_) | Err(_) => None,
        };
        Self { text: text.unwrap_or_else(|| value.to_ascii_lowercase()).into() }
    }

    /// Returns whether it names one host.
    pub fn is_exact(&self) -> bool {
        !self.text.contains(&b'*')
    }

    /// Returns whether it matches a host, given as in an origin.
    pub fn matches(&self, host: &str) -> bool {
        let mut pieces = self.text.split(|byte| *byte == b'*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = host.as_bytes().strip_prefix(first) else { return false };
        let Some(last) = pieces.next_back() else { return rest.is_empty() };
        for piece in pieces {
            let Some(at) = memchr::memmem::find(rest, piece) else { return false };
            rest = rest.get(at + piece.len()..).unwrap_or_default();
        }
        rest.ends_with(last)
    }
}

/// AMB-AUTO-7: labels without a star are turned into A-labels; one with a star and other letters matches nothing.
fn around_stars_in_a_labels(pattern: &str) -> Vec<u8> {
    let label = |label: &str| {
        let name = Some(label).filter(|label| !label.is_ascii() && !label.contains('*'));
        name.and_then(a_labels).unwrap_or_else(|| label.to_ascii_lowercase().into_bytes())
    };
    pattern.split('.').map(label).collect::<Vec<_>>().join(&b'.')
}

fn a_labels(name: &str) -> Option<Vec<u8>> {
    let url = format!("http://{name}/");
    let url = PageUrl::new(url.as_bytes()).ok()?;
    Some(url.origin_host().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::HostPattern;

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
            assert_eq!(HostPattern::new(pattern.as_bytes()).matches(host), expected, "{pattern} {host}");
        }
    }
}
