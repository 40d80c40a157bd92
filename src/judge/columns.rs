//! The columns of verdicts, such as `prefs_access`, and how their values are made.
//!
//! Ours: a list is one text with `;` between its members, in every format. From JSON lines, loaders take the type of a column from the
//! values of the first file: they would find none in a file of empty lists, and refuse the next one. Example: `header;meta`.

use super::policy::Policy;
use super::verdict::Verdict;
use crate::systems::Label;
use crate::tables::{Table, declared};
use crate::verdict::Resolver;
use crate::web::{column::Column, timestamp::Timestamp};
use serde::{Serialize, Serializer};

/// The default prefix of the names of the columns.
pub const OWN_PREFIX: &str = "prefs_";

const LABEL: &str =
    "label over all systems: allow, disallow, unknown; where source is not record, never allow";

/// The columns that are added to documents.
pub const COLUMNS: &[Column] = declared![
    text "prefs_access": "whether the product token of the tables may fetch the page, by robots.txt alone: allow, disallow, unknown",
    text "prefs_disallowed_agents" or_null: "tokens of the agents table that may not fetch the page, with ; between them; empty where all may, NULL where robots.txt is unknown",
    text "prefs_robots_state": "what was known of robots.txt, as robots_state of pages",
    int32 "prefs_robots_age_days" or_null: "how many whole days the robots.txt was fetched before the time of the judgement; at newest, before the call; NULL where none counts",
    text "prefs_search": LABEL,
    text "prefs_train_ai": LABEL,
    text "prefs_train_genai": LABEL,
    text "prefs_ai_input": LABEL,
    text "prefs_tdm": LABEL,
    text "prefs_source": "record: the row of pages with the document's id or place, and the site's files, the stricter of both; record_of_other_url: that row is of another URL or another time than the document, so it counts for its noes beside the site's files; record_by_url: with --match, the site's files and the noes in headers and metas of captures of the URL near the date; site: the site's files, by URL and date; none: nothing is known of the site then",
    text "prefs_unread": "what was received and could not be read in full, so that no label is allow, with ; between; empty where there is nothing",
    text "prefs_doubt": "where something was read that may be a no and is not understood, so that no label of its topic is allow, with ; between",
    text "prefs_not_seen": "what nobody received, so that no label is allow, with ; between: header and meta of a document without a record",
    text "prefs_reason": "why access is as it is: as access_reason of pages; rule_of_twin: the other scheme of the host, or the host with www. or without, has a newer robots.txt that says no; undated: the document has no date; archived_later: there is only a later robots.txt; url_missing, url_not_http, url_unparsable; line_too_long, url_too_long, member_repeated: it could not be judged",
];

/// The columns that are added on request: what a decision rests on.
pub const AUDIT: &[Column] = declared![
    text "prefs_robots_digest" or_null: "SHA-1 (base32) of the robots.txt that counts, as robots_body_digest of pages",
    int32 "prefs_robots_line" or_null: "line of it that decided access, from 1",
    timestamp "prefs_robots_time" or_null: "when it was fetched, before redirects",
    text "prefs_decided_by": "what decided the labels that are not unknown, with ; between: label, system and carrier, such as: train_ai content_signal robots",
    text "prefs_not_asked": "site files of which no input has a capture, by their kinds as in captures, with ; between",
    text "prefs_policy" or_null: "SHA-256 of the policy as it was written, or of the name of the preset",
    text "prefs_exception" or_null: "exception of the policy that the document is under; NULL where it is under none",
    text "prefs_version": "version of crawlprefs",
];

/// The columns that are added to documents, as a table.
pub static JUDGED: Table = Table {
    name: "judged",
    folder: "",
    row: "document",
    columns: || vec![COLUMNS],
};
/// The columns that are added on request, as a table.
pub static AUDITED: Table = Table {
    name: "audited",
    folder: "",
    row: "document",
    columns: || vec![AUDIT],
};
/// The column with the drop reason of documents judged in memory by a policy; in files, dropped documents are elsewhere.
pub static DROP: Column = Column::text(
    "prefs_drop",
    "first rule of the policy that drops the document; NULL where it is kept",
)
.or_null();

/// The column of an audit of a sample: what was found.
pub static FINDING: Column = Column::text(
    "prefs_finding",
    "violation: a no that the policy heeds; unknown: no no, but something that the policy asks is unknown, was not seen or not \
     understood; conforms: neither",
);

/// The column of an audit of a sample: the rule behind what was found.
pub static FOUND_BY: Column = Column::text(
    "prefs_found_by",
    "rule of the policy behind prefs_finding: the first with a no, else the first that would drop the document; NULL where there is none",
)
.or_null();

