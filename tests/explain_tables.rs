//! `explain --tables`: what it says of a page is what the page's row says, and a wrong question gets a hint.

#[path = "support/counted.rs"]
mod counted;
#[path = "support/kept_folder.rs"]
mod kept_folder;
#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/rows.rs"]
mod table_rows;

use counted::CountedStore;
use crawlprefs::explain::tables::{WantedPage, scenario};
use crawlprefs::systems::Label;
use crawlprefs::systems::SYSTEMS;
use crawlprefs::web::column::{Column, ColumnKind};
use kept_folder::KeptFolder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use rounds::rounds;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use table_rows::{rows, value};

fn crawlprefs(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .output()
        .expect("the command starts")
}

/// The tables of the sample data, which tests only read.
static TABLES: LazyLock<KeptFolder> = LazyLock::new(|| {
    let folder = KeptFolder::new("explain_tables");
    made(folder.path(), &[]);
    folder
});

/// Runs the sample data with flags of the viewpoint; returns the folder.
fn tables(flags: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    made(folder.path(), flags);
    folder
}

fn made(out: &Path, flags: &[&str]) {
    let out = out.to_string_lossy();
    let ran = crawlprefs(&[&["run", "sample-data", "-q", "-o", &out], flags].concat());
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

fn explain(folder: &Path, flags: &[&str]) -> (i32, String, String) {
    let ran = crawlprefs(&[&["explain", "--tables", &folder.to_string_lossy()], flags].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        ran.status.code().unwrap_or(-1),
        text(ran.stdout),
        text(ran.stderr),
    )
}

/// Returns the answer about the page of a row, as JSON.
fn answer(folder: &Path, row: &Row) -> Value {
    let (url, fetched) = (value(row, "url"), value(row, "fetch_time"));
    let mut flags = vec!["--json", "--url", url.as_str().expect("a URL")];
    if let Some(fetched) = fetched.as_str() {
        flags.extend(["--fetched", fetched]);
    }
    let (status, out, err) = explain(folder, &flags);
    assert_eq!((status, err.as_str()), (0, ""), "{url}");
    serde_json::from_str(&out).expect("JSON")
}

/// Columns of `pages` that are keys of an answer, beside labels and the systems' columns.
const SAME: [&str; 19] = [
    "url",
    "fetch_time",
    "warc_filename",
    "warc_record_offset",
    "product_token",
    "vocabulary",
    "robots_state",
    "robots_fetch_time",
    "robots_age_s",
    "robots_stale",
    "access",
    "access_reason",
    "access_line",
    "access_matched",
    "disallowed_agents",
    "conflict",
    "unread",
    "doubt",
    "not_seen",
];

fn assert_same(row: &Row, answer: &Value) {
    let url = value(row, "url");
    for column in SAME {
        assert_eq!(
            Some(&value(row, column)),
            answer.get(column),
            "{column} of {url}"
        );
    }
    for label in Label::ALL.map(Label::as_str) {
        assert_eq!(
            value(row, label),
            answer["labels"][label],
            "{label} of {url}"
        );
        assert_eq!(
            value(row, &format!("{label}_from")),
            answer["labels_from"][label],
            "{label} of {url}"
        );
    }
    let columns: Vec<&Column> = SYSTEMS
        .iter()
        .flat_map(|system| system.about().columns)
        .collect();
    for column in columns
        .iter()
        .filter(|column| !matches!(column.kind, ColumnKind::Structs(_)))
    {
        assert_eq!(
            value(row, column.name),
            answer["columns"][column.name],
            "{} of {url}",
            column.name
        );
    }
    assert_eq!(evidence(row), answer_evidence(answer), "evidence of {url}");
}

/// Returns the column `evidence`: label, preference, system, carrier, line, decided.
fn evidence(row: &Row) -> Vec<Value> {
    let (_, field) = row
        .get_column_iter()
        .find(|(name, _)| *name == "evidence")
        .expect("a column");
    let Field::ListInternal(list) = field else {
        panic!("evidence: {field:?}")
    };
    let structs = list.elements().iter().map(|element| {
        let Field::Group(fields) = element else {
            panic!("evidence: {element:?}")
        };
        let names = [
            "label",
            "preference",
            "system",
            "carrier",
            "line",
            "decided",
        ];
        names.map(|name| value(fields, name)).into_iter().collect()
    });
    structs.collect()
}

fn answer_evidence(answer: &Value) -> Vec<Value> {
    let with = |list: &str, decided: bool| -> Vec<Value> {
        let answers = answer[list].as_array().expect("a list").iter().map(|one| {
            let keys = ["label", "preference", "system", "carrier", "line"];
            let values = keys.map(|key| one.get(key).cloned().unwrap_or_default());
            values.into_iter().chain([decided.into()]).collect()
        });
        answers.collect()
    };
    [with("evidence", true), with("overruled", false)].concat()
}

#[test]
fn local_explain_says_of_every_page_of_the_tables_what_its_row_says() {
    let folder = &TABLES;
    let rows = rows(&folder.path().join("pages"));
    assert_eq!(rows.len(), 93);
    let (mut redirected, mut located, step) = (0, 0, rounds(2, 1));
    for row in rows.iter().step_by(step) {
        let answer = answer(folder.path(), row);
        assert_same(row, &answer);
        let hops = answer["robots"]["hops"].as_array().expect("a list");
        let state = answer["robots_state"].as_str().expect("a state");
        assert_eq!(
            hops.is_empty(),
            matches!(state, "not_archived" | "undated"),
            "{answer}"
        );
        redirected += usize::from(hops.len() > 1);
        for hop in hops {
            located +=
                usize::from(hop["warc_filename"].is_string() && hop["warc_record_offset"].is_u64());
        }
    }
    assert!(
        redirected >= 3 / step && located >= 80 / step,
        "{redirected} {located}"
    );
}

#[test]
fn local_the_viewpoint_is_that_of_the_run_and_flags_go_before_it() {
    let view = [
        "--agent",
        "GPTBot",
        "--vocab",
        "05",
        "--token-match",
        "prefix",
        "--robots-slack",
        "60s",
    ];
    let folder = tables(&view);
    let rows = rows(&folder.path().join("pages"));
    for row in rows.iter().step_by(4) {
        assert_same(row, &answer(folder.path(), row));
    }
    let late = rows
        .iter()
        .find(|row| value(row, "url") == "https://late.example/")
        .expect("a row");
    assert_same(late, &answer(folder.path(), late));
    let flags = [
        "--json",
        "--url",
        "https://late.example/",
        "--robots-slack",
        "0",
        "--agent",
        "CCBot",
    ];
    let (_, out, _) = explain(folder.path(), &flags);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(answer["robots_state"], "not_archived");
    assert_eq!(answer["product_token"], "CCBot");
    assert_eq!(answer["vocabulary"], "05");
}

#[test]
fn local_a_page_that_was_never_captured_is_judged_by_the_files_of_its_site() {
    let folder = &TABLES;
    let (status, page, _) = explain(
        folder.path(),
        &["--url", "https://closed-to-ai.example/never/captured"],
    );
    assert_eq!(status, 0);
    assert!(
        page.contains("no capture of the page is there; by its site's files as of 2026-"),
        "{page}"
    );
    assert!(
        page.contains("not seen: header, meta; so no label is allow"),
        "{page}"
    );
    // KNOW-11: of these files nobody knows whether they exist.
    let not_asked =
        "not asked (no input has a capture of it): automation, tdmrep, ai_txt, trust_txt";
    assert!(page.contains(not_asked), "{page}");
    let rows = rows(&folder.path().join("pages"));
    let parsed = rows
        .iter()
        .filter(|row| value(row, "robots_state") == "parsed")
        .step_by(9);
    for row in parsed {
        let url = value(row, "url").as_str().expect("a URL").to_owned() + "#never-captured";
        let fetched = value(row, "fetch_time");
        let flags = [
            "--json",
            "--url",
            &url,
            "--fetched",
            fetched.as_str().expect("a time"),
        ];
        let (_, out, _) = explain(folder.path(), &flags);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["captures"], json!([]), "{answer}");
        for column in &SAME[6..15] {
            assert_eq!(
                Some(&value(row, column)),
                answer.get(column),
                "{column} of {url}"
            );
        }
        for label in Label::ALL.map(Label::as_str) {
            assert_ne!(answer["labels"][label], "allow", "{label} of {url}");
        }
    }
    let (_, page, _) = explain(folder.path(), &["--url", "https://nosuch.example/"]);
    assert!(
        page.contains("no capture of the page is there, and none of its site's files\n"),
        "{page}"
    );
    let (_, out, _) = explain(
        folder.path(),
        &["--json", "--url", "https://nosuch.example/"],
    );
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        [&answer["robots_state"], &answer["access"]],
        ["not_archived", "unknown"]
    );
}

