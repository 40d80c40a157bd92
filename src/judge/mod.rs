//! Verdicts for any document, before training: by its record in the tables, else by its URL and date.
//!
//! ```no_run
//! use crawlprefs::judge::{Added, Document, Documents, Judge, JudgeOptions};
//! use crawlprefs::store::FolderStore;
//! use crawlprefs::web::preference::Preference;
//! use crawlprefs::web::interval::Interval;
//! use std::sync::Arc;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = Arc::new(FolderStore::of_input("prefs".into()));
//! let judge = Judge::open(tables, Vec::new(), JudgeOptions::default())?;
//! let mut documents = Documents::default();
//! let date = Interval::new(b"2026-08-10T08:00:00Z");
//! documents.push(&Document { url: Some(b"https://a.example/b"), date, ..Document::default() });
//! let verdicts = judge.judge(&[documents])?;
//! assert_eq!(verdicts[0][0].access, Preference::Allow);
//! let columns = judge.columns(&verdicts[0], &Added::default(), None)?; // an Arrow batch: prefs_access, prefs_train_ai, ...
//! # Ok(())
//! # }
//! ```
//!
//! A document whose record is in `pages` has the verdict of that row, headers and metas included, or that by its site's files at
//! its date, whichever is stricter. Every other one is judged by its site's files alone, as they were at its date or are now,
//! over all segments of the tables, by the decision of `resolve`; the page itself was not seen, so no label of it is allow. At a
//! time other than its own, a document with a record is judged by its site's files of that time and by the noes of its record.
//! A record is a document's own only if URL and date agree; another record counts for its noes (KNOW-6). A date is an interval,
//! and the strictest answer at any instant of it counts (KNOW-7). Unknown is never allowed.
//!
//! Memory: records and sites are loaded once if they fit. Otherwise each call reads the tables for its documents; give it many.

mod added;
mod at;
mod basis;
mod by_index;
mod columns;
mod documents;
mod exceptions;
pub mod files;
mod finding;
mod options;
mod policy;
mod record_key;
mod records;
mod rules;
mod seen;
mod sites;
mod verdict;

pub use added::{Added, AddedColumn, Taken};
pub use at::At;
pub use basis::Audit;
pub use columns::{AUDITED, DROP, FINDING, FOUND_BY, JUDGED};
pub use documents::{Document, Documents};
pub use exceptions::{ExceptionColumns, Exceptions, ReadList};
pub use finding::Finding;
pub use options::{JudgeOptions, Twins};
pub use policy::Policy;
pub use record_key::RecordKey;
pub use rules::PolicyRule;
pub use verdict::{Source, Unjudged, Verdict};

use crate::error::Error;
use crate::runs::{Lacking, TableOptions, check_parts, check_tables, evidence_of, groups, pool};
use crate::sites::SiteLayers;
use crate::store::Store;
use crate::verdict::{CopyLimits, Resolver};
use arrow_array::RecordBatch;
use by_index::{EvidenceSites, IndexSites};
use columns::CellContext;
use documents::{PartRecords, PartVerdicts, Verdicts};
use options::options_of_tables;
use records::{RECORD_BYTES, ReadBeside, Records, URL_BYTES, add_noes};
use sites::Judging;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unreadable(tables: &dyn Store) -> impl Fn(io::Error) -> Error {
    |source| Error::TablesUnreadable {
        location: tables.location(),
        source,
    }
}

/// Returns what is known, or makes it.
fn made_once<T, E>(
    known: &Mutex<Option<Arc<T>>>,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    let mut known = locked(known);
    let value = known.take().map_or_else(|| make().map(Arc::new), Ok)?;
    Ok(Arc::clone(known.insert(value)))
}

