//! What an upgrade costs: an output of format 1 is read, and evidence of other lists is continued and resolved.
//!
//! `tests/nightly/format-1` is what `crawlprefs run -q sample-data/local` wrote. Until the first release it is written
//! anew where a column changes: `CRAWLPREFS_WRITE_KEPT=1 cargo test --test nightly kept_output`.

use crate::command::{crawlprefs_in, done, refused};
use crate::files::files;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

const KEPT: &str = "tests/nightly/format-1";

/// Returns a folder with a copy of the kept output, in the folder `kept`.
fn kept() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files(Path::new(KEPT)) {
        let path = folder.path().join("kept").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }
    folder
}

/// Returns the tables in a folder.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| name.ends_with(".parquet") && !name.starts_with("evidence/"));
    files
}

fn sample() -> String {
    let sample = Path::new("sample-data/local")
        .canonicalize()
        .expect("sample-data is in the repository");
    sample.to_string_lossy().into_owned()
}

#[test]
fn local_a_kept_output_of_format_1_is_read() {
    if std::env::var_os("CRAWLPREFS_WRITE_KEPT").is_some() {
        let _ = fs::remove_dir_all(KEPT);
        done(
            Path::new("."),
            &["run", "-q", "sample-data/local", "-o", KEPT],
        );
        fs::remove_dir_all(Path::new(KEPT).join("_known")).ok();
    }
    let folder = kept();
    done(folder.path(), &["run", "-q", &sample(), "-o", "today"]);
    done(folder.path(), &["resolve", "-q", "kept", "-o", "tables"]);
    let [today, of_kept] = ["today", "tables"].map(|name| tables(&folder.path().join(name)));
    assert!(
        !today.is_empty() && today == of_kept,
        "evidence of format 1 gives other tables"
    );
    fs::write(
        folder.path().join("urls.txt"),
        "https://open.example/
",
    )
    .expect("written");
    for tables in ["kept", "today"] {
        done(
            folder.path(),
            &[
                "judge",
                "-q",
                "urls.txt",
                "--tables",
                tables,
                "-o",
                &format!("judged-{tables}"),
            ],
        );
    }
    let [kept, today] =
        ["judged-kept", "judged-today"].map(|name| tables_of_judge(&folder.path().join(name)));
    assert_eq!(kept, today);
}

/// Columns that came after evidence was written are NULL in its rows, also beside newer evidence, and beside newer evidence of the
/// same archives.
#[test]
fn local_evidence_of_before_a_column_is_resolved_with_newer_evidence() {
    let folder = kept();
    let out = folder.path().join("kept");
    rewrite_captures(&out, without_inner_places);
    for name in files(&out)
        .keys()
        .filter(|name| name.starts_with("_manifest/"))
    {
        let text = fs::read_to_string(out.join(name)).expect("a manifest");
        let mut manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        manifest
            .as_object_mut()
            .expect("an object")
            .remove("capture_columns");
        fs::write(
            out.join(name),
            serde_json::to_string_pretty(&manifest).expect("JSON"),
        )
        .expect("written");
    }
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
    let archive = [
        page("https://new.example/", block),
        page("https://new.example/robots.txt", block),
    ]
    .concat();
    fs::write(folder.path().join("new.warc"), archive).expect("written");
    done(
        folder.path(),
        &["run", "-q", &sample(), "new.warc", "-o", "today"],
    );
    done(folder.path(), &["scan", "-q", "new.warc", "-o", "new"]);
    done(
        folder.path(),
        &["resolve", "-q", "kept", "new", "-o", "tables"],
    );
    let [today, mixed] = ["today", "tables"].map(|name| tables(&folder.path().join(name)));
    assert!(
        !today.is_empty() && today == mixed,
        "older evidence gives other tables"
    );
    done(folder.path(), &["scan", "-q", &sample(), "-o", "again"]);
    done(
        folder.path(),
        &["resolve", "-q", "kept", "again", "new", "-o", "both"],
    );
    assert_eq!(tables(&folder.path().join("both")), today);
}

