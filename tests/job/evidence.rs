//! Evidence is never lost: archives come one at a time, are deleted, cut, replaced, and the runs are killed.

use crate::files::files;
use crate::fixture::{archive, captures, input, options, run};
use crate::resolved::{page, pages, records, resolve, robots, try_resolve, view};
use crate::rounds::rounds;
use crawlprefs::archive::{ArchiveName, FileSource, Input};
use crawlprefs::error::Error;
use crawlprefs::evidence::Depth;
use crawlprefs::job::{self, Changed, ScanOptions, Silent, Summary};
use crawlprefs::runs::Comparison;
use crawlprefs::store::{FolderStore, Store};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const NAME: &str = "crawl-data/CC-MAIN-2026-34/segments/17.1";

fn common_crawl(subset: &str, number: usize) -> String {
    format!("{NAME}/{subset}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc")
}

/// Returns pages and the robots.txt captures that decide about them, in archives of one segment.
fn segment() -> Vec<(String, Vec<u8>)> {
    let sites = (0..3).map(|number| {
        (
            common_crawl("robotstxt", number),
            captures(&format!("s{number}"), 40),
        )
    });
    let pages = (0..4).map(|number| {
        (
            common_crawl("warc", number),
            captures(&format!("s{}", number % 3), 300),
        )
    });
    sites.chain(pages).collect()
}

fn scan(options: &ScanOptions, out: &Path) -> Summary {
    job::scan(options, &FolderStore::new(out.to_owned()), &Silent).expect("the job can run")
}

/// Returns the input that is the file `name` below `folder`.
fn file(folder: &Path, name: &str) -> Input {
    input(name, Arc::new(FileSource::new(folder.join(name))))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    fs::write(path, bytes).expect("it can be written");
}

/// What one run over all of it writes.
static WHOLE: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = segment()
        .into_iter()
        .map(|(name, bytes)| archive(&name, bytes))
        .collect();
    let scan = options(inputs, 2);
    let store = FolderStore::new(folder.path().to_owned());
    job::run(&scan, &view(), &store, &Silent).expect("the job can run");
    files(folder.path())
});

#[test]
fn local_archives_scanned_one_at_a_time_and_deleted_are_as_one_run_over_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, inbox) = (folder.path().join("out"), folder.path().join("inbox"));
    for (name, bytes) in segment().into_iter().rev() {
        write(&inbox, &name, &bytes);
        assert!(
            scan(&options(vec![file(&inbox, &name)], 1), &out)
                .failed_inputs
                .is_empty()
        );
        fs::remove_dir_all(&inbox).expect("it can be removed");
    }
    // With the whole list, and all of it gone.
    let all = segment()
        .iter()
        .map(|(name, _)| file(&inbox, name))
        .collect();
    let again = scan(&options(all, 2), &out);
    assert_eq!(
        (again.inputs_of_earlier_calls, again.failed_inputs.len()),
        (7, 0)
    );
    resolve(&out, &out, &view());
    assert!(files(&out) == *WHOLE);
}

#[test]
fn local_robots_archives_that_come_after_the_pages_give_the_same_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let (sites, pages): (Vec<_>, Vec<_>) = segment()
        .into_iter()
        .partition(|(name, _)| name.contains("robotstxt"));
    for part in [pages, sites] {
        run(
            part.into_iter()
                .map(|(name, bytes)| archive(&name, bytes))
                .collect(),
            &out,
            2,
        );
        resolve(&out, &out, &view());
    }
    assert!(files(&out) == *WHOLE);
}

#[test]
fn local_a_deeper_scan_replaces_a_shallower_one_and_not_the_other_way_round() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, inbox) = (folder.path().join("out"), folder.path().join("inbox"));
    let all = segment();
    all.iter()
        .for_each(|(name, bytes)| write(&inbox, name, bytes));
    let mut options = options(all.iter().map(|(name, _)| file(&inbox, name)).collect(), 2);
    for depth in [Depth::NoMeta, Depth::Full, Depth::NoMeta] {
        options.depth = depth;
        assert!(scan(&options, &out).failed_inputs.is_empty());
    }
    resolve(&out, &out, &view());
    assert!(files(&out) == *WHOLE);
}

