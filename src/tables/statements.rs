//! `statements`: every statement of preference, in the words of its own system.

use super::columns::{TableBodyKey, URL, WHERE};
use super::{Rows, Table};
use crate::robots::Managed;
use crate::systems::same_field_as;
use crate::verdict::account::AccountedStatement;
use crate::web::column::Column;
use crate::web::preference::Preference;
use crate::web::shown::{beginning, shown};

cells! {
    OWN = fn append(
        cells,
        site_file: Option<(&str, u32)>,
        managed: Option<&Managed<'_>>,
        accounted: &AccountedStatement<'_>,
    ) first {
        let AccountedStatement { statement, is_doubt, .. } = *accounted;
        let cut = |bytes: Option<_>| bytes.map(|bytes| shown(beginning(bytes)));
    } {
        text_or_null("body_digest", site_file.map(|(digest, _)| digest)):
            "site file that states it, key to site_files; NULL for headers and metas",
        int64_or_null("origins", site_file.map(|(_, origins)| origins)):
            "number of origins that have it as a current site file (rows of sites with the body in files); 0 if a newer file has replaced it; NULL for headers and metas",
        text("system", statement.system):
            "system of preferences; unrecognised: no system knows the line, field or meta, and its name is about AI or it may be a no",
        text_or_null("same_field_as", same_field_as(statement.system, statement.carrier)):
            "system for which the field was written, where two documents read one field: aipref of what sup reads in Content-Usage; NULL: written for system itself; count who uses a system by these rows alone",
        text_or_null("vocabulary", statement.vocabulary): "vocabulary by which it was read",
        text("carrier", statement.carrier):
            "robots, header, meta, http_equiv, property, after_head, link, script, or the site file",
        text_or_null("agent", statement.agent.as_deref()):
            "product tokens of its group as written, joined by comma and blank, at most 1 KiB; or the application; * for all",
        text_or_null("path", cut(statement.path)): "path pattern that it applies to",
        text_or_null("key", cut(statement.key)): "key as written",
        text_or_null("value", cut(statement.value)):
            "value as written, with a member's parameters, at most 1 KiB",
        text_or_null("category", statement.category):
            "category of use in the system's vocabulary; of unrecognised ones the name, in lower case",
        text_or_null("preference", statement.preference.map(Preference::as_str)): "allow, disallow, unknown",
        boolean("valid", statement.defect.is_none()): "whether it parses",
        text_or_null("defect", statement.defect): "what is wrong with it; unrecognised: no system knows it",
        boolean("doubt", is_doubt):
            "whether it may be a no that was not understood: where it binds product_token, its carrier is in unread and no label is allow",
        int32_or_null("line", statement.line): "line of the site file, from 1",
        text_or_null("managed_by", managed.and_then(Managed::author)):
            "vendor whose managed text has the line; NULL: the site's own text, or not of robots.txt",
        text_or_null("managed_as", managed.and_then(|lines| lines.block)):
            "kind of Cloudflare's block that has the line: managed_content, bot_preference_sync, edited (managed_content that its owner changed); NULL: neither",
        text("raw", shown(beginning(statement.raw))): "as received, at most 1 KiB",
        int64("raw_bytes", statement.raw.len()): "bytes before the cut to 1 KiB",
    }
}

pub static STATEMENTS: Table = Table::new(
    "statements",
    "statement of preference: of a record, or once per distinct site file",
    || vec![WHERE_OR_SITE, URL_OR_SITE, OWN],
);

/// As in other tables, but the statement of a site file has no place of its own.
const WHERE_OR_SITE: &[Column] = &or_null([
    WHERE[0], WHERE[1], WHERE[2], WHERE[3], WHERE[4], WHERE[5], WHERE[6], WHERE[7],
]);
const URL_OR_SITE: &[Column] = &or_null([
    URL[0], URL[1], URL[2], URL[3], URL[4], URL[5], URL[6], URL[7], URL[8],
]);

const fn or_null<const N: usize>(mut columns: [Column; N]) -> [Column; N] {
    let mut at = 0;
    while at < N {
        columns[at] = columns[at].or_null();
        at += 1;
    }
    columns
}

/// Appends a statement of a capture, by the capture's row in the slice.
pub fn append_of_capture(rows: &mut Rows, capture: usize, statement: &AccountedStatement<'_>) {
    append(rows.row_of_capture(capture), None, None, statement);
}

/// Appends a statement of a site file, the number of origins that have the file, and the vendor's text that has the statement.
pub fn append_of_site_file(
    rows: &mut Rows,
    body: TableBodyKey<'_>,
    origins: u32,
    managed: Option<&Managed<'_>>,
    statement: &AccountedStatement<'_>,
) {
    let cells = rows.row();
    cells.nulls_before("warc_segment");
    cells.text_or_null("warc_segment", body.segment);
    cells.nulls_before("body_digest");
    append(cells, Some((body.digest, origins)), managed, statement);
}
