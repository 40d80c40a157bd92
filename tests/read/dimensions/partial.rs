//! READ-5: parts of answers, segments, and bodies without their ends.
//!
//! Crossed: every place at which a body is cut with every way to cut it.

use super::Variants;
use crate::codings::{Coder, chunked};
use crate::message::Message;

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let length = plain.body.len();
    let mut places: Vec<usize> = vec![
        0,
        length / 4,
        length / 2,
        length - length / 4,
        length.saturating_sub(2),
        length.saturating_sub(1),
    ];
    places.dedup();
    for kept in places.into_iter().filter(|kept| *kept < length) {
        add_cuts(variants, kept);
        add_coded_cuts(variants, kept);
    }
    let complete = plain
        .clone()
        .with("Content-Range", format!("bytes 0-{}/{length}", length - 1));
    variants.same(
        "partial",
        "206 that is whole",
        status(complete, "206 Partial Content"),
    );
    for range in [
        "bytes 100-199/1000",
        "bytes 0-99/1000",
        "bytes */1000",
        "items 0-1/2",
        "bytes 0-1000000/*",
        "",
    ] {
        let message = plain.clone().with("Content-Range", range);
        variants.no_new_yes(
            "partial",
            format!("206, {range}"),
            status(message, "206 Partial Content"),
        );
    }
    variants.no_new_yes(
        "partial",
        "206 without a range",
        status(plain.clone(), "206 Partial Content"),
    );
    let multipart = plain
        .clone()
        .typed(Some("multipart/byteranges; boundary=a"));
    variants.no_new_yes(
        "partial",
        "206 with parts",
        status(multipart, "206 Partial Content"),
    );
    add_lengths(variants);
    for (name, message) in empty(plain) {
        variants.no_new_yes("partial", name, message);
    }
}

fn status(mut message: Message, status: &str) -> Message {
    message.status_line = format!("HTTP/1.1 {status}").into_bytes();
    message
}

/// Adds bodies of which only the first bytes were received.
fn add_cuts(variants: &mut Variants<'_>, kept: usize) {
    let plain = variants.plain;
    let (first, rest) = plain.body.split_at(kept);
    let cut = plain.with_body(first.to_vec());
    let whole = plain.body.len();
    for reason in [
        "length",
        "time",
        "disconnect",
        "unspecified",
        "LENGTH",
        "of its own",
    ] {
        let mut message = cut.clone();
        message.warc_fields = format!("WARC-Truncated: {reason}\r\n");
        variants.no_new_yes(
            "partial",
            format!("WARC-Truncated: {reason} at {kept}"),
            message,
        );
    }
    let range = format!("bytes 0-{}/{whole}", kept.saturating_sub(1));
    variants.no_new_yes(
        "partial",
        format!("206, {range}"),
        status(cut.clone().with("Content-Range", range), "206 Part"),
    );
    for name in [
        "Content-Length",
        "X-Crawler-Content-Length",
        "X-Archive-Orig-Content-Length",
        "x-orig-content-length",
    ] {
        variants.no_new_yes(
            "partial",
            format!("{name} at {kept}"),
            cut.clone().with(name, whole.to_string()),
        );
    }
    let mut segment = cut.clone();
    segment.warc_fields = "WARC-Segment-Number: 1\r\n".to_owned();
    variants.no_new_yes("segment", format!("alone at {kept}"), segment.clone());
    segment.continued = Some(rest.to_vec());
    variants.no_new_yes(
        "segment",
        format!("with its continuation at {kept}"),
        segment.clone(),
    );
    let coded = Coder::Gzip.encode(&plain.body);
    let middle = coded.len() * kept / whole;
    let mut coded_segment = segment
        .with_body(coded[..middle].to_vec())
        .with("Content-Encoding", "gzip");
    coded_segment.continued = Some(coded[middle..].to_vec());
    variants.no_new_yes("segment", format!("of gzip at {kept}"), coded_segment);
    let part = chunked(first, whole.max(1));
    let part = part.strip_suffix(b"0\r\n\r\n").unwrap_or(&part);
    let chunks = |bytes: Vec<u8>| plain.with_body(bytes).with("Transfer-Encoding", "chunked");
    variants.no_new_yes(
        "partial",
        format!("no last chunk at {kept}"),
        chunks(part.to_vec()),
    );
    if kept > 0 {
        variants.no_new_yes(
            "partial",
            format!("no length at {kept}"),
            chunks([part, b"no length\r\n"].concat()),
        );
    }
    let declared = [format!("{whole:x}\r\n").as_bytes(), first].concat();
    variants.no_new_yes(
        "partial",
        format!("a short chunk at {kept}"),
        chunks(declared),
    );
}

