//! The sections of a summary after its findings: who may fetch, agents, uses, systems.
//!
//! Every heading names the units of its columns. Every share is of all pages, of all hosts, or of the hosts that answer:
//! robots.txt was read to its end, or does not exist (4xx). Left out: how often each value of a column occurs, see SQL.

use super::ShownCrawl;
use super::text::{SharePart, SummaryTable, SummaryText, count};
use crate::cli::args::ViewArgs;
use crate::cli::output::grouped;
use crawlprefs::job::{HostTally, ResolveTally};
use crawlprefs::systems::{About, Label, SYSTEMS};
use crawlprefs::verdict::RobotsState;
use crawlprefs::verdict::account::UNRECOGNISED;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const AGENTS: usize = 10;

pub fn add_sections(text: &mut SummaryText, shown: &ShownCrawl<'_>, view: &ViewArgs) {
    add_robots(text, shown);
    add_access(text, shown.tally, view);
    if let Some(hosts) = shown.hosts {
        add_agents(text, hosts, view);
    }
    add_uses(text, shown);
    add_systems(text, shown);
}

fn state_words(state: RobotsState) -> &'static str {
    match state {
        RobotsState::Parsed => "read",
        RobotsState::Unavailable => "not there (4xx): everything may be fetched",
        RobotsState::Unreachable => "not reachable (5xx): nothing may be fetched",
        RobotsState::RedirectUnresolved => "unknown: redirects out of the inputs",
        RobotsState::OtherStatus => "unknown: a status without a meaning",
        RobotsState::Unreadable => "unknown: not text, or in an unknown coding",
        RobotsState::BodyMissing => "unknown: its text is not in the archive",
        RobotsState::Undated => "unknown: no usable date",
        RobotsState::NotArchived => "unknown: not in the inputs, or only later",
    }
}

fn add_robots(text: &mut SummaryText, shown: &ShownCrawl<'_>) {
    let of_hosts = shown
        .hosts
        .map(|hosts| (hosts.hosts, "hosts", &hosts.states));
    let of_pages = (shown.tally.pages, "pages", &shown.tally.robots_states);
    let columns: Vec<_> = of_hosts
        .into_iter()
        .chain([of_pages])
        .filter(|(whole, ..)| *whole > 0)
        .collect();
    if columns.is_empty() {
        return;
    }
    let mut table = SummaryTable::new("robots.txt", &[]);
    table.units = columns
        .iter()
        .map(|(whole, unit, _)| format!("of {} {unit}", grouped(*whole)))
        .collect();
    for state in RobotsState::ALL {
        let parts: Vec<SharePart> = columns
            .iter()
            .copied()
            .map(|(whole, _, states)| (count(states, state.as_str()), Some(whole)))
            .collect();
        if parts.iter().any(|(count, _)| *count > 0) {
            table.add(state_words(state), &parts);
        }
    }
    text.add_table(&table);
}

fn add_access(text: &mut SummaryText, tally: &ResolveTally, view: &ViewArgs) {
    if tally.pages == 0 {
        return;
    }
    let title = format!(
        "May {} fetch the pages, by robots.txt?",
        view.viewpoint.agent()
    );
    let mut table = SummaryTable::new(title, &["pages"]);
    for (name, access) in [("yes", "allow"), ("no", "disallow"), ("unknown", "unknown")] {
        table.add(name, &[(count(&tally.access, access), Some(tally.pages))]);
    }
    text.add_table(&table);
}

/// Which agents are closed, by name or through `*`.
fn add_agents(text: &mut SummaryText, hosts: &HostTally, view: &ViewArgs) {
    let ways = [
        &hosts.closed_by_name,
        &hosts.closed_through_wildcard,
        &hosts.closed_in_part,
    ];
    let mut tokens: Vec<&String> = ways.iter().flat_map(|counts| counts.keys()).collect();
    let by_count = |token: &&String| {
        let [by_name, wildcard, in_part] = ways.map(|counts| Reverse(count(counts, token)));
        (by_name, wildcard, in_part, token.to_ascii_lowercase())
    };
    tokens.sort_by_cached_key(by_count);
    tokens.dedup();
    if tokens.is_empty() {
        return;
    }
    let units = ["all, by name", "all, through *", "only a part"];
    let mut table = SummaryTable::new("Agents, and hosts closed to them", &units);
    let answering = grouped(hosts.answering);
    table.note = Some(format!(
        "Of {answering} hosts that answer (read, or 4xx); * is every agent that a host does not name."
    ));
    let shown = |(at, token): &(usize, &String)| {
        *at < AGENTS || token.eq_ignore_ascii_case(&view.viewpoint.agent())
    };
    for (_, token) in tokens.iter().copied().enumerate().filter(shown) {
        table.add(
            token,
            &ways.map(|counts| (count(counts, token), Some(hosts.answering))),
        );
    }
    text.add_table(&table);
    let more = tokens.len().saturating_sub(AGENTS);
    if more > 0 {
        text.add_note(&format!(
            "and {more} more of the agents table, see agents_closed in sites"
        ));
    }
}

