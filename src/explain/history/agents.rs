//! The rules of a robots.txt for each agent that it names, and the changes of the next version.
//!
//! Document: RFC 9309 2.2. Example: a new group for `GPTBot` with `Disallow: /`: what was open to it through `*` is now closed
//! to it by name, by line 2. Rules that moved, were repeated or lost against others change nothing. Left out: differently
//! written patterns that match the same paths; they count as other rules.

use super::rule_numbers::{EVERYTHING, NO_RULES, RuleNumbers};
use super::understood::FirstLostRules;
use super::{CameAndWent, clip, clipped};
use crate::explain::robots_lines::{RobotsLine, RobotsText};
use crate::robots::RobotsTxt;
use crate::verdict::site::{Class, agents};
use crate::verdict::{Resolver, RobotsState};
use crate::web::{product_token::TokenMatch, shown::shown};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The most changes of agents, and names in a list: a file may have any number of them.
const MAX_CHANGES: usize = 20;
const MAX_NAMES: usize = 20;

/// Stands for every agent that no group names.
const EVERYONE: &[u8] = b"*";
const UNKNOWN: &str = "unknown";

/// The access of an agent, with the line that decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentAccess {
    /// How much is closed: `none`, `partial`, `full`; `unknown` if the state of robots.txt is, or if a line that may close
    /// something is not understood.
    pub closed: &'static str,
    /// The basis: `name`, `everyone` (the groups for `*`), or `state` (that of robots.txt).
    pub by: &'static str,
    #[serde(flatten)]
    pub line: Option<RobotsLine>,
}

/// Names of agents; the first are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentNames {
    pub count: usize,
    /// The first names: those of the agents table, then others in the order of the file.
    pub names: Vec<String>,
}

/// The agents that a robots.txt names, by what is closed to them, and everyone else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedAgents {
    pub full: AgentNames,
    pub partial: AgentNames,
    pub none: AgentNames,
    /// Those for which a line may close something that is not understood.
    pub unknown: AgentNames,
    pub everyone: AgentAccess,
}

/// A change that is the same for some agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentChange {
    /// The agents; `*` is everyone that no group names.
    pub agents: AgentNames,
    pub before: AgentAccess,
    pub after: AgentAccess,
    /// The rules that apply to them only now, or only did before.
    #[serde(flatten)]
    pub rules: CameAndWent,
}

struct NamedAgent {
    written: Vec<u8>,
    groups: Vec<u32>,
    view: AgentView,
}

/// The access of agents in one version: by the rules of a file or, without one, by the state of robots.txt.
pub struct AgentsSide<'f> {
    text: Option<&'f RobotsText<'f>>,
    state: RobotsState,
    by_name: HashMap<Vec<u8>, NamedAgent>,
    lost: FirstLostRules,
    /// The names in the order of the file.
    names: Vec<Vec<u8>>,
}

type RobotsPlace<'f> = (&'f RobotsText<'f>, u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AgentView {
    closed: &'static str,
    by: &'static str,
    line: Option<u32>,
    /// The number of the list of its rules, without those that decide nothing.
    rules: Option<u32>,
}

impl<'f> AgentsSide<'f> {
    pub fn from_text(
        text: Option<&'f RobotsText<'f>>,
        state: RobotsState,
        how: TokenMatch,
        numbers: &mut RuleNumbers,
    ) -> Self {
        let (by_name, lost) = (HashMap::new(), FirstLostRules::default());
        let mut side = Self {
            text,
            state,
            by_name,
            lost,
            names: Vec::new(),
        };
        let Some(robots) = side.robots() else {
            return side;
        };
        side.lost = FirstLostRules::find(robots, how);
        let named = robots.named_groups(how);
        let groups = robots.groups().map(|group| {
            group
                .records()
                .filter_map(|rule| numbers.of(&rule))
                .collect()
        });
        let groups: Vec<Vec<u32>> = groups.collect();
        // The rules of thousands of agents in the same groups are merged once.
        let mut merged = HashMap::<&[u32], u32>::new();
        for (name, facts) in named.iter().zip(agents(robots, &named, &[])) {
            let rules = match facts.class {
                Class::None => NO_RULES,
                Class::Full => EVERYTHING,
                Class::Partial => *merged
                    .entry(&name.groups)
                    .or_insert_with(|| numbers.of_groups(&groups, &name.groups)),
            };
            let (closed, line, rules) = (facts.class.as_str(), facts.line, Some(rules));
            let view = AgentView {
                closed,
                by: "name",
                line,
                rules,
            };
            let agent = NamedAgent {
                written: name.written.to_vec(),
                groups: name.groups.clone(),
                view,
            };
            side.by_name.insert(name.name.clone(), agent);
        }
        side.names = named.into_iter().map(|name| name.name).collect();
        side
    }

