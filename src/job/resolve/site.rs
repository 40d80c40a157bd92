//! What is in a group's site files, once per distinct body: statements, and the site tables.

use super::Work;
use super::body_facts::{BodyFacts, FactsByBody};
use super::parallel::in_order;
use super::part::{Part, commit};
use super::pieces::Pieces;
use super::sites::{origins_by_body, write_sites};
use super::tally::ResolveTally;
use crate::robots::{LineKind, Managed, ParseLimit, Record, RobotsTxt, managed_of};
use crate::runs::{BatchName, Bodies, Body, Group};
use crate::systems::{FileBody, SYSTEMS, Shown, Source, shown_statements};
use crate::tables::columns::BodyKey;
use crate::tables::robots_agents::{self, ROBOTS_AGENTS};
use crate::tables::robots_lines::{self, LineReading, MAX_LINES, ROBOTS_LINES};
use crate::tables::robots_lints::{self, ROBOTS_LINTS};
use crate::tables::sites::SITES;
use crate::tables::statements::{self, STATEMENTS};
use crate::tables::{LinesKept, Rows};
use crate::verdict::site::{SiteFacts, agents};
use crate::verdict::{Legibility, SiteBodies, SiteBody, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use arrow_array::RecordBatch;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::iter;

/// Bodies that one worker takes at once, unless their text is long. As the rows of a chunk are handed on
/// together, chunks are cut at fixed numbers.
const CHUNK: usize = 256;
/// Text that one worker takes at once, in bytes: some statements are in rows that are much longer.
const CHUNK_BYTES: usize = 1 << 19;
/// Rows that are held before they are written, in bytes.
const HELD_BYTES: usize = 16 << 20;

/// Writes the rows of a group's site files, once per distinct body and kind: those of robots.txt, then the others.
/// What came with another status than 2xx is no such file: a page that says that there is none states nothing.
pub fn write_site_tables(
    group: &Group<'_>,
    site: &BatchName,
    index: &SiteIndex<Bodies>,
    work: &Work<'_>,
) -> io::Result<ResolveTally> {
    let mut parts = Parts {
        statements: Part::begin(&STATEMENTS, site, work)?,
        agents: Part::begin(&ROBOTS_AGENTS, site, work)?,
        lines: Part::begin(&ROBOTS_LINES, site, work)?,
        lints: Part::begin(&ROBOTS_LINTS, site, work)?,
    };
    let (mut tally, mut said) = (ResolveTally::default(), FactsByBody::default());
    let origins = if work.needs_origins() { origins_by_body(group, index, work)? } else { Vec::new() };
    let files = Files { segment: group.segment.as_deref(), bodies: index.bodies(), origins: &origins };
    let rows = |chunk: Vec<u32>| SiteRows::new(files, work).of(chunk);
    in_order(chunks(index.bodies()), rows, |mut written| {
        loop {
            parts.write(&written)?;
            tally.add(&written.tally);
            for (body, what) in written.said.drain(..) {
                said.add(body, what);
            }
            if written.left.is_empty() {
                return Ok(());
            }
            written = rows(written.left)?;
        }
    })?;
    let sites = write_sites(group, &site.id, &said, index, work, &mut tally.sites)?;
    let Parts { statements, agents, lines, lints } = parts;
    let parts = [statements, agents, lines, lints].into_iter().chain(sites);
    commit(site, group.made_of(), &tally, parts, work.store)?;
    Ok(tally)
}

/// The site files of a group.
#[derive(Clone, Copy)]
struct Files<'f> {
    segment: Option<&'f str>,
    bodies: &'f Bodies,
    /// Of how many origins each body is a current one, by its number.
    origins: &'f [u32],
}

/// A body of a site file, how many origins have it now, and its key in the tables.
struct File<'f> {
    number: u32,
    body: &'f Body,
    origins: u32,
    key: BodyKey<'f>,
}

/// Returns the bodies' numbers in chunks.
fn chunks(bodies: &Bodies) -> impl Iterator<Item = io::Result<Vec<u32>>> {
    let is_robots = |(_, body): &(u32, &Body)| body.key.kind == CaptureKind::Robots;
    let others = bodies.iter().filter(move |body| !is_robots(body));
    let mut rest = bodies.iter().filter(is_robots).chain(others).peekable();
    iter::from_fn(move || {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        while chunk.len() < CHUNK
            && let Some((number, body)) =
                rest.next_if(|(_, body)| bytes == 0 || bytes + body.bytes as usize <= CHUNK_BYTES)
        {
            chunk.push(number);
            bytes += body.bytes as usize;
        }
        (!chunk.is_empty()).then_some(Ok(chunk))
    })
}

