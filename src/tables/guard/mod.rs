//! Parquet files that somebody else may have written, or that were damaged since: each fault is one of its file.
//!
//! Every reader of Parquet is opened here. Lengths are held against the file before anything is allocated by them, as an
//! allocation that is too long ends the process; what the packages that read Parquet do not expect is a panic in them,
//! which becomes an error. Left out: files that are encrypted.

mod footer;
mod pages;
mod panics;
mod thrift;
mod weight;

pub use panics::guarded;
pub use weight::{Weight, weigh};

use super::writer::as_io;
use arrow_array::RecordBatch;
use pages::Guarded;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use std::io;
use std::sync::Arc;

/// A reader that is being set up.
pub type Builder<R> = ParquetRecordBatchReaderBuilder<Guarded<R>>;

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

/// Sets up a reader of a file whose footer was read.
pub fn builder<R: ChunkReader + 'static>(file: R, metadata: ArrowReaderMetadata) -> Builder<R> {
    Builder::new_with_metadata(Guarded::new(file), metadata)
}

/// Sets up a reader of a file.
pub fn open<R: ChunkReader + 'static>(file: R) -> io::Result<Builder<R>> {
    let metadata = metadata(&file, ArrowReaderOptions::new())?;
    Ok(builder(file, metadata))
}

/// The rows of a file; after an error there are none.
pub struct GuardedRows(Option<ParquetRecordBatchReader>);

impl GuardedRows {
    /// Begins to read rows.
    pub fn new<R: ChunkReader + 'static>(builder: Builder<R>) -> io::Result<Self> {
        guarded(|| builder.build().map_err(as_io)).map(|reader| Self(Some(reader)))
    }
}

impl Iterator for GuardedRows {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.0.as_mut()?;
        let rows = guarded(|| reader.next().transpose().map_err(io::Error::other));
        if rows.is_err() {
            self.0 = None;
        }
        rows.transpose()
    }
}
