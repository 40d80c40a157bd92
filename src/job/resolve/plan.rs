//! The state of each batch of tables, by its manifest, its files and the evidence: `resolve` makes what is not done, `--dry-run`
//! prints what it would do, `status` prints the state.
//!
//! Example: `17.1-warc-0000` is stale, as an archive of its segment was scanned since. Also whether the files of the evidence
//! exist. Nothing is written here.

use super::prepared::prepare;
use super::{ResolveOptions, ResolveTally, check, failure};
use crate::error::Error;
use crate::plan::{Kept, Missing, Step, Why};
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, BatchName, Comparison, Existing, IfNoEvidence, KnownEvidence,
    ListedFiles, RESOLVED, RestsOn, Scope, SiteFileSources, TableManifests, all_archives,
    join_originals, many_requests, parts_fault, pool,
};
use crate::store::Store;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

/// The parts of a batch, or of a segment's site files, and what happens to them; reports have the state of the parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PartPlan {
    /// The crawl.
    pub crawl: String,
    /// The name of the parts.
    pub batch: String,
    /// The number of archives with evidence that they are made from; 0 for site files.
    #[serde(skip)]
    pub archives: usize,
    /// What happens to them.
    #[serde(flatten)]
    pub step: Step,
}

/// Returns what [`super::resolve`] would do, in the order of crawls and batches.
pub fn plan(
    evidence: &[&dyn Store],
    store: &dyn Store,
    options: &ResolveOptions,
) -> Result<Vec<PartPlan>, Error> {
    let prepared = prepare(evidence, store, options)?;
    check(store, options)?;
    let mut steps = Steps::default();
    for batch in prepared
        .removed
        .iter()
        .filter_map(|file| BatchName::of_file(file))
    {
        let has_evidence = prepared.known.has(&batch.manifest_file()) || batch.is_of_site_files();
        let why = if has_evidence {
            "until a call for its segment makes it again"
        } else {
            WITHOUT_EVIDENCE
        };
        steps.add(&batch, Step::Remove(why));
    }
    if options.existing == Existing::Continue || !prepared.kept.is_empty() {
        steps.keep(&prepared.made, &prepared.known);
        if options.missing == Missing::Drop {
            for batch in prepared.made.unknown(&prepared.known) {
                steps.add(batch, Step::Remove(WITHOUT_EVIDENCE));
            }
        }
    }
    let sources =
        SiteFileSources::from_groups(&prepared.all, options.tables.scope, options.tables.slack);
    let groups: Vec<&ArchiveGroup<'_>> = prepared.groups().collect();
    let known = states::<ResolveTally>(
        (&groups, &sources),
        &prepared.made,
        store,
        (options.existing, options.comparison),
    )
    .map_err(|source| failure(source, store))?;
    Ok(steps.with_parts(known))
}

const WITHOUT_EVIDENCE: &str = "without evidence";

/// The steps of batches, and from how many archives each is made.
#[derive(Default)]
struct Steps(BTreeMap<BatchName, (usize, Step)>);

impl Steps {
    fn add(&mut self, batch: &BatchName, step: Step) {
        self.0.insert(batch.clone(), (0, step));
    }

    /// Keeps the tables that have no evidence.
    fn keep(&mut self, made: &TableManifests, known: &KnownEvidence) {
        for batch in made.without_evidence(known) {
            self.add(batch, Step::Keep(Kept::WithoutEvidence));
        }
    }

    /// Adds the parts of groups; returns all, in the order of crawls and batches.
    fn with_parts<T>(mut self, known: Vec<Vec<KnownPart<T>>>) -> Vec<PartPlan> {
        for KnownPart { rests_on, made } in known.into_iter().flatten() {
            let step = made.map_or_else(Step::Make, |_| Step::Keep(Kept::Done));
            let archives = rests_on.made_of.archives.len();
            self.0.insert(rests_on.name, (archives, step));
        }
        let steps = self.0.into_iter();
        steps
            .map(|(batch, (archives, step))| PartPlan {
                crawl: batch.crawl,
                batch: batch.id,
                archives,
                step,
            })
            .collect()
    }
}

/// What earlier calls have left of a batch, or of a group's site files.
pub struct KnownPart<T> {
    pub rests_on: RestsOn,
    /// Its counts, or why it is to be made.
    pub made: Result<T, Why>,
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
        let made = match existing {
            Existing::Replace => Err(Why::New),
            Existing::Continue => made.state(store, &rests_on, (comparison, &listed))?,
        };
        Ok(KnownPart { rests_on, made })
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

/// Returns the state of the tables of each group, and of those without evidence, and why the next resolve would be refused.
pub fn audit(
    store: &dyn Store,
    groups: &[ArchiveGroup<'_>],
    (known, scope, slack): (&KnownEvidence, Scope, Duration),
    comparison: Comparison,
) -> io::Result<(Vec<PartPlan>, Option<Error>)> {
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
    let mut steps = Steps::default();
    steps.keep(&made, known);
    Ok((steps.with_parts(parts), refusal))
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
