//! Folders of documents: links in them, and outputs of earlier calls.

use crate::fixture::{judge, write_lines};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn local_a_folder_with_links_to_itself_gives_each_file_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (inputs, other) = (folder.path().join("in"), folder.path().join("other"));
    for folder in [&inputs.join("b"), &other] {
        fs::create_dir_all(folder).expect("a folder");
    }
    write_lines(
        &inputs.join("b/a.jsonl"),
        [&json!({"url": "https://a.example/"})],
    );
    write_lines(
        &other.join("c.jsonl"),
        [&json!({"url": "https://c.example/"})],
    );
    for (target, link) in [
        ("..", "in/b/up"),
        ("../in", "in/self"),
        (".", "in/b/here"),
        ("../other", "in/other"),
        ("b/a.jsonl", "in/z.jsonl"),
    ] {
        symlink(target, folder.path().join(link)).expect("a link");
    }
    let (status, text) = judge(&[&inputs], &folder.path().join("out"), &[]);
    assert!(
        status == 0 && text.starts_with("Judged 2 documents of 2 files\n"),
        "{text}"
    );
    symlink("nowhere", inputs.join("gone.jsonl")).expect("a link");
    let (status, text) = judge(&[&inputs], &folder.path().join("more"), &[]);
    assert!(
        status == 3 && text.contains("1 of 3 inputs failed"),
        "{text}"
    );
}

#[test]
fn local_the_output_of_a_call_is_an_input_without_its_costs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, once) = (folder.path().join("a.jsonl"), folder.path().join("once"));
    write_lines(
        &input,
        [&json!({"url": "https://rep.example/", "date": "2026-10-01"})],
    );
    let (status, text) = judge(&[&input], &once, &["--policy", "robots"]);
    assert!(
        status == 0 && folder.path().join("_once.judge/cost.json").exists(),
        "{text}"
    );
    let (status, text) = judge(
        &[&once],
        &folder.path().join("twice"),
        &["--prefix", "later_"],
    );
    assert!(
        status == 0 && text.starts_with("Judged 1 documents of 1 file\n"),
        "{text}"
    );
}

#[test]
fn local_a_memory_limit_that_makes_it_slow_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("a.jsonl");
    write_lines(&input, [&json!({"url": "https://rep.example/"})]);
    let (_, text) = judge(
        &[&input],
        &folder.path().join("out"),
        &["--memory-limit", "2K"],
    );
    assert!(
        text.contains("warning: --memory-limit is so low that the evidence is read several times"),
        "{text}"
    );
    let (_, text) = judge(&[&input], &folder.path().join("more"), &[]);
    assert!(!text.contains("--memory-limit"), "{text}");
}
