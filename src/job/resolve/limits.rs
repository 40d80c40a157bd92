//! What a resolve holds in memory at once.

use super::ResolveOptions;
use super::batch::MERGED_BYTES;
use crate::runs::{ArchiveGroup, default_memory_bytes, fitting};

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
    /// Returns them for all groups: half of the memory for workers and open archives, 1/4 for indexes, 1/8 for compiled files.
    pub fn new(options: &ResolveOptions, groups: &[ArchiveGroup<'_>]) -> Self {
        let bytes = options.memory_bytes.unwrap_or_else(default_memory_bytes);
        let workers = options.jobs.get().min(fitting(bytes / 2 / WORKER_BYTES));
        let index_bytes = groups
            .iter()
            .map(|group| group.site_captures() * CAPTURE_BYTES)
            .sum::<u64>();
        let indexes = fitting(bytes / 4 / index_bytes.max(1));
        let groups = if workers > 1 { indexes.min(2) } else { 1 };
        let merged = (fitting(bytes / 4 / MERGED_BYTES) / groups).max(1);
        let batches = workers.div_ceil(4).max(workers.min(2)).min(merged);
        Self {
            workers,
            groups,
            batches,
            cache_bytes: fitting(bytes / 8) / groups,
        }
    }
}
