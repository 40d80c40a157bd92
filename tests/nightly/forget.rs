//! `forget`: a crawl is removed from a folder, what is left is valid, and an interrupted call is continued.

use crate::command::{crawlprefs_in, done, refused};
use crate::files::files;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SEGMENT: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
const NEW: &str = "CC-MAIN-2026-34";
const OLD: &str = "CC-MAIN-2026-30";

fn absolute(path: &str) -> String {
    Path::new(path).canonicalize().expect("sample-data is in the repository").to_string_lossy().into_owned()
}

/// Runs one segment as that of two crawls into the folder `out`; `one` has the newer one alone.
fn two_crawls() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let segment = absolute(SEGMENT);
    for out in ["out", "one"] {
        done(folder.path(), &["run", "-q", &segment, "-o", out]);
    }
    done(folder.path(), &["run", "-q", &segment, "-o", "out", "--crawl", OLD]);
    folder
}

fn of_crawl(folder: &Path, crawl: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| name.contains(&format!("/crawl={crawl}/")));
    files
}

#[test]
fn local_a_crawl_that_is_forgotten_leaves_the_other_as_if_it_was_never_there() {
    let folder = two_crawls();
    let out = folder.path().join("out");
    fs::write(out.join("pages/notes.txt"), "mine").expect("written");
    let forget = ["forget", "out", "--crawl", OLD];
    let before = files(&out);
    let listed = done(folder.path(), &[&forget[..], &["--dry-run"]].concat()).out;
    assert_eq!(listed.lines().count(), of_crawl(&out, OLD).len(), "{listed}");
    assert!(files(&out) == before);
    let ran = done(folder.path(), &forget);
    assert!(
        ran.out.starts_with("out: removed CC-MAIN-2026-30: 5 archives, 10 files of evidence, "),
        "{}",
        ran.out
    );
    fs::remove_file(out.join("pages/notes.txt")).expect("a file of somebody else stays");
    assert!(files(&out) == files(&folder.path().join("one")));
    done(folder.path(), &["status", "out", "--verify"]);
    let again = crawlprefs_in(folder.path(), &forget);
    refused(&again, "out: has nothing of the crawl CC-MAIN-2026-30; found CC-MAIN-2026-34");
    refused(
        &crawlprefs_in(folder.path(), &["forget", "nowhere", "--crawl", OLD]),
        "nowhere: no evidence there",
    );
}

#[test]
fn local_tables_that_are_kept_stay_beside_those_of_other_crawls() {
    let folder = two_crawls();
    let out = folder.path().join("out");
    let tables = |crawl| {
        let mut tables = of_crawl(&out, crawl);
        let is_table = |name: &String| name.contains("/part-") && name.ends_with(".parquet");
        tables.retain(|name, _| is_table(name));
        tables
    };
    let (before, newer) = (tables(OLD), of_crawl(&out, NEW));
    done(folder.path(), &["forget", "out", "--crawl", OLD, "--keep-tables"]);
    assert!(!before.is_empty() && tables(OLD) == before && of_crawl(&out, NEW) == newer);
    assert!(of_crawl(&out, OLD).keys().all(|name| !name.starts_with("_manifest/")));
    // Runs of other crawls go on, and nothing is left to do.
    let ran = done(folder.path(), &["status", "out", "--verify"]);
    assert!(ran.out.contains("batches of tables: 4 done, 3 kept"), "{}", ran.out);
    done(folder.path(), &["run", "-q", &absolute(SEGMENT), "-o", "out", "--crawl", "CC-MAIN-2026-38"]);
    done(folder.path(), &["resolve", "-q", "out"]);
    assert!(tables(OLD) == before && of_crawl(&out, NEW) == newer);
    let overwrite = ["resolve", "-q", "out", "--overwrite", "--agent", "GPTBot"];
    refused(&crawlprefs_in(folder.path(), &overwrite), "would remove the tables of CC-MAIN-2026-30");
}

#[test]
fn local_a_forget_that_was_ended_is_continued_before_anything_else() {
    let folder = two_crawls();
    let out = folder.path().join("out");
    let whole = files(&out);
    let forget = ["forget", "out", "--crawl", OLD];
    let listed = done(folder.path(), &[&forget[..], &["--dry-run"]].concat()).out;
    let order: Vec<&str> = listed.lines().collect();
    fs::write(folder.path().join("urls.txt"), "https://open.example/\n").expect("a list");
    // As after a kill: the mark is there, and the first files are gone.
    for removed in [0, 1, 2, 4, 9, 15, order.len()] {
        for (name, bytes) in &whole {
            fs::write(out.join(name), bytes).expect("as before");
        }
        let mark = format!("{{\"crawl\": \"{OLD}\", \"tables\": \"removed\"}}\n");
        fs::write(out.join("_forget.json"), mark).expect("written");
        for name in order.iter().take(removed) {
            fs::remove_file(out.join(name)).expect("removed");
        }
        refuse_all(folder.path());
        done(folder.path(), &forget);
        assert!(files(&out) == files(&folder.path().join("one")), "{removed}");
    }
}

/// Holds that nothing goes on in `out` but the same call.
fn refuse_all(folder: &Path) {
    let next = "crawlprefs forget out --crawl CC-MAIN-2026-30";
    for args in [
        &["resolve", "out"][..],
        &["judge", "--tables", "out", "urls.txt"],
        &["forget", "out", "--crawl", NEW],
        &["forget", "out", "--crawl", OLD, "--keep-tables"],
    ] {
        refused(&crawlprefs_in(folder, args), next);
    }
    let ran = crawlprefs_in(folder, &["status", "out"]);
    assert!(ran.status == 3 && ran.out.contains(next), "{}", ran.out);
}

#[test]
fn local_archives_without_a_segment_are_forgotten_with_their_tables_and_others_made_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let local = absolute("sample-data/local");
    for (out, crawl) in [("out", "old"), ("out", "new"), ("one", "new")] {
        done(folder.path(), &["run", "-q", &local, "-o", out, "--crawl", crawl]);
    }
    let keep = crawlprefs_in(folder.path(), &["forget", "out", "--crawl", "old", "--keep-tables"]);
    refused(&keep, "tables of old cannot be kept without their evidence");
    let ran = done(folder.path(), &["forget", "out", "--crawl", "old"]);
    assert!(ran.out.contains("Next: crawlprefs resolve out"), "{}", ran.out);
    done(folder.path(), &["resolve", "-q", "out"]);
    assert!(files(&folder.path().join("out")) == files(&folder.path().join("one")));
    done(folder.path(), &["forget", "out", "--crawl", "new"]);
    let left: Vec<String> = files(&folder.path().join("out")).into_keys().collect();
    assert_eq!(left, ["_crawlprefs.json", "_resolved.json"]);
}
