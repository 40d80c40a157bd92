//! The files of a folder as listings have them, to compare many files with their manifests.
//!
//! Example: for 100,000 archives, the lengths of 200,000 files of evidence in a bucket are in some 200 pages of two listings,
//! not in 200,000 answers. The listing of a folder of a disk has no versions: there each file is looked at.

use super::memory::many_requests;
use crate::store::{ObjectVersion, Store};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The files that listings have.
#[derive(Default)]
pub struct ListedFiles(Option<HashMap<String, ObjectVersion>>);

impl ListedFiles {
    /// Lists the folders of some files, each from the first to the last wanted name.
    pub fn of(store: &dyn Store, files: impl Iterator<Item = String>) -> io::Result<Self> {
        let mut folders = BTreeMap::<String, (String, String)>::new();
        for file in files {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let (first, last) = folders.entry(folder).or_insert_with(|| (file.clone(), file.clone()));
            if file < *first {
                *first = file;
            } else if file > *last {
                *last = file;
            }
        }
        let pool = many_requests(store, folders.len())?;
        let list = |(folder, (first, last)): (String, (String, String))| {
            store.versions(&folder, Some((&first, &last)))
        };
        let found =
            pool.install(|| folders.into_par_iter().map(list).collect::<io::Result<Option<Vec<_>>>>())?;
        let named = |version: ObjectVersion| (version.name.clone(), version);
        Ok(Self(found.map(|found| found.into_iter().flatten().map(named).collect())))
    }

    /// Whether there are listings, so that a file with a plain name that they lack does not exist.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the version of a file in the listing.
    pub fn version(&self, file: &str) -> Option<&ObjectVersion> {
        self.0.as_ref()?.get(file)
    }

    /// Returns the length of a file: by a request if no listing has it.
    pub fn bytes(&self, store: &dyn Store, file: &str) -> io::Result<Option<u64>> {
        match self.version(file) {
            Some(version) => Ok(Some(version.bytes)),
            None => store.bytes(file),
        }
    }
}
