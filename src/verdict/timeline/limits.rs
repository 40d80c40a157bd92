//! How late and how old a copy of a site's file may be for a page, and whose copies count.
//!
//! Example: with a slack of 3 hours and an age of 90 days, a robots.txt that was fetched 2 hours after the page counts, and one of
//! last year proves no yes.

use std::fmt;
use std::time::Duration;

/// Seconds of a day.
const DAY_S: u64 = 86_400;

/// The age from which a copy proves no yes (KNOW-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxAge {
    Of(Duration),
    /// A copy of any age proves what it says.
    Unlimited,
}

impl Default for MaxAge {
    fn default() -> Self {
        Self::Of(Duration::from_secs(90 * DAY_S))
    }
}

impl MaxAge {
    /// The word for no limit.
    pub const NONE: &str = "none";

    /// Returns whether an age in microseconds is beyond it.
    pub(super) fn is_exceeded_by(self, micros: i64) -> bool {
        match self {
            Self::Of(age) => u128::try_from(micros).is_ok_and(|micros| micros > age.as_micros()),
            Self::Unlimited => false,
        }
    }
}

impl fmt::Display for MaxAge {
    /// Writes seconds, or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(age) => write!(f, "{}", age.as_secs()),
            Self::Unlimited => f.write_str(Self::NONE),
        }
    }
}

/// Whether the noes of twins of an origin (the other scheme, the host with or without `www.`) count: where the origin has no
/// capture of a file of its own (KNOW-8), and at other times than that of a document if they are newer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Twins {
    /// They count.
    #[default]
    Count,
    /// Each origin is asked alone.
    Ignore,
}

/// Which copies of a site's files count for a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyLimits {
    /// How much later than the page a robots.txt may be fetched: it counts if there is no earlier one, and with its noes if
    /// the earlier one is stale.
    pub slack: Duration,
    pub max_age: MaxAge,
    pub twins: Twins,
}

impl CopyLimits {
    /// Returns limits with a slack, for an origin alone and copies of any age.
    pub fn of_slack(slack: Duration) -> Self {
        Self {
            slack,
            max_age: MaxAge::Unlimited,
            twins: Twins::Ignore,
        }
    }
}
