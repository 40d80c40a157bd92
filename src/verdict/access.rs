//! Whether a crawler may fetch a page by robots.txt alone, and who else may not.
//!
//! Document: RFC 9309 2.2.1 to 2.2.3 for a file that was read, 2.3.1.3 and 2.3.1.4 for one that was unavailable or unreachable.
//! If no robots.txt decides, the answer is unknown for every crawler, never allowed.
//! Left out: which robots.txt decides, which the timeline finds.

use super::timeline::RobotsState;
use crate::robots::{Matched, TokenSet};
use crate::web::preference::Preference;

/// The answer of robots.txt for one page.
#[derive(Clone, Debug)]
pub struct AccessAnswer<'p> {
    /// Whether the viewpoint's crawler may fetch it.
    pub preference: Preference,
    /// The reason: the kind of rule, or the state of robots.txt.
    pub reason: &'static str,
    /// The line that decided, from 1.
    pub line: Option<u32>,
    /// That line without its comment and outer white space.
    pub rule: Option<&'p [u8]>,
    /// How groups were found; `None` if no file was read.
    pub matched: Option<Matched>,
    /// The tokens that may not fetch it.
    pub disallowed: Disallowed,
}

/// The tokens of the table that may not fetch a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Disallowed {
    All,
    Some(TokenSet),
    /// These may not, and of others it is not known (KNOW-10).
    AtLeast(TokenSet),
}

impl Default for Disallowed {
    /// Nothing is known.
    fn default() -> Self {
        Self::AtLeast(TokenSet::default())
    }
}

impl Disallowed {
    /// Adds the tokens that surely may not fetch a page by another answer; it stays known or unknown as it is.
    pub fn add_noes(&mut self, other: &Self) {
        if let Self::Some(own) | Self::AtLeast(own) = self
            && let Self::Some(others) | Self::AtLeast(others) = other
        {
            own.insert_all(others);
        }
    }
}

impl AccessAnswer<'_> {
    pub fn unknown(reason: &'static str) -> Self {
        let (preference, disallowed) = (Preference::Unknown, Disallowed::default());
        Self {
            preference,
            reason,
            line: None,
            rule: None,
            matched: None,
            disallowed,
        }
    }

    /// Makes an answer that would be allow unknown, and with it whom the file does not close: its copy proves no yes.
    pub fn withhold_yes(&mut self, reason: &'static str) {
        self.forget_others();
        if self.preference == Preference::Allow {
            *self = Self {
                matched: self.matched,
                disallowed: std::mem::take(&mut self.disallowed),
                ..Self::unknown(reason)
            };
        }
    }

    /// Makes it unknown whom the file does not close; those whom it surely closes stay (KNOW-10).
    pub fn forget_others(&mut self) {
        self.disallowed = match std::mem::take(&mut self.disallowed) {
            Disallowed::Some(tokens) => Disallowed::AtLeast(tokens),
            other => other,
        };
    }

    /// FRAME-9, KNOW-3: takes the stricter of this answer and that of another copy, without the other file's lines.
    pub fn take_noes(&mut self, other: &AccessAnswer<'_>, reason: &'static str) {
        let strictness = |preference| match preference {
            Preference::Allow => 0,
            Preference::Unknown => 1,
            Preference::Disallow => 2,
        };
        if strictness(other.preference) > strictness(self.preference) {
            (self.preference, self.reason, self.line, self.rule) =
                (other.preference, reason, None, None);
        }
        self.disallowed = match (std::mem::take(&mut self.disallowed), &other.disallowed) {
            (Disallowed::All, _) | (_, Disallowed::All) => Disallowed::All,
            (Disallowed::Some(mut tokens), Disallowed::Some(others)) => {
                tokens.insert_all(others);
                Disallowed::Some(tokens)
            }
            (
                Disallowed::Some(mut tokens) | Disallowed::AtLeast(mut tokens),
                Disallowed::Some(others) | Disallowed::AtLeast(others),
            ) => {
                tokens.insert_all(others);
                Disallowed::AtLeast(tokens)
            }
        };
    }

    /// Returns the answer of a robots.txt that was not read.
    pub fn without_file(state: RobotsState) -> Self {
        let (preference, disallowed) = match state {
            RobotsState::Unavailable => (Preference::Allow, Disallowed::Some(TokenSet::default())),
            RobotsState::Unreachable => (Preference::Disallow, Disallowed::All),
            _ => (Preference::Unknown, Disallowed::default()),
        };
        Self {
            preference,
            disallowed,
            ..Self::unknown(state.as_str())
        }
    }
}
