//! Reads one archive and writes its evidence.

use super::open::{Opened, Stoppable};
use super::outcome::Progress;
use super::writer::EvidenceWriter;
use crate::archive::wacz::WaczMember;
use crate::archive::{
    Archive, ArchiveName, ArchiveSource, Damage, DamageKind, Event, Format, KeptRecord, Kind, Record,
};
use crate::evidence::{Capture, Heads, Reading, RecordReader, RecordType, languages};
use crate::runs::{Failures, Identified};
use crate::tables::archives::{ArchiveRow, Outcome, TypeCount};
use crate::web::capture_kind::CaptureKind;
use crate::web::shown::shown;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

/// The types of records that are counted one by one; further types are counted together.
const TYPES: usize = 64;
/// Progress is reported after this number of records.
const PROGRESS_RECORDS: u64 = 256;
/// A shorter rest may be the beginning of a record or of a gzip member.
const SHORTEST_RECORD_BYTES: u64 = 8;
/// The most bytes of revisits that are held until the archive has been read.
const WAITING_BYTES: usize = 64 << 20;

/// The results of reading an archive.
pub struct ScanTally {
    /// Its row in `archives`.
    pub row: ArchiveRow,
    /// Its rows in `failures`.
    pub failures: Failures,
    /// What identifies its bytes.
    pub identified: Identified,
    /// Captures by kind.
    pub captures: BTreeMap<CaptureKind, u64>,
    pub failures_by_kind: BTreeMap<DamageKind, u64>,
}

