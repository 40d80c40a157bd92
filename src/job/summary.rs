//! The totals of a scan over all its archives, including those with earlier evidence.

use super::outcome::{FailedInput, Scanned, When};
use super::workers::Results;
use crate::evidence::Depth;
use crate::runs::Manifest;
use crate::tables::archives::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// The totals of a scan. Some have other names in a report, to distinguish them from the counts of the call itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Inputs.
    pub inputs: usize,
    /// Of these, inputs with evidence of an earlier call, which counts.
    pub inputs_of_earlier_calls: usize,
    /// Inputs that could not be read, or not to their end.
    pub failed_inputs: Vec<FailedInput>,
    /// Archives whose reading ended in a panic, which is a bug, and its message.
    pub panicked: Vec<(String, String)>,
    /// Whether the work was stopped before its end.
    #[serde(skip)] // a report says it of the whole call
    pub stopped: bool,
    /// Bytes read.
    #[serde(rename = "archive_bytes")]
    pub bytes: u64,
    /// Records read.
    #[serde(rename = "archive_records")]
    pub records: u64,
    /// Archives that were to be read with `--depth heads` but were read in full, because only that is safe.
    pub read_in_full: u64,
    /// Captures by kind.
    #[serde(rename = "captures_by_kind")]
    pub captures: BTreeMap<String, u64>,
    /// Distinct bodies of site files, archive by archive.
    pub site_files: u64,
    /// Records of no interest.
    pub no_interest: u64,
    /// Records lost to damage.
    pub records_lost: u64,
    /// Failures by kind.
    #[serde(rename = "failures_by_kind")]
    pub failures: BTreeMap<String, u64>,
}

impl Summary {
    pub(super) fn new(results: Results) -> Self {
        let mut summary = Self { stopped: results.stopped, panicked: results.panicked, ..Self::default() };
        for scanned in results.scanned {
            summary.add(scanned);
        }
        summary.panicked.sort();
        summary.failed_inputs.sort_by(|one, other| one.warc_filename.cmp(&other.warc_filename));
        summary
    }

    fn add(&mut self, scanned: Scanned) {
        self.inputs += 1;
        self.inputs_of_earlier_calls +=
            usize::from(scanned.when == When::Earlier && scanned.manifest.is_some());
        let manifest = scanned.manifest.as_ref();
        let incomplete = manifest.filter(|manifest| manifest.row.outcome != Outcome::Read);
        let failed = scanned.failed.or_else(|| {
            incomplete.map(|manifest| FailedInput::of_row(&manifest.warc_filename, &manifest.row))
        });
        self.failed_inputs.extend(failed);
        if let Some(manifest) = manifest {
            self.add_manifest(manifest);
        }
    }

    fn add_manifest(&mut self, manifest: &Manifest) {
        self.bytes += manifest.row.bytes;
        self.records += manifest.row.records;
        let skips = manifest.row.depth.is_some_and(Depth::skips_bodies);
        self.read_in_full += u64::from(skips && manifest.row.bodies_skipped == 0);
        self.no_interest += manifest.row.no_interest();
        self.records_lost += manifest.row.records_lost;
        self.site_files += manifest.site_files();
        for (kind, count) in &manifest.captures {
            *self.captures.entry(kind.clone()).or_default() += count;
        }
        for (kind, count) in &manifest.failures_by_kind {
            *self.failures.entry(kind.clone()).or_default() += count;
        }
    }

    /// Returns how many captures there are.
    pub fn all_captures(&self) -> u64 {
        self.captures.values().sum()
    }

    /// Returns how many failures there are.
    pub fn all_failures(&self) -> u64 {
        self.failures.values().sum()
    }
}
