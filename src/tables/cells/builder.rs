//! The Arrow builder of one column, by the column's type, and the values that fit it. Left out: the order of cells ([`Cells`]).

use super::Cells;
use crate::tables::{data_type, element_field, struct_fields};
use crate::web::column::{Column, Kind};
use crate::web::timestamp::Timestamp;
use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::DataType;
use std::io;
use std::sync::Arc;

/// The cells of one column.
pub enum Builder {
    Text(StringBuilder),
    Binary(BinaryBuilder),
    Boolean(BooleanBuilder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Timestamp(TimestampMicrosecondBuilder),
    Texts(ListBuilder<StringBuilder>),
    /// The structs of all rows, the end of each row's structs, and the rows that are NULL.
    Structs(Cells, Vec<i32>, NullBufferBuilder),
}

impl Builder {
    /// Returns an empty builder for a column, with capacity for some rows.
    pub fn new(column: &Column, rows: usize) -> Self {
        let text = || StringBuilder::with_capacity(rows, rows * TEXT_BYTES);
        match column.kind {
            Kind::Text => Self::Text(text()),
            Kind::Binary => Self::Binary(BinaryBuilder::with_capacity(rows, rows * TEXT_BYTES)),
            Kind::Boolean => Self::Boolean(BooleanBuilder::with_capacity(rows)),
            Kind::Int16 => Self::Int16(Int16Builder::with_capacity(rows)),
            Kind::Int32 => Self::Int32(Int32Builder::with_capacity(rows)),
            Kind::Int64 => Self::Int64(Int64Builder::with_capacity(rows)),
            Kind::Timestamp => {
                Self::Timestamp(TimestampMicrosecondBuilder::with_capacity(rows).with_timezone("UTC"))
            }
            Kind::List(_) => {
                let element = element_field(data_type(Kind::Text));
                Self::Texts(ListBuilder::with_capacity(text(), rows).with_field(element))
            }
            Kind::Structs(fields) => {
                Self::Structs(Cells::new(fields, rows), vec![0], NullBufferBuilder::new(0))
            }
        }
    }

    fn append_null(&mut self) {
        match self {
            Self::Text(cells) => cells.append_null(),
            Self::Binary(cells) => cells.append_null(),
            Self::Boolean(cells) => cells.append_null(),
            Self::Int16(cells) => cells.append_null(),
            Self::Int32(cells) => cells.append_null(),
            Self::Int64(cells) => cells.append_null(),
            Self::Timestamp(cells) => cells.append_null(),
            Self::Texts(cells) => cells.append_null(),
            Self::Structs(cells, ends, nulls) => {
                ends.push(end(cells));
                nulls.append_null();
            }
        }
    }

    pub fn finish(&mut self) -> io::Result<ArrayRef> {
        Ok(match self {
            Self::Text(cells) => Arc::new(cells.finish()),
            Self::Binary(cells) => Arc::new(cells.finish()),
            Self::Boolean(cells) => Arc::new(cells.finish()),
            Self::Int16(cells) => Arc::new(cells.finish()),
            Self::Int32(cells) => Arc::new(cells.finish()),
            Self::Int64(cells) => Arc::new(cells.finish()),
            Self::Timestamp(cells) => Arc::new(cells.finish()),
            Self::Texts(cells) => Arc::new(cells.finish()),
            Self::Structs(cells, ends, nulls) => Arc::new(structs(cells, ends, nulls)?),
        })
    }
}

/// Returns a column of lists of structs, and starts anew.
fn structs(cells: &mut Cells, ends: &mut Vec<i32>, nulls: &mut NullBufferBuilder) -> io::Result<ListArray> {
    let fields = struct_fields(cells.columns.iter().map(|(column, _)| *column));
    let structs = StructArray::try_new(fields.clone(), cells.finish()?, None).map_err(io::Error::other)?;
    let ends = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
    let element = element_field(DataType::Struct(fields));
    ListArray::try_new(Arc::new(element), ends, Arc::new(structs), nulls.finish()).map_err(io::Error::other)
}

/// Returns the end of a row's structs; their bytes are limited, so their number is far from 2^31.
fn end(structs: &Cells) -> i32 {
    i32::try_from(structs.rows).unwrap_or(i32::MAX)
}

/// The value of a cell.
pub trait Cell: Sized {
    /// Appends a cell or NULL, and returns the bytes that it takes; `None` if the builder is of another type.
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize>;
}

/// Bytes of a text for which the builder reserves space.
const TEXT_BYTES: usize = 8;
/// Bytes of the end of a list or a text.
const END_BYTES: usize = size_of::<i32>();

impl Cell for &str {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Text(cells) = builder else { return None };
        cells.append_option(cell);
        Some(END_BYTES + cell.map_or(0, str::len))
    }
}

impl Cell for &[u8] {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Binary(cells) = builder else { return None };
        cells.append_option(cell);
        Some(END_BYTES + cell.map_or(0, <[u8]>::len))
    }
}

impl Cell for bool {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Boolean(cells) = builder else { return None };
        cells.append_option(cell);
        Some(size_of::<Self>())
    }
}

impl Cell for i16 {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Int16(cells) = builder else { return None };
        cells.append_option(cell);
        Some(size_of::<Self>())
    }
}

impl Cell for i32 {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Int32(cells) = builder else { return None };
        cells.append_option(cell);
        Some(size_of::<Self>())
    }
}

impl Cell for i64 {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Int64(cells) = builder else { return None };
        cells.append_option(cell);
        Some(size_of::<Self>())
    }
}

impl Cell for Timestamp {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Timestamp(cells) = builder else { return None };
        cells.append_option(cell.map(Self::unix_micros));
        Some(size_of::<i64>())
    }
}

/// A list of texts.
pub struct Texts<I>(pub I);

impl<'t, I: IntoIterator<Item = &'t str>> Cell for Texts<I> {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Texts(cells) = builder else { return None };
        let mut bytes = END_BYTES;
        let is_some = cell.is_some();
        for text in cell.into_iter().flat_map(|Self(texts)| texts) {
            cells.values().append_value(text);
            bytes += END_BYTES + text.len();
        }
        cells.append(is_some);
        Some(bytes)
    }
}

/// A list of structs: the function that appends them.
pub struct Structs<F>(pub F);

impl<F: FnOnce(&mut Cells)> Cell for Structs<F> {
    fn append(cell: Option<Self>, builder: &mut Builder) -> Option<usize> {
        let Builder::Structs(cells, ends, nulls) = builder else { return None };
        let had = cells.bytes;
        nulls.append(cell.is_some());
        if let Some(Self(fill_all)) = cell {
            fill_all(cells);
        }
        ends.push(end(cells));
        Some(END_BYTES + cells.bytes - had)
    }
}

/// NULL for a cell of any type.
pub enum Null {}

impl Cell for Null {
    fn append(_: Option<Self>, builder: &mut Builder) -> Option<usize> {
        builder.append_null();
        Some(END_BYTES)
    }
}
