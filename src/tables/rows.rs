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

/// Rows for which there is room at first.
const ROWS: usize = 1024;

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
    pub fn new(table: &'static Table) -> Self {
        Self::after(table, 0)
    }

    /// Returns no rows of a table whose first columns, as far as `captures` begins with the same, are copied.
    pub fn of_captures(table: &'static Table) -> Self {
        let same = |(one, other): &(&Column, &Column)| one.name == other.name;
        Self::after(table, table.columns().zip(CAPTURES.columns()).take_while(same).count())
    }

    fn after(table: &'static Table, copied: usize) -> Self {
        let cells = Cells::new(table.columns().skip(copied), ROWS);
        Self { table, schema: table.schema(), copied, sources: Vec::new(), cells }
    }

    /// Begins a row and returns its cells, to be appended in the order of the table's columns.
    pub fn row(&mut self) -> &mut Cells {
        self.cells.begin_row();
        &mut self.cells
    }

    /// Returns the cells of the row that was begun last.
    pub fn row_begun(&mut self) -> &mut Cells {
        &mut self.cells
    }

    /// Begins a row that goes with a capture, by its row in the slice, and returns the cells that are not copied.
    pub fn row_of_capture(&mut self, row: usize) -> &mut Cells {
        self.sources.push(u32::try_from(row).unwrap_or(u32::MAX));
        self.row()
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        self.cells.row_count()
    }

    /// Returns how many bytes their cells take, but for those that are copied.
    pub fn byte_count(&self) -> usize {
        self.cells.byte_count()
    }

    /// Returns the rows and starts anew.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.finish_after(Vec::new())
    }

    /// Returns the rows, of captures in `slice`, and starts anew.
    ///
    /// # Errors
    /// Where cells do not fit the table's declaration, or the slice is not one of `captures`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::failures::FAILURES;

    type Append = fn(&mut Cells);

    const FILENAME: Append = |cells| cells.text("warc_filename", "a.warc");
    const OFFSET: Append = |cells| cells.int64("warc_record_offset", 7_u64);
    const KIND: Append = |cells| cells.text("kind", "date");
    const DETAIL: Append = |cells| cells.text("detail", "none");
    const LOST: Append = |cells| cells.boolean("record_lost", false);

    /// Returns what becomes of a row of `failures` with these cells.
    fn failures(cells: &[Append]) -> Result<RecordBatch, String> {
        let mut rows = Rows::new(&FAILURES);
        let row = rows.row();
        for append in cells {
            append(row);
        }
        rows.finish().map_err(|error| error.to_string())
    }

    #[test]
    fn local_two_text_columns_swapped_are_an_error() {
        let error = failures(&[FILENAME, OFFSET, DETAIL, KIND, LOST]).expect_err("swapped");
        assert!(error.starts_with("failures: row 1: found a cell detail"), "{error}");
        assert!(error.contains(r#"expected Some(("kind", Text, Never))"#), "{error}");
        assert_eq!(failures(&[FILENAME, OFFSET, KIND, DETAIL, LOST]).map(|rows| rows.num_rows()), Ok(1));
    }

    #[test]
    fn local_cells_that_do_not_fit_are_an_error() {
        let number: Append = |cells| cells.int32("warc_record_offset", 7);
        let option: Append = |cells| cells.text_or_null("kind", Some("date"));
        let null: Append = |cells| cells.null("kind");
        for (cells, found) in [
            (&[FILENAME, number, KIND, DETAIL, LOST][..], "found a cell warc_record_offset"),
            (&[FILENAME, OFFSET, option, DETAIL, LOST], "found a cell kind that may be NULL: Allowed"),
            (&[FILENAME, OFFSET, null, DETAIL, LOST], "found a cell kind that may be NULL: Allowed"),
            (&[FILENAME, OFFSET, KIND, DETAIL], "found the end of the row"),
            (&[FILENAME, OFFSET, KIND, DETAIL, LOST, LOST], "found a cell record_lost"),
        ] {
            let error = failures(cells).expect_err(found);
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn local_structs_that_do_not_fit_are_an_error() {
        let mut rows = Rows::of_captures(&PAIRS);
        rows.row().structs("pairs", [("a", "b")], |cells, (one, other)| {
            cells.text("other", other);
            cells.text("one", one);
        });
        let error = rows.finish().expect_err("swapped").to_string();
        assert!(error.contains("found a cell other") && error.contains(r#""one""#), "{error}");
    }

    const PAIR: &[Column] = &[Column::text("one", ""), Column::text("other", "")];
    const COLUMNS: &[Column] = &[Column::structs("pairs", PAIR, "")];
    static PAIRS: Table = Table { name: "pairs", folder: "pairs", row: "test", columns: || vec![COLUMNS] };

    #[test]
    fn local_rows_and_bytes_are_counted_and_begin_anew() {
        let mut rows = Rows::new(&FAILURES);
        for _ in 0..2 {
            assert_eq!((rows.row_count(), rows.byte_count()), (0, 0));
            for _ in 0..3 {
                let row = rows.row();
                for append in [FILENAME, OFFSET, KIND, DETAIL, LOST] {
                    append(row);
                }
            }
            assert_eq!((rows.row_count(), rows.byte_count()), (3, 3 * (10 + 8 + 8 + 8 + 1)));
            assert_eq!(rows.finish().expect("they fit").num_rows(), 3);
        }
        let mut rows = Rows::new(&PAIRS);
        rows.row().structs("pairs", [("a", "b"), ("c", "")], |cells, (one, other)| {
            cells.text("one", one);
            cells.text("other", other);
        });
        assert_eq!(rows.byte_count(), 4 + 3 + 4 * 4);
        assert_eq!(rows.finish().expect("they fit").num_rows(), 1);
    }

    #[test]
    fn local_columns_of_captures_are_copied_from_the_slice() {
        static BOTH: Table = Table {
            name: "both",
            folder: "both",
            row: "test",
            columns: || vec![crate::tables::columns::WHERE, COLUMNS],
        };
        let mut captures = Rows::new(&WHERE_ONLY);
        for name in ["a", "b", "c"] {
            let row = captures.row();
            row.text("warc_filename", name);
            row.int64("warc_record_offset", 1);
            row.int64_or_null("warc_record_length", None::<i64>);
            row.int64("warc_member_skip", 0);
            row.nulls_before("source_format");
            row.text("source_format", "warc");
            row.text("source_filename", name);
        }
        let slice = captures.finish().expect("they fit");
        let mut rows = Rows::of_captures(&BOTH);
        for (sources, expected) in [(&[2, 0, 2][..], "cac"), (&[0, 1, 2], "abc"), (&[], "")] {
            for source in sources {
                rows.row_of_capture(*source).structs("pairs", None::<()>, |_, ()| ());
            }
            let copied = rows.finish_of_captures(&slice).expect("they fit");
            let names: &arrow_array::StringArray =
                crate::tables::stored::column(&copied, "warc_filename").expect("a column");
            assert_eq!(names.iter().flatten().collect::<String>(), expected);
        }
        let error =
            rows.finish_of_captures(&failures(&[FILENAME, OFFSET, KIND, DETAIL, LOST]).expect("fits"));
        assert_eq!(error.expect_err("no slice of captures").to_string(), "no column warc_record_length");
    }

    static WHERE_ONLY: Table = Table {
        name: "where",
        folder: "where",
        row: "test",
        columns: || vec![crate::tables::columns::WHERE],
    };
}
