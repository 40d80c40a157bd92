//! Documents whose id or place is of a record of another URL or time (KNOW-6), and places that may be of several archives.

use crate::fixture::{ALL, judge, judged, pages, rows, run, tables, value, write_lines};
use crate::warc::response;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A page that everybody may fetch and use, by its own record.
fn open_page() -> Value {
    let (page, _) = pages()
        .into_iter()
        .find(|(_, verdict)| verdict["access"] == "allow" && verdict["train_ai"] == "allow")
        .expect("an open page");
    page
}

#[test]
fn know_6_a_record_of_another_host_never_makes_a_document_allowed() {
    let open = open_page();
    for (url, access) in [
        ("https://rep.example/private/x", "disallow"),
        ("https://nobody.example/", "unknown"),
        ("mailto:a@a.example", "unknown"),
        ("", "unknown"),
    ] {
        let line = json!({"url": url, "id": open["id"], "date": open["date"]}).to_string();
        for at in ["page", "newest", "page,newest"] {
            let found = &judged(&line, &["--at", at])[0];
            assert_eq!(found["prefs_source"], "record_of_other_url", "{url} {at}");
            assert_eq!(found["prefs_access"], access, "{url} {at}");
            for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
                assert_ne!(found[&format!("prefs_{label}")], "allow", "{url} {at}");
            }
            for policy in ["robots", "labels", "strict"] {
                assert!(
                    judged(&line, &["--at", at, "--policy", policy]).is_empty(),
                    "{url} {at} {policy}"
                );
            }
        }
    }
    // Its own host, in another spelling and at another scheme; and no URL at all.
    let own = open["url"].as_str().expect("a URL");
    for url in [
        json!(own),
        json!(own.replace("https://", "HTTPS://")),
        Value::Null,
    ] {
        let line = json!({"url": url, "id": open["id"], "date": open["date"]});
        let lines = format!("{line}\n{{\"url\":\"https://a.example/\"}}\n");
        let found = &judged(&lines, &[])[0];
        assert_eq!(
            [&found["prefs_source"], &found["prefs_access"]],
            ["record", "allow"],
            "{url}"
        );
    }
}

/// The same host, and another path, query, scheme, port or date: what the record said is not known of the document.
#[test]
fn know_6_a_record_of_another_url_or_time_counts_for_its_noes_alone() {
    let open = open_page();
    let (url, date) = (
        open["url"].as_str().expect("a URL"),
        open["date"].as_str().expect("a date"),
    );
    let path = format!("{}other", url.trim_end_matches('/'));
    for (url, date) in [
        (path.as_str(), date),
        (&format!("{url}?a=b"), date),
        (&url.replace("https://", "http://"), date),
        (&url.replace(".example", ".example:8443"), date),
        (url, "2026-08-10T23:00:00Z"),
        (url, "2026-08-11"),
        (url, "2027"),
    ] {
        let line = |id: &Value| json!({"url": url, "id": id, "date": date}).to_string();
        let found = judged(
            &[line(&open["id"]), line(&Value::Null)].join("\n"),
            &["--columns", ALL],
        );
        assert_eq!(
            found[0]["prefs_source"], "record_of_other_url",
            "{url} {date}"
        );
        assert_eq!(
            found[0]["prefs_access"], found[1]["prefs_access"],
            "{url} {date}"
        );
        for label in ["search", "train_ai", "train_genai", "ai_input", "tdm"] {
            assert_ne!(found[0][&format!("prefs_{label}")], "allow", "{url} {date}");
        }
    }
    let with_fragment = format!("{url}#fragment");
    for (url, date) in [
        (with_fragment.as_str(), date),
        (url, "2026-08-10"),
        (url, "2026-08"),
        (url, "2026"),
    ] {
        let line = json!({"url": url, "id": open["id"], "date": date}).to_string();
        assert_eq!(
            judged(&line, &[])[0]["prefs_source"],
            "record",
            "{url} {date}"
        );
    }
}

