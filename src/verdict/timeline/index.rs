//! Captures by place and time.
//!
//! Example: the captures of `https://a.test` are one slice, those without a date first, the others from the oldest to the
//! newest. Left out: what a chain of redirects leads to (`chain`).
//! Lookups allocate nothing: one hash of the text, then binary searches, however many pages other segments have at a place.
//!
//! A place is identified by a key, which is the same for two spellings of one URL. Documents: RFC 3986 6.2.2 and 6.2.3, as far
//! as the WHATWG URL Standard applies them. Example: `HTTP://a.test#x` and `http://a.test:80/` both have the key
//! `http://a.test/`. Left out: `%7E` against `~`, which that standard also keeps apart.
//! The key of `/robots.txt` is its origin alone. No other key can equal it, because all others have a slash after the origin.

use super::state::{BodyState, OutcomeClass, RobotsState, SiteBody, SiteCapture, Validator};
use crate::robots::Extent;
use crate::web::u32_of;
use crate::web::{capture_kind::CaptureKind, timestamp::Timestamp};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The number of a key, in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct UrlPlace(u32);

pub(super) const MICROS_PER_SECOND: i64 = 1_000_000;
/// The most places of which the times of captures are added: more than one site redirects to.
const MAX_PLACES: usize = 64;
/// The value for no segment.
pub(super) const NO_SEGMENT: u32 = u32::MAX;

/// What one capture says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CaptureSaid {
    Sent(BodyState<SiteBody>),
    /// A file without the server's answer, whose noes count (KNOW-3).
    Stored(SiteBody),
    /// An older file is current, of which no body is proved to be it.
    Unchanged,
    /// There is no file.
    Gone,
    /// No file came, and this follows for robots.txt.
    NoFile(RobotsState),
    /// The chain continues at this place, with a redirect from a capture of this segment.
    Redirect(UrlPlace, u32),
}

impl CaptureSaid {
    /// Returns what a capture says; `target` is where its redirect leads, if that can be followed.
    pub(super) fn from_capture(capture: &SiteCapture<'_>, target: Option<UrlPlace>) -> Self {
        let is_of_robots = !capture.kind.is_beside_robots();
        match (capture.answer.class(), target) {
            (OutcomeClass::Success, _) => Self::Sent(capture.body),
            (OutcomeClass::Unchanged, _) => match capture.body {
                BodyState::Body(body) => Self::Sent(BodyState::Body(body)),
                BodyState::Html | BodyState::Unreadable | BodyState::Missing => Self::Unchanged,
            },
            (OutcomeClass::Stored, _) => match capture.body {
                BodyState::Body(body) => Self::Stored(body),
                other => Self::Sent(other),
            },
            (OutcomeClass::Gone, _) => Self::Gone,
            (OutcomeClass::NoFile(RobotsState::BodyMissing), _) => Self::Sent(BodyState::Missing),
            (OutcomeClass::Redirect, Some(place)) if is_of_robots => {
                Self::Redirect(place, capture.segment)
            }
            (OutcomeClass::Redirect, Some(place)) => Self::Redirect(place, NO_SEGMENT),
            (OutcomeClass::Redirect, None) if is_of_robots => {
                Self::NoFile(RobotsState::RedirectUnresolved)
            }
            (OutcomeClass::NoFile(state), _) if is_of_robots => Self::NoFile(state),
            // Another file says nothing new, whatever the reason is.
            (OutcomeClass::NoFile(_) | OutcomeClass::Redirect, _) => {
                Self::NoFile(RobotsState::NotArchived)
            }
        }
    }
}

impl CaptureSaid {
    /// KNOW-3: returns whether what the file said before ends with this: a file that was read whole, or none.
    pub(super) fn ends_earlier(self) -> bool {
        match self {
            Self::Sent(BodyState::Body(body)) => body.extent == Extent::Whole,
            Self::Gone => true,
            Self::Sent(BodyState::Html | BodyState::Unreadable | BodyState::Missing)
            | Self::Stored(_)
            | Self::Unchanged
            | Self::NoFile(_)
            | Self::Redirect(..) => false,
        }
    }

