//! Captures by the place they are of, and by time.
//!
//! Example: the captures of `https://a.test` are one slice, those without a date first, the others
//! from the oldest to the newest.
//! Left out: what a capture says, which is up to the type `T`.
//!
//! Lookups allocate nothing: one hash of the text, then binary searches.

use std::collections::HashMap;

use crate::web::timestamp::Timestamp;

/// The number of a place: of a key, in the order of their arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct UrlPlace(u32);

/// The number of no segment.
const NO_SEGMENT: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Capture<T> {
    place: UrlPlace,
    /// The segment whose redirects alone lead to it, where it is a page; else [`NO_SEGMENT`].
    page_of: u32,
    fetched_at: Option<Timestamp>,
    order: u64,
    said: T,
}

/// Captures by place and time; sorted only after [`Index::sort`].
#[derive(Clone, Debug)]
pub(super) struct Index<T> {
    places: HashMap<Box<str>, UrlPlace>,
    /// Where the captures of a place end, by its number.
    ends: Vec<u32>,
    captures: Vec<Capture<T>>,
}

impl<T: Copy> Index<T> {
    pub(super) fn new() -> Self {
        Self { places: HashMap::new(), ends: Vec::new(), captures: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    pub(super) fn place(&self, key: &str) -> Option<UrlPlace> {
        self.places.get(key).copied()
    }

    pub(super) fn place_or_new(&mut self, key: &str) -> UrlPlace {
        if let Some(place) = self.place(key) {
            return place;
        }
        let place = UrlPlace(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        self.places.insert(key.into(), place);
        place
    }

    /// Adds a capture; of those at one instant, the one with the greatest `order` is the last. `page_of` is the segment of a page.
    pub(super) fn add(
        &mut self,
        (place, page_of): (UrlPlace, Option<u32>),
        fetched_at: Option<Timestamp>,
        order: u64,
        said: T,
    ) {
        let page_of = page_of.unwrap_or(NO_SEGMENT);
        self.captures.push(Capture { place, page_of, fetched_at, order, said });
    }

    /// Changes what each capture says.
    pub(super) fn change(&mut self, change: impl Fn(T) -> T) {
        for capture in &mut self.captures {
            capture.said = change(capture.said);
        }
    }

    /// Sorts by place, time and order; a capture that was added twice is one.
    pub(super) fn sort(&mut self) {
        let key = |capture: &Capture<T>| (capture.place, capture.fetched_at, capture.order);
        self.captures.sort_unstable_by_key(key);
        self.captures.dedup_by_key(|capture| key(capture));
        self.captures.shrink_to_fit();
        self.ends.clear();
        self.ends.resize(self.places.len(), 0);
        for (end, capture) in (1..).zip(&self.captures) {
            if let Some(of_place) = self.ends.get_mut(capture.place.0 as usize) {
                *of_place = end;
            }
        }
        // A place without captures ends where the one before it does.
        let mut before = 0;
        for end in &mut self.ends {
            before = before.max(*end);
            *end = before;
        }
    }

    /// Returns the captures of a place; none for no place.
    pub(super) fn captures(&self, place: Option<UrlPlace>) -> Captures<'_, T> {
        Captures { all: place.and_then(|place| self.slice(place)).unwrap_or_default(), segment: None }
    }

    fn slice(&self, UrlPlace(number): UrlPlace) -> Option<&[Capture<T>]> {
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before as usize)?,
            None => 0,
        };
        self.captures.get(start as usize..*self.ends.get(number as usize)? as usize)
    }
}

/// The captures of one place, sorted by time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captures<'a, T> {
    all: &'a [Capture<T>],
    /// The segment whose redirect leads here; pages of others do not count then.
    segment: Option<u32>,
}

impl<'a, T: Copy> Captures<'a, T> {
    /// Returns those to which a redirect of a segment leads: of pages, those of this segment.
    pub(super) fn reached_from(self, segment: u32) -> Self {
        Self { segment: Some(segment), ..self }
    }

    fn is_reached(self, capture: &Capture<T>) -> bool {
        capture.page_of == NO_SEGMENT || self.segment.is_none_or(|segment| capture.page_of == segment)
    }

    /// Returns the captures at or before a time, from the oldest to the newest.
    pub(super) fn until(self, until_us: i64) -> impl Iterator<Item = (Timestamp, T)> + use<'a, T> {
        let reached = self.all.iter().filter(move |capture| self.is_reached(capture));
        let dated = reached.filter_map(|capture| Some((capture.fetched_at?, capture.said)));
        dated.take_while(move |(at, _)| at.unix_micros() <= until_us)
    }

    /// Returns the newest capture at or before a time; of several at one instant the last given.
    pub(super) fn newest_until(self, until_us: i64) -> Option<(Timestamp, T)> {
        let later = self.all.partition_point(|capture| capture.micros().is_none_or(|at| at <= until_us));
        let newest = self.all.get(..later)?.iter().rev().find(|capture| self.is_reached(capture))?;
        Some((newest.fetched_at?, newest.said))
    }

    /// Returns the first capture between two times, both included; of several at one instant the
    /// last given.
    pub(super) fn first_between(self, from_us: i64, until_us: i64) -> Option<(Timestamp, T)> {
        let first = self.all.partition_point(|capture| capture.micros().is_none_or(|at| at < from_us));
        let first = self.all.get(first..)?.iter().find(|capture| self.is_reached(capture))?;
        self.newest_until(first.micros().filter(|at| *at <= until_us)?)
    }

    /// Returns whether there are captures of which nobody can say whether they came before a page:
    /// those without a date, and all for a page without one.
    pub(super) fn has_incomparable(self, page: Option<Timestamp>) -> bool {
        let first = self.all.iter().find(|capture| self.is_reached(capture));
        first.is_some_and(|capture| page.is_none() || capture.fetched_at.is_none())
    }
}

impl<T> Capture<T> {
    fn micros(&self) -> Option<i64> {
        self.fetched_at.map(Timestamp::unix_micros)
    }
}
