//! The names of oddities in a robots.txt, with a sentence for each.
//!
//! Ours: RFC 9309 has no lints. Example: `html`, the server sent a page.
//! Left out: a judgement; a lint says what was found, not that its author is wrong.

use crate::robots::Fault;
use std::collections::BTreeMap;

/// An oddity in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lint {
    /// A fault that the parser found.
    Fault(Fault),
    /// The file is an HTML page.
    Html,
    /// The file has no content.
    Empty,
    /// The file has content but no group.
    NoGroups,
    /// A line was meant as a rule and cannot be read.
    NearMiss,
    /// The file is longer than the limit, or its end is missing.
    Cut,
    /// Its lines end with CR alone.
    CrOnly,
    /// The file has a byte order mark that was taken for Latin-1 and encoded again.
    ByteOrderMarkTwice,
    /// A user-agent line has the name of a product that its company documents for no crawler.
    AgentUndocumented,
    /// The two ways to compare names find different groups for a known token.
    TokenMatchDiffers,
    /// There are several groups for `*`.
    WildcardGroupsSplit,
    /// Everything is closed and opened at once.
    AllowAndDisallowAll,
    /// A rule has an address in place of a path.
    UrlInPath,
    /// A rule has a regular expression in place of a pattern.
    RegexInPath,
    /// A rule closes or opens everything, because a number sign after its slash begins a comment.
    CommentInPath,
    /// A user-agent line uses a word for everyone that names no crawler.
    AgentAll,
    /// The file has a line that crawlers invented and no crawler obeys any more.
    NoindexLine,
    /// A statement of preference applies to the last group alone.
    SignalInLastGroup,
    /// A statement of preference is for a path that the same group closes.
    SignalOnClosedPath,
    /// A statement of preference is before any group.
    SignalOutsideGroup,
    /// A label or key is unknown to its system.
    UnknownLabel,
    /// A label of another system: `ai-train` in Content-Usage.
    LabelOfOtherSystem,
    /// A value is unknown to its system.
    UnknownValue,
    /// A Content-Usage is not a dictionary, though its pieces can be read one by one.
    StrictPlainDiffer,
    /// A broken rule hides a shorter one that states something.
    HidesShorterRule,
    /// A vendor's block begins and has no end.
    ManagedBlockOpen,
    /// Another capture of its URL and second has different content.
    OtherCopy,
    /// Not all groups were compared with each other.
    Unfinished,
}

impl Lint {
    /// Every lint, in the order of the documentation.
    pub const ALL: [Self; 43] = [
        Self::Html,
        Self::Empty,
        Self::NoGroups,
        Self::Cut,
        Self::CrOnly,
        Self::Fault(Fault::ByteOrderMark),
        Self::ByteOrderMarkTwice,
        Self::Fault(Fault::Utf16),
        Self::Fault(Fault::ControlByte),
        Self::Fault(Fault::NoRecord),
        Self::Fault(Fault::NameMissing),
        Self::NearMiss,
        Self::Fault(Fault::ColonMissing),
        Self::Fault(Fault::DisallowMisspelt),
        Self::Fault(Fault::UserAgentMisspelt),
        Self::Fault(Fault::NameStartsLikeRule),
        Self::Fault(Fault::RuleBeforeAgent),
        Self::Fault(Fault::PathWithoutSlash),
        Self::Fault(Fault::BlankInPath),
        Self::UrlInPath,
        Self::RegexInPath,
        Self::CommentInPath,
        Self::Fault(Fault::AgentMissing),
        Self::Fault(Fault::AgentNoToken),
        Self::AgentAll,
        Self::AgentUndocumented,
        Self::TokenMatchDiffers,
        Self::Fault(Fault::AgentsAcrossRecords),
        Self::Fault(Fault::GroupByExtension),
        Self::WildcardGroupsSplit,
        Self::AllowAndDisallowAll,
        Self::NoindexLine,
        Self::SignalInLastGroup,
        Self::SignalOnClosedPath,
        Self::SignalOutsideGroup,
        Self::UnknownLabel,
        Self::LabelOfOtherSystem,
        Self::UnknownValue,
        Self::StrictPlainDiffer,
        Self::HidesShorterRule,
        Self::ManagedBlockOpen,
        Self::OtherCopy,
        Self::Unfinished,
    ];

