//! How much of each record of an archive is read.
//!
//! Example: `scan --depth no-meta` reads an archive to the depth `no_meta`, and a later `scan` reads it again, deeper.

use serde::{Deserialize, Serialize};

/// How much of each record is read; the last is the deepest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The heads of records and the HTTP heads of pages; every HTML page says so in `unread`.
    HeadsNoMeta,
    /// Everything but the HTML heads of pages; every HTML page says so in `unread`.
    NoMeta,
    /// The heads of records, and the HTTP and HTML heads of pages; the bytes behind are not checked.
    Heads,
    /// Everything.
    Full,
}

impl Depth {
    /// Returns whether records are inflated only as far as needed.
    pub fn skips_bodies(self) -> bool {
        match self {
            Self::HeadsNoMeta | Self::Heads => true,
            Self::NoMeta | Self::Full => false,
        }
    }

    /// Returns the name that the tables use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HeadsNoMeta => "heads_no_meta",
            Self::NoMeta => "no_meta",
            Self::Heads => "heads",
            Self::Full => "full",
        }
    }
}
