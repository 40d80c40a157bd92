//! A slow and obvious reading of the rules of the timeline: it goes through all captures for every question.

use crate::timeline_generated::{DAY_MICROS, Event, MOST_LOOKS, MOST_STEPS, TEN_MINUTES_MICROS};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use crawlprefs::verdict::timeline::{BodyState, Current, FetchOutcome, RobotsState, SiteBody};
use crawlprefs::web::timestamp::Timestamp;

/// The slow reading: it goes through all captures for every question.
pub struct Slow<'a> {
    events: Vec<&'a Event>,
    /// How many captures were looked at, and how many on the way back in time.
    pub looks: Cell<usize>,
    pub steps: Cell<usize>,
}

/// Where a chain ends: its captures, the state, the body and the number of redirects.
#[derive(Clone)]
struct End<'a> {
    path: Vec<&'a Event>,
    state: RobotsState,
    body: Option<SiteBody>,
    redirects: u8,
}

impl End<'_> {
    /// FRAME-9: the later one counts, then the stricter one, then the last one.
    fn rank(&self) -> impl Ord {
        let strictness = match self.state {
            RobotsState::Unreachable => 3,
            RobotsState::Parsed => 1,
            RobotsState::Unavailable => 0,
            _ => 2,
        };
        let times: Vec<_> = self.path.iter().map(|event| event.micros()).collect();
        let orders: Vec<_> = self.path.iter().map(|event| event.order).collect();
        (times.first().copied(), strictness, times, orders)
    }
}

/// What is found on the way back in time: bodies, whether an answer had no file, and whether a file may still hold and is unread.
#[derive(Default)]
struct Found {
    bodies: BTreeSet<u32>,
    is_silent: bool,
    is_unread: bool,
}

/// What is known: the current copy, the others of its second, older bodies in any order, and whether something is unread.
pub type Known = (
    Current,
    BTreeSet<(RobotsState, Option<u32>)>,
    BTreeSet<u32>,
    bool,
);

impl<'a> Slow<'a> {
    pub fn of(events: &'a [Event]) -> Self {
        Self {
            events: events.iter().collect(),
            looks: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Returns the captures of a URL to which a redirect of a segment may lead: files, then pages, each by time. A redirect that
    /// was captured twice in one instant is one, the last.
    fn reached_from(&self, url: usize, segment: u32) -> Vec<&'a Event> {
        let is_reached =
            |event: &&Event| event.url == url && (!event.is_page || event.segment == segment);
        let mut reached: Vec<_> = self.events.iter().copied().filter(is_reached).collect();
        reached.sort_by_key(|event| (event.is_page, event.micros()));
        reached.dedup_by(|next, kept| {
            let is_one = is_same_redirect(next, kept);
            if is_one {
                *kept = *next;
            }
            is_one
        });
        reached
    }

    /// KNOW-3: the body that an answer 304 has, by itself or by the newest older body of its URL with its validator, unless a
    /// different body of that second has it as well.
    fn confirmed(&self, event: &Event) -> Option<SiteBody> {
        if let BodyState::Body(body) = event.body {
            return Some(body);
        }
        let is_of_run = |other: &&&Event| {
            (other.url, other.is_page) == (event.url, event.is_page)
                && (!event.is_page || other.segment == event.segment)
                && (other.micros(), other.order) < (event.micros(), event.order)
                && other.etag.is_some()
                && other.etag == event.etag
        };
        let mut older: Vec<&&Event> = self.events.iter().filter(is_of_run).collect();
        older.sort_by_key(|other| (other.micros(), other.order));
        let bodies = older.into_iter().rev().filter_map(|other| {
            let second = other.micros().map(|micros| micros.div_euclid(1_000_000));
            match (other.answer, other.body) {
                (FetchOutcome::Status(200 | 304), BodyState::Body(body)) => Some((second, body)),
                _ => None,
            }
        });
        let bodies: Vec<(Option<i64>, SiteBody)> = bodies.collect();
        let (newest, body) = bodies.first()?;
        let mut rivals = bodies.iter().take_while(|(second, _)| second == newest);
        rivals
            .all(|(_, rival)| rival.number == body.number)
            .then_some(*body)
    }

    fn state(&self, event: &Event) -> (RobotsState, Option<SiteBody>) {
        let state = match (event.answer, event.body) {
            (FetchOutcome::Status(200), BodyState::Body(body)) => {
                return (RobotsState::Parsed, Some(body));
            }
            (FetchOutcome::Status(304), _) if self.confirmed(event).is_some() => {
                return (RobotsState::Parsed, self.confirmed(event));
            }
            (FetchOutcome::Status(200), BodyState::Html | BodyState::Unreadable) => {
                RobotsState::Unreadable
            }
            (FetchOutcome::Status(200), BodyState::Missing)
            | (FetchOutcome::StatusUnreadable, _) => RobotsState::BodyMissing,
            (FetchOutcome::Status(403 | 404), _) => RobotsState::Unavailable,
            (FetchOutcome::Status(503) | FetchOutcome::NetworkError, _) => RobotsState::Unreachable,
            _ => RobotsState::OtherStatus,
        };
        (state, None)
    }

    /// FRAME-9: where chains end that begin with captures of one second.
    fn ends(&self, second: &[&'a Event], page: i64, path: &[&'a Event]) -> Vec<End<'a>> {
        let mut ends = Vec::new();
        for event in second {
            self.looks.set(self.looks.get() + 1);
            if self.looks.get() > MOST_LOOKS {
                return ends;
            }
            let path = [path, &[*event]].concat();
            if event.answer == FetchOutcome::Status(301) {
                ends.extend(self.after_redirect(event, page, path));
            } else {
                let ((state, body), redirects) = (self.state(event), redirects(&path));
                ends.push(End {
                    path,
                    state,
                    body,
                    redirects,
                });
            }
        }
        ends
    }

