//! Finds oddities in a robots.txt.
//!
//! Example: `Content-Usage: train-ai=n` as the last line of a file with `Diffbot` as its last group binds Diffbot alone, which
//! its author hardly meant: `signal_in_last_group`.

use super::lint::{Finding, Lint, LintLines};
use super::selections::{Selections, is_of, is_on_paths};
use crate::robots::{Defect, Fault, FoundVendors, LineKind, NamedGroups, RobotsRecord, RobotsTxt};
use crate::systems::aipref_vocab::VocabularyStatement;
use crate::systems::path_rules::split_path;
use crate::systems::sup::LabelValues;
use crate::systems::{LineScope, SYSTEMS, Source, Viewpoint, aipref_attach::CONTENT_USAGE};
use crate::verdict::Resolver;
use crate::verdict::account::near_misses;
use crate::web::body_text::looks_like_html;
use crate::web::lines::offset_in;
use crate::web::product_token::{AgentName, TokenMatch};
use memchr::memmem;

pub(super) struct Lints<'r> {
    robots: &'r RobotsTxt,
    viewpoint: &'r Viewpoint,
    findings: LintLines,
    has_signal: bool,
    /// Whether the file has bytes that a regular expression needs.
    may_have_regex: bool,
    group: GroupSoFar,
    everyones_groups: usize,
}

/// The part of a group that was read.
#[derive(Default)]
struct GroupSoFar {
    index: Option<usize>,
    names_everyone: bool,
    /// The first line that opens everything.
    opens_all: Option<u32>,
    closes_all: bool,
}

impl<'r> Lints<'r> {
    /// Begins with the lints of the whole file; its records must then be added in their order.
    pub(super) fn begin(
        robots: &'r RobotsTxt,
        open_blocks: &[u32],
        resolver: &'r Resolver,
        mut findings: LintLines,
    ) -> Self {
        for defect in robots.defects() {
            findings.add(Lint::Fault(defect.fault), defect.line);
        }
        for line in open_blocks {
            findings.add(Lint::ManagedBlockOpen, *line);
        }
        look_at_file(robots, resolver, &mut findings);
        let bytes = robots.bytes();
        let may_have_regex = memchr::memchr3(b'^', b'(', b'[', bytes).is_some()
            || memmem::find(bytes, b".*").is_some();
        let (viewpoint, group) = (&resolver.viewpoint, GroupSoFar::default());
        Self {
            robots,
            viewpoint,
            findings,
            has_signal: false,
            may_have_regex,
            group,
            everyones_groups: 0,
        }
    }

    pub(super) fn add(&mut self, record: &RobotsRecord<'_>) {
        if record.group != self.group.index {
            self.end_group();
            self.group.index = record.group;
        }
        match record.kind {
            LineKind::UserAgent => self.look_at_agent(record),
            LineKind::Allow | LineKind::Disallow => self.look_at_rule(record),
            LineKind::Other if record.is_named("noindex") => {
                self.findings.add(Lint::NoindexLine, record.line);
            }
            LineKind::Other | LineKind::ExtensionRule => self.has_signal |= is_signal(record),
        }
    }

    fn look_at_agent(&mut self, record: &RobotsRecord<'_>) {
        if ["all", "any", "everyone"]
            .iter()
            .any(|word| record.value.eq_ignore_ascii_case(word.as_bytes()))
        {
            self.findings.add(Lint::AgentAll, record.line);
        }
        if is_product(record.value) {
            self.findings.add(Lint::AgentUndocumented, record.line);
        }
        if !self.group.names_everyone && names_everyone(record) {
            self.group.names_everyone = true;
            self.everyones_groups += 1;
            if self.everyones_groups > 1 {
                self.findings.add(Lint::WildcardGroupsSplit, record.line);
            }
        }
    }

