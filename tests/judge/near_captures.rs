//! Documents without record ids, beside captures of the same URL.

use crate::fixture::{list, run};
use crate::kept_folder::KeptFolder;
use crate::warc;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

const BEFORE: &str = "2026-03-01T11:00:00Z";
const THEN: &str = "2026-03-01T12:00:00Z";
const PAGE_ID: &str = "<urn:uuid:00000000-0000-4000-8000-000000000001>";
const MATCH: [&str; 2] = ["--match", "1d"];

fn page(url: &str, at: &str, fields: &str, head: &str) -> Vec<u8> {
    let message =
        format!("HTTP/1.1 200 OK\r\n{fields}\r\n<html><head>{head}</head><body>x</body></html>");
    warc::response(url, at, "", message.as_bytes())
}

/// Returns an HTML page with a record id.
fn with_id(id: &str, url: &str, head: &str) -> Vec<u8> {
    let message = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head>{head}</head></html>"
    );
    warc::response(
        url,
        THEN,
        &format!("WARC-Record-ID: {id}\r\n"),
        message.as_bytes(),
    )
}

fn robots(host: &str, at: &str, text: &str) -> Vec<u8> {
    page_of_text(&format!("https://{host}/robots.txt"), at, text)
}

fn page_of_text(url: &str, at: &str, text: &str) -> Vec<u8> {
    let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}");
    warc::response(url, at, "", message.as_bytes())
}

