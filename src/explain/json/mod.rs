//! Scenarios and answers in JSON, one per line.
//!
//! `docs/explain.md` documents the keys of both. Example:
//! `{"id": 1, "url": "https://a.example/p", "robots_txt": "User-agent: *\nDisallow: /p\n"}` is answered by
//! `{"id": 1, "access": "disallow", "access_line": 2, ...}`, and a scenario that cannot be read by `{"id": ..., "error": ...}`.
//!
//! In an answer, a column of `pages` has the column's name; systems' columns are under `columns`, and labels under `labels`:
//! `{"access": "disallow", "access_line": 2, "columns": {"sup_ai": "unknown", ...}, ...}`.

mod input;

pub use input::{KEYS, ScenarioError, read};

use super::robots_lines::numbers_and_texts;
use super::{Answered, AutomationAnswer, Explanation, PageExplanation, SystemExplanation};
use crate::robots::Matched;
use crate::systems::Label;
use crate::verdict::{Request, RobotsState, timeline::FetchOutcome};
use crate::web::url::PageUrl;
use crate::web::{preference::Preference, shown::visible_json, timestamp::Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Answers a scenario, even one that cannot be read.
pub fn explain(scenario: &Value) -> Value {
    try_explain(scenario)
        .unwrap_or_else(|error| json!({ "id": scenario.get("id"), "error": error.to_string() }))
}

pub fn try_explain(scenario: &Value) -> Result<Value, ScenarioError> {
    let id = scenario.get("id").unwrap_or(&Value::Null);
    Ok(answer(id, &super::explain(&read(scenario)?)))
}

pub fn explain_line(line: &[u8]) -> Value {
    let error = |error: String| json!({ "id": null, "error": error });
    match std::str::from_utf8(line).map(serde_json::from_str) {
        Ok(Ok(scenario)) => explain(&scenario),
        Ok(Err(fault)) => error(format!("not JSON: {fault}")),
        Err(fault) => error(format!("not UTF-8: {fault}")),
    }
}

/// Returns an answer as a line; control characters, and those that change the direction of text, are escaped.
pub fn line(answer: &Value) -> String {
    visible_json(&answer.to_string()).into_owned()
}

pub fn answer(id: &Value, explanation: &Explanation<'_>) -> Value {
    let Explanation {
        page,
        statements,
        tags,
        sup,
    } = explanation;
    let of_page = page.as_ref().map(of_page).unwrap_or_default();
    let answers = || statements.iter().chain(&of_page).chain(tags);
    // `preferences` are those of SUP only if AIPREF has none.
    let keys = sup
        .iter()
        .chain(answers())
        .filter_map(|answer| answer.keys.as_object())
        .flatten();
    let mut keys: Map<_, _> = keys
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let reasons = answers().chain(sup).flat_map(|answer| &answer.reasons);
    keys.insert("reasons".to_owned(), reasons.cloned().collect());
    keys.insert("id".to_owned(), id.clone());
    Value::Object(keys)
}

/// Returns the decision with its reasons, and the answers to other questions about the page.
fn of_page(page: &PageExplanation<'_>) -> Vec<Answered> {
    let PageExplanation {
        scenario,
        decision,
        current,
        file,
        aipref,
        systems,
        ..
    } = page;
    let viewpoint = &scenario.viewpoint;
    let time = |at: &Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    let captures = scenario.captures.as_ref();
    let file_keys = json!(file);
    let (rule_lines, rules) = numbers_and_texts(&aipref.rules);
    let (silent, others): (Vec<_>, Vec<_>) = systems.iter().partition(|system| system.is_silent());
    let mut keys = json!({
        "warc_filename": scenario.location.warc_filename,
        "warc_record_offset": scenario.location.warc_record_offset,
        "url": scenario.url.as_ref().map(PageUrl::as_str),
        "fetch_time": scenario.fetched_at.filter(|_| scenario.is_history),
        "captures": captures.map(|times| times.iter().map(time).collect::<Vec<_>>()),
        "product_token": viewpoint.token.as_str(), "vocabulary": viewpoint.vocabulary.name(),
        "token_match": viewpoint.token_match.as_str(), "agents": page.agents, "unread": decision.unread,
        "doubt": decision.doubt, "not_seen": decision.not_seen, "not_asked": scenario.not_asked(),
        "access": decision.access, "access_line": decision.access_line, "access_rule": decision.access_rule,
        "access_reason": decision.access_reason, "access_matched": page.matched,
        "disallowed_agents": decision.disallowed_agents,
        "disallowed_agents_at_least": decision.disallowed_agents_at_least, "robots_state": decision.robots_state,
        "robots_fetch_time": current.fetched_at, "robots_age_s": current.age_s,
        "robots_stale": current.fetched_at.map(|_| current.stale),
        "robots": {
            "around": file_keys["around"], "group": file_keys["group"], "also": file_keys["also"],
            "also_count": file.as_ref().map_or(0, |file| file.also_count), "replaced": file_keys["replaced"],
            "vendors": file_keys["vendors"], "lines": file_keys["lines"], "cut": file_keys["cut"],
            "redirects": current.redirects, "slack_needed_s": current.slack_needed_s,
            "hops": page.hops, "copies": page.copies,
        },
        "site_files": page.site_files.iter().map(|file| with_kind(file)).collect::<Vec<_>>(),
        "preferences": aipref.preferences, "preference_rules_also": aipref.also,
        "preference_rule_lines": rule_lines, "preference_rules": rules,
        "by_source": { "header": aipref.header, "robots": aipref.robots },
        "columns": by_name(decision.columns.iter().map(|(name, value)| (*name, value))),
        "systems": others, "silent": silent.iter().map(|system| system.about.name).collect::<Vec<_>>(),
        "vendor_meanings": page.vendor_meanings(),
        "labels": by_name(decision.labels.iter().map(|(label, preference, _)| (label.as_str(), preference))),
        "labels_from": by_name(decision.labels.iter().map(|(label, _, from)| (label.as_str(), from))),
        "conflict": decision.conflict, "evidence": page.evidence, "overruled": page.overruled,
        "doubts": page.doubts,
    });
    keys["lints"] = json!(page.lints.listed);
    keys["lints_count"] = json!(page.lints.count);
    if scenario.is_history {
        keys["robots_copy"] = json!(page.hops.first().map(|hop| hop.copy));
    }
    let of_automation = |answer: &AutomationAnswer| Answered {
        keys: json!(answer),
        reasons: vec![json!({ "system": "automation_preferences", "lines": answer.lines })],
    };
    let others = page
        .app_directives
        .iter()
        .cloned()
        .chain(page.automation.as_ref().map(of_automation));
    [Answered {
        keys,
        reasons: reasons(page),
    }]
    .into_iter()
    .chain(others)
    .collect()
}

fn reasons(page: &PageExplanation<'_>) -> Vec<Value> {
    let PageExplanation {
        scenario,
        decision,
        current,
        aipref,
        ..
    } = page;
    let (lines, rules) = numbers_and_texts(&aipref.rules);
    let mut reasons = vec![
        json!({
            "system": "rfc9309", "state": current.state, "reason": decision.access_reason,
            "line": decision.access_line, "rule": decision.access_rule, "copy_fetched": current.fetched_at,
        }),
        json!({
            "system": "aipref", "vocabulary": scenario.viewpoint.vocabulary.name(), "lines": lines,
            "rules": rules, "header": aipref.header.is_some(),
        }),
    ];
    reasons.extend(page.systems.iter().filter_map(reason));
    reasons
}

/// Systems whose reasons have keys of their own.
const REASONS_ELSEWHERE: [&str; 5] = [
    "aipref",
    "app_directives",
    "automation_preferences",
    "robots_tag",
    "sup",
];

/// Systems with lines and a field, whose reasons always say whether there is a field.
const FIELD_BESIDE_LINES: [&str; 2] = ["content_signal", "rsl"];

/// Returns the reason of a system with grounds: the lines on which its answer rests, and whether a header field does.
fn reason(system: &SystemExplanation) -> Option<Value> {
    let grounds = || system.grounds.iter().chain(&system.other_grounds);
    let (name, first) = (system.about.name, grounds().next()?);
    if REASONS_ELSEWHERE.contains(&name) {
        return None;
    }
    if name == "tdmrep" {
        return Some(json!({
            "system": name, "carrier": first.carrier, "line": first.line, "policy": system.values.get(1),
        }));
    }
    let lines: BTreeSet<u32> = grounds().filter_map(|ground| ground.line).collect();
    let has_header = grounds().any(|ground| ground.carrier == "header");
    let mut reason = json!({ "system": name, "lines": lines });
    if has_header || FIELD_BESIDE_LINES.contains(&name) {
        reason["header"] = has_header.into();
    }
    Some(reason)
}

fn by_name<'n, V: Serialize>(values: impl Iterator<Item = (&'n str, V)>) -> Map<String, Value> {
    values
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect()
}

