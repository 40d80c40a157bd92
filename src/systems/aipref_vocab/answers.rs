//! What one statement, or several together, answer for each label of a vocabulary.
//!
//! Document: draft-ietf-aipref-vocab-03, Applying Statements of Preference, Combining Preferences.
//! Example: `bots=n` and `search=y` in two statements disallow search; in one they allow it.
//! Left out: a default for the unknown.

use super::vocabulary::{Label, MAX_LABELS};
use crate::web::preference::Preference;

/// A preference for each label of the vocabulary by which the statements were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Answers([Preference; MAX_LABELS]);

impl Answers {
    /// The answers where nothing is stated.
    pub const UNKNOWN: Self = Self([Preference::Unknown; MAX_LABELS]);

    pub(super) fn set(&mut self, label: Label, preference: Preference) {
        if let Some(slot) = self.0.get_mut(label.place()) {
            *slot = preference;
        }
    }

    /// Returns the preference for a label.
    pub fn of(&self, label: Label) -> Preference {
        self.0.get(label.place()).copied().unwrap_or_default()
    }

    /// Returns its noes alone; `None` where there is none.
    pub fn noes(mut self) -> Option<Self> {
        let is_no = |preference: &Preference| *preference == Preference::Disallow;
        self.0
            .iter_mut()
            .filter(|preference| !is_no(preference))
            .for_each(|preference| *preference = Preference::Unknown);
        self.0.iter().any(is_no).then_some(self)
    }

    /// Joins the answers of two statements, label by label. draft-ietf-aipref-vocab-03, Combining
    /// Preferences: "the following process applies to each usage category".
    pub fn and(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.and(*theirs);
        }
        self
    }
}
