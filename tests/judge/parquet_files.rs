//! Documents in Parquet.

use crate::fixture::{judge, pages};
use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, Decimal128Array, Int64Array, LargeStringArray, NullArray, RecordBatch,
    StringArray, StructArray, TimestampMillisecondArray, UInt8Array,
};
use arrow_schema::{DataType, Field};
use crawlprefs::web::timestamp::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Writes documents with columns of many types, so that a slice, a row group and a file end at different rows.
fn write(file: &Path, columns: Vec<(&str, ArrayRef)>) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(700))
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "made.by".to_owned(),
            "a test".to_owned(),
        )]))
        .build();
    let columns = columns
        .into_iter()
        .map(|(name, array)| (name, Arc::clone(&array), array.is_nullable()));
    let rows = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let file = File::create(file).expect("a file");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).expect("Parquet");
    writer.write(&rows).expect("written");
    writer.close().expect("written");
}

fn read(file: &Path, options: ArrowReaderOptions) -> RecordBatch {
    let file = File::open(file).expect("a file");
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).expect("Parquet");
    let mut reader = builder.with_batch_size(1 << 20).build().expect("Parquet");
    reader.next().expect("rows").expect("rows")
}

#[test]
fn local_columns_of_every_type_come_out_as_they_were_and_verdicts_behind_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = pages();
    let count = 1500;
    let page = |row: usize| &pages[row % pages.len()].0;
    let (mut lists, mut words) = (
        ListBuilder::new(StringBuilder::new()),
        StringDictionaryBuilder::<Int8Type>::new(),
    );
    for row in 0..count {
        lists.append_option(
            (row % 3 > 0).then(|| (0..row % 5).map(|at| (at % 2 > 0).then(|| at.to_string()))),
        );
        words.append_option((row % 4 > 0).then_some(["en", "de"][row % 2]));
    }
    let numbers =
        |scale: i64| (0..count as i64).map(move |row| (row % 7 > 0).then_some(row * scale));
    let inner: ArrayRef = Arc::new(Int64Array::from_iter(numbers(3)));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..count).map(|row| "x".repeat(row % 50)),
    ));
    let fields = [
        (Arc::new(Field::new("n", DataType::Int64, true)), inner),
        (Arc::new(Field::new("t", DataType::Utf8, false)), text),
    ];
    let ids = (0..count).map(|row| page(row)["id"].as_str());
    let date = |row: usize| {
        let text = page(row)["date"]
            .as_str()
            .filter(|_| !row.is_multiple_of(7))?;
        Timestamp::new(text.as_bytes()).map(|date| date.unix_micros() / 1000)
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("language", Arc::new(words.finish())),
        (
            "url",
            Arc::new(LargeStringArray::from_iter(
                (0..count).map(|row| page(row)["url"].as_str()),
            )),
        ),
        ("links", Arc::new(lists.finish())),
        ("id", Arc::new(StringArray::from_iter(ids))),
        ("meta", Arc::new(StructArray::from(fields.to_vec()))),
        (
            "date",
            Arc::new(
                TimestampMillisecondArray::from_iter((0..count).map(date)).with_timezone("UTC"),
            ),
        ),
        (
            "price",
            Arc::new(
                Decimal128Array::from_iter(numbers(5).map(|n| n.map(i128::from)))
                    .with_precision_and_scale(20, 2)
                    .expect("a decimal"),
            ),
        ),
        (
            "score",
            Arc::new(UInt8Array::from_iter(
                (0..count).map(|row| u8::try_from(row % 200).ok()),
            )),
        ),
    ];
    let (input, out) = (folder.path().join("a.parquet"), folder.path().join("out"));
    write(&input, columns);
    let (status, text) = judge(&[&input], &out, &["--memory-limit", "400K"]);
    assert_eq!(status, 0, "{text}");
    let output = out.join("a.parquet");
    // As an engine of Arrow has them, and as Parquet itself does.
    for options in [
        ArrowReaderOptions::new(),
        ArrowReaderOptions::new().with_skip_arrow_metadata(true),
    ] {
        let (before, after) = (read(&input, options.clone()), read(&output, options));
        let own = after.project(&(0..8).collect::<Vec<_>>()).expect("columns");
        assert_eq!(
            own,
            RecordBatch::try_new(own.schema(), before.columns().to_vec()).expect("columns")
        );
        assert_eq!(own.schema().fields(), before.schema().fields());
        assert_eq!((after.num_columns(), after.num_rows()), (20, count));
        let access = after.column_by_name("prefs_access").expect("a column");
        let access: &StringArray = access.as_any().downcast_ref().expect("text");
        for row in (0..count).filter(|row| page(*row)["id"].is_string()) {
            assert_eq!(
                access.value(row),
                pages[row % pages.len()].1["access"],
                "{row}"
            );
        }
    }
    let [before, after] = [&input, &output].map(|file| {
        SerializedFileReader::new(File::open(file).expect("a file"))
            .expect("Parquet")
            .metadata()
            .clone()
    });
    let (before, after) = (before.file_metadata(), after.file_metadata());
    let fields = after.schema().get_fields().get(..8).expect("columns");
    assert_eq!(fields, before.schema().get_fields());
    let pairs = |metadata: &parquet::file::metadata::FileMetaData| {
        let pairs = metadata.key_value_metadata().expect("pairs").clone();
        pairs
            .into_iter()
            .filter(|pair| pair.key == "made.by")
            .count()
    };
    assert_eq!((pairs(before), pairs(after)), (1, 1));
}

