//! Answers that are not what was asked for: whole files instead of ranges, 202, and keys of a bucket that are no archives.

use crate::files::files;
use crate::hosts::crawlprefs;
use crate::server::{Fault, Server};
use crate::{SAMPLE, archives, listed, scan_list};
use std::collections::BTreeMap;
use std::path::Path;

/// A server need not know ranges (RFC 9110 14.2): short archives are read as a whole.
#[test]
fn rfc9110_14_2_a_server_that_ignores_ranges_gives_short_archives_and_is_named_for_long_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = listed(&archives());
    scan_list(&list, Some(SAMPLE), &folder.path().join("disk")).expect("a scan");
    let mut served = archives();
    let (name, content) = served
        .iter()
        .next()
        .map(|(name, content)| (name.clone(), content.clone()))
        .expect("one");
    served.insert(
        "long.warc.gz".to_owned(),
        content.repeat(1 + (17 << 20) / content.len()),
    );
    let server = Server::start(served, Fault::Whole);
    let out = folder.path().join("out");
    // The second call compares what is known, by whole files, too.
    for _ in 0..2 {
        let summary = scan_list(&list, Some(&server.url), &out).expect("a scan");
        assert_eq!(summary.failed_inputs.len(), 0);
        assert_eq!(files(&out), files(&folder.path().join("disk")));
    }
    let list = format!("long.warc.gz\n{name}\n");
    let summary = scan_list(&list, Some(&server.url), &folder.path().join("long")).expect("a scan");
    assert_eq!(summary.failed_inputs.len(), 1);
    let detail = summary.failed_inputs[0].detail.clone().unwrap_or_default();
    assert!(
        detail.contains("ignores ranges") && detail.contains("up to 16 MiB"),
        "{detail}"
    );
    assert!(detail.contains("reading again does not help"), "{detail}");
}

/// Status 202 has no file in it: its body must not be taken for an empty archive.
#[test]
fn rfc9110_15_3_3_an_answer_202_is_asked_again_and_is_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = listed(&archives());
    scan_list(&list, Some(SAMPLE), &folder.path().join("disk")).expect("a scan");
    let server = Server::start(archives(), Fault::Once(202));
    scan_list(&list, Some(&server.url), &folder.path().join("once")).expect("a scan");
    assert_eq!(
        files(&folder.path().join("once")),
        files(&folder.path().join("disk"))
    );
    let name = archives().into_keys().next().expect("an archive");
    let server = Server::start(archives(), Fault::Always(202));
    let summary =
        scan_list(&name, Some(&server.url), &folder.path().join("always")).expect("a scan");
    let detail = summary.failed_inputs[0].detail.clone().unwrap_or_default();
    assert!(
        detail.contains("answered 202") && detail.contains("again later"),
        "{detail}"
    );
    assert_eq!((summary.failed_inputs.len(), server.seen().len()), (1, 2));
}

/// The console and S3A write empty objects for folders; other tools write keys that are no paths.
#[test]
fn wild_marks_of_folders_are_no_archives_and_odd_keys_cost_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let (_, content) = archives().into_iter().next().expect("an archive");
    let object = |key: &str, bytes: usize| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;1&quot;</ETag><Size>{bytes}</Size></Contents>"
        )
    };
    let objects = [
        object("in/", 0),
        object("in//odd.warc.gz", 5),
        object("in/./dot.warc.gz", 5),
        object("in/a.warc.gz", content.len()),
        object("in/new folder.warc/", 0),
        object("in/x/", 0),
    ];
    let listing = format!(
        "<ListBucketResult><IsTruncated>false</IsTruncated>{}</ListBucketResult>",
        objects.concat()
    );
    let served = [
        (
            "b?list-type=2&prefix=in%2F".to_owned(),
            listing.into_bytes(),
        ),
        ("b/in/a.warc.gz".to_owned(), content),
    ];
    let server = Server::start(BTreeMap::from(served), Fault::None);
    let environment = [
        ("AWS_ENDPOINT_URL", server.url.as_str()),
        ("AWS_ACCESS_KEY_ID", "k"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("AWS_REGION", "us-east-1"),
    ];
    let (status, said, error) = crawlprefs(&["run", "s3://b/in/", "-o", &out], &environment);
    let text = said + &error;
    assert_eq!(status, Some(3), "{text} {:?}", server.seen());
    assert!(
        text.contains("in//odd.warc.gz") && text.contains("in/./dot.warc.gz"),
        "{text}"
    );
    assert!(!text.contains("new folder"), "{text}");
    assert!(Path::new(&out).join("pages").exists(), "{text}");
}
