//! The site files of each group of archives, in a file without a name, and the index that a group's pages are judged by.
//!
//! KNOW-2: captures of a site's files count for its pages in any archive, so the index of a group has its own captures, and those
//! that all other groups have of its hosts and of their redirects' targets. Memory is that of one group's index: a layer stays in
//! the file, and is read once for each index. Example: `ai.txt` is stored in one segment of a crawl, and its pages lie in a
//! hundred. Left out: which copy counts when (`verdict::site_captures`).

use super::archive_evidence::ArchiveEvidence;
use super::bodies::{Bodies, BodyBytes, BodyKey, BodyPlace, WantedBodies};
use super::layer_row::{LayerRow, RowHead};
use super::site_files::{FoundRow, GoOn, Keep, Sites, bodies, followed, read};
use super::table_options::Scope;
use crate::robots::Extent;
use crate::store::Scratch;
use crate::tables::captures::CAPTURES;
use crate::tables::{Slices, column};
use crate::verdict::timeline::BodyState;
use crate::verdict::{FilesOfSites, SiteBody, SiteCapture, SiteCaptures};
use crate::web::u32_of;
use crate::web::url::redirect_target;
use arrow_array::StringArray;
use itertools::Itertools;
use rayon::prelude::*;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes of rows that are written at once; any number of this size.
const CHUNK_BYTES: usize = 1 << 20;
/// The five redirects that are followed (RFC 9309 2.3.1.2), and once more.
const ROUNDS: usize = 6;

/// The site files of a group.
pub struct SiteLayer {
    scratch: Arc<Scratch>,
    /// The places of its rows.
    chunks: Vec<(u64, usize)>,
    /// The place of the list of its bodies.
    bodies: (u64, usize),
    /// The redirects from one site to another one.
    redirects: Vec<(u64, u64)>,
}

/// The sites that an index has.
pub struct SitesOfGroup(HashSet<u64>);

/// What an index is made of.
#[derive(Clone, Copy)]
pub struct IndexOf<'i> {
    /// The place of the group's own layer, which counts whole.
    pub own: usize,
    /// The sites whose captures count in the others; `None`: all.
    pub sites: Option<&'i SitesOfGroup>,
    /// When the last capture that counts was fetched, in microseconds since 1970.
    pub until: i64,
    /// Which captures of robots.txt count.
    pub scope: Scope,
}

impl IndexOf<'_> {
    /// All of one layer.
    pub const ALL: Self = Self {
        own: 0,
        sites: None,
        until: i64::MAX,
        scope: Scope::All,
    };
}

struct ReadingLayer {
    scratch: Arc<Scratch>,
    rows: Vec<u8>,
    chunks: Vec<(u64, usize)>,
    redirects: HashSet<(u64, u64)>,
    wanted: WantedBodies,
    /// The place of each archive among those of all groups.
    places: Vec<u64>,
}

impl ReadingLayer {
    fn end_chunk(&mut self) -> io::Result<()> {
        let at = self.scratch.reserve(self.rows.len());
        self.scratch.write(at, &self.rows)?;
        self.chunks.push((at, self.rows.len()));
        self.rows.clear();
        Ok(())
    }
}

impl Keep for ReadingLayer {
    fn keep(&mut self, found: &FoundRow<'_>) -> io::Result<()> {
        let SiteCapture {
            kind,
            ref url,
            answer,
            redirect,
            ..
        } = found.capture;
        let site = site_hash(url.host_name());
        let target =
            followed(kind, answer, redirect).and_then(|location| redirect_target(url, location));
        let target = target.map(|target| site_hash(target.host_name()));
        self.redirects.extend(
            target
                .filter(|target| *target != site)
                .map(|target| (site, target)),
        );
        let want = |(key, extent)| {
            BodyState::Body(SiteBody {
                number: self.wanted.want(key, extent),
                extent,
            })
        };
        let body = found.body.and_then(want);
        let place = usize::try_from(found.order >> 32 & 0x7FFF_FFFF).ok();
        let place = place
            .and_then(|place| self.places.get(place))
            .copied()
            .unwrap_or_default();
        let order = found.order & !(0x7FFF_FFFF << 32) | place << 32;
        LayerRow {
            site,
            order,
            capture: SiteCapture {
                body,
                ..found.capture.clone()
            },
        }
        .write(&mut self.rows);
        if self.rows.len() < CHUNK_BYTES {
            Ok(())
        } else {
            self.end_chunk()
        }
    }
}

