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
    pub fn new(store: &'s dyn Store, progress: &'s dyn Progress) -> Self {
        Self { store, progress }
    }

    fn store(&self) -> io::Result<&'s dyn Store> {
        go_on(self.progress).map(|()| self.store)
    }
}

/// Fails with [`Stopped`] once progress asks to stop.
pub fn go_on(progress: &dyn Progress) -> io::Result<()> {
    if progress.should_stop() {
        Err(Stopped.into())
    } else {
        Ok(())
    }
}

/// Methods of a trait that call the same method of another value.
macro_rules! forward {
    ($to:expr => $(fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) -> $returns:ty;)+) => {
        $(fn $name(&$self $(, $argument: $type)*) -> $returns {
            $to.$name($($argument),*)
        })+
    };
}
pub(super) use forward;

impl Store for UntilStopped<'_> {
    forward! { self.store()? =>
        fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>>;
        fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim>;
        fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>>;
        fn list(&self, folder: &str) -> io::Result<Vec<String>>;
        fn versions(&self, folder: &str, names: Option<(&str, &str)>) -> io::Result<Option<Vec<ObjectVersion>>>;
        fn read_version(&self, name: &str) -> io::Result<Option<(Vec<u8>, Option<String>)>>;
        fn bytes(&self, name: &str) -> io::Result<Option<u64>>;
        fn modified_unix_ms(&self, name: &str) -> io::Result<Option<i64>>;
        fn is_empty(&self) -> io::Result<bool>;
        fn remove(&self, name: &str) -> io::Result<()>;
        fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;
        fn put(&self, name: &str, content: &[u8]) -> io::Result<()>;
    }
    forward! { self.store =>
        fn requests(&self) -> usize;
        fn location(&self) -> String;
        fn location_of(&self, name: &str) -> String;
    }
}
