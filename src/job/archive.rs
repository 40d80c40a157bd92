//! One archive: whether it is read, and whether what was read replaces earlier evidence.
//!
//! Only reading the same archive again replaces evidence: deeper, or longer if the earlier file was cut or has grown, as
//! half a download that is whole now. Another file of that name is refused, unless the user wants it to be read.

use super::ScanOptions;
use super::copy::{ArchiveCopy, CopyRefusal};
use super::known::KnownArchives;
use super::open::{open, unreadable};
use super::outcome::{CHANGED, FailedInput, Progress, Scanned};
use super::scan::{ScanTally, scan};
use super::writer::EvidenceWriter;
use crate::evidence::READ_RULES;
use crate::evidence::noise::NOISE_VERSION;
use crate::plan::{Kept, Step, Why};
use crate::runs::{
    Comparison, CrawlInput, Failures, Found, Identified, ListedFiles, Manifest, NoEvidence,
    Relation, parts_fault,
};
use crate::store::{Claim, Stopped, Store};
use crate::tables::Footer;
use crate::tables::archives::{ArchiveRow, Outcome};
use crate::tables::captures::CAPTURES;
use std::io;

/// Reads an archive, unless its evidence exists. Fails with [`Stopped`], or if its evidence cannot be written.
pub fn scan_archive(archive: &CrawlInput, tools: &Tools<'_>) -> io::Result<Scanned> {
    let scanned = read_or_keep(archive, tools)?;
    if let Some(failed) = scanned
        .failed
        .as_ref()
        .filter(|failed| failed.outcome == CHANGED)
    {
        KnownArchives::note_changed(
            tools.store,
            archive,
            failed.detail.as_deref().unwrap_or_default(),
        )?;
    }
    Ok(scanned)
}

fn read_or_keep(archive: &CrawlInput, tools: &Tools<'_>) -> io::Result<Scanned> {
    let found = tools.known.find(tools.store, archive)?;
    if let Some(why) = archive.input.source.left_alone() {
        // Nothing is requested of its host, and nothing about it is written.
        let failed = FailedInput::new(archive, &ArchiveRow::unread(Outcome::Unreadable, Some(why)));
        return Ok(Scanned::kept(found.ok(), Some(failed)));
    }
    let mut failed = None;
    match decide(archive, &found, tools)? {
        Step::Make(why) => return make(archive, found, why, tools),
        Step::Refuse(refused) => failed = Some(refused),
        Step::Keep(Kept::Compared) => {
            if let Ok(earlier) = &found {
                tools.known.compared(archive, earlier);
                tools.known.note_same(tools.store, archive)?;
            }
        }
        Step::Keep(_) | Step::Remove(_) => {}
    }
    Ok(Scanned::kept(found.ok(), failed))
}

/// Decides about an archive, before any of it is read but its ends; `found` is what there is of it.
fn decide(archive: &CrawlInput, found: &Found, tools: &Tools<'_>) -> io::Result<Step<FailedInput>> {
    let options = tools.options;
    let earlier = match found {
        Ok(earlier) => earlier,
        Err(none) => return Ok(Step::Make(none.why.clone())),
    };
    let Some(fingerprint) = &earlier.fingerprint else {
        return Ok(Step::Keep(Kept::Done));
    };
    if options.may_believe(earlier) && tools.known.believes(archive, earlier, options.recheck) {
        return Ok(Step::Keep(Kept::Done));
    }
    let identified = match Identified::of_source(archive.input.source.as_ref(), fingerprint) {
        // It was deleted after it had been scanned, as a nightly job does.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && !options.again.is_wanted(earlier) =>
        {
            return Ok(Step::Keep(Kept::Done));
        }
        Err(error) => {
            return Ok(Step::Refuse(FailedInput::new(archive, &unreadable(&error))));
        }
        Ok(None) => return Ok(Step::Make(Why::Stale("it cannot be compared in part"))),
        Ok(Some(identified)) => identified,
    };
    let copy = copy_of(archive, earlier, &identified, None, tools)?;
    let step = options.step(earlier, &copy);
    Ok(step.map_refusal(|refusal| refused(archive, earlier, refusal, &copy)))
}

