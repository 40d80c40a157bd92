//! The columns of verdicts, for Parquet and for JSON lines.
//!
//! Example: `prefs_access`, `prefs_disallowed_agents`, `prefs_train_ai`.

use super::verdict::Verdict;
use crate::systems::Label;
use crate::tables::{Rows, Table};
use crate::verdict::Resolver;
use crate::web::column::Column;
use arrow_array::RecordBatch;
use std::io::{self, Write};
use std::sync::Arc;

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
        "record: the row of pages with the document's id or place; site: the site's files, by URL and date; none: nothing is known of the site then",
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

/// Returns the columns of verdicts.
pub fn batch(verdicts: &[Arc<Verdict>], resolver: &Resolver) -> io::Result<RecordBatch> {
    let mut rows = Rows::new(&JUDGED);
    for verdict in verdicts {
        let cells = rows.row();
        cells.text("prefs_access", verdict.access.as_str());
        let disallowed = verdict.disallowed.as_ref().map(|tokens| resolver.written(tokens));
        cells.texts_or_null("prefs_disallowed_agents", disallowed);
        cells.text("prefs_robots_state", &verdict.robots_state);
        for (preference, column) in verdict.labels.iter().zip(label_columns()) {
            cells.text(column, preference.as_str());
        }
        cells.text("prefs_source", verdict.source.as_str());
        cells.texts("prefs_unread", verdict.unread.iter().map(AsRef::as_ref));
        cells.text("prefs_reason", &verdict.reason);
    }
    rows.finish()
}

/// Returns the columns of the labels, by [`Label::ALL`].
fn label_columns() -> impl Iterator<Item = &'static str> {
    let is_label =
        |name: &&str| name.strip_prefix(OWN_PREFIX).is_some_and(|name| Label::named(name).is_some());
    COLUMNS.iter().map(|column| column.name).filter(is_label)
}

/// Writes a verdict as the last members of a JSON object, under these names, without the braces.
pub fn write_members(
    verdict: &Verdict,
    resolver: &Resolver,
    names: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let disallowed = verdict.disallowed.as_ref().map(|tokens| resolver.written(tokens));
    let [access, agents, state, search, train_ai, train_genai, ai_input, tdm, source, unread, reason] = names
    else {
        return Err(io::Error::other("the columns of verdicts and their names differ"));
    };
    member(access, &verdict.access.as_str(), out)?;
    out.write_all(b",")?;
    member(agents, &disallowed, out)?;
    out.write_all(b",")?;
    member(state, &verdict.robots_state, out)?;
    for (preference, name) in verdict.labels.iter().zip([search, train_ai, train_genai, ai_input, tdm]) {
        out.write_all(b",")?;
        member(name, &preference.as_str(), out)?;
    }
    out.write_all(b",")?;
    member(source, &verdict.source.as_str(), out)?;
    out.write_all(b",")?;
    member(unread, &verdict.unread, out)?;
    out.write_all(b",")?;
    member(reason, &verdict.reason, out)
}

fn member(name: &str, value: &impl serde::Serialize, out: &mut impl Write) -> io::Result<()> {
    write!(out, "\"{name}\":")?;
    serde_json::to_writer(out, value).map_err(io::Error::other)
}
