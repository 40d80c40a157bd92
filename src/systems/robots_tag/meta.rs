//! The metas that are robots tags.
//!
//! Document: draft-illyes-repext-02, HTML meta element: the name is a product token or `robots`. Examples:
//! `<meta name="googlebot" content="noindex">` is one, `<meta name="audience" content="all">` is not.
//! Ours (RULES READ-19, TAG-22): `robot` is `robots`, and quotes around a name are dropped, as in `<meta name=”robots”>`.
//! Left out: metas in the body, which are not given to fields (the draft's section 4), except behind a head that ended early.
//!
//! Ours: any name may be a crawler's, and most are not. A meta is read if its name is `robots`, the requested crawler, or a
//! crawler known to be named in metas; or if its name ends like crawlers' names and its content has a known rule; or else only
//! if its name is not about the page (`description`) and its content has only known rules, at least one not an everyday word.

use super::known::known;
use super::{Agent, Parsed, TagPlace, TagRule, parse};
use crate::web::field::unquoted_name;
use crate::web::product_token::ProductToken;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Crawlers that are named in metas, in lower case.
static CRAWLERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "amazonbot applebot applebot-extended baiduspider bing bingbot ccbot claudebot duckduckbot google \
         google-extended googlebot googlebot-image googlebot-news googlebot-video googleother gptbot msnbot \
         oai-searchbot perplexitybot slurp teoma yandex yandexbot",
    )
});

/// Names that are about the page, whatever their content, in lower case.
static OF_THE_PAGE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "abstract audience author cache-control classification copyright description distribution keywords \
         language pragma rating rights subject summary title topic",
    )
});

/// Rules that are also words, as in `audience` = `all`, `cache-control` = `nocache`.
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words("all archive cache follow imageindex index nocache none odp snippet translate")
});

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

const ENDINGS: [&str; 3] = ["bot", "spider", "crawler"];

/// Returns `None` if the meta is not a robots tag.
pub(super) fn parse_meta<'a>(
    name: &'a str,
    content: &'a [u8],
    token: &ProductToken,
) -> Option<Parsed<'a>> {
    let is_own = |name: &&str| name.eq_ignore_ascii_case(token.as_str());
    let name = if is_robots(name) {
        "robots"
    } else {
        names(name).find(is_own).unwrap_or(unquoted_name(name))
    };
    // Ours: `*` names no crawler here, and no crawler's name is empty.
    if name.is_empty() || name == "*" {
        return None;
    }
    let parsed = parse(TagPlace::Meta(Agent::of_prefix(name.as_bytes())), content);
    let is_known = is_for_crawlers(name, token);
    (is_known || speaks_to_a_crawler(name, &parsed.rules)).then_some(parsed)
}

/// Whether a meta of this name, in lower case, is for every crawler or for a known one.
pub(super) fn is_for_crawlers(name: &str, token: &ProductToken) -> bool {
    let is_known =
        |name: &str| name.eq_ignore_ascii_case(token.as_str()) || CRAWLERS.contains(name);
    is_robots(name) || names(name).any(is_known)
}

fn is_robots(name: &str) -> bool {
    names(name)
        .any(|name| name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case("robot"))
}

/// Ours: a list as in `robots,googlebot` has several names.
fn names(name: &str) -> impl Iterator<Item = &str> {
    unquoted_name(name)
        .split([',', ';', '|', ' '])
        .map(str::trim)
}

fn speaks_to_a_crawler(name: &str, rules: &[TagRule<'_>]) -> bool {
    let mut known = rules.iter().filter_map(|rule| known(rule.name));
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return known.next().is_some();
    }
    !OF_THE_PAGE.contains(name)
        && rules.iter().all(|rule| rule.known().is_some())
        && known.any(|rule| !WORDS.contains(rule.name))
}

#[cfg(test)]
mod tests {
    use super::parse_meta;
    use crate::web::product_token::ProductToken;

    #[test]
    fn local_most_metas_are_no_robots_tags() {
        let token = ProductToken::new("ExampleAgent").expect("a token");
        let is_read =
            |name: &str, content: &str| parse_meta(name, content.as_bytes(), &token).is_some();
        for (name, content) in [
            ("robots", ""),
            ("exampleagent", "strange"),
            ("googlebot", "strange"),
            ("otherbot", "all"),
            ("otheragent", "noindex, follow"),
            ("google", "notranslate"),
        ] {
            assert!(is_read(name, content), "{name}: {content}");
        }
        for (name, content) in [
            ("description", "noindex explained, with examples"),
            ("description", "noindex"),
            ("audience", "all"),
            ("distribution", "index, follow"),
            ("cache-control", "nocache"),
            ("author", ""),
            ("otherbot", "a bot"),
            ("*", "noindex"),
            ("", "noindex"),
        ] {
            assert!(!is_read(name, content), "{name}: {content}");
        }
    }
}
