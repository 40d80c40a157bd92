//! `crawlprefs index`: evidence and indexes to one index.
//!
//! Each segment of the evidence becomes a stream of answers; where there are several, each is an index in a temporary file
//! first, so that memory is that of one segment. All streams are merged in one pass, or, of very many, in several. An index that is
//! there is replaced at once: parts have the names of their digests, `_index.json` is written last, and then parts are removed that
//! it does not name. Who reads meanwhile, or after a kill at any place, has the old or the new one.

use super::claim::Claimed;
use super::collect::{Collected, indexed_archive};
use super::manifest::{INDEX_FILE, IndexManifest};
use super::merge::{Merged, all_archives};
use super::read_again::IndexStream;
use super::reader::IndexReader;
use super::stream::AnswerStream;
use super::writer::write;
use crate::error::Error;
use crate::runs::{Existing, Group, Lacking, Scope, Segment, groups, pool, segment_unknown, write_json};
use crate::store::{Claim, ScratchStore, Store};
use crate::tables::site_index::{BODIES, FETCHES, INDEX_ARCHIVES, IndexedArchive};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// So many indexes are merged at once, of each of which some row groups are in memory.
const MERGED_AT_ONCE: usize = 24;

/// How an index is made.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// The segments to take from evidence; none: all.
    pub segments: Vec<Segment>,
    /// What to do with an index that is there, and was made of other archives.
    pub existing: Existing,
    /// What becomes of the parts of an index that is replaced.
    pub old_parts: OldParts,
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
    out: &Arc<dyn Store>,
    options: &IndexOptions,
) -> Result<IndexMade, Error> {
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
    let archives = archives_of(&chosen, &streams)?;
    check_complete(&archives, &**out, options.incomplete)?;
    let old = OldIndex::of(&**out)?;
    if let (Existing::Continue, Some(old)) = (options.existing, &old) {
        let has_all = |index: IndexReader| index.archives().is_ok_and(|known| known == archives);
        return match &old.manifest {
            Some(manifest) if IndexReader::open(Arc::clone(out), None).is_ok_and(has_all) => {
                Ok(IndexMade { manifest: manifest.clone(), is_new: false })
            }
            Some(_) | None => Err(Error::IndexExists { location: out.location() }),
        };
    }
    let output = IndexOutput::claim(&**out, old.as_ref())?;
    let is_alone = chosen.len() + streams.len() == 1;
    let pool = pool("index", options.jobs.get())?;
    for group in &chosen {
        let location = group.archives.first().map(|archive| archive.store().location()).unwrap_or_default();
        let collected = pool.install(|| {
            Collected::new(group, &options.temp_dir, options.memory_bytes, &|| output.claimed.go_on())
        });
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
    let manifest = write(&mut Merged::new(streams)?, &**out, &pool)?;
    let switched = output.switch(&manifest, options.old_parts);
    switched.map_err(|source| Error::OutputUnwritable { location: out.location(), source })?;
    Ok(IndexMade { manifest, is_new: true })
}

/// An index that was asked for.
#[non_exhaustive]
pub struct IndexMade {
    /// What it holds.
    pub manifest: IndexManifest,
    /// Whether it was written; else it was there, made of the same archives.
    pub is_new: bool,
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
    let manifest = write(stream, &store, pool)?;
    let written = write_json(&store, INDEX_FILE, &manifest);
    written.map_err(|source| Error::OutputUnwritable { location: store.location(), source })?;
    IndexStream::new(Arc::new(IndexReader::open(Arc::new(store), None)?))
}

/// Returns the archives of inputs, before anything is read of these.
fn archives_of(groups: &[Group<'_>], streams: &[Stream<'_>]) -> Result<Vec<IndexedArchive>, Error> {
    let of_groups = groups.iter().map(|group| {
        let location = group.archives.first().map(|archive| archive.store().location());
        (location.unwrap_or_default(), group.archives.iter().map(indexed_archive).collect::<Vec<_>>())
    });
    let of_indexes = streams.iter().map(|(location, stream)| (location.clone(), stream.archives().to_vec()));
    all_archives(of_groups.chain(of_indexes))
}

/// Refuses archives that could not be read, or not all of them.
fn check_complete(
    archives: &[IndexedArchive],
    out: &dyn Store,
    incomplete: IfIncomplete,
) -> Result<(), Error> {
    let mut lacking = Lacking::default();
    for archive in archives {
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

/// What becomes of the parts of an index that is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldParts {
    /// They are removed behind the switch.
    #[default]
    Remove,
    /// They stay, for readers that are still at work; the next call removes them.
    Keep,
}

/// A folder for an index, and the index that it has.
struct IndexOutput<'s> {
    store: &'s dyn Store,
    claimed: Claimed<'s>,
    old: Vec<String>,
}

impl<'s> IndexOutput<'s> {
    /// Claims a folder: it is empty, or has an index that is to be replaced, or what is left of one that was not finished.
    fn claim(store: &'s dyn Store, old: Option<&OldIndex>) -> Result<Self, Error> {
        let unwritable = |source| Error::OutputUnwritable { location: store.location(), source };
        let was_empty = store.is_empty().map_err(unwritable)?;
        let (claimed, found) = Claimed::new(store)?;
        if old.is_none() && found == Claim::Created && !was_empty {
            claimed.release().map_err(unwritable)?;
            return Err(Error::OutputForeign { location: store.location() });
        }
        let old = old.and_then(|old| old.manifest.as_ref());
        let old = old.into_iter().flat_map(IndexManifest::parts).map(|part| part.file.clone()).collect();
        Ok(Self { store, claimed, old })
    }

    /// Switches to the index that was written, and removes parts that no index names.
    fn switch(self, manifest: &IndexManifest, old_parts: OldParts) -> io::Result<()> {
        self.claimed.check()?;
        write_json(self.store, INDEX_FILE, manifest)?;
        let mut named: BTreeSet<&str> = manifest.parts().map(|part| part.file.as_str()).collect();
        match old_parts {
            OldParts::Keep => named.extend(self.old.iter().map(String::as_str)),
            OldParts::Remove => {}
        }
        for table in [&FETCHES, &BODIES, &INDEX_ARCHIVES] {
            for file in self.store.list(table.folder)? {
                if !named.contains(file.as_str()) {
                    self.store.remove(&file)?;
                }
            }
        }
        self.claimed.release()
    }
}

/// An index that a folder has.
struct OldIndex {
    /// What it holds; `None`: it cannot be read, or is of another version, and is replaced like any other.
    manifest: Option<IndexManifest>,
}

impl OldIndex {
    fn of(out: &dyn Store) -> Result<Option<Self>, Error> {
        let found = out.read(INDEX_FILE);
        let found = found.map_err(|source| Error::OutputUnwritable { location: out.location(), source })?;
        Ok(found.map(|bytes| Self { manifest: IndexManifest::read(&bytes).ok() }))
    }
}
