//! Real archives by many writers (WARC, WET, ARC, WAT, WACZ), counted before with warcio and FastWARC.

use crate::captures::{archives, captures, scan, scan_with};
use crate::corpus;
use serde_json::Value;
use std::collections::BTreeMap;

/// Files whose records by type differ from the counts, each with the reason. A case that starts
/// to agree fails the test until it is struck off.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "richardlehane__webarchive/examples/hello-world2.arc",
        SHORT_VERSION,
    ),
    ("archivesunleashed__aut/arc/badexample.arc.gz", STOPS),
    (
        "chatnoir-eu__chatnoir-resiliparse/warcfile.warc.lz4",
        "LZ4 is not read: the outcome is unsupported_format",
    ),
    (
        "commoncrawl__ia-web-commons/format/arc/IAH-20080430204825-00000-blackbook-truncated.arc",
        STOPS,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcfile-fields-missing.warc",
        NO_LENGTH,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcfile-lonely-continuation.warc",
        NO_LENGTH,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-10.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-11.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-2.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-20.warc",
        NOT_WARC,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-22.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-23.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-25.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-7.warc",
        HEAD_CUT,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcreader-diagnosis-1.warc",
        NOT_WARC,
    ),
    (
        "richardlehane__webarchive/examples/jhove/invalid/invalid-warcrecord-1.warc",
        NO_LENGTH,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/Optional/head.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/Optional/html-metadata.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/Optional/http-response-metadata.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/Optional/payload-metadata.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/Optional/warc-target-uri.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/metadata.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/metadata2.warc",
        FRAGMENT,
    ),
    (
        "toimik__CommonCrawl/WarcParserWatUrlExtractor/metadata3.warc",
        FRAGMENT,
    ),
    (
        "toimik__WarcProtocol/Invalid/missing_header_field.warc",
        HEAD_CUT,
    ),
    (
        "toimik__WarcProtocol/Invalid/premature_w_trailing_newline.warc",
        HEAD_CUT,
    ),
    (
        "toimik__WarcProtocol/Invalid/premature_wo_trailing_newline.warc",
        HEAD_CUT,
    ),
    (
        "webrecorder__cdxj-indexer/bad.arc",
        "the lengths -1 and abc are no numbers: three records are lost, each with a failure, and have no type",
    ),
    ("webrecorder__pywb/warcs/example.warc", NOT_BELIEVED),
];

/// FRAME-3: a record's line begins inside the declared length of the version block, and its record is read.
const SHORT_VERSION: &str =
    "the length of its version block is false, and the record behind it is read";

/// Files whose responses by class of status differ from the counts, each with the reason.
const DIFFERENT_STATUS: &[(&str, &str)] = &[
    (
        "richardlehane__webarchive/examples/hello-world2.arc",
        SHORT_VERSION,
    ),
    ("N0taN3rd__node-warc/test/files/parseMe.warc", EXTENSION),
    ("N0taN3rd__node-warc/test/files/parseMe.warc.gz", EXTENSION),
    ("archivesunleashed__aut/arc/badexample.arc.gz", STOPS),
    (
        "chatnoir-eu__chatnoir-resiliparse/warcfile.warc.lz4",
        "LZ4 is not read: the outcome is unsupported_format",
    ),
    (
        "commoncrawl__ia-web-commons/format/arc/IAH-20080430204825-00000-blackbook-truncated.arc",
        STOPS,
    ),
    (
        "webrecorder__cdxj-indexer/bad.arc",
        "a block of one byte for an http: URL is a capture without a status; the reference counts it as another protocol",
    ),
    (
        "webrecorder__pywb/warcs/example-extra.warc",
        "HTTPX/1.1 200 OK is not a status line of HTTP: no status, and header and meta are unread; the reference takes the 200",
    ),
    ("webrecorder__pywb/warcs/example.warc", NOT_BELIEVED),
];

const STOPS: &str =
    "the reference stops at the first damaged place; reading goes on at the next record";
