//! The job: scans archives to evidence in parallel, and resolves evidence to tables.
//!
//! [`discover`] finds archives, [`scan`] reads them, [`resolve`] makes tables of their evidence, and [`run`] does both. They
//! print nothing, keep nothing global and never end the process.

mod archive;
mod base;
mod copy;
mod cores;
mod discover;
mod extract;
mod known;
mod named_captures;
mod open;
mod outcome;
mod record_copy;
mod resolve;
mod scan;
mod share;
mod status;
mod until_stopped;
mod urls;
mod verify;
mod workers;
mod writer;

pub use base::is_path_below;
pub use copy::{Again, Changed};
pub use discover::{Discovered, Named, discover};
pub use extract::{Extracted, Extraction};
#[doc(hidden)]
pub use named_captures::NamedCapture;
pub use outcome::{FailedInput, Plan, Progress, Scanned, Silent, When};
pub use record_copy::RecordPlace;
pub use resolve::{
    AsOf, AsOfVocabulary, HostTally, PartPlan, ResolveOptions, ResolveTally, SiteTally, plan,
    resolve, resolve_index,
};
pub use share::{Draw, Share, Slice, Unit, select};
pub use status::{
    ArchiveStatus, EvidenceStatus, Status, StatusOptions, SubsetStatus, status, unread,
};
pub use verify::Checked;
#[doc(hidden)]
pub use verify::{OriginalArchives, VERIFY_SCRIPT, script_digest};
pub use workers::Summary;

pub use crate::plan::{Comparison, Existing, Kept, Missing, Step, Why};
pub use crate::runs::{CrawlInput, Scope, Segment, TableOptions, default_memory_bytes};

use crate::archive::{CrawlId, Input};
use crate::error::Error;
use crate::evidence::Depth;
use crate::evidence::noise::NOISE_VERSION;
use crate::runs::{Identity, RunFile, fitting, pool};
use crate::store::{Stopped, Store};
use crate::tables::{EVIDENCE_FORMAT, SUFFIX_LIST};
use crate::web::suffix_list;
use archive::Tools;
use cores::{Cores, Waiting};
use known::KnownArchives;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use until_stopped::UntilStopped;
use workers::Workers;

/// What a worker may need: an inflated member and the row groups that it fills.
const WORKER_BYTES: u64 = 192 << 20;

/// Which archives are scanned, and how.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// The archives.
    pub inputs: Vec<Input>,
    /// The crawl, if it is not to be taken from the archives' names.
    pub crawl: Option<CrawlId>,
    /// How much of each record is read.
    pub depth: Depth,
    /// What is done with another archive of a known name.
    pub changed: Changed,
    /// Which archives are read again although their evidence exists.
    pub again: Again,
    /// How evidence is compared with its manifest: by names and lengths, or by bytes, which also reads damaged archives again.
    pub comparison: Comparison,
    /// How long an undamaged archive behind a URL is believed to be the one that was read, if no listing has its version.
    pub recheck: Duration,
    /// The number of workers; fewer start if there are fewer archives or little memory.
    pub jobs: NonZeroUsize,
    /// How many archives are read at once from a network; `None`: one per worker. Workers limit how many are worked on at once.
    pub downloads: Option<NonZeroUsize>,
    /// The most memory to use, in bytes; approximate, and at least what one worker needs. `None`: see [`default_memory_bytes`].
    pub memory_bytes: Option<u64>,
    /// Which part of the work.
    pub share: Share,
}

impl ScanOptions {
    /// Returns the options for `inputs`, with defaults for everything else.
    pub fn new(inputs: Vec<Input>) -> Self {
        Self {
            inputs,
            crawl: None,
            depth: Depth::Full,
            changed: Changed::Refuse,
            again: Again::default(),
            comparison: Comparison::Lengths,
            recheck: Duration::from_hours(7 * 24),
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            downloads: None,
            memory_bytes: None,
            share: Share::ALL,
        }
    }

    /// Returns the archives that [`scan`] would work on, in the order of their names; two of one name are an error.
    pub fn archives(&self) -> Result<Vec<CrawlInput>, Error> {
        share::select(&self.inputs, self.crawl.as_ref(), &self.share)
    }
}

/// Returns what [`scan`] would do with each archive, by the names and lengths of the files in the output, by what the store
/// remembers, and by the ends of archives on disks; it writes nothing. With a view, of a [`run`].
pub fn plan_scan(
    archives: &[CrawlInput],
    options: &ScanOptions,
    view: Option<&ResolveOptions>,
    store: &dyn Store,
) -> Result<Vec<Step>, Error> {
    view.map_or(Ok(()), |view| resolve::check(store, view))?;
    identity().check(store, RunFile::Scan, Existing::Continue)?;
    let unreadable = |source| Error::EvidenceUnreadable {
        location: store.location(),
        source,
    };
    let known = &KnownArchives::look_up(store, archives, options.comparison).map_err(unreadable)?;
    let found = known.find_all(store, archives).map_err(unreadable)?;
    // Nothing is read or written, so that there is no progress and no footer.
    let tools = Tools {
        store,
        progress: &Silent,
        options,
        known,
        footer: Vec::new(),
    };
    let steps = archives.iter().zip(found);
    steps
        .map(|(archive, found)| archive::step(archive, &found, &tools).map_err(unreadable))
        .collect()
}

