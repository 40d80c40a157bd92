//! `extract --verify`: an extract and a package of somebody whom nobody has to trust.

use crate::world::warc;
use crate::{done, failed};
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SCRIPT: &str = include_str!("../../data/verify.py");

/// Writes an archive of two records and an extract of them; returns the place of the extract.
fn extracted(folder: &Path) -> String {
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /\n";
    let records = ["a", "b"].map(|host| {
        warc::response(
            &format!("https://{host}.example/robots.txt"),
            "06:00:00",
            "",
            block,
        )
    });
    fs::write(folder.join("a.warc"), records.concat()).expect("an archive");
    let (first, second) = (records[0].len(), records[1].len());
    let list = format!(
        "warc_filename,warc_record_offset,warc_record_length\na.warc,0,{first}\na.warc,{first},{second}\n"
    );
    fs::write(folder.join("records.csv"), list).expect("a list");
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let out = at("package/records/a.warc.warc.gz");
    fs::create_dir_all(folder.join("package/records")).expect("a folder");
    done(&[
        "extract",
        "--from",
        &at("records.csv"),
        "--base",
        &at("."),
        "-o",
        &out,
    ]);
    out
}

/// Writes an extract again with other texts.
fn edit(extract: &str, change: impl Fn(String) -> String) {
    let bytes = fs::read(extract).expect("a file");
    let (mut rest, mut out) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let mut text = String::new();
        GzDecoder::new(&mut rest)
            .read_to_string(&mut text)
            .expect("text");
        let mut member = GzEncoder::new(&mut out, Compression::default());
        member.write_all(change(text).as_bytes()).expect("written");
        member.finish().expect("written");
    }
    fs::write(extract, out).expect("written");
}

#[test]
fn local_an_extract_is_compared_with_its_archives() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, base) = (
        extracted(folder.path()),
        folder.path().to_string_lossy().into_owned(),
    );
    let said = done(&["extract", "--verify", &out]);
    assert!(
        said.contains("2 records") && said.contains("not compared"),
        "{said}"
    );
    let said = done(&["extract", "--verify", &out, "--base", &base]);
    assert!(said.contains("2 are as in the archives"), "{said}");
    let whole = fs::read(&out).expect("a file");
    type Change = fn(String) -> String;
    let changes: [(Change, &str); 5] = [
        (
            |text| text.replace("Disallow: /", "Disallow:  "),
            "is not the one at byte",
        ),
        (
            |text| text.replace("a.example", "c.example"),
            "is not the one at byte",
        ),
        (
            |text| text.replace("a.warc\r\n", "../../\r\n"),
            "below --base",
        ),
        (
            |text| text.replace(": 0 ", ": 1 "),
            "expected exactly one record",
        ),
        (
            |text| text.replace("copied-record: 0 ", "copied-record: x "),
            "a copied-record line is not",
        ),
    ];
    for (change, says) in changes {
        edit(&out, change);
        let (status, said) = failed(&["extract", "--verify", &out, "--base", &base]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains(says), "{says}: {said}");
        fs::write(&out, &whole).expect("written");
    }
    // A name that leads elsewhere is refused without archives, too.
    for name in ["../a.warc", "/etc/passwd", "x/../../a.warc"] {
        edit(&out, |text| {
            text.replace("a.warc\r\n", &format!("{name}\r\n"))
        });
        let (status, said) = failed(&["extract", "--verify", &out]);
        assert!(
            status == Some(1) && said.contains(name) && said.contains("below --base"),
            "{name}: {said}"
        );
        fs::write(&out, &whole).expect("written");
    }
    // A record more, and one less.
    let member = whole.len() / 3;
    for (bytes, says) in [
        ([&whole[..], &whole[member..]].concat(), "a"),
        (whole[..member].to_vec(), "a"),
    ] {
        fs::write(&out, bytes).expect("written");
        let (status, said) = failed(&["extract", "--verify", &out]);
        assert!(status == Some(1) && said.contains(says), "{said}");
    }
    let (status, said) = failed(&["extract", "--verify", &format!("{base}/a.warc")]);
    assert!(status == Some(1) && said.contains("no extract"), "{said}");
}

/// Returns the paths of all files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    files.sort();
    files
}

