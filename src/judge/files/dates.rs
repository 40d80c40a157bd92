//! The dates of documents, as data sets write them.
//!
//! Example: `2026-08-10T08:00:00Z`; 1786348800 and 1786348800000, seconds and milliseconds since 1970 with 10 and 13 digits, as numbers
//! or as text. Left out: numbers of other lengths, which may be anything.

use crate::web::timestamp::Timestamp;

/// Returns the time of a number of seconds with 10 digits, or of milliseconds with 13.
pub fn of_epoch(number: i64) -> Option<Timestamp> {
    match number {
        1_000_000_000..10_000_000_000 => Timestamp::from_unix_micros(number * 1_000_000),
        1_000_000_000_000..10_000_000_000_000 => Timestamp::from_unix_micros(number * 1000),
        _ => None,
    }
}

/// Returns the time of such a number with a fraction; whole seconds or milliseconds count.
#[allow(clippy::cast_possible_truncation)] // a number that is too large is no time
pub fn of_seconds(number: f64) -> Option<Timestamp> {
    of_epoch(number as i64)
}

/// Returns the time of a text.
pub fn of_text(text: &[u8]) -> Option<Timestamp> {
    let is_epoch = matches!(text.len(), 10 | 13) && text.iter().all(u8::is_ascii_digit);
    if is_epoch {
        return of_epoch(std::str::from_utf8(text).ok()?.parse().ok()?);
    }
    Timestamp::new(text)
}

#[cfg(test)]
mod tests {
    use super::{of_epoch, of_seconds, of_text};

    #[test]
    fn local_epochs_of_10_and_13_digits_are_dates_and_other_numbers_are_none() {
        let expected = Some("2026-08-10T08:00:00Z".to_owned());
        let shown = |time: Option<crate::web::timestamp::Timestamp>| time.map(|time| time.to_string());
        assert_eq!(shown(of_epoch(1_786_348_800)), expected);
        assert_eq!(shown(of_epoch(1_786_348_800_000)), expected);
        assert_eq!(shown(of_seconds(1_786_348_800.75)), expected);
        for text in ["1786348800", "1786348800000", "2026-08-10T08:00:00Z"] {
            assert_eq!(shown(of_text(text.as_bytes())), expected, "{text}");
        }
        for number in [0, -1, 20_260_810, 999_999_999, 20_260_810_080_000, i64::MAX] {
            assert_eq!(of_epoch(number), None, "{number}");
        }
        assert_eq!((of_seconds(f64::NAN), of_seconds(1e300)), (None, None));
    }
}
