//! The README tells what is so.

use crawlprefs::tables::TABLES;
use std::fs;
use std::process::Command;

fn readme() -> String {
    fs::read_to_string("README.md").expect("README.md")
}

#[test]
fn local_the_table_of_tables_is_that_of_the_code() {
    let readme = readme();
    let rows: Vec<&str> = readme.lines().filter(|line| line.starts_with("| [`")).collect();
    assert_eq!(rows.len(), TABLES.len(), "{rows:#?}");
    for (row, table) in rows.iter().zip(TABLES) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells[0], format!("[`{}`](docs/tables.md#{})", table.name, table.name));
        assert_eq!(cells[1], format!("`{}/`", table.folder));
        assert_eq!(cells[2], table.row);
    }
}

#[test]
fn local_the_columns_in_the_documentation_are_those_of_the_code() {
    let text = fs::read_to_string("docs/tables.md").expect("docs/tables.md");
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs")).args(["schema", "--markdown"]).output();
    let expected = String::from_utf8(output.expect("the command starts").stdout).expect("UTF-8");
    assert!(text == expected, "docs/tables.md is not what `crawlprefs schema --markdown` prints");
}

#[test]
fn local_the_output_shown_is_the_real_one() {
    let readme = readme();
    let shown =
        readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["run", "sample-data", "-o"])
        .arg(&out)
        .output()
        .expect("the command starts");
    let real = String::from_utf8(output.stdout).expect("UTF-8").replace(&*out.to_string_lossy(), "out");
    let mask = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        let first = first.split(" in ").next().unwrap_or_default().to_owned();
        [first].into_iter().chain(text.lines().skip(1).map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(mask(shown), mask(&real));
}
