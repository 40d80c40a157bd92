//! A statement of preference: what one dictionary says about the labels of a vocabulary.
//!
//! Documents: draft-ietf-aipref-vocab-03, Exemplary Serialization Format and Applying Statements of Preference (the rules are
//! the same in all drafts); RFC 9651 4.2.2 for the syntax.
//! Example: `train-ai=y, train-ai="n"` states nothing, because the last value counts and is not a token.
//! Left out: parameters, for which the draft has no use; keys, values and parameters as written (`member.rs`).
//!
//! Several statements answer together for each label (Combining Preferences): `bots=n` and `search=y` in two statements
//! disallow search; in one they allow it. Left out: a default for the unknown.
//!
//! If only the case of the keys is wrong: `Train-AI=n` is not a dictionary, because keys have no upper case (VOCAB-18).
//! `ai-train=n` is a dictionary; its key belongs to Content-Signal, and a vocabulary ignores it (VOCAB-17).
//! Left out: a reading of either as a no. The account of a page shows it as a doubt.

use super::vocabulary::{COLUMNS, Fallback, Label, MAX_LABELS, Vocabulary};
use crate::systems::structured_field::{Defect, Member, dictionary};
use crate::web::preference::Preference;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StatementEntry {
    #[default]
    Absent,
    Allow,
    Disallow,
    Other,
}

impl StatementEntry {
    /// draft-ietf-aipref-vocab-03, Processing Algorithm: "values that are not Tokens, and Token values that are other than y or
    /// n", and "All of these are not errors".
    pub(super) fn of(token: Option<&str>) -> Self {
        match token {
            Some("y") => Self::Allow,
            Some("n") => Self::Disallow,
            Some(_) | None => Self::Other,
        }
    }

    pub(super) fn preference(self) -> Preference {
        match self {
            Self::Allow => Preference::Allow,
            Self::Disallow => Preference::Disallow,
            Self::Absent | Self::Other => Preference::Unknown,
        }
    }
}

/// Where the preference for a label comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Neither the label nor a more general one has a preference.
    Nothing,
    /// The label has a preference of its own.
    Explicit,
    /// The preference is that of a more general label.
    Inherited(Label),
    /// As `Inherited`, but the document says elsewhere that a restriction does not reach so far: `tdm=n` for `search`
    /// (draft-ietf-aipref-vocab-01, More Specific Instructions).
    InheritedInDoubt(Label),
}

/// What one dictionary says about the labels of a vocabulary, before fallback. Use it only with the vocabulary by which it was
/// parsed; another one has its labels at other places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    entries: [StatementEntry; MAX_LABELS],
}

impl Statement {
    /// Parses a statement. Parameters are disregarded (draft-ietf-aipref-vocab-03, Processing Algorithm).
    ///
    /// # Errors
    /// Returns a defect if the bytes are not a dictionary or too long; then nothing is stated. That is not an error of the text
    /// around the statement.
    pub fn parse(value: &[u8], vocabulary: &Vocabulary) -> Result<Self, Defect> {
        let mut statement = Self::default();
        for member in members(value, vocabulary)? {
            let label = vocabulary.label(member.key);
            // "any unknown labels MUST be ignored" (draft-ietf-aipref-vocab-03, Syntax Extensions).
            if let Some(entry) = label.and_then(|label| statement.entries.get_mut(label.place())) {
                // A key that comes again overwrites the earlier value (RFC 9651 4.2.2).
                *entry = StatementEntry::of(member.token);
            }
        }
        Ok(statement)
    }

    /// Returns the preference for a label and its basis. draft-ietf-aipref-vocab-03, Applying Statements of Preference.
    pub fn answer(&self, vocabulary: &Vocabulary, label: Label) -> (Preference, Basis) {
        // Step 1: an explicit preference.
        let explicit = self.entry(label).preference();
        if explicit != Preference::Unknown {
            return (explicit, Basis::Explicit);
        }
        // Step 2: "recursively apply this process" to the more general category.
        let mut above = std::iter::successors(vocabulary.parent(label), |at| vocabulary.parent(*at));
        let stated = above.find(|at| self.entry(*at).preference() != Preference::Unknown);
        // Step 3: "Otherwise, no preference is stated."
        let Some(from) = stated else { return (Preference::Unknown, Basis::Nothing) };
        let preference = self.entry(from).preference();
        (preference, inherited(vocabulary.fallback(label), preference, from))
    }

    /// Returns the preferences for all labels, after fallback.
    pub fn answers(&self, vocabulary: &Vocabulary) -> Answers {
        let mut answers = Answers::default();
        for (label, _) in vocabulary.labels() {
            answers.set(label, self.answer(vocabulary, label).0);
        }
        answers
    }

