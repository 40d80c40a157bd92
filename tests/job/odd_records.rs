//! Records that writers put otherwise than the documents say, each with the row that it becomes.

use crate::fixture::{archive, run};
use crate::resolved::{Fields, resolve, rows, view};
use crate::warc;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};

const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\n\r\n<p>";

/// Returns a WARC record with these fields and a Content-Length that is `by` more than it should be.
fn record(fields: &str, block: &str, by: i64) -> String {
    let length = i64::try_from(block.len()).expect("short") + by;
    format!("WARC/1.0\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n")
}

fn response(url: &str, block: &str) -> String {
    String::from_utf8(warc::response(url, "06:00:00", "", block.as_bytes())).expect("text")
}

/// Scans records behind a robots.txt that closes nothing, and returns the rows of `pages`.
fn pages(records: &[String]) -> Vec<Fields> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(
        vec![archive("odd.warc", records.concat().into_bytes())],
        folder.path(),
        1,
    );
    resolve(folder.path(), folder.path(), &view());
    rows(folder.path(), "pages")
}

fn noindex(rows: &[Fields]) -> Vec<String> {
    rows.iter()
        .map(|row| format!("{} {}", row.shown("fetch_status"), row.shown("tag_noindex")))
        .collect()
}

#[test]
fn wild_status_lines_of_other_versions_or_without_a_reason() {
    for status in [
        "HTTP/2 200",
        "HTTP/2.0 200 ",
        "HTTP/1.1 200",
        "http/1.0 200 OK",
        "HTTP/1.1 200 OK200 OK",
    ] {
        let rows = pages(&[response(
            "https://a.example/",
            &HTML.replace("HTTP/1.1 200 OK", status),
        )]);
        assert_eq!(noindex(&rows), ["200 true"], "{status}");
    }
}

#[test]
fn wild_folded_and_broken_header_lines_and_doubled_carriage_returns() {
    for (from, to) in [
        ("X-Robots-Tag: noindex", "X-Robots-Tag:\r\n  noindex"),
        (
            "X-Robots-Tag: noindex",
            "no field\r\nX-Robots-Tag : noindex",
        ),
        ("\r\n", "\r\r\n"),
        ("\r\n", "\n"),
    ] {
        let rows = pages(&[response("https://a.example/", &HTML.replace(from, to))]);
        assert_eq!(noindex(&rows), ["200 true"], "{to:?}");
    }
}

#[test]
fn wild_versions_in_lower_case_dates_of_arc_urls_with_blanks_and_brackets() {
    let plain = response("https://a.example/", HTML);
    for (from, to) in [
        ("WARC/1.0", "warc/1.0"),
        ("2026-08-10T06:00:00Z", "20260810060000"),
        ("https://a.example/", "<https://a.example/>"),
        ("https://a.example/", " https://a.example/ "),
    ] {
        let rows = pages(&[plain.replace(from, to)]);
        assert_eq!(rows[0].text("url"), Some("https://a.example/"), "{to}");
        assert!(rows[0].shown("fetch_time") != "null", "{to}");
    }
    let inner = pages(&[plain.replace("a.example/", "a.example/a b[c]")]);
    assert_eq!(
        (inner.len(), inner[0].text("url_host_name")),
        (1, Some("a.example"))
    );
    // Beyond the years that tables have: without a time, with a row in `failures`, and never judged by a robots.txt.
    let far = pages(&[plain.replace("2026-08-10", "5088968-11-06")]);
    assert_eq!(
        (far.len(), far[0].shown("fetch_time").as_str()),
        (1, "null")
    );
}

#[test]
fn wild_the_off_by_two_blocks_of_2018_cost_no_record() {
    let fields = "WARC-Type: response\r\nWARC-Date: 2026-08-10T06:00:00Z\r\nWARC-Target-URI: https://a.example/1\r\n";
    for by in [-2, 2] {
        let rows = pages(&[
            record(fields, &format!("{HTML}<p>\r\n"), by),
            response("https://a.example/2", HTML),
        ]);
        assert_eq!(noindex(&rows), ["200 true", "200 true"], "{by}");
    }
}

