//! Bytes of the web, shown as text.
//!
//! A byte that belongs to no UTF-8 character, and NUL, which some engines refuse in text, is shown as `\xHH`. In text for people,
//! [`visible`] also escapes characters that a terminal obeys: an archive called `a<ESC>[2Jb.warc` would clear the screen. Left
//! out: the way back; columns that need it are binary.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// The maximum length in bytes of a shown value; any number of rows may have one.
pub const SHOWN_BYTES: usize = 1 << 10;

/// Returns the part of a value that is shown.
pub fn beginning(value: &[u8]) -> &[u8] {
    value.get(..SHOWN_BYTES).unwrap_or(value)
}

/// Returns names as text, joined by comma and blank, at most [`SHOWN_BYTES`].
pub fn joined<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut text = String::new();
    // The limit also bounds the number of empty names.
    for name in names.into_iter().take(SHOWN_BYTES) {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&shown(beginning(name)));
        if text.len() > SHOWN_BYTES {
            text.truncate(text.floor_char_boundary(SHOWN_BYTES));
            break;
        }
    }
    text
}

/// Returns text without characters that a terminal obeys or that reorder the text around them; all text for people passes here.
/// Ours: C0, DEL and C1 are `\xHH`, line separators and bidirectional controls `\u{HHHH}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    with_escapes(text, |shown, hidden| match u32::from(hidden) {
        code if hidden.is_control() => write!(shown, "\\x{code:02X}"),
        code => write!(shown, "\\u{{{code:X}}}"),
    })
}

/// Returns JSON text in which such characters are JSON escapes, so that a parser gets them back. All are in the basic plane.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    with_escapes(json, |shown, hidden| {
        write!(shown, "\\u{:04x}", u32::from(hidden))
    })
}

fn with_escapes(text: &str, escape: impl Fn(&mut String, char) -> fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        // Writing to a String does not fail.
        let _ = if is_hidden(character) {
            escape(&mut shown, character)
        } else {
            shown.write_char(character)
        };
    }
    Cow::Owned(shown)
}

/// Returns whether a character is a control (C0, DEL, C1), a line separator or a bidirectional control (UAX #9).
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns `bytes` as text, with foreign bytes as `\xHH`.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if memchr::memchr(0, bytes).is_none() => Cow::Borrowed(text),
        Ok(_) | Err(_) => Cow::Owned(escaped(bytes, "\\x")),
    }
}

/// Returns bytes as text, with NUL and bytes outside UTF-8 in hexadecimal digits behind a mark.
pub(super) fn escaped(bytes: &[u8], mark: &str) -> String {
    let (mut text, nul) = (String::with_capacity(bytes.len() + 16), format!("{mark}00"));
    for chunk in bytes.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\0', &nul));
        for byte in chunk.invalid() {
            // Writing to a String does not fail.
            let _ = write!(text, "{mark}{byte:02X}");
        }
    }
    text
}

/// Returns a text with the user and query of URLs removed, because signed URLs have their key there.
pub fn without_credentials(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else {
        return value.to_owned();
    };
    let (address, query) = match rest.find(['?', '#']) {
        Some(at) => (rest.get(..at).unwrap_or_default(), "?..."),
        None => (rest, ""),
    };
    let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let host = match host.rsplit_once('@') {
        Some((_, host)) => format!("...@{host}"),
        None => host.to_owned(),
    };
    format!("{scheme}://{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::{SHOWN_BYTES, joined, shown, visible, visible_json, without_credentials};

    #[test]
    fn local_foreign_bytes_are_shown_in_hexadecimal() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            ("\u{1f916}".as_bytes(), "\u{1f916}"),
            (b"caf\xe9!", "caf\\xE9!"),
            (b"\xf0\x9f\xa4", "\\xF0\\x9F\\xA4"),
            (b"a\0b", "a\\x00b"),
        ] {
            assert_eq!(shown(bytes), text);
        }
    }

    #[test]
    fn local_many_names_are_cut_at_a_character() {
        assert_eq!(joined([&b"a"[..], b"", b"b\xFF"]), "a, , b\\xFF");
        let names = vec!["\u{e9}".as_bytes(); 1000];
        let text = joined(names);
        assert!(
            text.len() > SHOWN_BYTES - 2 && text.len() <= SHOWN_BYTES,
            "{}",
            text.len()
        );
        assert_eq!(joined([vec![b'x'; 4000].as_slice()]).len(), SHOWN_BYTES);
    }

    #[test]
    fn local_control_characters_are_escaped() {
        for (text, shown, json) in [
            (
                "caf\u{e9} \u{1f916}",
                "caf\u{e9} \u{1f916}",
                "caf\u{e9} \u{1f916}",
            ),
            ("a\x1b[2Jb", "a\\x1B[2Jb", "a\\u001b[2Jb"),
            (
                "a\0\n\r\t\x7f",
                "a\\x00\\x0A\\x0D\\x09\\x7F",
                "a\\u0000\\u000a\\u000d\\u0009\\u007f",
            ),
            ("\u{9b}2J", "\\x9B2J", "\\u009b2J"),
            (
                "\u{202e}gz.craw\u{2069}",
                "\\u{202E}gz.craw\\u{2069}",
                "\\u202egz.craw\\u2069",
            ),
            (
                "\u{61c}\u{200f}\u{2028}",
                "\\u{61C}\\u{200F}\\u{2028}",
                "\\u061c\\u200f\\u2028",
            ),
        ] {
            assert_eq!(
                (visible(text).as_ref(), visible_json(text).as_ref()),
                (shown, json)
            );
        }
    }

    #[test]
    fn local_urls_lose_their_credentials_and_nothing_else_does() {
        for (given, kept) in [
            ("a/b@c?d", "a/b@c?d"),
            ("s3://bucket/a@b/*.warc.gz", "s3://bucket/a@b/*.warc.gz"),
            (
                "@https://me:secret@host/list?X-Amz-Signature=1",
                "@https://...@host/list?...",
            ),
            ("https://a@b:c@host#token", "https://...@host?..."),
        ] {
            assert_eq!(without_credentials(given), kept);
        }
    }
}
