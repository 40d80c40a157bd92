//! Cells of rows: one Arrow builder for each column, filled by the columns' names in declared order.
//!
//! Example: `cells.text("url", "https://example.org/")`. A cell that is not of the next declared column, or that does not fit
//! its type or nullability, is a bug: the first one is remembered and becomes the error with which the rows end, so that any
//! test that writes a row finds it. A struct in a list is filled in the same way. Left out: the table of the columns (`rows`).

use super::{data_type, element_field, struct_fields};
use crate::web::column::{Column, ColumnKind, Nulls};
use crate::web::timestamp::Timestamp;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, ListBuilder, PrimitiveBuilder, StringBuilder,
    make_builder,
};
use arrow_array::types::{
    ArrowPrimitiveType, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType as MicrosType,
};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::DataType;
use std::io;
use std::sync::Arc;

/// Cells of rows, or of the structs in a column.
pub struct Cells {
    columns: Vec<(&'static Column, Builder)>,
    /// The place of the column whose cell is next.
    next: usize,
    pub(super) rows: usize,
    pub(super) bytes: usize,
    error: Option<String>,
}

/// The cells of one column.
enum Builder {
    /// Of any type but structs.
    Flat(Box<dyn ArrayBuilder>),
    /// The structs of all rows, the end of each row's structs, and the rows that are NULL.
    Structs(Cells, Vec<i32>, NullBufferBuilder),
}

/// Bytes of the end of a list or a text.
const END_BYTES: usize = size_of::<i32>();

impl Builder {
    /// Returns an empty builder for a column, with capacity for some rows.
    fn new(column: &Column, rows: usize) -> Self {
        match column.kind {
            ColumnKind::Structs(fields) => {
                Self::Structs(Cells::new(fields, rows), vec![0], NullBufferBuilder::new(0))
            }
            kind => Self::Flat(make_builder(&data_type(kind), rows)),
        }
    }

    /// Returns the builder, if it is of this type.
    fn flat<B: ArrayBuilder>(&mut self) -> Option<&mut B> {
        match self {
            Self::Flat(cells) => cells.as_any_mut().downcast_mut(),
            Self::Structs(..) => None,
        }
    }

    fn finish(&mut self) -> io::Result<ArrayRef> {
        match self {
            Self::Flat(cells) => Ok(cells.finish()),
            Self::Structs(cells, ends, nulls) => Ok(Arc::new(structs(cells, ends, nulls)?)),
        }
    }
}

/// Returns a column of lists of structs, and starts anew.
fn structs(
    cells: &mut Cells,
    ends: &mut Vec<i32>,
    nulls: &mut NullBufferBuilder,
) -> io::Result<ListArray> {
    let fields = struct_fields(cells.columns.iter().map(|(column, _)| *column));
    let structs =
        StructArray::try_new(fields.clone(), cells.finish()?, None).map_err(io::Error::other)?;
    let ends = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
    let element = element_field(DataType::Struct(fields));
    ListArray::try_new(Arc::new(element), ends, Arc::new(structs), nulls.finish())
        .map_err(io::Error::other)
}

impl Cells {
    pub(crate) fn new(columns: impl IntoIterator<Item = &'static Column>, rows: usize) -> Self {
        let columns: Vec<_> = columns
            .into_iter()
            .map(|column| (column, Builder::new(column, rows)))
            .collect();
        Self {
            next: columns.len(),
            columns,
            rows: 0,
            bytes: 0,
            error: None,
        }
    }

    pub(crate) fn begin_row(&mut self) {
        self.end_row();
        (self.next, self.rows) = (0, self.rows + 1);
    }

    pub(crate) fn finish(&mut self) -> io::Result<Vec<ArrayRef>> {
        self.end_row();
        if let Some(error) = self.error.take() {
            return Err(io::Error::other(error));
        }
        (self.rows, self.bytes) = (0, 0);
        self.columns
            .iter_mut()
            .map(|(_, builder)| builder.finish())
            .collect()
    }

    /// Appends a text.
    pub fn text(&mut self, name: &str, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.value(
            name,
            Nulls::Never,
            Some(text),
            END_BYTES + text.len(),
            StringBuilder::append_option,
        );
    }

    /// Appends a text or NULL.
    #[allow(clippy::needless_pass_by_value)] // callers have texts of all kinds, owned ones among them
    pub fn text_or_null(&mut self, name: &str, text: Option<impl AsRef<str>>) {
        let text: Option<&str> = text.as_ref().map(AsRef::as_ref);
        self.value(
            name,
            Nulls::Allowed,
            text,
            END_BYTES + text.map_or(0, str::len),
            StringBuilder::append_option,
        );
    }

