//! The places that a user names: folders on a disk, and URLs of stores and servers.
//!
//! Example: `out` is a folder, `s3://bucket/prefix` a prefix of a bucket; `https://host/list.gz` can only be read. `file://` is
//! a path if a user gives it on the command line.

#[cfg(feature = "remote")]
use super::Remote;
use super::remote_url::{FoundUrl, NamedBy, RemoteUrl, has_scheme, lacks_a_slash};
use super::{FolderStore, Store};
use crate::archive::ArchiveSource;
use crate::web::shown::without_credentials;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The places of a job. Everything that is opened through them shares their connections and the rate of requests to each host.
#[derive(Clone, Default)]
pub struct Places {
    /// Files that this program writes beside outputs.
    beside: Vec<PathBuf>,
    #[cfg(feature = "remote")]
    options: super::RemoteOptions,
    #[cfg(feature = "remote")]
    remote: Arc<std::sync::OnceLock<Remote>>,
}

impl Places {
    /// Returns places that ask servers as `options` say.
    #[cfg(feature = "remote")]
    pub fn new(options: super::RemoteOptions) -> Self {
        Self {
            beside: Vec::new(),
            options,
            remote: Arc::default(),
        }
    }

    /// Names files that the program itself writes, such as a report: a folder with nothing else is empty.
    pub fn with_files_beside(mut self, files: Vec<PathBuf>) -> Self {
        self.beside = files;
        self
    }

    /// Returns a folder or a prefix of a store, for output. No symbolic link below it is followed.
    pub fn store(&self, place: &Path) -> io::Result<Box<dyn Store>> {
        self.place(place, |folder| {
            FolderStore::new(folder).with_files_beside(&self.beside)
        })
    }

    /// Returns a folder or a prefix of a store for reading: evidence or tables.
    pub fn input(&self, place: &Path) -> io::Result<Box<dyn Store>> {
        self.place(place, FolderStore::of_input)
    }

    fn place(
        &self,
        place: &Path,
        local: impl Fn(PathBuf) -> FolderStore,
    ) -> io::Result<Box<dyn Store>> {
        if place.to_str().is_some_and(lacks_a_slash) {
            let expected = "expected two slashes behind the scheme, as in s3://BUCKET/PREFIX";
            return Err(invalid(expected.to_owned()));
        }
        let Some(text) = place.to_str().filter(|text| has_scheme(text)) else {
            return Ok(Box::new(local(place.to_owned())));
        };
        if let Some(path) = local_path(text) {
            return Ok(Box::new(local(path.into())));
        }
        let url = RemoteUrl::new(text).map_err(invalid)?;
        let remote = self.remote()?;
        if url.scheme.is_web() {
            let detail =
                "a web server cannot hold tables; expected a folder, or s3://BUCKET/PREFIX";
            return Err(io::Error::new(io::ErrorKind::Unsupported, detail));
        }
        remote.files(&url)
    }

    /// Returns a folder, a prefix of a store, or a folder of a web server (which has no listing), with files read by name.
    pub fn files(&self, place: &Path) -> io::Result<Box<dyn Store>> {
        let url = place
            .to_str()
            .filter(|text| has_scheme(text) && local_path(text).is_none());
        match url.map(RemoteUrl::new).transpose().map_err(invalid)? {
            Some(url) if url.scheme.is_web() => self.remote()?.files(&url),
            Some(_) | None => self.input(place),
        }
    }

    /// Returns the archive at a URL, which is looked at when it is opened.
    pub fn source(
        &self,
        url: &RemoteUrl,
        named_by: NamedBy<'_>,
    ) -> io::Result<Arc<dyn ArchiveSource>> {
        self.remote()?.source(url, named_by)
    }

    /// Returns whether a list at `list` may name `url`, by their schemes: a list from a web server does not decide which
    /// buckets are read with the user's credentials.
    pub fn may_list(&self, list: &RemoteUrl, url: &RemoteUrl) -> Result<(), String> {
        if url.scheme.is_web() || list.scheme == url.scheme || self.allows_private() {
            return Ok(());
        }
        Err(format!(
            "found a bucket in a list from {}; give --base {} where it is meant, or --allow-private",
            list.root(),
            url.root()
        ))
    }

    /// Returns the URLs of all objects below a folder of a store.
    pub fn list(&self, folder: &RemoteUrl) -> io::Result<Vec<FoundUrl>> {
        self.remote()?.list(folder)
    }

    #[cfg(feature = "remote")]
    fn allows_private(&self) -> bool {
        self.options.addresses == super::Addresses::Any
    }

    #[cfg(feature = "remote")]
    fn remote(&self) -> io::Result<&Remote> {
        if let Some(remote) = self.remote.get() {
            return Ok(remote);
        }
        let started = Remote::new(self.options.clone())?;
        Ok(self.remote.get_or_init(|| started))
    }
}

/// Without the feature, no URL can be opened.
#[cfg(not(feature = "remote"))]
#[allow(clippy::unused_self)] // it has the form of the others
impl Places {
    fn allows_private(&self) -> bool {
        false
    }

    fn remote(&self) -> io::Result<&Remote> {
        let detail = "this program was built without the feature remote";
        Err(io::Error::new(io::ErrorKind::Unsupported, detail))
    }
}

/// There is none without the feature.
#[cfg(not(feature = "remote"))]
enum Remote {}

#[cfg(not(feature = "remote"))]
impl Remote {
    fn source(&self, _: &RemoteUrl, _: NamedBy<'_>) -> io::Result<Arc<dyn ArchiveSource>> {
        match *self {}
    }

    fn list(&self, _: &RemoteUrl) -> io::Result<Vec<FoundUrl>> {
        match *self {}
    }

    fn files(&self, _: &RemoteUrl) -> io::Result<Box<dyn Store>> {
        match *self {}
    }
}

/// Returns the path in a `file:` URL (RFC 8089).
pub fn local_path(text: &str) -> Option<&str> {
    let path = text.strip_prefix("file://")?;
    path.strip_prefix("localhost")
        .filter(|path| path.starts_with('/'))
        .or(Some(path))
}

/// Returns a folder that a file of ours names, such as `_resolved.json` or `_judge.json`: a folder of this machine. A URL is never
/// opened because a file names it, as the file may be a stranger's: requests with the user's credentials go where the command
/// line says.
///
/// # Errors
/// The URL, to name on the command line where it is meant.
pub fn folder_by_file(place: &str) -> Result<&Path, UrlByFile> {
    if is_remote(place) {
        return Err(UrlByFile {
            url: without_credentials(place),
        });
    }
    Ok(Path::new(local_path(place).unwrap_or(place)))
}

/// A file names a URL, which the command line does not name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url} is named by a file alone; a URL is asked only if the command line names it")]
pub struct UrlByFile {
    /// The URL, without credentials.
    pub url: String,
}

/// Returns whether a text names a place of a store or a web server, or would do so with one more slash.
pub fn is_remote(text: &str) -> bool {
    lacks_a_slash(text) || (has_scheme(text) && local_path(text).is_none())
}

fn invalid(detail: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, detail)
}
