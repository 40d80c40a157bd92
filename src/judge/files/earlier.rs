//! What an earlier judgement did with documents, by their ids or URLs.
//!
//! Example: `a.jsonl` of an output folder has the documents that were kept, and the folder of what was dropped says why the
//! others were not; a list has ids or URLs that were kept, one a line. A document is known by its id, else by its URL.
//! Memory: 21 bytes for each document of a file.

use super::fault::FileFault;
use super::judged_rows::{FileOf, JudgedRow, dropped_names, each};
use super::kind::identify;
use super::names::ColumnNames;
use crate::error::Error;
use crate::runs::{Identity, RunFile};
use crate::store::FolderStore;
use data_encoding::BASE32;
use serde::Deserialize;
use sha1::{Digest, Sha1};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where an earlier judgement is.
#[derive(Clone, Debug)]
pub enum EarlierPlace {
    /// A folder that `judge` wrote, and the one of what was dropped, where that is known. Files have the names of their inputs.
    Folder(PathBuf, Option<PathBuf>),
    /// A file of ids or URLs that were kept: lines, JSON lines or Parquet. It is about every input.
    List(PathBuf),
}

/// What became of a document then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then<'e> {
    /// It was kept.
    Kept,
    /// It was dropped; the reason, where it is known.
    Dropped(Option<&'e str>),
    /// It was not judged, as far as is known.
    New,
}

/// What an earlier judgement did with documents.
#[derive(Debug, Default)]
pub struct Earlier {
    /// The documents, ascending by key; a reason of 0 is that they were kept.
    documents: Vec<(Key, u32)>,
    seen: Vec<AtomicBool>,
    reasons: Vec<String>,
    /// Whether everything that was dropped is known.
    has_dropped: bool,
}

/// What is read of `_judge.json`.
#[derive(Deserialize)]
struct JudgedFolder {
    /// Where the ids, URLs and reasons of what was dropped are.
    dropped: Option<PathBuf>,
}

/// Returns what a folder says of its judgement; `None` if it has none.
fn judged_folder(folder: &Path) -> io::Result<Option<JudgedFolder>> {
    let file = folder.join(RunFile::Judge.name());
    if !file.exists() {
        return Ok(None);
    }
    let found = serde_json::from_slice(&fs::read(&file)?);
    found.map(Some).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))
}

/// What a document is known by: 16 bytes of a digest of its id or URL.
pub type Key = u128;

/// How many bytes it has.
const KEY_BYTES: usize = size_of::<Key>();
/// The reason of a document that was kept.
const KEPT: u32 = 0;

fn key(kind: &[u8], text: &[u8]) -> Key {
    let digest = Sha1::new_with_prefix(kind).chain_update([0]).chain_update(text).finalize();
    digest.iter().take(KEY_BYTES).fold(0, |key, byte| key << 8 | Key::from(*byte))
}

/// Returns what a document is known by: its id, bare and in lower case where it is a record's, else its URL.
pub fn key_of(id: Option<&[u8]>, url: Option<&[u8]>) -> Option<Key> {
    let id = id.map(|id| {
        let id = id.trim_ascii();
        let bare = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">")).unwrap_or(id);
        let bare = bare.to_ascii_lowercase();
        bare.strip_prefix(b"urn:uuid:").map_or_else(|| bare.clone(), <[u8]>::to_vec)
    });
    let id = id.filter(|id| !id.is_empty()).map(|id| key(b"id", &id));
    id.or_else(|| url.filter(|url| !url.is_empty()).map(|url| key(b"url", url)))
}

impl fmt::Display for EarlierPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(place, _) | Self::List(place) => place.display().fmt(f),
        }
    }
}

