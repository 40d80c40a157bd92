//! The members of a statement as written, for the table `statements`.
//!
//! Documents: draft-ietf-aipref-vocab-03, Processing Algorithm; RFC 9651 4.2.2. Example: `train-ai=y;q, foo=1` has the members
//! `train-ai`, written `y;q`, and `foo`, written `1`. Left out: values as types, since the text is kept.

use super::statement::{StatementEntry, meant, members};
use super::vocabulary::{Label, Vocabulary};
use crate::systems::structured_field::Defect;
use crate::web::preference::Preference;
use std::collections::HashSet;

/// A member of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferenceMember<'a> {
    pub key: &'a str,
    /// The value with its parameters, as written after `=`. A key without `=` has only parameters, so this is empty or starts
    /// with `;`.
    pub value: &'a [u8],
    /// What it says.
    pub meaning: Meaning,
}

/// What a member says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Its value is `y` or `n`.
    Stated(Label, Preference),
    /// Its value is something else and not a preference.
    UnknownValue(Label),
    /// The vocabulary has no such label.
    UnknownLabel,
    /// The vocabulary has no such label, but it is a key of Content-Signal; this label was probably meant (VOCAB-17).
    LabelOfOtherSystem(&'static str),
    /// The same key comes again later, and that one counts.
    Superseded,
}

impl Meaning {
    /// Returns the name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated(..) => "stated",
            Self::UnknownValue(_) => "unknown_value",
            Self::UnknownLabel => "unknown_label",
            Self::LabelOfOtherSystem(_) => "label_of_other_system",
            Self::Superseded => "superseded",
        }
    }
}

impl Meaning {
    /// Returns the label that was probably meant by the key of another system.
    pub fn meant(self) -> Option<&'static str> {
        match self {
            Self::LabelOfOtherSystem(label) => Some(label),
            Self::Stated(..) | Self::UnknownValue(_) | Self::UnknownLabel | Self::Superseded => None,
        }
    }
}

impl<'a> PreferenceMember<'a> {
    /// Returns all members of a statement in their order, repeats included.
    ///
    /// # Errors
    /// Fails where [`Statement::parse`](super::Statement::parse) fails.
    pub fn all(value: &'a [u8], vocabulary: &Vocabulary) -> Result<Vec<Self>, Defect> {
        let entries = members(value, vocabulary)?;
        let starts = entries.iter().skip(1).map(|entry| start(value, entry.key));
        let ends = starts.chain([value.len()]);
        let mut members: Vec<Self> = entries
            .iter()
            .zip(ends)
            .map(|(entry, end)| Self {
                key: entry.key,
                value: written(value, start(value, entry.key) + entry.key.len(), end),
                meaning: meaning(entry.key, vocabulary.label(entry.key), StatementEntry::of(entry.token)),
            })
            .collect();
        mark_superseded(&mut members);
        Ok(members)
    }
}

/// The key is a part of the statement.
fn start(value: &[u8], key: &str) -> usize {
    let offset = key.as_bytes().first().and_then(|byte| value.element_offset(byte));
    offset.unwrap_or(value.len())
}

/// Returns the text between a key and the next, without the `=` before it and the comma after it.
fn written(value: &[u8], from: usize, to: usize) -> &[u8] {
    let text = value.get(from..to).unwrap_or_default().trim_ascii_end();
    let text = text.strip_suffix(b",").unwrap_or(text).trim_ascii_end();
    text.strip_prefix(b"=").unwrap_or(text)
}

fn meaning(key: &str, label: Option<Label>, entry: StatementEntry) -> Meaning {
    match (label, entry) {
        (None, _) => meant(key).map_or(Meaning::UnknownLabel, Meaning::LabelOfOtherSystem),
        (Some(label), StatementEntry::Allow | StatementEntry::Disallow) => {
            Meaning::Stated(label, entry.preference())
        }
        (Some(label), StatementEntry::Absent | StatementEntry::Other) => Meaning::UnknownValue(label),
    }
}

/// RFC 9651 4.2.2: "all but the last instance are ignored".
fn mark_superseded(members: &mut [PreferenceMember<'_>]) {
    let mut seen = HashSet::new();
    for member in members.iter_mut().rev() {
        if !seen.insert(member.key) {
            member.meaning = Meaning::Superseded;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aipref_vocab_processing_algorithm_members_as_written() {
        let v03 = Vocabulary::named("03").expect("a draft");
        let label = |text| v03.label(text).expect("a label");
        let value = b"  train-ai=y;q=\"a,b\" \t,\tfoo=(1 \",\");x,train-ai;k, search=n ,bots=%\"a,b\"  ";
        let found = PreferenceMember::all(value, &v03).expect("a dictionary");
        let expected: [(&str, &[u8], Meaning); 5] = [
            ("train-ai", b"y;q=\"a,b\"", Meaning::Superseded),
            ("foo", b"(1 \",\");x", Meaning::UnknownLabel),
            ("train-ai", b";k", Meaning::UnknownValue(label("train-ai"))),
            ("search", b"n", Meaning::Stated(label("search"), Preference::Disallow)),
            ("bots", b"%\"a,b\"", Meaning::UnknownValue(label("bots"))),
        ];
        assert_eq!(found, expected.map(|(key, value, meaning)| PreferenceMember { key, value, meaning }));
    }

    #[test]
    fn aipref_vocab_processing_algorithm_failure_has_no_members() {
        let v03 = Vocabulary::named("03").expect("a draft");
        assert_eq!(PreferenceMember::all(b"search=n,", &v03), Err(Defect::NotADictionary { at_byte: 8 }));
        assert_eq!(PreferenceMember::all(b"", &v03), Ok(Vec::new()));
    }
}
