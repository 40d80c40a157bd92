//! Reads one archive and writes its evidence.

use super::open::{Opened, Stoppable};
use super::outcome::Progress;
use super::writer::EvidenceWriter;
use crate::archive::wacz::WaczMember;
use crate::archive::{
    Archive, ArchiveSource, Damage, DamageKind, Event, Format, KeptRecord, Kind, Record,
};
use crate::evidence::{Capture, Depth, Heads, Reading, RecordReader, RecordType, languages};
use crate::runs::{CrawlInput, Failures, Identified, Manifest, add_one};
use crate::store::Stopped;
use crate::tables::archives::{ArchiveRow, Outcome, TypeCount};
use crate::web::capture_kind::CaptureKind;
use crate::web::lines::split_once;
use crate::web::shown::shown;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

/// The types of records that are counted one by one, the others together: WARC 1.1, 5.5, has eight.
const TYPES: usize = 64;
/// Progress is reported after this number of records; any number of this size.
const PROGRESS_RECORDS: u64 = 256;
/// A shorter rest may be the beginning of a record or of a gzip member.
const SHORTEST_RECORD_BYTES: u64 = 8;
/// The most bytes of revisits that are held until the archive has been read.
const WAITING_BYTES: usize = 64 << 20;

/// The results of reading an archive.
pub struct ScanTally<'j> {
    /// Has no fingerprint and no files yet.
    pub manifest: Manifest,
    pub failures: Failures,
    pub identified: Identified,
    /// Not yet committed.
    pub writer: EvidenceWriter<'j>,
}

struct Scan<'j> {
    archive: &'j CrawlInput,
    reader: RecordReader,
    writer: EvidenceWriter<'j>,
    manifest: Manifest,
    failures: Failures,
    /// Revisits of site files whose body was not found yet: it may come after them (FRAME-5).
    waiting: Vec<KeptRecord>,
    waiting_bytes: usize,
    /// The last damage, unless a record was read after it.
    last: Option<(DamageKind, u64)>,
    /// The archive in a WACZ that is being read.
    inner: Option<Box<str>>,
    progress: &'j dyn Progress,
}

/// Reads an archive to its end; its faults are in the tally. Fails with [`Stopped`], or if its evidence cannot be written.
pub fn scan<'j>(
    opened: Opened<'_>,
    archive: &'j CrawlInput,
    depth: Depth,
    writer: EvidenceWriter<'j>,
    progress: &'j dyn Progress,
) -> io::Result<ScanTally<'j>> {
    let mut scan = Scan {
        archive,
        reader: RecordReader::new(depth).of_archive(&archive.input.name),
        writer,
        manifest: Manifest::new(archive, ArchiveRow::unread(Outcome::Read, None)),
        failures: Failures::default(),
        waiting: Vec::new(),
        waiting_bytes: 0,
        last: None,
        inner: None,
        progress,
    };
    let identified = match opened {
        Opened::Records(mut archive) => {
            if depth.skips_bodies() {
                let mut heads = Heads::new(depth, &scan.archive.input.name);
                archive.skip_bodies(Box::new(move |record| heads.wanted(record)));
            }
            scan.read(&mut archive)?;
            let row = &mut scan.manifest.row;
            row.bodies_skipped = archive.skipped_bodies();
            row.format = Some(format!(
                "{}{}",
                archive.format().as_str(),
                archive.codec().as_str()
            ));
            let identified = archive.into_source().finish();
            scan.end(identified.fingerprint.bytes);
            identified
        }
        Opened::Wacz {
            source,
            members,
            identified,
        } => {
            scan.manifest.row.format = Some(Format::Wacz.as_str().to_owned());
            scan.writer.name_members(&members);
            let mut faults = Vec::new();
            for member in &members {
                scan.inner = Some(shown(member.inner.as_bytes()).into());
                let fault = scan.member(&source, member)?;
                faults.extend(fault.map(|fault| (member.is_repeated(), fault)));
            }
            scan.end_wacz(members.len(), &faults);
            scan.manifest.row.bytes = identified.fingerprint.bytes;
            identified
        }
    };
    scan.end_waiting()?;
    let Scan {
        manifest,
        failures,
        writer,
        ..
    } = scan;
    Ok(ScanTally {
        manifest,
        failures,
        identified,
        writer,
    })
}

