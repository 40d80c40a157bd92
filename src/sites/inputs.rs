//! What an index is made of: evidence, other indexes, and the archives of both.

use super::collect::{indexed_archive, location_of};
use super::manifest::{INDEX_FILE, IndexManifest};
use super::merge::{Differing, all_archives, is_among};
use super::read_again::answers;
use super::reader::IndexReader;
use super::stream::AnswerStream;
use super::writer::crawls;
use crate::archive::CrawlId;
use crate::error::Error;
use crate::runs::{ArchiveGroup, Existing, Segment, segment_unknown};
use crate::store::{Store, is_same_place};
use crate::tables::site_index::IndexedArchive;
use itertools::Itertools;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError};

/// The most crawls that an error about a missing one names; any number of this size.
const NAMED: usize = 10;

/// How an index is made.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// The segments to take from evidence; empty: all.
    pub segments: Vec<Segment>,
    /// The crawls that are left out.
    pub without: Vec<String>,
    /// What to do with an old index that was made of other archives.
    pub existing: Existing,
    /// What happens to the parts of an index that is replaced.
    pub old_parts: OldParts,
    /// Whether inputs may lack archives, or parts of them.
    pub incomplete: IfIncomplete,
    /// How many workers read evidence.
    pub jobs: NonZeroUsize,
    /// About the most memory for the captures of a segment; more are sorted in files.
    pub memory_bytes: u64,
}

/// What to do if some archives could not be read, or only in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfIncomplete {
    /// It is an error.
    #[default]
    Refuse,
    /// The index is made of the archives that exist.
    Use,
}

/// What an index is made from.
pub enum IndexInput {
    /// A folder that `scan` or `run` wrote.
    Evidence(Arc<dyn Store>),
    /// Another index.
    Index(Arc<IndexReader>),
}

impl IndexInput {
    /// Opens a folder: as an index if it has one, else as evidence.
    ///
    /// # Errors
    /// [`Error::IndexUnreadable`].
    pub fn open(store: Arc<dyn Store>) -> Result<Self, Error> {
        let found = store.bytes(INDEX_FILE);
        let found = found.map_err(|source| Error::IndexUnreadable {
            location: store.location(),
            source,
        })?;
        Ok(match found {
            Some(_) => Self::Index(Arc::new(IndexReader::open(store, None)?)),
            None => Self::Evidence(store),
        })
    }
}

/// What happens to the parts of an index that is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldParts {
    /// They are removed after the switch.
    #[default]
    Remove,
    /// They stay for readers that are still at work; the next call removes them.
    Keep,
}

/// Evidence and the streams of indexes, and the archives that indexes name as differing.
pub struct Inputs {
    pub evidence: Vec<Arc<dyn Store>>,
    pub streams: Vec<AnswerStream<'static>>,
    pub differing: Differing,
}

impl Inputs {
    pub fn new(
        inputs: Vec<IndexInput>,
        out: &dyn Store,
        options: &IndexOptions,
    ) -> Result<Self, Error> {
        let (mut evidence, mut streams) = (Vec::new(), Vec::new());
        let differing = Differing::default();
        for input in inputs {
            let store: &dyn Store = match &input {
                IndexInput::Evidence(store) => &**store,
                IndexInput::Index(index) => index.store(),
            };
            if is_same_place(store, out) {
                return Err(Error::IndexIsInput {
                    location: store.location(),
                });
            }
            match input {
                IndexInput::Evidence(store) => evidence.push(store),
                IndexInput::Index(index) => {
                    let known = index
                        .manifest
                        .differing
                        .iter()
                        .filter(|(crawl, _)| !is_among(&options.without, crawl));
                    differing
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(known.cloned());
                    streams.push(answers(index)?);
                }
            }
        }
        Ok(Self {
            evidence,
            streams,
            differing,
        })
    }
}

pub fn archives_of(
    groups: &[ArchiveGroup<'_>],
    streams: &[AnswerStream<'_>],
    without: &[String],
) -> Result<Vec<IndexedArchive>, Error> {
    let of_group = |group: &ArchiveGroup<'_>| {
        (
            location_of(group),
            group.archives.iter().map(indexed_archive).collect(),
        )
    };
    let of_indexes = streams.iter().map(AnswerStream::named_archives);
    all_archives(groups.iter().map(of_group).chain(of_indexes), without)
}

/// Whether inputs have archives in common, given how many there are.
pub fn are_shared(
    groups: &[ArchiveGroup<'_>],
    streams: &[AnswerStream<'_>],
    archives: usize,
) -> bool {
    let of_groups: usize = groups.iter().map(|group| group.archives.len()).sum();
    of_groups
        + streams
            .iter()
            .map(|stream| stream.archives.len())
            .sum::<usize>()
        > archives
}

/// Refuses to leave out a crawl that no input has.
pub fn check_crawls(
    groups: &[ArchiveGroup<'_>],
    streams: &[AnswerStream<'_>],
    without: &[String],
) -> Result<(), Error> {
    if without.is_empty() {
        return Ok(());
    }
    let of_groups = groups
        .iter()
        .flat_map(|group| &group.archives)
        .map(|archive| &archive.manifest.crawl);
    let of_streams = streams
        .iter()
        .flat_map(|stream| &stream.archives)
        .map(|archive| &archive.crawl);
    let known: BTreeSet<&str> = of_groups.chain(of_streams).map(CrawlId::as_str).collect();
    let Some(unknown) = without.iter().find(|crawl| !known.contains(crawl.as_str())) else {
        return Ok(());
    };
    Err(Error::SegmentUnknown {
        segment: unknown.clone(),
        found: known.iter().take(NAMED).join(", "),
    })
}

pub fn check_complete(
    archives: &[IndexedArchive],
    out: &dyn Store,
    incomplete: IfIncomplete,
) -> Result<(), Error> {
    match (
        incomplete,
        IndexManifest::lacking_of(&crawls(archives)).detail(""),
    ) {
        (IfIncomplete::Refuse, Some(detail)) => Err(Error::Incomplete {
            location: out.location(),
            detail,
        }),
        (IfIncomplete::Refuse | IfIncomplete::Use, _) => Ok(()),
    }
}

pub fn chosen<'e>(
    found: Vec<ArchiveGroup<'e>>,
    segments: &[Segment],
) -> Result<Vec<ArchiveGroup<'e>>, Error> {
    let known: BTreeSet<Segment> = found.iter().map(ArchiveGroup::key).collect();
    if let Some(unknown) = segments.iter().find(|segment| !known.contains(segment)) {
        return Err(segment_unknown(unknown, &known));
    }
    let is_chosen =
        |group: &ArchiveGroup<'e>| segments.is_empty() || segments.contains(&group.key());
    Ok(found.into_iter().filter(is_chosen).collect())
}
