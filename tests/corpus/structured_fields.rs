//! The cases of github.com/httpwg/structured-field-tests: dictionaries as statements of AIPREF, lists as
//! App-Directives, items as values of their directives.
//!
//! They are the folder `structured-field-tests` of the corpora.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::corpus;
use crawlprefs::systems::aipref_vocab::{MAX_LABELS, Vocabulary, VocabularyStatement, members};
use crawlprefs::systems::app_directives::{DirectiveMember as AppMember, DirectiveValue};
use crawlprefs::systems::structured_field::field_value;
use crawlprefs::web::preference::Preference;
use crawlprefs::web::shown::shown;
use data_encoding::{BASE32, BASE64};
use serde_json::Value;

fn cases(folder: &Path, kind: &str) -> Vec<Value> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    let read = |path| fs::read(path).expect("a file");
    let list = |text: Vec<u8>| serde_json::from_slice::<Vec<Value>>(&text).expect("a list");
    let mut cases: Vec<Value> = paths.iter().flat_map(|path| list(read(path))).collect();
    cases.retain(|case| case["header_type"] == kind);
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
    members
        .iter()
        .map(|member| {
            (
                member[0].as_str().expect("a key"),
                preference(&member[1][0]),
            )
        })
        .collect()
}

fn check(case: &Value) {
    let name = case["name"].as_str().expect("a name");
    let raw = case["raw"].as_array().expect("lines");
    // The lines as they are: white space at their ends is the HTTP parser's, and part of the case.
    let value = raw
        .iter()
        .map(|line| line.as_str().expect("a string"))
        .collect::<Vec<_>>()
        .join(", ");
    let plain = Vocabulary::named("03").expect("a draft");
    if case["must_fail"] == true {
        assert!(
            VocabularyStatement::parse(value.as_bytes(), &plain).is_err(),
            "{name}"
        );
        return;
    }
    let expected = expected(case);
    let labels = expected
        .iter()
        .take(MAX_LABELS)
        .map(|(key, _)| *key)
        .collect::<Vec<_>>()
        .join("\n");
    let vocabulary = Vocabulary::from_lines("keys of the case", labels.as_bytes()).unwrap_or(plain);
    let statement = VocabularyStatement::parse(value.as_bytes(), &vocabulary).expect(name);
    for (key, preference) in expected.iter().take(MAX_LABELS) {
        let label = vocabulary.label(key).expect("a label");
        assert_eq!(
            statement.answers(&vocabulary).of(label),
            *preference,
            "{name}"
        );
    }
    let members = members(value.as_bytes(), &vocabulary).expect(name);
    let mut keys: Vec<_> = members
        .iter()
        .filter(|member| member.defect != Some("superseded"))
        .map(|member| member.key)
        .collect();
    let mut expected: Vec<_> = expected.iter().map(|(key, _)| key.as_bytes()).collect();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected, "{name}");
}

#[test]
fn rfc9651_4_2_2_published_cases() {
    let Some(folder) = corpus("structured-field-tests") else {
        println!("skipped: the cases are not there");
        return;
    };
    let cases = cases(&folder, "dictionary");
    assert_eq!(cases.len(), 342);
    cases.iter().for_each(check);
}

/// The joining of lines is that of RFC 9651 4.2, as the published cases have it.
#[test]
fn rfc9651_4_2_lines_are_joined_as_published() {
    let lines = [b"a=1".as_slice(), b"b=2"];
    assert_eq!(field_value(&lines).as_deref(), Some(b"a=1, b=2".as_slice()));
}

