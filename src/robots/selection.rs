//! Which groups are for which crawler.
//!
//! Document: RFC 9309 2.2.1. Example: of the groups `a`, `*` and `A`, the crawler `a` obeys the first and the third as one, and
//! every other crawler the second. Left out: the comparison of names, which is in `product_token.rs`.

use super::RobotsTxt;
use super::record::RobotsRecord;
use crate::web::names::names;
use crate::web::product_token::{AgentName, ProductToken, TokenMatch, listed_names};
use crate::web::u32_of;
use std::collections::HashMap;

const EVERYONE: &[u8] = b"*";

// As in the column `access_matched`.
names! {
    /// How groups were found for a crawler.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Matched {
        /// They name it.
        Explicit => "explicit",
        /// They name `*`, and none names the crawler.
        Wildcard => "wildcard",
        /// There are none.
        None => "none",
    }
}

/// The groups that one crawler obeys, merged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    matched: Matched,
    /// In the order of the file.
    groups: Vec<u32>,
    /// The groups whose noes also count (ACCT-5), in the order of the file.
    noes: Vec<u32>,
}

impl Selection {
    /// Makes a selection of groups that name the crawler, in the order of the file.
    pub(super) fn explicit(groups: Vec<u32>) -> Self {
        Self {
            matched: Matched::Explicit,
            groups,
            noes: Vec::new(),
        }
    }

    /// Makes a selection of the groups of `*`, in the order of the file.
    fn of_everyone(groups: Vec<u32>) -> Self {
        let matched = if groups.is_empty() {
            Matched::None
        } else {
            Matched::Wildcard
        };
        Self {
            matched,
            groups,
            noes: Vec::new(),
        }
    }

    /// Returns how the groups were found.
    pub fn matched(&self) -> Matched {
        self.matched
    }

    /// Returns the groups that name the crawler in a list. Of these, only the noes count, beside the other groups (ACCT-5).
    pub fn of_noes(&self) -> Option<Self> {
        (!self.noes.is_empty()).then(|| Self::explicit(self.noes.clone()))
    }

    /// Returns whether a group is selected, for all its rules or only for its noes.
    pub fn has(&self, group: usize) -> bool {
        self.has_whole(group) || self.noes.binary_search(&u32_of(group)).is_ok()
    }

    /// Returns whether a group is selected for all its lines.
    pub(crate) fn has_whole(&self, group: usize) -> bool {
        self.groups.binary_search(&u32_of(group)).is_ok()
    }

    fn with_noes(self, noes: impl Iterator<Item = u32>) -> Self {
        let mut noes: Vec<u32> = noes.filter(|group| !self.groups.contains(group)).collect();
        noes.dedup();
        Self { noes, ..self }
    }

    /// Returns the places of the groups in the file, in order, counted from 0.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = usize> {
        self.groups.iter().map(|index| *index as usize)
    }
}

/// A name in user-agent lines, with its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGroups<'a> {
    /// The name in lower case, as it is compared.
    pub name: Vec<u8>,
    /// Its first spelling in the file.
    pub written: &'a [u8],
    /// The places of its groups, counted from 0.
    pub groups: Vec<u32>,
}

impl<'a> NamedGroups<'a> {
    /// Collects the groups of each name, in the order in which the names come first with their groups and as written.
    fn of(names: impl Iterator<Item = (u32, AgentName<'a>, &'a [u8])>) -> Vec<Self> {
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut all: Vec<Self> = Vec::new();
        for (group, name, written) in names {
            let name = match name {
                AgentName::Everyone => EVERYONE.to_vec(),
                AgentName::Token(token) => token.to_ascii_lowercase(),
                AgentName::Nobody => continue,
            };
            match places.get(&name).and_then(|place| all.get_mut(*place)) {
                Some(known) if known.groups.last() == Some(&group) => {}
                Some(known) => known.groups.push(group),
                None => {
                    places.insert(name.clone(), all.len());
                    all.push(Self {
                        name,
                        written,
                        groups: vec![group],
                    });
                }
            }
        }
        all
    }

    /// Returns its groups as those of a crawler.
    pub fn selection(&self) -> Selection {
        Selection::explicit(self.groups.clone())
    }
}

impl RobotsTxt {
    /// Selects the groups for a crawler (RFC 9309 2.2.1). All groups that name it are merged; if none does, those of `*` apply.
    pub fn selection(&self, token: &ProductToken, how: TokenMatch) -> Selection {
        self.selection_of(AgentName::Token(token.compared(how)), how)
    }

