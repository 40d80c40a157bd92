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

use crate::explain::{
    AiprefAnswer, AppDirectivesAnswer, AutomationAnswer, Explanation, LabelsExplanation, PageExplanation,
    RecordLocation, Request, RobotsExplanation, RobotsLine, RobotsRequest, StatementsAnswer, SupAnswer,
    SystemExplanation,
};
use crate::robots::Matched;
use crate::systems::app_directives::DirectiveValue;
use crate::systems::{Label, Value as Cell};
use crate::verdict::timeline::Answer;
use crate::web::preference::Preference;
use crate::web::shown::visible_json;
use crate::web::timestamp::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Answers a scenario, even one that cannot be read.
pub fn explain(scenario: &Value) -> Value {
    try_explain(scenario)
        .unwrap_or_else(|error| json!({ "id": scenario.get("id"), "error": error.to_string() }))
}

/// Answers a scenario.
pub fn try_explain(scenario: &Value) -> Result<Value, ScenarioError> {
    let id = scenario.get("id").unwrap_or(&Value::Null);
    Ok(answer(id, &super::explain(&read(scenario)?)))
}

/// Answers a scenario in one line.
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

#[derive(Default)]
struct Keys {
    keys: Map<String, Value>,
    reasons: Vec<Value>,
}

/// Returns the answer to the scenario with an id.
pub fn answer(id: &Value, explanation: &Explanation<'_>) -> Value {
    let mut keys = Keys::default();
    if let Some(statements) = &explanation.statements {
        keys.add_statements(statements);
    }
    if let Some(page) = &explanation.page {
        keys.add_page(page);
    }
    if let Some(tags) = &explanation.robots_tags {
        keys.add(json!({
            "rules_by_token": tags.by_token, "effective_tags": tags.effective,
        }));
        if !tags.rules.is_empty() {
            keys.reasons.push(json!({ "system": "robots_tag", "rules": tags.rules }));
        }
    }
    if let Some(tag) = &explanation.tag {
        keys.add(json!({ "robots_tag": tag }));
    }
    if let Some(sup) = &explanation.sup {
        keys.add_sup(sup);
    }
    keys.add(json!({ "id": id, "reasons": keys.reasons }));
    Value::Object(keys.keys)
}

impl Keys {
    fn add(&mut self, object: Value) {
        if let Value::Object(object) = object {
            self.keys.extend(object);
        }
    }

    fn add_statements(&mut self, statements: &StatementsAnswer) {
        let parses: Vec<bool> = statements.defects.iter().map(Option::is_none).collect();
        self.add(json!({ "parses": parses, "preferences": statements.preferences }));
        let defects = statements.defects.iter().flatten();
        self.reasons.extend(defects.map(|defect| json!({ "system": "aipref", "defect": defect })));
    }

    fn add_page(&mut self, page: &PageExplanation<'_>) {
        let (scenario, viewpoint) = (page.scenario, &page.scenario.viewpoint);
        let time = |at: &Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let captures = scenario.captures.as_ref();
        let captures: Option<Vec<String>> = captures.map(|times| times.iter().map(time).collect());
        self.add(json!({
            "warc_filename": scenario.location.warc_filename,
            "warc_record_offset": scenario.location.warc_record_offset,
            "url": page.url.as_str(), "fetch_time": scenario.fetched_at.filter(|_| scenario.is_history),
            "captures": captures, "unread": page.unread,
            "product_token": viewpoint.token.as_str(), "vocabulary": viewpoint.vocabulary.name(),
            "token_match": viewpoint.token_match.as_str(), "agents": page.agents,
            "site_files": page.site_files.iter().map(|request| site_file(request)).collect::<Vec<_>>(),
        }));
        self.add_access(page);
        self.add_robots(&page.robots);
        self.add_aipref(&page.aipref, viewpoint.vocabulary.name());
        self.add_systems(&page.systems);
        self.add(json!({ "vendor_meanings": page.vendor_meanings() }));
        self.add_labels(&page.labels);
        if let Some(directives) = &page.app_directives {
            self.add_app_directives(directives);
        }
        if let Some(automation) = &page.automation {
            self.add_automation(automation);
        }
    }

