//! Site files beside robots.txt, from an archive to the rows of `pages` and `statements`.

use crate::resolved::{Fields, page, pages, resolve, response, robots, rows, scanned, view};
use std::collections::BTreeSet;

/// A text that is a robots.txt and an ai.txt in one.
const BOTH: &str = "User-agent: *\nDisallow: /art/\n";

fn file(url: &str, at: &str, body: &str) -> String {
    response(url, at, 200, "Content-Type: text/plain\r\n", body)
}

fn records() -> Vec<String> {
    let news = "https://news.example";
    let lines = |methods: &str| format!("scope: /\nallowed-methods: {methods}\n");
    vec![
        // One body for two kinds of files: each is read by its own document.
        file(&format!("{news}/ai.txt"), "06:00:00", BOTH),
        robots("news.example", "06:00:00", BOTH),
        page(&format!("{news}/art/1"), "07:00:00"),
        page(&format!("{news}/2"), "07:00:00"),
        // Copies: the newest at or before the page, of the same origin, with a body.
        file(
            &format!("{news}/automation-preferences.txt"),
            "06:30:00",
            &lines("GET"),
        ),
        file(
            &format!("{news}/automation-preferences.txt"),
            "07:30:00",
            &lines("HEAD"),
        ),
        response(
            &format!("{news}/automation-preferences.txt"),
            "08:30:00",
            404,
            "",
            &lines("PUT"),
        ),
        response(
            "https://no.example/robots.txt",
            "06:00:00",
            403,
            "",
            "User-agent: *\nUsage: ai=n\n",
        ),
        page(&format!("{news}/3"), "06:15:00"),
        page(&format!("{news}/4"), "08:00:00"),
        page(&format!("{news}/5"), "09:00:00"),
        page("http://news.example/6", "08:00:00"),
        // Two paths of trust.txt, and a header that replaces what a file says.
        file(
            &format!("{news}/trust.txt"),
            "06:00:00",
            "datatrainingallowed=yes\n",
        ),
        file(
            &format!("{news}/.well-known/trust.txt"),
            "07:15:00",
            "datatrainingallowed=no\n",
        ),
        file(
            &format!("{news}/.well-known/tdmrep.json"),
            "06:00:00",
            "[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://news.example/tdm\"}]",
        ),
        response(
            &format!("{news}/7"),
            "07:00:00",
            200,
            "tdm-reservation: 0\r\n",
            "text",
        ),
    ]
}

#[test]
fn local_live_8_site_files_are_joined_by_origin_and_time() {
    let folder = scanned(&records());
    resolve(folder.path(), folder.path(), &view());
    let pages = pages(folder.path());
    assert_eq!(pages.len(), 7, "site files are no pages");
    let of = |url: &str| -> [Option<String>; 6] {
        let row: &Fields = &pages[url];
        let columns = [
            "access",
            "automation_get",
            "ai_txt",
            "trust_txt_training",
            "tdm_reservation",
            "tdm_policy",
        ];
        columns.map(|column| row.text(column).map(str::to_owned))
    };
    let policy = Some("https://news.example/tdm");
    for (url, expected) in [
        (
            "https://news.example/art/1",
            [
                Some("disallow"),
                Some("allow"),
                Some("disallow"),
                Some("allow"),
                Some("1"),
                policy,
            ],
        ),
        (
            "https://news.example/2",
            [
                Some("allow"),
                Some("allow"),
                Some("unknown"),
                Some("allow"),
                Some("1"),
                policy,
            ],
        ),
        (
            "https://news.example/3",
            [
                Some("allow"),
                Some("unknown"),
                Some("unknown"),
                Some("allow"),
                Some("1"),
                policy,
            ],
        ),
        (
            "https://news.example/4",
            [
                Some("allow"),
                Some("disallow"),
                Some("unknown"),
                Some("disallow"),
                Some("1"),
                policy,
            ],
        ),
        (
            "https://news.example/5",
            [
                Some("allow"),
                Some("unknown"),
                Some("unknown"),
                Some("disallow"),
                Some("1"),
                policy,
            ],
        ),
        // KNOW-8: of the twin's files, which were never asked for here, the noes count.
        (
            "http://news.example/6",
            [
                Some("unknown"),
                Some("disallow"),
                Some("unknown"),
                Some("disallow"),
                None,
                None,
            ],
        ),
        (
            "https://news.example/7",
            [
                Some("allow"),
                Some("allow"),
                Some("unknown"),
                Some("allow"),
                Some("0"),
                None,
            ],
        ),
    ] {
        assert_eq!(
            of(url),
            expected.map(|value| value.map(str::to_owned)),
            "{url}"
        );
    }
    let row = &pages["https://news.example/4"];
    assert_eq!(row.texts("automation_methods"), Some(vec!["HEAD"]));
    assert_eq!(
        pages["https://news.example/5"].texts("automation_methods"),
        None
    );
}

