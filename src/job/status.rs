//! Whether a run is complete: every archive of a list is read, its evidence exists, and tables are made of it.
//!
//! Example: of 1,000 archives of a list, 998 are read, one is cut and one is missing, so two batches are stale. The next steps
//! are given in words. Nothing is written. Left out: whether an archive is the one that was read, which a scan finds out.

use super::archive_fault::{ArchiveFault, archive_faults};
use super::outcome::CHANGED;
use super::resolve::{PartStatus, audit};
use crate::archive::{ArchiveName, Subset};
use crate::error::Error;
use crate::evidence::READ_RULES;
use crate::runs::{CrawlInput, Group, Known, Look, MANIFESTS, MadeWith, Scope, groups_of, segments_of};
use crate::store::Store;
use crate::tables::archives::Outcome;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What to check.
pub struct StatusOptions<'s> {
    /// The folder of the tables.
    pub tables: &'s dyn Store,
    /// The folders of evidence.
    pub evidence: Vec<&'s dyn Store>,
    /// The archives to be read, whose crawls are checked; `None`: those that something is known about.
    pub list: Option<Vec<CrawlInput>>,
    /// How files are compared with their manifests.
    pub look: Look,
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
    /// The tables, batch by batch.
    pub batches: Vec<PartStatus>,
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
    /// Archives read by an older version of the READ rules, see docs/rules.md.
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

/// Which call of `resolve` is next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextResolve {
    /// The first call: there are no tables.
    First,
    /// A call that continues.
    Continue,
    /// A call that replaces tables of another version.
    Overwrite,
    /// No call by this version: a newer one made the tables.
    Newer,
}

/// Finds out how complete a run is.
pub fn status(options: &StatusOptions<'_>) -> Result<Status, Error> {
    let tables = options.tables;
    let unreadable = |source| Error::TablesUnreadable { location: tables.location(), source };
    let made_with = MadeWith::read(tables).map_err(unreadable)?;
    let mut status = Status::default();
    let (folders, manifests) = status.folders(options);
    let scope = match made_with.as_ref().map_or(Ok(Scope::Segment), MadeWith::scope) {
        Ok(scope) => scope,
        Err(error) => {
            status.faults.push(error.to_string());
            Scope::Segment
        }
    };
    // With a list, only its crawls are read; listings say what exists of others.
    let list = options.list.as_deref().filter(|list| !list.is_empty());
    let crawls = list.map(|list| list.iter().map(|archive| archive.crawl.as_str()).collect());
    let wanted = crawls.map(|crawls| segments_of(&manifests, &crawls));
    let (found, unread) = match groups_of(folders.iter().copied(), scope, wanted.as_ref(), options.look) {
        Ok(found) => (found.groups, found.unread),
        Err(_) if folders.is_empty() => Default::default(),
        Err(Error::EvidenceDiffers { name, first, second, next }) => {
            // Nothing else is certain until both folders have evidence of the same file.
            status.next.push(next.clone());
            status.faults.push(Error::EvidenceDiffers { name, first, second, next }.to_string());
            return Ok(status);
        }
        Err(error) => {
            status.faults.push(error.to_string());
            Default::default()
        }
    };
    let faults = archive_faults(&found, options.look).map_err(unreadable)?;
    status.count(&found, &faults, options.list.as_deref());
    let resolve = status.next_resolve(made_with.as_ref());
    let refusal;
    let known = Known::new(&found, scope).with_unread(unread);
    (status.batches, refusal) = audit(tables, &found, &known, options.look).map_err(unreadable)?;
    status.faults.extend(refusal.map(|refusal| refusal.to_string()));
    status.conclude(options, &folders, resolve);
    Ok(status)
}

/// Returns the archives of a list that are not read to their end, in the order of their names.
pub fn unread<'l>(status: &Status, list: &'l [CrawlInput]) -> Vec<&'l CrawlInput> {
    let unread = status.archives.iter().filter(|archive| archive.state != CHANGED);
    let unread: BTreeSet<(&str, &str)> =
        unread.map(|archive| (archive.crawl.as_str(), archive.archive.as_str())).collect();
    let is_unread =
        |archive: &&CrawlInput| unread.contains(&(&*archive.crawl, archive.input.name.filename()));
    list.iter().filter(is_unread).collect()
}

