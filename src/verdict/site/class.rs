//! How much a robots.txt closes to an agent, in one word.
//!
//! Ours: three classes; the studies with which they are compared have others' names for the same three.
//! Left out: by which rules, which is in `agents`; `queries/comparison/study_classes.py` has the rules of two studies.

/// How much is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing.
    None,
    /// Something.
    Partial,
    /// Everything.
    Full,
}

impl Class {
    /// Returns its name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}
