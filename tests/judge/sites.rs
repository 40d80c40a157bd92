//! Documents that are judged by their sites' files.

use crate::fixture::{ALL, judged, pages, run, tables};
use crawlprefs::judge::{At, Document, Documents, Judge, JudgeOptions};
use crawlprefs::runs::TableOptions;
use crawlprefs::sites::SiteLayers;
use crawlprefs::store::Places;
use crawlprefs::systems::Viewpoint;
use crawlprefs::web::interval::Interval;
use serde_json::{Value, json};

fn one(url: &str, date: Option<&str>, flags: &[&str]) -> Value {
    let line = json!({"url": url, "date": date}).to_string();
    judged(&line, flags).pop().expect("a line")
}

#[test]
fn local_without_a_date_it_is_unknown_and_newest_or_a_time_help() {
    let (page, _) = pages()
        .into_iter()
        .find(|(_, verdict)| verdict["access"] == "disallow" && verdict["reason"] == "rule")
        .expect("a closed page");
    let url = page["url"].as_str().expect("a URL");
    let undated = one(url, None, &[]);
    assert_eq!(
        [
            &undated["prefs_access"],
            &undated["prefs_reason"],
            &undated["prefs_robots_state"]
        ],
        ["unknown", "undated", "undated"]
    );
    assert_eq!(one(url, Some("yesterday"), &[])["prefs_reason"], "undated");
    for at in ["newest", "2100-01-01"] {
        assert_eq!(
            one(url, None, &["--at", at])["prefs_access"],
            "disallow",
            "{at}"
        );
    }
    let before = one(url, page["date"].as_str(), &["--at", "1990-01-01"]);
    assert_eq!(
        [&before["prefs_access"], &before["prefs_reason"]],
        ["unknown", "archived_later"]
    );
    assert_eq!(before["prefs_source"], "none");
    // A list of URLs has no dates.
    assert_eq!(judged(url, &[])[0]["prefs_access"], "disallow");
    assert_eq!(judged(url, &["--at", "page"])[0]["prefs_reason"], "undated");
}

#[test]
fn local_another_url_of_the_host_is_judged_and_an_unknown_host_is_unknown() {
    let (page, _) = pages()
        .into_iter()
        .find(|(_, verdict)| verdict["robots_state"] == "parsed" && verdict["access"] == "allow")
        .expect("an open page");
    let url = page["url"].as_str().expect("a URL");
    let robots = url.split('/').take(3).collect::<Vec<_>>().join("/") + "/robots.txt";
    let known = one(&robots, page["date"].as_str(), &[]);
    assert_eq!(
        [&known["prefs_access"], &known["prefs_source"]],
        ["allow", "site"]
    );
    assert_eq!(known["prefs_reason"], "robots_txt_itself");
    let unknown = one(
        "https://nobody.example/",
        page["date"].as_str(),
        &["--columns", ALL],
    );
    assert_eq!(
        [&unknown["prefs_access"], &unknown["prefs_source"]],
        ["unknown", "none"]
    );
    assert_eq!(unknown["prefs_disallowed_agents"], Value::Null);
}

#[test]
fn local_a_host_with_a_final_dot_is_the_host_without() {
    for (url, port) in [
        ("https://rep.example/private/x", ""),
        ("https://rep.example./private/x", ":443"),
    ] {
        let url = url
            .replace(".example/", &format!(".example.{port}/"))
            .replace("./", &format!(".{port}/"));
        let found = one(&url, None, &["--at", "newest"]);
        assert_eq!(
            [&found["prefs_access"], &found["prefs_source"]],
            ["disallow", "site"],
            "{url}"
        );
    }
}

#[test]
fn local_with_little_memory_the_tables_are_read_in_passes_and_say_the_same() {
    let lines: String = pages()
        .iter()
        .map(|(document, _)| document.to_string() + "\n")
        .collect();
    let without_ids = lines.replace("\"id\"", "\"uuid\"");
    for lines in [&lines, &without_ids] {
        assert_eq!(judged(lines, &["--memory-limit", "2K"]), judged(lines, &[]));
    }
}

/// What is read of hosts is kept from one call to the next, as much of it as fits.
#[test]
fn local_documents_one_by_one_are_those_of_one_call() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("index");
    let ran = run(
        &["index", "-q", &tables(), "-o", &place.to_string_lossy()],
        b"",
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let judge = |memory_bytes| {
        let index =
            SiteLayers::open(std::slice::from_ref(&place), &Places::default()).expect("an index");
        let options = JudgeOptions {
            times: vec![At::Page, At::Newest],
            is_audited: true,
            memory_bytes,
            ..JudgeOptions::default()
        };
        let made_for = TableOptions::new(Viewpoint::default());
        Judge::open_index(index, None, made_for, options).expect("a judge")
    };
    let of = |pages: &[(Value, Value)]| {
        let mut documents = Documents::default();
        for (page, _) in pages {
            let (url, date) = (
                page["url"].as_str().expect("a URL"),
                page["date"].as_str().expect("a date"),
            );
            let date = Interval::new(date.as_bytes());
            documents.push(&Document {
                url: Some(url.as_bytes()),
                date,
                ..Document::default()
            });
        }
        documents
    };
    let mut pages = pages();
    pages.push((
        json!({"url": "https://nobody.example/", "date": "2026-08-10"}),
        Value::Null,
    ));
    pages.push((
        json!({"url": "mailto:a", "date": "2026-08-10"}),
        Value::Null,
    ));
    let expected = judge(None)
        .judge(&[of(&pages)])
        .expect("verdicts")
        .remove(0);
    for memory_bytes in [None, Some(1 << 10), Some(1 << 20)] {
        let judge = judge(memory_bytes);
        for size in [1, 1, 7, pages.len()] {
            let parts = pages
                .chunks(size)
                .map(|pages| judge.judge(&[of(pages)]).expect("verdicts").remove(0));
            assert!(
                parts.flatten().eq(expected.iter().cloned()),
                "{memory_bytes:?} {size}"
            );
        }
    }
}
