//! One archive: whether it is read, and whether what was read replaces earlier evidence.
//!
//! Only reading the same archive again replaces evidence: deeper, or longer if the earlier file was cut or has grown. Example:
//! `x.warc.gz` was half downloaded when it was scanned. Once it is whole, it is read again. Another file of that name is
//! refused, unless the user wants the archive to be read again. Left out: what is in the records, see `scan`.

use super::copy::{ArchiveCopy, Asked, Changed, CopyStep, Refusal};
use super::known::KnownArchives;
use super::open::{open, unreadable};
use super::outcome::Progress;
use super::outcome::{CHANGED, FailedInput, Scanned};
use super::scan::{self, Halt, ScanTally};
use super::writer::EvidenceWriter;
use crate::evidence::noise::NOISE_VERSION;
use crate::evidence::{Depth, READ_RULES, RecordReader};
use crate::runs::{CrawlInput, Failures, Found, Identified, Look, Manifest, Relation};
use crate::store::{Claim, Store};
use crate::tables::Footer;
use crate::tables::archives::{ArchiveRow, Outcome};
use std::io;
use std::time::Duration;

/// Reads an archive, unless its evidence exists.
///
/// # Errors
/// [`Halt`], if its evidence is not wanted or cannot be written.
pub fn scan_archive(archive: &CrawlInput, tools: &Tools<'_>) -> Result<Scanned, Halt> {
    let scanned = read_or_keep(archive, tools)?;
    if let Some(failed) = scanned.failed.as_ref().filter(|failed| failed.outcome == CHANGED) {
        KnownArchives::note_changed(tools.store, archive, failed.detail.as_deref().unwrap_or_default())?;
    }
    Ok(scanned)
}

fn read_or_keep(archive: &CrawlInput, tools: &Tools<'_>) -> Result<Scanned, Halt> {
    let found = tools.known.find(tools.store, archive)?;
    if let Some(why) = archive.input.source.left_alone() {
        return Ok(not_asked(archive, found, why));
    }
    match found {
        Found::Evidence(earlier) => keep_or_read(archive, earlier, tools),
        Found::Nothing => read_first(archive, None, tools),
        Found::Failed(failed) => read_first(archive, Some(failed), tools),
        Found::Damaged(damage, manifest) => repair(archive, &damage, manifest.as_deref(), tools),
    }
}

/// An archive whose host is left alone: nothing is requested, and nothing about it is written.
fn not_asked(archive: &CrawlInput, found: Found, why: String) -> Scanned {
    let failed = FailedInput::new(archive, &ArchiveRow::unread(Outcome::Unreadable, Some(why)));
    match found {
        Found::Evidence(earlier) => Scanned::failed(Some(earlier), failed),
        Found::Nothing | Found::Failed(_) | Found::Damaged(..) => Scanned::failed(None, failed),
    }
}

fn keep_or_read(archive: &CrawlInput, earlier: Box<Manifest>, tools: &Tools<'_>) -> Result<Scanned, Halt> {
    let Some(fingerprint) = &earlier.fingerprint else { return Ok(Scanned::earlier(earlier)) };
    if tools.asked.may_believe(&earlier) && tools.known.believes(archive, &earlier, tools.recheck) {
        return Ok(Scanned::earlier(earlier));
    }
    let identified = match Identified::of_source(archive.input.source.as_ref(), fingerprint) {
        // It was deleted after it had been scanned, as a nightly job does.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !tools.asked.again.is_wanted(&earlier) => {
            return Ok(Scanned::earlier(earlier));
        }
        Err(error) => {
            let failed = FailedInput::new(archive, &unreadable(&error));
            return Ok(Scanned::failed(Some(earlier), failed));
        }
        Ok(identified) => identified,
    };
    let Some(identified) = identified else { return read_again(archive, earlier, tools) };
    let copy = copy_of(archive, &earlier, &identified, tools)?;
    match tools.asked.step(&earlier, &copy) {
        CopyStep::Keep => {
            tools.known.compared(archive, &earlier);
            tools.known.note_same(tools.store, archive)?;
            Ok(Scanned::earlier(earlier))
        }
        CopyStep::Read => read_again(archive, earlier, tools),
        // The archive is here, so the damaged evidence can be repaired.
        CopyStep::Repair(damage) => repair(archive, &damage, Some(&earlier), tools),
        CopyStep::Refuse(refusal) => Ok(refused(archive, earlier, &refusal, &copy)),
    }
}

