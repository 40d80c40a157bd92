//! What a finished batch and a run leave beside the tables, and how a later call takes it up.
//!
//! `_crawlprefs.json` says which run an output folder holds. `_manifest/crawl=<id>/<batch>.json` is
//! written after a batch's parts, so a batch that has one is whole. Both are the same bytes
//! whenever and wherever they are written.

use super::batch::Batch;
use crate::error::Error;
use crate::store::Store;
use crate::tables::{PartWriter, SCHEMA_VERSION, TABLES, Table};
use crate::web::capture_kind::CaptureKind;
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The files that say which run the folder holds, of either half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFile {
    /// Of `scan`.
    Scan,
    /// Of `resolve`, which may write beside the evidence or elsewhere.
    Resolve,
}

impl RunFile {
    fn name(self) -> &'static str {
        match self {
            Self::Scan => "_crawlprefs.json",
            Self::Resolve => "_resolved.json",
        }
    }

    /// Returns what a run of this half leaves behind.
    fn leavings(self) -> Vec<&'static str> {
        let tables = TABLES.iter().map(|table| table.folder.split('/').next().unwrap_or(table.folder));
        match self {
            Self::Scan => tables.chain([MANIFESTS, RESOLVED, "_resolved.json", "_crawlprefs.json"]).collect(),
            Self::Resolve => {
                tables.filter(|folder| *folder != "evidence").chain([RESOLVED, "_resolved.json"]).collect()
            }
        }
    }
}

/// The folder of the batches' manifests.
const MANIFESTS: &str = "_manifest";
/// The folder of the resolved batches' manifests.
pub const RESOLVED: &str = "_resolved";

/// What makes two runs the same one: the inputs may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// `crawlprefs`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Version of the tables' schema.
    pub schema_version: String,
    /// The options and lists that change rows.
    pub options: BTreeMap<String, String>,
}

/// What became of one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEntry {
    /// Its name.
    pub warc_filename: String,
    /// What became of it, see the table `archives`.
    pub outcome: String,
    /// What was found, where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether another attempt may end otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
    /// Bytes read.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
}

/// One part of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its name below the output folder.
    pub file: String,
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-1 (base32) of the file.
    pub sha1: String,
}

impl PartEntry {
    /// Ends a part and takes down what it is.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn commit(file: String, part: PartWriter) -> io::Result<Self> {
        let rows = part.rows();
        let (bytes, digest) = part.commit()?;
        Ok(Self { file, rows, bytes, sha1: BASE32.encode(&digest) })
    }
}

/// What a batch gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the tool that wrote it.
    pub version: String,
    /// The crawl.
    pub crawl: String,
    /// The batch.
    pub batch: String,
    /// Its inputs, by name.
    pub inputs: Vec<InputEntry>,
    /// Captures by kind.
    pub captures: BTreeMap<String, u64>,
    /// Failures by kind.
    pub failures: BTreeMap<String, u64>,
    /// Records passed over.
    pub no_interest: u64,
    /// Records lost.
    pub records_lost: u64,
    /// Its parts.
    pub parts: Vec<PartEntry>,
}

impl Identity {
    /// Returns the identity of a run with `options`.
    #[must_use]
    pub fn new(options: BTreeMap<String, String>) -> Self {
        Self {
            tool: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: SCHEMA_VERSION.to_owned(),
            options,
        }
    }

