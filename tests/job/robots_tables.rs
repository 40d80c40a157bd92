//! The tables about robots.txt files, from an archive to their rows.

use crate::resolved::{Fields, page, resolve, response, robots, rows, scanned, view, view_with};
use crawlprefs::tables::ChosenTables;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "# Ours\nUser-agent: GPTBot\nUser-agent: AI2Bot/1.0\nDisallow: /\nCrawl-delay: 5\n\n\
                    User-agent: *\nDisallow: /a\nAllow: /a/b\nContent-Signal: ai-train=no\n\
                    Content-Usage: /c train-ai=maybe\nX-Own: 1\nLicense: https://a.example/l\nSitemap: /s\n\
                    this is no record\n";

fn resolved() -> tempfile::TempDir {
    let folder = evidence();
    resolve(folder.path(), folder.path(), &view());
    folder
}

fn evidence() -> tempfile::TempDir {
    let plain = "Content-Type: text/plain\r\n";
    let url = |host: &str| format!("https://{host}.example/robots.txt");
    scanned(&[
        robots("a.example", "06:00:00", FILE),
        robots("b.example", "06:00:00", FILE),
        response(
            &url("html"),
            "06:00:00",
            200,
            plain,
            "<!DOCTYPE html>\n<p>User-agent: *\n",
        ),
        response(
            &url("gone"),
            "06:00:00",
            404,
            plain,
            "User-agent: *\nDisallow: /\n",
        ),
        response(&url("down"), "06:00:00", 503, plain, ""),
        response(
            &url("moved"),
            "06:00:00",
            301,
            "Location: /elsewhere\r\n",
            "moved",
        ),
        response(&url("odd"), "06:00:00", 304, plain, ""),
        page("https://a.example/", "07:00:00"),
    ])
}

fn by<'r>(rows: &'r [Fields], column: &str) -> BTreeMap<&'r str, &'r Fields> {
    rows.iter()
        .map(|row| (row.text(column).expect("never null"), row))
        .collect()
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
        assert_eq!(
            (row.text("outcome"), row.number("group_count")),
            (Some(outcome), groups),
            "{origin}"
        );
    }
    let row = by_origin["https://a.example"];
    let numbers =
        ["bytes", "agent_count", "rule_count", "bad_line_count"].map(|column| row.number(column));
    assert_eq!(
        numbers,
        [i64::try_from(FILE.len()).ok(), Some(3), Some(3), Some(1)]
    );
    let flags = [
        "content_usage",
        "content_signal",
        "usage",
        "app_directives",
        "license",
    ];
    let flags = flags.map(|flag| row.whether(&format!("has_{flag}")));
    assert_eq!(
        flags,
        [Some(true), Some(true), Some(false), Some(false), Some(true)]
    );
    let lints = vec![
        "no_record",
        "agent_no_token",
        "token_match_differs",
        "unknown_value",
    ];
    assert_eq!(
        (row.texts("lints"), row.text("managed_by")),
        (Some(lints), None)
    );
    assert_eq!(by_origin["https://gone.example"].texts("lints"), None);
}

#[test]
fn local_robots_agents_has_each_name_once_and_everyone() {
    let folder = resolved();
    let all = rows(folder.path(), "robots_agents");
    let digest = rows(folder.path(), "robots")[0]
        .text("body_digest")
        .expect("it was kept")
        .to_owned();
    let of_file = all
        .iter()
        .filter(|row| row.text("body_digest") == Some(digest.as_str()));
    let texts = [
        "agent",
        "agent_raw",
        "class",
        "root_access",
        "crawl_delay_s",
    ];
    let found: Vec<String> = of_file
        .map(|row| {
            let counts = ["allow_count", "disallow_count"]
                .map(|column| row.number(column).expect("a count"));
            let texts = texts.map(|column| row.text(column).unwrap_or("-"));
            format!("{} | {} {}", texts.join(" "), counts[0], counts[1])
        })
        .collect();
    assert_eq!(
        found,
        [
            "GPTBot GPTBot full disallow 5 | 0 1",
            "AI2Bot AI2Bot/1.0 full disallow 5 | 0 1",
            "* * partial allow - | 1 1",
        ]
    );
    // The page that was sent instead of a file closes nothing; what came with 404 is not a file.
    assert_eq!(all.len(), found.len() + 1);
}

