//! The links of a `Link` header field.
//!
//! Document: RFC 8288 3 and appendix B.2. Example: `</a;b>; rel="next license", <c>` are two links;
//! the first has the target `/a;b` and is a licence.
//! Left out: making a target absolute, for which the page's URL is needed; languages, titles and media.

use crate::systems::words::{quoted_len, unescaped};
use crate::web::lines::split_once;
use std::borrow::Cow;

/// One link, with the parameters that say whether it is a licence of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link<'a> {
    pub target: &'a [u8],
    /// `rel`, the kinds of relation.
    pub rel: Option<Cow<'a, [u8]>>,
    /// `type`, a hint at the media type of the target.
    pub media_type: Option<Cow<'a, [u8]>>,
    /// `anchor`, the subject of the link if that is not the page.
    pub anchor: Option<Cow<'a, [u8]>>,
}

impl Link<'_> {
    /// Returns whether the link is of a kind; kinds have no case (RFC 8288 2.1.1).
    pub fn is_a(&self, relation: &str) -> bool {
        let kinds = self
            .rel
            .iter()
            .flat_map(|rel| rel.split(u8::is_ascii_whitespace));
        kinds
            .into_iter()
            .any(|kind| kind.eq_ignore_ascii_case(relation.as_bytes()))
    }
}

/// Returns the links of a field value, in their order. RFC 8288 B.2. Ours: if a field has something other than a link, the
/// links behind the next comma are still read; the algorithm would stop there.
pub fn links(value: &[u8]) -> impl Iterator<Item = Link<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        loop {
            rest = after_blanks(rest);
            match rest {
                [] => return None,
                [b',', following @ ..] => rest = following,
                [b'<', following @ ..] => {
                    let (target, following) = split_once(following, b'>')?;
                    let (link, following) = parameters(target, following);
                    rest = following;
                    return Some(link);
                }
                _ => rest = after_member(rest),
            }
        }
    })
}

fn parameters<'a>(target: &'a [u8], mut rest: &'a [u8]) -> (Link<'a>, &'a [u8]) {
    let mut link = Link {
        target,
        ..Link::default()
    };
    loop {
        rest = after_blanks(rest);
        let [b';', following @ ..] = rest else {
            return (link, after_member(rest));
        };
        let (name, value, following) = parameter(following);
        let slot = match name.to_ascii_lowercase().as_slice() {
            b"rel" => Some(&mut link.rel),
            b"type" => Some(&mut link.media_type),
            b"anchor" => Some(&mut link.anchor),
            _ => None,
        };
        // RFC 8288 3.2 to 3.4: of several parameters with one of these names the first one counts.
        if let Some(slot) = slot {
            slot.get_or_insert(value);
        }
        rest = following;
    }
}

/// Reads `name`, or `name=value` in which the value is a token or a quoted string (RFC 8288 B.3).
fn parameter(rest: &[u8]) -> (&[u8], Cow<'_, [u8]>, &[u8]) {
    let (name, following) = split_before(rest, b"=;,");
    let [b'=', following @ ..] = following else {
        return (name.trim_ascii(), Cow::default(), following);
    };
    let following = after_blanks(following);
    if let [b'"', quoted @ ..] = following {
        let (value, following) = unquoted(quoted);
        return (name.trim_ascii(), value, following);
    }
    let (value, following) = split_before(following, b";,");
    (name.trim_ascii(), value.trim_ascii().into(), following)
}

/// Reads a quoted string behind its first quote; one that is not closed reaches to the end (RFC 8288 B.4).
fn unquoted(text: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    let end = quoted_len(text).unwrap_or(text.len());
    let (inside, rest) = text.split_at_checked(end).unwrap_or((text, b""));
    (unescaped(inside), rest.get(1..).unwrap_or_default())
}

/// Skips the rest of a list member, up to its comma; commas in quotes do not count.
pub(super) fn after_member(mut rest: &[u8]) -> &[u8] {
    loop {
        let (_, following) = split_before(rest, b",\"");
        match following {
            [b'"', quoted @ ..] => (_, rest) = unquoted(quoted),
            _ => return following,
        }
    }
}

fn split_before<'a>(text: &'a [u8], ends: &[u8]) -> (&'a [u8], &'a [u8]) {
    let end = text
        .iter()
        .position(|byte| ends.contains(byte))
        .unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, b""))
}

fn after_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}
