//! `robots_lints`: what is odd in each distinct robots.txt.

use super::columns::{BODY, BodyKey, append_body};
use super::{Rows, Table};
use crate::verdict::site::Finding;
use crate::web::column::Column;

const OWN: &[Column] = &[
    Column::text("lint", "name of the lint, see docs/lints.md"),
    Column::int32("line", "first line that has it, from 1; 1 if it is about the whole file"),
    Column::int32("line_count", "lines that have it"),
];

/// `robots_lints`
pub static ROBOTS_LINTS: Table = Table {
    name: "robots_lints",
    folder: "robots_lints",
    row: "distinct robots.txt body and lint",
    columns: || vec![BODY, OWN],
};

/// Appends the row of what is odd in a body.
pub fn append(rows: &mut Rows, body: BodyKey<'_>, finding: &Finding) {
    let cells = rows.row();
    append_body(cells, body);
    cells.text("lint", finding.lint.as_str());
    cells.int32("line", finding.line);
    cells.int32("line_count", finding.count);
}
