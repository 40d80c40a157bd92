//! The origins of a group: what each batch knows of them, and what all batches know together.
//!
//! A batch writes runs of rows, each sorted by origin. Merging the runs gives every origin once, in order, and
//! holds one slice of each run. Example: a page of `https://a.example` in one batch and its robots.txt in another
//! are one origin. Left out: what the files of sites say (`sites`).

use super::Work;
use super::group::{BatchName, Group};
use super::part::Part;
use crate::tables::origins::{self, Host, ORIGINS, OriginRow, PageCounts};
use crate::tables::{Rows, Slices};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use arrow_array::RecordBatch;
use std::cmp::Reverse;
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, BinaryHeap};
use std::io;
use std::vec::IntoIter;

/// The origins of a run, of some 250 bytes each: a worker holds them while it resolves a batch.
const RUN_ROWS: usize = 1 << 17;

/// Origins by name, and what is known of them.
#[derive(Default)]
pub struct FoundOrigins(BTreeMap<Box<str>, OriginRow>);

impl FoundOrigins {
    /// Adds a capture, a row of a slice of `captures`; returns the counts for its pages.
    pub fn add(
        &mut self,
        origin: &Origin,
        fetched_at: Option<Timestamp>,
        (slice, row): (&RecordBatch, usize),
    ) -> io::Result<&mut PageCounts> {
        let known = match self.0.entry(origin.as_str().into()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => {
                let (host, pages) = (Host::of(slice, row)?, PageCounts::default());
                vacant.insert(OriginRow { newest: None, host, pages })
            }
        };
        known.newest = known.newest.max(fetched_at);
        Ok(&mut known.pages)
    }
}

/// The origins of a batch, being found.
pub struct BatchOrigins {
    found: BTreeMap<Box<str>, OriginRow>,
    part: Part,
}

impl BatchOrigins {
    /// Begins with none.
    pub fn begin(batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        Ok(Self { found: BTreeMap::new(), part: Part::of_runs(&ORIGINS, batch, RUN_ROWS, work)? })
    }

    /// Adds the origins of some captures.
    pub fn add(&mut self, found: FoundOrigins) -> io::Result<()> {
        for (origin, row) in found.0 {
            if self.found.len() == RUN_ROWS && !self.found.contains_key(&origin) {
                self.write_run()?;
            }
            match self.found.entry(origin) {
                Entry::Occupied(mut known) => known.get_mut().add(&row),
                Entry::Vacant(vacant) => {
                    vacant.insert(row);
                }
            }
        }
        Ok(())
    }

    /// Ends the part.
    pub fn finish(mut self) -> io::Result<Part> {
        self.write_run()?;
        Ok(self.part)
    }

    /// Writes the origins that were found as a row group.
    fn write_run(&mut self) -> io::Result<()> {
        let mut rows = Rows::new(&ORIGINS);
        for (origin, row) in std::mem::take(&mut self.found) {
            origins::append(&mut rows, &origin, &row);
        }
        self.part.write(&rows.finish()?)
    }
}

/// Returns the crawls of a group whose origins have rows of their own: that of a segment, or each crawl of inputs
/// that share an index.
pub fn crawls(group: &Group<'_>) -> BTreeSet<String> {
    group.batches().into_iter().map(|batch| batch.name.crawl).collect()
}

/// The origins of a crawl, in order, from the runs of its batches.
pub struct Origins {
    runs: Vec<Run>,
    /// The next origin of each run, the first one on top.
    heads: BinaryHeap<Reverse<(Box<str>, usize)>>,
}

struct Run {
    slices: Slices,
    rows: IntoIter<(Box<str>, OriginRow)>,
    /// The row of its origin in `heads`.
    head: Option<OriginRow>,
}

impl Origins {
    /// Opens the runs of a group's batches of one crawl.
    pub fn open(group: &Group<'_>, crawl: &str, work: &Work<'_>) -> io::Result<Self> {
        let mut origins = Self { runs: Vec::new(), heads: BinaryHeap::new() };
        for batch in group.batches().iter().filter(|batch| batch.name.crawl == crawl) {
            let file = batch.name.part_file(&ORIGINS);
            for slices in Slices::of_groups(|| work.store.open(&file))? {
                origins.runs.push(Run { slices, rows: Vec::new().into_iter(), head: None });
                origins.advance(origins.runs.len() - 1)?;
            }
        }
        Ok(origins)
    }

    /// Reads the next row of a run.
    fn advance(&mut self, number: usize) -> io::Result<()> {
        let Some(run) = self.runs.get_mut(number) else { return Ok(()) };
        let mut next = run.rows.next();
        while next.is_none() {
            let Some(slice) = run.slices.next() else { return Ok(()) };
            run.rows = origins::read(&slice?)?.into_iter();
            next = run.rows.next();
        }
        if let Some((origin, row)) = next {
            run.head = Some(row);
            self.heads.push(Reverse((origin, number)));
        }
        Ok(())
    }

    fn next_origin(&mut self) -> io::Result<Option<(Box<str>, OriginRow)>> {
        let mut merged: Option<(Box<str>, OriginRow)> = None;
        while let Some(Reverse((origin, number))) = self.heads.peek()
            && merged.as_ref().is_none_or(|(known, _)| known == origin)
        {
            let number = *number;
            let Some(Reverse((origin, _))) = self.heads.pop() else { break };
            let row = self.runs.get_mut(number).and_then(|run| run.head.take());
            match (&mut merged, row) {
                (Some((_, known)), Some(row)) => known.add(&row),
                (None, Some(row)) => merged = Some((origin, row)),
                (_, None) => {}
            }
            self.advance(number)?;
        }
        Ok(merged)
    }
}

impl Iterator for Origins {
    type Item = io::Result<(Box<str>, OriginRow)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_origin().transpose()
    }
}