    /// Returns the identity of the run that the output holds, where it holds one.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(store: &dyn Store, file: RunFile) -> io::Result<Option<Self>> {
        let Some(found) = store.read(file.name())? else { return Ok(None) };
        serde_json::from_slice(&found)
            .map(Some)
            .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", file.name())))
    }

    /// Takes the output for this run: a fresh one is marked, one of another run is refused.
    ///
    /// # Errors
    /// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
    pub fn claim(&self, store: &dyn Store, file: RunFile) -> Result<(), Error> {
        let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
        if self.is_there(store, file)? {
            return Ok(());
        }
        let beside = store.read(RunFile::Scan.name()).map_err(unwritable)?;
        if beside.is_none() && !store.is_empty().map_err(unwritable)? {
            return Err(Error::OutputForeign { location: store.location() });
        }
        write_json(store, file.name(), self).map_err(unwritable)
    }

    /// Tells whether the output holds this run already.
    ///
    /// # Errors
    /// [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
    pub fn is_there(&self, store: &dyn Store, file: RunFile) -> Result<bool, Error> {
        let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
        match store.read(file.name()).map_err(unwritable)? {
            Some(found) => self.compare(&found, file, store).map(|()| true),
            None => Ok(false),
        }
    }

    /// Removes what an earlier run of crawlprefs left in the output, and nothing else.
    ///
    /// # Errors
    /// [`Error::OutputUnwritable`].
    pub fn clear(store: &dyn Store, file: RunFile) -> Result<(), Error> {
        let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
        if store.read(file.name()).map_err(unwritable)?.is_none() {
            return Ok(());
        }
        for name in file.leavings() {
            store.remove(name).map_err(unwritable)?;
        }
        Ok(())
    }

    fn compare(&self, found: &[u8], file: RunFile, store: &dyn Store) -> Result<(), Error> {
        let other = |difference| Error::OutputOfAnotherRun { location: store.location(), difference };
        let found: Self = serde_json::from_slice(found)
            .map_err(|error| other(format!("{} cannot be read: {error}", file.name())))?;
        if found == *self {
            return Ok(());
        }
        Err(other(self.difference(&found)))
    }

    fn difference(&self, found: &Self) -> String {
        if found.version != self.version || found.tool != self.tool {
            return format!(
                "written by {} {}, this is {} {}",
                found.tool, found.version, self.tool, self.version
            );
        }
        if found.schema_version != self.schema_version {
            return format!("schema version {} there, {} here", found.schema_version, self.schema_version);
        }
        let keys = found.options.keys().chain(self.options.keys());
        let differing = keys.clone().find(|key| found.options.get(*key) != self.options.get(*key));
        let value = |of: &Self, key| of.options.get(key).cloned().unwrap_or_else(|| "none".to_owned());
        differing.map_or_else(
            || "its mark differs".to_owned(),
            |key| format!("{key} is {} there, {} here", value(found, key), value(self, key)),
        )
    }
}

impl Manifest {
    /// Returns the manifest of a batch of which nothing is written yet.
    #[must_use]
    pub fn new(crawl: &str, batch: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            crawl: crawl.to_owned(),
            batch: batch.to_owned(),
            inputs: Vec::new(),
            captures: BTreeMap::new(),
            failures: BTreeMap::new(),
            no_interest: 0,
            records_lost: 0,
            parts: Vec::new(),
        }
    }

    /// Tells whether it has captures of site files.
    #[must_use]
    pub fn has_site_files(&self) -> bool {
        self.captures.keys().any(|kind| kind != CaptureKind::Page.as_str())
    }

    /// Where the manifests stand.
    pub const FOLDER: &str = MANIFESTS;

    /// Returns the path of the batch's part of a table.
    #[must_use]
    pub fn part(&self, table: &Table) -> String {
        table.part(&self.crawl, &self.batch)
    }

    fn file(batch: &Batch) -> String {
        format!("{MANIFESTS}/crawl={}/{}.json", batch.crawl, batch.id)
    }

    /// Writes it; from then on the batch is whole.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn write(&self, store: &dyn Store, batch: &Batch) -> io::Result<()> {
        write_json(store, &Self::file(batch), self)
    }

    /// Returns the manifest of a batch that is whole, has the same inputs, and of which another
    /// attempt would give nothing else.
    ///
    /// # Errors
    /// Why the output cannot be read.
    pub fn of_finished(store: &dyn Store, batch: &Batch) -> io::Result<Option<Self>> {
        let Some(bytes) = store.read(&Self::file(batch))? else { return Ok(None) };
        let Ok(manifest) = serde_json::from_slice::<Self>(&bytes) else { return Ok(None) };
        let names = manifest.inputs.iter().map(|input| input.warc_filename.as_str());
        let same = names.eq(batch.inputs.iter().map(|input| input.name.filename()));
        if !same || manifest.inputs.iter().any(|input| input.retry) {
            return Ok(None);
        }
        for part in &manifest.parts {
            if store.bytes(&part.file)? != Some(part.bytes) {
                return Ok(None);
            }
        }
        Ok(Some(manifest))
    }
}

/// Writes a value as a file of JSON.
///
/// # Errors
/// Why it cannot be written.
pub fn write_json(store: &dyn Store, name: &str, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::other)?;
    text.push(b'\n');
    let mut file = store.create(name)?;
    file.write_all(&text)?;
    file.commit()
}