#[test]
fn local_statements_stand_once_for_each_body_and_kind() {
    let mut twice = records();
    twice.extend(records());
    let folder = scanned(&twice);
    resolve(folder.path(), folder.path(), &view());
    let statements = rows(folder.path(), "statements");
    let of = |carrier: &str| {
        let of_carrier = statements
            .iter()
            .filter(|row| row.text("carrier") == Some(carrier));
        of_carrier
            .map(|row| (row.text("body_digest"), row.number("line")))
            .collect::<Vec<_>>()
    };
    // What came with 404 or 403 states nothing.
    assert_eq!((of("automation").len(), of("robots").len()), (2, 0));
    assert_eq!(
        (
            of("ai_txt").len(),
            of("trust_txt").len(),
            of("tdmrep").len()
        ),
        (1, 2, 2)
    );
    assert!(
        of("tdmrep")
            .iter()
            .all(|(digest, line)| digest.is_some() && *line == Some(1))
    );
    let bodies = rows(folder.path(), "evidence/site_files");
    let kinds: Vec<_> = bodies
        .iter()
        .map(|row| (row.text("kind"), row.text("body_digest")))
        .collect();
    assert_eq!(kinds.len(), kinds.iter().collect::<BTreeSet<_>>().len());
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}

/// Two bodies without a line of any system: a body that no system reads is listed, too.
#[test]
fn acct_6_a_file_has_its_unrecognised_lines_though_no_system_has_one_in_it() {
    let folder = scanned(&[
        robots(
            "a.example",
            "06:00:00",
            "User-agent: *\nDisallow:\nNo-AI-Training: yes\n",
        ),
        robots(
            "b.example",
            "06:00:00",
            "User-agent: *\nDisallow:\nHost: b.example\n",
        ),
        page("https://a.example/1", "07:00:00"),
    ]);
    resolve(folder.path(), folder.path(), &view());
    let statements = rows(folder.path(), "statements");
    let of = |row: &Fields| {
        (
            row.text("system").map(str::to_owned),
            row.text("category").map(str::to_owned),
        )
    };
    let unrecognised = (
        Some("unrecognised".to_owned()),
        Some("no-ai-training".to_owned()),
    );
    assert_eq!(
        statements.iter().map(of).collect::<Vec<_>>(),
        [unrecognised]
    );
    assert_eq!(
        (
            statements[0].number("line"),
            statements[0].number("origins")
        ),
        (Some(3), Some(1))
    );
}

