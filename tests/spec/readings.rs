//! Where a document can be read in more than one way, the reading that is taken is the one that is
//! documented in docs/readings.md, and the answers are by it.

use crate::vector_keys::named;
use crawlprefs::explain::json::explain;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::fs;

const FILES: [&str; 7] = [
    include_str!("../vectors/rep.json"),
    include_str!("../vectors/attach.json"),
    include_str!("../vectors/app.json"),
    include_str!("../vectors/tag.json"),
    include_str!("../vectors/auto.json"),
    include_str!("../vectors/sup.json"),
    include_str!("../vectors/combine.json"),
];

/// Returns the vectors that can be read in more than one way.
fn ambiguous() -> Vec<Value> {
    let files = FILES
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    let vectors = files.flat_map(|file| file["vectors"].as_array().expect("a list").clone());
    vectors
        .filter(|vector| vector["ambiguous"] == true)
        .collect()
}

fn readings(vector: &Value) -> &[Value] {
    vector["readings"].as_array().expect("a list")
}

fn answer(vector: &Value) -> Value {
    let mut scenario: Map<String, Value> = vector["input"].as_object().expect("an object").clone();
    scenario.insert("id".to_owned(), vector["id"].clone());
    explain(&scenario.into())
}

/// `preferences` of SUP's own vectors is the SUP reading (tests/vectors/README.md).
fn is_by(answer: &Value, reading: &Value) -> bool {
    let is_sup = answer["id"]
        .as_str()
        .is_some_and(|id| id.starts_with("sup-"));
    let found = |key: &str| match key {
        "preferences" if is_sup => answer["sup_preferences"].clone(),
        _ => named(answer, key).unwrap_or_default(),
    };
    reading["expect"]
        .as_object()
        .expect("an object")
        .iter()
        .all(|(key, expected)| found(key) == *expected)
}

#[test]
fn local_answers_are_by_the_first_reading_and_by_no_other() {
    let vectors = ambiguous();
    assert_eq!(vectors.len(), 30);
    for vector in &vectors {
        let answer = answer(vector);
        let taken: Vec<bool> = readings(vector)
            .iter()
            .map(|reading| is_by(&answer, reading))
            .collect();
        assert!(taken[0], "{}: {answer}", vector["id"]);
        assert!(
            taken[1..].iter().all(|taken| !taken),
            "{} is answered by two readings",
            vector["id"]
        );
    }
}

fn markdown(vectors: &[Value]) -> String {
    let mut text = String::from(
        "# Where a document can be read in more than one way\n\n\
         Each row is a test vector (`tests/vectors`) whose document allows more than one answer, with the reading\n\
         that `crawlprefs` takes and those that it does not. A test holds this table and the answers together.\n\n\
         | vector | case | reading taken | other readings |\n|---|---|---|---|\n",
    );
    for vector in vectors {
        let cell = |value: &Value| value.as_str().expect("text").replace('|', "\\|");
        let mut readings = readings(vector)
            .iter()
            .map(|reading| cell(&reading["reading"]));
        let taken = readings.next().expect("the first");
        let others = readings.collect::<Vec<_>>().join("; ");
        let (id, title) = (cell(&vector["id"]), cell(&vector["title"]));
        writeln!(text, "| {id} | {title} | {taken} | {others} |").expect("a String takes it");
    }
    text
}

#[test]
fn local_the_documented_readings_are_those_of_the_vectors() {
    let expected = markdown(&ambiguous());
    let found = fs::read_to_string("docs/readings.md").unwrap_or_default();
    assert!(found == expected, "docs/readings.md must be:\n{expected}");
}
