//! `extract` keeps its promise: the small archive gives the rows that the large one gave, or the record is refused.

use crate::container::{ALL, Container, frame, wacz};
use crate::record::{Record, warcinfo};
use crate::run::{Tables, run_in, run_named};
use crawlprefs::job::{Extraction, RecordPlace};
use crawlprefs::store::Places;
use data_encoding::BASE32;
use fastrand::Rng;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

/// Returns the places of the captures of some URLs; those without a length are refused by the command.
fn places(tables: &Tables, wanted: &dyn Fn(&BTreeMap<String, String>) -> bool) -> Vec<RecordPlace> {
    let rows = tables
        .rows("evidence/captures")
        .iter()
        .filter(|row| wanted(row));
    let place = |row: &BTreeMap<String, String>| {
        let number = |column: &str| row[column].parse::<u64>().ok();
        Some(RecordPlace {
            filename: row["warc_filename"].clone(),
            offset: number("warc_record_offset")?,
            length: number("warc_record_length")?,
        })
    };
    rows.filter_map(place).collect()
}

fn extract(records: Vec<RecordPlace>, base: &Path) -> Result<Vec<u8>, String> {
    let mut small = Vec::new();
    let extraction = Extraction {
        records,
        base,
        reason: "a test",
    };
    extraction
        .write(&Places::default(), &mut small)
        .map_err(|error| error.to_string())?;
    Ok(small)
}

/// Returns the rows of `pages`, without what says where they are from.
fn rows(tables: &Tables) -> BTreeSet<String> {
    let is_kept = |column: &str| {
        !column.starts_with("warc_")
            && !column.starts_with("inner_")
            && !matches!(
                column,
                "source_format" | "source_filename" | "crawl" | "subset" | "content_languages"
            )
    };
    let text = |row: &BTreeMap<String, String>| {
        let kept: BTreeMap<_, _> = row.iter().filter(|(column, _)| is_kept(column)).collect();
        format!("{kept:?}")
    };
    tables.rows("pages").iter().map(text).collect()
}

/// The revisit lies before its original, whose record only the revisit names.
fn records() -> Vec<Record> {
    let digest = format!("sha1:{}", BASE32.encode(&Sha1::digest(CLOSED)));
    vec![
        Record::revisit(
            "a.example",
            "06:30:00",
            "",
            &[("WARC-Payload-Digest", &digest)],
        ),
        Record::robots(
            "b.example",
            "06:00:00",
            "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes\n",
        ),
        Record::page("a.example", "/", "07:00:00", ""),
        Record::robots("elsewhere.example", "06:00:00", CLOSED),
        Record::page(
            "b.example",
            "/",
            "07:00:00",
            "<meta name=\"robots\" content=\"noindex\">",
        ),
    ]
}

#[test]
fn frame_5_what_is_extracted_gives_the_same_rows_in_every_format() {
    for container in ALL {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let name = format!("a.{}", container.ending());
        let large = run_in(folder.path(), vec![(name, container.pack(&records()))]);
        let wanted = places(&large, &|row| !row["url"].contains("elsewhere"));
        if wanted.is_empty() {
            // Several records in one member have no lengths, and the command refuses them.
            assert!(
                matches!(container, Container::WarcOneGz | Container::ArcOneGz),
                "{container:?}"
            );
            continue;
        }
        let small = extract(wanted, &folder.path().join("in")).expect("records with a length");
        let small = run_named(vec![("small.warc.gz".to_owned(), small)]);
        assert_eq!(rows(&small), rows(&large), "{container:?}");
        let access = |url: &str| {
            large
                .rows("pages")
                .iter()
                .find(|row| row["url"] == url)
                .map(|row| row["access"].clone())
        };
        let expected = if container.is_arc() {
            "unknown"
        } else {
            "disallow"
        };
        assert_eq!(
            access("http://a.example/").as_deref(),
            Some(expected),
            "{container:?}"
        );
    }
}

/// A dictionary, stored or compressed, without which a frame is nothing.
#[test]
fn iipc_zstd_records_behind_a_dictionary_are_extracted() {
    let texts: Vec<Vec<u8>> = records().iter().map(|record| record.warc(None)).collect();
    let dictionary = texts.concat();
    let mut compressor =
        zstd::bulk::Compressor::with_dictionary(3, &dictionary).expect("a dictionary");
    let frames: Vec<u8> = texts
        .iter()
        .flat_map(|text| compressor.compress(text).expect("memory"))
        .collect();
    for stored in [dictionary.clone(), frame(&dictionary)] {
        let length = u32::try_from(stored.len()).expect("short").to_le_bytes();
        let archive = [&[0x5d, 0x2a, 0x4d, 0x18], &length[..], &stored, &frames].concat();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let large = run_in(folder.path(), vec![("a.warc.zst".to_owned(), archive)]);
        let small = extract(places(&large, &|_| true), &folder.path().join("in")).expect("records");
        assert_eq!(
            rows(&run_named(vec![("small.warc.gz".to_owned(), small)])),
            rows(&large)
        );
    }
}

