//! `pages`: one row per capture of a page, with every system's answer and the labels.

mod reader;

pub use reader::{AUDIT_COLUMNS, CapturedPages, Pages, RULES_COLUMN, VERDICT_COLUMNS};

use super::captures::{LANGUAGES, append_languages};
use super::cells::Cells;
use super::columns::{INNER, URL, WHAT, WHERE};
use super::rows::ShortLists;
use super::sites::VIEWPOINT_IN_WORDS;
use super::{Rows, Table};
use crate::robots::Matched;
use crate::systems::{Label, SYSTEMS, Value, Viewpoint, same_field_as};
use crate::verdict::labels::{LabelAnswer, Labels};
use crate::verdict::{AccessAnswer, Decision, Resolver, SiteCopies};
use crate::web::column::{Column, ColumnKind};
use crate::web::shown::beginning;

cells! {
    VIEWPOINT = fn append_viewpoint(cells, of: &Viewpoint, in_words: &str) {
        text("product_token", of.token.as_str()): "product token that the verdicts are for",
        text("vocabulary", of.vocabulary.name()):
            "AI preference vocabulary that the aipref columns follow: 01 to 08, or a user's file",
        text("viewpoint", in_words): VIEWPOINT_IN_WORDS,
    }

    ROBOTS = fn append_robots(cells, site: &SiteCopies, digest: impl Fn(u32) -> String) first {
        let current = &site.current;
        let dated = current.fetched_at.is_some();
    } {
        text("robots_state", current.state.as_str()):
            "parsed, unavailable, unreachable; unknown: redirect_unresolved, other_status, unreadable, body_missing, undated, not_archived",
        timestamp_or_null("robots_fetch_time", current.fetched_at):
            "when the robots.txt that counts was requested, before redirects",
        int64_or_null("robots_age_s", current.age_s):
            "seconds from robots_fetch_time to fetch_time, after redirects from the oldest capture of the chain if that is older; negative if a later copy was used, by --robots-slack",
        boolean_or_null("robots_after_page", dated.then_some(current.after_page)):
            "whether a copy was used that was fetched after the page, by --robots-slack",
        boolean_or_null("robots_stale", dated.then_some(current.stale)):
            "whether the copy was older than 24 hours (RFC 9309 2.4)",
        text_or_null("robots_body_digest", current.body.map(|body| digest(body.number))):
            "body that was read, key to the site tables",
        boolean_or_null("robots_cut", site.robots().map(|robots| robots.is_cut)):
            "whether the end of that body was not read: longer than 500 KiB (RFC 9309 2.5), or cut by the archive or a coding",
    }

    ACCESS = fn append_access(cells, resolver: &Resolver, access: &AccessAnswer<'_>) {
        text("access", access.preference.as_str()):
            "whether product_token may fetch the page, by robots.txt alone: allow, disallow, unknown",
        text("access_reason", access.reason):
            "rule, no_rule, no_group, robots_txt_itself, body_cut (what is missing may close the page), other_copy (another robots.txt is stricter: one of the same second, or an older one that nothing ended), rule_of_twin (a twin's robots.txt is, where the site was never answered for its own), copy_too_old (older than --robots-max-age, and it does not close the page), no_response (a tool stored it without the server's answer, and it does not close the page), line_lost (a line that was meant as a rule and cannot be read may), or the state",
        int32_or_null("access_line", access.line): "line of robots.txt that decided, from 1",
        text_or_null("access_matched", access.matched.map(Matched::as_str)):
            "group that was selected: explicit, wildcard, none",
        texts_or_null("disallowed_agents", resolver.disallowed(&access.disallowed)):
            "tokens of the agents table that may not fetch the page; NULL if robots.txt is unknown or a line of it is in doubt for one of them, empty only if it is known and closes the page to none of them",
        texts("disallowed_agents_at_least", resolver.surely_disallowed(&access.disallowed)):
            "tokens that surely may not fetch the page: those of disallowed_agents, and where that is NULL those that are shut out by what could be read; for counts of noes",
    }
}

const LABEL: &str = "label over all systems, see docs/labels.md: allow, disallow, unknown";
const FROM: &str = "systems and carriers whose answer decided the label, such as: sup robots; a field that two systems read is of the one that defines it";

pub const LABELS: &[Column] = columns![
    text "search": LABEL,
    texts "search_from": FROM,
    text "train_ai": LABEL,
    texts "train_ai_from": FROM,
    text "train_genai": LABEL,
    texts "train_genai_from": FROM,
    text "ai_input": LABEL,
    texts "ai_input_from": FROM,
    text "tdm": LABEL,
    texts "tdm_from": FROM,
    texts "conflict": "labels on which answers of systems or carriers contradict each other",
    texts "conflict_of_readings":
        "of conflict, the labels that conflict only because two documents read one field differently: the documents disagree, and not the site with itself",
];