impl EarlierPlace {
    /// Returns whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Returns what a path leads to: a folder that `judge` wrote, or a list.
    pub fn of(path: &Path) -> Result<Self, String> {
        if path.is_file() {
            return Ok(Self::List(path.to_owned()));
        }
        let place = || path.display();
        match judged_folder(path) {
            Ok(Some(JudgedFolder { dropped })) => {
                Ok(Self::Folder(path.to_owned(), dropped.filter(|dropped| dropped.is_dir())))
            }
            Ok(None) if path.is_dir() => {
                Err(format!("{} has no _judge.json; judge wrote nothing in it", place()))
            }
            Ok(None) => Err(format!("{} is not there", place())),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns what identifies it.
    ///
    /// # Errors
    /// [`Error::InputUnreadable`].
    pub fn fingerprint(&self) -> Result<String, Error> {
        let location = self.to_string();
        let found = match self {
            Self::List(list) => {
                let found = identify(list).map(|found| serde_json::to_string(&found));
                found
                    .map_err(|fault| io::Error::other(fault.to_string()))
                    .and_then(|text| text.map_err(io::Error::other))
            }
            Self::Folder(folder, dropped) => {
                let identity = Identity::read(&FolderStore::of_input(folder.clone()), RunFile::Judge);
                let known = dropped.as_ref().map_or(String::new(), |dropped| dropped.display().to_string());
                identity.map(|identity| {
                    let options = identity.map(|identity| identity.options).unwrap_or_default();
                    format!("{} {known}", BASE32.encode(&Sha1::digest(format!("{options:?}"))))
                })
            }
        };
        found.map_err(|source| Error::InputUnreadable { location, source })
    }

    /// Returns what was done with the documents of an input of this name; `None` where the judgement has none of that name.
    pub fn read(&self, name: &str, names: &ColumnNames) -> Result<Option<Earlier>, FileFault> {
        let (kept, dropped) = match self {
            Self::List(list) => (list.clone(), None),
            Self::Folder(folder, dropped) => {
                (folder.join(name), dropped.as_ref().map(|dropped| dropped.join(name)))
            }
        };
        if !kept.exists() {
            return Ok(None);
        }
        let mut earlier = Earlier { reasons: vec![String::new()], ..Earlier::default() };
        let of = if self.is_list() { FileOf::List } else { FileOf::Kept };
        each(&kept, names, of, &mut |row| earlier.add(row)).map_err(|fault| named(&kept, &fault))?;
        if let Some(dropped) = dropped.filter(|dropped| dropped.exists()) {
            each(&dropped, &dropped_names(), FileOf::Dropped, &mut |row| earlier.add(row))
                .map_err(|fault| named(&dropped, &fault))?;
            earlier.has_dropped = true;
        }
        // What was kept once is first, and stays.
        earlier.documents.sort_unstable();
        earlier.documents.dedup_by_key(|(key, _)| *key);
        earlier.seen = earlier.documents.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Some(earlier))
    }
}

fn named(file: &Path, fault: &FileFault) -> FileFault {
    FileFault::Input(format!("{}: {fault}", file.display()))
}

impl Earlier {
    /// Returns what became of a document; `None` where it has neither id nor URL.
    pub fn of(&self, id: Option<&[u8]>, url: Option<&[u8]>) -> Option<Then<'_>> {
        let key = key_of(id, url)?;
        let Ok(place) = self.documents.binary_search_by_key(&key, |(key, _)| *key) else {
            return Some(if self.has_dropped { Then::New } else { Then::Dropped(None) });
        };
        if let Some(seen) = self.seen.get(place) {
            seen.store(true, Ordering::Relaxed);
        }
        Some(match self.documents.get(place) {
            Some((_, KEPT)) => Then::Kept,
            Some((_, reason)) => Then::Dropped(self.reasons.get(*reason as usize).map(String::as_str)),
            None => Then::New,
        })
    }

    /// Returns how many documents were kept then that nobody has asked about.
    pub fn unseen(&self) -> u64 {
        let kept = self.documents.iter().zip(&self.seen).filter(|((_, reason), _)| *reason == KEPT);
        kept.filter(|(_, seen)| !seen.load(Ordering::Relaxed)).count() as u64
    }

    /// Adds a document; one without a reason was kept.
    fn add(&mut self, row: &JudgedRow<'_>) {
        let Some(key) = key_of(row.id, row.url) else { return };
        let reason = row.reason.map_or(KEPT, |reason| {
            let reason = String::from_utf8_lossy(reason);
            let known = self.reasons.iter().position(|known| *known == reason);
            let place = known.unwrap_or_else(|| {
                self.reasons.push(reason.into_owned());
                self.reasons.len() - 1
            });
            u32::try_from(place).unwrap_or(u32::MAX)
        });
        self.documents.push((key, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnNames, EarlierPlace, Then};
    use std::fs;

    #[test]
    fn local_a_list_has_ids_in_each_spelling_and_urls() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("kept.txt");
        fs::write(&list, "<urn:uuid:5A1B>\r\nhttps://a.example/\n\nplain id\n").unwrap();
        let earlier = EarlierPlace::List(list).read("x", &ColumnNames::default()).unwrap().unwrap();
        for (id, url, then) in [
            (Some("5a1b"), None, Some(Then::Kept)),
            (Some("urn:uuid:5a1b"), Some("https://b.example/"), Some(Then::Kept)),
            (None, Some("https://a.example/"), Some(Then::Kept)),
            // The id counts, where there is one.
            (Some("other"), Some("https://a.example/"), Some(Then::Dropped(None))),
            (Some("PLAIN id"), None, Some(Then::Kept)),
            (None, None, None),
            (Some(""), Some(""), None),
        ] {
            assert_eq!(earlier.of(id.map(str::as_bytes), url.map(str::as_bytes)), then, "{id:?} {url:?}");
        }
        assert_eq!(earlier.unseen(), 0);
    }
}
