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
    let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
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

/// The path pattern of a rule.
pub trait Pattern {
    /// Reads the path of a rule.
    fn new(path: &[u8]) -> Self;

    /// Returns the length of the path in octets after percent-encoding, wildcards included.
    fn octet_count(&self) -> usize;

    /// Returns the path in normal form, if it is matched as in RFC 9309.
    fn normal_form(&self) -> Option<&[u8]>;

    /// Returns whether a page is under the path.
    fn matches(&self, path: &UrlPath) -> bool;
}

impl Pattern for PathPattern {
    fn new(path: &[u8]) -> Self {
        Self::new(path)
    }

    fn octet_count(&self) -> usize {
        self.octet_count()
    }

    fn normal_form(&self) -> Option<&[u8]> {
        Some(self.as_bytes())
    }

    fn matches(&self, path: &UrlPath) -> bool {
        self.matches(path)
    }
}

/// Lines with one path that state the same.
#[derive(Clone, Debug)]
pub struct PathRule<T, P = PathPattern> {
    /// Its lines in the file, from 1, in order.
    pub lines: Vec<u32>,
    /// `None`: for all paths.
    pub path: Option<P>,
    octets: usize,
    /// What the lines state.
    pub stated: T,
}

impl<T, P: Pattern> PathRule<T, P> {
    fn normal_form(&self) -> Option<&[u8]> {
        self.path.as_ref().and_then(P::normal_form)
    }

    fn matches(&self, path: Option<&UrlPath>) -> bool {
        self.path.as_ref().is_none_or(|pattern| path.is_some_and(|path| pattern.matches(path)))
    }
}

/// Rules that hold for one crawler.
#[derive(Clone, Debug)]
pub struct PathRules<T, P = PathPattern> {
    /// Longest path first, then by first line.
    rules: Vec<PathRule<T, P>>,
    /// Rules whose paths are matched as in RFC 9309.
    index: PatternIndex,
    /// The places of the other rules, in order.
    others: Vec<u32>,
}

impl<T, P> Default for PathRules<T, P> {
    fn default() -> Self {
        Self { rules: Vec::new(), index: PatternIndex::default(), others: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash, P: Pattern> PathRules<T, P> {
    /// Compiles lines, each with its number, path and statement, in the order of the file.
    pub fn new<'a>(lines: impl IntoIterator<Item = (u32, Option<&'a [u8]>, T)>) -> Self {
        let mut rules: Vec<PathRule<T, P>> = Vec::new();
        let mut known: HashMap<(Option<&[u8]>, T), usize> = HashMap::new();
        for (line, path, stated) in lines {
            let at = *known.entry((path, stated.clone())).or_insert(rules.len());
            if let Some(rule) = rules.get_mut(at) {
                rule.lines.push(line);
                continue;
            }
            let path = path.map(P::new);
            // "counting the number of bytes in the encoded path"; an absent path has length 0.
            let octets = path.as_ref().map_or(0, P::octet_count);
            rules.push(PathRule { lines: vec![line], path, octets, stated });
        }
        // The sort is stable: rules of one length stay in the order of their first lines.
        rules.sort_by_key(|rule| Reverse(rule.octets));
        let ranked = rules.iter().map(|rule| (rule.normal_form().unwrap_or_default(), rule.octets as u64));
        let index = PatternIndex::new(ranked);
        let others = (0..).zip(&rules).filter(|(_, rule)| rule.normal_form().is_none());
        let others = others.map(|(place, _)| place).collect();
        Self { rules, index, others }
    }
}

impl<T, P: Pattern> PathRules<T, P> {
    /// Returns all rules, longest path first.
    pub fn all(&self) -> &[PathRule<T, P>] {
        &self.rules
    }

    /// Returns the rules with the longest path that matches; a page without a path has the rules without one.
    pub fn longest<'a>(&'a self, path: Option<&UrlPath>) -> Vec<&'a PathRule<T, P>> {
        let best = path.map(|path| self.index.best(path)).unwrap_or_default();
        let mut found: Vec<&PathRule<T, P>> = best.numbers().filter_map(|place| self.rule(place)).collect();
        let mut octets = found.first().map_or(0, |rule| rule.octets);
        for other in self.others.iter().filter_map(|place| self.rule(*place)) {
            if other.octets < octets {
                break;
            }
            if other.matches(path) {
                if other.octets > octets {
                    found.clear();
                    octets = other.octets;
                }
                found.push(other);
            }
        }
        found.sort_unstable_by_key(|rule| rule.lines.first());
        found
    }

    fn rule(&self, place: u32) -> Option<&PathRule<T, P>> {
        self.rules.get(place as usize)
    }

    /// Returns the matching rules with shorter paths.
    pub fn shorter<'a>(&'a self, path: &'a UrlPath) -> impl Iterator<Item = &'a PathRule<T, P>> {
        let octets = self.longest(Some(path)).first().map_or(0, |rule| rule.octets);
        self.rules.iter().filter(move |rule| rule.octets < octets && rule.matches(Some(path)))
    }
}

/// Returns the lines of rules, in order.
pub fn lines_of<'a, T: 'a>(rules: impl IntoIterator<Item = &'a PathRule<T>>) -> Vec<u32> {
    let mut lines: Vec<u32> = rules.into_iter().flat_map(|rule| &rule.lines).copied().collect();
    lines.sort_unstable();
    lines
}

/// Returns the grounds of an opinion that rests on rules of robots.txt: their first lines.
pub fn grounds_of<'g, 'a, T: 'a>(
    rules: impl IntoIterator<Item = &'a PathRule<T>>,
) -> impl Iterator<Item = Ground<'g>> {
    first_lines(rules).into_iter().map(|line| Ground::line(CaptureKind::Robots.as_str(), line))
}

/// Returns the first lines of rules, at most as many as an opinion can rest on.
pub fn first_lines<'a, T: 'a, P: 'a>(rules: impl IntoIterator<Item = &'a PathRule<T, P>>) -> Vec<u32> {
    let mut lines: Vec<u32> =
        rules.into_iter().flat_map(|rule| rule.lines.iter().take(MAX_GROUNDS)).copied().collect();
    lines.sort_unstable();
    lines.truncate(MAX_GROUNDS);
    lines
}

#[cfg(test)]
mod tests {
    use super::{PathRules, lines_of, split_path};
    use crate::web::path_pattern::{PathPattern, UrlPath};

    fn decide(rules: &[&str], path: &str) -> Vec<u32> {
        let lines = (1..).zip(rules).map(|(line, rule)| {
            let (path, stated) = split_path(rule.as_bytes());
            (line, path, stated.to_vec())
        });
        lines_of(PathRules::<_, PathPattern>::new(lines).longest(Some(&UrlPath::new(path.as_bytes(), None))))
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
            assert_eq!(split_path(value.as_bytes()), (path.map(str::as_bytes), rest.as_bytes()), "{value}");
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
        let rules = PathRules::<_, PathPattern>::new(same);
        assert_eq!((rules.all().len(), rules.all()[0].lines.len()), (1, 10_000));
    }
}
