//! What a resolve would do with each batch, for `--dry-run`.
//!
//! Example: `17.1-warc-0000` is to be made from 50 archives, as it is stale. Nothing is written.

use super::prepared::{Prepared, prepare};
use super::{Missing, ResolveOptions, ResolveTally, failure, list_tables};
use crate::error::Error;
use crate::runs::{BatchManifest, BatchName, Existing, PartState};
use crate::store::Store;
use std::collections::BTreeMap;

/// A batch, or the site files of a segment, and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartPlan {
    /// The crawl.
    pub crawl: String,
    /// The name of the parts.
    pub id: String,
    /// What is done.
    pub step: Step,
}

/// What is done with a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Nothing: its tables are there.
    Done,
    /// Its tables are made.
    Make {
        /// Of this many archives; 0 for site files.
        archives: usize,
        /// Why.
        state: PartState,
    },
    /// Nothing: there is no evidence of it, and its tables stay.
    Keep,
    /// Its tables are removed, as there is no evidence of it.
    RemoveForGood,
    /// Its tables are removed, and made by a call for its segment.
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

/// Adds the batches of the evidence.
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