#[test]
fn local_another_archive_of_a_name_is_refused_and_can_replace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let place = |name: &str| folder.path().join(name);
    for (folder, count) in [("a", 3), ("b", 5)] {
        write(&place(folder), "x.warc", &captures(folder, count));
    }
    scan(&options(vec![file(&place("a"), "x.warc")], 1), &out);
    let before = files(&out);
    let mut other = options(vec![file(&place("b"), "x.warc")], 1);
    let streamed = options(vec![archive("x.warc", captures("b", 5))], 1);
    for options in [&other, &streamed] {
        let summary = scan(options, &out);
        let failed = &summary.failed_inputs[0];
        let sizes =
            [captures("a", 3).len(), captures("b", 5).len()].map(|bytes| format!("{bytes} bytes"));
        let detail = failed.detail.as_ref().expect("a detail");
        assert_eq!((failed.outcome, summary.all_captures()), ("changed", 3));
        assert!(sizes.iter().all(|bytes| detail.contains(bytes)), "{detail}");
        assert!(
            detail.contains("--base") && detail.contains("--again changed"),
            "{detail}"
        );
        assert!(files(&out) == before);
    }
    other.changed = Changed::Replace;
    let replaced = scan(&other, &out);
    assert_eq!(
        (replaced.all_captures(), replaced.failed_inputs.len()),
        (5, 0)
    );
}

#[test]
fn local_a_cut_archive_is_read_again_when_it_is_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, fresh) = (folder.path().join("out"), folder.path().join("fresh"));
    let content = captures("long", 900);
    let one = || options(vec![file(folder.path(), "x.warc")], 1);
    for (count, bytes) in [(0, 60_000), (1, 150_000)] {
        write(folder.path(), "x.warc", &content[..bytes]);
        for _ in 0..2 {
            let cut = scan(&one(), &out);
            assert_eq!(cut.failed_inputs[0].outcome, "cut", "{count}");
            assert!(cut.all_captures() > 100 && cut.failed_inputs[0].retry);
        }
    }
    // Gone: what was read of it still counts, and it is still cut.
    fs::remove_file(folder.path().join("x.warc")).expect("it can be removed");
    assert_eq!(scan(&one(), &out).failed_inputs[0].outcome, "cut");
    write(folder.path(), "x.warc", &content);
    let whole = scan(&one(), &out);
    assert_eq!((whole.failed_inputs.len(), whole.all_captures()), (0, 900));
    scan(&one(), &fresh);
    assert!(files(&out) == files(&fresh));
    // A shorter one is another archive.
    write(folder.path(), "x.warc", &content[..150_000]);
    assert_eq!(scan(&one(), &out).failed_inputs[0].outcome, "changed");
    assert!(files(&out) == files(&fresh));
}

#[test]
fn local_an_archive_that_ends_inside_a_record_is_cut_wherever_it_ends() {
    let content = captures("x", 4);
    let text = String::from_utf8(content.clone()).expect("text");
    let ends: Vec<usize> = text
        .match_indices("WARC/1.0")
        .map(|(at, _)| at)
        .chain([content.len()])
        .collect();
    // In a short run near the end of a record, and here and there inside.
    let step = rounds(7, 1);
    let is_near_end = |bytes: &usize| ends.iter().any(|end| end.abs_diff(*bytes) < 8);
    for bytes in
        (10..content.len()).filter(|bytes| is_near_end(bytes) || bytes.is_multiple_of(step))
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let summary = run(
            vec![archive("x.warc", content[..bytes].to_vec())],
            folder.path(),
            1,
        );
        let is_cut = summary
            .failed_inputs
            .iter()
            .any(|input| input.outcome == "cut");
        // The empty lines behind a block may be missing without harm.
        let is_whole = ends
            .iter()
            .any(|end| (end.saturating_sub(4)..=*end).contains(&bytes));
        assert_eq!(
            is_cut, !is_whole,
            "cut at {bytes}: {:?}",
            summary.failed_inputs
        );
    }
}

#[test]
fn local_one_failed_input_makes_no_other_be_read_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    write(folder.path(), "good.warc", &captures("good", 3));
    write(folder.path(), "empty.warc", b"");
    let inputs = || {
        ["good.warc", "empty.warc", "late.warc"]
            .map(|name| file(folder.path(), name))
            .to_vec()
    };
    assert_eq!(scan(&options(inputs(), 2), &out).failed_inputs.len(), 2);
    write(folder.path(), "late.warc", &captures("late", 4));
    write(folder.path(), "empty.warc", &captures("empty", 5));
    let second = scan(&options(inputs(), 2), &out);
    assert_eq!(
        (second.inputs_of_earlier_calls, second.all_captures()),
        (1, 12)
    );
    assert!(second.failed_inputs.is_empty());
}

