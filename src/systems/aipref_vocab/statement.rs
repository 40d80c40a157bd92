//! A statement of preference: what one dictionary says about the labels of a vocabulary.
//!
//! Documents: draft-ietf-aipref-vocab-03, Exemplary Serialization Format and Applying Statements of Preference (the rules are
//! the same in all drafts); RFC 9651 4.2.2 for the syntax.
//! Example: `train-ai=y, train-ai="n"` states nothing, because the last value counts and is not a token.
//! Several statements answer together for each label (Combining Preferences): `bots=n` and `search=y` in two statements
//! disallow search; in one they allow it.
//! Left out: parameters, for which the draft has no use; keys, values and parameters as written (`member.rs`); a default for the
//! unknown; the reading of `Train-AI=n`, which is not a dictionary (VOCAB-18), and of `ai-train=n`, a key of Content-Signal
//! (VOCAB-17), as a no: the account of a page shows either as a doubt.

use super::vocabulary::{COLUMNS, Label, MAX_LABELS, Vocabulary};
use crate::systems::LabelPreferences;
use crate::systems::structured_field::{FieldDefect, Member, dictionary, with_places};
use crate::web::preference::Preference;

/// A preference for each label of the vocabulary by which statements were read, after fallback.
pub type Answers = LabelPreferences<MAX_LABELS>;

/// What one dictionary says about the labels of the vocabulary by which it was parsed, by their places, before fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VocabularyStatement(Answers);

impl VocabularyStatement {
    /// Parses a statement. Parameters are disregarded (draft-ietf-aipref-vocab-03, Processing Algorithm). A defect is not an
    /// error of the text around the statement.
    pub fn parse(value: &[u8], vocabulary: &Vocabulary) -> Result<Self, FieldDefect> {
        Ok(Self::of_members(
            &dictionary_of_labels(value, vocabulary)?,
            vocabulary,
        ))
    }

    /// Returns what the members of a dictionary say.
    pub fn of_members(members: &[Member<'_>], vocabulary: &Vocabulary) -> Self {
        let mut stated = Answers::UNKNOWN;
        for member in members {
            // "any unknown labels MUST be ignored" (draft-ietf-aipref-vocab-03, Syntax Extensions).
            if let Some(label) = vocabulary.label(member.key) {
                // A key that comes again overwrites the earlier value (RFC 9651 4.2.2).
                stated.set(label, member.preference());
            }
        }
        Self(stated)
    }

    /// Returns the preference for a label. draft-ietf-aipref-vocab-03, Applying Statements of Preference: (1) an explicit
    /// preference, (2) "recursively apply this process" to the more general category, (3) "Otherwise, no preference is stated."
    pub fn answer(&self, vocabulary: &Vocabulary, label: Label) -> Preference {
        self.stated_for(vocabulary, label)
            .map_or(Preference::Unknown, |stated| self.0.of(stated))
    }

    /// Returns the label that states the preference for a label: itself, or one that it falls back to.
    pub fn stated_for(&self, vocabulary: &Vocabulary, label: Label) -> Option<Label> {
        let mut upwards = std::iter::successors(Some(label), |at| vocabulary.parent(*at));
        upwards.find(|at| self.0.of(*at) != Preference::Unknown)
    }

    pub fn answers(&self, vocabulary: &Vocabulary) -> Answers {
        let mut answers = Answers::UNKNOWN;
        vocabulary
            .labels()
            .for_each(|(label, _)| answers.set(label, self.answer(vocabulary, label)));
        answers
    }
}

/// VOCAB-18: the defect is [`FieldDefect::KeyCase`] if only the case of keys is wrong and one of them is a label, of any draft or of
/// the user's vocabulary.
pub(super) fn dictionary_of_labels<'a>(
    value: &'a [u8],
    vocabulary: &Vocabulary,
) -> Result<Vec<Member<'a>>, FieldDefect> {
    let is_label = |member: &Member<'_>| {
        COLUMNS.iter().any(|(label, _)| *label == member.key)
            || vocabulary.label(member.key).is_some()
    };
    dictionary(value).map_err(|defect| {
        let FieldDefect::NotADictionary { at_byte } = defect else {
            return defect;
        };
        let lowered = with_lower_case_keys(value);
        let is_read = dictionary(&lowered).is_ok_and(|members| members.iter().any(is_label));
        if is_read {
            FieldDefect::KeyCase { at_byte }
        } else {
            defect
        }
    })
}

/// Also lowers the keys of parameters; values stay.
fn with_lower_case_keys(value: &[u8]) -> Vec<u8> {
    let mut in_key = true;
    let lowered = with_places(value).map(|(byte, is_outside)| {
        if is_outside {
            in_key = (in_key || matches!(byte, b',' | b';')) && byte != b'=';
        }
        if in_key && is_outside {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    });
    lowered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aipref_vocab_applying_statements() {
        for (name, value, expected) in [
            (
                "03",
                "bots=n, train-genai=y, search=1",
                "bots=n, train-ai=n, train-genai=y, search=n",
            ),
            ("03", "train-ai=y", "train-ai=y, train-genai=y"),
            ("01", "tdm=n", "tdm=n, ai=n, genai=n, search=n, inference=n"),
            (
                "01",
                "tdm=y, search=n",
                "tdm=y, ai=y, genai=y, search=n, inference=y",
            ),
        ] {
            let vocabulary = Vocabulary::named(name).expect("a draft");
            let parse = |text: &str| {
                VocabularyStatement::parse(text.as_bytes(), &vocabulary).expect("a dictionary")
            };
            assert_eq!(
                parse(value).answers(&vocabulary),
                parse(expected).0,
                "{value}"
            );
        }
    }

    #[test]
    fn vocab_18_the_defect_is_key_case_where_only_the_case_of_keys_is_wrong() {
        let v08 = Vocabulary::named("08").expect("a draft");
        for (value, defect) in [
            ("Train-AI=n", "key_case"),
            ("search=y, TRAIN-AI=N;Q=\"A,B\"", "key_case"),
            ("ai-use=(A B);X", "key_case"),
            ("Foo=n", "not_dictionary"),
            ("Train-AI=n,", "not_dictionary"),
            ("train-ai=n;tipjar=/tips", "not_dictionary"),
        ] {
            let found = dictionary_of_labels(value.as_bytes(), &v08).map_err(FieldDefect::as_str);
            assert_eq!(found.err(), Some(defect), "{value}");
        }
        assert_eq!(
            with_lower_case_keys(b"A=\"B\\\",C\";D=E, F"),
            b"a=\"B\\\",C\";d=E, f"
        );
    }
}
