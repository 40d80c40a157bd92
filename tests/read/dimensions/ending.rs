//! READ-2, READ-9 and READ-10: control bytes, other ends of files, JSON that is none, and bytes that are no text.
//!
//! Crossed: every control byte with every place of it.

use super::{Expected, Variants};
use crate::message::Carrier;

const CONTROLS: [&[u8]; 9] = [
    b"\0",
    b"\x1a",
    b"\x0c",
    b"\x0b",
    b"\0\0\0\0\0\0\0\0",
    b"\x1a\x1a",
    b"\x04",
    b"\x7f",
    b"\x1a\r\n",
];

/// How formats that are no text begin.
const BINARY: [(&str, &[u8]); 12] = [
    (
        "PNG",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
    ),
    ("JPEG", b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01"),
    ("GIF", b"GIF89a\x01\0\x01\0\x80\0\0"),
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
    ("ZIP", b"PK\x03\x04\x14\0\0\0\x08\0"),
    ("bzip2", b"BZh91AY&SY\x01\x02"),
    ("xz", b"\xfd7zXZ\0\0\x04"),
    ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
    ("ELF", b"\x7fELF\x02\x01\x01\0\0"),
    ("MZ", b"MZ\x90\0\x03\0\0\0\x04\0"),
    ("WOFF2", b"wOF2\0\x01\0\0\0\0"),
    ("MP4", b"\0\0\0\x18ftypmp42\0\0\0\0"),
];

pub fn add(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    if plain.is_page() {
        return;
    }
    let is_robots = plain.carrier == Carrier::Robots;
    let body = &plain.body;
    let line_end = body
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(body.len());
    let last_line = body.trim_ascii_end().len();
    for control in CONTROLS {
        let is_end = is_robots && control.iter().all(|byte| matches!(byte, 0 | 0x1a));
        let is_blank = is_robots && matches!(control, b"\x0c" | b"\x0b");
        for (place, at) in [
            ("start", 0),
            ("first line", line_end),
            ("last line", last_line),
            ("end", body.len()),
        ] {
            let (front, back) = body.split_at(at);
            let message = plain.with_body([front, control, back].concat());
            let same = (is_end && place == "end")
                || (is_blank && matches!(place, "start" | "first line" | "last line" | "end"));
            let expected = if same {
                Expected::Same
            } else {
                Expected::NoNewYes
            };
            variants.push(
                "ending",
                format!("{control:?} at {place}"),
                expected,
                message,
            );
        }
        let everywhere = body.split_inclusive(|byte| *byte == b'\n');
        let every = everywhere
            .flat_map(|line| [control, line].concat())
            .collect();
        variants.no_new_yes(
            "ending",
            format!("{control:?} before each line"),
            plain.with_body(every),
        );
    }
    for (name, magic) in BINARY {
        variants.no_new_yes("no text", name, plain.with_body(magic.to_vec()));
        variants.no_new_yes(
            "no text",
            format!("{name} and zeros"),
            plain.with_body([magic, &[0; 600]].concat()),
        );
        variants.no_new_yes(
            "no text",
            format!("{name} before the file"),
            plain.with_body([magic, body].concat()),
        );
    }
    if plain.carrier == Carrier::Tdmrep {
        add_json(variants);
    }
}

fn add_json(variants: &mut Variants<'_>) {
    let plain = variants.plain;
    let Some(text) = plain.text().map(str::trim) else {
        return;
    };
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    for (name, body) in [
        ("a trailing comma", format!("[{inner},]")),
        ("a comment", format!("// ours\n{text}")),
        ("a comment of C", format!("/* ours */ {text}")),
        ("a comment behind", format!("{text}\n# ours")),
        ("no end", text.trim_end_matches(']').to_owned()),
        (
            "no end of an object",
            text.trim_end_matches([']', '}']).to_owned(),
        ),
        ("two texts", format!("{text}{text}")),
        ("single quotes", text.replace('"', "'")),
        (
            "names without quotes",
            text.replace("\"location\"", "location"),
        ),
        ("NaN", text.replacen('[', "[NaN,", 1)),
        ("a control in a string", text.replacen("\"/", "\"/\u{1}", 1)),
        ("an assignment", format!("tdm = {text};")),
        ("a bad escape", text.replacen("\"/", "\"\\x/", 1)),
        ("a leading zero", text.replacen(": 1", ": 01", 1)),
    ] {
        variants.no_new_yes("grammar", name, plain.with_body(body.into_bytes()));
    }
    let latin_1 = [text.as_bytes(), b" \xe9"].concat();
    variants.no_new_yes("grammar", "not UTF-8", plain.with_body(latin_1));
    for (name, body) in [
        ("blanks", format!("\n {text}\n\n")),
        ("a mark", format!("\u{feff}{text}")),
    ] {
        variants.same("grammar", name, plain.with_body(body.into_bytes()));
    }
}
