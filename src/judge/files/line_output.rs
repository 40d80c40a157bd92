//! The output of a file of lines, compressed as the file is.

use super::kind::Codec;
use crate::store::StoreFile;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};

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

    /// Writes what is held; returns the file.
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
