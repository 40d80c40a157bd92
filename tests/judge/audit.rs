//! What a decision rests on, beside the documents.

use crate::fixture::{judge, judged, list, pages, rows_of, run, tables, value, write_lines};
use crate::warc::response;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// Returns the columns of `pages` that the audit repeats, by URL and time.
fn rows() -> BTreeMap<String, Value> {
    let row = |row: parquet::record::Row| {
        let of = |name: &str| value(&row, name);
        let from = |label: &str| -> Vec<String> {
            let from = of(&format!("{label}_from"));
            let from = from.as_array().cloned().unwrap_or_default();
            from.iter()
                .map(|one| format!("{label} {}", one.as_str().expect("text")))
                .collect()
        };
        let decided_by: Vec<String> = ["search", "train_ai", "train_genai", "ai_input", "tdm"]
            .iter()
            .flat_map(|label| from(label))
            .collect();
        let audit = json!({
            "prefs_robots_digest": of("robots_body_digest"),
            "prefs_robots_line": of("access_line"),
            "prefs_robots_time": of("robots_fetch_time"),
            "prefs_decided_by": decided_by.join(";"),
        });
        (format!("{} {}", of("url"), of("fetch_time")), audit)
    };
    crate::fixture::rows(&Path::new(&tables()).join("pages"))
        .into_iter()
        .map(row)
        .collect()
}

