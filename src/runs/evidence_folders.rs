//! The evidence of all archives in some folders, or of those that may belong to some segments.
//!
//! Example: with `--segment C/17.1`, the manifest `_manifest/crawl=C/17.2-warc-CC-MAIN-...-00003.json` is not read, as its name
//! gives another segment.
//!
//! The folders are those that the user gives, the tables' own, or those named in `_resolved.json`. A URL is never opened because
//! a file names it: requests with the user's credentials go where the user says.

use super::archive_evidence::{ArchiveEvidence, Folder, evidence_by_manifest};
use super::batch_manifest::BatchName;
use super::identity::{Identity, MANIFESTS, RunFile, in_crawl, is_newer};
use super::manifest::Segment;
use super::memory::many_requests;
use super::names::{archive_of_stem, batch_id};
use super::remembered::Remembered;
use super::same_archive::has_all_of;
use crate::error::Error;
use crate::plan::Comparison;
use crate::store::{ObjectVersion, Places, Store, UrlByFile, folder_by_file};
use crate::tables::EVIDENCE_FORMAT;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The evidence of archives, by crawl and name.
pub type ArchivesFound<'e> = BTreeMap<(String, String), ArchiveEvidence<'e>>;

/// Evidence that exists but was not read.
#[derive(Default)]
pub struct UnreadEvidence {
    pub segments: BTreeSet<Segment>,
    /// Their batches, and those of their site files.
    pub batches: BTreeSet<BatchName>,
}

impl UnreadEvidence {
    /// Notes a manifest that certainly belongs to no wanted segment; returns whether it does.
    fn takes(&mut self, file: &str, wanted: &BTreeSet<Segment>) -> bool {
        let Some((segment, batch)) = segment_and_batch(file) else {
            return false;
        };
        if wanted.contains(&segment) {
            return false;
        }
        let number = segment.as_ref().map(|(_, number)| number.as_str());
        self.batches
            .insert(BatchName::of_site_files(&batch.crawl, number));
        self.batches.insert(batch);
        self.segments.insert(segment);
        true
    }
}

/// Returns the segments of some crawls, by the names of manifests; inputs without a segment may be of any crawl.
pub fn segments_of(manifests: &[String], crawls: &BTreeSet<&str>) -> BTreeSet<Segment> {
    let segments = manifests
        .iter()
        .filter_map(|file| segment_and_batch(file)?.0);
    segments
        .filter(|(crawl, _)| crawls.contains(&**crawl))
        .map(Some)
        .chain([None])
        .collect()
}

/// The segment and the batch of an archive by its manifest's name, if that is certain.
fn segment_and_batch(file: &str) -> Option<(Segment, BatchName)> {
    let (crawl, stem) = in_crawl(file, MANIFESTS)?;
    let name = archive_of_stem(stem.strip_suffix(".json")?)?;
    let segment = name.segment()?.to_owned();
    Some((
        Some((crawl.to_owned(), segment)),
        BatchName {
            crawl: crawl.to_owned(),
            id: batch_id(&name),
        },
    ))
}

/// Returns the evidence of some folders: of all archives, or of those that may belong to the wanted segments; the evidence that
/// was left out; and what each folder remembers of the manifests that were read, and of those that it has now.
pub fn archives<'e>(
    folders: &[Folder<'e>],
    wanted: Option<&BTreeSet<Segment>>,
    comparison: Comparison,
) -> Result<(ArchivesFound<'e>, UnreadEvidence, Vec<Remembered>), Error> {
    let (mut archives, mut unread) = (BTreeMap::<_, Vec<_>>::new(), UnreadEvidence::default());
    let mut remembered = Vec::new();
    for store in folders {
        let unreadable = |source| Error::EvidenceUnreadable {
            location: store.location(),
            source,
        };
        check_format(&**store)?;
        let mut manifests = manifests(&**store).map_err(unreadable)?;
        // An empty folder may be a mount point without its file system.
        if manifests.is_empty() {
            return Err(Error::NoEvidence {
                location: store.location(),
            });
        }
        if let Some(wanted) = wanted {
            manifests.retain(|manifest| !unread.takes(&manifest.name, wanted));
        }
        let (found, known) = load_all(store, manifests, comparison).map_err(unreadable)?;
        for archive in found {
            let key = (
                archive.manifest.crawl.to_string(),
                archive.manifest.warc_filename.clone(),
            );
            archives.entry(key).or_default().push(archive);
        }
        remembered.push(known);
    }
    Ok((each_once(archives)?, unread, remembered))
}