fn page(url: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-08-10T06:00:00Z\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// Returns the documents that `judge` wrote.
fn tables_of_judge(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| !name.starts_with('_') && !name.ends_with(".parquet"));
    assert!(!files.is_empty());
    files
}

/// Writes a file of captures again, with another footer and other rows.
fn rewrite(file: &Path, change: impl Fn(&mut [KeyValue], RecordBatch) -> RecordBatch) {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).expect("a file"))
        .expect("Parquet");
    let mut footer = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .cloned()
        .expect("a footer");
    let rows: Vec<RecordBatch> = reader
        .build()
        .expect("rows")
        .map(|rows| change(&mut footer, rows.expect("rows")))
        .collect();
    footer.retain(|pair| pair.key != "ARROW:schema");
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(footer))
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, rows[0].schema(), Some(properties)).expect("a writer");
    rows.iter()
        .for_each(|rows| writer.write(rows).expect("written"));
    writer.close().expect("written");
    fs::write(file, bytes).expect("written");
}

/// Changes the rows as if they were written with another suffix list, by which every host is its own domain.
fn with_another_suffix_list(footer: &mut [KeyValue], rows: RecordBatch) -> RecordBatch {
    let list = footer
        .iter_mut()
        .find(|pair| pair.key == "crawlprefs.public_suffix_list")
        .expect("the list");
    list.value = Some("another".to_owned());
    let mut columns: Vec<ArrayRef> = rows.columns().to_vec();
    let place = rows
        .schema()
        .index_of("url_host_registered_domain")
        .expect("the column");
    let others: StringArray = (0..columns[place].len())
        .map(|_| Some("another.domain"))
        .collect();
    columns[place] = Arc::new(others);
    RecordBatch::try_new(rows.schema(), columns).expect("rows")
}

/// Changes the rows as if they were written before the columns came.
fn without_inner_places(_: &mut [KeyValue], rows: RecordBatch) -> RecordBatch {
    let is_older = |name: &str| !matches!(name, "inner_filename" | "inner_offset");
    let schema = rows.schema();
    let kept: Vec<usize> = (0..schema.fields().len())
        .filter(|at| is_older(schema.field(*at).name()))
        .collect();
    rows.project(&kept).expect("columns")
}

/// Writes the files of captures again, and their digests in the manifests.
fn rewrite_captures(out: &Path, change: fn(&mut [KeyValue], RecordBatch) -> RecordBatch) {
    let sha1 = |bytes: &[u8]| data_encoding::BASE32.encode(&Sha1::digest(bytes));
    let before = files(out);
    for (name, bytes) in before
        .iter()
        .filter(|(name, _)| name.starts_with("evidence/captures/"))
    {
        rewrite(&out.join(name), change);
        let now = fs::read(out.join(name)).expect("a file");
        for (manifest, text) in before
            .iter()
            .filter(|(name, _)| name.starts_with("_manifest/"))
        {
            let text = String::from_utf8(text.clone()).expect("JSON");
            if text.contains(&sha1(bytes)) {
                let text = text.replace(&sha1(bytes), &sha1(&now)).replace(
                    &format!("\"bytes\": {}", bytes.len()),
                    &format!("\"bytes\": {}", now.len()),
                );
                fs::write(out.join(manifest), text).expect("written");
            }
        }
    }
    assert!(files(out) != before);
}

#[test]
fn local_domains_are_computed_by_the_suffix_list_of_today() {
    let folder = kept();
    let out = folder.path().join("kept");
    done(folder.path(), &["resolve", "-q", "kept", "-o", "today"]);
    rewrite_captures(&out, with_another_suffix_list);
    done(folder.path(), &["resolve", "-q", "kept", "-o", "tables"]);
    let [today, of_another] = ["today", "tables"].map(|name| tables(&folder.path().join(name)));
    assert!(!today.is_empty() && today == of_another);
}

