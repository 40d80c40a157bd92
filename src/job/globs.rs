//! Globs that the shell left alone, to files and folders.
//!
//! Example: `segments/*/warc/*.warc.gz`. `**` gives the files at any depth, each once: the crate `glob` follows every
//! link there, so that a folder with two links to itself has 2^40 paths.

use super::base::is_archive_name;
use crate::error::Error;
use crate::store::Links;
use glob::{MatchOptions, Pattern};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns what a glob names, sorted, no file twice.
///
/// # Errors
/// [`Error::BadGlob`], [`Error::InputUnreadable`].
pub fn paths(glob: &str) -> Result<Vec<PathBuf>, Error> {
    let parts: Vec<&str> = glob.split_inclusive('/').collect();
    let deep = parts.iter().position(|part| part.trim_end_matches('/') == "**");
    let (above, below) =
        glob.split_at(parts.iter().take(deep.unwrap_or(parts.len())).map(|part| part.len()).sum());
    let mut paths = if above.is_empty() { vec![PathBuf::new()] } else { expand(above, glob)? };
    if deep.is_some() {
        let pattern = Pattern::new(below.trim_end_matches('/')).map_err(|error| bad(glob, &error))?;
        let folders = std::mem::take(&mut paths);
        for folder in folders.iter().filter(|folder| folder.as_os_str().is_empty() || folder.is_dir()) {
            below_folder(folder, &pattern, &mut paths).map_err(|source| unreadable(glob, source))?;
        }
        paths.sort();
    }
    // Of a file and a link to it, the file is named.
    paths.sort_by_key(|path| path.is_symlink());
    let mut seen = HashSet::new();
    paths.retain(|path| fs::canonicalize(path).map_or(true, |real| seen.insert(real)));
    Ok(paths)
}

/// Expands the part of a glob without `**`.
fn expand(part: &str, glob: &str) -> Result<Vec<PathBuf>, Error> {
    let paths = glob::glob(part).map_err(|error| bad(glob, &error))?;
    paths.map(|path| path.map_err(|error| unreadable(glob, error.into()))).collect()
}

/// Adds the files below a folder that match, or that are archives in a folder that does.
fn below_folder(folder: &Path, pattern: &Pattern, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let start = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for path in Links::Followed.files_below(start)? {
        let path = path.strip_prefix(".").map_or(path.clone(), Path::to_owned);
        let Ok(below) = path.strip_prefix(folder) else { continue };
        let is_in = || below.ancestors().skip(1).any(|folder| pattern.matches_path_with(folder, options));
        if (pattern.matches_path_with(below, options) && !pattern.as_str().ends_with("**"))
            || (is_archive_name(&path.to_string_lossy()) && is_in())
        {
            paths.push(path);
        }
    }
    Ok(())
}

fn bad(glob: &str, error: &glob::PatternError) -> Error {
    Error::BadGlob { location: glob.to_owned(), detail: error.to_string() }
}

fn unreadable(glob: &str, source: io::Error) -> Error {
    Error::InputUnreadable { location: glob.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::paths;
    use std::fs;

    #[test]
    fn local_a_glob_names_files_at_any_depth_once_each() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.warc", "x/b.warc", "x/deep/c.warc", "x/deep/notes.txt", "y/d.warc"] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        for (glob, expected) in [
            ("*.warc", &["a.warc"][..]),
            ("**/*.warc", &["a.warc", "x/b.warc", "x/deep/c.warc", "y/d.warc"]),
            ("x/**/*", &["x/b.warc", "x/deep/c.warc", "x/deep/notes.txt"]),
            ("x/**", &["x/b.warc", "x/deep/c.warc"]),
            ("**/deep", &["x/deep/c.warc"]),
            ("*/**/c.*", &["x/deep/c.warc"]),
            ("**/none", &[]),
        ] {
            let named = paths(&folder.path().join(glob).to_string_lossy()).unwrap();
            let named: Vec<_> = named.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
            let expected: Vec<_> = expected.iter().map(std::path::Path::new).collect();
            assert_eq!(named, expected, "{glob}");
        }
        assert!(paths("a**/b").is_err() && paths("x/**/[").is_err());
    }
}
