//! The lines of a site file that nobody understands: those that came with a version, and those that may be rules.
//!
//! Example: `Content-Usage: train-ai=no` came, and no label changed, as AIPREF does not know the value; under
//! `User-agent: GPTBot` and `Deny: /` it is not known what is closed to `GPTBot`.
//! Left out: how a line is to be written (`lint` says it), and units that are understood and change nothing.

use super::{MAX_LINES, clip};
use crate::explain::lint::{is_lost_disallow, not_understood};
use crate::robots::{LineKind, RobotsTxt};
use crate::verdict::Resolver;
use crate::verdict::account::near_misses;
use crate::web::product_token::{AgentName, TokenMatch};
use crate::web::{capture_kind::CaptureKind, lines::numbered_lines};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The lines that came and are not understood; the first are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotUnderstood {
    pub not_understood: Vec<UnderstoodByNobody>,
    pub not_understood_count: usize,
}

/// A line that nobody reads, or that says something else than it seems to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnderstoodByNobody {
    pub line: u32,
    pub text: String,
    /// Its code, as in docs/lints.md.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl NotUnderstood {
    /// Finds the lines of a file that its earlier version does not have and that are not understood.
    pub fn find(kind: CaptureKind, file: &[u8], earlier: &[u8], resolver: &Resolver) -> Self {
        let known: HashSet<&[u8]> = numbered_lines(earlier)
            .map(|(_, line)| line.trim_ascii())
            .collect();
        let mut came: HashMap<u32, &[u8]> = numbered_lines(file)
            .map(|(number, line)| (number, line.trim_ascii()))
            .collect();
        came.retain(|_, line| !known.contains(line));
        if kind.read_as() == CaptureKind::Robots {
            leave_out_read(&mut came, &RobotsTxt::parse(file));
        }
        if came.is_empty() {
            return Self::default();
        }
        let findings = not_understood(kind, file, resolver).into_iter();
        let mut found: Vec<UnderstoodByNobody> = findings
            .filter(|finding| came.contains_key(&finding.line))
            .map(|finding| UnderstoodByNobody {
                line: finding.line,
                text: clip(finding.text),
                code: finding.code,
                message: clip(finding.message),
            })
            .collect();
        let not_understood_count = found.len();
        found.truncate(MAX_LINES);
        Self {
            not_understood: found,
            not_understood_count,
        }
    }
}

/// Leaves out blank lines, comments and rules, unless a rule in them is lost: most files have nothing else.
fn leave_out_read(came: &mut HashMap<u32, &[u8]>, robots: &RobotsTxt) {
    let lost: HashSet<u32> = near_misses(robots).iter().map(|miss| miss.line).collect();
    let is_rule = |kind| {
        matches!(
            kind,
            LineKind::UserAgent | LineKind::Allow | LineKind::Disallow
        )
    };
    let rules = robots.records().filter(|record| is_rule(record.kind));
    let rules: HashSet<u32> = rules.map(|record| record.line).collect();
    came.retain(|number, line| {
        let is_read = line.is_empty() || line.starts_with(b"#") || rules.contains(number);
        lost.contains(number) || !is_read
    });
}

/// The first line for each agent that may close something to it and cannot be read.
#[derive(Default)]
pub struct FirstLostRules {
    for_anybody: Option<u32>,
    by_name: HashMap<Vec<u8>, u32>,
}

impl FirstLostRules {
    pub fn find(robots: &RobotsTxt, how: TokenMatch) -> Self {
        let mut lost = Self::default();
        for miss in near_misses(robots) {
            lost.add(miss.line, miss.names(how));
        }
        for record in robots.records().filter(|record| is_lost_disallow(record)) {
            let group = record.group.and_then(|group| robots.group(group));
            // RFC 9309 2.2.1: it is not a rule, so the names behind it are in its group; it was meant for those before it.
            let names = group.map(|group| {
                let before = group.agents().filter(|agent| agent.line < record.line);
                before
                    .map(|agent| AgentName::new(agent.value, how))
                    .collect()
            });
            lost.add(record.line, names);
        }
        lost
    }

    fn add(&mut self, line: u32, names: Option<Vec<AgentName<'_>>>) {
        let first = |known: &mut u32| *known = line.min(*known);
        let Some(names) = names else {
            self.for_anybody.get_or_insert(line);
            return self.for_anybody.iter_mut().for_each(first);
        };
        for name in names {
            let name = match name {
                AgentName::Everyone => b"*".to_vec(),
                AgentName::Token(name) => name.to_ascii_lowercase(),
                AgentName::Nobody => continue,
            };
            self.by_name.entry(name).and_modify(first).or_insert(line);
        }
    }

    /// Returns the first line that may close something to an agent, or to everyone if the name is `*`.
    pub fn line(&self, name: &[u8]) -> Option<u32> {
        self.by_name.get(name).copied().or(self.for_anybody)
    }
}