/// Tables and lists of somebody else may name any file: nothing outside of `--base` is read, and nothing outside of `-o` written.
#[test]
fn local_a_name_in_a_list_of_records_leads_nowhere() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    extracted(folder.path());
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::create_dir_all(folder.path().join("base/below")).expect("a folder");
    // An archive that is beside the base, with its true length.
    let length = fs::metadata(at("a.warc")).expect("an archive").len() / 2;
    let absolute = at("a.warc");
    for name in ["../a.warc", "below/../../a.warc", absolute.as_str(), ".."] {
        let list =
            format!("warc_filename,warc_record_offset,warc_record_length\n{name},0,{length}\n");
        fs::write(at("forged.csv"), list).expect("a list");
        let before = files_below(folder.path());
        for out in ["out/deep/few.warc.gz", "out/deep/few/"] {
            let args = [
                "extract",
                "--from",
                &at("forged.csv"),
                "--base",
                &at("base"),
                "-o",
                &at(out),
            ];
            let (status, said) = failed(&args);
            assert!(
                status == Some(1) && said.contains("below --base"),
                "{name} to {out}: {said}"
            );
            assert_eq!(files_below(folder.path()), before, "{name} to {out}");
        }
    }
}

/// Writes `package.json` with the digests of some files.
fn package(folder: &Path, files: &[&str], more: &[(&str, &str)]) {
    let digest = |name: &&str| {
        let digest = Sha256::digest(fs::read(folder.join(name)).expect("a file"));
        ((*name).to_owned(), HEXLOWER.encode(&digest))
    };
    let mut listed: BTreeMap<String, String> = files.iter().map(digest).collect();
    listed.extend(
        more.iter()
            .map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())),
    );
    fs::write(
        folder.join("package.json"),
        json!({"sha256": listed}).to_string(),
    )
    .expect("written");
}

#[test]
fn local_a_forged_package_is_refused_by_its_records() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = extracted(folder.path());
    let place = folder.path().join("package");
    fs::copy(folder.path().join("records.csv"), place.join("records.csv")).expect("copied");
    fs::write(place.join("verify.py"), SCRIPT).expect("written");
    let files = ["records.csv", "verify.py", "records/a.warc.warc.gz"];
    package(&place, &files, &[]);
    let verify = ["extract", "--verify", &place.to_string_lossy()];
    let said = done(&verify);
    let digest = HEXLOWER.encode(&Sha256::digest(SCRIPT));
    assert!(said.contains(&digest), "{said}");
    assert!(
        include_str!("../../docs/research.md").contains(&digest),
        "docs/research.md has the SHA-256"
    );
    let refused = |says: &str| {
        let (status, said) = failed(&verify);
        assert!(status == Some(1) && said.contains(says), "{says}: {said}");
    };
    for name in [
        "../a.warc",
        "/etc/passwd",
        "records/../../a.warc",
        "a\\b",
        "",
    ] {
        package(&place, &files, &[(name, &digest)]);
        refused("package.json");
    }
    package(&place, &files[..2], &[]);
    refused("does not list this file");
    package(&place, &files, &[]);
    symlink(
        folder.path().join("a.warc"),
        place.join("records/link.warc"),
    )
    .expect("a link");
    refused("a symbolic link");
    fs::remove_file(place.join("records/link.warc")).expect("removed");
    fs::write(place.join("verify.py"), "print('the same answer')").expect("written");
    refused("found the SHA-256");
    package(&place, &files, &[]);
    refused("it is not that of every package");
    fs::write(place.join("verify.py"), SCRIPT).expect("written");
    let list = fs::read_to_string(place.join("records.csv")).expect("a list");
    let record = fs::read(&out).expect("a file");
    for name in ["../a.warc", "records/../../a.warc", "/etc/passwd"] {
        fs::write(
            place.join("records.csv"),
            list.replace("a.warc,", &format!("{name},")),
        )
        .expect("written");
        package(&place, &files, &[]);
        refused("lists a record that is not in the package");
        edit(&out, |text| {
            text.replace("a.warc\r\n", &format!("{name}\r\n"))
        });
        package(&place, &files, &[]);
        refused(&format!(
            "{name}: expected the name of an archive below --base"
        ));
        fs::write(&out, &record).expect("written");
    }
    fs::write(place.join("records.csv"), list + "a.warc,9,9\n").expect("written");
    package(&place, &files, &[]);
    refused("lists a record that is not in the package");
    fs::rename(&out, place.join("records/b.warc.gz")).expect("renamed");
    package(
        &place,
        &["records.csv", "verify.py", "records/b.warc.gz"],
        &[],
    );
    refused("it has a record of a.warc");
}
