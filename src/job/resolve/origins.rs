//! The origins of a group: what each batch knows of them, and what all batches know together.
//!
//! A batch writes runs of rows, each sorted by `surt_host_name` and origin. Merging the runs gives every origin once, in order,
//! and holds one slice of each run. Example: a page of `https://a.example` in one batch and its robots.txt in another are one
//! origin. Left out: what the files of sites say (`sites`).

use super::Work;
use super::part::Part;
use crate::runs::{BatchName, Group};
use crate::tables::origins::{self, ORIGINS, OriginRow, OriginRows, PageCounts};
use crate::tables::{Rows, Slices};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use arrow_array::RecordBatch;
use itertools::Itertools;
use std::collections::BTreeSet;
use std::collections::hash_map::{Entry, HashMap};
use std::io;
use std::sync::Arc;

/// The origins of a run, of some 250 bytes each: a worker holds them while it resolves a batch.
const RUN_ROWS: usize = 1 << 17;

/// Origins by name, and what is known of them.
#[derive(Default)]
pub struct FoundOrigins(HashMap<Box<str>, OriginRow>);

impl FoundOrigins {
    /// Adds a capture, with its host in SURT order; returns the counts for its pages.
    pub fn add(
        &mut self,
        origin: &Origin,
        fetched_at: Option<Timestamp>,
        surt: Option<&str>,
    ) -> &mut PageCounts {
        let known = self.0.entry(origin.as_str().into()).or_insert_with(|| OriginRow {
            newest: None,
            surt: surt.map(Box::from),
            pages: PageCounts::default(),
        });
        known.newest = known.newest.max(fetched_at);
        &mut known.pages
    }
}

/// The origins of a batch, being found.
pub struct BatchOrigins {
    found: HashMap<Box<str>, OriginRow>,
    part: Part,
}

impl BatchOrigins {
    /// Begins without origins.
    pub fn begin(batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        Ok(Self { found: HashMap::new(), part: Part::of_runs(&ORIGINS, batch, RUN_ROWS, work)? })
    }

    /// Adds the origins of some captures.
    pub fn add(&mut self, found: FoundOrigins) -> io::Result<()> {
        if self.found.len() + found.0.len() > RUN_ROWS {
            self.write_run()?;
        }
        for (origin, row) in found.0 {
            match self.found.entry(origin) {
                Entry::Occupied(mut known) => known.get_mut().add(&row),
                Entry::Vacant(vacant) => drop(vacant.insert_entry(row)),
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
        let mut found: Vec<_> = std::mem::take(&mut self.found).into_iter().collect();
        found.sort_unstable_by(|(origin, row), (other, other_row)| {
            (&row.surt, origin).cmp(&(&other_row.surt, other))
        });
        for (origin, row) in found {
            origins::append(&mut rows, &origin, &row);
        }
        self.part.write(&rows.finish()?)?;
        self.part.end_group()
    }
}

/// The crawls of a group whose origins have rows of their own: that of a segment, or each crawl of inputs that share an index.
pub fn crawls(group: &Group<'_>) -> BTreeSet<String> {
    group.batches().into_iter().map(|batch| batch.name.crawl).collect()
}

/// What a run says of an origin.
pub struct RunRow {
    rows: Arc<OriginRows>,
    at: usize,
}

impl RunRow {
    pub fn origin(&self) -> &str {
        self.rows.origin(self.at)
    }

    fn key(&self) -> (Option<&str>, &str) {
        (self.rows.surt(self.at), self.origin())
    }
}

/// Returns the rows of the runs of a group's batches of one crawl, sorted by `surt_host_name` and origin.
pub fn run_rows(
    group: &Group<'_>,
    crawl: &str,
    work: &Work<'_>,
) -> io::Result<impl Iterator<Item = io::Result<RunRow>>> {
    let mut runs = Vec::new();
    for batch in group.batches().iter().filter(|batch| batch.name.crawl == crawl) {
        let file = batch.name.part_file(&ORIGINS);
        runs.extend(Slices::of_groups(|| work.store.open(&file))?);
    }
    let rows = runs.into_iter().map(|slices| slices.map(|slice| rows_of(&slice?)).flatten_ok());
    Ok(rows.kmerge_by(|row, other| match (row, other) {
        (Ok(row), Ok(other)) => row.key() < other.key(),
        (row, _) => row.is_err(),
    }))
}

fn rows_of(slice: &RecordBatch) -> io::Result<impl Iterator<Item = RunRow> + use<>> {
    let rows = Arc::new(OriginRows::new(slice)?);
    Ok((0..rows.count()).map(move |at| RunRow { rows: Arc::clone(&rows), at }))
}

/// Returns the fetch time of an origin's newest capture, given its row of each run.
pub fn newest(runs: &[RunRow]) -> Option<Timestamp> {
    runs.iter().filter_map(|run| run.rows.newest(run.at)).max()
}

/// Merges the rows of an origin.
pub fn merged(runs: &[RunRow]) -> Option<OriginRow> {
    let rows = runs.iter().map(|run| run.rows.row(run.at));
    rows.reduce(|mut merged, row| {
        merged.add(&row);
        merged
    })
}
