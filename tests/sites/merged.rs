//! The bytes of an index depend on the archives alone.

use crate::ending::Ending;
use crate::random::one_of;
use crate::rounds::rounds;
use crate::world::{CRAWLS, segments};
use crate::{WORLD, asked, done, evidence, failed, files, of_world, run};
use crawlprefs::error::Error;
use crawlprefs::runs::{Comparison, Existing};
use crawlprefs::sites::{self, IfIncomplete, IndexInput, IndexOptions, IndexReader, OldParts};
use crawlprefs::store::{FolderStore, Store};
use fastrand::Rng;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// An index in a new folder.
fn index(folder: &tempfile::TempDir, name: &str, inputs: &[String], flags: &[&str]) -> PathBuf {
    let out = folder.path().join(name);
    let out_text = out.to_string_lossy().into_owned();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    done(&[&["index", "-q", "-o", &out_text], inputs.as_slice(), flags].concat());
    out
}

#[test]
fn local_any_grouping_and_order_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let all = files(&WORLD.path().join("index"));
    assert!(all.len() > 3);
    let mut pieces = Vec::new();
    for (number, evidence) in evidence().iter().enumerate() {
        for (place, segment) in segments(number).iter().enumerate() {
            let name = format!("piece-{number}-{place}");
            let flags = ["--segment", segment.as_str()];
            pieces.push(
                index(&folder, &name, std::slice::from_ref(evidence), &flags)
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    assert_eq!(pieces.len(), 2 * CRAWLS.len());
    let mut random = Rng::with_seed(7);
    for round in 0..rounds(6, 20) {
        // Some pieces are evidence, some are merged first, and one may be there twice.
        let mut inputs = pieces.clone();
        random.shuffle(&mut inputs);
        if random.bool() {
            inputs.push(evidence()[random.usize(..CRAWLS.len())].clone());
        }
        let first: Vec<String> = inputs.drain(..1 + random.usize(..3)).collect();
        let first = index(&folder, &format!("first-{round}"), &first, &[]);
        inputs.push(first.to_string_lossy().into_owned());
        random.shuffle(&mut inputs);
        let merged = index(
            &folder,
            &format!("merged-{round}"),
            &inputs,
            &["-j", one_of(&mut random, &["1", "2"])],
        );
        assert!(files(&merged) == all, "round {round}: {inputs:?}");
        fs::remove_dir_all(&merged).expect("removed");
        fs::remove_dir_all(&first).expect("removed");
    }
    let little = index(&folder, "little", &evidence(), &["--memory-limit", "1"]);
    assert!(files(&little) == all);
    let again = index(&folder, "again", &[of_world("index")], &[]);
    assert!(files(&again) == all);
}

#[test]
fn local_an_index_is_replaced_only_if_asked_for_and_never_made_from_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = index(&folder, "one", &evidence()[..1], &[]);
    let before = files(&one);
    let out = one.to_string_lossy().into_owned();
    let other = evidence()[1].clone();
    let (status, message) = failed(&["index", &other, "-o", &out]);
    assert_eq!(status, Some(1));
    assert!(
        message.contains("has a site index already") && message.contains("--overwrite"),
        "{message}"
    );
    for same in [out.clone(), format!("{out}/."), format!("{out}/../one")] {
        let (_, message) = failed(&["index", &out, "-o", &same, "--overwrite"]);
        assert!(
            message.contains("both an input and the output"),
            "{same}: {message}"
        );
        assert!(files(&one) == before);
    }
    done(&["index", "-q", &other, "-o", &out, "--overwrite"]);
    assert!(files(&one) == files(&index(&folder, "other", &[other], &[])));
    // The files of a process that was killed are not an index, and do not disturb the next one.
    fs::rename(one.join("_index.json"), one.join("_index_unfinished")).expect("renamed");
    let (_, message) = failed(&["explain", "--sites", &out, "--url", "http://h1.example/"]);
    assert!(message.contains("no site index there"), "{message}");
    index(&folder, "one", &evidence()[..1], &[]);
    assert!(files(&one) == before);
    fs::write(one.join("notes.txt"), "mine").expect("a file");
    let foreign = folder.path().join("foreign");
    fs::create_dir_all(&foreign).expect("a folder");
    fs::write(foreign.join("notes.txt"), "mine").expect("a file");
    let (_, message) = failed(&["index", &evidence()[0], "-o", &foreign.to_string_lossy()]);
    assert!(message.contains("not empty"), "{message}");
    let (_, message) = failed(&[
        "index",
        &evidence()[0],
        "--segment",
        "CC-MAIN-2026-10/none",
        "-o",
        &foreign.to_string_lossy(),
    ]);
    assert!(message.contains("CC-MAIN-2026-10/none"), "{message}");
}

fn options(existing: Existing) -> IndexOptions {
    IndexOptions {
        memory_bytes: 1 << 20,
        segments: Vec::new(),
        without: Vec::new(),
        existing,
        old_parts: OldParts::Remove,
        incomplete: IfIncomplete::Refuse,
        jobs: NonZeroUsize::MIN,
    }
}

fn input(number: usize) -> Vec<IndexInput> {
    let store: Arc<dyn Store> = Arc::new(FolderStore::of_input(evidence()[number].clone().into()));
    vec![IndexInput::open(store).expect("evidence")]
}

/// Returns the digest of an index that is whole.
fn whole(folder: &Path) -> String {
    let store: Arc<dyn Store> = Arc::new(FolderStore::of_input(folder.to_owned()));
    let index = IndexReader::open(store, None).expect("an index");
    assert_eq!(
        index.faults(Comparison::Bytes).expect("it is read"),
        Vec::<String>::new()
    );
    index.digest
}

#[test]
fn local_an_index_of_which_the_writing_ended_at_any_place_is_the_old_or_the_new_one() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let (old, new) = (
        index(&at, "old", &evidence()[..1], &[]),
        index(&at, "new", &evidence()[1..2], &[]),
    );
    let (old_digest, new_digest, old, new) = (whole(&old), whole(&new), files(&old), files(&new));
    let mut switched = 0;
    for changes in 0.. {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in &old {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, content).expect("a file");
        }
        let store: Arc<dyn Store> = Arc::new(Ending::after(changes, folder.path()));
        let ended = sites::index(input(1), &store, &options(Existing::Replace), &|_| true).is_ok();
        let found = whole(folder.path());
        if ended {
            assert!(files(folder.path()) == new);
            assert!(
                changes > 5 && switched > 0,
                "it was never ended, or never behind the switch"
            );
            return;
        }
        assert!(found == old_digest || found == new_digest, "{changes}");
        switched += usize::from(found == new_digest);
        // The next call goes on.
        let again: Arc<dyn Store> = Arc::new(FolderStore::new(folder.path().to_owned()));
        sites::index(input(1), &again, &options(Existing::Replace), &|_| true).expect("it is made");
        assert!(files(folder.path()) == new, "{changes}");
    }
}

