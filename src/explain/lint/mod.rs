//! What is read of a site's file or of a page's fields, line by line, and how to write what was meant.
//!
//! Example: nobody reads `Deny: /` in a robots.txt; `Disallow: /` is what was meant.
//! The findings are the lints of robots.txt (docs/lints.md), and what the account says of every other line, field and meta: its
//! defect, or that it is a doubt (RULES ACCT). So a new system is linted without a line here.
//! Left out: where the files come from, and how findings are printed, which the command does.

mod codes;
mod rewrite;
mod said;
mod uses;
mod words;

pub use codes::Severity;
pub use said::{FileSays, SaidLabel, UnknownAgent, said};

use crate::robots::{Extent, ParseLimit, RobotsTxt, VendorTexts};
use crate::systems::{FileBody, Source, Statement};
use crate::verdict::Resolver;
use crate::verdict::account::{AccountedStatement, each_statement, near_misses, unknown_lines};
use crate::verdict::site::linted_lines;
use crate::web::capture_kind::{CaptureKind, FileForm};
use crate::web::field::Field;
use crate::web::lines::{numbered_lines, offset_in};
use crate::web::shown::shown;
use codes::{AGENT_NEAR_MISS, NEAR_MISS, UNKNOWN_NAME, UNREADABLE};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most findings of one source; any number of this size.
pub const MAX_FINDINGS: usize = 1000;

/// Something in a file that nobody reads, that few read, or that is read in another way than it was meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LintFinding {
    /// The line, from 1.
    pub line: u32,
    /// The first column of what is meant, in bytes from 1.
    pub column: u32,
    pub severity: Severity,
    /// Its code, as in docs/lints.md.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The line without outer white space, as far as it can be shown.
    pub text: String,
    /// The line or lines to write in its place, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
}

/// A header field or meta with its place in the file or list that has it.
#[derive(Clone, Copy, Debug)]
pub struct PlacedField<'a> {
    pub field: Field<'a>,
    pub line: u32,
    /// The line, or the part of it, that has the field.
    pub text: &'a [u8],
}

/// Returns whether a line of a robots.txt was meant as a Disallow line, but has another name: `Deny: /`.
#[cfg(feature = "tables")]
pub(crate) fn is_lost_disallow(record: &crate::robots::RobotsRecord<'_>) -> bool {
    record.kind == crate::robots::LineKind::Other
        && rewrite::written(UNKNOWN_NAME, record.text, None)
            .is_some_and(|line| line.starts_with("Disallow:"))
}

/// Returns the lines of a site file that nobody reads, or that say something else than they seem to say; of robots.txt without
/// rules that are read.
#[cfg(feature = "tables")]
pub(crate) fn not_understood(
    kind: CaptureKind,
    file: &[u8],
    resolver: &Resolver,
) -> Vec<LintFinding> {
    let mut findings = Findings::of_lines(file);
    if kind.read_as() == CaptureKind::Robots {
        let robots = RobotsTxt::parse(file);
        findings.add_near_misses(&robots);
        findings.add_statements(&Source::Robots(&robots), resolver);
    } else {
        let body = FileBody {
            bytes: file,
            extent: Extent::Whole,
        };
        findings.add_lines_of(kind, body, resolver);
    }
    let is_error = |finding: &LintFinding| finding.severity == Severity::Error;
    findings.in_order().into_iter().filter(is_error).collect()
}

/// Lints a site file, by line.
pub fn lint_file(kind: CaptureKind, file: &[u8], resolver: &Resolver) -> Vec<LintFinding> {
    let body = FileBody {
        bytes: file,
        extent: Extent::Whole,
    };
    lint_body(kind, body, resolver)
}

/// Lints a site file that may be cut.
pub(super) fn lint_body(
    kind: CaptureKind,
    body: FileBody<'_>,
    resolver: &Resolver,
) -> Vec<LintFinding> {
    if kind.read_as() == CaptureKind::Robots {
        let robots = RobotsTxt::parse_within(body.bytes, body.extent, ParseLimit::default());
        return lint_robots(&robots, &VendorTexts::bundled(), resolver);
    }
    let mut findings = Findings::of_lines(body.bytes);
    findings.add_lines_of(kind, body, resolver);
    findings.in_order()
}

