//! A segment in Common Crawl's form.

use crate::captures::{captures, scan};
use crate::{corpus, python};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn local_captures_per_subset_are_those_that_fastwarc_counts() {
    let (Some(segment), Some(python)) = (corpus("segment"), python()) else {
        return;
    };
    let output = Command::new(python)
        .arg("tests/corpus/count.py")
        .arg(&segment)
        .output()
        .expect("Python starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let expected: BTreeMap<String, BTreeMap<String, u64>> =
        serde_json::from_slice(&output.stdout).expect("JSON");
    let out = scan(&segment, &[]);
    let mut found = BTreeMap::<String, BTreeMap<String, u64>>::new();
    for capture in captures(out.path()) {
        let counts = found.entry(capture.subset.expect("a subset")).or_default();
        *counts.entry("captures".to_owned()).or_default() += 1;
        *counts.entry("robots".to_owned()).or_default() += u64::from(capture.kind == "robots");
        for name in [
            "x-robots-tag",
            "robots-tag",
            "content-usage",
            "tdm-reservation",
        ] {
            let there = capture.signals.contains(&format!("header:{name}"));
            *counts.entry(name.to_owned()).or_default() += u64::from(there);
        }
    }
    assert_eq!(found, expected);
    println!("agreed: {found:?}");
}

#[test]
fn local_every_page_of_the_expectations_is_a_capture() {
    let Some(segment) = corpus("segment") else {
        return;
    };
    let text = std::fs::read_to_string(segment.join("expected.jsonl")).expect("expected.jsonl");
    let mut expected = BTreeMap::<String, usize>::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        *expected
            .entry(line["file"].as_str().expect("a file").to_owned())
            .or_default() += 1;
    }
    let out = scan(&segment, &["-j", "1"]);
    let mut found = BTreeMap::<String, usize>::new();
    for capture in captures(out.path())
        .into_iter()
        .filter(|capture| capture.kind == "page")
    {
        *found.entry(capture.file).or_default() += 1;
    }
    assert_eq!(found, expected);
}
