//! The table `sites` at times, from the index alone, is what evidence gives and what documents are judged by.

use crate::rows::{parts, rows, value};
use crate::world::{CRAWLS, warc};
use crate::{done, failed, files, of_world};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// What pages and segments come to, of which an index has none.
const OF_EVIDENCE: [&str; 6] = [
    "page_systems",
    "pages",
    "pages_closed",
    "content_bytes",
    "warc_segment",
    "segment_whole",
];

/// Returns the rows of `sites` of a crawl by origin, each as its columns in text; evidence has one for each segment.
fn rows_by_origin(out: &Path, crawl: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let of_crawl = folder.path().join("crawl");
    fs::create_dir(&of_crawl).expect("a folder");
    for part in parts(&out.join("sites")) {
        if part
            .parent()
            .is_some_and(|parent| parent.ends_with(format!("crawl={crawl}")))
        {
            fs::copy(&part, of_crawl.join(part.file_name().expect("a name"))).expect("a copy");
        }
    }
    let mut found = BTreeMap::<String, Vec<Vec<String>>>::new();
    for row in rows(folder.path()) {
        let columns = row
            .get_column_iter()
            .filter(|(name, _)| !OF_EVIDENCE.contains(&name.as_str()));
        let columns = columns
            .map(|(name, field)| format!("{name} {field}"))
            .collect();
        let origin = value(&row, "origin").as_str().expect("text").to_owned();
        found.entry(origin).or_default().push(columns);
    }
    found
}

/// Returns the rows of a crawl, each origin once.
fn sites(out: &Path, crawl: &str) -> BTreeMap<String, Vec<String>> {
    let once = |(origin, mut rows): (String, Vec<Vec<String>>)| {
        assert_eq!(rows.len(), 1, "{origin} is there twice");
        (origin, rows.remove(0))
    };
    rows_by_origin(out, crawl).into_iter().map(once).collect()
}

/// Makes `sites` of the world's index.
fn made(folder: &Path, times: &str, more: &[&str]) -> PathBuf {
    let (out, index) = (folder.join("out"), of_world("index"));
    let place = out.to_string_lossy().into_owned();
    done(&[&["sites", "-q", &index, "--at", times, "-o", &place], more].concat());
    out
}

#[test]
fn local_each_crawl_gives_the_rows_that_its_evidence_gives() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = made(folder.path(), "each-crawl", &[]);
    for (number, crawl) in CRAWLS.iter().enumerate() {
        let of_evidence = folder.path().join(format!("evidence-{number}"));
        let place = of_evidence.to_string_lossy().into_owned();
        let evidence = of_world(&format!("out-{number}"));
        done(&[
            "resolve", "-q", &evidence, "--tables", "sites", "-o", &place,
        ]);
        let (mut expected, found) = (rows_by_origin(&of_evidence, crawl), sites(&out, crawl));
        // Origins of which there are pages alone are not in an index.
        expected.retain(|origin, _| found.contains_key(origin));
        assert!(found.len() > 60, "{}", found.len());
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        let with_pages = with_pages(&of_evidence);
        // The row of its last segment is that of the crawl.
        let differ = found
            .iter()
            .filter(|(origin, row)| !expected[*origin].contains(row));
        // Evidence judges an origin as of its newest page, of which an index knows nothing: a redirect may lead elsewhere by then.
        let differ: Vec<&String> = differ.map(|(origin, _)| origin).collect();
        let is_redirect = |origin: &&String| {
            found[*origin]
                .iter()
                .any(|value| value == "robots_state \"redirect_unresolved\"")
        };
        assert!(
            differ
                .iter()
                .all(|origin| with_pages.contains(*origin) && is_redirect(origin)),
            "{crawl} {differ:?}"
        );
        assert!(differ.len() <= 1, "{crawl} {differ:?}");
    }
}

