//! The bytes of an index depend on the archives alone.

use crate::ending::Ending;
use crate::world::{CRAWLS, Draw, segments};
use crate::{WORLD, done, evidence, failed, files, of_world};
use crawlprefs::runs::Existing;
use crawlprefs::sites::{self, IfIncomplete, IndexInput, IndexOptions};
use crawlprefs::store::{FolderStore, Store};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

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
                index(&folder, &name, std::slice::from_ref(evidence), &flags).to_string_lossy().into_owned(),
            );
        }
    }
    assert_eq!(pieces.len(), 2 * CRAWLS.len());
    let mut draw = Draw(7);
    for round in 0..20 {
        // Some pieces are evidence, some are merged first, and one may be there twice.
        let mut inputs = pieces.clone();
        draw.shuffle(&mut inputs);
        if draw.below(2) == 0 {
            inputs.push(evidence()[draw.below(CRAWLS.len())].clone());
        }
        let first: Vec<String> = inputs.drain(..1 + draw.below(3)).collect();
        let first = index(&folder, &format!("first-{round}"), &first, &[]);
        inputs.push(first.to_string_lossy().into_owned());
        draw.shuffle(&mut inputs);
        let merged = index(&folder, &format!("merged-{round}"), &inputs, &["-j", draw.one(&["1", "2"])]);
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
    assert!(message.contains("has a site index already") && message.contains("--overwrite"), "{message}");
    let (_, message) = failed(&["index", &out, "-o", &out, "--overwrite"]);
    assert!(message.contains("both an input and the output"), "{message}");
    assert!(files(&one) == before);
    done(&["index", "-q", &other, "-o", &out, "--overwrite"]);
    assert!(files(&one) == files(&index(&folder, "other", &[other], &[])));
    // What a process left that was killed is not an index, and is in nobody's way.
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

#[test]
fn local_an_index_of_which_the_writing_ended_is_the_old_one_or_none() {
    let inputs = || {
        let store: Arc<dyn Store> = Arc::new(FolderStore::of_input(evidence()[1].clone().into()));
        vec![IndexInput::of(store).expect("evidence")]
    };
    let options = |existing| IndexOptions {
        memory_bytes: 1 << 20,
        segments: Vec::new(),
        existing,
        incomplete: IfIncomplete::Refuse,
        jobs: NonZeroUsize::MIN,
        temp_dir: std::env::temp_dir(),
    };
    let old = tempfile::tempdir().expect("a temporary folder");
    let old = files(&index(&old, "index", &evidence()[..1], &[]));
    let new = tempfile::tempdir().expect("a temporary folder");
    let new = files(&index(&new, "index", &evidence()[1..2], &[]));
    for changes in 0.. {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in &old {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, content).expect("a file");
        }
        let store = Ending::after(changes, folder.path());
        let ended = sites::index(inputs(), &store, &options(Existing::Replace)).is_ok();
        let mut found = files(folder.path());
        found.remove("_index_unfinished");
        if ended {
            assert!(found == new);
            assert!(changes > 5, "it was never ended");
            return;
        }
        let has_index = found.contains_key("_index.json");
        assert!(found == old || found == new || !has_index, "{changes}");
        // The next call begins anew.
        let again = FolderStore::new(folder.path().to_owned());
        sites::index(inputs(), &again, &options(Existing::Replace)).expect("it is made");
        assert!(files(folder.path()) == new, "{changes}");
    }
}