#[test]
fn local_another_format_is_refused_and_known_archives_are_not_read_again() {
    let folder = kept();
    let mark = folder.path().join("kept/_crawlprefs.json");
    let text = fs::read_to_string(&mark).expect("a mark");
    // Known archives are not read again, and new ones are added.
    let before = files(&folder.path().join("kept/evidence"));
    done(folder.path(), &["scan", "-q", &sample(), "-o", "kept"]);
    assert!(files(&folder.path().join("kept/evidence")) == before);
    let archive = fs::read(Path::new(&sample()).join("site.warc")).expect("an archive");
    fs::write(folder.path().join("another.warc"), archive).expect("written");
    done(folder.path(), &["run", "-q", "another.warc", "-o", "kept"]);
    // Another format is refused with what to do.
    fs::write(&mark, text.replace("\"1\"", "\"2\"")).expect("written");
    let ran = crawlprefs_in(folder.path(), &["scan", "-q", "another.warc", "-o", "kept"]);
    refused(
        &ran,
        "written by a newer version of crawlprefs (evidence_format is 2, this one writes 1); use that version",
    );
    let ran = crawlprefs_in(folder.path(), &["resolve", "-q", "kept", "-o", "tables"]);
    refused(
        &ran,
        "its format is 2, this version reads 1; it was written by a newer version of crawlprefs",
    );
}

#[test]
fn local_tables_of_a_newer_version_are_left_to_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(folder.path(), &["run", "-q", &sample(), "-o", "out"]);
    let mark = folder.path().join("out/_resolved.json");
    let text = fs::read_to_string(&mark).expect("a mark");
    for key in ["rules_version", "schema_version"] {
        let newer = text.replace(&format!("\"{key}\": \""), &format!("\"{key}\": \"99"));
        assert!(newer != text, "{key}");
        fs::write(&mark, newer).expect("written");
        for args in [&["resolve", "out"][..], &["run", &sample(), "-o", "out"]] {
            let ran = crawlprefs_in(folder.path(), args);
            refused(
                &ran,
                &format!("written by a newer version of crawlprefs ({key} is 99"),
            );
            assert!(!ran.err.contains("--overwrite"), "{}", ran.err);
        }
        let status = crawlprefs_in(folder.path(), &["status", "out"]);
        assert_eq!(status.status, 3);
        assert!(
            status
                .out
                .contains("use the newer version of crawlprefs that made its tables"),
            "{}",
            status.out
        );
        assert!(!status.out.contains("--overwrite"), "{}", status.out);
    }
}

#[test]
fn local_archives_that_were_read_by_older_rules_are_counted_and_complete() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = ["run", "-q", &sample(), "-o", "out"];
    done(folder.path(), &run);
    let out = folder.path().join("out");
    let manifest = files(&out)
        .into_keys()
        .find(|name| name.starts_with("_manifest/"))
        .expect("a manifest");
    let text = fs::read_to_string(out.join(&manifest)).expect("a manifest");
    let older = text.replace("\"read_rules\": 1", "\"read_rules\": 0");
    assert!(older != text);
    fs::write(out.join(&manifest), &older).expect("written");
    done(folder.path(), &run);
    assert_eq!(
        fs::read_to_string(out.join(&manifest)).expect("a manifest"),
        older
    );
    let status = done(folder.path(), &["status", "out"]);
    assert!(status.out.contains("1 older rules"), "{}", status.out);
}

#[test]
fn local_tables_of_other_rules_are_refused_with_the_difference_and_made_again_when_asked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(folder.path(), &["run", "-q", &sample(), "-o", "out"]);
    let out = folder.path().join("out");
    let today = files(&out);
    for key in ["rules_version", "drafts", "schema_version", "agents_digest"] {
        let text = String::from_utf8(today["_resolved.json"].clone()).expect("JSON");
        let earlier = text.replace(&format!("\"{key}\": \""), &format!("\"{key}\": \"earlier "));
        assert!(earlier != text, "{key}");
        fs::write(out.join("_resolved.json"), earlier).expect("written");
        refused(
            &crawlprefs_in(folder.path(), &["resolve", "out"]),
            &format!("{key} is earlier "),
        );
        let status = crawlprefs_in(folder.path(), &["status", "out"]);
        assert!(
            status.status == 3 && status.out.contains("crawlprefs resolve out --overwrite"),
            "{}",
            status.out
        );
        done(folder.path(), &["resolve", "-q", "out", "--overwrite"]);
        assert!(files(&out) == today, "{key}");
    }
}
