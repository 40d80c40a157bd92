//! A no that was written and cannot be read: a lost no (RULES LABEL-7).
//!
//! Examples: `Train-AI=n` is not a dictionary, because keys have no upper case; nor is `train-ai=n;tipjar=/tips`,
//! because a token cannot start with `/`; nor is `train-ai=n search=y`, which lacks a comma; `train-ai=no` has a value that
//! is not a preference; `ai-train=n` is a key of Content-Signal, which a vocabulary ignores. Each is `unread`, so that
//! another system's yes does not become a label.
//! Left out: a reading of it as a no. A lost yes changes nothing. A parameter is not a value (VOCAB-15).

use super::vocabulary::{COLUMNS, Vocabulary};
use crate::systems::lost_no::{has_no_under, is_no, without_case};
use crate::systems::structured_field::{Defect, Member, dictionary};
use std::collections::HashSet;

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

/// Returns whether a statement holds a no that cannot be read: in a value that does not parse, in one that is no
/// preference (LABEL-7), or under a key of Content-Signal (VOCAB-17). One that is too long is not looked at; whoever reads
/// it knows that it is unread.
pub fn has_lost_no(value: &[u8], vocabulary: &Vocabulary) -> bool {
    match dictionary(value) {
        Ok(members) => has_no_that_is_no_preference(&members, vocabulary),
        Err(Defect::TooLong { .. }) => false,
        Err(_) => pieces(value).into_iter().any(|piece| has_no(piece, vocabulary)),
    }
}

/// Of a repeated key the last value counts (VOCAB-4).
fn has_no_that_is_no_preference(members: &[Member<'_>], vocabulary: &Vocabulary) -> bool {
    let mut seen = HashSet::new();
    let mut last = members.iter().rev().filter(|member| seen.insert(member.key));
    last.any(|member| {
        let is_read = vocabulary.label(member.key).is_some() && member.token == Some("n");
        let key = without_case(member.key.as_bytes());
        let is_meant = vocabulary.label(&key).is_some() || meant(&key).is_some();
        !is_read && is_meant && member.token.is_some_and(|token| is_no(token.as_bytes()))
    })
}

/// Returns what is between the commas outside strings. Ours: a quote that is never closed is an ordinary byte, so
/// that nothing after it is lost.
fn pieces(value: &[u8]) -> Vec<&[u8]> {
    let (mut quote, mut start, mut pieces) = (Quote::Outside, 0, Vec::new());
    let mut opened = None;
    for (at, byte) in value.iter().enumerate() {
        let before = quote;
        quote = quote.after(*byte);
        if before == Quote::Outside && quote == Quote::Inside {
            opened = Some(at);
        }
        if quote == Quote::Outside && *byte == b',' {
            pieces.push(value.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    let rest = value.get(start..).unwrap_or_default();
    match opened.filter(|_| quote != Quote::Outside) {
        Some(_) => pieces.extend(rest.split(|byte| *byte == b',')),
        None => pieces.push(rest),
    }
    pieces
}

/// LABEL-7: of each piece the text before the first `;` counts. Ours: a comma may be missing, and a no may be written in
/// other words.
fn has_no(piece: &[u8], vocabulary: &Vocabulary) -> bool {
    let member = piece.split(|byte| *byte == b';').next().unwrap_or_default();
    has_no_under(member, |key| is_label(key, vocabulary) || meant(key).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        Vocabulary::named("08").expect("a draft")
    }

    #[test]
    fn label_7_a_no_that_does_not_parse_is_lost() {
        for lost in [
            "Train-AI=n",
            "train-ai=n;tipjar=/tips",
            "search=y, TRAIN-AI = N ;x",
            "train-ai=n,",
            "a=\"x,y\", train-genai=n,,",
            "search=\"y, train-ai=n",
            "x=\"\\\"\", bots=n,",
            "AI-Train=n",
            "ai-train=no,",
            "\u{e9}, ai-use=n",
            "train-ai=n search=y",
            "search=y train-ai=n",
            "train-ai=no,",
            "train-ai: n",
            "train-ai=N",
            "train-ai=no",
            "train-ai=No;x=1",
            "train_ai=n",
            "\"train-ai=n\"",
            "train-ai=y, train-ai=false",
        ] {
            assert!(has_lost_no(lost.as_bytes(), &vocabulary()), "{lost}");
        }
        for none in [
            "",
            "train-ai=n",
            "Train-AI=y",
            "train-ai=y;x=/n",
            "Foo=n",
            "a=\"x, train-ai=n\",,",
            "train-ai,",
            "train-ai=y;search=n",
            "train-ai=no, train-ai=y",
            "train-ai=?0",
            "train-ai=\"n\"",
            "train-ai=nn",
            "train-ai=?1",
            "train-ai=1",
            "genai=n",
            "x;train-ai=n,",
        ] {
            assert!(!has_lost_no(none.as_bytes(), &vocabulary()), "{none}");
        }
    }

    #[test]
    fn vocab_17_a_no_under_a_key_of_content_signal_is_lost() {
        for (value, lost) in [
            ("ai-train=n, search=y", true),
            ("ai-input=no", true),
            ("ai-train=n, ai-train=y", false),
            ("ai-train=y", false),
            ("ai-train=\"n\"", false),
            ("ai_train=N", true),
        ] {
            assert_eq!(has_lost_no(value.as_bytes(), &vocabulary()), lost, "{value}");
        }
        let own = Vocabulary::of_user("own", &[("ai-train", None)]);
        assert!(!has_lost_no(b"ai-train=n", &own), "a label of the user's");
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
