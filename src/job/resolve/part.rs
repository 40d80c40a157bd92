//! The parts of a batch, and its manifest, which is written after them.
//!
//! Also which lines and fields of one record or site file cannot be read. Two systems may read one field: `Content-Usage` is in
//! AIPREF and in SUP. A field that one of them reads in full has no defect just because the other cannot read it.

use super::Work;
use super::tally::ResolveTally;
use crate::runs::{BatchManifest, BatchName, PartEntry, RestsOn, write_json};
use crate::store::Store;
use crate::systems::Statement;
use crate::tables::{Footer, PartWriter, Table};
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
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
        Ok(Self {
            file: batch.part_file(table),
            writer: None,
        })
    }

    pub fn always(table: &'static Table, batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        Self::of_runs(table, batch, GROUP_ROWS, work.store, &work.footer)
    }

    /// Begins a batch's part of a table with this many rows in a row group.
    pub fn of_runs(
        table: &'static Table,
        batch: &BatchName,
        group_rows: usize,
        store: &dyn Store,
        footer: &Footer,
    ) -> io::Result<Self> {
        let file = batch.part_file(table);
        let writer = PartWriter::new(table, group_rows, footer, store.create(&file)?)?;
        Ok(Self {
            file,
            writer: Some(writer),
        })
    }

    /// Ends a row group, if rows are wanted.
    pub fn end_group(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), PartWriter::end_group)
    }

    /// Adds rows, if they are wanted.
    pub fn write(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.write(rows))
    }
}

/// Adds rows to three parts, each on its own worker.
pub fn write_all(parts: &mut [Part; 3], rows: &[RecordBatch; 3]) -> io::Result<()> {
    parts
        .par_iter_mut()
        .zip(rows)
        .try_for_each(|(part, rows)| part.write(rows))
}

/// Ends the parts of a batch, then writes its manifest, which makes the batch whole.
pub fn commit(
    RestsOn { name, made_of, .. }: &RestsOn,
    tally: &ResolveTally,
    parts: impl IntoIterator<Item = Part>,
    store: &dyn Store,
) -> io::Result<()> {
    let written = parts
        .into_iter()
        .filter_map(|Part { file, writer }| Some((file, writer?)));
    let parts = written
        .map(|(file, writer)| PartEntry::commit(file, writer))
        .collect::<io::Result<_>>()?;
    let manifest = BatchManifest {
        made_of: made_of.clone(),
        tally: tally.clone(),
        parts,
    };
    write_json(store, &name.manifest_file(), &manifest)
}

/// How many bytes of a text are compared, with its length: a record may have thousands of statements of one long field.
const COMPARED_BYTES: usize = 1024;

/// The lines and fields of one source, with the systems that can and cannot read them.
#[derive(Default)]
pub struct Pieces {
    /// By a digest of the line or field.
    read: HashMap<u64, (u64, u64)>,
    /// The last one: most statements of a long field follow each other.
    last: Option<(&'static str, Option<u32>, usize)>,
    last_text: Vec<u8>,
    last_key: u64,
}

impl Pieces {
    /// Adds a statement of a system, by the system's place.
    pub fn add(&mut self, system: usize, statement: &Statement<'_>) {
        let key = self.digest_field(statement);
        let (whole, defect) = self.read.entry(key).or_default();
        match statement.defect {
            None => *whole |= 1 << system,
            Some(_) => *defect |= 1 << system,
        }
    }

    fn digest_field(&mut self, statement: &Statement<'_>) -> u64 {
        let this = (statement.carrier, statement.line, statement.raw.len());
        let text = statement.raw.get(..COMPARED_BYTES).unwrap_or(statement.raw);
        if self.last != Some(this) || self.last_text != text {
            let mut key = DefaultHasher::new();
            (this, text).hash(&mut key);
            (self.last, self.last_key) = (Some(this), key.finish());
            self.last_text.clear();
            self.last_text.extend_from_slice(text);
        }
        self.last_key
    }

    /// Returns the number of lines and fields that have a defect in every system that reads them.
    pub fn unreadable(&self) -> u64 {
        self.read
            .values()
            .filter(|(whole, defect)| *defect != 0 && whole & !defect == 0)
            .count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;
    use crate::systems::Statement;

    #[test]
    fn local_a_field_counts_once_wherever_its_statements_stand() {
        let statement = |raw, line, defect| Statement {
            defect,
            line,
            ..Statement::unread("", "meta", raw)
        };
        let (bad, late) = (Some("bad"), [&[b'a'; 2000][..], b"b"].concat());
        let mut pieces = Pieces::default();
        // As they have the same length and differ only after the compared bytes, the last two count as one.
        for raw in [&b"one"[..], b"two", b"one", b"one", &[b'a'; 2001], &late] {
            pieces.add(0, &statement(raw, None, bad));
        }
        assert_eq!(pieces.unreadable(), 3);
        pieces.add(1, &statement(b"two", None, None));
        assert_eq!(pieces.unreadable(), 2);
        pieces.add(0, &statement(b"two", Some(1), bad));
        pieces.add(0, &statement(b"two", Some(2), bad));
        assert_eq!(pieces.unreadable(), 4);
    }
}