#[test]
fn local_urls_in_structs_are_found_and_wrong_types_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let urls: ArrayRef = Arc::new(StringArray::from(vec![
        "https://a.example/",
        "https://b.example/",
    ]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let metadata = StructArray::from(vec![(
        Arc::new(Field::new("url", DataType::Utf8, false)),
        Arc::clone(&urls),
    )]);
    let in_folder = |name: &str| folder.path().join(name);
    write(
        &in_folder("struct.parquet"),
        vec![
            ("text", Arc::clone(&urls)),
            ("metadata", Arc::new(metadata)),
        ],
    );
    write(
        &in_folder("number.parquet"),
        vec![("url", Arc::clone(&numbers))],
    );
    write(
        &in_folder("none.parquet"),
        vec![("link", Arc::clone(&urls)), ("id", Arc::clone(&numbers))],
    );
    write(
        &in_folder("judged.parquet"),
        vec![("url", Arc::clone(&urls)), ("prefs_tdm", Arc::clone(&urls))],
    );
    let (status, text) = judge(&[folder.path()], &in_folder("out"), &["--at", "newest"]);
    assert_eq!(status, 3, "{text}");
    for expected in [
        "number.parquet: the column url has the type Int64, expected text\n",
        "none.parquet: no column url or metadata.url or metadata.WARC-Target-URI; it has link, id\n",
        "judged.parquet: it has a column prefs_tdm already; see --prefix and --replace-prefs\n",
        "Judged 2 documents of 1 file\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let (status, text) = judge(
        &[&in_folder("none.parquet")],
        &in_folder("link"),
        &["--url", "link", "--id", "id"],
    );
    assert!(
        status == 3 && text.contains("the column id has the type Int64, expected text"),
        "{text}"
    );
    // Numbers that are called id are not record ids.
    let (status, text) = judge(
        &[&in_folder("none.parquet")],
        &in_folder("numbers"),
        &["--url", "link"],
    );
    assert_eq!(status, 0, "{text}");
    let (status, text) = judge(
        &[&in_folder("struct.parquet")],
        &in_folder("id"),
        &["--id", "uuid"],
    );
    assert!(status == 3 && text.contains("no column uuid"), "{text}");
}

#[test]
fn local_columns_without_any_value_are_as_if_they_were_not_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = pages();
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(
        pages
            .iter()
            .map(|(page, _)| page["url"].as_str().expect("a URL")),
    ));
    let none: ArrayRef = Arc::new(NullArray::new(pages.len()));
    let columns =
        ["id", "date", "warc_filename", "warc_record_offset"].map(|name| (name, Arc::clone(&none)));
    let (url, file) = (
        folder.path().join("url.parquet"),
        folder.path().join("all.parquet"),
    );
    write(&url, vec![("url", Arc::clone(&urls))]);
    write(&file, [("url", urls)].into_iter().chain(columns).collect());
    let out = folder.path().join("out");
    let (status, text) = judge(&[&url, &file], &out, &["--at", "newest"]);
    assert_eq!(status, 0, "{text}");
    let verdicts = |name: &str| {
        let rows = read(&out.join(name), ArrowReaderOptions::new());
        rows.project(&verdict_columns(&rows)).expect("columns")
    };
    assert_eq!(verdicts("all.parquet"), verdicts("url.parquet"));
    let (status, text) = judge(&[&file], &folder.path().join("dates"), &["--url", "date"]);
    assert_eq!(status, 0, "{text}");
}

fn verdict_columns(rows: &RecordBatch) -> Vec<usize> {
    let schema = rows.schema();
    let named = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| field.name().starts_with("prefs_"));
    named.map(|(at, _)| at).collect()
}
