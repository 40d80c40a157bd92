//! The records behind rows of pages: their own, and all captures of the files of their sites.
//!
//! Example: for three pages of one host in a segment and its robots.txt, which redirects to another host: five records. Left
//! out: pages of other rows; no verdict of these pages rests on them.
//!
//! [`page`] finds a page in the evidence by its URL. Example: of three captures of a URL in two segments it returns the newest, and
//! the times of all. Left out: URLs that a browser treats as the same but that differ in the column `url`; they are other pages.

use super::{LookupError, WantedPage, groups, made_with, run_groups, unreadable};
use crate::runs::{ArchiveEvidence, ArchiveGroup, all_archives, find as find_files, pool};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, CaptureKeys, Captures, FETCH_COLUMNS, REQUEST_COLUMNS};
use crate::verdict::RecordLocation;
use crate::web::url::PageUrl;
use crate::web::{capture_kind::CaptureKind, origin::Origin, timestamp::Timestamp};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::io;

/// The archive and the offset of a record.
pub type RowPlace = (String, u64);

#[derive(Debug, Default)]
pub struct RowRecords {
    /// The records, those of the rows first.
    pub records: Vec<RecordLocation>,
    /// How many of them belong to rows.
    pub rows: usize,
    /// The number of groups with rows: segments, or archives without a segment.
    pub groups: usize,
}

/// Returns the records of rows of a run, and of the files of their sites in any archive. See
/// [`evidence_of`](crate::runs::evidence_of).
pub fn records(
    tables: &dyn Store,
    evidence: &[&dyn Store],
    rows: &BTreeSet<RowPlace>,
) -> Result<RowRecords, LookupError> {
    let (made_with, _) = made_with(tables)?;
    let groups = run_groups(tables, evidence, made_with.is_some())?;
    let mut left = rows.clone();
    let (mut found, mut files, mut urls) = (RowRecords::default(), Vec::new(), Vec::new());
    pool("look-up", 0)?.install(|| {
        for group in &groups {
            let own = of_group(group, rows, &mut urls).map_err(unreadable(tables))?;
            found.groups += usize::from(!own.is_empty());
            for record in &own {
                left.remove(&place_of(record));
            }
            found.records.extend(own);
        }
        let archives = all_archives(&groups);
        super::join(&archives, urls.iter().map(String::as_str)).map_err(unreadable(tables))?;
        files = files_of_sites(&archives, &urls).map_err(unreadable(tables))?;
        Ok::<_, LookupError>(())
    })?;
    if let Some((warc_filename, offset)) = left.pop_first() {
        return Err(LookupError::NoSuchRow {
            location: tables.location(),
            warc_filename,
            offset,
        });
    }
    found.rows = found.records.len();
    found.records.append(&mut files);
    let known: HashSet<RowPlace> = found.records.iter().map(place_of).collect();
    let originals = pool("look-up", 0)?.install(|| originals_of(&all_archives(&groups), &known));
    found
        .records
        .append(&mut originals.map_err(unreadable(tables))?);
    Ok(found)
}

/// Returns the records to which revisits among some records behind a decision about a page refer (KNOW-4).
pub fn originals(
    tables: &dyn Store,
    evidence: &[&dyn Store],
    url: &str,
    records: &[RecordLocation],
) -> Result<Vec<RecordLocation>, LookupError> {
    let groups = groups(evidence.iter().copied())?;
    let archives = all_archives(&groups);
    let known = records.iter().map(place_of).collect();
    let found = pool("look-up", 0)?.install(|| {
        super::join(&archives, [url])?;
        originals_of(&archives, &known)
    });
    found.map_err(unreadable(tables))
}

