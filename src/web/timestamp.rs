//! The time of a capture, as the field `WARC-Date` states it.
//!
//! Documents: WARC/1.0 and WARC/1.1, section 5.4 (a W3C profile of ISO 8601); RFC 3339 5.6 for zones, blanks and lower-case
//! letters. Examples: `2024-05-18T01:58:10Z`, `2016-01-11T23:24:25.412030Z`, `2016-01`, and the 14 digits of ARC files and CDX
//! lines, `20240518015810`. Left out: years before 1970 and after 9999, which archives have only by mistake, such as
//! `5088968-11-06T12:31:23Z`; and 14 digits cut short.

use std::fmt;

const SECONDS_PER_DAY: i64 = 86_400;
const MICROS_PER_SECOND: i64 = 1_000_000;
/// Days from 1 March of year 0 to 1 January 1970.
const EPOCH_DAY: i64 = 719_468;
/// Days in the 400 years after which the calendar repeats itself.
const CYCLE_DAYS: i64 = 146_097;

/// A time in UTC, from 1970 to 9999, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The end of the year 9999.
    pub const LAST: Self = Self(253_402_300_799_999_999);

    /// Reads the value of a `WARC-Date` field; `None` if it states no usable time.
    /// Ours: outer blanks are trimmed, a time without zone is UTC, a shortened date means its first moment, and a fraction is
    /// cut to microseconds.
    pub fn new(field: &[u8]) -> Option<Self> {
        let text = field.trim_ascii();
        let mut rest = UnreadDate(text);
        let micros = match text.len() {
            4 => rest.date(1)?,
            7 => rest.date(2)?,
            10 | 12 | 14 if text.iter().all(u8::is_ascii_digit) => rest.digits_alone()?,
            10 => rest.date(3)?,
            _ => rest.date_and_time()?,
        };
        rest.0.is_empty().then(|| Self::from_unix_micros(micros))?
    }

    /// Returns the instant at a number of microseconds since the epoch, if it is in the years 1970 to 9999.
    pub fn from_unix_micros(unix_micros: i64) -> Option<Self> {
        (0..=Self::LAST.0)
            .contains(&unix_micros)
            .then_some(Self(unix_micros))
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z.
    pub fn unix_micros(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    /// Writes RFC 3339 in UTC, with six digits of fraction if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / MICROS_PER_SECOND;
        let (year, month, day) = date_of(seconds / SECONDS_PER_DAY);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        match self.0 % MICROS_PER_SECOND {
            0 => f.write_str("Z"),
            micros => write!(f, ".{micros:06}Z"),
        }
    }
}

/// The unread part of a date. Every reader returns microseconds since the epoch, or a number, and leaves the rest.
struct UnreadDate<'a>(&'a [u8]);

impl UnreadDate<'_> {
    /// Reads the year, the month and the day, or the first `count` of them; the others are 1.
    fn date(&mut self, parts: usize) -> Option<i64> {
        let mut date = [self.digits(4)?, 1, 1];
        for part in date.iter_mut().take(parts).skip(1) {
            self.mark(b"-")?;
            *part = self.digits(2)?;
        }
        let [year, month, day] = date;
        day_of(year, month, day).map(micros_of_day)
    }

    /// Reads digits without marks. Ours: an ARC may have a date without seconds, or without minutes and seconds, which then are 0.
    fn digits_alone(&mut self) -> Option<i64> {
        let date = day_of(self.digits(4)?, self.digits(2)?, self.digits(2)?)?;
        let mut time = [self.digits(2)?, 0, 0];
        for part in time.iter_mut().skip(1) {
            *part = if self.0.is_empty() {
                0
            } else {
                self.digits(2)?
            };
        }
        let [hour, minute, second] = time;
        Some(micros_of_day(date) + time_of(hour, minute, second)?)
    }

    /// `YYYY-MM-DDThh:mm[:ss[.fraction]][zone]`
    fn date_and_time(&mut self) -> Option<i64> {
        let date = self.date(3)?;
        self.mark(b"Tt ")?;
        let hour = self.digits(2)?;
        self.mark(b":")?;
        let minute = self.digits(2)?;
        let (second, fraction) = match self.mark(b":") {
            Some(_) => (self.digits(2)?, self.fraction()?),
            None => (0, 0),
        };
        let time = time_of(hour, minute, second)?;
        Some(date + time + fraction - self.zone()?)
    }

    /// Reads up to nine digits after a dot (WARC/1.1, 5.4).
    fn fraction(&mut self) -> Option<i64> {
        if self.mark(b".").is_none() {
            return Some(0);
        }
        let length = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let digits = self.digits(length).filter(|_| length > 0)?;
        let scale = 9_u32.checked_sub(u32::try_from(length).ok()?)?;
        Some(digits * 10_i64.pow(scale) / 1000)
    }

    /// Reads `Z`, `+hh:mm`, `-hhmm`, `+hh` or nothing, as the amount to subtract for UTC. Ours: a zone of only hours (ISO
    /// 8601), as `PostgreSQL` and DuckDB write `2024-05-18 01:58:10+00`.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.mark(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.mark(b"+-")? == b'-' { -1 } else { 1 };
        let hour = self.digits(2)?;
        let has_minutes = self.mark(b":").is_some() || !self.0.is_empty();
        let minute = if has_minutes { self.digits(2)? } else { 0 };
        Some(sign * time_of(hour, minute, 0)?)
    }

    /// Reads exactly `count` digits, nine at most.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        (count <= 9 && digits.iter().all(u8::is_ascii_digit)).then(|| {
            self.0 = rest;
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
        })
    }

    fn mark(&mut self, one_of: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        one_of.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }
}

