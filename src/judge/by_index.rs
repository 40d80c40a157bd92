//! Documents that are judged by a site index, range of hosts by range of hosts.
//!
//! Input: documents sorted by the row group of `fetches` that has their host. Example: 5 million URLs of 1.3 million hosts; a
//! worker takes a row group at a time, reads the answers of the hosts that are asked for and their bodies, and judges. Memory
//! for each worker: a row group, and as many of its hosts as fit; of a single host with more, bodies are in a file.

use super::sites::{DocumentPlace, Judging, origin_hash};
use super::verdict::Verdict;
use crate::error::Error;
use crate::sites::{GroupPlace, SiteLayers};
use crate::tables::site_index::SiteHost;
use crate::web::url::PageUrl;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

/// Bytes of what is compiled of site files that a worker keeps.
const CACHE_BYTES: usize = 16 << 20;
/// The most documents of a row group that one worker takes.
const DOCUMENTS: usize = 1 << 16;
/// The most hosts that are read at once.
const HOSTS: usize = 4096;
/// How many bits of what documents are sorted by are of their origin.
const ORIGIN_BITS: u32 = 40;

/// A document, and its host, where it has one.
type HostPlace = (Option<SiteHost>, DocumentPlace);

/// The site indexes by which documents are judged.
pub struct IndexSites(RwLock<Arc<SiteLayers>>);

impl IndexSites {
    pub fn new(index: SiteLayers) -> Self {
        Self(RwLock::new(Arc::new(index)))
    }

    /// Returns them as they were opened last.
    pub fn opened(&self) -> Arc<SiteLayers> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens them once more, where any was replaced since; returns whether that is so. New ones that lack something, as the old ones did
    /// not, are refused.
    pub fn is_opened_again(&self) -> Result<bool, Error> {
        let old = self.opened();
        let Some(new) = old.replaced().transpose()? else { return Ok(false) };
        if let Some(detail) = new.lacking().detail("").filter(|_| old.lacking().is_nothing()) {
            return Err(Error::Incomplete { location: new.location(), detail });
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        Ok(true)
    }

    /// Returns the verdicts of documents, and their places in the same order.
    pub fn verdicts(&self, judging: &Judging<'_>) -> Result<(Vec<DocumentPlace>, Vec<Arc<Verdict>>), Error> {
        let index = self.opened();
        let mut places = judging.places(&|url| order(&index, url));
        places.par_sort_unstable();
        let unreadable = |source| Error::IndexUnreadable { location: index.location(), source };
        let judged = verdicts(judging, &index, &places).map_err(unreadable)?;
        Ok((places, judged))
    }
}

/// Returns what documents are sorted by: the row group of their host, then their origin.
fn order(index: &SiteLayers, url: &PageUrl<'_>) -> u64 {
    let group = index.range_of(&SiteHost::new(url.host_name()));
    let number = group.map_or(u64::MAX, |GroupPlace { part, group }| (part as u64) << 12 | group as u64);
    number.min((1 << (u64::BITS - ORIGIN_BITS)) - 1) << ORIGIN_BITS
        | origin_hash(url) >> (u64::BITS - ORIGIN_BITS)
}

/// Returns the verdicts of documents, which are sorted by [`order`].
fn verdicts(
    judging: &Judging<'_>,
    index: &SiteLayers,
    places: &[DocumentPlace],
) -> io::Result<Vec<Arc<Verdict>>> {
    let groups = places.chunk_by(|one, other| one.origin >> ORIGIN_BITS == other.origin >> ORIGIN_BITS);
    let groups: Vec<&[DocumentPlace]> = groups.flat_map(|group| group.chunks(DOCUMENTS)).collect();
    let judged = groups.par_iter().map(|places| of_group(judging, index, places));
    Ok(judged.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns the verdicts of documents of one row group.
fn of_group(
    judging: &Judging<'_>,
    index: &SiteLayers,
    places: &[DocumentPlace],
) -> io::Result<Vec<Arc<Verdict>>> {
    let mut by_host: Vec<(HostPlace, usize)> =
        (0..).zip(places).map(|(number, place)| ((judging.host(*place), *place), number)).collect();
    by_host.sort_unstable();
    let (by_host, numbers): (Vec<HostPlace>, Vec<usize>) = by_host.into_iter().unzip();
    let mut judged = Vec::with_capacity(places.len());
    let mut left = by_host.as_slice();
    while !left.is_empty() {
        let mut hosts = BTreeSet::new();
        let is_within = |(host, _): &HostPlace| {
            hosts.contains(host) || (hosts.len() < HOSTS && hosts.insert(host.clone()))
        };
        let end = left.iter().position({
            let mut is_within = is_within;
            move |place| !is_within(place)
        });
        let (now, later) = left.split_at(end.unwrap_or(left.len()));
        of_hosts(judging, index, now, &mut judged)?;
        left = later;
    }
    let mut in_order: Vec<(usize, Arc<Verdict>)> = numbers.into_iter().zip(judged).collect();
    in_order.sort_unstable_by_key(|(number, _)| *number);
    Ok(in_order.into_iter().map(|(_, verdict)| verdict).collect())
}

/// Adds the verdicts of documents of some hosts, of half of them at a time where they have too much.
fn of_hosts(
    judging: &Judging<'_>,
    index: &SiteLayers,
    places: &[HostPlace],
    judged: &mut Vec<Arc<Verdict>>,
) -> io::Result<()> {
    let hosts: BTreeSet<&Option<SiteHost>> = places.iter().map(|(host, _)| host).collect();
    let asked = hosts.iter().copied().flatten().flat_map(|host| SiteHost::of_page(&host.name)).collect();
    let mut loaded = index.load_fetches(&asked)?;
    let middle = hosts.iter().nth(hosts.len() / 2).filter(|_| loaded.is_much() && hosts.len() > 1);
    if let Some(middle) = middle {
        let (before, after) = places.split_at(places.partition_point(|(host, _)| host < middle));
        drop(loaded);
        of_hosts(judging, index, before, judged)?;
        return of_hosts(judging, index, after, judged);
    }
    let sites = index.load(&mut loaded, CACHE_BYTES)?;
    judging.judge(&sites, places.iter().map(|(_, place)| *place), judged)
}
