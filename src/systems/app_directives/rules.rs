//! The App-Directives rules of merged groups, compiled to answer for many paths.
//!
//! Document: draft-nottingham-plan-b (2026-06-13), Applying Application Directives. Example: under
//! `App-Directives: a;x=1;y=2` and `App-Directives: /img/ a;x=3` the page `/img/1` has `x=3` for the
//! application `a`, and no `y`.
//! Left out: lines and groups (`robots_txt`), and whether the path may be crawled: directives make "no
//! statements about the behavior of crawlers", so they are given for closed paths too (ours).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::NAMES;
use super::list::{Directive, Member};
use super::value::DirectiveValue;
use crate::robots::{Kind, Record};
use crate::systems::{Site, Viewpoint};
use crate::web::path_pattern::{PathPattern, UrlPath, longest};

/// Returns whether a record is an App-Directives rule, by either name.
pub(super) fn is_rule(record: &Record<'_>) -> bool {
    record.kind == Kind::ExtensionRule && record.is_any(&NAMES)
}

/// Splits the value of a rule into its path and its list.
///
/// draft-nottingham-plan-b (2026-06-13), The App-Directives robots.txt Extension: `[ path-pattern
/// 1*WS ] app-directives *WS`. A list cannot start with `/`, so what does has a path.
#[must_use]
pub fn split_rule(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !is_blank(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    let value = value.get(start..end).unwrap_or_default();
    if !value.starts_with(b"/") {
        return (None, value);
    }
    let path_end = value.iter().position(is_blank).unwrap_or(value.len());
    let (path, rest) = value.split_at(path_end);
    let list_start = rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len());
    (Some(path), rest.get(list_start..).unwrap_or_default())
}

/// What one member of a list says to the application that it names.
#[derive(Clone, Debug)]
struct Named {
    application: String,
    directives: Vec<(String, DirectiveValue)>,
}

impl Named {
    fn new(member: Member<'_>) -> Option<Self> {
        let owned = |directive: Directive<'_>| (directive.name.to_owned(), directive.value);
        let application = member.application?.to_owned();
        Some(Self { application, directives: member.directives.into_iter().map(owned).collect() })
    }
}

/// A rule, compiled.
#[derive(Clone, Debug)]
pub struct Rule {
    line: u32,
    path: Option<PathPattern>,
    octets: usize,
    named: Vec<Named>,
}

impl Rule {
    /// Ours: a line is parsed alone, so that a broken one spoils no other (RFC 9309 2.3.1.5); it
    /// directs nothing, but its path counts.
    fn compile(record: &Record<'_>) -> Self {
        let (path, list) = split_rule(record.value);
        let path = path.map(PathPattern::new);
        // "counting the number of bytes in the encoded path"; an absent path has none.
        let octets = path.as_ref().map_or(0, PathPattern::octet_count);
        let members = Member::all(list).unwrap_or_default();
        let named = members.into_iter().filter_map(Named::new).collect();
        Self { line: record.line, path, octets, named }
    }

    /// Returns the line in the robots.txt, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns whether the rule names an application.
    ///
    /// Ours: identifiers are compared with case, for tokens keep it and the draft defines no folding.
    #[must_use]
    pub fn names(&self, application: &str) -> bool {
        self.named.iter().any(|named| named.application == application)
    }

    fn matches(&self, path: &UrlPath) -> bool {
        self.path.as_ref().is_none_or(|pattern| pattern.matches(path))
    }
}

/// The App-Directives rules that hold for one crawler.
#[derive(Clone, Debug, Default)]
pub struct AppDirectives {
    /// Longest path first, then by line.
    rules: Vec<Rule>,
}

impl AppDirectives {
    /// Compiles the rules of a site's selected groups.
    #[must_use]
    pub fn compile(site: Option<&Site<'_>>) -> Self {
        let records = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        let mut rules: Vec<Rule> = records.filter(is_rule).map(|record| Rule::compile(&record)).collect();
        rules.sort_by_key(|rule| (Reverse(rule.octets), rule.line));
        Self { rules }
    }

