//! Reads the tables of a scan back, with the crate parquet's own row reader.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

/// What a test wants of a row of `captures`.
pub struct Capture {
    pub file: String,
    pub subset: Option<String>,
    pub record_type: String,
    pub kind: String,
    pub media_type: Option<String>,
    pub status: Option<i16>,
    /// `header:name`, `meta:name`, `http_equiv:name`.
    pub signals: BTreeSet<String>,
}

/// A row of `archives`, its numbers by name and its records by type.
pub struct ArchiveCounts {
    pub outcome: String,
    pub numbers: BTreeMap<String, i64>,
    pub by_type: BTreeMap<String, i64>,
}

/// Scans a folder with the command and returns where the tables are.
pub fn scan(folder: &Path, args: &[&str]) -> tempfile::TempDir {
    let folder = folder.to_str().expect("a path in UTF-8");
    scan_with(&[args, &[folder]].concat())
}

/// Scans what the arguments name and returns where the tables are.
pub fn scan_with(args: &[&str]) -> tempfile::TempDir {
    let out = tempfile::tempdir().expect("a temporary folder");
    let status = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["scan", "-q", "--max-failed", "1000"])
        .args(args)
        .arg("-o")
        .arg(out.path())
        .status()
        .expect("the command starts");
    assert!(status.success(), "{status}");
    out
}

/// Returns the rows of `captures`.
pub fn captures(out: &Path) -> Vec<Capture> {
    rows(out, "captures").iter().map(capture).collect()
}

/// Returns the rows of `archives` by file.
pub fn archives(out: &Path) -> BTreeMap<String, ArchiveCounts> {
    // The tables of inputs are written when the evidence is resolved.
    let resolve = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["resolve", "-q"])
        .arg(out)
        .status();
    assert!(resolve.expect("the command starts").success());
    let row = |row: Row| {
        let mut counts = ArchiveCounts {
            outcome: String::new(),
            numbers: BTreeMap::new(),
            by_type: BTreeMap::new(),
        };
        let mut file = String::new();
        for (name, field) in row.get_column_iter() {
            match (name.as_str(), field) {
                ("warc_filename", Field::Str(text)) => file.clone_from(text),
                ("outcome", Field::Str(text)) => counts.outcome.clone_from(text),
                ("records_by_type", Field::ListInternal(list)) => {
                    counts.by_type = list.elements().iter().map(type_count).collect();
                }
                (_, Field::Long(number)) => drop(counts.numbers.insert(name.clone(), *number)),
                _ => {}
            }
        }
        (file, counts)
    };
    rows(out, "archives").into_iter().map(row).collect()
}

fn rows(out: &Path, table: &str) -> Vec<Row> {
    rows_of(&out.join("evidence").join(table))
}

/// Returns the rows of a table by its folder.
pub fn rows_of(table: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for crawl in fs::read_dir(table).expect("the table is there") {
        for part in fs::read_dir(crawl.expect("a partition").path()).expect("a folder") {
            let file = File::open(part.expect("a part").path()).expect("a part");
            let reader = SerializedFileReader::new(file).expect("Parquet");
            rows.extend(
                reader
                    .get_row_iter(None)
                    .expect("rows")
                    .map(|row| row.expect("a row")),
            );
        }
    }
    rows
}

fn text(fields: &BTreeMap<&str, &Field>, name: &str) -> Option<String> {
    match fields.get(name) {
        Some(Field::Str(text)) => Some(text.clone()),
        Some(_) | None => None,
    }
}

fn capture(row: &Row) -> Capture {
    let fields: BTreeMap<&str, &Field> = row
        .get_column_iter()
        .map(|(name, field)| (name.as_str(), field))
        .collect();
    let signals = match fields.get("signals") {
        Some(Field::ListInternal(list)) => list.elements().iter().map(signal).collect(),
        Some(_) | None => BTreeSet::new(),
    };
    Capture {
        file: text(&fields, "warc_filename").expect("never null"),
        subset: text(&fields, "subset"),
        record_type: text(&fields, "record_type").expect("never null"),
        kind: text(&fields, "kind").expect("never null"),
        media_type: text(&fields, "content_mime_type"),
        status: match fields.get("fetch_status") {
            Some(Field::Short(status)) => Some(*status),
            Some(_) | None => None,
        },
        signals,
    }
}

fn signal(element: &Field) -> String {
    let Field::Group(group) = element else {
        panic!("a struct, not {element:?}")
    };
    let fields: BTreeMap<&str, &Field> = group
        .get_column_iter()
        .map(|(name, field)| (name.as_str(), field))
        .collect();
    format!(
        "{}:{}",
        text(&fields, "carrier").expect("never null"),
        text(&fields, "name").expect("never null")
    )
}

fn type_count(element: &Field) -> (String, i64) {
    let Field::Group(group) = element else {
        panic!("a struct, not {element:?}")
    };
    let mut name = String::new();
    let mut records = 0;
    for (column, field) in group.get_column_iter() {
        match (column.as_str(), field) {
            ("record_type", Field::Str(text)) => name.clone_from(text),
            ("records", Field::Long(number)) => records = *number,
            _ => {}
        }
    }
    (name, records)
}
