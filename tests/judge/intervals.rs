//! Dates that are days, months and years: the strictest answer at any instant of them counts (KNOW-7).

use crate::fixture::{run, write_parquet};
use crate::warc;
use arrow_array::{
    ArrayRef, Date32Array, Int32Array, Int64Array, StringArray, TimestampSecondArray,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const ID: &str = "00000000-0000-4000-8000-0000000000aa";

/// A site that was open from 1 August on, closed on the 10th at 06:10, and open from the 20th on, with a page of that morning.
fn world(folder: &Path) {
    let answer = |url: &str, at: &str, head: &str, body: &str| {
        let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
        warc::response(url, at, head, message.as_bytes())
    };
    let (open, closed) = ("User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /\n");
    let robots = "https://a.example/robots.txt";
    let no = "[{\"location\": \"/\", \"tdm-reservation\": 1}]";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head></head></html>";
    let id = format!("WARC-Record-ID: <urn:uuid:{ID}>\r\n");
    let records = [
        answer(robots, "2026-08-01T06:00:00Z", "", open),
        answer(robots, "2026-08-10T06:10:00Z", "", closed),
        answer(robots, "2026-08-20T06:00:00Z", "", open),
        answer(
            "https://b.example/robots.txt",
            "2026-08-01T06:00:00Z",
            "",
            open,
        ),
        answer(
            "https://b.example/.well-known/tdmrep.json",
            "2026-08-10T06:10:00Z",
            "",
            no,
        ),
        warc::response(
            "https://a.example/page",
            "2026-08-10T05:00:00Z",
            &id,
            page.as_bytes(),
        ),
    ];
    fs::write(folder.join("a.warc"), records.concat()).expect("an archive");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for args in [
        ["run", "-q", &path("a.warc"), "-o", &path("tables")],
        ["index", "-q", &path("tables"), "-o", &path("world.index")],
    ] {
        let ran = run(&args, b"");
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

/// Judges a file, or lines, by tables and by an index, which must agree; returns the documents and the summary.
fn judged(folder: &Path, input: &Path, lines: &[Value]) -> (Vec<Value>, String) {
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let input = input.to_string_lossy().into_owned();
    let by = |flag: &str, place: &str| {
        let ran = run(&["judge", &input, flag, &path(place)], text.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let documents = text(&ran.stdout);
        let documents = documents
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        (documents.collect::<Vec<Value>>(), text(&ran.stderr))
    };
    let (found, by_index) = (by("--tables", "tables"), by("--sites", "world.index"));
    if lines.iter().all(|line| line["id"].is_null()) {
        assert_eq!(found.0, by_index.0);
    }
    found
}

#[test]
fn know_7_the_strictest_answer_within_a_date_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let cases = [
        ("https://a.example/x", json!("2026-08-09"), "allow"),
        (
            "https://a.example/x",
            json!("2026-08-10T06:09:59Z"),
            "allow",
        ),
        (
            "https://a.example/x",
            json!("2026-08-10T06:10Z"),
            "disallow",
        ),
        ("https://a.example/x", json!("2026-08-10"), "disallow"),
        ("https://a.example/x", json!("20260810"), "disallow"),
        ("https://a.example/x", json!(20_260_810), "disallow"),
        ("https://a.example/x", json!("2026-08-20"), "disallow"),
        ("https://a.example/x", json!("2026-08-21"), "allow"),
        ("https://a.example/x", json!("2026-08"), "disallow"),
        ("https://a.example/x", json!(2026), "disallow"),
        ("https://a.example/x", json!("2026-09"), "allow"),
        // Nothing is known of its first days.
        ("https://b.example/x", json!("2026-08"), "unknown"),
        ("https://b.example/x", json!("2026-08-10"), "allow"),
    ];
    let lines: Vec<Value> = cases
        .iter()
        .map(|(url, date, _)| json!({"url": url, "date": date}))
        .collect();
    let (found, summary) = judged(folder.path(), Path::new("-"), &lines);
    for ((url, date, access), found) in cases.iter().zip(&found) {
        assert_eq!(found["prefs_access"], *access, "{url} {date}");
        assert_eq!(found["prefs_source"], "site", "{url} {date}");
    }
    // Another file that came within the day.
    assert_eq!(
        [&found[12]["prefs_tdm"], &found[12]["prefs_train_ai"]],
        ["disallow", "disallow"]
    );
    assert!(
        summary.contains("so by the strictest answer within it: 12\n"),
        "{summary}"
    );
}

#[test]
fn know_7_an_id_does_not_weaken_what_the_day_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let line = |date: &str| json!({"url": "https://a.example/page", "id": ID, "date": date});
    let dates = ["2026-08-10T05:00:00Z", "2026-08-10T05:00", "2026-08-10"];
    let (found, _) = judged(folder.path(), Path::new("-"), &dates.map(line));
    let found: Vec<_> = found
        .iter()
        .map(|found| [&found["prefs_access"], &found["prefs_source"]])
        .collect();
    assert_eq!(
        found,
        [
            ["allow", "record"],
            ["allow", "record"],
            ["disallow", "record"]
        ]
    );
    // Without a date, that of the record counts.
    let undated = json!({"url": "https://a.example/page", "id": ID});
    let (found, _) = judged(folder.path(), Path::new("-"), &[undated]);
    assert_eq!(
        [&found[0]["prefs_access"], &found[0]["prefs_source"]],
        ["allow", "record"]
    );
}

/// Dolma's and Common Pile's `created` is of the original.
#[test]
fn know_7_a_date_of_the_original_is_the_interval_until_it_was_added() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let document = |created: &str, added: Value| {
        json!({"id": "x1", "text": "A text.", "source": "web", "created": created, "added": added,
               "metadata": {"url": "https://a.example/x"}})
    };
    let lines = [
        document("2026-08-02", json!("2026-08-03")),
        document("2026-08-02", json!("2026-08-30")),
        document("2026-08-02", Value::Null),
        document("2026-08-30", json!("2026-08-02")),
    ];
    let (found, _) = judged(folder.path(), Path::new("-"), &lines);
    let found: Vec<_> = found
        .iter()
        .map(|found| [&found["prefs_access"], &found["prefs_reason"]])
        .collect();
    assert_eq!(found[0][0], "allow");
    assert_eq!(found[1][0], "disallow");
    assert_eq!(found[2..], [["unknown", "undated"]; 2]);
}

#[test]
fn know_7_columns_of_dates_have_the_precision_of_their_types() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let columns: [(ArrayRef, &str); 5] = [
        (Arc::new(Date32Array::from(vec![20_675])), "disallow"),
        (Arc::new(Int32Array::from(vec![20_260_810])), "disallow"),
        (Arc::new(Int64Array::from(vec![1_786_320_000])), "allow"),
        (
            Arc::new(TimestampSecondArray::from(vec![1_786_320_000])),
            "allow",
        ),
        (Arc::new(StringArray::from(vec!["2026-08"])), "disallow"),
    ];
    for (number, (dates, access)) in columns.into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.parquet"));
        let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/x"]));
        write_parquet(&file, vec![("url", urls), ("date", dates)]);
        let (out, tables) = (folder.path().join("out"), folder.path().join("tables"));
        let [file, out, tables] =
            [&file, &out, &tables].map(|path| path.to_string_lossy().into_owned());
        let dropped = folder.path().join("dropped").to_string_lossy().into_owned();
        let args = [
            "judge",
            "-q",
            &file,
            "--tables",
            &tables,
            "-o",
            &out,
            "--policy",
            "robots",
            "--dropped",
            &dropped,
        ];
        let ran = run(
            &[&args[..], &["--overwrite", "--drop-missing"]].concat(),
            b"",
        );
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let kept = crate::fixture::rows_of(&Path::new(&out).join(format!("{number}.parquet")));
        assert_eq!(kept.len(), usize::from(access == "allow"), "{number}");
        let rows = crate::fixture::rows_of(&Path::new(&dropped).join(format!("{number}.parquet")));
        let dates: Vec<Value> = rows
            .iter()
            .map(|row| crate::fixture::value(row, "date"))
            .collect();
        let written = if number == 4 { "2026-08" } else { "2026-08-10" };
        assert_eq!(
            dates,
            vec![json!(written); usize::from(access == "disallow")],
            "{number}"
        );
    }
}

/// The closing is neither at the beginning of the day nor at its end: both are explained, and named.
#[test]
fn know_7_a_document_of_a_day_is_explained_at_both_ends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    world(folder.path());
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(
        path("a.jsonl"),
        "{\"url\":\"https://a.example/x\",\"date\":\"2026-08-10\"}\n",
    )
    .expect("a file");
    let args = [
        "judge",
        "-q",
        &path("a.jsonl"),
        "--sites",
        &path("world.index"),
        "-o",
        &path("out"),
        "--policy",
        "robots",
        "--dropped",
        &path("dropped"),
    ];
    let ran = run(&args, b"");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let ran = run(
        &["explain", "--judged", &path("out"), "https://a.example/x"],
        b"",
    );
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    for part in [
        "dropped: access_disallow",
        "date            2026-08-10\n",
        "at 2026-08-10T00:00:00Z, the beginning of the date\n",
        "the end of the date\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