pub fn use_words(label: Label) -> &'static str {
    match label {
        Label::Search => "search",
        Label::TrainAi => "training AI",
        Label::TrainGenai => "training generative AI",
        Label::AiInput => "input of AI answers",
        Label::Tdm => "text and data mining",
    }
}

/// How many pages or hosts a run is about, which of both, and how often each label is a yes and a no for them.
pub type SummarySubject<'t> = (
    u64,
    &'static str,
    &'t BTreeMap<String, BTreeMap<String, u64>>,
);

/// Returns what a run is about: its pages, or its hosts if pages are at most one in a hundred, as in archives of robots.txt.
pub fn subject<'t>(shown: &ShownCrawl<'t>) -> SummarySubject<'t> {
    let tally = shown.tally;
    match shown.hosts {
        Some(hosts) if tally.pages <= hosts.hosts / 100 => (hosts.hosts, "hosts", &hosts.labels),
        Some(_) | None => (tally.pages, "pages", &tally.labels),
    }
}

/// The labels over all systems: of pages, or of what the files of hosts say about `/`.
fn add_uses(text: &mut SummaryText, shown: &ShownCrawl<'_>) {
    let tally = shown.tally;
    let (whole, unit, labels) = subject(shown);
    if labels.is_empty() {
        return;
    }
    let units = ["yes", "no", "contradicted"];
    let columns = if unit == "pages" { 3 } else { 2 };
    let title = format!("Uses, of {} {unit}", grouped(whole));
    let mut table = SummaryTable::new(title, units.get(..columns).unwrap_or_default());
    for label in Label::ALL {
        let Some(said) = labels.get(label.as_str()) else {
            continue;
        };
        let conflicts = count(&tally.conflicts, label.as_str());
        let counts = [count(said, "allow"), count(said, "disallow"), conflicts];
        let parts = counts.map(|count| (count, Some(whole)));
        let name = format!("{} ({})", use_words(label), label.as_str());
        table.add(name, parts.get(..columns).unwrap_or_default());
    }
    text.add_table(&table);
}

/// Returns a system's title, and those of its carriers that fit into a line of 80 columns.
fn system_words(about: &About) -> String {
    const WIDTH: usize = 28;
    let mut words = about.title.to_owned();
    for carrier in about.carriers.split(", ") {
        let carrier = carrier.replace('`', "");
        let longer = match words.strip_suffix(')') {
            Some(begun) => format!("{begun}, {carrier})"),
            None => format!("{words} ({carrier})"),
        };
        if longer.len() > WIDTH {
            break;
        }
        words = longer;
    }
    words
}

/// Who uses which system. A field that two documents read counts for the system that defines it.
fn add_systems(text: &mut SummaryText, shown: &ShownCrawl<'_>) {
    let tally = shown.tally;
    let of_hosts = |system: &str| shown.hosts.map_or(0, |hosts| count(&hosts.systems, system));
    let answering = shown.hosts.map_or(0, |hosts| hosts.answering);
    let mut rows = Vec::new();
    for about in SYSTEMS.iter().map(|system| system.about()) {
        let is_own = |carrier: &str| about.same_field_as(carrier).is_none();
        let of_system = |name: &str| {
            name.split_once(' ')
                .is_some_and(|(system, carrier)| system == about.name && is_own(carrier))
        };
        let statements = tally
            .statements
            .iter()
            .filter(|(name, _)| of_system(name))
            .map(|(_, count)| count)
            .sum();
        let in_files = of_hosts(about.name);
        let on_pages = count(&tally.page_systems, about.name);
        if in_files + on_pages + statements > 0 {
            // Few hosts are asked for a file beside robots.txt.
            let files_of = if about.site_file.is_some() {
                None
            } else {
                Some(answering)
            };
            let parts = [
                (in_files, files_of),
                (on_pages, Some(tally.pages)),
                (statements, None),
            ];
            rows.push((system_words(about), parts));
        }
    }
    if rows.is_empty() {
        return;
    }
    let columns = if shown.has_statements { 3 } else { 2 };
    let units = ["hosts, by files", "pages", "statements"];
    let mut table = SummaryTable::new(
        "Systems of preferences",
        units.get(..columns).unwrap_or_default(),
    );
    for (name, parts) in rows {
        table.add(name, parts.get(..columns).unwrap_or_default());
    }
    text.add_table(&table);
    if !shown.has_statements {
        return;
    }
    if tally.unreadable > 0 {
        let lines = grouped(tally.unreadable);
        let what = "Lines and fields with a defect that no system reads without one";
        text.add_note(&format!("{what}: {lines}."));
    }
    let of_none = tally
        .statements
        .iter()
        .filter(|(name, _)| name.starts_with(UNRECOGNISED));
    let of_none: u64 = of_none.map(|(_, count)| count).sum();
    if of_none > 0 {
        let lines = grouped(of_none);
        let what = "Lines, fields and metas about AI that no system reads";
        text.add_note(&format!(
            "{what}: {lines} (queries/adoption/unrecognised.sql)."
        ));
    }
}
