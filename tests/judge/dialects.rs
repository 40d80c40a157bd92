//! Documents as well-known data sets have them, and the mask of one.
//!
//! The members are those of the data sets' own descriptions; the values are made up.

use crate::fixture::{judge, judged, pages, rows_of, run, tables, write_lines, write_parquet};
use crate::rounds::rounds;
use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

const URL: &str = "https://rep.example/private/x";
const DATE: &str = "2026-08-10T09:00:00Z";
const ARCHIVE: &str =
    "s3://commoncrawl/crawl-data/CC-MAIN-2026-34/segments/1/warc/CC-MAIN-1.warc.gz";
const WET: &str = "<urn:uuid:0b0b7b76-0000-4000-8000-000000000000>";

/// Returns a document of each data set that names the archive of a page, by the name of its dialect.
fn with_archives(page: &Value) -> Vec<(&'static str, Value)> {
    let (id, url, date) = (&page["id"], &page["url"], &page["date"]);
    vec![
        (
            "hplt",
            json!({"f": "crawl/IA-00001.warc.gz", "o": 578_687, "s": 9202, "rs": 102_649, "u": URL, "c": "text/html",
                   "ts": DATE, "de": "utf-8"}),
        ),
        (
            "warc2text",
            json!({"f": "IA-00001.warc.gz", "o": 1, "s": 2, "rs": 3, "ps": 4, "l": "en", "u": URL, "c": "text/html",
                   "ts": DATE, "p": "A text."}),
        ),
        (
            "oscar",
            json!({"content": "A text.", "warc_headers": {"warc-refers-to": id, "warc-date": date,
                   "warc-type": "conversion", "warc-target-uri": url, "warc-record-id": WET},
                   "metadata": {"identification": {"label": "en", "prob": 0.9}}}),
        ),
        (
            "fineweb",
            json!({"text": "A text.", "id": id, "dump": "CC-MAIN-2026-34", "url": url, "date": date,
                   "file_path": ARCHIVE, "language": "en", "language_score": 0.9, "token_count": 2}),
        ),
        (
            "fineweb2",
            json!({"text": "A text.", "id": id, "dump": "CC-MAIN-2026-34", "url": url, "date": date,
                   "file_path": ARCHIVE, "language": "pol", "language_script": "Latn", "language_score": 0.9,
                   "minhash_cluster_size": 3, "top_langs": "{}"}),
        ),
    ]
}

/// Returns a document of each other data set.
fn without_archives() -> Vec<(&'static str, Value)> {
    vec![
        (
            "redpajama",
            json!({"url": URL, "date_download": DATE, "digest": "sha1:X", "length": 7, "nlines": 1,
                   "source_domain": "rep.example", "title": "x", "raw_content": "A text.",
                   "cc_segment": "crawl-data/x.wet.gz", "language": "en", "perplexity": 3.1, "bucket": "head"}),
        ),
        (
            "c4",
            json!({"text": "A text.", "timestamp": DATE, "url": URL}),
        ),
        (
            "common-pile",
            json!({"id": "x1", "text": "A text.", "source": "news", "created": DATE, "added": DATE,
                   "metadata": {"license": "CC BY", "url": URL}}),
        ),
        (
            "dolma",
            json!({"id": "x1", "text": "A text.", "source": "common-crawl", "added": DATE, "created": DATE,
                   "metadata": {"url": URL}}),
        ),
        (
            "laion",
            json!({"SAMPLE_ID": 5, "URL": URL, "TEXT": "a cat", "WIDTH": 1, "HEIGHT": 1, "similarity": 0.3,
                   "LICENSE": "?", "NSFW": "UNLIKELY"}),
        ),
    ]
}

#[test]
fn local_a_document_of_each_data_set_is_read_by_its_own_names() {
    let (page, _) = pages()
        .into_iter()
        .find(|(page, verdict)| page["id"].is_string() && verdict["access"] == "allow")
        .expect("an open page");
    let id = page["id"].as_str().expect("an id");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let documents: Vec<_> = with_archives(&page)
        .into_iter()
        .chain(without_archives())
        .collect();
    assert_eq!(documents.len(), crawlprefs::judge::files::DIALECTS.len());
    for (name, document) in documents {
        let (input, out) = (folder.path().join("a.jsonl"), folder.path().join("out"));
        write_lines(&input, [&document]);
        let (status, text) = judge(&[&input], &out, &["--overwrite"]);
        assert!(
            status == 0 && text.contains(&format!("\n  read as {name}: 1 file\n")),
            "{name}: {text}"
        );
        let line = fs::read_to_string(out.join("a.jsonl")).expect("an output");
        let found: Value = serde_json::from_str(&line).expect("JSON");
        let expected = match name {
            "laion" => ["unknown", "site", "undated"],
            // Their ids are those of the record.
            "oscar" | "fineweb" | "fineweb2" => [
                "allow",
                "record",
                found["prefs_reason"].as_str().expect("text"),
            ],
            _ => ["disallow", "site", "rule"],
        };
        let found = ["prefs_access", "prefs_source", "prefs_reason"].map(|name| &found[name]);
        assert_eq!(found, expected, "{name}");
        let given = judged(
            &document.to_string(),
            &["--dialect", name, "--at", "newest"],
        );
        assert_ne!(given[0]["prefs_reason"], "url_missing", "{name}");
    }
    let plain = json!({"url": page["url"], "date": page["date"], "id": id, "more": 1}).to_string();
    assert_eq!(judged(&plain, &[])[0]["prefs_source"], "record");
    // An id that somebody added to the documents of a data set counts.
    let added =
        json!({"url": page["url"], "timestamp": page["date"], "text": "x", "warc_record_id": id})
            .to_string();
    assert_eq!(judged(&added, &[])[0]["prefs_source"], "record");
    let other = run(
        &["judge", "-", "--tables", &tables(), "--dialect", "c5"],
        b"",
    );
    assert!(String::from_utf8_lossy(&other.stderr).contains("expected one of warc2text, hplt,"));
}

