//! FRAME-6 to -8, and status lines: what writers of some formats do.

use crate::container::{ALL, Container, frame, member};
use crate::record::{Record, WARCINFO_ID, warcinfo};
use crate::run::{Batch, run_named};

const CLOSED: &str = "User-agent: *\nDisallow: /open\nDisallow: /private/\n";
const OPEN: &str = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=yes\n";
const NOAI: &str = "<meta name=\"robots\" content=\"noai\">";
const YES: [&str; 2] = ["access", "train_ai"];

type Pack = fn(&[u8]) -> Vec<u8>;

#[test]
fn frame_7_a_record_may_be_several_frames_or_members_and_a_frame_several_records() {
    let records = [
        Record::robots("a.example", "06:00:00", CLOSED),
        Record::robots("b.example", "06:00:00", OPEN),
        Record::page("a.example", "/private/", "07:00:00", ""),
        Record::page("b.example", "/", "07:00:00", NOAI),
    ];
    let mut batch = Batch::default();
    for (ending, pack) in [("warc.zst", frame as Pack), ("warc.gz", member)] {
        for piece_bytes in [40, 150, 300, usize::MAX] {
            let of_record = |record: &Record| record.renamed(batch.next()).warc(Some(WARCINFO_ID));
            let texts = [warcinfo("software: test\r\n")]
                .into_iter()
                .chain(records.iter().map(of_record));
            let texts: Vec<Vec<u8>> = texts.collect();
            let bytes = if piece_bytes == usize::MAX {
                texts
                    .chunks(2)
                    .flat_map(|pair| pack(&pair.concat()))
                    .collect()
            } else {
                texts
                    .iter()
                    .flat_map(|text| text.chunks(piece_bytes).flat_map(pack))
                    .collect()
            };
            batch.add(
                format!("{ending} {piece_bytes}"),
                ending,
                bytes,
                |found, what| {
                    let said = ["http://a.example/private/", "http://b.example/"]
                        .map(|url| found.said(url, &YES));
                    let expected = ["disallow unknown", "allow disallow"].map(str::to_owned);
                    assert_eq!((said, found.failures()), (expected, 0), "{what}");
                },
            );
        }
    }
    batch.run();
}

/// A length that is too long, where each record is a frame: the next frame begins with a record.
#[test]
fn frame_7_a_frame_that_begins_with_a_record_is_no_part_of_another() {
    let mut batch = Batch::default();
    for container in [Container::WarcZst, Container::WarcGz] {
        let robots = Record::robots("a.example", "06:00:00", CLOSED);
        let next = Record::robots("b.example", "06:00:00", OPEN);
        // It ends exactly where the next record does.
        let by = i64::try_from(next.warc(Some(WARCINFO_ID)).len()).expect("short");
        let records = [
            robots.by(by),
            next,
            Record::page("b.example", "/", "07:00:00", ""),
        ];
        batch.add_records("the next frame", container, &records, |found, what| {
            assert!(found.failures() > 0, "{what}");
            assert_eq!(
                found.said("http://b.example/", &["access"]),
                "allow",
                "{what}"
            );
        });
    }
    batch.run();
}

