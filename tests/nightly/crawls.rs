//! Tables of several crawls in one folder: nothing is removed that cannot be made again, unless the user says so.

use crate::command::{crawlprefs_in, done, refused};
use crate::files::files;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SEGMENT: &str = "sample-data/crawl-data/CC-MAIN-2026-34/segments/1786000000000.1";
const EARLIER: &str = "CC-MAIN-2026-30";

/// Scans a segment into the folder `new`, and the same one as that of an earlier crawl into `old`; `both` has tables of both.
fn two_crawls() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let segment = Path::new(SEGMENT)
        .canonicalize()
        .expect("sample-data is in the repository");
    let segment = segment.to_string_lossy();
    done(folder.path(), &["scan", "-q", &segment, "-o", "new"]);
    done(
        folder.path(),
        &["scan", "-q", &segment, "-o", "old", "--crawl", EARLIER],
    );
    done(
        folder.path(),
        &["resolve", "-q", "new", "old", "-o", "both"],
    );
    folder
}

/// Returns how many files below a folder are of a crawl.
fn files_of(folder: &Path, crawl: &str) -> usize {
    files(folder)
        .keys()
        .filter(|name| name.contains(&format!("/crawl={crawl}/")))
        .count()
}

#[test]
fn local_overwrite_removes_no_tables_that_cannot_be_made_again() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    let before = files(&both);
    for flags in [
        &["--overwrite"][..],
        &["--overwrite", "--agent", "GPTBot"],
        &["--overwrite", "--dry-run"],
    ] {
        let ran = crawlprefs_in(
            folder.path(),
            &[&["resolve", "new", "-o", "both"], flags].concat(),
        );
        refused(
            &ran,
            "both: --overwrite would remove the tables of CC-MAIN-2026-30, whose evidence is not in the folders given",
        );
        refused(
            &ran,
            "run `crawlprefs resolve new old -o both --overwrite`, or add --drop-missing",
        );
        assert!(files(&both) == before, "{flags:?}");
    }
    // A manifest that cannot be read, and tables without one.
    let of_earlier = |name: &&String| name.starts_with("_resolved/") && name.contains(EARLIER);
    for name in before.keys().filter(of_earlier) {
        fs::write(both.join(name), "{").expect("written");
    }
    let overwrite = ["resolve", "new", "-o", "both", "--overwrite"];
    refused(
        &crawlprefs_in(folder.path(), &overwrite),
        "would remove the tables of CC-MAIN-2026-30",
    );
    for name in before.keys().filter(of_earlier) {
        fs::remove_file(both.join(name)).expect("removed");
    }
    refused(
        &crawlprefs_in(folder.path(), &overwrite),
        "would remove the tables of CC-MAIN-2026-30",
    );
    done(
        folder.path(),
        &["resolve", "-q", "new", "old", "-o", "both", "--overwrite"],
    );
    assert!(files(&both) == before);
}

#[test]
fn local_a_dry_run_says_what_overwrite_removes() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    let before = files(&both);
    let drop = [
        "resolve",
        "-q",
        "new",
        "-o",
        "both",
        "--overwrite",
        "--drop-missing",
    ];
    let ran = done(folder.path(), &[&drop[..], &["--dry-run"]].concat());
    let made = "crawl=CC-MAIN-2026-34 1786000000000.1-warc-0000: to make from 2 archives (new)";
    let removed = "crawl=CC-MAIN-2026-30 1786000000000.1-warc-0000: to remove, without evidence";
    assert!(
        ran.out.contains(made) && ran.out.contains(removed),
        "{}",
        ran.out
    );
    assert!(files(&both) == before);
    done(folder.path(), &drop);
    done(folder.path(), &["resolve", "-q", "new", "-o", "one"]);
    assert!(files(&both) == files(&folder.path().join("one")));
    assert_eq!(files_of(&both, EARLIER), 0);
}

