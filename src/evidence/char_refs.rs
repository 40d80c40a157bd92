//! Character references in attribute values, and what else HTML does to a value's bytes.
//!
//! Document: HTML Living Standard, "Character reference state" and on,
//! "Named character references", "Preprocessing the input stream".
//! Example: `noindex&#44;&nbsp;nofollow`
//!
//! Known names: all that stand for an ASCII character, since only these can be part of a
//! directive's syntax; the Latin-1 ones; the common punctuation of running text. Left out:
//! the other names of the standard's 2,231 (Greek, mathematics, arrows), for the table would
//! be longer than the scanner and no directive uses them. An unknown name stays as written.
//!
//! A reference is decoded to UTF-8, whatever the encoding of the bytes around it.

use std::borrow::Cow;

use memchr::memchr3;

/// Decodes an attribute's value; borrowed if there is nothing to decode.
///
/// CR LF and CR become LF, NUL becomes U+FFFD, character references their characters.
pub(super) fn decode(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr3(b'&', b'\r', 0, value) else {
        return Cow::Borrowed(value);
    };
    let mut decoded = Vec::with_capacity(value.len());
    let mut rest = value;
    let mut next = Some(first);
    while let Some((plain, special)) = next.and_then(|at| rest.split_at_checked(at)) {
        decoded.extend_from_slice(plain);
        rest = decode_one(special, &mut decoded);
        next = memchr3(b'&', b'\r', 0, rest);
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// Decodes the special byte that `bytes` begin with; returns what follows.
fn decode_one<'a>(bytes: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some((&special, after)) = bytes.split_first() else {
        return bytes;
    };
    let (found, after) = match special {
        b'\r' => ('\n', after.strip_prefix(b"\n").unwrap_or(after)),
        b'&' => reference(after).unwrap_or(('&', after)),
        _ => (char::REPLACEMENT_CHARACTER, after),
    };
    decoded.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
    after
}

/// Reads the character reference whose `&` was just read; returns what follows it.
pub(super) fn reference(bytes: &[u8]) -> Option<(char, &[u8])> {
    match bytes.strip_prefix(b"#") {
        Some(number) => numeric(number),
        None => named(bytes),
    }
}

/// HTML, "Numeric character reference state": decimal, or `x` and hexadecimal;
/// the semicolon may be missing.
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
    let after = digits.get(length..).filter(|_| length > 0)?;
    Some((character(code), after.strip_prefix(b";").unwrap_or(after)))
}

/// HTML, "Numeric character reference end state": windows-1252 for C1 controls,
/// U+FFFD for what is no character.
fn character(code: u32) -> char {
    let found = match code {
        0 => None,
        0x80..=0x9F => usize::try_from(code - 0x80).ok().and_then(|at| WINDOWS_1252.get(at).copied()),
        other => char::from_u32(other),
    };
    found.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// HTML, "Named character reference state", in an attribute: what ends without a
/// semicolon is a reference only for the old names, and only if no `=` or letter follows.
fn named(bytes: &[u8]) -> Option<(char, &[u8])> {
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric());
    let (name, after) = bytes.split_at_checked(end.unwrap_or(bytes.len()))?;
    let old = || character_of(name, &OLD_NAMES);
    match after.first() {
        Some(b';') => {
            let found = old().or_else(|| character_of(name, &NEW_NAMES))?;
            Some((found, after.get(1..)?))
        }
        Some(b'=') => None,
        Some(_) | None => Some((old()?, after)),
    }
}

/// Looks a name up in a table that is sorted by the bytes of the names.
fn character_of(name: &[u8], names: &[(&str, char)]) -> Option<char> {
    let at = names.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
    names.get(at).map(|&(_, found)| found)
}

/// The characters of windows-1252 from 0x80 on; five are the C1 controls themselves.
const WINDOWS_1252: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}',
    '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

