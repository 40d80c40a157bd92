//! The kind of a file of documents, by its first bytes, the identity of its bytes, and its lines.
//!
//! Example: Parquet, or lines that are plain or compressed with gzip or zstd, each a JSON object or a URL; also the lists of pages
//! in a WACZ. A line that is too long is read in pieces. Also why a file of documents could not be judged.

use super::cdx::{CdxLines, is_cdx};
use super::foreign::{Promised, by_magic, ending, no_urls};
use crate::archive::{ArchiveSource, FileSource, page_lists};
use crate::runs::{Fingerprint, Identified};
use crate::store::StoreFile;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read};
use std::path::Path;
use std::sync::Arc;

/// How a file of lines is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// Not at all.
    Plain,
    /// gzip, any number of members.
    Gzip,
    /// zstd, any number of frames.
    Zstd,
}

impl Codec {
    /// Returns the codec of a file by its name.
    pub fn of_name(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("zst" | "zstd") => Self::Zstd,
            Some("gz" | "gzip") => Self::Gzip,
            _ => Self::Plain,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Parquet,
    Lines(LineKind, LineSource),
}

/// Where the lines of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSource {
    File(Codec),
    /// The lists of pages in a WACZ.
    Wacz,
}

impl LineSource {
    /// Returns how an output of such lines is compressed.
    pub fn codec(self) -> Codec {
        match self {
            Self::File(codec) => codec,
            Self::Wacz => Codec::Plain,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Json,
    Urls,
}

/// Returns the kind of a file of documents; refuses any other file.
pub fn kind(path: &Path) -> io::Result<FileKind> {
    match form(path)? {
        (_, Some(detail)) => Err(io::Error::other(detail)),
        (kind, None) => Ok(kind),
    }
}

/// Returns the kind of a file, and why it is not a list of URLs, if most of its lines are not: a user's list may have ids.
pub fn form(path: &Path) -> io::Result<(FileKind, Option<String>)> {
    let mut start = Vec::new();
    File::open(path)?
        .take(START_BYTES)
        .read_to_end(&mut start)?;
    let promised = Promised::by(path);
    let refused = |detail: String| Err(io::Error::other(detail));
    let codec = match start.as_slice() {
        [b'P', b'A', b'R', b'1', ..] => return Ok((FileKind::Parquet, None)),
        [b'P', b'K', 3, 4, ..] => return of_zip(path).map(|kind| (kind, None)),
        [0x1f, 0x8b, ..] => Codec::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Codec::Zstd,
        _ => Codec::Plain,
    };
    if let (Codec::Plain, Some(detail)) = (codec, by_magic(&start)) {
        return refused(detail);
    }
    if promised == Promised::Parquet {
        let found = if start.is_empty() {
            "it is empty"
        } else {
            "its first bytes are others"
        };
        return refused(format!("its name promises Parquet, and {found}"));
    }
    let source = LineSource::File(codec);
    let mut lines = lines(path, source)?;
    loop {
        let text = lines.fill_buf()?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        match text.trim_ascii_start() {
            [] if !text.is_empty() => {
                let blank = text.len();
                lines.consume(blank);
            }
            [b'{', ..] => return Ok((FileKind::Lines(LineKind::Json, source), None)),
            start if is_cdx(start) => return Ok((FileKind::Lines(LineKind::Json, source), None)),
            start if is_table(path, start) => {
                let detail = "it looks like CSV, which is not read: write it as Parquet or JSON lines, or its URLs alone, one a line";
                return refused(detail.to_owned());
            }
            start => {
                let is_json = promised == Promised::Json && !start.is_empty();
                let no_json = || {
                    is_json.then(|| {
                        "its name promises JSON, and its first line is no object".to_owned()
                    })
                };
                return match by_magic(start).or_else(no_json) {
                    Some(detail) => refused(detail),
                    None => Ok((FileKind::Lines(LineKind::Urls, source), no_urls(start))),
                };
            }
        }
    }
}

/// The bytes by which a format is known; any number of this size.
const START_BYTES: u64 = 512;

/// Returns whether a file is a table in text, by its name or by several names in its first line: its rows would pass for URLs.
fn is_table(path: &Path, start: &[u8]) -> bool {
    let ending = ending(&path.file_name().unwrap_or_default().to_string_lossy());
    let is_named = matches!(ending.as_str(), "csv" | "tsv");
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    is_named || (!line.contains(&b':') && line.iter().any(|byte| b",;\t".contains(byte)))
}

/// Enough to read and write a disk in long pieces.
const BUFFER_BYTES: usize = 256 << 10;

/// Returns the kind of a ZIP, which must be a WACZ.
fn of_zip(path: &Path) -> io::Result<FileKind> {
    match pages(path) {
        Ok(Some(_)) => Ok(FileKind::Lines(LineKind::Json, LineSource::Wacz)),
        Ok(None) => Err(io::Error::other(
            "it is a ZIP without pages/pages.jsonl, which a WACZ has; unpack it",
        )),
        Err(error) => Err(io::Error::other(format!(
            "it is a ZIP that cannot be read: {error}"
        ))),
    }
}

/// Returns the lists of pages in a WACZ.
fn pages(path: &Path) -> io::Result<Option<Box<dyn Read + Send>>> {
    let source: Arc<dyn ArchiveSource> = Arc::new(FileSource::new(path.to_owned()));
    page_lists::open(&source)
}

/// Returns whether a file is a WACZ with a list of pages.
pub fn is_wacz(path: &Path) -> bool {
    // Opening a pipe would wait for its writer.
    if !path.is_file() {
        return false;
    }
    let mut start = [0; 4];
    let is_zip = File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok()
        && start == *b"PK\x03\x04";
    is_zip && of_zip(path).is_ok()
}

pub fn lines(path: &Path, source: LineSource) -> io::Result<BufReader<Box<dyn Read + Send>>> {
    let file = || File::open(path);
    let text: Box<dyn Read + Send> = match source {
        LineSource::File(Codec::Plain) => Box::new(file()?),
        LineSource::File(Codec::Gzip) => Box::new(MultiGzDecoder::new(BufReader::with_capacity(
            BUFFER_BYTES,
            file()?,
        ))),
        LineSource::File(Codec::Zstd) => Box::new(zstd::stream::read::Decoder::new(file()?)?),
        LineSource::Wacz => pages(path)?.ok_or(io::ErrorKind::InvalidData)?,
    };
    Ok(BufReader::with_capacity(BUFFER_BYTES, text))
}

impl StoreFile for GzEncoder<Box<dyn StoreFile>> {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.finish()?.commit()
    }
}

impl StoreFile for zstd::stream::write::Encoder<'static, Box<dyn StoreFile>> {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.finish()?.commit()
    }
}

