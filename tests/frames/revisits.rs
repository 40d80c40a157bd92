//! FRAME-4, FRAME-5 and KNOW-4: a revisit has the body of another record only if that is proved, wherever that record lies.

use crate::container::{Container, member, wacz};
use crate::record::Record;
use crate::rounds::rounds;
use crate::run::{Batch, run_named};
use data_encoding::{BASE32, HEXLOWER};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::io::Write;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";
const OPEN: &str = "User-agent: *\nAllow: /\n";
const FORMATS: [Container; 5] = [
    Container::Warc,
    Container::WarcWithIds,
    Container::WarcGz,
    Container::WarcZst,
    Container::Wacz,
];
const PAGE: &str = "http://a.example/";

fn sha1(text: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(text)))
}

fn revisit(http_fields: &str, fields: &[(&'static str, &str)]) -> Record {
    Record::revisit("a.example", "06:30:00", http_fields, fields)
}

fn page() -> Record {
    Record::page("a.example", "/", "07:00:00", "")
}

/// Adds archives in which a revisit gives this access, before and behind its original. In a short run they have two of the
/// formats, the next revisit the next two.
fn add(batch: &mut Batch, others: &[Record], revisit: &Record, expected: &'static str) {
    // Each format adds two archives.
    let first = batch.next() / 2 % FORMATS.len();
    for container in FORMATS
        .into_iter()
        .cycle()
        .skip(first)
        .take(rounds(2, FORMATS.len()))
    {
        let forwards: Vec<Record> = others
            .iter()
            .cloned()
            .chain([revisit.clone(), page()])
            .collect();
        let backwards: Vec<Record> = forwards.iter().rev().cloned().collect();
        for (order, records) in [("behind", forwards), ("before", backwards)] {
            let what = format!("{order} its original: {revisit:?}");
            batch.add_records(&what, container, &records, move |found, what| {
                // KNOW-3: beside a revisit that proves nothing, the noes of an older body count.
                let said = found.said(PAGE, &["robots_state", "access"]);
                let proved = said.strip_prefix("parsed ").unwrap_or("unknown");
                assert_eq!(proved, expected, "{what}");
            });
        }
    }
}

fn original(at: &'static str, body: &str) -> Record {
    Record::robots("a.example", at, body).with_id("<urn:test:1>")
}

#[test]
fn frame_4_a_digest_of_the_bytes_proves_a_body_of_any_url() {
    let mut batch = Batch::default();
    let digest = sha1(CLOSED.as_bytes());
    let hex = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(CLOSED)));
    let elsewhere = Record::robots("b.example", "05:00:00", CLOSED).with_id("<urn:test:2>");
    add(
        &mut batch,
        std::slice::from_ref(&elsewhere),
        &revisit("", &[("WARC-Payload-Digest", &digest)]),
        "disallow",
    );
    let mut claims = elsewhere;
    claims.fields.push(("WARC-Payload-Digest", hex.clone()));
    add(
        &mut batch,
        &[claims],
        &revisit("", &[("WARC-Payload-Digest", &hex)]),
        "disallow",
    );
    batch.run();
}

