//! Which group decides.
//!
//! Document: draft-liao-aipref-autoctl-core-01, "Groups are processed in order of specificity". Example: a group with the
//! page's host and `scope: /` outranks one without host and `scope: /a/b/`.

use super::cut::Directive;
use super::file::{AutomationFile, AutomationGroup};
use super::scope::{Authority, HostPattern};
use crate::systems::{Page, Viewpoint};
use crate::web::pattern_index::PatternIndex;
use crate::web::product_token::AgentName;
use crate::web::shown::shown;
use crate::web::u32_of;
use crate::web::url::Scheme;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many hosts are remembered with their groups; any number of this size.
const HOSTS: usize = 64;

/// A group as it applies to the viewpoint's crawler.
#[derive(Debug)]
pub struct AutomationRule {
    hosts: Vec<HostPattern>,
    names_agent: bool,
    /// The methods that it allows, by name: "Methods that are not listed are assumed to be disallowed".
    pub methods: Vec<&'static str>,
    pub purposes: Vec<String>,
    pub lines: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForHost {
    No,
    Yes,
    ByName,
}

impl AutomationRule {
    /// "If omitted, the group applies to all user agents"; a group that names only others does not apply.
    fn of(group: &AutomationGroup, viewpoint: &Viewpoint) -> Option<Self> {
        let how = viewpoint.token_match;
        let agents = group
            .members_of(Directive::UserAgent)
            .map(|name| AgentName::new(name, how));
        let agents: Vec<AgentName<'_>> = agents.collect();
        let names_agent = agents
            .iter()
            .any(|agent| agent.is_token(viewpoint.token.compared(how)));
        if !agents.is_empty() && !names_agent && !agents.contains(&AgentName::Everyone) {
            return None;
        }
        let purposes = group.members_of(Directive::AllowedPurposes);
        Some(Self {
            hosts: group.hosts(),
            names_agent,
            methods: group.methods(),
            purposes: purposes
                .map(|purpose| shown(purpose).into_owned())
                .collect(),
            lines: group.lines.iter().map(|line| line.number).collect(),
        })
    }

    fn for_host(&self, host: Option<&str>) -> ForHost {
        let matching = |pattern: &&HostPattern| host.is_some_and(|host| pattern.matches(host));
        let mut matching = self.hosts.iter().filter(matching).peekable();
        let applies = self.hosts.is_empty() || matching.peek().is_some();
        match (applies, matching.any(HostPattern::is_exact)) {
            (false, _) => ForHost::No,
            (true, false) => ForHost::Yes,
            (true, true) => ForHost::ByName,
        }
    }
}

/// The groups for the viewpoint's crawler, in the order of the file.
pub struct AutomationPolicy {
    by_number: Vec<AutomationRule>,
    scopes: Vec<RuleScope>,
    index: PatternIndex,
    /// Per origin, how each scope applies; only if some rule or scope names hosts. Pages come host by host.
    for_hosts: Option<Mutex<HashMap<ScopeHost, Arc<[ForHost]>>>>,
}

struct RuleScope {
    rule: u32,
    text: String,
    authority: Option<Authority>,
}

type ScopeHost = (Option<Scheme>, String);

impl AutomationPolicy {
    pub fn new(file: &AutomationFile, viewpoint: &Viewpoint) -> Self {
        let (mut rules, mut scopes, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
        for group in file.groups() {
            let Some(rule) = AutomationRule::of(group, viewpoint) else {
                continue;
            };
            let number = u32_of(rules.len());
            for (line, scope) in group.scopes() {
                let pattern = scope.pattern();
                // (2) the longest scope, (3) an exact user agent, (4) the later in the file.
                let rank = (pattern.octet_count() as u64) << 33 | u64::from(rule.names_agent) << 32;
                patterns.push((pattern, rank | u64::from(number)));
                let text = shown(&line.value).into_owned();
                scopes.push(RuleScope {
                    rule: number,
                    text,
                    authority: scope.authority,
                });
            }
            rules.push(rule);
        }
        let index = PatternIndex::new(
            patterns
                .iter()
                .map(|(pattern, rank)| (pattern.as_bytes(), *rank)),
        );
        let has_hosts = rules.iter().any(|rule| !rule.hosts.is_empty())
            || scopes.iter().any(|scope| scope.authority.is_some());
        Self {
            by_number: rules,
            scopes,
            index,
            for_hosts: has_hosts.then(Mutex::default),
        }
    }

    /// Returns the rule that decides for a page, and the scope by which it applies. (1) an exact host over a wildcard or none,
    /// then by rank. Ours (AMB-AUTO-6): no user agent ranks like `*`. `None` if no group applies, so that nothing is said.
    pub fn decide(&self, page: &Page<'_>) -> Option<(&AutomationRule, &str)> {
        let path = page.path?;
        let for_host = self.for_host(page);
        let is_for = |scope: u32| match &for_host {
            Some(scopes) => scopes.get(scope as usize).copied().unwrap_or(ForHost::No),
            None => ForHost::Yes,
        };
        // Of equally long scopes of one rule, the last one is named.
        let best = |counts: fn(ForHost) -> bool| {
            self.index
                .best_of(path, &|scope| counts(is_for(scope)))
                .numbers()
                .max()
        };
        let named = for_host
            .as_ref()
            .and_then(|_| best(|one| one == ForHost::ByName));
        let scope = self
            .scopes
            .get(named.or_else(|| best(|one| one != ForHost::No))? as usize)?;
        Some((self.by_number.get(scope.rule as usize)?, &scope.text))
    }

    /// Returns how each scope applies to a page's host; `None` if nothing names hosts.
    fn for_host(&self, page: &Page<'_>) -> Option<Arc<[ForHost]>> {
        let known = self.for_hosts.as_ref()?;
        let site: ScopeHost = (page.scheme, page.host.unwrap_or_default().to_owned());
        if let Some(scopes) = known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&site)
        {
            return Some(Arc::clone(scopes));
        }
        let rules: Vec<ForHost> = self
            .by_number
            .iter()
            .map(|rule| rule.for_host(page.host))
            .collect();
        let of_rule = |scope: &RuleScope| {
            rules
                .get(scope.rule as usize)
                .copied()
                .unwrap_or(ForHost::No)
        };
        let scopes: Arc<[ForHost]> = self
            .scopes
            .iter()
            .map(|scope| scope.for_page(of_rule(scope), page))
            .collect();
        let mut hosts = known.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= HOSTS {
            hosts.clear();
        }
        hosts.insert(site, Arc::clone(&scopes));
        Some(scopes)
    }
}

impl RuleScope {
    /// AMB-AUTO-7: a scope with an authority is only for its host, by name like a `host` line.
    fn for_page(&self, of_rule: ForHost, page: &Page<'_>) -> ForHost {
        match (of_rule, &self.authority) {
            (ForHost::No, _) => ForHost::No,
            (_, Some(authority)) if !authority.matches(page) => ForHost::No,
            (_, Some(authority)) if authority.host.is_exact() => ForHost::ByName,
            (of_rule, _) => of_rule,
        }
    }
}