impl StoreFile for BufWriter<Box<dyn StoreFile>> {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .commit()
    }
}

/// Returns an output that is written in long pieces, compressed or not.
pub fn encoded(file: Box<dyn StoreFile>, codec: Codec) -> io::Result<Box<dyn StoreFile>> {
    let file: Box<dyn StoreFile> = match codec {
        Codec::Plain => file,
        Codec::Gzip => Box::new(GzEncoder::new(file, Compression::default())),
        Codec::Zstd => Box::new(zstd::stream::write::Encoder::new(
            file,
            zstd::DEFAULT_COMPRESSION_LEVEL,
        )?),
    };
    Ok(Box::new(BufWriter::with_capacity(BUFFER_BYTES, file)))
}

pub fn identify(path: &Path) -> FileResult<Fingerprint> {
    let nothing = Fingerprint {
        bytes: 0,
        first: String::new(),
        last: String::new(),
    };
    let identified = Identified::of_source(&FileSource::new(path.to_owned()), &nothing);
    let found = identified
        .map_err(FileFault::input)?
        .map(|identified| identified.fingerprint);
    found.ok_or_else(|| FileFault::input("no regular file; give its content to -"))
}

/// Why a file of documents could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// It cannot be read, or is not what it should be; other files are still judged.
    #[error("{0}")]
    Input(String),
    /// The output cannot be written: the call cannot go on.
    #[error("{0}")]
    Output(io::Error),
}

/// What was done with a file, or why it could not be done.
pub type FileResult<T = ()> = Result<T, FileFault>;

impl FileFault {
    /// An error of the input.
    pub fn input(error: impl std::fmt::Display) -> Self {
        Self::Input(error.to_string())
    }
}

/// The most bytes of a line that is held in memory.
const LINE_BYTES: u64 = 32 << 20;
/// A longer buffer is freed before the next line is read; any number of this size.
const KEPT_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentLine {
    Whole,
    /// The first bytes of a line that is too long.
    Long,
    None,
}

pub struct LineReader {
    lines: BufReader<Box<dyn Read + Send>>,
    /// Of a CDX, how its lines become objects.
    cdx: CdxLines,
    /// The line, with its line end.
    pub line: Vec<u8>,
    /// The line's number, from 1.
    pub number: u64,
}

impl LineReader {
    pub fn open(path: &Path, source: LineSource) -> FileResult<Self> {
        let lines = lines(path, source).map_err(FileFault::input)?;
        Ok(Self {
            lines,
            cdx: CdxLines::default(),
            line: Vec::new(),
            number: 0,
        })
    }

    /// Returns the line without blanks around it, and without the byte order mark of a file; nothing for the first line of a
    /// WACZ's pages, which is not a page.
    pub fn text(&self) -> &[u8] {
        if self.number == 1 && page_lists::is_header(&self.line) {
            return &[];
        }
        self.line
            .get(self.mark_bytes()..)
            .unwrap_or_default()
            .trim_ascii()
    }

    /// Returns how many bytes of the line are the file's byte order mark.
    pub fn mark_bytes(&self) -> usize {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if self.number == 1 && self.line.starts_with(MARK) {
            MARK.len()
        } else {
            0
        }
    }

    pub fn next(&mut self) -> FileResult<DocumentLine> {
        loop {
            self.line.clear();
            if self.line.capacity() > KEPT_BYTES {
                self.line = Vec::new();
            }
            let read = (&mut self.lines)
                .take(LINE_BYTES)
                .read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| {
                FileFault::Input(format!("after line {}: {error}", self.number))
            })?;
            self.number += u64::from(read > 0);
            if self.cdx.names_fields(&self.line) {
                continue;
            }
            self.cdx.convert(&mut self.line);
            return Ok(match read as u64 {
                0 => DocumentLine::None,
                LINE_BYTES if self.line.last() != Some(&b'\n') => DocumentLine::Long,
                _ => DocumentLine::Whole,
            });
        }
    }

    pub fn rest(&mut self, mut each: impl FnMut(&[u8]) -> FileResult) -> FileResult {
        loop {
            let number = self.number;
            let piece = self.lines.fill_buf();
            let piece =
                piece.map_err(|error| FileFault::Input(format!("in line {number}: {error}")))?;
            let end = memchr::memchr(b'\n', piece);
            let piece = end.and_then(|end| piece.get(..=end)).unwrap_or(piece);
            let read = piece.len();
            each(piece)?;
            self.lines.consume(read);
            if read == 0 || end.is_some() {
                return Ok(());
            }
        }
    }

    pub fn fault(&self, detail: &str) -> FileFault {
        FileFault::Input(format!("line {}: {detail}", self.number))
    }
}
