//! The origins of a group: what each batch knows of them, what all batches know together, and the table `sites`: what the files
//! of each origin say for `/`.
//!
//! A batch writes runs of rows, each sorted by `surt_host_name` and origin. Merging the runs gives every origin once, in order,
//! and holds one slice of each run. Example: a page of `https://a.example` in one batch and its robots.txt in another are one
//! origin. It is judged as of its newest capture (`site_judging`).

use super::Work;
use super::files::FactsByBody;
use super::parallel::in_order;
use super::part::Part;
use super::site_judging::{SiteJudging, SiteView};
use super::tally::SiteTally;
use crate::runs::{ArchiveGroup, BatchName, Bodies};
use crate::tables::agent_sets::{AGENT_SETS, AgentSets};
use crate::tables::origins::{self, ORIGINS, OriginRow, OriginRows, PageCounts};
use crate::tables::sites::{OriginSites, SITES};
use crate::tables::{Rows, Slices};
use crate::verdict::{CopyLimits, FilesOfSites, Twins};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use itertools::Itertools;
use std::collections::BTreeSet;
use std::collections::hash_map::{Entry, HashMap};
use std::sync::Arc;
use std::time::Duration;
use std::{io, iter};

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
        let known = self
            .0
            .entry(origin.as_str().into())
            .or_insert_with(|| OriginRow {
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
    found: FoundOrigins,
    part: Part,
}

impl BatchOrigins {
    pub fn begin(batch: &BatchName, work: &Work<'_>) -> io::Result<Self> {
        Ok(Self {
            found: FoundOrigins::default(),
            part: Part::of_runs(&ORIGINS, batch, RUN_ROWS, work.store, &work.footer)?,
        })
    }

    pub fn add(&mut self, found: FoundOrigins) -> io::Result<()> {
        if self.found.0.len() + found.0.len() > RUN_ROWS {
            self.write_run()?;
        }
        for (origin, row) in found.0 {
            match self.found.0.entry(origin) {
                Entry::Occupied(mut known) => known.get_mut().add(&row),
                Entry::Vacant(vacant) => drop(vacant.insert_entry(row)),
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<Part> {
        self.write_run()?;
        Ok(self.part)
    }

    /// Writes the origins that were found as a row group.
    fn write_run(&mut self) -> io::Result<()> {
        let mut rows = Rows::new(&ORIGINS);
        let mut found: Vec<_> = std::mem::take(&mut self.found).0.into_iter().collect();
        found.sort_unstable_by(|(origin, row), (other, other_row)| {
            (&row.surt, origin).cmp(&(&other_row.surt, other))
        });
        for (origin, row) in found {
            origins::append(rows.row(), &origin, &row);
        }
        self.part.write(&rows.finish()?)?;
        self.part.end_group()
    }
}

/// The crawls of a group whose origins have rows of their own: that of a segment, or each crawl of inputs that share an index.
pub fn crawls(group: &ArchiveGroup<'_>) -> BTreeSet<String> {
    group
        .batches()
        .into_iter()
        .map(|batch| batch.name.crawl)
        .collect()
}

/// What a run says of an origin.
struct RunRow {
    rows: Arc<OriginRows>,
    at: usize,
}

impl RunRow {
    fn origin(&self) -> &str {
        self.rows.origin(self.at)
    }

    fn key(&self) -> (Option<&str>, &str) {
        (self.rows.surt(self.at), self.origin())
    }
}

/// Returns the rows of the runs of a group's batches of one crawl, sorted by `surt_host_name` and origin.
fn run_rows(
    group: &ArchiveGroup<'_>,
    crawl: &str,
    work: &Work<'_>,
) -> io::Result<impl Iterator<Item = io::Result<RunRow>>> {
    let mut runs = Vec::new();
    for batch in group
        .batches()
        .iter()
        .filter(|batch| batch.name.crawl == crawl)
    {
        let file = batch.name.part_file(&ORIGINS);
        runs.extend(Slices::of_groups(|| work.store.open(&file))?);
    }
    let rows_of = |slice: &RecordBatch| {
        let rows = Arc::new(OriginRows::new(slice)?);
        Ok((0..rows.count()).map(move |at| RunRow {
            rows: Arc::clone(&rows),
            at,
        }))
    };
    Ok(merge(runs, rows_of, |row, other| row.key() < other.key()))
}

/// Merges the rows of sorted parts, given those of a slice.
pub fn merge<R, I: Iterator<Item = R>>(
    parts: Vec<impl Iterator<Item = io::Result<RecordBatch>>>,
    rows_of: impl Fn(&RecordBatch) -> io::Result<I> + Copy,
    is_before: impl Fn(&R, &R) -> bool,
) -> impl Iterator<Item = io::Result<R>> {
    let rows = parts
        .into_iter()
        .map(|slices| slices.map(move |slice| rows_of(&slice?)).flatten_ok());
    rows.kmerge_by(move |row, other| match (row, other) {
        (Ok(row), Ok(other)) => is_before(row, other),
        (row, _) => row.is_err(),
    })
}

fn merged(runs: &[RunRow]) -> Option<OriginRow> {
    let rows = runs.iter().map(|run| run.rows.row(run.at));
    rows.reduce(|mut merged, row| {
        merged.add(&row);
        merged
    })
}

/// Rows that one worker takes at once.
const CHUNK: usize = 512;

/// Counts for each body, by its number, the origins that have it as a current site file.
pub fn origins_by_body(
    group: &ArchiveGroup<'_>,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<Vec<u32>> {
    let mut counts = vec![0; index.bodies().count()];
    each_origin(
        group,
        work,
        |origin, newest| index.current_bodies(origin, newest),
        |body| {
            if let Some(count) = counts.get_mut(body as usize) {
                *count += 1;
            }
        },
    )?;
    Ok(counts)
}

/// Returns the bodies of other groups that count for the origins of a group.
pub fn other_bodies(
    group: &ArchiveGroup<'_>,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<BTreeSet<u32>> {
    let mut others = BTreeSet::new();
    let current = |origin: &Origin, newest| {
        let limits = CopyLimits::of_slack(work.copies.slack);
        let mut bodies: Vec<u32> = index.files(Some(origin), newest, limits).bodies().collect();
        if limits.slack > Duration::ZERO {
            bodies.extend(index.current_bodies(origin, newest));
        }
        bodies.retain(|body| !index.bodies().is_own(*body));
        bodies
    };
    each_origin(group, work, current, |body| {
        others.insert(body);
    })?;
    Ok(others)
}

/// Gives the bodies of each origin of a group and its newest capture to `take`; an origin of two crawls comes twice.
fn each_origin(
    group: &ArchiveGroup<'_>,
    work: &Work<'_>,
    bodies: impl Fn(&Origin, Option<Timestamp>) -> Vec<u32> + Sync,
    mut take: impl FnMut(u32) + Send,
) -> io::Result<()> {
    let of_runs = |runs: &[RunRow]| {
        let url = PageUrl::new(runs.first()?.origin().as_bytes()).ok()?;
        let newest = runs.iter().filter_map(|run| run.rows.newest(run.at)).max();
        Some(bodies(&url.origin(), newest))
    };
    for crawl in crawls(group) {
        in_order(
            chunks(run_rows(group, &crawl, work)?),
            |chunk| {
                work.go_on()?;
                Ok(by_origin(&chunk)
                    .filter_map(of_runs)
                    .flatten()
                    .collect::<Vec<u32>>())
            },
            |bodies| {
                bodies.into_iter().for_each(&mut take);
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// Cuts rows into chunks of about [`CHUNK`], with all rows of an origin in one.
fn chunks(
    rows: impl Iterator<Item = io::Result<RunRow>>,
) -> impl Iterator<Item = io::Result<Vec<RunRow>>> {
    let mut rows = rows.peekable();
    iter::from_fn(move || {
        let mut chunk: Vec<RunRow> = Vec::new();
        while let Some(row) = rows.next_if(|row| {
            let (Ok(row), Some(last)) = (row, chunk.last()) else {
                return true;
            };
            chunk.len() < CHUNK || row.origin() == last.origin()
        }) {
            match row {
                Ok(row) => chunk.push(row),
                Err(error) => return Some(Err(error)),
            }
        }
        (!chunk.is_empty()).then_some(Ok(chunk))
    })
}

fn by_origin(chunk: &[RunRow]) -> impl Iterator<Item = &[RunRow]> {
    chunk.chunk_by(|row, next| row.origin() == next.origin())
}

/// Writes the parts `id` of `sites` and `agent_sets`, one for each crawl, and counts the rows of `sites`.
pub fn write_sites(
    group: &ArchiveGroup<'_>,
    id: &str,
    said: &FactsByBody,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
    tally: &mut SiteTally,
) -> io::Result<Vec<Part>> {
    let mut parts = Vec::new();
    if !work.tables.has(&SITES) {
        return Ok(parts);
    }
    // KNOW-5: a copy that is too old at the newest capture of its origin gives no yes, as for pages.
    let limits = CopyLimits {
        twins: Twins::Ignore,
        ..work.copies
    };
    let view = SiteView::new(work.resolver, limits, work.viewpoint.clone());
    let segment = group.segment.as_deref();
    let segment_whole = group.is_whole();
    let judging = SiteJudging {
        segment,
        segment_whole,
        said,
        index,
        view: &view,
    };
    for crawl in crawls(group) {
        let name = BatchName {
            crawl,
            id: id.to_owned(),
        };
        let mut part = Part::always(&SITES, &name, work)?;
        let mut sets = AgentSets::default();
        let mut set_part = Part::always(&AGENT_SETS, &name, work)?;
        in_order(
            chunks(run_rows(group, &name.crawl, work)?),
            |chunk| judged(&chunk, &judging, work),
            |((rows, of_rows), counted)| {
                tally.add(counted);
                sets.add(of_rows);
                part.write(&rows)
            },
        )?;
        set_part.write(&sets.rows(work.resolver)?)?;
        parts.extend([set_part, part]);
    }
    Ok(parts)
}

fn judged(
    chunk: &[RunRow],
    judging: &SiteJudging<'_, Bodies>,
    work: &Work<'_>,
) -> io::Result<((RecordBatch, AgentSets), SiteTally)> {
    let mut rows = OriginSites::default();
    let mut tally = SiteTally::default();
    for runs in by_origin(chunk) {
        work.go_on()?;
        if let (Some(first), Some(captures)) = (runs.first(), merged(runs)) {
            judging.append(&mut rows, &mut tally, first.origin(), &captures)?;
        }
    }
    Ok((rows.finish()?, tally))
}
