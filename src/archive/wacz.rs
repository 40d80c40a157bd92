//! WACZ: a ZIP file with archives in it, which are read in place.
//!
//! Document: Webrecorder, "WACZ Format 1.1.1": the archives are in the folder `archive/`, stored without compression.
//! Example: `archive/data.warc.gz`. As they are stored, a record's offset in the WACZ is that of its gzip member in it, so a
//! request for that range gets the record. A ZIP of such files, as Browsertrix gives for a crawl of several (multi-WACZ), is read in
//! place in the same way: the name of a file is then `crawl-1.wacz/archive/data.warc.gz`.
//! Ours: archives that overlap in the ZIP are not read, because each byte would be read several times, nor is a directory
//! longer than 8 MiB. Archives beside the folder, and WACZ files beside archives, are read like the others (KNOW-1). An archive
//! that differs from its digest in `datapackage.json` is read and reported. Of several files with one name the last one is read,
//! and the others are reported. Left out: indexes and signatures; archives compressed by the ZIP itself, which the document
//! forbids; each is reported. For the lists of pages see `page_lists`.

use super::datapackage::{self, StatedSha256};
use super::input::ArchiveSource;
use super::zip_part::{CheckedBytes, DIRECTORY_BYTES, Ranges};
use crate::web::shown::shown;
use flate2::read::DeflateDecoder;
use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use zip::{CompressionMethod, ZipArchive};

const FOLDER: &str = "archive/";
/// The ending of the files in a ZIP of WACZ files.
const ENDING: &str = ".wacz";
/// The endings of archives, wherever they are in the ZIP.
const ARCHIVES: [&str; 5] = [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"];
/// How much of all directories of the files in a ZIP of WACZ files is read.
const INNER_BYTES: u64 = 8 * DIRECTORY_BYTES;

/// How the ZIP has a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZipCoding {
    Stored,
    Deflated,
    /// In a way that is not read: an archive must be stored.
    NotRead,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaczMember {
    pub name: String,
    /// The name that the index of its WACZ has for it, in a ZIP of WACZ files after that of the WACZ.
    pub inner: String,
    /// Where its bytes begin in the file.
    pub offset: u64,
    pub bytes: u64,
    crc: u32,
    coding: ZipCoding,
    /// What datapackage.json says of it, and whether its bytes were found to be others.
    stated: Option<StatedSha256>,
    /// Why it cannot be read in place.
    fault: Option<&'static str>,
    /// Whether it has no bytes of its own in the ZIP.
    is_absent: bool,
}

/// A later file of the ZIP has the same name.
const REPEATED: &str = "is the name of several files of the ZIP; one is read";
/// It is not in the ZIP.
const MISSING: &str = "is named in datapackage.json and is not in the ZIP";
/// It may name archives that are not in the ZIP.
const PACKAGE_UNREAD: &str =
    "cannot be read, so that it is unknown which archives the WACZ should have";
const INNERMOST: &str = "is in a WACZ of the ZIP, and is not read";

/// Returns the archives in a WACZ or in a ZIP of WACZ files, in the order of their bytes; a source that does not support ranges
/// is `Unsupported`.
pub fn members(source: &Arc<dyn ArchiveSource>) -> io::Result<Vec<WaczMember>> {
    let (mut members, others) = in_zip(whole(source)?, "", is_wacz)?;
    members.extend(in_inner(source, others));
    members.sort_by_key(|member| member.offset);
    let mut end = 0;
    for member in members.iter_mut().filter(|member| !member.is_absent) {
        if member.offset < end {
            member.fault = Some("begins inside another file of the ZIP");
        }
        end = end.max(member.offset.saturating_add(member.bytes));
    }
    Ok(members)
}

/// Returns the files of these names in a WACZ, or in those of a ZIP of WACZ files, in the order of the names.
pub fn files(source: &Arc<dyn ArchiveSource>, names: &[&str]) -> io::Result<Vec<WaczMember>> {
    let find = |zip: Ranges, within: &str| {
        let (_, mut found) = in_zip(zip, within, |name| names.contains(&name) || is_wacz(name))?;
        found.sort_by_key(|file| {
            names
                .iter()
                .position(|name| full_name(within, name) == file.name)
        });
        let (inner, own): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|file| is_wacz(&file.name));
        Ok::<_, io::Error>((own, inner))
    };
    let (mut files, inner) = find(whole(source)?, "")?;
    let left = Arc::new(AtomicU64::new(INNER_BYTES));
    for file in inner.iter().filter(|file| file.coding == ZipCoding::Stored) {
        files.extend(find(file.ranges(source, &left), &file.name)?.0);
    }
    Ok(files)
}

fn is_wacz(name: &str) -> bool {
    has_ending(name, &[ENDING])
}

fn is_archive(name: &str) -> bool {
    name.starts_with(FOLDER) || has_ending(name, &ARCHIVES)
}

/// Returns whether a name has one of some endings. What the Finder adds to a ZIP has the names of its files.
fn has_ending(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    !name.starts_with("__macosx/") && endings.iter().any(|ending| name.ends_with(ending))
}

/// Returns a whole file, of which only the directory is read.
fn whole(source: &Arc<dyn ArchiveSource>) -> io::Result<Ranges> {
    let bytes = source
        .bytes()
        .filter(|_| matches!(source.range(0, 0), Ok(Some(_))));
    let unsupported = || {
        io::Error::new(
            ErrorKind::Unsupported,
            "a WACZ cannot be read from a stream",
        )
    };
    let left = Arc::new(AtomicU64::new(DIRECTORY_BYTES));
    Ok(Ranges::new(
        source,
        (0, bytes.ok_or_else(unsupported)?),
        left,
    ))
}

