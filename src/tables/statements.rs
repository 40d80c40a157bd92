//! `statements`: every statement of preference, in its own system's words.

use super::Table;
use super::columns::{URL, WHERE};
use crate::web::column::Column;

const OWN: &[Column] = &[
    Column::text("body_digest", "site file that states it, key to site_files; NULL for a record's own")
        .or_null(),
    Column::text("system", "system of preferences"),
    Column::text("vocabulary", "vocabulary it was read by").or_null(),
    Column::text("carrier", "robots, header, meta, http_equiv, or the site file"),
    Column::text(
        "agent",
        "product tokens of its group as written, joined by comma and blank, at most 1 KiB; or the application; * for all",
    )
    .or_null(),
    Column::text("path", "path pattern it is for").or_null(),
    Column::text("key", "key as written").or_null(),
    Column::text("value", "value as written, at most 1 KiB").or_null(),
    Column::text("category", "category of use in the system's vocabulary").or_null(),
    Column::text("preference", "allow, disallow, unknown").or_null(),
    Column::boolean("valid", "whether it parses"),
    Column::text("defect", "what is wrong with it").or_null(),
    Column::int32("line", "line of the site file, from 1").or_null(),
    Column::text(
        "managed_by",
        "vendor in whose managed text the line stands; NULL: the site's own, or no robots.txt",
    )
    .or_null(),
    Column::text("raw", "as received, at most 1 KiB"),
    Column::int64("raw_bytes", "bytes of the whole"),
];

/// `statements`
pub static STATEMENTS: Table = Table {
    name: "statements",
    folder: "statements",
    row: "statement of preference: of a record, or once per distinct site file",
    columns: || vec![WHERE_OR_SITE, URL_OR_SITE, OWN],
};

/// As in other tables, but a site file's statement stands nowhere in particular.
const WHERE_OR_SITE: &[Column] = &{
    let mut columns = [WHERE[0], WHERE[1], WHERE[2], WHERE[3], WHERE[4], WHERE[5], WHERE[6]];
    let mut at = 0;
    while at < columns.len() {
        columns[at] = columns[at].or_null();
        at += 1;
    }
    columns
};

const URL_OR_SITE: &[Column] = &{
    let mut columns = [URL[0], URL[1], URL[2], URL[3], URL[4], URL[5], URL[6], URL[7], URL[8]];
    columns[0] = columns[0].or_null();
    columns
};
