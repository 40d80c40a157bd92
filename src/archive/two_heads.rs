//! Heads that are two: a writer died inside one, or two wrote at once, and another head begins behind the break.
//!
//! FRAME-10: such a head is no record's, as its length or its URL may be the other one's.
//! Example: `WARC-Target-URI: http://b.exWARC/1.0`, with the fields of another record behind it; in an ARC,
//! `http://b.example/robots.txt 192.0.2.1 20080430204825 text/plain 1http://c.example/ 192.0.2.1 20080430204826 text/html 215`.
//! Left out: a break directly behind a `/` or another delimiter of a URL in an ARC, because the line is then one whose URL
//! holds another URL.

use super::arc::{self, ArcLine};
use super::{Head, HeadFields};
use memchr::memmem;

/// Where the second of two heads begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondHead {
    /// At this offset.
    At(usize),
    /// Nothing shows where.
    Somewhere,
}

/// Fields that a record has once (WARC 1.1, section 5).
const ONCE: [&[u8]; 5] = [
    b"warc-type",
    b"warc-record-id",
    b"warc-target-uri",
    b"warc-date",
    b"content-length",
];

/// Returns whether text begins with the first line of a WARC head and nothing else is in that line.
pub fn is_version_line(text: &[u8]) -> bool {
    let Some((name, rest)) = text.split_at_checked(5) else {
        return false;
    };
    let Some((version, end)) = rest.split_at_checked(3) else {
        return false;
    };
    name.eq_ignore_ascii_case(b"WARC/")
        && matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9'])
        && matches!(end, [b'\n', ..] | [b'\r', b'\n', ..])
}

/// How many places of a head are examined where it is not plain that another one begins: each takes as long as the head.
const MOST_EXAMINED: usize = 4;

/// Returns where the last of several heads begins in a WARC head whose fields were read, if it is not one. All before it are
/// lost together, so that a text of nothing but heads is read once.
pub fn in_warc(bytes: &[u8], fields: &HeadFields) -> Option<SecondHead> {
    // Nearly no head has one, which a search from the front finds much faster.
    let may_have = bytes
        .get(1..)
        .is_some_and(|behind| memmem::find(behind, b"WARC/").is_some());
    let starts = || {
        let searched = if may_have { bytes } else { &[] };
        let all = memmem::rfind_iter(searched, b"WARC/").filter(|at| *at > 0);
        all.filter(|at| bytes.get(*at..).is_some_and(is_version_line))
    };
    let mut examined = 0;
    let is_second = |at: &usize| {
        is_behind_break(bytes, *at) || {
            examined += 1;
            examined <= MOST_EXAMINED && is_whole_head(bytes.get(*at..).unwrap_or_default())
        }
    };
    if let Some(at) = starts().find(is_second) {
        return Some(SecondHead::At(at));
    }
    has_two_values(&Head::new(bytes, fields)).then(|| {
        starts()
            .next()
            .map_or(SecondHead::Somewhere, SecondHead::At)
    })
}

/// Returns whether a field that a record has once is there twice with other values.
fn has_two_values(head: &Head<'_>) -> bool {
    let mut seen: [Option<&[u8]>; ONCE.len()] = [None; ONCE.len()];
    head.fields().any(|(name, value)| {
        let slots = ONCE.iter().zip(&mut seen);
        let slot = slots
            .into_iter()
            .find(|(once, _)| name.eq_ignore_ascii_case(once))
            .map(|(_, slot)| slot);
        slot.is_some_and(|slot| *slot.get_or_insert(value) != value)
    })
}

/// Returns whether no field is before `WARC/1.0` in its line. What is behind a colon may be the end of a URL.
fn is_behind_break(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before)
        .map_or(before, |end| before.get(end + 1..).unwrap_or_default());
    !line.contains(&b':')
}

/// Returns whether text has the fields that readers need of a record.
fn is_whole_head(text: &[u8]) -> bool {
    let mut fields = HeadFields::default();
    fields.read(text);
    let head = Head::new(text, &fields);
    let has = |name: &[u8]| head.field(name).is_some();
    has(b"warc-type")
        && has(b"content-length")
        && (has(b"warc-target-uri") || head.is_type(b"warcinfo"))
}

