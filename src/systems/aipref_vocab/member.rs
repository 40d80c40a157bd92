//! The members of a statement as written, for the table `statements`.
//!
//! Documents: draft-ietf-aipref-vocab-03, Processing Algorithm; RFC 9651 4.2.2. Example: `train-ai=y;q, foo=1` has the members
//! `train-ai`, written `y;q`, and `foo`, written `1`. Left out: values as types, since the text is kept.

use super::statement::dictionary_of_labels;
use super::vocabulary::Vocabulary;
use crate::systems::StatementMember;
use crate::systems::structured_field::{FieldDefect, Member, split_outside};
use crate::systems::words::meaning;
use crate::web::preference::Preference;
use std::collections::HashSet;

/// Keys of Content-Signal used by mistake, and the label that was probably meant (VOCAB-17).
const OF_CONTENT_SIGNAL: [(&str, &str); 2] = [("ai-train", "train-ai"), ("ai-input", "ai-use")];

/// Returns all members of a statement in their order, repeats included. A value has its parameters, as written after `=`; a
/// key without `=` has only parameters, so its value is empty or starts with `;`. Fails where
/// [`VocabularyStatement::parse`](super::VocabularyStatement::parse) fails.
pub fn members<'a>(
    value: &'a [u8],
    vocabulary: &'a Vocabulary,
) -> Result<Vec<StatementMember<'a>>, FieldDefect> {
    let entries = dictionary_of_labels(value, vocabulary)?;
    let written = split_outside(value, b',').map(<[u8]>::trim_ascii);
    let member = |(entry, text): (&Member<'a>, &'a [u8])| {
        let value = text.get(entry.key.len()..).unwrap_or_default();
        let label = vocabulary
            .label(entry.key)
            .and_then(|label| vocabulary.text(label));
        let meant = meaning(&OF_CONTENT_SIGNAL, entry.key.as_bytes());
        let preference = label.map(|_| entry.preference());
        let defect = match (label, meant) {
            (Some(_), _) => (entry.preference() == Preference::Unknown).then_some("unknown_value"),
            (None, Some(_)) => Some("label_of_other_system"),
            (None, None) => Some("unknown_label"),
        };
        let (key, value) = (
            entry.key.as_bytes(),
            Some(value.strip_prefix(b"=").unwrap_or(value)),
        );
        StatementMember {
            key,
            value,
            category: label.or(meant),
            preference,
            defect,
        }
    };
    let mut members: Vec<StatementMember<'a>> = entries.iter().zip(written).map(member).collect();
    // RFC 9651 4.2.2: "all but the last instance are ignored".
    let mut seen = HashSet::new();
    for member in members
        .iter_mut()
        .rev()
        .filter(|member| !seen.insert(member.key))
    {
        (member.category, member.preference, member.defect) = (None, None, Some("superseded"));
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aipref_vocab_processing_algorithm_members_as_written() {
        let v03 = Vocabulary::named("03").expect("a draft");
        let value =
            b"  train-ai=y;q=\"a,b\" \t,\tfoo=(1 \",\");x,train-ai;k, search=n ,bots=%\"a,b\",ai-train=n  ";
        let (no, unknown) = (Some(Preference::Disallow), Some(Preference::Unknown));
        let expected: [(&[u8], &[u8], _, _, _); 6] = [
            (b"train-ai", b"y;q=\"a,b\"", None, None, Some("superseded")),
            (b"foo", b"(1 \",\");x", None, None, Some("unknown_label")),
            (
                b"train-ai",
                b";k",
                Some("train-ai"),
                unknown,
                Some("unknown_value"),
            ),
            (b"search", b"n", Some("search"), no, None),
            (
                b"bots",
                b"%\"a,b\"",
                Some("bots"),
                unknown,
                Some("unknown_value"),
            ),
            (
                b"ai-train",
                b"n",
                Some("train-ai"),
                None,
                Some("label_of_other_system"),
            ),
        ];
        let expected = expected.map(
            |(key, value, category, preference, defect)| StatementMember {
                key,
                value: Some(value),
                category,
                preference,
                defect,
            },
        );
        assert_eq!(members(value, &v03), Ok(expected.to_vec()));
        assert_eq!(
            members(b"search=n,", &v03),
            Err(FieldDefect::NotADictionary { at_byte: 8 })
        );
        assert_eq!(members(b"", &v03), Ok(Vec::new()));
    }
}
