//! Several streams of answers as one; the result does not depend on their order or on earlier merges.
//!
//! Example: an index of March and one of April; equal answers become one, with the times of both. An archive in two streams
//! must be the same archive, and counts once.

use super::stream::{AnswerStream, joined};
use crate::archive::CrawlId;
use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::io;

/// What to do next if two streams have different files of one name.
const NEXT: &str = "name only one of both; or read the one that is meant into the evidence of both: crawlprefs scan ARCHIVE \
                    --again changed -o EVIDENCE, and make their indexes again: crawlprefs index EVIDENCE -o INDEX --overwrite";

/// Whether a crawl is one of some names.
pub fn is_among(names: &[String], crawl: &CrawlId) -> bool {
    names.iter().any(|name| *name == **crawl)
}

/// Returns the archives of inputs, without those of some crawls, each once: of a cut copy and a better one, the better one. Two
/// with different content are an error.
pub fn all_archives(
    inputs: impl Iterator<Item = (String, Vec<IndexedArchive>)>,
    without: &[String],
) -> Result<Vec<IndexedArchive>, Error> {
    let mut known = BTreeMap::<(CrawlId, String), (String, IndexedArchive)>::new();
    for (location, archives) in inputs {
        for archive in archives.into_iter().filter(|archive| !is_among(without, &archive.crawl)) {
            let key = (archive.crawl.clone(), archive.warc_filename.clone());
            if let Some((first, earlier)) = known.get(&key) {
                let is_continued = earlier.is_continued_by(&archive) || archive.is_continued_by(earlier);
                if !archive.may_be(earlier) && !is_continued {
                    let (first, next) = (first.clone(), NEXT.to_owned());
                    return Err(Error::EvidenceDiffers { name: key.1, first, second: location, next });
                }
                if earlier.rank() >= archive.rank() {
                    continue;
                }
            }
            known.insert(key, (location.clone(), archive));
        }
    }
    Ok(known.into_values().map(|(_, archive)| archive).collect())
}

/// Merges streams, without the captures of some crawls; the result has the name of the first one.
pub fn merged<'s>(streams: Vec<AnswerStream<'s>>, without: &[String]) -> Result<AnswerStream<'s>, Error> {
    let location = streams.first().map(|stream| stream.location.clone()).unwrap_or_default();
    let archives = all_archives(streams.iter().map(AnswerStream::named_archives), without)?;
    let number = |archive: &IndexedArchive| {
        let key = |known: &IndexedArchive| (known.crawl.clone(), known.warc_filename.clone());
        let place = archives.binary_search_by_key(&key(archive), key).ok();
        let found = place.and_then(|place| Some((place, archives.get(place)?)));
        // The captures of a copy that was cut are those of the better one, except the last.
        let is_it = |known: &IndexedArchive| known.fingerprint == archive.fingerprint;
        found.filter(|(_, known)| is_it(known)).and_then(|(place, _)| u32::try_from(place).ok())
    };
    let numbered = streams.into_iter().enumerate().map(|(place, stream)| {
        let numbers: Vec<Option<u32>> = stream.archives.iter().map(number).collect();
        let numbered = stream.answers.map(move |answer| {
            let (fetch, mut seen) = answer?;
            renumber(&mut seen, &numbers, &stream.location)?;
            Ok((fetch, seen))
        });
        numbered.filter_ok(|(_, seen)| !seen.is_empty()).map(move |answer| (place, answer))
    });
    // Of equal answers, the body is that of the first stream.
    let sorted = numbered.kmerge_by(|(place, one), (beside, other)| match (one, other) {
        (Ok((one, _)), Ok((other, _))) => (one, place) < (other, beside),
        (one, _) => one.is_err(),
    });
    let answers = Box::new(joined(sorted.map(|(_, answer)| answer), String::new()));
    Ok(AnswerStream { location, archives, captures: 0, answers })
}

/// Gives captures the numbers of their archives among all; `None`: another stream has a better copy.
fn renumber(captures: &mut Vec<Seen>, numbers: &[Option<u32>], location: &str) -> Result<(), Error> {
    let mut unknown = None;
    captures.retain_mut(|seen| match numbers.get(seen.archive as usize) {
        Some(number) => {
            seen.archive = number.unwrap_or_default();
            number.is_some()
        }
        None => unknown.replace(seen.archive).is_none(),
    });
    let Some(archive) = unknown else { return Ok(()) };
    let detail = format!("a capture is of archive {archive}, which it does not have");
    Err(Error::IndexUnreadable { location: location.to_owned(), source: io::Error::other(detail) })
}
