//! The sections of a summary after its findings: who may fetch, agents, uses, systems.
//!
//! Every heading names the units of its columns. Every share is of all pages, of all hosts, or of the hosts that answer:
//! robots.txt was read to its end, or does not exist (4xx). Left out: how often each value of a column occurs, see SQL.

use super::ShownCrawl;
use super::text::{SummaryPart, add_heading, add_row, add_sentence, name_width};
use crate::cli::args::ViewArgs;
use crate::cli::output::grouped;
use crawlprefs::job::{HostTally, ResolveTally};
use crawlprefs::systems::{About, Label, SYSTEMS};
use crawlprefs::verdict::RobotsState;
use crawlprefs::verdict::account::UNRECOGNISED;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const AGENTS: usize = 10;

/// Adds every section that is not empty.
pub fn add_sections(text: &mut String, shown: &ShownCrawl<'_>, view: &ViewArgs) {
    add_robots(text, shown);
    add_access(text, shown.tally, view);
    if let Some(hosts) = shown.hosts {
        add_agents(text, hosts, view);
    }
    add_uses(text, shown);
    add_systems(text, shown);
}

fn count(counts: &BTreeMap<String, u64>, name: &str) -> u64 {
    counts.get(name).copied().unwrap_or(0)
}

fn state_words(state: RobotsState) -> &'static str {
    match state {
        RobotsState::Parsed => "read",
        RobotsState::Unavailable => "not there (4xx): everything may be fetched",
        RobotsState::Unreachable => "not reachable (5xx): nothing may be fetched",
        RobotsState::RedirectUnresolved => "unknown: redirects to what is not among the inputs",
        RobotsState::OtherStatus => "unknown: answered with a status without a meaning",
        RobotsState::Unreadable => "unknown: not text, or in a coding that cannot be undone",
        RobotsState::BodyMissing => "unknown: its text is not in the archive",
        RobotsState::Undated => "unknown: no usable date",
        RobotsState::NotArchived => "unknown: none among the inputs, or only later ones",
    }
}

fn add_robots(text: &mut String, shown: &ShownCrawl<'_>) {
    let of_hosts = shown.hosts.map(|hosts| (hosts.hosts, "hosts", &hosts.states));
    let of_pages = (shown.tally.pages, "pages", &shown.tally.robots_states);
    let columns: Vec<_> = of_hosts.into_iter().chain([of_pages]).filter(|(whole, ..)| *whole > 0).collect();
    if columns.is_empty() {
        return;
    }
    let units: Vec<String> =
        columns.iter().map(|(whole, unit, _)| format!("of {} {unit}", grouped(*whole))).collect();
    add_heading(text, "robots.txt", &units.iter().map(String::as_str).collect::<Vec<_>>());
    for state in RobotsState::ALL {
        let part = |(whole, _, states)| SummaryPart::of(count(states, state.as_str()), whole);
        let parts: Vec<SummaryPart> = columns.iter().copied().map(part).collect();
        if parts.iter().any(|part| part.count > 0) {
            add_row(text, state_words(state), &parts);
        }
    }
}

fn add_access(text: &mut String, tally: &ResolveTally, view: &ViewArgs) {
    if tally.pages == 0 {
        return;
    }
    add_heading(text, &format!("May {} fetch the pages, by robots.txt?", view.viewpoint.agent()), &["pages"]);
    for (name, access) in [("yes", "allow"), ("no", "disallow"), ("unknown", "unknown")] {
        add_row(text, name, &[SummaryPart::of(count(&tally.access, access), tally.pages)]);
    }
}

/// Which agents are closed, by name or through `*`.
fn add_agents(text: &mut String, hosts: &HostTally, view: &ViewArgs) {
    let ways = [&hosts.closed_by_name, &hosts.closed_through_wildcard, &hosts.closed_in_part];
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
    add_heading(
        text,
        "Agents, and the hosts that close to them",
        &["all, by name", "all, through *", "only a part"],
    );
    let answering = grouped(hosts.answering);
    add_sentence(
        text,
        &format!(
            "  Of {answering} hosts that answer (read, or 4xx); * is every agent that a host does not name."
        ),
    );
    let shown =
        |(at, token): &(usize, &String)| *at < AGENTS || token.eq_ignore_ascii_case(&view.viewpoint.agent());
    for (_, token) in tokens.iter().copied().enumerate().filter(shown) {
        add_row(text, token, &ways.map(|counts| SummaryPart::of(count(counts, token), hosts.answering)));
    }
    let more = tokens.len().saturating_sub(AGENTS);
    if more > 0 {
        add_sentence(text, &format!("  and {more} more of the agents table, see agents_closed in sites"));
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

/// What the counts of uses are about.
pub struct SummarySubject<'t> {
    /// How many there are.
    pub whole: u64,
    /// Pages or hosts.
    pub unit: &'static str,
    /// How often each label is a yes and a no.
    pub labels: &'t BTreeMap<String, BTreeMap<String, u64>>,
}

/// Returns what a run is about: its pages, or its hosts if pages are at most one in a hundred, as in archives of robots.txt.
pub fn subject<'t>(shown: &ShownCrawl<'t>) -> SummarySubject<'t> {
    let tally = shown.tally;
    match shown.hosts {
        Some(hosts) if tally.pages <= hosts.hosts / 100 => {
            SummarySubject { whole: hosts.hosts, unit: "hosts", labels: &hosts.labels }
        }
        Some(_) | None => SummarySubject { whole: tally.pages, unit: "pages", labels: &tally.labels },
    }
}

