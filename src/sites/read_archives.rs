//! The names of archives that were read and the numbers of their segments, or the numbers alone if no caller asked for names.

use crate::archive::ArchiveName;
use crate::runs::SegmentNumbers;
use crate::tables::site_index::IndexedArchive;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of archives and the numbers of their segments, by layer and row group.
#[derive(Default)]
pub struct ReadArchives {
    pub names: BTreeMap<(usize, usize), Arc<[String]>>,
    pub segments: BTreeMap<(usize, usize), Arc<[u32]>>,
    numbers: SegmentNumbers,
}

impl ReadArchives {
    /// Adds the names of a row group, and the numbers of its segments.
    pub fn add_names(
        &mut self,
        group: (usize, usize),
        archives: &[IndexedArchive],
    ) -> Arc<[String]> {
        self.add_segments(group, archives);
        let names: Arc<[String]> = archives
            .iter()
            .map(|archive| archive.warc_filename.clone())
            .collect();
        self.names.insert(group, Arc::clone(&names));
        names
    }

    pub fn add_segments(
        &mut self,
        group: (usize, usize),
        archives: &[IndexedArchive],
    ) -> Arc<[u32]> {
        let number = |archive: &IndexedArchive| {
            self.numbers
                .number(&archive.crawl, &ArchiveName::new(&archive.warc_filename))
        };
        let segments: Arc<[u32]> = archives.iter().map(number).collect();
        self.segments.insert(group, Arc::clone(&segments));
        segments
    }
}
