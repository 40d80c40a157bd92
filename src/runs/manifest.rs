//! The manifest of one archive: `_manifest/crawl=<id>/<stem>.json`.
//!
//! It is written after the archive's evidence, so evidence with a manifest is complete. It identifies the archive, and holds
//! what `resolve` writes to the tables `archives` and `failures`: as rows of their own, 100,000 archives would be 200,000 tiny
//! files. The same archive gives the same bytes whenever it is read.
//!
//! A note `_changed/crawl=<id>/<archive>.json` says that `x.warc.gz` has other bytes than its evidence. The evidence stays, and a
//! run with a note is not complete until the new file is read (`--again changed`) or the old one is back. To keep the evidence,
//! remove the note.

use super::fingerprint::Fingerprint;
use super::identity::{CHANGED, MANIFESTS, json, write_json};
use super::names::evidence_stem;
use crate::archive::{ArchiveName, CrawlId, Damage, DamageKind, Input};
use crate::error::Error;
use crate::plan::Why;
use crate::store::{Claim, ObjectName, Store, read_pieces};
use crate::tables::archives::{ArchiveRow, Design, Outcome};
use crate::tables::captures::CAPTURES;
use crate::tables::site_files::SITE_FILES;
use crate::tables::{PartWriter, Table};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The most failures of an archive that are listed; one more row counts the others; any number of this size.
const FAILURE_ROWS: usize = 10_000;

/// One file of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its name below the output folder.
    pub file: ObjectName,
    pub rows: u64,
    pub bytes: u64,
    /// SHA-1 (base32) of the file.
    pub sha1: String,
}

impl PartEntry {
    /// Ends a file and returns its entry.
    pub fn commit(file: String, part: PartWriter) -> io::Result<Self> {
        let rows = part.rows();
        let (bytes, digest) = part.commit()?;
        let file = file.try_into()?;
        Ok(Self {
            file,
            rows,
            bytes,
            sha1: BASE32.encode(&digest),
        })
    }

    pub fn is_of(&self, table: &Table) -> bool {
        self.file
            .strip_prefix(table.folder)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns whether the file still has the bytes with which it was written.
    pub fn is_unchanged(&self, store: &dyn Store) -> io::Result<bool> {
        let mut digest = Sha1::new();
        read_pieces(&*store.open(&self.file)?, |piece| digest.update(piece))?;
        Ok(BASE32.encode(&digest.finalize()) == self.sha1)
    }
}

/// What is known of one archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub crawl: CrawlId,
    pub warc_filename: String,
    /// Its row in `archives`.
    #[serde(flatten)]
    pub row: ArchiveRow,
    /// What identifies its bytes, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    pub captures: BTreeMap<String, u64>,
    /// The number of revisits whose originals may be in other archives (KNOW-4).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revisits: u64,
    /// When they were fetched, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<CaptureTimes>,
    pub failures_by_kind: BTreeMap<String, u64>,
    /// The files of its evidence; empty if nothing was read.
    pub parts: Vec<PartEntry>,
    /// How many columns its captures have; evidence that was written before a column came has fewer, or does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_columns: Option<usize>,
}

/// When the captures of an archive were fetched, in microseconds since 1970. One without a date is earlier than any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureTimes {
    pub first: i64,
    pub last: i64,
    /// The first of a site file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_site_file: Option<i64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl CaptureTimes {
    fn join(self, other: Self) -> Self {
        let site_files = [self.first_site_file, other.first_site_file];
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            first_site_file: site_files.into_iter().flatten().min(),
        }
    }
}

/// The rows of an archive in `failures`, which only some readers of the manifest need.
#[derive(Default, Serialize, Deserialize)]
pub struct Failures {
    failure_rows: Vec<Damage>,
    #[serde(skip)]
    more: u64,
    #[serde(skip)]
    more_lost: u64,
}

impl Failures {
    /// Adds damage; after 10,000 places it is only counted.
    pub fn push(&mut self, damage: Damage) {
        if self.failure_rows.len() < FAILURE_ROWS {
            return self.failure_rows.push(damage);
        }
        self.more += 1;
        self.more_lost += u64::from(damage.record_lost);
        let detail = format!("{} more, which cost {} records", self.more, self.more_lost);
        let offset = self
            .failure_rows
            .get(FAILURE_ROWS)
            .map_or(damage.offset, |first| first.offset);
        let record_lost = self.more_lost > 0;
        self.failure_rows.truncate(FAILURE_ROWS);
        self.failure_rows.push(Damage {
            offset,
            kind: DamageKind::More,
            detail,
            record_lost,
            inner: None,
        });
    }

    pub fn rows(&self) -> &[Damage] {
        &self.failure_rows
    }
}

