//! The crate `warc`, where it reads a head whole and cleanly, reads the same as we do.

use crate::fixture::crawl;
use crawlprefs::archive::{Archive, Event, Head, HeadFields};
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

/// Returns the fields of every record as the crate `warc` reads them, and as we do, members in sequence.
type Fields = Vec<(String, Vec<u8>)>;
fn fields_of_both(mut text: &[u8]) -> (Vec<Fields>, Vec<Fields>) {
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let mut fields = HeadFields::default();
    while let Ok((rest, (_, found, _))) = warc::parser::record(text) {
        theirs.push(
            found
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.trim_ascii().to_vec()))
                .collect(),
        );
        let end = memchr::memmem::find(text, b"\r\n\r\n").expect("the crate has read a head") + 4;
        fields.read(&text[..end]);
        let head = Head::new(&text[..end], &fields);
        let named = head
            .fields()
            .map(|(name, value)| (String::from_utf8_lossy(name).into_owned(), value.to_vec()));
        ours.push(named.collect());
        text = rest;
    }
    (theirs, ours)
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
        let (mut records, mut damaged) = (0, false);
        while let Some(event) = archive.next().expect("a slice can be read") {
            match event {
                Event::Record(_) => records += 1,
                Event::Damage(_) => damaged = true,
            }
        }
        if damaged {
            continue;
        }
        let mut text = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut text)
                .expect("undamaged");
        } else {
            text = bytes;
        }
        let (theirs, ours) = fields_of_both(&text);
        assert_eq!(ours, theirs, "{}", path.display());
        assert_eq!(ours.len(), records, "{}", path.display());
        compared += records;
    }
    assert!(compared > 200, "only {compared} records were compared");
    assert_eq!(fields_of_both(&crawl(3).concat()).0.len(), 4);
}
