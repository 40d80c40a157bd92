//! What a vendor documents about a rule that exists: a meaning for AI that binds this vendor's crawlers only.
//!
//! Documents: the vendors' own pages; each entry names its page and date. Example: `noarchive` is about training at
//! Microsoft and at Amazon, and says nothing about AI at others.
//! Left out: labels, which none of them changes (RULES TAG-19). docs/agents.md has the same entries.

use super::explanation::PageExplanation;
use crate::systems::Value;
use serde::Serialize;

/// A rule's meaning at one vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VendorMeaning {
    /// The robots tags that must all be there, or a product token that has a group of its own.
    pub rule: &'static str,
    /// The vendor.
    pub vendor: &'static str,
    /// The names of its crawlers, in lower case: tags for them have the meaning, as do tags for all.
    #[serde(skip)]
    pub crawlers: &'static [&'static str],
    /// What it means there.
    pub meaning: &'static str,
    /// Where that is documented.
    pub source: &'static str,
    /// The date of the page, or of its change.
    pub date: &'static str,
}

const BING: &[&str] = &["bingbot", "msnbot"];
const AMAZON: &[&str] = &["amazonbot"];
const APPLE: &[&str] = &["applebot"];
const GOOGLE: &[&str] = &["googlebot"];
const BING_BLOG: &str = "blogs.bing.com";
const AMAZON_PAGE: &str = "developer.amazon.com/amazonbot";
const APPLE_PAGE: &str = "support.apple.com/119829";
const GOOGLE_TAGS: &str = "developers.google.com, robots meta tag";

const fn meaning(
    rule: &'static str,
    (vendor, crawlers): (&'static str, &'static [&'static str]),
    meaning: &'static str,
    source: &'static str,
    date: &'static str,
) -> VendorMeaning {
    VendorMeaning { rule, vendor, crawlers, meaning, source, date }
}

/// Every meaning, in the order of docs/agents.md.
pub static VENDOR_MEANINGS: [VendorMeaning; 11] = [
    meaning(
        "noarchive",
        ("Microsoft Bing", BING),
        "not in chat answers, not linked there, and not used to train its foundation models; still in search results. Since 2026 also kept out of the grounding of Copilot",
        BING_BLOG,
        "2023-09",
    ),
    meaning(
        "nocache",
        ("Microsoft Bing", BING),
        "chat answers show URL, title and snippet only, and only these may be used in training",
        BING_BLOG,
        "2023-09",
    ),
    meaning("noarchive and nocache", ("Microsoft Bing", BING), "read as nocache", BING_BLOG, "2023-09"),
    meaning(
        "noarchive",
        ("Amazon", AMAZON),
        "the page is not used for model training",
        AMAZON_PAGE,
        "2025 at the latest",
    ),
    meaning(
        "nosnippet",
        ("Apple", APPLE),
        "not used as context for generated answers; no effect on crawling or search",
        APPLE_PAGE,
        "2026-06-08",
    ),
    meaning(
        "nosnippet",
        ("Google", GOOGLE),
        "not used as direct input of AI Overviews and AI Mode",
        GOOGLE_TAGS,
        "2025-03-05",
    ),
    meaning(
        "max-snippet",
        ("Google", GOOGLE),
        "only so many characters are used as direct input of AI Overviews and AI Mode",
        GOOGLE_TAGS,
        "2025-03-05",
    ),
    meaning(
        "Google-Extended",
        ("Google", &[]),
        "training of Gemini models, and grounding outside of Search; no effect on Search",
        "developers.google.com, common crawlers",
        "2026",
    ),
    meaning(
        "Applebot-Extended",
        ("Apple", &[]),
        "training of foundation models; no effect on crawling or ranking",
        APPLE_PAGE,
        "2026-06-08",
    ),
    meaning(
        "Amzn-SearchBot",
        ("Amazon", &[]),
        "search; it does not crawl for the training of generative models",
        AMAZON_PAGE,
        "2025 at the latest",
    ),
    meaning(
        "Amzn-User",
        ("Amazon", &[]),
        "requests of users; it does not crawl for the training of generative models",
        AMAZON_PAGE,
        "2025 at the latest",
    ),
];

impl VendorMeaning {
    fn is_of_a_tag(&self) -> bool {
        !self.crawlers.is_empty()
    }
}

impl PageExplanation<'_> {
    /// Returns what vendors document about the robots tags of the page that bind them, and about the product token in
    /// question.
    pub fn vendor_meanings(&self) -> Vec<&'static VendorMeaning> {
        let token = self.scenario.viewpoint.token.as_str();
        let tags = self.tags();
        let has = |meaning: &VendorMeaning, name: &str| {
            tags.iter()
                .any(|(agent, rule)| *rule == name && (*agent == "*" || meaning.crawlers.contains(agent)))
        };
        let applies = |meaning: &&VendorMeaning| {
            if meaning.is_of_a_tag() {
                meaning.rule.split(" and ").all(|name| has(meaning, name))
            } else {
                meaning.rule.eq_ignore_ascii_case(token)
            }
        };
        let found: Vec<&'static VendorMeaning> = VENDOR_MEANINGS.iter().filter(applies).collect();
        let is_replaced = |one: &VendorMeaning| {
            let mut both = found.iter().filter(|other| other.vendor == one.vendor);
            both.any(|other| other.rule == "noarchive and nocache") && one.rule == "noarchive"
        };
        found.iter().copied().filter(|one| !is_replaced(one)).collect()
    }

    /// The robots tags that bind the product token: whom each is for, and its rule without a value.
    fn tags(&self) -> Vec<(&str, &str)> {
        let system = self.systems.iter().find(|system| system.about.name == "robots_tag");
        let values = system.into_iter().flat_map(|system| &system.values);
        let texts = values.filter_map(|value| match value {
            Value::Texts(texts) => Some(texts),
            Value::Null | Value::Truth(_) | Value::Word(_) | Value::Text(_) | Value::Structs(_) => None,
        });
        let split = texts.flatten().filter_map(|text| text.split_once(':'));
        split.map(|(agent, rule)| (agent, rule.split('=').next().unwrap_or(rule))).collect()
    }
}
