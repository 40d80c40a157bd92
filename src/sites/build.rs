//! `crawlprefs index`: evidence and indexes to one index.
//!
//! Each segment of the evidence becomes a stream of answers; where there are several, each is an index in a temporary file
//! first, so that memory is that of one segment. All streams are merged in one pass, or, of very many, in several. An output
//! has `_index.json` last: a process that is killed leaves no index, and the next one begins anew.

use super::collect::{Collected, indexed_archive};
use super::manifest::{INDEX_FILE, IndexManifest};
use super::merge::{Merged, all_archives};
use super::read_again::IndexStream;
use super::reader::IndexReader;
use super::stream::AnswerStream;
use super::writer::write;
use crate::error::Error;
use crate::runs::{Existing, Group, Lacking, Scope, Segment, groups, pool, segment_unknown};
use crate::store::{ScratchStore, Store};
use crate::tables::site_index::{BODIES, FETCHES, INDEX_ARCHIVES};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// So many indexes are merged at once, of each of which some row groups are in memory.
const MERGED_AT_ONCE: usize = 24;

/// The file that says that an index is being written, and that what is there is ours.
const UNFINISHED: &str = "_index_unfinished";

/// How an index is made.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// The segments to take from evidence; none: all.
    pub segments: Vec<Segment>,
    /// What to do with an index that is there.
    pub existing: Existing,
    /// Whether inputs may lack archives, or parts of them.
    pub incomplete: IfIncomplete,
    /// How many workers read evidence.
    pub jobs: NonZeroUsize,
    /// About so much memory may be used for the captures of a segment; more of them are sorted in files.
    pub memory_bytes: u64,
    /// The folder for what does not fit in memory; nothing stays in it.
    pub temp_dir: PathBuf,
}

/// What to do where archives could not be read, or not all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfIncomplete {
    /// It is an error.
    #[default]
    Refuse,
    /// What there is is used.
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
    /// Returns what a folder holds: an index, else it is taken for evidence.
    ///
    /// # Errors
    /// [`Error::IndexUnreadable`].
    pub fn of(store: Arc<dyn Store>) -> Result<Self, Error> {
        let found = store.bytes(INDEX_FILE);
        let found = found.map_err(|source| Error::IndexUnreadable { location: store.location(), source })?;
        Ok(match found {
            Some(_) => Self::Index(Arc::new(IndexReader::open(store, None)?)),
            None => Self::Evidence(store),
        })
    }
}

/// Makes an index from evidence and other indexes.
///
/// # Errors
/// [`Error::NoEvidence`] and the like of an input, [`Error::SegmentUnknown`], [`Error::IndexExists`],
/// [`Error::OutputForeign`], [`Error::OutputUnwritable`], and why an input cannot be read.
pub fn index(
    inputs: Vec<IndexInput>,
    out: &dyn Store,
    options: &IndexOptions,
) -> Result<IndexManifest, Error> {
    let (mut evidence, mut streams) = (Vec::new(), Vec::<Stream<'_>>::new());
    for input in inputs {
        let location = match &input {
            IndexInput::Evidence(store) => store.location(),
            IndexInput::Index(index) => index.location(),
        };
        if location == out.location() {
            return Err(Error::IndexIsInput { location });
        }
        match input {
            IndexInput::Evidence(store) => evidence.push(store),
            IndexInput::Index(index) => streams.push((location, Box::new(IndexStream::new(index)?))),
        }
    }
    let found = if evidence.is_empty() { Vec::new() } else { groups(evidence, Scope::Segment)? };
    let chosen = chosen(found, &options.segments)?;
    check_complete(&chosen, &streams, out, options.incomplete)?;
    claim(out, options.existing)?;
    let is_alone = chosen.len() + streams.len() == 1;
    let pool = pool("index", options.jobs.get())?;
    for group in &chosen {
        let location = group.archives.first().map(|archive| archive.store().location()).unwrap_or_default();
        let collected =
            pool.install(|| Collected::new(group, &options.temp_dir, options.memory_bytes, &|| Ok(())));
        let mut collected =
            collected.map_err(|source| Error::EvidenceUnreadable { location: location.clone(), source })?;
        let stream: Box<dyn AnswerStream> =
            if is_alone { Box::new(collected) } else { Box::new(kept(&mut collected, options, &pool)?) };
        streams.push((location, stream));
    }
    while streams.len() > MERGED_AT_ONCE {
        let mut left = std::mem::take(&mut streams).into_iter().peekable();
        while left.peek().is_some() {
            let some: Vec<Stream<'_>> = left.by_ref().take(MERGED_AT_ONCE).collect();
            let location = some.first().map(|(location, _)| location.clone()).unwrap_or_default();
            streams.push((location, Box::new(kept(&mut Merged::new(some)?, options, &pool)?)));
        }
    }
    let manifest = write(&mut Merged::new(streams)?, out, &pool)?;
    out.remove(UNFINISHED).map_err(|source| Error::OutputUnwritable { location: out.location(), source })?;
    Ok(manifest)
}

/// A stream, and what it is called in errors.
type Stream<'s> = (String, Box<dyn AnswerStream + 's>);

