//! A second scan of archives behind a network asks for little, and finds what has changed all the same.

use crate::counted::CountedStore;
use crate::files::files;
use crate::fixture::input;
use crate::resolved::robots;
use crawlprefs::archive::{ArchiveSource, Input};
use crawlprefs::job::{
    ResolveOptions, ScanOptions, Silent, StatusOptions, Summary, plan_scan, scan, status,
};
use crawlprefs::plan::{Comparison, Kept, Step, Why};
use crawlprefs::systems::Viewpoint;
use std::collections::BTreeMap;
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
    location: String,
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
        self.asked
            .fetch_add(usize::from(bytes > 0), Ordering::Relaxed);
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
        self.location.clone()
    }
}

/// A server, and a folder as a store of objects.
struct World {
    contents: Vec<Vec<u8>>,
    listed: Option<String>,
    server: &'static str,
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
        Self {
            contents,
            listed: None,
            server: "https://a.example/",
            recheck,
            asked: Arc::default(),
            folder,
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let named = |(number, content): (usize, &Vec<u8>)| {
            let source = Served {
                content: content.clone(),
                asked: Arc::clone(&self.asked),
                listed: self.listed.clone(),
                location: format!("{}{number}.warc", self.server),
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
        (
            summary,
            self.asked.load(Ordering::Relaxed),
            store.asked().len(),
        )
    }

    /// Returns all files but what is remembered.
    fn evidence(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = files(self.folder.path());
        files.retain(|name, _| !name.starts_with("_known/"));
        files
    }

    fn known(&self) -> PathBuf {
        self.folder.path().join("_known/crawl=local/other.json")
    }

    /// Returns how many archives are done, to be read, and to be read again, as a dry run has them, and how many requests of
    /// the store it took.
    fn dry_run(&self) -> ([usize; 3], usize) {
        let store = CountedStore::with_tags(self.folder.path());
        let options = ScanOptions::new(self.inputs());
        let archives = options.archives().expect("archives");
        self.asked.store(0, Ordering::Relaxed);
        let mut counts = [0; 3];
        for step in plan_scan(&archives, &options, None, &store).expect("the store can be read") {
            counts[match step {
                Step::Keep(Kept::Done) => 0,
                Step::Make(Why::New) => 1,
                Step::Make(_) => 2,
                step => panic!("{step:?}"),
            }] += 1;
        }
        assert_eq!(
            self.asked.load(Ordering::Relaxed),
            0,
            "archives are not asked for"
        );
        (counts, store.asked().len())
    }

    /// Returns a file of an archive below a folder of the evidence.
    fn file(&self, folder: &str, number: usize) -> PathBuf {
        let named = |path: &Path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(&format!("{number}-")))
        };
        let entries =
            fs::read_dir(self.folder.path().join(folder).join("crawl=local")).expect("a folder");
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
        assert!(
            fs::read(&file).expect("it is there again") == before,
            "{folder}"
        );
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

#[test]
fn local_a_dry_run_asks_for_no_archive_by_itself_and_writes_nothing() {
    let world = World::new();
    // Listings of the three folders say that there is nothing, and one that no archive has changed; that the folder may be written
    // takes three requests.
    let (counts, requests) = world.dry_run();
    assert_eq!(counts, [0, COUNT, 0]);
    assert!(requests <= 4 + 3, "{requests}");
    assert!(
        fs::read_dir(world.folder.path())
            .expect("the folder")
            .next()
            .is_none()
    );
    world.scan();
    // Manifests that are not remembered are read once each.
    let remembered = fs::read_dir(world.folder.path().join("_known/crawl=local"))
        .expect("a folder")
        .count();
    let before = files(world.folder.path());
    let (counts, requests) = world.dry_run();
    assert_eq!(counts, [COUNT, 0, 0]);
    assert!(requests <= COUNT + 5 + remembered, "{requests}");
    assert!(
        files(world.folder.path()) == before,
        "a dry run writes nothing"
    );
    world.scan();
    let (counts, requests) = world.dry_run();
    assert_eq!(counts, [COUNT, 0, 0]);
    assert!(requests <= 5 + 1, "{requests}");
    // What was removed or cut is found all the same.
    fs::remove_file(world.file("_manifest", 3)).expect("it can be removed");
    let captures = world.file("evidence/captures", 5);
    let content = fs::read(&captures).expect("it can be read");
    fs::write(&captures, &content[..9]).expect("it can be written");
    let (counts, requests) = world.dry_run();
    assert_eq!(counts, [COUNT - 2, 1, 1]);
    assert!(requests <= 5 + 3, "{requests}");
}

#[test]
fn local_an_archive_of_the_same_name_on_another_server_is_not_believed() {
    let mut world = World::new();
    world.scan();
    assert_eq!(world.scan().1, 0);
    // A mirror has the same files: they are compared once.
    world.server = "https://mirror.example/";
    assert_eq!((world.scan().1, world.scan().1), (2 * COUNT, 0));
    world.server = "https://other.example/";
    world.contents[4] =
        robots("other.example", "06:00:00", "User-agent: *\nDisallow: /\n").into_bytes();
    let before = world.evidence();
    for _ in 0..2 {
        let (summary, _, _) = world.scan();
        let failed: Vec<_> = summary
            .failed_inputs
            .iter()
            .map(|failed| failed.outcome)
            .collect();
        assert_eq!(
            (failed, summary.inputs_of_earlier_calls),
            (vec!["changed"], COUNT)
        );
    }
    assert!(world.evidence() == before);
}

#[test]
fn local_what_is_remembered_of_another_time_or_folder_hides_nothing() {
    let (world, mut other) = (World::new(), World::new());
    for content in &mut other.contents {
        content.extend(robots("more.example", "06:00:00", "").into_bytes());
    }
    for world in [&world, &other] {
        world.scan();
        world.scan();
    }
    let (before, own) = (
        world.evidence(),
        fs::read(world.known()).expect("it is there"),
    );
    // Of another folder, whose archives have the same names.
    fs::copy(other.known(), world.known()).expect("it can be copied");
    let (summary, asked, _) = world.scan();
    assert_eq!((summary.inputs_of_earlier_calls, asked), (COUNT, 2 * COUNT));
    assert!(world.evidence() == before);
    // Of a time to come, and of long ago.
    for time in ["4000000000000", "-9223372036854775808", "1000"] {
        let text = String::from_utf8(own.clone()).expect("JSON");
        let parts: Vec<&str> = text.split("\"at_unix_ms\":").collect();
        let dated = |part: &&str| {
            part.trim_start_matches(|digit: char| digit.is_ascii_digit())
                .to_owned()
        };
        let rest: Vec<String> = parts.iter().skip(1).map(dated).collect();
        let text = rest.iter().fold(parts[0].to_owned(), |text, rest| {
            text + "\"at_unix_ms\":" + time + rest
        });
        fs::write(world.known(), text).expect("it can be written");
        assert_eq!(world.scan().1, 2 * COUNT, "{time}");
        assert!(world.evidence() == before);
    }
}

#[test]
fn local_whatever_bytes_are_remembered_the_evidence_stays_whole() {
    let world = World::new();
    world.scan();
    world.scan();
    let (before, own) = (
        world.evidence(),
        fs::read(world.known()).expect("it is there"),
    );
    let half = own.len() / 2;
    let mut odd = vec![
        own[..half].to_vec(),
        own[..own.len() - 1].to_vec(),
        b"[]".to_vec(),
        b"{\"a\":1}".to_vec(),
    ];
    odd.push([&own[..], b"}"].concat());
    for number in 0..12 {
        let mut flipped = own.clone();
        flipped[number * own.len() / 12] ^= 1;
        odd.push(flipped);
    }
    for known in odd {
        fs::write(world.known(), &known).expect("it can be written");
        let (summary, _, _) = world.scan();
        assert_eq!(summary.inputs_of_earlier_calls, COUNT);
        assert_eq!(world.dry_run().0, [COUNT, 0, 0]);
        assert!(world.evidence() == before);
        // It is written anew, or was not needed.
        assert_eq!(world.scan().1, 0);
    }
}

/// Whether a run in a bucket is complete is known from listings: no file is asked for by itself, however many archives there are.
#[test]
fn local_status_of_a_store_asks_for_no_file_of_evidence_or_tables() {
    let world = World::new();
    world.scan();
    let folder = world.folder.path();
    let store = CountedStore::with_tags(folder);
    let options = ResolveOptions::new(Viewpoint::default());
    crawlprefs::job::resolve(&[&store], &store, &options, &Silent).expect("the job can run");
    store.asked();
    let look = || {
        let options = StatusOptions {
            tables: &store,
            evidence: vec![&store],
            list: None,
            comparison: Comparison::Lengths,
        };
        let status = status(&options).expect("it can be found out");
        let batches = status.batches.len();
        let mut asked = store.asked();
        asked.retain(|asked| !asked.starts_with("read _resolved/"));
        (status.complete, batches, asked)
    };
    let (is_complete, batches, asked) = look();
    assert!(is_complete && batches > 10, "{batches}");
    let by_itself =
        |asked: &&String| asked.starts_with("bytes ") || asked.starts_with("read _manifest/");
    assert_eq!(asked.iter().find(by_itself), None);
    assert!(asked.len() <= 30, "{asked:?}");
    // A resolve with nothing to do costs no more.
    crawlprefs::job::resolve(&[&store], &store, &options, &Silent).expect("the job can run");
    let asked = store.asked();
    assert_eq!(
        asked
            .iter()
            .find(|asked| asked.starts_with("bytes ") && asked.contains(".parquet")),
        None
    );
    // What the listing does not have is asked for, and found missing.
    fs::remove_file(world.file("evidence/captures", 3)).expect("it can be removed");
    let (is_complete, _, asked) = look();
    assert!(!is_complete);
    assert_eq!(asked.iter().filter(by_itself).count(), 1);
}