#[test]
fn local_several_folders_of_evidence_are_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    let all = segment();
    for (name, range) in [("a", 0..4), ("b", 3..7)] {
        let inputs = all[range]
            .iter()
            .map(|(name, bytes)| archive(name, bytes.clone()))
            .collect();
        run(inputs, &place(name), 2);
    }
    let stores = ["a", "b"].map(|name| FolderStore::new(place(name)));
    let both: Vec<&dyn Store> = stores.iter().map(|store| store as &dyn Store).collect();
    let out = FolderStore::new(place("out"));
    job::resolve(&both, &out, &view(), &Silent).expect("the job can run");
    let mut found = files(&place("out"));
    let mark = String::from_utf8(found.remove("_resolved.json").expect("the mark")).expect("text");
    assert!(
        ["a", "b"]
            .iter()
            .all(|name| mark.contains(&*place(name).to_string_lossy())),
        "{mark}"
    );
    assert!(
        found
            .iter()
            .all(|(name, bytes)| WHOLE.get(name) == Some(bytes))
    );
    assert_eq!(
        found.len(),
        WHOLE.keys().filter(|name| !is_of_scan(name)).count() - 1
    );

    run(
        vec![archive(&all[0].0, captures("other", 9))],
        &place("c"),
        1,
    );
    let other = FolderStore::new(place("c"));
    let refused = job::resolve(
        &[both[0], &other],
        &FolderStore::new(place("d")),
        &view(),
        &Silent,
    );
    let Err(Error::EvidenceDiffers {
        name,
        first,
        second,
        next,
    }) = refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!(
        (name, first, second),
        (all[0].0.clone(), stores[0].location(), other.location())
    );
    assert!(
        next.contains("crawlprefs scan ARCHIVE --again changed -o "),
        "{next}"
    );
}

fn is_of_scan(name: &str) -> bool {
    let of_scan = [
        "evidence/captures/",
        "evidence/site_files/",
        "_manifest/",
        "_crawlprefs.json",
    ];
    of_scan.iter().any(|start| name.starts_with(start))
}

#[test]
fn local_damaged_evidence_is_named_and_the_next_scan_repairs_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let list = [
        robots("a.example", "06:00:00", "User-agent: *\nDisallow: /\n"),
        page("https://a.example/", "07:00:00"),
    ];
    let made = || records("made.warc", &list);
    run(vec![made()], &out, 1);
    let before = files(&out);
    let named = |start: &str| {
        before
            .keys()
            .find(|name| name.starts_with(start))
            .expect("a file")
            .clone()
    };
    for (name, content) in [
        (named("_manifest"), b"{\"crawl\":".to_vec()),
        (
            named("evidence/captures"),
            before[&named("evidence/captures")][..500].to_vec(),
        ),
        (
            named("evidence/site_files"),
            vec![b'x'; before[&named("evidence/site_files")].len()],
        ),
    ] {
        fs::write(out.join(&name), content).expect("it can be written");
        let refused = try_resolve(&out, &folder.path().join("tables"), &view())
            .expect_err("damaged")
            .to_string();
        assert!(
            refused.contains(&name) && refused.contains("again"),
            "{refused}"
        );
        // Of the right length, so only a reader of the file notices: resolve, and a scan that verifies it.
        if !name.contains("site_files") {
            let gone = scan(&options(vec![file(folder.path(), "made.warc")], 1), &out);
            let detail = gone.failed_inputs[0].detail.clone().expect("a detail");
            assert!(detail.contains(&name), "{detail}");
        }
        let mut verifying = options(vec![made()], 1);
        verifying.comparison = if name.contains("site_files") {
            Comparison::Bytes
        } else {
            Comparison::Lengths
        };
        scan(&verifying, &out);
        assert!(files(&out) == before, "{name}");
    }
    resolve(&out, &out, &view());
    assert_eq!(
        pages(&out)["https://a.example/"].verdict(),
        ("parsed", "disallow")
    );
}

#[test]
fn local_many_failures_of_an_archive_are_bounded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let record = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let summary = run(
        vec![archive("x.warc", record.repeat(12_000))],
        folder.path(),
        1,
    );
    assert_eq!(
        (summary.records_lost, summary.all_failures()),
        (12_000, 12_000)
    );
    resolve(folder.path(), folder.path(), &view());
    let rows = crate::resolved::rows(folder.path(), "evidence/failures");
    assert_eq!(
        (rows.len(), rows[10_000].text("kind")),
        (10_001, Some("more"))
    );
    assert_eq!(
        rows[10_000].text("detail"),
        Some("2000 more, which cost 2000 records")
    );
}

