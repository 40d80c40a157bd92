//! Documents to be judged: their URLs, dates and record ids, packed.
//!
//! Example: `https://a.example/b`, 2026-08-10T08:00:00Z, `<urn:uuid:5a1b...>`. An id may be bare or in brackets.
//!
//! A document may have several URLs, such as LAION's `URL` and the page that it was found on. Each URL is judged as a document of
//! its own; then the verdicts are joined: a no of any URL counts, and a missing URL is unknown.

use super::record_key::RecordKey;
use super::verdict::{Unjudged, Verdict};
use crate::web::{interval::Interval, timestamp::Timestamp};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// The exceptions of a policy that a document's columns match, a bit for each.
pub type ExceptionBits = u64;

/// A document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'d> {
    /// Its URL, if it has one.
    pub url: Option<&'d [u8]>,
    /// Its further URLs, such as that of the page that an image is on: a no of any counts, and a missing one is unknown.
    pub further_urls: &'d [Option<&'d [u8]>],
    /// When it was fetched, as far as that is known: at any instant of this interval.
    pub date: Option<Interval>,
    /// The WARC-Record-ID of the record that it was taken from.
    pub id: Option<&'d str>,
    /// The archive of that record and the byte at which the record starts.
    pub place: Option<(&'d str, i64)>,
    /// The exceptions of the policy that its columns match.
    pub matched: ExceptionBits,
}

/// The most bytes of a URL that is judged.
pub const URL_BYTES: usize = 64 << 10;

/// Documents, packed.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    urls: Vec<u8>,
    rows: Vec<DocumentRow>,
    // Values that some documents have, by row, up to the last one that has it: most data sets have ids or places, or neither.
    ids: Vec<Option<RecordKey>>,
    places: Vec<Option<ArchivePlace>>,
    matched: Vec<Option<ExceptionBits>>,
    /// The names of archives, each once.
    archives: HashSet<Arc<str>>,
    /// The further URLs of the same documents, each as documents in the same rows, with their dates.
    pub further: Vec<Self>,
}

#[derive(Clone, Copy, Debug)]
struct DocumentRow {
    /// Where its URL ends among the bytes.
    url_end: usize,
    date: Option<Interval>,
    state: UrlState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UrlState {
    Given,
    Missing,
    Unjudged(Unjudged),
}

/// The place of a record: its key, and the archive's name.
#[derive(Clone, Debug)]
pub struct ArchivePlace {
    pub key: RecordKey,
    /// The name of the archive, as the document has it.
    pub archive: Arc<str>,
}

/// Adds the value of a row, which is after all others.
fn put<T>(values: &mut Vec<Option<T>>, row: usize, value: Option<T>) {
    if value.is_some() {
        values.resize_with(row, || None);
        values.push(value);
    }
}

impl Documents {
    /// Adds a document.
    pub fn push(&mut self, document: &Document<'_>) {
        let state = match document.url {
            None => UrlState::Missing,
            Some(url) if url.len() > URL_BYTES => UrlState::Unjudged(Unjudged::UrlTooLong),
            Some(url) => {
                self.urls.extend_from_slice(url);
                UrlState::Given
            }
        };
        let id = document.id.and_then(RecordKey::of_id);
        let place = document.place.map(|(filename, offset)| ArchivePlace {
            key: RecordKey::of_place(filename, offset),
            archive: self.archive(filename),
        });
        let row = self.len();
        put(&mut self.ids, row, id);
        put(&mut self.places, row, place);
        put(
            &mut self.matched,
            row,
            Some(document.matched).filter(|matched| *matched != 0),
        );
        self.push_further(document);
        self.rows.push(DocumentRow {
            url_end: self.urls.len(),
            date: document.date,
            state,
        });
    }

    /// Returns the name of an archive, which is kept once.
    fn archive(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.archives.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.archives.insert(Arc::clone(&name));
        name
    }

