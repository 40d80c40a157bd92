//! The timeline beside a slow and obvious reading of the same rules, over generated histories.

use crate::rounds::rounds;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use crawlprefs::robots::Extent;
use crawlprefs::verdict::timeline::{Answer, Current, RobotsState, Sent, SiteBody, SiteCapture, Timeline};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;

const DAY_MICROS: i64 = 24 * 3600 * 1_000_000;
/// More captures than these are not followed.
const MOST_LOOKS: usize = 64;
const TEN_MINUTES_MICROS: i64 = 600 * 1_000_000;
const ORIGINS: [&str; 3] = ["http://a.test", "https://a.test", "https://b.test:8443"];
const URLS: [&str; 5] = [
    "http://a.test/robots.txt",
    "https://a.test/robots.txt",
    "https://b.test:8443/robots.txt",
    "https://b.test:8443/",
    "http://a.test/r?x",
];
/// Other spellings of the same, in the same order, and one that is never captured.
const TARGETS: [&str; 6] = [
    "HTTP://a.test:80/robots.txt",
    "https://a.test/robots.txt#x",
    "https://b.test:8443/y/../robots.txt",
    "https://b.test:8443",
    "http://a.test/r?x#top",
    "http://nowhere.test/robots.txt",
];

/// Marsaglia's xorshift, so that every run has the same histories.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % limit
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Times lie so close that they collide, or days apart.
    fn time(&mut self) -> Option<Timestamp> {
        if self.one_in(12) {
            return None;
        }
        let day = if self.one_in(4) { 11 + self.below(3) } else { 10 };
        let (minute, second) = (self.below(24), 20 * self.below(3));
        let fraction = if self.one_in(8) { ".5" } else { "" };
        Timestamp::new(format!("2026-08-{day}T10:{minute:02}:{second:02}{fraction}Z").as_bytes())
    }

    fn answer(&mut self) -> Answer {
        match self.below(10) {
            0 => Answer::Status(404),
            1 => Answer::Status(503),
            2 => Answer::Status(304),
            3 => Answer::NetworkError,
            4 => Answer::StatusUnreadable,
            5 | 6 => Answer::Status(200),
            _ => Answer::Status(301),
        }
    }

    fn event(&mut self, position: usize) -> Event {
        let url = self.below(URLS.len());
        Event {
            url,
            fetched_at: self.time(),
            answer: self.answer(),
            target: if self.one_in(15) { None } else { Some(self.below(TARGETS.len())) },
            body: match self.below(6) {
                0 => Sent::Missing,
                1 => Sent::Unreadable,
                _ => {
                    let number = u32::try_from(position).expect("a small position");
                    Sent::Body(SiteBody { number, extent: Extent::Whole })
                }
            },
            segment: self.below(2) as u32,
            // What an origin has at /robots.txt is no page.
            is_page: url >= ORIGINS.len() && self.one_in(3),
        }
    }
}

/// A capture, with numbers of `URLS` and `TARGETS`.
#[derive(Clone, Copy, Debug)]
struct Event {
    url: usize,
    fetched_at: Option<Timestamp>,
    answer: Answer,
    target: Option<usize>,
    body: Sent<SiteBody>,
    segment: u32,
    is_page: bool,
}

impl Event {
    fn fetch(&self) -> SiteCapture<'static> {
        SiteCapture {
            kind: if self.is_page { CaptureKind::Page } else { CaptureKind::RobotsHop },
            url: PageUrl::new(URLS[self.url].as_bytes()).expect("a URL of the table"),
            fetched_at: self.fetched_at,
            answer: self.answer,
            redirect: self.target.map(|target| TARGETS[target]),
            body: self.body,
            segment: self.segment,
        }
    }

    /// Puts it into one second with others, with a file of its own.
    fn crowd(&mut self, dice: &mut Dice) {
        let fraction = if dice.one_in(4) { ".7" } else { "" };
        self.fetched_at = Timestamp::new(format!("2026-08-10T10:05:00{fraction}Z").as_bytes());
        if dice.one_in(2) {
            self.answer = Answer::Status(200);
        }
    }

    fn micros(&self) -> Option<i64> {
        self.fetched_at.map(Timestamp::unix_micros)
    }
}

