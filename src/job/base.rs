//! Where the names of inputs start, and how files are named in tables.
//!
//! Example: with `--base /d`, the file `/d/a/b.warc.gz` is called `a/b.warc.gz`. Anything before `crawl-data/` is dropped.
//!
//! Also expands globs that the shell left alone. Example: `segments/*/warc/*.warc.gz`. `**` gives the files at any depth, each
//! once: the crate `glob` follows every link there, so a folder with two links to itself has 2^40 paths.

use crate::archive::{ArchiveName, FileSource, Format, Input};
use crate::error::Error;
use crate::store::{Links, RemoteUrl, has_scheme, local_path};
use crate::web::shown::{shown, without_credentials};
use glob::{MatchOptions, Pattern};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Where the paths of lists start, and what names are relative to.
pub enum Base<'a> {
    /// The user gave none.
    None,
    Folder(&'a Path),
    /// A prefix of a store, or a URL of a web server.
    Url(RemoteUrl),
}

impl<'a> Base<'a> {
    pub fn new(base: Option<&'a Path>) -> Result<Self, Error> {
        let Some(path) = base else {
            return Ok(Self::None);
        };
        let Some(text) = path.to_str().filter(|text| has_scheme(text)) else {
            return Ok(Self::Folder(path));
        };
        local_path(text).map_or_else(
            || url(text).map(Self::Url),
            |path| Ok(Self::Folder(Path::new(path))),
        )
    }

    pub fn folder(&self) -> Option<&'a Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::None | Self::Url(_) => None,
        }
    }

    pub fn url(&self) -> Option<&RemoteUrl> {
        match self {
            Self::Url(url) => Some(url),
            Self::None | Self::Folder(_) => None,
        }
    }
}

/// Reads a URL from the user.
pub fn url(text: &str) -> Result<RemoteUrl, Error> {
    RemoteUrl::new(text).map_err(|detail| Error::InputUnreadable {
        location: without_credentials(text),
        source: io::Error::new(io::ErrorKind::InvalidInput, detail),
    })
}

/// Whether a path stays in the folder that it is relative to.
pub fn is_path_below(path: impl AsRef<Path>) -> bool {
    let mut parts = path.as_ref().components().peekable();
    parts.peek().is_some()
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Whether a file or object of this name is taken if its folder is named.
pub fn is_archive_name(path: &str) -> bool {
    let file = path
        .rsplit(['/', std::path::MAIN_SEPARATOR])
        .next()
        .unwrap_or_default();
    !file.starts_with('.') && Format::of_file_name(file).is_some()
}

pub fn file_input(path: &Path, base: Option<&Path>) -> Input {
    let name = ArchiveName::new(&name_of(path, base));
    Input {
        name,
        source: Arc::new(FileSource::new(path.to_owned())),
    }
}

fn name_of(path: &Path, base: Option<&Path>) -> String {
    let full = absolute(path);
    let text = with_slashes(&full);
    if text.contains("/crawl-data/") {
        return text;
    }
    let below = base.and_then(|base| full.strip_prefix(absolute(base)).ok().map(with_slashes));
    below
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| full.file_name().map_or(text, text_of))
}

/// The path from the root, with `.` and `..` resolved by name alone.
fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                plain.push(component);
            }
        }
    }
    plain
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .map(|part| text_of(part.as_os_str()))
        .collect();
    let text = parts.join("/");
    text.strip_prefix("//")
        .map_or(text.clone(), |rest| format!("/{rest}"))
}

/// A name as text: names with different bytes that are not UTF-8 stay different.
fn text_of(name: &OsStr) -> String {
    shown(name.as_encoded_bytes()).into_owned()
}

