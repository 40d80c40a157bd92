//! What is judged and explained by the index is what is judged and explained by evidence.

use crate::hostile_parts::part_name;
use crate::random::one_of;
use crate::world::{CRAWLS, origin, time};
use crate::{WORLD, asked, done, failed, files, of_world};
use fastrand::Rng;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;

/// Documents at any time of any crawl, some of them of hosts that are not in the index.
pub fn documents(count: usize) -> String {
    let mut random = Rng::with_seed(11);
    let mut lines = String::new();
    for _ in 0..count {
        let host = if random.usize(..30) == 0 {
            "http://nobody.example".to_owned()
        } else {
            origin(&mut random)
        };
        let path = one_of(
            &mut random,
            &["/", "/p/x.html", "/robots.txt", "/q?a=b", "/é"],
        );
        let month = 2 + random.usize(..CRAWLS.len() + 2);
        let date = if random.usize(..20) == 0 {
            Value::Null
        } else {
            json!(time(&mut random, month))
        };
        writeln!(
            lines,
            "{}",
            json!({"url": format!("{host}{path}"), "date": date})
        )
        .expect("written");
    }
    lines
}

/// Returns how many documents are judged: `CRAWLPREFS_DOCUMENTS`, as `.ci/nightly` sets it, or few.
pub fn count() -> usize {
    asked("CRAWLPREFS_DOCUMENTS", 1_000)
}

fn judged(flags: &[&str], lines: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("documents.jsonl");
    fs::write(&input, lines).expect("a file");
    let input = input.to_string_lossy().into_owned();
    done(&[&["judge", "-q", &input], flags].concat())
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn local_documents_have_the_verdicts_that_evidence_gives() {
    let lines = documents(count());
    let (tables, index) = (of_world("tables"), of_world("index"));
    for at in ["page", "newest", "2026-04-02T01:00:00Z"] {
        let by_evidence = judged(&["--tables", &tables, "--at", at], &lines);
        assert_eq!(by_evidence.len(), count());
        let by_index = judged(
            &["--tables", &tables, "--sites", &index, "--at", at],
            &lines,
        );
        let alone = judged(&["--sites", &index, "--at", at, "-j", "1"], &lines);
        for ((evidence, index), alone) in by_evidence.iter().zip(&by_index).zip(&alone) {
            assert_eq!(evidence, index, "{at}");
            assert_eq!(evidence, alone, "{at}");
        }
    }
    // The world has what is to be compared.
    let found = judged(&["--sites", &index], &lines).join("\n");
    let states = [
        "parsed",
        "unavailable",
        "unreachable",
        "redirect_unresolved",
        "unreadable",
        "body_missing",
    ];
    for state in states.into_iter().chain(["undated", "not_archived"]) {
        assert!(
            found.contains(&format!(r#""prefs_robots_state":"{state}""#)),
            "{state}"
        );
    }
}

#[test]
fn local_a_page_is_explained_as_evidence_explains_it() {
    let (tables, index) = (of_world("tables"), of_world("index"));
    let mut random = Rng::with_seed(13);
    let (mut lines, mut explained) = (String::new(), Vec::new());
    for _ in 0..asked("CRAWLPREFS_EXPLAINED", 16) {
        let url = format!("{}/never/captured", origin(&mut random));
        let month = 2 + random.usize(..CRAWLS.len() + 2);
        let at = time(&mut random, month);
        let by_evidence = done(&[
            "explain",
            "--json",
            "--tables",
            &tables,
            "--url",
            &url,
            "--fetched",
            &at,
        ]);
        let by_index = done(&[
            "explain", "--json", "--sites", &index, "--url", &url, "--at", &at,
        ]);
        let parsed = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
        let (mut evidence, mut index) = (parsed(&by_evidence), parsed(&by_index));
        for answer in [&mut evidence, &mut index] {
            without_records(answer);
        }
        assert_eq!(evidence, index, "{url} {at}");
        lines.extend([
            json!({ "url": url, "date": at }).to_string(),
            "\n".to_owned(),
        ]);
        explained.push((url, at, evidence["access"].clone()));
    }
    for (document, (url, at, access)) in
        judged(&["--tables", &tables], &lines).iter().zip(explained)
    {
        let document: Value = serde_json::from_str(document).expect("JSON");
        assert_eq!(document["prefs_access"], access, "{url} {at}");
    }
}

/// Takes out what an index does not have: the places of records, but for the archive, and whether an archive has the same
/// answer of the same time twice, by which copies are numbered.
fn without_records(value: &mut Value) {
    const RECORDS: [&str; 4] = [
        "warc_record_offset",
        "warc_record_length",
        "copy",
        "robots_copy",
    ];
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !RECORDS.contains(&name.as_str()));
            members.values_mut().for_each(without_records);
        }
        Value::Array(values) => {
            values.iter_mut().for_each(without_records);
            values.retain(|copy| copy["is"] != "same_time");
            values.dedup();
        }
        _ => {}
    }
}

#[test]
fn local_an_index_that_was_changed_or_is_another_one_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    for (name, content) in files(&WORLD.path().join("index")) {
        let file = index.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, content).expect("a file");
    }
    let place = index.to_string_lossy().into_owned();
    let explain =
        |place: &str| failed(&["explain", "--sites", place, "--url", "http://h1.example/x"]).1;
    let message = explain(&format!("{place}#sha256=00"));
    assert!(message.contains("_index.json has the SHA-256"), "{message}");
    let found = message
        .split("SHA-256 ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .expect("a digest");
    done(&[
        "explain",
        "--sites",
        &format!("{place}#sha256={found}"),
        "--url",
        "http://h1.example/x",
    ]);
    let part = index.join(part_name(&index, "fetches/"));
    let bytes = fs::read(&part).expect("a part");
    let urls = folder.path().join("documents.jsonl");
    fs::write(&urls, documents(100)).expect("a file");
    for file in [&part, &index.join(part_name(&index, "bodies/"))] {
        let whole = fs::read(file).expect("a part");
        let mut changed = whole.clone();
        changed[40] ^= 1;
        fs::write(file, &changed).expect("a part");
        let message = failed(&["judge", "-q", "--sites", &place, &urls.to_string_lossy()]).1;
        assert!(
            message.contains("row group at byte 4 is not as it was written"),
            "{message}"
        );
        fs::write(file, &whole).expect("a part");
    }
    fs::write(&part, &bytes[1..]).expect("a part");
    assert!(explain(&place).contains("bytes, expected"));
    fs::remove_file(&part).expect("removed");
    assert!(explain(&place).contains("fetches/"));
    fs::write(index.join("_index.json"), r#"{"format": "9"}"#).expect("a file");
    assert!(explain(&place).contains("its format is 9, this version reads 1"));
}
