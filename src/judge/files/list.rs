//! The named files of documents, and the names of their outputs.
//!
//! Example: the output of `docs/a.parquet` is called `a.parquet`; a file of a named folder keeps its path below that folder.
//! Left out: whether a named file has documents, which shows when it is opened.

use super::input::DocumentsFile;
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The endings of the files that are taken from a folder.
const ENDINGS: [&str; 13] = [
    ".parquet",
    ".jsonl",
    ".jsonl.gz",
    ".jsonl.zst",
    ".json",
    ".json.gz",
    ".json.zst",
    ".ndjson",
    ".ndjson.gz",
    ".ndjson.zst",
    ".txt",
    ".txt.gz",
    ".txt.zst",
];

/// Returns the named files, and those of named folders, sorted within each.
///
/// # Errors
/// [`Error::InputMissing`], [`Error::InputUnreadable`], [`Error::NoDocuments`], [`Error::SameOutput`].
pub fn list(inputs: &[PathBuf]) -> Result<Vec<DocumentsFile>, Error> {
    let mut files = Vec::new();
    for input in inputs {
        let location = || input.display().to_string();
        if input.is_dir() {
            let before = files.len();
            of_folder(input, "", &mut files, &mut HashSet::new())
                .map_err(|source| Error::InputUnreadable { location: location(), source })?;
            if files.len() == before {
                return Err(Error::NoDocuments { location: location() });
            }
        } else if input.exists() {
            let name = input.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push(DocumentsFile { name, path: input.clone() });
        } else {
            return Err(Error::InputMissing { location: location() });
        }
    }
    let mut known = HashMap::new();
    for file in &files {
        if let Some(first) = known.insert(file.name.as_str(), &file.path) {
            let (first, second) = (first.display().to_string(), file.path.display().to_string());
            return Err(Error::SameOutput { name: file.name.clone(), first, second });
        }
    }
    Ok(files)
}

/// Adds the files of a folder and of those below. What several links lead to is added once, so a link to a parent folder ends.
fn of_folder(
    folder: &Path,
    below: &str,
    files: &mut Vec<DocumentsFile>,
    known: &mut HashSet<PathBuf>,
) -> std::io::Result<()> {
    if !known.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (own, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let name = format!("{below}{own}");
        if own.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            of_folder(&path, &format!("{name}/"), files, known)?;
        } else if ENDINGS.iter().any(|ending| own.ends_with(ending))
            && path.canonicalize().map_or(true, |path| known.insert(path))
        {
            files.push(DocumentsFile { name, path });
        }
    }
    Ok(())
}
