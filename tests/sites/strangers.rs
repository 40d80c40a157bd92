//! What a stranger writes into JSON is no path and no address: nothing outside the output changes, and no server is asked that the
//! command line does not name.
//!
//! `mine` lies beside what the stranger sent. Every string of every JSON file that a command reads back is replaced by hostile
//! values; `mine` is the same afterwards, and the server has no connection.

use crate::files::files;
use crate::rounds::rounds;
use crate::world::warc;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that counts connections and answers none.
struct Victim {
    address: String,
    asked: Arc<AtomicUsize>,
}

impl Victim {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, asked }
    }

    /// Runs the command as somebody who has credentials for buckets, which are on this server.
    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
        let endpoint = format!("http://{}", self.address);
        command
            .args(args)
            .env("AWS_ENDPOINT_URL", endpoint)
            .env("AWS_ALLOW_HTTP", "true");
        command
            .env("AWS_ACCESS_KEY_ID", "mine")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        command
            .env("AWS_REGION", "us-east-1")
            .output()
            .expect("the command runs")
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// A folder with what is mine, and what a stranger sent: evidence, tables, an index, and documents judged by each.
struct Desk {
    folder: tempfile::TempDir,
    victim: Victim,
}

impl Desk {
    fn new() -> Self {
        let desk = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            victim: Victim::start(),
        };
        let closed =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n";
        let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>";
        let records = [
            warc::response("https://a.example/robots.txt", "06:00:00", "", closed),
            warc::response("https://a.example/x", "06:01:00", "", page),
        ];
        fs::write(desk.path("a.warc"), records.concat()).expect("an archive");
        let document = json!({"url": "https://a.example/x", "date": "2026-08-10T06:01:00Z"});
        fs::write(desk.path("d.jsonl"), format!("{document}\n")).expect("documents");
        let at = |name: &str| desk.at(name);
        for args in [
            &["scan", &at("a.warc"), "-o", &at("evidence")][..],
            &["resolve", &at("evidence"), "-o", &at("tables")],
            &["index", &at("evidence"), "-o", &at("index")],
            &[
                "judge",
                &at("d.jsonl"),
                "--tables",
                &at("tables"),
                "-o",
                &at("kept"),
            ],
            &[
                "judge",
                &at("d.jsonl"),
                "--sites",
                &at("index"),
                "-o",
                &at("sited"),
            ],
            &["run", &at("a.warc"), "-o", &at("mine")],
        ] {
            desk.done(args);
        }
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        let quiet: &[&str] = if matches!(args.first(), Some(&("explain" | "status"))) {
            &[]
        } else {
            &["-q"]
        };
        let ran = self.victim.run(&[args, quiet].concat());
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            !said.contains("panicked") && ran.status.code().is_some(),
            "{args:?}: {said}"
        );
        assert!(!said.contains('\u{1b}'), "{args:?}: {said:?}");
        (ran.status.code(), said)
    }

    fn done(&self, args: &[&str]) {
        let (status, said) = self.run(args);
        assert_eq!(status, Some(0), "{args:?}: {said}");
    }

    /// Returns every file but those below some folders.
    fn without(&self, folders: &[&str]) -> BTreeMap<String, Vec<u8>> {
        let mut all = files(self.folder.path());
        all.retain(|name, _| !folders.iter().any(|folder| name.starts_with(folder)));
        all
    }

    /// Replaces a text in a file.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).expect("a file");
        assert!(text.contains(from), "{file}: {from}");
        fs::write(self.path(file), text.replace(from, to)).expect("written");
    }

    /// Returns the file of JSON in a folder.
    fn only(&self, folder: &str) -> String {
        let names = files(&self.path(folder));
        let name = names
            .keys()
            .find(|name| name.ends_with(".json"))
            .expect("a file");
        format!("{folder}/{name}")
    }
}

#[test]
fn local_a_crawl_in_an_index_of_a_stranger_is_no_path() {
    let desk = Desk::new();
    desk.edit(
        "index/_index.json",
        r#""crawl": "local""#,
        r#""crawl": "x/../../../mine/sites/crawl=local""#,
    );
    let before = desk.without(&["theirs"]);
    let (status, said) = desk.run(&[
        "sites",
        &desk.at("index"),
        "--at",
        "each-crawl",
        "-o",
        &desk.at("theirs"),
    ]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("is no name of a crawl"), "{said}");
    assert_eq!(desk.without(&["theirs"]), before);
}

