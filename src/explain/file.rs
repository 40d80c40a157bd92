//! The robots.txt that counts: its lines around a decision, and what would have decided otherwise.
//!
//! Example: line 7, `Disallow: /a/b`, decides; lines 6 and 8 stand beside it; line 3, `Allow: /a`,
//! matches too and is shorter; and the group for `*` would have closed everything.
//! Left out: which rule decides, which `resolve` knows.

use crate::robots::{Group, Kind, Managed, Matched, Record, RobotsTxt, Selection, VendorTexts, vendor_of};
use crate::systems::Viewpoint;
use crate::systems::aipref_attach::CONTENT_USAGE;
use crate::systems::path_rules::split_path;
use crate::web::lines::numbered_lines;
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::shown::shown;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;

/// How many places are told of those that did not decide; a file may have any number.
pub const TOLD: usize = 50;

/// A robots.txt, and the groups in it that hold for the viewpoint.
pub struct File<'f> {
    robots: &'f RobotsTxt,
    selection: Selection,
    managed: Vec<Managed<'f>>,
    lines: Lines<'f>,
}

impl<'f> File<'f> {
    /// Looks at a file from a viewpoint.
    pub fn new(robots: &'f RobotsTxt, viewpoint: &Viewpoint, vendor_texts: &'f VendorTexts) -> Self {
        let selection = robots.selection(&viewpoint.token, viewpoint.token_match);
        let lines = Lines::of(robots.bytes());
        Self { robots, selection, managed: vendor_texts.managed(robots), lines }
    }

    /// Returns the file.
    pub fn robots(&self) -> &'f RobotsTxt {
        self.robots
    }

    /// Returns the groups that hold.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Returns a line with those beside it.
    pub fn around(&self, line: u32) -> Value {
        let beside = line.saturating_sub(1).max(1)..=line.saturating_add(1);
        let lines = beside.filter_map(|number| Some((number, self.lines.get(number)?)));
        let told = lines.map(|(number, text)| {
            let mut told = self.line(number);
            told.insert("text".to_owned(), shown(text).into());
            Value::Object(told)
        });
        told.collect()
    }

    /// Returns a line without comment and outer white space, and in whose text it stands.
    pub fn line(&self, line: u32) -> Map<String, Value> {
        let text = match self.robots.record_on(line) {
            Some(record) => Some(shown(record.text).into_owned()),
            None => self.lines.text(line),
        };
        let mut told = Map::new();
        told.insert("line".to_owned(), line.into());
        told.insert("text".to_owned(), text.into());
        if let Some(vendor) = vendor_of(&self.managed, line) {
            told.insert("managed_by".to_owned(), vendor.into());
        }
        told
    }

    /// Returns the user-agent lines of the group of a line, or of the groups that hold.
    pub fn group(&self, line: Option<u32>) -> Value {
        let own = line.and_then(|line| self.robots.record_on(line)?.group);
        let groups: Vec<Group<'_>> = match own {
            Some(group) => self.robots.group(group).into_iter().collect(),
            None => self.selection.groups().filter_map(|group| self.robots.group(group)).collect(),
        };
        let told = groups.iter().map(|group| {
            let line = group.agents().next().map(|agent| agent.line);
            json!({ "line": line, "agents": group.agents_text() })
        });
        told.collect()
    }

    /// Returns the other rules that match, the one first that would have decided next (RFC 9309 2.2.2),
    /// and how many they are.
    pub fn also(&self, path: &UrlPath, line: Option<u32>) -> (Value, usize) {
        let records = self.robots.records_of(&self.selection);
        let others = records.filter(|record| Some(record.line) != line);
        let mut rules: Vec<(usize, bool, Record<'_>)> = others
            .filter_map(|record| {
                let is_allow = match record.kind {
                    Kind::Allow => true,
                    Kind::Disallow => false,
                    Kind::UserAgent | Kind::ExtensionRule | Kind::Other => return None,
                };
                let octets = matching_octets(&record.pattern(), path)?;
                Some((octets, is_allow, record)).filter(|(octets, ..)| *octets > 0)
            })
            .collect();
        rules.sort_by_key(|(octets, is_allow, record)| (Reverse((*octets, *is_allow)), record.line));
        let told = rules.iter().take(TOLD).map(|(octets, is_allow, record)| {
            let mut rule = self.line(record.line);
            rule.insert("crawl".to_owned(), if *is_allow { "allow" } else { "disallow" }.into());
            rule.insert("octets".to_owned(), (*octets).into());
            Value::Object(rule)
        });
        (told.collect(), rules.len())
    }

    /// Returns the `Content-Usage` rules that match beside those which decide, longest path first.
    pub fn also_usage(&self, path: &UrlPath, deciding: &[u32]) -> Value {
        let records = self.robots.records_of(&self.selection);
        let others =
            records.filter(|record| record.is_named(CONTENT_USAGE) && !deciding.contains(&record.line));
        let mut rules: Vec<(usize, u32)> = others
            .filter_map(|record| match split_path(record.value) {
                (Some(pattern), _) => Some((matching_octets(&PathPattern::new(pattern), path)?, record.line)),
                (None, _) => Some((0, record.line)),
            })
            .collect();
        rules.sort_by_key(|(octets, line)| (Reverse(*octets), *line));
        rules.into_iter().take(TOLD).map(|(_, line)| Value::Object(self.line(line))).collect()
    }

    /// Returns what the groups for everyone say, where groups that name the crawler replace them
    /// (RFC 9309 2.2.1).
    pub fn replaced(&self, path: &UrlPath, viewpoint: &Viewpoint) -> Value {
        let everyone = self.robots.wildcard_selection(viewpoint.token_match);
        if self.selection.matched() != Matched::Explicit || everyone.matched() != Matched::Wildcard {
            return Value::Null;
        }
        let rules = self.robots.rules(&everyone);
        let access = rules.access(path);
        let mut told = access.line.map(|line| self.line(line)).unwrap_or_default();
        told.insert("crawl".to_owned(), access.verdict.as_str().into());
        told.insert("reason".to_owned(), access.reason.as_str().into());
        told.into()
    }

    /// Returns the lines that are a vendor's text.
    pub fn vendors(&self) -> Value {
        let lines = self.managed.iter();
        let told = lines.map(|lines| json!({ "vendor": lines.vendor, "first_line": lines.first_line, "last_line": lines.last_line }));
        told.collect()
    }
}

fn matching_octets(pattern: &PathPattern, path: &UrlPath) -> Option<usize> {
    pattern.matches(path).then(|| pattern.octet_count())
}

/// The lines of a site file, by their numbers.
pub struct Lines<'f>(Vec<&'f [u8]>);

impl<'f> Lines<'f> {
    /// Cuts a file into its lines.
    pub fn of(file: &'f [u8]) -> Self {
        Self(numbered_lines(file).map(|(_, line)| line).collect())
    }

    /// Returns a line, counted from 1.
    fn get(&self, line: u32) -> Option<&'f [u8]> {
        self.0.get(line.checked_sub(1)? as usize).copied()
    }

    /// Returns a line as text, without outer white space.
    pub fn text(&self, line: u32) -> Option<String> {
        Some(shown(self.get(line)?.trim_ascii()).into_owned())
    }
}
