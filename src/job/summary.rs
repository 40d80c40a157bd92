//! What a run came to, over all its batches, those finished by earlier calls included.

use super::crew::Results;
use super::manifest::{InputEntry, Manifest};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Batches that are whole.
    pub batches: usize,
    /// Of these, finished by an earlier call.
    pub batches_of_earlier_calls: usize,
    /// Batches given up because of a bug, and what was seen of it.
    pub failed_batches: Vec<(String, String)>,
    /// Whether the work was stopped before its end.
    pub stopped: bool,
    /// Inputs.
    pub inputs: usize,
    /// Inputs that could not be read, or not to their end.
    pub failed_inputs: Vec<InputEntry>,
    /// Bytes read.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
    /// Captures by kind.
    pub captures: BTreeMap<String, u64>,
    /// Distinct bodies of site files, batch by batch.
    pub site_files: u64,
    /// Records of no interest.
    pub no_interest: u64,
    /// Records lost to damage.
    pub records_lost: u64,
    /// Failures by kind.
    pub failures: BTreeMap<String, u64>,
}

impl Summary {
    /// Adds up.
    #[must_use]
    pub(super) fn new(earlier: Vec<Manifest>, results: Results) -> Self {
        let mut summary = Self {
            batches_of_earlier_calls: earlier.len(),
            failed_batches: results.failed,
            stopped: results.stopped,
            ..Self::default()
        };
        let mut manifests = earlier;
        manifests.extend(results.manifests);
        manifests.sort_by(|one, other| (&one.crawl, &one.batch).cmp(&(&other.crawl, &other.batch)));
        for manifest in manifests {
            summary.add(manifest);
        }
        summary.failed_batches.sort();
        summary
    }

    fn add(&mut self, manifest: Manifest) {
        self.batches += 1;
        self.inputs += manifest.inputs.len();
        self.bytes += manifest.inputs.iter().map(|input| input.bytes).sum::<u64>();
        self.records += manifest.inputs.iter().map(|input| input.records).sum::<u64>();
        self.no_interest += manifest.no_interest;
        self.records_lost += manifest.records_lost;
        let site_files = manifest.parts.iter().filter(|part| part.file.starts_with("evidence/site_files/"));
        self.site_files += site_files.map(|part| part.rows).sum::<u64>();
        for (kind, count) in manifest.captures {
            *self.captures.entry(kind).or_default() += count;
        }
        for (kind, count) in manifest.failures {
            *self.failures.entry(kind).or_default() += count;
        }
        self.failed_inputs.extend(manifest.inputs.into_iter().filter(|input| input.outcome != "read"));
    }

    /// Returns how many captures there are.
    #[must_use]
    pub fn all_captures(&self) -> u64 {
        self.captures.values().sum()
    }

    /// Returns how many failures there are.
    #[must_use]
    pub fn all_failures(&self) -> u64 {
        self.failures.values().sum()
    }
}
