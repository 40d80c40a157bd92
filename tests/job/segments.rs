//! A resolve of one segment makes the tables of that segment by the site files of all, and refuses what a resolve of all refuses.
//! KNOW-2: what a site said counts wherever it was stored.

use crate::counted::CountedStore;
use crate::files::files;
use crate::fixture::run;
use crate::resolved::{Fields, page, records, resolve, response, robots, rows, try_resolve, view};
use crawlprefs::archive::Input;
use crawlprefs::error::Error;
use crawlprefs::job::{self, ResolveOptions, Silent};
use crawlprefs::runs::Scope;
use crawlprefs::store::FolderStore;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const CRAWL: &str = "CC-MAIN-2026-34";

/// Returns an archive of a page and one of its robots.txt, in each of some segments; one has a name of another kind.
fn inputs(segments: &[&str]) -> Vec<Input> {
    let of_segment = |segment: &&str| {
        let folder = format!("crawl-data/{CRAWL}/segments/{segment}");
        let file = "CC-MAIN-20260810060000-20260810090000";
        let host = format!("a{segment}.example");
        let body = "User-agent: *\nDisallow: /\n";
        [
            records(
                &format!("{folder}/warc/{file}-00000.warc.gz"),
                &[page(&format!("https://{host}/"), "07:00:00")],
            ),
            records(
                &format!("{folder}/robotstxt/{file}-00000.warc.gz"),
                &[robots(&host, "06:00:00", "")],
            ),
            records(
                &format!("{folder}/robotstxt/odd.warc"),
                &[robots(&host, "06:30:00", body)],
            ),
        ]
    };
    segments.iter().flat_map(of_segment).collect()
}

fn of_segment(segment: &str) -> ResolveOptions {
    ResolveOptions {
        segments: Some(BTreeSet::from([Some((
            CRAWL.to_owned(),
            segment.to_owned(),
        ))])),
        ..view()
    }
}

/// Returns the files of tables and of their manifests that are of a segment.
fn tables(out: &Path, segment: &str) -> BTreeMap<String, Vec<u8>> {
    let is_of =
        |name: &String| name.contains(&format!("{segment}-")) && !name.starts_with("_manifest");
    files(out)
        .into_iter()
        .filter(|(name, _)| is_of(name) && !name.starts_with("evidence"))
        .collect()
}

#[test]
fn know_2_a_resolve_of_one_segment_reads_the_manifests_of_all_and_makes_the_tables_of_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [one, all] = ["one", "all"].map(|name| folder.path().join(name));
    for out in [&one, &all] {
        run(inputs(&["17.1", "17.2", "17.3"]), out, 2);
    }
    resolve(&all, &all, &view());
    let store = CountedStore::new(&one);
    job::resolve(&[&store], &store, &of_segment("17.2"), &Silent).expect("the job can run");
    let asked = store.asked();
    let manifests: Vec<_> = asked
        .iter()
        .filter(|asked| asked.starts_with("read _manifest/"))
        .collect();
    assert_eq!(manifests.len(), 9, "{asked:?}");
    assert_eq!(
        asked
            .iter()
            .filter(|asked| *asked == "list _manifest")
            .count(),
        1
    );
    assert!(tables(&one, "17.2") == tables(&all, "17.2") && !tables(&one, "17.2").is_empty());
    assert!(tables(&one, "17.1").is_empty());
}

#[test]
fn local_a_resolve_of_one_segment_refuses_what_is_missing_as_before() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path();
    run(inputs(&["17.1", "17.2"]), out, 2);
    resolve(out, out, &view());
    let before = files(out);
    let unknown = try_resolve(out, out, &of_segment("17.9"));
    assert!(
        matches!(&unknown, Err(Error::SegmentUnknown { found, .. }) if found.contains("17.1") && found.contains("17.2"))
    );
    // Of the segment at hand, of either kind of name; and a whole batch of another segment.
    for removed in ["17.2-warc-", "odd-", "17.1-robotstxt-"] {
        let gone: Vec<_> = before
            .keys()
            .filter(|name| name.starts_with("_manifest") && name.contains(removed))
            .collect();
        assert!(!gone.is_empty());
        gone.iter()
            .for_each(|name| fs::remove_file(out.join(name)).expect("it can be removed"));
        let refused = try_resolve(out, out, &of_segment("17.2"));
        assert!(
            matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })),
            "{removed}: {refused:?}"
        );
        gone.iter()
            .for_each(|name| fs::write(out.join(name), &before[*name]).expect("it can be written"));
    }
    assert!(files(out) == before);
}

