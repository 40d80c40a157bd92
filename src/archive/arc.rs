//! The line that begins a record of an ARC file.
//!
//! Document: Internet Archive, "ARC File Format" (1996), version 1 and 2:
//! `URL IP-address Archive-date Content-type Archive-length` in one line, the block, an empty line. Version 2 has
//! `Result-code Checksum Location Offset Filename` before the length. The first record's URL is `filedesc://...`.
//! Example: `http://a.example/ 192.0.2.1 20080430204825 text/html 215`.
//! Ours: a URL and a content type may hold blanks, and a content type may be empty, so the URL ends before the address and
//! date, and the length is the last word. Left out: the other fields, such as the content type, which the HTTP head has
//! also; the names that the version block gives to fields.

use super::head::number;
use memchr::memmem;

/// The longest line that is looked at; any number of this size.
pub const LINE_BYTES: usize = 64 << 10;
const FILEDESC: &[u8] = b"filedesc://";
/// The schemes of URLs that crawlers write into ARC files.
const SCHEMES: [&[u8]; 5] = [b"http://", b"https://", b"dns:", b"ftp://", FILEDESC];
/// The fewest digits with which a date begins.
const DATE_DIGITS: usize = 10;

/// The line that begins a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcLine<'a> {
    pub target: &'a [u8],
    /// The date to the second: the digits that begin its word.
    pub date: Option<&'a [u8]>,
    /// The length of the block, if it is a number.
    pub length: Option<u64>,
    pub is_info: bool,
}

impl<'a> ArcLine<'a> {
    /// Reads a line, with or without its line end; `None` if it does not begin a record.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let is_info = line.starts_with(FILEDESC);
        if !is_info && !has_scheme(line) {
            return None;
        }
        let last = line.iter().rposition(|byte| *byte == b' ')?;
        let (front, length) = line.split_at_checked(last)?;
        let (target, date) = match split_at_date(front) {
            Some((target, date)) => (target, Some(date)),
            None if is_info => (front.split(|byte| *byte == b' ').next()?, None),
            None => return None,
        };
        Some(Self {
            target,
            date,
            length: number(length.trim_ascii()),
            is_info,
        })
    }
}

/// Returns whether text begins with a line that begins a record; more text may change the answer.
pub fn starts_like_a_record(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    text.starts_with(FILEDESC) || (line.len() <= LINE_BYTES && ArcLine::parse(line).is_some())
}

/// Returns whether a line that begins a record has a scheme that crawlers write.
pub fn has_known_scheme(line: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| line.starts_with(scheme))
}

/// Returns whether text that ends here may be the beginning of such a line.
pub fn is_cut_line(text: &[u8]) -> bool {
    let may_begin = has_known_scheme(text) || SCHEMES.iter().any(|scheme| scheme.starts_with(text));
    may_begin && text.len() < LINE_BYTES && !text.contains(&b'\n')
}

/// Returns where URLs with an authority may begin in a line. `dns:` may be a part of any URL.
pub fn url_places(line: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let schemes = SCHEMES.into_iter().filter(|scheme| scheme.ends_with(b"//"));
    memmem::find_iter(line, b"://").filter_map(move |colon| {
        let before = line.get(..colon + 3)?;
        schemes
            .clone()
            .find(|scheme| before.ends_with(scheme))
            .map(|scheme| before.len() - scheme.len())
    })
}

/// Returns whether text is the beginning of a scheme, or one.
pub fn begins_scheme(text: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| scheme.starts_with(text))
}

/// Returns whether text holds a URL, an address and a date.
pub fn has_date(text: &[u8]) -> bool {
    split_at_date(text).is_some()
}

/// Returns where the line of a record begins inside a line, behind other text, and whether no other place may be meant.
pub fn place_in_line(line: &[u8]) -> Option<(usize, bool)> {
    let line = line.trim_ascii_end();
    if !line.last()?.is_ascii_digit() {
        return None;
    }
    let mut at = 0;
    let words = line.split(|byte| *byte == b' ').map(|word| {
        let place = at;
        at += word.len() + 1;
        (place, word)
    });
    let words: Vec<(usize, &[u8])> = words.collect();
    // The last address before a date.
    let is_dated = |pair: &&[(usize, &[u8])]| matches!(pair, [(_, address), (_, date)] if is_address(address) && is_date(date));
    // Behind the date is a length, at least.
    let (_, before_length) = words.split_last()?;
    let address = before_length
        .windows(2)
        .rev()
        .find(|pair| is_dated(pair))
        .and_then(|pair| pair.first())?
        .0;
    let before = line.get(..address)?.trim_ascii_end();
    let word = before
        .iter()
        .rposition(|byte| *byte == b' ')
        .map_or(0, |at| at + 1);
    let mut in_word = url_places(before.get(word..)?);
    if let Some(first) = in_word.next() {
        return Some((word + first, in_word.next().is_none()));
    }
    url_places(before).last().map(|at| (at, false))
}

