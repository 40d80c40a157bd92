//! What stands in a group's site files, once per distinct body: statements, and the site tables.

use super::Work;
use super::group::{BatchName, Group};
use super::part::{Part, commit};
use super::pieces::Pieces;
use super::said::{Said, SaidByBodies};
use super::sites::{origins_by_body, write_sites};
use super::tally::Tally;
use crate::robots::{Kind, Managed, ParseLimit, Record, RobotsTxt, vendor_of};
use crate::systems::{FileBody, SYSTEMS, Shown, Source, shown_statements};
use crate::tables::columns::BodyKey;
use crate::tables::robots::ROBOTS;
use crate::tables::robots_agents::{self, ROBOTS_AGENTS};
use crate::tables::robots_lines::{self, LineReading, MAX_LINES, ROBOTS_LINES};
use crate::tables::robots_lints::{self, ROBOTS_LINTS};
use crate::tables::sites::SITES;
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{LinesKept, Rows};
use crate::verdict::site::{ClosedTokens, SiteFacts, agents};
use crate::verdict::studies::Studies;
use crate::verdict::{SiteBody, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

/// Bodies that one worker takes at once, unless their text is long. As the rows of a chunk are handed on
/// together, chunks are cut at fixed numbers.
const CHUNK: usize = 256;
/// Text that one worker takes at once, in bytes: some statements stand in rows that are much longer.
const CHUNK_BYTES: usize = 1 << 19;
/// Chunks whose rows are held before they are written, while as many again are filled.
const CHUNKS_HELD: usize = 16;

/// How the names of parts with rows of site files end.
pub const SITE: &str = "-site";

/// Returns the name of the parts with rows of a group's site files.
pub fn site_part(group: &Group<'_>) -> BatchName {
    let id = format!("{}{SITE}", group.segment.as_deref().unwrap_or("all"));
    BatchName { crawl: group.crawl.clone(), id }
}

/// Writes the rows of a group's site files, once per distinct body and kind. What came with another status
/// than 2xx is no such file: a page that says that there is none states nothing.
pub fn write_site_tables(
    group: &Group<'_>,
    site: &BatchName,
    index: &SiteIndex,
    work: &Work<'_>,
) -> io::Result<Tally> {
    let mut parts = Parts {
        statements: Part::begin(&STATEMENTS, site, work)?,
        agents: Part::begin(&ROBOTS_AGENTS, site, work)?,
        lines: Part::begin(&ROBOTS_LINES, site, work)?,
        lints: Part::begin(&ROBOTS_LINTS, site, work)?,
    };
    let segment = group.segment.as_deref();
    let (mut tally, mut said) = (Tally::default(), SaidByBodies::default());
    let origins = if work.needs_origins() { origins_by_body(group, index, work)? } else { Vec::new() };
    let file = |(number, body)| {
        let number: u32 = number;
        NumberedBody { number, origins: origins.get(number as usize).copied().unwrap_or(0), body }
    };
    let files = || (0..).zip(index.bodies()).filter(|(_, body)| body.is_file).map(file);
    let bodies: Vec<NumberedBody<'_>> =
        files().filter(|file| file.body.kind == CaptureKind::Robots).collect();
    let mut ahead = Vec::new();
    for held in chunks(&bodies).chunks(CHUNKS_HELD) {
        let chunk = |bodies: &&[NumberedBody<'_>]| {
            let mut rows = SiteRows::new(segment, work);
            for body in *bodies {
                rows.robots(body);
            }
            rows.finish()
        };
        let chunks = || held.par_iter().map(chunk).collect::<io::Result<Vec<Written>>>();
        // What is found is written while more is looked for.
        let (written, found) = rayon::join(|| parts.write(&ahead), chunks);
        written?;
        ahead = found?;
        for written in &mut ahead {
            written.count_in(&mut tally, &mut said);
        }
    }
    parts.write(&ahead)?;
    let mut rows = SiteRows::new(segment, work);
    for file in files().filter(|file| file.body.kind != CaptureKind::Robots) {
        rows.statements(&file, &Source::SiteFile(file.body.kind, file.body.body()), &[]);
    }
    let mut written = rows.finish()?;
    written.count_in(&mut tally, &mut said);
    parts.write(&[written])?;
    let sites = write_sites(group, &site.id, &said, index, work, &mut tally.sites)?;
    let Parts { statements, agents, lines, lints } = parts;
    let parts = [statements, agents, lines, lints].into_iter().chain(sites);
    commit(site, &group.fingerprint, &tally, parts, work.store)?;
    Ok(tally)
}

/// A body of a site file, and of how many origins it is a current one.
struct NumberedBody<'b> {
    number: u32,
    origins: u32,
    body: &'b SiteBody,
}

