//! One batch of evidence, resolved into its parts of `pages` and `statements`.

use super::Work;
use super::index::SiteIndex;
use super::tally::Tally;
use crate::job::manifest::{Manifest, PartEntry, RESOLVED, write_json};
use crate::job::progress::Progress;
use crate::store::Store;
use crate::systems::{Ground, Page, SYSTEMS, Source, Statement, Value};
use crate::tables::captures::{CAPTURES, Captures};
use crate::tables::pages::{self, PAGES, PageAnswer};
use crate::tables::robots::{self, ROBOTS, RobotsRow};
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{PartWriter, Rows, Slices, Table};
use crate::verdict::labels::Reading;
use crate::verdict::site::Outcome;
use crate::verdict::{Crawl, Current};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::origin::Origin;
use crate::web::path_pattern::UrlPath;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};
use std::io;

const GROUP_ROWS: usize = 1 << 16;

/// What a resolved batch leaves beside the tables.
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchManifest {
    /// Version of the tool that wrote it.
    pub version: String,
    /// The evidence of its group.
    pub evidence: String,
    /// What it came to.
    pub tally: Tally,
    /// Its parts.
    pub parts: Vec<PartEntry>,
}

impl BatchManifest {
    /// Returns the name of a batch's manifest.
    pub fn file(batch: &Manifest) -> String {
        format!("{RESOLVED}/crawl={}/{}.json", batch.crawl, batch.batch)
    }

    /// Returns the manifest of a batch that is whole and of the same evidence.
    ///
    /// # Errors
    /// Why the output cannot be read.
    pub fn of_finished(store: &dyn Store, batch: &Manifest, evidence: &str) -> io::Result<Option<Self>> {
        let Some(bytes) = store.read(&Self::file(batch))? else { return Ok(None) };
        let Ok(manifest) = serde_json::from_slice::<Self>(&bytes) else { return Ok(None) };
        for part in &manifest.parts {
            if store.bytes(&part.file)? != Some(part.bytes) {
                return Ok(None);
            }
        }
        Ok(Some(manifest).filter(|manifest| manifest.evidence == evidence))
    }
}

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
    batch: &Manifest,
    evidence: &str,
    index: &SiteIndex,
    work: &Work<'_>,
    progress: &dyn Progress,
) -> io::Result<Tally> {
    let mut pages = Part::begin(&PAGES, batch, work)?;
    let mut statements = Part::begin(&STATEMENTS, batch, work)?;
    let mut robots = Part::begin(&ROBOTS, batch, work)?;
    let mut resolving = Resolving {
        work,
        index,
        pages: Rows::of_captures(&PAGES),
        robots: Rows::of_captures(&ROBOTS),
        statements: Rows::of_captures(&STATEMENTS),
        tally: Tally::default(),
        origin: None,
    };
    for slice in Slices::new(work.evidence.open(&batch.part(&CAPTURES))?)? {
        let slice = slice?;
        resolving.slice(&slice)?;
        pages.write(&resolving.pages.finish_of_captures(&slice)?)?;
        robots.write(&resolving.robots.finish_of_captures(&slice)?)?;
        statements.write(&resolving.statements.finish_of_captures(&slice)?)?;
        progress.advanced(0, slice.num_rows() as u64);
    }
    let tally = resolving.tally;
    commit(batch, evidence, &tally, [pages, robots, statements], work.store)?;
    Ok(tally)
}

