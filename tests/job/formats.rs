//! Archives of every format become evidence, and what they become does not depend on the format.

use crate::fixture::{archive, input, run};
use crate::resolved::{page, resolve, response, robots, rows, view};
use crate::rounds::rounds;
use crate::warc::record;
use crawlprefs::archive::{FileSource, Input};
use sha2::Digest;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

const ROBOTS: &str = "User-agent: CCBot\nDisallow: /closed\n";
const HEAD: &str = "HTTP/1.1 200 Said\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\n\r\n";
const WARC_NAME: &str =
    "crawl-data/CC-MAIN-2026-34/segments/1.2/warc/CC-MAIN-20260810060000-20260810090000-00003.warc";
const WAT_NAME: &str = "crawl-data/CC-MAIN-2026-34/segments/1.2/wat/CC-MAIN-20260810060000-20260810090000-00003.warc.wat";

fn html() -> String {
    response(
        "https://a.example/closed",
        "06:00:00",
        200,
        "Content-Type: text/html\r\nX-Robots-Tag: noindex\r\n",
        "<meta name=robots content=nosnippet><p>",
    )
}

/// Returns a WARC of a robots.txt and two pages.
fn warc() -> String {
    [
        robots("a.example", "05:00:00", ROBOTS),
        html(),
        page("https://a.example/open", "06:00:01"),
    ]
    .concat()
}

/// Returns the page as an ARC record, behind its robots.txt.
fn arc() -> String {
    let record = |url: &str, date: &str, block: &str| {
        format!(
            "{url} 192.0.2.1 {date} text/html {}\n{block}\n",
            block.len()
        )
    };
    let robots_txt = format!("HTTP/1.1 200 OK\r\n\r\n{ROBOTS}");
    let page = format!("{HEAD}<meta name=robots content=nosnippet><p>");
    [
        record(
            "filedesc://a.arc",
            "20260810040000",
            "1 1 Test\nURL IP-address Archive-date Content-type Archive-length\n",
        ),
        record(
            "https://a.example/robots.txt",
            "20260810050000",
            &robots_txt,
        ),
        record("https://a.example/closed", "20260810060000", &page),
    ]
    .concat()
}

/// Returns a WAT that describes the page, at its offset in [`warc`].
fn wat() -> Vec<u8> {
    let (offset, bytes) = (robots("a.example", "05:00:00", ROBOTS).len(), HEAD.len());
    let json = format!(
        r#"{{"Container":{{"Offset":"{offset}"}},"Envelope":{{"WARC-Header-Metadata":{{"WARC-Type":"response","WARC-Target-URI":"https://a.example/closed","WARC-Date":"2026-08-10T06:00:00Z","Content-Length":"{}"}},"Payload-Metadata":{{"HTTP-Response-Metadata":{{"Response-Message":{{"Version":"HTTP/1.1","Status":"200","Reason":"Said"}},"Headers-Length":"{bytes}","Headers":{{"Content-Type":"text/html","X-Robots-Tag":"noindex"}},"HTML-Metadata":{{"Head":{{"Metas":[{{"name":"robots","content":"nosnippet"}}]}}}}}}}}}}}}"#,
        bytes + 39
    );
    record(
        "WARC-Type: metadata\r\nContent-Type: application/json\r\n",
        json.as_bytes(),
    )
}

/// Returns a WACZ that holds archives.
fn wacz(path: &Path, archives: &[(&str, &[u8])]) -> Input {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).expect("a file"));
    for (name, bytes) in archives {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(*name, options).expect("a file");
        zip.write_all(bytes).expect("a file can be written");
    }
    zip.finish().expect("a file can be written");
    input("a.wacz", Arc::new(FileSource::new(path.to_owned())))
}

