//! What a resolve would do with each batch, for `--dry-run`.
//!
//! Example: `17.1-warc-0000` is to be made from 50 archives, as it is stale.
//!
//! Also, for `status`, whether tables match their evidence, and whether their files and those of the evidence exist. Example:
//! the batch `17.1-warc-0000` is stale, as an archive of its segment was scanned since. Nothing is written in either case.

use super::prepared::{Prepared, prepare};
use super::{Missing, ResolveOptions, ResolveTally, failure, list_tables};
use crate::error::Error;
use crate::runs::{
    Absent, ArchiveEvidence, BatchManifest, BatchName, Existing, Group, Known, ListedFiles, Look, Made,
    PartState, RESOLVED, parts_fault, pool,
};
use crate::store::Store;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// A batch, or the site files of a segment, and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartPlan {
    /// The crawl.
    pub crawl: String,
    /// The name of the parts.
    pub id: String,
    /// What happens to it.
    pub step: Step,
}

/// What happens to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Nothing: its tables exist.
    Done,
    /// Its tables are made.
    Make {
        /// Of this many archives; 0 for site files.
        archives: usize,
        /// Why.
        state: PartState,
    },
    /// Nothing: it has no evidence, and its tables stay.
    Keep,
    /// Its tables are removed, as it has no evidence.
    RemoveForGood,
    /// Its tables are removed; a call for its segment makes them.
    Remove,
}

/// Returns what [`super::resolve`] would do, in the order of crawls and batches.
pub fn plan(
    evidence: &[&dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
) -> Result<Vec<PartPlan>, Error> {
    let prepared = prepare(evidence, store, options)?;
    prepared.check(store, options)?;
    let mut steps = BTreeMap::<BatchName, Step>::new();
    for batch in prepared.removed.iter().filter_map(|file| BatchName::of_file(file)) {
        let has_evidence = prepared.known.has(&batch.manifest_file()) || batch.is_of_site_files();
        steps.insert(batch, if has_evidence { Step::Remove } else { Step::RemoveForGood });
    }
    if options.existing == Existing::Continue || !prepared.kept.is_empty() {
        let kept = prepared.made.without_evidence(&prepared.known).into_iter();
        steps.extend(kept.map(|batch| (batch.clone(), Step::Keep)));
        if options.missing == Missing::Drop {
            let removed = prepared.made.unknown(&prepared.known).into_iter();
            steps.extend(removed.map(|batch| (batch.clone(), Step::RemoveForGood)));
        }
    }
    add_made(&prepared, store, options, &mut steps)?;
    let plan = |(batch, step): (BatchName, Step)| PartPlan { crawl: batch.crawl, id: batch.id, step };
    Ok(steps.into_iter().map(plan).collect())
}

fn add_made(
    prepared: &Prepared<'_>,
    store: &dyn Store,
    options: &ResolveOptions,
    steps: &mut BTreeMap<BatchName, Step>,
) -> Result<(), Error> {
    let listed =
        list_tables(&prepared.groups, &prepared.made, store).map_err(|source| failure(source, store))?;
    for group in &prepared.groups {
        let mut step = |batch: &BatchName, archives| {
            let state = match options.existing {
                Existing::Replace => PartState::New,
                Existing::Continue => {
                    BatchManifest::<ResolveTally>::state(
                        store,
                        batch,
                        &group.fingerprint,
                        (options.look, &listed),
                    )
                    .map_err(|source| failure(source, store))?
                    .0
                }
            };
            let is_done = state == PartState::Done;
            let step = if is_done { Step::Done } else { Step::Make { archives, state } };
            steps.insert(batch.clone(), step);
            Ok(())
        };
        for batch in group.batches() {
            step(&batch.name, batch.archives.len())?;
        }
        step(&group.site_part(), 0)?;
    }
    Ok(())
}

/// The state of the parts of a batch, or of a segment's site files, in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PartStatus {
    /// The crawl.
    pub crawl: String,
    /// The name of the parts.
    pub batch: String,
    /// `done`, `new`, `stale`, `damaged`, or `without_evidence`.
    pub state: &'static str,
    /// What is wrong, if it is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl PartStatus {
    /// Whether nothing is left to do for it.
    pub fn is_done(&self) -> bool {
        self.state == "done"
    }
}

