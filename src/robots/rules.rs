//! The rules of merged groups, compiled to answer for many paths.
//!
//! Document: RFC 9309 2.2.2: of all rules that match, the one with the most octets
//! counts, and allow wins a tie. Example: a host with 19,000 rules and a path to be
//! looked up. Left out: rules of other documents, which win by other orders.
//!
//! Every rule stands at the node of its literal prefix, the octets before its first
//! star. The nodes are sorted and know their parents, that is the longest other
//! prefix of their own. Only rules at prefixes of the path can match it: these are
//! the last node that sorts before the path and its ancestors. So a binary search and
//! a short walk find them, and patterns with stars are tried only if the path has all
//! their pairs of octets.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::RobotsTxt;
use super::access::{Access, Reason, Verdict};
use super::record::{Entry, Kind, slice};
use super::selection::{Matched, Selection};
use crate::web::path_pattern::{Pairs, UrlPath, literal_prefix, matches, push_pattern};

/// The allow and disallow rules of a selection.
#[derive(Clone, Debug)]
pub struct Rules {
    file: Arc<[u8]>,
    matched: Matched,
    /// The normal patterns, one after the other.
    patterns: Vec<u8>,
    sorted: Vec<Rule>,
    nodes: Vec<Node>,
}

/// One rule, as offsets into its pattern and its line.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pattern: Range<u32>,
    prefix_octets: u32,
    verdict: Verdict,
    line: u32,
    text: Range<u32>,
    /// What the path must have apart from the prefix; nothing if the prefix is all.
    wants: Wants,
}

/// What a rule wants of a path that starts with its literal prefix.
#[derive(Clone, Copy, Debug)]
enum Wants {
    Nothing,
    Pairs(Pairs),
}

/// The rules with one literal prefix, the longest rule first.
#[derive(Clone, Debug)]
struct Node {
    prefix: Range<u32>,
    rules: Range<u32>,
    parent: Option<u32>,
    /// The octets of the longest rule here and at all ancestors.
    most_octets: u32,
}

impl RobotsTxt {
    /// Compiles the rules of the selected groups.
    #[must_use]
    pub fn rules(&self, selection: &Selection) -> Rules {
        let mut rules = Rules {
            file: Arc::clone(&self.bytes),
            matched: selection.matched(),
            patterns: Vec::new(),
            sorted: Vec::new(),
            nodes: Vec::new(),
        };
        for entry in selection.groups().flat_map(|index| self.entries_of(index)) {
            rules.add(entry);
        }
        rules.sort();
        rules.index();
        rules
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

    /// Returns the number of different rules; empty ones have no effect and are left out.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.sorted.len()
    }

    fn add(&mut self, entry: &Entry) {
        let verdict = match entry.kind {
            Kind::Allow => Verdict::Allow,
            Kind::Disallow => Verdict::Disallow,
            Kind::UserAgent | Kind::ExtensionRule | Kind::Other => return,
        };
        let start = self.patterns.len();
        push_pattern(slice(&self.file, entry.value_start, entry.end), &mut self.patterns);
        let pattern = self.patterns.get(start..).unwrap_or_default();
        // RFC 9309 2.2, empty-pattern: no effect on any path.
        if pattern.is_empty() {
            return;
        }
        let prefix = literal_prefix(pattern);
        self.sorted.push(Rule {
            pattern: u32_of(start)..u32_of(start + pattern.len()),
            prefix_octets: u32_of(prefix.len()),
            verdict,
            line: entry.line,
            text: entry.start..entry.end,
            wants: if prefix == pattern { Wants::Nothing } else { Wants::Pairs(Pairs::required_by(pattern)) },
        });
    }

    /// Sorts by prefix, then the longest first; of rules with one pattern only the one
    /// that can decide is kept: allow before disallow, then the first line.
    fn sort(&mut self) {
        let octets = |range: &Range<u32>| slice(&self.patterns, range.start, range.end);
        self.sorted.sort_unstable_by(|one, other| {
            let prefixes = octets(&one.prefix()).cmp(octets(&other.prefix()));
            prefixes
                .then_with(|| other.octet_count().cmp(&one.octet_count()))
                .then_with(|| octets(&one.pattern).cmp(octets(&other.pattern)))
                .then_with(|| one.rank().cmp(&other.rank()).reverse())
        });
        self.sorted.dedup_by(|later, kept| octets(&later.pattern) == octets(&kept.pattern));
    }

