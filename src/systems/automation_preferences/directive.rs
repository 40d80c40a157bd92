//! The kind of a line, by its name.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the ABNF of groups. Example: `Allowed-Methods: GET` lists what a group allows;
//! names have no case. Left out: the meaning of the value.

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Where the group holds.
    Scope,
    Host,
    /// For whom.
    UserAgent,
    AllowedMethods,
    /// The allowed purposes, in words that no document defines.
    AllowedPurposes,
    /// A name that this draft does not have ("Parsers MUST silently ignore").
    Unknown,
    /// No colon.
    Unreadable,
}

impl Directive {
    pub(super) fn named(name: &[u8]) -> Self {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match () {
            () if is("scope") => Self::Scope,
            () if is("host") => Self::Host,
            () if is("user-agent") => Self::UserAgent,
            () if is("allowed-methods") => Self::AllowedMethods,
            () if is("allowed-purposes") => Self::AllowedPurposes,
            () => Self::Unknown,
        }
    }

    /// Whether the line limits where and for whom its group applies.
    pub(super) fn is_target(self) -> bool {
        matches!(self, Self::Scope | Self::Host | Self::UserAgent)
    }

    pub(super) fn is_allowance(self) -> bool {
        matches!(self, Self::AllowedMethods | Self::AllowedPurposes)
    }

    /// Whether `#` begins a comment anywhere in its value: methods, hosts and tokens cannot hold it (AMB-AUTO-8).
    pub(super) fn has_no_number_sign(self) -> bool {
        matches!(self, Self::Host | Self::UserAgent | Self::AllowedMethods)
    }
}
