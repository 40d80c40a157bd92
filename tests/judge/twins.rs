//! At other times than that of its page, a document is judged by its site's newest files, whichever of its names they were fetched by.

use crate::fixture::run;
use crate::warc::response;
use serde_json::{Value, json};
use std::path::Path;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";
const OPEN: &str = "User-agent: *\nAllow: /\n";

fn robots(url: &str, at: &str, body: &str) -> Vec<u8> {
    let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
    response(&format!("{url}/robots.txt"), at, "", message.as_bytes())
}

/// An evidence folder and a site index of these captures.
struct World(tempfile::TempDir);

impl World {
    fn new(captures: &[Vec<u8>]) -> Self {
        let world = Self(tempfile::tempdir().expect("a temporary folder"));
        std::fs::write(world.0.path().join("a.warc"), captures.concat()).expect("a file");
        let (archive, out, index) = (world.text("a.warc"), world.text("out"), world.text("index"));
        for args in [
            &["run", "-q", &archive, "-o", &out][..],
            &["index", "-q", &out, "-o", &index],
        ] {
            let ran = run(args, b"");
            assert!(
                ran.status.success(),
                "{}",
                String::from_utf8_lossy(&ran.stderr)
            );
        }
        world
    }

    fn text(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// Returns what becomes of a document, the same by evidence, by evidence in many passes, and by an index.
    fn judged(&self, document: &Value, flags: &[&str]) -> Option<Value> {
        let (out, index) = (self.text("out"), self.text("index"));
        let by: [&[&str]; 3] = [
            &["--tables", &out],
            &["--tables", &out, "--memory-limit", "2K"],
            &["--sites", &index],
        ];
        let found = by.map(|by| {
            let ran = run(
                &[&["judge", "-q", "-"], by, flags].concat(),
                document.to_string().as_bytes(),
            );
            assert!(
                ran.status.success(),
                "{}",
                String::from_utf8_lossy(&ran.stderr)
            );
            serde_json::from_slice::<Value>(&ran.stdout).ok()
        });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        found[0].clone()
    }
}

fn document(url: &str) -> Value {
    json!({"url": url, "date": "2017-06-01T00:00:00Z"})
}

fn policy(folder: &Path, text: &str) -> String {
    let file = folder.join("policy.toml");
    std::fs::write(&file, text).expect("a file");
    file.to_string_lossy().into_owned()
}

#[test]
fn local_a_newer_no_of_the_other_scheme_or_with_www_counts_at_newest() {
    let world = World::new(&[
        robots("http://a.example", "2017-05-01T00:00:00Z", OPEN),
        robots("https://a.example", "2026-08-10T00:00:00Z", CLOSED),
        robots("https://b.example", "2017-05-01T00:00:00Z", OPEN),
        robots("https://www.b.example", "2026-08-10T00:00:00Z", CLOSED),
        robots("https://c.example", "2026-08-10T00:00:00Z", OPEN),
        robots("https://www.c.example", "2017-05-01T00:00:00Z", CLOSED),
    ]);
    let without = policy(
        world.0.path(),
        "preset = 'robots'\nat = 'newest'\ntwins = false\n",
    );
    for (url, page, newest, alone) in [
        ("http://a.example/x", "allow", "disallow", true),
        ("https://b.example/x", "allow", "disallow", true),
        // Nothing is known of this one itself: the no of a twin holds, and its yes would not.
        ("http://www.b.example/x", "unknown", "disallow", false),
        ("http://www.a.example/x", "unknown", "disallow", false),
        // KNOW-8: its own file is of a later time, and the twin's no is not.
        ("https://c.example/x", "disallow", "allow", true),
    ] {
        let found = world
            .judged(&document(url), &["--at", "page,newest"])
            .expect("a line");
        assert_eq!(
            [&found["prefs_access"], &found["prefs_access_newest"]],
            [page, newest],
            "{url}"
        );
        let reason = if newest == "allow" {
            "rule"
        } else {
            "rule_of_twin"
        };
        assert_eq!(found["prefs_reason_newest"], reason, "{url}");
        assert_eq!(
            world
                .judged(&document(url), &["--policy", &without])
                .is_some(),
            alone,
            "{url}"
        );
        let kept = world
            .judged(&document(url), &["--policy", "robots", "--at", "newest"])
            .is_some();
        assert_eq!(kept, newest == "allow", "{url}");
    }
    // The audit names the file that says no.
    let found = world
        .judged(
            &document("http://a.example/x"),
            &["--at", "newest", "--audit"],
        )
        .expect("a line");
    assert_eq!(
        [&found["prefs_robots_time"], &found["prefs_robots_line"]],
        [&json!("2026-08-10T00:00:00Z"), &json!(2)]
    );
}

#[test]
fn local_a_no_to_training_of_a_twin_counts_and_a_twin_that_fails_closes_nothing() {
    let failed = "HTTP/1.1 503 Service Unavailable\r\n\r\n";
    let world = World::new(&[
        robots("https://a.example", "2025-01-01T00:00:00Z", OPEN),
        response(
            "https://www.a.example/robots.txt",
            "2026-08-10T00:00:00Z",
            "",
            failed.as_bytes(),
        ),
        robots("https://b.example", "2025-01-01T00:00:00Z", OPEN),
        robots(
            "https://www.b.example",
            "2026-08-10T00:00:00Z",
            "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
    ]);
    let newest = |url: &str| {
        world
            .judged(&document(url), &["--at", "newest"])
            .expect("a line")
    };
    assert_eq!(newest("https://a.example/")["prefs_access"], "allow");
    let found = newest("https://b.example/");
    assert_eq!(
        [&found["prefs_access"], &found["prefs_train_ai"]],
        ["allow", "disallow"]
    );
}

#[test]
fn local_a_robots_txt_that_is_too_old_says_too_little() {
    let world = World::new(&[
        robots("https://old.example", "2017-05-01T00:00:00Z", OPEN),
        robots("https://new.example", "2017-05-20T00:00:00Z", OPEN),
    ]);
    let with = |at: &str, age: &str| {
        policy(
            world.0.path(),
            &format!("preset = 'robots'\nat = '{at}'\nmax_age = '{age}'\n"),
        )
    };
    let keeps = |url: &str, policy: &str| {
        world
            .judged(&document(url), &["--policy", policy])
            .is_some()
    };
    // On 1 June they are 31 and 12 days old.
    let policy = with("page", "30d");
    assert!(!keeps("https://old.example/", &policy) && keeps("https://new.example/", &policy));
    let policy = with("page", "31d");
    assert!(keeps("https://old.example/", &policy));
    let policy = with("newest", "365d");
    assert!(!keeps("https://new.example/", &policy));
    let found = world.judged(
        &document("https://new.example/"),
        &["--columns", "robots_age_days"],
    );
    assert_eq!(found.expect("a line")["prefs_robots_age_days"], 12);
}

#[test]
fn know_10_a_policy_drops_what_is_surely_closed_to_an_agent_although_a_line_is_in_doubt() {
    let robots_txt = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n- Disallow: /\n";
    let world = World::new(&[robots(
        "http://a.example",
        "2017-05-01T00:00:00Z",
        robots_txt,
    )]);
    for (agent, is_kept) in [("GPTBot", false), ("ClaudeBot", true)] {
        let text = format!(
            "agents = ['{agent}']\n[unknown]\naccess = 'keep'\nunread = 'keep'\nnot_seen = 'keep'\n"
        );
        let policy = policy(world.0.path(), &text);
        let found = world.judged(&document("http://a.example/x"), &["--policy", &policy]);
        assert_eq!(found.is_some(), is_kept, "{agent}");
    }
}

/// KNOW-8: the files of a host without the dot at its end count for noes, by whichever way a page is asked for.
#[test]
fn local_a_host_with_a_final_dot_has_the_noes_of_the_host_without() {
    let reserved = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\
                    [{\"location\":\"/\",\"tdm-reservation\":1}]";
    let page = |url: &str, id: &str| {
        let id = format!("WARC-Record-ID: <urn:uuid:{id}>\r\n");
        let message = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head></head>";
        response(url, "2017-06-01T00:00:00Z", &id, message.as_bytes())
    };
    let tdmrep = |origin: &str| {
        let url = format!("{origin}/.well-known/tdmrep.json");
        response(&url, "2017-05-02T00:00:00Z", "", reserved.as_bytes())
    };
    let private = "User-agent: *\nDisallow: /private/\n";
    let [asked, other] = [
        "https://a.example./private/x",
        "https://b.example./private/x",
    ];
    let world = World::new(&[
        robots("https://a.example", "2017-05-02T00:00:00Z", private),
        tdmrep("https://a.example"),
        page(asked, "1"),
        // What its own robots.txt opens is open; that is no word about the other file.
        robots("https://b.example.", "2017-05-01T00:00:00Z", OPEN),
        robots("https://b.example", "2017-05-02T00:00:00Z", private),
        tdmrep("https://b.example"),
        page(other, "2"),
    ]);
    for (url, id, expected) in [
        (asked, "1", ["disallow", "rule_of_twin", "disallow"]),
        (other, "2", ["allow", "rule", "disallow"]),
    ] {
        let by_url = world.judged(&document(url), &[]).expect("a line");
        let named = ["prefs_access", "prefs_reason", "prefs_tdm"];
        assert_eq!(named.map(|name| &by_url[name]), expected, "{url}");
        let (out, index) = (world.text("out"), world.text("index"));
        let by_id = run(
            &["judge", "-q", "-", "--tables", &out],
            json!({"id": id, "url": url}).to_string().as_bytes(),
        );
        let by_id: Value = serde_json::from_slice(&by_id.stdout).expect("JSON");
        assert_eq!(named.map(|name| &by_id[name]), expected, "{url}");
        assert_eq!(by_id["prefs_source"], "record");
        for by in ["--tables", "--sites"] {
            let place = if by == "--tables" { &out } else { &index };
            let explained = run(&["explain", by, place, url], b"");
            let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
            let [access, _, tdm] = expected;
            for line in [
                format!("crawl           {access}, "),
                format!("                tdm          {tdm}  tdmrep tdmrep\n"),
            ] {
                assert!(explained.contains(&line), "{by}: {line}{explained}");
            }
        }
    }
}
