//! The rules of merged groups, compiled to answer for many paths.
//!
//! Document: RFC 9309 2.2.2: of all rules that match, the one with the most octets
//! counts, and allow wins a tie. Example: a host with 19,000 rules and a path to be
//! looked up. Left out: rules of other documents, which win by other orders.
//!
//! How rules that match are found without a look at the others is in `web::pattern_index`. Few rules, and many for
//! the first few paths, are asked one by one, as an index would cost more than it saves.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::RobotsTxt;
use super::access::{Access, Reason, Verdict};
use super::record::{Entry, LineKind, slice};
use super::selection::{Matched, Selection};
use crate::web::path_pattern::{UrlPath, matches, matching_octets, push_pattern};
use crate::web::pattern_index::PatternIndex;

/// The allow and disallow rules of a selection.
#[derive(Clone, Debug)]
pub struct Rules {
    file: Arc<[u8]>,
    matched: Matched,
    by_number: Vec<Rule>,
    lookup: RuleLookup,
    /// The rules of the groups whose noes alone count (ACCT-5).
    noes: Option<Box<Self>>,
}

/// How the rule that decides is found: by an index, or one by one where that is less work.
#[derive(Debug)]
struct RuleLookup {
    /// The patterns in normal form, in the order of the rules.
    patterns: Vec<u8>,
    index: OnceLock<PatternIndex>,
    /// How many questions were answered one by one.
    asked: AtomicU32,
}

/// How many rules are always asked one by one.
const FEW_RULES: usize = 64;

/// Up to this many questions cost less than an index, which one page of a site does not need.
const FEW_QUESTIONS: u32 = 16;

/// More octets of a path, for each rule, are never compared one by one.
const MOST_OCTETS: usize = 1 << 18;

impl Clone for RuleLookup {
    fn clone(&self) -> Self {
        let asked = AtomicU32::new(self.asked.load(Ordering::Relaxed));
        Self { patterns: self.patterns.clone(), index: self.index.clone(), asked }
    }
}

/// One rule, with its line as offsets.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    octets: u32,
    verdict: Verdict,
    line: u32,
    text: Range<u32>,
}

impl RobotsTxt {
    /// Compiles the rules of the selected groups.
    pub fn rules(&self, selection: &Selection) -> Rules {
        let most = selection.groups().map(|index| self.entries_of(index).len()).sum();
        let (mut rules, mut patterns) = (Vec::with_capacity(most), Vec::with_capacity(most * 16));
        for entry in selection.groups().flat_map(|index| self.entries_of(index)) {
            rules.extend(Rule::of(entry, &self.bytes, &mut patterns));
        }
        let lookup = RuleLookup { patterns, index: OnceLock::new(), asked: AtomicU32::new(0) };
        let noes = selection.of_noes().map(|noes| Box::new(self.rules(&noes)));
        Rules { file: Arc::clone(&self.bytes), matched: selection.matched(), by_number: rules, lookup, noes }
    }

    /// Returns the answer of the selected groups for one path. It looks at each of their rules, which costs less than an
    /// index that is asked once.
    pub(super) fn access_once(&self, selection: &Selection, path: &UrlPath) -> Access<'_> {
        if path.is_robots_txt() {
            return Access::by_itself();
        }
        let mut normal = Vec::new();
        let matching = selection.groups().flat_map(|index| self.entries_of(index)).filter_map(|entry| {
            let verdict = verdict_of(entry.kind)?;
            let raw = slice(&self.bytes, entry.value_start, entry.end);
            let octets = matching_octets(raw, path.as_bytes(), &mut normal)?;
            Some(Rule::new(entry, octets, verdict))
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
            return Access::by_itself();
        }
        let own = match self.deciding(path) {
            Some(rule) => self.access_by(rule),
            None => Access::by_no_rule(self.matched),
        };
        own.or_no(|| Some(self.noes.as_ref()?.access(path)))
    }

