//! The changes that the first of some equal answers brought: for crawlers, for labels, in lines.
//!
//! Example: the body is different, but every agent may fetch the same as before, and no other line came or went: only comments
//! and the order of lines changed. Left out: which answers are equal (`runs`).
//!
//! [`LineChanges`] are lines of a site file that only one of two versions has and that are not rules for crawlers. Example:
//! `Sitemap: https://a.example/new.xml` came. Comments, blank lines and the places of lines do not count; a line of robots.txt
//! that now belongs to other agents does. Left out: the meaning of the lines, which is in the labels.

use super::agents::{AgentChange, AgentsSide, NamedAgents, agent_changes};
use super::runs::{AnswerRun, Observed};
use super::{
    CameAndWent, NotUnderstood, SiteHistory, rule_numbers::RuleNumbers, verdicts::LabelChange,
};
use crate::explain::robots_lines::{PageAccess, RobotsLine, RobotsText};
use crate::explain::systems::robots_of;
use crate::robots::{Extent, Group, LineKind, RobotsRecord, RobotsTxt};
use crate::verdict::{RobotsState, SiteBodies};
use crate::web::{
    capture_kind::CaptureKind, lines::numbered_lines, preference::Preference, shown::shown,
    timestamp::Timestamp,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

/// Consecutive equal answers, and the changes that the first of them brought.
#[derive(Debug, Serialize)]
pub struct FileEntry {
    pub origin: String,
    pub file: &'static str,
    #[serde(flatten)]
    pub run: AnswerRun,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<usize>,
    /// Whether its end was not received.
    pub is_cut: bool,
    /// The site files that were not read in full at the time of the first answer.
    pub unread: Vec<String>,
    /// The site files that then had something that may be a no and is not understood.
    pub doubt: Vec<String>,
    /// When the same body was first seen, if a different one came in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<Timestamp>,
    pub effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<NamedAgents>,
    pub agent_changes: Vec<AgentChange>,
    pub agent_changes_count: usize,
    pub access: AccessChange,
    /// The labels of the page after it.
    pub labels: BTreeMap<&'static str, Preference>,
    pub label_changes: Vec<LabelChange>,
    /// The lines that came and went, other than rules for crawlers.
    pub lines: LineChanges,
    /// The lines that came and that nobody understands.
    #[serde(flatten)]
    pub not_understood: NotUnderstood,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessChange {
    pub before: PageAccess,
    pub after: PageAccess,
}

/// The kind of change that the first of some equal answers brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing was known of the file before.
    First,
    /// The access of an agent or to the page, a label, or an answer to a label changed.
    Effects,
    /// Other lines changed; no agent's access and no label of the page did.
    Lines,
    /// Only text that is not interpreted changed: comments, blank lines, the order of lines.
    Text,
    /// Only the answer changed, such as its status: the state and the body are the same.
    Answer,
}

/// A comparison of a file's versions, one after the other.
pub struct Comparing<'c> {
    site: &'c SiteHistory<'c>,
    kind: CaptureKind,
    /// When each body was first seen.
    first: HashMap<u32, Timestamp>,
    last: Option<u32>,
}

impl<'c> Comparing<'c> {
    pub fn new(site: &'c SiteHistory<'c>, kind: CaptureKind) -> Self {
        Self {
            site,
            kind,
            first: HashMap::new(),
            last: None,
        }
    }

    /// Records the body of a run; returns when it was first seen, if a different one came in between.
    pub fn pass_over(&mut self, run: &AnswerRun) -> Option<Timestamp> {
        let body = run.seen.body.map(|body| body.number);
        let known = body.and_then(|body| self.first.get(&body).copied());
        let is_again = body.is_some() && self.last != body;
        if let Some(body) = body {
            self.first.entry(body).or_insert(run.first);
        }
        self.last = body;
        known.filter(|_| is_again)
    }