    /// Selects the groups for a name as written in a file, which need not be a product token.
    pub fn selection_of(&self, name: AgentName<'_>, how: TokenMatch) -> Selection {
        let AgentName::Token(token) = name else {
            return self.wildcard_selection(how);
        };
        let may_begin = |agent: &RobotsRecord<'_>| match agent.value.first() {
            Some(first) => {
                *first == b'*'
                    || token
                        .first()
                        .is_some_and(|own| own.eq_ignore_ascii_case(first))
            }
            None => false,
        };
        let (mut own, mut everyone) = (Vec::new(), Vec::new());
        for (group, agent) in self.agent_lines().filter(|(_, agent)| may_begin(agent)) {
            let agent = agent.agent(how);
            if agent.is_token(token) {
                own.push(group);
            } else if agent == AgentName::Everyone {
                everyone.push(group);
            }
        }
        own.dedup();
        everyone.dedup();
        let is_own = !own.is_empty();
        let selection = if is_own {
            Selection::explicit(own)
        } else {
            Selection::of_everyone(everyone)
        };
        selection.with_noes(self.groups_that_list(|name| {
            name.is_token(token) || !is_own && *name == AgentName::Everyone
        }))
    }

    /// Selects the groups for all crawlers that no group names.
    pub fn wildcard_selection(&self, how: TokenMatch) -> Selection {
        let everyone = self
            .agent_lines()
            .filter(|(_, agent)| agent.agent(how) == AgentName::Everyone);
        let mut groups: Vec<u32> = everyone.map(|(group, _)| group).collect();
        groups.dedup();
        let noes = self.groups_that_list(|name| *name == AgentName::Everyone);
        Selection::of_everyone(groups).with_noes(noes)
    }

    /// Returns the groups with a list that contains such a name.
    fn groups_that_list(
        &self,
        is_meant: impl Fn(&AgentName<'_>) -> bool,
    ) -> impl Iterator<Item = u32> {
        self.list_lines()
            .filter(move |(_, agent)| listed_names(agent.value).any(|name| is_meant(&name)))
            .map(|(group, _)| group)
    }

    /// Returns each name in the lists of user-agent lines once, with the groups whose noes bind it (ACCT-5).
    pub fn listed_groups(&self) -> Vec<NamedGroups<'_>> {
        let names = self.list_lines().flat_map(|(group, agent)| {
            listed_names(agent.value).map(move |name| (group, name, agent.value))
        });
        let mut all = NamedGroups::of(names);
        all.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// Returns all records of the selected groups, in the order of the file.
    pub fn records_of<'a>(
        &'a self,
        selection: &'a Selection,
    ) -> impl Iterator<Item = RobotsRecord<'a>> {
        selection
            .groups()
            .filter_map(|index| self.group(index))
            .flat_map(|group| group.records())
    }

    /// Returns each name of the file once, in file order, with its groups; always includes `*`, at the end if no line has it.
    pub fn named_groups(&self, how: TokenMatch) -> Vec<NamedGroups<'_>> {
        let names = self
            .agent_lines()
            .map(|(group, agent)| (group, AgentName::new(agent.value, how), agent.value));
        // `**` without its star names no crawler, and is not everyone.
        let mut all =
            NamedGroups::of(names.filter(|(_, name, _)| *name != AgentName::Token(EVERYONE)));
        if all.iter().all(|named| named.name != EVERYONE) {
            all.push(NamedGroups {
                name: EVERYONE.to_vec(),
                written: EVERYONE,
                groups: Vec::new(),
            });
        }
        all
    }

    /// Returns the user-agent lines with the places of their groups.
    pub(super) fn agent_lines(&self) -> impl Iterator<Item = (u32, RobotsRecord<'_>)> {
        self.lines_at(&self.read.agents)
    }

    /// Returns those of them with lists.
    pub(super) fn list_lines(&self) -> impl Iterator<Item = (u32, RobotsRecord<'_>)> {
        self.lines_at(&self.read.lists)
    }

    fn lines_at<'a>(&'a self, places: &'a [u32]) -> impl Iterator<Item = (u32, RobotsRecord<'a>)> {
        let entries = places
            .iter()
            .filter_map(|at| self.read.entries.get(*at as usize));
        entries.map(|entry| {
            (
                entry.groups_opened.saturating_sub(1),
                entry.record(&self.bytes),
            )
        })
    }
}
