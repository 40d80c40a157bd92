//! Records made to be slow, or to look whole: what they cost in steps, and what is unread.

use crate::body_support::{Coder, PLENTY, decoded, encode};
use crawlprefs::archive::{Archive, Event};
use crawlprefs::evidence::body::Completeness;
use crawlprefs::evidence::{Depth, Reading, RecordReader};
use crawlprefs::web::steps;

/// Asserts that decoding a body takes at most `most` steps a byte.
fn assert_linear(what: &str, most: u64, fields: &str, make: impl Fn(usize) -> Vec<u8>) {
    for bytes in [50_000, 200_000] {
        let body = make(bytes);
        let (_, taken) = steps::counted(|| decoded(fields, &body, PLENTY));
        let allowed = most * (fields.len() + body.len()) as u64;
        assert!(
            taken > 0 && taken <= allowed,
            "{what}, {bytes} bytes: {taken} steps, at most {allowed}"
        );
    }
}

/// The first bytes read as Latin-1; metadata blocks of brotli without a text follow, then damage.
fn like_text(bytes: usize) -> Vec<u8> {
    [
        &[0xac, 99][..],
        &[0xe9; 200],
        &vec![0x06; bytes],
        &[0x0e; 16],
    ]
    .concat()
}

#[test]
fn local_codings_that_fail_are_tried_a_bounded_number_of_times() {
    for name in ["br", "deflate", "gzip, br", "br, deflate"] {
        let fields = format!("Content-Encoding: {}\r\n", vec![name; 5_000].join(","));
        assert_linear(name, 8, &fields, like_text);
        assert_eq!(
            decoded(&fields, &like_text(1_000), PLENTY).1,
            Completeness::Undecodable,
            "{name}"
        );
    }
}

#[test]
fn local_members_and_frames_without_a_text_take_linear_time() {
    for (name, unit) in [
        ("gzip", encode(Coder::Gzip, b"")),
        ("zstd", b"\x28\xb5\x2f\xfd\x20\0\x01\0\0".to_vec()),
    ] {
        let fields = format!("Content-Encoding: {name}\r\n");
        assert_linear(name, 16, &fields, |bytes| unit.repeat(bytes / unit.len()));
    }
}

/// What follows a stream without a checksum is longer than the stream: it is not the stream that was sent.
#[test]
fn local_bytes_that_begin_with_the_end_of_a_stream_are_not_read() {
    let bytes: Vec<u8> = (128..=255).cycle().take(1024).collect();
    for body in [
        bytes.clone(),
        [&bytes[..], &[0, 1, 2]].concat(),
        [&[0x06][..], &bytes].concat(),
    ] {
        assert_eq!(
            decoded("Content-Encoding: br\r\n", &body, PLENTY).1,
            Completeness::Undecodable
        );
    }
}

/// Returns what is unread of a page with these header fields and this HTML, and how many fields are kept of it.
fn unread(http: &str, html: &[u8]) -> (Vec<&'static str>, usize, usize) {
    let block = [http.as_bytes(), html].concat();
    let archive = crate::warc::response("http://a.example/", "06:00:00", "", &block);
    let mut archive = Archive::open(&*archive)
        .expect("a slice can be read")
        .expect("a WARC");
    let Ok(Some(Event::Record(record))) = archive.next() else {
        panic!("no record")
    };
    let mut reader = RecordReader::new(Depth::Full);
    let Reading::Capture(capture) = reader.read(&record, None) else {
        panic!("no capture")
    };
    let bytes = capture
        .fields
        .iter()
        .map(|field| field.name.len() + field.value.len())
        .sum();
    (
        capture.unread.names().collect(),
        capture.fields.count(),
        bytes,
    )
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

#[test]
fn local_the_fields_of_a_record_are_limited_and_what_is_beyond_is_unread() {
    const MIB: usize = 1 << 20;
    let name = [
        &b"<meta name=\""[..],
        &vec![0xff; MIB - 100],
        b"\" content=x>",
    ]
    .concat();
    let metas = b"<meta name=a>".repeat(MIB / 13);
    let rules = [
        &b"<meta name=robots content=\""[..],
        &b"a,".repeat(1000),
        b"\">",
    ]
    .concat()
    .repeat(500);
    let whole = format!("{OK}\r\n");
    for (what, html, expected) in [
        ("a name", name, &["meta"][..]),
        ("metas", metas, &["meta"]),
        ("rules", rules, &["meta"]),
        ("few", b"<meta name=a>".repeat(4000), &[]),
    ] {
        let (unread, count, bytes) = unread(&whole, &[&html, &b"<body>"[..]].concat());
        assert_eq!(unread, expected, "{what}");
        assert!(
            count <= 4096 && bytes <= 520 << 10,
            "{what}: {count} fields, {bytes} bytes"
        );
    }
    let headers = format!("{OK}{}\r\n", "A:b\r\n".repeat(20_000));
    let (unread, count, _) = unread(&headers, b"<body>");
    assert_eq!((unread, count), (vec!["header"], 4096));
}

#[test]
fn local_a_head_without_its_empty_line_is_unread() {
    for http in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Signal: ai-train=yes\r\n",
        "HTTP/1.1 200 OK\r\nContent-Signal: ai-train=yes\r\nX-Rob",
        "\r\n\r\nHTTP/1.1 200 OK\nContent-Signal: ai-train=yes\n",
        "HTTP/1.1 200 OK",
    ] {
        assert_eq!(unread(http, b"").0, ["header", "meta"], "{http:?}");
    }
    assert!(unread(&format!("{OK}\r\n"), b"").0.is_empty());
}
