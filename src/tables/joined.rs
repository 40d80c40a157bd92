//! Meanings of columns that have names of an enum, joined when the crate is compiled.
//!
//! Example: `joined!("page, or ", SITE_FILE_KINDS)`. Left out: texts that are known only when the program runs.

use crate::web::capture_kind::CaptureKind;

/// Joins constant texts to one.
macro_rules! joined {
    ($($part:expr),+ $(,)?) => { $crate::tables::joined::joined_all!(&[$($part),+]) };
}

/// Joins the texts of a constant slice to one.
macro_rules! joined_all {
    ($parts:expr) => {{
        const PARTS: &[&str] = $parts;
        const BYTES: [u8; $crate::tables::joined::bytes_of(PARTS)] =
            $crate::tables::joined::joined_bytes(PARTS);
        match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    }};
}

pub(super) use {joined, joined_all};

/// The names of the kinds of site files, separated by commas.
pub(super) const SITE_FILE_KINDS: &str = joined_all!(listed().as_flattened());

/// Returns the name of each kind of site files, and a comma before it, but before the first one; other kinds have empty texts.
const fn listed() -> [[&'static str; 2]; CaptureKind::ALL.len()] {
    let (mut texts, mut place, mut comma) = ([["", ""]; CaptureKind::ALL.len()], 0, "");
    while place < CaptureKind::ALL.len() {
        let kind = CaptureKind::ALL[place];
        if kind.is_site_file() {
            texts[place] = [comma, kind.as_str()];
            comma = ", ";
        }
        place += 1;
    }
    texts
}

/// Returns how many bytes the texts have together.
pub(super) const fn bytes_of(parts: &[&str]) -> usize {
    let (mut bytes, mut part) = (0, 0);
    while part < parts.len() {
        bytes += parts[part].len();
        part += 1;
    }
    bytes
}

/// Returns the bytes of the texts, one text after the other.
pub(super) const fn joined_bytes<const N: usize>(parts: &[&str]) -> [u8; N] {
    let (mut bytes, mut written, mut part) = ([0; N], 0, 0);
    while part < parts.len() {
        let text = parts[part].as_bytes();
        let mut place = 0;
        while place < text.len() {
            bytes[written] = text[place];
            (written, place) = (written + 1, place + 1);
        }
        part += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn local_texts_are_joined_in_their_order() {
        const MIDDLE: &str = "\u{e9}b";
        assert_eq!(joined!("a ", MIDDLE, "", " c"), "a \u{e9}b c");
        assert_eq!(joined_all!(&[]), "");
    }
}
