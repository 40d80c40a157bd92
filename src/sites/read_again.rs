//! A site index as a stream of answers, to be merged with others.

use super::reader::{GroupPlace, IndexReader, ReadFetches};
use super::stream::{AnswerStream, BodySource, FileBody, SeenFetch};
use crate::error::Error;
use crate::tables::site_index::{Bodies, BodyGroups, IndexedArchive, SharedBytes, SiteHost};

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

/// All answers of an index.
pub struct IndexStream {
    index: Arc<IndexReader>,
    place: Option<GroupPlace>,
    group: Option<ReadFetches>,
    row: usize,
    host: Option<SiteHost>,
    /// The row after the answer that was returned last.
    ahead: Option<SeenFetch>,
    archives: Vec<IndexedArchive>,
    held: Held,
}

/// Row groups of bodies that were read, so that those of neighbours and of many hosts are not read again.
#[derive(Default)]
struct Held {
    /// The one that was used last is at the end.
    read: VecDeque<HeldGroup>,
    /// Bodies that were requested after their row group was dropped.
    again: HashMap<u64, FileBody>,
    again_bytes: usize,
    /// The first body of the furthest row group.
    furthest: u64,
}

struct HeldGroup {
    first: u64,
    bodies: Bodies,
    part: Arc<str>,
}

/// The most bytes of row groups, without the last one, and of `again`, that a stream holds.
const HELD_BYTES: usize = 4 << 20;

impl Held {
    fn body(&mut self, place: (&IndexReader, &BodyGroups), number: u64) -> io::Result<FileBody> {
        if let Some(place) = self.read.iter().rposition(|held| held.row(number).is_some()) {
            let last = self.read.len() - 1;
            self.read.swap(place, last);
        } else if let Some(body) = self.again.get(&number) {
            return Ok(body.clone());
        } else {
            self.read(place, number)?;
        }
        let held = self.read.back().ok_or_else(|| io::Error::other("a row group that was read is gone"))?;
        let body = held.body(number)?;
        if held.first < self.furthest && !self.again.contains_key(&number) {
            self.keep(number, &body);
        }
        Ok(body)
    }

    fn read(&mut self, (index, groups): (&IndexReader, &BodyGroups), number: u64) -> io::Result<()> {
        let (first, bodies) = index.body_group(groups, number)?;
        let part = index.body_location(groups, number).unwrap_or_default().into();
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

    /// Keeps a copy of a body, so that its row group is not read again for it.
    fn keep(&mut self, number: u64, body: &FileBody) {
        let BodySource::Index(content, part) = &body.source else { return };
        if self.again_bytes + content.len() > HELD_BYTES {
            self.again.clear();
            self.again_bytes = 0;
        }
        self.again_bytes += content.len();
        let source = BodySource::Index(SharedBytes::from_slice_ref(&**content), Arc::clone(part));
        self.again.insert(number, FileBody { source, ..body.clone() });
    }
}

impl HeldGroup {
    fn row(&self, number: u64) -> Option<usize> {
        let row = usize::try_from(number.checked_sub(self.first)?).ok()?;
        (row < self.bodies.count()).then_some(row)
    }

    fn body(&self, number: u64) -> io::Result<FileBody> {
        let row = self.row(number).ok_or_else(|| io::Error::other(format!("there is no body {number}")))?;
        let digest = self.bodies.digest(row);
        let digest = digest.map_err(|error| io::Error::other(format!("{}: {error}", self.part)))?;
        let source = BodySource::Index(self.bodies.shared(row), Arc::clone(&self.part));
        Ok(FileBody { digest, source })
    }
}

impl IndexStream {
    /// Begins with the first host.
    pub fn new(index: Arc<IndexReader>) -> Result<Self, Error> {
        let archives = index.archives();
        let archives =
            archives.map_err(|source| Error::IndexUnreadable { location: index.location(), source })?;
        let place = Some(GroupPlace { part: 0, group: 0 });
        Ok(Self {
            index,
            place,
            group: None,
            row: 0,
            host: None,
            ahead: None,
            archives,
            held: Held::default(),
        })
    }

    /// Moves to the group with the next row; returns whether there is a next row.
    fn has_row(&mut self) -> io::Result<bool> {
        loop {
            if self.group.as_ref().is_some_and(|group| self.row < group.rows.count()) {
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
            (self.group, self.row) = (Some(self.index.fetches(GroupPlace { part, group })?), 0);
            self.place = Some(GroupPlace { part, group: group + 1 });
        }
    }

    fn next_row(&mut self) -> io::Result<Option<SeenFetch>> {
        if !self.has_row()? {
            return Ok(None);
        }
        let Some(group) = &self.group else { return Ok(None) };
        let (fetch, seen) = self.index.fetch(group, self.row, self.host.as_ref())?;
        self.host = Some(fetch.host.clone());
        self.row += 1;
        let place = (&*self.index, &group.bodies);
        let body = fetch.body.map(|(number, _)| self.held.body(place, number)).transpose()?;
        Ok(Some((fetch.with_body(body), seen)))
    }

    /// Returns the next answer, which may span several rows.
    fn answer(&mut self) -> io::Result<Option<SeenFetch>> {
        let first = if self.ahead.is_some() { self.ahead.take() } else { self.next_row()? };
        let Some((fetch, mut all)) = first else { return Ok(None) };
        while let Some((next, seen)) = self.next_row()? {
            if next < fetch {
                let host = &next.host.name;
                return Err(io::Error::other(format!("the answers of {host} are not sorted")));
            }
            if next > fetch {
                self.ahead = Some((next, seen));
                break;
            }
            all.extend(seen);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Some((fetch, all)))
    }
}

impl AnswerStream for IndexStream {
    fn archives(&self) -> &[IndexedArchive] {
        &self.archives
    }

    fn captures(&self) -> u64 {
        self.index.manifest().captures
    }

    fn next_answer(&mut self) -> Result<Option<SeenFetch>, Error> {
        let found = self.answer();
        found.map_err(|source| Error::IndexUnreadable { location: self.index.location(), source })
    }

    fn content(&self, body: &FileBody) -> Result<SharedBytes, Error> {
        match &body.source {
            BodySource::Index(content, _) => Ok(content.clone()),
            BodySource::Evidence(number) => Err(Error::IndexUnreadable {
                location: self.index.location(),
                source: io::Error::other(format!("body {number} is of evidence")),
            }),
        }
    }
}
