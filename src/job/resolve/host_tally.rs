//! Counts of the hosts of a crawl: how robots.txt answered, to whom it closes everything, what its files state.
//!
//! The definitions are those of the view `hosts` of queries/views.sql. Shares are of the hosts that answer: with a robots.txt
//! that is read to its end, or 4xx. A 5xx says nothing of what its owner wants. Left out: which rows are one host (`hosts`).

use crate::runs::{add_one, add_some};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of the hosts of one crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostTally {
    /// Hosts.
    pub hosts: u64,
    /// By the state of robots.txt.
    pub states: BTreeMap<String, u64>,
    /// Hosts that answer: robots.txt was read to its end, or does not exist (4xx).
    pub answering: u64,
    /// Hosts that close everything to an agent that they name.
    pub closing_by_name: u64,
    /// Hosts that close everything to every agent that they do not name.
    pub closing_to_others: u64,
    /// Hosts that close everything to a token that they name, by token.
    pub closed_by_name: BTreeMap<String, u64>,
    /// Hosts that close everything to a token through `*`, by token.
    pub closed_through_wildcard: BTreeMap<String, u64>,
    /// Hosts that close something, but not everything, by token.
    pub closed_in_part: BTreeMap<String, u64>,
    /// Answering hosts whose files state something in a system, by system.
    pub systems: BTreeMap<String, u64>,
    /// Hosts by label of `/` and value, if that is a yes or a no.
    pub labels: BTreeMap<String, BTreeMap<String, u64>>,
    /// When robots.txt was fetched, in seconds since 1970: first, median to the hour, last.
    pub robots_fetched: Option<[i64; 3]>,
    #[serde(skip)]
    hours: BTreeMap<i64, u64>,
}

/// What one host says.
#[derive(Clone, Debug, Default)]
pub struct CountedHost<'h> {
    /// The state of its robots.txt.
    pub state: &'h str,
    /// When that was fetched, in microseconds since 1970.
    pub fetched_micros: Option<i64>,
    pub is_answering: bool,
    /// The systems in which its files state something.
    pub systems: Vec<&'h str>,
    /// Its labels and their values.
    pub labels: Vec<(&'static str, &'h str)>,
}

/// How much a host closes to a token, and by which group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Everything, in a group for it.
    ByName,
    /// Everything, in the group for all.
    ThroughWildcard,
    /// Something.
    InPart,
}

impl HostTally {
    /// Counts a host.
    pub fn count(&mut self, host: &CountedHost<'_>) {
        self.hosts += 1;
        add_one(&mut self.states, host.state);
        if let Some(micros) = host.fetched_micros {
            let second = micros.div_euclid(1_000_000);
            *self.hours.entry(second.div_euclid(3600)).or_default() += 1;
            let [first, median, last] = self.robots_fetched.unwrap_or([second; 3]);
            self.robots_fetched = Some([first.min(second), median, last.max(second)]);
        }
        for (label, value) in host.labels.iter().filter(|(_, value)| *value != "unknown") {
            add_one(self.labels.entry((*label).to_owned()).or_default(), value);
        }
        if host.is_answering {
            self.answering += 1;
            host.systems.iter().for_each(|system| add_one(&mut self.systems, system));
        }
    }

    /// Counts answering hosts that close the same: each token in part, by name, or through `*`.
    pub fn count_closed<'t>(&mut self, hosts: u64, restricted: impl Iterator<Item = (&'t str, Closing)>) {
        let (mut by_name, mut to_others) = (0, 0);
        for (token, closing) in restricted {
            let counts = match closing {
                Closing::ByName => {
                    by_name = hosts;
                    &mut self.closed_by_name
                }
                Closing::ThroughWildcard => {
                    to_others = hosts;
                    &mut self.closed_through_wildcard
                }
                Closing::InPart => &mut self.closed_in_part,
            };
            add_some(counts, token, hosts);
        }
        self.closing_by_name += by_name;
        self.closing_to_others += to_others;
    }

    /// Ends the count: finds the median of the times.
    pub fn finish(mut self) -> Self {
        let before_median = self.hours.values().sum::<u64>().saturating_sub(1) / 2;
        let mut seen = 0;
        let median = self.hours.iter().find(|(_, count)| {
            seen += **count;
            seen > before_median
        });
        if let (Some((hour, _)), Some([_, middle, _])) = (median, &mut self.robots_fetched) {
            *middle = hour * 3600;
        }
        self.hours.clear();
        self
    }
}

/// Rows of `sites`: origins of a segment, or of a time, and not hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SiteTally {
    /// Rows of `sites`.
    pub sites: u64,
    /// Of these, rows that say to whom they are closed.
    pub known: u64,
}

impl SiteTally {
    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.sites += other.sites;
        self.known += other.known;
    }
}

#[cfg(test)]
mod tests {
    use super::{Closing, CountedHost, HostTally};

    #[test]
    fn local_what_answers_5xx_is_a_host_and_in_no_share() {
        let mut tally = HostTally::default();
        let failing = CountedHost { state: "unreachable", ..CountedHost::default() };
        tally.count(&failing);
        tally.count(&CountedHost { state: "parsed", is_answering: true, ..failing });
        tally.count_closed(1, [("GPTBot", Closing::ByName), ("CCBot", Closing::InPart)].into_iter());
        let tally = tally.finish();
        assert_eq!(
            (tally.hosts, tally.answering, tally.closing_by_name, tally.closing_to_others),
            (2, 1, 1, 0)
        );
        assert_eq!(tally.closed_by_name.get("GPTBot"), Some(&1));
        assert_eq!(tally.closed_in_part.get("CCBot"), Some(&1));
        assert!(tally.closed_through_wildcard.is_empty());
    }

    #[test]
    fn local_the_median_is_that_of_all_hosts_and_not_of_the_days() {
        let mut tally = HostTally::default();
        for hour in [1, 1, 1, 900] {
            let fetched_micros = Some(hour * 3_600_000_000);
            tally.count(&CountedHost { state: "parsed", fetched_micros, ..CountedHost::default() });
        }
        assert_eq!(tally.finish().robots_fetched, Some([3600, 3600, 900 * 3600]));
    }
}
