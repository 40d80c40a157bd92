//! The contents of a group's site files, once per distinct body: the site tables, and statements.
//!
//! Before the pages of the group, each body is read and parsed once, which gives its rows and the facts that pages and sites
//! need. After them, when the origins are known, the few bodies with statements are read again for their rows.

use super::Work;
use super::file_rows::{FileRows, Written};
use super::files::{FactsByBody, File, Files, RowsOfBodies, chunks, rows_of_bodies};
use super::parallel::in_order_by_pieces;
use super::part::Pieces;
use super::part::{Part, commit};
use super::sites::{origins_by_body, write_sites};
use super::tally::ResolveTally;
use crate::robots::{Managed, ParseLimit, RobotsTxt, managed_of};
use crate::runs::{BatchName, Bodies, Group};
use crate::systems::{FileBody, Shown, Source};
use crate::tables::Rows;
use crate::tables::robots::{ROBOTS_AGENTS, ROBOTS_LINES, ROBOTS_LINTS};
use crate::tables::statements::{self, STATEMENTS};
use crate::verdict::SiteIndex;
use crate::verdict::account::each_statement;
use crate::web::capture_kind::CaptureKind;
use arrow_array::RecordBatch;
use std::io;

/// The facts of a group's site files, found before its pages are resolved: each was read and parsed once.
pub struct ReadFiles {
    parts: Parts,
    facts: FactsByBody,
    tally: ResolveTally,
}

/// Reads a group's site files, each distinct body and kind once: keeps the facts that its pages and sites need, and writes the
/// rows of each robots.txt. A body with another status than 2xx is no such file: an error page states nothing.
pub fn read_files(
    group: &Group<'_>,
    site: &BatchName,
    bodies: &Bodies,
    work: &Work<'_>,
) -> io::Result<ReadFiles> {
    let mut read = ReadFiles {
        parts: Parts {
            agents: Part::begin(&ROBOTS_AGENTS, site, work)?,
            lines: Part::begin(&ROBOTS_LINES, site, work)?,
            lints: Part::begin(&ROBOTS_LINTS, site, work)?,
        },
        facts: FactsByBody::default(),
        tally: ResolveTally::default(),
    };
    let files = Files { segment: group.segment.as_deref(), bodies };
    let make_rows = |chunk| rows_of_bodies(FileRows::new(files, work), chunk, work);
    in_order_by_pieces(chunks(bodies, |_| true), make_rows, |written| {
        read.parts.write(&written)?;
        read.tally.html_files += written.html_files;
        for (body, facts) in written.facts {
            read.facts.add(body, facts);
        }
        Ok(())
    })?;
    // None of their rows are in memory while the pages are resolved.
    read.parts.end_groups()?;
    Ok(read)
}

/// Writes the tables that need the origins which the group's batches have found: the statements of its site files, with the
/// number of origins that have each, and `sites`. Ends the parts.
pub fn write_site_tables(
    group: &Group<'_>,
    site: &BatchName,
    read: ReadFiles,
    index: &SiteIndex<Bodies>,
    work: &Work<'_>,
) -> io::Result<ResolveTally> {
    let ReadFiles { parts: Parts { agents, lines, lints }, facts, mut tally } = read;
    let mut statements = Part::begin(&STATEMENTS, site, work)?;
    if work.tables.has(&STATEMENTS) {
        let files = Files { segment: group.segment.as_deref(), bodies: index.bodies() };
        let origins = origins_by_body(group, index, work)?;
        let make_rows = |chunk| rows_of_bodies(StatementRows::new(files, &origins, work), chunk, work);
        let chunks = chunks(index.bodies(), |body| facts.has_statements(body));
        in_order_by_pieces(chunks, make_rows, |written| {
            tally.add(&written.tally);
            statements.write(&written.rows)
        })?;
    }
    let sites = write_sites(group, &site.id, &facts, index, work, &mut tally.sites)?;
    let parts = [statements, agents, lines, lints].into_iter().chain(sites);
    commit(site, group.made_of(), &tally, parts, work.store)?;
    Ok(tally)
}

/// The parts about each robots.txt, being written.
struct Parts {
    agents: Part,
    lines: Part,
    lints: Part,
}

impl Parts {
    /// Adds rows, each part on its own worker.
    fn write(&mut self, written: &Written) -> io::Result<()> {
        let Self { agents, lines, lints } = self;
        let (of_agents, of_lines_and_lints) = rayon::join(
            || agents.write(&written.agents),
            || lines.write(&written.lines).and(lints.write(&written.lints)),
        );
        of_agents.and(of_lines_and_lints)
    }

    fn end_groups(&mut self) -> io::Result<()> {
        [&mut self.agents, &mut self.lines, &mut self.lints].into_iter().try_for_each(Part::end_group)
    }
}

/// The rows of the statements of some bodies.
pub struct WrittenStatements {
    pub rows: RecordBatch,
    /// Their counts.
    pub tally: ResolveTally,
}

/// Rows of the statements of some bodies, being filled.
pub struct StatementRows<'s> {
    files: Files<'s>,
    /// The number of origins with each body as a current file, by the body's number.
    origins: &'s [u32],
    work: &'s Work<'s>,
    rows: Rows,
    tally: ResolveTally,
}

impl<'s> StatementRows<'s> {
    /// Returns no rows.
    pub fn new(files: Files<'s>, origins: &'s [u32], work: &'s Work<'s>) -> Self {
        Self { files, origins, work, rows: Rows::new(&STATEMENTS), tally: ResolveTally::default() }
    }

    fn add(&mut self, file: &File<'_>, source: &Source<'_>, managed: &[Managed<'_>]) {
        let Self { files, origins, work, rows, tally } = self;
        let origins = origins.get(file.number as usize).copied().unwrap_or(0);
        let (key, mut pieces) = (files.key(file), Pieces::default());
        each_statement(source, work.resolver.viewpoint(), &mut |accounted| {
            let statement = accounted.statement;
            if accounted.shown == Shown::Row {
                tally.count_statement(statement);
                if let Some(place) = accounted.system {
                    pieces.add(place, statement);
                }
                let text = statement.line.and_then(|line| managed_of(managed, line));
                statements::append_of_site_file(rows, key, origins, text, accounted);
            }
        });
        tally.unreadable += pieces.unreadable();
    }
}

impl RowsOfBodies for StatementRows<'_> {
    type Made = WrittenStatements;

    fn add_body(&mut self, number: u32) -> io::Result<()> {
        let Some((file, bytes)) = self.files.read(number)? else { return Ok(()) };
        let (kind, extent) = (file.body.key.kind, file.body.extent);
        if kind == CaptureKind::Robots {
            let robots = RobotsTxt::parse_text(bytes, extent, ParseLimit::default());
            let is_of_no_vendor = file.body.known_facts().is_some_and(|facts| facts.managed_by.is_none());
            let managed = if is_of_no_vendor { Vec::new() } else { self.work.vendor_texts.managed(&robots) };
            self.add(&file, &Source::Robots(&robots), &managed);
        } else {
            self.add(&file, &Source::SiteFile(kind, FileBody { bytes: &bytes, extent }), &[]);
        }
        Ok(())
    }

    fn byte_count(&self) -> usize {
        self.rows.byte_count()
    }

    fn finish(mut self) -> io::Result<WrittenStatements> {
        Ok(WrittenStatements { rows: self.rows.finish()?, tally: self.tally })
    }
}
