//! Chunks in other forms than RFC 9112 has them (RULES READ-16), and deflate without a header (READ-1).

use crate::body_support::{PLENTY, payload};
use crate::codings::{Coder, chunked};
use crawlprefs::evidence::body::Completeness;
use crawlprefs::web::body_text::{BodyText, ReadAs};

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private/\nDisallow: /more/\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

fn read(fields: &str, body: &[u8]) -> (Vec<u8>, Completeness) {
    let payload = payload(fields, body, PLENTY, ReadAs::RobotsTxt);
    (payload.bytes.into_owned(), payload.completeness)
}

fn plain() -> (Vec<u8>, Completeness) {
    (ROBOTS.to_vec(), Completeness::Whole)
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

#[test]
fn read_16_chunk_lines_end_in_lf_are_in_a_coding_or_are_there_twice() {
    for bytes in [5, 20, 1000] {
        let lf = with_lf(ROBOTS, bytes);
        for body in [
            lf.clone(),
            chunked(&chunked(ROBOTS, bytes), 7),
            chunked(&lf, 1000),
            with_lf(&lf, 9),
            Coder::Gzip.encode(&chunked(ROBOTS, bytes)),
            chunked(&Coder::Gzip.encode(&lf), 16),
            chunked(&chunked(&Coder::Zstd.encode(ROBOTS), 6), 1000),
        ] {
            assert_eq!(
                read(CHUNKED, &body),
                plain(),
                "{bytes} {}",
                body.escape_ascii()
            );
            let gzip = format!("{CHUNKED}Content-Encoding: gzip\r\n");
            assert_eq!(
                read(&gzip, &body),
                plain(),
                "{bytes} {}",
                body.escape_ascii()
            );
        }
    }
}

#[test]
fn read_16_without_the_field_nothing_of_that_is_undone() {
    let lf = with_lf(ROBOTS, 20);
    assert_eq!(read("", &lf).0, lf);
}

#[test]
fn read_16_what_does_not_fit_is_cut() {
    for body in [
        &b"1f\nUser-agent: *\nDisallow: /a/\n"[..],
        b"5\nUser-agent: *\nDisallow: /a/\n",
        b"add\nUser-agent: *\n",
    ] {
        let (bytes, completeness) = read(CHUNKED, body);
        assert_eq!(completeness, Completeness::Cut, "{}", bytes.escape_ascii());
    }
    let mut damaged = with_lf(ROBOTS, 5);
    damaged.truncate(30);
    assert_eq!(read(CHUNKED, &damaged).1, Completeness::Cut);
    // A writer that dechunked it left the field.
    assert_eq!(read(CHUNKED, ROBOTS), plain());
}

/// READ-1: a stream without a magic is undone whatever its length.
#[test]
fn read_1_deflate_without_a_header_of_any_length() {
    let mut faults = Vec::new();
    for lines in (1..40).chain([100, 1000, 5000, 20_000]) {
        let text: Vec<u8> = (0..lines)
            .flat_map(|line| format!("Disallow: /{}/\n", line * 7919 % 1000).into_bytes())
            .collect();
        let text = [&b"User-agent: *\n"[..], &text].concat();
        let deflated = Coder::RawDeflate.encode(&text);
        for fields in [
            "",
            "Content-Encoding: deflate\r\n",
            "Content-Encoding: gzip\r\n",
            "Content-Encoding: br\r\n",
        ] {
            if read(fields, &deflated) != (text.clone(), Completeness::Whole) {
                faults.push(format!("{lines} lines, {fields:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn read_15_base64_behind_text_is_no_text() {
    let body = [ROBOTS, b"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL3NlY3JldC8K\n"].concat();
    for fields in ["", "Content-Encoding: base64\r\n"] {
        assert_eq!(
            payload(fields, &body, PLENTY, ReadAs::RobotsTxt).text,
            BodyText::Binary,
            "{fields}"
        );
    }
}
