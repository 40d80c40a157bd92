//! The members of a line or a field, one by one.
//!
//! Example: `ai-train = No, , foo=1` has two members: the first disallows training, the second has an unknown key.
//! Left out: the path before them (`path_rules`); a member's neighbours; members add up, whatever their order.

use crate::systems::words::{self, meaning};
use crate::systems::{LabelPreferences, StatementMember};
use crate::web::names::names;
use crate::web::preference::Preference;

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Category {
        /// A search index with links and short excerpts, without AI summaries.
        Search => "search",
        /// Input of AI systems: retrieval, grounding, answers.
        AiInput => "ai-input",
        /// Training or fine-tuning AI models.
        AiTrain => "ai-train",
    }
}

/// LABEL-8: a package writes `disallow` and `deny` by default; its `allow` is no yes.
const VALUES: [(&str, Preference); 4] = [
    ("yes", Preference::Allow),
    ("no", Preference::Disallow),
    ("disallow", Preference::Disallow),
    ("deny", Preference::Disallow),
];

const USE: &str = "use";

names! {
    /// How much of the content may be used, the least first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Use {
        Immediate => "immediate",
        Reference => "reference",
        Full => "full",
    }
}

/// Everything that is stated, together. Example: `search=yes, ai-train=no, use=reference` allows search, disallows training,
/// says nothing about AI input, and lets no more than a reference be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatedSignals {
    pub preferences: LabelPreferences<3>,
    pub usage: Option<Use>,
}

impl StatedSignals {
    pub const NOTHING: Self = Self {
        preferences: LabelPreferences::UNKNOWN,
        usage: None,
    };

    pub fn parse(text: &[u8]) -> Self {
        let mut stated = Self::NOTHING;
        for member in members(text) {
            if let Some(category) = member.category.and_then(Category::named) {
                stated
                    .preferences
                    .add(category as usize, member.preference.unwrap_or_default());
            } else if member.category == Some(USE) {
                stated.usage = less_open(stated.usage, member.value.and_then(level));
            }
        }
        stated
    }

    /// Joins the statements of two places: a no wins over a yes, and the less open level of use.
    pub fn and(self, other: &Self) -> Self {
        let usage = less_open(self.usage, other.usage);
        Self {
            preferences: self.preferences.and(&other.preferences),
            usage,
        }
    }
}

/// Ours: nothing is published for two levels of use; the less open one wins, as a no wins over a yes.
pub(super) fn less_open(one: Option<Use>, other: Option<Use>) -> Option<Use> {
    one.into_iter().chain(other).min()
}

fn level(value: &[u8]) -> Option<Use> {
    meaning(&Use::ALL.map(|usage| (usage.as_str(), usage)), value)
}

/// Returns the members between the commas. Ours: empty ones are skipped, as in the lists of RFC 9110 5.6.1.2.
pub fn members(text: &[u8]) -> impl Iterator<Item = StatementMember<'_>> {
    words::members(text, <[u8]>::trim_ascii).map(|(key, value)| member(key, value))
}

/// Ours: keys, names and values are read without case, because a lost no is worse.
fn member<'a>(key: &'a [u8], value: Option<&'a [u8]>) -> StatementMember<'a> {
    let known = Category::ALL.map(|category| (category.as_str(), category));
    let (category, preference, defect) = match (meaning(&known, key), meant(key)) {
        (Some(category), _) => match value.and_then(|value| meaning(&VALUES, value)) {
            Some(preference) => (Some(category.as_str()), Some(preference), None),
            None => (
                Some(category.as_str()),
                Some(Preference::Unknown),
                Some("unknown_value"),
            ),
        },
        (None, _) if key.eq_ignore_ascii_case(USE.as_bytes()) => {
            let is_known = value.and_then(level).is_some();
            (Some(USE), None, (!is_known).then_some("unknown_value"))
        }
        (None, Some(category)) => (Some(category.as_str()), None, Some("label_of_other_system")),
        (None, None) => (None, None, Some("unknown_key")),
    };
    StatementMember {
        key,
        value,
        category,
        preference,
        defect,
    }
}

/// A label of AIPREF, and the category that was probably meant (VOCAB-17).
fn meant(label: &[u8]) -> Option<Category> {
    let labels = [
        ("train-ai", Category::AiTrain),
        ("train-genai", Category::AiTrain),
        ("ai-use", Category::AiInput),
    ];
    meaning(&labels, label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_1_and_2_members_with_blanks_case_and_commas_keep_their_text() {
        let unknown = (Some(Preference::Unknown), Some("unknown_value"));
        let meant = (None, Some("label_of_other_system"));
        let no = (Some(Preference::Disallow), None);
        for (text, key, value, category, (preference, defect)) in [
            (
                " SEARCH\t= Yes ,",
                "SEARCH",
                Some("Yes"),
                Some("search"),
                (Some(Preference::Allow), None),
            ),
            (
                ",Ai-Train =NO,, ",
                "Ai-Train",
                Some("NO"),
                Some("ai-train"),
                no,
            ),
            (
                "use=Reference",
                "use",
                Some("Reference"),
                Some("use"),
                (None, None),
            ),
            ("search", "search", None, Some("search"), unknown),
            ("search=", "search", Some(""), Some("search"), unknown),
            ("search=y", "search", Some("y"), Some("search"), unknown),
            (
                "search=yes ai-train=no",
                "search",
                Some("yes ai-train=no"),
                Some("search"),
                unknown,
            ),
            (
                "search=yes; ai-train=no",
                "search",
                Some("yes; ai-train=no"),
                Some("search"),
                unknown,
            ),
            (
                "search==yes",
                "search",
                Some("=yes"),
                Some("search"),
                unknown,
            ),
            (
                "use=no",
                "use",
                Some("no"),
                Some("use"),
                (None, Some("unknown_value")),
            ),
            ("train-ai=n", "train-ai", Some("n"), Some("ai-train"), meant),
            ("AI-Use=no", "AI-Use", Some("no"), Some("ai-input"), meant),
            ("ai=n", "ai", Some("n"), None, (None, Some("unknown_key"))),
            ("=no", "", Some("no"), None, (None, Some("unknown_key"))),
            (
                "a search=no",
                "a search",
                Some("no"),
                None,
                (None, Some("unknown_key")),
            ),
        ] {
            let (key, value) = (key.as_bytes(), value.map(str::as_bytes));
            let expected = StatementMember {
                key,
                value,
                category,
                preference,
                defect,
            };
            assert_eq!(
                members(text.as_bytes()).collect::<Vec<_>>(),
                [expected],
                "{text}"
            );
        }
        assert_eq!(members(b"search=yes,ai-train=no").count(), 2);
        assert_eq!(
            ["", " , ,"].map(|text| members(text.as_bytes()).count()),
            [0, 0]
        );
    }

    #[test]
    fn live_2_a_no_wins_over_a_yes_and_the_less_open_level_of_use() {
        let of = |text: &str| StatedSignals::parse(text.as_bytes());
        for (one, other, both) in [
            ("search=yes", "search=no", "search=no"),
            ("search=yes", "", "search=yes"),
            ("ai-train=no", "search=yes", "search=yes,ai-train=no"),
            ("use=full", "use=reference", "use=reference"),
            ("use=immediate", "use=full", "use=immediate"),
            ("use=full", "", "use=full"),
        ] {
            assert_eq!(
                [of(one).and(&of(other)), of(other).and(&of(one))],
                [of(both); 2],
                "{one} {other}"
            );
            assert_eq!(of(&format!("{one},{other}")), of(both));
        }
    }
}
