//! Every vector through `crawlprefs explain --json`, in its recommended reading.
//!
//! Systems that are not read yet have no keys in an answer; which vectors that concerns is listed,
//! and a listed key that is answered fails the test until it is struck off.

use crate::explain_command::explain;
use serde_json::{Map, Value};

const FILES: [(&str, &str); 7] = [
    ("auto", include_str!("../vectors/auto.json")),
    ("tag", include_str!("../vectors/tag.json")),
    ("app", include_str!("../vectors/app.json")),
    ("rep", include_str!("../vectors/rep.json")),
    ("vocab", include_str!("../vectors/vocab.json")),
    ("attach", include_str!("../vectors/attach.json")),
    ("combine", include_str!("../vectors/combine.json")),
];

/// Keys of systems that are not read yet, with the vectors that ask for them.
const NOT_READ_YET: &[(&str, &str)] = &[];

fn vectors(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    file["vectors"].as_array().expect("a list").clone()
}

/// A vector's input, with its id, is a scenario.
fn scenario(vector: &Value) -> Value {
    let mut scenario: Map<String, Value> = vector["input"].as_object().expect("an object").clone();
    scenario.insert("id".to_owned(), vector["id"].clone());
    scenario.into()
}

#[test]
fn local_every_vector_is_answered_in_its_recommended_reading() {
    let mut failing = Vec::new();
    let mut struck = Vec::new();
    for (system, text) in FILES {
        let vectors = vectors(text);
        let answers = explain(&vectors.iter().map(scenario).collect::<Vec<_>>());
        assert_eq!(answers.len(), vectors.len());
        let mut keys = 0;
        for (vector, answer) in vectors.iter().zip(&answers) {
            let id = vector["id"].as_str().expect("an id");
            assert_eq!(answer["id"], vector["id"]);
            for (key, expected) in vector["expect"].as_object().expect("an object") {
                let found = answer.get(key);
                let right = found == Some(expected);
                let not_read = NOT_READ_YET.contains(&(id, key));
                if right && not_read {
                    struck.push(format!("{id} {key}"));
                }
                if !right && !not_read {
                    failing.push(format!("{id} {key}: {found:?}, expected {expected}"));
                }
                keys += usize::from(right);
            }
        }
        println!("{system}: {} vectors, {keys} keys right", vectors.len());
    }
    assert!(failing.is_empty(), "{}", failing.join("\n"));
    assert!(struck.is_empty(), "answered by now, strike off: {}", struck.join(", "));
}

#[test]
fn local_what_is_no_scenario_is_answered_with_an_error() {
    let scenarios: Vec<Value> = [
        r#"{"id": 1, "url": "ftp://a.example/"}"#,
        r#"{"id": 2, "url": "https://a.example/", "vocabulary": "99"}"#,
        r#"{"id": 3, "url": "https://a.example/", "product_token": ""}"#,
        r#"{"id": 4, "url": "https://a.example/", "robots_txt": 7}"#,
        r#"{"id": 5, "url": "https://a.example/", "headers": ["x"]}"#,
        r#"{"id": 6, "url": "https://a.example/", "robots_txt_base64": "!"}"#,
        r#""no object""#,
    ]
    .iter()
    .map(|text| serde_json::from_str(text).expect("JSON"))
    .collect();
    let answers = explain(&scenarios);
    for (scenario, answer) in scenarios.iter().zip(&answers).take(6) {
        assert_eq!(answer["id"], scenario["id"]);
        assert!(answer["error"].as_str().is_some_and(|error| error.len() > 10), "{answer}");
    }
    assert_eq!(answers.len(), scenarios.len());
}
