//! Checks an extract or a package of somebody whom nobody has to trust: `extract --verify`.
//!
//! A package is checked without its own script: which files it has, their digests, and that each record is where `records.csv`
//! and the `copied-record` lines of its `warcinfo` say. With the archives, each record is compared with its original, text by
//! text. Nothing of a package is executed, no link in it is followed, and no name in it leads out of it. Left out: its query,
//! which the Python package asks (`verify.py`).

use super::base::{file_input, is_path_below};
use super::extract::source_below;
use super::record_copy::{ExtractFault, LONGEST_BYTES, RecordPlace, Stretch, copy_record};
use crate::archive::{Archive, ArchiveSource, Event, Kind, Record};
use crate::store::{FolderStore, ObjectName, Places, Store, read_pieces};
use crate::tables::record_places;
use data_encoding::HEXLOWER;
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The script of every package, which hands it to the installed Python package.
pub const VERIFY_SCRIPT: &str = include_str!("../../data/verify.py");

/// The file of a package that lists its other files.
const PACKAGE_FILE: &str = "package.json";
/// The places of the records, and the folder with them.
const RECORDS_FILE: &str = "records.csv";
const RECORDS: &str = "records/";
/// Longer lists are not read.
const LIST_BYTES: u64 = 256 << 20;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Files with their digests.
    pub files: usize,
    /// Records with `copied-record` lines.
    pub records: usize,
    /// Files that are whole archives, without such lines.
    pub whole: usize,
    /// Records and whole archives that were compared with the archives.
    pub compared: usize,
}

/// Where originals are, if they are there.
#[derive(Clone, Copy)]
pub struct OriginalArchives<'a> {
    /// The folder or URL of the archives.
    pub base: Option<&'a Path>,
    /// How it is opened.
    pub places: &'a Places,
}

/// A part of `package.json`.
#[derive(Deserialize)]
struct ListedRecords {
    sha256: BTreeMap<ObjectName, String>,
}

/// A record of an extract: where it was, and where it is in the extract.
struct Copied {
    original: RecordPlace,
    offset: u64,
    length: u64,
}

/// Returns the SHA-256 of [`VERIFY_SCRIPT`].
pub fn script_digest() -> String {
    HEXLOWER.encode(&Sha256::digest(VERIFY_SCRIPT))
}

