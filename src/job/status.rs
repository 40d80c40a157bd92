//! Whether a run is complete: every archive of a list is read, its evidence exists, and tables are made of it.
//!
//! The next steps are given in words. Nothing is written. Left out: whether an archive is the one that was read, which a scan
//! finds out.

use super::outcome::CHANGED;
use super::resolve::{PartPlan, audit, evidence_faults};
use crate::archive::{ArchiveName, Subset};
use crate::error::Error;
use crate::evidence::READ_RULES;
use crate::plan::{Kept, Step};
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, ChangedNote, Comparison, CrawlInput, Duplicate, KnownEvidence,
    MANIFESTS, MadeWith, Scope, groups_of, segments_of,
};
use crate::store::{Store, is_same_place};
use crate::tables::archives::Outcome;
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

/// What to check.
pub struct StatusOptions<'s> {
    /// The folder of the tables.
    pub tables: &'s dyn Store,
    /// The folders of evidence.
    pub evidence: Vec<&'s dyn Store>,
    /// The archives to be read, whose crawls are checked; `None`: those that something is known about.
    pub list: Option<Vec<CrawlInput>>,
    /// How files are compared with their manifests.
    pub comparison: Comparison,
}

/// How complete a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Whether nothing is missing.
    pub complete: bool,
    /// The archives, counted.
    pub subsets: Vec<SubsetStatus>,
    /// The archives that are not read to their end, or whose evidence is damaged.
    pub archives: Vec<ArchiveStatus>,
    /// The archives that are there under another name, too, and count for nothing.
    pub duplicates: Vec<Duplicate>,
    /// The tables, batch by batch.
    pub batches: Vec<PartPlan>,
    /// The folders of evidence.
    pub evidence: Vec<EvidenceStatus>,
    /// Other reasons why it is not complete.
    pub faults: Vec<String>,
    /// What to do next, in this order.
    pub next: Vec<String>,
}

/// The archives of a subset of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SubsetStatus {
    /// The crawl.
    pub crawl: String,
    /// The subset; `other`: archives that belong to no subset.
    pub subset: String,
    /// Archives of the list; without a list, those that evidence or tables name.
    pub archives: u64,
    /// Archives read to their end.
    pub read: u64,
    /// Of these, those with damaged places, see the table `failures`.
    pub damaged: u64,
    /// Archives read as far as they go: they end inside a record.
    pub cut: u64,
    /// Archives that could not be read.
    pub failed: u64,
    /// Archives that no call has finished.
    pub not_scanned: u64,
    /// Archives that were read, but another file with the name was found since.
    pub changed: u64,
    /// Archives whose evidence is missing or has changed.
    pub evidence_damaged: u64,
    /// Archives that were read but are not in the list.
    pub unlisted: u64,
    /// Archives read by an older version of the READ rules, see docs/rules/read.md.
    pub older_rules: u64,
}

/// An archive that is not read to its end, or whose evidence is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArchiveStatus {
    /// Its crawl.
    pub crawl: String,
    /// Its name.
    pub archive: String,
    /// `not_scanned`: no call finished it; `evidence_damaged`; `changed`: another file was found; else `outcome` in `archives`.
    pub state: &'static str,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A folder of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EvidenceStatus {
    /// Where it is.
    pub location: String,
    /// The number of archives that it has something of.
    pub archives: usize,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Finds out how complete a run is.
