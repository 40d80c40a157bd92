//! Every vector through `crawlprefs explain --json`, in its recommended reading.
//!
//! Those of robots tags found in the wild have a form of their own.

use crate::explain_command::explain;
use serde_json::{Map, Value, json};

const FILES: [(&str, &str); 9] = [
    ("label", include_str!("../vectors/label.json")),
    ("sup", include_str!("../vectors/sup.json")),
    ("auto", include_str!("../vectors/auto.json")),
    ("tag", include_str!("../vectors/tag.json")),
    ("app", include_str!("../vectors/app.json")),
    ("rep", include_str!("../vectors/rep.json")),
    ("vocab", include_str!("../vectors/vocab.json")),
    ("attach", include_str!("../vectors/attach.json")),
    ("combine", include_str!("../vectors/combine.json")),
];

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
    for (system, text) in FILES {
        let vectors = vectors(text);
        let answers = explain(&vectors.iter().map(scenario).collect::<Vec<_>>());
        assert_eq!(answers.len(), vectors.len());
        let mut keys = 0;
        for (vector, answer) in vectors.iter().zip(&answers) {
            let id = vector["id"].as_str().expect("an id");
            assert_eq!(answer["id"], vector["id"]);
            for (key, expected) in vector["expect"].as_object().expect("an object") {
                // tests/vectors/README.md: "preferences" of SUP's own vectors is the SUP reading.
                let is_sup = system == "sup" && key == "preferences";
                let found = answer.get(if is_sup { "sup_preferences" } else { key });
                if found == Some(expected) {
                    keys += 1;
                } else {
                    failing.push(format!("{id} {key}: {found:?}, expected {expected}"));
                }
            }
        }
        println!("{system}: {} vectors, {keys} keys right", vectors.len());
    }
    assert!(failing.is_empty(), "{}", failing.join("\n"));
}

/// `robots-tag-wild.json` has a form of its own; its entry stands under the key `robots_tag`.
#[test]
fn local_every_wild_robots_tag_is_answered() {
    let vectors = vectors(include_str!("../vectors/robots-tag-wild.json"));
    let scenarios: Vec<Value> =
        vectors.iter().map(|entry| json!({ "id": entry["id"], "robots_tag": entry })).collect();
    let answers = explain(&scenarios);
    assert_eq!((vectors.len(), answers.len()), (40, 40));
    let mut keys = 0;
    for (entry, answer) in vectors.iter().zip(&answers) {
        let found = &answer["robots_tag"];
        for key in ["rules", "agents_without_rules", "valid_rfc9651_dictionary"] {
            if let Some(expected) = entry.get(key) {
                assert_eq!(found[key], *expected, "{} {key}", entry["id"]);
                keys += 1;
            }
        }
    }
    assert!(keys >= 40, "{keys} keys");
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
        r#"{"id": 7, "url": "https://a.example/", "robots_txt_parts": [{"repeat": "ab", "times": 18446744073709551615}]}"#,
        r#""no object""#,
    ]
    .iter()
    .map(|text| serde_json::from_str(text).expect("JSON"))
    .collect();
    let answers = explain(&scenarios);
    for (scenario, answer) in scenarios.iter().zip(&answers) {
        assert_eq!(answer["id"], scenario["id"]);
        let is_error = answer["error"].as_str().is_some_and(|error| error.len() > 10);
        assert_eq!(is_error, scenario.is_object(), "{answer}");
    }
    assert_eq!(answers.len(), scenarios.len());
}

/// What is told to decide otherwise does, once the line that decided says nothing.
#[test]
fn local_the_next_rule_decides_where_the_first_says_nothing() {
    let files = FILES.iter().flat_map(|(_, text)| vectors(text));
    let scenarios: Vec<Value> = files.map(|vector| scenario(&vector)).collect();
    let (mut without, mut expected) = (Vec::new(), Vec::new());
    for (mut scenario, answer) in scenarios.iter().cloned().zip(explain(&scenarios)) {
        let (Some(line), Some(robots)) =
            (answer["crawl_rule_line"].as_u64(), scenario["robots_txt"].as_str())
        else {
            continue;
        };
        if robots.contains('\r') {
            continue;
        }
        let deciding = usize::try_from(line).expect("a line");
        let kept = (1..).zip(robots.split('\n'));
        // An empty rule has no effect, and keeps the groups apart.
        let lines: Vec<&str> =
            kept.map(|(at, text)| if at == deciding { "Disallow:" } else { text }).collect();
        scenario["robots_txt"] = lines.join("\n").into();
        without.push(scenario);
        expected.push(answer["robots"]["also"][0]["line"].clone());
    }
    let found: Vec<Value> =
        explain(&without).iter().map(|answer| answer["crawl_rule_line"].clone()).collect();
    assert_eq!(found, expected);
    assert!(expected.len() > 40 && expected.iter().filter(|line| line.is_u64()).count() > 10, "{expected:?}");
}

#[test]
fn local_an_answer_tells_the_neighbours_the_group_and_what_it_replaces() {
    let robots =
        "User-agent: *\nAllow: /a/b\nDisallow: /\n\nUser-agent: CCBot # us\nDisallow: /a\nAllow: /a/b/c";
    let scenario = json!({ "url": "https://a.example/a/b", "robots_txt": robots });
    let robots = &explain(&[scenario])[0]["robots"];
    assert_eq!(
        robots["around"],
        json!([
            { "line": 5, "text": "User-agent: CCBot # us" },
            { "line": 6, "text": "Disallow: /a" },
            { "line": 7, "text": "Allow: /a/b/c" },
        ])
    );
    assert_eq!(robots["group"], json!([{ "line": 5, "agents": "CCBot" }]));
    assert_eq!(robots["also"], json!([]));
    let replaced = json!({ "line": 2, "text": "Allow: /a/b", "crawl": "allow", "reason": "rule" });
    assert_eq!(robots["replaced"], replaced);
}
