//! A site index, read host by host or from its beginning, wherever it is kept.
//!
//! Example: for `https://a.example/x` the key table of `_index.json` names one row group of `fetches`, whose footer says where
//! its bodies are. What may be a stranger's is never trusted with more than its own answers: lengths, digests of
//! row groups and the order of rows are compared. Left out: what the files say.

use super::manifest::{ARCHIVES_IN_GROUP, ArchivePart, FetchGroup, INDEX_FILE, IndexManifest};
use crate::archive::ArchiveName;
use crate::error::Error;
use crate::runs::{Look, SegmentNumbers};
use crate::store::{Store, StoredFile, read_pieces};
use crate::tables::site_index::{
    Bodies, BodyGroup, BodyGroups, Fetches, GroupRange, IndexPart, IndexedArchive, NumberedFetch, ReadGroup,
    SiteHost, indexed_archives,
};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many parts stay open.
const OPEN_PARTS: usize = 16;

/// A site index.
pub struct IndexReader {
    store: Arc<dyn Store>,
    manifest: IndexManifest,
    /// SHA-256 of `_index.json`, in hexadecimal digits.
    digest: String,
    open: Mutex<VecDeque<(String, Arc<dyn StoredFile>)>>,
    archives: Mutex<ReadArchives>,
}

/// What is known of the archives of the row groups that were read.
#[derive(Default)]
struct ReadArchives {
    /// Their names.
    names: BTreeMap<usize, Arc<[String]>>,
    /// The numbers of their segments.
    segments: BTreeMap<usize, Arc<[u32]>>,
    numbers: SegmentNumbers,
}

impl ReadArchives {
    fn add_segments(&mut self, group: usize, archives: &[IndexedArchive]) -> Arc<[u32]> {
        let number = |archive: &IndexedArchive| {
            self.numbers.number(&archive.crawl, &ArchiveName::new(&archive.warc_filename))
        };
        let segments: Arc<[u32]> = archives.iter().map(number).collect();
        self.segments.insert(group, Arc::clone(&segments));
        segments
    }
}

fn no_body(number: u64) -> io::Error {
    io::Error::other(format!("there is no body {number}"))
}

/// The place of a row group: its part, and its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupPlace {
    /// The part.
    pub part: usize,
    /// The group.
    pub group: usize,
}