#[test]
fn local_label_evidence_names_line_and_file_or_the_field() {
    let mut all = records();
    let noindex =
        "Content-Type: text/html\r\nX-Robots-Tag: noindex\r\nContent-Usage: train-ai=y\r\n";
    all.push(response(
        "https://news.example/8",
        "07:20:00",
        200,
        noindex,
        "<p>",
    ));
    let search = "Content-Type: text/html\r\nContent-Usage: search=y\r\n";
    all.push(response(
        "https://news.example/9",
        "07:20:00",
        200,
        search,
        "<template><svg></svg></template><p>",
    ));
    let folder = scanned(&all);
    resolve(folder.path(), folder.path(), &view());
    let pages = pages(folder.path());
    let bodies = rows(folder.path(), "evidence/site_files");
    let digest = |kind: &str, text: &str| {
        let body = bodies
            .iter()
            .find(|body| body.text("kind") == Some(kind) && body.bytes("body") == text.as_bytes());
        body.and_then(|body| body.text("body_digest"))
            .expect("it was kept")
            .to_owned()
    };
    let row = &pages["https://news.example/8"];
    let (tdmrep, trust) = (
        digest(
            "tdmrep",
            "[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://news.example/tdm\"}]",
        ),
        digest("trust_txt", "datatrainingallowed=no\n"),
    );
    let evidence = row.structs("evidence");
    let expected = [
        "search disallow true robots_tag header NULL NULL NULL noindex".to_owned(),
        format!("train_ai disallow true tdmrep tdmrep NULL {tdmrep} 1 NULL"),
        format!("train_ai disallow true trust_txt trust_txt NULL {trust} 1 NULL"),
        format!("train_genai disallow true tdmrep tdmrep NULL {tdmrep} 1 NULL"),
        format!("train_genai disallow true trust_txt trust_txt NULL {trust} 1 NULL"),
        format!("tdm disallow true tdmrep tdmrep NULL {tdmrep} 1 NULL"),
        "train_ai allow false aipref header NULL NULL NULL train-ai=y".to_owned(),
        "train_genai allow false aipref header NULL NULL NULL train-ai=y".to_owned(),
    ];
    assert_eq!(evidence, expected);
    assert_eq!(row.texts("conflict"), Some(vec!["train_ai", "train_genai"]));
    assert_eq!(
        row.texts("train_ai_from"),
        Some(vec!["tdmrep tdmrep", "trust_txt trust_txt"])
    );
    // Behind such a template metas may be lost, so that they are unread: no label is allow.
    let row = &pages["https://news.example/9"];
    assert_eq!(
        (row.text("aipref_search"), row.text("search")),
        (Some("allow"), Some("unknown"))
    );
    assert_eq!(
        (row.texts("unread"), row.texts("search_from")),
        (Some(vec!["meta"]), Some(vec![]))
    );
}

#[test]
fn amb_auto_10_a_redirect_of_automation_preferences_is_followed_and_one_of_ai_txt_is_not() {
    let to = |url: &str| format!("Location: {url}\r\n");
    let records = [
        response(
            "http://a.example/automation-preferences.txt",
            "06:00:00",
            301,
            &to("https://a.example/automation-preferences.txt"),
            "",
        ),
        response(
            "https://a.example/automation-preferences.txt",
            "06:01:00",
            302,
            &to("//www.a.example/automation-preferences.txt"),
            "",
        ),
        // AMB-AUTO-9: a wrong type, and yet no page of HTML.
        response(
            "https://www.a.example/automation-preferences.txt",
            "06:02:00",
            200,
            "Content-Type: text/html\r\n",
            "scope: /\nallowed-methods: HEAD\n",
        ),
        response(
            "http://a.example/ai.txt",
            "06:00:00",
            301,
            &to("https://files.example/ai.txt"),
            "",
        ),
        file("https://files.example/ai.txt", "06:00:00", BOTH),
        response(
            "http://b.example/automation-preferences.txt",
            "06:00:00",
            301,
            &to("https://b.example/automation-preferences.txt"),
            "",
        ),
        response(
            "http://c.example/automation-preferences.txt",
            "06:00:00",
            301,
            &to("/other.txt"),
            "",
        ),
        file(
            "http://c.example/other.txt",
            "06:00:00",
            "scope: /\nallowed-methods: HEAD\n",
        ),
        page("http://a.example/art/1", "07:00:00"),
        page("http://b.example/", "07:00:00"),
        page("http://c.example/", "07:00:00"),
    ];
    let folder = scanned(&records);
    resolve(folder.path(), folder.path(), &view());
    let pages = pages(folder.path());
    for (url, automation, ai_txt) in [
        ("http://a.example/art/1", "disallow", "unknown"),
        ("http://b.example/", "unknown", "unknown"),
        ("http://c.example/", "unknown", "unknown"),
    ] {
        assert_eq!(pages[url].text("automation_get"), Some(automation), "{url}");
        assert_eq!(pages[url].text("ai_txt"), Some(ai_txt), "{url}");
    }
}
