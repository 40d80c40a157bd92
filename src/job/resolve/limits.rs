//! How much of the work is held at once, given the memory that may be used.
//!
//! Example: 4 GiB are enough for 32 workers, and for indexes of 3.5 million captures of site files.

use super::ResolveOptions;
use super::batch::MERGED_BYTES;
use crate::runs::{Group, default_memory_bytes};

/// What may be held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub workers: usize,
    pub groups: usize,
    /// Batches of one group.
    pub batches: usize,
    /// Bytes of compiled site files of one group.
    pub cache_bytes: usize,
}

/// What a worker needs: the captures and rows of its slices, and a share of the parts' row groups.
const WORKER_BYTES: u64 = 64 << 20;
/// What a capture of a site file needs in an index, with its URL and its body's place.
const CAPTURE_BYTES: u64 = 300;

impl Limits {
    /// Returns them for some groups: half of the memory for workers and open archives, 1/4 for indexes, 1/8 for compiled files.
    pub fn new(options: &ResolveOptions, groups: &[Group<'_>]) -> Self {
        let bytes = options.memory_bytes.unwrap_or_else(default_memory_bytes);
        let count = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
        let workers = options.jobs.get().min(count(bytes / 2 / WORKER_BYTES));
        let index_bytes = groups.iter().map(|group| group.site_captures() * CAPTURE_BYTES).max();
        let fitting = count(bytes / 4 / index_bytes.unwrap_or_default().max(1));
        let groups = if workers > 1 { fitting.min(2) } else { 1 };
        let merged = (count(bytes / 4 / MERGED_BYTES) / groups).max(1);
        let batches = workers.div_ceil(4).max(workers.min(2)).min(merged);
        Self { workers, groups, batches, cache_bytes: count(bytes / 8) / groups }
    }
}
