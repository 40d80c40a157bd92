//! Real archives by many writers, counted before with warcio and FastWARC.

use crate::captures::{archives, captures, scan};
use crate::corpus;
use serde_json::Value;
use std::collections::BTreeMap;

/// Archives whose records by type differ from the counts, each with the reason. A case that starts
/// to agree fails the test until it is struck off.
const DIFFERENT: &[(&str, &str)] = &[
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcfile-fields-missing.warc", NO_LENGTH),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcfile-lonely-continuation.warc", NO_LENGTH),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-10.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-11.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-2.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-20.warc", NOT_WARC),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-22.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-23.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-25.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcheaderversion-7.warc", HEAD_CUT),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcreader-diagnosis-1.warc", NOT_WARC),
    ("richardlehane__webarchive/examples/jhove/invalid/invalid-warcrecord-1.warc", NO_LENGTH),
    ("toimik__WarcProtocol/Invalid/missing_header_field.warc", HEAD_CUT),
    ("toimik__WarcProtocol/Invalid/premature_w_trailing_newline.warc", HEAD_CUT),
    ("toimik__WarcProtocol/Invalid/premature_wo_trailing_newline.warc", HEAD_CUT),
    (
        "webrecorder__pywb/warcs/example.warc",
        "a length one byte short; the record behind does not carry the archive's WARC-Warcinfo-ID and is not believed",
    ),
];

const NO_LENGTH: &str = "a plain file's record without Content-Length is lost, and its type with it";
const HEAD_CUT: &str = "the file ends inside a record's head, which is lost";
const NOT_WARC: &str = "the file does not begin with WARC/";

/// Archives whose counts of header fields or metas differ from those counted before.
const DIFFERENT_SIGNALS: &[(&str, &str)] = &[(
    "openzim__warc2zim/kiwix-with-redirects.warc.gz",
    "an image in the head's noscript ends the head where scripting is off, as in the parsers that counted; in browsers it does not, and the robots metas behind it count",
)];

/// The counts of WARC files, and what scanning gave. Fragments of WAT files, which are named `.warc`, are left out:
/// a record whose envelope cannot be read is lost, and has no type.
fn expected() -> Option<(BTreeMap<String, Value>, tempfile::TempDir)> {
    let folder = corpus("warc")?;
    let text = std::fs::read(folder.join("expected_counts.json")).expect("expected_counts.json");
    let value: Value = serde_json::from_slice(&text).expect("JSON");
    let files = value["files"].as_object().expect("files").clone().into_iter();
    let is_warc = |name: &str| [".warc", ".warc.gz"].iter().any(|ending| name.ends_with(ending));
    let files = files.filter(|(name, _)| is_warc(name) && !name.contains("WatUrlExtractor"));
    Some((files.collect(), scan(&folder, &[])))
}

#[test]
fn local_nothing_is_lost_without_a_trace() {
    let Some((_, out)) = expected() else { return };
    let archives = archives(out.path());
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
fn wild_records_by_type_are_those_counted_before() {
    let Some((expected, out)) = expected() else { return };
    let mut agreed = 0;
    for (file, row) in archives(out.path()) {
        let Some(counts) =
            expected.get(&file).and_then(|file| file["expected"]["records_by_type"].as_object())
        else {
            continue;
        };
        let counts: BTreeMap<String, i64> = counts
            .iter()
            .map(|(name, count)| (name.trim().to_ascii_lowercase(), count.as_i64().expect("a count")))
            .collect();
        let different = DIFFERENT.iter().find(|(name, _)| *name == file);
        match different {
            None => assert_eq!(row.by_type, counts, "{file}: {}", row.outcome),
            Some((_, why)) => assert_ne!(row.by_type, counts, "{file} agrees by now: {why}"),
        }
        agreed += usize::from(different.is_none());
    }
    println!("{agreed} archives agree, {} differ for a reason", DIFFERENT.len());
    assert!(agreed >= 180);
}

#[test]
fn wild_header_fields_and_metas_are_those_counted_before() {
    let Some((expected, out)) = expected() else { return };
    let mut found = BTreeMap::<String, BTreeMap<String, i64>>::new();
    for capture in captures(out.path()) {
        let counts = found.entry(capture.file).or_default();
        for name in ["x-robots-tag", "robots-tag", "content-usage", "tdm-reservation"] {
            let there =
                capture.record_type == "response" && capture.signals.contains(&format!("header:{name}"));
            *counts.entry(name.to_owned()).or_default() += i64::from(there);
        }
        let html = matches!(capture.media_type.as_deref(), Some("text/html" | "application/xhtml+xml"));
        let meta = capture.record_type == "response" && html && capture.signals.contains("meta:robots");
        *counts.entry("meta robots".to_owned()).or_default() += i64::from(meta);
    }
    let (mut agreed, mut metas) = (0, 0);
    for (file, counts) in found {
        let Some(counts_before) = expected.get(&file).map(|file| &file["expected"]) else { continue };
        let Some(headers) = counts_before["responses_with_header"].as_object() else { continue };
        let mut before: BTreeMap<String, i64> =
            headers.iter().map(|(name, count)| (name.clone(), count.as_i64().expect("a count"))).collect();
        before.insert(
            "meta robots".to_owned(),
            counts_before["html_meta_robots_in_head"].as_i64().unwrap_or(0),
        );
        match DIFFERENT_SIGNALS.iter().find(|(name, _)| *name == file) {
            Some((_, why)) => assert_ne!(counts, before, "{file} agrees by now: {why}"),
            None => assert_eq!(counts, before, "{file}"),
        }
        agreed += 1;
        metas += counts["meta robots"];
    }
    println!("{agreed} archives agree, with {metas} pages that have a robots meta");
    assert!(agreed > 100 && metas > 50);
}
