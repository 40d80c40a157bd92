//! The origin of a page: the unit to which a robots.txt file applies.
//!
//! Documents: RFC 6454 section 6.2 (ASCII serialisation), RFC 9309 2.3. Example: `https://www.example.org` or
//! `http://127.0.0.1:8080`. Left out: opaque origins; only http and https pages have a robots.txt here.

use super::url::PageUrl;
use std::fmt;

impl PageUrl<'_> {
    pub fn origin(&self) -> Origin {
        Origin::new(self)
    }
}

/// An http or https origin, in lower case and without the default port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(Box<str>);

impl Origin {
    pub fn new(url: &PageUrl<'_>) -> Self {
        let scheme = url.scheme().as_str();
        let host = url.origin_host();
        let text = match url.port() {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its host, without the dot that may end it.
    pub fn host_name(&self) -> &str {
        let (_, host, _) = self.parts();
        host.strip_suffix('.').unwrap_or(host)
    }

    /// Returns the part of its host that its twins have as well.
    pub fn host_of_twins(&self) -> &str {
        let host = self.host_name();
        host.strip_prefix("www.").unwrap_or(host)
    }

    /// Returns its scheme, its host, and its port with the colon before it, or nothing.
    fn parts(&self) -> (&str, &str, &str) {
        let (scheme, authority) = self.0.split_once("://").unwrap_or_default();
        // A colon in brackets is part of an address.
        let colon = authority
            .rfind(':')
            .filter(|_| !authority.ends_with(']'))
            .unwrap_or(authority.len());
        let (host, port) = authority.split_at_checked(colon).unwrap_or_default();
        (scheme, host, port)
    }

    /// Returns the origin without the dot at the end of its host, if it has one: in DNS both are the same host.
    pub fn without_dot(&self) -> Option<Self> {
        let (scheme, host, port) = self.parts();
        let host = host.strip_suffix('.').filter(|host| !host.is_empty())?;
        Some(Self(format!("{scheme}://{host}{port}").into()))
    }

    /// Returns the origins that most visitors take for the same site: those with the other scheme, if the port is the default
    /// one, those of the host with `www.` or without, and of a host with a dot at its end also those without the dot.
    pub fn twins(&self) -> Vec<Self> {
        let (scheme, host, port) = self.parts();
        let bare = host.strip_suffix('.').unwrap_or(host);
        let is_address = bare.starts_with('[')
            || bare
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let other_host = match bare.strip_prefix("www.") {
            Some(rest) => rest.contains('.').then_some(("", rest)),
            None => (!is_address).then_some(("www.", bare)),
        };
        let ends: &[&str] = if bare == host { &[""] } else { &["", "."] };
        let schemes: &[&str] = if port.is_empty() {
            &["http", "https"]
        } else {
            &[scheme]
        };
        let mut twins = Vec::with_capacity(3);
        for scheme in schemes {
            for (prefix, bare) in [Some(("", bare)), other_host].into_iter().flatten() {
                for end in ends {
                    let twin = [scheme, "://", prefix, bare, end, port].concat();
                    if twin != *self.0 {
                        twins.push(Self(twin.into()));
                    }
                }
            }
        }
        twins
    }

    /// Returns it with its twins.
    pub fn with_twins(self) -> Vec<Self> {
        let mut all = self.twins();
        all.push(self);
        all
    }

    /// Returns, without allocating, whether a page belongs to this origin.
    pub fn is_of(&self, url: &PageUrl<'_>) -> bool {
        let (scheme, host, port) = self.parts();
        let port = port.strip_prefix(':').map(str::parse);
        (scheme, host, port) == (url.scheme().as_str(), url.origin_host(), url.port().map(Ok))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> PageUrl<'_> {
        PageUrl::new(text.as_bytes()).expect("the case is a web page")
    }

    fn origin(text: &str) -> Origin {
        Origin::new(&page(text))
    }

    #[test]
    fn rfc6454_6_2_default_port_is_dropped_and_host_is_lower_case() {
        let cases = [
            ("http://example.org/a", "http://example.org"),
            ("HTTP://Example.ORG:80/", "http://example.org"),
            ("https://example.org:443/?q", "https://example.org"),
            ("https://example.org:80", "https://example.org:80"),
            (
                "http://user:pass@example.org:8080/",
                "http://example.org:8080",
            ),
            ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]"),
            ("http://bücher.example/", "http://xn--bcher-kva.example"),
        ];
        for (url, expected) in cases {
            assert_eq!(origin(url).as_str(), expected, "{url}");
        }
    }

    /// Ours: `example.org.` is the same host in the tables, but not the same origin.
    #[test]
    fn local_dot_at_the_end_is_another_origin() {
        assert_eq!(origin("http://a.example./").as_str(), "http://a.example.");
        assert_ne!(origin("http://a.example./"), origin("http://a.example/"));
        for (url, expected) in [
            ("http://a.example./", Some("http://a.example")),
            ("https://a.example.:8080/", Some("https://a.example:8080")),
            ("http://a.example/", None),
            ("http://[::1]/", None),
            ("http://[::1]:81/", None),
        ] {
            assert_eq!(
                origin(url).without_dot().as_ref().map(Origin::as_str),
                expected,
                "{url}"
            );
        }
    }

    #[test]
    fn local_twins_have_the_other_scheme_and_the_host_with_www_or_without() {
        for (url, twins) in [
            (
                "http://a.example/",
                &[
                    "http://www.a.example",
                    "https://a.example",
                    "https://www.a.example",
                ][..],
            ),
            (
                "https://www.a.example/",
                &[
                    "http://www.a.example",
                    "http://a.example",
                    "https://a.example",
                ],
            ),
            ("https://a.example:8443/", &["https://www.a.example:8443"]),
            // KNOW-8: of a host with a dot, also those without; not the other way round.
            (
                "https://a.example.:8443/",
                &[
                    "https://a.example:8443",
                    "https://www.a.example:8443",
                    "https://www.a.example.:8443",
                ],
            ),
            (
                "https://www.com./",
                &["http://www.com", "http://www.com.", "https://www.com"],
            ),
            ("https://127.0.0.1/", &["http://127.0.0.1"]),
            ("https://[::1]/", &["http://[::1]"]),
            ("https://www.com/", &["http://www.com"]),
        ] {
            let found: Vec<String> = origin(url).twins().iter().map(Origin::to_string).collect();
            assert_eq!(found, twins, "{url}");
        }
    }

    #[test]
    fn local_page_belongs_exactly_to_its_own_origin() {
        let urls = "http://a.example/¦http://a.example./¦http://a.example.org/¦https://a.example/¦\
                    http://a.example:8080/¦http://a.example:808/¦http://[::1]/¦http://[::1]:1/";
        for (left, right) in urls
            .split('¦')
            .flat_map(|left| urls.split('¦').map(move |right| (left, right)))
        {
            let expected = origin(left) == origin(right);
            assert_eq!(origin(left).is_of(&page(right)), expected, "{left} {right}");
        }
    }
}
