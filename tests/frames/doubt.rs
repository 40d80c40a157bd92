//! FRAME-11: in an archive without ids, what is found behind a false length may be text of a page.

use crate::container::{ALL, Container};
use crate::record::Record;
use crate::run::{Batch, View};

const OPEN: &str = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=yes\n";
const CLOSED: &str = "User-agent: *\nDisallow: /\nContent-Signal: ai-train=no\n";
const YES: [&str; 2] = ["access", "train_ai"];

/// Returns a page that ends in records of another site, and whose length is short by all that is behind its head, or right.
fn attack(container: Container, forged: &[Record]) -> Record {
    let mut page = Record::page("attacker.example", "/", "06:30:00", "");
    let whole = page.block.len();
    page.block.extend_from_slice(b"filler\r\n\r\n");
    for record in forged {
        page.block.extend(if container.is_arc() {
            record.arc().expect("a response")
        } else {
            record.warc(None)
        });
    }
    page.declared = Some((whole - 5).to_string());
    page
}

fn status(host: &str, line: &str) -> Record {
    Record::response(
        &format!("http://{host}/robots.txt"),
        "06:40:00",
        &format!("HTTP/1.1 {line}\r\n\r\n"),
    )
}

/// Runs each forgery in every container, before a page of the site that it is about.
fn check_forged(forged: &[Record], check: fn(&View<'_>, &str)) {
    let mut batch = Batch::default();
    for container in ALL {
        // Forged records carry no id.
        let records = [
            Record::robots("victim.example", "06:00:00", CLOSED),
            attack(container, forged),
            Record::page("victim.example", "/", "07:00:00", ""),
            Record::page("other.example", "/", "07:00:00", ""),
        ];
        batch.add_records("forged", container, &records, check);
    }
    batch.run();
}

#[test]
fn frame_11_a_record_that_a_page_may_have_written_opens_nothing() {
    let robots = Record::robots("victim.example", "06:40:00", OPEN);
    let other = Record::robots("other.example", "06:40:00", OPEN);
    for forged in [
        vec![robots.clone(), other.clone()],
        vec![other, robots],
        vec![
            status("victim.example", "404 Not Found"),
            status("other.example", "404 Not Found"),
        ],
        vec![
            status(
                "victim.example",
                "301 Moved\r\nLocation: http://attacker.example/robots.txt",
            ),
            Record::robots("attacker.example", "06:40:00", OPEN),
        ],
    ] {
        check_forged(&forged, |found, what| {
            for url in ["http://victim.example/", "http://other.example/"] {
                assert!(
                    !found.said(url, &YES).contains("allow allow"),
                    "{what}: {url}"
                );
                assert_ne!(found.said(url, &["access"]), "allow", "{what}: {url}");
                assert_ne!(found.said(url, &["train_ai"]), "allow", "{what}: {url}");
            }
        });
    }
}

/// What it closes may be real, as where a writer died.
#[test]
fn frame_11_a_no_of_a_record_in_doubt_counts() {
    const PARTLY: &str =
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /closed\n# its end may be cut\n";
    let mut batch = Batch::default();
    for container in [
        Container::Warc,
        Container::WarcOneGz,
        Container::Arc,
        Container::ArcOneGz,
    ] {
        let forged = [Record::robots("other.example", "06:40:00", PARTLY)];
        let records = [
            Record::robots("other.example", "06:00:00", OPEN),
            attack(container, &forged),
            Record::page("other.example", "/", "07:00:00", ""),
            Record::page("other.example", "/closed", "07:00:00", ""),
            Record::page(
                "other.example",
                "/noai",
                "07:00:00",
                "<meta name=\"robots\" content=\"noai\">",
            ),
        ];
        batch.add_records("forged", container, &records, |found, what| {
            assert_eq!(
                found.said("http://other.example/", &YES),
                "unknown disallow",
                "{what}"
            );
            assert_eq!(
                found.said("http://other.example/closed", &["access"]),
                "disallow",
                "{what}"
            );
            let row = found.page("http://other.example/noai").expect("a row");
            assert!(
                row["unread"].contains("archive") && row["train_ai"] == "disallow",
                "{what}: {row:?}"
            );
        });
    }
    batch.run();
}

/// Behind the place where the block ends by its length, nothing is of the page any more.
#[test]
fn frame_11_the_doubt_of_records_inside_a_block_ends_with_it() {
    let mut batch = Batch::default();
    for container in [Container::Warc, Container::Arc] {
        let records = [
            Record::robots("a.example", "06:00:00", "User-agent: *\nDisallow: /x\n").by(330),
            Record::robots("b.example", "06:00:00", OPEN),
            Record::robots("c.example", "06:00:00", OPEN),
            Record::robots("d.example", "06:00:00", OPEN),
            Record::page("b.example", "/", "07:00:00", ""),
            Record::page("d.example", "/", "07:00:00", ""),
        ];
        batch.add_records("long", container, &records, |found, what| {
            assert_eq!(
                found.said("http://b.example/", &["access"]),
                "unknown",
                "{what}"
            );
            assert_eq!(
                found.said("http://d.example/", &YES),
                "allow allow",
                "{what}"
            );
        });
    }
    batch.run();
}
