//! WACZ: a ZIP file with archives in it, which are read in place.
//!
//! Document: Webrecorder, "WACZ Format 1.1.1": the archives are in the folder `archive/`, stored without compression.
//! Example: `archive/data.warc.gz`. As they are stored, a record's offset in the WACZ is that of its gzip member in it, so a
//! request for that range gets the record. A ZIP of such files, as Browsertrix gives for a crawl of several (multi-WACZ), is read in
//! place in the same way: the name of a file is then `crawl-1.wacz/archive/data.warc.gz`.
//! Ours: archives that overlap in the ZIP are not read, because each byte would be read several times, nor is a directory
//! longer than [`DIRECTORY_BYTES`]. An archive that differs from its digest in `datapackage.json` is read and reported. Of several files with one name the last one is read, and the others are reported. Left
//! out: indexes, pages and signatures; archives compressed by the ZIP itself, which the document forbids; each is reported.

use super::datapackage::{self, Stated};
use super::input::ArchiveSource;
use crate::web::shown::shown;
use flate2::CrcReader;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zip::{CompressionMethod, ZipArchive};

/// The longest directory of a ZIP that is read; it is held in memory.
pub const DIRECTORY_BYTES: u64 = 8 << 20;
const FOLDER: &str = "archive/";
/// The ending of the files in a ZIP of WACZ files.
const ENDING: &str = ".wacz";
/// How much of all directories of the files in a ZIP of WACZ files is read.
const INNER_BYTES: u64 = 8 * DIRECTORY_BYTES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaczMember {
    pub name: String,
    /// Where its bytes begin in the file.
    pub offset: u64,
    pub bytes: u64,
    crc: u32,
    /// What datapackage.json says of it, and whether its bytes were found to be others.
    stated: Option<Stated>,
    /// Why it cannot be read in place.
    fault: Option<&'static str>,
}

/// A later file of the ZIP has the same name.
const REPEATED: &str = "is the name of several files of the ZIP; one is read";
/// It is not in the ZIP.
const MISSING: &str = "is named in datapackage.json and is not in the ZIP";

/// Returns the archives in a WACZ or in a ZIP of WACZ files, in the order of their bytes; a source that does not support ranges
/// is `Unsupported`.
pub fn members(source: &Arc<dyn ArchiveSource>) -> io::Result<Vec<WaczMember>> {
    let bytes = source.bytes().filter(|_| matches!(source.range(0, 0), Ok(Some(_))));
    let unsupported = || io::Error::new(ErrorKind::Unsupported, "a WACZ cannot be read from a stream");
    let left = Arc::new(AtomicU64::new(DIRECTORY_BYTES));
    let whole = Ranges::new(source, (0, bytes.ok_or_else(unsupported)?), left);
    let (mut members, others) = in_zip(whole, "", |name| name.ends_with(ENDING))?;
    if members.is_empty() {
        members = in_inner(source, others);
    }
    members.sort_by_key(|member| member.offset);
    let mut end = 0;
    for member in members.iter_mut().filter(|member| !member.is_repeated() && !member.is_missing()) {
        if member.offset < end {
            member.fault = Some("begins inside another file of the ZIP");
        }
        end = end.max(member.offset.saturating_add(member.bytes));
    }
    Ok(members)
}

/// Returns the archives of WACZ files that are in a ZIP. One that cannot be read is a file with a fault.
fn in_inner(source: &Arc<dyn ArchiveSource>, files: Vec<WaczMember>) -> Vec<WaczMember> {
    let (mut members, left) = (Vec::new(), Arc::new(AtomicU64::new(INNER_BYTES)));
    for file in files {
        let place = (file.offset, file.offset.saturating_add(file.bytes));
        let inner = Ranges::new(source, place, Arc::clone(&left));
        let inner = if file.fault.is_none() { in_zip(inner, &file.name, |_| false).ok() } else { None };
        match inner {
            Some((inner, _)) if !inner.is_empty() => members.extend(inner),
            Some(_) | None => {
                let fault = file.fault.or(Some("is no WACZ that can be read"));
                members.push(WaczMember { fault, ..file });
            }
        }
    }
    members
}

/// Returns the archives in a ZIP, with the name of the ZIP before theirs, and the other files that are wanted.
fn in_zip(
    directory: Ranges,
    within: &str,
    is_wanted: impl Fn(&str) -> bool,
) -> io::Result<(Vec<WaczMember>, Vec<WaczMember>)> {
    let begin = directory.begin;
    let mut zip = ZipArchive::new(directory)?;
    let (mut members, mut others) = (Vec::new(), Vec::new());
    for index in 0..zip.len() {
        let name = zip.name_for_index(index).transpose()?.unwrap_or_default().into_owned();
        let is_archive = name.starts_with(FOLDER);
        if !is_archive && !is_wanted(&name) {
            continue;
        }
        let entry = zip.by_index_raw(index)?;
        if entry.is_dir() {
            continue;
        }
        let offset =
            entry.data_start().ok_or_else(|| io::Error::other("the ZIP does not say where a file begins"))?;
        let is_stored = entry.compression() == CompressionMethod::Stored && !entry.encrypted();
        let found = WaczMember {
            name: full_name(within, &name),
            offset: begin.saturating_add(offset),
            bytes: entry.compressed_size(),
            crc: entry.crc32(),
            stated: None,
            fault: Some("is compressed by the ZIP, which a WACZ must not do").filter(|_| !is_stored),
        };
        if is_archive { members.push(found) } else { others.push(found) }
    }
    let names = members.iter().enumerate().map(|(at, member)| (member.name.clone(), at));
    let names: HashMap<String, usize> = names.collect();
    for (name, stated) in datapackage::resources(&mut zip) {
        let full = full_name(within, &name);
        if let Some(member) = names.get(&full).and_then(|at| members.get_mut(*at)) {
            member.stated = Some(stated);
        } else if name.starts_with(FOLDER) {
            let fault = Some(MISSING);
            members.push(WaczMember { name: full, offset: begin, bytes: 0, crc: 0, stated: None, fault });
        }
    }
    if zip.has_duplicate_names() {
        let start = zip.central_directory_start();
        members.extend(repeated(&mut zip.into_inner(), start, within)?);
    }
    Ok((members, others))
}

