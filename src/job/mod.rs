//! The job: batches of archives read in parallel, their evidence written as tables.
//!
//! [`Job::run`] is the library's entry. It takes inputs, a store and a listener, and returns a
//! summary; it prints nothing, keeps nothing global and never ends the process.

mod batch;
mod crew;
pub(crate) mod manifest;
mod part;
mod progress;
pub(crate) mod resolve;
mod scan;
mod summary;

pub use batch::{Batch, Segment, Share, Slice, Unit};
pub use manifest::{InputEntry, Manifest, PartEntry};
pub use progress::{Plan, Progress, Silent};
pub use resolve::{ResolveOptions, ResolveTally, Scope};
pub use summary::Summary;

use crate::archive::Input;
use crate::error::Error;
use crate::evidence::MetaReading;
use crate::evidence::noise::NOISE_VERSION;
use crate::store::Store;
use crate::tables::Footer;
use crate::web::suffix_list::SuffixList;
use crew::{Crew, Tools};
use manifest::{Identity, RunFile};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// What a worker may need: an inflated member, a part's row groups in the making, pieces kept back.
const WORKER_BYTES: u64 = 192 << 20;
/// What an archive that is not next in line may keep back, by default.
const HELD_BACK_BYTES: usize = 64 << 20;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// The archives.
    pub inputs: Vec<Input>,
    /// The crawl, where it is not to be taken from the archives' names; see `archive::crawl_id`.
    pub crawl: Option<String>,
    /// Whether metas of pages are read.
    pub metas: MetaReading,
    /// How many workers; fewer are started where there are fewer archives, or little memory.
    pub jobs: NonZeroUsize,
    /// How much memory to use at most, in bytes; about, and no less than one worker needs.
    pub memory_bytes: Option<u64>,
    /// How much of the work.
    pub share: Share,
    /// What to do with an earlier run's output.
    pub existing: Existing,
}

/// What to do with an earlier run's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Go on where the same run was left; refuse another run's.
    Continue,
    /// Replace it.
    Replace,
}

impl Options {
    /// Returns the options for `inputs`, all else as users get it who ask for nothing.
    #[must_use]
    pub fn new(inputs: Vec<Input>) -> Self {
        Self {
            inputs,
            crawl: None,
            metas: MetaReading::Read,
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: None,
            share: Share::ALL,
            existing: Existing::Continue,
        }
    }
}

/// The job.
pub struct Job;

impl Job {
    /// Returns the batches that [`Job::run`] would work on.
    ///
    /// # Errors
    /// [`Error::NoInputs`], [`Error::SameName`].
    pub fn batches(options: &Options) -> Result<Vec<Batch>, Error> {
        batch::batches(&options.inputs, options.crawl.as_deref(), &options.share)
    }

    /// Scans archives to evidence: the tables `captures`, `site_files`, `failures`, `archives`.
    ///
    /// # Errors
    /// Why the job could not run, or not go on; damaged inputs are no error.
    pub fn run(options: &Options, store: &dyn Store, progress: &dyn Progress) -> Result<Summary, Error> {
        let batches = Self::batches(options)?;
        let suffixes = SuffixList::bundled();
        if options.existing == Existing::Replace {
            Identity::clear(store, RunFile::Scan)?;
        }
        Identity::new(identity_options(options, &suffixes)).claim(store, RunFile::Scan)?;
        let (finished, ahead) = sort_out(batches, store)?;
        progress.started(&plan(&finished, &ahead));
        let workers = workers(options, &ahead);
        let tools = Tools {
            store,
            progress,
            suffixes: &suffixes,
            metas: options.metas,
            footer: footer(options, &suffixes),
            held_back_bytes: held_back_bytes(options, workers),
        };
        let crew = Crew::new(&ahead, tools);
        pool("worker", workers)?.broadcast(|_| crew.work());
        let results = crew.results();
        match results.error {
            Some(source) => Err(Error::OutputUnwritable { location: store.location(), source }),
            None => Ok(Summary::new(finished, results)),
        }
    }
}

impl Job {
    /// Tells, before a scan, whether `store` holds tables of another viewpoint than `options` ask for.
    ///
    /// # Errors
    /// [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
    pub fn check_resolve(store: &dyn Store, options: &ResolveOptions, later: bool) -> Result<(), Error> {
        resolve::check(store, options, later)
    }

    /// Resolves the evidence in `evidence` to the chosen tables in `store`, which may be the same place;
    /// `later` is the evidence of a later crawl to judge by, too.
    ///
    /// # Errors
    /// Why the job could not run, or not go on.
    pub fn resolve(
        evidence: &dyn Store,
        later: Option<&dyn Store>,
        store: &dyn Store,
        options: &ResolveOptions,
        progress: &dyn Progress,
    ) -> Result<ResolveTally, Error> {
        resolve::resolve(evidence, later, store, options, progress)
    }
}

/// Returns so many threads, with names for debuggers and profilers.
fn pool(name: &'static str, jobs: usize) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .thread_name(move |number| format!("{name}-{number}"))
        .build()
        .map_err(|error| Error::Workers { jobs, detail: error.to_string() })
}

/// Parts the batches into the manifests of finished ones and those to work on.
fn sort_out(batches: Vec<Batch>, store: &dyn Store) -> Result<(Vec<Manifest>, Vec<Batch>), Error> {
    let mut finished = Vec::new();
    let mut ahead = Vec::new();
    for batch in batches {
        let manifest = Manifest::of_finished(store, &batch)
            .map_err(|source| Error::OutputUnwritable { location: store.location(), source })?;
        match manifest {
            Some(manifest) => finished.push(manifest),
            None => ahead.push(batch),
        }
    }
    Ok((finished, ahead))
}

fn plan(finished: &[Manifest], ahead: &[Batch]) -> Plan {
    let inputs = || ahead.iter().flat_map(|batch| &batch.inputs);
    Plan {
        batches: finished.len() + ahead.len(),
        finished_batches: finished.len(),
        archives: inputs().count(),
        bytes: inputs().map(|input| input.source.bytes()).sum(),
    }
}

/// Returns how many workers there are: never more than archives, and as memory allows.
fn workers(options: &Options, ahead: &[Batch]) -> usize {
    let archives = ahead.iter().map(|batch| batch.inputs.len()).sum::<usize>().max(1);
    let allowed = options
        .memory_bytes
        .map_or(usize::MAX, |bytes| usize::try_from(bytes / WORKER_BYTES).unwrap_or(usize::MAX).max(1));
    options.jobs.get().min(archives).min(allowed)
}

fn held_back_bytes(options: &Options, workers: usize) -> usize {
    let share = options.memory_bytes.map(|bytes| bytes / workers as u64 / 4);
    share.map_or(HELD_BACK_BYTES, |share| usize::try_from(share).unwrap_or(usize::MAX).min(HELD_BACK_BYTES))
}

/// What must be the same for two calls to be one run.
fn identity_options(options: &Options, suffixes: &SuffixList) -> BTreeMap<String, String> {
    footer(options, suffixes).into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn footer(options: &Options, suffixes: &SuffixList) -> Footer {
    let metas = match options.metas {
        MetaReading::Read => "read",
        MetaReading::Skip => "skipped",
    };
    vec![
        ("metas", metas.to_owned()),
        ("noise_list", NOISE_VERSION.to_owned()),
        ("public_suffix_list", suffixes.version().to_owned()),
    ]
}
