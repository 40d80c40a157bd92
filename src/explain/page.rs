//! The decision about a page with its reasons, and the other answers to a scenario, as values.
//!
//! Example: the access to a page with the line that decided, the lines beside it, and the rule that would have decided without
//! it. The decision is that of [`Resolver::decide`]. Left out: the output; `json` and the command write it.
//!
//! A vendor may document a meaning for AI for an existing rule, which binds only its crawlers and changes no label (RULES TAG-19):
//! `noarchive` is about training at Microsoft and at Amazon. docs/agents.md has the same entries, with page and date.

use super::page_lints::{PageLints, page_lints};
use super::questions::{self, Answered, AutomationAnswer, Preferences, by_label};
use super::requests::{RobotsRequest, copies, hops, site_files, site_index};
use super::robots_lines::{RobotsFile, RobotsLine, RobotsText};
use super::scenario::Scenario;
use super::systems::{DoubtCitation, LabelEvidence, Sources, SystemExplanation, with_sources};
use crate::robots::{Matched, VendorTexts};
use crate::systems::{
    Page, SYSTEMS, Value, Viewpoint, aipref_attach::AiprefPolicy, path_rules::lines_of,
};
use crate::verdict::{AgentsTable, Current, PageDecision, PageRecord, Request, Resolver};
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, field::Field, path_pattern::UrlPath, shown::shown};
use serde::Serialize;
use std::sync::LazyLock;

/// The answers to a scenario.
pub struct Explanation<'s> {
    pub page: Option<PageExplanation<'s>>,
    /// The combined meaning of its statements of the AI preference vocabulary.
    pub statements: Option<Answered>,
    /// The meaning of the lines of its robots tag, and of the robots tags among its header fields and metas.
    pub tags: Vec<Answered>,
    pub sup: Option<Answered>,
}

/// The decision about a page with its reasons.
pub struct PageExplanation<'s> {
    pub scenario: &'s Scenario,
    /// The number of agents in the table, including the viewpoint's.
    pub agents: usize,
    /// The decision, in which bytes of the rule outside UTF-8 are shown.
    pub decision: PageDecision,
    pub matched: Option<Matched>,
    pub current: Current,
    /// The robots.txt that counts, if one was read.
    pub file: Option<RobotsFile>,
    /// The requests on which the decision rests, the first one first; its copy is the one that counts.
    pub hops: Vec<RobotsRequest<'s>>,
    /// All requests for robots.txt, by time.
    pub copies: Vec<RobotsRequest<'s>>,
    /// The requests for the other site files that count.
    pub site_files: Vec<&'s Request>,
    pub aipref: AiprefAnswer,
    /// The answer of each system, in the order of `SYSTEMS`.
    pub systems: Vec<SystemExplanation>,
    /// The answers that decided a label.
    pub evidence: Vec<LabelEvidence>,
    /// The answers to labels that did not.
    pub overruled: Vec<LabelEvidence>,
    /// The lines and fields in doubt, which withhold a yes.
    pub doubts: Vec<DoubtCitation>,
    /// What `lint` finds on the lines and fields that matter for the page.
    pub lints: PageLints,
    pub app_directives: Option<Answered>,
    /// The answer of the automation-preferences.txt that counts.
    pub automation: Option<AutomationAnswer>,
}

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
        let crawlers = crawlers
            .split(',')
            .filter(|name| !name.is_empty())
            .collect();
        let (meaning, source, date) = (cells.next()?, cells.next()?, cells.next()?);
        Some(VendorMeaning {
            rule,
            vendor,
            crawlers,
            meaning,
            source,
            date,
        })
    })
    .collect()
});

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
            tags.iter().any(|(agent, rule)| {
                *rule == name && (*agent == "*" || meaning.crawlers.contains(agent))
            })
        };
        let applies = |meaning: &&VendorMeaning| {
            // One without crawlers is about a product token.
            if meaning.crawlers.is_empty() {
                return meaning.rule.eq_ignore_ascii_case(token);
            }
            meaning.rule.split(" and ").all(|name| has(meaning, name))
        };
        let found: Vec<&'static VendorMeaning> = VENDOR_MEANINGS.iter().filter(applies).collect();
        let is_replaced = |one: &VendorMeaning| {
            let mut both = found.iter().filter(|other| other.vendor == one.vendor);
            both.any(|other| other.rule == "noarchive and nocache") && one.rule == "noarchive"
        };
        found
            .iter()
            .copied()
            .filter(|one| !is_replaced(one))
            .collect()
    }

    /// The robots tags that bind the product token: the agent of each, and its rule without a value.
    fn tags(&self) -> Vec<(&str, &str)> {
        let Some(Value::Texts(texts)) = self.decision.column("tag_rules") else {
            return Vec::new();
        };
        let split = texts.iter().filter_map(|text| text.split_once(':'));
        split
            .map(|(agent, rule)| (agent, rule.split('=').next().unwrap_or(rule)))
            .collect()
    }
}

