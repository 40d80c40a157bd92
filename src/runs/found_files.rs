//! The captures of site files of some origins, with their records and bodies, to be shown.
//!
//! Example: for a robots.txt that redirects to another host, both captures, the second with its body. A capture is found once,
//! however many redirects lead to it.

use super::archive_evidence::ArchiveEvidence;
use super::bodies::BodyKey;
use super::site_files::{FoundRow, Keep, Sites, WantedSites, archive_of, read};
use crate::robots::Extent;
use crate::tables::Slices;
use crate::tables::site_files::{BodyKeys, SITE_FILES};
use crate::verdict::Request;
use crate::verdict::timeline::BodyState;
use crate::web::capture_kind::CaptureKind;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

/// Returns the captures, with their bodies, of the site files of some origins, which have these hosts, and of the targets of
/// their robots.txt redirects; pages after all site files, then in the order of the evidence.
pub fn find(
    archives: &[&ArchiveEvidence<'_>],
    have: &(dyn Fn(&PageUrl<'_>) -> bool + Sync),
    hosts: &[&str],
) -> io::Result<Vec<Request>> {
    let sites = Sites::Some(WantedSites {
        have,
        hosts: Some(hosts),
    });
    let found = read(archives, sites, FoundFiles::default(), &|| Ok(()))?;
    found.with_bodies(archives)
}

/// The captures that were found, without bodies.
#[derive(Default)]
struct FoundFiles {
    /// By their places in the evidence.
    files: BTreeMap<u64, (Request, Option<BodyKey>)>,
}

impl Keep for FoundFiles {
    fn keep(&mut self, found: &FoundRow<'_>) -> io::Result<()> {
        let FoundRow {
            slice,
            row,
            ref capture,
            body,
            order,
        } = *found;
        let (body, key, extent) = match body {
            BodyState::Body((key, extent)) => (BodyState::Missing, Some(key), extent),
            BodyState::Unreadable => (BodyState::Unreadable, None, Extent::Whole),
            BodyState::Html | BodyState::Missing => (BodyState::Missing, None, Extent::Whole),
        };
        let file = Request {
            kind: capture.kind,
            url: capture.url.clone().into_owned(),
            fetched_at: capture.fetched_at,
            answer: capture.answer,
            redirect: capture.redirect.map(str::to_owned),
            location: slice.location(row)?,
            body,
            extent,
            validator: capture.validator,
            segment: capture.segment,
        };
        self.files.insert(order, (file, key));
        Ok(())
    }
}

impl FoundFiles {
    /// Reads the bodies of the found captures: from the archives in which these were found; if those lack one, from the others.
    fn with_bodies(self, archives: &[&ArchiveEvidence<'_>]) -> io::Result<Vec<Request>> {
        let mut missing: HashSet<BodyKey> =
            self.files.values().filter_map(|(_, key)| *key).collect();
        let found_in: HashSet<usize> = self.files.keys().map(|order| archive_of(*order)).collect();
        let with_files = archives
            .iter()
            .enumerate()
            .filter(|(_, archive)| archive.manifest.has_site_files());
        let (own, others): (Vec<_>, Vec<_>) =
            with_files.partition(|(place, _)| found_in.contains(place));
        let mut bodies = HashMap::new();
        for archives in [own, others] {
            let found = archives
                .par_iter()
                .map(|(_, archive)| bodies_of(archive, &missing));
            for found in found.collect::<io::Result<Vec<_>>>()? {
                bodies.extend(found);
            }
            missing.retain(|key| !bodies.contains_key(key));
        }
        let whole = |(mut file, key): (Request, Option<BodyKey>)| {
            if let Some(body) = key.and_then(|key| bodies.get(&key)) {
                file.body = BodyState::Body(Vec::clone(body));
            }
            file
        };
        Ok(self.files.into_values().map(whole).collect())
    }
}

fn bodies_of(
    archive: &ArchiveEvidence<'_>,
    wanted: &HashSet<BodyKey>,
) -> io::Result<HashMap<BodyKey, Vec<u8>>> {
    let key = |digest: &str, kind: &str| {
        BodyKey::new(CaptureKind::named(kind)?, digest).filter(|key| wanted.contains(key))
    };
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let rows = archive.rows(&SITE_FILES, BodyKeys::COLUMNS, |slice| {
        let keys = BodyKeys::new(slice)?;
        Ok((0..keys.count())
            .filter(|row| key(keys.digest(*row), keys.kind(*row)).is_some())
            .collect())
    })?;
    if rows.is_empty() {
        return Ok(found);
    }
    for slice in archive.slices(&SITE_FILES, |file| Slices::of_rows(file, &rows, None))? {
        let slice = slice?;
        for (digest, kind, body) in archive.site_bodies(&slice)?.iter() {
            if let Some(key) = key(digest, kind) {
                found.entry(key).or_insert_with(|| body.to_vec());
            }
        }
    }
    Ok(found)
}