impl OriginalArchives<'_> {
    /// Checks a package or an extract.
    ///
    /// # Errors
    /// What differs, or cannot be read.
    pub fn check(self, path: &Path) -> Result<Checked, String> {
        if path.is_dir() {
            self.package(path)
        } else {
            self.extract(path, "").map(|(checked, _)| checked)
        }
    }

    fn package(self, folder: &Path) -> Result<Checked, String> {
        let store = FolderStore::new(folder.to_owned());
        let at = |name: &'static str| move |error: io::Error| format!("{name}: {error}");
        let listed: ListedRecords = serde_json::from_slice(&read(&store, folder, PACKAGE_FILE)?)
            .map_err(|error| format!("{PACKAGE_FILE}: {error}"))?;
        let found: BTreeSet<String> = store
            .list("")
            .map_err(at("the package"))?
            .into_iter()
            .collect();
        let named: BTreeSet<&str> = listed
            .sha256
            .keys()
            .map(|name| &**name)
            .chain([PACKAGE_FILE])
            .collect();
        if let Some(name) = found.iter().find(|name| !named.contains(name.as_str())) {
            return Err(format!("{name}: {PACKAGE_FILE} does not list this file"));
        }
        for (name, expected) in &listed.sha256 {
            let digest = digest(&store, folder, name)?;
            if digest != *expected {
                return Err(format!(
                    "{name}: found the SHA-256 {digest}, {PACKAGE_FILE} says {expected}"
                ));
            }
        }
        let script = read(&store, folder, "verify.py")?;
        if script != VERIFY_SCRIPT.as_bytes() {
            return Err(format!(
                "verify.py: it is not that of every package, whose SHA-256 is {}",
                script_digest()
            ));
        }
        let mut checked = Checked {
            files: listed.sha256.len(),
            ..Checked::default()
        };
        let rows =
            record_places::read(read(&store, folder, RECORDS_FILE)?).map_err(at(RECORDS_FILE))?;
        let rows = rows
            .into_iter()
            .map(|(filename, offset, length)| RecordPlace {
                filename,
                offset,
                length,
            });
        let mut places = rows.collect::<BTreeSet<_>>();
        let mut whole = 0;
        for name in listed
            .sha256
            .keys()
            .filter_map(|name| name.strip_prefix(RECORDS))
        {
            let path = folder.join(RECORDS).join(name);
            let (of_file, copied) = self.extract(&path, name)?;
            whole += of_file.whole;
            checked.records += of_file.records;
            checked.compared += of_file.compared;
            for copied in &copied {
                places.remove(&copied.original);
            }
        }
        checked.whole = whole;
        match places.first() {
            None => Ok(checked),
            Some(RecordPlace {
                filename, offset, ..
            }) => Err(format!(
                "{filename}, byte {offset}: {RECORDS_FILE} lists a record that is not in the package"
            )),
        }
    }

    /// Checks an extract; in a package, `name` is that of its archive.
    fn extract(self, path: &Path, name: &str) -> Result<(Checked, Vec<Copied>), String> {
        let at = |detail: &dyn std::fmt::Display| format!("{}: {detail}", path.display());
        if !fs::symlink_metadata(path)
            .map_err(|error| at(&error))?
            .is_file()
        {
            return Err(at(&"expected a file"));
        }
        let source = file_input(path, None).source;
        let copied = copied(&source).map_err(|error| at(&error))?;
        let Some(copied) = copied else {
            return self.whole(&source, name).map(|found| (found, Vec::new()));
        };
        let mut checked = Checked {
            records: copied.len(),
            ..Checked::default()
        };
        for copy in &copied {
            let RecordPlace {
                filename, offset, ..
            } = &copy.original;
            let ending = if filename.ends_with(".warc.gz") {
                ""
            } else {
                ".warc.gz"
            };
            if !name.is_empty() && format!("{filename}{ending}") != name {
                return Err(at(&format!("it has a record of {filename}")));
            }
            let Some(base) = self.base else { continue };
            let same = self.is_same(&source, copy, base);
            if !same.map_err(|error| format!("{filename}, byte {offset}: {error}"))? {
                return Err(at(&format!(
                    "the record at byte {} is not the one at byte {offset} of {filename}",
                    copy.offset
                )));
            }
            checked.compared += 1;
        }
        Ok((checked, copied))
    }

    /// Checks a copy of a whole archive.
    fn whole(self, source: &Arc<dyn ArchiveSource>, name: &str) -> Result<Checked, String> {
        if name.is_empty() {
            return Err("it has no copied-record line, so that it is no extract".to_owned());
        }
        let mut checked = Checked {
            whole: 1,
            ..Checked::default()
        };
        if let Some(base) = self.base {
            let original =
                source_below(base, name, self.places).map_err(|error| error.to_string())?;
            let both = source
                .open()
                .and_then(|here| is_equal(here, original.open()?));
            if !both.map_err(|error| format!("{name}: {error}"))? {
                return Err(format!("{name}: its bytes are not those of the archive"));
            }
            checked.compared = 1;
        }
        Ok(checked)
    }

    /// Whether the text of a copied record is that of its original, which is copied again.
    fn is_same(
        self,
        source: &Arc<dyn ArchiveSource>,
        copy: &Copied,
        base: &Path,
    ) -> io::Result<bool> {
        let original =
            source_below(base, &copy.original.filename, self.places).map_err(io::Error::other)?;
        let mut again = Vec::new();
        let copied = copy_record(
            &mut Stretch::new(original, &copy.original),
            &mut again,
            &mut |_| (),
        );
        copied.map_err(|fault| match fault {
            ExtractFault::Read(error) | ExtractFault::Write(error) => error,
        })?;
        let here = member(source, copy.offset, copy.length)?;
        is_equal(MultiGzDecoder::new(&*here), MultiGzDecoder::new(&*again))
    }
}

