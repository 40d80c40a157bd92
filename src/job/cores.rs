//! How many workers compute at once when more of them wait for a network.
//!
//! Example: with `--jobs 2 --downloads 8`, eight archives are open, and a reader that has received bytes needs a core to go on.
//! A core is given back while a read waits, but not while a write waits, because writes are few.

use super::lock;
use super::until_stopped::forward;
use crate::archive::ArchiveSource;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The cores that are free.
pub struct Cores {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A core, which is given back when it is dropped.
pub struct Core<'c>(&'c Cores);

impl Cores {
    pub fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    /// Waits for a core.
    pub fn take(&self) -> Core<'_> {
        self.occupy();
        Core(self)
    }

    fn occupy(&self) {
        let free = self.freed.wait_while(lock(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
    }

    fn vacate(&self) {
        *lock(&self.free) += 1;
        self.freed.notify_one();
    }
}

impl Drop for Core<'_> {
    fn drop(&mut self) {
        self.0.vacate();
    }
}

/// A core that others may use until this is dropped.
struct LentCore<'c>(&'c Cores);

impl<'c> LentCore<'c> {
    fn new(cores: &'c Cores) -> Self {
        cores.vacate();
        Self(cores)
    }
}

impl Drop for LentCore<'_> {
    fn drop(&mut self) {
        self.0.occupy();
    }
}

/// A source or a reader that gives its core back while it waits.
pub struct Waiting<S> {
    pub inner: S,
    pub cores: Arc<Cores>,
}

impl ArchiveSource for Waiting<Arc<dyn ArchiveSource>> {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let _lent = LentCore::new(&self.cores);
        Ok(Box::new(Waiting {
            inner: self.inner.open()?,
            cores: Arc::clone(&self.cores),
        }))
    }

    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        let _lent = LentCore::new(&self.cores);
        self.inner.range(offset, bytes)
    }

    fn end(&self, bytes: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let _lent = LentCore::new(&self.cores);
        self.inner.end(bytes)
    }

    forward! { self.inner =>
        fn bytes(&self) -> Option<u64>;
        fn modified_unix_ms(&self) -> Option<i64>;
        fn version(&self) -> Option<String>;
        fn listed_version(&self) -> Option<String>;
        fn is_remote(&self) -> bool;
        fn refusal(&self) -> Option<String>;
        fn left_alone(&self) -> Option<String>;
        fn location(&self) -> String;
    }
}

impl Read for Waiting<Box<dyn Read + Send>> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let _lent = LentCore::new(&self.cores);
        self.inner.read(buffer)
    }
}
