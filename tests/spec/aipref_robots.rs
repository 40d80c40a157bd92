//! A robots.txt reader and a path matcher as plain as can be, to run the vectors of AIPREF whole.
//!
//! Document: RFC 9309 2.2. Left out: odd lines, percent-encoding, byte order marks. The real ones are
//! tested elsewhere.

use crawlprefs::systems::aipref_attach::CONTENT_USAGE;
use crawlprefs::web::preference::Preference;

/// The lines that hold for one crawler.
#[derive(Default)]
pub struct Lines<'a> {
    access: Vec<(Preference, &'a str)>,
    content_usage: Vec<(u32, &'a str, &'a str)>,
}

impl<'a> Lines<'a> {
    /// Selects and merges the groups of a token, else those of `*` (RFC 9309 2.2.1).
    pub fn of(robots_txt: &'a str, token: &str) -> Self {
        let own = |agent: &str| agent.eq_ignore_ascii_case(token);
        if let Some(lines) = Self::merged(robots_txt, own) {
            return lines;
        }
        Self::merged(robots_txt, |agent| agent == "*").unwrap_or_default()
    }

    fn merged(robots_txt: &'a str, is_meant: impl Fn(&str) -> bool) -> Option<Self> {
        let mut lines = Self::default();
        let (mut named, mut in_group, mut after_rule) = (false, false, true);
        for (number, raw) in (1..).zip(robots_txt.split('\n')) {
            let text = raw.split('#').next().unwrap_or_default().trim();
            let Some((name, value)) = text.split_once(':') else {
                continue;
            };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if name == "user-agent" {
                in_group = is_meant(value) || (in_group && !after_rule);
                after_rule = false;
                named |= in_group;
                continue;
            }
            // Content-Usage is a rule, so a user-agent line after it opens a group.
            after_rule |= ["allow", "disallow", CONTENT_USAGE].contains(&name.as_str());
            if !in_group {
                continue;
            }
            match name.as_str() {
                "allow" => lines.access.push((Preference::Allow, value)),
                "disallow" => lines.access.push((Preference::Disallow, value)),
                CONTENT_USAGE => lines.content_usage.push((number, text, value)),
                _ => {}
            }
        }
        named.then_some(lines)
    }

    /// Returns whether the path may be crawled: the longest rule, allow before disallow.
    pub fn crawl(&self, path: &str) -> Preference {
        let matching = self
            .access
            .iter()
            .filter(|(_, rule)| !rule.is_empty() && matches(rule.as_bytes(), path));
        let longest = matching
            .max_by_key(|(preference, rule)| (rule.len(), *preference == Preference::Allow));
        longest.map_or(Preference::Allow, |(preference, _)| *preference)
    }

    pub fn rule_lines(&self) -> Vec<(u32, &'a [u8])> {
        let rules = self.content_usage.iter();
        rules
            .map(|(line, _, value)| (*line, value.as_bytes()))
            .collect()
    }

    pub fn text_of(&self, line: u32) -> &'a str {
        let found = self
            .content_usage
            .iter()
            .find(|(number, ..)| *number == line);
        found.expect("a line of the group").1
    }
}

/// RFC 9309 2.2.3: `*` is any run of octets, a last `$` the end.
fn matches(pattern: &[u8], path: &str) -> bool {
    fn from(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], _) => true,
            ([b'$'], _) => path.is_empty(),
            ([b'*', rest @ ..], _) => (0..=path.len()).any(|at| from(rest, &path[at..])),
            ([first, rest @ ..], [octet, after @ ..]) => first == octet && from(rest, after),
            ([_, ..], []) => false,
        }
    }
    from(pattern, path.as_bytes())
}

/// Returns the path and query of a URL that has a path.
pub fn path_of(url: &str) -> &str {
    let (_, after_scheme) = url.split_once("://").expect("a scheme");
    after_scheme.find('/').map_or("/", |at| &after_scheme[at..])
}
