//! The members of a line or a field, one by one.
//!
//! Example: `ai-train = No, , foo=1` has two members: the first disallows training, the second has an unknown key.
//! Left out: the path before them (`path_rules`); a member's neighbours; members add up, whatever their order.

use super::stated::{Category, Use};
use crate::web::preference::Preference;

/// A member as written, and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalMember<'a> {
    /// The text before the first `=`, without outer white space.
    pub key: &'a [u8],
    /// The text after it, without outer white space; `None` without `=`.
    pub value: Option<&'a [u8]>,
    /// The meaning.
    pub meaning: SignalMeaning,
}

/// The meaning of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalMeaning {
    /// A yes or a no.
    Stated(Category, Preference),
    /// A level of use.
    Usage(Use),
    /// The key is known, but its value is missing or not one that the key takes.
    UnknownValue(SignalKey),
    /// The key is a label of AIPREF; this category was probably meant (VOCAB-17).
    LabelOfOtherSystem(Category),
    /// The key is not known.
    UnknownKey,
}

/// A known key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKey {
    /// It takes yes or no.
    Category(Category),
    /// It takes a level.
    Use,
}

impl SignalKey {
    /// Returns the key as it is published.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Category(category) => category.as_str(),
            Self::Use => "use",
        }
    }

    /// Ours: keys, names and values are read without case, because a lost no is worse.
    fn named(name: &[u8]) -> Option<Self> {
        let categories = Category::ALL.into_iter().map(Self::Category);
        categories.chain([Self::Use]).find(|key| is(name, key.as_str()))
    }

    fn meaning(self, value: Option<&[u8]>) -> SignalMeaning {
        let Some(value) = value else {
            return SignalMeaning::UnknownValue(self);
        };
        let meaning = match self {
            Self::Category(category) => {
                preference(value).map(|preference| SignalMeaning::Stated(category, preference))
            }
            Self::Use => {
                Use::ALL.into_iter().find(|usage| is(value, usage.as_str())).map(SignalMeaning::Usage)
            }
        };
        meaning.unwrap_or(SignalMeaning::UnknownValue(self))
    }
}

impl SignalMeaning {
    /// Returns the key, if it is known.
    pub fn key(self) -> Option<SignalKey> {
        match self {
            Self::Stated(category, _) => Some(SignalKey::Category(category)),
            Self::Usage(_) => Some(SignalKey::Use),
            Self::UnknownValue(key) => Some(key),
            Self::LabelOfOtherSystem(_) | Self::UnknownKey => None,
        }
    }

    /// Returns the key, if it is known, or the category that was probably meant.
    pub fn category(self) -> Option<&'static str> {
        match self {
            Self::LabelOfOtherSystem(category) => Some(category.as_str()),
            Self::Stated(..) | Self::Usage(_) | Self::UnknownValue(_) | Self::UnknownKey => {
                self.key().map(SignalKey::as_str)
            }
        }
    }

    /// Returns the preference; none for a level of use or an unknown key.
    pub fn preference(self) -> Option<Preference> {
        match self {
            Self::Stated(_, preference) => Some(preference),
            Self::UnknownValue(SignalKey::Category(_)) => Some(Preference::Unknown),
            Self::UnknownValue(SignalKey::Use)
            | Self::Usage(_)
            | Self::LabelOfOtherSystem(_)
            | Self::UnknownKey => None,
        }
    }

    /// Returns the name of the defect in the tables.
    pub fn defect(self) -> Option<&'static str> {
        match self {
            Self::Stated(..) | Self::Usage(_) => None,
            Self::UnknownValue(_) => Some("unknown_value"),
            Self::LabelOfOtherSystem(_) => Some("label_of_other_system"),
            Self::UnknownKey => Some("unknown_key"),
        }
    }
}

impl<'a> SignalMember<'a> {
    fn new(text: &'a [u8]) -> Self {
        let equals = text.iter().position(|byte| *byte == b'=');
        let (key, value) = match equals.and_then(|at| text.split_at_checked(at)) {
            Some((key, from_equals)) => (key, from_equals.get(1..)),
            None => (text, None),
        };
        let (key, value) = (key.trim_ascii(), value.map(<[u8]>::trim_ascii));
        let meaning = match (SignalKey::named(key), meant(key)) {
            (Some(key), _) => key.meaning(value),
            (None, Some(category)) => SignalMeaning::LabelOfOtherSystem(category),
            (None, None) => SignalMeaning::UnknownKey,
        };
        Self { key, value, meaning }
    }
}

fn meant(label: &[u8]) -> Option<Category> {
    let labels =
        [("train-ai", Category::AiTrain), ("train-genai", Category::AiTrain), ("ai-use", Category::AiInput)];
    labels.into_iter().find(|(other, _)| is(label, other)).map(|(_, category)| category)
}

/// Returns the members between the commas. Ours: empty ones are skipped, as in the lists of RFC 9110 5.6.1.2: an extra
/// comma says nothing.
pub fn members(text: &[u8]) -> impl Iterator<Item = SignalMember<'_>> {
    let texts = text.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    texts.filter(|text| !text.is_empty()).map(SignalMember::new)
}

fn preference(value: &[u8]) -> Option<Preference> {
    if is(value, "yes") {
        Some(Preference::Allow)
    } else if is(value, "no") {
        Some(Preference::Disallow)
    } else {
        None
    }
}

fn is(text: &[u8], word: &str) -> bool {
    text.eq_ignore_ascii_case(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const YES: SignalMeaning = SignalMeaning::Stated(Category::Search, Preference::Allow);
    const NO: SignalMeaning = SignalMeaning::Stated(Category::AiTrain, Preference::Disallow);

    #[test]
    fn live_2_blanks_case_and_commas() {
        for (text, expected) in [
            ("search=yes,ai-train=no", &[YES, NO][..]),
            (" SEARCH\t= Yes ,, Ai-Train =NO,", &[YES, NO]),
            ("use=Reference", &[SignalMeaning::Usage(Use::Reference)]),
            ("", &[]),
            (" , ,", &[]),
        ] {
            let found: Vec<_> = members(text.as_bytes()).map(|member| member.meaning).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn live_1_a_member_that_does_not_parse_keeps_its_text() {
        let search = SignalMeaning::UnknownValue(SignalKey::Category(Category::Search));
        for (text, key, value, meaning) in [
            ("search", "search", None, search),
            ("search=", "search", Some(""), search),
            ("search=y", "search", Some("y"), search),
            ("search=yes ai-train=no", "search", Some("yes ai-train=no"), search),
            ("search=yes; ai-train=no", "search", Some("yes; ai-train=no"), search),
            ("search==yes", "search", Some("=yes"), search),
            ("use=no", "use", Some("no"), SignalMeaning::UnknownValue(SignalKey::Use)),
            ("train-ai=n", "train-ai", Some("n"), SignalMeaning::LabelOfOtherSystem(Category::AiTrain)),
            ("AI-Use=no", "AI-Use", Some("no"), SignalMeaning::LabelOfOtherSystem(Category::AiInput)),
            ("ai=n", "ai", Some("n"), SignalMeaning::UnknownKey),
            ("=no", "", Some("no"), SignalMeaning::UnknownKey),
            ("a search=no", "a search", Some("no"), SignalMeaning::UnknownKey),
        ] {
            let expected = SignalMember { key: key.as_bytes(), value: value.map(str::as_bytes), meaning };
            assert_eq!(members(text.as_bytes()).collect::<Vec<_>>(), [expected], "{text}");
        }
    }
}
