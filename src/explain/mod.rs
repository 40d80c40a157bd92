//! One decision with its reasons, by the functions that resolve a whole archive.
//!
//! Input: a scenario, a JSON object in the form that `tests/vectors/README.md` tells, such as
//! `{"id": "x", "url": "https://a.example/p", "robots_txt": "User-agent: *\nDisallow: /p\n"}`.
//! Output: an object with `id`, every key of that form's `expect` that applies, and `reasons`.
//! Left out: scenarios of systems that are not read yet; their keys are missing in the answer.

mod answer;
mod file;
mod history;
mod keys;
mod scenario;
mod systems;

pub use scenario::{Scenario, ScenarioError};

use serde_json::{Value, json};

/// Answers a scenario; what cannot be read of it is an answer with `id` and `error`.
#[must_use]
pub fn explain(scenario: &Value) -> Value {
    let id = scenario.get("id").cloned().unwrap_or(Value::Null);
    match Scenario::read(scenario) {
        Ok(read) => {
            let mut answer = answer::answer(scenario, &read);
            answer.insert("id".to_owned(), id);
            Value::Object(answer)
        }
        Err(error) => json!({ "id": id, "error": error.to_string() }),
    }
}
