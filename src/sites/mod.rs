//! The site index: the site files of each origin over time, in a few Parquet files that anyone can publish, merge and query.
//!
//! Input: evidence, or other indexes. Output: `_index.json`, and parts of `fetches` and `bodies` by ranges of hosts
//! ([`tables::site_index`](crate::tables::site_index)). `judge` and `explain` give the same answers with an index as with
//! evidence. Nothing in it is interpreted. Left out: signals in pages themselves.

mod archives;
mod bodies;
mod build;
mod claim;
mod collect;
mod find;
mod inputs;
mod lacking;
mod layers;
mod load;
mod manifest;
mod merge;
mod parts;
mod read_again;
mod read_archives;
mod reader;
mod sorted;
mod stream;
mod writer;

#[doc(hidden)]
pub use bodies::LoadedBodies;
pub use build::{IndexMade, index};
#[doc(hidden)]
pub use build::{IndexStep, IndexWatch};
pub use inputs::{IfIncomplete, IndexInput, IndexOptions, OldParts};
#[doc(hidden)]
pub use layers::SiteLayers;
#[doc(hidden)]
pub use load::{KeptGroups, LoadedFetches, answer, extent, order};
#[doc(hidden)]
pub use manifest::{
    ArchivePart, BodyPart, FetchGroup, FetchPart, HostKey, INDEX_FILE, IndexManifest, IndexedCrawl,
};
#[doc(hidden)]
pub use reader::{GroupPlace, IndexReader};
