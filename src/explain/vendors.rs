//! The meaning for AI that a vendor documents for an existing rule; it binds only this vendor's crawlers.
//!
//! Documents: the vendors' own pages; each entry names its page and date. Example: `noarchive` is about training at Microsoft
//! and at Amazon, and says nothing about AI at others. Left out: labels, which no entry changes (RULES TAG-19). docs/agents.md
//! has the same entries.

use super::explanation::PageExplanation;
use crate::systems::Value;
use crate::verdict::AgentsTable;
use serde::Serialize;
use std::sync::LazyLock;

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
