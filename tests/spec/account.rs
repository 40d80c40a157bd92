//! The account of what a site said (RULES ACCT): the vectors, and that every unit has one fate.

use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::{FileBody, Source, Viewpoint};
use crawlprefs::verdict::account::{Fate, units};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn scenarios() -> Vec<Value> {
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/vectors")
            .join(name);
        let text = fs::read_to_string(path).expect("the vectors are in the project");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect::<Vec<Value>>()
    };
    // The others of the second file are records and heads of pages (tests/job).
    let all = [read("account.jsonl"), read("account-2.jsonl")].concat();
    all.into_iter()
        .filter(|vector| !vector["scenario"].is_null())
        .collect()
}

/// Vectors that may fail, for which docs/rules says why.
const OPEN: [&str; 3] = ["meta-idot", "list-yaml", "deny-line"];

#[test]
fn acct_2_vectors() {
    let mut wrong = Vec::new();
    let is_open = |vector: &Value| OPEN.iter().any(|id| vector["id"] == *id);
    for vector in scenarios().into_iter().filter(|vector| !is_open(vector)) {
        let answer = explain(&vector["scenario"]);
        for (key, allowed) in vector["expect"].as_object().expect("an object") {
            let found = key.split('.').fold(&answer, |at, part| &at[part]);
            if !allowed.as_array().expect("a list").contains(found) {
                wrong.push(format!(
                    "{}: {key} is {found}, doubt {}",
                    vector["id"], answer["doubt"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn label(scenario: &Value) -> (Value, Value) {
    let answer = explain(scenario);
    (
        answer["labels"]["train_ai"].clone(),
        answer["doubt"].clone(),
    )
}

const YES: &str = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes\n";

fn ask_line(line: &str, path: &str, token: &str) -> (Value, Value) {
    label(&json!({
        "id": "x", "url": format!("https://h.example{path}"),
        "product_token": token,
        "robots_txt": format!("{YES}{line}\n"),
    }))
}

#[test]
fn acct_2_a_unit_with_a_path_counts_on_that_path_alone() {
    let (doubt, sure) = (
        (json!("unknown"), json!(["robots"])),
        (json!("allow"), json!([])),
    );
    for (line, path, expected) in [
        ("AI-Training: disallow", "/p", &doubt),
        ("AI-Training: allow", "/p", &sure),
        ("AI-Training: /art/ disallow", "/art/1", &doubt),
        ("AI-Training: /art/ disallow", "/p", &sure),
        ("NoAI: /art/", "/art/1", &doubt),
        ("Allow-Training: ask", "/p", &doubt),
        ("Content-Signal: train=no", "/p", &doubt),
        ("Crawl-delay: 0", "/p", &sure),
        ("X-Note: no", "/p", &sure),
    ] {
        assert_eq!(&ask_line(line, path, "CCBot"), expected, "{line} {path}");
    }
}

/// A member that a later one of its key supersedes is read where that one is, and else as little as that one.
#[test]
fn acct_2_a_field_that_comes_twice_is_as_doubtful_as_once() {
    let ask = |values: &[&str]| {
        let headers: Vec<_> = values
            .iter()
            .map(|value| json!(["Content-Usage", value]))
            .collect();
        label(
            &json!({ "id": "x", "url": "https://h.example/", "robots_txt": YES, "headers": headers }),
        )
    };
    let (doubt, sure) = (
        (json!("unknown"), json!(["header"])),
        (json!("allow"), json!([])),
    );
    for value in ["train_ai=n, search=y", "TRAIN-AI=n", "train-ai=\"n\""] {
        for times in 1..4 {
            assert_eq!(ask(&vec![value; times]), doubt, "{value} {times} times");
        }
    }
    // READ-22: for the labels, no line revokes the no of an earlier one.
    assert_eq!(
        ask(&["train-ai=n, search=y", "train-ai=y"]),
        (json!("disallow"), json!([]))
    );
    assert_eq!(ask(&["train-ai=y", "search=y"]), sure);
    assert_eq!(ask(&["train-ai=y", "train-ai=n"]).0, json!("disallow"));
}

#[test]
fn acct_2_a_unit_counts_for_whom_its_group_binds() {
    let (doubt, sure) = (json!("unknown"), json!("allow"));
    for (line, token, expected) in [
        (
            "User-agent: GPTBot\nAI-Training: disallow",
            "GPTBot",
            json!("unknown"),
        ),
        (
            "User-agent: GPTBot\nAI-Training: disallow",
            "CCBot",
            sure.clone(),
        ),
        ("User-agent:\nAI-Training: disallow", "CCBot", doubt.clone()),
        (
            "User-agent: GPTBot, ClaudeBot\nAI-Training: disallow",
            "CCBot",
            doubt,
        ),
    ] {
        assert_eq!(ask_line(line, "/p", token).0, expected, "{line} {token}");
    }
}

#[test]
fn live_2_a_no_before_all_groups_is_a_doubt_for_a_crawler_with_a_group_of_its_own() {
    let ask = |line: &str, token: &str| {
        let robots = format!("{line}\nUser-agent: *\nAllow: /\nUser-agent: GPTBot\nAllow: /\n");
        label(&json!({
            "id": "x", "url": "https://h.example/p", "product_token": token, "robots_txt": robots,
            "headers": [["TDM-Reservation", "0"], ["Content-Usage", "train-ai=y"]],
        }))
        .0
    };
    assert_eq!(ask("Content-Signal: ai-train=no", "CCBot"), "disallow");
    assert_eq!(ask("Content-Signal: ai-train=no", "GPTBot"), "unknown");
    assert_eq!(ask("Content-Signal: search=no", "GPTBot"), "unknown");
    assert_eq!(ask("Content-Signal: ai-train=yes", "GPTBot"), "allow");
    assert_eq!(ask("DisallowAITraining: /", "CCBot"), "unknown");
    assert_eq!(ask("DisallowAITraining: /", "GPTBot"), "unknown");
    assert_eq!(ask("DisallowAITraining: /a", "GPTBot"), "allow");
}

#[test]
fn acct_2_what_one_system_reads_of_a_field_is_no_doubt_because_another_cannot() {
    let ask = |name: &str, value: &str| {
        label(&json!({
            "id": "x", "url": "https://h.example/p", "product_token": "CCBot",
            "robots_txt": YES, "headers": [[name, value]],
        }))
    };
    let (doubt, sure) = (
        (json!("unknown"), json!(["header"])),
        (json!("allow"), json!([])),
    );
    for (name, value, expected) in [
        ("Content-Usage", "search=n", &sure),
        ("Content-Usage", "search=n, train-ai=y", &sure),
        ("Content-Usage", "genai=n", &sure),
        ("Content-Usage", "train-ai=no", &doubt),
        ("Content-Usage", "Search=n", &doubt),
        ("Content-Usage", "foo=n", &sure),
        ("Content-Signal", "search=no", &sure),
        ("Content-Signal", "search=maybe", &sure),
        ("X-Robots-Tag", "noindex, nofollow, max-snippet:0", &sure),
        ("X-Robots-Tag", "no-ai-training", &doubt),
        ("X-Robots-Tag", "googlebot: no-ai-training", &sure),
        // ACCT-7: a name that is no crawler's.
        ("X-Robots-Tag", "otherbot: no-ai-training", &doubt),
        ("X-Robots-Tag", "ccbot: no", &doubt),
        ("X-Robots-Tag", "otherbot: no", &sure),
        ("X-AI-Policy", "deny", &doubt),
        ("X-Policy", "noai", &doubt),
        ("X-Policy", "no AI here", &sure),
        ("Link", "<https://h.example/no-ai>", &sure),
    ] {
        assert_eq!(&ask(name, value), expected, "{name}: {value}");
    }
}

/// Invented spellings of a no, found by asking for a yes beside them: none is read, and none lets the yes stand.
#[test]
fn acct_3_a_no_in_a_spelling_that_nobody_reads_is_a_doubt() {
    let doubt = (json!("unknown"), json!(["robots"]));
    for line in [
        "Content_Signal: search=yes, ai-train=no",
        "ContentSignal: ai-train=no",
        "Content Signal: ai-train=no",
        "X-Content-Signal: ai-train=no",
        "Content-Usages: train-ai=n",
        "Content-Use: train-ai=n",
        "Content-Usage: /train-ai=n",
        "Content-Signal: ai-train=",
        "Content-Signal: ai-train",
        "Content-Signal: !ai-train",
        "Content-Signal: ai-train=#no",
        "Content-Signal: ai-train=nope",
        "Content-Signal: search=yes, ai-train=nein",
        "Crawl-Policy: no ai",
        "License: no-ai",
        "Disallow: ai-train",
        "Disallow: AI",
        "Disallow: train-ai=n",
        "noai",
        "No-AI",
        "No AI training",
        "We do not allow AI training.",
        "Crawling is prohibited.",
        "Disallow: p",
        "Disallow: https://h.example/p",
        "Disallowed-Purposes: training",
        "App-Directives: *;noai",
        "App-Directives: /p ccbot;ai-train=?0",
    ] {
        assert_eq!(ask_line(line, "/p", "CCBot"), doubt, "{line}");
    }
    let sure = (json!("allow"), json!([]));
    for line in [
        "Content-Signal: search=yes",
        "Content-Signal: ai-train=YES",
        "Disallow: ai.html",
        "Disallow: https://h.example/q",
        "Disallow: *ai",
        "Disallow: &b=",
        "Disallow: .pdf$",
        "Disallow: x",
        "welcome to our site",
        "<p>no ai</p>",
        "Note: see /no-ai.html",
        "# Text and data mining and AI training are not permitted.",
    ] {
        assert_eq!(ask_line(line, "/p", "CCBot"), sure, "{line}");
    }
    assert_eq!(ask_line("Disallow: &b=", "/p?a=1&b=2", "CCBot"), doubt);
    assert_eq!(ask_line("Disallow: \"/p\"", "/p", "CCBot"), doubt);
    let before = label(&json!({
        "id": "x", "url": "https://h.example/p", "product_token": "CCBot", "robots_txt": "Disallow: /p\n",
        "headers": [["Content-Usage", "train-ai=y"]],
    }));
    assert_eq!(before, doubt);
    let others = "User-agent: GPTBot\nDisallow: AI\nContent-Signal: ai-train=nope";
    assert_eq!(ask_line(others, "/p", "CCBot"), sure);
}

#[test]
fn acct_3_a_meta_that_nobody_reads_as_a_no_is_a_doubt() {
    let ask = |name: &str, content: &str| {
        let meta = json!([{ "name": name, "content": content, "in": "head" }]);
        label(&json!({
            "id": "x", "url": "https://h.example/p", "product_token": "CCBot", "robots_txt": YES, "meta": meta,
        }))
        .0
    };
    for (name, content, expected) in [
        ("robots", "no ai", "unknown"),
        ("robots", "index, do not train", "unknown"),
        ("robots", "ai: no", "unknown"),
        ("robots", "ai=no", "unknown"),
        ("ai-policy", "noai", "unknown"),
        ("ccbot", "no", "unknown"),
        ("tdmrep", "1", "unknown"),
        (
            "dcterms.rights",
            "All rights reserved, no AI training",
            "unknown",
        ),
        (
            "copyright",
            "(c) 2026 Example. All rights reserved. No AI training.",
            "unknown",
        ),
        ("dc.rights", "No text and data mining", "unknown"),
        ("copyright", "AI Weekly Ltd. All rights reserved", "allow"),
        ("robots,googlebot", "noai", "disallow"),
        ("googlebot ccbot", "noai", "disallow"),
        ("googlebot", "noai", "allow"),
        ("gptbot", "no", "allow"),
        ("robots", "index, follow, all the search engines", "allow"),
        ("news_keywords", "No, AI, schools", "allow"),
    ] {
        assert_eq!(ask(name, content), expected, "{name}: {content}");
    }
}

#[test]
fn acct_3_a_no_of_a_system_without_labels_withholds_a_yes() {
    let prohibits =
        |element: &str| format!("<rsl><content><license>{element}</license></content></rsl>");
    for (element, expected) in [
        ("<prohibits type=\"usage\">ai-train</prohibits>", "unknown"),
        (
            "<prohibits type='Usage'><![CDATA[ train-ai ]]></prohibits>",
            "unknown",
        ),
        ("<permits type=\"usage\">search</permits>", "allow"),
        ("<prohibits type=\"geo\">CN</prohibits>", "allow"),
    ] {
        let script = json!([{ "name": "application/rsl+xml", "content": prohibits(element), "carrier": "script" }]);
        let page = json!({ "url": "https://h.example/p", "robots_txt": YES, "meta": script });
        assert_eq!(label(&page).0, expected, "{element}");
    }
    for (line, expected) in [
        ("noai: true", "unknown"),
        ("disallowed-purposes: training", "unknown"),
        ("allowed-purposes: no-ai-training", "unknown"),
        ("allowed-purposes: search", "allow"),
        ("user-agent: CCBot", "allow"),
    ] {
        let file = format!("scope: /\nallowed-methods: GET\n{line}\n");
        let page = json!({ "url": "https://h.example/p", "robots_txt": YES, "automation_preferences_txt": file });
        assert_eq!(label(&page).0, expected, "{line}");
    }
}

#[test]
fn acct_4_a_near_miss_makes_access_and_labels_unknown() {
    for line in [
        "- Disallow: /private",
        "\"User-agent: GPTBot\"",
        "Disallow; /",
    ] {
        let answer = explain(&json!({
            "id": "x", "url": "https://h.example/p", "product_token": "CCBot",
            "robots_txt": format!("{YES}{line}\n"),
        }));
        assert_eq!(answer["access"], "unknown", "{line}");
        assert_eq!(answer["labels"]["train_ai"], "unknown", "{line}");
        assert_eq!(answer["doubt"], json!(["robots"]), "{line}");
    }
    let marked = "\u{FEFF}User-agent: CCBot\n\u{200B}\u{FEFF}Disallow: /\n";
    let block = "# BEGIN Cloudflare Managed content\nUser-agent: x\nDisallow: /\n# END Cloudflare Managed Content\n";
    let answer = explain(&json!({
        "id": "x", "url": "https://h.example/p", "product_token": "CCBot", "robots_txt": format!("{block}{marked}"),
    }));
    assert_eq!(
        (&answer["access"], &answer["doubt"]),
        (&json!("disallow"), &json!([]))
    );
}

/// A list names each of its names for the noes of its group, and for nothing else.
#[test]
fn acct_5_a_list_of_names_adds_the_noes_of_its_group() {
    let ask = |token: &str, robots: &str| {
        let answer = explain(&json!({
            "id": "x", "url": "https://h.example/p", "product_token": token, "robots_txt": robots,
            "headers": [["Content-Usage", "train-ai=y"]],
        }));
        let agents = answer["disallowed_agents"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let is_listed = agents.contains(&json!(token));
        let access = answer["access"].as_str().expect("an answer").to_owned();
        assert_eq!(is_listed, access == "disallow", "{robots}");
        (
            access,
            answer["labels"]["train_ai"]
                .as_str()
                .expect("a label")
                .to_owned(),
        )
    };
    let closed =
        |list: &str| format!("User-agent: *\nAllow: /\n\nUser-agent: {list}\nDisallow: /\n");
    for (list, token, access) in [
        ("GPTBot, CCBot", "CCBot", "disallow"),
        ("GPTBot, CCBot", "GPTBot", "disallow"),
        ("GPTBot, CCBot", "Bytespider", "allow"),
        ("CCBot;", "CCBot", "disallow"),
        ("GPTBot CCBot", "CCBot", "disallow"),
        ("\"CCBot\"", "CCBot", "disallow"),
        ("Sogou web spider", "Spider", "allow"),
        ("*, GPTBot", "CCBot", "disallow"),
    ] {
        assert_eq!(ask(token, &closed(list)).0, access, "{list} {token}");
    }
    // Its allow lines count among its own rules alone, and its yeses not at all.
    let opened =
        "User-agent: *\nDisallow: /\n\nUser-agent: GPTBot, CCBot\nDisallow: /a\nAllow: /\n";
    assert_eq!(ask("CCBot", opened).0, "disallow");
    let own = "User-agent: CCBot\nAllow: /\n\nUser-agent: GPTBot, CCBot\nDisallow: /\nAllow: /p\n";
    assert_eq!(ask("CCBot", own).0, "allow");
    let own = "User-agent: CCBot\nAllow: /\n\nUser-agent: *, GPTBot\nDisallow: /\n";
    assert_eq!(ask("CCBot", own).0, "allow");
    let stated = "User-agent: *\nAllow: /\n\nUser-agent: GPTBot, CCBot\nContent-Signal: ai-train=no, search=yes\n";
    assert_eq!(
        ask("CCBot", stated),
        ("allow".to_owned(), "disallow".to_owned())
    );
}

/// Every line, entry and field has one fate.
#[test]
fn acct_1_units_are_the_sum_of_fates() {
    let viewpoint = Viewpoint::default();
    let robots = "# a\n\nUser-agent: *\nDisallow: /a\nSitemap: /s\nContent-Signal: ai-train=no\nContent-Signal: ai-train=x\nAI-Training: no\nwhat is this\nSitemap: /t";
    let robots = RobotsTxt::parse(robots);
    let found = units(&Source::Robots(&robots), &viewpoint);
    let counts = Fate::ALL.map(|fate| found.of(fate));
    assert_eq!(counts, [2, 2, 1, 2, 2, 1]);
    assert_eq!(found.sum(), 10);
    let fields = [
        Field::header("content-type", b"text/html"),
        Field::header("content-usage", b"train-ai=n"),
        Field::header("content-usage", b"search=y"),
        Field::header("content-signal", b"x=y"),
        Field::header("x-empty", b""),
        Field::meta("ai-policy", b"no"),
        Field::meta("robots", b"noindex"),
    ];
    let found = units(&Source::Record(&fields), &viewpoint);
    assert_eq!(Fate::ALL.map(|fate| found.of(fate)), [1, 0, 3, 1, 1, 1]);
    let file = |kind, bytes: &'static [u8]| {
        let body = FileBody {
            bytes,
            extent: crawlprefs::robots::Extent::Whole,
        };
        let found = units(&Source::SiteFile(kind, body), &viewpoint);
        Fate::ALL.map(|fate| found.of(fate))
    };
    let tdmrep =
        br#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "x"}, {"tdm-reservation": 1}]"#;
    assert_eq!(file(CaptureKind::Tdmrep, tdmrep), [0, 0, 1, 0, 1, 0]);
    let trust = b"# a\nmember=x\ndatatrainingallowed=no\ndatatrainingallowed=?\nother=y\n";
    assert_eq!(file(CaptureKind::TrustTxt, trust), [1, 0, 1, 1, 1, 1]);
    let ai = b"User-agent: *\nDisallow: /\nAI-Training: no\n\n";
    assert_eq!(file(CaptureKind::AiTxt, ai), [1, 1, 1, 0, 0, 1]);
}
