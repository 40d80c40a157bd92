//! A made-up system is found in everything that the program derives from a system's declaration: pages, statements,
//! robots, labels, schema, explain; another one, with a site file, also in captures, sites, `lint`, help, queries and the names
//! of the report.
//!
//! Without `--cfg made_up`, with which `tests/made_up/run` compiles the crate, there is no such system and no test.

#![cfg(made_up)]

#[allow(dead_code)] // what is made of the agents
#[path = "../generated/parts/mod.rs"]
mod parts;
#[path = "../support/reasons.rs"]
mod reasons;
#[path = "../support/rows.rs"]
mod rows;
#[path = "../support/warc.rs"]
mod warc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Row;
use reasons::assert_has_reason;
use rows::{parts, rows, value};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The first line would be a doubt if the system did not declare it.
const MADE_UP_TXT: &str = "ai-contact: none\ntraining: no\n";

const ROBOTS: &str = "User-agent: *\nAllow: /\nMade-Up: yes\n";

/// Returns what the command prints.
fn printed(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes())
        .expect("the command reads");
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success(), "{arguments:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// Returns a WARC record of a response.
fn record(url: &str, field: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n{body}");
    let of_http = "Content-Type: application/http; msgtype=response\r\n";
    warc::response(url, "06:00:00", of_http, block.as_bytes())
}

/// Runs the command over a site with a line and a page with a field of the system; returns the folder of its tables.
fn tables(folder: &Path) -> PathBuf {
    let archive = [
        record(
            "https://a.example/robots.txt",
            "Content-Type: text/plain",
            ROBOTS,
        ),
        record(
            "https://a.example/yes",
            "Content-Type: text/html",
            "<p>x</p>",
        ),
        record(
            "https://a.example/no",
            "Content-Type: text/html\r\nMade-Up: no",
            "<p>x</p>",
        ),
        record(
            "https://b.example/made-up.txt",
            "Content-Type: text/plain",
            MADE_UP_TXT,
        ),
        record(
            "https://b.example/page",
            "Content-Type: text/html",
            "<p>x</p>",
        ),
    ];
    let (input, out) = (folder.join("made-up.warc"), folder.join("out"));
    fs::write(&input, archive.concat()).expect("an archive");
    printed(
        &[
            "run",
            "-q",
            input.to_str().expect("a path"),
            "-o",
            out.to_str().expect("a path"),
        ],
        "",
    );
    out
}

/// Returns columns of a table's rows, in order.
fn columns(folder: &Path, names: &[&str]) -> Vec<Value> {
    let of_row = |row: &Row| names.iter().map(|name| value(row, name)).collect::<Value>();
    let mut found: Vec<Value> = rows(folder).iter().map(of_row).collect();
    found.sort_by_key(Value::to_string);
    found
}

/// Returns the documents that a table's footer names.
fn drafts(folder: &Path) -> String {
    let file = File::open(&parts(folder)[0]).expect("a part");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let pairs = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .expect("a footer");
    let drafts = pairs
        .iter()
        .find(|pair| pair.key == "crawlprefs.drafts")
        .expect("the documents");
    drafts.value.clone().expect("a value")
}

#[test]
fn local_the_made_up_system_is_in_the_tables_and_in_what_explains_them() {
    let folder = TempDir::new().expect("a folder");
    let out = tables(folder.path());
    assert_eq!(
        columns(
            &out.join("pages"),
            &["url_path", "made_up_training", "train_ai", "train_ai_from"]
        ),
        [
            json!(["/no", "disallow", "disallow", ["made_up header"]]),
            json!(["/page", "unknown", "disallow", ["made_up_file made_up_txt"]]),
            json!(["/yes", "allow", "allow", ["made_up robots"]]),
        ]
    );
    assert_eq!(
        columns(
            &out.join("statements"),
            &["carrier", "category", "preference", "line"]
        ),
        [
            json!(["header", "training", "disallow", null]),
            json!(["made_up_txt", "training", "disallow", 2]),
            json!(["robots", "training", "allow", 3])
        ]
    );
    assert_eq!(
        columns(&out.join("robots"), &["has_made_up"]),
        [json!([true])]
    );
    let captured = columns(&out.join("evidence/captures"), &["kind"]);
    assert!(captured.contains(&json!(["made_up_txt"])), "{captured:?}");
    assert_eq!(
        columns(&out.join("sites"), &["url_host_name", "systems"]),
        [
            json!(["a.example", ["made_up"]]),
            json!(["b.example", ["made_up_file"]])
        ]
    );
    assert!(drafts(&out.join("pages")).contains("draft-nobody-made-up-00"));
    let given = [
        "explain",
        "--tables",
        out.to_str().expect("a path"),
        "--url",
        "https://a.example/no",
    ];
    let text = printed(&given, "");
    assert!(
        text.contains("Made-Up") && text.contains("training disallow"),
        "{text}"
    );
}

#[test]
fn local_the_made_up_system_is_in_the_schema() {
    for (arguments, expected) in [
        (["schema", "pages"], "made_up_training"),
        (["schema", "robots"], "has_made_up"),
        (
            ["schema", "--systems"],
            "| Made-Up | draft-nobody-made-up-00 | header, robots.txt |",
        ),
        (
            ["schema", "--labels"],
            "| made_up | training | train_ai | yes and no | always |",
        ),
    ] {
        assert!(printed(&arguments, "").contains(expected), "{arguments:?}");
    }
}

#[test]
fn local_the_made_up_system_is_in_explained_scenarios() {
    let scenario = json!({"id": "x", "url": "https://a.example/p", "robots_txt": ROBOTS, "headers": [["Made-Up", "no"]]});
    let printed = printed(&["explain", "--json"], &format!("{scenario}\n"));
    let answer: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(answer["columns"]["made_up_training"], "disallow");
    assert_eq!(answer["labels"]["train_ai"], "disallow");
}

#[test]
fn local_the_made_up_site_file_is_in_explained_scenarios() {
    let file = json!({"kind": "made_up_txt", "body": MADE_UP_TXT});
    let scenario = json!({"id": "x", "url": "https://b.example/p", "site_files": [file]});
    let printed = printed(&["explain", "--json"], &format!("{scenario}\n"));
    let answer: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(answer["columns"]["made_up_file_training"], "disallow");
    assert_eq!(answer["labels"]["train_ai"], "disallow");
    assert_has_reason(&answer, &json!({"system": "made_up_file", "lines": [2]}));
    assert_eq!(answer["doubt"], json!([]));
    let not_asked = answer["not_asked"].to_string();
    assert!(!not_asked.contains("made_up_txt"), "{not_asked}");
}

/// Each place that names the kinds of site files, or the systems that read them, names the made-up one.
#[test]
fn local_every_place_that_lists_site_files_has_the_made_up_one() {
    for (arguments, expected) in [
        (["schema", "captures"], "made_up_txt"),
        (["schema", "sites"], "made_up_txt"),
        (["schema", "pages"], "made_up_file_training"),
        (["lint", "--help"], "made-up.txt"),
        (["explain", "--help"], "made_up_txt (/made-up.txt)"),
    ] {
        let text = printed(&arguments, "");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let linted = printed(&["lint", "--as", "made_up_txt", "-"], MADE_UP_TXT);
    assert!(linted.contains("train"), "{linted}");
    for part in parts::parts_of_systems() {
        let text = part.put_into(&fs::read_to_string(part.file).expect(part.file));
        let names = ["made_up_file", "made_up_txt", "made-up.txt"];
        assert!(
            names.iter().any(|name| text.contains(name)),
            "{}",
            part.file
        );
    }
}
