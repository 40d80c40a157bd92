//! The dates of `unavailable_after`, as times (RULES TAG-21).
//!
//! Document: none; search engines have published RFC 822, RFC 850 and ISO 8601. Examples: `25 Jun 2010 15:00:00 PST`,
//! `Saturday, 01-Jul-00 07:00:00 GMT`, `2010-06-25T15:00:00Z`. Ours: a zone that is not known is UTC.
//! Left out: relative dates; what cannot be read is a defect.

use crate::web::timestamp::Timestamp;

/// The first three letters of the months.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Zones with their hours east of Greenwich.
const ZONES: &[(&str, i64)] = &[
    ("bst", 1),
    ("cdt", -5),
    ("cest", 2),
    ("cet", 1),
    ("cst", -6),
    ("edt", -4),
    ("est", -5),
    ("mdt", -6),
    ("mst", -7),
    ("pdt", -7),
    ("pst", -8),
];

const MICROS_PER_MINUTE: i64 = 60_000_000;

/// Returns the time of a date.
pub(super) fn time_of(date: &[u8]) -> Option<Timestamp> {
    let text = date.trim_ascii();
    Timestamp::new(text).or_else(|| by_words(&str::from_utf8(text).ok()?.to_ascii_lowercase()))
}

#[derive(Default)]
struct DateParts {
    day: Option<u32>,
    month: Option<usize>,
    year: Option<u32>,
    time: Option<String>,
    minutes_east: i64,
}

fn by_words(text: &str) -> Option<Timestamp> {
    let mut parts = DateParts::default();
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        parts.see(word)?;
    }
    let DateParts { day, month, year, time, minutes_east } = parts;
    let (day, month, year) = (day?, month?, full_year(year?));
    let time = time.unwrap_or_else(|| "00:00:00".to_owned());
    let local = Timestamp::new(format!("{year:04}-{month:02}-{day:02}T{time}Z").as_bytes())?;
    Timestamp::from_unix_micros(local.unix_micros() - minutes_east * MICROS_PER_MINUTE)
}

/// RFC 850 has two digits of the year.
fn full_year(year: u32) -> u32 {
    match year {
        0..=69 => 2000 + year,
        70..=99 => 1900 + year,
        year => year,
    }
}

impl DateParts {
    /// Reads a word; a date of RFC 850, `01-Jul-00`, is one.
    fn see(&mut self, word: &str) -> Option<()> {
        let number = word.parse::<u32>().ok();
        if let Some(month) = word.get(..3).and_then(|start| MONTHS.iter().position(|one| *one == start)) {
            self.month = Some(month + 1);
        } else if let Some((day, rest)) = word.split_once('-').filter(|(day, _)| !day.is_empty()) {
            let (month, year) = rest.split_once('-')?;
            self.day = Some(day.parse().ok()?);
            self.see(month)?;
            self.year = Some(year.parse().ok()?);
        } else if word.contains(':') {
            let has_seconds = word.matches(':').count() > 1;
            self.time = Some(if has_seconds { word.to_owned() } else { format!("{word}:00") });
        } else if let Some(minutes) = offset(word) {
            self.minutes_east = minutes;
        } else if let Some(number) = number {
            let slot = if self.day.is_none() && number <= 31 && word.len() <= 2 {
                &mut self.day
            } else {
                &mut self.year
            };
            *slot = Some(number);
        } else if let Some((_, hours)) = ZONES.iter().find(|(zone, _)| *zone == word) {
            self.minutes_east = hours * 60;
        }
        Some(())
    }
}

/// Returns the minutes of an offset such as `-0800`.
fn offset(word: &str) -> Option<i64> {
    let sign = match word.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = word.get(1..).filter(|digits| digits.len() == 4)?;
    let (hours, minutes) = digits.split_at_checked(2)?;
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::time_of;

    #[test]
    fn tag_21_dates_in_the_forms_that_are_published() {
        for (date, expected) in [
            ("25 Jun 2010 15:00:00 PST", Some("2010-06-25T23:00:00Z")),
            ("25-Jun-2010 15:00:00 GMT", Some("2010-06-25T15:00:00Z")),
            ("Saturday, 01-Jul-00 07:00:00 GMT", Some("2000-07-01T07:00:00Z")),
            ("Wed, 03 Dec 2025 13:09:53 GMT", Some("2025-12-03T13:09:53Z")),
            ("Wednesday, June 25, 2010", Some("2010-06-25T00:00:00Z")),
            ("25 Jun 2010 15:00 +0200", Some("2010-06-25T13:00:00Z")),
            ("2010-06-25T15:00:00Z", Some("2010-06-25T15:00:00Z")),
            ("2010-06-25", Some("2010-06-25T00:00:00Z")),
            ("tomorrow", None),
            ("99 Foo 2010", None),
            ("31 Feb 2010", None),
            ("", None),
        ] {
            let expected = expected.and_then(|time| crate::web::timestamp::Timestamp::new(time.as_bytes()));
            assert_eq!(time_of(date.as_bytes()), expected, "{date}");
        }
    }
}
