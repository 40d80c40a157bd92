//! The lines of a robots.txt around a decision, and the rules that would have decided otherwise.
//!
//! Example: line 7, `Disallow: /a/b`, decides; lines 6 and 8 are beside it; line 3, `Allow: /a`, also matches and is shorter;
//! and the group for `*` would have disallowed everything. Left out: which rule decides (`verdict`).

use crate::robots::{
    Group, LineKind, Managed, Matched, RobotsRecord, RobotsTxt, Selection, VendorTexts, vendor_of,
};
use crate::systems::{Site, Viewpoint, aipref_attach::CONTENT_USAGE, path_rules::split_path};
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::{lines::numbered_lines, preference::Preference, shown::shown};
use serde::Serialize;
use std::cmp::Reverse;

/// The most lines in a list of lines that did not decide, because a file may have any number of them.
pub const MAX_LINES: usize = 50;

/// The parts of a robots.txt around a decision.
#[derive(Debug, Default, Serialize)]
pub struct RobotsFile {
    pub lines: u32,
    /// Whether it was truncated.
    pub cut: bool,
    /// The line that decided, with the lines beside it; `None` if no line decided.
    pub around: Option<Vec<RobotsLine>>,
    /// The group of that line, or else the groups that apply.
    pub group: Vec<GroupAgents>,
    /// The other rules that match; the first would have decided without the line.
    pub also: Vec<MatchingRule>,
    pub also_count: usize,
    /// The access by the groups for everyone, if a group that names the crawler replaces them (RFC 9309 2.2.1).
    pub replaced: Option<PageAccess>,
    /// The lines that are a vendor's text.
    pub vendors: Vec<VendorLines>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RobotsLine {
    /// Its number, from 1.
    pub line: u32,
    /// Its text without comment and outer white space.
    pub text: String,
    /// The vendor whose text it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
}

pub fn numbers_and_texts(lines: &[RobotsLine]) -> (Vec<u32>, Vec<&str>) {
    lines
        .iter()
        .map(|line| (line.line, line.text.as_str()))
        .unzip()
}

/// The user-agent lines of a group.
#[derive(Debug, Serialize)]
pub struct GroupAgents {
    /// The number of the first.
    pub line: Option<u32>,
    pub agents: String,
}

#[derive(Debug, Serialize)]
pub struct MatchingRule {
    #[serde(flatten)]
    pub line: RobotsLine,
    pub access: Preference,
    /// How many octets of the path it matches.
    pub octets: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageAccess {
    pub access: Preference,
    /// Why: the rule's kind, or the state of robots.txt.
    pub reason: &'static str,
    #[serde(flatten)]
    pub line: Option<RobotsLine>,
}

/// Lines of robots.txt that are a vendor's text.
#[derive(Debug, Serialize)]
pub struct VendorLines {
    pub vendor: String,
    /// The kind of its block, if the vendor has several kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_as: Option<&'static str>,
    pub first_line: u32,
    pub last_line: u32,
}

/// A robots.txt, and its groups that apply to the viewpoint.
pub struct RobotsText<'f> {
    robots: &'f RobotsTxt,
    selection: Selection,
    managed: Vec<Managed<'f>>,
    lines: Vec<&'f [u8]>,
}

impl<'f> RobotsText<'f> {
    /// Selects the groups of a file for a viewpoint.
    pub fn new(
        robots: &'f RobotsTxt,
        viewpoint: &Viewpoint,
        vendor_texts: &'f VendorTexts,
    ) -> Self {
        let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
        let lines = lines_of(robots.bytes());
        Self {
            robots,
            selection,
            managed: vendor_texts.managed(robots),
            lines,
        }
    }

    /// Returns the file with the groups that apply.
    pub fn site(&self) -> Site<'_> {
        Site {
            robots: self.robots,
            selection: &self.selection,
        }
    }

    /// Returns the parts of the file around a decision.
    pub fn explain(
        &self,
        path: &UrlPath,
        decided: Option<u32>,
        viewpoint: &Viewpoint,
    ) -> RobotsFile {
        let also = self.also(path, decided);
        let vendors = self.managed.iter().map(|lines| VendorLines {
            vendor: lines.vendor.to_owned(),
            managed_as: lines.block,
            first_line: lines.first_line,
            last_line: lines.last_line,
        });
        RobotsFile {
            lines: self.robots.line_count(),
            cut: self.robots.is_cut(),
            around: decided.map(|line| self.around(line)),
            group: self.group(decided),
            also_count: also.len(),
            also: also.into_iter().take(MAX_LINES).collect(),
            replaced: self.replaced(path, viewpoint),
            vendors: vendors.collect(),
        }
    }

