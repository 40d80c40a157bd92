//! Which documents of a Parquet file are dropped, and why: `id`, `url`, `date` and `reason`, in Parquet.

use super::fault::FileFault;
use super::input::Writing;
use super::sorter::Facts;
use crate::store::StoreFile;
use crate::tables::{Rows, Table};
use crate::web::column::Column;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

const COLUMNS: &[Column] = &[
    Column::text("id", "id of the document").or_null(),
    Column::text("url", "URL of the document").or_null(),
    Column::timestamp("date", "date of the document").or_null(),
    Column::text("reason", "first rule of the policy that drops it"),
];

fn columns() -> Vec<&'static [Column]> {
    vec![COLUMNS]
}

/// Documents that are dropped.
static DROPPED: Table = Table { name: "dropped", folder: "", row: "document that is dropped", columns };

/// Rows that are held before they are written.
const HELD_ROWS: usize = 8192;

/// Documents that are dropped, being written.
pub struct DroppedRows {
    rows: Rows,
    writer: ArrowWriter<Box<dyn StoreFile>>,
}

impl DroppedRows {
    /// Begins a file.
    pub fn new(out: Box<dyn StoreFile>, writing: Writing<'_>) -> Result<Self, FileFault> {
        let properties = WriterProperties::builder().set_key_value_metadata(Some(writing.footer())).build();
        let writer = ArrowWriter::try_new(out, DROPPED.schema(), Some(properties)).map_err(output)?;
        Ok(Self { rows: Rows::new(&DROPPED), writer })
    }

    /// Adds a document.
    pub fn add(&mut self, facts: &Facts<'_>, reason: &str) -> Result<(), FileFault> {
        let cells = self.rows.row();
        cells.text_or_null("id", facts.id.map(String::from_utf8_lossy));
        cells.text_or_null("url", facts.url.map(String::from_utf8_lossy));
        cells.timestamp_or_null("date", facts.date);
        cells.text("reason", reason);
        if self.rows.row_count() >= HELD_ROWS { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), FileFault> {
        let rows = self.rows.finish().map_err(FileFault::Output)?;
        self.writer.write(&rows).map_err(output)
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), FileFault> {
        self.write()?;
        self.writer.into_inner().map_err(output)?.commit().map_err(FileFault::Output)
    }
}

/// An error of the writer is one of the output.
fn output(error: ParquetError) -> FileFault {
    FileFault::Output(std::io::Error::other(error))
}