#[test]
fn local_robots_lines_and_lints_name_their_lines() {
    let folder = resolved();
    let digest = rows(folder.path(), "robots")[0]
        .text("body_digest")
        .expect("it was kept")
        .to_owned();
    let lines: Vec<String> = rows(folder.path(), "robots_lines")
        .iter()
        .filter(|row| row.text("body_digest") == Some(digest.as_str()))
        .map(|row| {
            let numbers = ["line", "group"].map(|column| row.number(column).expect("a number"));
            let agents = row.texts("agents").expect("never null").join("+");
            let texts = ["key", "key_raw", "path", "value"]
                .map(|column| row.text(column).unwrap_or("-"))
                .join(" ");
            let (known, valid) = (
                row.whether("known").expect("never null"),
                row.whether("valid"),
            );
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
    let of_file = lints
        .iter()
        .filter(|row| row.text("body_digest") == Some(digest.as_str()));
    let found: Vec<_> = of_file
        .map(|row| {
            (
                row.text("lint").expect("a name"),
                row.number("line"),
                row.number("line_count"),
            )
        })
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

/// A table is the same with and without the others, and those not chosen are not there.
#[test]
fn local_chosen_tables_are_those_of_a_whole_run() {
    let (whole, evidence) = (resolved(), evidence());
    let all = [
        "pages",
        "robots",
        "robots_agents",
        "robots_lines",
        "robots_lints",
        "statements",
    ];
    for list in all
        .into_iter()
        .chain(["pages,robots_lines", "robots,robots_lints", "-statements"])
    {
        let folder = tempfile::tempdir().expect("a folder");
        let tables = ChosenTables::read(list).expect(list);
        let chosen: Vec<&str> = tables.names().collect();
        resolve(evidence.path(), folder.path(), &view_with(tables));
        for name in all {
            assert_eq!(
                folder.path().join(name).exists(),
                chosen.contains(&name),
                "{name} of {list}"
            );
            for part in parts_of(whole.path(), name).filter(|_| chosen.contains(&name)) {
                let same = fs::read(whole.path().join(&part)).ok()
                    == fs::read(folder.path().join(&part)).ok();
                assert!(same, "{} of {list}", part.display());
            }
        }
    }
}

/// Returns the parts of a table below its folder.
fn parts_of(folder: &Path, table: &str) -> impl Iterator<Item = PathBuf> {
    let crawl = Path::new(table).join("crawl=local");
    let parts = fs::read_dir(folder.join(&crawl)).expect("the table");
    parts.map(move |part| crawl.join(part.expect("a part").file_name()))
}

#[test]
fn local_robots_lines_may_have_every_line() {
    let evidence = evidence();
    let folder = tempfile::tempdir().expect("a folder");
    let tables = ChosenTables::read("robots_lines_full").expect("a list");
    resolve(evidence.path(), folder.path(), &view_with(tables));
    let rows = rows(folder.path(), "robots_lines");
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            let (key, path) = (row.text("key").expect("never null"), row.text("path"));
            (
                row.number("line"),
                key,
                row.whether("known"),
                path,
                row.whether("valid"),
            )
        })
        .collect();
    let (yes, no) = (Some(true), Some(false));
    let expected = [
        (Some(2), "user-agent", yes, None, yes),
        (Some(3), "user-agent", yes, None, no),
        (Some(4), "disallow", yes, Some("/"), yes),
        (Some(5), "crawl-delay", no, None, None),
        (Some(7), "user-agent", yes, None, yes),
        (Some(8), "disallow", yes, Some("/a"), yes),
        (Some(9), "allow", yes, Some("/a/b"), yes),
        (Some(10), "content-signal", yes, None, yes),
        (Some(11), "content-usage", yes, Some("/c"), no),
        (Some(12), "x-own", no, None, None),
        (Some(13), "license", yes, None, yes),
        (Some(14), "sitemap", no, None, None),
        // Of the HTML page.
        (Some(2), "<p>user-agent", no, None, None),
    ];
    assert_eq!(found, expected);
}

#[test]
fn local_a_body_has_at_most_4096_lines_in_robots_lines_and_one_row_counts_the_others() {
    let folder = scanned(&[robots(
        "a.example",
        "06:00:00",
        &"X-A: 1\nDisallow: /a\n".repeat(5_000),
    )]);
    resolve(folder.path(), folder.path(), &view());
    let lines = rows(folder.path(), "robots_lines");
    assert_eq!(lines.len(), 4_097);
    let (last, before) = (&lines[4_096], &lines[4_095]);
    assert_eq!(
        (before.text("value"), before.text("defect")),
        (Some("1"), None)
    );
    assert_eq!(
        (before.number("line"), last.number("line")),
        (Some(8_191), Some(8_193))
    );
    assert_eq!(
        (last.text("value"), last.text("defect")),
        (Some("904"), Some("too_many"))
    );
}
