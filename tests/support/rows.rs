//! Rows of a table read back, with their values as answers of `explain` have them.

use crawlprefs::web::timestamp::Timestamp;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Returns the parts of a table, crawl by crawl.
pub fn parts(folder: &Path) -> Vec<PathBuf> {
    let crawls = fs::read_dir(folder)
        .expect("the table is there")
        .map(|crawl| crawl.expect("a partition").path());
    let mut parts: Vec<PathBuf> = crawls
        .flat_map(|crawl| fs::read_dir(crawl).expect("a folder"))
        .map(|part| part.expect("a part").path())
        .collect();
    parts.sort();
    parts
}

/// Returns the rows of a table.
pub fn rows(folder: &Path) -> Vec<Row> {
    let rows = |part: &PathBuf| {
        let reader = SerializedFileReader::new(File::open(part).expect("a part")).expect("Parquet");
        reader
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row"))
            .collect::<Vec<_>>()
    };
    parts(folder).iter().flat_map(rows).collect()
}

/// Returns a time of a table as answers have it.
pub fn time(at: Option<Timestamp>) -> Value {
    at.map_or(Value::Null, |at| at.to_string().into())
}

/// Returns a column of a row as an answer has it.
pub fn value(row: &Row, column: &str) -> Value {
    let (_, field) = row
        .get_column_iter()
        .find(|(name, _)| *name == column)
        .expect("a column");
    match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.clone().into(),
        Field::Bool(truth) => (*truth).into(),
        Field::Short(number) => (*number).into(),
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::TimestampMicros(at) => time(Timestamp::from_unix_micros(*at)),
        Field::ListInternal(list) => list
            .elements()
            .iter()
            .map(|element| {
                if let Field::Str(text) = element {
                    text.clone()
                } else {
                    String::new()
                }
            })
            .collect(),
        other => panic!("{column}: {other:?}"),
    }
}
