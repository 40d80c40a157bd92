//! DisallowAITraining and AllowAITraining: RULES.md LIVE-1, LIVE-5 and LABEL-2, case by case.

use crate::random::{one_of, some_of};
use crate::reasons::assert_has_reason;
use crate::rounds::rounds;
use crate::statement_rows::{system, viewpoint};
use crawlprefs::explain::json::explain;
use crawlprefs::robots::RobotsTxt;
use crawlprefs::systems::Source;
use fastrand::Rng;
use serde_json::{Value, json};

fn explained(robots: &str, path: &str) -> Value {
    explain(&json!({
        "id": "x", "url": format!("https://a.example{path}"), "product_token": "CCBot", "robots_txt": robots,
    }))
}

fn training(robots: &str, path: &str) -> String {
    explained(robots, path)["columns"]["ai_training"]
        .as_str()
        .unwrap_or("missing")
        .to_owned()
}

/// The answer to lines in a group that is for everyone.
fn of_lines(lines: &str, path: &str) -> String {
    training(&format!("User-agent: *\n{lines}\n"), path)
}

/// `label.json` has no key of ours; but where these lines alone speak, the labels are their answer.
#[test]
fn label_vectors_agree_with_the_answers_to_their_input() {
    let file: Value =
        serde_json::from_str(include_str!("../vectors/label.json")).expect("a file of vectors");
    let mut seen = Vec::new();
    for vector in file["vectors"].as_array().expect("a list") {
        let mut scenario = vector["input"].clone();
        scenario["id"] = vector["id"].clone();
        let found = &explain(&scenario)["columns"]["ai_training"];
        if vector["input"].to_string().contains("AITraining") {
            assert_eq!(
                found, &vector["expect"]["labels"]["train_ai"],
                "{}",
                vector["id"]
            );
            assert_eq!(
                found, &vector["expect"]["labels"]["train_genai"],
                "{}",
                vector["id"]
            );
            seen.push(vector["id"].as_str().expect("an id"));
        } else {
            assert!(
                found == "unknown" || found == "not_applicable",
                "{}: {found}",
                vector["id"]
            );
        }
    }
    assert_eq!(seen, ["label-029", "label-030"]);
}

#[test]
fn live_5_the_longest_path_and_at_equal_length_disallow() {
    for (lines, path, expected) in [
        ("DisallowAITraining: /", "/", "disallow"),
        ("disallowaitraining : /", "/x", "disallow"),
        ("AllowAITraining: /", "/x", "allow"),
        (
            "DisallowAITraining: /\nAllowAITraining: /a/",
            "/a/b",
            "allow",
        ),
        (
            "DisallowAITraining: /\nAllowAITraining: /a/",
            "/b",
            "disallow",
        ),
        (
            "AllowAITraining: /a/\nDisallowAITraining: /a/",
            "/a/b",
            "disallow",
        ),
        (
            "DisallowAITraining: /*/\nAllowAITraining: /a/",
            "/a/b",
            "disallow",
        ),
        ("DisallowAITraining: *.pdf$", "/a.pdf", "disallow"),
        ("DisallowAITraining: *.pdf$", "/a.pdf?x", "unknown"),
        ("DisallowAITraining: /%61", "/a", "disallow"),
        ("DisallowAITraining: /A", "/a", "unknown"),
        ("DisallowAITraining:", "/", "unknown"),
        ("DisallowAITraining: x", "/x", "unknown"),
        ("DisallowAITraining", "/", "unknown"),
        ("Disallow-AI-Training: /", "/", "unknown"),
        ("Disallow: /\nAllowAITraining: /", "/", "not_applicable"),
        (
            "Disallow: /\nAllow: /a\nDisallowAITraining: /",
            "/a",
            "disallow",
        ),
    ] {
        assert_eq!(of_lines(lines, path), expected, "{path}\n{lines}");
    }
}

#[test]
fn live_5_they_are_no_access_rules() {
    let answer = explained("User-agent: *\nDisallowAITraining: /\n", "/");
    assert_eq!(
        (&answer["access"], &answer["columns"]["ai_training"]),
        (&json!("allow"), &json!("disallow"))
    );
    assert_has_reason(&answer, &json!({ "system": "ai_training", "lines": [2] }));
}

#[test]
fn live_1_groups_are_selected_as_for_rules() {
    for (robots, expected) in [
        (
            "User-agent: CCBot\nDisallowAITraining: /\nUser-agent: x\nAllow: /\n",
            "disallow",
        ),
        (
            "User-agent: CCBot\nAllow: /\nUser-agent: *\nDisallowAITraining: /\n",
            "unknown",
        ),
        (
            "User-agent: *\nAllow: /\n\nUser-agent: *\nDisallowAITraining: /\n",
            "disallow",
        ),
        (
            "DisallowAITraining: /\nUser-agent: *\nAllow: /\n",
            "unknown",
        ),
    ] {
        assert_eq!(training(robots, "/"), expected, "{robots}");
    }
}

