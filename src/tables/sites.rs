//! `sites`: one row per origin in the inputs, as of its newest capture.

use super::agent_sets::{AgentSets, SetNumbers};
use super::joined::{SITE_FILE_KINDS, joined};
use super::origins::{HOST, OriginHost, OriginRow, PAGES, append_pages};
use super::slice::{ByLabel, ListOf, OrNull, slice};
use super::{Rows, Table};
use crate::systems::Label;
use crate::verdict::site::ClosedTokens;
use crate::verdict::{Current, Resolver};
use crate::web::capture_kind::CaptureKind;
use crate::web::column::Column;
use crate::web::preference::Preference;
use arrow_array::{Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use std::io;

cells! {
    WHICH = fn append_which(cells, row: &SiteRow<'_>) {
        text_or_null("warc_segment", row.segment):
            "segment, of Common Crawl's archives; without one there is a row per crawl",
        boolean_or_null("segment_whole", row.segment_whole):
            "whether all archives of the segment that the calls were given were read to their end, and none between the first and the last number is missing: false after --sample and --limit of archives, unless all of the segment were read; NULL without a segment",
        text("origin", row.origin): "scheme, host, and port where it is not the scheme's default",
    }

    ROBOTS = fn append_robots(cells, row: &SiteRow<'_>, digest: Option<&str>, set: Option<i64>) {
        text("robots_state", row.current.state.as_str()):
            "state of its newest robots.txt, as in pages: parsed, unavailable, unreachable; unknown: redirect_unresolved, other_status, unreadable, body_missing, undated, not_archived",
        timestamp_or_null("robots_fetch_time", row.current.fetched_at):
            "when it was requested, before redirects",
        text_or_null("robots_body_digest", digest): "body that was read, key to the site tables",
        text_or_null("robots_file_origin", row.file_origin):
            "origin of that file, after redirects; NULL if no file was read",
        int32("robots_versions", row.versions):
            "distinct bodies of its robots.txt captures, redirects followed",
        int64_or_null("agent_set", set):
            "to which tokens it is closed, key to agent_sets, whose lists the view sites of schema --sql joins; NULL if robots.txt is unknown or its end is missing",
    }
}

const fn label(name: &'static str) -> Column {
    Column::text(
        name,
        "label for / by its own files, over all systems: allow, disallow, unknown",
    )
}

const LABELS: &[Column] = &[
    label("search"),
    label("train_ai"),
    label("train_genai"),
    label("ai_input"),
    label("tdm"),
];

/// The meaning of the column with the viewpoint for which a row was made, here and in `pages`.
pub const VIEWPOINT_IN_WORDS: &str = "for whom and by which lists the row was made: product token, vocabulary, how names are matched, version and digest of the agents table, version of the rules; runs that differ in it must not be compared";

cells! {
    FILES = fn append_file(cells, (kind, digest): &(CaptureKind, String)) {
        text("kind", kind.as_str()): joined!(SITE_FILE_KINDS, ": carrier in statements"),
        text("body_digest", digest): "its body, key to statements and to the site tables",
    }

    SAID = fn append_said(cells, row: &SiteRow<'_>) {
        structs("other_files" => FILES, &row.files, append_file):
            "its other current site files; a row of statements applies to the origin if its body is one of these, or the robots.txt",
        texts("systems", row.systems.iter().copied()):
            "systems that have statements in these files, also unreadable ones",
        texts("systems_valid", row.systems_valid.iter().copied()):
            "of these, the systems that have a statement without a defect there",
    }
}

const VIEWPOINT: &[Column] = &[Column::text("viewpoint", VIEWPOINT_IN_WORDS)];

pub static SITES: Table = Table::new(
    "sites",
    "origin with a page, a robots.txt or another site file, as of its newest capture in the segment, or at a date of `crawlprefs sites --at`",
    || vec![WHICH, HOST, ROBOTS, LABELS, SAID, PAGES, VIEWPOINT],
);

pub struct SiteRow<'a> {
    pub segment: Option<&'a str>,
    pub segment_whole: Option<bool>,
    pub origin: &'a str,
    pub host: &'a OriginHost,
    pub captures: &'a OriginRow,
    pub current: &'a Current,
    /// The origin of that file, if one was read.
    pub file_origin: Option<&'a str>,
    pub versions: usize,
    /// The tokens to which it is closed; `None` if they are unknown.
    pub closed: Option<&'a ClosedTokens>,
    /// The labels that its files give `/`, by [`Label::ALL`].
    pub labels: [Preference; 5],
    pub files: Vec<(CaptureKind, String)>,
    pub systems: &'a [&'static str],
    pub systems_valid: &'a [&'static str],
    /// The viewpoint in words: the crawler and the lists.
    pub viewpoint: &'a str,
}

pub struct OriginSites {
    rows: Rows,
    sets: AgentSets,
}

impl Default for OriginSites {
    fn default() -> Self {
        Self {
            rows: Rows::new(&SITES),
            sets: AgentSets::default(),
        }
    }
}

impl OriginSites {
    /// Appends a row; the resolvers of all rows, and of `numbers`, must share one table of agents.
    pub fn append(&mut self, numbers: &SetNumbers, resolver: &Resolver, mut row: SiteRow<'_>) {
        let set = row
            .closed
            .map(|closed| self.sets.number(numbers, resolver, closed));
        let cells = self.rows.row();
        append_which(cells, &row);
        row.host.append(cells);
        let robots = row
            .files
            .iter()
            .position(|(kind, _)| *kind == CaptureKind::Robots);
        let robots = robots.map(|place| row.files.remove(place).1);
        append_robots(cells, &row, robots.as_deref(), set);
        for (label, preference) in Label::ALL.into_iter().zip(row.labels) {
            cells.text(label.as_str(), preference.as_str());
        }
        append_said(cells, &row);
        append_pages(cells, &row.captures.pages);
        cells.text("viewpoint", row.viewpoint);
    }

    pub fn finish(mut self) -> io::Result<(RecordBatch, AgentSets)> {
        Ok((self.rows.finish()?, self.sets))
    }
}

slice! {
    pub struct SiteRows {
        pub segment: OrNull<StringArray> = "warc_segment",
        pub origin: StringArray = "origin",
        pub protocol: OrNull<StringArray> = "url_protocol",
        pub host_name: OrNull<StringArray> = "url_host_name",
        pub port: OrNull<Int32Array> = "url_port",
        /// The host of a row in SURT order, without `www.`.
        pub surt: OrNull<StringArray> = "surt_host_name",
        pub state: StringArray = "robots_state",
        /// The time at which the robots.txt of a row was fetched, in microseconds since 1970.
        pub fetched_micros: OrNull<TimestampMicrosecondArray> = "robots_fetch_time",
        /// The number of a row's set of lists of agents; `None` if it is unknown.
        pub agent_set: OrNull<Int64Array> = "agent_set",
        pub systems: ListOf<StringArray> = "systems",
        pub labels: ByLabel<StringArray> = "search" | "train_ai" | "train_genai" | "ai_input" | "tdm",
    }
}
