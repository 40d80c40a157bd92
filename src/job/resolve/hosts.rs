//! Counts the hosts of each resolved crawl from the parts of `sites`, once all of them exist: how robots.txt answered, to whom it
//! closes everything, what its files state.
//!
//! Rows of `sites` are origins of a segment: http and https of one host are two, and each segment has its own. Parts are sorted
//! by `surt_host_name`, so merging them gives all rows of a host together and holds one slice of each part. The choice of the
//! row that counts, and the definitions, are those of the views `origins` and `hosts` of queries/views.sql; tests/queries
//! compares both. Shares are of the hosts that answer: with a robots.txt that is read to its end, or 4xx. A 5xx says nothing of
//! what its owner wants.

use super::Work;
use super::origins::{crawls, merge};
use crate::runs::{BatchName, Group, add_one, add_some};
use crate::systems::{Label, SYSTEMS};
use crate::tables::Slices;
use crate::tables::agent_sets::{AGENT_SETS, each_set};
use crate::tables::sites::{SITES, SiteRows};
use arrow_array::RecordBatch;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

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

struct HostRow {
    rows: Arc<SiteRows>,
    at: usize,
}

impl HostRow {
    fn key(&self) -> (Option<&str>, &str) {
        (self.rows.surt(self.at), self.rows.origin(self.at))
    }

    /// The key by which the newest row of an origin is found.
    fn age(&self) -> (Option<i64>, Option<&str>) {
        (self.rows.fetched_micros(self.at), self.rows.segment(self.at))
    }

    /// The key of the origin whose robots.txt counts for its host: the least.
    fn rank(&self) -> (bool, bool, bool, Reverse<Option<i64>>, &str) {
        let (rows, at) = (&self.rows, self.at);
        let is_unknown = rows.state(at) == "not_archived";
        (
            is_unknown,
            rows.protocol(at) != "https",
            rows.has_port(at),
            Reverse(rows.fetched_micros(at)),
            rows.origin(at),
        )
    }
}

/// Answering hosts by the number of their set of agents.
type HostsBySet = HashMap<i64, u64>;

/// Counts the hosts of each crawl of some groups, all of whose parts of `sites` exist.
pub fn count_hosts<'g>(
    groups: impl Iterator<Item = &'g Group<'g>>,
    work: &Work<'_>,
) -> io::Result<BTreeMap<String, HostTally>> {
    let mut parts = BTreeMap::<String, BTreeSet<BatchName>>::new();
    for group in groups {
        for crawl in crawls(group) {
            let name = BatchName { crawl: crawl.clone(), id: group.site_part().id };
            parts.entry(crawl).or_default().insert(name);
        }
    }
    let count = |(crawl, names): (String, BTreeSet<BatchName>)| Ok((crawl, count_crawl(&names, work)?));
    work.pool.install(|| parts.into_par_iter().map(count).collect())
}

fn count_crawl(names: &BTreeSet<BatchName>, work: &Work<'_>) -> io::Result<HostTally> {
    let (mut tally, mut sets) = (HostTally::default(), HostsBySet::new());
    let mut rows = merged_rows(names, work)?.peekable();
    let mut together = Vec::new();
    while let Some(row) = rows.next() {
        together.push(row?);
        let is_last = match (rows.peek(), together.last()) {
            (Some(Ok(next)), Some(last)) => next.key().0 != last.key().0,
            (Some(Err(_)) | None, _) | (_, None) => true,
        };
        if is_last {
            work.go_on()?;
            count_names(&together, &mut tally, &mut sets);
            together.clear();
        }
    }
    for name in names {
        let part = work.store.open(&name.part_file(&AGENT_SETS))?;
        for slice in Slices::new(part)? {
            work.go_on()?;
            // Other parts may have the same set.
            each_set(&slice?, |number, lists| {
                if let Some(hosts) = sets.remove(&number) {
                    count_set(hosts, &lists, &mut tally);
                }
            })?;
        }
    }
    match sets.into_keys().next() {
        Some(number) => Err(io::Error::other(format!("no part of agent_sets has the set {number}"))),
        None => Ok(tally.finish()),
    }
}