impl SiteLayer {
    /// Reads the site files of some archives among `all`; `scratch` keeps them.
    pub fn read(
        archives: &[&ArchiveEvidence<'_>],
        all: &[&ArchiveEvidence<'_>],
        sites: Sites<'_>,
        scratch: &Arc<Scratch>,
        go_on: &GoOn<'_>,
    ) -> io::Result<Self> {
        let reading = ReadingLayer {
            scratch: Arc::clone(scratch),
            rows: Vec::new(),
            chunks: Vec::new(),
            redirects: HashSet::new(),
            wanted: WantedBodies::new(Arc::clone(scratch)),
            places: archives.iter().map(|archive| archive.place).collect(),
        };
        let mut reading = read(archives, sites, reading, go_on)?;
        reading.end_chunk()?;
        let ReadingLayer {
            scratch,
            chunks,
            redirects,
            wanted,
            ..
        } = reading;
        bodies(archives, all, &wanted, go_on)?;
        let mut places = Vec::new();
        wanted
            .into_places()
            .iter()
            .for_each(|place| place.write(&mut places));
        let at = scratch.reserve(places.len());
        scratch.write(at, &places)?;
        let (bodies, redirects) = ((at, places.len()), redirects.into_iter().collect());
        Ok(Self {
            scratch,
            chunks,
            bodies,
            redirects,
        })
    }

    fn piece(&self, (at, length): (u64, usize)) -> io::Result<Vec<u8>> {
        let mut piece = vec![0; length];
        self.scratch.read(at, &mut piece)?;
        Ok(piece)
    }
}

/// Returns the number of a site: of a host's name, whether with `www.` or without, and without a final dot.
fn site_hash(host: &str) -> u64 {
    let host = host.strip_suffix('.').unwrap_or(host);
    let mut hasher = DefaultHasher::new();
    host.strip_prefix("www.").unwrap_or(host).hash(&mut hasher);
    hasher.finish()
}

impl SitesOfGroup {
    /// Returns the sites that some archives have captures of, and those to which their robots.txt redirect.
    pub fn collect(
        archives: &[&ArchiveEvidence<'_>],
        layers: &[SiteLayer],
        go_on: &GoOn<'_>,
    ) -> io::Result<Self> {
        let sites = archives.par_iter().map(|archive| sites_of(archive, go_on));
        let sites = sites.try_reduce(HashSet::new, |mut sites, other| {
            sites.extend(other);
            Ok(sites)
        })?;
        let mut all = Self(sites);
        for _ in 0..ROUNDS {
            let redirects = layers.iter().flat_map(|layer| &layer.redirects);
            let is_new = |(from, to): &&(u64, u64)| all.0.contains(from) && !all.0.contains(to);
            let targets: Vec<u64> = redirects.filter(is_new).map(|(_, to)| *to).collect();
            if targets.is_empty() {
                break;
            }
            all.0.extend(targets);
        }
        Ok(all)
    }
}

fn sites_of(archive: &ArchiveEvidence<'_>, go_on: &GoOn<'_>) -> io::Result<HashSet<u64>> {
    let (mut sites, mut last) = (HashSet::new(), String::new());
    if archive.manifest.captures.is_empty() {
        return Ok(sites);
    }
    for slice in archive.slices(&CAPTURES, |file| {
        Slices::of_columns(file, &["url_host_name"])
    })? {
        go_on()?;
        let slice = slice?;
        for host in column::<StringArray>(&slice, "url_host_name")?
            .iter()
            .flatten()
        {
            if host != last {
                sites.insert(site_hash(host));
                last.clear();
                last.push_str(host);
            }
        }
    }
    Ok(sites)
}

/// Loads the site files of some archives. Bodies go to an unnamed file; about `cache_bytes` of their compiled form are kept.
pub fn load(
    archives: &[&ArchiveEvidence<'_>],
    sites: Sites<'_>,
    cache_bytes: usize,
    go_on: &GoOn<'_>,
) -> io::Result<FilesOfSites<Bodies>> {
    let layer = SiteLayer::read(archives, archives, sites, &Arc::new(Scratch::new()?), go_on)?;
    index(&[layer], IndexOf::ALL, cache_bytes, go_on)
}

/// Makes the index of a group; about `cache_bytes` of compiled files are kept.
pub fn index(
    layers: &[SiteLayer],
    of: IndexOf<'_>,
    cache_bytes: usize,
    go_on: &GoOn<'_>,
) -> io::Result<FilesOfSites<Bodies>> {
    let (mut making, mut own_bodies) = (Making::default(), 0);
    let others = (0..layers.len()).filter(|number| *number != of.own);
    for (rank, number) in std::iter::once(of.own).chain(others).enumerate() {
        let Some(layer) = layers.get(number) else {
            continue;
        };
        let places = BodyPlace::read_all(&layer.piece(layer.bodies)?)?;
        making.begin(rank, places);
        if rank == 0 {
            own_bodies = making.add_all();
        }
        let is_wanted = |head: &RowHead| {
            let is_of_site = || of.sites.is_none_or(|sites| sites.0.contains(&head.site));
            let is_in_scope = || of.scope == Scope::All || head.kind.is_beside_robots();
            head.fetched_us.is_none_or(|at| at <= of.until)
                && (rank == 0 || is_in_scope() && is_of_site())
        };
        // Each layer is a segment, if there are several.
        let segment = (layers.len() > 1).then(|| u32_of(number));
        let shared = Mutex::new(&mut making);
        layer.chunks.par_iter().try_for_each(|chunk| {
            go_on()?;
            let chunk = layer.piece(*chunk)?;
            let rows = LayerRow::wanted(&chunk, is_wanted)?;
            let mut making = shared.lock().unwrap_or_else(PoisonError::into_inner);
            for row in rows {
                making.add(row, segment);
            }
            Ok::<_, io::Error>(())
        })?;
    }
    let content = layers
        .first()
        .map(|layer| BodyBytes::File(Arc::clone(&layer.scratch)));
    let (captures, bodies) =
        making.finish(own_bodies, content.unwrap_or(BodyBytes::Memory(Vec::new())));
    Ok(FilesOfSites::new(captures, bodies, cache_bytes))
}

/// An index being made, layer by layer, the own one first.
#[derive(Default)]
struct Making {
    captures: SiteCaptures,
    /// With the places of their layers.
    bodies: Vec<(usize, BodyPlace)>,
    numbers: HashMap<BodyKey, u32>,
    rank: usize,
    /// The bodies of the layer, by their numbers there.
    places: HashMap<u32, BodyPlace>,
}

impl Making {
    fn begin(&mut self, rank: usize, places: Vec<BodyPlace>) {
        self.rank = rank;
        self.places = places
            .into_iter()
            .map(|place| (place.number, place))
            .collect();
    }

    /// Adds all bodies of a layer, in the order of the evidence; returns their number.
    fn add_all(&mut self) -> usize {
        for place in self
            .places
            .values()
            .sorted_unstable_by_key(|place| place.order)
        {
            self.numbers.insert(place.key, u32_of(self.bodies.len()));
            self.bodies.push((self.rank, *place));
        }
        self.bodies.len()
    }

    fn add(&mut self, row: LayerRow<'_>, segment: Option<u32>) {
        let LayerRow {
            order, mut capture, ..
        } = row;
        capture.segment = segment.unwrap_or(capture.segment);
        capture.body = capture.body.and_then(|SiteBody { number, extent }| {
            let Some(place) = self.places.get(&number) else {
                return BodyState::Missing;
            };
            place.legibility.and_then(|()| {
                let number = match self.numbers.entry(place.key) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(vacant) => {
                        self.bodies
                            .push((self.rank, BodyPlace { extent, ..*place }));
                        *vacant.insert(u32_of(self.bodies.len() - 1))
                    }
                };
                if let (Some((1.., body)), Extent::Whole) =
                    (self.bodies.get_mut(number as usize), extent)
                {
                    body.extent = Extent::Whole;
                }
                BodyState::Body(SiteBody { number, extent })
            })
        });
        self.captures.add(&capture, order);
    }

    /// Returns captures and bodies; numbers do not depend on the order in which captures were added.
    fn finish(self, own_bodies: usize, content: BodyBytes) -> (SiteCaptures, Bodies) {
        let Self {
            mut captures,
            bodies,
            ..
        } = self;
        let mut in_order: Vec<u32> = (0..u32_of(bodies.len())).collect();
        let place = |number: &u32| {
            bodies
                .get(*number as usize)
                .map(|(rank, place)| (*rank, place.order))
        };
        in_order.sort_by_key(place);
        let mut numbers = vec![0; in_order.len()];
        for (number, earlier) in (0..).zip(&in_order) {
            if let Some(place) = numbers.get_mut(*earlier as usize) {
                *place = number;
            }
        }
        captures.change_bodies(|number| BodyState::from(numbers.get(number as usize).copied()));
        captures.sort();
        let body = |number: u32| bodies.get(number as usize).map(|(_, place)| place.body());
        let bodies = in_order.into_iter().filter_map(body).collect();
        let mut bodies = Bodies::new(bodies, content).with_own(own_bodies);
        bodies.set_rivals(captures.timeline.rival_bodies().map(|body| body.number));
        (captures, bodies)
    }
}
