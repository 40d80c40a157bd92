//! A preference about one use: allow, disallow, or unknown.
//!
//! Document: draft-ietf-aipref-vocab-03, Statements of Preference; other systems of preferences are mapped to the same three
//! values. Example: `train-ai=n` disallows, `search=y` allows. Left out: defaults for unknown, which the application chooses
//! ("This document takes no position on what default might be assigned").

use super::names::names;

names! {
    /// A statement about one use.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Preference {
        /// The use is allowed.
        Allow => "allow",
        /// The use is not wanted.
        Disallow => "disallow",
        /// Nothing is said. It is never read as a yes.
        #[default]
        Unknown => "unknown",
    }
}

impl Preference {
    /// Joins two statements: disallow wins, then allow, else unknown (draft-ietf-aipref-vocab-03, Combining Preferences).
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Disallow, _) | (_, Self::Disallow) => Self::Disallow,
            (Self::Allow, _) | (_, Self::Allow) => Self::Allow,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Preference::{self, Allow, Disallow, Unknown};

    const ALL: [Preference; 3] = [Allow, Disallow, Unknown];

    #[test]
    fn aipref_vocab_combining_preferences_disallow_then_allow() {
        for (left, right, joined) in [
            (Allow, Allow, Allow),
            (Allow, Disallow, Disallow),
            (Allow, Unknown, Allow),
            (Disallow, Disallow, Disallow),
            (Disallow, Unknown, Disallow),
            (Unknown, Unknown, Unknown),
        ] {
            assert_eq!(left.and(right), joined, "{left:?} and {right:?}");
            assert_eq!(right.and(left), joined, "{right:?} and {left:?}");
        }
    }

    #[test]
    fn aipref_vocab_combining_preferences_order_has_no_meaning() {
        for (a, b, c) in ALL
            .iter()
            .flat_map(|a| ALL.iter().flat_map(move |b| ALL.map(|c| (a, b, c))))
        {
            assert_eq!(a.and(*b).and(c), a.and(b.and(c)));
        }
        assert_eq!(
            ALL.map(Preference::as_str),
            ["allow", "disallow", "unknown"]
        );
        assert_eq!(Preference::default(), Unknown);
    }
}
