//! Scenarios and answers in JSON, one a line.
//!
//! The keys of both are documented in `docs/explain.md`. Example:
//! `{"id": 1, "url": "https://a.example/p", "robots_txt": "User-agent: *\nDisallow: /p\n"}` is answered by
//! `{"id": 1, "access": "disallow", "access_line": 2, ...}`, and a scenario that cannot be read by
//! `{"id": ..., "error": ...}`.

mod input;
mod output;

pub use input::{KEYS, ScenarioError, read};
pub use output::answer;

use crate::web::shown::visible_json;
use serde_json::{Value, json};

/// Answers a scenario, also one that cannot be read.
pub fn explain(scenario: &Value) -> Value {
    try_explain(scenario)
        .unwrap_or_else(|error| json!({ "id": scenario.get("id"), "error": error.to_string() }))
}

/// Answers a scenario.
pub fn try_explain(scenario: &Value) -> Result<Value, ScenarioError> {
    let id = scenario.get("id").unwrap_or(&Value::Null);
    Ok(answer(id, &super::explain(&read(scenario)?)))
}

/// Answers a line with a scenario.
pub fn explain_line(line: &[u8]) -> Value {
    let error = |error: String| json!({ "id": null, "error": error });
    match std::str::from_utf8(line).map(serde_json::from_str) {
        Ok(Ok(scenario)) => explain(&scenario),
        Ok(Err(fault)) => error(format!("not JSON: {fault}")),
        Err(fault) => error(format!("not UTF-8: {fault}")),
    }
}

/// Returns an answer as a line in which control characters, and those that change the direction of text, are
/// escaped.
pub fn line(answer: &Value) -> String {
    visible_json(&answer.to_string()).into_owned()
}
