//! Whether tables have everything that their manifests name, and whether there is evidence of everything that they were made of.
//!
//! Example: in `resolve monday tuesday -o both`, `tuesday` is not mounted: its archives are in the manifests of `both` but not in
//! the evidence, so no table is made again. Another: `both/pages` was deleted; a judgement by these tables would lose what the
//! headers of the pages said.

use super::batch_manifest::{BatchManifest, BatchName, ListedFiles, parts_fault};
use super::evidence_folders::UnreadEvidence;
use super::group::ArchiveGroup;
use super::identity::{RESOLVED, write_json};
use super::memory::many_requests;
use super::rests_on::RestsOn;
use crate::archive::LOCAL_CRAWL;
use crate::error::Error;
use crate::plan::{Comparison, Why};
use crate::store::{ObjectName, Store};
use crate::tables::TABLES;
use crate::tables::origins::ORIGINS;
use itertools::{Either, Itertools};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;

/// The archives that have evidence.
pub struct KnownEvidence {
    /// The archives that were read, by the manifest of their batch.
    batches: BTreeMap<String, BTreeSet<String>>,
    crawls: BTreeSet<String>,
    /// The manifests of batches whose archives were not read.
    unread: BTreeSet<String>,
    /// Their crawls.
    partly_read: BTreeSet<String>,
    /// What to do about archives with a manifest but no evidence, by their names.
    failed: BTreeMap<String, String>,
}

impl KnownEvidence {
    /// Returns the archives of groups, which are those of whole folders.
    pub fn new(groups: &[ArchiveGroup<'_>]) -> Self {
        let (batches, failed) = (BTreeMap::new(), BTreeMap::new());
        let mut known = Self {
            batches,
            crawls: BTreeSet::new(),
            unread: BTreeSet::new(),
            partly_read: BTreeSet::new(),
            failed,
        };
        for archive in groups
            .iter()
            .flat_map(|group| &group.archives)
            .filter(|archive| !archive.is_read())
        {
            let (name, folder) = (&archive.manifest.warc_filename, archive.store().location());
            let detail = archive
                .manifest
                .row
                .detail
                .as_deref()
                .unwrap_or("it could not be read");
            let next = format!(
                "{name}: {detail}; the next scan reads it: crawlprefs scan ARCHIVE -o {folder}"
            );
            known.failed.insert(name.clone(), next);
        }
        for batch in groups.iter().flat_map(ArchiveGroup::batches) {
            let read = batch.archives.iter().filter(|archive| archive.is_read());
            let names = read
                .map(|archive| archive.manifest.warc_filename.clone())
                .collect();
            known.batches.insert(batch.name.manifest_file(), names);
            known.crawls.insert(batch.name.crawl);
        }
        known
    }

    /// Adds evidence that was not read, because the work does not need it: its batches have archives, but it is not known which.
    pub fn with_unread(mut self, unread: UnreadEvidence) -> Self {
        for batch in unread.batches {
            self.unread.insert(batch.manifest_file());
            self.partly_read.insert(batch.crawl.clone());
            self.crawls.insert(batch.crawl);
        }
        self
    }

    /// The crawls of which not all evidence was read.
    pub fn partly_read(&self) -> &BTreeSet<String> {
        &self.partly_read
    }

    /// Whether a batch has archives.
    pub fn has(&self, manifest: &str) -> bool {
        self.batches.contains_key(manifest) || self.unread.contains(manifest)
    }

    /// Whether a file belongs to tables that stay while all others are made again.
    pub fn keeps(&self, file: &str) -> bool {
        BatchName::of_file(file).is_some_and(|batch| self.is_of_absent_crawl(&batch))
    }

    /// Whether the tables of a batch stay although it has no evidence: those of a crawl without any evidence remain as they
    /// were made. Site files of inputs without a segment are of several crawls.
    fn is_of_absent_crawl(&self, batch: &BatchName) -> bool {
        let is_of_segment = !batch.id.starts_with("other-")
            && *batch != BatchName::of_site_files(LOCAL_CRAWL, None);
        is_of_segment && !self.crawls.contains(&batch.crawl)
    }
}

/// What becomes of the tables of a crawl without any evidence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum IfNoEvidence {
    Stays,
    /// They are read, with the site files of the evidence, which must therefore exist.
    IsRead,
}

/// The manifests of batches and of site files in a folder of tables.
pub struct TableManifests {
    manifests: BTreeMap<String, (BatchName, BatchManifest)>,
    /// The unreadable ones; their batches are made again.
    damaged: Vec<String>,
}

