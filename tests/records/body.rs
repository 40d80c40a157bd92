//! Payloads: each coding alone, in others, and declared where it is not.

use std::borrow::Cow;

use crate::body_support::{CODERS, Coder, PLENTY, as_chunks, decoded, encode, head, page};
use crawlprefs::evidence::body::Completeness::{Cut, Undecodable, Whole};
use crawlprefs::evidence::body::{Completeness, Payload, decode};
use crawlprefs::evidence::http_head::HttpHead;

/// What a payload of these bytes gives when nothing is lost.
fn whole(bytes: &[u8]) -> (Vec<u8>, Completeness) {
    (bytes.to_vec(), Whole)
}

#[test]
fn local_a_body_without_codings_is_borrowed() {
    let block = head("Content-Encoding: identity\r\nTransfer-Encoding: chunked\r\n");
    let head = HttpHead::parse(&block).expect("a status line");
    for (body, max_bytes, bytes, completeness) in [
        (&b"<html>"[..], 6, &b"<html>"[..], Whole),
        (b"<html>", 5, b"<html", Cut),
        (b"<html>", 0, b"", Cut),
        (b"", 0, b"", Whole),
        (b"3\r\nabc\r\n0\r\n\r\n", 9, b"abc", Whole),
        (b"3\r\nabc\r\n0\r\n\r\n", 2, b"ab", Cut),
    ] {
        let payload = decode(&head, body, max_bytes);
        let expected = Payload { bytes: Cow::Borrowed(bytes), completeness };
        assert_eq!(payload, expected);
        assert!(matches!(payload.bytes, Cow::Borrowed(_)));
    }
}

#[test]
fn rfc9112_7_1_chunks_are_joined() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (body, bytes, completeness) in [
        ("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", Whole),
        ("3;a=b\r\nabc\r\n02 \r\nde\r\n000\r\nTrailer: 1\r\n\r\n", "abcde", Whole),
        ("3\r\nabc\n2\nde\n0\n\n", "abcde", Whole),
        ("A\r\n0123456789\r\n0\r\n\r\nmore", "0123456789", Whole),
        ("0\r\n\r\n", "", Whole),
        // No last chunk, a short chunk, a size that is too small or too large.
        ("3\r\nabc\r\n2\r\nde\r\n", "abcde", Cut),
        ("3\r\nabc\r\n2\r\nd", "abcd", Cut),
        ("3\r\nabcdef\r\n0\r\n\r\n", "abc", Cut),
        ("3\r\nabc\r\nffffffffffffffff\r\nde", "abcde", Cut),
        ("3\r\nabc\r\nfffffffffffffffff\r\nde", "abc", Cut),
        ("5\r\n", "", Undecodable),
    ] {
        let expected = (body, (bytes.as_bytes().to_vec(), completeness));
        assert_eq!((body, decoded(chunked, body.as_bytes(), PLENTY)), expected);
    }
}

/// pywb and Webrecorder store bodies dechunked and keep the field.
#[test]
fn wild_dechunked_under_a_chunked_field() {
    for body in ["<html>", "", "abc", "123\nabc", "\r\n3\r\nabc\r\n", "0123456789abcdef0\r\nx", "a;", ";\r\n"]
    {
        let found = decoded("Transfer-Encoding: gzip, Chunked\r\n", body.as_bytes(), PLENTY);
        assert_eq!(found, whole(body.as_bytes()), "{body:?}");
    }
    assert_eq!(decoded("", b"3\r\nabc\r\n0\r\n\r\n", 3), (b"3\r\n".to_vec(), Cut));
}

#[test]
fn rfc9110_8_4_each_coding() {
    for (name, coder) in CODERS {
        let body = encode(coder, &page());
        let fields = format!("Content-Encoding: {name}\r\n");
        assert_eq!(decoded(&fields, &body, PLENTY), whole(&page()), "{name}");
        let fields = format!("{fields}Transfer-Encoding: chunked\r\n");
        for chunk_bytes in [1, 7, 10_000] {
            let chunks = as_chunks(&body, chunk_bytes);
            assert_eq!(decoded(&fields, &chunks, PLENTY), whole(&page()), "{name}");
        }
    }
}

#[test]
fn local_the_cap_holds_to_the_byte() {
    let page = page();
    for (name, coder) in CODERS {
        let body = encode(coder, &page);
        let fields = format!("content-encoding: {name}\r\n");
        for max_bytes in [0, 1, 64, page.len() - 1, page.len(), page.len() + 1] {
            let (bytes, completeness) = decoded(&fields, &body, max_bytes);
            assert_eq!(bytes, page[..max_bytes.min(page.len())], "{name} {max_bytes}");
            let expected = if max_bytes < page.len() { Cut } else { Whole };
            assert_eq!(completeness, expected, "{name} {max_bytes}");
        }
    }
}

