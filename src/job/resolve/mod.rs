//! Resolving: evidence to the tables that are not evidence, as many as are chosen.
//!
//! Segment by segment where the inputs are Common Crawl's, for robots.txt and pages of a segment
//! belong together; with one index over all other inputs. Within a segment the batches of the
//! evidence are worked on side by side, and each gives one part with the same name.

mod batch;
mod group;
mod index;
mod site;
mod tally;

pub use group::{Group, groups};
pub use tally::Tally as ResolveTally;

use super::batch::{Segment, Share};
use super::crew::message;
use super::manifest::{Identity, Manifest, RESOLVED, RunFile};
use super::progress::{Plan, Progress};
use crate::error::Error;
use crate::robots::VendorTexts;
use crate::store::Store;
use crate::systems::{SYSTEMS, Viewpoint};
use crate::tables::{ChosenTables, Footer};
use crate::verdict::SiteIndex;
use crate::verdict::{AgentsTable, Resolver};
use batch::BatchManifest;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

/// How evidence is to be resolved.
pub struct ResolveOptions {
    /// For whom and in which words.
    pub viewpoint: Viewpoint,
    /// The tokens that `disallowed_agents` is about.
    pub agents: AgentsTable,
    /// What tells this table and this vocabulary from others: their digests.
    pub lists: BTreeMap<String, String>,
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
    evidence: &'w dyn Store,
    store: &'w dyn Store,
    resolver: &'w Resolver,
    tables: &'w ChosenTables,
    later: Option<&'w SiteIndex>,
    slack: Duration,
    footer: Footer,
    vendor_texts: &'w VendorTexts,
}

/// Resolves `evidence` into tables in `store`, which may be the same place. `later` is the evidence
/// of a later crawl, by whose newest captures the page is judged, too.
///
/// # Errors
/// Why it could not run, or not go on.
pub fn resolve(
    evidence: &dyn Store,
    later: Option<&dyn Store>,
    store: &dyn Store,
    options: &ResolveOptions,
    progress: &dyn Progress,
) -> Result<ResolveTally, Error> {
    let unreadable = |source| Error::EvidenceUnreadable { location: evidence.location(), source };
    // In this order: evidence may grow meanwhile, in another process's hands.
    let done = store.list(RESOLVED).map_err(unreadable)?;
    let mut groups = groups(evidence, options.scope).map_err(unreadable)?;
    if groups.is_empty() {
        return Err(Error::NoEvidence { location: evidence.location() });
    }
    let replace = options.existing == super::Existing::Replace;
    refuse_other_evidence(evidence, store, if replace { &[] } else { &done }, &groups)?;
    let later_groups = later.map(|later| group::groups(later, Scope::All)).transpose().map_err(unreadable)?;
    for group in &mut groups {
        group.depend_on(later_groups.iter().flatten());
    }
    if let (Some(wanted), Scope::Segment) = (&options.segments, options.scope) {
        groups.retain(|group| wanted.contains(&group.key()));
    }
    let groups = options.share.of(groups);
    if replace {
        Identity::clear(store, RunFile::Resolve)?;
    }
    let footer = footer(options, later.is_some());
    identity(options, &footer).claim(store, RunFile::Resolve)?;
    let resolver = Resolver::new(options.viewpoint.clone(), &options.agents);
    let later = later.map(load_later).transpose().map_err(unreadable)?;
    let vendor_texts = &VendorTexts::bundled();
    let (resolver, later, slack) = (&resolver, later.as_ref(), options.slack);
    let tables = &options.tables;
    let work = Work { evidence, store, resolver, tables, later, slack, footer, vendor_texts };
    let pool = super::pool("resolver", options.jobs.get())?;
    let result = pool.install(|| work_on(&groups, &work, progress));
    result.map_err(|source| Error::OutputUnwritable { location: store.location(), source })
}

/// Returns the documents by which the tables are made.
fn documents() -> String {
    let of_systems = SYSTEMS.iter().flat_map(|system| system.about().documents);
    let mut documents = vec!["rfc9309"];
    for document in of_systems {
        if !documents.contains(document) {
            documents.push(document);
        }
    }
    documents.join("; ")
}

/// Tells, before hours of work, whether `store` holds tables of another viewpoint.
///
/// # Errors
/// [`Error::OutputOfAnotherRun`], [`Error::OutputUnwritable`].
pub fn check(store: &dyn Store, options: &ResolveOptions, later: bool) -> Result<(), Error> {
    if options.existing == super::Existing::Replace {
        return Ok(());
    }
    identity(options, &footer(options, later)).is_there(store, RunFile::Resolve).map(drop)
}

