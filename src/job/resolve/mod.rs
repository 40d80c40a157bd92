//! Resolving: makes the chosen tables from evidence.
//!
//! Works segment by segment if the inputs are Common Crawl's, because robots.txt and pages of a segment belong together; with
//! one index over all other inputs. In a segment, the batches of some dozens of archives come first and give one part of each
//! table, then the site files. All workers share one or two batches at once, slice by slice; segments overlap if memory allows.

use super::outcome::{Plan, Progress};
use super::share::{Share, Unit};
use super::until_stopped::{UntilStopped, go_on};
use super::workers::message;
use crate::error::Error;
use crate::robots::VendorTexts;
use crate::runs::{
    BatchName, CrawlInput, EvidenceFault, Existing, Group, Look, Made, RunFile, Segment, Sites, TableOptions,
    default_memory_bytes, in_words, load, pool,
};
use crate::store::Store;
use crate::tables::sites::SITES;
use crate::tables::statements::STATEMENTS;
use crate::tables::{ChosenTables, Footer};
use crate::verdict::Resolver;
use batch::MERGED_BYTES;
use hosts::count_hosts;
use origins::crawls;
use parallel::at_once;
use plan::refuse_damaged_evidence;
use prepared::{KnownGroup, Prepared, list_tables, look_up, prepare};
use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

mod as_of;
mod as_of_rows;
mod batch;
mod file_rows;
mod files;
mod host_tally;
mod hosts;
mod origins;
mod parallel;
mod part;
mod plan;
mod prepared;
mod site;
mod site_judging;
mod sites;
mod tally;

pub use as_of::{AsOf, AsOfVocabulary, resolve_index};
pub use host_tally::HostTally;
pub use host_tally::SiteTally;
pub use plan::{PartPlan, PartStatus, Step, audit, evidence_faults, plan};
pub use tally::ResolveTally;

/// How evidence is to be resolved.
#[derive(Clone, Debug)]
pub struct ResolveOptions {
    /// Options that decide the rows.
    pub tables: TableOptions,
    /// The segments to work on; `None`: all of the evidence.
    pub segments: Option<BTreeSet<Segment>>,
    /// Which share of them, in segments.
    pub share: Share,
    /// The number of workers; fewer start if there is little memory.
    pub jobs: NonZeroUsize,
    /// The most memory to use, in bytes; approximate, and at least what one worker and the index of a segment need. `None`: see
    /// [`default_memory_bytes`](crate::runs::default_memory_bytes).
    pub memory_bytes: Option<u64>,
    /// What to do with tables of another viewpoint.
    pub existing: Existing,
    /// What to do with tables of archives that have no evidence now.
    pub missing: Missing,
    /// Archives that must be read to their end before tables of their segments are made.
    pub required: Vec<CrawlInput>,
    /// How existing tables are compared with their manifests; changed ones are made again.
    pub look: Look,
}

impl ResolveOptions {
    /// Returns the options for some tables, with defaults for everything else.
    pub fn new(tables: impl Into<TableOptions>) -> Self {
        Self {
            tables: tables.into(),
            segments: None,
            share: Share { unit: Unit::Segment, ..Share::ALL },
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: None,
            existing: Existing::Continue,
            missing: Missing::Refuse,
            required: Vec::new(),
            look: Look::Lengths,
        }
    }
}

/// What to do with tables that were made of more archives than there are now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// They stay, and nothing is resolved.
    Refuse,
    /// They are made again without these archives, or removed.
    Drop,
}

/// Shared by all batches.
struct Work<'w> {
    store: &'w dyn Store,
    resolver: &'w Resolver,
    tables: &'w ChosenTables,
    slack: Duration,
    footer: Footer,
    /// In words: for whom, and by which lists.
    viewpoint: String,
    vendor_texts: &'w VendorTexts,
    limits: Limits,
    pool: &'w rayon::ThreadPool,
    look: Look,
    progress: &'w dyn Progress,
}

impl Work<'_> {
    /// Fails once progress asks to stop; called in every loop over content from the web.
    fn go_on(&self) -> io::Result<()> {
        go_on(self.progress)
    }

    /// The work on a group: the footers of its parts name the lists of its archives.
    fn of_group(&self, group: &Group<'_>) -> Self {
        let design = ("design", group.design());
        Self {
            footer: self.footer.iter().cloned().chain([design]).collect(),
            viewpoint: self.viewpoint.clone(),
            ..*self
        }
    }

    /// Whether the origins of captures are needed: for their rows, or for statements of their files.
    fn needs_origins(&self) -> bool {
        needs_origins(self.tables)
    }
}

