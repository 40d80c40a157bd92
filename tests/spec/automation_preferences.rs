//! automation-preferences.txt: what the vectors of `auto.json` leave open, and its statements.

use crate::statement_rows::file_rows;
use crawlprefs::explain::json::explain;
use crawlprefs::web::capture_kind::CaptureKind;
use serde_json::{Value, json};

fn explained(file: &str, url: &str, method: &str) -> Value {
    explain(&json!({
        "id": "x", "url": url, "product_token": "CCBot", "method": method,
        "robots_txt": "User-agent: *\nAllow: /\n", "automation_preferences_txt": file,
    }))
}

/// The deciding scope and its methods.
fn decided(file: &str, url: &str) -> (Option<String>, Vec<String>) {
    let answer = explained(file, url, "GET");
    let methods = answer["allowed_methods"].as_array().into_iter().flatten();
    (
        answer["group_scope"].as_str().map(str::to_owned),
        methods
            .map(|method| method.as_str().expect("a name").to_owned())
            .collect(),
    )
}

#[test]
fn autoctl_groups_of_the_file() {
    let url = "https://example.com/a/b?q=1";
    for (file, scope, methods) in [
        // AMB-AUTO-1: the name of the first line opens a new group behind what is allowed, where more is allowed.
        (
            "scope: /\nallowed-methods: GET\nscope: /a\nallowed-methods: HEAD",
            Some("/a"),
            vec!["HEAD"],
        ),
        (
            "scope: /\nallowed-methods: GET\nuser-agent: x\nscope: /a\n",
            None,
            vec![],
        ),
        (
            "scope: /\nallowed-methods: GET\nallowed-methods: post, GET\n",
            Some("/"),
            vec!["GET", "POST"],
        ),
        (
            "scope: /x\nallowed-methods: GET\nscope: /\n",
            Some("/"),
            vec!["GET"],
        ),
        (
            "host: a\nallowed-methods: GET\nscope: /\nallowed-methods: HEAD\n",
            None,
            vec![],
        ),
        (
            "allowed-methods: GET\nallowed-methods: HEAD\nallowed-methods: PUT\nscope: /\n",
            Some("/"),
            vec!["GET", "HEAD", "PUT"],
        ),
        // AMB-AUTO-2 and -3: comments end no group, blank lines do.
        (
            "scope: /\n# c\n<!-- d\n\ne -->\nallowed-methods: GET\n",
            Some("/"),
            vec!["GET"],
        ),
        ("scope: /\n \t\nallowed-methods: GET\n", Some("/"), vec![]),
        ("allowed-methods: GET\n", None, vec![]),
        // AMB-AUTO-5: a name that the grammar has not harms no other.
        (
            "scope: /\nallowed-methods: PROPFIND, get,, head\n",
            Some("/"),
            vec!["GET", "HEAD"],
        ),
        // AMB-AUTO-6: no user agent ranks like `*`, so that the later one counts.
        (
            "scope: /\nallowed-methods: GET\n\nuser-agent: *\nscope: /\n",
            Some("/"),
            vec![],
        ),
        (
            "user-agent: *\nscope: /\n\nscope: /\nallowed-methods: GET\n",
            Some("/"),
            vec!["GET"],
        ),
        (
            "user-agent: x, CCBot\nscope: /\n\nscope: /\nallowed-methods: GET\n",
            Some("/"),
            vec![],
        ),
        (
            "user-agent:\nscope: /\nallowed-methods: GET\n",
            Some("/"),
            vec!["GET"],
        ),
        // AMB-AUTO-7: scopes are patterns as in robots.txt.
        ("scope: /*/b$\n", None, vec![]),
        (
            "scope: /*/b?q\nallowed-methods: GET",
            Some("/*/b?q"),
            vec!["GET"],
        ),
        (
            "scope: /%61/\nallowed-methods: GET",
            Some("/%61/"),
            vec!["GET"],
        ),
        ("scope: a\nallowed-methods: GET", None, vec![]),
        ("scope:\nallowed-methods: GET", None, vec![]),
        (
            "host: *.com\nscope: /\nallowed-methods: GET\n\nscope: /a\n",
            Some("/a"),
            vec![],
        ),
        (
            "host: EXAMPLE.com\nscope: /\nallowed-methods: GET\n\nscope: /a\n",
            Some("/"),
            vec!["GET"],
        ),
        (
            "host: a.example\nhost: example.com\nscope: /\nallowed-methods: GET\n",
            Some("/"),
            vec!["GET"],
        ),
        ("host: www.example.com\nscope: /\n", None, vec![]),
        (
            "scope: //example.com/\nallowed-methods: GET\n\nscope: /a\n",
            Some("//example.com/"),
            vec!["GET"],
        ),
        (
            "scope: http://example.com/\nallowed-methods: GET\n\nscope: /a\n",
            Some("/a"),
            vec![],
        ),
        (
            "host: b.example\nscope: //example.com/\nallowed-methods: GET\n",
            None,
            vec![],
        ),
        // AMB-AUTO-8: `#` is a comment behind white space only.
        ("scope: /a/b?q=1#x\n", None, vec![]),
        ("scope: /a/b?q=1 #x\n", Some("/a/b?q=1"), vec![]),
        (
            "\u{FEFF}scope: /\rallowed-methods : GET\r",
            Some("/"),
            vec!["GET"],
        ),
        ("<!doctype html>\n<p>not found\n", None, vec![]),
    ] {
        let expected = (
            scope.map(str::to_owned),
            methods.into_iter().map(str::to_owned).collect(),
        );
        assert_eq!(decided(file, url), expected, "{file}");
    }
}

