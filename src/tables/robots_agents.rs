//! `robots_agents`: what each distinct robots.txt says to each agent it names.

use super::columns::{BODY, BodyKey, append_body};
use super::{Rows, Table};
use crate::robots::{Managed, managed_of};
use crate::verdict::site::AgentFacts;
use crate::web::column::Column;
use crate::web::shown::{SHOWN_BYTES, shown};

const OWN: &[Column] = &[
    Column::text(
        "agent",
        "product token as the agents table spells it, in lower case where it is not in that table; or *",
    ),
    Column::text("agent_raw", "its first spelling in the file"),
    Column::text(
        "class",
        "full: everything is closed; partial: something is closed; none: nothing is closed; by the rules of the file alone",
    ),
    Column::text("root_access", "verdict for /: allow, disallow"),
    Column::int32(
        "line",
        "line of a rule that the class is based on, from 1: if / is closed, or nothing is, the rule that decides for /; else the first rule that closes something; NULL without such a rule",
    )
    .or_null(),
    Column::int32("allow_count", "allow lines that are not empty"),
    Column::int32("disallow_count", "disallow lines that are not empty"),
    Column::text("crawl_delay_s", "first Crawl-delay of its groups, as written, in seconds").or_null(),
    Column::text("managed_by", "vendor whose managed text has that line; NULL: the site's own, or no line").or_null(),
    Column::text(
        "managed_as",
        "kind of Cloudflare's block that has that line: managed_content, bot_preference_sync; NULL: neither",
    )
    .or_null(),
    Column::text(
        "closed_in",
        "in whose text lines close everything: own, vendor, or both, in which case the site closes it without its vendor, too; NULL: not everything is closed",
    )
    .or_null(),
];

/// `robots_agents`
pub static ROBOTS_AGENTS: Table = Table {
    name: "robots_agents",
    folder: "robots_agents",
    row: "distinct robots.txt body and agent named in it, and *",
    columns: || vec![BODY, OWN],
};

/// Appends the row of what a body says to an agent, which the agents table spells so if it has it; `managed` are the body's
/// lines of vendors.
pub fn append(
    rows: &mut Rows,
    body: BodyKey<'_>,
    facts: &AgentFacts<'_>,
    spelled: Option<&str>,
    managed: &[Managed<'_>],
) {
    let cells = rows.row();
    append_body(cells, body);
    cells.text("agent", spelled.unwrap_or(cut(&shown(facts.agent))));
    cells.text("agent_raw", cut(&shown(facts.agent_raw)));
    cells.text("class", facts.rules.class.as_str());
    cells.text("root_access", facts.rules.root.as_str());
    cells.int32_or_null("line", facts.rules.line);
    cells.int32("allow_count", facts.rules.allow_count);
    cells.int32("disallow_count", facts.rules.disallow_count);
    let crawl_delay = facts.rules.crawl_delay.map(shown);
    cells.text_or_null("crawl_delay_s", crawl_delay.as_deref().map(cut));
    let managed = facts.rules.line.and_then(|line| managed_of(managed, line));
    cells.text_or_null("managed_by", managed.map(|lines| lines.vendor));
    cells.text_or_null("managed_as", managed.and_then(|lines| lines.block));
    let closed_in = match (facts.rules.closed_in_own_text, facts.rules.closed_in_vendors_text) {
        (true, true) => Some("both"),
        (true, false) => Some("own"),
        (false, true) => Some("vendor"),
        (false, false) => None,
    };
    cells.text_or_null("closed_in", closed_in);
}

/// A text that is shown as it is, up to a limit.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SHOWN_BYTES)).unwrap_or(text)
}