/// Writers take the digest of what is stored, of what is in chunks, or of what is decoded.
#[test]
fn frame_4_a_digest_may_be_of_the_stored_the_dechunked_or_the_decoded_bytes() {
    let mut batch = Batch::default();
    let mut coded = GzEncoder::new(Vec::new(), Compression::fast());
    coded.write_all(CLOSED.as_bytes()).expect("memory");
    let coded = coded.finish().expect("memory");
    let chunked = [
        format!("{:x}\r\n", coded.len()).as_bytes(),
        &coded,
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    let mut robots = original("06:00:00", "");
    robots.block =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    robots.block.extend_from_slice(&chunked);
    for bytes in [&chunked[..], &coded, CLOSED.as_bytes()] {
        add(
            &mut batch,
            std::slice::from_ref(&robots),
            &revisit("", &[("WARC-Payload-Digest", &sha1(bytes))]),
            "disallow",
        );
    }
    batch.run();
}

/// A writer gives every response one id; digests are placeholders.
#[test]
fn frame_4_an_id_proves_a_body_with_its_url_and_time_alone() {
    let mut batch = Batch::default();
    let strange = Record::robots("b.example", "05:00:00", OPEN).with_id("<urn:test:1>");
    let own = original("06:00:00", CLOSED);
    let id = ("WARC-Refers-To", "<urn:test:1>");
    let uri = ("WARC-Refers-To-Target-URI", "http://a.example/robots.txt");
    let date = ("WARC-Refers-To-Date", "2026-08-10T06:00:00Z");
    let both = [strange.clone(), own.clone()];
    for fields in [vec![id], vec![id, uri], vec![id, uri, date]] {
        add(&mut batch, &both, &revisit("", &fields), "disallow");
        for placeholder in ["sha1:", "-", "null", "md5:5d41402abc4b2a76b9719d911017c592"] {
            let fields: Vec<_> = fields
                .iter()
                .copied()
                .chain([("WARC-Payload-Digest", placeholder)])
                .collect();
            add(&mut batch, &both, &revisit("", &fields), "disallow");
            add(
                &mut batch,
                std::slice::from_ref(&strange),
                &revisit("", &fields),
                "unknown",
            );
        }
    }
    for contradicts in [
        ("WARC-Refers-To-Target-URI", "http://c.example/robots.txt"),
        ("WARC-Refers-To-Date", "2026-08-09T06:00:00Z"),
        ("WARC-Refers-To-Date", "yesterday"),
    ] {
        add(
            &mut batch,
            &both,
            &revisit("", &[id, contradicts]),
            "unknown",
        );
    }
    // A digest of other bytes vetoes the id, and so does that of another record.
    for digest in [sha1(b"other"), sha1(OPEN.as_bytes())] {
        add(
            &mut batch,
            &both,
            &revisit("", &[id, uri, ("WARC-Payload-Digest", &digest)]),
            "unknown",
        );
    }
    // Two records of one id, URL and time.
    add(
        &mut batch,
        &[own.clone(), original("06:00:00", OPEN)],
        &revisit("", &[id, uri, date]),
        "unknown",
    );
    batch.run();
}

#[test]
fn frame_4_the_digest_of_nothing_proves_nothing() {
    let mut batch = Batch::default();
    let nothing = (
        "WARC-Payload-Digest",
        "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    );
    let empty = Record::robots("b.example", "05:00:00", "").with_id("<urn:test:1>");
    let long = "Content-Length: 275622\r\n";
    add(
        &mut batch,
        std::slice::from_ref(&empty),
        &revisit(long, &[nothing]),
        "unknown",
    );
    let named = [
        nothing,
        ("WARC-Refers-To", "<urn:test:1>"),
        ("WARC-Refers-To-Target-URI", "http://b.example/robots.txt"),
    ];
    add(
        &mut batch,
        std::slice::from_ref(&empty),
        &revisit(long, &named),
        "unknown",
    );
    add(&mut batch, &[empty], &revisit("", &named), "allow");
    batch.run();
}

#[test]
fn frame_5_the_original_lies_in_the_same_input() {
    let digest = sha1(CLOSED.as_bytes());
    let revisit = revisit("", &[("WARC-Payload-Digest", &digest)]);
    let pack = |records: &[&Record]| {
        records
            .iter()
            .flat_map(|record| member(&record.warc(None)))
            .collect::<Vec<u8>>()
    };
    let (first, second) = (
        pack(&[&revisit, &page()]),
        pack(&[&original("06:00:00", CLOSED)]),
    );
    let inputs = |files: &[(&str, Vec<u8>)]| {
        let files = files
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()))
            .collect();
        run_named(files).rows("pages")[0]["access"].clone()
    };
    assert_eq!(
        inputs(&[("a.wacz", wacz(&[first.clone(), second.clone()]))]),
        "disallow"
    );
    assert_eq!(
        inputs(&[("a.wacz", wacz(&[second.clone(), first.clone()]))]),
        "disallow"
    );
    assert_eq!(
        inputs(&[("a.warc.gz", first), ("b.warc.gz", second)]),
        "disallow"
    );
}

/// A page and its revisit, in one archive or in two, in either order.
fn original_and_revisit(
    original: &Record,
    revisit: &Record,
    check: impl Fn(&BTreeMap<String, String>, &str),
) {
    let robots = Record::robots("a.example", "05:00:00", OPEN);
    let pack = |records: &[&Record]| {
        records
            .iter()
            .flat_map(|record| member(&record.warc(None)))
            .collect::<Vec<u8>>()
    };
    let apart = |one: &Record, other: &Record| vec![pack(&[&robots, one]), pack(&[other])];
    let together = |one: &Record, other: &Record| vec![pack(&[&robots, one, other])];
    for (what, archives) in [
        ("two archives", apart(original, revisit)),
        (
            "two archives, the original is in the later one",
            apart(revisit, original),
        ),
        ("one archive", together(original, revisit)),
        (
            "one archive, the original is behind",
            together(revisit, original),
        ),
    ] {
        let names = ["a.warc.gz", "b.warc.gz"].map(str::to_owned);
        let tables = run_named(names.into_iter().zip(archives).collect());
        let row = tables
            .rows("pages")
            .iter()
            .find(|row| row["record_type"] == "revisit");
        check(row.expect("a revisit"), &format!("{what}: {revisit:?}"));
    }
}

const HTML: &str = "Content-Type: text/html\r\n";

