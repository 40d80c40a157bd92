//! The values of flags: sizes, durations, shares.

use crawlprefs::archive::crawl_id;
use crawlprefs::job::{AsOf, Draw, Slice};
use crawlprefs::judge::files::{DIALECTS, Dialect};
use crawlprefs::runs::Segment;
use crawlprefs::tables::ChosenTables;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
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

pub fn parse_draw(text: &str) -> Result<Draw, String> {
    let (units, seed) = text.split_once('@').unwrap_or((text, "0"));
    let draw = units.parse().ok().zip(seed.parse().ok());
    draw.map(|(units, seed)| Draw { units, seed })
        .ok_or_else(|| "expected a whole number, or N@SEED, such as 100@7".to_owned())
}

pub fn parse_site_file(text: &str) -> Result<(CaptureKind, PathBuf), String> {
    let (name, file) = text.split_once('=').unwrap_or((text, ""));
    let kind = CaptureKind::named(name).filter(|kind| kind.is_beside_robots() && !file.is_empty());
    let expected =
        || format!("expected KIND=FILE with one of the kinds {}", CaptureKind::names_beside_robots());
    kind.map(|kind| (kind, PathBuf::from(file))).ok_or_else(expected)
}

pub fn parse_segment(text: &str) -> Result<Segment, String> {
    match text.split_once('/') {
        _ if text == "other" => Ok(None),
        Some((crawl, segment)) => Ok(Some((crawl.to_owned(), segment.to_owned()))),
        None => Err("expected a crawl, a slash and a segment, or other".to_owned()),
    }
}

pub fn parse_tables(text: &str) -> Result<ChosenTables, String> {
    ChosenTables::read(text).map_err(|error| error.to_string())
}

pub fn parse_number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

pub fn parse_count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number of seconds, or a number with s, m, h or d, such as 3h".to_owned();
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let with_unit = |(name, seconds)| text.strip_suffix(name).map(|digits| (digits, seconds));
    let (digits, seconds) = units.into_iter().find_map(with_unit).unwrap_or((text, 1));
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(expected)
}

pub fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::new(text.as_bytes()).ok_or_else(|| "expected a time such as 2026-08-10T06:00:00Z".to_owned())
}

pub fn parse_as_of(text: &str) -> Result<AsOf, String> {
    text.parse()
}

pub fn parse_dialect(text: &str) -> Result<&'static Dialect, String> {
    let names = || DIALECTS.map(|dialect| dialect.name).join(", ");
    Dialect::named(text).ok_or_else(|| format!("expected one of {}", names()))
}

pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of bytes, with K, M, G or T for powers of 1024".to_owned();
    let upper = text.to_ascii_uppercase();
    let plain = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let with_unit = |(name, shift)| plain.strip_suffix(name).map(|digits| (digits, shift));
    let (digits, shift) = units.into_iter().find_map(with_unit).unwrap_or((plain, 0));
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
