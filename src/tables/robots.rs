//! `robots`: one row per robots.txt capture. `robots_lints`: the oddities of each distinct robots.txt. `robots_agents`: what
//! each distinct robots.txt says to each agent it names.
//!
//! `robots_lines`: the lines of each distinct robots.txt, by default the unusual ones: not user-agent, Allow, Disallow and
//! Sitemap; at most 4,096 per body, then one row that counts the others.

use super::cells::Cells;
use super::columns::{BODY, TableBodyKey, URL, WHAT, WHERE, append_body};
use super::{Rows, Table};
use crate::robots::{Managed, RobotsRecord, managed_of};
use crate::verdict::site::{AgentFacts, Finding, SiteFacts, line_columns};
use crate::web::column::Column;
use crate::web::shown::{SHOWN_BYTES, beginning, shown};

cells! {
    OWN = fn append_own(cells, row: &RobotsRow<'_>) first {
        let facts = row.facts;
        let fingerprint = facts.and_then(|facts| facts.agents_fingerprint);
    } {
        text_or_null("robots_origin", row.origin): "origin that it applies to: scheme, host, port",
        text("outcome", row.outcome):
            "parsed, not_text (a page of HTML), unavailable, unreachable, redirect, other_status, unreadable (not text, or in a coding that cannot be undone), body_missing",
        text_or_null("body_digest", row.body_digest): "body, key to the site tables",
        int64_or_null("bytes", row.bytes): "bytes of the body",
        int32_or_null("group_count", facts.map(|facts| facts.group_count)): "groups",
        int32_or_null("agent_count", facts.map(|facts| facts.agent_count)):
            "distinct names of user-agent lines, * included",
        int32_or_null("rule_count", facts.map(|facts| facts.rule_count)):
            "allow and disallow lines in groups that are not empty",
        int32_or_null("bad_line_count", facts.map(|facts| facts.bad_line_count)):
            "lines that could not be read",
        text_or_null("managed_by", facts.and_then(|facts| facts.managed_by.as_deref())):
            "vendors whose text it holds, joined by comma and blank; NULL: none is known",
        text_or_null("managed_as", facts.and_then(|facts| facts.managed_as.as_deref())):
            "kinds of Cloudflare's blocks that it holds, likewise: managed_content, bot_preference_sync, edited (managed_content that its owner changed); NULL: none",
        text_or_null("agents_fingerprint", fingerprint.map(|hash| format!("{hash:016x}"))):
            "identifies the set of agents that it has groups for, without *: files with the same fingerprint are often one decision, of a publishing group or a plug-in; NULL: it names no agent",
    }

    LINTS = fn append_lints(cells, facts: Option<&SiteFacts>) {
        texts_or_null("lints", facts.map(|facts| facts.lints.iter().map(|finding| finding.lint.as_str()))):
            "names of its lints, see docs/lints.md; NULL without a file",
    }
}

fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![WHERE, URL, WHAT, OWN];
    groups.extend(line_columns().map(std::slice::from_ref));
    groups.push(LINTS);
    groups
}

pub static ROBOTS: Table = Table::new("robots", "robots.txt capture", columns);

/// A row of `robots`, except the columns that it shares with `captures`.
pub struct RobotsRow<'a> {
    pub origin: Option<&'a str>,
    pub outcome: &'static str,
    pub body_digest: Option<&'a str>,
    /// The length of the body, if that is the file.
    pub bytes: Option<u32>,
    pub facts: Option<&'a SiteFacts>,
}

/// Appends the row of a capture, by its row in the slice.
pub fn append(rows: &mut Rows, capture: usize, row: &RobotsRow<'_>) {
    let cells = rows.row_of_capture(capture);
    append_own(cells, row);
    let mut has_lines = row.facts.map(SiteFacts::has_lines);
    for column in line_columns() {
        cells.boolean_or_null(column.name, has_lines.as_mut().and_then(Iterator::next));
    }
    append_lints(cells, row.facts);
}

cells! {
    pub LINT = fn append_lint(cells, body: TableBodyKey<'_>, finding: &Finding) first {
        append_body(cells, body);
    } {
        text("lint", finding.lint.as_str()): "name of the lint, see docs/lints.md",
        int32("line", finding.line): "first line that has it, from 1; 1 if it is about the whole file",
        int32("line_count", finding.count): "lines that have it",
    }
}

pub static ROBOTS_LINTS: Table =
    Table::new("robots_lints", "distinct robots.txt body and lint", || {
        vec![BODY, LINT]
    });

