//! A site index, read host by host or from its beginning, wherever it is kept.
//!
//! Example: for `https://a.example/x` the key table of `_index.json` names one row group of `fetches`, and its footer gives the
//! places of its bodies. An index from a stranger can only make its own answers wrong: lengths, digests of row groups and the
//! order of rows are checked. Left out: the content of the files.

use super::manifest::{FetchGroup, FetchPart, HostKey, INDEX_FILE, IndexManifest};
use crate::error::Error;
use crate::runs::Comparison;
use crate::store::{Store, StoredFile, read_pieces};
use crate::tables::site_index::{
    Bodies, BodyGroup, BodyGroups, CheckedGroup, Fetches, GroupRange, IndexPart, NumberedFetch,
    ReadGroup, SiteHost,
};
use crate::verdict::Cache;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

const OPEN_PARTS: usize = 16;

/// A site index.
pub struct IndexReader {
    store: Arc<dyn Store>,
    /// The content of `_index.json`.
    pub manifest: IndexManifest,
    /// SHA-256 of `_index.json`, in hexadecimal digits: it identifies all of the index.
    pub digest: String,
    /// Parts that are open, by name.
    open: Cache<String, Box<dyn StoredFile>>,
}

pub fn as_key((surt, name): &HostKey) -> (&str, &str) {
    (surt, name)
}

/// Returns whether a row group begins before a host, or with its first rows: if a host begins a row group, the previous one has
/// rows of it only if `is_continued` is set.
pub fn begins_before(group: &FetchGroup, key: (&str, &str)) -> bool {
    (as_key(&group.first), group.is_continued) <= (key, false)
}

fn no_body(number: u64) -> io::Error {
    io::Error::other(format!("there is no body {number}"))
}

/// The place of a row group: its part, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupPlace {
    /// The part.
    pub part: usize,
    /// The group.
    pub group: usize,
}

/// A row group of `fetches` that was read.
pub struct ReadFetches {
    pub place: GroupPlace,
    pub rows: Fetches,
    /// The places of the bodies that its rows name.
    pub bodies: BodyGroups,
    /// About how many bytes of memory it takes.
    pub bytes: usize,
}

/// Row groups of bodies, by their part's file and their place, for callers that ask for one host after another.
pub type KeptBodies = Cache<(String, GroupRange), CheckedGroup>;