/// Judges documents by the tables of a run and the files of sites, which are in evidence or in a site index.
pub struct Judge {
    /// `None` if all documents are judged by their sites' files.
    tables: Option<Arc<dyn Store>>,
    /// The SHA-256 of the tables, once it was computed.
    tables_sha256: OnceLock<String>,
    sites: SiteSource,
    /// The resolver, which has the tokens of `disallowed_agents` by their places.
    pub resolver: Resolver,
    limits: CopyLimits,
    /// Whom the verdicts are for, as in the footers of tables.
    pub viewpoint: BTreeMap<String, String>,
    options: JudgeOptions,
    exceptions: Arc<Exceptions>,
    memory_bytes: u64,
    record_count: u64,
    records: Mutex<Option<Arc<Records>>>,
    /// The same with URLs, for documents without one.
    records_with_urls: Mutex<Option<Arc<Records>>>,
    pool: rayon::ThreadPool,
}

enum SiteSource {
    Evidence(EvidenceSites),
    Index(IndexSites),
}

impl Judge {
    /// Opens the tables of a run. Its site files are in the folders of `evidence` or, without any, in those that the tables
    /// name, which by default is their own.
    ///
    /// # Errors
    /// [`Error::NoTables`], [`Error::TablesUnreadable`], [`Error::TablesIncomplete`], [`Error::ArchivesMissing`],
    /// [`Error::ListsMissing`], [`Error::NoEvidence`], and why the evidence cannot be read.
    pub fn open(
        tables: Arc<dyn Store>,
        evidence: Vec<Arc<dyn Store>>,
        options: JudgeOptions,
    ) -> Result<Self, Error> {
        let kept = options_of_tables(tables.as_ref(), &options)?;
        let evidence = evidence_of(&tables, evidence)?;
        let groups = groups(evidence)?;
        check_tables(tables.as_ref(), &groups)?;
        let sites = EvidenceSites::new(groups, tables.location(), options.memory_bytes());
        Self::new(Some(tables), SiteSource::Evidence(sites), &kept, options)
    }

    /// Opens one or several site indexes, and tables if given: a document whose record is in them has the verdict of that row.
    /// Without tables, `made_for` says whom the verdicts are for.
    ///
    /// # Errors
    /// Those of [`Self::open`] about tables.
    pub fn open_index(
        index: SiteLayers,
        tables: Option<Arc<dyn Store>>,
        made_for: TableOptions,
        options: JudgeOptions,
    ) -> Result<Self, Error> {
        let of_tables = |tables: &Arc<dyn Store>| {
            check_parts(tables.as_ref()).and_then(|_| options_of_tables(tables.as_ref(), &options))
        };
        let kept = tables.as_ref().map_or(Ok(made_for), of_tables)?;
        let sites = IndexSites::new(index, options.memory_bytes());
        Self::new(tables, SiteSource::Index(sites), &kept, options)
    }

