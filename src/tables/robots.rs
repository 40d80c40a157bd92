//! `robots`: one row per robots.txt capture.

use super::columns::{URL, WHAT, WHERE};
use super::{Rows, Table};
use crate::verdict::site::{Outcome, SiteFacts, line_columns};
use crate::web::column::Column;

const OWN: &[Column] = &[
    Column::text("robots_origin", "origin that it applies to: scheme, host, port").or_null(),
    Column::text(
        "outcome",
        "parsed, not_text (a page of HTML), unavailable, unreachable, redirect, other_status, unreadable (not text, or in a coding that cannot be undone), body_missing",
    ),
    Column::text("body_digest", "body, key to the site tables").or_null(),
    Column::int64("bytes", "bytes of the body").or_null(),
    Column::int32("group_count", "groups").or_null(),
    Column::int32("agent_count", "distinct names of user-agent lines, * included").or_null(),
    Column::int32("rule_count", "allow and disallow lines in groups that are not empty").or_null(),
    Column::int32("bad_line_count", "lines that could not be read").or_null(),
    Column::text("managed_by", "vendors whose text it holds, joined by comma and blank; NULL: none is known")
        .or_null(),
    Column::text(
        "managed_as",
        "kinds of Cloudflare's blocks that it holds, likewise: managed_content, bot_preference_sync; NULL: none",
    )
    .or_null(),
    Column::text(
        "agents_fingerprint",
        "identifies the set of agents that it has groups for, without *: files with the same fingerprint are often one decision, of a publishing group or a plug-in; NULL: it names no agent",
    )
    .or_null(),
];

const LINTS: &[Column] =
    &[Column::texts("lints", "names of its lints, see docs/lints.md; NULL without a file").or_null()];

fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![WHERE, URL, WHAT, OWN];
    groups.extend(line_columns().map(std::slice::from_ref));
    groups.push(LINTS);
    groups
}

/// `robots`
pub static ROBOTS: Table = Table { name: "robots", folder: "robots", row: "robots.txt capture", columns };

/// What a row of `robots` holds but for the columns that it shares with `captures`.
pub struct RobotsRow<'a> {
    /// The site that it is of; `None` where its URL cannot be read.
    pub origin: Option<&'a str>,
    /// What came of it.
    pub outcome: Outcome,
    /// The key of its body, where one was kept.
    pub body_digest: Option<&'a str>,
    /// How long that is, where it is the file.
    pub bytes: Option<u32>,
    /// What it holds, where it can be read.
    pub facts: Option<&'a SiteFacts>,
}

/// Appends the row of a capture, by its row in the slice.
pub fn append(rows: &mut Rows, capture: usize, row: &RobotsRow<'_>) {
    let facts = row.facts;
    let cells = rows.row_of_capture(capture);
    cells.text_or_null("robots_origin", row.origin);
    cells.text("outcome", row.outcome.as_str());
    cells.text_or_null("body_digest", row.body_digest);
    cells.int64_or_null("bytes", row.bytes);
    cells.int32_or_null("group_count", facts.map(|facts| facts.group_count));
    cells.int32_or_null("agent_count", facts.map(|facts| facts.agent_count));
    cells.int32_or_null("rule_count", facts.map(|facts| facts.rule_count));
    cells.int32_or_null("bad_line_count", facts.map(|facts| facts.bad_line_count));
    cells.text_or_null("managed_by", facts.and_then(|facts| facts.managed_by.as_deref()));
    cells.text_or_null("managed_as", facts.and_then(|facts| facts.managed_as.as_deref()));
    let fingerprint = facts.and_then(|facts| facts.agents_fingerprint);
    cells.text_or_null("agents_fingerprint", fingerprint.map(|hash| format!("{hash:016x}")));
    let mut has_lines = facts.map(SiteFacts::has_lines);
    for column in line_columns() {
        cells.boolean_or_null(column.name, has_lines.as_mut().and_then(Iterator::next));
    }
    cells.texts_or_null("lints", facts.map(|facts| facts.lints.iter().map(|finding| finding.lint.as_str())));
}