/// Returns the origins that have pages.
fn with_pages(out: &Path) -> BTreeSet<String> {
    let rows = rows(&out.join("sites"));
    let rows = rows.iter().filter(|row| value(row, "pages") != json!(0));
    rows.map(|row| value(row, "origin").as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn local_a_time_gives_what_documents_are_judged_by() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let times = [
        "2026-02-01",
        "2026-03-02",
        "2026-04-02T01:00:00Z",
        "2030-01-01",
    ];
    let out = made(folder.path(), &times.join(","), &[]);
    let crawls = [
        "2026-02-01",
        "2026-03-02",
        "2026-04-02T010000Z",
        "2030-01-01",
    ];
    let mut states = BTreeSet::new();
    for (time, crawl) in times.iter().zip(crawls) {
        let mut rows = sites(&out, crawl);
        // A document of `a.example.` is judged by the files of `a.example`, too; tables have a row for each origin.
        rows.retain(|origin, _| !origin.ends_with('.') && !origin.contains(".:"));
        let documents = folder.path().join("documents.jsonl");
        let lines = rows
            .keys()
            .map(|origin| json!({"url": format!("{origin}/")}).to_string() + "\n");
        fs::write(&documents, lines.collect::<String>()).expect("a file");
        let documents = documents.to_string_lossy().into_owned();
        let judged = if rows.is_empty() {
            String::new()
        } else {
            done(&[
                "judge",
                "-q",
                "--sites",
                &of_world("index"),
                "--at",
                time,
                &documents,
            ])
        };
        assert_eq!(judged.lines().count(), rows.len());
        for ((origin, row), line) in rows.iter().zip(judged.lines()) {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let state = line["prefs_robots_state"].as_str().expect("a state");
            states.insert(state.to_owned());
            assert!(
                row.contains(&format!("robots_state \"{state}\"")),
                "{time} {origin}: {row:?}"
            );
        }
    }
    // Captures without a date are there at every time.
    assert!(sites(&out, crawls[0]).len() < sites(&out, crawls[1]).len());
    for state in [
        "parsed",
        "unavailable",
        "unreachable",
        "redirect_unresolved",
        "unreadable",
        "undated",
    ] {
        assert!(states.contains(state), "{state}");
    }
}

#[test]
fn local_the_bytes_depend_on_the_index_and_the_times_alone() {
    let (one, other) = (
        tempfile::tempdir().expect("a temporary folder"),
        tempfile::tempdir().expect("a temporary folder"),
    );
    let jobs = available_parallelism()
        .map_or(4, |jobs| jobs.get().max(4))
        .to_string();
    let first = made(one.path(), "2026-03-02,2026-04-02", &["-j", "1"]);
    // In two calls, by more workers, and once more over what is there.
    made(other.path(), "2026-04-02", &["-j", &jobs]);
    made(
        other.path(),
        "2026-03-02,2026-04-02",
        &["-j", &jobs, "--memory-limit", "64M"],
    );
    let second = made(other.path(), "2026-03-02,2026-04-02", &["--verify"]);
    assert!(files(&first) == files(&second));
    // A part that is missing is made again.
    let part = parts(&second.join("sites")).remove(0);
    fs::remove_file(&part).expect("a part");
    made(other.path(), "2026-03-02,2026-04-02", &[]);
    assert!(files(&first) == files(&second));
}

#[test]
fn local_what_would_mix_or_mislead_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (index, out) = (
        of_world("index"),
        folder.path().join("out").to_string_lossy().into_owned(),
    );
    let refused = |args: &[&str], status: i32, words: &str| {
        let (found, message) = failed(args);
        assert_eq!(found, Some(status), "{message}");
        assert!(message.contains(words), "{message}");
    };
    let of_index = |times: &'static str| ["sites", "-q", &index, "-o", &out, "--at", times];
    refused(
        &of_index("2026-13-01"),
        2,
        "found 2026-13-01, expected times such as 2024-01-01, or each-crawl",
    );
    refused(
        &of_index("2026-03-02,2026-03-02T00:00:00Z"),
        2,
        "is named twice",
    );
    refused(&["sites", &index, "-o", &out], 2, "--at");
    refused(&["sites", &index, "--at", "each-crawl"], 2, "--out");
    let evidence = of_world("out-0");
    refused(
        &["sites", &evidence, "-o", &out, "--at", "each-crawl"],
        1,
        "site index",
    );
    // Beside evidence, over tables of evidence, and of another viewpoint or index.
    refused(
        &["sites", &index, "-o", &evidence, "--at", "2026-03-02"],
        1,
        "the folder has evidence",
    );
    let tables = of_world("tables");
    let over = [
        "sites",
        &index,
        "-o",
        &tables,
        "--at",
        "2026-03-02",
        "--overwrite",
    ];
    refused(&over, 1, "from another run");
    done(&of_index("2026-03-02"));
    refused(
        &[&of_index("2026-03-02")[..], &["--agent", "GPTBot"]].concat(),
        1,
        "agent is CCBot, not GPTBot",
    );
    refused(
        &["resolve", &evidence, "-o", &out],
        1,
        "from another run (site_index is",
    );
    done(
        &[
            &of_index("2026-04-02")[..],
            &["--agent", "GPTBot", "--overwrite"],
        ]
        .concat(),
    );
    assert_eq!(parts(&Path::new(&out).join("sites")).len(), 1);
}

