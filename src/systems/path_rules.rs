//! Lines of robots.txt that hold for a path: those with the longest path that matches count.
//!
//! Documents: draft-ietf-aipref-attach-03, Content-Usage Rule Semantics; draft-nottingham-plan-b, Applying Application
//! Directives; RFC 9309 2.2.2. Example: of `ai-train=yes` and `/blog/ ai-train=no` only the second holds for `/blog/post`.
//!
//! Ours: paths that differ but are equally long count together. Lines with one path that state the same are one rule, so that
//! the cost of a page depends on the number of different rules. Left out: which lines hold for a crawler, and what they state.

use super::{Ground, MAX_GROUNDS};
use crate::web::capture_kind::CaptureKind;
use crate::web::lines::trim_blanks;
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::pattern_index::PatternIndex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

/// Splits the value of a line into its path and the rest: a value that starts with `/` has a path, which ends before the first
/// SP or HTAB. White space around both is dropped.
pub fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let value = trim_blanks(value);
    if !value.starts_with(b"/") {
        return (None, value);
    }
    let end = value
        .iter()
        .position(|byte| matches!(byte, b' ' | b'\t'))
        .unwrap_or(value.len());
    let (path, rest) = value.split_at(end);
    (Some(path), trim_blanks(rest))
}

/// Returns the defect of a path. RFC 9309 2.2: an empty one matches nothing.
pub(super) fn path_defect(path: &[u8]) -> Option<&'static str> {
    match path {
        [] => Some("no_path"),
        path if can_match(path) => None,
        _ => Some("path_without_slash"),
    }
}

/// Lines with one path that state the same.
#[derive(Clone, Debug)]
pub struct PathRule<T> {
    /// Its lines in the file, from 1, in order.
    pub lines: Vec<u32>,
    /// `None`: for all paths.
    pub path: Option<PathPattern>,
    pub(super) octets: usize,
    /// What the lines state.
    pub stated: T,
}

/// Rules that hold for one crawler.
#[derive(Clone, Debug)]
pub struct PathRules<T> {
    /// Longest path first, then by first line.
    rules: Vec<PathRule<T>>,
    index: PatternIndex,
}

impl<T: Clone + Eq + Hash> PathRules<T> {
    /// Compiles lines, each with its number, path and statement, in the order of the file.
    pub fn new<'a>(lines: impl IntoIterator<Item = (u32, Option<&'a [u8]>, T)>) -> Self {
        let mut rules: Vec<PathRule<T>> = Vec::new();
        let mut known: HashMap<(Option<&[u8]>, T), usize> = HashMap::new();
        for (line, path, stated) in lines {
            let at = *known.entry((path, stated.clone())).or_insert(rules.len());
            if let Some(rule) = rules.get_mut(at) {
                rule.lines.push(line);
                continue;
            }
            let path = path.map(PathPattern::new);
            // "counting the number of bytes in the encoded path"; an absent path has length 0.
            let octets = path.as_ref().map_or(0, PathPattern::octet_count);
            rules.push(PathRule {
                lines: vec![line],
                path,
                octets,
                stated,
            });
        }
        // The sort is stable: rules of one length stay in the order of their first lines.
        rules.sort_by_key(|rule| Reverse(rule.octets));
        // An empty pattern matches nothing.
        let patterns = rules
            .iter()
            .map(|rule| rule.path.as_ref().map_or(&b""[..], PathPattern::as_bytes));
        let index = PatternIndex::new(patterns.zip(rules.iter().map(|rule| rule.octets as u64)));
        Self { rules, index }
    }
}

impl<T> PathRules<T> {
    /// Returns all rules, longest path first.
    pub fn all(&self) -> &[PathRule<T>] {
        &self.rules
    }

