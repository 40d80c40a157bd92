//! Units = sum of fates (RULES ACCT-1): a source's units, counted by themselves.

use crawlprefs::robots::{Extent, RobotsTxt};
use crawlprefs::systems::{FileBody, Source, Viewpoint};
use crawlprefs::verdict::account::units;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use serde_json::value::RawValue;

/// Holds it for the fields and metas of a record; returns how many they are.
pub fn assert_units_of_record(fields: &[Field<'_>], viewpoint: &Viewpoint) -> u64 {
    let sum = units(&Source::Record(fields), viewpoint).sum();
    assert_eq!(sum, fields.len() as u64, "{fields:?}");
    sum
}

/// Holds it for a body, read as the site file of a kind; returns how many units it has.
pub fn assert_units_of_file(kind: CaptureKind, bytes: &[u8], viewpoint: &Viewpoint) -> u64 {
    let body = FileBody {
        bytes,
        extent: Extent::Whole,
    };
    let (sum, expected) = match kind.read_as() {
        CaptureKind::AiTxt | CaptureKind::TrustTxt | CaptureKind::Automation => (
            units(&Source::SiteFile(kind, body), viewpoint).sum(),
            Some(lines(bytes)),
        ),
        CaptureKind::Tdmrep => (
            units(&Source::SiteFile(kind, body), viewpoint).sum(),
            entries(bytes),
        ),
        _ => {
            let robots = RobotsTxt::parse(bytes);
            let expected = lines(robots.bytes());
            (
                units(&Source::Robots(&robots), viewpoint).sum(),
                Some(expected),
            )
        }
    };
    assert!(
        expected.is_none_or(|expected| sum == expected),
        "{sum}, {expected:?}: {}",
        bytes.escape_ascii()
    );
    sum
}

/// Counts lines by their ends: CR LF, CR or LF. A mark at the start is of no line: a file of it alone has none.
fn lines(bytes: &[u8]) -> u64 {
    let marks = [&b"\xef\xbb\xbf"[..], b"\xc3\xaf\xc2\xbb\xc2\xbf"];
    let bytes = marks
        .iter()
        .find_map(|mark| bytes.strip_prefix(*mark))
        .unwrap_or(bytes);
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    let ends = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\r' | b'\n'))
        .count()
        - pairs;
    let is_open = bytes
        .last()
        .is_some_and(|last| !matches!(last, b'\r' | b'\n'));
    (ends + usize::from(is_open)) as u64
}

/// Counts the entries of a JSON array; a file without one is a unit itself. Of other forms and other bytes nothing is said.
fn entries(bytes: &[u8]) -> Option<u64> {
    let all: Vec<&RawValue> = serde_json::from_slice(bytes).ok()?;
    Some(all.len().max(1) as u64)
}
