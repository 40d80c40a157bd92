//! KNOW-4: revisits whose originals lie in other archives, wherever something is made of their evidence.

use crate::files::files;
use crate::fixture::run;
use crate::resolved::{Fields, records, resolve, robots, rows, view};
use crate::warc::{record, response};
use crawlprefs::archive::Input;
use crawlprefs::explain::tables::{RowPlace, records as records_of};
use crawlprefs::job;
use crawlprefs::store::FolderStore;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "https://a.example/p";
const DIGEST: &str = "sha1:QYG4MVKBDZ2VXRWHZN5JRHYHZBHCFPFX";
const CRAWL: &str = "CC-MAIN-2026-34";

/// Returns a name of the kind that archives of a library have, or that of an archive of a segment.
fn name(number: u32, segment: Option<&str>) -> String {
    let file = format!("CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz");
    segment.map_or_else(
        || format!("library-{number}.warc"),
        |segment| format!("crawl-data/{CRAWL}/segments/{segment}/warc/{file}"),
    )
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

/// The page of the first day, with a meta that says no.
fn original(at: &str) -> String {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head><meta name=robots content=noai></head>";
    text(response(
        PAGE,
        at,
        &format!("WARC-Payload-Digest: {DIGEST}\r\n"),
        block.as_bytes(),
    ))
}

/// A later capture of it, of which only the header was stored; it says yes.
fn revisit(at: &str) -> String {
    let fields = format!(
        "WARC-Type: revisit\r\nWARC-Target-URI: {PAGE}\r\nWARC-Date: {at}\r\nWARC-Payload-Digest: {DIGEST}\r\n\
         WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
    );
    text(record(
        &fields,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Usage: train-ai=y\r\n\r\n",
    ))
}

const ORIGINAL_AT: &str = "2026-08-01T07:00:00Z";
const REVISIT_AT: &str = "2026-08-10T07:00:00Z";

/// The revisit and what it rests on in one archive, its original in another one.
fn inputs(segments: [Option<&str>; 2]) -> [Input; 2] {
    let open = robots(
        "a.example",
        "2026-08-10T06:00:00Z",
        "User-agent: *\nAllow: /\n",
    );
    [
        records(&name(0, segments[0]), &[open, revisit(REVISIT_AT)]),
        records(&name(1, segments[1]), &[original(ORIGINAL_AT)]),
    ]
}

const PLACES: [[Option<&str>; 2]; 3] = [
    [None, None],
    [Some("17.1"), Some("17.2")],
    [Some("17.1"), Some("17.1")],
];

fn of_revisit(out: &Path, column: &str) -> String {
    let pages = rows(out, "pages");
    let is_it = |page: &&Fields| page.text("record_type") == Some("revisit");
    pages.iter().find(is_it).expect("a revisit").shown(column)
}

/// Resolves, and returns the parts that were made, with why.
fn made(out: &Path) -> Vec<String> {
    let store = FolderStore::new(out.to_owned());
    let plan = job::plan(&[&store], &store, &view()).expect("a plan");
    resolve(out, out, &view());
    let made = plan.iter().filter(|part| !part.step.is_done());
    made.map(|part| format!("{} {:?}", part.batch, part.step))
        .collect()
}

#[test]
fn know_4_the_original_counts_wherever_it_lies_and_whenever_it_comes() {
    for segments in PLACES {
        let [first, second] = inputs(segments);
        let whole = tempfile::tempdir().expect("a temporary folder");
        run(inputs(segments).into(), whole.path(), 2);
        resolve(whole.path(), whole.path(), &view());
        assert_eq!(
            of_revisit(whole.path(), "train_ai"),
            "\"disallow\"",
            "{segments:?}"
        );
        let later = tempfile::tempdir().expect("a temporary folder");
        let out = later.path();
        run(vec![first], out, 1);
        made(out);
        assert_eq!(of_revisit(out, "train_ai"), "\"unknown\"", "{segments:?}");
        run(vec![second], out, 1);
        // The batch of the revisit is made again, as its original has come.
        assert!(
            made(out).iter().any(|why| why.contains("Stale")),
            "{segments:?}"
        );
        assert_eq!(of_revisit(out, "train_ai"), "\"disallow\"", "{segments:?}");
        for table in ["pages", "sites", "statements"] {
            assert!(
                files(&out.join(table)) == files(&whole.path().join(table)),
                "{table} {segments:?}"
            );
        }
        assert_eq!(made(out), [""; 0], "{segments:?}");
    }
}

/// A night that brings other archives does not make the revisit's batch again.
#[test]
fn know_4_archives_that_have_no_original_change_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path();
    run(inputs([Some("17.1"), Some("17.1")]).into(), out, 2);
    made(out);
    let other = text(response(
        "https://b.example/",
        "2026-09-01T07:00:00Z",
        "",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ));
    let again = records(
        &name(0, Some("17.3")),
        &[other, original("2026-09-02T07:00:00Z")],
    );
    run(vec![again], out, 1);
    assert!(
        made(out)
            .iter()
            .all(|why| why.contains("17.3-") && why.contains("New"))
    );
}

