//! Resolving: makes the chosen tables from evidence.
//!
//! Works segment by segment if the inputs are Common Crawl's; all other inputs are one group. First the site files of all inputs
//! are read into layers, because they count for the pages of every segment (KNOW-2). In a segment, the batches of some dozens of
//! archives come first and give one part of each table, then the site files. All workers share one or two batches at once, slice
//! by slice; segments overlap if memory allows.

use super::outcome::{Plan, Progress};
use super::share::{Share, Unit};
use super::until_stopped::{UntilStopped, go_on};
use super::workers::message;
use crate::error::Error;
use crate::plan::Missing;
use crate::robots::VendorTexts;
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, BatchName, Bodies, Comparison, CrawlInput, EvidenceFault,
    Existing, IndexOf, RunFile, Scope, Segment, SiteFileSources, SiteLayer, Sites, SitesOfGroup,
    TableOptions, all_archives, in_words, index, pool,
};
use crate::store::{Scratch, Store};
use crate::tables::sites::SITES;
use crate::tables::statements::STATEMENTS;
use crate::tables::{ChosenTables, Footer};
use crate::verdict::{CopyLimits, FilesOfSites, Resolver};
use hosts::count_hosts;
use limits::Limits;
use origins::crawls;
use parallel::at_once;
use plan::{KnownPart, refuse_damaged_evidence, states};
use prepared::{Prepared, prepare};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

mod as_of;
mod as_of_rows;
mod batch;
mod files;
mod hosts;
mod limits;
mod origins;
mod parallel;
mod part;
mod plan;
mod prepared;
mod site;
mod site_judging;
mod tally;

pub use as_of::{AsOf, AsOfVocabulary, resolve_index};
pub use plan::{PartPlan, audit, evidence_faults, plan};
pub use tally::{HostTally, ResolveTally, SiteTally};

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
    pub comparison: Comparison,
}

impl ResolveOptions {
    /// Returns the options for some tables, with defaults for everything else.
    pub fn new(tables: impl Into<TableOptions>) -> Self {
        Self {
            tables: tables.into(),
            segments: None,
            share: Share {
                unit: Unit::Segment,
                ..Share::ALL
            },
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: None,
            existing: Existing::Continue,
            missing: Missing::Refuse,
            required: Vec::new(),
            comparison: Comparison::Lengths,
        }
    }
}

/// Shared by all batches.
struct Work<'w> {
    store: &'w dyn Store,
    resolver: &'w Resolver,
    tables: &'w ChosenTables,
    copies: CopyLimits,
    scope: Scope,
    footer: Footer,
    /// In words: for whom, and by which lists.
    viewpoint: String,
    vendor_texts: &'w VendorTexts,
    limits: Limits,
    pool: &'w rayon::ThreadPool,
    progress: &'w dyn Progress,
    tally: &'w Mutex<ResolveTally>,
}