/// Returns the records to which revisits among some records refer (KNOW-4).
fn originals_of(
    archives: &[&ArchiveEvidence<'_>],
    records: &HashSet<RowPlace>,
) -> io::Result<Vec<RecordLocation>> {
    let with_originals = archives
        .par_iter()
        .filter(|archive| archive.originals_digest().is_some());
    let found = with_originals.map(|archive| {
        let (mut found, mut first) = (Vec::new(), 0);
        for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
            let captures = Captures::new(&slice?)?;
            for row in 0..captures.count() {
                if records.contains(&place_of(&captures.location(row)?)) {
                    found.extend(
                        archive
                            .original(first + row)?
                            .map(|original| original.location()),
                    );
                }
            }
            first += captures.count();
        }
        Ok(found)
    });
    Ok(found
        .collect::<io::Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// Returns the records of the rows of a group, and adds their URLs.
fn of_group(
    group: &ArchiveGroup<'_>,
    rows: &BTreeSet<RowPlace>,
    urls: &mut Vec<String>,
) -> io::Result<Vec<RecordLocation>> {
    let found = group
        .archives
        .par_iter()
        .map(|archive| of_archive(archive, rows));
    let found = found.collect::<io::Result<Vec<_>>>()?.into_iter().flatten();
    let (records, of_rows): (Vec<_>, Vec<_>) = found.unzip();
    urls.extend(of_rows);
    Ok(records)
}

/// Returns the records of the files of some URLs' sites in all archives (KNOW-2).
fn files_of_sites(
    archives: &[&ArchiveEvidence<'_>],
    urls: &[String],
) -> io::Result<Vec<RecordLocation>> {
    let sites = || {
        urls.iter()
            .filter_map(|url| PageUrl::new(url.as_bytes()).ok())
    };
    // The files of twins may count, too (KNOW-8).
    let origins: HashSet<Origin> = sites().flat_map(|url| url.origin().with_twins()).collect();
    if origins.is_empty() {
        return Ok(Vec::new());
    }
    let hosts: BTreeSet<&str> = origins.iter().map(Origin::host_name).collect();
    let hosts: Vec<&str> = hosts.into_iter().collect();
    let of_sites = find_files(archives, &|url| origins.contains(&url.origin()), &hosts)?;
    Ok(of_sites.into_iter().map(|file| file.location).collect())
}

fn place_of(record: &RecordLocation) -> RowPlace {
    let offset = record.warc_record_offset.unwrap_or(u64::MAX);
    (record.warc_filename.clone().unwrap_or_default(), offset)
}

/// Returns the records of the rows in an archive, with their URLs.
fn of_archive(
    archive: &ArchiveEvidence<'_>,
    rows: &BTreeSet<RowPlace>,
) -> io::Result<Vec<(RecordLocation, String)>> {
    let mut found = Vec::new();
    if archive.manifest.captures.is_empty() {
        return Ok(found);
    }
    for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        for row in 0..captures.count() {
            let (filename, offset) = captures.place(row)?;
            if rows.contains(&(
                filename.to_owned(),
                u64::try_from(offset).unwrap_or(u64::MAX),
            )) {
                found.push((captures.location(row)?, captures.url(row).to_owned()));
            }
        }
    }
    Ok(found)
}

/// A capture of the page.
#[derive(Clone, Debug)]
pub struct FoundPage {
    pub group: usize,
    /// The place of its archive in the group.
    pub archive: usize,
    /// Its row in the archive's file of `captures`.
    pub row: usize,
    fetched_at: Option<Timestamp>,
    kind: String,
}

/// Returns the wanted capture, if it exists, and the times of all captures.
pub fn page(
    tables: &dyn Store,
    groups: &[ArchiveGroup<'_>],
    wanted: &WantedPage<'_>,
) -> Result<(Option<FoundPage>, Vec<Option<Timestamp>>), LookupError> {
    let found = captures(groups, wanted.url).map_err(unreadable(tables))?;
    let url = || wanted.url.to_owned();
    let (pages, files): (Vec<&FoundPage>, Vec<&FoundPage>) = found
        .iter()
        .partition(|found| found.kind == CaptureKind::Page.as_str());
    let mut times: Vec<Option<Timestamp>> = pages.iter().map(|found| found.fetched_at).collect();
    times.sort_by_key(|at| Reverse(*at));
    let is_wanted =
        |found: &&&FoundPage| wanted.fetched.is_none() || found.fetched_at == wanted.fetched;
    // Of two captures of one time the last one counts, as everywhere.
    let newest = pages
        .iter()
        .filter(is_wanted)
        .max_by_key(|found| found.fetched_at);
    match (newest, wanted.fetched, files.first()) {
        (Some(found), ..) => Ok((Some((*found).clone()), times)),
        (None, Some(fetched), _) if !pages.is_empty() => {
            let times = times
                .iter()
                .flatten()
                .map(ToString::to_string)
                .collect::<Vec<_>>();
            Err(LookupError::NoSuchTime {
                url: url(),
                fetched,
                times: times.join(", "),
            })
        }
        (None, _, Some(file)) => Err(LookupError::SiteFile {
            url: url(),
            kind: file.kind.clone(),
        }),
        (None, _, None) => Ok((None, times)),
    }
}

/// Returns the captures of a URL: those of pages or, if there are none, those of site files.
fn captures(groups: &[ArchiveGroup<'_>], url: &str) -> io::Result<Vec<FoundPage>> {
    let archives = groups.iter().enumerate().flat_map(|(number, group)| {
        group
            .archives
            .iter()
            .enumerate()
            .map(move |(place, archive)| ((number, place), archive))
    });
    let archives = archives.filter(|(_, archive)| !archive.manifest.captures.is_empty());
    let (with_pages, others): (Vec<_>, Vec<_>) = archives.partition(|(_, archive)| {
        archive
            .manifest
            .captures
            .contains_key(CaptureKind::Page.as_str())
    });
    for archives in [with_pages, others] {
        let found = archives
            .par_iter()
            .map(|(place, archive)| captures_of_archive(archive, *place, url));
        let found: Vec<FoundPage> = found
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn captures_of_archive(
    evidence: &ArchiveEvidence<'_>,
    (group, archive): (usize, usize),
    url: &str,
) -> io::Result<Vec<FoundPage>> {
    // A text that is not a URL has no host.
    if let Ok(parsed) = PageUrl::new(url.as_bytes())
        && !evidence.may_have_host(&[parsed.host_name()])?
    {
        return Ok(Vec::new());
    }
    let rows = evidence.rows(&CAPTURES, CaptureKeys::COLUMNS, |slice| {
        let keys = CaptureKeys::new(slice)?;
        Ok((0..)
            .zip(keys.iter())
            .filter(|(_, (known, _))| *known == url)
            .map(|(row, _)| row)
            .collect())
    })?;
    let mut found = Vec::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let mut numbers = rows.iter();
    for slice in evidence.slices(&CAPTURES, |file| {
        Slices::of_rows(file, &rows, Some(FETCH_COLUMNS))
    })? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        for (at, row) in (0..captures.count()).zip(&mut numbers) {
            let (fetched_at, kind) = (captures.fetched_at(at), captures.kind(at).to_owned());
            found.push(FoundPage {
                group,
                archive,
                row: *row,
                fetched_at,
                kind,
            });
        }
    }
    Ok(found)
}
