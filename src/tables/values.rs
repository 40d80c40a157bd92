//! Builders of column values that arrow-array has not as we need them.

use super::{data_type, element_field, struct_fields};
use crate::systems::Value;
use crate::web::column::{Column, Kind};
use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer};
use std::sync::Arc;

/// Builds a column of lists of text.
pub struct TextLists {
    texts: StringBuilder,
    offsets: Offsets,
    nulls: NullBufferBuilder,
}

impl Default for TextLists {
    fn default() -> Self {
        Self {
            texts: StringBuilder::default(),
            offsets: Offsets::default(),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl TextLists {
    /// Adds a row with `texts`.
    pub fn push<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        for text in texts {
            self.texts.append_value(text);
            self.offsets.element();
        }
        self.offsets.row();
        self.nulls.append_non_null();
    }

    /// Adds a row that is NULL.
    pub fn push_null(&mut self) {
        self.offsets.row();
        self.nulls.append_null();
    }

    /// Returns the column and starts anew.
    pub fn finish(&mut self) -> ArrayRef {
        let nulls = self.nulls.finish();
        let elements = Arc::new(self.texts.finish());
        let element = Arc::new(element_field(data_type(Kind::Text)));
        Arc::new(ListArray::new(element, self.offsets.finish(), elements, nulls))
    }
}

/// Builds the offsets of a column of lists.
pub struct Offsets {
    ends: Vec<i32>,
    elements: i32,
}

impl Default for Offsets {
    fn default() -> Self {
        Self { ends: vec![0], elements: 0 }
    }
}

impl Offsets {
    /// Counts an element of the current row.
    pub fn element(&mut self) {
        self.elements += 1;
    }

    /// Ends the current row.
    pub fn row(&mut self) {
        self.ends.push(self.elements);
    }

    fn finish(&mut self) -> OffsetBuffer<i32> {
        let Self { ends, .. } = std::mem::take(self);
        OffsetBuffer::new(ends.into())
    }

    /// Returns a column of lists of structs, whose `columns` are in `fields`, and starts anew.
    pub fn finish_structs(
        &mut self,
        columns: &[Column],
        fields: Vec<ArrayRef>,
        nulls: Option<NullBuffer>,
    ) -> ArrayRef {
        let structs = StructArray::new(struct_fields(columns), fields, None);
        let element = Arc::new(element_field(data_type(Kind::Structs(&[])).clone()));
        let element = Arc::new(element.as_ref().clone().with_data_type(structs_type(columns)));
        Arc::new(ListArray::new(element, self.finish(), Arc::new(structs), nulls))
    }
}

fn structs_type(columns: &[Column]) -> arrow_schema::DataType {
    arrow_schema::DataType::Struct(struct_fields(columns))
}

/// Builds a column of lists of structs, whose fields are text.
pub struct StructLists {
    columns: &'static [Column],
    fields: Vec<StringBuilder>,
    offsets: Offsets,
    nulls: NullBufferBuilder,
}

impl StructLists {
    fn new(columns: &'static [Column]) -> Self {
        let fields = columns.iter().map(|_| StringBuilder::default()).collect();
        Self { columns, fields, offsets: Offsets::default(), nulls: NullBufferBuilder::new(0) }
    }

    /// Adds a row with `structs`.
    fn push(&mut self, structs: &[Vec<Option<String>>]) {
        for one in structs {
            for (at, field) in self.fields.iter_mut().enumerate() {
                field.append_option(one.get(at).and_then(Option::as_deref));
            }
            self.offsets.element();
        }
        self.offsets.row();
        self.nulls.append_non_null();
    }

    fn push_null(&mut self) {
        self.offsets.row();
        self.nulls.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let fields = self.fields.iter_mut().map(|field| Arc::new(field.finish()) as ArrayRef).collect();
        self.offsets.finish_structs(self.columns, fields, self.nulls.finish())
    }
}

/// Builds a column of a signal's values.
pub enum ValueRows {
    /// Words and other text.
    Texts(StringBuilder),
    /// Truth values.
    Truths(BooleanBuilder),
    /// Lists of text.
    Lists(TextLists),
    /// Lists of structs whose fields are text.
    Structs(StructLists),
}

impl ValueRows {
    /// Returns a builder for a column's type; what no signal's column is of is text.
    #[must_use]
    pub fn new(column: &Column) -> Self {
        match column.kind {
            Kind::Boolean => Self::Truths(BooleanBuilder::default()),
            Kind::List(_) => Self::Lists(TextLists::default()),
            Kind::Text | Kind::Binary | Kind::Int16 | Kind::Int32 | Kind::Int64 | Kind::Timestamp => {
                Self::Texts(StringBuilder::default())
            }
            Kind::Structs(fields) => Self::Structs(StructLists::new(fields)),
        }
    }

    /// Adds a value; one of another type than the column's is NULL.
    pub fn push(&mut self, value: &Value) {
        match (self, value) {
            (Self::Texts(rows), Value::Word(word)) => rows.append_value(word),
            (Self::Texts(rows), Value::Text(text)) => rows.append_value(text),
            (Self::Texts(rows), _) => rows.append_null(),
            (Self::Truths(rows), Value::Truth(truth)) => rows.append_value(*truth),
            (Self::Truths(rows), _) => rows.append_null(),
            (Self::Lists(rows), Value::Texts(texts)) => rows.push(texts.iter().map(String::as_str)),
            (Self::Lists(rows), _) => rows.push_null(),
            (Self::Structs(rows), Value::Structs(structs)) => rows.push(structs),
            (Self::Structs(rows), _) => rows.push_null(),
        }
    }

    /// Returns the column and starts anew.
    pub fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Texts(rows) => Arc::new(rows.finish()),
            Self::Truths(rows) => Arc::new(rows.finish()),
            Self::Lists(rows) => rows.finish(),
            Self::Structs(rows) => rows.finish(),
        }
    }
}
