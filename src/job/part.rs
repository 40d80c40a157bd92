//! The parts of one batch, written in input order.

use super::batch::Batch;
use super::manifest::{InputEntry, Manifest, PartEntry};
use crate::archive::{Damage, Input};
use crate::store::Store;
use crate::tables::archives::{self, ARCHIVES, ArchiveRow};
use crate::tables::captures::CAPTURES;
use crate::tables::failures::{self, FAILURES};
use crate::tables::site_files::{self, SITE_FILES, SiteFile};
use crate::tables::{Footer, PartWriter, Rows, Table};
use crate::web::capture_kind::CaptureKind;
use arrow_array::RecordBatch;
use std::collections::{BTreeMap, HashSet};
use std::io;

/// Rows of `captures` that are handed to the writer at once.
pub const CAPTURE_ROWS: usize = 1024;
/// Bodies, likewise: with the longest of them that is 64 MiB.
const SITE_FILE_ROWS: usize = 64;
/// Rows of `failures`, likewise.
const FAILURE_ROWS: usize = 1024;

/// What the reading of an archive gives, piece by piece.
pub enum Piece {
    /// Rows of `captures`: [`CAPTURE_ROWS`], or the archive's last ones.
    Captures(RecordBatch),
    /// The body of a site file, once per archive.
    SiteFile(SiteFile),
    /// Damage.
    Failure(Damage),
}

/// What the reading of an archive came to.
pub struct Tally {
    /// Its row in `archives`.
    pub row: ArchiveRow,
    /// Captures by kind.
    pub captures: BTreeMap<CaptureKind, u64>,
}

/// Writes the parts of one batch. What is dropped before it is committed leaves nothing behind.
pub struct BatchWriter<'j> {
    batch: &'j Batch,
    store: &'j dyn Store,
    captures: PartWriter,
    site_files: PartWriter,
    failures: PartWriter,
    archives: PartWriter,
    site_file_rows: Rows,
    failure_rows: Rows,
    archive_rows: Rows,
    bodies: HashSet<(CaptureKind, [u8; 20])>,
    manifest: Manifest,
}

impl<'j> BatchWriter<'j> {
    /// Begins the parts of `batch`.
    ///
    /// # Errors
    /// Why they cannot be written.
    pub fn new(batch: &'j Batch, store: &'j dyn Store, footer: &Footer) -> io::Result<Self> {
        let part = |table: &Table, group_rows| {
            PartWriter::new(table, group_rows, footer, store.create(&table.part(&batch.crawl, &batch.id))?)
        };
        Ok(Self {
            batch,
            store,
            captures: part(&CAPTURES, 1 << 16)?,
            site_files: part(&SITE_FILES, 1 << 12)?,
            failures: part(&FAILURES, 1 << 16)?,
            archives: part(&ARCHIVES, 1 << 16)?,
            site_file_rows: Rows::new(&SITE_FILES),
            failure_rows: Rows::new(&FAILURES),
            archive_rows: Rows::new(&ARCHIVES),
            bodies: HashSet::new(),
            manifest: Manifest::new(&batch.crawl, &batch.id),
        })
    }

    /// Adds a piece of `input`.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn add(&mut self, input: &Input, piece: &Piece) -> io::Result<()> {
        match piece {
            Piece::Captures(rows) => self.captures.write(rows)?,
            Piece::SiteFile(site_file) => {
                if self.bodies.insert((site_file.kind, site_file.digest)) {
                    site_files::append(&mut self.site_file_rows, input.name.segment(), site_file);
                }
                if self.site_file_rows.row_count() >= SITE_FILE_ROWS {
                    self.site_files.write(&self.site_file_rows.finish()?)?;
                }
            }
            Piece::Failure(damage) => {
                failures::append(&mut self.failure_rows, &input.name, damage);
                *self.manifest.failures.entry(damage.kind.as_str().to_owned()).or_default() += 1;
                if self.failure_rows.row_count() >= FAILURE_ROWS {
                    self.failures.write(&self.failure_rows.finish()?)?;
                }
            }
        }
        Ok(())
    }

    /// Ends `input`.
    pub fn end_input(&mut self, input: &Input, tally: &Tally) {
        let row = &tally.row;
        archives::append(&mut self.archive_rows, &input.name, row);
        for (kind, count) in &tally.captures {
            *self.manifest.captures.entry(kind.as_str().to_owned()).or_default() += count;
        }
        self.manifest.no_interest += row.no_interest();
        self.manifest.records_lost += row.records_lost;
        self.manifest.inputs.push(InputEntry {
            warc_filename: input.name.filename().to_owned(),
            outcome: row.outcome.as_str().to_owned(),
            detail: row.detail.clone(),
            retry: row.outcome.may_be_retried(),
            bytes: row.bytes,
            records: row.records,
        });
    }

    /// Ends the parts, then writes the manifest; the batch is whole with it.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn commit(mut self) -> io::Result<Manifest> {
        self.site_files.write(&self.site_file_rows.finish()?)?;
        self.failures.write(&self.failure_rows.finish()?)?;
        self.archives.write(&self.archive_rows.finish()?)?;
        let parts = [
            (&CAPTURES, self.captures),
            (&SITE_FILES, self.site_files),
            (&FAILURES, self.failures),
            (&ARCHIVES, self.archives),
        ];
        for (table, part) in parts {
            self.manifest.parts.push(PartEntry::commit(self.manifest.part(table), part)?);
        }
        self.manifest.write(self.store, self.batch)?;
        Ok(self.manifest)
    }
}