/// What the same site says at the same time in an input that the row was not made of counts, too.
#[test]
fn know_6_the_stricter_of_a_row_and_of_its_sites_files_by_all_inputs_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let robots = |at: &str, rule: &str| {
        let message = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n{rule}: /\n"
        );
        response("https://a.example/robots.txt", at, "", message.as_bytes())
    };
    let yes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: train-ai=y\r\n\r\n<html><head></head></html>";
    let id = "00000000-0000-4000-8000-0000000000aa";
    let page = response(
        "https://a.example/p",
        "08:00:00",
        &format!("WARC-Record-ID: <urn:uuid:{id}>\r\n"),
        yes.as_bytes(),
    );
    fs::write(
        path("own.warc"),
        [robots("06:00:00", "Allow"), page.clone()].concat(),
    )
    .expect("an archive");
    fs::write(path("closed.warc"), robots("07:00:00", "Disallow")).expect("an archive");
    fs::write(path("later.warc"), robots("09:00:00", "Disallow")).expect("an archive");
    let twin = response(
        "http://a.example/robots.txt",
        "06:00:00",
        "",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n",
    );
    fs::write(path("alone.warc"), &page).expect("an archive");
    fs::write(path("twin.warc"), twin).expect("an archive");
    for name in ["own", "closed", "later", "alone", "twin"] {
        for args in [
            [
                "run",
                "-q",
                &path(&format!("{name}.warc")),
                "-o",
                &path(name),
            ],
            [
                "index",
                "-q",
                &path(name),
                "-o",
                &path(&format!("{name}.index")),
            ],
        ] {
            let ran = run(&args, b"");
            assert!(
                ran.status.success(),
                "{}",
                String::from_utf8_lossy(&ran.stderr)
            );
        }
    }
    // The URL of a document without one is that of its record.
    let lines = [
        json!({"url": "https://a.example/p", "date": "2026-08-10T08:00:00Z", "id": id}),
        json!({"url": null, "id": id}),
    ];
    let other = json!({"url": "https://z.example/"});
    for (tables, sites, access) in [
        ("own", None, "allow"),
        ("own", Some("own"), "allow"),
        ("own", Some("later"), "allow"),
        ("own", Some("closed"), "disallow"),
        ("alone", None, "unknown"),
        // KNOW-8: the file of a twin is no copy of the site's own, and its no counts.
        ("alone", Some("twin"), "disallow"),
    ] {
        let index = sites.map(|sites| ["--sites".to_owned(), path(&format!("{sites}.index"))]);
        for line in &lines {
            let mut args = vec!["judge", "-q", "-", "--tables"];
            let tables = path(tables);
            args.push(&tables);
            args.extend(index.iter().flatten().map(String::as_str));
            let ran = run(&args, format!("{line}\n{other}\n").as_bytes());
            let first = ran.stdout.split(|byte| *byte == b'\n').next();
            let found: Value = serde_json::from_slice(first.unwrap_or_default()).expect("a line");
            assert_eq!(
                [&found["prefs_access"], &found["prefs_source"]],
                [access, "record"],
                "{tables} {sites:?} {line}"
            );
            assert_eq!(found["prefs_train_ai"], "allow", "{sites:?}: {found}");
        }
    }
}

#[test]
fn know_6_a_no_of_a_record_of_another_host_counts() {
    let (closed, verdict) = pages()
        .into_iter()
        .find(|(_, verdict)| verdict["train_ai"] == "disallow" && verdict["access"] == "allow")
        .expect("a page with a no");
    assert_eq!(verdict["train_ai"], "disallow");
    let open = open_page();
    let line = json!({"url": open["url"], "id": closed["id"], "date": open["date"]}).to_string();
    let found = &judged(&line, &[])[0];
    assert_eq!(
        [&found["prefs_source"], &found["prefs_train_ai"]],
        ["record_of_other_url", "disallow"]
    );
}

/// The id is that of one record, the place that of another one: both count, and neither is another document's.
#[test]
fn local_documents_with_two_records_have_verdicts_of_their_own() {
    let rows = rows(&Path::new(&tables()).join("pages"));
    let page = |train_ai: &str| {
        rows.iter()
            .find(|row| value(row, "train_ai") == train_ai)
            .expect("a page")
    };
    let [open, unknown, closed] = ["allow", "unknown", "disallow"].map(page);
    let line = |place| {
        json!({"url": "https://nobody.example/", "id": value(open, "warc_record_id"),
               "file_path": value(place, "warc_filename"), "offset": value(place, "warc_record_offset")})
    };
    let pairs = [(unknown, "unknown"), (closed, "disallow")];
    let lines: Vec<String> = pairs
        .iter()
        .cycle()
        .take(20)
        .map(|(place, _)| line(place).to_string())
        .collect();
    for (found, (_, train_ai)) in judged(&lines.join("\n"), &[])
        .iter()
        .zip(pairs.iter().cycle())
    {
        assert_eq!(
            [&found["prefs_source"], &found["prefs_train_ai"]],
            ["record_of_other_url", *train_ai]
        );
    }
}