    pub fn entry(&mut self, before: Option<&AnswerRun>, run: &AnswerRun) -> io::Result<FileEntry> {
        let same_as = self.pass_over(run);
        let old_verdict = self
            .site
            .at(Timestamp::from_unix_micros(run.first.unix_micros() - 1))?;
        let verdict = self.site.at(Some(run.first))?;
        let (old, new) = (before.map(|run| &run.seen), &run.seen);
        let (agents, (agent_changes, agent_changes_count), lines) = match self.kind {
            CaptureKind::Robots => self.robots(old, new)?,
            _ => (None, (Vec::new(), 0), self.other_lines(old, new)?),
        };
        let bodies = self.site.index.bodies();
        let read = |seen: &Observed| seen.body.map(|body| bodies.read(body.number)).transpose();
        let not_understood = match read(new)? {
            None => NotUnderstood::default(),
            Some(body) => {
                let earlier = old.map(read).transpose()?.flatten().unwrap_or_default();
                NotUnderstood::find(self.kind, &body, &earlier, self.site.resolver)
            }
        };
        let body = new.body.and_then(|body| bodies.bodies.get(body.number));
        let access = AccessChange {
            before: old_verdict.access.clone(),
            after: verdict.access.clone(),
        };
        let (labels, unread, doubt) = (
            verdict.labels(),
            verdict.unread.clone(),
            verdict.doubt.clone(),
        );
        let label_changes = verdict.changes_since(old_verdict);
        // The same line may have another number.
        let by = |access: &PageAccess| {
            (
                access.access,
                access.reason,
                access.line.as_ref().map(|line| line.text.clone()),
            )
        };
        let is_same_access = by(&access.before) == by(&access.after);
        let has_effects = agent_changes_count > 0 || !label_changes.is_empty() || !is_same_access;
        Ok(FileEntry {
            origin: self.site.origin.as_str().to_owned(),
            file: self.kind.as_str(),
            run: run.clone(),
            body_digest: body.map(|body| body.key.digest()),
            body_bytes: body.map(|body| body.bytes as usize),
            is_cut: new.body.is_some_and(|body| body.extent == Extent::CutOff),
            unread,
            doubt,
            same_as,
            effect: match old {
                None => Effect::First,
                Some(_) if has_effects => Effect::Effects,
                Some(_) if lines != LineChanges::default() => Effect::Lines,
                Some(old) if old.body == new.body && old.state == new.state => Effect::Answer,
                Some(_) => Effect::Text,
            },
            agents,
            agent_changes,
            agent_changes_count,
            access,
            labels,
            label_changes,
            lines,
            not_understood,
        })
    }

    /// Returns the agents that a robots.txt names, and its changes for agents and in other lines.
    #[allow(clippy::type_complexity)] // three parts of an entry
    fn robots(
        &self,
        old: Option<&Observed>,
        new: &Observed,
    ) -> io::Result<(Option<NamedAgents>, (Vec<AgentChange>, usize), LineChanges)> {
        let SiteHistory {
            index,
            resolver,
            vendors,
            ..
        } = self.site;
        let (viewpoint, bodies) = (&resolver.viewpoint, index.bodies());
        let files = [
            robots_of(bodies, old.and_then(|old| old.body))?,
            robots_of(bodies, new.body)?,
        ];
        let texts = files
            .each_ref()
            .map(|file| Some(RobotsText::new(file.as_ref()?, viewpoint, vendors)));
        let (mut rules, mut groups) = (RuleNumbers::default(), GroupNumbers::default());
        let state = |seen: Option<&Observed>| {
            seen.and_then(|seen| seen.robots)
                .unwrap_or(RobotsState::NotArchived)
        };
        let [old_text, new_text] = &texts;
        let how = viewpoint.token_match;
        let before = AgentsSide::from_text(old_text.as_ref(), state(old), how, &mut rules);
        let after = AgentsSide::from_text(new_text.as_ref(), state(Some(new)), how, &mut rules);
        // If a version could not be read, lines neither came nor went.
        let lines = if old.is_some() && files.iter().any(Option::is_none) {
            LineChanges::default()
        } else {
            let lines = files
                .each_ref()
                .map(|file| file.as_ref().map(|file| other_lines(file, &mut groups)));
            let [old_lines, new_lines] = lines.map(Option::unwrap_or_default);
            line_changes(&old_lines, &new_lines)
        };
        let named = new_text.as_ref().map(|_| after.named_agents(resolver));
        // A first version has no changes; its agents say everything.
        let changes = old
            .map(|_| agent_changes(&before, &after, resolver, &mut rules))
            .unwrap_or_default();
        Ok((named, changes, lines))
    }

