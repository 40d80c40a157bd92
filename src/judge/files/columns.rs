//! Columns of a Parquet file of documents, by name, with the types that they may have.
//!
//! Example: `url`, a text; `metadata.date`, a text or a timestamp in a struct. A column without a logical type is read as text.
//! Left out: lists, which no URL, id or date is.

use super::dates::{DateNames, fetched_within};
use super::int96;
use crate::tables::guard::{self, AskedRows, GuardedRows};
use crate::web::{interval::Interval, timestamp::Timestamp};
use arrow_array::types::{
    Date32Type, Date64Type, Float64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch, cast::AsArray, downcast_integer};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Reads the footer of a file, with the types of Parquet itself: those that the file's writer had in memory do not count. Times of
/// the old type INT96 are timestamps.
pub fn footer(path: &Path) -> io::Result<ArrowReaderMetadata> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let footer = guard::metadata(&File::open(path)?, options.clone())?;
    let of_file = footer.metadata().file_metadata().schema_descr();
    let Some(schema) = int96::with_timestamps(footer.schema(), of_file) else {
        return Ok(footer);
    };
    let metadata = Arc::clone(footer.metadata());
    let options = options.with_schema(Arc::new(schema));
    guard::guarded(|| ArrowReaderMetadata::try_new(metadata, options).map_err(io::Error::other))
}

/// Begins to read the columns at some paths; for a column in a struct, the outermost struct.
pub fn rows<'p>(
    path: &Path,
    footer: &ArrowReaderMetadata,
    columns: impl IntoIterator<Item = &'p Vec<String>>,
    asked: AskedRows,
) -> io::Result<GuardedRows> {
    let names: Vec<&String> = columns
        .into_iter()
        .filter_map(|column| column.first())
        .collect();
    let of_file = footer.metadata().file_metadata().schema_descr();
    // By its place, as a dot may be part of a name (`metadata.url`).
    let fields = of_file.root_schema().get_fields().iter().enumerate();
    let asked_for = fields.filter(|(_, field)| names.iter().any(|name| *name == field.name()));
    let mask = ProjectionMask::roots(of_file, asked_for.map(|(place, _)| place));
    guard::rows(
        File::open(path)?,
        footer,
        AskedRows {
            columns: Some(mask),
            ..asked
        },
    )
}

/// Returns the ways to read a name: whole, then as a path with dots between its steps.
pub fn steps(name: &str) -> impl Iterator<Item = Vec<&str>> {
    let path: Vec<&str> = name.split('.').collect();
    std::iter::once(vec![name]).chain((path.len() > 1).then_some(path))
}

/// A column of a slice; one that is missing has no values.
pub struct FileColumn {
    parents: Vec<ArrayRef>,
    array: ArrayRef,
    /// For a column with a dictionary, which is then `array`: the column, and the places of its rows in the dictionary.
    keys: Option<(ArrayRef, Vec<usize>)>,
}

fn values(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Returns the path and the field of the first of some names that a file has.
pub fn find<'s>(schema: &'s Schema, names: &[String]) -> Option<(Vec<String>, &'s Field)> {
    names.iter().flat_map(|name| steps(name)).find_map(|path| {
        let field = field(schema.fields(), &path)?;
        Some((path.iter().map(|step| (*step).to_owned()).collect(), field))
    })
}

/// Returns that path if its field has a wanted type; an empty path means no column.
pub fn if_typed(schema: &Schema, names: &[String], is_wanted: fn(&Field) -> bool) -> Vec<String> {
    find(schema, names)
        .filter(|(_, field)| is_wanted(field))
        .map(|(path, _)| path)
        .unwrap_or_default()
}

/// Returns the field at the end of a path.
pub fn field<'s>(fields: &'s Fields, path: &[&str]) -> Option<&'s Field> {
    let (first, rest) = path.split_first()?;
    // Arrow's own look-up of a missing name writes a message with all names.
    let found = fields.find(first)?.1;
    match found.data_type() {
        _ if rest.is_empty() => Some(found),
        DataType::Struct(fields) => field(fields, rest),
        _ => None,
    }
}

