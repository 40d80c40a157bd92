//! The labels over all systems: which systems decided, and what `label.json` leaves open.

use crawlprefs::explain::json::explain;
use crawlprefs::robots::Extent;
use crawlprefs::systems::Label;
use crawlprefs::verdict::timeline::FetchOutcome;
use crawlprefs::verdict::{
    AgentsTable, CopyLimits, FilesOfSites, GivenBodies, PageRecord, Resolver, SiteCapture,
};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::origin::Origin;
use crawlprefs::web::preference::Preference;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;
use serde_json::{Value, json};

use crate::statement_rows::viewpoint;

/// A label with the systems that decided, for a scenario at `https://a.example/p`.
fn label(label: &str, mut scenario: Value) -> (String, Vec<String>) {
    scenario["id"] = "x".into();
    scenario["url"] = "https://a.example/p".into();
    let answer = explain(&scenario);
    let from = answer["labels_from"][label]
        .as_array()
        .expect("a list")
        .iter();
    (
        answer["labels"][label]
            .as_str()
            .expect("a label")
            .to_owned(),
        from.map(|one| one.as_str().expect("text").to_owned())
            .collect(),
    )
}

#[test]
fn label_7_a_no_that_cannot_be_read_makes_no_label_allow_and_its_carrier_is_named() {
    let robots = |lines: &str| format!("User-agent: *\nAllow: /\n{lines}\n");
    for (scenario, label, doubt) in [
        (
            json!({ "headers": [["Content-Usage", "Train-AI=n"], ["Content-Signal", "ai-train=yes"]] }),
            "unknown",
            vec!["header"],
        ),
        (
            json!({ "headers": [["Content-Usage", "Train-AI=y"], ["Content-Signal", "ai-train=yes"]] }),
            "allow",
            vec![],
        ),
        (
            json!({ "robots_txt": robots("Content-Usage: train-ai=n,\nContent-Signal: ai-train=yes") }),
            "unknown",
            vec!["robots"],
        ),
        // VOCAB-17, in both directions.
        (
            json!({ "robots_txt": robots("Content-Signal: train-ai=no\nUsage: genai=y,ai=y") }),
            "unknown",
            vec!["robots"],
        ),
        (
            json!({ "robots_txt": robots("Content-Signal: train-ai=yes\nUsage: genai=y,ai=y") }),
            "allow",
            vec![],
        ),
        (
            json!({ "headers": [["Content-Signal", "TRAIN-GENAI=n"], ["Content-Usage", "train-ai=y"]] }),
            "unknown",
            vec!["header"],
        ),
        // A no in other words, and one behind a comma that is missing.
        (
            json!({ "headers": [["Content-Usage", "train-ai=no"], ["Content-Signal", "ai-train=yes"]] }),
            "unknown",
            vec!["header"],
        ),
        (
            json!({ "robots_txt": robots("Content-Usage: train-ai=n search=y\nContent-Signal: ai-train=yes") }),
            "unknown",
            vec!["robots"],
        ),
        (
            json!({ "headers": [["Content-Signal", "search=yes; ai-train=no"], ["Content-Usage", "train-ai=y"]] }),
            "unknown",
            vec!["header"],
        ),
        // A rule that does not decide is not looked at; a disallow stays.
        (
            json!({ "robots_txt": robots("Content-Usage: /a Train-AI=n\nContent-Signal: ai-train=yes") }),
            "allow",
            vec![],
        ),
        (
            json!({ "headers": [["Content-Usage", "Train-AI=n"], ["Content-Signal", "ai-train=no"]] }),
            "disallow",
            vec!["header"],
        ),
    ] {
        let mut asked = scenario.clone();
        (asked["id"], asked["url"]) = ("x".into(), "https://a.example/p".into());
        let answer = explain(&asked);
        assert_eq!(answer["labels"]["train_ai"], label, "{scenario}");
        assert_eq!(answer["doubt"], json!(doubt), "{scenario}");
    }
}