fn micros_of_day(day: i64) -> i64 {
    day * SECONDS_PER_DAY * MICROS_PER_SECOND
}

/// Returns the microseconds since midnight. Ours: a leap second (RFC 3339 5.7) counts as the second before it, because the
/// scale of Unix time cannot express it.
fn time_of(hour: i64, minute: i64, second: i64) -> Option<i64> {
    let is_time = hour < 24 && minute < 60 && second <= 60;
    is_time.then(|| (hour * 3600 + minute * 60 + second.min(59)) * MICROS_PER_SECOND)
}

/// Returns the days from 1970-01-01 to a date; `None` if the date does not exist.
fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    // Counted from March, so that the day of a leap year is the last one.
    let (years, months) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = day_of_month(months) + day - 1;
    let found = years * 365 + years / 4 - years / 100 + years / 400 + days - EPOCH_DAY;
    (date_of(found) == (year, month, day)).then_some(found)
}

/// Returns the date of a day counted from 1970-01-01.
fn date_of(day: i64) -> (i64, i64, i64) {
    let (cycle, day) = (
        (day + EPOCH_DAY) / CYCLE_DAYS,
        (day + EPOCH_DAY) % CYCLE_DAYS,
    );
    // Each year has 365 days without the leap days of 4, less those of 100, and that of 400 years.
    let years = (day - day / 1460 + day / 36_524 - day / (CYCLE_DAYS - 1)) / 365;
    let day = day - (years * 365 + years / 4 - years / 100);
    let months = (day * 5 + 2) / 153;
    let month = if months < 10 { months + 3 } else { months - 9 };
    (
        cycle * 400 + years + i64::from(month <= 2),
        month,
        day - day_of_month(months) + 1,
    )
}

