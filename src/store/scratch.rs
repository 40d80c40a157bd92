//! A file for what does not fit in memory, and a store in such a file for intermediate objects.
//!
//! The file loses its name as soon as it is open, so that nothing stays, however the process ends. Left out: giving space back;
//! the system takes it all with the file.

use super::{Claim, Store, StoreFile, StoredFile};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file without a name.
pub struct Scratch {
    file: File,
    folder: PathBuf,
    bytes: AtomicU64,
}

/// Returns the name of a temporary file that no other process has: in containers, two processes that share a folder may have
/// the same number, and a killed one leaves its file.
pub fn temporary_name(ending: &str) -> String {
    format!(
        ".crawlprefs-{}-{:016x}.{ending}",
        std::process::id(),
        super::folder::random()
    )
}

impl Scratch {
    /// Creates a file in the folder for temporary files: `TMPDIR`, or the system's.
    pub fn new() -> io::Result<Self> {
        Self::in_folder(&std::env::temp_dir())
    }

    fn in_folder(folder: &Path) -> io::Result<Self> {
        let path = folder.join(temporary_name("tmp"));
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path);
        let file = file.and_then(|file| fs::remove_file(&path).map(|()| file));
        let file = file.map_err(|error| named(folder, &error))?;
        Ok(Self {
            file,
            folder: folder.to_owned(),
            bytes: AtomicU64::new(0),
        })
    }

    /// Reserves a number of bytes for this caller alone and returns their place.
    pub fn reserve(&self, bytes: usize) -> u64 {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed)
    }

    /// Writes to a place.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file
            .write_all_at(bytes, at)
            .map_err(|error| named(&self.folder, &error))
    }

    /// Fills `buffer` with the bytes at a place.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file
            .read_exact_at(buffer, at)
            .map_err(|error| named(&self.folder, &error))
    }
}

fn named(folder: &Path, error: &io::Error) -> io::Error {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Some("free some space there, or name a folder with more by TMPDIR")
        }
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some("name another folder for temporary files by TMPDIR")
        }
        _ => None,
    };
    super::folder::named(folder, error, advice)
}

/// How much of an object is held before it is written; any number of this size.
const PIECE_BYTES: usize = 1 << 20;

/// A store in a [`Scratch`]; the space of removed or replaced objects is not given back.
pub struct ScratchStore {
    inner: Arc<ScratchObjects>,
}

struct ScratchObjects {
    scratch: Scratch,
    objects: Mutex<BTreeMap<String, Arc<ScratchPieces>>>,
}

/// Where the pieces of an object are; each has [`PIECE_BYTES`] except the last.
#[derive(Clone, Default)]
struct ScratchPieces {
    starts: Vec<u64>,
    bytes: u64,
}

impl ScratchStore {
    /// Creates one in the folder for temporary files.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            inner: Arc::new(ScratchObjects {
                scratch: Scratch::new()?,
                objects: Mutex::default(),
            }),
        })
    }
}

