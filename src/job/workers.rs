//! The workers: each takes one archive after the other.
//!
//! Also the totals of a scan over all its archives, including those with earlier evidence.

use super::archive::{Tools, scan_archive};
use super::cores::Cores;
use super::lock;
use super::outcome::{FailedInput, Scanned, When};
use crate::evidence::Depth;
use crate::runs::{CrawlInput, Manifest, add_all};
use crate::store::Stopped;
use crate::tables::archives::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What all workers share.
pub struct Workers<'j> {
    archives: &'j [CrawlInput],
    next: AtomicUsize,
    results: Mutex<Results>,
    tools: Tools<'j>,
}

/// How the work went.
#[derive(Default)]
pub struct Results {
    pub scanned: Vec<Scanned>,
    /// Archives whose reading ended in a panic, and its message.
    pub panicked: Vec<(String, String)>,
    pub stopped: bool,
    /// Why the output could not be written.
    pub error: Option<io::Error>,
}

impl<'j> Workers<'j> {
    pub fn new(archives: &'j [CrawlInput], tools: Tools<'j>) -> Self {
        Self {
            archives,
            next: AtomicUsize::new(0),
            results: Mutex::default(),
            tools,
        }
    }

    /// Works until nothing is left; every worker calls it.
    pub fn work(&self, cores: &Cores) {
        while let Some(archive) = self.take() {
            let _core = cores.take();
            // A panic is a bug of ours in reading one archive; the others are still read.
            let begun = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| scan_archive(archive, &self.tools))) {
                Ok(Ok(scanned)) => {
                    self.tools.progress.archive_ended(
                        &archive.input.name,
                        &scanned,
                        begun.elapsed(),
                    );
                    lock(&self.results).scanned.push(scanned);
                }
                Ok(Err(error)) if Stopped::is_cause(&error) => lock(&self.results).stopped = true,
                Ok(Err(error)) => drop(lock(&self.results).error.get_or_insert(error)),
                Err(panic) => {
                    let name = archive.input.name.filename();
                    let detail = message(panic.as_ref());
                    self.tools.progress.failed(name, &detail);
                    lock(&self.results).panicked.push((name.to_owned(), detail));
                }
            }
        }
    }

    pub fn into_results(self) -> Results {
        self.results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<&'j CrawlInput> {
        let results = lock(&self.results);
        if results.error.is_some() || results.stopped {
            return None;
        }
        drop(results);
        if self.tools.progress.should_stop() {
            lock(&self.results).stopped |= self.next.load(Ordering::Relaxed) < self.archives.len();
            return None;
        }
        let archive = self
            .archives
            .get(self.next.fetch_add(1, Ordering::Relaxed))?;
        archive.input.source.refusal().is_none().then_some(archive)
    }
}

pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
        .to_owned()
}

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
        let mut summary = Self {
            stopped: results.stopped,
            panicked: results.panicked,
            ..Self::default()
        };
        for scanned in results.scanned {
            summary.add(scanned);
        }
        summary.panicked.sort();
        summary
            .failed_inputs
            .sort_by(|one, other| one.warc_filename.cmp(&other.warc_filename));
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
        add_all(&mut self.captures, &manifest.captures);
        add_all(&mut self.failures, &manifest.failures_by_kind);
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