/// Of a store whose listing has versions, a second call reads what is remembered.
#[test]
fn local_manifests_of_a_store_are_read_once_and_again_where_they_have_changed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path();
    run(inputs(&["17.1", "17.2"]), out, 2);
    let store = CountedStore::with_tags(out);
    let resolved = || {
        job::resolve(&[&store], &store, &view(), &Silent).expect("the job can run");
        let asked = store.asked();
        asked
            .iter()
            .filter(|asked| asked.starts_with("read _manifest/"))
            .count()
    };
    assert_eq!((resolved(), resolved()), (6, 0));
    let before = files(out);
    // What is remembered is removed, cut, or of another time; the tables stay what they are.
    let known =
        || fs::read_dir(out.join("_known/crawl=CC-MAIN-2026-34")).expect("what is remembered");
    let known: Vec<_> = known().map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(known.len(), 3);
    let text = fs::read(&known[0]).expect("it can be read");
    fs::write(&known[0], &text[..text.len() / 2]).expect("it can be written");
    fs::remove_file(&known[1]).expect("it can be removed");
    assert_eq!(resolved(), 4);
    assert!(files(out) == before);
    // A manifest that was written again, with another one's evidence beside it, makes its segment anew.
    let manifest = before
        .keys()
        .find(|name| name.starts_with("_manifest") && name.contains("17.1-warc-"));
    let manifest = out.join(manifest.expect("a manifest"));
    let mut changed = fs::read_to_string(&manifest).expect("it can be read");
    changed = changed.replace("\"lenient_heads\": 0", "\"lenient_heads\": 1");
    fs::write(&manifest, changed).expect("it can be written");
    assert_eq!(resolved(), 1);
    assert!(
        tables(out, "17.1")
            != before
                .clone()
                .into_iter()
                .filter(|(name, _)| name.contains("17.1-"))
                .collect()
    );
    // One that was removed is missed, though it is remembered.
    fs::remove_file(&manifest).expect("it can be removed");
    let refused = job::resolve(&[&store], &store, &view(), &Silent);
    assert!(
        matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })),
        "{refused:?}"
    );
}

/// Returns an archive of a segment, of `warc` or `robotstxt`.
fn of(segment: &str, subset: &str, number: u32, list: &[String]) -> Input {
    let file = format!("CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz");
    records(
        &format!("crawl-data/{CRAWL}/segments/{segment}/{subset}/{file}"),
        list,
    )
}

/// Returns what the page of a segment has in a column.
fn of_page(out: &Path, segment: &str, column: &str) -> String {
    let pages = rows(out, "pages");
    let is_of = |page: &&Fields| {
        page.text("warc_filename")
            .is_some_and(|name| name.contains(segment))
    };
    let is_it = |page: &&Fields| page.text("url") == Some("https://a.example/");
    pages
        .iter()
        .filter(is_it)
        .find(is_of)
        .expect("a page")
        .shown(column)
}

const TDMREP: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;

fn scattered() -> Vec<Input> {
    let json = "Content-Type: application/json\r\n";
    let tdmrep = response(
        "https://a.example/.well-known/tdmrep.json",
        "06:30:00",
        200,
        json,
        TDMREP,
    );
    vec![
        of("17.1", "warc", 0, &[tdmrep]),
        of(
            "17.1",
            "robotstxt",
            0,
            &[robots("a.example", "06:50:00", CLOSED)],
        ),
        of(
            "17.2",
            "robotstxt",
            0,
            &[robots("a.example", "06:10:00", "User-agent: *\nAllow: /\n")],
        ),
        of(
            "17.2",
            "warc",
            0,
            &[
                page("https://a.example/", "07:00:00"),
                page("https://b.example/", "07:00:00"),
            ],
        ),
    ]
}

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

#[test]
fn know_2_site_files_count_wherever_they_are_and_robots_txt_of_the_own_segment_if_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [all, own] = ["all", "own"].map(|name| folder.path().join(name));
    run(scattered(), &all, 2);
    resolve(&all, &all, &view());
    let mut of_segment = view();
    of_segment.tables.scope = Scope::Segment;
    resolve(&all, &own, &of_segment);
    for (out, access) in [(&all, "disallow"), (&own, "allow")] {
        let value = |column| of_page(out, "17.2", column);
        assert_eq!(
            (value("access"), value("tdm")),
            (format!("{access:?}"), "\"disallow\"".to_owned())
        );
    }
    // The rows of `sites` and the labels that they have say the same.
    let labels = |out: &Path| -> BTreeSet<(String, String)> {
        let rows = rows(out, "sites");
        let rows = rows
            .iter()
            .filter(|row| row.text("origin") == Some("https://a.example"));
        rows.map(|row| (row.shown("warc_segment"), row.shown("tdm")))
            .collect()
    };
    let disallow = |segment: &str| (format!("{segment:?}"), "\"disallow\"".to_owned());
    assert_eq!(
        labels(&all),
        BTreeSet::from([disallow("17.1"), disallow("17.2")])
    );
    assert_eq!(labels(&own), labels(&all));
    // Rows of a body are those of the segment that has it.
    let statements = rows(&all, "statements");
    let of_file = statements
        .iter()
        .filter(|row| row.text("carrier") == Some("tdmrep"));
    assert!(
        of_file
            .map(|row| row.shown("warc_segment"))
            .eq(["\"17.1\"".to_owned()])
    );
}

