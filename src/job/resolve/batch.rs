//! One batch of evidence, resolved into its parts of `pages`, `robots` and `statements`, and the rows of its archives in
//! `archives` and `failures`, which the manifests keep.

use super::Work;
use super::files::facts;
use super::origins::{BatchOrigins, FoundOrigins};
use super::parallel::in_order_by_pieces;
use super::part::{Part, Pieces, commit, write_all};
use super::tally::{DisallowedPages, ResolveTally};
use crate::runs::{
    ArchiveEvidence, Batch, Bodies, JoinedCaptures, RestsOn, StoredBody, add_one, sent,
};
use crate::systems::{SYSTEMS, Shown, Source, same_field_as};
use crate::tables::archives::{self, ARCHIVES, FAILURES};
use crate::tables::captures::{ByHost, CAPTURES, Captures};
use crate::tables::origins::SystemPages;
use crate::tables::pages::{self, PAGES, PageRow};
use crate::tables::robots::{self, ROBOTS, RobotsRow};
use crate::tables::sites::SITES;
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{Rows, Slices};
use crate::verdict::account::each_statement;
use crate::verdict::site::outcome;
use crate::verdict::timeline::BodyState;
use crate::verdict::{FilesOfSites, PageRecord, SiteBody};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::origin::Origin;
use crate::web::preference::Preference;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::{io, iter};

/// Bytes of rows that are held before they are written, with the URLs that statements copy.
const HELD_BYTES: usize = 16 << 20;
/// Bytes of the pages of archives that are open at once: no further archive is opened beyond it.
pub const MERGED_BYTES: u64 = 128 << 20;
/// The most archives that are open at once: those of a batch of pages (`runs::names`).
const MERGED_ARCHIVES: usize = 50;

struct Resolving<'r> {
    work: &'r Work<'r>,
    index: &'r FilesOfSites<Bodies>,
    /// When the last capture that counts for the batch was fetched.
    until: i64,
    pages: Rows,
    robots: Rows,
    statements: Rows,
    /// The bytes of the URLs that the rows of `statements` copy.
    url_bytes: usize,
    origins: FoundOrigins,
    tally: ResolveTally,
    disallowed: DisallowedPages,
    /// The last capture's origin: captures of a host come together.
    origin: Option<Origin>,
}

/// The rows of a slice of `captures`, or of a piece of a long one.
struct Resolved {
    captures: usize,
    /// Of `pages`, `robots` and `statements`.
    rows: [RecordBatch; 3],
    origins: FoundOrigins,
    tally: ResolveTally,
}

struct Row<'r, 's> {
    captures: &'r Captures,
    at: usize,
    url: Option<PageUrl<'s>>,
    fields: &'r [Field<'s>],
}

pub fn resolve_batch(
    batch: &Batch<'_>,
    rests_on: &RestsOn,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<ResolveTally> {
    let part = |table| Part::begin(table, &batch.name, work);
    let mut parts = [part(&PAGES)?, part(&ROBOTS)?, part(&STATEMENTS)?];
    let mut origins = work
        .needs_origins()
        .then(|| BatchOrigins::begin(&batch.name, work))
        .transpose()?;
    let mut tally = ResolveTally::default();
    let slices = slices(batch).map(|slice| slice.map(|slice| (slice, 0)));
    in_order_by_pieces(
        slices,
        |rest| resolve_slice(rest, rests_on.until, index, work),
        |resolved| {
            write_all(&mut parts, &resolved.rows)?;
            tally.add(&resolved.tally);
            if let Some(origins) = &mut origins {
                origins.add(resolved.origins)?;
            }
            work.progress.advanced(0, resolved.captures as u64);
            Ok(())
        },
    )?;
    let inputs = write_inputs(batch, work)?;
    let origins = origins.map(BatchOrigins::finish).transpose()?;
    let parts = parts.into_iter().chain(inputs).chain(origins);
    commit(rests_on, &tally, parts, work.store)?;
    Ok(tally)
}

/// The captures of a batch, host by host over the archives that are open at once.
fn slices<'b>(batch: &'b Batch<'_>) -> impl Iterator<Item = io::Result<RecordBatch>> + Send + 'b {
    let archives = batch
        .archives
        .iter()
        .filter(|archive| !archive.manifest.captures.is_empty());
    let mut archives = archives.copied().peekable();
    let opened = iter::from_fn(move || archives.peek().is_some().then(|| open_some(&mut archives)));
    opened.flat_map(|opened| {
        let (slices, error) = match opened {
            Ok(slices) => (Some(slices), None),
            Err(error) => (None, Some(Err(error))),
        };
        iter::chain(error, slices.into_iter().flatten())
    })
}

/// Opens as many of the next archives as fit into memory. The evidence alone decides how many: the order of rows depends on it.
fn open_some<'b>(
    archives: &mut impl Iterator<Item = &'b ArchiveEvidence<'b>>,
) -> io::Result<ByHost<JoinedCaptures<'b, Slices>>> {
    let mut opened = Vec::new();
    let mut bytes = 0;
    while bytes < MERGED_BYTES
        && opened.len() < MERGED_ARCHIVES
        && let Some(archive) = archives.next()
    {
        let captures = archive.captures(None, |file| Slices::in_pieces(file, &CAPTURES))?;
        bytes += captures.slices.slices.held_bytes();
        opened.push(captures);
    }
    ByHost::new(opened)
}

