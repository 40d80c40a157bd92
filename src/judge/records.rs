//! Verdicts of records, read from `pages`.
//!
//! If several rows have one id, their verdicts are joined; so are those of several archives that a document's place may mean. A
//! record of another URL or time than the document's says less: an id can be wrong, or made up (KNOW-6). Memory: some 100 bytes a
//! record, and each distinct verdict of a file once. Left out: records without a document, if not all records fit in memory. Also
//! captures of a document's exact URL near its date: their noes count for a document whose record is not known. Which capture it
//! was taken from is not known, so a yes of a capture never counts. Memory: a key and a byte for each URL and date of the
//! documents, whatever the number of captures. Left out: documents without a date.

use super::basis::{Audit, decided_by};
use super::documents::{
    DerivedVerdicts, DocumentRecord, Documents, PartRecords, PartVerdicts, RecordRelation, shared,
};
use super::record_key::{RecordKey, is_same_archive};
use super::verdict::{Source, Verdict, forbid};
use crate::robots::TokenSet;
use crate::store::Store;
use crate::systems::robots_tag::{NOIMAGEAI_LABELS, is_noimageai};
use crate::systems::{Label, LabelSet};
use crate::tables::Slices;
use crate::tables::pages::{
    AUDIT_COLUMNS, CapturedPages, PAGES, Pages, RULES_COLUMN, VERDICT_COLUMNS,
};
use crate::verdict::{Disallowed, Resolver};
use crate::web::url::PageUrl;
use crate::web::{
    interval::Interval, preference::Preference, product_token::ProductToken, timestamp::Timestamp,
};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Memory for a record, with its place in a table that is three quarters full.
pub const RECORD_BYTES: u64 = 100;
/// Memory for the URL of a record; most are shorter.
pub const URL_BYTES: u64 = 150;

/// What is read of a record besides its verdict.
#[derive(Clone, Copy)]
pub struct ReadBeside {
    pub is_audited: bool,
    /// Whether documents have several URLs, so that a page's `noimageai` counts for its image.
    pub has_pairs: bool,
    /// Whether documents have no URL, so that the URL of the record says of which site they are.
    pub lacks_urls: bool,
}

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
    /// The key of its URL; `None` if several joined records have several URLs or times.
    page: Option<RecordKey>,
    /// Its URL, if that is asked for and `page` is known.
    url: Option<Arc<str>>,
    fetched: Option<Timestamp>,
}

impl KnownRecord {
    /// Joins it with another record that may be the same document's.
    fn join(&mut self, other: &Self, token_count: usize) {
        if self.verdict != other.verdict {
            Arc::make_mut(&mut self.verdict).join(&other.verdict, token_count);
        }
        self.page = self
            .page
            .filter(|_| (self.page, self.fetched) == (other.page, other.fetched));
        self.url = self.url.take().filter(|_| self.page.is_some());
    }
}

/// A row that was read, with its wanted keys.
struct RecordRow {
    id: Option<RecordKey>,
    /// In the archive, and in the archive of the WACZ.
    places: [Option<(RecordKey, Arc<str>)>; 2],
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
fn of_each_file<T: Send>(
    tables: &dyn Store,
    columns: &[&str],
    read: impl Fn(Slices) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    tables
        .list(PAGES.folder)?
        .par_iter()
        .map(|file| {
            let read = tables
                .open(file)
                .and_then(|opened| read(Slices::of_columns(opened, columns)?));
            read.map_err(|error| named(tables, file, &error))
        })
        .collect()
}

impl Records {
    /// Loads verdicts of records: those with some keys, by id or place, or all of them, by their ids.
    pub fn load(
        tables: &dyn Store,
        resolver: &Resolver,
        wanted: Option<&HashSet<RecordKey>>,
        beside: ReadBeside,
    ) -> io::Result<Self> {
        let tokens = resolver.tokens.iter().map(ProductToken::as_str);
        let reading = RecordReading {
            places: tokens.zip(0..).collect(),
            wanted,
            beside,
        };
        let audit = AUDIT_COLUMNS.iter().filter(|_| beside.is_audited);
        let rules = [RULES_COLUMN].iter().filter(|_| beside.has_pairs);
        let columns: Vec<&str> = VERDICT_COLUMNS
            .iter()
            .chain(audit)
            .chain(rules)
            .copied()
            .collect();
        let loaded = of_each_file(tables, &columns, |slices| reading.read(slices))?;
        let mut records = Self {
            token_count: reading.places.len(),
            ..Self::default()
        };
        loaded
            .into_iter()
            .flatten()
            .for_each(|row| records.add(row));
        Ok(records)
    }