    /// Returns the body of a file that was read, whether it is whole or not.
    pub(super) fn body(self) -> Option<SiteBody> {
        match self {
            Self::Sent(BodyState::Body(body)) | Self::Stored(body) => Some(body),
            Self::Sent(BodyState::Html | BodyState::Unreadable | BodyState::Missing)
            | Self::Unchanged
            | Self::Gone
            | Self::NoFile(_)
            | Self::Redirect(..) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct PlacedCapture {
    pub(super) place: UrlPlace,
    /// The segment of a page, whose redirects alone lead to it; [`NO_SEGMENT`] for other captures.
    page_of: u32,
    pub(super) fetched_at: Option<Timestamp>,
    pub(super) order: u64,
    pub(super) said: CaptureSaid,
    validator: Option<Validator>,
}

/// Captures by place and time; sorted only after [`Index::sort`].
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    places: HashMap<Box<str>, UrlPlace>,
    /// The end of the captures of each place, by the number of the place.
    ends: Vec<u32>,
    captures: Vec<PlacedCapture>,
}

impl Index {
    pub(super) fn place(&self, key: &str) -> Option<UrlPlace> {
        self.places.get(key).copied()
    }

    pub(super) fn place_or_new(&mut self, key: &str) -> UrlPlace {
        if let Some(place) = self.place(key) {
            return place;
        }
        let place = UrlPlace(u32_of(self.places.len()));
        self.places.insert(key.into(), place);
        place
    }

    /// Adds what a capture says; the one with the greatest `order` is the last of one instant.
    pub(super) fn add(
        &mut self,
        place: UrlPlace,
        capture: &SiteCapture<'_>,
        order: u64,
        said: CaptureSaid,
    ) {
        let page_of = if capture.kind == CaptureKind::Page {
            capture.segment
        } else {
            NO_SEGMENT
        };
        self.captures.push(PlacedCapture {
            place,
            page_of,
            fetched_at: capture.fetched_at,
            order,
            said,
            validator: capture.validator,
        });
    }

    pub(super) fn change_bodies(&mut self, key: impl Fn(SiteBody) -> BodyState<SiteBody>) {
        for capture in &mut self.captures {
            match &mut capture.said {
                CaptureSaid::Sent(sent) => *sent = sent.and_then(&key),
                CaptureSaid::Stored(body) => match key(*body) {
                    BodyState::Body(changed) => *body = changed,
                    other => capture.said = CaptureSaid::Sent(other),
                },
                CaptureSaid::Unchanged
                | CaptureSaid::Gone
                | CaptureSaid::NoFile(_)
                | CaptureSaid::Redirect(..) => {}
            }
        }
    }

    /// Sorts by place, segment of a page, time and order. A capture that was added twice becomes one, and so do adjacent
    /// captures of one time that say the same.
    pub(super) fn sort(&mut self) {
        let key = |capture: &PlacedCapture| {
            (
                capture.place,
                capture.page_of,
                capture.fetched_at,
                capture.order,
            )
        };
        self.captures.sort_unstable_by_key(key);
        self.captures.dedup_by(|next, kept| {
            let is_same = (next.place, next.page_of, next.fetched_at)
                == (kept.place, kept.page_of, kept.fetched_at);
            let says_the_same = (next.said, next.validator) == (kept.said, kept.validator);
            let is_one = is_same && (next.order == kept.order || says_the_same);
            if is_one {
                kept.order = next.order;
            }
            is_one
        });
        self.confirm();
        self.captures.shrink_to_fit();
        self.ends.clear();
        self.ends.resize(self.places.len(), 0);
        for (end, capture) in (1..).zip(&self.captures) {
            if let Some(of_place) = self.ends.get_mut(capture.place.0 as usize) {
                *of_place = end;
            }
        }
        // A place without captures ends where the place before it ends.
        let mut before = 0;
        for end in &mut self.ends {
            before = before.max(*end);
            *end = before;
        }
    }

    /// KNOW-3: gives each answer that an older file is current the newest older body with its validator, if there is one. Of
    /// different ones of one second it is not known which is meant (FRAME-9): then the noes of all count, as without a validator.
    fn confirm(&mut self) {
        let is_one = |one: &PlacedCapture, next: &PlacedCapture| {
            (one.place, one.page_of) == (next.place, next.page_of)
        };
        let runs = self.captures.chunk_by_mut(is_one);
        for run in runs.filter(|run| run.iter().any(|one| one.said == CaptureSaid::Unchanged)) {
            let mut known: HashMap<Validator, (Option<i64>, Option<SiteBody>)> = HashMap::new();
            for capture in run {
                let Some(validator) = capture.validator else {
                    continue;
                };
                match capture.said {
                    CaptureSaid::Sent(BodyState::Body(body)) => {
                        let second = capture
                            .fetched_at
                            .map(|at| at.unix_micros().div_euclid(MICROS_PER_SECOND));
                        let is_other = known.get(&validator).is_some_and(|(earlier, known)| {
                            *earlier == second
                                && known.map(|known| known.number) != Some(body.number)
                        });
                        known.insert(validator, (second, (!is_other).then_some(body)));
                    }
                    CaptureSaid::Unchanged => {
                        if let Some((_, Some(body))) = known.get(&validator) {
                            capture.said = CaptureSaid::Sent(BodyState::Body(*body));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the captures of a place to which a redirect of a segment leads: its pages only from this segment, none with
    /// [`NO_SEGMENT`].
    pub(super) fn captures_from(&self, place: Option<UrlPlace>, segment: u32) -> Captures<'_> {
        let all = place
            .and_then(|place| self.slice(place))
            .unwrap_or_default();
        let (pages, files) =
            all.split_at(all.partition_point(|capture| capture.page_of < NO_SEGMENT));
        let start = pages.partition_point(|capture| capture.page_of < segment);
        let end = pages.partition_point(|capture| capture.page_of <= segment);
        Captures {
            files,
            pages: pages.get(start..end).unwrap_or_default(),
        }
    }

    /// Adds the times within two of the captures of a place to which a redirect of a segment leads, and of those to which they
    /// redirect; `known` has the places that were visited.
    pub(super) fn add_times_within(
        &self,
        (place, segment): (UrlPlace, u32),
        (from_us, until_us): (i64, i64),
        known: &mut HashSet<(UrlPlace, u32)>,
        times: &mut BTreeSet<Timestamp>,
    ) {
        if known.len() > MAX_PLACES || !known.insert((place, segment)) {
            return;
        }
        let captures = self.captures_from(Some(place), segment);
        let within = captures.between(from_us, until_us);
        times.extend(
            within
                .into_iter()
                .flat_map(Captures::each)
                .map(|(at, _)| at),
        );
        let until_then = captures
            .between(i64::MIN, until_us)
            .into_iter()
            .flat_map(Captures::each);
        let next = until_then.filter_map(|(_, capture)| match capture.said {
            CaptureSaid::Redirect(place, segment) => Some((place, segment)),
            CaptureSaid::Sent(_)
            | CaptureSaid::Stored(_)
            | CaptureSaid::Unchanged
            | CaptureSaid::Gone
            | CaptureSaid::NoFile(_) => None,
        });
        for next in next.collect::<BTreeSet<_>>() {
            self.add_times_within(next, (from_us, until_us), known, times);
        }
    }

    /// Returns the content of all captures of one place and second, if they differ.
    pub(super) fn differing(&self) -> impl Iterator<Item = CaptureSaid> {
        let second =
            |capture: &PlacedCapture| capture.micros().map(|at| at.div_euclid(MICROS_PER_SECOND));
        let is_one = move |one: &PlacedCapture, next: &PlacedCapture| {
            (one.place, one.page_of, second(one)) == (next.place, next.page_of, second(next))
                && one.fetched_at.is_some()
        };
        let seconds = self.captures.chunk_by(is_one);
        let differing = seconds.filter(|all| {
            all.iter()
                .any(|one| all.first().is_some_and(|first| first.said != one.said))
        });
        differing.flatten().map(|capture| capture.said)
    }

    fn slice(&self, UrlPlace(number): UrlPlace) -> Option<&[PlacedCapture]> {
        let start = match number.checked_sub(1) {
            Some(before) => *self.ends.get(before as usize)?,
            None => 0,
        };
        self.captures
            .get(start as usize..*self.ends.get(number as usize)? as usize)
    }
}

/// Captures of one place; both slices are sorted by time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captures<'a> {
    files: &'a [PlacedCapture],
    pages: &'a [PlacedCapture],
}

impl<'a> Captures<'a> {
    fn parts(self) -> impl Iterator<Item = &'a [PlacedCapture]> {
        [self.files, self.pages].into_iter()
    }

    /// Returns the newest captures at or before a page, else the first that are at most `window_us` later than `from_us`.
    pub(super) fn near(self, page_us: i64, from_us: i64, window_us: i64) -> Option<Self> {
        self.newest_until(page_us)
            .or_else(|| self.first_between(from_us, from_us.saturating_add(window_us)))
    }

    /// Returns the newest captures at or before a time, all of one second (FRAME-9).
    pub(super) fn newest_until(self, until_us: i64) -> Option<Self> {
        let newest = self.between(i64::MIN, until_us)?;
        let newest = newest
            .parts()
            .filter_map(|part| part.last()?.micros())
            .max()?;
        self.between(newest - newest.rem_euclid(MICROS_PER_SECOND), until_us)
    }

    /// Returns the first captures between two times, both included, all of one second.
    pub(super) fn first_between(self, from_us: i64, until_us: i64) -> Option<Self> {
        let later = self.between(from_us, until_us)?;
        let first = later
            .parts()
            .filter_map(|part| part.first()?.micros())
            .min()?;
        let second_end = first - first.rem_euclid(MICROS_PER_SECOND) + (MICROS_PER_SECOND - 1);
        self.between(first, second_end.min(until_us))
    }

    /// Returns the captures with a time between two, both included.
    pub(super) fn between(self, from_us: i64, until_us: i64) -> Option<Self> {
        let part = |captures: &'a [PlacedCapture]| {
            let start =
                captures.partition_point(|capture| capture.micros().is_none_or(|at| at < from_us));
            let end = captures
                .partition_point(|capture| capture.micros().is_none_or(|at| at <= until_us));
            captures.get(start..end)
        };
        Some(Self {
            files: part(self.files)?,
            pages: part(self.pages)?,
        })
    }

    /// Returns the captures, all with a time, those of files first.
    pub(super) fn each(self) -> impl Iterator<Item = (Timestamp, &'a PlacedCapture)> {
        self.parts()
            .flatten()
            .filter_map(|capture| Some((capture.fetched_at?, capture)))
    }

    /// Returns the state if no copy counts for a page: undated if captures may or may not precede it, those without a date, and
    /// all for a page without one; else `otherwise`.
    pub(super) fn undecided(self, page: Option<Timestamp>, otherwise: RobotsState) -> RobotsState {
        let mut first = self.parts().filter_map(<[_]>::first);
        let is_undated = first.any(|capture| page.is_none() || capture.fetched_at.is_none());
        if is_undated {
            RobotsState::Undated
        } else {
            otherwise
        }
    }
}

impl PlacedCapture {
    fn micros(&self) -> Option<i64> {
        self.fetched_at.map(Timestamp::unix_micros)
    }
}