/// Returns what was found out about a robots.txt of which a capture has so much.
pub fn facts<'b>(
    bodies: &'b Bodies,
    SiteBody { number, extent }: SiteBody,
    work: &Work<'_>,
) -> io::Result<Option<Cow<'b, SiteFacts>>> {
    let Some(body) = bodies.get(number) else { return Ok(None) };
    if let Some(facts) = body.known_facts().filter(|_| body.extent == extent) {
        return Ok(Some(Cow::Borrowed(facts)));
    }
    let robots = RobotsTxt::parse_within(bodies.read(number)?, extent, ParseLimit::default());
    let named = robots.named_groups(TokenMatch::Exact);
    let facts = SiteFacts::of(&robots, &named, &work.vendor_texts.managed(&robots), work.resolver);
    let is_of_body = body.extent == extent;
    Ok(Some(if is_of_body { Cow::Borrowed(body.keep_facts(facts)) } else { Cow::Owned(facts) }))
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
    fn write(&mut self, written: &Written) -> io::Result<()> {
        let Self { statements, agents, lines, lints } = self;
        let (of_statements, (of_agents, of_lines_and_lints)) = rayon::join(
            || statements.write(&written.statements),
            || {
                rayon::join(
                    || agents.write(&written.agents),
                    || lines.write(&written.lines).and(lints.write(&written.lints)),
                )
            },
        );
        of_statements.and(of_agents).and(of_lines_and_lints)
    }
}

/// The rows of some bodies.
struct Written {
    statements: RecordBatch,
    agents: RecordBatch,
    lines: RecordBatch,
    lints: RecordBatch,
    tally: ResolveTally,
    said: Vec<(u32, BodyFacts)>,
    /// The bodies that are left, where the rows of those before them are many.
    left: Vec<u32>,
}

/// By line, the path of its statements, and whether none has a defect.
type Readings = HashMap<u32, (Option<Vec<u8>>, bool)>;

/// What is known of the lines of a robots.txt.
struct Read<'r> {
    readings: &'r Readings,
    /// The lines that are a vendor's text.
    managed: &'r [Managed<'r>],
}

/// Rows of some bodies of a segment, being filled.
struct SiteRows<'s> {
    files: Files<'s>,
    work: &'s Work<'s>,
    statements: Rows,
    agents: Rows,
    lines: Rows,
    lints: Rows,
    tally: ResolveTally,
    /// What each body says as a whole, where `sites` is wanted.
    said: Vec<(u32, BodyFacts)>,
}

impl<'s> SiteRows<'s> {
    fn new(files: Files<'s>, work: &'s Work<'s>) -> Self {
        Self {
            files,
            work,
            statements: Rows::new(&STATEMENTS),
            agents: Rows::new(&ROBOTS_AGENTS),
            lines: Rows::new(&ROBOTS_LINES),
            lints: Rows::new(&ROBOTS_LINTS),
            tally: ResolveTally::default(),
            said: Vec::new(),
        }
    }

    /// Returns the rows of bodies, until they take [`HELD_BYTES`].
    fn of(mut self, mut chunk: Vec<u32>) -> io::Result<Written> {
        let mut done = 0;
        for number in &chunk {
            self.work.go_on()?;
            self.body(*number)?;
            done += 1;
            let rows = [&self.statements, &self.agents, &self.lines, &self.lints];
            if rows.into_iter().map(Rows::byte_count).sum::<usize>() > HELD_BYTES {
                break;
            }
        }
        Ok(Written {
            left: chunk.split_off(done),
            statements: self.statements.finish()?,
            agents: self.agents.finish()?,
            lines: self.lines.finish()?,
            lints: self.lints.finish()?,
            tally: self.tally,
            said: self.said,
        })
    }