const FRAGMENT: &str = "the file ends inside its one record, a piece of a WAT: its JSON is not read, and it has no type";
const EXTENSION: &str = "the response to a chrome-extension: URL is not of the web and has no row";
const NOT_BELIEVED: &str = "a length one byte short; the record behind does not carry the archive's WARC-Warcinfo-ID and is not believed";

const NO_LENGTH: &str =
    "a plain file's record without Content-Length is lost, and its type with it";
const HEAD_CUT: &str = "the file ends inside a record's head, which is lost";
const NOT_WARC: &str = "the file does not begin with WARC/";

/// Archives whose counts of header fields or metas differ from those counted before.
const DIFFERENT_SIGNALS: &[(&str, &str)] = &[
    (
        "internetarchive__CDX-Writer/meta_tag_I.arc.gz",
        "an error page served for /robots.txt has a robots meta; the capture is a site file and no page, so that no metas are read",
    ),
    (
        "openzim__warc2zim/kiwix-with-redirects.warc.gz",
        "an image in the head's noscript ends the head where scripting is off, as in the parsers that counted; here it does not (TAG-20), and the robots metas behind it count",
    ),
];

/// The counts of one file; of a WACZ, those of the archives in it together.
#[derive(Default)]
struct Counts {
    by_type: BTreeMap<String, i64>,
    by_status: BTreeMap<String, i64>,
    /// Responses with a header field, and pages with a robots meta.
    signals: BTreeMap<String, i64>,
}

impl Counts {
    fn add(&mut self, expected: &Value) -> Option<()> {
        let numbers = |name: &str| expected[name].as_object().cloned();
        for (name, count) in numbers("records_by_type")? {
            *self
                .by_type
                .entry(name.trim().to_ascii_lowercase())
                .or_default() += count.as_i64()?;
        }
        // Records of other protocols, such as `dns:`, have no row.
        let statuses = numbers("responses_by_status_class")?;
        for (class, count) in statuses.into_iter().filter(|(class, _)| class != "no-http") {
            *self.by_status.entry(class).or_default() += count.as_i64()?;
        }
        for (name, count) in numbers("responses_with_header")? {
            *self.signals.entry(name).or_default() += count.as_i64()?;
        }
        *self.signals.entry("meta robots".to_owned()).or_default() +=
            expected["html_meta_robots_in_head"].as_i64().unwrap_or(0);
        Some(())
    }

    /// Returns `None` where no counts are given.
    fn of(file: &Value) -> Option<Self> {
        let mut counts = Self::default();
        match file["inner"].as_object() {
            Some(inner) => {
                let archives = inner.values().filter(|file| file.get("expected").is_some());
                archives
                    .map(|file| counts.add(&file["expected"]))
                    .collect::<Option<()>>()?;
            }
            None => counts.add(&file["expected"])?,
        }
        Some(counts)
    }
}

/// Every file whose counts are given, and the tables of a scan of these files.
fn expected() -> Option<(BTreeMap<String, Counts>, tempfile::TempDir)> {
    let folder = corpus("warc")?;
    let text = std::fs::read(folder.join("expected_counts.json")).expect("expected_counts.json");
    let value: Value = serde_json::from_slice(&text).expect("JSON");
    let files = value["files"].as_object().expect("files");
    let counts = files
        .iter()
        .filter_map(|(name, file)| Some((name.clone(), Counts::of(file)?)));
    let counts: BTreeMap<String, Counts> = counts.collect();
    let list = tempfile::NamedTempFile::new().expect("a list");
    let names: Vec<&str> = counts.keys().map(String::as_str).collect();
    std::fs::write(list.path(), names.join("\n")).expect("a list");
    let [list, base] = [list.path(), &folder].map(|path| path.to_str().expect("a path in UTF-8"));
    let out = scan_with(&["--paths-from", list, "--base", base]);
    Some((counts, out))
}