/// Returns the decision about a page, and SUP's answer for it.
pub fn explain<'s>(
    scenario: &'s Scenario,
    url: &'s PageUrl<'static>,
    fields: &[Field<'_>],
) -> (PageExplanation<'s>, questions::Answered) {
    let (viewpoint, questions) = (&scenario.viewpoint, &scenario.questions);
    let resolver = Resolver::new(viewpoint.clone(), &scenario.agents);
    let index = site_index(scenario);
    let origin = url.origin();
    let Ok(site) = index.site(
        Some(&origin),
        scenario.fetched_at,
        scenario.limits(),
        &resolver,
    );
    let unread: Vec<&str> = scenario.unread.iter().map(String::as_str).collect();
    let not_seen: Vec<&str> = scenario.not_seen.iter().map(String::as_str).collect();
    let mut record = PageRecord::new(
        Some(url.clone()),
        scenario.media_type.as_deref(),
        fields,
        &unread,
    );
    record.not_seen = &not_seen;
    record.fetched_at = scenario.fetched_at;
    let decision = resolver.decide(&record, &site);
    let page = record.for_systems(decision.access.preference);
    let path = UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
    let by_robots = resolver.systems(site.robots());
    let others = |number: usize| {
        let compiled = site
            .compiled(number)
            .or(by_robots.get(number).map(Box::as_ref));
        compiled
            .map(|compiled| compiled.other_grounds(&page))
            .unwrap_or_default()
    };
    let systems = SYSTEMS.iter().zip(&decision.answers).enumerate();
    let vendors = VendorTexts::bundled();
    let of_page = |sources: &Sources<'_>| {
        let access_rule = decision.access.rule.map(|rule| shown(rule).into_owned());
        let file = sources
            .file
            .map(|file| file.explain(&path, decision.access.line, viewpoint));
        let automation = sources
            .copies
            .iter()
            .find(|(kind, _)| *kind == CaptureKind::Automation);
        let hops = hops(scenario, &origin, index.timeline());
        let doubts = sources.doubts(&resolver.in_doubt(&record, &site));
        let explanation = PageExplanation {
            scenario,
            agents: resolver.tokens.len(),
            decision: PageDecision {
                access_rule,
                ..PageDecision::from_decision(&decision, site.current.state, &resolver)
            },
            matched: decision.access.matched,
            current: site.current,
            file,
            copies: copies(scenario, &origin, hops.first().map(|hop| hop.copy)),
            hops,
            site_files: site_files(scenario, &site),
            aipref: aipref(sources.file, &page, &path, viewpoint),
            evidence: sources.evidence(&decision.labels.evidence),
            overruled: sources.evidence(&decision.labels.overruled),
            lints: page_lints(sources, &doubts, &vendors, &resolver),
            doubts,
            systems: systems
                .map(|(number, (system, answer))| {
                    sources.system(system, answer, &others(number), viewpoint)
                })
                .collect(),
            app_directives: questions::app_directives(questions, &page, sources.file, viewpoint),
            automation: automation
                .map(|(_, copy)| questions::automation(*copy, &page, viewpoint, questions)),
        };
        (explanation, questions::sup(questions, sources.file, fields))
    };
    let sources = (index.bodies(), &site);
    let Ok(explained) = with_sources(sources, (viewpoint, &vendors), fields, of_page);
    explained
}

fn aipref(
    file: Option<&RobotsText<'_>>,
    page: &Page<'_>,
    path: &UrlPath,
    viewpoint: &Viewpoint,
) -> AiprefAnswer {
    let site = file.map(RobotsText::site);
    let policy = AiprefPolicy::new(site.as_ref(), viewpoint);
    let preferences = policy.preferences(page, viewpoint);
    let named = |answers| by_label(&answers, &viewpoint.vocabulary);
    let rules = preferences
        .robots
        .and(file)
        .map(|file| file.records(lines_of(policy.longest(path))));
    let rules = rules.unwrap_or_default();
    let also = file
        .map(|file| file.also_usage(path, &rules))
        .unwrap_or_default();
    let (header, robots) = (preferences.header.map(named), preferences.robots.map(named));
    let preferences = preferences.combined().map(named);
    AiprefAnswer {
        preferences,
        header,
        robots,
        rules,
        also,
    }
}
