//! `robots_lines`: the lines of each distinct robots.txt, by default the unusual ones: not user-agent, Allow,
//! Disallow and Sitemap; at most 4,096 of a body, then one row that counts the others.

use super::columns::{BODY, BodyKey, append_body};
use super::{Rows, Table};
use crate::robots::{Managed, Record};
use crate::web::column::Column;
use crate::web::shown::{beginning, shown};

const OWN: &[Column] = &[
    Column::int32("line", "line, from 1; CR, LF and CRLF end lines"),
    Column::int32("group", "number of its group, from 1; NULL before the first group").or_null(),
    Column::texts(
        "agents",
        "names in that group's user-agent lines as written, up to 1 KiB",
    ),
    Column::text("key", "name in lower case"),
    Column::text("key_raw", "name as written"),
    Column::boolean("known", "whether RFC 9309 or a system that crawlprefs reads defines the name"),
    Column::text("path", "path of the rule or statement, where its system has one").or_null(),
    Column::text("value", "value, at most 1 KiB"),
    Column::boolean("valid", "whether its system reads it without a defect; NULL if no system reads the name")
        .or_null(),
    Column::text("managed_by", "vendor whose managed text has the line; NULL: the site's own text").or_null(),
    Column::text(
        "managed_as",
        "kind of Cloudflare's block that has the line: managed_content, bot_preference_sync; NULL: neither",
    )
    .or_null(),
    Column::text(
        "defect",
        "too_many: the row counts the lines of the body that have no row, from this line on, and value is their number; else NULL",
    )
    .or_null(),
];

/// The most lines of one body that are rows.
pub const MAX_LINES: usize = 4096;

/// `robots_lines`
pub static ROBOTS_LINES: Table = Table {
    name: "robots_lines",
    folder: "robots_lines",
    row: "distinct robots.txt body and unusual line, or any line with --tables +robots_lines_full; at most 4,096 of a body, then one row counts the others",
    columns: || vec![BODY, OWN],
};

/// What a system reads in a line.
#[derive(Clone, Copy, Debug)]
pub struct LineReading<'a> {
    /// The path of its statement.
    pub path: Option<&'a [u8]>,
    /// Whether it has no defect.
    pub valid: bool,
}

/// Appends the row of a line of a body; `agents` are those of its group, `reading` is what a system reads in it,
/// `managed` the vendor's text that has it.
pub fn append(
    rows: &mut Rows,
    body: BodyKey<'_>,
    record: &Record<'_>,
    agents: &[String],
    reading: Option<LineReading<'_>>,
    managed: Option<&Managed<'_>>,
) {
    let cells = rows.row();
    append_body(cells, body);
    cells.int32("line", record.line);
    cells.int32_or_null("group", record.group.map(|group| group + 1));
    cells.texts("agents", agents.iter().map(String::as_str));
    cells.text("key", shown(&beginning(record.name).to_ascii_lowercase()));
    cells.text("key_raw", shown(beginning(record.name)));
    cells.boolean("known", reading.is_some());
    let path = reading.and_then(|reading| reading.path);
    cells.text_or_null("path", path.map(|path| shown(beginning(path))));
    cells.text("value", shown(beginning(record.value)));
    cells.boolean_or_null("valid", reading.map(|reading| reading.valid));
    cells.text_or_null("managed_by", managed.map(|lines| lines.vendor));
    cells.text_or_null("managed_as", managed.and_then(|lines| lines.block));
    cells.null("defect");
}

/// Appends the row that counts the lines of a body which are not rows, from `line` on.
pub fn append_count(rows: &mut Rows, body: BodyKey<'_>, line: u32, count: usize) {
    let cells = rows.row();
    append_body(cells, body);
    cells.int32("line", line);
    cells.nulls_before("agents");
    cells.texts("agents", []);
    cells.text("key", "");
    cells.text("key_raw", "");
    cells.boolean("known", false);
    cells.nulls_before("value");
    cells.text("value", count.to_string());
    cells.nulls_before("defect");
    cells.text_or_null("defect", Some("too_many"));
}
