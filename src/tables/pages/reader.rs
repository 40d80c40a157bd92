//! Rows of `pages`, read back slice by slice: which record each is of, and its verdict.
//!
//! Example: `Pages::new(&slice)?.record_id(0)`. Left out: the columns of single systems, and what decided.

use crate::systems::Label;
use crate::tables::stored::{column, optional, range, typed};
use arrow_array::{Array, Int64Array, ListArray, RecordBatch, StringArray};
use std::io;

/// The columns of which a [`Pages`] is made.
pub const VERDICT_COLUMNS: &[&str] = &[
    "warc_filename",
    "warc_record_offset",
    "warc_record_id",
    "robots_state",
    "access",
    "access_reason",
    "disallowed_agents",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "unread",
];

/// A slice of `pages`.
pub struct Pages<'b> {
    filename: &'b StringArray,
    offset: &'b Int64Array,
    record_id: &'b StringArray,
    robots_state: &'b StringArray,
    access: &'b StringArray,
    reason: &'b StringArray,
    disallowed: (&'b ListArray, &'b StringArray),
    labels: Vec<&'b StringArray>,
    unread: (&'b ListArray, &'b StringArray),
    rows: usize,
}

impl<'b> Pages<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// Where it has not the columns of `pages`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        let list = |name| -> io::Result<(&'b ListArray, &'b StringArray)> {
            let list: &ListArray = column(rows, name)?;
            Ok((list, typed(Some(list.values()), name)?))
        };
        Ok(Self {
            filename: column(rows, "warc_filename")?,
            offset: column(rows, "warc_record_offset")?,
            record_id: column(rows, "warc_record_id")?,
            robots_state: column(rows, "robots_state")?,
            access: column(rows, "access")?,
            reason: column(rows, "access_reason")?,
            disallowed: list("disallowed_agents")?,
            labels: Label::ALL.iter().map(|label| column(rows, label.as_str())).collect::<io::Result<_>>()?,
            unread: list("unread")?,
            rows: rows.num_rows(),
        })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows
    }

    /// Returns the record id of a row.
    #[must_use]
    pub fn record_id(&self, row: usize) -> Option<&'b str> {
        optional(self.record_id, row)
    }

    /// Returns where a row's record is: its archive, and the offset in it.
    #[must_use]
    pub fn place(&self, row: usize) -> (&'b str, i64) {
        (self.filename.value(row), self.offset.value(row))
    }

    /// Returns the state of robots.txt of a row.
    #[must_use]
    pub fn robots_state(&self, row: usize) -> &'b str {
        self.robots_state.value(row)
    }

    /// Returns the access of a row.
    #[must_use]
    pub fn access(&self, row: usize) -> &'b str {
        self.access.value(row)
    }

    /// Returns the reason of the access of a row.
    #[must_use]
    pub fn reason(&self, row: usize) -> &'b str {
        self.reason.value(row)
    }

    /// Returns the tokens that may not fetch the page of a row; `None` where that is not known.
    #[must_use]
    pub fn disallowed(&self, row: usize) -> Option<impl Iterator<Item = &'b str>> {
        let (lists, names) = self.disallowed;
        lists.is_valid(row).then(|| range(lists, row).map(|at| names.value(at)))
    }

    /// Returns the labels of a row, by [`Label::ALL`].
    pub fn labels(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.labels.iter().map(move |label| label.value(row))
    }

    /// Returns what could not be read in full.
    pub fn unread(&self, row: usize) -> impl Iterator<Item = &'b str> {
        let (lists, names) = self.unread;
        range(lists, row).map(|at| names.value(at))
    }
}
