//! What an earlier judgement did with documents, by their ids or URLs.
//!
//! A document is known by its id if the earlier judgement has the id, else by its URL: a list of URLs also finds documents that
//! have ids. Memory: 32 bytes for each document of a file, and 32 more if it has an id and a URL.

use super::dialect::ColumnNames;
use super::judged_rows::{DocumentKey, FileOf, JudgedRow, KEY_BYTES, dropped_names, each, key_of};
use super::kind::{FileFault, FileResult, identify};
use super::state::{DONE, Done, Judgement, about_file, about_folder, outputs};
use crate::error::Error;
use crate::runs::{Identity, RunFile};
use crate::store::{FolderStore, Store};
use crate::web::u32_of;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where an earlier judgement is.
#[derive(Clone, Debug)]
pub enum EarlierPlace {
    /// A folder that `judge` wrote. Its files have the names of their inputs.
    Folder(EarlierFolder),
    /// A file of ids or URLs that were kept: lines, JSON lines or Parquet. It applies to every input.
    List(PathBuf),
}

/// A folder that `judge` wrote.
#[derive(Clone, Debug)]
pub struct EarlierFolder {
    documents: PathBuf,
    about: PathBuf,
    /// The folder of dropped documents, if it is known.
    dropped: Option<PathBuf>,
}

impl EarlierFolder {
    /// Returns the names of its files, and the number of kept documents of each.
    pub fn files(&self) -> io::Result<Vec<(String, u64)>> {
        let about = FolderStore::of_input(self.about.clone());
        outputs(&about)?
            .into_iter()
            .map(|name| {
                let done = about.read(&about_file(&name, DONE))?.unwrap_or_default();
                Ok((
                    name,
                    serde_json::from_slice::<Done>(&done).map_or(0, |done| done.kept()),
                ))
            })
            .collect()
    }

    /// Returns what was done with the documents of an input of this name; `None` if the judgement has no such input.
    pub fn read(&self, name: &str, names: &ColumnNames) -> FileResult<Option<EarlierJudgement>> {
        let kept = self.documents.join(name);
        let about = FolderStore::of_input(self.about.clone());
        let mut earlier = EarlierJudgement::new();
        if kept.exists() {
            earlier.read(&kept, names, FileOf::Kept)?;
        } else if about
            .read(&about_file(name, DONE))
            .map_err(FileFault::input)?
            .is_none()
        {
            return Ok(None);
        }
        let dropped = self.dropped.as_ref().map(|dropped| dropped.join(name));
        if let Some(dropped) = dropped.filter(|dropped| dropped.exists()) {
            earlier.read(&dropped, &dropped_names(), FileOf::Dropped)?;
            earlier.has_dropped = true;
        }
        Ok(Some(earlier.sorted()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then<'e> {
    Kept,
    /// It was dropped; the reason, if it is known.
    Dropped(Option<&'e str>),
    /// It was not judged, as far as is known.
    New,
}

/// What an earlier judgement knows a document by.
pub const BY_ID: &str = "id";
const BY_URL: &str = "url";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundThen<'e> {
    pub then: Then<'e>,
    pub by: &'static str,
    /// The key by which it was found, if it was found.
    pub key: Option<DocumentKey>,
}

/// What an earlier judgement did with documents.
#[derive(Debug, Default)]
pub struct EarlierJudgement {
    /// The documents, by ascending key; those with [`KEPT`] as reason were kept.
    documents: Vec<(DocumentKey, u32)>,
    /// For documents with an id: the keys of their URLs, ascending, and their own keys, because they may have lost their ids.
    by_url: Vec<(DocumentKey, DocumentKey)>,
    seen: Vec<AtomicBool>,
    reasons: Vec<String>,
    /// Whether everything that was dropped is known.
    has_dropped: bool,
}

/// The reason of a document that was kept.
const KEPT: u32 = 0;

impl fmt::Display for EarlierPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Folder(EarlierFolder {
            documents: path, ..
        })
        | Self::List(path)) = self;
        path.display().fmt(f)
    }
}

