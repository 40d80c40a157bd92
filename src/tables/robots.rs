//! `robots`: one row per robots.txt capture.

use super::Table;
use super::columns::{URL, WHAT, WHERE};
use crate::verdict::site::line_columns;
use crate::web::column::Column;

const OWN: &[Column] = &[
    Column::text("robots_origin", "origin that it speaks for: scheme, host, port").or_null(),
    Column::text(
        "outcome",
        "parsed, not_text, unavailable, unreachable, redirect, other_status, body_missing",
    ),
    Column::text("body_digest", "body, key to the site tables").or_null(),
    Column::int64("bytes", "bytes of the body").or_null(),
    Column::int32("group_count", "groups").or_null(),
    Column::int32("agent_count", "distinct names of user-agent lines, * included").or_null(),
    Column::int32("rule_count", "allow and disallow lines in groups that are not empty").or_null(),
    Column::int32("bad_line_count", "lines that could not be read").or_null(),
    Column::text("managed_by", "vendors whose text it holds, joined by comma and blank; NULL: none is known")
        .or_null(),
];

const LINTS: &[Column] =
    &[Column::texts("lints", "names of what is odd in it, see docs/lints.md; NULL without a file").or_null()];

fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![WHERE, URL, WHAT, OWN];
    groups.extend(line_columns().map(std::slice::from_ref));
    groups.push(LINTS);
    groups
}

/// `robots`
pub static ROBOTS: Table = Table { name: "robots", folder: "robots", row: "robots.txt capture", columns };
