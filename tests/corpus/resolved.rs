//! A segment resolved in several ways gives the same rows, and the same bytes.

use crate::captures::rows_of;
use crate::corpus;
use crate::files::files;
use parquet::record::Row;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the command, which must be content and say nothing.
pub fn command(args: &[&str], inputs: &[&Path], out: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_crawlprefs"))
        .args(args)
        .arg("-q")
        .args(inputs)
        .arg("-o")
        .arg(out)
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{}: {said}",
        output.status
    );
}

/// Asserts that two folders have the same files with the same bytes.
fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert!(
        !one.is_empty() && one.keys().eq(other.keys()),
        "{:?}, {:?}",
        one.keys(),
        other.keys()
    );
    let different: Vec<&String> = one
        .keys()
        .filter(|name| one[*name] != other[*name])
        .collect();
    assert!(different.is_empty(), "{different:?}");
}

/// Returns rows as texts, sorted.
fn sorted(rows: &[Row], text: impl Fn(&Row) -> String) -> Vec<String> {
    let mut texts: Vec<String> = rows.iter().map(text).collect();
    texts.sort();
    texts
}

fn whole(row: &Row) -> String {
    format!("{row:?}")
}

#[test]
fn know_2_one_segment_has_the_rows_that_it_has_by_itself() {
    let Some(segment) = corpus("segment") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, own) = (folder.path().join("out"), folder.path().join("own"));
    command(&["run"], &[&segment], &out);
    command(&["resolve", "--scope", "segment"], &[&out], &own);
    for (table, least) in [("pages", 6685), ("statements", 1000)] {
        let [all, own] = [&out, &own].map(|out| rows_of(&out.join(table)));
        assert!(
            all.len() >= least && sorted(&all, whole) == sorted(&own, whole),
            "{table} differ"
        );
    }
}

#[test]
fn local_workers_and_halves_change_no_byte() {
    let Some(segment) = corpus("segment") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    command(&["run", "-j", "1"], &[&segment], &place("one"));
    command(&["run", "-j", "2"], &[&segment], &place("two"));
    assert_same(&place("one"), &place("two"));
    command(&["scan"], &[&segment], &place("halves"));
    command(
        &["resolve", "-j", "1"],
        &[&place("halves")],
        &place("elsewhere"),
    );
    // Without an output of its own it writes beside the evidence.
    let halves = place("halves");
    command(&["resolve", "-j", "2"], &[&halves], &halves);
    assert_same(&place("one"), &halves);
    for table in ["pages", "statements"] {
        assert_same(&place("one").join(table), &place("elsewhere").join(table));
    }
}

#[test]
#[cfg(unix)]
fn local_the_way_to_the_inputs_changes_no_byte() {
    let Some(segment) = corpus("segment") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    let segment = segment.canonicalize().expect("it is there");
    fs::create_dir(place("some")).expect("it can be made");
    let link = place("some").join("mount");
    std::os::unix::fs::symlink(&segment, &link).expect("a link");
    command(&["run"], &[&segment], &place("straight"));
    command(&["run"], &[&link], &place("linked"));
    assert_same(&place("straight"), &place("linked"));
    // Another folder of output, reached over a link, too.
    fs::create_dir(place("target")).expect("it can be made");
    std::os::unix::fs::symlink(place("target"), place("out")).expect("a link");
    command(&["run"], &[&link.join("crawl-data")], &place("out"));
    assert_same(&place("straight"), &place("target"));
}
