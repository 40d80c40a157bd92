//! What a robots.txt closes to each agent that it names, and to `*`.
//!
//! Document: RFC 9309 2.2. Example: under `Disallow: /` and `Allow: /$` an agent is closed in part. Ours: the classes, by the
//! rules alone: full if everything is closed and no rule opens anything; none if no rule closes anything that another does not
//! open; else partial. Left out: agents that the file does not name; they have the class of `*`.

use super::Class;
use crate::robots::{
    Group, LineKind, Managed, NamedGroups, RobotsRecord, RobotsTxt, Verdict, vendor_of,
};
use crate::web::path_pattern::{PathPattern, UrlPath, can_match};
use crate::web::steps;
use std::cmp::Reverse;

/// What a file says to one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFacts<'a> {
    /// Its product token in lower case, or `*`.
    pub agent: &'a [u8],
    /// Its first spelling in the file.
    pub agent_raw: &'a [u8],
    pub class: Class,
    pub root: Verdict,
    /// The line of a rule on which the class rests, from 1: if `/` is closed or nothing is, the rule that decides for `/`; else
    /// the first rule that closes something.
    pub line: Option<u32>,
    /// The number of Allow lines that are not empty.
    pub allow_count: u32,
    /// The number of Disallow lines that are not empty.
    pub disallow_count: u32,
    /// The first Crawl-delay, as written.
    pub crawl_delay: Option<&'a [u8]>,
    /// If everything is closed: whether a line that closes it is the site's own text.
    pub closed_in_own_text: bool,
    /// If everything is closed: whether a line that closes it is a vendor's text.
    pub closed_in_vendors_text: bool,
}

/// Returns what a file says to each of its names, compared whole, in their order; `managed` are its lines of vendors.
pub fn agents<'a>(
    robots: &'a RobotsTxt,
    named: &'a [NamedGroups<'_>],
    managed: &[Managed<'_>],
) -> Vec<AgentFacts<'a>> {
    // A group may name many agents, and an agent may have many groups: each line is read once.
    let groups: Vec<GroupRules<'a>> = robots
        .groups()
        .map(|group| GroupRules::of(&group, managed))
        .collect();
    let facts = |named: &'a NamedGroups<'_>| {
        let mut merged = GroupRules::default();
        for rules in named
            .groups
            .iter()
            .filter_map(|group| groups.get(*group as usize))
        {
            merged.merge(rules);
        }
        merged.facts(&named.name, named.written)
    };
    named.iter().map(facts).collect()
}

#[derive(Default)]
struct GroupRules<'a> {
    closing: OneKind,
    opening: OneKind,
    crawl_delay: Option<&'a [u8]>,
}

impl<'a> GroupRules<'a> {
    fn of(group: &Group<'a>, managed: &[Managed<'_>]) -> Self {
        let mut rules = Self::default();
        for record in group.records() {
            steps::count(record.text.len());
            match record.kind {
                LineKind::Allow if !record.value.is_empty() => rules.opening.add(&record, managed),
                LineKind::Disallow if !record.value.is_empty() => {
                    rules.closing.add(&record, managed);
                }
                LineKind::Other
                    if rules.crawl_delay.is_none() && record.is_named("crawl-delay") =>
                {
                    rules.crawl_delay = Some(record.value);
                }
                LineKind::Allow
                | LineKind::Disallow
                | LineKind::UserAgent
                | LineKind::ExtensionRule
                | LineKind::Other => {}
            }
        }
        rules
    }

    /// Adds the rules of a later group.
    fn merge(&mut self, later: &Self) {
        steps::count(1);
        self.closing.merge(&later.closing);
        self.opening.merge(&later.opening);
        self.crawl_delay = self.crawl_delay.or(later.crawl_delay);
    }

    fn facts(&self, agent: &'a [u8], agent_raw: &'a [u8]) -> AgentFacts<'a> {
        let Self {
            closing,
            opening,
            crawl_delay,
        } = self;
        let class = match (opening.everything, closing.everything) {
            _ if closing.longest.is_none() => Class::None,
            // RFC 9309 2.2.2: an equally long allow wins.
            (Some(octets), _) if Some(octets) >= closing.longest => Class::None,
            (_, Some(octets)) if opening.longest < Some(octets) => Class::Full,
            (Some(_) | None, Some(_) | None) => Class::Partial,
        };
        let octets = |rules: &OneKind| rules.root.map(|(octets, _)| octets);
        let line_of_root = |rules: &OneKind| rules.root.map(|(_, Reverse(line))| line);
        let root = if octets(opening) >= octets(closing) {
            Verdict::Allow
        } else {
            Verdict::Disallow
        };
        let line = match (root, class) {
            (Verdict::Disallow, _) => line_of_root(closing),
            (Verdict::Allow | Verdict::Unknown, Class::None) => line_of_root(opening),
            (Verdict::Allow | Verdict::Unknown, Class::Partial | Class::Full) => {
                closing.first_that_can_match
            }
        };
        AgentFacts {
            agent,
            agent_raw,
            class,
            root,
            line,
            allow_count: opening.count,
            disallow_count: closing.count,
            crawl_delay: *crawl_delay,
            closed_in_own_text: class == Class::Full && closing.is_own,
            closed_in_vendors_text: class == Class::Full && closing.is_vendors,
        }
    }
}