/// The names that need no semicolon: those of ASCII and Latin-1 in early HTML; sorted.
const OLD_NAMES: [(&str, char); 106] = [
    ("AElig", '\u{C6}'),
    ("AMP", '&'),
    ("Aacute", '\u{C1}'),
    ("Acirc", '\u{C2}'),
    ("Agrave", '\u{C0}'),
    ("Aring", '\u{C5}'),
    ("Atilde", '\u{C3}'),
    ("Auml", '\u{C4}'),
    ("COPY", '\u{A9}'),
    ("Ccedil", '\u{C7}'),
    ("ETH", '\u{D0}'),
    ("Eacute", '\u{C9}'),
    ("Ecirc", '\u{CA}'),
    ("Egrave", '\u{C8}'),
    ("Euml", '\u{CB}'),
    ("GT", '>'),
    ("Iacute", '\u{CD}'),
    ("Icirc", '\u{CE}'),
    ("Igrave", '\u{CC}'),
    ("Iuml", '\u{CF}'),
    ("LT", '<'),
    ("Ntilde", '\u{D1}'),
    ("Oacute", '\u{D3}'),
    ("Ocirc", '\u{D4}'),
    ("Ograve", '\u{D2}'),
    ("Oslash", '\u{D8}'),
    ("Otilde", '\u{D5}'),
    ("Ouml", '\u{D6}'),
    ("QUOT", '"'),
    ("REG", '\u{AE}'),
    ("THORN", '\u{DE}'),
    ("Uacute", '\u{DA}'),
    ("Ucirc", '\u{DB}'),
    ("Ugrave", '\u{D9}'),
    ("Uuml", '\u{DC}'),
    ("Yacute", '\u{DD}'),
    ("aacute", '\u{E1}'),
    ("acirc", '\u{E2}'),
    ("acute", '\u{B4}'),
    ("aelig", '\u{E6}'),
    ("agrave", '\u{E0}'),
    ("amp", '&'),
    ("aring", '\u{E5}'),
    ("atilde", '\u{E3}'),
    ("auml", '\u{E4}'),
    ("brvbar", '\u{A6}'),
    ("ccedil", '\u{E7}'),
    ("cedil", '\u{B8}'),
    ("cent", '\u{A2}'),
    ("copy", '\u{A9}'),
    ("curren", '\u{A4}'),
    ("deg", '\u{B0}'),
    ("divide", '\u{F7}'),
    ("eacute", '\u{E9}'),
    ("ecirc", '\u{EA}'),
    ("egrave", '\u{E8}'),
    ("eth", '\u{F0}'),
    ("euml", '\u{EB}'),
    ("frac12", '\u{BD}'),
    ("frac14", '\u{BC}'),
    ("frac34", '\u{BE}'),
    ("gt", '>'),
    ("iacute", '\u{ED}'),
    ("icirc", '\u{EE}'),
    ("iexcl", '\u{A1}'),
    ("igrave", '\u{EC}'),
    ("iquest", '\u{BF}'),
    ("iuml", '\u{EF}'),
    ("laquo", '\u{AB}'),
    ("lt", '<'),
    ("macr", '\u{AF}'),
    ("micro", '\u{B5}'),
    ("middot", '\u{B7}'),
    ("nbsp", '\u{A0}'),
    ("not", '\u{AC}'),
    ("ntilde", '\u{F1}'),
    ("oacute", '\u{F3}'),
    ("ocirc", '\u{F4}'),
    ("ograve", '\u{F2}'),
    ("ordf", '\u{AA}'),
    ("ordm", '\u{BA}'),
    ("oslash", '\u{F8}'),
    ("otilde", '\u{F5}'),
    ("ouml", '\u{F6}'),
    ("para", '\u{B6}'),
    ("plusmn", '\u{B1}'),
    ("pound", '\u{A3}'),
    ("quot", '"'),
    ("raquo", '\u{BB}'),
    ("reg", '\u{AE}'),
    ("sect", '\u{A7}'),
    ("shy", '\u{AD}'),
    ("sup1", '\u{B9}'),
    ("sup2", '\u{B2}'),
    ("sup3", '\u{B3}'),
    ("szlig", '\u{DF}'),
    ("thorn", '\u{FE}'),
    ("times", '\u{D7}'),
    ("uacute", '\u{FA}'),
    ("ucirc", '\u{FB}'),
    ("ugrave", '\u{F9}'),
    ("uml", '\u{A8}'),
    ("uuml", '\u{FC}'),
    ("yacute", '\u{FD}'),
    ("yen", '\u{A5}'),
    ("yuml", '\u{FF}'),
];

