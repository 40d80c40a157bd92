//! One batch of evidence, resolved into its parts of `pages` and `statements`.

use super::Work;
use super::group::Batch;
use super::inputs::write_inputs;
use super::origins::BatchOrigins;
use super::part::{Part, commit};
use super::pieces::Pieces;
use super::site;
use super::tally::Tally;
use crate::job::progress::Progress;
use crate::systems::{SYSTEMS, Shown, Source, shown_statements};
use crate::tables::captures::{CAPTURES, Captures};
use crate::tables::pages::{self, PAGES};
use crate::tables::robots::{self, ROBOTS, RobotsRow};
use crate::tables::sites::SITES;
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{Rows, Slices};
use crate::verdict::site::Outcome;
use crate::verdict::{PageRecord, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::origin::Origin;
use crate::web::preference::Preference;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::io;

/// Rows of `statements` that are held before they are written, in bytes with the URLs of their pages.
const STATEMENT_BYTES: usize = 16 << 20;

/// The state of resolving one batch.
struct Resolving<'r> {
    work: &'r Work<'r>,
    index: &'r SiteIndex,
    pages: Rows,
    robots: Rows,
    statements: Rows,
    /// Where origins are needed.
    origins: Option<BatchOrigins>,
    tally: Tally,
    /// The last page's origin: pages come host by host.
    origin: Option<Origin>,
}

/// Resolves a batch.
pub fn resolve_batch(
    batch: &Batch<'_>,
    evidence: &str,
    index: &SiteIndex,
    work: &Work<'_>,
    progress: &dyn Progress,
) -> io::Result<Tally> {
    let mut pages = Part::begin(&PAGES, &batch.name, work)?;
    let mut statements = Part::begin(&STATEMENTS, &batch.name, work)?;
    let mut robots = Part::begin(&ROBOTS, &batch.name, work)?;
    let mut resolving = Resolving {
        work,
        index,
        pages: Rows::of_captures(&PAGES),
        robots: Rows::of_captures(&ROBOTS),
        statements: Rows::of_captures(&STATEMENTS),
        origins: work.needs_origins().then(|| BatchOrigins::begin(&batch.name, work)).transpose()?,
        tally: Tally::default(),
        origin: None,
    };
    for archive in batch.archives.iter().filter(|archive| !archive.manifest.captures.is_empty()) {
        for slice in archive.slices(&CAPTURES, Slices::new)? {
            let slice = slice?;
            resolving.slice(&slice, &mut statements)?;
            pages.write(&resolving.pages.finish_of_captures(&slice)?)?;
            robots.write(&resolving.robots.finish_of_captures(&slice)?)?;
            statements.write(&resolving.statements.finish_of_captures(&slice)?)?;
            progress.advanced(0, slice.num_rows() as u64);
        }
    }
    let Resolving { tally, origins, .. } = resolving;
    let origins = origins.map(BatchOrigins::finish).transpose()?;
    let [failures, archives] = write_inputs(batch, work)?;
    let parts = [pages, robots, statements, failures, archives].into_iter().chain(origins);
    commit(&batch.name, evidence, &tally, parts, work.store)?;
    Ok(tally)
}

/// A row of a slice of `captures`.
struct Row<'r, 's> {
    captures: &'r Captures<'s>,
    at: usize,
    /// Its URL, where that can be read.
    url: Option<PageUrl<'s>>,
    fields: &'r [Field<'s>],
}

