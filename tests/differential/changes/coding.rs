//! What happens to the bytes of a body: charsets, codings, chunks.

use super::Undone::{No, Yes};
use super::{Change, Level, of_level};
use crate::codings::{Coder, chunked};
use crate::message::{Carrier, Message};

const CHUNKED: (&str, &str) = ("Transfer-Encoding", "chunked");

pub fn all() -> Vec<Change> {
    let charsets = of_level(
        Level::Charset,
        &[
            ("UTF-16 with a mark", No, |m| {
                utf_16(m, b"\xff\xfe", u16::to_le_bytes)
            }),
            ("UTF-16 without a mark", No, |m| {
                utf_16(m, b"", u16::to_be_bytes)
            }),
            ("UTF-32", No, |m| {
                text(m, |text| {
                    text.chars()
                        .flat_map(|c| u32::from(c).to_le_bytes())
                        .collect()
                })
            }),
            ("a charset that nobody knows", Yes, |m| {
                page_typed(m, "text/html; charset=utf8mb4")
            }),
            ("ISO-8859-1", Yes, |m| {
                page_typed(m, "text/html; charset=iso-8859-1")
            }),
            ("ISO-2022-JP", Yes, |m| {
                page_typed(m, "text/html; charset=iso-2022-jp")
            }),
            ("UTF-7", No, |m| page_typed(m, "text/html; charset=utf-7")),
        ],
    );
    let chunks = of_level(
        Level::Chunks,
        &[
            ("chunks", Yes, |m| wire(m, chunked(&m.body, 7), &[CHUNKED])),
            ("chunks in capitals", Yes, |m| {
                wire(
                    m,
                    chunked(&m.body, 300),
                    &[("TRANSFER-ENCODING", "Chunked")],
                )
            }),
            ("one chunk", Yes, |m| {
                wire(m, chunked(&m.body, m.body.len().max(1)), &[CHUNKED])
            }),
            ("chunks that nothing names", No, |m| {
                wire(m, chunked(&m.body, 16), &[])
            }),
            ("chunks with LF", Yes, |m| {
                wire(m, with_lf(&m.body, 16), &[CHUNKED])
            }),
            ("chunks in chunks", Yes, |m| {
                wire(m, chunked(&chunked(&m.body, 9), 30), &[CHUNKED])
            }),
            ("chunks with LF in chunks", Yes, |m| {
                wire(m, chunked(&with_lf(&m.body, 9), 30), &[CHUNKED])
            }),
            ("chunks in gzip", Yes, |m| {
                wire(
                    m,
                    Coder::Gzip.encode(&chunked(&m.body, 20)),
                    &[CHUNKED, ("Content-Encoding", "gzip")],
                )
            }),
            ("gzip of chunks in chunks", Yes, |m| {
                wire(
                    m,
                    chunked(&Coder::Gzip.encode(&chunked(&m.body, 20)), 20),
                    &[CHUNKED, ("Content-Encoding", "gzip")],
                )
            }),
            ("chunks that were joined", Yes, |m| {
                wire(m, m.body.clone(), &[CHUNKED])
            }),
            ("no last chunk", No, |m| {
                wire(
                    m,
                    chunked(&m.body, 16).strip_suffix(b"0\r\n\r\n")?.to_vec(),
                    &[CHUNKED],
                )
            }),
            ("chunks that are cut", No, |m| {
                wire(m, chunked(&m.body, 16).get(..30)?.to_vec(), &[CHUNKED])
            }),
            ("chunks with extensions", Yes, |m| {
                let lines = format!("{:x};a=\"b\"\r\n", m.body.len());
                wire(
                    m,
                    [lines.as_bytes(), &m.body, b"\r\n0\r\nTrailer: a\r\n\r\n"].concat(),
                    &[CHUNKED],
                )
            }),
        ],
    );
    charsets
        .into_iter()
        .chain(codings())
        .chain(chunks)
        .collect()
}

