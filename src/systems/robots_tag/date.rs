//! The date of `unavailable_after`.
//!
//! Documents: Google's documentation of robots metas, which names RFC 822, RFC 850 and ISO 8601; RULES TAG-21.
//! Examples: `25 Jun 2010 15:00:00 PST`, `Saturday, 01-Jul-00 07:00:00 PST`, `June 25, 2010`, `2025-11-06T10:14:16+01:00`.
//! Ours: a zone that is not known is UTC. Left out: dates of numbers alone but for ISO 8601, whose order is unknown.

use crate::web::timestamp::Timestamp;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

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

/// Reads a date; `None` where it cannot be read.
pub(super) fn date(value: &[u8]) -> Option<Timestamp> {
    Timestamp::new(value).or_else(|| written_date(std::str::from_utf8(value).ok()?))
}

/// Reads a date with the name of a month.
fn written_date(text: &str) -> Option<Timestamp> {
    let (mut month, mut numbers, mut time, mut zone) =
        (None, Vec::new(), "00:00:00".to_owned(), "Z".to_owned());
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        if word.contains(':') {
            time = if word.matches(':').count() == 1 { format!("{word}:00") } else { word.to_owned() };
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
    let [(first, first_digits), (second, _)] = numbers[..] else { return None };
    let (day, year) = if first_digits == 4 { (second, first) } else { (first, second) };
    let month = month?;
    // RFC 850 has two digits.
    let year = match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        _ => year,
    };
    Timestamp::new(format!("{year:04}-{month:02}-{day:02}T{time}{zone}").as_bytes())
}

fn month_of(word: &str) -> Option<usize> {
    let start = word.get(..3)?;
    Some(MONTHS.iter().position(|month| start.eq_ignore_ascii_case(month))? + 1)
}

fn zone_of(word: &str) -> Option<String> {
    let known = ZONES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    let digits = word.strip_prefix(['+', '-']).filter(|digits| digits.len() == 4);
    known.map(|(_, zone)| (*zone).to_owned()).or_else(|| {
        let (hours, minutes) = digits?.split_at_checked(2)?;
        Some(format!("{}{hours}:{minutes}", word.get(..1)?))
    })
}

#[cfg(test)]
mod tests {
    use super::date;

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
            assert_eq!(date(text.as_bytes()).map(|at| at.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["", "never", "06/25/2010", "Jun 2010", "31 Feb 2010", "25 Jun", "25 Jun 2010 25:00:00", "\u{e9}"]
        {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }
}
