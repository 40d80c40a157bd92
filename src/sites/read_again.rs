//! A site index as a stream of hosts, to be merged with others.

use super::collect::in_order;
use super::reader::{GroupPlace, IndexReader};
use super::stream::{FileBody, HostFiles, HostStream};
use crate::error::Error;
use crate::tables::site_index::{Bodies, BodyGroups, Fetches, IndexedArchive, NumberedFetch, SharedBytes};

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

/// All hosts of an index.
pub struct IndexStream {
    index: Arc<IndexReader>,
    place: Option<GroupPlace>,
    group: Option<(GroupPlace, Fetches)>,
    row: usize,
    archives: Vec<IndexedArchive>,
    held: Held,
}

/// Row groups of bodies that were read, so that those of neighbours, and those that many hosts have, are not read again.
#[derive(Default)]
struct Held {
    /// Where the bodies of the current row group of `fetches` are.
    groups: BodyGroups,
    /// Row groups; the one that was asked last is at the end.
    read: VecDeque<HeldGroup>,
    /// Bodies that were asked for when their row group had been forgotten.
    again: HashMap<u64, FileBody>,
    again_bytes: usize,
    /// The first body of the furthest row group.
    furthest: u64,
}

/// A row group of bodies.
struct HeldGroup {
    first: u64,
    bodies: Bodies,
    /// The part that has it.
    part: Arc<str>,
}

/// The most bytes of row groups that a stream holds, but for the last one, and of bodies that were asked for again.
const HELD_BYTES: usize = 4 << 20;

impl Held {
    /// Returns a body.
    fn body(&mut self, index: &IndexReader, number: u64) -> io::Result<FileBody> {
        if let Some(place) = self.read.iter().rposition(|held| held.row(number).is_some()) {
            let last = self.read.len() - 1;
            self.read.swap(place, last);
        } else if let Some(body) = self.again.get(&number) {
            return Ok(body.clone());
        } else {
            self.read(index, number)?;
        }
        let held = self.read.back().ok_or_else(|| io::Error::other("a row group that was read is gone"))?;
        let body = held.body(number)?;
        if held.first < self.furthest && !self.again.contains_key(&number) {
            self.keep(number, &body);
        }
        Ok(body)
    }

    /// Reads the row group with a body, and forgets others.
    fn read(&mut self, index: &IndexReader, number: u64) -> io::Result<()> {
        let (first, bodies) = index.body_group(&self.groups, number)?;
        let part = index.body_location(&self.groups, number).unwrap_or_default().into();
        let mut bytes: usize = self.read.iter().map(|held| held.bodies.bytes()).sum();
        bytes += bodies.bytes();
        while bytes > HELD_BYTES
            && let Some(oldest) = self.read.pop_front()
        {
            bytes -= oldest.bodies.bytes();
        }
        self.furthest = self.furthest.max(first);
        self.read.push_back(HeldGroup { first, bodies, part });
        Ok(())
    }

    /// Keeps a copy of a body, so that its row group is not read once more for it.
    fn keep(&mut self, number: u64, body: &FileBody) {
        if self.again_bytes + body.content.len() > HELD_BYTES {
            self.again.clear();
            self.again_bytes = 0;
        }
        self.again_bytes += body.content.len();
        let content = SharedBytes::from_slice_ref(&*body.content);
        self.again.insert(number, FileBody { content, ..body.clone() });
    }
}

impl HeldGroup {
    /// Returns the row of a body.
    fn row(&self, number: u64) -> Option<usize> {
        let row = usize::try_from(number.checked_sub(self.first)?).ok()?;
        (row < self.bodies.count()).then_some(row)
    }

    fn body(&self, number: u64) -> io::Result<FileBody> {
        let row = self.row(number).ok_or_else(|| io::Error::other(format!("there is no body {number}")))?;
        let digest = self.bodies.digest(row);
        let digest = digest.map_err(|error| io::Error::other(format!("{}: {error}", self.part)))?;
        Ok(FileBody { digest, content: self.bodies.shared(row), part: Some(Arc::clone(&self.part)) })
    }
}

impl IndexStream {
    /// Begins with the first host.
    pub fn new(index: Arc<IndexReader>) -> Result<Self, Error> {
        let archives = index.archives();
        let archives =
            archives.map_err(|source| Error::IndexUnreadable { location: index.location(), source })?;
        let place = Some(GroupPlace { part: 0, group: 0 });
        Ok(Self { index, place, group: None, row: 0, archives, held: Held::default() })
    }

    /// Makes `group` the one with the next row; returns whether there is one.
    fn has_row(&mut self) -> io::Result<bool> {
        loop {
            if self.group.as_ref().is_some_and(|(_, group)| self.row < group.count()) {
                return Ok(true);
            }
            let Some(GroupPlace { part, group }) = self.place else { return Ok(false) };
            let Some(found) = self.index.manifest().fetches.get(part) else {
                self.place = None;
                continue;
            };
            if group >= found.groups.len() {
                self.place = Some(GroupPlace { part: part + 1, group: 0 });
                continue;
            }
            self.held.groups = BodyGroups::default();
            let place = GroupPlace { part, group };
            let rows = self.index.fetches(place, &mut self.held.groups)?;
            (self.group, self.row) = (Some((place, rows)), 0);
            self.place = Some(GroupPlace { part, group: group + 1 });
        }
    }

    /// Returns the answers of the next host, with the numbers of their bodies.
    fn numbered(&mut self) -> io::Result<Vec<NumberedFetch>> {
        let mut fetches = Vec::<NumberedFetch>::new();
        if let Some((place, group)) = &self.group {
            let surt = group.surt(self.row);
            while self.row < group.count() && group.surt(self.row) == surt {
                let before = fetches.last().map(|(before, _)| &before.host);
                fetches.push(self.index.fetch(*place, group, self.row, before, &self.held.groups)?);
                self.row += 1;
            }
        }
        Ok(fetches)
    }
}

impl HostStream for IndexStream {
    fn archives(&self) -> &[IndexedArchive] {
        &self.archives
    }

    fn next_hosts(&mut self) -> Result<Option<HostFiles>, Error> {
        let found = self.hosts();
        found.map_err(|source| Error::IndexUnreadable { location: self.index.location(), source })
    }
}

impl IndexStream {
    fn hosts(&mut self) -> io::Result<Option<HostFiles>> {
        if !self.has_row()? {
            return Ok(None);
        }
        let fetches = self.numbered()?;
        let mut hosts = HostFiles::default();
        for (fetch, seen) in fetches {
            hosts.surt = Arc::clone(&fetch.host.surt);
            let body = fetch.body.map(|(number, _)| self.held.body(&self.index, number)).transpose()?;
            hosts.fetches.push((fetch.with_body(body), seen));
        }
        // Numbers are in another order than digests.
        in_order(&mut hosts.fetches);
        Ok(Some(hosts))
    }
}
