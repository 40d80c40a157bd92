//! The rules on a page, and the rules that bind a crawler.
//!
//! Document: draft-illyes-repext-02, Application Layer Response Header and HTML meta element: both fields and all metas add up;
//! equal agents are merged and equal rules deduplicated. Example: `Robots-Tag: *;nosnippet` and
//! `<meta name="ccbot" content="noindex">` bind `CCBot` to both. Left out: what `none` means; it is kept as it is.

use super::meta::{is_for_crawlers, parse_meta};
use super::value::date;
use super::{MAX_RULES, Parsed, TagPlace, TagRule, parse};
use crate::web::field::{Carrier, Field, header_fields, twins, unquoted_name};
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;
use crate::web::steps;
use crate::web::timestamp::Timestamp;

/// A field that is a robots tag, and its meaning.
pub struct Tag<'a> {
    pub field: Field<'a>,
    pub parsed: Parsed<'a>,
}

impl<'a> Tag<'a> {
    /// Returns its rules that bind a crawler, each with its name if it restricts it, on a page that was fetched at that time.
    pub fn binding(
        &self,
        token: &ProductToken,
        fetched_at: Option<Timestamp>,
    ) -> impl Iterator<Item = (&TagRule<'a>, Option<&'static str>)> {
        let rules = self
            .parsed
            .rules
            .iter()
            .filter(|rule| rule.is_set() && rule.agent.binds(token));
        rules.map(move |rule| (rule, restriction(rule, fetched_at)))
    }
}

/// TAG-21: a page that is not to be shown after a date before the fetch is `noindex`.
fn restriction(rule: &TagRule<'_>, fetched_at: Option<Timestamp>) -> Option<&'static str> {
    let known = rule.known()?;
    if known.is_date() {
        return (date(rule.value.as_deref()?)? < fetched_at?).then_some("noindex");
    }
    (known.preference == Some(Preference::Disallow)).then_some(known.name)
}

/// How many rules of a record are read: those of its first tags. Ours: a page may have hundreds of full metas.
const RECORD_RULES: usize = 4 * MAX_RULES;

/// Returns the robots tags among a record's fields; the first one behind too many rules is cut to nothing and is the last.
pub fn tags<'s, 'a>(
    fields: &'s [Field<'a>],
    token: &'s ProductToken,
) -> impl Iterator<Item = Tag<'a>> + use<'s, 'a> {
    let mut rules = 0;
    let mut is_full = false;
    all_tags(fields, token).map_while(move |mut tag| {
        if is_full {
            return None;
        }
        is_full = rules >= RECORD_RULES;
        if is_full {
            tag.parsed = Parsed {
                is_cut: true,
                ..Parsed::default()
            };
        }
        rules += tag.parsed.rules.len() + tag.parsed.agents_without_rules.len();
        Some(tag)
    })
}

fn all_tags<'s, 'a>(
    fields: &'s [Field<'a>],
    token: &'s ProductToken,
) -> impl Iterator<Item = Tag<'a>> + use<'s, 'a> {
    let of_header = header_fields(fields, &HEADERS).chain(twins(fields, &HEADERS));
    let is_other_meta = |field: &&Field<'_>| {
        field.carrier != Carrier::Header && header_place(unquoted_name(field.name)).is_none()
    };
    let metas = fields.iter().filter(is_other_meta).copied();
    of_header.chain(metas).filter_map(move |field| {
        steps::count(field.value.len());
        // READ-19: a meta that is named like the header field is read like it.
        let place = header_place(field.name);
        let parsed = match (field.carrier, place) {
            (Carrier::Link | Carrier::Script, _) | (Carrier::Header, None) => return None,
            (_, Some(place)) => parse(place, field.value),
            (Carrier::HttpEquiv, None) if !is_for_crawlers(field.name, token) => return None,
            (_, None) => parse_meta(field.name, field.value, token)?,
        };
        Some(Tag { field, parsed })
    })
}

const HEADERS: [&str; 2] = ["robots-tag", "x-robots-tag"];

fn header_place(name: &str) -> Option<TagPlace<'static>> {
    match name {
        "robots-tag" => Some(TagPlace::RobotsTag),
        "x-robots-tag" => Some(TagPlace::XRobotsTag),
        _ => None,
    }
}

/// The rules that bind a crawler.
#[derive(Debug, Default)]
pub struct Binding {
    /// The names of the known rules, in lower case, sorted and without repeats.
    names: Vec<&'static str>,
    /// Every rule, known or not: `agent:rule` or `agent:rule=value`, sorted and without repeats.
    pub rules: Vec<String>,
}

impl Binding {
    /// Returns the rules of the tags for a crawler and a page that was fetched at that time.
    pub fn new(fields: &[Field<'_>], token: &ProductToken, fetched_at: Option<Timestamp>) -> Self {
        let mut binding = Self::default();
        for tag in tags(fields, token) {
            for (rule, restriction) in tag.binding(token, fetched_at) {
                binding
                    .names
                    .extend(rule.known_name().into_iter().chain(restriction));
                binding.rules.push(text(rule));
            }
        }
        binding.names.sort_unstable();
        binding.names.dedup();
        binding.rules.sort_unstable();
        binding.rules.dedup();
        binding
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }
}

fn text(rule: &TagRule<'_>) -> String {
    let agent = lower(rule.agent.as_bytes());
    let name = lower(rule.name);
    match rule.value.as_deref() {
        Some(value) => format!("{agent}:{name}={}", shown(value)),
        None => format!("{agent}:{name}"),
    }
}

/// Returns a name as text in lower case.
pub fn lower(name: &[u8]) -> String {
    shown(&name.to_ascii_lowercase()).into_owned()
}
