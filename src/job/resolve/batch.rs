//! One batch of evidence, resolved into its parts of `pages` and `statements`.

use super::Work;
use super::group::Batch;
use super::inputs::write_inputs;
use super::part::{Part, commit};
use super::site;
use super::tally::Tally;
use crate::job::progress::Progress;
use crate::systems::{SYSTEMS, Shown, Source, shown_statements};
use crate::tables::captures::{CAPTURES, Captures};
use crate::tables::pages::{self, PAGES};
use crate::tables::robots::{self, ROBOTS, RobotsRow};
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{Rows, Slices};
use crate::verdict::site::Outcome;
use crate::verdict::{PageRecord, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::origin::Origin;
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
    let tally = resolving.tally;
    let [failures, archives] = write_inputs(batch, work)?;
    commit(&batch.name, evidence, &tally, [pages, robots, statements, failures, archives], work.store)?;
    Ok(tally)
}

impl Resolving<'_> {
    /// Appends the rows of a slice of `captures` to the tables that are chosen. Statements are written as soon as
    /// they take more than [`STATEMENT_BYTES`]: each copies its page's URL.
    fn slice(&mut self, slice: &RecordBatch, part: &mut Part) -> io::Result<()> {
        let captures = Captures::new(slice)?;
        let mut fields = Vec::new();
        let has = |table| self.work.tables.has(table);
        let [pages, robots, statements] = [&PAGES, &ROBOTS, &STATEMENTS].map(has);
        let mut url_bytes = 0;
        for row in 0..captures.count() {
            fields.clear();
            captures.fields(row, &mut fields)?;
            if statements {
                let before = self.statements.row_count();
                self.statements(row, &fields);
                url_bytes += (self.statements.row_count() - before) * captures.url(row).len();
                if self.statements.byte_count() + url_bytes > STATEMENT_BYTES {
                    part.write(&self.statements.finish_of_captures(slice)?)?;
                    url_bytes = 0;
                }
            }
            let kind = captures.kind(row);
            if pages && kind == CaptureKind::Page.as_str() {
                self.page(&captures, row, &fields);
            } else if robots && kind == CaptureKind::Robots.as_str() {
                self.robots(&captures, row);
            }
        }
        Ok(())
    }

    /// Appends the row of a capture of a robots.txt.
    fn robots(&mut self, captures: &Captures<'_>, row: usize) {
        let origin = PageUrl::new(captures.url(row).as_bytes()).ok().map(|url| url.origin());
        let answer = captures.answer(row);
        let body = captures.body_digest(row).filter(|_| answer.is_success());
        let body = body.and_then(|digest| self.index.body(CaptureKind::Robots, digest));
        let file = body.map(|body| (body.body().bytes.len(), site::facts(body, self.work)));
        let outcome = Outcome::new(answer, file.map(|(_, facts)| facts.is_html));
        let (origin, body_digest) = (origin.as_ref().map(Origin::as_str), captures.body_digest(row));
        robots::append(&mut self.robots, row, &RobotsRow { origin, outcome, body_digest, file });
    }

    fn statements(&mut self, row: usize, fields: &[Field<'_>]) {
        let Self { statements, tally, work, .. } = self;
        for system in SYSTEMS {
            let source = Source::Record(fields);
            shown_statements(*system, &source, work.resolver.viewpoint(), &mut |statement, shown| {
                if shown == Shown::Row {
                    tally.statement(statement);
                    statements::append_of_capture(statements, row, statement);
                }
            });
        }
    }

    fn page(&mut self, captures: &Captures<'_>, row: usize, fields: &[Field<'_>]) {
        let url = PageUrl::new(captures.url(row).as_bytes()).ok();
        let fetched_at = captures.fetched_at(row);
        self.remember_origin(url.as_ref());
        let Work { resolver, slack, .. } = *self.work;
        let origin = self.origin.as_ref().filter(|_| url.is_some());
        let unread: Vec<&str> = captures.unread(row).collect();
        let page = PageRecord::new(url, captures.media_type(row), fields, &unread);
        let site = self.index.site(origin, fetched_at, slack, resolver);
        let later = self.work.later.map(|later| later.newest(origin, resolver));
        let decision = resolver.decide(&page, &site, later.as_ref());
        self.tally.page(resolver, &site.current, &decision);
        pages::append(&mut self.pages, row, resolver, &site, &decision);
    }

    fn remember_origin(&mut self, url: Option<&PageUrl<'_>>) {
        if let Some(url) = url
            && !self.origin.as_ref().is_some_and(|origin| origin.is_of(url))
        {
            self.origin = Some(url.origin());
        }
    }
}
