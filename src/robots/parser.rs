//! From the bytes of a file to its records and groups, in one pass.
//!
//! Document: RFC 9309 2.2. Example: `User-agent: a`, CR, `Sitemap: /s`, LF, `User-agent: b`, CRLF, `Disallow: /` are four lines
//! and one group. Left out: which group applies to which crawler.

use super::line::{Defect, Fault, Line, has_control, without_comment};
use super::near_miss::{has_marks, has_odd_bytes, is_odd_name, may_be_file, may_be_lines};
use super::record::{LineKind, RecordOffsets};
use super::slips::is_odd_root;
use crate::web::lines::{offset_in, split_line, without_byte_order_marks, without_line_marks};
use crate::web::path_pattern::can_match;
use crate::web::product_token::{is_rfc9309_agent, listed_names};
use crate::web::u32_of;
use crate::web::vectorised::any_bits;

/// What the lines of a file say.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadLines {
    pub(super) entries: Vec<RecordOffsets>,
    /// The first entry of each group.
    pub(super) groups: Vec<u32>,
    /// The entries that are user-agent lines: in a group they may be anywhere among thousands of other entries.
    pub(super) agents: Vec<u32>,
    /// The user-agent entries with a list of names as value (ACCT-5).
    pub(super) lists: Vec<u32>,
    /// The entries that are neither user-agent lines nor rules of RFC 9309: few, and all that other documents have.
    pub(super) others: Vec<u32>,
    pub(super) defects: Vec<Defect>,
    pub(super) odd_lines: Vec<OddLine>,
    pub(super) line_count: u32,
}

/// A line that may be a near miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OddLine {
    pub(super) number: u32,
    /// Its first byte in the file.
    pub(super) start: u32,
}

struct Parser<'a> {
    file: &'a [u8],
    /// The first byte of the line that is read.
    line_start: u32,
    read: ReadLines,
    place: ParserPlace,
    /// Whether the file has control bytes, so that its lines must be searched for them.
    has_control: bool,
    /// The same for bytes of escapes and tags: backslash, `%`, `>`.
    has_marks: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ParserPlace {
    /// Before the first user-agent line.
    NoGroup,
    /// In a run of user-agent lines.
    Agents,
    /// In a run of user-agent lines, after another record.
    AgentsThenOther,
    /// After rules that RFC 9309 does not define.
    ExtensionRules,
    /// After rules.
    Rules,
}

impl ReadLines {
    /// Reads all lines of a file, which must not be longer than the greatest limit.
    pub(super) fn read(file: &[u8]) -> Self {
        let entries = Vec::with_capacity(memchr::memchr_iter(b'\n', file).count() + 1);
        let read = Self {
            entries,
            ..Self::default()
        };
        let (has_control, has_marks) = has_control_and_marks(file);
        let mut parser = Parser {
            file,
            line_start: 0,
            read,
            place: ParserPlace::NoGroup,
            has_control,
            has_marks,
        };
        let mut rest = parser.after_byte_order_mark();
        while !rest.is_empty() {
            let (line, following) = split_line(rest);
            parser.read.line_count += 1;
            parser.line_start = parser.offset_of(line);
            parser.read_line(line);
            rest = following;
        }
        if parser.read.line_count == 1 && may_be_lines(file) {
            parser.note_odd();
        }
        let mut read = parser.read;
        if read.entries.len() < read.entries.capacity() / 2 {
            read.entries.shrink_to_fit();
        }
        read
    }
}

