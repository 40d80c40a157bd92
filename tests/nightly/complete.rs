//! Tables are complete, or a call is refused: folders of evidence that are not there, and parts that are gone.

use crate::command::{Ran, crawlprefs_in, done, refused};
use crate::files::files;
use crate::rounds::rounds;
use std::fs;
use std::path::Path;

const SEGMENT: &str = "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
const ARCHIVE: &str = "CC-MAIN-20260810060000-20260810090000";
const NOT_THERE: &str = "no evidence there; expected a folder that crawlprefs scan or run wrote: check the name, and whether its file system is mounted";

/// Scans the two halves of the segment of `sample-data` into the folders `monday` and `tuesday`, and resolves them.
fn two_folders() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sample = Path::new("sample-data")
        .canonicalize()
        .expect("sample-data is in the repository");
    let base = sample.to_string_lossy();
    for (number, out) in [("00000", "monday"), ("00001", "tuesday")] {
        let list = ["robotstxt", "warc"]
            .map(|subset| format!("{SEGMENT}/{subset}/{ARCHIVE}-{number}.warc.gz\n"));
        fs::write(folder.path().join("list"), list.concat()).expect("a list");
        done(
            folder.path(),
            &[
                "scan",
                "-q",
                "--paths-from",
                "list",
                "--base",
                &base,
                "-o",
                out,
            ],
        );
    }
    done(
        folder.path(),
        &["resolve", "-q", "monday", "tuesday", "-o", "both"],
    );
    folder
}

fn judge(folder: &Path, flags: &[&str]) -> Ran {
    fs::write(folder.join("urls.txt"), "https://open.example/\n").expect("a list");
    crawlprefs_in(
        folder,
        &[&["judge", "-q", "--tables", "both", "urls.txt"], flags].concat(),
    )
}

#[test]
fn local_every_folder_of_evidence_that_is_named_has_evidence() {
    let folder = two_folders();
    let before = files(&folder.path().join("both"));
    let rename =
        |from: &str, to: &str| fs::rename(folder.path().join(from), folder.path().join(to));
    rename("tuesday", "unmounted").expect("renamed");
    for is_mount_point in [false, true] {
        if is_mount_point {
            fs::create_dir(folder.path().join("tuesday")).expect("a mount point");
        }
        for out in ["both", "new"] {
            let ran = crawlprefs_in(folder.path(), &["resolve", "monday", "tuesday", "-o", out]);
            refused(&ran, &format!("tuesday: {NOT_THERE}"));
        }
        refused(&judge(folder.path(), &[]), &format!("tuesday: {NOT_THERE}"));
        refused(
            &judge(
                folder.path(),
                &["--evidence", "monday", "--evidence", "tuesday"],
            ),
            NOT_THERE,
        );
        let explain = [
            "explain",
            "--tables",
            "both",
            "--url",
            "https://open.example/",
        ];
        refused(&crawlprefs_in(folder.path(), &explain), NOT_THERE);
        let extract = [&["extract"], &explain[1..], &["-o", "few.warc.gz"]].concat();
        refused(&crawlprefs_in(folder.path(), &extract), NOT_THERE);
    }
    assert!(!folder.path().join("new").exists());
    assert!(files(&folder.path().join("both")) == before);
}

#[test]
fn local_tables_are_not_made_again_of_fewer_archives_than_they_name() {
    let folder = two_folders();
    let before = files(&folder.path().join("both"));
    for flags in [&[][..], &["--overwrite"]] {
        let ran = crawlprefs_in(
            folder.path(),
            &[&["resolve", "monday", "-o", "both"], flags].concat(),
        );
        refused(
            &ran,
            "00001.warc.gz); name every folder of evidence, or resolve with --drop-missing",
        );
        assert!(files(&folder.path().join("both")) == before);
    }
    refused(
        &judge(folder.path(), &["--evidence", "monday"]),
        "without evidence now",
    );
    done(
        folder.path(),
        &["resolve", "-q", "monday", "-o", "both", "--drop-missing"],
    );
    done(folder.path(), &["resolve", "-q", "monday", "-o", "one"]);
    assert!(files(&folder.path().join("both")) == files(&folder.path().join("one")));
}