    fn after_redirect(&self, event: &'a Event, page: i64, path: Vec<&'a Event>) -> Vec<End<'a>> {
        let redirects = redirects(&path);
        let nowhere = |state, redirects| {
            vec![End {
                path: path.clone(),
                state,
                body: None,
                redirects,
            }]
        };
        let Some(target) = event.target else {
            return nowhere(RobotsState::RedirectUnresolved, redirects);
        };
        if redirects == 5 {
            return nowhere(RobotsState::Unavailable, 6);
        }
        let reached = self.reached_from(target, event.segment);
        match self.target(event, &reached, page).as_slice() {
            [] if reached.iter().any(|event| event.fetched_at.is_none()) => {
                nowhere(RobotsState::Undated, redirects + 1)
            }
            [] => nowhere(RobotsState::RedirectUnresolved, redirects + 1),
            second => self.ends(second, page, &path),
        }
    }

    fn target(&self, event: &Event, reached: &[&'a Event], page: i64) -> Vec<&'a Event> {
        let hop = event.micros().expect("only dated captures are followed");
        let next = newest_until(reached, page);
        if next.is_empty() {
            first_between(reached, hop, hop + TEN_MINUTES_MICROS)
        } else {
            next
        }
    }

    /// KNOW-3: whether what was said before ends with a second, and what is found on the way there.
    fn earlier(&self, second: &[&'a Event], page: i64, redirects: u8, found: &mut Found) -> bool {
        let is_file = |event: &&&Event| event.answer != FetchOutcome::Status(301);
        for body in second
            .iter()
            .filter(is_file)
            .filter_map(|event| self.state(event).1)
        {
            found.bodies.insert(body.number);
            found.is_unread |= found.is_silent;
        }
        let is_end = |event: &&'a Event| {
            is_file(&event)
                && (self.state(event).1.is_some() || event.answer == FetchOutcome::Status(404))
        };
        let has_end = second.iter().any(is_end);
        let mut is_ended = has_end;
        for event in second {
            self.steps.set(self.steps.get() + 1);
            if self.steps.get() > MOST_STEPS {
                return true;
            }
            if event.answer != FetchOutcome::Status(301) {
                let (state, body) = self.state(event);
                let is_hidden = matches!(state, RobotsState::BodyMissing | RobotsState::Unreadable);
                let is_unchanged = body.is_none() && event.answer == FetchOutcome::Status(304);
                found.is_unread |= is_hidden || is_unchanged && !has_end;
                found.is_silent |= body.is_none() && !is_hidden && !is_unchanged && !is_end(event);
                continue;
            }
            let reached = |target| self.reached_from(target, event.segment);
            let reached = event
                .target
                .filter(|_| redirects < 5)
                .map(reached)
                .unwrap_or_default();
            let next = self.target(event, &reached, page);
            let is_ended_there = if newest_until(&reached, page).is_empty() {
                self.earlier(&next, page, redirects + 1, found)
            } else {
                self.back(&reached, page, redirects + 1, found)
            };
            found.is_silent |= !is_ended_there;
            is_ended |= is_ended_there;
        }
        is_ended
    }

    fn back(&self, events: &[&'a Event], page: i64, redirects: u8, found: &mut Found) -> bool {
        let mut until = page;
        loop {
            let second = newest_until(events, until);
            let Some(first) = second.iter().filter_map(|event| event.micros()).min() else {
                return false;
            };
            if self.earlier(&second, page, redirects, found) {
                return true;
            }
            until = first.div_euclid(1_000_000) * 1_000_000 - 1;
        }
    }

    pub fn known(&self, url: usize, page: Option<Timestamp>, slack: Duration) -> Known {
        let all = self.reached_from(url, u32::MAX);
        let none = |current| (current, BTreeSet::new(), BTreeSet::new(), false);
        let Some(page) = page.map(Timestamp::unix_micros) else {
            return none(without_copy(!all.is_empty()));
        };
        let until = page + i64::try_from(slack.as_micros()).expect("the slacks are short");
        let mut second = newest_until(&all, page);
        if second.is_empty() {
            second = first_between(&all, page, until);
        }
        if second.is_empty() {
            let later = first_between(&all, page, i64::MAX)
                .iter()
                .filter_map(|event| event.micros())
                .min();
            let slack_needed_s = later.map(|at| (at - page + 999_999) / 1_000_000);
            let undated = all.iter().any(|event| event.fetched_at.is_none());
            return none(Current {
                slack_needed_s,
                ..without_copy(undated)
            });
        }
        let ends = self.ends(&second, page, &[]);
        let Some(end) = ends.iter().max_by_key(|end| end.rank()) else {
            return none(without_copy(true));
        };
        let of = |end: &End<'_>| (end.state, end.body.map(|body| body.number));
        let mut rivals: BTreeSet<_> = ends
            .iter()
            .map(of)
            .filter(|other| *other != of(end))
            .collect();
        let first = end.path.first().expect("a chain has a beginning");
        // KNOW-5: a redirect makes no file younger.
        let oldest = end.path.iter().filter_map(|event| event.fetched_at).min();
        let oldest_age = page - oldest.expect("the copy is dated").unix_micros();
        let is_stale = oldest_age > DAY_MICROS;
        if is_stale {
            // KNOW-5: the first copies within the slack.
            rivals.extend(
                self.ends(&first_between(&all, page + 1, until), until, &[])
                    .iter()
                    .map(of),
            );
        }
        let last = |end: &End<'_>| {
            end.path
                .last()
                .map(|event| (event.answer, end.redirects + 1))
        };
        let ends_earlier = |end: &End<'_>| {
            end.body.is_some()
                || last(end)
                    == Some((
                        FetchOutcome::Status(404),
                        u8::try_from(end.path.len()).unwrap(),
                    ))
        };
        let mut found = Found::default();
        if !ends.iter().all(ends_earlier) {
            self.back(&all, page, 0, &mut found);
        }
        let Found {
            bodies: mut earlier,
            is_unread,
            ..
        } = found;
        earlier.retain(|body| {
            end.body.map(|own| own.number) != Some(*body)
                && !rivals.iter().any(|(_, rival)| *rival == Some(*body))
        });
        let age = page - first.micros().expect("the copy is dated");
        let seconds_up = |micros: i64| (micros + 999_999) / 1_000_000;
        let seconds = |micros: i64| micros.div_euclid(1_000_000);
        let current = Current {
            state: end.state,
            fetched_at: first.fetched_at,
            age_s: Some(if age < 0 {
                -seconds_up(-age)
            } else {
                seconds(oldest_age)
            }),
            oldest_at: oldest,
            after_page: age < 0,
            stale: is_stale,
            body: end.body,
            redirects: end.redirects,
            ..Current::default()
        };
        (current, rivals, earlier, is_unread)
    }
}