/// The slow reading: it goes through all captures for every question.
struct Slow<'a> {
    events: Vec<&'a Event>,
    /// How many captures were looked at.
    looks: Cell<usize>,
}

/// Where a chain ends: the state, the body and the number of redirects.
type End = (RobotsState, Option<SiteBody>, u8);

impl<'a> Slow<'a> {
    fn of(events: &'a [Event]) -> Self {
        Self { events: events.iter().collect(), looks: Cell::new(0) }
    }

    /// Returns the captures of a URL to which a redirect of a segment may lead: files, then pages, each by time.
    fn reached_from(&self, url: usize, segment: u32) -> Vec<&'a Event> {
        let is_reached = |event: &&Event| event.url == url && (!event.is_page || event.segment == segment);
        let mut reached: Vec<_> = self.events.iter().copied().filter(is_reached).collect();
        reached.sort_by_key(|event| (event.is_page, event.micros()));
        reached
    }

    /// FRAME-9: where chains end that begin with captures of one second.
    fn ends(&self, second: &[&Event], page: i64, redirects: u8) -> Vec<End> {
        let mut ends = Vec::new();
        for event in second {
            self.looks.set(self.looks.get() + 1);
            if self.looks.get() > MOST_LOOKS {
                return ends;
            }
            let state = match event.answer {
                Answer::Status(200) => match event.body {
                    Sent::Body(body) => {
                        ends.push((RobotsState::Parsed, Some(body), redirects));
                        continue;
                    }
                    Sent::Html | Sent::Unreadable => RobotsState::Unreadable,
                    Sent::Missing => RobotsState::BodyMissing,
                },
                Answer::StatusUnreadable => RobotsState::BodyMissing,
                Answer::Status(404) => RobotsState::Unavailable,
                Answer::Status(503) | Answer::NetworkError => RobotsState::Unreachable,
                Answer::Status(301) => {
                    ends.extend(self.after_redirect(event, page, redirects));
                    continue;
                }
                Answer::Status(_) => RobotsState::OtherStatus,
            };
            ends.push((state, None, redirects));
        }
        ends
    }

    fn after_redirect(&self, event: &Event, page: i64, redirects: u8) -> Vec<End> {
        let Some(target) = event.target else {
            return vec![(RobotsState::RedirectUnresolved, None, redirects)];
        };
        if redirects == 5 {
            return vec![(RobotsState::Unavailable, None, 6)];
        }
        let hop = event.micros().expect("only dated captures are followed");
        let reached = self.reached_from(target, event.segment);
        let mut next = newest_until(&reached, page);
        if next.is_empty() {
            next = first_between(&reached, hop, hop + TEN_MINUTES_MICROS);
        }
        match next.as_slice() {
            [] if reached.iter().any(|event| event.fetched_at.is_none()) => {
                vec![(RobotsState::Undated, None, redirects + 1)]
            }
            [] => vec![(RobotsState::RedirectUnresolved, None, redirects + 1)],
            second => self.ends(second, page, redirects + 1),
        }
    }

    /// Returns what is known, and the other bodies of the second whose noes count.
    fn current(&self, url: usize, page: Option<Timestamp>, slack: Duration) -> (Current, BTreeSet<u32>) {
        let all = self.reached_from(url, u32::MAX);
        let Some(page) = page.map(Timestamp::unix_micros) else {
            return (without_copy(!all.is_empty()), BTreeSet::new());
        };
        let until = page + i64::try_from(slack.as_micros()).expect("the slacks are short");
        let mut second = newest_until(&all, page);
        if second.is_empty() {
            second = first_between(&all, page, until);
        }
        if second.is_empty() {
            let later = first_between(&all, page, i64::MAX).iter().filter_map(|event| event.micros()).min();
            let slack_needed_s = later.map(|at| (at - page + 999_999) / 1_000_000);
            let undated = all.iter().any(|event| event.fetched_at.is_none());
            return (Current { slack_needed_s, ..without_copy(undated) }, BTreeSet::new());
        }
        let ends = second
            .iter()
            .flat_map(|first| self.ends(&[*first], page, 0).into_iter().map(|end| (*first, end)));
        let ends: Vec<(&Event, End)> = ends.collect();
        let strictness = |state| match state {
            RobotsState::Unreachable => 3,
            RobotsState::Parsed => 1,
            RobotsState::Unavailable => 0,
            _ => 2,
        };
        // `max_by_key` takes the last of equals.
        let Some((first, (state, body, redirects))) =
            ends.iter().max_by_key(|(_, (state, ..))| strictness(*state)).copied()
        else {
            return (without_copy(true), BTreeSet::new());
        };
        let bodies = ends.iter().filter(|(_, (known, ..))| *known == state);
        let rivals = bodies.filter_map(|(_, (_, known, _))| known.filter(|known| Some(*known) != body));
        let age = page - first.micros().expect("the copy is dated");
        let seconds_up = |micros: i64| (micros + 999_999) / 1_000_000;
        let current = Current {
            state,
            fetched_at: first.fetched_at,
            age_s: Some(if age < 0 { -seconds_up(-age) } else { age / 1_000_000 }),
            after_page: age < 0,
            stale: age > DAY_MICROS,
            body,
            redirects,
            slack_needed_s: None,
        };
        (current, rivals.map(|body| body.number).collect())
    }
}

