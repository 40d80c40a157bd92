//! The columns of verdicts.
//!
//! Example: `prefs_access`, `prefs_disallowed_agents`, `prefs_train_ai`.

use crate::tables::Table;
use crate::web::column::Column;

/// What the names of the columns begin with, where no other prefix is given.
pub const OWN_PREFIX: &str = "prefs_";

const fn label(name: &'static str) -> Column {
    Column::text(
        name,
        "label over all systems: allow, disallow, unknown; where source is not record, never allow",
    )
}

/// The columns that are added to documents.
pub const COLUMNS: &[Column] = &[
    Column::text(
        "prefs_access",
        "whether the product token of the tables may fetch the page, by robots.txt alone: allow, disallow, unknown",
    ),
    Column::texts(
        "prefs_disallowed_agents",
        "tokens of the agents table that may not fetch the page; NULL where robots.txt is unknown",
    )
    .or_null(),
    Column::text("prefs_robots_state", "what was known of robots.txt, as robots_state of pages"),
    label("prefs_search"),
    label("prefs_train_ai"),
    label("prefs_train_genai"),
    label("prefs_ai_input"),
    label("prefs_tdm"),
    Column::text(
        "prefs_source",
        "record: the row of pages with the document's id or place, and at another time than its own the site's files, too; site: the site's files, by URL and date; none: nothing is known of the site then",
    ),
    Column::texts(
        "prefs_unread",
        "what could not be read in full or was not seen, so that no label is allow",
    ),
    Column::text(
        "prefs_reason",
        "why access is as it is: as access_reason of pages; undated: the document has no date; archived_later: there is only a later robots.txt; url_missing, url_not_http, url_unparsable; line_too_long, url_too_long, member_repeated: it could not be judged",
    ),
];

fn columns() -> Vec<&'static [Column]> {
    vec![COLUMNS]
}

/// The columns that are added to documents, as a table.
pub static JUDGED: Table = Table { name: "judged", folder: "", row: "document", columns };
