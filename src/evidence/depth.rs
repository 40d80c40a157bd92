//! How much of each record of an archive is read.
//!
//! Example: `scan --no-meta` reads an archive to the depth `no_meta`, and a later `scan` reads it again, deeper.

use serde::{Deserialize, Serialize};

/// How much of each record is read; the last is the deepest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The heads of records only.
    Heads,
    /// Everything but the HTML heads of pages; every HTML page says so in `unread`.
    NoMeta,
    /// Everything.
    Full,
}

impl Depth {
    /// Returns the name that the tables use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heads => "heads",
            Self::NoMeta => "no_meta",
            Self::Full => "full",
        }
    }
}
