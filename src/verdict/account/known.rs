//! Names of lines, fields and metas that state no preference about use (RULES ACCT-1).
//!
//! Example: `Sitemap` in a robots.txt, `description` among the metas of a page. The lists contain common names, and names with
//! a word of a topic that were checked: `ai-disclosure` says how content was made. Left out: names that only an archive's
//! records have, which are not evidence.

use super::refusal::{TopicPlace, has_no_of_its_own, names_a_use, refuses, reserves_in_prose};
use crate::systems::{SYSTEMS, Viewpoint};
use crate::verdict::agents::AgentsTable;
use crate::web::capture_kind::{CaptureKind, FileForm};
use crate::web::field::{Carrier, Field};
use crate::web::known_names::KnownNames;
use crate::web::product_token::TokenMatch;
use std::collections::HashSet;
use std::sync::LazyLock;

type Names = LazyLock<KnownNames>;

/// Lines of robots.txt.
static LINES: Names = LazyLock::new(|| {
    KnownNames::from_words(
        "clean-param crawl-delay crawldelay host noindex request-rate robot-version sitemap sitemaps \
         visit-time",
    )
});

/// What a system declares about the lines of its site file.
struct FileLines {
    kind: CaptureKind,
    others: KnownNames,
    is_about_ai: bool,
}

/// The site files beside robots.txt.
static OF_FILES: LazyLock<Vec<FileLines>> = LazyLock::new(|| {
    let abouts = SYSTEMS.iter().map(|system| system.about());
    abouts
        .filter_map(|about| {
            Some(FileLines {
                kind: about.site_file?,
                others: KnownNames::from_words(about.other_lines),
                is_about_ai: about.is_file_about_ai,
            })
        })
        .collect()
});

fn of_file(kind: CaptureKind) -> Option<&'static FileLines> {
    OF_FILES.iter().find(|file| file.kind == kind)
}

/// Fields and metas.
static FIELDS: Names = LazyLock::new(|| {
    KnownNames::from_words(
        "accept-ranges ai-description ai-instruction ai-instructions ai-summary allow author cache-control \
         content-encoding content-language content-length content-security-policy content-type copyright \
         date description etag expires generator keywords last-modified link llm-description \
         llm-instruction llm-instructions llm-summary location permissions-policy pragma referrer refresh \
         server set-cookie theme-color title transfer-encoding vary viewport x-ad-account-usage x-app-usage \
         x-business-use-case-usage",
    )
});

/// Beginnings of names of fields and metas, in lower case.
const PREFIXES: &[&str] = &[
    "apple-",
    "article:",
    "dc.",
    "fb:",
    "msapplication-",
    "og:",
    "twitter:",
];

/// ACCT-11: words of names that say how content was made, who asked for it, or how much was used, and not what may be done.
static OF_DISCLOSURES: Names = LazyLock::new(|| {
    KnownNames::from_words(
        "assisted cache cached cost count counter detected generated is quota remaining score tokens",
    )
});

/// Values of such names that refuse nothing, although they are noes elsewhere.
static OF_COUNTERS: Names =
    LazyLock::new(|| KnownNames::from_words("0 false n nil no none null off"));

/// Returns whether a name with this value is a disclosure or a counter: `ai-generated: no`, `X-GPT-Cache: 0`. A name that refuses
/// is none (`AI training is prohibited`), nor is one that asks whether a use is allowed (`is-trainable: false`).
pub(super) fn is_disclosure(name: &[u8], value: &[u8]) -> bool {
    let of_use = names_a_use(name);
    let is_word =
        |word: &[u8]| OF_DISCLOSURES.has(word) && !(of_use && word.eq_ignore_ascii_case(b"is"));
    let mut words = name.split(|byte| !byte.is_ascii_alphanumeric());
    let mut refusals = value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| refuses(word));
    words.any(is_word)
        && !refuses(name)
        && refusals.all(|word| OF_COUNTERS.has(word))
        && !has_no_of_its_own(value)
}

/// Crawlers that are named in metas and headers and are not in the agents table.
const CRAWLERS: &str = "bing duckduckbot google ia_archiver mediapartners-google msnbot naverbot slurp teoma \
    yahoo yandex yeti";

static KNOWN_CRAWLERS: LazyLock<HashSet<Vec<u8>>> = LazyLock::new(|| {
    let table = AgentsTable::bundled();
    let tokens = table
        .tokens()
        .iter()
        .map(|token| token.compared(TokenMatch::Exact).to_vec());
    tokens
        .chain(
            CRAWLERS
                .split_ascii_whitespace()
                .map(|name| name.as_bytes().to_vec()),
        )
        .collect()
});

/// Returns whether a name is that of a crawler: of one in the agents table, of the viewpoint, or of a search engine (ACCT-7).
pub(super) fn is_crawler(name: &str, viewpoint: &Viewpoint) -> bool {
    let name = name
        .split(['/', ' '])
        .next()
        .unwrap_or(name)
        .to_ascii_lowercase();
    viewpoint.token.compared(TokenMatch::Exact) == name.as_bytes()
        || KNOWN_CRAWLERS.contains(name.as_bytes())
}

/// Returns whether a line of a site file with this name is known; if the system of a file knows all names, it declares none.
/// A file in the groups of robots.txt may have its lines, too.
pub(super) fn is_known_line(kind: CaptureKind, name: &[u8]) -> bool {
    kind.form() == Some(FileForm::Groups) && LINES.has(name)
        || of_file(kind).is_some_and(|file| file.others.has(name))
}

/// Returns where a line of a site file names its topic: a whole ai.txt is about AI.
pub(super) fn topic_place(kind: CaptureKind) -> TopicPlace {
    if of_file(kind).is_some_and(|file| file.is_about_ai) {
        TopicPlace::Implied
    } else {
        TopicPlace::Name
    }
}

pub(super) fn is_known_field(field: &Field<'_>) -> bool {
    let name = field.name;
    let is_listed =
        FIELDS.has(name.as_bytes()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let refuses =
        || reserves_rights(field) || name == "permissions-policy" && has_no_of_its_own(field.value);
    is_listed && !refuses()
        || is_disclosure(name.as_bytes(), field.value)
        || matches!(field.carrier, Carrier::Link | Carrier::Script)
}

/// Returns whether a field about rights refuses something about AI in prose: `copyright`, `dc.rights`, `license`.
pub(super) fn reserves_rights(field: &Field<'_>) -> bool {
    let is_about_rights = ["right", "licen"]
        .iter()
        .any(|part| field.name.contains(part));
    is_about_rights && reserves_in_prose(field.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_the_lists_are_in_lower_case_and_names_of_lines_in_any() {
        for names in [&LINES, &FIELDS, &OF_DISCLOSURES, &OF_COUNTERS] {
            names.assert_different();
        }
        for file in OF_FILES.iter() {
            file.others.assert_different();
        }
        let is_known = |name: &[u8]| is_known_line(CaptureKind::Robots, name);
        assert!(is_known(b"SiteMap") && !is_known(b"Content-Signal") && !is_known(b""));
    }
}
