//! The table `sites` of a group: every origin that its captures know, and what its files say for `/`. An origin is judged as of
//! its newest capture (`site_judging`). Left out: what a robots.txt says to each agent that it names (`site`).

use super::Work;
use super::files::FactsByBody;
use super::host_tally::SiteTally;
use super::origins::{RunRow, crawls, merged, newest, run_rows};
use super::parallel::in_order;
use super::part::Part;
use super::site_judging::{SiteJudging, SiteView};
use crate::runs::{BatchName, Bodies, Group};
use crate::tables::agent_sets::{AGENT_SETS, AgentSets};
use crate::tables::sites::{OriginSites, SITES};
use crate::verdict::SiteIndex;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::{io, iter};

/// Rows that one worker takes at once.
const CHUNK: usize = 512;

/// Counts for each body, by its number, the origins that have it as a current site file.
pub fn origins_by_body(
    group: &Group<'_>,
    index: &SiteIndex<Bodies>,
    work: &Work<'_>,
) -> io::Result<Vec<u32>> {
    let mut counts = vec![0; index.bodies().iter().count()];
    let current = |runs: &[RunRow]| {
        let url = PageUrl::new(runs.first()?.origin().as_bytes()).ok()?;
        Some(index.current_bodies(&url.origin(), newest(runs)))
    };
    for crawl in crawls(group) {
        in_order(
            chunks(run_rows(group, &crawl, work)?),
            |chunk| {
                work.go_on()?;
                Ok(by_origin(&chunk).filter_map(current).flatten().collect::<Vec<u32>>())
            },
            |bodies| {
                for body in bodies {
                    if let Some(count) = counts.get_mut(body as usize) {
                        *count += 1;
                    }
                }
                Ok(())
            },
        )?;
    }
    Ok(counts)
}

/// Cuts rows into chunks of about [`CHUNK`], with all rows of an origin in one.
fn chunks(rows: impl Iterator<Item = io::Result<RunRow>>) -> impl Iterator<Item = io::Result<Vec<RunRow>>> {
    let mut rows = rows.peekable();
    iter::from_fn(move || {
        let mut chunk: Vec<RunRow> = Vec::new();
        while let Some(row) = rows.next_if(|row| {
            let (Ok(row), Some(last)) = (row, chunk.last()) else { return true };
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
    group: &Group<'_>,
    id: &str,
    said: &FactsByBody,
    index: &SiteIndex<Bodies>,
    work: &Work<'_>,
    tally: &mut SiteTally,
) -> io::Result<Vec<Part>> {
    let mut parts = Vec::new();
    if !work.tables.has(&SITES) {
        return Ok(parts);
    }
    let view = SiteView::new(work.resolver, work.slack, work.viewpoint.clone());
    let (segment, segment_whole) = (group.segment.as_deref(), group.is_whole());
    let judging = SiteJudging { segment, segment_whole, said, index, view: &view };
    for crawl in crawls(group) {
        let name = BatchName { crawl, id: id.to_owned() };
        let mut part = Part::always(&SITES, &name, work)?;
        let (mut sets, mut set_part) = (AgentSets::default(), Part::always(&AGENT_SETS, &name, work)?);
        in_order(
            chunks(run_rows(group, &name.crawl, work)?),
            |chunk| rows_of(&chunk, &judging, work),
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

fn rows_of(
    chunk: &[RunRow],
    judging: &SiteJudging<'_, Bodies>,
    work: &Work<'_>,
) -> io::Result<((RecordBatch, AgentSets), SiteTally)> {
    let (mut rows, mut tally) = (OriginSites::default(), SiteTally::default());
    for runs in by_origin(chunk) {
        work.go_on()?;
        if let (Some(first), Some(captures)) = (runs.first(), merged(runs)) {
            judging.append(&mut rows, &mut tally, first.origin(), &captures)?;
        }
    }
    Ok((rows.finish()?, tally))
}
