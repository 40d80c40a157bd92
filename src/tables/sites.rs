//! `sites`: one row per origin in the inputs, as of its newest capture.

use super::agent_sets::{self, AgentSets};
use super::cells::Cells;
use super::origins::{HOST, OriginHost, OriginRow, PAGES, append_pages};
use super::stored::{column, optional, range, typed};
use super::{Rows, Table};
use crate::systems::Label;
use crate::verdict::site::ClosedTokens;
use crate::verdict::{Current, Resolver, SiteBody};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use arrow_array::{
    Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use std::io;

const WHICH: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives; without one there is a row per crawl")
        .or_null(),
    Column::boolean(
        "segment_whole",
        "whether all archives of the segment that the calls were given were read to their end, and none between the first and the last number is missing: false after --sample and --limit of archives, unless all of the segment were read; NULL without a segment",
    )
    .or_null(),
    Column::text("origin", "scheme, host, and port where it is not the scheme's default"),
];

const ROBOTS: &[Column] = &[
    Column::text(
        "robots_state",
        "state of its newest robots.txt, as in pages: parsed, unavailable, unreachable; unknown: redirect_unresolved, other_status, unreadable, body_missing, undated, not_archived",
    ),
    Column::timestamp("robots_fetch_time", "when it was requested, before redirects").or_null(),
    Column::text("robots_body_digest", "body that was read, key to the site tables").or_null(),
    Column::text("robots_file_origin", "origin of that file, after redirects; NULL if no file was read")
        .or_null(),
    Column::int32("robots_versions", "distinct bodies of its robots.txt captures, redirects followed"),
    Column::int64(agent_sets::NUMBER, "to which tokens it is closed, key to agent_sets, whose lists the view sites of schema --sql joins; NULL if robots.txt is unknown or its end is missing")
        .or_null(),
];

const fn label(name: &'static str) -> Column {
    Column::text(name, "label for / by its own files, over all systems: allow, disallow, unknown")
}

const LABELS: &[Column] =
    &[label("search"), label("train_ai"), label("train_genai"), label("ai_input"), label("tdm")];

/// The viewpoint for which a row was made, in `sites` and `pages`.
pub const VIEWPOINT: Column = Column::text(
    "viewpoint",
    "for whom and by which lists the row was made: product token, vocabulary, how names are matched, version and digest of the agents table, version of the rules; runs that differ in it must not be compared",
);

const FILES: &[Column] = &[
    Column::text("kind", "robots, automation, tdmrep, ai_txt, trust_txt: carrier in statements"),
    Column::text("body_digest", "its body, key to statements and to the site tables"),
];

const SAID: &[Column] = &[
    Column::structs(
        "other_files",
        FILES,
        "its other current site files; a row of statements applies to the origin if its body is one of these, or the robots.txt",
    ),
    Column::texts("systems", "systems that have statements in these files, also unreadable ones"),
    Column::texts("systems_valid", "of these, the systems that have a statement without a defect there"),
];

pub static SITES: Table = Table {
    name: "sites",
    folder: "sites",
    row: "origin with a page, a robots.txt or another site file, as of its newest capture in the segment, or at a date of `crawlprefs sites --at`",
    columns: || vec![WHICH, HOST, ROBOTS, LABELS, SAID, PAGES, &[VIEWPOINT]],
};

/// A row of `sites`.
pub struct SiteRow<'a> {
    pub segment: Option<&'a str>,
    /// Whether the whole segment was read.
    pub segment_whole: Option<bool>,
    pub origin: &'a str,
    /// The columns of its host.
    pub host: &'a OriginHost,
    /// The counts over its captures.
    pub captures: &'a OriginRow,
    /// The outcome of its newest robots.txt.
    pub current: &'a Current<SiteBody>,
    /// The origin of that file, if one was read.
    pub file_origin: Option<&'a str>,
    /// Distinct bodies of its robots.txt.
    pub versions: usize,
    /// The tokens to which it is closed; `None` if they are unknown.
    pub closed: Option<&'a ClosedTokens>,
    /// The labels that its files give `/`, by [`Label::ALL`].
    pub labels: [Preference; 5],
    /// Its current files: kind and digest.
    pub files: Vec<(CaptureKind, String)>,
    /// The systems that its files state.
    pub systems: &'a [&'static str],
    /// Of these, those with a valid statement.
    pub systems_valid: &'a [&'static str],
    /// The viewpoint in words: the crawler and the lists.
    pub viewpoint: &'a str,
}

/// Rows of `sites` while they are filled.
pub struct OriginSites {
    rows: Rows,
    sets: AgentSets,
}

impl Default for OriginSites {
    fn default() -> Self {
        Self { rows: Rows::new(&SITES), sets: AgentSets::default() }
    }
}

impl OriginSites {
    /// Appends a row; the resolvers of all rows must share one table of agents.
    pub fn append(&mut self, resolver: &Resolver, row: SiteRow<'_>) {
        let set = row.closed.map(|closed| self.sets.number(resolver, closed));
        append(self.rows.row(), set, row);
    }

    /// Returns the rows, and the sets that they use.
    pub fn finish(mut self) -> io::Result<(RecordBatch, AgentSets)> {
        Ok((self.rows.finish()?, self.sets))
    }
}

