//! The answers of robots tags to a scenario of `explain --json`.
//!
//! Keys: `rules_by_token`, `effective` and `effective_tags`, in which are the draft's rules `noindex`
//! and `nosnippet` (Robots controls rules: "Unsupported rules must be ignored"); `robots_tag` with
//! every rule of the lines in a scenario's `robots_tag`, such as
//! `{"source": "x-robots-tag", "lines": ["googlebot: noindex"]}`.
//! Left out: agents of whom only a prefix (`bot:`) is written, for they have no member.

use super::{Question, add_reason};
use crate::systems::robots_tag::{Agent, Binding, Parsed, Place, is_dictionary_of_lines, lower, parse, tags};
use crate::web::field::{Carrier, Field};
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The rules that the draft has.
const OF_DRAFT: [&str; 2] = ["noindex", "nosnippet"];

/// Adds what robots tags answer.
pub(super) fn explain(question: &Question<'_>, answer: &mut Map<String, Json>) {
    if let Some(asked) = question.scenario.get("robots_tag") {
        answer.insert("robots_tag".to_owned(), lines_answer(asked));
    }
    let token = &question.viewpoint.token;
    if let Some(page) = question.page {
        return signals_answer(page.fields, token, answer);
    }
    if question.scenario.get("headers").is_some() || question.scenario.get("meta").is_some() {
        let given = given(question.scenario);
        let fields: Vec<Field<'_>> = given
            .iter()
            .map(|(carrier, name, value)| Field { carrier: *carrier, name, value: value.as_bytes() })
            .collect();
        signals_answer(&fields, token, answer);
    }
}

/// Returns the header fields and metas of a scenario without a page.
fn given(scenario: &Json) -> Vec<(Carrier, String, &str)> {
    let entries = |key: &str| scenario.get(key).and_then(Json::as_array).into_iter().flatten();
    let fields = entries("headers").filter_map(|line| field(Carrier::Header, line.get(0), line.get(1)));
    // draft-illyes-repext-02, Security Considerations: only metas in the head.
    let in_head = entries("meta").filter(|meta| meta.get("in").and_then(Json::as_str) != Some("body"));
    let metas = in_head.filter_map(|meta| field(Carrier::Meta, meta.get("name"), meta.get("content")));
    fields.chain(metas).collect()
}

fn signals_answer(fields: &[Field<'_>], token: &ProductToken, answer: &mut Map<String, Json>) {
    let binding = Binding::new(fields, token);
    let effective: Vec<&str> = OF_DRAFT.into_iter().filter(|name| binding.has(name)).collect();
    answer.insert("rules_by_token".to_owned(), json!(rules_by_token(fields, token)));
    answer.insert("effective".to_owned(), json!(effective));
    answer.insert("effective_tags".to_owned(), json!(effective));
    if !binding.rules.is_empty() {
        add_reason(answer, json!({ "system": "robots_tag", "rules": binding.rules }));
    }
}

fn field<'j>(
    carrier: Carrier,
    name: Option<&'j Json>,
    value: Option<&'j Json>,
) -> Option<(Carrier, String, &'j str)> {
    Some((carrier, name?.as_str()?.to_ascii_lowercase(), value?.as_str()?))
}

/// draft-illyes-repext-02, Application Layer Response Header: equal product tokens are merged, and
/// one without rules stays, with none.
fn rules_by_token(fields: &[Field<'_>], token: &ProductToken) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut by_token: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for tag in tags(fields, token) {
        for (agent, _) in &tag.parsed.agents_without_rules {
            by_token.entry(lower(agent.as_bytes())).or_default();
        }
        for rule in &tag.parsed.rules {
            let names = by_token.entry(lower(rule.agent.as_bytes())).or_default();
            names.extend(rule.known_name().filter(|name| rule.is_set() && OF_DRAFT.contains(name)));
        }
    }
    by_token
}

/// What stands in the lines of one field, or in metas of one name.
fn lines_answer(asked: &Json) -> Json {
    let source = asked.get("source").and_then(Json::as_str).unwrap_or_default();
    let lines = asked.get("lines").and_then(Json::as_array).into_iter().flatten();
    let lines: Vec<&[u8]> = lines.filter_map(Json::as_str).map(str::as_bytes).collect();
    let place = match source.strip_prefix("meta:") {
        Some(name) => Place::Meta(Agent::of_prefix(name.as_bytes())),
        None if source.eq_ignore_ascii_case("robots-tag") => Place::RobotsTag,
        None => Place::XRobotsTag,
    };
    let parsed: Vec<Parsed<'_>> = lines.iter().map(|line| parse(place, line)).collect();
    let mut answer = json!({
        "rules": parsed.iter().flat_map(rules).collect::<Vec<_>>(),
        "agents_without_rules": parsed.iter().flat_map(agents_without_rules).collect::<Vec<_>>(),
    });
    if !matches!(place, Place::Meta(_))
        && let Some(answer) = answer.as_object_mut()
    {
        answer.insert("valid_rfc9651_dictionary".to_owned(), is_dictionary_of_lines(&lines).into());
    }
    answer
}

fn rules<'p>(parsed: &'p Parsed<'p>) -> impl Iterator<Item = Json> + use<'p> {
    parsed.rules.iter().map(|rule| {
        json!({
            "agent": lower(rule.agent.as_bytes()), "rule": lower(rule.name),
            "value": rule.value.as_deref().map(shown), "syntax": rule.syntax.as_str(),
        })
    })
}

fn agents_without_rules<'p>(parsed: &'p Parsed<'p>) -> impl Iterator<Item = Json> + use<'p> {
    let agents = parsed.agents_without_rules.iter();
    agents.map(|(agent, syntax)| json!({ "agent": lower(agent.as_bytes()), "syntax": syntax.as_str() }))
}
