//! READ-4, READ-9 and READ-11: charsets and byte order marks.
//!
//! Crossed: every form of the bytes with every charset that Content-Type names.

use super::{Expected, Variants};
use crate::message::{Carrier, Message};

const NAMES: [&str; 12] = [
    "",
    "; charset=utf-8",
    "; charset=\"UTF-16\"",
    "; charset=utf-16le",
    "; charset=utf-32",
    "; charset=utf-7",
    "; charset=iso-8859-1",
    "; charset=iso-2022-jp",
    "; charset=iso-2022-kr",
    "; charset=ibm037",
    "; charset=utf8mb4",
    "; charset=hz-gb-2312",
];

/// Letters of ASCII in EBCDIC, code page 037.
const EBCDIC: [u8; 128] = [
    0x00, 0x01, 0x02, 0x03, 0x37, 0x2D, 0x2E, 0x2F, 0x16, 0x05, 0x25, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
    0x10, 0x11, 0x12, 0x13, 0x3C, 0x3D, 0x32, 0x26, 0x18, 0x19, 0x3F, 0x27, 0x1C, 0x1D, 0x1E, 0x1F,
    0x40, 0x5A, 0x7F, 0x7B, 0x5B, 0x6C, 0x50, 0x7D, 0x4D, 0x5D, 0x5C, 0x4E, 0x6B, 0x60, 0x4B, 0x61,
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x5E, 0x4C, 0x7E, 0x6E, 0x6F,
    0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6,
    0xD7, 0xD8, 0xD9, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xBA, 0xE0, 0xBB, 0xB0, 0x6D,
    0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xC0, 0x4F, 0xD0, 0xA1, 0x07,
];

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let Some(text) = plain.text() else { return };
    for (form, bytes) in forms(text, plain.carrier) {
        // A file of lines in UTF-7 is ASCII text, in which nothing says what `+ACo-` was.
        if form == "UTF-7"
            && matches!(
                plain.carrier,
                Carrier::Robots | Carrier::AiTxt | Carrier::TrustTxt
            )
        {
            continue;
        }
        for name in NAMES {
            let media_type = plain
                .fields
                .iter()
                .find(|(name, _)| name == "Content-Type")
                .map(|(_, value)| value.clone());
            let media_type = String::from_utf8_lossy(&media_type.unwrap_or_default()).into_owned();
            let message = plain
                .with_body(bytes.clone())
                .typed(Some(&format!("{media_type}{name}")));
            let expected = expected(plain, form, name);
            variants.push("charset", format!("{form} as {name:?}"), expected, message);
        }
    }
}

/// What is UTF-8 is itself, whatever a site file's field says: RFC 9309 and the other documents want UTF-8.
fn expected(plain: &Message, form: &str, name: &str) -> Expected {
    let is_utf_8 = matches!(form, "UTF-8" | "UTF-8 with a mark");
    let is_utf_16_page =
        plain.is_page() && matches!(form, "UTF-16LE with a mark" | "UTF-16BE with a mark");
    let is_robots_mark = plain.carrier == Carrier::Robots && matches!(form, "EF" | "EF BB");
    let is_superset = [
        "",
        "; charset=utf-8",
        "; charset=iso-8859-1",
        "; charset=utf8mb4",
    ]
    .contains(&name);
    let is_same = is_superset && (is_utf_8 || is_utf_16_page || is_robots_mark);
    if is_same {
        Expected::Same
    } else {
        Expected::NoNewYes
    }
}

/// Returns the text in every form; letters of other charsets are in a comment, where the format has any.
fn forms(text: &str, carrier: Carrier) -> Vec<(&'static str, Vec<u8>)> {
    let behind = |letters: &[u8]| match carrier {
        Carrier::Page => [b"<!-- ", letters, b" -->", text.as_bytes()].concat(),
        Carrier::Tdmrep => [text.as_bytes(), b" ", letters].concat(),
        Carrier::Robots | Carrier::TrustTxt | Carrier::AiTxt => {
            [b"# ", letters, b"\n", text.as_bytes()].concat()
        }
        Carrier::Automation => [b"<!-- ", letters, b" -->\n", text.as_bytes()].concat(),
    };
    let utf_8 = text.as_bytes();
    let utf_16 = |big: bool| -> Vec<u8> {
        let bytes = |unit: u16| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        };
        text.encode_utf16().flat_map(bytes).collect()
    };
    let utf_32 = |big: bool| -> Vec<u8> {
        let bytes = |char: char| {
            if big {
                u32::from(char).to_be_bytes()
            } else {
                u32::from(char).to_le_bytes()
            }
        };
        text.chars().flat_map(bytes).collect()
    };
    let ebcdic = text
        .bytes()
        .map(|byte| EBCDIC.get(usize::from(byte)).copied().unwrap_or(0x6F))
        .collect();
    vec![
        ("UTF-8", utf_8.to_vec()),
        ("UTF-8 with a mark", [b"\xef\xbb\xbf", utf_8].concat()),
        ("EF", [b"\xef", utf_8].concat()),
        ("EF BB", [b"\xef\xbb", utf_8].concat()),
        (
            "a mark twice",
            [b"\xef\xbb\xbf\xef\xbb\xbf", utf_8].concat(),
        ),
        (
            "UTF-16LE with a mark",
            [b"\xff\xfe".to_vec(), utf_16(false)].concat(),
        ),
        (
            "UTF-16BE with a mark",
            [b"\xfe\xff".to_vec(), utf_16(true)].concat(),
        ),
        ("UTF-16LE", utf_16(false)),
        ("UTF-16BE", utf_16(true)),
        (
            "UTF-16LE behind a blank",
            [b" \0".to_vec(), utf_16(false)].concat(),
        ),
        (
            "UTF-32LE with a mark",
            [b"\xff\xfe\0\0".to_vec(), utf_32(false)].concat(),
        ),
        (
            "UTF-32BE with a mark",
            [b"\0\0\xfe\xff".to_vec(), utf_32(true)].concat(),
        ),
        ("UTF-32LE", utf_32(false)),
        ("UTF-32BE", utf_32(true)),
        ("UTF-7", utf_7(text)),
        ("EBCDIC", ebcdic),
        ("ISO-2022-JP", behind(b"\x1b$B$\"\x1b(B")),
        ("ISO-2022-KR", behind(b"\x1b$)C\x0e!!\x0f")),
        ("HZ", behind(b"~{<:Ky2;NpJ)~}")),
    ]
}

/// Returns text in UTF-7, RFC 2152: what is not among the direct characters in base64 of UTF-16.
fn utf_7(text: &str) -> Vec<u8> {
    let is_direct = |char: char| char.is_ascii_alphanumeric() || "'(),-./:? \n\r\t".contains(char);
    let mut coded = Vec::new();
    for char in text.chars() {
        if is_direct(char) {
            coded.extend(char.to_string().bytes());
        } else {
            let mut units = [0; 2];
            let bytes: Vec<u8> = char
                .encode_utf16(&mut units)
                .iter()
                .flat_map(|unit| unit.to_be_bytes())
                .collect();
            coded.push(b'+');
            coded.extend(base64(&bytes));
            coded.push(b'-');
        }
    }
    coded
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| {
        bytes
            .get(at / 8)
            .is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1)
    };
    let digit =
        |start: usize| (0..6).fold(0, |digit, at| digit << 1 | usize::from(bit(start + at)));
    (0..bytes.len() * 8)
        .step_by(6)
        .map(|start| DIGITS[digit(start)])
        .collect()
}