#[test]
fn know_2_the_same_inputs_give_the_same_bytes_in_any_order_of_calls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = folder.path().join("whole");
    run(scattered(), &whole, 2);
    resolve(&whole, &whole, &view());
    let expected = files(&whole);
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let out = folder.path().join(format!("{order:?}"));
        for number in order {
            run(
                scattered().into_iter().skip(number).take(1).collect(),
                &out,
                1,
            );
            resolve(&out, &out, &view());
        }
        let made = files(&out);
        let differ: Vec<_> = expected
            .keys()
            .filter(|name| made.get(*name) != expected.get(*name))
            .collect();
        assert!(
            differ.iter().all(|name| !name.contains('/')) && made.len() == expected.len(),
            "{differ:?}"
        );
        // One segment after the other, and the first once more.
        let out = folder.path().join(format!("segments {order:?}"));
        run(scattered(), &out, 2);
        for segment in ["17.2", "17.1"] {
            resolve(&out, &out, &of_segment(segment));
        }
        assert!(files(&out) == expected);
    }
}

/// A night that adds later archives does not make the parts of the nights before again; an earlier archive does.
#[test]
fn know_2_parts_are_made_again_for_earlier_site_files_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path();
    let night = |segment: &str, day: u32| {
        let at = |time: &str| format!("2026-08-{day:02}T{time}Z");
        vec![
            of(
                segment,
                "robotstxt",
                0,
                &[robots("a.example", &at("06:00:00"), "")],
            ),
            of(
                segment,
                "warc",
                0,
                &[page("https://a.example/", &at("07:00:00"))],
            ),
        ]
    };
    let parts_of = |segment: &str| -> BTreeMap<String, Vec<u8>> {
        let is_of =
            |name: &String| name.contains(&format!("{segment}-")) && name.starts_with("_resolved");
        files(out)
            .into_iter()
            .filter(|(name, _)| is_of(name))
            .collect()
    };
    let resolved = |expected: usize| {
        let plan = job::plan(
            &[&FolderStore::new(out.to_owned())],
            &FolderStore::new(out.to_owned()),
            &view(),
        );
        let plan = plan.expect("a plan");
        let made = plan.iter().filter(|part| !part.step.is_done());
        let whys: Vec<String> = made
            .map(|part| format!("{} {:?}", part.batch, part.step))
            .collect();
        assert_eq!(whys.len(), expected, "{whys:?}");
        resolve(out, out, &view());
        whys
    };
    run(night("17.1", 10), out, 2);
    resolved(3);
    let first = parts_of("17.1");
    run(night("17.2", 12), out, 2);
    // The three parts of the new segment.
    assert!(resolved(3).iter().all(|why| why.contains("New")));
    assert!(parts_of("17.1") == first && parts_of("17.2").len() == 3);
    let of_page = || of_page(out, "17.1", "access");
    assert_eq!(of_page(), "\"allow\"");
    // It is of the morning of the first day, and closes the site.
    run(
        vec![of(
            "17.0",
            "robotstxt",
            0,
            &[robots("a.example", "2026-08-10T06:30:00Z", CLOSED)],
        )],
        out,
        1,
    );
    let whys = resolved(8);
    assert_eq!(
        whys.iter()
            .filter(|why| why.contains("site files that are not later"))
            .count(),
        6,
        "{whys:?}"
    );
    assert_eq!(of_page(), "\"disallow\"");
    assert!(resolved(0).is_empty());
    // Tables of all at once are the same.
    let whole = tempfile::tempdir().expect("a temporary folder");
    resolve(out, whole.path(), &view());
    for table in ["pages", "sites", "_resolved"] {
        assert!(
            files(&whole.path().join(table)) == files(&out.join(table)),
            "{table}"
        );
    }
}
