//! Copies one record of an archive as a gzip member of a WARC.
//!
//! Example: a zstd frame is inflated, with the dictionary of its archive, and compressed. `archive` reads the bytes first: they
//! must be exactly one record with a confirmed length, so that the copy reads as the record does. See `extract`.

use crate::archive::{
    Archive, ArchiveSource, Event, Format, KeptRecord, Kind, LengthProof, Record,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Cursor, Read, Write};
use std::sync::Arc;

/// Longer records, and records with longer text, are not copied; Common Crawl's have at most a mebibyte.
pub(super) const LONGEST_BYTES: u64 = 1 << 30;
/// The most bytes of a record that are held and requested at once; any number of this size.
const PIECE_BYTES: u64 = 16 << 20;
/// The most bytes of its text that are held; any number of this size.
const STEP_BYTES: usize = 64 << 10;
/// The longest dictionary of a zstd archive that is read.
const DICTIONARY_BYTES: u64 = 16 << 20;
/// How a zstd frame begins.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// How the frame of a dictionary begins.
const DICTIONARY: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPlace {
    /// The column `warc_filename`.
    pub filename: String,
    /// The column `warc_record_offset`.
    pub offset: u64,
    /// The column `warc_record_length`.
    pub length: u64,
}

/// A record's bytes in its archive; one piece is held at a time.
pub(super) struct Stretch<'r> {
    source: Arc<dyn ArchiveSource>,
    record: &'r RecordPlace,
    /// Set to 0 to go back; a record of one piece is not requested again.
    read: u64,
    piece: Vec<u8>,
    /// Where the piece begins in the record.
    piece_at: u64,
}

impl<'r> Stretch<'r> {
    pub(super) fn new(source: Arc<dyn ArchiveSource>, record: &'r RecordPlace) -> Self {
        Self {
            source,
            record,
            read: 0,
            piece: Vec::new(),
            piece_at: 0,
        }
    }

    /// The frame at the start of a zstd archive, if it holds a dictionary.
    fn dictionary(&self) -> io::Result<Vec<u8>> {
        let head = self.source.range(0, 8).ok().flatten().unwrap_or_default();
        let Some((start, length)) = head.split_first_chunk::<4>() else {
            return Ok(Vec::new());
        };
        let length = length
            .first_chunk::<4>()
            .map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
        if *start != DICTIONARY || length > DICTIONARY_BYTES {
            return Ok(Vec::new());
        }
        let bytes = usize::try_from(8 + length).map_err(io::Error::other)?;
        Ok(self.source.range(0, bytes)?.unwrap_or_default())
    }
}

