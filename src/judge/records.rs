//! Verdicts of records, read from `pages`.
//!
//! Example: the row of `<urn:uuid:5a1b...>`, by which a document with that id is judged. If several rows have an id, their
//! verdicts are joined, as are those of several archives that a document's place may mean. A record of another host than the
//! document's says less: an id can be wrong, or made up. Memory: some 80 bytes a record, and each distinct verdict of a file
//! once. Left out: records without a document, if not all records fit in memory.

use super::documents::{DerivedVerdicts, Documents, PartVerdicts, shared};
use super::record_key::{RecordKey, is_same_archive};
use super::verdict::{Audit, Source, Verdict, decided_by, forbid, preference};
use crate::robots::TokenSet;
use crate::store::Store;
use crate::systems::robots_tag::{NOIMAGEAI_LABELS, is_noimageai};
use crate::tables::Slices;
use crate::tables::pages::{AUDIT_COLUMNS, PAGES, Pages, RULES_COLUMN, VERDICT_COLUMNS};
use crate::verdict::Resolver;
use crate::web::{preference::Preference, product_token::ProductToken, url::PageUrl};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::io;
use std::sync::Arc;

/// Memory for a record, with its place in a table that is three quarters full.
pub const RECORD_BYTES: u64 = 80;

/// What is read of a record besides its verdict.
#[derive(Clone, Copy)]
pub struct ReadBeside {
    /// What it rests on.
    pub is_audited: bool,
    /// Whether documents have several URLs, so that a page's `noimageai` counts for its image.
    pub has_pairs: bool,
}

/// Verdicts by record.
#[derive(Default)]
pub struct Records {
    by_id: HashMap<RecordKey, KnownRecord>,
    /// One key may have the records of several archives.
    by_place: HashMap<RecordKey, Vec<(Arc<str>, KnownRecord)>>,
    token_count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownRecord {
    verdict: Arc<Verdict>,
    /// `None` if several joined records have several hosts.
    host: Option<RecordKey>,
}

impl KnownRecord {
    /// Joins it with another record that may be the same document's.
    fn join(&mut self, other: &Self, token_count: usize) {
        if self.verdict != other.verdict {
            Arc::make_mut(&mut self.verdict).join(&other.verdict, token_count);
        }
        self.host = self.host.filter(|_| self.host == other.host);
    }
}

/// A row that was read: the wanted keys, the archive, and the record.
struct RecordRow {
    id: Option<RecordKey>,
    place: Option<(RecordKey, Arc<str>)>,
    record: KnownRecord,
}

/// Returns how many records the tables have.
pub fn count(tables: &dyn Store) -> io::Result<u64> {
    let rows = tables.list(PAGES.folder)?.into_iter().map(|file| {
        let rows = tables.open(&file).and_then(Slices::row_count);
        rows.map_err(|error| named(tables, &file, &error))
    });
    rows.sum()
}

fn named(tables: &dyn Store, file: &str, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", tables.location_of(file)))
}

/// Reads columns of every file of `pages`.
pub fn of_each_file<T: Send>(
    tables: &dyn Store,
    columns: &[&str],
    read: impl Fn(Slices) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let of_file = |file: &String| {
        let read = tables.open(file).and_then(|opened| read(Slices::of_columns(opened, columns)?));
        read.map_err(|error| named(tables, file, &error))
    };
    tables.list(PAGES.folder)?.par_iter().map(of_file).collect()
}

impl Records {
    /// Loads verdicts of records: those with some keys, by id or place, or all of them, by their ids.
    pub fn load(
        tables: &dyn Store,
        resolver: &Resolver,
        wanted: Option<&HashSet<RecordKey>>,
        beside: ReadBeside,
    ) -> io::Result<Self> {
        let tokens = resolver.tokens().iter().map(ProductToken::as_str);
        let reading = RecordReading { places: tokens.zip(0..).collect(), wanted, beside };
        let audit = AUDIT_COLUMNS.iter().filter(|_| beside.is_audited);
        let rules = [RULES_COLUMN].iter().filter(|_| beside.has_pairs);
        let columns: Vec<&str> = VERDICT_COLUMNS.iter().chain(audit).chain(rules).copied().collect();
        let loaded = of_each_file(tables, &columns, |slices| reading.read(slices))?;
        let mut records = Self { token_count: reading.places.len(), ..Self::default() };
        loaded.into_iter().flatten().for_each(|row| records.add(row));
        Ok(records)
    }

    fn add(&mut self, RecordRow { id, place, record }: RecordRow) {
        if let Some((key, archive)) = place {
            self.by_place.entry(key).or_default().push((archive, record.clone()));
        }
        match id.map(|id| self.by_id.entry(id)) {
            Some(Entry::Vacant(vacant)) => {
                vacant.insert(record);
            }
            Some(Entry::Occupied(mut known)) => known.get_mut().join(&record, self.token_count),
            None => {}
        }
    }

