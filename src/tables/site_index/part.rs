//! Writes one part of a site index: row groups that the writer ends, zstd, and a name by the digest of the whole part.
//!
//! Each row group is followed by its own footer, which names no other group: one request gets everything needed to read it.
//! Other readers of Parquet skip these bytes; for them the part has the usual footer at its end. A reader of a group knows its
//! place and digest. There is no page index, because the unit of reading is the row group; within it, the
//! headers of its pages lead to a body.

use super::super::Table;
use super::INDEX_FORMAT;
use crate::store::Store;
use crate::tables::writer::as_io;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use data_encoding::HEXLOWER;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::sync::Arc;

/// A part as `_index.json` describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    pub file: String,
    pub rows: u64,
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
}

/// The place in a part of a row group with its own footer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GroupRange {
    pub start: u64,
    pub bytes: u64,
    /// The first half of the SHA-256 of these bytes, in hexadecimal digits.
    pub sha256: String,
}

/// Encodes and compresses row groups of a table, in any thread.
pub struct GroupEncoder {
    schema: SchemaRef,
    factory: ArrowRowGroupWriterFactory,
}

pub struct EncodedGroup {
    rows: u64,
    chunks: Vec<ArrowColumnChunk>,
}

/// A part that is being written, in memory: its name depends on all of its bytes.
pub struct IndexPartWriter {
    table: &'static Table,
    writer: SerializedFileWriter<Vec<u8>>,
    rows: u64,
}

/// The key of the additional text in a group's own footer.
pub const GROUP_ABOUT: &str = "crawlprefs.about_group";

pub fn group_digest(bytes: &[u8]) -> String {
    let mut text = HEXLOWER.encode(&Sha256::digest(bytes));
    text.truncate(32);
    text
}

impl GroupEncoder {
    pub fn new(table: &Table) -> io::Result<Self> {
        let schema = table.schema();
        let writer = file_writer(table, io::sink()).map_err(as_io)?;
        let factory = ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema));
        Ok(Self { schema, factory })
    }

    pub fn encode(&self, rows: &RecordBatch) -> io::Result<EncodedGroup> {
        let mut writers = self
            .factory
            .create_column_writers(0)
            .map_err(as_io)?
            .into_iter();
        let mut chunks = Vec::new();
        for (field, column) in self.schema.fields().iter().zip(rows.columns()) {
            for leaf in compute_leaves(field, column).map_err(as_io)? {
                let mut writer = writers
                    .next()
                    .ok_or_else(|| io::Error::other("a column too many"))?;
                writer.write(&leaf).map_err(as_io)?;
                chunks.push(writer.close().map_err(as_io)?);
            }
        }
        Ok(EncodedGroup {
            rows: rows.num_rows() as u64,
            chunks,
        })
    }
}

impl IndexPartWriter {
    pub fn new(table: &'static Table) -> io::Result<Self> {
        Ok(Self {
            table,
            writer: file_writer(table, Vec::new()).map_err(as_io)?,
            rows: 0,
        })
    }

    /// Adds a row group, with the additional text in its own footer; returns its place.
    pub fn append(&mut self, group: EncodedGroup, about: Option<String>) -> io::Result<GroupRange> {
        self.rows += group.rows;
        self.writer.flush()?;
        let start = self.writer.inner().len();
        let mut writing = self.writer.next_row_group().map_err(as_io)?;
        for chunk in group.chunks {
            chunk.append_to_row_group(&mut writing).map_err(as_io)?;
        }
        let written = writing.close().map_err(as_io)?;
        self.writer.write_all(&footer(&written, about)?)?;
        self.writer.flush()?;
        let piece = self.writer.inner().get(start..).unwrap_or_default();
        Ok(GroupRange {
            start: start as u64,
            bytes: piece.len() as u64,
            sha256: group_digest(piece),
        })
    }

