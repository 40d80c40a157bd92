//! Documents in Parquet.
//!
//! The rows go through as the file has them: types, names, nesting, compression and key-value metadata of the file are kept,
//! and the columns of the verdicts come last. A row group is written once it is known which of its rows are kept. Left out: the
//! compression brotli.
//! Also the dropped documents of such a file: `id`, `url`, `date` and `reason`, in Parquet; on request, what the decision rests on.

use super::columns::{
    DateColumns, DatePaths, FileColumn, find, footer, if_typed, is_number, is_text, is_time,
    is_unique, rows,
};
use super::dialect::{ColumnNames, DocumentNames};
use super::input::{DocumentInput, End, Finished, OutputFiles, Writing};
use super::kind::{FileFault, FileResult};
use super::parquet_output::{ENDED, Piece, RowsOutput, pieces};
use super::sorter::{DocumentFate, Facts, Sorter};
use crate::judge::{Added, Document, Documents, ExceptionColumns, RecordKey, Taken, Verdict};
use crate::store::StoreFile;
use crate::tables::guard::{AskedRows, GuardedRows};
use crate::tables::{Rows, Table, declared};
use crate::web::column::Column as TableColumn;
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Documents whose columns are read at once.
const DOCUMENT_ROWS: usize = 8192;
/// Rows whose texts are read at once; any number of this size.
const COUNTED_ROWS: usize = 1024;

const COLUMNS: &[TableColumn] = declared![
    text "id" or_null: "id of the document",
    text "url" or_null: "URL of the document",
    text "date" or_null: "date of the document: a time such as 2026-08-10T08:00:00Z, or a day, month or year such as 2026-08-10",
    text "reason": "first rule of the policy that drops it",
];

static DROPPED: Table = Table {
    name: "dropped",
    folder: "",
    row: "document that is dropped",
    columns: || vec![COLUMNS],
};

/// Rows that are held before they are written.
const HELD_ROWS: usize = 8192;

/// A Parquet file of documents.
pub struct ParquetInput<'r> {
    documents: GuardedRows,
    columns: Columns,
    /// What a policy counts; `None` without a policy.
    counted: Option<CountedRows>,
    /// The pieces that are not written yet.
    pieces: VecDeque<Piece>,
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
    fn next(&mut self, count: usize) -> FileResult<RecordBatch> {
        let left = self.left.take().map(Ok).or_else(|| self.rows.next());
        let rows = left
            .ok_or_else(|| FileFault::input(ENDED))?
            .map_err(FileFault::input)?;
        let taken = rows.num_rows().min(count);
        if taken < rows.num_rows() {
            self.left = Some(rows.slice(taken, rows.num_rows() - taken));
        }
        Ok(rows.slice(0, taken))
    }
}

/// The paths of the columns that documents have; those of missing ones are empty.
struct Columns {
    url: Vec<String>,
    further_urls: Vec<Vec<String>>,
    /// The id by which a document is named.
    id: Vec<String>,
    /// The columns that may have its record's id, each with whether its name says that it is of a WARC.
    record_ids: Vec<(bool, Vec<String>)>,
    date: DatePaths,
    file: Vec<String>,
    offset: Vec<String>,
    text: Vec<String>,
    tokens: Vec<String>,
    excepted: Vec<Vec<String>>,
    exceptions: ExceptionColumns,
}

