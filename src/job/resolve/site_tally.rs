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

impl SiteTally {
    /// Counts a row.
    pub fn site(&mut self, resolver: &Resolver, row: &SiteRow<'_>) {
        self.sites += 1;
        self.known += u64::from(row.closed.is_some());
        add_one(&mut self.states, row.current.state.as_str());
        for system in row.systems {
            add_one(&mut self.systems, system);
        }
        for label in Label::ALL {
            let preference = row.labels.of(label);
            if preference != Preference::Unknown {
                add_one(self.labels.entry(label.as_str().to_owned()).or_default(), preference.as_str());
            }
        }
        if row.current.state == RobotsState::Parsed {
            self.agents(resolver, row);
        }
    }

    fn agents(&mut self, resolver: &Resolver, row: &SiteRow<'_>) {
        let Some(closed) = row.closed else { return };
        let (mut by_name, mut to_others) = (false, false);
        for place in closed.some.iter() {
            let is_named = closed.named.contains(place);
            let counts = match (closed.full.contains(place), is_named) {
                (true, true) => &mut self.closed_by_name,
                (true, false) => &mut self.closed_through_wildcard,
                (false, _) => &mut self.closed_in_part,
            };
            add_one(counts, resolver.token(place));
            by_name |= closed.full.contains(place) && is_named;
            to_others |= closed.full.contains(place) && !is_named;
        }
        self.closing_by_name += u64::from(by_name);
        self.closing_to_others += u64::from(to_others);
    }

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
