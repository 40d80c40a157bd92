//! What an output folder holds, so that the same call goes on where it was left and no two are mixed.
//!
//! `_judge.json` identifies the tables, the options and the policy; `_judge/<name>.json` says that the output of a file
//! is whole, from which bytes it was made, and what was counted. The outputs come before it.

use super::fault::FileFault;
use super::sorter::Counts;
use crate::archive::FileSource;
use crate::error::Error;
use crate::runs::{Existing, Fingerprint, Identified, Identity, MANIFESTS, RESOLVED, RunFile, write_json};
use crate::store::Store;
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::io;
use std::path::Path;

/// The folder of what is known of each output.
const DONE: &str = "_judge";

/// Returns the name of the file of what was counted of the sites of a file.
pub fn sites_file(name: &str) -> String {
    format!("{DONE}/{name}.sites.csv")
}

/// What is known of the output of a file, which is whole.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// The bytes of the file.
    pub input: Fingerprint,
    /// How long the output is.
    pub output_bytes: u64,
    /// How long the output of what is dropped is, where there is one.
    #[serde(default)]
    pub dropped_bytes: Option<u64>,
    /// What was counted.
    pub counts: Counts,
}

impl Done {
    fn file(name: &str) -> String {
        format!("{DONE}/{name}.json")
    }

    /// Returns what is known of the output of a file, where that is whole and the file is the same.
    ///
    /// # Errors
    /// Why the output cannot be read.
    pub fn read(
        store: &dyn Store,
        dropped: Option<&dyn Store>,
        name: &str,
        input: &Fingerprint,
    ) -> io::Result<Option<Self>> {
        let Some(text) = store.read(&Self::file(name))? else { return Ok(None) };
        let Ok(done) = serde_json::from_slice::<Self>(&text) else { return Ok(None) };
        let dropped_bytes = dropped.map_or(Ok(None), |dropped| dropped.bytes(name))?;
        let is_whole = store.bytes(name)? == Some(done.output_bytes) && dropped_bytes == done.dropped_bytes;
        Ok(Some(done).filter(|done| is_whole && done.input == *input))
    }

    /// Writes it.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn write(&self, store: &dyn Store, name: &str) -> io::Result<()> {
        write_json(store, &Self::file(name), self)
    }
}

/// Claims an output folder.
///
/// # Errors
/// [`Error::OutputForeign`], [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
pub fn claim(identity: &Identity, store: &dyn Store, existing: Existing) -> Result<(), Error> {
    match existing {
        Existing::Continue => identity.claim(store, RunFile::Judge),
        Existing::Replace => {
            identity.replace(store, RunFile::Judge)?;
            let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
            store.remove(DONE).map_err(unwritable)
        }
    }
}

/// Returns what identifies the bytes of a file.
///
/// # Errors
/// Why it cannot be read.
pub fn identify(path: &Path) -> Result<Fingerprint, FileFault> {
    let nothing = Fingerprint { bytes: 0, first: String::new(), last: String::new() };
    let identified =
        Identified::of_source(&FileSource::new(path.to_owned()), &nothing).map_err(FileFault::input)?;
    let identified = identified.ok_or_else(|| FileFault::input("no regular file; give its content to -"))?;
    Ok(identified.fingerprint)
}

/// Returns what identifies tables, and by their digests the evidence or the index.
///
/// # Errors
/// Why they cannot be read.
pub fn fingerprint<'d>(
    tables: Option<&dyn Store>,
    digests: impl Iterator<Item = &'d str>,
) -> io::Result<String> {
    let mut digest = Sha1::new();
    if let Some(tables) = tables {
        for file in tables.list(RESOLVED)?.iter().chain(&tables.list(MANIFESTS)?) {
            digest.update(file);
            digest.update(tables.read(file)?.unwrap_or_default());
        }
    }
    for found in digests {
        digest.update(found);
    }
    Ok(BASE32.encode(&digest.finalize()))
}
