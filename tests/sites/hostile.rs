//! An index from a stranger, or one that was damaged: a wrong one is an error that names its file, never a panic, and never a
//! yes where its files say no.
//!
//! Each host of the index here closes everything to everyone: whatever is changed, no page of them is allowed.

use crate::hostile_parts::{Parts, bodies, fetch, list, long_list, part_name};
use crate::rounds::rounds;
use crate::run;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int16Array, Int32Array, Int64Array, StringArray};
use fastrand::Rng;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const INDEX_FILE: &str = "_index.json";
const FETCHES: &str = "fetches/";
const BODIES: &str = "bodies/";
const ARCHIVES: &str = "archives/";

/// Runs a command over an index; returns what it says where it fails. It does not panic, and where it succeeds nothing is
/// allowed.
fn fault(case: &str, command: &[&str]) -> Option<String> {
    let ran = run(command);
    let (printed, said) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(
        !said.contains("panicked") && ran.status.code().is_some(),
        "{case}: {said}"
    );
    assert!(
        !printed.contains(r#""prefs_access":"allow""#),
        "{case}: {printed}"
    );
    assert!(
        !printed.contains(r#""prefs_train_ai":"allow""#),
        "{case}: {printed}"
    );
    if ran.status.success() {
        return None;
    }
    assert_eq!(ran.status.code(), Some(1), "{case}: {said}");
    assert!(!printed.contains("prefs_access"), "{case}: {printed}");
    Some(said.into_owned())
}

/// Writes the URLs of a page of each host; returns where.
fn pages(index: &Path) -> String {
    let urls = index.with_extension("jsonl");
    let lines =
        ["a", "b", "c"].map(|host| json!({"url": format!("https://{host}.example/x")}).to_string());
    fs::write(&urls, lines.join("\n")).expect("a file");
    urls.to_string_lossy().into_owned()
}

/// Judges a page of each host by an index.
fn judged(case: &str, index: &Path) -> Option<String> {
    let (urls, index) = (pages(index), index.to_string_lossy());
    fault(
        case,
        &[
            "judge", "-q", &urls, "--sites", &index, "--at", "newest", "-j", "1",
        ],
    )
}

/// Makes another index of one.
fn merged(case: &str, index: &Path) -> Option<String> {
    let out = index.with_extension("merged");
    // There is none yet, or that of another case.
    let _ = fs::remove_dir_all(&out);
    let (index, out) = (index.to_string_lossy(), out.to_string_lossy());
    let found = fault(case, &["index", "-q", &index, "-o", &out, "--overwrite"]);
    // What could not be written is not an index.
    assert!(
        found.is_none() || !Path::new(&*out).join(INDEX_FILE).exists(),
        "{case}"
    );
    found
}

#[test]
fn local_the_index_that_is_changed_here_closes_everything() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    Parts::good().write(&index);
    assert_eq!(judged("good", &index), None);
    assert_eq!(merged("good", &index), None);
    let urls = pages(&index);
    let ran = run(&[
        "judge",
        "-q",
        &urls,
        "--sites",
        &index.to_string_lossy(),
        "--at",
        "newest",
    ]);
    let printed = String::from_utf8(ran.stdout).expect("UTF-8");
    assert_eq!(
        printed.matches(r#""prefs_access":"disallow""#).count(),
        3,
        "{printed}"
    );
}

/// Every value that a member of `_index.json` may wrongly have.
fn wrong(value: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!("../../etc/passwd"),
        json!(-1),
        json!([]),
        json!({"start": 1}),
    ];
    let near = match value {
        Value::Number(number) => {
            let number = number.as_u64().expect("whole");
            vec![
                json!(0),
                json!(1),
                json!(number + 1),
                json!(number / 2),
                json!(u64::MAX),
                json!(1_u64 << 40),
            ]
        }
        Value::String(text) => {
            vec![
                json!(""),
                json!(format!("{text}0")),
                json!("zz"),
                json!("\u{0}"),
                json!("é"),
            ]
        }
        Value::Array(items) => {
            let twice: Vec<Value> = items.iter().chain(items).cloned().collect();
            vec![json!(twice), json!(items.iter().rev().collect::<Vec<_>>())]
        }
        _ => Vec::new(),
    };
    let wrong = near.into_iter().chain(others);
    wrong.filter(|other| other != value).collect()
}

/// The places of all values below one, as JSON Pointers (RFC 6901).
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |name: String, value: &Value| {
        let at = format!("{at}/{name}");
        found.push(at.clone());
        places(value, &at, found);
    };
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| below(name.clone(), value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, value)| below(at.to_string(), value)),
        _ => {}
    }
}

