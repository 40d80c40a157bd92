//! What is dropped around the rules of a line: quotes, and the name of the field (RULES TAG-22).
//!
//! Example: `X-Robots-Tag: "X-Robots-Tag: noindex"` says `noindex`.

use crate::web::field::without_curly_quotes;

/// What is dropped before the rules of a line are read (TAG-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFlaw {
    /// Quotes around the whole value.
    Quoted,
    /// The name of the field at the beginning of its value.
    NameRepeated,
}

impl LineFlaw {
    /// Returns its name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::NameRepeated => "name_repeated",
        }
    }
}

/// TAG-22: drops quotes around a value, and the names of the fields at its beginning.
pub(super) fn bare(line: &[u8]) -> (&[u8], Option<LineFlaw>) {
    let (mut text, mut flaw) = (line, None);
    while let Some((rest, found)) = without_quotes(text)
        .map(|rest| (rest, LineFlaw::Quoted))
        .or_else(|| without_name(text).map(|rest| (rest, LineFlaw::NameRepeated)))
    {
        (text, flaw) = (rest, Some(found));
    }
    (text, flaw)
}

/// Ours: a value with more quotes has strings in it, which are read one by one.
fn without_quotes(text: &[u8]) -> Option<&[u8]> {
    let plain = without_curly_quotes(text);
    if plain.len() < text.trim_ascii().len() {
        return Some(plain);
    }
    match text.trim_ascii() {
        // Ours: braces and brackets as in JSON are quotes, too.
        [b'{', inside @ .., b'}'] | [b'[', inside @ .., b']'] => Some(inside),
        [quote @ (b'"' | b'\''), inside @ .., last] if quote == last && !inside.contains(quote) => {
            Some(inside)
        }
        _ => None,
    }
}

fn without_name(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start();
    let named = [&b"x-robots-tag"[..], b"robots-tag"].into_iter().find_map(|name| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    });
    named?.trim_ascii_start().strip_prefix(b":")
}