    /// Makes the nodes of the sorted rules.
    fn index(&mut self) {
        let mut nodes: Vec<Node> = Vec::new();
        let mut first = 0;
        for alike in self.sorted.chunk_by(|one, other| self.prefix_of(one) == self.prefix_of(other)) {
            // The first is the longest; a chunk is never empty.
            let Some(longest) = alike.first() else { continue };
            let parent = self.parent_in(&nodes, self.prefix_of(longest));
            let inherited =
                parent.and_then(|parent| nodes.get(parent as usize)).map_or(0, |node| node.most_octets);
            let rules = first..first + u32_of(alike.len());
            first = rules.end;
            let most_octets = inherited.max(longest.octet_count());
            nodes.push(Node { prefix: longest.prefix(), rules, parent, most_octets });
        }
        self.nodes = nodes;
    }

    /// Finds the parent of a prefix that sorts after all nodes: the last of them, or one of
    /// its ancestors.
    fn parent_in(&self, nodes: &[Node], prefix: &[u8]) -> Option<u32> {
        let mut candidate = nodes.len().checked_sub(1).map(u32_of);
        while let Some(node) = candidate.and_then(|index| nodes.get(index as usize)) {
            if prefix.starts_with(slice(&self.patterns, node.prefix.start, node.prefix.end)) {
                break;
            }
            candidate = node.parent;
        }
        candidate
    }

    fn prefix_of(&self, rule: &Rule) -> &[u8] {
        let prefix = rule.prefix();
        slice(&self.patterns, prefix.start, prefix.end)
    }

    /// RFC 9309 2.2.2: the match with the most octets.
    pub(super) fn deciding(&self, path: &UrlPath) -> Option<&Rule> {
        let mut best: Option<&Rule> = None;
        let mut node = self.last_prefix_of(path.as_bytes());
        while let Some(here) = node {
            let beaten = |octets: u32| best.is_some_and(|best| best.octet_count() > octets);
            if beaten(here.most_octets) {
                break;
            }
            best = self.better_at(here, path, best);
            node = self.parent_of(here);
        }
        best
    }

    fn better_at<'a>(&'a self, node: &Node, path: &UrlPath, mut best: Option<&'a Rule>) -> Option<&'a Rule> {
        let rules = self.sorted.get(node.rules.start as usize..node.rules.end as usize);
        for rule in rules.unwrap_or_default() {
            if best.is_some_and(|best| best.octet_count() > rule.octet_count()) {
                break;
            }
            if self.wanted(rule, path) && best.is_none_or(|best| rule.rank() > best.rank()) {
                best = Some(rule);
            }
        }
        best
    }

    /// Returns whether a rule matches a path that starts with the rule's literal prefix.
    fn wanted(&self, rule: &Rule, path: &UrlPath) -> bool {
        match rule.wants {
            Wants::Nothing => true,
            Wants::Pairs(pairs) => {
                let pattern = || slice(&self.patterns, rule.pattern.start, rule.pattern.end);
                pairs.may_be_in(path.pairs()) && matches(pattern(), path.as_bytes())
            }
        }
    }

    /// Finds the node with the longest prefix of the path.
    ///
    /// It is the last node that sorts before the path, or an ancestor of that: what sorts
    /// between a prefix of the path and the path starts with that prefix as well.
    fn last_prefix_of(&self, path: &[u8]) -> Option<&Node> {
        let octets = |node: &Node| slice(&self.patterns, node.prefix.start, node.prefix.end);
        let following = self.nodes.partition_point(|node| octets(node) <= path);
        let mut node = following.checked_sub(1).and_then(|last| self.nodes.get(last))?;
        let shared = octets(node).iter().zip(path).take_while(|(one, other)| one == other).count();
        while octets(node).len() > shared {
            node = self.parent_of(node)?;
        }
        Some(node)
    }

    fn parent_of(&self, node: &Node) -> Option<&Node> {
        node.parent.and_then(|index| self.nodes.get(index as usize))
    }
}

impl Rule {
    fn octet_count(&self) -> u32 {
        self.pattern.end - self.pattern.start
    }

    fn prefix(&self) -> Range<u32> {
        self.pattern.start..self.pattern.start + self.prefix_octets
    }

    /// Orders rules that match: the most octets, then allow (RFC 9309 2.2.2).
    ///
    /// Ours: of rules that are alike in both, the first line is named.
    pub(super) fn rank(&self) -> (u32, Verdict, Reverse<u32>) {
        (self.octet_count(), self.verdict, Reverse(self.line))
    }
}

/// Returns the verdict of the rule that decides; without one the path is allowed (RFC 9309 2.2.2).
pub(super) fn verdict(deciding: Option<&Rule>) -> Verdict {
    deciding.map_or(Verdict::Allow, |rule| rule.verdict)
}

/// Offsets fit: patterns are at most three times as long as a file of at most 1 GiB.
fn u32_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
