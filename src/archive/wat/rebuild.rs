//! The block of a record that a WAT describes, rebuilt from the data in the WAT.
//!
//! Example: `"Headers":{"Content-Type":"text/html"}` and `"Metas":[{"name":"robots","content":"noindex"}]` give
//! `Content-Type: text/html`, an empty line, `<meta name="robots" content="noindex">`. The readers of HTTP and HTML heads read
//! it as they read the page. Left out: the order of fields with one name relative to others; from the HTML head, attributes
//! that state nothing there: all except those of metas and licences, and links without licences.

use super::super::{Unread, head::number};
use super::{Envelope, Json, json::decode};
use memchr::{memchr, memmem};

/// UTF-8, whatever the header says, because JSON is. And HTML, if the header says nothing.
const HTML_START: &[u8] = b"\xef\xbb\xbf<head>";
/// A longer block is not made, because a name may have many values.
const BLOCK_BYTES: usize = 16 << 20;
/// The start of the name of a field that is not to be undone.
const RENAMED: &[u8] = b"X-Crawler-";

/// The elements of the HTML head, and the attributes read from them: nothing is read if one has neither of the first two.
const ELEMENTS: [(&[u8], [&[u8]; 3]); 2] = [
    (b"<meta", [b"name", b"http-equiv", b"content"]),
    (b"<link", [b"rel", b"href", b"type"]),
];

/// Appends the block to `block`; returns the parts that are not kept, and its length including the missing body.
pub fn block(envelope: &Envelope<'_>, block: &mut Vec<u8>) -> (Unread, u64) {
    if let [Some(fields)] = envelope.metadata {
        let is_read = metadata_fields(fields, block).is_some();
        return (
            Unread {
                body: !is_read,
                ..Unread::default()
            },
            block.len() as u64,
        );
    }
    let Some(headers_length) = envelope.headers_length.and_then(number) else {
        return (
            Unread {
                header: true,
                meta: true,
                body: true,
                archive: false,
            },
            0,
        );
    };
    let renamed = status_line(envelope, block).and_then(|()| header_fields(envelope, block));
    // The length of the head, in characters, if it were written as usual. A byte of the head is one character at most, so a sum
    // of bytes could be right although a field is lost (READ-12).
    let characters = block.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    let written = renamed.map(|count| (characters - count * RENAMED.len()) as u64);
    let is_reasonless = matches!(envelope.status_line, [.., None | Some([])]);
    // A status line without a reason may also lack the blank before it.
    let more = written.and_then(|written| written.checked_sub(headers_length));
    let kept = more == Some(0) || (is_reasonless && more == Some(1));
    let declared = envelope.field(b"Content-Length").and_then(number);
    let body_bytes = declared.unwrap_or(0).saturating_sub(headers_length);
    // Without a length, it is unknown whether there was a body.
    let may_have_body = declared.is_none() || body_bytes > 0;
    let length = (block.len() as u64).saturating_add(body_bytes);
    let head = html_head(envelope, block);
    (
        Unread {
            header: !kept,
            meta: may_have_body || head.is_none(),
            body: true,
            archive: false,
        },
        length,
    )
}

fn status_line(envelope: &Envelope<'_>, block: &mut Vec<u8>) -> Option<()> {
    let [version, status, reason] = envelope.status_line;
    for (part, end) in [
        (version?, b" ".as_slice()),
        (status?, b" "),
        (reason.unwrap_or_default(), b"\r\n"),
    ] {
        append_line(part, block);
        block.extend_from_slice(end);
    }
    Some(())
}

fn metadata_fields(fields: &[u8], block: &mut Vec<u8>) -> Option<()> {
    Json::new(fields).array(&mut |json| {
        let mut field = [None; 2];
        json.values([b"Name", b"Value"], &mut field)?;
        let [name, value] = field;
        append_field(name?, value?, block)
    })
}

