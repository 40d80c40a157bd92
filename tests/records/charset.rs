//! Which pages are decoded before they are scanned, one test per rule.
//!
//! `html_...`: the HTML Living Standard says so. `local_...`: ours.

use std::borrow::Cow;

use crawlprefs::evidence::charset::scannable;
use crawlprefs::evidence::html_head::head_fields;
use crawlprefs::web::field::Carrier;
use std::ops::ControlFlow;

const PAGE: &str = "<title>日本</title><meta name=robots content=noindex>";

/// PAGE in ISO-2022-JP: the two characters are `F|` and `K\` between escapes.
const JAPANESE: &[u8] = b"<title>\x1B$BF|K\\\x1B(B</title><meta name=robots content=noindex>";

fn meta_names(html: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    head_fields(html, &mut |carrier, name, _| {
        if carrier != Carrier::AfterHead {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
        ControlFlow::Continue(())
    });
    names
}

fn utf_16_le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn utf_16_be(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn check_decoded(body: &[u8], content_type: Option<&str>) {
    let bytes =
        scannable(body, content_type.map(str::as_bytes)).expect("an encoding that is decoded");
    assert_eq!(bytes, PAGE.as_bytes(), "{content_type:?}");
}

fn check_as_it_is(body: &[u8], content_type: Option<&str>) {
    let bytes =
        scannable(body, content_type.map(str::as_bytes)).expect("an encoding that is decoded");
    assert!(
        matches!(bytes, Cow::Borrowed(same) if same == body),
        "{content_type:?}"
    );
}

#[test]
fn html_a_utf_16_byte_order_mark_wins() {
    let (le, be) = (utf_16_le(PAGE), utf_16_be(PAGE));
    for content_type in [None, Some("text/html; charset=utf-8")] {
        check_decoded(&[b"\xFF\xFE", le.as_slice()].concat(), content_type);
        check_decoded(&[b"\xFE\xFF", be.as_slice()].concat(), content_type);
    }
}

#[test]
fn html_a_utf_8_byte_order_mark_wins_and_stays() {
    let body = [b"\xEF\xBB\xBF", PAGE.as_bytes()].concat();
    check_as_it_is(&body, None);
    check_as_it_is(&body, Some("text/html; charset=utf-16"));
}

#[test]
fn html_the_content_type_field_can_say_utf_16() {
    let (le, be) = (utf_16_le(PAGE), utf_16_be(PAGE));
    check_decoded(&le, Some("text/html; charset=UTF-16"));
    check_decoded(&le, Some("text/html;charset = \"utf-16le\" ; x=y"));
    check_decoded(&be, Some("text/html; charset='utf-16be'"));
    let text = "x".to_owned() + PAGE;
    let bytes = scannable(&utf_16_be(&text), Some(b"text/html; CHARSET=utf-16be"))
        .expect("UTF-16")
        .into_owned();
    assert_eq!(bytes, text.as_bytes());
}

#[test]
fn local_a_first_byte_pair_of_utf_16_is_enough() {
    for content_type in [None, Some("text/html"), Some("text/html; charset=utf-8")] {
        check_decoded(&utf_16_le(PAGE), content_type);
        check_decoded(&utf_16_be(PAGE), content_type);
    }
}

#[test]
fn html_iso_2022_jp_is_decoded_where_it_is_declared() {
    check_decoded(JAPANESE, Some("text/html; charset=ISO-2022-JP"));
    check_decoded(JAPANESE, Some("text/html; charset=csISO2022JP;x=y"));
    check_as_it_is(JAPANESE, Some("text/html; charset=utf-8"));
}

/// Its escape sequences show it.
#[test]
fn read_11_iso_2022_jp_is_decoded_where_nothing_is_declared() {
    check_decoded(JAPANESE, None);
    check_decoded(JAPANESE, Some("text/html; charset="));
    check_decoded(JAPANESE, Some("text/html; charset=utf8mb4"));
}

#[test]
fn read_11_what_cannot_be_decoded_is_not_scanned() {
    for label in [
        "utf-7",
        "UTF-32",
        "utf-32le",
        "iso-2022-kr",
        "ISO-2022-CN",
        "hz-gb-2312",
        "scsu",
        "cp037",
        "IBM1047",
        "ebcdic-cp-us",
        "IBM00858x",
        "ibm500",
    ] {
        let expected = label == "IBM00858x";
        let content_type = format!("text/html; charset={label}");
        assert_eq!(
            scannable(b"<p>", Some(content_type.as_bytes())).is_some(),
            expected,
            "{label}"
        );
        let meta = format!("<meta charset=\"{label}\">");
        assert_eq!(
            scannable(meta.as_bytes(), None).is_some(),
            expected,
            "{label}"
        );
        let declaration = format!("<?xml version='1.0' encoding='{label}'?><html/>");
        assert_eq!(
            scannable(declaration.as_bytes(), None).is_some(),
            expected,
            "{label}"
        );
    }
    let utf_32: Vec<u8> = PAGE
        .chars()
        .flat_map(|char| u32::from(char).to_le_bytes())
        .collect();
    for body in [
        &[b"\xFF\xFE\0\0", &utf_32[..]].concat()[..],
        &utf_32,
        b"+/v8-<meta>",
        b" +ADw-meta name=robots+AD4-",
        b"\x1B$)C<html>",
    ] {
        assert_eq!(scannable(body, None), None);
    }
}

/// A declaration that the bytes contradict says nothing.
#[test]
fn read_11_utf_16_is_known_without_a_declaration_and_ascii_is_not_taken_for_it() {
    let text = format!("\n{PAGE}");
    for body in [utf_16_le(&text), utf_16_be(&text)] {
        for content_type in [None, Some(&b"text/html; charset=utf-8"[..])] {
            let found = scannable(&body, content_type).expect("UTF-16");
            assert_eq!(found, text.as_bytes(), "{content_type:?}");
        }
    }
    check_as_it_is(
        b"<meta name=robots content=noai>",
        Some("text/html; charset=utf-16"),
    );
    check_as_it_is(b"<?xml version='1.0' encoding='utf-16'?><html/>", None);
}

fn is_decoded(head: &str, content_type: Option<&[u8]>) -> bool {
    let body = [head.as_bytes(), JAPANESE].concat();
    match scannable(&body, content_type).expect("an encoding that is decoded") {
        Cow::Borrowed(same) => {
            assert_eq!(same, body);
            false
        }
        Cow::Owned(text) => {
            assert_eq!(text, [head, PAGE].concat().as_bytes());
            true
        }
    }
}

#[test]
fn html_iso_2022_jp_can_be_declared_by_a_meta_element() {
    for head in [
        "<meta charset=iso-2022-jp>",
        "<!DOCTYPE html><!-- <meta charset=utf-8> --><html x='>'><META Charset='ISO-2022-JP'>",
        "<meta http-equiv=Content-Type content='text/html; charset=iso-2022-jp'>",
        "<meta content=\"text/html;charset='iso-2022-jp'\" http-equiv=content-type>",
        "<meta charset=no-such><meta charset='iso-2022&#45;jp'>",
        "<p>text</p><meta charset=iso-2022-jp>",
    ] {
        assert!(is_decoded(head, None), "{head}");
        assert!(
            is_decoded(head, Some(b"text/html; charset=no-such")),
            "{head}"
        );
        assert!(
            !is_decoded(head, Some(b"text/html; charset=utf-8")),
            "{head}"
        );
    }
    for head in [
        "<meta charset=utf-8><meta charset=iso-2022-jp>",
        "<meta charset=utf-16><meta charset=iso-2022-jp>",
        "<!-- <meta charset=iso-2022-jp> --><meta charset=utf-8>",
        "<meta content='text/html; charset=iso-2022-jp'><meta charset=utf-8>",
        "<meta name=charset content=iso-2022-jp><meta charset=utf-8>",
        "<title charset=iso-2022-jp></title><meta charset=utf-8>",
    ] {
        assert!(!is_decoded(head, None), "{head}");
    }
}

#[test]
fn html_a_meta_charset_counts_in_the_first_1024_bytes_only() {
    let declaration = "<meta charset=utf-8>";
    let fits = 1024 - declaration.len();
    assert!(!is_decoded(&(" ".repeat(fits) + declaration), None));
    assert!(is_decoded(&(" ".repeat(fits + 1) + declaration), None));
}

#[test]
fn html_supersets_of_ascii_and_empty_bodies_stay_as_they_are() {
    for content_type in [
        None,
        Some("text/html; charset=shift_jis"),
        Some("text/html; charset=gb18030"),
    ] {
        check_as_it_is(b"", content_type);
        check_as_it_is(b"<", content_type);
        check_as_it_is(b"<p>\x83\x5C\x81\x30\x89\x38", content_type);
    }
    check_as_it_is(b"<meta charset=utf-16><p>", None);
}

#[test]
fn local_a_decoded_page_gives_its_metas() {
    for body in [
        utf_16_le(PAGE),
        utf_16_be(PAGE),
        utf_16_le(&("\u{FEFF}".to_owned() + PAGE)),
    ] {
        assert_eq!(
            meta_names(&scannable(&body, None).expect("decoded")),
            ["robots"]
        );
    }
}

/// Ours: after an escape any byte can be half of a character, here `">` is one.
#[test]
fn local_bytes_after_an_escape_are_no_markup() {
    let body = b"<meta charset=iso-2022-jp><meta name=description content=\"\x1B$B\">\x1B(B\">\
        <meta name=robots content=noindex>";
    assert_eq!(
        meta_names(&scannable(body, None).expect("decoded")),
        ["description", "robots"]
    );
    assert_eq!(meta_names(body), ["description"]);
}