/// The rules of one kind: their number, the line of the first that can match, the octets of the longest that can match and of
/// the longest that match everything, whether these are the site's own text or a vendor's, and the octets and the line of the
/// longest that match `/`, the first of equally long ones.
#[derive(Default)]
struct OneKind {
    count: u32,
    first_that_can_match: Option<u32>,
    longest: Option<usize>,
    everything: Option<usize>,
    is_own: bool,
    is_vendors: bool,
    root: Option<(usize, Reverse<u32>)>,
}

impl OneKind {
    fn add(&mut self, record: &RobotsRecord<'_>, managed: &[Managed<'_>]) {
        self.count += 1;
        if !can_match(record.value) {
            return;
        }
        let pattern = record.pattern();
        let octets = Some(pattern.octet_count());
        self.longest = self.longest.max(octets);
        self.first_that_can_match.get_or_insert(record.line);
        // Only patterns of these bytes can match everything or `/`; normal patterns keep them unchanged.
        if !record
            .value
            .iter()
            .all(|byte| matches!(byte, b'*' | b'/' | b'$'))
        {
            return;
        }
        if matches_everything(&pattern) {
            self.everything = self.everything.max(octets);
            let is_vendors = vendor_of(managed, record.line).is_some();
            self.is_vendors |= is_vendors;
            self.is_own |= !is_vendors;
        }
        if pattern.matches(&UrlPath::new(b"/", None)) {
            self.root = self
                .root
                .max(Some((pattern.octet_count(), Reverse(record.line))));
        }
    }

    fn merge(&mut self, later: &Self) {
        self.count += later.count;
        self.longest = self.longest.max(later.longest);
        self.everything = self.everything.max(later.everything);
        self.is_own |= later.is_own;
        self.is_vendors |= later.is_vendors;
        self.first_that_can_match = self.first_that_can_match.or(later.first_that_can_match);
        self.root = self.root.max(later.root);
    }
}

/// Every path has one slash, so that `/`, `*`, `/*` and `*/*` match each one.
fn matches_everything(pattern: &PathPattern) -> bool {
    let slashes = memchr::memchr_iter(b'/', pattern.as_bytes()).count();
    slashes < 2
        && pattern
            .as_bytes()
            .iter()
            .all(|byte| matches!(byte, b'*' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts<T>(file: &str, of: impl Fn(&AgentFacts<'_>) -> T) -> Vec<T> {
        let robots = RobotsTxt::parse(file.as_bytes());
        let named = robots.named_groups(crate::web::product_token::TokenMatch::Exact);
        agents(&robots, &named, &[]).iter().map(of).collect()
    }

    fn of(file: &str) -> Vec<(String, &'static str, Verdict)> {
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        facts(file, |facts| {
            (text(facts.agent), facts.class.as_str(), facts.root)
        })
    }

    #[test]
    fn local_what_is_closed_is_closed_by_the_owner_a_vendor_or_both() {
        let file =
            b"User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: b\nUser-agent: c\nDisallow: /*\n\n\
            User-agent: d\nDisallow: /x\n\nUser-agent: a\nDisallow: /y";
        let robots = RobotsTxt::parse(file);
        let named = robots.named_groups(crate::web::product_token::TokenMatch::Exact);
        let how = crate::robots::How::Marked;
        let block = [Managed {
            first_line: 1,
            last_line: 3,
            vendor: "v",
            block: None,
            how,
        }];
        let found = agents(&robots, &named, &block);
        let texts = found
            .iter()
            .map(|it| (it.closed_in_own_text, it.closed_in_vendors_text));
        // a, b, c, d and *
        let expected = [
            (false, true),
            (true, true),
            (true, false),
            (false, false),
            (false, false),
        ];
        assert_eq!(texts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn local_the_line_is_one_on_which_the_class_rests() {
        for (rules, line) in [
            ("", None),
            ("Disallow:", None),
            ("Disallow: /", Some(2)),
            ("Disallow: /a\nDisallow: /\nDisallow: /*", Some(4)),
            ("Disallow: /a\nDisallow: /\nDisallow: /", Some(3)),
            ("Disallow: /a\nDisallow: /b\nAllow: /", Some(2)),
            ("Disallow: /\nAllow: /$", Some(2)),
            ("Disallow: x\nAllow: /\nAllow: /", Some(3)),
            ("Disallow: /$\nDisallow: /a", Some(2)),
            ("Disallow: x\nAllow: /a", None),
        ] {
            let file = format!("User-agent: x\n{rules}\n");
            assert_eq!(facts(&file, |facts| facts.line), [line, None], "{rules}");
        }
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
            let expected = [
                ("x".to_owned(), class, root),
                ("*".to_owned(), "none", Allow),
            ];
            assert_eq!(of(&file), expected, "{rules}");
        }
    }

    #[test]
    fn local_agents_stand_once_each_in_the_order_of_the_file() {
        let file = "User-agent: B\nDisallow: /\nUser-agent: *\nDisallow: /a\n\nUser-agent: b/1.0\nUser-agent: a\nAllow: /x\n";
        let found: Vec<_> = of(file)
            .into_iter()
            .map(|(agent, class, _)| (agent, class))
            .collect();
        let expected = [("b", "partial"), ("*", "partial"), ("a", "none")];
        assert_eq!(
            found,
            expected.map(|(agent, class)| (agent.to_owned(), class))
        );
    }
}
