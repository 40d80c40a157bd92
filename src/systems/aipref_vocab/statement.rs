//! A statement of preference: what one dictionary says about the labels of a vocabulary.
//!
//! Documents: draft-ietf-aipref-vocab-03, Exemplary Serialization Format and Applying Statements of
//! Preference (the rules are the same in all drafts); RFC 9651 4.2.2 for the syntax.
//! Example: `train-ai=y, train-ai="n"` states nothing, for the last value counts and is no token.
//! Left out: parameters, for which the draft has no use; keys and values as written (`member.rs`).

use std::convert::Infallible;

use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::answers::Answers;
use super::vocabulary::{Fallback, Label, MAX_LABELS, Vocabulary};
use crate::web::preference::Preference;

/// How long a statement may be, in bytes. Ours: RFC 9651 has no limit, and a limit keeps one page
/// from costing as much as a thousand.
pub const MAX_STATEMENT_BYTES: usize = 64 * 1024;

/// Why a statement states nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// It is no dictionary. RFC 9651 4.2: "the entire field value MUST be ignored".
    #[error("not an RFC 9651 dictionary, byte {at_byte}")]
    NotADictionary {
        /// Where the parser stopped, from 0; the length of the statement if it ends too early.
        at_byte: usize,
    },
    /// It is longer than [`MAX_STATEMENT_BYTES`], and was not read.
    #[error("{bytes} bytes, not read; at most {MAX_STATEMENT_BYTES} expected")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
}

impl Defect {
    /// Returns the defect's name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotADictionary { .. } => "not_dictionary",
            Self::TooLong { .. } => "too_long",
        }
    }
}

/// What a dictionary has under one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Entry {
    /// The key is not there.
    #[default]
    Absent,
    /// The token `y`.
    Allow,
    /// The token `n`.
    Disallow,
    /// Anything else.
    Other,
}

impl Entry {
    /// Reads a value. draft-ietf-aipref-vocab-03, Processing Algorithm: "values that are not Tokens,
    /// and Token values that are other than y or n", and "All of these are not errors".
    fn of(item: &BareItemFromInput<'_>) -> Self {
        match item {
            BareItemFromInput::Token(token) if token.as_str() == "y" => Self::Allow,
            BareItemFromInput::Token(token) if token.as_str() == "n" => Self::Disallow,
            _ => Self::Other,
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

/// How the preference for a label came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Neither the label nor one above it has a preference.
    Nothing,
    /// The label has a preference of its own.
    Explicit,
    /// The preference is that of a more general label.
    Inherited(Label),
    /// As `Inherited`, but the document says elsewhere that a restriction does not reach so far:
    /// `tdm=n` for `search` (draft-ietf-aipref-vocab-01, More Specific Instructions).
    InheritedInDoubt(Label),
}

/// What one dictionary says about the labels of a vocabulary, before fallback.
///
/// It is meant for the vocabulary by which it was parsed; the labels of another one stand elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    entries: [Entry; MAX_LABELS],
    unknown_labels: u32,
}

impl Statement {
    /// Parses a statement. Allocates nothing, but for strings with escapes and byte sequences.
    ///
    /// # Errors
    /// Returns a defect if the bytes are no dictionary or too long; then nothing is stated. That is
    /// no error of what is around the statement.
    pub fn parse(value: &[u8], vocabulary: &Vocabulary) -> Result<Self, Defect> {
        parse_with(value, Reader { vocabulary, statement: Self::default() })
    }

    /// Returns the preference for a label, and where it comes from. draft-ietf-aipref-vocab-03,
    /// Applying Statements of Preference.
    #[must_use]
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
    #[must_use]
    pub fn answers(&self, vocabulary: &Vocabulary) -> Answers {
        let mut answers = Answers::default();
        for (label, _) in vocabulary.labels() {
            answers.set(label, self.answer(vocabulary, label).0);
        }
        answers
    }

    /// Counts the members whose label the vocabulary does not have, repeats included.
    /// draft-ietf-aipref-vocab-03, Syntax Extensions: "any unknown labels MUST be ignored".
    #[must_use]
    pub fn unknown_labels(&self) -> u32 {
        self.unknown_labels
    }