    /// Returns the rules with the longest path that matches; a page without a path has the rules without one.
    pub fn longest<'a>(&'a self, path: Option<&UrlPath>) -> Vec<&'a PathRule<T>> {
        let best = path.map(|path| self.index.best(path)).unwrap_or_default();
        let mut found: Vec<&PathRule<T>> = best
            .numbers()
            .filter_map(|place| self.rules.get(place as usize))
            .collect();
        if found.is_empty() {
            let shortest = self.rules.iter().rev().take_while(|rule| rule.octets == 0);
            found.extend(shortest.filter(|rule| rule.path.is_none()));
        }
        found.sort_unstable_by_key(|rule| rule.lines.first());
        found
    }

    /// Returns the matching rules with shorter paths.
    pub fn shorter<'a>(&'a self, path: &'a UrlPath) -> impl Iterator<Item = &'a PathRule<T>> {
        let octets = self
            .longest(Some(path))
            .first()
            .map_or(0, |rule| rule.octets);
        let matches = |rule: &PathRule<T>| {
            rule.path
                .as_ref()
                .is_none_or(|pattern| pattern.matches(path))
        };
        self.rules
            .iter()
            .filter(move |rule| rule.octets < octets && matches(rule))
    }
}

/// Returns the lines of rules, in order.
pub fn lines_of<'a, T: 'a>(rules: impl IntoIterator<Item = &'a PathRule<T>>) -> Vec<u32> {
    let mut lines: Vec<u32> = rules
        .into_iter()
        .flat_map(|rule| &rule.lines)
        .copied()
        .collect();
    lines.sort_unstable();
    lines
}

/// Returns the grounds of an opinion that rests on rules of robots.txt: their first lines.
pub fn grounds_of<'g, 'a, T: 'a>(
    rules: impl IntoIterator<Item = &'a PathRule<T>>,
) -> impl Iterator<Item = Ground<'g>> {
    first_lines(rules)
        .into_iter()
        .map(|line| Ground::line(CaptureKind::Robots.as_str(), line))
}

/// Returns the first lines of rules, at most as many as an opinion can rest on.
pub fn first_lines<'a, T: 'a>(rules: impl IntoIterator<Item = &'a PathRule<T>>) -> Vec<u32> {
    let mut lines: Vec<u32> = rules
        .into_iter()
        .flat_map(|rule| rule.lines.iter().take(MAX_GROUNDS))
        .copied()
        .collect();
    lines.sort_unstable();
    lines.truncate(MAX_GROUNDS);
    lines
}

#[cfg(test)]
mod tests {
    use super::{PathRules, lines_of, split_path};
    use crate::web::path_pattern::UrlPath;

    fn decide(rules: &[&str], path: &str) -> Vec<u32> {
        let lines = (1..).zip(rules).map(|(line, rule)| {
            let (path, stated) = split_path(rule.as_bytes());
            (line, path, stated.to_vec())
        });
        lines_of(PathRules::new(lines).longest(Some(&UrlPath::new(path.as_bytes(), None))))
    }

    #[test]
    fn aipref_attach_processing_splits_path_and_statement() {
        for (value, path, rest) in [
            ("train-ai=n", None, "train-ai=n"),
            ("/a train-ai=n", Some("/a"), "train-ai=n"),
            ("/ search=y, train-ai=n", Some("/"), "search=y, train-ai=n"),
            ("*.jpg train-ai=n", None, "*.jpg train-ai=n"),
            ("/a\ttrain-ai=n", Some("/a"), "train-ai=n"),
            ("", None, ""),
            (" \t ", None, ""),
            ("a/b;x", None, "a/b;x"),
            ("/ a", Some("/"), "a"),
            (" \t/a,b;c\t  d;x,\te ", Some("/a,b;c"), "d;x,\te"),
            ("/a \t train-ai=n", Some("/a"), "train-ai=n"),
            ("\t/a\t\t", Some("/a"), ""),
        ] {
            assert_eq!(
                split_path(value.as_bytes()),
                (path.map(str::as_bytes), rest.as_bytes()),
                "{value}"
            );
        }
    }

    #[test]
    fn local_lines_that_state_the_same_for_one_path_are_one_rule_with_all_its_lines() {
        let rules = ["a", "/b x", "a", "/b y", "/b x", "/* z"];
        assert_eq!(decide(&rules, "/c"), [6]);
        assert_eq!(decide(&rules, "/b"), [2, 4, 5, 6]);
        assert_eq!(decide(&rules[..1], "/b"), [1]);
        assert_eq!(decide(&["a", "a"], "/b"), [1, 2]);
        assert_eq!(decide(&["/c a"], "/b"), [0; 0]);
        let same = (1..=10_000).map(|line| (line, Some(&b"/a"[..]), ()));
        let rules = PathRules::new(same);
        assert_eq!((rules.all().len(), rules.all()[0].lines.len()), (1, 10_000));
    }
}