    fn new(
        tables: Option<Arc<dyn Store>>,
        sites: SiteSource,
        kept: &TableOptions,
        options: JudgeOptions,
    ) -> Result<Self, Error> {
        let count = |tables: &Arc<dyn Store>| {
            records::count(tables.as_ref()).map_err(unreadable(tables.as_ref()))
        };
        let viewpoint = kept
            .footer()
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.clone()));
        Ok(Self {
            resolver: Resolver::new(kept.viewpoint.clone(), &kept.agents),
            limits: kept.limits(),
            viewpoint: viewpoint.collect(),
            record_count: tables.as_ref().map_or(Ok(0), count)?,
            records: Mutex::default(),
            records_with_urls: Mutex::default(),
            pool: pool("judge", options.jobs.get())?,
            memory_bytes: options.memory_bytes(),
            exceptions: Arc::default(),
            tables,
            tables_sha256: OnceLock::new(),
            sites,
            options,
        })
    }

    /// Returns the identity of the tables, and of the evidence or the index: it changes with every row.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let tables = self.tables_sha256()?;
        Ok(match &self.sites {
            SiteSource::Evidence(sites) => {
                let groups = sites.groups.iter().map(|group| group.fingerprint.as_str());
                files::fingerprint(tables, &groups.collect::<Vec<_>>())
            }
            SiteSource::Index(index) => {
                let index = index.opened();
                let viewpoint = self
                    .viewpoint
                    .iter()
                    .map(|(key, value)| format!("{key}={value}"));
                let viewpoint = viewpoint.collect::<Vec<_>>().join("\n");
                files::fingerprint(tables, &[&index.digest, &viewpoint])
            }
        })
    }

    /// Returns the SHA-256 of the tables, if there are any; `explain --judged` compares it.
    pub(crate) fn tables_sha256(&self) -> Result<Option<&str>, Error> {
        let Some(tables) = self.tables.as_deref() else {
            return Ok(None);
        };
        if let Some(known) = self.tables_sha256.get() {
            return Ok(Some(known));
        }
        let found = files::tables_sha256(tables).map_err(unreadable(tables))?;
        Ok(Some(self.tables_sha256.get_or_init(|| found)))
    }

    /// Returns what is missing from the archives that the tables were made of, if anything.
    pub fn lacking(&self) -> Result<Option<Error>, Error> {
        let lacking = match (&self.sites, &self.tables) {
            (SiteSource::Evidence(sites), _) => Lacking::of_groups(&sites.groups),
            (SiteSource::Index(_), Some(tables)) => Lacking::of_tables(tables.as_ref())?,
            (SiteSource::Index(_), None) => return Ok(None),
        };
        Ok(lacking.detail("").map(|detail| Error::Incomplete {
            location: self.location(),
            detail,
        }))
    }

    /// Returns the site indexes, if there are any.
    pub fn index(&self) -> Option<Arc<SiteLayers>> {
        match &self.sites {
            SiteSource::Index(index) => Some(index.opened()),
            SiteSource::Evidence(_) => None,
        }
    }

    /// Returns where the tables are, if there are any.
    pub fn tables(&self) -> Option<String> {
        self.tables.as_ref().map(|tables| tables.location())
    }

    /// Returns where the tables are, else the index.
    fn location(&self) -> String {
        self.tables()
            .or_else(|| self.index().map(|index| index.location()))
            .unwrap_or_default()
    }

    /// Returns about how many bytes of documents should be given to one call.
    pub fn documents_bytes(&self) -> usize {
        usize::try_from(self.memory_bytes / 4).unwrap_or(usize::MAX)
    }

    /// Returns about how many bytes of memory are needed to read the evidence of all sites once, if a call reads it several
    /// times because fewer are allowed.
    pub fn memory_needed(&self) -> Option<u64> {
        match &self.sites {
            SiteSource::Evidence(sites) => sites.memory_needed(),
            SiteSource::Index(_) => None,
        }
    }

    /// Judges documents; returns a verdict for each, by the part that it is in. If that fails and an index was replaced since
    /// it was opened, this call and later ones judge by the new index.
    pub fn judge(&self, parts: &[Documents]) -> Result<Vec<Verdicts>, Error> {
        match (self.judge_as_opened(parts), &self.sites) {
            (Err(_), SiteSource::Index(index)) if index.is_opened_again()? => {
                self.judge_as_opened(parts)
            }
            (judged, _) => judged,
        }
    }

    fn judge_as_opened(&self, parts: &[Documents]) -> Result<Vec<Verdicts>, Error> {
        let is_one = parts.iter().map(Documents::len).sum::<usize>() == 1;
        // Waking a worker takes longer than judging a document of a known site.
        if is_one && self.tables.is_none() {
            self.judged(parts)
        } else {
            self.pool.install(|| self.judged(parts))
        }
    }

    fn judged(&self, parts: &[Documents]) -> Result<Vec<Verdicts>, Error> {
        let columns = documents::url_columns(parts);
        let records = self.by_records(&columns)?;
        let mut verdicts = self.by_sites(&columns, &records)?;
        if let (Some(within), Some(tables)) = (self.options.match_within, self.tables.as_deref()) {
            add_noes(tables, &columns, &mut verdicts, within).map_err(unreadable(tables))?;
        }
        self.exceptions.put(&columns, &mut verdicts);
        Ok(documents::joined(
            parts,
            verdicts,
            self.resolver.tokens.len(),
        ))
    }

    /// Returns the columns of verdicts by their names; those of a policy have its digest, if they are audited.
    pub fn columns(
        &self,
        verdicts: &[Arc<Verdict>],
        added: &Added,
        policy: Option<&Policy>,
    ) -> io::Result<RecordBatch> {
        let context = CellContext {
            resolver: &self.resolver,
            policy,
        };
        added::batch(verdicts, &context, added)
    }

    /// Returns the times that documents are judged for, in the order of [`Verdict::at`].
    pub fn times(&self) -> &[At] {
        &self.options.times
    }

    /// Judges documents as a policy asks: for its times, with twins or without, and under its exceptions.
    pub fn for_policy(mut self, policy: &Policy) -> Self {
        self.exceptions = Arc::clone(&policy.exceptions);
        self.options.times.clone_from(&policy.times);
        self.options.twins = policy.twins;
        self
    }

    fn by_records(&self, parts: &[&Documents]) -> Result<Vec<PartRecords>, Error> {
        let has_keys = parts.iter().any(|part| part.has_keys());
        let Some(tables) = self.tables.as_deref().filter(|_| has_keys) else {
            return Ok(parts.iter().map(|part| vec![None; part.len()]).collect());
        };
        let records = self.records(tables, parts).map_err(unreadable(tables))?;
        Ok(parts
            .iter()
            .map(|part| records.of_documents(part))
            .collect())
    }

    fn records(&self, tables: &dyn Store, parts: &[&Documents]) -> io::Result<Arc<Records>> {
        let has_pairs = parts.iter().any(|part| !part.further.is_empty());
        let lacks_urls = parts.iter().any(|part| part.lacks_urls());
        let bytes = RECORD_BYTES + if lacks_urls { URL_BYTES } else { 0 };
        let fits = self.record_count * bytes <= self.memory_bytes / 8;
        let read = ReadBeside {
            is_audited: self.options.is_audited,
            has_pairs,
            lacks_urls,
        };
        if !fits || has_pairs || parts.iter().any(|part| part.has_places()) {
            let keys = parts
                .iter()
                .flat_map(|part| (0..part.len()).flat_map(|row| part.keys(row)));
            return Records::load(tables, &self.resolver, Some(&keys.collect()), read)
                .map(Arc::new);
        }
        let kept = if lacks_urls {
            &self.records_with_urls
        } else {
            &self.records
        };
        made_once(kept, || Records::load(tables, &self.resolver, None, read))
    }

    /// Judges documents by their sites' files, and by their records.
    fn by_sites(
        &self,
        parts: &[&Documents],
        records: &[PartRecords],
    ) -> Result<Vec<PartVerdicts>, Error> {
        let Self {
            resolver,
            limits,
            options,
            ..
        } = self;
        let judging = Judging {
            parts,
            records,
            resolver,
            limits: *limits,
            options,
        };
        let (places, judged) = match &self.sites {
            SiteSource::Evidence(sites) => sites.verdicts(&judging)?,
            SiteSource::Index(index) => index.verdicts(&judging)?,
        };
        let mut verdicts: Vec<PartVerdicts> =
            parts.iter().map(|part| vec![None; part.len()]).collect();
        for (place, verdict) in places.iter().zip(judged) {
            let part = verdicts.get_mut(place.part as usize);
            if let Some(known) = part.and_then(|part| part.get_mut(place.row as usize)) {
                *known = Some(verdict);
            }
        }
        Ok(verdicts)
    }
}