impl Read for Stretch<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let held = self.piece_at..self.piece_at + self.piece.len() as u64;
        if self.read >= self.record.length {
            return Ok(0);
        }
        if !held.contains(&self.read) {
            let count = (self.record.length - self.read).min(PIECE_BYTES);
            let count = usize::try_from(count).map_err(io::Error::other)?;
            let at = self
                .record
                .offset
                .checked_add(self.read)
                .ok_or(io::ErrorKind::InvalidInput)?;
            self.piece = self.source.range(at, count)?.ok_or_else(|| {
                io::Error::other("it is a stream such as a pipe, and cannot be read at an offset")
            })?;
            self.piece_at = self.read;
        }
        let from = usize::try_from(self.read - self.piece_at).map_err(io::Error::other)?;
        let mut rest = self.piece.get(from..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

pub(super) enum ExtractFault {
    Read(io::Error),
    Write(io::Error),
}

enum CopiedRecord {
    /// A record of a WARC, whose text is copied; a revisit is kept.
    Warc(Option<Box<KeptRecord>>),
    /// A record of an ARC, as one of a WARC.
    Arc(Vec<u8>),
}

/// Copies the bytes as one gzip member with one record, which `see` gets; returns it if it is a revisit.
pub(super) fn copy_record(
    bytes: &mut Stretch<'_>,
    out: &mut dyn Write,
    see: &mut dyn FnMut(&Record<'_>),
) -> Result<Option<KeptRecord>, ExtractFault> {
    let mut start = Vec::new();
    bytes
        .by_ref()
        .take(4)
        .read_to_end(&mut start)
        .map_err(ExtractFault::Read)?;
    bytes.read = 0;
    let dictionary = if start == ZSTD {
        bytes.dictionary().map_err(ExtractFault::Read)?
    } else {
        Vec::new()
    };
    let found =
        look(Cursor::new(&dictionary).chain(&mut *bytes), see).map_err(ExtractFault::Read)?;
    bytes.read = 0;
    let revisit = match found {
        CopiedRecord::Arc(text) => {
            let member = compressed(&text).map_err(ExtractFault::Write)?;
            return out
                .write_all(&member)
                .map(|()| None)
                .map_err(ExtractFault::Write);
        }
        CopiedRecord::Warc(revisit) => revisit.map(|kept| *kept),
    };
    if start.starts_with(&[0x1f, 0x8b]) {
        copy(bytes, out)?;
        return Ok(revisit);
    }
    let mut member = GzEncoder::new(out, Compression::default());
    if start == ZSTD {
        let dictionary = dictionary_of(&dictionary).map_err(ExtractFault::Read)?;
        let text = zstd::Decoder::with_dictionary(io::BufReader::new(bytes), &dictionary);
        copy_text(&mut text.map_err(ExtractFault::Read)?, &mut member)?;
    } else {
        copy_text(bytes, &mut member)?;
    }
    member
        .finish()
        .map(|_| revisit)
        .map_err(ExtractFault::Write)
}

/// Reads the bytes of a place: exactly one record, as it is read in its archive.
fn look(bytes: impl Read, see: &mut dyn FnMut(&Record<'_>)) -> io::Result<CopiedRecord> {
    let mut archive = Archive::open(bytes)?.map_err(|_| no_record())?;
    let found = match archive.next()? {
        Some(Event::Record(record)) if record.length_proof != LengthProof::False => {
            see(&record);
            found(&record)?
        }
        Some(Event::Record(_) | Event::Damage(_)) | None => return Err(no_record()),
    };
    if archive.next()?.is_some() {
        Err(no_record())
    } else {
        Ok(found)
    }
}

fn found(record: &Record<'_>) -> io::Result<CopiedRecord> {
    if record.length > LONGEST_BYTES {
        return Err(too_long());
    }
    let revisit = || (record.kind == Kind::Revisit).then(|| Box::new(record.keep()));
    match record.format {
        Format::Arc if !record.block_is_whole || record.kind != Kind::Response => Err(
            io::Error::other("a record of an ARC that cannot be written as one of a WARC"),
        ),
        Format::Arc => Ok(CopiedRecord::Arc(of_arc(record))),
        Format::Warc => Ok(CopiedRecord::Warc(revisit())),
        Format::Wat | Format::Wacz | Format::Lz4 | Format::Empty | Format::Other => {
            Err(no_record())
        }
    }
}

/// A record of an ARC as a response: it is read for its URL, time and block.
fn of_arc(record: &Record<'_>) -> Vec<u8> {
    let date = record.date.map(date).unwrap_or_default();
    let target = record.target.unwrap_or_default();
    let length = format!("Content-Length: {}\r\n\r\n", record.block.len());
    let head = [
        b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\nWARC-Target-URI: ",
        target,
        b"\r\n",
        &date,
        length.as_bytes(),
    ];
    [&head.concat(), record.block, b"\r\n\r\n"].concat()
}

/// WARC 1.1, 5.4: `2008-04-30T20:48:25Z` for `20080430204825`; other numbers of digits stay as they are.
fn date(digits: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(digits);
    let [century, year, month, day, hour, minute, second] =
        [0, 2, 4, 6, 8, 10, 12].map(|at| text.get(at..at + 2).unwrap_or_default());
    let date = match text.len() {
        14 => format!("{century}{year}-{month}-{day}T{hour}:{minute}:{second}Z"),
        _ => text.to_string(),
    };
    format!("WARC-Date: {date}\r\n").into_bytes()
}

/// The dictionary in a frame, which may be compressed itself.
fn dictionary_of(frame: &[u8]) -> io::Result<Vec<u8>> {
    let content = frame.get(8..).unwrap_or_default();
    if !content.starts_with(&ZSTD) {
        return Ok(content.to_vec());
    }
    let mut dictionary = Vec::new();
    zstd::Decoder::with_buffer(content)?
        .take(DICTIONARY_BYTES)
        .read_to_end(&mut dictionary)?;
    Ok(dictionary)
}

/// Copies the text of a record, up to the longest.
fn copy_text(text: &mut dyn Read, out: &mut dyn Write) -> Result<(), ExtractFault> {
    let mut text = text.take(LONGEST_BYTES);
    copy(&mut text, out)?;
    if text.limit() == 0 {
        Err(ExtractFault::Read(too_long()))
    } else {
        Ok(())
    }
}

fn copy(from: &mut dyn Read, out: &mut dyn Write) -> Result<(), ExtractFault> {
    let mut step = vec![0; STEP_BYTES];
    loop {
        match from.read(&mut step) {
            Ok(0) => return Ok(()),
            Ok(count) => out
                .write_all(step.get(..count).unwrap_or_default())
                .map_err(ExtractFault::Write)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ExtractFault::Read(error)),
        }
    }
}

pub(super) fn too_long() -> io::Error {
    io::Error::other(format!(
        "a record of more than {LONGEST_BYTES} bytes, which is not copied"
    ))
}

pub(super) fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    member.write_all(text)?;
    member.finish()
}

fn no_record() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "expected exactly one record of a WARC or ARC there",
    )
}

