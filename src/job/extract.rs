//! Copies records from archives into a small WARC, so that others can check what was decided by them.
//!
//! Document: WARC 1.1, annex D (a record per gzip member) and 6.2 (warcinfo). A gzip member is copied as it is, a record of a
//! plain archive or of zstd frames is compressed, and one of an ARC becomes a response with the same URL, time and block. Then
//! follow the records to which revisits of site files refer (FRAME-5). A `warcinfo` before the records of each crawl says what
//! and why. Left out: WAT, and records without a length in the tables: they share a gzip member, or their length is false.

use super::base::{Base, file_input, is_path_below};
use super::open::{Opened, open};
use super::outcome::Silent;
use super::record_copy::{
    ExtractFault, LONGEST_BYTES, RecordPlace, Stretch, compressed, copy_record, too_long,
};
use super::urls;
use crate::archive::{Archive, ArchiveName, ArchiveSource, Event, KeptRecord, Record};
use crate::error::Error;
use crate::evidence::{Depth, Reading, RecordReader};
use crate::store::{NamedBy, Places};
use crate::web::capture_kind::CaptureKind;
use crate::web::url::PageUrl;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Which records are copied, and why.
pub struct Extraction<'a> {
    /// The records.
    pub records: Vec<RecordPlace>,
    /// Where their archives are: a folder or a URL.
    pub base: &'a Path,
    /// Why, for the `warcinfo`.
    pub reason: &'a str,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// How many records were copied.
    pub records: usize,
    /// The revisits of site files among them whose original is neither in their archive nor copied.
    pub without_original: usize,
}

/// What is being copied.
struct CopiedRecords {
    /// The revisits, by their archives.
    revisits: BTreeMap<String, Vec<KeptRecord>>,
    /// Reads all records, as they are in one archive.
    together: RecordReader,
    /// Whether they are of several archives.
    are_mixed: bool,
}

fn unwritable(source: io::Error) -> Error {
    Error::OutputUnwritable {
        location: "the extracted records".to_owned(),
        source,
    }
}

pub(super) fn unreadable(location: &str, source: io::Error) -> Error {
    Error::InputUnreadable {
        location: location.to_owned(),
        source,
    }
}

