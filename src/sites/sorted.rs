//! The captures of a segment in the order of hosts: in memory, or, where they are too many, in sorted runs of a temporary file.
//!
//! A run is stored as `fetches` is, with the numbers of bodies among those of the runs. What comes out does not depend on
//! where runs end.

use crate::runs::BodyKey;
use crate::store::{ScratchStore, Store, StoredFile};
use crate::tables::site_index::{
    FETCHES, FetchRows, Fetches, GroupEncoder, GroupRange, IndexPartWriter, Seen, SiteFetch, SiteHost,
};
use std::collections::HashMap;
use std::io;
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec::IntoIter;

/// A capture of an answer.
pub type FoundCapture = (SiteFetch<BodyKey>, Seen);

/// Rows of a row group of a run.
const RUN_GROUP_ROWS: usize = 1024;
/// Runs are at least of so many bytes.
const LEAST_BYTES: usize = 16 << 10;

/// Captures that come in any order.
pub struct Sorting {
    temp_dir: PathBuf,
    most_bytes: usize,
    captures: Vec<FoundCapture>,
    bytes: usize,
    store: Option<ScratchStore>,
    runs: Vec<Run>,
    numbers: HashMap<BodyKey, u64>,
    bodies: Vec<BodyKey>,
}

/// Captures in the order of hosts.
pub struct Sorted {
    left: Peekable<IntoIter<FoundCapture>>,
    runs: Vec<Run>,
    bodies: Vec<BodyKey>,
}

/// A run in a file, and the row group of it that is being read.
struct Run {
    file: Box<dyn StoredFile>,
    groups: IntoIter<GroupRange>,
    rows: Option<Fetches>,
    row: usize,
}

impl Sorting {
    /// Returns none; so many bytes of them are held in memory.
    pub fn new(temp_dir: PathBuf, most_bytes: u64) -> Self {
        let most_bytes = usize::try_from(most_bytes).unwrap_or(usize::MAX).max(LEAST_BYTES);
        Self {
            temp_dir,
            most_bytes,
            captures: Vec::new(),
            bytes: 0,
            store: None,
            runs: Vec::new(),
            numbers: HashMap::new(),
            bodies: Vec::new(),
        }
    }

    /// Adds a capture.
    pub fn push(&mut self, capture: FoundCapture) -> io::Result<()> {
        let SiteFetch { host, url, redirect, .. } = &capture.0;
        let texts = [Some(&*host.surt), Some(&*host.name), url.as_deref(), redirect.as_deref()];
        let texts: usize = texts.into_iter().flatten().map(|text| text.len() + size_of::<usize>()).sum();
        self.bytes += size_of::<FoundCapture>() + texts;
        self.captures.push(capture);
        if self.bytes < self.most_bytes { Ok(()) } else { self.end_run() }
    }

    /// Returns all captures, sorted.
    pub fn finish(mut self) -> io::Result<Sorted> {
        sort(&mut self.captures);
        self.runs.iter_mut().try_for_each(Run::advance)?;
        let left = self.captures.into_iter().peekable();
        Ok(Sorted { left, runs: self.runs, bodies: self.bodies })
    }

    fn end_run(&mut self) -> io::Result<()> {
        let mut captures = std::mem::take(&mut self.captures);
        self.bytes = 0;
        sort(&mut captures);
        let store = match self.store.take() {
            Some(store) => store,
            None => ScratchStore::new(&self.temp_dir)?,
        };
        let name = format!("run-{}", self.runs.len());
        let encoder = GroupEncoder::new(&FETCHES)?;
        let mut part = IndexPartWriter::new(&FETCHES, name.clone(), store.create(&name)?)?;
        let (mut rows, mut groups) = (FetchRows::default(), Vec::new());
        let answers: Vec<&[FoundCapture]> = captures.chunk_by(|(one, _), (other, _)| one == other).collect();
        for some in answers.chunks(RUN_GROUP_ROWS) {
            for captures in some {
                let Some((fetch, _)) = captures.first() else { continue };
                let body = fetch.body.map(|key| (self.number(key), 0));
                let seen: Vec<Seen> = captures.iter().map(|(_, seen)| *seen).collect();
                rows.append(fetch, body, &seen);
            }
            groups.push(part.append(encoder.encode(&rows.finish()?)?, None)?);
        }
        part.commit()?;
        self.runs.push(Run { file: store.open(&name)?, groups: groups.into_iter(), rows: None, row: 0 });
        self.store = Some(store);
        Ok(())
    }

