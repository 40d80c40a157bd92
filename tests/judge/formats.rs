//! What loaders need of an output: a list is one text, no file without rows among lines, times of the old type as timestamps.

use crate::fixture::{judge, judged, pages, rows_of, run, tables, value, write_lines};
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// In JSON lines, a column of empty lists has no type.
#[test]
fn local_columns_are_texts_in_every_line_unless_something_is_unknown() {
    let lines: String = pages()
        .iter()
        .map(|(page, _)| page.to_string() + "\n")
        .collect();
    let found = judged(&lines, &["--columns", "disallowed_agents,not_seen"]);
    let mut empty = 0;
    for (line, (_, verdict)) in found.iter().zip(pages()) {
        let unread = line["prefs_not_seen"].as_str().expect("text");
        empty += usize::from(unread.is_empty());
        let agents = &line["prefs_disallowed_agents"];
        assert_eq!(
            agents.is_null(),
            verdict["disallowed_agents"].is_null(),
            "{line}"
        );
        assert!(agents.is_null() || agents.is_string(), "{line}");
    }
    assert!(empty > 10, "{empty}");
    let defaults = judged("https://nobody.example/\n", &[]).remove(0);
    assert_eq!(defaults["prefs_not_seen"], "header;meta");
    for (name, value) in defaults.as_object().expect("an object") {
        assert!(value.is_string(), "{name} is {value}");
    }
}

#[test]
fn local_lines_of_which_nothing_is_kept_have_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let in_folder = |name: &str| folder.path().join(name);
    let (out, dropped, input) = (in_folder("out"), in_folder("dropped"), in_folder("in"));
    fs::create_dir(&input).expect("a folder");
    let kept = json!({"url": "https://rep.example/", "date": "2026-08-10T09:00:00Z", "id": "k"});
    let lost = json!({"url": "https://nobody.example/", "date": "2026-08-10T09:00:00Z", "id": "l"});
    let write = |name: &str, lines: &[&serde_json::Value]| {
        write_lines(&input.join(name), lines.iter().copied())
    };
    write("kept.jsonl", &[&kept]);
    write("both.jsonl", &[&lost, &kept]);
    write("lost.jsonl", &[&lost, &lost]);
    let packed = fs::read(input.join("lost.jsonl")).expect("a file");
    fs::write(
        input.join("lost.jsonl.zst"),
        zstd::encode_all(&packed[..], 3).expect("zstd"),
    )
    .expect("a file");
    fs::write(input.join("none.jsonl"), "\n\n").expect("a file");
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("a file")
                    .file_name()
                    .into_string()
                    .expect("a name")
            })
            .collect();
        names.sort();
        names
    };
    let of_dropped = dropped.to_string_lossy().into_owned();
    let flags = ["--policy", "robots", "--dropped", &of_dropped];
    let (status, text) = judge(&[&input], &out, &flags);
    assert_eq!(status, 0, "{text}");
    assert_eq!(names(&out), ["both.jsonl", "kept.jsonl"]);
    assert_eq!(
        names(&dropped),
        ["both.jsonl", "lost.jsonl", "lost.jsonl.zst"]
    );
    // The same call has nothing to do, and other ones know what became of them.
    let (status, again) = judge(&[&input], &out, &flags);
    assert!(
        status == 0 && again.contains("5 by an earlier call"),
        "{again}"
    );
    let old = out.to_string_lossy().into_owned();
    let (status, text) = judge(
        &[&input],
        &in_folder("now"),
        &["--policy", "robots", "--diff", &old],
    );
    assert_eq!(status, 0, "{text}");
    assert_eq!(
        fs::read_to_string(in_folder("_now.judge/removed.txt")).expect("a list"),
        ""
    );
    let explained = run(
        &["explain", "--judged", &old, "l", "--tables", &tables()],
        b"",
    );
    assert!(String::from_utf8_lossy(&explained.stdout).contains("dropped: site_unknown"));
    // A file of other bytes: what an earlier call has written for it does not stay.
    write("kept.jsonl", &[&lost]);
    write("lost.jsonl", &[&kept]);
    let (status, text) = judge(&[&input], &out, &flags);
    assert_eq!(status, 0, "{text}");
    assert_eq!(names(&out), ["both.jsonl", "lost.jsonl"]);
    assert_eq!(
        names(&dropped),
        ["both.jsonl", "kept.jsonl", "lost.jsonl.zst"]
    );
    // A stream is whole in any case.
    let stream = run(
        &[
            "judge",
            "-q",
            "--tables",
            &tables(),
            "--policy",
            "robots",
            "-",
        ],
        &packed,
    );
    assert_eq!((stream.status.code(), stream.stdout.len()), (Some(0), 0));
}

