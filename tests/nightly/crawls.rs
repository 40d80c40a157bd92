//! Tables of several crawls in one folder: nothing is removed that cannot be made again, unless the user says so.

use crate::command::{crawlprefs_in, done, refused};
use crate::files::files;
use std::fs;
use std::path::Path;

const SEGMENT: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
const EARLIER: &str = "CC-MAIN-2026-30";

/// Scans a segment into the folder `new`, and the same one as that of an earlier crawl into `old`; `both` has tables of both.
fn two_crawls() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let segment = Path::new(SEGMENT).canonicalize().expect("sample-data is in the repository");
    let segment = segment.to_string_lossy();
    done(folder.path(), &["scan", "-q", &segment, "-o", "new"]);
    done(folder.path(), &["scan", "-q", &segment, "-o", "old", "--crawl", EARLIER]);
    done(folder.path(), &["resolve", "-q", "new", "old", "-o", "both"]);
    folder
}

/// Returns how many files below a folder are of a crawl.
fn files_of(folder: &Path, crawl: &str) -> usize {
    files(folder).keys().filter(|name| name.contains(&format!("/crawl={crawl}/"))).count()
}

#[test]
fn local_overwrite_removes_no_tables_that_cannot_be_made_again() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    let before = files(&both);
    for flags in [&["--overwrite"][..], &["--overwrite", "--agent", "GPTBot"], &["--overwrite", "--dry-run"]]
    {
        let ran = crawlprefs_in(folder.path(), &[&["resolve", "new", "-o", "both"], flags].concat());
        refused(
            &ran,
            "both: --overwrite would remove the tables of CC-MAIN-2026-30, of which there is no evidence",
        );
        refused(&ran, "run `crawlprefs resolve new old -o both --overwrite`, or add --drop-missing");
        assert!(files(&both) == before, "{flags:?}");
    }
    // A manifest that cannot be read, and tables without one.
    let of_earlier = |name: &&String| name.starts_with("_resolved/") && name.contains(EARLIER);
    for name in before.keys().filter(of_earlier) {
        fs::write(both.join(name), "{").expect("written");
    }
    let overwrite = ["resolve", "new", "-o", "both", "--overwrite"];
    refused(&crawlprefs_in(folder.path(), &overwrite), "would remove the tables of CC-MAIN-2026-30");
    for name in before.keys().filter(of_earlier) {
        fs::remove_file(both.join(name)).expect("removed");
    }
    refused(&crawlprefs_in(folder.path(), &overwrite), "would remove the tables of CC-MAIN-2026-30");
    done(folder.path(), &["resolve", "-q", "new", "old", "-o", "both", "--overwrite"]);
    assert!(files(&both) == before);
}

#[test]
fn local_a_dry_run_says_what_overwrite_removes() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    let before = files(&both);
    let drop = ["resolve", "-q", "new", "-o", "both", "--overwrite", "--drop-missing"];
    let ran = done(folder.path(), &[&drop[..], &["--dry-run"]].concat());
    let made = "crawl=CC-MAIN-2026-34 1786000000000.1-warc-0000: to make from 2 archives (new)";
    let removed = "crawl=CC-MAIN-2026-30 1786000000000.1-warc-0000: to remove, without evidence";
    assert!(ran.out.contains(made) && ran.out.contains(removed), "{}", ran.out);
    assert!(files(&both) == before);
    done(folder.path(), &drop);
    done(folder.path(), &["resolve", "-q", "new", "-o", "one"]);
    assert!(files(&both) == files(&folder.path().join("one")));
    assert_eq!(files_of(&both, EARLIER), 0);
}

#[test]
fn local_a_dry_run_of_resolve_says_what_is_done_already() {
    let folder = two_crawls();
    let dry = |flags: &[&str]| done(folder.path(), &[&["resolve", "--dry-run"], flags].concat()).out;
    let text = dry(&["new", "old", "-o", "both"]);
    assert_eq!(text.lines().filter(|line| line.ends_with(": done")).count(), 8, "{text}");
    let text = dry(&["new", "-o", "both"]);
    assert!(
        text.contains("crawl=CC-MAIN-2026-30 1786000000000.1-warc-0000: to keep, without evidence"),
        "{text}"
    );
    let text = dry(&["new", "-o", "nowhere"]);
    assert_eq!(text.lines().filter(|line| line.ends_with("(new)")).count(), 4, "{text}");
    assert!(!folder.path().join("nowhere").exists());
    let captures = fs::read_dir(folder.path().join("both/pages/crawl=CC-MAIN-2026-30")).expect("a table");
    let part = captures
        .map(|entry| entry.expect("a part").path())
        .find(|path| path.to_string_lossy().contains("warc"));
    fs::remove_file(part.expect("a part")).expect("removed");
    let text = dry(&["new", "old", "-o", "both"]);
    let gone = "1786000000000.1-warc-0000: to make from 2 archives (pages/crawl=CC-MAIN-2026-30/part-1786000000000.1-warc-0000.parquet is missing)";
    assert!(text.contains(gone), "{text}");
}

#[test]
fn local_tables_of_a_crawl_that_is_not_given_stay_with_their_folder() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    let before = files(&both);
    done(folder.path(), &["resolve", "-q", "new", "-o", "both"]);
    assert!(files(&both) == before, "the folder of the other crawl is named as before");
    // Whoever judges by the tables needs it.
    fs::write(folder.path().join("urls.txt"), "https://open.example/\n").expect("a list");
    let judge = ["judge", "-q", "--tables", "both", "urls.txt"];
    done(folder.path(), &judge);
    fs::rename(folder.path().join("old"), folder.path().join("unmounted")).expect("renamed");
    refused(&crawlprefs_in(folder.path(), &judge), "old: no evidence there");
    // Also where the user names some of the evidence only: the sites of the other crawl would be unknown.
    let some = [&judge[..], &["--evidence", "new"]].concat();
    refused(&crawlprefs_in(folder.path(), &some), "of which there is no evidence now");
    // Evidence that has moved is named by its new place alone.
    done(folder.path(), &["resolve", "-q", "new", "unmounted", "-o", "both"]);
    done(folder.path(), &judge);
}
