//! The public suffix list, of which only the ICANN part is read.
//!
//! Document: the list of publicsuffix.org and its section "Algorithm"; the copy
//! in `data/` is the file of a Debian package, under the MPL 2.0.
//! Examples of rules: `com`, `co.uk`, `*.ck`, `!www.ck`, `рф`.
//! Left out: the private part (`github.io` and the like), as the column
//! `url_host_registered_domain` of Common Crawl leaves it out.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use publicsuffix::{List, Psl as _};
use url::Host;

const BUNDLED: &str = include_str!("../../data/public_suffix_list.dat");
/// The version of the Debian package `publicsuffix` that `BUNDLED` is from.
const BUNDLED_VERSION: &str = "20230209.2326-1";
const VERSION_MARK: &str = "// VERSION:";
const ICANN_MARK: &str = "// ===BEGIN ICANN DOMAINS===";
const PRIVATE_MARK: &str = "// ===BEGIN PRIVATE DOMAINS===";

/// The suffixes under which registries sell names.
#[derive(Clone, Debug)]
pub struct SuffixList {
    rules: List,
    version: String,
}

/// A text is not a public suffix list: it has no ICANN rules, or a broken one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASuffixList;

impl fmt::Display for NotASuffixList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a public suffix list, expected rules after its mark for ICANN domains")
    }
}

impl Error for NotASuffixList {}

impl SuffixList {
    /// Reads a list in the format of publicsuffix.org.
    ///
    /// The version of a list whose header does not state one is `unknown`.
    ///
    /// # Errors
    ///
    /// [`NotASuffixList`] if there is no rule between the marks of the ICANN part.
    pub fn new(text: &str) -> Result<Self, NotASuffixList> {
        let rules = List::from_bytes(icann_rules(text).as_bytes()).map_err(|_| NotASuffixList)?;
        let version = stated_version(text).unwrap_or("unknown").to_owned();
        Ok(Self { rules, version })
    }

    /// Returns the list that comes with the program.
    ///
    /// # Panics
    ///
    /// Never: the bundled list is part of the program, and a test reads it.
    #[must_use]
    pub fn bundled() -> Self {
        let list = Self::new(BUNDLED).expect("the bundled list is read by a test");
        let version = stated_version(BUNDLED).unwrap_or(BUNDLED_VERSION);
        Self { version: version.to_owned(), ..list }
    }

    /// Returns the version that the list states, or that of its package.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the part of a host name that was registered: the suffix and one label.
    ///
    /// `None` for names that are a suffix themselves, that have an empty label, or
    /// whose suffix is not on the list. The last is ours: the algorithm of the list
    /// takes any last label for a suffix, but Common Crawl's column is null.
    /// Host names are in lower case and in punycode, without the dot of the root.
    pub(super) fn registered_domain<'a>(&self, host_name: &'a str) -> Option<&'a str> {
        if host_name.split('.').any(str::is_empty) {
            return None;
        }
        let domain = self.rules.domain(host_name.as_bytes())?;
        let known = domain.suffix().is_known();
        str::from_utf8(domain.as_bytes()).ok().filter(|_| known)
    }
}

fn stated_version(text: &str) -> Option<&str> {
    let header = text.lines().take_while(|line| *line != ICANN_MARK);
    header.filter_map(|line| line.strip_prefix(VERSION_MARK)).map(str::trim).next()
}

/// Returns the ICANN part as a list of its own, in punycode, as host names are.
fn icann_rules(text: &str) -> String {
    let part = text.lines().skip_while(|line| *line != ICANN_MARK);
    let mut rules = String::from(ICANN_MARK);
    for line in part.take_while(|line| *line != PRIVATE_MARK) {
        let rule = line.split_whitespace().next().unwrap_or_default();
        if !rule.starts_with("//") && !rule.is_empty() {
            rules.push('\n');
            rules.push_str(&in_punycode(rule));
        }
    }
    rules
}

fn in_punycode(rule: &str) -> Cow<'_, str> {
    if rule.is_ascii() {
        return Cow::Borrowed(rule);
    }
    let labels: Vec<String> = rule.split('.').map(label_in_punycode).collect();
    Cow::Owned(labels.join("."))
}

fn label_in_punycode(label: &str) -> String {
    match Host::parse(label) {
        Ok(Host::Domain(ascii)) => ascii,
        // A wildcard, or a label no host name can have, matches as it is.
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) | Err(_) => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The list's section "Algorithm", word by word, over a plain set of rules.
    fn slow_registered_domain<'a>(rules: &HashSet<&str>, host_name: &'a str) -> Option<&'a str> {
        let labels: Vec<&str> = host_name.split('.').collect();
        let tail = |count: usize| labels[labels.len() - count..].join(".");
        let wild = |count: usize| format!("*.{}", tail(count - 1));
        let is_rule =
            |count: &usize| rules.contains(&*tail(*count)) || (*count > 1 && rules.contains(&*wild(*count)));
        let exception = |count: &usize| rules.contains(&*format!("!{}", tail(*count)));
        let suffix = match (1..=labels.len()).rev().find(exception) {
            Some(count) => count - 1,
            None => (1..=labels.len()).rev().find(is_rule)?,
        };
        let length = (suffix < labels.len()).then(|| tail(suffix + 1).len())?;
        host_name.get(host_name.len() - length..)
    }

    #[test]
    fn local_lookup_equals_the_algorithm_around_every_rule() {
        let list = SuffixList::bundled();
        let text = icann_rules(BUNDLED);
        let rules: HashSet<&str> = text.lines().skip(1).collect();
        assert!(rules.len() > 6000);
        for rule in &rules {
            let name = rule.trim_start_matches("*.").trim_start_matches('!');
            let parent = name.split_once('.').map_or(name, |(_, parent)| parent);
            for host in [
                name.to_owned(),
                format!("a.{name}"),
                format!("b.a.{name}"),
                format!("c.b.a.{name}"),
                format!("a.{parent}"),
                parent.to_owned(),
            ] {
                let expected = slow_registered_domain(&rules, &host);
                assert_eq!(list.registered_domain(&host), expected, "{host} {rule}");
            }
        }
    }

    /// Ours: what the file states wins over the package's version.
    #[test]
    fn local_version_is_stated_or_that_of_the_package() {
        assert_eq!(SuffixList::bundled().version(), BUNDLED_VERSION);
        let list = format!("// VERSION: 2026-01-02_03-04-05_UTC\n{ICANN_MARK}\ncom\n");
        let version = SuffixList::new(&list).map(|list| list.version().to_owned());
        assert_eq!(version.as_deref(), Ok("2026-01-02_03-04-05_UTC"));
    }

    #[test]
    fn local_bundled_list_keeps_its_licence() {
        assert!(
            BUNDLED.starts_with("// This Source Code Form is subject to the terms of the Mozilla Public")
        );
    }

    #[test]
    fn local_text_without_rules_is_not_a_list() {
        for text in [
            "",
            "com\n",
            "// ===BEGIN ICANN DOMAINS===\n// nothing\n",
            "// ===BEGIN ICANN DOMAINS===\na..b\n",
        ] {
            assert_eq!(SuffixList::new(text).err(), Some(NotASuffixList), "{text}");
        }
    }
}
