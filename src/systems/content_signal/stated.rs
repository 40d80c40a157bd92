//! The statements that Content-Signal can make about a page.
//!
//! Example: `search=yes, ai-train=no, use=reference` allows search, disallows training, says nothing about AI input, and lets
//! no more than a reference be shown. Left out: the place of the statement.

use crate::web::preference::Preference;

/// A category of use that is allowed or disallowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// A search index with links and short excerpts, without AI summaries.
    Search,
    /// Input of AI systems: retrieval, grounding, answers.
    AiInput,
    /// Training or fine-tuning AI models.
    AiTrain,
}

impl Category {
    /// Every category, in the order of the columns.
    pub const ALL: [Self; 3] = [Self::Search, Self::AiInput, Self::AiTrain];

    /// Returns the key that names the category.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::AiInput => "ai-input",
            Self::AiTrain => "ai-train",
        }
    }
}

/// How much of the content may be used, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// The least open.
    Immediate,
    /// Between the other two.
    Reference,
    /// The most open.
    Full,
}

impl Use {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Immediate, Self::Reference, Self::Full];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Reference => "reference",
            Self::Full => "full",
        }
    }
}

/// Everything that is stated, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatedSignals {
    search: Preference,
    ai_input: Preference,
    ai_train: Preference,
    usage: Option<Use>,
}

impl StatedSignals {
    /// Nothing is stated.
    pub const NOTHING: Self = Self {
        search: Preference::Unknown,
        ai_input: Preference::Unknown,
        ai_train: Preference::Unknown,
        usage: None,
    };

    /// Returns the preference that is stated for a category.
    pub fn of(&self, category: Category) -> Preference {
        match category {
            Category::Search => self.search,
            Category::AiInput => self.ai_input,
            Category::AiTrain => self.ai_train,
        }
    }

    /// Returns how much may be used, if that is stated.
    pub fn usage(&self) -> Option<Use> {
        self.usage
    }

    /// Adds a preference of a category: a no wins over a yes.
    pub fn with(mut self, category: Category, preference: Preference) -> Self {
        let held = match category {
            Category::Search => &mut self.search,
            Category::AiInput => &mut self.ai_input,
            Category::AiTrain => &mut self.ai_train,
        };
        *held = held.and(preference);
        self
    }

    /// Adds a level of use. Ours: nothing is published for two levels; the less open one wins, as a no wins over a yes.
    pub fn with_usage(mut self, usage: Use) -> Self {
        self.usage = Some(self.usage.map_or(usage, |held| held.min(usage)));
        self
    }

    /// Returns only its noes; `None` if there are none.
    pub fn noes(&self) -> Option<Self> {
        let is_no = |category: &Category| self.of(*category) == Preference::Disallow;
        let found: Vec<Category> = Category::ALL.into_iter().filter(is_no).collect();
        let noes =
            found.iter().fold(Self::NOTHING, |noes, category| noes.with(*category, Preference::Disallow));
        (!found.is_empty()).then_some(noes)
    }

    /// Joins the statements of two places.
    pub fn and(self, other: &Self) -> Self {
        let joined =
            Category::ALL.into_iter().fold(self, |sum, category| sum.with(category, other.of(category)));
        other.usage.map_or(joined, |usage| joined.with_usage(usage))
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, StatedSignals, Use};
    use crate::web::preference::Preference;

    #[test]
    fn live_2_a_no_wins_over_a_yes() {
        let yes = StatedSignals::NOTHING.with(Category::Search, Preference::Allow);
        let no = StatedSignals::NOTHING.with(Category::Search, Preference::Disallow);
        for both in [yes.and(&no), no.and(&yes)] {
            assert_eq!(both, no);
            assert_eq!(both.of(Category::AiTrain), Preference::Unknown);
        }
        assert_eq!(yes.and(&StatedSignals::NOTHING), yes);
    }

    #[test]
    fn local_the_less_open_level_of_use_wins() {
        let all = Use::ALL.map(|usage| StatedSignals::NOTHING.with_usage(usage));
        for (i, left) in all.iter().enumerate() {
            for (j, right) in all.iter().enumerate() {
                assert_eq!(left.and(right), all[i.min(j)]);
            }
            assert_eq!(left.and(&StatedSignals::NOTHING), *left);
            assert_eq!(StatedSignals::NOTHING.and(left), *left);
        }
    }
}
