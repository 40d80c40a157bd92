//! One part of a site index being written: row groups where the writer ends them, zstd 9, and digests of all of it.
//!
//! A reader finds the footer by its length in `_index.json`, so that one request gets it, and compares its digest. The footer
//! has the digests of the row groups: whoever trusts `_index.json` trusts all that is read. There is no page index: the unit
//! that is read is the row group.

use super::super::{Footer, Table};
use super::INDEX_FORMAT;
use crate::store::StoreFile;
use crate::tables::writer::as_io;
use arrow_array::RecordBatch;
use data_encoding::HEXLOWER;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// A part as `_index.json` describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    /// Its name below the folder.
    pub file: String,
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Bytes of its footer, which is its end.
    pub footer_bytes: u64,
    /// SHA-256 of the footer.
    pub footer_sha256: String,
}

/// A part being written.
pub struct IndexPartWriter {
    name: String,
    writer: ArrowWriter<Digested>,
    rows: u64,
    /// The digests of the row groups.
    groups: Vec<String>,
}

/// The key of the digests of row groups in a footer.
pub const GROUP_DIGESTS: &str = "crawlprefs.groups_sha256";

/// Returns the digest of a row group as a footer has it: half of its SHA-256.
pub fn group_digest(bytes: &[u8]) -> String {
    half(Sha256::new_with_prefix(bytes))
}

fn half(digest: Sha256) -> String {
    let mut text = HEXLOWER.encode(&digest.finalize());
    text.truncate(32);
    text
}

impl IndexPartWriter {
    /// Begins a part.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn new(table: &Table, footer: &Footer, name: String, file: Box<dyn StoreFile>) -> io::Result<Self> {
        let properties = properties(table, footer).map_err(as_io)?;
        let file = Digested { file, bytes: 0, whole: Sha256::new(), piece: Sha256::new() };
        let writer = ArrowWriter::try_new(file, table.schema(), Some(properties)).map_err(as_io)?;
        Ok(Self { name, writer, rows: 0, groups: Vec::new() })
    }

    /// Writes a row group.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn write_group(&mut self, rows: &RecordBatch) -> io::Result<()> {
        self.rows += rows.num_rows() as u64;
        self.next_piece()?;
        self.writer.write(rows).map_err(as_io)?;
        self.writer.flush().map_err(as_io)?;
        let group = self.next_piece()?;
        self.groups.push(half(group));
        Ok(())
    }

    /// Returns the digest of what was written since the last call.
    fn next_piece(&mut self) -> io::Result<Sha256> {
        self.writer.sync()?;
        Ok(std::mem::take(&mut self.writer.inner_mut().piece))
    }

    /// Ends the part and gives it its name.
    ///
    /// # Errors
    /// Why that cannot be done; then nothing is left behind.
    pub fn commit(mut self) -> io::Result<IndexPart> {
        self.next_piece()?;
        let start = self.writer.inner().bytes;
        let groups = KeyValue::new(GROUP_DIGESTS.to_owned(), self.groups.join(" "));
        self.writer.append_key_value_metadata(groups);
        let Digested { mut file, bytes, whole, piece } = self.writer.into_inner().map_err(as_io)?;
        file.flush()?;
        file.commit()?;
        let hex = |digest: Sha256| HEXLOWER.encode(&digest.finalize());
        Ok(IndexPart {
            file: self.name,
            rows: self.rows,
            bytes,
            sha256: hex(whole),
            footer_bytes: bytes - start,
            footer_sha256: hex(piece),
        })
    }
}

/// A file, and the digests of what was written to it, in all and since a row group or the footer began.
struct Digested {
    file: Box<dyn StoreFile>,
    bytes: u64,
    whole: Sha256,
    piece: Sha256,
}

impl Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        let written = bytes.get(..count).unwrap_or_default();
        self.bytes += count as u64;
        self.whole.update(written);
        self.piece.update(written);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Columns of numbers that grow by little from row to row.
const GROWING: [&str; 2] = ["body", "archive"];
/// Columns whose values hardly repeat: a dictionary would be built, and given up.
const WITHOUT_DICTIONARY: [&str; 6] =
    ["body", "body_digest", "content", "url", "fetch_redirect", "body_bytes"];
/// The columns by which engines skip row groups.
const WITH_STATISTICS: [&str; 3] = ["surt_host_name", "url_host_name", "body"];

fn properties(table: &Table, footer: &Footer) -> Result<WriterProperties, ParquetError> {
    let mut pairs = vec![
        KeyValue::new("crawlprefs.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        KeyValue::new("crawlprefs.index_format".to_owned(), INDEX_FORMAT.to_owned()),
        KeyValue::new("crawlprefs.table".to_owned(), table.name.to_owned()),
    ];
    pairs.extend(footer.iter().map(|(key, value)| KeyValue::new(format!("crawlprefs.{key}"), value.clone())));
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("crawlprefs ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(9)?))
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(pairs));
    for name in WITH_STATISTICS {
        builder = builder.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::Chunk);
    }
    for name in WITHOUT_DICTIONARY {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    for name in GROWING {
        builder = builder.set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
    }
    Ok(builder.build())
}
