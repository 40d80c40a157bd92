//! Captures of a document's exact URL near its date: their noes count for a document whose record is not known.
//!
//! Example: an image of a data set without record ids, of 2026-08-10, and its capture of that day, whose header says `noai`.
//! Which capture a document was taken from is not known, so a yes of a capture never counts. Memory: a key and a byte for each
//! URL and date of the documents, whatever the number of captures. Left out: documents without a date.

use super::at::newest;
use super::documents::{DerivedVerdicts, Documents, PartVerdicts};
use super::record_key::RecordKey;
use super::records::of_each_file;
use super::verdict::{Source, Verdict};
use crate::store::Store;
use crate::systems::Label;
use crate::systems::robots_tag::{NOIMAGEAI_LABELS, is_noimageai};
use crate::tables::Slices;
use crate::tables::pages::{CAPTURED_COLUMNS, CapturedPages};
use crate::web::{timestamp::Timestamp, url::PageUrl};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// The bit that says that a capture exists, beside those of [`Label::ALL`].
const CAPTURED: u8 = 1 << 7;

/// What captures near a date say: whether there are any, and the labels that they disallow.
struct NearDate {
    date: Timestamp,
    bits: AtomicU8,
}

struct NearCaptures {
    within_us: i64,
    /// The dates of each URL, sorted.
    dates: HashMap<RecordKey, Vec<NearDate>>,
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
        let left = verdicts.iter().enumerate().filter(|(_, verdict)| is_matched(verdict.as_ref()));
        for (key, date) in left.filter_map(|(row, _)| url_and_date(part, row)) {
            dates.entry(key).or_default().push(NearDate { date, bits: AtomicU8::new(0) });
        }
    }
    for dates in dates.values_mut() {
        dates.sort_unstable_by_key(|near| near.date);
        dates.dedup_by_key(|near| near.date);
    }
    let within_us = i64::try_from(within.as_micros()).unwrap_or(i64::MAX);
    let has_pairs = parts.iter().any(|part| !part.further.is_empty());
    let near = NearCaptures { within_us, dates, has_pairs };
    if !near.dates.is_empty() {
        of_each_file(tables, CAPTURED_COLUMNS, |slices| near.read(slices))?;
    }
    let mut derived = DerivedVerdicts::default();
    for (part, verdicts) in parts.iter().zip(verdicts) {
        for (row, verdict) in verdicts.iter_mut().enumerate() {
            let Some(own) = verdict.as_mut().filter(|own| is_matched(Some(own))) else { continue };
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
        let Some(fetched) = pages.fetched(row).map(Timestamp::unix_micros) else { return };
        let of_images =
            if self.has_pairs && pages.rules(row).any(is_noimageai) { NOIMAGEAI_LABELS } else { &[] };
        let bits =
            pages.noes(row).chain(of_images.iter().copied()).fold(CAPTURED, |bits, label| bits | bit(label));
        let first =
            dates.partition_point(|near| near.date.unix_micros() < fetched.saturating_sub(self.within_us));
        let last = fetched.saturating_add(self.within_us);
        let near = dates.iter().skip(first).take_while(|near| near.date.unix_micros() <= last);
        for near in near {
            near.bits.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Returns what captures of a URL near a date say; 0 if there are none.
    fn bits(&self, key: &RecordKey, date: Timestamp) -> u8 {
        let dates = self.dates.get(key).map(Vec::as_slice).unwrap_or_default();
        let near =
            dates.binary_search_by_key(&date, |near| near.date).ok().and_then(|place| dates.get(place));
        near.map_or(0, |near| near.bits.load(Ordering::Relaxed))
    }
}

fn bit(label: Label) -> u8 {
    1 << (label as u8)
}

/// Returns whether captures count for a document: its own record is not known.
fn is_matched(verdict: Option<&Arc<Verdict>>) -> bool {
    verdict.is_none_or(|verdict| verdict.source != Source::Record)
}

/// Returns the key of a document's URL, and its date; a list of URLs has no dates.
fn url_and_date(part: &Documents, row: usize) -> Option<(RecordKey, Timestamp)> {
    let date = part.date(row).filter(|date| Some(*date) != newest())?;
    let url = PageUrl::new(part.url(row)?).ok()?;
    Some((RecordKey::of_url(url.as_str()), date))
}
