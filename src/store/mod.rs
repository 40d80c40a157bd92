//! Where output goes: a place that keeps whole objects under names with `/`.
//!
//! An object appears under its name when it is complete, or not at all, and a reader asks for ranges of it.
//! Nothing is renamed, and no folder has to exist, so that an object store can implement the same traits.
//! Example: `store.create("pages/crawl=local/part-other-07.parquet")`. A folder of a disk is one such
//! place, a prefix of an object store another.

mod folder;
mod links;
mod places;
mod range;
#[cfg(feature = "remote")]
mod remote;
mod remote_url;
mod scratch;
mod scratch_store;
mod watch;

pub use folder::FolderStore;
pub use links::Links;
pub use places::{Places, is_remote, local_path};
#[doc(hidden)]
pub use range::FileRange;
#[cfg(feature = "remote")]
pub use remote::{Addresses, Remote, RemoteOptions, Signing};
#[doc(hidden)]
pub use remote_url::{FoundUrl, RemoteUrl, Scheme, has_scheme};
#[doc(hidden)]
pub use scratch::Scratch;
#[doc(hidden)]
pub use scratch::temporary_name;
#[doc(hidden)]
pub use scratch_store::ScratchStore;
pub use watch::{RequestEvent, RequestWatch, Stopped};

use std::io::{self, Write};

/// A place for output.
pub trait Store: Send + Sync {
    /// Begins the object `name`, which is not there until it is committed.
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>>;

    /// Writes the object `name` only if there is none; of several callers at once one succeeds.
    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim>;

    /// Opens the object `name`.
    ///
    /// # Errors
    /// Why it cannot be opened; `NotFound` where there is none.
    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>>;

    /// Opens the object `name`, whose length is known, for a few ranges: each is one request, and nothing is asked
    /// before.
    fn open_ranges(&self, name: &str, bytes: u64) -> io::Result<Box<dyn StoredFile>> {
        let _ = bytes;
        self.open(name)
    }

    /// Returns the names of the objects below `folder`, at any depth, sorted.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Returns the names of the folders that are directly in it, sorted.
    fn folders(&self) -> io::Result<Vec<String>> {
        let names = self.list("")?;
        let mut folders: Vec<String> =
            names.iter().filter_map(|name| Some(name.split_once('/')?.0.to_owned())).collect();
        folders.dedup();
        Ok(folders)
    }

    /// Returns the objects below `folder` whose names are from `first` to `last`, with their versions; `None` where a listing
    /// does not say them, as that of a disk. Some may be missing: of an object that is not in it nothing is known.
    fn versions(&self, folder: &str, names: Option<(&str, &str)>) -> io::Result<Option<Vec<ObjectVersion>>> {
        let _ = (folder, names);
        Ok(None)
    }

    /// Returns how many small objects to ask for at once: on a disk as many as there are cores, elsewhere as many as wait well.
    fn requests(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Returns the content of the object `name` with its tag, as [`ObjectVersion`] has it; `None` where there is no object.
    fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        Ok(self.read(name)?.map(|content| (content, None)))
    }

    /// Returns the length in bytes of the object `name`, or `None` where there is none.
    fn bytes(&self, name: &str) -> io::Result<Option<u64>>;

    /// Returns when the object `name` was last written, in milliseconds since 1970; `None` where there is none, or where
    /// that is not known.
    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        let _ = name;
        Ok(None)
    }

    /// Returns whether it holds nothing; what another process is about to write does not count.
    fn is_empty(&self) -> io::Result<bool>;

    /// Removes the object `name`, or everything below the folder `name`, where there is one.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns the place, for messages.
    fn location(&self) -> String;

    /// Returns the content of the object `name`, or `None` where there is none.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let file = match self.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let length = usize::try_from(file.bytes()).map_err(io::Error::other)?;
        let mut content = vec![0; length];
        file.read_range(0, &mut content)?;
        Ok(Some(content))
    }

    /// Writes the object `name`; one that is there is replaced.
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

/// A version of an object, as a listing has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectVersion {
    /// The object's name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its strong `ETag` (RFC 9110 8.8.1), without quotes; another one means that it was written again.
    pub tag: Option<String>,
}

/// The outcome of [`Store::claim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The object was written.
    Created,
    /// There was one already; it was left alone.
    Exists,
}

/// An object being written.
pub trait StoreFile: Write + Send {
    /// Makes the object durable and visible under its name; one that has the name is replaced.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// An object that can be read.
pub trait StoredFile: Send + Sync {
    /// Returns its length in bytes.
    fn bytes(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Why they cannot be read; `UnexpectedEof` where the object ends before.
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
