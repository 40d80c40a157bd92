//! What a job tells while it runs, and how it is told to stop.

use super::manifest::Manifest;
use crate::archive::ArchiveName;
use crate::tables::archives::ArchiveRow;

/// The work ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Batches in all.
    pub batches: usize,
    /// Of these, finished by an earlier call.
    pub finished_batches: usize,
    /// Archives to read now.
    pub archives: usize,
    /// Their length in bytes, where all of them tell it.
    pub bytes: Option<u64>,
}

/// Listens to a job. It is called from many threads.
pub trait Progress: Sync {
    /// The work is known and begins.
    fn started(&self, plan: &Plan) {
        let _ = plan;
    }

    /// So many bytes and records more have been read.
    fn advanced(&self, bytes: u64, records: u64) {
        let _ = (bytes, records);
    }

    /// An archive has been read, or could not be.
    fn archive_ended(&self, name: &ArchiveName, row: &ArchiveRow) {
        let _ = (name, row);
    }

    /// A batch is whole.
    fn batch_ended(&self, manifest: &Manifest) {
        let _ = manifest;
    }

    /// A batch was given up because of a bug; its parts are not there.
    fn batch_failed(&self, batch: &str, detail: &str) {
        let _ = (batch, detail);
    }

    /// Tells whether the job is to stop; asked every few hundred records.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Listens to nothing.
pub struct Silent;

impl Progress for Silent {}
