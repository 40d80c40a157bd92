//! What earlier calls have finished of the work.
//!
//! Example: of 40 batches of a segment 38 are whole and of this evidence, so that two are made. Left out: why a batch is to be made,
//! which `plan` says.

use super::{ResolveTally, Work};
use crate::runs::{Batch, BatchManifest, BatchName, Group, ListedFiles, PartState, many_requests};
use crate::store::Store;
use rayon::prelude::*;
use std::io;

/// Returns what earlier calls have finished of groups.
pub fn look_up<'g>(groups: &'g [Group<'g>], work: &Work<'_>) -> io::Result<Vec<KnownGroup<'g>>> {
    let listed = list_tables(groups, work.store)?;
    groups.iter().map(|group| look_up_group(group, &listed, work)).collect()
}

/// A batch, and its manifest if an earlier call finished it.
pub type KnownBatch<'g> = (Batch<'g>, Option<BatchManifest<ResolveTally>>);

/// What an earlier call finished of a group.
pub struct KnownGroup<'g> {
    /// Its batches.
    pub batches: Vec<KnownBatch<'g>>,
    /// Of its site files.
    pub site: Option<BatchManifest<ResolveTally>>,
}

/// Returns the manifest of a batch that is whole and of the group's evidence.
fn finished(
    batch: &BatchName,
    group: &Group<'_>,
    listed: &ListedFiles,
    work: &Work<'_>,
) -> io::Result<Option<BatchManifest<ResolveTally>>> {
    let look = (work.look, listed);
    let (state, manifest) =
        BatchManifest::<ResolveTally>::state(work.store, batch, &group.fingerprint, look)?;
    Ok(manifest.filter(|_| state == PartState::Done))
}

fn look_up_group<'g>(
    group: &'g Group<'g>,
    listed: &ListedFiles,
    work: &Work<'_>,
) -> io::Result<KnownGroup<'g>> {
    Ok(KnownGroup {
        batches: look_up_batches(group, listed, work)?,
        site: finished(&group.site_part(), group, listed, work)?,
    })
}

fn look_up_batches<'g>(
    group: &'g Group<'g>,
    listed: &ListedFiles,
    work: &Work<'_>,
) -> io::Result<Vec<KnownBatch<'g>>> {
    let finished = |batch: &Batch<'_>| finished(&batch.name, group, listed, work);
    let (batches, look_up) = (group.batches(), |batch| finished(&batch).map(|finished| (batch, finished)));
    let pool = many_requests(work.store, batches.len())?;
    pool.install(|| batches.into_par_iter().map(look_up).collect())
}

/// Returns the listings of the tables of groups.
pub fn list_tables(groups: &[Group<'_>], store: &dyn Store) -> io::Result<ListedFiles> {
    let batches = groups.iter().flat_map(|group| group.batches().into_iter().map(|batch| batch.name));
    let names: Vec<BatchName> = batches.chain(groups.iter().map(Group::site_part)).collect();
    BatchName::list(store, &names.iter().collect::<Vec<_>>())
}
