//! The results of `explain` for a scenario, as values.
//!
//! Example: the access to a page with the line that decided, the lines beside it, and the rule that would have decided without
//! it. Left out: the output; `json` and the command write it.
//!
//! A vendor may document a meaning for AI for an existing rule, which binds only its crawlers and changes no label (RULES TAG-19):
//! `noarchive` is about training at Microsoft and at Amazon. docs/agents.md has the same entries, with page and date.

use super::questions::{
    AppDirectivesAnswer, AutomationAnswer, Preferences, RobotsTags, StatementsAnswer, SupAnswer, TagAnswer,
};
use super::requests::RobotsRequest;
use super::robots_lines::{RobotsFile, RobotsLine};
use super::scenario::Scenario;
use super::systems::{LabelEvidence, SystemExplanation};
use crate::robots::Matched;
use crate::systems::Value;
use crate::verdict::{AgentsTable, Current, PageDecision, Request, SiteBody};
use serde::Serialize;
use std::sync::LazyLock;

/// The answers to a scenario.
pub struct Explanation<'s> {
    /// The decision about the page, if the scenario has one.
    pub page: Option<PageExplanation<'s>>,
    /// The combined meaning of its statements of the AI preference vocabulary.
    pub statements: Option<StatementsAnswer>,
    /// The meaning of the lines of its robots tag.
    pub tag: Option<TagAnswer>,
    /// The meaning of the robots tags among its header fields and metas.
    pub robots_tags: Option<RobotsTags>,
    /// The answer of SUP.
    pub sup: Option<SupAnswer>,
}

/// The decision about a page with its reasons.
pub struct PageExplanation<'s> {
    /// The scenario with the page, its captures and the viewpoint.
    pub scenario: &'s Scenario,
    /// The number of agents in the table, including the viewpoint's.
    pub agents: usize,
    /// The decision, in which bytes of the rule outside UTF-8 are shown.
    pub decision: PageDecision,
    /// How the groups of robots.txt were found.
    pub matched: Option<Matched>,
    /// What is known of robots.txt.
    pub current: Current<SiteBody>,
    /// The robots.txt that counts, if one was read.
    pub file: Option<RobotsFile>,
    /// The requests on which the decision rests, the first one first; its copy is the one that counts.
    pub hops: Vec<RobotsRequest<'s>>,
    /// All requests for robots.txt, by time.
    pub copies: Vec<RobotsRequest<'s>>,
    /// The requests for the other site files that count.
    pub site_files: Vec<&'s Request>,
    /// The preferences of AIPREF by source.
    pub aipref: AiprefAnswer,
    /// The answer of each system, in the order of `SYSTEMS`.
    pub systems: Vec<SystemExplanation>,
    /// The answers that decided a label.
    pub evidence: Vec<LabelEvidence>,
    /// The answers to labels that did not.
    pub overruled: Vec<LabelEvidence>,
    /// The App-Directives for the application in question.
    pub app_directives: Option<AppDirectivesAnswer>,
    /// The answer of the automation-preferences.txt that counts.
    pub automation: Option<AutomationAnswer>,
}

/// The preferences of AIPREF.
#[derive(Debug)]
pub struct AiprefAnswer {
    /// Those of both sources together; `None` if they do not apply.
    pub preferences: Option<Preferences>,
    /// Those of the header, if the field was received.
    pub header: Option<Preferences>,
    /// Those of robots.txt; `None` if the path may not be crawled.
    pub robots: Option<Preferences>,
    /// The lines of robots.txt that contributed.
    pub rules: Vec<RobotsLine>,
    /// Other lines that match, the longest path first.
    pub also: Vec<RobotsLine>,
}

/// A rule's meaning at one vendor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VendorMeaning {
    /// The robots tags that must all be present, or a product token that has a group of its own.
    pub rule: &'static str,
    pub vendor: &'static str,
    /// The names of its crawlers, in lower case: tags for them have the meaning, and so have tags for all.
    #[serde(skip)]
    pub crawlers: Vec<&'static str>,
    pub meaning: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    /// The date of the page, or of its change.
    pub date: &'static str,
}

/// Every meaning, in the order of docs/agents.md.
pub static VENDOR_MEANINGS: LazyLock<Vec<VendorMeaning>> = LazyLock::new(|| {
    let lines = include_str!("../../data/vendor_meanings.tsv").lines();
    let rows = lines.filter(|line| !line.starts_with('#') && !line.starts_with("rule\t"));
    rows.filter_map(|row| {
        let mut cells = row.split('\t');
        let (rule, vendor, crawlers) = (cells.next()?, cells.next()?, cells.next()?);
        let crawlers = crawlers.split(',').filter(|name| !name.is_empty()).collect();
        let (meaning, source, date) = (cells.next()?, cells.next()?, cells.next()?);
        Some(VendorMeaning { rule, vendor, crawlers, meaning, source, date })
    })
    .collect()
});

impl VendorMeaning {
    fn is_of_a_tag(&self) -> bool {
        !self.crawlers.is_empty()
    }
}

impl PageExplanation<'_> {
    /// Returns the rules that the product token obeys if no group names it, if its vendor documents something other than the
    /// groups for `*`. The verdict ignores this.
    pub fn fallback(&self) -> Option<String> {
        let token = &self.scenario.viewpoint.token;
        let table = AgentsTable::bundled();
        Some(match table.falls_back_to(token)? {
            "none" => format!("{} ignores the groups for *", token.as_str()),
            other => format!(
                "where no group names {}, it obeys the groups for {other} before those for *",
                token.as_str()
            ),
        })
    }

    /// Returns what vendors document about robots tags of the page that bind their crawlers, and about the product token.
    pub fn vendor_meanings(&self) -> Vec<&'static VendorMeaning> {
        let token = self.scenario.viewpoint.token.as_str();
        let tags = self.tags();
        let has = |meaning: &VendorMeaning, name: &str| {
            tags.iter()
                .any(|(agent, rule)| *rule == name && (*agent == "*" || meaning.crawlers.contains(agent)))
        };
        let applies = |meaning: &&VendorMeaning| {
            if meaning.is_of_a_tag() {
                meaning.rule.split(" and ").all(|name| has(meaning, name))
            } else {
                meaning.rule.eq_ignore_ascii_case(token)
            }
        };
        let found: Vec<&'static VendorMeaning> = VENDOR_MEANINGS.iter().filter(applies).collect();
        let is_replaced = |one: &VendorMeaning| {
            let mut both = found.iter().filter(|other| other.vendor == one.vendor);
            both.any(|other| other.rule == "noarchive and nocache") && one.rule == "noarchive"
        };
        found.iter().copied().filter(|one| !is_replaced(one)).collect()
    }

    /// The robots tags that bind the product token: the agent of each, and its rule without a value.
    fn tags(&self) -> Vec<(&str, &str)> {
        let system = self.systems.iter().find(|system| system.about.name == "robots_tag");
        let values = system.into_iter().flat_map(|system| &system.values);
        let texts = values.filter_map(|value| match value {
            Value::Texts(texts) => Some(texts),
            Value::Null | Value::Truth(_) | Value::Word(_) | Value::Text(_) | Value::Structs(_) => None,
        });
        let split = texts.flatten().filter_map(|text| text.split_once(':'));
        split.map(|(agent, rule)| (agent, rule.split('=').next().unwrap_or(rule))).collect()
    }
}
