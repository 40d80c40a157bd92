//! The pages of a WACZ, judged without unpacking it.

use crate::fixture::{judge, run, tables};
use crate::warc::response;
use crate::zipped::{Method, zipped};
use serde_json::Value;
use std::fs;
use std::path::Path;

const HEADER: &str = r#"{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}"#;
const CLOSED: &str =
    r#"{"id": "1db0ef70", "url": "https://rep.example/private/x", "ts": "2026-08-10T09:00:00Z"}"#;
const OPEN: &str = r#"{"id":"8a8fcd0e-c9f7-4f0e-9b1c-1f6f3f5f0d3c","url":"https://rep.example/guides/new.html","ts":"2026-08-10T09:00:00.123Z"}"#;
const NOBODY: &str = r#"{"url": "https://nobody.example/", "ts": "2026-08-10T09:00:00Z"}"#;

/// Returns a WACZ: its list of pages is deflated, and the list of further pages ends within its last line.
fn collection() -> Vec<u8> {
    let pages = format!("{HEADER}\n{CLOSED}\n{OPEN}");
    let further = format!("{HEADER}\r\n{NOBODY}");
    zipped(&[
        ("archive/a.warc.gz", Method::Stored, b""),
        ("pages/extraPages.jsonl", Method::Stored, further.as_bytes()),
        ("pages/pages.jsonl", Method::Deflated, pages.as_bytes()),
    ])
}

fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn access(text: &str) -> Vec<(String, String)> {
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    objects(text)
        .iter()
        .map(|object| (text_of(&object["url"]), text_of(&object["prefs_access"])))
        .collect()
}

const VERDICTS: [(&str, &str); 3] = [
    ("https://rep.example/private/x", "disallow"),
    ("https://rep.example/guides/new.html", "allow"),
    ("https://nobody.example/", "unknown"),
];

fn assert_verdicts(text: &str, times: usize) {
    let found = access(text);
    let found: Vec<_> = found
        .iter()
        .map(|(url, access)| (url.as_str(), access.as_str()))
        .collect();
    assert_eq!(found, VERDICTS.repeat(times), "{text}");
}

/// The pages of both lists come out in one file of lines, without the headers, with their bytes before the verdicts.
#[test]
fn wacz_1_1_1_the_pages_of_a_collection_are_judged_by_one_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (collections, out) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir(&collections).expect("a folder");
    let file = collections.join("spring.wacz");
    fs::write(&file, collection()).expect("a file");
    let ran = run(
        &[
            "judge",
            &file.to_string_lossy(),
            "--tables",
            &tables(),
            "-q",
        ],
        b"",
    );
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    assert_verdicts(&text, 1);
    for (line, page) in text.lines().zip([CLOSED, OPEN, NOBODY]) {
        assert!(line.starts_with(page.trim_end_matches('}')), "{line}");
    }
    for input in [&file, &collections] {
        let (status, said) = judge(&[input], &out, &["--overwrite"]);
        assert!(
            status == 0 && said.contains("Judged 3 documents of 1 file"),
            "{said}"
        );
        assert_eq!(
            fs::read_to_string(out.join("spring.wacz.jsonl")).expect("a file"),
            text
        );
    }
}

#[test]
fn local_the_pages_of_each_file_in_a_zip_of_wacz_files_are_judged() {
    let (inner, bare) = (
        collection(),
        zipped(&[("archive/a.warc.gz", Method::Stored, b"")]),
    );
    let zip = zipped(&[
        ("crawl-0.wacz", Method::Stored, &inner),
        ("crawl-1.wacz", Method::Stored, &bare),
        ("crawl-2.wacz", Method::Stored, &inner),
    ]);
    let ran = run(&["judge", "-", "--tables", &tables(), "-q"], &zip);
    assert_verdicts(&String::from_utf8(ran.stdout).expect("UTF-8"), 2);
}

/// A page whose meta says no is known by its place in the archive of the collection, as the collection's own index has it.
#[test]
fn wacz_1_1_1_the_index_of_a_collection_finds_the_records_of_its_pages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = |url: &str, head: &str| {
        let block =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<head>{head}</head>");
        response(url, "09:00:00", "", block.as_bytes())
    };
    let [closed, other] = ["https://a.example/closed", "https://a.example/other"];
    let first = page(other, "");
    let offset = first.len();
    let archive = [first, page(closed, "<meta name=robots content=noai>")].concat();
    let wacz = zipped(&[("archive/data.warc", Method::Stored, &archive)]);
    let [file, index, out] =
        ["a.wacz", "index.cdxj", "tables"].map(|name| folder.path().join(name));
    fs::write(&file, wacz).expect("a file");
    let line = |url: &str, offset: usize| {
        format!(
            "example,a)/ 20260810090000 {{\"url\": \"{url}\", \"filename\": \"data.warc\", \"offset\": \"{offset}\"}}\n"
        )
    };
    fs::write(
        &index,
        [line(closed, offset), line(other, 0), line(closed, 1)].concat(),
    )
    .expect("a file");
    let [file, index, out] = [file, index, out].map(|path| path.to_string_lossy().into_owned());
    assert!(run(&["run", "-q", &file, "-o", &out], b"").status.success());
    let ran = run(&["judge", "-q", &index, "--tables", &out], b"");
    let found = objects(&String::from_utf8(ran.stdout).expect("UTF-8"));
    let found = found.iter().map(|row| {
        ["prefs_source", "prefs_train_ai"].map(|name| row[name].as_str().expect("text"))
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ["record", "disallow"],
            ["record", "unknown"],
            ["none", "unknown"]
        ]
    );
}

fn refused(folder: &Path, bytes: &[u8]) -> String {
    let file = folder.join("a.wacz");
    fs::write(&file, bytes).expect("a file");
    let out = folder.join("out");
    let (status, text) = judge(&[&file], &out, &[]);
    assert!(
        status == 3 && !out.join("a.wacz.jsonl").exists() && !out.join("a.wacz").exists(),
        "{status} {text}"
    );
    text
}

/// No page of a list is judged if its bytes are not those that were packed, and no other ZIP passes for a collection.
#[test]
fn local_a_collection_that_is_damaged_or_has_no_pages_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let none = zipped(&[("archive/a.warc.gz", Method::Stored, b"")]);
    assert!(refused(folder.path(), &none).contains("it is a ZIP without pages/pages.jsonl"));
    assert!(
        refused(folder.path(), &none[..none.len() - 30])
            .contains("it is a ZIP that cannot be read")
    );
    let mut damaged = collection();
    let at = damaged
        .windows(6)
        .position(|bytes| bytes == b"nobody")
        .expect("the page");
    damaged[at] = b'k';
    assert!(
        refused(folder.path(), &damaged).contains("the bytes do not match the checksum in the ZIP")
    );
}