    fn body(&mut self, number: u32) -> io::Result<()> {
        let Files { segment, bodies, origins } = self.files;
        let Some(body) = bodies.get(number) else { return Ok(()) };
        match body.legibility {
            Legibility::Readable => {}
            Legibility::Html => {
                self.tally.html_files += 1;
                return Ok(());
            }
            Legibility::Unreadable => return Ok(()),
        }
        let (bytes, extent) = (bodies.read(number)?, body.extent);
        let digest = body.key.digest();
        let origins = origins.get(number as usize).copied().unwrap_or(0);
        let file = File { number, body, origins, key: BodyKey { segment, digest: &digest } };
        if body.key.kind == CaptureKind::Robots {
            self.robots(&file, &RobotsTxt::parse_within(bytes, extent, ParseLimit::default()));
        } else {
            let source = Source::SiteFile(body.key.kind, FileBody { bytes: &bytes, extent });
            self.statements(&file, &source, &[]);
        }
        Ok(())
    }

    fn robots(&mut self, file: &File<'_>, robots: &RobotsTxt) {
        let (work, tables, key) = (self.work, self.work.tables, file.key);
        let is_of_no_vendor = file.body.known_facts().is_some_and(|facts| facts.managed_by.is_none());
        let managed = if is_of_no_vendor { Vec::new() } else { work.vendor_texts.managed(robots) };
        let readings = self.statements(file, &Source::Robots(robots), &managed);
        let named = robots.named_groups(TokenMatch::Exact);
        let agents = agents(robots, &named);
        if let Some((_, said)) = self.said.last_mut() {
            said.add_robots(robots, &agents, work.resolver);
        }
        if tables.has(&ROBOTS_LINTS) {
            let known = file.body.known_facts();
            let find_out = || file.body.keep_facts(SiteFacts::of(robots, &named, &managed, work.resolver));
            for finding in &known.unwrap_or_else(find_out).lints {
                robots_lints::append(&mut self.lints, key, finding);
            }
        }
        if tables.has(&ROBOTS_AGENTS) {
            for facts in &agents {
                let spelled = work.resolver.spelled(facts.agent);
                robots_agents::append(&mut self.agents, key, facts, spelled, &managed);
            }
        }
        if tables.has(&ROBOTS_LINES) {
            self.lines(key, robots, &Read { readings: &readings, managed: &managed }, tables.lines());
        }
    }

    fn lines(&mut self, body: BodyKey<'_>, robots: &RobotsTxt, read: &Read<'_>, kept: LinesKept) {
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
                LineKind::Allow | LineKind::Disallow => Some(LineReading { path: Some(record.value), valid }),
                LineKind::UserAgent => Some(LineReading { path: None, valid }),
                LineKind::ExtensionRule | LineKind::Other => read
                    .readings
                    .get(&record.line)
                    .map(|(path, valid)| LineReading { path: path.as_deref(), valid: *valid }),
            };
            let managed = managed_of(read.managed, record.line);
            robots_lines::append(&mut self.lines, body, &record, agents, reading, managed);
        }
        if let Some(next) = records.next() {
            robots_lines::append_count(&mut self.lines, body, next.line, 1 + records.count());
        }
    }

    /// Adds the statements of a source; returns what they make of each line.
    fn statements(&mut self, file: &File<'_>, source: &Source<'_>, managed: &[Managed<'_>]) -> Readings {
        let work = self.work;
        let (mut readings, mut said, mut pieces) = (Readings::new(), BodyFacts::default(), Pieces::default());
        let [keeps, lines, sites] = [&STATEMENTS, &ROBOTS_LINES, &SITES].map(|table| work.tables.has(table));
        if !keeps && !lines && !sites {
            return readings;
        }
        for (place, system) in SYSTEMS.iter().enumerate() {
            shown_statements(*system, source, work.resolver.viewpoint(), &mut |statement, shown| {
                said.add_statement(place, statement);
                if keeps && shown == Shown::Row {
                    self.tally.statement(statement);
                    pieces.add(place, statement);
                    let text = statement.line.and_then(|line| managed_of(managed, line));
                    let rows = &mut self.statements;
                    statements::append_of_site_file(rows, file.key, file.origins, text, statement);
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
}

/// Returns whether a line is in `robots_lines`.
fn is_unusual(record: &Record<'_>) -> bool {
    match record.kind {
        LineKind::UserAgent | LineKind::Allow | LineKind::Disallow => false,
        LineKind::ExtensionRule | LineKind::Other => !record.is_named("sitemap"),
    }
}

fn agent_names(robots: &RobotsTxt, group: Option<usize>) -> Vec<String> {
    let group = group.and_then(|group| robots.group(group));
    group.map(|group| group.agent_names()).unwrap_or_default()
}
