//! The contents of a group's site files, once per distinct body: the site tables, and statements.
//!
//! Before the pages of the group, each body is read and parsed once, which gives its rows and the facts that pages and sites
//! need. After them, when the origins are known, the few bodies with statements are read again for their rows.

use super::Work;
use super::file_rows::{FileRows, Written};
use super::files::{FactsByBody, Files, chunks, rows_of_bodies};
use super::parallel::in_order_by_pieces;
use super::part::{Part, commit};
use super::sites::{origins_by_body, write_sites};
use super::statement_rows::StatementRows;
use super::tally::ResolveTally;
use crate::runs::{BatchName, Bodies, Group};
use crate::tables::robots::{ROBOTS_AGENTS, ROBOTS_LINES, ROBOTS_LINTS};
use crate::tables::statements::STATEMENTS;
use crate::verdict::SiteIndex;
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
