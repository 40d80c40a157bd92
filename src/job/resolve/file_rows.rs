//! What each site file of a group says, read and parsed once: the rows of the tables with a row per body, and the facts that
//! pages and sites need. Left out: the rows of statements, which have the number of origins (`statement_rows`).

use super::Work;
use super::files::{BodyFacts, File, Files, RowsOfBodies};
use crate::robots::{FoundVendors, LineKind, Managed, ParseLimit, Record, RobotsTxt, managed_of};
use crate::systems::{FileBody, Source};
use crate::tables::columns::BodyKey;
use crate::tables::robots::{
    self, LineReading, MAX_LINES, ROBOTS, ROBOTS_AGENTS, ROBOTS_LINES, ROBOTS_LINTS,
};
use crate::tables::sites::SITES;
use crate::tables::{LinesKept, Rows};
use crate::verdict::Legibility;
use crate::verdict::account::each_statement;
use crate::verdict::site::{SiteFacts, agents};
use crate::web::capture_kind::CaptureKind;
use crate::web::product_token::TokenMatch;
use arrow_array::RecordBatch;
use std::collections::{BTreeSet, HashMap};
use std::io;

/// The rows of some bodies, and their facts.
pub struct Written {
    /// Of `robots_agents`.
    pub agents: RecordBatch,
    /// Of `robots_lines`.
    pub lines: RecordBatch,
    /// Of `robots_lints`.
    pub lints: RecordBatch,
    /// How many of the bodies are HTML instead.
    pub html_files: u64,
    /// The facts of bodies, by their numbers.
    pub facts: Vec<(u32, BodyFacts)>,
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
pub struct FileRows<'s> {
    files: Files<'s>,
    work: &'s Work<'s>,
    agents: Rows,
    lines: Rows,
    lints: Rows,
    html_files: u64,
    facts: Vec<(u32, BodyFacts)>,
}

impl<'s> FileRows<'s> {
    /// Returns no rows.
    pub fn new(files: Files<'s>, work: &'s Work<'s>) -> Self {
        Self {
            files,
            work,
            agents: Rows::new(&ROBOTS_AGENTS),
            lines: Rows::new(&ROBOTS_LINES),
            lints: Rows::new(&ROBOTS_LINTS),
            html_files: 0,
            facts: Vec::new(),
        }
    }

    fn add_robots(&mut self, file: &File<'_>, robots: &RobotsTxt, facts: &mut BodyFacts) {
        let (work, files) = (self.work, self.files);
        let has = |table| work.tables.has(table);
        let key = files.key(file);
        let readings = self.read_statements(&Source::Robots(robots), facts);
        let named = robots.named_groups(TokenMatch::Exact);
        let of_vendors = [&ROBOTS, &ROBOTS_LINTS, &ROBOTS_LINES, &ROBOTS_AGENTS];
        let vendors = if of_vendors.into_iter().any(has) {
            work.vendor_texts.find(robots)
        } else {
            FoundVendors::default()
        };
        if has(&ROBOTS) || has(&ROBOTS_LINTS) {
            let found = file.body.keep_facts(SiteFacts::of(robots, &named, &vendors, work.resolver));
            for finding in found.lints.iter().filter(|_| has(&ROBOTS_LINTS)) {
                robots::append_lint(&mut self.lints, key, finding);
            }
        }
        if has(&ROBOTS_AGENTS) || has(&SITES) {
            let agents = agents(robots, &named, &vendors.managed);
            facts.add_robots(robots, &agents, work.resolver);
            for facts in agents.iter().filter(|_| has(&ROBOTS_AGENTS)) {
                let spelled = work.resolver.spelled(facts.agent);
                robots::append_agent(&mut self.agents, key, facts, spelled, &vendors.managed);
            }
        }
        if has(&ROBOTS_LINES) {
            let read = Read { readings: &readings, managed: &vendors.managed };
            self.add_lines(key, robots, &read, work.tables.lines);
        }
    }

    fn add_lines(&mut self, body: BodyKey<'_>, robots: &RobotsTxt, read: &Read<'_>, kept: LinesKept) {
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
            robots::append_line(&mut self.lines, body, &record, agents, reading, managed);
        }
        if let Some(next) = records.next() {
            robots::append_line_count(&mut self.lines, body, next.line, 1 + records.count());
        }
    }

    /// Adds the systems with statements in a body to its facts; returns how these read each line.
    fn read_statements(&self, source: &Source<'_>, facts: &mut BodyFacts) -> Readings {
        let (work, mut readings) = (self.work, Readings::new());
        let has_lines = work.tables.has(&ROBOTS_LINES);
        if !work.needs_origins() && !has_lines {
            return readings;
        }
        each_statement(source, work.resolver.viewpoint(), &mut |accounted| {
            let statement = accounted.statement;
            facts.add_statement(accounted);
            if let Some(line) = statement.line.filter(|_| has_lines && accounted.system.is_some()) {
                let path = || statement.path.map(<[u8]>::to_vec);
                let (_, valid) = readings.entry(line).or_insert_with(|| (path(), true));
                *valid &= statement.defect.is_none();
            }
        });
        readings
    }
}

impl RowsOfBodies for FileRows<'_> {
    type Made = Written;

    fn add_body(&mut self, number: u32) -> io::Result<()> {
        let Some((file, bytes)) = self.files.read(number)? else {
            let body = self.files.bodies.get(number);
            self.html_files += u64::from(body.is_some_and(|body| body.legibility == Legibility::Html));
            return Ok(());
        };
        let (kind, extent) = (file.body.key.kind, file.body.extent);
        let mut facts = BodyFacts::default();
        if kind == CaptureKind::Robots {
            let robots = RobotsTxt::parse_text(bytes, extent, ParseLimit::default());
            self.add_robots(&file, &robots, &mut facts);
        } else {
            self.read_statements(&Source::SiteFile(kind, FileBody { bytes: &bytes, extent }), &mut facts);
        }
        self.facts.push((number, facts));
        Ok(())
    }

    fn byte_count(&self) -> usize {
        [&self.agents, &self.lines, &self.lints].into_iter().map(Rows::byte_count).sum()
    }

    fn finish(mut self) -> io::Result<Written> {
        Ok(Written {
            agents: self.agents.finish()?,
            lines: self.lines.finish()?,
            lints: self.lints.finish()?,
            html_files: self.html_files,
            facts: self.facts,
        })
    }
}

/// Whether a line is in `robots_lines`.
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