    fn robots(&self) -> Option<&'f RobotsTxt> {
        Some(self.text?.site().robots)
    }

    /// Returns the rules for a name: those of its own groups, else those for everyone.
    fn named(&self, name: &[u8]) -> Option<(&NamedAgent, &'static str)> {
        let own = self
            .by_name
            .get(name)
            .filter(|_| name != EVERYONE)
            .map(|agent| (agent, "name"));
        own.or_else(|| Some((self.by_name.get(EVERYONE)?, "everyone")))
    }

    /// Returns the numbers of a name's rules with their lines.
    fn rules(&self, name: &[u8], numbers: &mut RuleNumbers) -> Vec<(u32, RobotsPlace<'f>)> {
        let places = self
            .named(name)
            .map(|(agent, _)| agent.groups.as_slice())
            .unwrap_or_default();
        let groups = places
            .iter()
            .filter_map(|place| self.robots()?.group(*place as usize));
        let rules = groups.flat_map(|group| group.records());
        rules
            .filter_map(|record| Some((numbers.of(&record)?, (self.text?, record.line))))
            .collect()
    }

    /// Returns the agents that the file names, by how much is closed to them.
    pub fn named_agents(&self, resolver: &Resolver) -> NamedAgents {
        let of = |closed: &'static str| {
            let names = self.names.iter();
            let names = names
                .filter(|name| name.as_slice() != EVERYONE && self.view(name).closed == closed);
            listed(
                names.map(Vec::as_slice),
                |name| self.written(name, resolver),
                resolver,
            )
        };
        let everyone = self.access(&self.view(EVERYONE));
        let [full, partial, none] =
            [Class::Full, Class::Partial, Class::None].map(|class| of(class.as_str()));
        NamedAgents {
            full,
            partial,
            none,
            unknown: of(UNKNOWN),
            everyone,
        }
    }

    fn view(&self, name: &[u8]) -> AgentView {
        let view = |class: Class, by, rules| {
            let (closed, line, rules) = (class.as_str(), None, Some(rules));
            AgentView {
                closed,
                by,
                line,
                rules,
            }
        };
        match (self.text, self.state) {
            (Some(_), _) => {
                let own = self
                    .named(name)
                    .map(|(agent, by)| AgentView { by, ..agent.view });
                self.unless_lost(
                    name,
                    own.unwrap_or_else(|| view(Class::None, "everyone", NO_RULES)),
                )
            }
            (None, RobotsState::Unavailable) => view(Class::None, "state", NO_RULES),
            (None, RobotsState::Unreachable) => view(Class::Full, "state", EVERYTHING),
            (None, _) => AgentView {
                closed: UNKNOWN,
                by: "state",
                line: None,
                rules: None,
            },
        }
    }

    /// What is open by the rules that are read is unknown if a rule that may close something is not read.
    fn unless_lost(&self, name: &[u8], view: AgentView) -> AgentView {
        let lost = self
            .lost
            .line(if view.by == "name" { name } else { EVERYONE });
        match lost {
            Some(line) if view.closed != Class::Full.as_str() => AgentView {
                closed: UNKNOWN,
                line: Some(line),
                ..view
            },
            _ => view,
        }
    }

    fn access(&self, view: &AgentView) -> AgentAccess {
        let line = view
            .line
            .zip(self.text)
            .map(|(line, text)| clipped(text.line(line)));
        AgentAccess {
            closed: view.closed,
            by: view.by,
            line,
        }
    }

    /// Returns a name as the agents table spells it, else as the file does.
    fn written(&self, name: &[u8], resolver: &Resolver) -> Option<String> {
        let agent = self.by_name.get(name)?;
        let as_written = || clip(shown(&agent.written).into_owned());
        Some(
            resolver
                .spelled(name)
                .map_or_else(as_written, str::to_owned),
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
        let list = if resolver.spelled(name).is_some() {
            &mut known
        } else {
            &mut others
        };
        if list.len() < MAX_NAMES {
            list.extend(written(name));
        }
    }
    known.extend(others);
    known.truncate(MAX_NAMES);
    AgentNames {
        count,
        names: known,
    }
}

/// Returns whether an agent has the same rules, by its own groups as before. It does not matter whether a state or a file gives them.
fn is_same(before: &AgentView, after: &AgentView) -> bool {
    let is_state = before.by == "state" || after.by == "state";
    let is_known = |view: &AgentView| view.closed != UNKNOWN;
    before.rules == after.rules
        && is_known(before) == is_known(after)
        && (is_state || before.by == after.by)
}

/// Returns the second version's changes for agents, everyone first, then those of the agents table; and their total number.
pub fn agent_changes(
    before: &AgentsSide<'_>,
    after: &AgentsSide<'_>,
    resolver: &Resolver,
    numbers: &mut RuleNumbers,
) -> (Vec<AgentChange>, usize) {
    let mut known = HashSet::new();
    let names = after.names.iter().chain(&before.names).map(Vec::as_slice);
    let names = [EVERYONE]
        .into_iter()
        .chain(names)
        .filter(|name| known.insert(*name));
    let (first, others): (Vec<&[u8]>, Vec<&[u8]>) =
        names.partition(|name| *name == EVERYONE || resolver.spelled(name).is_some());
    let mut alike = HashMap::new();
    let mut changes: Vec<(AgentView, AgentView, Vec<&[u8]>)> = Vec::new();
    for name in first.into_iter().chain(others) {
        let views = (before.view(name), after.view(name));
        if is_same(&views.0, &views.1) {
            continue;
        }
        // Everyone is a separate change.
        let place = *alike
            .entry((views, name == EVERYONE))
            .or_insert(changes.len());
        match changes.get_mut(place) {
            Some((.., agents)) => agents.push(name),
            None => changes.push((views.0, views.1, vec![name])),
        }
    }
    let count = changes.len();
    let written = |name: &[u8]| {
        let everyone = (name == EVERYONE).then(|| "*".to_owned());
        everyone
            .or_else(|| after.written(name, resolver))
            .or_else(|| before.written(name, resolver))
    };
    let shown = changes
        .into_iter()
        .take(MAX_CHANGES)
        .map(|(old, new, names)| {
            let representative = names.first().copied().unwrap_or(EVERYONE);
            let rules = [before, after].map(|side| side.rules(representative, numbers));
            let [old_rules, new_rules] = &rules;
            AgentChange {
                agents: listed(names.into_iter(), written, resolver),
                before: before.access(&old),
                after: after.access(&new),
                rules: CameAndWent::between(
                    old_rules,
                    new_rules,
                    |rule| rule.0,
                    |(_, (text, line))| text.line(*line),
                ),
            }
        });
    (shown.collect(), count)
}