#[test]
fn local_a_dry_run_of_resolve_says_what_is_done_already() {
    let folder = two_crawls();
    let dry =
        |flags: &[&str]| done(folder.path(), &[&["resolve", "--dry-run"], flags].concat()).out;
    let text = dry(&["new", "old", "-o", "both"]);
    assert_eq!(
        text.lines().filter(|line| line.ends_with(": done")).count(),
        8,
        "{text}"
    );
    let text = dry(&["new", "-o", "both"]);
    assert!(
        text.contains("crawl=CC-MAIN-2026-30 1786000000000.1-warc-0000: to keep, without evidence"),
        "{text}"
    );
    let text = dry(&["new", "-o", "nowhere"]);
    assert_eq!(
        text.lines().filter(|line| line.ends_with("(new)")).count(),
        4,
        "{text}"
    );
    assert!(!folder.path().join("nowhere").exists());
    let captures =
        fs::read_dir(folder.path().join("both/pages/crawl=CC-MAIN-2026-30")).expect("a table");
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
    assert!(
        files(&both) == before,
        "the folder of the other crawl is named as before"
    );
    // Judging by the tables needs it.
    fs::write(folder.path().join("urls.txt"), "https://open.example/\n").expect("a list");
    let judge = ["judge", "-q", "--tables", "both", "urls.txt"];
    done(folder.path(), &judge);
    fs::rename(folder.path().join("old"), folder.path().join("unmounted")).expect("renamed");
    refused(
        &crawlprefs_in(folder.path(), &judge),
        "old: no evidence there",
    );
    // Also where the user names some of the evidence only: the sites of the other crawl would be unknown.
    let some = [&judge[..], &["--evidence", "new"]].concat();
    refused(&crawlprefs_in(folder.path(), &some), "without evidence now");
    // Evidence that has moved is named by its new place alone.
    done(
        folder.path(),
        &["resolve", "-q", "new", "unmounted", "-o", "both"],
    );
    done(folder.path(), &judge);
}

/// Changes what a folder says of how its tables were made, as if an earlier version had made them.
fn of_an_earlier_version(tables: &Path, key: &str) {
    let mark = tables.join("_resolved.json");
    let text = fs::read_to_string(&mark).expect("a mark");
    let earlier = text.replace(&format!("\"{key}\": \""), &format!("\"{key}\": \"earlier "));
    assert!(earlier != text, "{key}");
    fs::write(mark, earlier).expect("written");
}

/// Removes the evidence of the earlier crawl from a folder.
fn remove_evidence(folder: &Path) {
    for table in ["_manifest", "evidence/captures", "evidence/site_files"] {
        fs::remove_dir_all(folder.join(table).join(format!("crawl={EARLIER}"))).expect("evidence");
    }
}

/// Returns the files that are of the tables of a crawl.
fn tables_of(mut files: BTreeMap<String, Vec<u8>>, crawl: &str) -> BTreeMap<String, Vec<u8>> {
    files.retain(|name, _| {
        let is_table = name.ends_with(".parquet")
            && !name.starts_with("evidence/captures/")
            && !name.starts_with("evidence/site_files/");
        is_table && name.contains(&format!("/crawl={crawl}/"))
    });
    files
}

const STAY: &str =
    "the tables of CC-MAIN-2026-30 stay as they were made, as there is no evidence of them now";

