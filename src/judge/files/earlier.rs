//! What an earlier judgement did with documents, by their ids or URLs.
//!
//! Example: `a.jsonl` of an output folder has the documents that were kept, and the folder of what was dropped says why the
//! others were not; a list has ids or URLs that were kept, one a line. A document is known by its id, else by its URL.
//! Memory: 21 bytes for each document of a file.

use super::columns::{Column, find, is_text};
use super::fault::FileFault;
use super::kind::{Codec, FileKind, identify, kind, lines};
use super::members::{Members, WantedMembers};
use super::names::ColumnNames;
use crate::error::Error;
use crate::runs::{Identity, RunFile};
use crate::store::FolderStore;
use crate::tables::guard::{self, GuardedRows};
use data_encoding::BASE32;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use serde::Deserialize;
use sha1::{Digest, Sha1};
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    #[serde(default)]
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

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileOf {
    /// Documents that were kept.
    Kept,
    /// What was dropped, and why.
    Dropped,
    /// A list of the user's of what was kept.
    List,
}

/// What a document is known by: 16 bytes of a digest of its id or URL.
type Key = u128;

/// How many bytes it has.
const KEY_BYTES: usize = size_of::<Key>();
/// The reason of a document that was kept.
const KEPT: u32 = 0;
/// The column with the reason of what was dropped.
const REASON: &str = "reason";
/// Rows that are read at once.
const ROWS: usize = 8192;

fn key(kind: &[u8], text: &[u8]) -> Key {
    let digest = Sha1::new_with_prefix(kind).chain_update([0]).chain_update(text).finalize();
    digest.iter().take(KEY_BYTES).fold(0, |key, byte| key << 8 | Key::from(*byte))
}

/// Returns what a document is known by: its id, bare and in lower case where it is a record's, else its URL.
fn key_of(id: Option<&[u8]>, url: Option<&[u8]>) -> Option<Key> {
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
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Returns what a path leads to: a folder that `judge` wrote, or a list.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
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
    ///
    /// # Errors
    /// Why it cannot be read.
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
        let of = if matches!(self, Self::List(_)) { FileOf::List } else { FileOf::Kept };
        earlier.add_file(&kept, names, of).map_err(|fault| named(&kept, &fault))?;
        if let Some(dropped) = dropped.filter(|dropped| dropped.exists()) {
            let own = ColumnNames {
                url: vec!["url".to_owned()],
                id: vec!["id".to_owned()],
                ..ColumnNames::default()
            };
            earlier.add_file(&dropped, &own, FileOf::Dropped).map_err(|fault| named(&dropped, &fault))?;
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
    fn add(&mut self, id: Option<&[u8]>, url: Option<&[u8]>, reason: Option<&[u8]>) {
        let Some(key) = key_of(id, url) else { return };
        let reason = reason.map_or(KEPT, |reason| {
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

    /// Adds the documents of a file.
    fn add_file(&mut self, path: &Path, names: &ColumnNames, of: FileOf) -> Result<(), FileFault> {
        match (kind(path).map_err(FileFault::input)?, of) {
            (FileKind::Parquet, _) => self.add_parquet(path, names, of),
            (FileKind::Json(codec), _) => self.add_objects(path, codec, names, of),
            (FileKind::Urls(codec), FileOf::List) => self.add_lines(path, codec),
            (FileKind::Urls(_), _) => Err(FileFault::input("its lines are no documents that judge wrote")),
        }
    }

    /// Adds the ids and URLs of a list.
    fn add_lines(&mut self, path: &Path, codec: Codec) -> Result<(), FileFault> {
        for line in lines(path, codec).map_err(FileFault::input)?.split(b'\n') {
            let line = line.map_err(FileFault::input)?;
            let line = line.trim_ascii();
            let is_url = line.starts_with(b"http://") || line.starts_with(b"https://");
            let (id, url) = if is_url { (None, Some(line)) } else { (Some(line), None) };
            self.add(id, url, None);
        }
        Ok(())
    }

    fn add_objects(
        &mut self,
        path: &Path,
        codec: Codec,
        names: &ColumnNames,
        of: FileOf,
    ) -> Result<(), FileFault> {
        let reason = [REASON.to_owned()];
        let mut wanted = names.first_steps();
        wanted.extend((of == FileOf::Dropped).then_some(REASON));
        for (number, line) in (1..).zip(lines(path, codec).map_err(FileFault::input)?.split(b'\n')) {
            let line = line.map_err(FileFault::input)?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let members = Members::read(&line, WantedMembers { names: &wanted, added: None });
            let members =
                members.ok_or_else(|| FileFault::Input(format!("line {number}: not a JSON object")))?;
            let (id, url) = (members.written(&names.id), members.text(&names.url));
            let reason = members.text(&reason).filter(|_| of == FileOf::Dropped);
            let bytes = |text: &'_ Option<Cow<'_, str>>| text.as_deref().map(|text| text.as_bytes().to_vec());
            self.add(bytes(&id).as_deref(), bytes(&url).as_deref(), bytes(&reason).as_deref());
        }
        Ok(())
    }

    fn add_parquet(&mut self, path: &Path, names: &ColumnNames, of: FileOf) -> Result<(), FileFault> {
        let file = || File::open(path).map_err(FileFault::input);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guard::metadata(&file()?, options).map_err(FileFault::input)?;
        let schema = Arc::clone(metadata.schema());
        let text =
            |names: &[String]| find(&schema, names).filter(|(_, field)| is_text(field)).map(|(path, _)| path);
        let (id, url) = (text(&names.id), text(&names.url));
        let reason = text(&[REASON.to_owned()]).filter(|_| of == FileOf::Dropped);
        let roots = [&id, &url, &reason].into_iter().flatten().filter_map(|path| path.first());
        let parquet_schema = metadata.metadata().file_metadata().schema_descr();
        let mask = ProjectionMask::columns(parquet_schema, roots.map(String::as_str));
        let builder = guard::builder(file()?, metadata.clone()).with_projection(mask).with_batch_size(ROWS);
        for rows in GuardedRows::new(builder).map_err(FileFault::input)? {
            let rows = rows.map_err(FileFault::input)?;
            let column = |path: &Option<Vec<String>>| Column::of(&rows, path.as_ref()?);
            let (id, url, reason) = (column(&id), column(&url), column(&reason));
            for row in 0..rows.num_rows() {
                let text = |column: &'_ Option<Column>| {
                    column.as_ref().and_then(|column| column.text(row)).map(<[u8]>::to_vec)
                };
                self.add(text(&id).as_deref(), text(&url).as_deref(), text(&reason).as_deref());
            }
        }
        Ok(())
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
