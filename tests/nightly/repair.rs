//! Damaged archives with a good copy by now, and evidence whose bytes have changed.

use crate::command::{Ran, crawlprefs_in, done};
use crate::files::files;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const SAMPLE: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1/robotstxt/\
                      CC-MAIN-20260810060000-20260810090000-00000.warc.gz";

/// So often the archive has the records of the sample.
const COPIES: usize = 20;

/// A damaged archive; its good copy was scanned to `good`.
struct Repair {
    folder: tempfile::TempDir,
    good: Vec<u8>,
}

impl Repair {
    fn new() -> Self {
        // Longer than the two ends that identify it.
        let good = fs::read(SAMPLE).expect("an archive").repeat(COPIES);
        assert!(good.len() > 200_000);
        let repair = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            good,
        };
        repair.write(None);
        assert_eq!(repair.scan_to("good", &[]).status, 0);
        repair
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.warc.gz")
    }

    /// Writes the archive with one wrong byte, or as it is to be; the file says that it is of long ago, as after `cp -p`.
    fn write(&self, wrong: Option<usize>) {
        fs::write(self.path(), &self.good).expect("written");
        if let Some(at) = wrong {
            flip(&self.path(), at);
        }
        set_modified(&self.path(), 1_600_000_000);
    }

    /// Makes all manifests newer than the archive.
    fn date_manifests(&self) {
        for name in self
            .evidence("out")
            .keys()
            .filter(|name| name.starts_with("_manifest/"))
        {
            set_modified(&self.folder.path().join("out").join(name), 4_000_000_000);
        }
    }

    fn scan_to(&self, out: &str, flags: &[&str]) -> Ran {
        crawlprefs_in(
            self.folder.path(),
            &[&["scan", "-q", "a.warc.gz", "-o", out], flags].concat(),
        )
    }

    fn scan(&self, flags: &[&str]) -> i32 {
        self.scan_to("out", flags).status
    }

    /// Runs the command that a message names, with the archive, as a user would.
    fn do_named(&self, message: &str) {
        let command = message
            .split("crawlprefs scan ARCHIVE ")
            .nth(1)
            .expect("a command");
        let command = command
            .split([';', '\n', '(', ','])
            .next()
            .expect("its end");
        let flags = command
            .split_whitespace()
            .map(|flag| if flag == "OUT" { "out" } else { flag });
        let args: Vec<&str> = ["scan", "-q", "a.warc.gz"]
            .into_iter()
            .chain(flags)
            .collect();
        done(self.folder.path(), &args);
    }

    /// Makes tables of some folders of evidence; returns how it ended, and them.
    fn resolve(&self, folders: &[&str]) -> (Ran, BTreeMap<String, Vec<u8>>) {
        fs::remove_dir_all(self.folder.path().join("tables")).ok();
        let ran = crawlprefs_in(
            self.folder.path(),
            &[&["resolve", "-q", "-o", "tables"], folders].concat(),
        );
        let written = self.folder.path().join("tables").exists();
        let mut tables = if written {
            self.evidence("tables")
        } else {
            BTreeMap::new()
        };
        // It has the folders of the evidence.
        tables.remove("_resolved.json");
        (ran, tables)
    }

    fn evidence(&self, out: &str) -> BTreeMap<String, Vec<u8>> {
        files(&self.folder.path().join(out))
    }

    /// Scans an archive with one wrong byte into a new folder.
    fn damaged(&self, at: usize) -> BTreeMap<String, Vec<u8>> {
        fs::remove_dir_all(self.folder.path().join("out")).ok();
        self.write(Some(at));
        assert!([0, 3].contains(&self.scan(&[])));
        let damaged = self.evidence("out");
        assert!(damaged != self.evidence("good"));
        damaged
    }
}

fn set_modified(file: &Path, seconds: u64) {
    let file = fs::File::options().append(true).open(file).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .expect("a time");
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).expect("a file");
    bytes[at] ^= 1;
    fs::write(file, bytes).expect("written");
}

#[test]
fn local_a_good_copy_of_a_damaged_archive_is_read_though_it_has_the_same_length() {
    let repair = Repair::new();
    for at in [repair.good.len() / 2, repair.good.len() - 40, 40] {
        repair.damaged(at);
        repair.write(None);
        assert_eq!(repair.scan(&[]), 0, "{at}");
        assert!(repair.evidence("out") == repair.evidence("good"), "{at}");
        // Of a whole archive, any copy is as good.
        repair.write(None);
        assert_eq!(repair.scan(&["--verify"]), 0);
        assert!(repair.evidence("out") == repair.evidence("good"), "{at}");
    }
}

#[test]
fn local_a_copy_that_seems_older_is_read_where_all_are_verified_or_that_is_asked_for() {
    let repair = Repair::new();
    let middle = repair.good.len() / 2;
    for flags in [
        &["--verify"][..],
        &["--again", "damaged"],
        &["--again", "a.warc.gz"],
    ] {
        let damaged = repair.damaged(middle);
        repair.write(None);
        repair.date_manifests();
        for other in [&[][..], &["--again", "b.warc.gz"]] {
            assert_eq!(repair.scan(other), 0);
            assert!(repair.evidence("out") == damaged, "{other:?}");
        }
        assert_eq!(repair.scan(flags), 0, "{flags:?}");
        assert!(
            repair.evidence("out") == repair.evidence("good"),
            "{flags:?}"
        );
    }
    let before = repair.evidence("out");
    assert_eq!(repair.scan(&["--again", "a.warc.gz"]), 0);
    assert!(repair.evidence("out") == before);
    fs::remove_file(repair.path()).expect("removed");
    assert_ne!(repair.scan(&["--again", "a.warc.gz"]), 0);
}