#[test]
fn know_6_the_summary_counts_records_of_other_urls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("a.jsonl");
    write_lines(
        &input,
        [&json!({"url": "https://rep.example/", "id": open_page()["id"]})],
    );
    let (_, text) = judge(&[&input], &folder.path().join("out"), &[]);
    assert!(
        text.contains("the id of a record of another URL or time, so by the stricter of both: 1\n"),
        "{text}"
    );
}

/// Two collections have an archive of one name, with a page at the same offset: one of them says no to training.
#[test]
fn local_a_place_is_of_the_archive_with_its_folders_and_the_stricter_of_several() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (collection, value) in [("one", "train-ai=y"), ("two", "train-ai=n")] {
        let robots = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nAllow: /\n";
        let page =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: {value}\r\n\r\n");
        let records = [("robots.txt", "06:00:00", robots), ("", "07:00:00", &page)];
        let records = records.map(|(path, at, message)| {
            response(
                &format!("https://a.example/{path}"),
                at,
                "",
                message.as_bytes(),
            )
        });
        fs::create_dir_all(folder.path().join("in").join(collection)).expect("a folder");
        fs::write(
            folder.path().join("in").join(collection).join("00000.warc"),
            records.concat(),
        )
        .expect("a file");
    }
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let ran = run(&["run", "-q", &path("in"), "-o", &path("out")], b"");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let rows = crate::fixture::rows(&folder.path().join("out/pages"));
    let offset = crate::fixture::value(&rows[0], "warc_record_offset");
    let train_ai = |file: &str| {
        let line =
            json!({"url": "https://a.example/", "date": "2026-08-10T07:00:00Z", "file_path": file,
                          "offset": offset})
            .to_string();
        let ran = run(
            &["judge", "-q", "-", "--tables", &path("out")],
            line.as_bytes(),
        );
        let found: Value = serde_json::from_slice(&ran.stdout).expect("a line");
        (
            found["prefs_source"].clone(),
            found["prefs_train_ai"].clone(),
        )
    };
    for (file, source, expected) in [
        ("one/00000.warc", "record", "allow"),
        ("s3://bucket/two/00000.warc", "record", "disallow"),
        ("00000.warc", "record", "disallow"),
        ("three/00000.warc", "site", "unknown"),
    ] {
        assert_eq!(train_ai(file), (json!(source), json!(expected)), "{file}");
    }
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let copy = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_files(&path, &copy);
        } else {
            fs::copy(&path, &copy).expect("a copy");
        }
    }
}

/// A folder of tables that somebody else made may name any URL.
#[test]
fn local_evidence_at_a_url_that_only_the_tables_name_is_not_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("tables");
    copy_files(Path::new(&tables()), &copy);
    let named: Value =
        serde_json::from_slice(&fs::read(copy.join("_resolved.json")).expect("a file"))
            .expect("JSON");
    let open = open_page();
    let (tables, url) = (
        copy.to_string_lossy().into_owned(),
        open["url"].as_str().expect("a URL"),
    );
    // Nothing listens there, and a request would end in another message.
    for (at, evidence) in [
        (Value::Null, "s3://bucket/evidence"),
        (json!(["https://127.0.0.1:1/x"]), "evidence"),
        (Value::Null, "gs://bucket/x"),
    ] {
        let mut named = named.clone();
        named["evidence"] = json!([evidence]);
        if !at.is_null() {
            named["evidence_at"] = at.clone();
        }
        fs::write(copy.join("_resolved.json"), named.to_string()).expect("written");
        let asked = at[0].as_str().unwrap_or(evidence);
        for args in [
            vec!["judge", "-", "--tables", &tables],
            vec!["explain", "--url", url, "--tables", &tables],
            vec![
                "extract",
                "--tables",
                &tables,
                "--url",
                url,
                "-o",
                "/dev/null",
            ],
            vec!["status", &tables],
        ] {
            let ran = run(&args, url.as_bytes());
            let text = String::from_utf8_lossy(&ran.stderr).into_owned();
            let flag = format!("--evidence {asked}");
            assert!(
                !ran.status.success() && text.contains(&flag),
                "{args:?}: {text}"
            );
        }
    }
}
