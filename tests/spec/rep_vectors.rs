//! The vectors of RFC 9309: one file, one path, one crawler, one answer.
//!
//! Example: `{"id": "rep-001", "input": {"robots_txt": ..., "url": ...}, "expect": {"crawl": "allow"}}`.
//! Left out: how the file was fetched, which other modules resolve.

use crawlprefs::robots::RobotsTxt;
use crawlprefs::web::path_pattern::UrlPath;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use serde_json::Value;

/// Vectors that say how the file was fetched.
const RESOLVED_ELSEWHERE: [&str; 7] = [
    "rep-047", "rep-048", "rep-049", "rep-050", "rep-051", "rep-052", "rep-053",
];

fn vectors() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../vectors/rep.json")).expect("JSON");
    file["vectors"].as_array().expect("a list").clone()
}

fn is_resolved_elsewhere(input: &Value) -> bool {
    ["robots_fetch", "robots_history"]
        .iter()
        .any(|key| input.get(key).is_some())
}

fn body(input: &Value) -> Vec<u8> {
    match (&input["robots_txt"], &input["robots_txt_parts"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::Array(parts)) => parts.iter().flat_map(part).collect(),
        other => panic!("no file in {other:?}"),
    }
}

fn part(part: &Value) -> Vec<u8> {
    match part {
        Value::String(text) => text.clone().into_bytes(),
        _ => {
            let times = part["times"].as_u64().expect("a number");
            let text = part["repeat"].as_str().expect("a text");
            text.repeat(usize::try_from(times).expect("small"))
                .into_bytes()
        }
    }
}

fn path(url: &str) -> UrlPath {
    let url = url.split('#').next().expect("a first piece");
    let after_scheme = url.split_once("://").expect("a scheme").1;
    let start = after_scheme.find(['/', '?']).unwrap_or(after_scheme.len());
    let (path, query) = match after_scheme[start..].split_once('?') {
        Some((path, query)) => (path, Some(query.as_bytes())),
        None => (&after_scheme[start..], None),
    };
    UrlPath::new(path.as_bytes(), query)
}

#[test]
fn rfc9309_every_vector_gives_the_recommended_answer() {
    let mut seen = 0;
    for vector in vectors()
        .iter()
        .filter(|vector| !is_resolved_elsewhere(&vector["input"]))
    {
        let (id, input, expect) = (&vector["id"], &vector["input"], &vector["expect"]);
        let robots = RobotsTxt::parse(body(input));
        let token = ProductToken::new(input["product_token"].as_str().expect("a token"))
            .expect("a valid token");
        let rules = robots.rules(&robots.selection(&token, TokenMatch::Exact));
        let access = rules.access(&path(input["url"].as_str().expect("a URL")));
        for key in ["crawl", "robots_crawl"] {
            if let Some(expected) = expect.get(key) {
                assert_eq!(Value::from(access.verdict.as_str()), *expected, "{id}");
            }
        }
        if let Some(expected) = expect.get("crawl_rule") {
            let rule = access
                .rule
                .map(|rule| String::from_utf8_lossy(rule).into_owned());
            assert_eq!(Value::from(rule), *expected, "{id}");
        }
        if let Some(expected) = expect.get("crawl_rule_line") {
            assert_eq!(Value::from(access.line), *expected, "{id}");
        }
        seen += 1;
    }
    assert_eq!(seen, 47);
}

#[test]
fn local_vectors_about_fetching_are_exactly_those_listed() {
    let all = vectors();
    let elsewhere = all
        .iter()
        .filter(|vector| is_resolved_elsewhere(&vector["input"]));
    let ids: Vec<&str> = elsewhere
        .filter_map(|vector| vector["id"].as_str())
        .collect();
    assert_eq!(ids, RESOLVED_ELSEWHERE);
}