    fn add_access(&mut self, page: &PageExplanation<'_>) {
        let (access, robots) = (&page.access, &page.robots);
        self.add(json!({
            "access": access.preference, "access_line": access.line, "access_rule": access.rule,
            "access_reason": access.reason, "access_matched": access.matched.map(Matched::as_str),
            "disallowed_agents": access.disallowed_agents,
        }));
        self.reasons.push(json!({
            "system": "rfc9309", "state": robots.state.as_str(), "reason": access.reason,
            "line": access.line, "rule": access.rule, "copy_fetched": robots.fetched_at,
        }));
    }

    fn add_robots(&mut self, robots: &RobotsExplanation<'_>) {
        let file = json!(robots.file);
        if robots.is_history {
            self.add(json!({ "robots_copy": robots.copy }));
        }
        self.add(json!({
            "robots_state": robots.state.as_str(), "robots_fetch_time": robots.fetched_at,
            "robots_age_s": robots.age_s, "robots_stale": robots.stale,
            "robots": {
                "around": file["around"], "group": file["group"], "also": file["also"],
                "also_count": robots.file.as_ref().map_or(0, |file| file.also_count),
                "replaced": file["replaced"], "vendors": file["vendors"], "lines": file["lines"],
                "cut": file["cut"], "redirects": robots.redirects, "slack_needed_s": robots.slack_needed_s,
                "hops": robots.hops.iter().map(robots_request).collect::<Vec<_>>(),
                "copies": robots.copies.iter().map(robots_request).collect::<Vec<_>>(),
            },
        }));
    }

    fn add_aipref(&mut self, aipref: &AiprefAnswer, vocabulary: &str) {
        let (lines, rules) = (lines(&aipref.rules), texts(&aipref.rules));
        self.reasons.push(json!({
            "system": "aipref", "vocabulary": vocabulary, "lines": lines, "rules": rules,
            "header": aipref.header.is_some(),
        }));
        self.add(json!({
            "preferences": aipref.preferences, "preference_rule_lines": lines, "preference_rules": rules,
            "by_source": { "header": aipref.header, "robots": aipref.robots },
            "preference_rules_also": aipref.also,
        }));
    }

    fn add_systems(&mut self, systems: &[SystemExplanation]) {
        let columns = systems.iter().flat_map(|one| one.about.columns.iter().zip(&one.values));
        let columns: Map<String, Value> =
            columns.map(|(column, value)| (column.name.to_owned(), cell(value))).collect();
        self.reasons.extend(systems.iter().filter_map(reason));
        let (silent, others): (Vec<_>, Vec<_>) = systems.iter().partition(|system| system.is_silent());
        let silent: Vec<&str> = silent.iter().map(|system| system.about.name).collect();
        let others: Vec<Value> = others.into_iter().map(system).collect();
        self.add(json!({ "columns": columns, "systems": others, "silent": silent }));
    }

    fn add_labels(&mut self, labels: &LabelsExplanation) {
        let all = labels.labels.iter();
        let preferences: Map<String, Value> = all
            .clone()
            .map(|(label, preference, _)| (label.as_str().to_owned(), json!(preference)))
            .collect();
        let from: Map<String, Value> =
            all.map(|(label, _, from)| (label.as_str().to_owned(), json!(from))).collect();
        self.add(json!({
            "labels": preferences, "labels_from": from, "conflict": labels.conflict,
            "evidence": labels.evidence, "overruled": labels.overruled,
        }));
    }

    fn add_app_directives(&mut self, answer: &AppDirectivesAnswer) {
        let (lines, rules) = (lines(&answer.rules), texts(&answer.rules));
        self.reasons.push(json!({
            "system": "app_directives", "application": answer.application, "lines": lines, "rules": rules,
        }));
        let directives = answer.directives.as_ref().map(|directives| {
            directives.iter().map(|(name, value)| (name.clone(), directive(value))).collect::<Map<_, _>>()
        });
        self.add(json!({
            "directives": directives, "directive_rules": rules, "directive_rule_lines": lines,
        }));
    }

    fn add_automation(&mut self, automation: &AutomationAnswer) {
        let group = automation.group.as_ref();
        self.add(json!({
            "rejected": automation.rejected, "group_scope": group.map(|group| &group.scope),
            "allowed_methods": group.map(|group| &group.methods),
            "allowed_purposes": group.map(|group| &group.purposes),
            "method_allowed": group.map(|group| group.method_allowed),
        }));
        let lines = group.map(|group| &group.lines);
        self.reasons.push(json!({ "system": "automation_preferences", "lines": lines }));
    }

