//! The dropped documents of a Parquet file: `id`, `url`, `date` and `reason`, in Parquet; on request, what the decision rests on.

use super::input::Writing;
use super::kind::FileFault;
use super::sorter::Facts;
use crate::judge::Verdict;
use crate::store::StoreFile;
use crate::tables::{Rows, Table};
use crate::web::column::Column;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io;
use std::sync::Arc;

const COLUMNS: &[Column] = &[
    Column::text("id", "id of the document").or_null(),
    Column::text("url", "URL of the document").or_null(),
    Column::timestamp("date", "date of the document").or_null(),
    Column::text("reason", "first rule of the policy that drops it"),
];

static DROPPED: Table =
    Table { name: "dropped", folder: "", row: "document that is dropped", columns: || vec![COLUMNS] };

/// Rows that are held before they are written.
const HELD_ROWS: usize = 8192;

/// Documents that are dropped, being written.
pub struct DroppedRows<'r> {
    rows: Rows,
    /// The verdicts of the rows, if it is asked what they rest on.
    verdicts: Vec<Arc<Verdict>>,
    schema: SchemaRef,
    writing: Writing<'r>,
    writer: ArrowWriter<Box<dyn StoreFile>>,
}

impl<'r> DroppedRows<'r> {
    /// Begins a file.
    pub fn new(out: Box<dyn StoreFile>, writing: Writing<'r>) -> Result<Self, FileFault> {
        let properties = WriterProperties::builder().set_key_value_metadata(Some(writing.footer())).build();
        let own = DROPPED.schema();
        let audit = writing.audit.map_or_else(Schema::empty, |audit| audit.schema.as_ref().clone());
        let fields: Vec<_> = own.fields().iter().chain(audit.fields()).cloned().collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(output)?;
        Ok(Self { rows: Rows::new(&DROPPED), verdicts: Vec::new(), schema, writing, writer })
    }

    /// Adds a document.
    pub fn add(&mut self, facts: &Facts<'_>, reason: &str, verdict: &Arc<Verdict>) -> Result<(), FileFault> {
        self.verdicts.extend(self.writing.audit.map(|_| Arc::clone(verdict)));
        let cells = self.rows.row();
        cells.text_or_null("id", facts.id.map(String::from_utf8_lossy));
        cells.text_or_null("url", facts.url.map(String::from_utf8_lossy));
        cells.timestamp_or_null("date", facts.date);
        cells.text("reason", reason);
        if self.rows.row_count() >= HELD_ROWS { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), FileFault> {
        let mut rows = self.rows.finish().map_err(FileFault::Output)?;
        if let Some(audit) = self.writing.audit {
            let verdicts = std::mem::take(&mut self.verdicts);
            let beside = self.writing.batch(&verdicts, audit)?;
            let columns = rows.columns().iter().chain(beside.columns()).cloned().collect();
            rows = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(FileFault::input)?;
        }
        self.writer.write(&rows).map_err(output)
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), FileFault> {
        self.write()?;
        self.writer.into_inner().map_err(output)?.commit().map_err(FileFault::Output)
    }
}

/// An error of the writer is an error of the output.
fn output(error: ParquetError) -> FileFault {
    FileFault::Output(io::Error::other(error))
}