#[cfg(test)]
mod tests {
    use super::{ExtractFault, RecordPlace, STEP_BYTES, Stretch, compressed, copy_record};
    use crate::archive::FileSource;
    use flate2::read::MultiGzDecoder;
    use std::io::Read;
    use std::sync::Arc;

    fn copied(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b"x", bytes, b"y"].concat()).unwrap();
        let source = Arc::new(FileSource::new(file.path().to_owned()));
        let mut out = Vec::new();
        let place = RecordPlace {
            filename: String::new(),
            offset: 1,
            length: bytes.len() as u64,
        };
        match copy_record(&mut Stretch::new(source, &place), &mut out, &mut |_| ()) {
            Ok(_) => Ok(out),
            Err(ExtractFault::Read(error) | ExtractFault::Write(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn local_a_record_is_copied_piece_by_piece_whatever_it_is_compressed_by() {
        // Longer than a piece, and than a step when compressed.
        let mut random = fastrand::Rng::with_seed(1);
        for bytes in [10, STEP_BYTES + 1, 17 << 20] {
            let head = format!("WARC/1.0\r\nContent-Length: {bytes}\r\n\r\n").into_bytes();
            let text: Vec<u8> = head
                .into_iter()
                .chain((0..bytes).map(|_| random.u8(..)))
                .chain(*b"\r\n\r\n")
                .collect();
            let plain = copied(&text).unwrap();
            let of_zstd = copied(&zstd::encode_all(text.as_slice(), 1).unwrap()).unwrap();
            let member = compressed(&text).unwrap();
            assert!(
                copied(&member).unwrap() == member,
                "a gzip member stays as it is"
            );
            for copy in [plain, of_zstd] {
                let mut read = Vec::new();
                MultiGzDecoder::new(copy.as_slice())
                    .read_to_end(&mut read)
                    .unwrap();
                assert!(read == text);
            }
        }
    }

    #[test]
    fn local_what_is_not_exactly_one_record_is_refused() {
        let member = compressed(b"WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n").unwrap();
        let no_warc = compressed(b"hello world").unwrap();
        for bytes in [
            [member.as_slice(), b"z"].concat(),
            [member.as_slice(), &member].concat(),
            no_warc,
        ] {
            assert!(copied(&bytes).unwrap_err().contains("exactly one record"));
        }
        for bytes in [&member[..member.len() - 9], b"", b"hello"] {
            assert!(copied(bytes).is_err());
        }
    }
}
