//! The ICANN part of the public suffix list.
//!
//! Document: the list of publicsuffix.org and its section "Algorithm"; the copy in `data/` is under the MPL 2.0. Examples of
//! rules: `com`, `co.uk`, `*.ck`, `!www.ck`, `xn--p1ai`. Left out: the private part (`github.io` and the like), like Common
//! Crawl's column `url_host_registered_domain`.

use std::sync::LazyLock;

/// The list: comments, one of them with its version, and one rule a line, sorted.
const LIST: &str = include_str!("../../data/public_suffixes.txt");
static RULES: LazyLock<SuffixRules> = LazyLock::new(|| SuffixRules::of(LIST));

/// The rules by kind, without their marks, each sorted.
struct SuffixRules {
    /// Those with `!`.
    exceptions: Vec<&'static str>,
    /// Those with `*.`.
    wildcards: Vec<&'static str>,
    names: Vec<&'static str>,
}

impl SuffixRules {
    fn of(list: &'static str) -> Self {
        let rules = || {
            list.lines()
                .filter(|line| !line.is_empty() && !line.starts_with("//"))
        };
        Self {
            exceptions: rules().filter_map(|rule| rule.strip_prefix('!')).collect(),
            wildcards: rules().filter_map(|rule| rule.strip_prefix("*.")).collect(),
            names: rules()
                .filter(|rule| !rule.starts_with(['!', '*']))
                .collect(),
        }
    }
}

pub fn version() -> &'static str {
    LIST.lines()
        .find_map(|line| line.strip_prefix("// VERSION: "))
        .unwrap_or_default()
}

/// Returns the part of a host name that was registered: the suffix and one label. Host names are in lower case and in punycode,
/// without the dot of the root. `None` for names that are a suffix themselves, that have an empty label, or whose suffix is not
/// on the list. The last is ours: the algorithm of the list takes any last label for a suffix, but Common Crawl's column is
/// null.
pub(super) fn registered_domain(host_name: &str) -> Option<&str> {
    if host_name.split('.').any(str::is_empty) {
        return None;
    }
    let (mut longer, mut name) = (None, host_name);
    // The first name with a rule is that of the longest rule.
    loop {
        let parent = name.split_once('.').map(|(_, parent)| parent);
        let has = |rules: &[&str], name: &str| rules.binary_search(&name).is_ok();
        if has(&RULES.exceptions, name) {
            return Some(name);
        }
        if has(&RULES.names, name) || parent.is_some_and(|parent| has(&RULES.wildcards, parent)) {
            return longer;
        }
        (longer, name) = (Some(name), parent?);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use url::Host;

    use super::{LIST, RULES, registered_domain, version};

    fn written() -> Vec<String> {
        let all = [
            ("!", &RULES.exceptions),
            ("*.", &RULES.wildcards),
            ("", &RULES.names),
        ];
        all.iter()
            .flat_map(|(mark, names)| names.iter().map(move |name| format!("{mark}{name}")))
            .collect()
    }

    /// The list's section "Algorithm", word by word, over a plain set of rules.
    fn slow_registered_domain<'a>(rules: &HashSet<&str>, host_name: &'a str) -> Option<&'a str> {
        let labels: Vec<&str> = host_name.split('.').collect();
        let tail = |count: usize| labels[labels.len() - count..].join(".");
        let wild = |count: usize| format!("*.{}", tail(count - 1));
        let is_rule = |count: &usize| {
            rules.contains(&*tail(*count)) || (*count > 1 && rules.contains(&*wild(*count)))
        };
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
        let written = written();
        let rules: HashSet<&str> = written.iter().map(String::as_str).collect();
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
                assert_eq!(registered_domain(&host), expected, "{host} {rule}");
            }
        }
    }

    #[test]
    fn local_rules_are_sorted_and_written_as_host_names_are() {
        let rules = written();
        assert!(rules.is_sorted());
        for rule in &rules {
            let name = rule.trim_start_matches("*.").trim_start_matches('!');
            assert_eq!(
                Host::parse(name),
                Ok(Host::Domain(name.to_owned())),
                "{rule}"
            );
        }
    }

    /// Ours: a copy of another year would give other domains, so the tables' footers name the version.
    #[test]
    fn local_the_list_states_its_version_and_its_licence() {
        assert!(version().starts_with("2026-10-22"), "{}", version());
        assert!(
            LIST.starts_with(
                "// This Source Code Form is subject to the terms of the Mozilla Public"
            )
        );
    }
}