impl Scan<'_> {
    /// Reads an archive in a WACZ; returns why it cannot be read.
    fn member(
        &mut self,
        source: &Arc<dyn ArchiveSource>,
        member: &WaczMember,
    ) -> io::Result<Option<String>> {
        let progress = self.progress;
        let opened = member.open(source).and_then(|source| {
            Archive::open_at(Stoppable { source, progress }, member.offset, member.bytes)
        });
        let detail = match opened {
            Ok(Ok(mut archive)) => {
                self.last = None;
                self.read(&mut archive)?;
                self.end(archive.source_offset());
                if member.is_other() {
                    let name = shown(member.name.as_bytes());
                    let detail =
                        format!("{name} is not the file whose SHA-256 datapackage.json has");
                    self.damage(Damage::harmless(member.offset, DamageKind::Digest, detail));
                }
                return Ok(None);
            }
            Ok(Err(Format::Empty)) => return Ok(None),
            Ok(Err(format)) => {
                let name = shown(member.name.as_bytes());
                format!(
                    "{name} is no archive that is read: found {}",
                    format.as_str()
                )
            }
            Err(error) => error.to_string(),
        };
        self.manifest.row.records += 1;
        let kind = if member.is_missing() {
            DamageKind::Digest
        } else {
            DamageKind::Read
        };
        self.damage(Damage::lost(member.offset, kind, detail.clone()));
        Ok(Some(detail))
    }

    /// Distinguishes a WACZ that could not be read at all, or whose files cannot be told apart from others', from the rest.
    fn end_wacz(&mut self, members: usize, faults: &[(bool, String)]) {
        let repeated = faults.iter().find(|(is_repeated, _)| *is_repeated);
        let fault = repeated.or(faults.first().filter(|_| faults.len() == members));
        if let Some((_, detail)) = fault
            && self.manifest.row.outcome == Outcome::Read
        {
            self.manifest.row.outcome = Outcome::UnsupportedFormat;
            self.manifest.row.detail = Some(detail.clone());
        }
    }

    fn read<R: Read>(&mut self, archive: &mut Archive<R>) -> io::Result<()> {
        let progress = self.progress;
        let mut reported = (archive.source_offset(), 0);
        let mut reported_records = 0;
        let mut report = |archive: &Archive<R>| {
            let now = (archive.source_offset(), archive.records());
            progress.advanced(now.0 - reported.0, now.1 - reported.1);
            reported = now;
        };
        loop {
            match archive.next() {
                Ok(Some(Event::Record(record))) => self.record(&record)?,
                Ok(Some(Event::Damage(damage))) => self.damage(damage),
                Ok(None) => break,
                Err(_) if progress.should_stop() => return Err(Stopped.into()),
                Err(error) => {
                    self.manifest.row.outcome = Outcome::Unreadable;
                    self.manifest.row.detail = Some(error.to_string());
                    let offset = archive.source_offset();
                    self.damage(Damage::harmless(
                        offset,
                        DamageKind::Read,
                        error.to_string(),
                    ));
                    break;
                }
            }
            if archive.records() - reported_records >= PROGRESS_RECORDS {
                reported_records = archive.records();
                report(archive);
                if progress.should_stop() {
                    return Err(Stopped.into());
                }
            }
        }
        report(archive);
        self.manifest.row.bytes = archive.source_offset();
        self.manifest.row.records += archive.records();
        Ok(())
    }

    /// Distinguishes an archive that ends inside a record from one that was read to its end.
    fn end(&mut self, bytes: u64) {
        let Some((kind, offset)) = self
            .last
            .filter(|_| self.manifest.row.outcome == Outcome::Read)
        else {
            return;
        };
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
            | DamageKind::Digest
            | DamageKind::More => false,
        };
        if is_cut {
            self.manifest.row.outcome = Outcome::Cut;
            self.manifest.row.detail =
                Some(format!("it ends after {bytes} bytes, inside a record"));
        }
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.last = None;
        self.note_archive(record);
        let mut damage = Vec::new();
        let fate: FateCount = match self.reader.read(record, self.archive.input.name.subset()) {
            Reading::NoInterest => {
                if let Some((about, languages)) = languages(record) {
                    self.writer.add_languages(about, &languages)?;
                }
                |count| &mut count.no_interest
            }
            Reading::Lost(loss) => {
                damage.push(loss);
                |count| &mut count.lost
            }
            Reading::Capture(mut capture) => {
                self.manifest
                    .count_capture(capture.kind, capture.fetched_at);
                damage.append(&mut capture.notes);
                if waits(&capture) && self.waiting_bytes < WAITING_BYTES {
                    let kept = record.keep();
                    self.waiting_bytes += kept.byte_count();
                    self.waiting.push(kept);
                } else {
                    self.manifest.revisits += u64::from(capture.lacks_its_original());
                    self.writer.add(capture)?;
                }
                |count| &mut count.captures
            }
        };
        count(&mut self.manifest.row.by_type, record, fate);
        for damage in damage {
            self.damage(damage);
        }
        Ok(())
    }

    fn end_waiting(&mut self) -> io::Result<()> {
        self.reader.end_input();
        for kept in std::mem::take(&mut self.waiting) {
            if let Reading::Capture(capture) = self
                .reader
                .read(&kept.record(), self.archive.input.name.subset())
            {
                self.manifest.revisits += u64::from(capture.lacks_its_original());
                self.writer.add(capture)?;
            }
        }
        Ok(())
    }

    fn damage(&mut self, damage: Damage) {
        let damage = Damage {
            inner: self.inner.clone(),
            ..damage
        };
        self.manifest.row.failures += 1;
        self.manifest.row.records_lost += u64::from(damage.record_lost);
        add_one(&mut self.manifest.failures_by_kind, damage.kind.as_str());
        self.last = Some((damage.kind, damage.offset));
        self.failures.push(damage);
    }

    /// Keeps what a record's head says of the whole archive.
    fn note_archive(&mut self, record: &Record<'_>) {
        self.manifest.row.lenient_heads += u64::from(!record.is_strict);
        if self.manifest.row.warc_version.is_none() {
            self.manifest.row.warc_version = record.version.map(excerpt);
        }
        if self.manifest.row.writer.is_none() && record.kind == Kind::Info {
            self.manifest.row.writer = software(record.block);
        }
    }
}

