//! Rows of a table while they are filled, and their conversion to Arrow.
//!
//! Example: `append_failure(rows.row(), archive, damage)`. Rows of captures also copy the columns that `captures` begins with, all at
//! once, from the slice of `captures` that they are made from.
//!
//! Lists in a row are short: at most 32 entries and 4 KiB, so that one site cannot make rows of megabytes. Example: of 20,000
//! equal lines that decide a label, `evidence` has the first 32, and `lists_cut` names `evidence`. Left out: lists of agents,
//! which their table bounds, and which are never cut.

use super::Table;
use super::captures::CAPTURES;
use super::cells::Cells;
use super::stored::no_column;
use crate::verdict::labels::{LabelAnswer, Labels};
use crate::web::column::Column;
use crate::web::shown::beginning;
use crate::web::u32_of;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::take::take;
use std::io;

const ROWS: usize = 1024;

/// Rows of a table while they are filled.
pub struct Rows {
    table: &'static Table,
    schema: SchemaRef,
    /// The number of the first columns that are copied.
    copied: usize,
    /// For each row, its source row in the slice.
    sources: Vec<u32>,
    cells: Cells,
}

impl Rows {
    /// Returns empty rows of a table.
    pub fn new(table: &'static Table) -> Self {
        Self::after(table, 0)
    }

    /// Returns empty rows of a table; its first columns are copied as far as `captures` begins with the same.
    pub fn of_captures(table: &'static Table) -> Self {
        let same = |(one, other): &(&Column, &Column)| one.name == other.name;
        Self::after(
            table,
            table
                .columns()
                .zip(CAPTURES.columns())
                .take_while(same)
                .count(),
        )
    }

    fn after(table: &'static Table, copied: usize) -> Self {
        let cells = Cells::new(table.columns().skip(copied), ROWS);
        Self {
            table,
            schema: table.schema(),
            copied,
            sources: Vec::new(),
            cells,
        }
    }

    /// Begins a row and returns its cells, which the caller appends in the order of the table's columns.
    pub fn row(&mut self) -> &mut Cells {
        self.cells.begin_row();
        &mut self.cells
    }

    /// Returns the cells of the last row.
    pub fn row_begun(&mut self) -> &mut Cells {
        &mut self.cells
    }

    /// Begins a row of a capture, by the capture's row in the slice, and returns the cells that are not copied.
    pub fn row_of_capture(&mut self, row: usize) -> &mut Cells {
        self.sources.push(u32_of(row));
        self.row()
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.cells.rows
    }

    /// Returns the bytes of their cells, without the copied ones.
    pub fn byte_count(&self) -> usize {
        self.cells.bytes
    }

    /// Returns the rows, and starts anew.
    pub fn finish(&mut self) -> io::Result<RecordBatch> {
        self.finish_after(Vec::new())
    }

    /// Returns the rows, of captures in `slice`, and starts anew; a slice that is not of `captures` is an error.
    pub fn finish_of_captures(&mut self, slice: &RecordBatch) -> io::Result<RecordBatch> {
        let sources = UInt32Array::from(std::mem::take(&mut self.sources));
        let is_whole = sources.len() == slice.num_rows()
            && (0..).zip(sources.values()).all(|(row, at)| row == *at);
        let copy = |column: &Column| {
            let column = slice
                .column_by_name(column.name)
                .ok_or_else(|| no_column(column.name))?;
            if is_whole {
                Ok(column.clone())
            } else {
                take(column, &sources, None).map_err(io::Error::other)
            }
        };
        let copied = self
            .table
            .columns()
            .take(self.copied)
            .map(copy)
            .collect::<io::Result<Vec<_>>>()?;
        self.finish_after(copied)
    }

    fn finish_after(&mut self, mut columns: Vec<ArrayRef>) -> io::Result<RecordBatch> {
        let name = self.table.name;
        let in_table = |error: &dyn std::fmt::Display| io::Error::other(format!("{name}: {error}"));
        columns.extend(self.cells.finish().map_err(|error| in_table(&error))?);
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| in_table(&error))
    }
}

const ENTRIES: usize = 32;
const BYTES: usize = 4 << 10;

/// The lists of one row, and the columns that were cut.
#[derive(Default)]
pub struct ShortLists {
    cut: Vec<&'static str>,
}

