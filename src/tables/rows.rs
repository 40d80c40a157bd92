//! Rows of a table, being filled, and how they become Arrow's.
//!
//! Example: `failures::append(rows.row(), archive, damage)`. Rows that go with a capture copy the columns which
//! `captures` begins with, too, from the slice of `captures` that they are made from, all at once.

use super::Table;
use super::captures::CAPTURES;
use super::cells::Cells;
use super::stored::no_column;
use crate::web::column::Column;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::take::take;
use std::io;

/// Rows of a table, being filled.
pub struct Rows {
    table: &'static Table,
    schema: SchemaRef,
    /// How many of the first columns are copied.
    copied: usize,
    /// For each row, the row of the slice from which they are.
    sources: Vec<u32>,
    cells: Cells,
}

impl Rows {
    /// Returns no rows of a table.
    #[must_use]
    pub fn new(table: &'static Table) -> Self {
        Self::after(table, 0)
    }

    /// Returns no rows of a table whose first columns, as far as `captures` begins with the same, are copied.
    #[must_use]
    pub fn of_captures(table: &'static Table) -> Self {
        let same = |(one, other): &(&Column, &Column)| one.name == other.name;
        Self::after(table, table.columns().zip(CAPTURES.columns()).take_while(same).count())
    }

    fn after(table: &'static Table, copied: usize) -> Self {
        let cells = Cells::new(table.columns().skip(copied));
        Self { table, schema: table.schema(), copied, sources: Vec::new(), cells }
    }

    /// Begins a row and returns its cells, to be appended in the order of the table's columns.
    pub fn row(&mut self) -> &mut Cells {
        self.cells.begin_row();
        &mut self.cells
    }

    /// Begins a row that goes with a capture, by its row in the slice, and returns the cells that are not copied.
    pub fn row_of_capture(&mut self, row: usize) -> &mut Cells {
        self.sources.push(u32::try_from(row).unwrap_or(u32::MAX));
        self.row()
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.cells.row_count()
    }

    /// Returns how many bytes their cells take, but for those that are copied.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        self.cells.byte_count()
    }

    /// Returns the rows and starts anew.
    ///
    /// # Errors
    /// Where cells do not fit the table's declaration, which is a bug.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.finish_after(Vec::new())
    }

    /// Returns the rows, of captures in `slice`, and starts anew.
    ///
    /// # Errors
    /// Where cells do not fit the table's declaration, or the slice is none of `captures`.
    pub fn finish_of_captures(&mut self, slice: &RecordBatch) -> io::Result<RecordBatch> {
        let sources = UInt32Array::from(std::mem::take(&mut self.sources));
        let is_whole =
            sources.len() == slice.num_rows() && (0..).zip(sources.values()).all(|(row, at)| row == *at);
        let copy = |column: &Column| {
            let column = slice.column_by_name(column.name).ok_or_else(|| no_column(column.name))?;
            if is_whole { Ok(column.clone()) } else { take(column, &sources, None).map_err(io::Error::other) }
        };
        let copied = self.table.columns().take(self.copied).map(copy).collect::<io::Result<Vec<_>>>()?;
        self.finish_after(copied)
    }

    fn finish_after(&mut self, mut columns: Vec<ArrayRef>) -> io::Result<RecordBatch> {
        let name = self.table.name;
        let in_table = |error: &dyn std::fmt::Display| io::Error::other(format!("{name}: {error}"));
        columns.extend(self.cells.finish().map_err(|error| in_table(&error))?);
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| in_table(&error))
    }
}
