//! FRAME-1 to -3: false lengths, in every format.

use crate::container::{ALL, Container, member};
use crate::record::{Record, arc_info};
use crate::run::{Batch, View};

const CLOSED: &str = "User-agent: *\nDisallow: /open\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=yes\n";
const NOAI: &str = "<meta name=\"robots\" content=\"noai\">";
const YES: [&str; 2] = ["access", "train_ai"];

/// Asserts that records add up, and that bytes that were skipped are in `failures`.
fn check(found: &View<'_>, what: &str) {
    let sum = ["captures", "no_interest", "records_lost"]
        .map(|column| found.number(column))
        .iter()
        .sum::<u64>();
    assert_eq!(found.number("records"), sum, "{what}");
    assert!(found.failures() > 0, "{what}: no row in failures");
}

/// A robots.txt ends in `Disa`, and `llow: /private/` is behind the block; a page ends before its `noai`.
#[test]
fn frame_1_a_length_that_is_too_short_is_a_cut() {
    let mut batch = Batch::default();
    for container in ALL {
        for bytes in [1, 9, 14, CLOSED.len()] {
            let by = -i64::try_from(bytes + 1).expect("short");
            let records = [
                Record::robots("a.example", "06:00:00", CLOSED).by(by),
                Record::robots("b.example", "06:00:00", OPEN),
                Record::page("a.example", "/private/", "07:00:00", ""),
                Record::page("b.example", "/", "07:00:00", NOAI).by(-30),
                Record::page("b.example", "/ends", "07:00:00", "").by(-3),
                Record::page("b.example", "/yes", "07:00:00", ""),
            ];
            batch.add_records(&format!("{by}"), container, &records, move |found, what| {
                check(found, what);
                let robots = ["robots_state", "robots_cut", "access"];
                assert_eq!(
                    found.said("http://a.example/private/", &robots),
                    "parsed true unknown",
                    "{what}"
                );
                // FRAME-11: behind the place, a page may have written all that follows.
                let yes = |yes: &'static str| {
                    if container.is_one_stretch() {
                        "unknown unknown"
                    } else {
                        yes
                    }
                };
                assert_eq!(
                    found.said("http://b.example/", &YES),
                    yes("allow unknown"),
                    "{what}"
                );
                // The head of a page ends before the place.
                assert_eq!(
                    found.said("http://b.example/ends", &YES),
                    yes("allow allow"),
                    "{what}"
                );
                assert_eq!(
                    found.said("http://b.example/yes", &YES),
                    yes("allow allow"),
                    "{what}"
                );
            });
        }
    }
    batch.run();
}

/// The next record, or the beginning of its head, is swallowed.
#[test]
fn frame_2_a_length_that_is_too_long_takes_nothing_of_the_next_record() {
    let mut batch = Batch::default();
    for container in ALL {
        for by in [12, 27, 60, 150, 400, 50_000] {
            let records = [
                Record::robots(
                    "a.example",
                    "06:00:00",
                    "User-agent: *\nDisallow: /nothing/\n",
                )
                .by(by),
                Record::robots("b.example", "06:00:00", OPEN),
                Record::page("a.example", "/", "07:00:00", ""),
                Record::page("b.example", "/", "07:00:00", NOAI),
            ];
            batch.add_records(&format!("{by}"), container, &records, move |found, what| {
                check(found, what);
                for body in found.bodies("http://a.example/robots.txt") {
                    assert!(
                        !body.contains("WARC") && !body.contains("ontent-Signal"),
                        "{what}: {body}"
                    );
                }
                for url in ["http://a.example/", "http://b.example/"] {
                    let Some(row) = found.page(url) else { continue };
                    assert_ne!(row["train_ai"], "allow", "{what}: {url}");
                    assert!(
                        row["access"] != "allow" || url.contains("b.example"),
                        "{what}: {url}"
                    );
                }
                if by < 400 {
                    // FRAME-11: without ids, the robots.txt may be text of the record before.
                    let access = if container.is_one_stretch() {
                        "unknown"
                    } else {
                        "allow"
                    };
                    let expected = format!("{access} disallow");
                    assert_eq!(found.said("http://b.example/", &YES), expected, "{what}");
                    assert_eq!(
                        found.said("http://a.example/", &["access"]),
                        "unknown",
                        "{what}"
                    );
                }
            });
        }
    }
    batch.run();
}

/// What a page quotes is text, if its length is confirmed.
#[test]
fn frame_2_a_record_inside_a_block_with_a_confirmed_length_is_text() {
    let mut batch = Batch::default();
    for container in ALL {
        let forged = Record::robots("b.example", "06:30:00", OPEN).renamed(batch.next());
        let forged = if container.is_arc() {
            forged.arc().expect("a response")
        } else {
            forged.warc(None)
        };
        let mut page = Record::page("a.example", "/", "06:10:00", "");
        page.block
            .extend([&b"\r\n\r\n"[..], &forged, b"behind it\n"].concat());
        let records = [
            Record::robots("b.example", "06:00:00", "User-agent: *\nDisallow: /\n"),
            page,
            Record::page("b.example", "/", "07:00:00", ""),
        ];
        batch.add_records("quoted", container, &records, |found, what| {
            assert_eq!(
                found.said("http://b.example/", &["access"]),
                "disallow",
                "{what}"
            );
            assert_eq!(
                (found.number("captures"), found.failures()),
                (3, 0),
                "{what}"
            );
        });
    }
    batch.run();
}

