//! Rows of `statements`, being filled.

use super::columns::{URL, WHERE, int64};
use super::data_type;
use super::statements::STATEMENTS;
use super::writer::rows;
use crate::systems::Statement;
use crate::web::preference::Preference;
use crate::web::shown::{beginning, shown};
use arrow_array::builder::{BooleanBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array, new_null_array};
use arrow_select::take::take;
use std::io;
use std::sync::Arc;

/// Rows of `statements` but for the columns that say where they stand.
#[derive(Default)]
pub struct StatementRows {
    /// For each statement of a record, the row of the record's capture.
    captures: Vec<u32>,
    texts: [StringBuilder; 10],
    valid: BooleanBuilder,
    defect: StringBuilder,
    line: Int32Builder,
    managed_by: StringBuilder,
    raw: StringBuilder,
    raw_bytes: Int64Builder,
    count: usize,
}

impl StatementRows {
    /// Adds a statement of the capture in a row of its slice.
    pub fn push_of_capture(&mut self, row: usize, statement: &Statement<'_>) {
        self.captures.push(u32::try_from(row).unwrap_or(u32::MAX));
        self.push(None, None, statement);
    }

    /// Adds a statement of a site file, and the vendor in whose text it stands.
    pub fn push_of_site_file(
        &mut self,
        body_digest: &str,
        managed_by: Option<&str>,
        statement: &Statement<'_>,
    ) {
        self.push(Some(body_digest), managed_by, statement);
    }

    fn push(&mut self, body_digest: Option<&str>, managed_by: Option<&str>, statement: &Statement<'_>) {
        let [digest, system, vocabulary, carrier, agent, path, key, value, category, preference] =
            &mut self.texts;
        digest.append_option(body_digest);
        system.append_value(statement.system);
        vocabulary.append_option(statement.vocabulary);
        carrier.append_value(statement.carrier);
        agent.append_option(statement.agent.as_deref());
        path.append_option(statement.path.map(|path| shown(beginning(path))));
        key.append_option(statement.key.map(|key| shown(beginning(key))));
        value.append_option(statement.value.map(|value| shown(beginning(value))));
        category.append_option(statement.category);
        preference.append_option(statement.preference.map(Preference::as_str));
        self.valid.append_value(statement.defect.is_none());
        self.defect.append_option(statement.defect);
        self.line.append_option(statement.line.and_then(|line| i32::try_from(line).ok()));
        self.managed_by.append_option(managed_by);
        self.raw.append_value(shown(beginning(statement.raw)));
        self.raw_bytes.append_value(int64(statement.raw.len() as u64));
        self.count += 1;
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows, all of captures in `slice`, and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish_of_captures(&mut self, slice: &RecordBatch) -> io::Result<RecordBatch> {
        let indices = UInt32Array::from(std::mem::take(&mut self.captures));
        let shared = slice.columns().iter().take(WHERE.len() + URL.len());
        let taken = shared.map(|column| take(column, &indices, None).map_err(io::Error::other));
        let mut columns = taken.collect::<io::Result<Vec<_>>>()?;
        columns.extend(self.finish_own());
        rows(&STATEMENTS, columns)
    }

    /// Returns the rows, all of site files of `segment`, and starts anew.
    ///
    /// # Errors
    /// None, unless the builder does not fit the declaration, which is a bug.
    pub fn finish_of_site_files(&mut self, segment: Option<&str>) -> io::Result<RecordBatch> {
        let count = self.count;
        let shared = WHERE.iter().chain(URL).map(|column| match (column.name, segment) {
            ("warc_segment", Some(segment)) => Arc::new(StringArray::from(vec![segment; count])) as ArrayRef,
            _ => new_null_array(&data_type(column.kind), count),
        });
        let mut columns: Vec<ArrayRef> = shared.collect();
        columns.extend(self.finish_own());
        rows(&STATEMENTS, columns)
    }

    fn finish_own(&mut self) -> Vec<ArrayRef> {
        self.count = 0;
        let mut columns: Vec<ArrayRef> =
            self.texts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
        columns.push(Arc::new(self.valid.finish()));
        columns.push(Arc::new(self.defect.finish()));
        columns.push(Arc::new(self.line.finish()));
        columns.push(Arc::new(self.managed_by.finish()));
        columns.push(Arc::new(self.raw.finish()));
        columns.push(Arc::new(self.raw_bytes.finish()));
        columns
    }
}
