//! The head scanner, against the forms a strict parser accepts and those it refuses.

use crate::random::one_of;
use crawlprefs::evidence::http_head::{
    HeadEnd, HeadField, HttpHead, MAX_HEAD_BYTES, MAX_VALUE_BYTES, ValueExtent,
};
use fastrand::Rng;
use std::borrow::Cow;

fn head(block: &[u8]) -> HttpHead<'_> {
    HttpHead::parse(block).expect("the block starts with a status line")
}

/// Returns the value of the first field of a name.
fn field<'a>(head: &HttpHead<'a>, name: &str) -> Option<Cow<'a, [u8]>> {
    let is_named = |field: &HeadField<'_>| field.name.eq_ignore_ascii_case(name.as_bytes());
    head.fields().find(is_named).map(|field| field.value)
}

/// The fields as `name=value`, joined by `|`.
fn fields(block: &[u8]) -> String {
    let shown = head(block).fields().map(|field| {
        let name = String::from_utf8_lossy(field.name);
        format!("{name}={}", String::from_utf8_lossy(&field.value))
    });
    shown.collect::<Vec<_>>().join("|")
}

fn status(line: &str) -> Option<u16> {
    head(format!("{line}\r\nA: 1\r\n\r\nbody").as_bytes()).status
}

fn lines_that_are_no_field(head: &HttpHead<'_>) -> usize {
    let lines = head.fields_and_other_lines();
    lines.filter(Option::is_none).count()
}

#[test]
fn rfc9112_4_status_lines() {
    for (line, expected) in [
        ("HTTP/1.1 200 OK", Some(200)),
        ("HTTP/1.0 404 file does not exist", Some(404)),
        ("HTTP/1.1 200 ", Some(200)),
        ("HTTP/1.1 200", Some(200)),
        ("HTTP/1.1 999 Request denied", Some(999)),
        ("HTTP/1.1 100 Continue", Some(100)),
        ("HTTP/1.1 099 Too low", None),
        ("HTTP/1.1 20 OK", None),
        ("HTTP/1.1 OK", None),
        ("HTTP/1.1 ", None),
        ("HTTP/1.1", None),
    ] {
        assert_eq!(status(line), expected, "{line}");
    }
}

/// Ours: a strict parser gives an error for each of these.
#[test]
fn local_lenient_status_lines() {
    for (line, expected) in [
        ("HTTP/2 200", Some(200)),
        ("HTTP/2.0 200 OK", Some(200)),
        ("HTTP/3 200", Some(200)),
        ("http/1.1 200 OK", Some(200)),
        ("ICY 200 OK", Some(200)),
        ("HTTP/1.1  200 OK", Some(200)),
        ("HTTP/1.1\t200 OK", Some(200)),
        ("HTTP/1.1 200 O\x07K\x1b", Some(200)),
        ("HTTP/1.1 200 \u{fc}blich", Some(200)),
        ("HTTP/1.1 2000 OK", None),
        ("HTTP/1.1 OK 200", None),
        ("HTTP/1.1200 OK", None),
        ("HTTP/ 204", Some(204)),
    ] {
        assert_eq!(status(line), expected, "{line}");
    }
}

/// Malformed lines of the archives of other tools.
#[test]
fn wild_repeated_reason() {
    assert_eq!(status("HTTP/1.1 200 OK200 OK"), Some(200));
    assert_eq!(status("HTTP/1.1 200OK"), Some(200));
}

#[test]
fn rfc9112_2_2_leading_empty_lines_are_skipped() {
    let block = b"\r\n\nHTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody";
    assert_eq!(fields(block), "A=1");
    assert_eq!(&block[head(block).body_start..], b"body");
}

#[test]
fn local_a_block_without_a_status_line_is_no_head() {
    for block in [
        &b""[..],
        b"\r\n\r\n",
        b"HTTP",
        b"<html>",
        b"Content-Type: text/html\r\n\r\n",
        b"ICYCLE",
        b" HTTP/1.1 200 OK\r\n\r\n",
    ] {
        assert!(HttpHead::parse(block).is_none(), "{block:?}");
    }
}

