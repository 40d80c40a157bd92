//! What the files of a site say now: who is shut out of `/`, by name and through `*`, and each label, with the line.
//!
//! Example: `Disallow: /` under `User-agent: GPTBot` shuts out `GPTBot` by name; `CCBot` is shut out through `*`.
//! Left out: other paths, which `explain --url` asks about.

use super::super::{Scenario, explain};
use crate::robots::{LineKind, RobotsTxt, VendorTexts};
use crate::systems::Label;
use crate::verdict::agents::{AskedAgent, asked_agent};
use crate::verdict::site::{Class, agents};
use crate::verdict::timeline::BodyState;
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;
use crate::web::product_token::{ProductToken, TokenMatch};
use crate::web::shown::shown;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileSays {
    /// Whether the viewpoint's crawler may fetch `/`; `None` without a robots.txt.
    pub access: Option<Preference>,
    pub access_line: Option<u32>,
    /// The names to which robots.txt closes everything, as written.
    pub closed_by_name: Vec<String>,
    /// Whether it closes everything to crawlers that it does not name.
    pub closes_others: bool,
    pub labels: Vec<SaidLabel>,
    /// The files and carriers that cannot be read in full.
    pub unread: Vec<String>,
    /// Those with something that may be a no and is not understood.
    pub doubt: Vec<String>,
    /// Names in user-agent lines that no vendor documents.
    pub unknown_agents: Vec<UnknownAgent>,
    /// How many crawlers robots.txt names.
    pub named: usize,
}

/// A label, what is said about it, and by which lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SaidLabel {
    pub label: Label,
    pub preference: Preference,
    /// Each with its system: `content_signal robots, line 3`.
    pub from: Vec<String>,
}

/// A name that is not in the agents table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownAgent {
    pub name: String,
    pub line: u32,
    /// The documented name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
}

/// The most names that are not known; each is compared with every token; any number of this size.
const MOST_UNKNOWN: usize = 200;

/// Returns what the site's files and the page's fields of a scenario say about it.
pub fn said(scenario: &Scenario) -> FileSays {
    let mut says = FileSays::default();
    if let Some(page) = explain(scenario).page {
        let has_robots = !scenario.robots.is_empty();
        let decision = page.decision;
        says.access = has_robots.then_some(decision.access);
        says.access_line = decision.access_line;
        says.labels = Label::ALL
            .into_iter()
            .map(|label| {
                let evidence = page.evidence.iter().filter(|one| one.label == label);
                let from = evidence.map(|one| {
                    let line = one
                        .citation
                        .line
                        .map(|line| format!(", line {line}"))
                        .unwrap_or_default();
                    format!("{} {}{line}", one.system, one.citation.carrier)
                });
                let mut from: Vec<String> = from.collect();
                from.dedup();
                SaidLabel {
                    label,
                    preference: decision.label(label),
                    from,
                }
            })
            .collect();
        (says.unread, says.doubt) = (decision.unread, decision.doubt);
    }
    let robots = scenario
        .robots
        .iter()
        .find(|request| request.kind == CaptureKind::Robots);
    if let Some(BodyState::Body(body)) = robots.map(|request| &request.body) {
        add_agents(&mut says, body, scenario);
    }
    says
}

fn add_agents(says: &mut FileSays, body: &[u8], scenario: &Scenario) {
    let robots = RobotsTxt::parse(body);
    if robots.is_unreadable() {
        return;
    }
    let named = robots.named_groups(TokenMatch::Exact);
    let vendors = VendorTexts::bundled();
    for facts in agents(&robots, &named, &vendors.managed(&robots)) {
        match (facts.agent, facts.class) {
            (b"*", class) => says.closes_others = class == Class::Full,
            (_, Class::Full) => says
                .closed_by_name
                .push(shown(facts.agent_raw).into_owned()),
            (_, Class::None | Class::Partial) => {}
        }
    }
    says.named = named
        .iter()
        .filter(|named| named.name != b"*" && !named.groups.is_empty())
        .count();
    says.unknown_agents = unknown_agents(&robots, scenario.agents.tokens());
}

/// Returns the names in user-agent lines that are not in an agents table, each once.
pub(super) fn unknown_agents(robots: &RobotsTxt, table: &[ProductToken]) -> Vec<UnknownAgent> {
    let mut unknown: Vec<UnknownAgent> = Vec::new();
    let agents = robots
        .records()
        .filter(|record| record.kind == LineKind::UserAgent);
    for agent in agents {
        let name = std::str::from_utf8(agent.value).unwrap_or_default();
        let name = name.split('/').next().unwrap_or_default().trim();
        let is_known = table
            .iter()
            .any(|token| token.as_str().eq_ignore_ascii_case(name));
        let is_noted = unknown
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(name));
        if name.is_empty()
            || name.starts_with('*')
            || is_known
            || is_noted
            || unknown.len() == MOST_UNKNOWN
        {
            continue;
        }
        unknown.push(UnknownAgent {
            name: name.to_owned(),
            line: agent.line,
            meant: meant(name, table),
        });
    }
    unknown
}

/// Returns the documented token that a name is a slip of.
fn meant(name: &str, table: &[ProductToken]) -> Option<String> {
    match asked_agent(name, table.iter().map(ProductToken::as_str)) {
        AskedAgent::Slip(token) => Some(token.to_owned()),
        AskedAgent::Known | AskedAgent::Unknown => None,
    }
}
