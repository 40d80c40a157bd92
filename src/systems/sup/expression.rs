//! A preference expression: its pieces, and their meaning for each label.
//!
//! Document: draft-thomson-aipref-sup (21 July 2025), Preference Expression Strings and Processing Preference Expression
//! Strings. Example: `garbage!!!,genai=y,ai=n` denies `ai` and allows `genai`. Left out: the limit of 1000 characters, which is
//! a MAY (Optimization and Length Limits). Ours: none is needed, as the time is linear, and a lost `n` is the worse error.
//!
//! Labels and their order (Usage Labels, and Table 2): `genai` is more specific than `ai`, which is more specific than `tdm`.
//! Left out: labels that a registry may add one day; they are unknown here and ignored.

use crate::systems::structured_field::dictionary;
use crate::systems::words::members;
use crate::systems::{LabelPreferences, StatementMember};
use crate::web::lines::trim_blanks;
use crate::web::names::names;
use crate::web::preference::Preference;

/// Returns the pieces of an expression with their meaning. Parsing, steps 2 and 3: split at each comma, as there is no quoting,
/// then at the first `=`, then trim both sides. Ours: a blank piece does not count, as nothing is written there.
pub fn pieces(expression: &[u8]) -> impl Iterator<Item = StatementMember<'_>> {
    members(expression, trim_blanks).map(|(key, value)| {
        let label = str::from_utf8(key).ok().and_then(SupLabel::named);
        let (label, preference, defect) = match (value, label) {
            (None, _) => (None, None, Some("no_value")),
            (Some(_), None) => (None, None, Some("unknown_label")),
            (Some(b"n"), _) => (label, Some(Preference::Disallow), None),
            (Some(b"y"), _) => (label, Some(Preference::Allow), None),
            (Some(_), _) => (label, Some(Preference::Unknown), Some("unknown_value")),
        };
        StatementMember {
            key,
            value,
            category: label.map(SupLabel::as_str),
            preference,
            defect,
        }
    })
}

/// The value recorded for each label, from one expression or several (Parsing, step 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelValues(LabelPreferences<4>);

impl LabelValues {
    pub const UNKNOWN: Self = Self(LabelPreferences::UNKNOWN);

    pub fn parse(expression: &[u8]) -> Self {
        let mut values = Self::UNKNOWN;
        values.record(expression);
        values
    }

    /// Records an expression on top of the earlier ones. Multiple Preference Expressions: the outcome is the same as for a
    /// concatenation. Labels are resolved afterwards, over everything, so that `ai=n` here and `genai=y` there allow `genai`.
    pub fn record(&mut self, expression: &[u8]) {
        for piece in pieces(expression) {
            // Duplicated Labels: `n` wins whatever the order, then `y`.
            if let Some(label) = piece.category.and_then(SupLabel::named) {
                self.0
                    .add(label as usize, piece.preference.unwrap_or_default());
            }
        }
    }

    /// Returns the record of a structured field parser for a field value: of a repeated key the last member, if it is a token
    /// `y` or `n` without parameters, and nothing if the value is not a dictionary. It decides nothing; statements are marked
    /// if it differs from the plain reading.
    pub fn of_dictionary(value: &[u8]) -> Self {
        let mut values = Self::UNKNOWN;
        for member in dictionary(value).unwrap_or_default() {
            // HTTP Header Field: "Dictionary members with parameters MUST be ignored." "Boolean members MUST be ignored", and
            // so are all others except those tokens.
            let said = if member.parameters.is_empty() {
                member.preference()
            } else {
                Preference::Unknown
            };
            if let Some(label) = SupLabel::named(member.key) {
                values.0.set(label as usize, said);
            }
        }
        values
    }

    pub fn recorded(&self, label: SupLabel) -> Preference {
        self.0.of(label as usize)
    }

    /// Specificity; Determination, step 1a: a label's own preference, else that of the next more general label with one.
    pub fn preference(&self, label: SupLabel) -> Preference {
        self.decided(label)
            .map_or(Preference::Unknown, |(_, preference)| preference)
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
        let decided = |(label, default): &(SupLabel, Preference)| {
            self.decided(*label)
                .map_or(*default, |(_, preference)| preference)
        };
        let decided: Vec<Preference> = usage.iter().map(decided).collect();
        if decided.contains(&Preference::Disallow) {
            Preference::Disallow
        } else if decided.is_empty() || decided.contains(&Preference::Unknown) {
            Preference::Unknown
        } else {
            Preference::Allow
        }
    }
}

