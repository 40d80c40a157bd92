//! Builders of column values that arrow-array has not as we need them.

use super::{data_type, element_field, struct_fields};
use crate::web::column::{Column, Kind};
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use std::sync::Arc;

/// Builds a column of lists of text.
#[derive(Default)]
pub struct TextLists {
    texts: StringBuilder,
    offsets: Offsets,
}

impl TextLists {
    /// Adds a row with `texts`.
    pub fn push<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        for text in texts {
            self.texts.append_value(text);
            self.offsets.element();
        }
        self.offsets.row();
    }

    /// Returns the column and starts anew.
    pub fn finish(&mut self) -> ArrayRef {
        let elements = Arc::new(self.texts.finish());
        let element = Arc::new(element_field(data_type(Kind::Text)));
        Arc::new(ListArray::new(element, self.offsets.finish(), elements, None))
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
    pub fn finish_structs(&mut self, columns: &[Column], fields: Vec<ArrayRef>) -> ArrayRef {
        let structs = StructArray::new(struct_fields(columns), fields, None);
        let element = Arc::new(element_field(data_type(Kind::Structs(&[])).clone()));
        let element = Arc::new(element.as_ref().clone().with_data_type(structs_type(columns)));
        Arc::new(ListArray::new(element, self.finish(), Arc::new(structs), None))
    }
}

fn structs_type(columns: &[Column]) -> arrow_schema::DataType {
    arrow_schema::DataType::Struct(struct_fields(columns))
}
