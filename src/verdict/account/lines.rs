//! The lines of a site file, and the fate of each.
//!
//! Example: `AI-Training: disallow` in a robots.txt is a record that no system takes: it is unrecognised, and its words may be
//! a no.
//! In a site file beside robots.txt, an entry of JSON is also a unit: `{"/": {"tdm-reservation": 1}}` is not an entry of a
//! tdmrep.json, so it is one unit, defective, and a doubt.
//! Left out: for which crawlers and paths a line of robots.txt counts (`robots`), and which copies were current.

use super::known::{is_disclosure, is_known_line, topic_place};
use super::refusal::{
    UnitWords, has_known_words_alone, has_no_of_its_own, is_about_ai, refuses, refuses_in_prose,
};
use super::{Doubts, Fate, UNRECOGNISED, Units, doubt, fate, near_misses};
use crate::robots::{Fault, LineKind, Matched, RobotsRecord, RobotsTxt};
use crate::systems::path_rules::split_path;
use crate::systems::{FileBody, LabelSet, SYSTEMS, Source, Statement, System, Viewpoint};
use crate::web::body_text::looks_like_html;
use crate::web::capture_kind::{CaptureKind, FileForm};
use crate::web::path_readings::other_paths;
use crate::web::product_token::{AgentName, listed_names};
use crate::web::{lines::numbered_lines, preference::Preference};
use std::collections::{BTreeMap, BTreeSet};

/// The lines that systems took, with their fates.
#[derive(Default)]
pub(super) struct TakenLines(BTreeMap<u32, Fate>);

impl TakenLines {
    /// Adds the line of a statement. A statement about a whole file takes no line.
    pub(super) fn add(&mut self, statement: &Statement<'_>) {
        let Some(line) = statement
            .line
            .filter(|_| statement.defect != Some("other_text"))
        else {
            return;
        };
        // One member that is not understood makes the line defective.
        let known = self.0.entry(line).or_insert(Fate::Blank);
        *known = fate(statement).max(*known);
    }

    pub(super) fn of(&self, line: u32) -> Option<Fate> {
        self.0.get(&line).copied()
    }
}

pub(super) struct SourceLine<'a> {
    pub(super) number: u32,
    /// Without its comment and outer white space.
    pub(super) text: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Its fate by the grammar of the file, before any system is asked: it is defective if it has the form of a rule and counts
    /// for no crawler, or if it has no form. `None`: it has a name of another document, or an unknown name.
    pub(super) own: Option<Fate>,
}

impl<'a> SourceLine<'a> {
    pub(super) fn fate(&self, taken: &TakenLines, kind: CaptureKind) -> Fate {
        match (self.own, taken.of(self.number)) {
            (Some(Fate::Blank), _) => Fate::Blank,
            (_, Some(fate)) | (Some(fate), None) => fate,
            // READ-24: the value of a known line may be a statement: `social=https://a.example/, datatrainingallowed=no`.
            (None, None) if self.is_known(kind) && !has_no_of_its_own(self.value) => Fate::Known,
            (None, None) => Fate::Unrecognised,
        }
    }

    fn is_known(&self, kind: CaptureKind) -> bool {
        is_known_line(kind, self.name) || is_disclosure(self.name, self.value)
    }

    fn unit(&self) -> UnitWords<'a> {
        UnitWords::new(self.name, self.value)
    }

    /// Returns the labels to which it may be a no if it is not known.
    pub(super) fn may_be_no(&self, kind: CaptureKind) -> LabelSet {
        self.unit().may_be_no(topic_place(kind))
    }

    /// Returns the path at the beginning of its value, if any. Of prose, what follows a colon is no path of a rule: `AI training
    /// prohibited, see https://a.example/terms`.
    pub(super) fn path(&self) -> Option<&'a [u8]> {
        let is_url = self.value.starts_with(b"//");
        let is_prose =
            || self.name.contains(&b' ') && refuses(self.name) && !has_known_words_alone(self.name);
        split_path(self.value).0.filter(|_| !is_url && !is_prose())
    }

    /// Returns it as a statement of an unknown system.
    pub(super) fn unrecognised(&self, kind: CaptureKind, category: &'a str) -> Statement<'a> {
        Statement {
            path: self.path(),
            key: Some(self.name),
            value: Some(self.value),
            category: Some(category),
            defect: Some(UNRECOGNISED),
            line: Some(self.number),
            ..Statement::unread(UNRECOGNISED, kind.as_str(), self.text)
        }
    }
}

