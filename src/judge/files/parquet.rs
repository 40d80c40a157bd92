//! Documents in Parquet.
//!
//! The rows go through as the file has them: types, names, nesting, compression and key-value metadata of the file are
//! kept, and the columns of the verdicts are behind. Example: FineWeb's `url`, `id`, `date`, `text`.
//! Left out: columns of the old type INT96, and the compression brotli.

use super::columns::{Column, find, is_number, is_text, is_time, is_unique};
use super::dropped::DroppedRows;
use super::fault::Fault;
use super::input::{End, Input, OutputFiles, Writing};
use super::names::Names;
use super::parquet_output::{as_fault, kept_columns, output, with_judged, writer};
use super::sorter::{Facts, Sorter};
use crate::judge::columns::batch;
use crate::judge::documents::{Document, Documents};
use crate::judge::verdict::Verdict;
use crate::judge::{Added, Taken};
use crate::store::StoreFile;
use crate::tables::guard::{self, GuardedRows, Weight};
use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Documents whose columns are read at once.
const DOCUMENT_ROWS: usize = 8192;
/// About how many bytes of rows are read at once, and how many rows at most.
const SLICE_BYTES: i64 = 8 << 20;
const SLICE_ROWS: i64 = 4096;
/// About how many bytes of rows may be read at once where a row can be long, however little memory there is.
const LEAST_BYTES: u64 = 32 << 20;

/// A Parquet file of documents.
pub struct ParquetInput<'r> {
    documents: GuardedRows,
    columns: Columns,
    rows: GuardedRows,
    /// Rows that were read and not written.
    left: Option<RecordBatch>,
    schema: SchemaRef,
    writer: ArrowWriter<Box<dyn StoreFile>>,
    dropped: Option<DroppedRows>,
    writing: Writing<'r>,
}

/// The paths of the columns that documents have.
#[derive(Default)]
struct Columns {
    url: Vec<String>,
    id: Option<Vec<String>>,
    date: Option<Vec<String>>,
    place: Option<(Vec<String>, Vec<String>)>,
    text: Option<Vec<String>>,
    tokens: Option<Vec<String>>,
}

impl<'r> ParquetInput<'r> {
    /// Opens a file, whose rows go to `out`; about so many bytes of it may be in memory.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(
        path: &Path,
        names: &Names,
        (out, dropped): OutputFiles,
        writing: Writing<'r>,
        bytes: u64,
    ) -> Result<Self, Fault> {
        // Each reader has a position of its own.
        let file = || File::open(path).map_err(Fault::input);
        // The types of Parquet itself: what the file's writer had in memory is not asked for.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guard::metadata(&file()?, options).map_err(Fault::input)?;
        let schema = Arc::clone(metadata.schema());
        check(&schema, metadata.metadata(), writing.added)?;
        let columns = Columns::find(&schema, names)?;
        let reader = |file, mask: ProjectionMask, most_rows| {
            let weight =
                guard::weigh(File::open(path)?, metadata.metadata(), |leaf| mask.leaf_included(leaf))?;
            let rows = rows_at_once(weight, bytes, most_rows)?;
            let builder = guard::builder(file, metadata.clone()).with_projection(mask).with_batch_size(rows);
            GuardedRows::new(builder)
        };
        let parquet_schema = metadata.metadata().file_metadata().schema_descr();
        let mask = ProjectionMask::columns(parquet_schema, columns.names());
        let documents = reader(file()?, mask, DOCUMENT_ROWS).map_err(Fault::input)?;
        let mask = ProjectionMask::roots(parquet_schema, kept_columns(&schema, writing.added));
        let rows = reader(file()?, mask, slice_rows(metadata.metadata())).map_err(Fault::input)?;
        let schema = Arc::new(with_judged(&schema, writing.added));
        let writer = as_fault(|| writer(metadata.metadata(), &schema, writing.added, out))?;
        let dropped = dropped.map(DroppedRows::new).transpose()?;
        Ok(Self { documents, columns, rows, left: None, schema, writer, dropped, writing })
    }

    /// Returns which rows are kept; the others are named in the output for them.
    fn sort(
        &mut self,
        rows: &RecordBatch,
        verdicts: &[Arc<Verdict>],
        sorter: &mut Sorter<'_>,
    ) -> Result<BooleanArray, Fault> {
        let column =
            |path: &Option<Vec<String>>| Column::of(rows, path.as_ref().filter(|_| sorter.has_policy())?);
        let (text, tokens, id) =
            (column(&self.columns.text), column(&self.columns.tokens), column(&self.columns.id));
        let url = Column::of(rows, &self.columns.url);
        let mut kept = Vec::with_capacity(verdicts.len());
        for (row, verdict) in verdicts.iter().enumerate() {
            let text = text.as_ref().and_then(|text| text.text(row));
            let tokens = tokens.as_ref().and_then(|tokens| tokens.number(row));
            let facts = Facts {
                url: url.as_ref().and_then(|url| url.text(row)),
                text_bytes: text.map_or(0, |text| text.len() as u64),
                tokens: tokens.and_then(|tokens| u64::try_from(tokens).ok()),
            };
            let reason = sorter.sort(verdict, &facts)?;
            if let (Some(reason), Some(dropped)) = (reason, &mut self.dropped) {
                dropped.add(id.as_ref().and_then(|id| id.text(row)), facts.url, reason)?;
            }
            kept.push(reason.is_none());
        }
        Ok(kept.into())
    }

    /// Returns the next rows, at most so many.
    fn next_rows(&mut self, count: usize) -> Result<RecordBatch, Fault> {
        let left = self.left.take().map(Ok).or_else(|| self.rows.next());
        let rows = left.ok_or_else(|| Fault::input("its rows ended while they were read"))?;
        let rows = rows.map_err(Fault::input)?;
        let taken = rows.num_rows().min(count);
        if taken < rows.num_rows() {
            self.left = Some(rows.slice(taken, rows.num_rows() - taken));
        }
        Ok(rows.slice(0, taken))
    }
}

