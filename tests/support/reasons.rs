//! The reasons of an explained answer.

use serde_json::Value;

/// Fails unless an answer of `explain --json` has a reason.
#[track_caller]
pub fn assert_has_reason(answer: &Value, reason: &Value) {
    let reasons = answer["reasons"].as_array().expect("reasons");
    assert!(reasons.contains(reason), "no {reason} in {answer}");
}
