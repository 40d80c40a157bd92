//! What the table `sites` came to, counted: who is closed, by name or through `*`, and what sites say.

use crate::systems::Label;
use crate::tables::sites::SiteRow;
use crate::verdict::{Resolver, RobotsState};
use crate::web::preference::Preference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of sites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteTally {
    /// Rows of `sites`.
    pub sites: u64,
    /// By the state of robots.txt.
    pub states: BTreeMap<String, u64>,
    /// Sites of which it is known to whom they are closed.
    pub known: u64,
    /// Sites whose robots.txt closes everything to an agent that it names.
    pub closing_by_name: u64,
    /// Sites whose robots.txt closes everything to every agent that it does not name.
    pub closing_to_others: u64,
    /// Sites whose robots.txt closes everything to a token that it names, by token.
    pub closed_by_name: BTreeMap<String, u64>,
    /// Sites whose robots.txt closes everything to a token through `*`, by token.
    pub closed_through_wildcard: BTreeMap<String, u64>,
    /// Sites whose robots.txt closes something, but not everything, by token.
    pub closed_in_part: BTreeMap<String, u64>,
    /// Sites whose files state something in a system, by system.
    pub systems: BTreeMap<String, u64>,
    /// Sites by label and value, where that is a yes or a no.
    pub labels: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Counts of sites, being added to: those of tokens by their places, as most sites close something to most tokens.
pub struct SiteCounts<'r> {
    resolver: &'r Resolver,
    tally: SiteTally,
    tokens: Vec<TokenCounts>,
}

/// How many sites close what to one token.
#[derive(Clone, Default)]
struct TokenCounts {
    by_name: u64,
    through_wildcard: u64,
    in_part: u64,
}

impl<'r> SiteCounts<'r> {
    /// Begins with none.
    pub fn new(resolver: &'r Resolver) -> Self {
        let tokens = vec![TokenCounts::default(); resolver.tokens().len()];
        Self { resolver, tally: SiteTally::default(), tokens }
    }

    /// Counts a row.
    pub fn count_site(&mut self, row: &SiteRow<'_>) {
        let tally = &mut self.tally;
        tally.sites += 1;
        tally.known += u64::from(row.closed.is_some());
        add_one(&mut tally.states, row.current.state.as_str());
        for system in row.systems {
            add_one(&mut tally.systems, system);
        }
        for (label, preference) in Label::ALL.into_iter().zip(row.labels) {
            if preference != Preference::Unknown {
                add_one(tally.labels.entry(label.as_str().to_owned()).or_default(), preference.as_str());
            }
        }
        if row.current.state == RobotsState::Parsed {
            self.count_agents(row);
        }
    }

    fn count_agents(&mut self, row: &SiteRow<'_>) {
        let Some(closed) = row.closed else { return };
        let (mut by_name, mut to_others) = (false, false);
        for place in closed.some.iter() {
            let Some(counts) = self.tokens.get_mut(place as usize) else { continue };
            let (is_full, is_named) = (closed.full.contains(place), closed.named.contains(place));
            let count = match (is_full, is_named) {
                (true, true) => &mut counts.by_name,
                (true, false) => &mut counts.through_wildcard,
                (false, _) => &mut counts.in_part,
            };
            *count += 1;
            by_name |= is_full && is_named;
            to_others |= is_full && !is_named;
        }
        self.tally.closing_by_name += u64::from(by_name);
        self.tally.closing_to_others += u64::from(to_others);
    }

    /// Returns the counts.
    pub fn finish(mut self) -> SiteTally {
        for (token, counts) in self.resolver.tokens().iter().zip(self.tokens) {
            for (tally, count) in [
                (&mut self.tally.closed_by_name, counts.by_name),
                (&mut self.tally.closed_through_wildcard, counts.through_wildcard),
                (&mut self.tally.closed_in_part, counts.in_part),
            ] {
                if count > 0 {
                    *tally.entry(token.as_str().to_owned()).or_default() += count;
                }
            }
        }
        self.tally
    }
}

impl SiteTally {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.sites += other.sites;
        self.known += other.known;
        self.closing_by_name += other.closing_by_name;
        self.closing_to_others += other.closing_to_others;
        for (mine, others) in [
            (&mut self.states, &other.states),
            (&mut self.closed_by_name, &other.closed_by_name),
            (&mut self.closed_through_wildcard, &other.closed_through_wildcard),
            (&mut self.closed_in_part, &other.closed_in_part),
            (&mut self.systems, &other.systems),
        ] {
            add_all(mine, others);
        }
        for (label, counts) in &other.labels {
            add_all(self.labels.entry(label.clone()).or_default(), counts);
        }
    }
}

/// Adds one to the count of a name.
pub fn add_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// Adds other counts to some.
pub fn add_all(mine: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        *mine.entry(name.clone()).or_default() += count;
    }
}