#[test]
fn local_label_4_every_system_and_carrier_whose_answer_decided_is_named() {
    let robots = |lines: &str| format!("User-agent: *\nAllow: /\n{lines}\n");
    for (name, scenario, expected, from) in [
        ("train_ai", json!({}), "unknown", vec![]),
        (
            "train_ai",
            json!({ "robots_txt": robots("Content-Usage: train-ai=n"), "headers": [["Content-Usage", "train-ai=n"]] }),
            "disallow",
            vec!["aipref header", "aipref robots"],
        ),
        (
            "train_ai",
            json!({ "robots_txt": robots("Content-Usage: train-ai=n"), "headers": [["Content-Usage", "train-ai=y"]] }),
            "disallow",
            vec!["aipref robots"],
        ),
        (
            "train_genai",
            json!({ "robots_txt": robots("Usage: ai=n"), "headers": [["Content-Usage", "tdm=y"]] }),
            "disallow",
            vec!["sup robots"],
        ),
        (
            "tdm",
            json!({ "robots_txt": robots("Usage: tdm=n"), "headers": [["Content-Usage", "tdm=n"]] }),
            "disallow",
            vec!["aipref any", "aipref header", "sup robots"],
        ),
        (
            "search",
            json!({ "headers": [["X-Robots-Tag", "noindex"]], "meta": [{ "name": "robots", "content": "none" }] }),
            "disallow",
            vec!["robots_tag header", "robots_tag meta"],
        ),
        (
            "train_ai",
            json!({ "robots_txt": robots("AllowAITraining: /\nContent-Signal: ai-train=yes") }),
            "allow",
            vec!["content_signal robots", "ai_training robots"],
        ),
        (
            "train_ai",
            json!({ "site_files": [
                { "kind": "tdmrep", "body": "[{\"location\": \"/\", \"tdm-reservation\": 1}]" },
                { "kind": "ai_txt", "body": "User-agent: *\nDisallow: /\n" },
                { "kind": "trust_txt", "body": "datatrainingallowed=no\n" },
            ] }),
            "disallow",
            vec!["tdmrep tdmrep", "trust_txt trust_txt", "ai_txt ai_txt"],
        ),
        (
            "train_ai",
            json!({ "site_files": [{ "kind": "ai_txt", "body": "User-agent: *\nAllow: /\n" }] }),
            "unknown",
            vec![],
        ),
        (
            "train_genai",
            json!({ "site_files": [{ "kind": "trust_txt", "body": "datatrainingallowed=yes\n" }] }),
            "allow",
            vec!["trust_txt trust_txt"],
        ),
        // LABEL-3: what was not read is never a yes.
        (
            "train_genai",
            json!({ "site_files": [{ "kind": "trust_txt", "body": "datatrainingallowed=yes\n" }], "unread": ["meta"] }),
            "unknown",
            vec![],
        ),
        (
            "search",
            json!({ "headers": [["X-Robots-Tag", "noindex"]], "unread": ["body"] }),
            "disallow",
            vec!["robots_tag header"],
        ),
        // Automation, App-Directives, licences and crawlers that are shut out by name never speak.
        (
            "train_ai",
            json!({
                "robots_txt": "User-agent: *\nDisallow: /\nLicense: https://l\nApp-Directives: a;b\n",
                "automation_preferences_txt": "scope: /\n",
            }),
            "unknown",
            vec![],
        ),
        // The draft of vocabulary 01 has `ai`, and a label of its own for generative AI.
        (
            "train_genai",
            json!({ "vocabulary": "01", "headers": [["Content-Usage", "ai=n, genai=y"]] }),
            "allow",
            vec!["aipref header"],
        ),
        (
            "train_genai",
            json!({ "vocabulary": "04", "headers": [["Content-Usage", "train-ai=n"]] }),
            "disallow",
            vec!["aipref header"],
        ),
    ] {
        let (found, found_from) = label(name, scenario.clone());
        assert_eq!(
            (found.as_str(), found_from),
            (expected, from.iter().map(|one| (*one).to_owned()).collect()),
            "{scenario}"
        );
    }
}

