//! `explain --judged`: the decision about a document of an output folder.

use crate::fixture::{pages, run, tables, write_lines, write_parquet};
use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Runs the command; returns what it prints.
fn done(args: &[&str]) -> String {
    let ran = run(args, b"");
    assert!(
        ran.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// Judges documents by tables, or by an index of their evidence; returns the output folder.
fn judged(folder: &Path, documents: &[Value], is_by_index: bool) -> String {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    write_lines(&folder.join("a.jsonl"), documents);
    fs::write(
        folder.join("policy.toml"),
        "preset = 'robots'\nat = ['page', 'newest']\n",
    )
    .expect("a file");
    let column = |name: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter(
            documents.iter().map(|document| document[name].as_str()),
        ))
    };
    write_parquet(
        &folder.join("b.parquet"),
        vec![
            ("url", column("url")),
            ("id", column("id")),
            ("date", column("date")),
        ],
    );
    let (tables, index, out) = (tables(), path("world.index"), path("out"));
    if is_by_index {
        done(&["index", &tables, "-q", "-o", &index]);
    }
    let by = if is_by_index {
        ["--sites", &index]
    } else {
        ["--tables", &tables]
    };
    let (policy, dropped, lines, rows) = (
        path("policy.toml"),
        path("dropped"),
        path("a.jsonl"),
        path("b.parquet"),
    );
    let flags = ["--policy", &policy, "-o", &out, "--dropped", &dropped, "-q"];
    done(&[&["judge", &lines, &rows], &by[..], &flags].concat());
    out
}

#[test]
fn local_the_agent_and_the_index_of_a_decision_are_those_that_it_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let robots =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: GPTBot\nDisallow: /\n";
    let capture = crate::warc::response(
        "https://a.example/robots.txt",
        "06:00:00",
        "",
        robots.as_bytes(),
    );
    fs::write(path("a.warc"), capture).expect("a file");
    done(&["scan", &path("a.warc"), "-q", "-o", &path("evidence")]);
    done(&["index", &path("evidence"), "-q", "-o", &path("index")]);
    fs::write(
        path("policy.toml"),
        "preset = 'robots'\nagents = ['CCBot', 'GPTBot']\nat = ['newest', 'page']\n",
    )
    .expect("a file");
    write_lines(
        &folder.path().join("a.jsonl"),
        [&json!({"url": "https://a.example/x", "date": "2026-08-11"})],
    );
    done(&[
        "judge",
        &path("a.jsonl"),
        "--sites",
        &path("index"),
        "--policy",
        &path("policy.toml"),
        "-q",
        "-o",
        &path("out"),
        "--dropped",
        &path("dropped"),
    ]);
    let explain = |more: &[&str]| {
        done(
            &[
                &["explain", "--judged", &path("out"), "https://a.example/x"],
                more,
            ]
            .concat(),
        )
    };
    let text = explain(&[]);
    assert!(
        text.contains("dropped: GPTBot_disallow@newest\n") && text.contains("\nfor GPTBot"),
        "{text}"
    );
    assert!(
        text.contains("crawl           disallow, by line 2"),
        "{text}"
    );
    fs::rename(path("index"), path("moved")).expect("moved");
    assert_eq!(
        explain(&["--sites", &path("moved")]).replace(&path("moved"), &path("index")),
        text
    );
    done(&["index", &tables(), "-q", "-o", &path("other")]);
    let ran = run(
        &[
            "explain",
            "--judged",
            &path("out"),
            "https://a.example/x",
            "--sites",
            &path("other"),
        ],
        b"",
    );
    assert_eq!(ran.status.code(), Some(1), "another index");
}

#[test]
fn local_a_decision_is_explained_by_what_it_was_made_by() {
    let twice =
        json!({"id": "x-twice", "url": "https://twice.example/", "date": "2026-08-10T07:30:00Z"});
    let (open, _) = pages()
        .into_iter()
        .find(|(page, verdict)| {
            page["id"].is_string() && verdict["access"] == "allow" && verdict["reason"] == "rule"
        })
        .expect("an open page");
    let closed =
        json!({"id": null, "url": "https://rep.example/private/x", "date": "2026-08-10T09:00:00Z"});
    for is_by_index in [true, false] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = judged(
            folder.path(),
            &[twice.clone(), open.clone(), closed.clone()],
            is_by_index,
        );
        let explain = |document: &str| done(&["explain", "--judged", &out, document]);
        let text = explain("x-twice");
        assert!(
            text.starts_with("x-twice in a.jsonl\ndropped: access_disallow@newest\n"),
            "{text}"
        );
        assert!(
            text.contains("crawl           disallow, by line "),
            "{text}"
        );
        assert!(
            text.contains("\n                at = ['page', 'newest']\n")
                && text.contains("by crawlprefs "),
            "{text}"
        );
        assert_eq!(text.contains("site index"), is_by_index, "{text}");
        let text = explain("https://rep.example/private/x");
        assert!(
            text.contains("\ndropped: access_disallow@page\n")
                && text.contains("Disallow: /private/"),
            "{text}"
        );
        let bare = open["id"]
            .as_str()
            .expect("an id")
            .trim_start_matches("<urn:uuid:")
            .trim_end_matches('>');
        let answer = done(&["explain", "--judged", &out, bare, "--json"]);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["judged"]["is_kept"], true, "{answer}");
        assert_eq!(
            (&answer["judged"]["id"], &answer["access"]),
            (&open["id"], &Value::from("allow")),
            "{answer}"
        );
        // What is kept is explained as of all times.
        let times: Vec<&String> = answer["times"].as_object().expect("times").keys().collect();
        assert_eq!(times, ["newest", "page"]);
        let text = explain(bare);
        assert!(
            text.contains("\nat page\n") && text.contains("\nat newest\n"),
            "{text}"
        );
        let ran = run(&["explain", "--judged", &out, "nobody"], b"");
        assert_eq!(ran.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&ran.stderr).contains("no document nobody in it"));
        // The same documents in Parquet.
        fs::remove_file(folder.path().join("_out.judge/files/a.jsonl.json")).expect("removed");
        let text = explain("x-twice");
        assert!(
            text.starts_with("x-twice in b.parquet\ndropped: access_disallow@newest\n"),
            "{text}"
        );
    }
}
