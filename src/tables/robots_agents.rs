//! `robots_agents`: what each distinct robots.txt says to each agent it names.

use super::Table;
use crate::web::column::Column;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("body_digest", "body, key to site_files"),
    Column::text("agent", "product token in lower case, or *"),
    Column::text("agent_raw", "as first written"),
    Column::text(
        "class",
        "full: everything is closed; partial: some rule closes something; none, by the rules alone",
    ),
    Column::text("root_access", "verdict for /: allow, disallow"),
    Column::int32("allow_count", "allow lines that are not empty"),
    Column::int32("disallow_count", "disallow lines that are not empty"),
    Column::text("crawl_delay_s", "first Crawl-delay of its groups, as written, in seconds").or_null(),
    Column::text(
        "class_dpi",
        "class by the published rules of the Data Provenance Initiative: full, partial, none for its all, some, none",
    ),
    Column::text(
        "class_imc",
        "class by the published rules of Liu et al., IMC 2025, by Google's parser: full, partial, none; NULL where the file names too many paths to be asked for",
    )
    .or_null(),
];

/// `robots_agents`
pub static ROBOTS_AGENTS: Table = Table {
    name: "robots_agents",
    folder: "robots_agents",
    row: "distinct robots.txt body and agent named in it, and *",
    columns: || vec![COLUMNS],
};