pub fn status(options: &StatusOptions<'_>) -> Result<Status, Error> {
    let tables = options.tables;
    let unreadable = |source| Error::TablesUnreadable {
        location: tables.location(),
        source,
    };
    let made_with = MadeWith::read(tables).map_err(unreadable)?;
    let mut status = Status::default();
    let (folders, manifests) = status.folders(options);
    let none = (Scope::All, Duration::ZERO);
    let (scope, slack) = made_with
        .as_ref()
        .map_or(Ok(none), MadeWith::reach)
        .unwrap_or_else(|error| {
            status.faults.push(error.to_string());
            none
        });
    // With a list, only its crawls are read; listings say what exists of others.
    let list = options.list.as_deref().filter(|list| !list.is_empty());
    let crawls = list.map(|list| list.iter().map(|archive| archive.crawl.as_str()).collect());
    let wanted = crawls.map(|crawls| segments_of(&manifests, &crawls));
    let (found, unread, same) =
        match groups_of(folders.iter().copied(), wanted.as_ref(), options.comparison) {
            Ok(found) => (found.groups, found.unread, found.duplicates),
            Err(_) if folders.is_empty() => Default::default(),
            Err(Error::EvidenceDiffers {
                name,
                first,
                second,
                next,
            }) => {
                // Nothing else is certain until both folders have evidence of the same file.
                status.next.push(next.clone());
                status.faults.push(
                    Error::EvidenceDiffers {
                        name,
                        first,
                        second,
                        next,
                    }
                    .to_string(),
                );
                return Ok(status);
            }
            Err(error) => {
                status.faults.push(error.to_string());
                Default::default()
            }
        };
    status.duplicates = same;
    let faults = archive_faults(&found, options.comparison).map_err(unreadable)?;
    status.count(&found, &faults, options.list.as_deref());
    let other_version = made_with.as_ref().and_then(MadeWith::other_version);
    let is_newer = made_with.as_ref().is_some_and(MadeWith::is_newer);
    if let Some(difference) = &other_version {
        let which = if is_newer { "a newer" } else { "another" };
        status.faults.push(format!(
            "the tables are of {which} version of crawlprefs ({difference})"
        ));
    }
    let refusal;
    let known = KnownEvidence::new(&found).with_unread(unread);
    (status.batches, refusal) =
        audit(tables, &found, (&known, scope, slack), options.comparison).map_err(unreadable)?;
    status
        .faults
        .extend(refusal.map(|refusal| refusal.to_string()));
    status.conclude(options, &folders, |status, undone| {
        // What a resolve is needed for, and how it is called.
        let (what, overwrite) = match (&made_with, &other_version) {
            (None, _) => ("no tables yet".to_owned(), ""),
            (Some(_), Some(_)) if is_newer => {
                let location = tables.location();
                return Some(format!(
                    "{location}: use the newer version of crawlprefs that made its tables"
                ));
            }
            (Some(_), Some(_)) => ("tables of another version".to_owned(), " --overwrite"),
            (Some(_), None) if undone == 0 && status.faults.is_empty() => return None,
            (Some(_), None) => (format!("{undone} batches are not done"), ""),
        };
        let call = resolve_call(options, &folders, overwrite);
        Some(format!(
            "{call}    ({what}; give the same options as before)"
        ))
    });
    Ok(status)
}

/// Returns the archives of a list that are not read to their end, in the order of their names.
pub fn unread<'l>(status: &Status, list: &'l [CrawlInput]) -> Vec<&'l CrawlInput> {
    let unread = status
        .archives
        .iter()
        .filter(|archive| archive.state != CHANGED);
    let unread: BTreeSet<(&str, &str)> = unread
        .map(|archive| (archive.crawl.as_str(), archive.archive.as_str()))
        .collect();
    let is_unread =
        |archive: &&CrawlInput| unread.contains(&(&*archive.crawl, archive.input.name.filename()));
    list.iter().filter(is_unread).collect()
}