/// The labels over all systems: of pages, or of what the files of hosts say about `/`.
fn add_uses(text: &mut String, shown: &ShownCrawl<'_>) {
    let tally = shown.tally;
    let SummarySubject { whole, unit, labels } = subject(shown);
    if labels.is_empty() {
        return;
    }
    let units = ["yes", "no", "contradicted"];
    let columns = if unit == "pages" { 3 } else { 2 };
    add_heading(
        text,
        &format!("Uses, of {} {unit}", grouped(whole)),
        units.get(..columns).unwrap_or_default(),
    );
    for label in Label::ALL {
        let Some(said) = labels.get(label.as_str()) else { continue };
        let conflicts = count(&tally.conflicts, label.as_str());
        let counts = [count(said, "allow"), count(said, "disallow"), conflicts];
        let parts = counts.map(|count| SummaryPart::of(count, whole));
        let name = format!("{} ({})", use_words(label), label.as_str());
        add_row(text, &name, parts.get(..columns).unwrap_or_default());
    }
}

/// Returns a system's title, and those of its carriers that fit.
fn system_words(about: &About) -> String {
    let width = name_width(3).saturating_sub(about.title.len() + 3);
    let mut carriers = String::new();
    for carrier in about.carriers.split(", ") {
        let carrier = carrier.replace('`', "");
        if carriers.len() + carrier.len() + 2 > width {
            break;
        }
        carriers = if carriers.is_empty() { carrier } else { format!("{carriers}, {carrier}") };
    }
    if carriers.is_empty() { about.title.to_owned() } else { format!("{} ({carriers})", about.title) }
}

/// Who uses which system. A field that two documents read counts for the system that defines it.
fn add_systems(text: &mut String, shown: &ShownCrawl<'_>) {
    let tally = shown.tally;
    let of_hosts = |system: &str| shown.hosts.map_or(0, |hosts| count(&hosts.systems, system));
    let answering = shown.hosts.map_or(0, |hosts| hosts.answering);
    let mut rows = Vec::new();
    for about in SYSTEMS.iter().map(|system| system.about()) {
        let is_own = |carrier: &str| about.same_field_as(carrier).is_none();
        let of_system = |name: &str| {
            name.split_once(' ').is_some_and(|(system, carrier)| system == about.name && is_own(carrier))
        };
        let statements =
            tally.statements.iter().filter(|(name, _)| of_system(name)).map(|(_, count)| count).sum();
        let (in_files, on_pages) = (of_hosts(about.name), count(&tally.page_systems, about.name));
        if in_files + on_pages + statements > 0 {
            // Few hosts are asked for a file beside robots.txt.
            let of_files = match about.site_file {
                Some(_) => SummaryPart::alone(in_files),
                None => SummaryPart::of(in_files, answering),
            };
            let parts = [of_files, SummaryPart::of(on_pages, tally.pages), SummaryPart::alone(statements)];
            rows.push((system_words(about), parts));
        }
    }
    if rows.is_empty() {
        return;
    }
    let columns = if shown.has_statements { 3 } else { 2 };
    let units = ["hosts, by files", "pages, themselves", "statements"];
    add_heading(text, "Systems of preferences", units.get(..columns).unwrap_or_default());
    for (name, parts) in rows {
        add_row(text, &name, parts.get(..columns).unwrap_or_default());
    }
    if tally.unreadable > 0 && shown.has_statements {
        let lines = grouped(tally.unreadable);
        add_sentence(
            text,
            &format!("  Lines and fields with a defect that no system reads without one: {lines}."),
        );
    }
    let of_none = tally.statements.iter().filter(|(name, _)| name.starts_with(UNRECOGNISED));
    let of_none: u64 = of_none.map(|(_, count)| count).sum();
    if of_none > 0 && shown.has_statements {
        let lines = grouped(of_none);
        add_sentence(
            text,
            &format!(
                "  Lines, fields and metas about AI that no system reads: {lines} (queries/adoption/unrecognised.sql)."
            ),
        );
    }
}
