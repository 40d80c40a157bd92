//! Archives that could not be read, or not all of them: a user who judges without them has to allow it.

use crate::files::files;
use crate::world::segments;
use crate::{done, evidence, failed, of_world, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const ALLOWED: &str = "--allow-incomplete";

/// Returns the archives of robots.txt below a folder.
fn robots_archives(folder: &Path) -> Vec<PathBuf> {
    let names = files(folder)
        .into_keys()
        .filter(|name| name.contains("/robotstxt/"));
    names.map(|name| folder.join(name)).collect()
}

/// Copies a folder of archives.
fn copied(from: &Path, to: &Path) {
    for (name, content) in files(from) {
        let file = to.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, content).expect("a file");
    }
}

/// Every command that judges by an index or by tables, which refuses them, and takes them where that is asked for.
fn is_refused_by_all(folder: &Path, what: &str) {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (index, out, tables) = (at("index"), at("out"), at("tables"));
    let (message, made) = (
        failed(&["index", "-q", &out, "-o", &index]).1,
        folder.join("index"),
    );
    assert!(
        message.contains(what) && message.contains(ALLOWED) && !made.exists(),
        "{message}"
    );
    done(&["index", "-q", &out, "-o", &index, ALLOWED]);
    let status = run(&["status", &index, "--json"]);
    assert_eq!(status.status.code(), Some(3));
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["complete"], false);
    assert!(
        status["hosts_lacking_share"].as_f64().expect("a share") > 0.0,
        "{status}"
    );
    done(&["resolve", "-q", &out, "-o", &tables]);
    fs::write(folder.join("urls.txt"), "http://h1.example/\n").expect("a file");
    let (urls, as_of) = (at("urls.txt"), at("as-of"));
    let commands: [&[&str]; 6] = [
        &["index", "-q", &index, "-o", &at("merged")],
        &["judge", "-q", "--sites", &index, &urls],
        &[
            "judge",
            "-q",
            "--tables",
            &tables,
            "--evidence",
            &out,
            &urls,
        ],
        &["explain", "--sites", &index, "--url", "http://h1.example/"],
        &["history", "h1.example", "--sites", &index],
        &["sites", "-q", &index, "--at", "2026-03-02", "-o", &as_of],
    ];
    for command in commands {
        let (status, message) = failed(command);
        assert!(matches!(status, Some(1 | 2)), "{command:?}: {message}");
        assert!(
            message.contains(what) && message.contains(ALLOWED),
            "{command:?}: {message}"
        );
        let ran = run(&[command, &[ALLOWED]].concat());
        let said = String::from_utf8_lossy(&ran.stderr);
        // A host may have nothing in what there is.
        assert!(
            ran.status.success() || said.contains("h1.example"),
            "{command:?}: {said}"
        );
    }
}

#[test]
fn local_an_archive_that_was_cut_makes_no_complete_index_and_no_complete_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archives = folder.path().join("archives");
    copied(
        Path::new(&evidence()[0].replace("out-0", "archives-0")),
        &archives,
    );
    let cut = robots_archives(&archives).remove(0);
    let whole = fs::read(&cut).expect("an archive");
    fs::write(&cut, &whole[..whole.len() / 2]).expect("an archive");
    let scanned = run(&[
        "scan",
        "-q",
        &archives.to_string_lossy(),
        "-o",
        &folder.path().join("out").to_string_lossy(),
    ]);
    assert_eq!(scanned.status.code(), Some(3));
    is_refused_by_all(folder.path(), "1 of 8 archives are cut inside a record");
}

#[test]
fn local_a_record_that_was_lost_to_damage_makes_no_complete_index_and_no_complete_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archives = folder.path().join("archives");
    copied(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/crawl-data"),
        &archives.join("crawl-data"),
    );
    let damaged = robots_archives(&archives).remove(0);
    let mut bytes = fs::read(&damaged).expect("an archive");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(&damaged, bytes).expect("an archive");
    done(&[
        "scan",
        "-q",
        &archives.to_string_lossy(),
        "-o",
        &folder.path().join("out").to_string_lossy(),
    ]);
    is_refused_by_all(folder.path(), "1 record was lost");
}

