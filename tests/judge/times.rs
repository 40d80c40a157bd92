//! Documents that are judged for several times: then and now.

use crate::fixture::{judged, pages, run};
use crate::warc;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const THEN: &str = "2026-03-01T12:00:00Z";

fn robots(host: &str, at: &str, text: &str) -> Vec<u8> {
    let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}");
    warc::response(
        &format!("https://{host}/robots.txt"),
        at,
        "",
        message.as_bytes(),
    )
}

/// Writes pages of sites that closed, opened or stayed after them, and makes tables and an index.
fn world(folder: &Path) {
    const CLOSED: &str = "User-agent: *\nDisallow: /\n";
    const OPEN: &str = "User-agent: *\nAllow: /\n";
    let (before, after) = ("2026-03-01T11:00:00Z", "2026-05-01T11:00:00Z");
    let mut bytes = Vec::new();
    for (host, then, now) in [
        ("closed.example", OPEN, CLOSED),
        ("opened.example", CLOSED, OPEN),
        ("no.example", OPEN, OPEN),
        ("yes.example", OPEN, OPEN),
    ] {
        bytes.extend(robots(host, before, then));
        bytes.extend(robots(host, after, now));
        let usage = match host {
            "no.example" => "Content-Usage: train-ai=n\r\n",
            "yes.example" => "Content-Usage: train-ai=y\r\n",
            _ => "",
        };
        let page = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{usage}\r\n<html><head></head></html>"
        );
        let id = format!("WARC-Record-ID: <urn:uuid:{}>\r\n", id(host));
        bytes.extend(warc::response(
            &format!("https://{host}/page"),
            THEN,
            &id,
            page.as_bytes(),
        ));
    }
    fs::write(folder.join("a.warc"), bytes).expect("an archive");
    for args in [
        ["run", "a.warc", "-q", "-o", "tables"].as_slice(),
        &["index", "tables", "-q", "-o", "world.index"],
    ] {
        let args: Vec<String> = args.iter().map(|arg| at(folder, arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = run(&args, b"");
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

/// Returns an argument; that of a file is in the folder.
fn at(folder: &Path, arg: &str) -> String {
    match arg {
        "a.warc" | "tables" | "world.index" | "policy.toml" => {
            folder.join(arg).to_string_lossy().into_owned()
        }
        other => other.to_owned(),
    }
}

fn id(host: &str) -> String {
    format!(
        "00000000-0000-4000-8000-{:012x}",
        host.len() * 97 + usize::from(host.as_bytes()[0])
    )
}

fn document(host: &str, has_id: bool) -> Value {
    let id = has_id.then(|| id(host));
    json!({"url": format!("https://{host}/page"), "date": THEN, "id": id})
}

/// Judges documents in the folder of a world.
fn judge(folder: &Path, documents: &[Value], flags: &[&str]) -> Result<Vec<Value>, String> {
    let flags: Vec<String> = flags.iter().map(|flag| at(folder, flag)).collect();
    let mut args = vec!["judge", "-q", "-"];
    args.extend(flags.iter().map(String::as_str));
    let lines: String = documents
        .iter()
        .map(|document| document.to_string() + "\n")
        .collect();
    let ran = run(&args, lines.as_bytes());
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    Ok(text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect())
}

#[test]
fn local_then_and_now_are_asked_of_the_record_and_of_the_site() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let hosts = [
        "closed.example",
        "opened.example",
        "no.example",
        "yes.example",
    ];
    let documents: Vec<Value> = [true, false]
        .into_iter()
        .flat_map(|has_id| hosts.map(|host| document(host, has_id)))
        .collect();
    let flags = ["--tables", "tables", "--at", "page,newest"];
    let verdicts = judge(folder.path(), &documents, &flags).expect("judged");
    let found: Vec<[&str; 6]> = verdicts
        .iter()
        .map(|verdict| {
            [
                "access",
                "access_newest",
                "train_ai",
                "train_ai_newest",
                "source",
                "source_newest",
            ]
            .map(|name| verdict[format!("prefs_{name}")].as_str().expect("text"))
        })
        .collect();
    let expected = [
        [
            "allow", "disallow", "unknown", "unknown", "record", "record",
        ],
        [
            "disallow", "allow", "unknown", "unknown", "record", "record",
        ],
        // The header's no holds, its yes is of its own time.
        ["allow", "allow", "disallow", "disallow", "record", "record"],
        ["allow", "allow", "allow", "unknown", "record", "record"],
        ["allow", "disallow", "unknown", "unknown", "site", "site"],
        ["disallow", "allow", "unknown", "unknown", "site", "site"],
        ["allow", "allow", "unknown", "unknown", "site", "site"],
        ["allow", "allow", "unknown", "unknown", "site", "site"],
    ];
    assert_eq!(found, expected);
    // What the page said was not seen by the documents without a record alone.
    assert_eq!(verdicts[0]["prefs_not_seen_newest"], "");
    assert_eq!(verdicts[4]["prefs_not_seen_newest"], "header;meta");
    let by_index = [
        "--tables",
        "tables",
        "--sites",
        "world.index",
        "--at",
        "page,newest",
    ];
    assert_eq!(
        judge(folder.path(), &documents, &by_index).expect("judged"),
        verdicts
    );
    // A later date than that of the change is as the newest files.
    let by_date = judge(
        folder.path(),
        &documents,
        &["--tables", "tables", "--at", "page,2026-06-01"],
    )
    .expect("judged");
    for (one, other) in by_date.iter().zip(&verdicts) {
        assert_eq!(
            one["prefs_access_20260601T000000Z"],
            other["prefs_access_newest"]
        );
    }
}

#[test]
fn know_6_the_url_of_its_record_stands_for_the_missing_one_of_a_document() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let with_url = document("no.example", true);
    let mut without = with_url.clone();
    without["url"] = json!(null);
    let flags = ["--tables", "tables", "--at", "page,newest"];
    let judged = judge(folder.path(), &[with_url, without], &flags).expect("judged");
    let verdict = |place: usize| -> Vec<(&String, &Value)> {
        let members = judged[place].as_object().expect("an object").iter();
        members
            .filter(|(name, _)| name.starts_with("prefs_"))
            .collect()
    };
    assert_eq!(verdict(0), verdict(1));
    assert_eq!(
        [
            &judged[1]["prefs_access_newest"],
            &judged[1]["prefs_train_ai_newest"]
        ],
        ["allow", "disallow"]
    );
}

#[test]
fn local_a_policy_of_two_times_drops_by_either_and_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let hosts = [
        "closed.example",
        "opened.example",
        "no.example",
        "yes.example",
    ];
    let documents = hosts.map(|host| document(host, true));
    let policy = |text: &str| fs::write(folder.path().join("policy.toml"), text).expect("a file");
    let kept = |flags: &[&str]| -> Result<Vec<String>, String> {
        let flags = [&["--tables", "tables", "--policy", "policy.toml"], flags].concat();
        let kept = judge(folder.path(), &documents, &flags)?;
        let host = |line: &Value| {
            line["url"]
                .as_str()
                .expect("a URL")
                .split('/')
                .nth(2)
                .expect("a host")
                .to_owned()
        };
        Ok(kept.iter().map(host).collect())
    };
    policy("preset = 'labels'");
    assert_eq!(kept(&[]).unwrap(), ["closed.example", "yes.example"]);
    assert_eq!(
        kept(&["--at", "newest"]).unwrap(),
        ["opened.example", "yes.example"]
    );
    assert_eq!(kept(&["--at", "page,newest"]).unwrap(), ["yes.example"]);
    policy(
        "preset = 'labels'\nat = ['page', 'newest']\norder = ['access_disallow@newest', 'train_ai_disallow']",
    );
    assert_eq!(kept(&[]).unwrap(), ["yes.example"]);
    let dropped = folder.path().join("dropped");
    let input = folder.path().join("in.jsonl");
    fs::write(
        &input,
        documents
            .iter()
            .map(|document| document.to_string() + "\n")
            .collect::<String>(),
    )
    .expect("a file");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (input, policy_file, out, tables) = (
        path("in.jsonl"),
        path("policy.toml"),
        path("out"),
        path("tables"),
    );
    let args = [
        "judge",
        &input,
        "--tables",
        &tables,
        "--policy",
        &policy_file,
        "-o",
        &out,
        "--dropped",
        &path("dropped"),
    ];
    let ran = run(&args, b"");
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    assert!(text.contains("  access (page): allow 3, disallow 1, unknown 0\n  access (newest): allow 3, disallow 1, unknown 0\n"), "{text}");
    let dropped = fs::read_to_string(dropped.join("in.jsonl")).expect("dropped");
    let reasons: Vec<Value> = dropped
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let reasons: Vec<&str> = reasons
        .iter()
        .map(|line| line["reason"].as_str().expect("text"))
        .collect();
    assert_eq!(
        reasons,
        [
            "access_disallow@newest",
            "access_disallow@page",
            "train_ai_disallow@page"
        ]
    );
    for (text, flags, message) in [
        ("at = 'now'", [].as_slice(), "expected a time such as"),
        ("at = []", &[], "found 0 times"),
        ("at = ['page', 'page']", &[], "page is named twice"),
        ("at = 5", &[], "at"),
        (
            "at = 'newest'",
            &["--at", "page"],
            "at: found newest, --at has page",
        ),
        (
            "order = ['access_disallow@newest']",
            &[],
            "expected some of",
        ),
    ] {
        policy(text);
        let error = kept(flags).expect_err(text);
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn local_each_time_is_as_it_is_alone() {
    let lines: String = pages()
        .iter()
        .map(|(document, _)| document.to_string() + "\n")
        .collect();
    let lines = lines.clone() + &lines.replace("\"id\"", "\"uuid\"");
    let times = ["page", "newest", "2026-08-10T07:30:00Z"];
    let together = judged(&lines, &["--at", &times.join(",")]);
    for (at, suffix) in times.into_iter().zip(["", "_newest", "_20260810T073000Z"]) {
        let alone = judged(&lines, &["--at", at]);
        assert_eq!(alone.len(), together.len());
        for (alone, together) in alone.iter().zip(&together) {
            for (name, value) in alone
                .as_object()
                .expect("an object")
                .iter()
                .filter(|(name, _)| name.starts_with("prefs_"))
            {
                assert_eq!(
                    *value,
                    together[format!("{name}{suffix}")],
                    "{at} {name} {together}"
                );
            }
        }
    }
    assert!(
        together
            .iter()
            .any(|line| line["prefs_access"] != line["prefs_access_newest"])
    );
}