#[test]
fn rfc9112_5_field_lines() {
    for (lines, expected) in [
        ("A: 1\r\nB: 2\r\n", "A=1|B=2"),
        ("A: 1\nB: 2\n", "A=1|B=2"),
        ("A: 1\nB: 2\r\n", "A=1|B=2"),
        ("A:1\r\nB:\t 2 \t\r\n", "A=1|B=2"),
        ("A:\r\nB: \r\n", "A=|B="),
        ("A: 1\r\na: 2\r\nA: 1\r\n", "A=1|a=2|A=1"),
        ("A: b: c\r\n", "A=b: c"),
        ("A: caf\u{e9}\r\n", "A=caf\u{e9}"),
        ("", ""),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\nbody");
        assert_eq!(fields(block.as_bytes()), expected, "{lines:?}");
        assert_eq!(head(block.as_bytes()).end, HeadEnd::BlankLine, "{lines:?}");
        assert_eq!(
            lines_that_are_no_field(&head(block.as_bytes())),
            0,
            "{lines:?}"
        );
    }
}

#[test]
fn rfc9112_5_2_folded_lines_are_joined_by_one_space() {
    for (lines, expected) in [
        ("A: 1\r\n 2\r\nB: 3\r\n", "A=1 2|B=3"),
        ("A: 1 \r\n\t  2\r\n 3\r\n", "A=1 2 3"),
        ("A:\r\n 2\r\n", "A=2"),
        ("A: 1\r\n \r\n 2\r\n", "A=1 2"),
        ("A: 1\r\n \r\n", "A=1"),
        ("A: 1\n b: 2\n", "A=1 b: 2"),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\nbody");
        assert_eq!(fields(block.as_bytes()), expected, "{lines:?}");
    }
}

#[test]
fn local_lines_that_are_no_field_are_skipped() {
    for (lines, expected, count) in [
        (" folded: onto nothing\r\nA: 1\r\n", "A=1", 1),
        ("A: 1\r\nno colon\r\nB: 2\r\n", "A=1|B=2", 1),
        ("A: 1\r\nno colon\r\n b: 2\r\nC: 3\r\n", "A=1|C=3", 1),
        ("one\r\ntwo\r\n", "", 2),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\nbody");
        assert_eq!(fields(block.as_bytes()), expected, "{lines:?}");
        let counted = lines_that_are_no_field(&head(block.as_bytes()));
        assert_eq!(counted, count, "{lines:?}");
    }
}

/// Names such as `Power by` and blanks before the colon are in Common Crawl.
#[test]
fn wild_odd_names_are_kept_raw() {
    for (line, expected) in [
        ("A : 1", "A=1"),
        ("A\t: 1", "A=1"),
        (": 1", "=1"),
        ("Power by: PHP", "Power by=PHP"),
        ("[@x: 1", "[@x=1"),
        ("gr\u{f6}\u{df}e: 1", "gr\u{f6}\u{df}e=1"),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\n");
        assert_eq!(fields(block.as_bytes()), expected, "{line:?}");
    }
}

#[test]
fn local_control_bytes_in_a_value_are_kept() {
    let block = b"HTTP/1.1 200 OK\r\nA: \x00\x1b\x7f\rb\xff\r\r\n\r\n";
    let value = field(&head(block), "a");
    assert_eq!(value.as_deref(), Some(&b"\x00\x1b\x7f\rb\xff"[..]));
}

#[test]
fn local_several_carriage_returns_end_a_line() {
    let block = b"HTTP/1.1 200 OK\r\r\nA: 1\r\r\n\r\r\nbody";
    assert_eq!(fields(block), "A=1");
    assert_eq!(head(block).status, Some(200));
    assert_eq!(&block[head(block).body_start..], b"body");
}