/// Returns what a call would do with an archive, of which nothing is asked if that takes requests.
pub fn step(archive: &CrawlInput, found: &Found, tools: &Tools<'_>) -> io::Result<Step> {
    let options = tools.options;
    if let Ok(earlier) = found
        && archive.input.source.is_remote()
    {
        return Ok(match options.why_asked_for(earlier) {
            _ if options.may_believe(earlier) => Step::Keep(Kept::Done),
            Some(why) => Step::Make(Why::Stale(why)),
            None => Step::Keep(Kept::ToCompare),
        });
    }
    let step = decide(archive, found, tools)?;
    Ok(step.map_refusal(|failed| failed.detail.unwrap_or_default()))
}

/// Reads an archive, by what there is of it.
fn make(archive: &CrawlInput, found: Found, why: Why, tools: &Tools<'_>) -> io::Result<Scanned> {
    match (why, found) {
        // Where there is a manifest of damaged evidence, it says which archive repairs it.
        (Why::Damaged(damage), found) => {
            let manifest = found.map_or_else(|none| none.manifest, Some);
            repair(archive, &damage, manifest.as_deref(), tools)
        }
        (Why::New | Why::Stale(_), Ok(earlier)) => read_again(archive, earlier, tools),
        (Why::New | Why::Stale(_), Err(none)) => read_first(archive, none.manifest, tools),
    }
}

/// Finds out what is known of a copy; what needs requests is looked at only if it counts.
fn copy_of<'c>(
    archive: &CrawlInput,
    earlier: &Manifest,
    identified: &Identified,
    row: Option<&'c ArchiveRow>,
    tools: &Tools<'_>,
) -> io::Result<ArchiveCopy<'c>> {
    let store = tools.store;
    let comparison = tools.options.comparison;
    let relation = earlier
        .fingerprint
        .as_ref()
        .map_or(Relation::Other, |known| identified.relation(known));
    let mut is_newer = false;
    let mut damage = None;
    if relation == Relation::Same && comparison == Comparison::Bytes {
        let fault = parts_fault(&earlier.parts, store, (comparison, &ListedFiles::default()))?;
        damage = fault.map(|fault| format!("{}: {fault}", store.location()));
    } else if relation == Relation::Same
        && earlier.is_damaged()
        && let Some(modified) = archive.input.source.modified_unix_ms()
    {
        is_newer = earlier
            .written_unix_ms(store)?
            .is_some_and(|read| modified >= read);
    }
    Ok(ArchiveCopy {
        relation,
        bytes: identified.fingerprint.bytes,
        is_newer,
        damage,
        row,
    })
}

/// Names a copy as a failed input.
fn refused(
    archive: &CrawlInput,
    earlier: &Manifest,
    refusal: CopyRefusal,
    copy: &ArchiveCopy<'_>,
) -> FailedInput {
    let unread = ArchiveRow::unread(Outcome::Unreadable, None);
    let row = copy.row.unwrap_or(&unread);
    match (refusal, &earlier.fingerprint) {
        (CopyRefusal::Worse, _) => {
            FailedInput::worse(archive, row.records_lost, earlier.row.records_lost)
        }
        (CopyRefusal::Changed, Some(known)) => FailedInput::changed(archive, known, copy.bytes),
        (CopyRefusal::Unreadable, _) | (CopyRefusal::Changed, None) => {
            FailedInput::new(archive, row)
        }
    }
}

fn read_first(
    archive: &CrawlInput,
    failed: Option<Box<Manifest>>,
    tools: &Tools<'_>,
) -> io::Result<Scanned> {
    let row = match read(archive, None, tools)? {
        Ok(tally) => return commit(archive, tally, tools),
        Err(row) => row,
    };
    let ended = FailedInput::new(archive, &row);
    let manifest = Box::new(Manifest::new(archive, *row));
    // Another process may have read it meanwhile; its evidence counts.
    let replace = failed.is_some_and(|failed| failed != manifest);
    if replace
        && let Err(NoEvidence {
            why: Why::Stale(_), ..
        }) = Manifest::find(tools.store, archive)?
    {
        manifest.write(&Failures::default(), tools.store)?;
    } else if manifest.claim(tools.store)? == Claim::Exists
        && let Ok(theirs) = Manifest::find(tools.store, archive)?
    {
        return Ok(Scanned::kept(Some(theirs), None));
    }
    Ok(Scanned {
        failed: Some(ended),
        ..Scanned::now(manifest)
    })
}

