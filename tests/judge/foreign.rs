//! Files that are no documents are refused, and forms of documents that others write are read.

use crate::fixture::{judge, judged, pages, tables};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

#[test]
fn local_a_file_of_another_format_is_no_list_of_urls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let utf_16: Vec<u8> = "https://a.example/\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let with_mark = [b"\xff\xfe", utf_16.as_slice()].concat();
    let html = b"<!DOCTYPE html>\n<a href=https://a.example/>x</a>\n";
    let warc = b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n";
    for (name, bytes, message) in [
        ("a.parquet", pointer.to_vec(), "it is a pointer of Git LFS"),
        ("b.jsonl", pointer.to_vec(), "it is a pointer of Git LFS"),
        (
            "c.parquet",
            Vec::new(),
            "its name promises Parquet, and it is empty",
        ),
        ("d.parquet", b"PARE....".to_vec(), "it is encrypted Parquet"),
        (
            "e.PQ",
            b"https://a.example/\n".to_vec(),
            "its name promises Parquet",
        ),
        (
            "f.json",
            b"[{\"url\": \"https://a.example/\"}]\n".to_vec(),
            "it is a JSON array",
        ),
        (
            "g.json",
            b"  [\n  {\"url\": \"https://a.example/\"}\n]\n".to_vec(),
            "it is a JSON array",
        ),
        (
            "h.jsonl",
            b"https://a.example/\n".to_vec(),
            "its name promises JSON",
        ),
        ("i.txt", with_mark, "it is UTF-16"),
        ("j.txt", utf_16, "it is binary, or text in UTF-16"),
        ("k.arrow", b"ARROW1\0\0".to_vec(), "it is Arrow IPC"),
        ("l.avro", b"Obj\x01".to_vec(), "it is Avro"),
        ("m.orc", b"ORC".to_vec(), "it is ORC"),
        (
            "n.jsonl.xz",
            b"\xfd7zXZ\0\0".to_vec(),
            "it is compressed with xz",
        ),
        ("o.zip", b"PK\x03\x04\x14".to_vec(), "it is a ZIP"),
        (
            "p.db",
            b"SQLite format 3\0".to_vec(),
            "it is a database of SQLite",
        ),
        ("q.txt", html.to_vec(), "it is HTML"),
        ("r.txt.gz", gzip(html), "it is HTML"),
        ("s.warc", warc.to_vec(), "it is a WARC"),
        ("t.warc.gz", gzip(warc), "it is a WARC"),
        ("u.jsonl.gz", gzip(b"not json\n"), "its name promises JSON"),
        (
            "v.txt",
            b"a\nb\nhttps://a.example/\n".to_vec(),
            "of its first 3 lines 1 are URLs",
        ),
    ] {
        let (input, out) = (folder.path().join(name), folder.path().join("out"));
        fs::write(&input, bytes).expect("a file");
        let (status, text) = judge(&[&input], &out, &[]);
        assert!(
            status == 3 && text.contains(message),
            "{name}: {status} {text}"
        );
        assert!(!out.join(name).exists(), "{name}");
    }
    // Bad lines among others are documents that cannot be judged.
    assert_eq!(judged("https://a.example/\nx\n", &[]).len(), 2);
}

#[test]
fn local_a_folder_says_what_it_left_out_and_reads_each_known_ending() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir(&input).expect("a folder");
    let line = b"{\"url\":\"https://rep.example/private/x\",\"date\":\"2026-08-10T09:00:00Z\"}\n";
    for name in ["a.jsonlines", "b.jl", "c.JSONL", "d.NdJson"] {
        fs::write(input.join(name), line).expect("a file");
    }
    fs::write(
        input.join("e.jsonl.zstd"),
        zstd::encode_all(&line[..], 3).expect("zstd"),
    )
    .expect("a file");
    for name in ["f.csv", "g.csv.gz", "h.bin", "README"] {
        fs::write(input.join(name), line).expect("a file");
    }
    let (status, text) = judge(&[&input], &out, &[]);
    assert!(
        status == 0 && text.contains("Judged 5 documents of 5 files"),
        "{text}"
    );
    assert!(
        text.contains("not read, by their endings: 1 without an ending, 1 .bin, 2 .csv"),
        "{text}"
    );
}

/// The columns of a nested object, as `pandas.json_normalize` writes them.
#[test]
fn local_flat_names_with_dots_are_found() {
    let line = json!({"metadata.url": "https://rep.example/private/x", "metadata.WARC-Date": "2026/08/10 09:00:00"});
    for flags in [&[][..], &["--url", "metadata.url"]] {
        assert_eq!(
            judged(&line.to_string(), flags)[0]["prefs_access"],
            "disallow",
            "{flags:?}"
        );
    }
    let nested = json!({"metadata": {"WARC-Target-URI": "https://rep.example/private/x", "WARC-Date": "2026-08-10T09:00:00Z"}});
    assert_eq!(
        judged(&nested.to_string(), &[])[0]["prefs_access"],
        "disallow"
    );
}

/// The index of a WACZ names each capture by its place; its list of pages has a first line that is no page.
#[test]
fn local_an_index_and_the_pages_of_a_wacz_are_documents() {
    let (page, _) = pages()
        .into_iter()
        .find(|(page, verdict)| page["id"].is_string() && verdict["access"] == "allow")
        .expect("a page");
    let rows = crate::fixture::rows(&Path::new(&tables()).join("pages"));
    let row = rows
        .iter()
        .find(|row| crate::fixture::value(row, "warc_record_id") == page["id"])
        .expect("a row");
    let text = |name: &str| crate::fixture::value(row, name);
    let (url, file, offset) = (
        &page["url"],
        text("warc_filename"),
        text("warc_record_offset").to_string(),
    );
    let digits: String = page["date"]
        .as_str()
        .expect("a date")
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    let json = json!({"url": url, "filename": file, "offset": offset, "status": "200"});
    let cdxj = format!("example,a)/ {digits} {json}\n");
    let words = |text: &Value| text.as_str().expect("text").to_owned();
    let cdx = format!(
        " CDX N b a m s k r M S V g\nexample,a)/ {digits} {} text/html 200 A - - 9 {offset} {}\n",
        words(url),
        words(&file)
    );
    for lines in [&cdxj, &cdx] {
        let found = judged(lines, &[]);
        assert_eq!(
            [&found[0]["prefs_source"], &found[0]["prefs_access"]],
            ["record", "allow"],
            "{lines}"
        );
        assert_eq!(
            [&found[0]["urlkey"], &found[0]["timestamp"]],
            ["example,a)/", digits.as_str()]
        );
        assert_eq!((found.len(), &found[0]["offset"]), (1, &json!(offset)));
    }
    let header = json!({"format": "json-pages-1.0", "id": "pages", "title": "All"});
    let line =
        json!({"id": "x1", "url": "https://rep.example/private/x", "ts": "2026-08-10T09:00:00Z"});
    let found = judged(&format!("{header}\n{line}\n"), &[]);
    assert_eq!((found.len(), &found[0]), (2, &header));
    assert_eq!(found[1]["prefs_access"], "disallow");
}

/// A full disk behind standard error is no reason to end otherwise.
#[test]
fn local_a_summary_that_cannot_be_written_is_left_out() {
    let tables = tables();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("urls.txt");
    fs::write(&input, "https://a.example/\n").expect("a file");
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let ran = command
        .args(["judge", &input.to_string_lossy(), "--tables", &tables])
        .stderr(full)
        .output();
    let ran = ran.expect("the command runs");
    assert_eq!((ran.status.code(), ran.stdout.is_empty()), (Some(0), false));
}