impl Input for ParquetInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> Result<End, Fault> {
        while documents.byte_count() < bytes {
            let Some(rows) = self.documents.next() else { return Ok(End::Reached) };
            self.columns.add(&rows.map_err(Fault::input)?, documents);
        }
        Ok(End::No)
    }

    fn write(&mut self, mut verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<(), Fault> {
        while !verdicts.is_empty() {
            let rows = self.next_rows(verdicts.len())?;
            let (now, later) = verdicts.split_at(rows.num_rows());
            verdicts = later;
            let kept = self.sort(&rows, now, sorter)?;
            let judged = batch(now, self.writing.resolver).map_err(Fault::Output)?;
            let columns = rows.columns().iter().chain(judged.columns()).cloned().collect();
            let mut rows = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(Fault::input)?;
            if kept.false_count() > 0 {
                rows = filter_record_batch(&rows, &kept).map_err(Fault::input)?;
            }
            as_fault(|| self.writer.write(&rows).map_err(output))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Fault> {
        if let Some(dropped) = self.dropped {
            dropped.finish()?;
        }
        let writer = self.writer;
        as_fault(|| writer.into_inner().map_err(output))?.commit().map_err(Fault::Output)
    }
}

impl Columns {
    fn find(schema: &Schema, names: &Names) -> Result<Self, Fault> {
        let url = typed(schema, &names.url, "text", is_text)?.ok_or_else(|| {
            let columns = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
            Fault::Input(format!("no column {}; it has {}", names.url.join(" or "), columns.join(", ")))
        })?;
        for name in &names.required {
            if find(schema, std::slice::from_ref(name)).is_none() {
                return Err(Fault::Input(format!("no column {name}")));
            }
        }
        let place = typed(schema, &names.file, "text", is_text)?.zip(typed(
            schema,
            &names.offset,
            "whole numbers",
            is_number,
        )?);
        // Ours: many data sets have numbers of their own as ids, which are no record ids.
        let is_given = names.required.iter().any(|name| names.id.contains(name));
        let id = match find(schema, &names.id) {
            Some((_, field)) if !is_text(field) && !is_given => None,
            Some(_) | None => typed(schema, &names.id, "text", is_text)?,
        };
        let date = typed(schema, &names.date, "text or times", is_time)?;
        // What is only counted may be missing, or of another type.
        let counted = |names: &[String], is_counted: fn(&Field) -> bool| {
            find(schema, names).filter(|(_, field)| is_counted(field)).map(|(path, _)| path)
        };
        let (text, tokens) = (counted(&names.text, is_text), counted(&names.tokens, is_number));
        Ok(Self { url, id, date, place, text, tokens })
    }

    /// Returns the names as Parquet has them, dots between them.
    fn names(&self) -> Vec<&str> {
        let places = self.place.iter().flat_map(|(file, offset)| [file, offset]);
        let paths = [&self.url].into_iter().chain(&self.id).chain(&self.date).chain(places);
        paths.filter_map(|path| path.first()).map(String::as_str).collect()
    }

    fn add(&self, rows: &RecordBatch, documents: &mut Documents) {
        let column = |path: &Option<Vec<String>>| Column::of(rows, path.as_ref()?);
        let (url, id, date) = (Column::of(rows, &self.url), column(&self.id), column(&self.date));
        let place = self
            .place
            .as_ref()
            .and_then(|(file, offset)| Some((Column::of(rows, file)?, Column::of(rows, offset)?)));
        let text = |column: &Option<Column>, row| {
            Some(std::str::from_utf8(column.as_ref()?.text(row)?).ok()?.to_owned())
        };
        for row in 0..rows.num_rows() {
            let place = place.as_ref().and_then(|(file, offset)| {
                Some((std::str::from_utf8(file.text(row)?).ok()?, offset.number(row)?))
            });
            documents.push(&Document {
                url: url.as_ref().and_then(|url| url.text(row)),
                date: date.as_ref().and_then(|date| date.time(row)),
                id: text(&id, row).as_deref(),
                place,
            });
        }
    }
}

/// Returns the documents of rows in memory, whose columns are found as those of a file are.
///
/// # Errors
/// Which column is missing, or has another type.
pub fn documents_of(rows: &RecordBatch, names: &Names, added: &Added) -> Result<Documents, Fault> {
    check_names(rows.schema_ref(), added)?;
    let columns = Columns::find(rows.schema_ref(), names)?;
    let mut documents = Documents::default();
    columns.add(rows, &mut documents);
    Ok(documents)
}

/// Returns the path of the first of some names that the file has, if its type is one of those expected.
fn typed(
    schema: &Schema,
    names: &[String],
    expected: &str,
    is_expected: impl Fn(&Field) -> bool,
) -> Result<Option<Vec<String>>, Fault> {
    match find(schema, names) {
        Some((path, field)) if !is_expected(field) => {
            let (name, found) = (path.join("."), field.data_type());
            Err(Fault::Input(format!("the column {name} has the type {found}, expected {expected}")))
        }
        Some((path, _)) if !is_unique(schema, &path) => {
            Err(Fault::Input(format!("it has two columns {}", path.join("."))))
        }
        found => Ok(found.map(|(path, _)| path)),
    }
}

/// Refuses columns with the names of those that are added.
fn check_names(schema: &Schema, added: &Added) -> Result<(), Fault> {
    match schema.fields().iter().find(|field| added.has(field.name())) {
        Some(field) if added.taken() == Taken::Refused => {
            let name = field.name();
            Err(Fault::Input(format!("it has a column {name} already; see --prefix and --replace-prefs")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses what cannot be written again.
fn check(schema: &Schema, metadata: &ParquetMetaData, added: &Added) -> Result<(), Fault> {
    check_names(schema, added)?;
    let descriptor = metadata.file_metadata().schema_descr();
    match descriptor.columns().iter().find(|column| column.physical_type() == PhysicalType::INT96) {
        Some(column) => Err(Fault::Input(format!(
            "the column {} has the old type INT96, which cannot be written; write the file with timestamps",
            column.path()
        ))),
        None => Ok(()),
    }
}

/// Returns how many rows may be read at once, so that they and the pages that they are in do not take more than so many
/// bytes.
fn rows_at_once(weight: Weight, bytes: u64, most_rows: usize) -> io::Result<usize> {
    let Weight { row_bytes, page_bytes } = weight;
    let bytes = bytes.max(LEAST_BYTES);
    let needed = row_bytes.max(page_bytes);
    if needed > bytes.saturating_mul(4) {
        let most = bytes.saturating_mul(4);
        let detail = format!(
            "its rows or pages need {needed} bytes of memory, and {most} are allowed (--memory-limit)"
        );
        return Err(io::Error::other(detail));
    }
    let rows = usize::try_from(bytes / row_bytes.max(1)).unwrap_or(most_rows);
    Ok(rows.clamp(1, most_rows))
}

/// Returns how many rows are read at once.
fn slice_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter();
    let bytes = groups.map(|group| group.total_byte_size() / group.num_rows().max(1)).max();
    usize::try_from((SLICE_BYTES / bytes.unwrap_or_default().max(1)).clamp(1, SLICE_ROWS)).unwrap_or(1)
}