/// Returns the days of a number of months from March on: every five months have 153 days (31, 30, 31, 30, 31).
fn day_of_month(months: i64) -> i64 {
    (months * 153 + 2) / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        Timestamp::new(text.as_bytes()).map(|time| time.to_string())
    }

    fn check(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(shown(text).as_deref(), Some(*expected), "{text}");
        }
    }

    #[test]
    fn warc_5_4_whole_seconds_in_utc_fractions_and_shortened_forms() {
        check(&[
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            ("2020-08-08T16:54:17Z", "2020-08-08T16:54:17Z"),
            ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            // WARC/1.1
            ("2016-01-11T23:24:25.412030Z", "2016-01-11T23:24:25.412030Z"),
            ("2016-01-11T23:24:25.4Z", "2016-01-11T23:24:25.400000Z"),
            (
                "2016-01-11T23:24:25.123456789Z",
                "2016-01-11T23:24:25.123456Z",
            ),
            ("2016-01-11T23:24:25.000000999Z", "2016-01-11T23:24:25Z"),
            ("2016-01-11T23:24Z", "2016-01-11T23:24:00Z"),
            ("2016-03-11", "2016-03-11T00:00:00Z"),
            ("2016-03", "2016-03-01T00:00:00Z"),
            ("2016", "2016-01-01T00:00:00Z"),
        ]);
        let micros = Timestamp::new(b"2001-09-09T01:46:40Z").map(Timestamp::unix_micros);
        assert_eq!(micros, Some(1_000_000_000_000_000));
    }

    #[test]
    fn rfc3339_5_6_zones_lower_case_and_blank_and_zones_of_hours_alone() {
        check(&[
            ("2024-05-18T01:00:00+02:00", "2024-05-17T23:00:00Z"),
            ("2024-05-18T20:00:00-0700", "2024-05-19T03:00:00Z"),
            ("2024-05-18T20:00-05:30", "2024-05-19T01:30:00Z"),
            ("2024-05-18t01:58:10z", "2024-05-18T01:58:10Z"),
            ("2024-05-18 01:58:10.5+00:00", "2024-05-18T01:58:10.500000Z"),
            ("2024-05-18 01:58:10+00", "2024-05-18T01:58:10Z"),
            ("2024-05-18 01:58:10.25-07", "2024-05-18T08:58:10.250000Z"),
            ("2024-05-18T01:58+02", "2024-05-17T23:58:00Z"),
        ]);
    }

    #[test]
    fn wild_arc_dates_without_seconds_or_minutes() {
        check(&[
            ("200011101120", "2000-11-10T11:20:00Z"),
            ("2016020900", "2016-02-09T00:00:00Z"),
        ]);
        for text in ["200011101160", "2016020924", "201602090", "20160209000"] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn local_blanks_no_zone_fourteen_digits_and_leap_second() {
        check(&[
            (" \t2024-05-18T01:58:10Z\r\n", "2024-05-18T01:58:10Z"),
            ("2024-05-18T01:58:10", "2024-05-18T01:58:10Z"),
            ("20240518103000", "2024-05-18T10:30:00Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("1969-12-31T23:30:00-01:00", "1970-01-01T00:30:00Z"),
        ]);
    }

    /// The first is from a robots.txt record of Common Crawl, 2016, taken from the server; the second from an archive of 2009.
    #[test]
    fn wild_dates_that_are_no_time() {
        let cases = "5088968-11-06T12:31:23Z¦2009-03-67T15:35:34-0700¦¦Z¦202¦20245¦2024-13¦2024-5-18¦\
                     2023-02-29¦1900-02-29T00:00:00Z¦1969-12-31T23:59:59Z¦1970-01-01T00:00:00+02:00¦\
                     9999-12-31T23:59:59-01:00¦0000-00-00T00:00:00Z¦2024-05-18T24:00:00Z¦\
                     2024-05-18T10:60:00Z¦2024-05-18T10:00:61Z¦2024-05-18T10Z¦2024-05T10:00Z¦\
                     2024-05-18T10:00:00.Z¦2024-05-18T10:00:00.1234567890Z¦2024-05-18T10:00:00+2¦\
                     2024-05-18T10:00:00+02:¦2024-05-18T10:00:00+023¦2024-05-18T10:00:00+24:00¦\
                     2024-05-18T10:00:00Zx¦2024-05-18T10:00:00 Z¦2024051810300¦20241318103000¦\
                     202405181030001¦+024-05-18¦2024-05-18T-1:00:00Z¦２０２４";
        for text in cases.split('¦') {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn local_calendar_equals_counting_day_by_day() {
        let mut expected = (1970, 1, 1);
        let mut day = 0;
        while expected.0 < 10_001 {
            let (year, month, date) = expected;
            assert_eq!(day_of(year, month, date), Some(day));
            assert_eq!(date_of(day), expected);
            day += 1;
            expected = day_after(year, month, date);
        }
    }

    fn day_after(year: i64, month: i64, day: i64) -> (i64, i64, i64) {
        let february = if year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) {
            29
        } else {
            28
        };
        let last = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let month_index = usize::try_from(month - 1).expect("months are positive");
        match (day == last[month_index], month) {
            (false, _) => (year, month, day + 1),
            (true, 12) => (year + 1, 1, 1),
            (true, _) => (year, month + 1, 1),
        }
    }
}
