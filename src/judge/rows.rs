//! Verdicts as rows of an Arrow batch, and as members of JSON objects.
//!
//! Example: `"prefs_access":"allow","prefs_disallowed_agents":["GPTBot"]` and so on, without the braces of the object.

use super::added::Added;
use super::columns::{COLUMNS, JUDGED, OWN_PREFIX};
use super::verdict::Verdict;
use crate::systems::Label;
use crate::tables::Rows;
use crate::verdict::Resolver;
use arrow_array::RecordBatch;
use std::io::{self, Write};
use std::sync::Arc;

/// Returns the columns of verdicts, for each time that has some.
pub fn batch(verdicts: &[Arc<Verdict>], resolver: &Resolver, added: &Added) -> io::Result<RecordBatch> {
    let mut arrays = Vec::new();
    for (time, _) in added.names().enumerate() {
        arrays.extend(batch_at(verdicts, time, resolver)?.columns().iter().cloned());
    }
    RecordBatch::try_new(Arc::new(added.schema()), arrays).map_err(io::Error::other)
}

fn batch_at(verdicts: &[Arc<Verdict>], time: usize, resolver: &Resolver) -> io::Result<RecordBatch> {
    let mut rows = Rows::new(&JUDGED);
    for verdict in verdicts {
        let verdict = verdict.at(time);
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

/// Writes a verdict as the last members of a JSON object, for each time that has some, without the braces.
pub fn write_members(
    verdict: &Verdict,
    resolver: &Resolver,
    added: &Added,
    out: &mut impl Write,
) -> io::Result<()> {
    for (time, names) in added.names().enumerate() {
        if time > 0 {
            out.write_all(b",")?;
        }
        write_members_at(verdict.at(time), resolver, names, out)?;
    }
    Ok(())
}

fn write_members_at(
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