/// Counts the hosts of a set. All its lists have the same order, and closed tokens are also restricted.
fn count_set(hosts: u64, [closed, restricted, named]: &[Vec<&str>; 3], tally: &mut HostTally) {
    let mut closed = closed.iter().peekable();
    let closing = |token: &&str| match closed.next_if_eq(&token) {
        None => Closing::InPart,
        Some(_) if named.contains(token) => Closing::ByName,
        Some(_) => Closing::ThroughWildcard,
    };
    let closings: Vec<Closing> = restricted.iter().map(closing).collect();
    tally.count_closed(hosts, restricted.iter().copied().zip(closings));
}

/// The rows of some parts, sorted by `surt_host_name` and origin.
fn merged_rows(
    names: &BTreeSet<BatchName>,
    work: &Work<'_>,
) -> io::Result<impl Iterator<Item = io::Result<HostRow>>> {
    let open =
        |name: &BatchName| Slices::of_columns(work.store.open(&name.part_file(&SITES))?, SiteRows::COLUMNS);
    let parts = names.iter().map(open).collect::<io::Result<Vec<_>>>()?;
    let rows_of = |slice: &RecordBatch| {
        let rows = Arc::new(SiteRows::new(slice)?);
        Ok((0..rows.count()).map(move |at| HostRow { rows: Arc::clone(&rows), at }))
    };
    Ok(merge(parts, rows_of, |row, other| row.key() < other.key()))
}

/// Counts each host of some rows: a host and its `www.` have one `surt_host_name`.
fn count_names(rows: &[HostRow], tally: &mut HostTally, sets: &mut HostsBySet) {
    let mut names = BTreeMap::<&str, Vec<&HostRow>>::new();
    for row in rows {
        if let Some(name) = row.rows.host_name(row.at) {
            names.entry(name).or_default().push(row);
        }
    }
    for rows in names.values() {
        let mut newest = BTreeMap::<&str, &HostRow>::new();
        for row in rows {
            let known = newest.entry(row.rows.origin(row.at)).or_insert(row);
            if row.age() > known.age() {
                *known = row;
            }
        }
        if let Some(counted) = newest.values().min_by(|row, other| row.rank().cmp(&other.rank())) {
            let host = said(counted, rows, &newest);
            tally.count(&host);
            if let Some(number) = counted.rows.agent_set(counted.at).filter(|_| host.is_answering) {
                *sets.entry(number).or_default() += 1;
            }
        }
    }
}

/// What a host says: by the row that counts; its systems by all of its rows.
fn said<'r>(
    counted: &'r HostRow,
    rows: &[&'r HostRow],
    newest: &BTreeMap<&str, &HostRow>,
) -> CountedHost<'r> {
    let HostRow { rows: columns, at } = counted;
    let is_newest =
        |row: &HostRow| newest.get(row.rows.origin(row.at)).is_some_and(|newest| std::ptr::eq(*newest, row));
    let mut systems = BTreeSet::new();
    for row in rows {
        let of_row = row.rows.systems(row.at).filter(|system| is_newest(row) || has_own_file(system));
        systems.extend(of_row);
    }
    CountedHost {
        state: columns.state(*at),
        fetched_micros: columns.fetched_micros(*at),
        is_answering: columns.agent_set(*at).is_some() && columns.state(*at) != "unreachable",
        systems: systems.into_iter().collect(),
        labels: Label::ALL.map(|label| (label.as_str(), columns.label(label, *at))).to_vec(),
    }
}

/// Whether a system has a file beside robots.txt, which each segment has as it fetched it.
fn has_own_file(system: &str) -> bool {
    SYSTEMS.iter().map(|known| known.about()).any(|about| about.name == system && about.site_file.is_some())
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