/// The scenario of the row, and the records that it rests on.
#[test]
fn know_4_an_explanation_knows_the_original() {
    for segments in PLACES {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path();
        run(inputs(segments).into(), out, 2);
        resolve(out, out, &view());
        let store = FolderStore::new(out.to_owned());
        let ran = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
            .args([
                "explain",
                "--json",
                "--url",
                PAGE,
                "--fetched",
                REVISIT_AT,
                "--tables",
            ])
            .arg(out)
            .output();
        let answer: serde_json::Value =
            serde_json::from_slice(&ran.expect("it starts").stdout).expect("JSON");
        assert_eq!(answer["labels"]["train_ai"], "disallow", "{segments:?}");
        assert_eq!(answer["unread"], serde_json::json!([]), "{segments:?}");
        let place = |column: &str| of_revisit(out, column).trim_matches('"').to_owned();
        let row: RowPlace = (
            place("warc_filename"),
            place("warc_record_offset").parse().expect("a number"),
        );
        let found = records_of(&store, &[&store], &BTreeSet::from([row])).expect("records");
        let archives: BTreeSet<_> = found
            .records
            .iter()
            .filter_map(|it| it.warc_filename.clone())
            .collect();
        let expected = [0, 1].map(|number| name(number, segments[number as usize]));
        assert_eq!(archives, BTreeSet::from(expected), "{segments:?}");
    }
}

/// A run of what is extracted has the verdict of the tables: the original is copied, too.
#[test]
fn know_4_the_original_of_a_page_is_extracted_with_its_revisit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let done = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawlprefs"));
        let ran = command.args(arguments).output().expect("it starts");
        assert!(
            ran.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    };
    let open = robots(
        "a.example",
        "2026-08-10T06:00:00Z",
        "User-agent: *\nAllow: /\n",
    );
    std::fs::create_dir(at("in")).expect("a folder");
    let archives = [
        ("in/a.warc", open + &revisit(REVISIT_AT)),
        ("in/b.warc", original(ORIGINAL_AT)),
    ];
    for (name, records) in archives {
        std::fs::write(at(name), records).expect("an archive");
    }
    let (base, tables) = (at("in"), at("tables"));
    done(&["run", "-q", &base, "-o", &tables]);
    let wanted = ["--url", PAGE, "--fetched", REVISIT_AT];
    for out in ["few.warc.gz", "few/"] {
        let few = at(out);
        let extract = ["extract", "--tables", &tables, "--base", &base, "-o", &few];
        done(&[&extract[..], &wanted].concat());
        let again = at(&format!("tables-{}", out.len()));
        done(&["run", "-q", &few, "-o", &again]);
        let said = of_revisit(Path::new(&again), "train_ai");
        assert_eq!(said, "\"disallow\"", "{out}");
    }
}
