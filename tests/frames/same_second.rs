//! FRAME-9: of captures of one URL within one second that differ, the stricter counts, in whatever order they lie.

use crate::container::ALL;
use crate::record::Record;
use crate::run::Batch;

const PAGE: &str = "http://a.example/private/page";
const CLOSED: &str = "User-agent: *\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nDisallow: /other/\n";
const AT: &str = "06:00:00";

fn robots(body: &str) -> Record {
    Record::robots("a.example", AT, body)
}

fn status(status: &str) -> Record {
    Record::response("http://a.example/robots.txt", AT, &format!("HTTP/1.1 {status} Said\r\n\r\n"))
}

/// Packs two captures of one second, in both orders and in every format, around a page.
fn each_order(
    what: &str,
    [one, other]: [Record; 2],
    more: &[Record],
    columns: &'static [&'static str],
    expected: &'static str,
) {
    let mut batch = Batch::default();
    let page = Record::page("a.example", "/private/page", "07:00:00", "");
    for container in ALL {
        for two in [[&one, &other], [&other, &one]] {
            for mut records in [vec![two[0], two[1], &page], vec![two[0], &page, two[1]]] {
                records.extend(more);
                let records: Vec<Record> = records.into_iter().cloned().collect();
                batch.add_records(what, container, &records, move |found, what| {
                    assert_eq!(found.said(PAGE, columns), expected, "{what}");
                });
            }
        }
    }
    batch.run();
}

#[test]
fn frame_9_the_file_with_a_no_counts() {
    each_order("a no", [robots(CLOSED), robots(OPEN)], &[], &["access", "robots_state"], "disallow parsed");
}

#[test]
fn frame_9_each_of_two_files_closes_its_paths() {
    let both = [robots("User-agent: *\nDisallow: /a\n"), robots(CLOSED)];
    each_order("two noes", both, &[], &["access"], "disallow");
    let unread = [robots("User-agent: *\nDisallow; /private/\n"), robots(OPEN)];
    each_order("a line that cannot be read", unread, &[], &["access"], "unknown");
}

#[test]
fn frame_9_of_captures_of_the_same_bytes_the_whole_one_counts() {
    let columns: &[&str] = &["access", "ai_txt", "unread"];
    for (path, expected) in [("robots.txt", "disallow unknown []"), ("ai.txt", "unknown disallow []")] {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{CLOSED}");
        let whole = Record::response(&format!("http://a.example/{path}"), AT, &block);
        let mut cut = whole.clone();
        cut.fields.push(("WARC-Truncated", "length".to_owned()));
        each_order(path, [cut, whole], &[], columns, expected);
    }
}

#[test]
fn frame_9_the_stricter_state_counts() {
    let columns: &[&str] = &["access", "robots_state"];
    for (what, two, expected) in [
        ("unreachable", [robots(OPEN), status("503")], "disallow unreachable"),
        ("unavailable", [robots(CLOSED), status("404")], "disallow parsed"),
        ("not both", [status("503"), status("404")], "disallow unreachable"),
        ("unknown", [status("404"), status("600")], "unknown other_status"),
        ("unknown and read", [robots(OPEN), status("600")], "unknown other_status"),
    ] {
        each_order(what, two, &[], columns, expected);
    }
}

#[test]
fn frame_9_a_redirect_counts_by_where_it_leads() {
    let mut redirect = status("301");
    redirect.block = b"HTTP/1.1 301 Moved\r\nLocation: http://b.example/robots.txt\r\n\r\n".to_vec();
    let open = Record::robots("b.example", AT, OPEN);
    let closed = Record::robots("b.example", AT, CLOSED);
    each_order(
        "leads to a yes",
        [redirect.clone(), robots(CLOSED)],
        std::slice::from_ref(&open),
        &["access"],
        "disallow",
    );
    each_order(
        "leads to a no",
        [redirect.clone(), robots(OPEN)],
        std::slice::from_ref(&closed),
        &["access"],
        "disallow",
    );
    // Of the target there are two captures, too.
    each_order("two targets", [open, closed], &[redirect], &["access"], "disallow");
}

#[test]
fn frame_9_noes_for_ai_of_either_file_count() {
    let no = "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n";
    let yes = "User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n";
    each_order("of robots.txt", [robots(no), robots(yes)], &[], &["access", "train_ai"], "allow disallow");
    let file = |body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
        Record::response("http://a.example/.well-known/tdmrep.json", AT, &block)
    };
    let reserved = file(r#"[{"location": "/", "tdm-reservation": 1}]"#);
    let free = file(r#"[{"location": "/", "tdm-reservation": 0}]"#);
    each_order("of tdmrep.json", [reserved.clone(), free], &[robots(OPEN)], &["tdm"], "disallow");
    let mut absent = reserved.clone();
    absent.block = b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec();
    each_order("of one that was not there", [reserved, absent], &[robots(OPEN)], &["tdm"], "disallow");
}

#[test]
fn frame_9_other_seconds_and_equal_files_are_as_ever() {
    let later = Record::robots("a.example", "06:00:01", OPEN);
    let columns: &[&str] = &["access", "access_line"];
    each_order("a second later", [robots(CLOSED), later], &[], columns, "allow null");
    each_order("the same file", [robots(CLOSED), robots(CLOSED)], &[], columns, "disallow 2");
}
