//! The kind of a file of documents, by its first bytes, and the identity of its bytes.
//!
//! Example: Parquet, or lines that are plain or compressed with gzip or zstd, each a JSON object or a URL.
//!
//! Also why a file of documents could not be judged.

use crate::archive::FileSource;
use crate::runs::{Fingerprint, Identified};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

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
            Some("zst") => Self::Zstd,
            Some("gz") => Self::Gzip,
            _ => Self::Plain,
        }
    }
}

/// The kind of a file of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Parquet,
    /// Lines of JSON objects.
    Json(Codec),
    /// Lines of URLs.
    Urls(Codec),
}

/// Returns the kind of a file.
pub fn kind(path: &Path) -> io::Result<FileKind> {
    let mut start = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut start)?;
    let codec = match start.as_slice() {
        b"PAR1" => return Ok(FileKind::Parquet),
        [0x1f, 0x8b, ..] => Codec::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd] => Codec::Zstd,
        _ => Codec::Plain,
    };
    let mut lines = lines(path, codec)?;
    loop {
        let text = lines.fill_buf()?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        match text.trim_ascii_start() {
            [] if !text.is_empty() => {
                let blank = text.len();
                lines.consume(blank);
            }
            [b'{', ..] => return Ok(FileKind::Json(codec)),
            start if is_table(path, start) => {
                let detail = "it looks like CSV, which is not read: write it as Parquet or JSON lines, or its URLs alone, one a line";
                return Err(io::Error::other(detail));
            }
            _ => return Ok(FileKind::Urls(codec)),
        }
    }
}

/// Returns whether a file is a table in text, by its name or by several names in its first line: its rows would pass for URLs.
fn is_table(path: &Path, start: &[u8]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let mut endings = name.rsplit('.').filter(|ending| !matches!(*ending, "gz" | "zst"));
    let is_named = endings.next().is_some_and(|ending| matches!(ending, "csv" | "tsv"));
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    is_named || (!line.contains(&b':') && line.iter().any(|byte| b",;\t".contains(byte)))
}

/// Opens a file of lines.
pub fn lines(path: &Path, codec: Codec) -> io::Result<Box<dyn BufRead + Send>> {
    /// Enough to read a disk in long pieces.
    const BUFFER_BYTES: usize = 256 << 10;
    let file = File::open(path)?;
    Ok(match codec {
        Codec::Plain => Box::new(BufReader::with_capacity(BUFFER_BYTES, file)),
        Codec::Gzip => Box::new(BufReader::with_capacity(
            BUFFER_BYTES,
            MultiGzDecoder::new(BufReader::with_capacity(BUFFER_BYTES, file)),
        )),
        Codec::Zstd => {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, zstd::stream::read::Decoder::new(file)?))
        }
    })
}

/// Returns the identity of the bytes of a file.
pub fn identify(path: &Path) -> Result<Fingerprint, FileFault> {
    let nothing = Fingerprint { bytes: 0, first: String::new(), last: String::new() };
    let identified =
        Identified::of_source(&FileSource::new(path.to_owned()), &nothing).map_err(FileFault::input)?;
    let identified = identified.ok_or_else(|| FileFault::input("no regular file; give its content to -"))?;
    Ok(identified.fingerprint)
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

impl FileFault {
    /// An error of the input.
    pub fn input(error: impl std::fmt::Display) -> Self {
        Self::Input(error.to_string())
    }
}