#[test]
fn rfc9110_5_3_repeated_fields_keep_their_order() {
    let block = b"HTTP/1.1 200 OK\r\nContent-Usage: a\r\nX: y\r\ncontent-usage: b\r\n\r\n";
    let head = head(block);
    assert_eq!(field(&head, "CONTENT-USAGE").as_deref(), Some(&b"a"[..]));
    assert_eq!(fields(block), "Content-Usage=a|X=y|content-usage=b");
    assert_eq!(
        (field(&head, "content-usag"), field(&head, "none")),
        (None, None)
    );
}

#[test]
fn local_a_head_that_is_cut_off_keeps_its_fields() {
    let block = b"HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\nbody";
    for length in 6..block.len() - 4 {
        let head = head(&block[..length]);
        assert_eq!(head.end, HeadEnd::Missing, "{length}");
        assert_eq!(head.body_start, length);
        assert_eq!(
            lines_that_are_no_field(&head),
            usize::from(matches!(length, 18 | 24))
        );
    }
    let cut = head(b"HTTP/1.1 200 OK\r\nA: 1\r\nB: 2");
    let extents: Vec<_> = cut.fields().map(|field| field.extent).collect();
    assert_eq!(extents, [ValueExtent::Whole, ValueExtent::Cut]);
}

#[test]
fn local_more_fields_than_a_parser_has_slots_for() {
    let mut block = b"HTTP/1.1 200 OK\r\n".to_vec();
    for n in 0..5000 {
        block.extend_from_slice(format!("N{n}: {n}\r\n").as_bytes());
    }
    block.extend_from_slice(b"\r\n");
    assert_eq!(head(&block).fields().count(), 5000);
    assert_eq!(field(&head(&block), "n4999").as_deref(), Some(&b"4999"[..]));
}

#[test]
fn local_long_values_are_cut_and_flagged() {
    for (separator, length) in [("", 1), ("\r\n ", 1), ("", MAX_VALUE_BYTES)] {
        let value = "x".repeat(MAX_VALUE_BYTES);
        let more = "y".repeat(length);
        let block = format!("HTTP/1.1 200 OK\r\nA: {value}{separator}{more}\r\nB: 1\r\n\r\n");
        let mut fields = head(block.as_bytes()).fields();
        let long = fields.next().expect("the long field");
        assert_eq!(long.extent, ValueExtent::Cut);
        assert_eq!(&*long.value, value.as_bytes());
        assert_eq!(
            fields.next().map(|field| field.extent),
            Some(ValueExtent::Whole)
        );
    }
    let value = "x".repeat(MAX_VALUE_BYTES);
    let block = format!("HTTP/1.1 200 OK\r\nA: {value}\r\n\r\n");
    let field = head(block.as_bytes()).fields().next();
    assert_eq!(field.map(|field| field.extent), Some(ValueExtent::Whole));
}

#[test]
fn local_a_head_over_the_cap_never_ends() {
    let line = "Name: value\r\n";
    let lines = line.repeat(MAX_HEAD_BYTES / line.len() + 1);
    let block = format!("HTTP/1.1 200 OK\r\n{lines}\r\nbody");
    let head = head(block.as_bytes());
    assert_eq!(head.end, HeadEnd::Missing);
    assert_eq!(head.body_start, block.len());
    assert!(head.fields().count() > 1000);
}

/// CC-MAIN-2020-34: renamed codings, the length added by the crawler.
#[test]
fn wild_common_crawl_http_1() {
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\
        X-Crawler-Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n\
        X-Crawler-Content-Length: 10355\r\nContent-Length: 36331\r\n\r\n<html>";
    let head = head(block);
    assert_eq!(head.status, Some(200));
    assert_eq!(field(&head, "content-encoding"), None);
    assert_eq!(
        field(&head, "content-length").as_deref(),
        Some(&b"36331"[..])
    );
    assert_eq!(&block[head.body_start..], b"<html>");
}

