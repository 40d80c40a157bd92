//! The tables about robots.txt files, from an archive to their rows.

use crate::resolved::{Fields, page, resolve, response, robots, rows, scanned, view};
use std::collections::BTreeMap;

const FILE: &str = "# Ours\nUser-agent: GPTBot\nUser-agent: AI2Bot/1.0\nDisallow: /\nCrawl-delay: 5\n\n\
                    User-agent: *\nDisallow: /a\nAllow: /a/b\nContent-Signal: ai-train=no\n\
                    Content-Usage: /c train-ai=maybe\nX-Own: 1\nLicense: https://a.example/l\nSitemap: /s\n\
                    this is no record\n";

fn resolved() -> tempfile::TempDir {
    let plain = "Content-Type: text/plain\r\n";
    let url = |host: &str| format!("https://{host}.example/robots.txt");
    let folder = scanned(&[
        robots("a.example", "06:00:00", FILE),
        robots("b.example", "06:00:00", FILE),
        response(&url("html"), "06:00:00", 200, plain, "<!DOCTYPE html>\n<p>User-agent: *\n"),
        response(&url("gone"), "06:00:00", 404, plain, "User-agent: *\nDisallow: /\n"),
        response(&url("down"), "06:00:00", 503, plain, ""),
        response(&url("moved"), "06:00:00", 301, "Location: /elsewhere\r\n", "moved"),
        response(&url("odd"), "06:00:00", 304, plain, ""),
        page("https://a.example/", "07:00:00"),
    ]);
    resolve(folder.path(), folder.path(), &view());
    folder
}

fn by<'r>(rows: &'r [Fields], column: &str) -> BTreeMap<&'r str, &'r Fields> {
    rows.iter().map(|row| (row.text(column).expect("never null"), row)).collect()
}

#[test]
fn local_robots_has_a_row_for_each_capture() {
    let folder = resolved();
    let rows = rows(folder.path(), "robots");
    assert_eq!(rows.len(), 7);
    let by_origin = by(&rows, "robots_origin");
    for (origin, outcome, groups) in [
        ("https://a.example", "parsed", Some(2)),
        ("https://b.example", "parsed", Some(2)),
        ("https://html.example", "not_text", Some(0)),
        ("https://gone.example", "unavailable", None),
        ("https://down.example", "unreachable", None),
        ("https://moved.example", "redirect", None),
        ("https://odd.example", "other_status", None),
    ] {
        let row = by_origin[origin];
        assert_eq!((row.text("outcome"), row.number("group_count")), (Some(outcome), groups), "{origin}");
    }
    let row = by_origin["https://a.example"];
    let numbers = ["bytes", "agent_count", "rule_count", "bad_line_count"].map(|column| row.number(column));
    assert_eq!(numbers, [i64::try_from(FILE.len()).ok(), Some(3), Some(3), Some(1)]);
    let flags = ["content_usage", "content_signal", "usage", "app_directives", "license"];
    let flags = flags.map(|flag| row.whether(&format!("has_{flag}")));
    assert_eq!(flags, [Some(true), Some(true), Some(false), Some(false), Some(true)]);
    let lints = vec!["no_record", "agent_no_token", "token_match_differs", "unknown_value"];
    assert_eq!((row.texts("lints"), row.text("managed_by")), (Some(lints), None));
    assert_eq!(by_origin["https://gone.example"].texts("lints"), None);
}

#[test]
fn local_robots_agents_has_each_name_once_and_everyone() {
    let folder = resolved();
    let all = rows(folder.path(), "robots_agents");
    let digest = rows(folder.path(), "robots")[0].text("body_digest").expect("it was kept").to_owned();
    let of_file = all.iter().filter(|row| row.text("body_digest") == Some(digest.as_str()));
    let texts = ["agent", "agent_raw", "class", "root_access", "crawl_delay_s", "class_dpi", "class_imc"];
    let found: Vec<String> = of_file
        .map(|row| {
            let counts = ["allow_count", "disallow_count"].map(|column| row.number(column).expect("a count"));
            let texts = texts.map(|column| row.text(column).unwrap_or("-"));
            format!("{} | {} {}", texts.join(" "), counts[0], counts[1])
        })
        .collect();
    assert_eq!(
        found,
        [
            "gptbot GPTBot full disallow 5 full full | 0 1",
            // One study takes the name with its version, the other cuts it at the digit.
            "ai2bot AI2Bot/1.0 full disallow 5 partial partial | 0 1",
            "* * partial allow - partial partial | 1 1",
        ]
    );
    // The page that was sent instead of a file closes nothing; what came with 404 is no file.
    assert_eq!(all.len(), found.len() + 1);
}

#[test]
fn local_robots_lines_and_lints_name_their_lines() {
    let folder = resolved();
    let digest = rows(folder.path(), "robots")[0].text("body_digest").expect("it was kept").to_owned();
    let lines: Vec<String> = rows(folder.path(), "robots_lines")
        .iter()
        .filter(|row| row.text("body_digest") == Some(digest.as_str()))
        .map(|row| {
            let numbers = ["line", "group"].map(|column| row.number(column).expect("a number"));
            let agents = row.texts("agents").expect("never null").join("+");
            let texts =
                ["key", "key_raw", "path", "value"].map(|column| row.text(column).unwrap_or("-")).join(" ");
            let (known, valid) = (row.whether("known").expect("never null"), row.whether("valid"));
            format!("{numbers:?} {agents} | {texts} | {known} {valid:?}")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "[5, 1] GPTBot+AI2Bot/1.0 | crawl-delay Crawl-delay - 5 | false None",
            "[10, 2] * | content-signal Content-Signal - ai-train=no | true Some(true)",
            "[11, 2] * | content-usage Content-Usage /c /c train-ai=maybe | true Some(false)",
            "[12, 2] * | x-own X-Own - 1 | false None",
            "[13, 2] * | license License - https://a.example/l | true Some(true)",
        ]
    );
    let lints = rows(folder.path(), "robots_lints");
    let of_file = lints.iter().filter(|row| row.text("body_digest") == Some(digest.as_str()));
    let found: Vec<_> = of_file
        .map(|row| (row.text("lint").expect("a name"), row.number("line"), row.number("line_count")))
        .collect();
    assert_eq!(
        found,
        [
            ("no_record", Some(15), Some(1)),
            ("agent_no_token", Some(3), Some(1)),
            ("token_match_differs", Some(1), Some(1)),
            ("unknown_value", Some(11), Some(1)),
        ]
    );
}