fn full_name(within: &str, name: &str) -> String {
    if within.is_empty() { name.to_owned() } else { format!("{within}/{name}") }
}

/// Returns the archives that the crate `zip` omits because a later one has the same name (APPNOTE 4.3.12).
fn repeated(directory: &mut Ranges, start: u64, within: &str) -> io::Result<Vec<WaczMember>> {
    directory.seek(SeekFrom::Start(start))?;
    let mut directory = io::BufReader::new(directory);
    let mut found: Vec<WaczMember> = Vec::new();
    let (mut seen, mut header) = (HashSet::new(), [0; 46]);
    while directory.read_exact(&mut header).is_ok() && header.starts_with(b"PK\x01\x02") {
        let short = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let [name, extra, comment] = [28, 30, 32].map(short);
        let mut text = Vec::new();
        directory.by_ref().take(name).read_to_end(&mut text)?;
        io::copy(&mut directory.by_ref().take(extra + comment), &mut io::sink())?;
        if !text.starts_with(FOLDER.as_bytes()) || seen.insert(text.clone()) {
            continue;
        }
        let offset = header.last_chunk::<4>().map_or(0, |place| u32::from_le_bytes(*place));
        let (name, offset) = (full_name(within, &shown(&text)), u64::from(offset));
        found.push(WaczMember { name, offset, bytes: 0, crc: 0, stated: None, fault: Some(REPEATED) });
    }
    Ok(found)
}

impl WaczMember {
    /// Returns whether it was not read because another file has its name, so a capture may be missing.
    pub fn is_repeated(&self) -> bool {
        self.fault == Some(REPEATED)
    }

    /// Returns whether it is not in the ZIP, although the WACZ names it.
    pub fn is_missing(&self) -> bool {
        self.fault == Some(MISSING)
    }

    /// Returns whether its bytes, which were read to their end, are not those that datapackage.json names.
    pub fn is_other(&self) -> bool {
        self.stated.as_ref().is_some_and(Stated::is_other)
    }

    pub fn open(&self, source: &Arc<dyn ArchiveSource>) -> io::Result<Box<dyn Read + Send>> {
        if let Some(fault) = self.fault {
            let detail = format!("{} {fault}", shown(self.name.as_bytes()));
            return Err(io::Error::new(ErrorKind::Unsupported, detail));
        }
        let end = self.offset.saturating_add(self.bytes);
        let ranges = Ranges::new(source, (self.offset, end), Arc::new(AtomicU64::new(u64::MAX)));
        let digest = self.stated.clone().map(|stated| (Sha256::new(), stated));
        Ok(Box::new(Checked { ranges: CrcReader::new(ranges), expected: self.crc, digest }))
    }
}

/// A part of a source; its offsets count from its own beginning.
struct Ranges {
    source: Arc<dyn ArchiveSource>,
    begin: u64,
    /// The next byte in the source.
    at: u64,
    end: u64,
    /// How much of the source may still be read, by this and others.
    left: Arc<AtomicU64>,
}

impl Ranges {
    fn new(source: &Arc<dyn ArchiveSource>, (begin, end): (u64, u64), left: Arc<AtomicU64>) -> Self {
        Self { source: Arc::clone(source), begin, at: begin, end, left }
    }
}

impl Read for Ranges {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = left.min(buffer.len());
        if count == 0 {
            return Ok(0);
        }
        let take = |left: u64| left.checked_sub(count as u64);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| {
            let detail = format!("the directory of the ZIP is longer than {DIRECTORY_BYTES} bytes");
            io::Error::new(ErrorKind::Unsupported, detail)
        })?;
        let bytes = self.source.range(self.at, count)?.unwrap_or_default();
        let Some(buffer) = buffer.get_mut(..bytes.len()) else { return Err(ErrorKind::InvalidData.into()) };
        buffer.copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl Seek for Ranges {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => self.begin.checked_add(at),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.filter(|at| *at >= self.begin).ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at - self.begin)
    }
}

struct Checked {
    ranges: CrcReader<Ranges>,
    expected: u32,
    digest: Option<(Sha256, Stated)>,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.ranges.read(buffer)?;
        if let Some((digest, _)) = &mut self.digest {
            digest.update(buffer.get(..count).unwrap_or_default());
        }
        if count == 0
            && !buffer.is_empty()
            && let Some((digest, stated)) = self.digest.take()
        {
            stated.compare(digest);
        }
        if count == 0 && !buffer.is_empty() && self.ranges.crc().sum() != self.expected {
            let detail = "the bytes do not match the checksum in the ZIP";
            return Err(io::Error::new(ErrorKind::InvalidData, detail));
        }
        Ok(count)
    }
}
