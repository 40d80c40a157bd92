//! Verdicts for any document, before training: by its record in the tables, else by its URL and date.
//!
//! ```no_run
//! use crawlprefs::judge::{Document, Documents, Judge, JudgeOptions};
//! use crawlprefs::store::FolderStore;
//! use crawlprefs::web::preference::Preference;
//! use crawlprefs::web::timestamp::Timestamp;
//! use std::sync::Arc;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = Arc::new(FolderStore::of_input("prefs".into()));
//! let judge = Judge::open(tables, Vec::new(), JudgeOptions::default())?;
//! let mut documents = Documents::default();
//! let date = Timestamp::new(b"2026-08-10T08:00:00Z");
//! documents.push(&Document { url: Some(b"https://a.example/b"), date, ..Document::default() });
//! let verdicts = judge.judge(&[documents])?;
//! assert_eq!(verdicts[0][0].access, Preference::Allow);
//! let columns = judge.columns(&verdicts[0])?; // an Arrow batch: prefs_access, prefs_train_ai, ...
//! # Ok(())
//! # }
//! ```
//!
//! A document whose record is in `pages` has the verdict of that row, headers and metas included. Every other one is
//! judged by its site's files, as they were at its date or are now, over all segments of the tables, by the decision
//! of `resolve`; what the page itself says was not seen, so that no label of it is allow. Unknown is never allowed.
//!
//! Memory: what is known of records and sites is loaded once where it fits. Otherwise each call reads the tables for
//! the documents that it is given; give it many of them.

mod added;
mod columns;
mod documents;
pub mod files;
mod policy;
mod records;
mod sites;
mod verdict;

pub use added::{Added, DROP, Taken};
pub use columns::JUDGED;
pub use documents::{Document, Documents, RecordKey, Unjudged};
pub use policy::{Policy, PolicyRule};
pub use sites::At;
pub use verdict::{Source, Verdict};

use crate::error::Error;
use crate::runs::{
    Bodies, Group, MadeWith, Scope, Sites, check_tables, default_memory_bytes, evidence_of, groups, load,
    pool,
};
use crate::store::{Places, Store};
use crate::systems::aipref_vocab::Vocabulary;
use crate::systems::app_directives::Applications;
use crate::verdict::{AgentsTable, Resolver, SiteIndex};
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use rayon::prelude::*;
use records::{RECORD_BYTES, Records, WantedRecords};
use sites::{DocumentPlace, Judging, origin_hash};
use std::collections::HashSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How documents are judged.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// When documents are judged that are known by their URLs alone.
    pub at: At,
    /// The agents table of the tables, where it is not the bundled one.
    pub agents: Option<AgentsTable>,
    /// The vocabulary of the tables, where it is a file.
    pub vocabulary: Option<Vocabulary>,
    /// The crawlers of applications, where the tables have some.
    pub applications: Option<Applications>,
    /// How many workers.
    pub jobs: NonZeroUsize,
    /// About how many bytes of memory to use at most; `None`: as [`default_memory_bytes`] says.
    pub memory_bytes: Option<u64>,
    /// The folder for what does not fit in memory; nothing stays in it.
    pub temp_dir: PathBuf,
}

impl Default for JudgeOptions {
    fn default() -> Self {
        Self {
            at: At::Page,
            agents: None,
            vocabulary: None,
            applications: None,
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory_bytes: None,
            temp_dir: std::env::temp_dir(),
        }
    }
}

/// Judges documents by the tables of a run and its evidence.
pub struct Judge {
    tables: Arc<dyn Store>,
    groups: Vec<Group<'static>>,
    resolver: Resolver,
    slack: Duration,
    options: JudgeOptions,
    memory_bytes: u64,
    record_count: u64,
    /// The captures of site files are loaded in so many passes.
    passes: u64,
    records: Mutex<Option<Arc<Records>>>,
    sites: Mutex<Option<Arc<SiteIndex<Bodies>>>>,
    pool: rayon::ThreadPool,
}

/// What a capture of a site file needs in an index, with its URL and its body's place.
const CAPTURE_BYTES: u64 = 300;

