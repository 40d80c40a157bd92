//! The log: a closed set of events, as text and as JSON; names in it cannot change what a terminal shows.

use crate::command::{crawlprefs, names, path, write_cut_archive};
use crate::rounds::rounds;
use crate::warc::response;
use serde_json::Value;
use std::fs;

const KNOWN: [&str; 12] = [
    "started",
    "archive_read",
    "archive_known",
    "archive_cut",
    "archive_failed",
    "batch_resolved",
    "batch_failed",
    "progress",
    "finished",
    "stopped",
    "warning",
    "error",
];

fn checked(events: &[Value]) {
    for event in events {
        let name = event["event"].as_str().expect("a name");
        assert!(KNOWN.contains(&name), "{event}");
        let time = event["time"].as_str().expect("a time");
        assert!(
            time.len() >= 20 && time.starts_with("20") && time.ends_with('Z'),
            "{time}"
        );
        let level = event["level"].as_str().expect("a level");
        assert!(["info", "warning", "error"].contains(&level), "{event}");
        assert!(event["message"].is_string(), "{event}");
        assert_eq!(
            event.get("kind").is_some(),
            event.get("retry").is_some(),
            "{event}"
        );
    }
}

#[test]
fn local_a_run_is_logged_archive_by_archive_and_batch_by_batch() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = path(folder.path(), "out");
    let args = [
        "run",
        "sample-data",
        "-o",
        &out,
        "-j",
        "1",
        "--log-format",
        "json",
        "-v",
    ];
    let first = crawlprefs(&args);
    assert_eq!(first.status, 0, "{}", first.err);
    let events = first.events();
    checked(&events);
    let of = |name: &str| {
        events
            .iter()
            .filter(|event| event["event"] == name)
            .collect::<Vec<_>>()
    };
    let started = of("started");
    assert_eq!(started.len(), 2);
    assert_eq!(
        (&started[0]["work"], &started[0]["archives"]),
        (&"scan".into(), &7.into())
    );
    assert_eq!(started[1]["work"], "resolve");
    let read = of("archive_read");
    assert_eq!(read.len(), 7);
    assert!(
        read.iter()
            .all(|event| event["archive"].is_string() && event["seconds"].is_number())
    );
    let sum = |key: &str| {
        read.iter()
            .filter_map(|event| event[key].as_u64())
            .sum::<u64>()
    };
    let batches = of("batch_resolved");
    let resolved: u64 = batches
        .iter()
        .filter_map(|event| event["captures"].as_u64())
        .sum();
    assert_eq!(
        (batches.len() as u64, Some(resolved)),
        (
            started[1]["batches"].as_u64().expect("a number"),
            started[1]["total_captures"].as_u64()
        )
    );
    let finished = events.last().expect("events");
    assert_eq!(
        (&finished["event"], &finished["status"]),
        (&"finished".into(), &0.into())
    );
    for key in ["bytes", "records", "captures", "failures"] {
        assert_eq!(finished[key], sum(key), "{key}");
    }
    assert_eq!(finished["captures_resolved"], resolved);
    let again = crawlprefs(&args).events();
    checked(&again);
    assert_eq!(
        names(&again)
            .iter()
            .filter(|name| **name == "archive_known")
            .count(),
        7
    );
}

#[test]
fn local_a_failure_has_its_kind_and_whether_to_try_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, cut, list) = (
        path(folder.path(), "out"),
        path(folder.path(), "cut.warc"),
        path(folder.path(), "list"),
    );
    write_cut_archive(&cut);
    fs::write(
        &list,
        format!("{cut}\nREADME.md\n{}\n", path(folder.path(), "gone.warc")),
    )
    .expect("written");
    let ran = crawlprefs(&[
        "scan",
        "--paths-from",
        &list,
        "-o",
        &out,
        "-j",
        "1",
        "--log-format",
        "json",
    ]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    let events = ran.events();
    checked(&events);
    for (archive, event, kind, retry) in [
        ("README.md", "archive_failed", "not_an_archive", false),
        ("cut.warc", "archive_cut", "cut", true),
        ("gone.warc", "archive_failed", "missing", true),
    ] {
        let found = events
            .iter()
            .find(|event| event["archive"] == archive)
            .expect("an event");
        assert_eq!(
            (
                &found["event"],
                &found["kind"],
                &found["retry"],
                &found["level"]
            ),
            (
                &event.into(),
                &kind.into(),
                &retry.into(),
                &"warning".into()
            )
        );
    }
    let error = events
        .iter()
        .find(|event| event["event"] == "error")
        .expect("an error");
    assert_eq!(
        (&error["kind"], &error["retry"]),
        (&"inputs_failed".into(), &true.into())
    );
    let refused = crawlprefs(&[
        "resolve",
        &path(folder.path(), "none"),
        "--log-format",
        "json",
    ]);
    let events = refused.events();
    checked(&events);
    assert_eq!((refused.status, names(&events)), (1, vec!["error"]));
    assert_eq!(
        (&events[0]["kind"], &events[0]["retry"]),
        (&"no_evidence".into(), &false.into())
    );
}

