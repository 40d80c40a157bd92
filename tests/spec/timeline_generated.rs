//! The timeline beside a slow and obvious reading of the same rules, over generated histories.

use crate::random::one_of;
use crate::rounds::rounds;
use crate::timeline_slow::Slow;
use std::time::Duration;

use crawlprefs::robots::Extent;
use crawlprefs::verdict::timeline::{
    BodyState, CopyLimits, FetchOutcome, RobotsState, SiteBody, SiteCapture, Timeline, Validator,
};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::timestamp::Timestamp;
use crawlprefs::web::url::PageUrl;
use fastrand::Rng;

pub const DAY_MICROS: i64 = 24 * 3600 * 1_000_000;
/// More captures than these are not followed.
pub const MOST_LOOKS: usize = 64;
pub const MOST_STEPS: usize = 4096;
pub const TEN_MINUTES_MICROS: i64 = 600 * 1_000_000;
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

fn one_in(random: &mut Rng, count: usize) -> bool {
    random.usize(..count) == 0
}

/// Times lie so close that they collide, or days apart.
fn some_time(random: &mut Rng) -> Option<Timestamp> {
    if one_in(random, 12) {
        return None;
    }
    let day = if one_in(random, 4) {
        11 + random.usize(..3)
    } else {
        10
    };
    let (minute, second) = (random.usize(..24), 20 * random.usize(..3));
    let fraction = if one_in(random, 8) { ".5" } else { "" };
    Timestamp::new(format!("2026-08-{day}T10:{minute:02}:{second:02}{fraction}Z").as_bytes())
}

fn some_answer(random: &mut Rng) -> FetchOutcome {
    match random.usize(..11) {
        0 => FetchOutcome::Status(404),
        10 => FetchOutcome::Status(403),
        1 => FetchOutcome::Status(503),
        2 => FetchOutcome::Status(304),
        3 => FetchOutcome::NetworkError,
        4 => FetchOutcome::StatusUnreadable,
        5 | 6 => FetchOutcome::Status(200),
        _ => FetchOutcome::Status(301),
    }
}

fn some_event(random: &mut Rng, position: usize) -> Event {
    let (url, answer) = (random.usize(..URLS.len()), some_answer(random));
    Event {
        order: position,
        url,
        fetched_at: some_time(random),
        answer,
        target: if one_in(random, 15) {
            None
        } else {
            Some(random.usize(..TARGETS.len()))
        },
        body: match random.usize(..6) {
            // Some answers 304 are revisits of a known body.
            0 => BodyState::Missing,
            1 => BodyState::Unreadable,
            2.. if answer == FetchOutcome::Status(304) && !one_in(random, 3) => BodyState::Missing,
            _ => {
                let number = u32::try_from(position).expect("a small position");
                BodyState::Body(SiteBody {
                    number,
                    extent: Extent::Whole,
                })
            }
        },
        etag: Some(random.usize(..4)).filter(|etag| *etag > 0),
        segment: random.usize(..2) as u32,
        // What an origin has at /robots.txt is no page.
        is_page: url >= ORIGINS.len() && one_in(random, 3),
    }
}

/// A capture, with numbers of `URLS` and `TARGETS`.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub order: usize,
    pub url: usize,
    pub fetched_at: Option<Timestamp>,
    pub answer: FetchOutcome,
    pub target: Option<usize>,
    pub body: BodyState<SiteBody>,
    /// By which a 304 confirms a body.
    pub etag: Option<usize>,
    pub segment: u32,
    pub is_page: bool,
}

impl Event {
    fn fetch(&self) -> SiteCapture<'static> {
        SiteCapture {
            kind: if self.is_page {
                CaptureKind::Page
            } else {
                CaptureKind::RobotsHop
            },
            url: PageUrl::new(URLS[self.url].as_bytes()).expect("a URL of the table"),
            fetched_at: self.fetched_at,
            answer: self.answer,
            redirect: self.target.map(|target| TARGETS[target]),
            body: self.body,
            validator: self.etag.and_then(|etag| Validator::new(&etag.to_string())),
            segment: self.segment,
        }
    }

    /// Puts it into one second with others, with a file of its own.
    fn crowd(&mut self, random: &mut Rng) {
        let fraction = if one_in(random, 4) { ".7" } else { "" };
        self.fetched_at = Timestamp::new(format!("2026-08-10T10:05:00{fraction}Z").as_bytes());
        if one_in(random, 2) {
            self.answer = FetchOutcome::Status(200);
        }
    }

    pub fn micros(&self) -> Option<i64> {
        self.fetched_at.map(Timestamp::unix_micros)
    }
}

#[test]
fn local_fast_timeline_equals_a_slow_one() {
    let mut random = Rng::with_seed(0x9309_2026_0810_0001);
    let mut seen = [0_usize; RobotsState::ALL.len()];
    let (mut resolved, mut too_many, mut slack_used, mut contested, mut standing) = (0, 0, 0, 0, 0);
    let timelines = rounds(7_500, 30_000);
    for _ in 0..timelines {
        let count = random.usize(..14);
        let mut events: Vec<Event> = (0..count)
            .map(|position| some_event(&mut random, position))
            .collect();
        let is_crowded = one_in(&mut random, 3);
        for event in events
            .iter_mut()
            .filter(|event| is_crowded && event.fetched_at.is_some())
        {
            event.crowd(&mut random);
        }
        let (early, late) = events.split_at(random.usize(..count + 1));
        let mut timeline = Timeline::new(early.iter().map(Event::fetch));
        for (order, event) in (early.len() as u64..).zip(late) {
            timeline.add(&event.fetch(), order);
        }
        timeline.sort();
        for (url, origin) in ORIGINS.iter().enumerate() {
            let origin = PageUrl::new(origin.as_bytes())
                .expect("an origin of the table")
                .origin();
            let page = some_time(&mut random);
            let slack = Duration::from_secs(one_of(&mut random, &[0, 300, 200_000]));
            let slow = Slow::of(&events);
            let expected = slow.known(url, page, slack);
            if slow.looks.get() > MOST_LOOKS || slow.steps.get() > MOST_STEPS {
                continue;
            }
            let known = timeline.known(&origin, page, CopyLimits::of_slack(slack));
            let found = known.current;
            contested += usize::from(!known.rivals.is_empty());
            standing += usize::from(!known.earlier.is_empty());
            let rivals = known
                .rivals
                .iter()
                .map(|(state, body)| (*state, body.map(|body| body.number)));
            let earlier = known.earlier.iter().map(|body| body.number);
            let found_all = (found, rivals.collect(), earlier.collect(), known.is_unread);
            assert_eq!(found_all, expected, "{page:?} {slack:?} {events:?}");
            let state = RobotsState::ALL
                .iter()
                .position(|state| *state == found.state);
            seen[state.expect("every state is in the list")] += 1;
            resolved += usize::from(found.redirects > 0 && found.body.is_some());
            too_many += usize::from(found.too_many_redirects());
            slack_used += usize::from(found.after_page);
        }
    }
    assert!(seen.iter().all(|count| *count > timelines / 60), "{seen:?}");
    assert!(
        contested > timelines / 300 && standing > timelines / 30,
        "{contested} {standing}"
    );
    let is_often =
        resolved > timelines / 60 && too_many > timelines / 30 && slack_used > timelines / 30;
    assert!(is_often, "{resolved} {too_many} {slack_used}");
}