impl IndexReader {
    /// Opens an index; `digest` is what `_index.json` must have as its SHA-256, where that is known.
    ///
    /// # Errors
    /// [`Error::NoIndex`], [`Error::IndexUnreadable`].
    pub fn open(store: Arc<dyn Store>, digest: Option<&str>) -> Result<Self, Error> {
        let unreadable = |source| Error::IndexUnreadable { location: store.location(), source };
        let bytes = store.read(INDEX_FILE).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| Error::NoIndex { location: store.location() })?;
        let found = HEXLOWER.encode(&Sha256::digest(&bytes));
        if let Some(expected) = digest.filter(|expected| !expected.eq_ignore_ascii_case(&found)) {
            let detail = format!("{INDEX_FILE} has the SHA-256 {found}, expected {expected}");
            return Err(unreadable(io::Error::other(detail)));
        }
        let manifest = IndexManifest::read(&bytes);
        let manifest =
            manifest.map_err(|error| unreadable(io::Error::other(format!("{INDEX_FILE}: {error}"))))?;
        Ok(Self { store, manifest, digest: found, open: Mutex::default(), archives: Mutex::default() })
    }

    /// Returns what it holds.
    pub fn manifest(&self) -> &IndexManifest {
        &self.manifest
    }

    /// Returns the SHA-256 of `_index.json`, which identifies all of it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns where it is.
    pub fn location(&self) -> String {
        self.store.location()
    }

    /// Returns its archives.
    pub fn archives(&self) -> io::Result<Vec<IndexedArchive>> {
        let mut found = Vec::new();
        for group in 0..self.manifest.archives.groups.len() {
            found.extend(self.archive_group(group)?);
        }
        Ok(found)
    }

    /// Returns the names of some archives, by their numbers.
    pub fn archive_names(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, String>> {
        self.by_archive(numbers, &|group| self.names_in(group))
    }

    /// Returns the numbers of the segments of some archives, by their numbers.
    pub(super) fn segments(&self, numbers: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, u32>> {
        self.by_archive(numbers, &|group| self.segments_in(group))
    }

    /// Returns what is known of some archives, where `known` says it of a row group of them.
    fn by_archive<T: Clone>(
        &self,
        numbers: &BTreeSet<u32>,
        known: &dyn Fn(usize) -> io::Result<Arc<[T]>>,
    ) -> io::Result<BTreeMap<u32, T>> {
        let mut found = BTreeMap::new();
        for number in numbers {
            let (group, row) = (*number as usize / ARCHIVES_IN_GROUP, *number as usize % ARCHIVES_IN_GROUP);
            let part = &self.manifest.archives.part;
            let absent = || self.fault(part, &format!("it has no archive {number}, which a capture is of"));
            let is_there = group < self.manifest.archives.groups.len();
            let of_archive = if is_there { known(group)?.get(row).cloned() } else { None };
            found.insert(*number, of_archive.ok_or_else(absent)?);
        }
        Ok(found)
    }

    fn archive_group(&self, number: usize) -> io::Result<Vec<IndexedArchive>> {
        let ArchivePart { part, groups } = &self.manifest.archives;
        let range = groups.get(number).ok_or_else(|| io::Error::other("it has no such archives"))?;
        let found = self.group(part, range, None).and_then(|group| indexed_archives(&group.rows));
        found.map_err(|error| self.fault(part, &error))
    }

    fn known_archives(&self) -> MutexGuard<'_, ReadArchives> {
        self.archives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the names of a row group of archives, and keeps them and the numbers of their segments.
    fn names_in(&self, group: usize) -> io::Result<Arc<[String]>> {
        if let Some(known) = self.known_archives().names.get(&group) {
            return Ok(Arc::clone(known));
        }
        let archives = self.archive_group(group)?;
        self.known_archives().add_segments(group, &archives);
        let names: Arc<[String]> = archives.into_iter().map(|archive| archive.warc_filename).collect();
        self.known_archives().names.insert(group, Arc::clone(&names));
        Ok(names)
    }

    /// Returns the numbers of the segments of a row group of archives, and keeps them alone: whoever judges needs them of all.
    fn segments_in(&self, group: usize) -> io::Result<Arc<[u32]>> {
        if let Some(known) = self.known_archives().segments.get(&group) {
            return Ok(Arc::clone(known));
        }
        let archives = self.archive_group(group)?;
        Ok(self.known_archives().add_segments(group, &archives))
    }

    /// Returns the row group in which a `surt_host_name` is, if it is anywhere.
    pub fn group_of(&self, surt: &str) -> Option<GroupPlace> {
        let parts = &self.manifest.fetches;
        let is_before = |group: &FetchGroup| group.first_host.as_str() <= surt;
        let before = parts.partition_point(|part| part.groups.first().is_some_and(is_before));
        let part = before.checked_sub(1)?;
        let found = parts.get(part).filter(|found| surt <= found.last_host.as_str())?;
        let group = found.groups.partition_point(is_before).checked_sub(1)?;
        Some(GroupPlace { part, group })
    }

    /// Reads a row group of `fetches`; adds where the bodies are that its rows name.
    pub fn fetches(&self, place: GroupPlace, bodies: &mut BodyGroups) -> io::Result<Fetches> {
        let absent = || io::Error::other("it has no such row group");
        let part = self.manifest.fetches.get(place.part).ok_or_else(absent)?;
        let group = part.groups.get(place.group).ok_or_else(absent)?;
        let end = part.groups.get(place.group + 1).map(|next| next.first_host.as_str());
        let read = self.group(&part.part, &group.range, None).and_then(|read| {
            bodies.add(read.about.as_deref().unwrap_or_default())?;
            let fetches = Fetches::new(&read.rows)?;
            let last = fetches.count().checked_sub(1).map(|row| fetches.surt(row));
            let is_within = |last| end.map_or(last <= part.last_host.as_str(), |end| last < end);
            // Whoever looks up a host beyond would not find it.
            if fetches.count() > 0 && fetches.surt(0) == group.first_host && last.is_some_and(is_within) {
                return Ok(fetches);
            }
            Err(io::Error::other(format!(
                "its row group at byte {} has other hosts than {INDEX_FILE} says",
                group.range.start
            )))
        });
        read.map_err(|error| self.fault(&part.part, &error))
    }

    /// Returns a row of `fetches` with its captures; its host is that of the row before, where they are equal.
    pub fn fetch(
        &self,
        place: GroupPlace,
        fetches: &Fetches,
        row: usize,
        before: Option<&SiteHost>,
        bodies: &BodyGroups,
    ) -> io::Result<NumberedFetch> {
        let read = fetches.fetch(row, before).and_then(|fetch| {
            let body = fetch.body.map(|(number, _)| number);
            if let Some(number) = body.filter(|number| bodies.group_of(*number).is_none()) {
                return Err(io::Error::other(format!("its list of bodies lacks body {number}")));
            }
            Ok((fetch, fetches.seen(row)?))
        });
        read.map_err(|error| match self.manifest.fetches.get(place.part) {
            Some(part) => self.fault(&part.part, &error),
            None => error,
        })
    }

    /// Returns the values of `surt_host_name` of a row group of `fetches`.
    pub fn hosts(&self, place: GroupPlace) -> io::Result<BTreeSet<String>> {
        let fetches = self.fetches(place, &mut BodyGroups::default())?;
        Ok((0..fetches.count()).map(|row| fetches.surt(row).to_owned()).collect())
    }

    /// Reads the row group with a body; returns the number of its first body, and the bodies.
    pub fn body_group(&self, groups: &BodyGroups, number: u64) -> io::Result<(u64, Bodies)> {
        let (first, group) = groups.group_of(number).ok_or_else(|| no_body(number))?;
        let has_all = |bodies: &Bodies| {
            let is_numbered = (first..).zip(0..bodies.count()).all(|(at, row)| bodies.number(row) == at);
            is_numbered && number - first < bodies.count() as u64
        };
        Ok((first, self.read_bodies((number, group), None, &has_all)?))
    }

    /// Reads some rows of the row group with a body, or all of them, which must be as expected.
    fn read_bodies(
        &self,
        (number, group): (u64, &BodyGroup),
        wanted: Option<&[usize]>,
        is_expected: &dyn Fn(&Bodies) -> bool,
    ) -> io::Result<Bodies> {
        let unlisted =
            || io::Error::other(format!("{INDEX_FILE} lists no part of bodies with body {number}"));
        let part = &self.manifest.bodies.get(group.part).ok_or_else(unlisted)?.part;
        let read = self.group(part, &group.range, wanted).and_then(|read| {
            let bodies = Bodies::new(&read.rows)?;
            if is_expected(&bodies) { Ok(bodies) } else { Err(no_body(number)) }
        });
        read.map_err(|error| self.fault(part, &error))
    }

    fn body_fault(&self, group: &BodyGroup, error: &io::Error) -> io::Error {
        match self.manifest.bodies.get(group.part) {
            Some(part) => self.fault(&part.part, error),
            None => io::Error::other(error.to_string()),
        }
    }

    /// Returns the place of the part with a body.
    pub(super) fn body_location(&self, groups: &BodyGroups, number: u64) -> Option<String> {
        let (_, group) = groups.group_of(number)?;
        Some(self.store.location_of(&self.manifest.bodies.get(group.part)?.part.file))
    }

    /// Gives the bodies of some numbers to `take`, each once and in the order of the numbers.
    pub fn bodies(
        &self,
        groups: &BodyGroups,
        numbers: impl Iterator<Item = u64>,
        mut take: impl FnMut(u64, &[u8]),
    ) -> io::Result<()> {
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut left = numbers.as_slice();
        while let Some(number) = left.first() {
            let (first, group) = groups.group_of(*number).ok_or_else(|| no_body(*number))?;
            let (now, later) = left.split_at(left.partition_point(|number| number - first < group.rows));
            let rows = now.iter().map(|number| usize::try_from(number - first).unwrap_or(usize::MAX));
            let rows: Vec<usize> = rows.collect();
            let has_them = |bodies: &Bodies| {
                bodies.count() == now.len()
                    && (0..).zip(now).all(|(row, number)| bodies.number(row) == *number)
            };
            let some = Some(rows.as_slice()).filter(|rows| (rows.len() as u64) < group.rows);
            let bodies = self.read_bodies((*number, group), some, &has_them)?;
            for (row, number) in (0..).zip(now) {
                let content = bodies.content(row);
                take(*number, content.map_err(|error| self.body_fault(group, &error))?);
            }
            left = later;
        }
        Ok(())
    }

    /// Reads a row group of a part, or some of its rows.
    fn group(&self, part: &IndexPart, range: &GroupRange, wanted: Option<&[usize]>) -> io::Result<ReadGroup> {
        range.read(&*self.file(part)?, wanted)
    }

    /// Opens a part, or returns it where it is open.
    fn file(&self, part: &IndexPart) -> io::Result<Arc<dyn StoredFile>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = open.iter().find(|(name, _)| *name == part.file) {
            return Ok(Arc::clone(known));
        }
        drop(open);
        let file: Arc<dyn StoredFile> = self.store.open_ranges(&part.file, part.bytes)?.into();
        if file.bytes() != part.bytes {
            let detail = format!("{} bytes, expected {}", file.bytes(), part.bytes);
            return Err(io::Error::other(format!(
                "it is not the file that {INDEX_FILE} describes: {detail}"
            )));
        }
        open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((part.file.clone(), Arc::clone(&file)));
        if open.len() > OPEN_PARTS {
            open.pop_front();
        }
        Ok(file)
    }

    fn fault(&self, part: &IndexPart, error: &dyn std::fmt::Display) -> io::Error {
        io::Error::other(format!("{}: {error}", self.store.location_of(&part.file)))
    }

    /// Looks at the files; returns what is wrong with each that is not as it was written.
    pub fn faults(&self, look: Look) -> io::Result<Vec<String>> {
        let fault = |part: &IndexPart| {
            Ok::<_, io::Error>(match self.store.bytes(&part.file)? {
                None => Some("it is missing".to_owned()),
                Some(bytes) if bytes != part.bytes => Some(format!("{bytes} bytes, expected {}", part.bytes)),
                Some(_) if look == Look::Bytes && !self.is_unchanged(part)? => {
                    Some(format!("it is not the file that {INDEX_FILE} describes"))
                }
                Some(_) => None,
            })
        };
        let found = self.manifest.parts().map(|part| Ok((part, fault(part)?)));
        let found: Vec<_> = found.collect::<io::Result<_>>()?;
        let faults =
            found.into_iter().filter_map(|(part, fault)| Some(self.fault(part, &fault?).to_string()));
        Ok(faults.collect())
    }

    /// Returns whether a part has the bytes with which it was written.
    fn is_unchanged(&self, part: &IndexPart) -> io::Result<bool> {
        let mut digest = Sha256::new();
        read_pieces(&*self.store.open(&part.file)?, |piece| digest.update(piece))?;
        Ok(HEXLOWER.encode(&digest.finalize()) == part.sha256)
    }
}
