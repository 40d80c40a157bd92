//! What a job reports while it runs, and how it is asked to stop.

use super::outcome::Scanned;
use crate::archive::ArchiveName;
use serde::Serialize;
use std::time::Duration;

/// The work ahead, in reports and events under the key `work`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "work", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Plan {
    /// Archives are scanned.
    Scan {
        /// How many.
        archives: usize,
        /// Their total length in bytes, if all lengths are known.
        #[serde(rename = "total_bytes")]
        bytes: Option<u64>,
    },
    /// Evidence is resolved.
    Resolve {
        /// The batches that are not finished yet.
        batches: usize,
        /// The captures in them.
        #[serde(rename = "total_captures")]
        captures: u64,
    },
    /// Captures are put into a site index.
    Index {
        /// The segments and indexes that are read.
        inputs: usize,
        /// The captures to write; those in several inputs, and those that are sorted first, count twice.
        #[serde(rename = "total_captures")]
        captures: u64,
    },
}

/// Receives reports from a job, from many threads.
pub trait Progress: Sync {
    /// The work is known and begins.
    fn started(&self, plan: &Plan) {
        let _ = plan;
    }

    /// Further bytes and records, or captures when resolving, have been read.
    fn advanced(&self, bytes: u64, records: u64) {
        let _ = (bytes, records);
    }

    /// An archive was read, or its evidence existed, or it failed; and how long that took.
    fn archive_ended(&self, name: &ArchiveName, scanned: &Scanned, took: Duration) {
        let _ = (name, scanned, took);
    }

    /// The tables of a batch were written: the number of its captures, and how long it took.
    fn batch_resolved(&self, name: &str, captures: u64, took: Duration) {
        let _ = (name, captures, took);
    }

    /// A bug ended the work on an archive or a batch; nothing of it was written.
    fn failed(&self, name: &str, detail: &str) {
        let _ = (name, detail);
    }

    /// Something else that a person may want to know, of this kind, in a sentence; the work goes on.
    fn noted(&self, kind: &'static str, detail: &str) {
        let _ = (kind, detail);
    }

    /// Whether the job is to stop; asked every few hundred records.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Ignores everything.
pub struct Silent;

impl Progress for Silent {}
