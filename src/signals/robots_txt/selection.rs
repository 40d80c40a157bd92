//! Which groups are for which crawler.
//!
//! Document: RFC 9309 2.2.1. Example: of the groups `a`, `*` and `A`, the crawler
//! `a` obeys the first and the third as one, and every other crawler the second.
//! Left out: comparing names, which is in `product_token.rs`.

use super::record::{Kind, Record};
use super::{Fault, RobotsTxt};
use crate::web::product_token::{AgentName, ProductToken, TokenMatch};
use std::collections::BTreeMap;

/// The name that is everyone's.
const EVERYONE: &[u8] = b"*";

/// How groups were found for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matched {
    /// They name it.
    Explicit,
    /// They name `*`, and none names the crawler.
    Wildcard,
    /// There are none.
    None,
}

impl Matched {
    /// Returns the word that the column `access_matched` holds.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Wildcard => "wildcard",
            Self::None => "none",
        }
    }
}

/// The groups that one crawler obeys, merged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    matched: Matched,
    groups: Vec<u32>,
}

impl Selection {
    /// Makes a selection of groups that name the crawler, in the order of the file.
    pub(super) fn explicit(groups: Vec<u32>) -> Self {
        Self { matched: Matched::Explicit, groups }
    }

    /// Tells how the groups were found.
    #[must_use]
    pub fn matched(&self) -> Matched {
        self.matched
    }

    /// Returns the places of the groups in the file, in order, counted from 0.
    #[must_use]
    pub fn groups(&self) -> impl ExactSizeIterator<Item = usize> {
        self.groups.iter().map(|index| *index as usize)
    }
}

/// The ways to compare names.
const HOWS: [TokenMatch; 2] = [TokenMatch::Exact, TokenMatch::Prefix];

/// Returns a name compared whole and cut, where these differ.
fn cut_name(value: &[u8]) -> Option<[&[u8]; 2]> {
    let names = HOWS.map(|how| match AgentName::new(value, how) {
        AgentName::Token(EVERYONE) | AgentName::Nobody => &[],
        AgentName::Token(name) => name,
        AgentName::Everyone => EVERYONE,
    });
    (names[0] != names[1]).then_some(names)
}

/// A name of user-agent lines, with its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGroups<'a> {
    /// The name in lower case, as it is compared.
    pub name: Vec<u8>,
    /// How it is first written.
    pub written: &'a [u8],
    /// The places of its groups, from 0.
    pub groups: Vec<u32>,
}

impl RobotsTxt {
    /// Selects the groups for a crawler (RFC 9309 2.2.1).
    ///
    /// All groups that name it are merged; only if none does, those of `*` apply.
    #[must_use]
    pub fn selection(&self, token: &ProductToken, how: TokenMatch) -> Selection {
        self.selection_of(AgentName::Token(token.compared(how)), how)
    }

    /// Selects the groups for a name as it stands in a file, which need not be a product token.
    #[must_use]
    pub fn selection_of(&self, name: AgentName<'_>, how: TokenMatch) -> Selection {
        let own = match name {
            AgentName::Token(name) => self.groups_where(|agent| agent.agent(how).is_token(name)),
            AgentName::Everyone | AgentName::Nobody => Vec::new(),
        };
        if own.is_empty() { self.wildcard_selection(how) } else { Selection::explicit(own) }
    }

    /// Selects the groups for all crawlers that are named nowhere.
    #[must_use]
    pub fn wildcard_selection(&self, how: TokenMatch) -> Selection {
        let groups = self.groups_where(|agent| agent.agent(how) == AgentName::Everyone);
        let matched = if groups.is_empty() { Matched::None } else { Matched::Wildcard };
        Selection { matched, groups }
    }

