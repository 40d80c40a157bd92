//! Parquet files that somebody else may have written, or that were damaged since: each fault is one of its file.
//!
//! Every reader of Parquet is opened here, by `rows`, which weighs first what is asked for. Lengths are held against the file
//! before anything is allocated by them, as an allocation that is too long ends the process; what the packages that read
//! Parquet do not expect is a panic in them, which becomes an error. Left out: files that are encrypted.

mod footer;
mod pages;
mod panics;
mod rows;
mod thrift;
mod weight;

pub use panics::guarded;
pub use rows::{AskedRows, GuardedRows, ROWS_BYTES, rows};

use super::writer::as_io;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use std::io;
use std::sync::Arc;

/// Reads the footer of a file.
pub fn metadata<R: ChunkReader>(file: &R, options: ArrowReaderOptions) -> io::Result<ArrowReaderMetadata> {
    let metadata = footer(file)?;
    guarded(|| ArrowReaderMetadata::try_new(Arc::new(metadata), options).map_err(as_io))
}

/// Reads the footer of a file whose rows are not read.
pub fn footer<R: ChunkReader>(file: &R) -> io::Result<ParquetMetaData> {
    guarded(|| {
        let bytes = file.len();
        let Some(tail) = bytes.checked_sub(8) else {
            return Err(io::Error::other("Invalid Parquet file: Parquet file too small"));
        };
        let end = file.get_bytes(tail, 8).map_err(as_io)?;
        let length = match end.as_ref() {
            [a, b, c, d, b'P', b'A', b'R', b'1'] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            [.., b'P', b'A', b'R', b'E'] => return Err(io::Error::other("the file is encrypted")),
            _ => return Err(io::Error::other("Invalid Parquet file: its last bytes are not PAR1")),
        };
        let Some(start) = tail.checked_sub(length).filter(|_| length <= footer::FOOTER_BYTES) else {
            return Err(io::Error::other(format!("Invalid Parquet file: a footer of {length} bytes")));
        };
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let footer = file.get_bytes(start, length).map_err(as_io)?;
        footer::check(&footer)?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(as_io)?;
        footer::check_columns(&metadata, bytes)?;
        Ok(metadata)
    })
}
