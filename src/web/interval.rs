//! The instants that the date of a document may mean (RULES KNOW-7).
//!
//! Examples: `2026-08-10T08:00:00Z` is a second, `2026-08-10` and `20260810` are a day, `2026-08` is a month, `2026` a year. As
//! numbers: 1786348800 and 1786348800000 are seconds and milliseconds since 1970. Left out: days in other zones than UTC, names
//! of months, and numbers of other lengths.
//! Ours: a time without a fraction is the whole second, as archives and data sets cut fractions off.

use super::timestamp::Timestamp;
use std::borrow::Cow;
use std::fmt;

const SECOND_US: i64 = 1_000_000;
const MINUTE_US: i64 = 60 * SECOND_US;
const DAY_US: i64 = 24 * 60 * MINUTE_US;

/// An interval of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    first: Timestamp,
    last: Timestamp,
}

impl Interval {
    /// Returns one instant.
    pub fn at(time: Timestamp) -> Self {
        Self {
            first: time,
            last: time,
        }
    }

    /// Returns what a time means that may be cut to the second: all of the second, if it has no fraction.
    pub fn from_time(time: Timestamp) -> Self {
        if time.unix_micros() % SECOND_US == 0 {
            Self::long(time, SECOND_US)
        } else {
            Self::at(time)
        }
    }

    /// Returns the interval of this length from a time on.
    fn long(first: Timestamp, length_us: i64) -> Self {
        let last = first
            .unix_micros()
            .checked_add(length_us - 1)
            .and_then(Timestamp::from_unix_micros);
        Self {
            first,
            last: last.unwrap_or(Timestamp::LAST),
        }
    }

    /// Returns the interval from the beginning of one to the end of another; `None` if it ends before it begins.
    pub fn between(from: Self, to: Self) -> Option<Self> {
        (from.first <= to.last).then_some(Self {
            first: from.first,
            last: to.last,
        })
    }

