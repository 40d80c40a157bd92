//! The paths of rules and URLs in one normal form, and the matcher.
//!
//! Document: RFC 9309 2.2.2 and 2.2.3. Examples: `Disallow: /*.gif$` matches `/a/b.gif`; `Allow: /foo/%62` matches `/foo/bar`
//! and `/foo/b%C3%A9`. Left out: which of several rules wins; each signal decides that.
//!
//! In the normal form, octets outside ASCII and those that cannot be in a URI are percent-encoded, escapes have upper-case hex
//! digits, and unreserved characters are not escaped. Both sides write a literal `*` and `$` as `%2A` and `%24` (2.2.3), so
//! those two characters are special wherever they are.
//! Ours: reserved characters stay as written, because `%2F` is not a `/` (RFC 3986 2.2); rules are normalised like URLs, or a
//! rule would not match its own spelling.

use super::steps;
use memchr::{memchr, memmem, memrchr};

/// The path and query of a URL in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlPath {
    octets: Vec<u8>,
    /// Where the query begins; the end if there is none.
    path_octets: usize,
    pub(super) pairs: Pairs,
}

impl UrlPath {
    /// Joins the path of a URL with its query, the part between `?` and the fragment. An empty path is `/` (RFC 3986 6.2.3).
    pub fn new(path: &[u8], query: Option<&[u8]>) -> Self {
        let mut octets = Vec::with_capacity(path.len() + query.map_or(0, <[u8]>::len) + 16);
        if !path.starts_with(b"/") {
            octets.push(b'/');
        }
        push_normal(path, Side::Url, &mut octets);
        if let Some(query) = query {
            octets.push(b'?');
            push_normal(query, Side::Url, &mut octets);
        }
        let path_octets = memchr(b'?', &octets).unwrap_or(octets.len());
        let pairs = Pairs::from_octets(&octets);
        Self {
            octets,
            path_octets,
            pairs,
        }
    }

    pub(crate) fn without_query(&self) -> &[u8] {
        self.octets.get(..self.path_octets).unwrap_or_default()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.octets
    }