impl IndexReader {
    /// Opens an index; `digest` is the expected SHA-256 of `_index.json`, if it is known.
    ///
    /// # Errors
    /// [`Error::NoIndex`], [`Error::IndexUnreadable`].
    pub fn open(store: Arc<dyn Store>, digest: Option<&str>) -> Result<Self, Error> {
        let unreadable = |source| Error::IndexUnreadable {
            location: store.location(),
            source,
        };
        let bytes = store.read(INDEX_FILE).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| Error::NoIndex {
            location: store.location(),
        })?;
        let found = HEXLOWER.encode(&Sha256::digest(&bytes));
        if let Some(expected) = digest.filter(|expected| !expected.eq_ignore_ascii_case(&found)) {
            let detail = format!("{INDEX_FILE} has the SHA-256 {found}, expected {expected}");
            return Err(unreadable(io::Error::other(detail)));
        }
        let manifest = IndexManifest::read(&bytes);
        let manifest = manifest
            .map_err(|error| unreadable(io::Error::other(format!("{INDEX_FILE}: {error}"))))?;
        Ok(Self {
            store,
            manifest,
            digest: found,
            open: Cache::new(OPEN_PARTS),
        })
    }

    /// Returns whether the index was replaced or removed since it was opened: its parts may be gone.
    pub fn is_replaced(&self) -> bool {
        let Ok(found) = self.store.read(INDEX_FILE) else {
            return false;
        };
        found.is_none_or(|bytes| HEXLOWER.encode(&Sha256::digest(&bytes)) != self.digest)
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the location of the index.
    pub fn location(&self) -> String {
        self.store.location()
    }

    /// Returns the row groups that may have rows of a host: one, or several if it has many rows.
    pub fn groups_of(&self, host: &SiteHost) -> impl Iterator<Item = GroupPlace> {
        let first = self.group_of(host);
        let key = (&*host.surt, &*host.name);
        std::iter::successors(first, move |place| self.next_group(*place)).take_while(
            move |place| {
                let begins = self.fetch_group(*place).map(|group| as_key(&group.first));
                Some(*place) == first || begins.is_some_and(|begins| begins <= key)
            },
        )
    }

    /// Returns the first row group that may have rows of a host, if any may.
    pub fn group_of(&self, host: &SiteHost) -> Option<GroupPlace> {
        let key = (&*host.surt, &*host.name);
        let is_within = |part: &FetchPart| key <= as_key(&part.last);
        self.group_before(key)
            .filter(|place| self.manifest.fetches.get(place.part).is_some_and(is_within))
    }

    /// Returns the last row group that begins before a host, or with its first rows.
    pub(super) fn group_before(&self, key: (&str, &str)) -> Option<GroupPlace> {
        let parts = &self.manifest.fetches;
        let is_before = |group: &FetchGroup| begins_before(group, key);
        let before = parts.partition_point(|part| part.groups.first().is_some_and(is_before));
        let part = before.checked_sub(1)?;
        let group = parts
            .get(part)?
            .groups
            .partition_point(is_before)
            .checked_sub(1)?;
        Some(GroupPlace { part, group })
    }

    pub(super) fn next_group(&self, GroupPlace { part, group }: GroupPlace) -> Option<GroupPlace> {
        let next = [
            GroupPlace {
                part,
                group: group + 1,
            },
            GroupPlace {
                part: part + 1,
                group: 0,
            },
        ];
        next.into_iter()
            .find(|next| self.fetch_group(*next).is_some())
    }

    pub(super) fn fetch_group(&self, place: GroupPlace) -> Option<&FetchGroup> {
        self.manifest
            .fetches
            .get(place.part)?
            .groups
            .get(place.group)
    }

    /// Reads a row group of `fetches`.
    pub fn fetches(&self, place: GroupPlace) -> io::Result<ReadFetches> {
        let absent = || io::Error::other("it has no such row group");
        let part = self.manifest.fetches.get(place.part).ok_or_else(absent)?;
        let group = part.groups.get(place.group).ok_or_else(absent)?;
        let next = part.groups.get(place.group + 1);
        let read = self.group(&part.part, &group.range).and_then(|read| {
            let mut bodies = BodyGroups::default();
            bodies.add(read.about.as_deref().unwrap_or_default())?;
            let rows = Fetches::new(&read.rows)?;
            let last = rows.count().checked_sub(1).map(|row| rows.host(row));
            let is_within = |last| match next {
                Some(next) if next.is_continued => last == as_key(&next.first),
                Some(next) => last < as_key(&next.first),
                None => last <= as_key(&part.last),
            };
            // Otherwise a look-up would not find a host beyond.
            if rows.count() > 0
                && rows.host(0) == as_key(&group.first)
                && last.is_some_and(is_within)
            {
                let bytes =
                    read.rows.get_array_memory_size() + 3 * read.about.map_or(0, |list| list.len());
                return Ok(ReadFetches {
                    place,
                    rows,
                    bodies,
                    bytes,
                });
            }
            Err(io::Error::other(format!(
                "its row group at byte {} has other hosts than {INDEX_FILE} says",
                group.range.start
            )))
        });
        read.map_err(|error| self.fault(&part.part, &error))
    }

    /// Returns a row of `fetches` with its captures; its host is shared with the previous row if they are equal.
    pub fn fetch(
        &self,
        group: &ReadFetches,
        row: usize,
        before: Option<&SiteHost>,
    ) -> io::Result<NumberedFetch> {
        let read = group.rows.fetch(row, before).and_then(|fetch| {
            let body = fetch.body.map(|(number, _)| number);
            if let Some(number) = body.filter(|number| group.bodies.group_of(*number).is_none()) {
                return Err(io::Error::other(format!(
                    "its list of bodies lacks body {number}"
                )));
            }
            Ok((fetch, group.rows.seen(row)?))
        });
        read.map_err(|error| match self.manifest.fetches.get(group.place.part) {
            Some(part) => self.fault(&part.part, &error),
            None => error,
        })
    }

    /// Returns the hosts that begin in a row group of `fetches`.
    pub fn hosts(&self, place: GroupPlace) -> io::Result<BTreeSet<SiteHost>> {
        let fetches = self.fetches(place)?.rows;
        let first = self
            .fetch_group(place)
            .filter(|group| group.is_continued)
            .map(|group| &group.first);
        let hosts = (0..fetches.count()).map(|row| fetches.host(row));
        let hosts = hosts.filter(|host| first.is_none_or(|first| as_key(first) != *host));
        Ok(hosts
            .map(|(surt, name)| SiteHost {
                surt: surt.into(),
                name: name.into(),
            })
            .collect())
    }

    /// Reads the row group with a body; returns the number of its first body, and its bodies.
    pub fn body_group(&self, groups: &BodyGroups, number: u64) -> io::Result<(u64, Bodies)> {
        let (first, group) = groups.group_of(number).ok_or_else(|| no_body(number))?;
        let has_all = |bodies: &Bodies| {
            let is_numbered = (first..)
                .zip(0..bodies.count())
                .all(|(at, row)| bodies.number(row) == at);
            is_numbered && number - first < bodies.count() as u64
        };
        let read = self.read_bodies((number, group), None, &has_all, None)?;
        Ok((first, read.0))
    }

    /// Reads some or all rows of the row group with a body and checks them with `is_expected`; returns also their part.
    fn read_bodies(
        &self,
        (number, group): (u64, &BodyGroup),
        wanted: Option<&[usize]>,
        is_expected: &dyn Fn(&Bodies) -> bool,
        kept: Option<&KeptBodies>,
    ) -> io::Result<(Bodies, &IndexPart)> {
        let unlisted = || {
            io::Error::other(format!(
                "{INDEX_FILE} lists no part of bodies with body {number}"
            ))
        };
        let part = &self
            .manifest
            .bodies
            .get(group.part)
            .ok_or_else(unlisted)?
            .part;
        let checked = match kept {
            None => self.checked(part, &group.range).map(Arc::new),
            Some(kept) => kept.get_or_make((part.file.clone(), group.range.clone()), |_| {
                let checked = self.checked(part, &group.range)?;
                let bytes = checked.byte_count();
                Ok((checked, bytes))
            }),
        };
        let read = checked.and_then(|checked| {
            let bodies = Bodies::new(&checked.rows(wanted)?.rows)?;
            if is_expected(&bodies) {
                Ok((bodies, part))
            } else {
                Err(no_body(number))
            }
        });
        read.map_err(|error| self.fault(part, &error))
    }

    pub(super) fn body_location(&self, groups: &BodyGroups, number: u64) -> Option<String> {
        let (_, group) = groups.group_of(number)?;
        Some(
            self.store
                .location_of(&self.manifest.bodies.get(group.part)?.part.file),
        )
    }

    /// Gives the bodies with some numbers to `take` with their SHA-1, each once and in the order of the numbers.
    pub fn bodies(
        &self,
        groups: &BodyGroups,
        numbers: impl Iterator<Item = u64>,
        kept: &KeptBodies,
        mut take: impl FnMut(u64, [u8; 20], &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut left = numbers.as_slice();
        while let Some(number) = left.first() {
            let (first, group) = groups.group_of(*number).ok_or_else(|| no_body(*number))?;
            let (now, later) =
                left.split_at(left.partition_point(|number| number - first < group.rows));
            let rows = now
                .iter()
                .map(|number| usize::try_from(number - first).unwrap_or(usize::MAX));
            let rows: Vec<usize> = rows.collect();
            let has_them = |bodies: &Bodies| {
                bodies.count() == now.len()
                    && (0..)
                        .zip(now)
                        .all(|(row, number)| bodies.number(row) == *number)
            };
            let some = Some(rows.as_slice()).filter(|rows| (rows.len() as u64) < group.rows);
            let (bodies, part) = self.read_bodies((*number, group), some, &has_them, Some(kept))?;
            for (row, number) in (0..).zip(now) {
                let found = bodies
                    .content(row)
                    .and_then(|content| Ok((bodies.digest(row)?, content)));
                let (digest, content) = found.map_err(|error| self.fault(part, &error))?;
                take(*number, digest, content)?;
            }
            left = later;
        }
        Ok(())
    }

    pub(super) fn group(&self, part: &IndexPart, range: &GroupRange) -> io::Result<ReadGroup> {
        self.checked(part, range)?.rows(None)
    }

    fn checked(&self, part: &IndexPart, range: &GroupRange) -> io::Result<CheckedGroup> {
        range.read(&**self.file(part)?)
    }

    fn file(&self, part: &IndexPart) -> io::Result<Arc<Box<dyn StoredFile>>> {
        self.open.get_or_make(part.file.clone(), |name| {
            let file = self.store.open_ranges(name, part.bytes)?;
            if file.bytes() == part.bytes {
                return Ok((file, 1));
            }
            let detail = format!("{} bytes, expected {}", file.bytes(), part.bytes);
            Err(io::Error::other(format!(
                "it is not the file that {INDEX_FILE} describes: {detail}"
            )))
        })
    }

    pub(super) fn fault(&self, part: &IndexPart, error: &dyn std::fmt::Display) -> io::Error {
        io::Error::other(format!("{}: {error}", self.store.location_of(&part.file)))
    }

    /// Checks the files; returns a message for each that is not as it was written.
    pub fn faults(&self, comparison: Comparison) -> io::Result<Vec<String>> {
        let mut faults = Vec::new();
        for part in self.manifest.parts() {
            let fault = match self.store.bytes(&part.file)? {
                None => "it is missing".to_owned(),
                Some(bytes) if bytes != part.bytes => {
                    format!("{bytes} bytes, expected {}", part.bytes)
                }
                Some(_) if comparison == Comparison::Bytes && !self.is_unchanged(part)? => {
                    format!("it is not the file that {INDEX_FILE} describes")
                }
                Some(_) => continue,
            };
            faults.push(self.fault(part, &fault).to_string());
        }
        Ok(faults)
    }

    fn is_unchanged(&self, part: &IndexPart) -> io::Result<bool> {
        let mut digest = Sha256::new();
        read_pieces(&*self.store.open(&part.file)?, |piece| digest.update(piece))?;
        Ok(HEXLOWER.encode(&digest.finalize()) == part.sha256)
    }
}