impl ShortLists {
    /// Returns the beginning of a list that its column shows, at least one entry.
    pub fn take<'a, T>(
        &mut self,
        column: &'static str,
        list: &'a [T],
        bytes: impl Fn(&T) -> usize,
    ) -> &'a [T] {
        let mut total = 0;
        let fits = |(at, entry): &(usize, &T)| {
            total += bytes(entry);
            *at == 0 || *at < ENTRIES && total <= BYTES
        };
        let count = list.iter().enumerate().take_while(fits).count();
        if count < list.len() {
            self.cut.push(column);
        }
        list.get(..count).unwrap_or(list)
    }

    /// Returns the answers that the column `evidence` shows, and whether they decided: those that did in their order, then the
    /// others. A cut drops the others first, and keeps the first decisive answer of each label, system and carrier longest.
    pub fn evidence<'e, 'a>(&mut self, labels: &'e Labels<'a>) -> Vec<(bool, &'e LabelAnswer<'a>)> {
        let (evidence, overruled) = (&labels.evidence, &labels.overruled);
        let key = |one: &LabelAnswer<'_>| (one.label, one.system, one.ground.carrier);
        let is_first = |at: usize, one: &LabelAnswer<'_>| {
            at == 0
                || evidence
                    .get(at - 1)
                    .is_none_or(|before| key(before) != key(one))
        };
        let decided = evidence
            .iter()
            .enumerate()
            .map(|(at, one)| (!is_first(at, one), at, true, one));
        let others = (evidence.len()..)
            .zip(overruled)
            .map(|(at, one)| (true, at, false, one));
        let mut order: Vec<(bool, usize, bool, &LabelAnswer<'a>)> = decided.chain(others).collect();
        order.sort_by_key(|(is_other, at, ..)| (*is_other, *at));
        let bytes = |(.., one): &(bool, usize, bool, &LabelAnswer<'_>)| {
            one.ground.raw.map_or(0, |raw| beginning(raw).len())
        };
        let mut shown = self.take("evidence", &order, bytes).to_vec();
        shown.sort_by_key(|(_, at, ..)| *at);
        shown
            .into_iter()
            .map(|(_, _, decided, one)| (decided, one))
            .collect()
    }

    pub fn cut(self) -> Vec<&'static str> {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{ArchiveName, Format, Place};
    use crate::tables::archives::FAILURES;
    use crate::tables::columns::{ArchiveNames, WHERE, append_where};

    type Append = fn(&mut Cells);

    const FILENAME: Append = |cells| cells.text("warc_filename", "a.warc");
    const OFFSET: Append = |cells| cells.int64("warc_record_offset", 7_u64);
    const KIND: Append = |cells| cells.text("kind", "date");
    const DETAIL: Append = |cells| cells.text("detail", "none");
    const LOST: Append = |cells| cells.boolean("record_lost", false);
    const INNER: Append = |cells| cells.text_or_null("inner_filename", None::<&str>);

    /// Returns the finished row of `failures` with these cells.
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
        let error = failures(&[FILENAME, OFFSET, DETAIL, KIND, LOST, INNER]).expect_err("swapped");
        assert!(
            error.starts_with("failures: row 1: found a cell detail"),
            "{error}"
        );
        assert!(
            error.contains(r#"expected Some(("kind", Text, Never))"#),
            "{error}"
        );
        assert_eq!(
            failures(&[FILENAME, OFFSET, KIND, DETAIL, LOST, INNER]).map(|rows| rows.num_rows()),
            Ok(1)
        );
    }

    #[test]
    fn local_cells_that_do_not_fit_are_an_error() {
        let number: Append = |cells| cells.int32("warc_record_offset", 7);
        let option: Append = |cells| cells.text_or_null("kind", Some("date"));
        let null: Append = |cells| cells.null("kind");
        for (cells, found) in [
            (
                &[FILENAME, number, KIND, DETAIL, LOST][..],
                "found a cell warc_record_offset",
            ),
            (
                &[FILENAME, OFFSET, option, DETAIL, LOST],
                "found a cell kind that may be NULL: Allowed",
            ),
            (
                &[FILENAME, OFFSET, null, DETAIL, LOST],
                "found a cell kind that may be NULL: Allowed",
            ),
            (
                &[FILENAME, OFFSET, KIND, DETAIL, LOST],
                "found the end of the row",
            ),
            (
                &[FILENAME, OFFSET, KIND, DETAIL, LOST, LOST],
                "found a cell record_lost",
            ),
        ] {
            let error = failures(cells).expect_err(found);
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn local_structs_that_do_not_fit_are_an_error() {
        let mut rows = Rows::of_captures(&PAIRS);
        rows.row()
            .structs("pairs", [("a", "b")], |cells, (one, other)| {
                cells.text("other", other);
                cells.text("one", one);
            });
        let error = rows.finish().expect_err("swapped").to_string();
        assert!(
            error.contains("found a cell other") && error.contains(r#""one""#),
            "{error}"
        );
    }

    const PAIR: &[Column] = &[Column::text("one", ""), Column::text("other", "")];
    const COLUMNS: &[Column] = &[Column::structs("pairs", PAIR, "")];
    static PAIRS: Table = Table::new("pairs", "test", || vec![COLUMNS]);

    #[test]
    fn local_rows_and_bytes_are_counted_and_begin_anew() {
        let mut rows = Rows::new(&FAILURES);
        for _ in 0..2 {
            assert_eq!((rows.row_count(), rows.byte_count()), (0, 0));
            for _ in 0..3 {
                let row = rows.row();
                for append in [FILENAME, OFFSET, KIND, DETAIL, LOST, INNER] {
                    append(row);
                }
            }
            assert_eq!(
                (rows.row_count(), rows.byte_count()),
                (3, 3 * (10 + 8 + 8 + 8 + 1 + 4))
            );
            assert_eq!(rows.finish().expect("they fit").num_rows(), 3);
        }
        let mut rows = Rows::new(&PAIRS);
        rows.row()
            .structs("pairs", [("a", "b"), ("c", "")], |cells, (one, other)| {
                cells.text("one", one);
                cells.text("other", other);
            });
        assert_eq!(rows.byte_count(), 4 + 3 + 4 * 4);
        assert_eq!(rows.finish().expect("they fit").num_rows(), 1);
    }

    #[test]
    fn local_columns_of_captures_are_copied_from_the_slice() {
        static BOTH: Table = Table::new("both", "test", || vec![WHERE, COLUMNS]);
        let mut captures = Rows::new(&WHERE_ONLY);
        for name in ["a", "b", "c"] {
            let place = Place {
                offset: 1,
                length: None,
                member_skip: 0,
            };
            append_where(
                captures.row(),
                &ArchiveNames::new(&ArchiveName::new(name)),
                place,
                Format::Warc,
            );
        }
        let slice = captures.finish().expect("they fit");
        let mut rows = Rows::of_captures(&BOTH);
        for (sources, expected) in [(&[2, 0, 2][..], "cac"), (&[0, 1, 2], "abc"), (&[], "")] {
            for source in sources {
                rows.row_of_capture(*source)
                    .structs("pairs", None::<()>, |_, ()| ());
            }
            let copied = rows.finish_of_captures(&slice).expect("they fit");
            let names: &arrow_array::StringArray =
                crate::tables::stored::column(&copied, "warc_filename").expect("a column");
            assert_eq!(names.iter().flatten().collect::<String>(), expected);
        }
        let error = rows.finish_of_captures(
            &failures(&[FILENAME, OFFSET, KIND, DETAIL, LOST, INNER]).expect("fits"),
        );
        assert_eq!(
            error.expect_err("no slice of captures").to_string(),
            "no column warc_record_length"
        );
    }

    static WHERE_ONLY: Table = Table::new("where", "test", || vec![WHERE]);

    #[test]
    fn local_a_list_has_at_most_32_entries_and_4_kib_and_at_least_one() {
        let mut lists = ShortLists::default();
        assert_eq!(lists.take("a", &[""; 32], |text| text.len()).len(), 32);
        assert_eq!(lists.take("b", &[""; 33], |text| text.len()).len(), 32);
        let text = "x".repeat(1024);
        assert_eq!(
            lists
                .take("c", &[text.as_str(); 4], |text| text.len())
                .len(),
            4
        );
        assert_eq!(
            lists
                .take("d", &[text.as_str(); 5], |text| text.len())
                .len(),
            4
        );
        assert_eq!(lists.take("e", &["x".repeat(5000)], String::len).len(), 1);
        assert_eq!(lists.take("f", &[0; 0], |_| 0).len(), 0);
        assert_eq!(lists.cut(), ["b", "d"]);
    }
}