#[test]
fn local_what_is_no_page_of_the_tables_is_named() {
    let folder = &TABLES;
    let (status, out, err) = explain(folder.path(), &["--url", "https://rep.example/robots.txt"]);
    assert_eq!(
        (status, out.as_str(), err.lines().count()),
        (1, "", 1),
        "{err}"
    );
    assert!(
        err.contains("a site file there (robots), which is not a page"),
        "{err}"
    );
    let url = "http://local.test/about.html";
    let (status, _, err) = explain(
        folder.path(),
        &["--url", url, "--fetched", "2020-01-01T00:00:00Z"],
    );
    assert_eq!(status, 1);
    assert!(
        err.contains("not fetched at 2020-01-01T00:00:00Z, but at 2026-"),
        "{err}"
    );
    let nowhere = folder.path().join("nowhere");
    let (status, _, err) = explain(&nowhere, &["--url", url]);
    assert_eq!(status, 1);
    assert!(
        err.contains("no evidence there; expected a folder that crawlprefs scan or run wrote"),
        "{err}"
    );
}

#[test]
fn local_a_folder_without_a_flag_is_the_tables_or_the_index_or_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, index) = (
        TABLES.path().to_string_lossy().into_owned(),
        folder.path().join("index"),
    );
    let index = index.to_string_lossy().into_owned();
    assert!(
        crawlprefs(&["index", "-q", &out, "-o", &index])
            .status
            .success()
    );
    let url = ["--url", "https://rep.example/news/archive-2024.html"];
    let asked = |args: &[&str]| {
        let ran = crawlprefs(&[&["explain"], args, &url].concat());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    for (flag, place) in [("--tables", &out), ("--sites", &index)] {
        let named = asked(&[flag, place]);
        assert_eq!(named.0, Some(0), "{}", named.2);
        assert_eq!(asked(&[place]), named);
        assert_eq!(asked(&["--json", place]), asked(&["--json", flag, place]));
    }
    for (args, message) in [
        (&["src"][..], "src: neither tables nor a site index there"),
        (
            &[&out, "--tables", &out],
            "a folder besides --tables, --sites or files of the site",
        ),
        (
            &[&out, "--robots", "README.md"],
            "a folder besides --tables, --sites or files of the site",
        ),
    ] {
        let (status, text, error) = asked(args);
        assert!(
            status == Some(1) && text.is_empty() && error.contains(message),
            "{args:?}: {error}"
        );
    }
    // Without a page there is nothing to explain; and no scenarios are read from standard input.
    let ran = crawlprefs(&["explain", "--json", &out]);
    assert!(!ran.status.success() && ran.stdout.is_empty());
}

