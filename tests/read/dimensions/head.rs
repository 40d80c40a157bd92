//! READ-6: heads in front of heads, and heads as servers write them.
//!
//! Crossed: every head in front with every way to write the head.

use super::{Expected, Variants};
use crate::message::Message;

const BEFORE: [(&str, &[u8]); 9] = [
    ("nothing", b""),
    ("100", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ("102 and 100", b"HTTP/1.1 102 Processing\r\nServer: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
    ("103", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nContent-Type: image/png\r\n\r\n"),
    ("103 with codings", b"HTTP/1.1 103 Early Hints\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
    ("199", b"HTTP/1.0 199\n\n"),
    ("a proxy's", b"HTTP/1.0 200 Connection established\r\n\r\n"),
    ("a proxy's with a field", b"HTTP/1.1 200 Connection Established\r\nProxy-agent: squid\r\n\r\n"),
    ("a proxy's and 100", b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
];

const STATUS_LINES: [&[u8]; 8] = [
    b"HTTP/1.1 200 OK",
    b"HTTP/1.1 200",
    b"HTTP/1.1 200 ",
    b"HTTP/2 200",
    b"http/1.0  200  OK",
    b"HTTP/1.1\t200\tSehr gut \xe4",
    b"ICY 200 OK",
    b"HTTP/1.1 203 Non-Authoritative Information",
];

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    for (front, before) in BEFORE {
        for status_line in STATUS_LINES {
            for line_end in [&b"\r\n"[..], b"\n", b"\r\r\n"] {
                let message = Message {
                    before: before.to_vec(),
                    status_line: status_line.to_vec(),
                    line_end,
                    ..plain.clone()
                };
                let label = format!(
                    "{front}, {}, {line_end:?}",
                    String::from_utf8_lossy(status_line)
                );
                variants.same("head", label, message);
            }
        }
        // What the last head says counts.
        for status in ["503 Service Unavailable", "301 Moved"] {
            let status_line = format!("HTTP/1.1 {status}").into_bytes();
            let message = Message {
                before: before.to_vec(),
                status_line,
                ..plain.clone()
            };
            variants.push(
                "head",
                format!("{front}, {status}"),
                Expected::NoNewAccess,
                message,
            );
        }
    }
    add_fields(variants);
}

/// Adds heads whose fields are folded, in other letters, or cut.
fn add_fields(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let renamed = |rename: &dyn Fn(&str) -> String| {
        let fields = plain
            .fields
            .iter()
            .map(|(name, value)| (rename(name), value.clone()))
            .collect();
        Message {
            fields,
            ..plain.clone()
        }
    };
    variants.same(
        "head",
        "upper case",
        renamed(&|name| name.to_ascii_uppercase()),
    );
    variants.same(
        "head",
        "lower case",
        renamed(&|name| name.to_ascii_lowercase()),
    );
    variants.same(
        "head",
        "a blank before the colon",
        renamed(&|name| format!("{name} ")),
    );
    let fold = |value: &[u8]| [b"\r\n\t", value].concat();
    let folded = plain
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), fold(value)))
        .collect();
    variants.same(
        "head",
        "folded",
        Message {
            fields: folded,
            ..plain.clone()
        },
    );
    variants.same(
        "head",
        "an empty line in front",
        Message {
            before: b"\r\n".to_vec(),
            ..plain.clone()
        },
    );
    let head = plain.head();
    for kept in [head.len() - 2, head.len() - 3, head.len() / 2, 20] {
        let cut = head.get(..kept).unwrap_or(&head).to_vec();
        // The head as what is in front of a message without any.
        let message = Message {
            before: cut,
            status_line: Vec::new(),
            line_end: b"",
            fields: Vec::new(),
            body: Vec::new(),
            ..plain.clone()
        };
        variants.no_new_yes("head", format!("cut at {kept}"), message);
    }
}