impl<'r> ParquetInput<'r> {
    /// Opens a file, whose rows go to `out`; about this many bytes of it may be in memory.
    pub fn open(
        path: &Path,
        names: &ColumnNames,
        (out, dropped): OutputFiles,
        writing: Writing<'r>,
        bytes: u64,
    ) -> FileResult<Self> {
        let metadata = footer(path).map_err(FileFault::input)?;
        check_names(metadata.schema(), writing.added)?;
        let columns = Columns::find(metadata.schema(), names)?;
        let reader = |columns: &[&Vec<String>], most_rows| {
            let columns = columns.iter().copied();
            rows(
                path,
                &metadata,
                columns,
                AskedRows {
                    bytes,
                    ..AskedRows::all(most_rows)
                },
            )
        };
        let documents = reader(&columns.of_documents(), DOCUMENT_ROWS).map_err(FileFault::input)?;
        let read: Vec<&Vec<String>> = columns
            .counted()
            .into_iter()
            .chain(&columns.date.0)
            .collect();
        let counted = writing
            .context
            .policy
            .map(|_| reader(&read, COUNTED_ROWS))
            .transpose();
        let counted = counted
            .map_err(FileFault::input)?
            .map(|rows| CountedRows { rows, left: None });
        let pieces = pieces(metadata.metadata()).collect();
        let verdicts = Vec::new();
        let output = RowsOutput::new(path, metadata, writing, out, bytes)?;
        let dropped = dropped
            .map(|out| DroppedRows::new(out, writing))
            .transpose()?;
        Ok(Self {
            documents,
            columns,
            counted,
            pieces,
            verdicts,
            output,
            dropped,
        })
    }

    /// Returns which of the next rows are kept; the others are written to the output for dropped documents.
    fn sort(
        &mut self,
        verdicts: &[Arc<Verdict>],
        sorter: &mut Sorter<'_>,
    ) -> FileResult<Vec<bool>> {
        let mut kept = Vec::with_capacity(verdicts.len());
        let Some(counted) = &mut self.counted else {
            let is_kept = |verdict: &Arc<Verdict>| {
                Ok(sorter.sort(verdict, &Facts::default())? == DocumentFate::Kept)
            };
            return verdicts.iter().map(is_kept).collect();
        };
        while let Some(left) = verdicts.get(kept.len()..).filter(|left| !left.is_empty()) {
            let rows = counted.next(left.len())?;
            let [url, id, text, tokens] = self
                .columns
                .counted()
                .map(|path| FileColumn::from_rows(&rows, path));
            let date = DateColumns::from_rows(&rows, &self.columns.date);
            for (row, verdict) in left.iter().take(rows.num_rows()).enumerate() {
                let facts = Facts {
                    id: id.text(row),
                    url: url.text(row),
                    date: date.interval(row),
                    text_bytes: text.text(row).map_or(0, |text| text.len() as u64),
                    tokens: tokens
                        .number(row)
                        .and_then(|tokens| u64::try_from(tokens).ok()),
                };
                let fate = sorter.sort(verdict, &facts)?;
                if let (DocumentFate::Dropped(reason), Some(dropped)) = (fate, &mut self.dropped) {
                    dropped.add(&facts, reason, verdict)?;
                }
                kept.push(fate == DocumentFate::Kept);
            }
        }
        Ok(kept)
    }
}