#[test]
fn local_a_subset_that_is_gone_is_dropped_only_when_asked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sample = Path::new("sample-data")
        .canonicalize()
        .expect("sample-data is in the repository");
    for subset in ["robotstxt", "warc"] {
        let archives = sample.join(SEGMENT).join(subset);
        done(
            folder.path(),
            &["scan", "-q", &archives.to_string_lossy(), "-o", subset],
        );
    }
    done(
        folder.path(),
        &["resolve", "-q", "robotstxt", "warc", "-o", "both"],
    );
    let ran = crawlprefs_in(folder.path(), &["resolve", "robotstxt", "-o", "both"]);
    refused(
        &ran,
        "warc-0000.json: made from archives without evidence now (2, such as ",
    );
    done(
        folder.path(),
        &["resolve", "-q", "robotstxt", "-o", "both", "--drop-missing"],
    );
    done(folder.path(), &["resolve", "-q", "robotstxt", "-o", "one"]);
    assert!(files(&folder.path().join("both")) == files(&folder.path().join("one")));
}

#[test]
fn local_evidence_is_found_from_another_folder_and_after_a_move() {
    let folder = two_folders();
    let tables = folder.path().join("both").to_string_lossy().into_owned();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let urls = elsewhere.path().join("urls.txt");
    fs::write(&urls, "https://open.example/\n").expect("a list");
    done(
        elsewhere.path(),
        &["judge", "-q", "--tables", &tables, "urls.txt"],
    );
    done(
        elsewhere.path(),
        &[
            "explain",
            "--tables",
            &tables,
            "--url",
            "https://open.example/",
        ],
    );
    for name in ["monday", "tuesday", "both"] {
        fs::rename(folder.path().join(name), elsewhere.path().join(name)).expect("renamed");
    }
    assert_eq!(judge(elsewhere.path(), &[]).status, 0);
    refused(
        &crawlprefs_in(
            folder.path(),
            &[
                "judge",
                "--tables",
                &elsewhere.path().join("both").to_string_lossy(),
                &urls.to_string_lossy(),
            ],
        ),
        NOT_THERE,
    );
}

#[test]
fn local_whoever_reads_tables_refuses_them_where_a_part_is_gone() {
    let folder = two_folders();
    let both = folder.path().join("both");
    let before = files(&both);
    let is_gone = |name: &&String| name.starts_with("_resolved/") || name.ends_with(".parquet");
    // In a short run some batches of each table.
    for name in before.keys().filter(is_gone).step_by(rounds(3, 1)) {
        fs::remove_file(both.join(name)).expect("removed");
        let message = "its tables are not complete (";
        refused(&judge(folder.path(), &[]), message);
        let explain = [
            "explain",
            "--tables",
            "both",
            "--url",
            "https://open.example/",
        ];
        refused(&crawlprefs_in(folder.path(), &explain), message);
        done(
            folder.path(),
            &["resolve", "-q", "monday", "tuesday", "-o", "both"],
        );
        assert!(files(&both) == before, "{name}");
    }
    fs::remove_dir_all(both.join("pages")).expect("removed");
    refused(
        &judge(folder.path(), &[]),
        "its tables are not complete (pages/crawl=CC-MAIN-2026-34/part-",
    );
}

#[test]
fn local_a_segment_without_evidence_is_an_error() {
    let folder = two_folders();
    for segment in ["CC-MAIN-2026-34/nosuch", "CC-MAIN-2026-30/1786000000000.1"] {
        let ran = crawlprefs_in(
            folder.path(),
            &[
                "resolve",
                "monday",
                "tuesday",
                "-o",
                "new",
                "--segment",
                segment,
            ],
        );
        refused(
            &ran,
            &format!("no evidence of {segment}; found CC-MAIN-2026-34/1786000000000.1"),
        );
    }
    assert!(!folder.path().join("new").exists());
}
