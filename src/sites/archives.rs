//! The archives of layers, by their numbers, a row group at a time: archive 1,500 is in the second row group of its table.

use super::layers::SiteLayers;
use super::manifest::{ARCHIVES_IN_GROUP, ArchivePart};
use super::read_archives::ReadArchives;
use super::reader::IndexReader;
use crate::tables::site_index::{IndexedArchive, indexed_archives};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, PoisonError};

impl IndexReader {
    /// Returns its archives.
    pub fn archives(&self) -> io::Result<Vec<IndexedArchive>> {
        let groups = 0..self.manifest.archives.groups.len();
        groups
            .map(|group| self.archive_group(group))
            .flatten_ok()
            .collect()
    }

    fn archive_group(&self, number: usize) -> io::Result<Vec<IndexedArchive>> {
        let ArchivePart { part, groups } = &self.manifest.archives;
        let range = groups
            .get(number)
            .ok_or_else(|| io::Error::other("it has no such archives"))?;
        let found = self
            .group(part, range)
            .and_then(|group| indexed_archives(&group.rows));
        found.map_err(|error| self.fault(part, &error))
    }
}

/// The numbers of a layer and of a row group of its archives.
type ArchiveRowGroup = (usize, usize);

impl SiteLayers {
    /// Returns the archives of all layers, each once.
    pub fn archives(&self) -> io::Result<Vec<IndexedArchive>> {
        let mut of_layers = self
            .layers
            .iter()
            .map(IndexReader::archives)
            .collect::<io::Result<Vec<_>>>()?;
        if self.layers.len() == 1 {
            Ok(of_layers.pop().unwrap_or_default())
        } else {
            Ok(self.numbers.all(&of_layers))
        }
    }

    /// Returns the names of some archives, by their numbers; their segments' numbers are kept with them.
    pub fn archive_names(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, String>> {
        self.by_archive(
            numbers,
            |kept, group| kept.names.get(&group).cloned(),
            ReadArchives::add_names,
        )
    }

    /// Returns the segments' numbers of some archives; only these are kept, because a judgement needs those of all archives.
    pub(super) fn segments(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, u32>> {
        self.by_archive(
            numbers,
            |kept, group| kept.segments.get(&group).cloned(),
            ReadArchives::add_segments,
        )
    }

    /// Returns a value for each archive: `kept` returns those of a row group that was read, and `add` adds one.
    fn by_archive<T: Clone>(
        &self,
        numbers: &BTreeSet<u32>,
        kept: fn(&ReadArchives, ArchiveRowGroup) -> Option<Arc<[T]>>,
        add: fn(&mut ReadArchives, ArchiveRowGroup, &[IndexedArchive]) -> Arc<[T]>,
    ) -> io::Result<BTreeMap<u32, T>> {
        let read = || self.archives.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = BTreeMap::new();
        for number in numbers {
            let absent = || {
                io::Error::other(format!(
                    "there is no archive {number}, which a capture is of"
                ))
            };
            let (layer, there) = self.numbers.place(*number).ok_or_else(absent)?;
            let index = self.layers.get(layer).ok_or_else(absent)?;
            let (group, row) = (
                there as usize / ARCHIVES_IN_GROUP,
                there as usize % ARCHIVES_IN_GROUP,
            );
            let ArchivePart { part, groups } = &index.manifest.archives;
            let absent = || {
                index.fault(
                    part,
                    &format!("it has no archive {there}, which a capture is of"),
                )
            };
            if group >= groups.len() {
                return Err(absent());
            }
            let known = kept(&read(), (layer, group));
            let known = if let Some(known) = known {
                known
            } else {
                let archives = index.archive_group(group)?;
                add(&mut read(), (layer, group), &archives)
            };
            found.insert(*number, known.get(row).cloned().ok_or_else(absent)?);
        }
        Ok(found)
    }
}
