//! Documents in Parquet.
//!
//! The rows go through as the file has them: types, names, nesting, compression and key-value metadata of the file are kept,
//! and the columns of the verdicts come last. Example: FineWeb's `url`, `id`, `date`, `text`. First the columns that documents
//! have are read; with a policy, then those that it counts; a row group is written once it is known which of its rows are kept.
//! Left out: columns of the old type INT96, and the compression brotli.

use super::columns::{Column, find, is_number, is_text, is_time, is_unique};
use super::dialect::DocumentNames;
use super::dropped::DroppedRows;
use super::input::{End, Input, OutputFiles, Writing};
use super::kind::FileFault;
use super::names::ColumnNames;
use super::parquet_output::RowsOutput;
use super::parquet_pieces::{Piece, pieces};
use super::sorter::{Facts, Sorter};
use crate::judge::documents::{Document, Documents};
use crate::judge::verdict::Verdict;
use crate::judge::{Added, ExceptionColumns, Taken};
use crate::tables::guard::{self, AskedRows, GuardedRows};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ParquetMetaData;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Documents whose columns are read at once.
const DOCUMENT_ROWS: usize = 8192;
/// Rows whose texts are read at once.
const COUNTED_ROWS: usize = 1024;

/// A Parquet file of documents.
pub struct ParquetInput<'r> {
    documents: GuardedRows,
    columns: Columns,
    /// What a policy counts; `None` without a policy.
    counted: Option<CountedRows>,
    /// The pieces that are not written yet.
    pieces: VecDeque<Piece>,
    /// The verdicts of the next rows.
    verdicts: Vec<Arc<Verdict>>,
    output: RowsOutput<'r>,
    dropped: Option<DroppedRows<'r>>,
}

/// The rows of some columns, in batches of any requested length.
struct CountedRows {
    rows: GuardedRows,
    /// Rows that were read and not given yet.
    left: Option<RecordBatch>,
}

impl CountedRows {
    /// Returns the next rows, at most this many.
    fn next(&mut self, count: usize) -> Result<RecordBatch, FileFault> {
        let left = self.left.take().map(Ok).or_else(|| self.rows.next());
        let rows = left.ok_or_else(|| FileFault::input("its rows ended while they were read"))?;
        let rows = rows.map_err(FileFault::input)?;
        let taken = rows.num_rows().min(count);
        if taken < rows.num_rows() {
            self.left = Some(rows.slice(taken, rows.num_rows() - taken));
        }
        Ok(rows.slice(0, taken))
    }
}

/// The paths of the columns that documents have.
#[derive(Default)]
struct Columns {
    url: Vec<String>,
    further_urls: Vec<Vec<String>>,
    id: Option<Vec<String>>,
    date: Option<Vec<String>>,
    place: Option<(Vec<String>, Vec<String>)>,
    text: Option<Vec<String>>,
    tokens: Option<Vec<String>>,
    excepted: Vec<Vec<String>>,
    exceptions: ExceptionColumns,
}

