//! Several site indexes as one: one index per crawl or night can be made again or removed without the others.
//!
//! Example: indexes of ten crawls, in any order, give the same answers as the index that they merge to: archives have the same
//! numbers as in that index, and the numbers order captures of one URL and time. An archive in two layers must be the same file,
//! and counts once, with the captures of both; else the error names both. Left out: how hosts are read (`load`).

use super::manifest::{ARCHIVES_IN_GROUP, FetchPart, IndexManifest, IndexedCrawl};
use super::merge::all_archives;
use super::read_archives::ReadArchives;
use super::reader::{GroupPlace, IndexReader, KeptBodies, as_key, begins_before};
use super::writer::crawls;
use crate::error::Error;
use crate::runs::Lacking;
use crate::store::{Places, Store};
use crate::tables::site_index::{IndexedArchive, SiteHost};
use crate::web::shown::without_credentials;
use crate::web::u32_of;
use data_encoding::HEXLOWER;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Site indexes that are read as one, in the order of their digests.
pub struct SiteLayers {
    named: Vec<PathBuf>,
    places: Places,
    pub(crate) layers: Vec<IndexReader>,
    /// The folders beside layers without `_index.json`: their first index is not finished, or it was retired.
    pub without_index: Vec<String>,
    pub(super) numbers: ArchiveNumbers,
    pub(super) archives: Mutex<ReadArchives>,
    /// By name.
    pub(crate) crawls: Vec<IndexedCrawl>,
    /// It identifies all layers: the SHA-256 of `_index.json`; for several, that of their sorted list.
    pub(crate) digest: String,
    /// The layer with the most row groups, which divide the work.
    widest: usize,
    /// The row groups of bodies that were read last, in all layers.
    pub(super) kept_bodies: KeptBodies,
}

/// Bytes of row groups of bodies that are kept as they are stored: 70 of them.
const KEPT_BODY_BYTES: usize = 8 << 20;

impl SiteLayers {
    /// Opens indexes by their folders or URLs, which may end with `#sha256=` and the expected digest; for a folder without an
    /// index, opens the indexes in its subfolders.
    ///
    /// # Errors
    /// [`Error::NoIndex`], [`Error::IndexUnreadable`]; [`Error::EvidenceDiffers`] if two indexes differ in an archive.
    pub fn open(named: &[PathBuf], places: &Places) -> Result<Self, Error> {
        let (mut layers, mut without_index) = (Vec::new(), Vec::new());
        for place in named {
            let (opened, without) = open_named(place, places)?;
            layers.extend(opened);
            without_index.extend(without);
        }
        layers.sort_by(|one, other| one.digest.cmp(&other.digest));
        layers.dedup_by(|one, other| one.digest == other.digest);
        let (numbers, crawls) = match layers.as_slice() {
            [only] => (ArchiveNumbers::default(), only.manifest.crawls.clone()),
            layers => match ArchiveNumbers::of(layers) {
                // An index was replaced or retired before its archives were read.
                Err(_) if layers.iter().any(IndexReader::is_replaced) => {
                    return Self::open(named, places);
                }
                numbered => numbered?,
            },
        };
        let groups = |layer: &IndexReader| {
            layer
                .manifest
                .fetches
                .iter()
                .map(|part| part.groups.len())
                .sum()
        };
        let widest = (0..layers.len()).max_by_key(|number| layers.get(*number).map_or(0, groups));
        Ok(Self {
            named: named.to_owned(),
            places: places.clone(),
            numbers,
            archives: Mutex::default(),
            crawls,
            digest: digest_of(&layers),
            widest: widest.unwrap_or_default(),
            layers,
            without_index,
            kept_bodies: KeptBodies::new(KEPT_BODY_BYTES),
        })
    }

    /// Returns whether any index was replaced or removed since it was opened: its parts may be gone.
    pub fn is_replaced(&self) -> bool {
        self.layers.iter().any(IndexReader::is_replaced)
    }

    /// Opens the indexes once more if any was replaced.
    pub fn replaced(&self) -> Option<Result<Self, Error>> {
        self.is_replaced()
            .then(|| Self::open(&self.named, &self.places))
    }