impl Resolving<'_> {
    /// Appends the rows of a slice of `captures` to the tables that are chosen. Statements are written as soon as
    /// they take more than [`STATEMENT_BYTES`]: each copies its page's URL.
    fn slice(&mut self, slice: &RecordBatch, part: &mut Part) -> io::Result<()> {
        let captures = Captures::new(slice)?;
        let mut fields = Vec::new();
        let has = |table| self.work.tables.has(table);
        let [pages, robots, statements, sites] = [&PAGES, &ROBOTS, &STATEMENTS, &SITES].map(has);
        let mut url_bytes = 0;
        for at in 0..captures.count() {
            fields.clear();
            captures.fields(at, &mut fields)?;
            let url = PageUrl::new(captures.url(at).as_bytes()).ok();
            let row = Row { captures: &captures, at, url, fields: &fields };
            let mut stated = Vec::new();
            if statements || sites {
                let before = self.statements.row_count();
                stated = self.statements(&row);
                url_bytes += (self.statements.row_count() - before) * captures.url(row.at).len();
                if self.statements.byte_count() + url_bytes > STATEMENT_BYTES {
                    part.write(&self.statements.finish_of_captures(slice)?)?;
                    url_bytes = 0;
                }
            }
            self.remember_origin(row.url.as_ref());
            let is = |kind: CaptureKind| captures.kind(row.at) == kind.as_str();
            let mut access = Preference::Unknown;
            if (pages || sites) && is(CaptureKind::Page) {
                access = self.page(&row);
            } else if robots && is(CaptureKind::Robots) {
                self.robots(&row);
            }
            if !is(CaptureKind::RobotsHop) {
                self.count(&row, slice, access, &stated)?;
            }
        }
        Ok(())
    }

    /// Counts a capture to its origin, with its access and the places of the systems that it states something in.
    fn count(
        &mut self,
        row: &Row<'_, '_>,
        slice: &RecordBatch,
        access: Preference,
        stated: &[usize],
    ) -> io::Result<()> {
        let Some(origin) = self.origin.as_ref().filter(|_| row.url.is_some()) else { return Ok(()) };
        let Some(origins) = &mut self.origins else { return Ok(()) };
        let counts = origins.add(origin, row.captures.fetched_at(row.at), (slice, row.at))?;
        if row.captures.kind(row.at) == CaptureKind::Page.as_str() {
            counts.pages += 1;
            counts.closed += u64::from(access == Preference::Disallow);
            counts.content_bytes += row.captures.content_bytes(row.at)?;
            for place in stated {
                counts.add_system(*place, 1);
                self.tally.page_system(SYSTEMS.get(*place).map_or("", |system| system.about().name));
            }
        }
        Ok(())
    }

    /// Appends the row of a capture of a robots.txt.
    fn robots(&mut self, row: &Row<'_, '_>) {
        let (captures, at) = (row.captures, row.at);
        let answer = captures.answer(at);
        let body = captures.body_digest(at).filter(|_| answer.is_success());
        let body = body.and_then(|digest| self.index.body(CaptureKind::Robots, digest));
        let file = body.map(|body| (body.body().bytes.len(), site::facts(body, self.work)));
        let outcome = Outcome::new(answer, file.map(|(_, facts)| facts.is_html));
        let origin = self.origin.as_ref().filter(|_| row.url.is_some()).map(Origin::as_str);
        let body_digest = captures.body_digest(at);
        robots::append(&mut self.robots, at, &RobotsRow { origin, outcome, body_digest, file });
    }

    /// Appends a capture's statements; returns the places of their systems.
    fn statements(&mut self, row: &Row<'_, '_>) -> Vec<usize> {
        let Self { statements, tally, work, .. } = self;
        let keeps = work.tables.has(&STATEMENTS);
        let (mut stated, mut pieces) = (Vec::new(), Pieces::default());
        for (place, system) in SYSTEMS.iter().enumerate() {
            let source = Source::Record(row.fields);
            shown_statements(*system, &source, work.resolver.viewpoint(), &mut |statement, shown| {
                if stated.last() != Some(&place) {
                    stated.push(place);
                }
                if keeps && shown == Shown::Row {
                    tally.statement(statement);
                    pieces.add(place, statement);
                    statements::append_of_capture(statements, row.at, statement);
                }
            });
        }
        tally.unreadable += pieces.unreadable();
        stated
    }

    /// Decides about a page, and appends its row where that is wanted; returns its access.
    fn page(&mut self, row: &Row<'_, '_>) -> Preference {
        let (captures, at) = (row.captures, row.at);
        let Work { resolver, slack, .. } = *self.work;
        let origin = self.origin.as_ref().filter(|_| row.url.is_some());
        let unread: Vec<&str> = captures.unread(at).collect();
        let page = PageRecord::new(row.url.clone(), captures.media_type(at), row.fields, &unread);
        let site = self.index.site(origin, captures.fetched_at(at), slack, resolver);
        let later = self.work.later.map(|later| later.newest(origin, resolver));
        let decision = resolver.decide(&page, &site, later.as_ref());
        self.tally.page(resolver, &site.current, &decision);
        if self.work.tables.has(&PAGES) {
            pages::append(&mut self.pages, at, resolver, &site, &decision);
        }
        decision.access.preference
    }

    fn remember_origin(&mut self, url: Option<&PageUrl<'_>>) {
        if let Some(url) = url
            && !self.origin.as_ref().is_some_and(|origin| origin.is_of(url))
        {
            self.origin = Some(url.origin());
        }
    }
}
