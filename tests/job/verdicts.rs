//! Evidence made by hand, and the verdicts that it must give.

use crate::resolved::{Fields, page, pages, resolve, response, robots, scanned, view, view_of};
use crawlprefs::job::ResolveOptions;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";
const OPEN: &str = "User-agent: *\nDisallow:\n";

/// Resolves records; returns the rows of `pages` by URL.
fn resolved(records: &[String], options: &ResolveOptions) -> BTreeMap<String, Fields> {
    let folder = scanned(records);
    resolve(folder.path(), folder.path(), options);
    pages(folder.path())
}

/// Resolves with the command into a fresh folder below `evidence`; returns its status and complaints.
fn command(evidence: &Path, out: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(["resolve", "-q"])
        .arg(evidence)
        .arg("-o")
        .arg(out)
        .args(args)
        .output()
        .expect("the command starts");
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn local_an_agent_that_the_table_lacks_joins_disallowed_agents() {
    let records = [
        robots(
            "a.example",
            "06:00:00",
            "User-agent: WildBot\nUser-agent: GPTBot\nDisallow: /\n",
        ),
        page("https://a.example/", "07:00:00"),
    ];
    let pages = resolved(&records, &view_of("WildBot"));
    let row = &pages["https://a.example/"];
    assert_eq!(
        (row.text("product_token"), row.verdict()),
        (Some("WildBot"), ("parsed", "disallow"))
    );
    assert_eq!(
        row.texts("disallowed_agents"),
        Some(vec!["GPTBot", "WildBot"])
    );
    let pages = resolved(&records, &view());
    assert_eq!(
        pages["https://a.example/"].texts("disallowed_agents"),
        Some(vec!["GPTBot"])
    );
    // One of the table in another case is not a new one.
    let pages = resolved(&records, &view_of("gptbot"));
    let row = &pages["https://a.example/"];
    assert_eq!(
        (row.verdict(), row.texts("disallowed_agents")),
        (("parsed", "disallow"), Some(vec!["GPTBot"]))
    );
}

#[test]
fn local_a_file_of_agents_is_what_disallowed_agents_is_about() {
    let evidence = scanned(&[
        robots(
            "a.example",
            "06:00:00",
            "User-agent: BetaBot\nUser-agent: GPTBot\nDisallow: /\n",
        ),
        page("https://a.example/", "07:00:00"),
        response("https://down.example/robots.txt", "06:00:00", 503, "", ""),
        page("https://down.example/", "07:00:00"),
    ]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (table, out) = (folder.path().join("agents.tsv"), folder.path().join("out"));
    let args = ["--agents", &table.to_string_lossy()];
    fs::write(&table, "# ours\noperator\ttoken\nA\tAlphaBot\nB\tBetaBot\n")
        .expect("it can be written");
    assert_eq!(command(evidence.path(), &out, &args), (0, String::new()));
    let rows = pages(&out);
    assert_eq!(
        rows["https://a.example/"].texts("disallowed_agents"),
        Some(vec!["BetaBot"])
    );
    assert_eq!(
        rows["https://down.example/"].texts("disallowed_agents"),
        Some(vec!["AlphaBot", "BetaBot", "CCBot"])
    );
    // The same file in other words is another run.
    fs::write(&table, "token\nAlphaBot\n").expect("it can be written");
    let (status, complaint) = command(evidence.path(), &out, &args);
    assert!(
        status == 1 && complaint.contains("agents_digest"),
        "{status}: {complaint}"
    );
}

#[test]
fn local_a_file_of_labels_is_a_vocabulary() {
    let evidence = scanned(&[
        robots("a.example", "06:00:00", OPEN),
        response(
            "https://a.example/",
            "07:00:00",
            200,
            "Content-Usage: bots=n, search=y\r\n",
            "text",
        ),
    ]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, out) = (folder.path().join("mine.txt"), folder.path().join("out"));
    let args = ["--vocab", &file.to_string_lossy()];
    fs::write(&file, "bots\ntrain-ai bots # falls back\n").expect("it can be written");
    assert_eq!(command(evidence.path(), &out, &args), (0, String::new()));
    let rows = pages(&out);
    let row = &rows["https://a.example/"];
    assert_eq!(row.text("vocabulary"), Some("mine.txt"));
    assert_eq!(row.text("aipref_bots"), Some("disallow"));
    assert_eq!(row.text("aipref_train_ai"), Some("disallow"));
    assert_eq!(
        (row.text("aipref_search"), row.text("aipref_train_genai")),
        (None, None)
    );

    let (wrong, nowhere) = ("bots\ntrain-ai robots\n", folder.path().join("nowhere"));
    fs::write(&file, wrong).expect("it can be written");
    let (status, complaint) = command(evidence.path(), &nowhere, &args);
    assert_eq!(status, 1);
    assert!(
        complaint.contains(
            "mine.txt: line 2: label `train-ai` falls back to `robots`, which no line declares"
        ),
        "{complaint}"
    );
    assert!(!nowhere.exists());
}

#[test]
fn local_a_group_name_cut_as_a_prefix_shuts_out() {
    let records = [
        robots(
            "a.example",
            "06:00:00",
            "User-agent: CCBot2.0\nDisallow: /\n",
        ),
        page("https://a.example/", "07:00:00"),
    ];
    let exact = &resolved(&records, &view())["https://a.example/"];
    assert_eq!(
        (exact.verdict(), exact.text("access_reason")),
        (("parsed", "allow"), Some("no_group"))
    );
    assert_eq!(exact.texts("disallowed_agents"), Some(vec![]));
    let mut options = view();
    options.tables.viewpoint.token_match = TokenMatch::Prefix;
    let prefix = &resolved(&records, &options)["https://a.example/"];
    assert_eq!(
        (prefix.verdict(), prefix.number("access_line")),
        (("parsed", "disallow"), Some(2))
    );
    assert_eq!(prefix.text("access_matched"), Some("explicit"));
    assert!(
        prefix
            .texts("disallowed_agents")
            .expect("known")
            .contains(&"CCBot")
    );
}

#[test]
fn local_who_is_shut_out_is_null_nobody_or_everybody() {
    let answered = |host: &str, status: u16| {
        response(
            &format!("https://{host}.example/robots.txt"),
            "06:00:00",
            status,
            "",
            "",
        )
    };
    let page = |host: &str| page(&format!("https://{host}.example/"), "07:00:00");
    let pages = resolved(
        &[
            [
                answered("missing", 404),
                answered("down", 503),
                answered("odd", 304),
            ],
            [
                robots("open.example", "06:00:00", OPEN),
                robots("closed.example", "06:00:00", CLOSED),
                page("never"),
            ],
            [page("missing"), page("down"), page("odd")],
            [
                page("open"),
                page("closed"),
                response("https://away.example/robots.txt", "06:00:00", 302, "", ""),
            ],
        ]
        .concat(),
        &view(),
    );
    let table = AgentsTable::bundled();
    let everybody: Vec<&str> = table.tokens().iter().map(ProductToken::as_str).collect();
    for (host, verdict, shut_out) in [
        ("never", ("not_archived", "unknown"), None),
        ("odd", ("other_status", "unknown"), None),
        ("missing", ("unavailable", "allow"), Some(vec![])),
        ("open", ("parsed", "allow"), Some(vec![])),
        ("closed", ("parsed", "disallow"), Some(everybody.clone())),
        ("down", ("unreachable", "disallow"), Some(everybody.clone())),
    ] {
        let row = &pages[&format!("https://{host}.example/")];
        assert_eq!(
            (row.verdict(), row.texts("disallowed_agents")),
            (verdict, shut_out),
            "{host}"
        );
    }
}

#[test]
fn rfc9309_2_3_1_2_a_redirect_of_robots_txt_is_followed_inside_the_inputs() {
    let moved = |from: &str, at: &str, to: &str| {
        response(
            &format!("{from}/robots.txt"),
            at,
            301,
            &format!("Location: {to}\r\n"),
            "",
        )
    };
    let pages = resolved(
        &[
            moved(
                "http://a.example",
                "06:00:00",
                "https://a.example/robots.txt",
            ),
            robots(
                "a.example",
                "06:00:02",
                "User-agent: *\nDisallow: /closed/\n",
            ),
            page("http://a.example/closed/", "07:00:00"),
            page("http://a.example/open/", "07:00:00"),
            moved(
                "https://out.example",
                "06:00:00",
                "https://elsewhere.example/robots.txt",
            ),
            page("https://out.example/", "07:00:00"),
            moved("https://home.example", "06:00:00", "/"),
            page("https://home.example/", "07:00:00"),
        ],
        &view(),
    );
    let closed = &pages["http://a.example/closed/"];
    assert_eq!(
        (closed.verdict(), closed.number("access_line")),
        (("parsed", "disallow"), Some(2))
    );
    // The first hop is what the site was asked.
    assert_eq!(closed.number("robots_age_s"), Some(3600));
    assert!(closed.text("robots_body_digest").is_some());
    assert_eq!(
        pages["http://a.example/open/"].verdict(),
        ("parsed", "allow")
    );
    let out = &pages["https://out.example/"];
    assert_eq!(
        (out.verdict(), out.texts("disallowed_agents")),
        (("redirect_unresolved", "unknown"), None)
    );
    // The target was fetched after the first hop, an hour later, and pages keep no body.
    let (state, access) = pages["https://home.example/"].verdict();
    assert_eq!(access, "unknown", "{state}");
}

/// A target that comes first is known by its name alone; one of HTML has no rules.
#[test]
fn rfc9309_2_3_1_2_a_robots_txt_at_another_path_is_read_in_any_archive() {
    let moved = |host: &str, to: &str| {
        let location = format!("Location: {to}\r\n");
        let url = format!("https://{host}.example/robots.txt");
        response(&url, "06:00:00", 301, &location, "")
    };
    let target = |url: &str, media_type: &str| {
        let content_type = format!("Content-Type: {media_type}\r\n");
        let rules = "User-agent: *\nDisallow: /closed\nContent-Signal: ai-train=no\n";
        response(url, "06:00:01", 200, &content_type, rules)
    };
    let pages = |host: &str| {
        ["closed", "open"].map(|path| {
            let url = format!("https://{host}.example/{path}");
            page(&url, "07:00:00")
        })
    };
    let mut records = vec![
        moved("known", "/static/bots.txt"),
        target("https://known.example/static/bots.txt", "text/plain"),
        moved("chain", "//known.example/hop"),
        response(
            "https://known.example/hop",
            "06:00:00",
            302,
            "Location: /chain.txt\r\n",
            "",
        ),
        target("https://known.example/chain.txt", ""),
        target("https://named.example/x/robots-live.txt?1", "text/plain"),
        moved("named", "/x/robots-live.txt?1"),
        target("https://first.example/bots.txt", "text/plain"),
        moved("first", "/bots.txt"),
        moved("html", "/robots.html"),
        target("https://html.example/robots.html", "text/html"),
        moved("gone", "/robots-gone.txt"),
        response(
            "https://gone.example/robots-gone.txt",
            "06:00:01",
            404,
            "Content-Type: text/plain\r\n",
            "User-agent: *\nDisallow: /\n",
        ),
    ];
    let hosts = ["known", "chain", "named", "first", "html", "gone"];
    records.extend(hosts.iter().flat_map(|host| pages(host)));
    let pages = resolved(&records, &view());
    let found = hosts.map(|host| {
        let row = |path| &pages[&format!("https://{host}.example/{path}")];
        let [closed, open] = ["closed", "open"].map(row);
        let verdicts = (closed.verdict(), open.verdict().1, open.text("train_ai"));
        format!("{host} {verdicts:?}")
    });
    assert_eq!(
        found,
        [
            r#"known (("parsed", "disallow"), "allow", Some("disallow"))"#,
            r#"chain (("parsed", "disallow"), "allow", Some("disallow"))"#,
            r#"named (("parsed", "disallow"), "allow", Some("disallow"))"#,
            r#"first (("body_missing", "unknown"), "unknown", Some("unknown"))"#,
            r#"html (("body_missing", "unknown"), "unknown", Some("unknown"))"#,
            r#"gone (("unavailable", "allow"), "allow", Some("unknown"))"#,
        ]
    );
}

#[test]
fn local_a_page_before_its_robots_txt_needs_a_slack() {
    let folder = scanned(&[
        page("https://late.example/", "07:00:00"),
        robots("late.example", "07:30:00", CLOSED),
        robots("late.example", "08:30:00", OPEN),
        robots("early.example", "06:59:00", CLOSED),
        page("https://early.example/", "07:00:00"),
    ]);
    let place = |name: &str| folder.path().join(name);
    let judged = |slack: Duration, name: &str| {
        let mut options = view();
        options.tables.slack = slack;
        let tally = resolve(folder.path(), &place(name), &options);
        let rows = pages(&place(name));
        let seen = |row: &Fields| {
            let (state, access) = row.verdict();
            let digest = row.text("robots_body_digest").is_some();
            let (state, access) = (state.to_owned(), access.to_owned());
            (
                (state, access),
                row.whether("robots_after_page"),
                row.number("robots_age_s"),
                digest,
            )
        };
        let helped = (tally.slack_would_help, tally.slack_needed_s);
        assert_eq!(
            seen(&rows["https://early.example/"]),
            (
                ("parsed".to_owned(), "disallow".to_owned()),
                Some(false),
                Some(60),
                true
            )
        );
        (seen(&rows["https://late.example/"]), helped)
    };
    let verdict = |state: &str, access: &str| (state.to_owned(), access.to_owned());
    let unknown = (verdict("not_archived", "unknown"), None, None, false);
    assert_eq!(judged(Duration::ZERO, "none"), (unknown.clone(), (1, 1800)));
    assert_eq!(
        judged(Duration::from_secs(1799), "short"),
        (unknown, (1, 1800))
    );
    // The first later one serves, not the newest.
    let served = (verdict("parsed", "disallow"), Some(true), Some(-1800), true);
    assert_eq!(
        judged(Duration::from_mins(30), "just"),
        (served.clone(), (0, 0))
    );
    assert_eq!(judged(Duration::from_hours(3), "long"), (served, (0, 0)));
}

#[test]
fn rfc9309_2_4_a_copy_older_than_a_day_still_serves_and_is_marked() {
    let pages = resolved(
        &[
            robots("old.example", "2026-08-08T06:59:59Z", CLOSED),
            page("https://old.example/", "07:00:00"),
            robots("day.example", "2026-08-09T07:00:00Z", CLOSED),
            page("https://day.example/", "07:00:00"),
        ],
        &view(),
    );
    let (old, day) = (
        &pages["https://old.example/"],
        &pages["https://day.example/"],
    );
    assert_eq!(
        (old.verdict(), old.whether("robots_stale")),
        (("parsed", "disallow"), Some(true))
    );
    assert_eq!(
        (day.verdict(), day.whether("robots_stale")),
        (("parsed", "disallow"), Some(false))
    );
    assert_eq!(day.number("robots_age_s"), Some(86_400));
}

/// The answers that lost are evidence, too, and are cut before those that decided.
#[test]
fn local_evidence_has_the_answers_that_lost_and_cuts_them_first() {
    let header = "Content-Usage: train-ai=y\r\n";
    let page = |host: &str| response(&format!("https://{host}/a"), "08:00:00", 200, header, "");
    let rows = |signals: usize| "Content-Signal: ai-train=no\n".repeat(signals);
    let folder = scanned(&[
        robots(
            "few.example",
            "07:00:00",
            &format!("User-agent: *\n{}", rows(1)),
        ),
        robots(
            "many.example",
            "07:00:00",
            &format!("User-agent: *\n{}", rows(40)),
        ),
        page("few.example"),
        page("many.example"),
    ]);
    resolve(folder.path(), folder.path(), &view());
    let pages = pages(folder.path());
    let evidence = |url: &str| -> Vec<String> {
        let words = |one: &String| one.split(' ').take(5).collect::<Vec<_>>().join(" ");
        pages[url].structs("evidence").iter().map(words).collect()
    };
    let few = evidence("https://few.example/a");
    assert_eq!(
        few,
        [
            "train_ai disallow true content_signal robots",
            "train_genai disallow true content_signal robots",
            "train_ai allow false aipref header",
            "train_genai allow false aipref header",
        ]
    );
    let many = evidence("https://many.example/a");
    assert_eq!(many.len(), 32);
    assert!(many.iter().all(|one| one.contains(" true ")), "{many:?}");
    assert_eq!(
        pages["https://many.example/a"].texts("lists_cut"),
        Some(vec!["evidence"])
    );
}