impl Status {
    /// Checks the folders of evidence; returns those that have any, and the names of their manifests.
    fn folders<'s>(&mut self, options: &StatusOptions<'s>) -> (Vec<&'s dyn Store>, Vec<String>) {
        let (mut folders, mut manifests) = (Vec::new(), Vec::new());
        for store in &options.evidence {
            let (files, fault) = match store.list(MANIFESTS) {
                Ok(files) if files.is_empty() => (files, Some(no_evidence(*store))),
                Ok(files) => (files, None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            if fault.is_none() {
                folders.push(*store);
            }
            self.evidence.push(EvidenceStatus { location: store.location(), archives: files.len(), fault });
            manifests.extend(files);
        }
        (folders, manifests)
    }

    /// Finds out which version made the tables, and so which call is next.
    fn next_resolve(&mut self, made_with: Option<&MadeWith>) -> NextResolve {
        let Some(made_with) = made_with else { return NextResolve::First };
        let Some(difference) = made_with.other_version() else { return NextResolve::Continue };
        let (which, next) = if made_with.is_newer() {
            ("a newer", NextResolve::Newer)
        } else {
            ("another", NextResolve::Overwrite)
        };
        self.faults.push(format!("the tables are of {which} version of crawlprefs ({difference})"));
        next
    }

    fn count(&mut self, groups: &[Group<'_>], faults: &[Option<ArchiveFault>], list: Option<&[CrawlInput]>) {
        let mut subsets = BTreeMap::<(String, &'static str), SubsetStatus>::new();
        let mut listed: BTreeMap<(&str, &str), &CrawlInput> = list
            .into_iter()
            .flatten()
            .map(|archive| ((archive.crawl.as_str(), archive.input.name.filename()), archive))
            .collect();
        for (archive, fault) in groups.iter().flat_map(|group| &group.archives).zip(faults) {
            let (manifest, row) = (&archive.manifest, &archive.manifest.row);
            let counts = counts_of(&mut subsets, &manifest.crawl, &manifest.name());
            let is_listed =
                listed.remove(&(manifest.crawl.as_str(), manifest.warc_filename.as_str())).is_some();
            let is_read = row.outcome == Outcome::Read;
            if list.is_some() && !is_listed {
                counts.unlisted += 1;
                continue;
            }
            counts.archives += 1;
            counts.damaged += u64::from(is_read && row.failures > 0);
            counts.older_rules += u64::from(archive.is_read() && row.read_rules < Some(READ_RULES));
            let mut not_read = |state, detail| {
                let (crawl, archive) = (manifest.crawl.clone(), manifest.warc_filename.clone());
                self.archives.push(ArchiveStatus { crawl, archive, state, detail });
            };
            match (row.outcome, fault) {
                (_, Some(ArchiveFault::File(fault))) => {
                    counts.evidence_damaged += 1;
                    not_read("evidence_damaged", Some(fault.clone()));
                }
                (_, Some(ArchiveFault::OtherArchive(found))) => {
                    counts.changed += 1;
                    not_read(CHANGED, found.clone());
                }
                (Outcome::Read, None) => counts.read += 1,
                (Outcome::Cut, None) => {
                    counts.cut += 1;
                    not_read(row.outcome.as_str(), row.detail.clone());
                }
                (
                    Outcome::Missing
                    | Outcome::Unreadable
                    | Outcome::Empty
                    | Outcome::NotAnArchive
                    | Outcome::UnsupportedFormat,
                    None,
                ) => {
                    counts.failed += 1;
                    not_read(row.outcome.as_str(), row.detail.clone());
                }
            }
        }
        for ((crawl, name), archive) in listed {
            let counts = counts_of(&mut subsets, crawl, &archive.input.name);
            counts.archives += 1;
            counts.not_scanned += 1;
            let (crawl, archive) = (crawl.to_owned(), name.to_owned());
            self.archives.push(ArchiveStatus { crawl, archive, state: "not_scanned", detail: None });
        }
        self.subsets = subsets.into_values().collect();
    }

    fn conclude(&mut self, options: &StatusOptions<'_>, folders: &[&dyn Store], resolve: NextResolve) {
        let tables = options.tables.location();
        for EvidenceStatus { location, fault, .. } in &self.evidence {
            if fault.is_some() {
                let step = "mount it, or name the folder where its evidence is now with --evidence";
                self.next.push(format!("{location}: no evidence there: {step}"));
            }
        }
        let beside = folders.iter().find(|store| store.location() == tables).or(folders.first());
        let scanned = beside.map_or_else(|| tables.clone(), |store| store.location());
        let which = options.list.as_ref().map_or("ARCHIVE...", |_| "--paths-from LIST");
        let changed = self.archives.iter().filter(|archive| archive.state == CHANGED).count();
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
        let is_undone = |batch: &&PartStatus| !batch.is_done() && !absent.contains(&batch.crawl);
        let undone = self.batches.iter().filter(is_undone).count();
        if undone > 0 || resolve != NextResolve::Continue || !self.faults.is_empty() {
            let step = resolve_step(options, folders, resolve, undone);
            self.next.push(step);
        }
        self.complete = self.next.is_empty();
    }

    /// Crawls with tables but no evidence in any folder, if nothing is wrong: no resolve would change their tables.
    fn crawls_without_evidence(&self) -> BTreeSet<String> {
        if !self.faults.is_empty() || self.evidence.iter().any(|folder| folder.fault.is_some()) {
            return BTreeSet::new();
        }
        let is_without = |batch: &&PartStatus| batch.state == "without_evidence";
        let without = self.batches.iter().filter(is_without).map(|batch| batch.crawl.clone());
        let known = |crawl: &String| {
            self.batches.iter().any(|batch| batch.crawl == *crawl && batch.state != "without_evidence")
        };
        without.filter(|crawl| !known(crawl)).collect()
    }
}

fn resolve_step(
    options: &StatusOptions<'_>,
    folders: &[&dyn Store],
    resolve: NextResolve,
    undone: usize,
) -> String {
    let (what, overwrite) = match resolve {
        NextResolve::First => ("no tables yet".to_owned(), ""),
        NextResolve::Continue => (format!("{undone} batches are not done"), ""),
        NextResolve::Overwrite => ("tables of another version".to_owned(), " --overwrite"),
        NextResolve::Newer => {
            let tables = options.tables.location();
            return format!("{tables}: use the newer version of crawlprefs that made its tables");
        }
    };
    let call = resolve_call(options, folders, overwrite);
    format!("{call}    ({what}; give the same options as before)")
}

fn resolve_call(options: &StatusOptions<'_>, folders: &[&dyn Store], flags: &str) -> String {
    let tables = options.tables.location();
    let evidence: Vec<String> = folders.iter().map(|store| store.location()).collect();
    let evidence = if evidence.is_empty() { tables.clone() } else { evidence.join(" ") };
    let out = if evidence == tables { String::new() } else { format!(" -o {tables}") };
    let verify = if options.look == Look::Bytes { " --verify" } else { "" };
    format!("crawlprefs resolve {evidence}{out}{verify}{flags}")
}

fn no_evidence(store: &dyn Store) -> String {
    Error::NoEvidence { location: store.location() }.to_string()
}

fn counts_of<'c>(
    subsets: &'c mut BTreeMap<(String, &'static str), SubsetStatus>,
    crawl: &str,
    name: &ArchiveName,
) -> &'c mut SubsetStatus {
    let subset = name.subset().map_or("other", Subset::as_str);
    let new =
        || SubsetStatus { crawl: crawl.to_owned(), subset: subset.to_owned(), ..SubsetStatus::default() };
    subsets.entry((crawl.to_owned(), subset)).or_insert_with(new)
}