/// A folder with `tables` of a small world.
static WORLD: LazyLock<KeptFolder> = LazyLock::new(|| {
    const HTML: &str = "Content-Type: text/html\r\n";
    const OPEN: &str = "User-agent: *\nAllow: /\n";
    let folder = KeptFolder::new("judge-near");
    let html = |more: &str| format!("{HTML}{more}");
    let at = |path: &str| format!("https://a.example{path}");
    let records = [
        robots("a.example", BEFORE, OPEN),
        robots(
            "b.example",
            BEFORE,
            "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
        ),
        robots("b.example", "2026-05-01T11:00:00Z", OPEN),
        page(&at("/noai"), THEN, &html("X-Robots-Tag: noai\r\n"), ""),
        page(
            &at("/yes"),
            THEN,
            &html("Content-Usage: train-ai=y\r\n"),
            "",
        ),
        page(
            &at("/two"),
            THEN,
            &html("Content-Usage: train-ai=y\r\n"),
            "",
        ),
        page(
            &at("/two"),
            "2026-03-02T10:00:00Z",
            HTML,
            "<meta name=robots content=noai>",
        ),
        page(&at("/revision"), THEN, &html("Content-Usage: ai=n\r\n"), ""),
        page(
            &at("/page"),
            THEN,
            HTML,
            "<meta name=robots content=noimageai>",
        ),
        page(&at("/image.png"), THEN, "Content-Type: image/png\r\n", ""),
        page(
            &at("/bytes.png"),
            THEN,
            "Content-Type: application/octet-stream\r\nX-Robots-Tag: noimageai\r\n",
            "",
        ),
        with_id(
            PAGE_ID,
            &at("/known"),
            "<meta name=robots content=noimageai>",
        ),
        page("https://b.example/page", THEN, HTML, ""),
        page(
            "https://unknown.example/noai",
            THEN,
            &html("X-Robots-Tag: noai\r\n"),
            "",
        ),
    ];
    let (archive, tables) = (folder.path().join("a.warc"), folder.path().join("tables"));
    fs::write(&archive, records.concat()).expect("an archive");
    let ran = run(
        &[
            "run",
            &archive.to_string_lossy(),
            "-q",
            "-o",
            &tables.to_string_lossy(),
        ],
        b"",
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    folder
});

/// Judges documents by the world.
fn judged(documents: &[Value], flags: &[&str]) -> Vec<Value> {
    judged_in(WORLD.path(), documents, flags)
}

fn judged_in(folder: &Path, documents: &[Value], flags: &[&str]) -> Vec<Value> {
    let tables = folder.join("tables").to_string_lossy().into_owned();
    let lines: String = documents
        .iter()
        .map(|document| document.to_string() + "\n")
        .collect();
    let ran = run(
        &[&["judge", "-q", "--tables", &tables, "-"], flags].concat(),
        lines.as_bytes(),
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn document(url: &str, date: &str) -> Value {
    json!({"url": url, "date": date})
}

/// Returns `prefs_train_ai` and `prefs_source` of a verdict.
fn training(verdict: &Value) -> (&str, &str) {
    (
        verdict["prefs_train_ai"].as_str().expect("a label"),
        verdict["prefs_source"].as_str().expect("a source"),
    )
}

#[test]
fn local_a_no_of_a_capture_near_the_date_counts_and_a_yes_does_not() {
    let cases = [
        (
            "https://a.example/noai",
            "2026-03-01T13:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            " https://a.example/noai#top ",
            "2026-03-01T13:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://a.example/noai",
            "2026-03-02T12:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://a.example/noai",
            "2026-03-02T12:00:01Z",
            ("unknown", "site"),
        ),
        (
            "https://a.example/noai",
            "2026-02-28T12:00:00Z",
            ("disallow", "none"),
        ),
        (
            "https://a.example/noai",
            "2026-02-28T11:59:59Z",
            ("unknown", "none"),
        ),
        // KNOW-9: `ai` is of the first revision.
        (
            "https://a.example/revision",
            "2026-03-01T13:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://a.example/noai?x",
            "2026-03-01T13:00:00Z",
            ("unknown", "site"),
        ),
        // KNOW-8: the files of its twin are known.
        (
            "http://a.example/noai",
            "2026-03-01T13:00:00Z",
            ("unknown", "site"),
        ),
        (
            "https://a.example/yes",
            "2026-03-01T13:00:00Z",
            ("unknown", "record_by_url"),
        ),
        (
            "https://a.example/two",
            "2026-03-01T13:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://a.example/two",
            "2026-03-03T01:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://a.example/page",
            "2026-03-01T13:00:00Z",
            ("unknown", "record_by_url"),
        ),
        (
            "https://a.example/bytes.png",
            "2026-03-01T13:00:00Z",
            ("disallow", "record_by_url"),
        ),
        (
            "https://unknown.example/noai",
            "2026-03-01T13:00:00Z",
            ("disallow", "none"),
        ),
    ];
    let documents: Vec<Value> = cases
        .iter()
        .map(|(url, date, _)| document(url, date))
        .collect();
    let expected: Vec<(&str, &str)> = cases.iter().map(|(_, _, expected)| *expected).collect();
    let found = judged(&documents, &MATCH);
    assert_eq!(found.iter().map(training).collect::<Vec<_>>(), expected);
    let little = judged(
        &documents,
        &["--match", "1d", "--memory-limit", "2K", "--jobs", "1"],
    );
    assert_eq!(little, found);
    for found in &found {
        for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
            assert_ne!(found[format!("prefs_{label}")], "allow", "{found}");
        }
        assert!(list(&found["prefs_not_seen"]).contains(&"header"));
    }
    for (found, expected) in judged(&documents, &[]).iter().zip(&expected) {
        assert_eq!(
            training(found),
            (
                "unknown",
                if expected.1 == "none" { "none" } else { "site" }
            )
        );
    }
}

#[test]
fn local_documents_without_a_date_are_not_matched() {
    let undated = json!({"url": "https://a.example/noai"});
    for flags in [&["--at", "newest"][..], &[]] {
        let judged = judged(std::slice::from_ref(&undated), &[&MATCH, flags].concat());
        assert_eq!(judged[0]["prefs_train_ai"], "unknown");
        assert_ne!(judged[0]["prefs_source"], "record_by_url");
    }
    // A list of URLs has no dates.
    let tables = WORLD.path().join("tables").to_string_lossy().into_owned();
    let args = ["judge", "-q", "--tables", &tables, "-", "--match", "90000d"];
    let ran = run(&args, b"https://a.example/noai\n");
    let judged: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(training(&judged), ("unknown", "site"));
}

#[test]
fn local_a_no_in_the_files_of_a_site_is_not_one_of_its_captures() {
    let documents = [
        document("https://b.example/page", THEN),
        document("https://a.example/noai", THEN),
    ];
    let flags = ["--match", "1d", "--at", "page,newest"];
    let judged = judged(&documents, &flags);
    let of = |judged: &Value| {
        [
            judged["prefs_train_ai"].clone(),
            judged["prefs_train_ai_newest"].clone(),
        ]
    };
    assert_eq!(of(&judged[0]), ["disallow", "unknown"]);
    assert_eq!(of(&judged[1]), ["disallow", "disallow"]);
    assert_eq!(judged[1]["prefs_source_newest"], "record_by_url");
}

#[test]
fn local_noimageai_of_a_page_counts_for_its_image() {
    let pair = |image: &str, page: &str| {
        json!({
            "image": format!("https://a.example{image}"),
            "page": format!("https://a.example{page}"),
            "date": "2026-03-01T13:00:00Z",
        })
    };
    let documents = [
        pair("/image.png", "/page"),
        pair("/image.png", "/yes"),
        pair("/other.png", "/page"),
    ];
    let flags = ["--url", "image", "--url", "page"];
    let matched = judged(&documents, &[&flags[..], &MATCH].concat());
    assert_eq!(
        matched.iter().map(training).collect::<Vec<_>>(),
        [
            ("disallow", "record_by_url"),
            ("unknown", "record_by_url"),
            ("disallow", "site")
        ]
    );
    let kept = judged(
        &documents,
        &[&flags[..], &MATCH, &["--policy", "labels"]].concat(),
    );
    assert_eq!(kept.len(), 1);
    assert!(
        judged(&documents, &flags)
            .iter()
            .all(|judged| training(judged) == ("unknown", "site"))
    );
}

#[test]
fn local_noimageai_of_a_page_with_a_record_counts_for_its_image_and_not_for_its_text() {
    let known = json!({
        "id": PAGE_ID,
        "page": "https://a.example/known",
        "image": "https://a.example/image.png",
        "date": THEN,
    });
    let known = std::slice::from_ref(&known);
    let pair = judged(known, &["--url", "page", "--url", "image"]);
    assert_eq!(training(&pair[0]), ("disallow", "site"));
    for flags in [&["--url", "page"][..], &["--url", "page", "--match", "1d"]] {
        assert_eq!(training(&judged(known, flags)[0]), ("unknown", "record"));
    }
}

#[test]
fn local_an_audit_names_the_captures() {
    let document = [document("https://a.example/noai", "2026-03-01T13:00:00Z")];
    let judged = judged(&document, &["--match", "1d", "--audit"]);
    let by = list(&judged[0]["prefs_decided_by"]);
    assert!(by.contains(&"train_ai record_by_url"), "{by:?}");
}

#[test]
fn local_an_output_replaces_neither_an_input_nor_another_output() {
    let work = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| work.path().join(name).to_string_lossy().into_owned();
    let tables = WORLD.path().join("tables").to_string_lossy().into_owned();
    let line = document("https://a.example/noai", THEN).to_string() + "\n";
    fs::write(at("d.jsonl"), &line).expect("documents");
    let (kept, below) = (at("kept"), at("kept/dropped"));
    let file = at("d.jsonl");
    for outputs in [
        ["-o", &kept, "--dropped", &kept],
        ["-o", &kept, "--dropped", &below],
        ["-o", &below, "--dropped", &kept],
        ["--mask", &file, "--policy", "labels"],
    ] {
        let policy = if outputs[0] == "-o" {
            &["--policy", "labels"][..]
        } else {
            &[]
        };
        let flags = [
            &["judge", "-q", "--tables", &tables, &file],
            &outputs[..],
            policy,
        ]
        .concat();
        let ran = run(&flags, b"");
        assert_eq!(ran.status.code(), Some(1), "{outputs:?}");
        assert!(!Path::new(&kept).exists(), "{outputs:?}");
        assert_eq!(fs::read_to_string(&file).expect("documents"), line);
    }
}
