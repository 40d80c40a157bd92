//! A stored Parquet file, read slice by slice wherever it is stored, and its columns by name.

use super::domains;
use super::guard::{self, AskedRows, GuardedRows};
use super::writer::{EVIDENCE_FORMAT_KEY, SCHEMA_VERSION_KEY, SUFFIX_LIST_KEY, byte_count};
use super::{EVIDENCE_FORMAT, SCHEMA_VERSION, Table};
use crate::store::{FileRange, StoredFile};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, new_null_array};
use arrow_schema::{Field, SchemaRef};
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Rows that are read at once. Fixed, because slices of output follow those of the evidence.
const SLICE_ROWS: usize = 1024;

/// Rows that are read at once if each may be half a MiB and many files are open.
const PIECE_ROWS: usize = 32;

/// A part of the evidence, read slice by slice.
pub struct Slices {
    reader: GuardedRows,
    has_old_domains: bool,
    /// A slice ends at this number of rows, or with the piece that brings it to [`SLICE_BYTES`].
    most_rows: usize,
    /// The columns that a slice has: NULL in those that came after the part was written.
    completed: Option<SchemaRef>,
}

/// The memory for one slice. Honestly written files have slices of full length.
const SLICE_BYTES: usize = 64 << 20;

impl Slices {
    /// Opens a part: `asked` says by its footer what is read of it; a slice has as many rows as are read at once, or `most_rows`.
    fn open(
        file: Box<dyn StoredFile>,
        most_rows: Option<usize>,
        asked: impl FnOnce(&ParquetMetaData) -> AskedRows,
    ) -> io::Result<Self> {
        let (file, metadata) = described(file)?;
        let about = metadata.metadata().file_metadata();
        // Only evidence is older than what is made from it.
        let list = value(about, EVIDENCE_FORMAT_KEY).and_then(|_| value(about, SUFFIX_LIST_KEY));
        let has_old_domains = domains::are_old(list);
        let asked = asked(metadata.metadata());
        let most_rows = most_rows.unwrap_or(asked.rows);
        Ok(Self {
            reader: guard::rows(file, &metadata, asked)?,
            has_old_domains,
            most_rows,
            completed: None,
        })
    }

    /// Opens a part with all of its columns.
    pub fn new(file: Box<dyn StoredFile>) -> io::Result<Self> {
        Self::open(file, None, |_| AskedRows::all(SLICE_ROWS))
    }

    /// Opens a part of a table with all columns, a few rows at once. Columns that came after the part was written are NULL.
    pub fn in_pieces(file: Box<dyn StoredFile>, table: &Table) -> io::Result<Self> {
        let slices = Self::open(file, Some(1), |_| AskedRows::all(PIECE_ROWS))?;
        Ok(Self {
            completed: Some(table.schema()),
            ..slices
        })
    }

    /// Returns about the maximum number of bytes held at once.
    pub fn held_bytes(&self) -> u64 {
        self.reader.held_bytes
    }

    /// Opens a part with some rows, by their numbers in ascending order, and some columns, by name, or all of them.
    pub fn of_rows(
        file: Box<dyn StoredFile>,
        rows: &[usize],
        columns: Option<&[&str]>,
    ) -> io::Result<Self> {
        Self::open(file, None, |footer| {
            let total = usize::try_from(footer.file_metadata().num_rows()).unwrap_or_default();
            let columns = columns.map(|columns| mask(footer, columns));
            AskedRows {
                columns,
                ..AskedRows::all(SLICE_ROWS)
            }
            .only(rows, total)
        })
    }

    /// Opens a part with some columns, by name.
    pub fn of_columns(file: Box<dyn StoredFile>, columns: &[&str]) -> io::Result<Self> {
        Self::open(file, None, |footer| {
            let columns = Some(mask(footer, columns));
            AskedRows {
                columns,
                ..AskedRows::all(SLICE_ROWS)
            }
        })
    }

    /// Returns the number of rows of a part.
    pub fn row_count(file: Box<dyn StoredFile>) -> io::Result<u64> {
        let rows = described(file)?.1.metadata().file_metadata().num_rows();
        u64::try_from(rows).map_err(io::Error::other)
    }

    /// Opens each row group of a part on its own, with all of its columns.
    pub fn of_groups(open: impl Fn() -> io::Result<Box<dyn StoredFile>>) -> io::Result<Vec<Self>> {
        let groups = described(open()?)?.1.metadata().num_row_groups();
        let asked = |at| AskedRows {
            groups: Some(vec![at]),
            ..AskedRows::all(SLICE_ROWS)
        };
        (0..groups)
            .map(|at| Self::open(open()?, None, |_| asked(at)))
            .collect()
    }

