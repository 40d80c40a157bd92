//! What became of an archive in a scan.
//!
//! Also what a job reports while it runs, and how it is asked to stop.

use crate::archive::ArchiveName;
use crate::runs::{CrawlInput, Fingerprint, Manifest};
use crate::tables::archives::ArchiveRow;
use serde::Serialize;
use std::time::Duration;

/// The outcome of an archive that is not the one that the evidence is from.
pub const CHANGED: &str = "changed";

/// What became of an archive.
#[non_exhaustive]
pub struct Scanned {
    /// What is known of it; `None` if that cannot be read.
    pub manifest: Option<Box<Manifest>>,
    /// Whether this call has read it.
    pub when: When,
    /// Why this call could not read it, if there is other evidence of it.
    pub failed: Option<FailedInput>,
}

/// When the evidence was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// By this call.
    Now,
    /// By an earlier one.
    Earlier,
}

impl Scanned {
    pub(super) fn now(manifest: Box<Manifest>) -> Self {
        Self {
            manifest: Some(manifest),
            when: When::Now,
            failed: None,
        }
    }

    pub(super) fn kept(manifest: Option<Box<Manifest>>, failed: Option<FailedInput>) -> Self {
        Self {
            manifest,
            when: When::Earlier,
            failed,
        }
    }
}

/// An input that could not be read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FailedInput {
    /// Its name.
    pub warc_filename: String,
    /// What became of it, see the table `archives`; `changed`: it is not the archive that the evidence is from.
    pub outcome: &'static str,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether another attempt may succeed.
    pub retry: bool,
}

impl FailedInput {
    /// Returns what became of an archive, by its row, with the host or bucket of the archive. The table `archives` has no
    /// hosts, so that its bytes are the same everywhere.
    pub fn new(archive: &CrawlInput, row: &ArchiveRow) -> Self {
        let mut failed = Self::of_row(archive.input.name.filename(), row);
        let source = &archive.input.source;
        let location = source.location();
        if let Some((scheme, rest)) = location.split_once("://").filter(|_| source.is_remote()) {
            let authority = rest.split('/').next().unwrap_or(rest);
            let name = authority.split(':').next().unwrap_or(authority);
            let is_web = scheme.starts_with("http");
            let host = if is_web {
                authority.to_owned()
            } else {
                format!("{scheme}://{authority}")
            };
            failed.detail = Some(match failed.detail {
                Some(detail) if detail.contains(name) => detail,
                Some(detail) if !detail.is_empty() => format!("{host}: {detail}"),
                Some(_) | None => host,
            });
        }
        failed
    }

    /// An archive that is not the one that the evidence is from.
    pub fn changed(archive: &CrawlInput, earlier: &Fingerprint, bytes: u64) -> Self {
        let known = if bytes == earlier.bytes {
            "as long as that of the evidence, with other bytes".to_owned()
        } else {
            format!("the evidence is of one of {} bytes", earlier.bytes)
        };
        let detail = format!(
            "found another file of {bytes} bytes, {known}; to read it instead: crawlprefs scan ARCHIVE -o OUT --again changed; or give --base, for longer names"
        );
        Self::other(archive, detail)
    }

    /// A copy of a damaged archive in which more records are lost than before.
    pub fn worse(archive: &CrawlInput, lost: u64, before: u64) -> Self {
        let detail = format!(
            "found a copy in which {lost} records are lost, the evidence is of one in which {before} are, and stays as it is; \
             to replace it: crawlprefs scan ARCHIVE -o OUT --again {}",
            archive.input.name.filename()
        );
        Self::other(archive, detail)
    }

    fn other(archive: &CrawlInput, detail: String) -> Self {
        let warc_filename = archive.input.name.filename().to_owned();
        Self {
            warc_filename,
            outcome: CHANGED,
            detail: Some(detail),
            retry: false,
        }
    }

    /// What became of the archive called `name`, by its row.
    pub fn of_row(name: &str, row: &ArchiveRow) -> Self {
        Self {
            warc_filename: name.to_owned(),
            outcome: row.outcome.as_str(),
            detail: row.detail.clone(),
            retry: row.outcome.may_be_retried(),
        }
    }
}

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
    fn started(&self, _plan: &Plan) {}

    /// Further bytes and records, or captures when resolving, have been read.
    fn advanced(&self, _bytes: u64, _records: u64) {}

    /// An archive was read, or its evidence existed, or it failed; and how long that took.
    fn archive_ended(&self, _name: &ArchiveName, _scanned: &Scanned, _took: Duration) {}

    /// The tables of a batch were written: the number of its captures, and how long it took.
    fn batch_resolved(&self, _name: &str, _captures: u64, _took: Duration) {}

    /// A bug ended the work on an archive or a batch; nothing of it was written.
    fn failed(&self, _name: &str, _detail: &str) {}

    /// Something else that a person may want to know, of this kind, in a sentence; the work goes on.
    fn noted(&self, _kind: &'static str, _detail: &str) {}

    /// Whether the job is to stop; asked every few hundred records.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Ignores everything.
pub struct Silent;

impl Progress for Silent {}
