//! What a robots.txt closes to each agent that it names, and to `*`.
//!
//! Document: RFC 9309 2.2. Example: under `Disallow: /` and `Allow: /$` an agent is closed in part. Ours:
//! the classes, by the rules alone: full where everything is closed and no rule opens anything, none where
//! no rule closes anything that another does not open, partial else.
//! Left out: agents that the file does not name; they have the class of `*`.

use super::class::Class;
use super::dpi::DpiFile;
use super::imc::ImcFile;
use crate::signals::robots_txt::{Kind, NamedGroups, Record, RobotsTxt, Verdict};
use crate::web::path_pattern::UrlPath;
use crate::web::shown::shown;
use std::collections::BTreeMap;

/// What a file says to one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFacts {
    /// Its product token in lower case, or `*`.
    pub agent: String,
    /// As it is first written.
    pub agent_raw: String,
    /// What the groups that hold for it say.
    pub rules: RuleFacts,
    /// The class by the rules of the Data Provenance Initiative's study.
    pub class_dpi: Class,
    /// The class by the rules of Liu et al., IMC 2025; `None` where too many paths would have to be asked for.
    pub class_imc: Option<Class>,
}

/// What some groups say, merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    /// How much they close.
    pub class: Class,
    /// The verdict for `/`.
    pub root: Verdict,
    /// Allow lines that are not empty.
    pub allow_count: u32,
    /// Disallow lines that are not empty.
    pub disallow_count: u32,
    /// The first Crawl-delay, as written.
    pub crawl_delay: Option<String>,
}

/// Returns what a file says to each of its names, compared whole, in their order.
#[must_use]
pub fn agents(robots: &RobotsTxt, named: Vec<NamedGroups<'_>>) -> Vec<AgentFacts> {
    let (mut dpi, mut imc) = (DpiFile::read(robots.bytes()), ImcFile::read(robots.bytes()));
    let mut by_groups: BTreeMap<Vec<u32>, RuleFacts> = BTreeMap::new();
    let mut all = Vec::new();
    for named in named {
        let (name, groups) = (named.name, named.groups);
        let facts = |groups: &Vec<u32>| rule_facts(robots, groups);
        let rules = match by_groups.get(&groups) {
            Some(known) => known.clone(),
            None => by_groups.entry(groups).or_insert_with_key(facts).clone(),
        };
        let (class_dpi, class_imc) = (dpi.class(&name), imc.class(&name));
        let (agent, agent_raw) = (shown(&name).into_owned(), shown(named.written).into_owned());
        all.push(AgentFacts { agent, agent_raw, rules, class_dpi, class_imc });
    }
    all
}

fn rule_facts(robots: &RobotsTxt, groups: &[u32]) -> RuleFacts {
    let (mut allow_count, mut disallow_count) = (0, 0);
    let (mut closing, mut opening) = (Widest::default(), Widest::default());
    let mut crawl_delay = None;
    let records = groups.iter().filter_map(|group| robots.group(*group as usize));
    for record in records.flat_map(|group| group.records()) {
        match record.kind {
            Kind::Allow if !record.value.is_empty() => {
                allow_count += 1;
                opening.add(&record);
            }
            Kind::Disallow if !record.value.is_empty() => {
                disallow_count += 1;
                closing.add(&record);
            }
            Kind::Other if crawl_delay.is_none() && record.is_named("crawl-delay") => {
                crawl_delay = Some(shown(record.value).into_owned());
            }
            Kind::Allow | Kind::Disallow | Kind::UserAgent | Kind::ExtensionRule | Kind::Other => {}
        }
    }
    let class = match (closing.everything, closing.longest) {
        (_, None) => Class::None,
        // RFC 9309 2.2.2: an equally long allow wins.
        (_, Some(longest)) if opening.everything.is_some_and(|octets| octets >= longest) => Class::None,
        (Some(octets), _) if opening.longest.is_none_or(|longest| longest < octets) => Class::Full,
        (Some(_) | None, Some(_)) => Class::Partial,
    };
    let root = if opening.root >= closing.root { Verdict::Allow } else { Verdict::Disallow };
    RuleFacts { class, root, allow_count, disallow_count, crawl_delay }
}

/// The octets of the longest rules of one kind: of all that can match, of those that match everything, and
/// of those that match `/`.
#[derive(Default)]
struct Widest {
    longest: Option<usize>,
    everything: Option<usize>,
    root: Option<usize>,
}

impl Widest {
    fn add(&mut self, record: &Record<'_>) {
        let pattern = record.pattern();
        let (octets, text) = (pattern.octet_count(), pattern.as_bytes());
        if text.starts_with(b"/") || text.starts_with(b"*") {
            self.longest = self.longest.max(Some(octets));
        }
        // Every path has a slash, so that `/`, `*`, `/*` and `*/*` match each one.
        let is_everything = text.iter().all(|byte| matches!(byte, b'*' | b'/'))
            && memchr::memchr_iter(b'/', text).nth(1).is_none();
        if is_everything {
            self.everything = self.everything.max(Some(octets));
        }
        // Only what is made of these can match `/`.
        let may_be_root = text.iter().all(|byte| matches!(byte, b'*' | b'/' | b'$'));
        if may_be_root && pattern.matches(&UrlPath::new(b"/", None)) {
            self.root = self.root.max(Some(octets));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::robots_txt::{Extent, ParseLimit};

    fn of(file: &str) -> Vec<(String, &'static str, Verdict)> {
        let robots = RobotsTxt::parse(file.as_bytes(), Extent::Whole, ParseLimit::default());
        let named = robots.named_groups(crate::web::product_token::TokenMatch::Exact);
        let facts = agents(&robots, named).into_iter();
        facts.map(|facts| (facts.agent, facts.rules.class.as_str(), facts.rules.root)).collect()
    }

    #[test]
    fn local_classes_by_the_rules_alone() {
        use Verdict::{Allow, Disallow};
        for (rules, class, root) in [
            ("", "none", Allow),
            ("Disallow:", "none", Allow),
            ("Disallow: /", "full", Disallow),
            ("Disallow: *", "full", Disallow),
            ("Disallow: /*", "full", Disallow),
            ("Disallow: /\nAllow: /", "none", Allow),
            ("Disallow: /*\nAllow: /", "full", Disallow),
            ("Disallow: /\nAllow: /a", "partial", Disallow),
            ("Disallow: /\nAllow: /$", "partial", Allow),
            ("Disallow: /$", "partial", Disallow),
            ("Disallow: /a", "partial", Allow),
            ("Disallow: /a\nAllow: /", "partial", Allow),
            ("Disallow: /\nAllow:", "full", Disallow),
            ("Disallow: a", "none", Allow),
        ] {
            let file = format!("User-agent: x\n{rules}\n");
            let expected = [("x".to_owned(), class, root), ("*".to_owned(), "none", Allow)];
            assert_eq!(of(&file), expected, "{rules}");
        }
    }

    #[test]
    fn local_agents_stand_once_each_in_the_order_of_the_file() {
        let file = "User-agent: B\nDisallow: /\nUser-agent: *\nDisallow: /a\n\nUser-agent: b/1.0\nUser-agent: a\nAllow: /x\n";
        let found: Vec<_> = of(file).into_iter().map(|(agent, class, _)| (agent, class)).collect();
        let expected = [("b", "partial"), ("*", "partial"), ("a", "none")];
        assert_eq!(found, expected.map(|(agent, class)| (agent.to_owned(), class)));
    }
}
