//! Archives behind a web server: the bytes that a disk gives, and of each fault its outcome.
//!
//! The server is in the test's own process. `tests/stores/run` has the same over TLS, a real S3 store, and time.

mod addresses;
mod answers;
#[path = "../support/files.rs"]
mod files;
mod hosts;
mod server;

use crawlprefs::error::Error;
use crawlprefs::job::{Named, ScanOptions, Silent, Summary, discover, scan};
use crawlprefs::store::{FolderStore, Places, RemoteOptions};
use files::files;
use server::{Fault, Server};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

const SAMPLE: &str = "sample-data";

/// Returns the archives of sample-data by their names.
fn archives() -> BTreeMap<String, Vec<u8>> {
    let mut archives = files(Path::new(SAMPLE));
    archives.retain(|name, _| name.ends_with(".warc.gz") || name.ends_with(".warc"));
    archives
}

/// Returns the places of a client that may ask often, and asks again once.
fn places() -> Places {
    let many = NonZeroUsize::new(1000).expect("it is not 0");
    Places::new(RemoteOptions {
        retries: 1,
        request_rate: many,
        ..RemoteOptions::default()
    })
}

/// Scans what a list names.
fn scan_list(list: &str, base: Option<&str>, out: &Path) -> Result<Summary, Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("list");
    std::fs::write(&file, list).expect("it can be written");
    let lists = [file.to_string_lossy().into_owned()];
    scan_named(
        &Named {
            inputs: &[],
            lists: &lists,
            base: base.map(Path::new),
            stdin_name: None,
            places: &places(),
        },
        out,
    )
}

/// Scans what is named, and asks for archives that are known.
fn scan_named(named: &Named<'_>, out: &Path) -> Result<Summary, Error> {
    scan_within(named, out, Duration::ZERO)
}

fn scan_within(named: &Named<'_>, out: &Path, recheck: Duration) -> Result<Summary, Error> {
    let mut options = ScanOptions::new(discover(named)?.inputs);
    options.recheck = recheck;
    (options.jobs, options.downloads) = (NonZeroUsize::MIN, NonZeroUsize::new(4));
    scan(&options, &FolderStore::new(out.to_owned()), &Silent)
}

/// Returns all names as a list.
fn listed(archives: &BTreeMap<String, Vec<u8>>) -> String {
    archives.keys().map(|name| format!("{name}\n")).collect()
}

#[test]
fn local_a_server_gives_the_bytes_of_the_disk_though_it_cuts_and_is_busy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = listed(&archives());
    scan_list(&list, Some(SAMPLE), &folder.path().join("disk")).expect("a scan");
    let expected = files(&folder.path().join("disk"));
    for fault in [Fault::None, Fault::Cut, Fault::Once(503), Fault::Once(429)] {
        let server = Server::start(archives(), fault);
        let out = folder.path().join(format!("{fault:?}"));
        scan_list(&list, Some(&server.url), &out).expect("a scan");
        assert_eq!(files(&out), expected, "{fault:?}");
        let requests = if fault == Fault::None { 1 } else { 2 };
        assert_eq!(
            server.seen().len(),
            requests * archives().len(),
            "{fault:?}"
        );
    }
}

#[test]
fn local_what_fails_for_good_is_a_failed_input_and_is_asked_no_more_than_retries_say() {
    let name = archives().into_keys().next().expect("an archive");
    for (fault, requests, outcome) in [
        (Fault::Always(403), 1, "unreadable"),
        (Fault::Always(404), 1, "missing"),
        (Fault::Always(503), 2, "unreadable"),
        (Fault::Redirect("https://127.0.0.1/x"), 1, "unreadable"),
        (Fault::Redirect("file:///etc/passwd"), 1, "unreadable"),
        (Fault::Redirect("/loop"), 6, "unreadable"),
        (Fault::Change, 2, "unreadable"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let server = Server::start(archives(), fault);
        let summary =
            scan_list(&name, Some(&server.url), &folder.path().join("out")).expect("a scan");
        let outcomes: Vec<&str> = summary
            .failed_inputs
            .iter()
            .map(|input| input.outcome)
            .collect();
        assert_eq!(
            (outcomes, server.seen().len()),
            (vec![outcome], requests),
            "{fault:?}"
        );
        let detail = summary.failed_inputs[0].detail.clone().unwrap_or_default();
        assert_eq!(
            detail.contains("has changed"),
            fault == Fault::Change,
            "{detail}"
        );
    }
}

#[test]
fn local_a_second_call_asks_for_the_two_ends_of_an_archive() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (name, content) = archives().into_iter().next().expect("an archive");
    // Longer than both ends, and a WARC all the same.
    let content = content.repeat(1 + 200_000 / content.len());
    let server = Server::start([(name.clone(), content)].into(), Fault::None);
    for requests in [1, 2] {
        let before = server.seen().len();
        scan_list(&name, Some(&server.url), &folder.path().join("out")).expect("a scan");
        assert_eq!(server.seen().len() - before, requests);
    }
    let (inputs, places) = ([format!("{}/{name}", server.url)], places());
    let named = Named {
        inputs: &inputs,
        lists: &[],
        base: Some(Path::new(&server.url)),
        stdin_name: None,
        places: &places,
    };
    for (recheck, requests) in [(Duration::from_secs(3600), 0), (Duration::ZERO, 2)] {
        let before = server.seen().len();
        let summary = scan_within(&named, &folder.path().join("out"), recheck).expect("a scan");
        assert_eq!(summary.inputs_of_earlier_calls, 1);
        assert_eq!(server.seen().len() - before, requests, "{recheck:?}");
    }
}

#[test]
fn local_a_list_reaches_no_local_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for line in [
        "file:///etc/passwd",
        "FILE://localhost/etc/passwd",
        "ftp://host/a",
    ] {
        let refused = scan_list(line, None, &folder.path().join("out"));
        assert!(
            matches!(refused, Err(Error::BadLine { line: 1, .. })),
            "{line}: {refused:?}"
        );
    }
    let server = Server::start(
        [("list".to_owned(), b"/etc/passwd\n".to_vec())].into(),
        Fault::None,
    );
    let lists = [format!("{}/list", server.url)];
    let named = Named {
        inputs: &[],
        lists: &lists,
        base: None,
        stdin_name: None,
        places: &places(),
    };
    let summary = scan_named(&named, &folder.path().join("out")).expect("a scan");
    assert_eq!(summary.failed_inputs.len(), 1);
    assert_eq!(server.seen(), ["list", "etc/passwd"]);
    let server = Server::start(
        [("list".to_owned(), b"../etc/passwd\n".to_vec())].into(),
        Fault::None,
    );
    let lists = [format!("{}/list", server.url)];
    let named = Named {
        inputs: &[],
        lists: &lists,
        base: None,
        stdin_name: None,
        places: &places(),
    };
    assert!(matches!(discover(&named), Err(Error::BadLine { .. })));
}