impl Judge {
    /// Opens the tables of a run. Its site files are in the folders of `evidence`; without any, in those that the
    /// tables name, which by default is their own.
    ///
    /// # Errors
    /// [`Error::NoTables`], [`Error::TablesUnreadable`], [`Error::TablesIncomplete`], [`Error::ArchivesMissing`],
    /// [`Error::ListsMissing`], [`Error::NoEvidence`], and why the
    /// evidence cannot be read.
    pub fn open(
        tables: Arc<dyn Store>,
        evidence: Vec<Arc<dyn Store>>,
        options: JudgeOptions,
    ) -> Result<Self, Error> {
        let location = || tables.location();
        let unreadable = |source| Error::TablesUnreadable { location: location(), source };
        let made_with = MadeWith::read(tables.as_ref()).map_err(unreadable)?;
        let made_with = made_with.ok_or_else(|| Error::NoTables { location: location() })?;
        let mut kept = made_with.table_options().map_err(unreadable)?;
        kept.agents = options.agents.clone().unwrap_or_else(AgentsTable::bundled);
        kept.viewpoint.applications = options.applications.clone().unwrap_or_default();
        if let Some(vocabulary) = &options.vocabulary {
            kept.viewpoint.vocabulary = vocabulary.clone();
        }
        let other = made_with.lists_other_than(&kept);
        if !other.is_empty() {
            let flags = other.iter().map(|flag| format!("{flag} FILE")).collect::<Vec<_>>().join(" ");
            return Err(Error::ListsMissing { location: location(), flags });
        }
        let evidence = evidence_of(&tables, evidence, &Places::default())?;
        let memory_bytes = options.memory_bytes.unwrap_or_else(default_memory_bytes);
        let groups = groups(evidence, Scope::All)?;
        check_tables(tables.as_ref(), &groups, kept.scope)?;
        let captures: u64 = groups.iter().map(Group::site_captures).sum();
        Ok(Self {
            resolver: Resolver::new(kept.viewpoint, &kept.agents),
            slack: kept.slack,
            record_count: records::count(tables.as_ref()).map_err(unreadable)?,
            passes: (captures * CAPTURE_BYTES).div_ceil((memory_bytes / 4).max(1)).max(1),
            records: Mutex::default(),
            sites: Mutex::default(),
            pool: pool("judge", options.jobs.get())?,
            tables,
            groups,
            memory_bytes,
            options,
        })
    }

