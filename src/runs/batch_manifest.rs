//! The manifest of a batch of tables, `_resolved/crawl=<id>/<batch>.json`, which is written after its parts.
//!
//! It names the batch's part of each table, its archives and counts. A segment's site files also have one.
//!
//! Its parts are compared with listings: for 100,000 archives, 200,000 files in a bucket are in some 200 pages of two listings.
//! The listing of a folder on a disk has no versions, so each file is opened there.

use super::identity::{RESOLVED, in_crawl};
use super::manifest::PartEntry;
use super::memory::many_requests;
use crate::plan::Comparison;
use crate::store::{ObjectVersion, Store};
use crate::tables::origins::ORIGINS;
use crate::tables::{TABLES, Table};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The ending of the names of parts with rows of site files.
const SITE: &str = "-site";

/// The name of a batch's part of each table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchName {
    pub crawl: String,
    pub id: String,
}

impl BatchName {
    /// Returns the name of the parts with rows of site files: of a segment, or of all inputs without one.
    pub fn of_site_files(crawl: &str, segment: Option<&str>) -> Self {
        Self {
            crawl: crawl.to_owned(),
            id: format!("{}{SITE}", segment.unwrap_or("all")),
        }
    }

    pub fn is_of_site_files(&self) -> bool {
        self.id.ends_with(SITE)
    }

    pub fn manifest_file(&self) -> String {
        format!("{RESOLVED}/crawl={}/{}.json", self.crawl, self.id)
    }

    pub fn of_manifest(file: &str) -> Option<Self> {
        let (crawl, id) = in_crawl(file, RESOLVED)?;
        Some(Self {
            crawl: crawl.to_owned(),
            id: id.strip_suffix(".json")?.to_owned(),
        })
    }

    /// Returns the batch of a manifest or of a part of a table, given the file's name.
    pub fn of_file(file: &str) -> Option<Self> {
        let (_, named) = file.split_once("/crawl=")?;
        let (crawl, part) = named.split_once('/')?;
        let id = part
            .strip_prefix("part-")
            .and_then(|part| part.strip_suffix(".parquet"));
        Some(Self {
            crawl: crawl.to_owned(),
            id: id.or_else(|| part.strip_suffix(".json"))?.to_owned(),
        })
    }

    pub fn part_file(&self, table: &Table) -> String {
        table.part(&self.crawl, &self.id)
    }
}

/// What a part of each table was made of, so that it is never made again of less.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MadeOf {
    /// Identifies its own evidence; empty if no evidence gives these parts any more.
    pub evidence: String,
    /// Identifies, for each crawl, the archives whose site files are not later than its captures.
    pub sources: BTreeMap<String, String>,
    /// The archives of a batch that had evidence; empty for site files.
    pub archives: Vec<String>,
    /// The manifests of the group's batches, if the part is that of the group's site files.
    pub batches: Vec<String>,
}

/// What a resolved batch leaves beside the tables. A reader keeps the text of its counts, which only some need.
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchManifest<Tally = Box<RawValue>> {
    #[serde(flatten)]
    pub made_of: MadeOf,
    pub tally: Tally,
    pub parts: Vec<PartEntry>,
}

impl BatchName {
    /// Returns the listings of all tables of some batches.
    pub fn list(store: &dyn Store, batches: &[Self]) -> io::Result<ListedFiles> {
        let tables = TABLES.iter().copied().chain([&ORIGINS]);
        let files = tables.flat_map(|table| batches.iter().map(|batch| batch.part_file(table)));
        ListedFiles::list(store, files)
    }
}

/// Returns a part that is missing or has changed.
pub fn parts_fault(
    parts: &[PartEntry],
    store: &dyn Store,
    (comparison, listed): (Comparison, &ListedFiles),
) -> io::Result<Option<String>> {
    for part in parts {
        match listed.bytes(store, &part.file)? {
            None => return Ok(Some(format!("{} is missing", part.file))),
            Some(bytes) if bytes != part.bytes => {
                let expected = part.bytes;
                return Ok(Some(format!(
                    "{} has {bytes} bytes, expected {expected}",
                    part.file
                )));
            }
            Some(_) => {}
        }
        if comparison == Comparison::Bytes && !part.is_unchanged(store)? {
            return Ok(Some(format!(
                "{} has other bytes than were written",
                part.file
            )));
        }
    }
    Ok(None)
}

/// The files that listings have.
#[derive(Default)]
pub struct ListedFiles(Option<HashMap<String, ObjectVersion>>);

impl ListedFiles {
    /// Lists the folders of some files, each from the first to the last wanted name.
    pub fn list(store: &dyn Store, files: impl Iterator<Item = String>) -> io::Result<Self> {
        let mut folders = BTreeMap::<String, (String, String)>::new();
        for file in files {
            let folder = file
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned();
            let (first, last) = folders
                .entry(folder)
                .or_insert_with(|| (file.clone(), file.clone()));
            if file < *first {
                *first = file;
            } else if file > *last {
                *last = file;
            }
        }
        let pool = many_requests(store, folders.len())?;
        let folders = folders.par_iter();
        let list =
            folders.map(|(folder, (first, last))| store.versions(folder, Some((first, last))));
        let found = pool.install(|| list.collect::<io::Result<Option<Vec<_>>>>())?;
        let named = |version: ObjectVersion| (version.name.clone(), version);
        Ok(Self(found.map(|found| {
            found.into_iter().flatten().map(named).collect()
        })))
    }

    /// Whether there are listings: a file with a plain name that they lack does not exist.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

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
