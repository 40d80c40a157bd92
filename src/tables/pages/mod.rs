//! `pages`: one row per capture of a page, with every system's answer and the labels.

mod reader;

pub use reader::{AUDIT_COLUMNS, CAPTURED_COLUMNS, CapturedPages, Pages, RULES_COLUMN, VERDICT_COLUMNS};

use super::cells::Cells;
use super::columns::{URL, WHAT, WHERE};
use super::rows::ShortLists;
use super::{Rows, Table};
use crate::robots::Matched;
use crate::systems::{Label, SYSTEMS, Value, same_field_as};
use crate::tables::captures::LANGUAGES;
use crate::verdict::{Decision, Labels, Resolver, SiteCopies};
use crate::web::column::{Column, Kind};
use crate::web::shown::beginning;

const LANGUAGES_OF_PAGE: &[Column] = columns![
    text "content_languages" or_null: LANGUAGES,
];

const VIEWPOINT: &[Column] = &[
    Column::text("product_token", "product token that the verdicts are for"),
    Column::text(
        "vocabulary",
        "AI preference vocabulary that the aipref columns follow: 01 to 08, or a user's file",
    ),
    super::sites::VIEWPOINT,
];

const ROBOTS: &[Column] = columns![
    text "robots_state":
        "parsed, unavailable, unreachable; unknown: redirect_unresolved, other_status, unreadable, body_missing, undated, not_archived",
    timestamp "robots_fetch_time" or_null: "when the robots.txt that counts was requested, before redirects",
    int64 "robots_age_s" or_null:
        "seconds from robots_fetch_time to fetch_time; negative if a later copy was used, by --robots-slack",
    boolean "robots_after_page" or_null:
        "whether a copy was used that was fetched after the page, by --robots-slack",
    boolean "robots_stale" or_null: "whether the copy was older than 24 hours (RFC 9309 2.4)",
    text "robots_body_digest" or_null: "body that was read, key to the site tables",
    boolean "robots_cut" or_null:
        "whether the end of that body was not read: longer than 500 KiB (RFC 9309 2.5), or cut by the archive or a coding",
];

const ACCESS: &[Column] = columns![
    text "access": "whether product_token may fetch the page, by robots.txt alone: allow, disallow, unknown",
    text "access_reason": "rule, no_rule, no_group, robots_txt_itself, body_cut (what is missing may close the page), other_copy (another robots.txt of the same second is stricter), line_lost (a line that was meant as a rule and cannot be read may), or the state",
    int32 "access_line" or_null: "line of robots.txt that decided, from 1",
    text "access_matched" or_null: "group that was selected: explicit, wildcard, none",
    texts "disallowed_agents" or_null: "tokens of the agents table that may not fetch the page; NULL if robots.txt is unknown, empty only if it is known and closes the page to none of them",
];

const LABEL: &str = "label over all systems, see docs/labels.md: allow, disallow, unknown";
const FROM: &str = "systems and carriers whose answer decided the label, such as: sup robots; a field that two systems read is of the one that defines it";

/// The labels over all systems.
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

/// The fields of the column `evidence`.
pub const EVIDENCE: &[Column] = columns![
    text "label": "label that it is about",
    text "preference": "what it says: allow, disallow",
    boolean "decided":
        "whether it decided the label; false: an answer that was overruled, or an allow on a page that could not be read in full",
    text "system": "system of preferences",
    text "carrier": "robots, header, meta, or the kind of site file",
    text "same_field_as" or_null: "system for which the field was written, as in statements",
    text "body_digest" or_null: "site file, key to the site tables",
    int32 "line" or_null: "line of the site file, from 1",
    binary "raw" or_null: "value of the header field or meta",
];

/// The parts that could not be read, and what decided.
pub const TRACE: &[Column] = columns![
    texts "unread":
        "what could not be read in full, so that no label is allow: header, meta, body of the record; robots, tdmrep, trust_txt, ai_txt of the site",
    structs "evidence" (EVIDENCE):
        "the answers about the labels, an entry for each line or field: those that decided, then the others, which are cut first; raw has at most 1 KiB",
    texts "lists_cut": "columns of this row whose lists were cut at 32 entries or 4 KiB",
];

