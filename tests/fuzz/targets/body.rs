//! Payloads in chunks and content codings: the input is a response without its status line.

#![no_main]

use crawlprefs::evidence::body::{Completeness, decode};
use crawlprefs::evidence::fields::BodyFields;
use crawlprefs::evidence::http_head::HttpHead;
use crawlprefs::web::body_text::ReadAs;
use libfuzzer_sys::fuzz_target;

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

fuzz_target!(|input: &[u8]| {
    let block = [b"HTTP/1.1 200 OK\r\n", input].concat();
    let Some(head) = HttpHead::parse(&block) else {
        return;
    };
    let body = &block[head.body_start..];
    let fields = BodyFields::from_head(&head);
    let [short, long] = [50, 5_000].map(|cap| (cap, decode(&fields, body, cap, ReadAs::Page)));
    for (cap, payload) in [&short, &long] {
        assert!(payload.bytes.len() <= *cap);
        assert!(payload.completeness != Completeness::Undecodable || payload.bytes.is_empty());
    }
    assert!(long.1.bytes.starts_with(&short.1.bytes));

    let mut chunks = Vec::new();
    for chunk in body.chunks(usize::from(body.len() as u8 % 9) + 1) {
        chunks.extend(format!("{:x}\r\n", chunk.len()).bytes());
        chunks.extend([chunk, b"\r\n"].concat());
    }
    chunks.extend(b"0\r\n\r\n");
    let head = HttpHead::parse(CHUNKED).expect("a head");
    let payload = decode(
        &BodyFields::from_head(&head),
        &chunks,
        block.len(),
        ReadAs::Page,
    );
    // What begins like a coding that no field names is decoded: it may be cut, damaged, longer than its block, or nothing.
    if !payload.is_undeclared && payload.completeness != Completeness::Undecodable {
        assert_eq!(payload.completeness, Completeness::Whole);
        assert_eq!(&*payload.bytes, body);
    }
});
