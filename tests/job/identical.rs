//! The same inputs give the same bytes, with any workers and in any order.

use crate::files::files;
use crate::fixture::{archive, captures, options, run, sample};
use crate::resolved::{page, resolve, response, robots, view};
use crate::rounds::rounds;
use crawlprefs::archive::Input;
use crawlprefs::job::{self, ResolveOptions, Silent, Slice};
use crawlprefs::store::FolderStore;
use std::path::Path;

fn common_crawl(subset: &str, number: usize, bytes: Vec<u8>) -> Input {
    let name = format!(
        "crawl-data/CC-MAIN-2026-34/segments/17.1/{subset}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz"
    );
    archive(&name, bytes)
}

/// Two batches of many archives, some with more rows than are handed over at once.
fn many() -> Vec<Input> {
    let robots = (0..40).map(|number| {
        let count = if number % 9 == 0 {
            3000
        } else {
            number * 13 % 50
        };
        common_crawl("robotstxt", number, captures(&format!("r{number}"), count))
    });
    let pages =
        (0..5).map(|number| common_crawl("warc", number, captures(&format!("p{number}"), 1500)));
    robots.chain(pages).collect()
}

#[test]
fn local_workers_order_and_memory_change_no_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(many(), &folder.path().join("one"), 1);
    let one = files(&folder.path().join("one"));
    assert_eq!(one.len(), 1 + 3 * 45, "{:?}", one.keys());
    let ways = [
        ("two", 2, None),
        ("seven", 7, None),
        ("tight", 7, Some(1 << 20)),
    ];
    for (name, jobs, memory_bytes) in ways.into_iter().skip(rounds(1, 0)) {
        let mut inputs = many();
        inputs.reverse();
        let mut options = options(inputs, jobs);
        options.memory_bytes = memory_bytes;
        let out = folder.path().join(name);
        job::scan(&options, &FolderStore::new(out.clone()), &Silent).expect("the job can run");
        assert!(files(&out) == one, "{name} differs");
    }
}

#[test]
fn local_many_workers_on_one_batch_that_keep_nothing_back_still_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs: Vec<Input> = (0..12)
        .map(|number| common_crawl("warc", number, captures(&format!("p{number}"), 2500)))
        .collect();
    run(inputs.clone(), &folder.path().join("one"), 1);
    let mut options = options(inputs, 12);
    // A worker's share of it is next to nothing, but twelve of them are still started.
    options.memory_bytes = Some(12 * (192 << 20));
    let out = folder.path().join("twelve");
    job::scan(&options, &FolderStore::new(out.clone()), &Silent).expect("the job can run");
    assert!(files(&out) == files(&folder.path().join("one")));
}

/// Two segments: sites with equal and with own files, some of them behind redirects to a page, and their pages.
fn sites() -> Vec<Input> {
    let host = |segment: u32, site: u32| format!("{segment}-{site}.example");
    let robots_txt = |segment: u32, site: u32| {
        let host = host(segment, site);
        let at = format!("06:{:02}:{:02}", site / 60 % 60, site % 60);
        let own = format!(
            "User-agent: *\nDisallow: /{}\nContent-Signal: ai-train=no\n",
            site % 5 * site
        );
        match site % 7 {
            0 => {
                let to = format!("Location: https://{host}/page/1\r\n");
                response(&format!("https://{host}/robots.txt"), &at, 301, &to, "")
            }
            1 => response(&format!("https://{host}/ai.txt"), &at, 200, "", &own),
            2 => response(&format!("https://{host}/robots.txt"), &at, 404, "", &own),
            _ => robots(&host, &at, &own),
        }
    };
    let pages = |segment: u32, site: u32| {
        page(
            &format!("https://{}/page/1", host(segment, site % 900)),
            "07:00:00",
        )
    };
    let archives = (1..=2).flat_map(|segment| {
        let named = move |subset: &str, number: u32, records: Vec<String>| {
            let folder = format!("crawl-data/CC-MAIN-2026-34/segments/17.{segment}/{subset}");
            let name =
                format!("{folder}/CC-MAIN-20260810060000-20260810090000-{number:05}.warc.gz");
            archive(&name, records.concat().into_bytes())
        };
        let of = |number: u32| number * 300..(number + 1) * 300;
        let files = move |number| of(number).map(|site| robots_txt(segment, site)).collect();
        let robots = (0..3).map(move |number| named("robotstxt", number, files(number)));
        let pages = move |number, count| {
            (0..count)
                .map(|page| pages(segment, page * 7 + number))
                .collect()
        };
        robots.chain(
            [(0, 1200), (60, 100)]
                .map(|(number, count)| named("warc", number, pages(number, count))),
        )
    });
    archives.collect()
}

#[test]
fn local_resolving_gives_the_same_bytes_with_any_number_of_workers_and_any_memory() {
    let evidence = tempfile::tempdir().expect("a temporary folder");
    run(sites(), evidence.path(), 2);
    let resolved = |jobs, memory_bytes| {
        let out = tempfile::tempdir().expect("a temporary folder");
        let jobs = std::num::NonZeroUsize::new(jobs).expect("at least one");
        let options = ResolveOptions {
            jobs,
            memory_bytes,
            ..view()
        };
        let tally = resolve(evidence.path(), out.path(), &options);
        assert_eq!((tally.segments, tally.pages), (2, 2600));
        let sites = (0..1200)
            .map(|page| page * 7)
            .chain((0..100).map(|page| page * 7 + 60));
        let to_a_page = 2 * sites.filter(|site| site % 900 % 7 == 0).count() as u64;
        assert_eq!(tally.robots_states.get("body_missing"), Some(&to_a_page));
        files(out.path())
    };
    let one = resolved(1, None);
    // Two parts of site files, two of robots.txt captures and four of pages.
    assert_eq!(
        one.keys()
            .filter(|name| name.contains("/part-") && name.contains("statements/"))
            .count(),
        8
    );
    let ways = [(2, None), (7, Some(1 << 30)), (2, Some(1))];
    for (jobs, memory_bytes) in ways.into_iter().skip(rounds(1, 0)) {
        assert!(
            resolved(jobs, memory_bytes) == one,
            "{jobs} workers, {memory_bytes:?} bytes"
        );
    }
}

#[test]
fn local_slices_write_what_one_call_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(sample(), &folder.path().join("whole"), 2);
    let sliced = folder.path().join("sliced");
    for index in 1..=3 {
        let mut options = options(sample(), 1);
        options.share.slice = Slice::new(index, 3);
        job::scan(&options, &FolderStore::new(sliced.clone()), &Silent).expect("the job can run");
    }
    assert!(files(&sliced) == files(&folder.path().join("whole")));
}

#[test]
fn local_the_folder_may_be_moved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let moved = folder.path().join("elsewhere");
    copy(Path::new("sample-data/local"), &moved);
    let scan = |path: &Path, out: &str| {
        let out = folder.path().join(out);
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
            .args(["scan", "-q"])
            .arg(path)
            .arg("-o")
            .arg(&out)
            .status()
            .expect("the command starts");
        assert!(status.success());
        files(&out)
    };
    assert!(scan(Path::new("sample-data/local"), "here") == scan(&moved, "there"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("sample-data is in the repository") {
        let path = entry.expect("a folder can be read").path();
        std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
    }
}