#[test]
fn rfc9110_8_4_codings_are_undone_in_reverse() {
    let inner = encode(Coder::Zlib, &page());
    let both = encode(Coder::Gzip, &inner);
    for fields in [
        "Content-Encoding: deflate, gzip\r\n",
        "Content-Encoding: deflate\r\nContent-Encoding: x-gzip\r\n",
        "Content-Encoding: deflate\r\nTransfer-Encoding: gzip\r\n",
        "Content-Encoding: identity, deflate,,gzip;q=1\r\n",
    ] {
        assert_eq!(decoded(fields, &both, PLENTY), whole(&page()), "{fields}");
    }
    let three = encode(Coder::Zstd, &both);
    let fields = "Content-Encoding: deflate, gzip, zstd\r\n";
    assert_eq!(decoded(fields, &three, PLENTY), whole(&page()));
    assert_eq!(decoded(fields, &three, 9), (page()[..9].to_vec(), Cut));
}

#[test]
fn local_a_fourth_coding_is_not_undone() {
    let mut body = page();
    for _ in 0..4 {
        body = encode(Coder::Gzip, &body);
    }
    let fields = "Content-Encoding: gzip, gzip, gzip, gzip\r\n";
    assert_eq!(decoded(fields, &body, PLENTY), (Vec::new(), Undecodable));
    let once = encode(Coder::Gzip, &page());
    assert_eq!(decoded(fields, &once, PLENTY), whole(&page()));
}

#[test]
fn wild_decoded_body_under_a_coding_field() {
    for name in ["gzip", "deflate", "br", "zstd", "gzip, deflate, br", "utf-8", "none"] {
        let fields = format!("Content-Encoding: {name}\r\n");
        for body in [
            &b"<!DOCTYPE html><html>"[..],
            b"\xEF\xBB\xBF\r\n <html>",
            b"User-agent: *\nDisallow: /\n",
            b"3",
            b";;;",
            b"x^",
            b"# Gr\xC3\xB6\xC3\x9Fe",
            b"<p>Gr\xF6\xDFe",
            b"",
        ] {
            assert_eq!(decoded(&fields, body, PLENTY), whole(body), "{name} {body:?}");
        }
    }
}

/// The value of the request's `Accept-Encoding`, sent back by the server.
#[test]
fn wild_more_codings_declared_than_applied() {
    for coder in [Coder::Gzip, Coder::Zstd] {
        let body = encode(coder, &page());
        let fields = "Content-Encoding: gzip, deflate, br, zstd, none\r\n";
        assert_eq!(decoded(fields, &body, PLENTY), whole(&page()));
    }
}

#[test]
fn wild_renamed_fields_are_not_codings() {
    let body = encode(Coder::Gzip, &page());
    let fields = "X-Crawler-Content-Encoding: gzip\r\nX-Crawler-transfer-encoding: chunked\r\n\
        X-Archive-Orig-Content-Encoding: gzip\r\n";
    assert_eq!(decoded(fields, &body, PLENTY), whole(&body));
}

#[test]
fn local_unknown_codings_of_binary_bodies_are_undecodable() {
    let body = b"\x1F\x9D\x90\x00\x01\x02";
    let nothing = (Vec::new(), Undecodable);
    assert_eq!(decoded("Content-Encoding: compress\r\n", body, PLENTY), nothing);
    assert_eq!(decoded("Content-Encoding: br\r\n", b"\xFF\x00\x00\x00\x00", PLENTY), nothing);
    assert_eq!(decoded("Content-Encoding: gzip\r\n", b"\x1F\x8B\x00\x00", PLENTY), nothing);
}

#[test]
fn local_junk_after_a_stream_is_ignored() {
    for (name, coder) in CODERS {
        for junk in [&b"\n"[..], b"<!-- junk -->", b"\0\0\0\0", b"(junk)", b"\x1Fjunk"] {
            let body = [&encode(coder, &page())[..], junk].concat();
            let fields = format!("Content-Encoding: {name}\r\n");
            assert_eq!(decoded(&fields, &body, PLENTY), whole(&page()), "{name} {junk:?}");
        }
    }
}

#[test]
fn rfc1952_2_2_members_follow_each_other() {
    for (name, coder) in [("gzip", Coder::Gzip), ("zstd", Coder::Zstd)] {
        let body = [encode(coder, b"one, "), encode(coder, b"two")].concat();
        let fields = format!("Content-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n");
        assert_eq!(decoded(&fields, &body, PLENTY), whole(b"one, two"));
        assert_eq!(decoded(&fields, &as_chunks(&body, 1), PLENTY), whole(b"one, two"));
        assert_eq!(decoded(&fields, &body, 5), (b"one, ".to_vec(), Cut));
    }
}

/// A stream that ends is whole, whatever became of the chunk around it.
#[test]
fn local_a_missing_last_chunk_does_not_cut_a_stream() {
    let fields = "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
    let chunks = as_chunks(&encode(Coder::Gzip, &page()), 50);
    let end = chunks.len() - b"0\r\n\r\n".len();
    assert_eq!(decoded(fields, &chunks[..end], PLENTY), whole(&page()));
    assert_eq!(decoded(fields, &chunks[..end - 20], PLENTY).1, Cut);
}

/// Ours: Latin-1 text is no valid UTF-8, but it breaks the format it is said to be in.
#[test]
fn local_latin_1_text_under_a_false_coding() {
    let body = b"Gr\xFC\xDFe aus K\xF6ln, wie immer: sch\xF6n";
    for name in ["deflate", "gzip", "zstd", "none"] {
        let fields = format!("Content-Encoding: {name}\r\n");
        assert_eq!(decoded(&fields, body, PLENTY), whole(body), "{name}");
    }
}