    fn other_lines(&self, old: Option<&Observed>, new: &Observed) -> io::Result<LineChanges> {
        let bodies = self.site.index.bodies();
        let read = |seen: &Observed| seen.body.map(|body| bodies.read(body.number)).transpose();
        let (before, after) = (old.map(read).transpose()?.flatten(), read(new)?);
        let json = |body: &Option<std::borrow::Cow<'_, [u8]>>| -> Option<serde_json::Value> {
            serde_json::from_slice(body.as_deref().filter(|_| self.kind.is_json())?).ok()
        };
        let parsed = (json(&before), json(&after));
        if parsed.0.is_some() && parsed.0 == parsed.1
            || old.is_some() && (before.is_none() || after.is_none())
        {
            return Ok(LineChanges::default());
        }
        let lines =
            [&before, &after].map(|body| lines_of(self.kind, body.as_deref().unwrap_or_default()));
        let [before, after] = &lines;
        Ok(line_changes(before, after))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineChanges {
    #[serde(flatten)]
    pub lines: CameAndWent,
    /// Whether lines are for other agents, or in another order than before.
    pub moved: bool,
}

/// A line that is compared: its number, its text, and the number of its agents.
pub type ReadLine<'f> = (u32, &'f [u8], Option<usize>);

/// Returns the lines of a robots.txt other than user-agent, Allow and Disallow lines, with the numbers of their groups' names.
pub fn other_lines<'f>(robots: &'f RobotsTxt, groups: &mut GroupNumbers) -> Vec<ReadLine<'f>> {
    let numbers: Vec<usize> = robots.groups().map(|group| groups.of(&group)).collect();
    let agents = |record: &RobotsRecord<'_>| numbers.get(record.group?).copied();
    let is_other = |kind| matches!(kind, LineKind::ExtensionRule | LineKind::Other);
    let others = robots.records().filter(|record| is_other(record.kind));
    others
        .map(|record| (record.line, record.text, agents(&record)))
        .collect()
}

/// Numbers of groups; groups with equal names have the same number.
#[derive(Default)]
pub struct GroupNumbers(HashMap<Vec<Vec<u8>>, usize>);

impl GroupNumbers {
    fn of(&mut self, group: &Group<'_>) -> usize {
        let mut names: Vec<Vec<u8>> = group
            .agents()
            .map(|agent| agent.value.to_ascii_lowercase())
            .collect();
        names.sort_unstable();
        names.dedup();
        let next = self.0.len();
        *self.0.entry(names).or_insert(next)
    }
}

/// Returns the lines of another site file that are not comments; JSON has no such comments.
pub fn lines_of(kind: CaptureKind, body: &[u8]) -> Vec<ReadLine<'_>> {
    let lines = numbered_lines(body).map(|(number, line)| (number, line.trim_ascii(), None));
    let is_comment = |line: &[u8]| line.is_empty() || !kind.is_json() && line.starts_with(b"#");
    lines.filter(|(_, line, _)| !is_comment(line)).collect()
}

/// Returns the changes between two lists of lines.
pub fn line_changes(before: &[ReadLine<'_>], after: &[ReadLine<'_>]) -> LineChanges {
    let listed = |(line, text, _): &ReadLine<'_>| RobotsLine {
        line: *line,
        text: shown(text).into_owned(),
        managed_by: None,
    };
    let lines = CameAndWent::between(before, after, |(_, text, _)| *text, listed);
    let in_both =
        |lines: &[ReadLine<'_>], others: &[ReadLine<'_>]| -> Vec<(Vec<u8>, Option<usize>)> {
            let others: HashSet<&[u8]> = others.iter().map(|(_, text, _)| *text).collect();
            let common = lines.iter().filter(|(_, text, _)| others.contains(text));
            let mut common: Vec<_> = common
                .map(|(_, text, agents)| (text.to_vec(), *agents))
                .collect();
            // Groups may change places.
            common.sort_by_key(|(_, agents)| *agents);
            common
        };
    LineChanges {
        lines,
        moved: in_both(before, after) != in_both(after, before),
    }
}
