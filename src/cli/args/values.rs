//! The values of flags: sizes, durations, shares.

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use crawlprefs::archive::CrawlId;
use crawlprefs::job::{Draw, Slice};
use crawlprefs::judge::files::{DIALECTS, DocumentDialect, DocumentSample};
use crawlprefs::runs::Segment;
use crawlprefs::verdict::MaxAge;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A word that a flag takes, with its help and its value.
pub type FlagWord<T> = (&'static str, &'static str, T);

/// The words that a flag takes.
pub type FlagWords<T, const N: usize> = [FlagWord<T>; N];

pub fn words<T: Copy + Send + Sync>(
    known: &'static [FlagWord<T>],
) -> impl TypedValueParser<Value = T> {
    let possible = known
        .iter()
        .map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(possible).try_map(|given| {
        let found = known.iter().find(|(word, ..)| *word == given);
        found
            .map(|(.., value)| *value)
            .ok_or("expected one of these words")
    })
}

/// Takes any text; completions offer the words that are known.
#[derive(Clone)]
pub struct Suggested(Vec<&'static str>);

impl Suggested {
    pub fn from_words(words: impl IntoIterator<Item = &'static str>) -> Self {
        Self(words.into_iter().collect())
    }
}

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

pub fn parse_crawl(text: &str) -> Result<CrawlId, &'static str> {
    CrawlId::new(text).ok_or("expected letters, digits, dots, underscores and hyphens")
}

pub fn parse_slice(text: &str) -> Result<Slice, &'static str> {
    let parts = text
        .split_once('/')
        .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts
        .and_then(|(index, count)| Slice::new(index, count))
        .ok_or("expected I/N with I from 1 to N")
}

pub fn parse_draw(text: &str) -> Result<Draw, &'static str> {
    let (units, seed) = text.split_once('@').unwrap_or((text, "0"));
    let draw = units.parse().ok().zip(seed.parse().ok());
    let expected = "expected a whole number, or N@SEED, such as 100@7";
    draw.map(|(units, seed)| Draw { units, seed })
        .ok_or(expected)
}

/// Reads the size of a sample of documents, and its seed if one is given.
pub fn parse_sample(text: &str) -> Result<(usize, Option<u64>), String> {
    let (documents, seed) = text
        .split_once('@')
        .map_or((text, None), |(documents, seed)| (documents, Some(seed)));
    let seed = seed.map(str::parse).transpose().ok();
    let documents = documents
        .parse()
        .ok()
        .filter(|documents| (1..=DocumentSample::MOST).contains(documents));
    documents.zip(seed).ok_or_else(|| {
        format!(
            "expected a whole number up to {}, or N@SEED, such as 2000@7",
            DocumentSample::MOST
        )
    })
}

pub fn parse_site_file(text: &str) -> Result<(CaptureKind, PathBuf), String> {
    let (name, file) = text.split_once('=').unwrap_or((text, ""));
    let kind = CaptureKind::named(name).filter(|kind| kind.is_beside_robots() && !file.is_empty());
    kind.map(|kind| (kind, PathBuf::from(file))).ok_or_else(|| {
        format!(
            "expected KIND=FILE with one of the kinds {}",
            CaptureKind::names_beside_robots()
        )
    })
}

pub fn parse_segment(text: &str) -> Result<Segment, &'static str> {
    match text.split_once('/') {
        _ if text == "other" => Ok(None),
        Some((crawl, segment)) => Ok(Some((crawl.to_owned(), segment.to_owned()))),
        None => Err("expected a crawl, a slash and a segment, or other"),
    }
}

pub fn parse_number<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "expected a whole number")
}

pub fn parse_count(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1")
}

/// Reads a number with one of the units behind it, or none.
fn with_unit(text: &str, units: [(&str, u64); 4]) -> Option<u64> {
    let (digits, factor) = units
        .into_iter()
        .find_map(|(name, factor)| text.strip_suffix(name).map(|digits| (digits, factor)))
        .unwrap_or((text, 1));
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

pub fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    let seconds = with_unit(text, [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]);
    let expected = "expected a number of seconds, or a number with s, m, h or d, such as 3h";
    seconds.map(Duration::from_secs).ok_or(expected)
}

/// Reads the age from which a copy of a site's file proves no yes.
pub fn parse_max_age(text: &str) -> Result<MaxAge, &'static str> {
    if text == MaxAge::NONE {
        return Ok(MaxAge::Unlimited);
    }
    let expected = "expected none, a number of seconds, or a number with s, m, h or d, such as 90d";
    parse_duration(text).map(MaxAge::Of).map_err(|_| expected)
}

pub fn parse_time(text: &str) -> Result<Timestamp, &'static str> {
    Timestamp::new(text.as_bytes()).ok_or("expected a time such as 2026-08-10T06:00:00Z")
}

pub fn parse_dialect(text: &str) -> Result<&'static DocumentDialect, String> {
    let names = || DIALECTS.each_ref().map(|dialect| dialect.name).join(", ");
    DocumentDialect::named(text).ok_or_else(|| format!("expected one of {}", names()))
}

pub fn parse_bytes(text: &str) -> Result<u64, &'static str> {
    let upper = text.to_ascii_uppercase();
    let plain = upper
        .strip_suffix("IB")
        .or(upper.strip_suffix('B'))
        .unwrap_or(&upper);
    let bytes = with_unit(
        plain,
        [
            ("K", 1 << 10),
            ("M", 1 << 20),
            ("G", 1 << 30),
            ("T", 1 << 40),
        ],
    );
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or("expected a number of bytes, with K, M, G or T for powers of 1024")
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, parse_duration, parse_slice};

    #[test]
    fn local_sizes_are_powers_of_1024() {
        for (text, bytes) in [
            ("1", 1),
            ("10k", 10 << 10),
            ("500M", 500 << 20),
            ("4GiB", 4 << 30),
            ("2TB", 2 << 40),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "M", "-1", "1.5G", "99999999999999T", "1GG2"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn local_durations_have_units() {
        for (text, seconds) in [
            ("0", 0),
            ("90", 90),
            ("45s", 45),
            ("90m", 5400),
            ("3h", 10_800),
            ("1d", 86_400),
        ] {
            assert_eq!(
                parse_duration(text).map(|duration| duration.as_secs()),
                Ok(seconds),
                "{text}"
            );
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
