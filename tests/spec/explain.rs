//! Every vector through `crawlprefs explain --json`, in its recommended reading.
//!
//! Those of robots tags found in the wild have a form of their own.

use crate::explain_command::{explain, explain_lines};
use crate::vector_keys::named;
use crawlprefs::explain::VENDOR_MEANINGS;
use crawlprefs::explain::json::{KEYS, line};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;

const FILES: [(&str, &str); 11] = [
    ("label", include_str!("../vectors/label.json")),
    ("sup", include_str!("../vectors/sup.json")),
    ("auto", include_str!("../vectors/auto.json")),
    ("tag", include_str!("../vectors/tag.json")),
    ("app", include_str!("../vectors/app.json")),
    ("rep", include_str!("../vectors/rep.json")),
    ("vocab", include_str!("../vectors/vocab.json")),
    ("vocab08", include_str!("../vectors/vocab08.json")),
    ("attach", include_str!("../vectors/attach.json")),
    ("combine", include_str!("../vectors/combine.json")),
    ("news", include_str!("../vectors/news.json")),
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
                let found = named(answer, if is_sup { "sup_preferences" } else { key });
                if found.as_ref() == Some(expected) {
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

/// `robots-tag-wild.json` has a form of its own; its entry is under the key `robots_tag`.
#[test]
fn local_every_wild_robots_tag_is_answered() {
    let vectors = vectors(include_str!("../vectors/robots-tag-wild.json"));
    let scenarios: Vec<Value> = vectors
        .iter()
        .map(|entry| json!({ "id": entry["id"], "robots_tag": entry }))
        .collect();
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
        let is_error = answer["error"]
            .as_str()
            .is_some_and(|error| error.len() > 10);
        assert!(is_error, "{answer}");
    }
    assert_eq!(answers.len(), scenarios.len());
}

#[test]
fn local_each_line_has_an_answer_and_errors_have_the_id_of_the_line() {
    let lines: [(&[u8], Value, Option<&str>); 9] = [
        (br#"{"id": 1, "url": "https://a.example/"}"#, json!(1), None),
        (
            br#"{"id": 2, "url": "https://a.example/", "robotstxt": ""}"#,
            json!(2),
            Some("robotstxt: unknown key"),
        ),
        (br#"{"id": "three"}"#, json!("three"), Some("nothing is asked")),
        (br#"{"id": 4, "url": "https://a.example/", "meta": [{"name": "a"}]}"#, json!(4), Some("meta: ")),
        (
            br#"{"id": 5, "url": "https://a.example/", "site_files": [{"kind": "ai_txt", "x": 1}]}"#,
            json!(5),
            Some("site_files: "),
        ),
        (b"{\"id\": 6, \"url\": \"https://a.example/\xe9\"}", Value::Null, Some("not UTF-8")),
        (b"{\"id\": 7", Value::Null, Some("not JSON")),
        (b"[8]", Value::Null, Some("found a value that is not an object")),
        (br#"{"id": 9, "expressions": ["ai=n"]}"#, json!(9), None),
    ];
    let joined = lines
        .iter()
        .map(|(line, ..)| *line)
        .collect::<Vec<_>>()
        .join(&b'\n');
    let answers = explain_lines(joined);
    assert_eq!(answers.len(), lines.len());
    for ((_, id, error), answer) in lines.iter().zip(&answers) {
        assert_eq!(answer["id"], *id);
        let found = answer
            .get("error")
            .map(|error| error.as_str().expect("text"));
        assert_eq!(found.is_some(), error.is_some(), "{answer}");
        assert!(
            found
                .unwrap_or_default()
                .starts_with(error.unwrap_or_default()),
            "{answer}"
        );
        assert!(
            answer
                .as_object()
                .is_some_and(|keys| error.is_none() || keys.len() == 2),
            "{answer}"
        );
    }
}

#[test]
fn local_controls_in_an_answer_are_escaped() {
    let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{7f}b";
    let text = line(&json!({ "id": hostile }));
    assert!(
        text.is_ascii() && !text.contains(|character: char| character.is_control()),
        "{text}"
    );
    assert_eq!(
        serde_json::from_str::<Value>(&text).expect("JSON")["id"],
        hostile
    );
}

#[test]
fn tag_19_vendors_meanings_are_said_and_change_no_label() {
    let of = |token: &str, robots_tag: &str| {
        let answer = crawlprefs::explain::json::explain(&json!({
            "url": "https://a.example/", "product_token": token, "robots_txt": "User-agent: *\nDisallow: /x\n",
            "headers": [["X-Robots-Tag", robots_tag]],
        }));
        assert!(
            answer["labels"]
                .as_object()
                .expect("labels")
                .values()
                .all(|label| label == "unknown"),
            "{answer}"
        );
        let meanings = answer["vendor_meanings"].as_array().expect("a list").iter();
        let rule = |one: &Value| {
            format!(
                "{}: {}",
                one["vendor"].as_str().expect("text"),
                one["rule"].as_str().expect("text")
            )
        };
        meanings.map(rule).collect::<Vec<_>>()
    };
    assert_eq!(
        of("CCBot", "noarchive"),
        ["Microsoft Bing: noarchive", "Amazon: noarchive"]
    );
    assert_eq!(
        of("CCBot", "noarchive, nocache"),
        [
            "Microsoft Bing: nocache",
            "Microsoft Bing: noarchive and nocache",
            "Amazon: noarchive"
        ]
    );
    assert_eq!(
        of("CCBot", "nosnippet, max-snippet: 20"),
        [
            "Apple: nosnippet",
            "Google: nosnippet",
            "Google: max-snippet"
        ]
    );
    assert_eq!(
        of("CCBot", "ccbot: noarchive"),
        [""; 0],
        "a rule for one crawler says nothing to others"
    );
    assert_eq!(
        of("Bingbot", "bingbot: noarchive"),
        ["Microsoft Bing: noarchive"]
    );
    assert_eq!(of("applebot-extended", ""), ["Apple: Applebot-Extended"]);
}

#[test]
fn tag_19_docs_agents_md_has_every_vendors_meaning() {
    let text = fs::read_to_string("docs/agents.md").expect("docs/agents.md");
    let mut rest = text.as_str();
    assert_eq!(VENDOR_MEANINGS.len(), 11);
    for one in VENDOR_MEANINGS.iter() {
        let rule = one.rule.replace(" and ", "` and `");
        let row = format!(
            "\n| `{rule}` | {} | {} | {} | {} |\n",
            one.vendor, one.meaning, one.source, one.date
        );
        let at = rest
            .find(&row)
            .unwrap_or_else(|| panic!("docs/agents.md lacks, in this order: {row}"));
        rest = &rest[at + 1..];
    }
}

/// Returns the keys in the first column of the first table below a heading of docs/explain.md.
fn documented(heading: &str) -> BTreeSet<String> {
    let text = fs::read_to_string("docs/explain.md").expect("docs/explain.md");
    let (_, section) = text.split_once(heading).expect("the heading");
    let rows = section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let cells = rows
        .filter_map(|row| row.split('|').nth(1))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    cells
        .iter()
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn local_every_key_is_documented() {
    let keys: BTreeSet<String> = KEYS.split(' ').map(str::to_owned).collect();
    assert_eq!(documented("### A scenario"), keys);
    let mut answered = BTreeSet::new();
    for (_, text) in FILES {
        let scenarios: Vec<Value> = vectors(text).iter().map(scenario).collect();
        for answer in explain(&scenarios) {
            answered.extend(answer.as_object().expect("an object").keys().cloned());
        }
    }
    answered.extend(["error".to_owned(), "robots_tag".to_owned()]);
    assert_eq!(documented("### An answer"), answered);
}

/// What is said to decide otherwise does, once the line that decided says nothing.
#[test]
fn local_the_next_rule_decides_where_the_first_says_nothing() {
    let files = FILES.iter().flat_map(|(_, text)| vectors(text));
    let scenarios: Vec<Value> = files.map(|vector| scenario(&vector)).collect();
    let (mut without, mut expected) = (Vec::new(), Vec::new());
    for (mut scenario, answer) in scenarios.iter().cloned().zip(explain(&scenarios)) {
        let (Some(line), Some(robots)) = (
            answer["access_line"].as_u64(),
            scenario["robots_txt"].as_str(),
        ) else {
            continue;
        };
        if robots.contains('\r') {
            continue;
        }
        let deciding = usize::try_from(line).expect("a line");
        let kept = (1..).zip(robots.split('\n'));
        // An empty rule has no effect, and keeps the groups apart.
        let lines: Vec<&str> = kept
            .map(|(at, text)| if at == deciding { "Disallow:" } else { text })
            .collect();
        scenario["robots_txt"] = lines.join("\n").into();
        without.push(scenario);
        expected.push(answer["robots"]["also"][0]["line"].clone());
    }
    let found: Vec<Value> = explain(&without)
        .iter()
        .map(|answer| answer["access_line"].clone())
        .collect();
    assert_eq!(found, expected);
    assert!(
        expected.len() > 40 && expected.iter().filter(|line| line.is_u64()).count() > 10,
        "{expected:?}"
    );
}

#[test]
fn local_an_answer_has_the_lines_around_the_group_and_what_it_replaces() {
    let robots = "User-agent: *\nAllow: /a/b\nDisallow: /\n\nUser-agent: CCBot # us\nDisallow: /a\nAllow: /a/b/c";
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
    let replaced = json!({ "line": 2, "text": "Allow: /a/b", "access": "allow", "reason": "rule" });
    assert_eq!(robots["replaced"], replaced);
}

/// The findings of a page are those of `lint` for the lines that the crawler obeys or that may be meant for it.
#[test]
fn local_an_answer_has_the_lints_of_the_lines_that_matter() {
    let robots = "User-agent: *\nDeny: /a\nDisallow: private\n\nUser-agent: GPTBot\nDisallow: nothing\nAllow: /\n\nUser-agent: CBot\nDisallow: https://a.example/b\n- Disallow: /y\n";
    let asked = |token: &str| {
        let scenario = json!({
            "url": "https://a.example/b", "robots_txt": robots, "product_token": token,
            "headers": [["Content-Usage", "Train-AI=n"]], "meta": [{ "name": "robots", "content": "no-ai" }],
            "site_files": [{ "kind": "tdmrep", "body": "[\n{\"location\": \"/\"}]" }],
        });
        explain(&[scenario]).remove(0)
    };
    let places = |answer: &Value| -> Vec<(String, Option<u64>, String)> {
        let lints = answer["lints"].as_array().expect("a list");
        assert_eq!(answer["lints_count"], lints.len());
        let text = |lint: &Value, key: &str| lint[key].as_str().unwrap_or_default().to_owned();
        lints
            .iter()
            .map(|lint| {
                (
                    text(lint, "carrier"),
                    lint["line"].as_u64(),
                    text(lint, "code"),
                )
            })
            .collect()
    };
    let found =
        |carrier: &str, line: Option<u64>, code: &str| (carrier.to_owned(), line, code.to_owned());
    let of_page = [
        found("tdmrep", Some(2), "no_reservation"),
        found("header", None, "key_case"),
        found("meta", None, "unknown_rule"),
    ];
    let everyone = places(&asked("OtherBot"));
    for lint in of_page.iter().chain(&[
        found("robots", Some(2), "unknown_name"),
        found("robots", Some(3), "path_without_slash"),
        found("robots", Some(11), "near_miss"),
    ]) {
        assert!(everyone.contains(lint), "{lint:?} is not in {everyone:?}");
    }
    assert!(
        !everyone
            .iter()
            .any(|(carrier, line, _)| carrier == "robots" && *line == Some(6)),
        "the group of another crawler: {everyone:?}"
    );
    let own = places(&asked("GPTBot"));
    assert!(
        own.contains(&found("robots", Some(6), "path_without_slash")),
        "{own:?}"
    );
    assert!(
        !own.contains(&found("robots", Some(3), "path_without_slash")),
        "{own:?}"
    );
    // Its group is named with a slip, so that it does not obey it.
    let slip = asked("CCBot");
    let near = places(&slip);
    assert!(
        near.contains(&found("robots", Some(9), "agent_near_miss")),
        "{near:?}"
    );
    let lints = slip["lints"].as_array().expect("a list");
    let of_agent = lints.iter().find(|lint| lint["code"] == "agent_near_miss");
    assert_eq!(of_agent.expect("a finding")["write"], "User-agent: CCBot");
    let severities: Vec<&Value> = lints.iter().map(|lint| &lint["severity"]).collect();
    assert!(
        severities.is_sorted_by_key(|one| *one != "error"),
        "{severities:?}"
    );
}

/// The table `robots_lints`, `lint` and `explain` have one source.
#[test]
fn local_the_lints_of_a_page_are_those_of_lint() {
    use crawlprefs::explain::lint::lint_file;
    use crawlprefs::verdict::{AgentsTable, Resolver};
    use crawlprefs::web::capture_kind::CaptureKind;
    let robots = "User-agent: *\nDissallow: /a\nDisallow: /#/a\nUser-agent: *\nUseragent: CCBot,GPTBot\nDisallow /";
    let resolver = Resolver::new(crawlprefs::Viewpoint::default(), &AgentsTable::bundled());
    let of_file: BTreeSet<(u64, &str)> =
        lint_file(CaptureKind::Robots, robots.as_bytes(), &resolver)
            .iter()
            .map(|finding| (finding.line.into(), finding.code))
            .collect();
    let answer = &explain(&[json!({ "url": "https://a.example/", "robots_txt": robots })])[0];
    let lints = answer["lints"].as_array().expect("a list");
    let of_page: BTreeSet<(u64, &str)> = lints
        .iter()
        .filter_map(|lint| Some((lint["line"].as_u64()?, lint["code"].as_str()?)))
        .collect();
    assert!(
        of_page.len() > 3 && of_page.is_subset(&of_file),
        "{of_page:?} {of_file:?}"
    );
}
