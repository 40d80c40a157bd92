//! Documents that are judged by a site index, one range of hosts at a time, or by evidence.
//!
//! Input: documents sorted by the row group of `fetches` that has their host. A worker takes a row group, reads the answers and
//! bodies of the wanted hosts, and judges. Memory for each worker: a row group, and as many of its hosts as fit into the
//! worker's memory; if a single host has more, its bodies are in a file.

use super::documents::Verdicts;
use super::sites::{DocumentPlace, Judging, origin_hash, site_hash};
use super::verdict::Verdict;
use super::{locked, made_once};
use crate::error::Error;
use crate::runs::{ArchiveGroup, Bodies, Sites, WantedSites, all_archives, join_originals, load};
use crate::sites::{GroupPlace, KeptGroups, LoadedBodies, SiteLayers};
use crate::tables::site_index::SiteHost;
use crate::verdict::FilesOfSites;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Bytes of compiled site files that a worker keeps.
const CACHE_BYTES: usize = 16 << 20;
/// Documents of a row group that one worker takes.
const DOCUMENTS: usize = 1 << 16;
/// Hosts that are read at once.
const HOSTS: usize = 4096;
/// The data of hosts is kept for calls of up to this many documents.
const FEW: usize = 1 << 14;
/// Documents of known hosts that one worker takes.
const AT_ONCE: usize = 256;
/// Bits of a document's sort key that are of its origin.
const ORIGIN_BITS: u32 = 40;

/// A document, and its host, if it has one.
type HostPlace = (Option<SiteHost>, DocumentPlace);
/// A document, and the kept data of its host.
type KnownPlace<'p> = (&'p DocumentPlace, Option<Arc<HostSites>>);

pub struct IndexSites {
    opened: RwLock<OpenedIndex>,
    /// About how many bytes of that data are kept.
    kept_bytes: usize,
}

#[derive(Clone)]
struct OpenedIndex {
    index: Arc<SiteLayers>,
    kept: Arc<KeptHosts>,
}

impl IndexSites {
    /// Returns indexes; the data that is read from them is kept in a quarter of the memory.
    pub fn new(index: SiteLayers, memory_bytes: u64) -> Self {
        let kept_bytes = usize::try_from(memory_bytes / 4).unwrap_or(usize::MAX);
        let kept = Arc::new(KeptHosts::new(kept_bytes));
        Self {
            opened: RwLock::new(OpenedIndex {
                index: Arc::new(index),
                kept,
            }),
            kept_bytes,
        }
    }

    pub fn opened(&self) -> Arc<SiteLayers> {
        self.now().index
    }

    fn now(&self) -> OpenedIndex {
        self.opened
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Opens them again if any was replaced, and returns whether one was. Refuses new ones that lack something if the old ones
    /// did not.
    pub fn is_opened_again(&self) -> Result<bool, Error> {
        let old = self.opened();
        let Some(new) = old.replaced().transpose()? else {
            return Ok(false);
        };
        if let Some(detail) = new
            .lacking()
            .detail("")
            .filter(|_| old.lacking().is_nothing())
        {
            return Err(Error::Incomplete {
                location: new.location(),
                detail,
            });
        }
        let kept = Arc::new(KeptHosts::new(self.kept_bytes));
        let new = OpenedIndex {
            index: Arc::new(new),
            kept,
        };
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(true)
    }

    /// Returns the verdicts of documents, and their places in the same order.
    pub fn verdicts(&self, judging: &Judging<'_>) -> Result<(Vec<DocumentPlace>, Verdicts), Error> {
        let OpenedIndex { index, kept } = self.now();
        let mut places = judging.places(&|url| order(&index, url));
        places.par_sort_unstable();
        let unreadable = |source| Error::IndexUnreadable {
            location: index.location(),
            source,
        };
        let kept = (places.len() <= FEW).then_some(&*kept);
        let judged = IndexReading {
            judging,
            index: &index,
            kept,
        }
        .verdicts(&places)
        .map_err(unreadable)?;
        Ok((places, judged))
    }
}

/// Returns the sort key of documents: the row group of their host, then their origin.
fn order(index: &SiteLayers, url: &PageUrl<'_>) -> u64 {
    let group = index.range_of(&SiteHost::new(url.host_name()));
    let number = group.map_or(u64::MAX, |GroupPlace { part, group }| {
        (part as u64) << 12 | group as u64
    });
    number.min((1 << (u64::BITS - ORIGIN_BITS)) - 1) << ORIGIN_BITS
        | origin_hash(url) >> (u64::BITS - ORIGIN_BITS)
}

struct IndexReading<'j> {
    judging: &'j Judging<'j>,
    index: &'j SiteLayers,
    kept: Option<&'j KeptHosts>,
}

