//! A preference expression: its pieces, and their meaning for each label.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Preference Expression Strings and Processing Preference Expression
//! Strings. Example: `garbage!!!,genai=y,ai=n` denies `ai` and allows `genai`. Left out: the limit of 1000 characters, which is
//! a MAY (Optimization and Length Limits). Ours: none is needed, as the time is linear, and a lost `n` is the worse error.
//!
//! Labels and their order (Usage Labels, and Table 2): `genai` is more specific than `ai`, which is more specific than `tdm`.
//! Left out: labels that a registry may add one day; they are unknown here and ignored.

use crate::web::lines::trim_blanks;
use crate::web::preference::Preference;

/// One piece of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The label as written.
    pub label: &'a [u8],
    /// The value as written, `None` without `=`.
    pub value: Option<&'a [u8]>,
}

/// The meaning of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionMeaning {
    /// Its value is `y` or `n`.
    Stated(SupLabel, Preference),
    /// The label is known, the value is not.
    UnknownValue(SupLabel),
    /// The label is not known.
    UnknownLabel,
    /// There is no `=`.
    NoValue,
}

impl<'a> Piece<'a> {
    /// Returns the pieces of an expression. Ours: a blank piece does not count, as nothing is written there.
    pub fn all(expression: &'a [u8]) -> impl Iterator<Item = Self> {
        // Parsing, step 2: split at each comma; there is no quoting.
        let pieces = expression.split(|byte| *byte == b',').map(trim_blanks);
        pieces.filter(|piece| !piece.is_empty()).map(Self::new)
    }

    /// Parsing, steps 3a and 3b: split at the first `=`, then trim both sides.
    fn new(piece: &'a [u8]) -> Self {
        match piece.iter().position(|byte| *byte == b'=').and_then(|at| piece.split_at_checked(at)) {
            Some((label, value)) => {
                let value = value.strip_prefix(b"=").unwrap_or(value);
                Self { label: trim_blanks(label), value: Some(trim_blanks(value)) }
            }
            None => Self { label: piece, value: None },
        }
    }

    /// Returns the meaning of the piece (Parsing, steps 3a and 3c to 3e).
    pub fn meaning(&self) -> ExpressionMeaning {
        match (self.value, SupLabel::named(self.label)) {
            (None, _) => ExpressionMeaning::NoValue,
            (Some(_), None) => ExpressionMeaning::UnknownLabel,
            (Some(b"n"), Some(label)) => ExpressionMeaning::Stated(label, Preference::Disallow),
            (Some(b"y"), Some(label)) => ExpressionMeaning::Stated(label, Preference::Allow),
            (Some(_), Some(label)) => ExpressionMeaning::UnknownValue(label),
        }
    }

    /// Returns whether the piece states a preference.
    pub fn is_stated(&self) -> bool {
        match self.meaning() {
            ExpressionMeaning::Stated(..) => true,
            ExpressionMeaning::UnknownValue(_)
            | ExpressionMeaning::UnknownLabel
            | ExpressionMeaning::NoValue => false,
        }
    }
}

/// The value recorded for each label, from one expression or several (Parsing, step 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelValues {
    tdm: Preference,
    ai: Preference,
    genai: Preference,
    search: Preference,
}

impl LabelValues {
    /// Nothing recorded.
    pub const UNKNOWN: Self = Self {
        tdm: Preference::Unknown,
        ai: Preference::Unknown,
        genai: Preference::Unknown,
        search: Preference::Unknown,
    };

    /// Returns the record of one expression.
    pub fn of(expression: &[u8]) -> Self {
        let mut values = Self::UNKNOWN;
        values.record(expression);
        values
    }

    /// Records an expression on top of the earlier ones. Multiple Preference Expressions: the outcome is the same as for a
    /// concatenation. Labels are resolved afterwards, over everything, so that `ai=n` here and `genai=y` there allow `genai`.
    pub fn record(&mut self, expression: &[u8]) {
        for piece in Piece::all(expression) {
            match piece.meaning() {
                // Duplicated Labels: `n` wins whatever the order, then `y`.
                ExpressionMeaning::Stated(label, preference) => {
                    let slot = self.slot(label);
                    *slot = slot.and(preference);
                }
                ExpressionMeaning::UnknownValue(_)
                | ExpressionMeaning::UnknownLabel
                | ExpressionMeaning::NoValue => {}
            }
        }
    }

    /// Returns the value recorded for the label itself.
    pub fn recorded(&self, label: SupLabel) -> Preference {
        match label {
            SupLabel::Tdm => self.tdm,
            SupLabel::Ai => self.ai,
            SupLabel::Genai => self.genai,
            SupLabel::Search => self.search,
        }
    }

    /// Returns the preference for a label (Specificity; Determination, step 1a): its own, else that of the next more general
    /// label that has one.
    pub fn preference(&self, label: SupLabel) -> Preference {
        self.decided(label).map_or(Preference::Unknown, |(_, preference)| preference)
    }

    /// Returns the label whose recorded value is the preference for a label, and that value.
    pub fn decided(&self, label: SupLabel) -> Option<(SupLabel, Preference)> {
        std::iter::successors(Some(label), |label| label.broader())
            .map(|label| (label, self.recorded(label)))
            .find(|(_, preference)| *preference != Preference::Unknown)
    }

