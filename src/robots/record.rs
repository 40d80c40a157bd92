//! The readable lines of a file, and the groups that they form.
//!
//! Document: RFC 9309 2.1 and 2.2. Example: line 3, `Disallow: /a # b`, is a record with the name `Disallow`, the value `/a`
//! and the text `Disallow: /a`. Left out: blank lines, comments and unreadable lines.

use crate::web::names::names;
use crate::web::path_pattern::PathPattern;
use crate::web::product_token::{AgentName, TokenMatch, is_list};
use crate::web::shown::{SHOWN_BYTES, joined, shown};
use crate::web::steps;

/// The longest text of a group's names, in bytes. Ours: each statement repeats it, and a file may have many of both.
pub const AGENTS_TEXT_BYTES: usize = SHOWN_BYTES;

names! {
    /// What a line is in RFC 9309 and the documents that extend its groups.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LineKind {
        /// Names a crawler (RFC 9309 2.2.1).
        UserAgent => "user_agent",
        /// Opens a path (RFC 9309 2.2.2).
        Allow => "allow",
        /// Closes a path (RFC 9309 2.2.2).
        Disallow => "disallow",
        /// A rule of a document that extends RFC 9309: it ends a run of user-agent lines.
        ExtensionRule => "extension_rule",
        /// Any other record (RFC 9309 2.2.4): it does not affect groups.
        Other => "other",
    }
}

/// One line: a name, a colon and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotsRecord<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// The kind of line.
    pub kind: LineKind,
    /// Its group, counted from 0; none before the first user-agent line.
    pub group: Option<usize>,
    /// The line without its comment and outer white space.
    pub text: &'a [u8],
    /// The name as written.
    pub name: &'a [u8],
    /// The value as written, without outer white space.
    pub value: &'a [u8],
}

impl RobotsRecord<'_> {
    /// Returns whether the record has this name, compared without case (RFC 9309 2.2).
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Returns whether the record has one of these names, compared without case.
    pub fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_named(name))
    }

    /// Returns which crawler the value names, if this is a user-agent line.
    pub fn agent(&self, how: TokenMatch) -> AgentName<'_> {
        AgentName::new(self.value, how)
    }

    /// Returns the value as the path of a rule.
    pub fn pattern(&self) -> PathPattern {
        PathPattern::new(self.value)
    }
}

/// A group: one or more user-agent lines and the lines that follow them.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    pub(super) index: usize,
    pub(super) entries: &'a [RecordOffsets],
    /// The place of the group's first entry in the file, and the places of its user-agent lines.
    pub(super) agents: (u32, &'a [u32]),
    pub(super) bytes: &'a [u8],
}

impl<'a> Group<'a> {
    /// Returns the place of the group in the file, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the lines of the group in the order of the file.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RobotsRecord<'a>> + use<'a> {
        let bytes = self.bytes;
        self.entries.iter().map(move |entry| entry.record(bytes))
    }

    /// Returns the user-agent lines of the group.
    pub fn agents(&self) -> impl Iterator<Item = RobotsRecord<'a>> + use<'a> {
        let Self {
            entries,
            agents: (first, places),
            bytes,
            ..
        } = *self;
        let entries = places
            .iter()
            .filter_map(move |at| entries.get((at - first) as usize));
        entries
            .inspect(|_| steps::count(1))
            .map(move |entry| entry.record(bytes))
    }

    /// Returns whether no user-agent line names a crawler with its whole value: each has no name or has a list (ACCT-5).
    pub fn names_nobody(&self) -> bool {
        self.agents().all(|agent| {
            is_list(agent.value) || agent.agent(TokenMatch::Exact) == AgentName::Nobody
        })
    }

    /// Returns the names of the group as written, up to [`AGENTS_TEXT_BYTES`] in total.
    pub fn agent_names(&self) -> Vec<String> {
        let (mut names, mut bytes) = (Vec::new(), 0);
        for agent in self.agents() {
            // Empty names count as well.
            bytes += agent.value.len().max(1);
            if bytes > AGENTS_TEXT_BYTES {
                break;
            }
            names.push(shown(agent.value).into_owned());
        }
        names
    }

    /// Returns the names of the group as written, joined by a comma and a blank; at most [`AGENTS_TEXT_BYTES`].
    pub fn agents_text(&self) -> String {
        joined(self.agents().map(|agent| agent.value))
    }
}

/// A record as offsets into the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordOffsets {
    pub(super) line: u32,
    /// The number of groups opened up to and including this line.
    pub(super) groups_opened: u32,
    pub(super) start: u32,
    pub(super) name_bytes: u32,
    pub(super) value_start: u32,
    pub(super) end: u32,
    pub(super) kind: LineKind,
}

impl RecordOffsets {
    pub(super) fn record<'a>(&self, bytes: &'a [u8]) -> RobotsRecord<'a> {
        RobotsRecord {
            line: self.line,
            kind: self.kind,
            group: self
                .groups_opened
                .checked_sub(1)
                .map(|index| index as usize),
            text: slice(bytes, self.start, self.end),
            name: slice(
                bytes,
                self.start,
                self.start.saturating_add(self.name_bytes),
            ),
            value: slice(bytes, self.value_start, self.end),
        }
    }
}

pub(super) fn slice(bytes: &[u8], start: u32, end: u32) -> &[u8] {
    bytes.get(start as usize..end as usize).unwrap_or_default()
}
