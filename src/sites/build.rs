//! `crawlprefs index`: evidence and indexes to one index.
//!
//! Each segment of the evidence becomes a stream of answers; if there are several, each first becomes an index in a temporary
//! file, so that memory is that of one segment. All streams are merged in one pass, or, if very many, in several. An old index
//! is replaced at once: parts have the names of their digests, `_index.json` is written last, and then parts that it does not
//! name are removed. A reader meanwhile, or after a kill at any point, has the old index or the new one.

use super::claim::Claimed;
use super::collect::{collected, location_of};
use super::inputs::{
    IndexInput, IndexOptions, Inputs, OldParts, archives_of, are_shared, check_complete,
    check_crawls, chosen,
};
use super::manifest::{INDEX_FILE, IndexManifest};
use super::merge::{Differing, is_among, merged};
use super::read_again::answers;
use super::reader::IndexReader;
use super::stream::AnswerStream;
use super::writer::write;
use crate::error::Error;
use crate::runs::{
    ArchiveEvidence, ArchiveGroup, Existing, groups, join_originals, pool, write_json,
};
use crate::store::{Claim, ScratchStore, Stopped, Store};
use crate::tables::site_index::{BODIES, FETCHES, INDEX_ARCHIVES};
use data_encoding::HEXLOWER;
use rayon::ThreadPool;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, PoisonError};

/// The most indexes that are merged at once; some row groups of each are in memory.
const MERGED_AT_ONCE: usize = 24;

/// A report of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStep {
    /// The work begins.
    Begun {
        /// The number of segments of evidence and of indexes that are read.
        inputs: usize,
        /// The number of captures that will be written; those of several inputs, and those that are sorted first, count twice.
        captures: u64,
    },
    /// The number of captures written since the last report.
    Written(u64),
}

/// Receives each step; returns whether to continue.
pub type IndexWatch<'w> = dyn Fn(IndexStep) -> bool + Sync + 'w;

/// Makes an index from evidence and other indexes; `None` if it was stopped: the folder then keeps its old index.
///
/// # Errors
/// [`Error::NoEvidence`] and the like of an input, [`Error::SegmentUnknown`], [`Error::IndexExists`],
/// [`Error::OutputForeign`], [`Error::OutputUnwritable`], and why an input cannot be read.
pub fn index(
    inputs: Vec<IndexInput>,
    out: &Arc<dyn Store>,
    options: &IndexOptions,
    watch: &IndexWatch<'_>,
) -> Result<Option<IndexMade>, Error> {
    match made(inputs, out, options, watch) {
        Err(_) if !watch(IndexStep::Written(0)) => Ok(None),
        made => made.map(Some),
    }
}

