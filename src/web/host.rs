//! The parts of a host name: its top-level domain, its registered domain, its SURT.
//!
//! Documents: Common Crawl's columnar index (`url_host_tld`, `url_host_registered_domain`) and host index (`surt_host_name`).
//! Example: `www.example.co.uk` gives `uk`, `example.co.uk` and `uk,co,example`. Left out: the private part of the suffix list,
//! and SURTs of whole URLs.

use super::suffix_list::registered_domain;
use std::net::Ipv4Addr;

/// The columns that depend only on the host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostParts {
    /// The last label, the column `url_host_tld`; `None` for addresses.
    pub tld: Option<Box<str>>,
    /// The column `url_host_registered_domain`; `None` for addresses, public suffixes and names under no suffix.
    pub registered_domain: Option<Box<str>>,
    /// The column `surt_host_name`: the labels from last to first, joined by commas, without `www`; addresses stay as they are.
    pub surt_host_name: Box<str>,
}

impl HostParts {
    /// Derives the parts of a host name as `PageUrl::host_name` returns it: in lower case and in punycode, or an address.
    pub fn split(host_name: &str) -> Self {
        let name =
            (!is_address(host_name)).then(|| host_name.strip_suffix('.').unwrap_or(host_name));
        let last = name.and_then(|name| name.rsplit('.').next());
        Self {
            tld: last.filter(|label| !label.is_empty()).map(Box::from),
            registered_domain: name.and_then(registered_domain).map(Box::from),
            surt_host_name: surt_host_name(host_name).into(),
        }
    }
}

/// Returns the column `surt_host_name` of a host name, without its other parts.
pub fn surt_host_name(host_name: &str) -> String {
    if is_address(host_name) {
        return host_name.to_owned();
    }
    let labels = without_www(host_name.strip_suffix('.').unwrap_or(host_name)).rsplit('.');
    labels.collect::<Vec<_>>().join(",")
}

fn is_address(host_name: &str) -> bool {
    host_name.starts_with('[') || host_name.parse::<Ipv4Addr>().is_ok()
}

/// Drops one leading `www.`, `www2.`, `www34.`, like the Internet Archive's tools, even if little is left: `www.com` is `com`.
fn without_www(name: &str) -> &str {
    let rest = name.strip_prefix("www").and_then(|rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix('.')
    });
    rest.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Columns<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

    fn check(cases: &[(&str, Columns<'_>)]) {
        for (host, expected) in cases {
            let parts = HostParts::split(host);
            let found = (
                parts.tld.as_deref(),
                parts.registered_domain.as_deref(),
                &*parts.surt_host_name,
            );
            assert_eq!(found, *expected, "{host}");
        }
    }

    #[test]
    fn publicsuffix_org_rules_wildcards_exceptions_and_internationalised_names() {
        let cyrillic = (
            Some("xn--p1ai"),
            Some("xn--e1afmkfd.xn--p1ai"),
            "xn--p1ai,xn--e1afmkfd",
        );
        check(&[
            (
                "example.com",
                (Some("com"), Some("example.com"), "com,example"),
            ),
            (
                "a.b.example.co.uk",
                (Some("uk"), Some("example.co.uk"), "uk,co,example,b,a"),
            ),
            ("co.uk", (Some("uk"), None, "uk,co")),
            ("com", (Some("com"), None, "com")),
            ("b.test.ck", (Some("ck"), Some("b.test.ck"), "ck,test,b")),
            ("test.ck", (Some("ck"), None, "ck,test")),
            ("shop.www.ck", (Some("ck"), Some("www.ck"), "ck,www,shop")),
            (
                "a.city.kobe.jp",
                (Some("jp"), Some("city.kobe.jp"), "jp,kobe,city,a"),
            ),
            (
                "b.c.kobe.jp",
                (Some("jp"), Some("b.c.kobe.jp"), "jp,kobe,c,b"),
            ),
            ("c.kobe.jp", (Some("jp"), None, "jp,kobe,c")),
            ("xn--e1afmkfd.xn--p1ai", cyrillic),
            (
                "a.xn--55qx5d.cn",
                (Some("cn"), Some("a.xn--55qx5d.cn"), "cn,xn--55qx5d,a"),
            ),
            ("xn--55qx5d.cn", (Some("cn"), None, "cn,xn--55qx5d")),
        ]);
    }

    #[test]
    fn local_registered_domains_and_surts() {
        check(&[
            // Ours, like Common Crawl: the private part does not count.
            (
                "alice.github.io",
                (Some("io"), Some("github.io"), "io,github,alice"),
            ),
            (
                "a.blogspot.com",
                (Some("com"), Some("blogspot.com"), "com,blogspot,a"),
            ),
            // Names under no suffix, and addresses.
            ("localhost", (Some("localhost"), None, "localhost")),
            (
                "printer.invalid",
                (Some("invalid"), None, "invalid,printer"),
            ),
            ("a..com", (Some("com"), None, "com,,a")),
            ("", (None, None, "")),
            ("127.0.0.1", (None, None, "127.0.0.1")),
            ("[2001:db8::1]", (None, None, "[2001:db8::1]")),
            // A SURT drops one `www`.
            (
                "www.example.org",
                (Some("org"), Some("example.org"), "org,example"),
            ),
            (
                "www34.example.org.",
                (Some("org"), Some("example.org"), "org,example"),
            ),
            (
                "www2foo.example.org",
                (Some("org"), Some("example.org"), "org,example,www2foo"),
            ),
            (
                "www.www.example.org",
                (Some("org"), Some("example.org"), "org,example,www"),
            ),
            ("www.com", (Some("com"), Some("www.com"), "com")),
        ]);
    }
}
