//! A folder in which a process ends after some changes.

use crawlprefs::store::{Claim, FolderStore, Store, StoreFile, StoredFile};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A store that fails once so many changes were made, as if the process had been killed.
pub struct Ending {
    store: FolderStore,
    left: Arc<AtomicUsize>,
}

impl Ending {
    /// Returns a folder that takes so many changes.
    pub fn after(changes: usize, folder: &Path) -> Self {
        let left = Arc::new(AtomicUsize::new(changes));
        Self {
            store: FolderStore::new(folder.to_owned()),
            left,
        }
    }

    fn spend(left: &AtomicUsize) -> io::Result<()> {
        let spent = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        spent.map(drop).map_err(|_| io::Error::other("killed"))
    }
}

/// A file of such a store.
struct EndingFile(Box<dyn StoreFile>, Arc<AtomicUsize>);

impl Write for EndingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl StoreFile for EndingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        Ending::spend(&self.1)?;
        self.0.commit()
    }
}

impl Store for Ending {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        Ok(Box::new(EndingFile(
            self.store.create(name)?,
            Arc::clone(&self.left),
        )))
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        Self::spend(&self.left)?;
        self.store.claim(name, content)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        self.store.open(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.store.list(folder)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        self.store.bytes(name)
    }

    fn is_empty(&self) -> io::Result<bool> {
        self.store.is_empty()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        Self::spend(&self.left)?;
        self.store.remove(name)
    }

    fn location(&self) -> String {
        self.store.location()
    }
}