/// Finds out what is known of a copy; what needs requests is looked at only if it counts.
fn copy_of(
    archive: &CrawlInput,
    earlier: &Manifest,
    identified: &Identified,
    tools: &Tools<'_>,
) -> io::Result<ArchiveCopy<'static>> {
    let relation = earlier.fingerprint.as_ref().map_or(Relation::Other, |known| identified.relation(known));
    let (mut is_newer, mut damage) = (false, None);
    match (relation, tools.asked.look) {
        (Relation::Same, Look::Bytes) => damage = changed_part(earlier, tools)?,
        (Relation::Same, Look::Lengths) if earlier.is_damaged() => {
            if let Some(modified) = archive.input.source.modified_unix_ms() {
                is_newer = earlier.written_unix_ms(tools.store)?.is_some_and(|read| modified >= read);
            }
        }
        (Relation::Same | Relation::Continues | Relation::Other, _) => {}
    }
    Ok(ArchiveCopy { relation, bytes: identified.fingerprint.bytes, is_newer, damage, row: None })
}

/// Describes a file of the evidence whose bytes have changed since it was written; names and lengths were compared before.
fn changed_part(earlier: &Manifest, tools: &Tools<'_>) -> io::Result<Option<String>> {
    for part in &earlier.parts {
        if !part.is_unchanged(tools.store)? {
            return Ok(Some(format!("{}: its bytes have changed", tools.store.location_of(&part.file))));
        }
    }
    Ok(None)
}

fn refused(
    archive: &CrawlInput,
    earlier: Box<Manifest>,
    refusal: &Refusal,
    copy: &ArchiveCopy<'_>,
) -> Scanned {
    let unread = ArchiveRow::unread(Outcome::Unreadable, None);
    let row = copy.row.unwrap_or(&unread);
    let failed = match (refusal, &earlier.fingerprint) {
        (Refusal::Worse, _) => FailedInput::worse(archive, row.records_lost, earlier.row.records_lost),
        (Refusal::Changed, Some(known)) => FailedInput::changed(archive, known, copy.bytes),
        (Refusal::Unreadable, _) | (Refusal::Changed, None) => FailedInput::new(archive, row),
    };
    Scanned::failed(Some(earlier), failed)
}

fn read_first(
    archive: &CrawlInput,
    failed: Option<Box<Manifest>>,
    tools: &Tools<'_>,
) -> Result<Scanned, Halt> {
    match read(archive, tools.asked.depth, None, tools)? {
        Ok((tally, writer)) => commit(archive, tally, writer, tools).map(Scanned::now),
        Err(row) => {
            let ended = FailedInput::new(archive, &row);
            let manifest = Box::new(Manifest::new(archive, *row));
            // Another process may have read it meanwhile; its evidence counts.
            let replace = failed.is_some_and(|failed| failed != manifest);
            if replace && matches!(Manifest::find(tools.store, archive)?, Found::Failed(_)) {
                manifest.write(&Failures::default(), tools.store)?;
            } else if manifest.claim(tools.store)? == Claim::Exists {
                return Ok(match Manifest::find(tools.store, archive)? {
                    Found::Evidence(theirs) => Scanned::earlier(theirs),
                    Found::Nothing | Found::Failed(_) | Found::Damaged(..) => {
                        Scanned::now_failed(manifest, ended)
                    }
                });
            }
            Ok(Scanned::now_failed(manifest, ended))
        }
    }
}

/// Reads an archive again and keeps the better evidence.
fn read_again(archive: &CrawlInput, earlier: Box<Manifest>, tools: &Tools<'_>) -> Result<Scanned, Halt> {
    let Some(fingerprint) = earlier.fingerprint.clone() else { return Ok(Scanned::earlier(earlier)) };
    let depth = earlier.row.depth.map_or(tools.asked.depth, |earlier| earlier.max(tools.asked.depth));
    let (tally, writer) = match read(archive, depth, Some(fingerprint.bytes), tools)? {
        Ok(read) => read,
        Err(row) if row.outcome == Outcome::Missing => return Ok(Scanned::earlier(earlier)),
        Err(row) => return Ok(Scanned::failed(Some(earlier), FailedInput::new(archive, &row))),
    };
    let copy = copy_of(archive, &earlier, &tally.identified, tools)?;
    let copy = ArchiveCopy { row: Some(&tally.row), ..copy };
    match tools.asked.step(&earlier, &copy) {
        CopyStep::Keep => Ok(Scanned::earlier(earlier)),
        CopyStep::Read | CopyStep::Repair(_) => commit(archive, tally, writer, tools).map(Scanned::now),
        CopyStep::Refuse(refusal) => Ok(refused(archive, earlier, &refusal, &copy)),
    }
}

