//! The archives of layers, by their numbers: names and segments, a row group at a time.
//!
//! Example: archive 1,500 is in the second row group of `archives.parquet`.

use super::layers::SiteLayers;
use super::manifest::{ARCHIVES_IN_GROUP, ArchivePart};
use super::read_archives::ReadArchives;
use super::reader::IndexReader;
use crate::tables::site_index::{IndexedArchive, indexed_archives};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};

impl IndexReader {
    /// Returns its archives.
    pub fn archives(&self) -> io::Result<Vec<IndexedArchive>> {
        let mut found = Vec::new();
        for group in 0..self.manifest().archives.groups.len() {
            found.extend(self.archive_group(group)?);
        }
        Ok(found)
    }

    fn archive_group(&self, number: usize) -> io::Result<Vec<IndexedArchive>> {
        let ArchivePart { part, groups } = &self.manifest().archives;
        let range = groups.get(number).ok_or_else(|| io::Error::other("it has no such archives"))?;
        let found = self.group(part, range, None).and_then(|group| indexed_archives(&group.rows));
        found.map_err(|error| self.fault(part, &error))
    }
}

/// The numbers of a layer and of a row group of its archives.
type ArchiveGroup = (usize, usize);

impl SiteLayers {
    /// Returns the archives of all layers, each once.
    pub fn archives(&self) -> io::Result<Vec<IndexedArchive>> {
        let mut of_layers = self.layers.iter().map(IndexReader::archives).collect::<io::Result<Vec<_>>>()?;
        if self.layers.len() == 1 {
            Ok(of_layers.pop().unwrap_or_default())
        } else {
            Ok(self.numbers.all(&of_layers))
        }
    }

    /// Returns the names of some archives, by their numbers.
    pub fn archive_names(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, String>> {
        self.by_archive(numbers, &|group| self.names_in(group))
    }

    pub(super) fn segments(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, u32>> {
        self.by_archive(numbers, &|group| self.segments_in(group))
    }

    /// Returns a value for each archive, from the values that `known` returns for a row group of archives.
    fn by_archive<T: Clone>(
        &self,
        numbers: &BTreeSet<u32>,
        known: &dyn Fn(ArchiveGroup) -> io::Result<Arc<[T]>>,
    ) -> io::Result<BTreeMap<u32, T>> {
        let mut found = BTreeMap::new();
        for number in numbers {
            let absent = || io::Error::other(format!("there is no archive {number}, which a capture is of"));
            let (layer, there) = self.numbers.place(*number).ok_or_else(absent)?;
            let index = self.layers.get(layer).ok_or_else(absent)?;
            let (group, row) = (there as usize / ARCHIVES_IN_GROUP, there as usize % ARCHIVES_IN_GROUP);
            let ArchivePart { part, groups } = &index.manifest().archives;
            let of_archive =
                if group < groups.len() { known((layer, group))?.get(row).cloned() } else { None };
            let absent = || index.fault(part, &format!("it has no archive {there}, which a capture is of"));
            found.insert(*number, of_archive.ok_or_else(absent)?);
        }
        Ok(found)
    }

    fn archive_group(&self, (layer, group): ArchiveGroup) -> io::Result<Vec<IndexedArchive>> {
        self.layers.get(layer).map_or(Ok(Vec::new()), |index| index.archive_group(group))
    }

    fn known_archives(&self) -> MutexGuard<'_, ReadArchives> {
        self.archives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the names of a row group of archives; keeps them and their segments' numbers.
    fn names_in(&self, group: ArchiveGroup) -> io::Result<Arc<[String]>> {
        if let Some(known) = self.known_archives().names.get(&group) {
            return Ok(Arc::clone(known));
        }
        let archives = self.archive_group(group)?;
        self.known_archives().add_segments(group, &archives);
        let names: Arc<[String]> = archives.into_iter().map(|archive| archive.warc_filename).collect();
        self.known_archives().names.insert(group, Arc::clone(&names));
        Ok(names)
    }

    /// Returns the segments' numbers for a row group of archives and keeps only these: a judgement needs those of all archives.
    fn segments_in(&self, group: ArchiveGroup) -> io::Result<Arc<[u32]>> {
        if let Some(known) = self.known_archives().segments.get(&group) {
            return Ok(Arc::clone(known));
        }
        let archives = self.archive_group(group)?;
        Ok(self.known_archives().add_segments(group, &archives))
    }
}
