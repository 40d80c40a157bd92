//! The timeline against the shared test vectors that have a history of robots.txt.
//!
//! Checked are `robots_state`, `robots_copy`, `stale`, and `crawl` where it follows from the state.

use std::time::Duration;

use crawlprefs::robots::Extent;
use crawlprefs::verdict::timeline::{
    BodyState, CopyLimits, Current, FetchOutcome, RobotsState, SiteBody, SiteCapture, Timeline,
};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;
use serde_json::Value;

const FILES: [&str; 2] = [
    include_str!("../vectors/rep.json"),
    include_str!("../vectors/combine.json"),
];

/// When requests are made of which a vector gives only the order.
const SOME_TIME: &str = "2025-09-01T00:00:00Z";

/// The vectors whose `crawl` needs the rules of a robots.txt. All else in them is checked here.
const NEED_RULES: [&str; 8] = [
    "rep-051",
    "combine-001",
    "combine-002",
    "combine-003",
    "combine-004",
    "combine-006",
    "combine-007",
    "combine-010",
];

/// The vectors in which a twin's file decides (KNOW-8), and nothing is known of the site's own.
const BY_TWIN: [&str; 2] = ["combine-008", "combine-009"];

fn vectors() -> Vec<Value> {
    let read = |text: &str| -> Value { serde_json::from_str(text).expect("the vectors are JSON") };
    let list = |file: Value| {
        file["vectors"]
            .as_array()
            .expect("a list of vectors")
            .clone()
    };
    let has_history = |vector: &Value| {
        ["robots_fetch", "robots_history"]
            .iter()
            .any(|key| !vector["input"][key].is_null())
    };
    FILES
        .into_iter()
        .map(read)
        .flat_map(list)
        .filter(has_history)
        .collect()
}

fn id(vector: &Value) -> &str {
    vector["id"].as_str().expect("every vector has an id")
}

fn time(value: &Value) -> Option<Timestamp> {
    Timestamp::new(value.as_str().unwrap_or(SOME_TIME).as_bytes())
}

fn page(text: &str) -> PageUrl<'_> {
    PageUrl::new(text.as_bytes()).expect("the URLs of the vectors are web pages")
}

/// The body is the position in the list; a status without a text has an empty one.
fn fetch((position, entry): (usize, &Value)) -> SiteCapture<'_> {
    let answer = match entry["status"].as_u64() {
        Some(status) => {
            FetchOutcome::Status(u16::try_from(status).expect("a status has three digits"))
        }
        None => FetchOutcome::NetworkError,
    };
    let number = u32::try_from(position).expect("a small position");
    SiteCapture {
        kind: CaptureKind::RobotsHop,
        url: page(entry["url"].as_str().expect("a fetch has a URL")),
        fetched_at: time(&entry["fetched"]),
        answer,
        redirect: entry["location"].as_str(),
        body: BodyState::Body(SiteBody {
            number,
            extent: Extent::Whole,
        }),
        validator: None,
        segment: 0,
    }
}

fn history(input: &Value) -> &[Value] {
    let list = |key: &str| input[key].as_array().map(Vec::as_slice);
    list("robots_fetch")
        .or_else(|| list("robots_history"))
        .unwrap_or_default()
}

fn current(vector: &Value) -> Current {
    let input = &vector["input"];
    let slack = Duration::from_secs(input["robots_slack"].as_u64().unwrap_or_default());
    let url = page(input["url"].as_str().expect("a page has a URL"));
    let timeline = Timeline::new(history(input).iter().enumerate().map(fetch));
    timeline.current(
        &url.origin(),
        time(&input["fetched"]),
        CopyLimits::of_slack(slack),
    )
}

fn crawl(state: RobotsState) -> Option<&'static str> {
    match state {
        RobotsState::Parsed => None,
        RobotsState::Unavailable => Some("allow"),
        RobotsState::Unreachable => Some("disallow"),
        RobotsState::RedirectUnresolved
        | RobotsState::OtherStatus
        | RobotsState::Unreadable
        | RobotsState::BodyMissing
        | RobotsState::Undated
        | RobotsState::NotArchived => Some("unknown"),
    }
}

/// Finds the record that counts by its time, which no other record of the vector has.
fn copy(vector: &Value, current: Current) -> Option<usize> {
    let counts = |entry: &Value| {
        current.fetched_at.is_some() && time(&entry["fetched"]) == current.fetched_at
    };
    history(&vector["input"]).iter().position(counts)
}

#[test]
fn vectors_say_the_same() {
    let vectors = vectors();
    let mut need_rules = Vec::new();
    for vector in &vectors {
        let (id, expect, found) = (id(vector), &vector["expect"], current(vector));
        if let Some(state) = expect["robots_state"].as_str() {
            assert_eq!(found.state.as_str(), state, "{id}");
        }
        if let Some(index) = expect.get("robots_copy") {
            let expected = index
                .as_u64()
                .map(|index| usize::try_from(index).expect("a small index"));
            assert_eq!(copy(vector, found), expected, "{id}");
        }
        if let Some(stale) = expect["stale"].as_bool() {
            assert_eq!(found.stale, stale, "{id}");
        }
        match (expect["crawl"].as_str(), crawl(found.state)) {
            (Some(_), Some(verdict)) if BY_TWIN.contains(&id) => {
                assert_eq!(verdict, "unknown", "{id}")
            }
            (Some(expected), Some(verdict)) => assert_eq!(verdict, expected, "{id}"),
            (Some(_), None) => need_rules.push(id),
            (None, _) => {}
        }
    }
    assert_eq!(need_rules, NEED_RULES);
}

#[test]
fn vectors_are_not_lost() {
    assert_eq!(vectors().len(), 19);
}

#[test]
fn rfc9309_2_3_1_2_the_last_of_a_chain_has_the_body() {
    let chain = vectors()
        .into_iter()
        .find(|vector| id(vector) == "rep-051")
        .expect("rep-051 is there");
    assert_eq!(current(&chain).body.map(|body| body.number), Some(2));
}

#[test]
fn local_six_redirects_are_flagged() {
    let chain = vectors()
        .into_iter()
        .find(|vector| id(vector) == "rep-053")
        .expect("rep-053 is there");
    assert!(current(&chain).too_many_redirects());
}