#[derive(Serialize)]
struct Stored<'m> {
    #[serde(flatten)]
    manifest: &'m Manifest,
    #[serde(flatten)]
    failures: &'m Failures,
}

/// What a store has of an archive: whole evidence, or why the archive is read.
pub type Found = Result<Box<Manifest>, NoEvidence>;

/// Why an archive without whole evidence is read: it is new, or stale if it could not be read before, or its evidence is damaged.
pub struct NoEvidence {
    pub why: Why,
    /// The manifest, if there is one that can be read.
    pub manifest: Option<Box<Manifest>>,
}

impl NoEvidence {
    pub const NEW: Self = Self {
        why: Why::New,
        manifest: None,
    };
}

impl Manifest {
    /// Returns the manifest of an archive that is not read yet.
    pub fn new(archive: &CrawlInput, row: ArchiveRow) -> Self {
        let row = ArchiveRow {
            design: archive.design.clone(),
            ..row
        };
        Self {
            crawl: archive.crawl.clone(),
            warc_filename: archive.input.name.filename().to_owned(),
            row,
            fingerprint: None,
            captures: BTreeMap::new(),
            revisits: 0,
            times: None,
            failures_by_kind: BTreeMap::new(),
            parts: Vec::new(),
            capture_columns: None,
        }
    }

    /// Returns the manifest of an archive whose evidence is being replaced: it stays after a kill, and causes a new read.
    pub fn being_replaced(archive: &CrawlInput) -> Self {
        let detail =
            "its evidence was being replaced when a process ended: scan it again".to_owned();
        Self::new(
            archive,
            ArchiveRow::unread(Outcome::Unreadable, Some(detail)),
        )
    }

    pub fn name(&self) -> ArchiveName {
        ArchiveName::new(&self.warc_filename)
    }

    /// Returns whether the archive has damaged places, or was not read to its end.
    pub fn is_damaged(&self) -> bool {
        self.row.failures > 0 || self.row.outcome != Outcome::Read
    }

    /// Returns when it was written to a store, in milliseconds since 1970, if the store says it.
    pub fn written_unix_ms(&self, store: &dyn Store) -> io::Result<Option<i64>> {
        store.modified_unix_ms(&Self::file(&self.crawl, &self.name()))
    }

    /// Counts a capture of this kind and time.
    pub fn count_capture(&mut self, kind: CaptureKind, fetched_at: Option<Timestamp>) {
        add_one(&mut self.captures, kind.as_str());
        let at = fetched_at.map_or(i64::MIN, Timestamp::unix_micros);
        let site_file = (kind != CaptureKind::Page).then_some(at);
        let times = CaptureTimes {
            first: at,
            last: at,
            first_site_file: site_file,
        };
        self.times = Some(self.times.map_or(times, |known| known.join(times)));
    }

    pub fn has_site_files(&self) -> bool {
        self.captures
            .keys()
            .any(|kind| kind != CaptureKind::Page.as_str())
    }

    /// Returns the archive's file of a table of evidence, if any.
    pub fn part(&self, table: &Table) -> Option<&PartEntry> {
        self.parts.iter().find(|part| part.is_of(table))
    }

    /// Returns the number of distinct bodies of its site files.
    pub fn site_files(&self) -> u64 {
        self.part(&SITE_FILES).map_or(0, |part| part.rows)
    }

    /// Returns the name of the manifest of an archive.
    pub fn file(crawl: &str, name: &ArchiveName) -> String {
        format!("{MANIFESTS}/crawl={crawl}/{}.json", evidence_stem(name))
    }

    /// Returns the name of an archive's file of a table of evidence.
    pub fn part_file(table: &Table, archive: &CrawlInput) -> String {
        table.file_of_archive(&archive.crawl, &evidence_stem(&archive.input.name))
    }

    /// Writes it; from then on the archive's evidence is complete.
    pub fn write(&self, failures: &Failures, store: &dyn Store) -> io::Result<()> {
        write_json(
            store,
            &Self::file(&self.crawl, &self.name()),
            &Stored {
                manifest: self,
                failures,
            },
        )
    }

    /// Writes it only if there is none.
    pub fn claim(&self, store: &dyn Store) -> io::Result<Claim> {
        let stored = Stored {
            manifest: self,
            failures: &Failures::default(),
        };
        store.claim(&Self::file(&self.crawl, &self.name()), &json(&stored)?)
    }

    pub fn find(store: &dyn Store, archive: &CrawlInput) -> io::Result<Found> {
        let file = Self::file(&archive.crawl, &archive.input.name);
        match store.read(&file)? {
            None => Ok(Err(NoEvidence::NEW)),
            Some(bytes) => Self::found(store, &file, &bytes, &|part| store.bytes(part)),
        }
    }