#[test]
fn local_other_files_of_a_site_are_given_by_their_kind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let tdmrep = write("reserved", r#"[{"location": "/a", "tdm-reservation": 1}]"#);
    let trust = write("trusted", "datatrainingallowed=no\n");
    let asked = |files: &[String]| {
        let flags = files.iter().flat_map(|file| ["--site-file", file]);
        let args: Vec<&str> = ["explain", "--json", "--url", "https://a.example/a"]
            .into_iter()
            .chain(flags)
            .collect();
        crawlprefs(&args)
    };
    let ran = asked(&[format!("tdmrep={tdmrep}"), format!("trust_txt={trust}")]);
    let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let from = &answer["labels_from"]["train_ai"];
    assert_eq!(
        from,
        &json!(["tdmrep tdmrep", "trust_txt trust_txt"]),
        "{answer}"
    );
    for wrong in [
        format!("robots={trust}"),
        format!("page={trust}"),
        "tdmrep=".into(),
        trust,
    ] {
        let ran = asked(std::slice::from_ref(&wrong));
        let error = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!ran.status.success() && ran.stdout.is_empty(), "{wrong}");
        assert!(
            error.contains("one of the kinds automation, tdmrep, ai_txt, trust_txt"),
            "{wrong}: {error}"
        );
    }
}

