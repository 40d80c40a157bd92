//! Copies records out of archives into a small WARC, so that others can check what was decided from them.
//!
//! Document: WARC 1.1, annex D (a record per gzip member) and 6.2 (warcinfo). Example: of
//! `crawl-data/CC-MAIN-2026-34/.../00003.warc.gz`, 14213 bytes from byte 881247 on. A gzip member is copied as it is, a
//! record of a plain archive or of a zstd frame is compressed; before them is a `warcinfo` that says what and why.
//! Left out: ARC, WAT, and records that share a gzip member with others, which have no length in the tables.

use super::base::{Base, file_input};
use super::urls;
use crate::archive::ArchiveSource;
use crate::error::Error;
use crate::store::Places;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use warc::{BufferedBody, Record, RecordType, WarcHeader, WarcWriter};

/// A longer record is not copied, nor one whose text is longer; Common Crawl's are a mebibyte at most.
const LONGEST_BYTES: u64 = 1 << 30;
/// So much of a record is held, and asked for at once.
const PIECE_BYTES: u64 = 16 << 20;
/// So much of its text is held.
const STEP_BYTES: usize = 64 << 10;

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

/// Which records are copied, and why.
pub struct Extraction<'a> {
    /// The records.
    pub records: Vec<RecordPlace>,
    /// Where their archives are: a folder or a URL.
    pub base: &'a Path,
    /// Why, for the `warcinfo`.
    pub reason: &'a str,
}

impl Extraction<'_> {
    /// Copies the records in the order of their places, each once; returns how many there are.
    pub fn write(mut self, places: &Places, out: &mut dyn Write) -> Result<usize, Error> {
        self.records.sort();
        self.records.dedup();
        let unwritable =
            |source| Error::OutputUnwritable { location: "the extracted records".to_owned(), source };
        out.write_all(&self.warcinfo().map_err(unwritable)?).map_err(unwritable)?;
        for record in &self.records {
            self.copy(record, places, out)?;
        }
        Ok(self.records.len())
    }

    /// Returns what begins the file.
    fn warcinfo(&self) -> io::Result<Vec<u8>> {
        let mut body = format!(
            "software: {}/{}\r\nformat: WARC File Format 1.1\r\ndescription: {}\r\n",
            env!("CARGO_PKG_NAME"),
            env!("CARGO_PKG_VERSION"),
            self.reason.replace(['\r', '\n'], " ")
        );
        for RecordPlace { filename, offset, length } in &self.records {
            let filename = filename.replace(['\r', '\n'], " ");
            // Writing to a String does not fail.
            let _ = write!(body, "copied-record: {offset} {length} {filename}\r\n");
        }
        let mut record = Record::<BufferedBody>::with_body(body);
        record.set_warc_type(RecordType::WarcInfo);
        record.set_warc_version("1.1");
        record
            .set_header(WarcHeader::ContentType, "application/warc-fields")
            .map_err(|error| io::Error::other(error.to_string()))?;
        let mut text = Vec::new();
        WarcWriter::new(&mut text).write(&record)?;
        compressed(&text)
    }

    /// Copies a record as a gzip member.
    fn copy(&self, record: &RecordPlace, places: &Places, out: &mut dyn Write) -> Result<(), Error> {
        let unreadable = |source| Error::InputUnreadable {
            location: format!("{}, byte {}", record.filename, record.offset),
            source,
        };
        if record.length > LONGEST_BYTES {
            return Err(unreadable(too_long()));
        }
        let source = self.source(&record.filename, places)?;
        let mut bytes = Stretch::new(source, record);
        copy_member(&mut bytes, out).map_err(|fault| match fault {
            ExtractFault::Read(error) => unreadable(error),
            ExtractFault::Write(source) => {
                Error::OutputUnwritable { location: "the extracted records".to_owned(), source }
            }
        })
    }

    fn source(&self, filename: &str, places: &Places) -> Result<Arc<dyn ArchiveSource>, Error> {
        match Base::new(Some(self.base))? {
            Base::Url(base) => {
                let url = base.join(filename).map_err(|detail| Error::InputUnreadable {
                    location: filename.to_owned(),
                    source: io::Error::other(detail),
                })?;
                Ok(urls::input(&url, None, places)?.source)
            }
            Base::Folder(folder) => {
                let inside = Path::new(filename).components().all(|part| {
                    matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
                });
                if !inside {
                    let source = io::Error::other("expected the name of an archive below --base");
                    return Err(Error::InputUnreadable { location: filename.to_owned(), source });
                }
                Ok(file_input(&folder.join(filename), None).source)
            }
            Base::None => Err(Error::InputMissing { location: filename.to_owned() }),
        }
    }
}

/// A record's bytes in its archive, of which one piece is held.
struct Stretch {
    source: Arc<dyn ArchiveSource>,
    start: u64,
    length: u64,
    /// How much has been read.
    read: u64,
    piece: Vec<u8>,
    /// Where the piece begins in the record.
    piece_at: u64,
}

impl Stretch {
    fn new(source: Arc<dyn ArchiveSource>, record: &RecordPlace) -> Self {
        let (start, length) = (record.offset, record.length);
        Self { source, start, length, read: 0, piece: Vec::new(), piece_at: 0 }
    }