impl Status {
    /// Checks the folders of evidence; returns those that have any, and the names of their manifests.
    fn folders<'s>(&mut self, options: &StatusOptions<'s>) -> (Vec<&'s dyn Store>, Vec<String>) {
        let mut folders = Vec::new();
        let mut manifests = Vec::new();
        for store in &options.evidence {
            let (files, fault) = match store.list(MANIFESTS) {
                Ok(files) => {
                    let fault = files.is_empty().then(|| {
                        Error::NoEvidence {
                            location: store.location(),
                        }
                        .to_string()
                    });
                    (files, fault)
                }
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            if fault.is_none() {
                folders.push(*store);
            }
            self.evidence.push(EvidenceStatus {
                location: store.location(),
                archives: files.len(),
                fault,
            });
            manifests.extend(files);
        }
        (folders, manifests)
    }

    fn count(
        &mut self,
        groups: &[ArchiveGroup<'_>],
        faults: &[Option<FoundFault>],
        list: Option<&[CrawlInput]>,
    ) {
        let mut subsets = BTreeMap::<(String, &'static str), SubsetStatus>::new();
        let mut listed = BTreeMap::new();
        for archive in list.into_iter().flatten() {
            listed.insert(
                (archive.crawl.as_str(), archive.input.name.filename()),
                archive,
            );
        }
        for (archive, fault) in groups.iter().flat_map(|group| &group.archives).zip(faults) {
            let manifest = &archive.manifest;
            let row = &archive.manifest.row;
            let counts = counts_of(&mut subsets, &manifest.crawl, &manifest.name());
            let listed = listed.remove(&(manifest.crawl.as_str(), manifest.warc_filename.as_str()));
            if list.is_some() && listed.is_none() {
                counts.unlisted += 1;
                continue;
            }
            counts.archives += 1;
            counts.damaged += u64::from(row.outcome == Outcome::Read && row.failures > 0);
            counts.older_rules += u64::from(archive.is_read() && row.read_rules < Some(READ_RULES));
            let (count, (state, detail)) = match (fault, row.outcome) {
                (Some(fault @ (CHANGED, _)), _) => (&mut counts.changed, fault.clone()),
                (Some(fault), _) => (&mut counts.evidence_damaged, fault.clone()),
                (None, Outcome::Read) => {
                    counts.read += 1;
                    continue;
                }
                (None, Outcome::Cut) => {
                    (&mut counts.cut, (row.outcome.as_str(), row.detail.clone()))
                }
                (None, _) => (
                    &mut counts.failed,
                    (row.outcome.as_str(), row.detail.clone()),
                ),
            };
            *count += 1;
            let crawl = manifest.crawl.to_string();
            let archive = manifest.warc_filename.clone();
            self.archives.push(ArchiveStatus {
                crawl,
                archive,
                state,
                detail,
            });
        }
        for ((crawl, name), archive) in listed {
            let counts = counts_of(&mut subsets, crawl, &archive.input.name);
            counts.archives += 1;
            counts.not_scanned += 1;
            let crawl = crawl.to_owned();
            let archive = name.to_owned();
            self.archives.push(ArchiveStatus {
                crawl,
                archive,
                state: "not_scanned",
                detail: None,
            });
        }
        self.subsets = subsets.into_values().collect();
    }

    /// Names the next steps; `resolve` returns the step that makes this many batches.
    fn conclude(
        &mut self,
        options: &StatusOptions<'_>,
        folders: &[&dyn Store],
        resolve: impl FnOnce(&Self, usize) -> Option<String>,
    ) {
        let tables = options.tables.location();
        for EvidenceStatus {
            location, fault, ..
        } in &self.evidence
        {
            if fault.is_some() {
                let step = "mount it, or name the folder where its evidence is now with --evidence";
                self.next
                    .push(format!("{location}: no evidence there: {step}"));
            }
        }
        let beside = folders
            .iter()
            .find(|store| is_same_place(**store, options.tables))
            .or(folders.first());
        let scanned = beside.map_or_else(|| tables.clone(), |store| store.location());
        let which = options
            .list
            .as_ref()
            .map_or("ARCHIVE...", |_| "--paths-from LIST");
        let changed = self
            .archives
            .iter()
            .filter(|archive| archive.state == CHANGED)
            .count();
        let unread = self.archives.len() - changed;
        if unread > 0 {
            self.next.push(format!(
                "crawlprefs scan {which} -o {scanned}    ({unread} archives are not read to their end)"
            ));
        }
        if changed > 0 {
            self.next.push(format!(
                "crawlprefs scan {which} -o {scanned} --again changed    (of {changed} archives another file was found; to keep \
                 their evidence, remove their notes below {scanned}/_changed)"
            ));
        }
        let absent = self.crawls_without_evidence();
        for crawl in &absent {
            self.next.push(format!(
                "{tables}: the tables of {crawl} have no evidence in these folders; name its folder with --evidence, or resolve \
                 without the crawl: {}",
                resolve_call(options, folders, " --overwrite --drop-missing")
            ));
        }
        let undone = self
            .batches
            .iter()
            .filter(|batch| !batch.step.is_done() && !absent.contains(&batch.crawl))
            .count();
        let step = resolve(self, undone);
        self.next.extend(step);
        self.complete = self.next.is_empty();
    }

    /// Crawls with tables but no evidence in any folder, if nothing is wrong: no resolve would change their tables.
    fn crawls_without_evidence(&self) -> BTreeSet<String> {
        if !self.faults.is_empty() || self.evidence.iter().any(|folder| folder.fault.is_some()) {
            return BTreeSet::new();
        }
        let (without, known): (Vec<_>, Vec<_>) = self
            .batches
            .iter()
            .partition(|batch| batch.step == Step::Keep(Kept::WithoutEvidence));
        let crawls =
            |batches: Vec<&PartPlan>| batches.iter().map(|batch| batch.crawl.clone()).collect();
        let (without, known): (BTreeSet<String>, BTreeSet<String>) =
            (crawls(without), crawls(known));
        &without - &known
    }
}

fn resolve_call(options: &StatusOptions<'_>, folders: &[&dyn Store], flags: &str) -> String {
    let tables = options.tables.location();
    let evidence: Vec<String> = folders.iter().map(|store| store.location()).collect();
    let evidence = if evidence.is_empty() {
        tables.clone()
    } else {
        evidence.join(" ")
    };
    let out = if evidence == tables {
        String::new()
    } else {
        format!(" -o {tables}")
    };
    let verify = if options.comparison == Comparison::Bytes {
        " --verify"
    } else {
        ""
    };
    format!("crawlprefs resolve {evidence}{out}{verify}{flags}")
}

fn counts_of<'c>(
    subsets: &'c mut BTreeMap<(String, &'static str), SubsetStatus>,
    crawl: &str,
    name: &ArchiveName,
) -> &'c mut SubsetStatus {
    let subset = name.subset().map_or("other", Subset::as_str);
    subsets
        .entry((crawl.to_owned(), subset))
        .or_insert_with(|| SubsetStatus {
            crawl: crawl.to_owned(),
            subset: subset.to_owned(),
            ..SubsetStatus::default()
        })
}