/// Scans and resolves inputs; returns for each page some of its columns.
fn pages(inputs: Vec<Input>, columns: &[&str]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(inputs, folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    let row = |row: &crate::resolved::Fields| columns.iter().map(|name| row.shown(name)).collect();
    rows(folder.path(), "pages").iter().map(row).collect()
}

const VERDICTS: &[&str] = &[
    "url",
    "fetch_time",
    "fetch_status",
    "access",
    "robots_state",
    "tag_noindex",
    "tag_nosnippet",
];

#[test]
fn local_an_arc_gives_the_verdicts_that_a_warc_gives() {
    let of_warc = pages(vec![archive("a.warc", warc().into_bytes())], VERDICTS);
    let of_arc = pages(vec![archive("a.arc", arc().into_bytes())], VERDICTS);
    assert_eq!((of_warc.len(), of_arc.len()), (2, 1));
    assert_eq!(of_arc[0], of_warc[0]);
    let formats = pages(
        vec![archive("a", arc().into_bytes())],
        &["source_format", "source_filename"],
    );
    assert_eq!(formats, [["\"arc\"", "\"a\""]]);
}

#[test]
fn local_a_wat_joins_as_the_page_of_its_warc() {
    let columns: Vec<&str> = [
        VERDICTS,
        &[
            "warc_filename",
            "warc_record_offset",
            "subset",
            "content_length",
        ],
    ]
    .concat();
    let robots_txt = robots("a.example", "05:00:00", ROBOTS);
    let site = || {
        archive(
            &WARC_NAME.replace("/warc/", "/robotstxt/"),
            robots_txt.clone().into_bytes(),
        )
    };
    let of_warc = pages(vec![archive(WARC_NAME, warc().into_bytes())], &columns);
    let of_wat = pages(vec![site(), archive(WAT_NAME, wat())], &columns);
    let source = ["source_format", "source_filename", "unread"];
    assert_eq!(of_wat.len(), 1);
    assert_eq!(of_wat[0], of_warc[0][..]);
    let sources = pages(vec![archive(WAT_NAME, wat())], &source);
    assert_eq!(
        sources[0][..2],
        ["\"wat\"".to_owned(), format!("\"{WAT_NAME}\"")]
    );
    // Where both are there, the rows of the WARC count, which has more of them.
    let both = pages(
        vec![
            archive(WARC_NAME, warc().into_bytes()),
            archive(WAT_NAME, wat()),
        ],
        &source,
    );
    assert_eq!(both.len(), 2);
    assert!(both.iter().all(|row| row[0] == "\"warc\""));
}

#[test]
fn wacz_1_1_1_archives_are_read_where_they_lie_in_the_zip() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.wacz");
    let (warc, arc) = (warc(), arc());
    let archives = [
        ("archive/a.warc", warc.as_bytes()),
        ("pages/pages.jsonl", b"{}"),
        ("archive/b.arc", arc.as_bytes()),
    ];
    let found = pages(
        vec![wacz(&path, &archives)],
        &[
            "url",
            "source_format",
            "warc_filename",
            "warc_record_offset",
            "warc_record_length",
        ],
    );
    assert_eq!(found.len(), 3);
    let bytes = fs::read(&path).expect("a file");
    for row in &found {
        let number = |at: usize| row[at].parse::<usize>().expect("a number");
        let record = String::from_utf8_lossy(&bytes[number(3)..number(3) + number(4)]);
        assert!(record.contains(row[0].trim_matches('"')), "{record}");
        let start = if row[1] == "\"arc\"" {
            "https://"
        } else {
            "WARC/1.0"
        };
        assert!(
            record.starts_with(start) && row[2] == "\"a.wacz\"",
            "{record}"
        );
    }
}

/// What datapackage.json says of the archives of a WACZ.
#[test]
fn wacz_1_1_1_an_archive_is_the_one_that_the_package_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.wacz");
    let warc = warc();
    let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(&sha2::Sha256::digest(bytes));
    let package = |path: &str, hash: &str| {
        format!(
            r#"{{"resources": [{{"name": "a", "path": "{path}", "hash": "sha256:{hash}", "bytes": 1}}]}}"#
        )
    };
    for (package, found) in [
        (package("archive/a.warc", &hex(warc.as_bytes())), (3, 0, 0)),
        // The capture stays.
        (package("archive/a.warc", &hex(b"another one")), (3, 1, 0)),
        (package("archive/b.warc", &hex(warc.as_bytes())), (3, 1, 0)),
        (
            package("pages/pages.jsonl", &hex(b"another one")),
            (3, 0, 0),
        ),
        (package("archive/a.warc", "0a1b"), (3, 0, 0)),
        // It may name archives that are not there.
        ("{".to_owned(), (3, 1, 0)),
    ] {
        let archives = [
            ("archive/a.warc", warc.as_bytes()),
            ("datapackage.json", package.as_bytes()),
        ];
        wacz(&path, &archives);
        assert_eq!(
            scan_wacz(&fs::read(&path).expect("a file")),
            found,
            "{package}"
        );
    }
}