/// Returns where a second line begins in the line that begins a record of an ARC, if it is two.
pub fn in_arc(line: &[u8]) -> Option<SecondHead> {
    let line = line.trim_ascii_end();
    let places: Vec<usize> = arc::url_places(line).filter(|at| *at > 0).collect();
    let last = places
        .get(places.len().saturating_sub(MOST_EXAMINED)..)
        .unwrap_or_default();
    last.iter().find_map(|&at| {
        let (before, behind) = line.split_at_checked(at)?;
        ArcLine::parse(behind)?;
        let mut words = before.rsplit(|byte| *byte == b' ');
        let broken = words.next().unwrap_or_default();
        let Some(word) = words.next() else {
            return is_broken_url(broken).then_some(SecondHead::At(at));
        };
        // A URL may hold blanks.
        let is_behind_url = !broken.is_empty() && arc::is_address(broken) || arc::is_address(word);
        let is_second = is_behind_url || arc::has_date(before);
        Some(if is_second {
            SecondHead::At(at)
        } else {
            SecondHead::Somewhere
        })
    })
}

/// Returns whether the text before a URL is the beginning of another one, broken off, and not a URL that holds one.
fn is_broken_url(before: &[u8]) -> bool {
    let is_delimiter =
        |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'.' | b'-' | b'_');
    !before.last().is_some_and(is_delimiter)
        || arc::begins_scheme(before)
        || !arc::has_known_scheme(before)
}

#[cfg(test)]
mod tests {
    use super::{HeadFields, SecondHead, in_arc, in_warc};

    fn warc(text: &str) -> Option<SecondHead> {
        let mut fields = HeadFields::default();
        fields.read(text.as_bytes());
        in_warc(text.as_bytes(), &fields)
    }

    const SECOND: &str = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://c.example/\r\n\
                          WARC-Date: 2026-08-10T06:00:00Z\r\nContent-Length: 5\r\n\r\n";

    #[test]
    fn frame_10_a_head_that_breaks_off_anywhere_is_two() {
        let first = SECOND.replace("c.example", "b.example");
        for at in 8..first.len() - 2 {
            let text = format!("{}{SECOND}", &first[..at]);
            assert_eq!(warc(&text), Some(SecondHead::At(at)), "{text}");
        }
        let holed = format!("{}\0\0\0\0{SECOND}", &first[..50]);
        assert_eq!(warc(&holed), Some(SecondHead::At(54)));
        assert_eq!(warc(SECOND), None);
    }

    #[test]
    fn frame_10_a_field_that_is_there_once_has_one_value() {
        let twice = SECOND.replace("WARC-Date", "Content-Length: 6\r\nWARC-Date");
        assert_eq!(warc(&twice), Some(SecondHead::Somewhere));
        let same = SECOND.replace("WARC-Date", "Content-Length: 5\r\nWARC-Date");
        assert_eq!(warc(&same), None);
    }

    /// The URL may be before all other fields.
    #[test]
    fn local_a_url_that_ends_like_a_head_is_a_url() {
        let url = "WARC/1.0\r\nWARC-Target-URI: https://a.example/WARC/1.0\r\nWARC-Type: response\r\n\
                   WARC-Date: 2026-08-10T06:00:00Z\r\nContent-Length: 5\r\n\r\n";
        assert_eq!(warc(url), None);
        assert_eq!(
            warc(&SECOND.replace("c.example/", "c.example/WARC/1.1")),
            None
        );
    }

    #[test]
    fn frame_10_a_line_with_two_urls_is_two() {
        let first = "http://b.example/robots.txt 192.0.2.1 20080430204825 text/plain 215";
        let second = "http://c.example/robots.txt 192.0.2.1 20080430204826 text/plain 99";
        for at in 1..=first.len() {
            let line = format!("{}{second}\n", &first[..at]);
            let expected = match &first[..at] {
                // The line of a page with this URL is the same.
                "http://b.example/" => None,
                "http://b.example/robots.txt " => Some(SecondHead::Somewhere),
                _ => Some(SecondHead::At(at)),
            };
            assert_eq!(in_arc(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn wild_a_url_may_hold_another_url() {
        for url in [
            "http://a.example/web/2008/http://b.example/",
            "http://a.example/?u=http://b.example/&x",
        ] {
            let line = format!("{url} 192.0.2.1 20080430204825 text/html 215\n");
            assert_eq!(in_arc(line.as_bytes()), None, "{line}");
        }
    }
}