    /// Returns the number of hosts of the layer that has the most.
    pub fn most_hosts(&self) -> u64 {
        self.layers
            .iter()
            .map(|layer| layer.manifest.hosts)
            .max()
            .unwrap_or_default()
    }

    /// Returns how many captures there are.
    pub fn captures(&self) -> u64 {
        self.layers
            .iter()
            .fold(0, |sum, layer| sum.saturating_add(layer.manifest.captures))
    }

    /// Returns what the archives lack.
    pub fn lacking(&self) -> Lacking {
        IndexManifest::lacking_of(&self.crawls)
    }

    /// Returns the locations of the layers.
    pub fn location(&self) -> String {
        self.layers
            .iter()
            .map(IndexReader::location)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the ranges of hosts that divide the work: the row groups of the layer with the most.
    pub fn ranges(&self) -> &[FetchPart] {
        self.layers
            .get(self.widest)
            .map_or(&[], |index| &index.manifest.fetches)
    }

    /// Returns the range that contains a host, or the one before it.
    pub fn range_of(&self, host: &SiteHost) -> Option<GroupPlace> {
        self.layers.get(self.widest)?.group_of(host)
    }

    /// Returns the hosts of a range, in all layers; the first and last ranges include the hosts before and after them.
    pub fn hosts(&self, place: GroupPlace) -> io::Result<BTreeSet<SiteHost>> {
        let Some(widest) = self.layers.get(self.widest) else {
            return Ok(BTreeSet::new());
        };
        if self.layers.len() == 1 {
            return widest.hosts(place);
        }
        let beginning = GroupPlace { part: 0, group: 0 };
        let group = |place| widest.fetch_group(place);
        let first = group(place).filter(|_| place != beginning);
        let next = widest.next_group(place).and_then(group);
        // A host that begins in the previous row group belongs to that one.
        let is_behind = |key: (&str, &str)| first.is_none_or(|first| begins_before(first, key));
        let is_before = |key: (&str, &str)| next.is_none_or(|next| !begins_before(next, key));
        let mut hosts = BTreeSet::new();
        for layer in &self.layers {
            let begin = first.and_then(|first| layer.group_before(as_key(&first.first)));
            let places =
                std::iter::successors(Some(begin.unwrap_or(beginning)), |at| layer.next_group(*at));
            let is_within = |place: &GroupPlace| {
                layer
                    .fetch_group(*place)
                    .is_some_and(|group| is_before(as_key(&group.first)))
            };
            for place in places.take_while(is_within) {
                hosts.extend(
                    layer
                        .hosts(place)?
                        .into_iter()
                        .filter(|SiteHost { surt, name }| {
                            let key = (&**surt, &**name);
                            is_behind(key) && is_before(key)
                        }),
                );
            }
        }
        Ok(hosts)
    }
}

/// Opens a place; also returns the folders beside its indexes that have no index.
fn open_named(place: &Path, places: &Places) -> Result<(Vec<IndexReader>, Vec<String>), Error> {
    let text = place.to_string_lossy();
    let (folder, digest) = match text.rsplit_once("#sha256=") {
        Some((folder, digest)) => (folder, Some(digest)),
        None => (&*text, None),
    };
    let unreadable = |source| Error::IndexUnreadable {
        location: without_credentials(folder),
        source,
    };
    let store = |folder: &str| -> Result<Arc<dyn Store>, Error> {
        let place = if folder.len() == text.len() {
            place
        } else {
            Path::new(folder)
        };
        Ok(places.files(place).map_err(unreadable)?.into())
    };
    let root = store(folder)?;
    let absent = match IndexReader::open(Arc::clone(&root), digest) {
        Err(error @ Error::NoIndex { .. }) => error,
        opened => return opened.map(|index| (vec![index], Vec::new())),
    };
    let names = match root.folders() {
        Ok(names) => names,
        // A web server has no listing, and answers as it likes.
        Err(error)
            if root.location().starts_with("http")
                || matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::NotFound) =>
        {
            Vec::new()
        }
        Err(error) => return Err(unreadable(error)),
    };
    let layer = |name: &String| {
        let place = format!("{}/{name}", folder.trim_end_matches('/'));
        match IndexReader::open(store(&place)?, None) {
            Err(Error::NoIndex { .. }) => Ok((None, Some(without_credentials(&place)))),
            opened => opened.map(|index| (Some(index), None)),
        }
    };
    let found = names
        .par_iter()
        .map(layer)
        .collect::<Result<Vec<_>, Error>>()?;
    let (layers, without_index): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let mut layers: Vec<IndexReader> = layers.into_iter().flatten().collect();
    if layers.is_empty() {
        return Err(absent);
    }
    layers.sort_by(|one, other| one.digest.cmp(&other.digest));
    let of_all = digest_of(&layers);
    match digest.filter(|expected| !expected.eq_ignore_ascii_case(&of_all)) {
        Some(expected) => {
            let detail =
                format!("its indexes have the SHA-256 {of_all} together, expected {expected}");
            Err(unreadable(io::Error::other(detail)))
        }
        None => Ok((layers, without_index.into_iter().flatten().collect())),
    }
}

