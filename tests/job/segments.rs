//! A resolve of one segment reads the manifests of that segment, and refuses what a resolve of all refuses.

use crate::counted::CountedStore;
use crate::files::files;
use crate::fixture::run;
use crate::resolved::{page, records, resolve, robots, try_resolve, view};
use crawlprefs::archive::Input;
use crawlprefs::error::Error;
use crawlprefs::job::{self, ResolveOptions, Silent};
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
            records(&format!("{folder}/robotstxt/{file}-00000.warc.gz"), &[robots(&host, "06:00:00", "")]),
            records(&format!("{folder}/robotstxt/odd.warc"), &[robots(&host, "06:30:00", body)]),
        ]
    };
    segments.iter().flat_map(of_segment).collect()
}

fn of_segment(segment: &str) -> ResolveOptions {
    ResolveOptions {
        segments: Some(BTreeSet::from([Some((CRAWL.to_owned(), segment.to_owned()))])),
        ..view()
    }
}

/// Returns the files of tables and of their manifests that are of a segment.
fn tables(out: &Path, segment: &str) -> BTreeMap<String, Vec<u8>> {
    let is_of = |name: &String| name.contains(&format!("{segment}-")) && !name.starts_with("_manifest");
    files(out).into_iter().filter(|(name, _)| is_of(name) && !name.starts_with("evidence")).collect()
}

#[test]
fn local_a_resolve_of_one_segment_reads_no_manifest_of_another_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [one, all] = ["one", "all"].map(|name| folder.path().join(name));
    for out in [&one, &all] {
        run(inputs(&["17.1", "17.2", "17.3"]), out, 2);
    }
    resolve(&all, &all, &view());
    let store = CountedStore::new(&one);
    job::resolve(&[&store], &store, &of_segment("17.2"), &Silent).expect("the job can run");
    let asked = store.asked();
    let manifests: Vec<_> = asked.iter().filter(|asked| asked.starts_with("read _manifest/")).collect();
    // Two of the segment; of three odd names it is not known of which segment they are.
    assert_eq!(manifests.len(), 5, "{asked:?}");
    assert_eq!(asked.iter().filter(|asked| *asked == "list _manifest").count(), 1);
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
        let gone: Vec<_> =
            before.keys().filter(|name| name.starts_with("_manifest") && name.contains(removed)).collect();
        assert!(!gone.is_empty());
        gone.iter().for_each(|name| fs::remove_file(out.join(name)).expect("it can be removed"));
        let refused = try_resolve(out, out, &of_segment("17.2"));
        assert!(matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })), "{removed}: {refused:?}");
        gone.iter().for_each(|name| fs::write(out.join(name), &before[*name]).expect("it can be written"));
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
        asked.iter().filter(|asked| asked.starts_with("read _manifest/")).count()
    };
    assert_eq!((resolved(), resolved()), (6, 0));
    let before = files(out);
    // What is remembered is removed, cut, or of another time; the tables stay what they are.
    let known = || fs::read_dir(out.join("_known/crawl=CC-MAIN-2026-34")).expect("what is remembered");
    let known: Vec<_> = known().map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(known.len(), 3);
    let text = fs::read(&known[0]).expect("it can be read");
    fs::write(&known[0], &text[..text.len() / 2]).expect("it can be written");
    fs::remove_file(&known[1]).expect("it can be removed");
    assert_eq!(resolved(), 4);
    assert!(files(out) == before);
    // A manifest that was written again, with another one's evidence beside it, makes its segment anew.
    let manifest = before.keys().find(|name| name.starts_with("_manifest") && name.contains("17.1-warc-"));
    let manifest = out.join(manifest.expect("a manifest"));
    let mut changed = fs::read_to_string(&manifest).expect("it can be read");
    changed = changed.replace("\"lenient_heads\": 0", "\"lenient_heads\": 1");
    fs::write(&manifest, changed).expect("it can be written");
    assert_eq!(resolved(), 1);
    assert!(
        tables(out, "17.1")
            != before.clone().into_iter().filter(|(name, _)| name.contains("17.1-")).collect()
    );
    // One that was removed is missed, though it is remembered.
    fs::remove_file(&manifest).expect("it can be removed");
    let refused = job::resolve(&[&store], &store, &view(), &Silent);
    assert!(matches!(refused, Err(Error::ArchivesMissing { archives: 1, .. })), "{refused:?}");
}
