//! A later resolve goes on where an earlier one was left, and keeps up with the evidence.

use crate::files::files;
use crate::fixture::{archive, captures, run, sample};
use crate::resolved::{page, records, resolve, resolve_with, robots, rows, try_resolve, view};
use crawlprefs::archive::Input;
use crawlprefs::error::Error;
use crawlprefs::job::{Progress, ResolveOptions};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts captures that are looked at; the calls to stop begin after so many.
struct Counted(AtomicU64, u64);

impl Counted {
    fn new() -> Self {
        Self(AtomicU64::new(0), u64::MAX)
    }
}

impl Progress for Counted {
    fn advanced(&self, _: u64, records: u64) {
        self.0.fetch_add(records, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= self.1
    }
}

/// Resolves beside the evidence; returns how many captures were looked at.
fn looked_at(out: &Path) -> u64 {
    let counted = Counted::new();
    resolve_with(out, out, &view(), &counted).expect("the job can run");
    counted.0.into_inner()
}

/// The archives of sample-data without one of two in each subset.
fn some() -> Vec<Input> {
    sample()
        .into_iter()
        .filter(|input| !input.name.filename().contains("00001"))
        .collect()
}

#[test]
fn local_finished_resolved_batches_are_not_done_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    let first = resolve(folder.path(), folder.path(), &view());
    let before = files(folder.path());
    assert_eq!(looked_at(folder.path()), 0);
    let second = resolve(folder.path(), folder.path(), &view());
    assert_eq!((first.pages, &first), (93, &second));
    assert!(files(folder.path()) == before);
}

#[test]
fn local_a_resolved_batch_without_its_manifest_is_done_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    let all = looked_at(folder.path());
    let before = files(folder.path());
    for manifest in before.keys().filter(|name| name.starts_with("_resolved/")) {
        fs::remove_file(folder.path().join(manifest)).expect("it can be removed");
        let again = looked_at(folder.path());
        assert!(again < all, "{manifest}: {again} of {all}");
        assert_eq!(again == 0, manifest.ends_with("-site.json"), "{manifest}");
        assert!(files(folder.path()) == before, "{manifest}");
    }
}

#[test]
fn local_a_resolved_batch_whose_part_is_cut_or_gone_is_done_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    let first = resolve(folder.path(), folder.path(), &view());
    let before = files(folder.path());
    for table in ["pages/", "statements/"] {
        let mut parts = before.keys().filter(|name| name.starts_with(table));
        let (cut, gone) = (
            parts.next().expect("a part"),
            parts.next_back().expect("a part"),
        );
        let half = before[cut]
            .get(..before[cut].len() / 2)
            .expect("half of it");
        fs::write(folder.path().join(cut), half).expect("it can be written");
        fs::remove_file(folder.path().join(gone)).expect("it can be removed");
        assert_eq!(resolve(folder.path(), folder.path(), &view()), first);
        assert!(files(folder.path()) == before);
    }
}

#[test]
fn local_a_damaged_manifest_of_a_resolved_batch_costs_its_batch_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    resolve(folder.path(), folder.path(), &view());
    let before = files(folder.path());
    let manifest = before
        .keys()
        .find(|name| name.starts_with("_resolved/"))
        .expect("a manifest");
    fs::write(folder.path().join(manifest), b"{\"version\":").expect("it can be written");
    resolve(folder.path(), folder.path(), &view());
    assert!(files(folder.path()) == before);
}

#[test]
fn local_evidence_that_grew_is_resolved_anew() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    run(some(), &place("grown"), 1);
    resolve(&place("grown"), &place("grown"), &view());
    resolve(&place("grown"), &place("grown elsewhere"), &view());
    run(sample(), &place("grown"), 1);
    resolve(&place("grown"), &place("grown"), &view());
    resolve(&place("grown"), &place("grown elsewhere"), &view());
    run(sample(), &place("whole"), 2);
    resolve(&place("whole"), &place("whole"), &view());
    resolve(&place("whole"), &place("whole elsewhere"), &view());
    assert!(files(&place("grown")) == files(&place("whole")));
    let [grown, whole] = ["grown elsewhere", "whole elsewhere"].map(|name| {
        let mut files = files(&place(name));
        // It says where the evidence is.
        files.remove("_resolved.json").expect("the mark");
        files
    });
    assert!(grown == whole);
}