#[test]
fn local_an_audit_says_what_pages_says_by_record_and_by_site() {
    let pages: Vec<Value> = pages()
        .into_iter()
        .map(|(page, _)| page)
        .filter(|page| page["id"].is_string())
        .collect();
    let lines = |pages: &[Value]| {
        pages
            .iter()
            .map(|page| page.to_string() + "\n")
            .collect::<String>()
    };
    let rows = rows();
    let mut by_site = pages.clone();
    for page in &mut by_site {
        page["id"] = Value::Null;
    }
    let audited = |pages: &[Value]| judged(&lines(pages), &["--audit"]);
    let (by_record, by_site) = (audited(&pages), audited(&by_site));
    let (mut lines, mut decided, mut never_asked) = (0, 0, 0);
    for (page, (by_record, by_site)) in pages.iter().zip(by_record.iter().zip(&by_site)) {
        let expected = &rows[&format!("{} {}", page["url"], page["date"])];
        for (name, expected) in expected.as_object().expect("an object") {
            if name == "prefs_decided_by" {
                // The noes of the site's files come behind (KNOW-6).
                let (found, own) = (list(&by_record[name]), list(expected));
                let (own_first, of_site) = found.split_at(own.len());
                assert_eq!(own_first, own, "{name} {page}");
                assert!(
                    of_site.iter().all(|by| list(&by_site[name]).contains(by)),
                    "{name} {page}"
                );
            } else {
                assert_eq!(by_record[name], *expected, "{name} {page}");
            }
            if name != "prefs_decided_by" {
                assert_eq!(by_site[name], *expected, "{name} {page}");
            }
        }
        // KNOW-11: what nobody asked for is no statement.
        let not_asked = list(&by_site["prefs_not_asked"]);
        assert_eq!(
            by_record["prefs_not_asked"], by_site["prefs_not_asked"],
            "{page}"
        );
        let is_known = by_site["prefs_robots_state"] != "not_archived";
        assert!(!not_asked.is_empty(), "{page}");
        assert!(!is_known || !not_asked.contains(&"robots"), "{page}");
        never_asked += usize::from(not_asked.contains(&"robots"));
        assert_eq!(by_record["prefs_version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(by_record["prefs_policy"], Value::Null);
        lines += usize::from(by_site["prefs_robots_line"].is_number());
        decided += list(&by_site["prefs_decided_by"]).len();
    }
    assert!(
        lines > 10 && decided > 10 && never_asked > 0,
        "{lines} {decided} {never_asked}"
    );
}

#[test]
fn local_what_is_dropped_says_on_what_that_rests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let documents: Vec<Value> = pages().into_iter().map(|(page, _)| page).collect();
    write_lines(&path("a.jsonl"), &documents);
    let column = |name: &str| -> arrow_array::ArrayRef {
        std::sync::Arc::new(arrow_array::StringArray::from_iter(
            documents.iter().map(|document| document[name].as_str()),
        ))
    };
    let columns = ["url", "id", "date"].map(|name| (name, column(name)));
    crate::fixture::write_parquet(&path("b.parquet"), columns.into());
    let (all, dropped) = (path("all"), path("dropped"));
    let inputs = [path("a.jsonl"), path("b.parquet")];
    let inputs: Vec<&std::path::Path> = inputs.iter().map(std::path::PathBuf::as_path).collect();
    let at = ["--audit", "--at", "page,newest"];
    let (status, text) = judge(&inputs, &all, &at);
    assert_eq!(status, 0, "{text}");
    let flags = [
        "--policy",
        "labels",
        "--dropped",
        &dropped.to_string_lossy(),
    ];
    judge(&inputs, &path("kept"), &[&at[..], &flags].concat());
    let lines = |file: &std::path::Path| -> Vec<Value> {
        let text = fs::read_to_string(file).expect("lines");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let (of_all, of_lines) = (lines(&all.join("a.jsonl")), lines(&dropped.join("a.jsonl")));
    let of_rows = crate::fixture::rows_of(&dropped.join("b.parquet"));
    assert!(of_lines.len() > 10 && of_rows.len() == of_lines.len());
    let names = [
        "robots_digest",
        "robots_line",
        "robots_time",
        "decided_by",
        "robots_digest_newest",
    ];
    for (line, row) in of_lines.iter().zip(&of_rows) {
        let is_it = |one: &&Value| {
            (&one["id"], &one["url"], &one["date"]) == (&line["id"], &line["url"], &line["date"])
        };
        let expected = of_all.iter().find(is_it).expect("its document");
        for name in names.map(|name| format!("prefs_{name}")) {
            assert_eq!(line[&name], expected[&name], "{name} of {line}");
            if !name.contains("time") {
                assert_eq!(
                    crate::fixture::value(row, &name),
                    expected[&name],
                    "{name} of {line}"
                );
            }
        }
        assert!(line["prefs_policy"].is_string());
    }
}

#[test]
fn local_an_output_says_by_which_policy_it_was_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, policy, out) = (
        folder.path().join("a.jsonl"),
        folder.path().join("policy.toml"),
        folder.path().join("out"),
    );
    let written = "# Ours.\nat = ['page', 'newest']\n";
    fs::write(&policy, written).expect("a file");
    let documents: Vec<Value> = pages().into_iter().map(|(page, _)| page).take(5).collect();
    write_lines(&input, &documents);
    let policy = policy.to_string_lossy().into_owned();
    let call = |flags: &[&str]| {
        let flags = [&["--policy", &policy, "--audit"], flags].concat();
        let (status, text) = judge(&[&input], &out, &flags);
        assert_eq!(status, 0, "{text}");
        let text = fs::read(folder.path().join("_out.judge/_judge.json")).expect("a file");
        serde_json::from_slice::<Value>(&text).expect("JSON")
    };
    let first = call(&[]);
    // sha256sum policy.toml
    let digest = "aeeae36eccc0ca9f4f7917c0082aec6075991b3561f4e715ad0326d9e6aeef4b";
    assert_eq!(first["policy"]["sha256"], digest);
    assert_eq!(first["policy"]["written"], written);
    assert_eq!(first["viewpoint"]["agent"], "CCBot");
    assert!(
        first["agents"]
            .as_array()
            .expect("a list")
            .contains(&"GPTBot".into())
    );
    assert_eq!(first["tables"], tables());
    let command = first["calls"][0]["command"].as_array().expect("a list");
    assert_eq!(command.first(), Some(&"judge".into()));
    // The same call again is the same entry; another one is another.
    assert_eq!(call(&[]), first);
    assert_eq!(
        call(&["--jobs", "1"])["calls"]
            .as_array()
            .expect("a list")
            .len(),
        2
    );
    let kept = fs::read_to_string(out.join("a.jsonl")).expect("an output");
    let line: Value = serde_json::from_str(kept.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["prefs_policy"], first["policy"]["sha256"]);
    assert_eq!(line["prefs_version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn local_the_footers_of_parquet_have_the_policy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, out, dropped) = (
        folder.path().join("a.parquet"),
        folder.path().join("out"),
        folder.path().join("dropped"),
    );
    let urls: arrow_array::StringArray = pages()
        .iter()
        .map(|(page, _)| page["url"].as_str().map(str::to_owned))
        .collect();
    crate::fixture::write_parquet(&input, vec![("url", std::sync::Arc::new(urls))]);
    let (status, text) = judge(
        &[&input],
        &out,
        &[
            "--policy",
            "labels",
            "--at",
            "newest",
            "--audit",
            "--dropped",
            &dropped.to_string_lossy(),
        ],
    );
    assert_eq!(status, 0, "{text}");
    // printf labels | sha256sum
    let digest = "d772ebb4590212c65cc31888ee55c3a893d866d8479f84a4c0ca36918a3fa75f";
    let of_footer = |folder: &Path| {
        let file = File::open(folder.join("a.parquet")).expect("an output");
        let reader = parquet::file::reader::SerializedFileReader::new(file).expect("Parquet");
        let metadata = parquet::file::reader::FileReader::metadata(&reader)
            .file_metadata()
            .clone();
        let pairs = metadata.key_value_metadata().expect("pairs");
        pairs
            .iter()
            .find(|pair| pair.key == "crawlprefs.policy_sha256")
            .and_then(|pair| pair.value.clone())
            .expect("a digest")
    };
    assert_eq!([of_footer(&out), of_footer(&dropped)], [digest, digest]);
    let row = &rows_of(&out.join("a.parquet"))[0];
    assert_eq!(value(row, "prefs_policy"), digest);
}

/// The row of a page that was read whole, beside a robots.txt of another input with a doubt about one topic.
#[test]
fn acct_8_a_doubt_of_a_sites_files_leaves_the_labels_of_other_topics_known() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let robots = |at: &str, more: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
        let message = format!("{head}User-agent: *\nAllow: /\n{more}");
        response("https://a.example/robots.txt", at, "", message.as_bytes())
    };
    let id = "00000000-0000-4000-8000-0000000000aa";
    let field = format!("WARC-Record-ID: <urn:uuid:{id}>\r\n");
    let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head></head></html>";
    let page = response("https://a.example/p", "08:00:00", &field, page);
    for (name, archive) in [
        ("own", [robots("06:00:00", ""), page].concat()),
        ("doubtful", robots("07:00:00", "rag: no\n")),
    ] {
        fs::write(path(&format!("{name}.warc")), archive).expect("an archive");
        let (archive, index) = (
            path(&format!("{name}.warc")),
            path(&format!("{name}.index")),
        );
        for args in [
            ["run", "-q", &archive, "-o", &path(name)],
            ["index", "-q", &path(name), "-o", &index],
        ] {
            let ran = run(&args, b"");
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{said}");
        }
    }
    let date = "2026-08-10T08:00:00Z";
    let line = json!({"url": "https://a.example/p", "date": date, "id": id}).to_string();
    fs::write(path("d.jsonl"), line + "\n").expect("a document");
    let found = |label: &str, index: &str| {
        let (policy, out) = (path("policy.toml"), path(&format!("{label}-{index}")));
        fs::write(&policy, format!("labels = ['{label}']\n")).expect("a policy");
        let (documents, tables, index) = (path("d.jsonl"), path("own"), path(index));
        let by = [
            "judge", "-q", &documents, "--tables", &tables, "--sites", &index,
        ];
        let how = [
            "--audit", "--sample", "1@1", "--policy", &policy, "-o", &out,
        ];
        assert!(run(&[by, how].concat(), b"").status.success());
        let text = fs::read(Path::new(&out).join("d.jsonl")).expect("a document");
        let found: Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(found["prefs_source"], "record");
        found["prefs_finding"].as_str().expect("a text").to_owned()
    };
    assert_eq!(found("ai_input", "own.index"), "conforms");
    assert_eq!(found("ai_input", "doubtful.index"), "unknown");
    assert_eq!(found("train_ai", "doubtful.index"), "conforms");
}