impl TableManifests {
    pub fn read(store: &dyn Store, files: &[&String]) -> io::Result<Self> {
        let read = |file: &&String| {
            let bytes = store.read(file)?.unwrap_or_default();
            let manifest = BatchName::of_manifest(file).zip(serde_json::from_slice(&bytes).ok());
            Ok::<_, io::Error>(((*file).clone(), manifest))
        };
        // Threads of its own: those that all calls share do not exist in a forked process.
        let pool = many_requests(store, files.len())?;
        let found = pool.install(|| files.par_iter().map(read).collect::<io::Result<Vec<_>>>())?;
        let (manifests, damaged) =
            found
                .into_iter()
                .partition_map(|(file, manifest)| match manifest {
                    Some(manifest) => Either::Left((file, manifest)),
                    None => Either::Right(file),
                });
        Ok(Self { manifests, damaged })
    }

    /// Whether a batch has a readable manifest.
    pub fn has(&self, batch: &BatchName) -> bool {
        self.manifests.contains_key(&batch.manifest_file())
    }

    /// Returns the counts of a batch with this evidence in a folder, by the manifests that were read, or why it is to be made.
    pub fn state<T: DeserializeOwned>(
        &self,
        store: &dyn Store,
        rests_on: &RestsOn,
        comparison: (Comparison, &ListedFiles),
    ) -> io::Result<Result<T, Why>> {
        let file = rests_on.name.manifest_file();
        let unreadable = || Err(Why::Damaged(format!("{file} cannot be read")));
        let Some((_, manifest)) = self.manifests.get(&file) else {
            return Ok(if self.damaged.contains(&file) {
                unreadable()
            } else {
                Err(Why::New)
            });
        };
        let Ok(tally) = serde_json::from_str(manifest.tally.get()) else {
            return Ok(unreadable());
        };
        Ok(match parts_fault(&manifest.parts, store, comparison)? {
            Some(fault) => Err(Why::Damaged(fault)),
            None if !rests_on.has_evidence_of(&manifest.made_of) => {
                Err(Why::Stale("its own evidence has changed"))
            }
            // KNOW-2.
            None if !rests_on.has_sources_of(&manifest.made_of) => Err(Why::Stale(
                "site files that are not later than its pages have come or changed",
            )),
            None => Ok(tally),
        })
    }

    /// Refuses to go on if a batch was made of archives without evidence; the error is another one if the next scan reads one of them.
    pub fn refuse_fewer(
        &self,
        store: &dyn Store,
        known: &KnownEvidence,
        absent: IfNoEvidence,
    ) -> Result<(), Error> {
        for (file, (name, manifest)) in self.batches() {
            let read = known.batches.get(file);
            if read.is_none() && absent == IfNoEvidence::Stays && known.is_of_absent_crawl(name) {
                continue;
            }
            let is_missing = |name: &&String| !read.is_some_and(|read| read.contains(*name));
            let mut missing = manifest.made_of.archives.iter().filter(is_missing);
            if let Some(example) = missing.next() {
                if let Some(fault) = known.failed.get(example) {
                    return Err(Error::EvidenceDamaged {
                        fault: fault.clone(),
                    });
                }
                let (archives, example) = (missing.count() + 1, example.clone());
                return Err(Error::ArchivesMissing {
                    file: store.location_of(file),
                    archives,
                    example,
                });
            }
        }
        Ok(())
    }

    /// Refuses tables that lack a part named in a manifest, or a manifest named in another one.
    pub fn refuse_incomplete(&self, store: &dyn Store) -> Result<(), Error> {
        let incomplete = |detail| {
            Err(Error::TablesIncomplete {
                location: store.location(),
                detail,
            })
        };
        if let Some(file) = self.damaged.first() {
            return incomplete(format!("{file} cannot be read"));
        }
        if self.manifests.is_empty() {
            return incomplete(format!("there is no manifest below {RESOLVED}"));
        }
        if let Some(file) = self
            .named()
            .find(|file| !self.manifests.contains_key(*file))
        {
            return incomplete(format!("{file} is missing"));
        }
        let mut manifests = self.manifests.iter();
        if let Some((file, _)) =
            manifests.find(|(_, (_, manifest))| manifest.made_of.evidence.is_empty())
        {
            return incomplete(format!(
                "{file} is of an earlier version, without evidence since"
            ));
        }
        // The site files are the end of a segment.
        let named: HashSet<&String> = self.named().collect();
        if let Some((file, _)) = self.batches().find(|(file, _)| !named.contains(file)) {
            return incomplete(format!(
                "{file} is of a segment that was not resolved to its end"
            ));
        }
        let unreadable = |source| Error::TablesUnreadable {
            location: store.location(),
            source,
        };
        match self.missing_part(store).map_err(unreadable)? {
            Some(part) => incomplete(format!("{part} is missing")),
            None => Ok(()),
        }
    }