fn page_revisit(http_fields: &str, fields: &[(&'static str, &str)]) -> Record {
    Record {
        url: PAGE.to_owned(),
        ..Record::revisit("a.example", "09:30:00", http_fields, fields)
    }
}

fn stored_page(http_fields: &str, meta: &str) -> Record {
    let block =
        format!("HTTP/1.1 200 OK\r\n{HTML}{http_fields}\r\n<html><head>{meta}</head></html>");
    let mut page = Record::response(PAGE, "07:00:00", &block).with_id("<urn:test:7>");
    page.fields
        .push(("WARC-Payload-Digest", PAYLOAD.to_owned()));
    page
}

const PAYLOAD: &str = "sha1:QYG4MVKBDZ2VXRWHZN5JRHYHZBHCFPFX";
const NOAI: &str = "<meta name=robots content=noai>";
const YES: &str = "Content-Usage: train-ai=y\r\n";

#[test]
fn know_4_a_revisit_of_a_page_has_the_metas_of_its_original_wherever_that_lies() {
    let url = ("WARC-Refers-To-Target-URI", PAGE);
    let date = ("WARC-Refers-To-Date", "2026-08-10T07:00:00Z");
    let digest = ("WARC-Payload-Digest", PAYLOAD);
    let id = ("WARC-Refers-To", "<urn:test:7>");
    for fields in [
        vec![digest],
        vec![digest, url],
        vec![digest, url, date],
        vec![id],
        vec![id, url, date],
    ] {
        let revisit = page_revisit(&format!("{HTML}{YES}"), &fields);
        let said =
            |row: &BTreeMap<String, String>| format!("{} {}", row["train_ai"], row["unread"]);
        original_and_revisit(&stored_page("", NOAI), &revisit, |row, what| {
            assert_eq!(said(row), "disallow []", "{what}");
        });
        original_and_revisit(&stored_page("", ""), &revisit, |row, what| {
            assert_eq!(said(row), "allow []", "{what}");
        });
    }
    // What contradicts itself, and what says too little, proves nothing.
    for fields in [
        vec![url, date],
        vec![
            digest,
            ("WARC-Refers-To-Target-URI", "http://a.example/other"),
        ],
        vec![
            (
                "WARC-Payload-Digest",
                "sha1:PAYG4MVKBDZ2VXRWHZN5JRHYHZBHCFPF",
            ),
            id,
            url,
            date,
        ],
        vec![
            (
                "WARC-Payload-Digest",
                "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            ),
            url,
            date,
        ],
        vec![id, url, ("WARC-Refers-To-Date", "2026-08-10T07:00:01Z")],
    ] {
        let revisit = page_revisit(&format!("{HTML}{YES}"), &fields);
        original_and_revisit(&stored_page("", NOAI), &revisit, |row, what| {
            assert_eq!(row["train_ai"], "unknown", "{what}");
            assert!(row["unread"].contains("meta"), "{what}");
        });
    }
}

/// RFC 9110 15.4.5: a field of the revisit replaces that of the same name; a no of either counts.
#[test]
fn know_4_header_fields_of_both_records_count() {
    let digest = ("WARC-Payload-Digest", PAYLOAD);
    for (of_original, of_revisit, expected) in [
        ("", YES, "allow"),
        (YES, "", "allow"),
        ("X-Robots-Tag: noai\r\n", YES, "disallow"),
        (YES, "X-Robots-Tag: noai\r\n", "disallow"),
        ("Content-Usage: train-ai=n\r\n", YES, "disallow"),
        (YES, "Content-Usage: train-ai=n\r\n", "disallow"),
        (YES, "Content-Usage: search=y\r\n", "unknown"),
        (YES, YES, "allow"),
    ] {
        let revisit = page_revisit(&format!("{HTML}{of_revisit}"), &[digest]);
        original_and_revisit(&stored_page(of_original, ""), &revisit, |row, what| {
            assert_eq!(
                row["train_ai"], expected,
                "{of_original:?} and {of_revisit:?}: {what}"
            );
        });
    }
}

/// READ-21: a page of another type may be HTML, and a field of any original counts.
#[test]
fn know_4_a_revisit_of_another_type_has_what_its_original_has() {
    let digest = ("WARC-Payload-Digest", PAYLOAD);
    for (media_type, of_original, body, expected) in [
        ("text/plain", "", NOAI, "disallow"),
        ("image/png", "", NOAI, "disallow"),
        ("text/plain", "", "", "allow"),
        (
            "application/pdf",
            "X-Robots-Tag: noai\r\n",
            "%PDF-1.7",
            "disallow",
        ),
        ("application/pdf", "", "%PDF-1.7", "allow"),
    ] {
        let own_type = format!("Content-Type: {media_type}\r\n");
        let revisit = page_revisit(&format!("{own_type}{YES}"), &[digest]);
        let mut original = stored_page("", "");
        original.block = format!(
            "HTTP/1.1 200 OK\r\n{own_type}{of_original}\r\n<html><head>{body}</head></html>"
        )
        .replace("<html><head>%PDF-1.7</head></html>", "%PDF-1.7")
        .into_bytes();
        original_and_revisit(&original, &revisit, |row, what| {
            assert_eq!(
                row["train_ai"], expected,
                "{media_type} {of_original:?} {body:?}: {what}"
            );
        });
    }
}

#[test]
fn know_4_what_has_no_metas_needs_no_original() {
    let digest = (
        "WARC-Payload-Digest",
        "sha1:PAYG4MVKBDZ2VXRWHZN5JRHYHZBHCFPF",
    );
    for (media_type, unread) in [
        ("image/png", "[]"),
        ("application/pdf", "[]"),
        ("text/html", "[\"meta\"]"),
        ("application/xml", "[\"meta\"]"),
        ("", "[\"meta\"]"),
    ] {
        let field = if media_type.is_empty() {
            String::new()
        } else {
            format!("Content-Type: {media_type}\r\n")
        };
        let revisit = page_revisit(&field, &[digest]);
        original_and_revisit(&stored_page("", NOAI), &revisit, |row, what| {
            assert_eq!(row["unread"], unread, "{media_type}: {what}");
        });
    }
}

/// Two originals that differ: it is unknown which is meant.
#[test]
fn know_4_originals_that_differ_prove_nothing() {
    let digest = ("WARC-Payload-Digest", PAYLOAD);
    let pack = |records: &[&Record]| {
        records
            .iter()
            .flat_map(|record| member(&record.warc(None)))
            .collect::<Vec<u8>>()
    };
    let train = |fields: &[(&'static str, &str)], others: [&Record; 2]| {
        let revisit = page_revisit(&format!("{HTML}{YES}"), fields);
        let archives = [
            pack(&[&Record::robots("a.example", "05:00:00", OPEN), &revisit]),
            pack(&others),
        ];
        let names = ["a.warc.gz", "b.warc.gz"].map(str::to_owned);
        let tables = run_named(names.into_iter().zip(archives).collect());
        let row = tables
            .rows("pages")
            .iter()
            .find(|row| row["record_type"] == "revisit");
        row.expect("a revisit")["train_ai"].clone()
    };
    let (open, closed) = (
        Record {
            at: "07:01:00",
            ..stored_page("", "")
        },
        stored_page("", NOAI),
    );
    assert_eq!(train(&[digest], [&open, &closed]), "unknown");
    let date = ("WARC-Refers-To-Date", "2026-08-10T07:00:00Z");
    let later = ("WARC-Refers-To-Date", "2026-08-10T07:01:00Z");
    assert_eq!(train(&[digest, date], [&open, &closed]), "disallow");
    assert_eq!(train(&[digest, later], [&open, &closed]), "allow");
}

#[test]
fn know_4_a_revisit_of_a_site_file_has_the_body_of_another_input() {
    let mut coded = GzEncoder::new(Vec::new(), Compression::fast());
    coded.write_all(CLOSED.as_bytes()).expect("memory");
    let coded = coded.finish().expect("memory");
    let mut packed = original("06:00:00", "");
    packed.block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    packed.block.extend_from_slice(&coded);
    let sha256 = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(CLOSED)));
    let mut claims = original("06:00:00", CLOSED);
    claims.fields.push(("WARC-Payload-Digest", sha256.clone()));
    let id = ("WARC-Refers-To", "<urn:test:1>");
    let decoded = sha1(CLOSED.as_bytes());
    for (original, fields) in [
        (
            original("06:00:00", CLOSED),
            vec![("WARC-Payload-Digest", decoded.as_str())],
        ),
        (packed.clone(), vec![("WARC-Payload-Digest", &sha1(&coded))]),
        (packed, vec![("WARC-Payload-Digest", &decoded)]),
        (claims, vec![("WARC-Payload-Digest", &sha256)]),
        (original("06:00:00", CLOSED), vec![id]),
    ] {
        let pack = |records: &[&Record]| {
            records
                .iter()
                .flat_map(|record| member(&record.warc(None)))
                .collect::<Vec<u8>>()
        };
        let archives = [pack(&[&revisit("", &fields), &page()]), pack(&[&original])];
        let names = ["a.warc.gz", "b.warc.gz"].map(str::to_owned);
        let tables = run_named(names.into_iter().zip(archives).collect());
        let said =
            ["robots_state", "access"].map(|column| tables.rows("pages")[0][column].as_str());
        assert_eq!(said, ["parsed", "disallow"], "{fields:?}");
    }
}