/// Returns the state of the tables of each group, and of those without evidence, and why the next resolve would be refused.
pub fn audit(
    store: &dyn Store,
    groups: &[Group<'_>],
    known: &Known,
    look: Look,
) -> io::Result<(Vec<PartStatus>, Option<Error>)> {
    let batches: Vec<_> =
        groups.iter().flat_map(|group| named(group).map(move |batch| (group, batch))).collect();
    let files = store.list(RESOLVED)?;
    let looked_at: BTreeSet<String> = batches.iter().map(|(_, batch)| batch.manifest_file()).collect();
    let at_hand = files.iter().filter(|file| looked_at.contains(*file) || !known.has(file));
    let made = Made::read(store, &at_hand.collect::<Vec<_>>())?;
    let refusal = made.refuse_fewer(store, known, Absent::Stays).err();
    let listed = BatchName::list(store, &batches.iter().map(|(_, batch)| batch).collect::<Vec<_>>())?;
    let state = |(group, batch): &(&Group<'_>, BatchName)| {
        let (state, detail) = match made.state(store, batch, &group.fingerprint, (look, &listed))? {
            PartState::Done => ("done", None),
            PartState::New => ("new", None),
            PartState::Stale => ("stale", None),
            PartState::Damaged(detail) => ("damaged", Some(detail)),
        };
        Ok(PartStatus { crawl: batch.crawl.clone(), batch: batch.id.clone(), state, detail })
    };
    let pool = pool("status", 0).map_err(io::Error::other)?;
    let mut parts = pool.install(|| batches.par_iter().map(state).collect::<io::Result<Vec<_>>>())?;
    parts.extend(made.without_evidence(known).into_iter().map(|batch| PartStatus {
        crawl: batch.crawl.clone(),
        batch: batch.id.clone(),
        state: "without_evidence",
        detail: None,
    }));
    parts.sort_by(|one, other| (&one.crawl, &one.batch).cmp(&(&other.crawl, &other.batch)));
    Ok((parts, refusal))
}

fn named(group: &Group<'_>) -> impl Iterator<Item = BatchName> {
    let batches = group.batches().into_iter().map(|batch| batch.name);
    batches.chain([group.site_part()]).collect::<Vec<_>>().into_iter()
}

/// Returns what is wrong with files of the evidence, for each archive in the order of the groups.
pub fn evidence_faults(groups: &[Group<'_>], look: Look) -> io::Result<Vec<Option<String>>> {
    let archives: Vec<_> = groups.iter().flat_map(|group| &group.archives).collect();
    let mut by_folder = BTreeMap::<String, Vec<&ArchiveEvidence<'_>>>::new();
    for archive in &archives {
        by_folder.entry(archive.store().location()).or_default().push(archive);
    }
    let list = |(folder, archives): (String, Vec<&ArchiveEvidence<'_>>)| {
        let files = archives.iter().flat_map(|archive| &archive.manifest.parts).map(|part| part.file.clone());
        let store = archives.first().map(|archive| archive.store());
        let listed =
            store.map_or_else(|| Ok(ListedFiles::default()), |store| ListedFiles::of(store, files))?;
        Ok((folder, listed))
    };
    let listed: BTreeMap<String, ListedFiles> = by_folder.into_iter().map(list).collect::<io::Result<_>>()?;
    let pool = pool("files", 0).map_err(io::Error::other)?;
    Ok(pool.install(|| {
        let faults = archives.par_iter().map(|archive| {
            let (store, none) = (archive.store(), ListedFiles::default());
            let listed = listed.get(&store.location()).unwrap_or(&none);
            let fault = parts_fault(&archive.manifest.parts, store, (look, listed));
            fault.unwrap_or_else(|error| Some(error.to_string()))
        });
        faults.collect()
    }))
}

/// Refuses evidence with a missing file or one of another length, even if its tables exist: they are not of this evidence.
pub fn refuse_damaged_evidence(groups: &[Group<'_>]) -> Result<(), Error> {
    let unreadable = |source| {
        let archives = groups.iter().flat_map(|group| &group.archives);
        let location = archives.map(|archive| archive.store().location()).next().unwrap_or_default();
        Error::EvidenceUnreadable { location, source }
    };
    let faults = evidence_faults(groups, Look::Lengths).map_err(unreadable)?;
    let archives = groups.iter().flat_map(|group| &group.archives);
    let Some((archive, fault)) = archives.zip(faults).find_map(|(archive, fault)| Some((archive, fault?)))
    else {
        return Ok(());
    };
    let (folder, name) = (archive.store().location(), &archive.manifest.warc_filename);
    let fault = format!("{folder}: {fault}; scan {name} again: crawlprefs scan ARCHIVE -o {folder}");
    Err(Error::EvidenceDamaged { fault })
}