#[test]
fn local_an_index_that_lacks_archives_is_used_on_request_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(at("broken.warc.gz"), b"\x1f\x8b\x08\x00 not gzip").expect("a file");
    let scanned = crate::run(&[
        "scan",
        "-q",
        &at("broken.warc.gz"),
        "-o",
        &at("evidence"),
        "--max-failed",
        "1",
    ]);
    assert!(
        Path::new(&at("evidence")).exists(),
        "{}",
        String::from_utf8_lossy(&scanned.stderr)
    );
    done(&[
        "index",
        "-q",
        &at("evidence"),
        "-o",
        &at("index"),
        "--allow-incomplete",
    ]);
    let (index, out) = (at("index"), at("out"));
    let args = ["sites", "-q", &index, "-o", &out, "--at", "2026-03-02"];
    let (status, message) = failed(&args);
    assert_eq!(status, Some(1), "{message}");
    assert!(message.contains("--allow-incomplete"), "{message}");
    done(&[&args[..], &["--allow-incomplete"]].concat());
    assert_eq!(sites(Path::new(&out), "2026-03-02").len(), 0);
    assert_eq!(parts(&Path::new(&out).join("sites")).len(), 1);
}

#[test]
fn aipref_vocab_the_vocabulary_is_that_of_the_day_on_request() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let answer = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nContent-Usage: ai-use=y\nAllow: /\n";
    // ai-use is a label of -02 and of -08, and unknown to the others. A yes counts by the vocabulary alone, a no by any (KNOW-9).
    let days = [
        ("2025-01-01", "unknown"),
        ("2025-08-01", "allow"),
        ("2025-10-01", "unknown"),
    ];
    let days = [
        &days[..],
        &[("2026-08-01", "unknown"), ("2026-10-01", "allow")],
    ]
    .concat();
    let captures = days.iter().map(|(day, _)| {
        warc::response(
            "https://a.example/robots.txt",
            &format!("{day}T00:00:00Z"),
            "",
            answer,
        )
    });
    fs::write(at("a.warc"), captures.collect::<Vec<_>>().concat()).expect("an archive");
    done(&["scan", "-q", &at("a.warc"), "-o", &at("evidence")]);
    done(&["index", "-q", &at("evidence"), "-o", &at("index")]);
    let (index, dated, fixed) = (at("index"), at("dated"), at("fixed"));
    let times = days
        .iter()
        .map(|(day, _)| *day)
        .collect::<Vec<_>>()
        .join(",");
    let args = ["sites", "-q", &index, "--at", &times];
    done(&[&args[..], &["-o", &dated, "--vocab", "dated"]].concat());
    done(&[&args[..], &["-o", &fixed, "--vocab", "02"]].concat());
    for (day, expected) in &days {
        let label = |out: &str| sites(Path::new(out), day)["https://a.example"].clone();
        assert!(
            label(&dated).contains(&format!("ai_input \"{expected}\"")),
            "{day}: {:?}",
            label(&dated)
        );
        assert!(
            label(&dated)
                .iter()
                .any(|column| column.contains("vocabulary dated,"))
        );
        assert!(
            label(&fixed).contains(&"ai_input \"allow\"".to_owned()),
            "{day}"
        );
    }
    // Two ways to read are never in one folder, and pages are read by one vocabulary.
    let (status, message) = failed(&[&args[..], &["-o", &dated]].concat());
    assert!(
        status == Some(1) && message.contains("vocabulary is dated, not 03"),
        "{message}"
    );
    let (status, message) = failed(&["resolve", "-q", &at("evidence"), "--vocab", "dated"]);
    assert!(
        status == Some(1) && message.contains("for `crawlprefs sites` alone"),
        "{message}"
    );
}
