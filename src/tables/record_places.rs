//! The places of records, from a user's file: Parquet or CSV with the columns of Common Crawl's index.
//!
//! Example: `warc_filename,warc_record_offset,warc_record_length` and a line for each record, as DuckDB's `COPY (...) TO
//! 'few.csv'` writes it. Other columns are ignored. Document: RFC 4180.

use super::guard::{self, AskedRows};
use super::stored::{mask, no_column};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use std::io;

const ROWS: usize = 1024;
const COLUMNS: [&str; 3] = ["warc_filename", "warc_record_offset", "warc_record_length"];

/// An archive's name, and the offset and length of a record in it.
pub type PlaceRow = (String, u64, u64);

pub fn read(content: Vec<u8>) -> io::Result<Vec<PlaceRow>> {
    if content.starts_with(b"PAR1") {
        of_parquet(content.into())
    } else {
        of_csv(&content)
    }
}

/// Returns captures as CSV: the names of their archives, their kinds, URLs and times.
pub fn captures_csv<'c>(captures: impl Iterator<Item = [&'c str; 4]>) -> io::Result<String> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(["warc_filename", "kind", "url", "fetch_time"])?;
    for capture in captures {
        lines.write_record(capture)?;
    }
    let text = lines
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    String::from_utf8(text).map_err(io::Error::other)
}

fn columns<C>(find: impl Fn(&str) -> Option<C>) -> io::Result<(C, C, C)> {
    let [filename, offset, length] = COLUMNS.map(|name| find(name).ok_or_else(|| no_column(name)));
    Ok((filename?, offset?, length?))
}

fn of_csv(content: &[u8]) -> io::Result<Vec<PlaceRow>> {
    let text = std::str::from_utf8(content).map_err(|_| io::Error::other("expected UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = lines.headers()?.clone();
    let (filename, offset, length) =
        columns(|name| header.iter().position(|column| column == name))?;
    lines
        .into_records()
        .map(|line| {
            let line = line?;
            let number_at = |at: usize| line.get(at)?.trim().parse::<u64>().ok();
            let row = || {
                Some((
                    line.get(filename)?.to_owned(),
                    number_at(offset)?,
                    number_at(length)?,
                ))
            };
            let number = line.position().map_or(0, csv::Position::line);
            row().ok_or_else(|| {
                io::Error::other(format!("line {number}: expected a name and two numbers"))
            })
        })
        .collect()
}

fn of_parquet(content: Bytes) -> io::Result<Vec<PlaceRow>> {
    let mut rows = Vec::new();
    let metadata = guard::metadata(&content, ArrowReaderOptions::new())?;
    let asked = AskedRows {
        columns: Some(mask(metadata.metadata(), &COLUMNS)),
        ..AskedRows::all(ROWS)
    };
    for batch in guard::rows(content, &metadata, asked)? {
        let batch = batch?;
        let (filename, offset, length) = columns(|name| batch.column_by_name(name))?;
        for row in 0..RecordBatch::num_rows(&batch) {
            let place = || {
                Some((
                    text(filename, row)?,
                    number(offset, row)?,
                    number(length, row)?,
                ))
            };
            let none = || {
                io::Error::other(
                    "a row has no warc_filename, warc_record_offset or warc_record_length",
                )
            };
            rows.push(place().ok_or_else(none)?);
        }
    }
    Ok(rows)
}

fn text(column: &ArrayRef, row: usize) -> Option<String> {
    let text = match column.data_type() {
        _ if column.is_null(row) => return None,
        DataType::Utf8 => column.as_string::<i32>().value(row),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row),
        DataType::Utf8View => column.as_string_view().value(row),
        _ => return None,
    };
    Some(text.to_owned())
}

fn number(column: &ArrayRef, row: usize) -> Option<u64> {
    match column.data_type() {
        _ if column.is_null(row) => None,
        DataType::Int32 => u64::try_from(column.as_primitive::<Int32Type>().value(row)).ok(),
        DataType::Int64 => u64::try_from(column.as_primitive::<Int64Type>().value(row)).ok(),
        DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().value(row)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn rfc4180_2_quoted_fields_and_other_columns() {
        let csv = "url,warc_record_length,warc_filename,warc_record_offset\r\n\
                   \"https://a.example/?a,\"\"b\"\"\",12,\"a,b.warc.gz\",0\r\n\r\nx,3,c.warc,4\r\n";
        let expected = vec![
            ("a,b.warc.gz".to_owned(), 0, 12),
            ("c.warc".to_owned(), 4, 3),
        ];
        assert_eq!(read(csv.as_bytes().to_vec()).unwrap(), expected);
        for (csv, error) in [
            (
                "warc_filename,warc_record_offset\na,1\n",
                "no column warc_record_length",
            ),
            (
                "warc_filename,warc_record_offset,warc_record_length\na,1,-1\n",
                "line 2: expected a name",
            ),
            ("", "no column warc_filename"),
        ] {
            let found = read(csv.as_bytes().to_vec()).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
