//! Finds the records of captures by their URLs and times, as a site index names them: it has no places of records.
//!
//! Example: `https://a.example/robots.txt`, fetched 2026-08-10T06:00:00Z, in `later.warc`. The archive is read to its end; if
//! several records have this URL and time, each is found, because the index does not say which one it took.

use super::extract::{read_archive, source_below, unreadable};
use super::record_copy::RecordPlace;
use crate::archive::{ArchiveName, Place};
use crate::error::Error;
use crate::evidence::{Depth, Reading, RecordReader};
use crate::store::Places;
use crate::web::timestamp::Timestamp;
use std::io;
use std::path::Path;

/// A capture as an index names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedCapture {
    /// The name of its archive.
    pub filename: String,
    /// Its URL.
    pub url: String,
    /// When it was fetched, if it states a usable time.
    pub fetched_at: Option<Timestamp>,
}

impl NamedCapture {
    /// Returns the places of the records of captures, whose archives are below a folder or a URL.
    ///
    /// # Errors
    /// Why an archive cannot be read, or that a record is not there, or has no length of its own.
    pub fn places(
        mut captures: Vec<Self>,
        base: &Path,
        places: &Places,
    ) -> Result<Vec<RecordPlace>, Error> {
        captures.sort();
        captures.dedup();
        let archives = captures.chunk_by(|one, other| one.filename == other.filename);
        let found = archives.map(|captures| in_archive(captures, base, places));
        Ok(found.collect::<Result<Vec<_>, Error>>()?.concat())
    }

    fn is(&self, url: &str, fetched_at: Option<Timestamp>) -> bool {
        self.url == url && self.fetched_at == fetched_at
    }
}

fn in_archive(
    captures: &[NamedCapture],
    base: &Path,
    places: &Places,
) -> Result<Vec<RecordPlace>, Error> {
    let Some(NamedCapture { filename, .. }) = captures.first() else {
        return Ok(Vec::new());
    };
    let at = |source| unreadable(filename, source);
    let name = ArchiveName::new(filename);
    let mut reader = RecordReader::new(Depth::NoMeta).of_archive(&name);
    let mut found: Vec<(usize, Place)> = Vec::new();
    let source = source_below(base, filename, places)?;
    read_archive(&source, &name, &mut reader, &mut |reading| {
        let Reading::Capture(capture) = reading else {
            return;
        };
        let url = capture.target.as_str();
        let fetched_at = capture.fetched_at;
        let sought = captures
            .iter()
            .position(|sought| sought.is(url, fetched_at));
        found.extend(sought.map(|sought| (sought, capture.record.place)));
    })
    .map_err(at)?;
    let is_found = |place: usize| found.iter().any(|(sought, _)| *sought == place);
    if let Some((_, missing)) = captures
        .iter()
        .enumerate()
        .find(|(place, _)| !is_found(*place))
    {
        let time = missing
            .fetched_at
            .map_or_else(|| "no usable time".to_owned(), |time| time.to_string());
        return Err(at(io::Error::other(format!(
            "found no record of {} with {time}",
            missing.url
        ))));
    }
    let place = |(_, place): &(usize, Place)| {
        let length = place.length.ok_or_else(|| {
            let detail = "a capture has no length of its own, so that its record cannot be copied";
            at(io::Error::other(detail))
        })?;
        Ok(RecordPlace {
            filename: filename.clone(),
            offset: place.offset,
            length,
        })
    };
    found.iter().map(place).collect()
}
