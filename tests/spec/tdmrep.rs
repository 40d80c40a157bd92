//! TDMRep: RULES LIVE-3, case by case.

use crate::statement_rows::{file_rows, rows};
use crawlprefs::explain::json::explain;
use crawlprefs::systems::Source;
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::{Carrier, Field};
use serde_json::{Value, json};

fn explained(file: Option<&str>, headers: &[(&str, &str)], metas: &[(&str, &str)]) -> Value {
    let files: Vec<Value> = file
        .iter()
        .map(|body| json!({ "kind": "tdmrep", "body": body }))
        .collect();
    let metas: Vec<Value> = metas
        .iter()
        .map(|(name, content)| json!({ "name": name, "content": content }))
        .collect();
    explain(&json!({
        "id": "x", "url": "https://a.example/news/1", "site_files": files, "headers": headers, "meta": metas,
    }))
}

/// The reservation and the policy.
fn said(answer: &Value) -> (Option<&str>, Option<&str>) {
    (
        answer["columns"]["tdm_reservation"].as_str(),
        answer["columns"]["tdm_policy"].as_str(),
    )
}

#[test]
fn tdmrep_the_file_and_the_shapes_in_which_it_is_found() {
    for (file, expected) in [
        (
            r#"[{"location": "/", "tdm-reservation": 1}]"#,
            (Some("1"), None),
        ),
        (
            r#"[{"location": "/news/*", "tdm-reservation": 0}]"#,
            (Some("0"), None),
        ),
        (
            r#"[{"location": "/other", "tdm-reservation": 1}]"#,
            (None, None),
        ),
        (
            r#"[{"location": "/news/1$", "tdm-reservation": 1, "tdm-policy": "https://p"}]"#,
            (Some("1"), Some("https://p")),
        ),
        // The first entry that matches counts, and a bad one harms no other.
        (
            r#"[{"location":"/news","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#,
            (Some("0"), None),
        ),
        (
            r#"[7, null, {"location":"/"}, {"location":"/","tdm-reservation":2}, {"tdm-reservation":0}, {"location":"/","tdm-reservation":1}]"#,
            (Some("1"), None),
        ),
        // What is really found.
        (
            r#"{"location": "/", "tdm-reservation": 1}"#,
            (Some("1"), None),
        ),
        (
            r#"{"tdmrep": [{"location": "/", "tdm-reservation": 0}]}"#,
            (Some("0"), None),
        ),
        (
            r#"[{"location": "/", "tdm_reservation": "1", "tdm_policy": "p"}]"#,
            (Some("1"), Some("p")),
        ),
        (
            "\u{FEFF}[{\"location\": \"/\", \"tdm-reservation\": 1.0}]",
            (Some("1"), None),
        ),
        (
            "\n \n\u{FEFF}\u{FEFF}[{\"location\": \"/\", \"tdm-reservation\": 1}]",
            (Some("1"), None),
        ),
        (
            r#"[{"location": "/", "tdm-reservation": "Yes"}]"#,
            (Some("1"), None),
        ),
        (
            r#"[{"location": "/", "tdm-reservation": "false"}]"#,
            (Some("0"), None),
        ),
        (
            r#"{"version": 1, "policies": [{"location": "/", "tdm-reservation": 1}]}"#,
            (Some("1"), None),
        ),
        (r#"{"tdm-reservation": 1}"#, (Some("1"), None)),
        (
            r#"[{"location": "https://A.example:443/", "tdm-reservation": 1}]"#,
            (Some("1"), None),
        ),
        (
            r#"[{"location": "https://b.example/", "tdm-reservation": 1}]"#,
            (None, None),
        ),
        // As if absent.
        (
            r#"[{"location": "/", "tdm-reservation": true}]"#,
            (None, None),
        ),
        (r#"[{"tdm-reservation": 1}]"#, (None, None)),
        (
            r#"[{"location": "/", "tdm-reservation": "maybe"}]"#,
            (None, None),
        ),
        (
            r#"[{"location": "news", "tdm-reservation": 1}]"#,
            (None, None),
        ),
        (r#"{"policy": {"tdm": {"reservation": 1}}}"#, (None, None)),
        (
            r#"[{"location": "/", "tdm-reservation": 1},]"#,
            (None, None),
        ),
        ("<html>", (None, None)),
        ("", (None, None)),
    ] {
        assert_eq!(said(&explained(Some(file), &[], &[])), expected, "{file}");
    }
}

#[test]
fn tdmrep_meta_over_header_over_file_and_absence_replaces_nothing() {
    let file = Some(r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "file"}]"#);
    let header = |value| [("TDM-Reservation", value)];
    let meta = |value| [("tdm-Reservation", value)];
    for (file, headers, metas, expected, carrier) in [
        (file, &header("0")[..], &[][..], (Some("0"), None), "header"),
        (
            file,
            &header("yes"),
            &[],
            (Some("1"), Some("file")),
            "tdmrep",
        ),
        (
            file,
            &header("0"),
            &meta("1"),
            (Some("1"), Some("file")),
            "meta",
        ),
        (file, &header("1"), &meta("0"), (Some("0"), None), "meta"),
        (
            file,
            &header("1"),
            &meta(" "),
            (Some("1"), Some("file")),
            "header",
        ),
        (None, &header(" 1 "), &[], (Some("1"), None), "header"),
        (
            None,
            &[("tdm-reservation", "1"), ("tdm-policy", "h")],
            &[("tdm-policy", "m")],
            (Some("1"), Some("m")),
            "header",
        ),
        // Ours: of several lines a reservation counts.
        (
            None,
            &[("tdm-reservation", "0"), ("tdm-reservation", "1")],
            &[],
            (Some("1"), None),
            "header",
        ),
        (None, &[("tdm-policy", "h")], &[], (None, None), ""),
    ] {
        let answer = explained(file, headers, metas);
        assert_eq!(said(&answer), expected, "{headers:?} {metas:?}");
        let reason = answer["reasons"]
            .as_array()
            .expect("reasons")
            .iter()
            .find(|one| one["system"] == "tdmrep");
        assert_eq!(
            reason.map_or("", |one| one["carrier"].as_str().expect("a carrier")),
            carrier
        );
    }
}

fn of_file(file: &str) -> Vec<String> {
    file_rows("tdmrep", CaptureKind::Tdmrep, file.as_bytes())
}

#[test]
fn local_statements_of_the_file_have_the_line_on_which_their_entry_begins() {
    let file = "[\n  {\"location\": \"/a\",\n   \"tdm-reservation\": 1, \"tdm-policy\": \"p\"},\n  {\"location\": \"/b\", \"tdm-reservation\": 0},\n  {\"location\": \"/c\", \"tdm-reservation\": \"1\"},\n  {\"location\": \"/d\", \"tdm_reservation\": 1}, {\"location\": \"e\", \"tdm-reservation\": 1},\n  {\"location\": \"/f\", \"tdm-reservation\": null}, {\"tdm-reservation\": 1}, {\"location\": \"/g\"}, 7]";
    assert_eq!(
        of_file(file),
        [
            "2 | - | /a | tdm-reservation | 1 | tdm | disallow | -",
            "2 | - | /a | tdm-policy | p | tdm-policy | - | -",
            "4 | - | /b | tdm-reservation | 0 | tdm | unknown | -",
            "5 | - | /c | tdm-reservation | 1 | tdm | disallow | number_as_string",
            "6 | - | /d | tdm-reservation | 1 | tdm | disallow | underscores",
            "6 | - | e | tdm-reservation | 1 | tdm | disallow | path_without_slash",
            "7 | - | /f | tdm-reservation | null | tdm | - | unknown_value",
            "7 | - | - | tdm-reservation | 1 | tdm | - | no_location",
            "7 | - | /g | - | - | tdm | - | no_reservation",
            "7 | - | - | - | - | tdm | - | no_entry",
        ]
    );
}

/// A file full of entries: each line end is counted once.
#[test]
fn local_large_files_are_read_in_linear_time() {
    let file = format!("[{}7]", "{},\n".repeat(200_000));
    let rows = of_file(&file);
    assert_eq!(rows.len(), 200_001);
    assert_eq!(
        rows.last().expect("a row"),
        "200001 | - | - | - | - | tdm | - | no_entry"
    );
}

#[test]
fn local_statements_tell_the_shape() {
    assert_eq!(
        of_file(r#"{"location": "/", "tdm-reservation": 1}"#),
        ["1 | - | / | tdm-reservation | 1 | tdm | disallow | no_array"]
    );
    assert_eq!(
        of_file(r#"{"tdmrep": [{"location": "/", "tdm-reservation": 0}]}"#),
        ["1 | - | / | tdm-reservation | 0 | tdm | unknown | wrapped_array"]
    );
    assert_eq!(of_file("<html>"), ["1 | - | - | - | - | - | - | not_json"]);
    assert_eq!(of_file("[]"), ["1 | - | - | - | - | - | - | no_entry"]);
    assert_eq!(of_file("3"), ["1 | - | - | - | - | - | - | not_json"]);
}

#[test]
fn local_statements_of_records() {
    let signal = |carrier, name, value| Field {
        carrier,
        name,
        value,
    };
    let signals = [
        signal(Carrier::Header, "tdm-reservation", b"1"),
        signal(Carrier::Header, "tdm-policy", b"https://p"),
        signal(Carrier::Meta, "tdm-reservation", b"yes"),
        signal(Carrier::HttpEquiv, "tdm-reservation", b"1"),
        signal(Carrier::Header, "x-robots-tag", b"noindex"),
    ];
    assert_eq!(
        rows("tdmrep", &Source::Record(&signals)),
        [
            "- | - | - | tdm-reservation | 1 | tdm | disallow | -",
            "- | - | - | tdm-policy | https://p | tdm-policy | - | -",
            "- | - | - | tdm-reservation | yes | tdm | - | unknown_value",
            "- | - | - | tdm-reservation | 1 | tdm | disallow | -",
        ]
    );
}