    fn add(&mut self, RecordRow { id, places, record }: RecordRow) {
        for (key, archive) in places.into_iter().flatten() {
            self.by_place
                .entry(key)
                .or_default()
                .push((archive, record.clone()));
        }
        match id.map(|id| self.by_id.entry(id)) {
            Some(Entry::Vacant(vacant)) => {
                vacant.insert(record);
            }
            Some(Entry::Occupied(mut known)) => known.get_mut().join(&record, self.token_count),
            None => {}
        }
    }

    /// Returns the records of documents, by their rows.
    pub fn of_documents(&self, documents: &Documents) -> PartRecords {
        let of_row = |row| {
            let KnownRecord {
                verdict,
                page,
                url,
                fetched,
            } = self.of_document(documents, row)?;
            let key_of = |url| PageUrl::new(url).ok().map(|url| RecordKey::of_page(&url));
            let is_of_url = match documents.url(row) {
                Some(url) => page.is_some() && page == key_of(url),
                None => documents.unjudged(row).is_none(),
            };
            // Ours: a document that has no URL or no date does not contradict its record.
            let is_at = |date: Interval| {
                fetched.is_some_and(|fetched| date.overlaps(Interval::from_time(fetched)))
            };
            let is_own = is_of_url && documents.date(row).is_none_or(is_at);
            let relation = if is_own {
                RecordRelation::Own
            } else {
                RecordRelation::OfOtherUrl
            };
            Some(DocumentRecord {
                verdict,
                url,
                fetched,
                relation,
            })
        };
        (0..documents.len()).map(of_row).collect()
    }

    /// Returns the record of a document; if it may be several, they are joined.
    fn of_document(&self, documents: &Documents, row: usize) -> Option<KnownRecord> {
        let by_id = documents.id(row).and_then(|id| self.by_id.get(id));
        let by_place = documents
            .place(row)
            .and_then(|place| Some((place, self.by_place.get(&place.key)?)));
        let by_place = by_place.into_iter().flat_map(|(place, records)| {
            let is_same =
                |(archive, _): &&(Arc<str>, KnownRecord)| is_same_archive(archive, &place.archive);
            records.iter().filter(is_same).map(|(_, record)| record)
        });
        let mut found = by_id.into_iter().chain(by_place);
        let mut record = found.next()?.clone();
        found.for_each(|other| record.join(other, self.token_count));
        Some(record)
    }
}

/// The keys of a row's places, with the names of the archives.
type RowPlaces<'p> = [Option<(RecordKey, &'p str)>; 2];

struct RecordReading<'r> {
    /// The places of the tokens.
    places: HashMap<&'r str, u32>,
    /// The keys of the wanted records; `None`: all.
    wanted: Option<&'r HashSet<RecordKey>>,
    beside: ReadBeside,
}

