//! The table `sites` of a group: every origin that its captures know, and what its files say for `/`.
//!
//! One decision: an origin is judged as a page `/` without headers and metas that was fetched when its newest
//! capture was. So its robots.txt, redirects and other files count as they do for pages.
//! Left out: what a robots.txt says to each agent that it names (`site`).

use super::Work;
use super::body_facts::FactsByBody;
use super::origins::{RunRow, crawls, merged, newest, run_rows};
use super::parallel::in_order;
use super::part::Part;
use super::site_tally::{SiteCounts, SiteTally};
use crate::robots::TokenSet;
use crate::runs::{BatchName, Bodies, Group, in_words};
use crate::systems::Label;
use crate::tables::Rows;
use crate::tables::origins::OriginRow;
use crate::tables::sites::{self, SITES, SiteRow};
use crate::verdict::site::ClosedTokens;
use crate::verdict::{Access, CurrentFiles, Disallowed, PageRecord, RobotsState, SiteIndex, is_end_read};
use crate::web::capture_kind::CaptureKind;
use crate::web::preference::Preference;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::io;
use std::iter;

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

/// Returns rows in chunks of about [`CHUNK`], all rows of an origin in one.
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

/// Returns the rows of each origin of a chunk.
fn by_origin(chunk: &[RunRow]) -> impl Iterator<Item = &[RunRow]> {
    chunk.chunk_by(|row, next| row.origin() == next.origin())
}

/// Writes the parts of `sites`, one for each crawl, which are called `id`, and counts their rows.
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
    let segment = group.segment.as_deref();
    let (unreachable, open) = (ClosedTokens::unreachable(work.resolver), ClosedTokens::default());
    let viewpoint = in_words(&work.footer);
    let judging = Judging { segment, said, index, work, viewpoint, unreachable, open };
    for crawl in crawls(group) {
        let name = BatchName { crawl, id: id.to_owned() };
        let mut part = Part::always(&SITES, &name, work)?;
        in_order(
            chunks(run_rows(group, &name.crawl, work)?),
            |chunk| judging.rows(&chunk),
            |(rows, counted)| {
                tally.add(&counted);
                part.write(&rows)
            },
        )?;
        parts.push(part);
    }
    Ok(parts)
}

/// What every origin of a group is judged by.
struct Judging<'j> {
    segment: Option<&'j str>,
    said: &'j FactsByBody,
    index: &'j SiteIndex<Bodies>,
    work: &'j Work<'j>,
    viewpoint: String,
    /// What is closed where robots.txt was unreachable, and where it was unavailable.
    unreachable: ClosedTokens,
    open: ClosedTokens,
}

impl Judging<'_> {
    fn rows(&self, chunk: &[RunRow]) -> io::Result<(RecordBatch, SiteTally)> {
        let (mut rows, mut counts) = (Rows::new(&SITES), SiteCounts::new(self.work.resolver));
        for runs in by_origin(chunk) {
            self.work.go_on()?;
            if let (Some(first), Some(captures)) = (runs.first(), merged(runs)) {
                self.append(&mut rows, &mut counts, first.origin(), &captures)?;
            }
        }
        Ok((rows.finish()?, counts.finish()))
    }

    fn append(
        &self,
        rows: &mut Rows,
        counts: &mut SiteCounts<'_>,
        name: &str,
        captures: &OriginRow,
    ) -> io::Result<()> {
        let root = format!("{name}/");
        let Ok(url) = PageUrl::new(root.as_bytes()) else { return Ok(()) };
        let (origin, resolver, at) = (url.origin(), self.work.resolver, captures.newest);
        let files = self.index.files(Some(&origin), at, self.work.slack);
        let current = files.robots;
        let (labels, closed) = self.verdict(url, files)?;
        let numbers = self.index.current_bodies(&origin, at);
        let bodies = numbers.iter().filter_map(|number| self.index.bodies().get(*number));
        let files: Vec<(CaptureKind, String)> =
            bodies.map(|body| (body.key.kind, body.key.digest())).collect();
        let file_origin = self.index.timeline().file_origin(&origin, at);
        let row = SiteRow {
            segment: self.segment,
            origin: name,
            captures,
            file_origin: current.body.map(|_| file_origin.as_str()),
            current: &current,
            versions: at.map_or(0, |at| self.index.timeline().version_count(&origin, at, |body| body.number)),
            closed,
            labels,
            files: &files,
            systems: &self.said.systems(&numbers),
            systems_valid: &self.said.systems_valid(&numbers),
            viewpoint: &self.viewpoint,
        };
        counts.site(&row);
        sites::append(rows, resolver, &row);
        Ok(())
    }

    /// Returns the labels of a site's root, by [`Label::ALL`], and to which tokens the site is closed.
    ///
    /// Most files state nothing. Then no label follows from them, and nothing needs to be compiled.
    fn verdict(
        &self,
        root: PageUrl<'_>,
        files: CurrentFiles,
    ) -> io::Result<([Preference; 5], Option<&ClosedTokens>)> {
        let resolver = self.work.resolver;
        let (state, sent) = (files.robots.state, files.robots.body);
        let robots = sent.map(|body| body.number);
        if self.said.state_nothing(files.bodies(), resolver) {
            let known = sent.and_then(|sent| Some((sent.extent, self.index.bodies().get(sent.number)?)));
            let disallowed = match known.filter(|_| state == RobotsState::Parsed) {
                Some((extent, body)) if is_end_read(body.bytes as usize, extent) => {
                    Disallowed::Some(TokenSet::default())
                }
                Some(_) => Disallowed::Unknown,
                None => Access::without_file(state).disallowed,
            };
            return Ok(([Preference::Unknown; 5], self.closed(&disallowed, robots)));
        }
        let page = PageRecord::new(Some(root), None, &[], &[]);
        let copies = self.index.compile(files, resolver)?;
        let decision = resolver.decide(&page, &copies, None);
        let labels = Label::ALL.map(|label| decision.labels.of(label));
        Ok((labels, self.closed(&decision.access.disallowed, robots)))
    }

    /// Returns to which tokens a site is closed, by the answer for `/`.
    fn closed(&self, disallowed: &Disallowed, robots: Option<u32>) -> Option<&ClosedTokens> {
        match disallowed {
            Disallowed::Unknown => None,
            Disallowed::All => Some(&self.unreachable),
            Disallowed::Some(_) => Some(robots.and_then(|body| self.said.closed(body)).unwrap_or(&self.open)),
        }
    }
}