/// Returns the captures up to a time that are of the second of the newest one.
fn newest_until<'a>(events: &[&'a Event], until: i64) -> Vec<&'a Event> {
    let known = events.iter().copied().filter(|event| event.micros().is_some_and(|at| at <= until));
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
    events.filter(|event| event.micros().map(second) == of.map(second)).collect()
}

fn without_copy(undated: bool) -> Current {
    let state = if undated { RobotsState::Undated } else { RobotsState::NotArchived };
    Current { state, ..Current::default() }
}

#[test]
fn local_fast_timeline_equals_a_slow_one() {
    let mut dice = Dice(0x9309_2026_0810_0001);
    let mut seen = [0_usize; RobotsState::ALL.len()];
    let (mut resolved, mut too_many, mut slack_used, mut contested) = (0, 0, 0, 0);
    let timelines = rounds(7_500, 30_000);
    for _ in 0..timelines {
        let count = dice.below(14);
        let mut events: Vec<Event> = (0..count).map(|position| dice.event(position)).collect();
        let is_crowded = dice.one_in(3);
        for event in events.iter_mut().filter(|event| is_crowded && event.fetched_at.is_some()) {
            event.crowd(&mut dice);
        }
        let (early, late) = events.split_at(dice.below(count + 1));
        let mut timeline = Timeline::new(early.iter().map(Event::fetch));
        for (order, event) in (early.len() as u64..).zip(late) {
            timeline.add(&event.fetch(), order);
        }
        timeline.sort();
        for (url, origin) in ORIGINS.iter().enumerate() {
            let origin = PageUrl::new(origin.as_bytes()).expect("an origin of the table").origin();
            let page = dice.time();
            let slack = Duration::from_secs([0, 300, 200_000][dice.below(3)]);
            let slow = Slow::of(&events);
            let expected = slow.current(url, page, slack);
            if slow.looks.get() > MOST_LOOKS {
                continue;
            }
            let (found, rivals) = timeline.current_and_rivals(&origin, page, slack);
            contested += usize::from(!rivals.is_empty());
            let rivals: BTreeSet<u32> = rivals.iter().map(|body| body.number).collect();
            assert_eq!((found, rivals), expected, "{page:?} {slack:?} {events:?}");
            let state = RobotsState::ALL.iter().position(|state| *state == found.state);
            seen[state.expect("every state is in the list")] += 1;
            resolved += usize::from(found.redirects > 0 && found.body.is_some());
            too_many += usize::from(found.too_many_redirects());
            slack_used += usize::from(found.after_page);
        }
    }
    assert!(seen.iter().all(|count| *count > timelines / 60), "{seen:?}");
    assert!(contested > timelines / 300, "{contested}");
    let is_often = resolved > timelines / 60 && too_many > timelines / 30 && slack_used > timelines / 30;
    assert!(is_often, "{resolved} {too_many} {slack_used}");
}