/// An archive that is cut inside a page: what looks like a record there is not believed.
#[test]
fn frame_2_a_record_inside_a_page_at_the_end_of_a_cut_archive_is_not_believed() {
    let mut batch = Batch::default();
    for container in [
        Container::Warc,
        Container::WarcOneGz,
        Container::WarcZst,
        Container::Arc,
    ] {
        let forged = Record::robots("b.example", "06:30:00", OPEN).renamed(batch.next());
        let forged = if container.is_arc() {
            forged.arc().expect("a response")
        } else {
            forged.warc(None)
        };
        let mut last = Record::page("a.example", "/", "07:10:00", "");
        last.block.extend([&b"\r\n\r\n"[..], &forged].concat());
        let records = [
            Record::robots("b.example", "06:00:00", "User-agent: *\nDisallow: /\n"),
            Record::page("b.example", "/", "07:00:00", ""),
            last.by(500),
        ];
        batch.add_records("cut", container, &records, |found, what| {
            check(found, what);
            assert_eq!(
                found.said("http://b.example/", &["access"]),
                "disallow",
                "{what}"
            );
        });
    }
    batch.run();
}

#[test]
fn frame_1_line_ends_of_any_number_and_padding_of_a_known_length_are_not_doubtful() {
    let mut batch = Batch::default();
    for container in ALL {
        for ends in ["", "\r\n", "\r\n\r\n", "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"] {
            let mut robots = Record::robots("a.example", "06:00:00", OPEN);
            robots.ends.1 = ends;
            let records = [robots, Record::page("a.example", "/", "07:00:00", "")];
            batch.add_records(&format!("{ends:?}"), container, &records, |found, what| {
                assert_eq!(
                    found.said("http://a.example/", &YES),
                    "allow allow",
                    "{what}"
                );
                assert_eq!(found.failures(), 0, "{what}");
            });
        }
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{OPEN}padding",
            OPEN.len()
        );
        let padded = Record::response("http://a.example/robots.txt", "06:00:00", &block).by(-7);
        let records = [padded, Record::page("a.example", "/", "07:00:00", "")];
        batch.add_records("padding", container, &records, |found, what| {
            check(found, what);
            assert_eq!(
                found.said("http://a.example/", &["robots_cut", "access"]),
                "false allow",
                "{what}"
            );
        });
    }
    batch.run();
}

/// Nine records, with nothing between them.
#[test]
fn frame_3_an_arc_back_to_back_gives_what_its_gzip_twin_gives() {
    let mut records: Vec<Record> = Vec::new();
    for host in ["a.example", "b.example", "c.example", "d.example"] {
        records.push(Record::robots(
            host,
            "06:00:00",
            "User-agent: *\nDisallow: /",
        ));
        records.push(Record::page(host, "/", "07:00:00", ""));
    }
    let mut batch = Batch::default();
    for ends in ["", "\r\n", "\r\n\r\n", "\n\n\n"] {
        records.iter_mut().for_each(|record| record.ends.1 = ends);
        for container in [Container::Arc, Container::ArcGz, Container::ArcOneGz] {
            batch.add_records(&format!("{ends:?}"), container, &records, |found, what| {
                let counts =
                    ["records", "captures", "records_lost"].map(|column| found.number(column));
                assert_eq!(counts, [9, 8, 0], "{what}");
                assert_eq!(
                    found.said("http://d.example/", &["access"]),
                    "disallow",
                    "{what}"
                );
            });
        }
    }
    batch.run();
}

/// Bytes that are skipped and may hold records are counted as lost.
#[test]
fn frame_3_bytes_left_over_are_lost_records() {
    let page = Record::page("a.example", "/", "07:00:00", "");
    let arc = page.arc().expect("a response");
    let odd = [b"\xef\xbf\xbd odd ".as_slice(), &arc].concat();
    let gzipped = member(&Record::robots("a.example", "06:00:00", CLOSED).warc(None));
    let mut batch = Batch::default();
    for (ending, bytes) in [
        ("arc", [arc_info(), arc.clone(), odd, arc.clone()].concat()),
        (
            "arc",
            [arc_info(), arc, member(&page.arc().expect("a response"))].concat(),
        ),
        ("warc", [page.warc(None), gzipped, page.warc(None)].concat()),
    ] {
        batch.add(ending.to_owned(), ending, bytes, |found, what| {
            check(found, what);
            assert!(found.number("records_lost") > 0, "{what}");
        });
    }
    batch.run();
}
