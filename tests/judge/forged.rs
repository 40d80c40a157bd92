//! Documents that bring columns of verdicts of their own, or two members of one name.

use crate::fixture::{judge, judged, rows_of, value, write_parquet};
use arrow_array::{ArrayRef, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Judges lines into a folder; returns the exit status, the report and the output.
fn of_lines(folder: &Path, lines: &str, flags: &[&str]) -> (i32, String, Option<String>) {
    let (input, out) = (folder.join("a.jsonl"), folder.join("out"));
    fs::write(&input, lines).expect("a file");
    let (status, text) = judge(
        &[&input],
        &out,
        &[&["--overwrite", "--at", "newest"], flags].concat(),
    );
    (status, text, fs::read_to_string(out.join("a.jsonl")).ok())
}

#[test]
fn local_a_line_with_a_member_of_a_verdict_is_refused_in_every_spelling() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let columns = crawlprefs::judge::JUDGED
        .columns()
        .map(|column| column.name.to_owned());
    let spelled =
        columns.flat_map(|name| [name.to_uppercase(), name.replace('_', "\\u005f"), name]);
    for name in spelled.chain(["prefs_drop".to_owned(), "pref\u{17f}_access".to_owned()]) {
        let line = format!("{{\"url\":\"https://a.example/\",\"{name}\":\"allow\"}}\n");
        let (status, text, out) = of_lines(folder.path(), &line, &[]);
        assert!(
            status == 3 && text.contains("line 1: it has a member "),
            "{name}: {text}"
        );
        assert!(
            text.to_lowercase()
                .contains(&name.to_lowercase().replace("\\u005f", "_")),
            "{name}: {text}"
        );
        assert_eq!(out, None, "{name}");
    }
    // Only the names that are written are refused.
    let line =
        "{\"url\":\"https://a.example/\",\"prefs_own\":1,\"metadata\":{\"prefs_access\":1}}\n";
    assert_eq!(of_lines(folder.path(), line, &[]).0, 0);
}

#[test]
fn local_a_carriage_return_inside_a_line_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line =
        "{\"url\":\"https://a.example/\",\"x\":\r{\"url\":\"b\",\"prefs_access\":\"allow\"}\r}\n";
    let (status, text, _) = of_lines(folder.path(), line, &[]);
    assert!(
        status == 3 && text.contains("line 1: a carriage return inside the object"),
        "{text}"
    );
}

