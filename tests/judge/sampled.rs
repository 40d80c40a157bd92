//! `judge --audit --sample`: a random sample, what was found in it, and how certain that is.

use crate::fixture::{
    judge, judged, list, pages, rows_of, run, tables, value, write_lines, write_parquet,
};
use arrow_array::{ArrayRef, StringArray};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The documents of the sample data, half of them by URL alone, in JSON lines, in Parquet and in a folder below.
struct World {
    folder: tempfile::TempDir,
    documents: Vec<Value>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut documents: Vec<Value> = pages().into_iter().map(|(page, _)| page).collect();
        for (number, document) in documents.iter_mut().enumerate() {
            document["number"] = number.into();
            if number % 2 == 0 {
                document["id"] = Value::Null;
            }
        }
        let third = documents.len() / 3;
        fs::create_dir(folder.path().join("below")).expect("a folder");
        write_lines(&folder.path().join("a.jsonl"), &documents[..third]);
        write_lines(
            &folder.path().join("below/b.jsonl"),
            &documents[third..2 * third],
        );
        let text = |name: &str| -> ArrayRef {
            let text = |document: &Value| match &document[name] {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            Arc::new(
                documents[2 * third..]
                    .iter()
                    .map(text)
                    .collect::<StringArray>(),
            )
        };
        let columns = ["url", "id", "date", "number"].map(|name| (name, text(name)));
        write_parquet(&folder.path().join("c.parquet"), columns.into());
        Self { folder, documents }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn judge(&self, inputs: &[&str], out: &str, flags: &[&str]) -> (i32, String) {
        let inputs: Vec<PathBuf> = inputs.iter().map(|input| self.path(input)).collect();
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        judge(&inputs, &self.path(out), flags)
    }

    /// Returns what `_judge.json` says of an audit.
    fn audit(&self, out: &str) -> Value {
        let text = fs::read(self.path(&format!("_{out}.judge/_judge.json"))).expect("a judgement");
        serde_json::from_slice::<Value>(&text).expect("JSON")["audit"].clone()
    }

    /// Returns the documents that came out, by their numbers.
    fn out(&self, out: &str) -> BTreeMap<u64, Value> {
        let lines =
            ["a.jsonl", "b.jsonl"].map(|name| fs::read_to_string(self.path(out).join(name)));
        let lines: String = lines.into_iter().map(Result::unwrap_or_default).collect();
        let of_line = |line: &str| {
            let document: Value = serde_json::from_str(line).expect("JSON");
            (document["number"].as_u64().expect("a number"), document)
        };
        let mut all: BTreeMap<u64, Value> = lines.lines().map(of_line).collect();
        for row in rows_of(&self.path(out).join("c.parquet")) {
            let names = ["number", "prefs_finding", "prefs_found_by", "prefs_access"]
                .into_iter()
                .chain(GAPS);
            let document: serde_json::Map<String, Value> = names
                .map(|name| (name.to_owned(), value(&row, name)))
                .collect();
            let number = document["number"]
                .as_str()
                .expect("text")
                .parse()
                .expect("a number");
            all.insert(number, document.into());
        }
        all
    }
}

/// The columns of what is not known.
const GAPS: [&str; 3] = ["prefs_unread", "prefs_doubt", "prefs_not_seen"];

const AUDIT: [&str; 3] = ["--policy", "labels", "--audit"];

fn of<'f>(flags: &[&'f str]) -> Vec<&'f str> {
    [&AUDIT, flags].concat()
}

#[test]
fn local_a_sample_is_the_same_whatever_the_order_and_the_number_of_workers() {
    let world = World::new();
    let all = ["a.jsonl", "below", "c.parquet"];
    let reversed = ["c.parquet", "below", "a.jsonl"];
    let (status, text) = world.judge(&all, "one", &of(&["--sample", "60@7", "--jobs", "1"]));
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("Audit of 60 of") && text.contains("the seed 7"),
        "{text}"
    );
    world.judge(
        &reversed,
        "other",
        &of(&["--sample", "60@7", "--jobs", "4", "--memory-limit", "64M"]),
    );
    let (one, other) = (world.audit("one"), world.audit("other"));
    assert_eq!(one, other);
    assert_eq!(
        one["sample"],
        serde_json::json!({"documents": 60, "seed": 7})
    );
    assert_eq!(
        (&one["population"], &one["drawn"]),
        (&world.documents.len().into(), &60.into())
    );
    let names: Vec<&str> = one["files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| file["name"].as_str().expect("text"))
        .collect();
    assert_eq!(names, ["a.jsonl", "b.jsonl", "c.parquet"]);
    let found = world.out("one");
    assert_eq!((found.len(), &found), (60, &world.out("other")));
    world.judge(&all, "seeded", &of(&["--sample", "60@8"]));
    assert_ne!(
        world.out("seeded").keys().collect::<Vec<_>>(),
        found.keys().collect::<Vec<_>>()
    );
    // The same call again judges the same sample again; another one is refused in its folder.
    let (status, text) = world.judge(&all, "one", &of(&["--sample", "60@7", "--jobs", "1"]));
    assert!(status == 0 && world.audit("one") == other, "{text}");
    let (status, text) = world.judge(&all, "one", &of(&["--sample", "60@8"]));
    assert!(
        status == 1 && text.contains("sample is 60@7, not 60@8"),
        "{text}"
    );
}

