//! Cells of rows: one Arrow builder for each column, filled by the columns' names in declared order.
//!
//! Example: `cells.text("url", "https://example.org/")`. A cell that is not of the next declared column, or that does not fit
//! its type or nullability, is a bug: the first one is remembered and becomes the error with which the rows end, so that any
//! test that writes a row finds it. A struct in a list is filled in the same way. Left out: the table of the columns (`rows`).

mod builder;

use crate::web::column::{Column, Nulls};
use crate::web::timestamp::Timestamp;
use arrow_array::ArrayRef;
use builder::{Builder, Cell, Null, Structs, Texts};
use std::io;

/// Cells of rows, or of the structs in a column.
pub struct Cells {
    columns: Vec<(&'static Column, Builder)>,
    /// The place of the column whose cell is next.
    next: usize,
    rows: usize,
    bytes: usize,
    error: Option<String>,
}

impl Cells {
    pub(crate) fn new(columns: impl IntoIterator<Item = &'static Column>, rows: usize) -> Self {
        let columns: Vec<_> =
            columns.into_iter().map(|column| (column, Builder::new(column, rows))).collect();
        Self { next: columns.len(), columns, rows: 0, bytes: 0, error: None }
    }

    pub(crate) fn begin_row(&mut self) {
        self.end_row();
        (self.next, self.rows) = (0, self.rows + 1);
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows
    }

    pub(super) fn byte_count(&self) -> usize {
        self.bytes
    }

    pub(crate) fn finish(&mut self) -> io::Result<Vec<ArrayRef>> {
        self.end_row();
        if let Some(error) = self.error.take() {
            return Err(io::Error::other(error));
        }
        (self.rows, self.bytes) = (0, 0);
        self.columns.iter_mut().map(|(_, builder)| builder.finish()).collect()
    }

    /// Appends a text.
    pub fn text(&mut self, name: &str, text: impl AsRef<str>) {
        self.append(name, Nulls::Never, Some(text.as_ref()));
    }

    /// Appends a text or NULL.
    #[allow(clippy::needless_pass_by_value)] // callers have texts of all kinds, owned ones among them
    pub fn text_or_null(&mut self, name: &str, text: Option<impl AsRef<str>>) {
        self.append(name, Nulls::Allowed, text.as_ref().map(AsRef::as_ref));
    }

    /// Appends bytes.
    pub fn binary(&mut self, name: &str, bytes: &[u8]) {
        self.append(name, Nulls::Never, Some(bytes));
    }

    /// Appends bytes or NULL.
    pub fn binary_or_null(&mut self, name: &str, bytes: Option<&[u8]>) {
        self.append(name, Nulls::Allowed, bytes);
    }

    /// Appends a truth value.
    pub fn boolean(&mut self, name: &str, truth: bool) {
        self.append(name, Nulls::Never, Some(truth));
    }

    /// Appends a truth value or NULL.
    pub fn boolean_or_null(&mut self, name: &str, truth: Option<bool>) {
        self.append(name, Nulls::Allowed, truth);
    }

    /// Appends a number of 16 bits, or NULL; a number that is too large is NULL.
    pub fn int16_or_null(&mut self, name: &str, number: Option<impl TryInto<i16>>) {
        self.append(name, Nulls::Allowed, number.and_then(|number| number.try_into().ok()));
    }

    /// Appends a number of 32 bits; a number that is too large becomes the largest.
    pub fn int32(&mut self, name: &str, number: impl TryInto<i32>) {
        self.append(name, Nulls::Never, Some(number.try_into().unwrap_or(i32::MAX)));
    }

    /// Appends a number of 32 bits, or NULL; a number that is too large is NULL.
    pub fn int32_or_null(&mut self, name: &str, number: Option<impl TryInto<i32>>) {
        self.append(name, Nulls::Allowed, number.and_then(|number| number.try_into().ok()));
    }

    /// Appends a number of 64 bits; a number that is too large becomes the largest.
    pub fn int64(&mut self, name: &str, number: impl TryInto<i64>) {
        self.append(name, Nulls::Never, Some(number.try_into().unwrap_or(i64::MAX)));
    }

    /// Appends a number of 64 bits, or NULL; a number that is too large becomes the largest.
    pub fn int64_or_null(&mut self, name: &str, number: Option<impl TryInto<i64>>) {
        let number = number.map(|number| number.try_into().unwrap_or(i64::MAX));
        self.append(name, Nulls::Allowed, number);
    }

    /// Appends an instant or NULL.
    pub fn timestamp_or_null(&mut self, name: &str, timestamp: Option<Timestamp>) {
        self.append(name, Nulls::Allowed, timestamp);
    }

    /// Appends a list of texts.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.append(name, Nulls::Never, Some(Texts(texts)));
    }

    /// Appends a list of texts, or NULL.
    pub fn texts_or_null<'t>(&mut self, name: &str, texts: Option<impl IntoIterator<Item = &'t str>>) {
        self.append(name, Nulls::Allowed, texts.map(Texts));
    }

    /// Appends a list of structs, one for each element; `fill` appends the cells of each.
    pub fn structs<E>(
        &mut self,
        name: &str,
        elements: impl IntoIterator<Item = E>,
        mut fill: impl FnMut(&mut Self, E),
    ) {
        let fill_all = |cells: &mut Self| {
            for element in elements {
                cells.begin_row();
                fill(cells, element);
            }
        };
        self.append(name, Nulls::Never, Some(Structs(fill_all)));
    }

    /// Appends NULL, whatever the column's type.
    pub fn null(&mut self, name: &str) {
        self.append(name, Nulls::Allowed, None::<Null>);
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

    fn append<C: Cell>(&mut self, name: &str, nulls: Nulls, cell: Option<C>) {
        if let Some((column, builder)) = self.columns.get_mut(self.next)
            // Almost always it is the same text at the same place.
            && (std::ptr::eq(column.name, name) || column.name == name)
            && (nulls == Nulls::Never || column.nulls == Nulls::Allowed)
            && let Some(bytes) = C::append(cell, builder)
        {
            self.next += 1;
            self.bytes += bytes;
        } else {
            self.mismatch(&format!("a cell {name} that may be NULL: {nulls:?}"));
        }
    }

    /// Ends the current row, which has all of its cells.
    fn end_row(&mut self) {
        if self.next < self.columns.len() {
            self.mismatch("the end of the row");
        }
    }

    #[cold]
    fn mismatch(&mut self, found: &str) {
        let expected =
            self.columns.get(self.next).map(|(column, _)| (column.name, column.kind, column.nulls));
        let row = self.rows;
        self.error.get_or_insert_with(|| format!("row {row}: found {found}, expected {expected:?}"));
    }
}
