//! What is known of the archives of a call before it looks at any of them.
//!
//! Example: for 20,000 archives whose evidence is in a bucket, three listings and what the bucket remembers say which are
//! unchanged. The others are requested one by one, as all are with `--verify`.

use super::lock;
use crate::archive::unix_ms;
use crate::plan::Why;
use crate::runs::{
    ChangedNote, Comparison, CrawlInput, Found, LastComparison, ListedFiles, Manifest, NoEvidence,
    Remembered, many_requests, sha1_text,
};
use crate::store::{ObjectVersion, Store};
use crate::tables::captures::CAPTURES;
use crate::tables::site_files::SITE_FILES;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// For fewer archives, a listing costs more than it saves.
const FEWEST_LISTED: usize = 16;

/// What is known of the archives of a call.
#[derive(Default)]
pub struct KnownArchives {
    /// The files of their evidence when the call began.
    listed: ListedFiles,
    remembered: Mutex<Remembered>,
    /// The notes of archives for which an earlier call found another file.
    changed: BTreeSet<String>,
}

impl KnownArchives {
    /// Finds out what a store knows of archives without a request for each.
    pub fn look_up(
        store: &dyn Store,
        archives: &[CrawlInput],
        comparison: Comparison,
    ) -> io::Result<Self> {
        let changed = ChangedNote::all(store)?;
        let is_listed = archives.len() >= FEWEST_LISTED;
        let is_remote = archives
            .iter()
            .any(|archive| archive.input.source.is_remote());
        if comparison == Comparison::Bytes || !(is_listed || is_remote) {
            return Ok(Self {
                changed,
                ..Self::default()
            });
        }
        let listed = if is_listed {
            listed(store, archives)?
        } else {
            ListedFiles::default()
        };
        let manifests: Vec<String> = archives.iter().map(manifest_file).collect();
        let mut remembered = Remembered::read(
            store,
            manifests
                .iter()
                .filter(|manifest| is_remote || listed.version(manifest).is_some())
                .map(String::as_str),
        )?;
        let is_unknown = |version: &&ObjectVersion| {
            version.tag.is_some() && remembered.manifest(version).is_none()
        };
        let unknown = manifests
            .iter()
            .filter_map(|manifest| listed.version(manifest));
        let unknown: Vec<&ObjectVersion> = unknown.filter(is_unknown).collect();
        let pool = many_requests(store, unknown.len())?;
        let read = |version: &&ObjectVersion| store.read_version(&version.name);
        let read = pool.install(|| unknown.par_iter().map(read).collect::<io::Result<Vec<_>>>())?;
        for (version, read) in unknown.into_iter().zip(read) {
            if let Some((bytes, tag)) = read {
                remembered.add_manifest(&version.name, tag, &bytes);
            }
        }
        Ok(Self {
            listed,
            remembered: Mutex::new(remembered),
            changed,
        })
    }

    /// Returns what a store has of an archive: as it was when the call began, if all its files existed then.
    pub fn find(&self, store: &dyn Store, archive: &CrawlInput) -> io::Result<Found> {
        self.evidence(store, archive)
            .map_or_else(|| Manifest::find(store, archive), Ok)
    }

    /// Returns what a store has of each archive, without reading any: nothing for one that is missing from a complete listing.
    pub fn find_all(&self, store: &dyn Store, archives: &[CrawlInput]) -> io::Result<Vec<Found>> {
        let is_absent = |archive: &CrawlInput| {
            let file = manifest_file(archive);
            is_plain(&file) && self.listed.is_known() && self.listed.version(&file).is_none()
        };
        let pool = many_requests(store, archives.len())?;
        pool.install(|| {
            archives
                .par_iter()
                .map(|archive| {
                    if is_absent(archive) {
                        Ok(Err(NoEvidence::NEW))
                    } else {
                        self.find(store, archive)
                    }
                })
                .collect()
        })
    }

    fn evidence(&self, store: &dyn Store, archive: &CrawlInput) -> Option<Found> {
        let file = manifest_file(archive);
        let bytes = lock(&self.remembered)
            .manifest(self.listed.version(&file)?)?
            .to_vec();
        let length = |part: &str| Ok(self.listed.version(part).map(|version| version.bytes));
        match Manifest::found(store, &file, &bytes, &length).ok()? {
            Err(NoEvidence {
                why: Why::New | Why::Damaged(_),
                ..
            }) => None,
            found => Some(found),
        }
    }

