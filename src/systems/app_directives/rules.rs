//! The App-Directives rules of merged groups, compiled to answer for many paths.
//!
//! Document: draft-nottingham-plan-b (2026-06-13), Applying Application Directives. Example: under `App-Directives: a;x=1;y=2`
//! and `App-Directives: /img/ a;x=3` the page `/img/1` has `x=3` for the application `a`, and no `y`.
//! Left out: lines and groups (`robots`), and whether the path may be crawled: directives make "no statements about the
//! behavior of crawlers", so closed paths have them too (ours).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Directive, DirectiveMember, DirectiveValue, NAMES};
use crate::robots::{LineKind, Record};
use crate::systems::path_rules::{PathRule, PathRules, split_path};
use crate::systems::{Site, Viewpoint};
use crate::web::path_pattern::UrlPath;

/// Accepts either name.
pub(super) fn is_rule(record: &Record<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_any(&NAMES)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NamedApplication {
    application: String,
    directives: Vec<(String, DirectiveValue)>,
}

impl NamedApplication {
    fn new(member: DirectiveMember<'_>) -> Option<Self> {
        let owned = |directive: Directive<'_>| (directive.name.to_owned(), directive.value);
        let application = member.application?.to_owned();
        Some(Self { application, directives: member.directives.into_iter().map(owned).collect() })
    }
}

/// The applications that a rule names, with the directives for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedApplications(Vec<NamedApplication>);

impl NamedApplications {
    /// Ours: a line is parsed alone, so that a broken one spoils no other (RFC 9309 2.3.1.5); a broken line directs nothing,
    /// but its path counts.
    fn read(list: &[u8]) -> Self {
        let members = DirectiveMember::all(list).unwrap_or_default();
        Self(members.into_iter().filter_map(NamedApplication::new).collect())
    }

    /// Returns whether an application is among them. Ours: identifiers are compared with case, because tokens keep it and the
    /// draft defines no folding.
    pub fn contains(&self, application: &str) -> bool {
        self.0.iter().any(|named| named.application == application)
    }
}

type RuleLine<'a> = (u32, Option<&'a [u8]>, NamedApplications);

/// Joins the lists of rules with one path, as the draft does, so that a page does not pay for each rule.
fn joined<'a>(lines: &[RuleLine<'a>]) -> Vec<RuleLine<'a>> {
    let mut joined: Vec<(u32, Option<&'a [u8]>, Merged<'_>)> = Vec::new();
    let mut places = HashMap::new();
    for (line, path, list) in lines {
        let place = *places.entry(*path).or_insert(joined.len());
        if place == joined.len() {
            joined.push((*line, *path, Merged { count: usize::MAX, ..Merged::default() }));
        }
        if let Some((.., merged)) = joined.get_mut(place) {
            list.0.iter().for_each(|named| merged.add(named));
        }
    }
    joined.into_iter().map(|(line, path, merged)| (line, path, merged.into_list())).collect()
}

/// The App-Directives rules that hold for one crawler.
#[derive(Clone, Debug, Default)]
pub struct AppDirectives {
    rules: PathRules<NamedApplications>,
    /// The same, with the lists of all rules of one path joined.
    joined: PathRules<NamedApplications>,
}

impl AppDirectives {
    /// Compiles the rules of a site's selected groups.
    pub fn compile(site: Option<&Site<'_>>) -> Self {
        let records = site.into_iter().flat_map(|site| site.robots.records_of(site.selection));
        let rules = records.filter(is_rule).map(|record| {
            let (path, list) = split_path(record.value);
            (record.line, path, NamedApplications::read(list))
        });
        let rules: Vec<RuleLine<'_>> = rules.collect();
        let joined = joined(&rules);
        Self { rules: PathRules::new(rules), joined: PathRules::new(joined) }
    }

    /// Compiles the rules for an application: those of its own crawler's groups if the viewpoint knows that crawler.
    pub fn compile_for(application: &str, site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Self {
        let (Some(site), Some(crawler)) = (site, viewpoint.applications.crawler(application)) else {
            return Self::compile(site);
        };
        let selection = site.robots.selection(crawler, viewpoint.token_match);
        Self::compile(Some(&Site { robots: site.robots, selection: &selection }))
    }

    /// Returns the first `count` applications that are named for a path, each with all of its directives.
    pub fn first_applications(&self, path: &UrlPath, count: usize) -> Vec<Application<'_>> {
        first_applications(&self.joined.longest(Some(path)), count)
    }

    /// Returns the directives for a path. "an application MUST use those associated with the longest matching path-pattern",
    /// the same for all applications, even if the rule names none of them. Ours: of equally long paths that differ, each
    /// counts.
    pub fn decide(&self, path: &UrlPath) -> DirectivesDecision<'_> {
        DirectivesDecision { rules: self.rules.longest(Some(path)), joined: self.joined.longest(Some(path)) }
    }
}

/// The directives for one path.
#[derive(Clone, Debug)]
pub struct DirectivesDecision<'a> {
    /// By first line.
    rules: Vec<&'a PathRule<NamedApplications>>,
    joined: Vec<&'a PathRule<NamedApplications>>,
}

/// The directives for one application.
#[derive(Clone, Debug)]
pub struct Application<'a> {
    /// Its identifier.
    pub name: &'a str,
    /// The names and values of the directives, each name once.
    pub directives: Vec<(&'a str, &'a DirectiveValue)>,
}

impl<'a> DirectivesDecision<'a> {
    /// Returns the rules that decided, by line, whatever they say.
    pub fn rules(&self) -> impl Iterator<Item = &'a PathRule<NamedApplications>> {
        self.rules.iter().copied()
    }

    /// Returns the applications in the order in which they are named first. The lists of rules with one path are combined as if
    /// joined (The App-Directives robots.txt Extension). Ours: an application that is named more than once has the directives
    /// of all its members, and the last value of each, as RFC 9651 4.2.3.2 does for one member.
    pub fn applications(&self) -> Vec<Application<'a>> {
        first_applications(&self.joined, usize::MAX)
    }
}

fn first_applications<'a>(joined: &[&'a PathRule<NamedApplications>], count: usize) -> Vec<Application<'a>> {
    let mut merged = Merged { count, ..Merged::default() };
    // With one path, each application is named once.
    let most = if joined.len() == 1 { count } else { usize::MAX };
    let named = joined.iter().flat_map(|rule| &rule.stated().0);
    named.take(most).for_each(|named| merged.add(named));
    merged.applications
}

/// Applications, with the places of applications and directives.
#[derive(Default)]
struct Merged<'a> {
    /// The maximum number of applications.
    count: usize,
    applications: Vec<Application<'a>>,
    places: HashMap<&'a str, usize>,
    directive_places: HashMap<(usize, &'a str), usize>,
}

impl<'a> Merged<'a> {
    fn into_list(self) -> NamedApplications {
        let named = |one: Application<'a>| {
            let owned = |(name, value): (&str, &DirectiveValue)| (name.to_owned(), value.clone());
            let directives = one.directives.into_iter().map(owned).collect();
            NamedApplication { application: one.name.to_owned(), directives }
        };
        NamedApplications(self.applications.into_iter().map(named).collect())
    }

    fn add(&mut self, named: &'a NamedApplication) {
        let name = named.application.as_str();
        let place = match self.places.get(name) {
            Some(place) => *place,
            None if self.applications.len() >= self.count => return,
            None => {
                self.places.insert(name, self.applications.len());
                self.applications.push(Application { name, directives: Vec::new() });
                self.applications.len() - 1
            }
        };
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