/// Writes documents of which the last two columns are of the old type, one in a struct.
fn write_old(file: &Path, rows: &[(&str, i64)]) {
    let old = |name: &str| {
        let column = Type::primitive_type_builder(name, PhysicalType::INT96);
        Arc::new(
            column
                .with_repetition(Repetition::REQUIRED)
                .build()
                .expect("a type"),
        )
    };
    let url = Type::primitive_type_builder("url", PhysicalType::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED);
    let about = Type::group_type_builder("about").with_repetition(Repetition::REQUIRED);
    let about = Arc::new(
        about
            .with_fields(vec![old("seen")])
            .build()
            .expect("a type"),
    );
    let fields = vec![Arc::new(url.build().expect("a type")), old("date"), about];
    let root = Type::group_type_builder("spark_schema")
        .with_fields(fields)
        .build()
        .expect("a type");
    let properties = Arc::new(WriterProperties::builder().build());
    let file = File::create(file).expect("a file");
    let mut writer = SerializedFileWriter::new(file, Arc::new(root), properties).expect("Parquet");
    let mut group = writer.next_row_group().expect("a row group");
    let urls: Vec<ByteArray> = rows.iter().map(|(url, _)| ByteArray::from(*url)).collect();
    let mut column = group.next_column().expect("a column").expect("a column");
    column
        .typed::<ByteArrayType>()
        .write_batch(&urls, None, None)
        .expect("written");
    column.close().expect("written");
    for shift in [0, 1] {
        let time = |(_, seconds): &(&str, i64)| {
            // The day of 1970-01-01 is 2440588.
            let seconds = seconds + shift;
            let nanos = seconds % 86_400 * 1_000_000_000;
            let mut value = Int96::new();
            value.set_data(
                u32::try_from(nanos & 0xffff_ffff).expect("low"),
                u32::try_from(nanos >> 32).expect("high"),
                u32::try_from(seconds / 86_400 + 2_440_588).expect("a day"),
            );
            value
        };
        let times: Vec<Int96> = rows.iter().map(time).collect();
        let mut column = group.next_column().expect("a column").expect("a column");
        column
            .typed::<Int96Type>()
            .write_batch(&times, None, None)
            .expect("written");
        column.close().expect("written");
    }
    group.close().expect("written");
    writer.close().expect("written");
}

#[test]
fn local_times_of_the_old_type_are_read_and_come_out_as_timestamps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("old.parquet"), folder.path().join("out"));
    // 2026-08-10 09:00:00, and before the first robots.txt.
    let rows = [
        ("https://rep.example/private/x", 1_786_352_400),
        ("https://rep.example/", 1_700_000_000),
    ];
    write_old(&input, &rows);
    for (policy, kept) in [
        (None, 2),
        (
            Some("preset = 'robots'\n[unknown]\nsite = 'keep'\naccess = 'keep'\n"),
            1,
        ),
    ] {
        let path = folder.path().join("policy.toml");
        fs::write(&path, policy.unwrap_or_default()).expect("a file");
        let path = path.to_string_lossy().into_owned();
        let flags: &[&str] = if policy.is_some() {
            &["--overwrite", "--policy", &path]
        } else {
            &[]
        };
        let (status, text) = judge(&[&input], &out, flags);
        assert_eq!(status, 0, "{text}");
        let output = out.join("old.parquet");
        let found = rows_of(&output);
        assert_eq!(found.len(), kept);
        let last = found.last().expect("a row");
        assert_eq!(value(last, "date").to_string(), "\"2023-11-14T22:13:20Z\"");
        assert!(
            last.to_string().contains("seen: 2023-11-14 22:13:21"),
            "{last}"
        );
        if policy.is_none() {
            let access: Vec<_> = found.iter().map(|row| value(row, "prefs_access")).collect();
            assert_eq!(access, [json!("disallow"), json!("unknown")]);
        }
        let reader =
            SerializedFileReader::new(File::open(&output).expect("a file")).expect("Parquet");
        let columns = reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns()
            .to_vec();
        assert!(
            columns
                .iter()
                .all(|column| column.physical_type() != PhysicalType::INT96)
        );
    }
}
