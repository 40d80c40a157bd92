//! The rows of `sites` at some times, from a row group of a site index.
//!
//! Hosts come in the order of the index, and the origins of a host by name, whatever the number of workers. Memory: the row
//! group, and as many of its hosts as fit; for a single larger host, bodies are in a file.

use super::files::{BodyFacts, FactsByBody};
use super::site_judging::{SiteJudging, SiteView};
use super::tally::SiteTally;
use crate::runs::{Bodies, GoOn};
use crate::sites::{GroupPlace, LoadedBodies, LoadedFetches, SiteLayers};
use crate::systems::FileBody;
use crate::tables::agent_sets::AgentSets;
use crate::tables::origins::{OriginRow, PageCounts};
use crate::tables::site_index::{NumberedFetch, Seen, SiteHost};
use crate::tables::sites::OriginSites;
use crate::verdict::{CopyLimits, FilesOfSites, Legibility, Resolver, SiteBodies};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;
use arrow_array::RecordBatch;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// Bytes of compiled site files that a worker keeps for a time.
const CACHE_BYTES: usize = 4 << 20;

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct IndexFault(pub io::Error);

fn fault(error: io::Error) -> io::Error {
    io::Error::other(IndexFault(error))
}

/// A time for which sites are judged.
pub struct Moment {
    /// The name of its tables' crawl.
    pub crawl: String,
    /// The time; `None`: the newest capture of each origin.
    pub at: Option<Timestamp>,
    /// Whether each archive of the index counts, by its number; `None`: all do.
    pub archives: Option<Vec<bool>>,
}

impl Moment {
    fn counts(&self, seen: &Seen) -> bool {
        self.archives.as_ref().is_none_or(|archives| {
            archives
                .get(seen.archive as usize)
                .copied()
                .unwrap_or(false)
        })
    }

    /// Whether a capture is of that time or earlier, or has no date, which gives its origin a row with the state `undated`.
    fn is_reached(&self, seen: &Seen) -> bool {
        let is_before = |at: Timestamp| seen.at_us.is_none_or(|seen| seen <= at.unix_micros());
        self.counts(seen) && self.at.is_none_or(is_before)
    }
}

/// What rows are made from.
pub struct AsOfRows<'r> {
    pub index: &'r SiteLayers,
    pub moments: Vec<Moment>,
    /// The viewpoints: one, or several in the order of their times.
    pub views: Vec<DatedView<'r>>,
}

/// The viewpoint that sites are judged from if robots.txt was fetched from some time on.
pub struct DatedView<'r> {
    pub from: Option<Timestamp>,
    pub view: SiteView<'r>,
    /// The same viewpoint, for the content of bodies.
    pub resolver: &'r Resolver,
}

/// The files of some hosts, and for each view the facts of bodies and the compiled files, as far as they were needed.
struct ReadHosts<'h> {
    loaded: &'h LoadedFetches,
    bodies: &'h LoadedBodies,
    said: BTreeMap<usize, FactsByBody>,
    indexes: BTreeMap<usize, FilesOfSites<&'h Bodies>>,
}

impl<'h> ReadHosts<'h> {
    /// The captures that count at a time, with a cache of their own.
    fn index(&self, moment: &Moment) -> FilesOfSites<&'h Bodies> {
        let captures = self
            .bodies
            .captures(self.loaded, |seen| moment.counts(seen));
        FilesOfSites::new(captures, &self.bodies.bodies, CACHE_BYTES)
    }
}

/// The rows at one time, in batches, each with its sets of agents and its counts.
pub type MomentRows = Vec<((RecordBatch, AgentSets), SiteTally)>;

/// Origins by the `surt_host_name` of their hosts and their names.
type Origins = BTreeMap<(Arc<str>, String), OriginRow>;