impl DocumentInput for ParquetInput<'_> {
    fn read(&mut self, documents: &mut Documents, bytes: usize) -> FileResult<End> {
        while documents.byte_count() < bytes {
            let Some(rows) = self.documents.next() else {
                return Ok(End::Reached);
            };
            self.columns
                .add(&rows.map_err(FileFault::input)?, documents);
        }
        Ok(End::No)
    }

    fn write(&mut self, verdicts: &[Arc<Verdict>], sorter: &mut Sorter<'_>) -> FileResult {
        self.verdicts.extend_from_slice(verdicts);
        while let Some(piece) = self
            .pieces
            .pop_front_if(|piece| piece.rows.len() <= self.verdicts.len())
        {
            let later = self.verdicts.split_off(piece.rows.len());
            let verdicts = std::mem::replace(&mut self.verdicts, later);
            let kept = self.sort(&verdicts, sorter)?;
            self.output.write(&piece, &kept, &verdicts)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> FileResult<Finished> {
        if !self.pieces.is_empty() || !self.verdicts.is_empty() {
            return Err(FileFault::input(ENDED));
        }
        let has_dropped = self.dropped.is_some();
        self.dropped.map_or(Ok(()), DroppedRows::finish)?;
        self.output.finish().map(|()| Finished {
            has_documents: true,
            has_dropped,
        })
    }
}

impl Columns {
    fn find(schema: &Schema, names: &ColumnNames) -> FileResult<Self> {
        let texts = |names: &[String]| typed(schema, names, "text", is_text);
        let url = texts(&names.url)?;
        if url.is_empty() {
            let columns: Vec<&str> = schema
                .fields()
                .iter()
                .map(|field| field.name().as_str())
                .collect();
            let url = names.url.join(" or ");
            let columns = columns.join(", ");
            return Err(FileFault::Input(format!(
                "no column {url}; it has {columns}"
            )));
        }
        for name in names.required.iter().chain(&names.excepted.names) {
            if find(schema, std::slice::from_ref(name)).is_none() {
                return Err(FileFault::Input(format!("no column {name}")));
            }
        }
        let date = |names: &Vec<String>| typed(schema, names, "text or times", is_time);
        let [fetched, created, added] = names.date.lists().map(date);
        // Ours: many data sets have their own numbers as ids, which are not record ids.
        let is_given = names.required.iter().any(|name| names.id.contains(name));
        let has_record_ids =
            is_given || find(schema, &names.id).is_none_or(|(_, field)| is_text(field));
        let mut record_ids = Vec::new();
        for (is_of_warc, name) in names.record_ids() {
            if is_given || find(schema, name).is_some_and(|(_, field)| is_text(field)) {
                record_ids.push((is_of_warc, texts(name)?));
            }
        }
        Ok(Self {
            url,
            further_urls: names
                .further_urls
                .chunks(1)
                .map(texts)
                .collect::<Result<_, _>>()?,
            file: texts(&names.file)?,
            offset: typed(schema, &names.offset, "whole numbers", is_number)?,
            id: if has_record_ids {
                texts(&names.id)?
            } else {
                Vec::new()
            },
            record_ids,
            date: DatePaths([fetched?, created?, added?]),
            // A column that is only counted may be missing, or of another type.
            text: if_typed(schema, &names.text, is_text),
            tokens: if_typed(schema, &names.tokens, is_number),
            excepted: names
                .excepted
                .names
                .chunks(1)
                .map(texts)
                .collect::<Result<_, _>>()?,
            exceptions: names.excepted.clone(),
        })
    }

    fn of_documents(&self) -> Vec<&Vec<String>> {
        let own = [&self.url, &self.file, &self.offset]
            .into_iter()
            .chain(&self.date.0);
        let record_ids = self.record_ids.iter().map(|(_, id)| id);
        own.chain(record_ids)
            .chain(&self.further_urls)
            .chain(&self.excepted)
            .collect()
    }

    /// Returns the columns that a policy counts and names documents by.
    fn counted(&self) -> [&Vec<String>; 4] {
        [&self.url, &self.id, &self.text, &self.tokens]
    }

    fn add(&self, rows: &RecordBatch, documents: &mut Documents) {
        let of = |path: &Vec<String>| FileColumn::from_rows(rows, path);
        let (url, date) = (of(&self.url), DateColumns::from_rows(rows, &self.date));
        let record_ids = self.record_ids.iter();
        let record_ids: Vec<(bool, FileColumn)> = record_ids
            .map(|(is_of_warc, id)| (*is_of_warc, of(id)))
            .collect();
        let [file, offset] = [&self.file, &self.offset].map(of);
        let further: Vec<FileColumn> = self.further_urls.iter().map(of).collect();
        let excepted: Vec<FileColumn> = self.excepted.iter().map(of).collect();
        for row in 0..rows.num_rows() {
            let ids = record_ids
                .iter()
                .filter_map(|(is_of_warc, id)| Some((*is_of_warc, utf8(id.text(row))?)));
            documents.push(&Document {
                further_urls: &further.iter().map(|url| url.text(row)).collect::<Vec<_>>(),
                url: url.text(row),
                date: date.interval(row),
                id: RecordKey::id_among(ids),
                place: utf8(file.text(row)).zip(offset.number(row)),
                matched: self
                    .exceptions
                    .matched(|column| excepted.get(column)?.text(row)),
            });
        }
    }
}

fn utf8(text: Option<&[u8]>) -> Option<&str> {
    std::str::from_utf8(text?).ok()
}

/// Returns the documents of rows in memory; the columns are found as in a file.
pub fn documents_of(
    rows: &RecordBatch,
    names: &DocumentNames,
    added: &Added,
) -> FileResult<Documents> {
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
) -> FileResult<Vec<String>> {
    let Some((path, field)) = find(schema, names) else {
        return Ok(Vec::new());
    };
    let name = path.join(".");
    if !is_expected(field) {
        let found = field.data_type();
        return Err(FileFault::Input(format!(
            "the column {name} has the type {found}, expected {expected}"
        )));
    }
    if !is_unique(schema, &path) {
        return Err(FileFault::Input(format!("it has two columns {name}")));
    }
    Ok(path)
}

/// Refuses columns with the names of added columns.
fn check_names(schema: &Schema, added: &Added) -> FileResult {
    let mut names = schema.fields().iter().map(|field| field.name());
    let Some(name) = names.find(|name| added.taken == Taken::Refused && added.has(name)) else {
        return Ok(());
    };
    Err(FileFault::Input(format!(
        "it has a column {name} already; see --prefix and --replace-prefs"
    )))
}

pub struct DroppedRows<'r> {
    rows: Rows,
    /// The verdicts of the rows, if somebody asks what they rest on.
    verdicts: Vec<Arc<Verdict>>,
    schema: SchemaRef,
    writing: Writing<'r>,
    writer: ArrowWriter<Box<dyn StoreFile>>,
}

