//! Finding a page in the evidence by its URL.
//!
//! Example: of three captures of a URL in two segments the newest is taken, and the times of all are returned.
//! Left out: URLs that are the same to a browser and not in the column `url`; they are other pages.

use super::{LookupError, Wanted};
use crate::runs::{ArchiveEvidence, Group};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, CaptureKeys, Captures, FETCH_COLUMNS, KEY_COLUMNS};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::io;

/// A capture of the page.
#[derive(Clone, Debug)]
pub struct FoundPage {
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
) -> Result<(Option<FoundPage>, Vec<Option<Timestamp>>), LookupError> {
    let found = captures(groups, wanted.url)
        .map_err(|source| LookupError::Unreadable { location: evidence.location(), source })?;
    let url = || wanted.url.to_owned();
    let (pages, files): (Vec<&FoundPage>, Vec<&FoundPage>) =
        found.iter().partition(|found| found.kind == CaptureKind::Page.as_str());
    let mut times: Vec<Option<Timestamp>> = pages.iter().map(|found| found.fetched_at).collect();
    times.sort_by_key(|at| Reverse(*at));
    let is_wanted = |found: &&&FoundPage| wanted.fetched.is_none() || found.fetched_at == wanted.fetched;
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

/// Returns the captures of a URL: those of pages, or, where there is none, those of site files.
fn captures(groups: &[Group<'_>], url: &str) -> io::Result<Vec<FoundPage>> {
    let archives = groups.iter().enumerate().flat_map(|(number, group)| {
        group.archives.iter().enumerate().map(move |(place, archive)| ((number, place), archive))
    });
    let archives = archives.filter(|(_, archive)| !archive.manifest.captures.is_empty());
    let (with_pages, others): (Vec<_>, Vec<_>) =
        archives.partition(|(_, archive)| archive.manifest.captures.contains_key(CaptureKind::Page.as_str()));
    for archives in [with_pages, others] {
        let found = archives.par_iter().map(|(place, archive)| of_archive(archive, *place, url));
        let found: Vec<FoundPage> = found.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn of_archive(
    evidence: &ArchiveEvidence<'_>,
    (group, archive): (usize, usize),
    url: &str,
) -> io::Result<Vec<FoundPage>> {
    // What cannot be read as a URL has no host.
    if let Ok(parsed) = PageUrl::new(url.as_bytes())
        && !evidence.may_have_host(&[parsed.host_name()])?
    {
        return Ok(Vec::new());
    }
    let rows = evidence.rows(&CAPTURES, KEY_COLUMNS, |slice| {
        let keys = CaptureKeys::new(slice)?;
        Ok((0..).zip(keys.iter()).filter(|(_, (known, _))| *known == url).map(|(row, _)| row).collect())
    })?;
    let mut found = Vec::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let mut numbers = rows.iter();
    for slice in evidence.slices(&CAPTURES, |file| Slices::of_rows(file, &rows, Some(FETCH_COLUMNS)))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        for (at, row) in (0..captures.count()).zip(&mut numbers) {
            let (fetched_at, kind) = (captures.fetched_at(at), captures.kind(at).to_owned());
            found.push(FoundPage { group, archive, row: *row, fetched_at, kind });
        }
    }
    Ok(found)
}