/// Lints a robots.txt, by line.
pub(super) fn lint_robots(
    robots: &RobotsTxt,
    vendors: &VendorTexts,
    resolver: &Resolver,
) -> Vec<LintFinding> {
    let mut findings = Findings::of_lines(robots.bytes());
    if robots.is_unreadable() {
        findings.add(1, UNREADABLE, Some(Severity::Error), None);
        return findings.in_order();
    }
    for (line, lint) in linted_lines(robots, &vendors.find(robots), resolver) {
        findings.add(line, lint.as_str(), None, None);
    }
    findings.add_statements(&Source::Robots(robots), resolver);
    for agent in said::unknown_agents(robots, &resolver.tokens)
        .iter()
        .filter(|agent| agent.meant.is_some())
    {
        findings.add_agent(agent);
    }
    findings.in_order()
}

/// Returns whether a finding is about a robots.txt as a whole; its line is then the first one that shows it.
pub(super) fn of_whole_file(code: &str) -> bool {
    codes::of_whole_file(code)
}

/// Returns whether what to write for a user-agent line names a crawler.
pub(super) fn names_agent(finding: &LintFinding, token: &str) -> bool {
    let mut written = finding.write.iter().flat_map(|write| write.lines());
    written.any(|line| {
        line.strip_prefix("User-agent: ")
            .is_some_and(|name| name.eq_ignore_ascii_case(token))
    })
}

