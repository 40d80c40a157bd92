//! The answers of automation-preferences.txt to a scenario of `explain --json`.
//!
//! Keys: `group_scope`, `allowed_methods` and `allowed_purposes` of the deciding group, `method_allowed`
//! for the scenario's `method` (GET where it has none), and `rejected`. Where no such file was current,
//! there are none of them.

use super::{Question, add_reason};
use crate::systems::automation_preferences::{AutomationFile, AutomationPolicy, Decision, Method};
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;
use serde_json::{Map, Value as Json, json};

/// Adds what the file answers.
pub(super) fn explain(question: &Question<'_>, answer: &mut Map<String, Json>) {
    let copies = question.copies_of(CaptureKind::Automation);
    let (Some(copy), Some(page)) = (copies.first(), question.page) else { return };
    let file = AutomationFile::parse(copy.bytes);
    let policy = AutomationPolicy::new(&file, question.viewpoint);
    let decision = policy.decide(page);
    let of = |value: fn(&Decision<'_>) -> Json| decision.as_ref().map_or(Json::Null, value);
    let method = question.scenario.get("method").and_then(Json::as_str).unwrap_or("GET");
    let allowed = decision.as_ref().map(|decision| allows(decision, method));
    let mut put = |key: &str, value: Json| drop(answer.insert(key.to_owned(), value));
    put("rejected", file.control_byte_line.is_some().into());
    put("group_scope", of(|decision| decision.scope.into()));
    put("allowed_methods", of(|decision| decision.methods.iter().map(|method| method.as_str()).collect()));
    put("allowed_purposes", of(|decision| decision.purposes.into()));
    put("method_allowed", allowed.into());
    add_reason(
        answer,
        json!({ "system": "automation_preferences", "lines": of(|decision| decision.lines.into()) }),
    );
}

/// A method that the grammar has not cannot be listed.
fn allows(decision: &Decision<'_>, method: &str) -> bool {
    Method::named(method.as_bytes()).is_some_and(|method| decision.preference(method) == Preference::Allow)
}