    /// Returns all records of the selected groups, in the order of the file.
    pub fn records_of<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = Record<'a>> {
        selection.groups().filter_map(|index| self.group(index)).flat_map(|group| group.records())
    }

    /// Returns each name of the file once, in its order, with its groups; everyone's name is always there, at
    /// the end where no line has it.
    #[must_use]
    pub fn named_groups(&self, how: TokenMatch) -> Vec<NamedGroups<'_>> {
        let mut places: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let mut all: Vec<NamedGroups<'_>> = Vec::new();
        for (group, agent) in self.agent_lines() {
            let name = match agent.agent(how) {
                AgentName::Everyone => EVERYONE.to_vec(),
                // `**` less its star names no crawler, and not everyone.
                AgentName::Token(EVERYONE) | AgentName::Nobody => continue,
                AgentName::Token(token) => token.to_ascii_lowercase(),
            };
            match places.get(&name).and_then(|place| all.get_mut(*place)) {
                Some(known) if known.groups.last() == Some(&group) => {}
                Some(known) => known.groups.push(group),
                None => {
                    places.insert(name.clone(), all.len());
                    all.push(NamedGroups { name, written: agent.value, groups: vec![group] });
                }
            }
        }
        if !places.contains_key(EVERYONE) {
            all.push(NamedGroups { name: EVERYONE.to_vec(), written: EVERYONE, groups: Vec::new() });
        }
        all
    }

    /// Tells whether the two ways to compare names select other groups for one of the tokens; `cut` are those
    /// that are cut when they are compared by prefix.
    #[must_use]
    pub fn depends_on_token_match(&self, tokens: &[ProductToken], cut: &[ProductToken]) -> bool {
        // Names that are product tokens stay whole both ways: only tokens that are cut, and those that are
        // another name's whole or beginning, may find other groups.
        let odd: Vec<[&[u8]; 2]> = if self.has(Fault::AgentNoToken) {
            self.agent_lines().filter_map(|(_, agent)| cut_name(agent.value)).collect()
        } else {
            Vec::new()
        };
        // `*/1.0` is everyone's name whole, and nobody's when it is cut: that concerns all tokens.
        let everyone_is_odd = odd.iter().any(|names| names.contains(&EVERYONE));
        let is_odd = |token: &&ProductToken| {
            let [exact, prefix] = HOWS.map(|how| token.compared(how));
            let is_named = |[whole, cut]: &[&[u8]; 2]| {
                whole.eq_ignore_ascii_case(exact) || cut.eq_ignore_ascii_case(prefix)
            };
            everyone_is_odd || odd.iter().any(is_named)
        };
        let is_cut_name = |name: &[u8]| {
            let is_it = |token: &ProductToken| token.compared(TokenMatch::Prefix).eq_ignore_ascii_case(name);
            !name.is_empty() && cut.iter().any(is_it)
        };
        let finds = !cut.is_empty() && self.agent_lines().any(|(_, agent)| is_cut_name(agent.value));
        if odd.is_empty() && !finds {
            return false;
        }
        let mut in_doubt = tokens.iter().filter(is_odd).chain(cut.iter().filter(|_| finds)).peekable();
        if in_doubt.peek().is_none() {
            return false;
        }
        let [exact, prefix] = HOWS.map(|how| -> BTreeMap<Vec<u8>, Vec<u32>> {
            self.named_groups(how).into_iter().map(|named| (named.name, named.groups)).collect()
        });
        in_doubt.any(|token| {
            let own = exact.get(token.compared(TokenMatch::Exact)).or_else(|| exact.get(EVERYONE));
            let cut = prefix.get(token.compared(TokenMatch::Prefix)).or_else(|| prefix.get(EVERYONE));
            own != cut
        })
    }

    fn groups_where(&self, is_meant: impl Fn(&Record<'_>) -> bool) -> Vec<u32> {
        let meant = self.agent_lines().filter(|(_, agent)| is_meant(agent));
        let mut groups: Vec<u32> = meant.map(|(group, _)| group).collect();
        groups.dedup();
        groups
    }

    /// Returns the user-agent lines with the places of their groups.
    pub(super) fn agent_lines(&self) -> impl Iterator<Item = (u32, Record<'_>)> {
        let agents = self.entries.iter().filter(|entry| entry.kind == Kind::UserAgent);
        agents.map(|entry| (entry.groups_opened.saturating_sub(1), entry.record(&self.bytes)))
    }
}
