//! Several streams of hosts as one, which does not depend on their order, or on what was merged before.
//!
//! Example: an index of March and one of April; a host's answers of both are one list, and equal ones have the times of both.
//! Archives that two streams have are one: they must be the same archive, and count once.

use super::collect::in_order;
use super::stream::{HostFiles, HostStream};
use crate::error::Error;
use crate::tables::site_index::IndexedArchive;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

/// What is next where two streams have different files of one name.
const NEXT: &str = "name only one of both; or read the one that is meant into the evidence of both: crawlprefs scan ARCHIVE \
                    --again changed -o EVIDENCE, and make their indexes again: crawlprefs index EVIDENCE -o INDEX --overwrite";

/// Streams, and where each is.
pub struct Merged<'s> {
    streams: Vec<Merging<'s>>,
    archives: Vec<IndexedArchive>,
}

/// A stream, its next hosts, and the numbers of its archives among those of all.
struct Merging<'s> {
    location: String,
    stream: Box<dyn HostStream + 's>,
    next: Option<HostFiles>,
    numbers: Vec<u32>,
}

impl<'s> Merged<'s> {
    /// Puts streams together, which are called so in errors.
    ///
    /// # Errors
    /// [`Error::EvidenceDiffers`] of an archive that two streams have differently.
    pub fn new(streams: Vec<(String, Box<dyn HostStream + 's>)>) -> Result<Self, Error> {
        let mut known = BTreeMap::<(String, String), (&str, IndexedArchive)>::new();
        for (location, stream) in &streams {
            for archive in stream.archives() {
                match known.entry((archive.crawl.clone(), archive.warc_filename.clone())) {
                    Entry::Vacant(vacant) => {
                        vacant.insert((location, archive.clone()));
                    }
                    Entry::Occupied(mut occupied) => {
                        let (first, other) = (&occupied.get().1.fingerprint, &archive.fingerprint);
                        if first.is_some() && other.is_some() && first != other {
                            return Err(Error::EvidenceDiffers {
                                name: archive.warc_filename.clone(),
                                first: occupied.get().0.to_owned(),
                                second: location.clone(),
                                next: NEXT.to_owned(),
                            });
                        }
                        // One that was read is more than one that failed; then any rule that knows no order.
                        let rank =
                            |archive: &IndexedArchive| (archive.fingerprint.is_some(), archive.clone());
                        if rank(&occupied.get().1) < rank(archive) {
                            occupied.insert((location, archive.clone()));
                        }
                    }
                }
            }
        }
        let archives: Vec<IndexedArchive> = known.into_values().map(|(_, archive)| archive).collect();
        let number = |archive: &IndexedArchive| {
            let key = |known: &IndexedArchive| (known.crawl.clone(), known.warc_filename.clone());
            let found = archives.binary_search_by_key(&key(archive), key);
            found.ok().and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
        };
        let merging = |(location, stream): (String, Box<dyn HostStream + 's>)| {
            let numbers = stream.archives().iter().map(number).collect();
            Merging { location, stream, next: None, numbers }
        };
        let mut streams: Vec<_> = streams.into_iter().map(merging).collect();
        streams.iter_mut().try_for_each(Merging::advance)?;
        Ok(Self { streams, archives })
    }
}

impl HostStream for Merged<'_> {
    fn archives(&self) -> &[IndexedArchive] {
        &self.archives
    }

    fn next_hosts(&mut self) -> Result<Option<HostFiles>, Error> {
        let nexts = self.streams.iter().filter_map(|merging| merging.next.as_ref());
        let Some(surt) = nexts.map(|hosts| &hosts.surt).min().cloned() else { return Ok(None) };
        let mut hosts = HostFiles { surt, fetches: Vec::new() };
        let mut count = 0;
        for merging in &mut self.streams {
            let Some(next) = merging.next.take_if(|next| next.surt == hosts.surt) else { continue };
            merging.advance()?;
            hosts.fetches.extend(next.fetches);
            count += 1;
        }
        if count > 1 {
            in_order(&mut hosts.fetches);
        }
        Ok(Some(hosts))
    }
}

impl Merging<'_> {
    /// Reads its next hosts, with the numbers that archives have among all.
    fn advance(&mut self) -> Result<(), Error> {
        self.next = self.stream.next_hosts()?;
        let seen = self.next.iter_mut().flat_map(|hosts| &mut hosts.fetches).flat_map(|(_, seen)| seen);
        for seen in seen {
            let number = self.numbers.get(seen.archive as usize);
            let unknown = || Error::IndexUnreadable {
                location: self.location.clone(),
                source: io::Error::other(format!(
                    "a capture is of archive {}, which it does not have",
                    seen.archive
                )),
            };
            seen.archive = *number.ok_or_else(unknown)?;
        }
        Ok(())
    }
}