cells! {
    /// Appends the row with what a body says to an agent, spelled as in the agents table if it is there; `managed` are the body's
    /// lines of vendors.
    pub AGENT = fn append_agent(
        cells,
        body: TableBodyKey<'_>,
        facts: &AgentFacts<'_>,
        spelled: Option<&str>,
        managed: &[Managed<'_>],
    ) first {
        append_body(cells, body);
        let crawl_delay = facts.crawl_delay.map(shown);
        let managed = facts.line.and_then(|line| managed_of(managed, line));
        let closed_in = match (facts.closed_in_own_text, facts.closed_in_vendors_text) {
            (true, true) => Some("both"),
            (true, false) => Some("own"),
            (false, true) => Some("vendor"),
            (false, false) => None,
        };
    } {
        text("agent", spelled.unwrap_or(cut(&shown(facts.agent)))):
            "product token as the agents table spells it, in lower case where it is not in that table; or *",
        text("agent_raw", cut(&shown(facts.agent_raw))): "its first spelling in the file",
        text("class", facts.class.as_str()):
            "full: everything is closed; partial: something is closed; none: nothing is closed; by the rules of the file alone",
        text("root_access", facts.root.as_str()): "verdict for /: allow, disallow",
        int32_or_null("line", facts.line):
            "line of a rule that the class is based on, from 1: if / is closed, or nothing is, the rule that decides for /; else the first rule that closes something; NULL without such a rule",
        int32("allow_count", facts.allow_count): "allow lines that are not empty",
        int32("disallow_count", facts.disallow_count): "disallow lines that are not empty",
        text_or_null("crawl_delay_s", crawl_delay.as_deref().map(cut)):
            "first Crawl-delay of its groups, as written, in seconds",
        text_or_null("managed_by", managed.and_then(Managed::author)):
            "vendor whose managed text has that line; NULL: the site's own, or no line",
        text_or_null("managed_as", managed.and_then(|lines| lines.block)):
            "kind of Cloudflare's block that has that line: managed_content, bot_preference_sync, edited (managed_content that its owner changed); NULL: neither",
        text_or_null("closed_in", closed_in):
            "in whose text lines close everything: own, vendor, or both, in which case the site closes it without its vendor, too; NULL: not everything is closed",
    }
}

pub static ROBOTS_AGENTS: Table = Table::new(
    "robots_agents",
    "distinct robots.txt body and agent named in it, and *",
    || vec![BODY, AGENT],
);

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SHOWN_BYTES))
        .unwrap_or(text)
}

cells! {
    /// Appends the row of a line of a body; `agents` are its group's, `reading` is a system's, `managed` is the vendor's text that
    /// contains it.
    pub LINE = fn append_line(
        cells,
        body: TableBodyKey<'_>,
        record: &RobotsRecord<'_>,
        agents: &[String],
        reading: Option<LineReading<'_>>,
        managed: Option<&Managed<'_>>,
    ) first {
        append_body(cells, body);
        let path = reading.and_then(|reading| reading.path);
    } {
        int32("line", record.line): "line, from 1; CR, LF and CRLF end lines",
        int32_or_null("group", record.group.map(|group| group + 1)):
            "number of its group, from 1; NULL before the first group",
        texts("agents", agents.iter().map(String::as_str)):
            "names in that group's user-agent lines as written, up to 1 KiB",
        text("key", shown(&beginning(record.name).to_ascii_lowercase())): "name in lower case",
        text("key_raw", shown(beginning(record.name))): "name as written",
        boolean("known", reading.is_some()):
            "whether RFC 9309 or a system that crawlprefs reads defines the name",
        text_or_null("path", path.map(|path| shown(beginning(path)))):
            "path of the rule or statement, where its system has one",
        text("value", shown(beginning(record.value))): "value, at most 1 KiB",
        boolean_or_null("valid", reading.map(|reading| reading.valid)):
            "whether its system reads it without a defect; NULL if no system reads the name",
        text_or_null("managed_by", managed.and_then(Managed::author)):
            "vendor whose managed text has the line; NULL: the site's own text",
        text_or_null("managed_as", managed.and_then(|lines| lines.block)):
            "kind of Cloudflare's block that has the line: managed_content, bot_preference_sync, edited (managed_content that its owner changed); NULL: neither",
        text_or_null("defect", None::<&str>):
            "too_many: the row counts the lines of the body that have no row, from this line on, and value is their number; else NULL",
    }
}

/// The maximum number of lines of one body that become rows.
pub const MAX_LINES: usize = 4096;

pub static ROBOTS_LINES: Table = Table::new(
    "robots_lines",
    "distinct robots.txt body and unusual line, or any line with --tables +robots_lines_full; at most 4,096 of a body, then one row counts the others",
    || vec![BODY, LINE],
);

/// A system's reading of a line.
#[derive(Clone, Copy, Debug)]
pub struct LineReading<'a> {
    pub path: Option<&'a [u8]>,
    /// Whether it has no defect.
    pub valid: bool,
}

/// Appends the row that counts the lines of a body, from `line` on, that have no row.
pub fn append_line_count(cells: &mut Cells, body: TableBodyKey<'_>, line: u32, count: usize) {
    append_body(cells, body);
    cells.int32("line", line);
    cells.nulls_before("agents");
    cells.texts("agents", []);
    cells.text("key", "");
    cells.text("key_raw", "");
    cells.boolean("known", false);
    cells.nulls_before("value");
    cells.text("value", count.to_string());
    cells.nulls_before("defect");
    cells.text_or_null("defect", Some("too_many"));
}
