//! Nothing that others wrote reaches a terminal as it is: controls and what changes the direction of text are escaped
//! in every output, JSON and files beside the output included.

use crate::command::{crawlprefs, path};
use crate::warc::response;
use std::fs;
use std::path::Path;

/// C0, DEL, C1, a line separator, and bidirectional controls.
const HOSTILE: &str = "a\u{1b}[2J\u{7f}\u{9b}31m\u{2028}\u{202e}\u{2066}b";

/// Returns the first character that a terminal obeys, but for the ends of lines.
fn obeyed(text: &str) -> Option<char> {
    let is_obeyed = |character: &char| {
        let is_line_end = *character == '\n';
        !is_line_end && character.is_control()
            || matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(is_obeyed)
}

fn check(args: &[&str]) {
    let ran = crawlprefs(args);
    for text in [&ran.out, &ran.err] {
        assert_eq!(obeyed(text), None, "{args:?}: {text}");
    }
    let both = format!("{}{}", ran.out, ran.err);
    // As text or as JSON; clap leaves out what looks like an escape sequence.
    assert!(
        both.to_ascii_lowercase().contains("202e"),
        "{args:?}: {both}"
    );
}

/// Returns an archive whose records hold hostile bytes wherever they may.
fn archive() -> Vec<u8> {
    let robots = format!(
        "User-agent: {HOSTILE}\nDisallow: /{HOSTILE}\nContent-Usage: /{HOSTILE} {HOSTILE}\nUser-agent: *\nDisallow: /p{HOSTILE}\nAllow: /*{HOSTILE}$\nLicense: {HOSTILE}\n"
    );
    let page = format!(
        "<meta name=robots content='{HOSTILE}, noai'><meta name='{HOSTILE}' content='{HOSTILE}'>"
    );
    let record = |path: &str, fields: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}");
        response(
            &format!("https://a.example/{path}"),
            "06:00:00",
            "",
            block.as_bytes(),
        )
    };
    let html = format!(
        "Content-Type: text/html\r\nX-Robots-Tag: {HOSTILE}: noai\r\nContent-Signal: {HOSTILE}\r\n"
    );
    let records = [
        record("robots.txt", "Content-Type: text/plain\r\n", &robots),
        record("page", &html, &page),
        record(&format!("page/{HOSTILE}"), &html, &page),
        format!("WARC/1.0\r\nWARC-Type: {HOSTILE}\r\nContent-Length: {HOSTILE}\r\n\r\n\r\n\r\n")
            .into_bytes(),
    ];
    records.concat()
}

#[test]
fn local_no_command_writes_control_characters_to_a_terminal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hostile = folder.path().join(HOSTILE);
    fs::create_dir(&hostile).expect("it can be made");
    let (file, missing) = (path(&hostile, "x.warc"), path(&hostile, "missing.warc"));
    fs::write(&file, archive()).expect("it can be written");
    let (cut, out) = (path(&hostile, "cut.warc"), path(&hostile, "out"));
    fs::write(&cut, b"WARC/1.0\r\nWARC-Ty").expect("it can be written");
    let list = path(&hostile, "list");
    fs::write(&list, format!("{missing}\n")).expect("it can be written");
    fs::write(path(&hostile, "bad"), format!("x {HOSTILE}\n")).expect("it can be written");
    let base = path(folder.path(), "");
    let (bad, report) = (path(&hostile, "bad"), path(&hostile, "report"));
    let lists = format!("@{list}");
    for form in ["text", "json"] {
        let logged = [
            "--log-format",
            form,
            "-v",
            "--base",
            &base,
            "--max-failed",
            "9",
        ];
        let with = |args: &[&'static str], more: &[&str]| -> Vec<String> {
            args.iter()
                .copied()
                .chain(logged)
                .chain(more.iter().copied())
                .map(str::to_owned)
                .collect()
        };
        for more in [
            &[file.as_str(), cut.as_str(), "-o", &out, "--report", &report][..],
            &[&file, "-o", &out],
        ] {
            let args = with(&["run"], more);
            check(&args.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
    let written = fs::read_to_string(format!("{report}.archives.jsonl")).expect("it was written");
    assert_eq!(
        (
            obeyed(&written),
            obeyed(&fs::read_to_string(&report).expect("written"))
        ),
        (None, None)
    );
    for args in [
        &["scan", &file, "-o", &out, "--base", &base, "--dry-run"][..],
        &["scan", &missing, "-o", &out],
        &["scan", &lists, "-o", &out, "--base", &base],
        &["scan", "--paths-from", &bad, "-o", &out],
        &["scan", &file, "-o", &out, "--crawl", HOSTILE],
        &["scan", HOSTILE, "-o", &out],
        &["scan", &file, "-o", &format!("{file}/out")],
        &["resolve", &missing],
        &["resolve", &out, "--vocab", &missing],
        &["resolve", &out, "--agent", HOSTILE],
        &["resolve", &out, "--agents", &bad],
        &["resolve", &out, "--report", &format!("{missing}/x")],
        &[
            "explain",
            "--tables",
            &out,
            "--url",
            &format!("https://a.example/{HOSTILE}"),
        ],
        &[
            "explain",
            "--tables",
            &out,
            "--url",
            &format!("https://a.example/page/{HOSTILE}"),
            "--method",
            HOSTILE,
        ],
        &[
            "explain",
            "--tables",
            &out,
            "--url",
            "https://a.example/page",
        ],
        &[
            "explain",
            "--tables",
            &out,
            "--url",
            "https://a.example/page",
            "--json",
        ],
        &[
            "explain",
            "--tables",
            &missing,
            "--url",
            "https://a.example/",
        ],
        &["explain", "--url", HOSTILE],
        &[
            "explain",
            "--url",
            "https://a.example/",
            "--header",
            HOSTILE,
        ],
        &[
            "explain",
            "--url",
            "https://a.example/",
            "--robots",
            &missing,
        ],
        &[
            "explain",
            "--url",
            "https://a.example/",
            "--header",
            &format!("X-Robots-Tag: {HOSTILE}: noai"),
        ],
        &["schema", "--sql", "duckdb", "--out", HOSTILE],
        &["schema", HOSTILE],
        &[HOSTILE],
        &[&format!("--{HOSTILE}")],
    ] {
        check(args);
    }
    assert!(Path::new(&out).exists());
}

#[test]
fn local_answers_and_errors_of_scenarios_are_escaped() {
    let scenario = serde_json::json!({ "id": HOSTILE, "url": format!("https://a.example/{HOSTILE}"), HOSTILE: 1 });
    for line in [scenario.to_string(), format!("{HOSTILE}\n")] {
        let answer = crawlprefs::explain::json::line(&crawlprefs::explain::json::explain_line(
            line.as_bytes(),
        ));
        assert_eq!(obeyed(&answer), None, "{answer}");
    }
}
