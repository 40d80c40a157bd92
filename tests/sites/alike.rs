//! Archives that claim to be the same and are not: one length, and the first and the last 64 KiB alike. Whichever layer comes first,
//! no layer takes the no of another one away (KNOW-1), and in any order the answers are the same.

use crate::altered::{replace, with_column};
use crate::world::warc;
use crate::{done, failed, files, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer than what a fingerprint has of an end.
const FILLER_BYTES: usize = 70 << 10;

/// Writes an archive in whose middle `victim.test` says something, and another host an hour later.
fn archive(folder: &Path, rules: &[u8; 16], end: usize) -> PathBuf {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n";
    let filler = || {
        warc::response(
            "https://filler.test/x",
            "05:00:00",
            "",
            &vec![b'x'; FILLER_BYTES],
        )
    };
    let records = [
        filler(),
        warc::response(
            "https://victim.test/robots.txt",
            "06:00:00",
            "",
            &[&head[..], rules].concat(),
        ),
        // What stands before a damaged record is in doubt.
        warc::response("https://between.test/x", "06:30:00", "", head),
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
    let [evidence, index] = ["evidence", "index"].map(|kind| {
        folder
            .join(format!("{name}-{kind}"))
            .to_string_lossy()
            .into_owned()
    });
    let archive = archive(&folder.join(name), rules, end)
        .to_string_lossy()
        .into_owned();
    // A cut archive is read, and reported by the status.
    run(&["scan", &archive, "-q", "-o", &evidence]);
    done(&["index", &evidence, "--allow-incomplete", "-q", "-o", &index]);
    [evidence, index]
}

fn access(sites: &[&str], host: &str) -> Value {
    let url = format!("https://{host}/page");
    let flags: Vec<&str> = sites.iter().flat_map(|index| ["--sites", *index]).collect();
    let answer = done(
        &[
            &["explain", "--json", "--allow-incomplete", "--url", &url][..],
            &flags,
        ]
        .concat(),
    );
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
        assert_eq!(
            access(&layers.map(String::as_str), "victim.test"),
            "disallow",
            "{layers:?}"
        );
        assert_eq!(
            access(&layers.map(String::as_str), "other.test"),
            "allow",
            "{layers:?}"
        );
    }
    let inputs = [
        [&my_index, &their_index],
        [&their_index, &my_index],
        [&mine, &their_index],
        [&theirs, &my_index],
    ];
    let mut all = Vec::new();
    for (number, inputs) in inputs.into_iter().enumerate() {
        let out = folder
            .path()
            .join(format!("merged-{number}"))
            .to_string_lossy()
            .into_owned();
        let ran = run(&["index", inputs[0], inputs[1], "-o", &out]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        assert!(
            said.contains("a.warc") && said.contains("different answers"),
            "{said}"
        );
        assert_eq!(access(&[&out], "victim.test"), "disallow", "{inputs:?}");
        assert_eq!(access(&[&out], "other.test"), "allow", "{inputs:?}");
        let status = run(&["status", &out]);
        assert!(String::from_utf8_lossy(&status.stdout).contains("different answers"));
        all.push(files(Path::new(&out)));
    }
    assert!(
        all.windows(2).all(|pair| pair[0] == pair[1]),
        "the same bytes in any order"
    );
    // Evidence of both is refused, in any order.
    for evidence in [[&mine, &theirs], [&theirs, &mine]] {
        for command in ["resolve", "index"] {
            let out = folder.path().join("refused").to_string_lossy().into_owned();
            let (status, said) = failed(&[command, "-q", evidence[0], evidence[1], "-o", &out]);
            assert_eq!(status, Some(1), "{said}");
            assert!(
                said.contains("a.warc") && said.contains("of different files"),
                "{said}"
            );
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
        assert_eq!(
            access(&layers.map(String::as_str), "victim.test"),
            "disallow",
            "{layers:?}"
        );
        let out = folder.path().join("merged").to_string_lossy().into_owned();
        done(&[
            "index",
            "-q",
            layers[0],
            layers[1],
            "--allow-incomplete",
            "--overwrite",
            "-o",
            &out,
        ]);
        assert_eq!(access(&[&out], "victim.test"), "disallow", "{layers:?}");
    }
}

/// What an archive in whose middle two hosts say something may be in another copy, of the same length and with the same ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Copy {
    Closed,
    Open,
    /// It has no record of the site.
    Silent,
    /// `Closed`, and a record of another host cannot be read.
    ClosedDamaged,
    /// `Open`, and the same record cannot be read.
    OpenDamaged,
    /// The record of the site cannot be read.
    Lost,
}

const COPIES: [Copy; 6] = [
    Copy::Closed,
    Copy::Open,
    Copy::Silent,
    Copy::ClosedDamaged,
    Copy::OpenDamaged,
    Copy::Lost,
];

impl Copy {
    fn answer(self) -> &'static str {
        match self {
            Self::Closed | Self::ClosedDamaged => "disallow",
            Self::Open | Self::OpenDamaged => "allow",
            Self::Silent | Self::Lost => "unknown",
        }
    }

    /// Returns whether one of both is what is left of the other.
    fn is_copy_of(self, other: Self) -> bool {
        let is_left = |one, other| match (one, other) {
            (Self::ClosedDamaged, Self::Closed) | (Self::OpenDamaged, Self::Open) => true,
            (Self::Lost, Self::Closed | Self::Open | Self::Silent) => true,
            (one, other) => one == other,
        };
        is_left(self, other) || is_left(other, self)
    }

    /// Scans it and makes an index of it; returns both.
    fn read(self, folder: &Path) -> [String; 2] {
        let rules = if self.answer() == "allow" {
            b"Allow: /       \n"
        } else {
            b"Disallow: /    \n"
        };
        let name = format!("{self:?}");
        let path = archive(&folder.join(&name), rules, 0);
        let mut bytes = fs::read(&path).expect("an archive");
        let mut replace = |from: &str, to: &str| {
            let at = memchr::memmem::find(&bytes, from.as_bytes()).expect("it is there");
            let start = memchr::memmem::rfind(&bytes[..at], b"WARC/1.0").expect("a record");
            let (from, at) = if to == "XXXX" {
                (4, start)
            } else {
                (from.len(), at)
            };
            bytes[at..at + from].copy_from_slice(to.as_bytes());
        };
        match self {
            Self::Closed | Self::Open => {}
            Self::Silent => replace("victim.test", "others.test"),
            Self::ClosedDamaged | Self::OpenDamaged => replace("other.test", "XXXX"),
            Self::Lost => replace("victim.test", "XXXX"),
        }
        fs::write(&path, bytes).expect("an archive");
        let [evidence, index] = ["evidence", "index"].map(|kind| {
            folder
                .join(format!("{name}-{kind}"))
                .to_string_lossy()
                .into_owned()
        });
        run(&["scan", &path.to_string_lossy(), "-q", "-o", &evidence]);
        done(&["index", &evidence, "--allow-incomplete", "-q", "-o", &index]);
        [evidence, index]
    }
}

/// no > unknown > yes
fn strictest(answers: [&str; 2]) -> &str {
    ["disallow", "unknown"]
        .into_iter()
        .find(|answer| answers.contains(answer))
        .unwrap_or(answers[0])
}

/// Returns what a command makes of inputs, or the exit status that refuses them.
fn made(
    folder: &Path,
    command: &[&str],
    inputs: [&String; 2],
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let out = folder.join("made");
    fs::remove_dir_all(&out).ok();
    let ran = run(&[
        command,
        &["-q", inputs[0], inputs[1], "-o", &out.to_string_lossy()],
    ]
    .concat());
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    match ran.status.code() {
        Some(0) => {
            let mut made = files(&out);
            // It has the names of the folders.
            made.remove("_resolved.json");
            Ok(made)
        }
        Some(1) => Err(said),
        other => panic!("{command:?}: {other:?}: {said}"),
    }
}

#[test]
fn know_1_copies_that_claim_to_be_one_archive_answer_alike_in_any_order_and_never_weaker() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let read = COPIES.map(|copy| (copy, copy.read(folder.path())));
    for (place, (one, [one_evidence, one_index])) in read.iter().enumerate() {
        assert_eq!(access(&[one_index], "victim.test"), one.answer(), "{one:?}");
        for (other, [evidence, index]) in &read[place + 1..] {
            let expected = strictest([one.answer(), other.answer()]);
            // A robots.txt in one copy is what the other one lost.
            let expected =
                if [one, other].contains(&&Copy::Silent) || [one, other].contains(&&Copy::Lost) {
                    if one.answer() == "unknown" {
                        other.answer()
                    } else {
                        one.answer()
                    }
                } else {
                    expected
                };
            for layers in [[one_index, index], [index, one_index]] {
                assert_eq!(
                    access(&layers.map(String::as_str), "victim.test"),
                    expected,
                    "{one:?} {other:?}"
                );
            }
            let index_of = |inputs| made(folder.path(), &["index", "--allow-incomplete"], inputs);
            let merged = index_of([one_index, index]).expect("indexes are merged");
            assert!(
                index_of([index, one_index]).expect("indexes are merged") == merged,
                "{one:?} {other:?}"
            );
            let out = folder.path().join("made").to_string_lossy().into_owned();
            assert_eq!(
                access(&[&out], "victim.test"),
                expected,
                "{one:?} {other:?}"
            );
            for command in [&["index", "--allow-incomplete"][..], &["resolve"]] {
                let both = [[one_evidence, evidence], [evidence, one_evidence]];
                let [first, second] = both.map(|inputs| made(folder.path(), command, inputs));
                assert_eq!(
                    first.is_ok(),
                    one.is_copy_of(*other),
                    "{one:?} {other:?}: {:?}",
                    first.err()
                );
                assert!(first.is_ok() == second.is_ok(), "{one:?} {other:?}");
                if let (Ok(first), Ok(second)) = (&first, &second) {
                    assert!(
                        first == second,
                        "{one:?} {other:?}: the same bytes in any order"
                    );
                }
                if let Err(said) = first {
                    assert!(
                        said.contains("a.warc") && said.contains("--again"),
                        "{said}"
                    );
                }
            }
        }
    }
}

