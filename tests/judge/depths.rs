//! What a shallower scan says of a page: never more than the whole page says (LABEL-3).

use crate::fixture::run;
use crate::warc::response;
use serde_json::{Value, json};
use std::fs;

#[test]
fn read_21_no_depth_allows_what_the_metas_of_a_page_refuse() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let head = "<head><title>a</title><meta name=\"robots\" content=\"noai\"/></head>";
    let html = format!("<html>{head}<body></body></html>");
    let blanks = " ".repeat(3000);
    let comment = "a".repeat(70 << 10);
    let text = "<p>text</p>".repeat(20_000);
    let pages = [
        ("text/plain", html.clone()),
        ("image/png", html.clone()),
        ("text/plain", format!("{blanks}{html}{text}")),
        (
            "application/xml",
            format!(
                "<?xml version='1.0'?><!-- {comment} --><html xmlns='http://www.w3.org/1999/xhtml'>{head}<body>{text}</body></html>"
            ),
        ),
    ];
    let id = |number: usize| format!("00000000-0000-4000-8000-{number:012}");
    let url = |number: usize| format!("https://a.example/{number}");
    let captures = pages.iter().enumerate().map(|(number, (kind, body))| {
        let message = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Signal: ai-train=yes\r\n\r\n{body}"
        );
        let lines = format!("WARC-Record-ID: <urn:uuid:{}>\r\n", id(number));
        response(&url(number), "08:00:00", &lines, message.as_bytes())
    });
    fs::write(path("a.warc"), captures.collect::<Vec<_>>().concat()).expect("an archive");
    let documents = (0..pages.len()).map(|number| {
        json!({"url": url(number), "date": "2026-08-10T08:00:00Z", "id": id(number)}).to_string()
            + "\n"
    });
    let documents: String = documents.collect();
    for (depth, expected) in [
        ("", "disallow"),
        ("heads", "disallow"),
        ("no-meta", "unknown"),
        ("heads,no-meta", "unknown"),
    ] {
        let out = path(&format!("out-{depth}"));
        let archive = path("a.warc");
        let mut args = vec!["run", "-q", &archive, "-o", &out];
        if !depth.is_empty() {
            args.extend(["--depth", depth]);
        }
        let ran = run(&args, b"");
        assert!(
            ran.status.success(),
            "{depth}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let ran = run(
            &["judge", "-q", "-", "--tables", &out],
            documents.as_bytes(),
        );
        let lines = String::from_utf8(ran.stdout).expect("UTF-8");
        let found: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(found.len(), pages.len(), "{depth}");
        for verdict in found {
            assert_eq!(verdict["prefs_train_ai"], expected, "{depth}: {verdict}");
        }
    }
}
