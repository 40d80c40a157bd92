//! Where the names of inputs start, and how a file is called.
//!
//! Example: with `--base /d`, the file `/d/a/b.warc.gz` is called `a/b.warc.gz` in the tables. A name from `crawl-data/`
//! on is kept whatever is before it.

use crate::archive::{ArchiveName, FileSource, Input};
use crate::error::Error;
use crate::store::{RemoteUrl, has_scheme, local_path};
use crate::web::shown::{shown, without_credentials};
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Where the paths of lists start, and what names are relative to.
pub enum Base<'a> {
    /// Nothing was said.
    None,
    /// A folder.
    Folder(&'a Path),
    /// A prefix of a store, or a URL of a web server.
    Url(RemoteUrl),
}

impl<'a> Base<'a> {
    /// Reads what `--base` has.
    pub fn new(base: Option<&'a Path>) -> Result<Self, Error> {
        let Some(path) = base else { return Ok(Self::None) };
        match path.to_str().filter(|text| has_scheme(text)) {
            None => Ok(Self::Folder(path)),
            Some(text) => match local_path(text) {
                Some(path) => Ok(Self::Folder(Path::new(path))),
                None => url(text).map(Self::Url),
            },
        }
    }

    /// Returns the folder.
    pub fn folder(&self) -> Option<&'a Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::None | Self::Url(_) => None,
        }
    }

    /// Returns the URL.
    pub fn url(&self) -> Option<&RemoteUrl> {
        match self {
            Self::Url(url) => Some(url),
            Self::None | Self::Folder(_) => None,
        }
    }
}

/// Reads a URL that a user has given.
pub fn url(text: &str) -> Result<RemoteUrl, Error> {
    RemoteUrl::new(text).map_err(|detail| Error::InputUnreadable {
        location: without_credentials(text),
        source: io::Error::new(io::ErrorKind::InvalidInput, detail),
    })
}

/// Returns whether a file or object of this name is taken where its folder is named.
pub fn is_archive_name(path: &str) -> bool {
    let file = path.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or_default();
    let name = file.to_ascii_lowercase();
    let text = [".gz", ".zst"].iter().find_map(|codec| name.strip_suffix(codec)).unwrap_or(&name);
    let is_archive = [".warc", ".arc", ".wat"].iter().any(|ending| text.ends_with(ending));
    (is_archive || name.strip_suffix(".wacz").is_some()) && !name.starts_with('.')
}

/// Returns a file as an input.
pub fn file_input(path: &Path, base: Option<&Path>) -> Input {
    let name = ArchiveName::new(&name_of(path, base));
    Input { name, source: Arc::new(FileSource::new(path.to_owned())) }
}

/// Names an archive by its path.
fn name_of(path: &Path, base: Option<&Path>) -> String {
    let full = absolute(path);
    let text = with_slashes(&full);
    if text.contains("/crawl-data/") {
        return text;
    }
    let below = base.and_then(|base| full.strip_prefix(absolute(base)).ok().map(with_slashes));
    let of_file = || full.file_name().map_or(text, text_of);
    below.filter(|name| !name.is_empty()).unwrap_or_else(of_file)
}

/// Returns the path from the root, `.` and `..` resolved by their names alone.
fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    plain
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<String> = path.components().map(|part| text_of(part.as_os_str())).collect();
    let text = parts.join("/");
    text.strip_prefix("//").map_or(text.clone(), |rest| format!("/{rest}"))
}

/// Returns a name as text, in which bytes that are no UTF-8 differ as they do in the name.
fn text_of(name: &OsStr) -> String {
    shown(name.as_encoded_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use std::path::Path;

    #[test]
    fn local_archives_are_called_by_crawl_data_base_or_file_name() {
        for (path, base, name) in [
            ("/d/a/b.warc", Some("/d"), "a/b.warc"),
            ("/d/a/b.warc", Some("/d/x/.."), "a/b.warc"),
            ("/d/a/b.warc", Some("/other"), "b.warc"),
            ("/d/a/b.warc", None, "b.warc"),
            // These are not archives, and a message still names them.
            ("/d", Some("/d"), "d"),
            ("/a/..", None, "/"),
        ] {
            assert_eq!(name_of(Path::new(path), base.map(Path::new)), name, "{path} {base:?}");
        }
        let name = name_of(Path::new("/d/crawl-data/C/x.warc"), Some(Path::new("/d/crawl-data")));
        assert_eq!(name, "/d/crawl-data/C/x.warc");
    }
}