#[test]
fn local_conflict_needs_a_yes_and_a_no_of_the_same_label() {
    let answer = |header: &str, robots: &str| {
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "headers": [["Content-Usage", header]],
            "robots_txt": format!("User-agent: *\nContent-Signal: {robots}\n"),
        }));
        answer["conflict"].clone()
    };
    assert_eq!(
        answer("train-ai=n", "ai-train=yes"),
        json!(["train_ai", "train_genai"])
    );
    assert_eq!(answer("train-ai=n", "ai-train=no"), json!([]));
    assert_eq!(answer("train-ai=n", "search=yes"), json!([]));
    // One expression with both is resolved by its own system, before anything is compared.
    assert_eq!(
        answer("search=y, train-ai=n", "search=no, ai-train=no"),
        json!(["search"])
    );
}

fn at() -> Option<Timestamp> {
    Timestamp::new(b"2026-08-10T08:00:00Z")
}

/// Returns the files of a site whose robots.txt is this one.
fn index_of(robots: &str) -> FilesOfSites<GivenBodies> {
    let mut bodies = GivenBodies::default();
    let body = bodies.add(CaptureKind::Robots, robots.as_bytes(), Extent::Whole);
    let capture = SiteCapture {
        kind: CaptureKind::Robots,
        url: PageUrl::new(b"https://a.example/robots.txt").expect("a URL"),
        fetched_at: at(),
        answer: FetchOutcome::Status(200),
        redirect: None,
        body,
        validator: None,
        segment: 0,
    };
    FilesOfSites::of_captures(bodies, [capture])
}

/// RULES Neighbours: what a policy token may not fetch is a preference of everybody's.
#[test]
fn local_a_policy_token_counts_with_the_rules_of_its_own_group() {
    let table =
        AgentsTable::read("token\tspeaks_for\nGPTBot\t\nTrainingSignal\ttrain_ai, train_genai\n");
    let (view, table) = (viewpoint("GPTBot"), table.expect("a table"));
    let resolver = Resolver::new(view, &table);
    for (robots, path, expected) in [
        (
            "User-agent: TrainingSignal\nDisallow: /a\nAllow: /b\n",
            "/a",
            Preference::Disallow,
        ),
        (
            "User-agent: TrainingSignal\nDisallow: /a\nAllow: /b\n",
            "/b",
            Preference::Allow,
        ),
        (
            "User-agent: TrainingSignal\nDisallow: /a\nAllow: /b\n",
            "/c",
            Preference::Unknown,
        ),
        ("User-agent: *\nDisallow: /\n", "/a", Preference::Unknown),
        (
            "User-agent: GPTBot\nDisallow: /\n",
            "/a",
            Preference::Unknown,
        ),
    ] {
        let index = index_of(robots);
        let url = format!("https://a.example{path}");
        let url = PageUrl::new(url.as_bytes()).expect("a URL");
        let Ok(site) = index.site(
            Some(&Origin::new(&url)),
            at(),
            CopyLimits::default(),
            &resolver,
        );
        let page = PageRecord::new(Some(url), Some("text/html"), &[], &[]);
        let labels = resolver.decide(&page, &site).labels;
        assert_eq!(
            [labels.of(Label::TrainAi), labels.of(Label::TrainGenai)],
            [expected; 2],
            "{robots}"
        );
        assert_eq!(labels.of(Label::Search), Preference::Unknown);
        let is_known = expected != Preference::Unknown;
        assert_eq!(
            labels.from(Label::TrainAi),
            if is_known {
                vec!["policy_token robots"]
            } else {
                vec![]
            }
        );
    }
}
