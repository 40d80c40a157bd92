//! Row groups of Parquet that are copied, as all of their rows are kept.

use crate::fixture::{judge, pages};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group.
const GROUP_ROWS: usize = 100;

/// Writes documents, with a number and a text each.
fn write(file: &Path, documents: &[(&str, &str)]) {
    let count = i64::try_from(documents.len()).expect("few documents");
    let texts = (0..count).map(|row| {
        format!(
            "{row} {}",
            "text ".repeat(usize::try_from(row % 40).expect("few"))
        )
    });
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(StringArray::from_iter_values(texts))),
        (
            "id",
            Arc::new(StringArray::from_iter_values(
                documents.iter().map(|(id, _)| id),
            )),
        ),
        (
            "url",
            Arc::new(StringArray::from_iter_values(
                documents.iter().map(|(_, url)| url),
            )),
        ),
        ("row", Arc::new(Int64Array::from_iter_values(0..count))),
    ];
    let rows = RecordBatch::try_from_iter(columns).expect("columns");
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(7).expect("a level")))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let file = File::create(file).expect("a file");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).expect("Parquet");
    writer.write(&rows).expect("written");
    writer.close().expect("written");
}

/// Returns of each row group how many rows it has, and the bytes of its first columns.
fn groups(file: &Path, columns: usize) -> Vec<(i64, Vec<Vec<u8>>)> {
    let bytes = fs::read(file).expect("a file");
    let reader = SerializedFileReader::new(File::open(file).expect("a file")).expect("Parquet");
    let groups = reader.metadata().row_groups().iter().map(|group| {
        let chunk = |at: usize| {
            let (start, length) = group.column(at).byte_range();
            let [start, length] = [start, length].map(|at| usize::try_from(at).expect("a place"));
            bytes[start..start + length].to_vec()
        };
        (group.num_rows(), (0..columns).map(chunk).collect())
    });
    groups.collect()
}

/// Returns the numbers of the rows of a file, and whether each may be fetched.
fn rows(file: &Path) -> Vec<(i64, String)> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(file).expect("a file"))
        .expect("Parquet");
    let mut found = Vec::new();
    for rows in builder.build().expect("Parquet") {
        let rows = rows.expect("rows");
        let column = |name: &str| rows.column_by_name(name).expect("a column").clone();
        let (numbers, access) = (column("row"), column("prefs_access"));
        let numbers: &Int64Array = numbers.as_any().downcast_ref().expect("numbers");
        let access: &StringArray = access.as_any().downcast_ref().expect("text");
        found.extend(
            numbers
                .values()
                .iter()
                .zip(access)
                .map(|(row, access)| (*row, access.unwrap_or_default().to_owned())),
        );
    }
    found
}

/// Returns the id and the URL of a page with this access.
fn page(access: &str) -> (String, String) {
    let pages = pages();
    let page = pages
        .iter()
        .find(|(page, verdict)| page["id"].is_string() && verdict["access"] == access);
    let (page, _) = page.expect("such a page");
    ["id", "url"]
        .map(|name| page[name].as_str().expect("text").to_owned())
        .into()
}

#[test]
fn local_a_row_group_of_which_all_rows_are_kept_is_copied_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (open, closed) = (page("allow"), page("disallow"));
    let drops = [150, 151, 199];
    let documents: Vec<(&str, &str)> = (0..350)
        .map(|row| if drops.contains(&row) { &closed } else { &open })
        .map(|(id, url)| (id.as_str(), url.as_str()))
        .collect();
    let input = folder.path().join("a.parquet");
    write(&input, &documents);
    let before = groups(&input, 4);
    assert_eq!(
        before.iter().map(|(rows, _)| *rows).collect::<Vec<_>>(),
        [100, 100, 100, 50]
    );

    let out = folder.path().join("all");
    let (status, text) = judge(&[&input], &out, &[]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(groups(&out.join("a.parquet"), 4), before);
    let found = rows(&out.join("a.parquet"));
    let expected = |row: usize| {
        if drops.contains(&row) {
            "disallow"
        } else {
            "allow"
        }
        .to_owned()
    };
    assert_eq!(
        found,
        (0..350)
            .map(|row| (row as i64, expected(row)))
            .collect::<Vec<_>>()
    );

    let out = folder.path().join("kept");
    let (status, text) = judge(&[&input], &out, &["--policy", "robots"]);
    assert_eq!(status, 0, "{text}");
    let after = groups(&out.join("a.parquet"), 4);
    assert_eq!(
        after.iter().map(|(rows, _)| *rows).collect::<Vec<_>>(),
        [100, 97, 100, 50]
    );
    for group in [0, 2, 3] {
        assert_eq!(after[group], before[group], "{group}");
    }
    let kept = (0..350).filter(|row| !drops.contains(row));
    assert_eq!(
        rows(&out.join("a.parquet")),
        kept.map(|row| (row as i64, expected(row)))
            .collect::<Vec<_>>()
    );
}

#[test]
fn local_a_text_that_nobody_asks_for_goes_through_even_where_it_is_damaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (id, url) = page("allow");
    let input = folder.path().join("a.parquet");
    write(&input, &[(id.as_str(), url.as_str()); 250]);
    let mut bytes = fs::read(&input).expect("a file");
    let reader = SerializedFileReader::new(File::open(&input).expect("a file")).expect("Parquet");
    let (start, length) = reader.metadata().row_group(1).column(0).byte_range();
    bytes[usize::try_from(start + length / 2).expect("a place")] ^= 0x55;
    fs::write(&input, &bytes).expect("a file");
    let out = folder.path().join("all");
    let (status, text) = judge(&[&input], &out, &[]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(groups(&out.join("a.parquet"), 4), groups(&input, 4));
    // A policy counts the bytes of texts.
    let (status, text) = judge(
        &[&input],
        &folder.path().join("kept"),
        &["--policy", "robots"],
    );
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("a.parquet"), "{text}");
}

#[test]
fn local_a_row_group_of_more_than_a_million_rows_keeps_its_rows_in_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let count = (1 << 20) + 5;
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..count).map(|_| "mailto:a"),
    ));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
    let rows_in = RecordBatch::try_from_iter([("url", urls), ("row", numbers)]).expect("columns");
    let input = folder.path().join("a.parquet");
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(1 << 21))
        .build();
    let file = File::create(&input).expect("a file");
    let mut writer =
        ArrowWriter::try_new(file, rows_in.schema(), Some(properties)).expect("Parquet");
    writer.write(&rows_in).expect("written");
    writer.close().expect("written");
    assert_eq!(groups(&input, 2).len(), 1);
    let (status, text) = judge(
        &[&input],
        &folder.path().join("out"),
        &["--memory-limit", "300M"],
    );
    assert_eq!(status, 0, "{text}");
    let found = rows(&folder.path().join("out/a.parquet"));
    assert!(found.iter().map(|(row, _)| *row).eq(0..count));
    assert!(found.iter().all(|(_, access)| access == "unknown"));
}