#[test]
fn local_a_part_of_fetches_without_row_groups_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    Parts::good().write(&index);
    let text = fs::read(index.join(INDEX_FILE)).expect("the index");
    let mut manifest: Value = serde_json::from_slice(&text).expect("JSON");
    let mut part = manifest["fetches"][0].clone();
    part["groups"] = Value::Array(Vec::new());
    manifest["fetches"]
        .as_array_mut()
        .expect("parts")
        .insert(0, part);
    fs::write(index.join(INDEX_FILE), manifest.to_string()).expect("the index");
    let message = judged("a part without row groups", &index).expect("an error");
    assert!(
        message.contains("a part of its fetches has no row groups"),
        "{message}"
    );
}

#[test]
fn local_a_row_group_that_is_named_often_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    Parts::good().write(&index);
    let text = fs::read(index.join(INDEX_FILE)).expect("the index");
    let whole: Value = serde_json::from_slice(&text).expect("JSON");
    for place in ["/fetches/0/groups", "/archives/groups", "/fetches"] {
        let mut manifest = whole.clone();
        let groups = manifest
            .pointer_mut(place)
            .and_then(Value::as_array_mut)
            .expect("a list");
        *groups = (0..3000).map(|_| groups[0].clone()).collect();
        fs::write(index.join(INDEX_FILE), manifest.to_string()).expect("the index");
        for found in [judged(place, &index), merged(place, &index)] {
            let said = found.expect("an error");
            let is_refused =
                said.contains("do not follow each other") || said.contains("are not sorted");
            assert!(is_refused, "{place}: {said}");
        }
    }
}

#[test]
fn local_a_wrong_manifest_is_refused_or_changes_no_answer_to_a_yes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    Parts::good().write(&index);
    let text = fs::read(index.join(INDEX_FILE)).expect("the index");
    let whole: Value = serde_json::from_slice(&text).expect("JSON");
    let mut found = Vec::new();
    places(&whole, "", &mut found);
    let mut refused = 0;
    let mut judge = |case: String, text: &[u8]| {
        fs::write(index.join(INDEX_FILE), text).expect("the index");
        if let Some(message) = judged(&case, &index) {
            let names = [INDEX_FILE, FETCHES, BODIES, ARCHIVES];
            let is_named = names.iter().any(|name| message.contains(name))
                || message.contains("--allow-incomplete");
            assert!(is_named, "{case}: {message}");
            refused += 1;
        }
    };
    // In a short run each place has some of its wrong values, the next place the next ones.
    let step = rounds(3, 1);
    for (number, place) in found.iter().enumerate() {
        for wrong in wrong(whole.pointer(place).expect("there"))
            .into_iter()
            .skip(number % step)
            .step_by(step)
        {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).expect("there") = wrong;
            judge(
                format!("{place} {}", changed.pointer(place).expect("there")),
                changed.to_string().as_bytes(),
            );
        }
    }
    for end in [0, 1, text.len() / 3, text.len() / 2, text.len() - 2] {
        judge(format!("the first {end} bytes"), &text[..end]);
    }
    judge("nested".to_owned(), "[".repeat(1 << 20).as_bytes());
    assert!(refused > 200 / step, "{refused} of {} places", found.len());
}

#[test]
fn local_a_damaged_part_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    Parts::good().write(&index);
    let mut random = Rng::with_seed(23);
    for folder in [FETCHES, BODIES] {
        let name = &part_name(&index, folder);
        let whole = fs::read(index.join(name)).expect("a part");
        for round in 0..rounds(8, 24) {
            let (mut bytes, at) = (whole.clone(), random.usize(..whole.len()));
            if round % 2 == 0 {
                bytes[at] ^= 1 << random.usize(..8)
            } else {
                bytes.truncate(at)
            }
            fs::write(index.join(name), bytes).expect("a part");
            let case = format!("{name}, byte {at}, round {round}");
            for message in [judged(&case, &index), merged(&case, &index)] {
                assert!(
                    message.is_none_or(|message| message.contains(name)),
                    "{case}"
                );
            }
            let verified = run(&["status", "--verify", &index.to_string_lossy()]);
            assert_eq!(verified.status.code(), Some(3), "{case}");
            assert!(
                String::from_utf8_lossy(&verified.stdout).contains(name),
                "{case}"
            );
        }
        fs::write(index.join(name), whole).expect("a part");
    }
}