#[test]
fn local_of_several_calls_into_one_folder_each_leaves_a_whole_index_or_is_refused() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let digests = [0, 1].map(|number| {
        whole(&index(
            &at,
            &format!("alone-{number}"),
            &evidence()[number..=number],
            &[],
        ))
    });
    let folder = at.path().join("index");
    let call = |number: usize| {
        let out: Arc<dyn Store> = Arc::new(FolderStore::new(folder.clone()));
        sites::index(
            input(number % 2),
            &out,
            &options(Existing::Replace),
            &|_| true,
        )
        .map(|made| made.is_some())
    };
    let made: Vec<_> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..6)
            .map(|number| scope.spawn(move || call(number)))
            .collect();
        calls
            .into_iter()
            .map(|call| call.join().expect("no panic"))
            .collect()
    });
    assert!(made.iter().any(Result::is_ok));
    let refused = made.iter().filter_map(|made| made.as_ref().err());
    for error in refused {
        assert!(matches!(error, Error::IndexBusy { .. }), "{error}");
    }
    assert!(digests.contains(&whole(&folder)));
}

#[test]
fn local_parts_of_an_index_that_is_replaced_go_behind_it_or_stay_for_one_call() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let all = evidence();
    let of = |number: usize| &all[number..=number];
    let names = |folder: &Path| files(folder).into_keys().collect::<BTreeSet<String>>();
    let [first, second, third] = [0, 1, 2].map(|number| {
        let mut names = names(&index(&at, &format!("alone-{number}"), of(number), &[]));
        names.remove("_index.json");
        names
    });
    let out = index(&at, "index", of(0), &[]);
    index(&at, "index", of(1), &["--overwrite", "--keep-old"]);
    let mut found = names(&out);
    found.remove("_index.json");
    assert_eq!(found, &first | &second);
    index(&at, "index", of(2), &["--overwrite", "--keep-old"]);
    let mut found = names(&out);
    found.remove("_index.json");
    assert_eq!(found, &second | &third);
    let again = done(&["index", &of(2)[0], "-o", &out.to_string_lossy()]);
    assert!(again.contains("nothing to do"), "{again}");
    index(&at, "index", of(0), &["--overwrite"]);
    let mut found = names(&out);
    found.remove("_index.json");
    assert_eq!(found, first);
}

