//! What changed since an earlier judgement of the same documents.

use crate::fixture::{judge, pages, rows_of, value, write_lines, write_parquet};
use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the documents of all pages: most with an id, and every third known by its URL alone.
fn documents() -> Vec<Value> {
    let mut documents: Vec<Value> = pages().into_iter().map(|(page, _)| page).collect();
    for document in documents.iter_mut().step_by(3) {
        document["id"] = Value::Null;
    }
    let mut urls = BTreeSet::new();
    documents.retain(|document| urls.insert(document["url"].to_string()));
    documents
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    fn judge(&self, input: &str, out: &str, flags: &[&str]) -> String {
        let (status, text) = judge(&[&self.path(input)], &self.path(out), flags);
        assert_eq!(status, 0, "{text}");
        text
    }
}

fn known_by(document: &Value) -> String {
    let text = |name: &str| document[name].as_str().filter(|text| !text.is_empty());
    text("id").or(text("url")).expect("an id or URL").to_owned()
}

/// Returns the documents of an output, by what they are known by.
fn kept(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("an output");
    text.lines()
        .map(|line| known_by(&serde_json::from_str(line).expect("JSON")))
        .collect()
}

/// Judges twice, and compares; returns what was removed and added.
fn compare(old: &[&str], new: &[&str]) -> (usize, usize) {
    let world = World {
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    write_lines(&world.path("a.jsonl"), &documents());
    let (then, gone) = (world.text("old"), world.text("old-dropped"));
    world.judge("a.jsonl", "old", &[old, &["--dropped", &gone]].concat());
    let new = [new, &["--diff", &then]].concat();
    let text = world.judge("a.jsonl", "new", &new);
    let (then, now) = (
        kept(&world.path("old/a.jsonl")),
        kept(&world.path("new/a.jsonl")),
    );
    let removed: BTreeSet<String> = then.difference(&now).cloned().collect();
    let added: BTreeSet<String> = now.difference(&then).cloned().collect();
    let list = fs::read_to_string(world.path("_new.judge/removed.txt")).expect("a list");
    assert_eq!(
        list.lines()
            .map(str::to_owned)
            .collect::<BTreeSet<String>>(),
        removed
    );
    let lines = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(world.path(name)).expect("lines");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let (changes, dropped) = (
        lines("_new.judge/changes.jsonl"),
        lines("old-dropped/a.jsonl"),
    );
    let of = |change: &str| -> BTreeSet<String> {
        changes
            .iter()
            .filter(|line| line["change"] == change)
            .map(known_by)
            .collect()
    };
    assert_eq!(
        (of("removed"), of("added")),
        (removed.clone(), added.clone())
    );
    for line in &changes {
        if line["change"] == "removed" {
            assert!(
                line["reason_then"].is_null() && line["reason_now"].is_string(),
                "{line}"
            );
        } else {
            let then = dropped
                .iter()
                .find(|one| known_by(one) == known_by(line))
                .expect("its reason");
            assert_eq!(
                (&line["reason_then"], &line["reason_now"]),
                (&then["reason"], &Value::Null)
            );
        }
    }
    let rows = rows_of(&world.path("_new.judge/changes.parquet"));
    assert_eq!(rows.len(), changes.len());
    for (row, line) in rows.iter().zip(&changes) {
        for name in ["id", "url", "change", "reason_then", "reason_now"] {
            assert_eq!(value(row, name), line[name]);
        }
    }
    for (name, count) in [
        ("removed: kept then, dropped now", removed.len()),
        ("added: dropped then, kept now", added.len()),
    ] {
        assert_eq!(
            text.contains(&format!("{name} {count}\n")),
            count > 0,
            "{text}"
        );
    }
    // The same call again goes on, and says the same.
    assert_eq!(
        world
            .judge("a.jsonl", "new", &new)
            .replace(", 1 by an earlier call", ""),
        text
    );
    (removed.len(), added.len())
}

#[test]
fn local_what_is_removed_and_added_is_what_two_outputs_differ_by() {
    let (loose, close) = (
        ["--policy", "robots"].as_slice(),
        ["--policy", "labels", "--at", "newest"].as_slice(),
    );
    let (removed, none) = compare(loose, close);
    assert!(removed > 3 && none == 0, "{removed} {none}");
    assert_eq!(compare(close, loose), (0, removed));
}

#[test]
fn local_a_list_of_ids_and_urls_is_compared_with_all_inputs() {
    let world = World {
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    let documents = documents();
    write_lines(&world.path("a.jsonl"), &documents);
    world.judge("a.jsonl", "old", &["--policy", "robots"]);
    let then = kept(&world.path("old/a.jsonl"));
    // Bare ids, as some data sets have them.
    let bare = |id: &String| {
        id.trim_start_matches("<urn:uuid:")
            .trim_end_matches('>')
            .to_owned()
    };
    let list: String = then.iter().map(|id| bare(id) + "\n").collect();
    fs::write(world.path("kept.txt"), list + "elsewhere\n").expect("a list");
    let column = |name: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter(
            documents.iter().map(|document| document[name].as_str()),
        ))
    };
    write_parquet(
        &world.path("b.parquet"),
        vec![
            ("url", column("url")),
            ("id", column("id")),
            ("date", column("date")),
        ],
    );
    let flags = [
        "--policy",
        "labels",
        "--at",
        "newest",
        "--diff",
        &world.text("kept.txt"),
    ];
    let text = world.judge("b.parquet", "parquet", &flags);
    world.judge(
        "a.jsonl",
        "lines",
        &[
            "--policy",
            "labels",
            "--at",
            "newest",
            "--diff",
            &world.text("old"),
        ],
    );
    let read = |name: &str| fs::read_to_string(world.path(name)).expect("a list");
    assert_eq!(
        read("_parquet.judge/removed.txt"),
        read("_lines.judge/removed.txt")
    );
    assert!(
        text.contains("kept then, and not among the documents now 1\n"),
        "{text}"
    );
    let reasons = |name: &str| -> Vec<Value> {
        let lines = read(name);
        lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["reason_then"].clone())
            .collect()
    };
    assert!(
        reasons("_parquet.judge/changes.jsonl")
            .iter()
            .all(Value::is_null)
    );
}