#[test]
fn autoctl_it_never_widens_robots_txt_and_says_which_methods_it_closes() {
    for (robots, methods, access, allowed) in [
        ("Disallow: /", "GET", "disallow", true),
        ("Disallow: /", "HEAD", "disallow", false),
        ("Allow: /", "GET", "allow", true),
        ("Allow: /", "HEAD", "allow", false),
    ] {
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "robots_txt": format!("User-agent: *\n{robots}\n"),
            "automation_preferences_txt": format!("scope: /\nallowed-methods: {methods}\n"),
        }));
        assert_eq!(answer["access"], access, "{robots} {methods}");
        assert_eq!(answer["method_allowed"], allowed, "{robots} {methods}");
    }
    // Ours: unknown is never allowed.
    let answer = explain(&json!({
        "id": "x", "url": "https://a.example/",
        "automation_preferences_txt": "scope: /\nallowed-methods: GET\n",
    }));
    assert_eq!(
        (&answer["access"], &answer["method_allowed"]),
        (&json!("unknown"), &json!(true))
    );
}

#[test]
fn autoctl_methods_without_a_name_in_the_grammar_are_not_allowed() {
    let answer = explained(
        "scope: /\nallowed-methods: GET, PROPFIND\n",
        "https://a.example/",
        "PROPFIND",
    );
    assert_eq!(answer["method_allowed"], false);
}

#[test]
fn local_live_8_only_the_newest_copy_at_or_before_the_page_counts() {
    let copy = |time: &str, status: u16, methods: &str| {
        json!({
            "kind": "automation", "url": "https://a.example/automation-preferences.txt", "status": status,
            "fetched": format!("2026-08-10T{time}:00Z"),
            "body": format!("scope: /\nallowed-methods: {methods}\n"),
        })
    };
    let copies = [
        copy("06:00", 200, "GET"),
        copy("07:00", 200, "HEAD"),
        copy("08:00", 404, "GET"),
    ];
    for (time, expected) in [
        ("05:00", "unknown"),
        ("06:00", "allow"),
        ("07:59", "disallow"),
        ("09:00", "unknown"),
    ] {
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "fetched": format!("2026-08-10T{time}:00Z"),
            "site_files": copies, "robots_slack": 86400,
        }));
        assert_eq!(answer["columns"]["automation_get"], expected, "{time}");
    }
    // KNOW-8: a no of a twin counts.
    for (url, expected) in [
        ("https://a.example:8443/", "unknown"),
        ("http://a.example/", "disallow"),
    ] {
        let other = explain(&json!({
            "id": "x", "url": url, "fetched": "2026-08-10T07:30:00Z", "site_files": copies,
        }));
        assert_eq!(other["columns"]["automation_get"], expected, "{url}");
    }
}

