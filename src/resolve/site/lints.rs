//! Finding what is odd in a robots.txt.
//!
//! Example: `Content-Usage: train-ai=n` as the last line of a file whose last group is for `Diffbot` binds
//! Diffbot alone, which its author hardly meant: `signal_in_last_group`.

use super::html::looks_like_html;
use super::lint::{Finding, Lint};
use crate::resolve::Resolver;
use crate::signals::aipref_attach::AiprefPolicy;
use crate::signals::robots_txt::{Group, Kind, Record, RobotsTxt, Selection, Verdict};
use crate::signals::sup::LabelValues;
use crate::signals::{SIGNALS, Site, Source, Viewpoint};
use crate::web::path_pattern::UrlPath;
use crate::web::product_token::{AgentName, TokenMatch};
use std::collections::BTreeMap;

/// Lines by lint: the first and how many.
#[derive(Default)]
struct Findings(BTreeMap<Lint, (u32, u32)>);

impl Findings {
    fn add(&mut self, found: Lint, line: u32) {
        let (first, count) = self.0.entry(found).or_insert((line, 0));
        *first = (*first).min(line);
        *count += 1;
    }
}

/// Returns what is odd in a file, in the order of the documentation.
pub(super) fn lints(robots: &RobotsTxt, resolver: &Resolver) -> Vec<Finding> {
    let mut findings = Findings::default();
    for defect in robots.defects() {
        findings.add(Lint::Fault(defect.fault), defect.line);
    }
    of_the_file(robots, resolver, &mut findings);
    let mut has_signal = false;
    for record in robots.records() {
        of_record(&record, &mut findings);
        has_signal |= is_signal(&record);
    }
    of_groups(robots, &mut findings);
    if has_signal {
        of_signals(robots, resolver.viewpoint(), &mut findings);
    }
    let found =
        |lint| findings.0.get(&lint).map(|(line, count)| Finding { lint, line: *line, count: *count });
    Lint::ALL.into_iter().filter_map(found).collect()
}

fn of_the_file(robots: &RobotsTxt, resolver: &Resolver, findings: &mut Findings) {
    let bytes = robots.bytes();
    let whole = [
        (Lint::Html, looks_like_html(bytes)),
        (Lint::ByteOrderMarkTwice, bytes.starts_with("\u{EF}\u{BB}\u{BF}".as_bytes())),
        (Lint::Empty, robots.records().len() == 0 && robots.defects().is_empty()),
        (Lint::CrOnly, bytes.contains(&b'\r') && !bytes.contains(&b'\n')),
        (Lint::TokenMatchDiffers, robots.depends_on_token_match(resolver.both_matches())),
    ];
    for (lint, _) in whole.into_iter().filter(|(_, is_so)| *is_so) {
        findings.add(lint, 1);
    }
    if robots.is_cut() {
        findings.add(Lint::Cut, robots.line_count().max(1));
    }
}

fn of_record(record: &Record<'_>, findings: &mut Findings) {
    match record.kind {
        Kind::Allow | Kind::Disallow => {
            let path = record.value;
            if path.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"http")) && path.contains(&b':')
            {
                findings.add(Lint::UrlInPath, record.line);
            }
            if is_regex(path) {
                findings.add(Lint::RegexInPath, record.line);
            }
        }
        Kind::Other if record.is_named("noindex") => findings.add(Lint::NoindexLine, record.line),
        Kind::Other | Kind::UserAgent | Kind::ExtensionRule => {}
    }
}

/// Tells whether a path has what is only in regular expressions. At the end of a path `.*` is harmless.
fn is_regex(path: &[u8]) -> bool {
    let has = |piece: &[u8; 2]| path.windows(2).any(|pair| pair == piece);
    path.starts_with(b"^")
        || memchr::memchr2(b'(', b'[', path).is_some() && (has(b"(.") || has(b"[^"))
        || memchr::memchr(b'.', path).is_some() && !path.ends_with(b".*") && has(b".*")
}

fn of_groups(robots: &RobotsTxt, findings: &mut Findings) {
    let is_everyone = |record: &Record<'_>| record.agent(TokenMatch::Exact) == AgentName::Everyone;
    let first_lines = |group: Group<'_>| group.agents().find(is_everyone).map(|record| record.line);
    for line in robots.groups().filter_map(first_lines).skip(1) {
        findings.add(Lint::WildcardGroupsSplit, line);
    }
    for group in robots.groups() {
        let all = |kind: Kind| group.records().find(|record| record.kind == kind && record.value == b"/");
        if let (Some(allow), Some(_)) = (all(Kind::Allow), all(Kind::Disallow)) {
            findings.add(Lint::AllowAndDisallowAll, allow.line);
        }
    }
}

/// Tells whether a line states a preference on usage, in any system.
pub(super) fn is_signal(record: &Record<'_>) -> bool {
    let others = ["usage", "app-directives", "app-directive"];
    let may_be = matches!(record.kind, Kind::ExtensionRule | Kind::Other);
    may_be && (is_on_paths(record) || others.iter().any(|name| record.is_named(name)))
}