#[test]
fn local_by_new_rules_tables_whose_evidence_was_removed_stay_and_the_nights_go_on() {
    for key in ["rules_version", "schema_version", "drafts", "agents_digest"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let segment = Path::new(SEGMENT)
            .canonicalize()
            .expect("sample-data is in the repository");
        let run = ["run", "-q", &segment.to_string_lossy(), "-o", "out"];
        done(folder.path(), &[&run[..], &["--crawl", EARLIER]].concat());
        done(folder.path(), &run);
        // KNOW-2: site files of the later crawl that are not later than pages of the earlier one change its tables.
        done(folder.path(), &["resolve", "-q", "out"]);
        let out = folder.path().join("out");
        let whole = files(&out);
        let kept = tables_of(files(&out), EARLIER);
        assert!(!kept.is_empty());
        remove_evidence(&out);
        of_an_earlier_version(&out, key);
        for call in [&["resolve", "-q", "out"][..], &run] {
            refused(
                &crawlprefs_in(folder.path(), call),
                "or resolve with --overwrite to resolve again",
            );
        }
        let overwrite = ["resolve", "-q", "out", "--overwrite"];
        let dry = done(folder.path(), &[&overwrite[..], &["--dry-run"]].concat()).out;
        assert!(
            dry.contains("1786000000000.1-warc-0000: to keep, without evidence"),
            "{dry}"
        );
        assert!(
            !dry.contains("crawl=CC-MAIN-2026-30 1786000000000.1-site"),
            "{dry}"
        );
        let ran = done(folder.path(), &overwrite);
        assert!(
            ran.err.contains(STAY) && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
        assert!(tables_of(files(&out), EARLIER) == kept, "{key}");
        // KNOW-2: they were made with the site files of both crawls, and now are as those of the later one alone.
        done(
            folder.path(),
            &["run", "-q", &segment.to_string_lossy(), "-o", "alone"],
        );
        let alone = files(&folder.path().join("alone"));
        assert!(
            tables_of(files(&out), "CC-MAIN-2026-34") == tables_of(alone, "CC-MAIN-2026-34"),
            "{key}"
        );
        // The nights go on.
        for call in [&["resolve", "-q", "out"][..], &run] {
            assert_eq!(done(folder.path(), call).err, "", "{call:?}");
        }
        assert!(tables_of(files(&out), EARLIER) == kept, "{key}");
        // What an earlier version made is not taken for what this one says.
        fs::write(folder.path().join("urls.txt"), "https://open.example/\n").expect("a list");
        let judge = ["judge", "-q", "--tables", "out", "urls.txt"];
        refused(
            &crawlprefs_in(folder.path(), &judge),
            "is of an earlier version, without evidence since",
        );
        // The evidence is there again: its tables are made by the new rules.
        for (name, bytes) in &whole {
            if name.contains(EARLIER)
                && (name.starts_with("_manifest/") || name.starts_with("evidence/"))
            {
                fs::create_dir_all(out.join(name).parent().expect("a folder")).expect("made");
                fs::write(out.join(name), bytes).expect("written");
            }
        }
        refused(
            &crawlprefs_in(folder.path(), &judge),
            "is of an earlier version, without evidence since",
        );
        let (name, rows) = kept.first_key_value().expect("a table");
        fs::write(out.join(name), vec![0; rows.len()]).expect("rows of an earlier version");
        done(folder.path(), &["resolve", "-q", "out"]);
        assert!(files(&out) == whole, "{key}");
        done(folder.path(), &judge);
    }
}

#[test]
fn local_tables_whose_evidence_is_somewhere_else_are_not_kept_of_an_earlier_version() {
    let folder = two_crawls();
    let both = folder.path().join("both");
    of_an_earlier_version(&both, "rules_version");
    let before = files(&both);
    let overwrite = ["resolve", "-q", "new", "-o", "both", "--overwrite"];
    let refusal = "run `crawlprefs resolve new old -o both --overwrite`, or add --drop-missing";
    refused(&crawlprefs_in(folder.path(), &overwrite), refusal);
    // Its folder was removed; another viewpoint is no other version, and would be mixed with this one.
    fs::remove_dir_all(folder.path().join("old")).expect("removed");
    let other = [&overwrite[..], &["--agent", "GPTBot"]].concat();
    refused(
        &crawlprefs_in(folder.path(), &other),
        "would remove the tables of CC-MAIN-2026-30",
    );
    assert!(files(&both) == before);
    let ran = done(folder.path(), &overwrite);
    assert!(ran.err.contains(STAY), "{}", ran.err);
    done(folder.path(), &["resolve", "-q", "new", "-o", "both"]);
    done(
        folder.path(),
        &[&overwrite[..], &["--drop-missing"]].concat(),
    );
    assert_eq!(files_of(&both, EARLIER), 0);
}