/// Two files of one second that both count, and one that was captured twice.
#[test]
fn local_a_line_is_cited_from_the_file_that_has_it() {
    let record = |path: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
        let length = block.len();
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/{path}\r\n"
        );
        format!(
            "{head}WARC-Date: 2026-08-10T06:00:00Z\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let says = "User-agent: *\nAllow: /\nContent-Signal: ai-train=no\n";
    let other = "User-agent: *\nAllow: /\nCrawl-delay: 5\n";
    let ai_txt = "User-agent: *\nDisallow: /\n";
    for [first, second] in [[says, other], [other, says]] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let (archive, out, index) = (place("a.warc"), place("out"), place("index"));
        let bodies = [
            ("robots.txt", first),
            ("robots.txt", second),
            ("ai.txt", ai_txt),
            ("ai.txt", ai_txt),
        ];
        let records = bodies.map(|(path, body)| record(path, body)).concat();
        std::fs::write(&archive, records).expect("a file");
        for call in [
            ["run", "-q", &archive, "-o", &out],
            ["index", "-q", &out, "-o", &index],
        ] {
            let ran = crawlprefs(&call);
            assert!(
                ran.status.success(),
                "{}",
                String::from_utf8_lossy(&ran.stderr)
            );
        }
        let page = ["--json", "--url", "https://a.example/b"];
        let time = "2026-08-10T07:00:00Z";
        for place in [
            ["--tables", &out, "--fetched", time],
            ["--sites", &index, "--at", time],
        ] {
            let ran = crawlprefs(&[&["explain"][..], &place, &page].concat());
            let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
            let of_train_ai = answer["evidence"].as_array().expect("a list").iter();
            let of_train_ai = of_train_ai.filter(|one| one["label"] == "train_ai");
            let lines: Vec<_> = of_train_ai
                .map(|one| json!([one["carrier"], one["line"], one["text"]]))
                .collect();
            let expected = json!([
                ["robots", 3, "Content-Signal: ai-train=no"],
                ["ai_txt", 2, "Disallow: /"]
            ]);
            assert_eq!(Value::from(lines), expected, "{place:?}");
        }
        let ran = crawlprefs(&[
            "history",
            "https://a.example/b",
            "--sites",
            &index,
            "--json",
        ]);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.contains("Content-Signal: ai-train=no"), "{text}");
    }
}

#[test]
fn local_of_several_captures_the_newest_is_taken_and_all_are_listed() {
    let folder = &TABLES;
    let url = "http://local.test/about.html";
    let rows = rows(&folder.path().join("pages"));
    let mut times: Vec<Value> = rows
        .iter()
        .filter(|row| value(row, "url") == url)
        .map(|row| value(row, "fetch_time"))
        .collect();
    times.sort_by_key(|time| std::cmp::Reverse(time.to_string()));
    let (_, out, _) = explain(folder.path(), &["--json", "--url", url]);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(answer["captures"], json!(times));
    assert_eq!(answer["fetch_time"], times[0]);
    let (_, page, _) = explain(folder.path(), &["--url", url]);
    assert!(page.contains("; there is another capture: "), "{page}");
}