    /// `preferences` of a scenario with expressions are those of SUP, unless AIPREF has preferences.
    fn add_sup(&mut self, sup: &SupAnswer) {
        self.add(json!({ "sup_preferences": sup.preferences }));
        if sup.asks_expressions {
            self.keys.entry("preferences").or_insert_with(|| json!(sup.preferences));
        }
        if let Some(determination) = sup.determination {
            self.add(json!({ "determination": determination }));
        }
        if !sup.rules.is_empty() || sup.header || !sup.expressions.is_empty() {
            self.reasons.push(json!({
                "system": "sup", "lines": lines(&sup.rules), "rules": texts(&sup.rules),
                "header": sup.header, "expressions": sup.expressions,
            }));
        }
    }
}

fn system(system: &SystemExplanation) -> Value {
    let stated = system.stated().map(|(column, value)| (column.name.to_owned(), cell(value)));
    json!({
        "system": system.about.name, "says": stated.collect::<Map<_, _>>(), "grounds": system.grounds,
        "elsewhere": system.elsewhere, "elsewhere_count": system.elsewhere_count,
    })
}

/// Returns the value of a column; structs are arrays of their fields.
fn cell(value: &Cell) -> Value {
    match value {
        Cell::Null => Value::Null,
        Cell::Word(word) => (*word).into(),
        Cell::Text(text) => text.as_str().into(),
        Cell::Texts(texts) => texts.clone().into(),
        Cell::Truth(truth) => (*truth).into(),
        Cell::Structs(structs) => json!(structs),
    }
}

/// Returns the reason of a system that no other key explains.
fn reason(system: &SystemExplanation) -> Option<Value> {
    let grounds = || system.grounds.iter().chain(&system.other_grounds);
    let lines: BTreeSet<u32> = grounds().filter_map(|ground| ground.line).collect();
    let (name, first) = (system.about.name, grounds().next()?);
    let header = grounds().any(|ground| ground.carrier == "header");
    match name {
        "ai_training" | "ai_txt" | "trust_txt" => Some(json!({ "system": name, "lines": lines })),
        "content_signal" | "rsl" => Some(json!({ "system": name, "lines": lines, "header": header })),
        "tdmrep" => Some(json!({
            "system": name, "carrier": first.carrier, "line": first.line,
            "policy": system.values.get(1).map(cell),
        })),
        _ => None,
    }
}

fn lines(lines: &[RobotsLine]) -> Vec<u32> {
    lines.iter().map(|line| line.line).collect()
}

fn texts(lines: &[RobotsLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn located(mut object: Value, location: &RecordLocation) -> Value {
    if let Some(file) = &location.warc_filename {
        object["warc_filename"] = file.as_str().into();
    }
    if let Some(offset) = location.warc_record_offset {
        object["warc_record_offset"] = offset.into();
    }
    object
}

fn request(request: &Request) -> Value {
    let status = match request.answer {
        Answer::Status(status) => status.into(),
        Answer::StatusUnreadable => "unreadable".into(),
        Answer::NetworkError => Value::Null,
    };
    let object = json!({
        "url": request.url.as_str(), "fetched": request.fetched_at, "status": status,
        "location": request.redirect,
    });
    located(object, &request.location)
}

fn site_file(file: &Request) -> Value {
    let mut object = request(file);
    object["kind"] = file.kind.as_str().into();
    object
}

fn robots_request(one: &RobotsRequest<'_>) -> Value {
    let mut object = request(one.request);
    object["copy"] = one.copy.into();
    if let Some(role) = one.is {
        object["is"] = json!(role);
    }
    object
}

/// Numbers and truth values are those of JSON; a date is a number, and other values are text.
fn directive(value: &DirectiveValue) -> Value {
    let DirectiveValue { kind, text } = value;
    let of_json = match *kind {
        "integer" | "date" => text.parse::<i64>().ok().map(Value::from),
        "decimal" => text.parse::<f64>().ok().map(Value::from),
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    json!({ "type": kind, "value": of_json.unwrap_or_else(|| text.as_str().into()) })
}

impl Serialize for Preference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
