//! The state of each batch of tables, by its manifest, its files and the evidence: `resolve` makes what is not done, `--dry-run`
//! prints what it would do, `status` prints the state.
//!
//! Example: `17.1-warc-0000` is stale, as an archive of its segment was scanned since. Also whether the files of the evidence
//! exist. Nothing is written here.

use super::prepared::prepare;
use super::{Missing, ResolveOptions, ResolveTally, failure};
use crate::error::Error;
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, BatchName, Comparison, Existing, IfNoEvidence, KnownEvidence,
    ListedFiles, PartState, RESOLVED, RestsOn, Scope, SiteFileSources, TableManifests,
    all_archives, join_originals, many_requests, parts_fault, pool,
};
use crate::store::Store;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

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
    for batch in prepared
        .removed
        .iter()
        .filter_map(|file| BatchName::of_file(file))
    {
        let has_evidence = prepared.known.has(&batch.manifest_file()) || batch.is_of_site_files();
        steps.insert(
            batch,
            if has_evidence {
                Step::Remove
            } else {
                Step::RemoveForGood
            },
        );
    }
    if options.existing == Existing::Continue || !prepared.kept.is_empty() {
        let kept = prepared.made.without_evidence(&prepared.known);
        steps.extend(kept.map(|batch| (batch.clone(), Step::Keep)));
        if options.missing == Missing::Drop {
            let removed = prepared.made.unknown(&prepared.known);
            steps.extend(removed.map(|batch| (batch.clone(), Step::RemoveForGood)));
        }
    }
    let comparison = options.comparison;
    let all = &prepared.all;
    let sources = SiteFileSources::from_groups(all, options.tables.scope, options.tables.slack);
    let groups: Vec<&ArchiveGroup<'_>> = prepared.groups().collect();
    let known = states::<ResolveTally>(
        (&groups, &sources),
        &prepared.made,
        store,
        (options.existing, comparison),
    )
    .map_err(|source| failure(source, store))?;
    for (group, parts) in groups.iter().zip(known) {
        let archives = group
            .batches()
            .into_iter()
            .map(|batch| batch.archives.len())
            .chain([0]);
        for (
            KnownPart {
                rests_on, state, ..
            },
            archives,
        ) in parts.into_iter().zip(archives)
        {
            let is_done = state == PartState::Done;
            steps.insert(
                rests_on.name,
                if is_done {
                    Step::Done
                } else {
                    Step::Make { archives, state }
                },
            );
        }
    }
    Ok(steps
        .into_iter()
        .map(|(batch, step)| PartPlan {
            crawl: batch.crawl,
            id: batch.id,
            step,
        })
        .collect())
}

/// What earlier calls have left of a batch, or of a group's site files.
pub struct KnownPart<T> {
    pub rests_on: RestsOn,
    pub state: PartState,
    /// Its counts, if nothing is left to do.
    pub tally: Option<T>,
}