// In the order of the draft; labels have case (The "robots.txt" Format).
names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SupLabel {
        /// All forms of automated processing of content.
        Tdm => "tdm",
        /// Training or use of machine learning.
        Ai => "ai",
        /// Training or use of machine learning that can generate content.
        Genai => "genai",
        /// Search indexes. "search" is not more specific than the "ai" label.
        Search => "search",
    }
}

impl SupLabel {
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

    #[test]
    fn sup_parsing_pieces_as_written() {
        let found: Vec<_> = pieces(b" \tai \t= n\t,,tdm, =y,ai=n=n, \x0bai=y,search=").collect();
        let piece = |key, value, category, preference, defect| StatementMember {
            key,
            value,
            category,
            preference,
            defect,
        };
        let expected = [
            piece(b"ai", Some(b"n"), Some("ai"), Some(Disallow), None),
            piece(b"tdm", None, None, None, Some("no_value")),
            piece(b"", Some(b"y"), None, None, Some("unknown_label")),
            piece(
                b"ai",
                Some(b"n=n"),
                Some("ai"),
                Some(Unknown),
                Some("unknown_value"),
            ),
            piece(b"\x0bai", Some(b"y"), None, None, Some("unknown_label")),
            piece(
                b"search",
                Some(b""),
                Some("search"),
                Some(Unknown),
                Some("unknown_value"),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn sup_specificity_recorded_is_not_resolved() {
        let values = LabelValues::parse(b"tdm=n,genai=y");
        assert_eq!(
            SupLabel::ALL.map(|label| values.recorded(label)),
            [Disallow, Unknown, Allow, Unknown]
        );
        let preferences = SupLabel::ALL.map(|label| values.preference(label));
        assert_eq!(preferences, [Disallow, Disallow, Allow, Disallow]);
    }

    #[test]
    fn sup_determination_deny_ends_and_defaults_fill() {
        let (search, ai, other) = (
            (SupLabel::Search, Unknown),
            (SupLabel::Ai, Allow),
            SupLabel::Genai,
        );
        for (values, usage, expected) in [
            ("tdm=y,ai=n", &[search][..], Allow),
            ("tdm=y,ai=n", &[search, ai], Disallow),
            ("tdm=y,ai=n", &[], Unknown),
            ("ai=x", &[ai, (other, Disallow)], Disallow),
            ("ai=x", &[ai, (other, Allow)], Allow),
            ("ai=x", &[ai, (other, Unknown)], Unknown),
            ("ai=x", &[search, (other, Disallow)], Disallow),
        ] {
            assert_eq!(
                LabelValues::parse(values.as_bytes()).determination(usage),
                expected,
                "{usage:?}"
            );
        }
    }

    #[test]
    fn sup_usage_labels_names_order_and_case() {
        assert_eq!(
            SupLabel::ALL.map(SupLabel::as_str),
            ["tdm", "ai", "genai", "search"]
        );
        let broader = [
            None,
            Some(SupLabel::Tdm),
            Some(SupLabel::Ai),
            Some(SupLabel::Tdm),
        ];
        assert_eq!(SupLabel::ALL.map(SupLabel::broader), broader);
        for text in ["", "AI", "Tdm", "ai ", "a", "aix", "train-ai"] {
            assert_eq!(SupLabel::named(text), None, "{text}");
        }
    }

    #[test]
    fn sup_header_field_as_a_dictionary() {
        for (value, expected) in [
            ("tdm=y,ai=n", [Allow, Disallow, Unknown, Unknown]),
            ("ai=n, ai=y", [Unknown, Allow, Unknown, Unknown]),
            ("ai=n, ai=y;x", [Unknown; 4]),
            ("ai=y;x=1, tdm=?1, genai, search=(n)", [Unknown; 4]),
            ("search=n, search=\"y\"", [Unknown; 4]),
            ("ai=n, Foo=y", [Unknown; 4]),
            ("ai=n,", [Unknown; 4]),
            ("", [Unknown; 4]),
        ] {
            let found = LabelValues::of_dictionary(value.as_bytes());
            assert_eq!(
                SupLabel::ALL.map(|label| found.recorded(label)),
                expected,
                "{value}"
            );
        }
    }
}
