//! The rules of merged groups, compiled to answer for many paths.
//!
//! Document: RFC 9309 2.2.2: of all matching rules, the one with the most octets counts, and allow wins a tie. Example: a
//! lookup of a path on a host with 19,000 rules. Left out: rules of other documents, which have other orders.
//!
//! `web::pattern_index` finds matching rules without looking at the others. Few rules, and many rules for the first few paths,
//! are compared one by one, as an index would cost more than it saves.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::RobotsTxt;
use super::access::{Access, Reason, Verdict};
use super::record::{LineKind, RecordOffsets, slice};
use super::selection::{Matched, Selection};
use crate::web::path_pattern::{UrlPath, matches, matching_octets, push_pattern};
use crate::web::path_readings::other_paths;
use crate::web::pattern_index::PatternIndex;
use crate::web::u32_of;

/// The allow and disallow rules of a selection.
#[derive(Debug)]
pub struct Rules {
    pub(super) file: Arc<[u8]>,
    matched: Matched,
    by_number: Vec<Rule>,
    /// The patterns in normal form, in the order of the rules.
    patterns: Vec<u8>,
    index: OnceLock<PatternIndex>,
    /// The number of questions that were answered one by one.
    asked: AtomicU32,
    /// The rules of the groups that count only by their noes (ACCT-5).
    noes: Option<Box<Self>>,
}

/// Up to this many rules are always compared one by one.
const FEW_RULES: usize = 64;

/// Up to this many questions cost less than an index; one page of a site needs no index.
const FEW_QUESTIONS: u32 = 16;

/// More than `FEW_RULES` rules are compared one by one only up to this product of path octets and rules.
const MOST_OCTETS: usize = 1 << 18;

/// One rule, with its line as offsets.
#[derive(Debug)]
pub(super) struct Rule {
    octets: u32,
    pub(super) verdict: Verdict,
    line: u32,
    text: Range<u32>,
}

impl RobotsTxt {
    /// Compiles the rules of the selected groups.
    pub fn rules(&self, selection: &Selection) -> Rules {
        let most = selection
            .groups()
            .map(|index| self.entries_of(index).len())
            .sum();
        let (mut rules, mut patterns) = (Vec::with_capacity(most), Vec::with_capacity(most * 16));
        for entry in selection.groups().flat_map(|index| self.entries_of(index)) {
            let value = slice(&self.bytes, entry.value_start, entry.end);
            rules.extend(Rule::of(entry, value, &mut patterns));
            let others = other_paths_of(entry, value);
            rules.extend(
                others
                    .iter()
                    .filter_map(|path| Rule::of(entry, path, &mut patterns)),
            );
        }
        let noes = selection.of_noes().map(|noes| Box::new(self.rules(&noes)));
        let (file, matched) = (Arc::clone(&self.bytes), selection.matched());
        let (index, asked) = (OnceLock::new(), AtomicU32::new(0));
        Rules {
            file,
            matched,
            by_number: rules,
            patterns,
            index,
            asked,
            noes,
        }
    }

    /// Returns the answer of the selected groups for one path. It compares each rule, which costs less than an index used once.
    pub(super) fn access_once(&self, selection: &Selection, path: &UrlPath) -> Access<'_> {
        if path.is_robots_txt() {
            return Access::without_rule(Reason::RobotsTxtItself);
        }
        let mut normal = Vec::new();
        let matching = selection
            .groups()
            .flat_map(|index| self.entries_of(index))
            .filter_map(|entry| {
                let verdict = verdict_of(entry.kind)?;
                let raw = slice(&self.bytes, entry.value_start, entry.end);
                let own = matching_octets(raw, path.as_bytes(), &mut normal);
                let others = other_paths_of(entry, raw);
                let others = others
                    .iter()
                    .filter_map(|other| matching_octets(other, path.as_bytes(), &mut normal));
                Some(Rule::new(
                    entry,
                    own.into_iter().chain(others).max()?,
                    verdict,
                ))
            });
        let own = match matching.max_by_key(Rule::rank) {
            Some(rule) => access_by(&self.bytes, &rule),
            None => Access::by_no_rule(selection.matched()),
        };
        own.or_no(|| Some(self.access_once(&selection.of_noes()?, path)))
    }
}