    /// Appends bytes.
    pub fn binary(&mut self, name: &str, bytes: &[u8]) {
        self.value(
            name,
            Nulls::Never,
            Some(bytes),
            END_BYTES + bytes.len(),
            BinaryBuilder::append_option,
        );
    }

    /// Appends bytes or NULL.
    pub fn binary_or_null(&mut self, name: &str, bytes: Option<&[u8]>) {
        self.value(
            name,
            Nulls::Allowed,
            bytes,
            END_BYTES + bytes.map_or(0, <[u8]>::len),
            BinaryBuilder::append_option,
        );
    }

    /// Appends a truth value.
    pub fn boolean(&mut self, name: &str, truth: bool) {
        self.value(
            name,
            Nulls::Never,
            Some(truth),
            size_of::<bool>(),
            BooleanBuilder::append_option,
        );
    }

    /// Appends a truth value or NULL.
    pub fn boolean_or_null(&mut self, name: &str, truth: Option<bool>) {
        self.value(
            name,
            Nulls::Allowed,
            truth,
            size_of::<bool>(),
            BooleanBuilder::append_option,
        );
    }

    /// Appends a number of 16 bits, or NULL; a number that is too large is NULL.
    pub fn int16_or_null(&mut self, name: &str, number: Option<impl TryInto<i16>>) {
        let number = number.and_then(|number| number.try_into().ok());
        self.number_cell::<Int16Type>(name, Nulls::Allowed, number);
    }

    /// Appends a number of 32 bits; a number that is too large becomes the largest.
    pub fn int32(&mut self, name: &str, number: impl TryInto<i32>) {
        self.number_cell::<Int32Type>(
            name,
            Nulls::Never,
            Some(number.try_into().unwrap_or(i32::MAX)),
        );
    }

    /// Appends a number of 32 bits, or NULL; a number that is too large is NULL.
    pub fn int32_or_null(&mut self, name: &str, number: Option<impl TryInto<i32>>) {
        let number = number.and_then(|number| number.try_into().ok());
        self.number_cell::<Int32Type>(name, Nulls::Allowed, number);
    }

    /// Appends a number of 64 bits; a number that is too large becomes the largest.
    pub fn int64(&mut self, name: &str, number: impl TryInto<i64>) {
        self.number_cell::<Int64Type>(
            name,
            Nulls::Never,
            Some(number.try_into().unwrap_or(i64::MAX)),
        );
    }

    /// Appends a number of 64 bits, or NULL; a number that is too large becomes the largest.
    pub fn int64_or_null(&mut self, name: &str, number: Option<impl TryInto<i64>>) {
        let number = number.map(|number| number.try_into().unwrap_or(i64::MAX));
        self.number_cell::<Int64Type>(name, Nulls::Allowed, number);
    }

    /// Appends an instant or NULL.
    pub fn timestamp_or_null(&mut self, name: &str, timestamp: Option<Timestamp>) {
        self.number_cell::<MicrosType>(name, Nulls::Allowed, timestamp.map(Timestamp::unix_micros));
    }

    fn number_cell<T: ArrowPrimitiveType>(
        &mut self,
        name: &str,
        nulls: Nulls,
        number: Option<T::Native>,
    ) {
        self.value(
            name,
            nulls,
            number,
            size_of::<T::Native>(),
            PrimitiveBuilder::<T>::append_option,
        );
    }

    /// Appends a list of texts.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.text_list(name, Nulls::Never, Some(texts));
    }