/// The manifests of a folder by name, with their versions if a listing has them.
fn manifests(store: &dyn Store) -> io::Result<Vec<ObjectVersion>> {
    let Some(mut versions) = store.versions(MANIFESTS, None)? else {
        let unversioned = |name| ObjectVersion {
            name,
            bytes: 0,
            tag: None,
        };
        return Ok(store
            .list(MANIFESTS)?
            .into_iter()
            .map(unversioned)
            .collect());
    };
    versions.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(versions)
}

/// The evidence of some manifests. Remembered ones are not read, unless everything is to be read.
fn load_all<'e>(
    store: &Folder<'e>,
    manifests: Vec<ObjectVersion>,
    comparison: Comparison,
) -> io::Result<(Vec<ArchiveEvidence<'e>>, Remembered)> {
    let is_versioned =
        |manifest: &&ObjectVersion| manifest.tag.is_some() && comparison == Comparison::Lengths;
    let versioned = manifests
        .iter()
        .filter(is_versioned)
        .map(|manifest| manifest.name.as_str());
    let mut known = Remembered::read(&**store, versioned)?;
    let load = |manifest: ObjectVersion| {
        if let Some(bytes) = known.manifest(&manifest) {
            return Ok((evidence_by_manifest(store, manifest.name, bytes)?, None));
        }
        let (bytes, tag) = store.read_version(&manifest.name)?.unwrap_or_default();
        let read = tag.map(|tag| (manifest.name.clone(), tag, bytes.clone()));
        Ok((evidence_by_manifest(store, manifest.name, &bytes)?, read))
    };
    let pool = many_requests(&**store, manifests.len())?;
    let loaded = pool.install(|| {
        manifests
            .into_par_iter()
            .map(load)
            .collect::<io::Result<Vec<_>>>()
    })?;
    let mut found = Vec::new();
    for (archive, read) in loaded {
        found.push(archive);
        if let Some((manifest, tag, bytes)) = read {
            known.add_manifest(&manifest, Some(tag), &bytes);
        }
    }
    Ok((found, known))
}

/// Returns the evidence of each archive once: of several, the best one, which has all that the others have (KNOW-1).
fn each_once(
    archives: BTreeMap<(String, String), Vec<ArchiveEvidence<'_>>>,
) -> Result<ArchivesFound<'_>, Error> {
    let mut found = ArchivesFound::new();
    for (key, mut of_archive) in archives {
        // Of equal ones, the digest decides, so that the order of the folders does not.
        of_archive.sort_by_cached_key(|archive| (archive.rank(), archive.digest));
        let Some(best) = of_archive.pop() else {
            continue;
        };
        for other in of_archive {
            let unreadable = |source| Error::EvidenceUnreadable {
                location: other.store().location(),
                source,
            };
            if !has_all_of(&best, &other).map_err(unreadable)? {
                return Err(differs(&other, &best));
            }
        }
        found.insert(key, best);
    }
    Ok(found)
}

