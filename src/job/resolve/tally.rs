//! Counts of what resolving found.

use crate::runs::{Duplicate, add_all as add, add_one as count, add_some};
use crate::systems::{Label, SYSTEMS, Statement, Value};
use crate::verdict::{Current, Decision, Disallowed, Labels, Resolver, RobotsState};
use crate::web::preference::Preference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Seconds of a day.
const DAY_S: u64 = 86_400;
/// The longest slack that is proposed: a copy from a day later may be another one (RFC 9309 2.4).
const MOST_SLACK_S: i64 = 24 * 3600;

/// Counts over pages and statements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResolveTally {
    /// Segments that were looked at, including finished ones.
    #[serde(skip)]
    pub segments: usize,
    /// Pages.
    pub pages: u64,
    /// Pages by the state of their robots.txt.
    pub robots_states: BTreeMap<String, u64>,
    /// Pages by the viewpoint's access.
    pub access: BTreeMap<String, u64>,
    /// Pages that a token may not fetch, by token.
    pub disallowed: BTreeMap<String, u64>,
    /// Pages by column of a system and value, if it says something.
    pub preferences: BTreeMap<String, BTreeMap<String, u64>>,
    /// Pages by label and value, if that is a yes or a no.
    pub labels: BTreeMap<String, BTreeMap<String, u64>>,
    /// Pages by label on which answers contradict each other, other than two documents' readings of one field.
    pub conflicts: BTreeMap<String, u64>,
    /// Pages by label on which two documents read one field differently, and nothing else contradicts.
    pub conflicts_of_readings: BTreeMap<String, u64>,
    /// Statements by system and carrier.
    pub statements: BTreeMap<String, u64>,
    /// Different lines and fields, for each record and site file, with a defect that no system reads without one.
    pub unreadable: u64,
    /// Pages whose headers or metas state something in a system, by the system for which the field was written.
    pub page_systems: BTreeMap<String, u64>,
    /// Bodies at the paths of site files other than robots.txt that are pages of HTML, and state nothing (READ-3).
    pub html_files: u64,
    /// Rows of `sites`.
    pub sites: SiteTally,
    /// Each crawl on its own, with its hosts; only for the parts that this call looked at.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub crawls: BTreeMap<String, Self>,
    /// The hosts of a crawl, if `sites` was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Box<HostTally>>,
    /// Pages without robots.txt that have a copy at most a day later, which --robots-slack would let serve.
    pub slack_would_help: u64,
    /// Pages by the age of the robots.txt that counts, in whole days; those without a copy, or with a later one, are in none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub robots_age_days: BTreeMap<u64, u64>,
    /// The longest time that these would need, in seconds.
    pub slack_needed_s: i64,
    /// Archives that the evidence also has under another name, and that count for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<Duplicate>,
    /// Batches given up because of a bug, and what was seen of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_batches: Vec<(String, String)>,
    /// Whether the work was stopped before its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
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

/// Pages that tokens may not fetch, counted by the tokens' places, as a page may be closed to some hundred.
pub struct DisallowedPages {
    all: u64,
    by_place: Vec<u64>,
}

impl DisallowedPages {
    pub fn new(resolver: &Resolver) -> Self {
        Self {
            all: 0,
            by_place: vec![0; resolver.tokens.len()],
        }
    }

    /// Counts a page.
    pub fn count(&mut self, disallowed: &Disallowed) {
        match disallowed {
            Disallowed::All => self.all += 1,
            Disallowed::Some(tokens) | Disallowed::AtLeast(tokens) => {
                for place in tokens.iter() {
                    if let Some(pages) = self.by_place.get_mut(place as usize) {
                        *pages += 1;
                    }
                }
            }
        }
    }
}

impl ResolveTally {
    /// Returns the median and the largest age of the robots.txt that count, in days; for an even number, the smaller of the two
    /// in the middle.
    pub fn robots_ages(&self) -> Option<(u64, u64)> {
        let (largest, _) = self.robots_age_days.last_key_value()?;
        let middle = self.robots_age_days.values().sum::<u64>().div_ceil(2);
        let mut below = 0;
        let median = self.robots_age_days.iter().find(|(_, pages)| {
            below += **pages;
            below >= middle
        });
        median.map(|(median, _)| (*median, *largest))
    }

    /// Counts a page, except the tokens that may not fetch it; `is_known` says whether a slack of so many seconds leads to a
    /// capture that its batch rests on.
    pub fn count_page(
        &mut self,
        current: &Current,
        decision: &Decision<'_>,
        is_known: impl Fn(i64) -> bool,
    ) {
        self.pages += 1;
        let access = decision.access.preference.as_str();
        count(&mut self.robots_states, current.state.as_str());
        count(&mut self.access, access);
        if let Some(age_s) = current.age_s.and_then(|age_s| u64::try_from(age_s).ok()) {
            *self.robots_age_days.entry(age_s / DAY_S).or_default() += 1;
        }
        if current.state == RobotsState::NotArchived
            && let Some(needed_s) = current
                .slack_needed_s
                .filter(|needed| *needed <= MOST_SLACK_S && is_known(*needed))
        {
            self.slack_would_help += 1;
            self.slack_needed_s = self.slack_needed_s.max(needed_s);
        }
        self.count_values(decision.values());
        self.count_labels(&decision.labels);
    }

    /// Adds the pages that tokens may not fetch.
    pub fn add_disallowed(&mut self, pages: &DisallowedPages, resolver: &Resolver) {
        for (token, some) in resolver.tokens.iter().zip(&pages.by_place) {
            if some + pages.all > 0 {
                add_some(&mut self.disallowed, token.as_str(), some + pages.all);
            }
        }
    }