    /// Returns the answer for a usage to which several labels apply, each with its default (Determination). Ours: if a default
    /// is also missing, the answer is unknown unless another label denies; the draft assumes a default for each. The answer is
    /// also unknown for a usage without labels.
    pub fn determination(&self, usage: &[(SupLabel, Preference)]) -> Preference {
        if usage.is_empty() {
            return Preference::Unknown;
        }
        let decided = usage.iter().map(|(label, default)| match self.preference(*label) {
            Preference::Unknown => *default,
            preference @ (Preference::Allow | Preference::Disallow) => preference,
        });
        decided.fold(Preference::Allow, |all, one| match (all, one) {
            (Preference::Disallow, _) | (_, Preference::Disallow) => Preference::Disallow,
            (Preference::Unknown, _) | (_, Preference::Unknown) => Preference::Unknown,
            (Preference::Allow, Preference::Allow) => Preference::Allow,
        })
    }

    pub(super) fn slot(&mut self, label: SupLabel) -> &mut Preference {
        match label {
            SupLabel::Tdm => &mut self.tdm,
            SupLabel::Ai => &mut self.ai,
            SupLabel::Genai => &mut self.genai,
            SupLabel::Search => &mut self.search,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupLabel {
    /// All forms of automated processing of content.
    Tdm,
    /// Training or use of machine learning.
    Ai,
    /// Training or use of machine learning that can generate content.
    Genai,
    /// Search indexes. "search" is not more specific than the "ai" label.
    Search,
}

impl SupLabel {
    /// All labels, in the order of the draft.
    pub const ALL: [Self; 4] = [Self::Tdm, Self::Ai, Self::Genai, Self::Search];

    /// Returns the label as it is in expressions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tdm => "tdm",
            Self::Ai => "ai",
            Self::Genai => "genai",
            Self::Search => "search",
        }
    }

    /// Returns the label with this text; labels have case (The "robots.txt" Format).
    pub fn named(text: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str().as_bytes() == text)
    }

    /// Returns the next more general label (Table 2, Narrows).
    pub fn broader(self) -> Option<Self> {
        match self {
            Self::Tdm => None,
            Self::Ai | Self::Search => Some(Self::Tdm),
            Self::Genai => Some(Self::Ai),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    fn recorded(expression: &[u8]) -> LabelValues {
        let mut values = LabelValues::UNKNOWN;
        values.record(expression);
        values
    }

    #[test]
    fn sup_parsing_pieces_as_written() {
        let found: Vec<_> = Piece::all(b" \tai \t= n\t,,tdm, =y,ai=n=n, \x0bai=y,search=").collect();
        let piece = |label, value| Piece { label, value };
        let expected = [
            (piece(b"ai", Some(b"n")), ExpressionMeaning::Stated(SupLabel::Ai, Disallow)),
            (piece(b"tdm", None), ExpressionMeaning::NoValue),
            (piece(b"", Some(b"y")), ExpressionMeaning::UnknownLabel),
            (piece(b"ai", Some(b"n=n")), ExpressionMeaning::UnknownValue(SupLabel::Ai)),
            (piece(b"\x0bai", Some(b"y")), ExpressionMeaning::UnknownLabel),
            (piece(b"search", Some(b"")), ExpressionMeaning::UnknownValue(SupLabel::Search)),
        ];
        let found: Vec<_> = found.into_iter().map(|piece| (piece, piece.meaning())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sup_specificity_recorded_is_not_resolved() {
        let values = recorded(b"tdm=n,genai=y");
        assert_eq!(SupLabel::ALL.map(|label| values.recorded(label)), [Disallow, Unknown, Allow, Unknown]);
        assert_eq!(
            SupLabel::ALL.map(|label| values.preference(label)),
            [Disallow, Disallow, Allow, Disallow]
        );
    }

    #[test]
    fn sup_determination_deny_ends_and_defaults_fill() {
        let values = recorded(b"tdm=y,ai=n");
        let (search, ai, other) = ((SupLabel::Search, Unknown), (SupLabel::Ai, Allow), SupLabel::Genai);
        let nothing = recorded(b"ai=x");
        for (usage, expected) in [(&[search][..], Allow), (&[search, ai], Disallow), (&[], Unknown)] {
            assert_eq!(values.determination(usage), expected, "{usage:?}");
        }
        for (usage, expected) in [
            (&[ai, (other, Disallow)][..], Disallow),
            (&[ai, (other, Allow)], Allow),
            (&[ai, (other, Unknown)], Unknown),
            (&[search, (other, Disallow)], Disallow),
        ] {
            assert_eq!(nothing.determination(usage), expected, "{usage:?}");
        }
    }

    #[test]
    fn sup_usage_labels_names_and_order() {
        assert_eq!(SupLabel::ALL.map(SupLabel::as_str), ["tdm", "ai", "genai", "search"]);
        assert_eq!(
            SupLabel::ALL.map(SupLabel::broader),
            [None, Some(SupLabel::Tdm), Some(SupLabel::Ai), Some(SupLabel::Tdm)]
        );
    }

    #[test]
    fn sup_robots_txt_format_labels_have_case() {
        for label in SupLabel::ALL {
            assert_eq!(SupLabel::named(label.as_str().as_bytes()), Some(label));
        }
        for text in ["", "AI", "Tdm", "ai ", "a", "aix", "train-ai"] {
            assert_eq!(SupLabel::named(text.as_bytes()), None, "{text}");
        }
    }
}
