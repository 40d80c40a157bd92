//! Objects in a file without a name: a place for what is made on the way and not kept.

use super::{Claim, Scratch, Store, StoreFile, StoredFile};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that are written at once.
const PIECE_BYTES: usize = 1 << 20;

/// A store in a [`Scratch`]; the bytes of objects that are removed or replaced are not given back.
pub struct ScratchStore {
    inner: Arc<ScratchObjects>,
}

struct ScratchObjects {
    scratch: Scratch,
    location: String,
    objects: Mutex<BTreeMap<String, Arc<ScratchPieces>>>,
}

/// Where the pieces of an object are, each of [`PIECE_BYTES`] but for the last.
#[derive(Clone, Default)]
struct ScratchPieces {
    starts: Vec<u64>,
    bytes: u64,
}

impl ScratchStore {
    /// Makes one in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let (scratch, location) = (Scratch::new(folder)?, folder.display().to_string());
        Ok(Self { inner: Arc::new(ScratchObjects { scratch, location, objects: Mutex::default() }) })
    }
}

impl ScratchObjects {
    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Arc<ScratchPieces>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for ScratchStore {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        let inner = Arc::clone(&self.inner);
        Ok(Box::new(ScratchWriting {
            inner,
            name: name.to_owned(),
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
        Ok(Box::new(ScratchObject { inner: Arc::clone(&self.inner), pieces }))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let is_below = |name: &&String| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        Ok(self.inner.objects().keys().filter(is_below).cloned().collect())
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        Ok(self.inner.objects().get(name).map(|pieces| pieces.bytes))
    }

    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.inner.objects().is_empty())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let is_below = |known: &String| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
        self.inner.objects().retain(|known, _| known != name && !is_below(known));
        Ok(())
    }

    fn location(&self) -> String {
        self.inner.location.clone()
    }
}

/// An object being written.
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
        self.held.extend_from_slice(bytes.get(..count).unwrap_or_default());
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
        let (name, pieces) = (std::mem::take(&mut self.name), std::mem::take(&mut self.pieces));
        self.inner.objects().insert(name, Arc::new(pieces));
        Ok(())
    }
}

/// An object that can be read.
struct ScratchObject {
    inner: Arc<ScratchObjects>,
    pieces: Arc<ScratchPieces>,
}

impl StoredFile for ScratchObject {
    fn bytes(&self) -> u64 {
        self.pieces.bytes
    }

    fn read_range(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64).filter(|end| *end <= self.pieces.bytes);
        end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (mut at, mut left) = (offset, buffer);
        while !left.is_empty() {
            let piece = usize::try_from(at / PIECE_BYTES as u64).map_err(io::Error::other)?;
            let within = at % PIECE_BYTES as u64;
            let start = self.pieces.starts.get(piece).ok_or(io::ErrorKind::UnexpectedEof)?;
            let count = left.len().min(PIECE_BYTES - usize::try_from(within).map_err(io::Error::other)?);
            let (now, later) = left.split_at_mut(count);
            self.inner.scratch.read(start + within, now)?;
            (at, left) = (at + count as u64, later);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE_BYTES, ScratchStore};
    use crate::store::{Claim, Store};
    use std::io;

    #[test]
    fn local_objects_of_several_pieces_are_read_back_by_ranges_and_the_folder_stays_empty() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ScratchStore::new(folder.path()).expect("a store");
        let long: Vec<u8> = (0..=250).cycle().take(2 * PIECE_BYTES + 7).collect();
        store.put("a/long", &long).expect("it is written");
        assert_eq!(store.claim("a/short", b"xy").expect("it is written"), Claim::Created);
        assert_eq!(store.claim("a/short", b"z").expect("it is there"), Claim::Exists);
        assert_eq!(store.read("a/long").expect("it is read").as_deref(), Some(&long[..]));
        let mut range = [0; 10];
        let file = store.open("a/long").expect("it is there");
        file.read_range(PIECE_BYTES as u64 - 5, &mut range).expect("a range over two pieces");
        assert_eq!(range, long[PIECE_BYTES - 5..PIECE_BYTES + 5]);
        let beyond = file.read_range(long.len() as u64 - 9, &mut range).expect_err("beyond the end");
        assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(store.list("a").expect("a list"), ["a/long", "a/short"]);
        store.remove("a").expect("it is removed");
        assert!(store.is_empty().expect("a look") && store.read("a/short").expect("a look").is_none());
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }
}
