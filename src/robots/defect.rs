//! What is wrong or remarkable in a file.
//!
//! Document: RFC 9309. Example: `Dissallow: /` is read as `Disallow: /` and noted. Left out: faults inside lines of other
//! documents, which their own systems find.

/// A fault and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Defect {
    /// The line, counted from 1.
    pub line: u32,
    /// The fault.
    pub fault: Fault,
}

/// What is wrong with a line, or could be read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The file starts with a UTF-8 byte order mark, which is skipped.
    ByteOrderMark,
    /// The file starts with a UTF-16 byte order mark; RFC 9309 2.3 demands UTF-8.
    Utf16,
    /// The name or value has control bytes; the line is lost. A user-agent line like this names no crawler.
    ControlByte,
    /// The line is neither blank nor a name with a value; it is lost.
    NoRecord,
    /// Nothing precedes the colon; the line is lost.
    NameMissing,
    /// A blank replaces the colon; the line is read.
    ColonMissing,
    /// Disallow is misspelt; the line is read.
    DisallowMisspelt,
    /// `User-agent` has a blank or nothing in place of its hyphen; the line is read.
    UserAgentMisspelt,
    /// The name of another record starts with the name of a rule; Google's parser reads it as that rule.
    NameStartsLikeRule,
    /// A rule precedes the first user-agent line and applies to no crawler.
    RuleBeforeAgent,
    /// The path of a rule starts with neither `/` nor `*` and matches nothing.
    PathWithoutSlash,
    /// The path of a rule contains white space, perhaps a second rule.
    BlankInPath,
    /// A user-agent line has no value and names no crawler.
    AgentMissing,
    /// A user-agent line has no product token as in RFC 9309 2.2.1.
    AgentNoToken,
    /// A user-agent line continues a list across other records; several parsers start a new group.
    AgentsAcrossRecords,
    /// A user-agent line starts a new group only because rules of extensions precede it; by RFC 9309 alone this is one group.
    GroupByExtension,
}

impl Fault {
    /// Returns the name of the fault in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::Utf16 => "utf16",
            Self::ControlByte => "control_byte",
            Self::NoRecord => "no_record",
            Self::NameMissing => "name_missing",
            Self::ColonMissing => "colon_missing",
            Self::DisallowMisspelt => "disallow_misspelt",
            Self::UserAgentMisspelt => "user_agent_misspelt",
            Self::NameStartsLikeRule => "name_starts_like_rule",
            Self::RuleBeforeAgent => "rule_before_agent",
            Self::PathWithoutSlash => "path_without_slash",
            Self::BlankInPath => "blank_in_path",
            Self::AgentMissing => "agent_missing",
            Self::AgentNoToken => "agent_no_token",
            Self::AgentsAcrossRecords => "agents_across_records",
            Self::GroupByExtension => "group_by_extension",
        }
    }

    /// Returns whether the line could not be read at all.
    pub fn loses_the_line(self) -> bool {
        match self {
            Self::ControlByte | Self::NoRecord | Self::NameMissing => true,
            Self::ByteOrderMark
            | Self::Utf16
            | Self::ColonMissing
            | Self::DisallowMisspelt
            | Self::UserAgentMisspelt
            | Self::NameStartsLikeRule
            | Self::RuleBeforeAgent
            | Self::PathWithoutSlash
            | Self::BlankInPath
            | Self::AgentMissing
            | Self::AgentNoToken
            | Self::AgentsAcrossRecords
            | Self::GroupByExtension => false,
        }
    }
}