/// The signals' columns are in the order of the registry; the labels follow.
fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![WHERE, URL, WHAT, LANGUAGES_OF_PAGE, VIEWPOINT, ROBOTS, ACCESS];
    groups.extend(SYSTEMS.iter().map(|system| system.about().columns));
    groups.extend([LABELS, TRACE]);
    groups
}

pub static PAGES: Table =
    Table { name: "pages", folder: "pages", row: "capture of a page, of any status and type", columns };

/// The row of a page, except its decision.
pub struct PageRow<'a> {
    /// The row of its capture in the slice.
    pub capture: usize,
    /// As the crawler detected them.
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
    cells.text_or_null("content_languages", page.languages);
    cells.text("product_token", resolver.viewpoint.token.as_str());
    cells.text("vocabulary", resolver.viewpoint.vocabulary.name());
    cells.text("viewpoint", page.viewpoint);
    append_robots(cells, site, &digest);
    append_access(cells, resolver, decision);
    let columns = SYSTEMS.iter().flat_map(|system| system.about().columns);
    let mut lists = ShortLists::default();
    for (column, value) in columns.zip(decision.values()) {
        append_value(cells, column, value, &mut lists);
    }
    append_labels(cells, &decision.labels);
    cells.texts("unread", decision.unread.iter().copied());
    cells.structs("evidence", lists.evidence(&decision.labels), |cells, (decided, one)| {
        cells.text("label", one.label.as_str());
        cells.text("preference", one.preference.as_str());
        cells.boolean("decided", decided);
        cells.text("system", one.system);
        cells.text("carrier", one.ground.carrier);
        cells.text_or_null("same_field_as", same_field_as(one.system, one.ground.carrier));
        cells.text_or_null("body_digest", site.body_of(&one.ground).map(&digest));
        cells.int32_or_null("line", one.ground.line);
        cells.binary_or_null("raw", one.ground.raw.map(beginning));
    });
    cells.texts("lists_cut", lists.cut());
}

fn append_robots(cells: &mut Cells, site: &SiteCopies, digest: impl Fn(u32) -> String) {
    let current = &site.current;
    let dated = current.fetched_at.is_some();
    cells.text("robots_state", current.state.as_str());
    cells.timestamp_or_null("robots_fetch_time", current.fetched_at);
    cells.int64_or_null("robots_age_s", current.age_s);
    cells.boolean_or_null("robots_after_page", dated.then_some(current.after_page));
    cells.boolean_or_null("robots_stale", dated.then_some(current.stale));
    cells.text_or_null("robots_body_digest", current.body.map(|body| digest(body.number)));
    cells.boolean_or_null("robots_cut", site.robots().next().map(|robots| robots.is_cut));
}

fn append_access(cells: &mut Cells, resolver: &Resolver, decision: &Decision<'_>) {
    let access = &decision.access;
    cells.text("access", access.preference.as_str());
    cells.text("access_reason", access.reason);
    cells.int32_or_null("access_line", access.line);
    cells.text_or_null("access_matched", access.matched.map(Matched::as_str));
    cells.texts_or_null("disallowed_agents", resolver.disallowed(&access.disallowed));
}

fn append_value(cells: &mut Cells, column: &'static Column, value: &Value, lists: &mut ShortLists) {
    match value {
        Value::Null => cells.null(column.name),
        Value::Word(word) => cells.text(column.name, word),
        Value::Text(text) => cells.text(column.name, text),
        Value::Truth(truth) => cells.boolean(column.name, *truth),
        Value::Texts(texts) => {
            cells.texts(column.name, lists.take(column.name, texts, String::len).iter().map(String::as_str));
        }
        Value::Structs(structs) => {
            let Kind::Structs(fields) = column.kind else { return };
            let shown =
                lists.take(column.name, structs, |texts| texts.iter().flatten().map(String::len).sum());
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
    cells.texts("conflict", labels.conflict.iter().map(|label| label.as_str()));
    let of_readings = labels.conflict_of_readings.iter().map(|label| label.as_str());
    cells.texts("conflict_of_readings", of_readings);
}