/// Reads an archive again and keeps the better evidence.
fn read_again(
    archive: &CrawlInput,
    earlier: Box<Manifest>,
    tools: &Tools<'_>,
) -> io::Result<Scanned> {
    let tally = match read(archive, Some(&earlier), tools)? {
        Ok(tally) => tally,
        Err(row) => {
            let is_missing = row.outcome == Outcome::Missing;
            let failed = (!is_missing).then(|| FailedInput::new(archive, &row));
            return Ok(Scanned::kept(Some(earlier), failed));
        }
    };
    let row = Some(&tally.manifest.row);
    let copy = copy_of(archive, &earlier, &tally.identified, row, tools)?;
    match tools.options.step(&earlier, &copy) {
        Step::Make(_) => commit(archive, tally, tools),
        Step::Refuse(refusal) => {
            let failed = refused(archive, &earlier, refusal, &copy);
            Ok(Scanned::kept(Some(earlier), Some(failed)))
        }
        Step::Keep(_) | Step::Remove(_) => Ok(Scanned::kept(Some(earlier), None)),
    }
}

fn repair(
    archive: &CrawlInput,
    damage: &str,
    manifest: Option<&Manifest>,
    tools: &Tools<'_>,
) -> io::Result<Scanned> {
    let tally = match read(archive, manifest, tools)? {
        Ok(tally) => tally,
        Err(row) => {
            let mut failed = FailedInput::new(archive, &row);
            failed.detail = Some(format!(
                "{damage}; to repair it the archive is needed, but it is {}; where it is there: crawlprefs scan ARCHIVE -o {}",
                failed.outcome,
                tools.store.location()
            ));
            return Ok(Scanned::kept(None, Some(failed)));
        }
    };
    if let Some(earlier) = manifest
        && let Some(known) = &earlier.fingerprint
    {
        let bytes = tally.identified.fingerprint.bytes;
        let is_other = tally.identified.relation(known) == Relation::Other;
        if is_other && tools.options.refuses_other(earlier, bytes) {
            let failed = FailedInput::changed(archive, known, bytes);
            return Ok(Scanned::kept(None, Some(failed)));
        }
    }
    commit(archive, tally, tools)
}

/// Reads an archive, as deep as before at least; if it cannot be opened, its row says why.
fn read<'j>(
    archive: &'j CrawlInput,
    earlier: Option<&Manifest>,
    tools: &Tools<'j>,
) -> io::Result<Result<ScanTally<'j>, Box<ArchiveRow>>> {
    let wanted = tools.options.depth;
    let depth = earlier
        .and_then(|earlier| earlier.row.depth)
        .map_or(wanted, |depth| depth.max(wanted));
    let earlier_bytes = earlier.and_then(|earlier| Some(earlier.fingerprint.as_ref()?.bytes));
    let opened = match open(&archive.input.source, earlier_bytes, tools.progress) {
        Ok(opened) => opened,
        Err(_) if tools.progress.should_stop() => return Err(Stopped.into()),
        Err(row) => return Ok(Err(row)),
    };
    let mut footer = tools.footer.clone();
    footer.push(("depth", depth.as_str().to_owned()));
    let writer = EvidenceWriter::new(archive, tools.store, &footer)?;
    let mut tally = scan(opened, archive, depth, writer, tools.progress)?;
    let row = &mut tally.manifest.row;
    row.depth = Some(depth);
    row.read_rules = Some(READ_RULES);
    row.noise_list = Some(NOISE_VERSION.to_owned());
    assert!(
        row.adds_up(),
        "records read = captures + no interest + lost does not hold: {row:?}"
    );
    Ok(Ok(tally))
}

/// Ends the evidence, then writes its manifest. In between, the evidence is neither old nor new, and its manifest says so.
fn commit(archive: &CrawlInput, tally: ScanTally<'_>, tools: &Tools<'_>) -> io::Result<Scanned> {
    if tools
        .store
        .bytes(&Manifest::file(&archive.crawl, &archive.input.name))?
        .is_some()
    {
        Manifest::being_replaced(archive).write(&Failures::default(), tools.store)?;
    }
    let mut manifest = Box::new(tally.manifest);
    manifest.parts = tally.writer.commit()?;
    manifest.capture_columns = Some(CAPTURES.columns().count());
    manifest.fingerprint = Some(tally.identified.fingerprint);
    manifest.write(&tally.failures, tools.store)?;
    tools.known.note_same(tools.store, archive)?;
    tools.known.compared(archive, &manifest);
    Ok(Scanned::now(manifest))
}

/// What a worker needs to read an archive.
pub struct Tools<'j> {
    pub store: &'j dyn Store,
    pub progress: &'j dyn Progress,
    pub options: &'j ScanOptions,
    pub known: &'j KnownArchives,
    pub footer: Footer,
}