#[test]
fn know_1_a_page_of_two_archives_of_one_length_keeps_the_no_of_its_header() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scan = |name: &str, field: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{field}\r\n\r\n<p>x");
        let page = warc::response("https://victim.test/page", "06:00:00", "", head.as_bytes());
        let filler = || {
            warc::response(
                "https://filler.test/x",
                "05:00:00",
                "",
                &vec![b'x'; FILLER_BYTES],
            )
        };
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, [filler(), page, filler()].concat()).expect("an archive");
        let evidence = folder
            .path()
            .join(name.replace('/', "-"))
            .with_extension("evidence");
        let evidence = evidence.to_string_lossy().into_owned();
        done(&["scan", &path.to_string_lossy(), "-q", "-o", &evidence]);
        evidence
    };
    let (mine, theirs) = (
        scan("mine/b.warc", "X-Robots-Tag: noai"),
        scan("theirs/a.warc", "X-Nothing-At: noai"),
    );
    for evidence in [[&mine, &theirs], [&theirs, &mine]] {
        let tables = made(folder.path(), &["resolve"], evidence).expect("tables of both");
        assert!(!tables.is_empty());
        let pages = crate::rows::rows(&folder.path().join("made/pages"));
        let labels: Vec<String> = pages
            .iter()
            .filter(|row| crate::rows::value(row, "url_host_name") == "victim.test")
            .map(|row| crate::rows::value(row, "train_genai").to_string())
            .collect();
        assert!(
            labels.iter().any(|label| label.contains("disallow")),
            "{labels:?}"
        );
    }
}

