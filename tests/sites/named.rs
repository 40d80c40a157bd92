//! `extract --sites`: the captures that an index's answer rests on are named, and copied from their archives.

use crate::world::warc;
use crate::{done, failed};
use std::fs;
use std::path::Path;

const PAGE: &str = "https://a.example/private/x";

fn robots(host: &str, at: &str, text: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}");
    warc::response(
        &format!("https://{host}/robots.txt"),
        at,
        "",
        block.as_bytes(),
    )
}

/// Writes two archives and an index of both; returns the place of the index.
fn index(folder: &Path) -> String {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    fs::create_dir(folder.join("in")).expect("a folder");
    let hop = b"HTTP/1.1 301 Moved\r\nLocation: https://b.example/rules.txt\r\n\r\n";
    let moved = warc::response(
        "https://a.example/robots.txt",
        "2026-09-10T06:00:00Z",
        "",
        hop,
    );
    let target =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n";
    let target = warc::response(
        "https://b.example/rules.txt",
        "2026-09-10T06:00:01Z",
        "",
        target,
    );
    let first = [
        robots("a.example", "06:00:00", "User-agent: *\nAllow: /\n"),
        robots("c.example", "06:00:00", ""),
    ];
    fs::write(folder.join("in/a.warc"), first.concat()).expect("an archive");
    let closed = robots(
        "a.example",
        "2026-10-10T06:00:00Z",
        "User-agent: *\nDisallow: /private\n",
    );
    let second = [robots("d.example", "06:00:00", ""), moved, target, closed];
    fs::write(folder.join("in/b.warc"), second.concat()).expect("an archive");
    done(&["run", &at("in"), "-q", "-o", &at("out")]);
    done(&["index", &at("out"), "-q", "-o", &at("index")]);
    at("index")
}

#[test]
fn local_the_captures_behind_an_answer_of_an_index_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index = index(folder.path());
    let said = done(&["extract", "--sites", &index, "--url", PAGE]);
    let mut lines: Vec<&str> = said.lines().collect();
    lines[1..].sort_unstable();
    assert_eq!(
        lines,
        [
            "warc_filename,kind,url,fetch_time",
            "a.warc,robots,https://a.example/robots.txt,2026-08-10T06:00:00Z",
            "b.warc,page,https://b.example/rules.txt,2026-09-10T06:00:01Z",
            "b.warc,robots,https://a.example/robots.txt,2026-09-10T06:00:00Z",
            "b.warc,robots,https://a.example/robots.txt,2026-10-10T06:00:00Z",
        ]
    );
    let (status, said) = failed(&[
        "extract",
        "--sites",
        &index,
        "--url",
        "https://nobody.example/",
    ]);
    assert!(
        status == Some(1) && said.contains("no capture of a file of its site"),
        "{said}"
    );
    let (status, said) = failed(&["extract", "--sites", &index]);
    assert!(status == Some(2) && said.contains("--url"), "{said}");
}

#[test]
fn local_the_records_of_an_indexs_answer_give_the_same_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (index, base) = (index(folder.path()), at("in"));
    let extract = [
        "extract", "--sites", &index, "--url", PAGE, "--base", &base, "-o",
    ];
    let said = done(&[&extract[..], &[&at("few.warc.gz")]].concat());
    assert!(said.contains("Copied 4 records"), "{said}");
    let said = done(&["extract", "--verify", &at("few.warc.gz"), "--base", &base]);
    assert!(said.contains("4 are as in the archives"), "{said}");
    done(&["run", &at("few.warc.gz"), "-q", "-o", &at("again")]);
    done(&["index", &at("again"), "-q", "-o", &at("small")]);
    let answer = |index: &str, time: &str| {
        let said = done(&[
            "explain", "--sites", index, "--url", PAGE, "--at", time, "--json",
        ]);
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        ["access", "access_line", "robots_state"].map(|name| said[name].clone())
    };
    for (time, access) in [
        ("2026-08-11", "allow"),
        ("2026-09-11", "disallow"),
        ("2026-10-11", "disallow"),
    ] {
        assert_eq!(answer(&at("small"), time), answer(&index, time));
        assert_eq!(answer(&index, time)[0], access, "{time}");
    }
    // In a folder, each archive's records have its name.
    done(&[&extract[..], &[&format!("{}/", at("few"))]].concat());
    assert!(
        folder.path().join("few/a.warc.warc.gz").exists()
            && folder.path().join("few/b.warc.warc.gz").exists()
    );
}

#[test]
fn local_another_archive_than_that_of_the_index_is_an_error_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (index, base) = (index(folder.path()), at("in"));
    let extract = [
        "extract",
        "--sites",
        &index,
        "--url",
        PAGE,
        "--base",
        &base,
        "-o",
        &at("few.warc.gz"),
    ];
    fs::write(
        folder.path().join("in/b.warc"),
        robots("a.example", "2026-09-10T06:00:01Z", ""),
    )
    .expect("an archive");
    let (status, said) = failed(&extract);
    let says = "b.warc: cannot be read: found no record of https://a.example/robots.txt with 2026-09-10T06:00:00Z";
    assert!(status == Some(1) && said.contains(says), "{said}");
    fs::remove_file(folder.path().join("in/b.warc")).expect("removed");
    let (status, said) = failed(&extract);
    assert!(status == Some(1) && said.contains("b.warc"), "{said}");
    assert!(!folder.path().join("few.warc.gz").exists());
}