/// A violation is what the policy drops for a no. What is unknown is never a document that conforms, whatever the policy keeps.
#[test]
fn local_what_is_found_is_what_the_policy_says_and_unknown_is_a_row_of_its_own() {
    let world = World::new();
    let inputs = ["a.jsonl", "below", "c.parquet"];
    let (status, text) = world.judge(&inputs, "all", &of(&["--sample", "100000@1"]));
    assert_eq!(status, 0, "{text}");
    let found = world.out("all");
    assert_eq!(found.len(), world.documents.len());
    let text: String = world
        .documents
        .iter()
        .map(|document| document.to_string() + "\n")
        .collect();
    let kept: BTreeSet<u64> = judged(&text, &["--policy", "labels"])
        .iter()
        .map(|document| document["number"].as_u64().expect("a number"))
        .collect();
    let mut counts = BTreeMap::new();
    for (number, document) in &found {
        let is_no = document["prefs_found_by"]
            .as_str()
            .is_some_and(|reason| reason.ends_with("_disallow"));
        let is_open = document["prefs_access"] == "unknown"
            || GAPS.iter().any(|gap| !list(&document[*gap]).is_empty());
        let finding = document["prefs_finding"].as_str().expect("text");
        assert_eq!(
            kept.contains(number),
            document["prefs_found_by"].is_null(),
            "{document}"
        );
        let expected = if is_no {
            "violation"
        } else if is_open {
            "unknown"
        } else {
            "conforms"
        };
        assert_eq!(finding, expected, "{document}");
        assert!(finding != "conforms" || kept.contains(number), "{document}");
        *counts.entry(finding.to_owned()).or_insert(0_u64) += 1;
    }
    assert!(counts.len() == 3 && counts["violation"] > 20, "{counts:?}");
    // All were drawn: nothing is left to chance.
    let audit = world.audit("all");
    for row in audit["findings"].as_array().expect("rows") {
        assert_eq!(
            row["documents"],
            counts[row["finding"].as_str().expect("text")],
            "{row}"
        );
        assert_eq!(
            (&row["interval"]["low"], &row["interval"]["high"]),
            (&row["share"], &row["share"])
        );
    }
}

#[test]
fn local_a_sample_says_which_inputs_it_is_not_of() {
    let world = World::new();
    fs::write(
        world.path("d.jsonl"),
        "{\"url\":\"https://a.example/\"}\n{\"url\":",
    )
    .expect("a file");
    let (status, text) = world.judge(&["a.jsonl", "d.jsonl"], "out", &of(&["--sample", "10@1"]));
    assert!(
        status == 3 && text.contains("1 inputs could not be read, such as d.jsonl"),
        "{text}"
    );
    let audit = world.audit("out");
    assert_eq!(
        (&audit["failed"], &audit["drawn"]),
        (&serde_json::json!(["d.jsonl"]), &10.into())
    );
    assert_eq!(audit["population"], world.documents.len() / 3);
    let (status, text) = world.judge(&["d.jsonl"], "none", &of(&["--sample", "10@1"]));
    assert!(
        status == 3 && text.contains("d.jsonl: line 2") && text.contains("no document to draw"),
        "{text}"
    );
    assert!(
        !text.contains("violation") && world.audit("none")["findings"] == serde_json::json!([]),
        "{text}"
    );
    // The SHA-256 of each file: what was audited can be known again.
    let digest = audit["files"][0]["sha256"].as_str().expect("text");
    let ran = std::process::Command::new("sha256sum")
        .arg(world.path("a.jsonl"))
        .output()
        .expect("sha256sum");
    assert!(String::from_utf8_lossy(&ran.stdout).starts_with(digest));
}

