//! trust.txt and ai.txt: RULES LIVE-7, case by case.

use crate::statement_rows::file_rows;
use crawlprefs::explain::json::explain;
use crawlprefs::web::capture_kind::CaptureKind;
use serde_json::{Value, json};

fn explained(url: &str, files: &Value) -> Value {
    explain(&json!({ "id": "x", "url": url, "product_token": "CCBot", "site_files": files }))
}

fn trust(body: &str) -> String {
    let answer = explained(
        "https://a.example/",
        &json!([{ "kind": "trust_txt", "body": body }]),
    );
    answer["columns"]["trust_txt_training"]
        .as_str()
        .expect("an answer")
        .to_owned()
}

#[test]
fn trust_txt_the_last_line_counts() {
    for (body, expected) in [
        (
            "member=https://b.example/\ndatatrainingallowed=no\n",
            "disallow",
        ),
        ("datatrainingallowed=yes", "allow"),
        (
            "datatrainingallowed=no\r\ndatatrainingallowed=yes\r\n",
            "allow",
        ),
        (
            "datatrainingallowed=yes\rdatatrainingallowed=no\r",
            "disallow",
        ),
        (
            "datatrainingallowed=no\ndatatrainingallowed=maybe\n",
            "disallow",
        ),
        ("\u{FEFF}DataTrainingAllowed = NO # all of it\n", "disallow"),
        ("# datatrainingallowed=yes\n", "unknown"),
        ("datatrainingallowed: yes\n", "unknown"),
        ("xdatatrainingallowed=yes\n", "unknown"),
        ("", "unknown"),
    ] {
        assert_eq!(trust(body), expected, "{body}");
    }
}

/// READ-3: a last line that says neither yes nor no was meant by its author, and no label is allow.
#[test]
fn read_3_a_trust_txt_whose_last_line_cannot_be_read_is_unread() {
    for (body, expected) in [
        ("datatrainingallowed=no\n", "disallow"),
        ("datatrainingallowed\t=\tno\n", "disallow"),
        (
            "datatrainingallowed=\"no\"\ndatatrainingallowed=yes\n",
            "allow",
        ),
        ("datatrainingallowed=\n", "allow"),
        ("member=https://b.example/\n", "allow"),
        (
            "datatrainingallowed=yes\ndatatrainingallowed=\"no\"\n",
            "unknown",
        ),
        ("datatrainingallowed=no\u{1a}", "unknown"),
        ("\u{1}datatrainingallowed=no", "unknown"),
    ] {
        let answer = explain(&json!({
            "id": "x", "url": "https://a.example/", "headers": [["Content-Signal", "ai-train=yes"]],
            "site_files": [{ "kind": "trust_txt", "body": body }],
        }));
        assert_eq!(answer["labels"]["train_ai"], expected, "{body:?}");
    }
}

/// Ours: of two files that differ a no wins.
#[test]
fn local_trust_txt_may_stand_at_two_paths() {
    let at = |path: &str, value: &str| {
        json!({
            "kind": "trust_txt", "url": format!("https://a.example{path}"),
            "body": format!("datatrainingallowed={value}"),
        })
    };
    let (root, known) = ("/trust.txt", "/.well-known/trust.txt");
    for (files, expected) in [
        (json!([at(root, "yes"), at(known, "no")]), "disallow"),
        (json!([at(root, "no"), at(known, "yes")]), "disallow"),
        (json!([at(root, "yes"), at(known, "?")]), "allow"),
        (json!([at("/b/trust.txt", "yes")]), "unknown"),
    ] {
        assert_eq!(
            explained("https://a.example/", &files)["columns"]["trust_txt_training"],
            expected,
            "{files}"
        );
    }
}

#[test]
fn local_statements_of_trust_txt() {
    let file =
        b"belongto=https://b.example/\n\nDatatrainingallowed=Yes\ndatatrainingallowed=maybe\n";
    assert_eq!(
        file_rows("trust_txt", CaptureKind::TrustTxt, file),
        [
            "3 | - | - | Datatrainingallowed | Yes | data-training | allow | -",
            "4 | - | - | datatrainingallowed | maybe | data-training | - | unknown_value",
        ]
    );
}

