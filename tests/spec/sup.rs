//! SUP: the vectors of draft-thomson-aipref-sup, and cases of our own, as scenarios.

use crate::statement_rows::system;
use crawlprefs::explain::json::explain;
use crawlprefs::systems::SYSTEMS;
use crawlprefs::systems::sup::SupLabel;
use serde_json::{Value as Json, json};

const SUP: &str = include_str!("../vectors/sup.json");
const COMBINE: &str = include_str!("../vectors/combine.json");

fn vectors(file: &str) -> Vec<Json> {
    let file: Json = serde_json::from_str(file).expect("JSON");
    file["vectors"].as_array().expect("a list").clone()
}

fn answer(vector: &Json) -> Json {
    let mut scenario = vector["input"].clone();
    scenario["id"] = vector["id"].clone();
    explain(&scenario)
}

#[test]
fn sup_vectors() {
    let vectors = vectors(SUP);
    assert_eq!(vectors.len(), 32);
    for vector in &vectors {
        let answer = answer(vector);
        if let Some(recommended) = vector["readings"].get(0) {
            assert_eq!(recommended["expect"], vector["expect"], "{}", vector["id"]);
        }
        for (key, expected) in vector["expect"].as_object().expect("an object") {
            let found = match key.as_str() {
                "preferences" => &answer["sup_preferences"],
                "determination" => &answer[key],
                "crawl" => &answer["access"],
                other => panic!("{}: key {other}", vector["id"]),
            };
            assert_eq!(found, expected, "{} {key}", vector["id"]);
        }
    }
}

/// Of an expression there is no other reading, so that `preferences` is SUP's, too.
#[test]
fn sup_vectors_of_expressions_have_preferences() {
    let vectors = vectors(SUP);
    let of_expressions: Vec<_> = vectors
        .iter()
        .filter(|vector| vector["input"]["expressions"].is_array())
        .collect();
    assert_eq!(of_expressions.len(), 19);
    for vector in of_expressions {
        assert_eq!(
            answer(vector)["preferences"],
            vector["expect"]["preferences"],
            "{}",
            vector["id"]
        );
    }
}

#[test]
fn combine_vectors() {
    let vectors = vectors(COMBINE);
    let ours: Vec<_> = vectors
        .iter()
        .filter(|vector| !vector["expect"]["sup_preferences"].is_null())
        .collect();
    let ids: Vec<_> = ours
        .iter()
        .filter_map(|vector| vector["id"].as_str())
        .collect();
    assert_eq!(ids, ["combine-014"]);
    for vector in ours {
        let answer = answer(vector);
        for (key, expected) in vector["expect"].as_object().expect("an object") {
            assert_eq!(&answer[key], expected, "{} {key}", vector["id"]);
        }
    }
}

/// The labels of LABEL are made by `resolve`; what they are made of is ours.
#[test]
fn label_vectors_have_their_sup_answers() {
    let all = vectors(include_str!("../vectors/label.json"));
    for (id, expected) in [
        ("label-031", ["disallow", "disallow", "disallow", "allow"]),
        ("label-032", ["unknown", "disallow", "disallow", "unknown"]),
    ] {
        let vector = all.iter().find(|vector| vector["id"] == id).expect(id);
        assert_eq!(words(&answer(vector)), expected, "{id}");
    }
}

fn words(answer: &Json) -> [&str; 4] {
    SupLabel::ALL.map(|label| {
        answer["sup_preferences"][label.as_str()]
            .as_str()
            .unwrap_or("-")
    })
}

fn of_robots(robots: &str, token: &str) -> Json {
    explain(&json!({ "url": "https://a.example/x", "product_token": token, "robots_txt": robots }))
}

#[test]
fn local_cases_of_robots_txt() {
    const NONE: [&str; 4] = ["unknown"; 4];
    for (robots, expected, why) in [
        (
            "User-agent: *\nUsage: tdm=n\nDisallow: /\n",
            ["disallow"; 4],
            "AMB-SUP-6: a closed path",
        ),
        (
            "User-agent: *\nContent-Usage: tdm=n\n",
            NONE,
            "SUP-13: another rule",
        ),
        (
            "Usage: tdm=n\nUser-agent: *\nAllow: /\n",
            NONE,
            "SUP-12: in no group",
        ),
        (
            "User-agent: *\nUsage: /a/ tdm=n\n",
            NONE,
            "SUP-13: there is no path",
        ),
        ("User-agent: *\nUsage tdm=n\n", NONE, "SUP-12: no colon"),
        (
            "User-agent: *\nUsage: tdm=n\x01\n",
            NONE,
            "RFC 9309 2.2: a control byte",
        ),
        (
            "User-agent: *\nUsage: tdm=y,tdm#=n\n",
            ["allow"; 4],
            "SUP-14: cut at the first #",
        ),
        (
            "User-agent: a\nUsage: tdm=n\nUser-agent: bot\nUsage: ai=n\n",
            AI_N,
            "SUP-12: a new group",
        ),
        (
            "User-agent: bot\nUser-agent: a\nUsage: ai=n\n",
            AI_N,
            "RFC 9309 2.2.1: two agents",
        ),
        (
            "User-agent: BOT\nUsage: ai=y\n\nUser-agent: bot\nUsage: ai=n\n",
            AI_N,
            "SUP-13: merged",
        ),
        (
            "User-agent: *\nusage \t:\tai=n\n",
            AI_N,
            "SUP-12: white space",
        ),
        ("", NONE, "an empty file"),
    ] {
        assert_eq!(words(&of_robots(robots, "bot")), expected, "{why}");
    }
}

