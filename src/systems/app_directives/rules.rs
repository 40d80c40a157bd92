//! The App-Directives rules of merged groups, compiled to answer for many paths.
//!
//! Document: draft-nottingham-plan-b (2026-06-13), Applying Application Directives. Example: under `App-Directives: a;x=1;y=2`
//! and `App-Directives: /img/ a;x=3` the page `/img/1` has `x=3` for the application `a`, and no `y`.
//! Left out: lines and groups (`robots`), and whether the path may be crawled: directives make "no statements about the
//! behavior of crawlers", so closed paths have them too (ours).

use super::{DirectiveMember, NAMES};
use crate::robots::{LineKind, RobotsRecord};
use crate::systems::path_rules::{PathRule, PathRules, split_path};
use crate::systems::{Site, Viewpoint};
use crate::web::path_pattern::UrlPath;
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn is_rule(record: &RobotsRecord<'_>) -> bool {
    record.kind == LineKind::ExtensionRule && record.is_any(&NAMES)
}

/// Ours: a line is parsed alone (RFC 9309 2.3.1.5); a broken one directs nothing and spoils no other, but its path counts.
fn applications(list: &[u8]) -> Vec<DirectiveMember> {
    let mut members = DirectiveMember::all(list).unwrap_or_default();
    members.retain(|member| member.application.is_some());
    members
}

/// Returns the first `count` applications, each once. Ours: an application that is named more than once has the directives of
/// all its members, and the last value of each, as RFC 9651 4.2.3.2 does for one member.
fn merged<'a>(
    named: impl IntoIterator<Item = &'a DirectiveMember>,
    count: usize,
) -> Vec<DirectiveMember> {
    let mut applications: Vec<DirectiveMember> = Vec::new();
    let (mut places, mut directive_places) = (HashMap::new(), HashMap::new());
    for DirectiveMember {
        application,
        directives,
    } in named
    {
        let new = applications.len();
        let place = *places.entry(application).or_insert(new);
        if place == new && new < count {
            applications.push(DirectiveMember {
                application: application.clone(),
                directives: Vec::new(),
            });
        }
        let Some(held) = applications.get_mut(place) else {
            continue;
        };
        for (name, value) in directives {
            let new = held.directives.len();
            let at = *directive_places
                .entry((place, name.as_str()))
                .or_insert(new);
            match held.directives.get_mut(at) {
                Some((_, old)) => old.clone_from(value),
                None => held.directives.push((name.clone(), value.clone())),
            }
        }
    }
    applications
}

type RuleLine<'a> = (u32, Option<&'a [u8]>, Vec<DirectiveMember>);

#[derive(Clone, Debug)]
pub struct AppDirectives {
    rules: PathRules<Vec<DirectiveMember>>,
    /// The same, with the lists of all rules of one path joined, as the draft does (The App-Directives robots.txt Extension),
    /// so that a page does not pay for each rule.
    joined: PathRules<Vec<DirectiveMember>>,
}

impl AppDirectives {
    pub fn compile(site: Option<&Site<'_>>) -> Self {
        let records = site.into_iter().flat_map(Site::lines);
        let rules = records.filter(is_rule).map(|record| {
            let (path, list) = split_path(record.value);
            (record.line, path, applications(list))
        });
        let rules: Vec<RuleLine<'_>> = rules.collect();
        let (mut lists, mut places) = (Vec::new(), HashMap::new());
        for (line, path, list) in &rules {
            let place = *places.entry(*path).or_insert(lists.len());
            if place == lists.len() {
                lists.push((*line, *path, Vec::new()));
            }
            lists
                .get_mut(place)
                .into_iter()
                .for_each(|(.., all)| all.extend(list));
        }
        let joined = lists
            .into_iter()
            .map(|(line, path, all)| (line, path, merged(all, usize::MAX)));
        let joined = PathRules::new(joined);
        Self {
            rules: PathRules::new(rules),
            joined,
        }
    }

    /// Compiles the rules for an application: those of its own crawler's groups if the viewpoint knows that crawler.
    pub fn compile_for(application: &str, site: Option<&Site<'_>>, viewpoint: &Viewpoint) -> Self {
        let (Some(site), Some(crawler)) = (site, viewpoint.applications.crawler(application))
        else {
            return Self::compile(site);
        };
        let selection = site.robots.selection(crawler, viewpoint.token_match);
        Self::compile(Some(&Site {
            robots: site.robots,
            selection: &selection,
        }))
    }

    /// Returns the first `count` applications that are named for a path, each with all of its directives. "an application MUST
    /// use those associated with the longest matching path-pattern", the same for all applications, even if the rule names none
    /// of them. Ours: of equally long paths that differ, each counts.
    pub fn first_applications(&self, path: &UrlPath, count: usize) -> Cow<'_, [DirectiveMember]> {
        match *self.joined.longest(Some(path)) {
            // With one path, each application is named once.
            [rule] => Cow::Borrowed(rule.stated.get(..count).unwrap_or(&rule.stated)),
            ref rules => Cow::Owned(merged(rules.iter().flat_map(|rule| &rule.stated), count)),
        }
    }

    /// Returns the rules that decide for a path and name an application.
    pub fn naming(
        &self,
        application: &str,
        path: &UrlPath,
    ) -> Vec<&PathRule<Vec<DirectiveMember>>> {
        let mut rules = self.rules.longest(Some(path));
        rules.retain(|rule| {
            rule.stated
                .iter()
                .any(|named| named.application.as_deref() == Some(application))
        });
        rules
    }
}