impl Work<'_> {
    /// Fails once progress asks to stop; called in every loop over content from the web.
    fn go_on(&self) -> io::Result<()> {
        go_on(self.progress)
    }

    /// The work on a group: the footers of its parts name the lists of its archives.
    fn of_group(&self, group: &ArchiveGroup<'_>) -> Self {
        let design = ("design", group.design());
        Self {
            footer: self.footer.iter().cloned().chain([design]).collect(),
            viewpoint: self.viewpoint.clone(),
            ..*self
        }
    }

    /// Whether the origins of captures are needed: for their rows, or for statements of their files.
    fn needs_origins(&self) -> bool {
        self.tables.has(&SITES) || self.tables.has(&STATEMENTS)
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
        let stopped = self.progress.should_stop();
        if stopped {
            self.add_of(
                None,
                &ResolveTally {
                    stopped,
                    ..ResolveTally::default()
                },
            );
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
        match catch_unwind(AssertUnwindSafe(|| self.pool.install(resolve))) {
            Ok(Err(_)) if self.stops() => return Ok(false),
            Ok(resolved) => self.add_of(crawl, &resolved?),
            Err(panic) => {
                let detail = message(panic.as_ref());
                self.progress.failed(&name.id, &detail);
                let failed_batches = vec![(name.id.clone(), detail)];
                self.add_of(
                    None,
                    &ResolveTally {
                        failed_batches,
                        ..ResolveTally::default()
                    },
                );
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Fails, before hours of work, if `store` holds tables of another viewpoint.
pub fn check(store: &dyn Store, options: &ResolveOptions) -> Result<(), Error> {
    let identity = options
        .tables
        .identity(&options.tables.footer(), Vec::new());
    let checked = identity.check(store, RunFile::Resolve, options.existing);
    checked.map(drop)
}

/// Resolves the evidence of some folders, taken as one, into tables in `store`, which may be one of them.
pub fn resolve(
    evidence: &[&dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let stoppable: Vec<_> = evidence
        .iter()
        .map(|store| UntilStopped::new(*store, progress))
        .collect();
    let evidence: Vec<&dyn Store> = stoppable.iter().map(|store| store as &dyn Store).collect();
    match resolve_all(&evidence, store, options, progress) {
        Err(_) if progress.should_stop() => Ok(ResolveTally {
            stopped: true,
            ..ResolveTally::default()
        }),
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
    let chosen = prepared.chosen().to_vec();
    let Prepared {
        all,
        duplicates,
        made,
        footer,
        ..
    } = prepared;
    let groups: Vec<&ArchiveGroup<'_>> =
        chosen.iter().filter_map(|place| all.get(*place)).collect();
    let resolver = Resolver::new(options.tables.viewpoint.clone(), &options.tables.agents);
    let limits = Limits::new(options, &all);
    let pool = &pool("resolver", limits.workers)?;
    let vendor_texts = &VendorTexts::bundled();
    let tally = Mutex::new(ResolveTally {
        segments: groups.len(),
        ..ResolveTally::default()
    });
    let work = Work {
        store,
        resolver: &resolver,
        tables: &options.tables.chosen,
        copies: options.tables.limits(),
        scope: options.tables.scope,
        viewpoint: in_words(&footer),
        footer,
        vendor_texts,
        limits,
        pool,
        progress,
        tally: &tally,
    };
    let sources = SiteFileSources::from_groups(&all, work.scope, work.copies.slack);
    let comparison = (options.existing, options.comparison);
    let known = states((&groups, &sources), &made, store, comparison).map_err(failed)?;
    let groups = chosen.iter().zip(&groups).zip(&known);
    let groups: Vec<_> = groups
        .map(|((place, group), known)| ChosenGroup {
            place: *place,
            group,
            known,
        })
        .collect();
    let hosts = work_on(&all, &groups, &work).map_err(failed)?;
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.failed_batches.sort();
    tally.duplicates = duplicates;
    for (crawl, hosts) in hosts {
        tally.crawls.entry(crawl).or_default().hosts = Some(Box::new(hosts));
    }
    Ok(tally)
}

fn failure(source: io::Error, store: &dyn Store) -> Error {
    match source.downcast::<EvidenceFault>() {
        Ok(fault) => Error::EvidenceDamaged {
            fault: fault.to_string(),
        },
        Err(source) => Error::OutputUnwritable {
            location: store.location(),
            source,
        },
    }
}

/// A group to work on.
#[derive(Clone, Copy)]
struct ChosenGroup<'g> {
    /// Its place among all.
    place: usize,
    group: &'g ArchiveGroup<'g>,
    /// Its parts.
    known: &'g [KnownPart<ResolveTally>],
}

impl ChosenGroup<'_> {
    fn is_done(&self) -> bool {
        self.known.iter().all(|part| part.made.is_ok())
    }

    /// When the last capture that counts for it was fetched.
    fn until(&self) -> i64 {
        self.known
            .iter()
            .map(|part| part.rests_on.until)
            .max()
            .unwrap_or(i64::MIN)
    }
}

/// Works on groups; returns the counts of the hosts of each crawl, if all parts exist.
fn work_on(
    all: &[ArchiveGroup<'_>],
    groups: &[ChosenGroup<'_>],
    work: &Work<'_>,
) -> io::Result<BTreeMap<String, HostTally>> {
    let mut batches = 0;
    let mut captures = 0;
    for ChosenGroup { group, known, .. } in groups {
        let of_group = group.batches();
        let ahead = of_group
            .iter()
            .zip(*known)
            .filter(|(_, known)| known.made.is_err());
        for (batch, _) in ahead {
            batches += 1;
            captures += batch.captures();
        }
    }
    work.progress.started(&Plan::Resolve { batches, captures });
    let layers = match work.pool.install(|| layers(all, groups, work)) {
        Err(_) if work.stops() => return Ok(BTreeMap::new()),
        layers => layers?,
    };
    at_once(groups, work.limits.groups, |group| {
        work_on_group(*group, &layers, &work.of_group(group.group))
    })?;
    let is_whole = {
        let tally = work.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.failed_batches.is_empty() && !tally.stopped
    };
    if !work.tables.has(&SITES) || !is_whole {
        return Ok(BTreeMap::new());
    }
    count_hosts(groups.iter().map(|group| group.group), work)
}

/// Reads the site files of all groups that count for those with work left; of the others, those that may be older than a page.
fn layers(
    all: &[ArchiveGroup<'_>],
    groups: &[ChosenGroup<'_>],
    work: &Work<'_>,
) -> io::Result<Vec<SiteLayer>> {
    let ahead: Vec<_> = groups.iter().filter(|group| !group.is_done()).collect();
    let Some(until) = ahead.iter().map(|group| group.until()).max() else {
        return Ok(Vec::new());
    };
    let scratch = Arc::new(Scratch::new()?);
    let every = all_archives(all);
    let layer = |(place, group): (usize, &ArchiveGroup<'_>)| {
        let is_own = ahead.iter().any(|group| group.place == place);
        let counts =
            |archive: &&ArchiveEvidence<'_>| is_own || archive.is_source(work.scope, until);
        let archives: Vec<_> = group.archives.iter().filter(counts).collect();
        SiteLayer::read(&archives, &every, Sites::All, &scratch, &|| work.go_on())
    };
    all.iter().enumerate().map(layer).collect()
}

fn work_on_group(chosen: ChosenGroup<'_>, layers: &[SiteLayer], work: &Work<'_>) -> io::Result<()> {
    if work.stops() {
        return Ok(());
    }
    let ChosenGroup { group, known, .. } = chosen;
    let batches = group.batches();
    let mut ahead = Vec::new();
    for (batch, known) in batches.iter().zip(known) {
        match &known.made {
            Ok(tally) => work.add_of(Some(&batch.name.crawl), tally),
            Err(_) => ahead.push((batch, &known.rests_on)),
        }
    }
    let crawls = crawls(group);
    let crawl = crawls
        .first()
        .filter(|_| crawls.len() == 1)
        .map(String::as_str);
    let Some(site_part) = known.last() else {
        return Ok(());
    };
    if ahead.is_empty()
        && let Ok(tally) = &site_part.made
    {
        work.add_of(crawl, tally);
        return Ok(());
    }
    let index = match work.pool.install(|| index_of(chosen, layers, work)) {
        Err(_) if work.stops() => return Ok(()),
        loaded => &loaded?,
    };
    // First, so that pages and captures find the facts of each body.
    let mut read = None;
    let site = &site_part.rests_on;
    let is_read = work.try_part(&site.name, crawl, || {
        read = Some(site::read_files(group, &site.name, index.bodies(), work)?);
        Ok(ResolveTally::default())
    })?;
    let is_whole = AtomicBool::new(is_read);
    at_once(&ahead, work.limits.batches, |(batch, rests_on)| {
        let begun = Instant::now();
        let resolve = || batch::resolve_batch(batch, rests_on, index, work);
        if !work.stops() && work.try_part(&batch.name, Some(&batch.name.crawl), resolve)? {
            work.progress
                .batch_resolved(&batch.name.id, batch.captures(), begun.elapsed());
        } else {
            is_whole.store(false, Ordering::Relaxed);
        }
        Ok(())
    })?;
    if let Some(read) = read.filter(|_| is_whole.into_inner()) {
        // Last, because it needs the origins that the batches have found.
        work.try_part(&site.name, crawl, || {
            site::write_site_tables(group, site, read, index, work)
        })?;
    }
    Ok(())
}

/// The index that the pages of a group are judged by.
fn index_of(
    chosen: ChosenGroup<'_>,
    layers: &[SiteLayer],
    work: &Work<'_>,
) -> io::Result<FilesOfSites<Bodies>> {
    let go_on = || work.go_on();
    let archives: Vec<_> = chosen.group.archives.iter().collect();
    let has_others = layers.len() > 1;
    let sites = has_others
        .then(|| SitesOfGroup::collect(&archives, layers, &go_on))
        .transpose()?;
    let of = IndexOf {
        own: chosen.place,
        sites: sites.as_ref(),
        until: chosen.until(),
        scope: work.scope,
    };
    index(layers, of, work.limits.cache_bytes, &go_on)
}
