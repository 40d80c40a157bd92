//! The output of a Parquet file of documents: its own columns, with their types and its properties, and those of verdicts.
//!
//! A row group whose rows are all kept is copied: its column chunks go through as they are, compressed, whatever they hold. Of
//! any other row group, the kept rows are decoded and encoded again. Example: in FineWeb's files, no text is decoded without a
//! policy. Left out: page indexes and Bloom filters of the file, which are not written again.

use super::input::Writing;
use super::int96;
use super::kind::{FileFault, FileResult};
use crate::judge::{Added, Verdict};
use crate::store::StoreFile;
use crate::tables::guard::{self, AskedRows, GuardedRows, guarded};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, RowSelection};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ProjectionMask};
use parquet::arrow::{add_encoded_arrow_schema_to_metadata, parquet_to_arrow_schema};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type};
use parquet::{column::writer::ColumnCloseResult, errors::ParquetError};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// About how many bytes of rows are encoded at once, and how many rows at most.
const SLICE_BYTES: i64 = 8 << 20;
const SLICE_ROWS: i64 = 4096;
/// Rows of a row group that are taken together: a file of few bytes may have a row group of billions.
const PIECE_ROWS: usize = 1 << 20;
/// The most bytes of a row group that is encoded again; it is held in memory.
const GROUP_BYTES: usize = 64 << 20;
/// Verdicts that become columns at once.
const VERDICT_ROWS: usize = 8192;

/// The schema that Spark writes and believes: it does not show a column that is not in it.
const SPARK_SCHEMA: &str = "org.apache.spark.sql.parquet.row.metadata";

type RowsWriter = SerializedFileWriter<Box<dyn StoreFile>>;

/// Why rows that the footer has are missing.
pub const ENDED: &str = "its rows ended while they were read";

/// Rows of a row group: all of it, unless it has very many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub group: usize,
    pub rows: Range<usize>,
    /// Whether it is all of the group.
    pub is_whole: bool,
}

/// Returns the pieces of a file, in its order.
pub fn pieces(metadata: &ParquetMetaData) -> impl Iterator<Item = Piece> {
    metadata
        .row_groups()
        .iter()
        .enumerate()
        .flat_map(|(group, about)| {
            let count = usize::try_from(about.num_rows()).unwrap_or_default();
            let starts = (0..count).step_by(PIECE_ROWS);
            starts.map(move |start| {
                let rows = start..count.min(start + PIECE_ROWS);
                Piece {
                    group,
                    is_whole: rows.len() == count,
                    rows,
                }
            })
        })
}

/// Returns how many rows are read at once.
pub fn slice_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter();
    let bytes = groups
        .map(|group| group.total_byte_size() / group.num_rows().max(1))
        .max();
    usize::try_from((SLICE_BYTES / bytes.unwrap_or_default().max(1)).clamp(1, SLICE_ROWS))
        .unwrap_or(1)
}

pub struct RowsOutput<'r> {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    own: ProjectionMask,
    schema: SchemaRef,
    writer: RowsWriter,
    factory: ArrowRowGroupWriterFactory,
    /// The row group of rows that are encoded again, and how many there are.
    encoded: Option<(Vec<ArrowColumnWriter>, usize)>,
    /// The most rows of such a row group: as many as the file's longest one has.
    group_rows: usize,
    /// How many bytes of the file may be in memory.
    bytes: u64,
    writing: Writing<'r>,
}