    /// Adds the further URLs of a document; those that only other documents have are missing.
    fn push_further(&mut self, document: &Document<'_>) {
        while self.further.len() < document.further_urls.len() {
            let mut missing = Self::default();
            (0..self.len()).for_each(|_| missing.push(&Document::default()));
            self.further.push(missing);
        }
        for (column, further) in self.further.iter_mut().enumerate() {
            let url = document.further_urls.get(column).copied().flatten();
            let Document { date, matched, .. } = *document;
            further.push(&Document {
                url,
                date,
                matched,
                ..Document::default()
            });
        }
    }

    /// Adds a document that cannot be judged.
    pub fn push_unjudged(&mut self, reason: Unjudged) {
        let url_end = self.urls.len();
        let state = UrlState::Unjudged(reason);
        self.rows.push(DocumentRow {
            url_end,
            date: None,
            state,
        });
        self.further
            .iter_mut()
            .for_each(|further| further.push_unjudged(reason));
    }

    /// Forgets a document, which keeps its place: nothing is looked for.
    pub fn forget(&mut self, row: usize) {
        if let Some(known) = self.rows.get_mut(row) {
            (known.state, known.date) = (UrlState::Missing, None);
        }
        let _ = self.ids.get_mut(row).map(Option::take);
        let _ = self.places.get_mut(row).map(Option::take);
        let _ = self.matched.get_mut(row).map(Option::take);
        self.further
            .iter_mut()
            .for_each(|further| further.forget(row));
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns about how many bytes they take, with their verdicts.
    pub fn byte_count(&self) -> usize {
        /// A row, its sort key, and its verdict, which many rows share.
        const ROW_BYTES: usize = size_of::<DocumentRow>() + 64;
        /// The name of an archive, and its place in the set.
        const ARCHIVE_BYTES: usize = 256;
        let further: usize = self.further.iter().map(Self::byte_count).sum();
        let keys = self.ids.len() * size_of::<Option<RecordKey>>()
            + self.places.len() * size_of::<Option<ArchivePlace>>()
            + self.matched.len() * size_of::<Option<ExceptionBits>>()
            + self.archives.len() * ARCHIVE_BYTES;
        self.urls.len() + self.rows.len() * ROW_BYTES + keys + further
    }

    /// Returns the URL of a document.
    pub fn url(&self, row: usize) -> Option<&[u8]> {
        let start = row
            .checked_sub(1)
            .and_then(|before| self.rows.get(before))
            .map_or(0, |row| row.url_end);
        let DocumentRow { url_end, state, .. } = self.rows.get(row)?;
        (*state == UrlState::Given).then(|| self.urls.get(start..*url_end))?
    }

    /// Returns whether a document has the key of a record and no URL.
    pub fn lacks_urls(&self) -> bool {
        (0..self.len()).any(|row| {
            self.url(row).is_none()
                && self.unjudged(row).is_none()
                && self.keys(row).next().is_some()
        })
    }

    /// Returns why a document cannot be judged by its URL, if it cannot.
    pub fn unjudged(&self, row: usize) -> Option<Unjudged> {
        let UrlState::Unjudged(reason) = self.rows.get(row)?.state else {
            return None;
        };
        Some(reason)
    }

    /// Returns the date of a document.
    pub fn date(&self, row: usize) -> Option<Interval> {
        self.rows.get(row)?.date
    }

    /// Returns the key of the id of a document's record.
    pub fn id(&self, row: usize) -> Option<&RecordKey> {
        self.ids.get(row)?.as_ref()
    }

    /// Returns the place of a document's record.
    pub fn place(&self, row: usize) -> Option<&ArchivePlace> {
        self.places.get(row)?.as_ref()
    }

    /// Returns the exceptions of the policy that a document's columns match.
    pub fn matched(&self, row: usize) -> ExceptionBits {
        self.matched.get(row).copied().flatten().unwrap_or_default()
    }

    /// Returns the keys of a document's record: by its id, then by its place.
    pub fn keys(&self, row: usize) -> impl Iterator<Item = RecordKey> {
        self.id(row)
            .copied()
            .into_iter()
            .chain(self.place(row).map(|place| place.key))
    }

    /// Returns whether any has a record id, or a place.
    pub fn has_keys(&self) -> bool {
        !self.ids.is_empty() || self.has_places()
    }

    /// Returns whether any has a place.
    pub fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// Keeps the first documents, at most this many.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.ids.truncate(len);
        self.places.truncate(len);
        self.matched.truncate(len);
        self.urls
            .truncate(self.rows.last().map_or(0, |row| row.url_end));
        self.further
            .iter_mut()
            .for_each(|further| further.truncate(len));
    }
}

pub type Verdicts = Vec<Arc<Verdict>>;

/// The verdicts of a part; some are not known yet.
pub type PartVerdicts = Vec<Option<Arc<Verdict>>>;

/// What is known of a document's record.
#[derive(Clone, Debug)]
pub struct DocumentRecord {
    pub verdict: Arc<Verdict>,
    /// Its URL, if documents without one name it.
    pub url: Option<Arc<str>>,
    /// When the record was fetched.
    pub fetched: Option<Timestamp>,
    pub relation: RecordRelation,
}

/// Whether a record belongs to the document that names it (KNOW-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordRelation {
    /// Its URL and its date are those of the document, as far as the document has them.
    Own,
    /// It is of another URL or another time.
    OfOtherUrl,
}