#[test]
fn local_the_good_copy_of_an_archive_that_was_cut_continues_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let archives = folder.path().join("archives");
    copied(
        Path::new(&evidence()[0].replace("out-0", "archives-0")),
        &archives,
    );
    let cut = robots_archives(&archives).remove(0);
    let whole = fs::read(&cut).expect("an archive");
    // Inside of a body, so that its last capture is another one than in the whole archive.
    let end = whole.len() / 2;
    fs::write(&cut, &whole[..end]).expect("an archive");
    run(&["scan", "-q", &at("archives"), "-o", &at("out")]);
    let segment = &segments(0)[0];
    done(&[
        "index",
        "-q",
        &at("out"),
        "--segment",
        segment,
        "-o",
        &at("cut"),
        ALLOWED,
    ]);
    done(&[
        "index",
        "-q",
        &evidence()[0],
        "--segment",
        segment,
        "-o",
        &at("good"),
    ]);
    done(&["index", "-q", &at("cut"), &at("good"), "-o", &at("one")]);
    done(&["index", "-q", &at("good"), &at("cut"), "-o", &at("other")]);
    let good = files(&folder.path().join("good"));
    assert!(
        files(&folder.path().join("one")) == good && files(&folder.path().join("other")) == good
    );
    // Another archive of the same name is none of these.
    let mut other = whole.clone();
    other[100] ^= 1;
    fs::write(&cut, &other).expect("an archive");
    run(&["scan", "-q", &at("archives"), "-o", &at("other-out")]);
    done(&[
        "index",
        "-q",
        &at("other-out"),
        "--segment",
        segment,
        "-o",
        &at("another"),
        ALLOWED,
    ]);
    let message = failed(&[
        "index",
        "-q",
        &at("another"),
        &at("good"),
        "-o",
        &at("none"),
        ALLOWED,
    ])
    .1;
    assert!(message.contains("name only one of both"), "{message}");
}

#[test]
fn local_archives_that_could_not_be_read_are_said_and_have_to_be_allowed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(folder.path().join("no.warc.gz"), "not an archive").expect("a file");
    let ran = run(&[
        "scan",
        "-q",
        &at("no.warc.gz"),
        &evidence()[0].replace("out-0", "archives-0"),
        "--crawl",
        "one",
        "-o",
        &at("out"),
    ]);
    assert_eq!(ran.status.code(), Some(3));
    let refused = failed(&["index", "-q", &at("out"), "-o", &at("index")]).1;
    assert!(
        refused.contains("1 of 9 archives could not be read") && refused.contains(ALLOWED),
        "{refused}"
    );
    let made = run(&["index", "-q", &at("out"), "-o", &at("index"), ALLOWED]);
    assert!(made.status.success());
    let warning = String::from_utf8(made.stderr).expect("UTF-8");
    assert!(
        warning.contains("1 of 9 archives could not be read"),
        "{warning}"
    );
    fs::write(folder.path().join("urls.txt"), "http://h1.example/\n").expect("a file");
    let (status, message) = failed(&["judge", "-q", "--sites", &at("index"), &at("urls.txt")]);
    assert_eq!(status, Some(1));
    assert!(
        message.contains("--allow-incomplete") && message.contains("of their sites may be missing"),
        "{message}"
    );
    let ran = run(&["status", "--json", &at("index")]);
    let status: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let number = |name: &str| status[name].as_f64().expect("a number");
    // Four of the eight that were read are of pages, by their names; a capture is in each of the others with one chance.
    let share = 1.0 - (4.0_f64 / 5.0).powf(number("captures") / number("hosts"));
    assert!(
        (number("hosts_lacking_share") - share).abs() < 1e-9,
        "{status}"
    );
    let said = format!("may be missing (about {:.1} % of the hosts)", share * 100.0);
    assert!(message.contains(&said), "{message}");
    done(&[
        "judge",
        "-q",
        "--sites",
        &at("index"),
        "--allow-incomplete",
        &at("urls.txt"),
    ]);
    let ran = run(&["history", "h1.example", "--sites", &at("index"), ALLOWED]);
    let (printed, warning) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(ran.status.success(), "{warning}");
    assert!(
        warning.contains("1 of 9 archives could not be read, so that a no"),
        "{warning}"
    );
    assert!(
        printed.contains("1 archives of the index could not be read"),
        "{printed}"
    );
}

/// What an index lacks of a list is a list for other calls, byte by byte.
#[test]
fn local_the_archives_that_an_index_lacks_are_a_list() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (base, list) = (folder.path().to_string_lossy(), folder.path().join("list"));
    let lacking = "a.warc.gz\nsegments/right-to-left-\u{200f}.warc.gz\n";
    fs::write(&list, lacking).expect("a list");
    let of_list = [
        "--paths-from",
        &list.to_string_lossy(),
        "--base",
        &base,
        "--unread",
    ];
    let status = run(&[&["status", &of_world("index")], &of_list[..]].concat());
    assert_eq!(status.status.code(), Some(3));
    assert_eq!(String::from_utf8(status.stdout).expect("UTF-8"), lacking);
}