/// Browsertrix gives the files of a crawl as one ZIP.
#[test]
fn local_a_zip_of_wacz_files_is_read_in_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [inner, other, all] = ["b.wacz", "c.wacz", "all.zip"].map(|name| folder.path().join(name));
    let (warc, arc) = (warc(), arc());
    wacz(
        &inner,
        &[
            ("archive/a.warc", warc.as_bytes()),
            ("pages/pages.jsonl", b"{}"),
        ],
    );
    wacz(&other, &[("archive/b.arc", arc.as_bytes())]);
    let [inner, other] = [inner, other].map(|path| fs::read(path).expect("a file"));
    let zip = wacz(
        &all,
        &[
            ("crawl-0.wacz", &inner),
            ("datapackage.json", b"{}"),
            ("crawl-1.wacz", &other),
        ],
    );
    let columns = [
        "url",
        "source_format",
        "warc_record_offset",
        "warc_record_length",
    ];
    let found = pages(vec![zip], &columns);
    let alone = ["x.wacz", "y.wacz"].map(|name| folder.path().join(name));
    fs::write(&alone[0], &inner).expect("a file");
    fs::write(&alone[1], &other).expect("a file");
    let alone = alone.map(|path| input("a.wacz", Arc::new(FileSource::new(path))));
    let each = alone
        .into_iter()
        .flat_map(|wacz| pages(vec![wacz], &columns));
    let first = |rows: &mut dyn Iterator<Item = Vec<String>>| {
        let mut rows: Vec<Vec<String>> = rows.map(|row| row[..2].to_vec()).collect();
        rows.sort();
        rows
    };
    assert_eq!(
        first(&mut found.iter().cloned()),
        first(&mut each.into_iter())
    );
    let bytes = fs::read(&all).expect("a file");
    for row in &found {
        let number = |at: usize| row[at].parse::<usize>().expect("a number");
        let record = String::from_utf8_lossy(&bytes[number(2)..number(2) + number(3)]);
        assert!(record.contains(row[0].trim_matches('"')), "{record}");
    }
    // One that is no WACZ is a lost record, and the others are read.
    let zip = wacz(
        &all,
        &[("crawl-0.wacz", &inner), ("crawl-1.wacz", b"no ZIP")],
    );
    assert_eq!(pages(vec![zip], &columns).len(), 2);
    assert_eq!(scan_wacz(&fs::read(&all).expect("a file")), (3, 1, 0));
    wacz(&all, &[("readme.txt", b"no archive")]);
    assert_eq!(scan_wacz(&fs::read(&all).expect("a file")), (0, 0, 1));
}

#[test]
fn local_a_wacz_cut_or_flipped_at_any_byte_is_never_silent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.wacz");
    let warc = [
        page("https://a.example/1", "06:00:00"),
        page("https://a.example/2", "06:00:00"),
    ]
    .concat();
    wacz(&path, &[("archive/a.warc", warc.as_bytes())]);
    let whole = fs::read(&path).expect("a file");
    let scan = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a file");
        let out = tempfile::tempdir().expect("a temporary folder");
        let source = input("a.wacz", Arc::new(FileSource::new(path.clone())));
        let summary = run(vec![source], out.path(), 1);
        (
            summary.all_captures(),
            summary.failed_inputs.len() + summary.failures.len(),
        )
    };
    assert_eq!(scan(&whole), (2, 0));
    for at in (4..whole.len()).step_by(rounds(10, 3)) {
        let (captures, failures) = scan(&whole[..at]);
        assert!(failures > 0 && captures <= 2, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        let (captures, failures) = scan(&flipped);
        assert!(captures == 2 || failures > 0, "byte {at} flipped");
    }
}