#[test]
fn local_a_sample_replaces_no_other_judgement_and_is_continued_by_none() {
    let world = World::new();
    let (status, text) = world.judge(&["a.jsonl"], "full", &AUDIT);
    assert_eq!(status, 0, "{text}");
    let before = fs::read(world.path("full/a.jsonl")).expect("an output");
    let (status, text) = world.judge(&["a.jsonl"], "full", &of(&["--sample", "10@1"]));
    assert!(status == 1 && text.contains("from another run"), "{text}");
    assert_eq!(
        fs::read(world.path("full/a.jsonl")).expect("an output"),
        before
    );
    // Another input changes which documents are drawn: what was drawn before would be no part of the sample.
    world.judge(&["a.jsonl"], "drawn", &of(&["--sample", "10@1"]));
    let (status, text) = world.judge(&["below"], "drawn", &of(&["--sample", "10@1"]));
    assert!(
        status == 1 && text.contains("that this call does not name"),
        "{text}"
    );
    let (status, text) = world.judge(&["a.jsonl", "below"], "drawn", &of(&["--sample", "10@1"]));
    assert_eq!(status, 0, "{text}");
    assert_eq!(world.audit("drawn")["drawn"], 10);
}

/// In a sample nothing was kept or dropped: a violation is never said to be kept.
#[test]
fn local_a_document_of_an_audit_is_explained_by_what_was_found() {
    let world = World::new();
    for prefix in ["prefs_", "own_"] {
        let out = format!("audit-{prefix}");
        let inputs = ["a.jsonl", "below", "c.parquet"];
        let (status, text) = world.judge(
            &inputs,
            &out,
            &of(&["--sample", "1000@1", "--prefix", prefix]),
        );
        assert_eq!(status, 0, "{text}");
        let folder = world.path(&out).to_string_lossy().into_owned();
        let mut explained = BTreeSet::new();
        let lines = fs::read_to_string(world.path(&out).join("a.jsonl")).expect("an output");
        let documents = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let rows = rows_of(&world.path(&out).join("c.parquet"))
            .into_iter()
            .map(|row| {
                let names = ["id", "url", "finding", "found_by"];
                let name = |name: &str| {
                    if name.starts_with("f") {
                        format!("{prefix}{name}")
                    } else {
                        name.to_owned()
                    }
                };
                names
                    .map(|own| (name(own), value(&row, &name(own))))
                    .into_iter()
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            });
        for document in documents.chain(rows) {
            let (Some(id), Some(finding)) = (
                document["id"].as_str(),
                document[format!("{prefix}finding")].as_str(),
            ) else {
                continue;
            };
            let rule = document[format!("{prefix}found_by")].as_str();
            if !explained.insert((finding.to_owned(), rule.map(str::to_owned))) {
                continue;
            }
            let ran = run(&["explain", "--judged", &folder, id], b"");
            let said = String::from_utf8_lossy(&ran.stdout).into_owned();
            let expected = rule.map_or(finding.to_owned(), |rule| format!("{finding}: {rule}"));
            assert_eq!(said.lines().nth(1), Some(expected.as_str()), "{said}");
        }
        assert!(explained.len() > 3, "{explained:?}");
    }
    let folder = world.path("audit-prefs_").to_string_lossy().into_owned();
    let ran = run(
        &[
            "explain",
            "--judged",
            &folder,
            "https://nobody.example/none",
        ],
        b"",
    );
    assert!(String::from_utf8_lossy(&ran.stderr).contains("only the documents that were drawn"));
    // Nor is it an earlier judgement to compare with.
    let (status, text) = world.judge(
        &["a.jsonl"],
        "later",
        &["--policy", "labels", "--diff", &folder],
    );
    assert!(
        status != 0 && text.contains("a sample for an audit"),
        "{text}"
    );
}

#[test]
fn local_a_sample_needs_a_policy_and_a_number() {
    for (flags, says) in [
        (&["--sample", "10@1", "--audit"][..], "--policy"),
        (&["--sample", "10@1", "--policy", "labels"], "--audit"),
        (
            &["--sample", "0@1", "--policy", "labels", "--audit"],
            "expected a whole number",
        ),
        (
            &["--sample", "x", "--policy", "labels", "--audit"],
            "expected a whole number",
        ),
        (
            &["--sample", "9@", "--policy", "labels", "--audit"],
            "expected a whole number",
        ),
        (
            &["--sample", "1000001", "--policy", "labels", "--audit"],
            "expected a whole number",
        ),
    ] {
        let tables = tables();
        let ran = run(
            &[&["judge", "-", "--tables", &tables], flags].concat(),
            b"https://a.example/\n",
        );
        let error = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            ran.status.code() == Some(2) && error.contains(says),
            "{flags:?}: {error}"
        );
    }
    // A seed that is not given is printed, so that the sample can be drawn again.
    let tables = tables();
    let args = [
        "judge", "-", "--tables", &tables, "--policy", "labels", "--audit", "--sample", "1",
    ];
    let ran = run(
        &args,
        b"https://rep.example/\nhttps://rep.example/private/x\n",
    );
    assert!(
        ran.status.success()
            && String::from_utf8_lossy(&ran.stderr).contains("drawn with the seed ")
    );
    assert_eq!(String::from_utf8_lossy(&ran.stdout).lines().count(), 1);
}