fn made(
    inputs: Vec<IndexInput>,
    out: &Arc<dyn Store>,
    options: &IndexOptions,
    watch: &IndexWatch<'_>,
) -> Result<IndexMade, Error> {
    let Inputs {
        evidence,
        streams,
        differing,
    } = Inputs::new(inputs, &**out, options)?;
    let found = if evidence.is_empty() {
        Vec::new()
    } else {
        groups(evidence)?
    };
    let mut chosen = chosen(found, &options.segments)?;
    check_crawls(&chosen, &streams, &options.without)?;
    let is_left =
        |archive: &ArchiveEvidence<'_>| !is_among(&options.without, &archive.manifest.crawl);
    chosen.retain(|group| group.archives.iter().any(is_left));
    let archives = archives_of(&chosen, &streams, &options.without)?;
    let all: Vec<&ArchiveEvidence<'_>> = chosen.iter().flat_map(|group| &group.archives).collect();
    let unreadable = |source| Error::EvidenceUnreadable {
        location: chosen.first().map(location_of).unwrap_or_default(),
        source,
    };
    join_originals(&all, None).map_err(unreadable)?;
    check_complete(&archives, &**out, options.incomplete)?;
    let old = out.read(INDEX_FILE);
    let old = old.map_err(|source| Error::OutputUnwritable {
        location: out.location(),
        source,
    })?;
    // One that cannot be read or is of another version is replaced like any other.
    let old = old.map(|bytes| IndexManifest::read(&bytes));
    let mut same_archives = None;
    if let (Existing::Continue, Some(old)) = (options.existing, &old) {
        let known = old
            .as_ref()
            .ok()
            .and_then(|_| IndexReader::open(Arc::clone(out), None).ok());
        let has_all = |index: &IndexReader| index.archives().is_ok_and(|known| known == archives);
        let index = known.filter(has_all).ok_or_else(|| Error::IndexExists {
            location: out.location(),
        })?;
        let known = IndexMade {
            manifest: index.manifest.clone(),
            sha256: index.digest.clone(),
            is_new: false,
        };
        // An archive in several inputs may have other answers in each: the names of archives do not show of which it was made.
        if !are_shared(&chosen, &streams, archives.len()) {
            return Ok(known);
        }
        same_archives = Some(known);
    }
    let claimed = claim(&**out, old.is_some())?;
    let pool = pool("index", options.jobs.get())?;
    let work = IndexWork {
        options,
        watch,
        claimed: &claimed,
        pool,
        differing,
    };
    let manifest = work
        .write(&chosen, streams, &**out)
        .inspect_err(|_| claimed.leave())?;
    if let Some(known) = same_archives {
        return known.compared(&manifest, &**out, claimed);
    }
    let kept = old.as_ref().and_then(|old| old.as_ref().ok());
    let kept = kept.filter(|_| options.old_parts == OldParts::Keep);
    let switched = switch(&**out, claimed, &manifest, kept);
    let sha256 = switched.map_err(|source| Error::OutputUnwritable {
        location: out.location(),
        source,
    })?;
    Ok(IndexMade {
        manifest,
        sha256,
        is_new: true,
    })
}

impl IndexMade {
    /// Returns the index that exists, if the one that was just made of the same archives is equal.
    fn compared(
        self,
        manifest: &IndexManifest,
        out: &dyn Store,
        claimed: Claimed<'_>,
    ) -> Result<Self, Error> {
        let unwritable = |source| Error::OutputUnwritable {
            location: out.location(),
            source,
        };
        drop_parts(out, manifest, &self.manifest)
            .and_then(|()| claimed.release())
            .map_err(unwritable)?;
        if self.manifest == *manifest {
            Ok(self)
        } else {
            Err(Error::IndexExists {
                location: out.location(),
            })
        }
    }
}

struct IndexWork<'w> {
    differing: Differing,
    options: &'w IndexOptions,
    watch: &'w IndexWatch<'w>,
    claimed: &'w Claimed<'w>,
    pool: ThreadPool,
}