fn codings() -> Vec<Change> {
    of_level(
        Level::Coding,
        &[
            ("gzip", Yes, |m| coded(m, Coder::Gzip, "gzip")),
            ("gzip as x-gzip", Yes, |m| coded(m, Coder::Gzip, "X-GZIP")),
            ("gzip in quotes", Yes, |m| coded(m, Coder::Gzip, "\"gzip\"")),
            ("gzip that nothing names", Yes, |m| {
                coded(m, Coder::Gzip, "")
            }),
            ("gzip named br", Yes, |m| coded(m, Coder::Gzip, "br")),
            ("gzip with an unknown name", Yes, |m| {
                coded(m, Coder::Gzip, "aws-chunked")
            }),
            ("gzip twice", Yes, |m| {
                wire(
                    m,
                    Coder::Gzip.encode(&Coder::Gzip.encode(&m.body)),
                    &[("Content-Encoding", "gzip, gzip")],
                )
            }),
            ("gzip twice, named once", Yes, |m| {
                wire(
                    m,
                    Coder::Gzip.encode(&Coder::Gzip.encode(&m.body)),
                    &[("Content-Encoding", "gzip")],
                )
            }),
            ("gzip of zstd", Yes, |m| {
                wire(
                    m,
                    Coder::Gzip.encode(&Coder::Zstd.encode(&m.body)),
                    &[("Content-Encoding", "zstd, gzip")],
                )
            }),
            ("gzip in two members", Yes, |m| {
                let (first, second) = m.body.split_at(m.body.len() / 2);
                wire(
                    m,
                    [Coder::Gzip.encode(first), Coder::Gzip.encode(second)].concat(),
                    &[("Content-Encoding", "gzip")],
                )
            }),
            ("gzip and junk", Yes, |m| {
                wire(
                    m,
                    [Coder::Gzip.encode(&m.body), b"\r\njunk".to_vec()].concat(),
                    &[("Content-Encoding", "gzip")],
                )
            }),
            ("gzip that is cut", No, |m| {
                let whole = Coder::Gzip.encode(&m.body);
                wire(
                    m,
                    whole[..whole.len() - 12].to_vec(),
                    &[("Content-Encoding", "gzip")],
                )
            }),
            ("zlib", Yes, |m| coded(m, Coder::Zlib, "deflate")),
            ("zlib that nothing names", Yes, |m| {
                coded(m, Coder::Zlib, "")
            }),
            ("deflate", Yes, |m| coded(m, Coder::RawDeflate, "deflate")),
            ("deflate that nothing names", No, |m| {
                coded(m, Coder::RawDeflate, "")
            }),
            ("br", Yes, |m| coded(m, Coder::Br, "br")),
            ("br that nothing names", No, |m| coded(m, Coder::Br, "")),
            ("zstd", Yes, |m| coded(m, Coder::Zstd, "zstd")),
            ("zstd that nothing names", Yes, |m| {
                coded(m, Coder::Zstd, "")
            }),
            ("gzip as a transfer coding", Yes, |m| {
                wire(
                    m,
                    Coder::Gzip.encode(&m.body),
                    &[("Transfer-Encoding", "gzip")],
                )
            }),
            ("a coding that is not there", Yes, |m| {
                wire(m, m.body.clone(), &[("Content-Encoding", "gzip")])
            }),
            ("a charset as coding", Yes, |m| {
                wire(m, m.body.clone(), &[("Content-Encoding", "utf-8")])
            }),
            ("identity", Yes, |m| {
                wire(m, m.body.clone(), &[("Content-Encoding", "identity")])
            }),
            ("base64 as coding", No, |m| {
                wire(
                    m,
                    super::text::base64(&m.body),
                    &[("Content-Encoding", "base64")],
                )
            }),
        ],
    )
}

/// Returns chunks whose lines end in LF.
fn with_lf(bytes: &[u8], chunk_bytes: usize) -> Vec<u8> {
    let chunk = |chunk: &[u8]| [format!("{:x}\n", chunk.len()).as_bytes(), chunk, b"\n"].concat();
    [
        bytes.chunks(chunk_bytes).flat_map(chunk).collect(),
        b"0\n\n".to_vec(),
    ]
    .concat()
}

fn wire(message: &Message, body: Vec<u8>, fields: &[(&str, &str)]) -> Option<Message> {
    let message = message.with_body(body);
    Some(
        fields
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .fold(message, |message, (name, value)| message.with(name, value)),
    )
}

fn coded(message: &Message, coder: Coder, name: &str) -> Option<Message> {
    // The coder for brotli takes no more.
    if coder == Coder::Br && message.body.len() > 1 << 16 {
        return None;
    }
    wire(
        message,
        coder.encode(&message.body),
        &[("Content-Encoding", name)],
    )
}

fn text(message: &Message, change: impl Fn(&str) -> Vec<u8>) -> Option<Message> {
    let changed = change(message.text()?);
    Some(message.with_body(changed))
}

fn utf_16(message: &Message, mark: &[u8], bytes: fn(u16) -> [u8; 2]) -> Option<Message> {
    text(message, |text| {
        [mark.to_vec(), text.encode_utf16().flat_map(bytes).collect()].concat()
    })
}

/// Returns a page with a meta under another type; in those charsets its bytes are the same.
fn page_typed(message: &Message, media_type: &str) -> Option<Message> {
    (message.carrier == Carrier::Page && message.text()?.is_ascii())
        .then(|| message.clone().typed(Some(media_type)))
}
