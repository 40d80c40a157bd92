//! What earlier calls have finished of the work.
//!
//! Example: of 40 batches of a segment 38 are whole and of this evidence, so that two are made. Left out: why a batch is to be made,
//! which `plan` says.

use super::{ResolveTally, Work};
use crate::runs::{Batch, BatchManifest, BatchName, Group, ListedFiles, Made, PartState, many_requests};
use crate::store::Store;
use rayon::prelude::*;
use std::io;

/// Returns what earlier calls have finished of groups.
pub fn look_up<'g>(groups: &'g [Group<'g>], made: &Made, work: &Work<'_>) -> io::Result<Vec<KnownGroup<'g>>> {
    let listed = list_tables(groups, made, work.store)?;
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

/// Returns the listings of the tables of groups: of those that have any, so that a first call lists nothing.
pub fn list_tables(groups: &[Group<'_>], made: &Made, store: &dyn Store) -> io::Result<ListedFiles> {
    let batches = |group: &Group<'_>| {
        let batches = group.batches().into_iter().map(|batch| batch.name);
        batches.chain([group.site_part()]).collect::<Vec<BatchName>>()
    };
    let has_any = |batches: &Vec<BatchName>| batches.iter().any(|batch| made.has(batch));
    let batches: Vec<BatchName> = groups.iter().map(batches).filter(has_any).flatten().collect();
    BatchName::list(store, &batches.iter().collect::<Vec<_>>())
}