/// Readers are at work all the time, and the process is killed at any moment. `CRAWLPREFS_KILLS` says how often.
#[test]
fn local_readers_have_the_old_or_the_new_index_whenever_the_writer_is_killed() {
    let kills = asked("CRAWLPREFS_KILLS", rounds(3, 6));
    let at = tempfile::tempdir().expect("a temporary folder");
    let inputs = [
        evidence()[..1].to_vec(),
        evidence()[1..2].to_vec(),
        evidence()[..2].to_vec(),
    ];
    let alone =
        [0, 1, 2].map(|number| index(&at, &format!("alone-{number}"), &inputs[number], &[]));
    let url = "https://h1.example/p";
    let answer = |index: &Path| {
        run(&[
            "explain",
            "--json",
            "--url",
            url,
            "--sites",
            &index.to_string_lossy(),
        ])
    };
    let answers = alone
        .clone()
        .map(|index| String::from_utf8(answer(&index).stdout).expect("UTF-8"));
    let out = index(&at, "index", &inputs[0], &[]);
    let (ended, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let read = || {
            while !ended.load(Ordering::Relaxed) {
                let answered = answer(&out);
                let printed = String::from_utf8(answered.stdout).expect("UTF-8");
                let said = String::from_utf8_lossy(&answered.stderr);
                assert!(answered.status.success(), "{said}");
                assert!(answers.contains(&printed), "{printed}");
                reads.fetch_add(1, Ordering::Relaxed);
            }
        };
        let _end = OnDrop(&ended);
        scope.spawn(read);
        scope.spawn(read);
        let mut random = Rng::with_seed(26);
        for number in 0..kills {
            let place = 1 + number % 2;
            let flags = [
                "index",
                "-q",
                "--overwrite",
                "-o",
                out.to_str().expect("UTF-8"),
            ];
            let inputs: Vec<&str> = inputs[place].iter().map(String::as_str).collect();
            let args = [&flags[..], &inputs].concat();
            let mut writing = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
                .args(&args)
                .spawn()
                .expect("it runs");
            std::thread::sleep(Duration::from_micros(random.u64(..500_000)));
            writing.kill().expect("it is killed");
            writing.wait().expect("it ended");
            let found = whole(&out);
            assert!(alone.iter().any(|alone| whole(alone) == found));
            done(&args);
            assert!(files(&out) == files(&alone[place]), "kill {number}");
        }
    });
    assert!(reads.load(Ordering::Relaxed) > 0);
}

/// Says that it ended, also where it panics.
struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn local_a_crawl_can_be_left_out() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let all = evidence();
    let others = index(&at, "others", &all[1..], &[]);
    for (name, inputs) in [
        ("of-index", vec![of_world("index")]),
        ("of-evidence", all.clone()),
    ] {
        let left = index(&at, name, &inputs, &["--without", CRAWLS[0]]);
        assert!(files(&left) == files(&others), "{name}");
    }
    let out = at.path().join("wrong").to_string_lossy().into_owned();
    let (status, message) = failed(&["index", &all[0], "--without", "CC-MAIN-1999-01", "-o", &out]);
    assert_eq!(status, Some(1));
    assert!(
        message.contains("CC-MAIN-1999-01") && message.contains(CRAWLS[0]),
        "{message}"
    );
}

