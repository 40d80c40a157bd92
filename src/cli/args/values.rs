//! The values of flags: sizes, durations, shares.

use crawlprefs::archive::crawl_id;
use crawlprefs::job::Slice;
use std::time::Duration;

pub fn parse_crawl(text: &str) -> Result<String, String> {
    crawl_id(text).ok_or_else(|| "expected letters, digits, dots, underscores and hyphens".to_owned())
}

pub fn parse_slice(text: &str) -> Result<Slice, String> {
    let parts =
        text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts
        .and_then(|(index, count)| Slice::new(index, count))
        .ok_or_else(|| "expected I/N with I from 1 to N".to_owned())
}

pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number of seconds, or one with s, m, h or d behind it".to_owned();
    let (digits, seconds) = match text.chars().last() {
        Some('s') => (text.trim_end_matches('s'), 1),
        Some('m') => (text.trim_end_matches('m'), 60),
        Some('h') => (text.trim_end_matches('h'), 3600),
        Some('d') => (text.trim_end_matches('d'), 86_400),
        Some(_) | None => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(expected)
}

pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of bytes, with K, M, G or T for powers of 1024".to_owned();
    let upper = text.to_ascii_uppercase();
    let plain = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let (digits, shift) = match plain.chars().last() {
        Some('K') => (plain.trim_end_matches('K'), 10),
        Some('M') => (plain.trim_end_matches('M'), 20),
        Some('G') => (plain.trim_end_matches('G'), 30),
        Some('T') => (plain.trim_end_matches('T'), 40),
        Some(_) | None => (plain, 0),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, parse_duration, parse_slice};

    #[test]
    fn local_sizes_are_powers_of_1024() {
        for (text, bytes) in
            [("1", 1), ("10k", 10 << 10), ("500M", 500 << 20), ("4GiB", 4 << 30), ("2TB", 2 << 40)]
        {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "M", "-1", "1.5G", "99999999999999T", "1GG2"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn local_durations_have_units() {
        for (text, seconds) in
            [("0", 0), ("90", 90), ("45s", 45), ("90m", 5400), ("3h", 10_800), ("1d", 86_400)]
        {
            assert_eq!(parse_duration(text).map(|duration| duration.as_secs()), Ok(seconds), "{text}");
        }
        for text in ["", "h", "-1", "1.5h", "3 h", "99999999999999999999d"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn local_slices_count_from_one() {
        assert!(parse_slice("1/1").is_ok() && parse_slice("3/10").is_ok());
        for text in ["0/3", "4/3", "1", "a/b", "1/0", ""] {
            assert!(parse_slice(text).is_err(), "{text}");
        }
    }
}
