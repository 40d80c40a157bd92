//! Documents in JSON lines and lists of URLs.

use crate::fixture::{ALL, judge, judged, list, pages, write_lines};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;

const NAMES: [&str; 12] = [
    "access",
    "disallowed_agents",
    "robots_state",
    "unread",
    "doubt",
    "not_seen",
    "search",
    "train_ai",
    "train_genai",
    "ai_input",
    "tdm",
    "reason",
];

#[test]
fn local_a_document_with_a_record_id_has_the_verdict_of_that_page() {
    let pages = pages();
    let lines: String = pages
        .iter()
        .map(|(document, _)| document.to_string() + "\n")
        .collect();
    let judged = judged(&lines, &["--columns", ALL]);
    assert_eq!(judged.len(), 93);
    let mut by_record = 0;
    for (line, (document, verdict)) in judged.iter().zip(&pages) {
        assert_eq!(line["url"], document["url"]);
        if document["id"].is_null() {
            continue;
        }
        assert_eq!(line["prefs_source"], "record", "{line}");
        by_record += 1;
        for name in NAMES {
            assert_eq!(
                line[format!("prefs_{name}")],
                verdict[name],
                "{name} of {line}"
            );
        }
    }
    assert!(by_record > 80, "{by_record}");
}

#[test]
fn local_the_same_page_by_url_and_date_has_the_same_access_and_no_label_is_allow() {
    let pages = pages();
    let without_id = |(document, _): &(Value, Value)| {
        json!({"url": document["url"], "date": document["date"]}).to_string() + "\n"
    };
    let lines: String = pages.iter().map(without_id).collect();
    let (mut allowed, mut lost) = (0, 0);
    for (line, (_, verdict)) in judged(&lines, &["--columns", ALL]).iter().zip(&pages) {
        assert_ne!(line["prefs_source"], "record");
        for name in ["access", "disallowed_agents", "robots_state"] {
            assert_eq!(
                line[format!("prefs_{name}")],
                verdict[name],
                "{name} of {line}"
            );
        }
        allowed += usize::from(line["prefs_access"] == "allow");
        for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
            assert_ne!(line[format!("prefs_{label}")], "allow", "{label} of {line}");
            lost += usize::from(
                verdict[label] == "disallow" && line[format!("prefs_{label}")] == "disallow",
            );
        }
        let unread = list(&line["prefs_not_seen"]);
        assert!(
            unread.contains(&"header") && unread.contains(&"meta"),
            "{line}"
        );
    }
    assert!(allowed > 20 && lost > 5, "{allowed} {lost}");
}

#[test]
fn local_a_line_keeps_its_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let odd = [
        "{\"url\" : \"https://a.example/\",\t\"n\":1.50, \"u\":\"\\u0041\\/\"} \r\n",
        "\n",
        "  {\"text\":\"}\",\"url\":null}\n",
        "{\"metadata\":{\"url\":\"https://a.example/\"},\"x\":{}}\n",
        "{ }\n",
        "{\"url\":\"not a URL\"}",
    ];
    let input = folder.path().join("odd.jsonl");
    fs::write(&input, format!("\u{feff}{}", odd.concat())).expect("a file");
    let out = folder.path().join("out");
    let (status, text) = judge(&[&input], &out, &["--at", "newest"]);
    assert_eq!(status, 0, "{text}");
    let text = fs::read_to_string(out.join("odd.jsonl")).expect("an output");
    let lines: Vec<&str> = text
        .strip_prefix('\u{feff}')
        .expect("the mark")
        .split_inclusive('\n')
        .collect();
    assert_eq!(lines.len(), odd.len());
    let mut reasons = Vec::new();
    for (line, own) in lines.iter().zip(odd) {
        if own == "\n" {
            assert_eq!(*line, "\n");
            continue;
        }
        let begins = own.trim_end().strip_suffix('}').expect("an object");
        assert!(line.starts_with(begins), "{line}");
        assert_eq!(
            line.len() - line.trim_end().len(),
            own.len() - own.trim_end().len(),
            "{line}"
        );
        let value: Value = serde_json::from_str(line).expect("JSON");
        reasons.push(value["prefs_reason"].as_str().expect("a reason").to_owned());
    }
    assert_eq!(
        reasons,
        [
            "not_archived",
            "url_missing",
            "not_archived",
            "url_missing",
            "url_unparsable"
        ]
    );
}