fn is_same_redirect(one: &Event, other: &Event) -> bool {
    (one.is_page, one.micros()) == (other.is_page, other.micros())
        && [one.answer, other.answer] == [FetchOutcome::Status(301); 2]
        && (one.target, one.segment, one.etag) == (other.target, other.segment, other.etag)
}

fn redirects(path: &[&Event]) -> u8 {
    u8::try_from(path.len() - 1).expect("chains are short")
}

/// Returns the captures up to a time that are of the second of the newest one.
fn newest_until<'a>(events: &[&'a Event], until: i64) -> Vec<&'a Event> {
    let known = events
        .iter()
        .copied()
        .filter(|event| event.micros().is_some_and(|at| at <= until));
    of_second(known.clone().filter_map(Event::micros).max(), known)
}

/// Returns the captures between two times that are of the second of the first one.
fn first_between<'a>(events: &[&'a Event], from: i64, until: i64) -> Vec<&'a Event> {
    let is_inside = |event: &&Event| event.micros().is_some_and(|at| from <= at && at <= until);
    let inside = events.iter().copied().filter(is_inside);
    of_second(inside.clone().filter_map(Event::micros).min(), inside)
}

fn of_second<'a>(of: Option<i64>, events: impl Iterator<Item = &'a Event>) -> Vec<&'a Event> {
    let second = |at: i64| at.div_euclid(1_000_000);
    events
        .filter(|event| event.micros().map(second) == of.map(second))
        .collect()
}

fn without_copy(undated: bool) -> Current {
    let state = if undated {
        RobotsState::Undated
    } else {
        RobotsState::NotArchived
    };
    Current {
        state,
        ..Current::default()
    }
}
