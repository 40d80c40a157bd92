//! `docs/auditing.md`, `docs/explain.md`, `docs/filtering.md`, `docs/libraries.md`, `docs/owners.md`, `docs/site-index.md` and
//! CONTRIBUTING.md show what the commands in them print, one after the other, on the files in `tests/transcripts` and the sample data. A
//! command without output below it is not run. The rows that CONTRIBUTING.md shows are compared too.

#[path = "support/rows.rs"]
mod table_rows;

use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use table_rows::{rows, value};

/// Returns the commands of each example and what is shown below them.
fn examples(text: &str) -> Vec<(String, &str)> {
    let examples = text.split("```console\n").skip(1).filter_map(|example| {
        let (console, rest) = example.split_once("```\n").expect("an end of the commands");
        let (shown, _) = rest
            .strip_prefix("```text\n")?
            .split_once("```")
            .expect("an end of the output");
        Some((console.replace("$ ", ""), shown))
    });
    examples.collect()
}

/// Returns a folder with copies of the files, and the sample data.
#[cfg(unix)]
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sample_data = fs::canonicalize("sample-data").expect("it is there");
    std::os::unix::fs::symlink(sample_data, folder.path().join("sample-data")).expect("a link");
    for entry in fs::read_dir("tests/transcripts").expect("the files are there") {
        let path = fs::canonicalize(entry.expect("an entry").path()).expect("it is there");
        let place = folder.path().join(path.file_name().expect("a name"));
        if path.is_dir() {
            std::os::unix::fs::symlink(path, place).expect("a link");
        } else {
            fs::copy(&path, place).expect("a copy");
        }
    }
    folder
}

/// Runs commands in a folder.
fn printed(commands: &str, folder: &Path) -> String {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_crawlprefs"));
    let programs = program.parent().expect("a folder").as_os_str().to_owned();
    let mut path = programs;
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-e", "-c", commands])
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .expect("a shell");
    assert!(
        output.status.success(),
        "{commands}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
#[cfg(unix)]
fn local_the_transcripts_are_what_the_commands_print() {
    for (path, count) in [
        ("docs/auditing.md", 4),
        ("docs/explain.md", 5),
        ("docs/filtering.md", 10),
        ("docs/site-index.md", 4),
        ("docs/owners.md", 1),
        ("docs/libraries.md", 3),
        ("CONTRIBUTING.md", 1),
    ] {
        let text = fs::read_to_string(path).expect("a document");
        let examples = examples(&text);
        assert_eq!(examples.len(), count, "{path}");
        let (mut whole, folder) = (text.clone(), folder());
        for (commands, shown) in &examples {
            let printed = printed(commands, folder.path());
            for line in printed.lines() {
                // An archive's name is not broken.
                let is_name = line.trim_start().starts_with("crawl-data/");
                assert!(is_name || line.chars().count() <= 80, "{line}");
            }
            let block = |output: &str| format!("```text\n{output}```");
            let at = whole.find(&block(shown)).expect("the example");
            whole.replace_range(at..at + block(shown).len(), &block(&printed));
        }
        if std::env::var_os("CRAWLPREFS_WRITE_TRANSCRIPTS").is_some() {
            fs::write(path, &whole).expect("it can be written");
        } else {
            assert!(
                whole == text,
                "{path} is not what its commands print; it should be\n{whole}"
            );
        }
    }
}

/// Returns the folder of a table.
fn folder_of_table(out: &Path, table: &str) -> PathBuf {
    match table {
        "captures" | "site_files" => out.join("evidence").join(table),
        _ => out.join(table),
    }
}

/// Returns whether a table has a row with these values.
fn has_row(folder: &Path, shown: &Map<String, Value>) -> bool {
    rows(folder).iter().any(|row| {
        shown
            .iter()
            .all(|(column, shown)| value(row, column) == *shown)
    })
}

#[test]
#[cfg(unix)]
fn local_the_rows_of_the_tour_are_in_the_tables_of_the_sample_data() {
    let text = fs::read_to_string("CONTRIBUTING.md").expect("CONTRIBUTING.md");
    let blocks: String = text
        .split("```json\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .collect();
    let folder = folder();
    printed("crawlprefs run sample-data --quiet -o prefs", folder.path());
    let mut compared = 0;
    for shown in serde_json::Deserializer::from_str(&blocks).into_iter::<Value>() {
        let shown = shown.expect("JSON");
        for (table, row) in shown.as_object().expect("a table") {
            let table_folder = folder_of_table(&folder.path().join("prefs"), table);
            let row = row.as_object().expect("a row");
            assert!(has_row(&table_folder, row), "no row of {table} is {shown}");
            compared += 1;
        }
    }
    assert_eq!(compared, 5);
}

/// An auditor reaches a signed figure, and the other side counts it again, in ten commands from an empty folder.
#[test]
fn local_an_audit_takes_at_most_ten_commands() {
    let text = fs::read_to_string("docs/auditing.md").expect("a document");
    let blocks = text
        .split("```console\n")
        .skip(1)
        .filter_map(|block| block.split("```").next());
    let commands = blocks
        .flat_map(str::lines)
        .filter(|line| line.starts_with("$ "))
        .count();
    assert!((5..=10).contains(&commands), "{commands} commands");
}
