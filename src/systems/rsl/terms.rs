//! The uses that the terms of a licence permit and prohibit, in a script of the HTML head.
//!
//! Document: Really Simple Licensing 1.0. Example: in one `<license>`, `<permits type="usage">ai-train search</permits>`
//! and `<prohibits type="usage">ai-all</prohibits>` permit `search` and prohibit `ai-all`.
//! Ours: tags are found without an XML parser, whatever their namespace; a comma between words is a blank.
//! Left out: content, users, places, payment; and that what no permit lists is not permitted.

use crate::systems::StatementMember;
use crate::web::preference::Preference;
use memchr::{memchr, memmem};

const USES: [&str; 6] = [
    "all", "ai-all", "ai-train", "ai-input", "ai-index", "search",
];

/// Returns the words of elements for uses, each with its element as key, in their order. In one licence a prohibit wins over a permit.
pub fn terms(xml: &[u8]) -> Vec<StatementMember<'_>> {
    let (mut terms, mut licence, mut rest) = (Vec::new(), 0, xml);
    while let Some((tag, after)) = next_tag(rest) {
        rest = after;
        let after = after.trim_ascii_start();
        let text = after.strip_prefix(b"<![CDATA[").unwrap_or(after);
        let text = text
            .split(|byte| matches!(byte, b'<' | b']'))
            .next()
            .unwrap_or_default();
        match local_name(tag) {
            b"license" => {
                supersede(terms.get_mut(licence..).unwrap_or_default());
                licence = terms.len();
            }
            _ if !is_about_usage(tag) => {}
            b"permits" => terms.extend(words(text, b"permits", Preference::Allow)),
            b"prohibits" => terms.extend(words(text, b"prohibits", Preference::Disallow)),
            _ => {}
        }
    }
    supersede(terms.get_mut(licence..).unwrap_or_default());
    terms
}

/// Returns the text of the next tag, and the text behind it. Comments and CDATA sections are one tag each.
fn next_tag(xml: &[u8]) -> Option<(&[u8], &[u8])> {
    let tag = xml.get(memchr(b'<', xml)? + 1..)?;
    let end: &[u8] = match tag {
        [b'!', b'-', b'-', ..] => b"-->",
        [b'!', b'[', ..] => b"]]>",
        _ => b">",
    };
    let (inside, after) = tag.split_at_checked(memmem::find(tag, end)?)?;
    Some((inside, after.get(end.len()..)?))
}

fn local_name(tag: &[u8]) -> &[u8] {
    let name = tag
        .split(|byte| byte.is_ascii_whitespace() || *byte == b'/')
        .next()
        .unwrap_or_default();
    name.rsplit(|byte| *byte == b':').next().unwrap_or_default()
}

fn is_about_usage(tag: &[u8]) -> bool {
    let mut parts = tag.split(|byte| matches!(byte, b'"' | b'\''));
    while let (Some(before), Some(value)) = (parts.next(), parts.next()) {
        let name = before
            .trim_ascii_end()
            .strip_suffix(b"=")
            .unwrap_or_default()
            .trim_ascii_end();
        if name.rsplit(u8::is_ascii_whitespace).next() == Some(b"type")
            && value.trim_ascii().eq_ignore_ascii_case(b"usage")
        {
            return true;
        }
    }
    false
}

fn words<'a>(
    text: &'a [u8],
    element: &'static [u8],
    preference: Preference,
) -> impl Iterator<Item = StatementMember<'a>> {
    let words = text.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    words.filter(|word| !word.is_empty()).map(move |word| {
        let category = USES.into_iter().find(|usage| usage.as_bytes() == word);
        let defect = category.is_none().then_some("unknown_value");
        let preference = category.map(|_| preference);
        StatementMember {
            key: element,
            value: Some(word),
            category,
            preference,
            defect,
        }
    })
}

/// Marks the permits of a licence that one of its prohibits covers.
fn supersede(licence: &mut [StatementMember<'_>]) {
    let prohibited = USES.map(|usage| {
        let is_no = |term: &StatementMember<'_>| term.preference == Some(Preference::Disallow);
        licence
            .iter()
            .any(|term| term.category == Some(usage) && is_no(term))
    });
    let covers = |by: &str, usage: &str| {
        by == "all" || by == usage || by == "ai-all" && usage.starts_with("ai-")
    };
    for term in licence
        .iter_mut()
        .filter(|term| term.preference == Some(Preference::Allow))
    {
        let mut prohibited = USES
            .iter()
            .zip(prohibited)
            .filter(|(_, is_prohibited)| *is_prohibited);
        if prohibited.any(|(by, _)| term.category.is_some_and(|usage| covers(by, usage))) {
            (term.preference, term.defect) = (None, Some("superseded"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::terms;
    use crate::web::preference::Preference;

    fn shown(xml: &str) -> Vec<String> {
        let text = |term: &super::StatementMember<'_>| {
            let words = [term.key, term.value.unwrap_or_default()]
                .map(|word| String::from_utf8_lossy(word));
            let preference = term.preference.map_or("-", Preference::as_str);
            let (usage, defect) = (term.category.unwrap_or("-"), term.defect.unwrap_or("-"));
            format!("{} {usage} {preference} {defect}", words.join(" "))
        };
        terms(xml.as_bytes()).iter().map(text).collect()
    }

    #[test]
    fn live_6_words_of_permits_and_prohibits() {
        for (xml, expected) in [
            (
                "<permits type=\"usage\">search</permits>",
                &["permits search search allow -"][..],
            ),
            (
                "<r:prohibits\n x='type' type = 'usage' >ai-train\tAI,ai-index</r:prohibits>",
                &[
                    "prohibits ai-train ai-train disallow -",
                    "prohibits AI - - unknown_value",
                    "prohibits ai-index ai-index disallow -",
                ],
            ),
            (
                "<permits type=\"user\">all</permits><permits>all</permits><permits type='usage'/>",
                &[],
            ),
            (
                "<!-- <permits type='usage'>all</permits> --><![CDATA[<permits type='usage'>all]]>",
                &[],
            ),
            ("<permits type='usage'>", &[]),
            ("<permits type='usage'", &[]),
            ("<!-- <permits type='usage'>all", &[]),
            ("", &[]),
        ] {
            assert_eq!(shown(xml), expected, "{xml}");
        }
    }

    #[test]
    fn live_6_a_prohibit_wins_over_a_permit_of_the_same_licence() {
        let usage =
            |element: &str, words: &str| format!("<{element} type='usage'>{words}</{element}>");
        let (permits, prohibits) = (
            usage("permits", "ai-train search"),
            usage("prohibits", "ai-all"),
        );
        let (search, ai) = (
            "permits search search allow -",
            "prohibits ai-all ai-all disallow -",
        );
        let superseded = "permits ai-train ai-train - superseded";
        assert_eq!(
            shown(&format!("<license>{permits}{prohibits}</license>")),
            [superseded, search, ai]
        );
        assert_eq!(
            shown(&format!(
                "<license>{prohibits}</license><license>{permits}</license>"
            )),
            [ai, "permits ai-train ai-train allow -", search]
        );
        let (all, none) = (usage("permits", "all ai-input"), usage("prohibits", "all"));
        let superseded = [
            "permits all all - superseded",
            "permits ai-input ai-input - superseded",
        ];
        assert_eq!(shown(&format!("{all}{none}"))[..2], superseded);
    }
}