/// Whether the body of a capture may come after it.
fn waits(capture: &Capture<'_>) -> bool {
    capture.record_type == RecordType::Revisit
        && capture.kind != CaptureKind::Page
        && capture.unread.body
}

/// The count of what became of a record.
type FateCount = fn(&mut TypeCount) -> &mut u64;

fn count(by_type: &mut BTreeMap<String, TypeCount>, record: &Record<'_>, fate: FateCount) {
    let value = record
        .type_name
        .filter(|value| !value.is_empty())
        .unwrap_or(b"(none)");
    // The value as all writers write it: known, and no allocation.
    if let Some(count) = std::str::from_utf8(value)
        .ok()
        .and_then(|name| by_type.get_mut(name))
    {
        *fate(count) += 1;
        return;
    }
    let name = excerpt(value).to_ascii_lowercase();
    let known = by_type.contains_key(&name) || by_type.len() < TYPES;
    *fate(
        by_type
            .entry(if known { name } else { "(other)".to_owned() })
            .or_default(),
    ) += 1;
}

/// WARC 1.1, 6.2: a warcinfo record's block has fields such as `software: Heritrix/3.4`; that of a WAT has `Software-Info`.
fn software(block: &[u8]) -> Option<String> {
    block
        .split(|byte| *byte == b'\n')
        .take(100)
        .find_map(|line| {
            let (name, value) = split_once(line, b':')?;
            let value = value.trim_ascii();
            let named = [&b"software"[..], b"software-info"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known));
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
        assert_eq!(
            software(b"isPartOf: x\r\nSoftware: A 1\r\n").as_deref(),
            Some("A 1")
        );
        assert_eq!(software(b"software:\r\nhost: b").as_deref(), None);
    }
}