/// Resolves a slice of `captures` from a row on; returns the rest of it.
fn resolve_slice(
    (slice, first): (RecordBatch, usize),
    until: i64,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<(Resolved, Option<(RecordBatch, usize)>)> {
    let mut resolving = Resolving {
        work,
        index,
        until,
        pages: Rows::of_captures(&PAGES),
        robots: Rows::of_captures(&ROBOTS),
        statements: Rows::of_captures(&STATEMENTS),
        url_bytes: 0,
        origins: FoundOrigins::default(),
        tally: ResolveTally::default(),
        disallowed: DisallowedPages::new(work.resolver),
        origin: None,
    };
    let end = resolving.add_rows(&slice, first)?;
    resolving
        .tally
        .add_disallowed(&resolving.disallowed, work.resolver);
    let Resolving {
        pages,
        robots,
        statements,
        origins,
        tally,
        ..
    } = resolving;
    let finish = |mut rows: Rows| rows.finish_of_captures(&slice);
    let rows = [finish(pages)?, finish(robots)?, finish(statements)?];
    let resolved = Resolved {
        captures: end - first,
        rows,
        origins,
        tally,
    };
    Ok((resolved, (end < slice.num_rows()).then_some((slice, end))))
}

impl Resolving<'_> {
    /// Appends the rows of captures to the chosen tables, until they take [`HELD_BYTES`]; returns the first one left.
    fn add_rows(&mut self, slice: &RecordBatch, first: usize) -> io::Result<usize> {
        let captures = Captures::new(slice)?;
        let [pages, robots, statements, sites] =
            [&PAGES, &ROBOTS, &STATEMENTS, &SITES].map(|table| self.work.tables.has(table));
        let mut fields = Vec::new();
        for at in first..captures.count() {
            self.work.go_on()?;
            fields.clear();
            captures.fields(at, &mut fields)?;
            let url = PageUrl::new(captures.url(at).as_bytes()).ok();
            let row = Row {
                captures: &captures,
                at,
                url,
                fields: &fields,
            };
            let stated = if statements || sites {
                self.add_statements(&row)
            } else {
                Vec::new()
            };
            self.remember_origin(row.url.as_ref());
            let is = |kind: CaptureKind| captures.kind(at) == kind.as_str();
            let mut access = Preference::Unknown;
            if (pages || sites) && is(CaptureKind::Page) {
                access = self.add_page(&row)?;
            } else if robots && is(CaptureKind::Robots) {
                self.add_robots(&row)?;
            }
            if self.work.needs_origins() && !is(CaptureKind::RobotsHop) {
                self.count(&row, access, &stated)?;
            }
            if self.byte_count() > HELD_BYTES {
                return Ok(at + 1);
            }
        }
        Ok(captures.count())
    }

    fn byte_count(&self) -> usize {
        let rows = [&self.pages, &self.robots, &self.statements];
        rows.into_iter().map(Rows::byte_count).sum::<usize>() + self.url_bytes
    }

    /// Counts a capture for its origin, with its access and the places of the systems in which it states something.
    fn count(
        &mut self,
        row: &Row<'_, '_>,
        access: Preference,
        stated: &[(usize, SystemPages)],
    ) -> io::Result<()> {
        let Some(origin) = self.origin.as_ref().filter(|_| row.url.is_some()) else {
            return Ok(());
        };
        let surt = row.captures.surt_host_name(row.at)?;
        let counts = self
            .origins
            .add(origin, row.captures.fetched_at(row.at), surt);
        if row.captures.kind(row.at) == CaptureKind::Page.as_str() {
            counts.pages += 1;
            counts.closed += u64::from(access == Preference::Disallow);
            counts.content_bytes += row.captures.content_bytes(row.at)?;
            for (place, pages) in stated {
                counts.add_system(*place, *pages);
                if pages.own > 0 {
                    let system = SYSTEMS.get(*place).map_or("", |system| system.about().name);
                    add_one(&mut self.tally.page_systems, system);
                }
            }
        }
        Ok(())
    }

    fn add_robots(&mut self, row: &Row<'_, '_>) -> io::Result<()> {
        let index = self.index;
        let work = self.work;
        let captures = row.captures;
        let at = row.at;
        let answer = captures.answer(at);
        let sent = if answer.is_success() {
            body_sent(captures, at, index.bodies())
        } else {
            BodyState::Missing
        };
        let (facts, bytes) = match sent.and_then(|(sent, body)| body.legibility.with((sent, body)))
        {
            BodyState::Body((sent, body)) => {
                (facts(index.bodies(), sent, work)?.into(), Some(body.bytes))
            }
            BodyState::Html | BodyState::Unreadable => (BodyState::Unreadable, None),
            BodyState::Missing => (BodyState::Missing, None),
        };
        let outcome = outcome(answer, &facts);
        let origin = self
            .origin
            .as_ref()
            .filter(|_| row.url.is_some())
            .map(Origin::as_str);
        let body_digest = captures.body_digest(at);
        let facts = match &facts {
            BodyState::Body(facts) => Some(facts.as_ref()),
            BodyState::Html | BodyState::Unreadable | BodyState::Missing => None,
        };
        robots::append(
            &mut self.robots,
            at,
            &RobotsRow {
                origin,
                outcome,
                body_digest,
                bytes,
                facts,
            },
        );
        Ok(())
    }

    /// Appends a capture's statements; returns the places of their systems, and what one page with them counts as.
    fn add_statements(&mut self, row: &Row<'_, '_>) -> Vec<(usize, SystemPages)> {
        let Self {
            statements,
            tally,
            work,
            ..
        } = self;
        let keeps = work.tables.has(&STATEMENTS);
        let before = statements.row_count();
        let mut stated = Vec::<(usize, SystemPages)>::new();
        let mut pieces = Pieces::default();
        let source = Source::Record(row.fields);
        each_statement(&source, &work.resolver.viewpoint, &mut |accounted| {
            let statement = accounted.statement;
            let is_row = keeps && accounted.shown == Shown::Row;
            if is_row {
                tally.count_statement(statement);
                statements::append_of_capture(statements, row.at, accounted);
            }
            let Some(place) = accounted.system else {
                return;
            };
            let same_field_as = same_field_as(statement.system, statement.carrier);
            let page = SystemPages::of_statement(same_field_as, statement.defect);
            match stated.last_mut() {
                Some((last, counts)) if *last == place => *counts = counts.max(page),
                Some(_) | None => stated.push((place, page)),
            }
            if is_row {
                pieces.add(place, statement);
            }
        });
        tally.unreadable += pieces.unreadable();
        self.url_bytes += (statements.row_count() - before) * row.captures.url(row.at).len();
        stated
    }

    /// Decides about a page, and appends its row if wanted; returns its access.
    fn add_page(&mut self, row: &Row<'_, '_>) -> io::Result<Preference> {
        let index = self.index;
        let work = self.work;
        let captures = row.captures;
        let at = row.at;
        let Work {
            resolver, copies, ..
        } = *work;
        let origin = self.origin.as_ref().filter(|_| row.url.is_some());
        let (unread, not_seen) = captures.unread_and_not_seen(at);
        let mut page = PageRecord::new(
            row.url.clone(),
            captures.media_type(at),
            row.fields,
            &unread,
        );
        page.not_seen = &not_seen;
        page.fetched_at = captures.fetched_at(at);
        let site = index.site(origin, page.fetched_at, copies, resolver)?;
        let decision = resolver.decide(&page, &site);
        // This batch must not know of later captures.
        let is_known = |needed_s: i64| {
            let later = page
                .fetched_at
                .map(|at| at.unix_micros().saturating_add(needed_s * 1_000_000));
            later.is_some_and(|later| later <= self.until)
        };
        self.tally.count_page(&site.current, &decision, is_known);
        self.disallowed.count(&decision.access.disallowed);
        if work.tables.has(&PAGES) {
            let digest = |number| index.bodies().digest(number);
            let viewpoint = &work.viewpoint;
            let page = PageRow {
                capture: at,
                languages: captures.languages(at),
                viewpoint,
            };
            pages::append(&mut self.pages, &page, resolver, &site, digest, &decision);
        }
        Ok(decision.access.preference)
    }

    fn remember_origin(&mut self, url: Option<&PageUrl<'_>>) {
        if let Some(url) = url
            && !self.origin.as_ref().is_some_and(|origin| origin.is_of(url))
        {
            self.origin = Some(url.origin());
        }
    }
}