/// Lints the header fields and metas of a page.
pub fn lint_fields(fields: &[PlacedField<'_>], resolver: &Resolver) -> Vec<LintFinding> {
    let all: Vec<Field<'_>> = fields.iter().map(|placed| placed.field).collect();
    let mut findings = Findings {
        lines: fields.iter().map(|placed| placed.text).collect(),
        ..Findings::default()
    };
    let places: Vec<u32> = fields.iter().map(|placed| placed.line).collect();
    each_statement(
        &Source::Record(&all),
        &resolver.viewpoint,
        &mut |accounted| {
            let statement = accounted.statement;
            let place = all.iter().position(|field| {
                field.carrier.as_str() == statement.carrier && is_part_of(statement.raw, field)
            });
            let number = place.map_or(1, |place| u32::try_from(place + 1).unwrap_or(u32::MAX));
            findings.add_statement(number, accounted);
        },
    );
    let mut found = findings.in_order();
    for finding in &mut found {
        finding.line = places
            .get((finding.line as usize).saturating_sub(1))
            .copied()
            .unwrap_or(1);
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// Whether the bytes of a statement are those of a field, its name or its value.
fn is_part_of(raw: &[u8], field: &Field<'_>) -> bool {
    let is_in = |whole: &[u8]| {
        let at = offset_in(whole, raw);
        whole.as_ptr() <= raw.as_ptr() && at + raw.len() <= whole.len()
    };
    is_in(field.value) || is_in(field.name.as_bytes()) || raw == field.value
}

/// The findings of one source, by line and code.
#[derive(Default)]
struct Findings<'f> {
    lines: Vec<&'f [u8]>,
    found: BTreeMap<(u32, &'static str), LintFinding>,
}

impl<'f> Findings<'f> {
    fn of_lines(file: &'f [u8]) -> Self {
        Self {
            lines: numbered_lines(file).map(|(_, line)| line).collect(),
            ..Self::default()
        }
    }

    /// Adds a finding, once for a line and code; the graver one counts. Without a severity the code has its own.
    fn add(
        &mut self,
        line: u32,
        code: &'static str,
        severity: Option<Severity>,
        statement: Option<&Statement<'_>>,
    ) {
        let text = self
            .lines
            .get((line as usize).saturating_sub(1))
            .copied()
            .unwrap_or_default();
        if self.found.len() >= MAX_FINDINGS && !self.found.contains_key(&(line, code)) {
            return;
        }
        let severity = severity.unwrap_or_else(|| codes::severity(code));
        let make = || {
            let part = statement
                .and_then(|statement| part_of(text, statement))
                .unwrap_or_else(|| text.trim_ascii());
            LintFinding {
                line,
                column: u32::try_from(offset_in(text, part) + 1).unwrap_or(1),
                severity,
                code,
                message: codes::message(code, statement),
                text: shown(text.trim_ascii()).into_owned(),
                write: rewrite::written(code, text, statement),
            }
        };
        let known = self.found.entry((line, code)).or_insert_with(make);
        known.severity = known.severity.max(severity);
    }

    fn add_near_misses(&mut self, robots: &RobotsTxt) {
        for miss in near_misses(robots) {
            self.add(miss.line, NEAR_MISS, None, None);
        }
    }

    /// Adds what is found in a file other than robots.txt.
    fn add_lines_of(&mut self, kind: CaptureKind, body: FileBody<'_>, resolver: &Resolver) {
        if kind.form() == Some(FileForm::Groups) {
            self.add_near_misses(&RobotsTxt::parse(body.bytes));
        }
        self.add_statements(&Source::SiteFile(kind, body), resolver);
    }

    fn add_statements(&mut self, source: &Source<'_>, resolver: &Resolver) {
        each_statement(source, &resolver.viewpoint, &mut |accounted| {
            let line = accounted.statement.line.unwrap_or(1);
            self.add_statement(line, accounted);
        });
        unknown_lines(source, &resolver.viewpoint, &mut |line| {
            if !self.found.keys().any(|(known, _)| *known == line) {
                let text = self
                    .lines
                    .get((line as usize).saturating_sub(1))
                    .copied()
                    .unwrap_or_default();
                let is_lost = rewrite::is_meant_as_known(text);
                self.add(line, UNKNOWN_NAME, is_lost.then_some(Severity::Error), None);
            }
        });
    }

    /// Adds what the account says about a statement: its defect, or that it may be a no and is not understood.
    fn add_statement(&mut self, line: u32, accounted: &AccountedStatement<'_>) {
        let statement = accounted.statement;
        let code = match (statement.defect, accounted.is_doubt) {
            (Some(defect), _) => codes::of_defect(defect),
            (None, true) => codes::DOUBT,
            (None, false) => return,
        };
        if accounted.is_doubt {
            // A graver finding of the line says what to write.
            match self
                .found
                .range_mut((line, "")..=(line, "\u{7F}"))
                .find(|(_, one)| one.write.is_some())
            {
                Some((_, known)) => known.severity = Severity::Error,
                None => self.add(line, code, Some(Severity::Error), Some(statement)),
            }
        } else if let Some(severity) = codes::severity_of_defect(code) {
            self.add(line, code, Some(severity), Some(statement));
        }
    }

    /// Adds a name in a user-agent line that is nearly one that a vendor documents.
    fn add_agent(&mut self, agent: &UnknownAgent) {
        self.add(agent.line, AGENT_NEAR_MISS, None, None);
        if let Some(finding) = self.found.get_mut(&(agent.line, AGENT_NEAR_MISS)) {
            finding.write = agent
                .meant
                .as_ref()
                .map(|meant| format!("User-agent: {meant}"));
        }
    }

    /// Returns the findings by line; of two codes for one fault the one that says more.
    fn in_order(mut self) -> Vec<LintFinding> {
        for (more, less) in codes::SAYS_MORE {
            let lines: Vec<u32> = self
                .found
                .keys()
                .filter(|(_, code)| *code == more)
                .map(|(line, _)| *line)
                .collect();
            for line in lines {
                let known = self
                    .found
                    .remove(&(line, less))
                    .map(|finding| finding.severity);
                if let (Some(severity), Some(finding)) = (known, self.found.get_mut(&(line, more)))
                {
                    finding.severity = finding.severity.max(severity);
                }
            }
        }
        self.found.into_values().collect()
    }
}

/// Returns the part of a line that a statement is about: its key, or its text.
fn part_of<'l>(line: &'l [u8], statement: &Statement<'_>) -> Option<&'l [u8]> {
    let part = statement
        .key
        .filter(|key| !key.is_empty())
        .unwrap_or(statement.raw);
    let at = memchr::memmem::find(line, part)?;
    line.get(at..at + part.len())
}
