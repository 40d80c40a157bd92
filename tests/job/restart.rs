//! A later call goes on where an earlier one was left, and never mixes two runs.

use crate::files::files;
use crate::fixture::{archive, captures, input, options, run, sample};
use crawlprefs::archive::FileSource;
use crawlprefs::error::Error;
use crawlprefs::job::{self, Progress, Silent};
use crawlprefs::store::FolderStore;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn local_archives_with_evidence_are_not_read_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let first = run(sample(), &out, 2);
    let before = files(&out);
    let second = run(sample(), &out, 2);
    assert_eq!(
        (
            first.inputs_of_earlier_calls,
            second.inputs_of_earlier_calls
        ),
        (0, first.inputs)
    );
    assert_eq!(
        (first.captures, first.records),
        (second.captures, second.records)
    );
    assert!(files(&out) == before);
}

/// What two calls are compared by does not have the program's version, so that a patch release continues.
#[test]
fn local_neither_marks_nor_manifests_have_the_version_of_the_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), folder.path(), 2);
    crate::resolved::resolve(folder.path(), folder.path(), &crate::resolved::view());
    let marks: Vec<_> = files(folder.path())
        .into_iter()
        .filter(|(name, _)| name.ends_with(".json"))
        .collect();
    assert!(marks.len() > 10, "{} marks and manifests", marks.len());
    let version = concat!('"', env!("CARGO_PKG_VERSION"), '"');
    for (name, content) in marks {
        assert!(
            !String::from_utf8_lossy(&content).contains(version),
            "{name}"
        );
    }
}

#[test]
fn local_an_archive_without_its_manifest_or_a_part_is_read_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let all = run(sample(), &out, 2).inputs;
    let before = files(&out);
    let manifest = before
        .keys()
        .find(|name| name.starts_with("_manifest"))
        .expect("a manifest");
    fs::remove_file(out.join(manifest)).expect("it can be removed");
    let part = before
        .keys()
        .rfind(|name| name.starts_with("evidence/captures"))
        .expect("a part");
    fs::write(out.join(part), b"cut").expect("it can be written");
    let again = run(sample(), &out, 2);
    assert_eq!(again.inputs_of_earlier_calls, all - 2);
    assert!(files(&out) == before);
}

#[test]
fn local_inputs_may_grow() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (grown, whole) = (folder.path().join("grown"), folder.path().join("whole"));
    let some: Vec<_> = sample()
        .into_iter()
        .filter(|input| !input.name.filename().contains("00001"))
        .collect();
    run(some, &grown, 1);
    run(sample(), &grown, 1);
    run(sample(), &whole, 1);
    assert!(files(&grown) == files(&whole));
}

#[test]
fn local_a_failed_input_is_tried_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, path) = (folder.path().join("out"), folder.path().join("late.warc"));
    let late = || vec![input("late.warc", Arc::new(FileSource::new(path.clone())))];
    let first = run(late(), &out, 1);
    assert_eq!(first.failed_inputs[0].outcome, "missing");
    fs::write(&path, captures("late", 3)).expect("it can be written");
    let second = run(late(), &out, 1);
    assert_eq!((second.failed_inputs.len(), second.all_captures()), (0, 3));
}

#[test]
fn local_another_runs_output_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let sink = FolderStore::new(out.clone());
    run(vec![archive("old.warc", captures("old", 2))], &out, 1);
    let mark = out.join("_crawlprefs.json");
    let text = fs::read_to_string(&mark).expect("the mark");
    fs::write(
        &mark,
        text.replace("\"evidence_format\": \"1\"", "\"evidence_format\": \"0\""),
    )
    .expect("it can be written");
    let other = options(vec![archive("new.warc", captures("new", 2))], 1);
    let refused = job::scan(&other, &sink, &Silent);
    let Err(Error::OutputOfAnotherRun {
        file, difference, ..
    }) = refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!(
        (file, difference.as_str()),
        (mark.display().to_string(), "evidence_format is 0, not 1")
    );
}

#[test]
fn local_a_foreign_folder_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("thesis.tex"), "years of work").expect("it can be written");
    let refused = job::scan(
        &options(sample(), 1),
        &FolderStore::new(folder.path().to_owned()),
        &Silent,
    );
    assert!(matches!(refused, Err(Error::OutputForeign { .. })));
    assert_eq!(files(folder.path()).len(), 1);
}

/// Stops after a number of records.
struct StopAfter(u64, AtomicU64);

impl Progress for StopAfter {
    fn advanced(&self, _: u64, records: u64) {
        self.1.fetch_add(records, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.1.load(Ordering::Relaxed) > self.0
    }
}

#[test]
fn local_a_stopped_job_leaves_whole_archives_alone_and_goes_on() {
    let inputs = || {
        (0..8).map(|number| {
            archive(
                &format!("{number}.warc"),
                captures(&number.to_string(), 1000),
            )
        })
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, whole) = (folder.path().join("out"), folder.path().join("whole"));
    let stop = StopAfter(2500, AtomicU64::new(0));
    let options = options(inputs().collect(), 2);
    let stopped =
        job::scan(&options, &FolderStore::new(out.clone()), &stop).expect("the job can run");
    assert!(stopped.stopped && stopped.inputs < 8);
    let names: Vec<String> = files(&out).into_keys().collect();
    assert!(!names.iter().any(|name| name.contains(".tmp")), "{names:?}");
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("evidence/captures"))
            .count(),
        stopped.inputs
    );
    run(inputs().collect(), &out, 2);
    run(inputs().collect(), &whole, 1);
    assert!(files(&out) == files(&whole));
}
