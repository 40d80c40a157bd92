//! The rules of a robots.txt for each agent that it names, and the changes of the next version.
//!
//! Document: RFC 9309 2.2. Example: a new group for `GPTBot` with `Disallow: /`: what was open to it through `*` is now closed
//! to it by name, by line 2. Rules that moved, were repeated or lost against others change nothing. Left out: differently
//! written patterns that match the same paths; they count as other rules.

use super::clipped;
use super::rule_numbers::{EVERYTHING, NO_RULES, RuleNumbers};
use crate::explain::robots_lines::{RobotsLine, RobotsText};
use crate::robots::RobotsTxt;
use crate::verdict::site::{Class, agents};
use crate::verdict::{Resolver, RobotsState};
use crate::web::product_token::TokenMatch;
use crate::web::shown::shown;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The most changes of agents, names in a list, and rules of a change that are listed: a file may have any number of them.
const MAX_CHANGES: usize = 20;
const MAX_NAMES: usize = 20;
const MAX_RULES: usize = 10;

/// Stands for every agent that no group names.
const EVERYONE: &[u8] = b"*";
/// The access of an agent, with the line that decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentAccess {
    /// How much is closed: `none`, `partial`, `full`; `unknown` if the state of robots.txt is.
    pub closed: &'static str,
    /// The basis: `name`, `everyone` (the groups for `*`), or `state` (that of robots.txt).
    pub by: &'static str,
    /// The line on which this rests.
    #[serde(flatten)]
    pub line: Option<RobotsLine>,
}

/// Names of agents; the first are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentNames {
    /// The number of all names.
    pub count: usize,
    /// The first names: those of the agents table, then others in the order of the file.
    pub names: Vec<String>,
}

/// The agents that a robots.txt names, by what is closed to them, and everyone else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedAgents {
    /// The agents to which everything is closed.
    pub full: AgentNames,
    /// The agents to which something is closed.
    pub partial: AgentNames,
    /// The agents to which nothing is closed.
    pub none: AgentNames,
    /// Everyone else.
    pub everyone: AgentAccess,
}

/// A change that is the same for some agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentChange {
    /// The agents; `*` is everyone that no group names.
    pub agents: AgentNames,
    /// Their access before.
    pub before: AgentAccess,
    /// Their access now.
    pub after: AgentAccess,
    /// The rules that apply to them now and did not before.
    pub came: Vec<RobotsLine>,
    /// The number of all these rules.
    pub came_count: usize,
    /// The rules that applied to them before and do not any more.
    pub went: Vec<RobotsLine>,
    /// The number of all these rules.
    pub went_count: usize,
}

/// The rules of a robots.txt for the agents that it names.
pub struct FileAgents<'f> {
    text: &'f RobotsText<'f>,
    by_name: HashMap<Vec<u8>, NamedAgent>,
    names: Vec<Vec<u8>>,
}

struct NamedAgent {
    written: Vec<u8>,
    class: Class,
    line: Option<u32>,
    groups: Vec<u32>,
    /// The number of the list of its rules, without those that decide nothing.
    rules: u32,
}

/// The access of agents in one version.
pub enum AgentsSide<'f> {
    /// By the state of robots.txt.
    State(RobotsState),
    File(FileAgents<'f>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AgentView {
    closed: &'static str,
    by: &'static str,
    line: Option<u32>,
    rules: Option<u32>,
}

impl<'f> FileAgents<'f> {
    /// Reads the rules of a file.
    pub fn of(text: &'f RobotsText<'f>, how: TokenMatch, numbers: &mut RuleNumbers) -> Self {
        let robots = text.site().robots;
        let named = robots.named_groups(how);
        let groups: Vec<Vec<u32>> = robots.groups().map(|group| numbers.of_group(&group)).collect();
        // The rules of thousands of agents in the same groups are merged once.
        let mut merged = HashMap::<&[u32], u32>::new();
        let mut by_name = HashMap::new();
        for (name, facts) in named.iter().zip(agents(robots, &named, &[])) {
            let rules = match facts.rules.class {
                Class::None => NO_RULES,
                Class::Full => EVERYTHING,
                Class::Partial => {
                    *merged.entry(&name.groups).or_insert_with(|| numbers.of_groups(&groups, &name.groups))
                }
            };
            let (class, line, groups) = (facts.rules.class, facts.rules.line, name.groups.clone());
            let written = name.written.to_vec();
            by_name.insert(name.name.clone(), NamedAgent { written, class, line, groups, rules });
        }
        Self { text, by_name, names: named.into_iter().map(|name| name.name).collect() }
    }

