//! The order of rows: files of `sites` and runs of `_origins` are sorted, and their footers say so.

use crate::files::files;
use crate::fixture::run;
use crate::resolved::{page, records, resolve, rows, scanned, view};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

/// Returns how the rows of each row group of a file are sorted, by its footer.
fn sorted_by(file: &Path) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(File::open(file).expect("a file")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let columns = |group: &RowGroupMetaData| {
        let columns = group.sorting_columns().into_iter().flatten();
        let place = |number| usize::try_from(number).expect("a place");
        columns
            .map(|sorting| schema.column(place(sorting.column_idx)).path().string())
            .collect()
    };
    reader.metadata().row_groups().iter().map(columns).collect()
}

#[test]
fn local_rows_are_sorted_by_host_and_origin_as_the_footer_says() {
    let urls = [
        "https://www.b.example/",
        "http://z.example/",
        "https://b.example:8443/",
        "http://b.example/",
        "https://a.test/",
        "https://b.example./",
        "http://192.0.2.1/",
        "https://b.example/",
    ];
    let input = |number: usize, urls: &[&str]| {
        let file = format!("CC-MAIN-20260801000000-20260801030000-{number:05}.warc.gz");
        let name = format!("crawl-data/CC-MAIN-2026-34/segments/1785500000000.1/warc/{file}");
        records(
            &name,
            &urls
                .iter()
                .map(|url| page(url, "08:00:00"))
                .collect::<Vec<_>>(),
        )
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Two batches, which know some origins both.
    run(
        vec![input(0, &urls[..5]), input(900, &urls[3..])],
        folder.path(),
        1,
    );
    resolve(folder.path(), folder.path(), &view());
    let found: Vec<String> = rows(folder.path(), "sites")
        .iter()
        .map(|row| row.text("origin").expect("never null").to_owned())
        .collect();
    let sorted = [
        "http://192.0.2.1",
        "http://b.example",
        "https://b.example",
        "https://b.example.",
        "https://b.example:8443",
        "https://www.b.example",
        "http://z.example",
        "https://a.test",
    ];
    assert_eq!(found, sorted);
    for table in ["sites", "_origins"] {
        let parts = files(folder.path())
            .into_keys()
            .filter(|name| name.starts_with(&format!("{table}/")));
        for part in parts.collect::<Vec<_>>() {
            assert_eq!(
                sorted_by(&folder.path().join(&part)),
                [["surt_host_name", "origin"]],
                "{part}"
            );
        }
    }
}

/// Common Crawl's file of a record is a hash of its URL, and each file is sorted.
#[test]
fn local_the_pages_of_a_host_come_together_from_all_archives_of_a_batch() {
    let input = |number: usize, pages: &[&str]| {
        let file = format!("CC-MAIN-20260801000000-20260801030000-{number:05}.warc.gz");
        let name = format!("crawl-data/CC-MAIN-2026-34/segments/1785500000000.1/warc/{file}");
        let pages = pages
            .iter()
            .map(|page_at| page(&format!("https://{page_at}"), "08:00:00"));
        records(&name, &pages.collect::<Vec<_>>())
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archives = [
        input(0, &["a.example/2", "c.example/0", "a.test/1"]),
        input(
            1,
            &["a.example/1", "a.example/3", "b.example/0", "a.test/0"],
        ),
        // Of another batch.
        input(50, &["a.example/0"]),
        // Not sorted.
        input(2, &["c.example/9", "a.example/4"]),
    ];
    run(archives.into(), folder.path(), 2);
    resolve(folder.path(), folder.path(), &view());
    let part = |batch: &str| -> Vec<String> {
        let rows = rows(folder.path(), "pages").into_iter();
        let of_batch = rows.filter(|row| {
            row.text("warc_filename")
                .expect("never null")
                .contains(batch)
        });
        of_batch
            .map(|row| row.text("url").expect("never null")["https://".len()..].to_owned())
            .collect()
    };
    let expected = [
        "a.example/2",
        "a.example/1",
        "a.example/3",
        "b.example/0",
        "c.example/0",
        "c.example/9",
        "a.example/4",
        "a.test/1",
        "a.test/0",
    ];
    assert_eq!(part("-0000"), expected);
    assert_eq!(part("-00050"), ["a.example/0"]);
}

#[test]
fn local_row_groups_of_pages_and_sites_have_bloom_filters() {
    let folder = scanned(&[
        page("http://b.example/", "08:00:00"),
        page("https://www.a.example/", "08:00:00"),
    ]);
    resolve(folder.path(), folder.path(), &view());
    for (table, wanted) in [
        (
            "sites/",
            &["url_host_name", "url_host_registered_domain"][..],
        ),
        (
            "pages/",
            &[
                "url_host_name",
                "url_host_registered_domain",
                "surt_host_name",
                "warc_record_id",
            ],
        ),
        ("robots/", &[]),
    ] {
        let part = files(folder.path())
            .into_keys()
            .find(|name| name.starts_with(table))
            .expect("a part");
        let reader =
            SerializedFileReader::new(File::open(folder.path().join(part)).expect("a file"))
                .expect("Parquet");
        for group in reader.metadata().row_groups() {
            let filtered = group
                .columns()
                .iter()
                .filter(|column| column.bloom_filter_offset().is_some());
            let mut names: Vec<String> = filtered
                .map(|column| column.column_path().string())
                .collect();
            names.sort_unstable();
            let mut wanted = wanted.to_vec();
            wanted.sort_unstable();
            assert_eq!(names, wanted, "{table}");
        }
    }
}
