//! The names of oddities in a robots.txt, with a sentence for each.
//!
//! Ours: RFC 9309 has no lints. Example: `html`, the server sent a page.
//! Left out: a judgement; a lint says what was found, not that its author is wrong.

use crate::robots::Fault;
use std::collections::{BTreeMap, BTreeSet};

/// An oddity in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lint {
    /// A fault that the parser found.
    Fault(Fault),
    Html,
    Empty,
    NoGroups,
    NearMiss,
    Cut,
    CrOnly,
    ByteOrderMarkTwice,
    AgentUndocumented,
    TokenMatchDiffers,
    WildcardGroupsSplit,
    AllowAndDisallowAll,
    UrlInPath,
    RegexInPath,
    CommentInPath,
    AgentAll,
    NoindexLine,
    SignalInLastGroup,
    SignalOnClosedPath,
    SignalOutsideGroup,
    UnknownLabel,
    LabelOfOtherSystem,
    UnknownValue,
    StrictPlainDiffer,
    HidesShorterRule,
    ManagedBlockOpen,
    OtherCopy,
    Unfinished,
}

/// Gives every lint, in the order of the documentation: its name, which a fault has itself, and a sentence that explains it.
macro_rules! lints {
    ($($lint:ident $(($fault:ident))? $($name:literal)? => $sentence:literal),+ $(,)?) => {
        impl Lint {
            /// Every lint, in the order of the documentation.
            pub const ALL: [Self; [$($sentence),+].len()] = [$(Self::$lint $((Fault::$fault))?),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$lint $((Fault::$fault))? => $($name)? $(Fault::$fault.as_str())?),+
                }
            }

            pub fn sentence(self) -> &'static str {
                match self {
                    $(Self::$lint $((Fault::$fault))? => $sentence),+
                }
            }
        }
    };
}

