//! Classes as the Data Provenance Initiative's study counted them ("Consent in Crisis", 2024).
//!
//! Its published rules: an agent is named by the whole value of a user-agent line, without case; lines of
//! user-agents in a row share what follows; a Sitemap line ends their list. Of an agent's values those with a
//! `?` are dropped. Without a Disallow left, or with a single empty one, or with as many Allow and in the
//! same words, nothing is closed; where one is exactly `/` and no Allow is left, all; else some. An agent
//! that is not named has the class of `*`. There is no matching of paths. Example: `Disallow: /*` is some.
//! The versions of its script differ in where a list of agents ends; the decision from an agent's values is the
//! same in all. Left out: its finer classes, which are regular expressions over whole files; white space and
//! letters outside ASCII, which its script strips and compares as Unicode has them.

use super::class::Class;
use super::studies::Names;

/// A file as the study read it.
#[derive(Default)]
pub struct DpiFile<'a> {
    groups: Vec<Values<'a>>,
    pub(super) names: Names<'a, Class>,
    /// The group whose user-agent lines or rules stand here, if any.
    current: Option<usize>,
    in_rules: bool,
}

#[derive(Default)]
struct Values<'a> {
    allow: Vec<&'a [u8]>,
    disallow: Vec<&'a [u8]>,
}

/// What a line is to the study.
enum Line<'a> {
    Agent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay,
    Sitemap,
    Other,
}

impl<'a> Line<'a> {
    fn new(line: &'a [u8]) -> Self {
        let value_of = |name: &str| {
            let start = line.get(..name.len())?;
            let value = line.get(name.len()..)?;
            start.eq_ignore_ascii_case(name.as_bytes()).then(|| value.trim_ascii())
        };
        let line = match line.first().map(u8::to_ascii_lowercase) {
            Some(b'u') => value_of("user-agent:").map(Self::Agent),
            Some(b'a') => value_of("allow:").map(Self::Allow),
            Some(b'd') => value_of("disallow:").map(Self::Disallow),
            Some(b'c') => value_of("crawl-delay:").map(|_| Self::CrawlDelay),
            Some(b's') => value_of("sitemap:").map(|_| Self::Sitemap),
            Some(_) | None => None,
        };
        line.unwrap_or(Self::Other)
    }
}

impl<'a> DpiFile<'a> {
    /// Reads a line without comment and outer white space.
    pub(super) fn add(&mut self, text: &'a [u8]) {
        match Line::new(text) {
            Line::Agent(name) => {
                let group = self.current.filter(|_| !self.in_rules).unwrap_or_else(|| self.begin_group());
                self.names.add(name, group);
                (self.current, self.in_rules) = (Some(group), false);
            }
            Line::Allow(value) => {
                self.in_rules = true;
                self.values(|values| values.allow.push(value));
            }
            Line::Disallow(value) => {
                self.in_rules = true;
                self.values(|values| values.disallow.push(value));
            }
            Line::CrawlDelay => self.in_rules = true,
            Line::Sitemap => self.current = None,
            Line::Other => {}
        }
    }

    fn begin_group(&mut self) -> usize {
        self.groups.push(Values::default());
        self.groups.len() - 1
    }

    fn values(&mut self, add: impl FnOnce(&mut Values<'a>)) {
        if let Some(values) = self.current.and_then(|group| self.groups.get_mut(group)) {
            add(values);
        }
    }

    /// Returns the class of an agent, named in lower case.
    pub fn class(&mut self, agent: &[u8]) -> Class {
        let groups = self.names.groups(agent);
        let values = || groups.iter().filter_map(|group| self.groups.get(*group as usize));
        let class = self.names.known(&groups).unwrap_or_else(|| class(values()));
        self.names.note(groups, class);
        class
    }
}

fn class<'v, 'a: 'v>(groups: impl Iterator<Item = &'v Values<'a>> + Clone) -> Class {
    let is_plain = |value: &&&[u8]| !value.contains(&b'?');
    let allow = || groups.clone().flat_map(|values| &values.allow).filter(is_plain);
    let disallow = || groups.clone().flat_map(|values| &values.disallow).filter(is_plain);
    let mut first = disallow();
    match (first.next(), first.next()) {
        (None, _) | (Some([]), None) => Class::None,
        _ if disallow().eq(allow()) => Class::None,
        _ if allow().next().is_none() && disallow().any(|value| *value == b"/") => Class::Full,
        _ => Class::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::super::studies;
    use super::*;

    #[test]
    fn dpi_published_rules() {
        for (file, agent, expected) in [
            ("User-agent: a\nDisallow: /\n", "a", Class::Full),
            ("User-agent: a\nDisallow: /*\n", "a", Class::Partial),
            ("User-agent: a\nDisallow: /\nAllow: /x\n", "a", Class::Partial),
            ("User-agent: a\nDisallow: /\nAllow: /x?y\n", "a", Class::Full),
            ("User-agent: a\nDisallow: /?x\n", "a", Class::None),
            ("User-agent: a\nDisallow: /b\nAllow: /b\n", "a", Class::None),
            ("User-agent: a\nDisallow:\n", "a", Class::None),
            ("User-agent: a\nUser-agent: b\nDisallow: /\n", "a", Class::Full),
            ("User-agent: a\nSitemap: /s\nDisallow: /\n", "a", Class::None),
            ("User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n", "a", Class::None),
            ("User-agent: *\nDisallow: /\n", "z", Class::Full),
            ("User-agent: A/1.0\nDisallow: /\n", "a", Class::None),
            ("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", "a", Class::None),
        ] {
            let (mut read, _) = studies::read(file.as_bytes());
            assert_eq!(read.class(agent.as_bytes()), expected, "{file}");
        }
    }
}
