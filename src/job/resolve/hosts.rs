//! Counts the hosts of each resolved crawl from the parts of `sites`, once all of them exist: how robots.txt answered, to whom it
//! closes everything, what its files state.
//!
//! Parts are sorted by `surt_host_name`, so merging them gives all rows of a host together and holds one slice of each part. The
//! choice of the row that counts, and the definitions, are those of the views `origins` and `hosts` of queries/views.sql;
//! tests/queries compares both. Shares are of the hosts that answer: with a robots.txt that is read to its end, or 4xx. A 5xx
//! does not say what its owner wants.

use super::Work;
use super::origins::{crawls, merge};
use super::tally::{Closing, CountedHost, HostTally};
use crate::runs::{ArchiveGroup, BatchName};
use crate::systems::{Label, SYSTEMS};
use crate::tables::Slices;
use crate::tables::agent_sets::{AGENT_SETS, each_set};
use crate::tables::sites::{SITES, SiteRows};
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

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
        (
            self.rows.fetched_micros(self.at),
            self.rows.segment(self.at),
        )
    }

    /// The key of the origin whose robots.txt counts for its host: the least.
    fn rank(&self) -> (bool, bool, bool, Reverse<Option<i64>>, &str) {
        let rows = &self.rows;
        let at = self.at;
        let is_unknown = rows.state(at) == "not_archived";
        let is_plain = rows.protocol(at) != Some("https");
        (
            is_unknown,
            is_plain,
            rows.port(at).is_some(),
            Reverse(rows.fetched_micros(at)),
            rows.origin(at),
        )
    }
}

/// Counts the hosts of each crawl of some groups, all of whose parts of `sites` exist.
pub fn count_hosts<'g>(
    groups: impl Iterator<Item = &'g ArchiveGroup<'g>>,
    work: &Work<'_>,
) -> io::Result<BTreeMap<String, HostTally>> {
    let mut parts = BTreeMap::<String, BTreeSet<BatchName>>::new();
    for group in groups {
        for crawl in crawls(group) {
            let name = BatchName {
                crawl: crawl.clone(),
                id: group.site_part().id,
            };
            parts.entry(crawl).or_default().insert(name);
        }
    }
    let count =
        |(crawl, names): (String, BTreeSet<BatchName>)| Ok((crawl, count_crawl(&names, work)?));
    work.pool
        .install(|| parts.into_par_iter().map(count).collect())
}

fn count_crawl(names: &BTreeSet<BatchName>, work: &Work<'_>) -> io::Result<HostTally> {
    let mut tally = HostTally::default();
    let mut sets = HashMap::new();
    let mut rows = merged_rows(names, work)?.peekable();
    let mut together = Vec::new();
    while let Some(row) = rows.next() {
        together.push(row?);
        let goes_on = rows
            .peek()
            .and_then(|next| Some(next.as_ref().ok()?.key().0 == together.last()?.key().0));
        if goes_on != Some(true) {
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
        Some(number) => Err(io::Error::other(format!(
            "no part of agent_sets has the set {number}"
        ))),
        None => Ok(tally.finish()),
    }
}

/// Counts the hosts of a set. All its lists have the same order, and closed tokens are also restricted.
fn count_set(hosts: u64, [closed, restricted, named]: &[Vec<&str>; 3], tally: &mut HostTally) {
    let mut closed = closed.iter().peekable();
    let closings: Vec<Closing> = restricted
        .iter()
        .map(|token| match closed.next_if_eq(&token) {
            None => Closing::InPart,
            Some(_) if named.contains(token) => Closing::ByName,
            Some(_) => Closing::ThroughWildcard,
        })
        .collect();
    tally.count_closed(hosts, restricted.iter().copied().zip(closings));
}

/// The rows of some parts, sorted by `surt_host_name` and origin.
fn merged_rows(
    names: &BTreeSet<BatchName>,
    work: &Work<'_>,
) -> io::Result<impl Iterator<Item = io::Result<HostRow>>> {
    let parts = names
        .iter()
        .map(|name| {
            Slices::of_columns(work.store.open(&name.part_file(&SITES))?, SiteRows::COLUMNS)
        })
        .collect::<io::Result<Vec<_>>>()?;
    let rows_of = |slice: &RecordBatch| {
        let rows = Arc::new(SiteRows::new(slice)?);
        Ok((0..rows.count()).map(move |at| HostRow {
            rows: Arc::clone(&rows),
            at,
        }))
    };
    Ok(merge(parts, rows_of, |row, other| row.key() < other.key()))
}

/// Counts each host of some rows: a host and its `www.` have one `surt_host_name`. `sets` has the answering hosts by the number
/// of their set of agents.
fn count_names(rows: &[HostRow], tally: &mut HostTally, sets: &mut HashMap<i64, u64>) {
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
        if let Some(counted) = newest
            .values()
            .min_by(|row, other| row.rank().cmp(&other.rank()))
        {
            let host = said(counted, rows, &newest);
            tally.count(&host);
            if let Some(number) = counted
                .rows
                .agent_set(counted.at)
                .filter(|_| host.is_answering)
            {
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
    let is_newest = |row: &HostRow| {
        newest
            .get(row.rows.origin(row.at))
            .is_some_and(|newest| std::ptr::eq(*newest, row))
    };
    let mut systems = BTreeSet::new();
    for row in rows {
        let of_row = row
            .rows
            .systems(row.at)
            .filter(|system| is_newest(row) || has_own_file(system));
        systems.extend(of_row);
    }
    CountedHost {
        state: columns.state(*at),
        fetched_micros: columns.fetched_micros(*at),
        is_answering: columns.agent_set(*at).is_some() && columns.state(*at) != "unreachable",
        systems: systems.into_iter().collect(),
        labels: Label::ALL
            .map(Label::as_str)
            .into_iter()
            .zip(columns.labels(*at))
            .collect(),
    }
}

/// Whether a system has a file beside robots.txt, which each segment has as it fetched it.
fn has_own_file(system: &str) -> bool {
    SYSTEMS
        .iter()
        .map(|known| known.about())
        .any(|about| about.name == system && about.site_file.is_some())
}
