//! Several streams of answers as one; the result does not depend on their order or on earlier merges.
//!
//! Example: an index of March and one of April; equal answers become one, with the times of both. An archive in two streams
//! must be the same archive, and counts once.

use super::stream::{AnswerStream, BodySource, FileBody, SeenFetch};
use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SharedBytes};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

/// What to do next if two streams have different files of one name.
const NEXT: &str = "name only one of both; or read the one that is meant into the evidence of both: crawlprefs scan ARCHIVE \
                    --again changed -o EVIDENCE, and make their indexes again: crawlprefs index EVIDENCE -o INDEX --overwrite";

/// Several streams in one order.
pub struct Merged<'s> {
    streams: Vec<Merging<'s>>,
    /// The stream with the body of the answer that was returned last.
    last: usize,
    archives: Vec<IndexedArchive>,
}

struct Merging<'s> {
    location: String,
    stream: Box<dyn AnswerStream + 's>,
    next: Option<SeenFetch>,
    /// The numbers of its archives among all; `None` if another stream has a better copy.
    numbers: Vec<Option<u32>>,
}

/// Returns the archives of inputs, without those of some crawls, each once: of a cut copy and a better one, the better one.
///
/// # Errors
/// [`Error::EvidenceDiffers`] if two inputs have an archive with different content.
pub fn all_archives(
    inputs: impl Iterator<Item = (String, Vec<IndexedArchive>)>,
    without: &[String],
) -> Result<Vec<IndexedArchive>, Error> {
    let mut known = BTreeMap::<(String, String), (String, IndexedArchive)>::new();
    for (location, archives) in inputs {
        for archive in archives.into_iter().filter(|archive| !without.contains(&archive.crawl)) {
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
    /// Merges streams, each with its name in errors, without the captures of some crawls.
    ///
    /// # Errors
    /// [`Error::EvidenceDiffers`] if two streams have an archive with different content.
    pub fn new(
        streams: Vec<(String, Box<dyn AnswerStream + 's>)>,
        without: &[String],
    ) -> Result<Self, Error> {
        let of_streams =
            streams.iter().map(|(location, stream)| (location.clone(), stream.archives().to_vec()));
        let archives = all_archives(of_streams, without)?;
        let number = |archive: &IndexedArchive| {
            let key = |known: &IndexedArchive| (known.crawl.clone(), known.warc_filename.clone());
            let place = archives.binary_search_by_key(&key(archive), key).ok();
            let found = place.and_then(|place| Some((place, archives.get(place)?)));
            // The captures of a copy that was cut are those of the better one, except the last.
            let is_it = |known: &IndexedArchive| known.fingerprint == archive.fingerprint;
            found.filter(|(_, known)| is_it(known)).and_then(|(place, _)| u32::try_from(place).ok())
        };
        let merging = |(location, stream): (String, Box<dyn AnswerStream + 's>)| {
            let numbers = stream.archives().iter().map(number).collect();
            Merging { location, stream, next: None, numbers }
        };
        let mut streams: Vec<_> = streams.into_iter().map(merging).collect();
        streams.iter_mut().try_for_each(Merging::advance)?;
        Ok(Self { streams, last: 0, archives })
    }
}

impl AnswerStream for Merged<'_> {
    fn archives(&self) -> &[IndexedArchive] {
        &self.archives
    }

    fn next_answer(&mut self) -> Result<Option<SeenFetch>, Error> {
        if let [only] = self.streams.as_mut_slice() {
            let next = only.next.take();
            only.advance()?;
            return Ok(next);
        }
        let nexts = self.streams.iter().enumerate();
        let nexts = nexts.filter_map(|(place, merging)| Some((&merging.next.as_ref()?.0, place)));
        let Some((_, first)) = nexts.min() else { return Ok(None) };
        let Some((fetch, mut all)) = self.streams.get_mut(first).and_then(|merging| merging.next.take())
        else {
            return Ok(None);
        };
        self.last = first;
        let mut others = 0;
        for merging in &mut self.streams {
            if let Some((_, seen)) = merging.next.take_if(|(next, _)| *next == fetch) {
                all.extend(seen);
                others += 1;
                merging.advance()?;
            }
        }
        // The caller asks for the body before the next answer; the next answer is known without it.
        self.streams.get_mut(first).map_or(Ok(()), Merging::advance)?;
        if others > 0 {
            all.sort_unstable();
            all.dedup();
        }
        Ok(Some((fetch, all)))
    }

    fn content(&self, body: &FileBody) -> Result<SharedBytes, Error> {
        match (&body.source, self.streams.get(self.last)) {
            (BodySource::Index(content, _), _) => Ok(content.clone()),
            (BodySource::Evidence(_), Some(merging)) => merging.stream.content(body),
            (BodySource::Evidence(number), None) => Err(Error::IndexUnreadable {
                location: String::new(),
                source: io::Error::other(format!("nothing has body {number}")),
            }),
        }
    }
}

impl Merging<'_> {
    /// Reads the next answer, with the numbers of its archives among all.
    fn advance(&mut self) -> Result<(), Error> {
        self.next = None;
        while let Some((fetch, mut seen)) = self.stream.next_answer()? {
            self.renumber(&mut seen)?;
            if !seen.is_empty() {
                self.next = Some((fetch, seen));
                break;
            }
        }
        Ok(())
    }

    fn renumber(&self, captures: &mut Vec<Seen>) -> Result<(), Error> {
        let mut unknown = None;
        captures.retain_mut(|seen| match self.numbers.get(seen.archive as usize) {
            Some(Some(number)) => {
                seen.archive = *number;
                true
            }
            Some(None) => false,
            None => unknown.replace(seen.archive).is_none(),
        });
        let Some(archive) = unknown else { return Ok(()) };
        let detail = format!("a capture is of archive {archive}, which it does not have");
        Err(Error::IndexUnreadable { location: self.location.clone(), source: io::Error::other(detail) })
    }
}
