//! What is wrong with the evidence of archives, for `status`.
//!
//! Example: the captures of an archive were cut on the disk, or a later scan has noted that an archive now has other bytes.

use super::resolve::evidence_faults;
use crate::runs::{ArchiveEvidence, ChangedNote, Group, Look};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// What is wrong with the evidence of an archive.
pub enum ArchiveFault {
    /// A file of it is missing or has changed.
    File(String),
    /// It is from another file than the one that a call has found since: what that call found.
    OtherArchive(Option<String>),
}

/// Returns the fault of each archive's evidence, in the order of the groups.
pub fn archive_faults(groups: &[Group<'_>], look: Look) -> io::Result<Vec<Option<ArchiveFault>>> {
    let files = evidence_faults(groups, look)?;
    let archives = groups.iter().flat_map(|group| &group.archives);
    let mut notes = BTreeMap::<String, BTreeSet<String>>::new();
    let fault = |(archive, fault): (&ArchiveEvidence<'_>, Option<String>)| {
        let (store, manifest) = (archive.store(), &archive.manifest);
        let of_folder = match notes.entry(store.location()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(ChangedNote::all(store)?),
        };
        if let Some(fault) = fault {
            return Ok(Some(ArchiveFault::File(fault)));
        }
        let note = ChangedNote::file(&manifest.crawl, &manifest.name());
        if of_folder.is_empty() || !of_folder.contains(&note) {
            return Ok(None);
        }
        let found = ChangedNote::read(store, &note)?.map(|note| note.detail);
        Ok(Some(ArchiveFault::OtherArchive(found)))
    };
    archives.zip(files).map(fault).collect()
}