#[test]
fn local_lists_of_the_run_are_asked_for_again() {
    let files = tempfile::tempdir().expect("a temporary folder");
    let (agents, vocabulary) = (files.path().join("agents.tsv"), files.path().join("mine"));
    std::fs::write(&agents, "token\tspeaks_for\nGPTBot\ttrain_ai\nMyBot\t\n")
        .expect("it can be written");
    std::fs::write(&vocabulary, "bots\ntrain-ai bots\n").expect("it can be written");
    let (agents, vocabulary) = (agents.to_string_lossy(), vocabulary.to_string_lossy());
    let lists = ["--agents", &*agents, "--vocab", &*vocabulary];
    let folder = tables(&lists);
    let (status, _, err) = explain(folder.path(), &["--url", "https://closed-to-ai.example/"]);
    assert_eq!(status, 1);
    assert!(
        err.contains("resolved with files of its own; give them again: --agents FILE --vocab FILE"),
        "{err}"
    );
    for row in rows(&folder.path().join("pages")).iter().step_by(6) {
        let (url, fetched) = (value(row, "url"), value(row, "fetch_time"));
        let flags = [
            "--json",
            "--url",
            url.as_str().expect("text"),
            "--fetched",
            fetched.as_str().expect("text"),
        ];
        let (status, out, err) = explain(folder.path(), &[&flags[..], &lists].concat());
        assert_eq!(status, 0, "{err}");
        assert_same(row, &serde_json::from_str(&out).expect("JSON"));
    }
}

/// No line is longer than 80 columns, unless it is one word; nothing is blank but one line.
#[test]
fn local_every_page_is_readable_at_80_columns_with_and_without_colour() {
    let folder = &TABLES;
    for row in rows(&folder.path().join("pages"))
        .iter()
        .step_by(rounds(4, 1))
    {
        let url = value(row, "url");
        let (status, page, _) = explain(folder.path(), &["--url", url.as_str().expect("text")]);
        assert_eq!(status, 0);
        for line in page.lines() {
            let is_one_word = line.split_whitespace().count() == 1;
            assert!(line.chars().count() <= 80 || is_one_word, "{line}");
            assert!(!line.ends_with(' ') && !line.contains('\u{1b}'), "{line:?}");
        }
        assert_eq!(
            page.lines().filter(|line| line.is_empty()).count(),
            1,
            "{page}"
        );
    }
    let url = ["--url", "https://sup.example/article/1.html", "--color"];
    let (_, plain, _) = explain(folder.path(), &[&url[..], &["never"]].concat());
    let (_, coloured, _) = explain(folder.path(), &[&url[..], &["always"]].concat());
    assert!(coloured.contains("\u{1b}["));
    let mut text = String::new();
    for piece in coloured.split('\u{1b}') {
        let shown = if text.is_empty() && piece.is_empty() {
            ""
        } else {
            piece
        };
        text.push_str(
            shown
                .strip_prefix('[')
                .and_then(|rest| rest.split_once('m'))
                .map_or(shown, |(_, rest)| rest),
        );
    }
    assert_eq!(text, plain);
}

/// Writes rows as a list of records, and extracts them with the files of their sites.
fn extract(tables: &Path, out: &Path, rows: &[&Row]) -> (i32, String) {
    let line = |row: &&Row| {
        let [file, offset, length] = ["warc_filename", "warc_record_offset", "warc_record_length"]
            .map(|name| value(row, name));
        format!("{},{offset},{length}\n", file.as_str().expect("a name"))
    };
    let lines: String = rows.iter().map(line).collect();
    let list = format!("warc_filename,warc_record_offset,warc_record_length\n{lines}");
    let work = tempfile::tempdir().expect("a temporary folder");
    let file = work.path().join("rows.csv");
    std::fs::write(&file, list).expect("it can be written");
    let [list, tables, out] = [&file, tables, out].map(|path| path.to_string_lossy());
    let ran = crawlprefs(&[
        "extract",
        "--tables",
        &tables,
        "--from",
        &list,
        "--base",
        "sample-data",
        "-o",
        &out,
    ]);
    (
        ran.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&ran.stderr).into_owned(),
    )
}

