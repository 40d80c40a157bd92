//! The rows of `sites`, counted, and counts by name.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

pub fn add_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    add_some(counts, name, 1);
}

pub fn add_some(counts: &mut BTreeMap<String, u64>, name: &str, some: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += some,
        None => drop(counts.insert(name.to_owned(), some)),
    }
}

/// Adds counts to others.
pub fn add_all(mine: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        add_some(mine, name, *count);
    }
}