/// Returns the archives of WACZ files that are in a ZIP. One that cannot be read is a file with a fault.
fn in_inner(source: &Arc<dyn ArchiveSource>, files: Vec<WaczMember>) -> Vec<WaczMember> {
    let (mut members, left) = (Vec::new(), Arc::new(AtomicU64::new(INNER_BYTES)));
    for file in files {
        let inner = file.ranges(source, &left);
        let inner = if file.fault.is_none() {
            in_zip(inner, &file.name, is_wacz).ok()
        } else {
            None
        };
        match inner {
            Some((inner, innermost)) if !(inner.is_empty() && innermost.is_empty()) => {
                members.extend(inner);
                let fault = Some(INNERMOST);
                members.extend(
                    innermost
                        .into_iter()
                        .map(|file| WaczMember { fault, ..file }),
                );
            }
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
        let name = zip
            .name_for_index(index)
            .transpose()?
            .unwrap_or_default()
            .into_owned();
        let is_archive = is_archive(&name);
        if !is_archive && !is_wanted(&name) {
            continue;
        }
        let entry = zip.by_index_raw(index)?;
        if entry.is_dir() {
            continue;
        }
        let offset = entry
            .data_start()
            .ok_or_else(|| io::Error::other("the ZIP does not say where a file begins"))?;
        let coding = match entry.compression() {
            CompressionMethod::Stored if !entry.encrypted() => ZipCoding::Stored,
            _ if entry.encrypted() || is_archive || is_wacz(&name) => ZipCoding::NotRead,
            // The crate `zip` is built without its codecs; a file that is compressed in another way does not inflate.
            _ => ZipCoding::Deflated,
        };
        let found = WaczMember {
            name: full_name(within, &name),
            inner: inner_name(within, &name),
            offset: begin.saturating_add(offset),
            bytes: entry.compressed_size(),
            crc: entry.crc32(),
            coding,
            stated: None,
            fault: Some("is compressed by the ZIP, which a WACZ must not do")
                .filter(|_| coding == ZipCoding::NotRead),
            is_absent: false,
        };
        if is_archive {
            members.push(found);
        } else {
            others.push(found);
        }
    }
    let names = members
        .iter()
        .enumerate()
        .map(|(at, member)| (member.name.clone(), at));
    let names: HashMap<String, usize> = names.collect();
    let others_named: HashSet<&str> = others.iter().map(|other| other.name.as_str()).collect();
    let resources = datapackage::resources(&mut zip);
    if resources.is_none() {
        let package = WaczMember::absent(within, datapackage::NAME, begin, PACKAGE_UNREAD);
        members.push(package);
    }
    for (name, stated) in resources.into_iter().flatten() {
        let full = full_name(within, &name);
        let is_named = is_archive(&name) || is_wacz(&name) && !name.contains("://");
        if let Some(member) = names.get(&full).and_then(|at| members.get_mut(*at)) {
            member.stated = stated;
        } else if is_named && !others_named.contains(full.as_str()) {
            members.push(WaczMember::absent(within, &name, begin, MISSING));
        }
    }
    if zip.has_duplicate_names() {
        let start = zip.central_directory_start();
        members.extend(repeated(&mut zip.into_inner(), start, within)?);
    }
    Ok((members, others))
}

fn full_name(within: &str, name: &str) -> String {
    if within.is_empty() {
        name.to_owned()
    } else {
        format!("{within}/{name}")
    }
}

fn inner_name(within: &str, name: &str) -> String {
    full_name(within, name.strip_prefix(FOLDER).unwrap_or(name))
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
        io::copy(
            &mut directory.by_ref().take(extra + comment),
            &mut io::sink(),
        )?;
        if !is_archive(&String::from_utf8_lossy(&text)) || seen.insert(text.clone()) {
            continue;
        }
        let offset = header
            .last_chunk::<4>()
            .map_or(0, |place| u32::from_le_bytes(*place));
        found.push(WaczMember::absent(
            within,
            &shown(&text),
            u64::from(offset),
            REPEATED,
        ));
    }
    Ok(found)
}

impl WaczMember {
    fn absent(within: &str, name: &str, offset: u64, fault: &'static str) -> Self {
        let (full, inner) = (full_name(within, name), inner_name(within, name));
        let (coding, fault) = (ZipCoding::NotRead, Some(fault));
        Self {
            name: full,
            inner,
            offset,
            bytes: 0,
            crc: 0,
            coding,
            stated: None,
            fault,
            is_absent: true,
        }
    }

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
        self.stated.as_ref().is_some_and(StatedSha256::is_other)
    }

    pub fn open(&self, source: &Arc<dyn ArchiveSource>) -> io::Result<Box<dyn Read + Send>> {
        if let Some(fault) = self.fault {
            let detail = format!("{} {fault}", shown(self.name.as_bytes()));
            return Err(io::Error::new(ErrorKind::Unsupported, detail));
        }
        let ranges = self.ranges(source, &Arc::new(AtomicU64::new(u64::MAX)));
        let bytes: Box<dyn Read + Send> = match self.coding {
            ZipCoding::Deflated => Box::new(DeflateDecoder::new(ranges)),
            ZipCoding::Stored | ZipCoding::NotRead => Box::new(ranges),
        };
        Ok(Box::new(CheckedBytes::new(
            bytes,
            self.crc,
            self.stated.clone(),
        )))
    }

    fn ranges(&self, source: &Arc<dyn ArchiveSource>, left: &Arc<AtomicU64>) -> Ranges {
        let end = self.offset.saturating_add(self.bytes);
        Ranges::new(source, (self.offset, end), Arc::clone(left))
    }
}
