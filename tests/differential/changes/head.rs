//! What happens to the head of a response, and to how much of it an archive has.

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::message::Message;

pub fn all() -> Vec<Change> {
    let heads = of_level(
        Level::Head,
        &[
            ("100 before it", Yes, |m| {
                front(m, b"HTTP/1.1 100 Continue\r\n\r\n")
            }),
            ("103 before it", Yes, |m| {
                front(m, b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nContent-Encoding: br\r\n\r\n")
            }),
            ("a proxy's answer before it", Yes, |m| {
                front(m, b"HTTP/1.1 200 Connection established\r\n\r\n")
            }),
            ("an empty line before it", Yes, |m| front(m, b"\r\n")),
            ("HTTP/2", Yes, |m| status_line(m, "HTTP/2 200")),
            ("no reason", Yes, |m| status_line(m, "HTTP/1.1 200")),
            ("http in lower case", Yes, |m| {
                status_line(m, "http/1.0 200 ok")
            }),
            ("203", Yes, |m| {
                status_line(m, "HTTP/1.1 203 Non-Authoritative Information")
            }),
            ("heads with LF", Yes, |m| ended(m, b"\n")),
            ("heads with CR CR LF", Yes, |m| ended(m, b"\r\r\n")),
            ("fields in capitals", Yes, |m| {
                fields(m, str::to_ascii_uppercase)
            }),
            ("fields in lower case", Yes, |m| {
                fields(m, str::to_ascii_lowercase)
            }),
            ("a blank before each colon", Yes, |m| {
                fields(m, |name| format!("{name} "))
            }),
            ("values folded", Yes, folded),
            ("blanks around values", Yes, |m| {
                values(m, |value| [b" \t", value, b" \t"].concat())
            }),
            ("every field twice", Yes, |m| {
                let fields = m.fields.iter().chain(
                    m.fields
                        .iter()
                        .filter(|(name, _)| !name.to_ascii_lowercase().ends_with("encoding")),
                );
                Some(Message {
                    fields: fields.cloned().collect(),
                    ..m.clone()
                })
            }),
            ("fields in another order", Yes, |m| {
                let fields: Vec<_> = m.fields.iter().rev().cloned().collect();
                // The order of codings has a meaning.
                let is_coding = |(name, _): &&(String, Vec<u8>)| {
                    name.to_ascii_lowercase().ends_with("encoding")
                };
                let has_order = m.fields.iter().filter(is_coding).count() > 1;
                (m.fields.len() > 1 && !has_order).then(|| Message {
                    fields,
                    ..m.clone()
                })
            }),
            ("cookies and policies", Yes, |m| {
                let others = m
                    .clone()
                    .with("Set-Cookie", "a=b; Path=/")
                    .with("Content-Security-Policy", "default-src 'self'");
                Some(
                    others
                        .with("Server", "nginx")
                        .with("Vary", "Accept-Encoding"),
                )
            }),
            ("forty other fields", Yes, |m| {
                Some((0..40).fold(m.clone(), |m, at| m.with(&format!("X-Other-{at}"), "value")))
            }),
            ("a field without a colon", No, |m| {
                Some(m.clone().with("a line that is no field\r\nX-A", "b"))
            }),
            ("no type", No, |m| {
                begins_as_page(m).then(|| m.clone().typed(None))
            }),
            ("two types", No, |m| {
                Some(m.clone().with("Content-Type", "text/html"))
            }),
            ("no type that is known", No, |m| {
                begins_as_page(m).then(|| m.clone().typed(Some("application/unknown")))
            }),
        ],
    );
    heads.into_iter().chain(extents()).collect()
}

fn extents() -> Vec<Change> {
    of_level(
        Level::Extent,
        &[
            ("its length", Yes, |m| {
                Some(m.clone().with("Content-Length", m.body.len().to_string()))
            }),
            ("a longer length", No, |m| {
                Some(
                    m.clone()
                        .with("Content-Length", (m.body.len() + 9).to_string()),
                )
            }),
            ("a renamed length", No, |m| {
                Some(
                    m.clone()
                        .with("X-Crawler-Content-Length", (m.body.len() + 9).to_string()),
                )
            }),
            ("all as a part", Yes, |m| {
                part(m, 0, m.body.len(), m.body.len())
            }),
            ("a first part", No, |m| {
                part(m, 0, m.body.len() * 2 / 3, m.body.len())
            }),
            ("a last part", No, |m| {
                part(m, m.body.len() / 3, m.body.len(), m.body.len())
            }),
            ("a part without a range", No, |m| {
                status_line(m, "HTTP/1.1 206 Partial Content")
            }),
            ("truncated by length", No, |m| truncated(m, "length")),
            ("truncated by time", No, |m| truncated(m, "time")),
            ("truncated, and nothing is missing", No, |m| {
                Some(Message {
                    warc_fields: "WARC-Truncated: disconnect\r\n".to_owned(),
                    ..m.clone()
                })
            }),
            ("a segment", No, |m| {
                Some(Message {
                    warc_fields: "WARC-Segment-Number: 1\r\n".to_owned(),
                    ..m.with_body(m.body[..m.body.len() / 2].to_vec())
                })
            }),
            ("half of it, by its length", No, |m| {
                // READ-5: under a coding that the stored bytes lack, the length counts other bytes.
                let is_coding =
                    |(name, _): &(String, Vec<u8>)| name.to_ascii_lowercase().ends_with("encoding");
                (!m.fields.iter().any(is_coding)).then(|| {
                    m.with_body(m.body[..m.body.len() / 2].to_vec())
                        .with("Content-Length", m.body.len().to_string())
                })
            }),
            ("nothing in chunks", No, |m| {
                Some(m.with_body(Vec::new()).with("Transfer-Encoding", "chunked"))
            }),
            ("nothing under gzip", No, |m| {
                Some(m.with_body(Vec::new()).with("Content-Encoding", "gzip"))
            }),
            ("a head that is cut", No, |m| {
                let head = m.head();
                let cut = head[..head.len() - 3].to_vec();
                Some(Message {
                    before: cut,
                    status_line: Vec::new(),
                    line_end: b"",
                    fields: Vec::new(),
                    body: Vec::new(),
                    ..m.clone()
                })
            }),
        ],
    )
}

/// READ-7: where no type is named, text is no page.
fn begins_as_page(message: &Message) -> bool {
    !message.is_page() || message.body.starts_with(b"<")
}

fn front(message: &Message, head: &[u8]) -> Option<Message> {
    Some(Message {
        before: [head, &message.before].concat(),
        ..message.clone()
    })
}

fn status_line(message: &Message, line: &str) -> Option<Message> {
    Some(Message {
        status_line: line.as_bytes().to_vec(),
        ..message.clone()
    })
}

fn ended(message: &Message, line_end: &'static [u8]) -> Option<Message> {
    Some(Message {
        line_end,
        ..message.clone()
    })
}

fn fields(message: &Message, rename: impl Fn(&str) -> String) -> Option<Message> {
    let fields = message
        .fields
        .iter()
        .map(|(name, value)| (rename(name), value.clone()))
        .collect();
    Some(Message {
        fields,
        ..message.clone()
    })
}

fn values(message: &Message, change: impl Fn(&[u8]) -> Vec<u8>) -> Option<Message> {
    let fields = message
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), change(value)))
        .collect();
    Some(Message {
        fields,
        ..message.clone()
    })
}

fn folded(message: &Message) -> Option<Message> {
    values(message, |value| [b"\r\n\t", value].concat())
}

fn part(message: &Message, first: usize, end: usize, whole: usize) -> Option<Message> {
    let body = message.body.get(first..end)?.to_vec();
    let range = format!("bytes {first}-{}/{whole}", end.checked_sub(1)?);
    status_line(
        &message.with_body(body).with("Content-Range", range),
        "HTTP/1.1 206 Partial Content",
    )
}

fn truncated(message: &Message, reason: &str) -> Option<Message> {
    let half = message.body[..message.body.len() / 2].to_vec();
    Some(Message {
        warc_fields: format!("WARC-Truncated: {reason}\r\n"),
        ..message.with_body(half)
    })
}
