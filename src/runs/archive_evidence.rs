//! The evidence of one archive in a folder: its manifest, and the files that the manifest names.
//!
//! Example: the captures of an archive, compared with the manifest's digest when first read. Left out: groups (`group`).

use super::manifest::{Failures, Manifest, PartEntry};
use super::originals::Originals;
use crate::archive::Damage;
use crate::store::{Store, StoredFile};
use crate::tables::archives::Outcome;
use crate::tables::captures::{CAPTURES, Original};
use crate::tables::site_files::{SITE_FILES, SiteBodies};
use crate::tables::{BloomFilters, Slices, Table};
use arrow_array::RecordBatch;
use sha1::{Digest, Sha1};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A folder of evidence, borrowed or shared.
#[derive(Clone)]
pub enum Folder<'e> {
    /// It belongs to the caller.
    Borrowed(&'e dyn Store),
    /// It is kept while something found in it exists.
    Shared(Arc<dyn Store>),
}

impl<'e> From<&'e dyn Store> for Folder<'e> {
    fn from(store: &'e dyn Store) -> Self {
        Self::Borrowed(store)
    }
}

impl From<Arc<dyn Store>> for Folder<'_> {
    fn from(store: Arc<dyn Store>) -> Self {
        Self::Shared(store)
    }
}

impl<'e> Deref for Folder<'e> {
    type Target = dyn Store + 'e;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(store) => *store,
            Self::Shared(store) => store.as_ref(),
        }
    }
}

pub struct ArchiveEvidence<'e> {
    pub manifest: Manifest,
    /// SHA-1 of the manifest's file.
    pub digest: [u8; 20],
    /// Its place among the archives of all inputs, by crawl and name.
    pub place: u64,
    file: String,
    store: Folder<'e>,
    /// Which of its files have been compared with their digests, in the order of the manifest.
    verified: Vec<OnceLock<()>>,
    /// The places of the filters of its captures' hosts, once they were looked for.
    host_filters: OnceLock<BloomFilters>,
    /// What they said of some hosts.
    hosts_asked: Mutex<HashMap<String, bool>>,
    /// What its revisits have from records of other archives, once that was looked for.
    originals: OnceLock<Originals>,
}

/// Evidence cannot be read: the error names the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {detail}")]
pub struct EvidenceFault {
    file: String,
    detail: String,
}

/// The rows of a file of evidence, whose faults name it.
pub struct EvidenceSlices<'a, S> {
    pub slices: S,
    archive: &'a ArchiveEvidence<'a>,
    file: &'a str,
}

/// The captures of an archive, in which revisits have what their originals have (KNOW-4).
pub struct JoinedCaptures<'a, S> {
    pub slices: EvidenceSlices<'a, S>,
    /// The numbers of the rows; `None`: all.
    rows: Option<&'a [usize]>,
    /// How many rows were read.
    read: usize,
}

impl<S: Iterator<Item = io::Result<RecordBatch>>> Iterator for JoinedCaptures<'_, S> {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let slice = self.slices.next()?;
        let Some(originals) = self.slices.archive.originals.get() else {
            return Some(slice);
        };
        Some(slice.and_then(|slice| {
            let first = self.read;
            self.read += slice.num_rows();
            let number = |row| match self.rows {
                Some(rows) => rows.get(first + row).copied().unwrap_or(usize::MAX),
                None => first + row,
            };
            originals.join(slice, number)
        }))
    }
}

impl<S: Iterator<Item = io::Result<RecordBatch>>> Iterator for EvidenceSlices<'_, S> {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let slice = self.slices.next()?;
        Some(slice.map_err(|error| self.archive.fault(self.file, &error)))
    }
}