/// Why a scan ended early.
pub enum Halt {
    /// Progress asked for it.
    Stopped,
    /// Its evidence cannot be written.
    Write(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

struct Scan<'s, 'l> {
    name: &'s ArchiveName,
    reader: RecordReader,
    writer: &'s mut EvidenceWriter<'l>,
    row: ArchiveRow,
    failures: Failures,
    captures: BTreeMap<CaptureKind, u64>,
    failures_by_kind: BTreeMap<DamageKind, u64>,
    /// Revisits of site files whose body was not found yet: it may come after them (FRAME-5).
    waiting: Vec<KeptRecord>,
    waiting_bytes: usize,
    /// The last damage, unless a record was read after it.
    last: Option<(DamageKind, u64)>,
}

/// Reads an archive to its end. Its faults are in the tally.
///
/// # Errors
/// [`Halt`], if its evidence is not wanted or cannot be written.
pub fn scan(
    opened: Opened<'_>,
    name: &ArchiveName,
    reader: RecordReader,
    writer: &mut EvidenceWriter<'_>,
    progress: &dyn Progress,
) -> Result<ScanTally, Halt> {
    let mut scan = Scan {
        name,
        reader,
        writer,
        row: ArchiveRow::unread(Outcome::Read, None),
        failures: Failures::default(),
        captures: BTreeMap::new(),
        failures_by_kind: BTreeMap::new(),
        waiting: Vec::new(),
        waiting_bytes: 0,
        last: None,
    };
    let identified = match opened {
        Opened::Records(mut archive) => {
            if scan.reader.depth().skips_bodies() {
                let mut heads = Heads::new(scan.reader.depth(), name);
                archive.skip_bodies(Box::new(move |record| heads.wanted(record)));
            }
            scan.read(&mut archive, progress)?;
            scan.row.bodies_skipped = archive.skipped_bodies();
            scan.row.format = Some(format!("{}{}", archive.format().as_str(), archive.codec().as_str()));
            let identified = archive.into_source().finish();
            scan.end(identified.fingerprint.bytes);
            identified
        }
        Opened::Wacz { source, members, identified } => {
            scan.row.format = Some(Format::Wacz.as_str().to_owned());
            let mut faults = Vec::new();
            for member in &members {
                let fault = scan.member(&source, member, progress)?;
                faults.extend(fault.map(|fault| (member.is_repeated(), fault)));
            }
            scan.end_wacz(members.len(), &faults);
            scan.row.bytes = identified.fingerprint.bytes;
            identified
        }
    };
    scan.end_waiting()?;
    let Scan { row, failures, captures, failures_by_kind, .. } = scan;
    Ok(ScanTally { row, failures, identified, captures, failures_by_kind })
}

impl Scan<'_, '_> {
    /// Reads an archive in a WACZ; returns why it cannot be read.
    fn member(
        &mut self,
        source: &Arc<dyn ArchiveSource>,
        member: &WaczMember,
        progress: &dyn Progress,
    ) -> Result<Option<String>, Halt> {
        let opened = member
            .open(source)
            .and_then(|source| Archive::open_at(Stoppable { source, progress }, member.offset));
        let detail = match opened {
            Ok(Ok(mut archive)) => {
                self.last = None;
                self.read(&mut archive, progress)?;
                self.end(archive.source_offset());
                return Ok(None);
            }
            Ok(Err(Format::Empty)) => return Ok(None),
            Ok(Err(format)) => {
                format!(
                    "{} is no archive that is read: found {}",
                    shown(member.name.as_bytes()),
                    format.as_str()
                )
            }
            Err(error) => error.to_string(),
        };
        self.row.records += 1;
        self.damage(Damage::lost(member.offset, DamageKind::Read, detail.clone()));
        Ok(Some(detail))
    }

    /// Distinguishes a WACZ that could not be read at all, or whose files cannot be told apart from others', from the rest.
    fn end_wacz(&mut self, members: usize, faults: &[(bool, String)]) {
        let repeated = faults.iter().find(|(is_repeated, _)| *is_repeated);
        let fault = repeated.or(faults.first().filter(|_| faults.len() == members));
        if let Some((_, detail)) = fault
            && self.row.outcome == Outcome::Read
        {
            self.row.outcome = Outcome::UnsupportedFormat;
            self.row.detail = Some(detail.clone());
        }
    }

    fn read<R: Read>(&mut self, archive: &mut Archive<R>, progress: &dyn Progress) -> Result<(), Halt> {
        let (mut reported_bytes, mut reported_records) = (archive.source_offset(), 0);
        loop {
            match archive.next() {
                Ok(Some(Event::Record(record))) => self.record(&record)?,
                Ok(Some(Event::Damage(damage))) => self.damage(damage),
                Ok(None) => break,
                Err(_) if progress.should_stop() => return Err(Halt::Stopped),
                Err(error) => {
                    self.row.outcome = Outcome::Unreadable;
                    self.row.detail = Some(error.to_string());
                    let offset = archive.source_offset();
                    self.damage(Damage::harmless(offset, DamageKind::Read, error.to_string()));
                    break;
                }
            }
            if archive.records() - reported_records >= PROGRESS_RECORDS {
                progress
                    .advanced(archive.source_offset() - reported_bytes, archive.records() - reported_records);
                (reported_bytes, reported_records) = (archive.source_offset(), archive.records());
                if progress.should_stop() {
                    return Err(Halt::Stopped);
                }
            }
        }
        progress.advanced(archive.source_offset() - reported_bytes, archive.records() - reported_records);
        self.row.bytes = archive.source_offset();
        self.row.records += archive.records();
        Ok(())
    }

    /// Distinguishes an archive that ends inside a record from one that was read to its end.
    fn end(&mut self, bytes: u64) {
        let Some((kind, offset)) = self.last.filter(|_| self.row.outcome == Outcome::Read) else { return };
        let is_cut = match kind {
            DamageKind::GzipCut | DamageKind::HeadCut | DamageKind::BlockShort => true,
            DamageKind::NotGzip | DamageKind::NotARecord | DamageKind::Misaligned => {
                bytes.saturating_sub(offset) < SHORTEST_RECORD_BYTES
            }
            DamageKind::GzipData
            | DamageKind::GzipChecksum
            | DamageKind::Padding
            | DamageKind::HeadTooLong
            | DamageKind::ContentLength
            | DamageKind::InsideBlock
            | DamageKind::Read
            | DamageKind::Envelope
            | DamageKind::NoTargetUri
            | DamageKind::Date
            | DamageKind::Url
            | DamageKind::More => false,
        };
        if is_cut {
            self.row.outcome = Outcome::Cut;
            self.row.detail = Some(format!("it ends after {bytes} bytes, inside a record"));
        }
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.last = None;
        self.note_archive(record);
        let mut damage = Vec::new();
        let outcome = match self.reader.read(record, self.name.subset()) {
            Reading::NoInterest => {
                if let Some((about, languages)) = languages(record) {
                    self.writer.add_languages(about, &languages)?;
                }
                RecordOutcome::NoInterest
            }
            Reading::Lost(loss) => {
                damage.push(loss);
                RecordOutcome::Lost
            }
            Reading::Capture(mut capture) => {
                *self.captures.entry(capture.kind).or_default() += 1;
                damage.append(&mut capture.notes);
                if waits(&capture) && self.waiting_bytes < WAITING_BYTES {
                    let kept = record.keep();
                    self.waiting_bytes += kept.byte_count();
                    self.waiting.push(kept);
                } else {
                    self.writer.add(capture)?;
                }
                RecordOutcome::Capture
            }
        };
        count(&mut self.row.by_type, record, outcome);
        for damage in damage {
            self.damage(damage);
        }
        Ok(())
    }

    fn end_waiting(&mut self) -> io::Result<()> {
        self.reader.end_input();
        for kept in std::mem::take(&mut self.waiting) {
            if let Reading::Capture(capture) = self.reader.read(&kept.record(), self.name.subset()) {
                self.writer.add(capture)?;
            }
        }
        Ok(())
    }

    fn damage(&mut self, damage: Damage) {
        self.row.failures += 1;
        self.row.records_lost += u64::from(damage.record_lost);
        *self.failures_by_kind.entry(damage.kind).or_default() += 1;
        self.last = Some((damage.kind, damage.offset));
        self.failures.push(damage);
    }

    /// Keeps what a record's head says of the whole archive.
    fn note_archive(&mut self, record: &Record<'_>) {
        self.row.lenient_heads += u64::from(!record.is_strict);
        if self.row.warc_version.is_none() {
            self.row.warc_version = record.version.map(excerpt);
        }
        if self.row.writer.is_none() && record.kind == Kind::Info {
            self.row.writer = software(record.block);
        }
    }
}

/// Whether the body of a capture may come after it.
fn waits(capture: &Capture<'_>) -> bool {
    capture.record_type == RecordType::Revisit && capture.kind != CaptureKind::Page && capture.unread.body
}

#[derive(Clone, Copy)]
enum RecordOutcome {
    Capture,
    NoInterest,
    Lost,
}

fn count(by_type: &mut BTreeMap<String, TypeCount>, record: &Record<'_>, outcome: RecordOutcome) {
    let value = record.type_name.filter(|value| !value.is_empty()).unwrap_or(b"(none)");
    // The value as all writers write it: known, and no allocation.
    if let Some(count) = std::str::from_utf8(value).ok().and_then(|name| by_type.get_mut(name)) {
        return add(count, outcome);
    }
    let name = excerpt(value).to_ascii_lowercase();
    let known = by_type.contains_key(&name) || by_type.len() < TYPES;
    add(by_type.entry(if known { name } else { "(other)".to_owned() }).or_default(), outcome);
}

fn add(count: &mut TypeCount, outcome: RecordOutcome) {
    match outcome {
        RecordOutcome::Capture => count.captures += 1,
        RecordOutcome::NoInterest => count.no_interest += 1,
        RecordOutcome::Lost => count.lost += 1,
    }
}

/// WARC 1.1, 6.2: a warcinfo record's block has fields such as `software: Heritrix/3.4`; that of a WAT has `Software-Info`.
fn software(block: &[u8]) -> Option<String> {
    block.split(|byte| *byte == b'\n').take(100).find_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = line.split_at_checked(colon)?;
        let value = value.get(1..)?.trim_ascii();
        let named = [&b"software"[..], b"software-info"].iter().any(|known| name.eq_ignore_ascii_case(known));
        (named && !value.is_empty()).then(|| excerpt(value))
    })
}

/// The beginning of a value, as text.
fn excerpt(value: &[u8]) -> String {
    shown(value.get(..200).unwrap_or(value)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::software;

    #[test]
    fn warc_1_1_6_2_the_writer_is_the_software_field() {
        assert_eq!(software(b"isPartOf: x\r\nSoftware: A 1\r\n").as_deref(), Some("A 1"));
        assert_eq!(software(b"software:\r\nhost: b").as_deref(), None);
    }
}