impl IndexReading<'_> {
    /// Returns the verdicts of documents, which are sorted by [`order`].
    fn verdicts(&self, places: &[DocumentPlace]) -> io::Result<Verdicts> {
        let Some(kept) = self.kept else {
            return self.by_groups(places);
        };
        let hosts: Vec<Option<SiteHost>> = places
            .iter()
            .map(|place| self.judging.host(*place))
            .collect();
        let sites = kept.of(&hosts);
        let missing = places
            .iter()
            .zip(&sites)
            .filter(|(_, sites)| sites.is_none())
            .map(|(place, _)| *place);
        let mut read = self.by_groups(&missing.collect::<Vec<_>>())?.into_iter();
        let places: Vec<KnownPlace<'_>> = places.iter().zip(sites).collect();
        let of_chunk = |chunk: &[KnownPlace<'_>]| -> io::Result<Verdicts> {
            let mut judged = Vec::with_capacity(chunk.len());
            let address = |(_, sites): &KnownPlace<'_>| sites.as_ref().map(Arc::as_ptr);
            for run in chunk.chunk_by(|one, other| address(one) == address(other)) {
                let Some((_, Some(sites))) = run.first() else {
                    continue;
                };
                judged.extend(
                    self.judging
                        .judge(&sites.sites, run.iter().map(|(place, _)| **place))?,
                );
            }
            Ok(judged)
        };
        let known = if places.len() > AT_ONCE {
            let chunks = places.par_chunks(AT_ONCE).map(of_chunk);
            chunks
                .collect::<io::Result<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect()
        } else {
            of_chunk(&places)?
        };
        let mut known = known.into_iter();
        let in_order = places
            .iter()
            .filter_map(|(_, sites)| {
                if sites.is_some() {
                    known.next()
                } else {
                    read.next()
                }
            })
            .collect();
        kept.count(places.into_iter().filter_map(|(_, sites)| sites));
        Ok(in_order)
    }

    fn by_groups(&self, places: &[DocumentPlace]) -> io::Result<Verdicts> {
        let groups =
            places.chunk_by(|one, other| one.origin >> ORIGIN_BITS == other.origin >> ORIGIN_BITS);
        let groups: Vec<&[DocumentPlace]> =
            groups.flat_map(|group| group.chunks(DOCUMENTS)).collect();
        match groups.as_slice() {
            [] => Ok(Vec::new()),
            [one] => self.of_group(one),
            several => {
                let judged = several.par_iter().map(|places| self.of_group(places));
                Ok(judged
                    .collect::<io::Result<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .collect())
            }
        }
    }

    fn of_group(&self, places: &[DocumentPlace]) -> io::Result<Verdicts> {
        let mut by_host: Vec<(HostPlace, usize)> = (0..)
            .zip(places)
            .map(|(number, place)| ((self.judging.host(*place), *place), number))
            .collect();
        by_host.sort_unstable();
        let (by_host, numbers): (Vec<HostPlace>, Vec<usize>) = by_host.into_iter().unzip();
        let counts: Vec<usize> = by_host
            .chunk_by(|(one, _), (other, _)| one == other)
            .map(<[HostPlace]>::len)
            .collect();
        let mut left = by_host.as_slice();
        let mut judged = Vec::with_capacity(places.len());
        for counts in counts.chunks(HOSTS) {
            let (now, later) = left.split_at(counts.iter().sum());
            self.of_hosts(now, &mut judged)?;
            left = later;
        }
        let mut in_order: Vec<(usize, Arc<Verdict>)> = numbers.into_iter().zip(judged).collect();
        in_order.sort_unstable_by_key(|(number, _)| *number);
        Ok(in_order.into_iter().map(|(_, verdict)| verdict).collect())
    }

    /// Adds the verdicts of documents of some hosts; takes half of the hosts at a time if they have too much data.
    fn of_hosts(&self, places: &[HostPlace], judged: &mut Verdicts) -> io::Result<()> {
        let hosts: BTreeSet<&Option<SiteHost>> = places.iter().map(|(host, _)| host).collect();
        let asked: BTreeSet<SiteHost> = hosts
            .iter()
            .copied()
            .flatten()
            .flat_map(|host| SiteHost::of_page(&host.name))
            .collect();
        let mut loaded = self
            .index
            .load_fetches(&asked, self.kept.map(|kept| &kept.groups))?;
        let middle = hosts
            .iter()
            .nth(hosts.len() / 2)
            .filter(|_| loaded.is_much() && hosts.len() > 1);
        if let Some(middle) = middle {
            let (before, after) =
                places.split_at(places.partition_point(|(host, _)| host < middle));
            drop(loaded);
            self.of_hosts(before, judged)?;
            return self.of_hosts(after, judged);
        }
        let sites = self.index.load(
            &mut loaded,
            self.kept.map_or(CACHE_BYTES, |kept| kept.most_bytes),
        )?;
        judged.extend(
            self.judging
                .judge(&sites, places.iter().map(|(_, place)| *place))?,
        );
        if let Some(kept) = self.kept.filter(|_| !asked.is_empty() && !loaded.is_much()) {
            let hosts = hosts.into_iter().flatten().cloned().collect();
            let read_bytes = loaded.byte_count();
            kept.keep(HostSites {
                hosts,
                read_bytes,
                counted_bytes: 0.into(),
                is_used: true.into(),
                sites,
            });
        }
        Ok(())
    }
}

