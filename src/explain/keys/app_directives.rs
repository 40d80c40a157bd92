//! What App-Directives answer to a scenario of `explain --json`, for one application.
//!
//! Example: `"application": "examplesearch"` is answered by `"directives": {"widgets": {"type":
//! "boolean", "value": false}}` and the lines that name the application.
//! Left out: scenarios without an application or a page; nothing was asked then.

use serde_json::{Map, Value as Json, json};

use super::{Question, add_reason};
use crate::systems::app_directives::{AppDirectives, Application, DirectiveValue};
use crate::systems::path_rules::lines_of;
use crate::web::shown::shown;

/// Adds `directives`, `directive_rules` and `directive_rule_lines`.
pub(super) fn explain(question: &Question<'_>, answer: &mut Map<String, Json>) {
    let path = question.page.and_then(|page| page.path);
    let (Some(name), Some(path)) = (question.scenario.get("application").and_then(Json::as_str), path) else {
        return;
    };
    let rules = AppDirectives::compile_for(name, question.site, question.viewpoint);
    let decision = rules.decide(path);
    let applications = decision.applications();
    let application = applications.iter().find(|application| application.name == name);
    let lines: Vec<u32> = lines_of(decision.rules().filter(|rule| rule.stated().contains(name)));
    let text = |line: &u32| Some(shown(question.site?.robots.record_on(*line)?.text).into_owned());
    let texts: Vec<String> = lines.iter().filter_map(text).collect();
    let reason = json!({ "system": "app_directives", "application": name, "lines": lines, "rules": texts });
    add_reason(answer, reason);
    answer.insert("directives".to_owned(), application.map_or(Json::Null, directives));
    answer.insert("directive_rules".to_owned(), texts.into());
    answer.insert("directive_rule_lines".to_owned(), lines.into());
}

fn directives(application: &Application<'_>) -> Json {
    let directives = application.directives.iter();
    let typed = |value: &DirectiveValue| json!({ "type": value.kind(), "value": json_of(value) });
    Json::Object(directives.map(|(name, value)| ((*name).to_owned(), typed(value))).collect())
}

/// Numbers and truth values are those of JSON; a date is a number, all else is text.
fn json_of(value: &DirectiveValue) -> Json {
    match value {
        DirectiveValue::Integer(number) | DirectiveValue::Date(number) => (*number).into(),
        DirectiveValue::Decimal(number) => f64::from(*number).into(),
        DirectiveValue::Boolean(truth) => (*truth).into(),
        DirectiveValue::String(_)
        | DirectiveValue::Token(_)
        | DirectiveValue::Binary(_)
        | DirectiveValue::DisplayString(_) => value.text().into(),
    }
}