impl IndexWork<'_> {
    /// Counts written captures; fails if the work should stop.
    fn go_on(&self, captures: u64) -> io::Result<()> {
        if !(self.watch)(IndexStep::Written(captures)) {
            return Err(Stopped.into());
        }
        self.claimed.go_on()
    }

    fn write(
        &self,
        segments: &[ArchiveGroup<'_>],
        mut streams: Vec<AnswerStream<'_>>,
        out: &dyn Store,
    ) -> Result<IndexManifest, Error> {
        let Self { options, pool, .. } = self;
        let inputs = segments.len() + streams.len();
        let captures = segments
            .iter()
            .map(ArchiveGroup::site_captures)
            .sum::<u64>()
            * if inputs == 1 { 1 } else { 2 };
        let captures = streams
            .iter()
            .fold(captures, |sum, stream| sum.saturating_add(stream.captures));
        (self.watch)(IndexStep::Begun { inputs, captures });
        let all: Vec<&ArchiveEvidence<'_>> =
            segments.iter().flat_map(|group| &group.archives).collect();
        for group in segments {
            let unreadable = |source| Error::EvidenceUnreadable {
                location: location_of(group),
                source,
            };
            let stream =
                pool.install(|| collected(group, &all, options.memory_bytes, &|| self.go_on(0)));
            let stream = stream.map_err(unreadable)?;
            streams.push(if inputs == 1 {
                stream
            } else {
                self.kept(stream)?
            });
        }
        while streams.len() > MERGED_AT_ONCE {
            let mut left = std::mem::take(&mut streams).into_iter().peekable();
            while left.peek().is_some() {
                let some = left.by_ref().take(MERGED_AT_ONCE).collect();
                streams.push(self.kept(merged(some, &options.without, &self.differing)?)?);
            }
        }
        let all = merged(streams, &options.without, &self.differing)?;
        let manifest = write(all, out, pool, &|captures| self.go_on(captures))?;
        let differing = self
            .differing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(IndexManifest {
            differing,
            ..manifest
        })
    }

    /// Writes a stream to a temporary index and returns that as a stream.
    fn kept(&self, stream: AnswerStream<'_>) -> Result<AnswerStream<'static>, Error> {
        let (location, folder) = (stream.location.clone(), || {
            std::env::temp_dir().display().to_string()
        });
        let unwritable = |source| Error::OutputUnwritable {
            location: folder(),
            source,
        };
        let store = ScratchStore::new().map_err(unwritable)?;
        let manifest = write(stream, &store, &self.pool, &|captures| self.go_on(captures))?;
        let written = write_json(&store, INDEX_FILE, &manifest);
        written.map_err(|source| Error::OutputUnwritable {
            location: store.location(),
            source,
        })?;
        let kept = answers(Arc::new(IndexReader::open(Arc::new(store), None)?))?;
        Ok(AnswerStream { location, ..kept })
    }
}

/// The index that [`index`] made or found.
#[non_exhaustive]
pub struct IndexMade {
    /// What it holds.
    pub manifest: IndexManifest,
    /// The SHA-256 of its `_index.json`.
    pub sha256: String,
    /// Whether it was written; otherwise it existed, made of the same archives.
    pub is_new: bool,
}

/// Claims a folder: it is empty, or has an index to replace or the rest of an unfinished one.
fn claim(store: &dyn Store, has_old: bool) -> Result<Claimed<'_>, Error> {
    let unwritable = |source| Error::OutputUnwritable {
        location: store.location(),
        source,
    };
    let was_empty = store.is_empty().map_err(unwritable)?;
    let (claimed, found) = Claimed::new(store)?;
    if !has_old && found == Claim::Created && !was_empty {
        claimed.release().map_err(unwritable)?;
        return Err(Error::OutputForeign {
            location: store.location(),
        });
    }
    Ok(claimed)
}

/// Removes the parts of an index that is not wanted, except those that another one has.
fn drop_parts(store: &dyn Store, unwanted: &IndexManifest, kept: &IndexManifest) -> io::Result<()> {
    let kept: BTreeSet<&str> = kept.parts().map(|part| part.file.as_str()).collect();
    let mut unwanted = unwanted
        .parts()
        .filter(|part| !kept.contains(part.file.as_str()));
    unwanted.try_for_each(|part| store.remove(&part.file))
}

/// Switches to the new index and removes parts that neither it nor `kept` names; returns the SHA-256 of `_index.json`.
fn switch(
    store: &dyn Store,
    claimed: Claimed<'_>,
    manifest: &IndexManifest,
    kept: Option<&IndexManifest>,
) -> io::Result<String> {
    claimed.check()?;
    write_json(store, INDEX_FILE, manifest)?;
    let sha256 = HEXLOWER.encode(&Sha256::digest(store.read(INDEX_FILE)?.unwrap_or_default()));
    let named = std::iter::once(manifest)
        .chain(kept)
        .flat_map(IndexManifest::parts);
    let named: BTreeSet<&str> = named.map(|part| part.file.as_str()).collect();
    for table in [&FETCHES, &BODIES, &INDEX_ARCHIVES] {
        for file in store.list(table.folder)? {
            if !named.contains(file.as_str()) {
                store.remove(&file)?;
            }
        }
    }
    claimed.release()?;
    Ok(sha256)
}