    /// Opens a part with all of its columns; few enough rows are read at once that their values of `length` sum to at most
    /// `bytes`.
    pub fn within(file: Box<dyn StoredFile>, length: &str, bytes: usize) -> io::Result<Self> {
        Self::open(file, None, |footer| {
            let chunks = footer
                .row_groups()
                .iter()
                .flat_map(RowGroupMetaData::columns);
            let longest = chunks
                .filter(|chunk| chunk.column_path().string() == length)
                .map(longest)
                .max();
            AskedRows::all((bytes / longest.unwrap_or_default().max(1)).clamp(1, SLICE_ROWS))
        })
    }

    /// Returns the footer of a part, which describes its row groups.
    pub fn footer(file: &Arc<dyn StoredFile>) -> io::Result<ParquetMetaData> {
        let footer = guard::footer(&StoredChunks(Arc::clone(file)))?;
        check_version(footer.file_metadata())?;
        Ok(footer)
    }

    fn slice(&mut self) -> io::Result<Option<RecordBatch>> {
        let (mut pieces, mut rows, mut bytes) = (Vec::new(), 0, 0);
        while rows < self.most_rows
            && bytes < SLICE_BYTES
            && let Some(piece) = self.reader.next().transpose()?
        {
            rows += piece.num_rows();
            if rows < self.most_rows {
                bytes += byte_count(&piece);
            }
            pieces.push(piece);
        }
        let slice = match pieces.as_slice() {
            [] => return Ok(None),
            [piece] => piece.clone(),
            [first, ..] => concat_batches(&first.schema(), &pieces).map_err(io::Error::other)?,
        };
        let slice = match &self.completed {
            Some(schema) => completed(slice, schema)?,
            None => slice,
        };
        if self.has_old_domains {
            domains::computed_again(slice).map(Some)
        } else {
            Ok(Some(slice))
        }
    }
}

impl Iterator for Slices {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.slice().transpose()
    }
}

/// Returns a slice with all columns of a table; a missing one that may not be NULL is an error.
fn completed(slice: RecordBatch, schema: &SchemaRef) -> io::Result<RecordBatch> {
    if slice.num_columns() >= schema.fields().len() {
        return Ok(slice);
    }
    let column = |field: &Arc<Field>| match slice.column_by_name(field.name()) {
        Some(column) => Ok(Arc::clone(column)),
        None if field.is_nullable() => Ok(new_null_array(field.data_type(), slice.num_rows())),
        None => Err(no_column(field.name())),
    };
    let columns = schema
        .fields()
        .iter()
        .map(column)
        .collect::<io::Result<_>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(io::Error::other)
}

/// Reads the footer of a file, whose version must be known.
fn described(file: Box<dyn StoredFile>) -> io::Result<(StoredChunks, ArrowReaderMetadata)> {
    let file = StoredChunks(file.into());
    let metadata = guard::metadata(&file, ArrowReaderOptions::new())?;
    check_version(metadata.metadata().file_metadata())?;
    Ok((file, metadata))
}

/// Chooses columns; of a field of a list of structs, its whole column.
pub fn mask(footer: &ParquetMetaData, names: &[&str]) -> ProjectionMask {
    let columns = names
        .iter()
        .map(|name| name.split_once('.').map_or(*name, |(column, _)| column));
    ProjectionMask::columns(footer.file_metadata().schema_descr(), columns)
}

pub fn value<'f>(footer: &'f FileMetaData, key: &str) -> Option<&'f str> {
    let mut pairs = footer.key_value_metadata().into_iter().flatten();
    pairs
        .find(|pair| pair.key == key)
        .and_then(|pair| pair.value.as_deref())
}

/// Refuses a file whose columns are of another version; evidence has its own version.
fn check_version(footer: &FileMetaData) -> io::Result<()> {
    let (found, read) = match value(footer, EVIDENCE_FORMAT_KEY) {
        Some(format) => (Some(format), EVIDENCE_FORMAT),
        None => (value(footer, SCHEMA_VERSION_KEY), SCHEMA_VERSION),
    };
    if found == Some(read) {
        return Ok(());
    }
    let found = found.unwrap_or("none");
    Err(io::Error::other(format!(
        "its version is {found}, this program reads {read}"
    )))
}

/// Returns the greatest number of a column, by its statistics; without them it may be any number.
fn longest(chunk: &ColumnChunkMetaData) -> usize {
    match chunk.statistics() {
        Some(Statistics::Int64(numbers)) => numbers.max_opt().map_or(usize::MAX, |longest| {
            usize::try_from(*longest).unwrap_or(usize::MAX)
        }),
        Some(_) | None => usize::MAX,
    }
}

