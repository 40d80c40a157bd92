//! The captures of a segment in the order of hosts: in memory or, if they are too many, in sorted runs of a temporary file.
//!
//! A run has the format of `fetches`, with bodies numbered across the runs. The result does not depend on where runs end.
//! Answers of one origin are held together, because the rows of captures are dropped if an archive has no other answer of the
//! origin at that time. An origin with very many answers keeps its rows, which changes no verdict.

use super::stream::{BodySource, EvidenceBodies, IndexedBody, SeenFetch};
use crate::runs::BodyKey;
use crate::store::{ScratchStore, Store, StoredFile};
use crate::tables::Rows;
use crate::tables::site_index::{
    FETCHES, Fetches, GroupEncoder, GroupRange, IndexPartWriter, Seen, SiteFetch, SiteHost,
    append_fetch,
};
use itertools::Itertools;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::vec::IntoIter;

pub type FoundCapture = (SiteFetch<BodyKey>, Seen);

type RunAnswer = (SiteFetch<BodyKey>, Vec<Seen>);

/// Answers of a run, or those that are in none.
type FoundAnswers = Box<dyn Iterator<Item = io::Result<RunAnswer>> + Send>;

/// The most rows and captures of a row group of a run, and the most captures of a row.
const GROUP_ROWS: usize = 1024;
const GROUP_CAPTURES: usize = 1 << 14;
const ROW_CAPTURES: usize = 1 << 10;
/// Runs have at least this many bytes.
const LEAST_BYTES: usize = 16 << 10;
/// About how many bytes of an origin's answers are held together.
const ORIGIN_BYTES: usize = 32 << 20;

/// Captures that arrive in any order.
#[derive(Default)]
pub struct Sorting {
    most_bytes: usize,
    captures: Vec<FoundCapture>,
    bytes: usize,
    store: Option<ScratchStore>,
    runs: Vec<Run>,
    numbers: HashMap<BodyKey, u64>,
    bodies: Vec<BodyKey>,
}

/// Captures in the order of hosts.
struct Sorted<F> {
    found: F,
    /// The next answers of an origin, and the last one.
    ready: VecDeque<SeenFetch>,
    last: Option<SeenFetch>,
    /// Whether the origin of these has more answers than can be held together.
    is_long: bool,
}

/// A run in a file, and its row group that is being read.
struct Run {
    file: Box<dyn StoredFile>,
    groups: IntoIter<GroupRange>,
    rows: Option<Fetches>,
    row: usize,
}

impl Sorting {
    /// The approximate bytes of captures in memory.
    pub fn new(most_bytes: u64) -> Self {
        let most_bytes = usize::try_from(most_bytes)
            .unwrap_or(usize::MAX)
            .max(LEAST_BYTES);
        Self {
            most_bytes,
            ..Self::default()
        }
    }

    pub fn push(&mut self, capture: FoundCapture) -> io::Result<()> {
        let SiteFetch {
            host,
            url,
            redirect,
            ..
        } = &capture.0;
        let texts = [
            Some(&*host.surt),
            Some(&*host.name),
            url.as_deref(),
            redirect.as_deref(),
        ];
        let texts: usize = texts
            .into_iter()
            .flatten()
            .map(|text| text.len() + size_of::<usize>())
            .sum();
        self.bytes += size_of::<FoundCapture>() + texts;
        self.captures.push(capture);
        if self.bytes < self.most_bytes {
            Ok(())
        } else {
            self.end_run()
        }
    }

    /// Returns all answers, sorted, with the bodies that are kept; equal captures become one.
    pub fn finish(
        mut self,
        bodies: Arc<EvidenceBodies>,
    ) -> impl Iterator<Item = io::Result<SeenFetch>> + Send {
        sort(&mut self.captures);
        let keys: Arc<[BodyKey]> = self.bodies.into();
        let of_run = |mut run: Run| {
            let keys = Arc::clone(&keys);
            Box::new(std::iter::from_fn(move || run.next_row(&keys).transpose())) as FoundAnswers
        };
        let left = self
            .captures
            .into_iter()
            .map(|(fetch, seen)| Ok((fetch, vec![seen])));
        let sources: Vec<FoundAnswers> = self
            .runs
            .into_iter()
            .map(of_run)
            .chain([Box::new(left) as FoundAnswers])
            .collect();
        let found = sources
            .into_iter()
            .kmerge_by(|one, other| match (one, other) {
                (Ok((one, _)), Ok((other, _))) => answer_key(one) < answer_key(other),
                (one, _) => one.is_err(),
            });
        let found = found.map_ok(move |(fetch, seen)| {
            let body = fetch.body.as_ref().and_then(|key| {
                let source =
                    BodySource::Evidence(Arc::clone(&bodies), bodies.bodies.number_of(key)?);
                Some(IndexedBody {
                    digest: key.sha1,
                    source,
                })
            });
            let is_cut = fetch.is_cut && body.is_some();
            (
                SiteFetch {
                    is_cut,
                    ..fetch.with_body(body)
                },
                seen,
            )
        });
        let mut sorted = Sorted {
            found,
            ready: VecDeque::new(),
            last: None,
            is_long: false,
        };
        std::iter::from_fn(move || {
            let filled = if sorted.ready.is_empty() {
                sorted.fill()
            } else {
                Ok(())
            };
            filled.map(|()| sorted.ready.pop_front()).transpose()
        })
    }

