//! When a document was fetched, by up to three of its columns or members (RULES KNOW-7).
//!
//! Example: Dolma has `created`, which is of the original, and `added`: a document was fetched between them.

use crate::web::interval::Interval;

/// The possible names of the columns that say when a document was fetched.
#[derive(Clone, Debug, Default)]
pub struct DateNames {
    /// When it was fetched.
    pub fetched: Vec<String>,
    /// When the original was made, if nothing says when it was fetched: no earlier than that (KNOW-7).
    pub created: Vec<String>,
    /// When it was added to a data set: it was fetched no later than that.
    pub added: Vec<String>,
}

impl DateNames {
    /// The names of one column, which says when a document was fetched.
    pub fn one(name: &str) -> Self {
        Self {
            fetched: vec![name.to_owned()],
            ..Self::default()
        }
    }

    /// Returns the three lists of names.
    pub fn lists(&self) -> [&Vec<String>; 3] {
        [&self.fetched, &self.created, &self.added]
    }
}

/// Returns when a document was fetched, from the values of the columns of [`DateNames::lists`].
pub fn fetched_within([fetched, created, added]: [Option<Interval>; 3]) -> Option<Interval> {
    fetched.or_else(|| Interval::between(created?, added?))
}