    /// Ends the part and writes it under the name that its digest gives it. An existing file of this name has the same bytes.
    pub fn commit(self, store: &dyn Store) -> io::Result<IndexPart> {
        let bytes = self.writer.into_inner().map_err(as_io)?;
        let sha256 = HEXLOWER.encode(&Sha256::digest(&bytes));
        let file = part_file(self.table, &sha256);
        let length = bytes.len() as u64;
        if store.bytes(&file)? != Some(length) {
            store.put(&file, &bytes)?;
        }
        Ok(IndexPart {
            file,
            rows: self.rows,
            bytes: length,
            sha256,
        })
    }
}

/// Returns the name of a part of a table, by the SHA-256 of its bytes.
pub fn part_file(table: &Table, sha256: &str) -> String {
    format!(
        "{}/{}.parquet",
        table.folder,
        sha256.get(..32).unwrap_or_default()
    )
}

fn footer(group: &RowGroupMetaData, about: Option<String>) -> io::Result<Vec<u8>> {
    let pairs = about.map(|about| vec![KeyValue::new(GROUP_ABOUT.to_owned(), about)]);
    let schema: Arc<SchemaDescriptor> = group.schema_descr_ptr();
    let file = FileMetaData::new(1, group.num_rows(), None, pairs, schema, None);
    let metadata = ParquetMetaData::new(file, vec![group.clone()]);
    let mut bytes = Vec::new();
    ParquetMetaDataWriter::new(&mut bytes, &metadata)
        .finish()
        .map_err(as_io)?;
    Ok(bytes)
}

/// Columns whose values hardly repeat: a dictionary would be built and then abandoned.
const WITHOUT_DICTIONARY: [(&str, Encoding); 9] = [
    // Each is slightly greater than the one before.
    ("body", Encoding::DELTA_BINARY_PACKED),
    ("archive", Encoding::DELTA_BINARY_PACKED),
    // Each begins like the one before.
    ("surt_host_name", Encoding::DELTA_BYTE_ARRAY),
    // Lengths stored apart from the text compress better.
    ("url_host_name", Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ("body_digest", Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ("content", Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ("url", Encoding::PLAIN),
    ("fetch_redirect", Encoding::PLAIN),
    ("body_bytes", Encoding::PLAIN),
];
/// The columns by which engines skip row groups.
const WITH_STATISTICS: [&str; 3] = ["surt_host_name", "url_host_name", "body"];
/// Uncompressed bytes of a page of bodies: to read one body, only its page is decompressed. It gives 8 % more bytes than one page
/// per row group, and takes half of the time to unpack one; pages of 64 KiB give 11 % more.
const BODY_PAGE_BYTES: usize = 128 << 10;
/// The level of zstd: 8 gives 2 % fewer bytes and takes about a sixth more time in total, 5 gives 3 % more bytes.
const ZSTD_LEVEL: i32 = 6;

fn file_writer<W: Write + Send>(
    table: &Table,
    to: W,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let schema = ArrowSchemaConverter::new().convert(&table.schema())?;
    SerializedFileWriter::new(to, schema.root_schema_ptr(), Arc::new(properties(table)?))
}

fn properties(table: &Table) -> Result<WriterProperties, ParquetError> {
    let pairs = vec![
        KeyValue::new(
            "crawlprefs.version".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ),
        KeyValue::new(
            "crawlprefs.index_format".to_owned(),
            INDEX_FORMAT.to_owned(),
        ),
        KeyValue::new("crawlprefs.table".to_owned(), table.name.to_owned()),
    ];
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("crawlprefs ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(pairs));
    builder = builder.set_column_data_page_size_limit(ColumnPath::from("content"), BODY_PAGE_BYTES);
    for name in WITH_STATISTICS {
        builder =
            builder.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::Chunk);
    }
    for (name, encoding) in WITHOUT_DICTIONARY {
        let column = ColumnPath::from(name);
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, encoding);
    }
    Ok(builder.build())
}
