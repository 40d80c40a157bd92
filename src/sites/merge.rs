//! Several streams of answers as one; the result does not depend on their order or on earlier merges.
//!
//! Example: an index of March and one of April; equal answers become one, with the times of both. An archive in two streams
//! must be the same archive, and counts once. Its captures are those of all streams that have it (KNOW-1): no stream takes the
//! no of another one away by an archive that only claims to be the same.

use super::manifest::ArchiveKey;
use super::stream::AnswerStream;
use crate::archive::CrawlId;
use crate::error::Error;
use crate::tables::site_index::{IndexedArchive, Seen, SiteFetch};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// What to do next if two streams have different files of one name.
const NEXT: &str = "name only one of both; or read the one that is meant into the evidence of both: crawlprefs scan ARCHIVE \
                    --again changed -o EVIDENCE, and make their indexes again: crawlprefs index EVIDENCE -o INDEX --overwrite";

/// Whether a crawl is one of some names.
pub fn is_among(names: &[String], crawl: &CrawlId) -> bool {
    names.iter().any(|name| *name == **crawl)
}

/// Returns the archives of inputs, without those of some crawls, each once: the better of two copies. Two of different content
/// are an error.
pub fn all_archives(
    inputs: impl Iterator<Item = (String, Vec<IndexedArchive>)>,
    without: &[String],
) -> Result<Vec<IndexedArchive>, Error> {
    let mut known = BTreeMap::<(CrawlId, String), (String, IndexedArchive)>::new();
    for (location, archives) in inputs {
        for archive in archives
            .into_iter()
            .filter(|archive| !is_among(without, &archive.crawl))
        {
            let key = key_of(&archive);
            if let Some((first, earlier)) = known.get(&key) {
                let is_continued =
                    earlier.is_continued_by(&archive) || archive.is_continued_by(earlier);
                if !archive.may_be(earlier) && !is_continued {
                    let (first, next) = (first.clone(), NEXT.to_owned());
                    return Err(Error::EvidenceDiffers {
                        name: key.1,
                        first,
                        second: location,
                        next,
                    });
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

/// The archives in several inputs, one of which was read whole and lacks an answer that another one has.
pub type Differing = Arc<Mutex<BTreeSet<ArchiveKey>>>;

fn key_of(archive: &IndexedArchive) -> ArchiveKey {
    (archive.crawl.clone(), archive.warc_filename.clone())
}

/// Merges streams, without the captures of some crawls; the result has the name of the first one.
pub fn merged<'s>(
    streams: Vec<AnswerStream<'s>>,
    without: &[String],
    differing: &Differing,
) -> Result<AnswerStream<'s>, Error> {
    let location = streams
        .first()
        .map(|stream| stream.location.clone())
        .unwrap_or_default();
    let archives = all_archives(streams.iter().map(AnswerStream::named_archives), without)?;
    let number = |archive: &IndexedArchive| {
        let place = archives.binary_search_by_key(&key_of(archive), key_of).ok();
        let found = place.and_then(|place| Some((place, archives.get(place)?)))?;
        Some((
            u32::try_from(found.0).ok()?,
            archive.is_continued_by(found.1),
        ))
    };
    let holders = Holders::new(&streams, &number);
    let numbered = streams.into_iter().enumerate().map(|(place, stream)| {
        let numbers: Vec<Option<(u32, bool)>> = stream.archives.iter().map(number).collect();
        let numbered = stream.answers.map(move |answer| {
            let (fetch, mut seen) = answer?;
            renumber(&fetch, &mut seen, &numbers, &stream.location)?;
            Ok((fetch, seen))
        });
        numbered
            .filter_ok(|(_, seen)| !seen.is_empty())
            .map(move |answer| (place, answer))
    });
    // Of equal answers, the body is that of the first stream.
    let sorted = numbered.kmerge_by(|(place, one), (beside, other)| match (one, other) {
        (Ok((one, _)), Ok((other, _))) => (one, place) < (other, beside),
        (one, _) => one.is_err(),
    });
    let of_places = sorted.map(|(place, answer)| {
        answer.map(|(fetch, seen)| {
            (
                fetch,
                seen.into_iter()
                    .map(|seen| (place, seen))
                    .collect::<Vec<_>>(),
            )
        })
    });
    // What is not joined is passed on as it is.
    #[allow(clippy::result_large_err)]
    let joined = of_places.coalesce(|one, next| match (one, next) {
        (Ok((fetch, mut all)), Ok((next, seen))) if next == fetch => {
            all.extend(seen);
            Ok(Ok((fetch, all)))
        }
        (one, next) => Err((one, next)),
    });
    let (differing, keys) = (
        Arc::clone(differing),
        archives.iter().map(key_of).collect::<Vec<_>>(),
    );
    let answers = joined.map_ok(move |(fetch, all)| {
        // A page to which redirects lead is in a stream only if another of its archives has the redirect.
        let is_target = fetch.kind.paths().is_empty();
        let lacking = if is_target {
            BTreeSet::new()
        } else {
            holders.lacking(&all)
        };
        if !lacking.is_empty() {
            let keys = lacking
                .iter()
                .filter_map(|archive| keys.get(*archive as usize).cloned());
            differing
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(keys);
        }
        (fetch, each_once(all))
    });
    Ok(AnswerStream {
        location,
        archives,
        captures: 0,
        answers: Box::new(answers),
    })
}

/// The streams that have an archive, by its number among all, if there are several.
struct Holders(BTreeMap<u32, Vec<(usize, bool)>>);

impl Holders {
    fn new(
        streams: &[AnswerStream<'_>],
        number: &dyn Fn(&IndexedArchive) -> Option<(u32, bool)>,
    ) -> Self {
        let mut holders = BTreeMap::<u32, Vec<(usize, bool)>>::new();
        for (place, stream) in streams.iter().enumerate() {
            for archive in stream
                .archives
                .iter()
                .filter(|archive| archive.fingerprint.is_some())
            {
                if let Some((number, is_continued)) = number(archive) {
                    let is_whole = !is_continued && archive.records_lost == 0;
                    holders.entry(number).or_default().push((place, is_whole));
                }
            }
        }
        holders.retain(|_, of| of.len() > 1);
        Self(holders)
    }

    /// Returns the archives of captures that a stream lacks although it has all of the archive.
    fn lacking(&self, captures: &[(usize, Seen)]) -> BTreeSet<u32> {
        if self.0.is_empty() {
            return BTreeSet::new();
        }
        let archives: BTreeSet<u32> = captures.iter().map(|(_, seen)| seen.archive).collect();
        let lacks = |archive: &u32| {
            let times = |place: usize| -> Vec<Option<i64>> {
                let own = captures
                    .iter()
                    .filter(|(of, seen)| *of == place && seen.archive == *archive);
                let mut times: Vec<_> = own.map(|(_, seen)| seen.at_us).collect();
                times.sort_unstable();
                times.dedup();
                times
            };
            let of = self.0.get(archive).map(Vec::as_slice).unwrap_or_default();
            let all: BTreeSet<Option<i64>> =
                of.iter().flat_map(|(place, _)| times(*place)).collect();
            of.iter()
                .any(|(place, is_whole)| *is_whole && times(*place).len() < all.len())
        };
        archives.into_iter().filter(lacks).collect()
    }
}

/// Returns captures of one answer, sorted. Those of one archive and time count as in the stream that has most of them: it has
/// their rows, even if another one has not.
fn each_once(mut captures: Vec<(usize, Seen)>) -> Vec<Seen> {
    captures.sort_unstable_by_key(|(place, seen)| (seen.at_us, seen.archive, *place, seen.row));
    let mut all = Vec::with_capacity(captures.len());
    for same in captures
        .chunk_by(|(_, one), (_, other)| (one.at_us, one.archive) == (other.at_us, other.archive))
    {
        let of_streams = same.chunk_by(|(one, _), (other, _)| one == other);
        let rows = |of: &&[(usize, Seen)]| {
            let rows: Vec<Option<u32>> = of.iter().map(|(_, seen)| seen.row).collect();
            (rows.len(), rows)
        };
        all.extend(
            of_streams
                .max_by_key(rows)
                .into_iter()
                .flatten()
                .map(|(_, seen)| *seen),
        );
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Gives captures the numbers of their archives among all; `None`: its crawl is left out. If a copy was cut and another one is
/// longer, an answer that was not received whole does not count: the other copy has it.
fn renumber<B>(
    fetch: &SiteFetch<B>,
    captures: &mut Vec<Seen>,
    numbers: &[Option<(u32, bool)>],
    location: &str,
) -> Result<(), Error> {
    let mut unknown = None;
    captures.retain_mut(|seen| match numbers.get(seen.archive as usize) {
        Some(number) => {
            let counts =
                number.filter(|(_, is_continued)| !(*is_continued && fetch.is_broken_off()));
            seen.archive = counts.map_or(0, |(number, _)| number);
            counts.is_some()
        }
        None => unknown.replace(seen.archive).is_none(),
    });
    let Some(archive) = unknown else {
        return Ok(());
    };
    let detail = format!("a capture is of archive {archive}, which it does not have");
    Err(Error::IndexUnreadable {
        location: location.to_owned(),
        source: io::Error::other(detail),
    })
}