    fn end_run(&mut self) -> io::Result<()> {
        let mut captures = std::mem::take(&mut self.captures);
        self.bytes = 0;
        sort(&mut captures);
        let store = self.store.take().map_or_else(ScratchStore::new, Ok)?;
        let encoder = GroupEncoder::new(&FETCHES)?;
        let mut part = IndexPartWriter::new(&FETCHES)?;
        let (mut rows, mut groups) = (Rows::new(&FETCHES), Vec::new());
        let (mut row_count, mut capture_count) = (0, 0);
        let answers = captures.chunk_by(|(one, _), (other, _)| one == other);
        for some in answers.flat_map(|answer| answer.chunks(ROW_CAPTURES)) {
            let Some((fetch, _)) = some.first() else {
                continue;
            };
            let body = fetch.body.map(|key| (self.number(key), 0));
            let seen: Vec<Seen> = some.iter().map(|(_, seen)| *seen).collect();
            append_fetch(&mut rows, fetch, body, &seen);
            (row_count, capture_count) = (row_count + 1, capture_count + seen.len());
            if row_count >= GROUP_ROWS || capture_count >= GROUP_CAPTURES {
                groups.push(part.append(encoder.encode(&rows.finish()?)?, None)?);
                (row_count, capture_count) = (0, 0);
            }
        }
        if row_count > 0 {
            groups.push(part.append(encoder.encode(&rows.finish()?)?, None)?);
        }
        let part = part.commit(&store)?;
        let (file, groups) = (store.open(&part.file)?, groups.into_iter());
        self.runs.push(Run {
            file,
            groups,
            rows: None,
            row: 0,
        });
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

impl<F: Iterator<Item = io::Result<SeenFetch>>> Sorted<F> {
    /// Reads the answers of the next origin, or more answers of an origin with very many.
    fn fill(&mut self) -> io::Result<()> {
        let mut answers: Vec<SeenFetch> = self.last.take().into_iter().collect();
        let (was_long, mut bytes) = (std::mem::take(&mut self.is_long), 0);
        while let Some((fetch, seen)) = self.found.next().transpose()? {
            bytes += size_of::<Seen>() * seen.len();
            match answers.last_mut() {
                Some((last, all)) if *last == fetch => {
                    all.extend(seen);
                    continue;
                }
                Some((last, _)) if !is_of_one_origin(last, &fetch) => {
                    self.last = Some((fetch, seen));
                    break;
                }
                Some(_) | None => {}
            }
            let texts = [fetch.url.as_deref(), fetch.redirect.as_deref()];
            bytes +=
                size_of::<SeenFetch>() + texts.into_iter().flatten().map(str::len).sum::<usize>();
            answers.push((fetch, seen));
            // The last one stays, because more of its captures may follow.
            if bytes >= ORIGIN_BYTES && answers.len() > 1 {
                (self.last, self.is_long) = (answers.pop(), true);
                break;
            }
        }
        // Otherwise these are not all answers of the origin.
        if !was_long && !self.is_long {
            forget_rows(&mut answers);
        }
        for (_, seen) in &mut answers {
            seen.sort_unstable();
            seen.dedup();
        }
        self.ready.extend(answers);
        Ok(())
    }
}

fn is_of_one_origin(one: &SiteFetch<IndexedBody>, other: &SiteFetch<IndexedBody>) -> bool {
    (&one.host, one.scheme, one.port) == (&other.host, other.scheme, other.port)
}

impl Run {
    fn next_row(&mut self, keys: &[BodyKey]) -> io::Result<Option<RunAnswer>> {
        while self
            .rows
            .as_ref()
            .is_none_or(|rows| self.row >= rows.count())
        {
            let Some(group) = self.groups.next() else {
                return Ok(None);
            };
            (self.row, self.rows) = (
                0,
                Some(Fetches::new(&group.read(&*self.file)?.rows(None)?.rows)?),
            );
        }
        let Some(rows) = &self.rows else {
            return Ok(None);
        };
        let (fetch, seen) = (rows.fetch(self.row, None)?, rows.seen(self.row)?);
        self.row += 1;
        let key = |(number, _)| {
            usize::try_from(number)
                .ok()
                .and_then(|place| keys.get(place).copied())
        };
        let body = fetch.body.and_then(key);
        Ok(Some((fetch.with_body(body), seen)))
    }
}

fn sort(captures: &mut [FoundCapture]) {
    captures.sort_unstable_by(|(one, seen), (other, later)| {
        answer_key(one)
            .cmp(&answer_key(other))
            .then_with(|| seen.cmp(later))
    });
}

/// The sort key of answers: it keeps those of a host and of an origin together, in the order of an index.
fn answer_key(fetch: &SiteFetch<BodyKey>) -> (&SiteHost, impl Ord + '_, impl Ord + '_) {
    let origin = (fetch.scheme, fetch.port, fetch.kind, &fetch.url);
    let body = fetch.body.as_ref().map(|key| key.sha1);
    (
        &fetch.host,
        origin,
        (
            fetch.status,
            &fetch.redirect,
            body,
            fetch.is_cut,
            fetch.is_undecodable,
            fetch.is_resource,
            fetch.validator,
        ),
    )
}

/// Drops the rows of captures of an origin, unless an archive has two answers of it at one time.
fn forget_rows(answers: &mut [SeenFetch]) {
    let mut known = HashMap::<(Option<i64>, u32), (usize, bool)>::new();
    for (number, (_, seen)) in answers.iter().enumerate() {
        for seen in seen {
            let (first, has_two) = known
                .entry((seen.at_us, seen.archive))
                .or_insert((number, false));
            *has_two |= *first != number;
        }
    }
    for seen in answers.iter_mut().flat_map(|(_, seen)| seen) {
        let has_two = known
            .get(&(seen.at_us, seen.archive))
            .is_some_and(|(_, has_two)| *has_two);
        if !has_two || seen.at_us.is_none() {
            seen.row = None;
        }
    }
}