/// Adds bodies that are cut inside of a coding. Fewer bytes than these may be a short text as well.
fn add_coded_cuts(variants: &mut Variants<'_>, kept: usize) {
    let plain = variants.plain;
    for coder in [
        Coder::Gzip,
        Coder::Zlib,
        Coder::RawDeflate,
        Coder::Br,
        Coder::Zstd,
    ] {
        let coded = coder.encode(&plain.body);
        let end = (coded.len() * kept / plain.body.len())
            .max(16)
            .min(coded.len() - 1);
        let cut = plain.with_body(coded[..end].to_vec());
        for name in [coder.names()[0], ""] {
            let cut = if name.is_empty() {
                cut.clone()
            } else {
                cut.clone().with("Content-Encoding", name)
            };
            variants.no_new_yes(
                "partial",
                format!("{coder:?} named {name:?} cut at {end}"),
                cut,
            );
        }
        let mut damaged = coded.clone();
        damaged[end - 1] ^= 0x10;
        let damaged = plain
            .with_body(damaged)
            .with("Content-Encoding", coder.names()[0]);
        // Without a checksum a flipped bit may give another text.
        if matches!(coder, Coder::Gzip | Coder::Zlib) && plain.metas.is_empty() {
            variants.no_new_yes("partial", format!("{coder:?} damaged at {end}"), damaged);
        }
    }
}

/// Adds lengths that the body does have, or that count other bytes than the stored ones.
fn add_lengths(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let length = plain.body.len();
    let gzip = Coder::Gzip.encode(&plain.body);
    variants.same(
        "partial",
        "its length",
        plain.clone().with("Content-Length", length.to_string()),
    );
    variants.same(
        "partial",
        "no number as length",
        plain.clone().with("Content-Length", "none"),
    );
    let coded = plain
        .with_body(gzip.clone())
        .with("Content-Encoding", "gzip");
    variants.same(
        "partial",
        "its length under gzip",
        coded.clone().with("Content-Length", gzip.len().to_string()),
    );
    variants.no_new_yes(
        "partial",
        "short under gzip",
        coded.with("Content-Length", (gzip.len() + 9).to_string()),
    );
    let decoded = plain.clone().with("Content-Encoding", "gzip");
    for bytes in [gzip.len(), length + 100] {
        let message = decoded.clone().with("Content-Length", bytes.to_string());
        variants.same(
            "partial",
            format!("stored decoded, length {bytes}"),
            message,
        );
        let renamed = plain.clone().with("X-Crawler-Content-Encoding", "gzip");
        let renamed = renamed.with("X-Crawler-Content-Length", bytes.to_string());
        variants.same(
            "partial",
            format!("stored decoded, renamed length {bytes}"),
            renamed,
        );
    }
    let renamed = plain
        .clone()
        .with("X-Crawler-Transfer-Encoding", "chunked")
        .with("Content-Length", length.to_string());
    variants.same("partial", "stored without chunks", renamed);
}

/// Returns empty bodies of which a field says that they are none.
fn empty(plain: &Message) -> Vec<(&'static str, Message)> {
    let empty = plain.with_body(Vec::new());
    let mut found: Vec<(&str, Message)> = ["gzip", "deflate", "br", "zstd", "\"gzip\"", "gzip, br"]
        .map(|name| {
            (
                "empty under a coding",
                empty.clone().with("Content-Encoding", name),
            )
        })
        .into();
    found.push((
        "empty under chunked",
        empty.clone().with("Transfer-Encoding", "chunked"),
    ));
    found.push((
        "empty under gzip and chunked",
        empty.clone().with("Transfer-Encoding", "gzip, chunked"),
    ));
    found.push((
        "empty with a length",
        empty.clone().with("Content-Length", "20"),
    ));
    found.push((
        "a chunk of nothing",
        plain
            .with_body(b"\r\n".to_vec())
            .with("Transfer-Encoding", "chunked"),
    ));
    found
}