/// Who finds what is wrong.
#[derive(Clone, Copy, PartialEq)]
enum Finds {
    Both,
    Merging,
}

/// Writes an index with right digests, of which the rows are wrong; it is refused.
fn refused(case: &str, finds: Finds, file: &str, spoil: impl FnOnce(&mut Parts)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    let mut parts = Parts::good();
    spoil(&mut parts);
    parts.write(&index);
    let found = [judged(case, &index), merged(case, &index)];
    assert!(
        finds == Finds::Merging || found[0].is_some(),
        "{case}: it was judged"
    );
    assert!(found[1].is_some(), "{case}: it was merged");
    for message in found.iter().flatten() {
        assert!(
            message.contains(file) && message.contains("site index cannot be read"),
            "{case}: {message}"
        );
    }
}

/// Replaces a column of the first row group of `fetches`.
fn column(name: &'static str, values: impl Fn() -> ArrayRef) -> impl FnOnce(&mut Parts) {
    let values = values();
    move |parts: &mut Parts| parts.replace(name, values)
}

#[test]
fn local_rows_that_cannot_be_are_refused() {
    let numbers =
        |numbers: [i64; 2]| move || Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef;
    let texts =
        |texts: [&'static str; 2]| move || Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let both = |case, name, values: ArrayRef| {
        refused(case, Finds::Both, FETCHES, column(name, || values.clone()));
    };
    both(
        "unsorted",
        "surt_host_name",
        texts(["example,b", "example,a"])(),
    );
    both(
        "beyond the next row group",
        "surt_host_name",
        texts(["example,a", "example,d"])(),
    );
    let other = column("surt_host_name", || texts(["example,a", "example,c"])());
    refused("the name of another host", Finds::Merging, FETCHES, other);
    both(
        "an unknown protocol",
        "url_protocol",
        texts(["https", "gopher"])(),
    );
    both("an unknown kind", "kind", texts(["robots", "humans"])());
    both(
        "a port that is none",
        "url_port",
        Arc::new(Int32Array::from(vec![None, Some(65_536 + 443)])),
    );
    both(
        "a negative port",
        "url_port",
        Arc::new(Int32Array::from(vec![None, Some(-1)])),
    );
    both(
        "a status that is none",
        "fetch_status",
        Arc::new(Int16Array::from(vec![200, -200])),
    );
    both("a negative body", "body", numbers([0, -1])());
    both(
        "a body without a length",
        "body_bytes",
        Arc::new(Int32Array::from(vec![Some(26), None])),
    );
    both(
        "times without archives",
        "archives",
        list::<Int32Type>(vec![vec![0], vec![]]),
    );
    both(
        "a time that is none",
        "fetch_unix_s",
        list::<Int64Type>(vec![vec![1], vec![i64::MAX]]),
    );
    let absent = column("archives", || list::<Int32Type>(vec![vec![0], vec![7]]));
    refused(
        "an archive that is not there",
        Finds::Merging,
        "archive 7",
        absent,
    );
}

/// A few kilobytes would be gigabytes once they are decoded.
#[test]
fn local_a_long_list_in_a_short_part_is_refused_before_it_is_decoded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    let mut parts = Parts::good();
    parts.replace("undated_archives", long_list(17_000_000));
    parts.write(&index);
    assert!(
        fs::metadata(index.join(part_name(&index, FETCHES)))
            .expect("a part")
            .len()
            < 30_000
    );
    for message in [judged("a long list", &index), merged("a long list", &index)] {
        let message = message.expect("it is refused");
        assert!(
            message.contains("bytes of memory") && message.contains(FETCHES),
            "{message}"
        );
    }
}