    fn robots(&self) -> &'f RobotsTxt {
        self.text.site().robots
    }

    /// Returns the rules for a name: those of its own groups, else those for everyone.
    fn named(&self, name: &[u8]) -> Option<(&NamedAgent, &'static str)> {
        let own =
            self.by_name.get(name).map(|agent| (agent, if name == EVERYONE { "everyone" } else { "name" }));
        own.or_else(|| self.by_name.get(EVERYONE).map(|agent| (agent, "everyone")))
    }

    /// Returns the rules of a name with their lines; of equal rules, the first.
    fn rules(&self, name: &[u8], numbers: &mut RuleNumbers) -> Vec<(u32, u32)> {
        let mut known = HashSet::new();
        let places = self.named(name).map(|(agent, _)| agent.groups.as_slice()).unwrap_or_default();
        let groups = places.iter().filter_map(|place| self.robots().group(*place as usize));
        let rules = groups.flat_map(|group| group.records());
        let rules = rules.filter_map(|record| Some((numbers.of(&record)?, record.line)));
        rules.filter(|(number, _)| known.insert(*number)).collect()
    }

    /// Returns the agents that the file names, by how much is closed to them.
    pub fn named_agents(&self, resolver: &Resolver) -> NamedAgents {
        let of = |class: Class| {
            let names = self.names.iter().filter(|name| {
                name.as_slice() != EVERYONE
                    && self.by_name.get(*name).is_some_and(|agent| agent.class == class)
            });
            listed(names.map(Vec::as_slice), |name| self.written(name, resolver), resolver)
        };
        let everyone = self.view(EVERYONE);
        NamedAgents {
            full: of(Class::Full),
            partial: of(Class::Partial),
            none: of(Class::None),
            everyone: self.access(&everyone),
        }
    }

    fn view(&self, name: &[u8]) -> AgentView {
        match self.named(name) {
            Some((agent, by)) => {
                AgentView { closed: agent.class.as_str(), by, line: agent.line, rules: Some(agent.rules) }
            }
            None => {
                AgentView { closed: Class::None.as_str(), by: "everyone", line: None, rules: Some(NO_RULES) }
            }
        }
    }

    fn access(&self, view: &AgentView) -> AgentAccess {
        let line = view.line.map(|line| clipped(self.text.line(line)));
        AgentAccess { closed: view.closed, by: view.by, line }
    }

    /// Returns a name as the agents table spells it, else as the file does.
    fn written(&self, name: &[u8], resolver: &Resolver) -> Option<String> {
        let agent = self.by_name.get(name)?;
        Some(
            resolver
                .spelled(name)
                .map_or_else(|| super::clip(shown(&agent.written).into_owned()), str::to_owned),
        )
    }
}

/// Returns the first names as they are written, those of the agents table before others.
fn listed<'n>(
    names: impl Iterator<Item = &'n [u8]>,
    written: impl Fn(&[u8]) -> Option<String>,
    resolver: &Resolver,
) -> AgentNames {
    let (mut count, mut known, mut others) = (0, Vec::new(), Vec::new());
    for name in names {
        count += 1;
        let list = if resolver.spelled(name).is_some() { &mut known } else { &mut others };
        if list.len() < MAX_NAMES {
            list.extend(written(name));
        }
    }
    known.extend(others);
    known.truncate(MAX_NAMES);
    AgentNames { count, names: known }
}

impl<'f> AgentsSide<'f> {
    /// Takes a file or, without one, the state.
    pub fn of(
        text: Option<&'f RobotsText<'f>>,
        state: RobotsState,
        how: TokenMatch,
        numbers: &mut RuleNumbers,
    ) -> Self {
        match text {
            Some(text) => Self::File(FileAgents::of(text, how, numbers)),
            None => Self::State(state),
        }
    }

    fn view(&self, name: &[u8]) -> AgentView {
        let of_state = |closed: &'static str, rules| AgentView { closed, by: "state", line: None, rules };
        match self {
            Self::File(file) => file.view(name),
            Self::State(RobotsState::Unavailable) => of_state(Class::None.as_str(), Some(NO_RULES)),
            Self::State(RobotsState::Unreachable) => of_state(Class::Full.as_str(), Some(EVERYTHING)),
            Self::State(_) => of_state("unknown", None),
        }
    }