/// CC-MAIN-2025-33: no reason, but its space; lower-case names.
#[test]
fn wild_common_crawl_http_2() {
    let block = b"HTTP/1.1 200 \r\ndate: Mon, 04 Aug 2025 10:33:29 GMT\r\n\
        content-type: text/html\r\nX-Crawler-content-encoding: gzip\r\n\
        alt-svc: h3=\":443\"; ma=86400\r\nContent-Length: 25840\r\n\r\n";
    let head = head(block);
    assert_eq!(head.status, Some(200));
    assert_eq!(head.fields().count(), 5);
    assert_eq!(
        field(&head, "Content-Type").as_deref(),
        Some(&b"text/html"[..])
    );
    assert_eq!(head.body_start, block.len());
    assert_eq!(head.end, HeadEnd::BlankLine);
}

#[test]
fn local_random_bytes_keep_the_rules() {
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let alphabet = b"\r\n\t :aA1\x00\xff";
    for round in 0..20_000 {
        let mut block = b"HTTP/1.1 200 OK\r\n".to_vec();
        block.extend((0..round % 60).map(|_| one_of(&mut random, alphabet)));
        let head = head(&block);
        assert!(head.body_start <= block.len());
        for found in head.fields() {
            assert!(!found.value.contains(&b'\n'));
            assert!(!found.value.starts_with(b" ") && !found.value.ends_with(b"\t"));
            let name = std::str::from_utf8(found.name).unwrap_or_default();
            assert!(name.is_empty() || field(&head, name).is_some());
        }
    }
}

fn names(head: &HttpHead<'_>) -> Vec<String> {
    head.fields()
        .map(|field| String::from_utf8_lossy(field.name).to_ascii_lowercase())
        .collect()
}

#[test]
fn read_6_interim_responses_and_tunnels_precede_the_head() {
    let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Usage: train-ai=n\r\nContent-Type: a/b\r\n\r\n";
    let real = "HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\n\r\n<html>";
    for before in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 200 Connection Established\r\nProxy-Agent: a\r\n\r\n",
        "HTTP/1.1 102 Processing\n\n",
        "HTTP/1.0 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
        early,
    ] {
        let block = format!("{before}{real}");
        let head = head(block.as_bytes());
        assert_eq!(
            (head.status, head.end),
            (Some(503), HeadEnd::BlankLine),
            "{before}"
        );
        assert_eq!(&block[head.body_start..], "<html>", "{before}");
        assert_eq!(
            field(&head, "content-type").as_deref(),
            Some(&b"text/html"[..]),
            "{before}"
        );
        assert!(head.is_final());
    }
    let both = format!("{early}{real}");
    assert_eq!(
        names(&head(both.as_bytes())),
        ["link", "content-usage", "content-type"]
    );
}

#[test]
fn read_24_fields_of_a_proxys_answer_are_known_as_such() {
    let real = "HTTP/1.1 200 OK\r\nSearch: y\r\n\r\n";
    let of_proxies = |before: &str| {
        let block = format!("{before}{real}");
        let fields = head(block.as_bytes()).fields_of_proxies();
        fields
            .map(|field| String::from_utf8_lossy(field.name).into_owned())
            .collect::<Vec<_>>()
    };
    let proxys = "HTTP/1.1 200 Connection established\r\nContent-Signal: ai-train=yes\r\nContent-Length: 0\r\n\r\n";
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    assert_eq!(of_proxies(proxys), ["Content-Signal"]);
    assert_eq!(
        of_proxies(&format!("{proxys}{interim}")),
        ["Content-Signal"]
    );
    assert_eq!((of_proxies(interim), of_proxies("")), (vec![], vec![]));
}

#[test]
fn read_6_an_interim_head_alone_is_not_the_head() {
    for block in [
        "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n<html>",
    ] {
        assert!(!head(block.as_bytes()).is_final(), "{block}");
    }
    let cut = head(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b");
    assert_eq!((cut.status, cut.end), (Some(200), HeadEnd::Missing));
    for block in [
        "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 404 Gone\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 404 Gone\r\n\r\n",
        "HTTP/1.1 200 Connection established\r\n\r\nUser-agent: *",
    ] {
        assert_ne!(head(block.as_bytes()).status, Some(404), "{block}");
        assert!(head(block.as_bytes()).is_final(), "{block}");
    }
}