/// The names that need a semicolon: the rest of ASCII, common punctuation; sorted.
const NEW_NAMES: [(&str, char); 84] = [
    ("Dagger", '\u{2021}'),
    ("DiacriticalGrave", '`'),
    ("Hat", '^'),
    ("NewLine", '\n'),
    ("NonBreakingSpace", '\u{A0}'),
    ("OElig", '\u{152}'),
    ("Prime", '\u{2033}'),
    ("Scaron", '\u{160}'),
    ("Tab", '\t'),
    ("UnderBar", '_'),
    ("VerticalLine", '|'),
    ("Yuml", '\u{178}'),
    ("apos", '\''),
    ("ast", '*'),
    ("bdquo", '\u{201E}'),
    ("bsol", '\\'),
    ("bull", '\u{2022}'),
    ("check", '\u{2713}'),
    ("circ", '\u{2C6}'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dagger", '\u{2020}'),
    ("darr", '\u{2193}'),
    ("dash", '\u{2010}'),
    ("dollar", '$'),
    ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'),
    ("equals", '='),
    ("euro", '\u{20AC}'),
    ("excl", '!'),
    ("fnof", '\u{192}'),
    ("grave", '`'),
    ("hairsp", '\u{200A}'),
    ("harr", '\u{2194}'),
    ("hellip", '\u{2026}'),
    ("horbar", '\u{2015}'),
    ("hyphen", '\u{2010}'),
    ("larr", '\u{2190}'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("ldquo", '\u{201C}'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lrm", '\u{200E}'),
    ("lsaquo", '\u{2039}'),
    ("lsqb", '['),
    ("lsquo", '\u{2018}'),
    ("mdash", '\u{2014}'),
    ("midast", '*'),
    ("minus", '\u{2212}'),
    ("ndash", '\u{2013}'),
    ("num", '#'),
    ("numsp", '\u{2007}'),
    ("oelig", '\u{153}'),
    ("percnt", '%'),
    ("period", '.'),
    ("permil", '\u{2030}'),
    ("plus", '+'),
    ("prime", '\u{2032}'),
    ("quest", '?'),
    ("rarr", '\u{2192}'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rdquo", '\u{201D}'),
    ("rlm", '\u{200F}'),
    ("rpar", ')'),
    ("rsaquo", '\u{203A}'),
    ("rsqb", ']'),
    ("rsquo", '\u{2019}'),
    ("sbquo", '\u{201A}'),
    ("scaron", '\u{161}'),
    ("semi", ';'),
    ("sol", '/'),
    ("thinsp", '\u{2009}'),
    ("tilde", '\u{2DC}'),
    ("trade", '\u{2122}'),
    ("uarr", '\u{2191}'),
    ("verbar", '|'),
    ("vert", '|'),
    ("zwj", '\u{200D}'),
    ("zwnj", '\u{200C}'),
];

#[cfg(test)]
mod tests {
    use super::{NEW_NAMES, OLD_NAMES};

    #[test]
    fn local_names_are_sorted_and_known_once() {
        assert!(OLD_NAMES.is_sorted_by(|(first, _), (second, _)| first < second));
        assert!(NEW_NAMES.is_sorted_by(|(first, _), (second, _)| first < second));
        let twice = OLD_NAMES.iter().filter(|&known| NEW_NAMES.contains(known));
        assert_eq!(twice.count(), 0);
    }
}