    /// Returns the answer of a rule of these.
    pub(super) fn access_by(&self, rule: &Rule) -> Access<'_> {
        access_by(&self.file, rule)
    }

    /// Returns how the groups of these rules were found.
    pub fn matched(&self) -> Matched {
        self.matched
    }

    /// Returns the number of rules; empty ones have no effect and are left out.
    pub fn rule_count(&self) -> usize {
        self.by_number.len() + self.noes.as_ref().map_or(0, |noes| noes.rule_count())
    }

    /// RFC 9309 2.2.2: the match with the most octets.
    pub(super) fn deciding(&self, path: &UrlPath) -> Option<&Rule> {
        if self.is_asked_one_by_one(path) { self.first_by_rank(path) } else { self.first_by_index(path) }
    }

    fn is_asked_one_by_one(&self, path: &UrlPath) -> bool {
        let rules = self.by_number.len();
        rules <= FEW_RULES
            || rules.saturating_mul(path.as_bytes().len()) <= MOST_OCTETS
                && self.lookup.index.get().is_none()
                && self.lookup.asked.fetch_add(1, Ordering::Relaxed) < FEW_QUESTIONS
    }

    fn first_by_rank(&self, path: &UrlPath) -> Option<&Rule> {
        let mut best: Option<&Rule> = None;
        for (pattern, rule) in with_patterns(&self.by_number, &self.lookup.patterns) {
            if best.is_none_or(|best| best.rank() < rule.rank()) && matches(pattern, path.as_bytes()) {
                best = Some(rule);
            }
        }
        best
    }

    fn first_by_index(&self, path: &UrlPath) -> Option<&Rule> {
        let ranked = |(pattern, rule)| (pattern, Rule::rank(rule));
        let patterns = || with_patterns(&self.by_number, &self.lookup.patterns);
        let index = self.lookup.index.get_or_init(|| PatternIndex::new(patterns().map(ranked)));
        index.best(path).numbers().next().and_then(|number| self.by_number.get(number as usize))
    }
}

/// Returns rules with their patterns, which are one behind the other.
fn with_patterns<'p>(rules: &'p [Rule], patterns: &'p [u8]) -> impl Iterator<Item = (&'p [u8], &'p Rule)> {
    let mut rest = patterns;
    rules.iter().map(move |rule| {
        let (pattern, following) = rest.split_at_checked(rule.octets as usize).unwrap_or((rest, b""));
        rest = following;
        (pattern, rule)
    })
}

impl Rule {
    /// Reads a rule, and appends its pattern in normal form.
    fn of(entry: &Entry, file: &[u8], patterns: &mut Vec<u8>) -> Option<Self> {
        let verdict = verdict_of(entry.kind)?;
        let start = patterns.len();
        push_pattern(slice(file, entry.value_start, entry.end), patterns);
        let octets = patterns.len() - start;
        // RFC 9309 2.2, empty-pattern: no effect on any path.
        (octets > 0).then(|| Self::new(entry, octets, verdict))
    }

    /// `octets` are those of the pattern in normal form.
    fn new(entry: &Entry, octets: usize, verdict: Verdict) -> Self {
        // Offsets fit: patterns are at most three times as long as a file of at most 1 GiB.
        let octets = u32::try_from(octets).unwrap_or(u32::MAX);
        Self { octets, verdict, line: entry.line, text: entry.start..entry.end }
    }

    /// Orders rules that match: the most octets, then allow (RFC 9309 2.2.2).
    ///
    /// Ours: of rules that are alike in both, the first line is named.
    pub(super) fn rank(&self) -> u64 {
        let allow = match self.verdict {
            Verdict::Allow => 1,
            Verdict::Disallow | Verdict::Unknown => 0,
        };
        // A file has fewer lines than 2^31, since it has fewer bytes.
        u64::from(self.octets) << 32 | allow << 31 | u64::from(u32::MAX >> 1).saturating_sub(self.line.into())
    }
}

/// Returns what a line says of its path, if it is a rule of RFC 9309.
fn verdict_of(kind: LineKind) -> Option<Verdict> {
    match kind {
        LineKind::Allow => Some(Verdict::Allow),
        LineKind::Disallow => Some(Verdict::Disallow),
        LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => None,
    }
}

fn access_by<'f>(file: &'f [u8], rule: &Rule) -> Access<'f> {
    let text = slice(file, rule.text.start, rule.text.end);
    Access { verdict: rule.verdict, reason: Reason::Rule, line: Some(rule.line), rule: Some(text) }
}

/// Returns the verdict of the rule that decides; without one the path is allowed (RFC 9309 2.2.2).
pub(super) fn verdict(deciding: Option<&Rule>) -> Verdict {
    deciding.map_or(Verdict::Allow, |rule| rule.verdict)
}

#[cfg(test)]
mod tests;