/// Cuts bodies into chunks.
fn chunks<'b>(mut bodies: &'b [NumberedBody<'b>]) -> Vec<&'b [NumberedBody<'b>]> {
    let mut chunks = Vec::new();
    while !bodies.is_empty() {
        let mut bytes = 0;
        let fits = |file: &&NumberedBody<'_>| {
            let had = bytes;
            bytes += file.body.body().bytes.len();
            had == 0 || bytes <= CHUNK_BYTES
        };
        let count = bodies.iter().take(CHUNK).take_while(fits).count().max(1);
        let (chunk, rest) = bodies.split_at(count.min(bodies.len()));
        chunks.push(chunk);
        bodies = rest;
    }
    chunks
}

/// Returns what was found out about a robots.txt.
pub fn facts<'b>(body: &'b SiteBody, work: &Work<'_>) -> &'b SiteFacts {
    body.facts(|| {
        let FileBody { bytes, extent } = body.body();
        let robots = RobotsTxt::parse_within(bytes, extent, ParseLimit::default());
        let named = robots.named_groups(TokenMatch::Exact);
        SiteFacts::of(&robots, &named, &work.vendor_texts.managed(&robots), work.resolver)
    })
}

/// The parts, being written.
struct Parts {
    statements: Part,
    agents: Part,
    lines: Part,
    lints: Part,
}

impl Parts {
    /// Adds rows, to each part by a worker of its own.
    fn write(&mut self, written: &[Written]) -> io::Result<()> {
        let Self { statements, agents, lines, lints } = self;
        let written = || written.iter();
        let results = rayon::join(
            || written().try_for_each(|written| statements.write(&written.statements)),
            || {
                rayon::join(
                    || written().try_for_each(|written| agents.write(&written.agents)),
                    || {
                        written().try_for_each(|written| lines.write(&written.lines))?;
                        written().try_for_each(|written| lints.write(&written.lints))
                    },
                )
            },
        );
        let (of_statements, (of_agents, of_lines_and_lints)) = results;
        of_statements.and(of_agents).and(of_lines_and_lints)
    }
}

/// The rows of some bodies.
struct Written {
    statements: RecordBatch,
    agents: RecordBatch,
    lines: RecordBatch,
    lints: RecordBatch,
    tally: Tally,
    said: Vec<(u32, Said)>,
}

impl Written {
    /// Counts the rows, and hands on what their bodies say.
    fn count_in(&mut self, tally: &mut Tally, by_bodies: &mut SaidByBodies) {
        tally.add(&self.tally);
        for (body, said) in self.said.drain(..) {
            by_bodies.add(body, said);
        }
    }
}

/// By line, the path of its statements, and whether none has a defect.
type Readings = HashMap<u32, (Option<Vec<u8>>, bool)>;

/// Rows of some bodies of a segment, being filled.
struct SiteRows<'s> {
    segment: Option<&'s str>,
    work: &'s Work<'s>,
    statements: Rows,
    agents: Rows,
    lines: Rows,
    lints: Rows,
    tally: Tally,
    /// What each body says as a whole, where `sites` is wanted.
    said: Vec<(u32, Said)>,
}

impl<'s> SiteRows<'s> {
    fn new(segment: Option<&'s str>, work: &'s Work<'s>) -> Self {
        Self {
            segment,
            work,
            statements: Rows::new(&STATEMENTS),
            agents: Rows::new(&ROBOTS_AGENTS),
            lines: Rows::new(&ROBOTS_LINES),
            lints: Rows::new(&ROBOTS_LINTS),
            tally: Tally::default(),
            said: Vec::new(),
        }
    }

    fn robots(&mut self, file: &NumberedBody<'_>) {
        let (work, tables, body) = (self.work, self.work.tables, file.body);
        let key = BodyKey { segment: self.segment, digest: &body.digest };
        let robots = RobotsTxt::parse_within(body.body().bytes, body.body().extent, ParseLimit::default());
        let managed = work.vendor_texts.managed(&robots);
        let readings = self.statements(file, &Source::Robots(&robots), &managed);
        if let Some((_, said)) = self.said.last_mut() {
            said.closed = Some(Arc::new(ClosedTokens::of(&robots, work.resolver)));
        }
        let named = robots.named_groups(TokenMatch::Exact);
        if tables.has(&ROBOTS) || tables.has(&ROBOTS_LINTS) {
            for finding in &body.facts(|| SiteFacts::of(&robots, &named, &managed, work.resolver)).lints {
                robots_lints::append(&mut self.lints, key, finding);
            }
        }
        if tables.has(&ROBOTS_AGENTS) {
            let mut studies = tables.has_studies().then(|| Studies::read(&robots));
            for facts in agents(&robots, &named) {
                let classes = studies.as_mut().map(|studies| studies.classes(facts.agent));
                let spelled = work.resolver.spelled(facts.agent);
                robots_agents::append(&mut self.agents, key, &facts, spelled, classes);
            }
        }
        if tables.has(&ROBOTS_LINES) {
            self.lines(key, &robots, &readings, tables.lines());
        }
    }