/// Returns whether a path leads to only one column: readers differ in which of two columns of one name they take.
pub fn is_unique(schema: &Schema, path: &[String]) -> bool {
    let mut fields = schema.fields();
    for step in path {
        let mut found = fields.iter().filter(|field| field.name() == step);
        let (Some(field), None) = (found.next(), found.next()) else {
            return false;
        };
        if let DataType::Struct(inner) = field.data_type() {
            fields = inner;
        }
    }
    true
}

/// Returns whether a column of this type may hold texts. A column of the type Null has no text, as any column may.
pub fn is_text(field: &Field) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    matches!(
        values(field),
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null
    )
}

/// Returns whether a column of this type holds times: as such, as text, or as numbers ([`Interval::of_number`]).
pub fn is_time(field: &Field) -> bool {
    use DataType::{Date32, Date64, Float64, Timestamp};
    is_text(field)
        || values(field).is_integer()
        || matches!(values(field), Timestamp(..) | Date32 | Date64 | Float64)
}

/// Returns whether a column of this type may hold whole numbers, also as text.
pub fn is_number(field: &Field) -> bool {
    values(field).is_integer() || is_text(field)
}

/// The columns that say when documents were fetched.
pub struct DateColumns([FileColumn; 3]);

impl DateColumns {
    pub fn from_rows(rows: &RecordBatch, paths: &DatePaths) -> Self {
        Self(
            paths
                .0
                .each_ref()
                .map(|path| FileColumn::from_rows(rows, path)),
        )
    }

    pub fn interval(&self, row: usize) -> Option<Interval> {
        fetched_within(self.0.each_ref().map(|column| column.interval(row)))
    }
}

/// Their paths, in the order of [`DateNames::lists`]; those of missing ones are empty.
pub struct DatePaths(pub [Vec<String>; 3]);

impl DatePaths {
    /// Finds those of them that hold times.
    pub fn if_typed(schema: &Schema, names: &DateNames) -> Self {
        Self(names.lists().map(|names| if_typed(schema, names, is_time)))
    }
}

impl FileColumn {
    /// Returns a column of a slice, by its path; an empty path gives a column without values.
    pub fn from_rows(rows: &RecordBatch, path: &[String]) -> Self {
        Self::found(rows, path).unwrap_or_else(|| Self {
            parents: Vec::new(),
            array: Arc::new(NullArray::new(0)),
            keys: None,
        })
    }

    fn found(rows: &RecordBatch, path: &[String]) -> Option<Self> {
        let (first, rest) = path.split_first()?;
        let mut array = rows.column_by_name(first)?.clone();
        let mut parents = Vec::new();
        for step in rest {
            let inner = array.as_struct_opt()?.column_by_name(step)?.clone();
            parents.push(std::mem::replace(&mut array, inner));
        }
        let keys = array
            .as_any_dictionary_opt()
            .filter(|dictionary| !dictionary.values().is_empty());
        let keys = keys.map(|dictionary| (Arc::clone(&array), dictionary.normalized_keys()));
        let values = array
            .as_any_dictionary_opt()
            .map(|dictionary| Arc::clone(dictionary.values()));
        Some(Self {
            parents,
            array: values.unwrap_or(array),
            keys,
        })
    }

    /// Returns the place of a row's value, if it has one.
    fn place(&self, row: usize) -> Option<usize> {
        let place = match &self.keys {
            Some((dictionary, keys)) => keys
                .get(row)
                .copied()
                .filter(|_| dictionary.is_valid(row))?,
            None => row,
        };
        let is_there = place < self.array.len()
            && self.array.is_valid(place)
            && self.parents.iter().all(|parent| parent.is_valid(row));
        is_there.then_some(place)
    }