/// Starts the command on the archives below a folder.
fn start(args: &[&str], inbox: &Path, out: &Path) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .arg(inbox)
        .arg("-o")
        .arg(out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

#[test]
fn local_killed_at_any_moment_the_next_call_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, inbox) = (folder.path().join("out"), folder.path().join("inbox"));
    segment()
        .iter()
        .for_each(|(name, bytes)| write(&inbox, name, bytes));
    let mut random = Rng::with_seed(7);
    for _ in 0..rounds(8, 20) {
        let mut child = start(&["run", "-q", "-j", "2"], &inbox, &out);
        std::thread::sleep(Duration::from_millis(random.u64(..256)));
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    let last = start(&["run", "-q", "-j", "2"], &inbox, &out)
        .wait_with_output()
        .expect("it ends");
    assert!(
        last.status.success(),
        "{}",
        String::from_utf8_lossy(&last.stderr)
    );
    assert!(files(&out) == *WHOLE);
}

#[test]
fn local_eight_slices_started_at_once_in_a_new_folder_are_all_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inbox = folder.path().join("inbox");
    segment()
        .iter()
        .for_each(|(name, bytes)| write(&inbox, name, bytes));
    for round in 0..rounds(2, 5) {
        let out = folder.path().join(round.to_string());
        let slice = |index: usize| start(&["scan", "--slice", &format!("{index}/8")], &inbox, &out);
        let started: Vec<_> = (1..=8).map(slice).collect();
        for (index, child) in started.into_iter().enumerate() {
            let ended = child.wait_with_output().expect("it ends");
            assert!(
                ended.status.success(),
                "{round}: {}",
                String::from_utf8_lossy(&ended.stderr)
            );
            // There are seven archives.
            let text = String::from_utf8_lossy(&ended.stdout).into_owned();
            assert_eq!(
                text.contains("no archives, nothing to do"),
                index == 7,
                "{text}"
            );
        }
        resolve(&out, &out, &view());
        assert!(files(&out) == *WHOLE, "{round}");
    }
    let idle = start(
        &["run", "--slice", "8/8"],
        &inbox,
        &folder.path().join("new"),
    )
    .wait_with_output();
    assert!(idle.expect("it ends").status.success());
}

#[test]
#[cfg(target_os = "linux")]
fn local_an_output_that_cannot_be_written_is_blamed() {
    // Nobody, root included, can make a folder there.
    let refused = job::scan(
        &options(vec![archive("x.warc", captures("x", 3))], 1),
        &FolderStore::new("/proc/nowhere".into()),
        &Silent,
    );
    let Err(error @ Error::OutputUnwritable { .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        error
            .to_string()
            .starts_with("/proc/nowhere: cannot be written"),
        "{error}"
    );
}

#[test]
fn local_the_name_of_evidence_is_that_of_its_archive() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = format!("{}.gz", common_crawl("robotstxt", 3));
    run(
        vec![
            archive(&name, captures("x", 3)),
            archive("a b/y.warc", captures("y", 3)),
        ],
        folder.path(),
        1,
    );
    let names: Vec<String> = files(folder.path())
        .into_keys()
        .filter(|name| name.contains("captures"))
        .collect();
    assert_eq!(
        names,
        [
            "evidence/captures/crawl=CC-MAIN-2026-34/17.1-robotstxt-CC-MAIN-20260810060000-20260810090000-00003.parquet",
            "evidence/captures/crawl=local/y-63c56a1224.parquet",
        ]
    );
    assert_eq!(ArchiveName::new(&name).number(), Some(3));
}

#[test]
fn local_evidence_of_another_version_is_refused_and_the_version_named() {
    const KEY: &[u8] = b"crawlprefs.evidence_format";
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(vec![archive("a.warc", captures("a", 3))], folder.path(), 1);
    let file = |pattern: &str| {
        let pattern = folder.path().join(pattern).to_string_lossy().into_owned();
        glob::glob(&pattern)
            .expect("a glob")
            .next()
            .expect("a file")
            .expect("it can be read")
    };
    let (part, manifest) = (
        file("evidence/captures/*/*.parquet"),
        file("_manifest/*/*.json"),
    );
    let mut bytes = fs::read(&part).expect("a file");
    let digest =
        |bytes: &[u8]| data_encoding::BASE32.encode(&<sha1::Sha1 as sha1::Digest>::digest(bytes));
    let (before, key) = (
        digest(&bytes),
        bytes.windows(KEY.len()).rposition(|bytes| bytes == KEY),
    );
    // The length of the value is between both.
    let value = key.expect("the key is there") + KEY.len() + 2;
    assert_eq!(std::mem::replace(&mut bytes[value], b'9'), b'1');
    fs::write(&part, &bytes).expect("it can be written");
    let text = fs::read_to_string(&manifest)
        .expect("a file")
        .replace(&before, &digest(&bytes));
    fs::write(&manifest, text).expect("it can be written");
    let refused = try_resolve(folder.path(), folder.path(), &view())
        .expect_err("another version")
        .to_string();
    assert!(
        refused.contains("its version is 9, this program reads 1"),
        "{refused}"
    );
}