impl Resolving<'_> {
    /// Appends the rows of a slice of `captures`, to the tables that are chosen.
    fn slice(&mut self, slice: &RecordBatch) -> io::Result<()> {
        let captures = Captures::new(slice)?;
        let mut fields = Vec::new();
        let has = |table| self.work.tables.has(table);
        let [pages, robots, statements] = [&PAGES, &ROBOTS, &STATEMENTS].map(has);
        for row in 0..captures.count() {
            fields.clear();
            captures.fields(row, &mut fields)?;
            if statements {
                self.statements(row, &fields);
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
        let body = body.and_then(|digest| self.index.body(digest));
        let file = body.map(|body| (body.bytes().len(), body.facts(self.work)));
        let outcome = Outcome::new(answer, file.map(|(_, facts)| facts.is_html));
        let (origin, body_digest) = (origin.as_ref().map(Origin::as_str), captures.body_digest(row));
        robots::append(&mut self.robots, row, &RobotsRow { origin, outcome, body_digest, file });
    }

    fn statements(&mut self, row: usize, fields: &[Field<'_>]) {
        let Self { statements, tally, work, .. } = self;
        for system in SYSTEMS {
            system.statements(
                &Source::Record(fields),
                work.resolver.viewpoint(),
                &mut |statement: &Statement<'_>| {
                    tally.statement(statement);
                    statements::append_of_capture(statements, row, statement);
                },
            );
        }
    }

    fn page(&mut self, captures: &Captures<'_>, row: usize, fields: &[Field<'_>]) {
        let url = PageUrl::new(captures.url(row).as_bytes()).ok();
        let path =
            url.as_ref().map(|url| UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes)));
        let fetched_at = captures.fetched_at(row);
        self.remember_origin(url.as_ref());
        let resolver = self.work.resolver;
        let origin = self.origin.as_ref().filter(|_| url.is_some());
        let current = origin.map_or_else(Current::not_archived, |origin| {
            self.index.timeline.current(origin, fetched_at, self.work.slack)
        });
        let body = current.body.and_then(|body| self.index.bodies.get(body as usize));
        let policy = body.map(|body| body.policy(resolver));
        let crawl = resolver.crawl(current.state, policy, path.as_ref());
        let later = self.work.later.map(|later| judged_later(later, origin, path.as_ref(), self.work));
        let host = url.as_ref().map(PageUrl::origin_host);
        let media_type = captures.media_type(row);
        let page = Page { host, path: path.as_ref(), media_type, crawl: crawl.access, fields };
        let site_policies = resolver.policies(policy);
        let copies = self.index.copies.policies(origin, fetched_at, resolver.viewpoint());
        let policies = || (0..).zip(site_policies).map(|(place, policy)| copies.or(place, policy.as_ref()));
        let mut values: Vec<Value> = Vec::new();
        for policy in policies() {
            policy.answer(&page, resolver.viewpoint(), &mut values);
        }
        let unread: Vec<&str> = captures.unread(row).collect();
        let reading = if unread.is_empty() { Reading::Whole } else { Reading::Partial };
        let labels = resolver.labels(&page, policy, policies(), reading);
        let body_digest = body.map(|body| body.digest.as_str());
        let digest = |ground: &Ground<'_>| match CaptureKind::named(ground.carrier) {
            Some(CaptureKind::Robots) => body_digest,
            Some(kind) => self.index.copies.digest(kind, ground.copy, origin, fetched_at),
            None => None,
        };
        let digests: Vec<Option<&str>> = labels.evidence.iter().map(|one| digest(&one.ground)).collect();
        self.tally.page(resolver, &current, &crawl, later.as_ref(), &values);
        self.tally.labels(&labels);
        let answer = PageAnswer {
            current: &current,
            body_digest,
            crawl: &crawl,
            later: later.as_ref(),
            values: &values,
            labels: &labels,
            digests: &digests,
            unread: &unread,
        };
        pages::append(&mut self.pages, row, resolver, &answer);
    }

    fn remember_origin(&mut self, url: Option<&PageUrl<'_>>) {
        if let Some(url) = url
            && !self.origin.as_ref().is_some_and(|origin| origin.is_of(url))
        {
            self.origin = Some(url.origin());
        }
    }
}

/// Returns the answer of a later crawl's newest robots.txt.
fn judged_later<'l>(
    later: &'l SiteIndex,
    origin: Option<&Origin>,
    path: Option<&UrlPath>,
    work: &Work<'_>,
) -> Crawl<'l> {
    let current = origin.map_or_else(Current::not_archived, |origin| later.timeline.newest(origin));
    let body = current.body.and_then(|body| later.bodies.get(body as usize));
    work.resolver.crawl(current.state, body.map(|body| body.policy(work.resolver)), path)
}

/// A part of a table, being written where the table is chosen.
pub struct Part {
    file: String,
    writer: Option<PartWriter>,
}

impl Part {
    /// Begins a batch's part of a table.
    pub fn begin(table: &'static Table, batch: &Manifest, work: &Work<'_>) -> io::Result<Self> {
        let file = batch.part(table);
        let writer = || PartWriter::new(table, GROUP_ROWS, &work.footer, work.store.create(&file)?);
        let writer = work.tables.has(table).then(writer).transpose()?;
        Ok(Self { file, writer })
    }

    /// Adds rows, where they are wanted.
    pub fn write(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(rows))
    }
}

/// Ends the parts of a batch, then writes its manifest; the batch is whole with it.
pub fn commit<const N: usize>(
    batch: &Manifest,
    evidence: &str,
    tally: &Tally,
    parts: [Part; N],
    store: &dyn Store,
) -> io::Result<()> {
    let mut entries = Vec::new();
    for Part { file, writer } in parts {
        if let Some(writer) = writer {
            entries.push(PartEntry::commit(file, writer)?);
        }
    }
    let manifest = BatchManifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        evidence: evidence.to_owned(),
        tally: tally.clone(),
        parts: entries,
    };
    write_json(store, &BatchManifest::file(batch), &manifest)
}