impl RecordReading<'_> {
    fn read(&self, slices: Slices) -> io::Result<Vec<RecordRow>> {
        let mut records = Vec::new();
        let mut distinct = HashSet::<Arc<Verdict>>::new();
        let mut archives: [Arc<str>; 2] = Default::default();
        for slice in slices {
            let slice = slice?;
            let pages = Pages::new(&slice)?;
            for row in 0..pages.count() {
                let (id, places) = self.keys(&pages, row);
                if id.is_none() && places == [None; 2] {
                    continue;
                }
                let verdict = shared(&mut distinct, self.verdict(&pages, row)?);
                let ([outer, inner], [place, in_wacz]) = (&mut archives, places);
                let places = [with_archive(place, outer), with_archive(in_wacz, inner)];
                let url = pages.url(row);
                let page = PageUrl::new(url.as_bytes()).ok();
                let page = page.map(|url| RecordKey::of_page(&url));
                let url = (self.beside.lacks_urls && page.is_some()).then(|| url.into());
                let record = KnownRecord {
                    verdict,
                    page,
                    url,
                    fetched: pages.page_fetched(row),
                };
                records.push(RecordRow { id, places, record });
            }
        }
        Ok(records)
    }

    /// Returns the wanted keys of a row: of its id, and of its places with their archives.
    fn keys<'p>(&self, pages: &'p Pages, row: usize) -> (Option<RecordKey>, RowPlaces<'p>) {
        let id = pages.record_id(row).and_then(RecordKey::of_id);
        let Some(wanted) = self.wanted else {
            return (id, [None; 2]);
        };
        let places = [Some(pages.place(row)), pages.inner_place(row)].map(|place| {
            let (filename, offset) = place?;
            let key = RecordKey::of_place(filename, offset);
            wanted.contains(&key).then_some((key, filename))
        });
        (id.filter(|id| wanted.contains(id)), places)
    }

    fn verdict(&self, pages: &Pages, row: usize) -> io::Result<Verdict> {
        let mut tokens = TokenSet::default();
        for name in pages.surely_disallowed(row) {
            let unknown = || {
                format!("disallowed_agents_at_least has {name}, which is not in the agents table")
            };
            tokens.insert(
                *self
                    .places
                    .get(name)
                    .ok_or_else(|| io::Error::other(unknown()))?,
            );
        }
        let is_known = pages.disallowed(row).is_some();
        // Any other name is not a yes.
        let preference = |name: &str| Preference::named(name).unwrap_or_default();
        let mut labels = [Preference::default(); 5];
        labels
            .iter_mut()
            .zip(pages.labels(row))
            .for_each(|(label, name)| *label = preference(name));
        // Ours: what a page says of its images counts for one of them.
        if pages.rules(row).any(is_noimageai) {
            forbid(&mut labels, |label| NOIMAGEAI_LABELS.contains(&label));
        }
        let gaps = [pages.unread(row), pages.doubt(row), pages.not_seen(row)];
        let has_gaps = gaps.into_iter().flatten().next().is_some();
        let audit = || Audit {
            robots_digest: pages.robots_digest(row).map(Box::from),
            line: pages.access_line(row),
            robots_fetched: pages.robots_fetched(row),
            decided_by: pages
                .labels_from(row)
                .map(|(label, from)| decided_by(label, from))
                .collect(),
            not_asked: Vec::new(),
        };
        Ok(Verdict {
            access: preference(pages.access(row)),
            reason: pages.reason(row).into(),
            robots_state: pages.robots_state(row).into(),
            disallowed: if is_known {
                Disallowed::Some(tokens)
            } else {
                Disallowed::AtLeast(tokens)
            },
            labels,
            source: Source::Record,
            unread: pages.unread(row).map(Box::from).collect(),
            doubt: pages.doubt(row).map(Box::from).collect(),
            not_seen: pages.not_seen(row).map(Box::from).collect(),
            // A row does not say which labels its doubts are about.
            in_doubt: LabelSet::ALL.only_if(has_gaps),
            robots_age_days: pages
                .robots_age_s(row)
                .and_then(|age_s| u32::try_from(age_s / 86_400).ok()),
            audit: self.beside.is_audited.then(|| Box::new(audit())),
            ..Verdict::default()
        })
    }
}

/// Returns a key with the name of the archive, which is in `last` if the row before has it, too.
fn with_archive(
    place: Option<(RecordKey, &str)>,
    last: &mut Arc<str>,
) -> Option<(RecordKey, Arc<str>)> {
    let (key, filename) = place?;
    if **last != *filename {
        *last = filename.into();
    }
    Some((key, Arc::clone(last)))
}

/// The bit that says that a capture exists, beside those of [`Label::ALL`].
const CAPTURED: u8 = 1 << 7;

/// What captures near a date say: whether there are any, and the labels that they disallow.
struct NearDate {
    date: Interval,
    bits: AtomicU8,
}

struct NearCaptures {
    within_us: i64,
    /// The dates of each URL, sorted.
    dates: HashMap<RecordKey, Vec<NearDate>>,
    /// The length of the longest date.
    longest_us: i64,
    /// Whether documents have several URLs, so that a page's `noimageai` counts for its image.
    has_pairs: bool,
}

