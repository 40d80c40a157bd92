//! Vectors of the account whose cases are records of a host, or the head of a page beside a robots.txt with a yes.

use crate::warc::record;
use crate::world::tables;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const YES: &str = "User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=yes\n";

/// Vectors that may fail, for which docs/rules says why.
const OPEN: [&str; 5] = [
    "conent",
    "moz-2806",
    "type-multipart/related",
    "gz-tail",
    "cr-200",
];

#[test]
fn acct_2_vectors_of_records() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/account-2.jsonl");
    let text = fs::read_to_string(path).expect("the vectors are in the project");
    let vectors: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut archive, mut wanted) = (Vec::new(), Vec::new());
    for (number, vector) in vectors.iter().enumerate() {
        if OPEN.iter().any(|id| vector["id"] == *id) {
            continue;
        }
        let records = match (&vector["records"], &vector["html"]) {
            (Value::Array(records), _) => records.clone(),
            (_, Value::String(head)) => of_head(head),
            _ => continue,
        };
        let host = format!("h{number}.example");
        archive.extend(records.iter().flat_map(|one| of_record(one, &host)));
        wanted.push((format!("http://{host}/p"), vector));
    }
    fs::write(folder.path().join("made.warc"), archive).expect("a file");
    let pages = tables(folder.path());
    assert!(wanted.len() >= 2, "{}", wanted.len());
    for (url, vector) in wanted {
        for (key, allowed) in vector["expect"].as_object().expect("an object") {
            let key = key.rsplit('.').next().unwrap_or(key);
            let found = &pages[&url][key];
            assert!(
                allowed.as_array().expect("a list").contains(found),
                "{}: {key} is {found}",
                vector["id"]
            );
        }
    }
}

fn of_head(head: &str) -> Vec<Value> {
    let page = format!(
        "<!DOCTYPE html>\n<html><head><title>t</title>{head}</head><body><p>x</p></body></html>"
    );
    let one = |path: &str, at: &str, media_type: &str, body: &str| {
        json!({
            "path": path, "date": format!("2026-08-10T{at}:00:00Z"), "headers": [["Content-Type", media_type]],
            "body": body,
        })
    };
    vec![
        one("/robots.txt", "06", "text/plain", YES),
        one("/p", "07", "text/html", &page),
    ]
}

fn of_record(one: &Value, host: &str) -> Vec<u8> {
    let text = |key: &str| one[key].as_str().unwrap_or_default();
    let fields = one["headers"].as_array().expect("fields").iter();
    let fields =
        fields.map(|field| [field[0].as_str(), field[1].as_str()].map(Option::unwrap_or_default));
    let fields: String = fields
        .map(|[name, value]| format!("{name}: {value}\r\n"))
        .collect();
    let status = if one["status"].is_null() {
        "200 OK"
    } else {
        text("status")
    };
    let block = format!("HTTP/1.1 {status}\r\n{fields}\r\n{}", text("body"));
    let head = format!(
        "WARC-Type: response\r\nWARC-Target-URI: http://{host}{}\r\nWARC-Date: {}\r\n\
         Content-Type: application/http; msgtype=response\r\n",
        text("path"),
        text("date"),
    );
    record(&head, block.as_bytes())
}
