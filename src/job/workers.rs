//! The workers: each takes one archive after the other.

use super::archive::scan_archive;
use super::cores::Cores;
use super::outcome::Scanned;
use super::scan::Halt;
use super::tools::Tools;
use crate::runs::CrawlInput;
use crate::store::Stopped;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What all workers share.
pub struct Workers<'j> {
    archives: &'j [CrawlInput],
    next: AtomicUsize,
    results: Mutex<Results>,
    tools: Tools<'j>,
}

/// How the work went.
#[derive(Default)]
pub struct Results {
    /// What became of each archive.
    pub scanned: Vec<Scanned>,
    /// Archives whose reading ended in a panic, and its message.
    pub panicked: Vec<(String, String)>,
    pub stopped: bool,
    /// Why the output could not be written.
    pub error: Option<io::Error>,
}

impl<'j> Workers<'j> {
    /// Returns workers for `archives`.
    pub fn new(archives: &'j [CrawlInput], tools: Tools<'j>) -> Self {
        Self { archives, next: AtomicUsize::new(0), results: Mutex::default(), tools }
    }

    /// Works until nothing is left; every worker calls it.
    pub fn work(&self, cores: &Cores) {
        while let Some(archive) = self.take() {
            let _core = cores.take();
            // A panic is a bug of ours in reading one archive; the others are still read.
            let begun = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| scan_archive(archive, &self.tools))) {
                Ok(Ok(scanned)) => {
                    self.tools.progress.archive_ended(&archive.input.name, &scanned, begun.elapsed());
                    self.results().scanned.push(scanned);
                }
                Ok(Err(Halt::Stopped)) => self.results().stopped = true,
                Ok(Err(Halt::Write(error))) if Stopped::is_cause(&error) => self.results().stopped = true,
                Ok(Err(Halt::Write(error))) => {
                    self.results().error.get_or_insert(error);
                }
                Err(panic) => {
                    let (name, detail) = (archive.input.name.filename(), message(panic.as_ref()));
                    self.tools.progress.failed(name, &detail);
                    self.results().panicked.push((name.to_owned(), detail));
                }
            }
        }
    }

    /// Returns how the work went.
    pub fn into_results(self) -> Results {
        self.results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<&'j CrawlInput> {
        let results = self.results();
        if results.error.is_some() || results.stopped {
            return None;
        }
        drop(results);
        if self.tools.progress.should_stop() {
            self.results().stopped |= self.next.load(Ordering::Relaxed) < self.archives.len();
            return None;
        }
        let archive = self.archives.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        archive.input.source.refusal().is_none().then_some(archive)
    }

    fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}
