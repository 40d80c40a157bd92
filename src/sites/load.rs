//! The site files of some hosts, read from one or several indexes into memory for decisions.
//!
//! They are the captures of these hosts and of the targets of their redirects, with their bodies: capture by capture the same as
//! from evidence (`runs::load`).

use super::layers::SiteLayers;
use super::reader::{GroupPlace, IndexReader, ReadFetches};
use crate::robots::Extent;
use crate::runs::{ROUNDS, capture_order, followed};
use crate::tables::site_index::{BodyGroups, NumberedFetch, Seen, SiteFetch, SiteHost};
use crate::verdict::Cache;
use crate::verdict::timeline::FetchOutcome;
use crate::web::capture_kind::CaptureKind;
use crate::web::url::{PageUrl, redirect_target};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// Row groups of `fetches` that were read, by layer, for callers that ask for one host after another.
pub type KeptGroups = Cache<(usize, GroupPlace), ReadFetches>;

/// The answers of some hosts, without their bodies.
#[derive(Default)]
pub struct LoadedFetches {
    /// Each with its captures.
    pub fetches: Vec<NumberedFetch>,
    /// The total bytes of their distinct bodies.
    pub body_bytes: u64,
    /// The row groups of bodies in each layer.
    groups: Vec<BodyGroups>,
}

/// The bits of a body's number below those of its layer.
const BODY_BITS: u32 = 48;

/// Returns the number that a body of a layer has among those of all.
fn body_number(layer: usize, number: u64) -> io::Result<u64> {
    let layer = u16::try_from(layer)
        .ok()
        .filter(|_| number >> BODY_BITS == 0);
    let number = layer
        .map(|layer| u64::from(layer) << BODY_BITS | number)
        .ok_or(number);
    number.map_err(|number| io::Error::other(format!("there is no body {number}")))
}

impl LoadedFetches {
    pub(super) fn has_pages(&self) -> bool {
        self.fetches
            .iter()
            .any(|(fetch, _)| fetch.kind == CaptureKind::Page)
    }

    pub(super) fn archives(&self) -> BTreeSet<u32> {
        self.fetches
            .iter()
            .flat_map(|(_, seen)| seen)
            .map(|seen| seen.archive)
            .collect()
    }
}

impl SiteLayers {
    /// Returns the answers of hosts and of the targets of their redirects.
    pub fn load_fetches(
        &self,
        hosts: &BTreeSet<SiteHost>,
        kept: Option<&KeptGroups>,
    ) -> io::Result<LoadedFetches> {
        let groups = self.layers.iter().map(|_| BodyGroups::default()).collect();
        let mut loaded = LoadedFetches {
            groups,
            ..LoadedFetches::default()
        };
        let (mut known, mut next) = (BTreeSet::new(), hosts.clone());
        for _ in 0..=ROUNDS {
            if next.is_empty() {
                break;
            }
            let first = loaded.fetches.len();
            self.add_hosts(&next, kept, &mut loaded)?;
            known.append(&mut next);
            let found = loaded.fetches.get(first..).unwrap_or_default();
            let targets = found.iter().filter_map(|(fetch, _)| target_host(fetch));
            next = targets.filter(|host| !known.contains(host)).collect();
        }
        self.join_shared(&mut loaded)?;
        let bodies: BTreeMap<u64, u32> = loaded
            .fetches
            .iter()
            .filter_map(|(fetch, _)| fetch.body)
            .collect();
        loaded.body_bytes = bodies.into_values().map(u64::from).sum();
        Ok(loaded)
    }

