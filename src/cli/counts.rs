//! Counts of what a command has done so far; log, progress, metrics and report are made from them.

use crawlprefs::job::{Plan, When};
use serde::Serialize;
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

pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Totals {
    /// Archives that ended, those with evidence of an earlier call included.
    pub archives_done: u64,
    pub batches_done: u64,
    pub captures_resolved: u64,
    /// Captures that were put into a site index.
    pub captures_indexed: u64,
    #[serde(flatten)]
    pub counts: ReadCounts,
}

impl Totals {
    /// Returns all counts except those of archives and batches, which are counted by outcome: the name as a metric, between
    /// `crawlprefs_` and `_total`, and what is counted, with its unit. docs/nightly.md has them, too.
    pub fn counters(&self) -> [(&'static str, &'static str, u64); 6] {
        let counts = &self.counts;
        [
            (
                "resolved_captures",
                "Captures that were resolved.",
                self.captures_resolved,
            ),
            (
                "indexed_captures",
                "Captures that were put into a site index.",
                self.captures_indexed,
            ),
            (
                "read_bytes",
                "Bytes of archives that were read, compressed.",
                counts.bytes,
            ),
            ("records", "Records that were read.", counts.records),
            (
                "captures",
                "Captures in the evidence of archives that were read.",
                counts.captures,
            ),
            (
                "failures",
                "Damaged places in archives that were read.",
                counts.failures,
            ),
        ]
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

/// How far `judge` is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct JudgeState {
    /// Files whose end was reached, in this call or an earlier one.
    pub files: u64,
    pub of_files: u64,
    /// Documents that this call has judged.
    pub documents: u64,
    pub per_second: u64,
}

/// How many archives or batches had each outcome.
pub type Outcomes = BTreeMap<&'static str, u64>;

pub struct Tally(Mutex<Counting>);

struct Counting {
    begun: Instant,
    work_begun: Instant,
    work: Option<Plan>,
    archives: Outcomes,
    batches: Outcomes,
    /// What is counted so far; archives, batches and the time are filled in when somebody asks.
    totals: Totals,
    /// Bytes of archives that were not read, because there is evidence of them.
    known_bytes: u64,
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
            totals: Totals::default(),
            known_bytes: 0,
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
        let Counting { work, totals, .. } = &mut *self.counting();
        match work {
            Some(Plan::Resolve { .. }) => totals.captures_resolved += records,
            Some(Plan::Index { .. }) => totals.captures_indexed += records,
            Some(Plan::Scan { .. }) | None => {
                totals.counts.bytes += bytes;
                totals.counts.records += records;
            }
        }
    }

    /// Counts an archive that this call has ended, or that was not read because there is evidence of it.
    pub fn count_archive(&self, outcome: &'static str, counts: &ReadCounts, when: When) {
        let mut counting = self.counting();
        *counting.archives.entry(outcome).or_default() += 1;
        match when {
            When::Earlier => counting.known_bytes += counts.bytes,
            When::Now => {
                counting.totals.counts.captures += counts.captures;
                counting.totals.counts.failures += counts.failures;
            }
        }
    }

    pub fn count_batch(&self, outcome: &'static str) {
        *self.counting().batches.entry(outcome).or_default() += 1;
    }

    pub fn outcomes(&self) -> (Outcomes, Outcomes) {
        let counting = self.counting();
        (counting.archives.clone(), counting.batches.clone())
    }

    pub fn state(&self) -> WorkState {
        let counting = self.counting();
        let mut totals = counting.totals;
        totals.archives_done = counting.archives.values().sum();
        totals.batches_done = counting.batches.values().sum();
        totals.counts.seconds = seconds(counting.begun.elapsed());
        let of_captures = |done, captures| (done, done, done, Some(captures));
        let (units, done, position, total) = match counting.work {
            Some(Plan::Resolve { captures, .. }) => of_captures(totals.captures_resolved, captures),
            Some(Plan::Index { captures, .. }) => of_captures(totals.captures_indexed, captures),
            Some(Plan::Scan { bytes: total, .. }) => {
                let ReadCounts { bytes, records, .. } = totals.counts;
                (records, bytes, bytes + counting.known_bytes, total)
            }
            None => (0, 0, 0, None),
        };
        let elapsed = counting.work_begun.elapsed();
        let left = total.map(|total| total.saturating_sub(position));
        WorkState {
            work: counting.work,
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

fn seconds_left(elapsed: Duration, done: u64, left: u64) -> Option<u64> {
    let milliseconds = elapsed
        .as_millis()
        .checked_mul(left.into())?
        .checked_div(done.into())?;
    u64::try_from(milliseconds.div_ceil(1000)).ok()
}

#[cfg(test)]
mod tests {
    use super::{Plan, ReadCounts, Tally, When, seconds_left};
    use serde_json::{json, to_value};
    use std::time::Duration;

    #[test]
    fn local_the_documentation_lists_each_number_of_a_report() {
        let tally = Tally::begin();
        tally.started(Plan::Scan {
            archives: 1,
            bytes: None,
        });
        tally.advanced(40, 4);
        let totals = tally.state().totals;
        let reported = to_value(totals).expect("JSON");
        assert_eq!(
            (&reported["bytes"], &reported["captures_resolved"]),
            (&json!(40), &json!(0))
        );
        let document = include_str!("../../docs/nightly.md");
        let names = [
            "captures_resolved",
            "captures_indexed",
            "bytes",
            "records",
            "captures",
            "failures",
        ];
        for (name, (metric, meaning, value)) in names.into_iter().zip(totals.counters()) {
            assert_eq!(reported[name], value, "{name}");
            let row = format!("| `{name}` | `crawlprefs_{metric}_total` | {meaning} |");
            assert!(document.contains(&row), "docs/nightly.md has no row {row}");
        }
        for name in reported.as_object().expect("an object").keys() {
            assert!(
                document.contains(&format!("\n| `{name}` | `crawlprefs_")),
                "{name}"
            );
        }
    }

    #[test]
    fn local_what_is_left_is_estimated_from_what_was_done() {
        let second = Duration::from_secs(1);
        for (done, left, seconds) in [
            (0, 10, None),
            (5, 10, Some(2)),
            (10, 0, Some(0)),
            (3, 1, Some(1)),
        ] {
            assert_eq!(seconds_left(second, done, left), seconds, "{done} {left}");
        }
    }

    #[test]
    fn local_records_of_a_resolve_are_captures() {
        let tally = Tally::begin();
        tally.started(Plan::Scan {
            archives: 2,
            bytes: Some(100),
        });
        tally.advanced(40, 4);
        tally.count_archive(
            "known",
            &ReadCounts {
                bytes: 60,
                ..ReadCounts::default()
            },
            When::Earlier,
        );
        assert_eq!(tally.state().seconds_left, Some(0));
        tally.started(Plan::Resolve {
            batches: 1,
            captures: 9,
        });
        tally.advanced(0, 9);
        let state = tally.state();
        assert_eq!(
            (state.totals.captures_resolved, state.totals.counts.records),
            (9, 4)
        );
        assert_eq!((state.per_second, state.seconds_left), (9, Some(0)));
    }
}