#[test]
fn local_bodies_that_lead_nowhere_are_refused() {
    let body = |case, number: [i64; 2]| {
        let values = move || Arc::new(Int64Array::from(number.to_vec())) as ArrayRef;
        refused(case, Finds::Both, ".parquet", column("body", values));
    };
    body("beyond all", [0, 3]);
    body("far beyond", [i64::MAX, 1]);
    let about = |case, file, about: &'static str| {
        refused(case, Finds::Both, file, |parts| {
            parts.about = Some(about.to_owned())
        });
    };
    about("no list", FETCHES, "");
    about("nonsense", FETCHES, "0 3 0 4 x y");
    about("another part", INDEX_FILE, "0 3 1 4 300 00");
    about("beyond the end", BODIES, "0 3 0 4 1099511627776 00");
    about(
        "a sum beyond numbers",
        BODIES,
        "0 3 0 18446744073709551615 9 00",
    );
    about(
        "another digest",
        BODIES,
        "0 3 0 4 300 9f86d081884c7d659a2feaa0c55ad015",
    );
    about(
        "ranges that overlap",
        FETCHES,
        "0 3 0 4 300 00\n1 1 0 4 300 00",
    );
    about(
        "two places of one body",
        FETCHES,
        "0 3 0 4 300 00\n0 3 0 5 300 00",
    );
    about(
        "numbers beyond numbers",
        FETCHES,
        "18446744073709551615 3 0 4 300 00",
    );
    let group = |case, group: fn(&mut Parts)| refused(case, Finds::Both, BODIES, group);
    group("other numbers", |parts| {
        parts.bodies = bodies(&[5, 1, 2], None)
    });
    group("numbers in another order", |parts| {
        parts.bodies = bodies(&[1, 0, 2], None)
    });
    group("fewer bodies than said", |parts| {
        parts.bodies = bodies(&[0, 1], None)
    });
    let longer = b"User-agent: *\nAllow: /\n#".repeat(9);
    refused("another length", Finds::Merging, BODIES, move |parts| {
        parts.bodies = bodies(&[0, 1, 2], Some((1, longer)));
    });
}

#[test]
fn local_a_body_that_has_the_digest_of_another_never_takes_its_place() {
    // By the digest alone, hosts of another index would have this file once the two are one.
    let other = b"User-agent: *\nDisallow: /".to_vec();
    refused("a wrong digest", Finds::Both, BODIES, |parts| {
        parts.bodies = bodies(&[0, 1, 2], Some((0, other)));
    });
    for wrong in ["", "A", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "é"] {
        refused("no digest", Finds::Both, BODIES, |parts| {
            let digests = StringArray::from(vec![wrong; 3]);
            let mut columns = parts.bodies.columns().to_vec();
            columns[1] = Arc::new(digests);
            parts.bodies =
                arrow_array::RecordBatch::try_new(parts.bodies.schema(), columns).expect("bodies");
        });
    }
}

#[test]
fn local_long_and_circular_redirects_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = folder.path().join("index");
    let mut parts = Parts::good();
    // Each of a thousand hosts leads to the next one, and the last one to the first one.
    let host = |number: usize| format!("b{:03}.example", number % 1000);
    let chain = (0..1000).map(|at| {
        fetch(
            &host(at),
            301,
            Some(&format!("https://{}/robots.txt", host(at + 1))),
        )
    });
    let start = fetch("b.example", 301, Some("https://b000.example/robots.txt"));
    let first = fetch("a.example", 301, Some("/robots.txt"));
    parts.rows([first, start].into_iter().chain(chain).collect());
    parts.write(&index);
    // A file that is behind more than five redirects is unavailable (RFC 9309, 2.3.1.2).
    let (urls, sites) = (pages(&index), index.to_string_lossy().into_owned());
    let ran = run(&["judge", "-q", &urls, "--sites", &sites, "--at", "newest"]);
    let printed = String::from_utf8(ran.stdout).expect("UTF-8");
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let states: Vec<&Value> = lines
        .iter()
        .map(|line| &line["prefs_robots_state"])
        .collect();
    assert_eq!(
        states,
        ["unavailable", "unavailable", "parsed"],
        "{printed}"
    );
    for host in ["a.example", "b.example", "b500.example"] {
        let (index, url) = (index.to_string_lossy(), format!("https://{host}/x"));
        let ran = run(&["explain", "--sites", &index, "--url", &url]);
        assert!(
            ran.status.success(),
            "{host}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let ran = run(&["history", host, "--sites", &index]);
        assert!(
            ran.status.success(),
            "{host}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    assert_eq!(merged("redirects", &index), None);
}
