//! An archive with the crawl and the segment that it counts to.
//!
//! Example: `crawl-data/CC-MAIN-2026-34/segments/17.1/warc/CC-MAIN-...-00003.warc.gz` is of the crawl `CC-MAIN-2026-34` and
//! of its segment `17.1`.

use crate::archive::Input;

/// An archive to read, and the crawl that it counts to, which is a partition of the tables.
#[derive(Clone, Debug)]
pub struct CrawlInput {
    /// The crawl.
    pub crawl: String,
    /// The archive.
    pub input: Input,
}

/// A segment of a crawl; `None` is all inputs without one.
pub type Segment = Option<(String, String)>;

impl CrawlInput {
    /// Returns the segment that it is of.
    #[must_use]
    pub fn segment(&self) -> Segment {
        Some((self.crawl.clone(), self.input.name.segment()?.to_owned()))
    }
}