#[test]
fn local_a_worse_copy_of_a_damaged_archive_replaces_nothing() {
    let repair = Repair::new();
    let middle = repair.good.len() / 2;
    let damaged = repair.damaged(middle);
    repair.write(Some(middle));
    assert_eq!(repair.scan(&[]), 0);
    assert!(repair.evidence("out") == damaged);
    repair.write(Some(middle));
    flip(&repair.path(), middle / 2);
    let ran = repair.scan_to("out", &[]);
    assert_eq!(ran.status, 3);
    assert!(ran.err.contains("found a copy in which"), "{}", ran.err);
    assert!(repair.evidence("out") == damaged);
    repair.do_named(&ran.err);
    assert!(repair.evidence("out") != damaged);
}

#[test]
fn local_another_copy_with_the_same_damage_makes_no_table_again() {
    let repair = Repair::new();
    let middle = repair.good.len() / 2;
    repair.damaged(middle);
    let resolve = || crawlprefs_in(repair.folder.path(), &["resolve", "-q", "out"]).status;
    assert_eq!(resolve(), 0);
    repair.write(Some(middle));
    assert_eq!(repair.scan(&[]), 0);
    let plan = crawlprefs_in(repair.folder.path(), &["resolve", "-q", "out", "--dry-run"]);
    assert!(
        plan.out.lines().count() == 2 && plan.out.lines().all(|line| line.ends_with(": done")),
        "{}",
        plan.out
    );
}

#[test]
fn local_evidence_of_other_bytes_is_found_where_it_is_verified_and_named_by_who_reads_it() {
    let repair = Repair::new();
    let part = repair
        .folder
        .path()
        .join("good/evidence/captures/crawl=local");
    let part = fs::read_dir(part)
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("a file")
        .path();
    let before = repair.evidence("good");
    flip(&part, 100);
    assert_eq!(repair.scan_to("good", &[]).status, 0);
    assert!(repair.evidence("good") != before);
    let ran = crawlprefs_in(
        repair.folder.path(),
        &["resolve", "-q", "good", "-o", "tables"],
    );
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("scan a.warc.gz again: "), "{}", ran.err);
    repair.do_named(&ran.err);
    assert!(repair.evidence("good") == before);
}

#[test]
fn local_of_two_machines_the_better_evidence_of_an_archive_counts_in_whatever_order() {
    let repair = Repair::new();
    let expected = repair.resolve(&["good"]).1;
    // The middle of a long archive is not in its fingerprint.
    repair.damaged(repair.good.len() / 2);
    assert!(repair.resolve(&["out"]).1 != expected);
    for folders in [["out", "good"], ["good", "out"]] {
        let (ran, tables) = repair.resolve(&folders);
        assert!(
            ran.status == 0 && tables == expected,
            "{folders:?}: {}",
            ran.err
        );
    }
}

#[test]
fn local_an_archive_that_was_repaired_on_another_machine_is_refused_with_the_next_command() {
    let repair = Repair::new();
    let expected = repair.resolve(&["good"]).1;
    let end = repair.good.len() - 40;
    for (at, is_cut) in [(end, false), (40, false), (end, true)] {
        repair.damaged(at);
        if is_cut {
            fs::remove_dir_all(repair.folder.path().join("out")).expect("removed");
            fs::write(repair.path(), &repair.good[..end]).expect("written");
            assert_eq!(repair.scan(&[]), 3);
        }
        repair.write(None);
        for folders in [["out", "good"], ["good", "out"]] {
            let (ran, tables) = repair.resolve(&folders);
            assert!(ran.status == 1 && tables.is_empty(), "{}", ran.err);
            assert!(
                ran.err
                    .contains("is of a damaged copy; read the good one into it"),
                "{}",
                ran.err
            );
            let [one, other] = folders;
            let status = ["status", "tables", "--evidence", one, "--evidence", other];
            let status = crawlprefs_in(repair.folder.path(), &status);
            let next = status.out.split("Next:\n").nth(1).unwrap_or_default();
            assert!(
                status.status == 3
                    && next.contains("crawlprefs scan ARCHIVE --again a.warc.gz -o "),
                "{}",
                status.out
            );
            assert!(!status.out.contains("crawlprefs resolve"), "{}", status.out);
        }
        repair.do_named(&repair.resolve(&["good", "out"]).0.err);
        let (ran, tables) = repair.resolve(&["out", "good"]);
        assert!(ran.status == 0 && tables == expected, "{at}: {}", ran.err);
    }
}

#[test]
fn local_two_whole_archives_of_one_name_are_refused_with_the_next_command() {
    let repair = Repair::new();
    let other = repair.good.repeat(2);
    fs::write(
        repair.path(),
        &other[..repair.good.len() + repair.good.len() / COPIES],
    )
    .expect("written");
    assert_eq!(repair.scan(&[]), 0);
    repair.write(None);
    // The same machine refuses it, too.
    let ran = repair.scan_to("out", &[]);
    assert!(
        ran.status == 3 && ran.err.contains("--again changed"),
        "{}",
        ran.err
    );
    let (ran, tables) = repair.resolve(&["out", "good"]);
    assert!(
        ran.status == 1 && tables.is_empty() && ran.err.contains("of different files"),
        "{}",
        ran.err
    );
    let index = crawlprefs_in(
        repair.folder.path(),
        &["index", "-q", "out", "good", "-o", "index"],
    );
    assert!(
        index.status == 1
            && index
                .err
                .contains("crawlprefs scan ARCHIVE --again changed -o "),
        "{}",
        index.err
    );
    repair.do_named(&ran.err);
    assert!(repair.evidence("out") == repair.evidence("good"));
    assert_eq!(repair.resolve(&["out", "good"]).0.status, 0);
}
