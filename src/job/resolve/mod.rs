//! Resolving: evidence to the tables that are not evidence, as many as are chosen.
//!
//! Segment by segment where the inputs are Common Crawl's, for robots.txt and pages of a segment
//! belong together; with one index over all other inputs. Within a segment the batches, each of some dozens of
//! archives, are worked on side by side, and each gives one part of each table.

mod batch;
mod group;
mod index;
mod inputs;
mod origins;
mod part;
mod pieces;
mod said;
mod site;
mod site_tally;
mod sites;
mod tally;
mod viewpoint;

pub use group::{ArchiveEvidence, Group, groups};
pub use site_tally::SiteTally;
pub use tally::Tally as ResolveTally;
pub use viewpoint::check;

use super::identity::{MANIFESTS, RESOLVED, RunFile};
use super::progress::{Plan, Progress};
use super::share::{Segment, Share, Unit};
use super::workers::message;
use crate::error::Error;
use crate::robots::VendorTexts;
use crate::store::Store;
use crate::systems::Viewpoint;
use crate::tables::sites::SITES;
use crate::tables::statements::STATEMENTS;
use crate::tables::{ChosenTables, Footer};
use crate::verdict::SiteIndex;
use crate::verdict::{AgentsTable, Resolver};
use group::{Batch, EvidenceFault};
use part::BatchManifest;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How evidence is to be resolved.
#[derive(Clone, Debug)]
pub struct ResolveOptions {
    /// For whom and in which words.
    pub viewpoint: Viewpoint,
    /// The tokens that `disallowed_agents` is about.
    pub agents: AgentsTable,
    /// The tables to write; what is in others only is not looked at.
    pub tables: ChosenTables,
    /// How much later than a page a robots.txt may be fetched and still serve, where there is no
    /// earlier one.
    pub slack: Duration,
    /// How far an index of robots.txt captures reaches.
    pub scope: Scope,
    /// The segments to work on; `None`: all of the evidence.
    pub segments: Option<BTreeSet<Segment>>,
    /// How much of them, in segments.
    pub share: Share,
    /// How many workers.
    pub jobs: NonZeroUsize,
    /// What to do with tables of another viewpoint.
    pub existing: super::Existing,
}

impl ResolveOptions {
    /// Returns the options for a viewpoint; everything else has its default.
    #[must_use]
    pub fn new(viewpoint: Viewpoint) -> Self {
        Self {
            viewpoint,
            agents: AgentsTable::bundled(),
            tables: ChosenTables::default(),
            slack: Duration::ZERO,
            scope: Scope::Segment,
            segments: None,
            share: Share { unit: Unit::Segment, ..Share::ALL },
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            existing: super::Existing::Continue,
        }
    }
}

/// How far an index of robots.txt captures reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A segment of Common Crawl's; all other inputs together.
    Segment,
    /// All inputs together.
    All,
}

/// What is given to every batch.
struct Work<'w> {
    store: &'w dyn Store,
    resolver: &'w Resolver,
    tables: &'w ChosenTables,
    later: Option<&'w SiteIndex>,
    slack: Duration,
    footer: Footer,
    vendor_texts: &'w VendorTexts,
}

impl Work<'_> {
    /// Returns whether the origins of captures are needed: for their rows, or for statements of their files.
    fn needs_origins(&self) -> bool {
        self.tables.has(&SITES) || self.tables.has(&STATEMENTS)
    }
}

/// Resolves the evidence of some folders, which are one, into tables in `store`, which may be one of them.
/// `later` is the evidence of a later crawl, by whose newest captures the page is judged, too.
///
/// # Errors
/// Why it could not run, or not go on.
pub fn resolve(
    evidence: &[&dyn Store],
    later: Option<&dyn Store>,
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let failed = |source| failure(source, store);
    // In this order: evidence may grow meanwhile, by another process.
    let done = store.list(RESOLVED).map_err(failed)?;
    let mut groups = groups(evidence, options.scope)?;
    if groups.is_empty() {
        let locations: Vec<String> = evidence.iter().map(|evidence| evidence.location()).collect();
        return Err(Error::NoEvidence { location: locations.join(", ") });
    }
    let replace = options.existing == super::Existing::Replace;
    refuse_other_evidence(evidence, store, if replace { &[] } else { &done }, &groups)?;
    let later_groups = later.map_or(Ok(Vec::new()), |later| group::groups(&[later], Scope::All))?;
    for group in &mut groups {
        group.depend_on(later_groups.iter());
    }
    if let (Some(wanted), Scope::Segment) = (&options.segments, options.scope) {
        groups.retain(|group| wanted.contains(&group.key()));
    }
    let groups = options.share.of(groups);
    let footer = viewpoint::footer(options, later.is_some());
    let elsewhere = evidence.iter().map(|evidence| evidence.location()).filter(|at| *at != store.location());
    let identity = viewpoint::identity(options, &footer, elsewhere.collect());
    if replace {
        identity.replace(store, RunFile::Resolve)?;
    } else {
        identity.claim(store, RunFile::Resolve)?;
    }
    let resolver = Resolver::new(options.viewpoint.clone(), &options.agents);
    let later_archives: Vec<_> = later_groups.iter().flat_map(|group| &group.archives).collect();
    let later_index = later.map(|_| index::load(&later_archives)).transpose().map_err(failed)?;
    let vendor_texts = &VendorTexts::bundled();
    let (resolver, later, slack) = (&resolver, later_index.as_ref(), options.slack);
    let work = Work { store, resolver, tables: &options.tables, later, slack, footer, vendor_texts };
    let pool = super::pool("resolver", options.jobs.get())?;
    pool.install(|| work_on(&groups, &work, progress)).map_err(failed)
}

