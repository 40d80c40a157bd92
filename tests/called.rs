//! The command's jobs as another program calls them: events and reports as values, the words of the command, the same
//! bytes, and nothing printed.

#[path = "support/files.rs"]
mod files;

use crawlprefs::cli::called::{self, Called, Failure};
use files::files;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

fn call(arguments: &[&str], out: &Path, stop: usize) -> (Result<Called, Failure>, Vec<Value>) {
    let (sender, events) = mpsc::channel();
    let mut given: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    given.extend(["-o".into(), out.into()]);
    let called = called::job(given, sender, Arc::new(AtomicUsize::new(stop)));
    (called, events.iter().collect())
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["event"].as_str().unwrap_or_default())
        .collect()
}

#[test]
fn local_a_program_gets_every_event_and_the_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (called, events) = call(&["run", "sample-data"], &folder.path().join("out"), 0);
    let called = called.expect("it can run");
    let report = &called.report;
    assert_eq!(
        (
            called.status,
            &report["inputs"],
            &report["resolve"]["pages"]
        ),
        (0, &7.into(), &93.into())
    );
    let kinds = kinds(&events);
    assert_eq!(
        (kinds.first(), kinds.last()),
        (Some(&"started"), Some(&"finished"))
    );
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "archive_read").count(),
        7
    );
}

#[test]
fn local_a_program_asks_a_job_to_stop() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (called, events) = call(&["run", "sample-data"], &folder.path().join("out"), 2);
    assert_eq!(called.expect("it can run").status, 130);
    assert_eq!(kinds(&events).last(), Some(&"stopped"));
}

#[test]
fn local_what_cannot_run_is_refused_in_the_words_of_the_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    for (arguments, kind, message) in [
        (
            &["run", "nowhere.warc"][..],
            "input_missing",
            "nowhere.warc: no such file or folder",
        ),
        (
            &["run", "sample-data", "--agent", "Mozilla/5.0"],
            "usage",
            "--agent Mozilla/5.0",
        ),
        (
            &["run", "sample-data", "--colour"],
            "usage",
            "unexpected argument '--colour' found",
        ),
        (
            &["scan", "sample-data", "--slice", "3/2"],
            "usage",
            "invalid value '3/2' for '--slice <I/N>'",
        ),
    ] {
        let refused = call(arguments, &out, 0).0.expect_err("it cannot run");
        assert_eq!(
            (refused.kind, refused.retry),
            (kind, false),
            "{arguments:?}"
        );
        assert!(
            refused.detail.starts_with(message),
            "expected {message:?} in {:?}",
            refused.detail
        );
    }
    assert!(!out.exists());
}

#[test]
fn local_resolving_segment_by_segment_writes_what_one_call_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    call(&["run", "sample-data"], &whole, 0)
        .0
        .expect("it can run");
    call(&["scan", "sample-data"], &parts, 0)
        .0
        .expect("it can run");
    let scan = ["scan", "sample-data", "-o", "out"]
        .map(OsString::from)
        .to_vec();
    let listed = called::archives(scan).expect("archives");
    assert_eq!(listed.len(), 7);
    for archive in listed {
        let segment = archive.segment.map_or("other".to_owned(), |segment| {
            format!("{}/{segment}", archive.crawl)
        });
        let parts = parts.to_string_lossy();
        let resolve = ["resolve", &parts, "--segment", &segment, "-q"]
            .map(OsString::from)
            .to_vec();
        let called = called::job(resolve, mpsc::channel().0, Arc::default());
        assert_eq!(
            called
                .map(|called| called.status)
                .map_err(|refused| refused.detail),
            Ok(0)
        );
    }
    assert!(files(&whole) == files(&parts));
}