lints! {
    Html "html" => "The server sent an HTML page. Its lines that look like robots.txt are read.",
    Empty "empty" => "The file has only comments and blank lines: everything is open.",
    NoGroups "no_groups" => "The file has lines and no user-agent line: it reaches no crawler.",
    Cut "cut" => "The file is longer than 500 KiB, or its record was cut; the rest is not read.",
    CrOnly "cr_only" => "Lines end with CR only; several parsers read them as one line.",
    Fault(ByteOrderMark) =>
        "The file starts with a byte order mark, which is skipped; some parsers lose its first line.",
    ByteOrderMarkTwice "byte_order_mark_twice" =>
        "The file starts with a byte order mark that was encoded twice, which is skipped; other parsers lose its first line.",
    Fault(Utf16) => "The file is UTF-16; parsers of RFC 9309 read nothing in it.",
    Fault(ControlByte) => "A line has control bytes and is lost.",
    Fault(NoRecord) => "A line is neither blank nor a name with a value, and is lost.",
    Fault(NameMissing) => "A line has nothing before its colon, and is lost.",
    NearMiss "near_miss" => "A line was meant as a rule and cannot be read: what the file allows is unknown.",
    Fault(ColonMissing) => "A line has a blank in place of the colon; it is read, as Google's parser does.",
    Fault(DisallowMisspelt) => "Disallow is misspelt; the line is read, as Google's parser does.",
    Fault(UserAgentMisspelt) => "User-agent is misspelt; the line is read, as Google's parser does.",
    Fault(NameStartsLikeRule) =>
        "A name starts like the name of a rule, and Google's parser reads it as that rule: \
         `DisallowAITraining` as Disallow.",
    Fault(RuleBeforeAgent) =>
        "A rule is before the first user-agent line and applies to no crawler; on the path of a disallow line no \
         label is allow.",
    Fault(PathWithoutSlash) =>
        "The path of a rule starts with neither `/` nor `*`, and matches nothing; on the path that a disallow \
         line may mean no label is allow.",
    Fault(BlankInPath) => "The path of a rule contains white space, perhaps a second path.",
    UrlInPath "url_in_path" => "A rule has a whole URL as its path, and matches nothing.",
    RegexInPath "regex_in_path" =>
        "A rule has a piece of a regular expression (`^` at its start, `(.`, `[^`, or `.*` before its end), \
         which robots.txt does not support: `.*` matches a dot and anything after it.",
    CommentInPath "comment_in_path" =>
        "`#` right behind a `/` cuts a path there: `Disallow: /#/a` closes everything.",
    Fault(AgentMissing) => "A user-agent line has no name.",
    Fault(AgentNoToken) =>
        "A name is not a product token of RFC 9309; Google's parser cuts it at the first byte that is not a \
         letter, `_` or `-`.",
    AgentAll "agent_all" => "A user-agent line has `all`, `any` or `everyone`; everyone is `*`.",
    AgentUndocumented "agent_undocumented" =>
        "A user-agent line names `ChatGPT`, `Claude` or `Grok` alone, which their companies document for no \
         crawler: `ChatGPT-User` and `ClaudeBot` are not closed by it.",
    TokenMatchDiffers "token_match_differs" =>
        "For a token of the agents table, the group depends on whether names are compared whole or cut as \
         Google's parser does.",
    Fault(AgentsAcrossRecords) =>
        "A list of user-agent lines continues after another line; several parsers begin a new group there.",
    Fault(GroupByExtension) =>
        "A user-agent line begins a new group only for parsers that know the rules of later documents.",
    WildcardGroupsSplit "wildcard_groups_split" =>
        "Several groups are for `*`; they are merged, but some crawlers use only the first.",
    AllowAndDisallowAll "allow_and_disallow_all" =>
        "A group closes and opens everything; Allow wins, because both paths are equally long.",
    NoindexLine "noindex_line" =>
        "The file has a `Noindex` line, which RFC 9309 does not define and Google has not obeyed since 2019.",
    SignalInLastGroup "signal_in_last_group" =>
        "A statement of preference at the end of the file applies only to the last group, which is not the \
         group for `*`.",
    SignalOnClosedPath "signal_on_closed_path" =>
        "A statement of preference is for a path that its own group closes, where it does not apply.",
    SignalOutsideGroup "signal_outside_group" =>
        "A statement of preference is before the first user-agent line.",
    UnknownLabel "unknown_label" =>
        "A statement of preference has a label that its system, or the chosen vocabulary, does not know.",
    LabelOfOtherSystem "label_of_other_system" =>
        "A statement of preference has a label of another system, such as `ai-train` in Content-Usage or \
         `train-ai` in Content-Signal, and states nothing; a no under it makes no label allow.",
    UnknownValue "unknown_value" => "A statement of preference has a value that its system does not know.",
    StrictPlainDiffer "strict_plain_differ" =>
        "A Content-Usage value is not a dictionary of RFC 9651 and states nothing, although its parts could \
         be read one by one.",
    HidesShorterRule "hides_shorter_rule" =>
        "A Content-Usage rule that cannot be read hides a shorter one that states something.",
    ManagedBlockOpen "managed_block_open" =>
        "A vendor's block begins and has no end mark; its lines count as the site's own.",
    OtherCopy "other_copy" =>
        "Another capture of the same URL within the same second has another answer or another file; the noes \
         of both count.",
    Unfinished "unfinished" =>
        "The file has too many crawlers, groups and wildcards to compare all groups with each \
         other; some lints may be missing.",
}

/// Where a file has a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    pub lint: Lint,
    /// The first line, from 1.
    pub line: u32,
    pub count: u32,
}

/// For each lint, its first line and number of lines.
#[derive(Default)]
pub(super) struct LintLines {
    by_lint: BTreeMap<Lint, (u32, u32)>,
    /// Every line of every lint, if these are wanted.
    lines: Option<Vec<(Lint, u32)>>,
}

impl LintLines {
    /// Begins findings that keep every line.
    pub(super) fn of_each_line() -> Self {
        Self {
            lines: Some(Vec::new()),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, found: Lint, line: u32) {
        let (first, count) = self.by_lint.entry(found).or_insert((line, 0));
        *first = (*first).min(line);
        *count += 1;
        if let Some(lines) = &mut self.lines {
            lines.push((found, line));
        }
    }

    pub(super) fn in_order(&self) -> Vec<Finding> {
        let found = |lint| {
            self.by_lint.get(&lint).map(|(line, count)| Finding {
                lint,
                line: *line,
                count: *count,
            })
        };
        Lint::ALL.into_iter().filter_map(found).collect()
    }

    /// Returns every line of every lint, by line, each once.
    pub(super) fn into_lines(self) -> Vec<(u32, Lint)> {
        let lines: BTreeSet<_> = self
            .lines
            .into_iter()
            .flatten()
            .map(|(lint, line)| (line, lint))
            .collect();
        lines.into_iter().collect()
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
            assert!(
                sentences.insert(lint.sentence()) && lint.sentence().ends_with('.'),
                "{}",
                lint.as_str()
            );
        }
    }
}