#[test]
fn wild_a_resource_that_is_an_http_response_and_headers_of_what_is_no_html() {
    for media_type in [
        "application/http;msgtype=response",
        "Application/HTTP; msgtype=\"response\"",
    ] {
        let fields = format!(
            "WARC-Type: resource\r\nContent-Type: {media_type}\r\nWARC-Date: 2026-08-10T06:00:00Z\r\nWARC-Target-URI: https://a.example/\r\n"
        );
        assert_eq!(
            noindex(&pages(&[record(&fields, HTML, 0)])),
            ["200 true"],
            "{media_type}"
        );
    }
    for media_type in ["application/pdf", "image/png", "text/html; charset"] {
        let rows = pages(&[response(
            "https://a.example/x",
            &HTML.replace("text/html", media_type),
        )]);
        assert_eq!(noindex(&rows), ["200 true"], "{media_type}");
    }
}

#[test]
fn wild_common_crawls_renamed_headers_do_not_undo_what_is_undone() {
    let renamed = "X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: chunked\r\nX-Crawler-Content-Length: 3\r\nX-Robots-Tag";
    let html = HTML.replace("X-Robots-Tag", renamed) + "<meta name=robots content=nosnippet>";
    let rows = pages(&[response("https://a.example/", &html.replace("<p>", ""))]);
    assert_eq!(
        (noindex(&rows), rows[0].shown("tag_nosnippet").as_str()),
        (vec!["200 true".to_owned()], "true")
    );
}

#[test]
fn warc_1_1_6_7_a_revisit_of_a_robots_txt_has_the_body_that_it_refers_to() {
    let robots = |kind: &str, at: &str, extra: &str, body: &str| {
        record(
            &format!(
                "WARC-Type: {kind}\r\nWARC-Date: 2026-08-10T{at}Z\r\nWARC-Target-URI: https://a.example/robots.txt\r\n{extra}"
            ),
            &format!("HTTP/1.1 200 OK\r\n\r\n{body}"),
            0,
        )
    };
    let body = "User-agent: *\nDisallow: /closed\n";
    let digest = format!(
        "WARC-Payload-Digest: sha1:{}\r\n",
        BASE32.encode(&Sha1::digest(body))
    );
    let page = response("https://a.example/closed", HTML);
    let first = robots(
        "response",
        "04:00:00",
        &format!("WARC-Record-ID: <urn:uuid:1>\r\n{digest}"),
        body,
    );
    let open = robots("response", "04:30:00", "", "User-agent: *\nAllow: /\n");
    for (named, access) in [
        (digest.as_str(), "disallow"),
        ("WARC-Refers-To: <urn:uuid:1>\r\n", "disallow"),
        ("WARC-Payload-Digest: sha1:\r\n", "unknown"),
        ("WARC-Payload-Digest: sha1:AAAA\r\n", "unknown"),
        ("WARC-Refers-To: <urn:uuid:2>\r\n", "unknown"),
    ] {
        let rows = pages(&[
            first.clone(),
            open.clone(),
            robots("revisit", "05:00:00", named, ""),
            page.clone(),
        ]);
        assert_eq!(rows[0].text("access"), Some(access), "{named}");
    }
}

#[test]
fn read_6_behind_another_head_it_is_unknown_whether_a_file_came() {
    let file = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\nContent-Signal: ai-train=no\n";
    let yes = "HTTP/1.1 200 OK\r\nContent-Signal: ai-train=yes\r\n\r\n";
    for first in [
        "404 Not Found",
        "403 Forbidden",
        "410 Gone",
        "407 Proxy Authentication Required",
        "301 Moved\r\nLocation: https://b.example/",
    ] {
        let block = format!("HTTP/1.1 {first}\r\n\r\n{file}");
        let rows = pages(&[
            response("https://a.example/robots.txt", &block),
            response("https://a.example/", yes),
        ]);
        let found = ["access", "train_ai"].map(|column| rows[0].shown(column));
        assert_eq!(found, ["\"unknown\"", "\"unknown\""], "{first}");
    }
}