/// What is wrong with the evidence of an archive: the state of [`ArchiveStatus`], and what was found.
type FoundFault = (&'static str, Option<String>);

/// Returns the fault of each archive's evidence, in the order of the groups.
fn archive_faults(
    groups: &[ArchiveGroup<'_>],
    comparison: Comparison,
) -> io::Result<Vec<Option<FoundFault>>> {
    let files = evidence_faults(&groups.iter().collect::<Vec<_>>(), comparison)?;
    let archives = groups.iter().flat_map(|group| &group.archives);
    let mut notes = BTreeMap::<String, BTreeSet<String>>::new();
    let fault = |(archive, fault): (&ArchiveEvidence<'_>, Option<String>)| {
        let store = archive.store();
        let manifest = &archive.manifest;
        let of_folder = match notes.entry(store.location()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(ChangedNote::all(store)?),
        };
        let note = || ChangedNote::file(&manifest.crawl, &manifest.name());
        if let Some(fault) = fault {
            Ok(Some(("evidence_damaged", Some(fault))))
        } else if !of_folder.is_empty() && of_folder.contains(&note()) {
            Ok(Some((
                CHANGED,
                ChangedNote::read(store, &note())?.map(|note| note.detail),
            )))
        } else {
            Ok(None)
        }
    };
    archives.zip(files).map(fault).collect()
}
