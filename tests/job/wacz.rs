//! A WACZ: its own index joins the rows, and what its package says of its archives marks them.

use crate::fixture::{input, run};
use crate::resolved::{page, resolve, response, robots, rows, view};
use crate::zipped::{Method, zipped};
use crawlprefs::archive::{FileSource, Input};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .expect("memory")
}

/// An entry of a CDXJ: the URL, the name of the archive, and the offset in it.
type Entry = (String, Option<String>, Option<i64>);

/// Returns an archive of records, a gzip member each, and its entries in the index of its WACZ.
fn indexed(name: &str, records: &[(&str, String)]) -> (Vec<u8>, Vec<Entry>) {
    let (mut archive, mut entries) = (Vec::new(), Vec::new());
    for (url, record) in records {
        let offset = i64::try_from(archive.len()).expect("short");
        entries.push(((*url).to_owned(), Some(name.to_owned()), Some(offset)));
        archive.extend(gzip(record));
    }
    (archive, entries)
}

/// A revisit, which waits for its original in the other archive.
fn revisit(url: &str, at: &str) -> String {
    let block = "HTTP/1.1 200 OK\r\n\r\n";
    format!(
        "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-08-10T{at}Z\r\nWARC-Refers-To: <urn:uuid:1>\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn collection(host: &str) -> (Vec<u8>, Vec<Entry>) {
    let [first, second, file] =
        ["a", "b", "robots.txt"].map(|path| format!("https://{host}/{path}"));
    let moved = response(&second, "06:00:02", 302, "Location: /a\r\n", "");
    let (one, mut entries) = indexed(
        "data.warc.gz",
        &[
            (&file, revisit(&file, "05:00:00")),
            (&first, page(&first, "06:00:00")),
        ],
    );
    let (other, more) = indexed(
        "sub/more.warc.gz",
        &[
            (&second, moved),
            (
                &file,
                robots(host, "05:30:00", "User-agent: *\nDisallow: /b\n"),
            ),
        ],
    );
    entries.extend(more);
    let wacz = zipped(&[
        ("pages/pages.jsonl", Method::Deflated, b"{}"),
        ("archive/data.warc.gz", Method::Stored, &one),
        ("indexes/index.cdx", Method::Stored, b""),
        ("archive/sub/more.warc.gz", Method::Stored, &other),
    ]);
    (wacz, entries)
}

fn source(folder: &Path, name: &str, bytes: &[u8]) -> Input {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    input(name, Arc::new(FileSource::new(path)))
}

fn entries(folder: &Path, table: &str) -> BTreeSet<Entry> {
    let text = |row: &crate::resolved::Fields, name: &str| row.text(name).map(str::to_owned);
    let entry = |row: &crate::resolved::Fields| {
        (
            text(row, "url").expect("never null"),
            text(row, "inner_filename"),
            row.number("inner_offset"),
        )
    };
    rows(folder, table).iter().map(entry).collect()
}

/// Returns the entries of captures and of pages.
fn scanned(inputs: Vec<Input>) -> [BTreeSet<Entry>; 2] {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(inputs, folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    ["evidence/captures", "pages"].map(|table| entries(folder.path(), table))
}

fn pages_of(entries: &BTreeSet<Entry>) -> BTreeSet<Entry> {
    entries
        .iter()
        .filter(|(url, ..)| !url.ends_with("/robots.txt"))
        .cloned()
        .collect()
}

#[test]
fn wacz_1_1_1_the_index_of_a_collection_joins_its_captures_and_pages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (wacz, index) = collection("a.example");
    let index: BTreeSet<Entry> = index.into_iter().collect();
    let [captures, pages] = scanned(vec![source(folder.path(), "a.wacz", &wacz)]);
    assert_eq!(captures, index);
    assert_eq!(pages, pages_of(&index));
    // Of several collections in a ZIP, each has its name before its own.
    let (other, more) = collection("b.example");
    let zip = zipped(&[
        ("x.wacz", Method::Stored, &wacz),
        ("y.wacz", Method::Stored, &other),
    ]);
    let named = |entries: &mut dyn Iterator<Item = Entry>, wacz: &str| {
        entries
            .map(|(url, name, at)| (url, name.map(|name| format!("{wacz}/{name}")), at))
            .collect::<Vec<_>>()
    };
    let index: BTreeSet<Entry> = named(&mut index.into_iter(), "x.wacz")
        .into_iter()
        .chain(named(&mut more.into_iter(), "y.wacz"))
        .collect();
    let [captures, pages] = scanned(vec![source(folder.path(), "all.zip", &zip)]);
    assert_eq!(captures, index);
    assert_eq!(pages, pages_of(&index));
}

#[test]
fn local_an_archive_outside_of_a_collection_has_no_inner_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = "https://a.example/a";
    let found = scanned(vec![source(
        folder.path(),
        "a.warc",
        page(url, "06:00:00").as_bytes(),
    )]);
    assert_eq!(
        found,
        [(); 2].map(|()| BTreeSet::from([(url.to_owned(), None, None)]))
    );
}

