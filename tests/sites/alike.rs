//! Archives that claim to be the same and are not: one length, and the first and the last 64 KiB alike. Whichever layer comes first,
//! no layer takes the no of another one away (KNOW-1), and in any order the answers are the same.

use crate::world::warc;
use crate::{done, failed, files, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer than what a fingerprint has of an end.
const FILLER_BYTES: usize = 70 << 10;

/// Writes an archive in whose middle `victim.test` says something, and another host an hour later.
fn archive(folder: &Path, rules: &[u8; 16], end: usize) -> PathBuf {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n";
    let filler = || warc::response("https://filler.test/x", "05:00:00", "", &vec![b'x'; FILLER_BYTES]);
    let records = [
        filler(),
        warc::response("https://victim.test/robots.txt", "06:00:00", "", &[&head[..], rules].concat()),
        warc::response(
            "https://other.test/robots.txt",
            "07:00:00",
            "",
            &[&head[..], b"Disallow: /x\n"].concat(),
        ),
        filler(),
    ];
    fs::create_dir_all(folder).expect("a folder");
    let path = folder.join("a.warc");
    let mut bytes = records.concat();
    bytes.truncate(bytes.len() - end);
    fs::write(&path, bytes).expect("an archive");
    path
}

/// Scans an archive and makes an index of it; returns both.
fn read(folder: &Path, name: &str, rules: &[u8; 16], end: usize) -> [String; 2] {
    let [evidence, index] = ["evidence", "index"]
        .map(|kind| folder.join(format!("{name}-{kind}")).to_string_lossy().into_owned());
    let archive = archive(&folder.join(name), rules, end).to_string_lossy().into_owned();
    // A cut archive is read, and reported by the status.
    run(&["scan", &archive, "-q", "-o", &evidence]);
    done(&["index", &evidence, "--allow-incomplete", "-q", "-o", &index]);
    [evidence, index]
}

fn access(sites: &[&str], host: &str) -> Value {
    let url = format!("https://{host}/page");
    let flags: Vec<&str> = sites.iter().flat_map(|index| ["--sites", *index]).collect();
    let answer = done(&[&["explain", "--json", "--allow-incomplete", "--url", &url][..], &flags].concat());
    serde_json::from_str::<Value>(&answer).expect("JSON")["access"].clone()
}

#[test]
fn know_1_no_layer_takes_a_no_away_by_an_archive_that_claims_to_be_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [mine, my_index] = read(folder.path(), "mine", b"Disallow: /    \n", 0);
    let [theirs, their_index] = read(folder.path(), "theirs", b"Allow: /       \n", 0);
    assert_eq!(access(&[&my_index], "victim.test"), "disallow");
    assert_eq!(access(&[&their_index], "victim.test"), "allow");
    for layers in [[&my_index, &their_index], [&their_index, &my_index]] {
        assert_eq!(access(&layers.map(String::as_str), "victim.test"), "disallow", "{layers:?}");
        assert_eq!(access(&layers.map(String::as_str), "other.test"), "allow", "{layers:?}");
    }
    let inputs =
        [[&my_index, &their_index], [&their_index, &my_index], [&mine, &their_index], [&theirs, &my_index]];
    let mut all = Vec::new();
    for (number, inputs) in inputs.into_iter().enumerate() {
        let out = folder.path().join(format!("merged-{number}")).to_string_lossy().into_owned();
        let ran = run(&["index", inputs[0], inputs[1], "-o", &out]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        assert!(said.contains("a.warc") && said.contains("different answers"), "{said}");
        assert_eq!(access(&[&out], "victim.test"), "disallow", "{inputs:?}");
        assert_eq!(access(&[&out], "other.test"), "allow", "{inputs:?}");
        let status = run(&["status", &out]);
        assert!(String::from_utf8_lossy(&status.stdout).contains("different answers"));
        all.push(files(Path::new(&out)));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes in any order");
    // Evidence of both is refused, in any order.
    for evidence in [[&mine, &theirs], [&theirs, &mine]] {
        for command in ["resolve", "index"] {
            let out = folder.path().join("refused").to_string_lossy().into_owned();
            let (status, said) = failed(&[command, "-q", evidence[0], evidence[1], "-o", &out]);
            assert_eq!(status, Some(1), "{said}");
            assert!(said.contains("a.warc") && said.contains("of different files"), "{said}");
        }
    }
}

#[test]
fn know_1_an_index_that_was_made_of_one_archive_is_not_the_index_of_both() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [_, mine] = read(folder.path(), "mine", b"Disallow: /    \n", 0);
    let [_, theirs] = read(folder.path(), "theirs", b"Allow: /       \n", 0);
    let out = folder.path().join("out").to_string_lossy().into_owned();
    done(&["index", "-q", &theirs, "-o", &out]);
    let (_, said) = failed(&["index", "-q", &mine, &theirs, "-o", &out]);
    assert!(said.contains("--overwrite"), "{said}");
    assert_eq!(access(&[&out], "victim.test"), "allow");
    done(&["index", "-q", &mine, &theirs, "-o", &out, "--overwrite"]);
    assert_eq!(access(&[&out], "victim.test"), "disallow");
    // What is there already is not written again.
    done(&["index", "-q", &theirs, &mine, "-o", &out]);
    assert_eq!(access(&[&out], "victim.test"), "disallow");
}

#[test]
fn know_1_a_cut_copy_keeps_its_noes_beside_a_longer_one_that_lacks_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [_, mine] = read(folder.path(), "mine", b"Disallow: /    \n", 100);
    let [_, theirs] = read(folder.path(), "theirs", b"Allow: /       \n", 0);
    for layers in [[&mine, &theirs], [&theirs, &mine]] {
        assert_eq!(access(&layers.map(String::as_str), "victim.test"), "disallow", "{layers:?}");
        let out = folder.path().join("merged").to_string_lossy().into_owned();
        done(&["index", "-q", layers[0], layers[1], "--allow-incomplete", "--overwrite", "-o", &out]);
        assert_eq!(access(&[&out], "victim.test"), "disallow", "{layers:?}");
    }
}
