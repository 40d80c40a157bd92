//! A folder that counts what is read of it, and lists versions as an object store does where that is wanted.

use crawlprefs::store::{Claim, FolderStore, ObjectVersion, Store, StoreFile, StoredFile};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A folder, and the names that were read.
pub struct CountedStore {
    store: FolderStore,
    asked: Mutex<Vec<String>>,
    has_tags: bool,
}

impl CountedStore {
    /// Returns a folder of which nothing was read.
    pub fn new(folder: &Path) -> Self {
        Self {
            store: FolderStore::new(folder.to_owned()),
            asked: Mutex::default(),
            has_tags: false,
        }
    }

    /// Returns a folder whose listings have versions.
    pub fn with_tags(folder: &Path) -> Self {
        Self {
            has_tags: true,
            ..Self::new(folder)
        }
    }

    fn tag(&self, content: &[u8]) -> Option<String> {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        self.has_tags.then(|| format!("{:x}", hasher.finish()))
    }

    /// Returns the names that were asked for since the last call, sorted, with what was asked: `read`, `open`, `bytes` or
    /// `list`.
    pub fn asked(&self) -> Vec<String> {
        let mut asked =
            std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        asked.sort();
        asked
    }

    fn note(&self, what: &str, name: &str) {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(format!("{what} {name}"));
    }
}

impl Store for CountedStore {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        self.store.create(name)
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        self.store.claim(name, content)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        self.note("open", name);
        self.store.open(name)
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.note("read", name);
        self.store.read(name)
    }

    fn versions(
        &self,
        folder: &str,
        names: Option<(&str, &str)>,
    ) -> io::Result<Option<Vec<ObjectVersion>>> {
        if !self.has_tags {
            return Ok(None);
        }
        self.note("versions", folder);
        let mut versions = Vec::new();
        for name in self.store.list(folder)? {
            let content = self.store.read(&name)?.unwrap_or_default();
            if names.is_none_or(|(first, last)| (first..=last).contains(&name.as_str())) {
                versions.push(ObjectVersion {
                    bytes: content.len() as u64,
                    tag: self.tag(&content),
                    name,
                });
            }
        }
        Ok(Some(versions))
    }

    fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        Ok(self
            .read(name)?
            .map(|content| (content.clone(), self.tag(&content))))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.note("list", folder);
        self.store.list(folder)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        self.note("bytes", name);
        self.store.bytes(name)
    }

    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        self.note("modified", name);
        self.store.modified_unix_ms(name)
    }

    fn is_empty(&self) -> io::Result<bool> {
        self.store.is_empty()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.store.remove(name)
    }

    fn location(&self) -> String {
        self.store.location()
    }
}
