//! What a robots.txt is, in numbers, for one row per capture.

use super::lint::{Finding, Lint};
use super::lints::Lints;
use crate::robots::{Kind, Managed, NamedGroups, Record, RobotsTxt};
use crate::systems::aipref_attach::CONTENT_USAGE;
use crate::systems::{app_directives, content_signal, rsl, sup};
use crate::verdict::Resolver;
use crate::verdict::timeline::{Answer, RobotsState};
use std::collections::BTreeSet;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // five independent facts, a column each
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
    /// Whether there is a Content-Usage line.
    pub has_content_usage: bool,
    /// Whether there is a Content-Signal line.
    pub has_content_signal: bool,
    /// Whether there is a Usage line.
    pub has_usage: bool,
    /// Whether there is an App-Directives line.
    pub has_app_directives: bool,
    /// Whether there is a License line.
    pub has_license: bool,
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
        let mut facts = Self {
            group_count: robots.groups().len(),
            agent_count: named.iter().filter(|named| !named.groups.is_empty()).count(),
            bad_line_count: robots.bad_line_count(),
            managed_by: vendors(managed),
            ..Self::default()
        };
        let mut lints = Lints::of(robots, resolver);
        for record in robots.records() {
            facts.add(&record);
            lints.add(&record);
        }
        facts.lints = lints.findings();
        facts.is_html = facts.lints.iter().any(|finding| finding.lint == Lint::Html);
        facts
    }

    fn add(&mut self, record: &Record<'_>) {
        match record.kind {
            Kind::UserAgent => {}
            Kind::Allow | Kind::Disallow => {
                self.rule_count += usize::from(record.group.is_some() && !record.value.is_empty());
            }
            Kind::ExtensionRule | Kind::Other => {
                self.has_content_usage |= record.is_named(CONTENT_USAGE);
                self.has_content_signal |= record.is_any(&content_signal::NAMES);
                self.has_usage |= record.is_named(sup::RULE);
                self.has_app_directives |= record.is_any(&app_directives::NAMES);
                self.has_license |= record.is_named(rsl::NAME);
            }
        }
    }
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
