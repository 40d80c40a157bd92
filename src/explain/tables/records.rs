//! The records behind rows of pages: their own, and all captures of the files of their sites.
//!
//! Example: of three pages of one host in a segment, and of its robots.txt, which redirects to another host: five records.
//! Left out: site files in other segments, on which no verdict of these pages rests.

use super::{LookupError, location, run_groups};
use crate::explain::RecordLocation;
use crate::runs::{ArchiveEvidence, Group, find as find_files, pool};
use crate::store::Store;
use crate::tables::Slices;
use crate::tables::captures::{CAPTURES, Captures, REQUEST_COLUMNS};
use crate::web::origin::Origin;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::io;

/// The archive and the offset of a record.
pub type RowPlace = (String, u64);

/// The records behind rows.
#[derive(Debug, Default)]
pub struct RowRecords {
    /// The records, those of the rows first.
    pub records: Vec<RecordLocation>,
    /// How many of them are rows.
    pub rows: usize,
    /// In how many groups the rows are: segments, or archives without a segment.
    pub groups: usize,
}

/// Returns the records of rows of a run, and of the files of their sites in the rows' own segments; the evidence is in some
/// folders, see [`evidence_of`](crate::runs::evidence_of).
///
/// # Errors
/// [`LookupError`], also where a row is not in the evidence.
pub fn records(
    tables: &dyn Store,
    evidence: &[&dyn Store],
    rows: &BTreeSet<RowPlace>,
) -> Result<RowRecords, LookupError> {
    let unreadable = |source| LookupError::Unreadable { location: tables.location(), source };
    let groups = run_groups(tables, evidence)?;
    let mut left = rows.clone();
    let mut found = RowRecords::default();
    let mut files = Vec::new();
    pool("look-up", 0)?.install(|| {
        for group in &groups {
            let own = of_group(group, rows, &mut files).map_err(unreadable)?;
            found.groups += usize::from(!own.is_empty());
            for (place, record) in own {
                left.remove(&place);
                found.records.push(record);
            }
        }
        Ok::<_, LookupError>(())
    })?;
    if let Some((warc_filename, offset)) = left.pop_first() {
        return Err(LookupError::NoSuchRow { location: tables.location(), warc_filename, offset });
    }
    found.rows = found.records.len();
    found.records.append(&mut files);
    Ok(found)
}

/// Returns the rows that a group has, and adds the records of the files of their sites.
fn of_group(
    group: &Group<'_>,
    rows: &BTreeSet<RowPlace>,
    files: &mut Vec<RecordLocation>,
) -> io::Result<Vec<(RowPlace, RecordLocation)>> {
    let found = group.archives.par_iter().map(|archive| of_archive(archive, rows));
    let found: Vec<_> = found.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect();
    let sites = || found.iter().filter_map(|(_, _, site)| site.as_ref());
    let origins: HashSet<&Origin> = sites().flat_map(|site| &site.origins).collect();
    let hosts: BTreeSet<&str> = sites().map(|site| site.host.as_str()).collect();
    if !origins.is_empty() {
        let archives: Vec<_> = group.archives.iter().collect();
        let hosts: Vec<&str> = hosts.into_iter().collect();
        let of_sites = find_files(&archives, &|url| origins.contains(&url.origin()), &hosts)?;
        files.extend(of_sites.into_iter().map(|file| RecordLocation {
            warc_filename: Some(file.record.0),
            warc_record_offset: file.record.1.and_then(|offset| u64::try_from(offset).ok()),
            warc_record_length: file.record_bytes,
        }));
    }
    Ok(found.into_iter().map(|(place, record, _)| (place, record)).collect())
}

/// A row's place, its record, and the site whose files may count for it.
type FoundRecord = (RowPlace, RecordLocation, Option<RowSite>);

/// The site of a row.
struct RowSite {
    /// The origin of its URL, and that of the same host without a dot at its end.
    origins: Vec<Origin>,
    /// Their `url_host_name`.
    host: String,
}

fn of_archive(archive: &ArchiveEvidence<'_>, rows: &BTreeSet<RowPlace>) -> io::Result<Vec<FoundRecord>> {
    let mut found = Vec::new();
    if archive.manifest.captures.is_empty() {
        return Ok(found);
    }
    for slice in archive.slices(&CAPTURES, |file| Slices::of_columns(file, REQUEST_COLUMNS))? {
        let slice = slice?;
        let captures = Captures::new(&slice)?;
        for row in 0..captures.count() {
            let (filename, offset) = captures.place(row)?;
            let place = (filename.to_owned(), u64::try_from(offset).unwrap_or(u64::MAX));
            if rows.contains(&place) {
                found.push((place, location(&captures, row)?, site(captures.url(row))));
            }
        }
    }
    Ok(found)
}

/// Returns the site of a URL.
fn site(url: &str) -> Option<RowSite> {
    let url = PageUrl::new(url.as_bytes()).ok()?;
    let origin = url.origin();
    let without_dot = origin.without_dot();
    let origins = [origin].into_iter().chain(without_dot).collect();
    Some(RowSite { origins, host: url.host_name().to_owned() })
}
