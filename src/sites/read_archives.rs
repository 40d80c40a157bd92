//! What is kept of the archives of layers after reading: names and segment numbers. Example: of archives 1,024 to 2,047 only
//! the segments, if no caller asked for names. Left out: how they are read (`archives`).

use crate::archive::ArchiveName;
use crate::runs::SegmentNumbers;
use crate::tables::site_index::IndexedArchive;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The archives of row groups that were read, by layer and row group.
#[derive(Default)]
pub struct ReadArchives {
    /// Their names.
    pub names: BTreeMap<(usize, usize), Arc<[String]>>,
    /// The numbers of their segments.
    pub segments: BTreeMap<(usize, usize), Arc<[u32]>>,
    numbers: SegmentNumbers,
}

impl ReadArchives {
    /// Adds the names of a row group, and the numbers of its segments.
    pub fn add_names(&mut self, group: (usize, usize), archives: &[IndexedArchive]) -> Arc<[String]> {
        self.add_segments(group, archives);
        let names: Arc<[String]> = archives.iter().map(|archive| archive.warc_filename.clone()).collect();
        self.names.insert(group, Arc::clone(&names));
        names
    }

    /// Adds the numbers of the segments of a row group.
    pub fn add_segments(&mut self, group: (usize, usize), archives: &[IndexedArchive]) -> Arc<[u32]> {
        let number = |archive: &IndexedArchive| {
            self.numbers.number(&archive.crawl, &ArchiveName::new(&archive.warc_filename))
        };
        let segments: Arc<[u32]> = archives.iter().map(number).collect();
        self.segments.insert(group, Arc::clone(&segments));
        segments
    }
}
