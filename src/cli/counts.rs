//! Counts of what a command has done so far; log, progress, metrics and report are made from them.
//!
//! The summaries of the job have what is in the tables.

use crawlprefs::job::Plan;
use crawlprefs::runs::Manifest;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts of an archive, or of all archives that this call has read.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReadCounts {
    /// Bytes read; of a gzipped archive, compressed.
    pub bytes: u64,
    pub records: u64,
    /// Captures in the evidence.
    pub captures: u64,
    /// Damaged places.
    pub failures: u64,
    pub seconds: f64,
}

impl ReadCounts {
    pub fn of(manifest: &Manifest, took: Duration) -> Self {
        let row = &manifest.row;
        Self {
            bytes: row.bytes,
            records: row.records,
            captures: row.captures(),
            failures: row.failures,
            seconds: seconds(took),
        }
    }
}

/// Returns seconds with three decimals.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// Archives that ended, those with evidence of an earlier call included.
    pub archives_done: u64,
    pub batches_done: u64,
    pub captures_resolved: u64,
    /// Captures that were put into a site index.
    pub captures_indexed: u64,
    pub counts: ReadCounts,
}

/// A number that a command counts, described for reports, events, metrics and docs/nightly.md.
pub struct Counter {
    /// Its name in reports and events.
    pub name: &'static str,
    /// Its name as a metric, between `crawlprefs_` and `_total`.
    pub metric: &'static str,
    /// What is counted, with its unit.
    pub meaning: &'static str,
    pub value: u64,
}

impl Totals {
    /// Returns all counts except those of archives and batches, which are counted by outcome.
    pub fn counters(&self) -> [Counter; 6] {
        let counts = &self.counts;
        [
            (
                "captures_resolved",
                "resolved_captures",
                "Captures that were resolved.",
                self.captures_resolved,
            ),
            (
                "captures_indexed",
                "indexed_captures",
                "Captures that were put into a site index.",
                self.captures_indexed,
            ),
            ("bytes", "read_bytes", "Bytes of archives that were read, compressed.", counts.bytes),
            ("records", "records", "Records that were read.", counts.records),
            ("captures", "captures", "Captures in the evidence of archives that were read.", counts.captures),
            ("failures", "failures", "Damaged places in archives that were read.", counts.failures),
        ]
        .map(|(name, metric, meaning, value)| Counter { name, metric, meaning, value })
    }
}

impl Serialize for Totals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("archives_done", &self.archives_done)?;
        members.serialize_entry("batches_done", &self.batches_done)?;
        for Counter { name, value, .. } in self.counters() {
            members.serialize_entry(name, &value)?;
        }
        members.serialize_entry("seconds", &self.counts.seconds)?;
        members.end()
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct WorkState {
    #[serde(flatten)]
    pub work: Option<Plan>,
    #[serde(flatten)]
    pub totals: Totals,
    /// Records scanned, captures resolved or captures indexed in a second.
    pub per_second: u64,
    /// The seconds that the rest of this work will take, if they can be estimated.
    pub seconds_left: Option<u64>,
    /// Bytes or captures of the work that are done, including those of known archives.
    #[serde(skip)]
    pub position: u64,
}

/// How many archives or batches had each outcome.
pub type Outcomes = BTreeMap<&'static str, u64>;

/// Counts a command, from many threads.
pub struct Tally(Mutex<Counting>);

struct Counting {
    begun: Instant,
    work_begun: Instant,
    work: Option<Plan>,
    archives: Outcomes,
    batches: Outcomes,
    counts: ReadCounts,
    /// Bytes of archives that were not read, because there is evidence of them.
    known_bytes: u64,
    captures_resolved: u64,
    captures_indexed: u64,
}

impl Tally {
    pub fn begin() -> Self {
        let begun = Instant::now();
        Self(Mutex::new(Counting {
            begun,
            work_begun: begun,
            work: None,
            archives: Outcomes::new(),
            batches: Outcomes::new(),
            counts: ReadCounts::default(),
            known_bytes: 0,
            captures_resolved: 0,
            captures_indexed: 0,
        }))
    }