impl<'r> RowsOutput<'r> {
    pub fn new(
        path: &Path,
        metadata: ArrowReaderMetadata,
        writing: Writing<'r>,
        out: Box<dyn StoreFile>,
        bytes: u64,
    ) -> FileResult<Self> {
        let added = writing.added;
        let of_file = metadata.metadata().file_metadata().schema_descr();
        let fields = metadata.schema().fields().iter().enumerate();
        let kept = fields
            .filter(|(_, field)| !added.has(field.name()))
            .map(|(place, _)| place);
        let own = ProjectionMask::roots(of_file, kept);
        let schema = Arc::new(with_judged(metadata.schema(), added));
        let writer = writer(metadata.metadata(), &schema, writing, out)?;
        let factory = ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema));
        let longest = metadata
            .metadata()
            .row_groups()
            .iter()
            .map(RowGroupMetaData::num_rows)
            .max();
        let group_rows = usize::try_from(longest.unwrap_or_default())
            .unwrap_or(0)
            .max(1);
        let path = path.to_owned();
        let encoded = None;
        Ok(Self {
            path,
            metadata,
            own,
            schema,
            writer,
            factory,
            encoded,
            group_rows,
            bytes,
            writing,
        })
    }

    /// Writes the kept rows of a piece, with their verdicts.
    pub fn write(&mut self, piece: &Piece, kept: &[bool], verdicts: &[Arc<Verdict>]) -> FileResult {
        if piece.is_whole && !kept.contains(&false) && self.is_copyable(piece.group) {
            return self.copy(piece.group, verdicts);
        }
        let verdicts = verdicts
            .iter()
            .zip(kept)
            .filter(|(_, kept)| **kept)
            .map(|(verdict, _)| verdict);
        let verdicts: Vec<Arc<Verdict>> = verdicts.cloned().collect();
        if verdicts.is_empty() {
            Ok(())
        } else {
            self.encode(piece, kept, &verdicts)
        }
    }

    fn group(&self, group: usize) -> FileResult<&RowGroupMetaData> {
        let groups = self.metadata.metadata().row_groups();
        groups
            .get(group)
            .ok_or_else(|| FileFault::input("a row group is missing"))
    }

    /// Returns whether the chunks of a row group begin where their metadata says, and have types that are written. Some writers give
    /// 0 for a missing dictionary.
    fn is_copyable(&self, group: usize) -> bool {
        self.group(group).is_ok_and(|group| {
            group.columns().iter().all(|chunk| {
                let data = chunk.data_page_offset();
                !int96::is_old(&chunk.column_descr_ptr())
                    && chunk
                        .dictionary_page_offset()
                        .is_none_or(|dictionary| 0 < dictionary && dictionary < data)
            })
        })
    }

    /// Copies a row group, and adds the columns of its verdicts.
    fn copy(&mut self, group: usize, verdicts: &[Arc<Verdict>]) -> FileResult {
        self.end_group()?;
        let about = self.group(group)?.clone();
        let file = File::open(&self.path).map_err(FileFault::input)?;
        let rows_written = u64::try_from(about.num_rows()).unwrap_or_default();
        let own_leaves = (0..about.columns().len())
            .filter(|leaf| self.own.leaf_included(*leaf))
            .count();
        let columns = self.factory.create_column_writers(group).map_err(output)?;
        let mut columns: Vec<_> = columns.into_iter().skip(own_leaves).collect();
        for verdicts in verdicts.chunks(VERDICT_ROWS) {
            let judged = self.writing.batch(verdicts, self.writing.added)?;
            encode(&mut columns, &self.writing.added.schema, &judged)?;
        }
        let chunks = about
            .columns()
            .iter()
            .enumerate()
            .filter(|(leaf, _)| self.own.leaf_included(*leaf));
        let copied = chunks.map(|(_, chunk)| ColumnCloseResult {
            bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
            rows_written,
            metadata: chunk.clone(),
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        });
        write_group(
            &mut self.writer,
            copied.map(|copied| (&file, copied)),
            columns,
        )
    }

    /// Decodes the kept rows of a piece, and encodes them with their verdicts.
    fn encode(
        &mut self,
        piece: &Piece,
        kept: &[bool],
        mut verdicts: &[Arc<Verdict>],
    ) -> FileResult {
        for rows in self.rows(piece, kept).map_err(FileFault::input)? {
            let rows = rows.map_err(FileFault::input)?;
            let (now, later) = verdicts.split_at(rows.num_rows().min(verdicts.len()));
            verdicts = later;
            let judged = self.writing.batch(now, self.writing.added)?;
            let columns = rows
                .columns()
                .iter()
                .chain(judged.columns())
                .cloned()
                .collect();
            let rows = RecordBatch::try_new(Arc::clone(&self.schema), columns)
                .map_err(FileFault::input)?;
            self.add(&rows)?;
        }
        if verdicts.is_empty() {
            Ok(())
        } else {
            Err(FileFault::input(ENDED))
        }
    }

    fn rows(&mut self, piece: &Piece, kept: &[bool]) -> io::Result<GuardedRows> {
        let metadata = self.metadata.metadata();
        let group_rows = metadata
            .row_groups()
            .get(piece.group)
            .map_or(0, RowGroupMetaData::num_rows);
        let kept = piece
            .rows
            .clone()
            .zip(kept)
            .filter(|(_, kept)| **kept)
            .map(|(row, _)| row..row + 1);
        let total = usize::try_from(group_rows).unwrap_or_default();
        let asked = AskedRows {
            columns: Some(self.own.clone()),
            groups: Some(vec![piece.group]),
            selection: Some(RowSelection::from_consecutive_ranges(kept, total)),
            rows: slice_rows(metadata),
            bytes: self.bytes,
        };
        guard::rows(File::open(&self.path)?, &self.metadata, asked)
    }

    fn add(&mut self, rows: &RecordBatch) -> FileResult {
        let mut first = 0;
        while first < rows.num_rows() {
            let (mut columns, before) = match self.encoded.take() {
                Some(begun) => begun,
                None => (self.factory.create_column_writers(0).map_err(output)?, 0),
            };
            let count = (rows.num_rows() - first).min(self.group_rows - before);
            as_fault(|| encode(&mut columns, &self.schema, &rows.slice(first, count)))?;
            first += count;
            let bytes: usize = columns
                .iter()
                .map(ArrowColumnWriter::get_estimated_total_bytes)
                .sum();
            let is_full = before + count >= self.group_rows || bytes >= GROUP_BYTES;
            self.encoded = Some((columns, before + count));
            if is_full {
                self.end_group()?;
            }
        }
        Ok(())
    }

    /// Writes the row group that was encoded, if there is one.
    fn end_group(&mut self) -> FileResult {
        let Some((columns, _)) = self.encoded.take() else {
            return Ok(());
        };
        write_group(&mut self.writer, std::iter::empty(), columns)
    }

    pub fn finish(mut self) -> FileResult {
        self.end_group()?;
        let writer = self.writer;
        as_fault(|| writer.into_inner().map_err(output))?
            .commit()
            .map_err(FileFault::Output)
    }
}