/// The line end before each payload of that crawl is dropped from the copies, too; and the original in another archive of a WACZ.
#[test]
fn frame_6_records_of_that_crawl_are_read_alike_when_they_are_extracted() {
    let robots = "HTTP/1.1 200 OK\r\n\r\n\r\n\u{feff}User-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
    let records = [
        Record::response("http://a.example/robots.txt", "06:00:00", robots),
        Record::page("a.example", "/", "07:00:00", ""),
    ];
    let file = "CC-MAIN-20180814062251-20180814082251-00000.warc.gz";
    let name = format!("crawl-data/CC-MAIN-2018-34/segments/1534221208676.20/warc/{file}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let large = run_in(
        folder.path(),
        vec![(name, Container::WarcGz.pack(&records))],
    );
    let small = extract(places(&large, &|_| true), &folder.path().join("in")).expect("records");
    let small = run_named(vec![("small.warc.gz".to_owned(), small)]);
    assert_eq!(small.rows("pages")[0]["access"], "disallow");
    assert_eq!(rows(&small), rows(&large));
}

#[test]
fn frame_5_the_original_in_another_archive_of_a_wacz_is_extracted() {
    let pack = |records: &[Record]| Container::WarcGz.pack(records);
    let all = records();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = wacz(&[pack(&all[..3]), pack(&all[3..])]);
    let large = run_in(folder.path(), vec![("a.wacz".to_owned(), archive)]);
    let wanted = places(&large, &|row| !row["url"].contains("elsewhere"));
    let small = extract(wanted, &folder.path().join("in")).expect("records");
    assert_eq!(
        rows(&run_named(vec![("small.warc.gz".to_owned(), small)])),
        rows(&large)
    );
}

/// Archives that are read apart and would be one archive in a small WARC: it gives the same rows, or is refused.
fn assert_alike_or_refused(archives: Vec<(String, Vec<u8>)>) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let large = run_in(folder.path(), archives);
    match extract(places(&large, &|_| true), &folder.path().join("in")) {
        Ok(small) => {
            assert_eq!(
                rows(&run_named(vec![("small.warc.gz".to_owned(), small)])),
                rows(&large)
            );
            None
        }
        Err(refused) => {
            assert!(
                refused.contains("in one file with records of other archives"),
                "{refused}"
            );
            Some(refused)
        }
    }
}

/// The newest robots.txt of a site is a revisit whose original is in another archive (KNOW-4).
#[test]
fn frame_5_a_revisit_of_a_file_of_another_archive_is_read_alike() {
    let open = "User-agent: *\nAllow: /\n";
    let digest = format!("sha1:{}", BASE32.encode(&Sha1::digest(open)));
    let revisit = Record::revisit(
        "a.example",
        "06:30:00",
        "",
        &[("WARC-Payload-Digest", &digest)],
    );
    let archive = |records: &[Record]| Container::WarcGz.pack(records);
    let page = Record::page("a.example", "/", "07:00:00", "");
    let first = archive(&[Record::robots("a.example", "06:00:00", open)]);
    let second = archive(&[revisit.clone(), page.clone()]);
    let refused = assert_alike_or_refused(vec![
        ("a.warc.gz".to_owned(), first.clone()),
        ("b.warc.gz".to_owned(), second),
    ]);
    assert_eq!(refused, None);
    // What neither reads by itself nor with the other one is copied.
    let none = Record::revisit(
        "a.example",
        "06:30:00",
        "",
        &[("WARC-Payload-Digest", "sha1:AAAA")],
    );
    let second = archive(&[none, page]);
    let refused = assert_alike_or_refused(vec![
        ("a.warc.gz".to_owned(), first),
        ("b.warc.gz".to_owned(), second),
    ]);
    assert_eq!(refused, None);
}

/// The name of its archive says that a record is the target of a redirect of robots.txt.
#[test]
fn local_a_record_that_only_the_name_of_its_archive_explains_is_refused_in_one_file() {
    let segment = "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
    let moved = "HTTP/1.1 302 Found\r\nLocation: http://a.example/rules\r\n\r\n";
    let rules = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n";
    let robots = Container::WarcGz.pack(&[
        Record::response("http://a.example/robots.txt", "06:00:00", moved),
        Record::response("http://a.example/rules", "06:00:01", rules),
    ]);
    let page = Container::WarcGz.pack(&[Record::page("a.example", "/", "07:00:00", "")]);
    let name = |subset: &str| {
        format!("{segment}/{subset}/CC-MAIN-20260810060000-20260810090000-00000.warc.gz")
    };
    let refused = assert_alike_or_refused(vec![(name("robotstxt"), robots), (name("warc"), page)]);
    assert!(refused.is_some_and(|refused| refused.contains("robotstxt/")));
}

/// README: an example that others check. Two runs at different times, in different processes, are alike.
#[test]
fn local_what_is_extracted_twice_has_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = Container::WarcGz.pack(&records());
    let large = run_in(folder.path(), vec![("a.warc.gz".to_owned(), archive)]);
    let extracted =
        || extract(places(&large, &|_| true), &folder.path().join("in")).expect("records");
    let once = extracted();
    // A date in seconds would differ.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert!(
        once == extracted(),
        "two extracts of the same records differ"
    );
}

/// What is no record, or two of them, is refused with words that say so.
#[test]
fn local_places_without_exactly_one_record_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = [
        warcinfo("software: test\r\n"),
        records()[1].warc(None),
        records()[2].warc(None),
    ]
    .concat();
    let length = archive.len() as u64;
    std::fs::write(folder.path().join("a.warc"), archive).expect("a temporary file");
    let mut random = Rng::with_seed(7);
    for _ in 0..50 {
        let offset = random.u64(1..length - 1);
        let length = random.u64(1..=length - offset);
        let place = RecordPlace {
            filename: "a.warc".to_owned(),
            offset,
            length,
        };
        let refused = extract(vec![place], folder.path()).expect_err("no record begins there");
        assert!(refused.contains("a.warc, byte"), "{refused}");
    }
}