impl AsOfRows<'_> {
    /// Returns the rows of a row group for some times, given by number. Fails with [`IndexFault`], or if the work is to stop.
    pub fn of_group(
        &self,
        place: GroupPlace,
        numbers: &[usize],
        go_on: &GoOn<'_>,
    ) -> io::Result<Vec<MomentRows>> {
        let hosts = self.index.hosts(place).map_err(fault)?;
        let moments: Vec<&Moment> = numbers
            .iter()
            .filter_map(|number| self.moments.get(*number))
            .collect();
        let mut made = moments.iter().map(|_| Vec::new()).collect();
        self.add_hosts(&hosts, &moments, &mut made, go_on)?;
        Ok(made)
    }

    /// Adds the rows of some hosts; if they hold too much, of half of them at a time.
    fn add_hosts(
        &self,
        hosts: &BTreeSet<SiteHost>,
        moments: &[&Moment],
        made: &mut Vec<MomentRows>,
        go_on: &GoOn<'_>,
    ) -> io::Result<()> {
        go_on()?;
        let mut loaded = self.index.load_fetches(hosts, None).map_err(fault)?;
        if let Some(middle) = middle(hosts).filter(|_| loaded.is_much()) {
            let mut before = hosts.clone();
            let after = before.split_off(middle);
            drop(loaded);
            self.add_hosts(&before, moments, made, go_on)?;
            return self.add_hosts(&after, moments, made, go_on);
        }
        let bodies = self.index.load_bodies(&mut loaded).map_err(fault)?;
        let said = BTreeMap::new();
        let indexes = BTreeMap::new();
        let mut read = ReadHosts {
            loaded: &loaded,
            bodies: &bodies,
            said,
            indexes,
        };
        for (moment, made) in moments.iter().zip(made) {
            go_on()?;
            if moment.archives.is_some() {
                read.indexes.clear();
            }
            made.push(self.rows(&mut read, hosts, moment, go_on)?);
        }
        Ok(())
    }

    fn facts(resolver: &Resolver, bodies: &Bodies, go_on: &GoOn<'_>) -> io::Result<FactsByBody> {
        let mut said = FactsByBody::default();
        for (number, body) in bodies
            .own()
            .filter(|(_, body)| body.legibility == Legibility::READABLE)
        {
            go_on()?;
            let content = bodies.read(number)?;
            let bytes = FileBody {
                bytes: &content,
                extent: body.extent,
            };
            said.add(number, BodyFacts::read(body.key.kind, bytes, resolver));
        }
        Ok(said)
    }

    fn rows(
        &self,
        read: &mut ReadHosts<'_>,
        hosts: &BTreeSet<SiteHost>,
        moment: &Moment,
        go_on: &GoOn<'_>,
    ) -> io::Result<((RecordBatch, AgentSets), SiteTally)> {
        let origins = origins(read.loaded, hosts, moment);
        let places = match self.views.as_slice() {
            [_] => vec![0; origins.len()],
            _ => self.places(&origins, &read.index(moment)),
        };
        for place in places.iter().copied().collect::<BTreeSet<usize>>() {
            if let (Some(dated), false) = (self.views.get(place), read.said.contains_key(&place)) {
                read.said.insert(
                    place,
                    Self::facts(dated.resolver, &read.bodies.bodies, go_on)?,
                );
            }
            if !read.indexes.contains_key(&place) {
                read.indexes.insert(place, read.index(moment));
            }
        }
        let mut rows = OriginSites::default();
        let mut tally = SiteTally::default();
        for (((_, origin), captures), place) in origins.iter().zip(places) {
            if let Some(dated) = self.views.get(place)
                && let (Some(said), Some(index)) = (read.said.get(&place), read.indexes.get(&place))
            {
                let segment = None;
                let segment_whole = None;
                let judging = SiteJudging {
                    segment,
                    segment_whole,
                    said,
                    index,
                    view: &dated.view,
                };
                judging.append(&mut rows, &mut tally, origin, captures)?;
            }
        }
        Ok((rows.finish()?, tally))
    }

    /// The number of the view by which each origin is judged: the last that begins at or before the fetch of its robots.txt.
    fn places(&self, origins: &Origins, index: &FilesOfSites<&Bodies>) -> Vec<usize> {
        let place = |(origin, captures): (&str, &OriginRow)| {
            let url = PageUrl::new(origin.as_bytes()).ok()?;
            let fetched_at = index
                .timeline()
                .current(&url.origin(), captures.newest, CopyLimits::default())
                .fetched_at;
            let is_reached =
                |dated: &DatedView<'_>| dated.from.is_none_or(|from| Some(from) <= fetched_at);
            self.views.iter().rposition(is_reached)
        };
        origins
            .iter()
            .map(|((_, origin), captures)| place((origin, captures)).unwrap_or_default())
            .collect()
    }
}

/// The host at which hosts are split in two, if possible between two values of `surt_host_name`, to keep the order of rows.
fn middle(hosts: &BTreeSet<SiteHost>) -> Option<&SiteHost> {
    let middle = hosts
        .iter()
        .nth(hosts.len() / 2)
        .filter(|_| hosts.len() > 1)?;
    let first = hosts.iter().find(|host| host.surt == middle.surt);
    first
        .filter(|first| Some(*first) != hosts.first())
        .or(Some(middle))
}

/// The origins of hosts that have a capture of a site file at a time or earlier, as of that time.
fn origins(loaded: &LoadedFetches, hosts: &BTreeSet<SiteHost>, moment: &Moment) -> Origins {
    let mut origins = Origins::new();
    let is_file = |kind| !matches!(kind, CaptureKind::Page | CaptureKind::RobotsHop);
    for (fetch, seen) in &loaded.fetches {
        if is_file(fetch.kind)
            && hosts.contains(&fetch.host)
            && seen.iter().any(|seen| moment.is_reached(seen))
            && let Ok(url) = PageUrl::new(fetch.full_url().as_bytes())
        {
            let surt = fetch.host.surt.clone();
            origins
                .entry((surt, url.origin().as_str().to_owned()))
                .or_insert_with_key(|(surt, _)| OriginRow {
                    newest: moment.at,
                    surt: Some((&**surt).into()),
                    pages: PageCounts::default(),
                });
        }
    }
    if moment.at.is_none() {
        date_origins(&mut origins, &loaded.fetches, moment);
    }
    origins
}

/// Sets the newest capture of each origin. Pages also count; targets of robots.txt redirects do not.
fn date_origins(origins: &mut Origins, fetches: &[NumberedFetch], moment: &Moment) {
    for (fetch, seen) in fetches
        .iter()
        .filter(|(fetch, _)| fetch.kind != CaptureKind::RobotsHop)
    {
        let Ok(url) = PageUrl::new(fetch.full_url().as_bytes()).map(PageUrl::into_owned) else {
            continue;
        };
        let key = (fetch.host.surt.clone(), url.origin().as_str().to_owned());
        if let Some(origin) = origins.get_mut(&key) {
            let newest = seen
                .iter()
                .filter(|seen| moment.counts(seen))
                .filter_map(|seen| seen.at_us)
                .max();
            origin.newest = origin
                .newest
                .max(newest.and_then(Timestamp::from_unix_micros));
        }
    }
}
