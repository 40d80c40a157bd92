//! Which group decides.
//!
//! Document: draft-liao-aipref-autoctl-core-01, "Groups are processed in order of specificity". Example: a
//! group with the page's host and `scope: /` outranks one without host and `scope: /a/b/`.

use super::file::{AutomationFile, Group};
use super::host::HostPattern;
use super::methods::Method;
use crate::systems::{Page, Viewpoint};
use crate::web::path_pattern::{PathPattern, UrlPath};
use crate::web::product_token::AgentName;
use crate::web::shown::shown;

/// A group as it applies to the viewpoint's crawler.
pub(super) struct Rule {
    hosts: Vec<HostPattern>,
    /// Each with its text and line.
    scopes: Vec<(PathPattern, String, u32)>,
    names_agent: bool,
    pub(super) methods: Vec<Method>,
    pub(super) purposes: Vec<String>,
    lines: Vec<u32>,
}

impl Rule {
    /// Returns the rules of the groups that are for the viewpoint's crawler, in the order of the file.
    pub(super) fn all(file: &AutomationFile, viewpoint: &Viewpoint) -> Vec<Self> {
        file.groups().filter_map(|group| Self::of(group, viewpoint)).collect()
    }

    /// "If omitted, the group applies to all user agents"; one that names only others does not apply.
    fn of(group: &Group, viewpoint: &Viewpoint) -> Option<Self> {
        let how = viewpoint.token_match;
        let agents: Vec<AgentName<'_>> = group.agents().map(|name| AgentName::new(name, how)).collect();
        let names_agent = agents.iter().any(|agent| agent.is_token(viewpoint.token.compared(how)));
        if !agents.is_empty() && !names_agent && !agents.contains(&AgentName::Everyone) {
            return None;
        }
        let scope = |(line, pattern): (&super::Line, PathPattern)| {
            (pattern, shown(&line.value).into_owned(), line.number)
        };
        Some(Self {
            hosts: group.hosts().collect(),
            scopes: group.scopes().map(scope).collect(),
            names_agent,
            methods: group.methods(),
            purposes: group.purposes().map(|purpose| shown(purpose).into_owned()).collect(),
            lines: group.lines.iter().map(|line| line.number).collect(),
        })
    }

    /// Returns whether the rule names the page's host; `None` where it is for other hosts.
    fn names_host(&self, host: Option<&str>) -> Option<bool> {
        let matching = |pattern: &&HostPattern| host.is_some_and(|host| pattern.matches(host));
        let mut matching = self.hosts.iter().filter(matching).peekable();
        let applies = self.hosts.is_empty() || matching.peek().is_some();
        applies.then(|| matching.any(HostPattern::is_exact))
    }

    /// Returns the longest scope that matches, as written, with its length.
    fn scope(&self, path: &UrlPath) -> Option<(usize, &str)> {
        let matching = self.scopes.iter().filter(|(pattern, ..)| pattern.matches(path));
        matching.map(|(pattern, text, _)| (pattern.octet_count(), text.as_str())).max_by_key(|scope| scope.0)
    }

    /// Returns the lines of the group.
    pub(super) fn lines(&self) -> &[u32] {
        &self.lines
    }
}

/// Returns the rule that decides for a page, and the scope by which it applies.
///
/// (1) an exact host over a wildcard or none, (2) the longest scope, (3) an exact user agent over `*`,
/// (4) the later in the file. Ours (AMB-AUTO-6): no user agent ranks like `*`.
pub(super) fn decide<'r>(rules: &'r [Rule], page: &Page<'_>) -> Option<(&'r Rule, &'r str)> {
    let path = page.path?;
    let applying = rules.iter().filter_map(|rule| {
        let names_host = rule.names_host(page.host)?;
        let (octets, scope) = rule.scope(path)?;
        Some(((names_host, octets, rule.names_agent), rule, scope))
    });
    // Of equal keys, the last one is the greatest.
    applying.max_by_key(|(key, ..)| *key).map(|(_, rule, scope)| (rule, scope))
}