fn of_robots(robots: &RobotsTxt) -> impl Iterator<Item = SourceLine<'_>> {
    let lost: BTreeSet<u32> = robots
        .defects()
        .iter()
        .filter(|defect| defect.fault.loses_the_line() || defect.fault == Fault::RuleBeforeAgent)
        .map(|defect| defect.line)
        .collect();
    let mut records = robots.records().peekable();
    robots.lines().map(move |(number, line)| {
        let record = records.next_if(|record| record.line == number);
        let is_lost = lost.contains(&number);
        if let Some(record) = record {
            let own = is_markup(robots, &record).then_some(Fate::Defective);
            let line = of_record(&record, is_lost);
            return SourceLine {
                own: line.own.or(own),
                ..line
            };
        }
        let own = Some(if is_lost {
            Fate::Defective
        } else {
            Fate::Blank
        });
        let text = line.trim_ascii();
        SourceLine {
            number,
            text,
            name: text,
            value: b"",
            own,
        }
    })
}

/// ACCT-11: returns whether a record of a page that is served as robots.txt is markup or a script: its name is none.
pub(super) fn is_markup(robots: &RobotsTxt, record: &RobotsRecord<'_>) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    record.kind == LineKind::Other
        && !record.name.iter().all(in_name)
        && looks_like_html(robots.bytes())
}

/// Returns the lines of a robots.txt that are neither comments nor records but may be a no; none of a page in its place, whose
/// text is for readers.
pub(super) fn prose(robots: &RobotsTxt) -> impl Iterator<Item = (u32, &[u8])> {
    let defects = if looks_like_html(robots.bytes()) {
        &[]
    } else {
        robots.defects()
    };
    let mut lost = defects
        .iter()
        .filter(|defect| defect.fault == Fault::NoRecord)
        .peekable();
    let lines = lost
        .peek()
        .is_some()
        .then(|| robots.lines())
        .into_iter()
        .flatten();
    let lines =
        lines.filter(move |(number, _)| lost.next_if(|defect| defect.line == *number).is_some());
    lines
        .map(|(number, line)| (number, line.trim_ascii()))
        .filter(|(_, text)| refuses_in_prose(text) || has_no_of_its_own(text))
}

pub(super) fn of_record<'a>(record: &RobotsRecord<'a>, is_lost: bool) -> SourceLine<'a> {
    let own = match record.kind {
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow if is_lost => {
            Some(Fate::Defective)
        }
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => Some(Fate::Rule),
        LineKind::ExtensionRule | LineKind::Other => None,
    };
    let RobotsRecord {
        line: number,
        text,
        name,
        value,
        ..
    } = *record;
    SourceLine {
        number,
        text,
        name,
        value,
        own,
    }
}

fn of_file(kind: CaptureKind, file: &[u8]) -> impl Iterator<Item = SourceLine<'_>> {
    let (has_groups, separators) = (kind.form() == Some(FileForm::Groups), kind.separators());
    numbered_lines(file).map(move |(number, line)| {
        let text = without_comment(line);
        let at = text.iter().position(|byte| separators.contains(byte));
        let (name, value) = match at.and_then(|at| text.split_at_checked(at)) {
            Some((name, value)) => (
                name.trim_ascii(),
                value.get(1..).unwrap_or_default().trim_ascii(),
            ),
            None => (text, &b""[..]),
        };
        let is_agent = name.eq_ignore_ascii_case(b"user-agent");
        let own = match text {
            [] => Some(Fate::Blank),
            _ if is_agent && has_groups => Some(Fate::Rule),
            _ => None,
        };
        SourceLine {
            number,
            text,
            name,
            value,
            own,
        }
    })
}

