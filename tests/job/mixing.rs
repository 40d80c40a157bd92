//! What is resolved into one output is of one evidence and one viewpoint, and nothing of it is stale.

use crate::files::files;
use crate::fixture::{archive, captures, options, run};
use crate::resolved::{page, pages, records, resolve, robots, rows, scanned, try_resolve, view};
use crawlprefs::archive::{CrawlId, Input};
use crawlprefs::error::Error;
use crawlprefs::job::{Silent, scan as scan_archives};
use crawlprefs::runs::Scope;
use crawlprefs::store::FolderStore;
use std::fs;

const CLOSED: &str = "User-agent: *\nDisallow: /\nContent-Usage: bots=n\n";

fn common_crawl(subset: &str, list: &[String]) -> Input {
    let name = format!(
        "crawl-data/CC-MAIN-2026-34/segments/17.1/{subset}/CC-MAIN-20260810060000-20260810090000-00000.warc.gz"
    );
    records(&name, list)
}

/// Which captures of robots.txt count belongs to the viewpoint: verdicts depend on it.
#[test]
fn local_another_scope_is_another_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let site = common_crawl("robotstxt", &[robots("a.example", "06:00:00", CLOSED)]);
    run(
        vec![
            site,
            common_crawl("warc", &[page("https://a.example/", "07:00:00")]),
        ],
        folder.path(),
        1,
    );
    resolve(folder.path(), folder.path(), &view());
    let before = rows(folder.path(), "statements").len();
    let mut other = view();
    other.tables.scope = Scope::Segment;
    let refused = try_resolve(folder.path(), folder.path(), &other);
    let after = rows(folder.path(), "statements").len();
    assert_eq!(after, before, "statements are there twice");
    assert!(
        matches!(refused, Err(Error::OutputOfAnotherRun { .. })),
        "{refused:?}"
    );
}

/// A group without segments has its site files' part in its first crawl, which a new one may become.
#[test]
fn local_a_crawl_that_comes_to_stand_first_leaves_no_statement_twice() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scan = |crawl: &str, name: &str, host: &str| {
        let site = records(name, &[robots(host, "06:00:00", CLOSED)]);
        let mut options = options(vec![site], 1);
        options.crawl = CrawlId::new(crawl);
        scan_archives(
            &options,
            &FolderStore::new(folder.path().to_owned()),
            &Silent,
        )
        .expect("the job can run");
        resolve(folder.path(), folder.path(), &view());
    };
    scan("summer", "summer.warc", "a.example");
    let one_site = rows(folder.path(), "statements").len();
    scan("spring", "spring.warc", "b.example");
    // Both sites have the same body.
    assert_eq!(rows(folder.path(), "statements").len(), one_site);
}

/// Evidence elsewhere was replaced, and has fewer batches now.
#[test]
fn local_a_batch_that_is_no_longer_in_the_evidence_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (evidence, out) = (folder.path().join("evidence"), folder.path().join("out"));
    let site = |name: &str| archive(&format!("{name}.warc"), captures(name, 5));
    run(vec![site("a"), site("b")], &evidence, 1);
    resolve(&evidence, &out, &view());
    fs::remove_dir_all(&evidence).expect("removed");
    run(vec![site("a")], &evidence, 1);
    let refused = try_resolve(&evidence, &out, &view());
    assert!(
        matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })),
        "{refused:?}"
    );
}

/// Two evidences have nothing to do with each other, and their pages do not belong into one table.
#[test]
fn local_other_evidence_does_not_join_an_output() {
    let one = scanned(&[page("https://one.example/", "07:00:00")]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (two, out) = (folder.path().join("two"), folder.path().join("out"));
    run(
        vec![records(
            "two.warc",
            &[page("https://two.example/", "07:00:00")],
        )],
        &two,
        1,
    );
    resolve(one.path(), &out, &view());
    let refused = try_resolve(&two, &out, &view());
    assert!(
        matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })),
        "{refused:?}"
    );
    let urls: Vec<String> = pages(&out).into_keys().collect();
    assert_eq!(urls, ["https://one.example/"]);
}

/// The evidence was replaced by one with the same names, counts and sizes: what differs are its bytes.
#[test]
fn local_evidence_of_the_same_sizes_is_still_other_evidence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (evidence, out) = (folder.path().join("evidence"), folder.path().join("out"));
    let scan = |rule: &str| {
        let body = format!(
            "User-agent: *\n{rule}: /page\n# {}\n",
            "x".repeat(8 - rule.len())
        );
        let site = robots("a.example", "06:00:00", &body);
        fs::remove_dir_all(&evidence).unwrap_or_default();
        run(
            vec![records(
                "a.warc",
                &[site, page("https://a.example/page", "07:00:00")],
            )],
            &evidence,
            1,
        );
        let manifests = files(&evidence)
            .into_iter()
            .filter(|(name, _)| name.starts_with("_manifest"));
        manifests.collect::<Vec<_>>()
    };
    let closed = scan("Disallow");
    resolve(&evidence, &out, &view());
    let open = scan("Allow");
    assert_ne!(closed, open, "the manifests are the same");
    resolve(&evidence, &out, &view());
    assert_eq!(
        pages(&out)["https://a.example/page"].verdict(),
        ("parsed", "allow")
    );
}
