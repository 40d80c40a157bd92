//! The same inputs give the same bytes, whoever writes them and in whatever order.

use crate::files::files;
use crate::fixture::{archive, captures, options, run, sample};
use crawlprefs::archive::Input;
use crawlprefs::job::{self, Silent, Slice};
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
        let count = if number % 9 == 0 { 3000 } else { number * 13 % 50 };
        common_crawl("robotstxt", number, captures(&format!("r{number}"), count))
    });
    let pages = (0..5).map(|number| common_crawl("warc", number, captures(&format!("p{number}"), 1500)));
    robots.chain(pages).collect()
}

#[test]
fn local_workers_order_and_memory_change_no_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(many(), &folder.path().join("one"), 1);
    let one = files(&folder.path().join("one"));
    assert_eq!(one.len(), 1 + 3 * 45, "{:?}", one.keys());
    for (name, jobs, memory_bytes) in [("two", 2, None), ("seven", 7, None), ("tight", 7, Some(1 << 20))] {
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
    let inputs: Vec<Input> =
        (0..12).map(|number| common_crawl("warc", number, captures(&format!("p{number}"), 2500))).collect();
    run(inputs.clone(), &folder.path().join("one"), 1);
    let mut options = options(inputs, 12);
    // A worker's share of it is next to nothing, but twelve of them are still started.
    options.memory_bytes = Some(12 * (192 << 20));
    let out = folder.path().join("twelve");
    job::scan(&options, &FolderStore::new(out.clone()), &Silent).expect("the job can run");
    assert!(files(&out) == files(&folder.path().join("one")));
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
