//! The cases of github.com/httpwg/structured-field-tests that are dictionaries.
//!
//! They lie outside the project, in `structured-field-tests` of the folder `CRAWLPREFS_CORPUS`.

use std::fs;
use std::path::PathBuf;

use crawlprefs::signals::aipref_attach::field_value;
use crawlprefs::signals::aipref_vocab::{MAX_LABELS, Meaning, Member, Statement, Vocabulary};
use crawlprefs::web::preference::Preference;
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let root = std::env::var("CRAWLPREFS_CORPUS").unwrap_or_else(|_| "../shared/corpus".to_owned());
    let folder = PathBuf::from(root).join("structured-field-tests");
    let there = folder.is_dir();
    assert!(there || std::env::var_os("CRAWLPREFS_NO_SKIP").is_none(), "{} is not there", folder.display());
    there.then_some(folder)
}

fn cases(folder: &PathBuf) -> Vec<Value> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path| fs::read(path).expect("a file");
    let list = |text: Vec<u8>| serde_json::from_slice::<Vec<Value>>(&text).expect("a list");
    let mut cases: Vec<Value> = paths.iter().flat_map(|path| list(read(path))).collect();
    cases.retain(|case| case["header_type"] == "dictionary");
    cases
}

/// Returns the keys that the case expects, and the preference each has as a statement.
fn expected(case: &Value) -> Vec<(&str, Preference)> {
    let members = case["expected"].as_array().expect("a list");
    let preference = |value: &Value| match (value["__type"].as_str(), value["value"].as_str()) {
        (Some("token"), Some("y")) => Preference::Allow,
        (Some("token"), Some("n")) => Preference::Disallow,
        _ => Preference::Unknown,
    };
    members.iter().map(|member| (member[0].as_str().expect("a key"), preference(&member[1][0]))).collect()
}

fn check(case: &Value) {
    let name = case["name"].as_str().expect("a name");
    let raw = case["raw"].as_array().expect("lines");
    // The lines as they are: white space at their ends is the HTTP parser's, and part of the case.
    let value = raw.iter().map(|line| line.as_str().expect("a string")).collect::<Vec<_>>().join(", ");
    let plain = Vocabulary::named("03").expect("a draft");
    if case["must_fail"] == true {
        assert!(Statement::parse(value.as_bytes(), &plain).is_err(), "{name}");
        return;
    }
    let expected = expected(case);
    let labels = expected.iter().take(MAX_LABELS).map(|(key, _)| *key).collect::<Vec<_>>().join("\n");
    let vocabulary = Vocabulary::from_lines("keys of the case", labels.as_bytes()).unwrap_or(plain);
    let statement = Statement::parse(value.as_bytes(), &vocabulary).expect(name);
    for (key, preference) in expected.iter().take(MAX_LABELS) {
        let label = vocabulary.label(key).expect("a label");
        assert_eq!(statement.answers(&vocabulary).of(label), *preference, "{name}");
    }
    let members = Member::all(value.as_bytes(), &vocabulary).expect(name);
    let mut keys: Vec<_> = members
        .iter()
        .filter(|member| member.meaning != Meaning::Superseded)
        .map(|member| member.key)
        .collect();
    let mut expected: Vec<_> = expected.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected, "{name}");
}

#[test]
fn rfc9651_4_2_2_published_cases() {
    let Some(folder) = folder() else {
        println!("skipped: the cases are not there");
        return;
    };
    let cases = cases(&folder);
    assert!(cases.len() > 50, "{} cases", cases.len());
    cases.iter().for_each(check);
    println!("{} cases", cases.len());
}

/// The joining of lines is that of RFC 9651 4.2, as the published cases have it.
#[test]
fn rfc9651_4_2_lines_are_joined_as_published() {
    let lines = [b"a=1".as_slice(), b"b=2"];
    assert_eq!(field_value(&lines).as_deref(), Some(b"a=1, b=2".as_slice()));
}
