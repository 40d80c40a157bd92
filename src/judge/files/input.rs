//! A file of documents: its documents are read first; its rows go to the output once they are judged.
//!
//! Documents and rows are read in one pass each; the documents between the two passes fit in memory. Also which files are named,
//! and the names of their outputs: that of `docs/a.parquet` is `a.parquet`; a file of a named folder keeps its path below the
//! folder. The output of the pages of `a.wacz` is `a.wacz.jsonl`.

use super::foreign::ending;
use super::kind::{FileFault, FileKind, FileResult, is_wacz};
use super::sorter::Sorter;
use crate::error::Error;
use crate::judge::added::{batch, write_members};
use crate::judge::{Added, CellContext, Documents, Verdict};
use crate::store::StoreFile;
use arrow_array::RecordBatch;
use parquet::file::metadata::KeyValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of documents.
#[derive(Clone, Debug)]
pub struct DocumentsFile {
    /// The name of its output.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

impl DocumentsFile {
    fn new(input: String, path: PathBuf) -> Self {
        let name = if is_wacz(&path) {
            format!("{input}.jsonl")
        } else {
            input
        };
        Self { name, path }
    }
}

/// Whether a file has more documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    No,
    Reached,
}

/// The output of a file's rows, and the output about those that are dropped, if that is wanted.
pub type OutputFiles = (Box<dyn StoreFile>, Option<Box<dyn StoreFile>>);

#[derive(Clone, Copy)]
pub struct Writing<'r> {
    pub context: CellContext<'r>,
    pub added: &'r Added,
    /// The columns that say what the drop of a document rests on, if that is asked for.
    pub audit: Option<&'r Added>,
    /// Whether a mask is written, which needs every line to be a document.
    pub is_mask: bool,
    /// Whether it goes to a stream, which is whole in any case.
    pub is_stream: bool,
}

impl Writing<'_> {
    /// Returns the footer of an output in Parquet about the judgement: the version, and the digest of the policy.
    pub fn footer(&self) -> Vec<KeyValue> {
        let version = Some(("crawlprefs.version", env!("CARGO_PKG_VERSION")));
        let policy = self
            .context
            .policy
            .map(|policy| ("crawlprefs.policy_sha256", policy.digest.as_str()));
        let pairs = version.into_iter().chain(policy);
        pairs
            .map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()))
            .collect()
    }

    pub fn batch(&self, verdicts: &[Arc<Verdict>], added: &Added) -> FileResult<RecordBatch> {
        batch(verdicts, &self.context, added).map_err(FileFault::Output)
    }

    /// Writes a verdict as the last members of a JSON object.
    pub fn members(&self, verdict: &Verdict, added: &Added, out: &mut dyn Write) -> io::Result<()> {
        write_members(verdict, &self.context, added, out)
    }
}

pub trait DocumentInput: Send {
    /// Adds the next documents, until all together take this many bytes.
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> FileResult<End>;

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> FileResult;

    /// Ends its outputs; returns which of them are there.
    fn finish(self: Box<Self>) -> FileResult<Finished>;
}

/// The outputs of a file that are there. A folder has no file of lines without rows: loaders take the columns from the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub has_documents: bool,
    pub has_dropped: bool,
}

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Parquet, for files of Parquet.
    Parquet,
    /// JSON lines, for files of these and for lists of URLs.
    Json,
}

impl OutputFormat {
    /// Refuses a file whose output would have another format: no row is converted, so that each stays as it is.
    pub fn check(self, kind: FileKind) -> FileResult {
        let fault = match (self, kind) {
            (Self::Parquet, FileKind::Parquet) | (Self::Json, FileKind::Lines(..)) => return Ok(()),
            (Self::Json, FileKind::Parquet) => {
                "it is Parquet, which is not converted to JSON lines"
            }
            (Self::Parquet, FileKind::Lines(..)) => {
                "it has lines, which are not converted to Parquet"
            }
        };
        Err(FileFault::input(fault))
    }
}

/// The endings of the files that are taken from a folder, in any case, without those of their compression.
const ENDINGS: [&str; 11] = [
    "parquet",
    "pq",
    "jsonl",
    "json",
    "ndjson",
    "jsonlines",
    "jl",
    "txt",
    "cdx",
    "cdxj",
    "wacz",
];

/// Files of documents that were named.
#[derive(Clone, Debug, Default)]
pub struct ListedDocuments {
    /// The named files, and those of named folders, sorted within each.
    pub files: Vec<DocumentsFile>,
    /// How many other files are in these folders, by their endings.
    pub left_out: BTreeMap<String, usize>,
    /// What is not a regular file there, such as a pipe, which may wait for its writer.
    pub skipped: Vec<PathBuf>,
}

/// Returns the named files, and those of named folders.
pub fn list(inputs: &[PathBuf]) -> Result<ListedDocuments, Error> {
    let mut listed = ListedDocuments::default();
    for input in inputs {
        let files = &mut listed.files;
        let location = || input.display().to_string();
        if input.is_dir() {
            let before = files.len();
            of_folder(input, "", &mut listed, &mut HashSet::new()).map_err(|source| {
                Error::InputUnreadable {
                    location: location(),
                    source,
                }
            })?;
            if listed.files.len() == before {
                return Err(Error::NoDocuments {
                    location: location(),
                });
            }
        } else if input.exists() {
            let name = input
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.push(DocumentsFile::new(name, input.clone()));
        } else {
            return Err(Error::InputMissing {
                location: location(),
            });
        }
    }
    let mut known = HashMap::new();
    for file in &listed.files {
        if let Some(first) = known.insert(file.name.as_str(), &file.path) {
            let first = first.display().to_string();
            let second = file.path.display().to_string();
            return Err(Error::SameOutput {
                name: file.name.clone(),
                first,
                second,
            });
        }
    }
    Ok(listed)
}

/// Adds the files of a folder and of those below. What several links lead to is added once, so a link to a parent folder ends.
fn of_folder(
    folder: &Path,
    below: &str,
    listed: &mut ListedDocuments,
    known: &mut HashSet<PathBuf>,
) -> io::Result<()> {
    if !known.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let own = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let name = format!("{below}{own}");
        if own.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            of_folder(&path, &format!("{name}/"), listed, known)?;
        } else if !ENDINGS.contains(&ending(&own).as_str()) {
            *listed.left_out.entry(ending(&own)).or_default() += 1;
        } else if path.metadata().is_ok_and(|found| !found.is_file()) {
            listed.skipped.push(path);
        } else if path.canonicalize().map_or(true, |path| known.insert(path)) {
            listed.files.push(DocumentsFile::new(name, path));
        }
    }
    Ok(())
}