    fn look_at_rule(&mut self, record: &RobotsRecord<'_>) {
        let path = record.value;
        let is_http = path
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"http"));
        if is_http && path.contains(&b':') {
            self.findings.add(Lint::UrlInPath, record.line);
        }
        if is_cut_by_comment(self.robots.bytes(), path) {
            self.findings.add(Lint::CommentInPath, record.line);
        }
        if self.may_have_regex && is_regex(path) {
            self.findings.add(Lint::RegexInPath, record.line);
        }
        match record.kind {
            LineKind::Allow if path == b"/" && record.group.is_some() => {
                self.group.opens_all.get_or_insert(record.line);
            }
            LineKind::Disallow => self.group.closes_all |= path == b"/",
            LineKind::Allow | LineKind::UserAgent | LineKind::ExtensionRule | LineKind::Other => {}
        }
    }

    fn end_group(&mut self) {
        let ended = std::mem::take(&mut self.group);
        if let (Some(line), true) = (ended.opens_all, ended.closes_all) {
            self.findings.add(Lint::AllowAndDisallowAll, line);
        }
    }

    /// Returns the findings in the order of the documentation; the names of the file are compared whole.
    pub(super) fn findings(self, named: &[NamedGroups<'_>]) -> Vec<Finding> {
        self.ended(named).in_order()
    }

    fn ended(mut self, named: &[NamedGroups<'_>]) -> LintLines {
        self.end_group();
        if self.has_signal {
            look_at_signals(self.robots, named, self.viewpoint, &mut self.findings);
        }
        self.findings
    }
}

/// Returns every line of a file that has a lint, with the lint, by line.
pub fn linted_lines(
    robots: &RobotsTxt,
    vendors: &FoundVendors<'_>,
    resolver: &Resolver,
) -> Vec<(u32, Lint)> {
    let named = robots.named_groups(TokenMatch::Exact);
    let mut lints = Lints::begin(
        robots,
        &vendors.open_blocks,
        resolver,
        LintLines::of_each_line(),
    );
    robots.records().for_each(|record| lints.add(&record));
    lints.ended(&named).into_lines()
}

fn look_at_file(robots: &RobotsTxt, resolver: &Resolver, findings: &mut LintLines) {
    let bytes = robots.bytes();
    let is_blank = |defect: &Defect| defect.fault == Fault::ByteOrderMark;
    let whole = [
        (Lint::Html, looks_like_html(bytes)),
        (
            Lint::ByteOrderMarkTwice,
            bytes.starts_with("\u{EF}\u{BB}\u{BF}".as_bytes()),
        ),
        (
            Lint::Empty,
            robots.records().len() == 0 && robots.defects().iter().all(is_blank),
        ),
        (
            Lint::NoGroups,
            robots.groups().len() == 0 && robots.records().len() > 0,
        ),
        (
            Lint::CrOnly,
            bytes.contains(&b'\r') && !bytes.contains(&b'\n'),
        ),
        (
            Lint::TokenMatchDiffers,
            robots.depends_on_token_match(&resolver.both_matches),
        ),
    ];
    for (lint, _) in whole.into_iter().filter(|(_, is_so)| *is_so) {
        findings.add(lint, 1);
    }
    for line in near_misses(robots).iter().map(|miss| miss.line) {
        findings.add(Lint::NearMiss, line);
    }
    if robots.is_cut() {
        findings.add(Lint::Cut, robots.line_count().max(1));
    }
}

/// Returns whether a user-agent line has only the name of a product, with or without a version.
fn is_product(value: &[u8]) -> bool {
    let name = value
        .split(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    [b"chatgpt".as_slice(), b"claude", b"grok"]
        .iter()
        .any(|product| name.eq_ignore_ascii_case(product))
}

fn names_everyone(agent: &RobotsRecord<'_>) -> bool {
    agent.value.starts_with(b"*") && agent.agent(TokenMatch::Exact) == AgentName::Everyone
}

/// Returns whether a number sign immediately follows a path in its file.
fn is_cut_by_comment(file: &[u8], path: &[u8]) -> bool {
    path.ends_with(b"/") && file.get(offset_in(file, path) + path.len()) == Some(&b'#')
}

/// Returns whether a path has a part that only regular expressions have. At the end of a path `.*` is harmless.
fn is_regex(path: &[u8]) -> bool {
    let has = |piece: &[u8; 2]| path.windows(2).any(|pair| pair == piece);
    path.starts_with(b"^")
        || memchr::memchr2(b'(', b'[', path).is_some() && (has(b"(.") || has(b"[^"))
        || memchr::memchr(b'.', path).is_some() && !path.ends_with(b".*") && has(b".*")
}

/// Returns whether a line states a preference in any system; lines of RSL name a licence instead.
pub(super) fn is_signal(record: &RobotsRecord<'_>) -> bool {
    let may_be = matches!(record.kind, LineKind::ExtensionRule | LineKind::Other);
    may_be && (is_on_paths(record) || is_of(record, LineScope::Group))
}

fn look_at_signals(
    robots: &RobotsTxt,
    named: &[NamedGroups<'_>],
    viewpoint: &Viewpoint,
    findings: &mut LintLines,
) {
    look_at_statements(robots, viewpoint, findings);
    for record in robots.records_before_groups().filter(is_signal) {
        findings.add(Lint::SignalOutsideGroup, record.line);
    }
    if let Some(line) = in_last_group(robots) {
        findings.add(Lint::SignalInLastGroup, line);
    }
    let content_usage = robots.records().filter(|record| record.group.is_some());
    for record in content_usage.filter(|record| record.is_named(CONTENT_USAGE)) {
        look_at_content_usage(&record, viewpoint, findings);
    }
    if Selections::new(robots, viewpoint)
        .find(named, findings)
        .is_none()
    {
        findings.add(Lint::Unfinished, 1);
    }
}

/// Adds the oddities that the systems themselves report.
fn look_at_statements(robots: &RobotsTxt, viewpoint: &Viewpoint, findings: &mut LintLines) {
    for system in SYSTEMS {
        system.statements(&Source::Robots(robots), viewpoint, &mut |statement| {
            let lints: &[Lint] = match statement.defect {
                Some("unknown_label" | "unknown_key") => &[Lint::UnknownLabel],
                Some("label_of_other_system") => &[Lint::UnknownLabel, Lint::LabelOfOtherSystem],
                Some("unknown_value") => &[Lint::UnknownValue],
                Some(_) | None => &[],
            };
            for lint in lints {
                findings.add(*lint, statement.line.unwrap_or(1));
            }
        });
    }
}

/// Returns the first signal of the last group, if no other group has one, no rule follows, and the group is not for everyone.
fn in_last_group(robots: &RobotsTxt) -> Option<u32> {
    let last = robots
        .groups()
        .len()
        .checked_sub(1)
        .filter(|last| *last > 0)?;
    let mut signals = robots.records().filter(is_signal);
    let first = signals.next()?;
    if first.group != Some(last) {
        return None;
    }
    let group = robots.group(last)?;
    let is_rule =
        |record: &RobotsRecord<'_>| matches!(record.kind, LineKind::Allow | LineKind::Disallow);
    let rule_follows = group
        .records()
        .any(|record| is_rule(&record) && record.line > first.line);
    (!group.agents().any(|agent| names_everyone(&agent)) && !rule_follows).then_some(first.line)
}

/// Finds a value that is not a dictionary but has pieces that say yes or no to a label of a draft.
fn look_at_content_usage(
    record: &RobotsRecord<'_>,
    viewpoint: &Viewpoint,
    findings: &mut LintLines,
) {
    let (_, value) = split_path(record.value);
    let strict = VocabularyStatement::parse(value, &viewpoint.vocabulary);
    let says = |piece: &[u8]| {
        let text = String::from_utf8_lossy(piece.trim_ascii()).into_owned();
        let (label, answer) = text.split_once('=').unwrap_or_default();
        let is_label = viewpoint.vocabulary.label(label.trim()).is_some();
        is_label && matches!(answer.trim(), "y" | "n")
    };
    let plain = LabelValues::parse(value) != LabelValues::UNKNOWN
        || value.split(|byte| *byte == b',').any(says);
    if strict.is_err() && plain {
        findings.add(Lint::StrictPlainDiffer, record.line);
    }
}
