//! The answer for one path.
//!
//! Document: RFC 9309 2.2.2. Example: `Disallow: /a` on line 7 answers for `/a/b`. Left out: sites without a known file.

use super::selection::Matched;
use crate::web::names::names;

/// Whether a crawler may fetch a path. Unknown: the file cannot be read, or it has an unreadable line that was meant as a rule.
pub use crate::web::preference::Preference as Verdict;

names! {
    /// Why a crawler may or may not fetch a path.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Reason {
        /// A rule matches.
        Rule => "rule",
        /// No rule of the selected groups matches.
        NoRule => "no_rule",
        /// No group is for this crawler.
        NoGroup => "no_group",
        /// The path is `/robots.txt`, which is always allowed.
        RobotsTxtItself => "robots_txt_itself",
        /// The file is not readable text (RULES READ-3).
        Unreadable => "unreadable",
        /// A line was meant as a rule and cannot be read (RULES ACCT-4).
        LineLost => "line_lost",
    }
}

/// The answer for one path, with its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// Whether the path may be fetched.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub reason: Reason,
    /// The line of the rule that decided, counted from 1.
    pub line: Option<u32>,
    /// That line without its comment and outer white space.
    pub rule: Option<&'a [u8]>,
}

impl Access<'_> {
    /// Returns whether the verdict is allow.
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }

    /// Returns whether the verdict is disallow.
    pub fn is_disallowed(&self) -> bool {
        self.verdict == Verdict::Disallow
    }

    /// Returns the other answer if it is disallow and this one is not (ACCT-5).
    pub(super) fn or_no(self, other: impl FnOnce() -> Option<Self>) -> Self {
        if self.is_disallowed() {
            self
        } else {
            other().filter(Self::is_disallowed).unwrap_or(self)
        }
    }

    /// RFC 9309 2.2.1 and 2.2.2: without a group or a matching rule, everything is allowed.
    pub(super) fn by_no_rule(matched: Matched) -> Self {
        Self::without_rule(if matched == Matched::None {
            Reason::NoGroup
        } else {
            Reason::NoRule
        })
    }

    pub(super) fn unknown(reason: Reason) -> Self {
        Self {
            verdict: Verdict::Unknown,
            ..Self::without_rule(reason)
        }
    }

    /// The path is allowed, as `/robots.txt` is whatever the rules say (RFC 9309 2.2.2).
    pub(super) fn without_rule(reason: Reason) -> Self {
        Self {
            verdict: Verdict::Allow,
            reason,
            line: None,
            rule: None,
        }
    }
}
