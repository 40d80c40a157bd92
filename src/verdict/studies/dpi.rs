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

use super::names::Names;
use crate::verdict::site::Class;

/// A file as the study read it.
#[derive(Default)]
pub struct DpiFile<'a> {
    /// The values of all groups that count, group by group.
    values: Vec<Value<'a>>,
    /// The place of each group's first value.
    starts: Vec<usize>,
    pub(super) names: Names<'a, Class>,
    in_group: bool,
    in_rules: bool,
}

struct Value<'a> {
    text: &'a [u8],
    is_allow: bool,
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
    /// Begins to read a file with at most so many values.
    pub(super) fn with_capacity(most: usize) -> Self {
        Self { values: Vec::with_capacity(most), ..Self::default() }
    }

    /// Reads a line without comment and outer white space.
    pub(super) fn add(&mut self, text: &'a [u8]) {
        match Line::new(text) {
            Line::Agent(name) => {
                if !self.in_group || self.in_rules {
                    self.starts.push(self.values.len());
                }
                self.names.add(name, self.starts.len() - 1);
                (self.in_group, self.in_rules) = (true, false);
            }
            Line::Allow(value) => self.value(value, true),
            Line::Disallow(value) => self.value(value, false),
            Line::CrawlDelay => self.in_rules = true,
            Line::Sitemap => self.in_group = false,
            Line::Other => {}
        }
    }

    fn value(&mut self, text: &'a [u8], is_allow: bool) {
        self.in_rules = true;
        if self.in_group && memchr::memchr(b'?', text).is_none() {
            self.values.push(Value { text, is_allow });
        }
    }

    /// Returns the class of an agent, named in lower case.
    pub fn class(&mut self, agent: &[u8]) -> Class {
        let Self { values, starts, names, .. } = self;
        let of_group = |group: &u32| {
            let at = |group: usize| starts.get(group).copied().unwrap_or(values.len());
            values.get(at(*group as usize)..at(*group as usize + 1)).unwrap_or_default()
        };
        names.class(agent, |groups| class(&groups.iter().flat_map(of_group)))
    }
}

fn class<'v, 'a: 'v>(values: &(impl Iterator<Item = &'v Value<'a>> + Clone)) -> Class {
    let are = |is_allow: bool| {
        values.clone().filter(move |value| value.is_allow == is_allow).map(|value| value.text)
    };
    let mut first = are(false);
    match (first.next(), first.next()) {
        (None, _) | (Some([]), None) => Class::None,
        _ if are(false).eq(are(true)) => Class::None,
        _ if are(true).next().is_none() && are(false).any(|text| text == b"/") => Class::Full,
        _ => Class::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Studies;
    use super::*;
    use crate::robots::RobotsTxt;

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
            let robots = RobotsTxt::parse(file.as_bytes());
            let mut read = Studies::read(&robots).dpi;
            assert_eq!(read.class(agent.as_bytes()), expected, "{file}");
        }
    }
}