impl EarlierPlace {
    /// Returns whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Returns what a path is: a folder that `judge` wrote, or a list.
    pub fn from_path(path: &Path) -> Result<Self, String> {
        if path.is_file() {
            return Ok(Self::List(path.to_owned()));
        }
        if !path.is_dir() {
            return Err(format!("{} is not there", path.display()));
        }
        let about = about_folder(path)?;
        if !about.join(RunFile::Judge.name()).exists() {
            let path = path.display();
            let about = about.display();
            let missing = RunFile::Judge.name();
            return Err(format!(
                "{path}: judge wrote nothing in it; {about} has no {missing}"
            ));
        }
        let (judgement, _) = Judgement::read(path)?;
        if judgement.sample_prefix().is_some() {
            let path = path.display();
            return Err(format!(
                "{path}: it has a sample for an audit, and nothing was kept or dropped there"
            ));
        }
        Ok(Self::Folder(EarlierFolder {
            documents: path.to_owned(),
            about,
            dropped: judgement.dropped_folder(),
        }))
    }

    /// Returns its identity.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let location = self.to_string();
        let found = match self {
            Self::List(list) => identify(list)
                .map_err(|fault| io::Error::other(fault.to_string()))
                .and_then(|found| serde_json::to_string(&found).map_err(io::Error::other)),
            Self::Folder(EarlierFolder { about, dropped, .. }) => {
                let dropped = dropped
                    .as_ref()
                    .map_or(String::new(), |dropped| dropped.display().to_string());
                Identity::read(&FolderStore::of_input(about.clone()), RunFile::Judge).map(|known| {
                    let options = known.map(|known| known.options).unwrap_or_default();
                    format!(
                        "{} {dropped}",
                        BASE32.encode(&Sha1::digest(format!("{options:?}")))
                    )
                })
            }
        };
        found.map_err(|source| Error::InputUnreadable { location, source })
    }
}

impl EarlierJudgement {
    pub fn of_list(list: &Path) -> FileResult<Self> {
        let mut earlier = Self::new();
        earlier.read(list, &ColumnNames::default(), FileOf::List)?;
        Ok(earlier.sorted())
    }

    fn new() -> Self {
        Self {
            reasons: vec![String::new()],
            ..Self::default()
        }
    }

    fn read(&mut self, file: &Path, names: &ColumnNames, of: FileOf<'_>) -> FileResult {
        each(file, names, of, &mut |row| self.add(row))
            .map_err(|fault| FileFault::Input(format!("{}: {fault}", file.display())))
    }

    fn sorted(mut self) -> Self {
        // An entry that was kept comes first, and stays.
        self.documents.sort_unstable();
        self.documents.dedup_by_key(|(key, _)| *key);
        self.by_url.sort_unstable();
        self.seen = self
            .documents
            .iter()
            .map(|_| AtomicBool::new(false))
            .collect();
        self
    }

