//! `robots_lints`: what is odd in each distinct robots.txt.

use super::Table;
use crate::web::column::Column;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("body_digest", "body, key to site_files"),
    Column::text("lint", "name of what is odd, see docs/lints.md"),
    Column::int32("line", "first line that has it, from 1; 1 where the whole file has it"),
    Column::int32("line_count", "lines that have it"),
];

/// `robots_lints`
pub static ROBOTS_LINTS: Table = Table {
    name: "robots_lints",
    folder: "robots_lints",
    row: "distinct robots.txt body and lint",
    columns: || vec![COLUMNS],
};
