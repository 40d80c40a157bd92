//! Payloads: each coding alone, in others, and declared where it is not.

use std::borrow::Cow;

use crate::body_support::{
    CODERS, Coder, PLENTY, chunked, decoded, encode, from_hex, page, payload,
};
use crawlprefs::evidence::body::Completeness;
use crawlprefs::evidence::body::Completeness::{Cut, Longer, Undecodable, Whole};
use crawlprefs::web::body_text::{BodyText, ReadAs};

/// What a payload of these bytes gives when nothing is lost.
fn whole(bytes: &[u8]) -> (Vec<u8>, Completeness) {
    (bytes.to_vec(), Whole)
}

#[test]
fn local_a_body_without_codings_is_borrowed() {
    let fields = "Content-Encoding: identity\r\nTransfer-Encoding: chunked\r\n";
    for (body, max_bytes, bytes, completeness) in [
        (&b"<html>"[..], 6, &b"<html>"[..], Whole),
        (b"<html>", 5, b"<html", Longer),
        (b"<html>", 0, b"", Longer),
        (b"", 0, b"", Whole),
        (b"3\r\nabc\r\n0\r\n\r\n", 9, b"abc", Whole),
        (b"3\r\nabc\r\n0\r\n\r\n", 2, b"ab", Longer),
    ] {
        let payload = payload(fields, body, max_bytes, ReadAs::Page);
        assert_eq!(
            (&*payload.bytes, payload.completeness, payload.is_undeclared),
            (bytes, completeness, false)
        );
        assert!(matches!(payload.bytes, Cow::Borrowed(_)));
    }
}

#[test]
fn rfc9112_7_1_chunks_are_joined() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (body, bytes, completeness) in [
        ("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", Whole),
        (
            "3;a=b\r\nabc\r\n02 \r\nde\r\n000\r\nTrailer: 1\r\n\r\n",
            "abcde",
            Whole,
        ),
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
    // READ-16: this may be the first line of chunks of which the others are lost.
    let disputed = decoded("Transfer-Encoding: chunked\r\n", b"123\nabc", PLENTY);
    assert_eq!(disputed, (b"123\nabc".to_vec(), Cut));
    for body in [
        "<html>",
        "",
        "abc",
        "\r\n3\r\nabc\r\n",
        "0123456789abcdef0\r\nx",
        "a;",
        ";\r\n",
    ] {
        let found = decoded(
            "Transfer-Encoding: gzip, Chunked\r\n",
            body.as_bytes(),
            PLENTY,
        );
        assert_eq!(found, whole(body.as_bytes()), "{body:?}");
    }
}

/// A page in chunks has no HTML head where the size of the first chunk is taken for text.
#[test]
fn read_1_chunks_that_nothing_declares_are_joined() {
    let body = chunked(b"<meta name=robots content=noai>", 9);
    let found = payload("", &body, PLENTY, ReadAs::Page);
    assert_eq!(
        (&*found.bytes, found.completeness),
        (&b"<meta name=robots content=noai>"[..], Whole)
    );
    assert!(found.is_undeclared);
    assert_eq!(decoded("", &body[..body.len() - 5], PLENTY).1, Cut);
    assert_eq!(decoded("", &body[..7], PLENTY), (b"<met".to_vec(), Cut));
    for text in [
        "3\r\nabcd",
        "3\nabc\n0\n\n",
        "0\r\n\r\n",
        "3\r\nabc\r\nx",
        "2024",
        "add: a\r\n",
    ] {
        assert_eq!(
            decoded("", text.as_bytes(), PLENTY),
            whole(text.as_bytes()),
            "{text:?}"
        );
    }
}

