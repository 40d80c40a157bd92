//! The evidence of all archives in some folders, or of those that some segments may have.
//!
//! Manifests are read many at once, as a store answers each request after some time. Example: of `--segment C/17.1`, the
//! manifest `_manifest/crawl=C/17.2-warc-CC-MAIN-...-00003.json` is not read, as its name says that it is of another segment.

use super::archive_evidence::{ArchiveEvidence, Folder, load_evidence};
use super::batch_manifest::BatchName;
use super::crawl_input::Segment;
use super::forgetting::refuse_forgetting;
use super::identity::{Identity, MANIFESTS, RunFile};
use super::names::{archive_of_stem, batch_id};
use super::threads::many_requests;
use crate::error::Error;
use crate::store::Store;
use crate::tables::EVIDENCE_FORMATS;
use rayon::prelude::*;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The evidence of archives, by crawl and name.
type ArchivesFound<'e> = BTreeMap<(String, String), ArchiveEvidence<'e>>;

/// What there is evidence of that was not read.
#[derive(Default)]
pub struct UnreadEvidence {
    /// The segments.
    pub segments: BTreeSet<Segment>,
    /// Their batches.
    pub batches: BTreeSet<BatchName>,
}

impl UnreadEvidence {
    /// Takes note of a manifest that is certainly of no segment that is wanted; returns whether it is one.
    fn takes(&mut self, file: &str, wanted: &BTreeSet<Segment>) -> bool {
        let Some((segment, batch)) = segment_and_batch(file) else { return false };
        if wanted.contains(&segment) {
            return false;
        }
        self.segments.insert(segment);
        self.batches.insert(batch);
        true
    }
}

/// Returns the segment and the batch of an archive by its manifest's name, where that is certain.
fn segment_and_batch(file: &str) -> Option<(Segment, BatchName)> {
    let (crawl, stem) = file.strip_prefix(MANIFESTS)?.strip_prefix("/crawl=")?.split_once('/')?;
    let name = archive_of_stem(stem.strip_suffix(".json")?)?;
    let segment = name.segment()?.to_owned();
    Some((Some((crawl.to_owned(), segment)), BatchName { crawl: crawl.to_owned(), id: batch_id(&name) }))
}

/// Returns the evidence of some folders: of all archives, or of those that may be of the segments that are wanted.
///
/// # Errors
/// [`Error::NoEvidence`] for each folder that has none, [`Error::EvidenceUnreadable`], [`Error::EvidenceDiffers`].
pub fn archives<'e>(
    folders: &[Folder<'e>],
    wanted: Option<&BTreeSet<Segment>>,
) -> Result<(ArchivesFound<'e>, UnreadEvidence), Error> {
    let (mut found, mut unread) = (ArchivesFound::new(), UnreadEvidence::default());
    for store in folders {
        let unreadable = |source| Error::EvidenceUnreadable { location: store.location(), source };
        check_format(&**store)?;
        refuse_forgetting(&**store)?;
        let mut files = store.list(MANIFESTS).map_err(unreadable)?;
        // An empty folder may be a place where a file system is not mounted.
        if files.is_empty() {
            return Err(Error::NoEvidence { location: store.location() });
        }
        if let Some(wanted) = wanted {
            files.retain(|file| !unread.takes(file, wanted));
        }
        let load = |file| load_evidence(store, file);
        let pool = many_requests(files.len())?;
        let archives = pool.install(|| files.into_par_iter().map(load).collect::<io::Result<Vec<_>>>());
        for archive in archives.map_err(unreadable)? {
            add(&mut found, archive)?;
        }
    }
    Ok((found, unread))
}

/// Adds the evidence of an archive; of two, the better one stays.
fn add<'e>(found: &mut ArchivesFound<'e>, archive: ArchiveEvidence<'e>) -> Result<(), Error> {
    let key = (archive.manifest.crawl.clone(), archive.manifest.warc_filename.clone());
    match found.entry(key) {
        Entry::Vacant(vacant) => {
            vacant.insert(archive);
        }
        Entry::Occupied(known) if !known.get().agrees(&archive) => {
            return Err(Error::EvidenceDiffers {
                name: archive.manifest.warc_filename.clone(),
                first: known.get().store().location(),
                second: archive.store().location(),
            });
        }
        Entry::Occupied(mut known) => {
            if known.get().rank() < archive.rank() {
                known.insert(archive);
            }
        }
    }
    Ok(())
}

/// Refuses evidence of another format.
fn check_format(store: &dyn Store) -> Result<(), Error> {
    let unreadable = |source| Error::EvidenceUnreadable { location: store.location(), source };
    let Some(identity) = Identity::read(store, RunFile::Scan).map_err(unreadable)? else { return Ok(()) };
    let found = identity.options.get("evidence_format").map_or("1", String::as_str);
    if EVIDENCE_FORMATS.contains(&found) {
        return Ok(());
    }
    let read = EVIDENCE_FORMATS.join(", ");
    let detail = format!(
        "its format is {found}, this version reads {read}; scan the archives again into another folder"
    );
    Err(unreadable(io::Error::other(detail)))
}