impl<'r> DroppedRows<'r> {
    pub fn new(out: Box<dyn StoreFile>, writing: Writing<'r>) -> FileResult<Self> {
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(writing.footer()))
            .build();
        let own = DROPPED.schema();
        let audit = writing
            .audit
            .map_or_else(Schema::empty, |audit| audit.schema.as_ref().clone());
        let fields: Vec<_> = own.fields().iter().chain(audit.fields()).cloned().collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let writer =
            ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(output)?;
        Ok(Self {
            rows: Rows::new(&DROPPED),
            verdicts: Vec::new(),
            schema,
            writing,
            writer,
        })
    }

    pub fn add(&mut self, facts: &Facts<'_>, reason: &str, verdict: &Arc<Verdict>) -> FileResult {
        self.verdicts
            .extend(self.writing.audit.map(|_| Arc::clone(verdict)));
        let cells = self.rows.row();
        cells.text_or_null("id", facts.id.map(String::from_utf8_lossy));
        cells.text_or_null("url", facts.url.map(String::from_utf8_lossy));
        cells.text_or_null("date", facts.date.map(|date| date.to_string()));
        cells.text("reason", reason);
        if self.rows.row_count() >= HELD_ROWS {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> FileResult {
        let mut rows = self.rows.finish().map_err(FileFault::Output)?;
        if let Some(audit) = self.writing.audit {
            let verdicts = std::mem::take(&mut self.verdicts);
            let beside = self.writing.batch(&verdicts, audit)?;
            let columns = rows
                .columns()
                .iter()
                .chain(beside.columns())
                .cloned()
                .collect();
            rows = RecordBatch::try_new(Arc::clone(&self.schema), columns)
                .map_err(FileFault::input)?;
        }
        self.writer.write(&rows).map_err(output)
    }

    pub fn finish(mut self) -> FileResult {
        self.write()?;
        self.writer
            .into_inner()
            .map_err(output)?
            .commit()
            .map_err(FileFault::Output)
    }
}

fn output(error: ParquetError) -> FileFault {
    FileFault::Output(io::Error::other(error))
}