fn with_kind(file: &Request) -> Value {
    let mut object = json!(file);
    object["kind"] = file.kind.as_str().into();
    object
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = match self.answer {
            FetchOutcome::Status(status) => status.into(),
            FetchOutcome::StatusUnreadable => "unreadable".into(),
            FetchOutcome::Stored => "stored".into(),
            FetchOutcome::NetworkError => Value::Null,
        };
        let mut object = json!({
            "url": self.url.as_str(), "fetched": self.fetched_at, "status": status, "location": self.redirect,
        });
        let (file, offset) = (
            &self.location.warc_filename,
            self.location.warc_record_offset,
        );
        for (key, value) in [
            ("warc_filename", json!(file)),
            ("warc_record_offset", json!(offset)),
        ] {
            if !value.is_null() {
                object[key] = value;
            }
        }
        object.serialize(serializer)
    }
}

impl Serialize for SystemExplanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let says = by_name(self.stated().map(|(column, value)| (column.name, value)));
        json!({
            "system": self.about.name, "says": says, "grounds": self.grounds, "elsewhere": self.elsewhere,
            "elsewhere_count": self.elsewhere_count,
        })
        .serialize(serializer)
    }
}

/// Values that are their names.
macro_rules! named {
    ($($type:ty),+) => {
        $(impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        })+
    };
}

named!(Preference, Label, Matched, RobotsState);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
