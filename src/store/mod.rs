//! Where output goes: a place that keeps whole objects under names with `/`.
//!
//! An object appears under its name when it is complete, or not at all; a reader asks for ranges of it. Nothing is renamed and
//! no folder has to exist, so that an object store can implement the same traits.
//! Example: `store.create("pages/crawl=local/part-other-07.parquet")`. A folder on a disk is one such place, a prefix of an
//! object store another.
//!
//! No name leads out of its place (`object_name`): a store refuses it, whoever asks.
//!
//! [`FileRange`] is a stored object as a stream. Left out: reading ahead, which a store behind a network does itself.

mod folder;
mod links;
mod object_name;
mod places;
#[cfg(feature = "remote")]
mod remote;
mod remote_url;
mod scratch;
mod watch;

pub use folder::FolderStore;
pub use links::Links;
pub use object_name::{ObjectName, check_name};
pub use places::{Places, UrlByFile, folder_by_file, is_remote, local_path};
#[cfg(feature = "remote")]
pub use remote::{Addresses, Remote, RemoteOptions, Signing};
#[doc(hidden)]
pub use remote_url::{FoundUrl, NamedBy, RemoteUrl, Scheme, has_scheme};
#[doc(hidden)]
pub use scratch::{Scratch, ScratchStore, temporary_name};
pub use watch::{RequestEvent, RequestWatch, Stopped};

use std::fs;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// A place for output.
pub trait Store: Send + Sync {
    /// Begins the object `name`, which does not exist until it is committed.
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>>;

    /// Writes the object `name` only if it does not exist; if several callers do so at once, one succeeds.
    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim>;

    /// Opens the object `name`.
    ///
    /// # Errors
    /// Why it cannot be opened; `NotFound` if there is no such object.
    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Opens the object `name` of known length for a few ranges: each is one request, and no request goes before them.
    fn open_ranges(&self, name: &str, bytes: u64) -> io::Result<Box<dyn StoredFile>> {
        let _ = bytes;
        self.open(name)
    }

    /// Returns the names of the objects below `folder`, at any depth, sorted.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Returns the names of the folders directly in this place, sorted.
    fn folders(&self) -> io::Result<Vec<String>> {
        let names = self.list("")?;
        let mut folders: Vec<String> = names
            .iter()
            .filter_map(|name| Some(name.split_once('/')?.0.to_owned()))
            .collect();
        folders.dedup();
        Ok(folders)
    }

    /// Returns the objects below `folder` whose names are from `first` to `last`, with their versions; `None` if a listing has
    /// no versions, as on a disk. Some objects may be missing: nothing is known about an object that is not listed.
    fn versions(
        &self,
        folder: &str,
        names: Option<(&str, &str)>,
    ) -> io::Result<Option<Vec<ObjectVersion>>> {
        let _ = (folder, names);
        Ok(None)
    }

    /// Returns how many small objects to ask for at once: on a disk one per core, elsewhere as many as may wait at once.
    fn requests(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Returns the content of the object `name` with its tag (see [`ObjectVersion`]); `None` if there is no such object.
    fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        let Some(file) = folder::absent_as_none(self.open(name))? else {
            return Ok(None);
        };
        let mut content = vec![0; usize::try_from(file.bytes()).map_err(io::Error::other)?];
        file.read_range(0, &mut content)?;
        Ok(Some((content, None)))
    }

    /// Returns the length in bytes of the object `name`, or `None` if there is no such object.
    fn bytes(&self, name: &str) -> io::Result<Option<u64>>;

    /// Returns when the object `name` was last written, in milliseconds since 1970; `None` if there is none or it is unknown.
    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        let _ = name;
        Ok(None)
    }

    /// Returns whether the place is empty; files that another process is writing do not count.
    fn is_empty(&self) -> io::Result<bool>;

    /// Removes the object `name`, or everything below the folder `name`, if it exists.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns the place, for messages.
    fn location(&self) -> String;

    /// Returns the content of the object `name`, or `None` if there is no such object.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.read_version(name)?.map(|(content, _)| content))
    }

    /// Writes the object `name`; an existing one is replaced.
    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = self.create(name)?;
        file.write_all(content)?;
        file.commit()
    }

    /// Returns where the object `name` is, for messages.
    fn location_of(&self, name: &str) -> String {
        format!("{}/{name}", self.location())
    }
}

/// Returns whether two stores are one place, even if their folders are named differently.
#[doc(hidden)]
pub fn is_same_place(one: &dyn Store, other: &dyn Store) -> bool {
    let [one, other] = [one.location(), other.location()];
    let is_one_folder = || {
        let real = fs::canonicalize(&one);
        real.is_ok_and(|one| fs::canonicalize(&other).is_ok_and(|other| one == other))
    };
    one == other || is_one_folder()
}

/// A version of an object, as a listing has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectVersion {
    /// The object's name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its strong `ETag` (RFC 9110 8.8.1), without quotes; a different one means that it was written again.
    pub tag: Option<String>,
}

/// The outcome of [`Store::claim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The object was written.
    Created,
    /// There was one already; it is unchanged.
    Exists,
}

/// An object being written.
pub trait StoreFile: Write + Send {
    /// Makes the object durable and visible under its name; an existing one is replaced.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// An object that can be read.
pub trait StoredFile: Send + Sync {
    /// Returns its length in bytes.
    fn bytes(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Why they cannot be read; `UnexpectedEof` if the object ends earlier.
    fn read_range(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// Gives an object to `take`, a mebibyte at a time.
pub fn read_pieces(file: &dyn StoredFile, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    const PIECE_BYTES: u64 = 1 << 20;
    let (mut at, mut buffer) = (0, Vec::new());
    while at < file.bytes() {
        let piece = (file.bytes() - at).min(PIECE_BYTES);
        buffer.resize(usize::try_from(piece).unwrap_or_default(), 0);
        file.read_range(at, &mut buffer)?;
        take(&buffer);
        at += piece;
    }
    Ok(())
}

/// A stored object as a stream, from one byte on.
pub struct FileRange {
    file: Arc<dyn StoredFile>,
    at: u64,
}

impl FileRange {
    /// Reads an object from byte `start` on.
    pub fn new(file: Arc<dyn StoredFile>, start: u64) -> Self {
        Self { file, at: start }
    }
}

impl Read for FileRange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.file.bytes().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        self.file
            .read_range(self.at, buffer.get_mut(..count).unwrap_or_default())?;
        self.at += count as u64;
        Ok(count)
    }
}