const AI_N: [&str; 4] = ["unknown", "disallow", "disallow", "unknown"];

#[test]
fn local_cases_of_headers() {
    for (headers, expected, why) in [
        (
            json!([["content-USAGE", "ai=y"], ["Content-Usage", "ai=n"]]),
            AI_N,
            "SUP-15: lines are joined",
        ),
        (
            json!([["Content-Usage", ""], ["Content-Usage", "ai=n"]]),
            AI_N,
            "AMB-SUP-2: an empty line",
        ),
        (
            json!([["Content-Usage", "ai = n,"]]),
            AI_N,
            "AMB-SUP-2: white space and a last comma",
        ),
        (
            json!([["Content-Usage", "x=\"a,ai=n,b\""]]),
            AI_N,
            "SUP-3: no quoting",
        ),
        (
            json!([["Content-Usage", "ai;x=n, ai=n;x, ai=?0"]]),
            ["unknown"; 4],
            "SUP-16",
        ),
        (
            json!([["Usage", "ai=n"]]),
            ["unknown"; 4],
            "SUP-15: another field",
        ),
        (
            json!([["Content-Usage", "tdm#=n,ai=n#"]]),
            ["unknown"; 4],
            "SUP-14: no comments in headers",
        ),
    ] {
        let page = explain(&json!({ "url": "https://a.example/", "headers": headers }));
        let bare = explain(&json!({ "headers": headers }));
        assert_eq!(words(&page), expected, "{why}");
        assert_eq!(words(&bare), expected, "{why}, without a page");
    }
}

/// draft-thomson-aipref-sup, Content Metadata: no form is defined for metas.
#[test]
fn sup_content_metadata_metas_say_nothing() {
    let metas = json!([{ "name": "Content-Usage", "content": "tdm=n", "in": "head" }]);
    assert_eq!(
        words(&explain(
            &json!({ "url": "https://a.example/", "meta": metas })
        )),
        ["unknown"; 4]
    );
}

#[test]
fn sup_multiple_preference_expressions_over_all_sources() {
    let answer = explain(&json!({
        "url": "https://a.example/", "robots_txt": "User-agent: *\nUsage: tdm=n\nUsage: x=y\n",
        "headers": [["Content-Usage", "ai=y"]], "expressions": ["genai=n", "zzz"],
    }));
    assert_eq!(
        words(&answer),
        ["disallow", "allow", "disallow", "disallow"]
    );
    let reason = json!({
        "system": "sup", "lines": [2], "rules": ["Usage: tdm=n"], "header": true, "expressions": ["genai=n"],
    });
    assert!(
        answer["reasons"]
            .as_array()
            .expect("a list")
            .contains(&reason),
        "{answer}"
    );
    let labels = answer["preferences"].as_object().expect("AIPREF's");
    assert!(labels.contains_key("train-ai"));
}

#[test]
fn local_what_is_no_scenario_of_sup() {
    let other = explain(&json!({ "id": "x", "statements": ["tdm=n"] }));
    assert!(other.get("sup_preferences").is_none());
    for (key, value) in [
        ("expressions", json!("ai=n")),
        ("expressions", json!([1])),
        ("usage_labels", json!({})),
        ("usage_labels", json!(["ai", "foo"])),
        ("usage_labels", json!(["AI"])),
        ("default", json!({ "ai": "no" })),
        ("default", json!(["ai"])),
    ] {
        let mut scenario = json!({ "expressions": ["ai=n"], "usage_labels": ["ai"] });
        scenario[key] = value;
        let answer = explain(&scenario);
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|error| error.starts_with(key)),
            "{answer}"
        );
        assert!(answer.get("sup_preferences").is_none());
    }
}

/// Ours: without a default, nothing is determined where nothing is stated.
#[test]
fn local_determination_without_a_default() {
    for (expression, labels, expected) in [
        ("ai=y", json!(["genai"]), "allow"),
        ("ai=y", json!(["search"]), "unknown"),
        ("ai=n", json!(["search", "ai"]), "disallow"),
        ("ai=y", json!([]), "unknown"),
    ] {
        let answer = explain(&json!({ "expressions": [expression], "usage_labels": labels }));
        assert_eq!(answer["determination"], expected, "{expression} {labels}");
    }
}

#[test]
fn local_columns_are_the_labels() {
    let names: Vec<_> = system("sup")
        .about()
        .columns
        .iter()
        .map(|column| column.name.to_owned())
        .collect();
    assert_eq!(
        names,
        SupLabel::ALL.map(|label| format!("sup_{}", label.as_str()))
    );
    assert!(SYSTEMS.iter().any(|system| system.about().name == "sup"));
}
