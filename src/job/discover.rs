//! Finds inputs by the names that the user gives: files, folders, globs and lists.
//!
//! A folder gives its `*.warc`, `*.arc` and `*.wat`, each also with `.gz` or `.zst`, and its `*.wacz`, at any depth, if they
//! are regular files: reading a pipe would wait. Symbolic links in it are followed, and no file is read twice. A file that the
//! user names is taken whatever its name and content; its format shows in its bytes. An archive's name is its path from
//! `crawl-data/` on, else its path relative to `--base` or the folder given, else its file's name.

use super::base::{self, Base, file_input, is_archive_name};
use super::lists::from_list;
use super::urls;
use crate::archive::{ArchiveName, Input, StreamSource};
use crate::error::Error;
use crate::store::{Links, Places, has_scheme, local_path};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the user names inputs.
pub struct Named<'a> {
    /// Files, folders, globs, `@lists`, `-`, URLs.
    pub inputs: &'a [String],
    /// Lists, one path a line, plain or gzipped; `-` is standard input.
    pub lists: &'a [String],
    /// Where the paths of lists start, and what names are relative to: a folder or a URL.
    pub base: Option<&'a Path>,
    /// The name of an archive read from standard input.
    pub stdin_name: Option<&'a str>,
    /// Where URLs lead.
    pub places: &'a Places,
}

/// What was found by names.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Discovered {
    /// The archives.
    pub inputs: Vec<Input>,
    /// What has an archive's name in a folder or glob but is not a regular file.
    pub skipped: Vec<PathBuf>,
}

/// Finds archives by the user's names.
pub fn discover(named: &Named<'_>) -> Result<Discovered, Error> {
    let mut found = Discovered::default();
    let (start, places) = (Base::new(named.base)?, named.places);
    for name in named.inputs {
        if name == "-" {
            found.inputs.push(standard_input(named.stdin_name));
        } else if let Some(list) = name.strip_prefix('@') {
            from_list(list, &start, places, &mut found.inputs)?;
        } else if let Some(path) = local_path(name) {
            from_path(path, start.folder(), &mut found)?;
        } else if has_scheme(name) && !Path::new(name).exists() {
            found.inputs.extend(urls::inputs(&base::url(name)?, start.url(), places)?);
        } else {
            from_path(name, start.folder(), &mut found)?;
        }
    }
    for list in named.lists {
        from_list(list, &start, places, &mut found.inputs)?;
    }
    Ok(found)
}

fn standard_input(name: Option<&str>) -> Input {
    let name = ArchiveName::new(name.unwrap_or("stdin.warc"));
    Input { name, source: Arc::new(StreamSource::new(Box::new(io::stdin()))) }
}

/// Adds a file, a folder or, if neither of that name exists, a glob.
fn from_path(name: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let path = Path::new(name);
    if path.is_dir() {
        return from_folder(path, base, found);
    }
    if path.exists() {
        // The writer to a pipe would see it closed.
        if path.is_file() {
            let unreadable = |source| Error::InputUnreadable { location: name.to_owned(), source };
            File::open(path).map_err(unreadable)?;
        }
        found.inputs.push(file_input(path, base));
        return Ok(());
    }
    if name.contains(['*', '?', '[']) {
        return from_glob(name, base, found);
    }
    Err(Error::InputMissing { location: name.to_owned() })
}

fn from_glob(glob: &str, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let before = found.inputs.len();
    for path in base::paths(glob)? {
        if path.is_dir() {
            from_folder(&path, base, found)?;
        } else {
            found.add(path, base);
        }
    }
    if found.inputs.len() == before { Err(Error::NoArchives { location: glob.to_owned() }) } else { Ok(()) }
}

impl Discovered {
    /// Adds a file that the user did not name itself.
    fn add(&mut self, path: PathBuf, base: Option<&Path>) {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            self.skipped.push(path);
        } else {
            self.inputs.push(file_input(&path, base));
        }
    }
}

fn from_folder(folder: &Path, base: Option<&Path>, found: &mut Discovered) -> Result<(), Error> {
    let mut paths = Links::Followed
        .files_below(folder)
        .map_err(|source| Error::InputUnreadable { location: folder.display().to_string(), source })?;
    paths.retain(|path| is_archive_name(&path.to_string_lossy()));
    if paths.is_empty() {
        return Err(Error::NoArchives { location: folder.display().to_string() });
    }
    for path in paths {
        found.add(path, base.or(Some(folder)));
    }
    Ok(())
}
