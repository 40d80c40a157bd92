//! The file, cut into its groups.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the sections on the file's format and on groups. Example of a case that the
//! text leaves open and that is read all the same: a group whose `user-agent` is before its `scope`, as in one of the draft's
//! own examples (AMB-AUTO-1). Left out: the order that the ABNF demands, by which that example has no valid group; methods that
//! the ABNF does not have, such as `PROPFIND`, which are skipped (AMB-AUTO-5).

use super::cut::{Cutter, Directive};
use super::scope::{AutomationScope, HostPattern};
use crate::web::lines::{split_once, trim_blanks};

/// A line that is not blank and not only a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationLine {
    pub number: u32,
    pub directive: Directive,
    pub name: Vec<u8>,
    /// The text behind it, without comments.
    pub value: Vec<u8>,
    /// The whole line, as it is.
    pub raw: Vec<u8>,
}

impl AutomationLine {
    fn new(number: u32, raw: &[u8], text: &[u8]) -> Self {
        let (directive, name, value) = match split_once(text, b':') {
            Some((name, value)) => {
                let name = trim_blanks(name);
                (Directive::named(name), name, trim_blanks(value))
            }
            None => (Directive::Unreadable, &[][..], text),
        };
        Self {
            number,
            directive,
            name: name.to_vec(),
            value: value.to_vec(),
            raw: raw.to_vec(),
        }
    }

    /// Returns the members of a list, without white space; empty ones do not count.
    pub fn members(&self) -> impl Iterator<Item = &[u8]> {
        self.value
            .split(|byte| *byte == b',')
            .map(trim_blanks)
            .filter(|member| !member.is_empty())
    }
}

/// The lines of a group: those between two blank ones, or a part of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationGroup {
    /// Its lines that are not blank and not only comments, in their order.
    pub lines: Vec<AutomationLine>,
    /// Whether a line of the name with which its block begins opens it (AMB-AUTO-1); a blank line is missing before it.
    pub lacks_blank_line: bool,
}

impl AutomationGroup {
    pub fn lines_of(&self, directive: Directive) -> impl Iterator<Item = &AutomationLine> {
        self.lines
            .iter()
            .filter(move |line| line.directive == directive)
    }

    /// Returns where the group holds; an empty scope holds nowhere.
    pub fn scopes(&self) -> impl Iterator<Item = (&AutomationLine, AutomationScope<'_>)> {
        let scopes = self
            .lines_of(Directive::Scope)
            .filter(|line| !line.value.is_empty());
        scopes.map(|line| (line, AutomationScope::new(&line.value)))
    }

    /// Returns the hosts on which it holds; none: all hosts.
    pub fn hosts(&self) -> Vec<HostPattern> {
        let hosts = self
            .lines_of(Directive::Host)
            .filter(|line| !line.value.is_empty());
        hosts.map(|line| HostPattern::new(&line.value)).collect()
    }

    /// Returns the members of all lines of a kind, as written: of user agents, for which it holds, none is everybody.
    pub fn members_of(&self, directive: Directive) -> impl Iterator<Item = &[u8]> {
        self.lines_of(directive).flat_map(AutomationLine::members)
    }

    /// Returns the methods that it allows, by name, each once; empty without such a line.
    pub fn methods(&self) -> Vec<&'static str> {
        let names: Vec<&[u8]> = self.members_of(Directive::AllowedMethods).collect();
        let is_allowed = |method: &&str| {
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(method.as_bytes()))
        };
        METHODS.into_iter().filter(is_allowed).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationFile {
    /// Its groups, including those without a scope (AMB-AUTO-3: they do not count).
    pub blocks: Vec<AutomationGroup>,
    /// The line of the first control byte; because of it the whole file is rejected.
    pub control_byte_line: Option<u32>,
}

impl AutomationFile {
    /// Reads a file; no bytes are refused. The section on the format: a file with raw control bytes other than CR and LF SHOULD
    /// be rejected. Ours (AMB-AUTO-4): HTAB is white space by the ABNF, and so is not such a byte.
    pub fn parse(bytes: &[u8]) -> Self {
        let (mut blocks, mut block) = (Vec::new(), Vec::new());
        let mut control_byte_line = None;
        for line in Cutter::new(bytes) {
            if line.raw.iter().any(|byte| *byte < b' ' && *byte != b'\t') {
                control_byte_line = control_byte_line.or(Some(line.number));
            }
            if line.raw.is_empty() {
                add_groups(std::mem::take(&mut block), &mut blocks);
            } else if !line.text.is_empty() {
                block.push(AutomationLine::new(line.number, line.raw, &line.text));
            }
        }
        add_groups(block, &mut blocks);
        Self {
            blocks,
            control_byte_line,
        }
    }

    /// Returns the groups that count, in the order of the file.
    pub fn groups(&self) -> impl Iterator<Item = &AutomationGroup> {
        let kept = self.control_byte_line.is_none();
        self.blocks
            .iter()
            .filter(move |block| kept && block.scopes().next().is_some())
    }
}

/// Adds the groups of the lines between two blank ones. AMB-AUTO-1: that is one group; but a line of the name with which the
/// block begins opens another group behind an allowance, if another allowance follows it. Ours: only a line that says to what a
/// group applies opens one.
fn add_groups(block: Vec<AutomationLine>, groups: &mut Vec<AutomationGroup>) {
    let is_target = |name: &_| {
        matches!(
            name,
            Directive::Scope | Directive::Host | Directive::UserAgent
        )
    };
    let opens = block.first().map(|line| line.directive).filter(is_target);
    let last_allowance = block.iter().rposition(|line| line.directive.is_allowance());
    let (mut group, mut allows) = (AutomationGroup::default(), false);
    for (place, line) in block.into_iter().enumerate() {
        if allows
            && Some(line.directive) == opens
            && last_allowance.is_some_and(|last| last > place)
        {
            groups.push(std::mem::take(&mut group));
            (group.lacks_blank_line, allows) = (true, false);
        }
        allows |= line.directive.is_allowance();
        group.lines.push(line);
    }
    if !group.lines.is_empty() {
        groups.push(group);
    }
}

/// The methods that the grammar knows, in order of name.
const METHODS: [&str; 9] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
];

/// Returns whether the grammar knows a method, compared without case.
pub(super) fn is_method(name: &[u8]) -> bool {
    METHODS
        .iter()
        .any(|method| name.eq_ignore_ascii_case(method.as_bytes()))
}
