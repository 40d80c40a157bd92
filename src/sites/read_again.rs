//! A site index as a stream of hosts, to be merged with others.

use super::collect::in_order;
use super::reader::{GroupPlace, IndexReader};
use super::stream::{BodyDigest, HostFiles, HostStream};
use crate::error::Error;
use crate::tables::site_index::{BodyGroups, Fetches, IndexedArchive, NumberedFetch};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// All hosts of an index.
pub struct IndexStream {
    index: Arc<IndexReader>,
    place: Option<GroupPlace>,
    group: Option<Fetches>,
    row: usize,
    archives: Vec<IndexedArchive>,
    held: Held,
}

/// Bodies that were read, so that those of neighbours, and those that many hosts have, are not read again.
#[derive(Default)]
struct Held {
    bodies: HashMap<u64, HeldBody>,
    bytes: usize,
    /// Where the bodies of the current row group are.
    groups: BodyGroups,
}

struct HeldBody {
    digest: BodyDigest,
    content: Arc<[u8]>,
    asked: u32,
}

/// The most bytes of bodies that a stream holds, but for those of one row group.
const HELD_BYTES: usize = 8 << 20;

impl Held {
    /// Returns a body.
    fn body(&mut self, index: &IndexReader, number: u64) -> io::Result<(BodyDigest, Arc<[u8]>)> {
        if !self.bodies.contains_key(&number) {
            self.read(index, number)?;
        }
        let body =
            self.bodies.get_mut(&number).ok_or_else(|| io::Error::other("a body that was read is gone"))?;
        body.asked += 1;
        Ok((body.digest, body.content.clone()))
    }

    fn read(&mut self, index: &IndexReader, number: u64) -> io::Result<()> {
        for least in [2, u32::MAX] {
            if self.bytes > HELD_BYTES {
                self.bodies.retain(|_, body| body.asked >= least);
                self.bytes = self.bodies.values().map(|body| body.content.len()).sum();
            }
        }
        let (first, bodies) = index.body_group(&self.groups, number)?;
        for (number, row) in (first..).zip(0..bodies.count()) {
            let (digest, content) = (bodies.digest(row)?, Arc::<[u8]>::from(bodies.content(row)));
            self.bytes += content.len();
            self.bodies.entry(number).or_insert(HeldBody { digest, content, asked: 0 });
        }
        Ok(())
    }
}

impl IndexStream {
    /// Begins with the first host.
    ///
    /// # Errors
    /// Why the archives cannot be read.
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
            if self.group.as_ref().is_some_and(|group| self.row < group.count()) {
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
            let rows = self.index.fetches(GroupPlace { part, group }, &mut self.held.groups)?;
            (self.group, self.row) = (Some(rows), 0);
            self.place = Some(GroupPlace { part, group: group + 1 });
        }
    }

    /// Returns the answers of the next host, with the numbers of their bodies.
    fn numbered(&mut self) -> io::Result<Vec<NumberedFetch>> {
        let mut fetches = Vec::new();
        if let Some(group) = &self.group {
            let surt = group.surt(self.row);
            while self.row < group.count() && group.surt(self.row) == surt {
                fetches.push((group.fetch(self.row)?, group.seen(self.row)?));
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
            hosts.surt.clone_from(&fetch.host.surt);
            let body = fetch.body.map(|(number, _)| self.held.body(&self.index, number)).transpose()?;
            let digest = body.map(|(digest, content)| {
                hosts.bodies.insert(digest, content);
                digest
            });
            hosts.fetches.push((fetch.with_body(digest), seen));
        }
        // Numbers are in another order than digests.
        in_order(&mut hosts.fetches);
        Ok(Some(hosts))
    }
}