/// The files of some hosts that were read together, and their compiled rules.
struct HostSites {
    hosts: Vec<SiteHost>,
    sites: FilesOfSites<LoadedBodies>,
    read_bytes: usize,
    /// The size that was counted last.
    counted_bytes: AtomicUsize,
    /// Whether it was asked for since the last eviction.
    is_used: AtomicBool,
}

/// Data of hosts, kept from call to call up to a number of bytes: a caller that judges one by one asks for the same again.
struct KeptHosts {
    most_bytes: usize,
    kept: Mutex<LockedHosts>,
    /// Row groups, which also have other hosts.
    groups: KeptGroups,
}

#[derive(Default)]
struct LockedHosts {
    by_host: HashMap<SiteHost, Arc<HostSites>>,
    in_turn: VecDeque<Arc<HostSites>>,
    bytes: usize,
}

impl KeptHosts {
    fn new(bytes: usize) -> Self {
        let groups = KeptGroups::new(bytes / 4);
        Self {
            most_bytes: bytes - bytes / 4,
            kept: Mutex::default(),
            groups,
        }
    }

    fn of(&self, hosts: &[Option<SiteHost>]) -> Vec<Option<Arc<HostSites>>> {
        let kept = locked(&self.kept);
        hosts
            .iter()
            .map(|host| kept.by_host.get(host.as_ref()?).cloned())
            .collect()
    }

    fn keep(&self, sites: HostSites) {
        let sites = Arc::new(sites);
        let mut kept = locked(&self.kept);
        kept.in_turn.push_back(Arc::clone(&sites));
        for host in &sites.hosts {
            kept.by_host.insert(host.clone(), Arc::clone(&sites));
        }
        drop(kept);
        self.count(std::iter::once(sites));
    }