pub fn column<'b, A: Array + 'static>(rows: &'b RecordBatch, name: &str) -> io::Result<&'b A> {
    typed(rows.column_by_name(name), name)
}

pub fn typed<'b, A: Array + 'static>(array: Option<&'b ArrayRef>, name: &str) -> io::Result<&'b A> {
    let array = array.ok_or_else(|| no_column(name))?;
    array.as_any().downcast_ref().ok_or_else(|| {
        io::Error::other(format!(
            "the column {name} has another type than this version writes"
        ))
    })
}

pub fn range(lists: &ListArray, row: usize) -> Range<usize> {
    let at = |row: usize| {
        lists
            .value_offsets()
            .get(row)
            .map_or(0, |offset| usize::try_from(*offset).unwrap_or(0))
    };
    at(row)..at(row + 1)
}

pub fn no_column(name: &str) -> io::Error {
    io::Error::other(format!("no column {name}"))
}

/// A stored file for the Parquet reader, which reads ranges of it.
struct StoredChunks(Arc<dyn StoredFile>);

impl Length for StoredChunks {
    fn len(&self) -> u64 {
        self.0.bytes()
    }
}

impl ChunkReader for StoredChunks {
    type T = FileRange;

    fn get_read(&self, start: u64) -> Result<FileRange, ParquetError> {
        Ok(FileRange::new(Arc::clone(&self.0), start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut buffer = vec![0; length];
        self.0.read_range(start, &mut buffer)?;
        Ok(buffer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::Slices;
    use crate::store::{ScratchStore, Store};
    use crate::tables::EVIDENCE_FORMAT;
    use crate::tables::writer::EVIDENCE_FORMAT_KEY;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::{DataType, Field};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    use std::io;
    use std::sync::Arc;

    /// Writes a list as the only column of a part of evidence, and opens it.
    fn written(store: &ScratchStore, lists: ListArray) -> io::Result<Slices> {
        let rows =
            RecordBatch::try_from_iter([("numbers", Arc::new(lists) as ArrayRef)]).expect("rows");
        let format = Some(EVIDENCE_FORMAT.to_owned());
        let pairs = vec![KeyValue::new(EVIDENCE_FORMAT_KEY.to_owned(), format)];
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(pairs))
            .build();
        let mut file = store.create("part").expect("a file");
        let mut writer =
            ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).expect("a writer");
        writer.write(&rows).expect("written");
        writer.close().expect("written");
        file.commit().expect("written");
        Slices::new(store.open("part").expect("a file"))
    }

    /// A few kilobytes would become gigabytes when decoded.
    #[test]
    fn local_a_long_list_in_a_short_file_of_evidence_is_refused_before_it_is_decoded() {
        let store = ScratchStore::new().expect("a store");
        for (elements, is_read) in [(1_000, true), (23_000_000, false)] {
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7; elements]));
            let field = Arc::new(Field::new("element", DataType::Int64, true));
            let offsets = OffsetBuffer::from_lengths([elements]);
            let lists = ListArray::new(field, offsets, numbers, None);
            let read = written(&store, lists).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            assert!(store.bytes("part").expect("there") < Some(20_000));
            match read {
                Ok(slices) => assert!(is_read && slices.len() == 1),
                Err(error) => assert!(
                    !is_read && error.to_string().contains("bytes of memory"),
                    "{error}"
                ),
            }
        }
    }

    /// Of a list of texts, what they take counts, and not the longest of them as often as there are texts.
    #[test]
    fn local_a_long_text_among_many_short_ones_is_read_and_many_long_ones_are_refused() {
        let store = ScratchStore::new().expect("a store");
        let long = "x, ".repeat(20_000);
        for (long_ones, rows, is_read) in [
            (0, 4, true),
            (7, 4, true),
            // No row has too many, but all of them would.
            (200, 50, true),
            (10_000, 1, false),
        ] {
            let short = 10_000 - long_ones;
            let keys = std::iter::repeat_n(0, short).chain(std::iter::repeat_n(1, long_ones));
            let keys: Vec<i32> = std::iter::repeat_n(keys, rows).flatten().collect();
            let texts = StringArray::from(vec!["b", long.as_str()]);
            let texts: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(
                keys.into(),
                Arc::new(texts),
            ));
            let field = Arc::new(Field::new("element", texts.data_type().clone(), true));
            let offsets = OffsetBuffer::from_lengths(vec![10_000; rows]);
            match written(&store, ListArray::new(field, offsets, texts, None)) {
                Ok(mut slices) => {
                    let read = slices.next().expect("rows").expect("rows").num_rows();
                    assert!(is_read && read > 0, "{long_ones}: {read}");
                }
                Err(error) => assert!(
                    !is_read && error.to_string().contains("bytes of memory"),
                    "{long_ones}: {error}"
                ),
            }
        }
    }
}
