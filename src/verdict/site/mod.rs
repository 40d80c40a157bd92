//! A robots.txt on its own, independent of pages: counts, what it closes to each agent, its oddities.
//!
//! Document: RFC 9309. Example: a file with `User-agent: GPTBot` and `Disallow: /` is closed in full to `gptbot`, open to `*`.
//! Ours: three classes of how much is closed; the studies with which they are compared have other names for the same three
//! (`queries/comparison/study_classes.py` has the rules of two studies).
//! HTML pages served as robots.txt, such as a shop's start page for every path, are recognised: RFC 9309 reads such a file like
//! any other, and its readable lines mostly close nothing.
//! Left out: which capture counts when, which the timeline finds; by which rules a path is closed (`agents`); the media type,
//! which is often wrong.

mod agents;
mod closed;
mod lint;
mod lints;
mod selections;

pub use agents::{AgentFacts, agents};
pub use closed::ClosedTokens;
pub use lint::{Finding, Lint};
pub use lints::linted_lines;

use crate::robots::{FoundVendors, LineKind, Managed, NamedGroups, RobotsRecord, RobotsTxt};
use crate::systems::{Lines, SYSTEMS};
use crate::verdict::Resolver;
use crate::verdict::timeline::{BodyState, FetchOutcome, OutcomeClass, RobotsState};
use crate::web::u32_of;
use crate::web::{column::Column, names::names};
use lint::LintLines;
use lints::Lints;
use std::borrow::Cow;
use std::collections::BTreeSet;

names! {
    /// How much is closed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Class {
        None => "none",
        Partial => "partial",
        Full => "full",
    }
}

/// What a robots.txt is, in numbers, for one row per capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFacts {
    pub group_count: u32,
    /// The distinct names of its user-agent lines.
    pub agent_count: u32,
    /// Its Allow and Disallow lines that are rules.
    pub rule_count: u32,
    pub bad_line_count: u32,
    /// The vendors with text in it, in alphabetic order, joined by a comma and a blank.
    pub managed_by: Option<Box<str>>,
    /// The kinds of vendors' blocks in it, in alphabetic order, joined by a comma and a blank.
    pub managed_as: Option<Box<str>>,
    /// A hash of the list of agents that it names; `None` if it names none.
    pub agents_fingerprint: Option<u64>,
    /// Whether it has a line of each system with a column for it: one bit each, in the order of [`line_columns`].
    lines: u32,
    /// Its oddities, in the order of the documentation.
    pub lints: Box<[Finding]>,
}

impl SiteFacts {
    /// Evaluates a file and its names, compared whole, for a resolver's table of agents and its vocabulary.
    pub fn evaluate(
        robots: &RobotsTxt,
        named: &[NamedGroups<'_>],
        vendors: &FoundVendors<'_>,
        resolver: &Resolver,
    ) -> Self {
        let of_systems: Vec<&Lines> = lines_with_column().collect();
        let managed = || vendors.managed.iter();
        let agents = named
            .iter()
            .filter(|named| !named.groups.is_empty())
            .count();
        let mut facts = Self {
            group_count: u32_of(robots.groups().len()),
            agent_count: u32_of(agents),
            bad_line_count: u32_of(robots.bad_line_count()),
            managed_by: names(managed().filter_map(Managed::author)),
            managed_as: names(managed().filter_map(|lines| lines.block)),
            agents_fingerprint: agents_fingerprint(named),
            ..Self::default()
        };
        let mut lints = Lints::begin(robots, &vendors.open_blocks, resolver, LintLines::default());
        for record in robots.records() {
            facts.add(&record, &of_systems);
            lints.add(&record);
        }
        facts.lints = lints.findings(named).into();
        facts
    }

    /// Adds the lint of a file that differs from another capture of its URL and second (FRAME-9).
    pub fn beside_rival(mut self, has_rival: bool) -> Self {
        if has_rival {
            let finding = Finding {
                lint: Lint::OtherCopy,
                line: 1,
                count: 1,
            };
            self.lints = self.lints.iter().copied().chain([finding]).collect();
        }
        self
    }

    pub fn is_html(&self) -> bool {
        self.lints.iter().any(|finding| finding.lint == Lint::Html)
    }

    /// Returns whether it has a line of each of [`line_columns`].
    pub fn has_lines(&self) -> impl Iterator<Item = bool> {
        lines_with_column()
            .zip(0..)
            .map(|(_, place)| self.lines >> place & 1 == 1)
    }

    fn add(&mut self, record: &RobotsRecord<'_>, lines: &[&Lines]) {
        match record.kind {
            LineKind::UserAgent => {}
            LineKind::Allow | LineKind::Disallow => {
                self.rule_count += u32::from(record.group.is_some() && !record.value.is_empty());
            }
            LineKind::ExtensionRule | LineKind::Other => {
                for (place, lines) in (0..).zip(lines) {
                    self.lines |= u32::from(record.is_any(lines.names)) << place;
                }
            }
        }
    }
}

/// Returns the 64-bit FNV-1a hash of the names of agents that have groups, in lower case, sorted, each with a line feed; `*` is
/// not an agent. Files of one publishing group or plug-in have the same list, whatever else they contain.
fn agents_fingerprint(named: &[NamedGroups<'_>]) -> Option<u64> {
    let agents = named
        .iter()
        .filter(|named| !named.groups.is_empty() && named.name != b"*");
    let agents: BTreeSet<&[u8]> = agents.map(|named| named.name.as_slice()).collect();
    let bytes = agents.iter().flat_map(|agent| agent.iter().chain(b"\n"));
    let with = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    (!agents.is_empty()).then(|| bytes.fold(0xCBF2_9CE4_8422_2325, with))
}

fn lines_with_column() -> impl Iterator<Item = &'static Lines> {
    SYSTEMS
        .iter()
        .map(|system| &system.about().lines)
        .filter(|lines| lines.column.is_some())
}

/// Returns the columns of `robots` that say which lines a file has.
pub fn line_columns() -> impl Iterator<Item = &'static Column> {
    lines_with_column().filter_map(|lines| lines.column.as_ref())
}

/// Returns the names in alphabetic order, joined; `None` if there are none.
fn names<'n>(names: impl Iterator<Item = &'n str>) -> Option<Box<str>> {
    let names: BTreeSet<&str> = names.collect();
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(", ").into())
}

/// Returns the word in the tables for the outcome of a request for a robots.txt, for one capture on its own: `parsed`,
/// `not_text` if the file is an HTML page, `redirect`, or the same state as for the robots.txt of a page.
pub fn outcome(answer: FetchOutcome, sent: &BodyState<Cow<'_, SiteFacts>>) -> &'static str {
    match (answer.class(), sent) {
        (OutcomeClass::NoFile(state), _) => state.as_str(),
        (OutcomeClass::Gone, _) => RobotsState::Unavailable.as_str(),
        (OutcomeClass::Redirect, _) => "redirect",
        (OutcomeClass::Unchanged, BodyState::Html | BodyState::Unreadable | BodyState::Missing) => {
            RobotsState::OtherStatus.as_str()
        }
        (_, BodyState::Body(facts)) if facts.is_html() => "not_text",
        (_, BodyState::Body(_)) => RobotsState::Parsed.as_str(),
        (_, BodyState::Html | BodyState::Unreadable) => RobotsState::Unreadable.as_str(),
        (_, BodyState::Missing) => RobotsState::BodyMissing.as_str(),
    }
}
