//! Whether two pieces of evidence are of the same archive.
//!
//! The fingerprint of an archive has its length and its ends; what is between them is compared by its captures. Example: a copy of an
//! archive that lost records, and a whole copy, which has all captures that are left of the other one. A whole copy that lacks one of
//! them is another file: it does not take its no away (KNOW-1). Left out: copies that are compressed in another way.

use super::archive_evidence::ArchiveEvidence;
use super::manifest::{CaptureTimes, Manifest};
use crate::tables::captures::{CAPTURES, ComparedCaptures};
use crate::tables::site_files::{BodyKeys, SITE_FILES};
use crate::tables::{Slices, Table};
use arrow_array::RecordBatch;
use std::collections::HashSet;
use std::io;

/// Returns whether some evidence has all that other evidence, which is not better, received of the same archive. Evidence without
/// captures received nothing.
pub fn has_all_of(better: &ArchiveEvidence<'_>, other: &ArchiveEvidence<'_>) -> io::Result<bool> {
    let fingerprints = better
        .manifest
        .fingerprint
        .as_ref()
        .zip(other.manifest.fingerprint.as_ref());
    if fingerprints.is_some_and(|(one, other)| one != other) {
        return Ok(false);
    }
    if other
        .manifest
        .part(&CAPTURES)
        .is_none_or(|part| part.rows == 0)
    {
        return Ok(true);
    }
    let is_same = |table: &Table| {
        let sha1 = |of: &ArchiveEvidence<'_>| of.manifest.part(table).map(|part| part.sha1.clone());
        sha1(better) == sha1(other)
    };
    let says_all = has_counts_of(&better.manifest, &other.manifest);
    Ok(says_all && (is_same(&CAPTURES) && is_same(&SITE_FILES) || has_rows_of(better, other)?))
}

/// Returns whether a manifest has the counts and times of another one, by which captures are looked for.
fn has_counts_of(better: &Manifest, other: &Manifest) -> bool {
    let captures = other
        .captures
        .iter()
        .all(|(kind, count)| better.captures.get(kind) >= Some(count));
    let site_files = |times: CaptureTimes| times.first_site_file.unwrap_or(i64::MAX);
    let has_times = |own: CaptureTimes, others: CaptureTimes| {
        own.first <= others.first
            && own.last >= others.last
            && site_files(own) <= site_files(others)
    };
    let times = other
        .times
        .is_none_or(|others| better.times.is_some_and(|own| has_times(own, others)));
    captures && times && better.revisits >= other.revisits
}

/// Returns whether some evidence has the captures of other evidence among its own, in their order, and their bodies.
fn has_rows_of(better: &ArchiveEvidence<'_>, other: &ArchiveEvidence<'_>) -> io::Result<bool> {
    let mut own = Cursor::new(slices(better)?);
    for slice in slices(other)? {
        let captures = ComparedCaptures::new(&slice?)?;
        for row in 0..captures.count() {
            if !own.pass(|own, there| captures.is_in(row, own, there))? {
                return Ok(false);
            }
        }
    }
    Ok(body_keys(other)?.is_subset(&body_keys(better)?))
}

/// Returns the bodies of site files that some evidence has, by digest and kind.
fn body_keys(archive: &ArchiveEvidence<'_>) -> io::Result<HashSet<(String, String)>> {
    let mut found = HashSet::new();
    for slice in archive.slices(&SITE_FILES, |file| {
        Slices::of_columns(file, BodyKeys::COLUMNS)
    })? {
        let keys = BodyKeys::new(&slice?)?;
        found.extend(
            (0..keys.count()).map(|row| (keys.digest(row).to_owned(), keys.kind(row).to_owned())),
        );
    }
    Ok(found)
}

fn slices<'a>(
    archive: &'a ArchiveEvidence<'_>,
) -> io::Result<impl Iterator<Item = io::Result<RecordBatch>> + 'a> {
    archive.slices(&CAPTURES, |file| {
        Slices::of_columns(file, ComparedCaptures::COLUMNS)
    })
}

/// The next row of some slices.
struct Cursor<S> {
    slices: S,
    slice: Option<ComparedCaptures>,
    row: usize,
}

impl<S: Iterator<Item = io::Result<RecordBatch>>> Cursor<S> {
    fn new(slices: S) -> Self {
        Self {
            slices,
            slice: None,
            row: 0,
        }
    }

    /// Goes behind the next row that is meant; returns whether there is one.
    fn pass(&mut self, is_meant: impl Fn(&ComparedCaptures, usize) -> bool) -> io::Result<bool> {
        loop {
            if let Some(slice) = &self.slice {
                while self.row < slice.count() {
                    self.row += 1;
                    if is_meant(slice, self.row - 1) {
                        return Ok(true);
                    }
                }
            }
            let Some(slice) = self.slices.next() else {
                return Ok(false);
            };
            (self.slice, self.row) = (Some(ComparedCaptures::new(&slice?)?), 0);
        }
    }
}
