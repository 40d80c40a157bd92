//! The contents of a group's site files, once per distinct body: the tables with a row per body, statements, and the facts that
//! pages and sites need.
//!
//! Before the pages of the group, each body is read and parsed once, which gives its rows and facts. After them, when the origins
//! are known, the few bodies with statements are read again for their rows.

use super::Work;
use super::files::{BodyFacts, FactsByBody, File, chunks, each_body};
use super::origins::{origins_by_body, other_bodies, write_sites};
use super::parallel::{in_order, in_order_by_pieces};
use super::part::{Part, Pieces, commit, write_all};
use super::tally::ResolveTally;
use crate::robots::{LineKind, Managed, RobotsRecord, RobotsTxt, managed_of};
use crate::runs::{ArchiveGroup, BatchName, Bodies, RestsOn, StoredBody};
use crate::systems::{FileBody, Shown, Source};
use crate::tables::columns::TableBodyKey;
use crate::tables::robots::{
    self, LineReading, MAX_LINES, ROBOTS, ROBOTS_AGENTS, ROBOTS_LINES, ROBOTS_LINTS,
};
use crate::tables::sites::SITES;
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{LinesKept, Rows};
use crate::verdict::account::each_statement;
use crate::verdict::site::{SiteFacts, agents};
use crate::verdict::{FilesOfSites, Legibility, SiteBodies};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use std::collections::{BTreeSet, HashMap};
use std::io;

/// What was found of a group's site files before its pages are resolved: each was read and parsed once.
pub struct ReadFiles {
    /// The parts about each robots.txt, being written.
    parts: [Part; 3],
    facts: FactsByBody,
    tally: ResolveTally,
}

/// Reads a group's site files, each distinct body and kind once: keeps the facts that its pages and sites need, and writes the
/// rows of each robots.txt. A body with a status other than 2xx is not such a file: an error page states nothing.
pub fn read_files(
    group: &ArchiveGroup<'_>,
    site: &BatchName,
    bodies: &Bodies,
    work: &Work<'_>,
) -> io::Result<ReadFiles> {
    let begin = |table| Part::begin(table, site, work);
    let mut parts = [
        begin(&ROBOTS_AGENTS)?,
        begin(&ROBOTS_LINES)?,
        begin(&ROBOTS_LINTS)?,
    ];
    let mut facts = FactsByBody::default();
    let mut tally = ResolveTally::default();
    let make_rows = |chunk| {
        let [agents, lines, findings] =
            [&ROBOTS_AGENTS, &ROBOTS_LINES, &ROBOTS_LINTS].map(Rows::new);
        let facts = Vec::new();
        let html_files = 0;
        let mut rows = FileRows {
            work,
            agents,
            lines,
            lints: findings,
            html_files,
            facts,
        };
        let left = each_body(group, bodies, chunk, work, |number, file| {
            if let Some(file) = file {
                return Ok(rows.add(file));
            }
            let is_html = bodies
                .get(number)
                .is_some_and(|body| body.legibility == Legibility::Html);
            rows.html_files += u64::from(is_html);
            Ok(rows.byte_count())
        })?;
        let FileRows {
            mut agents,
            mut lines,
            mut lints,
            html_files,
            facts,
            ..
        } = rows;
        Ok((
            (
                [agents.finish()?, lines.finish()?, lints.finish()?],
                html_files,
                facts,
            ),
            left,
        ))
    };
    in_order_by_pieces(
        chunks(bodies, |_| true),
        make_rows,
        |(rows, html_files, of_bodies)| {
            write_all(&mut parts, &rows)?;
            tally.html_files += html_files;
            for (body, of_body) in of_bodies {
                facts.add(body, of_body);
            }
            Ok(())
        },
    )?;
    // None of their rows are in memory while the pages are resolved.
    parts.iter_mut().try_for_each(Part::end_group)?;
    Ok(ReadFiles {
        parts,
        facts,
        tally,
    })
}