    /// Whether an archive is taken without a request for the one that the evidence is from: its listing has the compared
    /// version, or, without a listing, it was compared recently at the same place. A damaged one may have been repaired.
    pub fn believes(&self, archive: &CrawlInput, earlier: &Manifest, recheck: Duration) -> bool {
        if earlier.is_damaged() || !archive.input.source.is_remote() || self.is_noted(archive) {
            return false;
        }
        let remembered = lock(&self.remembered);
        let Some(compared) = remembered.compared(&manifest_file(archive)) else {
            return false;
        };
        if earlier.fingerprint.as_ref() != Some(&compared.fingerprint) {
            return false;
        }
        let source = &archive.input.source;
        if let Some(listed) = source.listed_version() {
            return compared.version == Some(listed);
        }
        compared.location_sha1 == Some(sha1_text(&source.location()))
            && is_within(compared.at_unix_ms, recheck)
    }

    /// Notes that another file was found for an archive, whose evidence stays.
    pub fn note_changed(store: &dyn Store, archive: &CrawlInput, detail: &str) -> io::Result<()> {
        let warc_filename = archive.input.name.filename().to_owned();
        ChangedNote {
            warc_filename,
            detail: detail.to_owned(),
        }
        .write(store, &note_file(archive))
    }

    /// Notes that an archive is the one that the evidence is from.
    pub fn note_same(&self, store: &dyn Store, archive: &CrawlInput) -> io::Result<()> {
        if self.is_noted(archive) {
            store.remove(&note_file(archive))
        } else {
            Ok(())
        }
    }

    fn is_noted(&self, archive: &CrawlInput) -> bool {
        !self.changed.is_empty() && self.changed.contains(&note_file(archive))
    }

    /// Remembers that an archive was read now, or is the one that the evidence is from.
    pub fn compared(&self, archive: &CrawlInput, manifest: &Manifest) {
        let source = &archive.input.source;
        let fingerprint = manifest
            .fingerprint
            .clone()
            .filter(|_| source.is_remote() && !manifest.is_damaged());
        if let Some((fingerprint, at_unix_ms)) = fingerprint.zip(unix_ms(SystemTime::now())) {
            let location_sha1 = Some(sha1_text(&source.location()));
            let compared = LastComparison {
                fingerprint,
                at_unix_ms,
                location_sha1,
                version: source.version(),
            };
            lock(&self.remembered).add_compared(&manifest_file(archive), compared);
        }
    }

    /// Writes what is new. It is not part of the output: if that fails, the next call asks again.
    pub fn write(&self, store: &dyn Store) {
        let _ = lock(&self.remembered).write(store);
    }
}

/// Whether a time is in the past, and not longer ago than an archive is believed.
fn is_within(at_unix_ms: i64, recheck: Duration) -> bool {
    let now = unix_ms(SystemTime::now());
    let since = now.and_then(|now| u128::try_from(now.checked_sub(at_unix_ms)?).ok());
    since.is_some_and(|since| since < recheck.as_millis())
}

fn note_file(archive: &CrawlInput) -> String {
    ChangedNote::file(&archive.crawl, &archive.input.name)
}

fn manifest_file(archive: &CrawlInput) -> String {
    Manifest::file(&archive.crawl, &archive.input.name)
}

/// Whether every listing has a file of this name if it exists: it is not hidden, and no store writes it otherwise.
fn is_plain(file: &str) -> bool {
    !file.contains("/.")
        && file
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/=-_.".contains(&byte))
}

/// The evidence files of archives that exist.
fn listed(store: &dyn Store, archives: &[CrawlInput]) -> io::Result<ListedFiles> {
    ListedFiles::list(
        store,
        archives.iter().flat_map(|archive| {
            let parts = [&CAPTURES, &SITE_FILES].map(|table| Manifest::part_file(table, archive));
            parts.into_iter().chain([manifest_file(archive)])
        }),
    )
}
