//! Robots tags as a system of preferences: their columns, answers and statements.

use super::binding::{Binding, Tag, tags};
use super::known::{KnownRule, RuleKind};
use super::line::LineExtent;
use super::value::date;
use super::{Agent, LineFlaw, TagRule};
use crate::systems::{
    About, Answer, Compiled, Condition, Ground, Label, Lines, Mapping, Page, SiteFiles, Source, Statement,
    System, Value, Viewpoint,
};
use crate::web::column::Column;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use std::collections::BTreeMap;

/// Robots tags: draft-illyes-repext, `X-Robots-Tag`, robots metas.
pub struct RobotsTag;

const SYSTEM: &str = "robots_tag";

const COLUMNS: &[Column] = &[
    Column::boolean("tag_noindex", "whether the rule noindex in header or metas applies to product_token").or_null(),
    Column::boolean("tag_nosnippet", "whether the rule nosnippet in header or metas applies to product_token")
        .or_null(),
    Column::boolean(
        "tag_none",
        "whether the rule none in header or metas applies to product_token; it is in no other column",
    )
    .or_null(),
    Column::texts(
        "tag_rules",
        "every rule of header or metas that binds product_token, sorted: agent:rule or agent:rule=value; agent * is everyone",
    )
    .or_null(),
];

/// The labels that `noimageai` disallows for images.
pub const NOIMAGEAI_LABELS: &[Label] = &[Label::TrainAi, Label::TrainGenai];

/// Returns whether a text of `tag_rules` is `noimageai`, for any agent.
pub fn is_noimageai(rule: &str) -> bool {
    rule.rsplit(':').next() == Some("noimageai")
}

static ABOUT: About = About {
    name: SYSTEM,
    title: "robots tags",
    documents: &["draft-illyes-repext-03"],
    carriers: "`Robots-Tag`, `X-Robots-Tag`, metas `robots` and by a crawler's name, and metas that are named like the header fields",
    left_out: "metas in an explicit body, as the draft has it",
    columns: COLUMNS,
    column_prefix: "tag_",
    lines: Lines::NONE,
    fields_of_others: &[],
    site_file: None,
    labels: &[
        Mapping::disallow("noai", &[Label::TrainAi, Label::TrainGenai]),
        Mapping::disallow("noml", &[Label::TrainAi, Label::TrainGenai]),
        Mapping::disallow("notrain", &[Label::TrainAi, Label::TrainGenai]),
        // draft-canel's rule of robots.txt, as a rule of a page (LIVE-4).
        Mapping::disallow("disallowaitraining", &[Label::TrainAi, Label::TrainGenai]),
        Mapping::disallow("noimageai", NOIMAGEAI_LABELS).only(Condition::Image),
        Mapping::disallow("noindex", &[Label::Search]),
        Mapping::disallow("none", &[Label::Search]),
    ],
};

impl System for RobotsTag {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn compile(&self, _files: &SiteFiles<'_>, _viewpoint: &Viewpoint) -> Box<dyn Compiled> {
        Box::new(RobotsTagPolicy)
    }

    fn statements(&self, source: &Source<'_>, viewpoint: &Viewpoint, give: &mut dyn FnMut(&Statement<'_>)) {
        match source {
            Source::Record(fields) => {
                for tag in tags(fields, &viewpoint.token) {
                    give_tag_statements(&tag, give);
                }
            }
            Source::Robots(_) | Source::SiteFile(..) => {}
        }
    }
}

/// The answers of robots tags for a page; a site's files do not count.
pub struct RobotsTagPolicy;

impl Compiled for RobotsTagPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let binding = Binding::new(page.fields, &viewpoint.token, page.fetched_at);
        answer.values.extend(["noindex", "nosnippet", "none"].map(|name| Value::Truth(binding.has(name))));
        answer.values.push(Value::Texts(binding.rules));
        let mut by_rule: BTreeMap<&'static str, Vec<Ground<'_>>> = BTreeMap::new();
        for tag in tags(page.fields, &viewpoint.token) {
            if tag.parsed.extent == LineExtent::Cut {
                answer.unread.push(tag.field.carrier.unread_name());
            }
            let mut names = tag.restrictions(&viewpoint.token, page.fetched_at);
            names.sort_unstable();
            names.dedup();
            for name in names {
                by_rule.entry(name).or_default().push(Ground::field(&tag.field));
            }
        }
        for (category, grounds) in by_rule {
            answer.opinion(category, Preference::Disallow, grounds);
        }
    }
}

fn give_tag_statements(tag: &Tag<'_>, give: &mut dyn FnMut(&Statement<'_>)) {
    let whole = Statement::unread(SYSTEM, tag.field.carrier.as_str(), tag.field.value);
    let flaw = tag.parsed.flaw.map(LineFlaw::as_str);
    for rule in &tag.parsed.rules {
        let row = of_rule(rule, &whole);
        give(&Statement { defect: row.defect.or(flaw), ..row });
    }
    for (agent, _) in &tag.parsed.agents_without_rules {
        give(&Statement { agent: Some(written(*agent)), defect: Some("no_rules"), ..whole.clone() });
    }
    if tag.parsed.extent == LineExtent::Cut {
        give(&Statement { defect: Some("cut"), ..whole });
    }
}

fn of_rule<'s>(rule: &'s TagRule<'_>, whole: &Statement<'s>) -> Statement<'s> {
    let known = rule.known();
    let preference = known.and_then(|known| known.kind.preference());
    Statement {
        agent: Some(written(rule.agent)),
        key: Some(rule.name),
        value: rule.value.as_deref(),
        category: known.map(|known| known.name),
        preference: preference.filter(|_| rule.is_set()),
        defect: defect(rule),
        ..whole.clone()
    }
}

fn defect(rule: &TagRule<'_>) -> Option<&'static str> {
    match rule.known().map(|known| known.kind) {
        None => Some("unknown_rule"),
        Some(RuleKind::Valued) if rule.value.is_none() => Some("no_value"),
        // TAG-21: a date that cannot be read says nothing.
        Some(RuleKind::Valued) if is_unreadable_date(rule) => Some("unknown_value"),
        Some(RuleKind::Valued | RuleKind::Restricts | RuleKind::Permits) => None,
    }
}

fn is_unreadable_date(rule: &TagRule<'_>) -> bool {
    let is_date = rule.known().is_some_and(KnownRule::is_date);
    is_date && rule.value.as_deref().is_some_and(|value| date(value).is_none())
}

fn written(agent: Agent<'_>) -> String {
    shown(agent.as_bytes()).into_owned()
}