#[test]
fn local_the_making_is_reported_as_that_of_tables() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| at.path().join(name).to_string_lossy().into_owned();
    let (out, report, metrics) = (place("index"), place("report.json"), place("index.prom"));
    let made = |evidence: &str, more: &[&str]| {
        let flags = [
            "index",
            evidence,
            "-o",
            &out,
            "--report",
            &report,
            "--metrics",
            &metrics,
        ];
        run(&[&flags[..], &["--log-format", "json"], more].concat())
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let mut digests = Vec::new();
    for is_new in [true, false] {
        let ran = made(&evidence()[0], &[]);
        assert_eq!(ran.status.code(), Some(0));
        let said = String::from_utf8(ran.stderr).expect("UTF-8");
        let events: Vec<Value> = said.lines().map(json).collect();
        assert_eq!(
            events
                .iter()
                .any(|event| event["event"] == "started" && event["work"] == "index"),
            is_new
        );
        let last = events.last().expect("an event");
        assert_eq!(
            (&last["event"], &last["status"]),
            (&Value::from("finished"), &Value::from(0))
        );
        let report = json(&fs::read_to_string(&report).expect("a report"));
        assert_eq!(
            (&report["command"], &report["index"]["is_new"]),
            (&Value::from("index"), &Value::from(is_new))
        );
        assert!(
            !is_new || report["totals"]["captures_indexed"].as_u64() > Some(50),
            "{report}"
        );
        digests.push(
            report["index"]["sha256"]
                .as_str()
                .expect("a digest")
                .to_owned(),
        );
        let metrics = fs::read_to_string(&metrics).expect("metrics");
        assert!(
            metrics.contains("crawlprefs_info{command=\"index\""),
            "{metrics}"
        );
        assert!(
            metrics.contains("\ncrawlprefs_exit_status{command=\"index\",")
                && metrics.contains("\ncrawlprefs_running{command=\"index\",")
        );
    }
    assert_eq!(digests, [whole(Path::new(&out)), digests[1].clone()]);
    let ran = made(&evidence()[1], &[]);
    assert_eq!(ran.status.code(), Some(1));
    let report = json(&fs::read_to_string(&report).expect("a report"));
    assert_eq!(
        (&report["outcome"], &report["error"]["kind"]),
        (&"failed".into(), &"index_exists".into())
    );
}

#[test]
fn local_a_call_that_is_stopped_leaves_what_was_there_and_the_next_one_goes_on() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let out = index(&at, "index", &evidence()[..1], &[]);
    let old = whole(&out);
    let place: Arc<dyn Store> = Arc::new(FolderStore::new(out.clone()));
    let steps = AtomicUsize::new(0);
    let stopped = |_| steps.fetch_add(1, Ordering::Relaxed) < 20;
    let made =
        sites::index(input(1), &place, &options(Existing::Replace), &stopped).expect("no error");
    assert!(made.is_none());
    assert_eq!(whole(&out), old);
    let made =
        sites::index(input(1), &place, &options(Existing::Replace), &|_| true).expect("no error");
    assert!(files(&out) == files(&index(&at, "alone", &evidence()[1..2], &[])));
    assert_eq!(made.expect("not stopped").sha256, whole(&out));
}

/// The process is asked to stop by SIGTERM, and says what that means.
#[test]
fn local_sigterm_stops_in_words() {
    let at = tempfile::tempdir().expect("a temporary folder");
    let out = at.path().join("index");
    let inputs: Vec<String> = (0..8).flat_map(|_| evidence()).collect();
    let ended = (1..40).find_map(|wait| {
        let place = out.to_string_lossy().into_owned();
        let mut words = vec!["index", "--overwrite", "-o", &place];
        words.extend(inputs.iter().map(String::as_str));
        let program = env!("CARGO_BIN_EXE_crawlprefs");
        let writing = Command::new(program)
            .args(&words)
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        let writing = writing.expect("it runs");
        std::thread::sleep(Duration::from_millis(10 * wait));
        Command::new("kill")
            .args(["-TERM", &writing.id().to_string()])
            .status()
            .expect("it is asked");
        let ended = writing.wait_with_output().expect("it ended");
        let said = String::from_utf8(ended.stderr).expect("UTF-8");
        said.contains("stopped")
            .then_some((ended.status.code(), said))
    });
    let (status, said) = ended.expect("it was stopped at work");
    assert_eq!(status, Some(143), "{said}");
    assert!(
        said.contains("the same command makes the new one"),
        "{said}"
    );
}