/// Two folders have evidence of different files with one name; the error says how both get that of the same one.
fn differs(other: &ArchiveEvidence<'_>, best: &ArchiveEvidence<'_>) -> Error {
    let name = other.manifest.warc_filename.clone();
    let (first, second) = (other.store().location(), best.store().location());
    let repair = |folder: &str| {
        format!(
            "that in {folder} is of a damaged copy; read the good one into it: crawlprefs scan ARCHIVE --again {name} -o {folder}"
        )
    };
    let is_same_file = other.manifest.fingerprint == best.manifest.fingerprint;
    let next = match (other.manifest.is_damaged(), best.manifest.is_damaged()) {
        (true, false) => repair(&first),
        (false, true) => repair(&second),
        (true, true) | (false, false) if is_same_file => format!(
            "that in {first} has captures that the other one lacks; read the archive again into both: crawlprefs scan ARCHIVE \
             --again {name} -o {first} (and -o {second}), or resolve each folder by itself: crawlprefs resolve {first} -o TABLES"
        ),
        (true, true) | (false, false) => format!(
            "read the one that is meant into the folder that has the other: crawlprefs scan ARCHIVE --again changed -o {first} \
             (or -o {second}), or resolve each folder by itself: crawlprefs resolve {first} -o TABLES"
        ),
    };
    Error::EvidenceDiffers {
        name,
        first,
        second,
        next,
    }
}

fn check_format(store: &dyn Store) -> Result<(), Error> {
    let unreadable = |source| Error::EvidenceUnreadable {
        location: store.location(),
        source,
    };
    let Some(identity) = Identity::read(store, RunFile::Scan).map_err(unreadable)? else {
        return Ok(());
    };
    let found = identity
        .options
        .get("evidence_format")
        .map_or("none", String::as_str);
    if found == EVIDENCE_FORMAT {
        return Ok(());
    }
    let next = if is_newer(found, EVIDENCE_FORMAT) {
        "it was written by a newer version of crawlprefs: use that version"
    } else {
        "scan the archives again into another folder"
    };
    let detail = format!("its format is {found}, this version reads {EVIDENCE_FORMAT}; {next}");
    Err(unreadable(io::Error::other(detail)))
}

/// Returns the folders of evidence of tables: those `given`, else the tables' own and those that they name.
pub fn evidence_of(
    tables: &Arc<dyn Store>,
    given: Vec<Arc<dyn Store>>,
) -> Result<Vec<Arc<dyn Store>>, Error> {
    if !given.is_empty() {
        return Ok(given);
    }
    let unreadable = |source| Error::TablesUnreadable {
        location: tables.location(),
        source,
    };
    let identity = Identity::read(tables.as_ref(), RunFile::Resolve).map_err(unreadable)?;
    let mut found = Vec::new();
    for (named, absolute) in identity.iter().flat_map(Identity::places) {
        let elsewhere = |UrlByFile { url }| Error::EvidenceElsewhere {
            location: tables.location(),
            url,
        };
        let named = folder_by_file(named).map_err(elsewhere)?;
        let absolute = absolute
            .map(folder_by_file)
            .transpose()
            .map_err(elsewhere)?;
        found.push(of_either(named, absolute).map_err(|source| {
            let location = absolute.unwrap_or(named).display().to_string();
            Error::EvidenceUnreadable { location, source }
        })?);
    }
    if found.is_empty() || !tables.list(MANIFESTS).map_err(unreadable)?.is_empty() {
        found.push(Arc::clone(tables));
    }
    Ok(found)
}

/// Whether a folder that tables name has evidence now; a URL is not asked.
pub fn is_there(named: &str, absolute: Option<&str>) -> bool {
    let Ok(named) = folder_by_file(named) else {
        return true;
    };
    let Ok(absolute) = absolute.map(folder_by_file).transpose() else {
        return true;
    };
    of_either(named, absolute).is_ok_and(|store| has_evidence(store.as_ref()).unwrap_or(true))
}

fn has_evidence(store: &dyn Store) -> io::Result<bool> {
    store
        .bytes(RunFile::Scan.name())
        .map(|bytes| bytes.is_some())
}

/// The folder at its earlier place, or, if that has no evidence now but the name as given has some, that one.
fn of_either(named: &Path, absolute: Option<&Path>) -> io::Result<Arc<dyn Store>> {
    let places = Places::default();
    let given = places.input(named)?;
    let Some(absolute) = absolute else {
        return Ok(given.into());
    };
    let there = places.input(absolute)?;
    let is_moved = !has_evidence(there.as_ref())? && has_evidence(given.as_ref())?;
    Ok(if is_moved { given } else { there }.into())
}
