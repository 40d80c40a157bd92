//! A file beside the output, such as a report: replaced as a whole, and looked at before the work begins.

use crawlprefs::error::Error;
use crawlprefs::store::{FolderStore, Store, StoreFile};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// A file that is written under a temporary name and then renamed.
pub struct WholeFile {
    folder: FolderStore,
    name: String,
    path: PathBuf,
}

impl WholeFile {
    /// Returns a file that can be written; what is in it now stays for the time being.
    ///
    /// # Errors
    /// [`Error::OutputUnwritable`], above all where its folder is missing.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let unwritable = |source| Error::OutputUnwritable { location: path.display().to_string(), source };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        let Some(name) = path.file_name().and_then(OsStr::to_str).filter(|_| !path.is_dir()) else {
            return Err(unwritable(io::Error::other("it is a folder, or its name is not UTF-8")));
        };
        if !folder.is_dir() {
            let detail = format!("there is no folder {}", folder.display());
            return Err(unwritable(io::Error::new(io::ErrorKind::NotFound, detail)));
        }
        let file = Self {
            folder: FolderStore::new(folder.to_owned()),
            name: name.to_owned(),
            path: path.to_owned(),
        };
        file.begin().map(drop).map_err(unwritable)?;
        Ok(file)
    }

    /// Returns its path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether both are one file, however their folders are called.
    pub fn is_same(&self, other: &Self) -> bool {
        let folder = |file: &Self| Path::new(&file.folder.location()).canonicalize().ok();
        self.name == other.name && folder(self) == folder(other)
    }

    /// Begins its new content, which replaces the earlier one when it is committed.
    pub fn begin(&self) -> io::Result<Box<dyn StoreFile>> {
        self.folder.create(&self.name)
    }

    /// Replaces its content.
    ///
    /// # Errors
    /// [`Error::OutputUnwritable`].
    pub fn write(&self, content: &str) -> Result<(), Error> {
        self.folder.put(&self.name, content.as_bytes()).map_err(|source| self.unwritable(source))
    }

    /// Returns the error that it cannot be written.
    pub fn unwritable(&self, source: io::Error) -> Error {
        Error::OutputUnwritable { location: self.path.display().to_string(), source }
    }
}
