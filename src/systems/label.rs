//! Five labels over all systems, and the answers of a system that count for them.
//!
//! RULES LABEL: ours, because no document ranks the systems. Each system declares by [`Mapping`]s which of its categories count
//! for which label; a category without a mapping never counts. Example: a no to Content-Signal's `ai-train` is a no to
//! `train_ai` and to `train_genai`. Left out: how the answers of several systems are combined, which `verdict` does.

use super::aipref_vocab::Vocabulary;
use crate::web::names::names;
use crate::web::preference::Preference;

// In the order of the columns.
names! {
    /// A use of content, over all systems.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Label {
        /// Search indexes and their results.
        Search => "search",
        /// Training AI models.
        TrainAi => "train_ai",
        /// Training generative AI models.
        TrainGenai => "train_genai",
        /// Input of AI systems: retrieval, grounding, answers.
        AiInput => "ai_input",
        /// Text and data mining.
        Tdm => "tdm",
    }
}

/// Some labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSet(u8);

impl LabelSet {
    pub const EMPTY: Self = Self(0);
    pub const ALL: Self = Self((1 << Label::ALL.len()) - 1);

    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    pub fn contains(self, label: Label) -> bool {
        self.0 >> label as u8 & 1 == 1
    }

    /// Returns the labels of both.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns these labels if something holds, else none.
    pub fn only_if(self, holds: bool) -> Self {
        if holds { self } else { Self::EMPTY }
    }
}

impl FromIterator<Label> for LabelSet {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> Self {
        Self(
            labels
                .into_iter()
                .fold(0, |set, label| set | 1 << label as u8),
        )
    }
}

impl From<Label> for usize {
    fn from(label: Label) -> Self {
        label as Self
    }
}

/// How a category of a system counts for labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub category: &'static str,
    pub labels: &'static [Label],
    pub answers: CountedAnswers,
    pub condition: Condition,
}

/// Which answers of a category count for labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedAnswers {
    Both,
    /// A no alone: the category has no yes, or its yes says nothing about the label.
    Disallow,
}

/// When the answers of a category count for labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Always,
    /// If the page is an image, by its media type, or by its URL if the media type says nothing.
    Image,
    Vocabulary(&'static str),
    VocabularyOtherThan(&'static str),
    VocabularyWithout(&'static str),
    /// Whatever the vocabulary is: the category is a no under one of the revisions (KNOW-9).
    AnyRevision,
}

impl Condition {
    pub fn text(self) -> String {
        match self {
            Self::Always => "always".to_owned(),
            Self::Image => "images only".to_owned(),
            Self::Vocabulary(name) => format!("vocabulary {name}"),
            Self::VocabularyOtherThan(name) => format!("vocabularies other than {name}"),
            Self::VocabularyWithout(label) => format!("vocabularies without {label}"),
            Self::AnyRevision => "a no under any revision, 01 to 08".to_owned(),
        }
    }
}

impl Mapping {
    /// Returns the mapping of a category whose yes and no always count.
    pub const fn both(category: &'static str, labels: &'static [Label]) -> Self {
        Self {
            category,
            labels,
            answers: CountedAnswers::Both,
            condition: Condition::Always,
        }
    }

    /// Returns the mapping of a category whose no always counts.
    pub const fn disallow(category: &'static str, labels: &'static [Label]) -> Self {
        Self {
            category,
            labels,
            answers: CountedAnswers::Disallow,
            condition: Condition::Always,
        }
    }

    pub const fn only(mut self, condition: Condition) -> Self {
        self.condition = condition;
        self
    }

    /// Returns whether an answer to a page, which may be an image, counts.
    pub fn counts(&self, preference: Preference, is_image: bool, vocabulary: &Vocabulary) -> bool {
        let answer = self.answers == CountedAnswers::Both || preference == Preference::Disallow;
        let condition = match self.condition {
            Condition::Always | Condition::AnyRevision => true,
            Condition::Image => is_image,
            Condition::Vocabulary(name) => vocabulary.name() == name,
            Condition::VocabularyOtherThan(name) => vocabulary.name() != name,
            Condition::VocabularyWithout(label) => vocabulary.label(label).is_none(),
        };
        answer && condition
    }
}