fn needs_origins(tables: &ChosenTables) -> bool {
    tables.has(&SITES) || tables.has(&STATEMENTS)
}

/// Checks, before hours of work, whether `store` holds tables of another viewpoint.
///
/// # Errors
/// [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
pub fn check(store: &dyn Store, options: &ResolveOptions) -> Result<(), Error> {
    if options.existing == Existing::Replace {
        return Ok(());
    }
    let footer = options.tables.footer();
    options.tables.identity(&footer, Vec::new()).is_there(store, RunFile::Resolve).map(drop)
}

/// Resolves the evidence of some folders, taken as one, into tables in `store`, which may be one of them.
pub fn resolve(
    evidence: &[&dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let stoppable: Vec<_> = evidence.iter().map(|store| UntilStopped::new(*store, progress)).collect();
    let evidence: Vec<&dyn Store> = stoppable.iter().map(|store| store as &dyn Store).collect();
    match resolve_all(&evidence, store, options, progress) {
        Err(_) if progress.should_stop() => Ok(ResolveTally { stopped: true, ..ResolveTally::default() }),
        resolved => resolved,
    }
}

fn resolve_all(
    evidence: &[&dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let failed = |source| failure(source, store);
    let mut prepared = prepare(evidence, store, options)?;
    prepared.claim(store, options)?;
    if let Some(words) = prepared.kept_words(store) {
        progress.noted("tables_kept", &words);
    }
    let Prepared { groups, made, footer, .. } = prepared;
    let resolver = Resolver::new(options.tables.viewpoint.clone(), &options.tables.agents);
    let limits = Limits::new(options, &groups);
    let pool = &pool("resolver", limits.workers)?;
    let vendor_texts = &VendorTexts::bundled();
    let (resolver, slack) = (&resolver, options.tables.slack);
    let (tables, look) = (&options.tables.chosen, options.look);
    let work = Work {
        store,
        resolver,
        tables,
        slack,
        viewpoint: in_words(&footer),
        footer,
        vendor_texts,
        limits,
        pool,
        look,
        progress,
    };
    work_on(&groups, &made, &work).map_err(failed)
}

fn failure(source: io::Error, store: &dyn Store) -> Error {
    match source.downcast::<EvidenceFault>() {
        Ok(fault) => Error::EvidenceDamaged { fault: fault.to_string() },
        Err(source) => Error::OutputUnwritable { location: store.location(), source },
    }
}

fn work_on(groups: &[Group<'_>], made: &Made, work: &Work<'_>) -> io::Result<ResolveTally> {
    let known = look_up(groups, made, work)?;
    let batches = || known.iter().flat_map(|group| &group.batches);
    let ahead = || batches().filter(|(_, finished)| finished.is_none());
    let captures = ahead().map(|(batch, _)| batch.captures()).sum();
    work.progress.started(&Plan::Resolve { batches: ahead().count(), captures });
    let tally = Mutex::new(ResolveTally { segments: groups.len(), ..ResolveTally::default() });
    let groups: Vec<_> = groups.iter().zip(&known).collect();
    at_once(&groups, work.limits.groups, |(group, known)| {
        work_on_group(group, known, &Caller { work, tally: &tally })
    })?;
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.failed_batches.sort();
    if work.tables.has(&SITES) && tally.failed_batches.is_empty() && !tally.stopped {
        let groups: Vec<_> = groups.iter().map(|(group, _)| *group).collect();
        for (crawl, hosts) in count_hosts(&groups, work)? {
            tally.crawls.entry(crawl).or_default().hosts = Some(Box::new(hosts));
        }
    }
    Ok(tally)
}

/// The work, and its counts.
struct Caller<'c> {
    work: &'c Work<'c>,
    tally: &'c Mutex<ResolveTally>,
}

impl Caller<'_> {
    fn add(&self, part: &ResolveTally) {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).add(part);
    }

    /// Counts the results of a part, also for its crawl; `None`: it spans several.
    fn add_of(&self, crawl: Option<&str>, part: &ResolveTally) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(part);
        if let Some(crawl) = crawl {
            tally.crawls.entry(crawl.to_owned()).or_default().add(part);
        }
    }

    /// Whether the work is to stop; counts that.
    fn stops(&self) -> bool {
        let stopped = self.work.progress.should_stop();
        if stopped {
            self.add(&ResolveTally { stopped, ..ResolveTally::default() });
        }
        stopped
    }

    /// Works on a part on the pool's workers and counts its results; returns whether it is whole. A panic, a bug of ours, must
    /// not affect other parts.
    fn try_part(
        &self,
        name: &BatchName,
        crawl: Option<&str>,
        resolve: impl FnOnce() -> io::Result<ResolveTally> + Send,
    ) -> io::Result<bool> {
        match catch_unwind(AssertUnwindSafe(|| self.work.pool.install(resolve))) {
            Ok(Err(_)) if self.stops() => return Ok(false),
            Ok(resolved) => self.add_of(crawl, &resolved?),
            Err(panic) => {
                let detail = message(panic.as_ref());
                self.work.progress.failed(&name.id, &detail);
                let failed_batches = vec![(name.id.clone(), detail)];
                self.add(&ResolveTally { failed_batches, ..ResolveTally::default() });
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn work_on_group(group: &Group<'_>, known: &KnownGroup<'_>, caller: &Caller<'_>) -> io::Result<()> {
    if caller.stops() {
        return Ok(());
    }
    let caller = &Caller { work: &caller.work.of_group(group), tally: caller.tally };
    let Caller { work, .. } = *caller;
    let mut ahead = Vec::new();
    for (batch, finished) in &known.batches {
        match finished {
            Some(finished) => caller.add_of(Some(&batch.name.crawl), &finished.tally),
            None => ahead.push(batch),
        }
    }
    let (site, crawls) = (group.site_part(), crawls(group));
    let crawl = crawls.first().filter(|_| crawls.len() == 1).map(String::as_str);
    if ahead.is_empty()
        && let Some(finished) = &known.site
    {
        caller.add_of(crawl, &finished.tally);
        return Ok(());
    }
    let archives: Vec<_> = group.archives.iter().collect();
    let cache_bytes = work.limits.cache_bytes;
    let index = match work.pool.install(|| load(&archives, Sites::All, cache_bytes, &|| work.go_on())) {
        Err(_) if caller.stops() => return Ok(()),
        loaded => &loaded?,
    };
    // First, so that pages and captures find the facts of each body.
    let mut read = None;
    let is_read = caller.try_part(&site, crawl, || {
        read = Some(site::read_files(group, &site, index.bodies(), work)?);
        Ok(ResolveTally::default())
    })?;
    let is_whole = AtomicBool::new(is_read);
    at_once(&ahead, work.limits.batches, |batch| {
        let begun = Instant::now();
        let resolve = || batch::resolve_batch(batch, &group.fingerprint, index, work);
        if !caller.stops() && caller.try_part(&batch.name, Some(&batch.name.crawl), resolve)? {
            work.progress.batch_resolved(&batch.name.id, batch.captures(), begun.elapsed());
        } else {
            is_whole.store(false, Ordering::Relaxed);
        }
        Ok(())
    })?;
    if let Some(read) = read.filter(|_| is_whole.into_inner()) {
        // Last, as it needs the origins that the batches have found.
        caller.try_part(&site, crawl, || site::write_site_tables(group, &site, read, index, work))?;
    }
    Ok(())
}

/// What may be held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub workers: usize,
    pub groups: usize,
    /// Batches of one group.
    pub batches: usize,
    /// Bytes of compiled site files of one group.
    pub cache_bytes: usize,
}

/// What a worker needs: the captures and rows of its slices, and a share of the parts' row groups.
const WORKER_BYTES: u64 = 64 << 20;
/// What a capture of a site file needs in an index, with its URL and its body's place.
const CAPTURE_BYTES: u64 = 300;

impl Limits {
    /// Returns them for some groups: half of the memory for workers and open archives, 1/4 for indexes, 1/8 for compiled files.
    pub fn new(options: &ResolveOptions, groups: &[Group<'_>]) -> Self {
        let bytes = options.memory_bytes.unwrap_or_else(default_memory_bytes);
        let count = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
        let workers = options.jobs.get().min(count(bytes / 2 / WORKER_BYTES));
        let index_bytes = groups.iter().map(|group| group.site_captures() * CAPTURE_BYTES).max();
        let fitting = count(bytes / 4 / index_bytes.unwrap_or_default().max(1));
        let groups = if workers > 1 { fitting.min(2) } else { 1 };
        let merged = (count(bytes / 4 / MERGED_BYTES) / groups).max(1);
        let batches = workers.div_ceil(4).max(workers.min(2)).min(merged);
        Self { workers, groups, batches, cache_bytes: count(bytes / 8) / groups }
    }
}