fn write_group<'f>(
    writer: &mut RowsWriter,
    copied: impl Iterator<Item = (&'f File, ColumnCloseResult)>,
    encoded: Vec<ArrowColumnWriter>,
) -> FileResult {
    as_fault(|| {
        let mut written = writer.next_row_group().map_err(output)?;
        for (file, chunk) in copied {
            written.append_column(file, chunk).map_err(output)?;
        }
        for column in encoded {
            column
                .close()
                .and_then(|chunk| chunk.append_to_row_group(&mut written))
                .map_err(output)?;
        }
        written.close().map(drop).map_err(output)
    })
}

fn encode(columns: &mut [ArrowColumnWriter], schema: &Schema, rows: &RecordBatch) -> FileResult {
    let mut columns = columns.iter_mut();
    for (field, array) in schema.fields().iter().zip(rows.columns()) {
        for leaf in compute_leaves(field, array).map_err(output)? {
            let column = columns
                .next()
                .ok_or_else(|| FileFault::input("a column without a place"))?;
            column.write(&leaf).map_err(output)?;
        }
    }
    Ok(())
}

/// Returns a schema with the columns of verdicts after its own.
fn with_judged(schema: &Schema, added: &Added) -> Schema {
    let own = schema
        .fields()
        .iter()
        .filter(|field| !added.has(field.name()));
    let fields: Vec<_> = own.chain(added.schema.fields()).cloned().collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn writer(
    metadata: &ParquetMetaData,
    schema: &Schema,
    writing: Writing<'_>,
    out: Box<dyn StoreFile>,
) -> FileResult<RowsWriter> {
    let file = metadata.file_metadata();
    let added = writing.added;
    let root = file.schema_descr().root_schema();
    let own = root
        .get_fields()
        .iter()
        .filter(|field| !added.has(field.name()));
    let is_old = |name: &str| {
        own.clone()
            .any(|own| own.name() == name && int96::has_old(own))
    };
    let made = schema
        .fields()
        .iter()
        .filter(|field| added.has(field.name()) || is_old(field.name()));
    let made = Schema::new(made.cloned().collect::<Vec<_>>());
    let made = ArrowSchemaConverter::new()
        .convert(&made)
        .map_err(FileFault::input)?;
    let made = made.root_schema().get_fields();
    let own = own.map(|own| {
        made.iter()
            .find(|made| made.name() == own.name())
            .unwrap_or(own)
    });
    let fields = own
        .chain(made.iter().filter(|field| added.has(field.name())))
        .cloned();
    let root = Type::group_type_builder(root.name())
        .with_fields(fields.collect())
        .build();
    let schema = SchemaDescriptor::new(Arc::new(root.map_err(FileFault::input)?));
    let properties = Arc::new(properties(metadata, writing)?);
    as_fault(|| {
        SerializedFileWriter::new(out, schema.root_schema_ptr(), properties).map_err(output)
    })
}

fn properties(metadata: &ParquetMetaData, writing: Writing<'_>) -> FileResult<WriterProperties> {
    let file = metadata.file_metadata();
    let added = writing.added;
    let kept = file.key_value_metadata().into_iter().flatten();
    let pairs = kept
        .filter(|pair| {
            ![ARROW_SCHEMA_META_KEY, SPARK_SCHEMA].contains(&pair.key.as_str())
                && !pair.key.starts_with("crawlprefs.")
        })
        .cloned()
        .chain(writing.footer())
        .collect();
    // Copied chunks have no page index, and readers expect a page index for all chunks or for none.
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(pairs));
    for chunk in metadata
        .row_groups()
        .iter()
        .take(1)
        .flat_map(RowGroupMetaData::columns)
    {
        builder = builder.set_column_compression(chunk.column_path().clone(), chunk.compression());
    }
    let mut properties = builder.build();
    let has_arrow_schema = |pair: &KeyValue| pair.key == ARROW_SCHEMA_META_KEY;
    if file
        .key_value_metadata()
        .into_iter()
        .flatten()
        .any(has_arrow_schema)
    {
        let schema = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata())
            .map_err(FileFault::input)?;
        let schema = int96::with_timestamps(&schema, file.schema_descr()).unwrap_or(schema);
        add_encoded_arrow_schema_to_metadata(&with_judged(&schema, added), &mut properties);
    }
    Ok(properties)
}

/// An error of the writer is one of the output, or of columns that it cannot write.
fn output(error: ParquetError) -> FileFault {
    match error {
        ParquetError::External(source) => FileFault::Output(io::Error::other(source)),
        error => FileFault::input(error),
    }
}

/// Makes a call; a panic in it is a fault of the file.
fn as_fault<T>(call: impl FnOnce() -> FileResult<T>) -> FileResult<T> {
    guarded(|| Ok(call())).map_err(FileFault::input)?
}
