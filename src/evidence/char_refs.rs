//! Character references in attribute values, and the other changes that HTML makes to a value's bytes.
//!
//! Document: HTML Living Standard, "Character reference state" and on, "Named character references", "Preprocessing the input
//! stream". Example: `noindex&#44;&nbsp;nofollow` The names are those of the standard, in `data/char_refs.tsv`. An unknown name
//! stays as written. A reference is decoded to UTF-8, whatever the encoding of the bytes around it.

use crate::web::steps;
use encoding_rs::WINDOWS_1252;
use memchr::memchr3;
use std::{borrow::Cow, sync::LazyLock};

/// Decodes an attribute's value; borrowed if there is nothing to decode. CR LF and CR become LF, NUL becomes U+FFFD.
pub(super) fn decode(value: &[u8]) -> Cow<'_, [u8]> {
    steps::count(value.len());
    let special = |rest: &[u8]| memchr3(b'&', b'\r', 0, rest);
    if special(value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut decoded = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((plain, found)) = special(rest).and_then(|at| rest.split_at_checked(at)) {
        decoded.extend_from_slice(plain);
        rest = decode_one(found, &mut decoded);
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// Decodes the special byte that `bytes` begin with; returns the bytes behind it.
fn decode_one<'a>(bytes: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some((&special, after)) = bytes.split_first() else {
        return bytes;
    };
    match special {
        b'\r' => {
            decoded.push(b'\n');
            after.strip_prefix(b"\n").unwrap_or(after)
        }
        b'&' => reference(after, decoded).unwrap_or_else(|| {
            decoded.push(b'&');
            after
        }),
        _ => {
            push(char::REPLACEMENT_CHARACTER, decoded);
            after
        }
    }
}

/// Decodes the character reference whose `&` was just read; returns the bytes behind it.
pub(super) fn reference<'a>(bytes: &'a [u8], decoded: &mut Vec<u8>) -> Option<&'a [u8]> {
    if let Some(number) = bytes.strip_prefix(b"#") {
        let (found, after) = numeric(number)?;
        push(found, decoded);
        return Some(after);
    }
    let (found, after) = named(bytes)?;
    decoded.extend_from_slice(found.as_bytes());
    Some(after)
}

fn push(character: char, decoded: &mut Vec<u8>) {
    decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// HTML, "Numeric character reference state": decimal, or `x` and hexadecimal; the semicolon may be missing.
fn numeric(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (digits, radix) = match bytes.split_first()? {
        (b'x' | b'X', hexadecimal) => (hexadecimal, 16),
        _ => (bytes, 10),
    };
    let values = digits.iter().map_while(|&b| char::from(b).to_digit(radix));
    let mut length = 0;
    let code = values.fold(0_u32, |code, digit| {
        length += 1;
        code.saturating_mul(radix).saturating_add(digit)
    });
    steps::count(length);
    let after = digits.get(length..).filter(|_| length > 0)?;
    Some((character(code), after.strip_prefix(b";").unwrap_or(after)))
}

/// HTML, "Numeric character reference end state": windows-1252 for C1 controls, U+FFFD for a code without a character.
fn character(code: u32) -> char {
    let found = match code {
        0 => None,
        0x80..=0x9F => WINDOWS_1252
            .decode_without_bom_handling(&[code.to_le_bytes()[0]])
            .0
            .chars()
            .next(),
        other => char::from_u32(other),
    };
    found.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// HTML, "Named character reference state", in an attribute: a name without a semicolon is a reference only if it is one of
/// the old names and no `=` or letter follows.
fn named(bytes: &[u8]) -> Option<(&'static str, &[u8])> {
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = bytes
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(bytes.len());
    steps::count(end);
    let end = match bytes.get(end) {
        Some(b';') => end + 1,
        Some(b'=') => return None,
        Some(_) | None => end,
    };
    let (name, after) = bytes.split_at_checked(end)?;
    let at = NAMES
        .binary_search_by(|(known, _)| known.as_bytes().cmp(name))
        .ok()?;
    NAMES.get(at).map(|(_, found)| (found.as_str(), after))
}

/// Each name, with its semicolon if it needs one, and its characters; sorted by bytes.
static NAMES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let code_point = |digits: &str| {
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
    };
    let row = |line: &'static str| {
        let (name, code_points) = line.split_once('\t')?;
        Some((
            name,
            code_points
                .split(' ')
                .map(code_point)
                .collect::<Option<String>>()?,
        ))
    };
    include_str!("../../data/char_refs.tsv")
        .lines()
        .filter_map(row)
        .collect()
});

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn html_the_names_are_all_of_the_standard_and_sorted() {
        assert!(NAMES.is_sorted_by(|(first, _), (second, _)| first < second));
        let old = NAMES
            .iter()
            .filter(|(name, _)| !name.ends_with(';'))
            .count();
        assert_eq!((NAMES.len(), old), (2_231, 106));
    }
}