#[test]
fn local_compressed_lines_stay_compressed_and_blanks_among_urls_go() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = json!({"url": "https://www.example.com/", "date": "2026-08-10T08:00:00Z"});
    let (gzip, zstd) = (
        folder.path().join("a.jsonl.gz"),
        folder.path().join("b.jsonl.zst"),
    );
    let file = fs::File::create(&gzip).expect("a file");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, format!("{line}\n").as_bytes()).expect("written");
    encoder.finish().expect("written");
    fs::write(
        &zstd,
        zstd::encode_all(format!("{line}\n").as_bytes(), 1).expect("zstd"),
    )
    .expect("a file");
    let out = folder.path().join("out");
    let (status, text) = judge(&[&gzip, &zstd], &out, &[]);
    assert_eq!(status, 0, "{text}");
    let mut inflated = String::new();
    let file = fs::File::open(out.join("a.jsonl.gz")).expect("an output");
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut inflated)
        .expect("gzip");
    let decoded = zstd::decode_all(fs::File::open(out.join("b.jsonl.zst")).expect("an output"))
        .expect("zstd");
    assert_eq!(decoded, inflated.as_bytes());
    assert!(
        inflated.starts_with(line.to_string().trim_end_matches('}')),
        "{inflated}"
    );
    let urls = judged("https://a.example/\n\n  mailto:a@b.example \r\n", &[]);
    let pairs: Vec<[&Value; 2]> = urls
        .iter()
        .map(|line| [&line["url"], &line["prefs_reason"]])
        .collect();
    assert_eq!(
        pairs,
        [
            ["https://a.example/", "not_archived"],
            ["mailto:a@b.example", "url_not_http"]
        ]
    );
}

#[test]
fn local_documents_without_a_date_are_counted_with_the_way_to_judge_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, out) = (folder.path().join("a.jsonl"), folder.path().join("out"));
    write_lines(&file, [&json!({"url": "https://rep.example/"})]);
    let (_, text) = judge(&[&file], &out, &[]);
    assert!(
        text.contains("\n  without a date, so unknown: 1 (--at newest "),
        "{text}"
    );
    let (_, text) = judge(&[&file], &out, &["--at", "newest", "--overwrite"]);
    assert!(!text.contains("without a date"), "{text}");
}

#[test]
fn local_the_same_call_goes_on_and_another_one_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name));
    let line = json!({"url": "https://a.example/"});
    for file in &files {
        write_lines(file, [&line, &line]);
    }
    let (inputs, out) = (
        [files[0].as_path(), files[1].as_path()],
        folder.path().join("out"),
    );
    let (_, text) = judge(&inputs, &out, &[]);
    assert!(
        text.starts_with("Judged 4 documents of 2 files\n"),
        "{text}"
    );
    // What a killed call leaves: an output that is whole, and nothing that says so.
    fs::remove_file(folder.path().join("_out.judge/files/a.jsonl.json")).expect("a file");
    fs::write(out.join("a.jsonl"), "half").expect("a file");
    let (status, text) = judge(&inputs, &out, &[]);
    assert!(
        text.starts_with("Judged 4 documents of 2 files, 1 by an earlier call\n"),
        "{text}"
    );
    assert_eq!(status, 0);
    let whole = fs::read(out.join("a.jsonl")).expect("an output");
    assert_eq!(whole, fs::read(out.join("b.jsonl")).expect("an output"));
    // Another input of the name is judged again.
    write_lines(&files[1], [&line]);
    let (_, text) = judge(&inputs, &out, &[]);
    assert!(
        text.starts_with("Judged 3 documents of 2 files, 1 by an earlier call\n"),
        "{text}"
    );
    let (status, text) = judge(&inputs, &out, &["--at", "newest"]);
    assert!(
        status == 1 && text.contains("at is page, not newest"),
        "{status} {text}"
    );
    let (status, text) = judge(&inputs, &out, &["--at", "newest", "--overwrite"]);
    assert!(
        status == 0 && text.starts_with("Judged 3 documents of 2 files\n"),
        "{status} {text}"
    );
}

#[test]
fn local_the_columns_are_documented() {
    let text = fs::read_to_string("docs/filtering.md").expect("docs/filtering.md");
    let columns: Vec<_> = crawlprefs::judge::JUDGED
        .columns()
        .chain(crawlprefs::judge::AUDITED.columns())
        .collect();
    assert_eq!(columns.len(), 22);
    for column in columns {
        assert!(
            text.contains(&format!("| `{}` | {} |\n", column.name, column.meaning)),
            "{}",
            column.name
        );
    }
}

#[test]
fn local_the_dialects_are_documented() {
    let text = fs::read_to_string("docs/filtering.md").expect("docs/filtering.md");
    for dialect in &crawlprefs::judge::files::DIALECTS {
        let names = dialect.names();
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", dialect.name)));
        let row = row.unwrap_or_else(|| panic!("{} is not there", dialect.name));
        assert!(row.contains(&format!("| `{}` |", names.url[0])), "{row}");
        let cells: Vec<&str> = row.split(" | ").collect();
        assert!(
            cells[4].contains(&names.date.fetched[0]) || dialect.name == "laion",
            "{row}"
        );
    }
}