    fn access(&self, view: &AgentView) -> AgentAccess {
        match self {
            Self::File(file) => file.access(view),
            Self::State(_) => AgentAccess { closed: view.closed, by: view.by, line: None },
        }
    }

    fn file(&self) -> Option<&FileAgents<'f>> {
        match self {
            Self::File(file) => Some(file),
            Self::State(_) => None,
        }
    }

    fn written(&self, name: &[u8], resolver: &Resolver) -> Option<String> {
        self.file()?.written(name, resolver)
    }
}

/// Returns whether an agent has the same rules, by its own groups as before; whether a state or a file gives them is no change.
fn is_same(before: &AgentView, after: &AgentView) -> bool {
    let is_state = before.by == "state" || after.by == "state";
    before.rules == after.rules && (is_state || before.by == after.by)
}

/// Returns the second version's changes for agents, everyone first, then those of the agents table; and their total number.
pub fn agent_changes(
    before: &AgentsSide<'_>,
    after: &AgentsSide<'_>,
    resolver: &Resolver,
    numbers: &mut RuleNumbers,
) -> (Vec<AgentChange>, usize) {
    let everyone = [EVERYONE.to_vec()];
    let names_of = |side: &AgentsSide<'_>| side.file().map(|file| file.names.clone()).unwrap_or_default();
    let (new, old) = (names_of(after), names_of(before));
    let mut known = HashSet::new();
    let names = everyone.iter().chain(&new).chain(&old).filter(|name| known.insert(name.as_slice()));
    let (first, others): (Vec<&Vec<u8>>, Vec<&Vec<u8>>) =
        names.partition(|name| name.as_slice() == EVERYONE || resolver.spelled(name).is_some());
    let mut alike = HashMap::new();
    let mut changes: Vec<(AgentView, AgentView, Vec<&[u8]>)> = Vec::new();
    for name in first.into_iter().chain(others) {
        let views = (before.view(name), after.view(name));
        if is_same(&views.0, &views.1) {
            continue;
        }
        // Everyone is a separate change.
        let place = *alike.entry((views, name.as_slice() == EVERYONE)).or_insert(changes.len());
        match changes.get_mut(place) {
            Some((.., agents)) => agents.push(name),
            None => changes.push((views.0, views.1, vec![name])),
        }
    }
    let count = changes.len();
    let written = |name: &[u8]| {
        let everyone = (name == EVERYONE).then(|| "*".to_owned());
        everyone.or_else(|| after.written(name, resolver)).or_else(|| before.written(name, resolver))
    };
    let shown = changes.into_iter().take(MAX_CHANGES).map(|(old, new, names)| {
        let representative = names.first().copied().unwrap_or(EVERYONE);
        let [(went, went_count), (came, came_count)] = rule_changes(before, after, representative, numbers);
        AgentChange {
            agents: listed(names.into_iter(), written, resolver),
            before: before.access(&old),
            after: after.access(&new),
            came,
            came_count,
            went,
            went_count,
        }
    });
    (shown.collect(), count)
}

/// Returns the rules of a name that only the first version has, and those that only the second has.
fn rule_changes(
    before: &AgentsSide<'_>,
    after: &AgentsSide<'_>,
    name: &[u8],
    numbers: &mut RuleNumbers,
) -> [(Vec<RobotsLine>, usize); 2] {
    let mut of =
        |side: &AgentsSide<'_>| side.file().map(|file| file.rules(name, numbers)).unwrap_or_default();
    let (old, new) = (of(before), of(after));
    let without = |side: &AgentsSide<'_>, rules: &[(u32, u32)], others: &[(u32, u32)]| {
        let others: HashSet<u32> = others.iter().map(|(number, _)| *number).collect();
        let own = rules.iter().filter(|(number, _)| !others.contains(number));
        let lines: Vec<u32> = own.map(|(_, line)| *line).collect();
        let shown = lines.iter().take(MAX_RULES);
        let shown = shown.filter_map(|line| Some(clipped(side.file()?.text.line(*line))));
        (shown.collect(), lines.len())
    };
    [without(before, &old, &new), without(after, &new, &old)]
}