    /// Counts the labels of the vocabulary whose last value is neither `y` nor `n`.
    #[must_use]
    pub fn unknown_values(&self) -> usize {
        self.entries.iter().filter(|entry| **entry == Entry::Other).count()
    }

    fn entry(&self, label: Label) -> Entry {
        self.entries.get(label.place()).copied().unwrap_or_default()
    }
}

fn inherited(fallback: Fallback, preference: Preference, from: Label) -> Basis {
    match (fallback, preference) {
        (Fallback::Doubtful, Preference::Disallow) => Basis::InheritedInDoubt(from),
        (Fallback::Plain | Fallback::Doubtful, _) => Basis::Inherited(from),
    }
}

/// Parses a dictionary. What the visitor gathered comes out only if the whole of it parses.
pub(super) fn parse_with<'de, V>(value: &'de [u8], visitor: V) -> Result<V::Out, Defect>
where
    V: DictionaryVisitor<'de, Error = Infallible>,
{
    if value.len() > MAX_STATEMENT_BYTES {
        return Err(Defect::TooLong { bytes: value.len() });
    }
    Parser::new(value).parse_dictionary_with_visitor(visitor).map_err(|error| {
        // Only errors of visitors are without an index, and ours never fail.
        Defect::NotADictionary { at_byte: error.index().unwrap_or(value.len()) }
    })
}

/// Reads a dictionary into a statement.
struct Reader<'v> {
    vocabulary: &'v Vocabulary,
    statement: Statement,
}

impl<'de> DictionaryVisitor<'de> for Reader<'_> {
    type Out = Statement;
    type Error = Infallible;

    /// A key that comes again overwrites what it had. RFC 9651 4.2.2.
    fn entry(&mut self, key: &'de KeyRef) -> Result<impl EntryVisitor<'de>, Infallible> {
        let label = self.vocabulary.label(key.as_str());
        let slot = label.and_then(|label| self.statement.entries.get_mut(label.place()));
        if slot.is_none() {
            self.statement.unknown_labels = self.statement.unknown_labels.saturating_add(1);
        }
        Ok(slot.map(Slot))
    }

    fn finish(self) -> Result<Statement, Infallible> {
        Ok(self.statement)
    }
}

/// The place for the value of one key.
pub(super) struct Slot<'s>(pub(super) &'s mut Entry);

impl<'de> EntryVisitor<'de> for Slot<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'de>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'de>, Infallible> {
        *self.0 = Entry::Other;
        Ok(Ignored)
    }
}

impl<'de> ItemVisitor<'de> for Slot<'_> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'de>,
    ) -> Result<impl ParameterVisitor<'de, Out = ()>, Infallible> {
        *self.0 = Entry::of(&item);
        // draft-ietf-aipref-vocab-03, Processing Algorithm: "disregarding any parameters".
        Ok(Ignored)
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
    fn aipref_vocab_applying_statements_tells_where_from() {
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

    #[test]
    fn aipref_vocab_syntax_extensions_unknown_is_counted() {
        let v03 = vocabulary("03");
        let statement = parse("foo=y, foo=n, ai=n, bots=Y, bots=n, search=(n), train-ai=y", &v03);
        assert_eq!((statement.unknown_labels(), statement.unknown_values()), (3, 1));
    }

    #[test]
    fn rfc9651_4_2_failure_tells_the_byte() {
        for (value, at_byte) in
            [("train-ai = n", 9), ("Train-AI=n", 0), ("train-ai=n,", 10), ("\tsearch=y", 0), ("a=\"", 3)]
        {
            let found = Statement::parse(value.as_bytes(), &vocabulary("03"));
            assert_eq!(found, Err(Defect::NotADictionary { at_byte }), "{value}");
        }
    }

    #[test]
    fn local_a_statement_has_at_most_64_kib() {
        let statement = |bytes: usize| [b"search=n".as_slice(), &b" ".repeat(bytes - 8)].concat();
        let v03 = vocabulary("03");
        assert!(Statement::parse(&statement(MAX_STATEMENT_BYTES), &v03).is_ok());
        let bytes = MAX_STATEMENT_BYTES + 1;
        assert_eq!(Statement::parse(&statement(bytes), &v03), Err(Defect::TooLong { bytes }));
    }
}