    /// Returns whether this is `/robots.txt`, which is always allowed (RFC 9309 2.2.2).
    pub fn is_robots_txt(&self) -> bool {
        self.octets == b"/robots.txt"
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathPattern(Box<[u8]>);

impl PathPattern {
    /// Normalises the path of a rule. An empty one matches nothing (RFC 9309 2.2, empty-pattern).
    pub fn new(raw: &[u8]) -> Self {
        let mut octets = Vec::with_capacity(raw.len());
        push_pattern(raw, &mut octets);
        Self(octets.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the number of octets by which RFC 9309 2.2.2 ranks rules. Ours: those of the rule after encoding, with `*` and
    /// `$`; not those of the matched part of the URL, or `*` would outrank everything.
    pub fn octet_count(&self) -> usize {
        self.0.len()
    }

    pub fn matches(&self, path: &UrlPath) -> bool {
        matches(&self.0, &path.octets)
    }
}

pub(crate) fn push_pattern(raw: &[u8], into: &mut Vec<u8>) {
    push_normal(raw, Side::Rule, into);
}

/// Returns whether a normal pattern matches a normal path, in time linear in both.
///
/// RFC 9309 2.2.3: `*` matches any octets, `$` the end. Each piece between stars is taken at its first occurrence, because that
/// leaves the most space for the later pieces; only the last piece of an anchored pattern is bound to the end.
pub(crate) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    steps::count(pattern.len());
    let (body, is_anchored) = split_anchor(pattern);
    let Some((head, tail)) = split_at(body, memchr(b'*', body)) else {
        return if is_anchored {
            body == path
        } else {
            !body.is_empty() && path.starts_with(body)
        };
    };
    let Some(rest) = path.strip_prefix(head) else {
        return false;
    };
    if !is_anchored {
        return has_in_order(tail, rest);
    }
    let (middle, last) = split_at(tail, memrchr(b'*', tail)).unwrap_or((b"", tail));
    rest.strip_suffix(last)
        .is_some_and(|rest| has_in_order(middle, rest))
}

/// Returns the number of octets of a rule's normal form if the rule matches a normal path; an empty rule matches nothing.
///
/// A rule is normalised only if its beginning does not settle the answer: few rules match a path, and few of them have escapes.
/// `normal` is emptied and used as a buffer for that.
pub(crate) fn matching_octets(raw: &[u8], path: &[u8], normal: &mut Vec<u8>) -> Option<usize> {
    steps::count(1);
    let is_alike = |(octet, own): &(&u8, &u8)| octet == own && PLAIN[usize::from(**octet)];
    let alike = raw.iter().zip(path).take_while(is_alike).count();
    match raw.get(alike) {
        None => (alike > 0).then_some(alike),
        Some(octet) if PLAIN[usize::from(*octet)] => None,
        Some(_) => {
            normal.clear();
            push_pattern(raw, normal);
            matches(normal, path).then_some(normal.len())
        }
    }
}

/// Returns whether a rule's path can match any path: each path begins with a slash.
pub(crate) fn can_match(rule: &[u8]) -> bool {
    matches!(rule, [b'/' | b'*', ..])
}

/// Returns a pattern without its anchor, and whether it has one: then it must reach the end of the path.
pub(crate) fn split_anchor(pattern: &[u8]) -> (&[u8], bool) {
    pattern
        .strip_suffix(b"$")
        .map_or((pattern, false), |body| (body, true))
}

fn split_at(body: &[u8], star: Option<usize>) -> Option<(&[u8], &[u8])> {
    let (before, from) = body.split_at_checked(star?)?;
    Some((before, from.get(1..)?))
}

fn has_in_order(pieces: &[u8], mut rest: &[u8]) -> bool {
    for piece in pieces.split(|byte| *byte == b'*') {
        let Some(at) = memmem::find(rest, piece) else {
            return false;
        };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    true
}

/// Which pairs of neighbouring octets occur: two small Bloom filters. A path that lacks a pair of a pattern cannot match it.
/// Most paths lack one, so few of a thousand patterns with wildcards have to be tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    low: u64,
    high: u64,
}

impl Pairs {
    /// Returns whether all of the pairs may be among those of `present`; a no is certain.
    pub(crate) fn may_be_in(self, present: Self) -> bool {
        self.low & !present.low == 0 && self.high & !present.high == 0
    }

    pub(crate) fn from_octets(octets: &[u8]) -> Self {
        let mut pairs = Self::default();
        for (first, second) in octets.iter().zip(octets.iter().skip(1)) {
            let hash = (u32::from(*first) << 8 | u32::from(*second)).wrapping_mul(0x9E37_79B1);
            pairs.low |= 1 << (hash >> 26);
            pairs.high |= 1 << (hash >> 20 & 63);
        }
        pairs
    }
}

/// The side whose path is normalised: only rules have special characters.
#[derive(Clone, Copy)]
enum Side {
    Rule,
    Url,
}

fn push_normal(raw: &[u8], side: Side, into: &mut Vec<u8>) {
    let mut rest = raw;
    while !rest.is_empty() {
        let plain = rest
            .iter()
            .position(|byte| !PLAIN[usize::from(*byte)])
            .unwrap_or(rest.len());
        let (kept, from) = rest.split_at_checked(plain).unwrap_or((rest, b""));
        into.extend_from_slice(kept);
        rest = push_first(from, side, into);
    }
}

/// Appends the first octet or escape of `from`, and returns the rest.
fn push_first<'a>(from: &'a [u8], side: Side, into: &mut Vec<u8>) -> &'a [u8] {
    if let Some((octet, rest)) = split_escape(from) {
        // RFC 9309 2.2.2: unreserved characters are decoded, all others stay encoded.
        if is_unreserved(octet) {
            into.push(octet);
        } else {
            push_escape(octet, into);
        }
        return rest;
    }
    let Some((octet, rest)) = from.split_first() else {
        return from;
    };
    match (side, octet) {
        // Ours: a percent sign without two hex digits stays as it is (41 of 21,165 files have one).
        (Side::Rule | Side::Url, b'%') | (Side::Rule, b'*') => into.push(*octet),
        // Ours: only the last `$` of a rule is an anchor; elsewhere it is a literal.
        (Side::Rule, b'$') if rest.is_empty() => into.push(*octet),
        (Side::Rule | Side::Url, _) => push_escape(*octet, into),
    }
    rest
}

fn split_escape(from: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, rest @ ..] = from else {
        return None;
    };
    Some((hex_value(*high)? << 4 | hex_value(*low)?, rest))
}

fn push_escape(octet: u8, into: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    into.extend([
        b'%',
        DIGITS[usize::from(octet >> 4)],
        DIGITS[usize::from(octet & 15)],
    ]);
}

fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// RFC 3986 2.3.
const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// The octets that are their own normal form.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut octet = 0_u8;
    while octet < 128 {
        plain[octet as usize] = is_plain(octet);
        octet += 1;
    }
    plain
};

/// RFC 3986 2.2, without `*` and `$`, which are special in rules, and `#`, which no path has.
const fn is_plain(octet: u8) -> bool {
    is_unreserved(octet)
        || matches!(octet, b':' | b'/' | b'?' | b'[' | b']' | b'@' | b'!')
        || matches!(
            octet,
            b'&' | b'\'' | b'(' | b')' | b'+' | b',' | b';' | b'='
        )
}

#[cfg(test)]
mod tests;