    /// Goes back to the first byte; a record of one piece is not asked for again.
    fn rewind(&mut self) {
        self.read = 0;
    }
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let held = self.piece_at..self.piece_at + self.piece.len() as u64;
        if self.read >= self.length {
            return Ok(0);
        }
        if !held.contains(&self.read) {
            let count = (self.length - self.read).min(PIECE_BYTES);
            let count = usize::try_from(count).map_err(io::Error::other)?;
            let at = self.start.checked_add(self.read).ok_or(io::ErrorKind::InvalidInput)?;
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

/// Why a record could not be copied.
enum ExtractFault {
    Read(io::Error),
    Write(io::Error),
}

/// Copies what is in an archive as one gzip member with one record.
fn copy_member(bytes: &mut Stretch, out: &mut dyn Write) -> Result<(), ExtractFault> {
    let mut start = Vec::new();
    bytes.by_ref().take(4).read_to_end(&mut start).map_err(ExtractFault::Read)?;
    bytes.rewind();
    if start.starts_with(&[0x1f, 0x8b]) {
        let mut member = GzDecoder::new(BufReader::with_capacity(STEP_BYTES, &mut *bytes));
        copy_text(&mut member, &mut io::sink())?;
        // What is behind the member is no part of the record.
        if member.into_inner().fill_buf().map_err(ExtractFault::Read)?.is_empty() {
            bytes.rewind();
            return copy(bytes, out);
        }
        return Err(ExtractFault::Read(no_record()));
    }
    let mut member = GzEncoder::new(out, Compression::default());
    if start == [0x28, 0xb5, 0x2f, 0xfd] {
        copy_text(&mut zstd::Decoder::new(bytes).map_err(ExtractFault::Read)?, &mut member)?;
    } else {
        copy_text(bytes, &mut member)?;
    }
    member.finish().map(drop).map_err(ExtractFault::Write)
}

/// Copies the text of a record, which begins as one, up to the longest.
fn copy_text(text: &mut dyn Read, out: &mut dyn Write) -> Result<(), ExtractFault> {
    let mut head = [0; 5];
    text.read_exact(&mut head).map_err(ExtractFault::Read)?;
    if head != *b"WARC/" {
        return Err(ExtractFault::Read(no_record()));
    }
    out.write_all(&head).map_err(ExtractFault::Write)?;
    let mut text = text.take(LONGEST_BYTES);
    copy(&mut text, out)?;
    if text.limit() == 0 { Err(ExtractFault::Read(too_long())) } else { Ok(()) }
}

fn copy(from: &mut dyn Read, out: &mut dyn Write) -> Result<(), ExtractFault> {
    let mut step = vec![0; STEP_BYTES];
    loop {
        match from.read(&mut step) {
            Ok(0) => return Ok(()),
            Ok(count) => out.write_all(step.get(..count).unwrap_or_default()).map_err(ExtractFault::Write)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ExtractFault::Read(error)),
        }
    }
}

fn too_long() -> io::Error {
    io::Error::other(format!("a record of more than {LONGEST_BYTES} bytes, which is not copied"))
}

fn no_record() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "expected exactly one WARC record there")
}

fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    member.write_all(text)?;
    member.finish()
}

#[cfg(test)]
mod tests {
    use super::{ExtractFault, RecordPlace, STEP_BYTES, Stretch, compressed, copy_member};
    use crate::archive::FileSource;
    use flate2::read::MultiGzDecoder;
    use std::io::Read;
    use std::sync::Arc;

    /// Copies what lies between two other bytes in a file.
    fn copied(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b"x", bytes, b"y"].concat()).unwrap();
        let source = Arc::new(FileSource::new(file.path().to_owned()));
        let (filename, length) = (String::new(), bytes.len() as u64);
        let mut out = Vec::new();
        let place = RecordPlace { filename, offset: 1, length };
        match copy_member(&mut Stretch::new(source, &place), &mut out) {
            Ok(()) => Ok(out),
            Err(ExtractFault::Read(error) | ExtractFault::Write(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn local_a_record_is_copied_piece_by_piece_whatever_it_is_compressed_by() {
        // Longer than a piece, and than a step where it is compressed.
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        for bytes in [10, STEP_BYTES + 1, 17 << 20] {
            let text: Vec<u8> = b"WARC/1.0\r\n".iter().copied().chain((0..bytes).map(|_| noise())).collect();
            let plain = copied(&text).unwrap();
            let of_zstd = copied(&zstd::encode_all(text.as_slice(), 1).unwrap()).unwrap();
            let member = compressed(&text).unwrap();
            assert!(copied(&member).unwrap() == member, "a gzip member stays as it is");
            for copy in [plain, of_zstd] {
                let mut read = Vec::new();
                MultiGzDecoder::new(copy.as_slice()).read_to_end(&mut read).unwrap();
                assert!(read == text);
            }
        }
    }

    #[test]
    fn local_what_is_not_exactly_one_record_is_refused() {
        let member = compressed(b"WARC/1.0\r\n").unwrap();
        let no_warc = compressed(b"hello world").unwrap();
        for bytes in [[member.as_slice(), b"z"].concat(), [member.as_slice(), &member].concat(), no_warc] {
            assert!(copied(&bytes).unwrap_err().contains("exactly one WARC record"));
        }
        assert!(
            copied(&member[..member.len() - 9]).is_err() && copied(b"").is_err() && copied(b"hello").is_err()
        );
    }
}
