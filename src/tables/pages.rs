//! `pages`: one row per capture of a page, with every system's answer and the labels.

use super::Table;
use super::columns::{URL, WHAT, WHERE};
use crate::systems::SYSTEMS;
use crate::web::column::Column;

const VIEWPOINT: &[Column] = &[
    Column::text("product_token", "product token that the verdicts are for"),
    Column::text(
        "vocabulary",
        "AI preference vocabulary that the aipref columns follow: 01 to 07, or a user's file",
    ),
];

const ROBOTS: &[Column] = &[
    Column::text(
        "robots_state",
        "parsed, unavailable, unreachable; unknown: redirect_unresolved, other_status, body_missing, undated, not_archived",
    ),
    Column::timestamp(
        "robots_fetch_time",
        "when the robots.txt that counts was fetched: the first hop of a redirect",
    )
    .or_null(),
    Column::int64(
        "robots_age_s",
        "seconds from robots_fetch_time to fetch_time; negative where --robots-slack let a later copy serve",
    )
    .or_null(),
    Column::boolean("robots_after_page", "whether a copy fetched after the page served, by --robots-slack")
        .or_null(),
    Column::boolean("robots_stale", "whether the copy was older than 24 hours (RFC 9309 2.4)").or_null(),
    Column::text("robots_body_digest", "body that was read, key to the site tables").or_null(),
];

const ACCESS: &[Column] = &[
    Column::text("access", "may product_token fetch the page, by robots.txt alone: allow, disallow, unknown"),
    Column::text("access_reason", "rule, no_rule, no_group, robots_txt_itself, or the state"),
    Column::int32("access_line", "line of robots.txt that decided, from 1").or_null(),
    Column::text("access_matched", "group that was selected: explicit, wildcard, none").or_null(),
    Column::texts("disallowed_agents", "tokens of the agents table that may not fetch the page; NULL where robots.txt is unknown, empty only where it decided and shuts nobody out").or_null(),
    Column::text("access_later", "the verdict by a later crawl's newest capture, with --later").or_null(),
    Column::texts("disallowed_agents_later", "the tokens shut out by it, with --later").or_null(),
];

const fn label(name: &'static str) -> Column {
    Column::text(name, "label over all systems, see the README: allow, disallow, unknown")
}

const fn label_from(name: &'static str) -> Column {
    Column::texts(name, "systems and carriers whose answer decided the label, such as: sup robots")
}

/// The labels over all systems.
pub const LABELS: &[Column] = &[
    label("search"),
    label_from("search_from"),
    label("train_ai"),
    label_from("train_ai_from"),
    label("train_genai"),
    label_from("train_genai_from"),
    label("ai_input"),
    label_from("ai_input_from"),
    label("tdm"),
    label_from("tdm_from"),
    Column::texts("conflict", "labels on which answers of systems or carriers contradict each other"),
];

/// The fields of the column `evidence`.
pub const EVIDENCE: &[Column] = &[
    Column::text("label", "label that it decided"),
    Column::text("preference", "what it says: allow, disallow"),
    Column::text("system", "system of preferences"),
    Column::text("carrier", "robots, header, meta, or the kind of site file"),
    Column::text("body_digest", "site file, key to the site tables").or_null(),
    Column::int32("line", "line of the site file, from 1").or_null(),
    Column::binary("raw", "value of the header field or meta").or_null(),
];

/// What could not be read, and what decided.
pub const TRACE: &[Column] = &[
    Column::texts("unread", "carriers of the record that could not be read whole: header, meta, body"),
    Column::structs(
        "evidence",
        EVIDENCE,
        "the answers that decided the labels, a row for each line or field",
    ),
];

/// The signals' columns stand where the registry has them; behind them the labels.
fn columns() -> Vec<&'static [Column]> {
    let mut groups = vec![WHERE, URL, WHAT, VIEWPOINT, ROBOTS, ACCESS];
    groups.extend(SYSTEMS.iter().map(|system| system.about().columns));
    groups.extend([LABELS, TRACE]);
    groups
}

/// `pages`
pub static PAGES: Table =
    Table { name: "pages", folder: "pages", row: "capture of a page, of any status and type", columns };