    /// Appends a list of texts, or NULL.
    pub fn texts_or_null<'t>(
        &mut self,
        name: &str,
        texts: Option<impl IntoIterator<Item = &'t str>>,
    ) {
        self.text_list(name, Nulls::Allowed, texts);
    }

    fn text_list<'t>(
        &mut self,
        name: &str,
        nulls: Nulls,
        texts: Option<impl IntoIterator<Item = &'t str>>,
    ) {
        self.list(name, nulls, texts, |cells: &mut StringBuilder, text| {
            cells.append_value(text);
            END_BYTES + text.len()
        });
    }

    /// Appends a list of numbers; none: NULL, where the column may have it.
    pub fn numbers<T: ArrowPrimitiveType>(
        &mut self,
        name: &str,
        numbers: Option<impl IntoIterator<Item = T::Native>>,
    ) {
        let nulls = if numbers.is_some() {
            Nulls::Never
        } else {
            Nulls::Allowed
        };
        self.list(
            name,
            nulls,
            numbers,
            |cells: &mut PrimitiveBuilder<T>, number| {
                cells.append_value(number);
                size_of::<T::Native>()
            },
        );
    }

    /// Appends a list of structs, one for each element; `fill` appends the cells of each.
    pub fn structs<E>(
        &mut self,
        name: &str,
        elements: impl IntoIterator<Item = E>,
        mut fill: impl FnMut(&mut Self, E),
    ) {
        self.cell(name, Nulls::Never, |builder| {
            let Builder::Structs(cells, ends, nulls) = builder else {
                return None;
            };
            let had = cells.bytes;
            for element in elements {
                cells.begin_row();
                fill(cells, element);
            }
            nulls.append(true);
            ends.push(cells.end());
            Some(END_BYTES + cells.bytes - had)
        });
    }

    /// Appends NULL, whatever the column's type. It counts like the end of a text.
    pub fn null(&mut self, name: &str) {
        let (next, bytes) = (self.next, self.bytes);
        match self
            .columns
            .get(next)
            .map_or(ColumnKind::Text, |(column, _)| column.kind)
        {
            ColumnKind::Text => self.text_or_null(name, None::<&str>),
            ColumnKind::Binary => self.binary_or_null(name, None),
            ColumnKind::Boolean => self.boolean_or_null(name, None),
            ColumnKind::Int16 => self.int16_or_null(name, None::<i16>),
            ColumnKind::Int32 => self.int32_or_null(name, None::<i32>),
            ColumnKind::Int64 => self.int64_or_null(name, None::<i64>),
            ColumnKind::Timestamp => self.timestamp_or_null(name, None),
            ColumnKind::List(_) => self.texts_or_null(name, None::<[&str; 0]>),
            ColumnKind::Structs(_) => self.cell(name, Nulls::Allowed, |builder| {
                let Builder::Structs(cells, ends, nulls) = builder else {
                    return None;
                };
                nulls.append_null();
                ends.push(cells.end());
                Some(END_BYTES)
            }),
        }
        if self.next > next {
            self.bytes = bytes + END_BYTES;
        }
    }

    /// Appends NULL to all columns before the one with this name.
    pub fn nulls_before(&mut self, name: &str) {
        while let Some((column, _)) = self.columns.get(self.next)
            && column.name != name
            && self.error.is_none()
        {
            self.null(column.name);
        }
    }

    fn list<B: ArrayBuilder, E>(
        &mut self,
        name: &str,
        nulls: Nulls,
        list: Option<impl IntoIterator<Item = E>>,
        append: impl Fn(&mut B, E) -> usize,
    ) {
        self.cell(name, nulls, |builder| {
            let lists: &mut ListBuilder<Box<dyn ArrayBuilder>> = builder.flat()?;
            let elements = lists.values().as_any_mut().downcast_mut()?;
            let (is_some, mut bytes) = (list.is_some(), END_BYTES);
            for element in list.into_iter().flatten() {
                bytes += append(elements, element);
            }
            lists.append(is_some);
            Some(bytes)
        });
    }

    /// Appends a value or NULL, which takes this many bytes, by this method of a builder of its type. Arrow's `Extend` would
    /// make an array of each value first.
    fn value<B: ArrayBuilder, V>(
        &mut self,
        name: &str,
        nulls: Nulls,
        value: Option<V>,
        bytes: usize,
        append: impl FnOnce(&mut B, Option<V>),
    ) {
        self.cell(name, nulls, |builder| {
            append(builder.flat()?, value);
            Some(bytes)
        });
    }

    /// Appends a cell, if it is the next one; `append` returns the bytes that it takes, or `None` if it is of another type.
    fn cell(
        &mut self,
        name: &str,
        nulls: Nulls,
        append: impl FnOnce(&mut Builder) -> Option<usize>,
    ) {
        if let Some((column, builder)) = self.columns.get_mut(self.next)
            // Almost always it is the same text at the same place.
            && (std::ptr::eq(column.name, name) || column.name == name)
            && (nulls == Nulls::Never || column.nulls == Nulls::Allowed)
            && let Some(bytes) = append(builder)
        {
            self.next += 1;
            self.bytes += bytes;
        } else {
            self.mismatch(&format!("a cell {name} that may be NULL: {nulls:?}"));
        }
    }

    /// Returns the end of a row's structs; their bytes are limited, so their number is far from 2^31.
    fn end(&self) -> i32 {
        i32::try_from(self.rows).unwrap_or(i32::MAX)
    }

    /// Ends the current row, which has all of its cells.
    fn end_row(&mut self) {
        if self.next < self.columns.len() {
            self.mismatch("the end of the row");
        }
    }

    #[cold]
    fn mismatch(&mut self, found: &str) {
        let expected = self
            .columns
            .get(self.next)
            .map(|(column, _)| (column.name, column.kind, column.nulls));
        let row = self.rows;
        self.error
            .get_or_insert_with(|| format!("row {row}: found {found}, expected {expected:?}"));
    }
}