/// The lines as they are, joined.
fn joined(case: &Value) -> String {
    let raw = case["raw"].as_array().expect("lines");
    raw.iter()
        .map(|line| line.as_str().expect("a string"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the type and text of a bare item as a directive's value has them.
fn bare(item: &Value) -> (&'static str, String) {
    let text = || item["value"].as_str().expect("text").to_owned();
    match (item["__type"].as_str(), item) {
        (Some("token"), _) => ("token", text()),
        (Some("date"), _) => ("date", item["value"].to_string()),
        (Some("displaystring"), _) => ("display_string", shown(text().as_bytes()).into_owned()),
        (Some("binary"), _) => (
            "binary",
            BASE64.encode(&BASE32.decode(text().as_bytes()).expect("Base32")),
        ),
        (Some(other), _) => panic!("{other}"),
        (None, Value::Bool(truth)) => ("boolean", truth.to_string()),
        (None, Value::String(text)) => ("string", text.clone()),
        (None, Value::Number(number)) if number.is_i64() => ("integer", number.to_string()),
        (None, Value::Number(number)) => (
            "decimal",
            format!("{:?}", number.as_f64().expect("a number")),
        ),
        (None, _) => panic!("{item}"),
    }
}

/// Returns parameters by name; the last value counts (RFC 9651 4.2.3.2).
fn parameters(of: &Value) -> BTreeMap<&str, (&'static str, String)> {
    let list = of.as_array().expect("a list").iter();
    list.map(|one| (one[0].as_str().expect("a key"), bare(&one[1])))
        .collect()
}

fn directives(member: &AppMember) -> BTreeMap<&str, (&'static str, String)> {
    let of = |value: &DirectiveValue| match value.kind {
        "decimal" => format!("{:?}", value.text.parse::<f64>().expect("a number")),
        _ => value.text.clone(),
    };
    member
        .directives
        .iter()
        .map(|(name, value)| (name.as_str(), (value.kind, of(value))))
        .collect()
}

/// Ours: members that are not tokens name no application, so that their parameters direct nothing.
#[test]
fn rfc9651_4_2_1_published_cases_of_lists_are_app_directives() {
    let Some(folder) = corpus("structured-field-tests") else {
        println!("skipped: the cases are not there");
        return;
    };
    let cases = cases(&folder, "list");
    assert_eq!(cases.len(), 259);
    for case in &cases {
        let (name, value) = (case["name"].as_str().expect("a name"), joined(case));
        let members = AppMember::all(value.as_bytes());
        if case["must_fail"] == true {
            assert!(members.is_err(), "{name}");
            continue;
        }
        let (members, expected) = (
            members.expect(name),
            case["expected"].as_array().expect("members"),
        );
        assert_eq!(members.len(), expected.len(), "{name}");
        for (member, expected) in members.iter().zip(expected) {
            let token = (expected[0]["__type"] == "token")
                .then(|| expected[0]["value"].as_str())
                .flatten();
            assert_eq!(member.application.as_deref(), token, "{name}");
            let of_token = if token.is_some() {
                parameters(&expected[1])
            } else {
                BTreeMap::new()
            };
            assert_eq!(directives(member), of_token, "{name}");
        }
    }
}

/// An item is read as the value of a directive; its own parameters are then further directives.
#[test]
fn rfc9651_4_2_3_published_cases_of_items_are_values_of_directives() {
    let Some(folder) = corpus("structured-field-tests") else {
        println!("skipped: the cases are not there");
        return;
    };
    let (cases, mut tabs) = (cases(&folder, "item"), 0);
    assert_eq!(cases.len(), 674);
    for case in &cases {
        let (name, value) = (case["name"].as_str().expect("a name"), joined(case));
        let item = value.trim_matches(' ');
        if item.starts_with('\t') || item.ends_with('\t') {
            // RFC 9651 4.2: around an item is SP only, but around members of lists HTAB, too.
            assert_eq!(case["must_fail"], true, "{name}");
            tabs += 1;
            continue;
        }
        let list = format!("app;value={item}");
        let member = AppMember::all(list.as_bytes())
            .ok()
            .filter(|members| members.len() == 1);
        match (
            case["must_fail"].as_bool(),
            case["can_fail"].as_bool(),
            member,
        ) {
            (Some(true), _, member) => assert_eq!(member, None, "{name}"),
            (_, Some(true), None) => {}
            (_, _, None) => panic!("{name} is not read: {value}"),
            (_, _, Some(members)) => {
                let mut expected = parameters(&case["expected"][1]);
                expected.insert("value", bare(&case["expected"][0]));
                assert_eq!(directives(&members[0]), expected, "{name}");
            }
        }
    }
    assert_eq!(tabs, 3);
}