/// The captures of an archive that is not the one of the package stay, and the failure has its name.
#[test]
fn wacz_1_1_1_captures_of_an_archive_that_is_another_one_are_marked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [first, second] =
        ["a", "b"].map(|path| page(&format!("https://a.example/{path}"), "06:00:00"));
    let hash = |text: &str| data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    let resource = |name: &str, hash: &str| {
        format!(r#"{{"path": "archive/{name}", "hash": "sha256:{hash}"}}"#)
    };
    let resources = [
        resource("a.warc", &hash(&first)),
        resource("b.warc", &hash("another one")),
        resource("c.warc", &hash("it is not there")),
    ];
    let package = format!(r#"{{"resources": [{}]}}"#, resources.join(","));
    let wacz = zipped(&[
        ("archive/a.warc", Method::Stored, first.as_bytes()),
        ("archive/b.warc", Method::Stored, second.as_bytes()),
        ("datapackage.json", Method::Deflated, package.as_bytes()),
    ]);
    let out = tempfile::tempdir().expect("a temporary folder");
    let summary = run(vec![source(folder.path(), "a.wacz", &wacz)], out.path(), 1);
    assert_eq!((summary.all_captures(), summary.records_lost), (2, 1));
    resolve(out.path(), out.path(), &view());
    let marked: BTreeSet<(Option<String>, String)> = rows(out.path(), "evidence/failures")
        .iter()
        .map(|row| {
            (
                row.text("inner_filename").map(str::to_owned),
                row.text("kind").expect("never null").to_owned(),
            )
        })
        .collect();
    let digest = |name: &str| (Some(name.to_owned()), "digest".to_owned());
    assert_eq!(marked, BTreeSet::from([digest("b.warc"), digest("c.warc")]));
    let of_marked = entries(out.path(), "evidence/captures")
        .into_iter()
        .filter(|(_, name, _)| marked.contains(&(name.clone(), "digest".to_owned())));
    assert_eq!(
        of_marked.map(|(url, ..)| url).collect::<Vec<_>>(),
        ["https://a.example/b"]
    );
}

/// What is in the ZIP is read or reported, wherever it is; and what its package names and it lacks is lost.
#[test]
fn know_1_no_archive_of_a_wacz_is_passed_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [first, second] =
        ["a", "b"].map(|path| page(&format!("https://a.example/{path}"), "06:00:00"));
    let (first, second) = (first.as_bytes(), second.as_bytes());
    let inner = |bytes| zipped(&[("archive/b.warc", Method::Stored, bytes)]);
    let [one, other] = [first, second].map(inner);
    let deep = zipped(&[("c.wacz", Method::Stored, &other)]);
    let with_package = |text: &'static str| {
        vec![
            ("archive/a.warc", Method::Stored, first),
            ("datapackage.json", Method::Stored, text.as_bytes()),
        ]
    };
    let beside = |name: &'static str, bytes| {
        vec![
            ("archive/a.warc", Method::Stored, first),
            (name, Method::Stored, bytes),
        ]
    };
    for (files, expected) in [
        (
            vec![
                ("a.wacz", Method::Stored, &one[..]),
                ("b.WACZ", Method::Stored, &other),
            ],
            (2, 0),
        ),
        (beside("b.wacz", &other), (2, 0)),
        (beside("b.warc", second), (2, 0)),
        (beside("Archive/b.WARC", second), (2, 0)),
        (beside("__MACOSX/._b.warc", b"x"), (1, 0)),
        (vec![("a.wacz", Method::Stored, &deep)], (0, 1)),
        (
            with_package(r#"{"resources": [{"path": "archive/b.warc", "hash": "md5:0"}]}"#),
            (1, 1),
        ),
        (
            with_package(r#"{"resources": [{"path": "archive/b.warc"}]}"#),
            (1, 1),
        ),
        (
            with_package(r#"{"resources": [{"path": "b.wacz", "hash": null}]}"#),
            (1, 1),
        ),
        (
            with_package(
                "\u{feff}{\"resources\": [{\"path\": \"archive/b.warc\", \"hash\": null}]}",
            ),
            (1, 1),
        ),
        (
            with_package(
                r#"{"resources": [{"path": "archive/a.warc", "hash": null}, {"path": "pages/pages.jsonl"}]}"#,
            ),
            (1, 0),
        ),
        (
            with_package(r#"{"resources": [{"path": "archive/a.warc""#),
            (1, 1),
        ),
    ] {
        let out = tempfile::tempdir().expect("a temporary folder");
        let summary = run(
            vec![source(folder.path(), "a.wacz", &zipped(&files))],
            out.path(),
            1,
        );
        let names: Vec<_> = files
            .iter()
            .map(|(name, _, bytes)| (name, bytes.len()))
            .collect();
        assert_eq!(
            (summary.all_captures(), summary.records_lost),
            expected,
            "{names:?}"
        );
    }
}