/// The pages' batch is untouched, but its verdicts are other ones.
#[test]
fn local_a_robots_txt_that_came_later_changes_pages_resolved_before() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = || records("pages.warc", &[page("https://a.example/", "07:00:00")]);
    run(vec![pages()], folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    let state = || {
        let rows = rows(folder.path(), "pages");
        (
            rows[0].text("robots_state").expect("a state").to_owned(),
            rows.len(),
        )
    };
    assert_eq!(state(), ("not_archived".to_owned(), 1));
    let site = records(
        "robots.warc",
        &[robots(
            "a.example",
            "06:00:00",
            "User-agent: *\nDisallow: /\n",
        )],
    );
    run(vec![pages(), site], folder.path(), 1);
    resolve(folder.path(), folder.path(), &view());
    assert_eq!(state(), ("parsed".to_owned(), 1));
}

#[test]
fn local_a_stopped_resolve_leaves_whole_batches_alone_and_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, whole) = (folder.path().join("out"), folder.path().join("whole"));
    run(sample(), &out, 1);
    run(sample(), &whole, 1);
    resolve(&whole, &whole, &view());
    let mut options = view();
    options.jobs = std::num::NonZeroUsize::MIN;
    let stop = Counted(AtomicU64::new(0), 1);
    let stopped = resolve_with(&out, &out, &options, &stop).expect("the job can run");
    assert!(stopped.stopped);
    let done = files(&out);
    assert!(!done.keys().any(|name| name.contains(".tmp")));
    for (name, bytes) in &done {
        assert!(
            files(&whole).get(name) == Some(bytes),
            "{name} is not whole"
        );
    }
    let rest = Counted::new();
    let tally = resolve_with(&out, &out, &view(), &rest).expect("the job can run");
    assert!(!tally.stopped && rest.0.into_inner() < 150);
    assert!(files(&out) == files(&whole));
}

#[test]
fn local_there_must_be_evidence_and_nothing_is_left_behind_where_there_is_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (missing, empty, out) = (
        folder.path().join("missing"),
        folder.path().join("empty"),
        folder.path().join("out"),
    );
    fs::create_dir(&empty).expect("it can be made");
    for evidence in [&missing, &empty] {
        for out in [evidence, &out] {
            let result = try_resolve(evidence, out, &view());
            assert!(
                matches!(result, Err(Error::NoEvidence { .. })),
                "{result:?}"
            );
        }
    }
    assert!(!missing.exists() && !out.exists() && files(&empty).is_empty());
}

/// Asks to stop from one of the questions on, and counts the questions.
struct StopAt(AtomicU64, u64);

impl Progress for StopAt {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= self.1
    }
}

#[test]
fn local_a_stop_is_asked_for_between_captures_and_bodies_and_ends_the_work_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    run(
        vec![
            archive("a.warc", captures("a", 300)),
            archive("b.warc", captures("b", 300)),
        ],
        &whole,
        1,
    );
    let options = ResolveOptions {
        jobs: NonZeroUsize::MIN,
        ..view()
    };
    let all = StopAt(AtomicU64::new(0), u64::MAX);
    let tally = resolve_with(&whole, &whole, &options, &all).expect("the job can run");
    let asked = all.0.into_inner();
    assert!(!tally.stopped && asked >= 600 + 7, "{asked}");
    let evidence = |out: &Path| {
        fs::remove_dir_all(out).ok();
        run(
            vec![
                archive("a.warc", captures("a", 300)),
                archive("b.warc", captures("b", 300)),
            ],
            out,
            1,
        );
    };
    for at in [
        0,
        1,
        2,
        3,
        5,
        8,
        13,
        20,
        asked / 3,
        asked / 2,
        asked - 30,
        asked - 5,
        asked - 1,
    ] {
        evidence(&out);
        let stop = StopAt(AtomicU64::new(0), at);
        let tally = resolve_with(&out, &out, &options, &stop).expect("the job can run");
        let after = stop.0.into_inner() - at;
        assert!(
            tally.stopped && after <= 10,
            "{at} of {asked}: {after} questions after the first"
        );
        let names: Vec<String> = files(&out).into_keys().collect();
        assert!(
            !names.iter().any(|name| name.contains(".tmp")),
            "{at}: {names:?}"
        );
    }
    resolve_with(&out, &out, &options, &Counted::new()).expect("the job can run");
    assert!(files(&out) == files(&whole));
}