fn is_date(word: &[u8]) -> bool {
    word.iter().take_while(|byte| byte.is_ascii_digit()).count() >= DATE_DIGITS
}

/// Splits the URL from the digits of the date.
fn split_at_date(front: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut before: Option<(usize, &[u8])> = None;
    let mut at = 0;
    for word in front.split(|byte| *byte == b' ') {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits >= DATE_DIGITS
            && let Some((start, _)) = before.filter(|(start, word)| *start > 0 && is_address(word))
        {
            return Some((
                front.get(..start)?.trim_ascii(),
                word.get(..digits.min(14))?,
            ));
        }
        before = Some((at, word));
        at += word.len() + 1;
    }
    None
}

/// Ours: an address may be missing; writers then put `None`, `-` or `0`.
pub fn is_address(word: &[u8]) -> bool {
    let numeric = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
    matches!(word, b"None" | b"-") || (!word.is_empty() && word.iter().all(numeric))
}

/// RFC 3986 3.1: a letter, then letters, digits, `+`, `-` or `.`, then a colon.
fn has_scheme(line: &[u8]) -> bool {
    const LONGEST_SCHEME: usize = 32;
    let is_letter = line.first().is_some_and(u8::is_ascii_alphabetic);
    let in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = line
        .iter()
        .take(LONGEST_SCHEME)
        .position(|byte| !in_scheme(byte));
    is_letter && end.is_some_and(|end| line.get(end) == Some(&b':'))
}

/// Returns the version in the version block's first line, such as `1 1 InternetArchive`.
pub fn version(block: &[u8]) -> Option<&[u8]> {
    let line = block.split(|byte| *byte == b'\n').next()?;
    line.get(..3)
        .filter(|version| matches!(version, [b'0'..=b'9', b' ', b'0'..=b'9']))
}

#[cfg(test)]
mod tests {
    use super::{ArcLine, place_in_line};

    #[test]
    fn frame_10_a_line_that_ends_behind_its_date_is_at_no_place() {
        let line = b"http://a.example/ 192.0.2.1 20080430204825";
        assert_eq!(place_in_line(line), None);
        assert_eq!(
            place_in_line(&[line, &b" text/html 215"[..]].concat()),
            Some((0, true))
        );
        assert_eq!(
            place_in_line(&[&b"text"[..], line, b" text/html 215"].concat()),
            Some((4, true))
        );
    }

    fn read(line: &str) -> Option<(String, Option<String>, Option<u64>)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let line = ArcLine::parse(line.as_bytes())?;
        Some((text(line.target), line.date.map(text), line.length))
    }

    #[test]
    fn arc_url_record_definition_v1_and_v2() {
        for (target, rest, date, length) in [
            (
                "http://a.example/",
                "192.0.2.1 20080430204825 text/html 215",
                "20080430204825",
                215,
            ),
            (
                "http://a.example/",
                "192.0.2.1 19961104142103 text/html 200 fac069150613fe55 - 2090000000000 IA-001102.arc 202\n",
                "19961104142103",
                202,
            ),
            (
                "dns:a.example",
                "192.0.2.1 20080430204825 text/dns 56",
                "20080430204825",
                56,
            ),
        ] {
            let line = format!("{target} {rest}");
            assert_eq!(
                read(&line),
                Some((target.into(), Some(date.into()), Some(length))),
                "{line}"
            );
        }
        assert_eq!(
            read("filedesc:// - - - 76\r\n"),
            Some(("filedesc://".into(), None, Some(76)))
        );
    }

    #[test]
    fn wild_urls_with_blanks_types_with_blanks_or_none_and_dates_of_any_length() {
        for (target, rest, date) in [
            (
                "http://a.example/?p=MAIN STREET    &c=x",
                "192.0.2.1 20041017235648 text/html 1",
                "20041017235648",
            ),
            (
                "http://a.example:80/",
                "195.68.112.49 20000824015105 text/html; Charset=iso-8859-1 20567",
                "20000824015105",
            ),
            (
                "http://a.example/robots.txt",
                "211.111.217.29 20110804181142  39",
                "20110804181142",
            ),
            (
                "https://a.example/x",
                "None 2016020900 text/html 408966",
                "2016020900",
            ),
            (
                "https://a.example/y",
                "None 20160211000000jpg text/html 1238",
                "20160211000000",
            ),
        ] {
            let line = format!("{target} {rest}");
            let found = read(&line).expect(target);
            assert_eq!(
                (found.0.as_str(), found.1.as_deref()),
                (target, Some(date)),
                "{line}"
            );
        }
        for length in ["-1", "abc", "+5", "99999999999999999999999"] {
            let line =
                format!("http://a.example/ 93.184.216.119 201404010000000000 text/html {length}");
            assert_eq!(read(&line).map(|found| found.2), Some(None), "{line}");
        }
    }

    #[test]
    fn local_text_does_not_begin_a_record() {
        for line in [
            "",
            "HTTP/1.1 200 OK",
            "http://a.example/",
            "see http://a.example/ 1.2.3.4 20080430204825 x 5",
            "WARC/1.0",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
