//! Documents that are too long to be judged, and what little memory is enough for.

use crate::fixture::{judge, judged, run};
use crate::warc::response;
use serde_json::Value;
use std::fs;

/// A text that is longer than a line that is held.
fn long_text() -> String {
    "{\\\"x\\\": ".repeat(33 << 17)
}

#[test]
fn local_a_line_that_is_too_long_is_unknown_and_keeps_its_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("a.jsonl"), folder.path().join("out"));
    let short = "{\"url\":\"https://rep.example/private/x\"}\n";
    let long = format!(
        "\u{feff}{{\"url\":\"https://rep.example/\",\"text\":\"{}\"}} \r\n",
        long_text()
    );
    fs::write(&input, long.clone() + short).expect("a file");
    let (status, text) = judge(&[&input], &out, &["--at", "newest"]);
    assert!(
        status == 0 && text.contains("  could not be judged, so unknown: 1 ("),
        "{text}"
    );
    let judged = fs::read_to_string(out.join("a.jsonl")).expect("an output");
    let (first, second) = judged.split_once('\n').expect("two lines");
    let own = long.trim_end().strip_suffix('}').expect("an object");
    assert!(first.starts_with(own) && first.ends_with("} \r"));
    let verdict: Value =
        serde_json::from_str(&first.trim_end()[own.len()..].replacen(',', "{", 1)).expect("JSON");
    assert_eq!(
        [&verdict["prefs_access"], &verdict["prefs_reason"]],
        ["unknown", "line_too_long"]
    );
    assert!(second.contains("\"prefs_access\":\"disallow\""), "{second}");
    let (_, text) = judge(
        &[&input],
        &out,
        &["--at", "newest", "--policy", "labels", "--overwrite"],
    );
    assert!(
        text.contains("dropped                             2"),
        "{text}"
    );
}

#[test]
fn local_a_long_line_with_a_member_of_a_verdict_or_without_an_end_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("a.jsonl");
    for (line, expected) in [
        (
            format!(
                "{{\"text\":\"{}\",\"prefs_\\u0061ccess\":\"allow\"}}",
                long_text()
            ),
            "and it has a member prefs_access",
        ),
        (
            format!("{{\"text\":\"{}\"", long_text()),
            "line 1: not a JSON object, or cut off",
        ),
    ] {
        fs::write(&input, line).expect("a file");
        let (status, text) = judge(
            &[&input],
            &folder.path().join("out"),
            &["--overwrite", "--replace-prefs"],
        );
        assert!(status == 3 && text.contains(expected), "{text}");
    }
}

#[test]
fn local_a_url_that_is_too_long_is_unknown() {
    let url = format!("https://rep.example/{}", "a".repeat(64 << 10));
    let line = serde_json::json!({ "url": url }).to_string();
    for lines in [&line, &url] {
        let judged = &judged(lines, &["--at", "newest"])[0];
        assert_eq!(
            [&judged["prefs_access"], &judged["prefs_reason"]],
            ["unknown", "url_too_long"]
        );
        assert_eq!(judged["url"], url);
    }
}

/// 3 KB of a stranger's pages: thousands of metas each, and among them a few texts of 60 KB.
#[test]
fn local_pages_with_many_metas_and_long_ones_among_them_do_not_end_a_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let field = format!("X-Robots-Tag: {}\r\n", "x, ".repeat(20_000)).repeat(3);
    let long = format!("<meta name=robots content='{}noai'>", "x, ".repeat(21_000)).repeat(4);
    let short = "<meta name=a content=b>".repeat(3_000);
    let message = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{field}\r\n<html><head>{short}{long}"
    );
    let of_evil = |number: usize| {
        let url = format!("https://evil.example/p{number}");
        response(&url, "08:00:00", "", message.as_bytes())
    };
    let robots = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n";
    let robots = response(
        "https://a.example/robots.txt",
        "06:00:00",
        "",
        robots.as_bytes(),
    );
    let archive = [(0..3).map(of_evil).collect::<Vec<_>>().concat(), robots].concat();
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(place("a.warc"), archive).expect("a file");
    let ran = run(&["run", "-q", &place("a.warc"), "-o", &place("out")], b"");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let document = "{\"url\":\"https://a.example/p\",\"date\":\"2026-08-10T08:00:00Z\"}";
    let found = run(
        &["judge", "-q", "-", "--tables", &place("out")],
        document.as_bytes(),
    );
    let found = String::from_utf8_lossy(&found.stdout);
    assert!(found.contains("\"prefs_access\":\"disallow\""), "{found}");
}
