//! What is to be removed is never lost: lists of ids or URLs, calls for some of the inputs, and inputs that fail.

use crate::fixture::{judge, pages, write_lines};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const NOW: [&str; 4] = ["--policy", "labels", "--at", "newest"];

struct World(tempfile::TempDir);

impl World {
    /// Ten files with the documents of all pages, each with an id and a URL that no other has.
    fn new() -> Self {
        let world = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(world.path("in")).expect("a folder");
        let documents = documents();
        for number in 0..10 {
            write_lines(
                &world.input(number),
                documents.iter().skip(number).step_by(10),
            );
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    fn input(&self, number: usize) -> PathBuf {
        self.path(&format!("in/{number}.jsonl"))
    }

    fn list(&self, lines: impl Iterator<Item = String>) -> String {
        fs::write(
            self.path("kept.txt"),
            lines.map(|line| line + "\n").collect::<String>(),
        )
        .expect("a list");
        self.text("kept.txt")
    }

    fn judge(&self, inputs: &[&Path], out: &str, flags: &[&str]) -> (i32, String) {
        judge(inputs, &self.path(out), &[&NOW, flags].concat())
    }

    /// Returns what is summed over an output folder, but for the order of rows that is none.
    fn sums(&self, out: &str) -> Vec<Option<Vec<u8>>> {
        let names = [
            "removed.txt",
            "changes.jsonl",
            "changes.parquet",
            "cost.json",
            "cost_sites.csv",
        ];
        names
            .iter()
            .map(|name| fs::read(self.path(&format!("_{out}.judge/{name}"))).ok())
            .collect()
    }

    fn removed(&self, out: &str) -> Option<BTreeSet<String>> {
        let list = fs::read_to_string(self.path(&format!("_{out}.judge/removed.txt"))).ok()?;
        Some(list.lines().map(str::to_owned).collect())
    }
}

fn documents() -> Vec<Value> {
    let mut urls = BTreeSet::new();
    let pages = pages().into_iter().map(|(page, _)| page);
    pages
        .filter(|page| page["id"].is_string() && urls.insert(page["url"].to_string()))
        .collect()
}

fn texts(name: &'static str) -> impl Iterator<Item = String> {
    documents()
        .into_iter()
        .map(move |page| page[name].as_str().expect("text").to_owned())
}

#[test]
fn local_a_list_of_urls_finds_documents_with_ids_and_a_list_says_by_what_it_knows_them() {
    let world = World::new();
    let inputs: Vec<PathBuf> = (0..10).map(|number| world.input(number)).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let urls = world.list(texts("url"));
    let (status, text) = world.judge(&inputs, "by-url", &["--diff", &urls]);
    assert_eq!(status, 0, "{text}");
    let by_url = world.removed("by-url").expect("a list");
    assert!(
        by_url.len() > 10 && by_url.iter().all(|url| url.starts_with("http")),
        "{by_url:?}"
    );
    let ids = world.list(texts("id"));
    world.judge(&inputs, "by-id", &["--diff", &ids]);
    let by_id = world.removed("by-id").expect("a list");
    assert_eq!(by_id.len(), by_url.len());
    assert!(
        by_id.iter().all(|id| id.starts_with("<urn:uuid:")),
        "{by_id:?}"
    );
    // Half by their ids, half by their URLs, and two that are nowhere.
    let half = documents().into_iter().enumerate().map(|(number, page)| {
        page[if number % 2 == 0 { "id" } else { "url" }]
            .as_str()
            .expect("text")
            .to_owned()
    });
    let both = world.list(half.chain(["https://gone.example/x".to_owned(), "gone".to_owned()]));
    let (_, text) = world.judge(&inputs, "by-both", &["--diff", &both]);
    assert_eq!(
        world.removed("by-both").expect("a list").len(),
        by_url.len()
    );
    assert!(
        text.contains("kept then, and not among the documents now 2\n"),
        "{text}"
    );
    let rows = fs::read_to_string(world.path("_by-both.judge/changes.jsonl")).expect("lines");
    let rows: Vec<Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let known = |by: &str| rows.iter().filter(|row| row["known_by"] == by).count();
    assert!(known("id") > 0 && known("url") > 0 && known("id") + known("url") == rows.len());
}

#[test]
fn local_an_earlier_judgement_of_other_documents_is_an_error() {
    let world = World::new();
    let list = world.list(
        ["https://other.example/", "5a1b"]
            .map(str::to_owned)
            .into_iter(),
    );
    let (status, text) = world.judge(&[&world.input(0)], "out", &["--diff", &list]);
    assert!(
        status == 1
            && text.contains("none of the documents that were kept then (2) is among these"),
        "{text}"
    );
    assert_eq!(world.removed("out"), None);
    let empty = world.list(std::iter::empty());
    let (status, _) = world.judge(&[&world.input(0)], "empty", &["--diff", &empty]);
    assert_eq!((status, world.removed("empty")), (1, None));
}

#[test]
fn local_a_loop_a_job_array_and_one_call_give_the_same_removals_costs_and_changes() {
    let world = World::new();
    let inputs: Vec<PathBuf> = (0..10).map(|number| world.input(number)).collect();
    let all: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let (status, text) = judge(&all, &world.path("old"), &["--policy", "robots"]);
    assert_eq!(status, 0, "{text}");
    for old in [world.text("old"), world.list(texts("url"))] {
        for out in ["one", "loop", "array"] {
            for folder in [world.path(out), world.path(&format!("_{out}.judge"))] {
                drop(fs::remove_dir_all(folder));
            }
        }
        let diff = ["--diff", old.as_str()];
        let (status, text) = world.judge(&all, "one", &diff);
        assert_eq!(status, 0, "{text}");
        let expected = world.sums("one");
        assert!(expected.iter().all(Option::is_some));
        assert!(world.removed("one").expect("a list").len() > 10);
        for input in &all {
            let (status, text) = world.judge(&[input], "loop", &diff);
            assert!(
                status == 0 || (status == 1 && text.contains("none of the documents")),
                "{text}"
            );
        }
        assert!(world.sums("loop") == expected, "by a loop");
        std::thread::scope(|scope| {
            for input in &all {
                scope.spawn(|| world.judge(&[input], "array", &diff));
            }
        });
        assert!(world.sums("array") == expected, "by a job array");
    }
}

#[test]
fn local_while_an_input_fails_no_list_is_written_that_would_be_taken_for_the_whole() {
    let world = World::new();
    let list = world.list(texts("id"));
    let (good, bad) = (world.input(0), world.input(1));
    let whole = fs::read(&bad).expect("a file");
    fs::write(&bad, &whole[..whole.len() - 5]).expect("a file");
    let (status, text) = world.judge(&[&good, &bad], "out", &["--diff", &list]);
    assert!(
        status == 3 && text.contains("1 inputs of this folder are not judged yet, such as 1.jsonl"),
        "{text}"
    );
    assert_eq!(world.removed("out"), None);
    // A call for another input does not make the list whole.
    world.judge(&[&world.input(2)], "out", &["--diff", &list]);
    assert_eq!(world.removed("out"), None);
    let cost: Value =
        serde_json::from_slice(&fs::read(world.path("_out.judge/cost.json")).expect("costs"))
            .expect("JSON");
    assert_eq!(
        (&cost["files"], &cost["inputs_not_judged"]),
        (&json!(2), &json!(1))
    );
    fs::write(&bad, &whole).expect("a file");
    let (status, text) = world.judge(&[&bad], "out", &["--diff", &list]);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("The costs of all 3 files of this folder are in "),
        "{text}"
    );
    let removed = world.removed("out").expect("a list");
    // An input that fails now has no output of its earlier bytes.
    fs::write(&bad, "{").expect("a file");
    world.judge(&[&bad], "out", &["--diff", &list]);
    assert!(world.removed("out").is_none() && !world.path("out/1.jsonl").exists());
    // What is given up is forgotten.
    let (status, text) = world.judge(
        &[&good, &world.input(2)],
        "out",
        &["--diff", &list, "--drop-missing"],
    );
    assert_eq!(status, 0, "{text}");
    assert!(world.removed("out").expect("a list").is_subset(&removed));
}

#[test]
fn local_outputs_by_an_old_judgement_never_stay_among_new_ones() {
    let world = World::new();
    let (first, second) = (world.input(0), world.input(1));
    let dropped = world.text("dropped");
    let flags = ["--dropped", &dropped];
    world.judge(&[&first, &second], "out", &flags);
    let old = fs::read(world.path("out/1.jsonl")).expect("an output");
    let again = |flags: &[&str]| {
        judge(
            &[&first],
            &world.path("out"),
            &[
                &["--policy", "robots", "--dropped", &dropped, "--overwrite"],
                flags,
            ]
            .concat(),
        )
    };
    let (status, text) = again(&[]);
    assert!(
        status == 1 && text.contains("such as 1.jsonl") && text.contains("--drop-missing"),
        "{text}"
    );
    assert_eq!(fs::read(world.path("out/1.jsonl")).expect("an output"), old);
    let (status, text) = again(&["--dry-run"]);
    assert!(status == 1 && text.contains("1.jsonl"), "{text}");
    let (status, text) = again(&["--drop-missing"]);
    assert_eq!(status, 0, "{text}");
    for gone in [
        "out/1.jsonl",
        "dropped/1.jsonl",
        "_out.judge/files/1.jsonl.json",
    ] {
        assert!(!world.path(gone).exists(), "{gone}");
    }
    assert!(world.path("out/0.jsonl").exists() && world.path("dropped/0.jsonl").exists());
}

#[test]
fn local_a_folder_in_which_nothing_was_judged_is_free_for_other_options() {
    let world = World::new();
    let bad = world.path("bad.jsonl");
    fs::write(&bad, "{").expect("a file");
    let (status, _) = world.judge(&[&bad], "out", &[]);
    assert_eq!(status, 3);
    let (status, text) = judge(
        &[&world.input(0)],
        &world.path("out"),
        &["--policy", "robots"],
    );
    assert_eq!(status, 0, "{text}");
    // Once something was, it is not.
    let (status, text) = world.judge(&[&world.input(0)], "out", &[]);
    assert!(status == 1 && text.contains("--overwrite"), "{text}");
    // Files of somebody else's are not touched.
    fs::create_dir(world.path("own")).expect("a folder");
    fs::write(world.path("own/0.jsonl"), "mine").expect("a file");
    let (status, text) = world.judge(&[&world.input(0)], "own", &["--overwrite"]);
    assert!(
        status == 1 && fs::read(world.path("own/0.jsonl")).expect("a file") == b"mine",
        "{text}"
    );
}
