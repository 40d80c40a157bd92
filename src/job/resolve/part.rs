//! The parts of a batch, and its manifest, which is written after them.

use super::Work;
use super::tally::ResolveTally;
use crate::runs::{BatchManifest, BatchName, MadeOf, PartEntry, write_json};
use crate::store::Store;
use crate::tables::{PartWriter, Table};
use arrow_array::RecordBatch;
use std::io;

const GROUP_ROWS: usize = 1 << 16;

/// A part of a table, being written if the table is chosen.
pub struct Part {
    file: String,
    writer: Option<PartWriter>,
}

impl Part {
    /// Begins a batch's part of a table, if the table is chosen.
    pub fn begin(table: &'static Table, batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        if work.tables.has(table) {
            return Self::always(table, batch, work);
        }
        Ok(Self { file: batch.part_file(table), writer: None })
    }

    /// Begins a batch's part of a table.
    pub fn always(table: &'static Table, batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        Self::of_runs(table, batch, GROUP_ROWS, work)
    }

    /// Begins a batch's part of a table with this many rows in a row group.
    pub fn of_runs(
        table: &'static Table,
        batch: &BatchName,
        group_rows: usize,
        work: &Work<'_>,
    ) -> io::Result<Self> {
        let file = batch.part_file(table);
        let writer = PartWriter::new(table, group_rows, &work.footer, work.store.create(&file)?)?;
        Ok(Self { file, writer: Some(writer) })
    }

    /// Ends a row group, if rows are wanted.
    pub fn end_group(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), PartWriter::end_group)
    }

    /// Adds rows, if they are wanted.
    pub fn write(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(rows))
    }
}

/// Ends the parts of a batch, then writes its manifest, which makes the batch whole.
pub fn commit(
    batch: &BatchName,
    made_of: MadeOf,
    tally: &ResolveTally,
    parts: impl IntoIterator<Item = Part>,
    store: &dyn Store,
) -> io::Result<()> {
    let mut entries = Vec::new();
    for Part { file, writer } in parts {
        if let Some(writer) = writer {
            entries.push(PartEntry::commit(file, writer)?);
        }
    }
    let manifest = BatchManifest { made_of, tally: tally.clone(), parts: entries };
    write_json(store, &batch.manifest_file(), &manifest)
}
