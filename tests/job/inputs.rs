//! What is wrong with an input is reported and stops nothing else.

use crate::files::files;
use crate::fixture::{archive, captures, input, run};
use crawlprefs::archive::{ArchiveSource, FileSource};
use crawlprefs::error::Error;
use crawlprefs::job::{Silent, scan};
use crawlprefs::store::{Claim, FolderStore, Store, StoreFile, StoredFile};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Gives some bytes, then does what `then` does.
struct Breaking {
    bytes: Vec<u8>,
    then: fn() -> io::Result<usize>,
}

impl ArchiveSource for Breaking {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(BreakingReader {
            bytes: io::Cursor::new(self.bytes.clone()),
            then: self.then,
        }))
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn location(&self) -> String {
        "breaking".to_owned()
    }
}

struct BreakingReader {
    bytes: io::Cursor<Vec<u8>>,
    then: fn() -> io::Result<usize>,
}

impl Read for BreakingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.bytes.read(buffer)? {
            0 => (self.then)(),
            count => Ok(count),
        }
    }
}

#[test]
fn local_every_input_has_an_outcome() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let broken = Breaking {
        bytes: captures("half", 5),
        then: || Err(io::Error::other("the disk is on fire")),
    };
    let inputs = vec![
        archive("good.warc", captures("good", 3)),
        archive("empty.warc", Vec::new()),
        archive("text.warc", b"Dear diary".to_vec()),
        archive(
            "cut.arc",
            b"filedesc://old.arc 0.0.0.0 20080430204825 text/plain 75".to_vec(),
        ),
        archive("cut.warc.zst", vec![0x28, 0xb5, 0x2f, 0xfd, 0]),
        archive("new.warc.lz4", vec![0x04, 0x22, 0x4d, 0x18, 0]),
        archive("stream.wacz", b"PK\x03\x04".to_vec()),
        input(
            "missing.warc",
            Arc::new(FileSource::new(folder.path().join("missing.warc"))),
        ),
        input("broken.warc", Arc::new(broken)),
    ];
    let summary = run(inputs, &folder.path().join("out"), 2);
    let outcomes: Vec<(&str, &str, bool)> = summary
        .failed_inputs
        .iter()
        .map(|input| (input.warc_filename.as_str(), input.outcome, input.retry))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("broken.warc", "unreadable", true),
            ("cut.arc", "cut", true),
            ("cut.warc.zst", "cut", true),
            ("empty.warc", "empty", true),
            ("missing.warc", "missing", true),
            ("new.warc.lz4", "unsupported_format", false),
            ("stream.wacz", "unsupported_format", false),
            ("text.warc", "not_an_archive", false),
        ]
    );
    // What was read before the fire is kept.
    assert_eq!(
        (summary.all_captures(), summary.failures.get("read")),
        (8, Some(&1))
    );
}

#[test]
fn local_a_panic_costs_its_archive_and_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let panicking = Breaking {
        bytes: captures("p", 5),
        then: || panic!("a bug in a source"),
    };
    let inputs = vec![
        archive("a.warc", captures("a", 3)),
        input("b.warc", Arc::new(panicking)),
        archive("c.warc", captures("c", 4)),
    ];
    let out = folder.path().join("out");
    let summary = run(inputs, &out, 1);
    assert_eq!((summary.inputs, summary.all_captures()), (2, 7));
    assert_eq!(summary.panicked.len(), 1);
    assert!(
        summary.panicked == [("b.warc".to_owned(), "a bug in a source".to_owned())],
        "{:?}",
        summary.panicked
    );
    assert!(
        !files(&out)
            .keys()
            .any(|name| name.contains("/b-") || name.contains(".tmp"))
    );
}

/// A disk that is full after some bytes.
struct FullDisk(FolderStore);

struct FullFile(Box<dyn StoreFile>, usize);

impl Store for FullDisk {
    fn create(&self, name: &str) -> io::Result<Box<dyn StoreFile>> {
        Ok(Box::new(FullFile(self.0.create(name)?, 4000)))
    }

    fn claim(&self, name: &str, content: &[u8]) -> io::Result<Claim> {
        self.0.claim(name, content)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn StoredFile>> {
        self.0.open(name)
    }

    fn list(&self, name: &str) -> io::Result<Vec<String>> {
        self.0.list(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Option<u64>> {
        self.0.bytes(name)
    }

    fn is_empty(&self) -> io::Result<bool> {
        self.0.is_empty()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn location(&self) -> String {
        self.0.location()
    }
}

impl Write for FullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 = self
            .1
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl StoreFile for FullFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.0.commit()
    }
}

#[test]
fn local_a_full_disk_ends_the_job_with_nothing_half_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let inputs = (0..6)
        .map(|number| {
            archive(
                &format!("{number}.warc"),
                captures(&number.to_string(), 900),
            )
        })
        .collect();
    let result = scan(
        &crate::fixture::options(inputs, 3),
        &FullDisk(FolderStore::new(out.clone())),
        &Silent,
    );
    let Err(Error::OutputUnwritable { source, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    assert_eq!(
        files(&out).into_keys().collect::<Vec<_>>(),
        ["_crawlprefs.json"]
    );
}
