//! An archive with the crawl and the segment that it belongs to.
//!
//! Example: `crawl-data/CC-MAIN-2026-34/segments/17.1/warc/CC-MAIN-...-00003.warc.gz` belongs to segment `17.1` of that crawl.

use crate::archive::Input;
use crate::error::Error;
use crate::tables::archives::Design;
use std::collections::BTreeSet;

/// An archive to read, and the crawl that it belongs to, which is a partition of the tables.
#[derive(Clone, Debug)]
pub struct CrawlInput {
    pub crawl: String,
    /// The archive.
    pub input: Input,
    /// The list that it is from, if a part of the list was chosen.
    pub design: Option<Design>,
}

/// A segment of a crawl; `None` is all inputs without one.
pub type Segment = Option<(String, String)>;

impl CrawlInput {
    pub fn segment(&self) -> Segment {
        Some((self.crawl.clone(), self.input.name.segment()?.to_owned()))
    }
}

/// Returns the error for a segment without evidence; it names some segments that have evidence.
pub fn segment_unknown(wanted: &Segment, known: &BTreeSet<Segment>) -> Error {
    const SHOWN: usize = 3;
    let name = |(crawl, segment): &(String, String)| format!("{crawl}/{segment}");
    let mut found: Vec<String> = known.iter().flatten().take(SHOWN).map(name).collect();
    let more = known.iter().flatten().count() - found.len();
    match more {
        0 if found.is_empty() => found.push("none".to_owned()),
        0 => {}
        _ => found.push(format!("and {more} more")),
    }
    let segment = wanted.as_ref().map_or_else(|| "other".to_owned(), name);
    Error::SegmentUnknown { segment, found: found.join(", ") }
}