/// Returns whether the counts agree, which a file on the list does not and every other one does.
fn agree(
    file: &str,
    ours: &BTreeMap<String, i64>,
    before: &BTreeMap<String, i64>,
    different: &[(&str, &str)],
) -> bool {
    match different.iter().find(|(name, _)| *name == file) {
        None => assert_eq!(ours, before, "{file}"),
        Some((_, why)) => assert_ne!(ours, before, "{file} agrees by now: {why}"),
    }
    ours == before
}

#[test]
fn local_nothing_is_lost_without_a_trace() {
    let Some(folder) = corpus("warc") else { return };
    let archives = archives(scan(&folder, &[]).path());
    assert!(archives.len() > 200);
    for (file, row) in archives {
        let number = |name: &str| row.numbers[name];
        assert_eq!(
            number("records"),
            number("captures") + number("no_interest") + number("records_lost"),
            "{file}"
        );
        assert!(number("failures") >= number("records_lost"), "{file}");
    }
}

#[test]
fn wild_records_by_type_and_responses_by_status_are_those_counted_before() {
    let Some((expected, out)) = expected() else {
        return;
    };
    let mut by_status = BTreeMap::<String, BTreeMap<String, i64>>::new();
    for capture in captures(out.path())
        .iter()
        .filter(|capture| capture.record_type == "response")
    {
        let class = capture
            .status
            .map_or("invalid".to_owned(), |status| format!("{}xx", status / 100));
        *by_status
            .entry(capture.file.clone())
            .or_default()
            .entry(class)
            .or_default() += 1;
    }
    let archives = archives(out.path());
    assert_eq!(archives.len(), expected.len());
    let mut agreed = [0, 0];
    for (file, row) in &archives {
        let (before, by_status) = (&expected[file], by_status.remove(file).unwrap_or_default());
        println!(
            "{file}: {}, by type {:?}, by status {by_status:?}",
            row.outcome, row.by_type
        );
        agreed[0] += usize::from(agree(file, &row.by_type, &before.by_type, DIFFERENT));
        agreed[1] += usize::from(agree(file, &by_status, &before.by_status, DIFFERENT_STATUS));
    }
    let [by_type, by_status] = agreed;
    println!(
        "of {} files, {by_type} agree by type and {by_status} by status",
        archives.len()
    );
    assert_eq!(
        by_type + DIFFERENT.len(),
        archives.len(),
        "a file of the list was not read"
    );
    assert_eq!(
        by_status + DIFFERENT_STATUS.len(),
        archives.len(),
        "a file of the list was not read"
    );
    assert!(archives.len() > 250);
}

#[test]
fn wild_header_fields_and_metas_are_those_counted_before() {
    let Some((expected, out)) = expected() else {
        return;
    };
    let mut found = BTreeMap::<String, BTreeMap<String, i64>>::new();
    for capture in captures(out.path()) {
        let counts = found.entry(capture.file).or_default();
        for name in [
            "x-robots-tag",
            "robots-tag",
            "content-usage",
            "tdm-reservation",
        ] {
            let there = capture.record_type == "response"
                && capture.signals.contains(&format!("header:{name}"));
            *counts.entry(name.to_owned()).or_default() += i64::from(there);
        }
        let html = matches!(
            capture.media_type.as_deref(),
            Some("text/html" | "application/xhtml+xml")
        );
        let meta =
            capture.record_type == "response" && html && capture.signals.contains("meta:robots");
        *counts.entry("meta robots".to_owned()).or_default() += i64::from(meta);
    }
    let (mut agreed, mut metas) = (0, 0);
    for (file, counts) in &found {
        let same = agree(file, counts, &expected[file].signals, DIFFERENT_SIGNALS);
        agreed += usize::from(same);
        metas += counts["meta robots"];
    }
    println!("{agreed} archives agree, with {metas} pages that have a robots meta");
    assert!(agreed > 150 && metas > 50);
    assert_eq!(
        agreed + DIFFERENT_SIGNALS.len(),
        found.len(),
        "a file of the list was not read"
    );
}