/// The records of a part; most documents may have none.
pub type PartRecords = Vec<Option<DocumentRecord>>;

/// Returns a value that equal ones share.
pub fn shared<T: Eq + Hash>(known: &mut HashSet<Arc<T>>, value: T) -> Arc<T> {
    if let Some(known) = known.get(&value) {
        return Arc::clone(known);
    }
    let value = Arc::new(value);
    known.insert(Arc::clone(&value));
    value
}

/// Verdicts that were made of others, each once.
#[derive(Default)]
pub struct DerivedVerdicts(HashMap<(*const Verdict, u8), [Arc<Verdict>; 2]>);

impl DerivedVerdicts {
    /// Returns what `make` makes of a verdict; `key` says what that is. The verdict is held, so that no other one gets its address.
    pub fn of(
        &mut self,
        own: &Arc<Verdict>,
        key: u8,
        make: impl Fn(&Verdict) -> Verdict,
    ) -> Arc<Verdict> {
        let [_, derived] = self
            .0
            .entry((Arc::as_ptr(own), key))
            .or_insert_with(|| [Arc::clone(own), Arc::new(make(own))]);
        Arc::clone(derived)
    }
}

/// Returns all columns of URLs: the first of each part, then its further ones.
pub fn url_columns(parts: &[Documents]) -> Vec<&Documents> {
    parts
        .iter()
        .flat_map(|part| std::iter::once(part).chain(&part.further))
        .collect()
}

/// Returns the verdicts of documents from those of all columns of URLs, in the order of [`url_columns`].
pub fn joined(
    parts: &[Documents],
    verdicts: Vec<PartVerdicts>,
    token_count: usize,
) -> Vec<Verdicts> {
    let mut columns = verdicts.into_iter();
    let missing = Arc::new(Verdict::unknown("url_missing"));
    let mut of_part = |part: &Documents| {
        let known = |verdict: Option<Arc<Verdict>>| verdict.unwrap_or_else(|| Arc::clone(&missing));
        let mut next = || {
            columns
                .next()
                .unwrap_or_default()
                .into_iter()
                .map(known)
                .collect::<Verdicts>()
        };
        let first = next();
        let further: Vec<Verdicts> = part.further.iter().map(|_| next()).collect();
        if further.is_empty() {
            first
        } else {
            of_documents(first, &further, token_count)
        }
    };
    parts.iter().map(&mut of_part).collect()
}