/// Returns a ZIP whose directory lists one file often, at the same place or wherever `offset` says.
fn zip_of(
    file: &[u8],
    names: impl Iterator<Item = String>,
    offset: impl Fn(u32) -> u32,
) -> Vec<u8> {
    let length = u32::try_from(file.len()).expect("short").to_le_bytes();
    let mut checksum = flate2::Crc::new();
    checksum.update(file);
    let local = |name: &str| {
        let name_length = u16::try_from(name.len()).expect("short").to_le_bytes();
        let times = [10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let sizes = [checksum.sum().to_le_bytes(), length, length].concat();
        [&times[..], &sizes, &name_length, &[0, 0]].concat()
    };
    let first = b"archive/a.warc";
    let mut zip = [&b"PK\x03\x04"[..], &local("archive/a.warc"), first, file].concat();
    let start = u32::try_from(zip.len()).expect("short");
    let mut count = 0_u32;
    for name in names {
        let at = offset(count).to_le_bytes();
        zip.extend(
            [
                &b"PK\x01\x02\x0a\0"[..],
                &local(&name),
                &[0; 10],
                &at,
                name.as_bytes(),
            ]
            .concat(),
        );
        count += 1;
    }
    let directory = u32::try_from(zip.len()).expect("short") - start;
    let counted = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    let end = [
        &counted[..],
        &counted,
        &directory.to_le_bytes(),
        &start.to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    [zip, b"PK\x05\x06\0\0\0\0".to_vec(), end].concat()
}

/// Scans a WACZ; returns its captures, failures and failed inputs.
fn scan_wacz(bytes: &[u8]) -> (u64, usize, usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.wacz");
    fs::write(&path, bytes).expect("a file");
    let source = input("a.wacz", Arc::new(FileSource::new(path)));
    let summary = run(vec![source], &folder.path().join("out"), 1);
    (
        summary.all_captures(),
        summary
            .failures
            .values()
            .map(|count| usize::try_from(*count).unwrap())
            .sum(),
        summary.failed_inputs.len(),
    )
}

#[test]
fn local_archives_that_overlap_in_a_wacz_are_read_once() {
    let page = page("https://a.example/1", "06:00:00").into_bytes();
    let once = zip_of(&page, ["archive/a.warc".to_owned()].into_iter(), |_| 0);
    assert_eq!(scan_wacz(&once), (1, 0, 0));
    let names = || (0..100).map(|number| format!("archive/{number}.warc"));
    assert_eq!(scan_wacz(&zip_of(&page, names(), |_| 0)), (1, 99, 0));
}

#[test]
fn local_a_wacz_with_a_directory_that_is_too_long_is_not_read() {
    let names = (0..30_000).map(|number| format!("{number:0300}"));
    assert_eq!(scan_wacz(&zip_of(b"", names, |_| 0)), (0, 0, 1));
}

#[test]
fn local_of_two_files_of_one_name_in_a_wacz_the_one_that_is_not_read_is_a_failure() {
    let pages = [
        page("https://a.example/1", "06:00:00"),
        page("https://a.example/2", "06:00:00"),
    ];
    let name = |name: &str| format!("archive/{name}.warc");
    // The writer refuses such names, so that one is written over.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("b.wacz");
    let files = [
        (name("a"), pages[0].as_bytes()),
        (name("b"), pages[1].as_bytes()),
    ];
    wacz(
        &path,
        &files
            .each_ref()
            .map(|(name, bytes)| (name.as_str(), *bytes)),
    );
    let whole = fs::read(&path).expect("a file");
    assert_eq!(scan_wacz(&whole), (2, 0, 0));
    let twice = whole
        .clone()
        .windows(14)
        .enumerate()
        .filter(|(_, text)| *text == name("b").as_bytes())
        .fold(whole, |mut bytes, (at, _)| {
            bytes[at..at + 14].copy_from_slice(name("a").as_bytes());
            bytes
        });
    assert_eq!(scan_wacz(&twice), (1, 1, 1));
}

#[test]
fn local_a_wacz_whose_archives_all_cannot_be_read_is_a_failed_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.wacz");
    let page = page("https://a.example/1", "06:00:00");
    let inner = folder.path().join("inner.wacz");
    wacz(&inner, &[("archive/a.warc", page.as_bytes())]);
    let nested = fs::read(&inner).expect("a file");
    for (name, bytes) in [
        ("compressed", page.as_bytes()),
        ("false", b"Dear diary"),
        ("nested", nested.as_slice()),
    ] {
        wacz(&path, &[("archive/a.warc", bytes)]);
        let mut bytes = fs::read(&path).expect("a file");
        // The crate has no codecs here: a stored file is called a deflated one.
        if name == "compressed" {
            let directory = bytes
                .windows(4)
                .position(|start| start == b"PK\x01\x02")
                .expect("a directory");
            (bytes[8], bytes[directory + 10]) = (8, 8);
        }
        assert_eq!(scan_wacz(&bytes), (0, 1, 1), "{name}");
    }
}
