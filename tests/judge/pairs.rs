//! Documents with several URLs: an image and its page.

use crate::fixture::{judge, judged, pages, rows_of, value, write_lines, write_parquet};
use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

const BOTH: [&str; 4] = ["--url", "image_url", "--url", "page_url"];
const LABELS: [&str; 5] = ["search", "train_ai", "train_genai", "ai_input", "tdm"];
const NEWEST: [&str; 2] = ["--at", "newest"];

/// Returns URLs of the tables: of pages that are open, closed, and whose training is disallowed by their site.
fn urls() -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut urls: Vec<String> = pages()
        .iter()
        .map(|(document, _)| text(&document["url"]))
        .collect();
    urls.push("https://nobody.example/".to_owned());
    urls
}

fn severity(verdict: &Value) -> usize {
    ["allow", "unknown", "disallow"]
        .iter()
        .position(|known| verdict == known)
        .expect("a value")
}

/// Returns the noes of all pairs, from the verdicts of their URLs alone.
fn expected(alone: &[Value], pairs: &[(usize, usize)]) -> Vec<Value> {
    let worse = |one: &Value, other: &Value| {
        if severity(one) >= severity(other) {
            one.clone()
        } else {
            other.clone()
        }
    };
    let pair = |(image, page): &(usize, usize)| {
        let (image, page) = (&alone[*image], &alone[*page]);
        let names = ["access"]
            .into_iter()
            .chain(LABELS)
            .map(|name| format!("prefs_{name}"));
        let mut joined: serde_json::Map<String, Value> = names
            .map(|name| (name.clone(), worse(&image[&name], &page[&name])))
            .collect();
        let sources = [image, page].map(|one| one["prefs_source"].clone());
        let source = if sources.contains(&json!("none")) {
            "none"
        } else {
            "site"
        };
        joined.insert("prefs_source".to_owned(), source.into());
        Value::Object(joined)
    };
    pairs.iter().map(pair).collect()
}

#[test]
fn local_a_pair_has_the_noes_of_both_urls() {
    let urls = urls();
    let alone = judged(&urls.join("\n"), &NEWEST);
    let pairs: Vec<(usize, usize)> = (0..urls.len())
        .flat_map(|image| [(image, (image * 7 + 3) % urls.len()), (image, image)])
        .collect();
    let line = |(image, page): &(usize, usize)| {
        json!({"image_url": urls[*image], "page_url": urls[*page]}).to_string() + "\n"
    };
    let lines: String = pairs.iter().map(line).collect();
    let judged = judged(&lines, &[&BOTH[..], &NEWEST].concat());
    let mut closed_by_page_alone = 0;
    for ((judged, expected), (image, _)) in judged.iter().zip(expected(&alone, &pairs)).zip(&pairs)
    {
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(judged[name], *value, "{name} of {judged}");
        }
        let image = &alone[*image]["prefs_access"];
        closed_by_page_alone +=
            usize::from(judged["prefs_access"] == "disallow" && image != "disallow");
    }
    assert!(closed_by_page_alone > 10, "{closed_by_page_alone}");
}

#[test]
fn local_a_url_that_is_missing_is_never_a_yes() {
    let alone = judged(&urls().join("\n"), &NEWEST);
    let of_access = |access: &str| {
        alone
            .iter()
            .find(|judged| judged["prefs_access"] == access)
            .expect("a URL")["url"]
            .clone()
    };
    let (open, closed) = (of_access("allow"), of_access("disallow"));
    let lines = [
        json!({"image_url": open, "page_url": open}),
        json!({"image_url": open, "page_url": null}),
        json!({"image_url": open}),
        json!({"page_url": open, "image_url": 7}),
        json!({"image_url": closed}),
        json!({"page_url": closed}),
        json!({"image_url": open, "page_url": "mailto:a@b.example"}),
    ];
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    let found: Vec<[Value; 3]> = judged(&text, &[&BOTH[..], &NEWEST].concat())
        .iter()
        .map(|line| {
            ["access", "source", "reason"].map(|name| line[format!("prefs_{name}")].clone())
        })
        .collect();
    let found = found
        .iter()
        .map(|[access, source, _]| (access.as_str().unwrap(), source.as_str().unwrap()));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ("allow", "site"),
            ("unknown", "none"),
            ("unknown", "none"),
            ("unknown", "none"),
            ("disallow", "none"),
            ("disallow", "none"),
            ("unknown", "none"),
        ]
    );
    let twice = r#"{"image_url":"https://a.example/","page_url":"https://a.example/","page_url":"https://b.example/"}"#;
    let rest = json!({"image_url": open, "page_url": open});
    let judged = judged(
        &format!("{rest}\n{twice}\n"),
        &[&BOTH[..], &NEWEST].concat(),
    );
    assert_eq!(judged[1]["prefs_reason"], "member_repeated");
}

