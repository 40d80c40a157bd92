//! The edge cases of the timeline, by name.

mod redirects;
mod site_files;
mod times;

use std::time::Duration;

use super::{Answer, Current, Fetch, RobotsState, Sent, Timeline};
use crate::web::origin::Origin;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;

const NO_SLACK: Duration = Duration::ZERO;

/// A time of the day on which all cases play, `hh:mm:ss`.
fn at(time: &str) -> Option<Timestamp> {
    let at = Timestamp::new(format!("2026-08-10T{time}Z").as_bytes());
    assert!(at.is_some(), "{time}");
    at
}

fn page_url(text: &str) -> PageUrl<'_> {
    PageUrl::new(text.as_bytes()).expect("a URL of the table")
}

fn origin(text: &str) -> Origin {
    page_url(text).origin()
}

fn answered<'a>(url: &'a str, time: &str, answer: Answer) -> Fetch<'a, u32> {
    let (url, fetched_at, redirect, body) = (page_url(url), at(time), None, Sent::Missing);
    Fetch { url, fetched_at, answer, redirect, body, segment: 0, is_page: false }
}

fn status<'a>(url: &'a str, time: &str, status: u16) -> Fetch<'a, u32> {
    answered(url, time, Answer::Status(status))
}

fn copy<'a>(url: &'a str, time: &str, body: u32) -> Fetch<'a, u32> {
    Fetch { body: Sent::Body(body), ..status(url, time, 200) }
}

fn redirect<'a>(url: &'a str, time: &str, target: &'a str) -> Fetch<'a, u32> {
    Fetch { redirect: Some(target), ..status(url, time, 301) }
}

fn undated(fetch: Fetch<'_, u32>) -> Fetch<'_, u32> {
    Fetch { fetched_at: None, ..fetch }
}

/// What a page of `http://a.test` sees.
fn seen<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>, page: &str, slack: Duration) -> Current<u32> {
    Timeline::new(fetches).current(&origin("http://a.test/"), at(page), slack)
}

fn state<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>) -> RobotsState {
    seen(fetches, "12:00:00", NO_SLACK).state
}

fn body<'a>(fetches: impl IntoIterator<Item = Fetch<'a, u32>>) -> Option<u32> {
    seen(fetches, "12:00:00", NO_SLACK).body
}

const ROBOTS: &str = "http://a.test/robots.txt";

#[test]
fn local_names_of_states_are_those_of_the_tables() {
    let names = RobotsState::ALL.map(RobotsState::as_str);
    let expected = [
        "parsed",
        "unavailable",
        "unreachable",
        "redirect_unresolved",
        "other_status",
        "unreadable",
        "body_missing",
        "undated",
        "not_archived",
    ];
    assert_eq!(names, expected);
}

#[test]
fn rfc9309_2_3_1_answers_decide_the_state() {
    for (answer, kept, expected) in [
        (Answer::Status(200), Some(1), RobotsState::Parsed),
        (Answer::Status(206), Some(1), RobotsState::Parsed),
        (Answer::Status(200), None, RobotsState::BodyMissing),
        (Answer::Status(403), Some(1), RobotsState::Unavailable),
        (Answer::Status(429), None, RobotsState::Unavailable),
        (Answer::Status(503), Some(1), RobotsState::Unreachable),
        (Answer::NetworkError, None, RobotsState::Unreachable),
        (Answer::StatusUnreadable, Some(1), RobotsState::BodyMissing),
        (Answer::Status(100), None, RobotsState::OtherStatus),
        (Answer::Status(304), None, RobotsState::OtherStatus),
        (Answer::Status(999), Some(1), RobotsState::OtherStatus),
    ] {
        let found =
            seen([Fetch { body: kept.into(), ..answered(ROBOTS, "11:00:00", answer) }], "12:00:00", NO_SLACK);
        assert_eq!(found.state, expected, "{answer:?}");
        assert_eq!(found.body, kept.filter(|_| expected == RobotsState::Parsed), "{answer:?}");
        assert_eq!(found.fetched_at, at("11:00:00"), "{answer:?}");
    }
}

/// AMB-TIME-2: the newest attempt counts, whatever an older copy said.
#[test]
fn rfc9309_2_3_1_4_unreachable_hides_an_older_copy() {
    let fetches = [copy(ROBOTS, "10:00:00", 1), status(ROBOTS, "11:00:00", 503)];
    assert_eq!(state(fetches.clone()), RobotsState::Unreachable);
    assert_eq!(seen(fetches, "10:30:00", NO_SLACK).body, Some(1));
}

#[test]
fn rfc9309_2_3_a_file_applies_to_one_origin() {
    for url in [
        "https://a.test/robots.txt",
        "http://www.a.test/robots.txt",
        "http://a.test:8080/robots.txt",
        "http://a.test./robots.txt",
        "http://a.test/ROBOTS.TXT",
        "http://a.test/robots.txt?x",
        "http://a.test/x/robots.txt",
        "http://a.test/",
    ] {
        assert_eq!(state([copy(url, "11:00:00", 1)]), RobotsState::NotArchived, "{url}");
    }
    for url in ["HTTP://A.test:80/robots.txt#x", "http://u:p@a.test/x/../robots.txt"] {
        assert_eq!(body([copy(url, "11:00:00", 1)]), Some(1), "{url}");
    }
}

#[test]
fn local_no_capture_is_not_archived() {
    let expected = Current {
        state: RobotsState::NotArchived,
        fetched_at: None,
        age_s: None,
        after_page: false,
        stale: false,
        body: None,
        redirects: 0,
        slack_needed_s: None,
    };
    assert_eq!(seen([], "12:00:00", NO_SLACK), expected);
}
