//! `robots_agents`: what each distinct robots.txt says to each agent it names.

use super::Table;
use crate::web::column::Column;

const COLUMNS: &[Column] = &[
    Column::text("warc_segment", "segment, of Common Crawl's archives").or_null(),
    Column::text("body_digest", "body, key to site_files"),
    Column::text("agent", "product token in lower case, or *"),
    Column::text("agent_raw", "as first written"),
    Column::text("class", "full: everything is closed; partial: some rule closes something; none"),
    Column::text("root_access", "verdict for /: allow, disallow"),
    Column::int32("allow_count", "allow rules"),
    Column::int32("disallow_count", "disallow rules that are not empty"),
    Column::text("crawl_delay_s", "Crawl-delay as written, in seconds").or_null(),
    Column::text("class_dpi", "class as the Data Provenance Initiative's study counts it").or_null(),
    Column::text("class_imc", "class as the Internet measurement studies count it").or_null(),
];

/// `robots_agents`
pub static ROBOTS_AGENTS: Table = Table {
    name: "robots_agents",
    folder: "robots_agents",
    row: "distinct robots.txt body and agent named in it, and *",
    columns: || vec![COLUMNS],
};