    /// Reads a date as data sets write it; `None` if it states no usable time.
    pub fn new(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text.trim_ascii()).ok()?;
        if let Some((from, to)) = text.split_once('/').filter(|(from, _)| from.len() != 4) {
            // As this type is written; a day with slashes has its first one after four digits.
            if let (false, Some(from), Some(to)) = (
                to.contains('/'),
                Self::new(from.as_bytes()),
                Self::new(to.as_bytes()),
            ) {
                return Self::between(from, to);
            }
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::of_number(text.parse().ok()?).or_else(|| Self::of_digits(text));
        }
        let text = without_zone_name(text);
        let text = if text.as_bytes().get(4) == Some(&b'/') {
            with_hyphens(text)
        } else {
            Cow::Borrowed(text)
        };
        let first = Timestamp::new(text.as_bytes())?;
        let bytes = text.as_bytes();
        Some(match (bytes.len(), bytes.get(16), bytes.get(19)) {
            (7, ..) => Self::month(&text)?,
            (10, ..) => Self::long(first, DAY_US),
            (_, Some(b':'), Some(b'.')) => {
                let digits = bytes
                    .iter()
                    .skip(20)
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                Self::to_fraction(first, u32::try_from(digits).ok()?)
            }
            (_, Some(b':'), _) => Self::long(first, SECOND_US),
            _ => Self::long(first, MINUTE_US),
        })
    }

    /// Reads a number: a year, a day as 8 digits, a second as 14, or seconds (10 digits) or milliseconds (13) since 1970.
    pub fn of_number(number: i64) -> Option<Self> {
        match number {
            1970..=9999 => Self::year(&number.to_string()),
            1_000_000_000..10_000_000_000 => Timestamp::from_unix_micros(number * SECOND_US)
                .map(|first| Self::long(first, SECOND_US)),
            1_000_000_000_000..10_000_000_000_000 => {
                Timestamp::from_unix_micros(number * 1000).map(|first| Self::to_fraction(first, 3))
            }
            10_000_000..100_000_000 | 10_000_000_000_000..100_000_000_000_000 => {
                Self::of_digits(&number.to_string())
            }
            _ => None,
        }
    }

    /// Reads such a number with a fraction; only whole seconds or milliseconds count.
    #[allow(clippy::cast_possible_truncation)] // a number that is too large is no time
    pub fn of_float(number: f64) -> Option<Self> {
        Self::of_number(number as i64)
    }

    /// Returns a day, by its number since 1970-01-01.
    pub fn of_day(day: i64) -> Option<Self> {
        day.checked_mul(DAY_US)
            .and_then(Timestamp::from_unix_micros)
            .map(|first| Self::long(first, DAY_US))
    }

    /// Returns a time that has this many digits of a fraction; zeros alone are taken for a time that has none.
    pub fn to_fraction(first: Timestamp, digits: u32) -> Self {
        match 6_u32.checked_sub(digits).map(|lacking| 10_i64.pow(lacking)) {
            _ if first.unix_micros() % SECOND_US == 0 => Self::long(first, SECOND_US),
            Some(length_us) => Self::long(first, length_us),
            None => Self::at(first),
        }
    }

    /// Reads digits: `YYYY`, `YYYYMMDD`, and with the time of day, which may lack seconds or minutes.
    fn of_digits(text: &str) -> Option<Self> {
        let first = || Timestamp::new(text.as_bytes());
        match text.len() {
            4 => Self::year(text),
            8 => {
                let (year, month, day) = (text.get(..4)?, text.get(4..6)?, text.get(6..)?);
                Self::new(format!("{year}-{month}-{day}").as_bytes())
            }
            10 => first().map(|first| Self::long(first, 60 * MINUTE_US)),
            12 => first().map(|first| Self::long(first, MINUTE_US)),
            14 => first().map(|first| Self::long(first, SECOND_US)),
            _ => None,
        }
    }

    fn year(text: &str) -> Option<Self> {
        let next = text.parse::<u32>().ok()? + 1;
        Some(Self::until(
            Timestamp::new(text.as_bytes())?,
            &format!("{next:04}"),
        ))
    }

    fn month(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let (year, month) = (year.parse::<u32>().ok()?, month.parse::<u32>().ok()?);
        let (year, month) = if month == 12 {
            (year + 1, 1)
        } else {
            (year, month + 1)
        };
        Some(Self::until(
            Timestamp::new(text.as_bytes())?,
            &format!("{year:04}-{month:02}"),
        ))
    }

    /// Returns the interval from a time to the beginning of another one, which it leaves out.
    fn until(first: Timestamp, next: &str) -> Self {
        let last = Timestamp::new(next.as_bytes());
        let last = last.and_then(|next| Timestamp::from_unix_micros(next.unix_micros() - 1));
        Self {
            first,
            last: last.unwrap_or(Timestamp::LAST),
        }
    }

    /// Returns its first instant.
    pub fn first(self) -> Timestamp {
        self.first
    }

    /// Returns its last instant.
    pub fn last(self) -> Timestamp {
        self.last
    }

    /// Returns whether it is longer than a second, so that the date says less than a capture does.
    pub fn is_long(self) -> bool {
        self.last.unix_micros() - self.first.unix_micros() >= SECOND_US
    }

    /// Returns whether both have an instant in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl fmt::Display for Interval {
    /// Writes a second as its time, a year, month or day as such, and any other interval with a slash between its ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.first.to_string();
        for length in [4, 7, 10] {
            let unit = first.get(..length).unwrap_or_default();
            if Self::new(unit.as_bytes()) == Some(*self) {
                return f.write_str(unit);
            }
        }
        if self.is_long() {
            write!(f, "{first}/{}", self.last)
        } else {
            f.write_str(&first)
        }
    }
}

/// Returns a time without the name of its zone, if that is UTC: `2026-08-10 20:00:00 UTC`.
fn without_zone_name(text: &str) -> &str {
    let named = text.rsplit_once(' ').filter(|(_, name)| {
        ["UTC", "GMT", "Z"]
            .iter()
            .any(|utc| name.eq_ignore_ascii_case(utc))
    });
    named.map_or(text, |(time, _)| time.trim_end())
}

