//! Robots tags as a system of preferences: their columns, answers and statements.

use super::binding::{Binding, Tag, tags};
use super::value::date;
use super::{Agent, Syntax, TagRule};
use crate::systems::{
    About, Answer, Compiled, Condition, Give, Ground, Label, Mapping, Page, Source,
};
use crate::systems::{Statement, System, Value, Viewpoint};
use crate::web::column::Column;
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;
use std::collections::{BTreeMap, BTreeSet};

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

/// The defect of a no under another name of a list of names.
pub const NAME_IN_LIST: &str = "name_in_list";

/// The labels that `noimageai` disallows for images.
pub const NOIMAGEAI_LABELS: &[Label] = &[Label::TrainAi, Label::TrainGenai];

/// Returns whether a text of `tag_rules` is `noimageai`, for any agent.
pub fn is_noimageai(rule: &str) -> bool {
    rule.rsplit(':').next() == Some("noimageai")
}

pub static ROBOTS_TAG: System = System {
    about: &About {
        name: SYSTEM,
        title: "robots tags",
        documents: &["draft-illyes-repext-03"],
        carriers: "`Robots-Tag`, `X-Robots-Tag`, metas `robots` and by a crawler's name, and metas that are named like the header fields",
        left_out: "metas in an explicit body, as the draft has it",
        columns: COLUMNS,
        column_prefix: "tag_",
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
        ..About::NONE
    },
    compile: |_, _| Box::new(RobotsTagPolicy),
    statements: |source, viewpoint, give| {
        let Source::Record(fields) = source else {
            return;
        };
        tags(fields, &viewpoint.token).for_each(|tag| {
            give_tag_statements(&tag, give);
            give_noes_of_lists(&tag, &viewpoint.token, give);
        });
    },
};

/// The answers of robots tags for a page; a site's files do not count.
struct RobotsTagPolicy;

impl Compiled for RobotsTagPolicy {
    fn answer<'a>(&'a self, page: &Page<'a>, viewpoint: &'a Viewpoint, answer: &mut Answer<'a>) {
        let binding = Binding::new(page.fields, &viewpoint.token, page.fetched_at);
        answer
            .values
            .extend(["noindex", "nosnippet", "none"].map(|name| Value::Truth(binding.has(name))));
        answer.values.push(Value::Texts(binding.rules));
        let mut by_rule: BTreeMap<&'static str, Vec<Ground<'_>>> = BTreeMap::new();
        for tag in tags(page.fields, &viewpoint.token) {
            if tag.parsed.is_cut {
                answer.unread.push(tag.field.carrier.unread_name());
            }
            let rules = tag.binding(&viewpoint.token, page.fetched_at);
            for name in rules
                .filter_map(|(_, restriction)| restriction)
                .collect::<BTreeSet<_>>()
            {
                by_rule
                    .entry(name)
                    .or_default()
                    .push(Ground::field(&tag.field));
            }
        }
        for (category, grounds) in by_rule {
            answer.opinion(category, Preference::Disallow, grounds);
        }
    }
}

fn give_tag_statements(tag: &Tag<'_>, give: &mut Give<'_>) {
    let whole = Statement::of_field(SYSTEM, &tag.field);
    for rule in &tag.parsed.rules {
        let known = rule.known();
        give(&Statement {
            agent: Some(written(rule.agent)),
            key: Some(rule.name),
            value: rule.value.as_deref(),
            category: known.map(|known| known.name),
            preference: known
                .and_then(|known| known.preference)
                .filter(|_| rule.is_set()),
            defect: defect(rule).or(tag.parsed.flaw),
            ..whole.clone()
        });
    }
    for (agent, _) in &tag.parsed.agents_without_rules {
        give(&Statement {
            agent: Some(written(*agent)),
            defect: Some("no_rules"),
            ..whole.clone()
        });
    }
    if tag.parsed.is_cut {
        give(&Statement {
            defect: Some("cut"),
            ..whole
        });
    }
}

/// READ-19: passes on the noes under the last name of a list that has the crawler's name, or one for all, before it: `ccbot, gptbot:
/// noai`. No document has such a list, so that none of them binds the crawler; each is a doubt.
fn give_noes_of_lists(tag: &Tag<'_>, token: &ProductToken, give: &mut Give<'_>) {
    let own = |name| Some(Agent::of_prefix(name)).filter(|agent| agent.binds(token));
    // The crawler's name among those directly before a rule.
    let declared = tag.parsed.agents_without_rules.iter();
    let mut listed = declared
        .map(|(agent, _)| *agent)
        .find(|agent| agent.binds(token));
    let mut last = Agent::All;
    // The name in the list whose last name has the rules that are read.
    let mut in_list = None;
    for rule in &tag.parsed.rules {
        if rule.agent != last {
            let is_prefixed = !matches!(
                rule.syntax,
                Syntax::SfParams | Syntax::SfInnerList | Syntax::SfItem | Syntax::Draft
            );
            in_list = listed
                .take()
                .filter(|_| is_prefixed && !rule.agent.binds(token));
            last = rule.agent;
        }
        let known = rule.known();
        if known.is_none() && rule.value.is_none() {
            listed = listed.or_else(|| own(rule.name));
        } else {
            listed = None;
        }
        let refused =
            known.filter(|known| rule.is_set() && known.preference == Some(Preference::Disallow));
        if let (Some(agent), Some(known)) = (in_list, refused) {
            give(&Statement {
                agent: Some(written(agent)),
                key: Some(rule.name),
                value: rule.value.as_deref(),
                category: Some(known.name),
                defect: Some(NAME_IN_LIST),
                ..Statement::of_field(SYSTEM, &tag.field)
            });
        }
    }
}

fn defect(rule: &TagRule<'_>) -> Option<&'static str> {
    let Some(known) = rule.known() else {
        return Some("unknown_rule");
    };
    match rule.value.as_deref() {
        None => known.preference.is_none().then_some("no_value"),
        // TAG-21: a date that cannot be read says nothing.
        Some(value) => (known.is_date() && date(value).is_none()).then_some("unknown_value"),
    }
}

fn written(agent: Agent<'_>) -> String {
    shown(agent.as_bytes()).into_owned()
}