/// A body under the digest of another one would be the robots.txt of every site that has that one.
#[test]
fn know_1_a_body_that_is_not_what_its_digest_names_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [mine, _] = Copy::Closed.read(folder.path());
    let [theirs, _] = read(folder.path(), "theirs", b"Disallow: /    \n", 0);
    let evidence = Path::new(&theirs);
    let all = files(evidence);
    let (name, content) = all
        .iter()
        .find(|(name, _)| name.contains("/site_files/"))
        .expect("a file");
    let open = |body: &[u8]| {
        let text = String::from_utf8(body.to_vec()).expect("text");
        text.replace("Disallow: /    ", "Allow: /       ")
            .into_bytes()
    };
    replace(evidence, &all, name, &with_column(content, "body", &open));
    let out = folder.path().join("made").to_string_lossy().into_owned();
    for command in ["resolve", "index"] {
        fs::remove_dir_all(&out).ok();
        let (status, said) = failed(&[command, "-q", &theirs, "-o", &out]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("a body has the digest"), "{said}");
        // Beside the right one, either that one is read, or it is refused.
        let both = [[&theirs, &mine], [&mine, &theirs]]
            .map(|inputs| made(folder.path(), &[command], inputs));
        assert!(both[0] == both[1], "the same in any order");
        if both[0].is_ok() && command == "index" {
            assert_eq!(access(&[&out], "victim.test"), "disallow");
        }
    }
}