    /// Refuses to remove files of batches that have no evidence. For the message: the folders of evidence that are given, and
    /// those that earlier calls have named but this one has not.
    pub fn refuse_removal(
        removed: &[String],
        known: &KnownEvidence,
        tables: &str,
        (given, earlier): (&[String], &[String]),
    ) -> Result<(), Error> {
        let batches = removed.iter().filter_map(|file| BatchName::of_file(file));
        // Site files have other names if the index has another scope; they come with their batches.
        let unknown =
            batches.filter(|batch| !batch.is_of_site_files() && !known.has(&batch.manifest_file()));
        let crawls: BTreeSet<String> = unknown.map(|batch| batch.crawl).collect();
        if crawls.is_empty() {
            return Ok(());
        }
        let crawls = crawls.iter().join(", ");
        let next = if earlier.is_empty() {
            "name the folder of their evidence as well".to_owned()
        } else {
            let evidence = [given, earlier].concat().join(" ");
            format!("run `crawlprefs resolve {evidence} -o {tables} --overwrite`")
        };
        Err(Error::TablesWithoutEvidence {
            location: tables.to_owned(),
            crawls,
            next,
        })
    }

    /// Whether there are tables of a crawl without evidence, which stay as they are.
    pub fn has_absent_crawl(&self, known: &KnownEvidence) -> bool {
        self.batches()
            .any(|(file, (name, _))| !known.has(file) && known.is_of_absent_crawl(name))
    }

    pub fn without_evidence(&self, known: &KnownEvidence) -> impl Iterator<Item = &BatchName> {
        self.batches()
            .filter(move |(file, _)| !known.has(file))
            .map(|(_, (name, _))| name)
    }

    /// Returns the manifests of batches without evidence, and of site files of such batches alone.
    pub fn unknown(&self, known: &KnownEvidence) -> impl Iterator<Item = &BatchName> {
        let is_gone =
            move |file: &str, name: &BatchName| !known.has(file) && !known.is_of_absent_crawl(name);
        let gone = move |file: &String| {
            self.manifests
                .get(file)
                .is_none_or(|(name, _)| is_gone(file, name))
        };
        let unknown = self
            .manifests
            .iter()
            .filter(move |(file, (name, manifest))| {
                if name.is_of_site_files() {
                    manifest.made_of.batches.iter().all(gone)
                } else {
                    gone(file)
                }
            });
        unknown.map(|(_, (name, _))| name)
    }

    /// Removes the tables of [`Self::unknown`] batches.
    pub fn remove_unknown(&self, store: &dyn Store, known: &KnownEvidence) -> io::Result<()> {
        for name in self.unknown(known) {
            // The manifest is removed last, so that a reader of the tables meanwhile finds that a part is missing.
            for table in TABLES.iter().copied().chain([&ORIGINS]) {
                store.remove(&name.part_file(table))?;
            }
            store.remove(&name.manifest_file())?;
        }
        Ok(())
    }

    /// Marks tables that stay as made by an earlier version: if they get evidence, they are made again.
    pub fn outdate_kept(&self, store: &dyn Store, known: &KnownEvidence) -> io::Result<()> {
        for file in self.manifests.keys().filter(|file| known.keeps(file)) {
            let bytes = store.read(file)?.unwrap_or_default();
            let mut manifest: BatchManifest<serde_json::Value> = serde_json::from_slice(&bytes)?;
            manifest.made_of.evidence.clear();
            write_json(store, file, &manifest)?;
        }
        Ok(())
    }

    fn batches(&self) -> impl Iterator<Item = (&String, &(BatchName, BatchManifest))> {
        self.manifests
            .iter()
            .filter(|(_, (name, _))| !name.is_of_site_files())
    }

    /// The manifests of batches that those of site files name.
    fn named(&self) -> impl Iterator<Item = &String> {
        self.manifests
            .values()
            .flat_map(|(_, site)| &site.made_of.batches)
    }

    fn missing_part(&self, store: &dyn Store) -> io::Result<Option<&ObjectName>> {
        let parts = || {
            self.manifests
                .values()
                .flat_map(|(_, manifest)| &manifest.parts)
                .map(|part| &part.file)
        };
        let folders: BTreeSet<&str> = parts()
            .filter_map(|file| file.split("/crawl=").next())
            .collect();
        let mut present = HashSet::new();
        for folder in folders {
            present.extend(store.list(folder)?);
        }
        Ok(parts().find(|file| !present.contains(&***file)))
    }
}

/// Refuses tables that are incomplete, and tables with an archive that has no evidence.
pub fn check_tables(tables: &dyn Store, groups: &[ArchiveGroup<'_>]) -> Result<(), Error> {
    check_parts(tables)?.refuse_fewer(tables, &KnownEvidence::new(groups), IfNoEvidence::IsRead)
}

/// Refuses tables that are incomplete; returns what they were made of.
pub fn check_parts(tables: &dyn Store) -> Result<TableManifests, Error> {
    let read = |files: Vec<String>| TableManifests::read(tables, &files.iter().collect::<Vec<_>>());
    let unreadable = |source| Error::TablesUnreadable {
        location: tables.location(),
        source,
    };
    let made = tables.list(RESOLVED).and_then(read).map_err(unreadable)?;
    made.refuse_incomplete(tables)?;
    Ok(made)
}