/// `extract --tables --from`: the rows of a query come with the files of their sites, so that a run of the small WARC has the
/// verdicts of the tables. `home.test` is left out: its robots.txt is a page, which only a folder `robotstxt` has as a file.
/// In a folder the records of each archive have its name, so that nothing is left out, and segments are the same.
#[test]
fn local_an_extract_of_rows_has_the_files_of_their_sites() {
    let (folder, work) = (&TABLES, tempfile::tempdir().expect("a temporary folder"));
    let all = rows(&folder.path().join("pages"));
    let has_length = |row: &&Row| value(row, "warc_record_length") != Value::Null;
    let is_of_segment = |row: &&Row| {
        value(row, "warc_segment") != Value::Null && value(row, "url_host_name") != "home.test"
    };
    for (out, is_folder) in [("few.warc.gz", false), ("few/", true)] {
        let some: Vec<&Row> = all
            .iter()
            .filter(|row| {
                if is_folder {
                    has_length(row)
                } else {
                    is_of_segment(row)
                }
            })
            .collect();
        let out = work.path().join(out);
        assert_eq!(extract(folder.path(), &out, &some), (0, String::new()));
        let again = work.path().join(format!("again-{is_folder}"));
        let ran = crawlprefs(&[
            "run",
            "-q",
            &out.to_string_lossy(),
            "-o",
            &again.to_string_lossy(),
        ]);
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let verdict = |row: &Row| {
            let columns = [
                "url",
                "robots_state",
                "robots_fetch_time",
                "access",
                "access_line",
                "disallowed_agents",
            ];
            let labels = [
                "search",
                "train_ai",
                "train_genai",
                "ai_input",
                "tdm",
                "conflict",
            ];
            let names = columns
                .iter()
                .chain(&labels)
                .chain(is_folder.then_some(&"warc_segment"));
            let values: Vec<Value> = names.map(|name| value(row, name)).collect();
            (value(row, "warc_record_id").to_string(), values)
        };
        let found: BTreeMap<_, _> = rows(&again.join("pages")).iter().map(verdict).collect();
        assert!(some.len() > 50);
        for row in some {
            let (id, expected) = verdict(row);
            assert_eq!(found.get(&id), Some(&expected));
        }
    }
}

#[test]
fn local_an_extract_of_rows_refuses_several_segments_in_one_file_and_other_rows() {
    let (folder, work) = (&TABLES, tempfile::tempdir().expect("a temporary folder"));
    let all = rows(&folder.path().join("pages"));
    let has_length = |row: &&Row| value(row, "warc_record_length") != Value::Null;
    let (status, error) = extract(
        folder.path(),
        &work.path().join("few"),
        &all.iter().filter(has_length).collect::<Vec<_>>(),
    );
    assert!(
        status == 1 && error.contains("found rows of 2 segments") && error.contains("few/"),
        "{error}"
    );
    let few = tempfile::tempdir().expect("a temporary folder");
    let ran = crawlprefs(&[
        "run",
        "-q",
        "sample-data/local",
        "-o",
        &few.path().to_string_lossy(),
    ]);
    assert!(ran.status.success());
    let other = all
        .iter()
        .find(|row| value(row, "warc_segment") != Value::Null)
        .expect("a row");
    let (status, error) = extract(few.path(), &work.path().join("few"), &[other]);
    assert!(
        status == 1 && error.contains("expected rows of these tables"),
        "{error}"
    );
}

/// A look-up reads rows of the archives that have captures of the page's host, and of the others a few bytes.
#[test]
fn local_evidence_of_archives_without_captures_of_the_host_is_not_read() {
    let folder = &TABLES;
    let hosts = |file: &Path| {
        let reader =
            SerializedFileReader::new(File::open(file).expect("evidence")).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| value(&row.expect("a row"), "url_host_name"))
            .collect::<Vec<_>>()
    };
    let store = CountedStore::with_tags(folder.path());
    let wanted = WantedPage {
        url: "https://closed-to-ai.example/",
        ..WantedPage::default()
    };
    scenario(&store, &[&store], &wanted).expect("a page of the tables");
    let asked = store.asked();
    let (mut with, mut without) = (0, 0);
    let mut files: Vec<&String> = asked
        .iter()
        .filter(|asked| asked.starts_with("open evidence/captures/"))
        .collect();
    files.dedup();
    for file in files {
        let opened = asked.iter().filter(|asked| *asked == file).count();
        let path = folder.path().join(file.trim_start_matches("open "));
        let has_host = hosts(&path)
            .iter()
            .any(|host| host == "closed-to-ai.example");
        let site_files = file.replace("captures", "site_files");
        assert_eq!(opened > 2, has_host, "{file}: opened {opened} times");
        assert!(has_host || !asked.contains(&site_files), "{site_files}");
        *if has_host { &mut with } else { &mut without } += 1;
    }
    assert_eq!((with, without), (2, 5), "{asked:?}");
}