    /// Returns its name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.as_str(),
            Self::Html => "html",
            Self::Empty => "empty",
            Self::NoGroups => "no_groups",
            Self::NearMiss => "near_miss",
            Self::CommentInPath => "comment_in_path",
            Self::AgentAll => "agent_all",
            Self::Cut => "cut",
            Self::CrOnly => "cr_only",
            Self::ByteOrderMarkTwice => "byte_order_mark_twice",
            Self::AgentUndocumented => "agent_undocumented",
            Self::TokenMatchDiffers => "token_match_differs",
            Self::WildcardGroupsSplit => "wildcard_groups_split",
            Self::AllowAndDisallowAll => "allow_and_disallow_all",
            Self::UrlInPath => "url_in_path",
            Self::RegexInPath => "regex_in_path",
            Self::NoindexLine => "noindex_line",
            Self::SignalInLastGroup => "signal_in_last_group",
            Self::SignalOnClosedPath => "signal_on_closed_path",
            Self::SignalOutsideGroup => "signal_outside_group",
            Self::UnknownLabel => "unknown_label",
            Self::LabelOfOtherSystem => "label_of_other_system",
            Self::UnknownValue => "unknown_value",
            Self::StrictPlainDiffer => "strict_plain_differ",
            Self::HidesShorterRule => "hides_shorter_rule",
            Self::ManagedBlockOpen => "managed_block_open",
            Self::OtherCopy => "other_copy",
            Self::Unfinished => "unfinished",
        }
    }

    /// Returns a sentence that explains it.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Fault(fault) => of_fault(fault),
            Self::Html => "The server sent an HTML page. Its lines that look like robots.txt are read.",
            Self::Empty => "The file has only comments and blank lines: everything is open.",
            Self::NoGroups => "The file has lines and no user-agent line: it reaches nobody.",
            Self::NearMiss => {
                "A line was meant as a rule and cannot be read: what the file allows is unknown."
            }
            Self::CommentInPath => {
                "`#` right behind a `/` cuts a path there: `Disallow: /#/a` closes everything."
            }
            Self::AgentAll => "A user-agent line has `all`, `any` or `everyone`; everyone is `*`.",
            Self::Cut => "The file is longer than 500 KiB, or its record was cut; the rest is not read.",
            Self::ByteOrderMarkTwice => {
                "The file starts with a byte order mark that was encoded twice: its first line is lost."
            }
            Self::CrOnly => "Lines end with CR only; several parsers read them as one line.",
            Self::AgentUndocumented => AGENT_UNDOCUMENTED,
            Self::TokenMatchDiffers => TOKEN_MATCH_DIFFERS,
            Self::WildcardGroupsSplit => {
                "Several groups are for `*`; they are merged, but some crawlers use only the first."
            }
            Self::AllowAndDisallowAll => {
                "A group closes and opens everything; Allow wins, because both paths are equally long."
            }
            Self::UrlInPath => "A rule has a whole URL as its path, and matches nothing.",
            Self::RegexInPath => {
                "A rule has a piece of a regular expression (`^` at its start, `(.`, `[^`, or `.*` before its end), which robots.txt does not support: `.*` matches a dot and anything after it."
            }
            Self::NoindexLine => {
                "The file has a `Noindex` line, which RFC 9309 does not define and Google has not obeyed since 2019."
            }
            Self::SignalInLastGroup => {
                "A statement of preference at the end of the file applies only to the last group, which is not the group for `*`."
            }
            Self::SignalOnClosedPath => {
                "A statement of preference is for a path that its own group closes, where it does not apply."
            }
            Self::SignalOutsideGroup => "A statement of preference is before the first user-agent line.",
            Self::UnknownLabel => {
                "A statement of preference has a label that its system, or the chosen vocabulary, does not know."
            }
            Self::LabelOfOtherSystem => LABEL_OF_OTHER_SYSTEM,
            Self::UnknownValue => "A statement of preference has a value that its system does not know.",
            Self::StrictPlainDiffer => {
                "A Content-Usage value is not a dictionary of RFC 9651 and states nothing, although its parts could be read one by one."
            }
            Self::HidesShorterRule => {
                "A Content-Usage rule that cannot be read hides a shorter one that states something."
            }
            Self::ManagedBlockOpen => {
                "A vendor's block begins and has no end mark; its lines count as the site's own."
            }
            Self::OtherCopy => OTHER_COPY,
            Self::Unfinished => UNFINISHED,
        }
    }
}