/// Returns the state of the parts of each group: of its batches in their order, then of its site files. Example: of 40 batches of
/// a segment, 38 are whole and match this evidence, so two are made.
pub fn states<T: DeserializeOwned + Send>(
    (groups, sources): (&[&ArchiveGroup<'_>], &SiteFileSources<'_>),
    made: &TableManifests,
    store: &dyn Store,
    (existing, comparison): (Existing, Comparison),
) -> io::Result<Vec<Vec<KnownPart<T>>>> {
    let parts: Vec<RestsOn> = groups
        .iter()
        .flat_map(|group| sources.of_parts(group))
        .collect();
    // A first call lists nothing.
    let has_any = |group: &&&ArchiveGroup<'_>| group.parts().any(|name| made.has(&name));
    let names: Vec<_> = groups
        .iter()
        .filter(has_any)
        .flat_map(|group| group.parts())
        .collect();
    let listed = BatchName::list(store, &names)?;
    let known = |rests_on: RestsOn| {
        let (state, tally) = match existing {
            Existing::Replace => (PartState::New, None),
            Existing::Continue => made.state(store, &rests_on, (comparison, &listed))?,
        };
        Ok(KnownPart {
            rests_on,
            state,
            tally,
        })
    };
    let pool = many_requests(store, parts.len())?;
    let known = pool.install(|| {
        parts
            .into_par_iter()
            .map(known)
            .collect::<io::Result<Vec<_>>>()
    })?;
    let mut known = known.into_iter();
    Ok(groups
        .iter()
        .map(|group| known.by_ref().take(group.parts().count()).collect())
        .collect())
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
    /// What is wrong, if it is damaged; what has changed, if it is stale.
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
    groups: &[ArchiveGroup<'_>],
    (known, scope, slack): (&KnownEvidence, Scope, Duration),
    comparison: Comparison,
) -> io::Result<(Vec<PartStatus>, Option<Error>)> {
    let files = store.list(RESOLVED)?;
    let looked_at: BTreeSet<String> = groups
        .iter()
        .flat_map(ArchiveGroup::parts)
        .map(|part| part.manifest_file())
        .collect();
    let at_hand = files
        .iter()
        .filter(|file| looked_at.contains(*file) || !known.has(file));
    let made = TableManifests::read(store, &at_hand.collect::<Vec<_>>())?;
    let refusal = made.refuse_fewer(store, known, IfNoEvidence::Stays).err();
    join_originals(&all_archives(groups), None)?;
    let sources = SiteFileSources::from_groups(groups, scope, slack).without(known.partly_read());
    let all: Vec<&ArchiveGroup<'_>> = groups.iter().collect();
    let parts = states::<IgnoredAny>(
        (&all, &sources),
        &made,
        store,
        (Existing::Continue, comparison),
    )?;
    let parts = parts.into_iter().flatten().map(
        |KnownPart {
             rests_on: RestsOn { name, .. },
             state,
             ..
         }| {
            let detail = state.reason();
            let state = match state {
                PartState::Done => "done",
                PartState::New => "new",
                PartState::Stale | PartState::EarlierSiteFiles => "stale",
                PartState::Damaged(_) => "damaged",
            };
            (name, state, detail)
        },
    );
    let without = made
        .without_evidence(known)
        .map(|name| (name.clone(), "without_evidence", None));
    let mut parts: Vec<_> = parts
        .chain(without)
        .map(
            |(BatchName { crawl, id: batch }, state, detail)| PartStatus {
                crawl,
                batch,
                state,
                detail,
            },
        )
        .collect();
    parts.sort_by(|one, other| (&one.crawl, &one.batch).cmp(&(&other.crawl, &other.batch)));
    Ok((parts, refusal))
}

/// Returns what is wrong with files of the evidence, for each archive in the order of the groups.
pub fn evidence_faults(
    groups: &[&ArchiveGroup<'_>],
    comparison: Comparison,
) -> io::Result<Vec<Option<String>>> {
    let archives: Vec<_> = groups.iter().flat_map(|group| &group.archives).collect();
    let mut by_folder = BTreeMap::<String, Vec<&ArchiveEvidence<'_>>>::new();
    for archive in &archives {
        by_folder
            .entry(archive.store().location())
            .or_default()
            .push(archive);
    }
    let mut listed = BTreeMap::new();
    for (folder, archives) in by_folder {
        let files = archives
            .iter()
            .flat_map(|archive| &archive.manifest.parts)
            .map(|part| part.file.to_string());
        if let Some(archive) = archives.first() {
            listed.insert(folder, ListedFiles::list(archive.store(), files)?);
        }
    }
    let pool = pool("files", 0).map_err(io::Error::other)?;
    Ok(pool.install(|| {
        let faults = archives.par_iter().map(|archive| {
            let store = archive.store();
            let none = ListedFiles::default();
            let listed = listed.get(&store.location()).unwrap_or(&none);
            let fault = parts_fault(&archive.manifest.parts, store, (comparison, listed));
            fault.unwrap_or_else(|error| Some(error.to_string()))
        });
        faults.collect()
    }))
}

/// Refuses evidence with a missing file or one of another length, even if its tables exist: they are not of this evidence.
pub fn refuse_damaged_evidence(groups: &[&ArchiveGroup<'_>]) -> Result<(), Error> {
    let faults = evidence_faults(groups, Comparison::Lengths).map_err(|source| {
        let archives = groups.iter().flat_map(|group| &group.archives);
        let location = archives
            .map(|archive| archive.store().location())
            .next()
            .unwrap_or_default();
        Error::EvidenceUnreadable { location, source }
    })?;
    let archives = groups.iter().flat_map(|group| &group.archives);
    let mut faults = archives
        .zip(faults)
        .filter_map(|(archive, fault)| Some((archive, fault?)));
    let Some((archive, fault)) = faults.next() else {
        return Ok(());
    };
    let folder = archive.store().location();
    let name = &archive.manifest.warc_filename;
    let fault =
        format!("{folder}: {fault}; scan {name} again: crawlprefs scan ARCHIVE -o {folder}");
    Err(Error::EvidenceDamaged { fault })
}