    pub fn text(&self, row: usize) -> Option<&[u8]> {
        let row = self.place(row)?;
        let array = &self.array;
        Some(match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
            DataType::Binary => array.as_binary::<i32>().value(row),
            DataType::LargeBinary => array.as_binary::<i64>().value(row),
            DataType::BinaryView => array.as_binary_view().value(row),
            _ => return None,
        })
    }

    /// Returns the instants that a date may mean, by the precision of its type (KNOW-7).
    pub fn interval(&self, row: usize) -> Option<Interval> {
        let place = self.place(row)?;
        let array = &self.array;
        macro_rules! value {
            ($type:ty) => {
                array.as_primitive::<$type>().value(place)
            };
        }
        let (us, digits) = match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => {
                (value!(TimestampSecondType).checked_mul(1_000_000)?, 0)
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                (value!(TimestampMillisecondType).checked_mul(1000)?, 3)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => (value!(TimestampMicrosecondType), 6),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                (value!(TimestampNanosecondType).div_euclid(1000), 6)
            }
            DataType::Date32 => return Interval::of_day(value!(Date32Type).into()),
            DataType::Date64 => return Interval::of_day(value!(Date64Type).div_euclid(86_400_000)),
            DataType::Float64 => return Interval::of_float(value!(Float64Type)),
            numbers if numbers.is_integer() => return Interval::of_number(self.number(row)?),
            _ => return Interval::new(self.text(row)?),
        };
        Timestamp::from_unix_micros(us).map(|time| Interval::to_fraction(time, digits))
    }

    /// Returns a number, also if it is written as text.
    pub fn number(&self, document: usize) -> Option<i64> {
        let row = self.place(document)?;
        let array = &self.array;
        macro_rules! value {
            ($type:ty) => {
                array.as_primitive::<$type>().value(row).try_into().ok()
            };
        }
        let of_text = || {
            str::from_utf8(self.text(document)?)
                .ok()?
                .trim()
                .parse()
                .ok()
        };
        downcast_integer! { array.data_type() => (value), _ => of_text() }
    }
}

#[cfg(test)]
mod tests {
    use super::{FileColumn, is_text, is_time};
    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, Date64Array, DictionaryArray, Int8Array, LargeBinaryArray, RecordBatch,
        StringArray, StringViewArray,
    };
    use std::sync::Arc;

    #[test]
    fn local_texts_are_read_from_every_type_that_a_library_gives() {
        let mut words = StringDictionaryBuilder::<Int8Type>::new();
        words.extend([Some("a"), None, Some("b"), Some("a")]);
        let texts = [Some("a"), None, Some("b"), Some("a")];
        let empty =
            DictionaryArray::new(Int8Array::new_null(4), Arc::new(StringArray::new_null(0)));
        let columns: [(ArrayRef, bool); 4] = [
            (Arc::new(words.finish()), true),
            (Arc::new(StringViewArray::from_iter(texts)), true),
            (Arc::new(LargeBinaryArray::from_iter(texts)), true),
            (Arc::new(empty), false),
        ];
        for (array, has_texts) in columns {
            let rows = RecordBatch::try_from_iter_with_nullable([("url", array, true)]).unwrap();
            assert!(is_text(rows.schema_ref().field(0)));
            let column = FileColumn::from_rows(&rows, &["url".to_owned()]);
            for (row, text) in texts.iter().enumerate() {
                assert_eq!(
                    column.text(row),
                    text.filter(|_| has_texts).map(str::as_bytes),
                    "{row}"
                );
            }
        }
        let dates: ArrayRef = Arc::new(Date64Array::from(vec![86_400_000]));
        let rows = RecordBatch::try_from_iter([("date", dates)]).unwrap();
        assert!(is_time(rows.schema_ref().field(0)));
        let day = FileColumn::from_rows(&rows, &["date".to_owned()])
            .interval(0)
            .unwrap();
        assert_eq!(day.to_string(), "1970-01-02");
    }
}
