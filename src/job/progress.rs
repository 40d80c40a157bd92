//! What a job reports while it runs, and how it is asked to stop.

use super::outcome::Scanned;
use crate::archive::ArchiveName;

/// The work ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Archives to look at, for a scan.
    pub archives: usize,
    /// Their length in bytes, where that of all is known.
    pub bytes: Option<u64>,
    /// Batches to resolve.
    pub batches: usize,
    /// Captures in them.
    pub captures: u64,
}

/// Is informed by a job, from many threads.
pub trait Progress: Sync {
    /// The work is known and begins.
    fn started(&self, plan: &Plan) {
        let _ = plan;
    }

    /// So many bytes and records more have been read.
    fn advanced(&self, bytes: u64, records: u64) {
        let _ = (bytes, records);
    }

    /// An archive was read, or its evidence was there, or it failed.
    fn archive_ended(&self, name: &ArchiveName, scanned: &Scanned) {
        let _ = (name, scanned);
    }

    /// A bug ended the work on an archive or a batch; nothing of it was written.
    fn failed(&self, name: &str, detail: &str) {
        let _ = (name, detail);
    }

    /// Returns whether the job is to stop; asked every few hundred records.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Ignores everything.
pub struct Silent;

impl Progress for Silent {}