    fn counting(&self) -> MutexGuard<'_, Counting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn started(&self, work: Plan) {
        let mut counting = self.counting();
        counting.work = Some(work);
        counting.work_begun = Instant::now();
    }

    /// Counts bytes and records that were read, or captures that were resolved or put into an index.
    pub fn advanced(&self, bytes: u64, records: u64) {
        let mut counting = self.counting();
        match counting.work {
            Some(Plan::Resolve { .. }) => counting.captures_resolved += records,
            Some(Plan::Index { .. }) => counting.captures_indexed += records,
            Some(Plan::Scan { .. }) | None => {
                counting.counts.bytes += bytes;
                counting.counts.records += records;
            }
        }
    }

    /// Counts an archive that this call has ended.
    pub fn count_archive(&self, outcome: &'static str, counts: &ReadCounts) {
        let mut counting = self.counting();
        *counting.archives.entry(outcome).or_default() += 1;
        counting.counts.captures += counts.captures;
        counting.counts.failures += counts.failures;
    }

    /// Counts an archive of this number of bytes that was not read, because there is evidence of it.
    pub fn count_known_archive(&self, outcome: &'static str, bytes: u64) {
        let mut counting = self.counting();
        *counting.archives.entry(outcome).or_default() += 1;
        counting.known_bytes += bytes;
    }

    pub fn count_batch(&self, outcome: &'static str) {
        *self.counting().batches.entry(outcome).or_default() += 1;
    }

    /// Returns how many archives and how many batches had each outcome.
    pub fn outcomes(&self) -> (Outcomes, Outcomes) {
        let counting = self.counting();
        (counting.archives.clone(), counting.batches.clone())
    }

    pub fn state(&self) -> WorkState {
        self.counting().state()
    }
}

impl Counting {
    fn state(&self) -> WorkState {
        let counts = ReadCounts { seconds: seconds(self.begun.elapsed()), ..self.counts };
        let totals = Totals {
            archives_done: self.archives.values().sum(),
            batches_done: self.batches.values().sum(),
            captures_resolved: self.captures_resolved,
            captures_indexed: self.captures_indexed,
            counts,
        };
        let elapsed = self.work_begun.elapsed();
        let (units, done, position, total) = match self.work {
            Some(Plan::Resolve { captures, .. }) => {
                let done = self.captures_resolved;
                (done, done, done, Some(captures))
            }
            Some(Plan::Index { captures, .. }) => {
                let done = self.captures_indexed;
                (done, done, done, Some(captures))
            }
            Some(Plan::Scan { bytes, .. }) => {
                (counts.records, counts.bytes, counts.bytes + self.known_bytes, bytes)
            }
            None => (0, 0, 0, None),
        };
        let left = total.map(|total| total.saturating_sub(position));
        WorkState {
            work: self.work,
            totals,
            per_second: per_second(elapsed, units),
            seconds_left: left.and_then(|left| seconds_left(elapsed, done, left)),
            position,
        }
    }
}

/// Returns the units per second; in the first second, the units so far.
fn per_second(elapsed: Duration, units: u64) -> u64 {
    u64::try_from(u128::from(units) * 1000 / elapsed.as_millis().max(1000)).unwrap_or(u64::MAX)
}

/// Returns how long the rest takes at the same speed.
fn seconds_left(elapsed: Duration, done: u64, left: u64) -> Option<u64> {
    let milliseconds = elapsed.as_millis().checked_mul(left.into())?.checked_div(done.into())?;
    u64::try_from(milliseconds.div_ceil(1000)).ok()
}

#[cfg(test)]
mod tests {
    use super::{Plan, Tally, seconds_left};
    use serde_json::{json, to_value};
    use std::time::Duration;

    #[test]
    fn local_the_documentation_lists_each_number_of_a_report() {
        let tally = Tally::begin();
        tally.started(Plan::Scan { archives: 1, bytes: None });
        tally.advanced(40, 4);
        let totals = tally.state().totals;
        let reported = to_value(totals).expect("JSON");
        assert_eq!((&reported["bytes"], &reported["captures_resolved"]), (&json!(40), &json!(0)));
        let document = include_str!("../../docs/nightly.md");
        for counter in totals.counters() {
            let (name, metric) = (counter.name, counter.metric);
            let row = format!("| `{name}` | `crawlprefs_{metric}_total` | {} |", counter.meaning);
            assert!(document.contains(&row), "docs/nightly.md has no row {row}");
        }
        for name in reported.as_object().expect("an object").keys() {
            assert!(document.contains(&format!("\n| `{name}` | `crawlprefs_")), "{name}");
        }
    }

    #[test]
    fn local_what_is_left_is_estimated_from_what_was_done() {
        let second = Duration::from_secs(1);
        for (done, left, seconds) in [(0, 10, None), (5, 10, Some(2)), (10, 0, Some(0)), (3, 1, Some(1))] {
            assert_eq!(seconds_left(second, done, left), seconds, "{done} {left}");
        }
    }

    #[test]
    fn local_records_of_a_resolve_are_captures() {
        let tally = Tally::begin();
        tally.started(Plan::Scan { archives: 2, bytes: Some(100) });
        tally.advanced(40, 4);
        tally.count_known_archive("known", 60);
        assert_eq!(tally.state().seconds_left, Some(0));
        tally.started(Plan::Resolve { batches: 1, captures: 9 });
        tally.advanced(0, 9);
        let state = tally.state();
        assert_eq!((state.totals.captures_resolved, state.totals.counts.records), (9, 4));
        assert_eq!((state.per_second, state.seconds_left), (9, Some(0)));
    }
}