    /// Compiles the rules for an application: those of its own crawler's groups where the viewpoint knows
    /// that crawler.
    #[must_use]
    pub fn compile_for(application: &str, site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Self {
        let (Some(site), Some(crawler)) = (site, viewpoint.applications.crawler(application)) else {
            return Self::compile(site);
        };
        let selection = site.robots.selection(crawler, viewpoint.token_match);
        Self::compile(Some(&Site { robots: site.robots, selection: &selection }))
    }

    /// Returns what is directed for a path.
    ///
    /// "an application MUST use those associated with the longest matching path-pattern", for all
    /// applications the same, even if the rule names none of them. Ours: of equally long paths that
    /// differ, each counts.
    #[must_use]
    pub fn decide(&self, path: &UrlPath) -> Decision<'_> {
        let rules = longest(&self.rules, |rule| rule.matches(path), |rule| rule.octets);
        Decision { rules: rules.collect() }
    }
}

/// What is directed for one path.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// By line.
    rules: Vec<&'a Rule>,
}

/// What is directed to one application.
#[derive(Clone, Debug)]
pub struct Application<'a> {
    /// Its identifier.
    pub name: &'a str,
    /// The names and values of the directives, none of them twice.
    pub directives: Vec<(&'a str, &'a DirectiveValue)>,
}

impl<'a> Decision<'a> {
    /// Returns the rules that decided, by line, whatever they say.
    pub fn rules(&self) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().copied()
    }

    /// Returns the applications in the order in which they are named first.
    ///
    /// The lists of rules with one path are combined as if joined (The App-Directives robots.txt
    /// Extension). Ours: an application that is named more than once has the directives of all its
    /// members, and the last value of each; so RFC 9651 4.2.3.2 has it for one member.
    #[must_use]
    pub fn applications(&self) -> Vec<Application<'a>> {
        let mut merged = Merged::default();
        self.rules().flat_map(|rule| &rule.named).for_each(|named| merged.add(named));
        merged.applications
    }
}

/// Applications, and where they and their directives stand among them.
#[derive(Default)]
struct Merged<'a> {
    applications: Vec<Application<'a>>,
    places: HashMap<&'a str, usize>,
    directive_places: HashMap<(usize, &'a str), usize>,
}

impl<'a> Merged<'a> {
    fn add(&mut self, named: &'a Named) {
        let name = named.application.as_str();
        let place = *self.places.entry(name).or_insert(self.applications.len());
        if place == self.applications.len() {
            self.applications.push(Application { name, directives: Vec::new() });
        }
        let Some(Application { directives, .. }) = self.applications.get_mut(place) else { return };
        for (name, value) in &named.directives {
            match self.directive_places.entry((place, name)) {
                Entry::Vacant(entry) => {
                    entry.insert(directives.len());
                    directives.push((name, value));
                }
                Entry::Occupied(entry) => {
                    if let Some((_, old)) = directives.get_mut(*entry.get()) {
                        *old = value;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_rule;

    #[test]
    fn plan_b_extension_value_has_a_path_if_it_starts_with_a_slash() {
        for (value, expected) in [
            ("a;x=1", (None, "a;x=1")),
            ("a/b;x", (None, "a/b;x")),
            ("*.gif a", (None, "*.gif a")),
            ("/ a", (Some("/"), "a")),
            (" \t/a,b;c\t  d;x,\te ", (Some("/a,b;c"), "d;x,\te")),
            ("/a", (Some("/a"), "")),
            ("", (None, "")),
            (" \t ", (None, "")),
        ] {
            let (path, list) = expected;
            assert_eq!(split_rule(value.as_bytes()), (path.map(str::as_bytes), list.as_bytes()), "{value}");
        }
    }
}