    fn count_labels(&mut self, labels: &Labels<'_>) {
        for label in Label::ALL {
            let preference = labels.of(label);
            if preference != Preference::Unknown {
                count(
                    self.labels.entry(label.as_str().to_owned()).or_default(),
                    preference.as_str(),
                );
            }
        }
        for label in &labels.conflict {
            let is_of_readings = labels.conflict_of_readings.contains(label);
            let counts = if is_of_readings {
                &mut self.conflicts_of_readings
            } else {
                &mut self.conflicts
            };
            count(counts, label.as_str());
        }
    }

    fn count_values<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        let columns = SYSTEMS.iter().flat_map(|system| system.about().columns);
        for (column, value) in columns.zip(values) {
            let said = match value {
                Value::Word("unknown" | "not_applicable")
                | Value::Truth(false)
                | Value::Null
                | Value::Text(_)
                | Value::Texts(_)
                | Value::Structs(_) => None,
                Value::Word("0") => Some("'0'"),
                Value::Word("1") => Some("'1'"),
                Value::Word(word) => Some(*word),
                Value::Truth(true) => Some("yes"),
            };
            let Some(word) = said else { continue };
            match self.preferences.get_mut(column.name) {
                Some(counts) => count(counts, word),
                None => count(
                    self.preferences.entry(column.name.to_owned()).or_default(),
                    word,
                ),
            }
        }
    }

    /// Counts a statement.
    pub fn count_statement(&mut self, statement: &Statement<'_>) {
        count(
            &mut self.statements,
            &format!("{} {}", statement.system, statement.carrier),
        );
    }

    /// Returns the crawls: Common Crawl's before others, and the newest first, by the median fetch time of robots.txt.
    pub fn newest_first(&self) -> Vec<(&str, &Self)> {
        let mut crawls: Vec<_> = self
            .crawls
            .iter()
            .map(|(crawl, tally)| (crawl.as_str(), tally))
            .collect();
        let median = |tally: &Self| {
            tally
                .hosts
                .as_ref()
                .and_then(|hosts| hosts.robots_fetched)
                .map(|[_, median, _]| median)
        };
        crawls.sort_by(|(crawl, tally), (other, others)| {
            let is_common = |crawl: &str| crawl.starts_with("CC-MAIN-");
            (is_common(other), median(others), *other).cmp(&(
                is_common(crawl),
                median(tally),
                *crawl,
            ))
        });
        crawls
    }

    /// Adds another tally, except its crawls.
    pub fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.unreadable += other.unreadable;
        self.html_files += other.html_files;
        self.sites.add(other.sites);
        self.slack_would_help += other.slack_would_help;
        for (days, pages) in &other.robots_age_days {
            *self.robots_age_days.entry(*days).or_default() += pages;
        }
        self.slack_needed_s = self.slack_needed_s.max(other.slack_needed_s);
        self.stopped |= other.stopped;
        self.failed_batches
            .extend(other.failed_batches.iter().cloned());
        for (mine, others) in [
            (&mut self.robots_states, &other.robots_states),
            (&mut self.access, &other.access),
            (&mut self.disallowed, &other.disallowed),
            (&mut self.statements, &other.statements),
            (&mut self.conflicts, &other.conflicts),
            (
                &mut self.conflicts_of_readings,
                &other.conflicts_of_readings,
            ),
            (&mut self.page_systems, &other.page_systems),
        ] {
            add(mine, others);
        }
        for (column, counts) in &other.preferences {
            add(self.preferences.entry(column.clone()).or_default(), counts);
        }
        for (label, counts) in &other.labels {
            add(self.labels.entry(label.clone()).or_default(), counts);
        }
    }
}

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
    pub state: &'h str,
    /// When that was fetched, in microseconds since 1970.
    pub fetched_micros: Option<i64>,
    pub is_answering: bool,
    pub systems: Vec<&'h str>,
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
        count(&mut self.states, host.state);
        if let Some(micros) = host.fetched_micros {
            let second = micros.div_euclid(1_000_000);
            *self.hours.entry(second.div_euclid(3600)).or_default() += 1;
            let [first, median, last] = self.robots_fetched.unwrap_or([second; 3]);
            self.robots_fetched = Some([first.min(second), median, last.max(second)]);
        }
        for (label, value) in host.labels.iter().filter(|(_, value)| *value != "unknown") {
            count(self.labels.entry((*label).to_owned()).or_default(), value);
        }
        if host.is_answering {
            self.answering += 1;
            host.systems
                .iter()
                .for_each(|system| count(&mut self.systems, system));
        }
    }

    /// Counts answering hosts that close the same: each token in part, by name, or through `*`.
    pub fn count_closed<'t>(
        &mut self,
        hosts: u64,
        restricted: impl Iterator<Item = (&'t str, Closing)>,
    ) {
        let mut by_name = 0;
        let mut to_others = 0;
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

#[cfg(test)]
mod tests {
    use super::{Closing, CountedHost, HostTally};

    #[test]
    fn local_what_answers_5xx_is_a_host_and_in_no_share() {
        let mut tally = HostTally::default();
        let failing = CountedHost {
            state: "unreachable",
            ..CountedHost::default()
        };
        tally.count(&failing);
        tally.count(&CountedHost {
            state: "parsed",
            is_answering: true,
            ..failing
        });
        tally.count_closed(
            1,
            [("GPTBot", Closing::ByName), ("CCBot", Closing::InPart)].into_iter(),
        );
        let tally = tally.finish();
        assert_eq!(
            (
                tally.hosts,
                tally.answering,
                tally.closing_by_name,
                tally.closing_to_others
            ),
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
            tally.count(&CountedHost {
                state: "parsed",
                fetched_micros,
                ..CountedHost::default()
            });
        }
        assert_eq!(
            tally.finish().robots_fetched,
            Some([3600, 3600, 900 * 3600])
        );
    }
}
