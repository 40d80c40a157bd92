//! The languages that a crawler found in pages, from the metadata records behind them.

use crate::fixture::{archive, run};
use crate::resolved::{resolve, rows, view};
use crate::warc::{record, response};
use std::path::Path;

const CLD2: &str = r#"{"reliable":true,"text-bytes":8646,"languages":[{"code":"zh","code-iso-639-3":"zho","text-covered":0.88,"score":1672.0,"name":"Chinese"},{"code":"en","code-iso-639-3":"eng","text-covered":0.1}]}"#;
const NAME: &str =
    "crawl-data/CC-MAIN-2026-34/segments/1.2/warc/CC-MAIN-20260810060000-20260810090000-00003.warc";
const WAT_NAME: &str = "crawl-data/CC-MAIN-2026-34/segments/1.2/wat/CC-MAIN-20260810060000-20260810090000-00003.warc.wat";

/// A page, and the metadata record behind it: which page it is about, and its line about languages.
type Page<'t> = (u32, Option<(u32, &'t str)>);

const PAGES: [Page<'_>; 7] = [
    (0, Some((0, CLD2))),
    (1, None),
    (2, Some((1, CLD2))),
    (3, Some((3, "{}"))),
    (4, Some((4, "{\"languages\":["))),
    (5, Some((5, r#"{"languages":[{"code-iso-639-3":"deu"}]}"#))),
    (6, Some((6, r#"{"languages":[{"code-iso-639-3":null}]}"#))),
];
const EXPECTED: [Option<&str>; 7] = [Some("zho,eng"), None, None, None, None, Some("deu"), None];

fn id(page: u32) -> String {
    format!("<urn:uuid:00000000-0000-4000-8000-{page:012}>")
}

/// Returns an archive of pages as Common Crawl writes them.
fn warc() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (page, metadata) in PAGES {
        let url = format!("https://a.example/{page}");
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>A page</title>";
        bytes.extend(response(
            &url,
            "06:00:00",
            &format!("WARC-Record-ID: {}\r\n", id(page)),
            block,
        ));
        if let Some((about, value)) = metadata {
            let fields = format!(
                "WARC-Type: metadata\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-08-10T06:00:00Z\r\n\
                 Content-Type: application/warc-fields\r\nWARC-Concurrent-To: {}\r\n",
                id(about)
            );
            let block = format!(
                "fetchTimeMs: 655\r\ncharset-detected: UTF-8\r\nlanguages-cld2: {value}\r\n\r\n"
            );
            bytes.extend(record(&fields, block.as_bytes()));
        }
    }
    bytes
}

/// Returns a WAT that describes the archive.
fn wat() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (page, metadata) in PAGES {
        let url = format!("https://a.example/{page}");
        let head = |kind: &str, more: serde_json::Value| {
            let mut head = serde_json::json!({
                "WARC-Type": kind, "WARC-Target-URI": url, "WARC-Date": "2026-08-10T06:00:00Z", "Content-Length": "66",
            });
            head.as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            head
        };
        let mut add = |head: serde_json::Value, payload: serde_json::Value| {
            let json = serde_json::json!({
                "Container": { "Offset": page.to_string() },
                "Envelope": { "WARC-Header-Metadata": head, "Payload-Metadata": payload },
            });
            bytes.extend(record(
                "WARC-Type: metadata\r\nContent-Type: application/json\r\n",
                json.to_string().as_bytes(),
            ));
        };
        add(
            head(
                "response",
                serde_json::json!({ "WARC-Record-ID": id(page) }),
            ),
            serde_json::json!({ "HTTP-Response-Metadata": {
                "Response-Message": { "Version": "HTTP/1.1", "Status": "200", "Reason": "OK" },
                "Headers-Length": "44", "Headers": { "Content-Type": "text/html" },
            } }),
        );
        if let Some((about, value)) = metadata {
            add(
                head(
                    "metadata",
                    serde_json::json!({ "WARC-Concurrent-To": id(about) }),
                ),
                serde_json::json!({ "WARC-Metadata-Metadata": { "Metadata-Records": [
                    { "Name": "fetchTimeMs", "Value": "655" }, { "Name": "languages-cld2", "Value": value },
                ] } }),
            );
        }
    }
    bytes
}

fn languages(folder: &Path) -> Vec<Option<String>> {
    let rows = rows(folder, "pages");
    rows.iter()
        .map(|row| row.text("content_languages").map(str::to_owned))
        .collect()
}

#[test]
fn wild_languages_of_a_metadata_record_are_those_of_the_page_before_it() {
    for (name, bytes) in [(NAME, warc()), (WAT_NAME, wat())] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let summary = run(vec![archive(name, bytes)], folder.path(), 1);
        assert_eq!(summary.all_captures(), 7, "{name}");
        resolve(folder.path(), folder.path(), &view());
        assert_eq!(
            languages(folder.path()),
            EXPECTED.map(|text| text.map(str::to_owned)),
            "{name}"
        );
    }
}

/// A slice of rows ends between a page and its metadata record, too.
#[test]
fn local_languages_at_the_end_of_a_slice_are_kept() {
    let mut bytes = Vec::new();
    for _ in 0..300 {
        bytes.extend(warc());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(vec![archive(NAME, bytes)], folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    let found = languages(folder.path());
    assert_eq!(found.len(), 2100);
    assert!(
        found
            .chunks(7)
            .all(|chunk| chunk.iter().map(Option::as_deref).eq(EXPECTED))
    );
}