/// Writes a stream to a temporary index; returns a stream of that.
fn kept(
    stream: &mut dyn AnswerStream,
    options: &IndexOptions,
    pool: &ThreadPool,
) -> Result<IndexStream, Error> {
    let store = ScratchStore::new(&options.temp_dir);
    let store = store.map_err(|source| Error::OutputUnwritable {
        location: options.temp_dir.display().to_string(),
        source,
    })?;
    write(stream, &store, pool)?;
    IndexStream::new(Arc::new(IndexReader::open(Arc::new(store), None)?))
}

/// Refuses inputs that lack archives, before anything is read of them.
fn check_complete(
    groups: &[Group<'_>],
    streams: &[Stream<'_>],
    out: &dyn Store,
    incomplete: IfIncomplete,
) -> Result<(), Error> {
    let of_groups = groups.iter().map(|group| {
        let location = group.archives.first().map(|archive| archive.store().location());
        (location.unwrap_or_default(), group.archives.iter().map(indexed_archive).collect::<Vec<_>>())
    });
    let of_indexes = streams.iter().map(|(location, stream)| (location.clone(), stream.archives().to_vec()));
    let mut lacking = Lacking::default();
    for archive in all_archives(of_groups.chain(of_indexes))? {
        lacking.add(&archive.warc_filename, &archive.outcome, archive.records_lost);
    }
    match (incomplete, lacking.detail("")) {
        (IfIncomplete::Refuse, Some(detail)) => Err(Error::Incomplete { location: out.location(), detail }),
        (IfIncomplete::Refuse | IfIncomplete::Use, _) => Ok(()),
    }
}

/// Returns the groups of some segments, or all.
fn chosen<'e>(found: Vec<Group<'e>>, segments: &[Segment]) -> Result<Vec<Group<'e>>, Error> {
    let known: BTreeSet<Segment> = found.iter().map(Group::key).collect();
    if let Some(unknown) = segments.iter().find(|segment| !known.contains(segment)) {
        return Err(segment_unknown(unknown, &known));
    }
    let is_chosen = |group: &Group<'e>| segments.is_empty() || segments.contains(&group.key());
    Ok(found.into_iter().filter(is_chosen).collect())
}

/// Claims the output: it is empty, or has an index that is to be replaced, or what is left of one that was not finished.
fn claim(out: &dyn Store, existing: Existing) -> Result<(), Error> {
    let unwritable = |source| Error::OutputUnwritable { location: out.location(), source };
    let has_index = out.bytes(INDEX_FILE).map_err(unwritable)?.is_some();
    if has_index && existing == Existing::Continue {
        return Err(Error::IndexExists { location: out.location() });
    }
    let is_ours = has_index || out.bytes(UNFINISHED).map_err(unwritable)?.is_some();
    if !is_ours && !out.is_empty().map_err(unwritable)? {
        return Err(Error::OutputForeign { location: out.location() });
    }
    let begin = || {
        out.put(UNFINISHED, b"")?;
        // Without it there is no index, whatever parts there are.
        let archives = format!("{}.parquet", INDEX_ARCHIVES.folder);
        [INDEX_FILE, FETCHES.folder, BODIES.folder, &archives]
            .into_iter()
            .try_for_each(|name| out.remove(name))
    };
    begin().map_err(unwritable)
}
