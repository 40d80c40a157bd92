//! The corpora that lie outside the repository: real archives by many writers, and a segment in
//! Common Crawl's form. `CRAWLPREFS_CORPUS` names their folder (default `../shared/corpus`),
//! `CRAWLPREFS_PYTHON` a Python with FastWARC. Where one is missing a test says that it was
//! skipped; with `CRAWLPREFS_NO_SKIP=1` that is a failure.

mod captures;
#[path = "../support/explain.rs"]
mod explain_command;
mod explained;
mod facts;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/head_tree.rs"]
mod head_tree;
mod lints;
mod managed;
mod metas;
mod resolved;
mod segment;
#[path = "../support/rows.rs"]
mod table_rows;
mod verdicts;
mod writers;

use std::env;
use std::path::PathBuf;

/// Returns a folder of the corpora, or says that the test is skipped.
fn corpus(name: &str) -> Option<PathBuf> {
    let root = env::var("CRAWLPREFS_CORPUS").unwrap_or_else(|_| "../shared/corpus".to_owned());
    let path = PathBuf::from(root).join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} is not there", path.display()));
    None
}

/// Returns a Python with FastWARC, or says that the test is skipped.
fn python() -> Option<String> {
    let python = env::var("CRAWLPREFS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = std::process::Command::new(&python).args(["-c", "import fastwarc"]).output();
    if check.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    skip(&format!("{python} has no fastwarc"));
    None
}

fn skip(why: &str) {
    assert!(env::var_os("CRAWLPREFS_NO_SKIP").is_none(), "skipped, and that is not allowed here: {why}");
    println!("skipped: {why}");
}
