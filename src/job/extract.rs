//! Copies records out of archives into a small WARC, so that others can check what was decided from them.
//!
//! Document: WARC 1.1, annex D (a record per gzip member) and 6.2 (warcinfo). Example: of
//! `crawl-data/CC-MAIN-2026-34/.../00003.warc.gz`, 14213 bytes from byte 881247 on. A gzip member is copied as it is, a
//! record of a plain archive or of a zstd frame is compressed; before them is a `warcinfo` that says what and why.
//! Left out: ARC, WAT, and records that share a gzip member with others, which have no length in the tables.

use super::base::{Base, file_input};
use super::urls;
use crate::archive::Source;
use crate::error::Error;
use crate::store::Places;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use warc::{BufferedBody, Record, RecordType, WarcHeader, WarcWriter};

/// A longer record is not copied; Common Crawl's are a mebibyte at most.
const LONGEST_BYTES: u64 = 1 << 30;

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
    ///
    /// # Errors
    /// A record that cannot be read, or is none; then what was written is to be thrown away.
    pub fn write(mut self, places: &Places, out: &mut dyn Write) -> Result<usize, Error> {
        self.records.sort();
        self.records.dedup();
        let unwritable =
            |source| Error::OutputUnwritable { location: "the extracted records".to_owned(), source };
        out.write_all(&self.warcinfo().map_err(unwritable)?).map_err(unwritable)?;
        for record in &self.records {
            let member = self.member(record, places)?;
            out.write_all(&member).map_err(unwritable)?;
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

    /// Returns a record as a gzip member.
    fn member(&self, record: &RecordPlace, places: &Places) -> Result<Vec<u8>, Error> {
        let location = || format!("{}, byte {}", record.filename, record.offset);
        let unreadable = |source| Error::InputUnreadable { location: location(), source };
        if record.length > LONGEST_BYTES {
            return Err(unreadable(io::Error::other(format!("a record of {} bytes", record.length))));
        }
        let source = self.source(&record.filename, places)?;
        let length = usize::try_from(record.length).map_err(|error| unreadable(io::Error::other(error)))?;
        let bytes = source.range(record.offset, length).and_then(|bytes| {
            bytes.ok_or_else(|| {
                io::Error::other("it is a stream such as a pipe, and cannot be read at an offset")
            })
        });
        as_member(bytes.map_err(unreadable)?).map_err(unreadable)
    }

    fn source(&self, filename: &str, places: &Places) -> Result<Arc<dyn Source>, Error> {
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

/// Returns what stands in an archive as one gzip member with one record.
fn as_member(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut member = GzDecoder::new(bytes.as_slice());
        let mut head = [0; 5];
        member.read_exact(&mut head)?;
        io::copy(&mut member, &mut io::sink())?;
        let rest = member.into_inner().len();
        return if rest == 0 && head == *b"WARC/" { Ok(bytes) } else { Err(no_record()) };
    }
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut record = Vec::new();
        zstd::Decoder::new(bytes.as_slice())?.take(LONGEST_BYTES).read_to_end(&mut record)?;
        return compressed(&of_warc(record)?);
    }
    compressed(&of_warc(bytes)?)
}

fn of_warc(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.starts_with(b"WARC/") { Ok(bytes) } else { Err(no_record()) }
}

fn no_record() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "expected exactly one WARC record there")
}

fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    member.write_all(text)?;
    member.finish()
}