cells! {
    pub EVIDENCE = fn append_evidence(cells, decided: bool, one: &LabelAnswer<'_>, digest: Option<String>) {
        text("label", one.label.as_str()): "label that it is about",
        text("preference", one.preference.as_str()): "what it says: allow, disallow",
        boolean("decided", decided):
            "whether it decided the label; false: an answer that was overruled, or an allow on a page that could not be read in full",
        text("system", one.system): "system of preferences",
        text("carrier", one.ground.carrier): "robots, header, meta, or the kind of site file",
        text_or_null("same_field_as", same_field_as(one.system, one.ground.carrier)):
            "system for which the field was written, as in statements",
        text_or_null("body_digest", digest): "site file, key to the site tables",
        int32_or_null("line", one.ground.line): "line of the site file, from 1",
        binary_or_null("raw", one.ground.raw.map(beginning)): "value of the header field or meta",
    }

    /// The parts that could not be read, and what decided; `digest` returns the digest of the site file that decided.
    pub TRACE = fn append_trace(
        cells,
        lists: ShortLists,
        decision: &Decision<'_>,
        digest: impl Fn(&LabelAnswer<'_>) -> Option<String>,
    ) first {
        let mut lists = lists;
    } {
        texts("unread", decision.unread.iter().copied()):
            "what was received and could not be read in full, so that no label is allow: header, meta, body of the record; robots of the site, and its other files of systems that count for labels, by their kinds as in captures",
        texts("doubt", decision.doubt.iter().copied()):
            "where something was read that may be a no and is not understood, so that no label of its topic is allow: names as in unread",
        texts("not_seen", decision.not_seen.iter().copied()):
            "what nobody received, so that no label is allow: header of a page that a tool stored without a server's answer",
        structs("evidence" => EVIDENCE, lists.evidence(&decision.labels), |cells, (decided, one)| {
            append_evidence(cells, decided, one, digest(one));
        }):
            "the answers about the labels, an entry for each line or field: those that decided, then the others, which are cut first; raw has at most 1 KiB",
        texts("lists_cut", lists.cut()): "columns of this row whose lists were cut at 32 entries or 4 KiB",
    }
}

/// The signals' columns are in the order of the registry; the labels follow.
fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![
        WHERE, URL, WHAT, INNER, LANGUAGES, VIEWPOINT, ROBOTS, ACCESS,
    ];
    groups.extend(SYSTEMS.iter().map(|system| system.about().columns));
    groups.extend([LABELS, TRACE]);
    groups
}

pub static PAGES: Table = Table::new(
    "pages",
    "capture of a page, of any status and type",
    columns,
);

/// The row of a page, except its decision.
pub struct PageRow<'a> {
    /// The row of its capture in the slice.
    pub capture: usize,
    pub languages: Option<&'a str>,
    /// In words: the crawler it is for, and the lists it is by.
    pub viewpoint: &'a str,
}

/// Appends the row of a page; `digest` returns the digest of a body by its number.
pub fn append(
    rows: &mut Rows,
    page: &PageRow<'_>,
    resolver: &Resolver,
    site: &SiteCopies,
    digest: impl Fn(u32) -> String,
    decision: &Decision<'_>,
) {
    let cells = rows.row_of_capture(page.capture);
    append_languages(cells, page.languages);
    append_viewpoint(cells, &resolver.viewpoint, page.viewpoint);
    append_robots(cells, site, &digest);
    append_access(cells, resolver, &decision.access);
    let columns = SYSTEMS.iter().flat_map(|system| system.about().columns);
    let mut lists = ShortLists::default();
    for (column, value) in columns.zip(decision.values()) {
        append_value(cells, column, value, &mut lists);
    }
    append_labels(cells, &decision.labels);
    append_trace(cells, lists, decision, |one| {
        site.body_of(&one.ground).map(&digest)
    });
}

fn append_value(cells: &mut Cells, column: &'static Column, value: &Value, lists: &mut ShortLists) {
    match value {
        Value::Null => cells.null(column.name),
        Value::Word(word) => cells.text(column.name, word),
        Value::Text(text) => cells.text(column.name, text),
        Value::Truth(truth) => cells.boolean(column.name, *truth),
        Value::Texts(texts) => {
            cells.texts(
                column.name,
                lists
                    .take(column.name, texts, String::len)
                    .iter()
                    .map(String::as_str),
            );
        }
        Value::Structs(structs) => {
            let ColumnKind::Structs(fields) = column.kind else {
                return;
            };
            let shown = lists.take(column.name, structs, |texts| {
                texts.iter().flatten().map(String::len).sum()
            });
            cells.structs(column.name, shown, |cells, texts| {
                for (field, text) in fields.iter().zip(texts) {
                    match text {
                        Some(text) => cells.text(field.name, text),
                        None => cells.null(field.name),
                    }
                }
            });
        }
    }
}

fn append_labels(cells: &mut Cells, labels: &Labels<'_>) {
    for (label, columns) in Label::ALL.into_iter().zip(LABELS.chunks_exact(2)) {
        cells.text(label.as_str(), labels.of(label).as_str());
        let from = columns.last().map_or("", |from| from.name);
        cells.texts(from, labels.from(label).iter().map(String::as_str));
    }
    cells.texts(
        "conflict",
        labels.conflict.iter().map(|label| label.as_str()),
    );
    let of_readings = labels
        .conflict_of_readings
        .iter()
        .map(|label| label.as_str());
    cells.texts("conflict_of_readings", of_readings);
}