fn ai(body: &str, path: &str) -> String {
    let answer = explained(
        &format!("https://a.example{path}"),
        &json!([{ "kind": "ai_txt", "body": body }]),
    );
    answer["columns"]["ai_txt"]
        .as_str()
        .expect("an answer")
        .to_owned()
}

#[test]
fn ai_txt_paths_and_extensions_for_the_token_or_everyone() {
    for (body, path, expected) in [
        ("User-Agent: *\nDisallow: *.jpg\n", "/a/b.jpg", "disallow"),
        (
            "User-Agent: *\nDisallow: *.jpg\n",
            "/a/b.JPG?c=.d",
            "disallow",
        ),
        ("User-Agent: *\nDisallow: /*.jpg$\n", "/a/b.jpg", "disallow"),
        ("User-Agent: *\nDisallow: *.jpg\n", "/a.jpg/b", "unknown"),
        ("User-Agent: *\nDisallow: *.c\n", "/a.css", "unknown"),
        ("User-Agent: *\nDisallow: *.txt\n", "/a?b.txt", "unknown"),
        (
            "User-Agent: *\nDisallow: *.tar.gz\n",
            "/a.tar.gz2",
            "disallow",
        ),
        (
            "User-Agent: *\nDisallow: /\nAllow: *.html\n",
            "/a.html",
            "allow",
        ),
        (
            "User-Agent: *\nDisallow: /\nAllow: *.html\n",
            "/a",
            "disallow",
        ),
        ("User-Agent: *\nDisallow: *\n", "/a", "disallow"),
        (
            "User-Agent: *\nDisallow: /press/\nAllow: /press/\n",
            "/press/a",
            "disallow",
        ),
        ("User-Agent: *\nDisallow:\n", "/a", "unknown"),
        (
            "User-Agent: ccbot\nAllow: /\n\nUser-Agent: *\nDisallow: /\n",
            "/a",
            "allow",
        ),
        ("User-Agent: x\nDisallow: /\n", "/a", "unknown"),
        ("Disallow: /\n", "/a", "unknown"),
        (
            "# Name\n\n## Projects\n- A: https://a.example\n",
            "/a",
            "unknown",
        ),
        ("", "/a", "unknown"),
    ] {
        assert_eq!(ai(body, path), expected, "{path}\n{body}");
    }
}

#[test]
fn local_statements_of_ai_txt() {
    let of = |body: &[u8]| file_rows("ai_txt", CaptureKind::AiTxt, body);
    assert_eq!(
        of(b"User-Agent: *\nUser-agent: x\nDisallow: *.jpg # pictures\nAllow: a\nDisallow:\nSitemap: /s\n"),
        [
            "3 | *, x | *.jpg | Disallow | *.jpg | ai-training | disallow | -",
            "4 | *, x | a | Allow | a | ai-training | allow | path_without_slash",
            "5 | *, x |  | Disallow |  | ai-training | disallow | no_path",
        ]
    );
    assert_eq!(
        of(b"# Name\n- A: b\n"),
        ["1 | - | - | - | - | - | - | other_text"]
    );
    assert_eq!(
        of(b"User-agent: *\nSitemap: /s\n"),
        ["1 | - | - | - | - | - | - | other_text"]
    );
}

#[test]
fn live_10_of_two_copies_and_of_two_forms_any_no_counts() {
    let copy = |path: &str, body: &str| json!({ "kind": "ai_txt", "url": format!("https://a.example{path}"), "body": body });
    let deny = "Training: deny\nIndexing: allow\n";
    for (root, well_known, expected) in [
        ("Training: allow\n", deny, "disallow"),
        (deny, "Training: allow\n", "disallow"),
        ("User-agent: *\nAllow: /\n", "Training: allow\n", "allow"),
        (
            "User-agent: *\nAllow: /\n\nTraining: deny\n",
            "",
            "disallow",
        ),
        ("Agent: CCBot\n  Training: deny\n", "", "unknown"),
        ("Agent: CCBot\n Training: deny\n", "", "disallow"),
        (
            "Agent: x\n\tTraining: deny\nSite-Name: y\n\tTraining: deny\nCaching: allow\n",
            "",
            "unknown",
        ),
        ("Training: deny # no comment\n", "", "disallow"),
        ("Training: deny\nTraining: no\n", "", "disallow"),
        ("Training: conditional\n", "", "disallow"),
    ] {
        let copies = json!([
            copy("/ai.txt", root),
            copy("/.well-known/ai.txt", well_known)
        ]);
        let answer = explained("https://a.example/p", &copies);
        assert_eq!(
            answer["columns"]["ai_txt"], expected,
            "{root:?} {well_known:?}"
        );
        let no = if expected == "disallow" {
            "disallow"
        } else {
            "unknown"
        };
        assert_eq!(answer["labels"]["train_ai"], no, "{root:?} {well_known:?}");
    }
}

