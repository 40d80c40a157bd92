//! A site index as a stream of answers, to be merged with others.

use super::reader::{GroupPlace, IndexReader, ReadFetches};
use super::stream::{AnswerStream, BodySource, IndexedBody, SeenFetch, joined};
use crate::error::Error;
use crate::tables::site_index::{Bodies, BodyGroups, SharedBytes, SiteHost};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::vec::IntoIter;

struct IndexRows {
    index: Arc<IndexReader>,
    places: IntoIter<GroupPlace>,
    group: Option<ReadFetches>,
    row: usize,
    host: Option<SiteHost>,
    held: HeldRowGroups,
}

/// Row groups of bodies that were read, so that those of neighbours and of many hosts are not read again.
#[derive(Default)]
struct HeldRowGroups {
    /// The one that was used last is at the end.
    read: VecDeque<HeldGroup>,
    /// Bodies that were requested after their row group was dropped.
    again: HashMap<u64, IndexedBody>,
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

impl HeldRowGroups {
    fn body(&mut self, place: (&IndexReader, &BodyGroups), number: u64) -> io::Result<IndexedBody> {
        if let Some(place) = self
            .read
            .iter()
            .rposition(|held| held.row(number).is_some())
        {
            let last = self.read.len() - 1;
            self.read.swap(place, last);
        } else if let Some(body) = self.again.get(&number) {
            return Ok(body.clone());
        } else {
            self.read(place, number)?;
        }
        let held = self
            .read
            .back()
            .ok_or_else(|| io::Error::other("a row group that was read is gone"))?;
        let body = held.body(number)?;
        if held.first < self.furthest && !self.again.contains_key(&number) {
            self.keep(number, &body);
        }
        Ok(body)
    }

    fn read(
        &mut self,
        (index, groups): (&IndexReader, &BodyGroups),
        number: u64,
    ) -> io::Result<()> {
        let (first, bodies) = index.body_group(groups, number)?;
        let part = index
            .body_location(groups, number)
            .unwrap_or_default()
            .into();
        let mut bytes: usize = self.read.iter().map(|held| held.bodies.bytes()).sum();
        bytes += bodies.bytes();
        while bytes > HELD_BYTES
            && let Some(oldest) = self.read.pop_front()
        {
            bytes -= oldest.bodies.bytes();
        }
        self.furthest = self.furthest.max(first);
        self.read.push_back(HeldGroup {
            first,
            bodies,
            part,
        });
        Ok(())
    }

    /// Keeps a copy of a body, so that its row group is not read again for it.
    fn keep(&mut self, number: u64, body: &IndexedBody) {
        let BodySource::Index(content, part) = &body.source else {
            return;
        };
        if self.again_bytes + content.len() > HELD_BYTES {
            self.again.clear();
            self.again_bytes = 0;
        }
        self.again_bytes += content.len();
        let source = BodySource::Index(SharedBytes::from_slice_ref(&**content), Arc::clone(part));
        self.again.insert(
            number,
            IndexedBody {
                source,
                ..body.clone()
            },
        );
    }
}

impl HeldGroup {
    fn row(&self, number: u64) -> Option<usize> {
        let row = usize::try_from(number.checked_sub(self.first)?).ok()?;
        (row < self.bodies.count()).then_some(row)
    }

    fn body(&self, number: u64) -> io::Result<IndexedBody> {
        let row = self
            .row(number)
            .ok_or_else(|| io::Error::other(format!("there is no body {number}")))?;
        let digest = self.bodies.digest(row);
        let digest = digest.map_err(|error| io::Error::other(format!("{}: {error}", self.part)))?;
        let source = BodySource::Index(self.bodies.shared(row), Arc::clone(&self.part));
        Ok(IndexedBody { digest, source })
    }
}

impl IndexRows {
    fn next_row(&mut self) -> io::Result<Option<SeenFetch>> {
        while self
            .group
            .as_ref()
            .is_none_or(|group| self.row >= group.rows.count())
        {
            let Some(place) = self.places.next() else {
                return Ok(None);
            };
            (self.group, self.row) = (Some(self.index.fetches(place)?), 0);
        }
        let Some(group) = &self.group else {
            return Ok(None);
        };
        let (fetch, seen) = self.index.fetch(group, self.row, self.host.as_ref())?;
        self.host = Some(fetch.host.clone());
        self.row += 1;
        let place = (&*self.index, &group.bodies);
        let body = fetch
            .body
            .map(|(number, _)| self.held.body(place, number))
            .transpose()?;
        Ok(Some((fetch.with_body(body), seen)))
    }
}

/// Returns all answers of an index.
pub fn answers(index: Arc<IndexReader>) -> Result<AnswerStream<'static>, Error> {
    let (location, captures) = (index.location(), index.manifest.captures);
    let of_rows = location.clone();
    let unreadable = move |source| Error::IndexUnreadable {
        location: of_rows.clone(),
        source,
    };
    let archives = index.archives().map_err(&unreadable)?;
    let groups = index
        .manifest
        .fetches
        .iter()
        .map(|part| part.groups.len())
        .enumerate();
    let places =
        groups.flat_map(|(part, groups)| (0..groups).map(move |group| GroupPlace { part, group }));
    let places = places.collect::<Vec<_>>().into_iter();
    let mut rows = IndexRows {
        index,
        places,
        group: None,
        row: 0,
        host: None,
        held: HeldRowGroups::default(),
    };
    let rows = std::iter::from_fn(move || rows.next_row().map_err(&unreadable).transpose());
    let answers = Box::new(joined(rows, location.clone()));
    Ok(AnswerStream {
        location,
        archives,
        captures,
        answers,
    })
}