/// Returns the common digest of indexes, which are sorted by their digests.
fn digest_of(layers: &[IndexReader]) -> String {
    match layers {
        [only] => only.digest.clone(),
        layers => {
            let digests: Vec<&str> = layers.iter().map(|layer| layer.digest.as_str()).collect();
            HEXLOWER.encode(&Sha256::digest(digests.join("\n")))
        }
    }
}

/// The numbers of the archives of layers among those of all; a single layer keeps its own.
#[derive(Default)]
pub struct ArchiveNumbers {
    /// The number of archives of each layer; empty: there is one layer.
    counts: Vec<u32>,
    /// In the order of their numbers among all.
    all: Vec<NumberRun>,
    /// By layer, in the order of the numbers there.
    by_layer: Vec<NumberRun>,
    next: u32,
    /// The archives that several layers have, by their numbers among all: the captures of each of them count (KNOW-1).
    pub shared: HashSet<u32>,
    /// The copies of archives, by layer and number there, that were cut and that another layer has in a longer copy.
    pub continued: HashSet<(usize, u32)>,
}

/// Archives with consecutive numbers, both in their layer and among all.
#[derive(Clone, Copy)]
struct NumberRun {
    layer: usize,
    there: u32,
    number: u32,
    count: u32,
}

impl ArchiveNumbers {
    /// Returns the numbers for layers, and their crawls. If each crawl is in only one layer, archives are not read.
    fn of(layers: &[IndexReader]) -> Result<(Self, Vec<IndexedCrawl>), Error> {
        let too_many = |layer: &IndexReader| {
            let detail = "it has more archives than it lists".to_owned();
            Error::IndexUnreadable {
                location: layer.location(),
                source: io::Error::other(detail),
            }
        };
        let mut numbers = Self::default();
        let mut of_crawls = Vec::new();
        for (number, layer) in layers.iter().enumerate() {
            let mut of_layer = layer.manifest.crawls.clone();
            of_layer.sort_by(|one, other| one.crawl.cmp(&other.crawl));
            let mut count = 0_u32;
            for crawl in of_layer {
                let archives = crawl.archives_read.saturating_add(crawl.archives_failed);
                let archives = u32::try_from(archives).map_err(|_| too_many(layer))?;
                of_crawls.push((crawl, number, count, archives));
                count = count.checked_add(archives).ok_or_else(|| too_many(layer))?;
            }
            if count as usize > layer.manifest.archives.groups.len() * ARCHIVES_IN_GROUP {
                return Err(too_many(layer));
            }
            numbers.counts.push(count);
        }
        of_crawls.sort_by(|(one, ..), (other, ..)| one.crawl.cmp(&other.crawl));
        let is_alone = of_crawls.is_sorted_by(|(one, ..), (other, ..)| one.crawl < other.crawl);
        let crawls = if is_alone {
            for (_, layer, there, count) in &of_crawls {
                if numbers.add((*layer, *there), *count).is_none() {
                    return Err(layers.get(*layer).map_or(
                        Error::NoIndex {
                            location: String::new(),
                        },
                        too_many,
                    ));
                }
            }
            of_crawls.into_iter().map(|(crawl, ..)| crawl).collect()
        } else {
            numbers.add_shared(layers)?
        };
        numbers.by_layer.extend_from_slice(&numbers.all);
        numbers.by_layer.sort_by_key(|run| (run.layer, run.there));
        Ok((numbers, crawls))
    }

