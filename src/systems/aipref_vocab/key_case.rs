//! The members of a statement, and what is wrong where only the case of its keys is.
//!
//! Examples: `Train-AI=n` is not a dictionary, because keys have no upper case (VOCAB-18); `ai-train=n` is one, and its key is
//! of Content-Signal, which a vocabulary ignores (VOCAB-17).
//! Left out: a reading of either as a no. The account of a page has it as a doubt.

use super::vocabulary::{COLUMNS, Vocabulary};
use crate::systems::structured_field::{Defect, Member, dictionary};

/// The keys of Content-Signal that a statement has by mistake, and the label that was probably meant (VOCAB-17).
const OF_CONTENT_SIGNAL: [(&str, &str); 2] = [("ai-train", "train-ai"), ("ai-input", "ai-use")];

/// Returns the label that was probably meant by a key of Content-Signal.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    OF_CONTENT_SIGNAL.iter().find(|(other, _)| *other == key).map(|(_, label)| *label)
}

/// Returns the members of a dictionary in their order.
///
/// # Errors
/// The defect, if the bytes are not a dictionary or too long. VOCAB-18: it is [`Defect::KeyCase`] where nothing but
/// the case of keys is wrong, and one of them is a label.
pub(super) fn members<'a>(value: &'a [u8], vocabulary: &Vocabulary) -> Result<Vec<Member<'a>>, Defect> {
    dictionary(value).map_err(|defect| match defect {
        Defect::NotADictionary { at_byte } if is_of_key_case(value, vocabulary) => {
            Defect::KeyCase { at_byte }
        }
        other => other,
    })
}

fn is_of_key_case(value: &[u8], vocabulary: &Vocabulary) -> bool {
    let lowered = with_lower_case_keys(value);
    lowered != value
        && dictionary(&lowered)
            .is_ok_and(|members| members.iter().any(|member| is_label(member.key, vocabulary)))
}

/// Returns whether a draft or the user's vocabulary has the label.
fn is_label(text: &str, vocabulary: &Vocabulary) -> bool {
    COLUMNS.iter().any(|(label, _)| *label == text) || vocabulary.label(text).is_some()
}

/// Returns the bytes with the upper case of keys lowered, also of keys of parameters; values stay.
fn with_lower_case_keys(value: &[u8]) -> Vec<u8> {
    let (mut in_key, mut quote) = (true, Quote::Outside);
    let lowered = value.iter().map(|byte| {
        quote = quote.after(*byte);
        if quote == Quote::Outside {
            in_key = (in_key || matches!(byte, b',' | b';')) && *byte != b'=';
        }
        if in_key && quote == Quote::Outside { byte.to_ascii_lowercase() } else { *byte }
    });
    lowered.collect()
}

/// Whether a byte is in a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Outside,
    Inside,
    /// The byte before it was `\`.
    Escaped,
}

impl Quote {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escaped, _) => Self::Inside,
            (Self::Inside, b'"') | (Self::Outside, _) => Self::Outside,
            (Self::Inside, b'\\') => Self::Escaped,
            (Self::Inside, _) => Self::Inside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        Vocabulary::named("08").expect("a draft")
    }

    #[test]
    fn vocab_18_the_defect_is_key_case_where_only_the_case_of_keys_is_wrong() {
        for (value, defect) in [
            ("Train-AI=n", "key_case"),
            ("search=y, TRAIN-AI=N;Q=\"A,B\"", "key_case"),
            ("ai-use=(A B);X", "key_case"),
            ("Foo=n", "not_dictionary"),
            ("Train-AI=n,", "not_dictionary"),
            ("train-ai=n;tipjar=/tips", "not_dictionary"),
        ] {
            let found = members(value.as_bytes(), &vocabulary()).map_err(Defect::as_str);
            assert_eq!(found.err(), Some(defect), "{value}");
        }
        assert_eq!(with_lower_case_keys(b"A=\"B\\\",C\";D=E, F"), b"a=\"B\\\",C\";d=E, f");
    }
}
