//! The corpora, which are not part of the repository: real archives by many writers, and a segment
//! in Common Crawl's form. `CRAWLPREFS_CORPUS` names their folder, `CRAWLPREFS_PYTHON` a Python with
//! FastWARC. Without them a test prints that it is skipped; with `CRAWLPREFS_NO_SKIP=1` it fails.

mod captures;
mod collections;
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
mod structured_fields;
#[path = "../support/rows.rs"]
mod table_rows;
mod units;
#[path = "../support/units.rs"]
mod units_support;
mod verdicts;
mod writers;

use std::env;
use std::path::PathBuf;

/// Returns a file or folder of the corpora, or prints why the test is skipped.
fn corpus(name: &str) -> Option<PathBuf> {
    let Some(root) = env::var_os("CRAWLPREFS_CORPUS") else {
        skip("CRAWLPREFS_CORPUS is not set");
        return None;
    };
    let path = PathBuf::from(root).join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} is not there", path.display()));
    None
}

/// Returns a Python with FastWARC, or prints why the test is skipped.
fn python() -> Option<String> {
    let python = env::var("CRAWLPREFS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = std::process::Command::new(&python)
        .args(["-c", "import fastwarc"])
        .output();
    if check.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    skip(&format!("{python} has no fastwarc"));
    None
}

fn skip(why: &str) {
    assert!(
        env::var_os("CRAWLPREFS_NO_SKIP").is_none(),
        "skipped, and that is not allowed here: {why}"
    );
    println!("skipped: {why}");
}