impl ArchiveEvidence<'_> {
    /// Reads the archive's file of a table of evidence, and compares it with the manifest the first time. Fails with an
    /// [`EvidenceFault`].
    pub fn slices<S>(
        &self,
        table: &Table,
        open: impl FnOnce(Box<dyn StoredFile>) -> io::Result<S>,
    ) -> io::Result<EvidenceSlices<'_, S>> {
        let parts = self.manifest.parts.iter().zip(&self.verified);
        let is_left = |(part, verified): &(&PartEntry, &OnceLock<()>)| {
            part.is_of(table) && verified.get().is_none()
        };
        for (part, verified) in parts.filter(is_left) {
            if !part
                .is_unchanged(&*self.store)
                .map_err(|error| self.fault(&part.file, &error))?
            {
                let manifest = self.store.location_of(&self.file);
                return Err(self.fault(
                    &part.file,
                    &format!("it is not the file that {manifest} describes"),
                ));
            }
            verified.get_or_init(|| ());
        }
        self.unverified_slices(table, open)
    }

    /// Reads captures, each revisit with what its original has; `open` reads all rows in order, or those numbered `rows`.
    pub fn captures<'a, S>(
        &'a self,
        rows: Option<&'a [usize]>,
        open: impl FnOnce(Box<dyn StoredFile>) -> io::Result<S>,
    ) -> io::Result<JoinedCaptures<'a, S>> {
        Ok(JoinedCaptures {
            slices: self.slices(&CAPTURES, open)?,
            rows,
            read: 0,
        })
    }

    /// Says what its revisits have from other archives. It is said once, before its captures are read.
    pub fn set_originals(&self, originals: Originals) {
        self.originals.get_or_init(|| originals);
    }

    /// Returns what a row of its captures has from another archive's record.
    pub fn original(&self, row: usize) -> io::Result<Option<Original>> {
        self.originals
            .get()
            .map_or(Ok(None), |originals| originals.of_row(row))
    }

    /// Returns the digest of what its revisits have from other archives, if they have something.
    pub fn originals_digest(&self) -> Option<&[u8; 20]> {
        self.originals.get().map(|originals| &originals.digest)
    }

    /// Returns the numbers of the wanted rows of a table of evidence, in ascending order; `wanted` gets some columns of a
    /// slice. Does not compare the file with the manifest; [`Self::slices`] does.
    pub fn rows(
        &self,
        table: &Table,
        columns: &[&str],
        wanted: impl Fn(&RecordBatch) -> io::Result<Vec<usize>>,
    ) -> io::Result<Vec<usize>> {
        let (mut rows, mut first) = (Vec::new(), 0);
        for slice in self.unverified_slices(table, |file| Slices::of_columns(file, columns))? {
            let slice = slice?;
            rows.extend(wanted(&slice)?.into_iter().map(|row| first + row));
            first += slice.num_rows();
        }
        Ok(rows)
    }

    /// Returns whether there may be captures of any of `hosts`, as in `url_host_name`; does not compare with the manifest.
    pub fn may_have_host(&self, hosts: &[&str]) -> io::Result<bool> {
        let Some(PartEntry { file, .. }) = self.manifest.part(&CAPTURES) else {
            return Ok(false);
        };
        let asked = || {
            self.hosts_asked
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let question = hosts.join(" ");
        if let Some(known) = asked().get(&question) {
            return Ok(*known);
        }
        let look = || {
            let stored: Arc<dyn StoredFile> = self.store.open(file)?.into();
            let filters = if let Some(filters) = self.host_filters.get() {
                filters
            } else {
                let found = BloomFilters::find(&stored, "url_host_name")?;
                self.host_filters.get_or_init(|| found)
            };
            filters.may_have(&*stored, hosts)
        };
        let answer = look().map_err(|error: io::Error| self.fault(file, &error))?;
        asked().insert(question, answer);
        Ok(answer)
    }

    fn unverified_slices<S>(
        &self,
        table: &Table,
        open: impl FnOnce(Box<dyn StoredFile>) -> io::Result<S>,
    ) -> io::Result<EvidenceSlices<'_, S>> {
        let no_part = || self.fault(&self.file, &format!("it has no {}", table.name));
        let file = &self.manifest.part(table).ok_or_else(no_part)?.file;
        let slices = self
            .store
            .open(file)
            .and_then(open)
            .map_err(|error| self.fault(file, &error))?;
        Ok(EvidenceSlices {
            slices,
            archive: self,
            file,
        })
    }

    /// Reads the bodies of a slice of its site files, each of which is the one that its digest names.
    pub fn site_bodies(&self, slice: &RecordBatch) -> io::Result<SiteBodies> {
        let file = self
            .manifest
            .part(&SITE_FILES)
            .map_or(self.file.as_str(), |part| &part.file);
        SiteBodies::checked(slice).map_err(|error| self.fault(file, &error))
    }

    fn fault(&self, file: &str, detail: &dyn std::fmt::Display) -> io::Error {
        let (name, folder) = (&self.manifest.warc_filename, self.store.location());
        let detail =
            format!("{detail}; scan {name} again: crawlprefs scan ARCHIVE -o {folder} --verify");
        io::Error::other(EvidenceFault {
            file: self.store.location_of(file),
            detail,
        })
    }

    pub fn failures(&self) -> io::Result<Vec<Damage>> {
        if self.manifest.row.failures == 0 {
            return Ok(Vec::new());
        }
        let fault = |error: &dyn std::fmt::Display| self.fault(&self.file, error);
        let bytes = self
            .store
            .read(&self.file)
            .map_err(|error| fault(&error))?
            .unwrap_or_default();
        let failures: Failures = serde_json::from_slice(&bytes).map_err(|error| fault(&error))?;
        Ok(failures.rows().to_vec())
    }

    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Whether there is evidence of the archive: one that could not be read has only a manifest.
    pub fn is_read(&self) -> bool {
        self.manifest.fingerprint.is_some()
    }

    /// Orders evidence by quality: existing, deeper, by newer rules, read to its end, with less damage, with more columns. A repaired
    /// copy may be elsewhere with the same fingerprint, which does not cover the middle of an archive.
    pub fn rank(&self) -> impl Ord + use<> {
        let row = &self.manifest.row;
        let read = (
            self.is_read(),
            row.depth,
            row.read_rules,
            row.outcome == Outcome::Read,
        );
        (
            read,
            Reverse(row.records_lost),
            Reverse(row.failures),
            self.manifest.capture_columns,
        )
    }
}

/// Returns the evidence of an archive, given the bytes of its manifest.
pub fn evidence_by_manifest<'e>(
    folder: &Folder<'e>,
    file: String,
    bytes: &[u8],
) -> io::Result<ArchiveEvidence<'e>> {
    let store = folder.clone();
    let of_file = |error: &dyn std::fmt::Display| {
        io::Error::other(format!(
            "{}: not a manifest: {error}; scan its archive again: crawlprefs scan ARCHIVE -o {}",
            store.location_of(&file),
            store.location()
        ))
    };
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|error| of_file(&error))?;
    let digest = Sha1::digest(bytes).into();
    let verified = manifest.parts.iter().map(|_| OnceLock::new()).collect();
    Ok(ArchiveEvidence {
        manifest,
        digest,
        place: 0,
        file,
        store,
        verified,
        host_filters: OnceLock::new(),
        hosts_asked: Mutex::default(),
        originals: OnceLock::new(),
    })
}