    fn number(&mut self, key: BodyKey) -> u64 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.bodies.push(key);
            self.bodies.len() as u64 - 1
        })
    }
}

impl Sorted {
    /// Returns the captures of the next `surt_host_name`, sorted; those of equal answers and times are one.
    pub fn next_hosts(&mut self) -> io::Result<Option<Vec<FoundCapture>>> {
        let of_runs = self.runs.iter().filter_map(Run::surt);
        let of_left = self.left.peek().map(|(fetch, _)| &*fetch.host.surt);
        let Some(surt) = of_runs.chain(of_left).min().map(Arc::<str>::from) else { return Ok(None) };
        let mut captures = Vec::new();
        for run in &mut self.runs {
            run.take(&surt, &self.bodies, &mut captures)?;
        }
        while let Some(capture) = self.left.next_if(|(fetch, _)| fetch.host.surt == surt) {
            captures.push(capture);
        }
        if !self.runs.is_empty() {
            sort(&mut captures);
        }
        forget_rows(&mut captures);
        captures.dedup();
        Ok(Some(captures))
    }
}

impl Run {
    fn surt(&self) -> Option<&str> {
        self.rows.as_ref().map(|rows| rows.surt(self.row))
    }

    /// Reads the next row group, where the one that is being read has no more rows.
    fn advance(&mut self) -> io::Result<()> {
        while self.rows.as_ref().is_none_or(|rows| self.row >= rows.count()) {
            (self.row, self.rows) = (0, None);
            let Some(group) = self.groups.next() else { break };
            self.rows = Some(Fetches::new(&group.read(&*self.file, None)?.rows)?);
        }
        Ok(())
    }

    /// Takes the captures of a `surt_host_name`.
    fn take(&mut self, surt: &str, bodies: &[BodyKey], captures: &mut Vec<FoundCapture>) -> io::Result<()> {
        while let Some(rows) = self.rows.as_ref().filter(|rows| rows.surt(self.row) == surt) {
            let fetch = rows.fetch(self.row, None)?;
            let key = |(number, _)| usize::try_from(number).ok().and_then(|place| bodies.get(place).copied());
            let body = fetch.body.and_then(key);
            let fetch = fetch.with_body(body);
            captures.extend(rows.seen(self.row)?.into_iter().map(|seen| (fetch.clone(), seen)));
            self.row += 1;
            self.advance()?;
        }
        Ok(())
    }
}

fn sort(captures: &mut [FoundCapture]) {
    captures.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
}

/// What captures are sorted by: those of a host and of an origin are together, and equal ones.
fn key((fetch, seen): &FoundCapture) -> (&SiteHost, impl Ord + '_, impl Ord + '_, Seen) {
    let origin = (fetch.scheme, fetch.port, fetch.kind, &fetch.url);
    let body = fetch.body.as_ref().map(|key| (key.sha1(), key.kind));
    (&fetch.host, origin, (fetch.status, &fetch.redirect, body, fetch.is_cut, fetch.is_undecodable), *seen)
}

/// Forgets the rows of captures, unless an archive has two answers of an origin at one time.
fn forget_rows(captures: &mut [FoundCapture]) {
    let is_same_origin = |(one, _): &FoundCapture, (other, _): &FoundCapture| {
        (&one.host, one.scheme, one.port) == (&other.host, other.scheme, other.port)
    };
    for origin in captures.chunk_by_mut(is_same_origin) {
        let mut answers = HashMap::<(Option<i64>, u32), (usize, bool)>::new();
        let mut number = 0;
        for at in 0..origin.len() {
            let (Some((fetch, seen)), before) =
                (origin.get(at), at.checked_sub(1).and_then(|at| origin.get(at)))
            else {
                continue;
            };
            number += usize::from(before.is_some_and(|(before, _)| before != fetch));
            let (first, has_two) = answers.entry((seen.at_us, seen.archive)).or_insert((number, false));
            *has_two |= *first != number;
        }
        for (_, seen) in origin {
            let has_two = answers.get(&(seen.at_us, seen.archive)).is_some_and(|(_, has_two)| *has_two);
            if !has_two || seen.at_us.is_none() {
                seen.row = None;
            }
        }
    }
}