/// What makes two calls the same: what footers say, how far an index reaches, and which tables there are.
fn identity(options: &ResolveOptions, footer: &Footer) -> Identity {
    let scope = match options.scope {
        Scope::Segment => "segment",
        Scope::All => "all",
    };
    let pairs =
        footer.iter().cloned().chain([("index", scope.to_owned()), ("tables", options.tables.to_string())]);
    Identity::new(pairs.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Refuses an output that holds batches which this evidence has not, or evidence of its own.
fn refuse_other_evidence(
    evidence: &dyn Store,
    store: &dyn Store,
    resolved: &[String],
    groups: &[Group],
) -> Result<(), Error> {
    let other = |difference| Err(Error::OutputOfAnotherRun { location: store.location(), difference });
    let own = store.list(Manifest::FOLDER);
    let own = own.map_err(|source| Error::OutputUnwritable { location: store.location(), source })?;
    if evidence.location() != store.location() && !own.is_empty() {
        return other("it has evidence of its own".to_owned());
    }
    let manifests = groups.iter().flat_map(|group| &group.manifests);
    let known: BTreeSet<String> = manifests.map(BatchManifest::file).collect();
    let is_site = |name: &str| name.strip_suffix(".json").is_some_and(|name| name.ends_with(site::SITE));
    match resolved.iter().find(|name| !known.contains(*name) && !is_site(name)) {
        Some(name) => other(format!("{name} there is of no batch of {}", evidence.location())),
        None => Ok(()),
    }
}

/// Indexes all robots.txt captures of a later crawl.
fn load_later(evidence: &dyn Store) -> io::Result<SiteIndex> {
    let groups = groups(evidence, Scope::All)?;
    let manifests: Vec<&Manifest> = groups.iter().flat_map(|group| &group.manifests).collect();
    index::load(evidence, &manifests)
}

fn work_on(groups: &[Group], work: &Work<'_>, progress: &dyn Progress) -> io::Result<ResolveTally> {
    let batches = groups.iter().map(|group| group.manifests.len()).sum();
    progress.started(&Plan { batches, ..Plan::default() });
    let mut tally = ResolveTally::default();
    for group in groups {
        if progress.should_stop() {
            tally.stopped = true;
            break;
        }
        tally.add(&work_on_group(group, work, progress)?);
    }
    Ok(tally)
}

fn work_on_group(group: &Group, work: &Work<'_>, progress: &dyn Progress) -> io::Result<ResolveTally> {
    let mut tally = ResolveTally::default();
    let mut ahead = Vec::new();
    for manifest in &group.manifests {
        match BatchManifest::of_finished(work.store, manifest, &group.fingerprint)? {
            Some(finished) => tally.add(&finished.tally),
            None => ahead.push(manifest),
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
    let manifests: Vec<&Manifest> = group.manifests.iter().collect();
    let index = index::load(work.evidence, &manifests)?;
    let whole = Mutex::new(&mut tally);
    let add = |part: &ResolveTally| whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(part);
    // First of all, for what it finds out of each body serves the batches.
    match catch_unwind(AssertUnwindSafe(|| site::write_site_tables(group, &site, &index, work))) {
        Ok(written) => add(&written?),
        Err(panic) => {
            let failed_batches = vec![(site.batch.clone(), message(panic.as_ref()))];
            add(&ResolveTally { failed_batches, ..ResolveTally::default() });
        }
    }
    ahead.par_iter().try_for_each(|manifest| -> io::Result<()> {
        if progress.should_stop() {
            add(&ResolveTally { stopped: true, ..ResolveTally::default() });
            return Ok(());
        }
        // A panic is a bug of ours; it must not take the other batches along.
        let resolve = || batch::resolve_batch(manifest, &group.fingerprint, &index, work, progress);
        match catch_unwind(AssertUnwindSafe(resolve)) {
            Ok(resolved) => add(&resolved?),
            Err(panic) => {
                let detail = message(panic.as_ref());
                progress.batch_failed(&manifest.batch, &detail);
                let failed_batches = vec![(manifest.batch.clone(), detail)];
                add(&ResolveTally { failed_batches, ..ResolveTally::default() });
            }
        }
        Ok(())
    })?;
    Ok(tally)
}

/// What the parts' footers say, which also tells one viewpoint's tables from another's.
fn footer(options: &ResolveOptions, later: bool) -> Footer {
    let viewpoint = &options.viewpoint;
    let mut footer = vec![
        ("agent", viewpoint.token.as_str().to_owned()),
        ("vocabulary", viewpoint.vocabulary.name().to_owned()),
        ("token_match", viewpoint.token_match.as_str().to_owned()),
        ("robots_slack_s", options.slack.as_secs().to_string()),
        ("later", if later { "given" } else { "none" }.to_owned()),
        ("drafts", documents()),
    ];
    let list = |name: &'static str| options.lists.get(name).map(|digest| (name, digest.clone()));
    footer.extend(["agents_table", "vocabulary_file", "applications_file"].into_iter().filter_map(list));
    footer
}
