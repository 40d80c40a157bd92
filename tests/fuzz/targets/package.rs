//! A package of somebody whom nobody has to trust: its bytes cannot make a check panic, a name in it leads nowhere, and records that
//! are in no archive never pass for records of archives.
//!
//! An input has its files behind lines `== NAME`; `package.json`, where it has none, gets the digests of all, as a forger renews them.

#![no_main]

use crawlprefs::job::{Checked, OriginalArchives, VERIFY_SCRIPT};
use crawlprefs::store::Places;
use fuzzing::{files_of, with_folder};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    let Some(above) = path.parent() else { return };
    // A name may be that of a folder already, or too long.
    if fs::create_dir_all(above).is_ok() {
        let _ = fs::write(path, content);
    }
}

fn is_below(name: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    name.split('/').all(is_part)
}

fuzz_target!(|input: &[u8]| {
    let mut files: BTreeMap<String, &[u8]> = files_of(input).into_iter().collect();
    files
        .entry("verify.py".to_owned())
        .or_insert(VERIFY_SCRIPT.as_bytes());
    let digest = |content: &&[u8]| {
        Sha256::digest(content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    let listed: BTreeMap<&String, String> = files
        .iter()
        .filter(|(name, _)| *name != "package.json")
        .map(|(name, content)| (name, digest(content)))
        .collect();
    let about = json!({"sha256": listed}).to_string();
    with_folder(|folder| {
        let (package, empty) = (folder.join("package"), folder.join("empty"));
        for made in [&package, &empty] {
            fs::create_dir(made).expect("a folder");
        }
        for (name, content) in files.iter().filter(|(name, _)| is_below(name)) {
            write(&package, name, content);
        }
        if !files.contains_key("package.json") {
            write(&package, "package.json", about.as_bytes());
        }
        let places = Places::default();
        let checked = OriginalArchives {
            base: None,
            places: &places,
        }
        .check(&package);
        let compared = OriginalArchives {
            base: Some(&empty),
            places: &places,
        }
        .check(&package);
        if let Ok(Checked {
            files: count,
            records,
            whole,
            compared: none,
        }) = checked
        {
            assert_eq!(none, 0);
            if !files.contains_key("package.json") {
                assert!(
                    files.keys().all(|name| is_below(name)) && count == files.len(),
                    "{files:?}"
                );
            }
            assert_eq!(compared.is_ok(), records + whole == 0, "{compared:?}");
        } else {
            assert!(compared.is_err(), "{compared:?}");
        }
        let others = fs::read_dir(folder).expect("a folder").count()
            + fs::read_dir(&empty).expect("a folder").count();
        assert_eq!(others, 2, "a check writes nothing");
        // The same bytes as an extract.
        let extract = folder.join("extract.warc.gz");
        fs::write(&extract, input).expect("a file");
        let alone = OriginalArchives {
            base: None,
            places: &places,
        }
        .check(&extract);
        let with_archives = OriginalArchives {
            base: Some(&empty),
            places: &places,
        }
        .check(&extract);
        assert!(with_archives.is_err() || alone.is_ok_and(|checked| checked.records == 0));
    });
});