#[test]
fn local_what_cannot_be_compared_is_said() {
    let world = World {
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    let documents = documents();
    write_lines(&world.path("a.jsonl"), &documents);
    write_lines(
        &world.path("b.jsonl"),
        documents.iter().take(3).chain([&json!({"url": null})]),
    );
    world.judge("a.jsonl", "old", &["--policy", "robots"]);
    let (input, out) = (world.path("b.jsonl"), world.path("new"));
    let (status, text) = judge(
        &[&input],
        &out,
        &["--policy", "robots", "--diff", &world.text("old")],
    );
    assert!(
        status == 3 && text.contains("has no documents of it to compare with"),
        "{status} {text}"
    );
    for (place, message) in [("new/a", "is not there"), ("", "judge wrote nothing in it")] {
        let (status, text) = judge(
            &[&input],
            &world.path("x"),
            &["--policy", "robots", "--diff", &world.text(place)],
        );
        assert!(status == 1 && text.contains(message), "{status} {text}");
    }
    // Fewer documents than then, and one without a name.
    fs::rename(world.path("b.jsonl"), world.path("a.jsonl")).expect("renamed");
    let text = world.judge(
        "a.jsonl",
        "fewer",
        &["--policy", "robots", "--diff", &world.text("old")],
    );
    assert!(
        text.contains("without id and URL, compared with nothing 1\n"),
        "{text}"
    );
    assert!(
        text.contains("kept then, and not among the documents now "),
        "{text}"
    );
}

#[test]
fn local_a_dry_run_says_what_is_done_and_writes_nothing() {
    let world = World {
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    let documents = documents();
    for (name, documents) in [("a.jsonl", &documents[..3]), ("b.jsonl", &documents[3..5])] {
        write_lines(&world.path(name), documents);
    }
    fs::write(world.path("c.parquet"), "PAR1 and no more").expect("a file");
    world.judge("a.jsonl", "out", &["--policy", "robots"]);
    let inputs = ["a.jsonl", "b.jsonl", "c.parquet"].map(|name| world.path(name));
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let before = fs::read(world.path("_out.judge/_judge.json")).expect("a file");
    let (status, text) = judge(
        &inputs,
        &world.path("out"),
        &["--policy", "robots", "--dry-run"],
    );
    assert_eq!(status, 0, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["a.jsonl: done", "b.jsonl: to judge (new)"]);
    assert!(
        lines[2].starts_with("c.parquet: refused: Invalid Parquet file"),
        "{text}"
    );
    assert!(!world.path("out/b.jsonl").exists());
    assert_eq!(
        fs::read(world.path("_out.judge/_judge.json")).expect("a file"),
        before
    );
    let (status, text) = judge(
        &inputs,
        &world.path("out"),
        &["--policy", "labels", "--dry-run"],
    );
    assert!(status == 1 && text.contains("--overwrite"), "{text}");
    for (policy, judged) in [("labels", &inputs[..2]), ("robots", &inputs[..1])] {
        let replaced = ["--policy", policy, "--dry-run", "--overwrite"];
        let (_, text) = judge(judged, &world.path("out"), &replaced);
        assert!(
            text.starts_with("a.jsonl: to judge (new)\n"),
            "{policy}: {text}"
        );
    }
    let removed = ["--policy", "robots", "--dry-run", "--drop-missing"];
    let (_, text) = judge(&inputs[1..2], &world.path("out"), &removed);
    assert_eq!(
        text,
        "b.jsonl: to judge (new)\na.jsonl: to remove, as this call does not name it\n"
    );
    assert!(world.path("out/a.jsonl").exists());
    let (_, text) = judge(
        &inputs,
        &world.path("none"),
        &["--policy", "labels", "--dry-run"],
    );
    assert!(
        text.starts_with("a.jsonl: to judge (new)\n") && !world.path("none").exists(),
        "{text}"
    );
}
