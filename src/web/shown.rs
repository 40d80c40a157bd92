//! Bytes of the web, shown as text.
//!
//! Most are UTF-8. A byte that belongs to no UTF-8 character, and NUL, which some engines refuse in
//! text, is shown as `\xHH`. Example: `caf\xE9` in Latin-1 is shown as `caf\xE9`.
//! Left out: the way back; where it is needed, a column is binary.

use std::borrow::Cow;
use std::fmt::Write;

/// The longest text that is shown of a value, in bytes, where it is one of any number of rows.
pub const SHOWN_BYTES: usize = 1 << 10;

/// Returns so much of a value as is shown.
#[must_use]
pub fn beginning(value: &[u8]) -> &[u8] {
    value.get(..SHOWN_BYTES).unwrap_or(value)
}

/// Returns names as text, joined by comma and blank, at most [`SHOWN_BYTES`].
pub fn joined<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut text = String::new();
    for name in names {
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

/// Returns whether a character of a foreign text must be escaped: a terminal obeys controls, and some others
/// change the direction of text.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    let changes_direction = matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    character.is_control() || changes_direction
}

/// Returns `bytes` as text.
#[must_use]
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Cow::Borrowed(text),
        Ok(_) | Err(_) => Cow::Owned(escaped(bytes)),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\0' {
                text.push_str("\\x00");
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            // Writing to a String does not fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{SHOWN_BYTES, joined, shown};

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
        assert!(text.len() > SHOWN_BYTES - 2 && text.len() <= SHOWN_BYTES, "{}", text.len());
        assert_eq!(joined([vec![b'x'; 4000].as_slice()]).len(), SHOWN_BYTES);
    }
}
