//! Oddities between the lines of groups that a crawler obeys together.
//!
//! Example: `Content-Usage: /a train-ai=n` in one group of a crawler and `Disallow: /a` in another.
//! Ours: a group is checked only for the first crawler that it names. Work for crawlers with the same groups is done once, and
//! all work has a limit of steps, because a file may name thousands of crawlers in one group and each of them in other groups.

use super::lint::{Lint, LintLines};
use crate::robots::{LineKind, NamedGroups, RobotsRecord, RobotsTxt, Selection, Verdict};
use crate::systems::{LineScope, SYSTEMS, Site, Viewpoint, aipref_attach::AiprefPolicy};
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::{AgentName, TokenMatch};
use crate::web::steps;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The limit of merged lines and of comparisons of rules with paths, for one file.
const STEPS: usize = 4_000_000;
/// The number of octets of a path that are one step for each rule with a wildcard.
const PATH_OCTETS: usize = 64;
const EVERYONE: &[u8] = b"*";

/// A file with groups that are checked together.
pub(super) struct Selections<'r> {
    robots: &'r RobotsTxt,
    viewpoint: &'r Viewpoint,
    steps_left: usize,
}

impl<'r> Selections<'r> {
    pub(super) fn new(robots: &'r RobotsTxt, viewpoint: &'r Viewpoint) -> Self {
        Self {
            robots,
            viewpoint,
            steps_left: STEPS,
        }
    }

    /// Adds the oddities to the findings, for the names of the file, compared whole; `None` if the limit of steps was reached.
    pub(super) fn find(
        &mut self,
        named: &[NamedGroups<'_>],
        findings: &mut LintLines,
    ) -> Option<()> {
        let known: BTreeMap<&[u8], &NamedGroups<'_>> = named
            .iter()
            .map(|named| (named.name.as_slice(), named))
            .collect();
        let mut by_name: BTreeMap<&[u8], BTreeSet<usize>> = BTreeMap::new();
        for group in self
            .robots
            .groups()
            .filter(|group| group.records().any(|record| is_on_paths(&record)))
        {
            let Some(agent) = group.agents().next() else {
                continue;
            };
            let name = match agent.agent(TokenMatch::Exact) {
                AgentName::Token(name) => known.get_key_value(name.to_ascii_lowercase().as_slice()),
                AgentName::Everyone | AgentName::Nobody => None,
            };
            by_name
                .entry(name.map_or(EVERYONE, |(name, _)| name))
                .or_default()
                .insert(group.index());
        }
        for (name, groups) in by_name {
            let Some(named) = known.get(name) else {
                continue;
            };
            let selection = named.selection();
            self.closed_paths(&selection, &groups, findings)?;
            self.hidden_rules(&selection, &groups, findings)?;
        }
        Some(())
    }

    /// Finds statements of some groups for paths that the selection closes.
    fn closed_paths(
        &mut self,
        selection: &Selection,
        groups: &BTreeSet<usize>,
        findings: &mut LintLines,
    ) -> Option<()> {
        let of_kind = |kind: LineKind| {
            self.robots
                .records_of(selection)
                .filter(move |record| record.kind == kind)
        };
        let lines = self.robots.records_of(selection).count();
        if of_kind(LineKind::Disallow).next().is_none() {
            return self.take(lines);
        }
        let has_star = |record: &RobotsRecord<'_>| memchr::memchr(b'*', record.value).is_some();
        let wildcards = of_kind(LineKind::Disallow)
            .chain(of_kind(LineKind::Allow))
            .filter(has_star)
            .count();
        self.take(lines)?;
        let rules = self.robots.rules(selection);
        let mut known = HashMap::new();
        let robots = self.robots;
        let records = groups
            .iter()
            .filter_map(|group| robots.group(*group))
            .flat_map(|group| group.records());
        for record in records.filter(is_on_paths) {
            let path = literal(record.value);
            let is_closed = if let Some(is_closed) = known.get(path) {
                *is_closed
            } else {
                self.take(1 + wildcards * (1 + path.len() / PATH_OCTETS))?;
                let is_closed =
                    rules.access(&UrlPath::new(path, None)).verdict == Verdict::Disallow;
                known.insert(path, is_closed);
                is_closed
            };
            if is_closed {
                findings.add(Lint::SignalOnClosedPath, record.line);
            }
        }
        Some(())
    }

    /// Finds broken Content-Usage rules of some groups that hide shorter rules of the selection.
    fn hidden_rules(
        &mut self,
        selection: &Selection,
        groups: &BTreeSet<usize>,
        findings: &mut LintLines,
    ) -> Option<()> {
        let policy = AiprefPolicy::new(
            Some(&Site {
                robots: self.robots,
                selection,
            }),
            self.viewpoint,
        );
        let rules = policy.rules.all();
        for rule in rules.iter().filter(|rule| rule.stated.flaw.is_some()) {
            self.take(rules.len() + rule.lines.len())?;
            let path = rule
                .path
                .as_ref()
                .map(|path| UrlPath::new(literal(path.as_bytes()), None));
            if path.is_none_or(|path| policy.hiding_flaw(&path).is_none()) {
                continue;
            }
            let group_of =
                |line: &u32| self.robots.record_on(*line).and_then(|record| record.group);
            for line in &rule.lines {
                if group_of(line).is_some_and(|group| groups.contains(&group)) {
                    findings.add(Lint::HidesShorterRule, *line);
                }
            }
        }
        Some(())
    }

    fn take(&mut self, count: usize) -> Option<()> {
        steps::count(count);
        self.steps_left = self.steps_left.checked_sub(count)?;
        Some(())
    }
}

/// Returns the path at the beginning of a value, up to its first wildcard; `/` if there is none.
fn literal(value: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| matches!(byte, b'*' | b'$') || byte.is_ascii_whitespace();
    let end = value.iter().position(is_end).unwrap_or(value.len());
    value
        .get(..end)
        .filter(|path| path.starts_with(b"/"))
        .unwrap_or(b"/")
}

/// Returns whether it belongs to a system with statements that do not apply to closed paths (LABEL-2).
pub(super) fn is_on_paths(record: &RobotsRecord<'_>) -> bool {
    is_of(record, LineScope::OpenPaths)
}

pub(super) fn is_of(record: &RobotsRecord<'_>, scope: LineScope) -> bool {
    let lines = SYSTEMS.iter().map(|system| &system.about().lines);
    lines
        .filter(|lines| lines.scope == scope)
        .any(|lines| record.is_any(lines.names))
}