#[test]
fn local_another_prefix_judges_a_file_twice_and_replace_writes_ours_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "{\"url\":\"https://a.example/\",\"n\": 1.50}\n";
    let (_, _, once) = of_lines(folder.path(), line, &[]);
    let once = once.expect("an output");
    let (status, text, twice) = of_lines(folder.path(), &once, &["--prefix", "later_"]);
    assert_eq!(status, 0, "{text}");
    let twice = twice.expect("an output");
    assert!(
        twice.starts_with(once.trim_end().trim_end_matches('}')),
        "{twice}"
    );
    let both: Value = serde_json::from_str(&twice).expect("JSON");
    for column in crawlprefs::judge::JUDGED.columns() {
        let later = column.name.replace("prefs_", "later_");
        assert_eq!(both[column.name], both[&later], "{later}");
    }
    let forged = line.replace(
        "{",
        "{\"Prefs_Access\":\"allow\",\"prefs_train_ai\":[{}],\"prefs_drop\":1,",
    );
    let (status, text, replaced) = of_lines(folder.path(), &forged, &["--replace-prefs"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(
        replaced.expect("an output").replace(":1.50", ": 1.50"),
        once
    );
    let (status, text, _) = of_lines(folder.path(), line, &["--prefix", "pre fs"]);
    assert!(
        status == 2 && text.contains("prefix: found \"pre fs\", expected up to 64 letters"),
        "{text}"
    );
}

#[test]
fn local_two_members_of_one_name_are_not_judged() {
    let closed = "https://rep.example/private/x";
    for line in [
        format!("{{\"url\":\"{closed}\",\"url\":\"https://rep.example/\"}}"),
        format!("{{\"url\":\"{closed}\",\"id\":\"a\",\"i\\u0064\":\"b\"}}"),
        format!("{{\"url\":\"{closed}\",\"date\":\"2026-08-10\",\"date\":null}}"),
    ] {
        let judged = &judged(&line, &["--at", "newest"])[0];
        assert_eq!(
            [&judged["prefs_access"], &judged["prefs_reason"]],
            ["unknown", "member_repeated"],
            "{line}"
        );
    }
    let same = format!("{{\"url\":\"{closed}\",\"url\":\"{closed}\"}}");
    assert_eq!(
        judged(&same, &["--at", "newest"])[0]["prefs_access"],
        "disallow"
    );
}

fn texts(values: [&str; 2]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

#[test]
fn local_parquet_with_a_column_of_a_verdict_is_refused_or_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("a.parquet"), folder.path().join("out"));
    let urls = texts(["https://a.example/", "https://b.example/"]);
    for name in ["prefs_reason", "PREFS_train_ai", "prefs_drop"] {
        write_parquet(
            &input,
            vec![
                ("url", urls.clone()),
                (name, texts(["allow", "allow"])),
                ("n", urls.clone()),
            ],
        );
        let (status, text) = judge(&[&input], &out, &["--overwrite"]);
        assert!(
            status == 3 && text.contains(&format!("it has a column {name} already")),
            "{text}"
        );
        let (status, text) = judge(&[&input], &out, &["--overwrite", "--replace-prefs"]);
        assert_eq!(status, 0, "{text}");
        let row = &rows_of(&out.join("a.parquet"))[0];
        let names: Vec<String> = row
            .get_column_iter()
            .map(|(name, _)| name.to_lowercase())
            .collect();
        assert_eq!(
            names
                .iter()
                .filter(|own| **own == name.to_lowercase())
                .count(),
            usize::from(name != "prefs_drop")
        );
        assert_eq!(
            [value(row, "prefs_reason"), value(row, "n")],
            ["undated", "https://a.example/"]
        );
        let (status, text) = judge(
            &[&out.join("a.parquet")],
            &folder.path().join("later"),
            &["--overwrite", "--prefix", "later_"],
        );
        assert_eq!(status, 0, "{text}");
        let row = &rows_of(&folder.path().join("later/a.parquet"))[0];
        assert_eq!(value(row, "later_reason"), value(row, "prefs_reason"));
    }
}

#[test]
fn local_parquet_with_two_columns_that_are_read_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("a.parquet"), folder.path().join("out"));
    let urls = texts(["https://a.example/", "https://b.example/"]);
    let inner = |name: &str| {
        (
            Arc::new(Field::new(name, DataType::Utf8, true)),
            urls.clone(),
        )
    };
    let metadata: ArrayRef = Arc::new(StructArray::from(vec![inner("url"), inner("url")]));
    for (columns, name) in [
        (
            vec![("url", urls.clone()), ("url", texts(["x", "y"]))],
            "url",
        ),
        (
            vec![
                ("url", urls.clone()),
                ("id", urls.clone()),
                ("id", urls.clone()),
            ],
            "id",
        ),
        (vec![("metadata", metadata)], "metadata.url"),
    ] {
        write_parquet(&input, columns);
        let (status, text) = judge(&[&input], &out, &["--overwrite"]);
        assert!(
            status == 3 && text.contains(&format!("it has two columns {name}")),
            "{text}"
        );
    }
    write_parquet(
        &input,
        vec![
            ("url", urls.clone()),
            ("n", urls.clone()),
            ("n", urls.clone()),
        ],
    );
    let (status, text) = judge(&[&input], &out, &["--overwrite"]);
    assert_eq!(status, 0, "{text}");
}