#[test]
fn local_a_crawl_in_evidence_of_a_stranger_is_no_path() {
    let desk = Desk::new();
    let manifest = desk.only("evidence/_manifest");
    desk.edit(&manifest, r#""crawl": "local""#, r#""crawl": "../../../o""#);
    let before = desk.without(&["theirs"]);
    for command in ["resolve", "index"] {
        let (status, said) = desk.run(&[command, &desk.at("evidence"), "-o", &desk.at("theirs")]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("is no name of a crawl"), "{said}");
        assert_eq!(desk.without(&["theirs"]), before);
    }
}

#[test]
fn local_the_name_of_an_archive_is_printed_without_what_a_terminal_obeys() {
    let desk = Desk::new();
    let named = desk.at("a\u{1b}]0;x\u{7}.warc");
    fs::copy(desk.path("a.warc"), &named).expect("an archive");
    desk.done(&["scan", &named, "-o", &desk.at("named")]);
    let index = desk.at("named-index");
    desk.done(&["index", &desk.at("named"), "-o", &index]);
    let url = "https://a.example/x";
    let ran = desk
        .victim
        .run(&["extract", "--sites", &index, "--url", url]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains("\na\\x1B]0;x\\x07.warc,robots,"), "{said:?}");
}

#[test]
fn local_names_in_the_state_of_a_judgement_are_no_paths() {
    let desk = Desk::new();
    fs::write(desk.path("precious"), "mine").expect("a file");
    let inputs = desk.only("_kept.judge/inputs");
    desk.edit(&inputs, "d.jsonl", "../precious");
    let flags = ["--overwrite", "--drop-missing"];
    let judge = [
        "judge",
        &desk.at("d.jsonl"),
        "--tables",
        &desk.at("tables"),
        "-o",
        &desk.at("kept"),
    ];
    let (status, said) = desk.run(&[&judge[..], &flags].concat());
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(
        fs::read_to_string(desk.path("precious")).expect("it is there"),
        "mine"
    );
}

#[test]
fn local_a_place_that_a_file_brings_is_not_asked() {
    let desk = Desk::new();
    let urls = [
        "s3://victim/x".to_owned(),
        format!("http://{}/x", desk.victim.address),
    ];
    let page = ["explain", "--judged"];
    for url in &urls {
        for (out, place, flag) in [
            ("kept", "tables", "--tables"),
            ("sited", "index", "--sites"),
        ] {
            let file = format!("_{out}.judge/_judge.json");
            let text = fs::read(desk.path(&file)).expect("a file");
            desk.edit(&file, &desk.at(place), url);
            let judged = desk.at(out);
            let explain = [&page[..], &[&judged, "https://a.example/x"]].concat();
            let (status, said) = desk.run(&explain);
            assert_eq!(status, Some(1), "{said}");
            assert!(said.contains(url) && said.contains(flag), "{said}");
            assert_eq!(desk.victim.asked(), 0, "{url} in {file}");
            // Named on the command line, it is another place.
            desk.done(&[&explain[..], &[flag, &desk.at(place)]].concat());
            fs::write(desk.path(&file), text).expect("written");
        }
        let text = fs::read(desk.path("tables/_resolved.json")).expect("a file");
        desk.edit("tables/_resolved.json", &desk.at("evidence"), url);
        for args in [
            &[
                "explain",
                "--tables",
                &desk.at("tables"),
                "--url",
                "https://a.example/x",
            ][..],
            &["judge", &desk.at("d.jsonl"), "--tables", &desk.at("tables")],
            &["status", &desk.at("tables")],
        ] {
            desk.run(args);
            assert_eq!(desk.victim.asked(), 0, "{args:?}");
        }
        fs::write(desk.path("tables/_resolved.json"), text).expect("written");
    }
    let bucket = [
        "status",
        "s3://victim/x",
        "--retries",
        "0",
        "--timeout",
        "1s",
    ];
    desk.run(&bucket);
    assert!(desk.victim.asked() > 0, "the server counts");
}

#[test]
fn local_other_tables_than_those_of_a_judgement_do_not_explain_it() {
    let desk = Desk::new();
    let explain = [
        "explain",
        "--judged",
        &desk.at("kept"),
        "https://a.example/x",
    ];
    desk.done(&explain);
    fs::rename(desk.path("tables"), desk.path("right")).expect("moved");
    let open = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nAllow: /\n";
    let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>";
    let records = [
        warc::response("https://a.example/robots.txt", "06:00:00", "", open),
        warc::response("https://a.example/x", "06:01:00", "", page),
    ];
    fs::write(desk.path("a.warc"), records.concat()).expect("an archive");
    desk.done(&["run", &desk.at("a.warc"), "-o", &desk.at("tables")]);
    let (status, said) = desk.run(&explain);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("these are other tables") && said.contains("--tables"),
        "{said}"
    );
    desk.done(&[&explain[..], &["--tables", &desk.at("right")]].concat());
    let (status, said) = desk.run(&[&explain[..], &["--sites", &desk.at("index")]].concat());
    assert_eq!(status, Some(1), "{said}");
}

/// Values that lead elsewhere, or cost, where they are believed.
fn hostile(victim: &str) -> [String; 12] {
    [
        "x/../../../mine/sites/crawl=local".to_owned(),
        "../mine/_resolved.json".to_owned(),
        "..".to_owned(),
        "/dev/zero".to_owned(),
        "a\\..\\..\\mine".to_owned(),
        "a\0b".to_owned(),
        "s3://victim/x".to_owned(),
        format!("http://{victim}/x"),
        format!("file://localhost/../../{victim}"),
        "A".repeat(1 << 20),
        "'; DROP TABLE pages; COPY (SELECT 1) TO '../mine/x'; --".to_owned(),
        "\u{1b}]0;x\u{7}\u{1b}[2J".to_owned(),
    ]
}