fn rows(file: &str) -> Vec<String> {
    file_rows(
        "automation_preferences",
        CaptureKind::Automation,
        file.as_bytes(),
    )
}

#[test]
fn local_statements_are_what_is_allowed_in_each_scope() {
    let file = "scope: /a\nscope: /b\nuser-agent: x, Y\nallowed-methods: GET, PROPFIND # c\n\
                allowed-purposes: one, two\nrate-limit: 5\nnonsense\n\nscope: /c\n\nallowed-methods: GET\n";
    assert_eq!(
        rows(file),
        [
            "4 | x, Y | /a | allowed-methods | GET, PROPFIND | GET | allow | -",
            "4 | x, Y | /b | allowed-methods | GET, PROPFIND | GET | allow | -",
            "4 | x, Y | - | allowed-methods | PROPFIND | - | - | unknown_method",
            "5 | x, Y | - | allowed-purposes | one, two | purposes | - | -",
            "6 | x, Y | - | rate-limit | 5 | - | - | unknown_directive",
            "7 | x, Y | - | - | nonsense | - | - | no_colon",
            "9 | - | /c | allowed-methods | - | GET | disallow | -",
            "11 | - | - | allowed-methods | GET | - | - | no_scope",
        ]
    );
    assert_eq!(
        rows(
            "scope: /a\nallowed-methods: GET\nscope: https://a.example/b\nallowed-methods: HEAD\n"
        ),
        [
            "2 | - | /a | allowed-methods | GET | GET | allow | -",
            "4 | - | https://a.example/b | allowed-methods | HEAD | GET | disallow | blank_line_missing",
        ]
    );
    assert_eq!(
        rows("user-agent: x\nhost: a.example\n"),
        [
            "1 | x | - | user-agent | x | - | - | no_scope",
            "2 | x | - | host | a.example | - | - | no_scope"
        ]
    );
    assert_eq!(
        rows("scope: a\n"),
        ["1 | - | a | allowed-methods | - | GET | disallow | path_without_slash"]
    );
    assert_eq!(
        rows("scope: /\n\nx\u{7}\n")[0],
        "1 | - | / | allowed-methods | - | GET | disallow | control_byte_in_file"
    );
    assert_eq!(
        rows("<html>\n<p>a: b\nc\n"),
        ["1 | - | - |  | <html> | - | - | other_text"]
    );
    assert!(rows("").is_empty());
    assert!(rows("\n# only a comment\n").is_empty());
}

/// Remarks that nothing closes, and groups full of scopes or of names.
#[test]
fn local_large_files_are_read_in_linear_time() {
    let remarks = "<!--\n".repeat(200_000) + "scope: /\n";
    assert_eq!(
        rows(&remarks),
        ["200001 | - | / | allowed-methods | - | GET | disallow | -"]
    );
    let scopes = "scope: /\n".repeat(100_000);
    assert_eq!(rows(&scopes).len(), 100_000);
    let names = format!(
        "user-agent: {}\n{}",
        "x,".repeat(250_000),
        "scope: /\n".repeat(50_000)
    );
    let rows = rows(&names);
    assert_eq!(rows.len(), 50_000);
    assert!(rows.iter().all(|row| row.len() < 1100));
}
