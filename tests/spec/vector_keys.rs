//! The keys of test vectors in answers of `explain`: some have another name there (the last table of docs/explain.md).

use serde_json::{Value, json};

/// Returns the value that an answer has for a vector's key; `None` where it has none.
pub fn named(answer: &Value, key: &str) -> Option<Value> {
    match key {
        // PREC-7: automation-preferences.txt may disallow for a method what robots.txt allows.
        "crawl" if answer.get("method_allowed") == Some(&json!(false)) => Some(json!("disallow")),
        "crawl" | "robots_crawl" => answer.get("access").cloned(),
        "crawl_rule" => answer.get("access_rule").cloned(),
        "crawl_rule_line" => answer.get("access_line").cloned(),
        "stale" => Some(json!(answer.get("robots_stale") == Some(&json!(true)))),
        "effective" => answer.get("effective_tags").cloned(),
        key => answer.get(key).cloned(),
    }
}
