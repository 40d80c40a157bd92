//! The WACZ files of public repositories: their own indexes join the captures.

use crate::captures::scan_with;
use crate::corpus;
use crate::table_rows::{rows, value};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An entry of an index: the URL, the archive, and the offset in it.
type Entry = (String, String, i64);

/// Returns the WACZ files below a folder.
fn collections(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    found.sort();
    let below = |path: PathBuf| {
        if path.is_dir() {
            collections(&path)
        } else {
            vec![path]
        }
    };
    found
        .into_iter()
        .flat_map(below)
        .filter(|path| path.extension().is_some_and(|end| end == "wacz"))
        .collect()
}

/// Returns the entries of the CDXJ in a WACZ; numbers may be written as text.
fn index(wacz: &Path) -> BTreeSet<Entry> {
    let mut zip = zip::ZipArchive::new(File::open(wacz).expect("a file")).expect("a ZIP");
    let mut names = zip
        .file_names()
        .map(|name| name.expect("a name").into_owned());
    let name = names
        .find(|name| name.starts_with("indexes/index.cdx"))
        .expect("an index");
    drop(names);
    let mut bytes = Vec::new();
    zip.by_name(&name)
        .expect("a stored file")
        .read_to_end(&mut bytes)
        .expect("its bytes");
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if name.ends_with(".gz") {
        text.clear();
        MultiGzDecoder::new(&*bytes)
            .read_to_string(&mut text)
            .expect("gzip");
    }
    let json = |line: &str| serde_json::from_str(line.get(line.find('{')?..)?).ok();
    let entry = |line: Value| {
        let offset = line["offset"]
            .as_i64()
            .or_else(|| line["offset"].as_str()?.parse().ok());
        let text = |name: &str| line[name].as_str().expect("text").to_owned();
        (text("url"), text("filename"), offset.expect("a number"))
    };
    text.lines().filter_map(json).map(entry).collect()
}

#[test]
fn wild_the_index_of_each_collection_joins_its_captures() {
    let Some(folder) = corpus("warc") else { return };
    let collections = collections(&folder);
    assert!(collections.len() >= 3, "{collections:?}");
    for wacz in collections {
        let out = scan_with(&[wacz.to_str().expect("UTF-8")]);
        let captures = rows(&out.path().join("evidence/captures"))
            .into_iter()
            .map(|row| {
                let text = |name: &str| value(&row, name).as_str().expect("text").to_owned();
                let offset = value(&row, "inner_offset").as_i64().expect("a number");
                (text("url"), text("inner_filename"), offset)
            });
        let (captures, index) = (captures.collect::<BTreeSet<Entry>>(), index(&wacz));
        assert!(
            !index.is_empty() && index.is_subset(&captures),
            "{}: {index:?} {captures:?}",
            wacz.display()
        );
    }
}
