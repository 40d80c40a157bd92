//! A store that fails once progress asks to stop, for work that opens many files.

use super::outcome::Progress;
use crate::store::{Claim, ObjectVersion, Stopped, Store, StoreFile, StoredFile};
use std::io;

/// A store, until progress asks to stop.
#[derive(Clone, Copy)]
pub struct UntilStopped<'s> {
    store: &'s dyn Store,
    progress: &'s dyn Progress,
}

impl<'s> UntilStopped<'s> {
    /// Makes every later call fail with [`Stopped`] once progress asks to stop.
    pub fn new(store: &'s dyn Store, progress: &'s dyn Progress) -> Self {
        Self { store, progress }
    }

    fn store(&self) -> io::Result<&'s dyn Store> {
        go_on(self.progress).map(|()| self.store)
    }
}

/// Fails once progress asks to stop.
///
/// # Errors
/// [`Stopped`].
pub fn go_on(progress: &dyn Progress) -> io::Result<()> {
    if progress.should_stop() { Err(Stopped.into()) } else { Ok(()) }
}

impl Store for UntilStopped<'_> {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        self.store()?.create(name)
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        self.store()?.claim(name, content)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        self.store()?.open(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.store()?.list(folder)
    }

    fn requests(&self) -> usize {
        self.store.requests()
    }

    fn versions(&self, folder: &str, names: Option<(&str, &str)>) -> io::Result<Option<Vec<ObjectVersion>>> {
        self.store()?.versions(folder, names)
    }

    fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        self.store()?.read_version(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        self.store()?.bytes(name)
    }

    fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>> {
        self.store()?.modified_unix_ms(name)
    }

    fn is_empty(&self) -> io::Result<bool> {
        self.store()?.is_empty()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.store()?.remove(name)
    }

    fn location(&self) -> String {
        self.store.location()
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.store()?.read(name)
    }

    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.store()?.put(name, content)
    }

    fn location_of(&self, name: &str) -> String {
        self.store.location_of(name)
    }
}
