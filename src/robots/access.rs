//! The answer for one path.
//!
//! Document: RFC 9309 2.2.2. Example: `Disallow: /a` on line 7 answers for `/a/b`.
//! Left out: what is unknown because no file was seen: this is not asked then.

use super::selection::Matched;

/// Whether a crawler may fetch a path. Allow is the greater: it wins a tie (RFC 9309 2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may not.
    Disallow,
    /// It is not known: the file cannot be read, or holds a line that was meant as a rule and cannot be read.
    Unknown,
    /// It may.
    Allow,
}

impl Verdict {
    /// Returns the verdict as columns hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a crawler may or may not fetch a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A rule matches.
    Rule,
    /// No rule of the selected groups matches.
    NoRule,
    /// No group is for this crawler.
    NoGroup,
    /// The path is `/robots.txt`, which is always allowed.
    RobotsTxtItself,
    /// The file is no text that can be read (RULES READ-3).
    Unreadable,
    /// A line was meant as a rule and cannot be read (RULES ACCT-4).
    LineLost,
}

impl Reason {
    /// Returns the reason as columns hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoRule => "no_rule",
            Self::NoGroup => "no_group",
            Self::RobotsTxtItself => "robots_txt_itself",
            Self::Unreadable => "unreadable",
            Self::LineLost => "line_lost",
        }
    }
}

/// The answer for one path, with its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// May the path be fetched?
    pub verdict: Verdict,
    /// Why?
    pub reason: Reason,
    /// The line of the rule that decided, counted from 1.
    pub line: Option<u32>,
    /// That line without comment and outer white space.
    pub rule: Option<&'a [u8]>,
}

impl Access<'_> {
    /// Returns whether the path may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }

    /// Returns whether the path may not be fetched.
    pub fn is_disallowed(&self) -> bool {
        self.verdict == Verdict::Disallow
    }

    /// Returns another answer if that is a no and this is not (ACCT-5).
    pub(super) fn or_no(self, other: impl FnOnce() -> Option<Self>) -> Self {
        match self.verdict {
            Verdict::Disallow => self,
            Verdict::Allow | Verdict::Unknown => other().filter(Self::is_disallowed).unwrap_or(self),
        }
    }

    /// RFC 9309 2.2.2: the path `/robots.txt` is allowed, whatever the rules say.
    pub(super) fn by_itself() -> Self {
        Self::without_rule(Reason::RobotsTxtItself)
    }

    /// RFC 9309 2.2.1 and 2.2.2: without a group, or a rule that matches, everything is allowed.
    pub(super) fn by_no_rule(matched: Matched) -> Self {
        match matched {
            Matched::None => Self::without_rule(Reason::NoGroup),
            Matched::Explicit | Matched::Wildcard => Self::without_rule(Reason::NoRule),
        }
    }

    /// Returns that it is not known.
    pub(super) fn unknown(reason: Reason) -> Self {
        Self { verdict: Verdict::Unknown, ..Self::without_rule(reason) }
    }

    fn without_rule(reason: Reason) -> Self {
        Self { verdict: Verdict::Allow, reason, line: None, rule: None }
    }
}