/// A value of one of the columns that is not NULL.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Cell<'v> {
    Text(&'v str),
    List(String),
    Number(u32),
    #[serde(serialize_with = "as_text")]
    Time(Timestamp),
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it so
fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// What values are made with, besides the verdict.
#[derive(Clone, Copy)]
pub struct CellContext<'r> {
    pub resolver: &'r Resolver,
    pub policy: Option<&'r Policy>,
}

/// How the value of a column is made.
pub type CellOf = for<'v> fn(&'v Verdict, &CellContext<'v>) -> Option<Cell<'v>>;

fn label_of(verdict: &Verdict, label: Label) -> Cell<'_> {
    Cell::Text(verdict.label(label).as_str())
}

/// The mark between the members of a list.
const BETWEEN: &str = ";";

fn list(texts: &[Box<str>]) -> Cell<'_> {
    Cell::List(texts.join(BETWEEN))
}

/// Returns the name of the first rule that drops a document.
fn reason<'v>(verdict: &'v Verdict, policy: Option<&'v Policy>) -> Option<&'v str> {
    let policy = policy?;
    policy
        .rules
        .get(policy.reasons(verdict).next()?)
        .map(|rule| rule.name.as_str())
}

/// Returns the name of the exception that applies to a document, by the first of its URLs with one.
fn exception<'v>(verdict: &'v Verdict, policy: Option<&'v Policy>) -> Option<&'v str> {
    let mut each = verdict.each();
    policy?
        .exceptions
        .name(each.find_map(|verdict| verdict.exception)?)
}

/// Returns how the value of a column of [`JUDGED`], [`AUDITED`], [`DROP`], [`FINDING`] or [`FOUND_BY`] is made.
pub fn cell_of(column: &str) -> CellOf {
    match column {
        "prefs_access" => |verdict, _| Some(Cell::Text(verdict.access.as_str())),
        "prefs_disallowed_agents" => |verdict, context| {
            Some(Cell::List(
                context
                    .resolver
                    .disallowed(&verdict.disallowed)?
                    .join(BETWEEN),
            ))
        },
        "prefs_robots_state" => |verdict, _| Some(Cell::Text(&verdict.robots_state)),
        "prefs_robots_age_days" => |verdict, _| verdict.robots_age_days.map(Cell::Number),
        "prefs_search" => |verdict, _| Some(label_of(verdict, Label::Search)),
        "prefs_train_ai" => |verdict, _| Some(label_of(verdict, Label::TrainAi)),
        "prefs_train_genai" => |verdict, _| Some(label_of(verdict, Label::TrainGenai)),
        "prefs_ai_input" => |verdict, _| Some(label_of(verdict, Label::AiInput)),
        "prefs_tdm" => |verdict, _| Some(label_of(verdict, Label::Tdm)),
        "prefs_source" => |verdict, _| Some(Cell::Text(verdict.source.as_str())),
        "prefs_unread" => |verdict, _| Some(list(&verdict.unread)),
        "prefs_doubt" => |verdict, _| Some(list(&verdict.doubt)),
        "prefs_not_seen" => |verdict, _| Some(list(&verdict.not_seen)),
        "prefs_reason" => |verdict, _| Some(Cell::Text(&verdict.reason)),
        "prefs_robots_digest" => |verdict, _| {
            verdict
                .audit
                .as_ref()?
                .robots_digest
                .as_deref()
                .map(Cell::Text)
        },
        "prefs_robots_line" => |verdict, _| verdict.audit.as_ref()?.line.map(Cell::Number),
        "prefs_robots_time" => |verdict, _| verdict.audit.as_ref()?.robots_fetched.map(Cell::Time),
        "prefs_decided_by" => |verdict, _| {
            Some(list(
                verdict
                    .audit
                    .as_ref()
                    .map_or(&[], |audit| &audit.decided_by),
            ))
        },
        "prefs_not_asked" => |verdict, _| {
            Some(list(
                verdict.audit.as_ref().map_or(&[], |audit| &audit.not_asked),
            ))
        },
        "prefs_policy" => |_, context| context.policy.map(|policy| Cell::Text(&policy.digest)),
        "prefs_exception" => |verdict, context| exception(verdict, context.policy).map(Cell::Text),
        "prefs_finding" => |verdict, context| {
            context
                .policy
                .map(|policy| Cell::Text(policy.finding(verdict).as_str()))
        },
        "prefs_found_by" => |verdict, context| {
            context
                .policy
                .and_then(|policy| policy.found_by(verdict))
                .map(Cell::Text)
        },
        "prefs_drop" => |verdict, context| reason(verdict, context.policy).map(Cell::Text),
        _ => |_, _| Some(Cell::Text(env!("CARGO_PKG_VERSION"))),
    }
}
