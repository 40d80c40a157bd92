//! Lines that are joined in one line: after escaped line ends, with blanks in place of line ends, or with nothing.
//!
//! Examples: `User-agent: * Disallow: /`, `User-agent: *%0ADisallow: /`. Left out: what such a line means (`near_miss`).

use super::line::DISALLOW_MISSPELT;

const WORD_LETTERS: usize = 32;

/// U+FF1A, the colon of Chinese and Japanese keyboards.
const FULL_WIDTH_COLON: [u8; 3] = [0xEF, 0xBC, 0x9A];

/// Returns the text after each escaped line end of a line, up to the next one.
pub(super) fn behind_line_ends(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = move |at: &usize| {
        let mark = line.get(*at..)?;
        match mark {
            // Three bytes: escapes of URLs; line separator and paragraph separator of Unicode.
            [b'%', b'0', b'a' | b'A' | b'd' | b'D', ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => Some(3),
            // Two bytes: escapes of strings; next line of Unicode.
            [b'\\', b'n' | b'r', ..] | [0xC2, 0x85, ..] => Some(2),
            // References of HTML to LF and CR.
            [b'&', b'#', b'1', b'0' | b'3', b';', ..] => Some(5),
            // Breaks of HTML.
            [b'<', b'b' | b'B', b'r' | b'R', b'>' | b'/' | b' ', ..] => {
                memchr::memchr(b'>', mark).map(|end| end + 1)
            }
            _ => None,
        }
    };
    let may_be = |byte: &u8| matches!(byte, b'%' | b'\\' | b'&' | b'<' | 0xC2 | 0xE2);
    let places = line
        .iter()
        .enumerate()
        .filter(move |(_, byte)| may_be(byte))
        .map(|(at, _)| at);
    let mut ends = places
        .filter_map(move |at| Some((at, at + end(&at)?)))
        .peekable();
    std::iter::from_fn(move || {
        let (_, start) = ends.next()?;
        let next = ends.peek().map_or(line.len(), |(at, _)| *at);
        line.get(start..next)
    })
}

pub(super) fn letters(word: &[u8]) -> Vec<u8> {
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic());
    letters
        .map(u8::to_ascii_lowercase)
        .take(WORD_LETTERS)
        .collect()
}

/// Returns whether a value ends in a tag that ends an element or a line: `</p>`, `<br />`.
pub(super) fn ends_in_markup(value: &[u8]) -> bool {
    let tag = value.strip_suffix(b">").and_then(|value| {
        let open = memchr::memrchr(b'<', value)?;
        value.get(open + 1..)
    });
    tag.is_some_and(|tag| {
        tag.starts_with(b"/")
            || tag
                .get(..2)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"br"))
    })
}

/// A word that is followed by a colon and a value.
pub(super) struct ColonWord<'a> {
    pub(super) text: &'a [u8],
    /// Whether an escaped line end precedes it: `%0A`, or a backslash and a letter.
    pub(super) is_after_line_end: bool,
}

impl ColonWord<'_> {
    pub(super) fn is_rule(&self) -> bool {
        self.rule_name().is_some()
    }

    /// Returns the name of a rule with which it ends.
    pub(super) fn rule_name(&self) -> Option<&'static str> {
        let names = ["user-agent", "disallow"]
            .into_iter()
            .chain(DISALLOW_MISSPELT);
        names.into_iter().find(|name| self.ends_as(name))
    }

    /// Ours: the name needs nothing before it, since lines may be joined without their ends.
    pub(super) fn ends_as(&self, name: &str) -> bool {
        let start = self.text.len().checked_sub(name.len());
        let end = start.and_then(|start| self.text.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
    }
}

pub(super) fn words_before_colons(text: &[u8]) -> impl Iterator<Item = ColonWord<'_>> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    memchr::memchr2_iter(b':', FULL_WIDTH_COLON[0], text).filter_map(move |at| {
        let (before, value) = text.split_at_checked(at)?;
        let value = value
            .strip_prefix(b":")
            .or_else(|| value.strip_prefix(&FULL_WIDTH_COLON))?;
        value.trim_ascii_start().first()?;
        let before = before.trim_ascii_end();
        let start = before
            .iter()
            .rposition(|byte| !in_word(byte))
            .map_or(0, |mark| mark + 1);
        let (before, word) = before.split_at_checked(start)?;
        Some(match (before.last(), word) {
            (Some(b'%'), [b'0', b'a' | b'A' | b'd' | b'D', text @ ..])
            | (Some(b'\\'), [b'n' | b'r', text @ ..]) => ColonWord {
                text,
                is_after_line_end: true,
            },
            _ => ColonWord {
                text: word,
                is_after_line_end: false,
            },
        })
    })
}
