//! Bytes of the web, shown as text.
//!
//! Most are UTF-8. A byte that belongs to no UTF-8 character, and NUL, which some engines refuse in
//! text, is shown as `\xHH`. Example: `caf\xE9` in Latin-1 is shown as `caf\xE9`.
//! Left out: the way back; where it is needed, a column is binary.

use std::borrow::Cow;
use std::fmt::Write;

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
    use super::shown;

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
}