/// Ours: a comment begins at the beginning of a line or after white space.
fn without_comment(line: &[u8]) -> &[u8] {
    let text = line.trim_ascii();
    let begins = |at: usize| at == 0 || text.get(at - 1).is_some_and(u8::is_ascii_whitespace);
    let comment = memchr::memchr_iter(b'#', text).find(|at| begins(*at));
    text.get(..comment.unwrap_or(text.len()))
        .unwrap_or(text)
        .trim_ascii()
}

/// Returns the lines of a source with its kind, if it has lines.
fn lines_of<'a>(
    source: &Source<'a>,
) -> Option<(CaptureKind, Box<dyn Iterator<Item = SourceLine<'a>> + 'a>)> {
    match *source {
        Source::Robots(robots) => Some((CaptureKind::Robots, Box::new(of_robots(robots)))),
        Source::SiteFile(kind, body) if !kind.separators().is_empty() => {
            Some((kind, Box::new(of_file(kind, body.bytes))))
        }
        Source::SiteFile(..) | Source::Record(_) => None,
    }
}

/// Returns the lines of a source whose fate is not decided by its grammar.
fn open_lines<'a>(
    source: &Source<'a>,
) -> Option<(CaptureKind, Box<dyn Iterator<Item = SourceLine<'a>> + 'a>)> {
    if let Source::Robots(robots) = *source {
        let records = robots.other_records();
        let named = records.filter(|record| !is_markup(robots, record));
        let lines = named.map(|record| of_record(&record, false));
        return Some((CaptureKind::Robots, Box::new(lines)));
    }
    let (kind, lines) = lines_of(source)?;
    Some((kind, Box::new(lines.filter(|line| line.own.is_none()))))
}