fn append(cells: &mut Cells, set: Option<i64>, mut row: SiteRow<'_>) {
    cells.text_or_null("warc_segment", row.segment);
    cells.boolean_or_null("segment_whole", row.segment_whole);
    cells.text("origin", row.origin);
    row.host.append(cells);
    let robots = row.files.iter().position(|(kind, _)| *kind == CaptureKind::Robots);
    let robots = robots.map(|place| row.files.remove(place).1);
    cells.text("robots_state", row.current.state.as_str());
    cells.timestamp_or_null("robots_fetch_time", row.current.fetched_at);
    cells.text_or_null("robots_body_digest", robots.as_deref());
    cells.text_or_null("robots_file_origin", row.file_origin);
    cells.int32("robots_versions", row.versions);
    cells.int64_or_null(agent_sets::NUMBER, set);
    for (label, preference) in Label::ALL.into_iter().zip(row.labels) {
        cells.text(label.as_str(), preference.as_str());
    }
    cells.structs("other_files", &row.files, |cells, (kind, digest)| {
        cells.text("kind", kind.as_str());
        cells.text("body_digest", digest);
    });
    cells.texts("systems", row.systems.iter().copied());
    cells.texts("systems_valid", row.systems_valid.iter().copied());
    append_pages(cells, &row.captures.pages);
    cells.text("viewpoint", row.viewpoint);
}

/// The rows of a slice of `sites`, with the columns that counts of hosts need.
pub struct SiteRows {
    segments: StringArray,
    origins: StringArray,
    protocols: StringArray,
    host_names: StringArray,
    ports: Int32Array,
    surt: StringArray,
    states: StringArray,
    fetched: TimestampMicrosecondArray,
    sets: Int64Array,
    systems: ListArray,
    system_names: StringArray,
    /// By [`Label::ALL`].
    labels: Vec<StringArray>,
}

impl SiteRows {
    /// The columns that are read.
    pub fn columns() -> Vec<&'static str> {
        let labels = Label::ALL.map(Label::as_str);
        let others = [
            "warc_segment",
            "origin",
            "url_protocol",
            "url_host_name",
            "url_port",
            "surt_host_name",
            "robots_state",
            "robots_fetch_time",
            agent_sets::NUMBER,
            "systems",
        ];
        others.into_iter().chain(labels).collect()
    }

    /// Reads the columns of a slice.
    pub fn new(slice: &RecordBatch) -> io::Result<Self> {
        let texts = |name| column::<StringArray>(slice, name).cloned();
        let systems: &ListArray = column(slice, "systems")?;
        Ok(Self {
            segments: texts("warc_segment")?,
            origins: texts("origin")?,
            protocols: texts("url_protocol")?,
            host_names: texts("url_host_name")?,
            ports: column::<Int32Array>(slice, "url_port")?.clone(),
            surt: texts("surt_host_name")?,
            states: texts("robots_state")?,
            fetched: column::<TimestampMicrosecondArray>(slice, "robots_fetch_time")?.clone(),
            sets: column::<Int64Array>(slice, agent_sets::NUMBER)?.clone(),
            systems: systems.clone(),
            system_names: typed::<StringArray>(Some(systems.values()), "systems")?.clone(),
            labels: Label::ALL.into_iter().map(|label| texts(label.as_str())).collect::<io::Result<_>>()?,
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.origins.len()
    }

    pub fn segment(&self, row: usize) -> Option<&str> {
        optional(&self.segments, row)
    }

    pub fn origin(&self, row: usize) -> &str {
        self.origins.value(row)
    }

    /// The scheme of a row.
    pub fn protocol(&self, row: usize) -> &str {
        optional(&self.protocols, row).unwrap_or_default()
    }

    pub fn host_name(&self, row: usize) -> Option<&str> {
        optional(&self.host_names, row)
    }

    /// Whether the origin of a row has another port than its scheme's.
    pub fn has_port(&self, row: usize) -> bool {
        self.ports.is_valid(row)
    }

    /// The host of a row in SURT order, without `www.`.
    pub fn surt(&self, row: usize) -> Option<&str> {
        optional(&self.surt, row)
    }

    /// The state of robots.txt of a row.
    pub fn state(&self, row: usize) -> &str {
        self.states.value(row)
    }

    /// The time at which the robots.txt of a row was fetched, in microseconds since 1970.
    pub fn fetched_micros(&self, row: usize) -> Option<i64> {
        self.fetched.is_valid(row).then(|| self.fetched.value(row))
    }

    /// The number of a row's set of lists of agents; `None` if it is unknown.
    pub fn agent_set(&self, row: usize) -> Option<i64> {
        self.sets.is_valid(row).then(|| self.sets.value(row))
    }

    /// The systems that the files of a row state.
    pub fn systems(&self, row: usize) -> impl Iterator<Item = &str> {
        range(&self.systems, row).map(|at| self.system_names.value(at))
    }

    /// The value of a label of a row.
    pub fn label(&self, label: Label, row: usize) -> &str {
        let place = Label::ALL.iter().position(|known| *known == label).unwrap_or_default();
        self.labels.get(place).map_or("unknown", |labels| labels.value(row))
    }
}