impl<'a> Parser<'a> {
    /// Ours: RFC 9309 has no byte order mark; unless it is skipped, the first group is lost. As in Google's parser, an
    /// incomplete mark is also skipped (READ-4).
    fn after_byte_order_mark(&mut self) -> &'a [u8] {
        match self.file {
            [0xEF, ..] => {
                self.read.defects.push(Defect {
                    line: 1,
                    fault: Fault::ByteOrderMark,
                });
                without_byte_order_marks(self.file)
            }
            [0xC3, 0xAF, ..] => without_byte_order_marks(self.file),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                self.read.defects.push(Defect {
                    line: 1,
                    fault: Fault::Utf16,
                });
                self.file
            }
            _ => self.file,
        }
    }

    fn read_line(&mut self, line: &'a [u8]) {
        if self.has_marks && has_marks(line) {
            self.note_odd();
        }
        if !self.has_control
            && let Some((line, kind)) = Line::usual(line)
        {
            self.read_record(&line, kind);
            return;
        }
        let unmarked = without_line_marks(line);
        if unmarked.len() < line.len() {
            self.note(Fault::ByteOrderMark);
        }
        let text = without_comment(unmarked);
        if self.read.groups.is_empty() && may_be_file(unmarked) {
            self.note_odd();
        }
        if text.is_empty() {
            return;
        }
        match Line::split(text).and_then(|line| line.kind().map(|kind| (line, kind))) {
            Ok((line, (kind, fault))) => self.read_split(line, kind, fault),
            Err(fault) => {
                self.note_odd();
                self.note(fault);
            }
        }
    }

    fn read_split(&mut self, line: Line<'a>, kind: LineKind, fault: Option<Fault>) {
        let is_long_agent = kind == LineKind::UserAgent && line.value.len() > "disallow".len();
        let may_hold_line =
            line.has_blank && (is_long_agent || memchr::memchr(b':', line.value).is_some());
        if may_hold_line
            || kind == LineKind::Other && is_odd_name(line.name)
            || self.has_control && has_odd_bytes(&line)
        {
            self.note_odd();
        }
        if let Some(line) = self.without_control(line, kind) {
            let colon_missing = (!line.has_colon).then_some(Fault::ColonMissing);
            self.note_all([fault, colon_missing]);
            self.read_record(&line, kind);
        }
    }

    /// RFC 9309 2.2 allows no control bytes in names and values: the line is lost. Ours: a user-agent line still opens its
    /// group, for no crawler, so that its rules do not fall to the group before it.
    fn without_control(&mut self, line: Line<'a>, kind: LineKind) -> Option<Line<'a>> {
        if !self.has_control || !has_control(line.name) && !has_control(line.value) {
            return Some(line);
        }
        self.note(Fault::ControlByte);
        let nobody = line.text.get(line.text.len()..).unwrap_or_default();
        (kind == LineKind::UserAgent).then_some(Line {
            value: nobody,
            ..line
        })
    }

    fn read_record(&mut self, line: &Line<'a>, kind: LineKind) {
        match kind {
            LineKind::UserAgent => {
                let entry = u32_of(self.read.entries.len());
                self.read.agents.push(entry);
                if listed_names(line.value).next().is_some() {
                    self.read.lists.push(entry);
                }
                self.read_agent(line);
            }
            LineKind::Allow | LineKind::Disallow => {
                if kind == LineKind::Disallow && is_odd_root(line.value) {
                    self.note_odd();
                }
                self.note_all(path_faults(line));
                self.read_rule(ParserPlace::Rules);
            }
            LineKind::ExtensionRule => self.read_rule(ParserPlace::ExtensionRules),
            LineKind::Other if self.place == ParserPlace::Agents => {
                self.place = ParserPlace::AgentsThenOther;
            }
            LineKind::Other => {}
        }
        if matches!(kind, LineKind::ExtensionRule | LineKind::Other) {
            self.read.others.push(u32_of(self.read.entries.len()));
        }
        self.read.entries.push(RecordOffsets {
            line: self.read.line_count,
            groups_opened: u32_of(self.read.groups.len()),
            start: self.offset_of(line.text),
            name_bytes: u32_of(line.name.len()),
            value_start: self.offset_of(line.value),
            end: self.offset_of(line.text) + u32_of(line.text.len()),
            kind,
        });
    }

    /// RFC 9309 2.2: a user-agent line after a rule starts a new group; after another user-agent line it joins that line's
    /// group, whatever other records are between them (2.2.4).
    fn read_agent(&mut self, line: &Line<'a>) {
        let fault = match self.place {
            ParserPlace::Agents | ParserPlace::NoGroup | ParserPlace::Rules => None,
            ParserPlace::AgentsThenOther => Some(Fault::AgentsAcrossRecords),
            ParserPlace::ExtensionRules => Some(Fault::GroupByExtension),
        };
        if !matches!(
            self.place,
            ParserPlace::Agents | ParserPlace::AgentsThenOther
        ) {
            self.read.groups.push(u32_of(self.read.entries.len()));
        }
        self.place = ParserPlace::Agents;
        self.note_all([fault, agent_fault(line.value)]);
    }

    fn read_rule(&mut self, after: ParserPlace) {
        match self.place {
            ParserPlace::NoGroup => self.note(Fault::RuleBeforeAgent),
            // Behind them a user-agent line opens a group in any case.
            ParserPlace::Rules => {}
            ParserPlace::Agents | ParserPlace::AgentsThenOther | ParserPlace::ExtensionRules => {
                self.place = after;
            }
        }
    }

    /// Notes a line that may be a near miss (ACCT-4).
    fn note_odd(&mut self) {
        let line = OddLine {
            number: self.read.line_count,
            start: self.line_start,
        };
        if self.read.odd_lines.last() != Some(&line) {
            self.read.odd_lines.push(line);
        }
    }

    fn note(&mut self, fault: Fault) {
        self.read.defects.push(Defect {
            line: self.read.line_count,
            fault,
        });
    }

    fn note_all(&mut self, faults: [Option<Fault>; 2]) {
        for fault in faults.into_iter().flatten() {
            self.note(fault);
        }
    }

    fn offset_of(&self, part: &[u8]) -> u32 {
        u32_of(offset_in(self.file, part))
    }
}

/// Searches the whole file at once, which is faster than line by line.
fn has_control_and_marks(file: &[u8]) -> (bool, bool) {
    let is = |byte: u8, wanted: u8| u8::from(byte == wanted);
    let is_control = |byte: u8| {
        is(byte, 0x7F)
            | u8::from(byte < b' ') & !is(byte, b'\t') & !is(byte, b'\r') & !is(byte, b'\n')
    };
    let is_mark = |byte: u8| is(byte, b'\\') | is(byte, b'%') | is(byte, b'>');
    let found = any_bits(file, |byte| is_control(byte) | is_mark(byte) << 1);
    // References of HTML to line ends, and those of Unicode.
    let others: [&[u8]; 4] = [b"&#1", b"\xC2\x85", b"\xE2\x80\xA8", b"\xE2\x80\xA9"];
    let has_others = || {
        others
            .iter()
            .any(|end| memchr::memmem::find(file, end).is_some())
    };
    (found & 1 != 0, found & 2 != 0 || has_others())
}

fn agent_fault(value: &[u8]) -> Option<Fault> {
    match value {
        [] => Some(Fault::AgentMissing),
        _ if is_rfc9309_agent(value) => None,
        _ => Some(Fault::AgentNoToken),
    }
}

/// An empty path is not a fault: it has no effect (RFC 9309 2.2, empty-pattern).
fn path_faults(line: &Line<'_>) -> [Option<Fault>; 2] {
    let no_slash = !line.value.is_empty() && !can_match(line.value);
    [
        no_slash.then_some(Fault::PathWithoutSlash),
        line.has_blank.then_some(Fault::BlankInPath),
    ]
}