/// Returns the records of an extract; `None` if it begins with none of our `warcinfo` records.
fn copied(source: &Arc<dyn ArchiveSource>) -> io::Result<Option<Vec<Copied>>> {
    let mut archive =
        Archive::open(source.open()?)?.map_err(|_| io::Error::other("it is no WARC"))?;
    let mut copied = Vec::new();
    let mut awaited = VecDeque::new();
    let mut is_ours = false;
    while let Some(event) = archive.next()? {
        let record = match event {
            Event::Record(record) => record,
            Event::Damage(damage) => {
                return Err(io::Error::other(format!(
                    "it is damaged at byte {}",
                    damage.offset
                )));
            }
        };
        if record.kind == Kind::Info && awaited.is_empty() {
            awaited = copied_records(source, &record)?;
            is_ours |= !awaited.is_empty();
            continue;
        }
        if !is_ours {
            return Ok(None);
        }
        let offset = record.place.offset;
        let length = record.place.length;
        let (Some(original), Some(length)) = (awaited.pop_front(), length) else {
            let detail = format!("no copied-record line is about the record at byte {offset}");
            return Err(io::Error::other(detail));
        };
        copied.push(Copied {
            original,
            offset,
            length,
        });
    }
    match awaited.front() {
        None => Ok(Some(copied).filter(|_| is_ours)),
        Some(first) => Err(io::Error::other(format!(
            "it lacks {} records, such as that at byte {} of {}",
            awaited.len(),
            first.offset,
            first.filename
        ))),
    }
}

/// Returns the places in the `copied-record` lines of a `warcinfo`.
fn copied_records(
    source: &Arc<dyn ArchiveSource>,
    info: &Record<'_>,
) -> io::Result<VecDeque<RecordPlace>> {
    let mut text = Vec::new();
    let bytes = match info.place.length {
        Some(length) if !info.block_is_whole => {
            MultiGzDecoder::new(&*member(source, info.place.offset, length)?)
                .take(LIST_BYTES)
                .read_to_end(&mut text)?;
            &*text
        }
        _ => info.block,
    };
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"copied-record: "));
    lines
        .map(|line| {
            let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            let mut parts = line.splitn(3, ' ');
            let mut number = || parts.next()?.parse::<u64>().ok();
            let offset = number();
            let length = number();
            let place = offset.zip(length).zip(parts.next());
            let place = place.map(|((offset, length), filename)| RecordPlace {
                filename: filename.to_owned(),
                offset,
                length,
            });
            place
                .ok_or_else(|| io::Error::other("a copied-record line is not `OFFSET LENGTH FILE`"))
        })
        .map(|place| place.and_then(below))
        .collect()
}

/// Refuses the name of an archive that leads out of the folder of archives, also where nothing is compared.
fn below(place: RecordPlace) -> io::Result<RecordPlace> {
    if is_path_below(&place.filename) {
        return Ok(place);
    }
    Err(io::Error::other(format!(
        "{}: expected the name of an archive below --base",
        place.filename
    )))
}

fn member(source: &Arc<dyn ArchiveSource>, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length.min(LONGEST_BYTES)).map_err(io::Error::other)?;
    source
        .range(offset, length)?
        .ok_or_else(|| io::Error::other("it cannot be read at an offset"))
}

fn is_equal(one: impl Read, other: impl Read) -> io::Result<bool> {
    let mut one = BufReader::new(one).bytes();
    let mut other = BufReader::new(other).bytes();
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (one, other) if one != other => return Ok(false),
            _ => {}
        }
    }
}

/// Reads a file of a package, which must be a file: a pipe or a device is none.
fn read(store: &FolderStore, folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let at = |error: io::Error| format!("{name}: {error}");
    let found = fs::symlink_metadata(folder.join(name)).map_err(at)?;
    if !found.is_file() || found.len() > LIST_BYTES {
        return Err(format!(
            "{name}: expected a file of at most {LIST_BYTES} bytes"
        ));
    }
    store
        .read(name)
        .map_err(at)?
        .ok_or_else(|| format!("{name}: there is none"))
}

fn digest(store: &FolderStore, folder: &Path, name: &str) -> Result<String, String> {
    let at = |error: io::Error| format!("{name}: {error}");
    if !fs::symlink_metadata(folder.join(name))
        .map_err(at)?
        .is_file()
    {
        return Err(format!("{name}: expected a file"));
    }
    let mut digest = Sha256::new();
    let file = store.open(name).map_err(at)?;
    read_pieces(&*file, |piece| digest.update(piece)).map_err(at)?;
    Ok(HEXLOWER.encode(&digest.finalize()))
}
