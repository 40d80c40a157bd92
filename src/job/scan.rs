//! Reads one archive and hands its evidence on, piece by piece.

use super::part::{CAPTURE_ROWS, Piece, Tally};
use super::progress::Progress;
use crate::archive::{Archive, Damage, DamageKind, Event, Format, Head, Input, Record};
use crate::evidence::{Capture, Loss, Note, Reading, RecordReader};
use crate::tables::Rows;
use crate::tables::archives::{ArchiveRow, Outcome, TypeCount};
use crate::tables::captures::{self, CAPTURES};
use crate::tables::site_files::SiteFile;
use crate::web::capture_kind::CaptureKind;
use crate::web::shown::shown;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, ErrorKind, Read};

/// So many types of records are told apart; more are counted together.
const TYPES: usize = 64;
/// Progress is told after so many records.
const PROGRESS_RECORDS: u64 = 256;

/// Where the pieces of an archive go.
pub trait Outlet {
    /// Hands a piece on.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn send(&mut self, piece: Piece) -> io::Result<()>;
}

/// The scan of one archive.
struct Scan<'s, 'l> {
    input: &'s Input,
    reader: &'s mut RecordReader<'l>,
    rows: Rows,
    row: ArchiveRow,
    captures: BTreeMap<CaptureKind, u64>,
    bodies: HashSet<(CaptureKind, [u8; 20])>,
}

