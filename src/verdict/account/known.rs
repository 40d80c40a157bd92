//! Names of lines, fields and metas that state no preference about use (RULES ACCT-1).
//!
//! Example: `Sitemap` in a robots.txt, `description` among the metas of a page. The lists contain common names, and names with
//! a word of a topic that were checked: `ai-disclosure` says how content was made. Left out: names that only an archive's
//! records have, which are not evidence.

use super::refusal::{TopicPlace, reserves_in_prose};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::{Carrier, Field};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Names in lower case.
type Names = LazyLock<Vec<&'static str>>;

/// Lines of robots.txt.
static LINES: Names = LazyLock::new(|| {
    let names = "\
        clean-param crawl-delay crawldelay host noindex request-rate robot-version sitemap sitemaps \
        visit-time";
    names.split(' ').collect()
});

/// Variables of trust.txt.
static TRUST_VARIABLES: Names = LazyLock::new(|| {
    "belongto contact control controlledby customer disclosure member social vendor".split(' ').collect()
});

/// Fields of an ai.txt that describe its site.
static AI_TXT_FIELDS: Names = LazyLock::new(|| {
    let names = "\
        contact description language last-updated name site-description site-name site-url title url \
        version";
    names.split(' ').collect()
});

/// Fields and metas.
static FIELDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let names = "\
        accept-ranges allow author cache-control content-encoding content-language content-length \
        content-security-policy content-type copyright date description etag expires generator keywords \
        last-modified link location permissions-policy pragma referrer refresh server set-cookie \
        theme-color title transfer-encoding vary viewport";
    names.split(' ').collect()
});

/// Beginnings of names of fields and metas, in lower case.
const PREFIXES: &[&str] = &["apple-", "article:", "dc.", "fb:", "msapplication-", "og:", "twitter:"];

/// Returns whether a line of a site file with this name is known; if the system of a file knows all names, none is listed here.
pub(super) fn is_known_line(kind: CaptureKind, name: &[u8]) -> bool {
    match kind {
        CaptureKind::Robots | CaptureKind::RobotsHop => is_in(&LINES, name),
        CaptureKind::AiTxt => is_in(&AI_TXT_FIELDS, name) || is_in(&LINES, name),
        CaptureKind::TrustTxt => is_in(&TRUST_VARIABLES, name),
        _ => false,
    }
}

/// Returns where a line of a site file names its topic: a whole ai.txt is about AI.
pub(super) fn topic_place(kind: CaptureKind) -> TopicPlace {
    if kind == CaptureKind::AiTxt { TopicPlace::Implied } else { TopicPlace::Name }
}

pub(super) fn is_known_field(field: &Field<'_>) -> bool {
    let is_listed =
        FIELDS.contains(field.name) || PREFIXES.iter().any(|prefix| field.name.starts_with(prefix));
    is_listed && !reserves_rights(field) || matches!(field.carrier, Carrier::Link | Carrier::Script)
}

/// Returns whether a field about rights refuses something about AI in prose: `copyright`, `dc.rights`, `license`.
pub(super) fn reserves_rights(field: &Field<'_>) -> bool {
    let is_about_rights = ["right", "licen"].iter().any(|part| field.name.contains(part));
    is_about_rights && reserves_in_prose(field.value)
}

fn is_in(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_the_lists_are_in_lower_case_and_names_of_lines_in_any() {
        let lines = [&LINES, &TRUST_VARIABLES, &AI_TXT_FIELDS].into_iter().flat_map(|names| names.iter());
        for name in lines.chain(FIELDS.iter()) {
            assert!(!name.is_empty() && *name == name.to_ascii_lowercase(), "{name}");
        }
        let is_known = |name: &[u8]| is_known_line(CaptureKind::Robots, name);
        assert!(is_known(b"SiteMap") && !is_known(b"Content-Signal") && !is_known(b""));
    }
}