/// Returns why the work ended: evidence that cannot be read, or output that cannot be written.
fn failure(source: io::Error, store: &dyn Store) -> Error {
    match source.downcast::<EvidenceFault>() {
        Ok(fault) => Error::EvidenceDamaged { fault: fault.to_string() },
        Err(source) => Error::OutputUnwritable { location: store.location(), source },
    }
}

/// Refuses an output that holds batches which this evidence has not, or evidence of its own.
fn refuse_other_evidence(
    evidence: &[&dyn Store],
    store: &dyn Store,
    resolved: &[String],
    groups: &[Group<'_>],
) -> Result<(), Error> {
    let other = |file: &str, difference| Err(RunFile::Resolve.other(store, file, difference));
    let own = store.list(MANIFESTS).map_err(|source| failure(source, store))?;
    let is_beside = evidence.iter().any(|evidence| evidence.location() == store.location());
    if !is_beside && !own.is_empty() {
        return other(MANIFESTS, "the folder has evidence of its own, which was not given".to_owned());
    }
    let batches = groups.iter().flat_map(Group::batches);
    let known: BTreeSet<String> = batches.map(|batch| batch.name.manifest_file()).collect();
    let is_site = |name: &str| name.strip_suffix(".json").is_some_and(|name| name.ends_with(site::SITE));
    match resolved.iter().find(|name| !known.contains(*name) && !is_site(name)) {
        Some(name) => other(name, "it is of no archive of the evidence given".to_owned()),
        None => Ok(()),
    }
}

/// A batch, and whether it was finished by an earlier call.
type Standing<'g> = (Batch<'g>, Option<BatchManifest>);

fn standing<'g>(group: &'g Group<'g>, work: &Work<'_>) -> io::Result<Vec<Standing<'g>>> {
    let finished =
        |batch: &Batch<'_>| BatchManifest::of_finished(work.store, &batch.name, &group.fingerprint);
    group.batches().into_iter().map(|batch| finished(&batch).map(|finished| (batch, finished))).collect()
}

fn work_on(groups: &[Group<'_>], work: &Work<'_>, progress: &dyn Progress) -> io::Result<ResolveTally> {
    let standings = groups.iter().map(|group| standing(group, work)).collect::<io::Result<Vec<_>>>()?;
    let ahead = || standings.iter().flatten().filter(|(_, finished)| finished.is_none());
    let captures = ahead().map(|(batch, _)| batch.captures()).sum();
    progress.started(&Plan::Resolve { batches: ahead().count(), captures });
    let mut tally = ResolveTally { segments: groups.len(), ..ResolveTally::default() };
    for (group, batches) in groups.iter().zip(&standings) {
        if progress.should_stop() {
            tally.stopped = true;
            break;
        }
        tally.add(&work_on_group(group, batches, work, progress)?);
    }
    Ok(tally)
}

fn work_on_group(
    group: &Group<'_>,
    batches: &[Standing<'_>],
    work: &Work<'_>,
    progress: &dyn Progress,
) -> io::Result<ResolveTally> {
    let mut tally = ResolveTally::default();
    let mut ahead = Vec::new();
    for (batch, finished) in batches {
        match finished {
            Some(finished) => tally.add(&finished.tally),
            None => ahead.push(batch),
        }
    }
    let site = site::site_part(group);
    let finished_site = BatchManifest::of_finished(work.store, &site, &group.fingerprint)?;
    if ahead.is_empty()
        && let Some(finished) = finished_site
    {
        tally.add(&finished.tally);
        return Ok(tally);
    }
    let index = index::load(&group.archives.iter().collect::<Vec<_>>())?;
    let whole = Mutex::new(&mut tally);
    let add = |part: &ResolveTally| whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(part);
    ahead.par_iter().try_for_each(|batch| -> io::Result<()> {
        if progress.should_stop() {
            add(&ResolveTally { stopped: true, ..ResolveTally::default() });
            return Ok(());
        }
        let resolve = || batch::resolve_batch(batch, &group.fingerprint, &index, work, progress);
        let begun = Instant::now();
        let resolved = or_failed(&batch.name.id, progress, resolve)?;
        if resolved.failed_batches.is_empty() {
            progress.batch_resolved(&batch.name.id, batch.captures(), begun.elapsed());
        }
        add(&resolved);
        Ok(())
    })?;
    if !tally.stopped && tally.failed_batches.is_empty() {
        // Last, as it needs the origins that the batches have found.
        let write = || site::write_site_tables(group, &site, &index, work);
        tally.add(&or_failed(&site.id, progress, write)?);
    }
    Ok(tally)
}

/// Returns what the work of a batch comes to. A panic is a bug of ours; it must not take the other batches along.
fn or_failed(
    id: &str,
    progress: &dyn Progress,
    work: impl FnOnce() -> io::Result<ResolveTally>,
) -> io::Result<ResolveTally> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let detail = message(panic.as_ref());
        progress.failed(id, &detail);
        Ok(ResolveTally { failed_batches: vec![(id.to_owned(), detail)], ..ResolveTally::default() })
    })
}
