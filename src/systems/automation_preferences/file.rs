//! The file, cut into its groups.
//!
//! Document: draft-liao-aipref-autoctl-core-01, the sections on the file's format and on groups. Example
//! of what the text leaves open and is read all the same: a group whose `user-agent` stands before its
//! `scope`, as in one of the draft's own examples (AMB-AUTO-1).
//! Left out: the order that the ABNF demands, by which that example has no valid group.

use super::cut::Cutter;
use super::host::HostPattern;
use super::methods::Method;
use crate::web::lines::trim_blanks;
use crate::web::path_pattern::PathPattern;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Where the group holds.
    Scope,
    /// On which host.
    Host,
    /// For whom.
    UserAgent,
    /// What is allowed.
    AllowedMethods,
    /// For what it is allowed, in words that no document defines.
    AllowedPurposes,
    /// A name that this draft has not ("Parsers MUST silently ignore").
    Unknown,
    /// No colon.
    Unreadable,
}

impl Directive {
    fn named(name: &[u8]) -> Self {
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

    /// Returns whether the line says to what its group applies.
    fn is_target(self) -> bool {
        matches!(self, Self::Scope | Self::Host | Self::UserAgent)
    }

    fn is_allowance(self) -> bool {
        matches!(self, Self::AllowedMethods | Self::AllowedPurposes)
    }
}

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// What it is.
    pub directive: Directive,
    /// What stands before the colon.
    pub name: Vec<u8>,
    /// What stands behind it, without comments.
    pub value: Vec<u8>,
    /// The whole, as it stands.
    pub raw: Vec<u8>,
}

impl Line {
    fn new(number: u32, raw: &[u8], text: &[u8]) -> Self {
        let (directive, name, value) = match memchr::memchr(b':', text) {
            Some(at) => {
                let (name, value) = text.split_at(at);
                let name = trim_blanks(name);
                (Directive::named(name), name, trim_blanks(value.get(1..).unwrap_or_default()))
            }
            None => (Directive::Unreadable, &[][..], text),
        };
        Self { number, directive, name: name.to_vec(), value: value.to_vec(), raw: raw.to_vec() }
    }

    /// Returns the members of a list, without white space; empty ones are none.
    pub fn members(&self) -> impl Iterator<Item = &[u8]> {
        self.value.split(|byte| *byte == b',').map(trim_blanks).filter(|member| !member.is_empty())
    }
}

/// The lines between two blank ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Those that say something, in their order.
    pub lines: Vec<Line>,
}

impl Group {
    /// Returns the lines of one directive.
    pub fn lines_of(&self, directive: Directive) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.directive == directive)
    }

    /// Returns where the group holds. Ours (AMB-AUTO-7): scopes are matched like paths of robots.txt, so
    /// that an empty one matches nothing.
    pub fn scopes(&self) -> impl Iterator<Item = (&Line, PathPattern)> {
        let scopes = self.lines_of(Directive::Scope).filter(|line| !line.value.is_empty());
        scopes.map(|line| (line, PathPattern::new(&line.value)))
    }

    /// Returns on which hosts it holds; none: on all.
    pub fn hosts(&self) -> impl Iterator<Item = HostPattern> {
        let hosts = self.lines_of(Directive::Host).filter(|line| !line.value.is_empty());
        hosts.map(|line| HostPattern::new(&line.value))
    }

    /// Returns the names of those for whom it is; none: for everybody.
    pub fn agents(&self) -> impl Iterator<Item = &[u8]> {
        self.lines_of(Directive::UserAgent).flat_map(Line::members)
    }

    /// Returns what it allows, by name, each once; none of a group without such a line.
    #[must_use]
    pub fn methods(&self) -> Vec<Method> {
        let names = self.lines_of(Directive::AllowedMethods).flat_map(Line::members);
        let mut methods: Vec<Method> = names.filter_map(Method::named).collect();
        methods.sort_unstable();
        methods.dedup();
        methods
    }

    /// Returns for what it allows it, as written.
    pub fn purposes(&self) -> impl Iterator<Item = &[u8]> {
        self.lines_of(Directive::AllowedPurposes).flat_map(Line::members)
    }
}

/// An automation-preferences.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationFile {
    /// Its blocks, those without a scope included (AMB-AUTO-3: they are no groups).
    pub blocks: Vec<Group>,
    /// The line of the first control byte, for which the whole file is rejected.
    pub control_byte_line: Option<u32>,
}

impl AutomationFile {
    /// Reads a file; no bytes are refused.
    ///
    /// The section on the format: a file with raw control bytes other than CR and LF SHOULD be rejected.
    /// Ours (AMB-AUTO-4): HTAB is white space by the ABNF, and so no such byte.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let (mut blocks, mut block, mut allows) = (Vec::new(), Group::default(), false);
        let mut control_byte_line = None;
        for line in Cutter::new(bytes) {
            if line.raw.iter().any(|byte| *byte < b' ' && *byte != b'\t') {
                control_byte_line = control_byte_line.or(Some(line.number));
            }
            if line.raw.is_empty() {
                blocks.push(std::mem::take(&mut block));
                allows = false;
            } else if !line.text.is_empty() {
                let line = Line::new(line.number, line.raw, &line.text);
                // AMB-AUTO-1: what says to whom it applies opens a new group behind what is allowed.
                if line.directive.is_target() && allows {
                    blocks.push(std::mem::take(&mut block));
                    allows = false;
                }
                allows |= line.directive.is_allowance();
                block.lines.push(line);
            }
        }
        blocks.push(block);
        blocks.retain(|block| !block.lines.is_empty());
        Self { blocks, control_byte_line }
    }

    /// Returns the groups that count, in the order of the file.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        let kept = self.control_byte_line.is_none();
        self.blocks.iter().filter(move |block| kept && block.scopes().next().is_some())
    }
}