    /// Counts the bytes compiled so far, and evicts data that was not asked for until the rest fits.
    fn count(&self, asked: impl Iterator<Item = Arc<HostSites>>) {
        let mut kept = locked(&self.kept);
        for sites in asked {
            sites.is_used.store(true, Ordering::Relaxed);
            let now = sites.read_bytes + sites.sites.compiled_bytes();
            let before = sites.counted_bytes.swap(now, Ordering::Relaxed);
            kept.bytes = (kept.bytes + now).saturating_sub(before);
        }
        while kept.bytes > self.most_bytes {
            let Some(first) = kept.in_turn.pop_front() else {
                // Another call may have counted bytes of data that was evicted meanwhile.
                kept.bytes = 0;
                break;
            };
            if first.is_used.swap(false, Ordering::Relaxed) {
                kept.in_turn.push_back(first);
                continue;
            }
            kept.bytes = kept
                .bytes
                .saturating_sub(first.counted_bytes.load(Ordering::Relaxed));
            for host in &first.hosts {
                if kept
                    .by_host
                    .get(host)
                    .is_some_and(|sites| Arc::ptr_eq(sites, &first))
                {
                    kept.by_host.remove(host);
                }
            }
        }
    }
}

/// Memory for a capture of a site file, with its URL and its body's place.
const CAPTURE_BYTES: u64 = 300;

pub struct EvidenceSites {
    pub groups: Vec<ArchiveGroup<'static>>,
    location: String,
    memory_bytes: u64,
    /// The number of passes in which the captures of site files are loaded.
    passes: u64,
    loaded: Mutex<Option<Arc<FilesOfSites<Bodies>>>>,
    /// Whether the originals of revisits were looked for.
    is_joined: Mutex<Option<Arc<()>>>,
}

impl EvidenceSites {
    /// Returns the site files of groups; nothing is read yet.
    pub fn new(groups: Vec<ArchiveGroup<'static>>, location: String, memory_bytes: u64) -> Self {
        let captures: u64 = groups.iter().map(ArchiveGroup::site_captures).sum();
        let passes = (captures * CAPTURE_BYTES)
            .div_ceil((memory_bytes / 4).max(1))
            .max(1);
        Self {
            groups,
            location,
            memory_bytes,
            passes,
            loaded: Mutex::default(),
            is_joined: Mutex::default(),
        }
    }

    /// Returns about how many bytes of memory are needed to read the evidence once, if fewer are allowed.
    pub fn memory_needed(&self) -> Option<u64> {
        (self.passes > 1).then_some(self.memory_bytes.saturating_mul(self.passes))
    }

    /// Returns the verdicts of documents, and their places in the same order.
    pub fn verdicts(&self, judging: &Judging<'_>) -> Result<(Vec<DocumentPlace>, Verdicts), Error> {
        let mut places = judging.places(&origin_hash);
        let pass = |place: &DocumentPlace| (place.origin >> 32) % self.passes;
        places.par_sort_unstable_by_key(|place| (pass(place), *place));
        let mut judged = Vec::with_capacity(places.len());
        for pass in places.chunk_by(|one, other| pass(one) == pass(other)) {
            let sites = self.sites(pass)?;
            judged.extend(
                judging
                    .verdicts(&sites, pass)
                    .map_err(|source| self.unreadable(source))?,
            );
        }
        Ok((places, judged))
    }

    /// Returns the site files of all origins or, if they do not fit in memory, of these documents.
    fn sites(&self, places: &[DocumentPlace]) -> Result<Arc<FilesOfSites<Bodies>>, Error> {
        if self.passes > 1 {
            let wanted: HashSet<u64> = places.iter().map(|place| place.origin >> 32).collect();
            let is_wanted = |url: &PageUrl<'_>| wanted.contains(&site_hash(url));
            return self
                .load(Sites::Some(WantedSites {
                    have: &is_wanted,
                    hosts: None,
                }))
                .map(Arc::new);
        }
        made_once(&self.loaded, || self.load(Sites::All))
    }

    fn load(&self, sites: Sites<'_>) -> Result<FilesOfSites<Bodies>, Error> {
        let archives = all_archives(&self.groups);
        let cache_bytes = usize::try_from(self.memory_bytes / 8).unwrap_or(usize::MAX);
        let join = || join_originals(&archives, None).map_err(|source| self.unreadable(source));
        made_once(&self.is_joined, join)?;
        load(&archives, sites, cache_bytes, &|| Ok(())).map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: io::Error) -> Error {
        Error::EvidenceUnreadable {
            location: self.location.clone(),
            source,
        }
    }
}
