//! FRAME-9: of captures of one URL within one second that differ, the stricter counts, in whatever order they lie.

use crate::container::ALL;
use crate::record::Record;
use crate::run::{Batch, View};

const PAGE: &str = "http://a.example/private/page";
const CLOSED: &str = "User-agent: *\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nDisallow: /other/\n";
const AT: &str = "06:00:00";

fn robots(body: &str) -> Record {
    Record::robots("a.example", AT, body)
}

fn status(status: &str) -> Record {
    Record::response(
        "http://a.example/robots.txt",
        AT,
        &format!("HTTP/1.1 {status} Said\r\n\r\n"),
    )
}

/// What two captures are, they, what is behind them, and what columns of the page say.
type Case = (
    &'static str,
    [Record; 2],
    Vec<Record>,
    &'static [&'static str],
    &'static str,
);

/// Packs two captures of one second, in both orders and in every format, around a page.
fn each_order(cases: &[Case]) {
    let mut batch = Batch::default();
    let page = &Record::page("a.example", "/private/page", "07:00:00", "");
    for container in ALL {
        let orders = cases.iter().flat_map(
            |&(what, [ref one, ref other], ref more, columns, expected)| {
                let orders = [
                    [one, other, page],
                    [other, one, page],
                    [one, page, other],
                    [other, page, one],
                ];
                orders.map(|records| {
                    let records = records.into_iter().chain(more).cloned().collect();
                    let check = move |found: &View<'_>, what: &str| {
                        assert_eq!(found.said(PAGE, columns), expected, "{what}");
                    };
                    (what.to_owned(), records, check)
                })
            },
        );
        batch.add_together(container, orders);
    }
    batch.run();
}

#[test]
fn frame_9_the_file_with_a_no_counts() {
    let both = [robots(CLOSED), robots(OPEN)];
    each_order(&[(
        "a no",
        both,
        vec![],
        &["access", "robots_state"],
        "disallow parsed",
    )]);
}

#[test]
fn frame_9_each_of_two_files_closes_its_paths() {
    let both = [robots("User-agent: *\nDisallow: /a\n"), robots(CLOSED)];
    let unread = [robots("User-agent: *\nDisallow; /private/\n"), robots(OPEN)];
    each_order(&[
        ("two noes", both, vec![], &["access"], "disallow"),
        (
            "a line that cannot be read",
            unread,
            vec![],
            &["access"],
            "unknown",
        ),
    ]);
}

#[test]
fn frame_9_of_captures_of_the_same_bytes_the_whole_one_counts() {
    let columns: &[&str] = &["access", "ai_txt", "unread"];
    let of_file = |(path, expected)| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{CLOSED}");
        let whole = Record::response(&format!("http://a.example/{path}"), AT, &block);
        let mut cut = whole.clone();
        cut.fields.push(("WARC-Truncated", "length".to_owned()));
        (path, [cut, whole], vec![], columns, expected)
    };
    let files = [
        ("robots.txt", "disallow unknown []"),
        ("ai.txt", "unknown disallow []"),
    ];
    each_order(&files.map(of_file));
}

#[test]
fn frame_9_the_stricter_state_counts() {
    let cases = [
        (
            "unreachable",
            [robots(OPEN), status("503")],
            "disallow unreachable",
        ),
        (
            "unavailable",
            [robots(CLOSED), status("404")],
            "disallow parsed",
        ),
        (
            "not both",
            [status("503"), status("404")],
            "disallow unreachable",
        ),
        (
            "unknown",
            [status("404"), status("600")],
            "unknown other_status",
        ),
        (
            "unknown and read",
            [robots(OPEN), status("600")],
            "unknown other_status",
        ),
    ];
    let columns: &[&str] = &["access", "robots_state"];
    each_order(&cases.map(|(what, two, expected)| (what, two, vec![], columns, expected)));
}

#[test]
fn frame_9_a_redirect_counts_by_where_it_leads() {
    let mut redirect = status("301");
    redirect.block =
        b"HTTP/1.1 301 Moved\r\nLocation: http://b.example/robots.txt\r\n\r\n".to_vec();
    let open = Record::robots("b.example", AT, OPEN);
    let closed = Record::robots("b.example", AT, CLOSED);
    let to_a_yes = [redirect.clone(), robots(CLOSED)];
    let to_a_no = [redirect.clone(), robots(OPEN)];
    each_order(&[
        (
            "leads to a yes",
            to_a_yes,
            vec![open.clone()],
            &["access"],
            "disallow",
        ),
        (
            "leads to a no",
            to_a_no,
            vec![closed.clone()],
            &["access"],
            "disallow",
        ),
        // Of the target there are two captures, too.
        (
            "two targets",
            [open, closed],
            vec![redirect],
            &["access"],
            "disallow",
        ),
    ]);
}

#[test]
fn frame_9_noes_for_ai_of_either_file_count() {
    let no = robots("User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");
    let yes = robots("User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n");
    let file = |body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
        Record::response("http://a.example/.well-known/tdmrep.json", AT, &block)
    };
    let reserved = file(r#"[{"location": "/", "tdm-reservation": 1}]"#);
    let free = file(r#"[{"location": "/", "tdm-reservation": 0}]"#);
    let mut absent = reserved.clone();
    absent.block = b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec();
    let open = vec![robots(OPEN)];
    each_order(&[
        (
            "of robots.txt",
            [no, yes],
            vec![],
            &["access", "train_ai"],
            "allow disallow",
        ),
        (
            "of tdmrep.json",
            [reserved.clone(), free],
            open.clone(),
            &["tdm"],
            "disallow",
        ),
        (
            "of one that was not there",
            [reserved, absent],
            open,
            &["tdm"],
            "disallow",
        ),
    ]);
}

#[test]
fn frame_9_other_seconds_and_equal_files_are_as_ever() {
    let later = Record::robots("a.example", "06:00:01", OPEN);
    let columns: &[&str] = &["access", "access_line"];
    each_order(&[
        (
            "a second later",
            [robots(CLOSED), later],
            vec![],
            columns,
            "allow null",
        ),
        (
            "the same file",
            [robots(CLOSED), robots(CLOSED)],
            vec![],
            columns,
            "disallow 2",
        ),
    ]);
}
