//! The rules of merged groups, compiled to answer for many paths.
//!
//! Document: RFC 9309 2.2.2: of all rules that match, the one with the most octets
//! counts, and allow wins a tie. Example: a host with 19,000 rules and a path to be
//! looked up. Left out: rules of other documents, which win by other orders.
//!
//! How rules that match are found without a look at the others is in `web::pattern_index`.

use std::ops::Range;
use std::sync::Arc;

use super::RobotsTxt;
use super::access::{Access, Reason, Verdict};
use super::record::{Entry, LineKind, slice};
use super::selection::{Matched, Selection};
use crate::web::path_pattern::{UrlPath, push_pattern};
use crate::web::pattern_index::PatternIndex;

/// The allow and disallow rules of a selection.
#[derive(Clone, Debug)]
pub struct Rules {
    file: Arc<[u8]>,
    matched: Matched,
    by_number: Vec<Rule>,
    index: PatternIndex,
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
    #[must_use]
    pub fn rules(&self, selection: &Selection) -> Rules {
        let (mut rules, mut patterns) = (Vec::new(), Vec::new());
        for entry in selection.groups().flat_map(|index| self.entries_of(index)) {
            rules.extend(Rule::of(entry, &self.bytes, &mut patterns));
        }
        let mut rest = patterns.as_slice();
        let ranked = rules.iter().map(|rule| {
            let (pattern, following) = rest.split_at_checked(rule.octets as usize).unwrap_or((rest, b""));
            rest = following;
            (pattern, rule.rank())
        });
        let index = PatternIndex::new(ranked);
        Rules { file: Arc::clone(&self.bytes), matched: selection.matched(), by_number: rules, index }
    }
}

impl Rules {
    /// Returns whether the path may be fetched, and why.
    #[must_use]
    pub fn access(&self, path: &UrlPath) -> Access<'_> {
        if path.is_robots_txt() {
            return Access::by_itself();
        }
        match self.deciding(path) {
            Some(rule) => self.access_by(rule),
            None => Access::by_no_rule(self.matched),
        }
    }

    /// Returns the answer of a rule of these.
    pub(super) fn access_by(&self, rule: &Rule) -> Access<'_> {
        let text = slice(&self.file, rule.text.start, rule.text.end);
        Access { verdict: rule.verdict, reason: Reason::Rule, line: Some(rule.line), rule: Some(text) }
    }

    /// Returns how the groups of these rules were found.
    #[must_use]
    pub fn matched(&self) -> Matched {
        self.matched
    }

    /// Returns the number of rules; empty ones have no effect and are left out.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.by_number.len()
    }

    /// RFC 9309 2.2.2: the match with the most octets.
    pub(super) fn deciding(&self, path: &UrlPath) -> Option<&Rule> {
        let best = self.index.best(path);
        best.numbers().next().and_then(|number| self.by_number.get(number as usize))
    }
}

impl Rule {
    /// Reads a rule, and appends its pattern in normal form.
    fn of(entry: &Entry, file: &[u8], patterns: &mut Vec<u8>) -> Option<Self> {
        let verdict = match entry.kind {
            LineKind::Allow => Verdict::Allow,
            LineKind::Disallow => Verdict::Disallow,
            LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => return None,
        };
        let start = patterns.len();
        push_pattern(slice(file, entry.value_start, entry.end), patterns);
        // Offsets fit: patterns are at most three times as long as a file of at most 1 GiB.
        let octets = u32::try_from(patterns.len() - start).unwrap_or(u32::MAX);
        // RFC 9309 2.2, empty-pattern: no effect on any path.
        (octets > 0).then_some(Self { octets, verdict, line: entry.line, text: entry.start..entry.end })
    }

    /// Orders rules that match: the most octets, then allow (RFC 9309 2.2.2).
    ///
    /// Ours: of rules that are alike in both, the first line is named.
    pub(super) fn rank(&self) -> u64 {
        let allow = match self.verdict {
            Verdict::Allow => 1,
            Verdict::Disallow => 0,
        };
        // A file has fewer lines than 2^31, since it has fewer bytes.
        u64::from(self.octets) << 32 | allow << 31 | u64::from(u32::MAX >> 1).saturating_sub(self.line.into())
    }
}

/// Returns the verdict of the rule that decides; without one the path is allowed (RFC 9309 2.2.2).
pub(super) fn verdict(deciding: Option<&Rule>) -> Verdict {
    deciding.map_or(Verdict::Allow, |rule| rule.verdict)
}

#[cfg(test)]
mod tests;