/// Adds to the verdicts of documents the noes of captures that were fetched within a time of their dates, before or after.
pub fn add_noes(
    tables: &dyn Store,
    parts: &[&Documents],
    verdicts: &mut [PartVerdicts],
    within: Duration,
) -> io::Result<()> {
    let mut dates: HashMap<RecordKey, Vec<NearDate>> = HashMap::new();
    for (part, verdicts) in parts.iter().zip(&*verdicts) {
        let left = verdicts
            .iter()
            .enumerate()
            .filter(|(_, verdict)| is_matched(verdict.as_ref()));
        for (key, date) in left.filter_map(|(row, _)| url_and_date(part, row)) {
            dates.entry(key).or_default().push(NearDate {
                date,
                bits: AtomicU8::new(0),
            });
        }
    }
    for dates in dates.values_mut() {
        dates.sort_unstable_by_key(|near| near.date);
        dates.dedup_by_key(|near| near.date);
    }
    let within_us = i64::try_from(within.as_micros()).unwrap_or(i64::MAX);
    let has_pairs = parts.iter().any(|part| !part.further.is_empty());
    let length_us =
        |near: &NearDate| near.date.last().unix_micros() - near.date.first().unix_micros();
    let longest_us = dates
        .values()
        .flatten()
        .map(length_us)
        .max()
        .unwrap_or_default();
    let near = NearCaptures {
        within_us,
        dates,
        longest_us,
        has_pairs,
    };
    if !near.dates.is_empty() {
        of_each_file(tables, CapturedPages::COLUMNS, |slices| near.read(slices))?;
    }
    let mut derived = DerivedVerdicts::default();
    for (part, verdicts) in parts.iter().zip(verdicts) {
        for (row, verdict) in verdicts.iter_mut().enumerate() {
            let Some(own) = verdict.as_mut().filter(|own| is_matched(Some(own))) else {
                continue;
            };
            let bits = url_and_date(part, row).map_or(0, |(key, date)| near.bits(&key, date));
            if bits != 0 {
                let is_no = |label: &Label| bits & bit(*label) != 0;
                let noes = || Label::ALL.into_iter().filter(is_no).collect::<Vec<_>>();
                *own = derived.of(own, bits, |own| own.beside_captures(&noes()));
            }
        }
    }
    Ok(())
}

impl NearCaptures {
    fn read(&self, slices: Slices) -> io::Result<()> {
        for slice in slices {
            let slice = slice?;
            let pages = CapturedPages::new(&slice)?;
            for row in 0..pages.count() {
                if let Some(dates) = self.dates.get(&RecordKey::of_url(pages.url(row))) {
                    self.add(&pages, row, dates);
                }
            }
        }
        Ok(())
    }

    /// Adds the noes of a capture to the dates that it is near.
    fn add(&self, pages: &CapturedPages, row: usize, dates: &[NearDate]) {
        let Some(fetched) = pages.fetched(row).map(Timestamp::unix_micros) else {
            return;
        };
        let of_images = if self.has_pairs && pages.rules(row).any(is_noimageai) {
            NOIMAGEAI_LABELS
        } else {
            &[]
        };
        let bits = pages
            .noes(row)
            .chain(of_images.iter().copied())
            .fold(CAPTURED, |bits, label| bits | bit(label));
        let first = fetched.saturating_sub(self.within_us);
        let last = fetched.saturating_add(self.within_us);
        let from = first.saturating_sub(self.longest_us);
        let before = dates.partition_point(|near| near.date.first().unix_micros() < from);
        let begun = dates
            .iter()
            .skip(before)
            .take_while(|near| near.date.first().unix_micros() <= last);
        for near in begun.filter(|near| near.date.last().unix_micros() >= first) {
            near.bits.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Returns what captures of a URL near a date say; 0 if there are none.
    fn bits(&self, key: &RecordKey, date: Interval) -> u8 {
        let dates = self.dates.get(key).map(Vec::as_slice).unwrap_or_default();
        let place = dates.binary_search_by_key(&date, |near| near.date).ok();
        place
            .and_then(|place| dates.get(place))
            .map_or(0, |near| near.bits.load(Ordering::Relaxed))
    }
}

fn bit(label: Label) -> u8 {
    1 << (label as u8)
}

/// Returns whether captures count for a document, because its own record is not known.
fn is_matched(verdict: Option<&Arc<Verdict>>) -> bool {
    verdict.is_none_or(|verdict| verdict.source != Source::Record)
}

/// Returns the key of a document's URL, and its date; a list of URLs has no dates.
fn url_and_date(part: &Documents, row: usize) -> Option<(RecordKey, Interval)> {
    let date = part
        .date(row)
        .filter(|date| date.first() != Timestamp::LAST)?;
    let url = PageUrl::new(part.url(row)?).ok()?;
    Some((RecordKey::of_url(url.as_str()), date))
}
