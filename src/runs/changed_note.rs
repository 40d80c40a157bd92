//! The note about an archive for which another file was found: `_changed/crawl=<id>/<archive>.json`.
//!
//! Example: `x.warc.gz` was scanned, and has other bytes now. Its evidence stays, so a run with this note is not complete until
//! the new file is read (`--again changed`), or the old one is back. To keep the evidence, remove the note.

use super::identity::{CHANGED, MANIFESTS, write_json};
use super::manifest::Manifest;
use crate::archive::ArchiveName;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;

#[derive(Debug, Serialize, Deserialize)]
pub struct ChangedNote {
    /// The archive's name.
    pub warc_filename: String,
    /// What was found.
    pub detail: String,
}

impl ChangedNote {
    /// Returns the name of the note about an archive.
    pub fn file(crawl: &str, name: &ArchiveName) -> String {
        Manifest::file(crawl, name).replacen(MANIFESTS, CHANGED, 1)
    }

    /// Returns the names of the notes in a folder.
    pub fn all(store: &dyn Store) -> io::Result<BTreeSet<String>> {
        Ok(store.list(CHANGED)?.into_iter().collect())
    }

    /// Writes it.
    pub fn write(&self, store: &dyn Store, file: &str) -> io::Result<()> {
        write_json(store, file, self)
    }

    /// Reads it; if it was damaged or removed meanwhile, only its existence is known.
    pub fn read(store: &dyn Store, file: &str) -> io::Result<Option<Self>> {
        Ok(store.read(file)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}