    fn lines(&mut self, body: BodyKey<'_>, robots: &RobotsTxt, readings: &Readings, kept: LinesKept) {
        let is_kept = |record: &Record<'_>| match kept {
            LinesKept::All => true,
            LinesKept::Unusual => is_unusual(record),
        };
        let faulty: BTreeSet<u32> = match kept {
            LinesKept::All => robots.defects().iter().map(|defect| defect.line).collect(),
            LinesKept::Unusual => BTreeSet::new(),
        };
        let mut of_group: Option<(Option<usize>, Vec<String>)> = None;
        let mut records = robots.records().filter(is_kept);
        for record in records.by_ref().take(MAX_LINES) {
            let agents = match &of_group {
                Some((group, agents)) if *group == record.group => agents,
                Some(_) | None => &of_group.insert((record.group, agent_names(robots, record.group))).1,
            };
            let valid = !faulty.contains(&record.line);
            let reading = match record.kind {
                Kind::Allow | Kind::Disallow => Some(LineReading { path: Some(record.value), valid }),
                Kind::UserAgent => Some(LineReading { path: None, valid }),
                Kind::ExtensionRule | Kind::Other => readings
                    .get(&record.line)
                    .map(|(path, valid)| LineReading { path: path.as_deref(), valid: *valid }),
            };
            robots_lines::append(&mut self.lines, body, &record, agents, reading);
        }
        if let Some(next) = records.next() {
            robots_lines::append_count(&mut self.lines, body, next.line, 1 + records.count());
        }
    }

    /// Adds the statements of a source; returns what they make of each line.
    fn statements(
        &mut self,
        file: &NumberedBody<'_>,
        source: &Source<'_>,
        managed: &[Managed<'_>],
    ) -> Readings {
        let work = self.work;
        let (mut readings, mut said, mut pieces) = (Readings::new(), Said::default(), Pieces::default());
        let [keeps, lines, sites] = [&STATEMENTS, &ROBOTS_LINES, &SITES].map(|table| work.tables.has(table));
        if !keeps && !lines && !sites {
            return readings;
        }
        let body = BodyKey { segment: self.segment, digest: &file.body.digest };
        for (place, system) in SYSTEMS.iter().enumerate() {
            shown_statements(*system, source, work.resolver.viewpoint(), &mut |statement, shown| {
                said.add_system(place);
                if keeps && shown == Shown::Row {
                    self.tally.statement(statement);
                    pieces.add(place, statement);
                    let vendor = statement.line.and_then(|line| vendor_of(managed, line));
                    let rows = &mut self.statements;
                    statements::append_of_site_file(rows, body, file.origins, vendor, statement);
                }
                if let Some(line) = statement.line {
                    let path = || statement.path.map(<[u8]>::to_vec);
                    let (_, valid) = readings.entry(line).or_insert_with(|| (path(), true));
                    *valid &= statement.defect.is_none();
                }
            });
        }
        self.tally.unreadable += pieces.unreadable();
        if sites {
            self.said.push((file.number, said));
        }
        readings
    }

    fn finish(mut self) -> io::Result<Written> {
        Ok(Written {
            statements: self.statements.finish()?,
            agents: self.agents.finish()?,
            lines: self.lines.finish()?,
            lints: self.lints.finish()?,
            tally: self.tally,
            said: self.said,
        })
    }
}

/// Returns whether a line is in `robots_lines`.
fn is_unusual(record: &Record<'_>) -> bool {
    match record.kind {
        Kind::UserAgent | Kind::Allow | Kind::Disallow => false,
        Kind::ExtensionRule | Kind::Other => !record.is_named("sitemap"),
    }
}

fn agent_names(robots: &RobotsTxt, group: Option<usize>) -> Vec<String> {
    let group = group.and_then(|group| robots.group(group));
    group.map(|group| group.agent_names()).unwrap_or_default()
}
