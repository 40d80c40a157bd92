//! Finding a page in the evidence by its URL.
//!
//! Example: of three captures of a URL in two segments the newest is taken, and the times of all are returned.
//! Left out: URLs that are the same to a browser and not in the column `url`; they are other pages.

use super::{LookupError, Wanted};
use crate::runs::{ArchiveEvidence, Group};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, REQUEST_COLUMNS};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use std::cmp::Reverse;
use std::io;

/// A capture of the page.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of its group.
    pub group: usize,
    /// The place of its archive in the group.
    pub archive: usize,
    /// Its row in the archive's file of `captures`.
    pub row: usize,
    fetched_at: Option<Timestamp>,
    kind: String,
}

/// Returns the capture that is wanted, where there is one, and the times of all.
pub fn page(
    evidence: &dyn Store,
    groups: &[Group<'_>],
    wanted: &Wanted<'_>,
) -> Result<(Option<Found>, Vec<Option<Timestamp>>), LookupError> {
    let found = captures(groups, wanted.url)
        .map_err(|source| LookupError::Unreadable { location: evidence.location(), source })?;
    let url = || wanted.url.to_owned();
    let (pages, files): (Vec<&Found>, Vec<&Found>) =
        found.iter().partition(|found| found.kind == CaptureKind::Page.as_str());
    let mut times: Vec<Option<Timestamp>> = pages.iter().map(|found| found.fetched_at).collect();
    times.sort_by_key(|at| Reverse(*at));
    let is_wanted = |found: &&&Found| wanted.fetched.is_none() || found.fetched_at == wanted.fetched;
    // Of two at one time the last one, as everywhere.
    let newest = pages.iter().filter(is_wanted).max_by_key(|found| found.fetched_at);
    match (newest, wanted.fetched, files.first()) {
        (Some(found), ..) => Ok((Some((*found).clone()), times)),
        (None, Some(fetched), _) if !pages.is_empty() => {
            let times = times.iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
            Err(LookupError::NoSuchTime { url: url(), fetched, times: times.join(", ") })
        }
        (None, _, Some(file)) => Err(LookupError::SiteFile { url: url(), kind: file.kind.clone() }),
        (None, _, None) => Ok((None, times)),
    }
}

/// Returns the captures of a URL.
fn captures(groups: &[Group<'_>], url: &str) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let archives = group.archives.iter().enumerate();
        for (place, archive) in archives.filter(|(_, archive)| !archive.manifest.captures.is_empty()) {
            of_archive(archive, (number, place), url, &mut found)?;
        }
    }
    Ok(found)
}

fn of_archive(
    evidence: &ArchiveEvidence<'_>,
    (group, archive): (usize, usize),
    url: &str,
    found: &mut Vec<Found>,
) -> io::Result<()> {
    let mut first_row = 0;
    for slice in evidence.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        for row in (0..captures.count()).filter(|row| captures.url(*row) == url) {
            let (fetched_at, kind) = (captures.fetched_at(row), captures.kind(row).to_owned());
            found.push(Found { group, archive, row: first_row + row, fetched_at, kind });
        }
        first_row += captures.count();
    }
    Ok(())
}