impl Rules {
    /// Returns whether the path may be fetched, and why.
    pub fn access(&self, path: &UrlPath) -> Access<'_> {
        if path.is_robots_txt() {
            return Access::without_rule(Reason::RobotsTxtItself);
        }
        let own = match self.deciding(path) {
            Some(rule) => access_by(&self.file, rule),
            None => Access::by_no_rule(self.matched),
        };
        own.or_no(|| Some(self.noes.as_ref()?.access(path)))
    }

    /// Returns how the groups of these rules were found.
    pub fn matched(&self) -> Matched {
        self.matched
    }

    /// Returns the number of rules; empty rules have no effect and are left out.
    pub fn rule_count(&self) -> usize {
        self.by_number.len() + self.noes.as_ref().map_or(0, |noes| noes.rule_count())
    }

    /// RFC 9309 2.2.2: the match with the most octets.
    pub(super) fn deciding(&self, path: &UrlPath) -> Option<&Rule> {
        if self.is_asked_one_by_one(path) {
            self.first_by_rank(path)
        } else {
            self.first_by_index(path)
        }
    }

    fn is_asked_one_by_one(&self, path: &UrlPath) -> bool {
        let rules = self.by_number.len();
        rules <= FEW_RULES
            || rules.saturating_mul(path.as_bytes().len()) <= MOST_OCTETS
                && self.index.get().is_none()
                && self.asked.fetch_add(1, Ordering::Relaxed) < FEW_QUESTIONS
    }

    fn first_by_rank(&self, path: &UrlPath) -> Option<&Rule> {
        let mut best: Option<&Rule> = None;
        for (pattern, rule) in with_patterns(&self.by_number, &self.patterns) {
            if best.is_none_or(|best| best.rank() < rule.rank())
                && matches(pattern, path.as_bytes())
            {
                best = Some(rule);
            }
        }
        best
    }

    fn first_by_index(&self, path: &UrlPath) -> Option<&Rule> {
        let ranked = |(pattern, rule)| (pattern, Rule::rank(rule));
        let patterns = || with_patterns(&self.by_number, &self.patterns);
        let index = self
            .index
            .get_or_init(|| PatternIndex::new(patterns().map(ranked)));
        index
            .best(path)
            .numbers()
            .next()
            .and_then(|number| self.by_number.get(number as usize))
    }
}

/// Returns rules with their patterns, which are stored one after the other.
fn with_patterns<'p>(
    rules: &'p [Rule],
    patterns: &'p [u8],
) -> impl Iterator<Item = (&'p [u8], &'p Rule)> {
    let mut rest = patterns;
    rules.iter().map(move |rule| {
        let (pattern, following) = rest
            .split_at_checked(rule.octets as usize)
            .unwrap_or((rest, b""));
        rest = following;
        (pattern, rule)
    })
}

impl Rule {
    /// Reads a rule with this path and appends its pattern in normal form.
    fn of(entry: &RecordOffsets, path: &[u8], patterns: &mut Vec<u8>) -> Option<Self> {
        let verdict = verdict_of(entry.kind)?;
        let start = patterns.len();
        push_pattern(path, patterns);
        let octets = patterns.len() - start;
        // RFC 9309 2.2, empty-pattern: no effect on any path.
        (octets > 0).then(|| Self::new(entry, octets, verdict))
    }

    /// `octets` counts those of the pattern in normal form.
    fn new(entry: &RecordOffsets, octets: usize, verdict: Verdict) -> Self {
        // Offsets fit: patterns are at most three times as long as a file of at most 1 GiB.
        let octets = u32_of(octets);
        Self {
            octets,
            verdict,
            line: entry.line,
            text: entry.start..entry.end,
        }
    }

