//! The values of rules: a run of bytes, a quoted string, or a date, in which commas may be.
//!
//! Document: none; search engines have published examples, among them `unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT`. Ours:
//! a comma is part of a date depending on its neighbours, so that a rule or an agent after a date (`..., 360Spider: noindex`)
//! is still found. A date that cannot be read is a defect; the others are kept as written.
//!
//! Documents on dates: Google's documentation of robots metas, which names RFC 822, RFC 850 and ISO 8601; RULES TAG-21.
//! Examples: `25 Jun 2010 15:00:00 PST`, `Saturday, 01-Jul-00 07:00:00 PST`, `June 25, 2010`, `2025-11-06T10:14:16+01:00`.
//! Ours: an unknown zone is UTC. Left out: dates with only numbers, except ISO 8601, because their order is unknown.

use super::known::{KnownRule, known};
use crate::web::steps;
use crate::web::timestamp::Timestamp;
use sfv::{Parser, visitor::Ignored};

/// How far back from a comma the end of a date is searched, in bytes: a month, a blank and a day are shorter.
const DATE_TAIL_BYTES: usize = 24;
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// RFC 9651 4.2.2, to the letter: `a=(noindex)` is one; `A=(noindex)`, `a ;noindex` and `a;` are not.
pub(super) fn is_dictionary(text: &[u8]) -> bool {
    Parser::new(text)
        .parse_dictionary_with_visitor(Ignored)
        .is_ok()
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c')
}

pub(super) const fn is_name_byte(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, b',' | b';' | b':' | b'=' | b'(' | b')' | b'"' | b'\'')
}

/// In bytes, without blanks before the value.
pub(super) fn value_len(rule: &[u8], text: &[u8]) -> usize {
    if known(rule).is_some_and(KnownRule::is_date) {
        date_len(text)
    } else {
        run_len(text)
    }
}

/// Returns how many bytes are before a comma, a semicolon or a blank.
pub(super) fn run_len(text: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b';') || is_blank(*byte);
    let length = text.iter().position(ends).unwrap_or(text.len());
    steps::count(length);
    length
}

/// In bytes, without blanks at the end.
fn date_len(text: &[u8]) -> usize {
    let end = text.iter().enumerate().find(|(at, byte)| {
        let (before, from) = text.split_at(*at);
        let after = from.get(1..).unwrap_or_default();
        match byte {
            b';' => true,
            b',' => !is_comma_of_date(before, after),
            byte if is_blank(**byte) => known(first_name(after)).is_some(),
            _ => false,
        }
    });
    let date = text
        .get(..end.map_or(text.len(), |(at, _)| at))
        .unwrap_or_default();
    date.trim_ascii_end().len()
}

fn first_name(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|byte| is_name_byte(**byte)).count();
    steps::count(length + 1);
    text.get(..length).unwrap_or_default()
}

/// Examples: `Wed, 03 Dec`, `Wed, June 25`, `June 25, 2010`.
fn is_comma_of_date(before: &[u8], after: &[u8]) -> bool {
    let (before, after) = (before.trim_ascii_end(), after.trim_ascii_start());
    if is_one_of(before, &WEEKDAYS) {
        return starts_with_number(after) || is_one_of(first_name(after), &MONTHS);
    }
    ends_with_month_and_day(before) && starts_with_number(after)
}

/// One, two or four digits, and then a blank, `-`, a comma or the end.
fn starts_with_number(text: &[u8]) -> bool {
    let digits = text
        .iter()
        .take(5)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let ends = text
        .get(digits)
        .is_none_or(|byte| matches!(byte, b'-' | b',') || is_blank(*byte));
    matches!(digits, 1 | 2 | 4) && ends
}

fn ends_with_month_and_day(text: &[u8]) -> bool {
    let tail = text
        .get(text.len().saturating_sub(DATE_TAIL_BYTES)..)
        .unwrap_or(text);
    let mut words = tail
        .rsplit(|byte| is_blank(*byte))
        .filter(|word| !word.is_empty());
    let day = words.next().unwrap_or_default();
    let is_day = matches!(day.len(), 1 | 2) && day.iter().all(u8::is_ascii_digit);
    is_day && words.next().is_some_and(|month| is_one_of(month, &MONTHS))
}

/// The whole name counts, or its first three letters.
fn is_one_of(word: &[u8], names: &[&str]) -> bool {
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    names
        .iter()
        .any(|name| is(name) || name.get(..3).is_some_and(is))
}

/// RFC 822 5.1: hours from UTC.
const ZONES: [(&str, &str); 8] = [
    ("EST", "-05:00"),
    ("EDT", "-04:00"),
    ("CST", "-06:00"),
    ("CDT", "-05:00"),
    ("MST", "-07:00"),
    ("MDT", "-06:00"),
    ("PST", "-08:00"),
    ("PDT", "-07:00"),
];

pub(super) fn date(value: &[u8]) -> Option<Timestamp> {
    Timestamp::new(value).or_else(|| written_date(std::str::from_utf8(value).ok()?))
}