/// CC-MAIN-2018-34 has a line end before each payload, and no other crawl.
#[test]
fn frame_6_the_line_end_before_the_payloads_of_one_crawl_is_dropped() {
    let robots = "\u{feff}User-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
    let block = |text: &str| {
        let length = text.len();
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n\r\n{text}"
        )
    };
    let page = format!("\u{feff}<!DOCTYPE html><head>{NOAI}</head>");
    let records = [
        Record::response("http://a.example/robots.txt", "06:00:00", &block(robots)),
        Record::response("http://a.example/", "07:00:00", &block(&page)),
    ];
    let mut batch = Batch::default();
    for (lines, is_dropped) in [
        ("isPartOf: CC-MAIN-2018-34\r\n", true),
        ("isPartOf: CC-MAIN-2018-39\r\n", false),
        ("description: after CC-MAIN-2018-34\r\n", false),
        ("software: x\r\n", false),
    ] {
        let of_record = |record: &Record| record.renamed(batch.next()).warc(Some(WARCINFO_ID));
        let texts: Vec<Vec<u8>> = [warcinfo(lines)]
            .into_iter()
            .chain(records.iter().map(of_record))
            .collect();
        let bytes = Container::WarcGz.pack_texts(&texts);
        batch.add(lines.to_owned(), "warc.gz", bytes, move |found, what| {
            // ACCT-4 and READ-13 find both noes behind a line end and a mark, too.
            assert_eq!(
                found.said("http://a.example/", &YES),
                "disallow disallow",
                "{what}"
            );
            assert_eq!(
                found.bodies("http://a.example/robots.txt") == [robots],
                is_dropped,
                "{what}"
            );
        });
    }
    batch.run();
    let path = |crawl: &str| {
        let file = "CC-MAIN-20180814062251-20180814082251-00000.warc.gz";
        format!("crawl-data/{crawl}/segments/1534221208676.20/warc/{file}")
    };
    let bytes = Container::WarcGz.pack(&records);
    for (crawl, is_dropped) in [("CC-MAIN-2018-34", true), ("CC-MAIN-2018-39", false)] {
        let tables = run_named(vec![(path(crawl), bytes.clone())]);
        assert_eq!(
            tables.rows("evidence/site_files")[0]["body"] == robots,
            is_dropped,
            "{crawl}"
        );
    }
}

#[test]
fn frame_8_a_wat_of_an_arc_is_read() {
    let head_bytes = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\n\r\n".len();
    let page = format!(
        r#"{{"Container":{{"Filename":"a.arc.gz","Offset":"433"}},"Envelope":{{"Format":"ARC","ARC-Header-Length":"76",
        "ARC-Header-Metadata":{{"IP-Address":"192.0.2.1","Target-URI":"http://a.example/","Date":"20120216070000"}},
        "Payload-Metadata":{{"HTTP-Response-Metadata":{{"Headers":{{"X-Robots-Tag":"noai"}},"Headers-Length":"{head_bytes}",
        "Response-Message":{{"Status":"200","Version":"HTTP/1.1","Reason":"OK"}}}}}}}}}}"#
    );
    let record = |json: &str| {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2012-02-16T07:00:00Z\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            json.len()
        );
        member(&[head.as_bytes(), json.as_bytes(), b"\r\n\r\n"].concat())
    };
    let headless = record(r#"{"Container":{"Offset":"1"},"Envelope":{"Format":"OTHER"}}"#);
    let wat = [
        member(&warcinfo("Software-Info: test\r\n")),
        record(&page),
        headless,
    ]
    .concat();
    let tables = run_named(vec![("a.arc.wat.gz".to_owned(), wat)]);
    let [page] = tables.rows("pages") else {
        panic!("one page")
    };
    let found = ["url", "warc_filename", "train_ai"].map(|column| page[column].as_str());
    assert_eq!(found, ["http://a.example/", "a.arc.gz", "disallow"]);
    let archive = &tables.rows("evidence/archives")[0];
    assert_eq!(
        ["captures", "no_interest", "records_lost"].map(|column| archive[column].as_str()),
        ["1", "1", "1"]
    );
    let is_envelope = |row: &std::collections::BTreeMap<String, String>| {
        row.values().any(|value| value == "envelope")
    };
    assert!(tables.rows("evidence/failures").iter().any(is_envelope));
}

/// Old servers write no version.
#[test]
fn wild_a_status_line_without_a_version_is_read() {
    let block = format!("HTTP 200 Document follows\r\nContent-Type: text/plain\r\n\r\n{CLOSED}");
    let mut batch = Batch::default();
    for container in ALL {
        let robots = Record::response("http://a.example/robots.txt", "06:00:00", &block);
        let records = [
            robots,
            Record::page("a.example", "/private/", "07:00:00", ""),
        ];
        batch.add_records("no version", container, &records, |found, what| {
            let robots = ["robots_state", "access"];
            assert_eq!(
                found.said("http://a.example/private/", &robots),
                "parsed disallow",
                "{what}"
            );
        });
    }
    batch.run();
}