/// What must be the same for two scans to be one run. The footers' lists are not part of it: the noise list is recorded
/// for each archive, and domains are computed again when evidence is resolved.
fn identity() -> Identity {
    let format = ("evidence_format".to_owned(), EVIDENCE_FORMAT.to_owned());
    Identity::new([format].into(), Vec::new())
}

/// Scans archives to evidence: the tables `captures` and `site_files`, and a manifest for each archive.
pub fn scan(
    options: &ScanOptions,
    store: &dyn Store,
    progress: &dyn Progress,
) -> Result<Summary, Error> {
    match scan_all(options, store, progress) {
        Err(error) if Stopped::is_cause(&error) => Ok(Summary {
            stopped: true,
            ..Summary::default()
        }),
        scanned => scanned,
    }
}

fn scan_all(
    options: &ScanOptions,
    store: &dyn Store,
    progress: &dyn Progress,
) -> Result<Summary, Error> {
    let mut archives = options.archives()?;
    if options.inputs.is_empty() {
        return Ok(Summary::default());
    }
    let cores = Arc::new(Cores::new(options.jobs.get()));
    let is_remote = archives
        .iter()
        .any(|archive| archive.input.source.is_remote());
    if is_remote && options.downloads.is_some() {
        for CrawlInput { input, .. } in &mut archives {
            if input.source.is_remote() {
                let inner = Arc::clone(&input.source);
                input.source = Arc::new(Waiting {
                    inner,
                    cores: Arc::clone(&cores),
                });
            }
        }
    }
    identity().claim(store, RunFile::Scan)?;
    let footer = vec![
        ("noise_list", NOISE_VERSION.to_owned()),
        (SUFFIX_LIST, suffix_list::version().to_owned()),
    ];
    let bytes = archives
        .iter()
        .map(|archive| archive.input.source.bytes())
        .sum();
    progress.started(&Plan::Scan {
        archives: archives.len(),
        bytes,
    });
    let stoppable = UntilStopped::new(store, progress);
    let unwritable = |source| Error::OutputUnwritable {
        location: store.location(),
        source,
    };
    let known =
        &KnownArchives::look_up(&stoppable, &archives, options.comparison).map_err(unwritable)?;
    let workers = Workers::new(
        &archives,
        Tools {
            store,
            progress,
            options,
            known,
            footer,
        },
    );
    let most = options
        .downloads
        .filter(|_| is_remote)
        .map_or(options.jobs, |most| most.max(options.jobs));
    let fitting = fitting(options.memory_bytes.unwrap_or_else(default_memory_bytes) / WORKER_BYTES);
    let pool = pool("worker", most.get().min(archives.len().max(1)).min(fitting))?;
    pool.broadcast(|_| workers.work(&cores));
    known.write(store);
    let mut results = workers.into_results();
    let refusal = || {
        archives
            .iter()
            .find_map(|archive| archive.input.source.refusal())
    };
    match (results.error.take(), refusal()) {
        (Some(source), _) => Err(unwritable(source)),
        (None, Some(detail)) => Err(Error::Refused { detail }),
        (None, None) => read_or_left(&archives, Summary::new(results)),
    }
}

/// What was read, or why a host that gave nothing is left alone.
fn read_or_left(archives: &[CrawlInput], summary: Summary) -> Result<Summary, Error> {
    let left = || {
        archives
            .iter()
            .find_map(|archive| archive.input.source.left_alone())
    };
    let is_nothing = !archives.is_empty()
        && summary.failed_inputs.len() == summary.inputs
        && summary.inputs_of_earlier_calls == 0
        && summary.records == 0;
    match left().filter(|_| is_nothing) {
        Some(detail) => Err(Error::Refused { detail }),
        None => Ok(summary),
    }
}

/// Scans archives, and resolves the evidence of their segments to tables in the same place, unless the scan was stopped or empty.
pub fn run(
    options: &ScanOptions,
    resolve_options: &ResolveOptions,
    store: &dyn Store,
    progress: &dyn Progress,
) -> Result<(Summary, Option<ResolveTally>), Error> {
    let archives = options.archives()?;
    // Conflicting options of the second half must not be found after hours of the first.
    resolve::check(store, resolve_options)?;
    let summary = scan(options, store, progress)?;
    if summary.stopped || archives.is_empty() {
        return Ok((summary, None));
    }
    let mut resolve_options = resolve_options.clone();
    resolve_options.segments = Some(archives.iter().map(CrawlInput::segment).collect());
    let tally = resolve(&[store], store, &resolve_options, progress)?;
    Ok((summary, Some(tally)))
}

/// Locks a value; if a thread panicked with it, it is as that thread left it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
