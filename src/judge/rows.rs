//! Verdicts as rows of an Arrow batch, and as members of JSON objects.
//!
//! Example: `"prefs_access":"allow","prefs_disallowed_agents":["GPTBot"]` and so on, without the braces of the object.

use super::added::Added;
use super::columns::{Cell, CellContext};
use super::verdict::Verdict;
use crate::tables::Cells;
use arrow_array::RecordBatch;
use std::io::{self, Write};
use std::sync::Arc;

/// Returns the columns of verdicts.
pub fn batch(verdicts: &[Arc<Verdict>], context: &CellContext<'_>, added: &Added) -> io::Result<RecordBatch> {
    let mut cells = Cells::new(added.columns().map(|column| column.column), verdicts.len());
    for verdict in verdicts {
        cells.begin_row();
        for column in added.columns() {
            let name = column.column.name;
            match (column.cell)(verdict.at(column.time), context) {
                Cell::Text(text) => cells.text(name, text),
                Cell::TextOrNull(text) => cells.text_or_null(name, text),
                Cell::Texts(texts) => cells.texts(name, texts),
                Cell::TextsOrNull(texts) => cells.texts_or_null(name, texts),
                Cell::NumberOrNull(number) => cells.int32_or_null(name, number),
                Cell::TimeOrNull(time) => cells.timestamp_or_null(name, time),
            }
        }
    }
    RecordBatch::try_new(Arc::clone(added.schema()), cells.finish()?).map_err(io::Error::other)
}

/// Writes a verdict as the last members of a JSON object, without the braces.
pub fn write_members(
    verdict: &Verdict,
    context: &CellContext<'_>,
    added: &Added,
    out: &mut impl Write,
) -> io::Result<()> {
    // The output takes long pieces faster than many short ones.
    let mut text = Vec::with_capacity(1024);
    for (number, column) in added.columns().enumerate() {
        text.extend_from_slice(if number > 0 { b",\"" } else { b"\"" });
        text.extend_from_slice(column.name.as_bytes());
        text.extend_from_slice(b"\":");
        match (column.cell)(verdict.at(column.time), context) {
            Cell::Text(value) => serde_json::to_writer(&mut text, value),
            Cell::TextOrNull(value) => serde_json::to_writer(&mut text, &value),
            Cell::Texts(values) => serde_json::to_writer(&mut text, &values),
            Cell::TextsOrNull(values) => serde_json::to_writer(&mut text, &values),
            Cell::NumberOrNull(number) => serde_json::to_writer(&mut text, &number),
            Cell::TimeOrNull(time) => serde_json::to_writer(&mut text, &time.map(|time| time.to_string())),
        }
        .map_err(io::Error::other)?;
    }
    out.write_all(&text)
}
