//! Opens an archive by its first bytes, or says why it cannot be read.
//!
//! Example: `hello` is not an archive; `PK 03 04` is a WACZ, whose archives are read one after the other.

use super::outcome::Progress;
use crate::archive::wacz::{WaczMember, members};
use crate::archive::{Archive, ArchiveSource, Format, SNIFF_BYTES, described};
use crate::runs::{Fingerprint, FingerprintReader, Identified};
use crate::store::Stopped;
use crate::tables::archives::{ArchiveRow, Outcome};
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

/// A source that fails once progress asks to stop: much may be searched or inflated before the next record.
pub struct Stoppable<'p> {
    pub source: Box<dyn Read + Send>,
    pub progress: &'p dyn Progress,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.should_stop() {
            return Err(Stopped.into());
        }
        self.source.read(buffer)
    }
}

/// An archive that was opened.
pub enum Opened<'p> {
    /// A file of records.
    Records(Box<Archive<FingerprintReader<Stoppable<'p>>>>),
    /// A ZIP file of archives.
    Wacz {
        source: Arc<dyn ArchiveSource>,
        members: Vec<WaczMember>,
        identified: Identified,
    },
}

/// Opens an archive; on failure, its row says why.
pub fn open<'p>(
    source: &Arc<dyn ArchiveSource>,
    earlier_bytes: Option<u64>,
    progress: &'p dyn Progress,
) -> Result<Opened<'p>, Box<ArchiveRow>> {
    let bytes = source.open().map_err(|error| unreadable(&error))?;
    let bytes = FingerprintReader::new(
        Stoppable {
            source: bytes,
            progress,
        },
        earlier_bytes,
    );
    match Archive::open(bytes).map_err(|error| unreadable(&error))? {
        Ok(archive) => Ok(Opened::Records(Box::new(archive))),
        Err(Format::Wacz) => open_wacz(source, earlier_bytes).map_err(|error| unreadable(&error)),
        Err(format) => Err(unread(format, source)),
    }
}

fn open_wacz<'p>(
    source: &Arc<dyn ArchiveSource>,
    earlier_bytes: Option<u64>,
) -> io::Result<Opened<'p>> {
    let members = members(source)?;
    if members.is_empty() {
        let detail =
            "found a ZIP without a file in its folder archive and without WACZ files (*.wacz)";
        return Err(io::Error::new(ErrorKind::Unsupported, detail));
    }
    let bytes = earlier_bytes.unwrap_or(0);
    let earlier = Fingerprint {
        bytes,
        first: String::new(),
        last: String::new(),
    };
    let identified =
        Identified::of_source(source.as_ref(), &earlier)?.ok_or(ErrorKind::Unsupported)?;
    Ok(Opened::Wacz {
        source: Arc::clone(source),
        members,
        identified,
    })
}

fn unread(format: Format, source: &Arc<dyn ArchiveSource>) -> Box<ArchiveRow> {
    let (outcome, detail) = match format {
        Format::Empty => (
            Outcome::Empty,
            "no bytes, or nothing but empty gzip members".to_owned(),
        ),
        Format::Other => (Outcome::NotAnArchive, no_archive(source)),
        Format::Warc | Format::Wat | Format::Arc | Format::Wacz | Format::Lz4 => (
            Outcome::UnsupportedFormat,
            format!("found {}, expected WARC, WAT, ARC or WACZ", format.as_str()),
        ),
    };
    Box::new(ArchiveRow::unread(outcome, Some(detail)))
}

/// Says what was found in the place of an archive.
fn no_archive(source: &Arc<dyn ArchiveSource>) -> String {
    let mut start = Vec::new();
    let read = source
        .open()
        .and_then(|bytes| bytes.take(SNIFF_BYTES as u64).read_to_end(&mut start));
    match read.ok().and_then(|_| described(&start)) {
        Some(what) => format!("found {what}"),
        None => {
            "found neither a record of a WARC or ARC nor gzip, zstd or ZIP at its start".to_owned()
        }
    }
}

/// Returns the row of an archive that cannot be opened.
pub fn unreadable(error: &io::Error) -> Box<ArchiveRow> {
    let outcome = match error.kind() {
        ErrorKind::NotFound => Outcome::Missing,
        ErrorKind::Unsupported => Outcome::UnsupportedFormat,
        _ => Outcome::Unreadable,
    };
    let detail = match outcome {
        // The system's message names neither the file nor how it was opened.
        Outcome::Missing if error.raw_os_error().is_some() => "there is no such file".to_owned(),
        _ => error.to_string(),
    };
    Box::new(ArchiveRow::unread(outcome, Some(detail)))
}
