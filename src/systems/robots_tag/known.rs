//! The known names of rules.
//!
//! Documents: draft-illyes-repext-02, Robots controls rules, for `noindex` and `nosnippet`; publications of search engines and
//! others for the rest. Example: `NoArchive` is `noarchive`.
//! Ours: a known name is never taken for an agent, in any form or place.
//!
//! Quotes around the rules of a line, and a repeated field name, are dropped (RULES TAG-22):
//! `X-Robots-Tag: "X-Robots-Tag: noindex"` says `noindex`.

use crate::web::field::without_curly_quotes;
use crate::web::known_names::KnownNames;
use crate::web::preference::Preference;
use std::sync::LazyLock;

#[derive(Debug)]
pub(super) struct KnownRule {
    pub name: &'static str,
    /// What the rule does; `None` if a value belongs to it, which says how much or until when: neither a yes nor a no.
    pub preference: Option<Preference>,
}

/// What rules do, with their names.
const NAMES: [(Option<Preference>, &str); 3] = [
    (
        Some(Preference::Allow),
        "all archive cache follow imageindex index indexifembedded odp snippet translate yaca ydir",
    ),
    (
        Some(Preference::Disallow),
        "data-nosnippet disallowaitraining noai noarchive nocache nofollow noimageai noimageindex noindex \
         nomediaindex noml none noodp nopagereadaloud nopreview nositelinkssearchbox nosnippet notrain \
         notranslate noyaca noydir",
    ),
    (
        None,
        "max-image-preview max-snippet max-video-preview unavailable-after unavailable_after",
    ),
];

static RULES: LazyLock<KnownNames<KnownRule>> = LazyLock::new(|| {
    KnownNames::new(NAMES.into_iter().flat_map(|(preference, names)| {
        names
            .split_ascii_whitespace()
            .map(move |name| (name, KnownRule { name, preference }))
    }))
});

/// The rules about AI, which no search engine knows: under the name of one, they are meant for everybody (READ-17).
pub(super) const OF_AI: [&str; 5] = ["disallowaitraining", "noai", "noimageai", "noml", "notrain"];

impl KnownRule {
    /// The date is the one from which the page is not to be shown.
    pub(super) fn is_date(&self) -> bool {
        matches!(self.name, "unavailable_after" | "unavailable-after")
    }
}

/// draft-illyes-repext-02, Robots controls rules: names are compared without case, and whole.
pub(super) fn known(name: &[u8]) -> Option<&'static KnownRule> {
    RULES.get(name)
}

/// TAG-22: drops quotes around a value, and the names of the fields at its beginning; also returns the flaw, as in the tables.
pub(super) fn bare(line: &[u8]) -> (&[u8], Option<&'static str>) {
    let (mut text, mut flaw) = (line, None);
    while let Some((rest, found)) = without_quotes(text)
        .map(|rest| (rest, "quoted"))
        .or_else(|| without_name(text).map(|rest| (rest, "name_repeated")))
    {
        (text, flaw) = (rest, Some(found));
    }
    (text, flaw)
}

/// Ours: a value with more quotes contains strings, which are read one by one.
fn without_quotes(text: &[u8]) -> Option<&[u8]> {
    let plain = without_curly_quotes(text);
    if plain.len() < text.trim_ascii().len() {
        return Some(plain);
    }
    match text.trim_ascii() {
        // Ours: braces and brackets as in JSON also count as quotes.
        [b'{', inside @ .., b'}'] | [b'[', inside @ .., b']'] => Some(inside),
        [quote @ (b'"' | b'\''), inside @ .., last] if quote == last && !inside.contains(quote) => {
            Some(inside)
        }
        _ => None,
    }
}

fn without_name(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start();
    let named = [&b"x-robots-tag"[..], b"robots-tag"]
        .into_iter()
        .find_map(|name| {
            let (start, rest) = text.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then_some(rest)
        });
    named?.trim_ascii_start().strip_prefix(b":")
}

#[cfg(test)]
mod tests {
    use super::{RULES, known};

    #[test]
    fn local_the_names_are_different_and_in_lower_case() {
        RULES.assert_different();
    }

    #[test]
    fn repext_robots_controls_rules_names_are_whole_and_without_case() {
        for name in RULES.names() {
            let found = known(name.to_uppercase().as_bytes());
            assert_eq!(found.map(|rule| rule.name), Some(name));
        }
        for name in ["", "no", "noind", "noindexx", "noopd", "zzz", "*"] {
            assert!(known(name.as_bytes()).is_none(), "{name}");
        }
    }
}
