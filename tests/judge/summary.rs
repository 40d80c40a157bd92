//! What a call says of all documents: no share of what is kept stands without what was not seen.

use crate::fixture::{judge, list, pages, write_lines};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Returns what `_judge.json` says of all documents.
fn documents(folder: &Path) -> Value {
    let text = fs::read(folder.join("_out.judge/_judge.json")).expect("a judgement");
    serde_json::from_slice::<Value>(&text).expect("JSON")["documents"].clone()
}

/// Returns the documents that came out.
fn judged(out: &Path) -> Vec<Value> {
    let files =
        ["a.jsonl", "b.jsonl"].map(|name| fs::read_to_string(out.join(name)).unwrap_or_default());
    files
        .concat()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Counts of a column by its values, with 0 for those that no document has.
fn counts(documents: &[Value], column: &str, values: &[&str]) -> Value {
    let count = |value: &&str| {
        documents
            .iter()
            .filter(|document| document[column] == **value)
            .count()
    };
    values
        .iter()
        .map(|value| ((*value).to_owned(), json!(count(value))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn local_the_numbers_of_a_judgement_are_those_of_its_documents() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (first, second, out) = (
        folder.path().join("a.jsonl"),
        folder.path().join("b.jsonl"),
        folder.path().join("out"),
    );
    let mut all: Vec<Value> = pages().into_iter().map(|(page, _)| page).collect();
    for (number, document) in all.iter_mut().enumerate() {
        match number % 4 {
            0 => document["id"] = Value::Null,
            1 => document["url"] = json!("https://elsewhere.example/"),
            2 => document["date"] = json!("2026-08-10"),
            _ => {}
        }
    }
    let half = all.len() / 2;
    write_lines(&first, &all[..half]);
    write_lines(&second, &all[half..]);
    for file in [&first, &second] {
        let (status, text) = judge(&[file], &out, &["--at", "page,newest"]);
        assert_eq!(status, 0, "{text}");
    }
    // Both calls count.
    let (judged, said) = (judged(&out), documents(folder.path()));
    assert_eq!(said["inputs"], json!({"judged": 2, "not_judged": []}));
    let said = &said["counts"];
    assert_eq!(said["documents"], all.len());
    let sources = [
        "record",
        "record_of_other_url",
        "record_by_url",
        "site",
        "none",
    ];
    assert_eq!(said["by_source"], counts(&judged, "prefs_source", &sources));
    let preferences = ["allow", "disallow", "unknown"];
    for (time, column) in ["prefs_access", "prefs_access_newest"].iter().enumerate() {
        assert_eq!(
            said["access_by_time"][time],
            counts(&judged, column, &preferences)
        );
    }
    for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
        let column = format!("prefs_{label}");
        assert_eq!(
            said["labels"][label],
            counts(&judged, &column, &preferences),
            "{label}"
        );
    }
    let by_name = |column: &str| {
        let mut counts = BTreeMap::<&str, u64>::new();
        for name in judged.iter().flat_map(|document| list(&document[column])) {
            *counts.entry(name).or_default() += 1;
        }
        counts
    };
    let unseen = judged
        .iter()
        .filter(|document| document["prefs_not_seen"] != "")
        .count();
    let (unread, doubt) = (by_name("prefs_unread"), by_name("prefs_doubt"));
    assert!(unseen > 20 && !doubt.is_empty(), "{unseen} {doubt:?}");
    assert_eq!(said["headers_or_metas_not_seen"], unseen);
    assert_eq!(
        (&said["unread"], &said["doubt"]),
        (&json!(unread), &json!(doubt))
    );
    assert_eq!(said["dates"]["intervals"], (all.len() + 1) / 4);
}

#[test]
fn local_no_share_of_what_is_kept_stands_without_what_was_not_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, out) = (folder.path().join("a.jsonl"), folder.path().join("out"));
    let pages: Vec<Value> = pages().into_iter().map(|(page, _)| page).collect();
    let by_url = pages
        .iter()
        .map(|page| json!({"url": page["url"], "date": page["date"]}));
    let is_whole = |page: &&Value| {
        page["id"].is_string()
            && page["url"]
                .as_str()
                .is_some_and(|url| url.contains("rep.example"))
    };
    let whole: Vec<Value> = pages.iter().filter(is_whole).cloned().collect();
    for (documents, says) in [
        (
            by_url.collect::<Vec<_>>(),
            format!("headers or metas of {} were not seen", pages.len()),
        ),
        (whole, "the headers and metas of all were seen".to_owned()),
    ] {
        write_lines(&file, &documents);
        let (status, text) = judge(&[&file], &out, &["--policy", "robots", "--overwrite"]);
        assert_eq!(status, 0, "{text}");
        let (before, _) = text.split_once("\nkept ").expect("a share of what is kept");
        assert!(before.contains(&says), "{says}: {text}");
        let cost = fs::read(folder.path().join("_out.judge/cost.json")).expect("costs");
        let cost: Value = serde_json::from_slice(&cost).expect("JSON");
        let said = self::documents(folder.path());
        assert_eq!(
            cost["headers_or_metas_not_seen"],
            said["counts"]["headers_or_metas_not_seen"]
        );
    }
}