    fn around(&self, line: u32) -> Vec<RobotsLine> {
        let beside = (1..).zip(&self.lines).skip(line.saturating_sub(2) as usize);
        let beside = beside.take_while(|(number, _)| *number <= line.saturating_add(1));
        beside
            .map(|(number, text)| RobotsLine {
                text: shown(text).into(),
                ..self.line(number)
            })
            .collect()
    }

    /// Returns a line without comment and outer white space, and the vendor whose text it is.
    pub fn line(&self, line: u32) -> RobotsLine {
        let text = match self.robots.record_on(line) {
            Some(record) => Some(shown(record.text).into_owned()),
            None => text_of(&self.lines, line),
        };
        let managed_by = vendor_of(&self.managed, line).map(str::to_owned);
        RobotsLine {
            line,
            text: text.unwrap_or_default(),
            managed_by,
        }
    }

    /// Returns lines of the file that have records.
    pub fn records(&self, lines: impl IntoIterator<Item = u32>) -> Vec<RobotsLine> {
        let known = lines
            .into_iter()
            .filter(|line| self.robots.record_on(*line).is_some());
        known.map(|line| self.line(line)).collect()
    }

    fn group(&self, line: Option<u32>) -> Vec<GroupAgents> {
        let own = line.and_then(|line| self.robots.record_on(line)?.group);
        let groups: Vec<Group<'_>> = match own {
            Some(group) => self.robots.group(group).into_iter().collect(),
            None => self
                .selection
                .groups()
                .filter_map(|group| self.robots.group(group))
                .collect(),
        };
        let first_line = |group: &Group<'_>| group.agents().next().map(|agent| agent.line);
        let agents = groups.iter().map(|group| GroupAgents {
            line: first_line(group),
            agents: group.agents_text(),
        });
        agents.collect()
    }

    /// Returns the other rules that match; the first would have decided next (RFC 9309 2.2.2).
    fn also(&self, path: &UrlPath, decided: Option<u32>) -> Vec<MatchingRule> {
        let records = self.robots.records_of(&self.selection);
        let matching = |record: RobotsRecord<'_>| {
            let access = match record.kind {
                LineKind::Allow => Preference::Allow,
                LineKind::Disallow => Preference::Disallow,
                LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => return None,
            };
            let octets = matching_octets(&record.pattern(), path).filter(|octets| *octets > 0)?;
            Some(MatchingRule {
                line: self.line(record.line),
                access,
                octets,
            })
        };
        let others = records.filter(|record| Some(record.line) != decided);
        let mut rules: Vec<MatchingRule> = others.filter_map(matching).collect();
        rules.sort_by_key(|rule| {
            (
                Reverse((rule.octets, rule.access == Preference::Allow)),
                rule.line.line,
            )
        });
        rules
    }

    /// Returns the `Content-Usage` rules that match beside the deciding ones, the longest path first.
    pub fn also_usage(&self, path: &UrlPath, deciding: &[RobotsLine]) -> Vec<RobotsLine> {
        let decides =
            |record: &RobotsRecord<'_>| deciding.iter().any(|line| line.line == record.line);
        let records = self.robots.records_of(&self.selection);
        let others = records.filter(|record| record.is_named(CONTENT_USAGE) && !decides(record));
        let mut rules: Vec<(usize, u32)> = others
            .filter_map(|record| match split_path(record.value) {
                (Some(pattern), _) => Some((
                    matching_octets(&PathPattern::new(pattern), path)?,
                    record.line,
                )),
                (None, _) => Some((0, record.line)),
            })
            .collect();
        rules.sort_by_key(|(octets, line)| (Reverse(*octets), *line));
        rules
            .into_iter()
            .take(MAX_LINES)
            .map(|(_, line)| self.line(line))
            .collect()
    }

    fn replaced(&self, path: &UrlPath, viewpoint: &Viewpoint) -> Option<PageAccess> {
        let everyone = self.robots.wildcard_selection(viewpoint.token_match);
        if self.selection.matched() != Matched::Explicit || everyone.matched() != Matched::Wildcard
        {
            return None;
        }
        let rules = self.robots.rules(&everyone);
        let access = rules.access(path);
        let (line, reason) = (
            access.line.map(|line| self.line(line)),
            access.reason.as_str(),
        );
        Some(PageAccess {
            access: access.verdict,
            reason,
            line,
        })
    }
}

fn matching_octets(pattern: &PathPattern, path: &UrlPath) -> Option<usize> {
    pattern.matches(path).then(|| pattern.octet_count())
}

pub fn lines_of(file: &[u8]) -> Vec<&[u8]> {
    numbered_lines(file).map(|(_, line)| line).collect()
}

/// Returns one of the lines, counted from 1, as text without outer white space.
pub fn text_of(lines: &[&[u8]], line: u32) -> Option<String> {
    Some(shown(lines.get(line.checked_sub(1)? as usize)?.trim_ascii()).into_owned())
}