/// Passes on the lines that no system knows and that are about AI by their names or may be a no (ACCT-6).
pub(super) fn unrecognised(
    source: &Source<'_>,
    taken: &TakenLines,
    each: &mut dyn FnMut(&Statement<'_>),
) {
    let Some((kind, lines)) = open_lines(source) else {
        return;
    };
    for line in lines {
        let unit = line.unit();
        let is_wanted = unit.is_about_ai() || !unit.may_be_no(topic_place(kind)).is_empty();
        if is_wanted && line.fate(taken, kind) == Fate::Unrecognised {
            let category = String::from_utf8_lossy(line.name).to_ascii_lowercase();
            each(&line.unrecognised(kind, &category));
        }
    }
    let Source::Robots(robots) = source else {
        return;
    };
    for (number, text) in prose(robots) {
        let line = SourceLine {
            number,
            text,
            name: text,
            value: b"",
            own: Some(Fate::Defective),
        };
        each(&line.unrecognised(kind, &String::from_utf8_lossy(text).to_ascii_lowercase()));
    }
}

/// Counts the units of a file by fate: its lines, or the entries of a tdmrep.json.
pub(super) fn units(source: &Source<'_>, viewpoint: &Viewpoint) -> Units {
    let (mut taken, mut entries) = (TakenLines::default(), Units::default());
    for system in SYSTEMS {
        system.statements(source, viewpoint, &mut |statement| {
            taken.add(statement);
            // A policy is part of an entry.
            let is_policy = statement.category == Some("tdm-policy");
            if statement.carrier == CaptureKind::Tdmrep.as_str() && !is_policy {
                entries.add(fate(statement));
            }
        });
    }
    let Some((kind, lines)) = lines_of(source) else {
        return entries;
    };
    let mut units = Units::default();
    lines.for_each(|line| units.add(line.fate(&taken, kind)));
    units
}

/// Passes on the lines of a file that no system and no list of names knows.
pub fn unknown_lines(source: &Source<'_>, viewpoint: &Viewpoint, each: &mut dyn FnMut(u32)) {
    let mut taken = TakenLines::default();
    for system in SYSTEMS {
        system.statements(source, viewpoint, &mut |statement| taken.add(statement));
    }
    let Some((kind, lines)) = open_lines(source) else {
        return;
    };
    for line in lines.filter(|line| line.fate(&taken, kind) == Fate::Unrecognised) {
        each(line.number);
    }
}

/// Finds the units of the copies of a system's own file that may be a no and were not understood.
pub fn file_doubts(system: &System, copies: &[FileBody<'_>], viewpoint: &Viewpoint) -> Doubts {
    let mut doubts = Doubts::default();
    let about = system.about();
    let Some(kind) = about.site_file else {
        return doubts;
    };
    // A system without labels has doubts by words about AI alone.
    if about.labels.is_empty() && !copies.iter().any(|body| is_about_ai(body.bytes)) {
        return doubts;
    }
    for (copy, body) in copies.iter().enumerate() {
        let (source, mut taken) = (Source::SiteFile(kind, *body), TakenLines::default());
        system.statements(&source, viewpoint, &mut |statement| {
            taken.add(statement);
            if statement.defect == Some("other_text") || !binds(statement, viewpoint) {
                return;
            }
            let (path, place) = (statement.path, (copy, statement.line.unwrap_or(0)));
            let is_regex = statement.defect == Some("regex_in_path");
            let path = if is_regex {
                path.and_then(literal_start)
            } else {
                path
            };
            doubts.add(path, doubt(statement), place);
            // A group without a name: whom it closes is not known.
            let is_for_nobody = statement.preference == Some(Preference::Disallow)
                && statement.agent.as_deref().is_some_and(str::is_empty);
            doubts.add(path, LabelSet::ALL.only_if(is_for_nobody), place);
            if statement.preference == Some(Preference::Disallow) {
                // ACCT-9: a no counts by each reading of its path.
                path.map(other_paths)
                    .iter()
                    .flatten()
                    .for_each(|path| doubts.add(Some(path), LabelSet::ALL, place));
            }
        });
        if kind.form() == Some(FileForm::Groups) && has_near_miss(body.bytes, viewpoint) {
            doubts.add(None, LabelSet::ALL, (copy, 0));
        }
        for line in open_lines(&source).into_iter().flat_map(|(_, lines)| lines) {
            if line.fate(&taken, kind) == Fate::Unrecognised {
                doubts.add(line.path(), line.may_be_no(kind), (copy, line.number));
            }
        }
    }
    doubts.compiled()
}

/// Returns whether a file in the grammar of robots.txt has a line for the crawler that was meant as a rule and cannot be read.
fn has_near_miss(file: &[u8], viewpoint: &Viewpoint) -> bool {
    let (robots, how) = (RobotsTxt::parse(file), viewpoint.token_match);
    let has_group = robots.selection(&viewpoint.token, how).matched() == Matched::Explicit;
    let misses = near_misses(&robots);
    misses
        .iter()
        .any(|miss| miss.may_bind(viewpoint.token.compared(how), how, has_group))
}

/// Returns the beginning of a path before its first mark of a regular expression; `None` if nothing of it is known.
fn literal_start(path: &[u8]) -> Option<&[u8]> {
    let path = path.strip_prefix(b"^").unwrap_or(path);
    let marks = |byte: &u8| b"([{\\|?+".contains(byte);
    let end = path.iter().position(marks).unwrap_or(path.len());
    let start = path.get(..end)?;
    let start = memchr::memmem::find(start, b".*").map_or(Some(start), |at| start.get(..at))?;
    start.starts_with(b"/").then_some(start)
}

/// Returns whether a statement is for everyone or for the viewpoint's crawler.
fn binds(statement: &Statement<'_>, viewpoint: &Viewpoint) -> bool {
    let how = viewpoint.token_match;
    let is_meant = |name: AgentName<'_>| match name {
        AgentName::Everyone | AgentName::Nobody => true,
        AgentName::Token(_) => name.is_token(viewpoint.token.compared(how)),
    };
    let whole = |name: &str| is_meant(AgentName::new(name.trim().as_bytes(), how));
    statement.agent.as_deref().is_none_or(|agents| {
        agents.split(',').any(whole) || listed_names(agents.as_bytes()).any(is_meant)
    })
}
