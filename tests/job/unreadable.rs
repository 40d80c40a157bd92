//! What was not understood is never a yes (READ-2, -3, -4, -5, -9, -10): site files that are cut, are not text, or break
//! their grammar, in every order of captures and archives.

use crate::fixture::{archive, run};
use crate::resolved::{Fields, pages, resolve, rows, site_rows, view};
use crate::warc::response;
use crawlprefs::archive::Input;
use std::collections::BTreeMap;

/// A record of a path of a host: when it was fetched, a field of its own, and its body.
#[derive(Clone, Copy)]
struct Sent<'a> {
    host: &'a str,
    path: &'a str,
    at: &'a str,
    field: &'a str,
    head: &'a str,
    body: &'a [u8],
}

const CUT: &str = "WARC-Truncated: length\r\n";
const CLOSED: &[u8] = b"User-agent: *\nDisallow: /\n";
const OF_GPTBOT: &[u8] = b"User-agent: GPTBot\nDisallow: /\n";
const PNG: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\nUser-agent: *\nDisallow: /\n";

impl<'a> Sent<'a> {
    fn robots(host: &'a str, field: &'a str, body: &'a [u8]) -> Self {
        Self {
            host,
            path: "/robots.txt",
            at: "06:00:00",
            field,
            head: "",
            body,
        }
    }

    fn page(host: &'a str) -> Self {
        let head = "Content-Usage: train-ai=y\r\nContent-Signal: ai-train=yes\r\nContent-Type: text/html\r\n";
        Self {
            host,
            path: "/a",
            at: "07:00:00",
            field: "",
            head,
            body: b"<!DOCTYPE html><title>A</title>",
        }
    }

    fn record(&self) -> Vec<u8> {
        let Self {
            host,
            path,
            at,
            field,
            head,
            body,
        } = *self;
        let block = [format!("HTTP/1.1 200 OK\r\n{head}\r\n").as_bytes(), body].concat();
        response(&format!("https://{host}{path}"), at, field, &block)
    }
}

/// Everything that a run says.
struct RunRows {
    pages: BTreeMap<String, Fields>,
    sites: BTreeMap<String, Fields>,
    robots: BTreeMap<String, Fields>,
}