    /// Returns the verdicts of the records of documents, by their rows.
    pub fn verdicts(&self, documents: &Documents) -> PartVerdicts {
        let mut derived = DerivedVerdicts::default();
        let verdict = |row| {
            let record = self.of_document(documents, row)?;
            let host_of = |url| PageUrl::new(url).ok().map(|url| RecordKey::of_host(url.host_name()));
            let is_own = match documents.url(row) {
                Some(url) => record.host.is_some() && record.host == host_of(url),
                None => documents.unjudged(row).is_none(),
            };
            let of_other = |own: &Verdict| Verdict { source: Source::OtherHost, ..own.clone() };
            Some(if is_own { record.verdict } else { derived.of(&record.verdict, 0, of_other) })
        };
        (0..documents.len()).map(verdict).collect()
    }

    /// Returns the record of a document; if it may be several, they are joined.
    fn of_document(&self, documents: &Documents, row: usize) -> Option<KnownRecord> {
        let by_id = documents.id(row).and_then(|id| self.by_id.get(id));
        let place = documents.place(row);
        let by_place = place.and_then(|place| Some((place, self.by_place.get(&place.key)?)));
        let by_place = by_place.into_iter().flat_map(|(place, records)| {
            let is_same = |(archive, _): &&(Arc<str>, KnownRecord)| is_same_archive(archive, &place.archive);
            records.iter().filter(is_same).map(|(_, record)| record)
        });
        let mut found = by_id.into_iter().chain(by_place);
        let mut record = found.next()?.clone();
        found.for_each(|other| record.join(other, self.token_count));
        Some(record)
    }
}

struct RecordReading<'r> {
    /// The places of the tokens.
    places: HashMap<&'r str, u32>,
    /// The keys of the wanted records; `None`: all.
    wanted: Option<&'r HashSet<RecordKey>>,
    beside: ReadBeside,
}

impl RecordReading<'_> {
    fn read(&self, slices: Slices) -> io::Result<Vec<RecordRow>> {
        let (mut records, mut distinct) = (Vec::new(), HashSet::<Arc<Verdict>>::new());
        let mut archive: Arc<str> = Arc::default();
        for slice in slices {
            let slice = slice?;
            let pages = Pages::new(&slice)?;
            for row in 0..pages.count() {
                let (id, place) = self.keys(&pages, row);
                if id.is_none() && place.is_none() {
                    continue;
                }
                let filename = pages.place(row).0;
                if *archive != *filename {
                    archive = filename.into();
                }
                let verdict = shared(&mut distinct, self.verdict(&pages, row)?);
                let place = place.map(|place| (place, Arc::clone(&archive)));
                let record = KnownRecord { verdict, host: pages.host(row).map(RecordKey::of_host) };
                records.push(RecordRow { id, place, record });
            }
        }
        Ok(records)
    }

    /// Returns the wanted keys of a row: of its id, and of its place.
    fn keys(&self, pages: &Pages, row: usize) -> (Option<RecordKey>, Option<RecordKey>) {
        let id = pages.record_id(row).and_then(RecordKey::of_id);
        let Some(wanted) = self.wanted else { return (id, None) };
        let (filename, offset) = pages.place(row);
        let place = RecordKey::of_place(filename, offset);
        (id.filter(|id| wanted.contains(id)), Some(place).filter(|place| wanted.contains(place)))
    }

    fn verdict(&self, pages: &Pages, row: usize) -> io::Result<Verdict> {
        let mut disallowed = pages.disallowed(row).map(|names| (names, TokenSet::default()));
        if let Some((names, tokens)) = &mut disallowed {
            for name in names {
                let unknown = || format!("disallowed_agents has {name}, which is not in the agents table");
                tokens.insert(*self.places.get(name).ok_or_else(|| io::Error::other(unknown()))?);
            }
        }
        let mut labels = [Preference::default(); 5];
        for (label, name) in labels.iter_mut().zip(pages.labels(row)) {
            *label = preference(name);
        }
        // Ours: what a page says of its images counts for one of them.
        if pages.rules(row).any(is_noimageai) {
            forbid(&mut labels, |label| NOIMAGEAI_LABELS.contains(&label));
        }
        Ok(Verdict {
            access: preference(pages.access(row)),
            reason: pages.reason(row).into(),
            robots_state: pages.robots_state(row).into(),
            disallowed: disallowed.map(|(_, tokens)| tokens),
            labels,
            source: Source::Record,
            unread: pages.unread(row).map(Box::from).collect(),
            robots_age_days: pages.robots_age_s(row).and_then(|age_s| u32::try_from(age_s / 86_400).ok()),
            audit: self.beside.is_audited.then(|| Box::new(audit(pages, row))),
            ..Verdict::default()
        })
    }
}

fn audit(pages: &Pages, row: usize) -> Audit {
    Audit {
        robots_digest: pages.robots_digest(row).map(Box::from),
        line: pages.access_line(row),
        robots_fetched: pages.robots_fetched(row),
        decided_by: pages.labels_from(row).map(|(label, from)| decided_by(label, from)).collect(),
    }
}