    /// Orders matching rules: the most octets, then allow (RFC 9309 2.2.2). Ours: of equal rules, the first line is named.
    pub(super) fn rank(&self) -> u64 {
        let allow = u64::from(self.verdict == Verdict::Allow);
        // A file has fewer than 2^31 lines, since it has fewer bytes.
        u64::from(self.octets) << 32
            | allow << 31
            | u64::from(u32::MAX >> 1).saturating_sub(self.line.into())
    }
}

/// Returns the other paths that a disallow line may mean (ACCT-9).
fn other_paths_of(entry: &RecordOffsets, value: &[u8]) -> Vec<Vec<u8>> {
    if entry.kind == LineKind::Disallow {
        other_paths(value)
    } else {
        Vec::new()
    }
}

fn verdict_of(kind: LineKind) -> Option<Verdict> {
    match kind {
        LineKind::Allow => Some(Verdict::Allow),
        LineKind::Disallow => Some(Verdict::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    }
}

pub(super) fn access_by<'f>(file: &'f [u8], rule: &Rule) -> Access<'f> {
    let text = slice(file, rule.text.start, rule.text.end);
    Access {
        verdict: rule.verdict,
        reason: Reason::Rule,
        line: Some(rule.line),
        rule: Some(text),
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::web::path_pattern::PathPattern;
    use crate::web::product_token::TokenMatch;
    use fastrand::Rng;

    fn robots(text: &str) -> RobotsTxt {
        RobotsTxt::parse(text.as_bytes())
    }

    fn rules(robots: &RobotsTxt) -> Rules {
        robots.rules(&robots.wildcard_selection(TokenMatch::Exact))
    }

    fn path(text: &str) -> UrlPath {
        UrlPath::new(text.as_bytes(), None)
    }

    fn line(text: &str, url_path: &str) -> Option<u32> {
        rules(&robots(&format!("user-agent: *\n{text}")))
            .access(&path(url_path))
            .line
    }

    #[test]
    fn rfc9309_2_2_2_most_octets_win_then_allow_and_order_does_not() {
        for (text, url_path, expected) in [
            ("allow: /\ndisallow: /cgi-bin", "/cgi-bin/env", 3),
            ("disallow: /cgi-bin\nallow: /", "/cgi-bin/env", 2),
            ("disallow: /a/b\nallow: /*b", "/a/b", 2),
            ("disallow: /*.html\nallow: /dir", "/dir/a.html", 2),
            ("disallow: /page\nallow: /*.htm", "/page.htm", 3),
            ("disallow: *a*\nallow: /", "/xa", 2),
            ("disallow: /page\nallow: /page", "/page", 3),
            ("allow: /page\ndisallow: /page", "/page", 2),
            ("disallow: /pag*\nallow: /page", "/page", 3),
            ("disallow: /page\nallow: /pa*e", "/page", 3),
            ("disallow: /page$\nallow: /page", "/page", 2),
            // Ours: of equal rules, the first line is named.
            ("disallow: /a\ndisallow: /a", "/a", 2),
            ("disallow: /*b\ndisallow: /a*", "/ab", 2),
        ] {
            assert_eq!(line(text, url_path), Some(expected), "{text}");
        }
    }

    #[test]
    fn rfc9309_2_2_empty_paths_have_no_effect() {
        let robots = robots("user-agent: *\ndisallow:\nallow:   # x\n");
        let rules = rules(&robots);
        assert_eq!(
            (rules.rule_count(), rules.access(&path("/")).reason),
            (0, Reason::NoRule)
        );
    }

    /// Answers from the records alone, one rule after the other.
    fn slowly_deciding(robots: &RobotsTxt, path: &UrlPath) -> Option<u32> {
        let matching = robots.records().filter_map(|record| {
            let pattern = PathPattern::new(record.value);
            let allows = verdict_of(record.kind)? == Verdict::Allow;
            let rank = (pattern.octet_count(), allows, Reverse(record.line));
            pattern.matches(path).then_some(rank)
        });
        matching.max().map(|(_, _, Reverse(line))| line)
    }

    fn some_of(random: &mut Rng, pieces: &[&str], most: usize) -> String {
        (0..random.usize(1..=most))
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect()
    }

    #[test]
    fn local_index_agrees_with_a_slow_search() {
        let mut random = Rng::with_seed(0x5EED_0002);
        let mut decided = 0;
        for _ in 0..1_500 {
            let mut text = "user-agent: *\n".to_owned();
            for _ in 0..random.usize(..60) {
                let verb = ["allow", "disallow"][random.usize(..2)];
                let start = ["/", "/", "/", "/", "*", ""][random.usize(..6)];
                let body = some_of(
                    &mut random,
                    &["a", "b", "ab", "/", "%61", "*", "é", "$", ".html"],
                    6,
                );
                let end = ["", "", "", "$", "*"][random.usize(..5)];
                text.extend([verb, ": ", start, &body, end, "\n"]);
            }
            let robots = robots(&text);
            let rules = rules(&robots);
            for _ in 0..30 {
                let path = path(&format!(
                    "/{}",
                    some_of(
                        &mut random,
                        &["a", "b", "ab", "/", "%C3%A9", "$", "*", ".html"],
                        7
                    )
                ));
                let found = rules.access(&path);
                assert_eq!(
                    found.line,
                    slowly_deciding(&robots, &path),
                    "{text}\n{path:?}"
                );
                let verdict = rules
                    .deciding(&path)
                    .map_or(Verdict::Allow, |rule| rule.verdict);
                assert_eq!(found.verdict, verdict);
                for rule in [rules.first_by_rank(&path), rules.first_by_index(&path)] {
                    assert_eq!(rule.map(|rule| rule.line), found.line, "{text}\n{path:?}");
                }
                let once = robots.access_once(&robots.wildcard_selection(TokenMatch::Exact), &path);
                assert_eq!(once, found, "{text}\n{path:?}");
                decided += u32::from(found.line.is_some());
            }
        }
        assert!(decided > 10_000, "{decided} decided");
    }

    /// With many rules, the first paths are compared one by one and later ones by the index; long paths always by the index.
    #[test]
    fn local_the_index_is_made_when_it_is_needed() {
        let lines: Vec<String> = (0..200).map(|n| format!("disallow: /{n}/*x")).collect();
        let robots = robots(&format!("user-agent: *\n{}", lines.join("\n")));
        let rules = rules(&robots);
        let line = |number: u32| rules.access(&path(&format!("/{number}/ax"))).line;
        for number in 0..16 {
            assert_eq!(
                (line(number), rules.index.get().is_some()),
                (Some(number + 2), false),
                "{number}"
            );
        }
        assert_eq!((line(16), rules.index.get().is_some()), (Some(18), true));
        let again = robots.rules(&robots.wildcard_selection(TokenMatch::Exact));
        assert_eq!(
            again
                .access(&path(&format!("/7/{}x", "a".repeat(2_000))))
                .line,
            Some(9)
        );
        assert!(again.index.get().is_some());
    }

    /// As many rules as fit into 500 KiB, in the shapes that are worst for the index.
    #[test]
    fn local_hostile_files_are_answered_in_bounded_time() {
        let long_path = path(&"/a".repeat(2_000));
        let shapes: [&dyn Fn(usize) -> String; 4] = [
            &|n| format!("disallow: /{}\n", "a/".repeat(n % 400)),
            &|n| format!("disallow: /*a{n}\n"),
            &|n| format!("disallow: /{}b{n}\n", "*a".repeat(20)),
            &|n| format!("allow: *{}\n", "/a".repeat(n % 200)),
        ];
        for shape in shapes {
            let within_limit = |octets: &mut usize, line: String| {
                *octets += line.len();
                (*octets < 500_000).then_some(line)
            };
            let lines: String = (0..).map(shape).scan(0, within_limit).collect();
            let robots = robots(&format!("user-agent: *\n{lines}"));
            let started = Instant::now();
            let rules = rules(&robots);
            for _ in 0..20 {
                let _ = rules.access(&long_path);
            }
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{:?}",
                started.elapsed()
            );
        }
    }
}