fn rows_of(inputs: Vec<Input>) -> RunRows {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(inputs, folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    let by = |rows: Vec<Fields>, column: &str| {
        let key = |row: Fields| (row.text(column).expect("never null").to_owned(), row);
        rows.into_iter().map(key).collect()
    };
    RunRows {
        pages: pages(folder.path()),
        sites: by(site_rows(folder.path()), "origin"),
        robots: by(rows(folder.path(), "robots"), "url"),
    }
}

/// Returns what records say in one archive.
fn of(list: &[Sent<'_>]) -> RunRows {
    rows_of(vec![archive(
        "made.warc",
        list.iter().flat_map(Sent::record).collect(),
    )])
}

/// Returns what two lists of records say: in one archive and in two, in both orders.
fn in_every_order(one: &[Sent<'_>], other: &[Sent<'_>]) -> Vec<RunRows> {
    let bytes = |list: &[Sent<'_>]| list.iter().flat_map(Sent::record).collect::<Vec<u8>>();
    let two = |first, second| {
        vec![
            archive("0.warc", bytes(first)),
            archive("1.warc", bytes(second)),
        ]
    };
    vec![
        of(&[one, other].concat()),
        of(&[other, one].concat()),
        rows_of(two(one, other)),
        rows_of(two(other, one)),
    ]
}

/// Returns what was not read or not understood.
fn withheld(page: &Fields) -> Vec<&str> {
    ["unread", "doubt"]
        .into_iter()
        .filter_map(|column| page.texts(column))
        .flatten()
        .collect()
}

impl RunRows {
    fn page(&self, host: &str) -> &Fields {
        &self.pages[&format!("https://{host}/a")]
    }

    /// Asserts that everything is unknown to a page of a host and to its site.
    fn assert_unknown(&self, host: &str, state: &str, reason: &str, what: &str) {
        let page = self.page(host);
        let found = [
            page.text("robots_state"),
            page.text("access"),
            page.text("access_reason"),
        ];
        assert_eq!(
            found,
            [Some(state), Some("unknown"), Some(reason)],
            "{what}"
        );
        assert_eq!(page.texts("disallowed_agents"), None, "{what}");
        assert_eq!(page.text("train_ai"), Some("unknown"), "{what}");
        assert_eq!(withheld(page), ["robots"], "{what}");
        let site = &self.sites[&format!("https://{host}")];
        assert_eq!(site.text("robots_state"), Some(state), "{what}");
        for column in ["agents_closed", "agents_restricted", "agents_named"] {
            assert_eq!(site.texts(column), None, "{column}: {what}");
        }
    }

    fn assert_allowed(&self, host: &str, what: &str) {
        let page = self.page(host);
        let found = [
            page.text("robots_state"),
            page.text("access"),
            page.text("train_ai"),
        ];
        assert_eq!(
            found,
            [Some("parsed"), Some("allow"), Some("allow")],
            "{what}"
        );
        assert!(page.texts("disallowed_agents").is_some(), "{what}");
        assert!(
            self.sites[&format!("https://{host}")]
                .texts("agents_closed")
                .is_some(),
            "{what}"
        );
    }
}

#[test]
fn local_read_5_a_cut_belongs_to_a_capture_and_not_to_a_body() {
    for body in [OF_GPTBOT, b"", b"User-agent: GPTBot\nDisallow: /"] {
        let whole = [Sent::robots("a.example", "", body), Sent::page("a.example")];
        let cut = [
            Sent::robots("b.example", CUT, body),
            Sent::page("b.example"),
        ];
        for (order, said) in in_every_order(&whole, &cut).iter().enumerate() {
            let what = format!("{} in order {order}", body.escape_ascii());
            said.assert_allowed("a.example", &what);
            said.assert_unknown("b.example", "parsed", "body_cut", &what);
            let lints =
                |host: &str| said.robots[&format!("https://{host}/robots.txt")].texts("lints");
            assert!(
                !lints("a.example").expect("a file").contains(&"cut"),
                "{what}"
            );
            assert!(
                lints("b.example").expect("a file").contains(&"cut"),
                "{what}"
            );
        }
    }
}

#[test]
fn local_read_5_a_cut_is_of_its_time_on_one_host() {
    let whole = [
        Sent::robots("a.example", "", OF_GPTBOT),
        Sent::page("a.example"),
    ];
    let later = Sent {
        at: "08:00:00",
        ..Sent::robots("a.example", CUT, OF_GPTBOT)
    };
    let cut = [
        later,
        Sent {
            path: "/b",
            at: "09:00:00",
            ..Sent::page("a.example")
        },
    ];
    for said in in_every_order(&whole, &cut) {
        assert_eq!(said.page("a.example").text("access"), Some("allow"));
        let page = &said.pages["https://a.example/b"];
        assert_eq!(
            [page.text("access"), page.text("access_reason")],
            [Some("unknown"), Some("body_cut")]
        );
        assert_eq!(
            said.sites["https://a.example"].number("robots_versions"),
            Some(1)
        );
        assert_eq!(said.sites["https://a.example"].texts("agents_closed"), None);
    }
}

#[test]
fn local_read_5_rows_of_a_body_are_of_it_whole_where_any_capture_has_it_whole() {
    let body = b"User-agent: GPTBot\nDisallow: /";
    let whole = [Sent::robots("a.example", "", body)];
    let cut = [Sent::robots("b.example", CUT, body)];
    for order in [
        [whole, cut].concat(),
        [cut, whole].concat(),
        whole.to_vec(),
        cut.to_vec(),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bytes = order.iter().flat_map(Sent::record).collect();
        run(vec![archive("made.warc", bytes)], folder.path(), 1);
        resolve(folder.path(), folder.path(), &view());
        let agents = rows(folder.path(), "robots_agents");
        let agents = agents.iter().filter(|row| row.text("agent") != Some("*"));
        let classes: Vec<_> = agents
            .map(|row| (row.shown("agent"), row.shown("class")))
            .collect();
        let class = if order.len() == 1 && order[0].field == CUT {
            "\"none\""
        } else {
            "\"full\""
        };
        assert_eq!(classes, [("\"GPTBot\"".to_owned(), class.to_owned())]);
    }
}

#[test]
fn local_read_2_to_4_a_robots_txt_that_is_not_text_is_unreadable() {
    let wide: Vec<u8> = CLOSED.iter().flat_map(|byte| [*byte, 0]).collect();
    let marked = [
        b"\xFE\xFF",
        &CLOSED
            .iter()
            .flat_map(|byte| [0, *byte])
            .collect::<Vec<u8>>()[..],
    ]
    .concat();
    let binary = [&[3, 4, 5, 6, 7, 14, 15, 16][..], CLOSED].concat();
    for body in [PNG, &wide, &marked, &binary, b"%PDF-1.7\nUser-agent: *\n"] {
        let list = [Sent::robots("a.example", "", body), Sent::page("a.example")];
        let (said, what) = (of(&list), body.escape_ascii().to_string());
        said.assert_unknown("a.example", "unreadable", "unreadable", &what);
        let row = &said.robots["https://a.example/robots.txt"];
        assert_eq!(row.text("outcome"), Some("unreadable"), "{what}");
        assert!(row.text("body_digest").is_some(), "{what}");
        assert_eq!(
            (row.number("group_count"), row.texts("lints")),
            (None, None),
            "{what}"
        );
    }
}

#[test]
fn local_read_3_a_robots_txt_whose_coding_cannot_be_undone_is_unreadable() {
    let coded = Sent {
        head: "Content-Encoding: gzip\r\n",
        ..Sent::robots("a.example", "", b"\x1F\x8B\x08\0damaged")
    };
    let said = of(&[coded, Sent::page("a.example")]);
    let page = said.page("a.example");
    assert_eq!(
        [page.text("access"), page.text("train_ai")],
        [Some("unknown"); 2]
    );
    assert_eq!(page.text("robots_state"), Some("unreadable"));
}

#[test]
fn local_read_3_html_is_a_robots_txt_that_is_read_but_no_other_site_file() {
    let html = b"<!DOCTYPE html>\n<title>Not found</title>\nUser-agent: *\nDisallow: /\n";
    let files = [
        "/ai.txt",
        "/trust.txt",
        "/.well-known/tdmrep.json",
        "/automation-preferences.txt",
    ];
    let file = |path| Sent {
        path,
        ..Sent::robots("a.example", "", html)
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut list: Vec<Sent<'_>> = files.into_iter().map(file).collect();
    list.extend([
        Sent::robots("a.example", "", OF_GPTBOT),
        Sent::page("a.example"),
    ]);
    run(
        vec![archive(
            "made.warc",
            list.iter().flat_map(Sent::record).collect(),
        )],
        folder.path(),
        1,
    );
    let tally = resolve(folder.path(), folder.path(), &view());
    assert_eq!(tally.html_files, 4);
    let page = &pages(folder.path())["https://a.example/a"];
    assert_eq!(page.texts("unread"), Some(vec![]));
    assert_eq!(page.text("train_ai"), Some("allow"));
    assert!(
        rows(folder.path(), "statements")
            .iter()
            .all(|row| row.text("carrier") == Some("header"))
    );
    let robots = of(&[Sent::robots("a.example", "", html), Sent::page("a.example")]);
    assert_eq!(robots.page("a.example").text("access"), Some("disallow"));
}

#[test]
fn local_read_3_and_9_another_site_file_that_cannot_be_read_is_unread_where_it_speaks_for_a_label()
{
    let reserved = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    let wide: Vec<u8> = reserved.bytes().flat_map(|byte| [byte, 0]).collect();
    let comma = reserved.replace(']', ",]");
    let comment = format!("/* ours */ {reserved}");
    for (path, body, unread) in [
        ("/.well-known/tdmrep.json", wide.as_slice(), Some("tdmrep")),
        ("/.well-known/tdmrep.json", comma.as_bytes(), Some("tdmrep")),
        (
            "/.well-known/tdmrep.json",
            comment.as_bytes(),
            Some("tdmrep"),
        ),
        (
            "/.well-known/tdmrep.json",
            &reserved.as_bytes()[..20],
            Some("tdmrep"),
        ),
        ("/.well-known/tdmrep.json", PNG, Some("tdmrep")),
        ("/.well-known/tdmrep.json", b"[]", None),
        ("/ai.txt", PNG, Some("ai_txt")),
        (
            "/ai.txt",
            b"User-agent: *\nAllow: /b\nDisallow\x01: /\n",
            Some("ai_txt"),
        ),
        ("/trust.txt", PNG, Some("trust_txt")),
        ("/automation-preferences.txt", PNG, None),
    ] {
        let file = Sent {
            path,
            ..Sent::robots("a.example", "", body)
        };
        let said = of(&[
            file,
            Sent::robots("a.example", "", OF_GPTBOT),
            Sent::page("a.example"),
        ]);
        let (page, what) = (
            said.page("a.example"),
            format!("{path} {}", body.escape_ascii()),
        );
        assert_eq!(
            withheld(page),
            unread.into_iter().collect::<Vec<_>>(),
            "{what}"
        );
        let label = if unread.is_some() { "unknown" } else { "allow" };
        assert_eq!(
            [page.text("access"), page.text("train_ai")],
            [Some("allow"), Some(label)],
            "{what}"
        );
    }
}

#[test]
fn local_read_10_what_fills_up_the_end_is_dropped_and_vt_and_ff_are_blanks() {
    for end in [
        "\0",
        "\0\0\0",
        "\n\0\x1A\0",
        "\x1A",
        "\n\x1A",
        "\x0C",
        " \x0B",
        "\n\x0C\n",
    ] {
        let body = [b"User-agent: *\nDisallow: /", end.as_bytes()].concat();
        let page = of(&[
            Sent::robots("a.example", "", &body),
            Sent::page("a.example"),
        ]);
        assert_eq!(
            page.page("a.example").text("access"),
            Some("disallow"),
            "{end:?}"
        );
    }
    let body = b"User-agent:\x0C*\n\x0BDisallow\x0C:\x0B/\n";
    let said = of(&[Sent::robots("a.example", "", body), Sent::page("a.example")]);
    assert_eq!(said.page("a.example").text("access"), Some("disallow"));
}

#[test]
fn local_read_10_a_line_that_says_no_without_its_control_bytes_makes_what_is_allowed_unknown() {
    let filler =
        "# a comment of many letters, so that one byte in fifty may be a control byte\n".repeat(4);
    for (line, is_lost) in [
        ("Disallow\x01: /", true),
        ("Disallow: /\x02", true),
        ("\x03Disallow /", true),
        // Written as rules (ACCT-14), they close no path of the page's, or open a group of somebody else.
        ("\x03Disallow /b", false),
        ("User-agent: GPT\x04Bot", false),
        ("Content-Usage: train-ai=n\x05", true),
        ("Content-Signal: ai-train\x06=no", true),
        ("Allow: /\x01", false),
        ("Sitemap: https://a.example/\x01", false),
        ("# Disallow: /\x01", false),
        ("\x01\x02", false),
    ] {
        let body = format!("{filler}User-agent: *\nDisallow: /c\n{line}\n");
        let said = of(&[
            Sent::robots("a.example", "", body.as_bytes()),
            Sent::page("a.example"),
        ]);
        match is_lost {
            true => said.assert_unknown("a.example", "parsed", "line_lost", line),
            false => said.assert_allowed("a.example", line),
        }
    }
    let closed = format!("{filler}User-agent: *\nDisallow: /\nDisallow: /b\x01\n");
    let said = of(&[
        Sent::robots("a.example", "", closed.as_bytes()),
        Sent::page("a.example"),
    ]);
    assert_eq!(said.page("a.example").text("access"), Some("disallow"));
}

#[test]
fn local_read_4_a_byte_order_mark_that_is_not_whole_is_skipped() {
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF"] {
        let body = [mark, CLOSED].concat();
        let said = of(&[
            Sent::robots("a.example", "", &body),
            Sent::page("a.example"),
        ]);
        assert_eq!(
            said.page("a.example").text("access"),
            Some("disallow"),
            "{mark:?}"
        );
    }
}