/// Writes the tables that need the origins which the group's batches have found: the statements of its site files, with the
/// number of origins that have each, and `sites`. Ends the parts.
pub fn write_site_tables(
    group: &ArchiveGroup<'_>,
    site: &RestsOn,
    read: ReadFiles,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<ResolveTally> {
    let ReadFiles {
        parts,
        mut facts,
        mut tally,
    } = read;
    let mut statements = Part::begin(&STATEMENTS, &site.name, work)?;
    if work.tables.has(&STATEMENTS) {
        let bodies = index.bodies();
        let origins = origins_by_body(group, index, work)?;
        let make_rows = |chunk| {
            let mut rows = Rows::new(&STATEMENTS);
            let mut tally = ResolveTally::default();
            let left = each_body(group, bodies, chunk, work, |number, file| {
                if let Some(file) = file {
                    // The number of origins with the body as a current file.
                    let origins = origins.get(number as usize).copied().unwrap_or(0);
                    add_statements(&mut rows, &mut tally, file, origins, work);
                }
                Ok(rows.byte_count())
            })?;
            Ok(((rows.finish()?, tally), left))
        };
        let chunks = chunks(bodies, |body| facts.has_statements(body));
        in_order_by_pieces(chunks, make_rows, |(rows, of_rows)| {
            tally.add(&of_rows);
            statements.write(&rows)
        })?;
    }
    read_others(group, &mut facts, index, work)?;
    let sites = write_sites(group, &site.name.id, &facts, index, work, &mut tally.sites)?;
    let parts = [statements].into_iter().chain(parts).chain(sites);
    commit(site, &tally, parts, work.store)?;
    Ok(tally)
}

/// Adds the facts of bodies of other groups that count for origins of this one; their rows are in the other groups' parts.
fn read_others(
    group: &ArchiveGroup<'_>,
    facts: &mut FactsByBody,
    index: &FilesOfSites<Bodies>,
    work: &Work<'_>,
) -> io::Result<()> {
    let bodies = index.bodies();
    if !work.tables.has(&SITES) || bodies.count() == bodies.own().count() {
        return Ok(());
    }
    let others: Vec<u32> = other_bodies(group, index, work)?.into_iter().collect();
    in_order(
        others.into_iter().map(Ok),
        |number| {
            work.go_on()?;
            let Some(body) = bodies.get(number) else {
                return Ok(None);
            };
            let bytes = bodies.read(number)?;
            let file = FileBody {
                bytes: &bytes,
                extent: body.extent,
            };
            Ok(Some((
                number,
                BodyFacts::read(body.key.kind, file, work.resolver),
            )))
        },
        |found| {
            if let Some((number, of_body)) = found {
                facts.add(number, of_body);
            }
            Ok(())
        },
    )
}

/// Appends the statements of a site file.
fn add_statements(
    rows: &mut Rows,
    tally: &mut ResolveTally,
    file: File<'_>,
    origins: u32,
    work: &Work<'_>,
) {
    let body = file.body;
    let digest = file.body.key.digest();
    let key = TableBodyKey {
        segment: file.segment,
        digest: &digest,
    };
    let kind = body.key.kind;
    let extent = body.extent;
    let mut pieces = Pieces::default();
    let mut add = |source: &Source<'_>, managed: &[Managed<'_>]| {
        each_statement(source, &work.resolver.viewpoint, &mut |accounted| {
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
    };
    if kind == CaptureKind::Robots {
        let robots = file.robots();
        let is_of_no_vendor = body
            .known_facts()
            .is_some_and(|facts| facts.managed_by.is_none() && facts.managed_as.is_none());
        let managed = if is_of_no_vendor {
            Vec::new()
        } else {
            work.vendor_texts.managed(&robots)
        };
        add(&Source::Robots(&robots), &managed);
    } else {
        add(
            &Source::SiteFile(
                kind,
                FileBody {
                    bytes: &file.bytes,
                    extent,
                },
            ),
            &[],
        );
    }
    tally.unreadable += pieces.unreadable();
}

/// By line, the path of its statements, and whether none has a defect.
type Readings = HashMap<u32, (Option<Vec<u8>>, bool)>;

/// Rows of some bodies of a segment, being filled.
struct FileRows<'s> {
    work: &'s Work<'s>,
    agents: Rows,
    lines: Rows,
    lints: Rows,
    /// How many of the bodies are HTML instead.
    html_files: u64,
    /// The facts of bodies, by their numbers.
    facts: Vec<(u32, BodyFacts)>,
}

impl FileRows<'_> {
    /// Adds the rows of a body; returns the bytes of all rows.
    fn add(&mut self, file: File<'_>) -> usize {
        let number = file.number;
        let body = file.body;
        let mut facts = BodyFacts::default();
        let kind = body.key.kind;
        let extent = body.extent;
        if kind == CaptureKind::Robots {
            let digest = body.key.digest();
            let segment = file.segment;
            self.add_robots(
                body,
                TableBodyKey {
                    segment,
                    digest: &digest,
                },
                &file.robots(),
                &mut facts,
            );
        } else {
            let source = Source::SiteFile(
                kind,
                FileBody {
                    bytes: &file.bytes,
                    extent,
                },
            );
            self.read_statements(&source, &mut facts);
        }
        self.facts.push((number, facts));
        self.byte_count()
    }

    fn byte_count(&self) -> usize {
        [&self.agents, &self.lines, &self.lints]
            .into_iter()
            .map(Rows::byte_count)
            .sum()
    }

    fn add_robots(
        &mut self,
        body: &StoredBody,
        key: TableBodyKey<'_>,
        robots: &RobotsTxt,
        facts: &mut BodyFacts,
    ) {
        let work = self.work;
        let has = |table| work.tables.has(table);
        let readings = self.read_statements(&Source::Robots(robots), facts);
        let named = robots.named_groups(TokenMatch::Exact);
        let of_vendors = [&ROBOTS, &ROBOTS_LINTS, &ROBOTS_LINES, &ROBOTS_AGENTS];
        let vendors = of_vendors
            .into_iter()
            .any(has)
            .then(|| work.vendor_texts.find(robots));
        let vendors = vendors.unwrap_or_default();
        if has(&ROBOTS) || has(&ROBOTS_LINTS) {
            let found =
                body.keep_facts(SiteFacts::evaluate(robots, &named, &vendors, work.resolver));
            for finding in found.lints.iter().filter(|_| has(&ROBOTS_LINTS)) {
                robots::append_lint(self.lints.row(), key, finding);
            }
        }
        if has(&ROBOTS_AGENTS) || has(&SITES) {
            let agents = agents(robots, &named, &vendors.managed);
            facts.add_robots(robots, &agents, work.resolver);
            for facts in agents.iter().filter(|_| has(&ROBOTS_AGENTS)) {
                let spelled = work.resolver.spelled(facts.agent);
                robots::append_agent(self.agents.row(), key, facts, spelled, &vendors.managed);
            }
        }
        if has(&ROBOTS_LINES) {
            self.add_lines(key, robots, &readings, &vendors.managed);
        }
    }

    fn add_lines(
        &mut self,
        body: TableBodyKey<'_>,
        robots: &RobotsTxt,
        readings: &Readings,
        managed: &[Managed<'_>],
    ) {
        let keeps_all = self.work.tables.lines == LinesKept::All;
        let is_kept = |record: &RobotsRecord<'_>| keeps_all || is_unusual(record);
        let faulty: BTreeSet<u32> = robots
            .defects()
            .iter()
            .filter(|_| keeps_all)
            .map(|defect| defect.line)
            .collect();
        let mut of_group: Option<(Option<usize>, Vec<String>)> = None;
        let mut records = robots.records().filter(is_kept);
        for record in records.by_ref().take(MAX_LINES) {
            let agents = match &of_group {
                Some((group, agents)) if *group == record.group => agents,
                Some(_) | None => {
                    &of_group
                        .insert((record.group, agent_names(robots, record.group)))
                        .1
                }
            };
            let valid = !faulty.contains(&record.line);
            let reading = match record.kind {
                LineKind::Allow | LineKind::Disallow => Some(LineReading {
                    path: Some(record.value),
                    valid,
                }),
                LineKind::UserAgent => Some(LineReading { path: None, valid }),
                LineKind::ExtensionRule | LineKind::Other => {
                    readings.get(&record.line).map(|(path, valid)| LineReading {
                        path: path.as_deref(),
                        valid: *valid,
                    })
                }
            };
            let managed = managed_of(managed, record.line);
            robots::append_line(self.lines.row(), body, &record, agents, reading, managed);
        }
        if let Some(next) = records.next() {
            robots::append_line_count(self.lines.row(), body, next.line, 1 + records.count());
        }
    }

    /// Adds the systems with statements in a body to its facts; returns how these read each line.
    fn read_statements(&self, source: &Source<'_>, facts: &mut BodyFacts) -> Readings {
        let work = self.work;
        let mut readings = Readings::new();
        let has_lines = work.tables.has(&ROBOTS_LINES);
        if !work.needs_origins() && !has_lines {
            return readings;
        }
        each_statement(source, &work.resolver.viewpoint, &mut |accounted| {
            let statement = accounted.statement;
            facts.add_statement(accounted);
            if let Some(line) = statement
                .line
                .filter(|_| has_lines && accounted.system.is_some())
            {
                let path = || statement.path.map(<[u8]>::to_vec);
                let (_, valid) = readings.entry(line).or_insert_with(|| (path(), true));
                *valid &= statement.defect.is_none();
            }
        });
        readings
    }
}

/// Whether a line is in `robots_lines`.
fn is_unusual(record: &RobotsRecord<'_>) -> bool {
    match record.kind {
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => false,
        LineKind::ExtensionRule | LineKind::Other => !record.is_named("sitemap"),
    }
}

fn agent_names(robots: &RobotsTxt, group: Option<usize>) -> Vec<String> {
    let group = group.and_then(|group| robots.group(group));
    group.map(|group| group.agent_names()).unwrap_or_default()
}
