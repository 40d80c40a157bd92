//! A second scan of archives behind a network asks for little, and finds what has changed all the same.

use crate::counted::CountedStore;
use crate::fixture::input;
use crate::resolved::robots;
use crawlprefs::archive::{ArchiveSource, Input};
use crawlprefs::job::{ScanOptions, Silent, Summary, scan};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const COUNT: usize = 40;

/// An archive of a server, which counts what is asked for.
struct Served {
    content: Vec<u8>,
    asked: Arc<AtomicUsize>,
    listed: Option<String>,
}

impl ArchiveSource for Served {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(io::Cursor::new(self.content.clone())))
    }

    fn bytes(&self) -> Option<u64> {
        Some(self.content.len() as u64)
    }

    fn range(&self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        self.asked.fetch_add(usize::from(bytes > 0), Ordering::Relaxed);
        let from = usize::try_from(offset).expect("a small archive");
        Ok(Some(self.content[from..from + bytes].to_vec()))
    }

    fn version(&self) -> Option<String> {
        self.listed.clone()
    }

    fn listed_version(&self) -> Option<String> {
        self.listed.clone()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn location(&self) -> String {
        "a server".to_owned()
    }
}

/// A server, and a folder as a store of objects.
struct World {
    contents: Vec<Vec<u8>>,
    listed: Option<String>,
    recheck: Duration,
    asked: Arc<AtomicUsize>,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let archive = |number: usize| {
            let body = format!("User-agent: *\nDisallow: /{}\n", "x".repeat(number));
            robots(&format!("a{number}.example"), "06:00:00", &body).into_bytes()
        };
        let (contents, recheck) = ((0..COUNT).map(archive).collect(), Duration::from_secs(3600));
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { contents, listed: None, recheck, asked: Arc::default(), folder }
    }

    fn inputs(&self) -> Vec<Input> {
        let named = |(number, content): (usize, &Vec<u8>)| {
            let source = Served {
                content: content.clone(),
                asked: Arc::clone(&self.asked),
                listed: self.listed.clone(),
            };
            input(&format!("site/{number}.warc"), Arc::new(source))
        };
        self.contents.iter().enumerate().map(named).collect()
    }

    /// Scans; returns how many requests there were to the server and to the store.
    fn scan(&self) -> (Summary, usize, usize) {
        let mut options = ScanOptions::new(self.inputs());
        options.recheck = self.recheck;
        let store = CountedStore::with_tags(self.folder.path());
        self.asked.store(0, Ordering::Relaxed);
        let summary = scan(&options, &store, &Silent).expect("the job can run");
        (summary, self.asked.load(Ordering::Relaxed), store.asked().len())
    }

    /// Returns a file of an archive below a folder of the evidence.
    fn file(&self, folder: &str, number: usize) -> PathBuf {
        let named = |path: &Path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{number}-")))
        };
        let entries = fs::read_dir(self.folder.path().join(folder).join("crawl=local")).expect("a folder");
        entries
            .map(|entry| entry.expect("a file").path())
            .find(|path| named(path))
            .expect("the archive's file")
    }
}

#[test]
fn local_known_archives_cost_no_request_until_they_are_to_be_compared() {
    let mut world = World::new();
    assert_eq!(world.scan().1, COUNT);
    // What is remembered has the archives; the manifests are read once, and remembered, too.
    let (second, asked, _) = world.scan();
    assert_eq!((second.inputs_of_earlier_calls, asked), (COUNT, 0));
    let (third, asked, of_store) = world.scan();
    assert_eq!((third.inputs_of_earlier_calls, asked), (COUNT, 0));
    assert!(of_store <= 8, "{of_store}");
    world.recheck = Duration::ZERO;
    assert_eq!(world.scan().1, 2 * COUNT);
    world.recheck = Duration::from_secs(3600);
    fs::remove_dir_all(world.folder.path().join("_known")).expect("it can be removed");
    assert_eq!((world.scan().1, world.scan().1), (2 * COUNT, 0));
}

#[test]
fn local_a_listing_decides_whether_an_archive_is_asked_for() {
    let mut world = World::new();
    world.listed = Some("7 one".to_owned());
    assert_eq!(world.scan().1, COUNT);
    world.recheck = Duration::ZERO;
    assert_eq!(world.scan().1, 0);
    world.listed = Some("7 other".to_owned());
    world.contents[3].extend(robots("more.example", "06:00:00", "").into_bytes());
    let (summary, asked, _) = world.scan();
    // One is longer than before, and read; of the others both ends are compared.
    assert!(asked > 2 * COUNT, "{asked}");
    assert_eq!(summary.inputs_of_earlier_calls, COUNT - 1);
    assert_eq!(world.scan().1, 0);
}

#[test]
fn local_missing_and_changed_evidence_is_found_though_archives_are_believed() {
    let world = World::new();
    world.scan();
    world.scan();
    for (folder, cut) in [
        ("evidence/captures", true),
        ("evidence/site_files", false),
        ("_manifest", false),
        ("_manifest", true),
    ] {
        let file = world.file(folder, 7);
        let before = fs::read(&file).expect("it can be read");
        if cut {
            fs::write(&file, &before[..before.len() / 2]).expect("it can be written");
        } else {
            fs::remove_file(&file).expect("it can be removed");
        }
        let (summary, _, _) = world.scan();
        assert_eq!(summary.inputs_of_earlier_calls, COUNT - 1, "{folder}");
        assert!(fs::read(&file).expect("it is there again") == before, "{folder}");
    }
}

#[test]
fn local_a_repaired_copy_of_a_damaged_archive_is_found_though_others_are_believed() {
    let mut world = World::new();
    let whole = world.contents[5].clone();
    let half = world.contents[5].len() / 2;
    world.contents[5].truncate(half);
    world.scan();
    assert_eq!(world.scan().1, 2);
    world.contents[5] = whole;
    let (summary, _, _) = world.scan();
    assert_eq!(summary.inputs_of_earlier_calls, COUNT - 1);
    assert_eq!(world.scan().1, 0);
}