/// Appends the fields of the head; returns how many of them are renamed.
fn header_fields(envelope: &Envelope<'_>, block: &mut Vec<u8>) -> Option<usize> {
    let mut renamed = 0;
    let mut json = Json::new(envelope.headers?);
    let read = json.object(&mut |json, name| {
        let mut append = |value| {
            // A missing body has no codings to undo.
            let codings: [&[u8]; 2] = [b"content-encoding", b"transfer-encoding"];
            if codings.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                block.extend_from_slice(RENAMED);
                renamed += 1;
            }
            append_field(name, value, block)
        };
        if json.peek()? != b'[' {
            return append(json.value()?);
        }
        json.array(&mut |json| append(json.value()?))
    });
    block.extend_from_slice(b"\r\n");
    read.map(|()| renamed)
}

/// Appends a field in a line of its own; `None` if the block is too long.
fn append_field(name: &[u8], value: &[u8], block: &mut Vec<u8>) -> Option<()> {
    append_line(name, block);
    block.extend_from_slice(b": ");
    append_line(value, block);
    block.extend_from_slice(b"\r\n");
    (block.len() <= BLOCK_BYTES).then_some(())
}

/// Appends a raw JSON string that must stay in its line.
fn append_line(written: &[u8], block: &mut Vec<u8>) {
    let start = block.len();
    decode(written, block);
    let text = block.get_mut(start..).unwrap_or_default();
    for byte in text
        .iter_mut()
        .filter(|byte| matches!(byte, b'\r' | b'\n' | 0))
    {
        *byte = b' ';
    }
}

/// Appends the HTML head; `None` if it cannot be read or is too long.
fn html_head(envelope: &Envelope<'_>, block: &mut Vec<u8>) -> Option<()> {
    if !envelope.is_html {
        return Some(());
    }
    block.extend_from_slice(HTML_START);
    let [metas, links] = envelope.head;
    let links = links.filter(|links| may_have_license(links));
    for ((start, names), elements) in ELEMENTS.iter().zip([metas, links]) {
        Json::new(elements.unwrap_or(b"[]")).array(&mut |json| {
            element(start, names, json, block)?;
            (block.len() <= BLOCK_BYTES).then_some(())
        })?;
    }
    block.extend_from_slice(b"<body>");
    Some(())
}

fn element(
    start: &[u8],
    names: &[&[u8]; 3],
    json: &mut Json<'_>,
    block: &mut Vec<u8>,
) -> Option<()> {
    let mut values = [None; 3];
    json.object(&mut |json, name| {
        let value = json.value()?;
        // For a link, `path` says that the URL is its `href`.
        let name = if name == b"url" { b"href" } else { name };
        let known = names
            .iter()
            .position(|known| name.eq_ignore_ascii_case(known));
        if let Some(slot) = known.and_then(|known| values.get_mut(known)) {
            slot.get_or_insert(value);
        }
        Some(())
    })?;
    if let [None, None, _] = values {
        return Some(());
    }
    block.extend_from_slice(start);
    for (name, value) in names.iter().zip(values) {
        if let Some(value) = value {
            append_attribute(name, value, block);
        }
    }
    block.push(b'>');
    Some(())
}

/// Returns whether links may have the word `license`, or letters as numeric references or escapes.
fn may_have_license(links: &[u8]) -> bool {
    let is = |byte: u8, letter: u8| byte | 0x20 == letter;
    // Without an early exit, so that many bytes are compared at once.
    let has_word = links
        .array_windows()
        .fold(false, |found, [first, second, third, fourth]| {
            found | (is(*first, b'c') & is(*second, b'e') & is(*third, b'n') & is(*fourth, b's'))
        });
    has_word || memchr(b'\\', links).is_some() || memmem::find(links, b"&#").is_some()
}

/// Appends an attribute. Ours: character references in it are decoded once more, because some writers left them.
fn append_attribute(name: &[u8], value: &[u8], block: &mut Vec<u8>) {
    block.push(b' ');
    block.extend_from_slice(name);
    block.extend_from_slice(b"=\"");
    let mut text = Vec::new();
    decode(value, &mut text);
    for (number, part) in text.split(|byte| *byte == b'"').enumerate() {
        if number > 0 {
            block.extend_from_slice(b"&quot;");
        }
        block.extend_from_slice(part);
    }
    block.push(b'"');
}