    fn add_hosts(
        &self,
        hosts: &BTreeSet<SiteHost>,
        kept: Option<&KeptGroups>,
        loaded: &mut LoadedFetches,
    ) -> io::Result<()> {
        let first = loaded.fetches.len();
        for (number, (layer, bodies)) in self.layers.iter().zip(&mut loaded.groups).enumerate() {
            let read = |place| -> io::Result<Arc<ReadFetches>> {
                let Some(kept) = kept else {
                    return layer.fetches(place).map(Arc::new);
                };
                kept.get_or_make((number, place), |_| {
                    let group = layer.fetches(place)?;
                    let bytes = group.bytes;
                    Ok((group, bytes))
                })
            };
            let mut last: Option<Arc<ReadFetches>> = None;
            for host in hosts {
                for place in layer.groups_of(host) {
                    let group = match last.take().filter(|group| group.place == place) {
                        Some(group) => group,
                        None => read(place)?,
                    };
                    for row in group.rows.rows_of(host) {
                        let found = layer.fetch(&group, row, Some(host))?;
                        let body = found
                            .0
                            .body
                            .and_then(|(body, _)| group.bodies.group_of(body));
                        if let Some((first, place)) = body {
                            bodies.insert(first, place.clone())?;
                        }
                        loaded.fetches.extend(self.among_all(number, found)?);
                    }
                    last = Some(group);
                }
            }
        }
        if let (Some(found), 2..) = (loaded.fetches.get_mut(first..), self.layers.len()) {
            // As in one index: the first of several spellings of a URL is shown.
            found.sort_unstable();
        }
        Ok(())
    }

    /// Joins the answers that several layers have of an archive: each counts once, and what only one of them has counts, too.
    fn join_shared(&self, loaded: &mut LoadedFetches) -> io::Result<()> {
        let shared = &self.numbers.shared;
        let is_shared =
            |(_, seen): &NumberedFetch| seen.iter().any(|seen| shared.contains(&seen.archive));
        if shared.is_empty() || !loaded.fetches.iter().any(is_shared) {
            return Ok(());
        }
        let wanted: BTreeSet<u64> = loaded
            .fetches
            .iter()
            .filter(|found| is_shared(found))
            .filter_map(|(fetch, _)| Some(fetch.body?.0))
            .collect();
        let mut digests = BTreeMap::new();
        self.bodies_of(
            loaded,
            |number| wanted.contains(&number),
            |number, digest, _| {
                digests.insert(number, digest);
                Ok(())
            },
        )?;
        let mut first = BTreeMap::new();
        let mut joined: Vec<NumberedFetch> = Vec::new();
        for (fetch, seen) in std::mem::take(&mut loaded.fetches) {
            let digest = fetch
                .body
                .and_then(|(number, _)| digests.get(&number).copied());
            if !is_shared(&(fetch.clone(), seen.clone())) {
                joined.push((fetch, seen));
                continue;
            }
            let place = *first
                .entry((fetch.clone().with_body(digest), digest))
                .or_insert(joined.len());
            match joined.get_mut(place) {
                None => joined.push((fetch, seen)),
                Some((_, all)) => {
                    let is_new = |new: &Seen| {
                        !all.iter()
                            .any(|seen| (seen.at_us, seen.archive) == (new.at_us, new.archive))
                    };
                    let new: Vec<Seen> = seen.into_iter().filter(is_new).collect();
                    all.extend(new);
                    all.sort_unstable();
                }
            }
        }
        loaded.fetches = joined;
        Ok(())
    }

    /// Returns a layer's answer with the common numbers of its body and archives; `None` if no capture of it counts.
    fn among_all(
        &self,
        layer: usize,
        (mut fetch, seen): NumberedFetch,
    ) -> io::Result<Option<NumberedFetch>> {
        if self.layers.len() == 1 {
            return Ok(Some((fetch, seen)));
        }
        let named = |fault| {
            let location = self
                .layers
                .get(layer)
                .map(IndexReader::location)
                .unwrap_or_default();
            io::Error::other(format!("{location}: {fault}"))
        };
        let is_broken_off = fetch.is_broken_off();
        let number = |seen: Seen| {
            // The copy in another layer has it whole.
            if is_broken_off && self.numbers.continued.contains(&(layer, seen.archive)) {
                return Ok(None);
            }
            let number = self.numbers.number(layer, seen.archive).map_err(named)?;
            Ok(number.map(|archive| Seen { archive, ..seen }))
        };
        let seen: Vec<Seen> = seen
            .into_iter()
            .map(number)
            .filter_map(Result::transpose)
            .collect::<io::Result<_>>()?;
        if let Some((number, _)) = &mut fetch.body {
            *number = body_number(layer, *number)?;
        }
        Ok((!seen.is_empty()).then_some((fetch, seen)))
    }