    fn entry(&self, label: Label) -> StatementEntry {
        self.entries.get(label.place()).copied().unwrap_or_default()
    }
}

fn inherited(fallback: Fallback, preference: Preference, from: Label) -> Basis {
    match (fallback, preference) {
        (Fallback::Doubtful, Preference::Disallow) => Basis::InheritedInDoubt(from),
        (Fallback::Plain | Fallback::Doubtful, _) => Basis::Inherited(from),
    }
}

/// A preference for each label of the vocabulary by which the statements were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Answers([Preference; MAX_LABELS]);

impl Answers {
    /// The answers if nothing is stated.
    pub const UNKNOWN: Self = Self([Preference::Unknown; MAX_LABELS]);

    pub(super) fn set(&mut self, label: Label, preference: Preference) {
        if let Some(slot) = self.0.get_mut(label.place()) {
            *slot = preference;
        }
    }

    pub fn of(&self, label: Label) -> Preference {
        self.0.get(label.place()).copied().unwrap_or_default()
    }

    /// Returns only its noes; `None` if there are none.
    pub fn noes(mut self) -> Option<Self> {
        let is_no = |preference: &Preference| *preference == Preference::Disallow;
        self.0
            .iter_mut()
            .filter(|preference| !is_no(preference))
            .for_each(|preference| *preference = Preference::Unknown);
        self.0.iter().any(is_no).then_some(self)
    }

    /// Joins the answers of two statements, label by label. draft-ietf-aipref-vocab-03, Combining Preferences: "the following
    /// process applies to each usage category".
    pub fn and(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.and(*theirs);
        }
        self
    }
}

/// Keys of Content-Signal used by mistake, and the label that was probably meant (VOCAB-17).
const OF_CONTENT_SIGNAL: [(&str, &str); 2] = [("ai-train", "train-ai"), ("ai-input", "ai-use")];

pub(super) fn meant(key: &str) -> Option<&'static str> {
    OF_CONTENT_SIGNAL.iter().find(|(other, _)| *other == key).map(|(_, label)| *label)
}

/// # Errors
/// The defect, if the bytes are not a dictionary or too long. VOCAB-18: it is [`Defect::KeyCase`] if only the case of keys is
/// wrong and one of them is a label.
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

/// A label of any draft, or of the user's vocabulary.
fn is_label(text: &str, vocabulary: &Vocabulary) -> bool {
    COLUMNS.iter().any(|(label, _)| *label == text) || vocabulary.label(text).is_some()
}

/// Also lowers the keys of parameters; values stay.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Outside,
    Inside,
    /// The byte before was `\`.
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

    fn vocabulary(name: &str) -> Vocabulary {
        Vocabulary::named(name).expect("a draft")
    }

    fn parse(value: &str, vocabulary: &Vocabulary) -> Statement {
        Statement::parse(value.as_bytes(), vocabulary).expect("a dictionary")
    }

    #[test]
    fn aipref_vocab_applying_statements_keeps_the_source() {
        let v03 = vocabulary("03");
        let label = |text| v03.label(text).expect("a label");
        let statement = parse("bots=n, train-genai=y, search=1", &v03);
        let bots = label("bots");
        for (text, expected) in [
            ("bots", (Preference::Disallow, Basis::Explicit)),
            ("train-ai", (Preference::Disallow, Basis::Inherited(bots))),
            ("train-genai", (Preference::Allow, Basis::Explicit)),
            ("search", (Preference::Disallow, Basis::Inherited(bots))),
        ] {
            assert_eq!(statement.answer(&v03, label(text)), expected, "{text}");
        }
        assert_eq!(parse("train-ai=y", &v03).answer(&v03, bots), (Preference::Unknown, Basis::Nothing));
    }

    #[test]
    fn aipref_vocab_more_specific_instructions_search_under_01_is_in_doubt() {
        let v01 = vocabulary("01");
        let label = |text| v01.label(text).expect("a label");
        let (tdm, search) = (label("tdm"), label("search"));
        let answer = |value| parse(value, &v01).answer(&v01, search);
        assert_eq!(answer("tdm=n"), (Preference::Disallow, Basis::InheritedInDoubt(tdm)));
        assert_eq!(answer("tdm=y"), (Preference::Allow, Basis::Inherited(tdm)));
        assert_eq!(answer("tdm=n, search=n"), (Preference::Disallow, Basis::Explicit));
    }

    fn vocabulary_of_key_case() -> Vocabulary {
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
            let found = members(value.as_bytes(), &vocabulary_of_key_case()).map_err(Defect::as_str);
            assert_eq!(found.err(), Some(defect), "{value}");
        }
        assert_eq!(with_lower_case_keys(b"A=\"B\\\",C\";D=E, F"), b"a=\"B\\\",C\";d=E, f");
    }
}
