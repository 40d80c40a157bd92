//! The crate `warc`, where it reads a head whole and cleanly, reads the same as we do.

use crate::fixture::crawl;
use crawlprefs::archive::{Archive, Event};
use flate2::read::MultiGzDecoder;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn archives(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("sample-data is in the repository") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            archives(&path, found);
        } else if path.to_string_lossy().contains(".warc") {
            found.push(path);
        }
    }
}

/// Returns the fields of every record as the crate `warc` reads them, members in sequence.
fn fields_by_crate(mut text: &[u8]) -> Vec<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    while let Ok((rest, (_, fields, _))) = warc::parser::record(text) {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.trim_ascii().to_vec()));
        all.push(fields.collect());
        text = rest;
    }
    all
}

#[test]
fn local_heads_are_read_as_the_crate_warc_reads_them() {
    let mut paths = Vec::new();
    archives(Path::new("sample-data"), &mut paths);
    let mut compared = 0;
    for path in paths {
        let bytes = fs::read(&path).expect("a file can be read");
        let Ok(mut archive) = Archive::open(bytes.as_slice()).expect("a slice can be read") else {
            panic!("{} is an archive", path.display())
        };
        let mut ours = Vec::new();
        let mut damaged = false;
        while let Some(event) = archive.next().expect("a slice can be read") {
            match event {
                Event::Record(record) => {
                    let fields = record.head.fields();
                    ours.push(
                        fields
                            .map(|(name, value)| (String::from_utf8_lossy(name).into_owned(), value.to_vec()))
                            .collect::<Vec<_>>(),
                    );
                }
                Event::Damage(_) => damaged = true,
            }
        }
        if damaged {
            continue;
        }
        let mut text = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).expect("undamaged");
        } else {
            text = bytes;
        }
        let theirs = fields_by_crate(&text);
        assert_eq!(ours, theirs, "{}", path.display());
        compared += ours.len();
    }
    assert!(compared > 200, "only {compared} records were compared");
    assert_eq!(fields_by_crate(&crawl(3).concat()).len(), 4);
}