#[test]
fn local_quiet_is_about_both_forms_and_text_has_a_line_per_archive_with_v() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for form in ["text", "json"] {
        let out = path(folder.path(), form);
        let ran = crawlprefs(&["run", "sample-data", "-q", "--log-format", form, "-o", &out]);
        assert_eq!(
            (ran.status, ran.out.as_str(), ran.err.as_str()),
            (0, "", "")
        );
    }
    let out = path(folder.path(), "verbose");
    let ran = crawlprefs(&["scan", "sample-data", "-v", "-o", &out]);
    assert_eq!(ran.err.lines().count(), 7, "{}", ran.err);
    assert!(
        ran.err
            .lines()
            .all(|line| line.contains(" records, ") && line.ends_with(" failures"))
    );
}

#[test]
fn local_progress_of_a_resolve_counts_captures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = path(folder.path(), "many.warc");
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
    let media = "Content-Type: application/http; msgtype=response\r\n";
    let record = response("http://h.example/", "06:00:00", media, block);
    let count = rounds(20_000, 60_000);
    fs::write(&archive, record.repeat(count)).expect("it can be written");
    let out = path(folder.path(), "out");
    assert_eq!(crawlprefs(&["scan", &archive, "-q", "-o", &out]).status, 0);
    let ran = crawlprefs(&["resolve", &out, "--log-format", "json"]);
    let events = ran.events();
    checked(&events);
    assert_eq!(
        (ran.status, &events[0]["total_captures"]),
        (0, &count.into()),
        "{}",
        ran.err
    );
    for event in events.iter().filter(|event| event["event"] == "progress") {
        assert_eq!(
            (&event["work"], &event["total_captures"]),
            (&"resolve".into(), &count.into())
        );
        assert!(
            event["captures_resolved"].is_u64() && event["per_second"].is_u64(),
            "{event}"
        );
        assert!(event.get("seconds_left").is_some(), "{event}");
    }
}

#[test]
#[cfg(unix)]
fn local_hostile_names_are_escaped_in_text_and_json() {
    let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}gz.craw\n\u{2066}b.warc";
    let shown = "a\\x1B[2J\\x9B31m\\u{202E}gz.craw\\x0A\\u{2066}b.warc";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = folder.path().join(hostile).to_string_lossy().into_owned();
    fs::write(&archive, "no archive").expect("it can be written");
    let is_safe = |text: &str| {
        let bidi = ['\u{202e}', '\u{2066}', '\u{2028}'];
        text.chars().all(|character| {
            character == '\n' || !(character.is_control() || bidi.contains(&character))
        })
    };
    for form in ["text", "json"] {
        let out = path(folder.path(), form);
        let ran = crawlprefs(&["scan", &archive, "-o", &out, "--log-format", form, "-v"]);
        assert_eq!(ran.status, 3, "{}", ran.err);
        assert!(
            is_safe(&ran.err) && is_safe(&ran.out),
            "{:?} {:?}",
            ran.err,
            ran.out
        );
        if form == "text" {
            assert!(
                ran.err.contains(shown) && ran.err.lines().count() == 2,
                "{}",
                ran.err
            );
            continue;
        }
        let events = ran.events();
        let failed = events
            .iter()
            .find(|event| event["event"] == "archive_failed")
            .expect("an event");
        // A program gets the name as it is in the tables.
        assert_eq!(failed["archive"], hostile);
        assert!(
            failed["message"]
                .as_str()
                .is_some_and(|message| message.contains(shown)),
            "{failed}"
        );
    }
    let missing = crawlprefs(&["scan", "\u{1b}]0;owned\u{7}\u{202e}.warc", "-o", "unused"]);
    assert!(
        is_safe(&missing.err) && missing.err.contains("\\x1B]0;owned\\x07\\u{202E}.warc"),
        "{}",
        missing.err
    );
    let explained = crawlprefs(&[
        "explain",
        "--url",
        "http://a.example/\u{1b}[2J",
        "--agent",
        "\u{202e}",
    ]);
    assert!(
        explained.status == 2 && is_safe(&explained.err),
        "{}",
        explained.err
    );
}