/// Returns a date with hyphens for slashes: `2026/08/10 20:00:00`.
fn with_hyphens(text: &str) -> Cow<'_, str> {
    let date = text.len().min(10);
    let (date, rest) = text.split_at_checked(date).unwrap_or((text, ""));
    Cow::Owned(date.replace('/', "-") + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(interval: Option<Interval>) -> Option<[String; 2]> {
        interval.map(|interval| [interval.first(), interval.last()].map(|time| time.to_string()))
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn know_7_a_date_is_as_long_as_it_is_written() {
        for (text, first, last) in [
            (
                "2026",
                "2026-01-01T00:00:00Z",
                "2026-12-31T23:59:59.999999Z",
            ),
            (
                "9999",
                "9999-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999Z",
            ),
            (
                "2026-08",
                "2026-08-01T00:00:00Z",
                "2026-08-31T23:59:59.999999Z",
            ),
            (
                "2026-12",
                "2026-12-01T00:00:00Z",
                "2026-12-31T23:59:59.999999Z",
            ),
            (
                "2026/02",
                "2026-02-01T00:00:00Z",
                "2026-02-28T23:59:59.999999Z",
            ),
            (
                "2026-08-10",
                "2026-08-10T00:00:00Z",
                "2026-08-10T23:59:59.999999Z",
            ),
            (
                "2026/08/10",
                "2026-08-10T00:00:00Z",
                "2026-08-10T23:59:59.999999Z",
            ),
            (
                "20260810",
                "2026-08-10T00:00:00Z",
                "2026-08-10T23:59:59.999999Z",
            ),
            (
                "202608100805",
                "2026-08-10T08:05:00Z",
                "2026-08-10T08:05:59.999999Z",
            ),
            (
                "20260810080501",
                "2026-08-10T08:05:01Z",
                "2026-08-10T08:05:01.999999Z",
            ),
            (
                "2026-08-10T08:05Z",
                "2026-08-10T08:05:00Z",
                "2026-08-10T08:05:59.999999Z",
            ),
            (
                "2026-08-10T10:05:01+02:00",
                "2026-08-10T08:05:01Z",
                "2026-08-10T08:05:01.999999Z",
            ),
            (
                " 2026-08-10 20:00:00 UTC\n",
                "2026-08-10T20:00:00Z",
                "2026-08-10T20:00:00.999999Z",
            ),
            (
                "2026-08-10 20:00:00.250 gmt",
                "2026-08-10T20:00:00.250000Z",
                "2026-08-10T20:00:00.250999Z",
            ),
            (
                "2026/08/10 20:00:00",
                "2026-08-10T20:00:00Z",
                "2026-08-10T20:00:00.999999Z",
            ),
            (
                "2026-08-10T08:05:01.000Z",
                "2026-08-10T08:05:01Z",
                "2026-08-10T08:05:01.999999Z",
            ),
            (
                "2026-08-10T08:05:01.412030",
                "2026-08-10T08:05:01.412030Z",
                "2026-08-10T08:05:01.412030Z",
            ),
            (
                "1786348800",
                "2026-08-10T08:00:00Z",
                "2026-08-10T08:00:00.999999Z",
            ),
            (
                "1786348800007",
                "2026-08-10T08:00:00.007000Z",
                "2026-08-10T08:00:00.007999Z",
            ),
            (
                "2026-08-10/2026-09",
                "2026-08-10T00:00:00Z",
                "2026-09-30T23:59:59.999999Z",
            ),
        ] {
            let found = Interval::new(text.as_bytes());
            assert_eq!(
                ends(found),
                Some([first, last].map(str::to_owned)),
                "{text}"
            );
            let written = found.map(|found| found.to_string()).unwrap_or_default();
            let again = Interval::new(written.as_bytes());
            assert!(
                again
                    .zip(found)
                    .is_some_and(|(again, found)| again.first() == found.first()),
                "{written}"
            );
        }
        for text in [
            "",
            "/",
            "2026/",
            "2026-13",
            "20261301",
            "202608",
            "yesterday",
            "2026-08-10 20:00:00 CET",
            "1/2/2026",
        ] {
            assert_eq!(Interval::new(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn know_7_numbers_are_years_days_seconds_and_milliseconds() {
        for (number, written) in [
            (2026, "2026"),
            (20_260_810, "2026-08-10"),
            (20_260_810_080_000, "2026-08-10T08:00:00Z"),
            (1_786_348_800, "2026-08-10T08:00:00Z"),
            (1_786_348_800_000, "2026-08-10T08:00:00Z"),
        ] {
            let found = Interval::of_number(number).map(|interval| interval.to_string());
            assert_eq!(found.as_deref(), Some(written), "{number}");
        }
        for number in [
            0,
            -1,
            1969,
            10_000,
            202_608,
            999_999_999,
            20_261_301,
            100_000_000_000_000,
            i64::MAX,
        ] {
            assert_eq!(Interval::of_number(number), None, "{number}");
        }
        assert_eq!(
            (Interval::of_float(f64::NAN), Interval::of_float(1e300)),
            (None, None)
        );
        assert_eq!(
            Interval::of_float(1_786_348_800.75),
            Interval::of_number(1_786_348_800)
        );
    }

    #[test]
    fn know_7_a_longer_interval_has_both_of_its_ends() {
        let interval = |text: &str| Interval::new(text.as_bytes()).expect("a date");
        let both = Interval::between(interval("2026-08-10"), interval("2026-09-01T06:00:00Z"));
        assert_eq!(
            both.map(|both| both.to_string()).as_deref(),
            Some("2026-08-10T00:00:00Z/2026-09-01T06:00:00.999999Z")
        );
        assert_eq!(
            Interval::between(interval("2026-08-10"), interval("2025")),
            None
        );
        assert!(interval("2026-08").is_long() && !interval("2026-08-10T06:00:00Z").is_long());
        assert!(
            interval("2026-08").overlaps(interval("2026-08-31"))
                && !interval("2026-08").overlaps(interval("2026-09"))
        );
    }
}
