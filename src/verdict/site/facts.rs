//! What a robots.txt is, in numbers, for one row per capture.

use super::lint::{Finding, Lint};
use super::lints::Lints;
use crate::robots::{Kind, Managed, NamedGroups, Record, RobotsTxt};
use crate::systems::{Lines, SYSTEMS};
use crate::verdict::Resolver;
use crate::verdict::timeline::{Answer, RobotsState};
use crate::web::column::Column;
use std::collections::BTreeSet;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFacts {
    /// Its groups.
    pub group_count: usize,
    /// The distinct names of its user-agent lines.
    pub agent_count: usize,
    /// Its Allow and Disallow lines that are rules.
    pub rule_count: usize,
    /// The lines that could not be read.
    pub bad_line_count: usize,
    /// The vendors whose text it holds, in alphabetic order, joined by comma and blank.
    pub managed_by: Option<String>,
    /// Whether there is a line of each system that has a column for it, in the order of [`line_columns`].
    pub has_lines: Vec<bool>,
    /// Whether it is an HTML page.
    pub is_html: bool,
    /// What is odd in it.
    pub lints: Vec<Finding>,
}

impl SiteFacts {
    /// Looks at a file and its names, compared whole, for a resolver's table of agents and its vocabulary.
    #[must_use]
    pub fn of(
        robots: &RobotsTxt,
        named: &[NamedGroups<'_>],
        managed: &[Managed<'_>],
        resolver: &Resolver,
    ) -> Self {
        let of_systems: Vec<&Lines> = lines_with_column().collect();
        let mut facts = Self {
            group_count: robots.groups().len(),
            agent_count: named.iter().filter(|named| !named.groups.is_empty()).count(),
            bad_line_count: robots.bad_line_count(),
            managed_by: vendors(managed),
            has_lines: vec![false; of_systems.len()],
            ..Self::default()
        };
        let mut lints = Lints::of(robots, resolver);
        for record in robots.records() {
            facts.add(&record, &of_systems);
            lints.add(&record);
        }
        facts.lints = lints.findings(named);
        facts.is_html = facts.lints.iter().any(|finding| finding.lint == Lint::Html);
        facts
    }

    fn add(&mut self, record: &Record<'_>, lines: &[&Lines]) {
        match record.kind {
            Kind::UserAgent => {}
            Kind::Allow | Kind::Disallow => {
                self.rule_count += usize::from(record.group.is_some() && !record.value.is_empty());
            }
            Kind::ExtensionRule | Kind::Other => {
                for (has, lines) in self.has_lines.iter_mut().zip(lines) {
                    *has = *has || record.is_any(lines.names);
                }
            }
        }
    }
}

/// Returns the lines of the systems that have a column in `robots`.
fn lines_with_column() -> impl Iterator<Item = &'static Lines> {
    SYSTEMS.iter().map(|system| &system.about().lines).filter(|lines| lines.column.is_some())
}

/// Returns the columns of `robots` that say which lines a file has.
pub fn line_columns() -> impl Iterator<Item = &'static Column> {
    lines_with_column().filter_map(|lines| lines.column.as_ref())
}

/// Returns the vendors in alphabetic order.
fn vendors(managed: &[Managed<'_>]) -> Option<String> {
    let vendors: BTreeSet<&str> = managed.iter().map(|lines| lines.vendor).collect();
    (!vendors.is_empty()).then(|| vendors.into_iter().collect::<Vec<_>>().join(", "))
}

/// What came of asking for a robots.txt, for one capture on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is a file.
    Parsed,
    /// There is one, and it is an HTML page.
    NotText,
    /// The server sent the body elsewhere.
    Redirect,
    /// As of a page's robots.txt.
    State(RobotsState),
}

impl Outcome {
    /// Returns what came of an answer; `is_html` is about the body, where there is one.
    #[must_use]
    pub fn new(answer: Answer, is_html: Option<bool>) -> Self {
        match (answer.state_without_file(), is_html) {
            (Some(state), _) => Self::State(state),
            (None, _) if answer.is_redirect() => Self::Redirect,
            (None, Some(true)) => Self::NotText,
            (None, Some(false)) => Self::Parsed,
            (None, None) => Self::State(RobotsState::BodyMissing),
        }
    }

    /// Returns the word for it in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::NotText => "not_text",
            Self::Redirect => "redirect",
            Self::State(state) => state.as_str(),
        }
    }
}
