//! The lines of a file; one that is too long is read in pieces. Also the output of a file of lines, compressed as the file is.

use super::kind::Codec;
use super::kind::FileFault;
use crate::store::StoreFile;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufRead, BufWriter, Read, Write};

/// The most bytes of a line that is held in memory.
const LINE_BYTES: u64 = 32 << 20;
/// A longer buffer is freed before the next line is read.
const KEPT_BYTES: usize = 1 << 20;

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentLine {
    /// A line.
    Whole,
    /// The first bytes of a line that is too long.
    Long,
    /// There are no more lines.
    None,
}

/// Lines being read.
pub struct Reader {
    lines: Box<dyn BufRead + Send>,
    /// The line, with its line end.
    pub line: Vec<u8>,
    /// The line's number, from 1.
    pub number: u64,
}

impl Reader {
    /// Reads lines.
    pub fn new(lines: Box<dyn BufRead + Send>) -> Self {
        Self { lines, line: Vec::new(), number: 0 }
    }

    /// Returns the line without blanks around it, and without the byte order mark of a file.
    pub fn text(&self) -> &[u8] {
        self.line.get(self.mark_bytes()..).unwrap_or_default().trim_ascii()
    }

    /// Returns how many bytes of the line are the file's byte order mark.
    pub fn mark_bytes(&self) -> usize {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if self.number == 1 && self.line.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Reads the next line.
    pub fn next(&mut self) -> Result<DocumentLine, FileFault> {
        self.line.clear();
        if self.line.capacity() > KEPT_BYTES {
            self.line = Vec::new();
        }
        let read = (&mut self.lines).take(LINE_BYTES).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| FileFault::Input(format!("after line {}: {error}", self.number)))?;
        self.number += u64::from(read > 0);
        Ok(match read as u64 {
            0 => DocumentLine::None,
            LINE_BYTES if self.line.last() != Some(&b'\n') => DocumentLine::Long,
            _ => DocumentLine::Whole,
        })
    }

    /// Reads the rest of a line that is too long.
    ///
    /// # Errors
    /// Why it cannot be read, and those of `each`.
    pub fn rest(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), FileFault>) -> Result<(), FileFault> {
        loop {
            let number = self.number;
            let piece = self.lines.fill_buf();
            let piece = piece.map_err(|error| FileFault::Input(format!("in line {number}: {error}")))?;
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

    /// Returns a fault of the line.
    pub fn fault(&self, detail: &str) -> FileFault {
        FileFault::Input(format!("line {}: {detail}", self.number))
    }
}

/// An output, compressed or not.
pub enum Out {
    Plain(BufWriter<Box<dyn StoreFile>>),
    Gzip(BufWriter<GzEncoder<Box<dyn StoreFile>>>),
    Zstd(BufWriter<zstd::stream::write::Encoder<'static, Box<dyn StoreFile>>>),
}

impl Out {
    /// Begins an output.
    pub fn new(file: Box<dyn StoreFile>, codec: Codec) -> io::Result<Self> {
        const BUFFER_BYTES: usize = 256 << 10;
        Ok(match codec {
            Codec::Plain => Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, file)),
            Codec::Gzip => {
                let encoder = GzEncoder::new(file, Compression::default());
                Self::Gzip(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
            Codec::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                Self::Zstd(BufWriter::with_capacity(BUFFER_BYTES, encoder))
            }
        })
    }

    /// Writes the bytes that are held; returns the file.
    pub fn finish(self) -> io::Result<Box<dyn StoreFile>> {
        match self {
            Self::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error),
            Self::Gzip(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.finish(),
            Self::Zstd(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.finish(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(out) => out.write(bytes),
            Self::Zstd(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(out) => out.flush(),
            Self::Zstd(out) => out.flush(),
        }
    }
}
