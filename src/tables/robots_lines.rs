//! `robots_lines`: the lines of each distinct robots.txt, by default the unusual ones: not user-agent, Allow,
//! Disallow and Sitemap.

use super::Table;
use crate::web::column::Column;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("body_digest", "body, key to site_files"),
    Column::int32("line", "line, from 1; CR, LF and CRLF end lines"),
    Column::int32("group", "group it stands in, from 1; NULL before the first").or_null(),
    Column::texts(
        "agents",
        "names of that group's user-agent lines as written, as many as are no more than 1 KiB",
    ),
    Column::text("key", "name in lower case"),
    Column::text("key_raw", "name as written"),
    Column::boolean("known", "whether RFC 9309 or a system that is read here has the name"),
    Column::text("path", "path of the rule or statement, where its system has one").or_null(),
    Column::text("value", "value, at most 1 KiB"),
    Column::boolean("valid", "whether its system reads it without a defect; NULL where none reads the name")
        .or_null(),
];

/// `robots_lines`
pub static ROBOTS_LINES: Table = Table {
    name: "robots_lines",
    folder: "robots_lines",
    row: "distinct robots.txt body and unusual line, or any line with --tables +robots_lines_full",
    columns: || vec![COLUMNS],
};
