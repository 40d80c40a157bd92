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
    /// The numbers of its archives among all; `None` where there is a better copy of one.
    numbers: Vec<Option<u32>>,
}

/// Returns the archives of some inputs, each once: of a copy that was cut and a better one, the better one.
///
/// # Errors
/// [`Error::EvidenceDiffers`] of an archive that two inputs have differently.
pub fn all_archives(
    inputs: impl Iterator<Item = (String, Vec<IndexedArchive>)>,
) -> Result<Vec<IndexedArchive>, Error> {
    let mut known = BTreeMap::<(String, String), (String, IndexedArchive)>::new();
    for (location, archives) in inputs {
        for archive in archives {
            match known.entry((archive.crawl.clone(), archive.warc_filename.clone())) {
                Entry::Vacant(vacant) => {
                    vacant.insert((location.clone(), archive));
                }
                Entry::Occupied(mut occupied) => {
                    let (first, earlier) = occupied.get();
                    if !(archive.may_be(earlier)
                        || earlier.is_continued_by(&archive)
                        || archive.is_continued_by(earlier))
                    {
                        return Err(Error::EvidenceDiffers {
                            name: archive.warc_filename.clone(),
                            first: first.clone(),
                            second: location.clone(),
                            next: NEXT.to_owned(),
                        });
                    }
                    if earlier.rank() < archive.rank() {
                        occupied.insert((location.clone(), archive));
                    }
                }
            }
        }
    }
    Ok(known.into_values().map(|(_, archive)| archive).collect())
}

impl<'s> Merged<'s> {
    /// Puts streams together, which are called so in errors.
    ///
    /// # Errors
    /// [`Error::EvidenceDiffers`] of an archive that two streams have differently.
    pub fn new(streams: Vec<(String, Box<dyn HostStream + 's>)>) -> Result<Self, Error> {
        let of_streams =
            streams.iter().map(|(location, stream)| (location.clone(), stream.archives().to_vec()));
        let archives = all_archives(of_streams)?;
        let number = |archive: &IndexedArchive| {
            let key = |known: &IndexedArchive| (known.crawl.clone(), known.warc_filename.clone());
            let place = archives.binary_search_by_key(&key(archive), key).ok();
            let found = place.and_then(|place| Some((place, archives.get(place)?)));
            // The captures of a copy that was cut are those of the better one, but for the last.
            let is_it = |known: &IndexedArchive| known.fingerprint == archive.fingerprint;
            found.filter(|(_, known)| is_it(known)).and_then(|(place, _)| u32::try_from(place).ok())
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
        self.next = None;
        while let Some(mut hosts) = self.stream.next_hosts()? {
            self.renumber(&mut hosts)?;
            if !hosts.fetches.is_empty() {
                self.next = Some(hosts);
                break;
            }
        }
        Ok(())
    }

    fn renumber(&self, hosts: &mut HostFiles) -> Result<(), Error> {
        for (_, seen) in &mut hosts.fetches {
            let mut unknown = None;
            seen.retain_mut(|seen| match self.numbers.get(seen.archive as usize) {
                Some(Some(number)) => {
                    seen.archive = *number;
                    true
                }
                Some(None) => false,
                None => unknown.replace(seen.archive).is_none(),
            });
            if let Some(archive) = unknown {
                let detail = format!("a capture is of archive {archive}, which it does not have");
                let (location, source) = (self.location.clone(), io::Error::other(detail));
                return Err(Error::IndexUnreadable { location, source });
            }
        }
        hosts.fetches.retain(|(_, seen)| !seen.is_empty());
        Ok(())
    }
}
