//! The parts of a batch, and its manifest, which is written after them.

use super::Work;
use super::group::BatchName;
use super::made_of::MadeOf;
use super::tally::Tally;
use crate::job::identity::write_json;
use crate::job::manifest::PartEntry;
use crate::store::Store;
use crate::tables::{PartWriter, Table};
use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};
use std::io;

const GROUP_ROWS: usize = 1 << 16;

/// How files are compared with their manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// By their lengths.
    Lengths,
    /// By all of their bytes, which are read.
    Bytes,
}

/// What a resolved batch leaves beside the tables.
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchManifest {
    /// What it was made of.
    #[serde(flatten)]
    pub made_of: MadeOf,
    /// What it came to.
    pub tally: Tally,
    /// Its parts.
    pub parts: Vec<PartEntry>,
}

/// What a folder has of the parts of a batch, or of the site files of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartState {
    /// They are made of this evidence, and there.
    Done,
    /// Nothing says that they were made.
    New,
    /// They were made of other evidence of these archives, or of fewer or more archives.
    Stale,
    /// A file is missing or has changed: which one.
    Damaged(String),
}

impl BatchManifest {
    /// Returns what a folder has of a batch whose evidence is this, and the batch's manifest where that can be read.
    ///
    /// # Errors
    /// Why the output cannot be read.
    pub fn state(
        store: &dyn Store,
        batch: &BatchName,
        evidence: &str,
        look: Look,
    ) -> io::Result<(PartState, Option<Self>)> {
        let file = batch.manifest_file();
        let Some(bytes) = store.read(&file)? else { return Ok((PartState::New, None)) };
        let Ok(manifest) = serde_json::from_slice::<Self>(&bytes) else {
            return Ok((PartState::Damaged(format!("{file} cannot be read")), None));
        };
        let is_stale = manifest.made_of.evidence != evidence;
        let state = match parts_fault(&manifest.parts, store, look)? {
            Some(fault) => PartState::Damaged(fault),
            None if is_stale => PartState::Stale,
            None => PartState::Done,
        };
        Ok((state, Some(manifest)))
    }
}

/// Returns which of some parts is missing or has changed.
///
/// # Errors
/// Why they cannot be read.
pub fn parts_fault(parts: &[PartEntry], store: &dyn Store, look: Look) -> io::Result<Option<String>> {
    for part in parts {
        match store.bytes(&part.file)? {
            None => return Ok(Some(format!("{} is missing", part.file))),
            Some(bytes) if bytes != part.bytes => {
                let expected = part.bytes;
                return Ok(Some(format!("{} has {bytes} bytes, expected {expected}", part.file)));
            }
            Some(_) => {}
        }
        if look == Look::Bytes && !part.is_unchanged(store)? {
            return Ok(Some(format!("{} has other bytes than were written", part.file)));
        }
    }
    Ok(None)
}

/// A part of a table, being written where the table is chosen.
pub struct Part {
    file: String,
    writer: Option<PartWriter>,
}

impl Part {
    /// Begins a batch's part of a table, where the table is chosen.
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

    /// Begins a batch's part of a table with so many rows in a row group.
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

    /// Adds rows, where they are wanted.
    pub fn write(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(rows))
    }
}

/// Ends the parts of a batch, then writes its manifest; the batch is whole with it.
pub fn commit(
    batch: &BatchName,
    made_of: MadeOf,
    tally: &Tally,
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