#[test]
fn rfc9110_8_4_each_coding() {
    for (name, coder) in CODERS {
        let body = encode(coder, &page());
        let fields = format!("Content-Encoding: {name}\r\n");
        assert_eq!(decoded(&fields, &body, PLENTY), whole(&page()), "{name}");
        let fields = format!("{fields}Transfer-Encoding: chunked\r\n");
        for chunk_bytes in [1, 7, 10_000] {
            let chunks = chunked(&body, chunk_bytes);
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
            assert_eq!(
                bytes,
                page[..max_bytes.min(page.len())],
                "{name} {max_bytes}"
            );
            let expected = if max_bytes < page.len() {
                Longer
            } else {
                Whole
            };
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
    assert_eq!(decoded(fields, &three, 9), (page()[..9].to_vec(), Longer));
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
    for name in [
        "gzip",
        "deflate",
        "br",
        "zstd",
        "gzip, deflate, br",
        "utf-8",
        "none",
    ] {
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
            assert_eq!(
                decoded(&fields, body, PLENTY),
                whole(body),
                "{name} {body:?}"
            );
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

/// They say what the archive's writer undid; what is still there is undone by its magic.
#[test]
fn wild_renamed_fields_are_not_codings() {
    let fields = "X-Crawler-Content-Encoding: br\r\nX-Crawler-transfer-encoding: chunked\r\n\
        X-Archive-Orig-Content-Encoding: deflate\r\n";
    for body in [page(), encode(Coder::Gzip, &page())] {
        let found = payload(fields, &body, PLENTY, ReadAs::Page);
        assert_eq!((&*found.bytes, found.completeness), (&*page(), Whole));
        assert_eq!(found.is_undeclared, body != page());
    }
}

const ROBOTS: &[u8] = b"User-agent: GPTBot\nDisallow: /\n";

/// The same in brotli, which has no magic.
const BR_ROBOTS: &str = "0b0f80557365722d6167656e743a20475054426f740a446973616c6c6f773a202f0a03";

#[test]
fn read_1_a_coding_that_nothing_declares_is_undone_by_its_magic() {
    for coder in [Coder::Gzip, Coder::Zlib, Coder::Zstd] {
        let once = encode(coder, ROBOTS);
        let skippable = [
            &b"\x50\x2A\x4D\x18\x01\0\0\0x"[..],
            &encode(Coder::Zstd, ROBOTS),
        ]
        .concat();
        let twice = encode(Coder::Gzip, &once);
        let thrice = encode(Coder::Zstd, &twice);
        for body in [&once, &skippable, &twice, &thrice, &chunked(&twice, 1)] {
            for fields in [
                "",
                "Content-Encoding: gzip\r\n",
                "X-Crawler-Content-Encoding: gzip\r\n",
            ] {
                let found = payload(fields, body, PLENTY, ReadAs::RobotsTxt);
                assert_eq!(
                    (&*found.bytes, found.completeness),
                    (ROBOTS, Whole),
                    "{fields}"
                );
            }
            assert!(payload("", body, PLENTY, ReadAs::RobotsTxt).is_undeclared);
        }
    }
}

#[test]
fn read_1_a_wrong_name_in_whatever_quotes_does_not_hide_a_coding() {
    for coder in [Coder::Gzip, Coder::Zlib, Coder::RawDeflate, Coder::Zstd] {
        let name = match coder {
            Coder::RawDeflate => "deflate",
            _ => "\"GZIP\"",
        };
        let body = encode(coder, ROBOTS);
        for named in [name, "'deflate'", "\"br, deflate\""] {
            let fields = format!("Content-Encoding: {named}\r\n");
            let found = payload(&fields, &body, PLENTY, ReadAs::RobotsTxt);
            assert_eq!(
                (&*found.bytes, found.completeness),
                (ROBOTS, Whole),
                "{named}"
            );
        }
    }
    for named in [
        "br",
        "zstd",
        "deflate",
        "compress",
        "x-unheard-of",
        "gzip, gzip, gzip, gzip",
    ] {
        for coder in [Coder::Gzip, Coder::Zlib, Coder::Zstd] {
            let fields = format!("Content-Encoding: {named}\r\n");
            let body = encode(coder, ROBOTS);
            let found = payload(&fields, &body, PLENTY, ReadAs::RobotsTxt);
            assert_eq!(
                (&*found.bytes, found.completeness),
                (ROBOTS, Whole),
                "{named}"
            );
        }
    }
}

#[test]
fn read_1_codings_without_a_magic_are_tried_where_nothing_else_gives_text() {
    let deflate = encode(Coder::RawDeflate, ROBOTS);
    for body in [&from_hex(BR_ROBOTS), &deflate] {
        for fields in [
            "",
            "Content-Encoding: gzip\r\n",
            "Content-Encoding: zstd, br\r\n",
        ] {
            let found = payload(fields, body, PLENTY, ReadAs::RobotsTxt);
            assert_eq!(
                (&*found.bytes, found.completeness),
                (ROBOTS, Whole),
                "{fields}"
            );
        }
        let cut = payload("", &body[..body.len() - 1], PLENTY, ReadAs::RobotsTxt);
        assert_eq!(cut.text, BodyText::Binary);
    }
}

#[test]
fn read_1_what_is_in_no_coding_that_can_be_undone_is_no_text() {
    let gzip = encode(Coder::Gzip, ROBOTS);
    let shifted = [b"\n", &gzip[..]].concat();
    for body in [&shifted[..], b"\x1F\x8B\x08", b"\x89PNG\r\n\x1A\n\0"] {
        for fields in [
            "",
            "Content-Encoding: gzip\r\n",
            "Content-Encoding: zstd\r\n",
        ] {
            assert_eq!(
                payload(fields, body, PLENTY, ReadAs::RobotsTxt).text,
                BodyText::Binary,
                "{body:?}"
            );
        }
    }
    let base64 = b"VXNlci1hZ2VudDogR1BUQm90CkRpc2FsbG93OiAvCg==\n";
    assert_eq!(
        decoded("Content-Encoding: base64\r\n", base64, PLENTY),
        (Vec::new(), Undecodable)
    );
    assert_eq!(
        decoded("Content-Encoding: x-none\r\n", ROBOTS, PLENTY),
        whole(ROBOTS)
    );
}

#[test]
fn local_unknown_codings_of_binary_bodies_are_undecodable() {
    let body = b"\x1F\x9D\x90\x00\x01\x02";
    let nothing = (Vec::new(), Undecodable);
    assert_eq!(
        decoded("Content-Encoding: compress\r\n", body, PLENTY),
        nothing
    );
    assert_eq!(
        decoded("Content-Encoding: br\r\n", b"\xFF\x00\x00\x00\x00", PLENTY),
        nothing
    );
    assert_eq!(
        decoded("Content-Encoding: gzip\r\n", b"\x1F\x8B\x00\x00", PLENTY),
        nothing
    );
}

#[test]
fn local_junk_after_a_stream_is_ignored() {
    for (name, coder) in CODERS {
        for junk in [
            &b"\n"[..],
            b"<!-- junk -->",
            b"\0\0\0\0",
            b"(junk)",
            b"\x1Fjunk",
        ] {
            let body = [&encode(coder, &page())[..], junk].concat();
            let fields = format!("Content-Encoding: {name}\r\n");
            assert_eq!(
                decoded(&fields, &body, PLENTY),
                whole(&page()),
                "{name} {junk:?}"
            );
        }
    }
}

#[test]
fn rfc1952_2_2_members_follow_each_other() {
    for (name, coder) in [("gzip", Coder::Gzip), ("zstd", Coder::Zstd)] {
        let body = [encode(coder, b"one, "), encode(coder, b"two")].concat();
        let fields = format!("Content-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n");
        assert_eq!(decoded(&fields, &body, PLENTY), whole(b"one, two"));
        assert_eq!(
            decoded(&fields, &chunked(&body, 1), PLENTY),
            whole(b"one, two")
        );
        assert_eq!(decoded(&fields, &body, 5), (b"one, ".to_vec(), Longer));
    }
}

/// A stream that ends is whole, whatever became of the chunk around it.
#[test]
fn local_a_missing_last_chunk_does_not_cut_a_stream() {
    let fields = "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
    let chunks = chunked(&encode(Coder::Gzip, &page()), 50);
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