/// Returns the places of the strings of a value as JSON pointers; of an array, those of its first element.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(values) => values
            .iter()
            .take(1)
            .for_each(|value| strings(value, &format!("{at}/0"), found)),
        Value::Object(members) => {
            for (name, value) in members {
                strings(
                    value,
                    &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn local_no_text_in_json_leads_out_of_an_output_or_to_a_server() {
    let desk = Desk::new();
    let at = |name: &str| desk.at(name);
    let (evidence, tables, index) = (at("evidence"), at("tables"), at("index"));
    let (out, page) = (at("theirs"), ["--url", "https://a.example/x"]);
    let of_evidence = [
        vec!["resolve", &evidence, "-o", &out],
        vec!["index", &evidence, "-o", &out],
        vec!["status", &evidence],
        vec!["scan", "a.warc", "-o", &evidence],
    ];
    let of_tables = [
        vec!["status", &tables],
        [&["explain", "--tables", &tables][..], &page].concat(),
        vec!["judge", "d.jsonl", "--tables", &tables, "-o", &out],
        vec!["resolve", &evidence, "-o", &tables],
    ];
    let of_index = [
        vec!["sites", &index, "--at", "each-crawl", "-o", &out],
        vec!["index", &index, "-o", &out],
        [&["explain", "--sites", &index][..], &page].concat(),
        vec!["status", &index],
    ];
    let (kept, sited) = (at("kept"), at("sited"));
    let of_judged = [
        vec!["explain", "--judged", &kept, "https://a.example/x"],
        vec![
            "judge",
            "d.jsonl",
            "--tables",
            &tables,
            "--overwrite",
            "--drop-missing",
            "-o",
            &kept,
        ],
    ];
    let of_sited = [
        vec!["explain", "--judged", &sited, "https://a.example/x"],
        vec![
            "judge",
            "d.jsonl",
            "--sites",
            &index,
            "--overwrite",
            "-o",
            &sited,
        ],
    ];
    let cases: [(&str, &[Vec<&str>]); 5] = [
        ("evidence", &of_evidence),
        ("tables", &of_tables),
        ("index", &of_index),
        ("_kept.judge", &of_judged),
        ("_sited.judge", &of_sited),
    ];
    let values = hostile(&desk.victim.address);
    let all = desk.without(&[]);
    // Some strings get one of the values; in a long run, each gets all.
    let (mut place, each, step) = (0, rounds(1, values.len()), rounds(5, 1));
    for (folder, commands) in cases {
        for (name, content) in all
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("{folder}/")))
        {
            let Ok(json) = serde_json::from_slice::<Value>(content) else {
                continue;
            };
            let mut found = Vec::new();
            strings(&json, "", &mut found);
            for pointer in found {
                place += 1;
                if place % step != 0 {
                    continue;
                }
                for value in values.iter().cycle().skip(place / step).take(each) {
                    let mut changed = json.clone();
                    *changed.pointer_mut(&pointer).expect("it is there") =
                        Value::from(value.as_str());
                    fs::write(desk.path(name), changed.to_string()).expect("written");
                    let case = format!(
                        "{name}{pointer}: {}",
                        value.chars().take(50).collect::<String>()
                    );
                    attacked(&desk, &case, commands);
                    restore(&desk, &all, folder);
                }
            }
        }
    }
    assert!(place > 60, "{place}");
}

/// Runs commands over a changed file; nothing but their outputs changes.
fn attacked(desk: &Desk, case: &str, commands: &[Vec<&str>]) {
    let outputs = [
        "theirs",
        "evidence/",
        "tables/",
        "kept/",
        "_kept.judge/",
        "sited/",
        "_sited.judge/",
    ];
    let outputs = [&outputs[..], &["index/", "_theirs.judge"]].concat();
    let before = desk.without(&outputs);
    for command in commands {
        let documents = ["a.warc", "d.jsonl"].map(|name| (name, desk.at(name)));
        let args = command.iter().map(|arg| {
            documents
                .iter()
                .find(|(name, _)| name == arg)
                .map_or(*arg, |(_, place)| place.as_str())
        });
        desk.run(&args.collect::<Vec<_>>());
        assert!(
            desk.without(&outputs) == before,
            "{case}: {command:?} changed a file outside"
        );
        assert_eq!(desk.victim.asked(), 0, "{case}: {command:?} asked a server");
        for out in ["theirs", "_theirs.judge"] {
            // It is not there where the command was refused.
            let _ = fs::remove_dir_all(desk.path(out));
        }
    }
}

/// Puts back what a stranger sent.
fn restore(desk: &Desk, all: &BTreeMap<String, Vec<u8>>, folder: &str) {
    let beside = folder
        .strip_prefix('_')
        .and_then(|name| name.strip_suffix(".judge"))
        .unwrap_or(folder);
    for folder in [folder, beside] {
        let _ = fs::remove_dir_all(desk.path(folder));
        for (name, content) in all
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("{folder}/")))
        {
            let path = desk.path(name);
            fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).expect("a folder");
            fs::write(path, content).expect("written");
        }
    }
}
