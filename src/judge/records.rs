//! Verdicts of records, read from `pages`.
//!
//! Example: the row of `<urn:uuid:5a1b...>`, by which a document with that id is judged. Of an id that several rows
//! have, the verdicts are joined. Memory: some 60 bytes a record, and each distinct verdict of a file once.
//! Left out: rows of records that no document is of, where not all records fit in memory.

use super::documents::RecordKey;
use super::verdict::{Audit, Source, Verdict, preference};
use crate::robots::TokenSet;
use crate::store::Store;
use crate::systems::Label;
use crate::systems::robots_tag::{NOIMAGEAI_LABELS, is_noimageai};
use crate::tables::Slices;
use crate::tables::pages::{AUDIT_COLUMNS, PAGES, Pages, RULES_COLUMN, VERDICT_COLUMNS};
use crate::verdict::Resolver;
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;
use rayon::prelude::*;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// What a record needs in memory, with its place in a table that is three quarters full.
pub const RECORD_BYTES: u64 = 60;

/// Which records are loaded.
pub enum WantedRecords<'w> {
    /// All of them, by their ids.
    All,
    /// Those with these keys, by id or place.
    Some(&'w HashSet<RecordKey>),
}

/// What is read of a record beside its verdict.
#[derive(Clone, Copy)]
pub struct ReadBeside {
    /// On what it rests.
    pub is_audited: bool,
    /// Whether documents have several URLs, so that a page's `noimageai` counts for its image.
    pub has_pairs: bool,
}

/// Verdicts by record.
#[derive(Default)]
pub struct Records(HashMap<RecordKey, Arc<Verdict>>);

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

impl Records {
    /// Loads verdicts.
    pub fn load(
        tables: &dyn Store,
        resolver: &Resolver,
        wanted: &WantedRecords<'_>,
        beside: ReadBeside,
    ) -> io::Result<Self> {
        let tokens = resolver.tokens().iter().map(ProductToken::as_str);
        let reading = RecordReading { places: tokens.zip(0..).collect(), wanted, beside };
        let audit = AUDIT_COLUMNS.iter().filter(|_| beside.is_audited);
        let rules = [RULES_COLUMN].iter().filter(|_| beside.has_pairs);
        let columns: Vec<&str> = VERDICT_COLUMNS.iter().chain(audit).chain(rules).copied().collect();
        let files = tables.list(PAGES.folder)?;
        let loaded = files.par_iter().map(|file| {
            let read =
                tables.open(file).and_then(|opened| reading.read(Slices::of_columns(opened, &columns)?));
            read.map_err(|error| named(tables, file, &error))
        });
        let mut records = Self::default();
        for (key, verdict) in loaded.collect::<io::Result<Vec<_>>>()?.into_iter().flatten() {
            records.add(key, verdict, reading.places.len());
        }
        Ok(records)
    }

    fn add(&mut self, key: RecordKey, verdict: Arc<Verdict>, token_count: usize) {
        match self.0.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(verdict);
            }
            Entry::Occupied(known) if *known.get() == verdict => {}
            Entry::Occupied(mut known) => Arc::make_mut(known.get_mut()).join(&verdict, token_count),
        }
    }

    /// Returns the verdict of a record.
    pub fn verdict(&self, key: &RecordKey) -> Option<&Arc<Verdict>> {
        self.0.get(key)
    }
}

/// What is read of every file.
struct RecordReading<'r> {
    /// The places of the tokens.
    places: HashMap<&'r str, u32>,
    wanted: &'r WantedRecords<'r>,
    beside: ReadBeside,
}

impl RecordReading<'_> {
    fn read(&self, slices: Slices) -> io::Result<Vec<(RecordKey, Arc<Verdict>)>> {
        let (mut records, mut distinct) = (Vec::new(), HashSet::<Arc<Verdict>>::new());
        for slice in slices {
            let slice = slice?;
            let pages = Pages::new(&slice)?;
            for row in 0..pages.count() {
                let mut keys = self.keys(&pages, row).peekable();
                if keys.peek().is_none() {
                    continue;
                }
                let verdict = self.verdict(&pages, row)?;
                let verdict = distinct.get(&verdict).cloned().unwrap_or_else(|| {
                    let verdict = Arc::new(verdict);
                    distinct.insert(Arc::clone(&verdict));
                    verdict
                });
                records.extend(keys.map(|key| (key, Arc::clone(&verdict))));
            }
        }
        Ok(records)
    }

    /// Returns the keys of a row that are wanted.
    fn keys(&self, pages: &Pages<'_>, row: usize) -> impl Iterator<Item = RecordKey> {
        let id = pages.record_id(row).and_then(RecordKey::of_id);
        let place = || {
            let (filename, offset) = pages.place(row);
            RecordKey::of_place(filename, offset)
        };
        let (id, place) = match self.wanted {
            WantedRecords::All => (id, None),
            WantedRecords::Some(keys) => {
                (id.filter(|id| keys.contains(id)), Some(place()).filter(|place| keys.contains(place)))
            }
        };
        id.into_iter().chain(place)
    }

    fn verdict(&self, pages: &Pages<'_>, row: usize) -> io::Result<Verdict> {
        let disallowed = pages.disallowed(row).map(|names| {
            let mut tokens = TokenSet::default();
            for name in names {
                let place = self.places.get(name).ok_or_else(|| {
                    io::Error::other(format!(
                        "disallowed_agents has {name}, which is not in the agents table"
                    ))
                })?;
                tokens.insert(*place);
            }
            Ok::<_, io::Error>(tokens)
        });
        let mut labels = [Preference::default(); 5];
        for (label, name) in labels.iter_mut().zip(pages.labels(row)) {
            *label = preference(name);
        }
        // Ours: what a page says of its images counts for one of them.
        if pages.rules(row).any(is_noimageai) {
            for (label, own) in Label::ALL.into_iter().zip(&mut labels) {
                if NOIMAGEAI_LABELS.contains(&label) {
                    *own = Preference::Disallow;
                }
            }
        }
        Ok(Verdict {
            access: preference(pages.access(row)),
            reason: pages.reason(row).into(),
            robots_state: pages.robots_state(row).into(),
            disallowed: disallowed.transpose()?,
            labels,
            source: Source::Record,
            unread: pages.unread(row).map(Box::from).collect(),
            audit: self.beside.is_audited.then(|| Box::new(audit(pages, row))),
            further: Box::default(),
            urls: Box::default(),
        })
    }
}

/// Returns on what the verdict of a row rests.
fn audit(pages: &Pages<'_>, row: usize) -> Audit {
    let from = |(label, from): (Label, &str)| format!("{} {from}", label.as_str()).into();
    Audit {
        robots_digest: pages.robots_digest(row).map(Box::from),
        line: pages.access_line(row),
        robots_fetched: pages.robots_fetched(row),
        decided_by: pages.labels_from(row).map(from).collect(),
    }
}