#[test]
fn prec_4_files_that_were_not_read() {
    for (status, expected) in [(418, "unknown"), (503, "not_applicable"), (200, "disallow")] {
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "robots_txt": "User-agent: *\nDisallowAITraining: /\n",
            "robots_fetch": [{ "url": "https://a.example/robots.txt", "status": status }],
        }));
        assert_eq!(answer["columns"]["ai_training"], expected, "{status}");
    }
    assert_eq!(
        explain(&json!({ "id": "x", "url": "https://a.example/" }))["columns"]["ai_training"],
        "unknown"
    );
}

/// Every statement as `agent path key preference defect line`, `-` for none.
fn rows(robots: &[u8]) -> Vec<String> {
    let viewpoint = viewpoint("CCBot");
    let robots = RobotsTxt::parse(robots);
    let mut rows = Vec::new();
    system("ai_training").statements(&Source::Robots(&robots), &viewpoint, &mut |row| {
        assert_eq!(
            (row.system, row.carrier, row.category),
            ("ai_training", "robots", Some("ai-training"))
        );
        assert_eq!(row.path, row.value);
        rows.push(format!(
            "{} {} {} {} {} {}",
            row.agent.as_deref().unwrap_or("-"),
            row.path.unwrap_or_default().escape_ascii(),
            row.key.unwrap_or_default().escape_ascii(),
            row.preference.map_or("-", |preference| preference.as_str()),
            row.defect.unwrap_or("-"),
            row.line.unwrap_or_default(),
        ));
    });
    rows
}

#[test]
fn live_1_every_statement_is_given_also_with_a_defect() {
    assert_eq!(
        rows(
            b"AllowAITraining: /\nUser-agent: a\nUser-agent: b\nDisallowAITraining: /\xe9 # x\n\
              DISALLOWAITRAINING:\nUser-agent: c\nAllowAITraining: x\nAllow: /\n"
        ),
        [
            "- / AllowAITraining allow no_group 1",
            "a, b, c /\\xe9 DisallowAITraining disallow - 4",
            "a, b, c  DISALLOWAITRAINING disallow no_path 5",
            "a, b, c x AllowAITraining allow path_without_slash 7",
        ]
    );
}

/// Does a pattern match? All cases are tried.
fn matches(pattern: &str, path: &str) -> bool {
    match pattern.chars().next() {
        None => true,
        Some('$') if pattern.len() == 1 => path.is_empty(),
        Some('*') => (0..=path.len()).any(|at| matches(&pattern[1..], &path[at..])),
        Some(first) => path.starts_with(first) && matches(&pattern[1..], &path[1..]),
    }
}

#[test]
fn live_5_answers_equal_a_slow_reading() {
    const PATTERNS: [&str; 8] = ["/", "/a", "/a/c", "/*c", "/a$", "/b", "", "x"];
    let mut random = Rng::with_seed(0x5EED_0003);
    for _ in 0..rounds(400, 2_000) {
        let rules: Vec<(bool, &str)> = (0..random.usize(..6))
            .map(|_| (random.bool(), one_of(&mut random, &PATTERNS)))
            .collect();
        let path = one_of(&mut random, &["/", "/a", "/a/c", "/b/c"]);
        let line = |(allows, pattern): &(bool, &str)| {
            format!(
                "{}AITraining: {pattern}",
                if *allows { "Allow" } else { "Disallow" }
            )
        };
        let robots: Vec<String> = rules.iter().map(line).collect();
        let matching = rules
            .iter()
            .filter(|(_, pattern)| !pattern.is_empty() && matches(pattern, path));
        let best = matching.max_by_key(|(allows, pattern)| (pattern.len(), !allows));
        let expected = match best {
            Some((true, _)) => "allow",
            Some((false, _)) => "disallow",
            None => "unknown",
        };
        assert_eq!(
            of_lines(&robots.join("\n"), path),
            expected,
            "{path} {robots:?}"
        );
    }
}

#[test]
fn local_hostile_bytes_give_rows_but_no_panic() {
    const PIECES: [&[u8]; 10] = [
        b"\nDisallowAITraining:",
        b"\nAllowAITraining:",
        b"\nUser-agent: *\n",
        b"/",
        b"*",
        b"$",
        b"%",
        b"\xff",
        b"\0",
        b"\r",
    ];
    let mut random = Rng::with_seed(0x5EED_0004);
    let mut count = 0;
    let files = rounds(4_000, 20_000);
    for _ in 0..files {
        let bytes = some_of(&mut random, &PIECES, 30);
        let robots = RobotsTxt::parse(&bytes);
        let count_of = |name| {
            robots
                .records()
                .filter(|record| record.is_named(name))
                .count()
        };
        let named = count_of("DisallowAITraining") + count_of("AllowAITraining");
        let found = rows(&bytes).len();
        count += found;
        assert_eq!(found, named, "{}", bytes.escape_ascii());
    }
    assert!(count > files, "{count}");
}