/// Why a scan ended early.
pub enum Halt {
    /// Progress asked for it.
    Stopped,
    /// Its pieces cannot be written.
    Write(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Reads `input` to its end. What is wrong with the input is in the tally.
///
/// # Errors
/// [`Halt`], where its pieces are not wanted or cannot be written.
pub fn scan(
    input: &Input,
    reader: &mut RecordReader<'_>,
    outlet: &mut dyn Outlet,
    progress: &dyn Progress,
) -> Result<Tally, Halt> {
    let mut scan = Scan {
        input,
        reader,
        rows: Rows::new(&CAPTURES),
        row: ArchiveRow::unread(Outcome::Read, None),
        captures: BTreeMap::new(),
        bodies: HashSet::new(),
    };
    match open(input) {
        Ok(mut archive) => scan.read(&mut archive, outlet, progress)?,
        Err(row) => scan.row = *row,
    }
    Ok(Tally { row: scan.row, captures: scan.captures })
}

/// Opens an input; where that fails, its row says why.
fn open(input: &Input) -> Result<Archive<Box<dyn Read + Send>>, Box<ArchiveRow>> {
    let unreadable = |error: io::Error| {
        let missing = error.kind() == ErrorKind::NotFound;
        let outcome = if missing { Outcome::Missing } else { Outcome::Unreadable };
        Box::new(ArchiveRow::unread(outcome, Some(error.to_string())))
    };
    let source = input.source.open().map_err(unreadable)?;
    let unread = |format: Format| {
        let (outcome, detail) = match format {
            Format::Empty => (Outcome::Empty, "no bytes, or nothing but empty gzip members".to_owned()),
            Format::Other => (Outcome::NotAnArchive, "found neither WARC/ nor gzip at its start".to_owned()),
            Format::Warc | Format::WarcGzip | Format::Arc | Format::Zstd | Format::Lz4 | Format::Zip => (
                Outcome::UnsupportedFormat,
                format!("found {}, expected WARC, plain or gzipped", format.as_str()),
            ),
        };
        Box::new(ArchiveRow::unread(outcome, Some(detail)))
    };
    Archive::open(source).map_err(unreadable)?.map_err(unread)
}

impl Scan<'_, '_> {
    fn read<R: Read>(
        &mut self,
        archive: &mut Archive<R>,
        outlet: &mut dyn Outlet,
        progress: &dyn Progress,
    ) -> Result<(), Halt> {
        let (mut told_bytes, mut told_records) = (0, 0);
        loop {
            match archive.next() {
                Ok(Some(Event::Record(record))) => self.record(&record, outlet)?,
                Ok(Some(Event::Damage(damage))) => self.damage(damage, outlet)?,
                Ok(None) => break,
                Err(error) => {
                    self.row.outcome = Outcome::Unreadable;
                    self.row.detail = Some(error.to_string());
                    let offset = archive.source_offset();
                    self.damage(Damage::harmless(offset, DamageKind::Read, error.to_string()), outlet)?;
                    break;
                }
            }
            if archive.records() - told_records >= PROGRESS_RECORDS {
                progress.advanced(archive.source_offset() - told_bytes, archive.records() - told_records);
                (told_bytes, told_records) = (archive.source_offset(), archive.records());
                if progress.should_stop() {
                    return Err(Halt::Stopped);
                }
            }
        }
        progress.advanced(archive.source_offset() - told_bytes, archive.records() - told_records);
        if self.rows.row_count() > 0 {
            outlet.send(Piece::Captures(self.rows.finish()?))?;
        }
        self.row.bytes = archive.source_offset();
        self.row.records = archive.records();
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>, outlet: &mut dyn Outlet) -> io::Result<()> {
        self.note_archive(&record.head, record.block);
        let offset = record.place.offset;
        let (fate, site_file, notes) = match self.reader.read(record, self.input.name.subset()) {
            Reading::NoInterest => (Fate::NoInterest, None, Vec::new()),
            Reading::Lost(Loss::NoTargetUri) => {
                let detail = "found a capture without WARC-Target-URI".to_owned();
                self.damage(Damage::lost(offset, DamageKind::NoTargetUri, detail), outlet)?;
                (Fate::Lost, None, Vec::new())
            }
            Reading::Capture(evidence) => {
                *self.captures.entry(evidence.kind).or_default() += 1;
                captures::append(&mut self.rows, &self.input.name, &evidence);
                let (site_file, notes) = leftovers(evidence, &mut self.bodies);
                (Fate::Capture, site_file, notes)
            }
        };
        count(&mut self.row.by_type, &record.head, fate);
        self.hand_on(site_file, notes, offset, outlet)
    }

    fn hand_on(
        &mut self,
        site_file: Option<SiteFile>,
        notes: Vec<Note>,
        offset: u64,
        outlet: &mut dyn Outlet,
    ) -> io::Result<()> {
        if let Some(site_file) = site_file {
            outlet.send(Piece::SiteFile(site_file))?;
        }
        for note in notes {
            self.damage(Damage::harmless(offset, note.kind, note.detail), outlet)?;
        }
        if self.rows.row_count() >= CAPTURE_ROWS {
            outlet.send(Piece::Captures(self.rows.finish()?))?;
        }
        Ok(())
    }

    fn damage(&mut self, damage: Damage, outlet: &mut dyn Outlet) -> io::Result<()> {
        self.row.failures += 1;
        self.row.records_lost += u64::from(damage.record_lost);
        outlet.send(Piece::Failure(damage))
    }

    /// Takes down what a record's head says of the whole archive.
    fn note_archive(&mut self, head: &Head<'_>, block: &[u8]) {
        self.row.lenient_heads += u64::from(!head.is_strict());
        if self.row.warc_version.is_none() {
            self.row.warc_version = Some(excerpt(head.version()));
        }
        if self.row.writer.is_none() && head.is_type(b"warcinfo") {
            self.row.writer = software(block);
        }
    }
}

/// What becomes of a record.
#[derive(Clone, Copy)]
enum Fate {
    Capture,
    NoInterest,
    Lost,
}

/// Takes out of a capture's evidence what does not stand in its row: a body that is new to this
/// archive, and what is wrong with the record.
///
/// One body may be sent for files of several kinds, and each reads it by its own document.
fn leftovers(
    evidence: Capture<'_>,
    bodies: &mut HashSet<(CaptureKind, [u8; 20])>,
) -> (Option<SiteFile>, Vec<Note>) {
    let kind = evidence.kind.read_as();
    let site_file = evidence.body.filter(|body| bodies.insert((kind, body.digest))).map(|body| SiteFile {
        digest: body.digest,
        kind,
        cut: body.cut,
        body: body.bytes.into_owned(),
    });
    (site_file, evidence.notes)
}

/// Counts a record under its type.
fn count(by_type: &mut BTreeMap<String, TypeCount>, head: &Head<'_>, fate: Fate) {
    let value = head.field(b"warc-type").filter(|value| !value.is_empty()).unwrap_or(b"(none)");
    // As all writers write it: known, and no allocation.
    if let Some(count) = std::str::from_utf8(value).ok().and_then(|name| by_type.get_mut(name)) {
        return add(count, fate);
    }
    let name = excerpt(value).to_ascii_lowercase();
    let known = by_type.contains_key(&name) || by_type.len() < TYPES;
    add(by_type.entry(if known { name } else { "(other)".to_owned() }).or_default(), fate);
}

fn add(count: &mut TypeCount, fate: Fate) {
    match fate {
        Fate::Capture => count.captures += 1,
        Fate::NoInterest => count.no_interest += 1,
        Fate::Lost => count.lost += 1,
    }
}

/// WARC 1.1, 6.2: a warcinfo record's block holds fields such as `software: Heritrix/3.4`.
fn software(block: &[u8]) -> Option<String> {
    block.split(|byte| *byte == b'\n').take(100).find_map(|line| {
        let (name, value) = line.split_at_checked(9)?;
        let named = name.eq_ignore_ascii_case(b"software:");
        (named && !value.trim_ascii().is_empty()).then(|| excerpt(value.trim_ascii()))
    })
}

/// Returns the beginning of a value, as text.
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
