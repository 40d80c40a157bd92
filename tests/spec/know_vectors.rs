//! What anybody received counts (RULES KNOW, FRAME-9): the vectors.

use crawlprefs::explain::json::explain;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Every vector, with the values that each key may have.
#[test]
fn know_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/know.jsonl");
    let text = fs::read_to_string(path).expect("the vectors are in the project");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("JSON");
        let answer = explain(&vector["scenario"]);
        for (key, expected) in vector["expect"].as_object().expect("an object") {
            let found = key.split('.').fold(&answer, |at, part| &at[part]);
            if found != expected {
                wrong.push(format!(
                    "{}: {key} is {found}, expected {expected}, unread {}",
                    vector["id"], answer["unread"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