impl<'r> ParquetInput<'r> {
    /// Opens a file, whose rows go to `out`; about this many bytes of it may be in memory.
    pub fn open(
        path: &Path,
        names: &ColumnNames,
        (out, dropped): OutputFiles,
        (writing, has_policy): (Writing<'r>, bool),
        bytes: u64,
    ) -> Result<Self, FileFault> {
        // Each reader has a position of its own.
        let file = || File::open(path).map_err(FileFault::input);
        // The types of Parquet itself: the types that the file's writer had in memory do not count.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guard::metadata(&file()?, options).map_err(FileFault::input)?;
        let schema = Arc::clone(metadata.schema());
        check(&schema, metadata.metadata(), writing.added)?;
        let columns = Columns::find(&schema, names)?;
        let parquet_schema = metadata.metadata().file_metadata().schema_descr();
        let reader = |names: Vec<&str>, most_rows| {
            let mask = ProjectionMask::columns(parquet_schema, names);
            let asked = AskedRows { columns: Some(mask), bytes, ..AskedRows::all(most_rows) };
            guard::rows(File::open(path)?, &metadata, asked)
        };
        let documents = reader(columns.of_documents(), DOCUMENT_ROWS).map_err(FileFault::input)?;
        let counted = has_policy.then(|| reader(columns.counted(), COUNTED_ROWS)).transpose();
        let counted = counted.map_err(FileFault::input)?.map(|rows| CountedRows { rows, left: None });
        let (pieces, verdicts) = (pieces(metadata.metadata()).collect(), Vec::new());
        let output = RowsOutput::new(path, metadata, writing, out, bytes)?;
        let dropped = dropped.map(|out| DroppedRows::new(out, writing)).transpose()?;
        Ok(Self { documents, columns, counted, pieces, verdicts, output, dropped })
    }

    /// Returns which of the next rows are kept; the others are written to the output for dropped documents.
    fn sort(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<Vec<bool>, FileFault> {
        let mut kept = Vec::with_capacity(verdicts.len());
        let Some(counted) = &mut self.counted else {
            for verdict in verdicts {
                kept.push(sorter.sort(verdict, &Facts::default())?.is_none());
            }
            return Ok(kept);
        };
        while let Some(left) = verdicts.get(kept.len()..).filter(|left| !left.is_empty()) {
            let rows = counted.next(left.len())?;
            let column = |path: &Option<Vec<String>>| Column::of(&rows, path.as_ref()?);
            let (text, tokens, id) =
                (column(&self.columns.text), column(&self.columns.tokens), column(&self.columns.id));
            let (url, date) = (Column::of(&rows, &self.columns.url), column(&self.columns.date));
            for (row, verdict) in left.iter().take(rows.num_rows()).enumerate() {
                let text = text.as_ref().and_then(|text| text.text(row));
                let tokens = tokens.as_ref().and_then(|tokens| tokens.number(row));
                let facts = Facts {
                    id: id.as_ref().and_then(|id| id.text(row)),
                    url: url.as_ref().and_then(|url| url.text(row)),
                    date: date.as_ref().and_then(|date| date.time(row)),
                    text_bytes: text.map_or(0, |text| text.len() as u64),
                    tokens: tokens.and_then(|tokens| u64::try_from(tokens).ok()),
                };
                let reason = sorter.sort(verdict, &facts)?;
                if let (Some(reason), Some(dropped)) = (reason, &mut self.dropped) {
                    dropped.add(&facts, reason, verdict)?;
                }
                kept.push(reason.is_none());
            }
        }
        Ok(kept)
    }
}

impl Input for ParquetInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> Result<End, FileFault> {
        while documents.byte_count() < bytes {
            let Some(rows) = self.documents.next() else { return Ok(End::Reached) };
            self.columns.add(&rows.map_err(FileFault::input)?, documents);
        }
        Ok(End::No)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> Result<(), FileFault> {
        self.verdicts.extend_from_slice(verdicts);
        while let Some(piece) = self.pieces.pop_front_if(|piece| piece.row_count() <= self.verdicts.len()) {
            let later = self.verdicts.split_off(piece.row_count());
            let verdicts = std::mem::replace(&mut self.verdicts, later);
            let kept = self.sort(&verdicts, sorter)?;
            self.output.write(&piece, &kept, &verdicts)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), FileFault> {
        if !self.pieces.is_empty() || !self.verdicts.is_empty() {
            return Err(FileFault::input("its rows ended while they were read"));
        }
        if let Some(dropped) = self.dropped {
            dropped.finish()?;
        }
        self.output.finish()
    }
}

impl Columns {
    fn find(schema: &Schema, names: &ColumnNames) -> Result<Self, FileFault> {
        let url = typed(schema, &names.url, "text", is_text)?.ok_or_else(|| {
            let columns = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
            FileFault::Input(format!("no column {}; it has {}", names.url.join(" or "), columns.join(", ")))
        })?;
        for name in names.required.iter().chain(&names.excepted.names) {
            if find(schema, std::slice::from_ref(name)).is_none() {
                return Err(FileFault::Input(format!("no column {name}")));
            }
        }
        let further = names.further_urls.iter().map(std::slice::from_ref);
        let further = further.map(|name| typed(schema, name, "text", is_text));
        let further_urls = further.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let place = typed(schema, &names.file, "text", is_text)?.zip(typed(
            schema,
            &names.offset,
            "whole numbers",
            is_number,
        )?);
        // Ours: many data sets have their own numbers as ids, which are not record ids.
        let is_given = names.required.iter().any(|name| names.id.contains(name));
        let id = match find(schema, &names.id) {
            Some((_, field)) if !is_text(field) && !is_given => None,
            Some(_) | None => typed(schema, &names.id, "text", is_text)?,
        };
        let date = typed(schema, &names.date, "text or times", is_time)?;
        // A column that is only counted may be missing, or of another type.
        let counted = |names: &[String], is_counted: fn(&Field) -> bool| {
            find(schema, names).filter(|(_, field)| is_counted(field)).map(|(path, _)| path)
        };
        let (text, tokens) = (counted(&names.text, is_text), counted(&names.tokens, is_number));
        let excepted = names.excepted.names.iter().map(std::slice::from_ref);
        let excepted = excepted.map(|name| typed(schema, name, "text", is_text));
        let excepted = excepted.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let exceptions = names.excepted.clone();
        Ok(Self { url, further_urls, id, date, place, text, tokens, excepted, exceptions })
    }

    /// Returns the names of the columns of documents; for one in a struct, the name of the outermost struct.
    fn of_documents(&self) -> Vec<&str> {
        let places = self.place.iter().flat_map(|(file, offset)| [file, offset]);
        let urls = [&self.url].into_iter().chain(&self.further_urls);
        let paths = urls.chain(&self.id).chain(&self.date).chain(places).chain(&self.excepted);
        paths.filter_map(|path| path.first()).map(String::as_str).collect()
    }

    /// Returns the names of the columns that a policy counts and names documents by.
    fn counted(&self) -> Vec<&str> {
        let of_document = [&self.url].into_iter().chain(&self.id).chain(&self.date);
        let paths = of_document.chain(&self.text).chain(&self.tokens);
        paths.filter_map(|path| path.first()).map(String::as_str).collect()
    }

    fn add(&self, rows: &RecordBatch, documents: &mut Documents) {
        let column = |path: &Option<Vec<String>>| Column::of(rows, path.as_ref()?);
        let (url, id, date) = (Column::of(rows, &self.url), column(&self.id), column(&self.date));
        let further: Vec<Option<Column>> =
            self.further_urls.iter().map(|path| Column::of(rows, path)).collect();
        let excepted: Vec<Option<Column>> = self.excepted.iter().map(|path| Column::of(rows, path)).collect();
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
            let further = further.iter().map(|url| url.as_ref()?.text(row));
            documents.push(&Document {
                further_urls: &further.collect::<Vec<_>>(),
                url: url.as_ref().and_then(|url| url.text(row)),
                date: date.as_ref().and_then(|date| date.time(row)),
                id: text(&id, row).as_deref(),
                place,
                matched: self.exceptions.matched(|column| excepted.get(column)?.as_ref()?.text(row)),
            });
        }
    }
}

/// Returns the columns of a file.
pub fn parquet_schema(path: &Path) -> io::Result<Schema> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    Ok(guard::metadata(&File::open(path)?, options)?.schema().as_ref().clone())
}

/// Returns the documents of rows in memory; the columns are found as in a file.
pub fn documents_of(
    rows: &RecordBatch,
    names: &DocumentNames,
    added: &Added,
) -> Result<Documents, FileFault> {
    check_names(rows.schema_ref(), added)?;
    let columns = Columns::find(rows.schema_ref(), names.of_schema(rows.schema_ref()).0)?;
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
) -> Result<Option<Vec<String>>, FileFault> {
    match find(schema, names) {
        Some((path, field)) if !is_expected(field) => {
            let (name, found) = (path.join("."), field.data_type());
            Err(FileFault::Input(format!("the column {name} has the type {found}, expected {expected}")))
        }
        Some((path, _)) if !is_unique(schema, &path) => {
            Err(FileFault::Input(format!("it has two columns {}", path.join("."))))
        }
        found => Ok(found.map(|(path, _)| path)),
    }
}

/// Refuses columns with the names of added columns.
fn check_names(schema: &Schema, added: &Added) -> Result<(), FileFault> {
    match schema.fields().iter().find(|field| added.has(field.name())) {
        Some(field) if added.taken == Taken::Refused => {
            let name = field.name();
            Err(FileFault::Input(format!("it has a column {name} already; see --prefix and --replace-prefs")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses a file that cannot be written again.
fn check(schema: &Schema, metadata: &ParquetMetaData, added: &Added) -> Result<(), FileFault> {
    check_names(schema, added)?;
    let descriptor = metadata.file_metadata().schema_descr();
    match descriptor.columns().iter().find(|column| column.physical_type() == PhysicalType::INT96) {
        Some(column) => Err(FileFault::Input(format!(
            "the column {} has the old type INT96, which cannot be written; write the file with timestamps",
            column.path()
        ))),
        None => Ok(()),
    }
}
