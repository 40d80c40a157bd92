//! Makes encoded bodies for the tests of payloads.

pub use crate::codings::{Coder, chunked};

use crawlprefs::evidence::body::{Completeness, Payload, decode};
use crawlprefs::evidence::fields::BodyFields;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::web::body_text::ReadAs;

/// The page of [`page`] as an encoder of quality 9 wrote it: there is no encoder here.
const BR_PAGE: &str = "1b260400c4d2a93c0419b0fac62f290ae221a5b50a15dd7ce731b6c1330cd73c90c7c730\
    300a65ba4c1484c23dfecffb3ce7fdbfff9eff5e7bfdbe6bdf9ff35cb7e063301b0ead8e868a8a87ac4c0c31\
    410a9c1a2ca5070533030bc533bc62f666d885132bb271c13a0b565db0da054b162c5c3027343534cee209a0\
    41f014419b82d603ad01ad042d0359143237326f64227aa343865cda8576836c88ae36";

/// More than any payload of these tests.
pub const PLENTY: usize = 1 << 20;

/// Every name of a coding, and how to encode for it.
pub const CODERS: [(&str, Coder); 6] = [
    ("gzip", Coder::Gzip),
    ("X-GZIP", Coder::Gzip),
    ("deflate", Coder::Zlib),
    ("deflate", Coder::RawDeflate),
    ("br", Coder::Br),
    ("zstd", Coder::Zstd),
];

/// Decodes a body under a head with these lines.
pub fn decoded(fields: &str, body: &[u8], max_bytes: usize) -> (Vec<u8>, Completeness) {
    let payload = payload(fields, body, max_bytes, ReadAs::Page);
    (payload.bytes.into_owned(), payload.completeness)
}

/// Returns the payload of a body under a head with these lines.
pub fn payload<'a>(fields: &str, body: &'a [u8], max_bytes: usize, read_as: ReadAs) -> Payload<'a> {
    let block = head(fields);
    let head = HttpHead::parse(&block).expect("a status line");
    decode(&BodyFields::from_head(&head), body, max_bytes, read_as)
}

/// A head with these lines.
pub fn head(fields: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{fields}\r\n").into_bytes()
}

/// A page of about a kilobyte.
pub fn page() -> Vec<u8> {
    let line = |n: u32| format!("<p>paragraph {n} of {}</p>\n", n * 7919 % 1000);
    (0..40).map(line).collect::<String>().into_bytes()
}

/// Returns `bytes` under one coding; with brotli it is [`page`] that is encoded, as a well-known encoder did it.
pub fn encode(coder: Coder, bytes: &[u8]) -> Vec<u8> {
    match coder {
        Coder::Br => from_hex(BR_PAGE),
        other => other.encode(bytes),
    }
}

/// Reads pairs of digits.
pub fn from_hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map_while(pair).collect()
}