impl Extraction<'_> {
    /// Copies the records in the order of their places, each once, and those of their archives that revisits of site files refer to.
    pub fn write(mut self, places: &Places, out: &mut dyn Write) -> Result<Extracted, Error> {
        self.records.sort();
        self.records.dedup();
        if self.records.is_empty() {
            write_info(&[], None, self.reason, out).map_err(unwritable)?;
        }
        let mut copied = CopiedRecords::new(&self.records);
        self.copy_all(&self.records, self.reason, places, (&mut copied, out))?;
        let mut found = Vec::new();
        let revisits = std::mem::take(&mut copied.revisits);
        for (filename, revisits) in &revisits {
            let originals = self.originals(filename, revisits, places)?;
            found.extend(revisits.iter().zip(originals));
        }
        let mut originals: Vec<_> = found
            .iter()
            .filter_map(|(_, original)| original.clone())
            .collect();
        originals.sort();
        originals.dedup();
        originals.retain(|place| self.records.binary_search(place).is_err());
        let reason = "the records to which revisits refer";
        self.copy_all(&originals, reason, places, (&mut copied, out))?;
        copied.together.end_input();
        let lacks = |revisit: &KeptRecord| {
            let record = revisit.record();
            is_of_site_file(&record) && copied.together.original(&record, None).is_none()
        };
        let without = found
            .iter()
            .filter(|(revisit, original)| original.is_none() && lacks(revisit));
        Ok(Extracted {
            records: self.records.len() + originals.len(),
            without_original: without.count(),
        })
    }

    /// Copies records, those of each crawl after a `warcinfo`.
    fn copy_all(
        &self,
        records: &[RecordPlace],
        reason: &str,
        places: &Places,
        (copied, out): (&mut CopiedRecords, &mut dyn Write),
    ) -> Result<(), Error> {
        let crawl = |record: &RecordPlace| {
            ArchiveName::new(&record.filename)
                .crawl()
                .map(str::to_owned)
        };
        for group in records.chunk_by(|one, other| crawl(one) == crawl(other)) {
            let crawl = group.first().and_then(crawl);
            write_info(group, crawl.as_deref(), reason, out).map_err(unwritable)?;
            for record in group {
                if let Some(revisit) = self.copy(record, places, (copied, out))? {
                    copied
                        .revisits
                        .entry(record.filename.clone())
                        .or_default()
                        .push(revisit);
                }
            }
        }
        Ok(())
    }

    /// Copies a record as a gzip member; returns it if it is a revisit.
    fn copy(
        &self,
        record: &RecordPlace,
        places: &Places,
        (copied, out): (&mut CopiedRecords, &mut dyn Write),
    ) -> Result<Option<KeptRecord>, Error> {
        let unreadable = |source| {
            unreadable(
                &format!("{}, byte {}", record.filename, record.offset),
                source,
            )
        };
        if record.length > LONGEST_BYTES {
            return Err(unreadable(too_long()));
        }
        let source = self.source(&record.filename, places)?;
        let name = ArchiveName::new(&record.filename);
        let mut is_alike = true;
        let mut see = |record: &Record<'_>| is_alike = copied.reads_alike(record, &name);
        let revisit = copy_record(&mut Stretch::new(source, record), out, &mut see);
        let revisit = revisit.map_err(|fault| match fault {
            ExtractFault::Read(error) => unreadable(error),
            ExtractFault::Write(source) => unwritable(source),
        })?;
        if is_alike {
            Ok(revisit)
        } else {
            Err(differs(
                &record.filename,
                format_args!("byte {}", record.offset),
            ))
        }
    }

    /// The places of the records to which an archive's revisits refer, if they are known; it reads the archive for them.
    fn originals(
        &self,
        filename: &str,
        revisits: &[KeptRecord],
        places: &Places,
    ) -> Result<Vec<Option<RecordPlace>>, Error> {
        let name = ArchiveName::new(filename);
        let at = |source| unreadable(filename, source);
        let mut reader = RecordReader::new(Depth::NoMeta).of_archive(&name);
        read_archive(
            &self.source(filename, places)?,
            &name,
            &mut reader,
            &mut |_| {},
        )
        .map_err(at)?;
        reader.end_input();
        let found = revisits
            .iter()
            .map(|revisit| reader.original(&revisit.record(), name.subset()));
        let no_length = "a revisit refers to a record that has no length of its own, so that it cannot be copied";
        found
            .map(|original| {
                original
                    .map(|place| {
                        let length = place
                            .length
                            .ok_or_else(|| at(io::Error::other(no_length)))?;
                        Ok(RecordPlace {
                            filename: filename.to_owned(),
                            offset: place.offset,
                            length,
                        })
                    })
                    .transpose()
            })
            .collect()
    }

    fn source(&self, filename: &str, places: &Places) -> Result<Arc<dyn ArchiveSource>, Error> {
        source_below(self.base, filename, places)
    }
}

impl CopiedRecords {
    fn new(records: &[RecordPlace]) -> Self {
        let are_mixed = records
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one.filename != other.filename));
        Self {
            revisits: BTreeMap::new(),
            together: RecordReader::new(Depth::NoMeta),
            are_mixed,
        }
    }

    /// Reads a record; returns whether it has the same kind without its archive's name. A redirect of robots.txt is always followed.
    fn reads_alike(&mut self, record: &Record<'_>, name: &ArchiveName) -> bool {
        let [own, alone] =
            [name.subset(), None].map(|subset| match self.together.read(record, subset) {
                Reading::Capture(capture) => capture.redirect.is_none().then_some(capture.kind),
                Reading::NoInterest | Reading::Lost(_) => None,
            });
        !self.are_mixed || own == alone
    }
}

fn is_of_site_file(revisit: &Record<'_>) -> bool {
    let url = PageUrl::new(revisit.target.unwrap_or_default());
    url.is_ok_and(|url| CaptureKind::from_url(&url) != CaptureKind::Page)
}