fn body_sent<'b>(
    captures: &Captures,
    at: usize,
    bodies: &'b Bodies,
) -> BodyState<(SiteBody, &'b StoredBody)> {
    sent(captures, at, CaptureKind::Robots).and_then(|(key, extent)| {
        let found = bodies
            .number_of(&key)
            .and_then(|number| Some((number, bodies.get(number)?)));
        found.map_or(BodyState::Missing, |(number, body)| {
            BodyState::Body((SiteBody { number, extent }, body))
        })
    })
}

/// Writes both parts, which are to be committed with the batch.
fn write_inputs(batch: &Batch<'_>, work: &Work<'_>) -> io::Result<[Part; 2]> {
    let mut failures_part = Part::always(&FAILURES, &batch.name, work)?;
    let mut archives_part = Part::always(&ARCHIVES, &batch.name, work)?;
    let mut failure_rows = Rows::new(&FAILURES);
    let mut archive_rows = Rows::new(&ARCHIVES);
    for archive in &batch.archives {
        let name = archive.manifest.name();
        archives::append(archive_rows.row(), &name, &archive.manifest.row);
        for damage in archive.failures()? {
            archives::append_failure(failure_rows.row(), &name, &damage);
        }
        failures_part.write(&failure_rows.finish()?)?;
    }
    archives_part.write(&archive_rows.finish()?)?;
    Ok([failures_part, archives_part])
}
