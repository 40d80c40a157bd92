//! What `lint` finds on the lines and fields that matter for a page.
//!
//! Example: `Disallow: private` in the group of the crawler, with how to write it; the same line in the group of another crawler
//! is left out. The findings are those of [`lint`](super::lint), with their codes: there is no second list.
//! Left out: files that do not count for the page, such as older copies.

use super::lint::{
    LintFinding, PlacedField, Severity, lint_body, lint_fields, lint_robots, names_agent,
    of_whole_file,
};
use super::robots_lines::{MAX_LINES, RobotsText};
use super::systems::{DoubtCitation, Sources};
use crate::robots::VendorTexts;
use crate::verdict::Resolver;
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, Field};
use serde::Serialize;

/// A finding of `lint` that matters for a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageLint {
    pub carrier: &'static str,
    /// The line of the site file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The name of the header field or meta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub severity: Severity,
    /// Its code, as in docs/lints.md.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The line or field as far as it can be shown.
    pub text: String,
    /// What to write in its place, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
}

/// The findings that matter for a page, the graver ones first.
#[derive(Debug, Default)]
pub struct PageLints {
    pub listed: Vec<PageLint>,
    /// How many there are: the list is cut.
    pub count: usize,
}

impl PageLint {
    fn on_line(kind: CaptureKind, finding: LintFinding) -> Self {
        let line = Some(finding.line);
        Self {
            line,
            ..Self::of(kind.as_str(), finding)
        }
    }

    fn of(carrier: &'static str, finding: LintFinding) -> Self {
        Self {
            carrier,
            line: None,
            name: None,
            severity: finding.severity,
            code: finding.code,
            message: finding.message,
            text: finding.text,
            write: finding.write,
        }
    }
}

pub(super) fn page_lints(
    sources: &Sources<'_>,
    doubts: &[DoubtCitation],
    vendors: &VendorTexts,
    resolver: &Resolver,
) -> PageLints {
    let mut listed = Vec::new();
    if let Some(file) = sources.file {
        listed.extend(of_robots(file, doubts, vendors, resolver));
    }
    for (kind, body) in sources.copies {
        let found = lint_body(*kind, *body, resolver);
        listed.extend(
            found
                .into_iter()
                .map(|finding| PageLint::on_line(*kind, finding)),
        );
    }
    listed.extend(of_fields(sources.fields, resolver));
    let count = listed.len();
    listed.sort_by_key(|lint| std::cmp::Reverse(lint.severity));
    listed.truncate(MAX_LINES);
    PageLints { listed, count }
}

/// Lints the lines of robots.txt that the crawler obeys, those in doubt, those that nobody can read, and the file as a whole.
fn of_robots(
    file: &RobotsText<'_>,
    doubts: &[DoubtCitation],
    vendors: &VendorTexts,
    resolver: &Resolver,
) -> Vec<PageLint> {
    let (robots, selection) = (file.site().robots, file.site().selection);
    let token = resolver.viewpoint.token.as_str();
    let is_doubted = |line: u32| {
        let mut citations = doubts.iter().map(|doubt| &doubt.citation);
        citations.any(|one| one.carrier == CaptureKind::Robots.as_str() && one.line == Some(line))
    };
    let matters = |finding: &LintFinding| {
        if of_whole_file(finding.code) || names_agent(finding, token) || is_doubted(finding.line) {
            return true;
        }
        match robots.record_on(finding.line).map(|record| record.group) {
            Some(Some(group)) => selection.groups().any(|own| own == group),
            // It is in no group: a lost rule may have been meant for this crawler.
            Some(None) | None => finding.severity == Severity::Error,
        }
    };
    lint_robots(robots, vendors, resolver)
        .into_iter()
        .filter(matters)
        .map(|finding| PageLint::on_line(CaptureKind::Robots, finding))
        .collect()
}

/// Lints the header fields and metas of the page.
fn of_fields(fields: &[Field<'_>], resolver: &Resolver) -> Vec<PageLint> {
    let texts: Vec<Vec<u8>> = fields.iter().map(as_written).collect();
    let placed: Vec<PlacedField<'_>> = (1..)
        .zip(fields.iter().zip(&texts))
        .map(|(line, (field, text))| PlacedField {
            field: *field,
            line,
            text,
        })
        .collect();
    lint_fields(&placed, resolver)
        .into_iter()
        .filter_map(|finding| {
            let field = fields.get(finding.line.checked_sub(1)? as usize)?;
            Some(PageLint {
                name: Some(field.name.to_owned()),
                ..PageLint::of(field.carrier.as_str(), finding)
            })
        })
        .collect()
}

/// Returns a field as it is given to `lint`: `name: value`, or `name=content` for a meta.
fn as_written(field: &Field<'_>) -> Vec<u8> {
    let between: &[u8] = if field.carrier == Carrier::Header {
        b": "
    } else {
        b"="
    };
    [field.name.as_bytes(), between, field.value].concat()
}
