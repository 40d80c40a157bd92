//! Parquet that is damaged: what is wrong with a file costs that file.
//!
//! `tests/hostile/flips.py` does the same for every byte, and for tables and evidence.

use crate::fixture::{judge, tables, write_parquet};
use crate::rounds::rounds;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, StringArray};
use parquet::arrow::ArrowWriter;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Documents whose columns are encoded in several ways.
fn documents(file: &Path) {
    let urls = (0..40).map(|row| format!("https://a.example/{row}"));
    let mut words = ListBuilder::new(StringBuilder::new());
    for row in 0..40 {
        words.append_option(
            (row % 3 > 0).then(|| (0..row % 5).map(|at| (at % 2 > 0).then(|| at.to_string()))),
        );
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("url", Arc::new(StringArray::from_iter_values(urls))),
        (
            "n",
            Arc::new(Int64Array::from_iter(
                (0..40).map(|row| (row % 7 > 0).then_some(row)),
            )),
        ),
        (
            "date",
            Arc::new(StringArray::from_iter_values(
                (0..40).map(|row| format!("2026-08-{:02}", row % 4 + 1)),
            )),
        ),
        ("words", Arc::new(words.finish())),
    ];
    write_parquet(file, columns);
}

/// Judges files in one process with little address space; returns the exit status and what was reported.
fn judge_bounded(inputs: &Path, out: &Path, mib: u32) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    let bounded = format!("ulimit -v {}; exec \"$0\" \"$@\"", mib << 10);
    command.args(["-c", &bounded, env!("CARGO_BIN_EXE_crawlprefs"), "judge"]);
    command
        .arg(inputs)
        .args(["-j", "1", "--memory-limit", "256M", "--tables", &tables()])
        .arg("-o")
        .arg(out);
    let ran = command.output().expect("the command ends");
    let text =
        String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    (ran.status.code(), text)
}

#[test]
fn local_a_damaged_file_costs_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (inputs, out, good) = (
        folder.path().join("in"),
        folder.path().join("out"),
        folder.path().join("good"),
    );
    fs::create_dir(&inputs).expect("a folder");
    documents(&good);
    let bytes = fs::read(&good).expect("a file");
    for name in ["000.parquet", "zzz.parquet"] {
        fs::copy(&good, inputs.join(name)).expect("a copy");
    }
    let mut files = 2;
    for (at, flip) in (0..bytes.len())
        .step_by(rounds(52, 13))
        .zip([0x01_u8, 0x80, 0xff, 0x10, 0x7f].into_iter().cycle())
    {
        let mut damaged = bytes.clone();
        damaged[at] ^= flip;
        fs::write(inputs.join(format!("a{at}.parquet")), damaged).expect("a file");
        files += 1;
    }
    let (status, text) = judge_bounded(&inputs, &out, 3000);
    assert_eq!(status, Some(3), "{text}");
    assert!(
        !text.contains("panicked") && text.contains(&format!(" of {files} inputs failed")),
        "{text}"
    );
    for name in ["000.parquet", "zzz.parquet"] {
        assert!(out.join(name).exists() && !text.contains(name), "{text}");
    }
    let (again, failed) = judge_bounded(&inputs, &out, 3000);
    let warnings = |text: &str| {
        text.lines()
            .filter(|line| line.contains("warning"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!((again, warnings(&failed)), (status, warnings(&text)));
}

#[test]
fn local_a_dictionary_of_long_urls_is_read_in_small_slices() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("a.parquet"), folder.path().join("out"));
    let url = format!("https://rep.example/{}", "a".repeat(1 << 20));
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
        url.as_str(),
        100,
    )));
    let rows = arrow_array::RecordBatch::try_from_iter([("url", urls)]).expect("columns");
    let file = fs::File::create(&input).expect("a file");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).expect("Parquet");
    for _ in 0..7 {
        writer.write(&rows).expect("written");
    }
    writer.close().expect("written");
    // As many bytes of URLs as there are addresses.
    let (status, text) = judge_bounded(&input, &out, 700);
    assert!(
        status == Some(0) && text.contains("could not be judged, so unknown: 700"),
        "{text}"
    );
}

#[test]
fn local_a_schema_that_is_too_deep_and_lengths_beyond_the_file_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("a.parquet"), folder.path().join("out"));
    // 1: version 1; 2: a list of 200,000 elements that each contain the next one.
    let element = [0x48, 1, b'a', 0x15, 2, 0];
    let deep = [
        &[0x15, 2, 0x19, 0xfc, 0xc0, 0x9a, 0x0c][..],
        &element.repeat(200_000),
    ]
    .concat();
    let wide = vec![0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f];
    for footer in [deep, wide] {
        let length = u32::try_from(footer.len()).expect("short").to_le_bytes();
        fs::write(&input, [&b"PAR1"[..], &footer, &length, b"PAR1"].concat()).expect("a file");
        let (status, text) = judge(&[&input], &out, &[]);
        assert!(
            status == 3 && text.contains("a.parquet: Invalid Parquet file: its footer "),
            "{text}"
        );
    }
}
