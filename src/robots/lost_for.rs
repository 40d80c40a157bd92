//! For which crawlers a line counts that was meant as a rule and cannot be read (RULES KNOW-10).
//!
//! Example: `User-agent: foo Disallow: /` opens the group of `foo`, and only its rule is lost: that is a doubt for `foo`, and for
//! nobody else. `- User-agent: foo` opens no group, so that the rules below it are those of another group: a doubt for everyone.
//! Ours: a disallow line with an odd path is a doubt for the crawlers of its group. Left out: what is lost (`near_miss`).

use super::RobotsTxt;
use super::joined_lines::{behind_line_ends, ends_in_markup, letters, words_before_colons};
use super::record::{LineKind, RobotsRecord};
use crate::web::lines::offset_in;
use crate::web::product_token::{AgentName, TokenMatch, listed_names};

/// A line that was meant as a rule and cannot be read (ACCT-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss<'a> {
    /// Its number, from 1.
    pub line: u32,
    /// Its text, without outer white space.
    pub text: &'a [u8],
    /// The values that name the crawlers for which it was meant; `None` if that is not known.
    agents: Option<Vec<&'a [u8]>>,
}

impl<'a> NearMiss<'a> {
    pub(super) fn read(
        robots: &'a RobotsTxt,
        line: u32,
        text: &'a [u8],
        begins_as_known: &dyn Fn(&[u8]) -> bool,
    ) -> Self {
        let record = robots.record_on(line);
        let agents = record.and_then(|record| agents(robots, &record, begins_as_known));
        Self {
            line,
            text: text.trim_ascii(),
            agents,
        }
    }

    /// Returns the names of the crawlers for which it was meant; `None` if it may be meant for anybody.
    pub fn names(&self, how: TokenMatch) -> Option<Vec<AgentName<'a>>> {
        let of = |value: &&'a [u8]| listed_names(value).chain([AgentName::new(value, how)]);
        let names: Vec<AgentName<'a>> = self.agents.as_ref()?.iter().flat_map(of).collect();
        (!names.contains(&AgentName::Nobody)).then_some(names)
    }

    /// Returns whether it may close something to a crawler; `has_group` says whether groups name that crawler.
    pub fn may_bind(&self, compared: &[u8], how: TokenMatch, has_group: bool) -> bool {
        let is_meant = |name: &AgentName<'_>| match name {
            AgentName::Everyone => !has_group,
            name => name.is_token(compared),
        };
        self.names(how)
            .is_none_or(|names| names.iter().any(is_meant))
    }
}

/// Returns the values that name the crawlers of a line; `None` if lines of other groups may be lost with it.
fn agents<'a>(
    robots: &'a RobotsTxt,
    record: &RobotsRecord<'a>,
    begins_as_known: &dyn Fn(&[u8]) -> bool,
) -> Option<Vec<&'a [u8]>> {
    let names_others = || words_before_colons(record.value).any(|word| word.ends_as("user-agent"));
    if behind_line_ends(record.value).next().is_some() {
        return None;
    }
    let of_group = robots.group(record.group?)?.agents();
    match record.kind {
        LineKind::Disallow if !names_others() => Some(of_group.map(|agent| agent.value).collect()),
        LineKind::UserAgent if !ends_in_markup(record.value) => {
            let before = of_group
                .take_while(|agent| agent.line < record.line)
                .map(|agent| agent.value);
            let own = named_within(record.value, begins_as_known);
            let all: Vec<&[u8]> = before.chain(own).collect();
            all.iter().all(|value| is_plain(value)).then_some(all)
        }
        _ => None,
    }
}