    /// Adds the archives of layers that share a crawl; returns the crawls.
    fn add_shared(&mut self, layers: &[IndexReader]) -> Result<Vec<IndexedCrawl>, Error> {
        let mut of_layers = Vec::new();
        for layer in layers {
            let archives = layer.archives();
            let archives = archives.map_err(|source| Error::IndexUnreadable {
                location: layer.location(),
                source,
            })?;
            of_layers.push((layer.location(), archives));
        }
        self.counts = of_layers.iter().map(|(_, of)| u32_of(of.len())).collect();
        let all = all_archives(of_layers.iter().cloned(), &[])?;
        let key = |archive: &IndexedArchive| (archive.crawl.clone(), archive.warc_filename.clone());
        let mut holders = vec![Vec::new(); all.len()];
        for (layer, (_, archives)) in of_layers.iter().enumerate() {
            for (there, archive) in (0..).zip(archives) {
                let place = all.binary_search_by_key(&key(archive), key).ok();
                let best = place.and_then(|place| all.get(place));
                if let Some((best, holders)) =
                    best.zip(place.and_then(|place| holders.get_mut(place)))
                {
                    // If several layers have the same file, the one that has most of it comes first.
                    let (is_worse, is_continued) = (best != archive, archive.is_continued_by(best));
                    holders.push(((is_worse, layer, there), is_continued));
                }
            }
        }
        for mut holders in holders {
            holders.sort_unstable();
            let mut holders = holders.into_iter();
            let Some(((_, layer, there), _)) = holders.next() else {
                continue;
            };
            let number = self.next;
            self.add((layer, there), 1);
            for ((_, layer, there), is_continued) in holders {
                self.shared.insert(number);
                self.by_layer.push(NumberRun {
                    layer,
                    there,
                    number,
                    count: 1,
                });
                if is_continued {
                    self.continued.insert((layer, there));
                }
            }
        }
        Ok(crawls(&all))
    }

    /// Adds archives of a layer from a number on; `None` if there are too many.
    fn add(&mut self, (layer, there): (usize, u32), count: u32) -> Option<()> {
        let number = self.next;
        self.next = number.checked_add(count)?;
        match self.all.last_mut() {
            Some(last) if last.layer == layer && last.there + last.count == there => {
                last.count += count;
            }
            _ => self.all.push(NumberRun {
                layer,
                there,
                number,
                count,
            }),
        }
        Some(())
    }

    /// Returns the number of an archive among all; `None` if there is none.
    pub fn number(&self, layer: usize, there: u32) -> io::Result<Option<u32>> {
        let Some(count) = self.counts.get(layer) else {
            return Ok(Some(there));
        };
        if there >= *count {
            return Err(io::Error::other(format!(
                "it has no archive {there}, which a capture is of"
            )));
        }
        let behind = self
            .by_layer
            .partition_point(|run| (run.layer, run.there) <= (layer, there));
        let run = behind
            .checked_sub(1)
            .and_then(|last| self.by_layer.get(last));
        let run = run.filter(|run| run.layer == layer && there - run.there < run.count);
        Ok(run.map(|run| run.number + (there - run.there)))
    }

    /// Returns the layer with an archive, and its number there.
    pub fn place(&self, number: u32) -> Option<(usize, u32)> {
        if self.counts.is_empty() {
            return Some((0, number));
        }
        let found = self
            .all
            .partition_point(|run| run.number <= number)
            .checked_sub(1)?;
        let run = self
            .all
            .get(found)
            .filter(|run| number - run.number < run.count)?;
        Some((run.layer, run.there + (number - run.number)))
    }

    /// Returns the archives of all layers from those of each.
    pub fn all(&self, of_layers: &[Vec<IndexedArchive>]) -> Vec<IndexedArchive> {
        let archives = self.all.iter().flat_map(|run| {
            let of_layer = of_layers
                .get(run.layer)
                .map(Vec::as_slice)
                .unwrap_or_default();
            of_layer
                .iter()
                .skip(run.there as usize)
                .take(run.count as usize)
                .cloned()
        });
        archives.collect()
    }
}