    /// What a store has of an archive, given the bytes of its manifest and the lengths of the files that it names.
    pub(crate) fn found(
        store: &dyn Store,
        file: &str,
        bytes: &[u8],
        length: &dyn Fn(&str) -> io::Result<Option<u64>>,
    ) -> io::Result<Found> {
        let manifest: Box<Self> = match serde_json::from_slice(bytes) {
            Ok(manifest) => manifest,
            Err(error) => {
                let damage = format!("{}: not a manifest: {error}", store.location_of(file));
                let why = Why::Damaged(damage);
                return Ok(Err(NoEvidence {
                    why,
                    manifest: None,
                }));
            }
        };
        for part in &manifest.parts {
            let bytes = length(&part.file)?;
            if bytes != Some(part.bytes) {
                let found = bytes.map_or("it is gone".to_owned(), |bytes| {
                    format!("found {bytes} bytes")
                });
                let damage = format!(
                    "{}: {found}, expected {}",
                    store.location_of(&part.file),
                    part.bytes
                );
                return Ok(Err(NoEvidence {
                    why: Why::Damaged(damage),
                    manifest: Some(manifest),
                }));
            }
        }
        Ok(if manifest.part(&CAPTURES).is_some() {
            Ok(manifest)
        } else {
            Err(NoEvidence {
                why: Why::Stale("it could not be read"),
                manifest: Some(manifest),
            })
        })
    }
}

pub fn add_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    add_some(counts, name, 1);
}

/// Adds to a count; a known name is not copied.
pub fn add_some(counts: &mut BTreeMap<String, u64>, name: &str, some: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += some,
        None => drop(counts.insert(name.to_owned(), some)),
    }
}

pub fn add_all(mine: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        add_some(mine, name, *count);
    }
}

/// An archive to read, and the crawl that it belongs to, which is a partition of the tables.
#[derive(Clone, Debug)]
pub struct CrawlInput {
    pub crawl: CrawlId,
    /// The archive.
    pub input: Input,
    /// The list that it is from, if a part of the list was chosen.
    pub design: Option<Design>,
}

/// A segment of a crawl; `None` is all inputs without one.
pub type Segment = Option<(String, String)>;

impl CrawlInput {
    pub fn segment(&self) -> Segment {
        Some((
            self.crawl.to_string(),
            self.input.name.segment()?.to_owned(),
        ))
    }
}

/// Returns the error for a segment without evidence; it names some segments that have evidence.
pub fn segment_unknown(wanted: &Segment, known: &BTreeSet<Segment>) -> Error {
    const SHOWN: usize = 3;
    let name = |(crawl, segment): &(String, String)| format!("{crawl}/{segment}");
    let mut found: Vec<String> = known.iter().flatten().take(SHOWN).map(name).collect();
    let more = known.iter().flatten().count() - found.len();
    match more {
        0 if found.is_empty() => found.push("none".to_owned()),
        0 => {}
        _ => found.push(format!("and {more} more")),
    }
    let segment = wanted.as_ref().map_or_else(|| "other".to_owned(), name);
    Error::SegmentUnknown {
        segment,
        found: found.join(", "),
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ChangedNote {
    pub warc_filename: String,
    /// What was found.
    pub detail: String,
}

impl ChangedNote {
    /// Returns the name of the note about an archive.
    pub fn file(crawl: &str, name: &ArchiveName) -> String {
        Manifest::file(crawl, name).replacen(MANIFESTS, CHANGED, 1)
    }

    /// Returns the names of the notes in a folder.
    pub fn all(store: &dyn Store) -> io::Result<BTreeSet<String>> {
        Ok(store.list(CHANGED)?.into_iter().collect())
    }

    pub fn write(&self, store: &dyn Store, file: &str) -> io::Result<()> {
        write_json(store, file, self)
    }

    /// Reads it; if it was damaged or removed meanwhile, only its existence is known.
    pub fn read(store: &dyn Store, file: &str) -> io::Result<Option<Self>> {
        Ok(store
            .read(file)?
            .and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILURE_ROWS, Failures};
    use crate::archive::{Damage, DamageKind};

    #[test]
    fn local_ten_thousand_failures_are_listed_and_the_others_counted() {
        let mut failures = Failures::default();
        for offset in 0..25_000 {
            let damage = if offset % 2 == 0 {
                Damage::lost
            } else {
                Damage::harmless
            };
            failures.push(damage(offset, DamageKind::NotGzip, String::new()));
        }
        let more = "15000 more, which cost 7500 records";
        assert_eq!(failures.rows().len(), FAILURE_ROWS + 1);
        assert_eq!(
            failures.rows().last(),
            Some(&Damage::lost(10_000, DamageKind::More, more.to_owned()))
        );
    }
}