    /// Returns what identifies the tables and the evidence: it changes with every row.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let unreadable = |source| Error::TablesUnreadable { location: self.tables.location(), source };
        files::fingerprint(self.tables.as_ref(), &self.groups).map_err(unreadable)
    }

    /// Returns the tokens of `disallowed_agents`, by their places.
    #[must_use]
    pub fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// Returns about how many bytes of documents should be given to one call.
    #[must_use]
    pub fn documents_bytes(&self) -> usize {
        usize::try_from(self.memory_bytes / 4).unwrap_or(usize::MAX)
    }

    /// Returns about how many bytes of memory are needed to read the evidence of all sites once, where a call reads it
    /// several times because fewer are allowed.
    #[must_use]
    pub fn memory_needed(&self) -> Option<u64> {
        (self.passes > 1).then_some(self.memory_bytes.saturating_mul(self.passes))
    }

    /// Judges documents; returns a verdict for each, by the part that it is in.
    ///
    /// # Errors
    /// Why the tables or the evidence cannot be read.
    pub fn judge(&self, parts: &[Documents]) -> Result<Vec<Vec<Arc<Verdict>>>, Error> {
        self.pool.install(|| {
            let mut verdicts = self.by_records(parts)?;
            let mut places = left(parts, &verdicts);
            places.par_sort_unstable();
            for pass in 0..self.passes {
                let of_pass = |place: &&DocumentPlace| place.origin % self.passes == pass;
                let places: Vec<DocumentPlace> = places.iter().filter(of_pass).copied().collect();
                if !places.is_empty() {
                    self.by_sites(parts, &places, &mut verdicts)?;
                }
            }
            let unknown = Arc::new(Verdict::unknown("url_missing"));
            let whole = |part: Vec<Option<Arc<Verdict>>>| {
                part.into_iter().map(|verdict| verdict.unwrap_or_else(|| Arc::clone(&unknown))).collect()
            };
            Ok(verdicts.into_iter().map(whole).collect())
        })
    }

    /// Returns the columns of verdicts, those of [`JUDGED`].
    ///
    /// # Errors
    /// Never, but for a bug.
    pub fn columns(&self, verdicts: &[Arc<Verdict>]) -> io::Result<RecordBatch> {
        columns::batch(verdicts, &self.resolver)
    }

    /// Returns the verdicts of the documents of which the tables have the record.
    fn by_records(&self, parts: &[Documents]) -> Result<Vec<Vec<Option<Arc<Verdict>>>>, Error> {
        if !parts.iter().any(Documents::has_keys) {
            return Ok(parts.iter().map(|part| vec![None; part.len()]).collect());
        }
        let unreadable = |source| Error::TablesUnreadable { location: self.tables.location(), source };
        let records = self.records(parts).map_err(unreadable)?;
        let verdict = |part: &Documents, row| part.keys(row).find_map(|key| records.verdict(&key).cloned());
        Ok(parts.iter().map(|part| (0..part.len()).map(|row| verdict(part, row)).collect()).collect())
    }

    fn records(&self, parts: &[Documents]) -> io::Result<Arc<Records>> {
        let fits = self.record_count * RECORD_BYTES <= self.memory_bytes / 8;
        if !fits || parts.iter().any(Documents::has_places) {
            let keys = parts.iter().flat_map(|part| (0..part.len()).flat_map(|row| part.keys(row)));
            let wanted = WantedRecords::Some(&keys.collect());
            return Records::load(self.tables.as_ref(), &self.resolver, &wanted).map(Arc::new);
        }
        let mut known = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(records) = known.as_ref() {
            return Ok(Arc::clone(records));
        }
        let records = Arc::new(Records::load(self.tables.as_ref(), &self.resolver, &WantedRecords::All)?);
        Ok(Arc::clone(known.insert(records)))
    }

    /// Judges documents of one pass by their sites' files.
    fn by_sites(
        &self,
        parts: &[Documents],
        places: &[DocumentPlace],
        verdicts: &mut [Vec<Option<Arc<Verdict>>>],
    ) -> Result<(), Error> {
        let index = self.sites(places)?;
        let Self { resolver, slack, options: JudgeOptions { at, .. }, .. } = self;
        let judging = Judging { parts, resolver, slack: *slack, at: *at };
        let unreadable = |source| Error::EvidenceUnreadable { location: self.tables.location(), source };
        let judged = judging.verdicts(&index, places).map_err(unreadable)?;
        for (place, verdict) in places.iter().zip(judged) {
            let part = verdicts.get_mut(place.part as usize);
            if let Some(empty) = part.and_then(|part| part.get_mut(place.row as usize)) {
                *empty = Some(verdict);
            }
        }
        Ok(())
    }

    /// Returns the site files of all origins, or, where they do not fit in memory, of those of some documents.
    fn sites(&self, places: &[DocumentPlace]) -> Result<Arc<SiteIndex<Bodies>>, Error> {
        if self.passes > 1 {
            let wanted: HashSet<u64> = places.iter().map(|place| place.origin).collect();
            let is_wanted = |url: &PageUrl<'_>| wanted.contains(&origin_hash(url));
            return self.load(Sites::Some(&is_wanted)).map(Arc::new);
        }
        let mut known = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sites) = known.as_ref() {
            return Ok(Arc::clone(sites));
        }
        let sites = Arc::new(self.load(Sites::All)?);
        Ok(Arc::clone(known.insert(sites)))
    }

    fn load(&self, sites: Sites<'_>) -> Result<SiteIndex<Bodies>, Error> {
        let archives: Vec<_> = self.groups.iter().flat_map(|group| &group.archives).collect();
        let cache_bytes = usize::try_from(self.memory_bytes / 8).unwrap_or(usize::MAX);
        load(&archives, sites, (&self.options.temp_dir, cache_bytes), &|| Ok(()))
            .map_err(|source| Error::EvidenceUnreadable { location: self.tables.location(), source })
    }
}

/// Returns the documents that have no verdict yet, and a URL.
fn left(parts: &[Documents], verdicts: &[Vec<Option<Arc<Verdict>>>]) -> Vec<DocumentPlace> {
    let of_part = |part: usize| {
        let documents = parts.get(part);
        let count = documents.map_or(0, Documents::len);
        let is_left = move |row: &usize| {
            verdicts.get(part).and_then(|verdicts| verdicts.get(*row)).is_none_or(Option::is_none)
        };
        let place = move |row: usize| {
            let url = PageUrl::new(documents.and_then(|documents| documents.url(row)).unwrap_or_default());
            let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            DocumentPlace {
                origin: url.as_ref().map_or(0, origin_hash),
                part: number(part),
                row: number(row),
            }
        };
        (0..count).into_par_iter().filter(is_left).map(place)
    };
    (0..parts.len()).into_par_iter().flat_map(of_part).collect()
}
