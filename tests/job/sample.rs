//! The sample data give the counts that their generator says.

use crate::fixture::{run, sample};
use crate::resolved::{resolve, view};
use crawlprefs::tables::TABLES;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// Returns the Parquet files of a table.
fn parts(out: &Path, table: &str) -> Vec<SerializedFileReader<File>> {
    let folder = TABLES
        .iter()
        .find(|known| known.name == table)
        .expect("a table")
        .folder;
    let mut paths = Vec::new();
    for crawl in fs::read_dir(out.join(folder)).expect("the table is there") {
        for part in fs::read_dir(crawl.expect("a partition").path()).expect("a folder") {
            paths.push(part.expect("a part").path());
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| SerializedFileReader::new(File::open(path).expect("a part")).expect("Parquet"))
        .collect()
}

fn column(reader: &SerializedFileReader<File>, name: &str) -> usize {
    let schema = reader.metadata().file_metadata().schema();
    schema
        .get_fields()
        .iter()
        .position(|field| field.name() == name)
        .expect("a column")
}

/// Counts captures by file and kind.
fn captures(out: &Path) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut counts = BTreeMap::<String, BTreeMap<String, u64>>::new();
    for part in parts(out, "captures") {
        let (file, kind) = (column(&part, "warc_filename"), column(&part, "kind"));
        for row in part.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let file = row.get_string(file).expect("text").clone();
            *counts
                .entry(file)
                .or_default()
                .entry(row.get_string(kind).expect("text").clone())
                .or_default() += 1;
        }
    }
    counts
}

#[test]
fn local_sample_data_give_the_counts_of_their_generator() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let summary = run(sample(), folder.path(), 2);
    let text = fs::read("sample-data/expected.json").expect("sample-data is in the repository");
    let expected: Value = serde_json::from_slice(&text).expect("JSON");
    let files = expected["files"].as_object().expect("files");
    let found = captures(folder.path());
    let number = |value: &Value| value.as_u64().expect("a number");
    for (file, expected) in files {
        let kinds: BTreeMap<String, u64> = expected["captures"]
            .as_object()
            .expect("kinds")
            .iter()
            .map(|(kind, n)| (kind.clone(), number(n)))
            .collect();
        assert_eq!(found.get(file), Some(&kinds), "{file}");
    }
    assert_eq!(found.len(), files.len());
    let sum = |key: &str| files.values().map(|file| number(&file[key])).sum::<u64>();
    let records = files.values().flat_map(|file| {
        file["records"]
            .as_object()
            .expect("types")
            .values()
            .map(number)
    });
    assert_eq!(summary.records, records.sum::<u64>() + sum("records_lost"));
    assert_eq!(
        (summary.records_lost, summary.bytes),
        (sum("records_lost"), sum("bytes"))
    );
}

#[test]
fn local_parts_hold_the_declared_columns_and_no_trace_of_the_machine() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    for table in TABLES
        .iter()
        .filter(|table| table.folder.starts_with("evidence/"))
    {
        let parts = parts(folder.path(), table.name);
        assert!(!parts.is_empty());
        for part in parts {
            let metadata = part.metadata().file_metadata();
            let names: Vec<&str> = metadata
                .schema()
                .get_fields()
                .iter()
                .map(|field| field.name())
                .collect();
            assert_eq!(
                names,
                table
                    .columns()
                    .map(|column| column.name)
                    .collect::<Vec<_>>(),
                "{}",
                table.name
            );
            let pairs = metadata.key_value_metadata().expect("a footer");
            let values: Vec<String> = pairs
                .iter()
                .filter(|pair| pair.key.starts_with("crawlprefs."))
                .map(|pair| pair.value.clone().unwrap_or_default())
                .collect();
            assert!(values.len() >= 6);
            assert!(
                !values
                    .iter()
                    .any(|value| value.contains(&*folder.path().to_string_lossy()))
            );
        }
    }
}

/// Cells that do not fit a table's columns are found by writing a row.
#[test]
fn local_every_table_has_rows_of_the_sample_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    resolve(folder.path(), folder.path(), &view());
    for table in TABLES {
        let parts = parts(folder.path(), table.name);
        let rows: i64 = parts
            .iter()
            .map(|part| part.metadata().file_metadata().num_rows())
            .sum();
        assert!(rows > 0, "{}", table.name);
    }
}