/// Returns the lines of a mask.
fn mask(file: &Path) -> Vec<bool> {
    let mut text = String::new();
    let file = File::open(file).expect("a mask");
    zstd::stream::read::Decoder::new(file)
        .expect("zstd")
        .read_to_string(&mut text)
        .expect("text");
    let line = |line: &str| match line {
        "{\"allowed\": true}" => true,
        "{\"allowed\": false}" => false,
        other => panic!("{other}"),
    };
    text.lines().map(line).collect()
}

#[test]
fn local_a_mask_has_the_verdict_of_each_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = pages();
    let row = |number: usize| {
        let (page, _) = &pages[number % pages.len()];
        let url = page["url"].as_str().expect("a URL");
        // Other pages of the same sites.
        let url = if number < pages.len() {
            url.to_owned()
        } else {
            format!("{url}{number}")
        };
        json!({"f": "x/IA.warc.gz", "o": number, "s": 1, "rs": 1, "u": url, "c": "text/html", "ts": page["date"]})
    };
    let rows: Vec<Value> = (0..rounds(4_000, 20_000)).map(row).collect();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    write_lines(Path::new(&path("plain")), &rows);
    let plain = fs::read(path("plain")).expect("lines");
    fs::write(
        path("metadata.zst"),
        zstd::encode_all(plain.as_slice(), 1).expect("zstd"),
    )
    .expect("a file");
    let (tables, metadata, allowed) = (tables(), path("metadata.zst"), path("allowed.zst"));
    let ran = run(
        &[
            "judge", &metadata, "--tables", &tables, "--policy", "labels", "--mask", &allowed,
        ],
        b"",
    );
    let text =
        String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success() && text.contains("read as hplt: 1 file"),
        "{text}"
    );
    let lines = String::from_utf8(plain).expect("UTF-8");
    let verdicts = judged(&lines, &[]);
    let keeps = |verdict: &Value| {
        let is_no = |name: &str| verdict[name] == "disallow";
        verdict["prefs_access"] == "allow"
            && !is_no("prefs_train_ai")
            && !is_no("prefs_train_genai")
    };
    let expected: Vec<bool> = verdicts.iter().map(keeps).collect();
    let found = mask(Path::new(&allowed));
    assert_eq!(found.len(), rows.len());
    assert_eq!(found, expected);
    assert!(expected.iter().any(|allowed| *allowed) && expected.iter().any(|allowed| !*allowed));
}

#[test]
fn local_a_mask_with_another_number_of_lines_is_not_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (tables, input, allowed) = (tables(), path("m.jsonl"), path("allowed.zst"));
    let row = json!({"u": URL, "ts": DATE, "f": "a", "o": 1}).to_string();
    for lines in [
        format!("{row}\n\n{row}\n"),
        format!("{row}\n{{\"u\": \"https://a.exa"),
    ] {
        fs::write(&input, lines).expect("a file");
        let ran = run(
            &[
                "judge", &input, "--tables", &tables, "--policy", "labels", "--mask", &allowed,
            ],
            b"",
        );
        let text = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            ran.status.code() == Some(3) && text.contains("line 2: "),
            "{text}"
        );
        assert!(!Path::new(&allowed).exists());
    }
    let ran = run(
        &["judge", &input, "--tables", &tables, "--mask", &allowed],
        b"",
    );
    assert_eq!(ran.status.code(), Some(2), "a mask without a policy");
}

/// An id of the data set's own, or none, does not hide that of the record.
#[test]
fn local_the_records_id_counts_beside_another_id() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = pages();
    let (page, _) = pages.first().expect("a page");
    let other = "<urn:uuid:00000000-0000-4000-8000-000000000000>";
    let own = page["id"].as_str().expect("an id");
    let ids = [
        (None, "warc_record_id"),
        (Some("doc-1"), "warc_record_id"),
        (Some(other), "warc_id"),
        // A dot may be part of a column's name.
        (Some(other), "metadata.warc_record_id"),
        (Some("doc-1"), "record_id"),
    ];
    for (number, (id, name)) in ids.into_iter().enumerate() {
        let document = json!({"url": page["url"], "date": page["date"], "id": id, name: own});
        let found = &judged(&document.to_string(), &[])[0];
        assert_eq!(found["prefs_source"], "record", "{document}");
        let (file, out) = (
            folder.path().join(format!("{number}.parquet")),
            folder.path().join(format!("out{number}")),
        );
        let column = |text: Option<&str>| Arc::new(StringArray::from(vec![text])) as ArrayRef;
        write_parquet(
            &file,
            vec![
                ("url", column(page["url"].as_str())),
                ("date", column(page["date"].as_str())),
                ("id", column(id)),
                (name, column(Some(own))),
            ],
        );
        let (status, text) = judge(&[&file], &out, &[]);
        assert_eq!(status, 0, "{text}");
        let rows = rows_of(&out.join(format!("{number}.parquet")));
        assert!(
            rows[0].to_string().contains("prefs_source: \"record\""),
            "{}",
            rows[0]
        );
    }
    // The id that is named is the only one.
    let document = json!({"url": page["url"], "id": "doc-1", "warc_record_id": own}).to_string();
    assert_ne!(
        judged(&document, &["--id", "id"])[0]["prefs_source"],
        "record"
    );
}