/// Tells whether it is of a system whose statements do not apply to closed paths (RULES LABEL-2).
fn is_on_paths(record: &Record<'_>) -> bool {
    let names =
        ["content-usage", "content-signal", "content-signals", "disallowaitraining", "allowaitraining"];
    names.iter().any(|name| record.is_named(name))
}

fn of_signals(robots: &RobotsTxt, viewpoint: &Viewpoint, findings: &mut Findings) {
    of_statements(robots, viewpoint, findings);
    for record in robots.records_before_groups().filter(is_signal) {
        findings.add(Lint::SignalOutsideGroup, record.line);
    }
    if let Some(line) = in_last_group(robots) {
        findings.add(Lint::SignalInLastGroup, line);
    }
    for group in robots.groups().filter(|group| group.records().any(|record| is_signal(&record))) {
        of_signal_group(robots, &group, viewpoint, findings);
    }
}

/// What the systems themselves find odd.
fn of_statements(robots: &RobotsTxt, viewpoint: &Viewpoint, findings: &mut Findings) {
    for signal in SIGNALS {
        signal.statements(&Source::Robots(robots), viewpoint, &mut |statement| {
            let lint = match statement.defect {
                Some("unknown_label" | "unknown_key") => Lint::UnknownLabel,
                Some("unknown_value") => Lint::UnknownValue,
                Some(_) | None => return,
            };
            findings.add(lint, statement.line.unwrap_or(1));
        });
    }
}

/// Returns the first signal of the last group, where no other group has any, no rule follows it, and the
/// group is not for everyone.
fn in_last_group(robots: &RobotsTxt) -> Option<u32> {
    let last = robots.groups().len().checked_sub(1).filter(|last| *last > 0)?;
    let mut signals = robots.records().filter(is_signal);
    let first = signals.next()?;
    if first.group != Some(last) {
        return None;
    }
    let group = robots.group(last)?;
    let names_everyone = group.agents().any(|agent| agent.agent(TokenMatch::Exact) == AgentName::Everyone);
    let is_rule = |record: &Record<'_>| matches!(record.kind, Kind::Allow | Kind::Disallow);
    let rule_follows = group.records().any(|record| is_rule(&record) && record.line > first.line);
    (!names_everyone && !rule_follows).then_some(first.line)
}

fn of_signal_group(robots: &RobotsTxt, group: &Group<'_>, viewpoint: &Viewpoint, findings: &mut Findings) {
    let Some(agent) = group.agents().next() else { return };
    let selection: Selection = robots.selection_of(agent.agent(TokenMatch::Exact), TokenMatch::Exact);
    let rules = robots.rules(&selection);
    for record in group.records().filter(is_on_paths) {
        if rules.access(&literal(record.value)).verdict == Verdict::Disallow {
            findings.add(Lint::SignalOnClosedPath, record.line);
        }
    }
    for record in group.records().filter(|record| record.is_named("content-usage")) {
        of_content_usage(&record, viewpoint, findings);
    }
    let site = Site { robots, selection: &selection };
    let policy = AiprefPolicy::new(Some(&site), viewpoint);
    for rule in policy.rules().rules().iter().filter(|rule| rule.flaw().is_some()) {
        let in_group = group.records().any(|record| record.line == rule.line());
        let path = rule.path().map(|path| literal(path.as_bytes()));
        if in_group && path.is_some_and(|path| policy.rules().decide(&path).hiding_flaw().is_some()) {
            findings.add(Lint::HidesShorterRule, rule.line());
        }
    }
}

/// A value that is no dictionary, but of whose pieces some say yes or no to a label that a draft knows.
fn of_content_usage(record: &Record<'_>, viewpoint: &Viewpoint, findings: &mut Findings) {
    let (_, value) = crate::signals::aipref_attach::split_rule(record.value);
    let strict = crate::signals::aipref_vocab::Statement::parse(value, &viewpoint.vocabulary);
    let says = |piece: &[u8]| {
        let text = String::from_utf8_lossy(piece.trim_ascii()).into_owned();
        let (label, answer) = text.split_once('=').unwrap_or_default();
        let is_label = viewpoint.vocabulary.label(label.trim()).is_some();
        is_label && matches!(answer.trim(), "y" | "n")
    };
    let plain = LabelValues::of(value) != LabelValues::UNKNOWN || value.split(|byte| *byte == b',').any(says);
    if strict.is_err() && plain {
        findings.add(Lint::StrictPlainDiffer, record.line);
    }
}

/// Returns the path that a value begins with, up to its first wildcard; `/` where it has none.
fn literal(value: &[u8]) -> UrlPath {
    let is_end = |byte: &u8| matches!(byte, b'*' | b'$') || byte.is_ascii_whitespace();
    let end = value.iter().position(is_end).unwrap_or(value.len());
    let path = value.get(..end).filter(|path| path.starts_with(b"/")).unwrap_or(b"/");
    UrlPath::new(path, None)
}
