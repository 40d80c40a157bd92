//! One archive under two names counts once, and both names are said; archives that differ count each.

use crate::fixture::run;
use crate::resolved::{page, records, resolve, robots, rows, view};
use crawlprefs::job::{Status, StatusOptions, status};
use crawlprefs::runs::Comparison;
use crawlprefs::store::FolderStore;
use std::path::Path;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

fn list() -> Vec<String> {
    vec![
        robots("a.example", "06:00:00", CLOSED),
        page("https://a.example/", "07:00:00"),
        page("https://a.example/b", "07:00:00"),
    ]
}

/// Scans an archive of some records under a name, and makes the tables.
fn add(name: &str, list: &[String], out: &Path) -> Vec<(String, String)> {
    run(vec![records(name, list)], out, 1);
    let tally = resolve(out, out, &view());
    tally
        .duplicates
        .into_iter()
        .map(|duplicate| (duplicate.archive, duplicate.same_as))
        .collect()
}

fn status_of(out: &Path) -> Status {
    let store = FolderStore::new(out.to_owned());
    let options = StatusOptions {
        tables: &store,
        evidence: vec![&store],
        list: None,
        comparison: Comparison::Lengths,
    };
    status(&options).expect("a status")
}

#[test]
fn local_an_archive_under_two_names_counts_once_and_is_named() {
    let once = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(add("a.warc", &list(), once.path()), []);
    let twice = tempfile::tempdir().expect("a temporary folder");
    // In this order the name that counts comes later.
    add("site/a.warc", &list(), twice.path());
    let names = [("site/a.warc".to_owned(), "a.warc".to_owned())];
    assert_eq!(add("a.warc", &list(), twice.path()), names);
    for table in ["pages", "sites", "robots", "statements"] {
        assert_eq!(
            rows(twice.path(), table).len(),
            rows(once.path(), table).len(),
            "{table}"
        );
    }
    assert!(
        rows(twice.path(), "pages")
            .iter()
            .all(|row| row.text("warc_filename") == Some("a.warc"))
    );
    assert_eq!(rows(twice.path(), "evidence/archives").len(), 2);
    let found = status_of(twice.path());
    let named = found
        .duplicates
        .iter()
        .map(|it| (it.archive.clone(), it.same_as.clone()));
    assert_eq!(
        (named.collect::<Vec<_>>(), found.complete),
        (names.to_vec(), true)
    );
    // A call that has nothing to do says it, too.
    assert_eq!(
        resolve(twice.path(), twice.path(), &view())
            .duplicates
            .len(),
        1
    );
}

#[test]
fn local_archives_of_the_same_ends_with_other_captures_count_each() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let long: Vec<String> = (0..1500)
        .map(|number| page(&format!("https://a.example/{number}"), "07:00:00"))
        .collect();
    let mut other = long.clone();
    other[700] = page("https://b.example/700", "07:00:00");
    let bytes = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    assert_eq!(bytes(&long), bytes(&other));
    assert!(
        bytes(&long) > 3 * 64 * 1024,
        "the middle is in no fingerprint"
    );
    add("one.warc", &long, folder.path());
    assert_eq!(add("two.warc", &other, folder.path()), []);
    assert_eq!(rows(folder.path(), "pages").len(), 3000);
    assert!(status_of(folder.path()).duplicates.is_empty());
}