#[test]
fn live_10_statements_of_a_policy() {
    let rows = |file: &str| file_rows("ai_txt", CaptureKind::AiTxt, file.as_bytes());
    assert_eq!(
        rows(
            "Training: Conditional\nTraining-Deny: /a/*\nTraining-License: CC0\nCaching: never\nAgent: X\n  indexing: deny\n"
        ),
        [
            "1 | - | - | Training | Conditional | ai-training | unknown | -",
            "2 | - | /a/* | Training-Deny | /a/* | ai-training | disallow | -",
            "3 | - | - | Training-License | CC0 | - | - | -",
            "4 | - | - | Caching | never | caching | - | unknown_value",
            "5 | - | - | Agent | X | - | - | -",
            "6 | X | - | indexing | deny | indexing | disallow | -",
        ]
    );
    assert_eq!(
        rows("Training-Allow: /a\nScraping: deny\n"),
        [
            "1 | - | /a | Training-Allow | /a | ai-training | allow | path_without_conditional",
            "2 | - | - | Scraping | deny | scraping | disallow | -",
            "1 | - | - | - | - | - | - | training_missing",
        ]
    );
    assert_eq!(
        rows("Training: our staff\nAgent: x\n").len(),
        1,
        "other text"
    );
}

/// The draft has patterns outside of blocks: in a block that binds the crawler a no counts, and a yes does not.
#[test]
fn local_live_11_of_patterns_in_a_block_the_noes_count() {
    let rest = "Training: allow\nTraining-Allow: /**\n";
    for (block, path, expected) in [
        (
            "Agent: CCBot\n  Training: conditional\n  Training-Deny: /art/**\n",
            "/art/x",
            "disallow",
        ),
        (
            "Agent: CCBot\n  Training: conditional\n  Training-Deny: /art/**\n",
            "/text/x",
            "allow",
        ),
        (
            "Agent: *\n  Training: conditional\n  Training-Deny: /art/**\n",
            "/art/x",
            "disallow",
        ),
        (
            "Agent: Other\n  Training: conditional\n  Training-Deny: /art/**\n",
            "/art/x",
            "allow",
        ),
        (
            "Agent: CCBot\n  Training: allow\n  Training-Deny: /art/**\n",
            "/art/x",
            "allow",
        ),
    ] {
        let files = json!([{ "kind": "ai_txt", "body": format!("{rest}{block}") }]);
        let answer = explained(&format!("https://a.example{path}"), &files);
        assert_eq!(answer["columns"]["ai_txt"], expected, "{block:?} {path}");
    }
    let body = "Training: conditional\nAgent: CCBot\n  Training-Allow: /**\n";
    let answer = explained(
        "https://a.example/p",
        &json!([{ "kind": "ai_txt", "body": body }]),
    );
    assert_eq!(answer["columns"]["ai_txt"], "disallow");
    let rows = file_rows("ai_txt", CaptureKind::AiTxt, body.as_bytes());
    assert_eq!(
        rows[2],
        "3 | CCBot | /** | Training-Allow | /** | ai-training | allow | path_in_block"
    );
}

/// LABEL-3: patterns beyond the limit are not read.
#[test]
fn local_live_11_a_policy_with_too_many_patterns_is_unread() {
    let body = format!(
        "Training: conditional\n{}",
        "Training-Allow: /**/x*\n".repeat(20_000)
    );
    let answer = explained(
        "https://a.example/p",
        &json!([{ "kind": "ai_txt", "body": body }]),
    );
    assert_eq!(
        (&answer["columns"]["ai_txt"], &answer["unread"]),
        (&json!("disallow"), &json!(["ai_txt"]))
    );
}
