//! Rows of `pages`, read back slice by slice: the URL that each is a capture of, and the noes of its header and metas.
//!
//! Example: `Content-Usage: train-ai=n` in the header of a page: `train_ai`. Left out: what the files of its site say.

use crate::systems::Label;
use crate::tables::stored::{TextLists, column};
use crate::web::field::Carrier;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use arrow_array::{Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use std::io;

/// The columns that a [`CapturedPages`] is made of.
pub const CAPTURED_COLUMNS: &[&str] = &[
    "url",
    "fetch_time",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "search_from",
    "train_ai_from",
    "train_genai_from",
    "ai_input_from",
    "tdm_from",
    "tag_rules",
];

/// A slice of `pages`.
pub struct CapturedPages<'b> {
    url: &'b StringArray,
    fetched: &'b TimestampMicrosecondArray,
    labels: Vec<(Label, &'b StringArray, TextLists<'b>)>,
    rules: TextLists<'b>,
    rows: usize,
}

impl<'b> CapturedPages<'b> {
    /// Looks at a slice.
    ///
    /// # Errors
    /// Where it has not the columns of `pages`.
    pub fn new(rows: &'b RecordBatch) -> io::Result<Self> {
        let label = |label: Label| {
            let from = TextLists::of(rows, &format!("{}_from", label.as_str()))?;
            Ok((label, column(rows, label.as_str())?, from))
        };
        Ok(Self {
            url: column(rows, "url")?,
            fetched: column(rows, "fetch_time")?,
            labels: Label::ALL.into_iter().map(label).collect::<io::Result<_>>()?,
            rules: TextLists::of(rows, "tag_rules")?,
            rows: rows.num_rows(),
        })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows
    }

    /// Returns the URL of a row.
    pub fn url(&self, row: usize) -> &'b str {
        self.url.value(row)
    }

    /// Returns when it was fetched.
    pub fn fetched(&self, row: usize) -> Option<Timestamp> {
        let is_known = self.fetched.is_valid(row);
        is_known.then(|| self.fetched.value(row)).and_then(Timestamp::from_unix_micros)
    }

    /// Returns the labels that its header or metas disallow.
    pub fn noes(&self, row: usize) -> impl Iterator<Item = Label> {
        let is_of_page = |from: &str| from.rsplit(' ').next().and_then(Carrier::named).is_some();
        self.labels.iter().filter_map(move |(label, values, from)| {
            let is_no = values.value(row) == Preference::Disallow.as_str();
            (is_no && from.row(row).any(is_of_page)).then_some(*label)
        })
    }

    /// Returns the robots tags that bind the token, each with its agent.
    pub fn rules(&self, row: usize) -> impl Iterator<Item = &'b str> {
        self.rules.row(row)
    }
}