const TOKEN_MATCH_DIFFERS: &str = "For a token of the agents table, the group depends on whether names are compared whole or cut as Google's parser does.";

const OTHER_COPY: &str = "Another capture of the same URL within the same second has another answer or another file; the noes of both count.";

const UNFINISHED: &str = "The file has so many crawlers, groups and wildcards that not all groups were compared with each other; some lints may be missing.";

const AGENT_UNDOCUMENTED: &str = "A user-agent line names `ChatGPT`, `Claude` or `Grok` alone, which their companies document for no crawler: `ChatGPT-User` and `ClaudeBot` are not closed by it.";

const LABEL_OF_OTHER_SYSTEM: &str = "A statement of preference has a label of another system, such as `ai-train` in Content-Usage or `train-ai` in Content-Signal, and states nothing; a no under it makes no label allow.";

fn of_fault(fault: Fault) -> &'static str {
    match fault {
        Fault::ByteOrderMark => {
            "The file starts with a byte order mark, which is skipped; some parsers lose its first line."
        }
        Fault::Utf16 => "The file is UTF-16; parsers of RFC 9309 read nothing in it.",
        Fault::ControlByte => "A line has control bytes and is lost.",
        Fault::NoRecord => "A line is neither blank nor a name with a value, and is lost.",
        Fault::NameMissing => "A line has nothing before its colon, and is lost.",
        Fault::ColonMissing => {
            "A line has a blank in place of the colon; it is read, as Google's parser does."
        }
        Fault::DisallowMisspelt => "Disallow is misspelt; the line is read, as Google's parser does.",
        Fault::UserAgentMisspelt => "User-agent is misspelt; the line is read, as Google's parser does.",
        Fault::NameStartsLikeRule => {
            "A name starts like the name of a rule, and Google's parser reads it as that rule: `DisallowAITraining` as Disallow."
        }
        Fault::RuleBeforeAgent => {
            "A rule is before the first user-agent line and applies to nobody; on the path of a disallow line no label is allow."
        }
        Fault::PathWithoutSlash => {
            "The path of a rule starts with neither `/` nor `*`, and matches nothing; on the path that a disallow line may mean no label is allow."
        }
        Fault::BlankInPath => "The path of a rule contains white space, perhaps a second path.",
        Fault::AgentMissing => "A user-agent line has no name.",
        Fault::AgentNoToken => {
            "A name is not a product token of RFC 9309; Google's parser cuts it at the first byte that is not a letter, `_` or `-`."
        }
        Fault::AgentsAcrossRecords => {
            "A list of user-agent lines continues after another line; several parsers begin a new group there."
        }
        Fault::GroupByExtension => {
            "A user-agent line begins a new group only for parsers that know the rules of later documents."
        }
    }
}

/// Where a file has a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The oddity.
    pub lint: Lint,
    /// The first line, from 1.
    pub line: u32,
    /// The number of lines.
    pub count: u32,
}

/// For each lint, its first line and number of lines.
#[derive(Default)]
pub(super) struct Findings(BTreeMap<Lint, (u32, u32)>);

impl Findings {
    pub(super) fn add(&mut self, found: Lint, line: u32) {
        let (first, count) = self.0.entry(found).or_insert((line, 0));
        *first = (*first).min(line);
        *count += 1;
    }

    pub(super) fn in_order(&self) -> Vec<Finding> {
        let found =
            |lint| self.0.get(&lint).map(|(line, count)| Finding { lint, line: *line, count: *count });
        Lint::ALL.into_iter().filter_map(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Lint;
    use std::collections::HashSet;

    #[test]
    fn local_every_lint_has_a_name_and_a_sentence_of_its_own() {
        let (mut names, mut sentences) = (HashSet::new(), HashSet::new());
        for lint in Lint::ALL {
            assert!(names.insert(lint.as_str()), "{}", lint.as_str());
            assert!(sentences.insert(lint.sentence()) && lint.sentence().ends_with('.'), "{}", lint.as_str());
        }
    }
}