/// Returns the names in a value that has rules behind its name: `a Disallow: / User-agent: b` has `a` and `b`.
fn named_within<'a>(value: &'a [u8], begins_as_known: &dyn Fn(&[u8]) -> bool) -> Vec<&'a [u8]> {
    let mut names = Vec::new();
    // The start of a name, while one is read.
    let mut start = Some(0);
    for word in words_before_colons(value) {
        let rule = word
            .rule_name()
            .or_else(|| word.ends_as("allow").then_some("allow"));
        if rule.is_none() && !begins_as_known(&letters(word.text)) {
            continue;
        }
        let end = offset_in(value, word.text) + word.text.len();
        let first = end - rule.map_or(word.text.len(), str::len);
        names.extend(
            start
                .take()
                .and_then(|start| value.get(start..first))
                .map(<[u8]>::trim_ascii),
        );
        let behind = value.get(end..).unwrap_or_default();
        let colon = memchr::memchr(b':', behind).map(|at| end + at + 1);
        start = colon.filter(|_| rule == Some("user-agent"));
    }
    names.extend(
        start
            .and_then(|start| value.get(start..))
            .map(<[u8]>::trim_ascii),
    );
    names
}

/// Returns whether a value has nothing but names.
fn is_plain(value: &[u8]) -> bool {
    let in_names = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.*/,; \t".contains(byte);
    value.iter().all(in_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names for which the near miss of a file is meant.
    fn names(file: &str) -> Option<String> {
        let robots = RobotsTxt::parse(file);
        let misses = robots.near_misses(|letters| letters.starts_with(b"contentsignal"));
        let [miss] = misses.as_slice() else {
            panic!("{file}: {} near misses", misses.len())
        };
        let text = |name: &AgentName<'_>| match name {
            AgentName::Token(name) => String::from_utf8_lossy(name).into_owned(),
            AgentName::Everyone => "*".to_owned(),
            AgentName::Nobody => String::new(),
        };
        let mut names: Vec<String> = miss.names(TokenMatch::Exact)?.iter().map(text).collect();
        names.dedup();
        Some(names.join(" "))
    }

    #[test]
    fn know_10_a_near_miss_that_names_agents_is_for_these() {
        for (lines, expected) in [
            ("User-agent: foo Disallow: /", "foo"),
            ("User-agent: foo/1.0 Disallow: /", "foo"),
            ("User-agent: * Disallow: /", "*"),
            ("User-agent: fooDisallow: /", "foo"),
            (
                "User-agent: b\nUser-agent: foo Disallow: /\nUser-agent: c",
                "b foo",
            ),
            ("User-agent: a Disallow: /x User-agent: b Allow: /", "a b"),
            (
                "User-agent: a Content-Signal: ai-train=no User-agent: * Disallow: /",
                "a *",
            ),
            ("User-agent: a, b Disallow: /", "a b a,"),
            ("User-agent: a\nUser-agent: b\nDisallow: \"/\"", "a b"),
            ("User-agent: a\nDisallow: /</p>", "a"),
        ] {
            let file = format!("User-agent: z\nAllow: /\n{lines}\nAllow: /x\n");
            assert_eq!(names(&file).as_deref(), Some(expected), "{lines}");
        }
    }

    #[test]
    fn know_10_a_near_miss_that_shifts_groups_or_names_nobody_is_for_everyone() {
        for line in [
            "- User-agent: foo",
            "- Disallow: /",
            "User-agent: foo<br>",
            "User-agent: foo%0ADisallow: /",
            "User-agent: foo (x) Disallow: /",
            "Disallow: /a User-agent: foo",
            "Sitemap: https://a.example/s.xml User-agent: foo Disallow: /",
        ] {
            assert_eq!(
                names(&format!("User-agent: z\nAllow: /\n{line}\nAllow: /x\n")),
                None,
                "{line}"
            );
        }
        assert_eq!(names("Disallow: \"/\"\n"), None);
    }

    #[test]
    fn know_10_who_has_a_group_is_not_meant_by_a_line_for_everyone() {
        let robots = RobotsTxt::parse("User-agent: * Disallow: /");
        let misses = robots.near_misses(|_| false);
        assert!(misses[0].may_bind(b"a", TokenMatch::Exact, false));
        assert!(!misses[0].may_bind(b"a", TokenMatch::Exact, true));
    }
}