impl ScratchObjects {
    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Arc<ScratchPieces>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for ScratchStore {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        let (inner, name) = (Arc::clone(&self.inner), name.to_owned());
        Ok(Box::new(ScratchWriting {
            inner,
            name,
            held: Vec::new(),
            pieces: ScratchPieces::default(),
        }))
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        if self.bytes(name)?.is_some() {
            return Ok(Claim::Exists);
        }
        self.put(name, content).map(|()| Claim::Created)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        let pieces = self.inner.objects().get(name).cloned();
        let pieces = pieces.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Box::new(ScratchObject {
            inner: Arc::clone(&self.inner),
            pieces,
        }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let is_below = |name: &&String| {
            name.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        Ok(self
            .inner
            .objects()
            .keys()
            .filter(is_below)
            .cloned()
            .collect())
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        Ok(self.inner.objects().get(name).map(|pieces| pieces.bytes))
    }

    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.inner.objects().is_empty())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let is_below = |known: &String| {
            known
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.inner
            .objects()
            .retain(|known, _| known != name && !is_below(known));
        Ok(())
    }

    fn location(&self) -> String {
        self.inner.scratch.folder.display().to_string()
    }
}

struct ScratchWriting {
    inner: Arc<ScratchObjects>,
    name: String,
    held: Vec<u8>,
    pieces: ScratchPieces,
}

impl ScratchWriting {
    fn keep(&mut self) -> io::Result<()> {
        let at = self.inner.scratch.reserve(self.held.len());
        self.inner.scratch.write(at, &self.held)?;
        self.pieces.starts.push(at);
        self.pieces.bytes += self.held.len() as u64;
        self.held.clear();
        Ok(())
    }
}

impl Write for ScratchWriting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PIECE_BYTES - self.held.len());
        self.held
            .extend_from_slice(bytes.get(..count).unwrap_or_default());
        if self.held.len() == PIECE_BYTES {
            self.keep()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoreFile for ScratchWriting {
    fn commit(mut self: Box<Self>) -> io::Result<()> {
        self.keep()?;
        let (name, pieces) = (
            std::mem::take(&mut self.name),
            std::mem::take(&mut self.pieces),
        );
        self.inner.objects().insert(name, Arc::new(pieces));
        Ok(())
    }
}

struct ScratchObject {
    inner: Arc<ScratchObjects>,
    pieces: Arc<ScratchPieces>,
}

impl StoredFile for ScratchObject {
    fn bytes(&self) -> u64 {
        self.pieces.bytes
    }

    fn read_range(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset
            .checked_add(buffer.len() as u64)
            .filter(|end| *end <= self.pieces.bytes);
        end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (mut at, mut left) = (offset, buffer);
        while !left.is_empty() {
            let piece = usize::try_from(at / PIECE_BYTES as u64).map_err(io::Error::other)?;
            let within = at % PIECE_BYTES as u64;
            let start = self
                .pieces
                .starts
                .get(piece)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
            let count = left
                .len()
                .min(PIECE_BYTES - usize::try_from(within).map_err(io::Error::other)?);
            let (now, later) = left.split_at_mut(count);
            self.inner.scratch.read(start + within, now)?;
            (at, left) = (at + count as u64, later);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE_BYTES, Scratch, ScratchStore, named, temporary_name};
    use crate::store::{Claim, Store};
    use std::io::ErrorKind;
    use std::path::Path;

    #[test]
    fn local_a_scratch_file_keeps_places_apart_and_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::in_folder(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let [one, other] = [3, 2].map(|bytes| scratch.reserve(bytes));
        scratch.write(other, b"de").unwrap();
        scratch.write(one, b"abc").unwrap();
        let mut all = [0; 5];
        scratch.read(0, &mut all).unwrap();
        assert_eq!(&all, b"abcde");
        assert!(scratch.read(other, &mut [0; 3]).is_err());
    }

    #[test]
    fn local_a_temporary_file_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<String> =
            (0..100).map(|_| temporary_name("stdin")).collect();
        assert_eq!(names.len(), 100);
    }

    #[test]
    fn local_an_error_names_the_folder_and_the_option_for_another_one_if_it_is_full_or_closed() {
        let error = Scratch::in_folder(Path::new("no/such/folder"))
            .err()
            .unwrap();
        assert!(error.to_string().starts_with("no/such/folder: "), "{error}");
        for (kind, advice) in [
            (ErrorKind::StorageFull, "name a folder with more by TMPDIR"),
            (ErrorKind::PermissionDenied, "by TMPDIR"),
        ] {
            let error = named(Path::new("/small"), &kind.into()).to_string();
            assert!(
                error.starts_with("/small: ") && error.ends_with(advice),
                "{error}"
            );
        }
        let other = named(Path::new("/small"), &ErrorKind::UnexpectedEof.into());
        assert!(!other.to_string().contains("TMPDIR"), "{other}");
    }

    #[test]
    fn local_objects_of_several_pieces_are_read_back_by_ranges_and_the_folder_stays_empty() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ScratchStore::new().expect("a store");
        let long: Vec<u8> = (0..=250).cycle().take(2 * PIECE_BYTES + 7).collect();
        store.put("a/long", &long).expect("it is written");
        assert_eq!(
            store.claim("a/short", b"xy").expect("it is written"),
            Claim::Created
        );
        assert_eq!(
            store.claim("a/short", b"z").expect("it is there"),
            Claim::Exists
        );
        assert_eq!(
            store.read("a/long").expect("it is read").as_deref(),
            Some(&long[..])
        );
        let mut range = [0; 10];
        let file = store.open("a/long").expect("it is there");
        file.read_range(PIECE_BYTES as u64 - 5, &mut range)
            .expect("a range over two pieces");
        assert_eq!(range, long[PIECE_BYTES - 5..PIECE_BYTES + 5]);
        let beyond = file
            .read_range(long.len() as u64 - 9, &mut range)
            .expect_err("beyond the end");
        assert_eq!(beyond.kind(), ErrorKind::UnexpectedEof);
        assert_eq!(store.list("a").expect("a list"), ["a/long", "a/short"]);
        store.remove("a").expect("it is removed");
        assert!(
            store.is_empty().expect("a look") && store.read("a/short").expect("a look").is_none()
        );
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }
}
