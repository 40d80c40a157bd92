//! The timeline beside a slow and obvious reading of the same rules, over generated histories.

use std::time::Duration;

use crawlprefs::verdict::timeline::{Answer, Current, Fetch, RobotsState, Sent, Timeline};
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;

const DAY_MICROS: i64 = 24 * 3600 * 1_000_000;
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
                _ => Sent::Body(position),
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
    body: Sent<usize>,
    segment: u32,
    is_page: bool,
}

impl Event {
    fn fetch(&self) -> Fetch<'static, usize> {
        Fetch {
            url: PageUrl::new(URLS[self.url].as_bytes()).expect("a URL of the table"),
            fetched_at: self.fetched_at,
            answer: self.answer,
            redirect: self.target.map(|target| TARGETS[target]),
            body: self.body,
            segment: self.segment,
            is_page: self.is_page,
        }
    }

    fn micros(&self) -> Option<i64> {
        self.fetched_at.map(Timestamp::unix_micros)
    }
}

/// The slow reading: it goes through all captures for every question.
struct Slow<'a>(Vec<&'a Event>);

impl<'a> Slow<'a> {
    fn of(events: &'a [Event]) -> Self {
        Self(events.iter().collect())
    }

    /// Returns what a redirect of a segment may lead to.
    fn reached_from(&self, segment: u32) -> Self {
        let is_reached = |event: &&&Event| !event.is_page || event.segment == segment;
        Self(self.0.iter().filter(is_reached).copied().collect())
    }

    /// `max_by_key` takes the last of equals, as the rule for one instant wants it.
    fn newest_until(&self, url: usize, until: i64) -> Option<&'a Event> {
        let known = |event: &&Event| event.url == url && event.micros().is_some_and(|at| at <= until);
        self.0.iter().copied().filter(known).max_by_key(|event| event.micros())
    }

    fn first_between(&self, url: usize, from: i64, until: i64) -> Option<&'a Event> {
        let inside =
            |event: &&Event| event.url == url && event.micros().is_some_and(|at| from <= at && at <= until);
        self.0.iter().copied().filter(inside).rev().min_by_key(|event| event.micros())
    }

    fn any(&self, url: usize) -> bool {
        self.0.iter().any(|event| event.url == url)
    }

    fn any_undated(&self, url: usize) -> bool {
        self.0.iter().any(|event| event.url == url && event.fetched_at.is_none())
    }

    /// Returns the state, the body and the number of redirects.
    fn end(&self, event: &Event, page: i64, redirects: u8) -> (RobotsState, Option<usize>, u8) {
        let state = match event.answer {
            Answer::Status(200) => match event.body {
                Sent::Body(body) => return (RobotsState::Parsed, Some(body), redirects),
                Sent::Html | Sent::Unreadable => RobotsState::Unreadable,
                Sent::Missing => RobotsState::BodyMissing,
            },
            Answer::StatusUnreadable => RobotsState::BodyMissing,
            Answer::Status(404) => RobotsState::Unavailable,
            Answer::Status(503) | Answer::NetworkError => RobotsState::Unreachable,
            Answer::Status(301) => return self.after_redirect(event, page, redirects),
            Answer::Status(_) => RobotsState::OtherStatus,
        };
        (state, None, redirects)
    }

    fn after_redirect(&self, event: &Event, page: i64, redirects: u8) -> (RobotsState, Option<usize>, u8) {
        let Some(target) = event.target else {
            return (RobotsState::RedirectUnresolved, None, redirects);
        };
        if redirects == 5 {
            return (RobotsState::Unavailable, None, 6);
        }
        let hop = event.micros().expect("only dated captures are followed");
        let reached = self.reached_from(event.segment);
        let next = reached
            .newest_until(target, page)
            .or_else(|| reached.first_between(target, hop, hop + TEN_MINUTES_MICROS));
        match next {
            Some(next) => self.end(next, page, redirects + 1),
            None if reached.any_undated(target) => (RobotsState::Undated, None, redirects + 1),
            None => (RobotsState::RedirectUnresolved, None, redirects + 1),
        }
    }

    fn current(&self, url: usize, page: Option<Timestamp>, slack: Duration) -> Current<usize> {
        let Some(page) = page.map(Timestamp::unix_micros) else {
            return without_copy(self.any(url));
        };
        let until = page + i64::try_from(slack.as_micros()).expect("the slacks are short");
        let Some(first) = self.newest_until(url, page).or_else(|| self.first_between(url, page, until))
        else {
            let later = self.first_between(url, page, i64::MAX).and_then(Event::micros);
            let slack_needed_s = later.map(|at| (at - page + 999_999) / 1_000_000);
            return Current { slack_needed_s, ..without_copy(self.any_undated(url)) };
        };
        let (state, body, redirects) = self.end(first, page, 0);
        let age = page - first.micros().expect("the copy is dated");
        let seconds_up = |micros: i64| (micros + 999_999) / 1_000_000;
        Current {
            state,
            fetched_at: first.fetched_at,
            age_s: Some(if age < 0 { -seconds_up(-age) } else { age / 1_000_000 }),
            after_page: age < 0,
            stale: age > DAY_MICROS,
            body,
            redirects,
            slack_needed_s: None,
        }
    }
}

fn without_copy(undated: bool) -> Current<usize> {
    Current {
        state: if undated { RobotsState::Undated } else { RobotsState::NotArchived },
        fetched_at: None,
        age_s: None,
        after_page: false,
        stale: false,
        body: None,
        redirects: 0,
        slack_needed_s: None,
    }
}

#[test]
fn local_fast_timeline_equals_a_slow_one() {
    let mut dice = Dice(0x9309_2026_0810_0001);
    let mut seen = [0_usize; RobotsState::ALL.len()];
    let (mut resolved, mut too_many, mut slack_used) = (0, 0, 0);
    for _ in 0..30_000 {
        let count = dice.below(14);
        let events: Vec<Event> = (0..count).map(|position| dice.event(position)).collect();
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
            let found = timeline.current(&origin, page, slack);
            assert_eq!(found, Slow::of(&events).current(url, page, slack), "{page:?} {slack:?} {events:?}");
            let state = RobotsState::ALL.iter().position(|state| *state == found.state);
            seen[state.expect("every state is in the list")] += 1;
            resolved += usize::from(found.redirects > 0 && found.body.is_some());
            too_many += usize::from(found.too_many_redirects());
            slack_used += usize::from(found.after_page);
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
    assert!(resolved > 500 && too_many > 1000 && slack_used > 1000, "{resolved} {too_many} {slack_used}");
}