#[test]
fn local_a_policy_drops_a_pair_for_either_url() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let urls = urls();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("a file");
        file
    };
    // Sites of which nothing is known are kept alone: what is unknown of the other URL drops the pair.
    let policy = write(
        "keep.toml",
        "preset = \"strict\"\n[unknown]\nsite = \"keep\"\n",
    );
    let policy = policy.to_string_lossy().into_owned();
    let is_kept = |flags: &[&str], lines: &[Value]| -> Vec<bool> {
        let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        let kept = judged(&text, &[flags, &NEWEST].concat());
        lines
            .iter()
            .map(|line| kept.iter().any(|kept| kept["n"] == line["n"]))
            .collect()
    };
    for policy in ["robots", "labels", "strict", &policy] {
        let flags = ["--policy", policy];
        let alone: Vec<Value> = urls
            .iter()
            .enumerate()
            .map(|(n, url)| json!({"n": n, "url": url}))
            .collect();
        let alone = is_kept(&flags, &alone);
        let pair = |n: usize| (n, (n * 5 + 1) % urls.len());
        let pairs: Vec<Value> = (0..urls.len())
            .map(pair)
            .map(|(n, page)| json!({"n": n, "image_url": urls[n], "page_url": urls[page]}))
            .collect();
        let expected: Vec<bool> = (0..urls.len())
            .map(pair)
            .map(|(image, page)| alone[image] && alone[page])
            .collect();
        assert_eq!(
            is_kept(&[&flags[..], &BOTH].concat(), &pairs),
            expected,
            "{policy}"
        );
    }
}

#[test]
fn local_pairs_in_parquet_are_those_in_lines_and_both_columns_must_be_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let urls = urls();
    let turned: Vec<Option<&str>> = (0..urls.len())
        .map(|n| (n % 5 > 0).then_some(urls[(n + 4) % urls.len()].as_str()))
        .collect();
    let lines: Vec<Value> = urls
        .iter()
        .zip(&turned)
        .map(|(image, page)| json!({"image_url": image, "page_url": page}))
        .collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("image_url", Arc::new(StringArray::from_iter_values(&urls))),
        ("page_url", Arc::new(StringArray::from_iter(turned))),
    ];
    let (in_lines, in_parquet) = (
        folder.path().join("a.jsonl"),
        folder.path().join("b.parquet"),
    );
    write_lines(&in_lines, &lines);
    write_parquet(&in_parquet, columns);
    let out = folder.path().join("out");
    let (status, text) = judge(
        &[&in_lines, &in_parquet],
        &out,
        &[&BOTH[..], &NEWEST].concat(),
    );
    assert_eq!(status, 0, "{text}");
    let of_lines = fs::read_to_string(out.join("a.jsonl")).expect("an output");
    let rows = rows_of(&out.join("b.parquet"));
    assert_eq!(
        (of_lines.lines().count(), rows.len()),
        (urls.len(), urls.len())
    );
    for (line, row) in of_lines.lines().zip(&rows) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        for name in ["access", "reason", "source", "train_ai", "tdm", "not_seen"] {
            let name = format!("prefs_{name}");
            assert_eq!(value(row, &name), line[&name], "{name} of {line}");
        }
    }
    let other = ["--url", "image_url", "--url", "no_such"];
    let (status, text) = judge(
        &[&in_lines, &in_parquet],
        &folder.path().join("other"),
        &other,
    );
    assert_eq!(status, 3, "{text}");
    assert!(
        text.contains("no column no_such") && text.contains("no line has a member no_such"),
        "{text}"
    );
    let list = folder.path().join("c.txt");
    fs::write(&list, "https://a.example/\n").expect("a file");
    let (status, text) = judge(&[&list], &folder.path().join("list"), &BOTH);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("one URL a line"), "{text}");
}
