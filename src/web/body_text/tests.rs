//! Text, binary formats and markup, with the words and formats that are close to each other.

use super::{BodyText, Markup, ReadAs, Wide, binary_format, markup, without_end_marks};

const ROBOTS: &[u8] = b"User-agent: GPTBot\nDisallow: /\n";

fn units(text: &[u8], wide: Wide) -> Vec<u8> {
    let unit = |byte: u8| match wide {
        Wide::Utf16Le => vec![byte, 0],
        Wide::Utf16Be => vec![0, byte],
        Wide::Utf32Le => vec![byte, 0, 0, 0],
        Wide::Utf32Be => vec![0, 0, 0, byte],
    };
    text.iter().flat_map(|byte| unit(*byte)).collect()
}

/// Checks that bytes are of this kind, as whatever they are read.
fn check(body: &[u8], expected: BodyText) {
    for read_as in [ReadAs::RobotsTxt, ReadAs::Page, ReadAs::SiteFile] {
        assert_eq!(
            BodyText::classify(body, read_as),
            expected,
            "{}",
            body.escape_ascii()
        );
    }
}

#[test]
fn read_2_a_magic_of_a_binary_format_is_no_text() {
    for magic in [
        &b"\x89PNG\r\n\x1A\n"[..],
        b"\x1F\x8B\x08",
        b"\x28\xB5\x2F\xFD",
        b"\x50\x2A\x4D\x18\0\0\0\0",
        b"\x5E\x2A\x4D\x18\x20\0\0\0",
        b"\xFFDCB",
        b"\xFD7zXZ\0",
        b"PK\x03\x04",
        b"%PDF-1.7",
        b"\x7FELF",
        b"\xFF\xD8\xFF\xE0",
        b"GIF89a",
        b"\0\0\0\x20ftypisom",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"BZh91AY&SY\x10",
        b"\x78\x9C\xCB\x48\xCD\xC9",
    ] {
        let body = [magic, ROBOTS].concat();
        assert!(binary_format(&body).is_some(), "{}", magic.escape_ascii());
        check(&body, BodyText::Binary);
    }
}

#[test]
fn read_2_words_that_begin_like_a_magic_are_text() {
    for text in [
        &b"BM: a\n"[..],
        b"MZ\n",
        b"PK",
        b"RIFF raff",
        b"FORM: x",
        b"ID3 tags\n",
        b"x^2: y\n",
        b"OTTO\n",
    ] {
        assert_eq!(
            BodyText::classify(text, ReadAs::RobotsTxt),
            BodyText::Text,
            "{}",
            text.escape_ascii()
        );
    }
}

#[test]
fn read_2_one_binary_byte_in_fifty_is_allowed_beside_a_line_or_a_tag() {
    let robots = |binary: &[u8]| {
        [
            b"User-agent: GPTBot\nDisallow: /",
            binary,
            b"\nDisallow: /b\n      ",
        ]
        .concat()
    };
    assert_eq!(
        BodyText::classify(&robots(b"\x01"), ReadAs::RobotsTxt),
        BodyText::Text
    );
    assert_eq!(
        BodyText::classify(&robots(b"\x01\x02"), ReadAs::RobotsTxt),
        BodyText::Binary
    );
    assert_eq!(
        BodyText::classify(&robots(b"\x01"), ReadAs::SiteFile),
        BodyText::Binary
    );
    assert_eq!(
        BodyText::classify(&robots(b"\x01"), ReadAs::Page),
        BodyText::Binary
    );
    let page = [
        b"<!doctype html><title>\x02</title>".as_slice(),
        &[b' '; 40],
    ]
    .concat();
    assert_eq!(BodyText::classify(&page, ReadAs::Page), BodyText::Text);
    assert_eq!(
        BodyText::classify(&page, ReadAs::SiteFile),
        BodyText::Binary
    );
    let behind = [[b'a'; 1445].as_slice(), &[0; 100], b"b"].concat();
    assert_eq!(BodyText::classify(&behind, ReadAs::Page), BodyText::Text);
}

#[test]
fn read_2_text_of_any_charset_is_text() {
    for text in [
        &b""[..],
        b"\n",
        b"caf\xE9 ferm\xE9, revenez demain",
        b"# \xB0\xA1\xB0\xA1\xB0\xA1\nUser-agent: *\n",
        b"<p>\xB0\xA1\xB0\xA1\xB0\xA1\xB0\xA1</p>",
        "Страница не найдена".as_bytes(),
        b"\xEF\xBB\xBFUser-agent: *",
        b"\xEF\xBBUser-agent: *",
        b"\x1B$B4A;z\x1B(B",
        b"a\x0Cb\x0D\n",
    ] {
        check(text, BodyText::Text);
    }
}

/// For example a short robots.txt in brotli, which may have no binary data byte by chance.
#[test]
fn read_2_bytes_without_line_tag_or_utf8_are_no_text() {
    check(
        b"\x8B\xD4\x80User\xAA-\xBC\xF2\x99gent\xFF",
        BodyText::Binary,
    );
}

#[test]
fn read_4_utf_16_and_utf_32_are_known_by_mark_or_by_nulls() {
    for (wide, mark) in [
        (Wide::Utf16Le, &b"\xFF\xFE"[..]),
        (Wide::Utf16Be, b"\xFE\xFF"),
        (Wide::Utf32Le, b"\xFF\xFE\0\0"),
        (Wide::Utf32Be, b"\0\0\xFE\xFF"),
    ] {
        let plain = units(ROBOTS, wide);
        let padded = [&plain[..], &vec![0; units(b"abc", wide).len()]].concat();
        for body in [&plain, &[mark, &plain].concat(), &mark.to_vec()] {
            check(body, BodyText::Wide(wide));
        }
        assert_ne!(
            BodyText::classify(&padded, ReadAs::RobotsTxt),
            BodyText::Text
        );
    }
    for body in [ROBOTS, b"a\0bcdefgh", b"", b"\0"] {
        assert_eq!(Wide::detect(body), None);
    }
}

#[test]
fn read_10_nulls_and_0x1a_end_a_robots_txt() {
    assert_eq!(without_end_marks(b"Disallow: /\x1A\0\0"), b"Disallow: /");
    assert_eq!(without_end_marks(b"\0\x1A"), b"");
    let padded = [ROBOTS, &[0; 4096]].concat();
    assert_eq!(
        BodyText::classify(&padded, ReadAs::RobotsTxt),
        BodyText::Text
    );
    assert_eq!(
        BodyText::classify(&padded, ReadAs::SiteFile),
        BodyText::Binary
    );
}

#[test]
fn read_7_markup_is_known_by_its_first_tag() {
    for (text, expected) in [
        (&b"<!DOCTYPE html>"[..], Markup::Html),
        (b"\xEF\xBB\xBF \r\n<TITLE>a", Markup::Html),
        (b"<script\nsrc=a>", Markup::Html),
        (b"<meta name=robots>", Markup::Html),
        (b"<!-- a", Markup::Html),
        (b"<br/>", Markup::Html),
        (b"<?xml version=\"1.0\"?>", Markup::Xml),
        (b"<link rel=a>", Markup::Tag),
        (b"<h:html>", Markup::Tag),
        (b"<bread>", Markup::Tag),
        (b"<", Markup::Tag),
        (b"a <title>", Markup::None),
        (b"User-agent: *", Markup::None),
        (b"{\"a\":\"<p>\"}", Markup::None),
        (b"", Markup::None),
    ] {
        assert_eq!(markup(text), expected, "{}", text.escape_ascii());
    }
}