fn written_date(text: &str) -> Option<Timestamp> {
    let (mut month, mut numbers, mut time, mut zone) =
        (None, Vec::new(), "00:00:00".to_owned(), "Z".to_owned());
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        if word.contains(':') {
            time = if word.matches(':').count() == 1 {
                format!("{word}:00")
            } else {
                word.to_owned()
            };
        } else if let Some(known) = zone_of(word).filter(|_| !numbers.is_empty()) {
            zone = known;
        } else {
            for part in word.split('-') {
                match part.parse::<u32>() {
                    Ok(number) => numbers.push((number, part.len())),
                    Err(_) => month = month.or_else(|| month_of(part)),
                }
            }
        }
    }
    let [(first, first_digits), (second, _)] = numbers[..] else {
        return None;
    };
    let (day, year) = if first_digits == 4 {
        (second, first)
    } else {
        (first, second)
    };
    let month = month?;
    // In RFC 850 a year has two digits.
    let year = match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        _ => year,
    };
    Timestamp::new(format!("{year:04}-{month:02}-{day:02}T{time}{zone}").as_bytes())
}

fn month_of(word: &str) -> Option<usize> {
    let start = word.get(..3)?;
    let begins = |month: &&str| {
        month
            .get(..3)
            .is_some_and(|known| start.eq_ignore_ascii_case(known))
    };
    Some(MONTHS.iter().position(begins)? + 1)
}

fn zone_of(word: &str) -> Option<String> {
    let known = ZONES
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name));
    let digits = word
        .strip_prefix(['+', '-'])
        .filter(|digits| digits.len() == 4);
    known.map(|(_, zone)| (*zone).to_owned()).or_else(|| {
        let (hours, minutes) = digits?.split_at_checked(2)?;
        Some(format!("{}{hours}:{minutes}", word.get(..1)?))
    })
}

#[cfg(test)]
mod tests {
    use super::{date, is_dictionary, value_len};

    #[test]
    fn rfc9651_4_2_2_dictionaries() {
        for text in [
            "",
            "a",
            "*;noindex",
            "a=(noindex x:1)",
            "a=\"b, c\"",
            "a;b=@1764767393",
            "a; b",
        ] {
            assert!(is_dictionary(text.as_bytes()), "{text}");
        }
        for text in ["A", "a;", ";a", "a=", "a ;b", "a=(b, c)", "a,", "é"] {
            assert!(!is_dictionary(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn local_commas_of_dates() {
        for (text, date) in [
            ("25 Jun 2010 15:00:00 PST", "25 Jun 2010 15:00:00 PST"),
            (
                "Wed, 03 Dec 2025 13:09:53 GMT, noindex",
                "Wed, 03 Dec 2025 13:09:53 GMT",
            ),
            (
                "Saturday, 01-Jul-00 07:00:00 PST ,a",
                "Saturday, 01-Jul-00 07:00:00 PST",
            ),
            ("Wednesday, June 25, 2010", "Wednesday, June 25, 2010"),
            ("25 Jun 2010, 360Spider: noindex", "25 Jun 2010"),
            ("June 25, 360Spider: noindex", "June 25"),
            ("June 25, 20101", "June 25"),
            ("Wed, noindex", "Wed"),
            ("2025-11-06T10:14:16+01:00; x", "2025-11-06T10:14:16+01:00"),
            ("25 Jun 2010 noindex", "25 Jun 2010"),
            ("", ""),
        ] {
            assert_eq!(
                &text[..value_len(b"Unavailable_After", text.as_bytes())],
                date,
                "{text}"
            );
        }
    }

    #[test]
    fn local_other_values_end_at_a_blank() {
        for (text, value) in [
            ("-1, a", "-1"),
            ("large;a", "large"),
            ("20 a", "20"),
            ("", ""),
        ] {
            assert_eq!(
                &text[..value_len(b"max-snippet", text.as_bytes())],
                value,
                "{text}"
            );
        }
    }

    #[test]
    fn tag_21_dates_as_they_are_written() {
        for (text, expected) in [
            ("25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00Z"),
            ("Wed, 03 Dec 2025 13:09:53 GMT", "2025-12-03T13:09:53Z"),
            ("Saturday, 01-Jul-00 07:00:00 PST", "2000-07-01T15:00:00Z"),
            ("1-Jan-3000 00:00:00 EST", "3000-01-01T05:00:00Z"),
            ("June 25, 2010 15:00 PST", "2010-06-25T23:00:00Z"),
            ("Wednesday, June 25, 2010", "2010-06-25T00:00:00Z"),
            ("25 August 2007 15:00:00 +0200", "2007-08-25T13:00:00Z"),
            ("2025-11-06T10:14:16+01:00", "2025-11-06T09:14:16Z"),
            ("2025-11-06 10:14:16", "2025-11-06T10:14:16Z"),
            ("2025-11-06", "2025-11-06T00:00:00Z"),
            ("25 Jun 2010 15:00:00 MESZ", "2010-06-25T15:00:00Z"),
        ] {
            assert_eq!(
                date(text.as_bytes()).map(|at| at.to_string()).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            "",
            "never",
            "06/25/2010",
            "Jun 2010",
            "31 Feb 2010",
            "25 Jun",
            "25 Jun 2010 25:00:00",
            "\u{e9}",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }
}