fn repair(
    archive: &CrawlInput,
    damage: &str,
    manifest: Option<&Manifest>,
    tools: &Tools<'_>,
) -> Result<Scanned, Halt> {
    let fingerprint = manifest.and_then(|manifest| manifest.fingerprint.clone());
    let depth = manifest.and_then(|manifest| manifest.row.depth).unwrap_or(tools.asked.depth);
    let earlier_bytes = fingerprint.as_ref().map(|fingerprint| fingerprint.bytes);
    let failed = |row: &ArchiveRow| {
        let mut failed = FailedInput::new(archive, row);
        failed.detail = Some(format!(
            "{damage}; to repair it the archive is needed, but it is {}; where it is there: crawlprefs scan ARCHIVE -o {}",
            failed.outcome,
            tools.store.location()
        ));
        Ok(Scanned::failed(None, failed))
    };
    let (tally, writer) = match read(archive, depth.max(tools.asked.depth), earlier_bytes, tools)? {
        Ok(read) => read,
        Err(row) => return failed(&row),
    };
    if let Some(fingerprint) = fingerprint.filter(|_| tools.asked.changed == Changed::Refuse)
        && tally.identified.relation(&fingerprint) == Relation::Other
    {
        let bytes = tally.identified.fingerprint.bytes;
        return Ok(Scanned::failed(None, FailedInput::changed(archive, &fingerprint, bytes)));
    }
    commit(archive, tally, writer, tools).map(Scanned::now)
}

/// Reads an archive; if it cannot be opened, its row says why.
#[allow(clippy::type_complexity)] // a tally and what is to be committed with it
fn read<'j>(
    archive: &'j CrawlInput,
    depth: Depth,
    earlier_bytes: Option<u64>,
    tools: &Tools<'j>,
) -> Result<Result<(ScanTally, EvidenceWriter<'j>), Box<ArchiveRow>>, Halt> {
    let opened = match open(&archive.input.source, earlier_bytes, tools.progress) {
        Ok(opened) => opened,
        Err(_) if tools.progress.should_stop() => return Err(Halt::Stopped),
        Err(row) => return Ok(Err(row)),
    };
    let mut footer = tools.footer.clone();
    footer.push(("depth", depth.as_str().to_owned()));
    let mut writer = EvidenceWriter::new(archive, tools.store, &footer)?;
    let reader = RecordReader::new(depth).of_archive(&archive.input.name);
    let mut tally = scan::scan(opened, &archive.input.name, reader, &mut writer, tools.progress)?;
    tally.row.depth = Some(depth);
    tally.row.read_rules = Some(READ_RULES);
    tally.row.noise_list = Some(NOISE_VERSION.to_owned());
    let row = &tally.row;
    assert!(row.adds_up(), "records read = captures + no interest + lost does not hold: {row:?}");
    Ok(Ok((tally, writer)))
}

/// Ends the evidence, then writes its manifest. In between, the evidence is neither old nor new, and its manifest says so.
fn commit(
    archive: &CrawlInput,
    tally: ScanTally,
    writer: EvidenceWriter<'_>,
    tools: &Tools<'_>,
) -> Result<Box<Manifest>, Halt> {
    if tools.store.bytes(&Manifest::file(&archive.crawl, &archive.input.name))?.is_some() {
        Manifest::being_replaced(archive).write(&Failures::default(), tools.store)?;
    }
    let mut manifest = Box::new(Manifest::new(archive, tally.row));
    manifest.parts = writer.commit()?;
    manifest.fingerprint = Some(tally.identified.fingerprint);
    manifest.captures =
        tally.captures.iter().map(|(kind, count)| (kind.as_str().to_owned(), *count)).collect();
    manifest.failures_by_kind =
        tally.failures_by_kind.iter().map(|(kind, count)| (kind.as_str().to_owned(), *count)).collect();
    manifest.write(&tally.failures, tools.store)?;
    tools.known.note_same(tools.store, archive)?;
    tools.known.compared(archive, &manifest);
    Ok(manifest)
}

/// What a worker needs to read an archive.
pub struct Tools<'j> {
    /// Where the evidence goes.
    pub store: &'j dyn Store,
    /// Receives reports.
    pub progress: &'j dyn Progress,
    /// What the call asks for.
    pub asked: Asked<'j>,
    /// What is known of the archives before any of them is looked at.
    pub known: &'j KnownArchives,
    /// How long an archive behind a URL is believed to be the one that was read.
    pub recheck: Duration,
    /// The footers of evidence.
    pub footer: Footer,
}