/// Returns the files that a glob names, sorted, each once.
pub fn paths(glob: &str) -> Result<Vec<PathBuf>, Error> {
    let parts: Vec<&str> = glob.split_inclusive('/').collect();
    let deep = parts
        .iter()
        .position(|part| part.trim_end_matches('/') == "**");
    let (above, below) = glob.split_at(
        parts
            .iter()
            .take(deep.unwrap_or(parts.len()))
            .map(|part| part.len())
            .sum(),
    );
    let mut paths = if above.is_empty() {
        vec![PathBuf::new()]
    } else {
        let paths = glob::glob(above).map_err(|error| bad(glob, &error))?;
        paths
            .map(|path| path.map_err(|error| unreadable(glob, error.into())))
            .collect::<Result<_, _>>()?
    };
    if deep.is_some() {
        let pattern =
            Pattern::new(below.trim_end_matches('/')).map_err(|error| bad(glob, &error))?;
        let folders = std::mem::take(&mut paths);
        for folder in folders
            .iter()
            .filter(|folder| folder.as_os_str().is_empty() || folder.is_dir())
        {
            below_folder(folder, &pattern, &mut paths)
                .map_err(|source| unreadable(glob, source))?;
        }
        paths.sort();
    }
    // If a file and a link to it match, the name is that of the file.
    paths.sort_by_key(|path| path.is_symlink());
    let mut seen = HashSet::new();
    paths.retain(|path| fs::canonicalize(path).map_or(true, |real| seen.insert(real)));
    Ok(paths)
}

/// Adds the matching files below a folder, and archives in a matching folder.
fn below_folder(folder: &Path, pattern: &Pattern, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    let start = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    for path in Links::Followed.files_below(start)? {
        let path = path.strip_prefix(".").map_or(path.clone(), Path::to_owned);
        let Ok(below) = path.strip_prefix(folder) else {
            continue;
        };
        let is_in = || {
            below
                .ancestors()
                .skip(1)
                .any(|folder| pattern.matches_path_with(folder, options))
        };
        if (pattern.matches_path_with(below, options) && !pattern.as_str().ends_with("**"))
            || (is_archive_name(&path.to_string_lossy()) && is_in())
        {
            paths.push(path);
        }
    }
    Ok(())
}

fn bad(glob: &str, error: &glob::PatternError) -> Error {
    Error::BadGlob {
        location: glob.to_owned(),
        detail: error.to_string(),
    }
}

fn unreadable(glob: &str, source: io::Error) -> Error {
    Error::InputUnreadable {
        location: glob.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::{name_of, paths};
    use std::fs;
    use std::path::Path;

    #[test]
    fn local_archives_are_called_by_crawl_data_base_or_file_name() {
        for (path, base, name) in [
            ("/d/a/b.warc", Some("/d"), "a/b.warc"),
            ("/d/a/b.warc", Some("/d/x/.."), "a/b.warc"),
            ("/d/a/b.warc", Some("/other"), "b.warc"),
            ("/d/a/b.warc", None, "b.warc"),
            // These are not archives, but a message still names them.
            ("/d", Some("/d"), "d"),
            ("/a/..", None, "/"),
        ] {
            assert_eq!(
                name_of(Path::new(path), base.map(Path::new)),
                name,
                "{path} {base:?}"
            );
        }
        let name = name_of(
            Path::new("/d/crawl-data/C/x.warc"),
            Some(Path::new("/d/crawl-data")),
        );
        assert_eq!(name, "/d/crawl-data/C/x.warc");
    }

    #[test]
    fn local_a_glob_names_files_at_any_depth_once_each() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "a.warc",
            "x/b.warc",
            "x/deep/c.warc",
            "x/deep/notes.txt",
            "y/d.warc",
        ] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        for (glob, expected) in [
            ("*.warc", &["a.warc"][..]),
            (
                "**/*.warc",
                &["a.warc", "x/b.warc", "x/deep/c.warc", "y/d.warc"],
            ),
            ("x/**/*", &["x/b.warc", "x/deep/c.warc", "x/deep/notes.txt"]),
            ("x/**", &["x/b.warc", "x/deep/c.warc"]),
            ("**/deep", &["x/deep/c.warc"]),
            ("*/**/c.*", &["x/deep/c.warc"]),
            ("**/none", &[]),
        ] {
            let named = paths(&folder.path().join(glob).to_string_lossy()).unwrap();
            let named: Vec<_> = named
                .iter()
                .map(|path| path.strip_prefix(folder.path()).unwrap())
                .collect();
            let expected: Vec<_> = expected.iter().map(std::path::Path::new).collect();
            assert_eq!(named, expected, "{glob}");
        }
        assert!(paths("a**/b").is_err() && paths("x/**/[").is_err());
    }
}