    /// Returns the segments' numbers of answers, by archive, if there are pages; they matter only for these.
    pub(super) fn segments_of(&self, loaded: &LoadedFetches) -> io::Result<BTreeMap<u32, u32>> {
        if loaded.has_pages() {
            self.segments(&loaded.archives())
        } else {
            Ok(BTreeMap::new())
        }
    }

    /// Gives wanted bodies to `take` with their SHA-1, each once. They must have the lengths in their rows, which limit memory.
    pub(super) fn bodies_of(
        &self,
        loaded: &LoadedFetches,
        is_wanted: impl Fn(u64) -> bool,
        mut take: impl FnMut(u64, [u8; 20], &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let bodies = loaded.fetches.iter().filter_map(|(fetch, _)| fetch.body);
        let lengths: BTreeMap<u64, u32> = bodies.filter(|(number, _)| is_wanted(*number)).collect();
        for (layer, (index, groups)) in self.layers.iter().zip(&loaded.groups).enumerate() {
            let first = body_number(layer, 0)?;
            let of_layer = lengths.range(first..=first | ((1 << BODY_BITS) - 1));
            let numbers = of_layer.map(|(number, _)| number - first);
            index.bodies(
                groups,
                numbers,
                &self.kept_bodies,
                |number, digest, content| {
                    let length = lengths.get(&(first | number)).copied();
                    if length.is_some_and(|bytes| bytes as usize == content.len()) {
                        return take(first | number, digest, content);
                    }
                    let location = index.body_location(groups, number).unwrap_or_default();
                    Err(io::Error::other(format!(
                        "{location}: body {number} is not as long as its rows say"
                    )))
                },
            )?;
        }
        Ok(())
    }
}

/// Returns the server's answer.
pub fn answer<B>(fetch: &SiteFetch<B>) -> FetchOutcome {
    match fetch.status {
        Some(status) => FetchOutcome::Status(status),
        None if fetch.is_resource => FetchOutcome::Stored,
        None => FetchOutcome::StatusUnreadable,
    }
}

/// Returns whether the whole body was received.
pub fn extent<B>(fetch: &SiteFetch<B>) -> Extent {
    if fetch.is_cut {
        Extent::CutOff
    } else {
        Extent::Whole
    }
}

/// Returns the order of captures of one URL and time, the same as in evidence.
pub fn order(kind: CaptureKind, seen: &Seen) -> u64 {
    capture_order(
        kind,
        seen.archive as usize,
        seen.row.unwrap_or_default() as usize,
    )
}

fn target_host<B>(fetch: &SiteFetch<B>) -> Option<SiteHost> {
    let location = followed(fetch.kind, answer(fetch), fetch.redirect.as_deref())?;
    let url = fetch.full_url();
    let target = redirect_target(&PageUrl::new(url.as_bytes()).ok()?, location)?;
    Some(SiteHost::new(target.host_name()))
}

impl SiteHost {
    /// Returns the hosts whose files may count for a page of a host: the host without a final dot, and twins with or without `www.`.
    pub fn of_page(name: &str) -> impl Iterator<Item = Self> {
        let bare = name.strip_suffix('.').unwrap_or(name);
        let twin = bare
            .strip_prefix("www.")
            .map_or_else(|| format!("www.{bare}"), str::to_owned);
        let mut names = vec![name.to_owned(), bare.to_owned(), twin.clone()];
        if name != bare {
            names.push(format!("{twin}."));
        }
        names.dedup();
        names.into_iter().map(|name| Self::new(&name))
    }
}