/// Joins the verdicts of each row; documents with the same verdicts of their URLs share one.
fn of_documents(first: Verdicts, further: &[Verdicts], token_count: usize) -> Verdicts {
    // A joined verdict holds the verdicts it was made of, so that no other verdict gets their addresses.
    let mut known: HashMap<Vec<*const Verdict>, Arc<Verdict>> = HashMap::new();
    first
        .into_iter()
        .enumerate()
        .map(|(row, first)| {
            let others = further.iter().filter_map(|column| column.get(row)).cloned();
            let urls: Vec<Arc<Verdict>> = std::iter::once(first).chain(others).collect();
            let key = urls.iter().map(Arc::as_ptr).collect();
            Arc::clone(
                known
                    .entry(key)
                    .or_insert_with(|| Arc::new(Verdict::of_urls(urls, token_count))),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Document, Documents, RecordKey, Unjudged};

    #[test]
    fn local_documents_keep_what_was_pushed() {
        let mut documents = Documents::default();
        documents.push(&Document {
            url: Some(b"https://a.example/"),
            ..Document::default()
        });
        documents.push(&Document::default());
        documents.push(&Document {
            url: Some(b""),
            id: Some("x"),
            ..Document::default()
        });
        documents.push(&Document {
            url: Some(b"b"),
            ..Document::default()
        });
        documents.push(&Document {
            id: Some("y"),
            place: Some(("c", 1)),
            ..Document::default()
        });
        let url = |row| documents.url(row).map(<[u8]>::to_vec);
        let urls: Vec<Option<Vec<u8>>> = (0..5).map(url).collect();
        let first = Some(b"https://a.example/".to_vec());
        assert_eq!(urls, [first, None, Some(vec![]), Some(b"b".to_vec()), None]);
        let of_y = [RecordKey::of_id("y"), Some(RecordKey::of_place("c", 1))];
        assert_eq!(
            (0..6)
                .map(|row| documents.keys(row).count())
                .collect::<Vec<_>>(),
            [0, 0, 1, 0, 2, 0]
        );
        assert_eq!(documents.keys(4).map(Some).collect::<Vec<_>>(), of_y);
        assert!(documents.has_keys() && documents.has_places());
        documents.truncate(3);
        assert_eq!(
            (0..4)
                .map(|row| documents.keys(row).count())
                .collect::<Vec<_>>(),
            [0, 0, 1, 0]
        );
        documents.push(&Document {
            id: Some("z"),
            ..Document::default()
        });
        assert_eq!(documents.keys(3).next(), RecordKey::of_id("z"));
        documents.forget(2);
        assert_eq!(
            (documents.len(), documents.url(2), documents.keys(2).count()),
            (4, None, 0)
        );
        documents.truncate(1);
        assert_eq!(
            (documents.len(), documents.url(0), documents.url(1)),
            (1, urls[0].as_deref(), None)
        );
    }

    #[test]
    fn local_further_urls_are_in_the_rows_of_their_documents() {
        let mut documents = Documents::default();
        documents.push(&Document {
            url: Some(b"a"),
            ..Document::default()
        });
        let further_urls = &[Some(&b"page"[..]), None];
        documents.push(&Document {
            url: Some(b"b"),
            further_urls,
            ..Document::default()
        });
        documents.push_unjudged(Unjudged::MemberRepeated);
        documents.push(&Document {
            further_urls: &[Some(b"other")],
            ..Document::default()
        });
        let further = &documents.further;
        let urls = |column: usize| -> Vec<Option<&[u8]>> {
            (0..documents.len())
                .map(|row| further[column].url(row))
                .collect()
        };
        assert_eq!(urls(0), [None, Some(&b"page"[..]), None, Some(b"other")]);
        assert_eq!(urls(1), [None; 4]);
        assert_eq!(further[1].unjudged(2), Some(Unjudged::MemberRepeated));
        documents.truncate(2);
        assert_eq!(
            documents
                .further
                .iter()
                .map(Documents::len)
                .collect::<Vec<_>>(),
            [2, 2]
        );
    }
}