    /// Returns what became of a document; `None` if it has neither id nor URL.
    pub fn of(&self, id: Option<&[u8]>, url: Option<&[u8]>) -> Option<FoundThen<'_>> {
        let by_id = key_of(id, None);
        let by_url = key_of(None, url);
        let of_url = || {
            let url = by_url.filter(|_| by_id.is_none())?;
            let place = self.by_url.partition_point(|(known, _)| *known < url);
            self.by_url
                .get(place)
                .filter(|(known, _)| *known == url)
                .map(|(_, key)| *key)
        };
        let find = |key: DocumentKey| {
            self.documents
                .binary_search_by_key(&key, |(key, _)| *key)
                .ok()
        };
        let mut ways = [(by_id, BY_ID), (by_url, BY_URL), (of_url(), BY_URL)].into_iter();
        let Some((place, by)) = ways.find_map(|(key, by)| Some((find(key?)?, by))) else {
            let then = if self.has_dropped {
                Then::New
            } else {
                Then::Dropped(None)
            };
            let by = if by_id.is_some() { BY_ID } else { BY_URL };
            return by_id.or(by_url).map(|_| FoundThen {
                then,
                by,
                key: None,
            });
        };
        if let Some(seen) = self.seen.get(place) {
            seen.store(true, Ordering::Relaxed);
        }
        let (key, reason) = self.documents.get(place)?;
        let then = match *reason {
            KEPT => Then::Kept,
            reason => Then::Dropped(self.reasons.get(reason as usize).map(String::as_str)),
        };
        Some(FoundThen {
            then,
            by,
            key: Some(*key),
        })
    }

    /// Notes the keys that another call has found.
    pub fn see(&self, keys: &[u8]) {
        for key in keys.as_chunks::<KEY_BYTES>().0 {
            let place = self
                .documents
                .binary_search_by_key(&DocumentKey::from_be_bytes(*key), |(key, _)| *key);
            if let Some(seen) = place.ok().and_then(|place| self.seen.get(place)) {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the number of documents that were kept then and not asked about now.
    pub fn unseen(&self) -> u64 {
        let kept = self
            .documents
            .iter()
            .zip(&self.seen)
            .filter(|((_, reason), _)| *reason == KEPT);
        kept.filter(|(_, seen)| !seen.load(Ordering::Relaxed))
            .count() as u64
    }

    /// Adds a document; one without a reason was kept.
    fn add(&mut self, row: &JudgedRow<'_>) {
        let Some(key) = key_of(row.id, row.url) else {
            return;
        };
        let reason = row.reason.map_or(KEPT, |reason| {
            let reason = String::from_utf8_lossy(reason);
            let known = self.reasons.iter().position(|known| *known == reason);
            u32_of(known.unwrap_or_else(|| {
                self.reasons.push(reason.into_owned());
                self.reasons.len() - 1
            }))
        });
        self.documents.push((key, reason));
        if row.id.is_some_and(|id| !id.trim_ascii().is_empty()) {
            self.by_url
                .extend(key_of(None, row.url).map(|url| (url, key)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BY_ID, BY_URL, EarlierJudgement, Then};
    use std::fs;

    fn of_list(text: &str) -> EarlierJudgement {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("kept.txt");
        fs::write(&list, text).unwrap();
        EarlierJudgement::of_list(&list).unwrap()
    }

    #[test]
    fn local_a_list_has_ids_in_each_spelling_and_urls() {
        let earlier = of_list("<urn:uuid:5A1B>\r\nhttps://a.example/\n\nplain id\n");
        for (id, url, then) in [
            (Some("5a1b"), None, Some((Then::Kept, BY_ID))),
            (
                Some("urn:uuid:5a1b"),
                Some("https://b.example/"),
                Some((Then::Kept, BY_ID)),
            ),
            (None, Some("https://a.example/"), Some((Then::Kept, BY_URL))),
            // A list of URLs also finds documents with ids.
            (
                Some("other"),
                Some("https://a.example/"),
                Some((Then::Kept, BY_URL)),
            ),
            (
                Some("other"),
                Some("https://c.example/"),
                Some((Then::Dropped(None), BY_ID)),
            ),
            (Some("PLAIN id"), None, Some((Then::Kept, BY_ID))),
            (None, None, None),
            (Some(""), Some(""), None),
        ] {
            let found = earlier.of(id.map(str::as_bytes), url.map(str::as_bytes));
            assert_eq!(
                found.map(|found| (found.then, found.by)),
                then,
                "{id:?} {url:?}"
            );
        }
        assert_eq!(earlier.unseen(), 0);
    }

    #[test]
    fn local_a_row_with_both_is_known_by_its_id_and_by_its_url_where_there_is_no_id_now() {
        let row =
            |name: &str| format!("{{\"id\":\"{name}\",\"url\":\"https://{name}.example/\"}}\n");
        let earlier = of_list(&(row("a") + &row("b")));
        let then = |id: Option<&str>, url: &str| {
            earlier
                .of(id.map(str::as_bytes), Some(url.as_bytes()))
                .unwrap()
                .then
        };
        assert_eq!(then(None, "https://a.example/"), Then::Kept);
        // Another document with the same URL.
        assert_eq!(then(Some("c"), "https://b.example/"), Then::Dropped(None));
        assert_eq!(earlier.unseen(), 1);
        let key = earlier.of(Some(b"b"), None).unwrap().key.unwrap();
        let other = of_list("{\"id\":\"b\",\"url\":null}\n");
        other.see(&key.to_be_bytes());
        assert_eq!(other.unseen(), 0);
    }
}