fn differs(filename: &str, place: impl Display) -> Error {
    Error::ExtractDiffers {
        location: format!("{filename}, {place}"),
    }
}

/// Returns an archive below a folder or a URL; a name that leads out of it is refused.
pub(super) fn source_below(
    base: &Path,
    filename: &str,
    places: &Places,
) -> Result<Arc<dyn ArchiveSource>, Error> {
    match Base::new(Some(base))? {
        Base::Url(base) => {
            let url = base
                .join(filename)
                .map_err(|detail| unreadable(filename, io::Error::other(detail)))?;
            Ok(urls::input(&url, NamedBy::User, None, places)?.source)
        }
        Base::Folder(folder) => {
            if !is_path_below(filename) {
                let source = io::Error::other("expected the name of an archive below --base");
                return Err(unreadable(filename, source));
            }
            Ok(file_input(&folder.join(filename), None).source)
        }
        Base::None => Err(Error::InputMissing {
            location: filename.to_owned(),
        }),
    }
}

/// Reads an archive to its end; `each` gets what is read of each record.
pub(super) fn read_archive(
    source: &Arc<dyn ArchiveSource>,
    name: &ArchiveName,
    reader: &mut RecordReader,
    each: &mut dyn FnMut(Reading<'_>),
) -> io::Result<()> {
    let opened = open(source, None, &Silent);
    match opened.map_err(|row| io::Error::other(row.detail.unwrap_or_default()))? {
        Opened::Records(mut archive) => read_all(&mut archive, name, reader, each),
        Opened::Wacz {
            source, members, ..
        } => {
            for member in &members {
                let opened = member
                    .open(&source)
                    .and_then(|bytes| Archive::open_at(bytes, member.offset, member.bytes));
                if let Ok(mut archive) = opened? {
                    read_all(&mut archive, name, reader, each)?;
                }
            }
            Ok(())
        }
    }
}

fn read_all<R: Read>(
    archive: &mut Archive<R>,
    name: &ArchiveName,
    reader: &mut RecordReader,
    each: &mut dyn FnMut(Reading<'_>),
) -> io::Result<()> {
    while let Some(event) = archive.next()? {
        if let Event::Record(record) = event {
            each(reader.read(&record, name.subset()));
        }
    }
    Ok(())
}

/// Ours: the date of a `warcinfo`. The same records give the same bytes, whenever they are extracted.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// Returns an id that only this text has: RFC 9562 5.8, a UUID of a digest.
fn id_of(text: &[u8]) -> String {
    let mut digits = Sha1::digest(text)
        .iter()
        .take(16)
        .fold(String::new(), |mut digits, byte| {
            // Writing to a String does not fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        });
    digits.replace_range(12..13, "8");
    digits.replace_range(16..17, "8");
    let ranges = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts = ranges.map(|range| digits.get(range).unwrap_or_default());
    format!("<urn:uuid:{}>", parts.join("-"))
}

/// Writes a `warcinfo`, before the records of each crawl at least. `isPartOf` says how they are read (FRAME-6).
fn write_info(
    records: &[RecordPlace],
    crawl: Option<&str>,
    reason: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut body = format!(
        "software: {}/{}\r\nformat: WARC File Format 1.1\r\ndescription: {}\r\n",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        reason.replace(['\r', '\n'], " ")
    );
    if let Some(crawl) = crawl {
        // Writing to a String does not fail.
        let _ = write!(body, "isPartOf: {crawl}\r\n");
    }
    for RecordPlace {
        filename,
        offset,
        length,
    } in records
    {
        let filename = filename.replace(['\r', '\n'], " ");
        let _ = write!(body, "copied-record: {offset} {length} {filename}\r\n");
    }
    let head = format!(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {}\r\nWARC-Date: {NO_DATE}\r\n\
         Content-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n",
        id_of(body.as_bytes()),
        body.len()
    );
    let text = [head.as_bytes(), body.as_bytes(), b"\r\n\r\n"].concat();
    out.write_all(&compressed(&text)?)
}
